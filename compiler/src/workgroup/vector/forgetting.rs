// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What variables hold that is not used behind a barrier.
//!
//! Where lanes part, most phis keep what they had for the lanes that do not come, and blocks that no lane reaches leave all variables
//! as they are. So LLVM cannot see that a value of one round of a loop is not used in the next, and would keep it in the frame across the
//! barriers of the loop. Here the control flow of one item tells. A barrier that all lanes reach has them at one place, and what an
//! item there does not use, nobody does.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cfg::Node;
use super::divergence::VectorShape;
use super::emit::{Emit, Slot};
use crate::llvm::{Block, Value};

/// The uses of variables in the kernel as far as it is built, and its barriers.
#[derive(Default)]
pub(super) struct Uses<'c> {
    /// Where variables were read: in a block, after so many barriers.
    reads: FxHashMap<Value<'c>, Vec<(Node, usize)>>,
    barriers: Vec<Barrier<'c>>,
}

/// A barrier that all lanes reach.
struct Barrier<'c> {
    node: Node,
    /// The block behind it.
    behind: Block<'c>,
    /// The values of its block that are defined before it.
    defined: FxHashSet<Value<'c>>,
}

impl<'c> Uses<'c> {
    /// The variable of a value is read in a block.
    pub(super) fn read(&mut self, value: Value<'c>, node: Node) {
        self.reads.entry(value).or_default().push((node, self.barriers.len()));
    }
}

impl<'c> Emit<'_, 'c> {
    /// The builder stands behind a barrier of a block.
    pub(super) fn passed_barrier(&mut self) {
        if self.is_predicated {
            return;
        }
        let here = self.cfg.blocks[self.node];
        let defined = self.known.keys().copied();
        let defined = defined.filter(|v| v.opcode().is_some() && v.block() == here).collect();
        self.uses.barriers.push(Barrier {
            node: self.node,
            behind: self.b.block(),
            defined,
        });
    }

    /// Ends the lives of variables at barriers, when all blocks are built.
    pub(super) fn forget_at_barriers(&mut self) {
        if self.uses.barriers.is_empty() {
            return;
        }
        let none = self.mask_type().zero();
        for barrier in &self.uses.barriers {
            self.b.go_to_start(barrier.behind);
            // No lane is on its way to another block.
            for &mask in self.masks.values() {
                self.b.store(none, mask);
            }
        }
        for (&value, slot) in &self.demoted {
            if self.shapes.of(value) == VectorShape::Varying {
                self.forget(value, slot);
            }
        }
    }

    fn forget(&self, value: Value<'c>, slot: &Slot<'c>) {
        let reads = self.uses.reads.get(&value).map_or(&[][..], Vec::as_slice);
        let source = self.cfg.number[&value.block()];
        // The blocks at whose ends it is needed.
        let mut at_end = FxHashSet::default();
        let mut at_start = FxHashSet::default();
        let mut todo: Vec<Node> = reads.iter().map(|read| read.0).collect();
        while let Some(node) = todo.pop() {
            if at_start.insert(node) {
                let before = &self.cfg.predecessors[node];
                todo.extend(before.iter().copied().filter(|&p| at_end.insert(p) && p != source));
            }
        }
        for (number, barrier) in self.uses.barriers.iter().enumerate() {
            let is_read_behind = reads
                .iter()
                .any(|&(node, after)| node == barrier.node && after > number);
            let comes_later = source == barrier.node && !barrier.defined.contains(&value);
            let is_used = is_read_behind || at_end.contains(&barrier.node);
            if !is_used || comes_later {
                self.b.go_to_start(barrier.behind);
                self.b.store(slot.ty.poison(), slot.address);
            }
        }
    }
}
