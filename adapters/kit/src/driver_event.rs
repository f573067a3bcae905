// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events of a driver that calls nobody back: each has a [signal](EventSignal), which can be asked and waited for.
//!
//! A pending event, of a command that is yet to be submitted, has a signal that the host gives. A [`Watcher`] calls back.
//! A reusable event stands for the event of the barrier that signalled it last.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use oxur_api::{
    CommandType, EventHandle, EventInfo, EventStatus, ExecutionInfo, ExpEventFlags, NativeHandle, ProfilingInfo,
    ResultCode,
};
use oxur_fork::{Mutex, OnceLock};

use crate::loan::Loan;
use crate::{
    Backend, Callback, Context, Event, HandleCell, InfoOut, Object, Queue, SoftwareEvent, UrResult, WaitList, Watch,
    Watcher, defer_drop,
    recycle::{is_only_reference, only_mut, recycle, recycled_with},
    recycled,
};

/// What a command gives when it is complete.
pub trait EventSignal<B: Backend>: Watch {
    /// Whether queues have [`Command::Timestamp`](crate::Command::Timestamp), by which reusable events have times.
    const HAS_TIMESTAMPS: bool;

    /// The thread that watches signals.
    fn watcher() -> &'static Watcher<Self>;

    /// A signal that the host [gives](Self::give).
    fn of_host(context: &Arc<B::Context>) -> UrResult<Self>;

    /// A signal that is there.
    fn complete(context: &Arc<B::Context>) -> UrResult<Self>;

    /// Wraps a native event. `owned` says that the native handle is ours to release.
    fn from_native(context: &Arc<B::Context>, native: NativeHandle, owned: bool) -> UrResult<Self>;

    /// The driver's handle.
    fn native(&self) -> UrResult<NativeHandle>;

    /// Gives a signal that is the host's to give.
    fn give(&self);

    /// Whether its command, which is over, is known to have failed.
    fn has_failed(&self) -> bool {
        false
    }

    /// Whether the next command of its queue may give it: it is no others', and it is one that gives itself anew.
    fn can_rest(&self) -> bool {
        false
    }

    /// Whether its command records when it ran.
    fn is_timed(&self) -> bool;

    /// When its command began and ended, in nanoseconds of the device's clock.
    fn times(&self, device: &B::Device) -> UrResult<(u64, u64)>;

    /// The same as the client is told, for a command of this kind that was submitted at a time.
    fn told_times(times: (u64, u64), _command: CommandType, _submitted: u64) -> (u64, u64) {
        times
    }
}

/// An event.
pub struct DriverEvent<B: Backend, S> {
    handle_cell: HandleCell,
    signal: S,
    rare: Option<Box<RareParts<B, S>>>,
    /// When its command was submitted, on a queue for profiling.
    submitted: u64,
    /// Whether it is known to be complete, or to have failed.
    over: AtomicBool,
    /// Whether somebody has waited for it, and nothing had failed.
    waited: AtomicBool,
    command: CommandType,
    owner: Owner<B>,
}

/// What an event belongs to.
enum Owner<B: Backend> {
    /// The queue of its command.
    Queue(Loan<B::Queue, B::Event>),
    /// A context: it is a native event, or that of a command which may run on any queue.
    Context(Arc<B::Context>),
    /// Nothing: it rests with its queue, and nobody has it.
    Resting,
}

/// What the event of a command is made of: its signal, or an event that has rested.
pub enum NewEvent<B: Backend<Event = DriverEvent<B, S>>, S> {
    /// A signal that no event has.
    Signal(S),
    /// An event with a signal.
    Rested(Arc<DriverEvent<B, S>>),
}

