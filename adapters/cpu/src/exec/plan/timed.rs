// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Steps that record when they ran: wrappers around their work. Plans without timing have no wrappers, and pay nothing.

use std::ops::Range;
use std::sync::Arc;

use oxur_adapter_kit::{CommandTimings, Span};
use oxur_compiler::{Fault, ThreadContext};

use super::Step;
use crate::exec::clock;
use crate::exec::work::{Work, forward_to_work};

/// Work that records when it ran.
struct Timed {
    work: Arc<dyn Work>,
    times: Arc<CommandTimings>,
    place: usize,
}

/// A step that records when it ran, as command number `place`.
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
    forward_to_work!();

    fn run(&self, chunks: Range<u64>, worker: &mut ThreadContext) -> Result<(), Fault> {
        let began = clock::now();
        self.work.run(chunks, worker)?;
        let ended = clock::now();
        self.times.add(self.place, Span { began, ended });
        Ok(())
    }
}
