// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events.
//!
//! An event of a command keeps no reference of its queue as long as the client has one: that would cost more than all else
//! that it costs here. It has the queue's number, by which the queue is found when somebody asks. When the client releases the
//! queue, the queue finds its events, and from then on they keep it, and it keeps its context. One with a callback keeps it from
//! the beginning, since the client may release the event before it is complete.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{
    CommandType, EventHandle, EventInfo, EventStatus, ExecutionInfo, NativeHandle, ProfilingInfo, ResultCode,
};
use kit::{Callback, HandleCell, InfoOut, NativeRef, UniqueId, UrResult, WaitList};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::OnceLock;
use smallvec::SmallVec;

use crate::cl::{self, Ask, EventObject, cl, cl_create, query};
use crate::{Context, OpenCl, Queue, conv};

/// An event.
pub(crate) struct Event {
    pub(crate) handle_cell: HandleCell,
    raw: RawEvent,
    /// What it began with, if that was another command.
    began: Box<[RawEvent]>,
    /// The number of its context.
    context: UniqueId,
    owner: Owner,
    command: CommandType,
}

/// What an event belongs to.
enum Owner {
    /// The queue of its command, which has this number; itself once the client has released it.
    Queue(UniqueId, OnceLock<Arc<Queue>>),
    /// A context: the event is a native one. Its queue, if somebody has asked for it.
    Context(Arc<Context>, OnceLock<Arc<Queue>>),
    /// A command of a command buffer, which the client knows before it is submitted. The event's own is a user event, for
    /// those that wait by then.
    Command(Box<Promised>),
}

/// A command that will be submitted to some queue of a context.
struct Promised {
    context: Arc<Context>,
    /// Its event, once it was.
    submitted: OnceLock<RawEvent>,
}

impl Event {
    #[inline]
    fn with(raw: RawEvent, began: Box<[RawEvent]>, context: UniqueId, owner: Owner, command: CommandType) -> Self {
        Self {
            handle_cell: HandleCell::new(),
            raw,
            began,
            context,
            owner,
            command,
        }
    }

    /// The event of a command in a queue of a context.
    #[inline]
    pub(crate) fn new(raw: RawEvent, queue: UniqueId, context: UniqueId, command: CommandType) -> Arc<Self> {
        let owner = Owner::Queue(queue, OnceLock::new());
        kit::recycled(Self::with(raw, Box::default(), context, owner, command))
    }

    /// Whether it is of a context.
    pub(crate) fn is_of(&self, context: &Context) -> bool {
        self.context == context.number()
    }

    /// Keeps its queue, which the client has released.
    pub(crate) fn keep(&self, queue: &Arc<Queue>) {
        if let Owner::Queue(_, kept) = &self.owner {
            kept.get_or_init(|| queue.clone());
        }
    }

    /// The queue of its command, if it has one.
    fn queue(&self) -> Option<Arc<Queue>> {
        match &self.owner {
            Owner::Queue(number, kept) => kept.get().cloned().or_else(|| Queue::numbered(*number)),
            Owner::Context(context, queue) => match queue.get() {
                Some(queue) => Some(queue.clone()),
                None => {
                    let found = Queue::of_native(context, self.raw.queue()?).ok()?;
                    Some(queue.get_or_init(|| found).clone())
                }
            },
            Owner::Command(_) => None,
        }
    }

    /// An event that is of no command of ours.
    fn of_context(context: &Arc<Context>, raw: RawEvent, command: CommandType) -> Arc<Self> {
        let owner = Owner::Context(context.clone(), OnceLock::new());
        Arc::new(Self::with(raw, Box::default(), context.number(), owner, command))
    }

    /// The context that it is of.
    fn context(&self) -> Option<Arc<Context>> {
        match &self.owner {
            Owner::Queue(..) => self.queue().map(|queue| queue.context.clone()),
            Owner::Context(context, _) => Some(context.clone()),
            Owner::Command(promised) => Some(promised.context.clone()),
        }
    }

    /// Whether its command was not submitted yet, and may still be.
    fn is_to_come(&self) -> bool {
        matches!(&self.owner, Owner::Command(promised) if promised.submitted.get().is_none() && !self.raw.is_over())
    }

    /// What is to be waited for, and asked.
    #[inline]
    fn current(&self) -> &RawEvent {
        match &self.owner {
            Owner::Command(promised) => promised.submitted.get().unwrap_or(&self.raw),
            _ => &self.raw,
        }
    }
}

/// A reference of an OpenCL event.
pub(crate) struct RawEvent(pub(crate) NativeRef<EventObject>);

impl RawEvent {
    /// Its execution status; negative for a command that failed.
    pub(crate) fn status(&self) -> UrResult<cl_int> {
        self.0.ask(CL_EVENT_COMMAND_EXECUTION_STATUS)
    }

