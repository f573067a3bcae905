// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Keeps threads that run a job together on different CPUs, where there are two.
//!
//! Linux may wake a thread on the CPU of the thread that wakes it, although the other CPU is idle. In a virtual machine a CPU
//! that has halted can look preempted (`vcpu_is_preempted` in Linux), and some hosts have their guests pack threads on few
//! CPUs. Two threads then take turns on one CPU, for milliseconds, and a job takes twice as long. So a thread that shares a
//! long job, or joins others in one, moves the other worker to the other CPU: it binds that worker while the system wakes or
//! moves it, and then lets it run on both again. That worker starts when its CPU has woken up, which takes up to 50 µs.
//! Threads that a worker starts in between [do not inherit that](super::client_threads). A thread that is to
//! [poll](super::halt_poll) wakes on the other CPU for the same reason.
//!
//! Client threads stay where the system runs them. A pool's second worker is not moved before it has started. Where there
//! are more CPUs, the system has found an idle one wherever we measured.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::chunks::Chunks;
use super::client_threads;
use super::clock::{self, CYCLES_PER_MICROSECOND};
use super::system::{self, CpuSet, ThreadId};
use crate::machine::topology;

/// The two CPUs of a pool of two threads, if the calling thread may use these and no others. With a quota or `UR_CPU_THREADS`
/// below two, a pool has fewer threads.
pub(super) fn pair(cpus: &[usize], threads: usize) -> Option<[usize; 2]> {
    let pair = cpus.try_into().ok()?;
    (threads == 2 && topology::affinity().as_deref() == Some(cpus)).then_some(pair)
}

/// Where the threads of a pool run: of a [`pair`]. In other pools that is the system's business, and nothing here does anything.
#[derive(Debug)]
pub(super) struct Placement {
    pair: Option<Pair>,
    workers: [OnceLock<ThreadId>; 2],
    /// The CPU on which a client thread helps, by its index in the pair, as far as is known; [`NOWHERE`] if none does.
    helper: AtomicUsize,
}

/// Two CPUs: their numbers, a set of each, and a set of both.
#[derive(Debug)]
struct Pair {
    cpus: [usize; 2],
    each: [CpuSet; 2],
    both: CpuSet,
}

/// How long a thread is at work before it moves others away, in cycles: ten times as long as a CPU takes to wake up. It moves
/// them at once if it may not look up before. The cost of all of a job does not decide: estimates are too high where threads
/// take turns.
const LONG: u64 = 400 * CYCLES_PER_MICROSECOND;

/// No index of a CPU.
const NOWHERE: usize = usize::MAX;

impl Placement {
    /// The placement of threads on the CPUs of a [`pair`], if the pool is one.
    pub(super) fn new(pair: Option<[usize; 2]>) -> Self {
        Self {
            pair: pair.map(|cpus| Pair {
                cpus,
                each: cpus.map(|cpu| CpuSet::of(&[cpu])),
                both: CpuSet::of(&cpus),
            }),
            workers: Default::default(),
            helper: AtomicUsize::new(NOWHERE),
        }
    }

    /// Notes that the calling thread is this worker.
    pub(super) fn start(&'static self, worker: usize) {
        if let Some(pair) = &self.pair {
            self.workers[worker].get_or_init(system::this_thread);
            client_threads::inherit(&pair.both);
        }
    }

    /// Calls `wake`, which may wake a worker, and has no worker on the CPU of the calling thread. `me` is the calling
    /// worker's number, and `None` for a client thread.
    pub(super) fn apart<R>(&self, me: Option<usize>, wake: impl FnOnce() -> R) -> R {
        let Some((pair, here)) = self.here() else {
            return wake();
        };
        let helper = self.helper.load(Ordering::Relaxed);
        let moved = match me {
            None => [Some(0), Some(1)],
            // Only one other thread runs at a time. A client's stays where it is.
            Some(me) if helper == here => [Some(me), None],
            Some(me) if helper == NOWHERE => [Some(1 - me), None],
            Some(_) => [None; 2],
        };
        // One whose affinity somebody else has changed keeps that.
        let change = |from: &CpuSet, to: &CpuSet| {
            for worker in moved.iter().flatten() {
                if let Some(thread) = self.workers[*worker].get()
                    && system::has_affinity(*thread, from)
                {
                    system::set_affinity(*thread, to);
                }
            }
        };
        let there = &pair.each[1 - here];
        change(&pair.both, there);
        let result = wake();
        // Several threads may do this at a time: who has bound a worker last finds it so.
        change(there, &pair.both);
        result
    }

