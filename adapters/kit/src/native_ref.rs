// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! References of a driver's objects.

use std::mem::ManuallyDrop;
use std::ops::Deref;

use crate::UrResult;

/// A kind of object that a driver counts references of, or that has one owner.
///
/// # Safety
/// Handles of this kind may be used, and their last reference released, from any thread.
pub unsafe trait NativeObject: 'static {
    /// The driver's handle.
    type Handle: Copy + PartialEq;

    /// What it is called in the log.
    const NAME: &'static str;

    /// Takes one more reference.
    ///
    /// # Safety
    /// The handle is live.
    unsafe fn retain(handle: Self::Handle) -> UrResult<()>;

    /// Gives a reference back.
    ///
    /// # Safety
    /// The caller has the reference and does not use it any more.
    unsafe fn release(handle: Self::Handle) -> UrResult<()>;
}

/// A reference of a driver's object, released when this is dropped.
pub struct NativeRef<T: NativeObject>(T::Handle);

// SAFETY: `NativeObject` promises that handles may be used and released from any thread.
unsafe impl<T: NativeObject> Send for NativeRef<T> {}
// SAFETY: as above.
unsafe impl<T: NativeObject> Sync for NativeRef<T> {}

impl<T: NativeObject> NativeRef<T> {
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

impl<T: NativeObject> Deref for NativeRef<T> {
    type Target = T::Handle;

    #[inline(always)]
    fn deref(&self) -> &T::Handle {
        &self.0
    }
}

impl<T: NativeObject> PartialEq for NativeRef<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: NativeObject> Drop for NativeRef<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the reference is ours, and goes with this.
        if let Err(error) = unsafe { T::release(self.0) } {
            log::warn!("{} is leaked: {error}", T::NAME);
        }
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

        unsafe fn retain(handle: Self::Handle) -> UrResult<()> {
            // SAFETY: a live number.
            unsafe { &*handle }.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }

        unsafe fn release(handle: Self::Handle) -> UrResult<()> {
            // SAFETY: a live number.
            unsafe { &*handle }.fetch_sub(1, Ordering::Relaxed);
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
}
