// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Null handles and pointers. The build script finds out from the headers which arguments must not be null, and each function
//! looks at its arguments before anything else.

use level_zero_sys::*;

use crate::entry::{Error, ZeResult};

/// The places of arguments that must not be null, as bits.
#[derive(Clone, Copy)]
pub(crate) struct Nulls {
    handles: u32,
    pointers: u32,
}

/// The functions of the driver.
#[allow(non_upper_case_globals, reason = "they have the names of the functions")]
#[allow(
    dead_code,
    reason = "functions that answer something else than a result look by themselves"
)]
pub(crate) mod of {
    use super::Nulls;

    include!(concat!(env!("OUT_DIR"), "/nulls.rs"));
}

impl Nulls {
    /// Checks arguments, of which these are null.
    #[inline]
    pub(crate) fn check<const N: usize>(self, null: [bool; N], names: &[&str; N]) -> ZeResult {
        let null = null.iter().rev().fold(0, |bits, null| bits << 1 | u32::from(*null));
        if null & (self.handles | self.pointers) == 0 {
            return Ok(());
        }
        Err(self.error(null, names))
    }

    #[cold]
    fn error(self, null: u32, names: &[&str]) -> Error {
        let (code, wrong) = match null & self.handles {
            0 => (ZE_RESULT_ERROR_INVALID_NULL_POINTER, null & self.pointers),
            handles => (ZE_RESULT_ERROR_INVALID_NULL_HANDLE, handles),
        };
        let name = names.get(wrong.trailing_zeros() as usize).unwrap_or(&"an argument");
        Error::new(code, format_args!("{name} is null"))
    }
}

/// An argument of any type. Method resolution prefers [`Pointer`] for those that are pointers, and takes [`Other`] for the rest.
pub(crate) struct Argument<T>(pub(crate) T);

/// An argument that may be null.
pub(crate) trait Pointer {
    /// Whether it is.
    fn is_null(&self) -> bool;
}

impl<T> Pointer for Argument<*const T> {
    fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

impl<T> Pointer for Argument<*mut T> {
    fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

impl<F: Copy> Pointer for Argument<Option<F>> {
    fn is_null(&self) -> bool {
        self.0.is_none()
    }
}

/// An argument that is never null.
pub(crate) trait Other {
    /// It is not.
    fn is_null(&self) -> bool {
        false
    }
}

impl<T> Other for &Argument<T> {}
