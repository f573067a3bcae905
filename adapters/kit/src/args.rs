// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Decoding of C arguments: pointers become references, slices and strings, or an error code.
//!
//! Every function here trusts what no callee can check: that a pointer that is not null points to what its type says.

use std::borrow::Borrow;
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::sync::Arc;

use oxur_api::meta::Named;
use oxur_api::{ResultCode, SpecializationConstantInfo};

use crate::handle::{Object, export, handle_of, object};
use crate::{UrError, UrResult};

/// A place for a result that the client must give.
///
/// # Safety
/// `pointer`, unless null, must be writable for `'a`.
pub unsafe fn out<'a, T>(pointer: *mut T) -> UrResult<&'a mut MaybeUninit<T>> {
    // SAFETY: passed on to the caller; `MaybeUninit` asks nothing of the memory's contents.
    unsafe { pointer.cast::<MaybeUninit<T>>().as_mut() }.ok_or_else(|| ResultCode::ERROR_INVALID_NULL_POINTER.into())
}

/// A structure that the client must give.
///
/// # Safety
/// `pointer`, unless null, must point to a `T` that stays unchanged for `'a`.
pub unsafe fn required<'a, T>(pointer: *const T) -> UrResult<&'a T> {
    // SAFETY: passed on to the caller.
    unsafe { pointer.as_ref() }.ok_or_else(|| ResultCode::ERROR_INVALID_NULL_POINTER.into())
}

/// An array; no elements may be a null pointer.
///
/// # Safety
/// `pointer`, unless null, must point to `count` elements that stay unchanged for `'a`.
pub unsafe fn slice<'a, T>(pointer: *const T, count: usize) -> UrResult<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(ResultCode::ERROR_INVALID_NULL_POINTER.into());
    }
    if count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(ResultCode::ERROR_INVALID_SIZE.into());
    }
    // SAFETY: passed on to the caller.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// The objects behind an array of handles.
///
/// # Safety
/// As [`slice`], and each handle as [`object`] demands.
pub unsafe fn objects<T: Object>(handles: *const T::Handle, count: u32) -> UrResult<Vec<Arc<T>>> {
    // SAFETY: passed on to the caller.
    let handles = unsafe { slice(handles, count as usize) }?;
    // SAFETY: passed on to the caller.
    handles
        .iter()
        .map(|&handle| unsafe { object(handle) }.map(|o| Arc::clone(&o)))
        .collect()
}

/// A string that the client must give.
///
/// # Safety
/// `pointer`, unless null, must point to a zero-terminated string that stays unchanged for `'a`.
pub unsafe fn c_str<'a>(pointer: *const c_char) -> UrResult<&'a CStr> {
    // SAFETY: passed on to the caller.
    unsafe { optional_c_str(pointer) }.ok_or_else(|| ResultCode::ERROR_INVALID_NULL_POINTER.into())
}

/// A string that the client may give.
///
/// # Safety
/// As [`c_str`].
pub unsafe fn optional_c_str<'a>(pointer: *const c_char) -> Option<&'a CStr> {
    // SAFETY: passed on to the caller.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) })
}

/// Specialization constants, of which there is at least one: pairs of an id and a value.
///
/// # Safety
/// As [`slice`], and each value must point to as many bytes as its size says.
pub unsafe fn specialization_constants<'a>(
    constants: *const SpecializationConstantInfo,
    count: u32,
) -> UrResult<Vec<(u32, &'a [u8])>> {
    not_null(constants)?;
    if count == 0 {
        return Err(ResultCode::ERROR_INVALID_SIZE.into());
    }
    // SAFETY: passed on to the caller.
    let constants = unsafe { slice(constants, count as usize) }?;
    constants
        .iter()
        .map(|c| match c.pValue.is_null() {
            true => Err(crate::error!(ERROR_INVALID_VALUE: "the specialization constant {} has no value", c.id)),
            // SAFETY: passed on to the caller.
            false => Ok((c.id, unsafe { slice(c.pValue.cast::<u8>(), c.size) }?)),
        })
        .collect()
}

/// The two-call protocol of functions that list objects: how many, and the first `capacity` of them.
///
/// # Safety
/// `handles`, unless null, must be writable for `capacity` handles, and `count`, unless null, for a `u32`.
pub unsafe fn list<T: Object, A: Borrow<Arc<T>>>(
    items: &[A],
    counted: bool,
    capacity: u32,
    handles: *mut T::Handle,
    count: *mut u32,
) -> UrResult<()> {
    if handles.is_null() && capacity > 0 {
        return Err(ResultCode::ERROR_INVALID_NULL_POINTER.into());
    }
    if !handles.is_null() && capacity == 0 {
        return Err(ResultCode::ERROR_INVALID_SIZE.into());
    }
    if !handles.is_null() {
        for (i, item) in items.iter().take(capacity as usize).enumerate() {
            let item = item.borrow();
            let handle = if counted { export(item) } else { handle_of(item) };
            // SAFETY: the caller vouches for `capacity` handles.
            unsafe { handles.add(i).write(handle) };
        }
    }
    if !count.is_null() {
        // SAFETY: the caller vouches for it.
        unsafe { count.write(u32::try_from(items.len()).unwrap_or(u32::MAX)) };
    }
    Ok(())
}

/// Checks that a pointer that must not be null is not.
pub fn not_null<T>(pointer: *const T) -> UrResult<()> {
    if pointer.is_null() {
        Err(ResultCode::ERROR_INVALID_NULL_POINTER.into())
    } else {
        Ok(())
    }
}

/// Checks an enumerator against those that the ABI defines.
#[inline]
pub fn known<T: Named>(value: T) -> UrResult<()> {
    if T::VARIANTS.iter().any(|variant| variant.value == value.number()) {
        return Ok(());
    }
    Err(unknown(value.number()))
}

/// Checks that an enumerator is not larger than the last one that the ABI defines. It may still have no name.
#[inline]
pub(crate) fn not_beyond_last<T: Named>(value: T) -> UrResult<()> {
    if value.number() <= T::LAST {
        return Ok(());
    }
    Err(unknown(value.number()))
}

#[cold]
fn unknown(value: u32) -> UrError {
    crate::error!(ERROR_INVALID_ENUMERATION: "there is no enumerator {value:#x}")
}

/// Checks flags against those that the ABI defines.
#[inline]
pub fn known_flags<F: Named>(flags: F) -> UrResult<()> {
    let unknown = flags.number() & !F::MASK;
    if unknown == 0 {
        return Ok(());
    }
    Err(unknown_flags(unknown))
}

#[cold]
fn unknown_flags(unknown: u32) -> UrError {
    crate::error!(ERROR_INVALID_ENUMERATION: "unknown flags {unknown:#x}")
}
