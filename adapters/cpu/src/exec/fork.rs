// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Processes that fork.
//!
//! The child has the parent's memory and none of its threads: commands that were under way will never end there, and
//! what the threads of the engine shared may be in any state. So everything that belongs to threads is made anew for
//! each *generation* of processes, when it is first needed, and what the parent left is let be.

use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

pub(crate) use oxur_fork::generation;

/// Something of which each generation of processes has its own, made when it is first needed. It is never dropped.
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

    /// This process's.
    #[inline]
    pub(super) fn get(&self, make: impl FnOnce() -> T) -> &'static T {
        let current = NonNull::new(self.current.load(Ordering::Acquire));
        // SAFETY: what was published is never freed.
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
                // SAFETY: nobody has seen it.
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
        // SAFETY: the child only calls what is safe in a process with one thread, and leaves by `_exit`.
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
