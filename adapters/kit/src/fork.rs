// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Processes that fork while other threads are in the adapter.
//!
//! The child has the parent's memory and only the thread that forked: a lock that another thread held stays locked there,
//! and what it guards may be half done. What is registered here is locked over the fork, so that the child finds it
//! whole, and may go on with it: free memory, say, as the interpreter of a forked worker does.
//!
//! Such locks are the standard library's: those of parking_lot keep lists of waiting threads elsewhere, which the child
//! would inherit.

use std::cell::UnsafeCell;
#[cfg(not(oxur_tsan))]
use std::sync::PoisonError;
use std::sync::{Arc, Mutex, MutexGuard, Once, Weak};

/// Something that holds locks until it is dropped.
pub trait Guard {}

impl<T> Guard for T {}

/// What must be whole when a process forks.
pub trait Forkable: Send + Sync + 'static {
    /// Takes all of its locks, and holds them until the answer is dropped.
    fn hold(&self) -> Box<dyn Guard + '_>;

    /// Is called in the child, which has no other threads yet.
    fn in_child(&self) {}
}

/// Locks a mutex. Whether a thread panicked while it held it does not matter.
#[inline]
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // ThreadSanitizer cannot see the order that a wait for the lock makes: that part of the standard library comes
    // compiled, without its instrumentation. A try is compiled here.
    #[cfg(oxur_tsan)]
    loop {
        match mutex.try_lock() {
            Ok(guard) => return guard,
            Err(std::sync::TryLockError::Poisoned(guard)) => return guard.into_inner(),
            Err(std::sync::TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    #[cfg(not(oxur_tsan))]
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The registered objects.
static REGISTERED: Mutex<Vec<Weak<dyn Forkable>>> = Mutex::new(Vec::new());

/// What is held over a fork.
struct Held {
    registered: MutexGuard<'static, Vec<Weak<dyn Forkable>>>,
    /// The guards are of the objects beside them, and go first.
    objects: Vec<(Box<dyn Guard>, Arc<dyn Forkable>)>,
}

struct HeldCell(UnsafeCell<Option<Held>>);

// SAFETY: only the handlers below look into it, in the thread that forks, under the lock of `REGISTERED`.
unsafe impl Sync for HeldCell {}

static HELD: HeldCell = HeldCell(UnsafeCell::new(None));

/// Has an object locked over forks, for as long as it lives.
pub fn register<T: Forkable>(object: &Arc<T>) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // The list of free handles is no object, and there is one.
        let handles: Arc<dyn Forkable> = Arc::new(crate::handle::FreeSlots);
        lock(&REGISTERED).push(Arc::downgrade(&handles));
        std::mem::forget(handles);
        // SAFETY: functions that may be called at any time. An adapter's library is never unloaded.
        let failed = unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
        if failed != 0 {
            log::warn!("a process that is forked from this one may hang in this adapter");
        }
    });
    let object: Arc<dyn Forkable> = object.clone();
    let mut registered = lock(&REGISTERED);
    // Only where the list would grow: there may be many objects, and each would look at all others.
    if registered.len() == registered.capacity() {
        registered.retain(|known| known.strong_count() != 0);
    }
    registered.push(Arc::downgrade(&object));
}

extern "C" fn before() {
    let registered = lock(&REGISTERED);
    let all: Vec<Arc<dyn Forkable>> = registered.iter().filter_map(Weak::upgrade).collect();
    let objects = all.into_iter().map(|object| {
        // SAFETY: the object is kept beside the guard, which is dropped first.
        let held: &'static dyn Forkable = unsafe { &*Arc::as_ptr(&object) };
        (held.hold(), object)
    });
    let objects = objects.collect();
    // SAFETY: under the lock that guards it.
    unsafe { *HELD.0.get() = Some(Held { registered, objects }) };
}

/// Gives the locks back; `each` sees each object before its locks go.
fn release(each: impl Fn(&dyn Forkable)) {
    // SAFETY: `before` took the lock that guards it, in this thread.
    let Some(Held { registered, objects }) = (unsafe { (*HELD.0.get()).take() }) else {
        return;
    };
    let mut free = Vec::with_capacity(objects.len());
    for (guard, object) in objects {
        each(&*object);
        drop(guard);
        free.push(object);
    }
    drop(registered);
    // The last reference of an object may have been ours: without the locks.
    drop(free);
}

extern "C" fn in_parent() {
    release(|_| ());
}

extern "C" fn in_child() {
    release(Forkable::in_child);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Pair {
        /// Two numbers that are the same whenever the lock is free.
        numbers: Mutex<(usize, usize)>,
        children: AtomicUsize,
    }

    impl Forkable for Pair {
        fn hold(&self) -> Box<dyn Guard + '_> {
            Box::new(lock(&self.numbers))
        }

        fn in_child(&self) {
            self.children.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_child_finds_things_whole_and_free() {
        let pair = Arc::new(Pair::default());
        register(&pair);
        let stop = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let (pair, stop) = (pair.clone(), stop.clone());
            move || {
                while !stop.load(Ordering::Relaxed) {
                    let mut numbers = lock(&pair.numbers);
                    numbers.0 += 1;
                    std::thread::yield_now();
                    numbers.1 += 1;
                }
            }
        });
        for _ in 0..100 {
            // SAFETY: the child only looks at what was held over the fork, and leaves by `_exit`.
            let child = unsafe { libc::fork() };
            if child == 0 {
                let whole = pair.numbers.try_lock().is_ok_and(|numbers| numbers.0 == numbers.1);
                let told = pair.children.load(Ordering::Relaxed) == 1;
                // SAFETY: ends the child.
                unsafe { libc::_exit(if whole && told { 0 } else { 1 }) };
            }
            let mut status = 0;
            // SAFETY: a child of ours and a place for its status.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            assert_eq!(status, 0);
        }
        stop.store(true, Ordering::Relaxed);
        thread.join().unwrap();
        assert_eq!(pair.children.load(Ordering::Relaxed), 0, "the parent is no child");
    }
}
