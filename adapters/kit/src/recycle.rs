// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reuses the memory of objects that are created and destroyed with every command.
//!
//! Dropping an `Arc` decrements two counters and frees memory, and creating one allocates. That is most of the cost of
//! an event. If the client had the only reference to an event, its memory is kept in a list of the thread for the next
//! event, and so is the entry behind its handle. The same goes for command buffers and the kernels of launches in them.

use std::alloc::Layout;
use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use oxur_api::{ExpCommandBufferHandle, KernelHandle};

use crate::Object;
use crate::handle::{FreeEntry, HandleKind};

/// How many blocks of memory a thread keeps for kernels. Command buffers have more of them than queues have events.
const MOST_KERNELS: usize = 1024;
/// The same for command buffers, which are large.
const MOST_COMMAND_BUFFERS: usize = 16;
/// The same for all else. Clients release the events of many commands at once.
const MOST: usize = 1024;

/// Blocks of one size, because an adapter has one type of event. Each is an `Arc` without a value, of which there is one reference,
/// and may have the entry of a handle.
struct Blocks {
    /// That of the values: an `Arc` may become one of another type with the same.
    layout: Layout,
    free: unsafe fn(*const ()),
    blocks: Vec<(*const (), Option<FreeEntry>)>,
}

/// Frees a block.
///
/// # Safety
/// It is an `Arc` of a `MaybeUninit` with the layout of `T` that the caller gives up.
unsafe fn free<T>(block: *const ()) {
    // SAFETY: passed on to the caller.
    drop(unsafe { Arc::from_raw(block.cast::<MaybeUninit<T>>()) });
}

impl Blocks {
    const fn new() -> Self {
        Self {
            layout: Layout::new::<()>(),
            free: free::<()>,
            blocks: Vec::new(),
        }
    }

    #[inline(always)]
    fn take<T: 'static>(&mut self) -> Option<(Arc<MaybeUninit<T>>, Option<FreeEntry>)> {
        if self.layout != Layout::new::<T>() {
            return None;
        }
        let (block, entry) = self.blocks.pop()?;
        // SAFETY: `put` gave up a reference of a block of this layout.
        Some((unsafe { Arc::from_raw(block.cast::<MaybeUninit<T>>()) }, entry))
    }

    #[inline(always)]
    fn put<T: 'static>(&mut self, block: Arc<MaybeUninit<T>>, entry: Option<FreeEntry>, most: usize) {
        if self.layout != Layout::new::<T>() {
            self.become_those_of::<T>();
        }
        if self.blocks.len() < most {
            self.blocks.push((Arc::into_raw(block).cast(), entry));
        }
    }

    #[cold]
    fn become_those_of<T: 'static>(&mut self) {
        self.clear();
        (self.layout, self.free) = (Layout::new::<T>(), free::<T>);
    }

    fn clear(&mut self) {
        // SAFETY: `put` gave up a reference of each, which have the layout that this function is for.
        self.blocks
            .drain(..)
            .for_each(|(block, _)| unsafe { (self.free)(block) });
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        self.clear();
    }
}

thread_local! {
    static BLOCKS: RefCell<Blocks> = const { RefCell::new(Blocks::new()) };
    static KERNELS: RefCell<Blocks> = const { RefCell::new(Blocks::new()) };
    static COMMAND_BUFFERS: RefCell<Blocks> = const { RefCell::new(Blocks::new()) };
}

const fn is_kernel<T: Object>() -> bool {
    T::TAG == KernelHandle::TAG
}

const fn is_command_buffer<T: Object>() -> bool {
    T::TAG == ExpCommandBufferHandle::TAG
}

/// Calls a function with the thread's list for a type, and how many blocks that has at most. A thread that is ending has lost it.
#[inline(always)]
fn with_blocks<T: Object, R>(call: impl FnOnce(&mut Blocks, usize) -> R) -> Option<R> {
    let (list, most) = match () {
        () if is_kernel::<T>() => (&KERNELS, MOST_KERNELS),
        () if is_command_buffer::<T>() => (&COMMAND_BUFFERS, MOST_COMMAND_BUFFERS),
        () => (&BLOCKS, MOST),
    };
    list.try_with(|blocks| call(&mut blocks.borrow_mut(), most)).ok()
}

