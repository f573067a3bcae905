// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Entry points of the commands of a queue, and the structures that their parameters become. The methods that they
//! call are those of [`Queue`].

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use oxur_api::*;

use crate::capture::{Recorded, later, record};
use crate::command_buffer::{Address, KeptGlobal, Operation};
use crate::handle::{object, optional_object};
use crate::{Args, Backend, EventOut, Queue, UrError, UrResult, UsmKind, WaitList, args, command, entry};

/// The index space of a launch: one to three dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Range<'a> {
    /// First global id of each dimension, if it is not zero in all.
    pub offset: Option<&'a [usize]>,
    /// Number of work-items in each dimension. The specification has no launch of zero work-items, but clients make
    /// them, and the reference passes them to the driver.
    pub global: &'a [usize],
    /// Number of work-items of a work-group in each dimension; `None` lets the adapter choose.
    pub local: Option<&'a [usize]>,
}

impl Range<'_> {
    /// Takes `workDim` and the three arrays of that length.
    ///
    /// # Safety
    /// The pointers, unless null, must point to `dimensions` numbers each that stay valid while the range is used.
    #[inline(always)]
    pub(crate) unsafe fn new(
        dimensions: u32,
        offset: *const usize,
        global: *const usize,
        local: *const usize,
    ) -> UrResult<Self> {
        let dimensions = Self::dimensions(dimensions)?;
        // SAFETY: passed on to the caller.
        let array = |p: *const usize| (!p.is_null()).then(|| unsafe { std::slice::from_raw_parts(p, dimensions) });
        let range = Self {
            offset: array(offset),
            global: array(global).ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?,
            local: array(local),
        };
        match range.local {
            // Not `contains`: there are three at most, and that is made for many.
            Some(local) if (0..3).any(|d| local.get(d) == Some(&0)) => Err(no_group(local)),
            _ => Ok(range),
        }
    }

    /// Checks `workDim`.
    #[inline]
    pub(crate) fn dimensions(count: u32) -> UrResult<usize> {
        match count {
            1..=3 => Ok(count as usize),
            _ => Err(no_dimensions(count)),
        }
    }
}

#[cold]
fn no_dimensions(count: u32) -> UrError {
    UrError::said(
        ResultCode::ERROR_INVALID_WORK_DIMENSION,
        format!("a range has one to three dimensions, not {count}"),
    )
}

#[cold]
fn no_group(local: &[usize]) -> UrError {
    UrError::said(
        ResultCode::ERROR_INVALID_WORK_GROUP_SIZE,
        format!("a work-group has at least one work-item in each dimension, not {local:?}"),
    )
}

/// A launch of a kernel.
pub struct Launch<'a, B> {
    /// Its index space.
    pub range: Range<'a>,
    /// Its arguments; none for a launch that uses those set before.
    pub args: Args<'a, B>,
    /// What else it asks for.
    pub properties: LaunchProperties,
}

/// Properties of a launch.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaunchProperties {
    /// Flags.
    pub flags: KernelLaunchFlags,
    /// Work-groups in a cluster, in each dimension.
    pub cluster: Option<[u32; 3]>,
    /// Local memory, in bytes, beside that of the arguments.
    pub work_group_memory: usize,
}

impl<'a, B: Backend> Launch<'a, B> {
    /// Takes the parameters of a launch.
    ///
    /// # Safety
    /// The pointers must be as the C function demands.
    #[inline(always)]
    pub(crate) unsafe fn new(
        dimensions: u32,
        offset: *const usize,
        global: *const usize,
        local: *const usize,
        args: Args<'a, B>,
        properties: *const KernelLaunchExtProperties,
    ) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        unsafe {
            Ok(Self {
                properties: if properties.is_null() {
                    LaunchProperties::default()
                } else {
                    LaunchProperties::new(properties)?
                },
                range: Range::new(dimensions, offset, global, local)?,
                args,
            })
        }
    }
}

