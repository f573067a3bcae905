// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the conformance tests stand on: which library is under test, a rig of objects, device kernels, and known
//! deviations as data.
//!
//! The tests run against any `libur_loader.so.0` and whatever adapters it finds:
//!
//! | variable | meaning |
//! |---|---|
//! | `OXUR_TEST_LOADER` | the loader; `dist/lib/libur_loader.so.0` of this workspace where unset |
//! | `UR_ADAPTERS_FORCE_LOAD` | the loader's own variable; with our default loader, the OpenCL adapter beside it where unset |
//! | `OCL_ICD_FILENAMES`, `OCL_ICD_VENDORS` | the OpenCL drivers; where both are unset, Intel's of `target/env` |
//! | `OXUR_GRAPHS` | how many random command buffers are run, 300 where unset; from the thousandth on they are large |
//! | `OXUR_GRAPH_SEED` | the random command buffer that is run alone, as a failure names it |
//! | `OXUR_UR_GRAPHS` | how many random graphs of commands of queues are run, 40 where unset |
//! | `OXUR_UR_GRAPH_SEED` | the random graph that is run alone, as a failure names it |
//!
//! A missing library, driver or kernel compiler is a failure, not a skipped test.

mod documented;
mod expect;
mod infos;
mod rig;
mod stack;
mod user_event;

pub use expect::{Known, check, expect_code};
pub use infos::{Allowed, GetInfo, check_infos, variants};
pub use oxur_client as client;
pub use oxur_client::api;
pub use oxur_conformance_support::{Ending, in_child, run_test, with_variable};
pub use rig::{Rig, is_complete, values};
pub use stack::{Stack, intel, loader, stack, uninitialised_loader};
pub use user_event::{PATIENCE, UserEvent};

/// The SPIR-V of `kernels/<name>.cl` or `kernels/<name>.spvasm`, or of a section: see
/// [`oxur_conformance_support::spirv`].
pub fn spirv(name: &str) -> Vec<u8> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    oxur_conformance_support::spirv(&folder.join("kernels"), &folder.join("../../target/kernels"), name)
}

/// Calls a C function and gives its result code: `ur!(urQueueFinish(queue))`.
#[macro_export]
macro_rules! ur {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        let fns = $crate::loader().fns();
        // SAFETY: a test gives arguments that the function must accept, or bad ones that its specification says it
        // refuses; pointers are to locals of the test that are long enough.
        #[allow(unused_unsafe, reason = "an argument may be a call by itself")]
        $crate::check(unsafe { fns.$name($($arg),*) })
    }};
}

/// Asserts a result code: `expect!(ur!(…), ERROR_INVALID_SIZE)`. A known deviation of a stack stands beside it, and is
/// asserted in turn: `expect!(ur!(…), ERROR_INVALID_SIZE; intel ERROR_INVALID_VALUE, "the reason")`, or `intel crash`.
#[macro_export]
macro_rules! expect {
    ($result:expr, $($code:ident)|+ $(; intel $($known:ident)|+, $reason:expr)?) => {
        $crate::expect_code(
            stringify!($result),
            || $result,
            &[$($crate::api::ResultCode::$code),+],
            $crate::expect!(@known $($($known)|+, $reason)?),
        )
    };
    (@known) => { None };
    (@known crash, $reason:expr) => { Some($crate::Known::Crash($reason)) };
    (@known $($known:ident)|+, $reason:expr) => {
        Some($crate::Known::Codes(&[$($crate::api::ResultCode::$known),+], $reason))
    };
}
