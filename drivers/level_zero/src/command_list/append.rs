// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands on memory, events and time.

use std::ffi::c_void;

use level_zero_sys::*;
use oxur_compiler::{Fault, ThreadContext};
use oxur_device_cpu::bytes::{ByteWork, CopyBytes, CopyRows, Extent, FillBytes, Layout};
use oxur_device_cpu::exec::{Execution, Work};
use oxur_device_cpu::order::{Empty, OrderFlags};

use super::{AFTER_ALL, BARRIER, BEFORE_ALL, CommandList};
use crate::command::{Call, Events};
use crate::entry::{Error, ZeResult, entry, err};
use crate::event::now;
use crate::graph::capture;
use crate::handle::{known, object, objects_of, required, slice};
use crate::{Context, Event};

/// A pointer that a command uses on another thread.
#[derive(Clone, Copy)]
pub(super) struct Address(pub(super) usize);

/// The list and the events of an append.
///
/// # Safety
/// As [`object`] and [`Events::new`].
pub(crate) unsafe fn target<'a>(
    list: ze_command_list_handle_t,
    signal: ze_event_handle_t,
    count: u32,
    waits: *mut ze_event_handle_t,
) -> ZeResult<(&'a CommandList, Events)> {
    // SAFETY: passed on to the caller.
    unsafe {
        let list = object::<CommandList>(list)?;
        Ok((list, Events::new(&list.context, signal, count, waits)?))
    }
}

fn not_null<T>(pointer: *const T, size: usize) -> ZeResult {
    match pointer.is_null() && size != 0 {
        true => err(ZE_RESULT_ERROR_INVALID_NULL_POINTER),
        false => Ok(()),
    }
}

fn copy(list: &CommandList, events: Events, dst: *mut c_void, src: *const c_void, size: usize) -> ZeResult {
    not_null(dst, size)?;
    not_null(src, size)?;
    let (dst, src) = (dst.cast(), src.cast());
    // SAFETY: the client guarantees that its memory is accessible until the command is complete, and orders its commands.
    let work = unsafe { ByteWork::new(CopyBytes { dst, src, size }, ()) };
    list.append(work, OrderFlags::default(), events)
}

fn fill(
    list: &CommandList,
    events: Events,
    dst: *mut c_void,
    (pattern, pattern_size): (*const c_void, usize),
    size: usize,
) -> ZeResult {
    not_null(dst, size)?;
    not_null(pattern, 1)?;
    if pattern_size == 0 || !pattern_size.is_power_of_two() {
        return Err(Error::new(
            ZE_RESULT_ERROR_INVALID_SIZE,
            format!("a pattern of {pattern_size} bytes: its size is a power of two"),
        ));
    }
    if !size.is_multiple_of(pattern_size) {
        return Err(Error::new(
            ZE_RESULT_ERROR_INVALID_SIZE,
            format!("{size} bytes are no multiple of a pattern of {pattern_size} bytes"),
        ));
    }
    let dst = dst.cast();
    // SAFETY: the client passes a pattern of this size.
    let pattern = unsafe { std::slice::from_raw_parts(pattern.cast::<u8>(), pattern_size) }.into();
    // SAFETY: as in `copy`.
    let work = unsafe { ByteWork::new(FillBytes { dst, size, pattern }, ()) };
    list.append(work, OrderFlags::default(), events)
}

/// The rows of a region in memory with these pitches.
fn rows(at: *mut c_void, region: &ze_copy_region_t, row_pitch: u32, slice_pitch: u32) -> (Layout, Extent) {
    let extent = Extent {
        width: region.width as usize,
        height: region.height.max(1) as usize,
        depth: region.depth.max(1) as usize,
    };
    let row_pitch = if row_pitch == 0 {
        extent.width
    } else {
        row_pitch as usize
    };
    let slice_pitch = if slice_pitch == 0 {
        row_pitch * extent.height
    } else {
        slice_pitch as usize
    };
    let [x, y, z] = [region.originX, region.originY, region.originZ].map(|origin| origin as usize);
    let layout = Layout {
        at: at.cast::<u8>().wrapping_add(x + y * row_pitch + z * slice_pitch),
        row_pitch,
        slice_pitch,
    };
    (layout, extent)
}

