// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Keeps loops that divide integers as they are.
//!
//! GPUs have no instruction for that: NVIDIA's assembler makes some 70 of a 64-bit division, and one iteration of such a loop takes as long
//! as many branches. LLVM counts one instruction, and makes four or eight iterations of one, as in dpnp's kernels for strided arrays, which
//! divide an index by the length of each dimension. Then LLVM, the assembler and the GPU's instruction cache have more to do, and nothing is
//! faster.

use llvm_sys::LLVMOpcode as L;

use crate::llvm::{Block, Module};
use crate::workgroup::Cfg;

/// Finds loops that divide by other numbers than constants. They are unrolled only if the number of their iterations is a constant.
pub fn keep_rolled(module: &Module<'_>) {
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        if !function.blocks().into_iter().any(divides) {
            continue;
        }
        // LLVM does not unroll loops with several entries.
        let Ok(cfg) = Cfg::new(function) else { continue };
        for one in &cfg.loops {
            let is_innermost = |&node: &usize| cfg.loop_of[node].is_some_and(|of| cfg.loops[of].header == one.header);
            if !one
                .blocks
                .iter()
                .filter(|node| is_innermost(node))
                .any(|&node| divides(cfg.blocks[node]))
            {
                continue;
            }
            let latches = cfg.predecessors[one.header]
                .iter()
                .filter(|node| one.blocks.contains(node));
            for branch in latches.filter_map(|&node| cfg.blocks[node].terminator()) {
                if !branch.is_marked(c"llvm.loop") {
                    branch.unroll_only_if_counted();
                }
            }
        }
    }
}

/// Whether a block divides by a number that is no constant.
fn divides(block: Block<'_>) -> bool {
    block.instructions().into_iter().any(|inst| {
        let is_division = matches!(
            inst.opcode(),
            Some(L::LLVMUDiv | L::LLVMSDiv | L::LLVMURem | L::LLVMSRem)
        );
        is_division && inst.operand(1).as_const_int().is_none()
    })
}
