// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Mutexes, read-write locks, once cells and similar types. Each is a [section](crate::section) while it is held.

use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, Ordering};

use once_cell::sync::OnceCell;

use crate::gate::{Section, generation, section};
#[cfg(miri)]
use crate::yielding as parking_lot;

/// Like `parking_lot`'s mutex, and free when the process forks.
#[derive(Default)]
pub struct Mutex<T: ?Sized>(parking_lot::Mutex<T>);

/// Unlocks when it is dropped.
#[must_use]
pub struct MutexGuard<'a, T: ?Sized> {
    guard: parking_lot::MutexGuard<'a, T>,
    /// Dropped last.
    section: Section,
}

/// A guard of a part of a mutex's data.
#[must_use]
pub struct MappedMutexGuard<'a, T: ?Sized> {
    guard: parking_lot::MappedMutexGuard<'a, T>,
    _section: Section,
}

impl<T> Mutex<T> {
    /// Creates an unlocked mutex.
    pub const fn new(value: T) -> Self {
        Self(parking_lot::Mutex::new(value))
    }

    /// The data.
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until it is free, and takes it.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let (section, guard) = Section::locking(|| self.0.lock());
        MutexGuard { guard, section }
    }

    /// Takes it if it is free.
    #[inline]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        // A failed attempt is not an atomic operation; the section ends immediately.
        let (section, guard) = Section::locking(|| self.0.try_lock());
        let guard = guard?;
        Some(MutexGuard { guard, section })
    }

    /// The data: a mutable reference needs no lock.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Narrows the guard to a part of the data.
    pub fn map<U: ?Sized>(this: Self, part: impl FnOnce(&mut T) -> &mut U) -> MappedMutexGuard<'a, U> {
        MappedMutexGuard {
            guard: parking_lot::MutexGuard::map(this.guard, part),
            _section: this.section,
        }
    }
}

/// Like `parking_lot`'s read-write lock, and free when the process forks.
#[derive(Default)]
pub struct RwLock<T: ?Sized>(parking_lot::RwLock<T>);

/// Unlocks when it is dropped.
#[must_use]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    guard: parking_lot::RwLockReadGuard<'a, T>,
    _section: Section,
}

/// Unlocks when it is dropped.
#[must_use]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    guard: parking_lot::RwLockWriteGuard<'a, T>,
    _section: Section,
}

impl<T> RwLock<T> {
    /// Creates an unlocked lock.
    pub const fn new(value: T) -> Self {
        Self(parking_lot::RwLock::new(value))
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until no thread writes.
    #[inline]
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        let (section, guard) = Section::locking(|| self.0.read());
        let _section = section;
        RwLockReadGuard { guard, _section }
    }

    /// Waits until no thread reads or writes.
    #[inline]
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        let (section, guard) = Section::locking(|| self.0.write());
        let _section = section;
        RwLockWriteGuard { guard, _section }
    }
}

macro_rules! guards {
    ($($guard:ident),*) => { $(
        impl<T: ?Sized> Deref for $guard<'_, T> {
            type Target = T;

            #[inline]
            fn deref(&self) -> &T {
                &self.guard
            }
        }

        impl<T: ?Sized + fmt::Debug> fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    )* };
}

guards!(MutexGuard, MappedMutexGuard, RwLockReadGuard, RwLockWriteGuard);

macro_rules! exclusive {
    ($($guard:ident),*) => { $(
        impl<T: ?Sized> DerefMut for $guard<'_, T> {
            #[inline]
            fn deref_mut(&mut self) -> &mut T {
                &mut self.guard
            }
        }
    )* };
}

exclusive!(MutexGuard, MappedMutexGuard, RwLockWriteGuard);

macro_rules! debugs {
    ($($lock:ident),*) => { $(
        impl<T: ?Sized + fmt::Debug> fmt::Debug for $lock<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )* };
}

debugs!(Mutex, RwLock);

/// Like the standard library's `OnceLock`. When the process forks, no thread is creating the value.
pub struct OnceLock<T>(OnceCell<T>);

impl<T> OnceLock<T> {
    /// Without a value.
    pub const fn new() -> Self {
        Self(OnceCell::new())
    }

