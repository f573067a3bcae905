// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Submitted commands: a [`Task`] is work and a [`Node`] of the dependency graph.

use std::cell::UnsafeCell;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::Arc;

use oxur_compiler::ThreadContext;

use super::chunks::Chunks;
use super::client_threads;
use super::failure::{Failure, guarded};
use super::node::{Begun, Core, Node, end, runs};
use super::pool::{Job, Pool, WorkerContext};
use super::work::{BRIEF, Execution, Work, run_measured};

/// A command and its work.
pub struct Task<W: Work> {
    core: Core,
    chunks: Chunks,
    execution: Execution,
    brief: bool,
    /// Initialized until [`Node::drop_work`].
    work: UnsafeCell<ManuallyDrop<W>>,
}

// SAFETY: threads use the work concurrently only by shared reference, and it is `Send` and `Sync`. One thread changes and
// drops it, when no other uses it any more (see `work` and `drop_work`).
unsafe impl<W: Work> Sync for Task<W> {}

impl<W: Work> Task<W> {
    /// A command that is not yet submitted. `profiled` says that the client may ask for its
    /// [`ProfilingTimes`](super::ProfilingTimes).
    pub fn new(pool: &'static Pool, work: W, profiled: bool) -> Arc<Self> {
        let (count, execution) = (work.chunks(), work.execution());
        let cost = work.cost(count);
        let chunks = match execution {
            Execution::Host | Execution::Steps => Chunks::new(count, 1, count),
            Execution::Gang => Chunks::new(count, count as usize, 1),
            Execution::Parallel => Chunks::shared(count, cost, pool.concurrency()),
        };
        let brief = work.cost(chunks.chunk()).is_some_and(|cost| cost < BRIEF) && execution == Execution::Parallel;
        let work = UnsafeCell::new(ManuallyDrop::new(work));
        Arc::new(Self {
            core: Core::new(pool, profiled),
            chunks,
            execution,
            brief,
            work,
        })
    }

    /// The work. The caller has taken chunks of it that are not yet done, or knows that no chunk was taken.
    fn work(&self) -> &W {
        // SAFETY: it is dropped only when all chunks are done, or if none will ever be taken.
        unsafe { &*self.work.get() }
    }

    /// Runs some chunks, unless the command has already failed.
    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) {
        if self.core.has_failed() {
            return;
        }
        if let Err(failure) = guarded(|| run_measured(self.work(), chunks, worker)) {
            self.core.fail(failure);
        }
    }
}

impl<W: Work> Job for Task<W> {
    fn is_brief(&self) -> bool {
        self.brief
    }

    fn work(self: Arc<Self>, me: &mut WorkerContext<'_>) -> Option<Arc<dyn Job>> {
        if self.chunks.join() == 0 {
            runs(&(self.clone() as Arc<dyn Node>));
        }
        let share = |me: &WorkerContext<'_>| {
            me.share(self.clone());
            true
        };
        let done = me.run_chunks(&self.chunks, share, |chunks, worker| self.run(chunks, worker));
        if done != 0 && self.chunks.done(done) {
            return end(self, Some(me));
        }
        None
    }
}

impl<W: Work> Node for Task<W> {
    fn core(&self) -> &Core {
        &self.core
    }

    fn begin(self: Arc<Self>) -> Begun {
        if self.core.failed() || self.chunks.are_none() {
            runs(&(self as Arc<dyn Node>));
            return Begun::Over;
        }
        match self.execution {
            Execution::Parallel | Execution::Gang => return Begun::Job(self),
            Execution::Steps => {
                let job = Task::work(&self).start(self.core.pool(), self.clone());
                return Begun::Job(job);
            }
            Execution::Host => {}
        }
        let task = self.clone();
        let run = move || {
            runs(&(task.clone() as Arc<dyn Node>));
            task.run(0..1, &mut ThreadContext::new());
            end(task, None);
        };
        match client_threads::spawn(Box::new(run)) {
            Ok(()) => Begun::Elsewhere,
            Err((error, _)) => {
                log::warn!("a host task fails because no thread can be started: {error}");
                self.core.fail(Failure::NoThread);
                runs(&(self as Arc<dyn Node>));
                Begun::Over
            }
        }
    }

    fn drop_work(&self) {
        // SAFETY: no chunk runs and none will, so no other thread uses the work. Called once, so it was not dropped yet.
        let work = unsafe { &mut *self.work.get() };
        self.core.finish(|result| work.over(result));
        // SAFETY: as above. It is never used again: the state says next that the command is over, which `drop` checks.
        unsafe { ManuallyDrop::drop(work) };
    }
}

impl<W: Work> Drop for Task<W> {
    fn drop(&mut self) {
        if !self.core.is_over() {
            // SAFETY: the command is not over, so `drop_work` was not called: it comes right before that state, and the
            // task is alive in between.
            unsafe { ManuallyDrop::drop(self.work.get_mut()) };
        }
    }
}
