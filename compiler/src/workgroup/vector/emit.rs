// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Builds the vector kernel, block by block.

mod instructions;
mod values;

use std::collections::BTreeSet;

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Width;
use super::cfg::{Cfg, Node};
use super::coherent::Coherent;
use super::coroutine::CoroutineLowering;
use super::divergence::{Ids, Parameter, VectorShape, VectorShapes, widened};
use super::forgetting::Uses;
use super::gather::Chases;
use super::guards::parts_of_limits;
use super::if_conversion::{LONGEST_SIDE, is_simple};
use super::interleaved::Interleaved;
use super::prefetches::Prefetches;
use super::rows::Rows;
use super::streams::Streams;
use super::whole_group::GroupVector;
use crate::abi::layout;
use crate::llvm::{Block, Builder, Context, Function, Kind, Module, Type, Value};
use crate::passes::may_run;

pub(super) type Result<T> = std::result::Result<T, String>;

/// A value of the scalar kernel in the vector kernel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wide<'c> {
    /// Lane 0's value; the shape tells the others'. If lane 0 is masked, this is the value from which those of active lanes
    /// follow, whatever lane 0 itself would have computed.
    Scalar(Value<'c>),
    /// A value for each lane.
    Vector(Value<'c>),
    /// A structure of two members, as a vector of each.
    Pair(Value<'c>, Value<'c>),
}

/// The variable of a value between blocks.
#[derive(Clone, Copy)]
pub(super) struct Slot<'c> {
    pub(super) address: Value<'c>,
    pub(super) ty: Type<'c>,
}

pub(super) struct Emit<'m, 'c> {
    pub cx: &'c Context,
    pub module: &'m Module<'c>,
    pub lanes: u32,
    /// Whether the lanes may be in several rows of the group.
    pub spans_rows: bool,
    /// The group that the lanes are all items of, if its size is known.
    pub(super) group: Option<GroupVector>,
    /// Its rows, if it has several.
    pub(super) rows: Option<Rows<'c>>,
    pub shapes: VectorShapes<'c>,
    /// The shapes that values have if no index wraps and the lanes are in one row. Only checks at run time tell.
    pub hopes: VectorShapes<'c>,
    pub b: Builder<'c>,
    /// Builds in the entry block, where variables are.
    pub entry: Builder<'c>,
    pub function: Function<'c>,
    /// The stores that may go past the caches.
    pub(super) streams: Streams<'c>,
    /// The coroutine, if the kernel suspends at barriers.
    pub waits: Option<CoroutineLowering<'c>>,
    /// The scalar kernel's parameters.
    params: Vec<Value<'c>>,
    pub(super) cfg: Cfg<'c>,
    /// The block of the scalar kernel that is being built.
    pub(super) node: Node,
    /// What barriers need to know of variables.
    pub(super) uses: Uses<'c>,
    /// The lanes that exist; `None` if all do.
    pub(super) entry_mask: Option<Value<'c>>,
    /// Whether lane 0 may be none of them.
    may_lack_first: bool,
    /// The mask variable of a block that not all lanes reach.
    pub(super) masks: FxHashMap<Node, Value<'c>>,
    pub(super) demoted: FxHashMap<Value<'c>, Slot<'c>>,
    pub(super) starts: Vec<Block<'c>>,
    /// The loops that have a copy for all lanes, by their headers.
    pub(super) coherent: FxHashMap<Node, Coherent<'c>>,
    /// Deferred blocks: for each block, those that must still run after it is entered.
    deferred: Vec<BTreeSet<Node>>,
    /// The values that are available in the current block.
    pub(super) known: FxHashMap<Value<'c>, Wide<'c>>,
    /// Vectors of uniform or affine values, made in the current block.
    pub(super) vectors: FxHashMap<Value<'c>, Value<'c>>,
    /// The mask of the current block; `None` if all lanes are active.
    pub mask: Option<Value<'c>>,
    /// Whether lane 0 may be inactive in the current block.
    pub(super) is_predicated: bool,
    /// Whether accesses of partners exchange vectors.
    pub(super) has_butterflies: bool,
    /// Whether sides that all lanes enter have a copy.
    pub(super) has_guards: bool,
    /// Whether accesses at constant strides are joined.
    pub(super) has_groups: bool,
    /// Whether addresses come from what the kernel loads.
    pub(super) chases: Chases,
    /// The current block's accesses at constant strides.
    pub(super) interleaved: Interleaved<'c>,
    /// The loads that ask for what they need in later rounds.
    pub(super) prefetches: Prefetches<'c>,
}

