// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Binary searches with 32 bits: what they count with has 64, and GPUs compute with 32.
//!
//! A search halves a number of elements, and moves the first of them:
//!
//! ```text
//! while (n != 0) { h = n / 2; if (less(x[first + h], value)) { first += h + 1; n -= h + 1; } else n = h; }
//! ```
//!
//! In front of such a loop a check sends control to a copy of it if `n` begins with 1 to 2^32 - 1. In the copy `n` has 32 bits, and
//! so has the distance that `first` has gone. What else there is of 64 bits is made of them:
//!
//! ```text
//! d = 0; while (n != 0) { h = n / 2; if (less((x + begin)[d + h], value)) { d += h + 1; n -= h + 1; } else n = h; }
//! ```
//!
//! That is right where each iteration leaves no more than it had: if `n'` and `d'` come of `n` and `d`, they are not less than 0, and
//! `d' + n'` is at most `d + n`. Then both stay below 2^32. Each way through the loop is shown to be so ([`Linear`]) for all `n` of at
//! least 1, which holds as the loop goes on only then. All else is modular arithmetic: sums and differences of the low halves are the
//! low halves of those, and a value that is from `d` to `d + n` has no high half.

mod copy;
mod linear;

use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode as L;

use self::linear::Linear;
use rustc_hash::{FxHashMap, FxHashSet};

use super::loops::{from, may_repeat};
use crate::llvm::{Block, Kind, Module, Type, Value, inverse};

/// The most blocks that a loop may have.
const MOST_BLOCKS: usize = 16;
/// The most instructions that a loop may have: those with more do not gain much.
const MOST_INSTRUCTIONS: usize = 60;
/// The most ways through a loop that are looked at.
const MOST_WAYS: usize = 64;

/// Gives searches copies with 32 bits. Returns whether there were some.
pub fn loops(module: &Module<'_>) -> bool {
    let mut some = false;
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        for block in function.blocks() {
            if let Some(search) = Search::find(module, block) {
                search.shorten(module, function);
                some = true;
            }
        }
    }
    some
}

/// A loop that leaves from its last block only.
struct Loop<'c> {
    /// Each is behind those that control comes from. The first is the header.
    blocks: Vec<Block<'c>>,
    latch: Block<'c>,
    exit: Block<'c>,
}

impl<'c> Loop<'c> {
    /// The small loop that ends with a block, without loops inside.
    fn find(latch: Block<'c>, header: Block<'c>, exit: Block<'c>) -> Option<Self> {
        let mut found = vec![header];
        let mut rest = vec![latch];
        while let Some(block) = rest.pop() {
            if found.contains(&block) {
                continue;
            }
            let before = block.predecessors();
            // Without a block before it, control comes to it otherwise than from the header.
            if before.is_empty() || found.len() == MOST_BLOCKS {
                return None;
            }
            found.push(block);
            rest.extend(before);
        }
        let (mut blocks, mut others) = (vec![header], found.split_off(1));
        while !others.is_empty() {
            let is_next = |block: &Block<'c>| block.predecessors().iter().all(|before| blocks.contains(before));
            let at = others.iter().position(is_next)?;
            blocks.push(others.swap_remove(at));
        }
        let stays = |block: &Block<'c>| block.successors().iter().all(|after| blocks[1..].contains(after));
        let is_whole = blocks.last() == Some(&latch) && blocks.iter().filter(|&&block| block != latch).all(stays);
        (is_whole && !blocks.contains(&exit)).then_some(Self { blocks, latch, exit })
    }

    fn header(&self) -> Block<'c> {
        self.blocks[0]
    }

    fn has(&self, value: Value<'c>) -> bool {
        value.opcode().is_some() && self.blocks.contains(&value.block())
    }

    fn instructions(&self) -> impl Iterator<Item = Value<'c>> {
        self.blocks.iter().flat_map(|block| block.instructions())
    }
}

/// Where the elements begin that are left: an index, or a pointer.
struct First<'c> {
    phi: Value<'c>,
    /// What a pointer counts in: the size of an element. 1 for an index.
    unit: u64,
}

/// What a linear value is added to: nothing, or one of [`Search::firsts`], in its unit.
type Base = Option<usize>;