impl<B: Backend<Event = DriverEvent<B, S>>, S: EventSignal<B>> NewEvent<B, S> {
    /// An event that rests with its queue, or else a new signal.
    #[inline(always)]
    pub fn of(queue: &Arc<B::Queue>, signal: impl FnOnce() -> UrResult<S>) -> UrResult<Self> {
        let Some((mut event, loan)) = queue.loans().and_then(|loans| loans.resting(queue)) else {
            return signal().map(Self::Signal);
        };
        // SAFETY: what rests has no other reference.
        let this = unsafe { only_mut(&mut event) };
        // There is nothing to drop.
        std::mem::forget(std::mem::replace(&mut this.owner, Owner::Queue(loan)));
        (*this.over.get_mut(), *this.waited.get_mut()) = (false, false);
        Ok(Self::Rested(event))
    }

    /// What the command gives.
    #[inline(always)]
    pub fn signal(&self) -> &S {
        match self {
            Self::Signal(signal) => signal,
            Self::Rested(event) => &event.signal,
        }
    }

    /// The event of a command.
    #[inline(always)]
    pub fn into_event(self, queue: &Arc<B::Queue>, command: CommandType, submitted: u64) -> Arc<DriverEvent<B, S>> {
        match self {
            Self::Signal(signal) => DriverEvent::new(signal, queue, command, submitted),
            Self::Rested(mut event) => {
                // SAFETY: nobody else has a reference yet.
                let this = unsafe { only_mut(&mut event) };
                (this.command, this.submitted) = (command, submitted);
                HandleCell::wake(&event);
                event
            }
        }
    }
}

/// What few events have.
struct RareParts<B: Backend, S> {
    /// What it began with, if that was another command.
    began: Vec<S>,
    pending: Option<Pending<S>>,
    reusable: Option<Reusable<B, S>>,
}

impl<B: Backend, S> Default for RareParts<B, S> {
    fn default() -> Self {
        Self {
            began: Vec::new(),
            pending: None,
            reusable: None,
        }
    }
}

/// What a reusable event has in place of a command.
struct Reusable<B: Backend, S> {
    /// Whether the commands that signal it record their times on any queue.
    is_profiled: bool,
    /// The event of the one that signalled it last.
    last: Mutex<Option<Arc<DriverEvent<B, S>>>>,
}

impl<B: Backend, S> Reusable<B, S> {
    fn last(&self) -> Option<Arc<DriverEvent<B, S>>> {
        self.last.lock().clone()
    }
}

/// The signal that an event has now.
pub enum Current<'a, S> {
    /// The event's own.
    Own(&'a S),
    /// That of the command which signalled a reusable event last. The next one may take its place at any time.
    Shared(S),
}

impl<S> Deref for Current<'_, S> {
    type Target = S;

    #[inline(always)]
    fn deref(&self) -> &S {
        match self {
            Self::Own(signal) => signal,
            Self::Shared(signal) => signal,
        }
    }
}

impl<S> Current<'_, S> {
    /// Whether the event may lose it before a command has waited for it.
    #[inline]
    pub fn may_change(&self) -> bool {
        matches!(self, Self::Shared(_))
    }
}

/// A command that will be submitted.
struct Pending<S> {
    /// Its signal, once it was.
    command: OnceLock<S>,
    /// Whether it never will be.
    failed: AtomicBool,
}

impl<B: Backend<Event = Self>, S: EventSignal<B>> DriverEvent<B, S> {
    #[inline(always)]
    fn with(signal: S, command: CommandType, owner: Owner<B>) -> Self {
        Self {
            handle_cell: HandleCell::new(),
            signal,
            rare: None,
            submitted: 0,
            over: AtomicBool::new(false),
            waited: AtomicBool::new(false),
            command,
            owner,
        }
    }

    fn with_rare(self, rare: RareParts<B, S>) -> Self {
        Self {
            rare: Some(Box::new(rare)),
            ..self
        }
    }

    /// The event of a command. Inlined, so that the signal is in registers.
    #[inline(always)]
    pub fn new(signal: S, queue: &Arc<B::Queue>, command: CommandType, submitted: u64) -> Arc<Self> {
        let owner = Loan::of(queue, queue.loans());
        recycled_with(|| Self {
            submitted,
            ..Self::with(signal, command, Owner::Queue(owner))
        })
    }

