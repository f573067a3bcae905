// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Virtual address ranges, and the physical memory that is mapped into them.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::*;
use kit::{MemAccess, UrError, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::ze::{Owned, PhysicalMemKind, desc, ze, ze_get};
use crate::{Context, Device, LevelZero};

/// Physical memory of a device. Where it is mapped when it goes, it is the client's to unmap.
pub(crate) type PhysicalMem = kit::DriverPhysicalMem<LevelZero, Owned<PhysicalMemKind>>;

impl kit::DriverMemory<LevelZero> for Owned<PhysicalMemKind> {
    fn allocate(context: &Arc<Context>, device: &Arc<Device>, size: usize) -> UrResult<Self> {
        let (context, mut desc) = (**context.raw, desc!(ze_physical_mem_desc_t: size = size));
        // SAFETY: a live context and a device of it, and a description that lives until the call returns.
        let raw = unsafe { ze_get!(zePhysicalMemCreate(context, device.raw, &mut desc)) }.map_err(of_range)?;
        // SAFETY: the memory that was just taken.
        Ok(unsafe { Self::new((context, raw), true) })
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

fn attribute(access: MemAccess) -> ze_memory_access_attribute_t {
    match access {
        MemAccess::None => ZE_MEMORY_ACCESS_ATTRIBUTE_NONE,
        MemAccess::ReadOnly => ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY,
        MemAccess::ReadWrite => ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE,
    }
}

impl kit::VirtualMem<LevelZero> for Context {
    fn virtual_granularity(
        &self,
        device: &Arc<Device>,
        allocation: usize,
        _query: VirtualMemGranularityInfo,
    ) -> UrResult<usize> {
        // SAFETY: a live context and a device of it.
        unsafe { ze_get!(zeVirtualMemQueryPageSize(**self.raw, device.raw, allocation.max(1))) }
    }

    fn virtual_reserve(&self, start: *const c_void, size: usize) -> UrResult<*mut c_void> {
        // SAFETY: here and below: a live context, and any addresses, which the driver checks.
        unsafe { ze_get!(zeVirtualMemReserve(**self.raw, start, size)) }.map_err(of_range)
    }

    fn virtual_free(&self, start: *const c_void, size: usize) -> UrResult<()> {
        // SAFETY: as above.
        unsafe { ze!(zeVirtualMemFree(**self.raw, start, size)) }.map_err(of_range)
    }

    fn virtual_map(
        &self,
        start: *const c_void,
        size: usize,
        mem: &Arc<PhysicalMem>,
        offset: usize,
        access: MemAccess,
    ) -> UrResult<()> {
        let ((_, mem), access) = (*mem.raw, attribute(access));
        // SAFETY: as above, and live physical memory.
        unsafe { ze!(zeVirtualMemMap(**self.raw, start, size, mem, offset, access)) }.map_err(of_range)
    }

    fn virtual_unmap(&self, start: *const c_void, size: usize) -> UrResult<()> {
        // SAFETY: as above.
        unsafe { ze!(zeVirtualMemUnmap(**self.raw, start, size)) }.map_err(of_range)
    }

    fn virtual_set_access(&self, start: *const c_void, size: usize, access: MemAccess) -> UrResult<()> {
        let access = attribute(access);
        // SAFETY: as above.
        unsafe { ze!(zeVirtualMemSetAccessAttribute(**self.raw, start, size, access)) }.map_err(of_range)
    }

    fn virtual_access(&self, start: *const c_void, size: usize) -> UrResult<(MemAccess, usize)> {
        let (context, mut found, mut same) = (**self.raw, ZE_MEMORY_ACCESS_ATTRIBUTE_NONE, 0);
        let place = &mut found;
        // SAFETY: as above, and places for the results.
        unsafe { ze!(zeVirtualMemGetAccessAttribute(context, start, size, place, &mut same)) }.map_err(of_range)?;
        let all = [MemAccess::ReadOnly, MemAccess::ReadWrite];
        let access = all.into_iter().find(|access| attribute(*access) == found);
        Ok((access.unwrap_or(MemAccess::None), same))
    }
}
