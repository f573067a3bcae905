// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts.

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use kit::ur::{ContextFlags, ContextInfo, NativeHandle};
use kit::{Command, Deleters, HandleCell, InfoOut, NativeRef, UniqueId, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use crate::cl::{self, Ask, ContextObject, cl_create};
use crate::functions::Extensions;
use crate::usm::SharedContext;
use crate::{Adapter, Device, OpenCl};

/// A context.
pub(crate) struct Context {
    pub(crate) handle_cell: HandleCell,
    pub(crate) raw: NativeRef<ContextObject>,
    pub(crate) devices: Vec<Arc<Device>>,
    /// The functions of the platform that all devices belong to.
    pub(crate) ext: Arc<Extensions>,
    /// Shared with other wrappers of the OpenCL context.
    pub(crate) shared: Arc<SharedContext>,
    deleters: Deleters,
}

/// What the driver says of a context when something goes wrong in it.
unsafe extern "C" fn notify(message: *const c_char, _details: *const c_void, _size: usize, _user_data: *mut c_void) {
    if !message.is_null() {
        // SAFETY: the driver gives a zero-terminated string.
        let message = unsafe { CStr::from_ptr(message) };
        log::info!("the OpenCL driver says: {}", message.to_string_lossy());
    }
}

impl Context {
    /// A context of at least one device.
    fn new(raw: NativeRef<ContextObject>, devices: Vec<Arc<Device>>) -> Arc<Self> {
        cl::note_use();
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            ext: devices[0].ext.clone(),
            devices,
            shared: SharedContext::of(*raw),
            raw,
            deleters: Deleters::default(),
        })
    }

    /// The number of the OpenCL context.
    #[inline(always)]
    pub(crate) fn number(&self) -> UniqueId {
        self.shared.number
    }

    /// From now on others may allocate and free memory in it: a native handle was given out, by which they find it.
    pub(crate) fn share(&self) {
        self.shared.share();
    }

    /// Wraps a native context; without devices it asks the driver for them.
    pub(crate) fn from_native(
        adapter: &Adapter,
        native: cl_context,
        mut devices: Vec<Arc<Device>>,
        owned: bool,
    ) -> UrResult<Arc<Self>> {
        if devices.is_empty() {
            // SAFETY: the client vouches for its native handle.
            let context = unsafe { NativeRef::<ContextObject>::borrowed(native) };
            let ids = context.ask_array::<*mut c_void>(CL_CONTEXT_DEVICES)?;
            devices = ids
                .into_iter()
                .map(|id| kit::Adapter::device_from_native(adapter, id as NativeHandle, false))
                .collect::<UrResult<_>>()?;
        }
        if devices.is_empty() {
            kit::bail!(ERROR_INVALID_CONTEXT: "the native context has no device");
        }
        // SAFETY: as above.
        let context = Self::new(unsafe { NativeRef::wrap(native, owned) }?, devices);
        context.share();
        Ok(context)
    }

    /// The device of this context that an OpenCL handle stands for.
    pub(crate) fn device(&self, raw: cl_device_id) -> Option<&Arc<Device>> {
        self.devices.iter().find(|d| d.raw == raw)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        SharedContext::leave(self);
    }
}

impl kit::Context<OpenCl> for Context {
    fn create(devices: Vec<Arc<Device>>, _flags: ContextFlags) -> UrResult<Arc<Self>> {
        let platforms: Vec<_> = devices
            .iter()
            .filter_map(|d| kit::Device::platform(&**d))
            .map(|p| p.raw)
            .collect();
        if platforms.iter().any(|p| *p != platforms[0]) {
            kit::bail!(ERROR_INVALID_DEVICE: "an OpenCL context cannot have devices of several platforms");
        }
        let raw_devices: Vec<_> = devices.iter().map(|d| d.raw).collect();
        // SAFETY: live devices; no properties; `notify` touches only its message.
        let raw = unsafe {
            cl_create!(clCreateContext(
                std::ptr::null(),
                raw_devices.len() as cl_uint,
                raw_devices.as_ptr(),
                Some(notify),
                std::ptr::null_mut()
            ))
        }?;
        Ok(Self::new(raw, devices))
    }

    fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    fn info(&self, query: ContextInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            // Copies and fills of rows are sequences of copies and fills of memory.
            ContextInfo::USM_MEMCPY2D_SUPPORT => out.bool(self.ext.clEnqueueMemcpyINTEL.is_some()),
            ContextInfo::USM_FILL2D_SUPPORT => out.bool(self.ext.clEnqueueMemFillINTEL.is_some()),
            _ => out.unsupported(),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.raw == other.raw
    }

    #[inline(always)]
    fn check_command(&self, device: &Arc<Device>, command: &Command<'_, OpenCl>) -> UrResult<()> {
        command.check_operands_and_global(self, |global| global.program.check_global(device, global))
    }

    fn deleters(&self) -> Option<&Deleters> {
        Some(&self.deleters)
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        self.share();
        Ok(*self.raw as NativeHandle)
    }
}

impl kit::VirtualMem<OpenCl> for Context {}

impl kit::Ipc<OpenCl> for Context {}
impl kit::BindlessImages<OpenCl> for Context {}
impl kit::MemoryExport<OpenCl> for Context {}
