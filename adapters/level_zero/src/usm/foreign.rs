// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory that the context has and did not allocate: of other processes, and of the host; and memory for others.

use std::ffi::c_void;
use std::os::fd::{BorrowedFd, IntoRawFd};
use std::sync::Arc;

use kit::ur::{ExpExternalMemType, UsmType};
use kit::{Context as _, IpcExport, OsHandle, UrResult, UsmAllocation};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::ze::{self, ContextKind, Owned, desc, ze, ze_get};
use crate::{Context, Device, LevelZero};

/// What the client carries to another process.
type Bytes = kit::IpcBytes<{ size_of::<ze_ipc_mem_handle_t>() }>;

/// A handle of the driver, which it takes back when this is dropped.
struct Export(Arc<Owned<ContextKind>>, ze_ipc_mem_handle_t);

impl Drop for Export {
    fn drop(&mut self) {
        if ze::is_lost() || ze::api().zeMemPutIpcHandle.is_none() {
            return;
        }
        // SAFETY: a live context and a handle of it.
        if let Err(error) = unsafe { ze!(zeMemPutIpcHandle(**self.0, self.1)) } {
            log::debug!("a handle of memory is leaked: {error}");
        }
    }
}

impl kit::Ipc<LevelZero> for Context {
    const HAS_IPC: bool = true;
    const HAS_PHYSICAL_IPC: bool = false;

    fn ipc_export_mem(self: &Arc<Self>, memory: *mut c_void) -> UrResult<IpcExport> {
        self.devices[0].driver.require_ipc()?;
        let is_own = |found: &UsmAllocation<Self>| {
            found.kind == UsmType::DEVICE && self.shared.foreign.find(memory.addr()).is_none()
        };
        let found = self.shared.usm.find(&**self, memory.addr()).filter(is_own);
        let found = found.ok_or_else(
            || kit::error!(ERROR_INVALID_VALUE: "{memory:p} is no device USM of this context that could be shared"),
        )?;
        let (mut base, mut size) = (std::ptr::null_mut(), 0);
        let mut handle = ze_ipc_mem_handle_t::default();
        // SAFETY: a live context, memory of it, and places for the results.
        unsafe {
            ze!(zeMemGetAddressRange(**self.raw, memory, &mut base, &mut size))?;
            ze!(zeMemGetIpcHandle(**self.raw, base, &mut handle))?;
        }
        let keep = Box::new(Export(self.raw.clone(), handle));
        let bytes = Bytes {
            handle: handle.data.map(|byte| byte as u8),
            offset: found.base - base.addr(),
            size: found.size,
        };
        Ok(IpcExport {
            data: bytes.write(),
            keep,
        })
    }

    fn ipc_open_mem(self: &Arc<Self>, device: &Arc<Device>, data: &[u8]) -> UrResult<*mut c_void> {
        device.driver.require_ipc()?;
        self.check_device(device)?;
        let bytes = Bytes::read(data)?;
        let handle = ze_ipc_mem_handle_t {
            data: bytes.handle.map(|byte| byte as _),
        };
        let context = **self.raw;
        // SAFETY: a live context and a device of it; the driver checks the bytes.
        let base: UrResult<*mut c_void> = unsafe { ze_get!(zeMemOpenIpcHandle(context, device.raw, handle, 0)) };
        let base = base.map_err(Bytes::refused)?;
        let (mut start, mut length) = (std::ptr::null_mut(), 0);
        // SAFETY: as above, and places for the results.
        unsafe {
            let range = ze!(zeMemGetAddressRange(context, base, &mut start, &mut length));
            if let Err(error) = range.and_then(|()| bytes.check_part(length)) {
                ze!(zeMemCloseIpcHandle(context, base))?;
                return Err(error);
            }
        }
        let memory = base.wrapping_byte_add(bytes.offset);
        let foreign = &self.shared.foreign;
        foreign.add(memory.addr(), base.addr(), bytes.size, Some(device));
        Ok(memory)
    }

    fn ipc_close_mem(self: &Arc<Self>, memory: *mut c_void) -> UrResult<()> {
        let base = self.shared.foreign.remove(memory, true)?;
        // SAFETY: a live context and memory that was opened in it.
        unsafe { ze!(zeMemCloseIpcHandle(**self.raw, base as *const c_void)) }
    }
}

/// Level Zero's flag for a kind of handle.
fn external_type(kind: ExpExternalMemType) -> UrResult<ze_external_memory_type_flags_t> {
    match kind {
        ExpExternalMemType::OPAQUE_FD => Ok(ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD),
        ExpExternalMemType::DMA_BUF => Ok(ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF),
        _ => Err(kit::error!(
            ERROR_UNSUPPORTED_FEATURE: "memory is exported by file descriptors here, not as {kind:?}"
        )),
    }
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
        let flags = external_type(kind)?;
        if device.facts.exports & flags == 0 {
            kit::bail!(ERROR_UNSUPPORTED_FEATURE: "the device does not export memory as {kind:?}");
        }
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
        let mut export = desc!(ze_external_memory_export_fd_t: flags = external_type(kind)?, fd = -1);
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
