// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Prefetches: loads of loops that go through memory in long steps, such as down a column of a matrix.
//!
//! A CPU foresees lines that follow each other, and short steps, within a page. Where each round of a loop is in another page, it waits
//! for memory, unless the loop asks for the lines of later rounds.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;
use rustc_hash::FxHashMap;

use super::cfg::{Cfg, Node};
use super::divergence::{VectorShape, VectorShapes};
use super::emit::{Emit, Result};
use super::interleaved::Place;
use super::memory::{accessed, is_local, root};
use super::private::offsets;
use super::whole_group::meets_group;
use crate::llvm::{Block, Module, Type, Value};
use crate::target::Vectors;

/// Bytes of a cache line.
pub(super) const LINE: u64 = 64;
/// The most lines that a round asks for.
const MOST_LINES: u64 = 8;
/// The most lines that are on their way. Lines that are 4 KiB apart share few places of a cache.
const MOST_AHEAD: u64 = 24;
/// The longest step, in bytes, that CPUs foresee.
const FORESEEN: u64 = 512;
/// How many instructions a CPU has in flight.
const WINDOW: u32 = 512;
/// With more rounds in flight, enough of them wait for memory together. Prefetches would only be more work.
const MOST_IN_FLIGHT: u32 = 32;
/// How many rounds ahead a loop asks, at least and at most.
const ROUNDS: (u32, u32) = (4, 12);
/// The most instructions of a loop. Longer ones have time to wait.
const LONGEST: usize = 256;
/// How many times as many a loop has to have. Near its end, it asks for lines that it does not need.
const WORTHWHILE: i64 = 4;

/// By how much a value is more in the next round of a loop, in bytes if it is an address: a number, and multiples of values that are
/// the same in all rounds.
#[derive(Clone, Default)]
struct Step<'c> {
    number: i64,
    terms: Vec<(Value<'c>, i64)>,
}

impl<'c> Step<'c> {
    fn number(number: i64) -> Self {
        let terms = Vec::new();
        Self { number, terms }
    }

    /// So many times a value.
    fn multiple(value: Value<'c>, by: i64) -> Self {
        match value.as_const_signed() {
            Some(number) => Self::number(number.wrapping_mul(by)),
            None if by == 0 => Self::default(),
            None => Self {
                number: 0,
                terms: vec![(value, by)],
            },
        }
    }

    fn is_zero(&self) -> bool {
        self.number == 0 && self.terms.is_empty()
    }

    fn times(mut self, factor: i64) -> Self {
        self.number = self.number.wrapping_mul(factor);
        for (_, multiple) in &mut self.terms {
            *multiple = multiple.wrapping_mul(factor);
        }
        self
    }

    fn plus(mut self, other: Self) -> Self {
        self.number = self.number.wrapping_add(other.number);
        for (value, by) in other.terms {
            match self.terms.iter_mut().find(|(same, _)| *same == value) {
                Some((_, multiple)) => *multiple = multiple.wrapping_add(by),
                None => self.terms.push((value, by)),
            }
        }
        self.terms.retain(|(_, multiple)| *multiple != 0);
        self
    }
}

/// The value that tells when a loop ends.
#[derive(Clone)]
struct Count<'c> {
    /// What it is in the first round.
    start: Value<'c>,
    step: Step<'c>,
    /// What it is compared with.
    end: Value<'c>,
}

/// What a load asks for.
#[derive(Clone)]
struct Ahead<'c> {
    /// Whether each round comes to the load. Otherwise it asks for nothing where some lanes may not need it.
    is_each_round: bool,
    /// How many rounds ahead.
    rounds: i64,
    /// By how much the address is more in the next round.
    step: Step<'c>,
    count: Count<'c>,
}

/// The loads of a kernel that ask for lines of later rounds.
#[derive(Default)]
pub(super) struct Prefetches<'c> {
    loads: FxHashMap<Value<'c>, Ahead<'c>>,
}

impl<'c> Prefetches<'c> {
    /// Finds them.
    pub fn find(module: &Module<'c>, cfg: &Cfg<'c>, shapes: &VectorShapes<'c>, lanes: u32) -> Self {
        let loops = (0..cfg.loops.len()).filter_map(|number| OfLoop::new(module, cfg, number));
        let loads = loops.flat_map(|mut of_loop| of_loop.loads(shapes, lanes)).collect();
        Self { loads }
    }
}

/// A loop without others inside.
struct OfLoop<'l, 'c> {
    module: &'l Module<'c>,
    cfg: &'l Cfg<'c>,
    number: usize,
    /// Where a round ends.
    latch: Block<'c>,
    /// By how much values are more in the next round, where that is known.
    steps: FxHashMap<Value<'c>, Option<Step<'c>>>,
}

