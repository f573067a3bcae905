// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The way of every command into a lane.
//!
//! An out-of-order queue has up to [`MOST_LANES`]. A command goes behind the one that it waits for, if that is the last
//! of its lane; else into the next lane that the host does not hold up. A command that waits for the host would keep
//! others in its lane from running, on which the host may wait: so those go elsewhere.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kit::ur::{CommandType, ResultCode};
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::CUstream;
use smallvec::SmallVec;

use super::{Out, Queue, Wait};
use crate::lane::{Lane, OpenLane};
use crate::signal::Signal;
use crate::{Event, driver, primary};

/// How many lanes an out-of-order queue has, unless the host holds them all.
const LANES: usize = 4;

/// How many it has at most.
const MOST_LANES: usize = 64;

/// The lanes of an out-of-order queue.
pub(super) struct Order {
    lanes: Vec<(Arc<Lane>, u64)>,
    /// What all commands from now on wait for, and how many such there were.
    barrier: Option<Signal>,
    barriers: u64,
}

impl Order {
    pub(super) fn new(first: &Arc<Lane>) -> Self {
        Self {
            lanes: vec![(first.clone(), 0)],
            barrier: None,
            barriers: 0,
        }
    }

    pub(super) fn lanes(&self) -> Vec<Arc<Lane>> {
        self.lanes.iter().map(|(lane, _)| lane.clone()).collect()
    }

    /// What a lane has to wait for that has not seen the last barrier.
    fn barrier_for(&mut self, lane: &Arc<Lane>) -> Option<Signal> {
        let own = self.lanes.iter_mut().find(|(own, _)| Arc::ptr_eq(own, lane))?;
        let seen = std::mem::replace(&mut own.1, self.barriers);
        self.barrier.clone().filter(|_| seen != self.barriers)
    }
}

/// What is there when commands are complete.
#[derive(Clone)]
pub(crate) struct Marker(Arc<[Signal]>);

impl Marker {
    /// Whether they are.
    pub(crate) fn is_over(&self) -> bool {
        self.0.iter().all(Signal::is_over)
    }

    /// All that must be there.
    pub(crate) fn signals(&self) -> &[Signal] {
        &self.0
    }
}

impl kit::TrackedQueue for Queue {
    type Marker = Marker;

    /// A marker behind all commands that may be unfinished; `None` if there are none.
    fn unfinished(&self) -> UrResult<Option<Marker>> {
        if driver::is_lost() {
            return Ok(None);
        }
        let _current = self.primary.activate()?;
        self.mark.take();
        let mut signals = Vec::new();
        for lane in self.lanes() {
            if lane.is_idle() {
                continue;
            }
            match lane.tail() {
                Ok(tail) => signals.push(Signal::Point(tail)),
                Err(error) => {
                    self.mark.set();
                    return Err(error);
                }
            }
        }
        if !signals.is_empty() {
            // They are to be looked at again.
            self.mark.set();
        }
        Ok((!signals.is_empty()).then(|| Marker(signals.into())))
    }

    fn is_over(marker: &Marker) -> bool {
        marker.is_over()
    }
}

impl Queue {
    /// Submits a command by `call`, which gives it to the stream.
    #[inline(always)]
    pub(super) fn enqueue(
        self: &Arc<Self>,
        command: CommandType,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
        call: impl FnOnce(CUstream) -> UrResult<()>,
    ) -> UrResult<()> {
        let _current = self.primary.activate()?;
        if self.in_order {
            let lane = self.first.open()?;
            self.run(lane, command, blocking, wait, event, call)
        } else {
            self.enqueue_unordered(command, blocking, wait, event, call)
        }
    }

    #[inline(never)]
    fn enqueue_unordered(
        self: &Arc<Self>,
        command: CommandType,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
        call: impl FnOnce(CUstream) -> UrResult<()>,
    ) -> UrResult<()> {
        let lane = self.choose(wait)?;
        let open = lane.open()?;
        let barrier = self.order.lock().barrier_for(&lane);
        if let Some(barrier) = barrier {
            open.wait_for(&barrier)?;
        }
        self.run(open, command, blocking, wait, event, call)
    }

    /// Gives a command to a lane that is open, and that is closed before the command is waited for.
    #[inline(always)]
    fn run(
        self: &Arc<Self>,
        lane: OpenLane<'_>,
        command: CommandType,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
        call: impl FnOnce(CUstream) -> UrResult<()>,
    ) -> UrResult<()> {
        if !wait.is_empty() {
            self.depend(&lane, wait)?;
        }
        let timed = event.wanted() && (self.is_timed() || command == CommandType::TIMESTAMP_RECORDING_EXP);
        let submitted = if timed { primary::host_time() } else { 0 };
        let start = if timed { Some(lane.start()?) } else { None };
        let called = call(lane.stream());
        // A part of it may be in the stream.
        self.mark.set();
        called?;
        if event.wanted() || blocking {
            let point = lane.end(start)?;
            drop(lane);
            if blocking {
                point.wait()?;
            }
            event.set(Event::new(point, self, command, submitted));
        }
        Ok(())
    }

