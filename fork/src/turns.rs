// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Turns: locks whose holder may call a driver or the client, since the process may fork meanwhile.

use std::cell::UnsafeCell;
use std::hint::cold_path;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use smallvec::SmallVec;

use crate::bias::{BiasedTurn, BiasedTurns, PassingTurns};
use crate::gate::{Section, generation};

/// A lock without data, for threads that take turns. The holder may wait for others and call the client. A child of
/// `fork` finds it free, even if another thread held it.
#[derive(Debug, Default)]
pub struct Turns {
    /// 0 while it is free; otherwise one of the bits below, and above them the generation of the process plus one.
    state: AtomicU32,
}

const TAKEN: u32 = 1;
/// Another thread sleeps until it is free.
const AWAITED: u32 = 2;

/// Releases the lock when it is dropped.
#[derive(Debug)]
#[must_use]
pub struct Turn<'a> {
    turns: &'a Turns,
    of: u32,
    /// Whether a thread of the parent had it when the process was forked.
    inherited: bool,
}

impl Turns {
    /// Creates an unlocked lock.
    pub const fn new() -> Self {
        Self {
            state: AtomicU32::new(0),
        }
    }

    /// Waits until it is free, and takes it.
    #[inline]
    pub fn take(&self) -> Turn<'_> {
        let of = (generation() + 1) << 2;
        let taken = self
            .state
            .compare_exchange(0, of | TAKEN, Ordering::Acquire, Ordering::Relaxed);
        // Two numbers in registers: a whole turn would be written to memory by one way, and read from there after both.
        let (of, inherited) = match taken {
            Ok(_) => (of, false),
            Err(_) => self.wait(),
        };
        Turn {
            turns: self,
            of,
            inherited,
        }
    }

    /// The generation of the turn, and whether a thread of the parent had it.
    #[cold]
    fn wait(&self) -> (u32, bool) {
        let mut awaited = 0;
        loop {
            if let Some(turn) = self.try_take_with(awaited) {
                return turn;
            }
            let state = self.state.load(Ordering::Relaxed);
            let sleeping = state | AWAITED;
            let said = self
                .state
                .compare_exchange(state, sleeping, Ordering::Relaxed, Ordering::Relaxed);
            if state != 0 && said.is_ok() {
                futex_wait(&self.state, sleeping, None);
                // Other threads may still sleep.
                awaited = AWAITED;
            }
        }
    }

    /// Takes it if it is free.
    #[inline]
    pub fn try_take(&self) -> Option<Turn<'_>> {
        self.try_take_with(0).map(|(of, inherited)| Turn {
            turns: self,
            of,
            inherited,
        })
    }

    #[inline]
    fn try_take_with(&self, awaited: u32) -> Option<(u32, bool)> {
        let of = (generation() + 1) << 2;
        let state = self.state.load(Ordering::Relaxed);
        if state & TAKEN != 0 && state >> 2 == of >> 2 {
            return None;
        }
        let taken = of | TAKEN | awaited;
        let taken = self
            .state
            .compare_exchange(state, taken, Ordering::Acquire, Ordering::Relaxed);
        taken.ok().map(|before| (of, before & TAKEN != 0))
    }
}

impl Drop for Turn<'_> {
    #[inline]
    fn drop(&mut self) {
        let freed = self
            .turns
            .state
            .compare_exchange(self.of | TAKEN, 0, Ordering::Release, Ordering::Relaxed);
        if freed.is_err() {
            self.wake();
        }
    }
}

impl<'a> Turn<'a> {
    /// Whether a thread of the parent had it when the process was forked.
    pub(crate) fn is_inherited(&self) -> bool {
        self.inherited
    }

    /// The turn as numbers, of which [`from_parts`](Self::from_parts) makes it again: its generation, and whether a thread of
    /// the parent had it.
    #[inline(always)]
    pub(crate) fn into_parts(self) -> (u32, bool) {
        let parts = (self.of, self.inherited);
        std::mem::forget(self);
        parts
    }

    #[inline(always)]
    pub(crate) fn from_parts(turns: &'a Turns, of: u32) -> Self {
        Self {
            turns,
            of,
            inherited: false,
        }
    }

    /// Releases a lock that others wait for.
    #[cold]
    fn wake(&self) {
        let state = &self.turns.state;
        // In a child of the process that locked it, it is already free.
        let free = |state: u32| (state >> 2 == self.of >> 2).then_some(0);
        if let Ok(before) = state.fetch_update(Ordering::Release, Ordering::Relaxed, free)
            && before & AWAITED != 0
        {
            futex_wake(state);
        }
    }
}

/// Sleeps while a word has this value, at most for a time if one is given; or for no time at all.
pub(crate) fn futex_wait(word: &AtomicU32, value: u32, most: Option<Duration>) {
    let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    let most = most.map(|most| libc::timespec {
        tv_sec: most.as_secs() as libc::time_t,
        tv_nsec: most.subsec_nanos().into(),
    });
    let timeout = most.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: a live word, and a time or none.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, value, timeout) };
}

/// Wakes a thread that sleeps by a word, which may be gone.
pub(crate) fn futex_wake(word: &AtomicU32) {
    let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: for waking, the kernel only looks the address up.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, 1) };
}

/// Data for one thread at a time, which may [take](Self::take) it for a call of a driver: the process may fork meanwhile. A
/// driver has gates of its own, and one that is shut while the process forks would stop a thread that the fork waits for.
#[derive(Debug, Default)]
pub struct InTurn<T> {
    turns: BiasedTurns,
    value: UnsafeCell<T>,
}

// SAFETY: who has the turn has the value for itself, as with any mutex.
unsafe impl<T: Send> Sync for InTurn<T> {}

