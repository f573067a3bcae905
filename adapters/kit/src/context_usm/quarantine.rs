// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Freed memory that commands may still use: it is not handed out again before they are complete.
//!
//! Neither a free nor an allocation waits for these commands: the calling thread may be the one that they wait for. But an
//! allocation for a queue in order may have at once what was freed in the order of this queue. As that is what mostly becomes of such
//! memory, it has no fence before somebody else asks for memory.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
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
    fence: Arc<F>,
    /// The queue in order that it was freed in the order of.
    queue: Option<UniqueId>,
}

/// Allocations in the order in which they were freed.
struct Freed<F> {
    /// In the order of queues, and without a fence so far.
    in_order: VecDeque<(usize, UniqueId)>,
    fenced: VecDeque<Entry<F>>,
    /// Of all of them.
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
                in_order: VecDeque::new(),
                fenced: VecDeque::new(),
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
        let (fence, queue) = (Arc::new(fence), None);
        self.add(address, |freed| freed.fenced.push_back(Entry { address, fence, queue }))
    }

    /// Takes an allocation in that was freed in the order of a queue.
    pub(super) fn put_in_order(&self, address: usize, queue: UniqueId) -> bool {
        self.add(address, |freed| freed.in_order.push_back((address, queue)))
    }

    fn add(&self, address: usize, push: impl FnOnce(&mut Freed<F>)) -> bool {
        let mut freed = self.freed.lock();
        let new = freed.addresses.insert(address);
        if new {
            push(&mut freed);
            self.count.store(freed.addresses.len(), Ordering::Relaxed);
        }
        new
    }

    /// An allocation goes.
    fn forget(&self, freed: &mut Freed<F>, address: usize) {
        freed.addresses.remove(&address);
        self.count.store(freed.addresses.len(), Ordering::Relaxed);
    }

    /// Gives what has no fence the one that `fence` makes, or takes it out and returns it if nothing is unfinished.
    pub(super) fn fence_in_order<E>(&self, fence: impl FnOnce() -> Result<Option<F>, E>) -> Result<Vec<usize>, E> {
        // Before the fence, which is not behind what is freed meanwhile.
        let unfenced = std::mem::take(&mut self.freed.lock().in_order);
        if unfenced.is_empty() {
            return Ok(Vec::new());
        }
        let fence = fence();
        let mut freed = self.freed.lock();
        match fence {
            Ok(Some(fence)) => {
                let fence = Arc::new(fence);
                freed.fenced.extend(unfenced.into_iter().map(|(address, queue)| Entry {
                    address,
                    fence: fence.clone(),
                    queue: Some(queue),
                }));
                Ok(Vec::new())
            }
            Ok(None) => {
                let free: Vec<_> = unfenced.into_iter().map(|(address, _)| address).collect();
                free.iter().for_each(|&address| self.forget(&mut freed, address));
                Ok(free)
            }
            Err(error) => {
                freed.in_order.extend(unfenced);
                Err(error)
            }
        }
    }

    /// Takes out the addresses whose fences are reached.
    pub(super) fn ready(&self, reached: impl Fn(&F) -> bool) -> SmallVec<[usize; 4]> {
        // Fences may be the driver's objects: they are asked and dropped without the lock.
        let mut ready = SmallVec::<[_; 4]>::new();
        let mut last: Option<Arc<F>> = None;
        let _asking = self.asking.take();
        while let Some(first) = self.take_fenced() {
            let is_same = last.as_ref().is_some_and(|last| Arc::ptr_eq(last, &first.fence));
            if !is_same && !reached(&first.fence) {
                self.freed.lock().fenced.push_front(first);
                break;
            }
            self.forget(&mut self.freed.lock(), first.address);
            ready.push(first.address);
            last = Some(first.fence);
        }
        ready
    }

    /// Takes out the allocation that was freed first, but for its address, by which others still find it.
    fn take_fenced(&self) -> Option<Entry<F>> {
        self.freed.lock().fenced.pop_front()
    }

    /// Takes out an allocation that was freed in the order of a queue and will do.
    pub(super) fn take_of(&self, queue: UniqueId, will_do: impl Fn(usize) -> bool) -> Option<usize> {
        let mut freed = self.freed.lock();
        let is_found = |address, of| of == Some(queue) && will_do(address);
        let last = |length: usize| length.saturating_sub(LOOK_AT);
        let from = last(freed.in_order.len());
        let mut unfenced = freed.in_order.range(from..);
        if let Some(at) = unfenced.rposition(|&(address, queue)| is_found(address, Some(queue))) {
            let (address, _) = freed.in_order.remove(from + at)?;
            self.forget(&mut freed, address);
            return Some(address);
        }
        let from = last(freed.fenced.len());
        let mut fenced = freed.fenced.range(from..);
        let at = fenced.rposition(|entry| is_found(entry.address, entry.queue))?;
        let entry = freed.fenced.remove(from + at)?;
        self.forget(&mut freed, entry.address);
        drop(freed);
        // The fence may be the driver's object: it goes without the lock.
        Some(entry.address)
    }

    /// Takes out the allocation that was freed first, whatever may use it. All have fences.
    pub(super) fn take_first(&self) -> Option<(usize, Arc<F>)> {
        let mut freed = self.freed.lock();
        let first = freed.fenced.pop_front()?;
        self.forget(&mut freed, first.address);
        Some((first.address, first.fence))
    }
}
