// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a thread remembers of the addresses that it looked up last: copies ask for the bounds of both sides each time, and most
//! of them are of the same memory as the copy before. To remember takes no lock.
//!
//! A thread remembers an allocation with a counter and its value. As long as the counter has that value, the allocation is
//! there. The counter is what the client asked for of the block: it changes when the block is freed, and when the region goes
//! back to the driver it becomes zero and stays so. The counters of a region are there as long as somebody has them. A range
//! of addresses without a region is remembered with the number of regions that the cache has had.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A range of addresses of a cache, and the allocation in it that was asked for last.
#[derive(Clone)]
pub(super) struct Memo {
    /// The number of the cache.
    cache: u64,
    base: usize,
    len: usize,
    /// The distance between blocks; 0 if the range has none.
    block: usize,
    /// What the client asked for, of each block; or how many regions the cache has had.
    counters: Arc<[AtomicUsize]>,
    last: Last,
}

/// An allocation, or a range without blocks.
#[derive(Clone, Copy, Default)]
struct Last {
    base: usize,
    len: usize,
    /// The place of its counter.
    counter: usize,
    value: usize,
}

impl Memo {
    /// A region with blocks, of this distance and these sizes.
    pub(super) fn of_region(cache: u64, base: usize, len: usize, block: usize, sizes: &Arc<[AtomicUsize]>) -> Self {
        Self {
            cache,
            base,
            len,
            block,
            counters: sizes.clone(),
            last: Last::default(),
        }
    }

    /// A range of addresses without a region, when the cache had had this many.
    pub(super) fn of_gap(cache: u64, base: usize, len: usize, inserted: &Arc<[AtomicUsize]>, value: usize) -> Self {
        Self {
            cache,
            base,
            len,
            block: 0,
            counters: inserted.clone(),
            last: Last {
                base,
                len,
                counter: 0,
                value,
            },
        }
    }

    /// Whether `size` bytes are inside of the allocation that was asked for last.
    #[inline(always)]
    fn holds(&self, cache: u64, address: usize, size: usize) -> bool {
        let last = &self.last;
        let offset = address.wrapping_sub(last.base);
        let counter = self.counters.get(last.counter);
        self.cache == cache
            && offset < last.len
            && size <= last.len - offset
            && counter.is_some_and(|counter| counter.load(Ordering::Acquire) == last.value)
    }

    fn contains(&self, cache: u64, address: usize) -> bool {
        self.cache == cache && address.wrapping_sub(self.base) < self.len
    }

    /// The allocation at an address of the range, or before it in the same block. `None` says that it must be looked up.
    fn allocation(&self, address: usize) -> Option<Last> {
        let counter = (address - self.base).checked_div(self.block)?;
        match self.counters.get(counter)?.load(Ordering::Acquire) {
            0 => None,
            size => Some(Last {
                base: self.base + counter * self.block,
                len: size,
                counter,
                value: size,
            }),
        }
    }

    /// How many bytes of the allocation that was asked for last there are from an address on; [`usize::MAX`] if it is in none.
    fn rest(&self, address: usize) -> usize {
        match self.last.len.saturating_sub(address - self.last.base) {
            rest if rest != 0 && self.block != 0 => rest,
            _ => usize::MAX,
        }
    }
}

/// A copy has two sides.
#[derive(Default)]
struct Recent {
    memos: [Option<Memo>; 2],
    /// The one to replace.
    oldest: usize,
}

impl Recent {
    #[inline(always)]
    fn holds(&self, place: usize, cache: u64, address: usize, size: usize) -> bool {
        let memo = &self.memos[place];
        memo.as_ref().is_some_and(|memo| memo.holds(cache, address, size))
    }

    fn put(&mut self, memo: Memo) {
        self.memos[self.oldest] = Some(memo);
        self.oldest = 1 - self.oldest;
    }

    fn rest(&mut self, cache: u64, address: usize) -> Option<usize> {
        let mut known = self.memos.iter().flatten();
        if let Some(memo) = known.find(|memo| memo.holds(cache, address, 1)) {
            return Some(memo.rest(address));
        }
        let contains = |memo: &Option<Memo>| memo.as_ref().is_some_and(|memo| memo.contains(cache, address));
        let place = self.memos.iter().position(contains)?;
        let memo = self.memos[place].as_ref()?;
        let Some(last) = memo.allocation(address) else {
            // It is not what it was.
            self.memos[place] = None;
            self.oldest = place;
            return None;
        };
        let memo = Memo { last, ..memo.clone() };
        let rest = memo.rest(address);
        self.put(memo);
        Some(rest)
    }
}

thread_local! {
    static RECENT: RefCell<Recent> = const { RefCell::new(Recent { memos: [None, None], oldest: 0 }) };
}

/// Whether a copy of `size` bytes is known to stay inside of its allocations on both sides. Numbers in registers: to take them
/// from memory where they were just written takes as long as all of this.
#[inline(never)]
pub(super) fn hold(cache: u64, first: usize, second: usize, size: usize) -> bool {
    let hold = |recent: &RefCell<Recent>| {
        let recent = recent.borrow();
        let holds = |place, address| recent.holds(place, cache, address, size);
        (holds(0, first) || holds(1, first)) && (holds(1, second) || holds(0, second))
    };
    // A thread that is ending may already have lost its thread-local storage.
    RECENT.try_with(hold).unwrap_or(false)
}

/// How many bytes of its allocation there are from an address on, and [`usize::MAX`] if it is in none. `None` says that it must
/// be looked up.
pub(super) fn rest(cache: u64, address: usize) -> Option<usize> {
    let rest = RECENT.try_with(|recent| recent.borrow_mut().rest(cache, address));
    rest.ok().flatten()
}

/// Remembers what an address of a range was found to be of; returns what [`rest`] does from now on.
pub(super) fn remember(mut memo: Memo, address: usize) -> Option<usize> {
    if memo.block != 0 {
        memo.last = memo.allocation(address)?;
    }
    let rest = memo.rest(address);
    _ = RECENT.try_with(|recent| recent.borrow_mut().put(memo));
    Some(rest)
}