/// Gives the data back when it is dropped.
#[must_use]
pub struct InTurnGuard<'a, T> {
    value: &'a UnsafeCell<T>,
    turn: BiasedTurn<'a>,
    /// Dropped last.
    _section: Option<Section>,
}

impl<T> InTurn<T> {
    /// Data that nobody has.
    pub const fn new(value: T) -> Self {
        Self {
            turns: BiasedTurns::new(),
            value: UnsafeCell::new(value),
        }
    }

    /// The same of an object that the calling thread is to use first, and perhaps alone: a thread that has data for itself takes
    /// them without an atomic operation.
    #[inline]
    pub fn of_this_thread(value: T) -> Self {
        Self {
            turns: BiasedTurns::of_this_thread(),
            value: UnsafeCell::new(value),
        }
    }

    /// Whether the calling thread takes the data without an atomic operation, because no other has had them yet, but by
    /// [`lock_all`](Self::lock_all). For a caller that has another way, which is better than one with two such operations.
    #[inline(always)]
    pub fn claim(&self) -> bool {
        self.turns.claim()
    }

    #[cfg(test)]
    pub(crate) fn turns_of_tests(&self) -> &BiasedTurns {
        &self.turns
    }

    /// The data: a mutable reference needs no turn.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// Waits for the turn, for a caller that calls no driver: while it has the data, the process does not fork.
    #[inline(always)]
    pub fn lock(&self) -> InTurnGuard<'_, T> {
        let (section, turn) = Section::locking(|| self.turns.take());
        InTurnGuard {
            value: &self.value,
            turn,
            _section: Some(section),
        }
    }

    /// Waits for the turns of several, in this order, as [`lock`](Self::lock) does. The caller has none of them. Threads that have
    /// one for themselves keep that.
    #[inline]
    pub fn lock_all<'a>(all: impl Iterator<Item = &'a Self>) -> InTurnAll<'a, T> {
        let all: SmallVec<[&'a Self; 4]> = all.collect();
        let (section, turns) = Section::locking(|| BiasedTurns::take_all(all.iter().map(|data| &data.turns)));
        InTurnAll {
            all,
            _turns: turns,
            _section: section,
        }
    }
}

/// The data of several. Gives them back when it is dropped.
#[must_use]
pub struct InTurnAll<'a, T> {
    all: SmallVec<[&'a InTurn<T>; 4]>,
    _turns: PassingTurns<'a>,
    /// Dropped last.
    _section: Section,
}

impl<T> InTurnAll<'_, T> {
    /// Each of them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        // SAFETY: this has the turns.
        self.all.iter().map(|data| unsafe { &mut *data.value.get() })
    }
}

impl<T: Default> InTurn<T> {
    /// Waits for the turn. The caller may call a driver. A child of `fork` finds `T::default()` if another thread had the data
    /// then, which may have been half of what it was to be.
    #[inline(always)]
    pub fn take(&self) -> InTurnGuard<'_, T> {
        self.guard(self.turns.take())
    }

    /// The same, unless somebody has the data. It may wait for another thread once: for the first one that had them.
    #[inline(always)]
    pub fn try_take(&self) -> Option<InTurnGuard<'_, T>> {
        self.turns.try_take().map(|turn| self.guard(turn))
    }

    #[inline(always)]
    fn guard<'a>(&'a self, turn: BiasedTurn<'a>) -> InTurnGuard<'a, T> {
        if turn.is_inherited() {
            cold_path();
            // SAFETY: this thread has the turn. The old value is leaked: it may be inconsistent.
            unsafe { self.value.get().write(T::default()) };
        }
        InTurnGuard {
            value: &self.value,
            turn,
            _section: None,
        }
    }
}

impl<T> InTurnGuard<'_, T> {
    /// Whether the caller is the thread that takes the data without an atomic operation.
    #[inline]
    pub fn is_owners(&self) -> bool {
        self.turn.is_owners()
    }
}

impl<T> Deref for InTurnGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard has the turn.
        unsafe { &*self.value.get() }
    }
}

impl<T> DerefMut for InTurnGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.value.get() }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn turns() {
        let (turns, inside, all) = (Turns::new(), AtomicU32::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let _turn = turns.take();
                        assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::Relaxed);
                        all.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(all.into_inner(), 1600);
        let turn = turns.take();
        assert!(turns.try_take().is_none());
        drop(turn);
        assert!(turns.try_take().is_some());
    }

    #[test]
    fn one_thread_has_the_data() {
        let data = InTurn::new(Vec::new());
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let data = &data;
                scope.spawn(move || {
                    for _ in 0..1000 {
                        match thread % 2 {
                            0 => data.take().push(thread),
                            _ => data.lock().push(thread),
                        }
                    }
                });
            }
        });
        assert_eq!(data.take().len(), 4000);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri does not fork")]
    fn a_child_does_not_find_what_another_thread_had() {
        static DATA: InTurn<Vec<u32>> = InTurn::new(Vec::new());
        // As any lock has it watched: turns alone do not count forks.
        crate::watch();
        DATA.take().push(1);
        let (have, go_on) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut data = DATA.take();
                data.push(2);
                have.wait();
                go_on.wait();
                assert!(!crate::is_inside(), "the process may fork");
            });
            have.wait();
            // SAFETY: the child does no more than it needs.
            let child = unsafe { libc::fork() };
            if child == 0 {
                let found = DATA.take().len();
                // SAFETY: ends the child.
                unsafe { libc::_exit(found as i32) };
            }
            go_on.wait();
            let mut status = -1;
            // SAFETY: a child of this process.
            unsafe { libc::waitpid(child, &mut status, 0) };
            assert_eq!(status, 0);
        });
        assert_eq!(*DATA.take(), [1, 2]);
        let locked = DATA.lock();
        assert!(crate::is_inside());
        drop(locked);
    }
}
