// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Freed memory that commands may still use: it is not handed out again before they are complete.
//!
//! Neither a free nor an allocation waits for these commands: the calling thread may be the one that they wait for. But an
//! allocation for a queue in order may have at once what was freed in the order of this queue.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};

use oxur_fork::{Mutex, Turns};
use smallvec::SmallVec;

use crate::UniqueId;

/// How many allocations are looked at for one that will do, from the one that was freed last on.
const LOOK_AT: usize = 64;

/// An allocation that was freed.
struct Entry<F> {
    address: usize,
    /// What is behind the commands that may use it.
    fence: F,
    /// The queue in order that it was freed in the order of.
    queue: Option<UniqueId>,
}

/// Allocations in the order in which they were freed.
struct Freed<F> {
    order: VecDeque<Entry<F>>,
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

    /// Takes an allocation in that was freed, if so, in the order of a queue. `false` says that it was here already.
    pub(super) fn put(&self, address: usize, fence: F, queue: Option<UniqueId>) -> bool {
        let mut freed = self.freed.lock();
        let new = freed.addresses.insert(address);
        if new {
            freed.order.push_back(Entry { address, fence, queue });
            self.count.store(freed.addresses.len(), Ordering::Relaxed);
        }
        new
    }

    /// Takes out the addresses whose fences are reached.
    pub(super) fn ready(&self, reached: impl Fn(&F) -> bool) -> SmallVec<[usize; 4]> {
        // Fences may be the driver's objects: they are asked and dropped without the lock.
        let mut ready = SmallVec::<[_; 4]>::new();
        let _asking = self.asking.take();
        while let Some(first) = self.take_order() {
            if !reached(&first.fence) {
                self.freed.lock().order.push_front(first);
                break;
            }
            let mut freed = self.freed.lock();
            freed.addresses.remove(&first.address);
            self.count.store(freed.addresses.len(), Ordering::Relaxed);
            drop(freed);
            ready.push(first.address);
        }
        ready
    }

    /// Takes out the allocation that was freed first, but for its address, by which others still find it.
    fn take_order(&self) -> Option<Entry<F>> {
        self.freed.lock().order.pop_front()
    }

    /// Takes out an allocation that was freed in the order of a queue and will do.
    pub(super) fn take_of(&self, queue: UniqueId, will_do: impl Fn(usize) -> bool) -> Option<usize> {
        let mut freed = self.freed.lock();
        let from = freed.order.len().saturating_sub(LOOK_AT);
        let is_found = |entry: &Entry<F>| entry.queue == Some(queue) && will_do(entry.address);
        let found = from + freed.order.range(from..).rposition(is_found)?;
        let entry = freed.order.remove(found)?;
        freed.addresses.remove(&entry.address);
        self.count.store(freed.addresses.len(), Ordering::Relaxed);
        drop(freed);
        // The fence may be the driver's object: it goes without the lock.
        Some(entry.address)
    }

    /// Takes out the allocation that was freed first, whatever may use it.
    pub(super) fn take_first(&self) -> Option<(usize, F)> {
        let mut freed = self.freed.lock();
        let first = freed.order.pop_front();
        if let Some(first) = &first {
            freed.addresses.remove(&first.address);
        }
        self.count.store(freed.addresses.len(), Ordering::Relaxed);
        first.map(|first| (first.address, first.fence))
    }
}
