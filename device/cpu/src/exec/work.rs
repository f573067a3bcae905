// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a command does: the trait that kernels, copies, host tasks and plans implement.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use oxur_compiler::{Fault, ThreadContext};

use super::clock;
use super::cost::SHORT;
use super::failure::Failure;
use super::node::Node;
use super::pool::{Job, Pool};

/// The cost limit of what a thread takes on while it only helps and waits for something else, in cycles.
pub(super) const BRIEF: u64 = 100 * SHORT;

/// What a command does.
pub trait Work: Any + Send + Sync {
    /// The number of chunks, which may run in parallel. A command without chunks is complete when its dependencies are.
    fn chunks(&self) -> u64 {
        1
    }

    /// How its chunks run.
    fn execution(&self) -> Execution {
        Execution::Parallel
    }

    /// What `chunks` chunks cost, in [cycles](clock::cycles), if that is known.
    fn cost(&self, _chunks: u64) -> Option<u64> {
        None
    }

    /// Whether to measure a short run this time.
    fn is_due(&self) -> bool {
        false
    }

    /// Reports what `chunks` chunks cost.
    fn learn(&self, _chunks: u64, _cycles: u64) {}

    /// Describes the command in messages.
    fn describe(&self) -> String {
        "a command".to_owned()
    }

    /// Runs some of the chunks.
    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault>;

    /// Creates the job that runs instead of the chunks if the execution is [`Execution::Steps`]. The job must end `command`,
    /// the node of this work.
    fn start(&self, _pool: &'static Pool, _command: Arc<dyn Node>) -> Arc<dyn Job> {
        unreachable!("only called for `Execution::Steps`")
    }

    /// Called when the command is over. The work is dropped next, and only then others see that the command is over.
    fn over(&mut self, _result: Result<(), &Failure>) {}
}

/// Implements the methods of [`Work`] for a wrapper whose field `work` is the wrapped work. The wrapper writes
/// [`Work::run`], and [`Work::over`] if it has something to do at the end: `over` is called for the outermost work alone.
#[macro_export]
macro_rules! forward_to_work {
    () => {
        fn chunks(&self) -> u64 {
            self.work.chunks()
        }

        fn execution(&self) -> $crate::exec::Execution {
            self.work.execution()
        }

        fn cost(&self, chunks: u64) -> Option<u64> {
            self.work.cost(chunks)
        }

        fn is_due(&self) -> bool {
            self.work.is_due()
        }

        fn learn(&self, chunks: u64, cycles: u64) {
            self.work.learn(chunks, cycles);
        }

        fn describe(&self) -> String {
            self.work.describe()
        }

        fn start(
            &self,
            pool: &'static $crate::exec::Pool,
            command: std::sync::Arc<dyn $crate::exec::Node>,
        ) -> std::sync::Arc<dyn $crate::exec::Job> {
            self.work.start(pool, command)
        }
    };
}

/// How the chunks of a command run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// On threads of the pool, in any order.
    Parallel,
    /// On as many threads of the pool at the same time, because chunks wait for each other.
    Gang,
    /// On a thread that may block as long as it likes, because the code is the client's.
    Host,
    /// As the job that [`Work::start`] creates: a [plan](super::plan).
    Steps,
}

/// Runs some chunks of a work, and reports their cost to it.
pub(super) fn run_measured(
    work: &(impl Work + ?Sized),
    chunks: Range<u64>,
    worker: &mut ThreadContext,
) -> Result<(), Fault> {
    let count = chunks.end - chunks.start;
    let started = clock::cycles();
    work.run(chunks, worker)?;
    work.learn(count, clock::cycles().wrapping_sub(started));
    Ok(())
}

/// Runs short work, and measures some of the runs.
pub fn run_short(work: &(impl Work + ?Sized), worker: &mut ThreadContext) -> Result<(), Fault> {
    match work.chunks() {
        0 => Ok(()),
        count if work.is_due() => run_measured(work, 0..count, worker),
        count => work.run(0..count, worker),
    }
}
