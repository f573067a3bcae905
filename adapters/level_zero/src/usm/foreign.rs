// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory that the context has and did not allocate: of other processes, of other APIs, and of the host; and memory
//! for others.

use std::ffi::c_void;
use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd};
use std::sync::Arc;

use kit::ur::ExpExternalMemType;
use kit::{Context as _, ExternalFd, OsHandle, SharedMemory, UrResult, UsmAllocation};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::ze::{IpcMemKind, Owned, desc, ze, ze_get};
use crate::{Context, Device, LevelZero};

/// How many bytes the driver makes of an allocation.
const BYTES: usize = size_of::<ze_ipc_mem_handle_t>();

impl kit::Ipc<LevelZero> for Context {
    const HAS_IPC: bool = true;
    const HAS_PHYSICAL_IPC: bool = false;

    kit::memory_ipc_methods!(LevelZero);
}

impl kit::MemoryIpc<LevelZero, BYTES> for Context {
    fn require_ipc(&self) -> UrResult<()> {
        match self.devices[0].driver.has_ipc {
            true => Ok(()),
            false => kit::unsupported(),
        }
    }

    fn share(&self, memory: &UsmAllocation<Self>) -> UrResult<SharedMemory<BYTES>> {
        let (context, (base, _)) = (**self.raw, self.allocation(memory.base)?);
        // SAFETY: a live context and memory of it, and the handle that was just made.
        let handle = unsafe {
            let handle = ze_get!(zeMemGetIpcHandle(context, base as *const c_void))?;
            Owned::<IpcMemKind>::new((context, handle), true)
        };
        Ok(SharedMemory {
            handle: handle.1.data.map(|byte| byte as u8),
            base,
            keep: Box::new((handle, self.raw.clone())),
        })
    }

    fn open_shared(&self, device: &Arc<Device>, handle: [u8; BYTES]) -> UrResult<(usize, usize)> {
        let data = handle.map(|byte| byte as _);
        let (context, handle) = (**self.raw, ze_ipc_mem_handle_t { data });
        // SAFETY: a live context and a device of it; the driver checks the bytes.
        let base: *mut c_void = unsafe { ze_get!(zeMemOpenIpcHandle(context, device.raw, handle, 0)) }?;
        let opened = self.allocation(base as usize);
        opened.or_else(|error| self.close_shared(device, base as usize).and(Err(error)))
    }

    fn close_shared(&self, _device: &Arc<Device>, base: usize) -> UrResult<()> {
        // SAFETY: a live context and memory that was opened in it.
        unsafe { ze!(zeMemCloseIpcHandle(**self.raw, base as *const c_void)) }
    }
}

/// Level Zero's flag for a kind of handle, if it is a file descriptor.
pub(crate) fn external_type(kind: ExpExternalMemType) -> Option<ze_external_memory_type_flags_t> {
    match kind {
        ExpExternalMemType::OPAQUE_FD => Some(ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD),
        ExpExternalMemType::DMA_BUF => Some(ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF),
        _ => None,
    }
}

/// Has what is created be memory of another API.
pub(crate) fn import(memory: &ExternalFd) -> ze_external_memory_import_fd_t {
    desc!(ze_external_memory_import_fd_t:
        flags = external_type(memory.kind).unwrap_or(0),
        fd = memory.fd.as_raw_fd()
    )
}

impl kit::MemoryExport<LevelZero> for Context {
    fn exportable_alloc(
        self: &Arc<Self>,
        device: &Arc<Device>,
        align: usize,
        size: usize,
        kind: ExpExternalMemType,
    ) -> UrResult<*mut c_void> {
        self.check_device(device)?;
        let exports = device.facts.external.memoryAllocationExportTypes;
        let Some(flags) = external_type(kind).filter(|flag| exports & flag != 0) else {
            kit::bail!(ERROR_UNSUPPORTED_FEATURE: "the device does not export memory as {kind:?}");
        };
        let export = desc!(ze_external_memory_export_desc_t: flags = flags);
        let desc = desc!(ze_device_mem_alloc_desc_t: pNext = (&raw const export).cast());
        kit::note_usm_change();
        // SAFETY: a live context and a device of it, and descriptions that live until the call returns.
        unsafe { ze_get!(zeMemAllocDevice(**self.raw, &desc, size, align, device.raw)) }
    }

    fn exportable_free(self: &Arc<Self>, _device: &Arc<Device>, memory: *mut c_void) -> UrResult<()> {
        self.shared.usm.free(self, memory)
    }

    fn export_memory(
        self: &Arc<Self>,
        _device: &Arc<Device>,
        memory: *mut c_void,
        kind: ExpExternalMemType,
    ) -> UrResult<OsHandle> {
        let Some(flags) = external_type(kind) else {
            kit::bail!(ERROR_UNSUPPORTED_FEATURE: "memory is exported by file descriptors here, not as {kind:?}");
        };
        let mut export = desc!(ze_external_memory_export_fd_t: flags = flags, fd = -1);
        let mut properties = desc!(ze_memory_allocation_properties_t: pNext = (&raw mut export).cast());
        let (context, mut device) = (**self.raw, std::ptr::null_mut());
        // SAFETY: a live context, any address, and structures to fill.
        let found = unsafe { ze!(zeMemGetAllocProperties(context, memory, &mut properties, &mut device)) };
        match export.fd {
            -1 => Err(kit::error!(
                ERROR_INVALID_CONTEXT: "{memory:p} is no exportable memory of this context: {found:?}"
            )),
            descriptor => {
                // The driver's own may go with the memory.
                // SAFETY: it is open as long as the memory, which the client keeps meanwhile.
                let own = unsafe { BorrowedFd::borrow_raw(descriptor) }.try_clone_to_owned();
                let full = |error: std::io::Error| kit::error!(ERROR_OUT_OF_HOST_MEMORY: "{error}");
                Ok(OsHandle::Fd(own.map_err(full)?.into_raw_fd()))
            }
        }
    }
}
