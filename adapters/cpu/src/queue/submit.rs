// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Submission of commands.
//!
//! A short command with no unfinished dependency runs inline, on the thread that submits it. This is the fast path, so
//! [`Queue::submit_work`] is inlined into the entry points. All other commands become tasks of the [engine](oxur_device_cpu::exec).

use std::ops::Range;
use std::sync::Arc;

use kit::UrResult;
use kit::ur::CommandType;
use kit::{UrError, WaitList};
use oxur_adapter_kit as kit;
use oxur_compiler::{Fault, ThreadContext};
use oxur_device_cpu::exec::{Execution, Failure, Node, ProfilingTimes, Task, Work, client_threads, clock, submit};
use oxur_device_cpu::forward_to_work;
use oxur_device_cpu::in_flight::Mark;
use oxur_device_cpu::order::{Empty, InlineGuard, Order, OrderFlags};

use super::{Out, Queue, Wait, host};
use crate::{Cpu, Event};

/// The properties of a command besides its work.
#[derive(Clone, Copy)]
pub(super) struct Submission {
    pub(super) command: CommandType,
    /// The enqueue function returns when the command has ended.
    pub(super) blocking: bool,
    /// It is short enough to run inline.
    pub(super) inline: bool,
    pub(super) order: OrderFlags,
}

impl Submission {
    /// A command that does not block, does not run inline, and is no barrier.
    pub(super) fn of(command: CommandType) -> Self {
        Self {
            command,
            blocking: false,
            inline: false,
            order: OrderFlags::default(),
        }
    }
}

impl Queue {
    /// Submits a command: `run_inline` runs it and returns whether it succeeded, or `make_work` makes the work of a task.
    #[inline(always)]
    pub(super) fn submit_work<W: Work>(
        self: &Arc<Self>,
        submission: Submission,
        wait: Wait<'_>,
        event: Out<'_>,
        run_inline: impl FnOnce() -> bool,
        make_work: impl FnOnce() -> W,
    ) -> UrResult<()> {
        self.submit_in(submission, None, wait, event, run_inline, make_work)
    }

    /// [`Queue::submit_work`] for a command that also takes part in another order: that of a command buffer.
    #[inline(always)]
    pub(super) fn submit_in<W: Work>(
        self: &Arc<Self>,
        submission: Submission,
        other: Option<&Order>,
        wait: Wait<'_>,
        event: Out<'_>,
        run_inline: impl FnOnce() -> bool,
        make_work: impl FnOnce() -> W,
    ) -> UrResult<()> {
        if submission.inline && (wait.is_empty() || all_over(wait)?) && self.order.begin() {
            let guard = InlineGuard(&self.order);
            if self.is_profiled(submission.command) {
                return self.run_profiled(submission, event, run_inline, guard);
            }
            let succeeded = run_inline();
            drop(guard);
            if event.wanted() || !succeeded {
                self.finish_inline(submission, event, ProfilingTimes::default(), succeeded)?;
            }
            return Ok(());
        }
        self.enqueue(submission, other, wait, event, make_work())
    }

    /// Runs a command inline and records when it ran.
    #[inline(never)]
    fn run_profiled(
        self: &Arc<Self>,
        submission: Submission,
        event: Out<'_>,
        run_inline: impl FnOnce() -> bool,
        guard: InlineGuard<'_>,
    ) -> UrResult<()> {
        let started = clock::now();
        let succeeded = run_inline();
        let ended = clock::now();
        drop(guard);
        let times = ProfilingTimes {
            queued: started,
            submitted: started,
            started,
            ended,
        };
        self.finish_inline(submission, event, times, succeeded)
    }

    /// Returns the event or the error of a command that has run inline.
    #[inline]
    fn finish_inline(
        self: &Arc<Self>,
        submission: Submission,
        event: Out<'_>,
        times: ProfilingTimes,
        succeeded: bool,
    ) -> UrResult<()> {
        if !succeeded && submission.blocking {
            return Err(self.failed_error());
        }
        if event.wanted() {
            event.set(Event::over(self, submission.command, times, succeeded));
        }
        Ok(())
    }

    /// Records that a command failed inline. Returns `false`, the result for `run_inline`.
    #[cold]
    pub(super) fn inline_failed(&self, command: &str, fault: Fault) -> bool {
        self.failures.add(command, &Failure::Fault(fault));
        false
    }

    /// Submits a command as a task.
    #[inline(never)]
    fn enqueue<W: Work>(
        self: &Arc<Self>,
        submission: Submission,
        other: Option<&Order>,
        wait: Wait<'_>,
        event: Out<'_>,
        work: W,
    ) -> UrResult<()> {
        let task = self.append(submission, other, wait, work, self.is_profiled(submission.command))?;
        if submission.blocking && !task.wait() {
            return Err(self.failed_error());
        }
        if event.wanted() {
            event.set(Event::new(self, submission.command, task));
        }
        Ok(())
    }

