// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `cl_intel_unified_shared_memory`: memory without handles.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use kit::ur::{ContextHandle, EventHandle, UsmAllocInfo, UsmDesc, UsmMigrationFlags, UsmPoolHandle, UsmType};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_api_opencl as conv;

use super::enqueue::submit;
use super::error::{ClError, ClResult};
use super::event::{Wait, give};
use super::handle::{handle_of, object};
use super::info::Out;
use super::{call_ur, creation, entry};
use crate::{Context, Device, Queue};

/// The description of an allocation.
///
/// # Safety
/// `properties`, unless null, must be a list that a zero ends.
unsafe fn desc(properties: *const cl_mem_properties_intel, align: cl_uint) -> ClResult<UsmDesc> {
    let mut at = properties;
    // SAFETY: the caller vouches for the list up to its end.
    unsafe {
        while !at.is_null() && at.read() != 0 {
            match at.read() {
                // Hints of how the memory is used.
                CL_MEM_ALLOC_FLAGS_INTEL => at = at.add(2),
                other => {
                    return Err(ClError::with_message(
                        CL_INVALID_PROPERTY,
                        format!("no property {other:#x}"),
                    ));
                }
            }
        }
    }
    Ok(UsmDesc {
        align,
        ..Default::default()
    })
}

/// The property of an allocation, as a query.
const MEM_ALLOC_FLAGS: cl_mem_info_intel = CL_MEM_ALLOC_FLAGS_INTEL as cl_mem_info_intel;

/// What UR says of an address.
fn alloc_info(context: ContextHandle, address: *const c_void, query: UsmAllocInfo) -> ClResult<[u8; 8]> {
    let mut answer = [0u8; 8];
    let mut len = 0;
    // SAFETY: a live context, and a buffer of that size for answers that are no longer.
    unsafe {
        call_ur!(USM.pfnGetMemAllocInfo(context, address, query, 0, ptr::null_mut(), &mut len))?;
        assert!(len <= answer.len(), "UR has another type");
        call_ur!(USM.pfnGetMemAllocInfo(
            context,
            address,
            query,
            len,
            answer.as_mut_ptr().cast(),
            ptr::null_mut()
        ))?;
    }
    Ok(answer)
}

fn info(context: &Arc<Context>, address: *const c_void, query: cl_mem_info_intel, out: Out) -> ClResult<()> {
    let ur = kit::handle_of(context);
    let kind = UsmType(u32::from_ne_bytes(
        alloc_info(ur, address, UsmAllocInfo::TYPE)?[..4]
            .try_into()
            .expect("four bytes"),
    ) as _);
    let is_usm = kind != UsmType::UNKNOWN;
    match query {
        CL_MEM_ALLOC_TYPE_INTEL => out.value(conv::USM_TYPES.to_cl(kind).unwrap_or(CL_MEM_TYPE_UNKNOWN_INTEL)),
        CL_MEM_ALLOC_BASE_PTR_INTEL | CL_MEM_ALLOC_SIZE_INTEL if !is_usm => out.value(0usize),
        CL_MEM_ALLOC_BASE_PTR_INTEL => out.value(alloc_info(ur, address, UsmAllocInfo::BASE_PTR)?),
        CL_MEM_ALLOC_SIZE_INTEL => out.value(alloc_info(ur, address, UsmAllocInfo::SIZE)?),
        CL_MEM_ALLOC_DEVICE_INTEL => match (kind, &context.devices[..]) {
            (UsmType::DEVICE | UsmType::SHARED, [device]) => out.value(handle_of(device)),
            (UsmType::DEVICE | UsmType::SHARED, _) => Err(CL_INVALID_OPERATION.into()),
            _ => out.value(ptr::null_mut::<c_void>()),
        },
        MEM_ALLOC_FLAGS => out.value::<cl_bitfield>(0),
        _ => out.unknown(),
    }
}

/// The device's handle for UR; none for shared memory of no device.
fn device_handle(device: cl_device_id) -> ClResult<Arc<Device>> {
    object::<Device>(device)
}

