// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The answer to a query: the protocol of sizes that all `ur*GetInfo` functions share.

use std::ffi::{CStr, c_void};
use std::marker::PhantomData;
use std::sync::Arc;

use oxur_api::ResultCode;
use oxur_api::meta::Named;

use crate::{Object, UrResult, args, handle_of, libsycl_compat};

/// Where the client wants an answer: a buffer with its size, or the size that is needed, or both.
///
/// An adapter's `info` maps the property to a value and calls one of the methods:
///
/// ```ignore
/// match query {
///     QueueInfo::CONTEXT => out.handle(&self.context),
///     QueueInfo::FLAGS => out.value(self.flags),
///     _ => out.unsupported(),
/// }
/// ```
pub struct InfoOut<'a> {
    size: usize,
    buffer: *mut c_void,
    needed: *mut usize,
    client: PhantomData<&'a mut ()>,
}

/// The value that an object answers a query with, if it has one of that type.
pub(crate) fn ask<T: Copy + Default>(answer: impl FnOnce(InfoOut<'_>) -> UrResult<()>) -> Option<T> {
    let (mut value, mut size) = (T::default(), 0);
    // SAFETY: places of these sizes.
    let out = unsafe { InfoOut::new(size_of::<T>(), (&raw mut value).cast(), &raw mut size) };
    let answered = out.and_then(answer).is_ok() && size == size_of::<T>();
    answered.then_some(value)
}

impl<'a> InfoOut<'a> {
    /// Takes the last four parameters of a query.
    ///
    /// A property beyond the last one that the ABI defines is `INVALID_ENUMERATION`. A smaller number without a name is
    /// for the adapter to refuse: it may have had a name in an earlier release.
    ///
    /// # Safety
    /// As [`InfoOut::new`].
    pub unsafe fn of<Q: Named>(query: Q, size: usize, buffer: *mut c_void, needed: *mut usize) -> UrResult<Self> {
        args::not_beyond_last(query)?;
        // SAFETY: passed on to the caller.
        unsafe { Self::new(size, buffer, needed) }
    }

    /// Takes the last three parameters of a query.
    ///
    /// Both pointers null is `INVALID_NULL_POINTER`; a buffer of no bytes, and no buffer for some bytes, are the errors
    /// that the specification names.
    ///
    /// # Safety
    /// `buffer`, unless null, must be writable for `size` bytes, and `needed`, unless null, for a `usize`, for `'a`.
    pub unsafe fn new(size: usize, buffer: *mut c_void, needed: *mut usize) -> UrResult<Self> {
        if buffer.is_null() && (size != 0 || needed.is_null()) {
            return Err(ResultCode::ERROR_INVALID_NULL_POINTER.into());
        }
        if !buffer.is_null() && size == 0 {
            return Err(ResultCode::ERROR_INVALID_SIZE.into());
        }
        Ok(Self {
            size,
            buffer,
            needed,
            client: PhantomData,
        })
    }

    /// Takes the last three parameters of `urEventGetProfilingInfo`, whose rules differ: a buffer of no bytes is
    /// `INVALID_VALUE`, and a client need not want an answer at all. It learns whether there is one.
    ///
    /// # Safety
    /// As [`InfoOut::new`].
    pub(crate) unsafe fn of_profiling(size: usize, buffer: *mut c_void, needed: *mut usize) -> UrResult<Self> {
        if !buffer.is_null() && size == 0 {
            return Err(ResultCode::ERROR_INVALID_VALUE.into());
        }
        Ok(Self {
            size,
            buffer,
            needed,
            client: PhantomData,
        })
    }

    /// An answer of `len` bytes that `write` fills; it is called only where the client gave a buffer, which is large enough.
    pub fn bytes(self, len: usize, write: impl FnOnce(*mut u8) -> UrResult<()>) -> UrResult<()> {
        if !self.buffer.is_null() {
            if self.size < len {
                return Err(ResultCode::ERROR_INVALID_SIZE.into());
            }
            write(self.buffer.cast())?;
        }
        if !self.needed.is_null() {
            // SAFETY: `new`'s caller vouches for it.
            unsafe { self.needed.write_unaligned(len) };
        }
        Ok(())
    }

    /// An array.
    pub fn slice<T: Copy>(self, values: &[T]) -> UrResult<()> {
        let len = size_of_val(values);
        self.bytes(len, |buffer| {
            // SAFETY: `bytes` checked that the client's buffer holds `len` bytes.
            unsafe { buffer.copy_from_nonoverlapping(values.as_ptr().cast(), len) };
            Ok(())
        })
    }

    /// A single value.
    pub fn value<T: Copy>(self, value: T) -> UrResult<()> {
        self.slice(&[value])
    }

    /// As [`InfoOut::value`], but an older client that asks for the size alone, or has too small a buffer, is told that
    /// there is no such property.
    ///
    /// For `MAX_WORK_GROUPS`, whose number, 133, was `XE_STACK_COUNT`, a `u32`, until 2026.1. A libsycl of that age asks
    /// only for the size, to learn whether the device has stacks, and must not hear that it has.
    pub fn value_since_2026_2<T: Copy>(self, value: T) -> UrResult<()> {
        self.value_unless(value, libsycl_compat::is_before_2026_2)
    }

    fn value_unless<T: Copy>(self, value: T, is_older: impl FnOnce() -> bool) -> UrResult<()> {
        if (self.buffer.is_null() || self.size < size_of::<T>()) && is_older() {
            return self.unsupported();
        }
        self.value(value)
    }

    /// A single value, where there is one.
    pub fn optional<T: Copy>(self, value: Option<T>) -> UrResult<()> {
        match value {
            Some(value) => self.value(value),
            None => self.unsupported(),
        }
    }

    /// A `ur_bool_t`.
    pub fn bool(self, value: bool) -> UrResult<()> {
        self.value(u8::from(value))
    }

    /// A string, given with its terminating zero.
    pub fn c_str(self, value: &CStr) -> UrResult<()> {
        self.slice(value.to_bytes_with_nul())
    }

    /// A string, to which the terminating zero is added.
    pub fn str(self, value: &str) -> UrResult<()> {
        let len = value.len() + 1;
        self.bytes(len, |buffer| {
            // SAFETY: `bytes` checked that the client's buffer holds `len` bytes.
            unsafe {
                buffer.copy_from_nonoverlapping(value.as_ptr(), value.len());
                buffer.add(value.len()).write(0);
            }
            Ok(())
        })
    }

    /// The handle of an object; the client gets no reference.
    pub fn handle<T: Object>(self, object: &Arc<T>) -> UrResult<()> {
        self.value(handle_of(object))
    }

    /// The handles of objects; the client gets no references.
    pub fn handles<T: Object>(self, objects: &[Arc<T>]) -> UrResult<()> {
        self.slice(&objects.iter().map(handle_of).collect::<Vec<_>>())
    }

    /// The client's reference count of an object.
    pub fn references<T: Object>(self, object: &T) -> UrResult<()> {
        self.value(object.handle_cell().references())
    }

    /// What an adapter says to a property that it does not have.
    pub fn unsupported(self) -> UrResult<()> {
        Err(ResultCode::ERROR_UNSUPPORTED_ENUMERATION.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks for a `usize` of a number that is used twice, as a client with a buffer of `size` bytes would.
    fn ask(size: usize, is_older: bool) -> (Result<(), ResultCode>, usize, usize) {
        let (mut value, mut needed) = (0usize, 0usize);
        let buffer = if size == 0 {
            std::ptr::null_mut()
        } else {
            (&raw mut value).cast()
        };
        // SAFETY: a null pointer, or a buffer of at least `size` bytes, and a place for the size.
        let out = unsafe { InfoOut::new(size, buffer, &raw mut needed) }.unwrap();
        let result = out.value_unless(usize::MAX, || is_older);
        (result.map_err(|error| error.code()), value, needed)
    }

    #[test]
    fn no_stacks_for_an_old_client() {
        let unsupported = Err(ResultCode::ERROR_UNSUPPORTED_ENUMERATION);
        assert_eq!(ask(0, true), (unsupported, 0, 0));
        assert_eq!(ask(size_of::<u32>(), true), (unsupported, 0, 0));
        assert_eq!(ask(size_of::<usize>(), true), (Ok(()), usize::MAX, 8));
        assert_eq!(ask(0, false), (Ok(()), 0, 8));
        assert_eq!(
            ask(size_of::<u32>(), false),
            (Err(ResultCode::ERROR_INVALID_SIZE), 0, 0)
        );
        assert_eq!(ask(size_of::<usize>(), false), (Ok(()), usize::MAX, 8));
    }
}
