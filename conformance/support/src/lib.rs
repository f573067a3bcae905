// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the conformance suites of UR and Level Zero share: device kernels, random commands, and tests in processes of their
//! own.

mod child;
mod kernels;
mod process;
pub mod random;

pub use child::{Ending, in_child};
pub use kernels::{compile, spirv};
pub use process::{Ended, run_test, with_variable};
