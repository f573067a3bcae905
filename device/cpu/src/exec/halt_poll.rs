// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Keeps the second of two CPUs from halting while a client thread blocks in one short call after the other.
//!
//! SYCL runtimes run host tasks on threads of their own, and many a short call ends with one: all of dpnp's do. The system
//! wakes such a thread on the other CPU if that one is idle, and then the caller's CPU again. In many virtual machines a
//! CPU that has halted takes 20 to 40 µs to wake up, because the hypervisor has to run it: together more than all else that
//! a short call does. While an idle thread of the pool polls on the other CPU, the client's threads follow each other on
//! one, in 5 µs each.
//!
//! Where there are more CPUs, the system finds an idle one all the same, and no thread polls for this.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::clock::{self, CYCLES_PER_MICROSECOND};
use super::system;

/// How often client threads wait for the commands of a queue, and block in between. A queue has its own, because most belong
/// to one thread.
#[derive(Debug, Default)]
pub struct Waits {
    count: AtomicU32,
    /// When the last streak ended, in cycles.
    since: AtomicU64,
    /// How often the thread had blocked by then.
    blocked: AtomicU64,
}

/// The number of waits after which they are looked at.
const STREAK: u32 = 8;
/// How often a thread blocks in a streak at least if its calls end on other threads.
const LEAST_BLOCKED: u64 = STREAK as u64 / 2;
/// The time from one block to the next in such calls.
const BETWEEN_BLOCKS: Range<u64> = 5 * CYCLES_PER_MICROSECOND..300 * CYCLES_PER_MICROSECOND;
/// How long a thread polls at most after the client's last wait.
const LONGEST_POLL: u64 = 20_000 * CYCLES_PER_MICROSECOND;

impl Waits {
    /// Counts a wait of the calling thread, which takes a nanosecond. Returns until when to poll, in cycles, if that is
    /// known to help.
    #[inline]
    pub(super) fn note(&self) -> Option<u64> {
        // Not an atomic addition: lost updates do not matter.
        let count = self.count.load(Ordering::Relaxed).wrapping_add(1);
        self.count.store(count, Ordering::Relaxed);
        if count.is_multiple_of(STREAK) {
            self.end_streak(clock::cycles(), system::times_blocked)
        } else {
            None
        }
    }

    #[cold]
    fn end_streak(&self, now: u64, times_blocked: impl FnOnce() -> u64) -> Option<u64> {
        let took = now.saturating_sub(self.since.swap(now, Ordering::Relaxed));
        // It cannot have blocked often enough.
        if took < LEAST_BLOCKED * BETWEEN_BLOCKS.start {
            return None;
        }
        let blocked = times_blocked();
        let more = blocked.wrapping_sub(self.blocked.swap(blocked, Ordering::Relaxed));
        let helps = more >= LEAST_BLOCKED && BETWEEN_BLOCKS.contains(&(took / more));
        // Until the streak after the next one would end.
        helps.then(|| now + (2 * took).min(LONGEST_POLL))
    }
}

/// Until when an idle thread of a pool polls, and whether one does.
#[derive(Debug, Default)]
pub(super) struct HaltPoll {
    /// In cycles.
    until: AtomicU64,
    /// Whether a thread polls for this.
    taken: AtomicBool,
    /// Until when none may, in cycles.
    rests_until: AtomicU64,
    /// How often a thread found its CPU contested, one time after the other.
    contested: AtomicU32,
}

/// If the poller does not run for this long, another thread wanted the CPU: it is not idle.
const CONTESTED: u64 = 200 * CYCLES_PER_MICROSECOND;
/// How long no thread polls then; twice as long each time, up to `1 << MOST_DOUBLINGS` times, until one polls for `ALONE`. The
/// first rest is short: the poller may only have been on the CPU that the client uses, and is woken on another one.
const REST: u64 = 1000 * CYCLES_PER_MICROSECOND;
const MOST_DOUBLINGS: u32 = 8;
const ALONE: u64 = 50_000 * CYCLES_PER_MICROSECOND;

impl HaltPoll {
    /// Asks a thread to poll until `end`. Returns whether one should be woken for it.
    pub(super) fn extend(&self, end: u64) -> bool {
        if clock::cycles() < self.rests_until.load(Ordering::Relaxed) {
            return false;
        }
        self.until.fetch_max(end, Ordering::Relaxed);
        !self.taken.load(Ordering::Relaxed)
    }

