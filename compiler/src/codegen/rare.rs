// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What hardly any lane needs in a loop: equal numbers where the largest or smallest one is sought, and NaN.
//!
//! A loop that looks for the place of the largest number asks of each number whether it is larger than the largest one so far, as large,
//! or NaN, and which place comes first. With AVX-512 all of these are on one port of the CPU. One comparison tells that no lane has one as
//! large or NaN. Then the rest is a maximum and a blend, as it is in code without such numbers. Otherwise all is computed as before.
//!
//! Numbers may have few values, so that some lane has an equal one in every other round, and the CPU foresees neither way. A group goes
//! the short way no more after a few failures.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;
use llvm_sys::LLVMRealPredicate as R;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::llvm::{Block, Builder, Context, Function, Kind, Module, Value};
use crate::target::Vectors;
use crate::workgroup::is_simple;

/// So many failures are enough.
const MOST_FAILURES: u64 = 8;

/// What the short way has to leave out at least, beside what the test takes.
const LEAST_GAIN: usize = 2;

/// The most registers of a comparison.
const MOST_REGISTERS: u32 = 4;

/// The most values that hang on what is rare.
const MOST_DEPENDENT: usize = 24;

/// Gives the loops of a module short ways.
pub fn shorten(module: &Module<'_>) {
    for function in module.functions() {
        let mut failures = None;
        for block in function.blocks() {
            if let Some(rare) = Rare::of(block)
                && is_in_loop(block)
            {
                rare.shorten(module.context(), function, &mut failures);
            }
        }
    }
}

/// Whether control may come back to a block.
fn is_in_loop(block: Block<'_>) -> bool {
    let mut seen = FxHashSet::default();
    let mut todo = block.successors();
    while let Some(next) = todo.pop() {
        if next == block {
            return true;
        }
        if seen.insert(next) {
            todo.extend(next.successors());
        }
    }
    false
}

/// What is known of a condition of all lanes if nothing rare is there.
#[derive(Clone, Copy)]
enum Known<'c> {
    /// It is the same in all of them.
    Same(bool),
    /// It is this value.
    Is(Value<'c>),
}

/// What is rare in a block, and what hangs on that.
struct Rare<'c> {
    block: Block<'c>,
    /// Comparisons that hardly any lane passes.
    conditions: Vec<Value<'c>>,
    /// These, what is computed of them alone or selected by that, in order.
    dependent: Vec<Value<'c>>,
    /// What has to come behind all of this, in order.
    behind: Vec<Value<'c>>,
    /// The comparisons that all lanes pass where nothing rare is: a predicate and two numbers.
    tests: Vec<(R, [Value<'c>; 2])>,
}

fn is_lanes_condition(value: Value<'_>) -> bool {
    value.ty().lanes().is_some() && value.ty().scalar().kind() == Kind::Int(1)
}

fn operands<'c>(compare: Value<'c>) -> [Value<'c>; 2] {
    [0, 1].map(|i| compare.operand(i))
}

