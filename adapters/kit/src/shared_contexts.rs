// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What all wrappers of a driver's context share: USM of one is USM of the others.

use std::collections::BTreeMap;
use std::sync::Arc;

use oxur_fork::Mutex;

/// By the driver's context: what its wrappers share, and how many there are. A `static` of the adapter's.
pub struct SharedContexts<T>(Mutex<BTreeMap<usize, (Arc<T>, usize)>>);

impl<T> SharedContexts<T> {
    /// None yet.
    #[allow(clippy::new_without_default, reason = "a `static` needs a constant function")]
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// For a new wrapper of a context: what the others have, or `new`.
    pub fn enter(&self, context: usize, new: impl FnOnce() -> T) -> Arc<T> {
        let mut known = self.0.lock();
        let (shared, wrappers) = known.entry(context).or_insert_with(|| (Arc::new(new()), 0));
        *wrappers += 1;
        shared.clone()
    }

    /// Ends a wrapper. Whether it was the last one.
    pub fn leave(&self, context: usize) -> bool {
        let mut known = self.0.lock();
        let Some((_, wrappers)) = known.get_mut(&context) else {
            return false;
        };
        *wrappers -= 1;
        *wrappers == 0 && known.remove(&context).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_wrapper_is_told() {
        static CONTEXTS: SharedContexts<u32> = SharedContexts::new();
        let first = CONTEXTS.enter(1, || 7);
        let second = CONTEXTS.enter(1, || 8);
        let other = CONTEXTS.enter(2, || 9);
        assert!(Arc::ptr_eq(&first, &second) && (*first, *other) == (7, 9));
        assert!(!CONTEXTS.leave(1) && CONTEXTS.leave(1) && !CONTEXTS.leave(1));
        assert_eq!(*CONTEXTS.enter(1, || 10), 10);
    }
}