/// Whether two boxes of the same memory have a byte in common. Boxes of different pitches count as apart: what they have in
/// common cannot be told without looking at each row.
fn overlap(a: &Layout, b: &Layout, extent: Extent) -> bool {
    let is_empty = extent.width == 0 || extent.height == 0 || extent.depth == 0;
    if is_empty || (a.row_pitch, a.slice_pitch) != (b.row_pitch, b.slice_pitch) {
        return false;
    }
    let distance = (a.at as usize).abs_diff(b.at as usize);
    // From the lower box to the higher one, which may begin left of it.
    let rows = |distance: usize| {
        let (row, column) = (distance / a.row_pitch, distance % a.row_pitch);
        (row < extent.height && column < extent.width)
            || (row + 1 < extent.height && column + extent.width > a.row_pitch)
    };
    let (slice, rest) = (distance / a.slice_pitch, distance % a.slice_pitch);
    (slice < extent.depth && rows(rest)) || (slice + 1 < extent.depth && rows(a.slice_pitch - rest))
}

/// A function of the client's, which may block.
struct HostFunction {
    function: unsafe extern "C" fn(*mut c_void),
    data: Address,
}

impl Work for HostFunction {
    fn execution(&self) -> Execution {
        Execution::Host
    }

    fn describe(&self) -> String {
        "a host function".to_owned()
    }

    fn run(&self, _chunks: std::ops::Range<u64>, _worker: &mut ThreadContext) -> Result<(), Fault> {
        // SAFETY: the client's function, with its own data.
        unsafe { (self.function)(self.data.0 as *mut c_void) };
        Ok(())
    }
}