impl<'c> Rare<'c> {
    fn of(block: Block<'c>) -> Option<Self> {
        let instructions = block.instructions();
        let compares = || {
            let compares = instructions.iter().copied();
            compares.filter(|inst| inst.opcode() == Some(L::LLVMFCmp) && lanes_of_register(*inst).is_some())
        };
        let same = |a: [Value<'c>; 2], b: [Value<'c>; 2]| a == b || a == [b[1], b[0]];
        let is_order = |inst: Value<'c>| {
            use R::*;
            matches!(
                inst.real_predicate(),
                LLVMRealOGT
                    | LLVMRealOLT
                    | LLVMRealOGE
                    | LLVMRealOLE
                    | LLVMRealUGT
                    | LLVMRealULT
                    | LLVMRealUGE
                    | LLVMRealULE
            )
        };
        // Numbers that are also compared for the larger one.
        let is_tie = |inst: Value<'c>| {
            inst.real_predicate() == R::LLVMRealOEQ
                && compares().any(|other| is_order(other) && same(operands(other), operands(inst)))
        };
        let conditions: Vec<Value<'c>> = compares()
            .filter(|inst| inst.real_predicate() == R::LLVMRealUNO || is_tie(*inst))
            .collect();
        if conditions.is_empty() {
            return None;
        }
        let (mut dependent, mut behind) = (Vec::new(), Vec::new());
        let (mut is_dependent, mut is_behind) = (FxHashSet::default(), FxHashSet::default());
        let (last, rest) = instructions.split_last()?;
        for &inst in rest {
            let operands = inst.operands();
            let comes_behind = operands.iter().any(|operand| is_behind.contains(operand));
            let hangs = |operand: &Value<'c>| is_dependent.contains(operand);
            let is_chosen = match inst.opcode() {
                Some(L::LLVMAnd | L::LLVMOr | L::LLVMXor) => is_lanes_condition(inst) && operands.iter().any(hangs),
                Some(L::LLVMSelect) => hangs(&operands[0]) || is_lanes_condition(inst) && operands.iter().any(hangs),
                _ => conditions.contains(&inst) && !operands.iter().any(hangs),
            };
            if is_chosen && !comes_behind {
                is_dependent.insert(inst);
                dependent.push(inst);
            } else if inst.opcode() != Some(L::LLVMPHI)
                && (comes_behind || operands.iter().any(hangs) || !behind.is_empty() && !is_simple(inst))
            {
                is_behind.insert(inst);
                behind.push(inst);
            }
        }
        behind.push(*last);
        let conditions: Vec<Value<'c>> = conditions
            .into_iter()
            .filter(|inst| is_dependent.contains(inst))
            .collect();
        let all = Self {
            block,
            tests: tests(&conditions),
            conditions,
            dependent,
            behind,
        };
        let fits = !all.conditions.is_empty() && all.dependent.len() <= MOST_DEPENDENT && all.gain() >= LEAST_GAIN;
        fits.then_some(all)
    }

    /// What is used elsewhere.
    fn results(&self) -> Vec<Value<'c>> {
        let is_used = |value: &Value<'c>| value.users().iter().any(|user| !self.dependent.contains(user));
        self.dependent.iter().copied().filter(is_used).collect()
    }

    /// What is computed for nothing but what is rare, or for other such values. From the last one on.
    fn only_for_rare(&self, used: &FxHashSet<Value<'c>>) -> Vec<Value<'c>> {
        let mut found: Vec<Value<'c>> = Vec::new();
        let is_tested = |inst: Value<'c>| self.tests.iter().any(|(_, numbers)| numbers.contains(&inst));
        for inst in self.block.instructions().into_iter().rev() {
            let is_there = |user: &Value<'c>| self.dependent.contains(user) || found.contains(user);
            let is_movable = is_simple(inst) && !self.dependent.contains(&inst) && !self.behind.contains(&inst);
            if is_movable && !is_tested(inst) && !used.contains(&inst) && inst.users().iter().all(is_there) {
                found.push(inst);
            }
        }
        found
    }

    /// How many instructions the short way leaves out, less those of the test.
    fn gain(&self) -> usize {
        let mut short = Short::new(self);
        self.results().into_iter().for_each(|result| short.plan(result));
        let left_out = self.dependent.len() - short.planned.len() + self.only_for_rare(&short.used).len();
        left_out.saturating_sub(self.tests.len() + 1)
    }

    /// Gives the block a short way.
    fn shorten(&self, cx: &'c Context, function: Function<'c>, failures: &mut Option<Value<'c>>) {
        let b = Builder::new(cx);
        // The block is where both ways meet, so that its successors see no other.
        let meets = self.block;
        let [front, usual, rare] = ["front", "usual", "rare"].map(|name| function.append_block(name));
        let before = meets.predecessors();
        front.move_after(*before.first().unwrap_or(&meets));
        usual.move_after(front);
        rare.move_after(*function.blocks().last().unwrap_or(&meets));
        before.into_iter().for_each(|block| block.redirect(meets, front));
        let results = self.results();
        let mut short = Short::new(self);
        results.iter().for_each(|result| short.plan(*result));
        let only_for_rare = self.only_for_rare(&short.used);
        for inst in meets.instructions() {
            let is_rare = self.dependent.contains(&inst) || only_for_rare.contains(&inst);
            if !self.behind.contains(&inst) {
                inst.detach();
                b.go_to_end(if is_rare { rare } else { front });
                b.insert(inst);
            }
        }

        let counter = *failures.get_or_insert_with(|| {
            let b = Builder::new(cx);
            b.go_to_start(function.blocks()[0]);
            let counter = b.alloca(cx.int(32));
            b.store(cx.int(32).zero(), counter);
            counter
        });
        b.go_to_end(front);
        let count = || b.load(cx.int(32), counter);
        let may_succeed = b.icmp(I::LLVMIntULT, count(), cx.int(32).int(MOST_FAILURES));
        let of_register = |numbers: &[Value<'c>; 2]| Vectors::of_host().register_bits / numbers[0].ty().scalar().bits();
        let test = |(how, numbers): &(R, [Value<'c>; 2])| all_pass(cx, &b, *how, *numbers, of_register(numbers));
        let tests: Vec<Value<'c>> = self.tests.iter().map(test).collect();
        let none = tests.into_iter().fold(may_succeed, |one, other| b.and(one, other));
        b.cond_br(none, usual, rare).weights(1000, 1);

        b.go_to_end(rare);
        b.store(b.add(count(), cx.int(32).int(1)), counter);
        b.br(meets);

        b.go_to_end(usual);
        let shorts: Vec<Value<'c>> = results.iter().map(|result| short.value(&b, *result)).collect();
        b.br(meets);

        b.go_to_start(meets);
        for (&result, short) in results.iter().zip(shorts) {
            let is_outside = |user: &Value<'c>| !self.dependent.contains(user);
            let users: Vec<Value<'c>> = result.users().into_iter().filter(is_outside).collect();
            let met = b.phi(result.ty());
            met.add_incoming(&[(short, usual), (result, rare)]);
            // Copies of the short way use no result.
            for user in users {
                for (i, operand) in user.operands().into_iter().enumerate() {
                    if operand == result {
                        user.set_operand(i as u32, met);
                    }
                }
            }
        }
    }
}

/// How many lanes a register has of what a comparison compares, if masks are registers, and there are few.
fn lanes_of_register(compare: Value<'_>) -> Option<u32> {
    let (lanes, bits) = (compare.ty().lanes()?, compare.operand(0).ty().scalar().bits());
    let of_register = Vectors::of_host().register_bits / bits;
    let fits = lanes.is_multiple_of(of_register) && lanes / of_register <= MOST_REGISTERS;
    (fits && Vectors::of_host().has_mask_registers).then_some(of_register)
}

/// Whether all lanes pass a comparison of numbers, of which a register has so many. Each register's is under the mask of the one before.
fn all_pass<'c>(cx: &'c Context, b: &Builder<'c>, how: R, numbers: [Value<'c>; 2], of_register: u32) -> Value<'c> {
    let lanes = numbers[0].ty().lanes().unwrap_or(1);
    let of_part = |first: u32| {
        let part: Vec<u32> = (first..first + of_register).collect();
        let [x, y] = numbers.map(|number| b.shuffle(number, number.ty().poison(), &part));
        b.fcmp(how, x, y)
    };
    let parts = (0..lanes).step_by(of_register as usize).map(of_part);
    let all = parts.reduce(|one, other| b.and(one, other)).expect("there are lanes");
    // A lane that is masked off may have anything.
    let bits = cx.int(of_register);
    b.icmp(I::LLVMIntEQ, b.bitcast(b.freeze(all), bits), bits.ones())
}

