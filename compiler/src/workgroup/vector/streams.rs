// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Stores past the caches: LLVM's `nontemporal`. A store to memory that is in no cache reads it first. Where a launch writes more than
//! caches hold, stores that fill cache lines, and whose memory is not read again, need not do that: they write to memory directly.
//!
//! The runtime knows how much a launch writes ([`Group::cached_mask`](crate::abi::Group)), and lets other threads see that only after
//! a fence. Such stores have no order within a kernel, so a kernel with atomic operations or fences has none of them.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;
use rustc_hash::FxHashSet;

use super::calls::is_pure;
use super::cfg::Cfg;
use super::divergence::{VectorShape, VectorShapes};
use super::emit::Emit;
use super::memory::root;
use crate::abi::layout;
use crate::intrinsics::GroupCollective;
use crate::llvm::{Kind, Module, Value};

/// Bytes of a cache line.
const LINE: u64 = 64;
/// The least bytes of a store of all lanes. Smaller ones need too many of the buffers in which lines are put together.
const LEAST: u64 = 32;

/// The stores of a kernel that may go past the caches.
#[derive(Default)]
pub struct Streams<'c> {
    stores: FxHashSet<Value<'c>>,
    /// How many bytes an item writes at most by those that were built.
    pub bytes: u64,
}

impl<'c> Streams<'c> {
    /// Finds them: stores of all lanes, or of those that pass a guard, to consecutive addresses that the kernel does not read. A
    /// kernel with loops computes more than it writes, and has none: one with branches in a loop took 1.7 times as long with them.
    pub fn find(module: &Module<'c>, cfg: &Cfg<'c>, shapes: &VectorShapes<'c>, lanes: u32) -> Self {
        let all: Vec<(usize, Value<'c>)> = (0..cfg.blocks.len())
            .flat_map(|node| {
                cfg.blocks[node]
                    .instructions()
                    .into_iter()
                    .map(move |inst| (node, inst))
            })
            .collect();
        if !cfg.loops.is_empty() || all.iter().any(|(_, inst)| is_ordered(*inst)) {
            return Self::default();
        }
        let loads = all.iter().filter(|(_, inst)| inst.opcode() == Some(L::LLVMLoad));
        let read: FxHashSet<Value<'c>> = loads.map(|(_, load)| root(load.operand(0))).collect();
        let mut found = Self::default();
        for (node, store) in all.into_iter().filter(|(_, inst)| inst.opcode() == Some(L::LLVMStore)) {
            let (ty, address) = (store.operand(0).ty(), store.operand(1));
            let size = module.size_of(ty);
            let is_contiguous =
                matches!(shapes.of(address), VectorShape::Affine { stride, .. } if stride == size as i64);
            let is_plain = !store.is_volatile() && !matches!(ty.scalar().kind(), Kind::Int(1));
            // Behind a guard, too: its copy for lanes that all pass has stores without a mask.
            let is_of_all = |node: &usize| !shapes.predicated.contains(node);
            let is_of_all = is_of_all(&node) || matches!(cfg.predecessors[node].as_slice(), [from] if is_of_all(from));
            let root = root(address);
            let is_argument = root.opcode() == Some(L::LLVMLoad) && !read.contains(&root);
            if is_contiguous && is_plain && is_of_all && is_argument && size * u64::from(lanes) >= LEAST {
                found.stores.insert(store);
            }
        }
        found
    }
}

/// Whether other items may learn by an instruction what was stored before it.
fn is_ordered(inst: Value<'_>) -> bool {
    match inst.opcode() {
        Some(L::LLVMFence | L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg) => true,
        Some(L::LLVMLoad | L::LLVMStore) => inst.is_atomic(),
        Some(L::LLVMCall) => inst.callee().is_none_or(|callee| {
            let name = callee.name();
            let is_barrier = GroupCollective::from_name(&name) == Some(GroupCollective::Barrier);
            is_barrier || name.starts_with("oxur_") && !is_pure(callee)
        }),
        _ => false,
    }
}

impl<'c> Emit<'_, 'c> {
    /// Stores consecutive elements of all lanes: past the caches, if the store may do that, the launch writes that much, and the
    /// address is aligned. Returns whether it has.
    pub(super) fn store_stream(&mut self, inst: Value<'c>, all: Value<'c>, to: Value<'c>, align: u32) -> bool {
        if !self.streams.stores.contains(&inst) {
            return false;
        }
        self.streams.bytes += self.module.size_of(inst.operand(0).ty());
        let (b, wide) = (&self.b, self.cx.int(64));
        let size = self.module.size_of(all.ty()).min(LINE);
        let item = self.function.param(0);
        let member = |base, offset: u64, ty| b.load(ty, b.offset(base, wide.int(offset))).align(8);
        let group = member(item, layout::ITEM_GROUP, self.cx.ptr());
        // All ones if stores go to the caches, so that no address seems to be aligned.
        let cached_mask = member(group, layout::GROUP_CACHED_MASK, wide);
        let address = b.or(b.cast(L::LLVMPtrToInt, to, wide), cached_mask);
        let is_aligned = b.icmp(I::LLVMIntEQ, b.and(address, wide.int(size - 1)), wide.zero());
        let [past, cached, after] =
            ["store.past", "store.cached", "stored"].map(|name| self.function.append_block(name));
        let before = b.block();
        b.cond_br(is_aligned, past, cached);
        for block in [after, cached, past] {
            block.move_after(before);
        }
        b.go_to_end(past);
        b.store(all, to).align(size as u32).nontemporal();
        b.br(after);
        b.go_to_end(cached);
        b.store(all, to).align(align);
        b.br(after);
        b.go_to_end(after);
        true
    }
}