impl LaunchProperties {
    /// Takes a chain of properties.
    ///
    /// # Safety
    /// As [`args::chain`].
    #[inline(never)]
    unsafe fn new(properties: *const KernelLaunchExtProperties) -> UrResult<Self> {
        let mut found = Self::default();
        // SAFETY: passed on to the caller; the tag says which structure it is.
        unsafe {
            for (stype, at) in args::chain(properties.cast()) {
                match stype {
                    StructureType::KERNEL_LAUNCH_EXT_PROPERTIES => {
                        found.flags = (*at.cast::<KernelLaunchExtProperties>()).flags;
                        args::known_flags(found.flags)?;
                    }
                    StructureType::KERNEL_LAUNCH_CLUSTER_PROPERTY => {
                        found.cluster = Some((*at.cast::<KernelLaunchClusterProperty>()).clusterDim);
                    }
                    StructureType::KERNEL_LAUNCH_WORKGROUP_PROPERTY => {
                        found.work_group_memory = (*at.cast::<KernelLaunchWorkgroupProperty>()).workgroup_mem_size;
                    }
                    other => log::debug!("a launch property of type {other:?} is ignored"),
                }
            }
        }
        Ok(found)
    }
}

/// A box in two pieces of memory `a` and `b`. Pitches of zero mean that rows and slices follow each other without gaps.
#[derive(Clone, Copy, Debug)]
pub struct BufferRect {
    /// Corner in `a`: bytes, rows, slices.
    pub a_origin: RectOffset,
    /// Corner in `b`: bytes, rows, slices.
    pub b_origin: RectOffset,
    /// Size: bytes, rows, slices.
    pub region: RectRegion,
    /// Bytes from row to row in `a`.
    pub a_row_pitch: usize,
    /// Bytes from slice to slice in `a`.
    pub a_slice_pitch: usize,
    /// Bytes from row to row in `b`.
    pub b_row_pitch: usize,
    /// Bytes from slice to slice in `b`.
    pub b_slice_pitch: usize,
}

impl BufferRect {
    /// The rules that hold for every box, whatever the sizes of the memory.
    pub(crate) fn checked(self) -> UrResult<Self> {
        let (width, height, depth) = (
            self.region.width as usize,
            self.region.height as usize,
            self.region.depth as usize,
        );
        let bad = |what: String| Err(UrError::said(ResultCode::ERROR_INVALID_SIZE, what));
        if width == 0 || height == 0 || depth == 0 {
            return bad(format!("a box has no side of zero, as {:?} has", self.region));
        }
        for (row, slice) in [
            (self.a_row_pitch, self.a_slice_pitch),
            (self.b_row_pitch, self.b_slice_pitch),
        ] {
            if row != 0 && row < width {
                return bad(format!("rows of {width} bytes cannot be {row} bytes apart"));
            }
            let row = if row == 0 { width } else { row };
            let Some(least) = row.checked_mul(height) else {
                return bad("the box is too large".to_owned());
            };
            if slice != 0 && slice < least {
                return bad(format!("slices of {height} rows cannot be {slice} bytes apart"));
            }
        }
        Ok(self)
    }

    /// The byte behind the box in `a`.
    pub fn a_end(&self) -> UrResult<usize> {
        self.end(self.a_origin, self.a_row_pitch, self.a_slice_pitch)
    }

    /// The byte behind the box in `b`.
    pub fn b_end(&self) -> UrResult<usize> {
        self.end(self.b_origin, self.b_row_pitch, self.b_slice_pitch)
    }

    fn end(&self, origin: RectOffset, row_pitch: usize, slice_pitch: usize) -> UrResult<usize> {
        let (width, height, depth) = (
            self.region.width as usize,
            self.region.height as usize,
            self.region.depth as usize,
        );
        let row_pitch = if row_pitch == 0 { width } else { row_pitch };
        let end = || {
            let slice_pitch = if slice_pitch == 0 {
                row_pitch.checked_mul(height)?
            } else {
                slice_pitch
            };
            let slices = (origin.z as usize).checked_add(depth - 1)?.checked_mul(slice_pitch)?;
            let rows = (origin.y as usize).checked_add(height - 1)?.checked_mul(row_pitch)?;
            slices
                .checked_add(rows)?
                .checked_add(origin.x as usize)?
                .checked_add(width)
        };
        end().ok_or_else(|| UrError::said(ResultCode::ERROR_INVALID_SIZE, format!("{self:?} overflows")))
    }
}

/// A part of a device global.
pub struct DeviceGlobal<'a, B: Backend> {
    /// The program that has it.
    pub program: &'a Arc<B::Program>,
    /// Its unique id or linkage name.
    pub name: &'a CStr,
    /// Bytes from its start.
    pub offset: usize,
    /// Bytes.
    pub count: usize,
}

/// A function of the client's that a queue calls in its turn.
#[derive(Clone, Copy)]
pub struct HostTask {
    function: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
}

// SAFETY: the client's pointer is only given back to the client's function, which the specification allows to be called from any
// thread.
unsafe impl Send for HostTask {}
// SAFETY: as above.
unsafe impl Sync for HostTask {}

