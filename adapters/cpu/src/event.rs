// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events: the client's handles of commands.

mod reusable;

use std::sync::Arc;

use kit::ur::{
    CommandType, EventInfo, EventStatus, ExecutionInfo, ExpEventFlags, NativeHandle, ProfilingInfo, ResultCode,
};
use kit::{Callback, HandleCell, InfoOut, UrError, UrResult, WaitList};
use oxur_adapter_kit as kit;
use oxur_device_cpu::exec::{Node, ProfilingTimes, Status, client_threads};

use self::reusable::Reusable;
use crate::ipc::SharedEvent;
use crate::opencl::{self, NativeCell};
use crate::{Context, Cpu, Device, Queue};

/// An event.
pub(crate) struct Event {
    pub(crate) handle_cell: HandleCell,
    pub(crate) native: NativeCell,
    owner: Owner,
    command: CommandType,
    state: State,
}

/// The object that an event belongs to.
enum Owner {
    /// The queue of its command.
    Queue(Arc<Queue>),
    /// The context of a command buffer, which may run on any queue, or of a reusable event.
    Context(Arc<Context>),
}

/// The state of the command.
enum State {
    /// The command had ended when the event was created.
    Over {
        /// Zeros, unless the queue has profiling.
        times: ProfilingTimes,
        well: bool,
    },
    /// The command is a task.
    Task(Arc<dyn Node>),
    /// The event is reusable: its state is that of the command that signalled it last.
    Reusable(Reusable),
}

impl Event {
    /// The event of a command that has ended. `well` says whether it succeeded.
    #[inline(always)]
    pub(crate) fn over(queue: &Arc<Queue>, command: CommandType, times: ProfilingTimes, well: bool) -> Arc<Self> {
        let state = State::Over { times, well };
        kit::recycled(Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            owner: Owner::Queue(queue.clone()),
            command,
            state,
        })
    }

    /// The event of a task.
    pub(crate) fn new(queue: &Arc<Queue>, command: CommandType, task: Arc<dyn Node>) -> Arc<Self> {
        let state = State::Task(task);
        kit::recycled(Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            owner: Owner::Queue(queue.clone()),
            command,
            state,
        })
    }

    /// The event of a command of a command buffer, for one run.
    pub(crate) fn for_execution(context: &Arc<Context>, command: CommandType, task: Arc<dyn Node>) -> Arc<Self> {
        kit::recycled(Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            owner: Owner::Context(context.clone()),
            command,
            state: State::Task(task),
        })
    }

    /// The node of its command, or `None` if the command had ended when the event was created. A reusable event is an error:
    /// its command changes, but a command buffer's dependencies are fixed when it is recorded.
    pub(crate) fn node(&self) -> UrResult<Option<&Arc<dyn Node>>> {
        match &self.state {
            State::Task(task) => Ok(Some(task)),
            State::Over { .. } => Ok(None),
            State::Reusable(_) => Err(kit::error!(
                ERROR_UNSUPPORTED_FEATURE: "commands of command buffers cannot wait for reusable events"
            )),
        }
    }

    /// The queue of its command; `None` for a command of a command buffer.
    pub(crate) fn queue(&self) -> Option<&Arc<Queue>> {
        match &self.owner {
            Owner::Queue(queue) => Some(queue),
            Owner::Context(_) => None,
        }
    }

    /// The context of its command.
    pub(crate) fn context(&self) -> &Arc<Context> {
        match &self.owner {
            Owner::Queue(queue) => &queue.context,
            Owner::Context(context) => context,
        }
    }

    /// Whether its command has ended.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        match &self.state {
            State::Over { .. } => true,
            State::Task(task) => task.is_over(),
            State::Reusable(event) => event.is_over(),
        }
    }

    /// Whether its command has failed.
    #[inline]
    pub(crate) fn failed(&self) -> bool {
        match &self.state {
            State::Over { well, .. } => !well,
            State::Task(task) => task.failed(),
            State::Reusable(event) => event.failed(),
        }
    }

    /// Makes an unsubmitted command depend on this one, and fail if this one does.
    pub(crate) fn before(&self, command: &Arc<dyn Node>) {
        match &self.state {
            State::Task(task) => command.wait_for(task, true),
            // The caller has checked that it did not fail.
            State::Over { .. } => {}
            State::Reusable(event) => {
                if let Some(current) = event.current(self.context()) {
                    current.before(command);
                }
            }
        }
    }

    fn wait(&self) -> UrResult<()> {
        let well = match &self.state {
            State::Over { well, .. } => *well,
            State::Task(task) => task.wait(),
            State::Reusable(event) => event.wait()?,
        };
        if well { Ok(()) } else { Err(self.error()) }
    }

    #[cold]
    fn error(&self) -> UrError {
        let words = match &self.owner {
            Owner::Queue(queue) => queue.failures.take_message(),
            Owner::Context(_) => None,
        };
        let words = words.unwrap_or_else(|| format!("the command {:?} failed", self.command));
        kit::error!(ERROR_IN_EVENT_LIST_EXEC_STATUS: "{words}")
    }

    fn status(&self) -> EventStatus {
        let status = match &self.state {
            State::Over { .. } => Status::Over,
            State::Task(task) => task.status(),
            State::Reusable(event) => return event.status(),
        };
        match status {
            Status::Queued => EventStatus::QUEUED,
            Status::Submitted => EventStatus::SUBMITTED,
            Status::Running => EventStatus::RUNNING,
            Status::Over if self.failed() => EventStatus::ERROR,
            Status::Over => EventStatus::COMPLETE,
        }
    }

    /// When its command reached each state, if that was recorded.
    pub(crate) fn profiling_times(&self) -> Option<ProfilingTimes> {
        match &self.state {
            State::Over { times, .. } => Some(*times),
            State::Task(task) => task.profiling_times(),
            State::Reusable(event) => event.profiling_times(),
        }
    }
}

