// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands. UR's entry points check and submit them.

use std::ffi::c_void;
use std::ptr;

use kit::ur::{EventHandle, MapFlags, RectOffset, RectRegion};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use super::error::{ClError, ClResult};
use super::event::{Wait, give};
use super::handle::{object, objects};
use super::info::{list, not_null};
use super::{call_ur, creation, entry};
use crate::{Kernel, Mem, Queue};

/// Calls UR's entry point of a command. `$queue` becomes UR's handle; the wait list and the place for the event follow the
/// arguments.
macro_rules! submit {
    ($queue:expr, ($count:expr, $events:expr, $event:expr), $function:ident($($argument:expr),*) $(, $last:expr)?) => {{
        let queue = object::<Queue>($queue)?;
        let wait = Wait::new($count, $events)?;
        let mut made = EventHandle::default();
        let place = if $event.is_null() { ptr::null_mut() } else { &raw mut made };
        call_ur!(Enqueue.$function(
            kit::handle_of(&queue), $($argument,)* wait.count(), wait.handles(), place $(, $last)?
        ))?;
        give(made, $event)
    }};
}
pub(super) use submit;

/// Where a box begins.
///
/// # Safety
/// `three` must point to three numbers.
unsafe fn origin(three: *const usize) -> ClResult<RectOffset> {
    not_null(three, "the origin")?;
    // SAFETY: the caller vouches for it.
    let [x, y, z] = unsafe { three.cast::<[usize; 3]>().read() };
    Ok(RectOffset {
        x: x as u64,
        y: y as u64,
        z: z as u64,
    })
}

/// How large a box is.
///
/// # Safety
/// `three` must point to three numbers.
unsafe fn region(three: *const usize) -> ClResult<RectRegion> {
    not_null(three, "the region")?;
    // SAFETY: the caller vouches for it.
    let [width, height, depth] = unsafe { three.cast::<[usize; 3]>().read() };
    Ok(RectRegion {
        width: width as u64,
        height: height as u64,
        depth: depth as u64,
    })
}

