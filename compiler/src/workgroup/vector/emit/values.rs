// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Values of the scalar kernel in the vector kernel: lane 0's value, or a vector of all lanes, created on first use.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;

use super::super::divergence::VectorShape;
use super::{Emit, Result, Wide};
use crate::llvm::{Type, Value};

impl<'c> Emit<'_, 'c> {
    /// Defines a value, also for other blocks.
    pub(super) fn define(&mut self, inst: Value<'c>, value: Wide<'c>) -> Result<()> {
        // A varying shape needs a vector, even if the value was computed once.
        let value = match (self.shapes.of(inst), value) {
            (VectorShape::Varying, Wide::Scalar(v)) => Wide::Vector(self.repeat(v)),
            (_, value) => value,
        };
        self.known.insert(inst, value);
        if let Some(&slot) = self.demoted.get(&inst)
            && inst.opcode() != Some(L::LLVMPHI)
        {
            match value {
                Wide::Scalar(v) | Wide::Vector(v) => {
                    self.b.store(v, slot.address);
                }
                Wide::Pair(..) => return Err("a structure that is used in another block".into()),
            }
        }
        Ok(())
    }

    /// The vector kernel's form of a scalar kernel's value.
    pub fn wide(&mut self, value: Value<'c>) -> Result<Wide<'c>> {
        if let Some(&known) = self.known.get(&value) {
            return Ok(known);
        }
        if value.opcode().is_none() {
            // A constant, a global, or a parameter.
            let parameter = self.params.iter().position(|parameter| *parameter == value);
            let value = parameter.map_or(value, |i| self.function.param(i as u32));
            return Ok(Wide::Scalar(value));
        }
        let Some(&slot) = self.demoted.get(&value) else {
            return Err(format!("a value that is not there yet: {value:?}"));
        };
        let loaded = self.b.load(slot.ty, slot.address);
        self.uses.read(value, self.node);
        let wide = match self.shapes.of(value) {
            VectorShape::Varying => Wide::Vector(loaded),
            _ => Wide::Scalar(loaded),
        };
        self.known.insert(value, wide);
        Ok(wide)
    }

    /// Whether the current block may use a value.
    pub fn is_available(&self, value: Value<'c>) -> bool {
        value.opcode().is_none() || self.known.contains_key(&value) || self.demoted.contains_key(&value)
    }

    /// Lane 0's value of a uniform or affine value.
    pub fn first(&mut self, value: Value<'c>) -> Result<Value<'c>> {
        match self.wide(value)? {
            Wide::Scalar(v) => Ok(v),
            Wide::Vector(v) => Ok(self.part(v, value.ty(), self.cx.int(32).zero())),
            Wide::Pair(..) => Err("a structure as an operand".into()),
        }
    }

    /// The value in all lanes, as a vector.
    pub fn vector(&mut self, value: Value<'c>) -> Result<Value<'c>> {
        let first = match self.wide(value)? {
            Wide::Vector(v) => return Ok(v),
            Wide::Pair(..) => return Err("a structure as an operand".into()),
            Wide::Scalar(v) => v,
        };
        if let Some(&made) = self.vectors.get(&value) {
            return Ok(made);
        }
        self.wide_type(first.ty())?;
        let made = match self.shapes.of(value) {
            VectorShape::Affine { stride, .. } => self.spread(first, stride),
            _ => self.repeat(first),
        };
        self.vectors.insert(value, made);
        Ok(made)
    }

    /// Broadcasts a value to all lanes. A vector is repeated.
    fn repeat(&self, value: Value<'c>) -> Value<'c> {
        match value.ty().lanes() {
            None => self.b.splat(value, self.lanes),
            Some(n) => {
                let pattern: Vec<u32> = (0..self.lanes * n).map(|i| i % n).collect();
                self.b.shuffle(value, value.ty().poison(), &pattern)
            }
        }
    }

    /// A mask for values of a scalar kernel's type. For vectors, each bit is repeated for all elements.
    pub fn expand(&self, mask: Value<'c>, ty: Type<'c>) -> Value<'c> {
        match ty.lanes() {
            None => mask,
            Some(n) => {
                let pattern: Vec<u32> = (0..self.lanes * n).map(|i| i / n).collect();
                self.b.shuffle(mask, mask.ty().poison(), &pattern)
            }
        }
    }

    /// One lane's part of a vector of all lanes. `lane` has 32 bits.
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

    /// Inserts one lane's value into a vector of all lanes.
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

    /// A vector of lane 0's value plus multiples of a stride.
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

    /// One lane's value. `lane` has 32 bits.
    pub fn lane(&mut self, value: Value<'c>, lane: Value<'c>) -> Result<Value<'c>> {
        Ok(match (self.wide(value)?, self.shapes.of(value)) {
            (Wide::Vector(v), _) => self.part(v, value.ty(), lane),
            (Wide::Scalar(v), VectorShape::Affine { stride, .. }) => {
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
            (Wide::Scalar(v), _) => v,
            (Wide::Pair(..), _) => return Err("a structure as an operand".into()),
        })
    }

    /// A value that is computed in one of two ways, by a condition of all lanes. Neither way may load what is used behind it. The blocks
    /// get these names: of the ways, and behind them.
    pub fn either(
        &mut self,
        condition: Value<'c>,
        names: [&str; 3],
        yes: impl FnOnce(&mut Self) -> Result<Value<'c>>,
        no: impl FnOnce(&mut Self) -> Result<Value<'c>>,
    ) -> Result<Value<'c>> {
        let all = self.either_of_several(
            condition,
            names,
            |emit| yes(emit).map(|value| vec![value]),
            |emit| no(emit).map(|value| vec![value]),
        )?;
        Ok(all[0])
    }

    /// The same of several values, or of none.
    pub fn either_of_several(
        &mut self,
        condition: Value<'c>,
        names: [&str; 3],
        yes: impl FnOnce(&mut Self) -> Result<Vec<Value<'c>>>,
        no: impl FnOnce(&mut Self) -> Result<Vec<Value<'c>>>,
    ) -> Result<Vec<Value<'c>>> {
        let before = self.b.block();
        let [usual, other, after] = names.map(|name| self.function.append_block(name));
        for block in [after, other, usual] {
            block.move_after(before);
        }
        self.b.cond_br(condition, usual, other);
        self.b.go_to_end(usual);
        let first = (yes(self)?, self.b.block());
        self.b.br(after);
        self.b.go_to_end(other);
        let second = (no(self)?, self.b.block());
        self.b.br(after);
        self.b.go_to_end(after);
        let both = first.0.into_iter().zip(second.0);
        let results = both.map(|(yes, no)| {
            let result = self.b.phi(yes.ty());
            result.add_incoming(&[(yes, first.1), (no, second.1)]);
            result
        });
        Ok(results.collect())
    }

    /// Scalarizes: calls a function for each active lane in a loop, and inserts the results into a vector of type
    /// `result`. What is short is worth a copy for each lane, if all are active.
    pub fn each_lane(
        &mut self,
        result: Option<Type<'c>>,
        is_short: bool,
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
        // The operands of the loop are made before it.
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
        // Values that the loop loads are not available after it.
        self.known = known;
        self.vectors = vectors;
        let next = match (so_far, value) {
            (Some(so_far), Some(value)) => Some(self.with_part(so_far, value, number)),
            _ => None,
        };
        let fewer = self.b.and(rest, self.b.sub(rest, bits_type.int(1)));
        let end = self.b.block();
        let again = self.b.br(head);
        if is_short && self.mask.is_none() {
            again.unroll();
        }
        rest.add_incoming(&[(start, before), (fewer, end)]);
        if let (Some(so_far), Some(next)) = (so_far, next) {
            so_far.add_incoming(&[(so_far.ty().poison(), before), (next, end)]);
        }
        self.b.go_to_end(after);
        Ok(so_far)
    }
}
