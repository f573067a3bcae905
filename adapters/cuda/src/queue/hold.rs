// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands that the [host holds up](crate::held), in the order of a queue.
//!
//! In order, a command waits for the last one that is held. Out of order, it waits for the last barrier of its time: not
//! for later ones, which may wait for it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kit::ur::CommandType;
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;

use super::commands::How;
use super::{Queue, Wait};
use crate::held::{self, Dependencies, Held};
use crate::lane::OpenLane;
use crate::signal::Signal;
use crate::{Event, primary};

impl Queue {
    /// Whether the host holds up a command with this wait list.
    #[inline(always)]
    pub(crate) fn holds(&self, wait: Wait<'_>) -> bool {
        self.has_held.load(Ordering::Acquire) && self.is_behind_held() || !wait.is_empty() && is_held(wait)
    }

    /// Whether the host holds up all commands from now on.
    #[cold]
    fn is_behind_held(&self) -> bool {
        let mut order = self.order.lock();
        let (any, barrier) = (order.has_held(), order.is_barrier_held());
        if !any && !barrier {
            self.has_held.store(false, Ordering::Release);
        }
        barrier || self.in_order && any
    }

    /// The commands that the host holds up; the last one of a queue in order.
    pub(super) fn held(&self) -> Vec<Arc<Held>> {
        match self.has_held.load(Ordering::Acquire) {
            true => self.order.lock().held().to_vec(),
            false => Vec::new(),
        }
    }

    /// Keeps a command until its wait list, and `behind`, are there or in streams; it may be submitted at once. `call` gives
    /// it to the lane, and may say what is there when it is complete. All commands that come wait for a barrier.
    pub(super) fn hold(
        self: &Arc<Self>,
        how: How<'_>,
        behind: &[Signal],
        is_barrier: bool,
        call: impl FnMut(&OpenLane<'_>) -> UrResult<Option<Signal>> + Send + 'static,
    ) -> UrResult<Arc<Held>> {
        let How {
            kind,
            blocking,
            wait,
            event,
        } = how;
        self.check_wait(wait)?;
        let timed = event.wanted() && (self.is_timed() || kind == CommandType::TIMESTAMP_RECORDING_EXP);
        let submitted = if timed { primary::host_time() } else { 0 };
        let queue = self.clone();
        let own = usize::from(self.in_order);
        let submit = move |dependencies: &[Signal]| queue.submit_held(dependencies, own, timed, call);
        let held = Held::new(self.primary, timed, Box::new(submit))?;
        {
            let mut order = self.order.lock();
            let mut dependencies: Dependencies = match self.in_order {
                true => [order.take_last().map_or(Signal::Complete, Signal::Held)]
                    .into_iter()
                    .collect(),
                false => order.barrier().into_iter().collect(),
            };
            dependencies.extend(behind.iter().cloned());
            dependencies.extend(wait.iter().map(|event| event.current().clone()));
            held.wait_for(dependencies);
            order.add_held(&held, is_barrier);
            self.has_barrier.fetch_or(is_barrier, Ordering::Release);
            self.has_held.store(true, Ordering::Release);
        }
        self.mark.set();
        held::release([held.clone()]);
        if self.in_order && self.first.is_shared() {
            self.force_held(Wait::empty())?;
        }
        if blocking {
            held.wait()?;
        }
        if event.wanted() {
            event.set(Event::new(Signal::Held(held.clone()), self, kind, submitted));
        }
        Ok(held)
    }

    /// Submits a command that nothing holds up any more. The first `own` of what it waits for are the queue's order: what has
    /// failed there is no reason for it to fail. What `call` keeps, of which some may end here, ends behind the lane's turn,
    /// which the end of a kernel takes.
    fn submit_held(
        self: &Arc<Self>,
        dependencies: &[Signal],
        own: usize,
        timed: bool,
        mut call: impl FnMut(&OpenLane<'_>) -> UrResult<Option<Signal>>,
    ) -> UrResult<Signal> {
        if let Some(cause) = dependencies.iter().skip(own).find(|signal| signal.has_failed()) {
            return Err(failed(cause));
        }
        let _current = self.primary.activate()?;
        let lane = match self.in_order {
            true => self.first.clone(),
            false => self.choose(|lane| dependencies.iter().any(|signal| lane.ends_with(signal)))?,
        };
        let mut open = lane.open()?;
        dependencies.iter().try_for_each(|signal| open.wait_for(signal))?;
        let start = if timed { Some(open.start()?) } else { None };
        let called = call(&open);
        self.mark.set();
        let end = called?;
        let point = open.end(start)?;
        Ok(end.unwrap_or(Signal::Point(point)))
    }

    /// Has what is held up here, and what a wait list is of, submitted; then the first lane of a queue in order waits for the
    /// host. For commands that the client gives to the stream itself.
    pub(super) fn force_held(self: &Arc<Self>, wait: Wait<'_>) -> UrResult<()> {
        wait.iter().try_for_each(|event| event.current().force())?;
        let barrier = self.order.lock().barrier();
        barrier.iter().try_for_each(Signal::force)?;
        if !self.in_order {
            return Ok(());
        }
        for held in self.held() {
            held.force()?;
            let _current = self.primary.activate()?;
            self.first.open()?.wait_for(&Signal::Held(held))?;
        }
        Ok(())
    }

    /// Refuses a wait list with events of other contexts, or of commands that have failed.
    pub(super) fn check_wait(&self, wait: Wait<'_>) -> UrResult<()> {
        for event in wait.iter() {
            if event.context().number != self.context.number {
                kit::bail!(
                    ERROR_INVALID_CONTEXT: "an event of the wait list ({:?}) belongs to another context",
                    kit::handle_of(&event)
                );
            }
            if event.current().has_failed() {
                return Err(failed(&event.current()));
            }
        }
        Ok(())
    }
}

/// Whether the host holds up an event of a list.
#[inline(never)]
fn is_held(wait: Wait<'_>) -> bool {
    wait.iter().any(|event| event.current().blocker().is_some())
}

#[cold]
fn failed(cause: &Signal) -> UrError {
    match cause.is_loss() {
        true => kit::error!(ERROR_DEVICE_LOST: "the device has failed before a command of the wait list"),
        false => kit::error!(ERROR_IN_EVENT_LIST_EXEC_STATUS: "a command of the wait list has failed"),
    }
}