impl<'l, 'c> OfLoop<'l, 'c> {
    fn new(module: &'l Module<'c>, cfg: &'l Cfg<'c>, number: usize) -> Option<Self> {
        let of_loop = &cfg.loops[number];
        let is_innermost = of_loop.blocks.iter().all(|&node| cfg.loop_of[node] == Some(number));
        let mut back = cfg.predecessors[of_loop.header]
            .iter()
            .filter(|node| of_loop.blocks.contains(node));
        let latch = cfg.blocks[*back.next().filter(|_| is_innermost)?];
        back.next().is_none().then_some(Self {
            module,
            cfg,
            number,
            latch,
            steps: FxHashMap::default(),
        })
    }

    fn instructions(&self) -> impl Iterator<Item = Value<'c>> {
        let nodes = self.cfg.loops[self.number].in_order();
        nodes.into_iter().flat_map(|node| self.cfg.blocks[node].instructions())
    }

    fn is_inside(&self, value: Value<'c>) -> bool {
        let node = value.opcode().and_then(|_| self.cfg.number.get(&value.block()));
        node.is_some_and(|node| self.cfg.loops[self.number].blocks.contains(node))
    }

    /// The loads that ask for later lines.
    fn loads(&mut self, shapes: &VectorShapes<'c>, lanes: u32) -> Vec<(Value<'c>, Ahead<'c>)> {
        let instructions: Vec<Value<'c>> = self.instructions().collect();
        let in_flight = WINDOW / self.cost(shapes, lanes).max(1);
        // At a barrier others take their turns before the next round.
        let is_possible = instructions.len() <= LONGEST && !instructions.iter().any(meets_group);
        if in_flight > MOST_IN_FLIGHT || !is_possible {
            return Vec::new();
        }
        let Some(count) = self.count(shapes) else {
            return Vec::new();
        };
        let (mut found, mut places, mut lines) = (Vec::new(), Vec::new(), 0);
        for inst in instructions {
            let is_plain = || !inst.is_volatile() && !inst.is_atomic() && self.is_global(inst.operand(0));
            if inst.opcode() != Some(L::LLVMLoad) || !is_plain() {
                continue;
            }
            let address = inst.operand(0);
            let stride = match shapes.of(address) {
                VectorShape::Uniform => 0,
                VectorShape::Affine { stride, .. } => stride,
                VectorShape::Varying => continue,
            };
            let node = self.cfg.number[&inst.block()];
            let is_each_round = self.is_each_round(node);
            if !is_each_round && !shapes.predicated.contains(&node) {
                continue;
            }
            let step = self.step(address);
            let Some(step) = step.filter(|step| !step.terms.is_empty() || step.number.unsigned_abs() > FORESEEN) else {
                continue;
            };
            let (place, offset) = Place::of(self.module, address);
            let is_near = |(other, at): &(Place<'c>, i64)| *other == place && offset.abs_diff(*at) < LINE;
            let more = lines_of(self.module, inst, stride, lanes);
            if places.iter().any(is_near) || lines + more > MOST_LINES {
                continue;
            }
            lines += more;
            places.push((place, offset));
            found.push((inst, step, is_each_round));
        }
        let most = (MOST_AHEAD / lines.max(1)).max(1) as u32;
        let rounds = in_flight.clamp(ROUNDS.0, ROUNDS.1).min(most).into();
        let all = found.into_iter().map(|(inst, step, is_each_round)| {
            let count = count.clone();
            let ahead = Ahead {
                is_each_round,
                rounds,
                step,
                count,
            };
            (inst, ahead)
        });
        all.collect()
    }

    /// Whether an address is of memory that is neither the group's nor the item's own.
    fn is_global(&self, address: Value<'c>) -> bool {
        let root = root(address);
        match self.counter(root) {
            Some(phi) => phi
                .incoming()
                .into_iter()
                .all(|(start, from)| from == self.latch || !self.is_inside(start) && self.is_global(start)),
            None => !is_local(root) && root.opcode() != Some(L::LLVMAlloca),
        }
    }

    /// Whether each round comes to a block, unless it leaves the loop before.
    fn is_each_round(&self, node: Node) -> bool {
        let of_loop = &self.cfg.loops[self.number];
        let latch = self.cfg.number[&self.latch];
        let (mut seen, mut todo) = (vec![of_loop.header], vec![of_loop.header]);
        while let Some(at) = todo.pop().filter(|_| node != of_loop.header) {
            if at == latch {
                return false;
            }
            for &to in &self.cfg.successors[at] {
                if to != node && of_loop.blocks.contains(&to) && !seen.contains(&to) {
                    seen.push(to);
                    todo.push(to);
                }
            }
        }
        true
    }

    /// The value that tells when the loop ends.
    fn count(&mut self, shapes: &VectorShapes<'c>) -> Option<Count<'c>> {
        let inside = &self.cfg.loops[self.number].blocks;
        let leaves = |node: &&usize| self.cfg.successors[**node].iter().any(|to| !inside.contains(to));
        for &node in self.cfg.loops[self.number].in_order().iter().filter(leaves) {
            let branch = self.cfg.blocks[node].terminator()?;
            let condition = branch
                .operands()
                .first()
                .copied()
                .filter(|_| branch.opcode() == Some(L::LLVMBr));
            let Some(condition) = condition.filter(|c| c.opcode() == Some(L::LLVMICmp) && self.is_inside(*c)) else {
                continue;
            };
            for (value, end) in [(0, 1), (1, 0)].map(|(a, b)| (condition.operand(a), condition.operand(b))) {
                if self.is_inside(end) || !value.ty().is_int() || shapes.of(end) == VectorShape::Varying {
                    continue;
                }
                let Some(phi) = self.counter(value) else { continue };
                let start = phi.incoming().into_iter().find(|(_, from)| *from != self.latch)?.0;
                if let Some(step) = self.step(phi).filter(|step| !step.is_zero())
                    && shapes.of(start) != VectorShape::Varying
                {
                    return Some(Count { start, step, end });
                }
            }
        }
        None
    }

    /// The phi that a value is, or is the next value of.
    fn counter(&self, value: Value<'c>) -> Option<Value<'c>> {
        let header = self.cfg.blocks[self.cfg.loops[self.number].header];
        let is_counter = |value: &Value<'c>| value.opcode() == Some(L::LLVMPHI) && value.block() == header;
        match value.opcode()? {
            L::LLVMAdd if self.is_inside(value) => value.operands().into_iter().find(is_counter),
            _ => Some(value).filter(is_counter),
        }
    }

    /// About how many instructions a round takes.
    fn cost(&self, shapes: &VectorShapes<'c>, lanes: u32) -> u32 {
        let cost = |inst: Value<'c>| {
            let varies = shapes.of(inst) == VectorShape::Varying;
            let is_by_lane = || accessed(inst).is_some_and(|(address, _)| shapes.of(address) == VectorShape::Varying);
            match inst.opcode() {
                Some(L::LLVMPHI | L::LLVMGetElementPtr | L::LLVMSExt | L::LLVMZExt) => 0,
                Some(L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg) => 2 * lanes,
                _ if is_by_lane() => lanes,
                _ if varies && is_number(inst.ty()) => Vectors::of_host().registers_of(inst.ty(), lanes),
                _ => 1,
            }
        };
        self.instructions().map(cost).sum()
    }

    /// By how much a value is more in the next round.
    fn step(&mut self, value: Value<'c>) -> Option<Step<'c>> {
        if !self.is_inside(value) {
            return Some(Step::default());
        }
        if let Some(step) = self.steps.get(&value) {
            return step.clone();
        }
        // It may be computed from itself.
        self.steps.insert(value, None);
        let is_one = value.ty().lanes().is_none() && (value.ty().is_int() || value.ty().is_ptr());
        let step = match value.opcode()? {
            _ if !is_one => None,
            L::LLVMPHI => self.step_of_phi(value),
            opcode => self.computed_step(opcode, value),
        };
        self.steps.insert(value, step.clone());
        step
    }

    /// That of a phi to whose value each round adds the same.
    fn step_of_phi(&self, value: Value<'c>) -> Option<Step<'c>> {
        let phi = self.counter(value)?;
        let next = phi.incoming().into_iter().find(|(_, from)| *from == self.latch)?.0;
        let terms = match next.opcode()? {
            _ if !self.is_inside(next) => return None,
            L::LLVMAdd => match next.operand(0) == phi {
                true => vec![(Some(next.operand(1)), 1)],
                false if next.operand(1) == phi => vec![(Some(next.operand(0)), 1)],
                false => return None,
            },
            L::LLVMGetElementPtr if next.operand(0) == phi => offsets(self.module, next),
            _ => return None,
        };
        terms
            .into_iter()
            .try_fold(Step::default(), |sum, (value, by)| match value {
                Some(value) if self.is_inside(value) => None,
                Some(value) => Some(sum.plus(Step::multiple(value, by as i64))),
                None => Some(sum.plus(Step::number(by as i64))),
            })
    }

    fn computed_step(&mut self, opcode: L, inst: Value<'c>) -> Option<Step<'c>> {
        let operands = inst.operands();
        match opcode {
            L::LLVMOr if !inst.is_disjoint() => None,
            L::LLVMAdd | L::LLVMOr => Some(self.step(operands[0])?.plus(self.step(operands[1])?)),
            L::LLVMSub => Some(self.step(operands[0])?.plus(self.step(operands[1])?.times(-1))),
            L::LLVMMul => {
                let (inside, by) = match (self.is_inside(operands[0]), self.is_inside(operands[1])) {
                    (true, false) => (operands[0], operands[1]),
                    (false, true) => (operands[1], operands[0]),
                    _ => return None,
                };
                let step = self.step(inside)?;
                match by.as_const_signed() {
                    Some(by) => Some(step.times(by)),
                    None if step.terms.is_empty() => Some(Step::multiple(by, step.number)),
                    None => None,
                }
            }
            L::LLVMShl => {
                let by = operands[1].as_const_int().filter(|&by| by < 63)?;
                Some(self.step(operands[0])?.times(1 << by))
            }
            L::LLVMSExt | L::LLVMZExt | L::LLVMTrunc | L::LLVMFreeze => self.step(operands[0]),
            L::LLVMGetElementPtr => {
                let base = self.step(operands[0])?;
                let terms = offsets(self.module, inst).into_iter();
                let mut indices = terms.filter_map(|(index, size)| Some((index?, size)));
                indices.try_fold(base, |sum, (index, size)| {
                    Some(sum.plus(self.step(index)?.times(size as i64)))
                })
            }
            _ => None,
        }
    }
}

fn is_number(ty: Type<'_>) -> bool {
    let ty = ty.scalar();
    ty.is_int() || ty.is_float() || ty.is_ptr()
}

/// How many cache lines all lanes load, if each is `stride` bytes behind the one before it and the first begins a line.
fn lines_of(module: &Module<'_>, load: Value<'_>, stride: i64, lanes: u32) -> u64 {
    let last = stride.unsigned_abs().saturating_mul(u64::from(lanes) - 1);
    last.saturating_add(module.size_of(load.ty())).div_ceil(LINE)
}

impl<'c> Emit<'_, 'c> {
    /// Asks for what a load needs in later rounds. What is computed for that is the same in all rounds.
    pub(super) fn prefetch(&mut self, load: Value<'c>) -> Result<()> {
        // Behind a guard that all lanes pass there is no mask.
        let is_wanted = |ahead: &&Ahead<'c>| ahead.is_each_round || self.mask.is_none();
        let Some(ahead) = self.prefetches.loads.get(&load).filter(is_wanted).cloned() else {
            return Ok(());
        };
        let wide = self.cx.int(64);
        let address = load.operand(0);
        let stride = match self.shapes.of(address) {
            VectorShape::Affine { stride, .. } => stride,
            _ => 0,
        };
        let Count { start, step, end } = ahead.count;
        let (start, end) = (self.first(start)?, self.first(end)?);
        let (start, end) = (self.b.sext_or_trunc(start, wide), self.b.sext_or_trunc(end, wide));
        let rest = self.b.sub(end, start);
        let least = self.sum(step.times(WORTHWHILE * ahead.rounds))?;
        let [rest, least] = [rest, least].map(|number| {
            let is_poison = self.cx.int(1).zero();
            self.b.intrinsic(self.module, "llvm.abs", &[wide], &[number, is_poison])
        });
        let is_long = self.b.icmp(I::LLVMIntUGT, rest, least);
        let step = self.sum(ahead.step.times(ahead.rounds))?;
        let step = self.b.select(is_long, step, wide.zero());
        let first = self.first(address)?;
        let first = self.b.offset(first, step);
        for line in 0..lines_of(self.module, load, stride, self.lanes) as i64 {
            let bytes = line * LINE as i64 * if stride < 0 { -1 } else { 1 };
            self.prefetch_line(self.b.offset(first, wide.int(bytes as u64)), false);
        }
        Ok(())
    }

    /// Asks for the cache line of an address, to read it, or to write to it.
    pub(super) fn prefetch_line(&self, address: Value<'c>, to_write: bool) {
        // What LLVM is told: where to, and that it is not for code.
        const IN_ALL_CACHES: u64 = 3;
        const DATA: u64 = 1;
        let word = self.cx.int(32);
        let args = [
            address,
            word.int(to_write.into()),
            word.int(IN_ALL_CACHES),
            word.int(DATA),
        ];
        self.b.intrinsic(self.module, "llvm.prefetch", &[self.cx.ptr()], &args);
    }

    /// The value of a step.
    fn sum(&mut self, step: Step<'c>) -> Result<Value<'c>> {
        let wide = self.cx.int(64);
        let mut sum = wide.int(step.number as u64);
        for (value, by) in step.terms {
            let value = self.first(value)?;
            let value = self.b.sext_or_trunc(value, wide);
            sum = self.b.add(sum, self.b.mul(value, wide.int(by as u64)));
        }
        Ok(sum)
    }
}
