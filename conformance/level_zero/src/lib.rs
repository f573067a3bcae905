// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the conformance tests of Level Zero are written with: the library under test, objects that destroy themselves, a
//! rig of them, device kernels, and known deviations as data.
//!
//! The tests run against any `libze_loader.so.1` and the first driver that it finds:
//!
//! | variable | meaning |
//! |---|---|
//! | `OXUR_TEST_ZE_LOADER` | the loader; where unset, the newest of `target/env/level-zero` |
//! | `ZE_ENABLE_ALT_DRIVERS` | the loader's own variable; with our default loader, `dist/lib/libze_oxur_cpu.so.1` where unset |
//! | `OXUR_ZE_GRAPHS` | how many random command graphs are run, 30 where unset |
//! | `OXUR_ZE_GRAPH_SEED` | the random command graph that is run alone, as a failure names it |
//!
//! A missing library, driver or kernel compiler is a failure, not a skipped test. Intel's driver runs without a GPU, but
//! executes nothing: tests that need results begin with [`Rig::executing`], and say so there.

#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    clippy::macro_metavars_in_unsafe,
    reason = "a test calls functions of the API with what it likes: that is what it tests"
)]

mod expect;
mod objects;
mod rig;
mod stack;

pub use expect::{Known, expect_code};
pub use level_zero_sys as sys;
pub use objects::{
    Context, Event, Fence, Image, Kernel, List, Module, Plain, Pool, Queue, Sampler, Usm, handles_of, optional,
};
pub use oxur_conformance_support::{Ended, Ending, in_child, run_test, with_variable};
pub use rig::{FOREVER, Rig, chain, has_extension, loader_is_old, plain_image, require_extension};
pub use stack::{Stack, drivers, function, intel, loader, or_intel, stack, uninitialised_loader};

use level_zero_sys::ze_result_t;

/// The SPIR-V of `kernels/<name>.cl` or `kernels/<name>.spvasm`, or of a section: see
/// [`oxur_conformance_support::spirv`].
pub fn spirv(name: &str) -> Vec<u8> {
    let root = stack::root();
    let kernels = root.join("conformance/level_zero/kernels");
    oxur_conformance_support::spirv(&kernels, &root.join("target/kernels/level_zero"), name)
}

/// Asserts that a call succeeded. [`ok!`] calls it.
#[track_caller]
pub fn assert_success(call: &str, result: ze_result_t) {
    assert!(result == level_zero_sys::ZE_RESULT_SUCCESS, "{call}\n gave {result}");
}

/// Calls a function of Level Zero and gives its result code: `ze!(zeContextDestroy(context))`.
#[macro_export]
macro_rules! ze {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        let function = $crate::function(stringify!($name), |functions| functions.$name);
        // SAFETY: a test gives arguments that the function must accept, or bad ones that its specification says it
        // refuses; pointers are to locals of the test that are long enough.
        #[allow(unused_unsafe, reason = "an argument may be a call by itself")]
        unsafe { function($($arg),*) }
    }};
}

/// Calls a function of Level Zero that must succeed: `ok!(zeContextDestroy(context))`.
#[macro_export]
macro_rules! ok {
    ($name:ident($($arg:expr),* $(,)?)) => {
        $crate::assert_success(stringify!($name($($arg),*)), $crate::ze!($name($($arg),*)))
    };
}

/// Asserts the result code of a call: `expect!(zeFenceReset(null_mut()), ZE_RESULT_ERROR_INVALID_NULL_HANDLE)`. A known
/// deviation of Intel's stack follows it, and is asserted in turn:
/// `expect!(zeFenceReset(fence), ZE_RESULT_SUCCESS; intel ZE_RESULT_NOT_READY, "the reason")`, or `intel crash`.
#[macro_export]
macro_rules! expect {
    ($name:ident($($arg:expr),* $(,)?), $($code:ident)|+ $(; intel $($known:ident)|+, $reason:expr)?) => {
        $crate::expect_code(
            stringify!($name($($arg),*)),
            || $crate::ze!($name($($arg),*)),
            &[$($crate::sys::$code),+],
            $crate::expect!(@known $($($known)|+, $reason)?),
        )
    };
    (@known) => { None };
    (@known crash, $reason:expr) => { Some($crate::Known::Crash($reason)) };
    (@known $($known:ident)|+, $reason:expr) => {
        Some($crate::Known::Codes(&[$($crate::sys::$known),+], $reason))
    };
}
