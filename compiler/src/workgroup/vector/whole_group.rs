// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Whole groups as one vector, for kernels that demand a size of groups and whose items meet again and again.
//!
//! In a tree of barriers, such as a reduction in local memory, there are a few instructions between two barriers. A coroutine for
//! each sub-group returns to the runtime at each of them, and what it keeps is in memory. If the vector is as long as the group, all
//! items are at the same instruction, so nobody waits. LLVM divides long vectors into registers. Local ids are constants then, and,
//! once loops of known length are unrolled, so are most masks.
//!
//! Long vectors do not suit loops without barriers: their values would not fit into registers, and the loop would run as often as
//! the slowest item of the group asks for.

use llvm_sys::LLVMOpcode as L;

use super::blocking::remove_barriers;
use super::calls::is_pure;
use super::cfg::Cfg;
use super::divergence::{Ids, VectorShape, VectorShapes};
use crate::builtins;
use crate::intrinsics::{GroupCollective, WorkItemIntrinsic};
use crate::llvm::{Function, Machine, Module, Value};
use crate::workgroup::convergence::collective;

/// The most items of a group.
const MOST_ITEMS: u32 = 1024;

/// The most instructions whose results differ between items, each counted as often as a sub-group of the usual length fits into
/// the group. More take long to compile.
const LONGEST: usize = 8192;

/// Unrolls loops of known length.
const UNROLL: &str = "function(loop-unroll<O3;full-unroll-max=16;no-partial;no-peeling;no-runtime;no-upperbound>,\
    early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/// Makes a kernel with barriers one for whole groups, if that is possible and faster than sub-groups of so many `lanes`: then it
/// has no barriers any more. `required` is the size that the kernel demands of groups. The result is the number of items of a
/// group.
pub fn prepare(
    machine: &Machine,
    module: &Module<'_>,
    kernel: Function<'_>,
    lanes: u32,
    required: Option<[u32; 3]>,
) -> Result<Option<u32>, String> {
    let items = match required {
        // With fewer lanes, mathematical functions have other variants.
        Some([items, 1, 1]) if items.is_power_of_two() && (lanes..=MOST_ITEMS).contains(&items) => items,
        _ => return Ok(None),
    };
    if !is_possible(module, kernel, items, lanes)? {
        return Ok(None);
    }
    machine.run_passes(module, UNROLL, false)?;
    machine.run_passes(module, super::SIMPLIFY, false)?;
    if !is_possible(module, kernel, items, lanes)? {
        return Ok(None);
    }
    remove_barriers(kernel);
    Ok(Some(items))
}

fn is_possible(module: &Module<'_>, kernel: Function<'_>, items: u32, lanes: u32) -> Result<bool, String> {
    let cfg = Cfg::new(kernel)?;
    let has_barrier = |node: &usize| cfg.blocks[*node].instructions().iter().any(is_barrier);
    if !cfg.loops.iter().all(|l| l.blocks.iter().any(has_barrier)) {
        return Ok(false);
    }
    let shapes = VectorShapes::new(module, &cfg, items, Ids::InRow);
    let instructions = || cfg.blocks.iter().flat_map(|block| block.instructions());
    let long = instructions()
        .filter(|inst| shapes.of(*inst) == VectorShape::Varying)
        .count();
    let vectors = (items / lanes).max(1) as usize;
    Ok(long * vectors <= LONGEST && instructions().all(|inst| is_vector(&shapes, inst, lanes)))
}

fn is_barrier(inst: &Value<'_>) -> bool {
    collective(inst) == Some(GroupCollective::Barrier)
}

/// Whether an instruction is one of long vectors, and not of each item by itself.
fn is_vector<'c>(shapes: &VectorShapes<'c>, inst: Value<'c>, lanes: u32) -> bool {
    let varies = shapes.of(inst) == VectorShape::Varying;
    match inst.opcode() {
        Some(L::LLVMAlloca | L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg) => false,
        Some(L::LLVMLoad | L::LLVMStore) => !inst.is_volatile() && !inst.is_atomic(),
        Some(L::LLVMUDiv | L::LLVMSDiv | L::LLVMURem | L::LLVMSRem) => !varies || inst.ty().scalar().bits() <= 32,
        Some(L::LLVMCall) => inst.callee().is_some_and(|callee| {
            let name = callee.name();
            let is_hint = name.starts_with("llvm.assume") || name.starts_with("llvm.experimental.noalias");
            let is_uniform = !varies && is_pure(callee);
            let has_variant = || {
                is_pure(callee)
                    && (name.starts_with("llvm.") || builtins::vector_variant(&name, lanes, false).is_some())
            };
            is_barrier(&inst) || is_hint || WorkItemIntrinsic::from_name(&name).is_some() || is_uniform || has_variant()
        }),
        _ => true,
    }
}
