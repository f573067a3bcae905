// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of virtual memory, and of memory of other processes.
#![allow(
    clippy::missing_safety_doc,
    reason = "the rules are CUDA's: live handles, and places for what is returned"
)]

use std::ffi::{c_int, c_uint};

use oxur_cuda_sys::*;

use super::code;
use crate::{device, virtual_mem};

/// The device that physical memory is to be of.
fn device_of(properties: &CUmemAllocationProp) -> Result<i32, CUresult> {
    let is_known = properties.allocType == CU_MEM_ALLOCATION_TYPE_PINNED
        && properties.location.kind == CU_MEM_LOCATION_TYPE_DEVICE
        && properties.requestedHandleTypes == 0;
    match is_known {
        true => device::get(properties.location.id).map(|device| device.ordinal),
        false => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

api! {
    fn cuMemGetAllocationGranularity(place: *mut usize, properties: *const CUmemAllocationProp, option: c_int) {
        device_of(&*properties)?;
        match option {
            CU_MEM_ALLOC_GRANULARITY_MINIMUM | CU_MEM_ALLOC_GRANULARITY_RECOMMENDED => {
                place.write(virtual_mem::GRANULARITY);
                Ok(())
            }
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }

    fn cuMemAddressReserve(place: *mut CUdeviceptr, size: usize, alignment: usize, start: CUdeviceptr, flags: u64) {
        device::started()?;
        if flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        place.write(virtual_mem::reserve(start as usize, size, alignment)? as CUdeviceptr);
        Ok(())
    }

    fn cuMemAddressFree(start: CUdeviceptr, size: usize) {
        device::started()?;
        virtual_mem::free(start as usize, size)
    }

    fn cuMemCreate(
        handle: *mut CUmemGenericAllocationHandle, size: usize, properties: *const CUmemAllocationProp, flags: u64,
    ) {
        if flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        handle.write(virtual_mem::create(size, device_of(&*properties)?)?);
        Ok(())
    }

    fn cuMemRelease(handle: CUmemGenericAllocationHandle) {
        device::started()?;
        virtual_mem::release(handle)
    }

    fn cuMemMap(start: CUdeviceptr, size: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: u64) {
        device::started()?;
        if flags != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        virtual_mem::map(start as usize, size, offset, handle)
    }

    fn cuMemUnmap(start: CUdeviceptr, size: usize) {
        device::started()?;
        virtual_mem::unmap(start as usize, size)
    }

    fn cuMemSetAccess(start: CUdeviceptr, size: usize, access: *const CUmemAccessDesc, count: usize) {
        for at in 0..count {
            let wanted = &*access.add(at);
            device::get(wanted.location.id)?;
            let is_known = matches!(
                wanted.flags,
                CU_MEM_ACCESS_FLAGS_PROT_NONE | CU_MEM_ACCESS_FLAGS_PROT_READ | CU_MEM_ACCESS_FLAGS_PROT_READWRITE
            );
            if !is_known || wanted.location.kind != CU_MEM_LOCATION_TYPE_DEVICE {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
            virtual_mem::set_access(start as usize, size, wanted.flags)?;
        }
        Ok(())
    }

    fn cuMemGetAccess(flags: *mut u64, location: *const CUmemLocation, address: CUdeviceptr) {
        device::get((*location).id)?;
        flags.write(virtual_mem::access(address as usize)? as u64);
        Ok(())
    }

    fn cuIpcGetMemHandle(handle: *mut CUipcMemHandle, address: CUdeviceptr) {
        device::current()?;
        handle.write(CUipcMemHandle { reserved: virtual_mem::export(address as usize)? });
        Ok(())
    }

    fn cuIpcOpenMemHandle(address: *mut CUdeviceptr, handle: CUipcMemHandle, flags: c_uint) {
        let device = device::current()?;
        if flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        address.write(virtual_mem::open(handle.reserved, device.ordinal)? as CUdeviceptr);
        Ok(())
    }

    fn cuIpcCloseMemHandle(address: CUdeviceptr) {
        device::current()?;
        virtual_mem::close(address as usize)
    }
}
