// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Support for processes that fork.
//!
//! The child has the parent's memory and none of its threads. Commands that were running never end there, and state
//! that the engine's threads shared may be inconsistent. So everything that belongs to threads is created again for
//! each *generation* of processes when it is first needed, and the parent's is leaked.

use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

pub use oxur_fork::generation;

/// A value that each generation of processes has its own instance of, created when it is first needed. It is never
/// dropped.
pub(super) struct PerProcess<T: 'static> {
    current: AtomicPtr<Made<T>>,
}

struct Made<T> {
    generation: u32,
    value: T,
}

impl<T: Send + Sync> PerProcess<T> {
    pub(super) const fn new() -> Self {
        Self {
            current: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// The instance of this process.
    #[inline]
    pub(super) fn get(&self, make: impl FnOnce() -> T) -> &'static T {
        let current = NonNull::new(self.current.load(Ordering::Acquire));
        // SAFETY: an instance is never freed once it is published.
        match current.map(|made| unsafe { made.as_ref() }) {
            Some(made) if made.generation == generation() => &made.value,
            _ => self.renew(make),
        }
    }

    #[cold]
    fn renew(&self, make: impl FnOnce() -> T) -> &'static T {
        oxur_fork::watch();
        let old = self.current.load(Ordering::Acquire);
        let new = Box::into_raw(Box::new(Made {
            generation: generation(),
            value: make(),
        }));
        match self
            .current
            .compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire)
        {
            // SAFETY: published, so never freed.
            Ok(_) => unsafe { &(*new).value },
            Err(theirs) => {
                // SAFETY: no other thread has seen it.
                drop(unsafe { Box::from_raw(new) });
                // SAFETY: another thread of this process published it just now.
                unsafe { &(*theirs).value }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_has_its_own() {
        static OWN: PerProcess<u32> = PerProcess::new();
        let get = || OWN.get(std::process::id);
        assert_eq!(*get(), std::process::id());
        assert!(std::ptr::eq(get(), get()));
        // SAFETY: the child only calls functions that are safe in a process with one thread, and leaves by `_exit`.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                let own = *get() == std::process::id();
                libc::_exit(if own { 0 } else { 1 });
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(child, &mut status, 0), child);
            assert_eq!(status, 0);
        }
        assert_eq!(*get(), std::process::id());
    }
}
