// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Quick code runs one item up to a barrier, then the next one. Everywhere else, the items of a sub-group run side by side, and
//! there are kernels that count on it: they write to local memory, and read what others of the sub-group wrote without a
//! barrier between (dpnp's `histogramdd`). The rules of SPIR-V do not allow that, but a kernel should not fail in quick code
//! alone.
//!
//! So the items of a sub-group come together after stores to local memory, or after the innermost loop around them, unless
//! they meet at a barrier or another collective anyway. Reads within the same loop stay as they are: to meet in each round would
//! cost too much.

use std::collections::BTreeSet;

use llvm_sys::LLVMOpcode as L;

use super::vector::Cfg;
use crate::intrinsics::{DEVICE_BARRIER, GroupCollective, Members, STORE_TO_LOCAL};
use crate::llvm::{Block, Builder, Function, Module, Value};

/// Has the items of sub-groups meet after stores to local memory.
pub fn insert(module: &Module<'_>) {
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        // Code that cannot be vectorized, since a loop has several entries, never runs side by side.
        let Some(places) = places(function) else { continue };
        for place in places {
            let cx = module.context();
            let b = Builder::new(cx);
            b.go_before(place);
            let meet = GroupCollective::SubGroupBarrier.declare(module, None, Members::All);
            b.call(meet, &[function.param(0), cx.int(32).zero()]);
        }
    }
}

/// The instructions before which items meet.
fn places(function: Function<'_>) -> Option<Vec<Value<'_>>> {
    let blocks = function.blocks();
    let is_store = |inst: &Value<'_>| inst.is_marked(STORE_TO_LOCAL);
    if !blocks.iter().any(|block| block.instructions().iter().any(is_store)) {
        return Some(Vec::new());
    }
    let cfg = Cfg::new(function).ok()?;
    // Blocks and numbers of instructions, in the order of the program.
    let mut places = BTreeSet::new();
    for (node, block) in cfg.blocks.iter().enumerate() {
        let Some(last) = block.instructions().iter().rposition(is_store) else {
            continue;
        };
        let Some(innermost) = cfg.loop_of[node] else {
            places.insert((node, last + 1));
            continue;
        };
        let inside = &cfg.loops[innermost].blocks;
        let targets = inside.iter().flat_map(|&from| &cfg.successors[from]);
        for &exit in targets.filter(|to| !inside.contains(to)) {
            places.insert((exit, cfg.blocks[exit].phis().len()));
        }
    }
    let places = places.into_iter();
    Some(
        places
            .filter_map(|(node, at)| unless_met(cfg.blocks[node], at))
            .collect(),
    )
}

/// The instruction at a place, unless a barrier or another collective comes before all else that matters.
fn unless_met(block: Block<'_>, place: usize) -> Option<Value<'_>> {
    let (mut at, mut from) = (block, place);
    // Not for ever in a loop without instructions.
    for _ in 0..8 {
        for inst in at.instructions().into_iter().skip(from) {
            match inst.opcode() {
                Some(L::LLVMCall) => {
                    let name = inst.callee().map(|function| function.name()).unwrap_or_default();
                    if name == DEVICE_BARRIER || GroupCollective::from_name(&name).is_some() {
                        return None;
                    }
                    // Ids, and what LLVM has to say of lifetimes.
                    if !name.starts_with("oxur.") && !name.starts_with("llvm.lifetime") {
                        return block.instructions().get(place).copied();
                    }
                }
                Some(L::LLVMLoad | L::LLVMRet | L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg) => {
                    return block.instructions().get(place).copied();
                }
                _ => {}
            }
        }
        match at.successors()[..] {
            [next] => (at, from) = (next, 0),
            _ => break,
        }
    }
    block.instructions().get(place).copied()
}
