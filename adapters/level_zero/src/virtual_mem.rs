// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Virtual address ranges, and the physical memory that is mapped into them.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::*;
use kit::{Context as _, UrError, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::ze::{self, ContextKind, Owned, desc, ze, ze_get};
use crate::{Context, Device, LevelZero};

/// Physical memory of a device.
pub(crate) type PhysicalMem = kit::DriverPhysicalMem<LevelZero, RawMemory>;

/// The driver's, of a context.
pub(crate) struct RawMemory(ze_physical_mem_handle_t, Arc<Owned<ContextKind>>);

ze::any_thread!(RawMemory);

impl kit::DriverMemory<LevelZero> for RawMemory {
    fn allocate(context: &Arc<Context>, device: &Arc<Device>, size: usize) -> UrResult<Self> {
        let mut desc = desc!(ze_physical_mem_desc_t: size = size);
        // SAFETY: a live context and a device of it, and a description that lives until the call returns.
        let raw = unsafe { ze_get!(zePhysicalMemCreate(**context.raw, device.raw, &mut desc)) }.map_err(of_range)?;
        Ok(Self(raw, context.raw.clone()))
    }
}

impl Drop for RawMemory {
    fn drop(&mut self) {
        if ze::is_lost() || kit::is_closed() {
            return;
        }
        // SAFETY: live handles; where it is mapped, it is the client's to unmap.
        if let Err(error) = unsafe { ze!(zePhysicalMemDestroy(**self.1, self.0)) } {
            log::warn!("physical memory is leaked: {error}");
        }
    }
}

/// The error of sizes and addresses that no range has.
#[cold]
fn of_range(error: UrError) -> UrError {
    match error.code() {
        ResultCode::ERROR_UNSUPPORTED_SIZE | ResultCode::ERROR_UNSUPPORTED_ALIGNMENT => {
            error.with_code(ResultCode::ERROR_INVALID_SIZE)
        }
        ResultCode::ERROR_INVALID_ARGUMENT => error.with_code(ResultCode::ERROR_INVALID_VALUE),
        ResultCode::ERROR_OUT_OF_DEVICE_MEMORY => error.with_code(ResultCode::ERROR_OUT_OF_RESOURCES),
        _ => error,
    }
}

/// Kinds of access, in UR and in Level Zero.
const ACCESS: [(VirtualMemAccessFlags, ze_memory_access_attribute_t); 3] = [
    (VirtualMemAccessFlags::READ_WRITE, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE),
    (VirtualMemAccessFlags::READ_ONLY, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY),
    (VirtualMemAccessFlags::NONE, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE),
];

fn attribute(flags: VirtualMemAccessFlags) -> UrResult<ze_memory_access_attribute_t> {
    let found = ACCESS.iter().find(|(known, _)| *known == flags);
    let none = || kit::error!(ERROR_INVALID_VALUE: "memory has one kind of access, not {flags:?}");
    found.map(|(_, attribute)| *attribute).ok_or_else(none)
}

impl kit::VirtualMem<LevelZero> for Context {
    fn virtual_granularity(
        &self,
        device: Option<&Arc<Device>>,
        allocation: usize,
        _query: VirtualMemGranularityInfo,
    ) -> UrResult<usize> {
        let device = device.unwrap_or(&self.devices[0]);
        self.check_device(device)?;
        // SAFETY: a live context and a device of it.
        unsafe { ze_get!(zeVirtualMemQueryPageSize(**self.raw, device.raw, allocation.max(1))) }
    }

    fn virtual_reserve(&self, start: *const c_void, size: usize) -> UrResult<*mut c_void> {
        // SAFETY: here and below: a live context, and any addresses, which the driver checks.
        unsafe { ze_get!(zeVirtualMemReserve(**self.raw, start, size)) }.map_err(of_range)
    }

    fn virtual_free(&self, start: *const c_void, size: usize) -> UrResult<()> {
        kit::note_usm_change();
        // SAFETY: as above.
        unsafe { ze!(zeVirtualMemFree(**self.raw, start, size)) }.map_err(of_range)
    }

    fn virtual_map(
        &self,
        start: *const c_void,
        size: usize,
        mem: &Arc<PhysicalMem>,
        offset: usize,
        flags: VirtualMemAccessFlags,
    ) -> UrResult<()> {
        kit::note_usm_change();
        let (context, access) = (**self.raw, attribute(flags)?);
        // SAFETY: as above, and live physical memory.
        unsafe { ze!(zeVirtualMemMap(context, start, size, mem.raw.0, offset, access)) }.map_err(of_range)
    }

    fn virtual_unmap(&self, start: *const c_void, size: usize) -> UrResult<()> {
        kit::note_usm_change();
        // SAFETY: as above.
        unsafe { ze!(zeVirtualMemUnmap(**self.raw, start, size)) }.map_err(of_range)
    }

    fn virtual_set_access(&self, start: *const c_void, size: usize, flags: VirtualMemAccessFlags) -> UrResult<()> {
        let (context, access) = (**self.raw, attribute(flags)?);
        // SAFETY: as above.
        unsafe { ze!(zeVirtualMemSetAccessAttribute(context, start, size, access)) }.map_err(of_range)
    }

    fn virtual_access(&self, start: *const c_void, size: usize) -> UrResult<VirtualMemAccessFlags> {
        let (context, mut access, mut same) = (**self.raw, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE, 0);
        // SAFETY: as above, and places for the results.
        let found = unsafe {
            ze!(zeVirtualMemGetAccessAttribute(
                context,
                start,
                size,
                &mut access,
                &mut same
            ))
        };
        found.map_err(of_range)?;
        if same < size {
            kit::bail!(ERROR_INVALID_VALUE: "of {size} bytes at {start:p} only the first {same} have the same access");
        }
        let found = ACCESS.iter().find(|(_, known)| *known == access);
        Ok(found.map_or(VirtualMemAccessFlags::NONE, |(flags, _)| *flags))
    }
}
