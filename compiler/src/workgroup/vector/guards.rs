// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Guards: branches around a few instructions that nearly always all lanes enter, as `if (i < n)`.
//!
//! Where the lanes' numbers are evenly spaced, lane 0's tells whether all of them pass, which takes a comparison of scalars. Then the
//! instructions run once more without a mask: loads are operands of arithmetic, stores are plain, and results need no blend. On AMD's
//! CPUs, AVX2's loads under a mask also take longer, as do its stores.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;
use rustc_hash::FxHashSet;

use super::calls::is_pure;
use super::cfg::Node;
use super::divergence::VectorShape;
use super::emit::{Emit, Result};
use super::if_conversion::{LONGEST_SIDE, is_simple};
use super::memory::is_local;
use crate::llvm::{Kind, Value, inverse, swapped};

/// A side of a branch, where control meets the other one again, and whether lanes that enter have a true condition.
struct Guarded {
    side: Node,
    meets: Node,
    when: bool,
    /// How many instructions access memory.
    accesses: usize,
}

/// The most conditions of a guard. With more, scalars take as long as masks do, and programs may have any number.
const MOST_TESTS: usize = 8;

/// What scalars tell of a condition of all lanes.
pub(super) enum Test<'c> {
    /// A condition that is the same in all lanes, and what it has to be.
    Same(Value<'c>, bool),
    /// A comparison of numbers, of which lane `l` has `first + l * stride`, with one that all lanes have.
    Compares {
        how: I,
        first: Value<'c>,
        /// From lane 0 to the last one: at least 1, and less than half of what the type has.
        reach: u64,
        with: Value<'c>,
        /// Whether lane `l` compares with `with + l * stride` instead.
        both_move: bool,
    },
}

/// The two numbers of which a value is the smaller or the larger one, and the intrinsic that tells which.
fn extremum(value: Value<'_>) -> Option<(String, [Value<'_>; 2])> {
    const INTRINSICS: [&str; 4] = ["llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin."];
    let name = value.callee()?.name();
    let is_one = INTRINSICS.iter().any(|intrinsic| name.starts_with(intrinsic));
    is_one.then(|| (name, [0, 1].map(|which| value.operand(which))))
}

/// The two numbers with which others compare as with a limit, if they do so with each of both.
fn limits(how: I, limit: Value<'_>) -> Option<[Value<'_>; 2]> {
    let (name, numbers) = extremum(limit)?;
    let intrinsic = match how {
        I::LLVMIntULT | I::LLVMIntULE => "llvm.umin.",
        I::LLVMIntUGT | I::LLVMIntUGE => "llvm.umax.",
        I::LLVMIntSLT | I::LLVMIntSLE => "llvm.smin.",
        I::LLVMIntSGT | I::LLVMIntSGE => "llvm.smax.",
        _ => return None,
    };
    name.starts_with(intrinsic).then_some(numbers)
}

