// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Freed memory that commands may still use: it is not handed out again before they are complete.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxur_fork::Mutex;
use smallvec::SmallVec;

use crate::activity::Markers;

/// How many allocations may be held before a free waits.
const MOST: usize = 256;

/// An allocation that the client freed.
struct Held {
    address: usize,
    size: usize,
    /// Behind the commands that may use it.
    markers: Markers,
}

/// Allocations in the order in which they were freed.
#[derive(Default)]
pub(super) struct Quarantine {
    held: Mutex<VecDeque<Held>>,
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
        !self.is_empty() && self.held.lock().iter().any(|held| held.address == address)
    }

    /// Takes an allocation of `size` bytes in. Answers the addresses that may be used again; where more than `limit` bytes
    /// are held, it waits until there are some.
    pub(super) fn put(&self, address: usize, size: usize, markers: Markers, limit: usize) -> SmallVec<[usize; 4]> {
        let mut held = self.held.lock();
        held.push_back(Held { address, size, markers });
        self.count.store(held.len(), Ordering::Relaxed);
        let bytes: usize = held.iter().map(|held| held.size).sum();
        let full = held.len() > MOST || bytes > limit;
        drop(held);
        let mut ready = self.ready();
        if full && ready.is_empty() {
            ready.extend(self.oldest());
        }
        ready
    }

    /// The addresses that may be used again by now.
    pub(super) fn ready(&self) -> SmallVec<[usize; 4]> {
        let mut ready = SmallVec::new();
        let mut held = self.held.lock();
        while held
            .front()
            .is_some_and(|first| first.markers.iter().all(|marker| marker.is_over()))
        {
            ready.extend(held.pop_front().map(|first| first.address));
        }
        self.count.store(held.len(), Ordering::Relaxed);
        ready
    }

    /// Waits until the allocation that was freed first may be used again.
    pub(super) fn oldest(&self) -> Option<usize> {
        let first = {
            let mut held = self.held.lock();
            let first = held.pop_front();
            self.count.store(held.len(), Ordering::Relaxed);
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