entry! {
    fn clEnqueueNDRangeKernel(
        queue: cl_command_queue, kernel: cl_kernel, dimensions: cl_uint, offset: *const usize, global: *const usize,
        local: *const usize, count: cl_uint, events: *const cl_event, event: *mut cl_event,
    ) {
        let queue = object::<Queue>(queue)?;
        let kernel = object::<Kernel>(kernel)?;
        let wait = Wait::new(count, events)?;
        let mut made = EventHandle::default();
        let place = if event.is_null() { ptr::null_mut() } else { &raw mut made };
        if global.is_null() {
            return Err(CL_INVALID_GLOBAL_WORK_SIZE.into());
        }
        let launch = super::ur().legacy.pfnEnqueueKernelLaunch.expect("the kit has it");
        let (queue, kernel) = (kit::handle_of(&queue), kit::handle_of(&kernel));
        super::error::check(launch(
            queue, kernel, dimensions, offset, global, local, ptr::null(), wait.count(), wait.handles(), place,
        ))?;
        give(made, event)
    }

    fn clEnqueueTask(
        queue: cl_command_queue, kernel: cl_kernel, count: cl_uint, events: *const cl_event, event: *mut cl_event,
    ) {
        match clEnqueueNDRangeKernel(queue, kernel, 1, ptr::null(), &1, &1, count, events, event) {
            CL_SUCCESS => Ok(()),
            error => Err(error.into()),
        }
    }

    fn clEnqueueReadBuffer(
        queue: cl_command_queue, buffer: cl_mem, blocking: cl_bool, offset: usize, size: usize, to: *mut c_void,
        count: cl_uint, events: *const cl_event, event: *mut cl_event,
    ) {
        let buffer = object::<Mem>(buffer)?;
        submit!(queue, (count, events, event),
            pfnMemBufferRead(kit::handle_of(&buffer), blocking != 0, offset, size, to))
    }

    fn clEnqueueWriteBuffer(
        queue: cl_command_queue, buffer: cl_mem, blocking: cl_bool, offset: usize, size: usize, from: *const c_void,
        count: cl_uint, events: *const cl_event, event: *mut cl_event,
    ) {
        let buffer = object::<Mem>(buffer)?;
        submit!(queue, (count, events, event),
            pfnMemBufferWrite(kit::handle_of(&buffer), blocking != 0, offset, size, from))
    }

    fn clEnqueueReadBufferRect(
        queue: cl_command_queue, buffer: cl_mem, blocking: cl_bool, buffer_origin: *const usize,
        host_origin: *const usize, size: *const usize, buffer_row: usize, buffer_slice: usize, host_row: usize,
        host_slice: usize, to: *mut c_void, count: cl_uint, events: *const cl_event, event: *mut cl_event,
    ) {
        let buffer = object::<Mem>(buffer)?;
        submit!(queue, (count, events, event), pfnMemBufferReadRect(
            kit::handle_of(&buffer), blocking != 0, origin(buffer_origin)?, origin(host_origin)?, region(size)?,
            buffer_row, buffer_slice, host_row, host_slice, to
        ))
    }

    fn clEnqueueWriteBufferRect(
        queue: cl_command_queue, buffer: cl_mem, blocking: cl_bool, buffer_origin: *const usize,
        host_origin: *const usize, size: *const usize, buffer_row: usize, buffer_slice: usize, host_row: usize,
        host_slice: usize, from: *const c_void, count: cl_uint, events: *const cl_event, event: *mut cl_event,
    ) {
        let buffer = object::<Mem>(buffer)?;
        submit!(queue, (count, events, event), pfnMemBufferWriteRect(
            kit::handle_of(&buffer), blocking != 0, origin(buffer_origin)?, origin(host_origin)?, region(size)?,
            buffer_row, buffer_slice, host_row, host_slice, from.cast_mut()
        ))
    }

    fn clEnqueueCopyBuffer(
        queue: cl_command_queue, from: cl_mem, to: cl_mem, from_offset: usize, to_offset: usize, size: usize,
        count: cl_uint, events: *const cl_event, event: *mut cl_event,
    ) {
        let (from, to) = (object::<Mem>(from)?, object::<Mem>(to)?);
        submit!(queue, (count, events, event),
            pfnMemBufferCopy(kit::handle_of(&from), kit::handle_of(&to), from_offset, to_offset, size))
    }

    fn clEnqueueCopyBufferRect(
        queue: cl_command_queue, from: cl_mem, to: cl_mem, from_origin: *const usize, to_origin: *const usize,
        size: *const usize, from_row: usize, from_slice: usize, to_row: usize, to_slice: usize, count: cl_uint,
        events: *const cl_event, event: *mut cl_event,
    ) {
        let (from, to) = (object::<Mem>(from)?, object::<Mem>(to)?);
        submit!(queue, (count, events, event), pfnMemBufferCopyRect(
            kit::handle_of(&from), kit::handle_of(&to), origin(from_origin)?, origin(to_origin)?, region(size)?,
            from_row, from_slice, to_row, to_slice
        ))
    }

    fn clEnqueueFillBuffer(
        queue: cl_command_queue, buffer: cl_mem, pattern: *const c_void, pattern_size: usize, offset: usize,
        size: usize, count: cl_uint, events: *const cl_event, event: *mut cl_event,
    ) {
        let buffer = object::<Mem>(buffer)?;
        submit!(queue, (count, events, event),
            pfnMemBufferFill(kit::handle_of(&buffer), pattern, pattern_size, offset, size))
    }

    fn clEnqueueUnmapMemObject(
        queue: cl_command_queue, mem: cl_mem, mapped: *mut c_void, count: cl_uint, events: *const cl_event,
        event: *mut cl_event,
    ) {
        let mem = object::<Mem>(mem)?;
        submit!(queue, (count, events, event), pfnMemUnmap(kit::handle_of(&mem), mapped))
    }

    /// Memory objects are where they are, for all devices.
    fn clEnqueueMigrateMemObjects(
        queue: cl_command_queue, num_mems: cl_uint, mems: *const cl_mem, _flags: cl_mem_migration_flags,
        count: cl_uint, events: *const cl_event, event: *mut cl_event,
    ) {
        if num_mems == 0 {
            return Err(ClError::with_message(CL_INVALID_VALUE, "there is nothing to migrate"));
        }
        objects::<Mem>(list(num_mems as usize, mems)?)?;
        submit!(queue, (count, events, event), pfnEventsWait())
    }

    fn clEnqueueMarkerWithWaitList(
        queue: cl_command_queue, count: cl_uint, events: *const cl_event, event: *mut cl_event,
    ) {
        submit!(queue, (count, events, event), pfnEventsWait())
    }

    fn clEnqueueBarrierWithWaitList(
        queue: cl_command_queue, count: cl_uint, events: *const cl_event, event: *mut cl_event,
    ) {
        submit!(queue, (count, events, event), pfnEventsWaitWithBarrier())
    }

    fn clEnqueueMarker(queue: cl_command_queue, event: *mut cl_event) {
        not_null(event, "the place for the event")?;
        submit!(queue, (0, ptr::null(), event), pfnEventsWait())
    }

    fn clEnqueueBarrier(queue: cl_command_queue) {
        submit!(queue, (0, ptr::null(), ptr::null_mut::<cl_event>()), pfnEventsWaitWithBarrier())
    }

    fn clEnqueueWaitForEvents(queue: cl_command_queue, count: cl_uint, events: *const cl_event) {
        submit!(queue, (count, events, ptr::null_mut::<cl_event>()), pfnEventsWaitWithBarrier())
    }
}

creation! {
    fn clEnqueueMapBuffer(
        queue: cl_command_queue, buffer: cl_mem, blocking: cl_bool, flags: cl_map_flags, offset: usize, size: usize,
        count: cl_uint, events: *const cl_event, event: *mut cl_event,
    ) {
        let buffer = object::<Mem>(buffer)?;
        // UR has the bits of OpenCL.
        let flags = MapFlags::from_bits_retain(u32::try_from(flags).map_err(|_| CL_INVALID_VALUE)?);
        let mut mapped = ptr::null_mut();
        submit!(queue, (count, events, event),
            pfnMemBufferMap(kit::handle_of(&buffer), blocking != 0, flags, offset, size), &mut mapped)?;
        Ok(mapped)
    }
}
