// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Coherent loops: a copy of a loop for as long as all lanes are in it, as with ISPC's `cfor`.
//!
//! Lanes may leave most loops in different rounds, as `for (i = id; i < n; i += step)`, but nearly always leave them in the same one, or
//! in two that follow each other. The copy has no masks: loads are operands of arithmetic, stores are plain, and values need no blend.
//! When the first lane leaves, control goes to the loop with masks, until that ends.

use std::collections::BTreeSet;

use llvm_sys::LLVMOpcode as L;
use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::{is_hint, is_pure};
use super::cfg::Node;
use super::emit::{Emit, Result};
use crate::intrinsics::{DEVICE_BARRIER, GroupCollective};
use crate::llvm::{Block, Value};
use crate::workgroup::convergence::collective;

/// The most instructions of a loop that gets a copy.
const MOST_INSTRUCTIONS: usize = 64;

/// A loop that has a copy.
pub(super) struct Coherent<'c> {
    header: Node,
    /// Its blocks, in order.
    blocks: Vec<Node>,
    /// Where their copies start.
    copies: FxHashMap<Node, Block<'c>>,
    /// The blocks that lanes leave it for.
    exits: BTreeSet<Node>,
}

impl<'c> Emit<'_, 'c> {
    /// Finds the loops that get a copy.
    pub(super) fn find_coherent_loops(&mut self) {
        // Some lanes may never be there.
        if self.entry_mask.is_some() {
            return;
        }
        for &number in &self.shapes.divergent_loops {
            if let Some(coherent) = self.coherent_loop(number) {
                self.coherent.insert(coherent.header, coherent);
            }
        }
    }

    fn coherent_loop(&self, number: usize) -> Option<Coherent<'c>> {
        let cfg = &self.cfg;
        let (header, inside) = (cfg.loops[number].header, &cfg.loops[number].blocks);
        let blocks = cfg.loops[number].in_order();
        let instructions: Vec<_> = blocks
            .iter()
            .flat_map(|&node| cfg.blocks[node].instructions())
            .collect();
        let fits = instructions.len() <= MOST_INSTRUCTIONS && !instructions.into_iter().any(waits_for_group);
        if !fits || !self.masks.contains_key(&header) {
            return None;
        }
        let is_pure_block = |&node: &Node| !cfg.blocks[node].instructions().into_iter().any(has_effects);
        // Lanes part only where some leave. Then either the round is over, or it can begin once more with masks.
        for &node in blocks
            .iter()
            .filter(|node| self.shapes.divergent_branches.contains(node))
        {
            let last = self.last_of_round(number, node);
            let can_begin_again = || blocks.iter().take_while(|&&before| before <= last).all(is_pure_block);
            if self.stays(node, inside)? != header && !can_begin_again() {
                return None;
            }
        }
        let copies = blocks
            .iter()
            .map(|&node| (node, self.function.append_block("together")))
            .collect();
        Some(Coherent {
            header,
            blocks,
            copies,
            exits: cfg.exits(number).collect(),
        })
    }

    /// The last block that may run before a block in the same round of a loop. In a loop inside, all of its blocks may.
    fn last_of_round(&self, number: usize, node: Node) -> Node {
        let (loops, mut last) = (&self.cfg.loops, node);
        let mut at = self.cfg.loop_of[node];
        while let Some(l) = at.filter(|&l| l != number) {
            last = loops[l].blocks.iter().copied().fold(last, Node::max);
            at = loops[l].parent;
        }
        last
    }

    /// Where lanes go that stay in a loop, at a branch where others leave it.
    fn stays(&self, node: Node, inside: &FxHashSet<Node>) -> Option<Node> {
        match *self.cfg.successors[node].as_slice() {
            [yes, no] if inside.contains(&yes) && !inside.contains(&no) => Some(yes),
            [yes, no] if inside.contains(&no) && !inside.contains(&yes) => Some(no),
            _ => None,
        }
    }

    /// At the end of the block before a loop: goes to the loop's copy, if it has one and all lanes come. The builder then stands where
    /// they do not. The result says whether some may not.
    pub(super) fn enter_coherent(&mut self, from: Node, to: Node) -> bool {
        let Some(coherent) = self
            .coherent
            .get(&to)
            .filter(|coherent| !coherent.copies.contains_key(&from))
        else {
            return true;
        };
        let copy = coherent.copies[&to];
        let Some(mask) = self.mask else {
            self.b.br(copy);
            return false;
        };
        let some = self.function.append_block("part");
        some.move_after(self.b.block());
        self.b.cond_br(self.all(mask), copy, some);
        self.b.go_to_end(some);
        true
    }

    /// Builds the copy of the loop with this header, if it has one.
    pub(super) fn coherent_copy(&mut self, header: Node) -> Result<()> {
        let Some(coherent) = self.coherent.remove(&header) else {
            return Ok(());
        };
        let mut last = self.starts[header];
        (self.mask, self.is_predicated) = (None, false);
        for &node in &coherent.blocks {
            self.node = node;
            self.known.clear();
            self.vectors.clear();
            let start = coherent.copies[&node];
            start.move_after(last);
            self.b.go_to_end(start);
            // Edges leave a mask there.
            if let Some(&slot) = self.masks.get(&node) {
                self.b.store(self.mask_type().zero(), slot);
            }
            let terminator = self.body(node)?;
            self.end_of_copy(node, terminator, &coherent)?;
            last = self.b.block();
        }
        self.coherent.insert(header, coherent);
        self.node = header;
        Ok(())
    }

    fn end_of_copy(&mut self, node: Node, inst: Value<'c>, coherent: &Coherent<'c>) -> Result<()> {
        let mut targets = self.cfg.successors[node].clone();
        targets.dedup();
        let is_divergent = self.shapes.divergent_branches.contains(&node);
        match *targets.as_slice() {
            [to] => self.stay_or_leave(node, to, coherent),
            [yes, no] if !is_divergent => {
                let condition = self.first(inst.operand(0))?;
                self.two_ways(condition, |emit, is_yes| {
                    let to = if is_yes { yes } else { no };
                    emit.stay_or_leave(node, to, coherent)
                })
            }
            [yes, no] => {
                let when = coherent.copies.contains_key(&yes);
                let stays = if when { yes } else { no };
                let together = match self.tests(inst.operand(0), when) {
                    Some(tests) => self.all_hold(&tests)?,
                    None => {
                        let condition = self.vector(inst.operand(0))?;
                        self.all(if when { condition } else { self.b.not(condition) })
                    }
                };
                self.two_ways(together, |emit, all_stay| match all_stay {
                    true => emit.stay_or_leave(node, stays, coherent),
                    false if stays == coherent.header => emit.diverge(node, inst, &coherent.exits),
                    false => {
                        let slot = emit.masks[&coherent.header];
                        emit.b.store(emit.mask_type().ones(), slot);
                        emit.b.br(emit.starts[coherent.header]);
                        Ok(())
                    }
                })
            }
            _ => Err("a branch of more than two ways".into()),
        }
    }

    /// All lanes go from a block of a copy to another, or leave the loop.
    fn stay_or_leave(&mut self, node: Node, to: Node, coherent: &Coherent<'c>) -> Result<()> {
        self.edge(node, to, None)?;
        match coherent.copies.get(&to) {
            Some(&copy) => {
                self.b.br(copy);
            }
            None => self.go(node, to, None, &coherent.exits),
        }
        Ok(())
    }
}

/// Whether an instruction may wait for other sub-groups.
fn waits_for_group(inst: Value<'_>) -> bool {
    let is_device_barrier = || inst.callee().is_some_and(|callee| callee.name() == DEVICE_BARRIER);
    collective(&inst) == Some(GroupCollective::Barrier) || is_device_barrier()
}

/// Whether to run an instruction once more makes a difference.
fn has_effects(inst: Value<'_>) -> bool {
    match inst.opcode() {
        Some(L::LLVMStore | L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg | L::LLVMFence) => true,
        Some(L::LLVMLoad) => inst.is_volatile() || inst.is_atomic(),
        Some(L::LLVMCall) => inst
            .callee()
            .is_none_or(|callee| !is_pure(callee) && !is_hint(&callee.name())),
        _ => false,
    }
}
