// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Builds the vector kernel, block by block.

use std::collections::{BTreeSet, HashMap};

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;

use super::Width;
use super::calls::is_cheap;
use super::cfg::{Cfg, Node};
use super::shape::{Shape, Shapes, variable_size, widened};
use super::waits::Waits;
use crate::llvm::{Block, Builder, Context, Function, Kind, Module, Type, Value};
use crate::lower::item::Primitive;
use crate::runtime::layout;

pub(super) type Result<T> = std::result::Result<T, String>;

/// A value of the scalar kernel in the vector kernel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wide<'c> {
    /// Lane 0's value; the shape tells the others'.
    First(Value<'c>),
    /// One a lane.
    Lanes(Value<'c>),
    /// A structure of two, one of each a lane.
    Pair(Value<'c>, Value<'c>),
}

/// Where a value is kept between blocks.
#[derive(Clone, Copy)]
struct Slot<'c> {
    address: Value<'c>,
    ty: Type<'c>,
}

pub(super) struct Emit<'m, 'c> {
    pub cx: &'c Context,
    pub module: &'m Module<'c>,
    pub lanes: u32,
    pub shapes: Shapes<'c>,
    pub b: Builder<'c>,
    /// Builds in the entry block: variables.
    pub entry: Builder<'c>,
    pub function: Function<'c>,
    /// How it waits for the group, if it does and need not keep its stack.
    pub waits: Option<Waits<'c>>,
    old: Function<'c>,
    cfg: Cfg<'c>,
    /// The lanes that there are; none if all.
    entry_mask: Option<Value<'c>>,
    /// The mask of a block that not all lanes come to.
    masks: HashMap<Node, Value<'c>>,
    slots: HashMap<Value<'c>, Slot<'c>>,
    starts: Vec<Block<'c>>,
    /// Blocks that are still to be run when control comes to one.
    pending: Vec<BTreeSet<Node>>,
    /// What is known in the block that is being built.
    known: HashMap<Value<'c>, Wide<'c>>,
    /// Vectors of what is uniform or affine, made in this block.
    vectors: HashMap<Value<'c>, Value<'c>>,
    /// The mask of the block that is being built; none if all lanes are there.
    pub mask: Option<Value<'c>>,
}

/// Adds the vector form of `old` to the module.
pub(super) fn emit<'c>(
    module: &Module<'c>,
    old: Function<'c>,
    name: &str,
    width: Width,
    is_partial: bool,
    waits: bool,
) -> Result<Function<'c>> {
    let cx = module.context();
    let cfg = Cfg::new(old)?;
    let shapes = Shapes::new(module, &cfg);
    let old_type = old.function_type();
    let ty = match waits {
        true => cx.ptr().function(&old_type.params()),
        false => old_type,
    };
    let function = module.add_function(name, ty).internal().attribute("nounwind", 0);
    let entry = function.append_block("entry");
    let starts = cfg
        .blocks
        .iter()
        .map(|b| function.append_block(&format!("{b:?}").replace('"', "")))
        .collect();
    let pending = vec![BTreeSet::new(); cfg.blocks.len()];
    let mut emit = Emit {
        cx,
        module,
        lanes: width.lanes,
        shapes,
        b: Builder::at_end(cx, entry),
        entry: Builder::at_end(cx, entry),
        function,
        waits: None,
        old,
        cfg,
        entry_mask: None,
        masks: HashMap::new(),
        slots: HashMap::new(),
        starts,
        pending,
        known: HashMap::new(),
        vectors: HashMap::new(),
        mask: None,
    };
    if waits {
        emit.waits = Some(Waits::new(module, &emit.entry, function));
    }
    if is_partial {
        let wide = cx.int(64);
        let there = emit
            .entry
            .load(wide, emit.entry.offset(function.param(0), wide.int(layout::ITEM_LANES)));
        let numbers = emit.numbers(wide);
        emit.entry_mask = Some(
            emit.entry
                .icmp(I::LLVMIntULT, numbers, emit.entry.splat(there, width.lanes)),
        );
    }
    emit.make_slots()?;
    for node in 0..emit.cfg.blocks.len() {
        emit.block(node)?;
    }
    emit.entry.go_to_end(entry);
    emit.entry.br(emit.starts[0]);
    Ok(function)
}

