// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Idle threads: those that poll for work, and those that sleep until they are woken.
//!
//! A submitter wakes a thread only if none polls, so a stream of short commands costs no system calls. A thread announces
//! that it goes to sleep, and polls once more after that: either it sees the work, or the submitter sees the announcement.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use super::clock::{self, CYCLES_PER_MICROSECOND};
use super::futex::Semaphore;

/// The number of threads that poll for work, and of those that sleep.
#[derive(Debug, Default)]
pub(super) struct Idle {
    /// Pollers in the low half, sleepers in the high half.
    counts: AtomicU64,
    /// A post for each sleeper that was woken, which already counts as a poller.
    calls: Semaphore,
}

const LOOKER: u64 = 1;
const SLEEPER: u64 = 1 << 32;

/// The result of [`Idle::call`].
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Called {
    /// A thread polls, either one that did before or one that was woken; or none is wanted.
    Somebody,
    /// No thread sleeps.
    Nobody,
}

impl Idle {
    /// Ensures that a thread polls for the work that the caller has queued, if one is `wanted`.
    pub(super) fn call(&self, wanted: impl FnOnce() -> bool) -> Called {
        fence(Ordering::SeqCst);
        if !wanted() {
            return Called::Somebody;
        }
        let mut counts = self.counts.load(Ordering::SeqCst);
        loop {
            if counts & (SLEEPER - 1) != 0 {
                return Called::Somebody;
            }
            if counts < SLEEPER {
                return Called::Nobody;
            }
            let woken = counts - SLEEPER + LOOKER;
            match self
                .counts
                .compare_exchange_weak(counts, woken, Ordering::SeqCst, Ordering::SeqCst)
            {
                Ok(_) => break,
                Err(now) => counts = now,
            }
        }
        self.calls.post();
        Called::Somebody
    }

    /// Whether a thread polls at the moment.
    #[inline]
    pub(super) fn has_lookers(&self) -> bool {
        self.counts.load(Ordering::Relaxed) & (SLEEPER - 1) != 0
    }

    /// The caller, or a thread that it starts, polls for work from now on.
    pub(super) fn look(&self) {
        self.counts.fetch_add(LOOKER, Ordering::SeqCst);
    }

    /// A poller has found work, or ends.
    pub(super) fn found(&self) {
        self.counts.fetch_sub(LOOKER, Ordering::SeqCst);
    }

    /// A poller sleeps until it is woken, unless there is work. Then it polls again.
    pub(super) fn sleep(&self, work: impl FnOnce() -> bool) {
        self.counts.fetch_add(SLEEPER.wrapping_sub(LOOKER), Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if work() && self.stay_awake() {
            return;
        }
        self.calls.wait();
    }

    /// Takes a sleeper back, unless all of them have been woken.
    fn stay_awake(&self) -> bool {
        let back = |counts: u64| (counts >= SLEEPER).then(|| counts - SLEEPER + LOOKER);
        self.counts
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, back)
            .is_ok()
    }
}

/// How long a thread polls for work, or for the end of what it waits for, before it sleeps. Sleeping and waking up
/// takes about as long. Polling longer would keep the CPU from others.
pub(crate) struct Backoff {
    since: u64,
}

impl Backoff {
    pub(crate) fn new() -> Self {
        Self { since: clock::cycles() }
    }

    /// Waits a little. Returns whether to keep polling.
    pub(crate) fn wait(&self) -> bool {
        const MOST: u64 = 20 * CYCLES_PER_MICROSECOND;
        /// Then it yields: the CPU may be needed by the thread that it waits for.
        const ALONE: u64 = 2 * CYCLES_PER_MICROSECOND;
        match clock::cycles().wrapping_sub(self.since) {
            MOST.. => return false,
            ALONE.. => std::thread::yield_now(),
            _ => std::hint::spin_loop(),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_called_at_a_time() {
        let idle = Idle::default();
        assert_eq!(idle.call(|| true), Called::Nobody);
        idle.look();
        assert_eq!(idle.call(|| true), Called::Somebody);
        // The thread finds work after all.
        idle.sleep(|| true);
        idle.found();
        assert_eq!(idle.call(|| true), Called::Nobody);

        idle.look();
        std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| idle.sleep(|| false));
            while idle.counts.load(Ordering::SeqCst) < SLEEPER {
                std::thread::yield_now();
            }
            assert_eq!(idle.call(|| true), Called::Somebody);
            sleeper.join().unwrap();
        });
        assert_eq!(idle.counts.load(Ordering::SeqCst), LOOKER);
        idle.found();
    }

    #[test]
    fn a_call_is_for_one_that_is_about_to_sleep_too() {
        let idle = Idle::default();
        idle.look();
        // A wake-up between the two steps of going to sleep, with no work left to see.
        idle.sleep(|| {
            assert_eq!(idle.call(|| true), Called::Somebody);
            true
        });
        assert_eq!(idle.counts.load(Ordering::SeqCst), LOOKER);
    }
}
