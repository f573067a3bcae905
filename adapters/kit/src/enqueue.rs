// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Entry points of the commands of a queue. The methods that they call are those of [`Queue`].

mod launch;
mod parameters;

use std::ffi::{c_char, c_void};

use oxur_api::callback::MayThrow;
use oxur_api::*;

pub(crate) use self::launch::urEnqueueKernelLaunch;
use self::launch::urEnqueueKernelLaunchWithArgsExp;
pub use self::parameters::{BufferRect, DeviceGlobal, HostTask, Launch, LaunchProperties, Range};
use self::parameters::{device_global, not_empty, rows, rows_inside};
pub(crate) use self::parameters::{inside, pattern, span};
use crate::capture::{Recorded, impossible, later, record};
use crate::client_call::guard_around;
use crate::command_buffer::urEnqueueCommandBufferExp;
use crate::command_buffer::{Address, KeptGlobal, Operation};
use crate::graph::urEnqueueGraphExp;
use crate::handle::{object, optional_object};
use crate::table::entry_points;
use crate::{Backend, EventOut, Queue, UrError, UrResult, UsmKind, WaitList, args, command, entry};

command! {
    fn urEnqueueEventsWait<B>(queue; wait, event) {
    } run { queue.wait(wait, event) } record { Recorded::Wait }

    fn urEnqueueEventsWaitWithBarrier<B>(queue; wait, event) {
    } run { queue.barrier(wait, event) } record { Recorded::Barrier }

    fn urEnqueueEventsWaitWithBarrierExt<B>(queue, properties: *const ExpEnqueueExtProperties; wait, event) {
        if let Some(properties) = properties.as_ref() {
            args::known_flags(properties.flags)?;
        }
    } run {
        match event.reusable() {
            Some(event) => queue.signal(&event, wait),
            None => queue.barrier(wait, event),
        }
    } record {
        if event.reusable().is_some() {
            return Err(impossible("a graph has no place for reusable events: they are signalled once a call"));
        }
        Recorded::Barrier
    }

    fn urEnqueueMemBufferRead<B>(
        queue, buffer: MemHandle, blocking: bool, offset: usize, size: usize, dst: *mut c_void; wait, event
    ) {
        let buffer = object::<B::Mem>(buffer)?;
        args::not_null(dst)?;
        span(offset, size)?;
    } run {
        queue.buffer_read(&buffer, blocking, offset, size, dst, wait, event)
    } record {
        later(blocking)?;
        Operation::BufferRead { buffer: buffer.clone(), offset, size, dst: Address(dst) }
    }

    fn urEnqueueMemBufferWrite<B>(
        queue, buffer: MemHandle, blocking: bool, offset: usize, size: usize, src: *const c_void; wait, event
    ) {
        let buffer = object::<B::Mem>(buffer)?;
        args::not_null(src)?;
        span(offset, size)?;
    } run {
        queue.buffer_write(&buffer, blocking, offset, size, src, wait, event)
    } record {
        later(blocking)?;
        Operation::BufferWrite { buffer: buffer.clone(), offset, size, src: Address::new(src) }
    }

    fn urEnqueueMemBufferReadRect<B>(
        queue, buffer: MemHandle, blocking: bool, a_origin: RectOffset, b_origin: RectOffset, region: RectRegion,
        a_row_pitch: usize, a_slice_pitch: usize, b_row_pitch: usize, b_slice_pitch: usize, dst: *mut c_void; wait, event
    ) {
        let buffer = object::<B::Mem>(buffer)?;
        args::not_null(dst)?;
        let rect = BufferRect { a_origin, b_origin, region, a_row_pitch, a_slice_pitch, b_row_pitch, b_slice_pitch };
        let rect = rect.checked()?;
    } run {
        queue.buffer_read_rect(&buffer, blocking, &rect, dst, wait, event)
    } record {
        later(blocking)?;
        Operation::BufferReadRect { buffer: buffer.clone(), rect, dst: Address(dst) }
    }

    fn urEnqueueMemBufferWriteRect<B>(
        queue, buffer: MemHandle, blocking: bool, a_origin: RectOffset, b_origin: RectOffset, region: RectRegion,
        a_row_pitch: usize, a_slice_pitch: usize, b_row_pitch: usize, b_slice_pitch: usize, src: *mut c_void; wait, event
    ) {
        let buffer = object::<B::Mem>(buffer)?;
        args::not_null(src)?;
        let rect = BufferRect { a_origin, b_origin, region, a_row_pitch, a_slice_pitch, b_row_pitch, b_slice_pitch };
        let rect = rect.checked()?;
    } run {
        queue.buffer_write_rect(&buffer, blocking, &rect, src, wait, event)
    } record {
        later(blocking)?;
        Operation::BufferWriteRect { buffer: buffer.clone(), rect, src: Address(src) }
    }

    fn urEnqueueMemBufferCopy<B>(
        queue, src: MemHandle, dst: MemHandle, src_offset: usize, dst_offset: usize, size: usize; wait, event
    ) {
        let src = object::<B::Mem>(src)?;
        let dst = object::<B::Mem>(dst)?;
        span(src_offset, size)?;
        span(dst_offset, size)?;
    } run {
        queue.buffer_copy(&src, &dst, src_offset, dst_offset, size, wait, event)
    } record {
        Operation::BufferCopy { src: src.clone(), dst: dst.clone(), src_offset, dst_offset, size }
    }

    fn urEnqueueMemBufferCopyRect<B>(
        queue, src: MemHandle, dst: MemHandle, a_origin: RectOffset, b_origin: RectOffset, region: RectRegion,
        a_row_pitch: usize, a_slice_pitch: usize, b_row_pitch: usize, b_slice_pitch: usize; wait, event
    ) {
        let src = object::<B::Mem>(src)?;
        let dst = object::<B::Mem>(dst)?;
        let rect = BufferRect { a_origin, b_origin, region, a_row_pitch, a_slice_pitch, b_row_pitch, b_slice_pitch };
        let rect = rect.checked()?;
    } run {
        queue.buffer_copy_rect(&src, &dst, &rect, wait, event)
    } record {
        Operation::BufferCopyRect { src: src.clone(), dst: dst.clone(), rect }
    }

    fn urEnqueueMemBufferFill<B>(
        queue, buffer: MemHandle, pattern_at: *const c_void, pattern_size: usize, offset: usize, size: usize; wait, event
    ) {
        let buffer = object::<B::Mem>(buffer)?;
        let pattern = pattern(pattern_at, pattern_size, size)?;
        span(offset, size)?;
        if !pattern_size.is_power_of_two() {
            return Err(UrError::said(
                ResultCode::ERROR_INVALID_SIZE,
                format!("the pattern of a buffer's fill has a power of two as its size, not {pattern_size} bytes"),
            ));
        }
        if !offset.is_multiple_of(pattern_size) {
            return Err(UrError::said(
                ResultCode::ERROR_INVALID_SIZE,
                format!("a fill starts at a multiple of its pattern's {pattern_size} bytes, not at {offset}"),
            ));
        }
    } run {
        queue.buffer_fill(&buffer, pattern, offset, size, wait, event)
    } record {
        Operation::BufferFill { buffer: buffer.clone(), pattern: pattern.into(), offset, size }
    }

    fn urEnqueueMemImageRead<B>(
        queue, image: MemHandle, blocking: bool, origin: RectOffset, region: RectRegion, row_pitch: usize,
        slice_pitch: usize, dst: *mut c_void; wait, event
    ) {
        let image = object::<B::Mem>(image)?;
        args::not_null(dst)?;
        not_empty(region)?;
    } run {
        queue.image_read(&image, blocking, origin, region, row_pitch, slice_pitch, dst, wait, event)
    } record {
        later(blocking)?;
        let (image, dst) = (image.clone(), Address(dst));
        Operation::ImageRead { image, origin, region, row_pitch, slice_pitch, dst }
    }

    fn urEnqueueMemImageWrite<B>(
        queue, image: MemHandle, blocking: bool, origin: RectOffset, region: RectRegion, row_pitch: usize,
        slice_pitch: usize, src: *mut c_void; wait, event
    ) {
        let image = object::<B::Mem>(image)?;
        args::not_null(src)?;
        not_empty(region)?;
    } run {
        queue.image_write(&image, blocking, origin, region, row_pitch, slice_pitch, src, wait, event)
    } record {
        later(blocking)?;
        let (image, src) = (image.clone(), Address(src));
        Operation::ImageWrite { image, origin, region, row_pitch, slice_pitch, src }
    }

    fn urEnqueueMemImageCopy<B>(
        queue, src: MemHandle, dst: MemHandle, src_origin: RectOffset, dst_origin: RectOffset, region: RectRegion;
        wait, event
    ) {
        let src = object::<B::Mem>(src)?;
        let dst = object::<B::Mem>(dst)?;
        not_empty(region)?;
    } run {
        queue.image_copy(&src, &dst, src_origin, dst_origin, region, wait, event)
    } record {
        Operation::ImageCopy { src: src.clone(), dst: dst.clone(), src_origin, dst_origin, region }
    }

    fn urEnqueueUSMFill<B>(
        queue, dst: *mut c_void, pattern_size: usize, pattern_at: *const c_void, size: usize; wait, event
    ) {
        args::not_null(dst)?;
        let pattern = pattern(pattern_at, pattern_size, size)?;
    } run {
        queue.usm_fill(dst, pattern, size, wait, event)
    } record {
        Operation::UsmFill { dst: Address(dst), pattern: pattern.into(), size }
    }

    fn urEnqueueUSMMemcpy<B>(
        queue, blocking: bool, dst: *mut c_void, src: *const c_void, size: usize; wait, event
    ) {
        args::not_null(dst)?;
        args::not_null(src)?;
        span(0, size)?;
    } run {
        queue.usm_memcpy(blocking, dst, src, size, wait, event)
    } record {
        later(blocking)?;
        Operation::UsmMemcpy { dst: Address(dst), src: Address::new(src), size }
    }

    fn urEnqueueUSMPrefetch<B>(queue, memory: *const c_void, size: usize, flags: UsmMigrationFlags; wait, event) {
        args::not_null(memory)?;
        args::known_flags(flags)?;
        span(0, size)?;
        inside::<B>(queue.context(), memory, size)?;
    } run {
        queue.usm_prefetch(memory, size, flags, wait, event)
    } record {
        Operation::UsmPrefetch { memory: Address::new(memory), size, flags }
    }

    fn urEnqueueUSMFill2D<B>(
        queue, dst: *mut c_void, pitch: usize, pattern_size: usize, pattern_at: *const c_void, width: usize,
        height: usize; wait, event
    ) {
        args::not_null(dst)?;
        let size = width.checked_mul(height).ok_or(ResultCode::ERROR_INVALID_SIZE)?;
        let pattern = pattern(pattern_at, pattern_size, size)?;
        rows(pitch, width, height)?;
        rows_inside::<B>(queue.context(), dst, pitch, width, height)?;
    } run {
        queue.usm_fill_2d(dst, pitch, pattern, width, height, wait, event)
    } record {
        Operation::UsmFill2D { dst: Address(dst), pitch, pattern: pattern.into(), width, height }
    }

    fn urEnqueueUSMMemcpy2D<B>(
        queue, blocking: bool, dst: *mut c_void, dst_pitch: usize, src: *const c_void, src_pitch: usize, width: usize,
        height: usize; wait, event
    ) {
        args::not_null(dst)?;
        args::not_null(src)?;
        rows(dst_pitch, width, height)?;
        rows(src_pitch, width, height)?;
        rows_inside::<B>(queue.context(), dst, dst_pitch, width, height)?;
        rows_inside::<B>(queue.context(), src, src_pitch, width, height)?;
    } run {
        queue.usm_memcpy_2d(blocking, dst, dst_pitch, src, src_pitch, width, height, wait, event)
    } record {
        later(blocking)?;
        let (dst, src) = (Address(dst), Address::new(src));
        Operation::UsmMemcpy2D { dst, dst_pitch, src, src_pitch, width, height }
    }

    fn urEnqueueDeviceGlobalVariableWrite<B>(
        queue, program: ProgramHandle, name: *const c_char, blocking: bool, count: usize, offset: usize,
        src: *const c_void; wait, event
    ) {
        let program = object::<B::Program>(program)?;
        let global = device_global::<B>(&program, name, count, offset)?;
        args::not_null(src)?;
    } run {
        queue.device_global_write(global, blocking, src, wait, event)
    } record {
        later(blocking)?;
        Operation::DeviceGlobalWrite { global: KeptGlobal::new(&global), src: Address::new(src) }
    }

    fn urEnqueueDeviceGlobalVariableRead<B>(
        queue, program: ProgramHandle, name: *const c_char, blocking: bool, count: usize, offset: usize,
        dst: *mut c_void; wait, event
    ) {
        let program = object::<B::Program>(program)?;
        let global = device_global::<B>(&program, name, count, offset)?;
        args::not_null(dst)?;
    } run {
        queue.device_global_read(global, blocking, dst, wait, event)
    } record {
        later(blocking)?;
        Operation::DeviceGlobalRead { global: KeptGlobal::new(&global), dst: Address(dst) }
    }

    fn urEnqueueHostTaskExp<B>(
        queue, task: ExpHostTaskFunction, data: *mut c_void, properties: *const ExpHostTaskProperties; wait, event
    ) {
        let function = task.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
        if let Some(properties) = properties.as_ref() {
            args::known_flags(properties.flags)?;
        }
        let task = HostTask { function, data };
    } run { queue.host_task(task, wait, event) } record { Operation::HostTask(task) }
}

