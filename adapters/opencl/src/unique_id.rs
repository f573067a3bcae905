// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Objects by numbers, for those who must not keep a reference of them.
//!
//! OpenCL's handles would not do: a driver may use one again while there are events of what had it before.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use oxur_fork::Mutex;

/// The number of an object, which no other has had or will have: not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UniqueId(u64);

impl UniqueId {
    /// One for a new object.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// As it is.
    #[inline(always)]
    pub(crate) fn get(self) -> u64 {
        self.0
    }
}

/// All objects of one type that are there.
pub(crate) struct WeakRegistry<T> {
    known: Mutex<BTreeMap<UniqueId, Weak<T>>>,
}

impl<T> WeakRegistry<T> {
    /// None.
    pub(crate) const fn new() -> Self {
        Self {
            known: Mutex::new(BTreeMap::new()),
        }
    }

    /// A new one.
    pub(crate) fn add(&self, number: UniqueId, object: &Arc<T>) {
        self.known.lock().insert(number, Arc::downgrade(object));
    }

    /// One that goes.
    pub(crate) fn remove(&self, number: UniqueId) {
        self.known.lock().remove(&number);
    }

    /// One that is like this, if there is one.
    pub(crate) fn any(&self, is: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        // Those that are let go may be the last references, whose ends come back here: not under the lock.
        let all: Vec<_> = self.known.lock().values().filter_map(Weak::upgrade).collect();
        all.into_iter().find(|object| is(object))
    }

    /// The one with this number, if it is there.
    pub(crate) fn find(&self, number: UniqueId) -> Option<Arc<T>> {
        self.known.lock().get(&number)?.upgrade()
    }
}
