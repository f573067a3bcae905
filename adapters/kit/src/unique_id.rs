// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Objects by numbers, for those who must not keep a reference of them.
//!
//! A driver's handles would not do: it may use one again while there are events of what had it before.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use oxur_fork::Mutex;

/// The number of an object, which no other has had or will have: not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UniqueId(u64);

impl UniqueId {
    /// One for a new object.
    #[allow(clippy::new_without_default, reason = "a default is the same each time")]
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// As it is.
    #[inline(always)]
    pub fn get(self) -> u64 {
        self.0
    }
}

/// All objects of one type that are there.
pub struct WeakRegistry<T> {
    known: Mutex<BTreeMap<UniqueId, Weak<T>>>,
}

impl<T> Default for WeakRegistry<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> WeakRegistry<T> {
    /// None.
    pub const fn new() -> Self {
        Self {
            known: Mutex::new(BTreeMap::new()),
        }
    }

    /// A new one.
    pub fn add(&self, number: UniqueId, object: &Arc<T>) {
        self.known.lock().insert(number, Arc::downgrade(object));
    }

    /// One that goes.
    pub fn remove(&self, number: UniqueId) {
        self.known.lock().remove(&number);
    }

    /// One that is like this, if there is one.
    pub fn any(&self, is: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        // Those that are let go may be the last references, whose ends come back here: not under the lock.
        let all: Vec<_> = self.known.lock().values().filter_map(Weak::upgrade).collect();
        all.into_iter().find(|object| is(object))
    }

    /// The one with this number, if it is there.
    pub fn find(&self, number: UniqueId) -> Option<Arc<T>> {
        self.known.lock().get(&number)?.upgrade()
    }
}