/// What the vector form of a kernel is to be like.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a, 'c> {
    /// How many lanes it has.
    pub width: Width,
    /// Whether these may be in several rows of a group whose size is not known.
    pub spans_rows: bool,
    /// The group that the lanes are all items of, if its size is known.
    pub group: Option<GroupVector>,
    /// Whether not all lanes may be active.
    pub is_partial: bool,
    /// Whether it suspends at barriers.
    pub waits: bool,
    /// Whether its stores may go past the caches.
    pub streams: bool,
    /// Whether its last parameter tells which lanes are active.
    pub is_masked: bool,
    /// Its parameters behind the item and the arguments.
    pub parameters: &'a [Parameter<'c>],
}

/// Adds the vector form of `old` to the module. Gives how many bytes an item may store past the caches.
pub(super) fn emit<'c>(
    module: &Module<'c>,
    old: Function<'c>,
    name: &str,
    plan: Plan<'_, 'c>,
) -> Result<(Function<'c>, u64)> {
    let Plan {
        width,
        spans_rows,
        group,
        is_partial,
        waits,
        streams,
        is_masked,
        parameters,
    } = plan;
    let cx = module.context();
    let cfg = Cfg::new(old)?;
    let group_spans_rows = group.is_some_and(GroupVector::spans_rows);
    let spans_rows = spans_rows || group_spans_rows;
    let shapes = VectorShapes::with_parameters(module, &cfg, width.lanes, Ids::of(spans_rows), parameters);
    let hoped = match may_run("runs that are hoped for") {
        true => Ids::hoped(group_spans_rows),
        false => Ids::of(spans_rows),
    };
    let hopes = match may_run("dense arrays") {
        true => VectorShapes::of_dense(module, &cfg, width.lanes, hoped, parameters),
        false => VectorShapes::with_parameters(module, &cfg, width.lanes, hoped, parameters),
    };
    let rows = group.and_then(|group| Rows::of(module, &cfg, group));
    let mut params = old.function_type().params();
    let mask_param = params.len() as u32;
    params.extend(is_masked.then(|| cx.int(width.lanes)));
    let ty = if waits { cx.ptr() } else { cx.void() }.function(&params);
    let function = module.add_function(name, ty).internal().attribute("nounwind", 0);
    let entry = function.append_block("entry");
    let starts = cfg
        .blocks
        .iter()
        .map(|b| function.append_block(&format!("{b:?}").replace('"', "")))
        .collect();
    let deferred = vec![BTreeSet::new(); cfg.blocks.len()];
    let chases = Chases::find(&cfg, &shapes);
    let prefetches = match may_run("prefetches") {
        true => Prefetches::find(module, &cfg, &shapes, width.lanes),
        false => Prefetches::default(),
    };
    let mut emit = Emit {
        cx,
        module,
        lanes: width.lanes,
        spans_rows,
        group,
        rows,
        shapes,
        hopes,
        b: Builder::at_end(cx, entry),
        entry: Builder::at_end(cx, entry),
        function,
        waits: None,
        params: old.params(),
        cfg,
        node: 0,
        uses: Uses::default(),
        entry_mask: None,
        may_lack_first: is_masked,
        masks: FxHashMap::default(),
        demoted: FxHashMap::default(),
        starts,
        coherent: FxHashMap::default(),
        deferred,
        known: FxHashMap::default(),
        vectors: FxHashMap::default(),
        mask: None,
        is_predicated: false,
        chases,
        has_butterflies: may_run("butterflies"),
        has_guards: may_run("guards"),
        has_groups: may_run("interleaved accesses"),
        interleaved: Interleaved::default(),
        streams: Streams::default(),
        prefetches,
    };
    if streams && may_run("stores past the caches") {
        emit.streams = Streams::find(module, &emit.cfg, &emit.shapes, width.lanes);
    }
    if waits {
        emit.waits = Some(CoroutineLowering::new(module, &emit.entry, function));
    }
    if is_partial {
        let (word, wide) = (cx.int(32), cx.int(64));
        let b = &emit.entry;
        // They are fewer than the lanes, so the low 32 bits of the number are enough.
        let there = b.load(word, b.offset(function.param(0), wide.int(layout::ITEM_LANES)));
        let mask = b.icmp(I::LLVMIntULT, emit.numbers(word), b.splat(there, width.lanes));
        emit.entry_mask = Some(mask);
    }
    if let Some(group) = group.filter(|group| group.items() < width.lanes) {
        let bit = |lane| cx.int(1).int((lane < group.items()).into());
        emit.entry_mask = Some(Value::vector(&(0..width.lanes).map(bit).collect::<Vec<_>>()));
    }
    if is_masked {
        let bits = function.param(mask_param);
        emit.entry_mask = Some(emit.entry.bitcast(bits, emit.mask_type()));
    }
    emit.make_slots()?;
    if may_run("loops for all lanes") {
        emit.find_coherent_loops();
    }
    for node in 0..emit.cfg.blocks.len() {
        emit.block(node)?;
    }
    emit.forget_at_barriers();
    emit.entry.go_to_end(entry);
    emit.entry.br(emit.starts[0]);
    Ok((function, emit.streams.bytes))
}

