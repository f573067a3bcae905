// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The tests need a kernel that has `membarrier`, as every Linux of the last years.

use std::cell::UnsafeCell;
use std::sync::atomic::AtomicBool;
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};

use super::*;
use crate::InTurn;

/// Has locks have owners from the first turn on. One test at a time, as they reset how many have lost theirs.
fn begin() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    if FENCES.load(Ordering::Relaxed) == UNKNOWN {
        assert!(register(), "the kernel has no membarrier");
        FENCES.store(PRESENT, Ordering::Relaxed);
    }
    ENDED.store(0, Ordering::Relaxed);
    one
}

fn owner(turns: &BiasedTurns) -> usize {
    turns.owner.load(Ordering::Relaxed)
}

#[test]
#[cfg_attr(miri, ignore = "Miri has no membarrier")]
fn the_first_thread_is_the_owner_until_another_comes() {
    let _one = begin();
    let turns = BiasedTurns::new();
    for _ in 0..3 {
        let turn = turns.take();
        assert!(!turn.is_inherited());
        assert_ne!(turn.owner, 0);
        assert_ne!(turns.held.load(Ordering::Relaxed), 0);
        assert!(
            turns.turns.try_take().is_some(),
            "others are not stopped by it but by the owner"
        );
        drop(turn);
        assert_eq!((owner(&turns), turns.held.load(Ordering::Relaxed)), (this_thread(), 0));
    }
    let ended = ENDED.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let turn = turns.take();
            assert_eq!((turn.owner, owner(&turns)), (0, NOBODY));
            assert!(turns.turns.try_take().is_none());
        });
    });
    assert!(ENDED.load(Ordering::Relaxed) > ended);
    assert_eq!((turns.take().owner, owner(&turns)), (0, NOBODY), "it stays so");
}

#[test]
#[cfg_attr(miri, ignore = "Miri has no membarrier")]
fn who_finds_it_taken_may_go_another_way() {
    let _one = begin();
    let data = InTurn::new(0);
    // The owner, which has it already or not.
    let taken = data.take();
    assert!(data.try_take().is_none());
    drop(taken);
    *data.try_take().expect("nobody has it") += 1;
    let (have, go_on) = (Barrier::new(2), Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The owner does not have it, and is none from now on.
            let mut taken = data.try_take().expect("the owner does not have it");
            *taken += 1;
            have.wait();
            go_on.wait();
        });
        have.wait();
        assert!(data.try_take().is_none(), "another thread has it");
        go_on.wait();
    });
    assert_eq!(data.try_take().as_deref(), Some(&2));
}

#[test]
#[cfg_attr(miri, ignore = "Miri has no membarrier")]
fn nobody_waits_where_there_are_no_owners() {
    let _one = begin();
    ENDED.store(MOST_ENDED, Ordering::Relaxed);
    let data = InTurn::new(0);
    let taken = data.try_take().expect("nobody has it");
    assert!(data.try_take().is_none(), "this thread has it");
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(data.try_take().is_none(), "another thread has it"));
    });
    drop(taken);
    assert!(data.try_take().is_some());
}

#[test]
#[cfg_attr(miri, ignore = "Miri has no membarrier")]
fn another_thread_waits_for_the_owner() {
    let _one = begin();
    for _ in 0..200 {
        let (turns, have, inside) = (BiasedTurns::new(), Barrier::new(2), AtomicBool::new(false));
        drop(turns.take());
        std::thread::scope(|scope| {
            let turn = turns.take();
            assert_ne!(turn.owner, 0);
            inside.store(true, Ordering::Relaxed);
            scope.spawn(|| {
                have.wait();
                let _turn = turns.take();
                assert!(!inside.load(Ordering::Relaxed));
            });
            have.wait();
            // Until the other thread has made it nobody's, and most often sleeps.
            while owner(&turns) != NOBODY {
                std::thread::yield_now();
            }
            std::thread::yield_now();
            inside.store(false, Ordering::Relaxed);
            drop(turn);
        });
    }
}

struct Counter(UnsafeCell<u64>);

// SAFETY: the test counts in turn.
unsafe impl Sync for Counter {}

