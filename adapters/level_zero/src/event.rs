// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events: the client's handles of commands.
//!
//! An event has one of Level Zero from the context's [`pool`]s. A pending event, of a command that is yet to be submitted,
//! has one that the host signals. Level Zero calls nobody back, so a thread [watches](watcher) events that have callbacks.

pub(crate) mod pool;
pub(crate) mod watcher;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::ur::{CommandType, EventInfo, EventStatus, ExecutionInfo, NativeHandle, ProfilingInfo, ResultCode};
use kit::{Callback, HandleCell, InfoOut, UrError, UrResult, WaitList};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::OnceLock;

pub(crate) use self::pool::{EventRef, EventType};
use crate::{Context, Device, LevelZero, Queue};

/// An event.
pub(crate) struct Event {
    pub(crate) handle_cell: HandleCell,
    raw: EventRef,
    /// What it began with, if that was another command.
    began: Box<[EventRef]>,
    pending: Option<Box<Pending>>,
    /// When its command was submitted, on a queue for profiling.
    submitted: u64,
    /// Whether it is known to be complete.
    over: AtomicBool,
    command: CommandType,
    owner: Owner,
}

/// What an event belongs to.
enum Owner {
    /// The queue of its command.
    Queue(Arc<Queue>),
    /// A context: it is a native event, or that of a command which may run on any queue.
    Context(Arc<Context>),
}

/// A command that will be submitted.
#[derive(Default)]
struct Pending {
    /// Its event, once it was.
    command: OnceLock<EventRef>,
    /// Whether it never will be.
    failed: AtomicBool,
}

impl Event {
    fn with(raw: EventRef, command: CommandType, owner: Owner) -> Self {
        Self {
            handle_cell: HandleCell::new(),
            raw,
            began: Box::default(),
            pending: None,
            submitted: 0,
            over: AtomicBool::new(false),
            command,
            owner,
        }
    }

    /// The event of a command.
    #[inline]
    pub(crate) fn new(raw: EventRef, queue: &Arc<Queue>, command: CommandType, submitted: u64) -> Arc<Self> {
        let event = Self::with(raw, command, Owner::Queue(queue.clone()));
        kit::recycled(Self { submitted, ..event })
    }

    /// The context that it is of.
    pub(crate) fn context(&self) -> &Arc<Context> {
        match &self.owner {
            Owner::Queue(queue) => &queue.context,
            Owner::Context(context) => context,
        }
    }

    /// Whether its command is in this queue.
    pub(crate) fn is_in(&self, queue: &Queue) -> bool {
        match &self.owner {
            Owner::Queue(own) => std::ptr::eq(&**own, queue) && self.pending.is_none(),
            Owner::Context(_) => false,
        }
    }

    fn device(&self) -> &Arc<Device> {
        match &self.owner {
            Owner::Queue(queue) => &queue.device,
            Owner::Context(context) => &context.devices[0],
        }
    }

    /// What is to be waited for, and asked.
    #[inline]
    pub(crate) fn current(&self) -> &EventRef {
        let submitted = self.pending.as_ref().and_then(|pending| pending.command.get());
        submitted.unwrap_or(&self.raw)
    }

    /// Whether its command is complete, or failed.
    pub(crate) fn is_over(&self) -> bool {
        if self.over.load(Ordering::Acquire) {
            return true;
        }
        let over = self.current().is_over();
        if over {
            self.over.store(true, Ordering::Release);
        }
        over
    }

    /// Whether its command will never be submitted.
    fn failed(&self) -> bool {
        let pending = self.pending.as_ref();
        pending.is_some_and(|pending| pending.failed.load(Ordering::Acquire))
    }

    /// Whether its command was not submitted yet, and may still be.
    fn is_to_come(&self) -> bool {
        let pending = self.pending.as_ref();
        pending.is_some_and(|pending| pending.command.get().is_none()) && !self.failed()
    }

    fn wait(&self) -> UrResult<()> {
        // A pending event is signalled when the command that it is about to get is complete.
        self.current().wait()?;
        if self.failed() {
            return Err(UrError::with_message(
                ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS,
                format!("the command {:?} was never submitted", self.command),
            ));
        }
        Ok(())
    }

    /// When its command began and ended, in nanoseconds.
    fn times(&self, event: &EventRef) -> UrResult<(u64, u64)> {
        if !event.is_timed() || !event.is_over() {
            return Err(ResultCode::ERROR_PROFILING_INFO_NOT_AVAILABLE.into());
        }
        Ok(self.device().facts.kernel_times(&event.timestamps()?.global))
    }
}

