// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Steps of which somebody wants to know when they ran: work around their work. Other plans have none of it, and it
//! costs them nothing.

use std::ops::Range;
use std::sync::Arc;

use oxur_adapter_kit::{CommandTimings, Span};
use oxur_compiler::{Fault, ThreadContext};

use super::Step;
use crate::exec::clock;
use crate::exec::task::{Execution, Work};

/// Work that tells when it ran.
struct Timed {
    work: Arc<dyn Work>,
    times: Arc<CommandTimings>,
    place: usize,
}

/// A step that tells when it ran, as that at `place`.
pub(super) fn timed(step: Step, times: &Arc<CommandTimings>, place: usize) -> Step {
    let work = Timed {
        work: step.work,
        times: times.clone(),
        place,
    };
    Step {
        work: Arc::new(work),
        outside: step.outside,
    }
}

impl Work for Timed {
    fn chunks(&self) -> u64 {
        self.work.chunks()
    }

    fn execution(&self) -> Execution {
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

    fn what(&self) -> String {
        self.work.what()
    }

    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        let began = clock::now();
        self.work.run(chunks, worker)?;
        let ended = clock::now();
        self.times.add(self.place, Span { began, ended });
        Ok(())
    }
}
