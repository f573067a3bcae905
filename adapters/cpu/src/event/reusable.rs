// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reusable events, which the client creates, and which barriers signal any number of times.
//!
//! The state of the event is that of the last barrier. As with CUDA's events, a wait refers to the barrier that was the last
//! one when the wait was enqueued. For an event that processes share, it is the last barrier of all processes.

use std::sync::Arc;

use kit::ur::{CommandType, EventStatus};
use kit::{HandleCell, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::exec::plan::Signal;
use oxur_device_cpu::exec::{ProfilingTimes, client_threads};
use oxur_device_cpu::order::unsubmitted;
use oxur_fork::Mutex;

use super::{Event, Owner, State};
use crate::Context;
use crate::ipc::{SharedEvent, Signalling};
use crate::opencl::NativeCell;

/// The additional state of a reusable event.
pub(super) struct Reusable {
    /// Whether its commands record their times, even in a queue without profiling.
    profiled: bool,
    /// The state in shared memory, if processes share the event.
    shared: Option<Arc<SharedEvent>>,
    current: Mutex<Current>,
}

/// The command of this process that was the last one to signal the event.
#[derive(Default)]
struct Current {
    event: Option<Arc<Event>>,
    /// The number of the signal in the shared state.
    signal: u64,
}

/// The last signal of the event.
enum LastSignal<'a> {
    /// It was never signalled.
    None,
    /// By a command of this process.
    Local(Arc<Event>),
    /// By another process.
    Remote(&'a Arc<SharedEvent>, u64),
}

impl Reusable {
    fn new(profiled: bool, shared: Option<SharedEvent>) -> Self {
        Self {
            profiled,
            shared: shared.map(Arc::new),
            current: Mutex::default(),
        }
    }

    #[cold]
    fn last_signal(&self) -> LastSignal<'_> {
        let current = self.current.lock();
        match (&self.shared, &current.event) {
            (Some(shared), _) if shared.last() != current.signal => LastSignal::Remote(shared, shared.last()),
            (_, Some(event)) => LastSignal::Local(event.clone()),
            (_, None) => LastSignal::None,
        }
    }

    /// The event of the last signal. For a signal of another process, this creates an event in this process.
    pub(super) fn current(&self, context: &Arc<Context>) -> Option<Arc<Event>> {
        let (shared, signal) = match self.last_signal() {
            LastSignal::None => return None,
            LastSignal::Local(event) => return Some(event),
            LastSignal::Remote(shared, signal) => (shared, signal),
        };
        let mut current = self.current.lock();
        // Another thread may have created it meanwhile.
        if current.signal < signal {
            let event = remote_event(context, shared, signal);
            let before = std::mem::replace(
                &mut *current,
                Current {
                    event: Some(event.clone()),
                    signal,
                },
            );
            drop(current);
            // Dropped without the lock, because this may be the last reference to its queue.
            drop(before);
            return Some(event);
        }
        current.event.clone()
    }

    /// The outcome of the last signal of a shared event. It comes from the shared state and not from the command, so that
    /// all processes agree: the command may be marked complete a little later.
    fn shared_outcome(&self) -> Option<Option<bool>> {
        let shared = self.shared.as_ref()?;
        Some(shared.outcome(shared.last()))
    }

    pub(super) fn is_over(&self) -> bool {
        match (self.shared_outcome(), self.last_signal()) {
            (Some(outcome), _) => outcome.is_some(),
            (None, LastSignal::Local(event)) => event.is_over(),
            (None, _) => true,
        }
    }

    pub(super) fn failed(&self) -> bool {
        match (self.shared_outcome(), self.last_signal()) {
            (Some(outcome), _) => outcome == Some(false),
            (None, LastSignal::Local(event)) => event.failed(),
            (None, _) => false,
        }
    }

    /// Waits for the last signal. Returns whether it succeeded.
    pub(super) fn wait(&self) -> UrResult<bool> {
        match self.last_signal() {
            LastSignal::None => Ok(true),
            LastSignal::Local(event) => event.wait().map(|()| true),
            LastSignal::Remote(shared, signal) => Ok(shared.wait(signal)),
        }
    }

    pub(super) fn status(&self) -> EventStatus {
        match (self.shared_outcome().flatten(), self.last_signal()) {
            (Some(true), _) | (None, LastSignal::None) => EventStatus::COMPLETE,
            (Some(false), _) => EventStatus::ERROR,
            (None, LastSignal::Local(event)) => event.status(),
            // Only the other process knows whether the command runs.
            (None, LastSignal::Remote(..)) => EventStatus::SUBMITTED,
        }
    }

    /// The event of the last signal, if it is one of this process.
    pub(super) fn local(&self) -> Option<Arc<Event>> {
        match self.last_signal() {
            LastSignal::Local(event) => Some(event),
            _ => None,
        }
    }

    pub(super) fn profiling_times(&self) -> Option<ProfilingTimes> {
        self.local()?.profiling_times()
    }
}

/// An event that ends when a signal of another process does. A thread waits for the signal.
fn remote_event(context: &Arc<Context>, shared: &Arc<SharedEvent>, signal: u64) -> Arc<Event> {
    let command = CommandType::EVENTS_WAIT_WITH_BARRIER;
    let node = unsubmitted(context.devices[0].pool());
    let event = Event::for_execution(context, command, node.clone());
    let end = Signal::new(node, 0);
    match shared.outcome(signal) {
        Some(succeeded) => end.signal(!succeeded),
        None => {
            let shared = shared.clone();
            let wait = move || end.signal(!shared.wait(signal));
            if let Err((error, _)) = client_threads::spawn(Box::new(wait)) {
                log::warn!(
                    "an event of another process fails, because no thread can be started to wait for it: {error}"
                );
            }
        }
    }
    event
}

impl Event {
    /// A reusable event, which processes may share.
    pub(crate) fn reusable_of(context: &Arc<Context>, profiled: bool, shared: Option<SharedEvent>) -> Arc<Self> {
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            owner: Owner::Context(context.clone()),
            command: CommandType::EVENTS_WAIT_WITH_BARRIER,
            state: State::Reusable(Reusable::new(profiled, shared)),
        })
    }

    pub(super) fn reusable(&self) -> Option<&Reusable> {
        match &self.state {
            State::Reusable(event) => Some(event),
            _ => None,
        }
    }

    /// Whether commands that signal the event must record their times.
    pub(crate) fn is_profiled(&self) -> bool {
        self.reusable().is_some_and(|event| event.profiled)
    }

    /// The state in shared memory, if processes share the event.
    pub(crate) fn shared(&self) -> Option<&Arc<SharedEvent>> {
        self.reusable()?.shared.as_ref()
    }

    /// Begins a signal in the shared state, if processes share the event.
    pub(crate) fn begin_signal(&self) -> UrResult<Option<Signalling>> {
        self.shared().map(Signalling::begin).transpose()
    }

    /// Sets the event of the command that signals a reusable event. `signal` is the number in the shared state, or 0 if the
    /// event is not shared. Other events ignore this.
    pub(crate) fn signalled_by(&self, command: Arc<Self>, signal: u64) {
        if let Some(event) = self.reusable() {
            let mut current = event.current.lock();
            // Another thread has set a later signal.
            if signal < current.signal {
                return;
            }
            let event = Some(command);
            let before = std::mem::replace(&mut *current, Current { event, signal });
            drop(current);
            // Dropped without the lock, because this may be the last reference to its queue.
            drop(before);
        }
    }
}
