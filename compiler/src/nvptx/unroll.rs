// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Several loads in flight: unrolls loops that only read, and whose trip count LLVM does not compute.
//!
//! Those are loops as `for (i = id; i < n; i += step)`. The step is not known, and the sum may wrap around, so LLVM's unroller
//! leaves them. Here no trip count is needed. Where `i + 3 * step` is below `n`, so are the sums before it, and four
//! iterations run:
//!
//! ```text
//! limit = 3 * step is positive and n - 3 * step is a number ? n - 3 * step : the least number
//! while (i < limit) { four iterations }
//! while (i < n) { one iteration }
//! ```
//!
//! Iterations are in the order of before, so sums of floats have the same bits. The four are one block, in which NVIDIA's
//! assembler issues all loads before it uses the first.

use std::ops::RangeInclusive;

use llvm_sys::LLVMIntPredicate::{self as I, *};
use llvm_sys::LLVMOpcode as L;
use rustc_hash::FxHashMap;

use super::loops::{enter_through, from, leave_through, may_repeat};
use crate::llvm::{Block, Builder, Function, Kind, Module, Type, Value, inverse, swapped};
use crate::target::nvptx64::SHARED;

/// How many iterations become one.
const COPIES: u64 = 4;
/// The most instructions that an iteration may have. More would take registers that other threads need, and such loops have
/// several loads already, or compute for most of the time.
const MOST_INSTRUCTIONS: usize = 40;
/// How many bytes of an iteration are many: four iterations have more on their way than fits into the registers that NVIDIA's
/// assembler gives a thread by itself. More than the last would not fit into [`MOST_REGISTERS`] either.
const WIDE: RangeInclusive<u64> = 16..=32;
/// What the assembler is told that a small kernel with such loops may use, and no more: as many as 1024 work-items of a group can
/// have. Without, it keeps to 32, so that a multiprocessor has as many threads as it can, and issues the third load of 16 bytes
/// when the first has come.
const MOST_REGISTERS: &str = "64";
/// How many instructions a small kernel has before loops are unrolled: one that needs no more registers than that elsewhere.
const FEW_INSTRUCTIONS: usize = 300;

/// Unrolls such loops. Returns whether there were some.
pub fn loops<'c>(module: &Module<'c>) -> bool {
    let mut some = false;
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        for block in function.blocks() {
            if let Some(found) = Loop::find(block) {
                if WIDE.contains(&found.bytes_loaded(module)) && is_small(function) {
                    function.text_attribute("nvvm.maxnreg", MOST_REGISTERS);
                }
                found.unroll(module, function);
                some = true;
            }
        }
    }
    some
}

fn is_small(function: Function<'_>) -> bool {
    let counts = function.blocks().into_iter().map(|block| block.instructions().len());
    counts.sum::<usize>() <= FEW_INSTRUCTIONS
}

/// A loop of one block.
struct Loop<'c> {
    block: Block<'c>,
    exit: Block<'c>,
    instructions: Vec<Value<'c>>,
    /// The phi of what is counted.
    counter: Value<'c>,
    /// What is added to it.
    step: Value<'c>,
    /// The loop goes on while this holds of the counter and the bound: `<` or `<=`, signed or not.
    predicate: I,
    bound: Value<'c>,
}

