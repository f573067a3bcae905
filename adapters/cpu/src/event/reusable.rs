// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reusable events: the client makes one, and each barrier that it is given to signals it anew.
//!
//! It stands for the last of these barriers. What waits for it keeps waiting for the one that was the last at that time,
//! as with CUDA's events. One that processes share stands for the last barrier of all processes.

use std::sync::Arc;

use kit::ur::{CommandType, EventStatus};
use kit::{HandleCell, UrResult};
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

use super::{Event, Owner, State};
use crate::Context;
use crate::exec::plan::Signal;
use crate::exec::{Stamps, client_threads};
use crate::ipc::{SharedEvent, Signalling};
use crate::opencl::NativeCell;
use crate::queue::unsubmitted;

/// What a reusable event has besides what all events have.
pub(super) struct Reusable {
    /// Whether the times of its commands are wanted, whatever the queue was made for.
    profiled: bool,
    /// What other processes see of it, if they may.
    shared: Option<Arc<SharedEvent>>,
    current: Mutex<Current>,
}

/// The command that signals it, or has, by its event.
#[derive(Default)]
struct Current {
    event: Option<Arc<Event>>,
    /// The number of the signal among those of all processes.
    signal: u64,
}

/// What it stands for.
enum Standing<'a> {
    /// Nobody has signalled it.
    Nothing,
    /// A command of this process.
    Here(Arc<Event>),
    /// A signal of another process.
    Elsewhere(&'a Arc<SharedEvent>, u64),
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
    fn standing(&self) -> Standing<'_> {
        let current = self.current.lock();
        match (&self.shared, &current.event) {
            (Some(shared), _) if shared.last() != current.signal => Standing::Elsewhere(shared, shared.last()),
            (_, Some(event)) => Standing::Here(event.clone()),
            (_, None) => Standing::Nothing,
        }
    }

    /// The event of the command that signals it, or has. One of another process has an event here from now on.
    pub(super) fn current(&self, context: &Arc<Context>) -> Option<Arc<Event>> {
        let (shared, signal) = match self.standing() {
            Standing::Nothing => return None,
            Standing::Here(event) => return Some(event),
            Standing::Elsewhere(shared, signal) => (shared, signal),
        };
        let mut current = self.current.lock();
        // Another thread may have been faster.
        if current.signal < signal {
            let event = elsewhere(context, shared, signal);
            let before = std::mem::replace(
                &mut *current,
                Current {
                    event: Some(event.clone()),
                    signal,
                },
            );
            drop(current);
            // Without the lock: it may be the last to keep its queue.
            drop(before);
            return Some(event);
        }
        current.event.clone()
    }

    /// How the last signal ended, of a shared event. All processes have to agree, so the command that signals it is not
    /// asked, which may not know yet that it is over.
    fn shared_outcome(&self) -> Option<Option<bool>> {
        let shared = self.shared.as_ref()?;
        Some(shared.outcome(shared.last()))
    }

    pub(super) fn is_over(&self) -> bool {
        match (self.shared_outcome(), self.standing()) {
            (Some(outcome), _) => outcome.is_some(),
            (None, Standing::Here(event)) => event.is_over(),
            (None, _) => true,
        }
    }

    pub(super) fn failed(&self) -> bool {
        match (self.shared_outcome(), self.standing()) {
            (Some(outcome), _) => outcome == Some(false),
            (None, Standing::Here(event)) => event.failed(),
            (None, _) => false,
        }
    }

    /// Waits until its command is over. Says whether it went well, if it is one of another process.
    pub(super) fn wait(&self) -> UrResult<bool> {
        match self.standing() {
            Standing::Nothing => Ok(true),
            Standing::Here(event) => event.wait().map(|()| true),
            Standing::Elsewhere(shared, signal) => Ok(shared.wait(signal)),
        }
    }

    pub(super) fn status(&self) -> EventStatus {
        match (self.shared_outcome().flatten(), self.standing()) {
            (Some(true), _) | (None, Standing::Nothing) => EventStatus::COMPLETE,
            (Some(false), _) => EventStatus::ERROR,
            (None, Standing::Here(event)) => event.status(),
            // How far it is the other process knows.
            (None, Standing::Elsewhere(..)) => EventStatus::SUBMITTED,
        }
    }

    /// The event of its command, if that is one of this process.
    pub(super) fn here(&self) -> Option<Arc<Event>> {
        match self.standing() {
            Standing::Here(event) => Some(event),
            _ => None,
        }
    }

    pub(super) fn stamps(&self) -> Option<Stamps> {
        self.here()?.stamps()
    }
}

/// An event that is over when a signal of another process is. A thread waits for that.
fn elsewhere(context: &Arc<Context>, shared: &Arc<SharedEvent>, signal: u64) -> Arc<Event> {
    let command = CommandType::EVENTS_WAIT_WITH_BARRIER;
    let node = unsubmitted(context.devices[0].pool());
    let event = Event::for_execution(context, command, node.clone());
    let end = Signal::new(node, 0);
    match shared.outcome(signal) {
        Some(well) => end.signal(!well),
        None => {
            let shared = shared.clone();
            let wait = move || end.signal(!shared.wait(signal));
            if let Err((error, _)) = client_threads::spawn(Box::new(wait)) {
                log::warn!("no thread waits for an event of another process, which fails for that: {error}");
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

    /// Whether the times of the commands that signal it are wanted.
    pub(crate) fn is_profiled(&self) -> bool {
        self.reusable().is_some_and(|event| event.profiled)
    }

    /// What other processes see of it, if they may.
    pub(crate) fn shared(&self) -> Option<&Arc<SharedEvent>> {
        self.reusable()?.shared.as_ref()
    }

    /// Begins a signal that other processes see, if they may.
    pub(crate) fn begin_signal(&self) -> UrResult<Option<Signalling>> {
        self.shared().map(Signalling::begin).transpose()
    }

    /// A command signals it from now on, whose event this is. Of no effect if it is not reusable. `signal` is its number
    /// among those of all processes, 0 if it is not shared.
    pub(crate) fn signalled_by(&self, command: Arc<Self>, signal: u64) {
        if let Some(event) = self.reusable() {
            let mut current = event.current.lock();
            // That of a thread that began later is the last.
            if signal < current.signal {
                return;
            }
            let event = Some(command);
            let before = std::mem::replace(&mut *current, Current { event, signal });
            drop(current);
            // Without the lock: it may be the last to keep its queue.
            drop(before);
        }
    }
}
