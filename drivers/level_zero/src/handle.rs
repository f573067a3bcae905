// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Handles: what stands between a C pointer and an `Arc`.
//!
//! A handle points to a [`Slot`] with a tag, which tells the type of the object, and the object. Slots are never given back to
//! the allocator but to a list of free ones, so that a stale handle meets a dead tag (or, once the slot is used again, another
//! live object of the type) and never freed memory.

use std::cell::UnsafeCell;
use std::ffi::c_char;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use level_zero_sys::*;
use oxur_fork::Mutex;

use crate::entry::{Error, ZeResult, err};

/// An object with a handle.
pub(crate) trait Object: Send + Sync + Sized + 'static {
    /// What C has, the pointee of the type of handle.
    type Opaque;
    /// What it is, for messages.
    const NAME: &'static str;
    /// Tells its handles from others.
    const TAG: u32;

    /// The slots of this type that are free.
    fn free_slots() -> &'static FreeSlots<Self>;
}

/// Says which objects are behind which handles.
macro_rules! objects {
    ($($object:ty: $opaque:ident = $tag:literal, $name:literal;)*) => { $(
        impl $crate::handle::Object for $object {
            type Opaque = level_zero_sys::$opaque;
            const NAME: &'static str = $name;
            const TAG: u32 = u32::from_le_bytes(*$tag);

            fn free_slots() -> &'static $crate::handle::FreeSlots<Self> {
                static FREE: $crate::handle::FreeSlots<$object> = $crate::handle::FreeSlots::new();
                &FREE
            }
        }
    )* };
}
pub(crate) use objects;

/// What a handle points to.
#[repr(C)]
pub(crate) struct Slot<T> {
    tag: AtomicU32,
    object: UnsafeCell<Option<Arc<T>>>,
}

const DEAD: u32 = 0;

/// The free slots of a type.
pub(crate) struct FreeSlots<T: 'static>(Mutex<Vec<&'static Slot<T>>>);

// SAFETY: a free slot has no object.
unsafe impl<T> Sync for FreeSlots<T> {}

impl<T> FreeSlots<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

/// A new handle of an object, which owns a reference of it.
pub(crate) fn export<T: Object>(object: Arc<T>) -> *mut T::Opaque {
    let free = T::free_slots().0.lock().pop();
    let slot = free.unwrap_or_else(|| {
        Box::leak(Box::new(Slot {
            tag: AtomicU32::new(DEAD),
            object: UnsafeCell::new(None),
        }))
    });
    // SAFETY: the slot is free, so nobody else has it.
    unsafe { *slot.object.get() = Some(object) };
    slot.tag.store(T::TAG, Ordering::Release);
    std::ptr::from_ref(slot).cast_mut().cast()
}

/// The slot of a handle.
///
/// # Safety
/// The handle must be null, or have been one of a driver's object at some time.
unsafe fn slot<'a, T: Object>(handle: *mut T::Opaque) -> ZeResult<&'a Slot<T>> {
    if handle.is_null() {
        return err(ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    }
    if !handle.cast::<Slot<T>>().is_aligned() {
        return Err(invalid::<T>(handle));
    }
    // SAFETY: slots are never freed, and all begin with a tag.
    let tag = unsafe { &*handle.cast::<AtomicU32>() };
    if tag.load(Ordering::Acquire) != T::TAG {
        return Err(invalid::<T>(handle));
    }
    // SAFETY: the tag is that of this type.
    Ok(unsafe { &*handle.cast() })
}

#[cold]
fn invalid<T: Object>(handle: *mut T::Opaque) -> Error {
    let message = format!("{handle:p} is no {}, or one that was destroyed", T::NAME);
    Error::new(ZE_RESULT_ERROR_INVALID_ARGUMENT, message)
}

/// The object of a handle.
///
/// # Safety
/// As [`slot`], and no other thread may destroy the handle meanwhile.
#[inline]
pub(crate) unsafe fn object<'a, T: Object>(handle: *mut T::Opaque) -> ZeResult<&'a Arc<T>> {
    // SAFETY: passed on to the caller.
    let slot = unsafe { slot::<T>(handle) }?;
    // SAFETY: the slot is alive, and nobody destroys it.
    unsafe { &*slot.object.get() }
        .as_ref()
        .ok_or_else(|| invalid::<T>(handle))
}

/// The objects of an array of handles.
///
/// # Safety
/// As [`object`] for each of `count` handles.
pub(crate) unsafe fn objects_of<T: Object>(handles: *mut *mut T::Opaque, count: u32) -> ZeResult<Vec<Arc<T>>> {
    // SAFETY: passed on to the caller.
    let handles = unsafe { slice(handles.cast_const(), count) }?;
    // SAFETY: passed on to the caller.
    handles
        .iter()
        .map(|handle| unsafe { object(*handle) }.cloned())
        .collect()
}

/// Destroys a handle, and returns its reference of the object.
///
/// # Safety
/// As [`object`].
pub(crate) unsafe fn destroy<T: Object>(handle: *mut T::Opaque) -> ZeResult<Arc<T>> {
    // SAFETY: passed on to the caller.
    let slot = unsafe { slot::<T>(handle) }?;
    slot.tag.store(DEAD, Ordering::Release);
    // SAFETY: the tag is dead, and the caller says that no other thread uses the handle.
    let object = unsafe { (*slot.object.get()).take() }.ok_or_else(|| invalid::<T>(handle))?;
    T::free_slots().0.lock().push(slot);
    Ok(object)
}

/// A pointer that must not be null.
///
/// # Safety
/// `pointer`, unless null, must be readable for `'a`.
pub(crate) unsafe fn required<'a, T>(pointer: *const T) -> ZeResult<&'a T> {
    // SAFETY: passed on to the caller.
    unsafe { pointer.as_ref() }.ok_or_else(|| ZE_RESULT_ERROR_INVALID_NULL_POINTER.into())
}

/// A place for a result.
///
/// # Safety
/// `pointer`, unless null, must be writable for `'a`.
pub(crate) unsafe fn out<'a, T>(pointer: *mut T) -> ZeResult<&'a mut T> {
    // SAFETY: passed on to the caller.
    unsafe { pointer.as_mut() }.ok_or_else(|| ZE_RESULT_ERROR_INVALID_NULL_POINTER.into())
}

/// An array, which may be null if it is empty.
///
/// # Safety
/// `pointer` must be readable for `count` elements.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, count: u32) -> ZeResult<&'a [T]> {
    match (count, pointer.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => err(ZE_RESULT_ERROR_INVALID_SIZE),
        // SAFETY: passed on to the caller.
        (_, false) => Ok(unsafe { std::slice::from_raw_parts(pointer, count as usize) }),
    }
}

