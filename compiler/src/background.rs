// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The threads that compile the best code of kernels that run quick code: one for kernels that have run for long, and one for
//! the others, which this process or the next may need again.
//!
//! There are two at most, and only while there is something to compile. They have no part in running kernels, so nobody waits
//! for them, and all CPUs that kernels leave idle are theirs. The smallest kernel comes first, so that a process that ends soon
//! leaves as much as possible in the cache. What is not urgent waits until the process has its first results: until no quick
//! code was compiled or has run for a while.
//!
//! - A process that forks waits for the compilations that run, as it does for others. The child goes on with those that wait.
//! - A process that exits does not wait. LLVM's static variables outlive that: see `llvm/library.rs`.
//! - What cannot be compiled, for want of memory or because of a flaw of LLVM's, is logged; the kernel keeps its quick code.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use oxur_fork::{Mutex, OnceLock};

use crate::code::{Best, Compiled, Variant};
use crate::program::Program;
use crate::{Error, NdRange, llvm};

/// How urgent a compilation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// The quick code runs for long.
    Hot,
    /// It may run again, here or in another process.
    Idle,
}

/// What is wanted of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Wanted {
    /// Its best code for a range.
    BestFor(NdRange),
    /// Variants for whole groups. Until they are there, the kernel runs its main code.
    Variants([Option<Variant>; 2]),
}

/// A kernel that should have some code.
struct Job {
    /// Programs may go meanwhile.
    program: Weak<Program>,
    kernel: Arc<Compiled>,
    wanted: Wanted,
}

/// The kernels that wait, and the generation of processes whose thread serves them.
struct Queue {
    jobs: Vec<Job>,
    served_in: Option<u32>,
}

impl Queue {
    fn take_smallest(&mut self) -> Option<Job> {
        let size = |job: &Job| job.kernel.code(Variant::Quick).map_or(0, |code| code.size);
        let smallest = self.jobs.iter().enumerate().min_by_key(|(_, job)| size(job));
        let index = smallest?.0;
        Some(self.jobs.swap_remove(index))
    }
}

/// What one of the threads does.
struct Lane {
    urgency: Urgency,
    queue: Mutex<Queue>,
    /// [`Queue::served_in`] for those without the lock.
    served_in: AtomicU32,
}

const NOBODY: u32 = u32::MAX;

static LANES: [Lane; 2] = [Lane::new(Urgency::Hot), Lane::new(Urgency::Idle)];

/// When quick code was last compiled or has run, in microseconds since [`start`].
static LAST_QUICK: AtomicU64 = AtomicU64::new(0);
/// The process has its first results if that was so long ago.
const QUIET: Duration = Duration::from_millis(25);

/// Has code of a kernel compiled.
pub fn compile(program: &Arc<Program>, kernel: &Arc<Compiled>, wanted: Wanted, urgency: Urgency) {
    let lane = &LANES[urgency as usize];
    let mut queue = lane.queue.lock();
    queue.jobs.push(Job {
        program: Arc::downgrade(program),
        kernel: kernel.clone(),
        wanted,
    });
    lane.start(&mut queue);
}

/// Goes on, in a child, with what waited when its parent forked.
#[inline]
pub fn resume() {
    for lane in &LANES {
        if ![NOBODY, oxur_fork::generation()].contains(&lane.served_in.load(Ordering::Relaxed)) {
            lane.start(&mut lane.queue.lock());
        }
    }
}

fn start() -> Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    *START.get_or_init(Instant::now)
}

/// Takes note that quick code is compiled or has run.
pub fn note_quick_code() {
    LAST_QUICK.store(start().elapsed().as_micros() as u64, Ordering::Relaxed);
}

impl Lane {
    const fn new(urgency: Urgency) -> Self {
        Self {
            urgency,
            queue: Mutex::new(Queue {
                jobs: Vec::new(),
                served_in: None,
            }),
            served_in: AtomicU32::new(NOBODY),
        }
    }

    /// Starts the thread, unless it is there.
    #[cold]
    fn start(&'static self, queue: &mut Queue) {
        let generation = oxur_fork::generation();
        if queue.served_in == Some(generation) {
            return;
        }
        let name = match self.urgency {
            Urgency::Hot => "ur background",
            Urgency::Idle => "ur idle",
        };
        match Builder::new().name(name.into()).spawn(|| self.serve()) {
            Ok(_) => {
                queue.served_in = Some(generation);
                self.served_in.store(generation, Ordering::Relaxed);
            }
            // Asked for again: when it has run for as long once more, or is launched again.
            Err(error) => {
                log::debug!("no thread for the background: {error}");
                self.served_in.store(NOBODY, Ordering::Relaxed);
                queue.jobs.drain(..).for_each(|job| job.answered());
            }
        }
    }

    fn serve(&self) {
        llvm::block_signals();
        loop {
            if let Some(wait) = self.wait() {
                thread::sleep(wait);
                continue;
            }
            // Until the job is done, so that a child of this process does not miss one.
            let _section = oxur_fork::section();
            let job = {
                let mut queue = self.queue.lock();
                let job = queue.take_smallest();
                if job.is_none() {
                    queue.served_in = None;
                    self.served_in.store(NOBODY, Ordering::Relaxed);
                }
                job
            };
            let Some(job) = job else { return };
            if catch_unwind(AssertUnwindSafe(|| job.run())).is_err() {
                log::error!("the kernel {} keeps its quick code", job.kernel.info.name);
            }
        }
    }

    /// How long to wait with the next job.
    fn wait(&self) -> Option<Duration> {
        let quiet = start()
            .elapsed()
            .saturating_sub(Duration::from_micros(LAST_QUICK.load(Ordering::Relaxed)));
        match self.urgency {
            Urgency::Idle if quiet < QUIET => Some(QUIET - quiet),
            _ => None,
        }
    }
}

impl Job {
    fn run(&self) {
        let Some(program) = self.program.upgrade() else { return };
        match self.wanted {
            Wanted::BestFor(range) => self.compile_best(&program, &range),
            Wanted::Variants(variants) => {
                for variant in variants.into_iter().flatten() {
                    program.compile_whole_group(&self.kernel, variant);
                }
            }
        }
        self.answered();
    }

    fn compile_best(&self, program: &Program, range: &NdRange) {
        let name = &self.kernel.info.name;
        while let Best::MayBe(variant) = self.kernel.best(range) {
            if let Err(error) = program.compile_variant(&self.kernel, variant) {
                // Columns are worth a try where nothing else is known of them.
                let level = match variant {
                    Variant::Columns => log::Level::Debug,
                    _ => log::Level::Warn,
                };
                log::log!(level, "there is no {variant:?} code of the kernel {name}: {error}");
                if matches!(error, Error::OutOfMemory(_)) {
                    break;
                }
            }
        }
    }

    /// The kernel may ask again.
    fn answered(&self) {
        match self.wanted {
            Wanted::BestFor(_) => self.kernel.heat.answered(),
            Wanted::Variants(_) => self.kernel.group_heat.answered(),
        }
    }
}
