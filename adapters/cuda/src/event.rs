// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events: the client's handles of commands.
//!
//! An event has the [signal](crate::signal) of its command. A pending event, of a command that is yet to be submitted,
//! has one that the host gives. CUDA calls nobody back without holding up a stream, so a thread [watches](watcher)
//! signals.

pub(crate) mod watcher;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::ur::{CommandType, EventInfo, EventStatus, ExecutionInfo, NativeHandle, ProfilingInfo, ResultCode};
use kit::{Callback, HandleCell, InfoOut, UrError, UrResult, WaitList};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::CUevent;
use oxur_fork::OnceLock;

use crate::lane::Point;
use crate::signal::{HostSignal, NativeEvent, Signal};
use crate::{Context, Cuda, Queue, driver};

/// An event.
pub(crate) struct Event {
    pub(crate) handle_cell: HandleCell,
    signal: Signal,
    /// What it began with, if that was another command.
    began: Box<[Signal]>,
    pending: Option<Box<Pending>>,
    /// When its command was submitted, on a queue for profiling.
    submitted: u64,
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
    /// Its signal, once it was.
    command: OnceLock<Signal>,
    /// Whether it never will be.
    failed: AtomicBool,
}

impl Event {
    fn with(signal: Signal, command: CommandType, owner: Owner) -> Self {
        Self {
            handle_cell: HandleCell::new(),
            signal,
            began: Box::default(),
            pending: None,
            submitted: 0,
            command,
            owner,
        }
    }

    /// The event of a command.
    #[inline]
    pub(crate) fn new(point: Arc<Point>, queue: &Arc<Queue>, command: CommandType, submitted: u64) -> Arc<Self> {
        let event = Self::with(Signal::Point(point), command, Owner::Queue(queue.clone()));
        kit::recycled(Self { submitted, ..event })
    }

    /// The context that it is of.
    pub(crate) fn context(&self) -> &Arc<Context> {
        match &self.owner {
            Owner::Queue(queue) => &queue.context,
            Owner::Context(context) => context,
        }
    }

    /// What is to be waited for, and asked.
    #[inline]
    pub(crate) fn current(&self) -> &Signal {
        let submitted = self.pending.as_ref().and_then(|pending| pending.command.get());
        submitted.unwrap_or(&self.signal)
    }

    /// Whether its command is complete, or failed.
    pub(crate) fn is_over(&self) -> bool {
        self.current().is_over()
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
        if driver::is_lost() {
            return Err(driver::forked("cuEventSynchronize"));
        }
        // That of the host comes when the command that a pending event is about to get is complete.
        self.current().wait()?;
        if self.failed() {
            return Err(UrError::with_message(
                ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS,
                format!("the command {:?} was never submitted", self.command),
            ));
        }
        // A fault after the host's signal is in the command's own.
        match &self.pending {
            Some(_) => self.current().wait(),
            None => Ok(()),
        }
    }
}

/// When the command of a signal began and ended.
fn times(signal: &Signal) -> UrResult<(u64, u64)> {
    match signal {
        Signal::Point(point) => point.times(),
        _ => None,
    }
    .unwrap_or_else(|| Err(ResultCode::ERROR_PROFILING_INFO_NOT_AVAILABLE.into()))
}

impl kit::Event<Cuda> for Event {
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
        if !current.is_over() {
            return Err(ResultCode::ERROR_PROFILING_INFO_NOT_AVAILABLE.into());
        }
        let (mut start, end) = times(current)?;
        for first in &self.began {
            start = start.min(times(first)?.0);
        }
        if self.command == CommandType::TIMESTAMP_RECORDING_EXP {
            start = end;
        }
        // The clocks of host and device differ by some microseconds.
        let start = start.max(self.submitted);
        let end = end.max(start);
        let time = match query {
            ProfilingInfo::COMMAND_QUEUED | ProfilingInfo::COMMAND_SUBMIT => self.submitted,
            ProfilingInfo::COMMAND_START => start,
            ProfilingInfo::COMMAND_END | ProfilingInfo::COMMAND_COMPLETE => end,
            _ => return out.unsupported(),
        };
        out.value(time)
    }

    fn wait_all(events: WaitList<'_, Cuda>) -> UrResult<()> {
        // To the last one, even if one has failed.
        events.iter().map(|event| event.wait()).fold(Ok(()), Result::and)
    }

    fn set_callback(self: &Arc<Self>, status: ExecutionInfo, callback: Callback) -> UrResult<()> {
        // CUDA does not tell when a command begins.
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
        match self.current() {
            Signal::Point(point) => Ok(point.exact_event()? as NativeHandle),
            Signal::Native(event) => Ok(event.raw as NativeHandle),
            Signal::Host(_) | Signal::Complete => Err(UrError::with_message(
                ResultCode::ERROR_UNSUPPORTED_FEATURE,
                "an event of no command has none of CUDA",
            )),
        }
    }

    fn from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        // SAFETY: the client vouches for its native handle.
        let event = unsafe { NativeEvent::new(native as CUevent, owned, context.primary()) };
        let owner = Owner::Context(context.clone());
        let signal = Signal::Native(Arc::new(event));
        Ok(Arc::new(Self::with(signal, CommandType::EVENTS_WAIT, owner)))
    }

    fn complete(context: &Arc<Context>) -> UrResult<Arc<Self>> {
        let owner = Owner::Context(context.clone());
        Ok(Arc::new(Self::with(Signal::Complete, CommandType::EVENTS_WAIT, owner)))
    }
}

impl kit::SoftwareEvent<Cuda> for Event {
    fn for_execution(command: CommandType, firsts: &[Arc<Self>], last: &Arc<Self>) -> UrResult<Arc<Self>> {
        let Owner::Queue(queue) = &last.owner else {
            return Err(ResultCode::ERROR_INVALID_EVENT.into());
        };
        let submitted = firsts.iter().chain([last]).map(|event| event.submitted).min();
        let event = Self::with(last.signal.clone(), command, Owner::Queue(queue.clone()));
        Ok(kit::recycled(Self {
            began: firsts.iter().map(|first| first.signal.clone()).collect(),
            submitted: submitted.unwrap_or(0),
            ..event
        }))
    }

    fn create_pending(context: &Arc<Context>, command: CommandType) -> UrResult<Arc<Self>> {
        let signal = Signal::Host(Arc::new(HostSignal::new(context.primary())?));
        let event = Self::with(signal, command, Owner::Context(context.clone()));
        Ok(Arc::new(Self {
            pending: Some(Box::default()),
            ..event
        }))
    }

    fn resolve(&self, command: Option<&Arc<Self>>) {
        let (Some(pending), Signal::Host(end)) = (&self.pending, &self.signal) else {
            return;
        };
        match command {
            Some(command) => {
                let command = command.current();
                let signal = end.clone();
                if let Err(error) = watcher::when_over(command, move || signal.signal()) {
                    log::error!("an event that others wait for is signalled too early: {error}");
                    end.signal();
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
