// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reusable events: the client makes one, and each barrier that it is given to signals it anew.
//!
//! It stands for the last of these barriers. What waits for it keeps waiting for the one that was the last at that time,
//! as with CUDA's events.

use std::sync::Arc;

use kit::HandleCell;
use kit::ur::CommandType;
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

use super::{Event, Owner, State};
use crate::Context;
use crate::opencl::NativeCell;

/// What a reusable event has besides what all events have.
pub(super) struct Reusable {
    /// Whether the times of its commands are wanted, whatever the queue was made for.
    profiled: bool,
    current: Mutex<Option<Arc<Event>>>,
}

impl Reusable {
    /// The event of the command that signals it, or has.
    #[cold]
    pub(super) fn current(&self) -> Option<Arc<Event>> {
        self.current.lock().clone()
    }
}

impl Event {
    /// A reusable event.
    pub(super) fn reusable_of(context: &Arc<Context>, profiled: bool) -> Arc<Self> {
        let current = Mutex::default();
        Arc::new(Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            owner: Owner::Context(context.clone()),
            command: CommandType::EVENTS_WAIT_WITH_BARRIER,
            state: State::Reusable(Reusable { profiled, current }),
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

    /// A command signals it from now on, whose event this is. Of no effect if it is not reusable.
    pub(crate) fn signalled_by(&self, command: Arc<Self>) {
        if let Some(event) = self.reusable() {
            let before = event.current.lock().replace(command);
            // Without the lock: it may be the last to keep its queue.
            drop(before);
        }
    }
}
