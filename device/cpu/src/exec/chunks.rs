// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which thread runs which chunks of a command.
//!
//! The chunks are divided into shares, one for each thread that takes part. A thread takes chunks from the front of its
//! own share, several at a time; when none is left, it takes from other shares. So a thread works on neighbours, and on
//! the same ones as before when a command of the same size comes again: they are in its caches.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::cost::SHORT;

/// The chunks of a command: which are taken, and how many are done.
#[derive(Debug)]
pub(super) struct Chunks {
    shares: Shares,
    /// How many chunks a thread takes at a time.
    chunk: u64,
    /// How many chunks are not done.
    left: AtomicU64,
    /// How many threads have joined.
    joined: AtomicU32,
    /// How many were asked to.
    invited: AtomicU32,
    /// What a thread takes at a time costs so much, in cycles, as far as that is known.
    turn: Option<u64>,
}

/// Most commands have one share, which needs no memory of its own.
#[derive(Debug)]
enum Shares {
    One([Share; 1]),
    Many(Box<[Padded]>),
}

#[derive(Debug)]
struct Share {
    next: AtomicU64,
    end: u64,
}

impl Share {
    /// Share number `i` of `shares` shares of `count` chunks.
    fn new(i: u64, shares: u64, count: u64) -> Self {
        let border = |i: u64| (u128::from(count) * u128::from(i) / u128::from(shares)) as u64;
        Self {
            next: AtomicU64::new(border(i)),
            end: border(i + 1),
        }
    }
}

/// A share padded to cache lines of its own, so that threads do not slow each other down (false sharing).
#[repr(align(128))]
#[derive(Debug)]
struct Padded(Share);

/// A thread takes its share in this many turns, so that others can help with the rest.
const TURNS: u64 = 8;

impl Chunks {
    /// Divides chunks among as many of `concurrency` threads as the work is worth. `cost` is the cost of all chunks, in
    /// cycles.
    pub(super) fn shared(count: u64, cost: Option<u64>, concurrency: usize) -> Self {
        let (threads, least) = Self::division(count, cost, concurrency);
        let mut chunks = Self::new(count, threads, least);
        chunks.turn = chunks.cost_of_turn(count, cost);
        chunks
    }

    /// Does what [`Chunks::shared`] does, and reuses the memory if it suffices.
    pub(super) fn renew(&mut self, count: u64, cost: Option<u64>, concurrency: usize) {
        let (threads, least) = Self::division(count, cost, concurrency);
        let least = least.max(1);
        let shares = (count / least).clamp(1, threads.max(1) as u64);
        let all = match &mut self.shares {
            Shares::Many(all) if shares as usize == all.len() => all,
            _ => {
                *self = Self::shared(count, cost, concurrency);
                return;
            }
        };
        for (i, share) in all.iter_mut().enumerate() {
            share.0 = Share::new(i as u64, shares, count);
        }
        self.chunk = (count / shares / TURNS).max(least);
        *self.left.get_mut() = count;
        *self.joined.get_mut() = 0;
        *self.invited.get_mut() = 0;
        self.turn = self.cost_of_turn(count, cost);
    }

    fn cost_of_turn(&self, count: u64, cost: Option<u64>) -> Option<u64> {
        let turns = (count / self.chunk).max(1);
        cost.map(|cost| cost / turns)
    }

    /// The number of threads that take part, and the least number of chunks that a thread takes.
    fn division(count: u64, cost: Option<u64>, concurrency: usize) -> (usize, u64) {
        let Some(cost) = cost else {
            return (concurrency, 1);
        };
        // One more thread for each multiple of the time that it takes to wake one.
        let threads = (cost / SHORT + 1).min(concurrency as u64);
        let least = u128::from(count) * u128::from(SHORT / 4) / u128::from(cost.max(1));
        (threads as usize, least as u64)
    }

    /// Divides `count` chunks among up to `threads` threads. A thread takes at least `least` chunks at a time, if that
    /// many are left.
    pub(super) fn new(count: u64, threads: usize, least: u64) -> Self {
        let least = least.max(1);
        let shares = (count / least).clamp(1, threads.max(1) as u64);
        let chunk = (count / shares / TURNS).max(least);
        let share = |i: u64| Share::new(i, shares, count);
        Self {
            shares: match shares {
                // A single thread needs no turns.
                1 => Shares::One([share(0)]),
                _ => Shares::Many((0..shares).map(|i| Padded(share(i))).collect()),
            },
            chunk: if shares == 1 { count.max(1) } else { chunk },
            left: AtomicU64::new(count),
            joined: AtomicU32::new(0),
            invited: AtomicU32::new(0),
            turn: None,
        }
    }

    fn shares(&self) -> usize {
        match &self.shares {
            Shares::One(_) => 1,
            Shares::Many(shares) => shares.len(),
        }
    }