impl kit::Event<Cpu> for Event {
    fn info(&self, query: EventInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            EventInfo::COMMAND_QUEUE => match &self.owner {
                Owner::Queue(queue) => out.handle(queue),
                Owner::Context(_) => match self.reusable().and_then(Reusable::local) {
                    Some(current) => current.info(query, out),
                    None => out.unsupported(),
                },
            },
            EventInfo::CONTEXT => out.handle(self.context()),
            EventInfo::COMMAND_TYPE => out.value(self.command),
            EventInfo::COMMAND_EXECUTION_STATUS => out.value(self.status()),
            _ => out.unsupported(),
        }
    }

    fn profiling_info(&self, query: ProfilingInfo, out: InfoOut<'_>) -> UrResult<()> {
        let mut times = self.profiling_times().unwrap_or_default();
        // A timestamp command has a single time.
        if self.command == CommandType::TIMESTAMP_RECORDING_EXP && times.ended != 0 {
            times.ended = times.started;
        }
        let time = match query {
            ProfilingInfo::COMMAND_QUEUED => times.queued,
            ProfilingInfo::COMMAND_SUBMIT => times.submitted,
            ProfilingInfo::COMMAND_START => times.started,
            ProfilingInfo::COMMAND_END | ProfilingInfo::COMMAND_COMPLETE => times.ended,
            _ => return out.unsupported(),
        };
        // The command has not reached the state, or the queue has no profiling.
        if time == 0 {
            return Err(ResultCode::ERROR_PROFILING_INFO_NOT_AVAILABLE.into());
        }
        out.value(time)
    }

    fn wait_all(events: WaitList<'_, Cpu>) -> UrResult<()> {
        // Waits for all events, even if one has failed.
        events.iter().map(|event| event.wait()).fold(Ok(()), Result::and)
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        opencl::native(self)
    }

    fn from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        let event: Arc<Self> = opencl::from_native(native, false)?;
        opencl::check_context(event.context(), context)?;
        opencl::from_native(native, owned)
    }

    fn create(context: &Arc<Context>, device: &Arc<Device>, flags: ExpEventFlags) -> UrResult<Arc<Self>> {
        context.check_device(device)?;
        let profiled = flags.contains(ExpEventFlags::ENABLE_PROFILING);
        let shared = match flags.contains(ExpEventFlags::IPC_EXP) {
            true if profiled => {
                kit::bail!(ERROR_UNSUPPORTED_FEATURE: "an event that other processes share has no times");
            }
            true => Some(SharedEvent::new()?),
            false => None,
        };
        Ok(Event::reusable_of(context, profiled, shared))
    }

    fn is_reusable(&self) -> bool {
        self.reusable().is_some()
    }

    fn complete(context: &Arc<Context>) -> UrResult<Arc<Self>> {
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            owner: Owner::Context(context.clone()),
            command: CommandType::EVENTS_WAIT,
            state: State::Over {
                times: ProfilingTimes::default(),
                well: true,
            },
        }))
    }

    fn set_callback(self: &Arc<Self>, status: ExecutionInfo, callback: Callback) -> UrResult<()> {
        let reached = match status {
            ExecutionInfo::SUBMITTED => Status::Submitted,
            ExecutionInfo::RUNNING => Status::Running,
            ExecutionInfo::COMPLETE => Status::Over,
            _ => return Err(ResultCode::ERROR_UNSUPPORTED_ENUMERATION.into()),
        };
        let current = self.reusable().and_then(|event| event.current(self.context()));
        let State::Task(task) = &current.as_ref().unwrap_or(self).state else {
            callback.call(self, status);
            return Ok(());
        };
        let event = self.clone();
        let call = move |_| {
            callback.call(&event, status);
            // This may be the last reference to the queue and the context, whose destructors may call the client. They must
            // not run inside of a callback.
            if let Some(last) = Arc::into_inner(event) {
                client_threads::defer_drop(last);
            }
        };
        task.call_at(reached, Box::new(call));
        Ok(())
    }
}
