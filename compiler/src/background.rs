// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The thread that compiles the best code of kernels whose quick code has run for long.
//!
//! There is one at most, and only while there is something to compile. It has no part in running kernels, so nobody waits
//! for it, and all CPUs that kernels leave idle are its.
//!
//! - A process that forks waits for the compilation that runs, as it does for others. The child goes on with those that wait.
//! - A process that exits does not wait. LLVM's static variables outlive that: see `llvm/statics.rs`.
//! - What cannot be compiled, for want of memory or because of a flaw of LLVM's, is logged; the kernel keeps its quick code.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::thread::Builder;

use oxur_fork::Mutex;

use crate::code::{Best, Compiled};
use crate::program::Program;
use crate::{NdRange, llvm};

/// A kernel that should have its best code for a range.
struct Job {
    /// Programs may go meanwhile.
    program: Weak<Program>,
    kernel: Arc<Compiled>,
    range: NdRange,
}

/// The kernels that wait, and the generation of processes whose thread serves them.
struct Queue {
    jobs: VecDeque<Job>,
    served_in: Option<u32>,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue {
    jobs: VecDeque::new(),
    served_in: None,
});

/// [`Queue::served_in`] for those without the lock.
static SERVED_IN: AtomicU32 = AtomicU32::new(NOBODY);
const NOBODY: u32 = u32::MAX;

/// Has the best code for a range of a kernel compiled.
pub fn compile(program: &Arc<Program>, kernel: &Arc<Compiled>, range: NdRange) {
    let mut queue = QUEUE.lock();
    queue.jobs.push_back(Job {
        program: Arc::downgrade(program),
        kernel: kernel.clone(),
        range,
    });
    start(&mut queue);
}

/// Goes on, in a child, with what waited when its parent forked.
#[inline]
pub fn resume() {
    if ![NOBODY, oxur_fork::generation()].contains(&SERVED_IN.load(Ordering::Relaxed)) {
        start(&mut QUEUE.lock());
    }
}

/// Starts the thread, unless it is there.
#[cold]
fn start(queue: &mut Queue) {
    let generation = oxur_fork::generation();
    if queue.served_in == Some(generation) {
        return;
    }
    match Builder::new().name("ur background".into()).spawn(serve) {
        Ok(_) => {
            queue.served_in = Some(generation);
            SERVED_IN.store(generation, Ordering::Relaxed);
        }
        // Asked for again when it has run for as long once more.
        Err(error) => {
            log::debug!("no thread for the background: {error}");
            SERVED_IN.store(NOBODY, Ordering::Relaxed);
            queue.jobs.drain(..).for_each(|job| job.kernel.heat.answered());
        }
    }
}

fn serve() {
    llvm::block_signals();
    loop {
        // Until the job is done, so that a child of this process does not miss one.
        let _section = oxur_fork::section();
        let job = {
            let mut queue = QUEUE.lock();
            let job = queue.jobs.pop_front();
            if job.is_none() {
                queue.served_in = None;
                SERVED_IN.store(NOBODY, Ordering::Relaxed);
            }
            job
        };
        let Some(job) = job else { return };
        if catch_unwind(AssertUnwindSafe(|| job.run())).is_err() {
            log::error!("the kernel {} keeps its quick code", job.kernel.info.name);
        }
    }
}

impl Job {
    fn run(&self) {
        let Some(program) = self.program.upgrade() else { return };
        let name = &self.kernel.info.name;
        while let Best::MayBe(variant) = self.kernel.best(&self.range) {
            if let Err(error) = program.compile_variant(&self.kernel, variant) {
                log::warn!("there is no {variant:?} code of the kernel {name}: {error}");
            }
        }
        self.kernel.heat.answered();
    }
}