    /// For a thread that begins to run chunks: worker `me`, or a client's.
    pub(super) fn company(&self, me: Option<usize>, chunks: &Chunks) -> Company<'_> {
        let company = Company {
            placement: self,
            me,
            is_long: chunks.take_longer_than(LONG),
            since: clock::cycles(),
        };
        if company.is_long && chunks.have_company() && chunks.any_left() {
            self.apart(me, || ());
        }
        company
    }

    /// Calls `run`, in which a client thread helps to run jobs.
    pub(super) fn help<R>(&self, run: impl FnOnce() -> R) -> R {
        self.note_helper();
        let result = run();
        if self.pair.is_some() {
            self.helper.store(NOWHERE, Ordering::Relaxed);
        }
        result
    }

    fn note_helper(&self) {
        if self.pair.is_some() {
            let here = self.here().map_or(NOWHERE, |(_, here)| here);
            self.helper.store(here, Ordering::Relaxed);
        }
    }

    /// The pair, and which of its CPUs runs the calling thread.
    fn here(&self) -> Option<(&Pair, usize)> {
        let pair = self.pair.as_ref()?;
        let cpu = system::current_cpu()?;
        let here = pair.cpus.iter().position(|one| *one == cpu)?;
        Some((pair, here))
    }
}

/// A thread that runs chunks of a job while others may.
pub(super) struct Company<'p> {
    placement: &'p Placement,
    me: Option<usize>,
    /// Whether it may take long until the thread looks up.
    is_long: bool,
    /// Since when it has not moved others, in cycles.
    since: u64,
}

impl Company<'_> {
    /// Calls `wake`, which may wake another thread for the job.
    pub(super) fn share<R>(&self, wake: impl FnOnce() -> R) -> R {
        if self.is_long {
            self.placement.apart(self.me, wake)
        } else {
            wake()
        }
    }

    /// The thread has run some chunks, and takes more if any are left.
    pub(super) fn go_on(&mut self, chunks: &Chunks) {
        let now = clock::cycles();
        if now.saturating_sub(self.since) > LONG && chunks.any_left() {
            if self.me.is_none() {
                self.placement.note_helper();
            }
            self.placement.apart(self.me, || ());
            self.since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    use super::*;

    fn placement() -> &'static Placement {
        let cpus = topology::affinity().unwrap();
        let cpus = cpus[..2.min(cpus.len())].try_into().expect("this test needs two CPUs");
        // Still reachable at the end, for LeakSanitizer, as a pool's is.
        static ALL: Mutex<Vec<&Placement>> = Mutex::new(Vec::new());
        let new: &'static Placement = Box::leak(Box::new(Placement::new(Some(cpus))));
        ALL.lock().unwrap().push(new);
        new
    }

    /// Calls `run` on a thread that is bound to the first of two CPUs, with a placement whose worker 0 is another thread.
    fn on_first_of_two(run: impl FnOnce(&Placement, &Pair, ThreadId) + Send) {
        let placement = placement();
        let pair = placement.pair.as_ref().unwrap();
        let ((started, thread), (end, ended)) = (channel(), channel::<()>());
        std::thread::scope(|scope| {
            scope.spawn(move || {
                system::set_affinity(system::this_thread(), &pair.both);
                placement.start(0);
                started.send(system::this_thread()).unwrap();
                ended.recv().unwrap_err();
            });
            let thread = thread.recv().unwrap();
            system::set_affinity(system::this_thread(), &pair.each[0]);
            run(placement, pair, thread);
            drop(end);
        });
    }

    #[test]
    fn workers_wake_on_the_other_cpu() {
        on_first_of_two(|placement, pair, worker| {
            for me in [None, Some(1)] {
                let is_bound = placement.apart(me, || system::has_affinity(worker, &pair.each[1]));
                assert!(is_bound, "{me:?}");
                assert!(system::has_affinity(worker, &pair.both), "{me:?}");
            }
        });
    }

    /// What else runs is a client's, and on this CPU or on the other one.
    #[test]
    fn workers_leave_the_cpu_of_a_helper() {
        on_first_of_two(|placement, pair, worker| {
            let is_bound = |cpu: usize| placement.apart(Some(0), || system::has_affinity(worker, &pair.each[cpu]));
            assert!(placement.help(|| is_bound(1)));
            placement.helper.store(1, Ordering::Relaxed);
            assert!(!is_bound(0) && !is_bound(1));
        });
    }

    /// Also while it is bound.
    #[test]
    fn threads_that_a_worker_starts_may_run_on_both_cpus() {
        let placement = placement();
        let pair = placement.pair.as_ref().unwrap();
        let worker = std::thread::spawn(move || {
            placement.start(0);
            system::set_affinity(system::this_thread(), &pair.each[1]);
            let (told, may_run_on_both) = channel();
            let function = move || {
                told.send(system::has_affinity(system::this_thread(), &pair.both))
                    .unwrap()
            };
            client_threads::spawn(Box::new(function))
                .map_err(|(error, _)| error)
                .unwrap();
            may_run_on_both.recv().unwrap()
        });
        assert!(worker.join().unwrap());
    }

    #[test]
    fn an_affinity_that_somebody_else_has_changed_stays() {
        on_first_of_two(|placement, pair, worker| {
            system::set_affinity(worker, &pair.each[0]);
            placement.apart(None, || assert!(system::has_affinity(worker, &pair.each[0])));
            assert!(system::has_affinity(worker, &pair.each[0]));
        });
    }
}