    /// Polls until there is `work`, if a thread is asked to and no other one does. Returns whether there is work.
    pub(super) fn poll(&self, work: impl Fn() -> bool) -> bool {
        let start = clock::cycles();
        if start >= self.until.load(Ordering::Relaxed) || self.taken.swap(true, Ordering::Relaxed) {
            return false;
        }
        let mut last = start;
        let found = loop {
            if work() {
                break true;
            }
            if last >= self.until.load(Ordering::Relaxed) {
                break false;
            }
            // It does not yield: the system would wake the client's threads on this CPU.
            (0..4).for_each(|_| std::hint::spin_loop());
            let now = clock::cycles();
            if now.saturating_sub(last) > CONTESTED {
                self.rest(now, last - start);
                break false;
            }
            last = now;
        };
        self.taken.store(false, Ordering::Relaxed);
        found
    }

    /// Whether a thread polls.
    #[cfg(test)]
    pub(super) fn is_polled(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
    }

    fn rest(&self, now: u64, alone: u64) {
        let times = match self.contested.load(Ordering::Relaxed) {
            _ if alone > ALONE => 0,
            times => (times + 1).min(MOST_DOUBLINGS),
        };
        self.contested.store(times, Ordering::Relaxed);
        self.rests_until.store(now + (REST << times), Ordering::Relaxed);
        self.until.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICROSECOND: u64 = CYCLES_PER_MICROSECOND;

    /// Streaks of calls of so many microseconds, in each of which a thread blocks so often: until when to poll, from the end of the
    /// last, in microseconds.
    fn streaks(call: u64, blocks_in_streak: u64) -> Option<u64> {
        let waits = Waits::default();
        let (mut now, mut blocked) = (1 << 40, 1000);
        let mut until = None;
        for _ in 0..4 {
            now += u64::from(STREAK) * call * MICROSECOND;
            blocked += blocks_in_streak;
            until = waits.end_streak(now, || blocked);
        }
        until.map(|until| (until - now) / MICROSECOND)
    }

    #[test]
    fn short_calls_that_block() {
        assert_eq!(streaks(25, 8), Some(400));
        assert_eq!(streaks(25, 16), Some(400));
        assert_eq!(streaks(100, 4), Some(1600));
        assert_eq!(
            streaks(1400, 100),
            Some(20_000),
            "many blocks in each call, and the longest time"
        );
    }

    #[test]
    fn other_calls() {
        assert_eq!(streaks(25, 0), None, "the calls end on the thread itself");
        assert_eq!(streaks(25, 2), None, "the thread blocks now and then");
        assert_eq!(streaks(1, 8), None, "too short to have blocked");
        assert_eq!(streaks(1000, 8), None, "waking up is a small part of each call");
        assert_eq!(
            streaks(25, 1 << 32),
            None,
            "another thread, which has blocked more often"
        );
    }

    #[test]
    fn only_a_whole_streak_is_looked_at() {
        let waits = Waits::default();
        waits.since.store(1, Ordering::Relaxed);
        (1..STREAK).for_each(|_| assert_eq!(waits.note(), None));
        assert_eq!(waits.since.load(Ordering::Relaxed), 1);
        waits.note();
        assert_ne!(waits.since.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn polls_for_work_or_until_the_end() {
        let poll = HaltPoll::default();
        assert!(!poll.poll(|| panic!("nobody asked for it")));
        assert!(poll.extend(clock::cycles() + 1_000_000 * MICROSECOND));
        assert!(poll.poll(|| {
            assert!(!poll.extend(1), "a thread polls already");
            assert!(!poll.poll(|| panic!("another one does")));
            true
        }));
        let poll = HaltPoll::default();
        let end = clock::cycles() + 100 * MICROSECOND;
        poll.extend(end);
        assert!(!poll.poll(|| false));
        assert!(
            clock::cycles() >= end || poll.rests_until.load(Ordering::Relaxed) > end,
            "it ends early if others run"
        );
    }

    #[test]
    fn a_contested_cpu_is_left_alone() {
        let poll = HaltPoll::default();
        let now = clock::cycles();
        let rests = |alone| {
            poll.rest(now, alone * MICROSECOND);
            (poll.rests_until.load(Ordering::Relaxed) - now) / MICROSECOND
        };
        assert_eq!(
            [rests(0), rests(3000), rests(0), rests(60_000), rests(0)],
            [2000, 4000, 8000, 1000, 2000]
        );
        (0..10).for_each(|_| _ = rests(0));
        assert_eq!(rests(0), 256_000);
        assert!(!poll.extend(u64::MAX));
        assert!(!poll.poll(|| panic!("the thread rests")));
    }
}