impl kit::Event<LevelZero> for Event {
    fn info(&self, query: EventInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            EventInfo::COMMAND_QUEUE => match &self.owner {
                Owner::Queue(queue) => out.handle(queue),
                Owner::Context(_) => out.unsupported(),
            },
            EventInfo::CONTEXT => out.handle(self.context()),
            EventInfo::COMMAND_TYPE => out.value(self.command),
            EventInfo::COMMAND_EXECUTION_STATUS => out.value(if self.is_to_come() {
                EventStatus::QUEUED
            } else if !self.is_over() {
                EventStatus::SUBMITTED
            } else if self.failed() {
                EventStatus::ERROR
            } else {
                EventStatus::COMPLETE
            }),
            _ => out.unsupported(),
        }
    }

    fn profiling_info(&self, query: ProfilingInfo, out: InfoOut<'_>) -> UrResult<()> {
        let current = self.current();
        if !current.is_timed() {
            return Err(ResultCode::ERROR_PROFILING_INFO_NOT_AVAILABLE.into());
        }
        let time = match query {
            ProfilingInfo::COMMAND_QUEUED | ProfilingInfo::COMMAND_SUBMIT => self.submitted,
            ProfilingInfo::COMMAND_START => {
                let (mut start, _) = self.times(current)?;
                for first in &self.began {
                    start = start.min(self.times(first)?.0);
                }
                start
            }
            ProfilingInfo::COMMAND_END | ProfilingInfo::COMMAND_COMPLETE => self.times(current)?.1,
            _ => return out.unsupported(),
        };
        out.value(time)
    }

    fn wait_all(events: WaitList<'_, LevelZero>) -> UrResult<()> {
        // To the last one, even if one has failed.
        events.iter().map(|event| event.wait()).fold(Ok(()), Result::and)
    }

    fn set_callback(self: &Arc<Self>, status: ExecutionInfo, callback: Callback) -> UrResult<()> {
        // Level Zero does not tell when a command begins.
        let reached = status != ExecutionInfo::COMPLETE && !self.is_to_come();
        if reached || self.is_over() {
            callback.call(self, status);
            return Ok(());
        }
        let event = self.clone();
        watcher::when_over(self.current(), move || {
            callback.call(&event, status);
            kit::SoftwareEvent::defer_drop(event);
        })
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        Ok(self.current().handle() as NativeHandle)
    }

    fn from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        // SAFETY: the client vouches for its native handle.
        let raw = unsafe { EventRef::from_native(native as ze_event_handle_t, owned) };
        let owner = Owner::Context(context.clone());
        Ok(Arc::new(Self::with(raw, CommandType::EVENTS_WAIT, owner)))
    }

    fn complete(context: &Arc<Context>) -> UrResult<Arc<Self>> {
        let raw = context.shared.events.take(EventType::default())?;
        raw.signal();
        let owner = Owner::Context(context.clone());
        Ok(Arc::new(Self::with(raw, CommandType::EVENTS_WAIT, owner)))
    }
}

impl kit::SoftwareEvent<LevelZero> for Event {
    fn for_execution(command: CommandType, firsts: &[Arc<Self>], last: &Arc<Self>) -> UrResult<Arc<Self>> {
        let Owner::Queue(queue) = &last.owner else {
            return Err(ResultCode::ERROR_INVALID_EVENT.into());
        };
        let submitted = firsts.iter().chain([last]).map(|event| event.submitted).min();
        let event = Self::with(last.raw.clone(), command, Owner::Queue(queue.clone()));
        Ok(kit::recycled(Self {
            began: firsts.iter().map(|first| first.raw.clone()).collect(),
            submitted: submitted.unwrap_or(0),
            ..event
        }))
    }

    fn create_pending(context: &Arc<Context>, command: CommandType) -> UrResult<Arc<Self>> {
        let event = Self::with(
            context.shared.events.take(EventType::default())?,
            command,
            Owner::Context(context.clone()),
        );
        Ok(Arc::new(Self {
            pending: Some(Box::default()),
            ..event
        }))
    }

    fn resolve(&self, command: Option<&Arc<Self>>) {
        let Some(pending) = &self.pending else { return };
        let end = self.raw.clone();
        match command {
            Some(command) => {
                let command = command.current();
                if let Err(error) = watcher::when_over(command, move || end.signal()) {
                    log::error!("an event that others wait for is signalled too early: {error}");
                    self.raw.signal();
                }
                _ = pending.command.set(command.clone());
            }
            None => {
                log::info!("the event of a command fails that was never run");
                pending.failed.store(true, Ordering::Release);
                end.signal();
            }
        }
    }

    fn defer_drop(event: Arc<Self>) {
        if let Some(last) = Arc::into_inner(event) {
            kit::defer_drop(last);
        }
    }
}
