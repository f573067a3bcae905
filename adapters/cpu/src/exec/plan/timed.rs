// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Steps of which somebody wants to know when they ran: work around their work. Other plans have none of it, and it
//! costs them nothing.

use std::ops::Range;
use std::sync::Arc;

use oxur_adapter_kit::{Span, Times};
use oxur_compiler::{Fault, Worker};

use super::Step;
use crate::exec::clock;
use crate::exec::task::{Manner, Work};

/// Work that tells when it ran.
struct Timed {
    work: Arc<dyn Work>,
    times: Arc<Times>,
    place: usize,
}

/// A step that tells when it ran, as that at `place`.
pub(super) fn timed(step: Step, times: &Arc<Times>, place: usize) -> Step {
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
    fn pieces(&self) -> u64 {
        self.work.pieces()
    }

    fn manner(&self) -> Manner {
        self.work.manner()
    }

    fn cost(&self, pieces: u64) -> Option<u64> {
        self.work.cost(pieces)
    }

    fn is_due(&self) -> bool {
        self.work.is_due()
    }

    fn learn(&self, pieces: u64, cycles: u64) {
        self.work.learn(pieces, cycles);
    }

    fn what(&self) -> String {
        self.work.what()
    }

    fn run(&self, pieces: Range<u64>, worker: &mut Worker) -> Result<(), Fault> {
        let began = clock::now();
        self.work.run(pieces, worker)?;
        let ended = clock::now();
        self.times.add(self.place, Span { began, ended });
        Ok(())
    }
}
