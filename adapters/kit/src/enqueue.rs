// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! C functions of commands: one table says how parameters become a [`Command`], whether it is enqueued, captured or appended
//! to a command buffer.
//!
//! Behind the table are the functions of commands that no graph can have, and of two that are no [`Command`] because they
//! answer more than an event.

mod launch;
pub(crate) mod table;

use std::ffi::{c_char, c_void};

use oxur_api::callback::MayThrow;
use oxur_api::*;

pub(crate) use self::launch::urEnqueueKernelLaunch;
use self::launch::urEnqueueKernelLaunchWithArgsExp;
use self::table::{command_table, submit_command};
use crate::capture::{check_idle, is_active, record, unsupported_in_capture};
use crate::chain::decode;
use crate::client_call::guard_around;
use crate::command::bounds::{check_2d_pitch, check_buffer, check_byte_range, check_not_empty};
use crate::command::operands::pattern;
use crate::entry_hook::enter;
use crate::handle::{Borrowed, object, optional_object};
use crate::table::entry_points;
use crate::{
    Args, Backend, BufferRect, Command, DeviceGlobal, EventOut, HostTask, ImageRect, Launch, Objects, Queue, Subject,
    UrResult, UsmKind, WaitList, args, command_entry, entry,
};

command_table! {
    enqueue urEnqueueEventsWait(), inlined;
    { Command::Wait }

    enqueue urEnqueueEventsWaitWithBarrier(), inlined;
    { Command::barrier() }

    append urCommandBufferAppendKernelLaunchExp(
        kernel: KernelHandle, dimensions: u32, offset: *const usize, global: *const usize, local: *const usize,
        num_alternatives: u32, alternatives: *mut KernelHandle,
    );
    {
        let launch = Launch::new(kernel, dimensions, offset, global, local, Args::none())?;
        Command::Launch(launch.with_alternatives(num_alternatives, alternatives)?)
    }

    append urCommandBufferAppendKernelLaunchWithArgsExp(
        kernel: KernelHandle, dimensions: u32, offset: *const usize, global: *const usize, local: *const usize,
        num_args: u32, arguments: *const ExpKernelArgProperties, num_alternatives: u32, alternatives: *mut KernelHandle,
    ), inlined;
    {
        let args = Args::new(num_args, arguments)?;
        args.check_chains("urCommandBufferAppendKernelLaunchWithArgsExp")?;
        let launch = Launch::new(kernel, dimensions, offset, global, local, args)?;
        Command::Launch(launch.with_alternatives(num_alternatives, alternatives)?)
    }

    enqueue urEnqueueMemBufferRead(
        buffer: MemHandle, blocking: bool, offset: usize, size: usize, dst: *mut c_void,
    ) blocks if blocking;
    append urCommandBufferAppendMemBufferReadExp(
        buffer: MemHandle, offset: usize, size: usize, dst: *mut c_void,
    );
    {
        let buffer = object(buffer)?;
        args::not_null(dst)?;
        check_byte_range(offset, size)?;
        Command::BufferRead { buffer, offset, size, dst }
    }

    enqueue urEnqueueMemBufferWrite(
        buffer: MemHandle, blocking: bool, offset: usize, size: usize, src: *const c_void,
    ) blocks if blocking;
    append urCommandBufferAppendMemBufferWriteExp(
        buffer: MemHandle, offset: usize, size: usize, src: *const c_void,
    );
    {
        let buffer = object(buffer)?;
        args::not_null(src)?;
        check_byte_range(offset, size)?;
        Command::BufferWrite { buffer, offset, size, src }
    }

    enqueue urEnqueueMemBufferReadRect(
        buffer: MemHandle, blocking: bool, a_origin: RectOffset, b_origin: RectOffset, region: RectRegion,
        a_row_pitch: usize, a_slice_pitch: usize, b_row_pitch: usize, b_slice_pitch: usize, dst: *mut c_void,
    ) blocks if blocking;
    append urCommandBufferAppendMemBufferReadRectExp(
        buffer: MemHandle, a_origin: RectOffset, b_origin: RectOffset, region: RectRegion, a_row_pitch: usize,
        a_slice_pitch: usize, b_row_pitch: usize, b_slice_pitch: usize, dst: *mut c_void,
    );
    {
        let buffer = object(buffer)?;
        args::not_null(dst)?;
        let rect = BufferRect { a_origin, b_origin, region, a_row_pitch, a_slice_pitch, b_row_pitch, b_slice_pitch };
        Command::BufferReadRect { buffer, rect: rect.checked()?, dst }
    }

    enqueue urEnqueueMemBufferWriteRect(
        buffer: MemHandle, blocking: bool, a_origin: RectOffset, b_origin: RectOffset, region: RectRegion,
        a_row_pitch: usize, a_slice_pitch: usize, b_row_pitch: usize, b_slice_pitch: usize, src: *mut c_void,
    ) blocks if blocking;
    append urCommandBufferAppendMemBufferWriteRectExp(
        buffer: MemHandle, a_origin: RectOffset, b_origin: RectOffset, region: RectRegion, a_row_pitch: usize,
        a_slice_pitch: usize, b_row_pitch: usize, b_slice_pitch: usize, src: *mut c_void,
    );
    {
        let buffer = object(buffer)?;
        args::not_null(src)?;
        let rect = BufferRect { a_origin, b_origin, region, a_row_pitch, a_slice_pitch, b_row_pitch, b_slice_pitch };
        Command::BufferWriteRect { buffer, rect: rect.checked()?, src }
    }

    enqueue urEnqueueMemBufferCopy(
        src: MemHandle, dst: MemHandle, src_offset: usize, dst_offset: usize, size: usize,
    );
    append urCommandBufferAppendMemBufferCopyExp(
        src: MemHandle, dst: MemHandle, src_offset: usize, dst_offset: usize, size: usize,
    );
    {
        let (src, dst) = (object(src)?, object(dst)?);
        check_byte_range(src_offset, size)?;
        check_byte_range(dst_offset, size)?;
        Command::BufferCopy { src, dst, src_offset, dst_offset, size }
    }

    enqueue urEnqueueMemBufferCopyRect(
        src: MemHandle, dst: MemHandle, a_origin: RectOffset, b_origin: RectOffset, region: RectRegion,
        a_row_pitch: usize, a_slice_pitch: usize, b_row_pitch: usize, b_slice_pitch: usize,
    );
    append urCommandBufferAppendMemBufferCopyRectExp(
        src: MemHandle, dst: MemHandle, a_origin: RectOffset, b_origin: RectOffset, region: RectRegion,
        a_row_pitch: usize, a_slice_pitch: usize, b_row_pitch: usize, b_slice_pitch: usize,
    );
    {
        let (src, dst) = (object(src)?, object(dst)?);
        let rect = BufferRect { a_origin, b_origin, region, a_row_pitch, a_slice_pitch, b_row_pitch, b_slice_pitch };
        Command::BufferCopyRect { src, dst, rect: rect.checked()? }
    }

    enqueue urEnqueueMemBufferFill(
        buffer: MemHandle, pattern_at: *const c_void, pattern_size: usize, offset: usize, size: usize,
    );
    {
        let buffer = object(buffer)?;
        let pattern = pattern(pattern_at, pattern_size, size)?;
        check_byte_range(offset, size)?;
        if !pattern_size.is_power_of_two() {
            crate::bail!(
                ERROR_INVALID_SIZE:
                    "the pattern of a buffer's fill has a power of two as its size, not {pattern_size} bytes"
            );
        }
        if !offset.is_multiple_of(pattern_size) {
            crate::bail!(
                ERROR_INVALID_SIZE: "a fill starts at a multiple of its pattern's {pattern_size} bytes, not at {offset}"
            );
        }
        Command::BufferFill { buffer, pattern, offset, size }
    }

    append urCommandBufferAppendMemBufferFillExp(
        buffer: MemHandle, pattern_at: *const c_void, pattern_size: usize, offset: usize, size: usize,
    );
    {
        let buffer = object(buffer)?;
        let pattern = pattern(pattern_at, pattern_size, size)?;
        check_byte_range(offset, size)?;
        Command::BufferFill { buffer, pattern, offset, size }
    }

    enqueue urEnqueueMemImageRead(
        image: MemHandle, blocking: bool, origin: RectOffset, region: RectRegion, row_pitch: usize,
        slice_pitch: usize, dst: *mut c_void,
    ) blocks if blocking;
    {
        let image = object(image)?;
        args::not_null(dst)?;
        check_not_empty(region)?;
        let rect = ImageRect { origin, region, row_pitch, slice_pitch };
        Command::ImageRead { image, rect, dst }
    }

    enqueue urEnqueueMemImageWrite(
        image: MemHandle, blocking: bool, origin: RectOffset, region: RectRegion, row_pitch: usize,
        slice_pitch: usize, src: *mut c_void,
    ) blocks if blocking;
    {
        let image = object(image)?;
        args::not_null(src)?;
        check_not_empty(region)?;
        let rect = ImageRect { origin, region, row_pitch, slice_pitch };
        Command::ImageWrite { image, rect, src }
    }

    enqueue urEnqueueMemImageCopy(
        src: MemHandle, dst: MemHandle, src_origin: RectOffset, dst_origin: RectOffset, region: RectRegion,
    );
    {
        let (src, dst) = (object(src)?, object(dst)?);
        check_not_empty(region)?;
        Command::ImageCopy { src, dst, src_origin, dst_origin, region }
    }

    enqueue urEnqueueUSMFill(
        dst: *mut c_void, pattern_size: usize, pattern_at: *const c_void, size: usize,
    );
    {
        args::not_null(dst)?;
        let pattern = pattern(pattern_at, pattern_size, size)?;
        Command::UsmFill { dst, pattern, size }
    }

    append urCommandBufferAppendUSMFillExp(
        dst: *mut c_void, pattern_at: *const c_void, pattern_size: usize, size: usize,
    ) waits if size == 0, inlined;
    {
        args::not_null(dst)?;
        // SYCL's graphs have copies and fills of nothing.
        let pattern = pattern(pattern_at, pattern_size, if size == 0 { pattern_size } else { size })?;
        Command::UsmFill { dst, pattern, size }
    }

    enqueue urEnqueueUSMMemcpy(
        blocking: bool, dst: *mut c_void, src: *const c_void, size: usize,
    ) blocks if blocking, inlined;
    {
        args::not_null(dst)?;
        args::not_null(src)?;
        check_byte_range(0, size)?;
        Command::UsmMemcpy { dst, src, size }
    }

    append urCommandBufferAppendUSMMemcpyExp(
        dst: *mut c_void, src: *const c_void, size: usize,
    ) waits if size == 0, inlined;
    {
        args::not_null(dst)?;
        args::not_null(src)?;
        Command::UsmMemcpy { dst, src, size }
    }

    enqueue urEnqueueUSMPrefetch(memory: *const c_void, size: usize, flags: UsmMigrationFlags);
    append urCommandBufferAppendUSMPrefetchExp(
        memory: *const c_void, size: usize, flags: UsmMigrationFlags,
    );
    {
        args::not_null(memory)?;
        args::known_flags(flags)?;
        check_byte_range(0, size)?;
        Command::UsmPrefetch { memory, size, flags }
    }

    append urCommandBufferAppendUSMAdviseExp(
        memory: *const c_void, size: usize, advice: UsmAdviceFlags,
    );
    { advise(memory, size, advice)? }

    enqueue urEnqueueUSMFill2D(
        dst: *mut c_void, pitch: usize, pattern_size: usize, pattern_at: *const c_void, width: usize, height: usize,
    );
    {
        args::not_null(dst)?;
        let size = width.checked_mul(height).ok_or(ResultCode::ERROR_INVALID_SIZE)?;
        let pattern = pattern(pattern_at, pattern_size, size)?;
        check_2d_pitch(pitch, width, height)?;
        Command::UsmFill2D { dst, pitch, pattern, width, height }
    }

    enqueue urEnqueueUSMMemcpy2D(
        blocking: bool, dst: *mut c_void, dst_pitch: usize, src: *const c_void, src_pitch: usize, width: usize,
        height: usize,
    ) blocks if blocking;
    {
        args::not_null(dst)?;
        args::not_null(src)?;
        check_2d_pitch(dst_pitch, width, height)?;
        check_2d_pitch(src_pitch, width, height)?;
        Command::UsmMemcpy2D { dst, dst_pitch, src, src_pitch, width, height }
    }

    enqueue urEnqueueDeviceGlobalVariableWrite(
        program: ProgramHandle, name: *const c_char, blocking: bool, count: usize, offset: usize, src: *const c_void,
    ) blocks if blocking, inlined;
    {
        let global = DeviceGlobal::new(program, name, count, offset)?;
        args::not_null(src)?;
        Command::DeviceGlobalWrite { global, src }
    }

    enqueue urEnqueueDeviceGlobalVariableRead(
        program: ProgramHandle, name: *const c_char, blocking: bool, count: usize, offset: usize, dst: *mut c_void,
    ) blocks if blocking, inlined;
    {
        let global = DeviceGlobal::new(program, name, count, offset)?;
        args::not_null(dst)?;
        Command::DeviceGlobalRead { global, dst }
    }

    enqueue urEnqueueHostTaskExp(
        task: ExpHostTaskFunction, data: *mut c_void, properties: *const ExpHostTaskProperties,
    );
    {
        let function = task.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
        if let Some(properties) = properties.as_ref() {
            args::known_flags(properties.flags)?;
            decode!("urEnqueueHostTaskExp", properties.pNext)?;
        }
        Command::HostTask(HostTask { function, data })
    }
}

