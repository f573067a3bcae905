// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The way of every command into the OpenCL queue, and what is known of those that are in it.
//!
//! [`Queue::enqueue`] turns the wait list into OpenCL's form, makes an event only if the client wants one, and leaves a mark
//! by which [`Queue::unfinished`] knows that there is something to wait for.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kit::ur::{CommandType, NativeHandle, QueueFlags};
use kit::{BusyMark, Capture, HandleCell, HandleGroup, NativeRef, TrackedQueue, UniqueId, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;
use smallvec::SmallVec;

use super::one_at_a_time::OneAtATime;
use super::{Out, QUEUES, Queue, Wait};
use crate::cl::{Ask, QueueObject, cl};
use crate::event::{RawEvent, raw_events};
use crate::{Context, Device, Event};

/// The last three parameters of every `clEnqueue*` function.
#[derive(Clone, Copy)]
pub(super) struct Deps {
    pub(super) count: cl_uint,
    pub(super) events: *const cl_event,
    pub(super) event: *mut cl_event,
}

impl kit::TrackedQueue for Queue {
    type Marker = Arc<RawEvent>;

    /// A marker behind all commands that may be unfinished; `None` if there are none.
    ///
    /// OpenCL does not tell whether a queue is empty. A marker behind the last command does, by its status; it is kept,
    /// so that whoever asks again and again asks the same one, until there is a new command.
    fn unfinished(&self) -> UrResult<Option<Arc<RawEvent>>> {
        // One thread at a time looks for unfinished commands. The lock of the probe is not held while the driver is called.
        let changed = self.mark.take() || self.shared.load(Ordering::Relaxed);
        let probe = if changed {
            let marker = self.mark().inspect_err(|_| self.mark.set())?;
            Some(Arc::new(marker))
        } else {
            self.probe.lock().clone()
        };
        let probe = probe.filter(|marker| !marker.is_over());
        let before = std::mem::replace(&mut *self.probe.lock(), probe.clone());
        // Without the lock, as the driver gets its reference back.
        drop(before);
        Ok(probe)
    }

    fn is_over(marker: &Arc<RawEvent>) -> bool {
        marker.is_over()
    }
}

impl Queue {
    /// `shared` says that others may submit to it.
    pub(super) fn new(
        raw: NativeRef<QueueObject>,
        context: &Arc<Context>,
        device: &Arc<Device>,
        flags: QueueFlags,
        shared: bool,
    ) -> Arc<Self> {
        let number = UniqueId::new();
        let queue = Arc::new(Self {
            handle_cell: HandleCell::new(),
            raw,
            number,
            context: context.clone(),
            device: device.clone(),
            capture: Capture::default(),
            flags,
            mark: BusyMark::new(&context.shared.in_flight),
            calls: OneAtATime::default(),
            shared: AtomicBool::new(shared),
            released: AtomicBool::new(false),
            events: HandleGroup::new(number.get()),
            probe: Mutex::default(),
            barrier: Mutex::default(),
        });
        QUEUES.add(queue.number, &queue);
        let in_flight = queue.mark.in_flight();
        in_flight.add(&queue);
        if shared {
            in_flight.note_shared();
        }
        queue
    }

    /// The queue with this number, if the client has it still.
    pub(crate) fn numbered(number: UniqueId) -> Option<Arc<Self>> {
        QUEUES.find(number)
    }

    /// The queue of a native queue: one that UR knows, or a new one.
    pub(crate) fn of_native(context: &Arc<Context>, raw: cl_command_queue) -> UrResult<Arc<Self>> {
        let known = QUEUES.any(|queue| *queue.raw == raw && Arc::ptr_eq(&queue.context, context));
        match known {
            Some(queue) => Ok(queue),
            None => kit::Queue::from_native(
                context,
                None,
                raw as usize as NativeHandle,
                kit::QueueNativeProperties::default(),
            ),
        }
    }

    /// The queue that kernels on the device submit to, unless they name another: one that UR knows.
    pub(super) fn device_default(&self) -> Option<Arc<Self>> {
        // Drivers without such queues refuse to answer.
        let raw = self.raw.ask::<*mut c_void>(CL_QUEUE_DEVICE_DEFAULT);
        let raw = raw.ok().filter(|raw| !raw.is_null())?;
        QUEUES.any(|queue| *queue.raw == raw && Arc::ptr_eq(&queue.context, &self.context))
    }

    /// Keeps the driver's queue for a while after its last command, of which this is the marker if it is not complete.
    ///
    /// Threads of Intel's driver drop a command some time after they complete it. If the command has the last reference of an
    /// out-of-order queue by then, the end of the queue waits for that thread, which is itself. Not even `clFinish` waits until
    /// the commands are dropped.
    pub(super) fn linger(&self, unfinished: Option<Arc<RawEvent>>) -> UrResult<()> {
        /// A thread may execute other commands before it drops the one that it has completed. After 100 ms, one of 300 test runs on a
        /// busy machine still hung.
        const GRACE: Duration = Duration::from_secs(1);
        let raw = self.raw.again()?;
        match unfinished {
            Some(marker) => marker.on_status(CL_COMPLETE, move |_| kit::defer_drop_by(GRACE, raw)),
            None => {
                kit::defer_drop_by(GRACE, raw);
                Ok(())
            }
        }
    }

    /// Whether every command is complete.
    pub(super) fn is_complete(&self) -> UrResult<bool> {
        const PATIENCE: usize = 1000;
        let marker = {
            let in_flight = self.mark.in_flight();
            let _alone = in_flight.poll_lock();
            in_flight.mark_busy();
            self.unfinished()?
        };
        let Some(marker) = marker else {
            return Ok(true);
        };
        // On an idle queue the marker itself takes a moment.
        for _ in 0..PATIENCE {
            if marker.is_over() {
                return Ok(true);
            }
            std::hint::spin_loop();
        }
        Ok(false)
    }

    /// A command that does nothing but keep its place in the order of the queue.
    pub(super) fn marker(&self, deps: Deps) -> UrResult<()> {
        self.behind_barrier(deps, |Deps { count, events, event }| {
            // SAFETY: live handles.
            unsafe { cl!(clEnqueueMarkerWithWaitList(*self.raw, count, events, event)) }
        })
    }

    /// A command that all later ones wait for.
    pub(super) fn barrier(&self, deps: Deps) -> UrResult<()> {
        let call = |Deps { count, events, event }: Deps| {
            // SAFETY: live handles.
            unsafe { cl!(clEnqueueBarrierWithWaitList(*self.raw, count, events, event)) }
        };
        if kit::Queue::is_in_order(self) {
            return call(deps);
        }
        let (mut own, is_wanted) = (std::ptr::null_mut(), !deps.event.is_null());
        let event = if is_wanted { deps.event } else { &raw mut own };
        self.behind_barrier(Deps { event, ..deps }, call)?;
        // SAFETY: the event of the barrier, of which the client gets a reference if it wants one.
        let barrier = RawEvent(unsafe { NativeRef::wrap(*event, !is_wanted) }?);
        *self.barrier.lock() = Some(barrier);
        Ok(())
    }

    /// Calls for a marker or a barrier. With events of their own, those of Intel's driver do not wait for the barrier before
    /// them if the queue is out of order, so its event is one more.
    fn behind_barrier(&self, deps: Deps, call: impl FnOnce(Deps) -> UrResult<()>) -> UrResult<()> {
        // The lock is not held while the driver is called, which may call back.
        let barrier = match deps.count {
            0 => None,
            _ => self.unfinished_barrier()?,
        };
        match barrier {
            Some(barrier) => {
                // SAFETY: as many events as it says.
                let own = unsafe { std::slice::from_raw_parts(deps.events, deps.count as usize) };
                let events: SmallVec<[cl_event; 16]> = own.iter().copied().chain([*barrier.0]).collect();
                let (count, event) = (events.len() as cl_uint, deps.event);
                let events = events.as_ptr();
                call(Deps { count, events, event })
            }
            None => call(deps),
        }
    }

    /// Another reference of the last barrier's event, unless that is over. In-order queues have none.
    fn unfinished_barrier(&self) -> UrResult<Option<RawEvent>> {
        let mut last = self.barrier.lock();
        if last.as_ref().is_some_and(RawEvent::is_over) {
            *last = None;
        }
        last.as_ref().map(RawEvent::again).transpose()
    }

    /// An event behind all commands so far, which are on their way to the device.
    pub(super) fn mark(&self) -> UrResult<RawEvent> {
        let mut raw = std::ptr::null_mut();
        let deps = Deps {
            count: 0,
            events: std::ptr::null(),
            event: &mut raw,
        };
        self.alone(|| self.marker(deps))?;
        // SAFETY: the event of the marker.
        let marker = RawEvent(unsafe { NativeRef::new(raw) });
        // SAFETY: as above.
        unsafe { cl!(clFlush(*self.raw)) }?;
        Ok(marker)
    }

    /// Makes a call that puts a command into the queue and does not wait for it, while no other thread does so if the queue is
    /// out of order.
    #[inline(always)]
    fn alone(&self, call: impl FnOnce() -> UrResult<()>) -> UrResult<()> {
        let _alone = if kit::Queue::is_in_order(self) {
            None
        } else {
            self.calls.enter()
        };
        call()
    }

    /// Submits a command by `call`, which gets whether it is to wait for the command, and what OpenCL wants to know about
    /// events.
    #[inline(always)]
    pub(super) fn enqueue(
        self: &Arc<Self>,
        command: CommandType,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
        call: impl FnOnce(cl_bool, Deps) -> UrResult<()>,
    ) -> UrResult<()> {
        let mut raw: cl_event = std::ptr::null_mut();
        let mut deps = Deps {
            count: 0,
            events: std::ptr::null(),
            event: if event.wanted() { &mut raw } else { std::ptr::null_mut() },
        };
        let events;
        if !wait.is_empty() {
            events = self.raw_events(wait)?;
            (deps.count, deps.events) = (events.len() as cl_uint, events.as_ptr());
        }
        let called = if blocking && !kit::Queue::is_in_order(&**self) {
            self.call_and_wait(deps, call)
        } else {
            self.alone(|| call(cl_bool::from(blocking), deps))
        };
        if let Err(error) = called {
            self.failed(raw);
            return Err(error);
        }
        self.mark.set();
        if event.wanted() {
            self.leave(raw, command, event);
        }
        Ok(())
    }

    /// Waits for a command by its event, since nobody may wait inside of [`alone`](Self::alone).
    fn call_and_wait(&self, deps: Deps, call: impl FnOnce(cl_bool, Deps) -> UrResult<()>) -> UrResult<()> {
        let (mut own, is_wanted) = (std::ptr::null_mut(), !deps.event.is_null());
        let event = if is_wanted { deps.event } else { &raw mut own };
        let called = self.alone(|| call(CL_FALSE, Deps { event, ..deps }));
        self.mark.set();
        if called.is_err() && !is_wanted {
            self.failed(own);
        }
        called?;
        // SAFETY: the event of the command, of which the caller gets a reference if it wants one.
        RawEvent(unsafe { NativeRef::wrap(*event, !is_wanted) }?).wait()
    }

    /// Hands the client the event of a command. Not inlined, for all that it needs.
    #[inline(never)]
    fn leave(self: &Arc<Self>, raw: cl_event, command: CommandType, event: Out<'_>) {
        // SAFETY: the event that the driver gave the command.
        let raw = RawEvent(unsafe { NativeRef::new(raw) });
        let new = Event::new(raw, self.number, self.context.number(), command);
        if self.released.load(Ordering::Relaxed) {
            new.keep(self);
        }
        event.set(new);
    }

    /// Clears up after a command that failed, perhaps after the driver had given it an event.
    #[cold]
    fn failed(&self, event: cl_event) {
        // A part of it may be in the queue.
        self.mark.set();
        if !event.is_null() {
            // SAFETY: an event that nobody else knows.
            drop(RawEvent(unsafe { NativeRef::new(event) }));
        }
    }

    /// The OpenCL events of a wait list, on the stack unless there are many.
    #[inline(never)]
    fn raw_events(&self, wait: Wait<'_>) -> UrResult<SmallVec<[cl_event; 16]>> {
        if let Some(stranger) = wait.iter().find(|event| !event.is_of(&self.context)) {
            kit::bail!(
                ERROR_INVALID_CONTEXT: "an event of the wait list ({:?}) belongs to another context",
                kit::handle_of(&stranger)
            );
        }
        Ok(raw_events(wait))
    }
}
