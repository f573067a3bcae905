// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A fence between two sides, of which one is frequent and the other rare.
//!
//! Where each of two threads stores to one variable and then loads the other's, a fence between makes sure that at least
//! one of them sees the other's store. A processor takes about 20 cycles for it. Here the rare side takes microseconds,
//! and the frequent side nothing: Linux runs a fence on all threads of the process (`membarrier(2)`).

use std::sync::atomic::{Ordering, compiler_fence, fence};

use oxur_fork::OnceLock;
use rustix::io::Errno;
use rustix::thread::{MembarrierCommand, MembarrierQuery, membarrier, membarrier_query};

/// How the two sides see each other's stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsymmetricFence {
    /// By `membarrier`.
    Membarrier,
    /// By a fence on both sides: the kernel lacks `membarrier`, or a sandbox forbids it.
    Symmetric,
}

impl AsymmetricFence {
    /// The best one that this process can have.
    pub fn best() -> Self {
        static BEST: OnceLock<AsymmetricFence> = OnceLock::new();
        *BEST.get_or_init(|| {
            let needed = MembarrierQuery::PRIVATE_EXPEDITED | MembarrierQuery::REGISTER_PRIVATE_EXPEDITED;
            match membarrier_query().contains(needed) {
                true => Self::Membarrier,
                false => Self::Symmetric,
            }
        })
    }

    /// For the frequent side, between its store and its load.
    #[inline(always)]
    pub fn light(self) {
        match self {
            Self::Membarrier => compiler_fence(Ordering::SeqCst),
            Self::Symmetric => fence(Ordering::SeqCst),
        }
    }

    /// For the rare side, between its store and its load. Waits for no other thread, so a lock may be held.
    pub fn heavy(self) {
        fence(Ordering::SeqCst);
        if self == Self::Symmetric {
            return;
        }
        let expedited = || {
            membarrier(MembarrierCommand::PrivateExpedited).or_else(|error| match error {
                // The first time the process has to register, which takes the kernel milliseconds. Most never get here.
                Errno::PERM => {
                    membarrier(MembarrierCommand::RegisterPrivateExpedited)?;
                    membarrier(MembarrierCommand::PrivateExpedited)
                }
                other => Err(other),
            })
        };
        // It fails where the kernel has no memory for it. The other command needs none, and takes milliseconds each time.
        while expedited().is_err() && membarrier(MembarrierCommand::Global).is_err() {
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, AtomicUsize};
    use std::thread;

    use super::*;

    /// In each round, at least one of two threads sees the other's store.
    fn stores_are_seen(fence: AsymmetricFence) {
        const ROUNDS: u32 = 20_000;
        let (frequent, rare, arrived) = (AtomicU32::new(0), AtomicU32::new(0), AtomicUsize::new(0));
        let meet = |round: u32| {
            arrived.fetch_add(1, Ordering::SeqCst);
            // On a busy machine the other thread may not run.
            for tries in (1..).take_while(|_| arrived.load(Ordering::SeqCst) < 2 * round as usize) {
                match tries % 1000 {
                    0 => thread::yield_now(),
                    _ => std::hint::spin_loop(),
                }
            }
        };
        let run = |own: &AtomicU32, other: &AtomicU32, fence: &dyn Fn()| -> Vec<bool> {
            let rounds = (1..=ROUNDS).map(|round| {
                meet(round);
                own.store(round, Ordering::Release);
                fence();
                other.load(Ordering::Relaxed) == round
            });
            rounds.collect()
        };
        let (first, second) = thread::scope(|scope| {
            let first = scope.spawn(|| run(&frequent, &rare, &|| fence.light()));
            let second = scope.spawn(|| run(&rare, &frequent, &|| fence.heavy()));
            (first.join().unwrap(), second.join().unwrap())
        });
        let missed = first
            .iter()
            .zip(&second)
            .filter(|(first, second)| !**first && !**second);
        assert_eq!(missed.count(), 0);
    }

    #[test]
    fn one_of_two_threads_sees_the_other() {
        stores_are_seen(AsymmetricFence::best());
        stores_are_seen(AsymmetricFence::Symmetric);
    }
}