entry! {
    fn urEnqueueUSMAdvise<B>(
        queue: QueueHandle, memory: *const c_void, size: usize, advice: UsmAdviceFlags, event: *mut EventHandle,
    ) {
        let queue = object::<B::Queue>(queue)?;
        args::not_null(memory)?;
        args::known_flags(advice)?;
        span(0, size)?;
        inside::<B>(queue.context(), memory, size)?;
        if queue.capture().is_active() {
            let none = (0, std::ptr::null());
            let memory = Address::new(memory);
            return record::<B, _>(&queue, none, event, || Ok(Operation::UsmAdvise { memory, size, advice }.into()));
        }
        queue.usm_advise(memory, size, advice, EventOut::new(event))
    }

    fn urEnqueueMemBufferMap<B>(
        queue: QueueHandle, buffer: MemHandle, blocking: bool, flags: MapFlags, offset: usize, size: usize,
        num_events: u32, events: *const EventHandle, event: *mut EventHandle, mapped: *mut *mut c_void,
    ) {
        let queue = object::<B::Queue>(queue)?;
        let buffer = object::<B::Mem>(buffer)?;
        args::known_flags(flags)?;
        let out = args::out(mapped)?;
        span(offset, size)?;
        queue.capture().check_idle("mapping a buffer")?;
        let wait = WaitList::new(num_events, events)?;
        out.write(queue.buffer_map(&buffer, blocking, flags, offset, size, wait, EventOut::new(event))?);
        Ok(())
    }

    fn urEnqueueMemUnmap<B>(
        queue: QueueHandle, mem: MemHandle, mapped: *mut c_void, num_events: u32, events: *const EventHandle,
        event: *mut EventHandle,
    ) {
        let queue = object::<B::Queue>(queue)?;
        let mem = object::<B::Mem>(mem)?;
        args::not_null(mapped)?;
        queue.capture().check_idle("unmapping a memory object")?;
        queue.unmap(&mem, mapped, WaitList::new(num_events, events)?, EventOut::new(event))
    }

    fn urEnqueueUSMDeviceAllocExp<B>(
        queue: QueueHandle, pool: UsmPoolHandle, size: usize, properties: *const ExpAsyncUsmAllocProperties,
        num_events: u32, events: *const EventHandle, memory: *mut *mut c_void, event: *mut EventHandle,
    ) {
        async_alloc::<B>(queue, UsmType::DEVICE, pool, size, properties, num_events, events, memory, event)
    }

    fn urEnqueueUSMSharedAllocExp<B>(
        queue: QueueHandle, pool: UsmPoolHandle, size: usize, properties: *const ExpAsyncUsmAllocProperties,
        num_events: u32, events: *const EventHandle, memory: *mut *mut c_void, event: *mut EventHandle,
    ) {
        async_alloc::<B>(queue, UsmType::SHARED, pool, size, properties, num_events, events, memory, event)
    }

    fn urEnqueueUSMHostAllocExp<B>(
        queue: QueueHandle, pool: UsmPoolHandle, size: usize, properties: *const ExpAsyncUsmAllocProperties,
        num_events: u32, events: *const EventHandle, memory: *mut *mut c_void, event: *mut EventHandle,
    ) {
        async_alloc::<B>(queue, UsmType::HOST, pool, size, properties, num_events, events, memory, event)
    }

    fn urEnqueueUSMFreeExp<B>(
        queue: QueueHandle, pool: UsmPoolHandle, memory: *mut c_void, num_events: u32, events: *const EventHandle,
        event: *mut EventHandle,
    ) {
        let queue = object::<B::Queue>(queue)?;
        let pool = optional_object::<B::UsmPool>(pool)?;
        args::not_null(memory)?;
        queue.capture().check_idle("freeing memory in the order of a queue")?;
        queue.usm_free(pool.as_deref(), memory, WaitList::new(num_events, events)?, EventOut::new(event))
    }

    fn urEnqueueTimestampRecordingExp<B>(
        queue: QueueHandle, blocking: bool, num_events: u32, events: *const EventHandle, event: *mut EventHandle,
    ) {
        let queue = object::<B::Queue>(queue)?;
        args::not_null(event)?;
        queue.capture().check_idle("a time stamp")?;
        queue.record_timestamp(blocking, WaitList::new(num_events, events)?, EventOut::new(event))
    }
}

