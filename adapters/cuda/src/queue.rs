// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues: one [lane](crate::lane) if it is in order, else several.
//!
//! [`submit`] is the way of all commands into a lane, [`commands`] has CUDA's function for each. What CUDA lacks (fills
//! with odd patterns, fills of rows, host tasks) the kit [emulates](kit::emulate).

mod commands;
mod submit;

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use kit::ur::{CommandType, MapFlags, NativeHandle, QueueFlags, QueueHandle, QueueInfo, ResultCode};
use kit::{
    BusyMark, Capture, Command, EventOut, HandleCell, InfoOut, Objects, QueueNativeProperties, QueueProperties,
    TrackedQueue, UrError, UrResult, WaitList,
};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::{CUcontext, CUstream};
use oxur_fork::Mutex;

pub(crate) use self::submit::Marker;
use self::submit::Order;
use crate::driver::{self, cu};
use crate::lane::Lane;
use crate::primary::Primary;
use crate::{Context, Cuda, Device, Mem};

type Wait<'a> = WaitList<'a, Cuda>;
type Out<'a> = EventOut<'a, Cuda>;

/// A queue.
pub(crate) struct Queue {
    pub(crate) handle_cell: HandleCell,
    /// The only lane of a queue in order, and the one that native handles are of.
    first: Arc<Lane>,
    /// The lanes of an out-of-order queue.
    order: Mutex<Order>,
    /// The lane that the next command looks at first.
    next: AtomicUsize,
    primary: &'static Primary,
    priority: i32,
    capture: Capture<Cuda>,
    flags: QueueFlags,
    in_order: bool,
    /// Whether there were commands since the marker, as the context knows it.
    mark: BusyMark<Self>,
    pub(crate) device: Arc<Device>,
    pub(crate) context: Arc<Context>,
}

impl Queue {
    fn new(
        first: Arc<Lane>,
        priority: i32,
        context: &Arc<Context>,
        device: &Arc<Device>,
        flags: QueueFlags,
    ) -> Arc<Self> {
        let queue = Arc::new(Self {
            handle_cell: HandleCell::new(),
            order: Mutex::new(Order::new(&first)),
            next: AtomicUsize::new(0),
            primary: first.primary,
            first,
            priority,
            capture: Capture::default(),
            flags,
            in_order: !flags.contains(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE),
            mark: BusyMark::new(&context.in_flight),
            device: device.clone(),
            context: context.clone(),
        });
        queue.mark.in_flight().add(&queue);
        queue
    }

    /// Whether commands record when they ran.
    fn is_timed(&self) -> bool {
        self.flags.contains(QueueFlags::PROFILING_ENABLE)
    }

