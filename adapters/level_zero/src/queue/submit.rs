// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The way of every command into the command list, and what is known of those that are in it.
//!
//! In an in-order queue a command has an event only if the client wants one. In an out-of-order queue each has one, by which
//! later commands can wait for all before them without holding up those behind.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kit::ur::{CommandType, ResultCode};
use kit::{UrError, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use smallvec::SmallVec;

use super::{Out, Queue, Wait};
use crate::Event;
use crate::event::{EventRef, EventType};
use crate::ze::ze;

/// What commands wait for: kept until they have.
type Kept = SmallVec<[EventRef; 2]>;

/// How many events an in-order queue keeps before it asks whether they are still needed.
const MOST_KEPT: usize = 64;

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

    fn prune(&mut self) {
        self.recent.retain(|(event, _)| !event.is_over());
        self.prune_at = MOST_KEPT.max(2 * self.recent.len());
    }
}

/// What is signalled when commands are complete.
#[derive(Clone)]
pub(crate) struct Marker(Arc<[EventRef]>);

impl Marker {
    /// Whether they are.
    pub(crate) fn is_over(&self) -> bool {
        self.0.iter().all(EventRef::is_over)
    }

    /// Waits for them.
    pub(crate) fn wait(&self) -> UrResult<()> {
        self.0.iter().map(EventRef::wait).fold(Ok(()), Result::and)
    }

    /// The event of a command that is not complete.
    pub(crate) fn pending(&self) -> Option<EventRef> {
        self.0.iter().find(|event| !event.is_over()).cloned()
    }

    /// That of a command.
    pub(crate) fn of(event: &EventRef) -> Self {
        Self(Arc::new([event.clone()]))
    }

    /// The event of the last one.
    pub(super) fn last(self) -> Option<EventRef> {
        self.0.last().cloned()
    }
}

/// The last three parameters of every function that appends.
pub(crate) struct Deps<'a> {
    pub(crate) signal: ze_event_handle_t,
    /// The same event.
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

impl Deps<'_> {
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
        let _turn = self.turns.take();
        let mut state = self.take_state();
        let shared = self.shared.load(Ordering::Relaxed);
        let changed = self.mark.take() || shared;
        let mut result = Ok(());
        if changed {
            state.probe = None;
            if !self.is_empty() {
                match self.mark(&mut state, shared) {
                    Ok(marker) => state.probe = Some(marker),
                    Err(error) => {
                        self.mark.set();
                        result = Err(error);
                    }
                }
            }
        }
        if state.probe.as_ref().is_some_and(Marker::is_over) {
            state.probe = None;
        }
        let probe = state.probe.clone();
        *self.state.lock() = state;
        result.map(|()| probe)
    }

    fn is_over(marker: &Marker) -> bool {
        marker.is_over()
    }
}

impl Queue {
    /// Takes what is known of the commands out of the lock, for a caller that has the turn and puts it back.
    fn take_state(&self) -> State {
        std::mem::take(&mut *self.state.lock())
    }

    /// A marker behind all commands so far.
    fn mark(&self, state: &mut State, shared: bool) -> UrResult<Marker> {
        state.prune();
        let mut events: Vec<_> = state.recent.iter().map(|(event, _)| event.clone()).collect();
        // Of commands that others have submitted there is no event.
        if self.in_order || shared {
            events.push(self.append_mark()?);
        }
        Ok(Marker(events.into()))
    }