/// How far an address is from what it is computed from.
enum Step {
    /// As the index says.
    Index,
    /// So many elements.
    Constant(i64),
}

struct Search<'c> {
    around: Loop<'c>,
    /// The phi of how many elements are left.
    number: Value<'c>,
    firsts: Vec<First<'c>>,
    /// The values that are linear in the number and its half, behind what they are added to.
    bases: FxHashMap<Value<'c>, Base>,
    /// Those of them that may be more than the number, or less than 0.
    far: FxHashSet<Value<'c>>,
}

impl<'c> Search<'c> {
    /// The search whose last block this is.
    fn find(module: &Module<'c>, latch: Block<'c>) -> Option<Self> {
        let successors = latch.successors();
        let &[first, second] = successors.as_slice() else {
            return None;
        };
        if first == second {
            return None;
        }
        let of_header = |header: Block<'c>, exit: Block<'c>, goes_on_if: bool| {
            let is_number = |phi: &Value<'c>| {
                is_word(phi.ty())
                    && phi.users().into_iter().any(|user| is_half(user, *phi))
                    && is_left(*phi, latch, goes_on_if)
            };
            let number = header.phis().into_iter().find(is_number)?;
            Some((Loop::find(latch, header, exit)?, number))
        };
        let (around, number) = of_header(first, second, true).or_else(|| of_header(second, first, false))?;
        let may_copy = |inst: Value<'c>| match inst.opcode() {
            Some(L::LLVMStore) => !inst.is_volatile() && !inst.is_atomic(),
            _ => may_repeat(inst),
        };
        if around.instructions().count() > MOST_INSTRUCTIONS || !around.instructions().all(may_copy) {
            return None;
        }
        let mut found = Self {
            firsts: firsts(module, &around, number),
            around,
            number,
            bases: FxHashMap::default(),
            far: FxHashSet::default(),
        };
        loop {
            found.bases = found.linear_values(module);
            if found.bases.get(&from(number, latch)) != Some(&None) {
                return None;
            }
            let ways = found.ways(module)?;
            let before = found.firsts.len();
            let stays = found.what_stays(&ways)?;
            let mut stays = stays.into_iter();
            found.firsts.retain(|_| stays.next() == Some(true));
            if found.firsts.is_empty() {
                return None;
            }
            if found.firsts.len() == before {
                let far = |way: &Way<'c>| {
                    let far = way.values.iter().filter(|(_, linear)| !linear.is_up_to_number());
                    far.map(|(&value, _)| value).collect::<Vec<_>>()
                };
                found.far = ways.iter().flat_map(far).collect();
                return Some(found);
            }
        }
    }

    /// The values that are linear, and what they are added to.
    fn linear_values(&self, module: &Module<'c>) -> FxHashMap<Value<'c>, Base> {
        let mut bases: FxHashMap<Value<'c>, Base> = FxHashMap::from_iter([(self.number, None)]);
        bases.extend((0..).zip(&self.firsts).map(|(at, first)| (first.phi, Some(at))));
        for inst in self.around.instructions() {
            let base_of = |value: Value<'c>| match constant(value) {
                Some(_) => Some(None),
                None => bases.get(&value).copied(),
            };
            let one_of = |values: &[Value<'c>]| {
                let base = base_of(*values.first()?)?;
                values.iter().all(|&value| base_of(value) == Some(base)).then_some(base)
            };
            let base = match inst.opcode() {
                Some(L::LLVMPHI) if inst.block() != self.around.header() => {
                    let values: Vec<_> = inst.incoming().into_iter().map(|(value, _)| value).collect();
                    one_of(&values)
                }
                Some(L::LLVMSelect) => one_of(&inst.operands()[1..]),
                Some(L::LLVMLShr) => is_half(inst, self.number).then_some(None),
                Some(L::LLVMXor) => {
                    (constant(inst.operand(1)) == Some(-1) && base_of(inst.operand(0)) == Some(None)).then_some(None)
                }
                Some(L::LLVMAdd) => match [0, 1].map(|at| base_of(inst.operand(at))) {
                    [Some(base), Some(None)] | [Some(None), Some(base)] => Some(base),
                    _ => None,
                },
                Some(L::LLVMSub) => match [0, 1].map(|at| base_of(inst.operand(at))) {
                    [Some(base), Some(None)] => Some(base),
                    _ => None,
                },
                Some(L::LLVMGetElementPtr) => match base_of(inst.operand(0)) {
                    Some(Some(at))
                        if self.step(module, inst, at).is_some() && base_of(inst.operand(1)) == Some(None) =>
                    {
                        Some(Some(at))
                    }
                    _ => None,
                },
                _ => None,
            };
            if let Some(base) = base.filter(|_| is_word(inst.ty()) || inst.ty().kind() == Kind::Pointer) {
                bases.insert(inst, base);
            }
        }
        bases
    }

    /// How far an address is from the one that it is computed from, in the unit of that.
    fn step(&self, module: &Module<'c>, address: Value<'c>, first: usize) -> Option<Step> {
        let unit = self.firsts[first].unit;
        let size = module.size_of(address.source_element_type());
        if address.operands().len() != 2 {
            return None;
        }
        match constant(address.operand(1)) {
            None => (size == unit).then_some(Step::Index),
            Some(index) => {
                let (bytes, unit) = (index.checked_mul(i64::try_from(size).ok()?)?, i64::try_from(unit).ok()?);
                (bytes % unit == 0).then_some(Step::Constant(bytes / unit))
            }
        }
    }

    /// All ways through the loop, with the linear values that are computed on them, less what they are added to. A condition holds or
    /// does not, whatever it is. `None` if there are too many.
    fn ways(&self, module: &Module<'c>) -> Option<Vec<Way<'c>>> {
        let header = self.around.header();
        let mut begin = FxHashMap::from_iter([(self.number, Linear::NUMBER)]);
        begin.extend(self.firsts.iter().map(|first| (first.phi, Linear::constant(0))));
        let mut rest = vec![Way {
            block: header,
            before: header,
            values: begin,
            conditions: FxHashMap::default(),
        }];
        let mut ended = Vec::new();
        while let Some(way) = rest.pop() {
            if rest.len() + ended.len() == MOST_WAYS {
                return None;
            }
            match self.go(module, way)? {
                Gone::Ended(way) => ended.push(way),
                Gone::Asks(condition, way) => rest.extend([true, false].map(|holds| {
                    let mut way = way.clone();
                    way.conditions.insert(condition, holds);
                    way
                })),
            }
        }
        Some(ended)
    }

    /// Goes a way to its end, or to a condition that is open. `None` where a factor is not represented.
    fn go(&self, module: &Module<'c>, mut way: Way<'c>) -> Option<Gone<'c>> {
        loop {
            for inst in way.block.instructions() {
                let Some(&base) = self.bases.get(&inst) else { continue };
                // Those are known: a way begins with them, or has asked for a condition in this block.
                if way.values.contains_key(&inst) {
                    continue;
                }
                let value = match inst.opcode()? {
                    L::LLVMPHI => way.value(from(inst, way.before))?,
                    L::LLVMSelect => match way.conditions.get(&inst.operand(0)) {
                        None => return Some(Gone::Asks(inst.operand(0), way)),
                        Some(true) => way.value(inst.operand(1))?,
                        Some(false) => way.value(inst.operand(2))?,
                    },
                    L::LLVMLShr => Linear::HALF,
                    L::LLVMXor => Linear::constant(-1).minus(way.value(inst.operand(0))?)?,
                    L::LLVMAdd => way.value(inst.operand(0))?.plus(way.value(inst.operand(1))?)?,
                    L::LLVMSub => way.value(inst.operand(0))?.minus(way.value(inst.operand(1))?)?,
                    _ => way
                        .value(inst.operand(0))?
                        .plus(match self.step(module, inst, base?)? {
                            Step::Index => way.value(inst.operand(1))?,
                            Step::Constant(count) => Linear::constant(count),
                        })?,
                };
                way.values.insert(inst, value);
            }
            if way.block == self.around.latch {
                return Some(Gone::Ended(way));
            }
            way.before = way.block;
            way.block = match way.block.successors()[..] {
                [next] => next,
                [yes, no] => {
                    let condition = way.block.terminator()?.operand(0);
                    match way.conditions.get(&condition) {
                        None => {
                            // The phis of this block are known, so it is not asked where control came from.
                            return Some(Gone::Asks(condition, way));
                        }
                        Some(true) => yes,
                        Some(false) => no,
                    }
                }
                _ => return None,
            };
        }
    }

    /// Of each of the first elements, whether all ways have it go no further than the elements that are left. `None` if there may be
    /// more of those than before.
    fn what_stays(&self, ways: &[Way<'c>]) -> Option<Vec<bool>> {
        let latch = self.around.latch;
        let left: Vec<Linear> = ways
            .iter()
            .map(|way| way.value(from(self.number, latch)))
            .collect::<Option<_>>()?;
        let stays = |at: usize| {
            let next = from(self.firsts[at].phi, latch);
            let is_within = |(way, left): (&Way<'c>, &Linear)| {
                let gone = way.value(next).filter(|gone| gone.is_nonnegative());
                let end = gone.and_then(|gone| gone.plus(*left));
                end.is_some_and(Linear::is_up_to_number)
            };
            self.bases.get(&next) == Some(&Some(at)) && ways.iter().zip(&left).all(is_within)
        };
        left.iter()
            .all(|left| left.is_up_to_number())
            .then(|| (0..self.firsts.len()).map(stays).collect())
    }
}