impl<'c> Emit<'_, 'c> {
    /// `<0, 1, 2, ...>`
    pub fn numbers(&self, ty: Type<'c>) -> Value<'c> {
        Value::vector(&(0..self.lanes).map(|i| ty.int(i.into())).collect::<Vec<_>>())
    }

    pub(super) fn mask_type(&self) -> Type<'c> {
        self.cx.int(1).vector(self.lanes)
    }

    /// The vector type of a scalar one.
    pub fn wide_type(&self, ty: Type<'c>) -> Result<Type<'c>> {
        widened(ty, self.lanes).ok_or_else(|| format!("a value of type {ty:?} that differs between lanes"))
    }

    fn make_slots(&mut self) -> Result<()> {
        for &node in &self.shapes.predicated {
            let slot = self.entry.alloca(self.mask_type());
            self.entry.store(self.mask_type().zero(), slot);
            self.masks.insert(node, slot);
        }
        let all = self.cfg.blocks.iter().flat_map(|block| block.instructions());
        let parts = all.flat_map(|inst| {
            let of_access = self
                .parts_of_butterfly(inst)
                .into_iter()
                .chain(self.origins_of_rows(inst));
            of_access.chain(parts_of_limits(inst)).chain(self.parts_of_index(inst))
        });
        let parts: FxHashSet<Value<'c>> = parts.collect();
        for node in 0..self.cfg.blocks.len() {
            let block = self.cfg.blocks[node];
            for inst in block.instructions() {
                let is_phi = inst.opcode() == Some(L::LLVMPHI);
                let leaves = inst
                    .users()
                    .iter()
                    .any(|u| u.opcode() == Some(L::LLVMPHI) || u.opcode().is_some() && u.block() != block);
                if !is_phi && !leaves && !parts.contains(&inst) || inst.ty().kind() == Kind::Void {
                    continue;
                }
                // It is in the entry block, which dominates all uses.
                if inst.opcode() == Some(L::LLVMAlloca) {
                    continue;
                }
                let ty = match self.shapes.of(inst) {
                    VectorShape::Varying => self.wide_type(inst.ty())?,
                    _ => inst.ty(),
                };
                let address = self.entry.alloca(ty);
                self.demoted.insert(inst, Slot { address, ty });
            }
        }
        Ok(())
    }

    fn block(&mut self, node: Node) -> Result<()> {
        self.coherent_copy(node)?;
        self.node = node;
        self.known.clear();
        self.vectors.clear();
        self.b.go_to_end(self.starts[node]);
        // Lanes that leave a loop early wait after it.
        if let Some(l) = self.cfg.loop_of[node].filter(|&l| self.cfg.loops[l].header == node)
            && self.shapes.divergent_loops.contains(&l)
        {
            self.deferred[node].extend(self.cfg.exits(l));
        }
        let deferred = std::mem::take(&mut self.deferred[node]);
        self.is_predicated = self.may_lack_first || self.masks.contains_key(&node);
        self.mask = match self.masks.get(&node) {
            Some(&slot) => {
                let mask = self.b.load(self.mask_type(), slot);
                self.b.store(self.mask_type().zero(), slot);
                Some(mask)
            }
            None => self.entry_mask,
        };
        if let Some(&next) = deferred.first() {
            if !self.masks.contains_key(&node) {
                return Err("control flow that comes together in an unexpected way".into());
            }
            if !self.is_short(node) {
                self.skip_without_lanes(node, next, &deferred);
            }
        }
        let terminator = self.body(node)?;
        self.terminator(node, terminator, &deferred)
    }

    /// Builds a block but for its terminator, which is the result.
    pub(super) fn body(&mut self, node: Node) -> Result<Value<'c>> {
        let mut instructions = self.cfg.blocks[node].instructions();
        self.find_groups(&instructions);
        let terminator = instructions.pop().expect("a block ends with a terminator");
        for inst in instructions {
            if let Some(value) = self.instruction(inst)? {
                self.define(inst, value)?;
            }
        }
        Ok(terminator)
    }

    /// Skips to another block if no lane has reached this one.
    fn skip_without_lanes(&mut self, node: Node, next: Node, deferred: &BTreeSet<Node>) {
        let some = self.any(self.mask.expect("it is partial"));
        let inside = self.function.append_block("some");
        self.b.cond_br(some, inside, self.starts[next]);
        self.defer(next, deferred);
        inside.move_after(self.starts[node]);
        self.b.go_to_end(inside);
    }

    /// Whether running a block without active lanes costs less than checking for them: it has a few simple
    /// instructions, and only masks decide where control goes next.
    fn is_short(&self, node: Node) -> bool {
        let successors = &self.cfg.successors[node];
        let is_header = self.cfg.loops.iter().any(|l| l.header == node);
        let goes_on = match successors.len() {
            0 => false,
            1 => true,
            _ => self.shapes.divergent_branches.contains(&node),
        };
        if is_header || !goes_on || successors.iter().any(|&to| self.cfg.is_back_edge(node, to)) {
            return false;
        }
        let instructions = self.cfg.blocks[node].instructions();
        let simple = |inst: &Value<'c>| match inst.opcode() {
            Some(L::LLVMPHI | L::LLVMBr) => true,
            Some(L::LLVMStore) => self.is_at_hand(*inst),
            _ => is_simple(*inst),
        };
        instructions.len() <= LONGEST_SIDE && instructions.iter().all(simple)
    }

    /// Whether a mask has any lane.
    pub fn any(&self, mask: Value<'c>) -> Value<'c> {
        let bits = self.mask_bits(mask);
        self.b.icmp(I::LLVMIntNE, bits, bits.ty().zero())
    }

    /// Whether a mask has all lanes.
    pub(super) fn all(&self, mask: Value<'c>) -> Value<'c> {
        let bits = self.mask_bits(mask);
        self.b.icmp(I::LLVMIntEQ, bits, bits.ty().ones())
    }

    /// A mask as an integer.
    pub fn mask_bits(&self, mask: Value<'c>) -> Value<'c> {
        self.b.bitcast(mask, self.cx.int(self.lanes))
    }

    /// The current mask as a value.
    pub fn mask_or_ones(&self) -> Value<'c> {
        self.mask.unwrap_or_else(|| self.mask_type().ones())
    }

    /// Defers the other blocks until control has been at `next`.
    fn defer(&mut self, next: Node, all: &BTreeSet<Node>) {
        self.deferred[next].extend(all.iter().copied().filter(|&n| n != next));
    }

    fn terminator(&mut self, node: Node, inst: Value<'c>, deferred: &BTreeSet<Node>) -> Result<()> {
        let mut targets = self.cfg.successors[node].clone();
        targets.dedup();
        match targets.as_slice() {
            [] => {
                match deferred.first() {
                    Some(&next) => {
                        self.b.br(self.starts[next]);
                        self.defer(next, deferred);
                    }
                    None => match &self.waits {
                        Some(waits) => waits.end(self.module, &self.b),
                        None => {
                            self.b.ret(None);
                        }
                    },
                }
                Ok(())
            }
            &[to] => {
                self.edge(node, to, self.mask)?;
                if self.enter_coherent(node, to) {
                    self.go(node, to, self.mask, deferred);
                }
                Ok(())
            }
            &[yes, no] if !self.shapes.divergent_branches.contains(&node) => {
                let condition = self.first(inst.operand(0))?;
                self.two_ways(condition, |emit, is_yes| {
                    let to = if is_yes { yes } else { no };
                    emit.edge(node, to, emit.mask)?;
                    emit.go(node, to, emit.mask, deferred);
                    Ok(())
                })
            }
            &[_, _] => {
                self.enter_together(node, inst)?;
                self.diverge(node, inst, deferred)
            }
            _ => Err("a branch of more than two ways".into()),
        }
    }

    /// Branches to two new blocks, and ends both: that where the condition holds, and the other one.
    pub(super) fn two_ways(
        &mut self,
        condition: Value<'c>,
        mut end: impl FnMut(&mut Self, bool) -> Result<()>,
    ) -> Result<()> {
        let ways = [true, false].map(|holds| (holds, self.function.append_block("edge")));
        self.b.cond_br(condition, ways[0].1, ways[1].1);
        // Values that are loaded on one path are not available on the other.
        let (known, vectors) = (self.known.clone(), self.vectors.clone());
        for (holds, block) in ways {
            block.move_after(self.b.block());
            self.b.go_to_end(block);
            self.known.clone_from(&known);
            self.vectors.clone_from(&vectors);
            end(self, holds)?;
        }
        Ok(())
    }

    /// Ends a block where lanes part: those of each side get its mask.
    pub(super) fn diverge(&mut self, node: Node, inst: Value<'c>, deferred: &BTreeSet<Node>) -> Result<()> {
        let &[yes, no] = self.cfg.successors[node].as_slice() else {
            return Err("lanes that part in more than two ways".into());
        };
        let condition = self.vector(inst.operand(0))?;
        let here = self.mask_or_ones();
        // Not `and`: the value of an inactive lane may be poison.
        let none = self.mask_type().zero();
        let to_yes = self.b.select(here, condition, none);
        let to_no = self.b.select(here, self.b.not(condition), none);
        // The edge that leaves a loop first: it may take the phis of the loop's header, which the other edge sets.
        let mut edges = [(yes, to_yes), (no, to_no)];
        edges.sort_by_key(|e| self.cfg.is_back_edge(node, e.0));
        for (to, mask) in edges {
            self.edge(node, to, Some(mask))?;
        }
        let mut all = deferred.clone();
        let back = [(yes, to_yes), (no, to_no)]
            .into_iter()
            .find(|e| self.cfg.is_back_edge(node, e.0));
        all.extend([yes, no].into_iter().filter(|&t| back.is_none_or(|e| e.0 != t)));
        let next = *all.first().ok_or("a branch that goes nowhere")?;
        match back {
            Some((header, mask)) => {
                let again = self.any(mask);
                self.b.cond_br(again, self.starts[header], self.starts[next]);
            }
            None => {
                self.b.br(self.starts[next]);
            }
        }
        self.defer(next, &all);
        Ok(())
    }

    /// Branches to a block, or to a deferred one that must run first.
    pub(super) fn go(&mut self, node: Node, to: Node, mask: Option<Value<'c>>, deferred: &BTreeSet<Node>) {
        if self.cfg.is_back_edge(node, to) {
            let divergent = self.cfg.loop_of[to].is_some_and(|l| self.shapes.divergent_loops.contains(&l));
            match (divergent, mask, deferred.first()) {
                (true, Some(mask), Some(&next)) => {
                    let again = self.any(mask);
                    self.b.cond_br(again, self.starts[to], self.starts[next]);
                    self.defer(next, deferred);
                }
                _ => {
                    self.b.br(self.starts[to]);
                }
            }
            return;
        }
        let mut all = deferred.clone();
        all.insert(to);
        let next = *all.first().expect("one was put in");
        self.b.br(self.starts[next]);
        self.defer(next, &all);
    }

    /// The edge from one block to another: assigns phis and the mask.
    pub(super) fn edge(&mut self, from: Node, to: Node, mask: Option<Value<'c>>) -> Result<()> {
        let source = self.cfg.blocks[from];
        let mut stores = Vec::new();
        for phi in self.cfg.blocks[to].phis() {
            let Some((value, _)) = phi.incoming().into_iter().find(|i| i.1 == source) else {
                return Err("a phi without a value for an edge".into());
            };
            let slot = self.demoted[&phi];
            let new = match self.shapes.of(phi) {
                VectorShape::Varying => {
                    let new = self.vector(value)?;
                    match mask {
                        // What lanes have that do not come may be poison.
                        Some(_) if self.cfg.arrives_first(from, to) => self.b.freeze(new),
                        Some(mask) => {
                            let old = self.b.load(slot.ty, slot.address);
                            let mask = self.expand(mask, phi.ty());
                            self.b.select(mask, new, old)
                        }
                        None => new,
                    }
                }
                _ => self.first(value)?,
            };
            stores.push((new, slot.address));
        }
        // All are read before any is written.
        for (value, address) in stores {
            self.b.store(value, address);
        }
        if let Some(&slot) = self.masks.get(&to) {
            let there = self.b.load(self.mask_type(), slot);
            let all = self.b.or(there, mask.unwrap_or_else(|| self.mask_type().ones()));
            self.b.store(all, slot);
        }
        Ok(())
    }
}
