// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Objects that a thread has given up, for its next commands: to take one of them is no atomic operation.
//!
//! Each has an owner, such as the pools of a context, with a number that no other has or had. So a thread may have objects of
//! owners that are gone, which nobody asks for any more.

use std::cell::RefCell;
use std::sync::Arc;

use crate::{UniqueId, WeakRegistry};

/// What has objects that threads keep.
pub trait CachedOwner: Sized + 'static {
    /// The objects.
    type Item: Send + Sync;

    /// All owners that are there.
    fn all() -> &'static WeakRegistry<Self>;

    /// Takes objects back that a thread keeps no more.
    fn take_back(&self, items: &mut dyn Iterator<Item = Arc<Self::Item>>);
}

/// How many objects a thread keeps.
const MOST: usize = 256;

/// Objects that a thread keeps, with the numbers of their owners. For a `thread_local`.
pub struct ThreadCache<O: CachedOwner>(RefCell<Vec<(UniqueId, Arc<O::Item>)>>);

impl<O: CachedOwner> ThreadCache<O> {
    /// An empty one.
    #[allow(clippy::new_without_default, reason = "a `thread_local` wants a constant")]
    pub const fn new() -> Self {
        Self(RefCell::new(Vec::new()))
    }

    /// An object of this owner that is like this, if there is one.
    #[inline]
    pub fn take(&self, owner: UniqueId, is: impl Fn(&O::Item) -> bool) -> Option<Arc<O::Item>> {
        let items = &mut *self.0.try_borrow_mut().ok()?;
        // Nearly always the last one.
        let at = items.iter().rposition(|(number, item)| *number == owner && is(item))?;
        Some(items.swap_remove(at).1)
    }

    /// Takes an object of this owner, unless the thread is at it already. Where there is no room, the older half goes back.
    #[inline]
    pub fn put(&self, owner: UniqueId, item: &mut Option<Arc<O::Item>>) {
        let Ok(mut items) = self.0.try_borrow_mut() else { return };
        if items.len() == MOST {
            give_back::<O>(&mut items, MOST / 2);
        }
        if let Some(item) = item.take() {
            items.push((owner, item));
        }
    }
}

impl<O: CachedOwner> Drop for ThreadCache<O> {
    fn drop(&mut self) {
        let items = self.0.get_mut();
        let count = items.len();
        give_back::<O>(items, count);
    }
}

/// Gives the first objects back to their owners, as far as these are there: all in a row at once.
#[cold]
fn give_back<O: CachedOwner>(items: &mut Vec<(UniqueId, Arc<O::Item>)>, count: usize) {
    let mut items = items.drain(..count).peekable();
    while let Some((number, first)) = items.next() {
        let Some(owner) = O::all().find(number) else { continue };
        let others = std::iter::from_fn(|| items.next_if(|(of, _)| *of == number).map(|(_, item)| item));
        owner.take_back(&mut std::iter::once(first).chain(others));
    }
}

#[cfg(test)]
mod tests {
    use oxur_fork::Mutex;

    use super::*;

    #[derive(Default)]
    struct Owner(Mutex<Vec<Arc<u32>>>);

    static OWNERS: WeakRegistry<Owner> = WeakRegistry::new();

    impl CachedOwner for Owner {
        type Item = u32;

        fn all() -> &'static WeakRegistry<Self> {
            &OWNERS
        }

        fn take_back(&self, items: &mut dyn Iterator<Item = Arc<u32>>) {
            self.0.lock().extend(items);
        }
    }

    /// Objects are found by their owner and by what they are, and a full cache gives half of them back.
    #[test]
    fn a_thread_keeps_objects_of_several_owners() {
        let (cache, owner) = (ThreadCache::<Owner>::new(), Arc::<Owner>::default());
        let [one, other] = [UniqueId::new(), UniqueId::new()];
        OWNERS.add(one, &owner);
        let put = |owner, number| {
            let mut item = Some(Arc::new(number));
            cache.put(owner, &mut item);
            item.is_none()
        };
        let take = |owner, number| cache.take(owner, |item| *item == number).is_some();
        assert!(!take(one, 1));
        assert!(put(one, 1) && put(one, 2) && put(other, 3));
        assert!(take(one, 2) && !take(one, 2) && !take(one, 3) && take(other, 3) && take(one, 1));

        assert!((0..MOST).all(|_| put(one, 4)) && owner.0.lock().is_empty());
        assert!(put(one, 5));
        assert_eq!(owner.0.lock().len(), MOST / 2, "it has a limit");
        assert!(
            owner.0.lock().iter().all(|item| **item == 4),
            "those that it has for longest"
        );
        // One of them is of an owner that is not there.
        assert!(put(other, 6) && put(one, 7));
        drop(cache);
        let back = std::mem::take(&mut *owner.0.lock());
        assert_eq!(back.len(), MOST + 2);
        assert!(back.iter().all(|item| **item != 6) && back.last().is_some_and(|item| **item == 7));
    }
}
