// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Lists that have nothing in nearly all programs, which is seen without a lock.

use std::sync::atomic::{AtomicBool, Ordering};

use oxur_fork::Mutex;

/// A list that seldom has anything.
#[derive(Default)]
pub(crate) struct Seldom<T> {
    has_any: AtomicBool,
    list: Mutex<T>,
}

impl<T> Seldom<T> {
    /// Whether there is nothing, but for what other threads add meanwhile.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_any.load(Ordering::Relaxed)
    }
}

impl<T> Seldom<T>
where
    for<'a> &'a T: IntoIterator,
{
    /// Changes the list.
    #[cold]
    pub(crate) fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let mut list = self.list.lock();
        let changed = change(&mut list);
        self.has_any
            .store((&*list).into_iter().next().is_some(), Ordering::Relaxed);
        changed
    }
}