impl<'c> Emit<'_, 'c> {
    /// `<0, 1, 2, ...>`
    pub fn numbers(&self, ty: Type<'c>) -> Value<'c> {
        Value::vector(&(0..self.lanes).map(|i| ty.int(i.into())).collect::<Vec<_>>())
    }

    fn mask_type(&self) -> Type<'c> {
        self.cx.int(1).vector(self.lanes)
    }

    /// The vector type of a scalar one.
    pub fn wide_type(&self, ty: Type<'c>) -> Result<Type<'c>> {
        widened(ty, self.lanes).ok_or_else(|| format!("a value of type {ty:?} that differs between lanes"))
    }

    fn make_slots(&mut self) -> Result<()> {
        for &node in &self.shapes.partial {
            let slot = self.entry.alloca(self.mask_type());
            self.entry.store(self.mask_type().zero(), slot);
            self.masks.insert(node, slot);
        }
        for node in 0..self.cfg.blocks.len() {
            let block = self.cfg.blocks[node];
            for inst in block.instructions() {
                let is_phi = inst.opcode() == Some(L::LLVMPHI);
                let leaves = inst
                    .users()
                    .iter()
                    .any(|u| u.opcode() == Some(L::LLVMPHI) || u.opcode().is_some() && u.block() != block);
                if !is_phi && !leaves || inst.ty().kind() == Kind::Void {
                    continue;
                }
                // It is made in the entry block, where all can see it.
                if inst.opcode() == Some(L::LLVMAlloca) {
                    continue;
                }
                let ty = match self.shapes.of(inst) {
                    Shape::Varying => self.wide_type(inst.ty())?,
                    _ => inst.ty(),
                };
                let address = self.entry.alloca(ty);
                self.slots.insert(inst, Slot { address, ty });
            }
        }
        Ok(())
    }

    fn block(&mut self, node: Node) -> Result<()> {
        self.known.clear();
        self.vectors.clear();
        self.b.go_to_end(self.starts[node]);
        // Lanes that leave a loop early wait behind it.
        if let Some(l) = self.cfg.loop_of[node].filter(|&l| self.cfg.loops[l].header == node)
            && self.shapes.divergent_loops.contains(&l)
        {
            let blocks = &self.cfg.loops[l].blocks;
            let exits: Vec<Node> = blocks
                .iter()
                .flat_map(|&b| self.cfg.successors[b].iter().copied())
                .filter(|to| !blocks.contains(to))
                .collect();
            self.pending[node].extend(exits);
        }
        let pending = std::mem::take(&mut self.pending[node]);
        self.mask = match self.masks.get(&node) {
            Some(&slot) => {
                let mask = self.b.load(self.mask_type(), slot);
                self.b.store(self.mask_type().zero(), slot);
                Some(mask)
            }
            None => self.entry_mask,
        };
        if let Some(&next) = pending.first() {
            if !self.masks.contains_key(&node) {
                return Err("control flow that comes together in an unexpected way".into());
            }
            if !self.is_short(node) {
                self.skip_without_lanes(node, next, &pending);
            }
        }
        for inst in self.cfg.blocks[node].instructions() {
            match inst.opcode() {
                Some(L::LLVMBr | L::LLVMRet | L::LLVMUnreachable) => self.terminator(node, inst, &pending)?,
                _ => {
                    if let Some(value) = self.instruction(inst)? {
                        self.define(inst, value)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Goes on with another block if no lane has come to this one.
    fn skip_without_lanes(&mut self, node: Node, next: Node, pending: &BTreeSet<Node>) {
        let some = self.any(self.mask.expect("it is partial"));
        let inside = self.function.append_block("some");
        self.b.cond_br(some, inside, self.starts[next]);
        self.carry(next, pending);
        inside.move_after(self.starts[node]);
        self.b.go_to_end(inside);
    }

    /// Whether a block may also run for no lane, and costs less than the question whether there is one: it has a few simple
    /// instructions, and control goes on from it by no more than masks.
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
            Some(L::LLVMPHI | L::LLVMBr | L::LLVMGetElementPtr) => true,
            Some(L::LLVMAdd | L::LLVMSub | L::LLVMMul | L::LLVMShl | L::LLVMLShr | L::LLVMAShr) => true,
            Some(L::LLVMAnd | L::LLVMOr | L::LLVMXor | L::LLVMICmp | L::LLVMFCmp | L::LLVMSelect) => true,
            Some(L::LLVMFAdd | L::LLVMFSub | L::LLVMFMul | L::LLVMFNeg | L::LLVMFreeze) => true,
            Some(L::LLVMTrunc | L::LLVMZExt | L::LLVMSExt | L::LLVMBitCast) => true,
            Some(L::LLVMCall) => inst.callee().is_some_and(|f| is_cheap(&f.name())),
            _ => false,
        };
        instructions.len() <= 12 && instructions.iter().all(simple)
    }

    /// Whether any lane of a mask is set.
    pub fn any(&self, mask: Value<'c>) -> Value<'c> {
        let bits = self.mask_bits(mask);
        self.b.icmp(I::LLVMIntNE, bits, bits.ty().zero())
    }

    /// A mask as an integer.
    pub fn mask_bits(&self, mask: Value<'c>) -> Value<'c> {
        self.b.bitcast(mask, self.cx.int(self.lanes))
    }

    /// The current mask as a value.
    pub fn mask_or_ones(&self) -> Value<'c> {
        self.mask.unwrap_or_else(|| self.mask_type().ones())
    }

    /// Remembers that on the way to `next` the other blocks are still to be run.
    fn carry(&mut self, next: Node, all: &BTreeSet<Node>) {
        self.pending[next].extend(all.iter().copied().filter(|&n| n != next));
    }

    fn terminator(&mut self, node: Node, inst: Value<'c>, pending: &BTreeSet<Node>) -> Result<()> {
        let mut targets = self.cfg.successors[node].clone();
        targets.dedup();
        match targets.as_slice() {
            [] => {
                match pending.first() {
                    Some(&next) => {
                        self.b.br(self.starts[next]);
                        self.carry(next, pending);
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
                self.go(node, to, self.mask, pending);
                Ok(())
            }
            &[yes, no] if !self.shapes.divergent_branches.contains(&node) => {
                let condition = self.first(inst.operand(0))?;
                // LLVM keeps the targets of a branch behind the condition, the second one first.
                let ways = [yes, no].map(|to| (to, self.function.append_block("edge")));
                self.b.cond_br(condition, ways[0].1, ways[1].1);
                // What is looked up on one way is not there on the other.
                let (known, vectors) = (self.known.clone(), self.vectors.clone());
                for (to, block) in ways {
                    block.move_after(self.b.block());
                    self.b.go_to_end(block);
                    self.known.clone_from(&known);
                    self.vectors.clone_from(&vectors);
                    self.edge(node, to, self.mask)?;
                    self.go(node, to, self.mask, pending);
                }
                Ok(())
            }
            &[yes, no] => {
                let condition = self.vector(inst.operand(0))?;
                let here = self.mask_or_ones();
                // Not `and`: what a lane that is not here says may be poison.
                let none = self.mask_type().zero();
                let to_yes = self.b.select(here, condition, none);
                let to_no = self.b.select(here, self.b.not(condition), none);
                self.edge(node, yes, Some(to_yes))?;
                self.edge(node, no, Some(to_no))?;
                let mut all = pending.clone();
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
                self.carry(next, &all);
                Ok(())
            }
            _ => Err("a branch of more than two ways".into()),
        }
    }

    /// Goes on to a block, or to one that has to be run before it.
    fn go(&mut self, node: Node, to: Node, mask: Option<Value<'c>>, pending: &BTreeSet<Node>) {
        if self.cfg.is_back_edge(node, to) {
            let divergent = self.cfg.loop_of[to].is_some_and(|l| self.shapes.divergent_loops.contains(&l));
            match (divergent, mask, pending.first()) {
                (true, Some(mask), Some(&next)) => {
                    let again = self.any(mask);
                    self.b.cond_br(again, self.starts[to], self.starts[next]);
                    self.carry(next, pending);
                }
                _ => {
                    self.b.br(self.starts[to]);
                }
            }
            return;
        }
        let mut all = pending.clone();
        all.insert(to);
        let next = *all.first().expect("one was put in");
        self.b.br(self.starts[next]);
        self.carry(next, &all);
    }

    /// What happens on the way from one block to another: phis get their values, the mask its lanes.
    fn edge(&mut self, from: Node, to: Node, mask: Option<Value<'c>>) -> Result<()> {
        let source = self.cfg.blocks[from];
        let mut stores = Vec::new();
        for phi in self.cfg.blocks[to].instructions() {
            if phi.opcode() != Some(L::LLVMPHI) {
                break;
            }
            let Some((value, _)) = phi.incoming().into_iter().find(|i| i.1 == source) else {
                return Err("a phi without a value for an edge".into());
            };
            let slot = self.slots[&phi];
            let new = match self.shapes.of(phi) {
                Shape::Varying => {
                    let new = self.vector(value)?;
                    match mask {
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
        // All are read before one is written.
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

    /// Remembers a value, also for other blocks.
    fn define(&mut self, inst: Value<'c>, value: Wide<'c>) -> Result<()> {
        // A shape of "differs" wants a vector, though the value may have been computed once.
        let value = match (self.shapes.of(inst), value) {
            (Shape::Varying, Wide::First(v)) => Wide::Lanes(self.repeat(v)),
            (_, value) => value,
        };
        self.known.insert(inst, value);
        if let Some(&slot) = self.slots.get(&inst)
            && inst.opcode() != Some(L::LLVMPHI)
        {
            match value {
                Wide::First(v) | Wide::Lanes(v) => {
                    self.b.store(v, slot.address);
                }
                Wide::Pair(..) => return Err("a structure that is used in another block".into()),
            }
        }
        Ok(())
    }

    /// A value of the scalar kernel.
    pub fn wide(&mut self, value: Value<'c>) -> Result<Wide<'c>> {
        if let Some(&known) = self.known.get(&value) {
            return Ok(known);
        }
        if value.opcode().is_none() {
            // A constant, a global, or a parameter.
            for i in 0..2 {
                if value == self.old.param(i) {
                    return Ok(Wide::First(self.function.param(i)));
                }
            }
            return Ok(Wide::First(value));
        }
        let Some(&slot) = self.slots.get(&value) else {
            return Err(format!("a value that is not there yet: {value:?}"));
        };
        let loaded = self.b.load(slot.ty, slot.address);
        let wide = match self.shapes.of(value) {
            Shape::Varying => Wide::Lanes(loaded),
            _ => Wide::First(loaded),
        };
        self.known.insert(value, wide);
        Ok(wide)
    }

    /// Lane 0's value of what is uniform or affine.
    pub fn first(&mut self, value: Value<'c>) -> Result<Value<'c>> {
        match self.wide(value)? {
            Wide::First(v) => Ok(v),
            Wide::Lanes(v) => Ok(self.part(v, value.ty(), self.cx.int(32).zero())),
            Wide::Pair(..) => Err("a structure as an operand".into()),
        }
    }

    /// A value in all lanes.
    pub fn vector(&mut self, value: Value<'c>) -> Result<Value<'c>> {
        let first = match self.wide(value)? {
            Wide::Lanes(v) => return Ok(v),
            Wide::Pair(..) => return Err("a structure as an operand".into()),
            Wide::First(v) => v,
        };
        if let Some(&made) = self.vectors.get(&value) {
            return Ok(made);
        }
        self.wide_type(first.ty())?;
        let made = match self.shapes.of(value) {
            Shape::Affine { stride, .. } => self.spread(first, stride),
            _ => self.repeat(first),
        };
        self.vectors.insert(value, made);
        Ok(made)
    }

    /// A value in all lanes; a vector as often, one after the other.
    fn repeat(&self, value: Value<'c>) -> Value<'c> {
        match value.ty().lanes() {
            None => self.b.splat(value, self.lanes),
            Some(n) => {
                let pattern: Vec<u32> = (0..self.lanes * n).map(|i| i % n).collect();
                self.b.shuffle(value, value.ty().poison(), &pattern)
            }
        }
    }

    /// A mask for values of a scalar kernel's type: as it is, or each bit as often as the vector type has elements.
    pub fn expand(&self, mask: Value<'c>, ty: Type<'c>) -> Value<'c> {
        match ty.lanes() {
            None => mask,
            Some(n) => {
                let pattern: Vec<u32> = (0..self.lanes * n).map(|i| i / n).collect();
                self.b.shuffle(mask, mask.ty().poison(), &pattern)
            }
        }
    }

    /// One lane's part of a vector of all lanes' values of a type. `lane` is of 32 bits.
    fn part(&self, all: Value<'c>, ty: Type<'c>, lane: Value<'c>) -> Value<'c> {
        let Some(n) = ty.lanes() else {
            return self.b.extract_element(all, lane);
        };
        let first = self.b.mul(lane, lane.ty().int(n.into()));
        (0..n).fold(ty.poison(), |part, i| {
            let number = lane.ty().int(i.into());
            let element = self.b.extract_element(all, self.b.add(first, number));
            self.b.insert_element(part, element, number)
        })
    }

    /// Puts one lane's value into a vector of all lanes'.
    fn with_part(&self, all: Value<'c>, part: Value<'c>, lane: Value<'c>) -> Value<'c> {
        let Some(n) = part.ty().lanes() else {
            return self.b.insert_element(all, part, lane);
        };
        let first = self.b.mul(lane, lane.ty().int(n.into()));
        (0..n).fold(all, |all, i| {
            let number = lane.ty().int(i.into());
            let element = self.b.extract_element(part, number);
            self.b.insert_element(all, element, self.b.add(first, number))
        })
    }

    /// Lane 0's value, and the others' a stride apart.
    fn spread(&self, first: Value<'c>, stride: i64) -> Value<'c> {
        if first.ty().is_ptr() {
            let wide = self.cx.int(64);
            let offsets: Vec<_> = (0..self.lanes)
                .map(|i| wide.int((stride.wrapping_mul(i.into())) as u64))
                .collect();
            return self.b.offset(first, Value::vector(&offsets));
        }
        let ty = first.ty();
        let bits = ty.bits().min(64);
        let low = u64::MAX >> (64 - bits);
        let steps: Vec<_> = (0..self.lanes)
            .map(|i| ty.int(stride.wrapping_mul(i.into()) as u64 & low))
            .collect();
        self.b.add(self.b.splat(first, self.lanes), Value::vector(&steps))
    }

    /// One lane's value. `lane` is of 32 bits.
    pub fn lane(&mut self, value: Value<'c>, lane: Value<'c>) -> Result<Value<'c>> {
        Ok(match (self.wide(value)?, self.shapes.of(value)) {
            (Wide::Lanes(v), _) => self.part(v, value.ty(), lane),
            (Wide::First(v), Shape::Affine { stride, .. }) => {
                if v.ty().is_ptr() {
                    let wide = self.cx.int(64);
                    self.b
                        .offset(v, self.b.mul(self.b.zext_or_trunc(lane, wide), wide.int(stride as u64)))
                } else {
                    let ty = v.ty();
                    let low = u64::MAX >> (64 - ty.bits().min(64));
                    self.b.add(
                        v,
                        self.b.mul(self.b.zext_or_trunc(lane, ty), ty.int(stride as u64 & low)),
                    )
                }
            }
            (Wide::First(v), _) => v,
            (Wide::Pair(..), _) => return Err("a structure as an operand".into()),
        })
    }

    /// Does something for each lane that is here, one after the other, and puts the results into a vector of `result`.
    pub fn each_lane(
        &mut self,
        result: Option<Type<'c>>,
        f: impl FnOnce(&mut Self, Value<'c>) -> Result<Option<Value<'c>>>,
    ) -> Result<Option<Value<'c>>> {
        let bits_type = self.cx.int(self.lanes);
        let word = self.cx.int(32);
        let start = match self.mask {
            Some(mask) => self.mask_bits(mask),
            None => bits_type.ones(),
        };
        let before = self.b.block();
        let [head, inside, after] = ["lanes", "lane", "lanes.done"].map(|n| self.function.append_block(n));
        inside.move_after(before);
        head.move_after(before);
        after.move_after(inside);
        // What the loop needs is made before it.
        self.b.br(head);
        self.b.go_to_end(head);
        let rest = self.b.phi(bits_type);
        let so_far = match result {
            Some(ty) => Some(self.b.phi(self.wide_type(ty)?)),
            None => None,
        };
        self.b
            .cond_br(self.b.icmp(I::LLVMIntNE, rest, bits_type.zero()), inside, after);
        self.b.go_to_end(inside);
        let no = self.cx.int(1).int(1);
        let number = self.b.intrinsic(self.module, "llvm.cttz", &[bits_type], &[rest, no]);
        let number = self.b.zext_or_trunc(number, word);
        let known = self.known.clone();
        let vectors = self.vectors.clone();
        let value = f(self, number)?;
        // What was looked up in the loop is not known behind it.
        self.known = known;
        self.vectors = vectors;
        let next = match (so_far, value) {
            (Some(so_far), Some(value)) => Some(self.with_part(so_far, value, number)),
            _ => None,
        };
        let fewer = self.b.and(rest, self.b.sub(rest, bits_type.int(1)));
        let end = self.b.block();
        self.b.br(head);
        rest.add_incoming(&[(start, before), (fewer, end)]);
        if let (Some(so_far), Some(next)) = (so_far, next) {
            so_far.add_incoming(&[(so_far.ty().poison(), before), (next, end)]);
        }
        self.b.go_to_end(after);
        Ok(so_far)
    }

    fn instruction(&mut self, inst: Value<'c>) -> Result<Option<Wide<'c>>> {
        let opcode = inst.opcode().expect("it is in a block");
        match opcode {
            L::LLVMPHI => {
                let slot = self.slots[&inst];
                let value = self.b.load(slot.ty, slot.address);
                return Ok(Some(match self.shapes.of(inst) {
                    Shape::Varying => Wide::Lanes(value),
                    _ => Wide::First(value),
                }));
            }
            L::LLVMAlloca => {
                let count = inst.operand(0).as_const_int();
                if count != Some(1) {
                    return Err("a variable of a length that is computed".into());
                }
                let (ty, size) = (inst.allocated_type(), variable_size(self.module, inst));
                let one = if self.module.size_of(ty) == size {
                    ty
                } else {
                    self.cx.int(8).array(size)
                };
                let made = self
                    .entry
                    .alloca(one.array(self.lanes.into()))
                    .align(inst.get_align().max(64));
                // It is known everywhere.
                let slot = self.slot_of_constant(made);
                self.slots.insert(inst, slot);
                return Ok(Some(Wide::First(made)));
            }
            L::LLVMStore => return self.store(inst).map(|()| None),
            L::LLVMCall => return self.call(inst),
            L::LLVMFence => {
                self.b.insert(inst.clone_instruction());
                return Ok(None);
            }
            L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg => return self.atomic(inst).map(Some),
            L::LLVMExtractValue => {
                if let Wide::Pair(a, b) = self.wide(inst.operand(0))? {
                    return Ok(Some(Wide::Lanes(if inst.indices() == [0] { a } else { b })));
                }
            }
            L::LLVMLoad if self.shapes.of(inst) == Shape::Varying => return self.load(inst).map(Some),
            L::LLVMGetElementPtr if self.shapes.private.element_size(inst).is_some() => {
                return self.private_address(inst).map(Some);
            }
            _ => {}
        }
        if self.shapes.of(inst) == Shape::Varying {
            return self.varying(inst, opcode).map(|v| Some(Wide::Lanes(v)));
        }
        self.once(inst).map(|v| Some(Wide::First(v)))
    }

    /// A variable that holds what is known everywhere anyway: so that other blocks find it.
    fn slot_of_constant(&mut self, value: Value<'c>) -> Slot<'c> {
        let address = self.entry.alloca(value.ty());
        self.entry.store(value, address);
        Slot {
            address,
            ty: value.ty(),
        }
    }

    /// Computes lane 0's value as the scalar kernel does.
    pub fn once(&mut self, inst: Value<'c>) -> Result<Value<'c>> {
        let operands: Vec<_> = inst.operands();
        let mut new = Vec::new();
        for &operand in &operands {
            new.push(match operand.opcode().is_none() && !self.known.contains_key(&operand) {
                // Callees and blocks among them are no values of lanes.
                true => match self.wide(operand)? {
                    Wide::First(v) => v,
                    _ => operand,
                },
                false => self.first(operand)?,
            });
        }
        let copy = inst.clone_instruction();
        for (i, &value) in new.iter().enumerate() {
            if value != operands[i] {
                copy.set_operand(i as u32, value);
            }
        }
        Ok(self.b.insert(copy))
    }

    fn varying(&mut self, inst: Value<'c>, opcode: L) -> Result<Value<'c>> {
        let ty = self.wide_type(inst.ty())?;
        let operands = inst.operands();
        let flags = inst.get_fast_math();
        let value = match opcode {
            L::LLVMAdd
            | L::LLVMSub
            | L::LLVMMul
            | L::LLVMUDiv
            | L::LLVMSDiv
            | L::LLVMURem
            | L::LLVMSRem
            | L::LLVMShl
            | L::LLVMLShr
            | L::LLVMAShr
            | L::LLVMAnd
            | L::LLVMOr
            | L::LLVMXor
            | L::LLVMFAdd
            | L::LLVMFSub
            | L::LLVMFMul
            | L::LLVMFDiv
            | L::LLVMFRem => {
                let (mut x, mut y) = (self.vector(operands[0])?, self.vector(operands[1])?);
                let divides = matches!(opcode, L::LLVMUDiv | L::LLVMSDiv | L::LLVMURem | L::LLVMSRem);
                if divides && !y.is_const() {
                    // A lane that is not here may hold what the way to here rules out.
                    if let Some(mask) = self.mask {
                        let mask = self.expand(mask, inst.ty());
                        x = self.b.select(mask, x, ty.zero());
                        y = self.b.select(mask, y, ty.int(1));
                    }
                    self.divide(opcode, x, y)?
                } else {
                    self.b.binary(opcode, x, y)
                }
            }
            L::LLVMFNeg => {
                let x = self.vector(operands[0])?;
                self.b.fneg(x)
            }
            L::LLVMFreeze => {
                let x = self.vector(operands[0])?;
                self.b.freeze(x)
            }
            L::LLVMTrunc
            | L::LLVMZExt
            | L::LLVMSExt
            | L::LLVMFPToUI
            | L::LLVMFPToSI
            | L::LLVMUIToFP
            | L::LLVMSIToFP
            | L::LLVMFPTrunc
            | L::LLVMFPExt
            | L::LLVMPtrToInt
            | L::LLVMIntToPtr
            | L::LLVMBitCast => {
                let x = self.vector(operands[0])?;
                self.b.cast(opcode, x, ty)
            }
            L::LLVMICmp => {
                let (x, y) = (self.vector(operands[0])?, self.vector(operands[1])?);
                self.b.icmp(inst.int_predicate(), x, y)
            }
            L::LLVMFCmp => {
                let (x, y) = (self.vector(operands[0])?, self.vector(operands[1])?);
                self.b.fcmp(inst.real_predicate(), x, y)
            }
            L::LLVMSelect => {
                let (yes, no) = (self.vector(operands[1])?, self.vector(operands[2])?);
                let condition = match self.shapes.of(operands[0]) {
                    Shape::Uniform if operands[0].ty().lanes().is_none() => self.first(operands[0])?,
                    _ => {
                        let condition = self.vector(operands[0])?;
                        match operands[0].ty().lanes() {
                            None => self.expand(condition, inst.ty()),
                            Some(_) => condition,
                        }
                    }
                };
                self.b.select(condition, yes, no)
            }
            L::LLVMExtractElement | L::LLVMInsertElement | L::LLVMShuffleVector => {
                return match self.elements(inst, opcode, &operands)? {
                    Some(value) => Ok(value),
                    None => match self.one_by_one(inst)? {
                        Wide::Lanes(value) => Ok(value),
                        _ => Err(format!("{opcode:?} without a result")),
                    },
                };
            }
            L::LLVMGetElementPtr if inst.ty().lanes().is_some() => {
                return Err("a vector of addresses that differ between lanes".into());
            }
            L::LLVMGetElementPtr => {
                let mut args = Vec::new();
                for (i, &operand) in operands.iter().enumerate() {
                    args.push(match self.shapes.of(operand) {
                        Shape::Uniform => self.first(operand)?,
                        _ if i == 0 => self.vector(operand)?,
                        _ => self.vector(operand)?,
                    });
                }
                self.b.gep(inst.source_element_type(), args[0], &args[1..], false)
            }
            _ => return Err(format!("{opcode:?} of what differs between lanes")),
        };
        if value.ty() != ty {
            return Err(format!("{opcode:?} gives an unexpected type"));
        }
        Ok(self.b.fast_math(value, flags))
    }

    /// Takes elements out of vectors, or puts them in, in all lanes; none if which ones is computed.
    fn elements(&mut self, inst: Value<'c>, opcode: L, operands: &[Value<'c>]) -> Result<Option<Value<'c>>> {
        let vector = operands[0];
        let Some(n) = vector.ty().lanes() else { return Ok(None) };
        let lanes = 0..self.lanes;
        match opcode {
            L::LLVMExtractElement => {
                let Some(index) = operands[1].as_const_int().filter(|&i| i < n.into()) else {
                    return Ok(None);
                };
                let all = self.vector(vector)?;
                let pattern: Vec<u32> = lanes.map(|l| l * n + index as u32).collect();
                Ok(Some(self.b.shuffle(all, all.ty().poison(), &pattern)))
            }
            L::LLVMInsertElement => {
                let Some(index) = operands[2].as_const_int().filter(|&i| i < n.into()) else {
                    return Ok(None);
                };
                let all = self.vector(vector)?;
                let element = self.vector(operands[1])?;
                let spread: Vec<u32> = (0..self.lanes * n).map(|i| i / n).collect();
                let spread = self.b.shuffle(element, element.ty().poison(), &spread);
                let pattern: Vec<u32> = (0..self.lanes * n)
                    .map(|i| {
                        if u64::from(i % n) == index {
                            self.lanes * n + i
                        } else {
                            i
                        }
                    })
                    .collect();
                Ok(Some(self.b.shuffle(all, spread, &pattern)))
            }
            _ => {
                let (x, y) = (self.vector(vector)?, self.vector(operands[1])?);
                let own = inst.shuffle_pattern();
                let pattern: Vec<u32> = lanes
                    .flat_map(|l| own.iter().map(move |&m| (l, m)))
                    .map(|(l, m)| match m {
                        u32::MAX => m,
                        m if m < n => l * n + m,
                        m => self.lanes * n + l * n + m - n,
                    })
                    .collect();
                Ok(Some(self.b.shuffle(x, y, &pattern)))
            }
        }
    }

    /// Whether a call is of a primitive.
    pub fn primitive(name: &str) -> Option<Primitive> {
        Primitive::ALL.into_iter().find(|p| p.name() == name)
    }
}