    fn share(&self, i: usize) -> &Share {
        match &self.shares {
            Shares::One([share]) => share,
            Shares::Many(shares) => &shares[i].0,
        }
    }

    /// How many chunks a thread takes at a time.
    pub(super) fn chunk(&self) -> u64 {
        self.chunk
    }

    /// Whether there are no chunks at all.
    pub(super) fn are_none(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    /// Adds a thread. Returns how many joined before.
    pub(super) fn join(&self) -> u32 {
        self.joined.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether a thread may be at work for this long, in cycles, before it takes more, or if that is not known.
    pub(super) fn take_longer_than(&self, limit: u64) -> bool {
        self.turn.is_none_or(|cost| cost > limit)
    }

    /// Whether several threads have joined.
    pub(super) fn have_company(&self) -> bool {
        self.joined.load(Ordering::Relaxed) > 1
    }

    /// Whether the caller should ask one more thread to join, as there is a share for it. There is one for the first thread already.
    pub(super) fn invite(&self) -> bool {
        let most = self.shares() as u32 - 1;
        self.invited.load(Ordering::Relaxed) < most
            && self.any_left()
            && self.invited.fetch_add(1, Ordering::Relaxed) < most
    }

    /// Whether there are chunks that nobody has taken.
    pub(super) fn any_left(&self) -> bool {
        (0..self.shares()).any(|i| self.share(i).next.load(Ordering::Relaxed) < self.share(i).end)
    }

    /// Takes chunks for the thread with this index: from its own share, or else from the next one that has some.
    pub(super) fn take(&self, index: usize) -> Option<Range<u64>> {
        let shares = self.shares();
        for i in 0..shares {
            let Share { next, end } = self.share((index + i) % shares);
            // Each thread that comes too late adds at most one step beyond the end.
            if next.load(Ordering::Relaxed) >= *end {
                continue;
            }
            let start = next.fetch_add(self.chunk, Ordering::Relaxed);
            if start < *end {
                return Some(start..(*end).min(start.saturating_add(self.chunk)));
            }
        }
        None
    }

    /// Counts chunks that are done. Returns whether they were the last; then the effects of all chunks are visible to
    /// the caller.
    pub(super) fn done(&self, count: u64) -> bool {
        self.left.fetch_sub(count, Ordering::AcqRel) == count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_chunk_runs_once() {
        for (count, threads, least) in [(1, 1, 1), (1, 8, 1), (7, 2, 1), (100, 3, 7), (1000, 64, 1), (0, 4, 1)] {
            let chunks = Chunks::new(count, threads, least);
            let seen: Vec<_> = (0..count).map(|_| AtomicU32::new(0)).collect();
            let last = AtomicU32::new(0);
            std::thread::scope(|scope| {
                for index in 0..4 {
                    let (chunks, seen, last) = (&chunks, &seen, &last);
                    scope.spawn(move || {
                        while let Some(range) = chunks.take(index) {
                            let taken = range.end - range.start;
                            for i in range {
                                seen[i as usize].fetch_add(1, Ordering::Relaxed);
                            }
                            last.fetch_add(chunks.done(taken).into(), Ordering::Relaxed);
                        }
                    });
                }
            });
            assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1));
            assert_eq!(last.load(Ordering::Relaxed), u32::from(count > 0));
            assert!(chunks.are_none() && !chunks.any_left());
        }
    }

    #[test]
    fn shares_are_neighbours() {
        let chunks = Chunks::new(100, 4, 1);
        assert_eq!(chunks.take(2), Some(50..53));
        assert_eq!(chunks.take(2), Some(53..56));
        assert_eq!(chunks.take(0), Some(0..3));
        assert_eq!(
            chunks.take(5),
            Some(25..28),
            "places beyond the last begin at the first"
        );
        let few = Chunks::new(100, 4, 30);
        assert_eq!(
            (few.take(0), few.take(0), few.take(0)),
            (Some(0..30), Some(30..33), Some(33..63))
        );
        assert_eq!(Chunks::new(u64::MAX / 2, 3, 1).take(1).unwrap().start, u64::MAX / 6);
    }

    #[test]
    fn no_more_threads_than_shares() {
        let mut chunks = Chunks::new(3, 8, 1);
        assert_eq!([(); 3].map(|()| chunks.invite()), [true, true, false]);
        assert!(!Chunks::new(1, 8, 1).invite());
        chunks.renew(3, None, 3);
        assert_eq!((chunks.take(0), chunks.take(0)), (Some(0..1), Some(1..2)));
        assert!(chunks.invite());
        assert_eq!(chunks.take(0), Some(2..3));
        assert!(!chunks.invite(), "nothing is left");
    }
}
