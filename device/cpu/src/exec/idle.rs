// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Idle threads: those that poll for work, and those that sleep until they are woken.
//!
//! A submitter wakes a thread only if none polls, so a stream of short commands costs no system calls. A thread announces
//! that it goes to sleep and then checks for work once more. This is Dekker's pattern: either the thread sees the work, or
//! the submitter sees the announcement.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use super::clock::{self, CYCLES_PER_MICROSECOND};
use super::futex::Semaphore;

/// The number of threads that poll for work, and of those that sleep.
#[derive(Debug, Default)]
pub(super) struct Idle {
    /// Pollers in the low half, sleepers in the high half.
    counts: AtomicU64,
    /// A post for each sleeper that was woken, which already counts as a poller.
    wakeups: Semaphore,
}

const POLLER: u64 = 1;
const SLEEPER: u64 = 1 << 32;

/// The result of [`Idle::claim`].
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Claim {
    /// Enough threads poll, or none is wanted.
    NotNeeded,
    /// A thread sleeps. It counts as a poller now, and the caller must [wake](Idle::wake) it.
    Sleeper,
    /// No thread is idle.
    NoSleeper,
}

impl Idle {
    /// Finds a thread for the work that the caller has queued, if one is `wanted`, and fewer poll than are `enough`.
    pub(super) fn claim(&self, enough: usize, wanted: impl FnOnce() -> bool) -> Claim {
        fence(Ordering::SeqCst);
        if !wanted() {
            return Claim::NotNeeded;
        }
        let mut counts = self.counts.load(Ordering::SeqCst);
        loop {
            if counts & (SLEEPER - 1) >= enough as u64 {
                return Claim::NotNeeded;
            }
            if counts < SLEEPER {
                return Claim::NoSleeper;
            }
            let woken = counts - SLEEPER + POLLER;
            match self
                .counts
                .compare_exchange_weak(counts, woken, Ordering::SeqCst, Ordering::SeqCst)
            {
                Ok(_) => return Claim::Sleeper,
                Err(now) => counts = now,
            }
        }
    }

    /// Wakes the sleeper that the caller has claimed.
    pub(super) fn wake(&self) {
        self.wakeups.post();
    }

    /// Whether a thread polls at the moment.
    #[inline]
    pub(super) fn has_pollers(&self) -> bool {
        self.counts.load(Ordering::Relaxed) & (SLEEPER - 1) != 0
    }

    /// Counts the caller, or a thread that it starts, as a poller.
    pub(super) fn start_polling(&self) {
        self.counts.fetch_add(POLLER, Ordering::SeqCst);
    }

    /// Ends polling, because the poller has found work or cannot start.
    pub(super) fn stop_polling(&self) {
        self.counts.fetch_sub(POLLER, Ordering::SeqCst);
    }

    /// Puts a poller to sleep until it is woken, unless there is work. It is a poller again when this returns.
    pub(super) fn sleep(&self, work: impl FnOnce() -> bool) {
        self.counts.fetch_add(SLEEPER.wrapping_sub(POLLER), Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if work() && self.stay_awake() {
            return;
        }
        self.wakeups.wait();
    }

    /// Turns a sleeper into a poller, unless all sleepers were woken. Then the caller must consume its wakeup.
    fn stay_awake(&self) -> bool {
        let back = |counts: u64| (counts >= SLEEPER).then(|| counts - SLEEPER + POLLER);
        self.counts
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, back)
            .is_ok()
    }
}

/// How long a thread polls, for work or for the end of a command, before it sleeps. The limit is about the time that
/// sleeping and waking up takes. Polling longer would keep the CPU from other threads; [`halt_poll`](super::halt_poll) is
/// the exception.
pub struct Backoff {
    since: u64,
}

impl Backoff {
    /// A thread that begins to wait.
    pub fn start() -> Self {
        Self { since: clock::cycles() }
    }

    /// Waits a little. Returns whether to keep polling.
    pub fn wait(&self) -> bool {
        const LIMIT: u64 = 20 * CYCLES_PER_MICROSECOND;
        /// From then on it yields, because the thread that it waits for may need the CPU.
        const SPIN: u64 = 2 * CYCLES_PER_MICROSECOND;
        match clock::cycles().wrapping_sub(self.since) {
            LIMIT.. => return false,
            SPIN.. => std::thread::yield_now(),
            _ => std::hint::spin_loop(),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_is_woken_at_a_time() {
        let idle = Idle::default();
        assert_eq!(idle.claim(1, || true), Claim::NoSleeper);
        idle.start_polling();
        assert_eq!(idle.claim(1, || true), Claim::NotNeeded);
        // There is work, so the thread does not sleep.
        idle.sleep(|| true);
        idle.stop_polling();
        assert_eq!(idle.claim(1, || true), Claim::NoSleeper);

        idle.start_polling();
        std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| idle.sleep(|| false));
            while idle.counts.load(Ordering::SeqCst) < SLEEPER {
                std::thread::yield_now();
            }
            assert_eq!(idle.claim(1, || true), Claim::Sleeper);
            idle.wake();
            sleeper.join().unwrap();
        });
        assert_eq!(idle.counts.load(Ordering::SeqCst), POLLER);
        idle.stop_polling();
    }

    #[test]
    fn a_thread_is_woken_for_each_of_several_jobs() {
        let idle = Idle::default();
        (0..2).for_each(|_| idle.start_polling());
        idle.sleep(|| {
            assert_eq!(idle.claim(1, || true), Claim::NotNeeded);
            assert_eq!(idle.claim(2, || true), Claim::Sleeper);
            assert_eq!(idle.claim(2, || true), Claim::NotNeeded);
            assert_eq!(idle.claim(3, || true), Claim::NoSleeper);
            idle.wake();
            true
        });
        assert_eq!(idle.counts.load(Ordering::SeqCst), 2 * POLLER);
    }

    #[test]
    fn a_thread_that_is_about_to_sleep_can_be_woken() {
        let idle = Idle::default();
        idle.start_polling();
        // A wakeup after the announcement and before the sleep.
        idle.sleep(|| {
            assert_eq!(idle.claim(1, || true), Claim::Sleeper);
            idle.wake();
            true
        });
        assert_eq!(idle.counts.load(Ordering::SeqCst), POLLER);
    }
}
