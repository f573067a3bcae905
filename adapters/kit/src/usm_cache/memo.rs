// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a thread remembers of the addresses that it looked up last: copies ask for the bounds of both sides each time, and most
//! of them are of the same memory as the copy before. To remember takes no lock.
//!
//! A thread remembers the sizes of a region's blocks, which are there as long as somebody has them. When a region goes back to
//! the driver, all of its sizes are zero and stay so: then the address is looked up again. Where there is no region, it is
//! remembered until the cache gets one.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A range of addresses of a cache.
pub(super) struct Memo {
    /// The number of the cache.
    pub(super) cache: u64,
    pub(super) base: usize,
    pub(super) len: usize,
    pub(super) known: Known,
}

/// What is in the range.
pub(super) enum Known {
    /// A region: the distance of its blocks, and what the client asked for, of each.
    Region { block: usize, sizes: Arc<[AtomicUsize]> },
    /// No region, if the cache has had so many.
    Nothing { inserted: usize },
}

/// A copy has two sides.
#[derive(Default)]
struct Recent {
    memos: [Option<Memo>; 2],
    /// The one to replace.
    oldest: usize,
}

thread_local! {
    static RECENT: RefCell<Recent> = const { RefCell::new(Recent { memos: [None, None], oldest: 0 }) };
}

/// For each address, how many bytes of its allocation there are from there on, and [`usize::MAX`] if it is in none. `None` says
/// that they must be looked up.
#[inline(always)]
pub(super) fn find<const N: usize>(cache: u64, inserted: usize, addresses: [usize; N]) -> Option<[usize; N]> {
    let find = |recent: &RefCell<Recent>| {
        let recent = recent.borrow();
        let mut rest = addresses;
        for rest in &mut rest {
            *rest = recent.find(cache, inserted, *rest)?;
        }
        Some(rest)
    };
    // A thread that is ending may already have lost its thread-local storage.
    RECENT.try_with(find).ok().flatten()
}

impl Recent {
    #[inline(always)]
    fn find(&self, cache: u64, inserted: usize, address: usize) -> Option<usize> {
        let mut memos = self.memos.iter().flatten();
        let memo = memos.find(|memo| memo.cache == cache && address.wrapping_sub(memo.base) < memo.len)?;
        match &memo.known {
            Known::Nothing { inserted: then } => (*then == inserted).then_some(usize::MAX),
            Known::Region { block, sizes } => {
                let offset = address - memo.base;
                let index = if offset < *block { 0 } else { offset / block };
                match sizes.get(index)?.load(Ordering::Relaxed) {
                    0 => None,
                    // Behind what the client asked for there is no allocation.
                    size => Some(match size.saturating_sub(offset - index * block) {
                        0 => usize::MAX,
                        rest => rest,
                    }),
                }
            }
        }
    }
}

/// Remembers a range.
pub(super) fn remember(memo: Memo) {
    _ = RECENT.try_with(|recent| {
        let mut recent = recent.borrow_mut();
        let mut known = recent.memos.iter().flatten();
        // In place of what was known of it before.
        let same = known.position(|known| known.cache == memo.cache && known.base == memo.base);
        let place = same.unwrap_or(recent.oldest);
        recent.oldest = 1 - place;
        recent.memos[place] = Some(memo);
    });
}
