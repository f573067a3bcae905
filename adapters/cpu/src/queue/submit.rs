// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The way of every command.
//!
//! A command that is short runs at once, in the thread that submits it, if nothing is in its way: [`Queue::submit_work`] is
//! inlined into each entry point for that. All others become tasks of the [engine](crate::exec).

use std::ops::Range;
use std::sync::Arc;

use kit::UrResult;
use kit::ur::{CommandType, ResultCode};
use kit::{UrError, WaitList};
use oxur_adapter_kit as kit;
use oxur_compiler::{Fault, ThreadContext};

use super::order::{Nothing, Order, Place};
use super::{Out, Queue, Wait, host};
use crate::activity::Mark;
use crate::exec::plan::Plan;
use crate::exec::{Execution, Failure, Node, Stamps, Task, Work, client, clock, submit};
use crate::{Cpu, Event};

/// What is known of a command besides its work.
#[derive(Clone, Copy)]
pub(super) struct How {
    pub(super) command: CommandType,
    /// The call returns when the command is over.
    pub(super) blocking: bool,
    /// It is short enough to run in the thread that submits it.
    pub(super) here: bool,
    pub(super) place: Place,
}

impl How {
    /// A command that is not for the thread that submits it, and has no special place.
    pub(super) fn of(command: CommandType) -> Self {
        Self {
            command,
            blocking: false,
            here: false,
            place: Place::default(),
        }
    }
}

/// The end of a command that runs at once, also by a panic.
pub(super) struct Turn<'a>(pub(super) &'a Order);

impl Drop for Turn<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Queue {
    /// Submits a command: `now` runs it at once and says whether it did not fail, `later` makes work of it.
    #[inline(always)]
    pub(super) fn submit_work<W: Work>(
        self: &Arc<Self>,
        how: How,
        wait: Wait<'_>,
        event: Out<'_>,
        now: impl FnOnce() -> bool,
        later: impl FnOnce() -> W,
    ) -> UrResult<()> {
        self.submit_in(how, None, wait, event, now, later)
    }

    /// The same for a command that has a place in another order, too.
    #[inline(always)]
    pub(super) fn submit_in<W: Work>(
        self: &Arc<Self>,
        how: How,
        other: Option<&Order>,
        wait: Wait<'_>,
        event: Out<'_>,
        now: impl FnOnce() -> bool,
        later: impl FnOnce() -> W,
    ) -> UrResult<()> {
        if how.here && (wait.is_empty() || all_over(wait)?) && self.order.begin() {
            let turn = Turn(&self.order);
            if self.is_stamped(how.command) {
                return self.run_stamped(how, event, now, turn);
            }
            let well = now();
            drop(turn);
            if event.wanted() || !well {
                self.over_here(how, event, Stamps::default(), well)?;
            }
            return Ok(());
        }
        self.enqueue(how, other, wait, event, later())
    }

    #[inline(never)]
    fn run_stamped(
        self: &Arc<Self>,
        how: How,
        event: Out<'_>,
        now: impl FnOnce() -> bool,
        turn: Turn<'_>,
    ) -> UrResult<()> {
        let started = clock::now();
        let well = now();
        let ended = clock::now();
        drop(turn);
        let stamps = Stamps {
            queued: started,
            submitted: started,
            started,
            ended,
        };
        self.over_here(how, event, stamps, well)
    }

    /// What is left to do for a command that has run here.
    #[inline]
    fn over_here(self: &Arc<Self>, how: How, event: Out<'_>, stamps: Stamps, well: bool) -> UrResult<()> {
        if !well && how.blocking {
            return Err(self.failed_error());
        }
        if event.wanted() {
            event.set(Event::over(self, how.command, stamps, well));
        }
        Ok(())
    }

    /// Takes note of a command that failed here; `what` it was. Says that it did not go well.
    #[cold]
    pub(super) fn failed_here(&self, what: &str, fault: Fault) -> bool {
        self.failures.add(what, &Failure::Fault(fault));
        false
    }

    /// Makes a task of a command.
    #[inline(never)]
    fn enqueue<W: Work>(
        self: &Arc<Self>,
        how: How,
        other: Option<&Order>,
        wait: Wait<'_>,
        event: Out<'_>,
        work: W,
    ) -> UrResult<()> {
        let task = self.append(how, other, wait, work, self.is_stamped(how.command))?;
        if how.blocking && !task.wait() {
            return Err(self.failed_error());
        }
        if event.wanted() {
            event.set(Event::new(self, how.command, task));
        }
        Ok(())
    }

