// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The way of every command into a lane, if the host does not [hold it up](super::hold).
//!
//! An out-of-order queue has up to [`MOST_LANES`]. A command goes behind the one that it waits for, if that is the last
//! of its lane; else into the next lane that the host does not hold up. That it does only where commands were forced into
//! it: they would keep others in the lane from running, on which the host may wait. So those go elsewhere.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kit::UrResult;
use kit::ur::CommandType;
use oxur_adapter_kit as kit;
use smallvec::SmallVec;

use super::commands::How;
use super::{Out, Queue, Wait};
use crate::held::Held;
use crate::lane::{Lane, OpenLane, Point, Start};
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
    /// The commands that the host holds up; of a queue in order the last one.
    held: Vec<Arc<Held>>,
}

impl Order {
    pub(super) fn new(first: &Arc<Lane>) -> Self {
        Self {
            lanes: vec![(first.clone(), 0)],
            barrier: None,
            barriers: 0,
            held: Vec::new(),
        }
    }

    /// The commands that the host holds up.
    pub(super) fn held(&mut self) -> &[Arc<Held>] {
        self.held.retain(|held| held.blocker().is_some());
        &self.held
    }

    /// Whether there are any.
    pub(super) fn has_held(&mut self) -> bool {
        !self.held().is_empty()
    }

    /// Whether the host holds up the last barrier.
    pub(super) fn is_barrier_held(&self) -> bool {
        self.barrier.as_ref().is_some_and(|barrier| barrier.blocker().is_some())
    }

    /// The one of a queue in order, for the next to wait for it.
    pub(super) fn take_last(&mut self) -> Option<Arc<Held>> {
        self.held.pop()
    }

    /// One more.
    pub(super) fn add_held(&mut self, held: &Arc<Held>, is_barrier: bool) {
        self.held.push(held.clone());
        if is_barrier {
            self.set_barrier(Signal::Held(held.clone()));
        }
    }

    fn set_barrier(&mut self, barrier: Signal) {
        self.barriers += 1;
        self.barrier = Some(barrier);
    }

    pub(super) fn lanes(&self) -> Vec<Arc<Lane>> {
        self.lanes.iter().map(|(lane, _)| lane.clone()).collect()
    }

    /// What all commands from now on wait for.
    pub(super) fn barrier(&self) -> Option<Signal> {
        self.barrier.clone()
    }

    /// What a lane has to wait for that has not seen the last barrier.
    fn barrier_for(&mut self, lane: &Arc<Lane>) -> Option<Signal> {
        // One that another thread has just enqueued need not come first.
        if self.is_barrier_held() {
            return None;
        }
        let own = self.lanes.iter_mut().find(|(own, _)| Arc::ptr_eq(own, lane))?;
        let seen = std::mem::replace(&mut own.1, self.barriers);
        self.barrier.clone().filter(|_| seen != self.barriers)
    }
}

/// What is there when commands are complete.
pub(crate) type Marker = kit::Marker<Signal>;

impl kit::TrackedQueue for Queue {
    type Marker = Marker;

    /// A marker behind all commands that may be unfinished; `None` if there are none.
    fn unfinished(&self) -> UrResult<Option<Marker>> {
        if driver::is_lost() {
            return Ok(None);
        }
        let _current = self.primary.activate()?;
        self.mark.take();
        // First: they are in lanes when they are submitted.
        let mut signals: Vec<_> = self.held().into_iter().map(Signal::Held).collect();
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
        Ok((!signals.is_empty()).then(|| signals.into()))
    }

    fn is_over(marker: &Marker) -> bool {
        marker.is_over()
    }
}

