// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reuses the memory of objects that are created and destroyed with every command.
//!
//! Dropping an `Arc` decrements two counters and frees memory, and creating one allocates. That is most of the cost of
//! an event. If the client had the only reference to an event, its memory is kept in a list of the thread for the next
//! event. The same goes for the kernels of launches in command buffers.

use std::any::Any;
use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use oxur_api::KernelHandle;

use crate::Object;
use crate::handle::HandleKind;

/// How many blocks of memory a thread keeps for kernels. Command buffers have more of them than queues have events.
const MOST_KERNELS: usize = 1024;
/// The same for all else.
const MOST: usize = 256;

type Place = Arc<dyn Any + Send + Sync>;

thread_local! {
    /// Blocks of one type, because an adapter has one type of event. Each has a single reference, this one.
    static PLACES: RefCell<Vec<Place>> = const { RefCell::new(Vec::new()) };
    /// Blocks for kernels, in the same way.
    static KERNELS: RefCell<Vec<Place>> = const { RefCell::new(Vec::new()) };
}

const fn is_kernel<T: Object>() -> bool {
    T::TAG == KernelHandle::TAG
}

/// Calls a function with the thread's list for a type. A thread that is ending has lost it.
#[inline(always)]
fn with_places<T: Object, R>(call: impl FnOnce(&mut Vec<Place>) -> R) -> Option<R> {
    let list = if is_kernel::<T>() { &KERNELS } else { &PLACES };
    list.try_with(|places| call(&mut places.borrow_mut())).ok()
}

/// Like `Arc::new`, in memory that [`recycle`] kept, if there is some. Inlined, so that the object is built in place.
#[inline(always)]
pub fn recycled<T: Object>(object: T) -> Arc<T> {
    let place = place::<T>();
    // SAFETY: this is the only reference to the memory, new or kept, and there are no weak ones.
    unsafe {
        Arc::as_ptr(&place).cast_mut().cast::<T>().write(object);
        place.assume_init()
    }
}

fn place<T: Object>() -> Arc<MaybeUninit<T>> {
    let kept = with_places::<T, _>(Vec::pop).flatten();
    match kept.map(Arc::downcast) {
        Some(Ok(place)) => place,
        // There is none, or it is of another type and is freed.
        _ => Arc::new_uninit(),
    }
}

/// Like `drop`, but keeps the memory of an object if this is the last reference.
#[inline]
pub(crate) fn recycle<T: Object>(object: Arc<T>) {
    if Arc::strong_count(&object) != 1 || Arc::weak_count(&object) != 0 {
        return;
    }
    // Acquire: other threads' accesses happened before they dropped their references.
    fence(Ordering::Acquire);
    let place = Arc::into_raw(object);
    // SAFETY: this is the only reference, so nobody can access the object any more. It is dropped once.
    unsafe { place.cast_mut().drop_in_place() };
    // SAFETY: the reference from above; `MaybeUninit<T>` has the layout of `T`.
    let place = unsafe { Arc::from_raw(place.cast::<MaybeUninit<T>>()) };
    let most = if is_kernel::<T>() { MOST_KERNELS } else { MOST };
    _ = with_places::<T, _>(|places| {
        if places.len() < most {
            places.push(place);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use oxur_api::EventHandle;

    use super::*;
    use crate::HandleCell;

    static DROPS: AtomicUsize = AtomicUsize::new(0);

    struct Event<const ID: usize> {
        handle_cell: HandleCell,
        number: u64,
    }

    impl<const ID: usize> Object for Event<ID> {
        type Handle = EventHandle;

        fn handle_cell(&self) -> &HandleCell {
            &self.handle_cell
        }
    }

    impl<const ID: usize> Drop for Event<ID> {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn event<const ID: usize>(number: u64) -> Arc<Event<ID>> {
        let handle_cell = HandleCell::new();
        recycled(Event { handle_cell, number })
    }

    #[test]
    fn places_are_used_again() {
        let first = event::<0>(1);
        let place = Arc::as_ptr(&first);
        recycle(first);
        assert_eq!(DROPS.load(Ordering::Relaxed), 1);
        let second = event::<0>(2);
        assert_eq!((Arc::as_ptr(&second), second.number), (place, 2));

        // Another reference keeps the object alive.
        let other = second.clone();
        recycle(second);
        assert_eq!((other.number, DROPS.load(Ordering::Relaxed)), (2, 1));
        let weak = Arc::downgrade(&other);
        recycle(other);
        assert!(weak.upgrade().is_none());
        assert_eq!(DROPS.load(Ordering::Relaxed), 2);

        // Memory of another type is not reused.
        recycle(event::<0>(3));
        assert_eq!(event::<1>(4).number, 4);
        assert_eq!(DROPS.load(Ordering::Relaxed), 4);
    }
}