command_entry! {
    /// It is not in the table because the client may give a reusable event, to be signalled, in place of a new one.
    fn urEnqueueEventsWaitWithBarrierExt<B>(queue, properties: *const ExpEnqueueExtProperties; wait, event) {
        let mut flags = ExpEnqueueExtFlags::empty();
        if let Some(properties) = properties.as_ref() {
            args::known_flags(properties.flags)?;
            decode!("urEnqueueEventsWaitWithBarrierExt", properties.pNext)?;
            flags = properties.flags;
        }
    } run {
        match event.reusable() {
            Some(event) => queue.signal(&event, flags, wait),
            None => submit_command::<B>(&queue, Command::Barrier { flags }, false, wait, event),
        }
    } record {
        if event.reusable().is_some() {
            let why = "a graph has no place for reusable events: they are signalled once a call";
            return Err(unsupported_in_capture(why));
        }
        Command::Barrier { flags }
    }
}

/// The command of `urEnqueueUSMAdvise` and `urCommandBufferAppendUSMAdviseExp`.
fn advise<'a, B: Backend>(memory: *const c_void, size: usize, advice: UsmAdviceFlags) -> UrResult<Command<'a, B>> {
    args::not_null(memory)?;
    args::known_flags(advice)?;
    check_byte_range(0, size)?;
    Ok(Command::UsmAdvise { memory, size, advice })
}