/// An owner that is quick, and a thread that comes at any time: without the fence of all threads, both have the turn.
#[test]
#[cfg_attr(miri, ignore = "Miri has no membarrier")]
fn one_thread_has_the_turn() {
    let _one = begin();
    const ROUNDS: usize = 2000;
    let locks: Vec<_> = (0..ROUNDS)
        .map(|_| (BiasedTurns::new(), Counter(UnsafeCell::new(0))))
        .collect();
    let (at, last) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let count = |place: usize| {
        let (turns, counter) = &locks[place];
        let _turn = turns.take();
        // SAFETY: the turn.
        unsafe { counter.0.get().write_volatile(counter.0.get().read_volatile() + 1) };
    };
    // On a busy machine the other thread may not run.
    let spin = |tries: u32| match tries % 1000 {
        999 => std::thread::yield_now(),
        _ => std::hint::spin_loop(),
    };
    let mut counted = vec![0; ROUNDS];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for place in 0..ROUNDS {
                (0..).take_while(|_| at.load(Ordering::Acquire) <= place).for_each(spin);
                ENDED.store(0, Ordering::Relaxed);
                (0..place % 61).for_each(|_| std::hint::spin_loop());
                count(place);
                last.store(place + 1, Ordering::Release);
            }
        });
        for (place, counted) in counted.iter_mut().enumerate() {
            count(place);
            *counted += 1;
            at.store(place + 1, Ordering::Release);
            for tries in (0..).take_while(|_| last.load(Ordering::Acquire) <= place) {
                count(place);
                *counted += 1;
                spin(tries);
            }
        }
    });
    for ((turns, counter), counted) in locks.into_iter().zip(counted) {
        assert_eq!(counter.0.into_inner(), counted + 1);
        assert_eq!(owner(&turns), NOBODY);
    }
}

/// Each thread has a lock, and counts; another counts in all of them. All stay the owners of theirs.
#[test]
#[cfg_attr(miri, ignore = "Miri has no membarrier")]
fn all_may_be_taken_and_keep_their_owners() {
    const THREADS: usize = 3;
    const ROUNDS: u64 = if cfg!(debug_assertions) { 20_000 } else { 200_000 };
    let _one = begin();
    // The last two are the calling thread's, and nobody's.
    let all = [(); THREADS + 2].map(|()| InTurn::new((0, 0)));
    drop(all[THREADS].lock());
    let owner_of = |data: &InTurn<_>| owner(data.turns_of_tests());
    assert_eq!(owner_of(&all[THREADS]), this_thread());
    let (begun, owners) = (Barrier::new(THREADS + 1), [(); THREADS].map(|()| AtomicUsize::new(0)));
    let mut times = 0;
    std::thread::scope(|scope| {
        let threads = [0, 1, 2].map(|thread| {
            let (own, begun, owner) = (&all[thread], &begun, &owners[thread]);
            scope.spawn(move || {
                drop(own.lock());
                owner.store(this_thread(), Ordering::Relaxed);
                begun.wait();
                for round in 0..ROUNDS {
                    let (counted, others) = &mut *own.lock();
                    *counted += 1;
                    // Time for others to find it half done.
                    (0..round % 64).for_each(|_| std::hint::spin_loop());
                    *others += 1;
                }
            })
        });
        begun.wait();
        let mut are_over = false;
        while !are_over {
            are_over = threads.iter().all(std::thread::ScopedJoinHandle::is_finished);
            let mut taken = InTurn::lock_all(all.iter());
            let both = taken.iter_mut().map(|(counted, others)| {
                assert_eq!(*counted + times, *others, "whole numbers of rounds");
                *others += 1;
            });
            assert_eq!(both.count(), THREADS + 2);
            times += 1;
        }
    });
    for (data, owner) in all.iter().zip(&owners) {
        assert_eq!(owner_of(data), owner.load(Ordering::Relaxed), "as before");
        assert_eq!(*data.lock(), (ROUNDS, ROUNDS + times));
    }
    assert_eq!(owner_of(&all[THREADS]), this_thread());
    assert_eq!(owner_of(&all[THREADS + 1]), UNUSED);
}

/// Forks, and lets the child check. One that hangs is killed.
fn child_is_well(well: impl FnOnce() -> bool) {
    // SAFETY: the child calls the functions under test, and leaves by `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: ends the child.
        unsafe {
            libc::alarm(120);
            libc::_exit(i32::from(!well()));
        }
    }
    let mut status = -1;
    // SAFETY: a child of this process.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(status, 0);
}

#[test]
#[cfg_attr(miri, ignore = "Miri does not fork")]
fn a_child_does_not_wait_for_owners() {
    let _one = begin();
    crate::watch();
    let (others, own) = (InTurn::new(vec![1]), InTurn::new(vec![1]));
    let (have, go_on) = (Barrier::new(2), Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            drop(others.take());
            let mut data = others.take();
            data.push(2);
            have.wait();
            go_on.wait();
        });
        have.wait();
        drop(own.take());
        let mut data = own.take();
        data.push(2);
        // Half of what it was to be, whoever had it.
        child_is_well(|| others.take().is_empty() && others.take().is_empty());
        child_is_well(|| own.take().is_empty() && own.take().is_empty());
        child_is_well(|| {
            own.take().push(3);
            drop(data);
            *own.take() == [3]
        });
        go_on.wait();
    });
    assert_eq!(*others.take(), [1, 2]);
}

/// A thread that ends leaves the lock to be taken from it.
#[test]
#[cfg_attr(miri, ignore = "Miri has no membarrier")]
fn owners_may_end() {
    let _one = begin();
    let data = InTurn::new(0);
    for round in 1..=50 {
        std::thread::scope(|scope| {
            scope.spawn(|| *data.take() += 1);
        });
        assert_eq!(*data.lock(), 2 * round - 1);
        *data.take() += 1;
    }
}
