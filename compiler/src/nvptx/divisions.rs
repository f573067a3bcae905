// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Keeps loops as they are in which an iteration divides what the last one has divided.
//!
//! GPUs have no instruction for divisions of integers: NVIDIA's assembler makes some 70 instructions of a 64-bit one, and these iterations
//! wait for each other. LLVM counts one instruction, and makes four or eight iterations of one, as in dpnp's kernels for strided arrays,
//! which divide an index by the length of each dimension. Then LLVM, the assembler and the GPU's instruction cache have more to do, and
//! nothing is faster. Other divisions may overlap, and their loops are unrolled.

use llvm_sys::LLVMOpcode as L;
use rustc_hash::FxHashSet;

use crate::llvm::{Block, Module, Value};
use crate::workgroup::Cfg;

/// Finds such loops. They are unrolled only if the number of their iterations is a constant.
pub fn keep_rolled(module: &Module<'_>) {
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        let mut instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        if !instructions.any(is_division) {
            continue;
        }
        // LLVM does not unroll loops with several entries.
        let Ok(cfg) = Cfg::new(function) else { continue };
        for one in &cfg.loops {
            let before = cfg.predecessors[one.header].iter();
            let latches: Vec<Block<'_>> = before
                .filter(|&&node| cfg.is_back_edge(node, one.header))
                .map(|&node| cfg.blocks[node])
                .collect();
            let blocks: FxHashSet<Block<'_>> = one.blocks.iter().map(|&node| cfg.blocks[node]).collect();
            let header = cfg.blocks[one.header];
            let incoming = header.phis().into_iter().flat_map(|phi| phi.incoming());
            let carried = incoming
                .filter(|(_, from)| latches.contains(from))
                .map(|(value, _)| value);
            if !is_quotient(carried.collect(), header, &blocks) {
                continue;
            }
            for branch in latches.into_iter().filter_map(Block::terminator) {
                if !branch.is_marked(c"llvm.loop") {
                    branch.unroll_only_if_counted();
                }
            }
        }
    }
}

/// Whether one of these values is the result of a division in a loop, possibly converted or selected.
fn is_quotient<'c>(mut values: Vec<Value<'c>>, header: Block<'c>, blocks: &FxHashSet<Block<'c>>) -> bool {
    let mut seen = FxHashSet::default();
    while let Some(value) = values.pop() {
        if value.opcode().is_none() || !blocks.contains(&value.block()) || !seen.insert(value) {
            continue;
        }
        match value.opcode() {
            _ if is_division(value) => return true,
            Some(L::LLVMPHI) if value.block() != header => {
                values.extend(value.incoming().into_iter().map(|(from, _)| from))
            }
            Some(L::LLVMTrunc | L::LLVMZExt | L::LLVMSExt | L::LLVMFreeze | L::LLVMSelect) => {
                values.extend(value.operands())
            }
            _ => {}
        }
    }
    false
}

/// Whether an instruction divides by a number that is no constant.
fn is_division(inst: Value<'_>) -> bool {
    let divides = matches!(
        inst.opcode(),
        Some(L::LLVMUDiv | L::LLVMSDiv | L::LLVMURem | L::LLVMSRem)
    );
    divides && inst.operand(1).as_const_int().is_none()
}