entry! {
    fn urEnqueueUSMAdvise<B>(
        queue: QueueHandle, memory: *const c_void, size: usize, advice: UsmAdviceFlags, event: *mut EventHandle,
    ) {
        // It has no wait list.
        let queue = object::<B::Queue>(queue)?;
        let command = advise::<B>(memory, size, advice)?;
        command.check_usm(queue.context())?;
        if is_active::<B>(&queue) {
            let none = (0, std::ptr::null());
            return record::<B>(&queue, none, event, Ok(command.into()));
        }
        submit_command::<B>(&queue, command, false, WaitList::empty(), EventOut::new(event))
    }

    fn urEnqueueMemBufferMap<B>(
        queue: QueueHandle, buffer: MemHandle, blocking: bool, flags: MapFlags, offset: usize, size: usize,
        num_events: u32, events: *const EventHandle, event: *mut EventHandle, mapped: *mut *mut c_void,
    ) {
        let queue = object::<B::Queue>(queue)?;
        let buffer = object::<B::Mem>(buffer)?;
        args::known_flags(flags)?;
        let out = args::out(mapped)?;
        check_byte_range(offset, size)?;
        check_buffer::<B>(&buffer, queue.context(), offset + size)?;
        check_idle::<B>(&queue, "mapping a buffer")?;
        let wait = WaitList::new(num_events, events)?;
        out.write(queue.buffer_map(&buffer, blocking, flags, offset, size, wait, EventOut::new(event))?);
        Ok(())
    }

    fn urEnqueueMemUnmap<B>(
        queue: QueueHandle, mem: MemHandle, mapped: *mut c_void, num_events: u32, events: *const EventHandle,
        event: *mut EventHandle,
    ) {
        let queue = object::<B::Queue>(queue)?;
        let mem = object(mem)?;
        args::not_null(mapped)?;
        check_idle::<B>(&queue, "unmapping a memory object")?;
        let wait = WaitList::new(num_events, events)?;
        submit_command::<B>(&queue, Command::Unmap { mem, mapped }, false, wait, EventOut::new(event))
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
        let pool = optional_object(pool)?;
        args::not_null(memory)?;
        check_idle::<B>(&queue, "freeing memory in the order of a queue")?;
        let wait = WaitList::new(num_events, events)?;
        submit_command::<B>(&queue, Command::UsmFree { pool, memory }, false, wait, EventOut::new(event))
    }

    fn urEnqueueTimestampRecordingExp<B>(
        queue: QueueHandle, blocking: bool, num_events: u32, events: *const EventHandle, event: *mut EventHandle,
    ) {
        let queue = object::<B::Queue>(queue)?;
        args::not_null(event)?;
        check_idle::<B>(&queue, "a time stamp")?;
        let wait = WaitList::new(num_events, events)?;
        submit_command::<B>(&queue, Command::Timestamp, blocking, wait, EventOut::new(event))
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
                let entered = enter::<B>(|| Subject::Queue(Borrowed::reborrow(&queue)))?;
                let function = command.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
                if let Some(properties) = properties.as_ref() {
                    args::known_flags(properties.flags)?;
                    decode!("urEnqueueNativeCommandExp", properties.pNext)?;
                }
                let mems = Objects::new(mems, num_mems)?;
                check_idle::<B>(&queue, "a native command")?;
                queue.begin_native_command(mems, WaitList::new(num_events, events)?)?;
                Ok((queue, function, entered))
            }
        },
        // SAFETY: the caller vouches for the function and its data.
        |(_, function, _)| unsafe { function.may_throw()(queue, data) },
        // SAFETY: the caller vouches for the place of the event.
        |(queue, ..)| queue.end_native_command(unsafe { EventOut::new(event) }),
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
            let function = match kind {
                UsmType::DEVICE => "urEnqueueUSMDeviceAllocExp",
                UsmType::SHARED => "urEnqueueUSMSharedAllocExp",
                _ => "urEnqueueUSMHostAllocExp",
            };
            decode!(function, properties.pNext)?;
        }
        if size == 0 {
            crate::bail!(ERROR_INVALID_USM_SIZE: "an allocation has at least one byte");
        }
        check_idle::<B>(&queue, "allocating memory in the order of a queue")?;
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

oxur_api::enqueue_functions! { entry_points { host_pipe } }
oxur_api::enqueue_exp_functions! { entry_points { command_buffer graph } }
