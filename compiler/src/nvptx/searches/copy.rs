// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The copy of a search with 32 bits.

use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode as L;
use rustc_hash::FxHashMap;

use super::{Base, First, Loop, Search, Step, constant, is_word};
use crate::hammock::{Hammock, meet};
use crate::llvm::{Block, Builder, Function, Kind, Module, Type, Value};
use crate::nvptx::loops::{enter_through, from, leave_through, may_repeat};

/// The most instructions of a side of a branch that are better than the branch.
const LONGEST_SIDE: usize = 16;

impl<'c> Search<'c> {
    /// The branches in the loop that are not worth it, as if they were in its copy.
    fn hammocks(&self, copy_of: impl Fn(Block<'c>) -> Block<'c>) -> Vec<Hammock<'c>> {
        let Loop { blocks, latch, .. } = &self.around;
        let of = |&from: &Block<'c>| {
            let successors = from.successors();
            let &[yes, no] = successors.as_slice() else { return None };
            let after = |side: Block<'c>| {
                let instructions = side.instructions();
                let (_, rest) = instructions.split_last()?;
                let is_simple = rest.len() <= LONGEST_SIDE && rest.iter().all(|&inst| may_run_in_vain(inst));
                match side.successors()[..] {
                    [to] if is_simple && side.predecessors() == [from] => Some(to),
                    _ => None,
                }
            };
            let (sides, to) = meet([yes, no], after)?;
            let is_value = |inst: &Value<'c>| matches!(inst.ty().kind(), Kind::Int(_) | Kind::Float(_) | Kind::Pointer);
            to.phis().iter().all(is_value).then(|| Hammock {
                from: copy_of(from),
                sides: sides.map(|side| Some(copy_of(side?))),
                to: copy_of(to),
            })
        };
        blocks.iter().filter(|block| *block != latch).filter_map(of).collect()
    }

    /// Gives the search a copy with 32 bits.
    pub fn shorten(self, module: &Module<'c>, function: Function<'c>) {
        let b = Builder::new(module.context());
        let word = module.context().int(64);
        let Loop { blocks, latch, exit } = &self.around;
        let (header, latch) = (self.around.header(), *latch);
        let [guard, begin, end, after] =
            ["search.guard", "search.begin", "search.end", "search.after"].map(|name| function.append_block(name));
        let copies: Vec<Block<'c>> = blocks.iter().map(|_| function.append_block("search")).collect();
        let copy_of =
            |block: Block<'c>| copies[blocks.iter().position(|&own| own == block).expect("one of the loop's")];
        let hammocks = self.hammocks(copy_of);

        // Which of both runs. An undefined number is one and the same for the check and the loops.
        let mut initial = enter_through(&b, guard, header, latch);
        let phis = header.phis();
        let at_begin = |phi| phis.iter().position(|&own| own == phi).expect("one of the header's");
        let number = b.freeze(initial[at_begin(self.number)]);
        initial[at_begin(self.number)] = number;
        let is_short = b.icmp(LLVMIntULT, b.sub(number, word.int(1)), word.int(u32::MAX.into()));
        b.cond_br(is_short, begin, header);

        let mut copy = Copy::new(module, &self, &initial, begin);
        for (&block, &own) in blocks.iter().zip(&copies) {
            copy.block(block, own);
            copy.b.go_to_end(own);
            let branch = block.terminator().expect("a block ends with a terminator");
            let to = |block: Block<'c>| if block == *exit { end } else { copy_of(block) };
            match block.successors()[..] {
                [next] => copy.b.br(to(next)),
                [yes, no] => copy.b.cond_br(copy.wide(branch.operand(0)), to(yes), to(no)),
                _ => unreachable!("a way goes to one of two blocks"),
            };
        }
        copy.complete_phis(copy_of);
        b.go_to_end(begin);
        b.br(copy_of(header));
        // What is needed behind the loop is computed there.
        copy.b.go_to_end(end);
        let value_there = |value| match copy.narrow.contains_key(&value) && !self.far.contains(&value) {
            true => copy.widened(value),
            false => copy.wide(value),
        };
        leave_through(&b, after, blocks, *exit, (end, &value_there));
        copy.b.br(after);
        for (&phi, &initial) in phis.iter().zip(&initial) {
            b.replace_phi(phi, &[(initial, guard), (from(phi, latch), latch)]);
        }
        for hammock in hammocks {
            hammock.convert(module);
        }
    }
}

