// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Counter-based events that a thread has given up, for its next commands: to take one of them is no atomic operation.
//!
//! The thread does not own them, the pools do. So it may have events of pools that are gone, which nobody asks for any more:
//! numbers of pools are never used again.

use std::cell::RefCell;
use std::sync::Arc;

use kit::{UniqueId, WeakRegistry};
use oxur_adapter_kit as kit;

use super::{EventPools, RawEvent};

/// All pools that are there.
pub(super) static POOLS: WeakRegistry<EventPools> = WeakRegistry::new();

/// How many events a thread keeps.
const MOST: usize = 256;

/// Events with the numbers of their pools.
struct Cache(Vec<(UniqueId, Arc<RawEvent>)>);

thread_local! {
    static CACHE: RefCell<Cache> = const { RefCell::new(Cache(Vec::new())) };
}

impl Cache {
    /// Gives all events back to their pools, as far as these are there.
    fn give_back(&mut self) {
        let mut pools: Option<Arc<EventPools>> = None;
        for (number, event) in self.0.drain(..) {
            if pools.as_ref().is_none_or(|pools| pools.number != number) {
                pools = POOLS.find(number);
            }
            if let Some(pools) = &pools {
                pools.put_shared(event);
            }
        }
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// An event of these pools, of the kind that is `timed` or not.
#[inline]
pub(super) fn take(pools: UniqueId, timed: bool) -> Option<Arc<RawEvent>> {
    let take = |cache: &RefCell<Cache>| {
        let events = &mut cache.try_borrow_mut().ok()?.0;
        let is_same = |(number, event): &(UniqueId, Arc<RawEvent>)| *number == pools && event.kind.timed == timed;
        // Nearly always the last one.
        let at = events.iter().rposition(is_same)?;
        Some(events.swap_remove(at).1)
    };
    CACHE.try_with(take).ok().flatten()
}

/// Keeps an event for the thread. Gives it back if that is not to be.
#[inline]
pub(super) fn put(pools: UniqueId, event: Arc<RawEvent>) -> Result<(), Arc<RawEvent>> {
    let mut event = Some(event);
    _ = CACHE.try_with(|cache| {
        let Ok(mut cache) = cache.try_borrow_mut() else { return };
        if cache.0.len() == MOST {
            make_room(&mut cache, pools);
        }
        if cache.0.len() < MOST {
            cache.0.extend(event.take().map(|event| (pools, event)));
        }
    });
    event.map_or(Ok(()), Err)
}

/// Makes room for events of these pools, if there are such of others.
#[cold]
fn make_room(cache: &mut Cache, pools: UniqueId) {
    if cache.0.iter().any(|(number, _)| *number != pools) {
        cache.give_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventType;

    fn event(timed: bool) -> Arc<RawEvent> {
        RawEvent::for_test(EventType { timed, in_order: true })
    }

    /// What is in the cache is found by its pools and its kind alone, and a full cache makes room for other pools only.
    #[test]
    fn a_thread_keeps_events_of_several_pools() {
        let (one, other) = (UniqueId::new(), UniqueId::new());
        let (plain, timed, strange) = (event(false), event(true), event(false));
        let ptr = Arc::as_ptr;
        let (a, b, c) = (ptr(&plain), ptr(&timed), ptr(&strange));
        assert!(take(one, false).is_none());
        for (pools, event) in [(one, plain), (one, timed), (other, strange)] {
            assert!(put(pools, event).is_ok());
        }
        assert_eq!(take(one, true).as_ref().map(ptr), Some(b));
        assert!(take(one, true).is_none());
        assert_eq!(take(other, false).as_ref().map(ptr), Some(c));
        assert_eq!(take(one, false).as_ref().map(ptr), Some(a));

        for _ in 0..MOST {
            assert!(put(one, event(false)).is_ok());
        }
        assert!(put(one, event(false)).is_err(), "it has a limit");
        assert!(put(other, event(false)).is_ok());
        assert!(take(one, false).is_none(), "they have gone back");
        assert!(take(other, false).is_some());
    }
}
