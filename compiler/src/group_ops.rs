// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Facts about SPIR-V's group instructions that both `link` and `lower` need.

use spirv::Op;

use crate::intrinsics::ReduceOp;
use crate::spirv::Inst;

#[allow(missing_docs, reason = "the names are SPIR-V's")]
/// SPIR-V's scopes.
pub mod scope {
    pub const CROSS_DEVICE: u64 = 0;
    pub const DEVICE: u64 = 1;
    pub const WORKGROUP: u64 = 2;
    pub const SUBGROUP: u64 = 3;
    pub const INVOCATION: u64 = 4;
}

/// Whether an instruction makes the items of a work-group or sub-group wait for each other, or may.
pub fn is_group_op(inst: &Inst<'_>) -> bool {
    let name = inst.grammar_name();
    name.starts_with("Group") || name.starts_with("Subgroup") || name.starts_with("ControlBarrier")
        // The function behind the pointer may do so.
        || inst.op == Op::FunctionPointerCallINTEL
}

/// Whether a group instruction is known to be for a work-group. Its first operand is its scope, if it has any choice.
pub fn is_of_work_group(inst: &Inst<'_>, scope: Option<u64>) -> bool {
    let name = inst.grammar_name();
    let is_of_sub_group = name.starts_with("GroupNonUniform") || name.starts_with("Subgroup");
    !is_of_sub_group && inst.op != Op::FunctionPointerCallINTEL && scope == Some(scope::WORKGROUP)
}

/// Whether an instruction is a collective: its result depends on values of all items of a work-group or sub-group.
pub fn is_collective(inst: &Inst<'_>) -> bool {
    let is_other = matches!(inst.op, Op::GroupAll | Op::GroupAny | Op::GroupBroadcast);
    is_other || reduce_op(inst.op).is_some() && !inst.grammar_name().starts_with("GroupNonUniform")
}

/// The operation of a reduction or scan.
pub fn reduce_op(op: Op) -> Option<ReduceOp> {
    use Op::*;
    Some(match op {
        GroupIAdd | GroupNonUniformIAdd => ReduceOp::Add,
        GroupIMulKHR | GroupNonUniformIMul => ReduceOp::Mul,
        GroupSMin | GroupNonUniformSMin => ReduceOp::SMin,
        GroupSMax | GroupNonUniformSMax => ReduceOp::SMax,
        GroupUMin | GroupNonUniformUMin => ReduceOp::UMin,
        GroupUMax | GroupNonUniformUMax => ReduceOp::UMax,
        GroupBitwiseAndKHR | GroupNonUniformBitwiseAnd | GroupLogicalAndKHR | GroupNonUniformLogicalAnd => {
            ReduceOp::And
        }
        GroupBitwiseOrKHR | GroupNonUniformBitwiseOr | GroupLogicalOrKHR | GroupNonUniformLogicalOr => ReduceOp::Or,
        GroupBitwiseXorKHR | GroupNonUniformBitwiseXor | GroupLogicalXorKHR | GroupNonUniformLogicalXor => {
            ReduceOp::Xor
        }
        GroupFAdd | GroupNonUniformFAdd => ReduceOp::FAdd,
        GroupFMulKHR | GroupNonUniformFMul => ReduceOp::FMul,
        GroupFMin | GroupNonUniformFMin => ReduceOp::FMin,
        GroupFMax | GroupNonUniformFMax => ReduceOp::FMax,
        _ => return None,
    })
}