    /// Appends an event behind all commands so far.
    fn append_mark(&self) -> UrResult<EventRef> {
        // Not a counter-based one: the kit asks markers under locks, and a driver may have the state of those behind one that
        // is shut while the process forks.
        let event = self.context.shared.events.take(EventType::default())?;
        // SAFETY: a live list, whose turn the caller has, and a live event; no events to wait for.
        let appended = unsafe {
            ze!(zeCommandListAppendBarrier(
                self.list(),
                event.handle(),
                0,
                std::ptr::null_mut()
            ))
        };
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
    pub(super) fn enqueue(
        self: &Arc<Self>,
        command: CommandType,
        blocking: bool,
        wait: Wait<'_>,
        event: Out<'_>,
        call: impl FnOnce(Deps<'_>) -> UrResult<()>,
    ) -> UrResult<()> {
        self.enqueue_after(command, blocking, wait, After::Nothing, event, call)
    }

    /// As [`Self::enqueue`], for a command that waits for more.
    #[inline(always)]
    pub(crate) fn enqueue_after(
        self: &Arc<Self>,
        command: CommandType,
        blocking: bool,
        wait: Wait<'_>,
        after: After<'_>,
        event: Out<'_>,
        call: impl FnOnce(Deps<'_>) -> UrResult<()>,
    ) -> UrResult<()> {
        let mut waits = SmallVec::<[ze_event_handle_t; 8]>::new();
        let mut kept = Kept::new();
        if !wait.is_empty() {
            self.depend(wait, &mut waits, &mut kept)?;
        }
        let signal = match event.wanted() || !self.in_order {
            true => Some(self.context.shared.events.take(self.event_type)?),
            false => None,
        };
        if let After::Marker(marker) = after {
            for event in marker.0.iter().filter(|event| !event.is_over()) {
                waits.push(event.handle());
                kept.push(event.clone());
            }
        }
        let submitted = match event.wanted() && self.event_type.timed {
            true => kit::Device::timestamps(&*self.device)?.0,
            false => 0,
        };
        {
            let _turn = self.turns.take();
            if matches!(after, After::All) && !self.in_order {
                let mut state = self.take_state();
                state.prune();
                waits.extend(state.recent.iter().map(|(event, _)| event.handle()));
                kept.extend(state.recent.iter().map(|(event, _)| event.clone()));
                *self.state.lock() = state;
            }
            let handle = signal.as_ref().map_or(std::ptr::null_mut(), EventRef::handle);
            let deps = Deps {
                signal: handle,
                event: signal.as_ref(),
                waits: &mut waits,
            };
            if let Err(error) = call(deps) {
                // A part of it may be in the list. Nothing else will signal the event.
                self.mark.set();
                if let Some(signal) = &signal {
                    signal.signal();
                }
                return Err(error);
            }
            if !self.in_order {
                let mut state = self.take_state();
                state.recent.extend(signal.clone().map(|signal| (signal, kept)));
                if state.recent.len() > state.prune_at {
                    state.prune();
                }
                *self.state.lock() = state;
            } else if !kept.is_empty() {
                let mut state = self.take_state();
                self.keep(&mut state, kept);
                *self.state.lock() = state;
            }
        }
        self.mark.set();
        if blocking {
            self.wait_for(signal.as_ref())?;
        }
        if let Some(signal) = signal.filter(|_| event.wanted()) {
            event.set(Event::new(signal, self, command, submitted));
        }
        Ok(())
    }

    #[inline(never)]
    fn wait_for(&self, command: Option<&EventRef>) -> UrResult<()> {
        match command {
            Some(event) => event.wait(),
            // SAFETY: a live list.
            None => unsafe { ze!(zeCommandListHostSynchronize(self.list(), u64::MAX)) },
        }
    }

    /// The events of a wait list that are not signalled, but for those that the order of the queue has before.
    #[inline(never)]
    fn depend(&self, wait: Wait<'_>, waits: &mut SmallVec<[ze_event_handle_t; 8]>, kept: &mut Kept) -> UrResult<()> {
        for event in wait.iter() {
            if event.context().shared.number != self.context.shared.number {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_CONTEXT,
                    format!(
                        "an event of the wait list ({:?}) belongs to another context",
                        kit::handle_of(&event)
                    ),
                ));
            }
            if self.in_order && event.is_in(self) || event.is_over() {
                continue;
            }
            let current = event.current();
            waits.push(current.handle());
            // The event of a command may go before this command has waited.
            if !current.counts() || !self.in_order {
                kept.push(current.clone());
            }
        }
        Ok(())
    }
}