    /// The driver's queue that its command is in; none for a user event.
    fn queue(&self) -> Option<cl_command_queue> {
        let queue = self.0.ask::<*mut c_void>(CL_EVENT_COMMAND_QUEUE);
        queue.ok().filter(|queue| !queue.is_null())
    }

    /// Another reference of the same event.
    pub(crate) fn again(&self) -> UrResult<Self> {
        self.0.again().map(Self)
    }

    /// When its command came how far, in nanoseconds of the device.
    fn time(&self, what: cl_profiling_info) -> UrResult<u64> {
        // SAFETY: a live event.
        unsafe { cl::value(query!(clGetEventProfilingInfo(*self.0, what))) }
    }

    /// Whether its command is complete, or failed. One whose status cannot be had is taken for unfinished.
    pub(crate) fn is_over(&self) -> bool {
        self.status().is_ok_and(|status| status <= CL_COMPLETE)
    }

    /// Has `call` called with the status that its command reaches: `status`, or a negative one if it fails.
    pub(crate) fn on_status<F: FnOnce(cl_int) + Send + 'static>(&self, status: cl_int, call: F) -> UrResult<()> {
        /// `data` is a `Box<F>`.
        unsafe extern "C" fn reached<F: FnOnce(cl_int)>(_event: cl_event, status: cl_int, data: *mut c_void) {
            // SAFETY: `on_status` gave the box away, and OpenCL calls once.
            let call = unsafe { Box::from_raw(data.cast::<F>()) };
            call(status);
        }
        let data = Box::into_raw(Box::new(call));
        // SAFETY: a live event, and a function for the data that it gets.
        let set = unsafe { cl!(clSetEventCallback(*self.0, status, Some(reached::<F>), data.cast())) };
        if set.is_err() {
            // SAFETY: OpenCL did not take it.
            drop(unsafe { Box::from_raw(data) });
        }
        set
    }

    /// Waits until its command is over. That it failed is an error, too.
    pub(crate) fn wait(&self) -> UrResult<()> {
        // SAFETY: a live event.
        unsafe { cl!(clWaitForEvents(1, &raw const *self.0)) }
    }
}

/// The OpenCL events of a wait list, on the stack unless there are many.
pub(crate) fn raw_events(wait: WaitList<'_, OpenCl>) -> SmallVec<[cl_event; 16]> {
    wait.iter().map(|event| *event.current().0).collect()
}

impl kit::Object for Event {
    type Handle = EventHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }

    /// The number of its queue.
    #[inline]
    fn group(&self) -> u64 {
        match &self.owner {
            Owner::Queue(number, _) => number.get(),
            Owner::Context(..) | Owner::Command(_) => 0,
        }
    }
}

