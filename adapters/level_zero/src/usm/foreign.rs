// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory that the context has and did not allocate: of other processes, and of the host; and memory for others.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::os::fd::{BorrowedFd, IntoRawFd};
use std::sync::Arc;

use kit::ur::{ExpExternalMemType, ResultCode, UsmType};
use kit::{IpcExport, OsHandle, UrError, UrResult, UsmAllocation};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::RwLock;

use crate::ze::{self, ContextKind, Owned, ze, ze_get};
use crate::{Context, Device, LevelZero};

/// The memory of others, by the address that the client knows.
#[derive(Default)]
pub(crate) struct Foreign(RwLock<BTreeMap<usize, Memory>>);

struct Memory {
    /// What the driver calls it.
    base: usize,
    size: usize,
    /// `None` for memory of the host.
    device: Option<Arc<Device>>,
    /// How often it was opened.
    count: usize,
}

impl Foreign {
    /// The memory that an address is in.
    pub(super) fn find(&self, address: usize) -> Option<UsmAllocation<Context>> {
        let known = self.0.read();
        let (&base, memory) = known.range(..=address).next_back()?;
        let of_device = memory.device.is_some();
        (address - base < memory.size).then(|| UsmAllocation {
            kind: if of_device { UsmType::DEVICE } else { UsmType::HOST },
            base,
            size: memory.size,
            device: memory.device.clone(),
            pool: None,
        })
    }

    fn add(&self, address: usize, base: usize, size: usize, device: Option<&Arc<Device>>) {
        kit::note_usm_change();
        let memory = || Memory {
            base,
            size,
            device: device.cloned(),
            count: 0,
        };
        self.0.write().entry(address).or_insert_with(memory).count += 1;
    }

    /// Takes memory away, of a device or of the host. What the driver calls it.
    fn remove(&self, memory: *mut c_void, of_device: bool) -> UrResult<usize> {
        kit::note_usm_change();
        let mut known = self.0.write();
        match known.get_mut(&memory.addr()) {
            Some(found) if found.device.is_some() == of_device => {
                found.count -= 1;
                let (base, count) = (found.base, found.count);
                if count == 0 {
                    known.remove(&memory.addr());
                }
                Ok(base)
            }
            _ => Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("{memory:p} was not opened or imported, or it was closed before"),
            )),
        }
    }
}

/// What the client carries to another process: the driver's bytes of an allocation, and the part of it that is meant.
struct Bytes {
    handle: ze_ipc_mem_handle_t,
    offset: usize,
    size: usize,
}

impl Bytes {
    fn write(&self) -> Box<[u8]> {
        let handle = self.handle.data.iter().map(|&byte| byte as u8);
        handle
            .chain(self.offset.to_ne_bytes())
            .chain(self.size.to_ne_bytes())
            .collect()
    }

    fn read(data: &[u8]) -> Option<Self> {
        let (bytes, numbers) = data.split_at_checked(size_of::<ze_ipc_mem_handle_t>())?;
        let (offset, size) = numbers.split_first_chunk()?;
        let mut handle = ze_ipc_mem_handle_t::default();
        let places = handle.data.iter_mut().zip(bytes);
        places.for_each(|(place, &byte)| *place = byte as _);
        Some(Self {
            handle,
            offset: usize::from_ne_bytes(*offset),
            size: usize::from_ne_bytes(size.try_into().ok()?),
        })
    }
}

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