/// A way through the loop, as far as it has gone.
#[derive(Clone)]
struct Way<'c> {
    block: Block<'c>,
    /// Where control came from.
    before: Block<'c>,
    values: FxHashMap<Value<'c>, Linear>,
    /// The conditions that are known to hold, or not to.
    conditions: FxHashMap<Value<'c>, bool>,
}

impl<'c> Way<'c> {
    fn value(&self, value: Value<'c>) -> Option<Linear> {
        match constant(value) {
            Some(constant) => Some(Linear::constant(constant)),
            None => self.values.get(&value).copied(),
        }
    }
}

/// How far a way goes.
enum Gone<'c> {
    /// To the end of the loop.
    Ended(Way<'c>),
    /// To where this condition has to be known.
    Asks(Value<'c>, Way<'c>),
}

/// The phis of a loop that may be where the elements begin.
fn firsts<'c>(module: &Module<'c>, around: &Loop<'c>, number: Value<'c>) -> Vec<First<'c>> {
    let phis = around.header().phis().into_iter().filter(|&phi| phi != number);
    let first = |phi: Value<'c>| match phi.ty().kind() {
        Kind::Int(64) => Some(First { phi, unit: 1 }),
        Kind::Pointer => {
            let is_element = |user: &Value<'c>| {
                user.opcode() == Some(L::LLVMGetElementPtr)
                    && user.operand(0) == phi
                    && user.operands().len() == 2
                    && !user.operand(1).is_const()
            };
            let element = phi
                .users()
                .into_iter()
                .filter(|&user| around.has(user))
                .find(is_element)?;
            let unit = module.size_of(element.source_element_type());
            (unit != 0).then_some(First { phi, unit })
        }
        _ => None,
    };
    phis.filter_map(first).collect()
}

