// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues: an OpenCL command queue and the commands of UR on it.
//!
//! [`commands`] has OpenCL's function for each command, [`submit`] the way of all of them into the OpenCL queue. What
//! OpenCL lacks (fills with odd patterns, copies of rows, host tasks) the kit [emulates](kit::emulate).

mod commands;
mod one_at_a_time;
mod submit;

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::ur::{CommandType, MapFlags, NativeHandle, QueueFlags, QueueHandle, QueueInfo};
use kit::{
    BusyMark, Capture, Command, EventOut, HandleCell, HandleGroup, InfoOut, NativeRef, Objects, QueueNativeProperties,
    QueueProperties, UniqueId, UrResult, WaitList, WeakRegistry,
};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

use crate::cl::{Ask, QueueObject, api, cl, cl_create, cl_get};
use crate::event::RawEvent;
use crate::{Context, Device, Event, Mem, OpenCl, conv};
use one_at_a_time::OneAtATime;

type Wait<'a> = WaitList<'a, OpenCl>;
type Out<'a> = EventOut<'a, OpenCl>;

static QUEUES: WeakRegistry<Queue> = WeakRegistry::new();

/// A queue.
pub(crate) struct Queue {
    pub(crate) handle_cell: HandleCell,
    pub(crate) raw: NativeRef<QueueObject>,
    number: UniqueId,
    pub(crate) context: Arc<Context>,
    device: Arc<Device>,
    capture: Capture<OpenCl>,
    flags: QueueFlags,
    /// Whether there were commands since the probe, as the context knows it.
    mark: BusyMark<Self>,
    /// Who calls the driver, if the queue is out of order.
    calls: OneAtATime,
    /// Whether others may submit to it, too: it is a native queue, or its native handle was given out.
    shared: AtomicBool,
    /// Whether the client has given its last reference back: then events keep the queue.
    released: AtomicBool,
    /// Those that the client has.
    events: HandleGroup,
    /// A marker behind what was the last command: see [`Queue::unfinished`].
    probe: Mutex<Option<Arc<RawEvent>>>,
    /// The last barrier of an out-of-order queue.
    barrier: Mutex<Option<RawEvent>>,
}

impl Drop for Queue {
    fn drop(&mut self) {
        QUEUES.remove(self.number);
        let unfinished = self.mark.leave(self);
        // OpenCL finishes what is in the queue when its last reference goes.
        if !kit::Queue::is_in_order(self)
            && let Err(error) = self.linger(unfinished)
        {
            log::info!("the driver may wait for itself at the end of a queue: {error}");
        }
    }
}

impl kit::Queue<OpenCl> for Queue {
    fn create(context: &Arc<Context>, device: &Arc<Device>, properties: QueueProperties) -> UrResult<Arc<Self>> {
        // There is one index, so it is the queue that there is.
        let flags = properties.flags;
        let bits = conv::QUEUE_FLAGS.to_cl(flags);
        // SAFETY: live handles and a list of properties that ends with 0.
        let raw = unsafe {
            if api().clCreateCommandQueueWithProperties.is_some() && device.version() >= (2, 0) {
                let properties = [u64::from(CL_QUEUE_PROPERTIES), bits, 0];
                cl_create!(clCreateCommandQueueWithProperties(
                    *context.raw,
                    device.raw,
                    properties.as_ptr()
                ))
            } else {
                cl_create!(clCreateCommandQueue(*context.raw, device.raw, bits))
            }
        }?;
        Ok(Self::new(raw, context, device, flags, false))
    }

    kit::queue_member_methods!(OpenCl);

    fn is_empty(&self) -> UrResult<bool> {
        self.is_complete()
    }

