// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Steps that record when they ran, by a wrapper around their work. Plans without timing have no wrappers and no overhead.

use std::ops::Range;
use std::sync::Arc;

use oxur_compiler::{Fault, ThreadContext};

use super::{Step, StepTimes};
use crate::exec::clock;
use crate::exec::work::Work;
use crate::forward_to_work;

/// Work that records when it ran.
struct Timed {
    work: Arc<dyn Work>,
    times: Arc<dyn StepTimes>,
    index: usize,
}

/// Wraps a step so that it records when it ran, as command number `index`.
pub(super) fn timed(step: Step, times: &Arc<dyn StepTimes>, index: usize) -> Step {
    let work = Timed {
        work: step.work,
        times: times.clone(),
        index,
    };
    Step {
        work: Arc::new(work),
        external: step.external,
    }
}

impl Work for Timed {
    forward_to_work!();

    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        let began = clock::now();
        self.work.run(chunks, worker)?;
        let ended = clock::now();
        self.times.add(self.index, began, ended);
        Ok(())
    }
}