/// What tests of a comparison may need besides its operands.
pub(super) fn parts_of_limits(inst: Value<'_>) -> FxHashSet<Value<'_>> {
    let mut parts = FxHashSet::default();
    let mut todo = match inst.opcode() {
        Some(L::LLVMICmp) => inst.operands(),
        _ => Vec::new(),
    };
    while let Some(value) = todo.pop().filter(|_| parts.len() < 2 * MOST_TESTS) {
        let numbers = extremum(value).into_iter().flat_map(|(_, numbers)| numbers);
        todo.extend(numbers.filter(|number| parts.insert(*number)));
    }
    parts
}

impl<'c> Emit<'_, 'c> {
    /// Where lanes part at the end of a block that all have reached: runs a side without a mask if all lanes enter it. The builder then
    /// stands where they do not. Blocks that all lanes reach have nothing deferred, and access memory before their branch only.
    pub(super) fn enter_together(&mut self, node: Node, branch: Value<'c>) -> Result<()> {
        if self.mask.is_some() || !self.has_guards {
            return Ok(());
        }
        let sides = [true, false].map(|when| self.guarded(node, when));
        let tested = |guarded: Guarded| {
            let tests = self.tests(branch.operand(0), guarded.when)?;
            Some((guarded, tests))
        };
        // Of two, that which gains more.
        let tested = sides.into_iter().flatten().filter_map(tested);
        let Some((guarded, tests)) = tested.max_by_key(|(guarded, _)| guarded.accesses) else {
            return self.pass_by_together(node, branch);
        };
        let together = self.all_hold(&tests)?;
        let [all, some] = ["all", "part"].map(|name| self.function.append_block(name));
        let before = self.b.block();
        self.b.cond_br(together, all, some);
        for block in [some, all] {
            block.move_after(before);
        }
        self.b.go_to_end(all);
        // What is loaded or made here is not there on the other way.
        let (known, vectors) = (self.known.clone(), self.vectors.clone());
        self.node = guarded.side;
        self.body(guarded.side)?;
        self.edge(guarded.side, guarded.meets, None)?;
        self.b.br(self.starts[guarded.meets]);
        self.node = node;
        (self.known, self.vectors) = (known, vectors);
        self.b.go_to_end(some);
        self.pass_by_together(node, branch)
    }

    /// Where lanes part at the end of a block that all have reached: goes on behind what some enter if none does. In large groups that
    /// have few numbers most vectors have none. The builder then stands where some enter.
    fn pass_by_together(&mut self, node: Node, branch: Value<'c>) -> Result<()> {
        let cfg = &self.cfg;
        let &[yes, no] = cfg.successors[node].as_slice() else {
            return Ok(());
        };
        let Some(meets) = cfg.post_dominator[node] else {
            return Ok(());
        };
        let in_loop = |to: Node| cfg.loop_of[to] == cfg.loop_of[node];
        let (side, when) = if no == meets { (yes, true) } else { (no, false) };
        let is_guard = yes != no && [yes, no].contains(&meets) && in_loop(side) && in_loop(meets);
        let goes_back = cfg.is_back_edge(node, side) || cfg.is_back_edge(node, meets);
        if !is_guard || goes_back || self.masks.contains_key(&meets) || !self.accesses_lanes(side) {
            return Ok(());
        }
        let Some(tests) = self.tests(branch.operand(0), !when) else {
            return Ok(());
        };
        let (known, vectors) = (self.known.clone(), self.vectors.clone());
        let nobody = self.all_hold(&tests)?;
        let [none, some] = ["none", "some"].map(|name| self.function.append_block(name));
        let before = self.b.block();
        self.b.cond_br(nobody, none, some);
        for block in [some, none] {
            block.move_after(before);
        }
        self.b.go_to_end(none);
        self.edge(node, meets, None)?;
        self.b.br(self.starts[meets]);
        (self.known, self.vectors) = (known, vectors);
        self.b.go_to_end(some);
        Ok(())
    }

    /// Whether a block accesses memory that is another for each lane, and not that of a tree.
    fn accesses_lanes(&self, node: Node) -> bool {
        let instructions = self.cfg.blocks[node].instructions();
        instructions.iter().any(|inst| self.is_lanes_access(inst))
    }

    /// Those of local memory are often of trees, where ever fewer lanes go on.
    fn is_lanes_access(&self, inst: &Value<'c>) -> bool {
        let is_of_lanes = |address| self.shapes.of(address) != VectorShape::Uniform && !is_local(address);
        match inst.opcode() {
            Some(L::LLVMLoad) => is_of_lanes(inst.operand(0)),
            Some(L::LLVMStore) => is_of_lanes(inst.operand(1)),
            _ => false,
        }
    }

    /// A side that is worth a copy.
    fn guarded(&self, node: Node, when: bool) -> Option<Guarded> {
        let cfg = &self.cfg;
        let &[yes, no] = cfg.successors[node].as_slice() else {
            return None;
        };
        let side = if when { yes } else { no };
        let (&[_], &[meets]) = (cfg.predecessors[side].as_slice(), cfg.successors[side].as_slice()) else {
            return None;
        };
        let in_one_loop = [side, meets].iter().all(|&to| cfg.loop_of[to] == cfg.loop_of[node]);
        let goes_back = cfg.is_back_edge(node, side) || cfg.is_back_edge(side, meets);
        if yes == no || !in_one_loop || goes_back || self.masks.contains_key(&meets) {
            return None;
        }
        let instructions = cfg.blocks[side].instructions();
        let may_be_copied = |inst: &Value<'c>| match inst.opcode() {
            Some(L::LLVMLoad | L::LLVMStore) => !inst.is_volatile() && !inst.is_atomic(),
            Some(L::LLVMFDiv | L::LLVMUIToFP | L::LLVMSIToFP | L::LLVMFPToUI | L::LLVMFPToSI) => true,
            Some(L::LLVMFPExt | L::LLVMFPTrunc | L::LLVMBr) => true,
            Some(L::LLVMCall) => is_simple(*inst) || inst.callee().is_some_and(is_pure),
            _ => is_simple(*inst),
        };
        let accesses = instructions.iter().filter(|inst| self.is_lanes_access(inst)).count();
        // Indices are scalars.
        let is_of_lanes = |inst: &&Value<'c>| {
            [&self.shapes, &self.hopes]
                .iter()
                .all(|s| s.of(**inst) == VectorShape::Varying)
        };
        let of_lanes = instructions.iter().filter(is_of_lanes).count();
        let is_short = of_lanes <= LONGEST_SIDE && instructions.len() <= 2 * LONGEST_SIDE;
        let fits = is_short && instructions.iter().all(may_be_copied);
        (fits && accesses > 0).then_some(Guarded {
            side,
            meets,
            when,
            accesses,
        })
    }

    /// What tells that a condition is so in all lanes: all of these. `None` if only a look at each lane does.
    pub(super) fn tests(&self, condition: Value<'c>, when: bool) -> Option<Vec<Test<'c>>> {
        let mut tests = Vec::new();
        let mut todo = vec![(condition, when)];
        while let Some((condition, when)) = todo.pop() {
            if tests.len() + todo.len() >= MOST_TESTS {
                return None;
            }
            if self.shapes.of(condition) == VectorShape::Uniform {
                if !self.is_available(condition) {
                    return None;
                }
                tests.push(Test::Same(condition, when));
                continue;
            }
            let is = |operand: u32, wanted: bool| condition.operand(operand).as_const_int() == Some(u64::from(wanted));
            let mut both = |first, second| todo.extend([second, first].map(|which| (condition.operand(which), when)));
            match condition.opcode()? {
                L::LLVMICmp => {
                    let how = condition.int_predicate();
                    let how = if when { how } else { inverse(how) };
                    self.comparisons(how, condition.operand(0), condition.operand(1), &mut tests)?;
                }
                // LLVM's `not`.
                L::LLVMXor if is(1, true) => todo.push((condition.operand(0), !when)),
                L::LLVMAnd if when => both(0, 1),
                L::LLVMOr if !when => both(0, 1),
                // The same of conditions of which the second may be poison where the first decides.
                L::LLVMSelect if when && is(2, false) => both(0, 1),
                L::LLVMSelect if !when && is(1, true) => both(0, 2),
                _ => return None,
            }
        }
        Some(tests)
    }

    /// What tells of a comparison, with each of two numbers where it is with the smaller or the larger one.
    fn comparisons(&self, how: I, a: Value<'c>, b: Value<'c>, tests: &mut Vec<Test<'c>>) -> Option<()> {
        let limits_of = |how, limit| limits(how, limit).filter(|_| self.shapes.of(limit) == VectorShape::Varying);
        let mut todo = vec![(how, a, b)];
        while let Some((how, a, b)) = todo.pop() {
            if tests.len() + todo.len() >= MOST_TESTS {
                return None;
            }
            if let Some(limits) = limits_of(how, b) {
                todo.extend(limits.map(|limit| (how, a, limit)));
            } else if let Some(limits) = limits_of(swapped(how), a) {
                todo.extend(limits.map(|limit| (how, limit, b)));
            } else {
                tests.push(self.comparison(how, a, b)?);
            }
        }
        Some(())
    }

    fn comparison(&self, how: I, a: Value<'c>, b: Value<'c>) -> Option<Test<'c>> {
        let (first, with, how, both_move) = match [a, b].map(|value| self.shapes.of(value)) {
            [VectorShape::Affine { .. }, VectorShape::Uniform] => (a, b, how, false),
            [VectorShape::Uniform, VectorShape::Affine { .. }] => (b, a, swapped(how), false),
            [
                VectorShape::Affine { stride: x, .. },
                VectorShape::Affine { stride: y, .. },
            ] if x == y => (a, b, how, true),
            _ => return None,
        };
        let (VectorShape::Affine { stride, .. }, Kind::Int(bits @ ..=64)) = (self.shapes.of(first), first.ty().kind())
        else {
            return None;
        };
        let reach = u64::try_from(stride).ok()?.checked_mul(u64::from(self.lanes) - 1)?;
        // So that it is a positive number of the type, with and without a sign.
        let is_small = reach > 0 && reach < 1 << (bits - 1);
        // What a comparison in another block uses may have been there only.
        let is_there = self.is_available(first) && self.is_available(with);
        (is_small && is_there && (how != I::LLVMIntEQ || both_move)).then_some(Test::Compares {
            how,
            first,
            reach,
            with,
            both_move,
        })
    }

    /// A condition that is true only if all tests hold in all lanes. A later one may be poison where one before it does not hold.
    pub(super) fn all_hold(&mut self, tests: &[Test<'c>]) -> Result<Value<'c>> {
        let (first, others) = tests.split_first().expect("a guard has a condition");
        let mut all = self.holds(first)?;
        for test in others {
            let holds = self.holds(test)?;
            all = self.b.select(all, holds, all.ty().zero());
        }
        Ok(all)
    }

    /// A condition that is true only if the test holds in all lanes.
    fn holds(&mut self, test: &Test<'c>) -> Result<Value<'c>> {
        match *test {
            Test::Same(condition, when) => {
                let condition = self.first(condition)?;
                Ok(if when { condition } else { self.b.not(condition) })
            }
            Test::Compares {
                how,
                first,
                reach,
                with,
                both_move,
            } => {
                let (first, with) = (self.first(first)?, self.first(with)?);
                Ok(match both_move {
                    true => self.compares_at_each(how, first, reach, with),
                    false => self.compares(how, first, reach, with),
                })
            }
        }
    }

    /// A condition that is true only if `first + x` compares so for all `x` up to `reach`.
    pub(super) fn compares(&self, how: I, first: Value<'c>, reach: u64, with: Value<'c>) -> Value<'c> {
        let (b, ty) = (&self.b, first.ty());
        // Bounds that do not wrap: if there is none, no number is below it.
        let below = |how, name, less: u64| {
            let bound = b.intrinsic(self.module, name, &[ty], &[with, ty.int(less)]);
            b.icmp(how, first, bound)
        };
        // The last number does not wrap either.
        let above = |fits, most: u64| {
            let last = b.icmp(fits, first, ty.int(most - reach));
            b.and(b.icmp(how, first, with), last)
        };
        let ones = u64::MAX >> (64 - ty.bits());
        match how {
            I::LLVMIntULT => below(I::LLVMIntULT, "llvm.usub.sat", reach),
            I::LLVMIntULE => below(I::LLVMIntULT, "llvm.usub.sat", reach - 1),
            I::LLVMIntSLT => below(I::LLVMIntSLT, "llvm.ssub.sat", reach),
            I::LLVMIntSLE => below(I::LLVMIntSLT, "llvm.ssub.sat", reach - 1),
            I::LLVMIntUGT | I::LLVMIntUGE => above(I::LLVMIntULE, ones),
            I::LLVMIntSGT | I::LLVMIntSGE => above(I::LLVMIntSLE, ones >> 1),
            // The number that is equal would be this far from the first.
            _ => b.icmp(I::LLVMIntUGT, b.sub(with, first), ty.int(reach)),
        }
    }

    /// A condition that is true only if `first + x` compares so with `with + x` for all `x` up to `reach`.
    fn compares_at_each(&self, how: I, first: Value<'c>, reach: u64, with: Value<'c>) -> Value<'c> {
        let (b, ty) = (&self.b, first.ty());
        let compares = b.icmp(how, first, with);
        // The larger one does not wrap, so neither does.
        let ones = u64::MAX >> (64 - ty.bits());
        let (larger, fits, most) = match how {
            I::LLVMIntULT | I::LLVMIntULE => (with, I::LLVMIntULE, ones),
            I::LLVMIntUGT | I::LLVMIntUGE => (first, I::LLVMIntULE, ones),
            I::LLVMIntSLT | I::LLVMIntSLE => (with, I::LLVMIntSLE, ones >> 1),
            I::LLVMIntSGT | I::LLVMIntSGE => (first, I::LLVMIntSLE, ones >> 1),
            // Numbers that wrap are equal where others are.
            _ => return compares,
        };
        b.and(compares, b.icmp(fits, larger, ty.int(most - reach)))
    }
}