#[cold]
fn no_handle(what: impl std::fmt::Display) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_VALUE,
        format!("the bytes are no handle of memory that another process shares: {what}"),
    )
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
        let found = found.ok_or_else(|| {
            UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("{memory:p} is no device USM of this context that could be shared"),
            )
        })?;
        let (mut base, mut size) = (std::ptr::null_mut(), 0);
        let mut handle = ze_ipc_mem_handle_t::default();
        // SAFETY: a live context, memory of it, and places for the results.
        unsafe {
            ze!(zeMemGetAddressRange(**self.raw, memory, &mut base, &mut size))?;
            ze!(zeMemGetIpcHandle(**self.raw, base, &mut handle))?;
        }
        let keep = Box::new(Export(self.raw.clone(), handle));
        let (offset, size) = (found.base - base.addr(), found.size);
        let data = Bytes { handle, offset, size }.write();
        Ok(IpcExport { data, keep })
    }

    fn ipc_open_mem(self: &Arc<Self>, device: &Arc<Device>, data: &[u8]) -> UrResult<*mut c_void> {
        device.driver.require_ipc()?;
        self.check_device(device)?;
        let Bytes { handle, offset, size } = Bytes::read(data).ok_or_else(|| no_handle("their number is wrong"))?;
        let context = **self.raw;
        // SAFETY: a live context and a device of it; the driver checks the bytes.
        let base: UrResult<*mut c_void> = unsafe { ze_get!(zeMemOpenIpcHandle(context, device.raw, handle, 0)) };
        let base = base.map_err(no_handle)?;
        let (mut start, mut length) = (std::ptr::null_mut(), 0);
        // SAFETY: as above, and places for the results.
        unsafe {
            let range = ze!(zeMemGetAddressRange(context, base, &mut start, &mut length));
            if range.is_err() || offset.checked_add(size).is_none_or(|end| end > length) {
                ze!(zeMemCloseIpcHandle(context, base))?;
                return Err(no_handle(format_args!("{size} bytes at {offset} are not in it")));
            }
        }
        let memory = base.wrapping_byte_add(offset);
        self.shared.foreign.add(memory.addr(), base.addr(), size, Some(device));
        Ok(memory)
    }

    fn ipc_close_mem(self: &Arc<Self>, memory: *mut c_void) -> UrResult<()> {
        let base = self.shared.foreign.remove(memory, true)?;
        // SAFETY: a live context and memory that was opened in it.
        unsafe { ze!(zeMemCloseIpcHandle(**self.raw, base as *const c_void)) }
    }
}

impl Context {
    /// Has the driver take memory of the client's for its own.
    pub(super) fn import(&self, memory: *mut c_void, size: usize) -> UrResult<()> {
        let (driver, import, _) = self.devices[0].driver.import_functions()?;
        // SAFETY: the driver's function and handle; the client vouches for its memory.
        ze::check("zexDriverImportExternalPointer", unsafe {
            import(driver, memory, size)
        })?;
        self.shared.foreign.add(memory.addr(), memory.addr(), size, None);
        Ok(())
    }

    /// Ends that.
    pub(super) fn release(&self, memory: *mut c_void) -> UrResult<()> {
        let (driver, _, release) = self.devices[0].driver.import_functions()?;
        self.shared.foreign.remove(memory, false)?;
        // SAFETY: the driver's function and handle, and memory that it has imported.
        ze::check("zexDriverReleaseImportedPointer", unsafe { release(driver, memory) })
    }
}

/// Level Zero's flag for a kind of handle.
fn external_type(kind: ExpExternalMemType) -> UrResult<ze_external_memory_type_flags_t> {
    match kind {
        ExpExternalMemType::OPAQUE_FD => Ok(ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD),
        ExpExternalMemType::DMA_BUF => Ok(ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF),
        _ => Err(UrError::with_message(
            ResultCode::ERROR_UNSUPPORTED_FEATURE,
            format!("memory is exported by file descriptors here, not as {kind:?}"),
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
            return Err(UrError::with_message(
                ResultCode::ERROR_UNSUPPORTED_FEATURE,
                format!("the device does not export memory as {kind:?}"),
            ));
        }
        let export = ze_external_memory_export_desc_t {
            flags,
            ..Default::default()
        };
        let desc = ze_device_mem_alloc_desc_t {
            pNext: (&raw const export).cast(),
            ..Default::default()
        };
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
        let mut export = ze_external_memory_export_fd_t {
            flags: external_type(kind)?,
            fd: -1,
            ..Default::default()
        };
        let mut properties = ze_memory_allocation_properties_t {
            pNext: (&raw mut export).cast(),
            ..Default::default()
        };
        let (context, mut device) = (**self.raw, std::ptr::null_mut());
        // SAFETY: a live context, any address, and structures to fill.
        let found = unsafe { ze!(zeMemGetAllocProperties(context, memory, &mut properties, &mut device)) };
        match export.fd {
            -1 => Err(UrError::with_message(
                ResultCode::ERROR_INVALID_CONTEXT,
                format!("{memory:p} is no exportable memory of this context: {found:?}"),
            )),
            descriptor => {
                // The driver's own may go with the memory.
                // SAFETY: it is open as long as the memory, which the client keeps meanwhile.
                let own = unsafe { BorrowedFd::borrow_raw(descriptor) }.try_clone_to_owned();
                let full = |error: std::io::Error| {
                    UrError::with_message(ResultCode::ERROR_OUT_OF_HOST_MEMORY, error.to_string())
                };
                Ok(OsHandle::Fd(own.map_err(full)?.into_raw_fd()))
            }
        }
    }
}
