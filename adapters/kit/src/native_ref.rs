// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! References of a driver's objects, and owners of those that the driver does not count references of.

use std::mem::ManuallyDrop;
use std::ops::Deref;

use crate::UrResult;

/// A kind of a driver's objects.
///
/// # Safety
/// Handles of this kind may be used, and their last reference released, from any thread.
pub unsafe trait NativeObject: 'static {
    /// The driver's handle.
    type Handle: Copy;

    /// What it is called in the log.
    const NAME: &'static str;

    /// Gives a reference back, or destroys the object, if the driver does not count references.
    ///
    /// # Safety
    /// The caller has the reference and does not use it any more.
    unsafe fn release(handle: Self::Handle) -> UrResult<()>;
}

/// A kind of objects that the driver counts references of.
///
/// # Safety
/// The object is there as long as a reference is.
pub unsafe trait CountedObject: NativeObject<Handle: PartialEq> {
    /// Takes one more reference.
    ///
    /// # Safety
    /// The handle is live.
    unsafe fn retain(handle: Self::Handle) -> UrResult<()>;
}

/// Releases an object. What fails is in the log.
///
/// # Safety
/// As [`NativeObject::release`].
#[inline]
unsafe fn release<T: NativeObject>(handle: T::Handle) {
    // SAFETY: passed on to the caller.
    if let Err(error) = unsafe { T::release(handle) } {
        log::warn!("{} is leaked: {error}", T::NAME);
    }
}

/// A driver's object of one owner. It is released when this is dropped, unless it is the client's.
pub struct NativeOwned<T: NativeObject> {
    handle: T::Handle,
    is_ours: bool,
}

// SAFETY: `NativeObject` promises that handles may be used and released from any thread.
unsafe impl<T: NativeObject> Send for NativeOwned<T> {}
// SAFETY: as above; where the driver forbids that two threads use an object at once, its user sees to that.
unsafe impl<T: NativeObject> Sync for NativeOwned<T> {}

impl<T: NativeObject> NativeOwned<T> {
    /// Takes an object over, if `is_ours`.
    ///
    /// # Safety
    /// The handle is live. If `is_ours`, nobody else releases it, else it lives as long as this.
    pub unsafe fn new(handle: T::Handle, is_ours: bool) -> Self {
        Self { handle, is_ours }
    }

    /// Takes the object out of what is dropped: this does not release it any more.
    pub fn take(&mut self) -> Self {
        let (handle, is_ours) = (self.handle, std::mem::take(&mut self.is_ours));
        Self { handle, is_ours }
    }
}

impl<T: NativeObject> Deref for NativeOwned<T> {
    type Target = T::Handle;

    #[inline(always)]
    fn deref(&self) -> &T::Handle {
        &self.handle
    }
}

impl<T: NativeObject> Drop for NativeOwned<T> {
    fn drop(&mut self) {
        if self.is_ours {
            // SAFETY: `new`'s caller has given it up.
            unsafe { release::<T>(self.handle) }
        }
    }
}

/// A reference of a driver's object, released when this is dropped.
pub struct NativeRef<T: CountedObject>(T::Handle);

// SAFETY: `NativeObject` promises that handles may be used and released from any thread.
unsafe impl<T: CountedObject> Send for NativeRef<T> {}
// SAFETY: as above.
unsafe impl<T: CountedObject> Sync for NativeRef<T> {}

impl<T: CountedObject> NativeRef<T> {
    /// Takes over a reference.
    ///
    /// # Safety
    /// The handle is live, and the caller gives a reference of it up.
    #[inline(always)]
    pub unsafe fn new(handle: T::Handle) -> Self {
        Self(handle)
    }

    /// The object of a client's native handle: takes over its reference if that is `owned`, else one more.
    ///
    /// # Safety
    /// The handle is live, and if it is `owned`, the client gives a reference of it up.
    pub unsafe fn wrap(handle: T::Handle, owned: bool) -> UrResult<Self> {
        if !owned {
            // SAFETY: a live handle.
            unsafe { T::retain(handle) }?;
        }
        Ok(Self(handle))
    }

    /// An object without a reference of it.
    ///
    /// # Safety
    /// The handle is live for as long as this is used.
    pub unsafe fn borrowed(handle: T::Handle) -> ManuallyDrop<Self> {
        ManuallyDrop::new(Self(handle))
    }

    /// One more reference of the same object.
    pub fn again(&self) -> UrResult<Self> {
        // SAFETY: a live handle, as there is a reference.
        unsafe { Self::wrap(self.0, false) }
    }
}

impl<T: CountedObject> Deref for NativeRef<T> {
    type Target = T::Handle;

    #[inline(always)]
    fn deref(&self) -> &T::Handle {
        &self.0
    }
}

impl<T: CountedObject> PartialEq for NativeRef<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: CountedObject> Drop for NativeRef<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the reference is ours, and goes with this.
        unsafe { release::<T>(self.0) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// An object that is its own count of references.
    enum Counted {}

    // SAFETY: the handle is a reference to an atomic number.
    unsafe impl NativeObject for Counted {
        type Handle = *const AtomicUsize;
        const NAME: &'static str = "a number";

        unsafe fn release(handle: Self::Handle) -> UrResult<()> {
            // SAFETY: a live number.
            unsafe { &*handle }.fetch_sub(1, Ordering::Relaxed);
            Ok(())
        }
    }

    // SAFETY: the number lives as long as the test.
    unsafe impl CountedObject for Counted {
        unsafe fn retain(handle: Self::Handle) -> UrResult<()> {
            // SAFETY: a live number.
            unsafe { &*handle }.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }

    #[test]
    fn references_are_given_back() {
        let count = AtomicUsize::new(1);
        // SAFETY: the number lives as long as the test.
        unsafe {
            let borrowed = NativeRef::<Counted>::borrowed(&count);
            let shared = NativeRef::<Counted>::wrap(&count, false).unwrap();
            assert_eq!(count.load(Ordering::Relaxed), 2);
            let again = shared.again().unwrap();
            assert!(again == shared && *again == **borrowed);
            assert_eq!(count.load(Ordering::Relaxed), 3);
            drop((again, shared, borrowed));
            assert_eq!(count.load(Ordering::Relaxed), 1);
            drop(NativeRef::<Counted>::wrap(&count, true));
            assert_eq!(count.load(Ordering::Relaxed), 0);
        }
    }

    #[test]
    fn one_owner_releases() {
        let count = AtomicUsize::new(3);
        // SAFETY: the number lives as long as the test.
        unsafe {
            drop(NativeOwned::<Counted>::new(&count, false));
            assert_eq!(count.load(Ordering::Relaxed), 3, "it is the client's");
            let mut owned = NativeOwned::<Counted>::new(&count, true);
            let taken = owned.take();
            assert!(*taken == *owned);
            drop(owned);
            assert_eq!(count.load(Ordering::Relaxed), 3, "it was taken out");
            drop(taken);
            assert_eq!(count.load(Ordering::Relaxed), 2);
        }
    }
}
