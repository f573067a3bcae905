// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A lock whose readers do not meet: each locks one shard of many, and who writes locks all that were ever used.
//!
//! A reader needs a lock for its shard's own data anyway. That it also keeps writers away from the data that all share
//! makes that data free to read: no second lock, no reference counts, no deferred reclamation.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use oxur_fork::{InTurn, InTurnAll, InTurnGuard};

/// Enough that the threads of a large machine seldom meet, few enough that locking all takes no longer than what it is for: calls of
/// a driver.
pub(super) const SHARDS: usize = 32;

/// Keeps a shard off the cache lines of its neighbours.
#[repr(align(128))]
struct Padded<T>(T);

/// `L` once a shard, `S` once for all.
pub(super) struct Sharded<L, S> {
    shards: [Padded<InTurn<L>>; SHARDS],
    /// A bit for each shard that a thread has used. Changed by who has `exclusive`.
    used: AtomicU32,
    /// Taken before all shards, by who wants them.
    exclusive: InTurn<()>,
    shared: UnsafeCell<S>,
}

const _: () = assert!(SHARDS as u32 <= u32::BITS, "each shard has a bit");

// SAFETY: `local` hands out `&S` under the lock of one used shard, from many threads at once (`S: Sync`); `exclusive` hands
// out `&mut S` under the locks of all used shards (`S: Send`), and no shard becomes one meanwhile, so never beside a `&S`. Each
// `L` is behind its own lock (`L: Send`).
unsafe impl<L: Send, S: Send + Sync> Sync for Sharded<L, S> {}

impl<L: Default, S> Sharded<L, S> {
    pub(super) fn new(shared: S) -> Self {
        Self {
            shards: std::array::from_fn(|_| Padded(InTurn::new(L::default()))),
            used: AtomicU32::new(0),
            exclusive: InTurn::new(()),
            shared: UnsafeCell::new(shared),
        }
    }
}

impl<L, S> Sharded<L, S> {
    /// Runs `f` with the data of this thread's shard, and with that of all to read. Must not be nested.
    #[inline]
    pub(super) fn local<R>(&self, f: impl FnOnce(&mut L, &S) -> R) -> R {
        let number = shard_of_thread();
        // Acquire: another thread may have used the shard first, behind whoever had `exclusive` until then.
        if self.used.load(Ordering::Acquire) & 1 << number == 0 {
            self.begin_to_use(number);
        }
        let mut shard = self.shards[number].0.lock();
        // SAFETY: the lock of one used shard is held for as long as the reference lives, which keeps `exclusive` out.
        f(&mut shard, unsafe { &*self.shared.get() })
    }

    #[cold]
    fn begin_to_use(&self, number: usize) {
        let _nobody_else = self.exclusive.lock();
        self.used.fetch_or(1 << number, Ordering::Release);
    }

    /// Runs `f` with the data of all shards that were used and with that of all to write. Must not be nested.
    #[inline]
    pub(super) fn exclusive<R>(&self, f: impl FnOnce(&mut Shards<'_, L>, &mut S) -> R) -> R {
        let _nobody_else = self.exclusive.lock();
        let used = self.used.load(Ordering::Relaxed);
        let mut shards = Shards { one: None, all: None };
        match used.is_power_of_two() && self.shard(used).claim() {
            // Of the calling thread: no others have it, so that its own way does.
            true => shards.one = Some(self.shard(used).lock()),
            // Who has one shard wants no other: no deadlock.
            false => shards.all = Some(InTurn::lock_all(bits(used).map(|bit| self.shard(bit)))),
        }
        // SAFETY: the locks of all used shards are held for as long as the reference lives, and of those only `local` hands out
        // references.
        f(&mut shards, unsafe { &mut *self.shared.get() })
    }

    /// That of a bit of `used`.
    #[inline]
    fn shard(&self, bit: u32) -> &InTurn<L> {
        &self.shards[bit.trailing_zeros() as usize].0
    }
}

/// The shards that were used: one of them, or several. The first takes fewer moves of memory.
pub(super) struct Shards<'a, L> {
    one: Option<InTurnGuard<'a, L>>,
    all: Option<InTurnAll<'a, L>>,
}

impl<L> Shards<'_, L> {
    /// Each of them.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut L> {
        let one = self.one.as_deref_mut().into_iter();
        one.chain(self.all.iter_mut().flat_map(InTurnAll::iter_mut))
    }
}

/// The bits that are set, one by one.
#[inline]
fn bits(bits: u32) -> impl Iterator<Item = u32> {
    let after = |rest: &u32| Some(rest & rest.wrapping_sub(1)).filter(|rest| *rest != 0);
    std::iter::successors(Some(bits).filter(|bits| *bits != 0), after)
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