fn is_word(ty: Type<'_>) -> bool {
    ty.kind() == Kind::Int(64)
}

/// The value of a constant of 64 bits.
fn constant(value: Value<'_>) -> Option<i64> {
    let constant = value.as_const_int().filter(|_| is_word(value.ty()))?;
    Some(constant as i64)
}

/// Whether an instruction is half of a number, rounded down.
fn is_half<'c>(inst: Value<'c>, number: Value<'c>) -> bool {
    inst.opcode() == Some(L::LLVMLShr) && inst.operand(0) == number && constant(inst.operand(1)) == Some(1)
}

/// Whether a loop goes on only if a phi is not 0 in the next iteration.
fn is_left<'c>(phi: Value<'c>, latch: Block<'c>, goes_on_if: bool) -> bool {
    let condition = latch.terminator().expect("a block ends with a terminator").operand(0);
    if condition.opcode() != Some(L::LLVMICmp) || condition.operand(0) != from(phi, latch) {
        return false;
    }
    let predicate = condition.int_predicate();
    let predicate = if goes_on_if { predicate } else { inverse(predicate) };
    constant(condition.operand(1)).is_some_and(|bound| match predicate {
        LLVMIntNE => bound == 0,
        LLVMIntUGT => true,
        LLVMIntUGE => bound != 0,
        LLVMIntSGT => bound >= 0,
        LLVMIntSGE => bound > 0,
        _ => false,
    })
}