creation! {
    fn clHostMemAllocINTEL(
        context: cl_context, properties: *const cl_mem_properties_intel, size: usize, align: cl_uint,
    ) {
        let context = object::<Context>(context)?;
        let desc = desc(properties, align)?;
        let mut address = ptr::null_mut();
        call_ur!(USM.pfnHostAlloc(kit::handle_of(&context), &desc, UsmPoolHandle::default(), size, &mut address))?;
        Ok(address)
    }

    fn clDeviceMemAllocINTEL(
        context: cl_context, device: cl_device_id, properties: *const cl_mem_properties_intel, size: usize,
        align: cl_uint,
    ) {
        let (context, device) = (object::<Context>(context)?, device_handle(device)?);
        let desc = desc(properties, align)?;
        let mut address = ptr::null_mut();
        let (context, device) = (kit::handle_of(&context), kit::handle_of(&device));
        call_ur!(USM.pfnDeviceAlloc(context, device, &desc, UsmPoolHandle::default(), size, &mut address))?;
        Ok(address)
    }

    fn clSharedMemAllocINTEL(
        context: cl_context, device: cl_device_id, properties: *const cl_mem_properties_intel, size: usize,
        align: cl_uint,
    ) {
        let context = object::<Context>(context)?;
        // Without a device it is for all of them, which the first one's is as well.
        let device = if device.is_null() { context.devices[0].clone() } else { device_handle(device)? };
        let desc = desc(properties, align)?;
        let mut address = ptr::null_mut();
        let (context, device) = (kit::handle_of(&context), kit::handle_of(&device));
        call_ur!(USM.pfnSharedAlloc(context, device, &desc, UsmPoolHandle::default(), size, &mut address))?;
        Ok(address)
    }
}

entry! {
    /// Memory that commands use is not handed out again before they are complete.
    fn clMemFreeINTEL(context: cl_context, address: *mut c_void) {
        let context = object::<Context>(context)?;
        if address.is_null() {
            return Ok(());
        }
        call_ur!(USM.pfnFree(kit::handle_of(&context), address))
    }

    /// Waits for what may use it.
    fn clMemBlockingFreeINTEL(context: cl_context, address: *mut c_void) {
        let context = object::<Context>(context)?;
        while !context.in_flight.is_idle() {
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
        if address.is_null() {
            return Ok(());
        }
        call_ur!(USM.pfnFree(kit::handle_of(&context), address))
    }

    fn clGetMemAllocInfoINTEL(
        context: cl_context, address: *const c_void, query: cl_mem_info_intel, size: usize, value: *mut c_void,
        needed: *mut usize,
    ) {
        info(&object(context)?, address, query, Out::new(size, value, needed))
    }

    fn clSetKernelArgMemPointerINTEL(kernel: cl_kernel, index: cl_uint, address: *const c_void) {
        match super::kernel::clSetKernelArgSVMPointer(kernel, index, address) {
            CL_SUCCESS => Ok(()),
            error => Err(error.into()),
        }
    }

    fn clEnqueueMemFillINTEL(
        queue: cl_command_queue, to: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize,
        count: cl_uint, events: *const cl_event, event: *mut cl_event,
    ) {
        submit!(queue, (count, events, event), pfnUSMFill(to, pattern_size, pattern, size))
    }

    fn clEnqueueMemcpyINTEL(
        queue: cl_command_queue, blocking: cl_bool, to: *mut c_void, from: *const c_void, size: usize, count: cl_uint,
        events: *const cl_event, event: *mut cl_event,
    ) {
        submit!(queue, (count, events, event), pfnUSMMemcpy(blocking != 0, to, from, size))
    }

    fn clEnqueueMigrateMemINTEL(
        queue: cl_command_queue, address: *const c_void, size: usize, _flags: cl_mem_migration_flags, count: cl_uint,
        events: *const cl_event, event: *mut cl_event,
    ) {
        submit!(queue, (count, events, event), pfnUSMPrefetch(address, size, UsmMigrationFlags::default()))
    }

    /// Advice is a hint, of which nothing is made; the command has its place in the order of the queue.
    fn clEnqueueMemAdviseINTEL(
        queue: cl_command_queue, _address: *const c_void, _size: usize, _advice: cl_uint, count: cl_uint,
        events: *const cl_event, event: *mut cl_event,
    ) {
        submit!(queue, (count, events, event), pfnEventsWait())
    }
}
