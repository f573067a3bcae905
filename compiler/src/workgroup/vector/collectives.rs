// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sub-group collectives, which become operations on vectors.

use super::divergence::VectorShape;
use super::emit::{Emit, Result, Wide};
use crate::intrinsics::{GroupCollective, ReduceOp};
use crate::llvm::Value;

impl<'c> Emit<'_, 'c> {
    pub(super) fn exchange(&mut self, inst: Value<'c>, exchange: GroupCollective) -> Result<Option<Wide<'c>>> {
        Ok(match exchange {
            GroupCollective::Barrier => {
                if let Some(waits) = &self.waits {
                    waits.wait(self.module, &self.b);
                    self.passed_barrier();
                    return Ok(None);
                }
                let ty = self.cx.void().function(&[self.cx.ptr()]);
                let meet = self.module.declare("oxur_barrier", ty);
                meet.attribute("nounwind", 0).attribute("convergent", 0);
                self.b.call(meet, &[self.function.param(0)]);
                None
            }
            // The lanes of a sub-group always run together.
            GroupCollective::SubGroupBarrier => None,
            GroupCollective::Ballot => {
                let wide = self.cx.int(64);
                let truth = inst.operand(2);
                let bits = match self.shapes.of(truth) {
                    VectorShape::Uniform => {
                        let truth = self.first(truth)?;
                        let here = self.mask_bits(self.mask_or_ones());
                        self.b.select(truth, here, here.ty().zero())
                    }
                    _ => {
                        let truth = self.vector(truth)?;
                        let none = truth.ty().zero();
                        let here = self.b.select(self.mask_or_ones(), truth, none);
                        self.mask_bits(here)
                    }
                };
                Some(Wide::Scalar(self.b.zext_or_trunc(bits, wide)))
            }
            GroupCollective::Shuffle => Some(self.shuffle(inst)?),
            GroupCollective::Reduce(how) => {
                let all = self.with_identity(inst.operand(2), how)?;
                Some(Wide::Scalar(self.reduce(all, how)))
            }
            GroupCollective::InclusiveScan(how) => {
                let all = self.with_identity(inst.operand(2), how)?;
                Some(Wide::Vector(self.scan(all, how)))
            }
            GroupCollective::ExclusiveScan(how) => {
                let all = self.with_identity(inst.operand(2), how)?;
                let sums = self.scan(all, how);
                let own = self.moved_up(sums, 1, how.identity(all.ty().scalar()));
                Some(Wide::Vector(own))
            }
        })
    }

    fn shuffle(&mut self, inst: Value<'c>) -> Result<Wide<'c>> {
        let (value, lane) = (inst.operand(2), inst.operand(3));
        let low = u64::from(self.lanes) - 1;
        let all = self.vector(value)?;
        if self.shapes.of(lane) == VectorShape::Uniform {
            let lane = self.first(lane)?;
            let lane = self.b.and(lane, lane.ty().int(low));
            return Ok(Wide::Scalar(self.b.extract_element(all, lane)));
        }
        let lanes = self.vector(lane)?;
        let lanes = self.b.and(lanes, lanes.ty().int(low));
        // A known shuffle pattern.
        let word = self.cx.int(32);
        let constant: Option<Vec<u32>> = (0..self.lanes)
            .map(|i| {
                self.b
                    .extract_element(lanes, word.int(i.into()))
                    .as_const_int()
                    .map(|v| v as u32)
            })
            .collect();
        if let Some(pattern) = constant {
            return Ok(Wide::Vector(self.b.shuffle(all, all.ty().poison(), &pattern)));
        }
        // Inactive lanes may hold poison. As a lane index, poison would be undefined behaviour.
        let (all, lanes) = (self.b.freeze(all), self.b.freeze(lanes));
        let lanes = self.b.and(lanes, lanes.ty().int(low));
        let element = all.ty().scalar();
        let place = self.entry.alloca(all.ty()).align(64);
        self.b.store(all, place).align(64);
        let mut result = all.ty().poison();
        for i in 0..self.lanes {
            let number = word.int(i.into());
            let from = self.b.extract_element(lanes, number);
            let at = self
                .b
                .gep(element, place, &[self.b.zext_or_trunc(from, self.cx.int(64))], true);
            let part = self.b.load(element, at);
            result = self.b.insert_element(result, part, number);
        }
        Ok(Wide::Vector(result))
    }

    /// The operand of active lanes. Inactive lanes have the identity of the operation.
    fn with_identity(&mut self, value: Value<'c>, how: ReduceOp) -> Result<Value<'c>> {
        let all = self.vector(value)?;
        Ok(match self.mask {
            Some(mask) => {
                let nothing = self.b.splat(how.identity(all.ty().scalar()), self.lanes);
                self.b.select(mask, all, nothing)
            }
            None => all,
        })
    }

    fn reduce(&mut self, all: Value<'c>, how: ReduceOp) -> Value<'c> {
        let ty = all.ty();
        let name = match how {
            // The order in which scalar code does it, too.
            ReduceOp::FAdd | ReduceOp::FMul => return self.reduce_by_halves(all, how),
            ReduceOp::Add => "llvm.vector.reduce.add",
            ReduceOp::Mul => "llvm.vector.reduce.mul",
            ReduceOp::SMin => "llvm.vector.reduce.smin",
            ReduceOp::SMax => "llvm.vector.reduce.smax",
            ReduceOp::UMin => "llvm.vector.reduce.umin",
            ReduceOp::UMax => "llvm.vector.reduce.umax",
            ReduceOp::And => "llvm.vector.reduce.and",
            ReduceOp::Or => "llvm.vector.reduce.or",
            ReduceOp::Xor => "llvm.vector.reduce.xor",
            ReduceOp::FMin => "llvm.vector.reduce.fmin",
            ReduceOp::FMax => "llvm.vector.reduce.fmax",
        };
        self.b.intrinsic(self.module, name, &[ty], &[all])
    }

    /// Combines the values of all items of a whole group: those of each sub-group by halves, and then the sub-groups in turn, which is
    /// the order of [`combine_values`](crate::intrinsics::CombineValues).
    pub(super) fn group_reduction(&mut self, inst: Value<'c>, how: ReduceOp) -> Result<Value<'c>> {
        let mut all = self.with_identity(inst.operand(1), how)?;
        let size = inst.operand(2).as_const_int().unwrap_or(1) as u32;
        if !how.is_float() {
            return Ok(self.reduce(all, how));
        }
        let groups = (self.lanes / size).max(1);
        let mut width = self.lanes / groups;
        while width > 1 {
            width /= 2;
            let [low, high] = [0, width].map(|start| {
                let of_group = |group: u32| (0..width).map(move |i| group * 2 * width + start + i);
                let pattern: Vec<u32> = (0..groups).flat_map(of_group).collect();
                self.b.shuffle(all, all.ty().poison(), &pattern)
            });
            all = how.apply(self.module, &self.b, low, high);
        }
        let word = self.cx.int(32);
        let each = (0..groups).map(|group| self.b.extract_element(all, word.int(group.into())));
        let identity = how.identity(all.ty().scalar());
        Ok(each.fold(identity, |so_far, value| how.apply(self.module, &self.b, so_far, value)))
    }

    /// Combines the upper half of the lanes with the lower half, until one is left.
    fn reduce_by_halves(&mut self, mut all: Value<'c>, how: ReduceOp) -> Value<'c> {
        let mut half = self.lanes / 2;
        while half > 1 {
            let [low, high] = [0, half].map(|start| {
                let pattern: Vec<u32> = (start..start + half).collect();
                self.b.shuffle(all, all.ty().poison(), &pattern)
            });
            all = how.apply(self.module, &self.b, low, high);
            half /= 2;
        }
        let word = self.cx.int(32);
        let [low, high] = [0, 1].map(|lane| self.b.extract_element(all, word.int(lane)));
        how.apply(self.module, &self.b, low, high)
    }

    /// The inclusive scan: each lane combined with all lower lanes.
    fn scan(&mut self, mut all: Value<'c>, how: ReduceOp) -> Value<'c> {
        let nothing = how.identity(all.ty().scalar());
        let mut step = 1;
        while step < self.lanes {
            let below = self.moved_up(all, step, nothing);
            all = how.apply(self.module, &self.b, below, all);
            step *= 2;
        }
        all
    }

    /// Shifts values up by `by` lanes. The lowest lanes get `fill`.
    fn moved_up(&mut self, all: Value<'c>, by: u32, fill: Value<'c>) -> Value<'c> {
        let fill = self.b.splat(fill, self.lanes);
        let pattern: Vec<u32> = (0..self.lanes)
            .map(|i| if i < by { self.lanes } else { i - by })
            .collect();
        self.b.shuffle(all, fill, &pattern)
    }
}
