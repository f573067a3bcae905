// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Calls of the client's functions, which may throw exceptions of C++.
//!
//! A function that runs inside the client's own call, as that of `urEnqueueNativeCommandExp` does, may throw: the exception
//! passes through the adapter and the loader to the client. It must not meet `catch_unwind` on its way, which ends the
//! process when it catches what is not Rust's. All other functions run where nobody could catch what they throw: on a thread
//! of the adapter's or the driver's, or while an object is destroyed. As in C++, an exception ends the process there.

use core::ffi::{c_char, c_void};

use crate::types::*;

/// A C function of the client's. The type that the headers give it cannot unwind, but the function may.
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
                // SAFETY: the two ABIs differ in nothing but what the compiler takes for granted: a function of the one is
                // one of the other.
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

/// Makes a call of the client's function where nobody could catch what it throws. If it throws, the process ends, and stderr
/// says that it was `what`.
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
    // An exception runs what is to be dropped on its way only if somebody further up catches it. Who is there is not known:
    // frames of a driver may not even be fit for the search. It never gets here.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(guarded)) {
        Ok(result) => result,
        Err(_) => std::process::abort(),
    }
}
