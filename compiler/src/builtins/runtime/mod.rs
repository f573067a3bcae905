// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What emitted code calls, where the C library has nothing that fits.
//!
//! Every function is `extern "C"`, takes and gives numbers in registers, depends on its arguments alone and touches no
//! memory (but for [`printf`]): that is what [`super::libcalls`] promises LLVM about them. None may panic.

pub mod half;
pub mod huge;
pub mod integers;
pub mod libm;
pub mod pi;
pub mod printf;
pub mod quotient;
pub mod roots;