    /// One that is complete, of no queue.
    fn complete_of(context: &Arc<B::Context>, command: CommandType) -> UrResult<Self> {
        Ok(Self::with(
            S::complete(context)?,
            command,
            Owner::Context(context.clone()),
        ))
    }

    /// The context that it is of.
    pub fn context(&self) -> &Arc<B::Context> {
        match &self.owner {
            Owner::Queue(queue) => queue.context(),
            Owner::Context(context) => context,
            Owner::Resting => unreachable!("nobody has an event that rests"),
        }
    }

    /// Whether its command is in this queue.
    pub fn is_in(&self, queue: &B::Queue) -> bool {
        match &self.owner {
            Owner::Queue(own) => std::ptr::eq(Arc::as_ptr(own), queue) && self.pending().is_none(),
            Owner::Context(_) | Owner::Resting => false,
        }
    }

    fn device(&self) -> &Arc<B::Device> {
        match &self.owner {
            Owner::Queue(queue) => queue.device(),
            Owner::Context(context) => &context.devices()[0],
            Owner::Resting => unreachable!("nobody has an event that rests"),
        }
    }

    #[inline]
    fn pending(&self) -> Option<&Pending<S>> {
        self.rare.as_ref()?.pending.as_ref()
    }

    #[inline]
    fn reusable(&self) -> Option<&Reusable<B, S>> {
        self.rare.as_ref()?.reusable.as_ref()
    }

    /// What is to be waited for, and asked.
    #[inline]
    pub fn current(&self) -> Current<'_, S> {
        match &self.rare {
            None => Current::Own(&self.signal),
            Some(rare) => self.current_of(rare),
        }
    }

    #[cold]
    fn current_of<'a>(&'a self, rare: &'a RareParts<B, S>) -> Current<'a, S> {
        if let Some(last) = rare.reusable.as_ref().and_then(Reusable::last) {
            return Current::Shared(last.current().clone());
        }
        let submitted = rare.pending.as_ref().and_then(|pending| pending.command.get());
        Current::Own(submitted.unwrap_or(&self.signal))
    }

    /// Whether the commands that signal it, which is reusable, record their times on any queue.
    pub(crate) fn is_profiled(&self) -> bool {
        self.reusable().is_some_and(|reusable| reusable.is_profiled)
    }

    /// It is reusable, and a command signals it that has this event.
    pub(crate) fn signalled_by(&self, command: Arc<Self>) {
        if let Some(reusable) = self.reusable() {
            // Released without the lock, as it may be the last that has its queue.
            let before = reusable.last.lock().replace(command);
            before.into_iter().for_each(Event::released);
        }
    }

    /// Whether its command is complete, or failed.
    pub fn is_over(&self) -> bool {
        if self.over.load(Ordering::Acquire) || self.waited.load(Ordering::Acquire) {
            return true;
        }
        let over = self.current().is_over();
        if over && self.reusable().is_none() {
            self.over.store(true, Ordering::Release);
        }
        over
    }

    /// Whether its command will never be submitted.
    fn failed(&self) -> bool {
        let pending = self.pending();
        pending.is_some_and(|pending| pending.failed.load(Ordering::Acquire))
    }

    /// Whether its command was not submitted yet, and may still be.
    fn is_to_come(&self) -> bool {
        let pending = self.pending();
        pending.is_some_and(|pending| pending.command.get().is_none()) && !self.failed()
    }

    fn wait(&self) -> UrResult<()> {
        if self.waited.load(Ordering::Acquire) {
            return Ok(());
        }
        if self.reusable().is_some() {
            return self.current().wait();
        }
        // That of the host comes when the command that a pending event is about to get is complete.
        self.current().wait()?;
        if self.failed() {
            crate::bail!(ERROR_IN_EVENT_LIST_EXEC_STATUS: "the command {:?} was never submitted", self.command);
        }
        if self.pending().is_some() {
            // What failed behind the host's signal is in the command's own.
            self.current().wait()?;
        }
        self.waited.store(true, Ordering::Release);
        Ok(())
    }

    /// When a command began and ended, in nanoseconds.
    fn times(&self, signal: &S) -> UrResult<(u64, u64)> {
        match signal.is_timed() && signal.is_over() {
            true => signal.times(self.device()),
            false => Err(ResultCode::ERROR_PROFILING_INFO_NOT_AVAILABLE.into()),
        }
    }
}

