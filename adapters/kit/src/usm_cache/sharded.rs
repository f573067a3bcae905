// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A lock whose readers do not meet: each locks one shard of many, and who writes locks them all.
//!
//! A reader needs a lock for its shard's own data anyway. That it also keeps writers away from the data that all share
//! makes that data free to read: no second lock, no reference counts, no deferred reclamation.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxur_fork::{InTurn, InTurnAll};

/// Enough that the threads of a large machine seldom meet, few enough that locking all takes no longer than what it is for: calls of
/// a driver.
pub(super) const SHARDS: usize = 32;

/// Keeps a shard off the cache lines of its neighbours.
#[repr(align(128))]
struct Padded<T>(T);

/// `L` once a shard, `S` once for all.
pub(super) struct Sharded<L, S> {
    shards: [Padded<InTurn<L>>; SHARDS],
    shared: UnsafeCell<S>,
}

// SAFETY: `local` hands out `&S` under the lock of one shard, from many threads at once (`S: Sync`); `exclusive` hands
// out `&mut S` under the locks of all (`S: Send`), so never beside a `&S`. Each `L` is behind its own lock (`L: Send`).
unsafe impl<L: Send, S: Send + Sync> Sync for Sharded<L, S> {}

impl<L: Default, S> Sharded<L, S> {
    pub(super) fn new(shared: S) -> Self {
        Self {
            shards: std::array::from_fn(|_| Padded(InTurn::new(L::default()))),
            shared: UnsafeCell::new(shared),
        }
    }
}

impl<L, S> Sharded<L, S> {
    /// Runs `f` with the data of this thread's shard, and with that of all to read. Must not be nested.
    #[inline]
    pub(super) fn local<R>(&self, f: impl FnOnce(&mut L, &S) -> R) -> R {
        let mut shard = self.shards[shard_of_thread()].0.lock();
        // SAFETY: the lock of one shard is held for as long as the reference lives, which keeps `exclusive` out.
        f(&mut shard, unsafe { &*self.shared.get() })
    }

    /// Runs `f` with the data of all shards and with that of all to write. Must not be nested.
    pub(super) fn exclusive<R>(&self, f: impl FnOnce(&mut InTurnAll<'_, L, SHARDS>, &mut S) -> R) -> R {
        // Always in the same order, and `local` takes only one: no deadlock.
        let mut shards = InTurn::lock_all(self.shards.each_ref().map(|shard| &shard.0));
        // SAFETY: the locks of all shards are held for as long as the reference lives: nobody else has one.
        f(&mut shards, unsafe { &mut *self.shared.get() })
    }
}

/// The shard of the calling thread: the first threads of a process have one each.
#[inline]
fn shard_of_thread() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SHARD: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
    }
    // A thread that is ending may already have lost its thread-local storage.
    SHARD.try_with(|shard| *shard).unwrap_or(0)
}
