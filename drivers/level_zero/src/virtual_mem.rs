// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Virtual address ranges: Level Zero's functions on [`oxur_device_cpu::virtual_mem`].

use std::ffi::c_void;
use std::sync::Arc;

use level_zero_sys::*;
use oxur_device_cpu::pages;
use oxur_device_cpu::virtual_mem::{Access, VirtualMemError};

use crate::entry::{Error, ZeResult, entry, err};
use crate::handle::{object, out};
use crate::{Context, Device, PhysicalMem};

/// The reserved addresses of a context.
pub(crate) type Ranges = oxur_device_cpu::virtual_mem::Ranges<PhysicalMem>;

impl From<VirtualMemError> for Error {
    #[cold]
    fn from(error: VirtualMemError) -> Self {
        let code = match error {
            VirtualMemError::Size { .. } | VirtualMemError::Overflow { .. } => ZE_RESULT_ERROR_UNSUPPORTED_SIZE,
            VirtualMemError::Address { .. } => ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT,
            VirtualMemError::System { .. } | VirtualMemError::OutOfMemory { .. } => {
                ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY
            }
            VirtualMemError::NotReserved { .. }
            | VirtualMemError::NoReservation { .. }
            | VirtualMemError::StillMapped
            | VirtualMemError::NotMapped { .. }
            | VirtualMemError::Mapped { .. }
            | VirtualMemError::Outside { .. }
            | VirtualMemError::SeveralAccesses { .. } => ZE_RESULT_ERROR_INVALID_ARGUMENT,
        };
        Self::new(code, error)
    }
}

fn access_of(access: ze_memory_access_attribute_t) -> ZeResult<Access> {
    match access {
        ZE_MEMORY_ACCESS_ATTRIBUTE_NONE => Ok(Access::None),
        ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY => Ok(Access::ReadOnly),
        ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE => Ok(Access::ReadWrite),
        _ => err(ZE_RESULT_ERROR_INVALID_ENUMERATION),
    }
}

/// A context and an address that is not null.
///
/// # Safety
/// The handle must be what the specification asks for.
unsafe fn place(context: ze_context_handle_t, address: *const c_void) -> ZeResult<(&'static Arc<Context>, usize)> {
    // SAFETY: passed on to the caller.
    let context = unsafe { object::<Context>(context) }?;
    if address.is_null() {
        return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    }
    Ok((context, address as usize))
}

entry! {
    fn zeVirtualMemReserve(
        context: ze_context_handle_t,
        wanted: *const c_void,
        size: usize,
        start: *mut *mut c_void,
    ) {
        // SAFETY: passed on to the caller.
        let (context, start) = unsafe { (object::<Context>(context)?, out(start)?) };
        *start = context.ranges.reserve(wanted as usize, size)? as *mut c_void;
        Ok(())
    }

    fn zeVirtualMemFree(context: ze_context_handle_t, start: *const c_void, size: usize) {
        // SAFETY: passed on to the caller.
        let (context, start) = unsafe { place(context, start) }?;
        Ok(context.ranges.free_with_mappings(start, size)?)
    }

    // All sizes have the page size of the system, which the specification asks for in host memory anyway.
    fn zeVirtualMemQueryPageSize(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        size: usize,
        page: *mut usize,
    ) {
        // SAFETY: passed on to the caller.
        let page = unsafe {
            object::<Context>(context)?.check_device(object::<Device>(device)?)?;
            out(page)?
        };
        if size == 0 {
            return err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        }
        *page = pages::page();
        Ok(())
    }

    fn zeVirtualMemMap(
        context: ze_context_handle_t,
        start: *const c_void,
        size: usize,
        memory: ze_physical_mem_handle_t,
        offset: usize,
        access: ze_memory_access_attribute_t,
    ) {
        // SAFETY: passed on to the caller.
        let ((context, start), memory) = unsafe { (place(context, start)?, object::<PhysicalMem>(memory)?) };
        let access = access_of(access)?;
        memory.check_context(context)?;
        if !offset.is_multiple_of(pages::page()) {
            return err(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
        }
        Ok(context.ranges.map(start, size, memory, offset, access)?)
    }

    fn zeVirtualMemUnmap(context: ze_context_handle_t, start: *const c_void, size: usize) {
        // SAFETY: passed on to the caller.
        let (context, start) = unsafe { place(context, start) }?;
        Ok(context.ranges.unmap(start, size)?)
    }

    fn zeVirtualMemSetAccessAttribute(
        context: ze_context_handle_t,
        start: *const c_void,
        size: usize,
        access: ze_memory_access_attribute_t,
    ) {
        // SAFETY: passed on to the caller.
        let (context, start) = unsafe { place(context, start) }?;
        Ok(context.ranges.set_access(start, size, access_of(access)?)?)
    }

    fn zeVirtualMemGetAccessAttribute(
        context: ze_context_handle_t,
        start: *const c_void,
        size: usize,
        access: *mut ze_memory_access_attribute_t,
        same: *mut usize,
    ) {
        // SAFETY: passed on to the caller.
        let ((context, start), access, same) = unsafe { (place(context, start)?, out(access)?, out(same)?) };
        let (found, bytes) = context.ranges.access_at(start, size)?;
        *access = match found {
            Access::None => ZE_MEMORY_ACCESS_ATTRIBUTE_NONE,
            Access::ReadOnly => ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY,
            Access::ReadWrite => ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE,
        };
        *same = bytes;
        Ok(())
    }
}
