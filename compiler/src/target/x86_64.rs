// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! x86-64. Which of its vectors code may use is a matter of the [CPU's level](crate::CpuLevel).

use std::ffi::CStr;

/// LLVM's data layout.
pub const LAYOUT: &CStr = c"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";