entry! {
    fn zeCommandListAppendMemoryCopy(
        list: ze_command_list_handle_t,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (list, events) = unsafe { target(list, signal, count, waits) }?;
        copy(list, events, dst, src, size)
    }

    fn zeCommandListAppendMemoryCopyWithParameters(
        list: ze_command_list_handle_t,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        _next: *const c_void,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (list, events) = unsafe { target(list, signal, count, waits) }?;
        copy(list, events, dst, src, size)
    }

    fn zeCommandListAppendMemoryCopyFromContext(
        list: ze_command_list_handle_t,
        dst: *mut c_void,
        context: ze_context_handle_t,
        src: *const c_void,
        size: usize,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (list, events) = unsafe {
            object::<Context>(context)?;
            target(list, signal, count, waits)?
        };
        copy(list, events, dst, src, size)
    }

    fn zeCommandListAppendMemoryFill(
        list: ze_command_list_handle_t,
        dst: *mut c_void,
        pattern: *const c_void,
        pattern_size: usize,
        size: usize,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (list, events) = unsafe { target(list, signal, count, waits) }?;
        fill(list, events, dst, (pattern, pattern_size), size)
    }

    fn zeCommandListAppendMemoryFillWithParameters(
        list: ze_command_list_handle_t,
        dst: *mut c_void,
        pattern: *const c_void,
        pattern_size: usize,
        size: usize,
        _next: *const c_void,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (list, events) = unsafe { target(list, signal, count, waits) }?;
        fill(list, events, dst, (pattern, pattern_size), size)
    }

    fn zeCommandListAppendMemoryCopyRegion(
        list: ze_command_list_handle_t,
        dst: *mut c_void,
        dst_region: *const ze_copy_region_t,
        dst_pitch: u32,
        dst_slice_pitch: u32,
        src: *const c_void,
        src_region: *const ze_copy_region_t,
        src_pitch: u32,
        src_slice_pitch: u32,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (list, events, dst_region, src_region) = unsafe {
            let (list, events) = target(list, signal, count, waits)?;
            (list, events, required(dst_region)?, required(src_region)?)
        };
        not_null(dst, 1)?;
        not_null(src, 1)?;
        let (dst, extent) = rows(dst, dst_region, dst_pitch, dst_slice_pitch);
        let (src, other) = rows(src.cast_mut(), src_region, src_pitch, src_slice_pitch);
        if extent != other {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_SIZE,
                format!("the regions of a copy are of different sizes: {extent:?} and {other:?}"),
            ));
        }
        for side in [dst, src] {
            if side.row_pitch < extent.width || side.slice_pitch < side.row_pitch * extent.height {
                return Err(Error::new(
                    ZE_RESULT_ERROR_INVALID_SIZE,
                    format!("{extent:?} does not fit pitches of {} and {} bytes", side.row_pitch, side.slice_pitch),
                ));
            }
        }
        if overlap(&dst, &src, extent) {
            return err(ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
        }
        // SAFETY: as in `copy`.
        let work = unsafe { ByteWork::new(CopyRows { dst, src, extent }, ()) };
        list.append(work, OrderFlags::default(), events)
    }

    fn zeCommandListAppendMemoryPrefetch(list: ze_command_list_handle_t, memory: *const c_void, size: usize) {
        // All memory is where it is used.
        not_null(memory, size)?;
        // SAFETY: passed on to the caller.
        unsafe { object::<CommandList>(list) }?.append(Empty, OrderFlags::default(), Events::default())
    }

    fn zeCommandListAppendMemAdvise(
        list: ze_command_list_handle_t,
        device: ze_device_handle_t,
        memory: *const c_void,
        size: usize,
        advice: ze_memory_advice_t,
    ) {
        known(advice.0, ZE_MEMORY_ADVICE_CLEAR_SYSTEM_MEMORY_PREFERRED_LOCATION.0)?;
        // SAFETY: passed on to the caller.
        let list = unsafe {
            object::<crate::Device>(device)?;
            object::<CommandList>(list)?
        };
        not_null(memory, size)?;
        list.append(Empty, OrderFlags::default(), Events::default())
    }

    fn zeCommandListAppendBarrier(
        list: ze_command_list_handle_t,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (list, events) = unsafe { target(list, signal, count, waits) }?;
        list.append(Empty, BARRIER, events)
    }

    fn zeCommandListAppendMemoryRangesBarrier(
        list: ze_command_list_handle_t,
        ranges: u32,
        sizes: *const usize,
        starts: *mut *const c_void,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (list, events) = unsafe {
            slice(sizes, ranges)?;
            slice(starts.cast_const(), ranges)?;
            target(list, signal, count, waits)?
        };
        list.append(Empty, BARRIER, events)
    }

    fn zeCommandListAppendSignalEvent(list: ze_command_list_handle_t, event: ze_event_handle_t) {
        // SAFETY: passed on to the caller.
        let (list, events) = unsafe {
            object::<Event>(event)?;
            target(list, event, 0, std::ptr::null_mut())?
        };
        list.append(Empty, BARRIER, events)
    }

    fn zeCommandListAppendWaitOnEvents(list: ze_command_list_handle_t, count: u32, events: *mut ze_event_handle_t) {
        not_null(events, 1)?;
        // SAFETY: passed on to the caller.
        let (list, events) = unsafe { target(list, std::ptr::null_mut(), count, events) }?;
        list.append(Empty, BEFORE_ALL, events)
    }

    fn zeCommandListAppendEventReset(list: ze_command_list_handle_t, event: ze_event_handle_t) {
        // SAFETY: passed on to the caller.
        let (list, event) = unsafe { (object::<CommandList>(list)?, object::<Event>(event)?.clone()) };
        capture::reset(list, &event);
        let reset = Call {
            function: move || event.reset(),
            name: "the reset of an event",
        };
        list.append(reset, BARRIER, Events::default())
    }

    fn zeCommandListAppendWriteGlobalTimestamp(
        list: ze_command_list_handle_t,
        dst: *mut u64,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (list, events) = unsafe { target(list, signal, count, waits) }?;
        not_null(dst, 1)?;
        let dst = Address(dst as usize);
        let write = Call {
            // SAFETY: the client guarantees that the memory is accessible until the command is complete.
            function: move || unsafe { (dst.0 as *mut u64).write_unaligned(now()) },
            name: "a timestamp",
        };
        list.append(write, AFTER_ALL, events)
    }

    fn zeCommandListAppendQueryKernelTimestamps(
        list: ze_command_list_handle_t,
        event_count: u32,
        queried: *mut ze_event_handle_t,
        dst: *mut c_void,
        offsets: *const usize,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        not_null(queried, 1)?;
        // SAFETY: passed on to the caller.
        let (list, events, queried) = unsafe {
            let (list, events) = target(list, signal, count, waits)?;
            (list, events, objects_of::<Event>(queried, event_count)?)
        };
        not_null(dst, 1)?;
        let each = size_of::<ze_kernel_timestamp_result_t>();
        let places: Vec<usize> = match offsets.is_null() {
            true => (0..queried.len()).map(|index| index * each).collect(),
            // SAFETY: the client passes an offset for each event.
            false => unsafe { slice(offsets, event_count) }?.to_vec(),
        };
        let dst = Address(dst as usize);
        let write = Call {
            function: move || {
                for (event, place) in queried.iter().zip(&places) {
                    let to = (dst.0 + place) as *mut ze_kernel_timestamp_result_t;
                    // SAFETY: the client guarantees that the memory is accessible until the command is complete.
                    unsafe { to.write_unaligned(event.timestamps()) };
                }
            },
            name: "a query of timestamps",
        };
        list.append(write, AFTER_ALL, events)
    }

    fn zeCommandListAppendHostFunction(
        list: ze_command_list_handle_t,
        function: ze_host_function_callback_t,
        data: *mut c_void,
        _next: *const c_void,
        signal: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let (list, events) = unsafe { target(list, signal, count, waits) }?;
        let Some(function) = function else {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        };
        let data = Address(data as usize);
        list.append(HostFunction { function, data }, OrderFlags::default(), events)
    }
}
