// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Freed memory that commands may still use: it is not handed out again before they are complete.
//!
//! Neither a free nor an allocation waits for these commands: the calling thread may be the one that they wait for.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};

use oxur_fork::{Mutex, Turns};
use smallvec::SmallVec;

/// Allocations in the order in which they were freed, each with the fence behind the commands that may use it.
struct Freed<F> {
    order: VecDeque<(usize, F)>,
    addresses: HashSet<usize>,
}

/// The allocations of a context that the client freed and commands may still use.
pub(super) struct Quarantine<F> {
    freed: Mutex<Freed<F>>,
    /// Taken by the thread that asks whether fences are reached.
    asking: Turns,
    count: AtomicUsize,
}

impl<F> Default for Quarantine<F> {
    fn default() -> Self {
        Self {
            freed: Mutex::new(Freed {
                order: VecDeque::new(),
                addresses: HashSet::new(),
            }),
            asking: Turns::new(),
            count: AtomicUsize::new(0),
        }
    }
}

impl<F> Quarantine<F> {
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
    pub(super) fn put(&self, address: usize, fence: F) -> bool {
        let mut freed = self.freed.lock();
        let new = freed.addresses.insert(address);
        if new {
            freed.order.push_back((address, fence));
            self.count.store(freed.addresses.len(), Ordering::Relaxed);
        }
        new
    }

    /// Takes out the addresses whose fences are reached.
    pub(super) fn ready(&self, reached: impl Fn(&F) -> bool) -> SmallVec<[usize; 4]> {
        // Fences may be the driver's objects: they are asked and dropped without the lock.
        let mut ready = SmallVec::<[_; 4]>::new();
        let _asking = self.asking.take();
        while let Some((address, fence)) = self.take_order() {
            if !reached(&fence) {
                self.freed.lock().order.push_front((address, fence));
                break;
            }
            let mut freed = self.freed.lock();
            freed.addresses.remove(&address);
            self.count.store(freed.addresses.len(), Ordering::Relaxed);
            drop(freed);
            ready.push(address);
        }
        ready
    }

    /// Takes out the allocation that was freed first, but for its address, by which others still find it.
    fn take_order(&self) -> Option<(usize, F)> {
        self.freed.lock().order.pop_front()
    }

    /// Takes out the allocation that was freed first, whatever may use it.
    pub(super) fn take_first(&self) -> Option<(usize, F)> {
        let mut freed = self.freed.lock();
        let first = freed.order.pop_front();
        if let Some((address, _)) = &first {
            freed.addresses.remove(address);
        }
        self.count.store(freed.addresses.len(), Ordering::Relaxed);
        first
    }
}
