// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The way of every command into the command list, and what is known of those that are in it.
//!
//! In an in-order queue a command has an event only if the client wants one. In an out-of-order queue each has one, by which
//! later commands can wait for all before them without holding up those behind.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kit::{UrResult, Watch as _};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use smallvec::SmallVec;

use super::{How, Queue, Wait, append_barrier};
use crate::event::{EventRef, EventType, NewEvent};
use crate::lists::Retired;
use crate::ze::ze;

/// What commands wait for: kept until they have.
type Kept = SmallVec<[EventRef; 2]>;

/// The same for the driver.
type Handles = SmallVec<[ze_event_handle_t; 8]>;

/// How many events an in-order queue keeps before it asks whether they are still needed.
const MOST_KEPT: usize = 64;

/// How many lists a queue keeps that may still run.
const MOST_RETIRED: usize = 16;

/// What a queue knows of its commands.
#[derive(Default)]
pub(super) struct State {
    /// In order: what commands wait for since the last mark.
    kept: Vec<EventRef>,
    /// The same before, with the mark.
    past: Option<(EventRef, Vec<EventRef>)>,
    /// Out of order: commands that may be unfinished, with what they wait for.
    recent: Vec<(EventRef, Kept)>,
    /// How many of them there may be before those are dropped that are over.
    prune_at: usize,
    /// A marker behind what was the last command: see [`Queue::unfinished`].
    probe: Option<Marker>,
}

impl State {
    /// What commands so far wait for, for a caller that waits for them.
    pub(super) fn take_past(&mut self) -> impl Sized + use<> {
        (std::mem::take(&mut self.kept), self.past.take())
    }

    /// A command of an out-of-order queue was appended.
    fn add(&mut self, signal: EventRef, kept: Kept) {
        self.recent.push((signal, kept));
        if self.recent.len() > self.prune_at {
            self.prune();
        }
    }

    fn prune(&mut self) {
        self.recent.retain(|(event, _)| !event.is_over());
        self.prune_at = MOST_KEPT.max(2 * self.recent.len());
    }
}

/// What is signalled when commands are complete.
pub(crate) type Marker = kit::Marker<EventRef>;

/// The last three parameters of every function that appends.
pub(crate) struct Deps<'a> {
    /// What the command signals.
    pub(crate) event: Option<&'a EventRef>,
    waits: &'a mut [ze_event_handle_t],
}

/// What a command waits for beside its wait list and what the order of the queue has before it.
#[derive(Clone, Copy)]
pub(crate) enum After<'a> {
    /// Nothing.
    Nothing,
    /// All commands of an out-of-order queue so far.
    All,
    /// A marker of another queue, or an earlier one of this queue.
    Marker(&'a Marker),
}

impl<'a> Deps<'a> {
    pub(super) fn new(event: Option<&'a EventRef>, waits: &'a mut [ze_event_handle_t]) -> Self {
        Self { event, waits }
    }

    /// Those of a command of a list that is recorded, or on which commands are complete when the call returns: whoever has
    /// such a list for itself needs no events.
    pub(crate) fn none() -> Self {
        Self::new(None, &mut [])
    }

    /// Of a command that waits for the same and signals nothing.
    pub(crate) fn waits(&mut self) -> Deps<'_> {
        Deps::new(None, self.waits)
    }

    /// Of a command that comes when all that is waited for is there.
    pub(crate) fn signals(self) -> Self {
        Self::new(self.event, &mut [])
    }

    pub(crate) fn signal(&self) -> ze_event_handle_t {
        self.event.map_or(std::ptr::null_mut(), EventRef::handle)
    }

    pub(crate) fn count(&self) -> u32 {
        self.waits.len() as u32
    }

    pub(crate) fn events(&mut self) -> *mut ze_event_handle_t {
        match self.waits.is_empty() {
            true => std::ptr::null_mut(),
            false => self.waits.as_mut_ptr(),
        }
    }
}

impl kit::TrackedQueue for Queue {
    type Marker = Marker;

    /// A marker behind all commands that may be unfinished; `None` if there are none.
    fn unfinished(&self) -> UrResult<Option<Marker>> {
        let state = &mut *self.state.take();
        let shared = self.shared.load(Ordering::Relaxed);
        if self.mark.take() || shared {
            state.probe = None;
            if !self.is_complete() {
                let marker = self.mark(state, shared).inspect_err(|_| self.mark.set())?;
                state.probe = Some(marker);
            }
        }
        if state.probe.as_ref().is_some_and(Marker::is_over) {
            state.probe = None;
        }
        Ok(state.probe.clone())
    }