    /// As [`Self::enqueue`], for a command that is complete when the host gives `end`.
    pub(super) fn enqueue_held(
        self: &Arc<Self>,
        command: CommandType,
        wait: Wait<'_>,
        event: Out<'_>,
        end: &Signal,
        call: impl FnOnce(CUstream) -> UrResult<()>,
    ) -> UrResult<()> {
        let _current = self.primary.activate()?;
        let lane = match self.in_order {
            true => self.first.clone(),
            false => self.choose(wait)?,
        };
        let open = lane.open()?;
        let barrier = self.order.lock().barrier_for(&lane);
        if let Some(barrier) = barrier {
            open.wait_for(&barrier)?;
        }
        if !wait.is_empty() {
            self.depend(&open, wait)?;
        }
        let timed = event.wanted() && self.is_timed();
        let submitted = if timed { primary::host_time() } else { 0 };
        let start = if timed { Some(open.start()?) } else { None };
        let called = call(open.stream()).and_then(|()| open.wait_for(end));
        self.mark.set();
        called?;
        if event.wanted() {
            let point = open.end(start)?;
            event.set(Event::new(point, self, command, submitted));
        }
        Ok(())
    }

    /// Has a lane wait for the events of a list.
    #[inline(never)]
    fn depend(&self, lane: &OpenLane<'_>, wait: Wait<'_>) -> UrResult<()> {
        for event in wait.iter() {
            if event.context().number != self.context.number {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_CONTEXT,
                    format!(
                        "an event of the wait list ({:?}) belongs to another context",
                        kit::handle_of(&event)
                    ),
                ));
            }
            lane.wait_for(event.current())?;
        }
        Ok(())
    }

    /// The lane of an out-of-order queue for a command that waits for these events.
    fn choose(&self, wait: Wait<'_>) -> UrResult<Arc<Lane>> {
        let lanes = self.order.lock().lanes();
        for event in wait.iter() {
            if let Some(lane) = lanes.iter().find(|lane| lane.ends_with(event.current())) {
                return Ok(lane.clone());
            }
        }
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        let turn = next % LANES;
        if turn >= lanes.len() || lanes.len() < LANES && !lanes[turn].is_idle() {
            return self.add_lane();
        }
        let from_turn = lanes[turn..].iter().chain(&lanes[..turn]);
        match from_turn.clone().find(|lane| lane.held_by().is_empty()) {
            Some(lane) => Ok(lane.clone()),
            None if lanes.len() < MOST_LANES => self.add_lane(),
            None => Ok(lanes[next % lanes.len()].clone()),
        }
    }

    fn add_lane(&self) -> UrResult<Arc<Lane>> {
        let lane = Lane::new(self.primary, self.priority)?;
        self.order.lock().lanes.push((lane.clone(), 0));
        Ok(lane)
    }

    /// A command that does nothing but wait: for its list, or, if that is empty, for all commands before it.
    pub(super) fn marker(
        self: &Arc<Self>,
        command: CommandType,
        blocking: bool,
        wait: Wait<'_>,
        after_all: bool,
        event: Out<'_>,
    ) -> UrResult<()> {
        let nothing = |_| Ok(());
        if self.in_order || !after_all {
            return self.enqueue(command, blocking, wait, event, nothing);
        }
        let _current = self.primary.activate()?;
        let lane = self.join()?;
        let open = lane.open()?;
        self.run(open, command, blocking, wait, event, nothing)
    }

    /// A command that all later ones wait for.
    pub(super) fn barrier(self: &Arc<Self>, command: CommandType, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        if self.in_order {
            return self.enqueue(command, false, wait, event, |_| Ok(()));
        }
        let _current = self.primary.activate()?;
        let lane = match wait.is_empty() {
            true => self.join()?,
            false => self.choose(wait)?,
        };
        {
            let open = lane.open()?;
            let before = self.order.lock().barrier_for(&lane);
            if let Some(before) = before {
                open.wait_for(&before)?;
            }
            self.run(open, command, false, wait, event, |_| Ok(()))?;
        }
        let barrier = Signal::Point(lane.tail()?);
        let mut order = self.order.lock();
        order.barriers += 1;
        order.barrier = Some(barrier);
        Ok(())
    }

    /// A lane that waits for all commands so far, and for the last barrier.
    fn join(&self) -> UrResult<Arc<Lane>> {
        let lanes = self.order.lock().lanes();
        // Its commands hold up none but those that wait for all.
        let lane = self.choose(Wait::empty())?;
        let mut tails: SmallVec<[Signal; LANES]> = SmallVec::new();
        for other in lanes.iter().filter(|other| !Arc::ptr_eq(other, &lane)) {
            if !other.is_idle() {
                tails.push(Signal::Point(other.tail()?));
            }
        }
        let barrier = self.order.lock().barrier_for(&lane);
        let open = lane.open()?;
        tails
            .iter()
            .chain(&barrier)
            .try_for_each(|signal| open.wait_for(signal))?;
        drop(open);
        Ok(lane)
    }

    /// Has the first lane wait for events, and for the last barrier.
    pub(super) fn hold_first(self: &Arc<Self>, wait: Wait<'_>) -> UrResult<()> {
        let _current = self.primary.activate()?;
        let open = self.first.open()?;
        let barrier = self.order.lock().barrier_for(&self.first);
        if let Some(barrier) = barrier {
            open.wait_for(&barrier)?;
        }
        self.depend(&open, wait)
    }

    /// A command that does nothing, in the first lane.
    pub(super) fn end_first(self: &Arc<Self>, command: CommandType, event: Out<'_>) -> UrResult<()> {
        let _current = self.primary.activate()?;
        let open = self.first.open()?;
        self.run(open, command, false, Wait::empty(), event, |_| Ok(()))
    }
}