/// The protocol of functions that list things: a count of 0 asks how many there are; any other is the room in `out`, which
/// gets as many as fit. `count` becomes the number of all, or of those that were written.
///
/// # Safety
/// `count` must be null or writable, and `out` null or writable for as many elements as `count` says.
pub(crate) unsafe fn list<T>(count: *mut u32, to: *mut T, all: impl ExactSizeIterator<Item = T>) -> ZeResult {
    // SAFETY: passed on to the caller.
    let count = unsafe { out(count) }?;
    if *count == 0 || to.is_null() {
        *count = all.len() as u32;
        return Ok(());
    }
    *count = (*count).min(all.len() as u32);
    for (index, item) in all.take(*count as usize).enumerate() {
        // SAFETY: the caller's array has room for it.
        unsafe { to.add(index).write(item) };
    }
    Ok(())
}

/// The structures of a `pNext` chain, of which those that are not known are skipped.
pub(crate) struct Chain(*const c_base);

/// The enumerations that `stype` may be of.
pub(crate) trait StructureType {
    /// The value in C.
    fn number(self) -> u32;
}

impl StructureType for ze_structure_type_t {
    fn number(self) -> u32 {
        self.0
    }
}

impl StructureType for zes_structure_type_t {
    fn number(self) -> u32 {
        self.0
    }
}

/// The head of all structures with a type.
#[repr(C)]
#[allow(non_camel_case_types, reason = "it is C's")]
pub(crate) struct c_base {
    stype: u32,
    next: *mut c_base,
}

impl Chain {
    /// The chain behind a `pNext`.
    ///
    /// # Safety
    /// It must be null or a structure with a type, as all that follow, until the chain is not used any more.
    pub(crate) unsafe fn new(next: *const std::ffi::c_void) -> Self {
        Self(next.cast())
    }

    /// The first structure of a type.
    pub(crate) fn find<'a, T: Structure>(&self) -> Option<&'a T>
    where
        T::Tag: StructureType,
    {
        self.find_mut().map(|found| &*found)
    }

    /// The first structure of a type, to write to.
    pub(crate) fn find_mut<'a, T: Structure>(&self) -> Option<&'a mut T>
    where
        T::Tag: StructureType,
    {
        let tag = T::STRUCTURE_TYPE.number();
        let mut at = self.0.cast_mut();
        while !at.is_null() {
            // SAFETY: `new`'s caller says that it is a structure with a type.
            if unsafe { (*at).stype } == tag {
                // SAFETY: the type says which structure it is.
                return Some(unsafe { &mut *at.cast() });
            }
            // SAFETY: as above.
            at = unsafe { (*at).next };
        }
        None
    }
}

/// Writes a text into an array of characters, which ends it with a zero. What does not fit is left out.
pub(crate) fn write_text(to: &mut [c_char], text: &[u8]) {
    to.fill(0);
    let room = to.len() - 1;
    for (to, from) in to[..room].iter_mut().zip(text) {
        *to = *from as c_char;
    }
}

/// No handle.
pub(crate) fn none<T>() -> *mut T {
    null_mut()
}