    fn is_over(marker: &Marker) -> bool {
        marker.is_over()
    }
}

impl Queue {
    /// A marker behind all commands so far.
    fn mark(&self, state: &mut State, shared: bool) -> UrResult<Marker> {
        state.prune();
        let mut events: Vec<_> = state.recent.iter().map(|(event, _)| event.clone()).collect();
        // Of commands that others have submitted there is no event.
        if self.in_order || shared {
            events.push(self.append_mark()?);
        }
        Ok(events.into())
    }

    /// Appends an event behind all commands so far.
    fn append_mark(&self) -> UrResult<EventRef> {
        // Not a counter-based one: the kit asks markers under locks, and a driver may have the state of those behind one that
        // is shut while the process forks.
        let event = self.context.shared.events.take(EventType::default())?;
        let appended = append_barrier(self.list(), Deps::new(Some(&event), &mut []));
        self.count();
        if appended.is_err() {
            event.signal();
        }
        appended.map(|()| event)
    }

    /// Keeps what an in-order queue's commands wait for, until they have.
    fn keep(&self, state: &mut State, kept: Kept) {
        state.kept.extend(kept);
        if state.kept.len() < MOST_KEPT || state.past.as_ref().is_some_and(|(mark, _)| !mark.is_over()) {
            return;
        }
        match self.append_mark() {
            Ok(mark) => state.past = Some((mark, std::mem::take(&mut state.kept))),
            Err(error) => log::warn!("events are kept longer than needed: {error}"),
        }
    }

