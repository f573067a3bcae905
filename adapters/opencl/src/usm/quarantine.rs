// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Freed memory that commands may still use: it is not handed out again before they are complete.
//!
//! Neither a free nor an allocation waits for these commands: the calling thread may be the one that they wait for.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};

use oxur_fork::Mutex;
use smallvec::SmallVec;

use crate::in_flight::Markers;

/// An allocation that the client freed.
struct Held {
    address: usize,
    /// Behind the commands that may use it.
    markers: Markers,
}

/// Allocations in the order in which they were freed.
#[derive(Default)]
struct Freed {
    order: VecDeque<Held>,
    addresses: HashSet<usize>,
}

impl Freed {
    /// Takes out the allocation that was freed first, if it is `ready`.
    fn take(&mut self, ready: impl FnOnce(&Markers) -> bool) -> Option<Held> {
        self.order.front().filter(|first| ready(&first.markers))?;
        let first = self.order.pop_front()?;
        self.addresses.remove(&first.address);
        Some(first)
    }
}

/// The allocations of a context that the client freed and commands may still use.
#[derive(Default)]
pub(super) struct Quarantine {
    freed: Mutex<Freed>,
    count: AtomicUsize,
}

impl Quarantine {
    /// Whether it holds nothing.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Whether an allocation is here: then it was freed before.
    pub(super) fn has(&self, address: usize) -> bool {
        !self.is_empty() && self.freed.lock().addresses.contains(&address)
    }

    /// Takes an allocation in. `false` says that it was here already.
    pub(super) fn put(&self, address: usize, markers: Markers) -> bool {
        let mut freed = self.freed.lock();
        let new = freed.addresses.insert(address);
        if new {
            freed.order.push_back(Held { address, markers });
            self.count.store(freed.order.len(), Ordering::Relaxed);
        }
        new
    }

    /// Takes out the addresses that may be used again by now.
    pub(super) fn ready(&self) -> SmallVec<[usize; 4]> {
        let mut ready = SmallVec::new();
        let mut freed = self.freed.lock();
        while let Some(first) = freed.take(|markers| markers.iter().all(|marker| marker.is_over())) {
            ready.push(first.address);
        }
        self.count.store(freed.order.len(), Ordering::Relaxed);
        ready
    }

    /// Takes out the address that was freed first, and waits for the commands that may use it: for a context that goes.
    pub(super) fn wait_for_first(&self) -> Option<usize> {
        let first = {
            let mut freed = self.freed.lock();
            let first = freed.take(|_| true);
            self.count.store(freed.order.len(), Ordering::Relaxed);
            first?
        };
        for marker in &first.markers {
            if let Err(error) = marker.wait() {
                log::debug!("a command failed before memory that it may have used was freed: {error}");
            }
        }
        Some(first.address)
    }
}
