// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Mutexes, read-write locks, once cells and similar types. Each is a [section](crate::section) while it is held.

use std::fmt;
use std::ops::{Deref, DerefMut};

use once_cell::sync::OnceCell;

use crate::gate::{Section, section};
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
