// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Copies of loops: how control comes to a loop or its copy, and how what is behind them gets its values.

use llvm_sys::LLVMOpcode as L;

use crate::llvm::{Block, Builder, Value};

/// Has control come to a loop through a block, which is empty yet. The builder stands behind the phis there: one for each of the loop's,
/// with what that begins with. Those of the loop have to be replaced, as they still name the blocks that control came from.
pub fn enter_through<'c>(b: &Builder<'c>, guard: Block<'c>, header: Block<'c>, latch: Block<'c>) -> Vec<Value<'c>> {
    let phis = header.phis();
    for before in header.predecessors() {
        if before != latch {
            before.redirect(header, guard);
        }
    }
    b.go_to_end(guard);
    let initial = |phi: Value<'c>| {
        let outside: Vec<_> = phi.incoming().into_iter().filter(|(_, at)| *at != latch).collect();
        let own = b.phi(phi.ty());
        own.add_incoming(&outside);
        own
    };
    phis.into_iter().map(initial).collect()
}

/// Has control leave a loop through a block, which is empty yet. It comes there from `copy`, too, where the values of the loop are
/// others. All that is behind has the values of the way that control took. The last of the loop's blocks is the one at its end.
pub fn leave_through<'c>(
    b: &Builder<'c>,
    after: Block<'c>,
    blocks: &[Block<'c>],
    exit: Block<'c>,
    (copy, value_there): (Block<'c>, &dyn Fn(Value<'c>) -> Value<'c>),
) {
    let latch = *blocks.last().expect("a loop has blocks");
    latch.redirect(exit, after);
    b.go_to_end(after);
    b.br(exit);
    for inst in blocks.iter().flat_map(|block| block.instructions()) {
        let is_outside = |user: &Value<'c>| !blocks.contains(&user.block());
        let users: Vec<Value<'c>> = inst.users().into_iter().filter(is_outside).collect();
        if users.is_empty() {
            continue;
        }
        b.go_to_start(after);
        let merged = b.phi(inst.ty());
        merged.add_incoming(&[(inst, latch), (value_there(inst), copy)]);
        for user in users {
            for (at, operand) in (0..).zip(user.operands()) {
                if operand == inst {
                    user.set_operand(at, merged);
                }
            }
        }
    }
    b.move_phis(exit, latch, after);
}

/// Whether an instruction may be in a loop that is copied: it waits for no other thread, is small, and writes
/// nothing. (Plain stores are copied where the copies do not run one after the other.)
pub fn may_repeat(inst: Value<'_>) -> bool {
    use L::*;
    let Some(opcode) = inst.opcode() else { return false };
    match opcode {
        LLVMLoad => !inst.is_volatile() && !inst.is_atomic(),
        LLVMCall => inst
            .callee()
            .is_some_and(|callee| callee.attribute_value("memory") == Some(0) && !callee.has_attribute("convergent")),
        LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => inst.operand(1).is_const(),
        LLVMPHI | LLVMBr | LLVMAdd | LLVMFAdd | LLVMSub | LLVMFSub | LLVMMul | LLVMFMul | LLVMFDiv | LLVMShl
        | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor | LLVMFNeg | LLVMGetElementPtr | LLVMTrunc | LLVMZExt
        | LLVMSExt | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP | LLVMFPTrunc | LLVMFPExt | LLVMPtrToInt
        | LLVMIntToPtr | LLVMBitCast | LLVMAddrSpaceCast | LLVMICmp | LLVMFCmp | LLVMSelect | LLVMExtractElement
        | LLVMInsertElement | LLVMShuffleVector | LLVMExtractValue | LLVMInsertValue | LLVMFreeze => true,
        _ => false,
    }
}

/// What a phi of a loop is in the next iteration. `latch` is the block at its end.
pub fn from<'c>(phi: Value<'c>, latch: Block<'c>) -> Value<'c> {
    let of_block = phi.incoming().into_iter().find(|(_, at)| *at == latch);
    of_block.expect("a loop is before itself").0
}
