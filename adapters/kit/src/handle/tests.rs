// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

use std::sync::atomic::AtomicUsize;

use oxur_api::EventHandle;

use super::*;

struct Thing {
    handle_cell: HandleCell,
    group: u64,
    drops: Arc<AtomicUsize>,
}

impl Object for Thing {
    type Handle = EventHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }

    fn group(&self) -> u64 {
        self.group
    }
}

impl Drop for Thing {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::Relaxed);
    }
}

/// A handle of a new object.
fn thing(group: u64, drops: &Arc<AtomicUsize>) -> EventHandle {
    let handle_cell = HandleCell::new();
    let drops = drops.clone();
    export_owned(Arc::new(Thing {
        handle_cell,
        group,
        drops,
    }))
}

fn held(group: u64) -> Vec<EventHandle> {
    let mut found = Vec::new();
    for_each_live_handle::<Thing>(group, |thing| found.push(handle_of(thing)));
    found
}

#[test]
fn what_the_client_holds_is_found_by_its_group() {
    let drops = Arc::default();
    let [first, other, second] = [1, 2, 1].map(|group| thing(group, &drops));
    let mut both = held(1);
    both.sort_by_key(|handle| handle.as_ptr());
    let mut wanted = [first, second];
    wanted.sort_by_key(|handle| handle.as_ptr());
    assert_eq!(both, wanted);
    assert_eq!(held(2), [other]);

    // SAFETY: (and below) a live handle.
    let kept = Arc::clone(&unsafe { object::<Thing>(first) }.expect("it is a thing"));
    // SAFETY: as above.
    unsafe { release::<Thing>(first) }.expect("it was held");
    assert_eq!((held(1), drops.load(Ordering::Relaxed)), (vec![second], 0));
    assert_eq!(kept.handle_cell.references(), 0);
    // SAFETY: as above.
    unsafe { retain::<Thing>(first) }.expect("it is there");
    assert_eq!((held(1).len(), kept.handle_cell.references()), (2, 1));
    drop(kept);
    for handle in [first, second, other] {
        // SAFETY: as above.
        unsafe { release::<Thing>(handle) }.expect("it was held");
    }
    assert_eq!((held(1), held(2), drops.load(Ordering::Relaxed)), (vec![], vec![], 3));
}

#[test]
fn what_goes_meanwhile_goes_once() {
    const THREADS: usize = 3;
    let rounds = if cfg!(miri) { 20 } else { 20_000 };
    let (drops, working) = (Arc::default(), AtomicUsize::new(THREADS));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (drops, working) = (&drops, &working);
            scope.spawn(move || {
                for round in 0..rounds {
                    let handle = thing(10 + ((thread + round) % 2) as u64, drops);
                    // SAFETY: a live handle.
                    unsafe { release::<Thing>(handle) }.expect("it was held");
                }
                working.fetch_sub(1, Ordering::Release);
            });
        }
        while working.load(Ordering::Acquire) != 0 {
            for_each_live_handle::<Thing>(10, |thing| assert_eq!(thing.group, 10));
        }
    });
    assert_eq!(drops.load(Ordering::Relaxed), THREADS * rounds);
}