impl HostTask {
    /// Calls it.
    pub fn call(self) {
        // SAFETY: the client vouched, when it enqueued the task, that the function may be called with this pointer: once, or
        // in every run of a graph that the task is in.
        unsafe { (self.function)(self.data) };
    }
}

/// A function of the client's that submits native work.
pub struct NativeCommand {
    function: unsafe extern "C" fn(QueueHandle, *mut c_void),
    data: *mut c_void,
}

impl NativeCommand {
    /// Calls it with the queue that it may submit to.
    pub fn call(self, queue: QueueHandle) {
        // SAFETY: the client vouched, when it enqueued the command, that the function may be called once with this pointer.
        unsafe { (self.function)(queue, self.data) };
    }
}

/// Checks a range of bytes against overflow and emptiness.
pub(crate) fn span(offset: usize, size: usize) -> UrResult<()> {
    if size == 0 {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_SIZE,
            "there is nothing to do for zero bytes",
        ));
    }
    if offset.checked_add(size).is_none() {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_SIZE,
            format!("offset {offset} + size {size} overflows"),
        ));
    }
    Ok(())
}

/// Takes the pattern of a fill of `size` bytes.
///
/// # Safety
/// `pattern`, unless null, must point to `pattern_size` bytes that stay valid for `'a`.
pub(crate) unsafe fn pattern<'a>(pattern: *const c_void, pattern_size: usize, size: usize) -> UrResult<&'a [u8]> {
    args::not_null(pattern)?;
    if pattern_size == 0 || size == 0 || !size.is_multiple_of(pattern_size) {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_SIZE,
            format!("a fill of {size} bytes is no whole number of patterns of {pattern_size} bytes"),
        ));
    }
    // SAFETY: passed on to the caller.
    unsafe { args::slice(pattern.cast(), pattern_size) }
}

/// Takes the part of a device global that a command names.
///
/// # Safety
/// As the C functions.
unsafe fn device_global<'a, B: Backend>(
    program: &'a Arc<B::Program>,
    name: *const c_char,
    count: usize,
    offset: usize,
) -> UrResult<DeviceGlobal<'a, B>> {
    // SAFETY: passed on to the caller.
    let name = unsafe { args::c_str(name) }?;
    if offset.checked_add(count).is_none() {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_VALUE,
            format!("offset {offset} + count {count} overflows"),
        ));
    }
    Ok(DeviceGlobal {
        program,
        name,
        offset,
        count,
    })
}

command! {
    fn urEnqueueKernelLaunchWithArgsExp<B>(
        queue, kernel: KernelHandle, dimensions: u32, offset: *const usize, global: *const usize, local: *const usize,
        num_args: u32, arguments: *const ExpKernelArgProperties, properties: *const KernelLaunchExtProperties; wait, event
    ) {
        let kernel = object::<B::Kernel>(kernel)?;
        let arguments = Args::new(num_args, arguments)?;
        let launch = Launch::new(dimensions, offset, global, local, arguments, properties)?;
    } run { queue.launch(&kernel, launch, wait, event) } record { Operation::<B>::launch(&kernel, &launch, Vec::new())? }

    fn urEnqueueEventsWait<B>(queue; wait, event) {
    } run { queue.wait(wait, event) } record { Recorded::Wait }

    fn urEnqueueEventsWaitWithBarrier<B>(queue; wait, event) {
    } run { queue.barrier(wait, event) } record { Recorded::Barrier }

    fn urEnqueueEventsWaitWithBarrierExt<B>(queue, properties: *const ExpEnqueueExtProperties; wait, event) {
        if let Some(properties) = properties.as_ref() {
            args::known_flags(properties.flags)?;
        }
    } run { queue.barrier(wait, event) } record { Recorded::Barrier }

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
        queue, task: ExpHostTaskFunction, data: *mut c_void, _properties: *const ExpHostTaskProperties; wait, event
    ) {
        let function = task.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
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

    fn urEnqueueNativeCommandExp<B>(
        queue: QueueHandle, command: ExpEnqueueNativeCommandFunction, data: *mut c_void, num_mems: u32,
        mems: *const MemHandle, _properties: *const ExpEnqueueNativeCommandProperties, num_events: u32,
        events: *const EventHandle, event: *mut EventHandle,
    ) {
        let queue = object::<B::Queue>(queue)?;
        let function = command.ok_or(ResultCode::ERROR_INVALID_NULL_POINTER)?;
        let mems = args::objects::<B::Mem>(mems, num_mems)?;
        queue.capture().check_idle("a native command")?;
        let wait = WaitList::new(num_events, events)?;
        queue.native_command(NativeCommand { function, data }, &mems, wait, EventOut::new(event))
    }
}