    fn info(&self, query: QueueInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            QueueInfo::DEVICE_DEFAULT => match self.device_default() {
                Some(queue) => out.handle(&queue),
                None => out.value(QueueHandle::default()),
            },
            QueueInfo::SIZE => out.value(self.raw.ask::<u32>(CL_QUEUE_SIZE)?),
            _ => out.unsupported(),
        }
    }

    fn finish(&self) -> UrResult<()> {
        if !self.is_in_order() {
            // `clFinish` of Intel's driver makes a marker, too, which must not be beside what other threads enqueue.
            return self.mark()?.wait();
        }
        // SAFETY: a live queue.
        unsafe { cl!(clFinish(*self.raw)) }
    }

    fn flush(&self) -> UrResult<()> {
        // SAFETY: a live queue.
        unsafe { cl!(clFlush(*self.raw)) }
    }

    fn released(self: Arc<Self>) {
        self.released.store(true, Ordering::Relaxed);
        self.events.for_each(|event: &Arc<Event>| event.keep(&self));
    }

    fn native(self: &Arc<Self>, _data: *mut c_void) -> UrResult<NativeHandle> {
        self.shared.store(true, Ordering::Relaxed);
        self.mark.in_flight().note_shared();
        self.context.share();
        Ok(*self.raw as NativeHandle)
    }

    fn from_native(
        context: &Arc<Context>,
        device: Option<&Arc<Device>>,
        native: NativeHandle,
        properties: QueueNativeProperties,
    ) -> UrResult<Arc<Self>> {
        // OpenCL has one kind of queues: what else the client says of it has no meaning.
        let (flags, owned) = (properties.queue.flags, properties.owned);
        let native = native as cl_command_queue;
        // SAFETY: the client vouches for its native handle.
        let queue = unsafe { NativeRef::<QueueObject>::borrowed(native) };
        let bits: u64 = queue.ask(CL_QUEUE_PROPERTIES)?;
        let id: *mut c_void = queue.ask(CL_QUEUE_DEVICE)?;
        let device = context
            .device(id)
            .or(device)
            .ok_or_else(|| kit::error!(ERROR_INVALID_DEVICE: "the native queue's device is not in the context"))?;
        // SAFETY: as above.
        let raw = unsafe { NativeRef::wrap(native, owned) }?;
        // What OpenCL knows of the queue counts; the rest is what the client says.
        let known = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE
            | QueueFlags::PROFILING_ENABLE
            | QueueFlags::ON_DEVICE
            | QueueFlags::ON_DEVICE_DEFAULT;
        let flags = (flags - known) | conv::QUEUE_FLAGS.to_ur(bits);
        Ok(Self::new(raw, context, device, flags, true))
    }

    // Into the entry points: what they decode of a launch then never gets to memory.
    #[inline(always)]
    fn submit(
        self: &Arc<Self>,
        command: Command<'_, OpenCl>,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        match command {
            Command::Launch(launch) => self.launch(launch, wait, event),
            command => self.submit_any(command, blocking, wait, event),
        }
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
        let flags = conv::MAP_FLAGS.to_cl(flags);
        let mut mapped = std::ptr::null_mut();
        self.enqueue(CommandType::MEM_BUFFER_MAP, blocking, wait, event, |blocking, d| {
            // SAFETY: live handles.
            mapped = unsafe {
                cl_get!(clEnqueueMapBuffer(
                    *self.raw,
                    *buffer.raw,
                    blocking,
                    flags,
                    offset,
                    size,
                    d.count,
                    d.events,
                    d.event
                ))
            }?;
            Ok(())
        })?;
        Ok(mapped)
    }

    fn begin_native_command(self: &Arc<Self>, _mems: Objects<'_, Mem>, wait: Wait<'_>) -> UrResult<()> {
        kit::begin_native_by_barrier(self, wait)
    }

    fn end_native_command(self: &Arc<Self>, event: Out<'_>) -> UrResult<()> {
        self.enqueue(
            CommandType::ENQUEUE_NATIVE_EXP,
            false,
            WaitList::empty(),
            event,
            |blocking, deps| self.call(&Command::barrier(), blocking, deps),
        )
    }
}
