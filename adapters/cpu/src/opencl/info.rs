// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The answer to a query: the protocol of sizes that all `clGet*Info` functions share.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::Arc;

use kit::{InfoOut, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use super::error::{ClError, ClResult};
use super::handle::{ClObject, handle_of};

/// Where the client wants an answer.
pub(crate) struct Out {
    size: usize,
    buffer: *mut c_void,
    needed: *mut usize,
}

impl Out {
    /// Takes the last three parameters of a query, of which any may be null.
    ///
    /// # Safety
    /// `buffer`, unless null, must be writable for `size` bytes, and `needed`, unless null, for a `usize`, while the answer
    /// is used.
    pub(crate) unsafe fn new(size: usize, buffer: *mut c_void, needed: *mut usize) -> Self {
        Self { size, buffer, needed }
    }

    /// How many bytes the client has room for.
    pub(crate) fn room(&self) -> usize {
        if self.buffer.is_null() { usize::MAX } else { self.size }
    }

    /// An array.
    pub(crate) fn slice<T: Copy>(self, values: &[T]) -> ClResult<()> {
        let len = size_of_val(values);
        if !self.buffer.is_null() {
            if self.size < len {
                return Err(ClError::with_message(
                    CL_INVALID_VALUE,
                    format!("the answer has {len} bytes, and there is room for {}", self.size),
                ));
            }
            // SAFETY: `new`'s caller vouches for `size` bytes, which are enough.
            unsafe { self.buffer.copy_from_nonoverlapping(values.as_ptr().cast(), len) };
        }
        if !self.needed.is_null() {
            // SAFETY: `new`'s caller vouches for it.
            unsafe { self.needed.write_unaligned(len) };
        }
        Ok(())
    }

    /// A single value.
    pub(crate) fn value<T: Copy>(self, value: T) -> ClResult<()> {
        self.slice(&[value])
    }

    /// A `cl_bool`.
    pub(crate) fn bool(self, value: bool) -> ClResult<()> {
        self.value(cl_bool::from(value))
    }

    /// A string, to which the terminating zero is added.
    pub(crate) fn str(self, value: &str) -> ClResult<()> {
        self.slice(&[value.as_bytes(), b"\0"].concat())
    }

    /// The handle of an object; the client gets no reference.
    pub(crate) fn handle<T: ClObject>(self, object: &Arc<T>) -> ClResult<()> {
        self.value(handle_of(object))
    }

    /// The handles of objects; the client gets no references.
    pub(crate) fn handles<T: ClObject>(self, objects: &[Arc<T>]) -> ClResult<()> {
        self.slice(&objects.iter().map(handle_of).collect::<Vec<_>>())
    }

    /// What UR answers, where its types are those of OpenCL.
    pub(crate) fn same(self, ask: impl Fn(InfoOut<'_>) -> UrResult<()>) -> ClResult<()> {
        self.slice(&bytes(ask)?)
    }

    /// As [`Out::same`], where UR fills places that the client's buffer names.
    pub(crate) fn filled(self, ask: impl Fn(InfoOut<'_>) -> UrResult<()>) -> ClResult<()> {
        if self.buffer.is_null() {
            return self.same(ask);
        }
        // SAFETY: `new`'s caller vouches for both.
        Ok(ask(unsafe { InfoOut::new(self.size, self.buffer, self.needed) }?)?)
    }

    /// A truth value that UR answers.
    pub(crate) fn same_bool(self, ask: impl Fn(InfoOut<'_>) -> UrResult<()>) -> ClResult<()> {
        self.bool(bytes(ask)?.first().is_some_and(|value| *value != 0))
    }

    /// There is no such property.
    pub(crate) fn unknown(self) -> ClResult<()> {
        Err(CL_INVALID_VALUE.into())
    }
}

/// What UR answers.
fn bytes(ask: impl Fn(InfoOut<'_>) -> UrResult<()>) -> UrResult<Vec<u8>> {
    let mut len = 0;
    // SAFETY: no buffer, and a place for the size.
    ask(unsafe { InfoOut::new(0, ptr::null_mut(), &raw mut len) }?)?;
    let mut answer = vec![0u8; len];
    if len != 0 {
        // SAFETY: a buffer of that size.
        ask(unsafe { InfoOut::new(len, answer.as_mut_ptr().cast(), ptr::null_mut()) }?)?;
    }
    Ok(answer)
}

/// A value that UR answers.
pub(crate) fn value<T: Copy>(ask: impl Fn(InfoOut<'_>) -> UrResult<()>) -> UrResult<T> {
    let answer = bytes(ask)?;
    assert_eq!(answer.len(), size_of::<T>(), "UR has another type");
    // SAFETY: UR's answers are plain numbers, and these are enough bytes of one.
    Ok(unsafe { answer.as_ptr().cast::<T>().read_unaligned() })
}

/// A list of the client's.
///
/// # Safety
/// `values`, unless null, must point to `count` values that stay valid for `'a`.
pub(crate) unsafe fn list<'a, T>(count: usize, values: *const T) -> ClResult<&'a [T]> {
    match (count, values.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => Err(ClError::with_message(
            CL_INVALID_VALUE,
            "a list has elements and no address",
        )),
        // SAFETY: the caller vouches for it.
        _ => Ok(unsafe { std::slice::from_raw_parts(values, count) }),
    }
}

/// A place that must be there.
pub(crate) fn not_null<T>(place: *const T, what: &str) -> ClResult<()> {
    match place.is_null() {
        true => Err(ClError::with_message(CL_INVALID_VALUE, format!("{what} is null"))),
        false => Ok(()),
    }
}

/// Answers a function that lists objects: as many as there is room for, and how many there are.
///
/// # Safety
/// `handles`, unless null, must be writable for `capacity` handles, and `count`, unless null, for a number.
pub(crate) unsafe fn give_list(
    all: &[*mut c_void],
    capacity: cl_uint,
    handles: *mut *mut c_void,
    count: *mut cl_uint,
) -> ClResult<()> {
    if (handles.is_null() && count.is_null()) || (capacity == 0 && !handles.is_null()) {
        return Err(ClError::with_message(
            CL_INVALID_VALUE,
            "there is no room for an answer",
        ));
    }
    // SAFETY: the caller vouches for the places.
    unsafe {
        if !handles.is_null() {
            handles.copy_from_nonoverlapping(all.as_ptr(), all.len().min(capacity as usize));
        }
        if !count.is_null() {
            count.write(all.len() as cl_uint);
        }
    }
    Ok(())
}

/// A string of the client's.
///
/// # Safety
/// `text`, unless null, must be a string that stays valid for `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Option<&'a std::ffi::CStr> {
    // SAFETY: the caller vouches for it.
    (!text.is_null()).then(|| unsafe { std::ffi::CStr::from_ptr(text) })
}
