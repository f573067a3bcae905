// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions of the dispatch table that are not supported: ICD loaders call through it without a look, so each has an entry
//! that says no.

use std::ffi::c_void;

use opencl_sys::*;

use super::error::{ClError, guard, guard_new};

/// The name of a function.
pub(super) trait Name {
    const NAME: &'static str;
}

/// The type of a function that can be refused.
pub(super) trait Refused<N> {
    /// One that answers `CL_INVALID_OPERATION`.
    const FUNCTION: Self;
}

fn error() -> ClError {
    ClError::with_message(CL_INVALID_OPERATION, "this driver does not have the function")
}

macro_rules! arities {
    ($( $entry:ident $creation:ident ($($p:ident)*); )*) => { $(
        unsafe extern "C" fn $entry<N: Name, $($p),*>($(_: $p),*) -> cl_int {
            guard(N::NAME, || Err(error()))
        }

        impl<N: Name, $($p),*> Refused<N> for unsafe extern "C" fn($($p),*) -> cl_int {
            const FUNCTION: Self = $entry::<N, $($p),*>;
        }

        unsafe extern "C" fn $creation<N: Name, $($p),*>($(_: $p,)* place: *mut cl_int) -> *mut c_void {
            // SAFETY: the last parameter of a function that makes something is null or a place for its error.
            unsafe { guard_new(N::NAME, place, || Err(error())) }
        }

        impl<N: Name, $($p),*> Refused<N> for unsafe extern "C" fn($($p,)* *mut cl_int) -> *mut c_void {
            const FUNCTION: Self = $creation::<N, $($p),*>;
        }
    )* };
}

arities! {
    entry1 creation1 (A);
    entry2 creation2 (A B);
    entry3 creation3 (A B C);
    entry4 creation4 (A B C D);
    entry5 creation5 (A B C D E);
    entry6 creation6 (A B C D E F);
    entry7 creation7 (A B C D E F G);
    entry8 creation8 (A B C D E F G H);
    entry9 creation9 (A B C D E F G H I);
    entry10 creation10 (A B C D E F G H I J);
    entry11 creation11 (A B C D E F G H I J K);
    entry12 creation12 (A B C D E F G H I J K L);
}

/// `clSVMAlloc`: there is no SVM, as `CL_DEVICE_SVM_CAPABILITIES` says.
#[allow(non_snake_case, reason = "the C ABI decides")]
pub(super) unsafe extern "C" fn clSVMAlloc(_: cl_context, _: cl_svm_mem_flags, _: usize, _: cl_uint) -> *mut c_void {
    log::warn!("clSVMAlloc: the device has no SVM, but USM");
    std::ptr::null_mut()
}

/// `clSVMFree`: there is no SVM, so nothing to free.
#[allow(non_snake_case, reason = "the C ABI decides")]
pub(super) unsafe extern "C" fn clSVMFree(_: cl_context, address: *mut c_void) {
    if !address.is_null() {
        log::warn!("clSVMFree: {address:p} is no SVM");
    }
}