    /// Submits a command by `call`, which appends it to the list.
    #[inline(always)]
    pub(super) fn enqueue(self: &Arc<Self>, how: How<'_>, call: impl FnOnce(Deps<'_>) -> UrResult<()>) -> UrResult<()> {
        self.enqueue_after(how, After::Nothing, call)
    }

    /// As [`Self::enqueue`], for a command that waits for more.
    #[inline(always)]
    pub(crate) fn enqueue_after(
        self: &Arc<Self>,
        how: How<'_>,
        after: After<'_>,
        call: impl FnOnce(Deps<'_>) -> UrResult<()>,
    ) -> UrResult<()> {
        if self.is_recording {
            return call(Deps::none());
        }
        match self.in_order && how.wait.is_empty() && !matches!(after, After::Marker(_)) {
            true => self.enqueue_plain(how, call),
            false => self.enqueue_with(how, after, call),
        }
    }

    /// The event of a command that has one, and when it was submitted, if the client wants to know.
    #[inline(always)]
    fn begin(self: &Arc<Self>, has_event: bool, how: &How<'_>) -> UrResult<(Option<NewEvent>, u64)> {
        // SAFETY: the queue keeps the pools, and so does the client's event, which keeps the queue.
        let signal = || unsafe { self.context.shared.events.take_borrowed(self.event_type) };
        let event = has_event.then(|| NewEvent::of(self, signal)).transpose()?;
        let is_timed = how.event.wanted() && self.event_type.timed;
        let submitted = match is_timed {
            true => kit::Device::timestamps(&*self.device)?.0,
            false => 0,
        };
        Ok((event, submitted))
    }

    /// The way of most commands: they wait for nothing but the order of the queue.
    #[inline(always)]
    fn enqueue_plain(self: &Arc<Self>, how: How<'_>, call: impl FnOnce(Deps<'_>) -> UrResult<()>) -> UrResult<()> {
        let (event, submitted) = self.begin(how.event.wanted(), &how)?;
        let turn = self.state.take();
        let called = call(Deps::new(event.as_ref().map(NewEvent::signal), &mut []));
        self.count();
        drop(turn);
        self.end(called, event, submitted, how)
    }

    /// What follows when a command was appended. If that failed, a part of it may be in the list.
    #[inline(always)]
    fn end(
        self: &Arc<Self>,
        called: UrResult<()>,
        event: Option<NewEvent>,
        submitted: u64,
        how: How<'_>,
    ) -> UrResult<()> {
        self.mark.set();
        let signal = event.as_ref().map(NewEvent::signal);
        if let Err(error) = called {
            // Nothing else will.
            if let Some(signal) = signal {
                signal.signal();
            }
            return Err(error);
        }
        if how.blocking {
            self.wait_for(signal)?;
        }
        match event {
            Some(event) if how.event.wanted() => how.event.set(event.into_event(self, how.kind, submitted)),
            _ => {}
        }
        Ok(())
    }

    /// The way of all others.
    #[inline(never)]
    fn enqueue_with(
        self: &Arc<Self>,
        how: How<'_>,
        after: After<'_>,
        call: impl FnOnce(Deps<'_>) -> UrResult<()>,
    ) -> UrResult<()> {
        let mut waits = Handles::new();
        let mut kept = Kept::new();
        if !how.wait.is_empty() {
            self.depend(how.wait, &mut waits, &mut kept)?;
        }
        let (event, submitted) = self.begin(how.event.wanted() || !self.in_order, &how)?;
        let signal = event.as_ref().map(NewEvent::signal);
        if let After::Marker(marker) = after {
            for event in marker.events().iter().filter(|event| !event.is_over()) {
                waits.push(event.handle());
                kept.push(event.clone());
            }
        }
        let called = {
            let state = &mut *self.state.take();
            if matches!(after, After::All) && !self.in_order {
                state.prune();
                waits.extend(state.recent.iter().map(|(event, _)| event.handle()));
                kept.extend(state.recent.iter().map(|(event, _)| event.clone()));
            }
            let called = call(Deps::new(signal, &mut waits));
            self.count();
            match signal {
                _ if called.is_err() => {}
                Some(signal) if !self.in_order => state.add(signal.clone(), kept),
                _ if !kept.is_empty() => self.keep(state, kept),
                _ => {}
            }
            called
        };
        self.end(called, event, submitted, how)
    }

    /// A command was appended, or a part of it. The caller has the turn. Not before: a thread that waits meanwhile would take
    /// it for complete.
    #[inline(always)]
    fn count(&self) {
        let count = self.submitted.load(Ordering::Relaxed) + 1;
        self.submitted.store(count, Ordering::Release);
    }

    /// Whether all commands are known to be complete, and nobody else submits any.
    #[inline(always)]
    pub(super) fn is_idle(&self) -> bool {
        self.complete.load(Ordering::Acquire) == self.submitted.load(Ordering::Relaxed)
            && !self.shared.load(Ordering::Relaxed)
    }

    /// Waits for a command, or for all.
    #[inline(never)]
    pub(super) fn wait_for(&self, command: Option<&EventRef>) -> UrResult<()> {
        if let Some(event) = command {
            return event.wait();
        }
        let submitted = self.submitted.load(Ordering::Acquire);
        // SAFETY: a live list.
        unsafe { ze!(zeCommandListHostSynchronize(self.list(), u64::MAX)) }?;
        self.complete.store(submitted, Ordering::Release);
        if self.has_retired.load(Ordering::Relaxed) {
            self.drop_retired(submitted);
        }
        Ok(())
    }

    /// Takes over a list that may still run in this queue, and is in use no more when all commands are complete that there
    /// are now. Gives it back if there are too many: a client that never waits for the queue would have all of them stay.
    pub(crate) fn retire(&self, list: Retired) -> Option<Retired> {
        let mut retired = self.retired.lock();
        if retired.len() == MOST_RETIRED {
            return Some(list);
        }
        retired.push((self.submitted.load(Ordering::Acquire), list));
        self.has_retired.store(true, Ordering::Relaxed);
        None
    }

    /// So many commands are complete.
    #[cold]
    fn drop_retired(&self, complete: u64) {
        let over: Vec<_> = {
            let mut retired = self.retired.lock();
            let over = retired.extract_if(.., |(last, _)| *last <= complete).collect();
            self.has_retired.store(!retired.is_empty(), Ordering::Relaxed);
            over
        };
        // Not under the lock: the driver is called.
        drop(over);
    }

    /// The events of a wait list that are not signalled, but for those that the order of the queue has before.
    #[inline(never)]
    fn depend(&self, wait: Wait<'_>, waits: &mut Handles, kept: &mut Kept) -> UrResult<()> {
        for event in wait.iter() {
            if event.context().shared.number != self.context.shared.number {
                kit::bail!(
                    ERROR_INVALID_CONTEXT:
                        "an event of the wait list ({:?}) belongs to another context", kit::handle_of(&event)
                );
            }
            if self.in_order && event.is_in(self) || event.is_over() {
                continue;
            }
            let current = event.current();
            waits.push(current.handle());
            // The event of a command may go before this command has waited.
            if !current.counts() || !self.in_order || current.may_change() {
                kept.push(current.clone());
            }
        }
        Ok(())
    }
}
