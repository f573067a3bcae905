// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Finds the adapter's functions for a handle, in every call except those that
//! [`symbols`](crate::symbols) route directly to the only adapter.
//!
//! The first word of a handle points to its adapter's DDI table. A call reads it and the function behind it: no lock,
//! no allocation, no search.

use oxur_api::{DdiTable, Handle, ResultCode};

use crate::state;

/// The table of the adapter that made `handle`.
///
/// # Safety
/// `handle` is null or a live handle of an adapter.
#[inline(always)]
pub(crate) unsafe fn table_of<H: Handle>(handle: H) -> Result<&'static DdiTable, ResultCode> {
    if handle.is_null() {
        return Err(no_handle());
    }
    // SAFETY: the caller vouches for the handle; adapters are never unloaded, so their tables stay.
    Ok(unsafe { &**handle.as_ptr().cast::<*const DdiTable>() })
}

/// The table of the adapter that made the first of `count` handles.
///
/// # Safety
/// `array` is null or points to `count` handles, each of them null or alive.
#[inline(always)]
pub(crate) unsafe fn table_of_first<H: Handle>(
    count: u32,
    array: *const H,
    empty: ResultCode,
    null_element: ResultCode,
) -> Result<&'static DdiTable, ResultCode> {
    if array.is_null() || count == 0 {
        let code = if count == 0 {
            empty
        } else {
            ResultCode::ERROR_INVALID_NULL_POINTER
        };
        return Err(if state::initialized() {
            code
        } else {
            ResultCode::ERROR_UNINITIALIZED
        });
    }
    // SAFETY: the caller vouches for `count` handles, and there is at least one.
    unsafe { table_of(*array) }.map_err(|_| null_element)
}

/// The result of a call without a handle.
#[cold]
fn no_handle() -> ResultCode {
    if state::initialized() {
        ResultCode::ERROR_INVALID_NULL_HANDLE
    } else {
        ResultCode::ERROR_UNINITIALIZED
    }
}
