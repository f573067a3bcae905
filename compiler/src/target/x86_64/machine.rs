// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The machine that LLVM makes code for.

use std::ffi::{CStr, CString};

use llvm_sys::target::*;

use super::CpuLevel;
use crate::llvm;
use crate::target::MachineName;

/// LLVM's name of the processors, the system and its ABI.
const TRIPLE: &CStr = c"x86_64-pc-linux-gnu";

/// Has LLVM know these processors.
pub fn initialize() {
    // SAFETY: no preconditions; LLVM is open, as the caller sees to.
    unsafe {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
    }
}

/// This CPU, with the features that code may use.
pub fn machine() -> MachineName {
    let (cpu, features) = llvm::host_cpu();
    let features = features + CpuLevel::current().limit_features();
    MachineName {
        triple: TRIPLE,
        cpu: CString::new(cpu).expect("LLVM's texts are C strings"),
        features: CString::new(features).expect("LLVM's texts are C strings"),
    }
}