    /// Creates a task, with dependencies on its wait list and on earlier commands, and submits it. A `profiled` task records
    /// its times.
    fn append<W: Work>(
        self: &Arc<Self>,
        submission: Submission,
        other: Option<&Order>,
        wait: Wait<'_>,
        work: W,
        profiled: bool,
    ) -> UrResult<Arc<dyn Node>> {
        let brief = all_over(wait)? && submission.inline;
        // Unfinished commands delay the reuse of freed USM. A host task does not: the client knows what it uses, and may
        // free it in the task. Nor does a free itself.
        let execution = work.execution();
        let marked = work.chunks() > 0
            && execution != Execution::Host
            && submission.command != CommandType::ENQUEUE_USM_FREE_EXP;
        let mark = marked.then(|| self.context.in_flight.enter());
        let entry = Entry {
            work,
            mark,
            queue: QueueRef(Some(self.clone())),
        };
        let task: Arc<dyn Node> = Task::new(self.pool, entry, profiled);
        for before in wait.iter() {
            before.before(&task);
        }
        match other {
            Some(other) => self.pool.in_two_orders(|| {
                self.order.append(&task, submission.order, brief);
                other.append(&task, OrderFlags::default(), brief);
            }),
            None if execution == Execution::Gang => {
                self.pool
                    .append_gang(&task, || self.order.append(&task, submission.order, brief));
            }
            None => self.order.append(&task, submission.order, brief),
        }
        submit(task.clone());
        Ok(task)
    }

    /// Submits a barrier that signals a reusable event. It depends on the wait list, or on all earlier commands if the list
    /// is empty.
    pub(super) fn signal_reusable(self: &Arc<Self>, event: &Event, wait: Wait<'_>) -> UrResult<()> {
        let submission = Submission {
            order: OrderFlags {
                after_all: wait.is_empty(),
                barrier: true,
            },
            ..Submission::of(CommandType::EVENTS_WAIT_WITH_BARRIER)
        };
        let profiled = self.is_profiled(submission.command) || event.is_profiled();
        // Fails before `begin_signal` makes the signal visible to other processes.
        all_over(wait)?;
        let (task, number) = match event.begin_signal()? {
            Some(signal) => {
                let number = signal.number();
                (
                    self.append(submission, None, wait, host::SignalWork(signal), profiled)?,
                    number,
                )
            }
            None => (self.append(submission, None, wait, Empty, profiled)?, 0),
        };
        event.signalled_by(Event::new(self, submission.command, task), number);
        Ok(())
    }

    /// Submits a command that only takes part in the order. An in-order queue orders it anyway; in an out-of-order queue it
    /// may run inline unless it depends on unfinished commands.
    pub(super) fn submit_marker(
        self: &Arc<Self>,
        submission: Submission,
        wait: Wait<'_>,
        event: Out<'_>,
    ) -> UrResult<()> {
        let inline = !submission.order.after_all || kit::Queue::is_in_order(&**self) || self.order.is_empty();
        self.submit_work(Submission { inline, ..submission }, wait, event, || true, || Empty)
    }

    /// Whether the client may ask when a command ran.
    #[inline]
    fn is_profiled(&self, command: CommandType) -> bool {
        self.profiled || command == CommandType::TIMESTAMP_RECORDING_EXP
    }

    /// The error of a failed blocking command.
    #[cold]
    fn failed_error(&self) -> UrError {
        let message = self
            .failures
            .take_message()
            .unwrap_or_else(|| "a dependency of the command failed".into());
        kit::error!(ERROR_IN_EVENT_LIST_EXEC_STATUS: "{message}")
    }
}

/// Whether all commands of a wait list have ended. Fails if one of them failed.
#[inline]
fn all_over(wait: WaitList<'_, Cpu>) -> UrResult<bool> {
    let mut all = true;
    for event in wait.iter() {
        all &= event.is_over();
        if event.failed() {
            kit::bail!(ERROR_IN_EVENT_LIST_EXEC_STATUS: "the command of an event of the wait list failed");
        }
    }
    Ok(all)
}

/// The work of a command, with the queue and the in-flight mark that must outlive it. Fields drop in this order.
struct Entry<W> {
    work: W,
    mark: Option<Mark>,
    queue: QueueRef,
}

impl<W: Work> Work for Entry<W> {
    forward_to_work!();

    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        self.work.run(chunks, worker)
    }

    fn over(&mut self, result: Result<(), &Failure>) {
        let queue = self.queue.0.as_ref().expect("set until it is dropped");
        if let Err(failure) = result {
            queue.failures.add(&self.describe(), failure);
        }
        self.work.over(result);
        if let Some(mark) = self.mark.take() {
            queue.context.in_flight.leave(mark);
        }
    }
}

/// A command's reference to its queue, and so to the context. The last one destroys the context, which may call the client,
/// so that happens on another thread than those that run commands.
struct QueueRef(Option<Arc<Queue>>);

impl Drop for QueueRef {
    fn drop(&mut self) {
        if let Some(last) = self.0.take().and_then(Arc::into_inner) {
            client_threads::defer_drop(last);
        }
    }
}
