// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Processes that fork while other threads are busy. The tests fork one after the other.

use std::sync::atomic::AtomicUsize;

use super::*;
use crate::{Mutex, OnceLock, RwLock, Turns};

/// Two numbers that are equal whenever the lock is free.
type Pair = (usize, usize);

fn advance(numbers: &mut Pair) {
    numbers.0 += 1;
    std::thread::yield_now();
    numbers.1 += 1;
}

/// Forks, and lets the child check its state. A child that hangs is killed.
fn child_is_well(well: impl FnOnce() -> bool) {
    // SAFETY: the child calls the functions under test, and leaves by `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: ends the child, if it hangs.
        unsafe {
            libc::alarm(120);
            libc::_exit(if well() { 0 } else { 1 });
        }
    }
    let mut status = 0;
    // SAFETY: a child of ours and a place for its status.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "a wait status of `waitpid`: 14 if it hung");
}

/// Has the other threads stop at the end, even if that is a failed assertion.
struct Stops<'a>(&'a AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct Children(AtomicUsize);

impl AtFork for Children {
    fn in_child(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_child_finds_locks_free_and_things_whole() {
    static MUTEX: Mutex<Pair> = Mutex::new((0, 0));
    static OUTER: Mutex<()> = Mutex::new(());
    static RWLOCK: RwLock<Pair> = RwLock::new((0, 0));
    static CELLS: Mutex<Vec<Arc<OnceLock<u32>>>> = Mutex::new(Vec::new());
    static TURNS: Turns = Turns::new();
    let children = Arc::new(Children::default());
    register(&children);
    let stop = AtomicBool::new(false);
    let before = generation();
    std::thread::scope(|scope| {
        for kind in 0..5 {
            let stop = &stop;
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    match kind {
                        0 => advance(&mut MUTEX.lock()),
                        1 => {
                            let _outer = OUTER.lock();
                            advance(&mut MUTEX.lock());
                            advance(&mut RWLOCK.write());
                        }
                        2 => {
                            let numbers = RWLOCK.read();
                            std::thread::yield_now();
                            assert_eq!(numbers.0, numbers.1);
                        }
                        3 => {
                            let cell = Arc::new(OnceLock::new());
                            CELLS.lock().push(cell.clone());
                            cell.get_or_init(|| {
                                std::thread::sleep(Duration::from_micros(200));
                                7
                            });
                            CELLS.lock().clear();
                        }
                        // Locked while the process forks and threads come and go.
                        _ => {
                            let _turn = TURNS.take();
                            std::thread::scope(|scope| {
                                scope.spawn(|| drop(MUTEX.lock()));
                            });
                        }
                    }
                }
            });
        }
        let _stops = Stops(&stop);
        for _ in 0..200 {
            child_is_well(|| {
                let whole = |numbers: &Pair| numbers.0 == numbers.1;
                let free = OUTER.try_lock().is_some() && MUTEX.try_lock().is_some_and(|numbers| whole(&numbers));
                let write = whole(&RWLOCK.write());
                let cells = CELLS.lock().iter().all(|cell| *cell.get_or_init(|| 7) == 7);
                let told = children.0.load(Ordering::Relaxed) == 1 && generation() == before + 1;
                drop(TURNS.take());
                // The same holds for a child of the child.
                child_is_well(|| generation() == before + 2 && MUTEX.try_lock().is_some());
                free && write && cells && told
            });
        }
    });
    assert_eq!(children.0.load(Ordering::Relaxed), 0, "the parent is no child");
    assert_eq!(generation(), before);
}

#[test]
fn who_is_in_a_section_may_be_waited_for_by_another() {
    // The thread that it waits for comes to the gate, which lets it pass after a while.
    static MUTEX: Mutex<()> = Mutex::new(());
    let (inside, go) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _section = section();
            inside.wait();
            go.wait();
        });
        inside.wait();
        scope.spawn(|| {
            while GATE.load(Ordering::SeqCst) != CLOSING {
                std::thread::yield_now();
            }
            drop(MUTEX.lock());
            go.wait();
        });
        child_is_well(|| MUTEX.try_lock().is_some());
    });
}

#[test]
fn locks_at_the_end_of_a_thread() {
    static MUTEX: Mutex<u32> = Mutex::new(0);
    struct Late;
    impl Drop for Late {
        fn drop(&mut self) {
            *MUTEX.lock() += 1;
        }
    }
    thread_local! {
        static LATE: Late = const { Late };
    }
    for i in 1..100 {
        std::thread::spawn(|| {
            // This destructor runs after that of the value that the lock creates here.
            LATE.with(|_| ());
            drop(MUTEX.lock());
        })
        .join()
        .unwrap();
        assert_eq!(*MUTEX.lock(), i);
    }
    child_is_well(|| *MUTEX.lock() == 99);
    let used = || {
        let slots = slots();
        slots.all.len() - slots.free.len()
    };
    // Threads of other tests may still be ending.
    let since = Instant::now();
    while used() >= 20 && since.elapsed() < Duration::from_secs(120) {
        std::thread::yield_now();
    }
    assert!(used() < 20, "{} slots were not given back", used());
}

#[test]
fn a_thread_that_forks_may_hold_a_lock() {
    static MUTEX: Mutex<u32> = Mutex::new(0);
    let mut held = MUTEX.lock();
    child_is_well(|| {
        *held += 1;
        drop(held);
        *MUTEX.lock() == 1
    });
}
