// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues: an OpenCL command queue and the commands of UR on it.
//!
//! [`submit`] is the way of every command. What OpenCL lacks (fills with odd patterns, copies of rows, host tasks) is in
//! [`composed`].

mod composed;
mod submit;

use std::ffi::{CStr, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::ur::{
    CommandType, MapFlags, NativeHandle, QueueFlags, QueueInfo, RectOffset, RectRegion, ResultCode, UsmAdviceFlags,
    UsmMigrationFlags,
};
use kit::{
    BufferRect, Capture, DeviceGlobal, EventOut, Header, HostTask, InfoOut, Launch, NativeCommand, UrError, UrResult,
    WaitList,
};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use parking_lot::Mutex;

use crate::activity::Mark;
use crate::cl::{self, api, cl, cl_create};
use crate::event::RawEvent;
use crate::extensions::ext;
use crate::number::{Number, Numbered};
use crate::{Context, Device, Event, Kernel, Mem, OpenCl, conv};

type Wait<'a> = WaitList<'a, OpenCl>;
type Out<'a> = EventOut<'a, OpenCl>;

static QUEUES: Numbered<Queue> = Numbered::new();

/// A queue.
pub(crate) struct Queue {
    pub(crate) header: Header,
    pub(crate) raw: cl_command_queue,
    number: Number,
    pub(crate) context: Arc<Context>,
    device: Arc<Device>,
    capture: Capture<OpenCl>,
    flags: QueueFlags,
    /// Whether there were commands since the probe, as the context knows it.
    mark: Mark,
    /// Whether others may submit to it, too: it is a native queue, or its native handle was given out.
    shared: AtomicBool,
    /// Whether the client has given its last reference back: then events keep the queue.
    released: AtomicBool,
    /// A marker behind what was the last command: see [`Queue::unfinished`].
    probe: Mutex<Option<Arc<RawEvent>>>,
}

// SAFETY: an OpenCL handle may be used from any thread.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Drop for Queue {
    fn drop(&mut self) {
        QUEUES.remove(self.number);
        let activity = self.mark.activity();
        // Others who want to know wait until it has left.
        activity.note();
        let marker = self.unfinished().unwrap_or_else(|error| {
            log::warn!("it is not known when the last commands of a queue are complete: {error}");
            None
        });
        activity.leave(self, marker);
        // SAFETY: the reference is ours. OpenCL finishes what is in the queue.
        if let Err(error) = unsafe { cl!(clReleaseCommandQueue(self.raw)) } {
            log::warn!("a queue is leaked: {error}");
        }
    }
}

fn pointer(array: Option<&[usize]>) -> *const usize {
    array.map_or(std::ptr::null(), <[usize]>::as_ptr)
}

fn corner(origin: RectOffset) -> [usize; 3] {
    [origin.x as usize, origin.y as usize, origin.z as usize]
}

fn sides(region: RectRegion) -> [usize; 3] {
    [region.width as usize, region.height as usize, region.depth as usize]
}

impl kit::Queue<OpenCl> for Queue {
    fn create(context: &Arc<Context>, device: &Arc<Device>, flags: QueueFlags) -> UrResult<Arc<Self>> {
        let bits = conv::queue_properties(flags);
        // SAFETY: live handles and a list of properties that ends with 0.
        let raw = unsafe {
            if api().clCreateCommandQueueWithProperties.is_some() && device.version() >= (2, 0) {
                let properties = [u64::from(CL_QUEUE_PROPERTIES), bits, 0];
                cl_create!(clCreateCommandQueueWithProperties(
                    context.raw,
                    device.raw,
                    properties.as_ptr()
                ))
            } else {
                cl_create!(clCreateCommandQueue(context.raw, device.raw, bits))
            }
        }?;
        Ok(Self::new(raw, context, device, flags, false))
    }

    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn device(&self) -> &Arc<Device> {
        &self.device
    }

    fn is_in_order(&self) -> bool {
        !self.flags.contains(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE)
    }

    fn capture(&self) -> &Capture<OpenCl> {
        &self.capture
    }

