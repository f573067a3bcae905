// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tracks which commands of a context may be unfinished, as coarsely as freeing memory needs it.
//!
//! Commands are counted by *epoch*, a number that only grows. Two counts suffice, of the current epoch and of the one
//! before, because the epoch advances only when no command of the one before is unfinished. Memory that was freed in an
//! epoch is unused once the next epoch has begun and the commands of the first are complete. So memory becomes free
//! even in a context that is never idle, and a command costs two additions.
//!
//! In a child of `fork` no command is unfinished: the parent's commands end in the parent.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// The unfinished commands of a context.
#[derive(Debug, Default)]
pub struct InFlight {
    epoch: AtomicU64,
    /// Unfinished commands of even and of odd epochs.
    unfinished: [AtomicUsize; 2],
    /// The number of forks between this process and the one that created the context.
    forks: AtomicU32,
}

/// What [`InFlight::enter`] returns for an unfinished command, for [`InFlight::leave`].
#[derive(Debug)]
#[must_use]
pub struct Mark {
    odd: bool,
    forks: u32,
}

impl InFlight {
    /// Counts a command that will not be complete when its enqueue function returns.
    ///
    /// Host tasks are not counted: the client knows what they use, and they may free it themselves.
    #[inline]
    pub fn enter(&self) -> Mark {
        loop {
            let epoch = self.epoch.load(Ordering::SeqCst);
            let count = self.count(epoch);
            count.fetch_add(1, Ordering::SeqCst);
            // If the epoch has advanced, its count may already have been read as zero: try again.
            if self.epoch.load(Ordering::SeqCst) == epoch {
                let forks = self.forks.load(Ordering::Relaxed);
                return Mark {
                    odd: epoch % 2 == 1,
                    forks,
                };
            }
            count.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Counts a command that is complete, or will never run.
    #[inline]
    pub fn leave(&self, mark: Mark) {
        if mark.forks == self.forks.load(Ordering::Relaxed) {
            self.count(mark.odd.into()).fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Forgets the commands of the parent, in a child that has no other threads yet.
    pub fn forked(&self) {
        self.forks.fetch_add(1, Ordering::Relaxed);
        self.unfinished
            .iter()
            .for_each(|count| count.store(0, Ordering::SeqCst));
    }

    /// Whether every command is complete.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.unfinished.iter().all(|count| count.load(Ordering::SeqCst) == 0)
    }

    /// The epoch of memory that is freed now.
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::SeqCst)
    }

    /// Advances the epoch if possible. Commands that were entered in epochs before the returned one are complete.
    pub fn advance(&self) -> u64 {
        let epoch = self.epoch.load(Ordering::SeqCst);
        if epoch > 0 && self.count(epoch - 1).load(Ordering::SeqCst) != 0 {
            return epoch - 1;
        }
        let next = epoch + 1;
        let advanced = self
            .epoch
            .compare_exchange(epoch, next, Ordering::SeqCst, Ordering::SeqCst);
        // Read after the epoch has changed, so that no command can enter the old one.
        if advanced.is_ok() && self.count(epoch).load(Ordering::SeqCst) == 0 {
            next
        } else {
            epoch
        }
    }

    #[inline]
    fn count(&self, epoch: u64) -> &AtomicUsize {
        &self.unfinished[(epoch % 2) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_waits_for_the_commands_before_it() {
        let in_flight = InFlight::default();
        assert!(in_flight.is_idle());
        let first = in_flight.enter();
        let freed = in_flight.epoch();
        assert!(!in_flight.is_idle());
        for _ in 0..5 {
            assert!(in_flight.advance() <= freed, "the command is unfinished");
        }
        // Later commands do not delay it.
        let later = in_flight.enter();
        in_flight.leave(first);
        assert!(in_flight.advance() > freed);
        let freed = in_flight.epoch();
        assert!(in_flight.advance() <= freed);
        in_flight.leave(later);
        assert!(in_flight.is_idle());
        assert!(in_flight.advance() > freed);
    }

    #[test]
    fn a_child_has_no_commands() {
        let in_flight = InFlight::default();
        let mark = in_flight.enter();
        in_flight.forked();
        assert!(in_flight.is_idle());
        let own = in_flight.enter();
        in_flight.leave(mark);
        assert!(!in_flight.is_idle());
        in_flight.leave(own);
        assert!(in_flight.is_idle());
    }

    #[test]
    fn a_context_that_is_never_idle() {
        let in_flight = InFlight::default();
        let mut marks = std::collections::VecDeque::new();
        let mut freed = std::collections::VecDeque::new();
        for now in 0..1000 {
            marks.push_back(in_flight.enter());
            freed.push_back((now, in_flight.epoch()));
            if marks.len() > 3 {
                in_flight.leave(marks.pop_front().unwrap());
            }
            let over = in_flight.advance();
            while freed.front().is_some_and(|(_, epoch)| *epoch < over) {
                let (then, _) = freed.pop_front().unwrap();
                assert!(then + 3 <= now, "commands of that time are unfinished");
            }
            assert!(freed.len() < 12, "memory comes free");
        }
        marks.into_iter().for_each(|mark| in_flight.leave(mark));
    }
}