impl<B: Backend, S: Watch> Object for DriverEvent<B, S> {
    type Handle = EventHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

impl<B: Backend<Event = Self>, S: EventSignal<B>> Event<B> for DriverEvent<B, S> {
    fn info(&self, query: EventInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            EventInfo::COMMAND_QUEUE => match (&self.owner, self.reusable().and_then(Reusable::last)) {
                (_, Some(last)) => last.info(query, out),
                (Owner::Queue(queue), None) => out.handle(queue),
                (Owner::Context(_) | Owner::Resting, None) => out.unsupported(),
            },
            EventInfo::CONTEXT => out.handle(self.context()),
            EventInfo::COMMAND_TYPE => out.value(self.command),
            EventInfo::COMMAND_EXECUTION_STATUS => out.value(if self.is_to_come() {
                EventStatus::QUEUED
            } else if !self.is_over() {
                EventStatus::SUBMITTED
            } else if self.failed() || self.current().has_failed() {
                EventStatus::ERROR
            } else {
                EventStatus::COMPLETE
            }),
            _ => out.unsupported(),
        }
    }

    fn profiling_info(&self, query: ProfilingInfo, out: InfoOut<'_>) -> UrResult<()> {
        if let Some(last) = self.reusable().and_then(Reusable::last) {
            return last.profiling_info(query, out);
        }
        let current = self.current();
        if !current.is_timed() {
            return Err(ResultCode::ERROR_PROFILING_INFO_NOT_AVAILABLE.into());
        }
        let told = || {
            let (mut start, end) = self.times(&current)?;
            for first in self.rare.iter().flat_map(|rare| &rare.began) {
                start = start.min(self.times(first)?.0);
            }
            UrResult::Ok(S::told_times((start, end), self.command, self.submitted))
        };
        match query {
            ProfilingInfo::COMMAND_QUEUED | ProfilingInfo::COMMAND_SUBMIT => out.value(self.submitted),
            ProfilingInfo::COMMAND_START => out.value(told()?.0),
            ProfilingInfo::COMMAND_END | ProfilingInfo::COMMAND_COMPLETE => out.value(told()?.1),
            _ => out.unsupported(),
        }
    }

    fn wait_all(events: WaitList<'_, B>) -> UrResult<()> {
        // To the last one, even if one has failed.
        events.iter().map(|event| event.wait()).fold(Ok(()), Result::and)
    }

    fn set_callback(self: &Arc<Self>, status: ExecutionInfo, callback: Callback) -> UrResult<()> {
        // The driver does not tell when a command begins.
        let reached = status != ExecutionInfo::COMPLETE && !self.is_to_come();
        if reached || self.is_over() {
            callback.call(self, status);
            return Ok(());
        }
        let event = self.clone();
        S::watcher().when_over(&self.current(), move || {
            callback.call(&event, status);
            SoftwareEvent::defer_drop(event);
        })
    }

    fn native(self: &Arc<Self>) -> UrResult<NativeHandle> {
        self.current().native()
    }

    fn from_native(context: &Arc<B::Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        let owner = Owner::Context(context.clone());
        let signal = S::from_native(context, native, owned)?;
        Ok(Arc::new(Self::with(signal, CommandType::EVENTS_WAIT, owner)))
    }