impl kit::Event<OpenCl> for Event {
    fn info(&self, query: EventInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            EventInfo::COMMAND_QUEUE => match self.queue() {
                Some(queue) => out.handle(&queue),
                None => out.unsupported(),
            },
            EventInfo::CONTEXT => match self.context() {
                Some(context) => out.handle(&context),
                None => out.unsupported(),
            },
            EventInfo::COMMAND_TYPE => out.value(self.command),
            // A user event says that its command is submitted.
            EventInfo::COMMAND_EXECUTION_STATUS if self.is_to_come() => out.value(EventStatus::QUEUED),
            EventInfo::COMMAND_EXECUTION_STATUS => {
                // Intel's driver says of a command that failed that it is complete; a user event says what it was told.
                let told = matches!(self.owner, Owner::Command(_)) && self.raw.is_over();
                let event = if told { &self.raw } else { self.current() };
                let status = conv::EVENT_STATUS.to_ur(event.status()?);
                out.value(status.unwrap_or(EventStatus::ERROR))
            }
            _ => out.unsupported(),
        }
    }

    fn profiling_info(&self, query: ProfilingInfo, out: InfoOut<'_>) -> UrResult<()> {
        let Ok(what) = conv::PROFILING_INFO.to_cl(query) else {
            return out.unsupported();
        };
        let mut time = self.current().time(what)?;
        // Until it runs, how far a run has come is for the first command to say.
        if !matches!(what, CL_PROFILING_COMMAND_END | CL_PROFILING_COMMAND_COMPLETE) {
            for first in &self.began {
                time = time.min(first.time(what)?);
            }
        }
        out.value(time)
    }

    fn wait_all(events: WaitList<'_, OpenCl>) -> UrResult<()> {
        // Nearly always it is one.
        if events.len() == 1
            && let Some(event) = events.iter().next()
        {
            return event.current().wait();
        }
        let mut contexts = events.iter().map(|event| event.context);
        let first = contexts.next();
        if contexts.any(|context| Some(context) != first) {
            // OpenCL waits for events of one context only. To the last one, even if one has failed.
            return events
                .iter()
                .map(|event| event.current().wait())
                .fold(Ok(()), Result::and);
        }
        let raw = raw_events(events);
        // SAFETY: live events.
        unsafe { cl!(clWaitForEvents(raw.len() as cl_uint, raw.as_ptr())) }
    }

    fn set_callback(self: &Arc<Self>, status: ExecutionInfo, callback: Callback) -> UrResult<()> {
        let status = conv::EXECUTION_INFO.to_cl(status);
        let status = status.map_err(|_| ResultCode::ERROR_UNSUPPORTED_ENUMERATION)?;
        // The callback may ask for the queue, and the client may have released both by then.
        if let Some(queue) = self.queue() {
            self.keep(&queue);
        }
        let event = self.clone();
        self.current().on_status(status, move |status| {
            // A command that failed is over, too: there is no better word for it.
            let status = conv::EXECUTION_INFO.to_ur(status).unwrap_or(ExecutionInfo::COMPLETE);
            callback.call(&event, status);
            kit::SoftwareEvent::defer_drop(event);
        })
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        if let Some(context) = self.context() {
            context.share();
        }
        Ok(*self.raw.0 as NativeHandle)
    }

    fn from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        let native = native as cl_event;
        // SAFETY: the client vouches for its native handle.
        let kind: u32 = unsafe { NativeRef::<EventObject>::borrowed(native) }.ask(CL_EVENT_COMMAND_TYPE)?;
        // SAFETY: as above.
        let raw = unsafe { NativeRef::wrap(native, owned) }?;
        // A user event, say, has no UR name; a wait comes nearest.
        let command = conv::COMMANDS.to_ur(kind).unwrap_or(CommandType::EVENTS_WAIT);
        Ok(Self::of_context(context, RawEvent(raw), command))
    }

    fn complete(context: &Arc<Context>) -> UrResult<Arc<Self>> {
        // SAFETY: a live context.
        let raw = RawEvent(unsafe { cl_create!(clCreateUserEvent(*context.raw)) }?);
        // SAFETY: a live user event, whose status was not set.
        unsafe { cl!(clSetUserEventStatus(*raw.0, CL_COMPLETE)) }?;
        Ok(Self::of_context(context, raw, CommandType::EVENTS_WAIT))
    }
}

impl Event {
    /// Makes it that of a command that was submitted.
    fn follow(&self, command: &RawEvent) -> UrResult<()> {
        let (submitted, event) = (command.again()?, self.raw.again()?);
        command.on_status(CL_COMPLETE, move |status| end(&event, status))?;
        if let Owner::Command(promised) = &self.owner {
            _ = promised.submitted.set(submitted);
        }
        Ok(())
    }
}

impl kit::SoftwareEvent<OpenCl> for Event {
    fn for_execution(command: CommandType, firsts: &[Arc<Self>], last: &Arc<Self>) -> UrResult<Arc<Self>> {
        let began = firsts.iter().map(|first| first.raw.again()).collect::<UrResult<_>>()?;
        let Owner::Queue(queue, _) = last.owner else {
            return Err(ResultCode::ERROR_INVALID_EVENT.into());
        };
        let (raw, owner) = (last.raw.again()?, Owner::Queue(queue, OnceLock::new()));
        Ok(kit::recycled(Self::with(raw, began, last.context, owner, command)))
    }

    fn create_pending(context: &Arc<Context>, command: CommandType) -> UrResult<Arc<Self>> {
        // SAFETY: a live context.
        let raw = RawEvent(unsafe { cl_create!(clCreateUserEvent(*context.raw)) }?);
        let owner = Owner::Command(Box::new(Promised {
            context: context.clone(),
            submitted: OnceLock::new(),
        }));
        let number = context.number();
        Ok(Arc::new(Self::with(raw, Box::default(), number, owner, command)))
    }

    fn resolve(&self, command: Option<&Arc<Self>>) {
        match command.map(|command| self.follow(&command.raw)) {
            Some(Ok(())) => return,
            Some(Err(error)) => log::warn!("an event fails although its command may not: {error}"),
            None => log::info!("the event of a command fails that was never run"),
        }
        end(&self.raw, CL_OUT_OF_RESOURCES);
    }

    fn defer_drop(event: Arc<Self>) {
        if let Some(last) = Arc::into_inner(event) {
            kit::defer_drop(last);
        }
    }
}

/// Sets the status of a user event, which was not set before.
fn end(event: &RawEvent, status: cl_int) {
    // SAFETY: a live user event.
    if let Err(error) = unsafe { cl!(clSetUserEventStatus(*event.0, status)) } {
        log::error!("an event that others wait for cannot be ended: {error}");
    }
}
