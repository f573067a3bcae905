// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Replaces `parking_lot`'s locks under Miri with locks that yield until they are free. Miri checks the types of the arguments
//! of `syscall`, and `parking_lot` passes a reference where the kernel expects a pointer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::yield_now;

use parking_lot::lock_api::{self, GuardNoSend, RawMutex, RawRwLock};

pub type Mutex<T> = lock_api::Mutex<Yielding, T>;
pub type MutexGuard<'a, T> = lock_api::MutexGuard<'a, Yielding, T>;
pub type MappedMutexGuard<'a, T> = lock_api::MappedMutexGuard<'a, Yielding, T>;
pub type RwLock<T> = lock_api::RwLock<Yielding, T>;
pub type RwLockReadGuard<'a, T> = lock_api::RwLockReadGuard<'a, Yielding, T>;
pub type RwLockWriteGuard<'a, T> = lock_api::RwLockWriteGuard<'a, Yielding, T>;

const EXCLUSIVE: usize = usize::MAX;

/// The number of readers, or [`EXCLUSIVE`].
pub struct Yielding(AtomicUsize);

#[allow(clippy::declare_interior_mutable_const, reason = "lock_api wants it")]
impl Yielding {
    const FREE: Self = Self(AtomicUsize::new(0));

    fn try_take(&self) -> bool {
        let taken = self
            .0
            .compare_exchange(0, EXCLUSIVE, Ordering::Acquire, Ordering::Relaxed);
        taken.is_ok()
    }

    fn try_join(&self) -> bool {
        let readers = self.0.load(Ordering::Relaxed);
        let joined = || {
            self.0
                .compare_exchange(readers, readers + 1, Ordering::Acquire, Ordering::Relaxed)
        };
        readers != EXCLUSIVE && joined().is_ok()
    }
}

// SAFETY: only one thread at a time changes it from 0 to EXCLUSIVE, and the same thread sets it back to 0.
unsafe impl RawMutex for Yielding {
    type GuardMarker = GuardNoSend;

    const INIT: Self = Self::FREE;

    fn lock(&self) {
        while !self.try_take() {
            yield_now();
        }
    }

    fn try_lock(&self) -> bool {
        self.try_take()
    }

    unsafe fn unlock(&self) {
        self.0.store(0, Ordering::Release);
    }
}

// SAFETY: as above. It changes to EXCLUSIVE only from 0, and never from EXCLUSIVE to a number of readers.
unsafe impl RawRwLock for Yielding {
    type GuardMarker = GuardNoSend;

    const INIT: Self = Self::FREE;

    fn lock_shared(&self) {
        while !self.try_join() {
            yield_now();
        }
    }

    fn try_lock_shared(&self) -> bool {
        self.try_join()
    }

    unsafe fn unlock_shared(&self) {
        self.0.fetch_sub(1, Ordering::Release);
    }

    fn lock_exclusive(&self) {
        while !self.try_take() {
            yield_now();
        }
    }

    fn try_lock_exclusive(&self) -> bool {
        self.try_take()
    }

    unsafe fn unlock_exclusive(&self) {
        self.0.store(0, Ordering::Release);
    }
}