    #[inline(always)]
    fn released(mut self: Arc<Self>) {
        if !is_only_reference(&self) {
            return;
        }
        // SAFETY: nobody else can access it any more.
        let this = unsafe { only_mut(&mut self) };
        if let Owner::Queue(loan) = &this.owner
            && this.rare.is_none()
            && this.signal.can_rest()
            && let Some(place) = loan.place()
        {
            this.handle_cell.rest();
            if let Owner::Queue(loan) = std::mem::replace(&mut this.owner, Owner::Resting) {
                loan.forget();
            }
            return place.take(self);
        }
        recycle(self);
    }

    fn complete(context: &Arc<B::Context>) -> UrResult<Arc<Self>> {
        Self::complete_of(context, CommandType::EVENTS_WAIT).map(Arc::new)
    }

    fn create(context: &Arc<B::Context>, device: &Arc<B::Device>, flags: ExpEventFlags) -> UrResult<Arc<Self>> {
        context.check_device(device)?;
        if flags.contains(ExpEventFlags::IPC_EXP) {
            crate::bail!(ERROR_UNSUPPORTED_FEATURE: "other processes cannot open events of this adapter");
        }
        let is_profiled = flags.contains(ExpEventFlags::ENABLE_PROFILING);
        if is_profiled && !S::HAS_TIMESTAMPS {
            crate::bail!(ERROR_UNSUPPORTED_FEATURE: "events of this adapter have no times of their own");
        }
        let event = Self::complete_of(context, CommandType::EVENTS_WAIT_WITH_BARRIER)?;
        let reusable = Reusable {
            is_profiled,
            last: Mutex::default(),
        };
        Ok(Arc::new(event.with_rare(RareParts {
            reusable: Some(reusable),
            ..RareParts::default()
        })))
    }

    fn is_reusable(&self) -> bool {
        self.reusable().is_some()
    }
}

impl<B: Backend<Event = Self>, S: EventSignal<B>> SoftwareEvent<B> for DriverEvent<B, S> {
    fn for_execution(command: CommandType, firsts: &[Arc<Self>], last: &Arc<Self>) -> UrResult<Arc<Self>> {
        let Owner::Queue(queue) = &last.owner else {
            return Err(ResultCode::ERROR_INVALID_EVENT.into());
        };
        let submitted = firsts.iter().chain([last]).map(|event| event.submitted).min();
        let event = Self::with(
            last.signal.clone(),
            command,
            Owner::Queue(Loan::of(queue, queue.loans())),
        );
        let began: Vec<_> = firsts.iter().map(|first| first.signal.clone()).collect();
        let rare = (!began.is_empty()).then(|| {
            Box::new(RareParts {
                began,
                ..RareParts::default()
            })
        });
        Ok(recycled(Self {
            rare,
            submitted: submitted.unwrap_or(0),
            ..event
        }))
    }

    fn create_pending(context: &Arc<B::Context>, command: CommandType) -> UrResult<Arc<Self>> {
        let event = Self::with(S::of_host(context)?, command, Owner::Context(context.clone()));
        let pending = Pending {
            command: OnceLock::new(),
            failed: AtomicBool::new(false),
        };
        Ok(Arc::new(event.with_rare(RareParts {
            pending: Some(pending),
            ..RareParts::default()
        })))
    }

    fn resolve(&self, command: Option<&Arc<Self>>) {
        let Some(pending) = self.pending() else { return };
        let end = self.signal.clone();
        match command {
            Some(command) => {
                let command = command.current();
                if let Err(error) = S::watcher().when_over(&command, move || end.give()) {
                    log::error!("an event that others wait for is signalled too early: {error}");
                    self.signal.give();
                }
                _ = pending.command.set(command.clone());
            }
            None => {
                log::info!("the event of a command fails that was never run");
                pending.failed.store(true, Ordering::Release);
                end.give();
            }
        }
    }

    fn defer_drop(event: Arc<Self>) {
        if let Some(last) = Arc::into_inner(event) {
            defer_drop(last);
        }
    }
}