    /// The lanes.
    fn lanes(&self) -> Vec<Arc<Lane>> {
        match self.in_order {
            true => vec![self.first.clone()],
            false => self.order.lock().lanes(),
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let in_flight = self.mark.in_flight();
        // Others who want to know wait until it has left.
        in_flight.mark_busy();
        let marker = self.unfinished().unwrap_or_else(|error| {
            log::debug!("it is not known when the last commands of a queue are complete: {error}");
            None
        });
        in_flight.leave(self, marker);
        for lane in self.lanes() {
            if let Err(error) = lane.close() {
                log::debug!("the last event of a queue is not exact: {error}");
            }
        }
    }
}

impl kit::Queue<Cuda> for Queue {
    fn create(context: &Arc<Context>, device: &Arc<Device>, properties: QueueProperties) -> UrResult<Arc<Self>> {
        context.check_device(device)?;
        let flags = properties.flags;
        if flags.intersects(QueueFlags::ON_DEVICE | QueueFlags::ON_DEVICE_DEFAULT) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_QUEUE_PROPERTIES,
                "CUDA has no queues on devices",
            ));
        }
        let primary = device.primary()?;
        let (least, greatest) = primary.priorities;
        let priority = if flags.contains(QueueFlags::PRIORITY_LOW) {
            least
        } else if flags.contains(QueueFlags::PRIORITY_HIGH) {
            greatest
        } else {
            0
        };
        let _current = primary.activate()?;
        let first = Lane::new(primary, priority)?;
        if flags.contains(QueueFlags::PROFILING_ENABLE) {
            // The first command would pay for it.
            primary.clock_base()?;
        }
        Ok(Self::new(first, priority, context, device, flags))
    }

    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn device(&self) -> &Arc<Device> {
        &self.device
    }

    fn is_in_order(&self) -> bool {
        self.in_order
    }

    fn capture(&self) -> Option<&Capture<Cuda>> {
        Some(&self.capture)
    }

    fn info(&self, query: QueueInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            QueueInfo::FLAGS => out.value(self.flags),
            QueueInfo::EMPTY => {
                let _current = self.primary.activate()?;
                out.bool(self.lanes().iter().all(|lane| lane.is_idle()))
            }
            // It is not a queue on the device.
            QueueInfo::SIZE => Err(ResultCode::ERROR_INVALID_QUEUE.into()),
            QueueInfo::DEVICE_DEFAULT => out.value(QueueHandle::default()),
            _ => out.unsupported(),
        }
    }

    fn finish(&self) -> UrResult<()> {
        let _current = self.primary.activate()?;
        if self.in_order {
            return self.first.synchronize();
        }
        self.lanes()
            .iter()
            .map(|lane| lane.synchronize())
            .fold(Ok(()), Result::and)
    }

    fn native(self: &Arc<Self>, _data: *mut c_void) -> UrResult<NativeHandle> {
        self.first.share();
        self.mark.in_flight().note_shared();
        Ok(self.first.stream as NativeHandle)
    }

    fn from_native(
        context: &Arc<Context>,
        device: Option<&Arc<Device>>,
        native: NativeHandle,
        properties: QueueNativeProperties,
    ) -> UrResult<Arc<Self>> {
        let stream = native as CUstream;
        let _current = context.primary().activate()?;
        // SAFETY: the client vouches for its native handle.
        let of = unsafe {
            let mut of: CUcontext = std::ptr::null_mut();
            cu!(cuStreamGetCtx(stream, &mut of))?;
            of
        };
        let own = context.device_of(of).ok_or_else(|| {
            UrError::with_message(
                ResultCode::ERROR_INVALID_CONTEXT,
                "the native stream is in none of the context's primary contexts",
            )
        })?;
        if device.is_some_and(|device| device.raw != own.raw) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_DEVICE,
                "the native stream is another device's",
            ));
        }
        // SAFETY: as above.
        let lane = unsafe { Lane::from_native(stream, properties.owned, own.primary()?) };
        // A stream is in order, whatever the client says.
        let flags = properties.queue.flags - QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;
        let queue = Self::new(lane, 0, context, own, flags);
        queue.mark.in_flight().note_shared();
        Ok(queue)
    }

    // Into the entry points: what they decode of a launch then never gets to memory.
    #[inline(always)]
    fn submit(
        self: &Arc<Self>,
        command: Command<'_, Cuda>,
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
        let mapping = buffer.map(flags, offset, size)?;
        let mapped = mapping.address();
        let copy = mapping.to_host();
        self.move_mapped(CommandType::MEM_BUFFER_MAP, copy, blocking, wait, event)?;
        buffer.add_mapping(mapping);
        Ok(mapped)
    }

    fn begin_native_command(self: &Arc<Self>, _mems: Objects<'_, Mem>, wait: Wait<'_>) -> UrResult<()> {
        if driver::is_lost() {
            return Err(driver::forked("cuStreamWaitEvent"));
        }
        // The client's commands come after what it waits for, in the lane whose native handle it has.
        self.hold_first(wait)
    }

    fn end_native_command(self: &Arc<Self>, event: Out<'_>) -> UrResult<()> {
        self.end_first(CommandType::ENQUEUE_NATIVE_EXP, event)
    }
}
