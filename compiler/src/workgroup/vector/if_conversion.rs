// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! If-conversion: a branch where lanes part, around a few simple instructions, becomes selects.
//!
//! Such instructions run in all lanes anyway. With a branch, each value that comes out of it is blended twice, once from each side,
//! and both sides have masks.

use llvm_sys::LLVMOpcode as L;

use super::calls::is_cheap;
use super::cfg::{Cfg, Node};
use super::divergence::{Ids, VectorShapes};
use crate::hammock::{Hammock, meet};
use crate::llvm::{Block, Function, Kind, Module, Value};

/// The most instructions of a side, or of another block that runs for no lane, too, or has a copy for all.
pub const LONGEST_SIDE: usize = 24;

/// Converts all such branches whose sides have no branches themselves. The result says whether there were any.
pub fn convert(module: &Module<'_>, kernel: Function<'_>, lanes: u32, ids: Ids) -> Result<bool, String> {
    let cfg = Cfg::new(kernel)?;
    let mut hammocks: Vec<(Node, Hammock<'_>)> = (0..cfg.blocks.len())
        .filter_map(|from| Some((from, hammock(&cfg, from)?)))
        .collect();
    if hammocks.is_empty() {
        return Ok(false);
    }
    let shapes = VectorShapes::new(module, &cfg, lanes, ids);
    hammocks.retain(|(from, _)| shapes.divergent_branches.contains(from));
    for (_, hammock) in &hammocks {
        hammock.convert(module);
    }
    Ok(!hammocks.is_empty())
}

/// Whether an instruction may run where its result is not needed, and takes a few steps of the CPU.
pub fn is_simple(inst: Value<'_>) -> bool {
    match inst.opcode() {
        Some(L::LLVMGetElementPtr) => true,
        Some(L::LLVMAdd | L::LLVMSub | L::LLVMMul | L::LLVMShl | L::LLVMLShr | L::LLVMAShr) => true,
        Some(L::LLVMAnd | L::LLVMOr | L::LLVMXor | L::LLVMICmp | L::LLVMFCmp | L::LLVMSelect) => true,
        Some(L::LLVMFAdd | L::LLVMFSub | L::LLVMFMul | L::LLVMFNeg | L::LLVMFreeze) => true,
        Some(L::LLVMTrunc | L::LLVMZExt | L::LLVMSExt | L::LLVMBitCast) => true,
        Some(L::LLVMCall) => inst.callee().is_some_and(|f| is_cheap(&f.name())),
        _ => false,
    }
}

/// The hammock that begins with a block, if its sides are simple and all is in one loop.
fn hammock<'c>(cfg: &Cfg<'c>, from: Node) -> Option<Hammock<'c>> {
    let &[yes, no] = cfg.successors[from].as_slice() else {
        return None;
    };
    let after = |side: Node| match (cfg.predecessors[side].as_slice(), cfg.successors[side].as_slice()) {
        (&[_], &[to]) if is_side(cfg.blocks[side]) => Some(to),
        _ => None,
    };
    let (sides, to) = meet([yes, no], after)?;
    let is_in_loop = |&node: &Node| cfg.loop_of[node] == cfg.loop_of[from];
    let in_one_loop = is_in_loop(&to) && sides.iter().flatten().all(is_in_loop);
    let is_value = |inst: &Value<'_>| {
        let ty = inst.ty().scalar();
        matches!(ty.kind(), Kind::Int(_) | Kind::Float(_) | Kind::Pointer)
    };
    let fits = !cfg.is_back_edge(from, to) && in_one_loop && cfg.blocks[to].phis().iter().all(is_value);
    fits.then(|| Hammock {
        from: cfg.blocks[from],
        sides: sides.map(|side| Some(cfg.blocks[side?])),
        to: cfg.blocks[to],
    })
}

/// Whether a block has nothing but a few simple instructions.
fn is_side(block: Block<'_>) -> bool {
    let instructions = block.instructions();
    let (last, rest) = instructions.split_last().expect("a block ends with a terminator");
    last.opcode() == Some(L::LLVMBr) && rest.len() < LONGEST_SIDE && rest.iter().all(|inst| is_simple(*inst))
}
