// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Calls client functions, which may throw C++ exceptions.
//!
//! A function that runs inside the client's own call, such as that of `urEnqueueNativeCommandExp`, may throw: the exception
//! passes through the adapter and the loader to the client. There must be no `catch_unwind` on its way, because that aborts
//! the process when it catches a foreign exception. All other functions run where nobody could catch an exception: on a thread
//! of the adapter or the driver, or while an object is destroyed. As in C++, an exception terminates the process there.

use core::ffi::{c_char, c_void};

use crate::types::*;

/// A C function of the client. Its type in the headers cannot unwind, but the function may.
pub trait MayThrow {
    /// The type of the same function, as one that may unwind.
    type Unwinding;

    /// The same function.
    fn may_throw(self) -> Self::Unwinding;
}

macro_rules! may_throw {
    ($( ($($p:ty),*) $(-> $r:ty)?; )*) => { $(
        impl MayThrow for unsafe extern "C" fn($($p),*) $(-> $r)? {
            type Unwinding = unsafe extern "C-unwind" fn($($p),*) $(-> $r)?;

            #[inline(always)]
            fn may_throw(self) -> Self::Unwinding {
                // SAFETY: the two ABIs differ only in the compiler's assumptions, so a function of one type is valid as the
                // other.
                unsafe { core::mem::transmute(self) }
            }
        }
    )* };
}

may_throw! {
    (*mut c_void);
    (*mut c_void) -> CodeLocation;
    (QueueHandle, *mut c_void);
    (EventHandle, ExecutionInfo, *mut c_void);
    (LoggerLevel, *const c_char, *mut c_void);
}

/// Calls a client function where nobody could catch an exception. If it throws, the process terminates with a message on
/// stderr that names `what`.
pub fn call_or_abort<R>(what: &str, call: impl FnOnce() -> R) -> R {
    struct Thrown<'a>(&'a str);

    impl Drop for Thrown<'_> {
        fn drop(&mut self) {
            eprintln!("oxur: {} threw an exception, which nobody can catch there", self.0);
            std::process::abort();
        }
    }

    let guarded = || {
        let thrown = Thrown(what);
        let result = call();
        core::mem::forget(thrown);
        result
    };
    // Unwinding drops the values on its way only if a frame further up catches the exception. These frames are unknown, and
    // those of a driver may not even support the search. The exception never gets past this function.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(guarded)) {
        Ok(result) => result,
        Err(_) => std::process::abort(),
    }
}
