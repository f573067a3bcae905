// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues. The entry points of the commands are in [`enqueue`](crate::enqueue).

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::*;

use crate::enqueue::{BufferRect, DeviceGlobal, HostTask, Launch};
use crate::handle::{self, export, object, optional_object};
use crate::picture;
use crate::table::entry_points;
use crate::{
    Backend, Capture, EventOut, InfoOut, Object, UrError, UrResult, UsmKind, WaitList, args, entry, unsupported,
};

/// A queue of commands for a device.
///
/// Each command waits for the events of its `wait` list and leaves an event in `event` if the client wants it. A
/// `blocking` command returns when it is complete. Sizes and offsets are in bytes. Pointers are the client's: it
/// vouches that they are good for the sizes given until the command is complete.
#[allow(clippy::too_many_arguments, reason = "a command has the parameters that UR gives it")]
pub trait Queue<B: Backend>: Object<Handle = QueueHandle> {
    /// Makes a queue.
    fn create(context: &Arc<B::Context>, device: &Arc<B::Device>, flags: QueueFlags) -> UrResult<Arc<Self>>;

    /// Answers `urQueueGetInfo`, but for the reference count.
    fn info(&self, query: QueueInfo, out: InfoOut<'_>) -> UrResult<()>;

    /// The context that it is of.
    fn context(&self) -> &Arc<B::Context>;

    /// The device that it submits to.
    fn device(&self) -> &Arc<B::Device>;

    /// Whether each command waits for the one before.
    fn is_in_order(&self) -> bool;

    /// What it knows of the capture that it takes part in, if any.
    fn capture(&self) -> &Capture<B>;

    /// Waits for all commands.
    fn finish(&self) -> UrResult<()>;

    /// Hands all commands to the device.
    fn flush(&self) -> UrResult<()>;

    /// The client has given its last reference back. It may still have events that want to know the queue.
    fn released(self: Arc<Self>) {}

    /// The driver's handle. `data`, unless null, is where the client wants to know what
    /// kind of handle it is.
    fn native(self: &Arc<Self>, _data: *mut c_void) -> UrResult<NativeHandle> {
        unsupported()
    }

    /// Wraps a native queue. `owned` says that the native handle is ours to release.
    fn from_native(
        _context: &Arc<B::Context>,
        _device: Option<&Arc<B::Device>>,
        _native: NativeHandle,
        _flags: QueueFlags,
        _owned: bool,
    ) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// Runs a kernel.
    fn launch(
        self: &Arc<Self>,
        kernel: &Arc<B::Kernel>,
        launch: Launch<'_, B>,
        wait: WaitList<'_, B>,
        event: EventOut<'_, B>,
    ) -> UrResult<()>;

    /// Completes when the list's events have, or, if it is empty, all commands before.
    fn wait(self: &Arc<Self>, wait: WaitList<'_, B>, event: EventOut<'_, B>) -> UrResult<()>;

    /// As [`Queue::wait`], and commands after it wait for it.
    fn barrier(self: &Arc<Self>, wait: WaitList<'_, B>, event: EventOut<'_, B>) -> UrResult<()>;

    /// As [`Queue::barrier`], with a reusable `event` in place of a new one. What waits for that already waits for the
    /// command that signalled it before.
    fn signal(self: &Arc<Self>, _event: &Arc<B::Event>, _wait: WaitList<'_, B>) -> UrResult<()> {
        unsupported()
    }

    /// Copies from a buffer to the host.
    fn buffer_read(
        self: &Arc<Self>,
        _buffer: &Arc<B::Mem>,
        _blocking: bool,
        _offset: usize,
        _size: usize,
        _dst: *mut c_void,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Copies from the host to a buffer.
    fn buffer_write(
        self: &Arc<Self>,
        _buffer: &Arc<B::Mem>,
        _blocking: bool,
        _offset: usize,
        _size: usize,
        _src: *const c_void,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Copies a box from a buffer (`rect.a`) to the host (`rect.b`).
    fn buffer_read_rect(
        self: &Arc<Self>,
        _buffer: &Arc<B::Mem>,
        _blocking: bool,
        _rect: &BufferRect,
        _dst: *mut c_void,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Copies a box from the host (`rect.b`) to a buffer (`rect.a`).
    fn buffer_write_rect(
        self: &Arc<Self>,
        _buffer: &Arc<B::Mem>,
        _blocking: bool,
        _rect: &BufferRect,
        _src: *const c_void,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Copies between buffers.
    fn buffer_copy(
        self: &Arc<Self>,
        _src: &Arc<B::Mem>,
        _dst: &Arc<B::Mem>,
        _src_offset: usize,
        _dst_offset: usize,
        _size: usize,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Copies a box from one buffer (`rect.a`) to another (`rect.b`).
    fn buffer_copy_rect(
        self: &Arc<Self>,
        _src: &Arc<B::Mem>,
        _dst: &Arc<B::Mem>,
        _rect: &BufferRect,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Fills a part of a buffer, whose size is a multiple of the pattern's. Outside of command buffers the pattern's size is
    /// a power of two, and the offset a multiple of it.
    fn buffer_fill(
        self: &Arc<Self>,
        _buffer: &Arc<B::Mem>,
        _pattern: &[u8],
        _offset: usize,
        _size: usize,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Maps a part of a buffer into the host's memory and returns its address there.
    fn buffer_map(
        self: &Arc<Self>,
        _buffer: &Arc<B::Mem>,
        _blocking: bool,
        _flags: MapFlags,
        _offset: usize,
        _size: usize,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<*mut c_void> {
        unsupported()
    }

    /// Takes a mapping back; what the host wrote becomes visible to the device.
    fn unmap(
        self: &Arc<Self>,
        _mem: &Arc<B::Mem>,
        _mapped: *mut c_void,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Copies from an image to the host.
    fn image_read(
        self: &Arc<Self>,
        _image: &Arc<B::Mem>,
        _blocking: bool,
        _origin: RectOffset,
        _region: RectRegion,
        _row_pitch: usize,
        _slice_pitch: usize,
        _dst: *mut c_void,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Copies from the host to an image.
    fn image_write(
        self: &Arc<Self>,
        _image: &Arc<B::Mem>,
        _blocking: bool,
        _origin: RectOffset,
        _region: RectRegion,
        _row_pitch: usize,
        _slice_pitch: usize,
        _src: *const c_void,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Copies between images.
    fn image_copy(
        self: &Arc<Self>,
        _src: &Arc<B::Mem>,
        _dst: &Arc<B::Mem>,
        _src_origin: RectOffset,
        _dst_origin: RectOffset,
        _region: RectRegion,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Fills memory, whose size is a multiple of the pattern's.
    fn usm_fill(
        self: &Arc<Self>,
        _dst: *mut c_void,
        _pattern: &[u8],
        _size: usize,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Copies between any two pieces of memory, USM or the host's.
    fn usm_memcpy(
        self: &Arc<Self>,
        _blocking: bool,
        _dst: *mut c_void,
        _src: *const c_void,
        _size: usize,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Moves shared memory to where it will be used.
    fn usm_prefetch(
        self: &Arc<Self>,
        _memory: *const c_void,
        _size: usize,
        _flags: UsmMigrationFlags,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Tells how shared memory will be used.
    fn usm_advise(
        self: &Arc<Self>,
        _memory: *const c_void,
        _size: usize,
        _advice: UsmAdviceFlags,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Fills `height` rows of `width` bytes that are `pitch` bytes apart.
    fn usm_fill_2d(
        self: &Arc<Self>,
        _dst: *mut c_void,
        _pitch: usize,
        _pattern: &[u8],
        _width: usize,
        _height: usize,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Copies `height` rows of `width` bytes.
    fn usm_memcpy_2d(
        self: &Arc<Self>,
        _blocking: bool,
        _dst: *mut c_void,
        _dst_pitch: usize,
        _src: *const c_void,
        _src_pitch: usize,
        _width: usize,
        _height: usize,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Allocates USM in the order of the queue: it may be used by commands that wait for this one.
    fn usm_alloc(
        self: &Arc<Self>,
        _kind: UsmKind<'_, B::Device>,
        _pool: Option<&Arc<B::UsmPool>>,
        _size: usize,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<*mut c_void> {
        unsupported()
    }

    /// Frees USM in the order of the queue.
    fn usm_free(
        self: &Arc<Self>,
        _pool: Option<&Arc<B::UsmPool>>,
        _memory: *mut c_void,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Copies from the host to a device global.
    fn device_global_write(
        self: &Arc<Self>,
        _global: DeviceGlobal<'_, B>,
        _blocking: bool,
        _src: *const c_void,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Copies from a device global to the host.
    fn device_global_read(
        self: &Arc<Self>,
        _global: DeviceGlobal<'_, B>,
        _blocking: bool,
        _dst: *mut c_void,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Leaves an event whose profiling information is the time at which the commands before it were complete.
    fn record_timestamp(
        self: &Arc<Self>,
        _blocking: bool,
        _wait: WaitList<'_, B>,
        _event: EventOut<'_, B>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Calls a function of the client's on the host.
    fn host_task(self: &Arc<Self>, _task: HostTask, _wait: WaitList<'_, B>, _event: EventOut<'_, B>) -> UrResult<()> {
        unsupported()
    }

    /// A function of the client's is about to submit work to the native queue, which comes after the events of `wait`. It may
    /// throw instead of returning: then [`end_native_command`](Self::end_native_command) is not called.
    fn begin_native_command(self: &Arc<Self>, _mems: &[Arc<B::Mem>], _wait: WaitList<'_, B>) -> UrResult<()> {
        unsupported()
    }

    /// The function has returned. The event is that of all that it submitted.
    fn end_native_command(self: &Arc<Self>, _event: EventOut<'_, B>) -> UrResult<()> {
        unsupported()
    }
}

/// The flags of a queue, of which some contradict each other.
fn flags(properties: Option<&QueueProperties>) -> UrResult<QueueFlags> {
    let flags = properties.map_or(QueueFlags::empty(), |p| p.flags);
    args::known_flags(flags)?;
    for pair in [
        QueueFlags::PRIORITY_LOW | QueueFlags::PRIORITY_HIGH,
        QueueFlags::SUBMISSION_BATCHED | QueueFlags::SUBMISSION_IMMEDIATE,
    ] {
        if flags.contains(pair) {
            return Err(UrError::said(
                ResultCode::ERROR_INVALID_QUEUE_PROPERTIES,
                format!("a queue cannot have both of {pair:?}"),
            ));
        }
    }
    Ok(flags)
}

/// Whether a queue was made for profiling.
pub(crate) fn is_profiled<B: Backend>(queue: &B::Queue) -> bool {
    let mut flags = QueueFlags::empty();
    // SAFETY: a place of that size.
    let out = unsafe { InfoOut::new(size_of_val(&flags), (&raw mut flags).cast(), std::ptr::null_mut()) };
    let asked = out.and_then(|out| queue.info(QueueInfo::FLAGS, out));
    asked.is_ok() && flags.contains(QueueFlags::PROFILING_ENABLE)
}

entry! {
    fn urQueueCreate<B>(
        context: ContextHandle, device: DeviceHandle, properties: *const QueueProperties, queue: *mut QueueHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let out = args::out(queue)?;
        let mut flags = flags(properties.as_ref())?;
        if picture::wanted() {
            // Drivers tell no times otherwise.
            flags |= QueueFlags::PROFILING_ENABLE;
        }
        out.write(export(&B::Queue::create(&context, &device, flags)?));
        Ok(())
    }

    fn urQueueGetInfo<B>(queue: QueueHandle, query: QueueInfo, size: usize, value: *mut c_void, needed: *mut usize) {
        let queue = object::<B::Queue>(queue)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            QueueInfo::REFERENCE_COUNT => out.references(&**queue),
            _ => queue.info(query, out),
        }
    }

    fn urQueueRetain<B>(queue: QueueHandle) {
        handle::retain::<B::Queue>(queue)
    }

    fn urQueueRelease<B>(queue: QueueHandle) {
        handle::release_to::<B::Queue>(queue, |queue| queue.released())
    }

    fn urQueueGetNativeHandle<B>(queue: QueueHandle, desc: *mut QueueNativeDesc, native: *mut NativeHandle) {
        let queue = object::<B::Queue>(queue)?;
        let data = desc.as_ref().map_or(std::ptr::null_mut(), |d| d.pNativeData);
        args::out(native)?.write(queue.native(data)?);
        Ok(())
    }

    fn urQueueCreateWithNativeHandle<B>(
        native: NativeHandle, context: ContextHandle, device: DeviceHandle, properties: *const QueueNativeProperties,
        queue: *mut QueueHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let device = optional_object::<B::Device>(device)?;
        let out = args::out(queue)?;
        let properties = properties.as_ref();
        let owned = properties.is_some_and(|p| p.isNativeHandleOwned);
        let flags = flags(properties.and_then(|p| args::chained::<QueueProperties>(p.pNext)))?;
        out.write(export(&B::Queue::from_native(&context, device.as_deref(), native, flags, owned)?));
        Ok(())
    }

    fn urQueueFinish<B>(queue: QueueHandle) {
        let queue = object::<B::Queue>(queue)?;
        queue.capture().check_idle("waiting for a queue")?;
        queue.finish()
    }

    fn urQueueFlush<B>(queue: QueueHandle) {
        object::<B::Queue>(queue)?.flush()
    }
}

oxur_api::queue_functions! { entry_points {} }
