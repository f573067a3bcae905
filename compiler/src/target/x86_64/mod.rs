// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! x86-64. Which of its vectors code may use is a matter of the [CPU's level](crate::CpuLevel).

use std::ffi::CStr;

use crate::CpuLevel;

/// LLVM's data layout.
pub const LAYOUT: &CStr = c"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// LLVM's function for the instruction that puts the elements of a register, integers of so many bits, in any order, and how many
/// there are; `None` if this CPU has none.
pub fn permutation(bits: u32) -> Option<(&'static str, u32)> {
    match (CpuLevel::current(), bits) {
        (CpuLevel::V4, 32) => Some(("llvm.x86.avx512.permvar.si.512", 16)),
        (CpuLevel::V4, 64) => Some(("llvm.x86.avx512.permvar.di.512", 8)),
        (CpuLevel::V3, 32) => Some(("llvm.x86.avx2.permd", 8)),
        _ => None,
    }
}