    fn info(&self, query: QueueInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            QueueInfo::CONTEXT => out.handle(&self.context),
            QueueInfo::DEVICE => out.handle(&self.device),
            QueueInfo::FLAGS => out.value(self.flags),
            QueueInfo::EMPTY => out.bool(self.is_empty()?),
            // SAFETY: a live queue; the pointers are those of `value`.
            QueueInfo::SIZE => out.value(cl::value::<u32>(|size, value, needed| unsafe {
                cl!(clGetCommandQueueInfo(self.raw, CL_QUEUE_SIZE, size, value, needed))
            })?),
            _ => out.unsupported(),
        }
    }

    fn finish(&self) -> UrResult<()> {
        // SAFETY: a live queue.
        unsafe { cl!(clFinish(self.raw)) }
    }

    fn flush(&self) -> UrResult<()> {
        // SAFETY: a live queue.
        unsafe { cl!(clFlush(self.raw)) }
    }

    fn released(self: Arc<Self>) {
        self.released.store(true, Ordering::Relaxed);
        kit::each_held(self.number.get(), |event: &Arc<Event>| event.keep(&self));
    }

    fn native(&self, _data: *mut c_void) -> UrResult<NativeHandle> {
        self.shared.store(true, Ordering::Relaxed);
        self.mark.activity().note_shared();
        self.context.share();
        Ok(self.raw as NativeHandle)
    }

    fn from_native(
        context: &Arc<Context>,
        device: Option<&Arc<Device>>,
        native: NativeHandle,
        flags: QueueFlags,
        owned: bool,
    ) -> UrResult<Arc<Self>> {
        let raw = native as cl_command_queue;
        // SAFETY: the client vouches for its native handle; the pointers are those of `value`.
        let bits: u64 = cl::value(|size, value, needed| unsafe {
            cl!(clGetCommandQueueInfo(raw, CL_QUEUE_PROPERTIES, size, value, needed))
        })?;
        // SAFETY: as above.
        let id: *mut c_void = cl::value(|size, value, needed| unsafe {
            cl!(clGetCommandQueueInfo(raw, CL_QUEUE_DEVICE, size, value, needed))
        })?;
        let device = context.device(id).or(device).ok_or_else(|| {
            UrError::said(
                ResultCode::ERROR_INVALID_DEVICE,
                "the native queue's device is not in the context",
            )
        })?;
        if !owned {
            // SAFETY: the client vouches for its native handle. Released in `drop`.
            unsafe { cl!(clRetainCommandQueue(raw)) }?;
        }
        // What OpenCL knows of the queue counts; the rest is what the client says.
        let known = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE
            | QueueFlags::PROFILING_ENABLE
            | QueueFlags::ON_DEVICE
            | QueueFlags::ON_DEVICE_DEFAULT;
        let flags = (flags - known) | conv::queue_flags(bits);
        Ok(Self::new(raw, context, device, flags, true))
    }

    // Into the entry points: what they decode then never gets to memory.
    #[inline(always)]
    fn launch(
        self: &Arc<Self>,
        kernel: &Arc<Kernel>,
        launch: Launch<'_, OpenCl>,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let range = &launch.range;
        composed::check_properties(&launch)?;
        let local = match range.local {
            Some(local) => local.as_ptr(),
            // A kernel that demands a size is not launched without one.
            None => kernel
                .required_local_size(&self.device)
                .map_or(std::ptr::null(), |size| size.as_ptr()),
        };
        // Arguments that come with the launch must still be there when OpenCL takes them.
        let _lock;
        if !launch.args.is_empty() {
            _lock = kernel.arguments.lock();
            kernel.set_all(launch.args)?;
        }
        self.submit(CommandType::KERNEL_LAUNCH, wait, event, |deps| {
            // SAFETY: live handles; the arrays have as many elements as there are dimensions.
            unsafe {
                cl!(clEnqueueNDRangeKernel(
                    self.raw,
                    kernel.raw,
                    range.global.len() as cl_uint,
                    pointer(range.offset),
                    range.global.as_ptr(),
                    local,
                    deps.count,
                    deps.events,
                    deps.event
                ))
            }
        })
    }

    fn wait(self: &Arc<Self>, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        self.submit(CommandType::EVENTS_WAIT, wait, event, |deps| self.marker(deps))
    }

    fn barrier(self: &Arc<Self>, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        self.submit(CommandType::EVENTS_WAIT_WITH_BARRIER, wait, event, |deps| {
            // SAFETY: live handles.
            unsafe {
                cl!(clEnqueueBarrierWithWaitList(
                    self.raw,
                    deps.count,
                    deps.events,
                    deps.event
                ))
            }
        })
    }

    fn buffer_read(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        blocking: bool,
        offset: usize,
        size: usize,
        dst: *mut c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        buffer.check_range(offset, size)?;
        self.submit(CommandType::MEM_BUFFER_READ, wait, event, |d| {
            let blocking = cl_bool::from(blocking);
            // SAFETY: live handles; the client vouches for its memory.
            unsafe {
                cl!(clEnqueueReadBuffer(
                    self.raw, buffer.raw, blocking, offset, size, dst, d.count, d.events, d.event
                ))
            }
        })
    }

    fn buffer_write(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        blocking: bool,
        offset: usize,
        size: usize,
        src: *const c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        buffer.check_range(offset, size)?;
        self.submit(CommandType::MEM_BUFFER_WRITE, wait, event, |d| {
            let blocking = cl_bool::from(blocking);
            // SAFETY: live handles; the client vouches for its memory.
            unsafe {
                cl!(clEnqueueWriteBuffer(
                    self.raw, buffer.raw, blocking, offset, size, src, d.count, d.events, d.event
                ))
            }
        })
    }

    fn buffer_read_rect(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        blocking: bool,
        rect: &BufferRect,
        dst: *mut c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        buffer.check_range(0, rect.a_end()?)?;
        let (a, b, region) = (corner(rect.a_origin), corner(rect.b_origin), sides(rect.region));
        self.submit(CommandType::MEM_BUFFER_READ_RECT, wait, event, |d| {
            // SAFETY: live handles and arrays of three; the client vouches for its memory.
            unsafe {
                cl!(clEnqueueReadBufferRect(
                    self.raw,
                    buffer.raw,
                    cl_bool::from(blocking),
                    a.as_ptr(),
                    b.as_ptr(),
                    region.as_ptr(),
                    rect.a_row_pitch,
                    rect.a_slice_pitch,
                    rect.b_row_pitch,
                    rect.b_slice_pitch,
                    dst,
                    d.count,
                    d.events,
                    d.event
                ))
            }
        })
    }

    fn buffer_write_rect(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        blocking: bool,
        rect: &BufferRect,
        src: *const c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        buffer.check_range(0, rect.a_end()?)?;
        let (a, b, region) = (corner(rect.a_origin), corner(rect.b_origin), sides(rect.region));
        self.submit(CommandType::MEM_BUFFER_WRITE_RECT, wait, event, |d| {
            // SAFETY: live handles and arrays of three; the client vouches for its memory.
            unsafe {
                cl!(clEnqueueWriteBufferRect(
                    self.raw,
                    buffer.raw,
                    cl_bool::from(blocking),
                    a.as_ptr(),
                    b.as_ptr(),
                    region.as_ptr(),
                    rect.a_row_pitch,
                    rect.a_slice_pitch,
                    rect.b_row_pitch,
                    rect.b_slice_pitch,
                    src,
                    d.count,
                    d.events,
                    d.event
                ))
            }
        })
    }

    fn buffer_copy(
        self: &Arc<Self>,
        src: &Arc<Mem>,
        dst: &Arc<Mem>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        src.check_range(src_offset, size)?;
        dst.check_range(dst_offset, size)?;
        self.submit(CommandType::MEM_BUFFER_COPY, wait, event, |d| {
            // SAFETY: live handles.
            unsafe {
                cl!(clEnqueueCopyBuffer(
                    self.raw, src.raw, dst.raw, src_offset, dst_offset, size, d.count, d.events, d.event
                ))
            }
        })
    }

    fn buffer_copy_rect(
        self: &Arc<Self>,
        src: &Arc<Mem>,
        dst: &Arc<Mem>,
        rect: &BufferRect,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        src.check_range(0, rect.a_end()?)?;
        dst.check_range(0, rect.b_end()?)?;
        let (a, b, region) = (corner(rect.a_origin), corner(rect.b_origin), sides(rect.region));
        self.submit(CommandType::MEM_BUFFER_COPY_RECT, wait, event, |d| {
            // SAFETY: live handles and arrays of three.
            unsafe {
                cl!(clEnqueueCopyBufferRect(
                    self.raw,
                    src.raw,
                    dst.raw,
                    a.as_ptr(),
                    b.as_ptr(),
                    region.as_ptr(),
                    rect.a_row_pitch,
                    rect.a_slice_pitch,
                    rect.b_row_pitch,
                    rect.b_slice_pitch,
                    d.count,
                    d.events,
                    d.event
                ))
            }
        })
    }

    fn buffer_fill(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        pattern: &[u8],
        offset: usize,
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        buffer.check_range(offset, size)?;
        if !composed::driver_fills(offset, pattern) {
            return self.fill_buffer_oddly(buffer, pattern, offset, size, wait, event);
        }
        self.submit(CommandType::MEM_BUFFER_FILL, wait, event, |d| {
            let from = pattern.as_ptr().cast();
            // SAFETY: live handles; OpenCL copies the pattern before it returns.
            unsafe {
                cl!(clEnqueueFillBuffer(
                    self.raw,
                    buffer.raw,
                    from,
                    pattern.len(),
                    offset,
                    size,
                    d.count,
                    d.events,
                    d.event
                ))
            }
        })
    }

    fn buffer_map(
        self: &Arc<Self>,
        buffer: &Arc<Mem>,
        blocking: bool,
        flags: MapFlags,
        offset: usize,
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<*mut c_void> {
        buffer.check_range(offset, size)?;
        let (blocking, flags) = (cl_bool::from(blocking), conv::map_flags(flags));
        let mut mapped = std::ptr::null_mut();
        self.submit(CommandType::MEM_BUFFER_MAP, wait, event, |d| {
            // SAFETY: live handles.
            mapped = unsafe {
                cl_create!(clEnqueueMapBuffer(
                    self.raw, buffer.raw, blocking, flags, offset, size, d.count, d.events, d.event
                ))
            }?;
            Ok(())
        })?;
        Ok(mapped)
    }

    fn unmap(self: &Arc<Self>, mem: &Arc<Mem>, mapped: *mut c_void, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        self.submit(CommandType::MEM_UNMAP, wait, event, |d| {
            // SAFETY: live handles; OpenCL checks the address.
            unsafe {
                cl!(clEnqueueUnmapMemObject(
                    self.raw, mem.raw, mapped, d.count, d.events, d.event
                ))
            }
        })
    }

    fn image_read(
        self: &Arc<Self>,
        image: &Arc<Mem>,
        blocking: bool,
        origin: RectOffset,
        region: RectRegion,
        row_pitch: usize,
        slice_pitch: usize,
        dst: *mut c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let (origin, region) = (corner(origin), sides(region));
        self.submit(CommandType::MEM_IMAGE_READ, wait, event, |d| {
            // SAFETY: live handles and arrays of three; the client vouches for its memory.
            unsafe {
                cl!(clEnqueueReadImage(
                    self.raw,
                    image.raw,
                    cl_bool::from(blocking),
                    origin.as_ptr(),
                    region.as_ptr(),
                    row_pitch,
                    slice_pitch,
                    dst,
                    d.count,
                    d.events,
                    d.event
                ))
            }
        })
    }

    fn image_write(
        self: &Arc<Self>,
        image: &Arc<Mem>,
        blocking: bool,
        origin: RectOffset,
        region: RectRegion,
        row_pitch: usize,
        slice_pitch: usize,
        src: *const c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let (origin, region) = (corner(origin), sides(region));
        self.submit(CommandType::MEM_IMAGE_WRITE, wait, event, |d| {
            // SAFETY: live handles and arrays of three; the client vouches for its memory.
            unsafe {
                cl!(clEnqueueWriteImage(
                    self.raw,
                    image.raw,
                    cl_bool::from(blocking),
                    origin.as_ptr(),
                    region.as_ptr(),
                    row_pitch,
                    slice_pitch,
                    src,
                    d.count,
                    d.events,
                    d.event
                ))
            }
        })
    }

    fn image_copy(
        self: &Arc<Self>,
        src: &Arc<Mem>,
        dst: &Arc<Mem>,
        src_origin: RectOffset,
        dst_origin: RectOffset,
        region: RectRegion,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let (from, to, region) = (corner(src_origin), corner(dst_origin), sides(region));
        self.submit(CommandType::MEM_IMAGE_COPY, wait, event, |d| {
            // SAFETY: live handles and arrays of three.
            unsafe {
                cl!(clEnqueueCopyImage(
                    self.raw,
                    src.raw,
                    dst.raw,
                    from.as_ptr(),
                    to.as_ptr(),
                    region.as_ptr(),
                    d.count,
                    d.events,
                    d.event
                ))
            }
        })
    }

    fn usm_fill(
        self: &Arc<Self>,
        dst: *mut c_void,
        pattern: &[u8],
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        if !composed::driver_fills(dst.addr(), pattern) {
            return self.fill_usm_oddly(dst, pattern, size, wait, event);
        }
        self.submit(CommandType::USM_FILL, wait, event, |d| self.fill(dst, pattern, size, d))
    }

    fn usm_memcpy(
        self: &Arc<Self>,
        blocking: bool,
        dst: *mut c_void,
        src: *const c_void,
        size: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        self.submit(CommandType::USM_MEMCPY, wait, event, |d| {
            self.memcpy(blocking, dst, src, size, d)
        })
    }

    fn usm_prefetch(
        self: &Arc<Self>,
        memory: *const c_void,
        size: usize,
        flags: UsmMigrationFlags,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let to_host = flags.contains(UsmMigrationFlags::DEVICE_TO_HOST);
        let flags = if to_host { CL_MIGRATE_MEM_OBJECT_HOST } else { 0 };
        self.submit(CommandType::USM_PREFETCH, wait, event, |d| {
            if let Some(migrate) = self.context.ext.enqueue_migrate_mem {
                // SAFETY: live handles; the client vouches for its memory.
                let code = unsafe { migrate(self.raw, memory, size, flags, d.count, d.events, d.event) };
                if code == CL_SUCCESS {
                    return Ok(());
                }
                log::debug!("the driver does not migrate USM: {}", conv::error_name(code));
            }
            // A hint that the driver has no use for: only the order counts.
            self.marker(d)
        })
    }

    fn usm_advise(
        self: &Arc<Self>,
        _memory: *const c_void,
        _size: usize,
        _advice: UsmAdviceFlags,
        event: Out<'_>,
    ) -> UrResult<()> {
        // OpenCL defines no value of cl_mem_advice_intel: advice is a hint that no driver can take.
        self.submit(CommandType::USM_ADVISE, WaitList::empty(), event, |d| self.marker(d))
    }

    fn usm_fill_2d(
        self: &Arc<Self>,
        dst: *mut c_void,
        pitch: usize,
        pattern: &[u8],
        width: usize,
        height: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        if pitch == width {
            return self.usm_fill(dst, pattern, width * height, wait, event);
        }
        self.fill_rows(dst, pitch, pattern, width, height, wait, event)
    }

    fn usm_memcpy_2d(
        self: &Arc<Self>,
        blocking: bool,
        dst: *mut c_void,
        dst_pitch: usize,
        src: *const c_void,
        src_pitch: usize,
        width: usize,
        height: usize,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        if dst_pitch == width && src_pitch == width {
            return self.usm_memcpy(blocking, dst, src, width * height, wait, event);
        }
        self.copy_rows(blocking, (dst, dst_pitch), (src, src_pitch), width, height, wait, event)
    }

    fn device_global_write(
        self: &Arc<Self>,
        global: DeviceGlobal<'_, OpenCl>,
        blocking: bool,
        src: *const c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let DeviceGlobal {
            program,
            name,
            offset,
            count,
        } = global;
        program.check_global((&self.context, &self.device), name, offset, count)?;
        self.submit(CommandType::DEVICE_GLOBAL_VARIABLE_WRITE, wait, event, |d| {
            let (name, blocking) = (CStr::as_ptr(name), cl_bool::from(blocking));
            // SAFETY: live handles; the client vouches for its memory.
            unsafe {
                ext!(
                    self.context.ext,
                    write_global_variable(
                        self.raw,
                        program.raw,
                        name,
                        blocking,
                        count,
                        offset,
                        src,
                        d.count,
                        d.events,
                        d.event
                    )
                )
            }
        })
    }

    fn device_global_read(
        self: &Arc<Self>,
        global: DeviceGlobal<'_, OpenCl>,
        blocking: bool,
        dst: *mut c_void,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let DeviceGlobal {
            program,
            name,
            offset,
            count,
        } = global;
        program.check_global((&self.context, &self.device), name, offset, count)?;
        self.submit(CommandType::DEVICE_GLOBAL_VARIABLE_READ, wait, event, |d| {
            let (name, blocking) = (CStr::as_ptr(name), cl_bool::from(blocking));
            // SAFETY: live handles; the client vouches for its memory.
            unsafe {
                ext!(
                    self.context.ext,
                    read_global_variable(
                        self.raw,
                        program.raw,
                        name,
                        blocking,
                        count,
                        offset,
                        dst,
                        d.count,
                        d.events,
                        d.event
                    )
                )
            }
        })
    }

    fn host_task(self: &Arc<Self>, task: HostTask, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        self.run_on_host(task, wait, event)
    }

    fn native_command(
        self: &Arc<Self>,
        command: NativeCommand,
        _mems: &[Arc<Mem>],
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        if !wait.is_empty() {
            // The client's commands come after what it waits for.
            // SAFETY: a handle that nobody wants.
            self.barrier(wait, unsafe { EventOut::new(std::ptr::null_mut()) })?;
        }
        command.call(kit::handle_of(self));
        self.submit(CommandType::ENQUEUE_NATIVE_EXP, WaitList::empty(), event, |d| {
            // SAFETY: live handles.
            unsafe { cl!(clEnqueueBarrierWithWaitList(self.raw, d.count, d.events, d.event)) }
        })
    }
}