/// Calls the client's function, which submits work to the native queue and may throw.
///
/// # Safety
/// As `urEnqueueNativeCommandExp`.
#[allow(non_snake_case, clippy::too_many_arguments, reason = "the C ABI decides")]
unsafe extern "C-unwind" fn urEnqueueNativeCommandExp<B: Backend>(
    queue: QueueHandle,
    command: ExpEnqueueNativeCommandFunction,
    data: *mut c_void,
    num_mems: u32,
    mems: *const MemHandle,
    properties: *const ExpEnqueueNativeCommandProperties,
    num_events: u32,
    events: *const EventHandle,
    event: *mut EventHandle,
) -> ResultCode {
    guard_around(
        "urEnqueueNativeCommandExp",
        || {
            // SAFETY: the caller vouches for handles and pointers, as in `entry`.
            unsafe {
                let queue = object::<B::Queue>(queue)?;
                let function = command.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
                if let Some(properties) = properties.as_ref() {
                    args::known_flags(properties.flags)?;
                }
                let mems = args::objects::<B::Mem>(mems, num_mems)?;
                queue.capture().check_idle("a native command")?;
                queue.begin_native_command(&mems, WaitList::new(num_events, events)?)?;
                Ok((queue, function))
            }
        },
        // SAFETY: the caller vouches for the function and its data.
        |(_, function)| unsafe { function.may_throw()(queue, data) },
        // SAFETY: the caller vouches for the place of the event.
        |(queue, _)| queue.end_native_command(unsafe { EventOut::new(event) }),
    )
}