/// Like `Arc::new`, in memory that [`recycle`] kept, if there is some.
#[inline(always)]
pub fn recycled<T: Object>(object: T) -> Arc<T> {
    recycled_with(|| object)
}

/// The same for an object that is built in place: one that is there before the memory is built elsewhere and moved, and what
/// was just written in parts is slow to read as a whole.
#[inline(always)]
pub(crate) fn recycled_with<T: Object>(object: impl FnOnce() -> T) -> Arc<T> {
    let (place, entry) = place::<T>();
    // SAFETY: this is the only reference to the memory, new or kept, and there are no weak ones.
    let object = unsafe {
        Arc::as_ptr(&place).cast_mut().cast::<T>().write(object());
        place.assume_init()
    };
    if let Some(entry) = entry {
        entry.become_that_of(&object);
    }
    object
}

#[inline(always)]
fn place<T: Object>() -> (Arc<MaybeUninit<T>>, Option<FreeEntry>) {
    let kept = with_blocks::<T, _>(|blocks, _| blocks.take());
    kept.flatten().unwrap_or_else(|| (Arc::new_uninit(), None))
}

/// Whether nobody else can access an object any more.
#[inline(always)]
pub(crate) fn is_only_reference<T>(object: &Arc<T>) -> bool {
    // First the weak ones: who makes a strong one of a weak one may drop that afterwards.
    let weak = Arc::weak_count(object);
    fence(Ordering::Acquire);
    let is = weak == 0 && Arc::strong_count(object) == 1;
    // Acquire: other threads' accesses happened before they dropped their references.
    fence(Ordering::Acquire);
    is
}

/// What is behind the only reference.
///
/// # Safety
/// Nobody else can access it, as [`is_only_reference`] says.
#[inline(always)]
pub(crate) unsafe fn only_mut<T>(object: &mut Arc<T>) -> &mut T {
    // SAFETY: passed on to the caller.
    unsafe { &mut *Arc::as_ptr(object).cast_mut() }
}

/// Like `drop`, but keeps the memory of an object if this is the last reference.
#[inline]
pub(crate) fn recycle<T: Object>(object: Arc<T>) {
    if !is_only_reference(&object) {
        return;
    }
    let entry = object.handle_cell().take_entry();
    let place = Arc::into_raw(object);
    // SAFETY: this is the only reference, so nobody can access the object any more. It is dropped once.
    unsafe { place.cast_mut().drop_in_place() };
    // SAFETY: the reference from above; `MaybeUninit<T>` has the layout of `T`.
    let place = unsafe { Arc::from_raw(place.cast::<MaybeUninit<T>>()) };
    _ = with_blocks::<T, _>(|blocks, most| blocks.put(place, entry, most));
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

        // So is the entry behind the handle, which is stale in between.
        let handle = crate::handle::export_owned(event::<0>(3));
        // SAFETY: handles of this test, whose entries stay.
        unsafe {
            assert!(crate::handle::is::<Event<0>>(handle));
            crate::handle::release_to::<Event<0>>(handle, recycle).unwrap();
            assert!(!crate::handle::is::<Event<0>>(handle));
        }
        assert_eq!(DROPS.load(Ordering::Relaxed), 3);
        let again = event::<0>(4);
        assert_eq!(again.handle_cell.references(), 0);
        let known = crate::handle::export_owned(again);
        assert_eq!(known, handle);
        // SAFETY: as above.
        unsafe {
            assert_eq!(crate::handle::object::<Event<0>>(known).unwrap().number, 4);
            crate::handle::release_to::<Event<0>>(known, recycle).unwrap();
            assert!(crate::handle::release_to::<Event<0>>(known, recycle).is_err());
        }
        DROPS.store(2, Ordering::Relaxed);

        // Objects of another type do not disturb it.
        recycle(event::<0>(3));
        assert_eq!(event::<1>(4).number, 4);
        assert_eq!(DROPS.load(Ordering::Relaxed), 4);
    }
}
