// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Keeps the second of two CPUs from halting while a client thread blocks in one short call after the other.
//!
//! SYCL runtimes run host tasks on threads of their own, and many a short call ends with one: all of dpnp's do. The system
//! wakes such a thread on the other CPU if that one is idle, and then the caller's CPU again. In many virtual machines a
//! CPU that has halted takes 20 to 40 µs to wake up, because the hypervisor has to schedule it. Twice that is more than all
//! else in a short call. While an idle thread of the pool polls on the other CPU, the client's threads follow each other on
//! one, in 5 µs each.
//!
//! Where there are more CPUs, the system finds an idle one all the same, and no thread polls for this. Nobody knows what a
//! thread blocks for: one that waits for a socket just as often looks the same. `UR_CPU_HALT_POLL=0` turns this off.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use oxur_environment::CPU_HALT_POLL;

use super::clock::{self, CYCLES_PER_MICROSECOND};
use super::system;

/// Whether an idle thread of a [`pair`](super::placement::pair) may poll. In smaller pools none does: polling would use up a quota.
pub(super) fn is_wanted() -> bool {
    CPU_HALT_POLL.switch().unwrap_or(true)
}

/// The waits for the commands of a queue, and how often the waiting thread blocks between them. Each queue has its own, because
/// most belong to one thread.
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
    /// Counts a wait of the calling thread. That takes a nanosecond, and a system call once in many. Returns the time and the
    /// end of polling, in cycles, if a thread should poll.
    #[inline]
    pub(super) fn note(&self) -> Option<(u64, u64)> {
        // Not an atomic addition: lost updates do not matter.
        let count = self.count.load(Ordering::Relaxed).wrapping_add(1);
        self.count.store(count, Ordering::Relaxed);
        if count.is_multiple_of(STREAK) {
            let now = clock::cycles();
            Some((now, self.end_streak(now, system::times_blocked)?))
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
///
/// The counter of cycles may go back, as where a machine was suspended: times that are too far away have passed.
#[derive(Debug, Default)]
pub(super) struct HaltPoll {
    /// In cycles.
    until: AtomicU64,
    /// Whether a thread polls for this.
    taken: AtomicBool,
    /// Until when none may, in cycles.
    pauses_until: AtomicU64,
    /// How often the last pause was doubled.
    doublings: AtomicU32,
}

/// If the poller does not run for this long, another thread wants its CPU, or the hypervisor does: it is not idle.
const CONTESTED: u64 = 200 * CYCLES_PER_MICROSECOND;
/// How long no thread polls then. This is short, as the poller may only have been on the client's CPU, and is woken on another.
const FIRST_PAUSE: u64 = 1000 * CYCLES_PER_MICROSECOND;
/// Each pause is twice the last one, up to a quarter of a second.
const MOST_DOUBLINGS: u32 = 8;
/// A pause is the first one again if the one before has been over for so long.
const FORGOTTEN: u64 = 50_000 * CYCLES_PER_MICROSECOND;

impl HaltPoll {
    /// Asks a thread to poll until `end`. Returns whether one should be woken for it.
    pub(super) fn extend(&self, now: u64, end: u64) -> bool {
        let pauses_for = self.pauses_until.load(Ordering::Relaxed).wrapping_sub(now);
        if (1..=FIRST_PAUSE << MOST_DOUBLINGS).contains(&pauses_for) {
            return false;
        }
        self.until.store(end, Ordering::Relaxed);
        !self.taken.load(Ordering::Relaxed)
    }

    /// Polls until there is `work`, if a thread is asked to and no other one does. Returns whether there is work.
    pub(super) fn poll(&self, work: impl Fn() -> bool) -> bool {
        let mut last = clock::cycles();
        if !self.is_asked(last) || self.taken.swap(true, Ordering::Relaxed) {
            return false;
        }
        let found = loop {
            if work() {
                break true;
            }
            if !self.is_asked(last) {
                break false;
            }
            // It does not yield: the system would wake the client's threads on this CPU.
            (0..4).for_each(|_| std::hint::spin_loop());
            let now = clock::cycles();
            if now.saturating_sub(last) > CONTESTED {
                self.pause(now);
                break false;
            }
            last = now;
        };
        self.taken.store(false, Ordering::Relaxed);
        found
    }

    fn is_asked(&self, now: u64) -> bool {
        (1..=LONGEST_POLL).contains(&self.until.load(Ordering::Relaxed).wrapping_sub(now))
    }

    /// No thread polls for a while.
    pub(super) fn pause(&self, now: u64) {
        let over_for = now.wrapping_sub(self.pauses_until.load(Ordering::Relaxed));
        let doublings = match self.doublings.load(Ordering::Relaxed) {
            _ if over_for > FORGOTTEN => 0,
            doublings => (doublings + 1).min(MOST_DOUBLINGS),
        };
        self.doublings.store(doublings, Ordering::Relaxed);
        self.pauses_until
            .store(now + (FIRST_PAUSE << doublings), Ordering::Relaxed);
        self.until.store(0, Ordering::Relaxed);
    }

    /// Threads may poll again.
    #[cfg(test)]
    pub(super) fn end_pause(&self) {
        self.pauses_until.store(0, Ordering::Relaxed);
    }

    /// Whether a thread polls.
    #[cfg(test)]
    pub(super) fn is_polled(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
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
        // On a busy machine a thread may come too late.
        let polls = |_| {
            let now = clock::cycles();
            assert!(poll.extend(now, now + LONGEST_POLL));
            poll.poll(|| {
                assert!(!poll.extend(now, now + LONGEST_POLL), "a thread polls already");
                assert!(!poll.poll(|| panic!("another one does")));
                true
            })
        };
        assert!((0..1000).any(polls));
        let poll = HaltPoll::default();
        let now = clock::cycles();
        let end = now + 100 * MICROSECOND;
        poll.extend(now, end);
        assert!(!poll.poll(|| false));
        let pauses = poll.pauses_until.load(Ordering::Relaxed) > end;
        assert!(clock::cycles() >= end || pauses, "it ends early if others run");
    }

    #[test]
    fn a_contested_cpu_is_left_alone() {
        let poll = HaltPoll::default();
        let mut now = 1 << 40;
        let mut pause = |after| {
            now += after * MICROSECOND;
            poll.pause(now);
            let end = poll.pauses_until.load(Ordering::Relaxed);
            assert!(!poll.extend(end - 1, end) && poll.extend(end, end + 1));
            let pause = end - now;
            now = end;
            pause / MICROSECOND
        };
        assert_eq!(
            [pause(0), pause(3000), pause(0), pause(60_000), pause(0)],
            [1000, 2000, 4000, 1000, 2000]
        );
        (0..10).for_each(|_| _ = pause(0));
        assert_eq!(pause(0), 256_000);
    }

    #[test]
    fn a_counter_that_goes_back() {
        let (poll, now) = (HaltPoll::default(), 1 << 40);
        poll.pause(now);
        assert!(
            poll.extend(1000, 2000),
            "it does not pause until the counter has come so far again"
        );
        poll.until.store(clock::cycles() + (1 << 50), Ordering::Relaxed);
        assert!(!poll.poll(|| panic!("nobody asked for it since")));
    }

    #[test]
    fn blocking_is_counted() {
        let before = system::times_blocked();
        // The time of a sleep may be over before the thread has gone to sleep, if another one gets its CPU.
        let slept = |_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            system::times_blocked() >= before + 5
        };
        assert!((0..1000).any(slept));
        // A page that the system has to fetch or to move may block the thread, so the best of several times counts.
        let computing = || {
            let (start, before) = (clock::cycles(), system::times_blocked());
            while clock::cycles() - start < 20_000 * MICROSECOND {}
            system::times_blocked() - before
        };
        assert!(
            (0..100).any(|_| computing() == 0),
            "a thread that computes is preempted, but does not block"
        );
    }
}