impl Queue {
    /// Submits a command by `call`, which gives it to the lane: at once, or when the host does not hold it up any more.
    #[inline(always)]
    pub(super) fn enqueue(
        self: &Arc<Self>,
        how: How<'_>,
        mut call: impl FnMut(&OpenLane<'_>) -> UrResult<()> + Send + 'static,
    ) -> UrResult<()> {
        match self.holds(how.wait) {
            false => self.enqueue_now(how.kind, how.blocking, how.wait, how.event, call),
            true => self
                .hold(how, &[], false, move |lane| call(lane).map(|()| None))
                .map(drop),
        }
    }

    /// The same for a command that the host does not hold up.
    #[inline(always)]
    pub(super) fn enqueue_now(
        self: &Arc<Self>,
        command: CommandType,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
        call: impl FnOnce(&OpenLane<'_>) -> UrResult<()>,
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
        call: impl FnOnce(&OpenLane<'_>) -> UrResult<()>,
    ) -> UrResult<()> {
        let lane = self.choose_behind(wait)?;
        let open = self.open_behind_barrier(&lane)?;
        self.run(open, command, blocking, wait, event, call)
    }

    /// Opens a lane, whose next commands wait for the last barrier.
    fn open_behind_barrier<'a>(&self, lane: &'a Arc<Lane>) -> UrResult<OpenLane<'a>> {
        let open = lane.open()?;
        if !self.has_barrier.load(Ordering::Acquire) {
            return Ok(open);
        }
        let barrier = self.order.lock().barrier_for(lane);
        if let Some(barrier) = barrier {
            open.wait_for(&barrier)?;
        }
        Ok(open)
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
        call: impl FnOnce(&OpenLane<'_>) -> UrResult<()>,
    ) -> UrResult<()> {
        if !wait.is_empty() {
            self.depend(&lane, wait)?;
        }
        let timed = event.wanted() && (self.is_timed() || command == CommandType::TIMESTAMP_RECORDING_EXP);
        let submitted = if timed { primary::host_time() } else { 0 };
        let start = if timed { Some(lane.start()?) } else { None };
        let called = call(&lane);
        // A part of it may be in the stream.
        self.mark.set();
        called?;
        if event.wanted() || lane.has_record() {
            return self.end(lane, start, command, blocking, event, submitted);
        }
        match blocking {
            true => lane.finish(),
            false => Ok(()),
        }
    }

    /// The place behind a command that was submitted.
    #[inline(never)]
    fn end(
        self: &Arc<Self>,
        mut lane: OpenLane<'_>,
        start: Option<Start>,
        command: CommandType,
        blocking: bool,
        event: Out<'_>,
        submitted: u64,
    ) -> UrResult<()> {
        let point = lane.end(start)?;
        drop(lane);
        self.give_event(point, command, blocking, event, submitted)
    }

    /// Waits for a command, if it blocks, and gives the client its event.
    fn give_event(
        self: &Arc<Self>,
        point: Arc<Point>,
        command: CommandType,
        blocking: bool,
        event: Out<'_>,
        submitted: u64,
    ) -> UrResult<()> {
        if blocking {
            point.wait()?;
        }
        if event.wanted() {
            event.set(Event::new(Signal::Point(point), self, command, submitted));
        }
        Ok(())
    }

    /// Has a lane wait for the events of a list.
    #[inline(never)]
    fn depend(&self, lane: &OpenLane<'_>, wait: Wait<'_>) -> UrResult<()> {
        self.check_wait(wait)?;
        wait.iter().try_for_each(|event| lane.wait_for(&event.current()))
    }

    /// The lane of an out-of-order queue for a command that waits for these events.
    fn choose_behind(&self, wait: Wait<'_>) -> UrResult<Arc<Lane>> {
        self.choose(|lane| wait.iter().any(|event| lane.ends_with(&event.current())))
    }

    /// The lane that ends with what a command waits for, or else the next.
    pub(super) fn choose(&self, ends: impl Fn(&Lane) -> bool) -> UrResult<Arc<Lane>> {
        let (next, lanes) = {
            let order = self.order.lock();
            if let Some((lane, _)) = order.lanes.iter().find(|(lane, _)| ends(lane)) {
                return Ok(lane.clone());
            }
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            match order.lanes.get(next % LANES) {
                Some((lane, _)) if order.lanes.len() >= LANES && !lane.is_held() => return Ok(lane.clone()),
                _ => (next, order.lanes()),
            }
        };
        self.choose_next(next, &lanes)
    }

    /// The same where there are few lanes, or the host holds up that whose turn it is.
    #[cold]
    fn choose_next(&self, next: usize, lanes: &[Arc<Lane>]) -> UrResult<Arc<Lane>> {
        let turn = next % LANES;
        if turn >= lanes.len() || lanes.len() < LANES && !lanes[turn].is_idle() {
            return self.add_lane();
        }
        let from_turn = lanes[turn..].iter().chain(&lanes[..turn]);
        match from_turn.clone().find(|lane| !lane.is_held()) {
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
    pub(super) fn marker(self: &Arc<Self>, how: How<'_>, after_all: bool) -> UrResult<()> {
        if self.in_order || !after_all {
            return self.enqueue(how, |_| Ok(()));
        }
        self.join(how, false)
    }

    /// A command that all later ones wait for.
    pub(super) fn barrier_of(self: &Arc<Self>, how: How<'_>) -> UrResult<()> {
        if self.in_order {
            return self.enqueue(how, |_| Ok(()));
        }
        if how.wait.is_empty() {
            return self.join(how, true);
        }
        if self.holds(how.wait) {
            return self.hold(how, &[], true, |_| Ok(None)).map(drop);
        }
        let _current = self.primary.activate()?;
        let lane = self.choose_behind(how.wait)?;
        self.mark_in(&lane, how, &[], true)
    }

    /// A command that waits for all commands so far, and for the last barrier.
    fn join(self: &Arc<Self>, how: How<'_>, is_barrier: bool) -> UrResult<()> {
        let _current = self.primary.activate()?;
        // First: they are in lanes when they are submitted.
        let held = self.held();
        let lanes = self.order.lock().lanes();
        // Its commands hold up none but those that wait for all.
        let lane = match held.is_empty() {
            true => Some(self.choose(|_| false)?),
            false => None,
        };
        let is_other = |other: &&Arc<Lane>| lane.as_ref().is_none_or(|lane| !Arc::ptr_eq(other, lane));
        let mut tails: SmallVec<[Signal; LANES]> = held.into_iter().map(Signal::Held).collect();
        for other in lanes.iter().filter(is_other) {
            if !other.is_idle() {
                tails.push(Signal::Point(other.tail()?));
            }
        }
        match lane {
            Some(lane) if !self.holds(how.wait) => self.mark_in(&lane, how, &tails, is_barrier),
            Some(lane) => {
                tails.push(Signal::Point(lane.tail()?));
                self.hold(how, &tails, is_barrier, |_| Ok(None)).map(drop)
            }
            None => self.hold(how, &tails, is_barrier, |_| Ok(None)).map(drop),
        }
    }

    /// A command that does nothing, in a lane that waits for signals, and for the last barrier.
    fn mark_in(self: &Arc<Self>, lane: &Arc<Lane>, how: How<'_>, behind: &[Signal], is_barrier: bool) -> UrResult<()> {
        let mut open = self.open_behind_barrier(lane)?;
        behind.iter().try_for_each(|signal| open.wait_for(signal))?;
        if !is_barrier {
            return self.run(open, how.kind, how.blocking, how.wait, how.event, |_| Ok(()));
        }
        self.depend(&open, how.wait)?;
        let timed = how.event.wanted() && self.is_timed();
        let submitted = if timed { primary::host_time() } else { 0 };
        let start = if timed { Some(open.start()?) } else { None };
        self.mark.set();
        let point = open.end(start)?;
        drop(open);
        // Before the client has the event: this may fail.
        point.exact_event()?;
        self.order.lock().set_barrier(Signal::Point(point.clone()));
        self.has_barrier.store(true, Ordering::Release);
        self.give_event(point, how.kind, how.blocking, how.event, submitted)
    }

    /// Has the first lane wait for events, and for the last barrier.
    pub(super) fn hold_first(self: &Arc<Self>, wait: Wait<'_>) -> UrResult<()> {
        self.force_held(wait)?;
        let _current = self.primary.activate()?;
        let open = self.open_behind_barrier(&self.first)?;
        self.depend(&open, wait)
    }

    /// A command that does nothing, in the first lane.
    pub(super) fn end_first(self: &Arc<Self>, command: CommandType, event: Out<'_>) -> UrResult<()> {
        let _current = self.primary.activate()?;
        let open = self.first.open()?;
        self.run(open, command, false, Wait::empty(), event, |_| Ok(()))
    }
}
