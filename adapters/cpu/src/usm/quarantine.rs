// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Freed memory that commands may still use: it is not handed out again before they are complete.
//!
//! Nobody waits for these commands: the thread that frees may be the one that they wait for.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};

use oxur_fork::Mutex;

/// Allocations in the order in which they were freed.
#[derive(Default)]
pub(super) struct Quarantine {
    held: Mutex<Held>,
    count: AtomicUsize,
}

/// What is in quarantine.
#[derive(Default)]
pub(super) struct Held {
    /// Addresses, each with the epoch in which it was freed.
    freed: VecDeque<(usize, u64)>,
    addresses: HashSet<usize>,
}

impl Quarantine {
    /// Whether it holds nothing.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Whether an allocation is here: then it was freed before.
    pub(super) fn has(&self, address: usize) -> bool {
        !self.is_empty() && self.held.lock().addresses.contains(&address)
    }

    /// Takes an allocation in that is freed in `epoch`. `false` says that it was here already.
    pub(super) fn put(&self, address: usize, epoch: u64) -> bool {
        let mut held = self.held.lock();
        let new = held.addresses.insert(address);
        if new {
            held.freed.push_back((address, epoch));
            self.count.store(held.freed.len(), Ordering::Relaxed);
        }
        new
    }

    /// Takes an allocation out that was freed before `epoch`.
    pub(super) fn take(&self, epoch: u64) -> Option<usize> {
        let mut held = self.held.lock();
        held.freed.front().filter(|(_, freed)| *freed < epoch)?;
        let (address, _) = held.freed.pop_front()?;
        held.addresses.remove(&address);
        self.count.store(held.freed.len(), Ordering::Relaxed);
        Some(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out_by_epoch() {
        let quarantine = Quarantine::default();
        assert!(quarantine.is_empty() && !quarantine.has(1));
        assert!(quarantine.put(1, 5) && quarantine.put(2, 5) && quarantine.put(3, 6));
        assert!(!quarantine.put(2, 7), "freed twice");
        assert_eq!(quarantine.take(5), None);
        assert_eq!(
            (quarantine.take(6), quarantine.take(6), quarantine.take(6)),
            (Some(1), Some(2), None)
        );
        assert!(quarantine.has(3) && !quarantine.has(1));
        assert!(quarantine.put(1, 6), "the address is used again");
        assert_eq!((quarantine.take(7), quarantine.take(7)), (Some(3), Some(1)));
        assert!(quarantine.is_empty());
    }
}
