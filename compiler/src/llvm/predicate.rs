// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Comparisons of integers.

use llvm_sys::LLVMIntPredicate::{self, *};

/// What holds where a predicate does not.
pub fn inverse(predicate: LLVMIntPredicate) -> LLVMIntPredicate {
    match predicate {
        LLVMIntEQ => LLVMIntNE,
        LLVMIntNE => LLVMIntEQ,
        LLVMIntUGT => LLVMIntULE,
        LLVMIntUGE => LLVMIntULT,
        LLVMIntULT => LLVMIntUGE,
        LLVMIntULE => LLVMIntUGT,
        LLVMIntSGT => LLVMIntSLE,
        LLVMIntSGE => LLVMIntSLT,
        LLVMIntSLT => LLVMIntSGE,
        LLVMIntSLE => LLVMIntSGT,
    }
}

/// What holds of `b` and `a` where a predicate holds of `a` and `b`.
pub fn swapped(predicate: LLVMIntPredicate) -> LLVMIntPredicate {
    match predicate {
        LLVMIntEQ | LLVMIntNE => predicate,
        LLVMIntUGT => LLVMIntULT,
        LLVMIntUGE => LLVMIntULE,
        LLVMIntULT => LLVMIntUGT,
        LLVMIntULE => LLVMIntUGE,
        LLVMIntSGT => LLVMIntSLT,
        LLVMIntSGE => LLVMIntSLE,
        LLVMIntSLT => LLVMIntSGT,
        LLVMIntSLE => LLVMIntSGE,
    }
}