    /// Submits a task, whose times are wanted if it is `stamped`.
    fn append<W: Work>(
        self: &Arc<Self>,
        how: How,
        other: Option<&Order>,
        wait: Wait<'_>,
        work: W,
        stamped: bool,
    ) -> UrResult<Arc<dyn Node>> {
        let brief = all_over(wait)? && how.here;
        // What a host task uses is for the client to know, and it may free it itself. Freeing is no use.
        let execution = work.execution();
        let marked =
            work.chunks() > 0 && execution != Execution::Host && how.command != CommandType::ENQUEUE_USM_FREE_EXP;
        let mark = marked.then(|| self.context.activity.enter());
        let entry = Entry {
            work,
            mark,
            queue: Keep(Some(self.clone())),
        };
        let task: Arc<dyn Node> = Task::new(self.pool, entry, stamped);
        for before in wait.iter() {
            before.before(&task);
        }
        match other {
            Some(other) => self.pool.in_two_orders(|| {
                self.order.append(&task, how.place, brief);
                other.append(&task, Place::default(), brief);
            }),
            None if execution == Execution::Gang => {
                self.pool
                    .one_by_one(&task, || self.order.append(&task, how.place, brief));
            }
            None => self.order.append(&task, how.place, brief),
        }
        submit(task.clone());
        Ok(task)
    }

    /// Has a reusable event signalled by a barrier behind the commands of a list, or all.
    pub(super) fn signal_reusable(self: &Arc<Self>, event: &Event, wait: Wait<'_>) -> UrResult<()> {
        let how = How {
            place: Place {
                last: wait.is_empty(),
                barrier: true,
            },
            ..How::of(CommandType::EVENTS_WAIT_WITH_BARRIER)
        };
        let stamped = self.is_stamped(how.command) || event.is_profiled();
        // Before the others see a signal.
        all_over(wait)?;
        let (task, number) = match event.begin_signal()? {
            Some(signal) => {
                let number = signal.number();
                (self.append(how, None, wait, host::Signals(signal), stamped)?, number)
            }
            None => (self.append(how, None, wait, Nothing, stamped)?, 0),
        };
        event.signalled_by(Event::new(self, how.command, task), number);
        Ok(())
    }

    /// Submits a command that does nothing but keep its place.
    pub(super) fn mark(self: &Arc<Self>, how: How, wait: Wait<'_>, event: Out<'_>) -> UrResult<()> {
        let here = !how.place.last || kit::Queue::is_in_order(&**self) || self.order.is_empty();
        self.submit_work(How { here, ..how }, wait, event, || true, || Nothing)
    }

    /// Whether somebody may ask when a command ran.
    #[inline]
    fn is_stamped(&self, command: CommandType) -> bool {
        self.profiled || command == CommandType::TIMESTAMP_RECORDING_EXP
    }

    /// What a blocking command returns that failed.
    #[cold]
    fn failed_error(&self) -> UrError {
        let words = self
            .failures
            .told()
            .unwrap_or_else(|| "a command that it waits for failed".into());
        UrError::with_message(ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS, words)
    }
}

/// Whether all events of a list are over. That one failed is an error.
#[inline]
fn all_over(wait: WaitList<'_, Cpu>) -> UrResult<bool> {
    let mut all = true;
    for event in wait.iter() {
        all &= event.is_over();
        if event.failed() {
            return Err(UrError::with_message(
                ResultCode::ERROR_IN_EVENT_LIST_EXEC_STATUS,
                "the command of an event of the wait list failed",
            ));
        }
    }
    Ok(all)
}

/// The work of a command, and what must live as long. The work goes first.
struct Entry<W> {
    work: W,
    mark: Option<Mark>,
    queue: Keep,
}

impl<W: Work> Work for Entry<W> {
    fn chunks(&self) -> u64 {
        self.work.chunks()
    }

    fn execution(&self) -> Execution {
        self.work.execution()
    }

    fn cost(&self, chunks: u64) -> Option<u64> {
        self.work.cost(chunks)
    }

    fn learn(&self, chunks: u64, cycles: u64) {
        self.work.learn(chunks, cycles);
    }

    fn plan(&self) -> Option<Plan> {
        self.work.plan()
    }

    fn what(&self) -> String {
        self.work.what()
    }

    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        self.work.run(chunks, worker)
    }

    fn over(&mut self, result: Result<(), &Failure>) {
        let queue = self.queue.0.as_ref().expect("there until it is dropped");
        if let Err(failure) = result {
            queue.failures.add(&self.what(), failure);
        }
        self.work.over(result);
        if let Some(mark) = self.mark.take() {
            queue.context.activity.leave(mark);
        }
    }
}

/// Keeps a queue, and by it the context, as long as a command. The last to go may end the context, which calls the client:
/// not in a thread that runs commands.
struct Keep(Option<Arc<Queue>>);

impl Drop for Keep {
    fn drop(&mut self) {
        if let Some(last) = self.0.take().and_then(Arc::into_inner) {
            client::reap(last);
        }
    }
}