impl<'c> Loop<'c> {
    /// The loop of a block, if it is one to unroll.
    fn find(block: Block<'c>) -> Option<Self> {
        let branch = block.terminator()?;
        let successors = block.successors();
        let (exit, goes_on_if) = match successors[..] {
            [first, second] if first == block && second != block => (second, true),
            [first, second] if second == block && first != block => (first, false),
            _ => return None,
        };
        let instructions = block.instructions();
        if instructions.len() > MOST_INSTRUCTIONS || !instructions.iter().all(|&inst| may_repeat(inst)) {
            return None;
        }
        let condition = branch.operand(0);
        if condition.opcode() != Some(L::LLVMICmp) || condition.block() != block {
            return None;
        }
        let is_inside = |value: Value<'c>| value.opcode().is_some() && value.block() == block;
        let (left, right) = (condition.operand(0), condition.operand(1));
        let predicate = condition.int_predicate();
        let predicate = if goes_on_if { predicate } else { inverse(predicate) };
        let (counted, bound, predicate) = match (is_inside(left), is_inside(right)) {
            (true, false) => (left, right, predicate),
            (false, true) => (right, left, swapped(predicate)),
            _ => return None,
        };
        if !matches!(predicate, LLVMIntULT | LLVMIntULE | LLVMIntSLT | LLVMIntSLE) {
            return None;
        }
        let phis = instructions.iter().filter(|inst| inst.opcode() == Some(L::LLVMPHI));
        let (counter, step) = phis
            .filter_map(|&phi| Some((phi, step_of(phi, block)?)))
            .find(|&(phi, _)| counted == phi || counted == from(phi, block))
            .filter(|(phi, _)| matches!(phi.ty().kind(), Kind::Int(32 | 64)))?;
        let found = Self {
            block,
            exit,
            instructions,
            counter,
            step,
            predicate,
            bound,
        };
        found.has_loads().then_some(found)
    }

    /// Whether there are loads that take long, of addresses that change and that hang on no other load: those that may be in
    /// flight at the same time.
    fn has_loads(&self) -> bool {
        // What changes by a step, and what hangs on loads, of this iteration or of those before.
        let (mut changes, mut hangs) = (Vec::new(), Vec::new());
        for &inst in &self.instructions {
            if inst.opcode() == Some(L::LLVMPHI) {
                match step_of(inst, self.block) {
                    Some(_) => changes.push(inst),
                    None => hangs.push(inst),
                }
                continue;
            }
            let operands = inst.operands();
            if operands.iter().any(|operand| hangs.contains(operand)) {
                hangs.push(inst);
            } else if operands.iter().any(|operand| changes.contains(operand)) {
                if inst.opcode() != Some(L::LLVMLoad) {
                    changes.push(inst);
                } else if inst.operand(0).address_space() != SHARED {
                    return true;
                } else {
                    hangs.push(inst);
                }
            }
        }
        false
    }

    /// How many bytes an iteration loads.
    fn bytes_loaded(&self, module: &Module<'c>) -> u64 {
        let is_load = |inst: &&Value<'c>| inst.opcode() == Some(L::LLVMLoad);
        let loads = self.instructions.iter().filter(is_load);
        loads.map(|load| module.size_of(load.ty())).sum()
    }

    fn unroll(self, module: &Module<'c>, function: Function<'c>) {
        let b = Builder::new(module.context());
        let block = self.block;
        let [guard, many, check, after] =
            ["unroll.guard", "unroll", "unroll.rest", "unroll.end"].map(|name| function.append_block(name));
        let branch = block.terminator().expect("a loop ends with a branch");
        let phis = block.phis();

        let initial = enter_through(&b, guard, block, block);
        let limit = self.limit(&b);
        let counter = phis
            .iter()
            .position(|&phi| phi == self.counter)
            .expect("it is one of them");
        let (less, _) = strict(self.predicate);
        b.cond_br(b.icmp(less, initial[counter], limit), many, block);

        // Four iterations.
        b.go_to_end(many);
        let own: Vec<Value<'c>> = phis.iter().map(|phi| b.phi(phi.ty())).collect();
        let mut steps: FxHashMap<Value<'c>, Value<'c>> = FxHashMap::default();
        for (&phi, &own) in phis.iter().zip(&own) {
            if let Some(step) = step_of(phi, block)
                && !step.is_const()
                && matches!(step.ty().kind(), Kind::Int(32 | 64))
            {
                steps.entry(step).or_insert_with(|| known_here(&b, step, own));
            }
        }
        let mut values: FxHashMap<Value<'c>, Value<'c>> = FxHashMap::default();
        let mut next = own.clone();
        for _ in 0..COPIES {
            values.clear();
            values.extend(&steps);
            values.extend(phis.iter().copied().zip(next));
            let body = self
                .instructions
                .iter()
                .filter(|&inst| !phis.contains(inst) && *inst != branch);
            for &inst in body {
                let copy = b.insert(inst.clone_instruction());
                for (at, operand) in (0..).zip(inst.operands()) {
                    if let Some(&other) = values.get(&operand) {
                        copy.set_operand(at, other);
                    }
                }
                values.insert(inst, copy);
            }
            let of_next = |phi: &Value<'c>| {
                let value = from(*phi, block);
                values.get(&value).copied().unwrap_or(value)
            };
            next = phis.iter().map(of_next).collect();
        }
        b.cond_br(b.icmp(less, next[counter], limit), many, check);
        for ((own, &initial), &next) in own.iter().zip(&initial).zip(&next) {
            own.add_incoming(&[(initial, guard), (next, many)]);
        }

