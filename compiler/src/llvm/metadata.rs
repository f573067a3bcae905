// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Metadata of instructions: marks, and hints for LLVM's passes.

use std::ffi::CStr;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
use llvm_sys::prelude::*;

use super::Value;

// The SAFETY of this file: as in `value.rs`.

impl Value<'_> {
    /// Marks an instruction by a name, which LLVM does not know and may drop.
    pub fn mark(self, name: &CStr) -> Self {
        // SAFETY: an instruction; the name is read.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
            let node = LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0);
            LLVMSetMetadata(self.0, mark_kind(context, name), LLVMMetadataAsValue(context, node));
        }
        self
    }

    /// Has a store go past the caches.
    pub fn nontemporal(self) {
        // SAFETY: a store; the name is read.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
            let one = LLVMConstInt(LLVMInt32TypeInContext(context), 1, 0);
            let mut one = LLVMValueAsMetadata(one);
            let node = LLVMMDNodeInContext2(context, &mut one, 1);
            LLVMSetMetadata(
                self.0,
                mark_kind(context, c"nontemporal"),
                LLVMMetadataAsValue(context, node),
            );
        }
    }

    /// Whether an instruction has such a mark.
    pub fn is_marked(self, name: &CStr) -> bool {
        // SAFETY: the second question is asked of instructions only; the name is read.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
            !LLVMIsAInstruction(self.0).is_null() && !LLVMGetMetadata(self.0, mark_kind(context, name)).is_null()
        }
    }

    /// Tells LLVM how often a branch goes either way, by their ratio.
    pub fn weights(self, yes: u32, no: u32) {
        const NAME: &str = "branch_weights";
        // SAFETY: a branch; the name is read.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
            let ty = LLVMInt32TypeInContext(context);
            let weight = |n: u32| LLVMValueAsMetadata(LLVMConstInt(ty, n.into(), 0));
            let name = LLVMMDStringInContext2(context, NAME.as_ptr().cast(), NAME.len());
            let mut operands = [name, weight(yes), weight(no)];
            let node = LLVMMDNodeInContext2(context, operands.as_mut_ptr(), operands.len());
            LLVMSetMetadata(self.0, mark_kind(context, c"prof"), LLVMMetadataAsValue(context, node));
        }
    }

    /// Asks LLVM to unroll the loop that a branch closes.
    pub fn unroll(self) {
        self.hint_for_loop("llvm.loop.unroll.enable");
    }

    /// Has LLVM leave the loop that a branch closes as it is, unless the number of iterations is a constant.
    pub fn unroll_only_if_counted(self) {
        self.hint_for_loop("llvm.loop.unroll.runtime.disable");
    }

    fn hint_for_loop(self, hint: &str) {
        // SAFETY: a branch; the names are read. A loop's node has itself as its first operand, in whose place something
        // temporary is until the node exists; LLVM disposes of that.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
            let mut hint = LLVMMDStringInContext2(context, hint.as_ptr().cast(), hint.len());
            let hint = LLVMMDNodeInContext2(context, &mut hint, 1);
            let itself = LLVMTemporaryMDNode(context, std::ptr::null_mut(), 0);
            let mut operands = [itself, hint];
            let node = LLVMMDNodeInContext2(context, operands.as_mut_ptr(), operands.len());
            LLVMMetadataReplaceAllUsesWith(itself, node);
            LLVMSetMetadata(
                self.0,
                mark_kind(context, c"llvm.loop"),
                LLVMMetadataAsValue(context, node),
            );
        }
    }
}

/// # Safety
/// A live context.
unsafe fn mark_kind(context: LLVMContextRef, name: &CStr) -> u32 {
    // SAFETY: passed on to the caller; the name is read.
    unsafe { LLVMGetMDKindIDInContext(context, name.as_ptr(), name.count_bytes() as u32) }
}