/// What all lanes pass if none passes one of these comparisons, nor others that are as rare.
fn tests<'c>(conditions: &[Value<'c>]) -> Vec<(R, [Value<'c>; 2])> {
    let is_tie = |inst: &&Value<'c>| inst.real_predicate() == R::LLVMRealOEQ;
    let ties = conditions.iter().filter(is_tie);
    let mut tests: Vec<(R, [Value<'c>; 2])> = ties.map(|tie| (R::LLVMRealONE, operands(*tie))).collect();
    for unordered in conditions.iter().filter(|inst| !is_tie(inst)) {
        let numbers = operands(*unordered);
        let covers = |(_, tested): &(R, [Value<'c>; 2])| numbers.iter().all(|n| n.is_const() || tested.contains(n));
        if !tests.iter().any(covers) {
            tests.push((R::LLVMRealORD, numbers));
        }
    }
    tests
}

/// The short way.
struct Short<'r, 'c> {
    rare: &'r Rare<'c>,
    known: FxHashMap<Value<'c>, Known<'c>>,
    /// Which values have a copy, in which conditions are left out or others.
    planned: FxHashSet<Value<'c>>,
    /// What they and the results need from before.
    used: FxHashSet<Value<'c>>,
    made: FxHashMap<Value<'c>, Value<'c>>,
}

impl<'r, 'c> Short<'r, 'c> {
    fn new(rare: &'r Rare<'c>) -> Self {
        let mut short = Self {
            rare,
            known: FxHashMap::default(),
            planned: FxHashSet::default(),
            used: FxHashSet::default(),
            made: FxHashMap::default(),
        };
        for &inst in &rare.dependent {
            let known = short.simplified(inst);
            short.known.insert(inst, known);
        }
        short
    }

    fn known(&self, value: Value<'c>) -> Known<'c> {
        let constant = || {
            let is_same = |bit| {
                let lanes = value.ty().lanes().unwrap_or(1);
                (0..lanes).all(|lane| value.const_element(lane).and_then(Value::as_const_int) == Some(bit))
            };
            let is_constant = value.is_const() && is_lanes_condition(value);
            [false, true]
                .into_iter()
                .find(|bit| is_constant && is_same(u64::from(*bit)))
        };
        match self.known.get(&value) {
            Some(known) => *known,
            None => constant().map_or(Known::Is(value), Known::Same),
        }
    }

    /// What a value is where nothing rare is: a copy, if it is itself.
    fn simplified(&self, inst: Value<'c>) -> Known<'c> {
        use Known::{Is, Same};
        if self.rare.conditions.contains(&inst) {
            return Same(false);
        }
        let of = |i| self.known(inst.operand(i));
        match (inst.opcode(), of(0), of(1)) {
            (Some(L::LLVMAnd), Same(false), _) | (Some(L::LLVMAnd), _, Same(false)) => Same(false),
            (Some(L::LLVMAnd), Same(true), other) | (Some(L::LLVMAnd), other, Same(true)) => other,
            (Some(L::LLVMOr), Same(true), _) | (Some(L::LLVMOr), _, Same(true)) => Same(true),
            (Some(L::LLVMOr), Same(false), other) | (Some(L::LLVMOr), other, Same(false)) => other,
            (Some(L::LLVMXor), Same(one), Same(other)) => Same(one != other),
            (Some(L::LLVMXor), Same(false), other) | (Some(L::LLVMXor), other, Same(false)) => other,
            (Some(L::LLVMSelect), Same(true), yes) => yes,
            (Some(L::LLVMSelect), Same(false), _) => of(2),
            (Some(L::LLVMSelect), Is(condition), Same(true)) if matches!(of(2), Same(false)) => Is(condition),
            _ => Is(inst),
        }
    }

    /// Notes what a value needs.
    fn plan(&mut self, value: Value<'c>) {
        match self.known(value) {
            Known::Is(inst) if self.rare.dependent.contains(&inst) => {
                if self.planned.insert(inst) {
                    inst.operands().into_iter().for_each(|operand| self.plan(operand));
                }
            }
            Known::Is(other) => _ = self.used.insert(other),
            Known::Same(_) => {}
        }
    }

    /// Makes a value.
    fn value(&mut self, b: &Builder<'c>, value: Value<'c>) -> Value<'c> {
        let inst = match self.known(value) {
            Known::Same(true) => return value.ty().ones(),
            Known::Same(false) => return value.ty().zero(),
            Known::Is(inst) => inst,
        };
        if !self.rare.dependent.contains(&inst) {
            return inst;
        }
        if let Some(made) = self.made.get(&inst) {
            return *made;
        }
        let operands: Vec<Value<'c>> = inst
            .operands()
            .into_iter()
            .map(|operand| self.value(b, operand))
            .collect();
        let copy = inst.clone_instruction();
        for (i, operand) in operands.into_iter().enumerate() {
            copy.set_operand(i as u32, operand);
        }
        self.made.insert(inst, b.insert(copy));
        copy
    }
}