/// # Safety
/// As `urEnqueueUSM*AllocExp`.
#[allow(clippy::too_many_arguments, reason = "the C ABI decides")]
unsafe fn async_alloc<B: Backend>(
    queue: QueueHandle,
    kind: UsmType,
    pool: UsmPoolHandle,
    size: usize,
    properties: *const ExpAsyncUsmAllocProperties,
    num_events: u32,
    events: *const EventHandle,
    memory: *mut *mut c_void,
    event: *mut EventHandle,
) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    unsafe {
        let queue = object::<B::Queue>(queue)?;
        let pool = optional_object::<B::UsmPool>(pool)?;
        let out = args::out(memory)?;
        if let Some(properties) = properties.as_ref() {
            args::known_flags(properties.flags)?;
        }
        if size == 0 {
            return Err(UrError::said(
                ResultCode::ERROR_INVALID_USM_SIZE,
                "an allocation has at least one byte",
            ));
        }
        queue
            .capture()
            .check_idle("allocating memory in the order of a queue")?;
        let device = queue.device().clone();
        let kind = match kind {
            UsmType::DEVICE => UsmKind::Device(&device),
            UsmType::SHARED => UsmKind::Shared(&device),
            _ => UsmKind::Host,
        };
        let wait = WaitList::new(num_events, events)?;
        out.write(queue.usm_alloc(kind, pool.as_deref(), size, wait, EventOut::new(event))?);
        Ok(())
    }
}

oxur_api::enqueue_functions! { entry_points {} }
oxur_api::enqueue_exp_functions! { entry_points {} }
