// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Virtual address ranges, and the physical memory that is mapped into them.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use kit::ur::*;
use kit::{MemAccess, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;

use crate::driver::{self, cu, cu_get};
use crate::memory_pool::on_device;
use crate::{Context, Cuda, Device};

/// Physical memory of a device.
pub(crate) type PhysicalMem = kit::DriverPhysicalMem<Cuda, RawMemory>;

/// The driver's.
pub(crate) struct RawMemory(CUmemGenericAllocationHandle);

fn properties(device: &Device) -> CUmemAllocationProp {
    properties_on(device.raw)
}

fn properties_on(device: CUdevice) -> CUmemAllocationProp {
    CUmemAllocationProp {
        allocType: CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: 0,
        location: on_device(device),
        win32HandleMetaData: std::ptr::null_mut(),
        allocFlags: [0; 8],
    }
}

/// Refuses devices that cannot do it.
fn check(device: &Device) -> UrResult<()> {
    match device.facts.has_virtual_memory {
        true => Ok(()),
        false => kit::unsupported(),
    }
}

impl kit::DriverMemory<Cuda> for RawMemory {
    fn allocate(_context: &Arc<Context>, device: &Arc<Device>, size: usize) -> UrResult<Self> {
        check(device)?;
        let _current = device.primary()?.activate()?;
        let properties = properties(device);
        // SAFETY: a place for the handle, and a description.
        let raw = unsafe { cu_get!(cuMemCreate(_, size, &properties, 0): CUmemGenericAllocationHandle = 0) };
        raw.map(Self).map_err(of_range)
    }
}

impl Drop for RawMemory {
    fn drop(&mut self) {
        if driver::is_gone() {
            return;
        }
        // Where it is mapped, it stays until it is unmapped.
        // SAFETY: a live handle that nobody uses any more.
        if let Err(error) = unsafe { cu!(cuMemRelease(self.0)) } {
            log::debug!("physical memory is leaked: {error}");
        }
    }
}

/// The error of sizes that no memory has.
#[cold]
fn of_range(error: UrError) -> UrError {
    match error.code() {
        ResultCode::ERROR_INVALID_VALUE => error.with_code(ResultCode::ERROR_INVALID_SIZE),
        ResultCode::ERROR_OUT_OF_DEVICE_MEMORY => error.with_code(ResultCode::ERROR_OUT_OF_RESOURCES),
        _ => error,
    }
}

/// How many bytes of addresses [`repeated`] has, and how many without memory are before and behind them.
const REPEATED: usize = 1 << 30;
const AROUND: usize = 32 << 30;

/// Addresses that are all the same few bytes of a device again and again: a place for what nobody reads. The context is current.
/// They stay until the process ends.
pub(crate) fn repeated(device: CUdevice) -> UrResult<CUdeviceptr> {
    let properties = properties_on(device);
    let recommended = CU_MEM_ALLOC_GRANULARITY_RECOMMENDED;
    // SAFETY: places for the answers, and a description.
    let (step, range) = unsafe {
        let step = cu_get!(cuMemGetAllocationGranularity(_, &properties, recommended): usize = 0)?;
        let range = cu_get!(cuMemAddressReserve(_, REPEATED + 2 * AROUND, step, 0, 0): CUdeviceptr = 0)?;
        (step, range)
    };
    let start = range + AROUND as CUdeviceptr;
    // SAFETY: nothing is mapped in the range, which nobody else knows.
    let mapped = unsafe { map_again_and_again(device, start, step) };
    if mapped.is_err() {
        // SAFETY: as above.
        if let Err(error) = unsafe { cu!(cuMemAddressFree(range, REPEATED + 2 * AROUND)) } {
            log::warn!("a range of addresses is leaked: {error}");
        }
    }
    mapped.map(|()| start)
}

/// Maps one piece of memory at [`REPEATED`] bytes of addresses, or nothing.
///
/// # Safety
/// The addresses are reserved, and nothing is mapped there.
unsafe fn map_again_and_again(device: CUdevice, start: CUdeviceptr, step: usize) -> UrResult<()> {
    let properties = properties_on(device);
    let access = CUmemAccessDesc {
        location: on_device(device),
        flags: CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    let places = (start..start + REPEATED as CUdeviceptr).step_by(step);
    let mut mapped = 0;
    // SAFETY: places for the answers, descriptions, and the caller's addresses. The memory stays as long as it is mapped.
    unsafe {
        let memory = cu_get!(cuMemCreate(_, step, &properties, 0): CUmemGenericAllocationHandle = 0)?;
        let map = |place| cu!(cuMemMap(place, step, 0, memory, 0));
        let done = (places
            .clone()
            .try_for_each(|place| map(place).inspect(|()| mapped += 1)))
        .and_then(|()| cu!(cuMemSetAccess(start, REPEATED, &access, 1)));
        if done.is_err() {
            for place in places.take(mapped) {
                if let Err(error) = cu!(cuMemUnmap(place, step)) {
                    log::warn!("a mapping is leaked: {error}");
                }
            }
        }
        if let Err(error) = cu!(cuMemRelease(memory)) {
            log::warn!("physical memory is leaked: {error}");
        }
        done
    }
}

fn protection(access: MemAccess) -> c_int {
    match access {
        MemAccess::None => CU_MEM_ACCESS_FLAGS_PROT_NONE,
        MemAccess::ReadOnly => CU_MEM_ACCESS_FLAGS_PROT_READ,
        MemAccess::ReadWrite => CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    }
}

impl kit::VirtualMem<Cuda> for Context {
    fn virtual_granularity(
        &self,
        device: &Arc<Device>,
        _allocation: usize,
        query: VirtualMemGranularityInfo,
    ) -> UrResult<usize> {
        check(device)?;
        let _current = device.primary()?.activate()?;
        let option = match query {
            VirtualMemGranularityInfo::RECOMMENDED => CU_MEM_ALLOC_GRANULARITY_RECOMMENDED,
            _ => CU_MEM_ALLOC_GRANULARITY_MINIMUM,
        };
        let properties = properties(device);
        // SAFETY: a place for the answer, and a description.
        unsafe { cu_get!(cuMemGetAllocationGranularity(_, &properties, option): usize = 0) }
    }

    fn virtual_reserve(&self, start: *const c_void, size: usize) -> UrResult<*mut c_void> {
        check(&self.devices[0])?;
        let _current = self.primary().activate()?;
        let start = start as CUdeviceptr;
        // SAFETY: here and below: any addresses, which the driver checks, and places for the results.
        let range = unsafe { cu_get!(cuMemAddressReserve(_, size, 0, start, 0): CUdeviceptr = 0) };
        range.map(|range| range as *mut c_void).map_err(of_range)
    }

    fn virtual_free(&self, start: *const c_void, size: usize) -> UrResult<()> {
        check(&self.devices[0])?;
        let _current = self.primary().activate()?;
        // SAFETY: as above.
        unsafe { cu!(cuMemAddressFree(start as CUdeviceptr, size)) }
    }

    fn virtual_map(
        &self,
        start: *const c_void,
        size: usize,
        mem: &Arc<PhysicalMem>,
        offset: usize,
        access: MemAccess,
    ) -> UrResult<()> {
        {
            let _current = mem.device.primary()?.activate()?;
            // SAFETY: as above, and live physical memory.
            unsafe { cu!(cuMemMap(start as CUdeviceptr, size, offset, mem.raw.0, 0)) }?;
        }
        let allowed = match access {
            // So it is mapped.
            MemAccess::None => Ok(()),
            access => self.virtual_set_access(start, size, access),
        };
        if allowed.is_err() {
            // SAFETY: as above.
            if let Err(error) = unsafe { cu!(cuMemUnmap(start as CUdeviceptr, size)) } {
                log::warn!("a mapping stays: {error}");
            }
        }
        allowed
    }

    fn virtual_unmap(&self, start: *const c_void, size: usize) -> UrResult<()> {
        check(&self.devices[0])?;
        let _current = self.primary().activate()?;
        // SAFETY: as above. The client vouches that no command uses the memory.
        unsafe { cu!(cuMemUnmap(start as CUdeviceptr, size)) }
    }

    fn virtual_set_access(&self, start: *const c_void, size: usize, access: MemAccess) -> UrResult<()> {
        check(&self.devices[0])?;
        let _current = self.primary().activate()?;
        // Devices that cannot reach each other have no access to each other's memory.
        let mut first = Ok(());
        let mut any = false;
        for device in &self.devices {
            let access = CUmemAccessDesc {
                location: on_device(device.raw),
                flags: protection(access),
            };
            // SAFETY: as above, and a description.
            match unsafe { cu!(cuMemSetAccess(start as CUdeviceptr, size, &access, 1)) } {
                Ok(()) => any = true,
                Err(error) => first = first.and(Err(error)),
            }
        }
        if any { Ok(()) } else { first }
    }

    fn virtual_access(&self, start: *const c_void, size: usize) -> UrResult<(MemAccess, usize)> {
        check(&self.devices[0])?;
        let _current = self.primary().activate()?;
        let (mut all, mut same) = (None, size);
        // Each part that is mapped has one kind of access. The smallest has so many bytes.
        let step = self.virtual_granularity(&self.devices[0], 1, VirtualMemGranularityInfo::MINIMUM)?;
        for at in (0..size.max(1)).step_by(step.max(1)) {
            let address = start as CUdeviceptr + at as CUdeviceptr;
            let mut access = CU_MEM_ACCESS_FLAGS_PROT_NONE as u64;
            for device in &self.devices {
                let location = on_device(device.raw);
                // SAFETY: as above.
                access |= unsafe { cu_get!(cuMemGetAccess(_, &location, address): u64 = 0) }?;
            }
            if *all.get_or_insert(access) != access {
                same = at;
                break;
            }
        }
        let access = match all.unwrap_or(0) as c_int {
            CU_MEM_ACCESS_FLAGS_PROT_READWRITE => MemAccess::ReadWrite,
            CU_MEM_ACCESS_FLAGS_PROT_READ => MemAccess::ReadOnly,
            _ => MemAccess::None,
        };
        Ok((access, same))
    }
}
