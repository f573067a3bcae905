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

fn held(group: &HandleGroup) -> Vec<EventHandle> {
    let mut found = Vec::new();
    group.for_each::<Thing>(|thing| found.push(handle_of(thing)));
    found.sort_by_key(|handle| handle.as_ptr());
    found
}

fn let_go(handle: EventHandle) {
    // SAFETY: a live handle.
    unsafe { release::<Thing>(handle) }.expect("it was held");
}

#[test]
fn what_the_client_holds_is_found_by_its_group() {
    let drops = Arc::default();
    let [one, two] = [1, 2].map(HandleGroup::new);
    let [first, other, second] = [1, 2, 1].map(|group| thing(group, &drops));
    let mut wanted = [first, second];
    wanted.sort_by_key(|handle| handle.as_ptr());
    assert_eq!(held(&one), wanted);
    assert_eq!(held(&two), [other]);

    // SAFETY: (and below) a live handle.
    let kept = Arc::clone(&unsafe { object::<Thing>(first) }.expect("it is a thing"));
    let_go(first);
    assert_eq!((held(&one), drops.load(Ordering::Relaxed)), (vec![second], 0));
    assert_eq!(kept.handle_cell.references(), 0);
    // SAFETY: as above.
    unsafe { retain::<Thing>(first) }.expect("it is there");
    assert_eq!((held(&one).len(), kept.handle_cell.references()), (2, 1));
    drop(kept);
    for handle in [first, second, other] {
        let_go(handle);
    }
    assert_eq!(
        (held(&one), held(&two), drops.load(Ordering::Relaxed)),
        (vec![], vec![], 3)
    );
}

#[test]
fn many_of_several_threads_are_found() {
    const EACH: usize = 5 * RECENT;
    let (group, drops) = (HandleGroup::new(20), Arc::default());
    let make = || (0..EACH).map(|_| thing(20, &drops)).collect::<Vec<_>>();
    let mut all = std::thread::scope(|scope| {
        let others = [scope.spawn(make), scope.spawn(make)];
        let mut all = make();
        all.extend(others.into_iter().flat_map(|other| other.join().expect("it ends")));
        all
    });
    // Every third one goes, and others of the group come in its place.
    for handle in all.iter_mut().step_by(3) {
        let_go(*handle);
        *handle = thing(20, &drops);
    }
    all.sort_by_key(|handle| handle.as_ptr());
    assert_eq!(held(&group), all);
    all.into_iter().for_each(let_go);
    assert_eq!(held(&group), []);
}

/// A search costs what the group has, or had at a time: neither what others have nor what it had one after the other.
#[test]
fn a_search_looks_at_the_handles_of_its_group() {
    let drops = Arc::default();
    let [small, large] = [30, 31].map(HandleGroup::new);
    let (others, rounds) = if cfg!(miri) { (5, 5) } else { (20, 100) };
    let others: Vec<_> = (0..others * RECENT).map(|_| thing(31, &drops)).collect();
    let few: Vec<_> = (0..3).map(|_| thing(30, &drops)).collect();
    for round in 0..rounds * RECENT {
        let passing: Vec<_> = (0..round % 7).map(|_| thing(30, &drops)).collect();
        passing.into_iter().for_each(let_go);
    }
    assert_eq!(held(&small).len(), few.len());
    assert!(small.searched() <= 3 * RECENT, "{}", small.searched());
    assert_eq!(held(&large).len(), others.len());
    few.into_iter().chain(others).for_each(let_go);
}

#[test]
fn lists_of_groups_that_have_gone_are_dropped() {
    let drops = Arc::default();
    for number in 100..200 {
        let group = HandleGroup::new(number);
        let only = thing(number, &drops);
        assert_eq!(held(&group), [only]);
        let_go(only);
    }
    assert!(OWN.with_borrow(|own| own.lists.len()) < 20);
    // Whom nobody looks for is on no list.
    let_go(thing(100, &drops));
    assert!(LISTS.lock().get(&100).is_none());
}

#[test]
fn what_goes_meanwhile_goes_once() {
    const THREADS: usize = 3;
    let rounds = if cfg!(miri) { 20 } else { 20_000 };
    let groups = [10, 11].map(HandleGroup::new);
    let (drops, working) = (Arc::default(), AtomicUsize::new(THREADS));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (drops, working) = (&drops, &working);
            scope.spawn(move || {
                for round in 0..rounds {
                    let_go(self::thing(10 + ((thread + round) % 2) as u64, drops));
                }
                working.fetch_sub(1, Ordering::Release);
            });
        }
        while working.load(Ordering::Acquire) != 0 {
            groups[0].for_each::<Thing>(|thing| assert_eq!(thing.group, 10));
        }
    });
    assert_eq!(drops.load(Ordering::Relaxed), THREADS * rounds);
}
