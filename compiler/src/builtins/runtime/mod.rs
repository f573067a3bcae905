// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions that emitted code calls, where the C library's are missing or not precise enough.
//!
//! Every function is `extern "C"` and must not panic. The mathematical functions take and return numbers in registers,
//! depend only on their arguments and access no memory, as [`super::libcalls`] promises LLVM. Only some helpers store a
//! second result (`sincos`, `__muloti4` and its like), and [`printf`] reads its arguments from memory.

pub mod half;
pub mod huge;
pub mod integers;
pub mod libm;
pub mod pi;
pub mod printf;
pub mod quotient;
pub mod roots;