/// Checks `height` rows of `width` bytes, `pitch` bytes apart.
fn rows(pitch: usize, width: usize, height: usize) -> UrResult<()> {
    if width == 0 || height == 0 || pitch < width {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_SIZE,
            format!("{height} rows of {width} bytes cannot be {pitch} bytes apart"),
        ));
    }
    if pitch.checked_mul(height).is_none() {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_SIZE,
            format!("{height} rows of {pitch} bytes overflow"),
        ));
    }
    Ok(())
}

/// # Safety
/// As `urEnqueueUSM*AllocExp`.
#[allow(clippy::too_many_arguments, reason = "the C ABI decides")]
unsafe fn async_alloc<B: Backend>(
    queue: QueueHandle,
    kind: UsmType,
    pool: UsmPoolHandle,
    size: usize,
    _properties: *const ExpAsyncUsmAllocProperties,
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

pub(crate) fn entries<B: Backend>(t: &mut DdiTable) {
    let e = &mut t.Enqueue;
    e.pfnEventsWait = Some(urEnqueueEventsWait::<B>);
    e.pfnEventsWaitWithBarrier = Some(urEnqueueEventsWaitWithBarrier::<B>);
    e.pfnEventsWaitWithBarrierExt = Some(urEnqueueEventsWaitWithBarrierExt::<B>);
    e.pfnMemBufferRead = Some(urEnqueueMemBufferRead::<B>);
    e.pfnMemBufferWrite = Some(urEnqueueMemBufferWrite::<B>);
    e.pfnMemBufferReadRect = Some(urEnqueueMemBufferReadRect::<B>);
    e.pfnMemBufferWriteRect = Some(urEnqueueMemBufferWriteRect::<B>);
    e.pfnMemBufferCopy = Some(urEnqueueMemBufferCopy::<B>);
    e.pfnMemBufferCopyRect = Some(urEnqueueMemBufferCopyRect::<B>);
    e.pfnMemBufferFill = Some(urEnqueueMemBufferFill::<B>);
    e.pfnMemImageRead = Some(urEnqueueMemImageRead::<B>);
    e.pfnMemImageWrite = Some(urEnqueueMemImageWrite::<B>);
    e.pfnMemImageCopy = Some(urEnqueueMemImageCopy::<B>);
    e.pfnMemBufferMap = Some(urEnqueueMemBufferMap::<B>);
    e.pfnMemUnmap = Some(urEnqueueMemUnmap::<B>);
    e.pfnUSMFill = Some(urEnqueueUSMFill::<B>);
    e.pfnUSMMemcpy = Some(urEnqueueUSMMemcpy::<B>);
    e.pfnUSMPrefetch = Some(urEnqueueUSMPrefetch::<B>);
    e.pfnUSMAdvise = Some(urEnqueueUSMAdvise::<B>);
    e.pfnUSMFill2D = Some(urEnqueueUSMFill2D::<B>);
    e.pfnUSMMemcpy2D = Some(urEnqueueUSMMemcpy2D::<B>);
    e.pfnDeviceGlobalVariableWrite = Some(urEnqueueDeviceGlobalVariableWrite::<B>);
    e.pfnDeviceGlobalVariableRead = Some(urEnqueueDeviceGlobalVariableRead::<B>);
    let x = &mut t.EnqueueExp;
    x.pfnKernelLaunchWithArgsExp = Some(urEnqueueKernelLaunchWithArgsExp::<B>);
    x.pfnUSMDeviceAllocExp = Some(urEnqueueUSMDeviceAllocExp::<B>);
    x.pfnUSMSharedAllocExp = Some(urEnqueueUSMSharedAllocExp::<B>);
    x.pfnUSMHostAllocExp = Some(urEnqueueUSMHostAllocExp::<B>);
    x.pfnUSMFreeExp = Some(urEnqueueUSMFreeExp::<B>);
    x.pfnTimestampRecordingExp = Some(urEnqueueTimestampRecordingExp::<B>);
    x.pfnHostTaskExp = Some(urEnqueueHostTaskExp::<B>);
    x.pfnNativeCommandExp = Some(urEnqueueNativeCommandExp::<B>);
}