    /// The value, if there is one.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// Sets the value, if there is none. Returns it otherwise.
    pub fn set(&self, value: T) -> Result<(), T> {
        let _section = section();
        self.0.set(value)
    }

    /// Returns the value. The first thread creates it while others wait.
    #[inline]
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        match self.0.get() {
            Some(value) => value,
            None => self.init(make),
        }
    }

    #[cold]
    fn init(&self, make: impl FnOnce() -> T) -> &T {
        let _section = section();
        self.0.get_or_init(make)
    }

    /// The same for a value that may fail to be created. An error is not kept: the next caller tries again.
    #[inline]
    pub fn get_or_try_init<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        match self.0.get() {
            Some(value) => Ok(value),
            None => self.try_init(make),
        }
    }

    #[cold]
    fn try_init<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        let _section = section();
        self.0.get_or_try_init(make)
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Like the standard library's `LazyLock`. When the process forks, no thread is creating the value.
pub struct LazyLock<T> {
    value: OnceLock<T>,
    make: fn() -> T,
}

impl<T> LazyLock<T> {
    /// `make` creates the value when it is first needed.
    pub const fn new(make: fn() -> T) -> Self {
        Self {
            value: OnceLock::new(),
            make,
        }
    }
}

impl<T> Deref for LazyLock<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value.get_or_init(self.make)
    }
}

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
                let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
                let forever = std::ptr::null::<libc::timespec>();
                // SAFETY: a live word.
                unsafe { libc::syscall(libc::SYS_futex, self.state.as_ptr(), operation, sleeping, forever) };
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

impl Turn<'_> {
    /// Releases a lock that others wait for.
    #[cold]
    fn wake(&self) {
        let state = &self.turns.state;
        // In a child of the process that locked it, it is already free.
        let free = |state: u32| (state >> 2 == self.of >> 2).then_some(0);
        if let Ok(before) = state.fetch_update(Ordering::Release, Ordering::Relaxed, free)
            && before & AWAITED != 0
        {
            let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
            // SAFETY: for waking, the kernel only looks the address up.
            unsafe { libc::syscall(libc::SYS_futex, state.as_ptr(), operation, 1) };
        }
    }
}

/// Data for one thread at a time, which may [take](Self::take) it for a call of a driver: the process may fork meanwhile. A
/// driver has gates of its own, and one that is shut while the process forks would stop a thread that the fork waits for.
#[derive(Debug, Default)]
pub struct InTurn<T> {
    turns: Turns,
    value: UnsafeCell<T>,
}

// SAFETY: who has the turn has the value for itself, as with any mutex.
unsafe impl<T: Send> Sync for InTurn<T> {}

/// Gives the data back when it is dropped.
#[must_use]
pub struct InTurnGuard<'a, T> {
    value: &'a UnsafeCell<T>,
    _turn: Turn<'a>,
    /// Dropped last.
    _section: Option<Section>,
}

impl<T> InTurn<T> {
    /// Data that nobody has.
    pub const fn new(value: T) -> Self {
        Self {
            turns: Turns::new(),
            value: UnsafeCell::new(value),
        }
    }

    /// The data: a mutable reference needs no turn.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// Waits for the turn, for a caller that calls no driver: while it has the data, the process does not fork.
    #[inline]
    pub fn lock(&self) -> InTurnGuard<'_, T> {
        let (section, turn) = Section::locking(|| self.turns.take());
        InTurnGuard {
            value: &self.value,
            _turn: turn,
            _section: Some(section),
        }
    }
}

impl<T: Default> InTurn<T> {
    /// Waits for the turn. The caller may call a driver. A child of `fork` finds `T::default()` if another thread had the data
    /// then, which may have been half of what it was to be.
    #[inline]
    pub fn take(&self) -> InTurnGuard<'_, T> {
        let turn = self.turns.take();
        if turn.inherited {
            // SAFETY: this thread has the turn. The old value is leaked: it may be inconsistent.
            unsafe { self.value.get().write(T::default()) };
        }
        InTurnGuard {
            value: &self.value,
            _turn: turn,
            _section: None,
        }
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
                    for _ in 0..1000 {
                        let _turn = turns.take();
                        assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::Relaxed);
                        all.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(all.into_inner(), 8000);
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