        // Whether more are left.
        b.go_to_end(check);
        let condition = values[&branch.operand(0)];
        match block.successors()[0] == block {
            true => b.cond_br(condition, block, after),
            false => b.cond_br(condition, after, block),
        };

        let last = |inst| values[&inst];
        leave_through(&b, after, &[block], self.exit, (check, &last));

        // The loop itself, for the rest.
        for ((&phi, &initial), &next) in phis.iter().zip(&initial).zip(&next) {
            b.replace_phi(phi, &[(initial, guard), (next, check), (from(phi, block), block)]);
        }
    }

    /// What the counter has to be less than for four iterations to run.
    fn limit(&self, b: &Builder<'c>) -> Value<'c> {
        let ty = self.step.ty();
        let bits = ty.bits();
        let (less, is_strict) = strict(self.predicate);
        let (least, most) = match less {
            LLVMIntSLT => (1_u64 << (bits - 1), (1_u64 << (bits - 1)) - 1),
            _ => (0, u64::MAX >> (64 - bits)),
        };
        let ahead = COPIES - 1;
        let (one, least) = (ty.int(1), ty.int(least));
        // From 1 to what can be multiplied.
        let fits = b.icmp(LLVMIntULT, b.sub(self.step, one), ty.int(most / ahead));
        let far = b.mul(self.step, ty.int(ahead));
        let is_number = match less {
            LLVMIntSLT => b.icmp(LLVMIntSGT, self.bound, b.add(least, far)),
            _ => b.icmp(LLVMIntUGT, self.bound, far),
        };
        // `i <= n - far` is `i < n - far + 1`, which does not wrap around as `far` is not 0.
        let limit = b.sub(self.bound, far);
        let limit = if is_strict { limit } else { b.add(limit, one) };
        b.select(b.and(fits, is_number), limit, least)
    }
}

/// A value that the optimizer does not know outside of a loop, in which `changes` changes. Of a step that it knows it makes
/// multiples, one for each iteration, and each takes two registers. An item of a group of 1024 may have 32 if a multiprocessor is to run
/// two such groups.
fn known_here<'c>(b: &Builder<'c>, value: Value<'c>, changes: Value<'c>) -> Value<'c> {
    let of = |ty: Type<'c>| if ty.kind() == Kind::Int(32) { "r" } else { "l" };
    let constraints = format!("={},0,{}", of(value.ty()), of(changes.ty()));
    b.assembly("", &constraints, value.ty(), &[value, changes], false)
        .call_attribute("memory")
}

/// What is added to a phi in each iteration, which does not change in the loop.
fn step_of<'c>(phi: Value<'c>, block: Block<'c>) -> Option<Value<'c>> {
    let next = from(phi, block);
    let step = match next.opcode() {
        Some(L::LLVMAdd) if next.operand(0) == phi => next.operand(1),
        Some(L::LLVMAdd) if next.operand(1) == phi => next.operand(0),
        Some(L::LLVMGetElementPtr) if next.operand(0) == phi && next.operands().len() == 2 => next.operand(1),
        _ => return None,
    };
    (step.opcode().is_none() || step.block() != block).then_some(step)
}

/// `<` for a predicate of those, and whether it was that.
fn strict(predicate: I) -> (I, bool) {
    match predicate {
        LLVMIntULT => (LLVMIntULT, true),
        LLVMIntULE => (LLVMIntULT, false),
        LLVMIntSLT => (LLVMIntSLT, true),
        _ => (LLVMIntSLT, false),
    }
}