/// The copy of a search, while it is made.
struct Copy<'a, 'c> {
    b: Builder<'c>,
    /// Stands in front of the copy.
    in_front: Builder<'c>,
    begin: Block<'c>,
    module: &'a Module<'c>,
    search: &'a Search<'c>,
    /// What the phis of the loop begin with.
    initial: FxHashMap<Value<'c>, Value<'c>>,
    /// The values of the loop that are linear, with 32 bits, less what they are added to.
    narrow: FxHashMap<Value<'c>, Value<'c>>,
    /// All values of the loop, with their types.
    wide: FxHashMap<Value<'c>, Value<'c>>,
    /// What linear values are selected by. The same holds for all that is selected, even where it is undefined.
    conditions: FxHashMap<Value<'c>, Value<'c>>,
}

impl<'a, 'c> Copy<'a, 'c> {
    fn new(module: &'a Module<'c>, search: &'a Search<'c>, initial: &[Value<'c>], begin: Block<'c>) -> Self {
        let phis = search.around.header().phis();
        Self {
            b: Builder::new(module.context()),
            in_front: Builder::at_end(module.context(), begin),
            begin,
            module,
            search,
            initial: phis.into_iter().zip(initial.iter().copied()).collect(),
            narrow: FxHashMap::default(),
            wide: FxHashMap::default(),
            conditions: FxHashMap::default(),
        }
    }

    /// A value, or that of the copy if it is one of the loop's.
    fn wide(&self, value: Value<'c>) -> Value<'c> {
        self.wide.get(&value).copied().unwrap_or(value)
    }

    /// A linear value with 32 bits.
    fn narrow(&self, value: Value<'c>) -> Value<'c> {
        match constant(value) {
            Some(constant) => self.constant(constant),
            None => self.narrow[&value],
        }
    }

    fn constant(&self, value: i64) -> Value<'c> {
        self.module.context().int(32).int(u64::from(value as u32))
    }

    /// Copies a block, but for the branch at its end and what comes to its phis.
    fn block(&mut self, block: Block<'c>, own: Block<'c>) {
        let short = self.module.context().int(32);
        self.b.go_to_end(own);
        let phis = block.phis();
        for &phi in &phis {
            match self.base(phi) {
                Some(_) => self.narrow.insert(phi, self.b.phi(short)),
                None => self.wide.insert(phi, self.b.phi(phi.ty())),
            };
        }
        // A phi with 64 bits has to be in front of all that is none, and what it is made of must not.
        for &phi in phis.iter().filter(|phi| self.narrow.contains_key(phi)) {
            if self.search.far.contains(&phi) {
                self.wide.insert(phi, self.b.phi(phi.ty()));
            }
        }
        for &phi in phis.iter().filter(|phi| self.narrow.contains_key(phi)) {
            if !self.search.far.contains(&phi) {
                self.wide.insert(phi, self.widened(phi));
            }
        }
        for &phi in &phis {
            self.freeze(phi);
        }
        let last = block.terminator().expect("a block ends with a terminator");
        for inst in block.instructions() {
            if inst == last || phis.contains(&inst) {
                continue;
            }
            if self.base(inst).is_some() {
                let narrow = self.narrowed(inst);
                self.narrow.insert(inst, narrow);
            }
            let wide = match self.base(inst) {
                Some(_) if !self.search.far.contains(&inst) => self.widened(inst),
                _ => self.copied(inst),
            };
            self.wide.insert(inst, wide);
            self.freeze(inst);
        }
    }

    /// Freezes a value that was copied, if linear values are selected by it.
    fn freeze(&mut self, value: Value<'c>) {
        let selects = |user: Value<'c>| {
            user.opcode() == Some(L::LLVMSelect) && user.operand(0) == value && self.base(user).is_some()
        };
        if value.users().into_iter().any(selects) {
            self.conditions.insert(value, self.b.freeze(self.wide(value)));
        }
    }

    fn base(&self, value: Value<'c>) -> Option<Base> {
        self.search.bases.get(&value).copied()
    }

    /// A linear value that is no phi, with 32 bits.
    fn narrowed(&mut self, inst: Value<'c>) -> Value<'c> {
        if inst.opcode() == Some(L::LLVMSelect) {
            // One from outside of the loop is frozen when it is seen first.
            let condition = inst.operand(0);
            let condition = *self
                .conditions
                .entry(condition)
                .or_insert_with(|| self.in_front.freeze(condition));
            return self
                .b
                .select(condition, self.narrow(inst.operand(1)), self.narrow(inst.operand(2)));
        }
        let operand = |at| self.narrow(inst.operand(at));
        match inst.opcode() {
            Some(L::LLVMLShr) => self.b.lshr(operand(0), self.constant(1)),
            Some(L::LLVMXor) => self.b.not(operand(0)),
            Some(L::LLVMAdd) => self.b.add(operand(0), operand(1)),
            Some(L::LLVMSub) => self.b.sub(operand(0), operand(1)),
            _ => {
                let first = self.base(inst).flatten().expect("an address is added to one");
                match self.search.step(self.module, inst, first) {
                    Some(Step::Constant(count)) => self.b.add(operand(0), self.constant(count)),
                    _ => self.b.add(operand(0), operand(1)),
                }
            }
        }
    }

    /// A linear value with its type, made of that with 32 bits.
    fn widened(&self, value: Value<'c>) -> Value<'c> {
        let word = self.module.context().int(64);
        let narrow = self.b.cast(L::LLVMZExt, self.narrow[&value], word);
        let Some(first) = self.base(value).flatten() else {
            return narrow;
        };
        let First { phi, unit } = self.search.firsts[first];
        let origin = self.initial[&phi];
        match phi.ty().kind() {
            Kind::Pointer => self.b.gep(self.element(unit), origin, &[narrow], false),
            _ => self.b.add(origin, narrow),
        }
    }

    fn element(&self, size: u64) -> Type<'c> {
        self.module.context().int(8).array(size)
    }

    /// A copy of an instruction that computes with the values of the copy.
    fn copied(&self, inst: Value<'c>) -> Value<'c> {
        if let Some(address) = self.address(inst) {
            return address;
        }
        let copy = self.b.insert(inst.clone_instruction());
        for (at, operand) in (0..).zip(inst.operands()) {
            if let Some(&own) = self.wide.get(&operand) {
                copy.set_operand(at, own);
            }
        }
        copy
    }

    /// An address of an array that does not change, at an index that is added to where the search began. It is computed from the
    /// address of that, which is one instruction.
    fn address(&self, inst: Value<'c>) -> Option<Value<'c>> {
        let is_one = inst.opcode() == Some(L::LLVMGetElementPtr) && inst.operands().len() == 2;
        if !is_one || self.search.around.has(inst.operand(0)) {
            return None;
        }
        let index = inst.operand(1);
        let first = self.base(index)??;
        if self.search.far.contains(&index) || !is_word(index.ty()) {
            return None;
        }
        let ty = inst.source_element_type();
        let origin = self.initial[&self.search.firsts[first].phi];
        let begin = self.in_front.gep(ty, inst.operand(0), &[origin], false);
        let distance = self
            .b
            .cast(L::LLVMZExt, self.narrow[&index], self.module.context().int(64));
        Some(self.b.gep(ty, begin, &[distance], false))
    }

    /// Gives the phis of the copy what comes to them.
    fn complete_phis(&self, copy_of: impl Fn(Block<'c>) -> Block<'c>) {
        let Loop { blocks, latch, .. } = &self.search.around;
        let header = self.search.around.header();
        for phi in blocks.iter().flat_map(|block| block.phis()) {
            let incoming: Vec<_> = match phi.block() == header {
                true => vec![(from(phi, *latch), *latch)],
                false => phi.incoming(),
            };
            let others = |value: &dyn Fn(Value<'c>) -> Value<'c>| -> Vec<_> {
                incoming.iter().map(|&(own, at)| (value(own), copy_of(at))).collect()
            };
            let initial = self.initial.get(&phi);
            if let Some(narrow) = self.narrow.get(&phi) {
                narrow.add_incoming(&others(&|value| self.narrow(value)));
                if let Some(&initial) = initial {
                    // What is added to something has gone nowhere yet.
                    let begin = match self.base(phi) {
                        Some(None) => self.in_front.cast(L::LLVMTrunc, initial, narrow.ty()),
                        _ => self.constant(0),
                    };
                    narrow.add_incoming(&[(begin, self.begin)]);
                }
            }
            if self.narrow.contains_key(&phi) && !self.search.far.contains(&phi) {
                continue;
            }
            let wide = self.wide[&phi];
            wide.add_incoming(&others(&|value| self.wide(value)));
            if let Some(&initial) = initial {
                wide.add_incoming(&[(initial, self.begin)]);
            }
        }
    }
}

/// Whether an instruction may run where its result is not needed, and is cheaper than a branch.
fn may_run_in_vain(inst: Value<'_>) -> bool {
    match inst.opcode() {
        Some(L::LLVMCall) => inst.callee().is_some_and(|callee| callee.has_attribute("speculatable")),
        Some(L::LLVMLoad | L::LLVMPHI | L::LLVMUDiv | L::LLVMSDiv | L::LLVMURem | L::LLVMSRem | L::LLVMFDiv) => false,
        _ => may_repeat(inst),
    }
}
