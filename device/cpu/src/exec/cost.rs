// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The cost of work, learned from its last runs.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::clock;

/// The cost below which a thread runs work itself instead of sharing it, in cycles, while other threads poll.
pub const SHORT: u64 = 10 * clock::CYCLES_PER_MICROSECOND;

/// The same while all other threads sleep. To wake one takes a system call of up to 10 µs, and the thread comes after 5
/// to 50 µs.
pub const SHORT_ALONE: u64 = 25 * clock::CYCLES_PER_MICROSECOND;

/// The estimated cost of one chunk of a kind of work, in cycles. A run cheaper than the estimate counts by an eighth,
/// because sharing short work costs less than not sharing long work. A run that cost more counts in full, unless it cost
/// much more: its thread may have been preempted.
///
/// Threads write to it, so nothing that others only read shares its pair of cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Cost {
    /// In 256ths of a cycle, because some chunks are shorter than one cycle; 0 while nothing is known.
    known: AtomicU64,
    /// Counts calls of [`Cost::is_due`].
    asked: AtomicU32,
}

const FRACTION: u32 = 8;

/// Reading the cycle counter takes as long as all other overhead of short work, so only one run of this many is
/// measured.
const EVERY: u32 = 8;

/// Decides which runs a thread measures. The state is thread-local, because threads that launch the same kernel would
/// contend for shared state. The choice is pseudo-random: clients launch several kernels in turns, and a fixed period
/// might always hit the same one.
#[derive(Debug, Default)]
pub(super) struct Sampler(Cell<u32>);

impl Sampler {
    /// Whether to measure this time.
    #[inline]
    pub(super) fn is_due(&self) -> bool {
        let next = self.0.get().wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        self.0.set(next);
        next < u32::MAX / EVERY
    }
}

impl Cost {
    /// The cost of `chunks` chunks; `None` if none has run yet.
    #[inline]
    pub fn of(&self, chunks: u64) -> Option<u64> {
        match self.known.load(Ordering::Relaxed) {
            0 => None,
            known => Some(known.saturating_mul(chunks) >> FRACTION),
        }
    }

    /// Whether to measure short work this time, on a thread without a [`Sampler`].
    #[inline]
    pub fn is_due(&self) -> bool {
        // Not an atomic addition, which would take as long as measuring. Lost updates do not matter.
        let asked = self.asked.load(Ordering::Relaxed);
        self.asked.store(asked.wrapping_add(1), Ordering::Relaxed);
        asked.is_multiple_of(EVERY)
    }

    /// Learns from a run of `chunks` chunks that took `cycles`.
    #[inline]
    pub fn learn(&self, chunks: u64, cycles: u64) {
        let Some(seen) = (cycles << FRACTION).checked_div(chunks) else {
            return;
        };
        let seen = seen.max(1);
        let known = self.known.load(Ordering::Relaxed);
        let new = match known {
            0 => seen,
            _ if seen >= known => seen.min(known.saturating_mul(4)),
            _ => known - (known - seen).div_ceil(8),
        };
        // Another thread's update may be lost; more will come. Small differences are not stored, because a store takes
        // the cache line from all threads that launch the same kernel.
        if new.abs_diff(known) > known >> 5 {
            self.known.store(new, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_some_is_due() {
        let sampler = Sampler::default();
        let due: Vec<bool> = (0..8000).map(|_| sampler.is_due()).collect();
        // This also holds for each of several kernels that are launched in turns.
        for turns in 1..=16 {
            for turn in 0..turns {
                let own = due.iter().skip(turn).step_by(turns);
                let (all, due) = (own.len(), own.filter(|due| **due).count());
                assert!(
                    due > all / 16 && due < all / 4,
                    "{due} of {all} for one of {turns} kernels"
                );
            }
        }
    }

    #[test]
    fn slow_counts_more_than_fast() {
        let cost = Cost::default();
        assert_eq!(cost.of(10), None);
        cost.learn(10, 1000);
        assert_eq!(cost.of(1), Some(100));
        cost.learn(1, 399);
        assert_eq!(cost.of(1), Some(399));
        cost.learn(1, 1_000_000);
        assert_eq!(cost.of(1), Some(4 * 399), "once is no rule");
        cost.learn(1, 1_000_000);
        assert_eq!(cost.of(1), Some(16 * 399));
        cost.learn(0, 5);
        for _ in 0..200 {
            cost.learn(1000, 10);
        }
        assert!(cost.of(100_000).unwrap() < 2000, "it forgets");
        assert_eq!(cost.of(u64::MAX).map(|cost| cost > 0), Some(true));
    }
}
