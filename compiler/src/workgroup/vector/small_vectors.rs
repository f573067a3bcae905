// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Vectors of the kernel's, such as `float4`. Most are taken apart, so that each element becomes a vector of all lanes. Where a
//! kernel only loads and stores whole ones and computes with all elements alike, they are kept: the elements of all lanes, as they
//! are in memory, are one long vector.

use llvm_sys::LLVMOpcode as L;

use super::calls::is_elementwise;
use super::cfg::Cfg;
use super::divergence::{Ids, VectorShape, VectorShapes};
use crate::llvm::{Builder, Function, Module, Value};

/// Whether a kernel's vectors need not be taken apart.
pub(super) fn are_kept<'c>(module: &Module<'c>, kernel: Function<'c>, lanes: u32) -> bool {
    let instructions: Vec<Value<'c>> = kernel.blocks().into_iter().flat_map(|b| b.instructions()).collect();
    let touches_vectors = |inst: &Value<'c>| {
        inst.ty().lanes().is_some() || inst.operands().iter().any(|operand| operand.ty().lanes().is_some())
    };
    let vectors: Vec<Value<'c>> = instructions.into_iter().filter(touches_vectors).collect();
    let is_alike = |inst: &Value<'c>| match inst.opcode() {
        Some(L::LLVMLoad | L::LLVMStore) => true,
        Some(L::LLVMFAdd | L::LLVMFSub | L::LLVMFMul | L::LLVMFDiv | L::LLVMFNeg) => true,
        Some(L::LLVMAdd | L::LLVMSub | L::LLVMMul | L::LLVMAnd | L::LLVMOr | L::LLVMXor) => true,
        Some(L::LLVMCall) => inst.callee().is_some_and(|f| is_elementwise(&f.name())),
        // One number for all elements.
        Some(L::LLVMInsertElement) => {
            let into = inst.operand(0);
            into.is_const() && inst.operand(2).as_const_int() == Some(0) && inst.users().iter().all(is_splat)
        }
        Some(L::LLVMShuffleVector) => is_splat(inst),
        _ => false,
    };
    if vectors.is_empty() || !vectors.iter().all(is_alike) {
        return false;
    }
    let Ok(cfg) = Cfg::new(kernel) else { return false };
    let shapes = VectorShapes::new(module, &cfg, lanes, Ids::InRow);
    vectors.iter().all(|inst| {
        let (address, ty) = match inst.opcode() {
            Some(L::LLVMLoad) => (inst.operand(0), inst.ty()),
            Some(L::LLVMStore) => (inst.operand(1), inst.operand(0).ty()),
            _ => return true,
        };
        let size = module.size_of(ty);
        let is_dense = size == module.size_of(ty.scalar()) * u64::from(ty.lanes().unwrap_or(1));
        let is_whole = match shapes.of(address) {
            VectorShape::Uniform => inst.opcode() == Some(L::LLVMLoad),
            VectorShape::Affine { stride, .. } => stride == size as i64,
            VectorShape::Varying => false,
        };
        is_dense
            && is_whole
            && (ty.scalar().is_ptr() || ty.scalar().bits() >= 8)
            && !inst.is_volatile()
            && !inst.is_atomic()
    })
}

/// Whether a shuffle puts the first element of a vector everywhere.
fn is_splat(inst: &Value<'_>) -> bool {
    inst.opcode() == Some(L::LLVMShuffleVector) && inst.shuffle_pattern().iter().all(|&i| i == 0 || i == u32::MAX)
}

/// Where elements that are stored have no value, as behind a `float3`, repeats others. So all of a vector is written, as the
/// kernel says, and not all but these.
pub(super) fn fill_padding<'c>(module: &Module<'c>, kernel: Function<'c>) {
    let b = Builder::new(module.context());
    for inst in kernel.blocks().into_iter().flat_map(|b| b.instructions()) {
        if inst.opcode() != Some(L::LLVMStore) || inst.operand(0).opcode() != Some(L::LLVMShuffleVector) {
            continue;
        }
        let shuffle = inst.operand(0);
        let pattern = shuffle.shuffle_pattern();
        let Some(&some) = pattern.iter().rev().find(|&&i| i != u32::MAX) else {
            continue;
        };
        if pattern.contains(&u32::MAX) {
            let full: Vec<u32> = pattern.iter().map(|&i| if i == u32::MAX { some } else { i }).collect();
            b.go_before(inst);
            let value = b.shuffle(shuffle.operand(0), shuffle.operand(1), &full);
            inst.set_operand(0, value);
        }
    }
}
