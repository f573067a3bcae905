// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Products and quotients of which an element of a strided array is found: what is usual takes a comparison of scalars and a branch.
//!
//! Libraries of arrays describe an array by its shape and strides, which are in memory. Most arrays have one row for all that the lanes
//! see, and strides of 0 or 1. A vector of products of 64 bits takes three operations per register with AVX-512, and eight without.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;

use super::divergence::{VectorShape, is_data};
use super::emit::{Emit, Result};
use crate::llvm::Value;

/// The names of the blocks.
pub(super) const USUAL: [&str; 3] = ["usual", "other", "either"];

impl<'c> Emit<'_, 'c> {
    /// A product of vectors, if it is worth a branch.
    pub(super) fn product_of_stride(
        &mut self,
        inst: Value<'c>,
        x: Value<'c>,
        y: Value<'c>,
    ) -> Result<Option<Value<'c>>> {
        let ty = x.ty();
        if !self.is_of_indices(inst) {
            return Ok(None);
        }
        for (number, stride, all) in [(0, 1, x), (1, 0, y)].map(|(n, s, all)| (inst.operand(n), inst.operand(s), all)) {
            if self.shapes.of(stride) != VectorShape::Uniform || stride.is_const() {
                continue;
            }
            if let Some(is_zero) = self.is_zero_quotient(number)? {
                let product = |emit: &mut Self| Ok(emit.b.mul(x, y));
                return self.either(is_zero, USUAL, |_| Ok(ty.zero()), product).map(Some);
            }
            if is_data(stride) {
                let one = self.first(stride)?;
                let one = self.b.freeze(one);
                let is_bit = self.b.icmp(I::LLVMIntULE, one, one.ty().int(1));
                let masked = |emit: &mut Self| {
                    let mask = emit.b.splat(emit.b.neg(one), emit.lanes);
                    Ok(emit.b.and(all, mask))
                };
                return self
                    .either(is_bit, USUAL, masked, |emit| Ok(emit.b.mul(x, y)))
                    .map(Some);
            }
        }
        Ok(None)
    }

    /// A condition of scalars that is true only if an unsigned quotient is zero in all lanes.
    pub(super) fn is_zero_quotient(&mut self, division: Value<'c>) -> Result<Option<Value<'c>>> {
        if !matches!(division.opcode(), Some(L::LLVMUDiv | L::LLVMURem)) || !self.is_of_indices(division) {
            return Ok(None);
        }
        let (number, by) = (division.operand(0), division.operand(1));
        let VectorShape::Affine { stride, .. } = self.shapes.of(number) else {
            return Ok(None);
        };
        let is_there = self.is_available(number) && self.is_available(by);
        if stride <= 0 || !is_there || by.is_const() || self.shapes.of(by) != VectorShape::Uniform {
            return Ok(None);
        }
        let Some(reach) = (stride as u64).checked_mul(u64::from(self.lanes) - 1) else {
            return Ok(None);
        };
        let (first, by) = (self.first(number)?, self.first(by)?);
        // In lanes that are not in the mask, or all of them, either may be poison.
        let (first, by) = (self.b.freeze(first), self.b.freeze(by));
        Ok(Some(self.compares(I::LLVMIntULT, first, reach, by)))
    }

    /// Whether it is one number of 64 bits in each lane.
    fn is_of_indices(&self, inst: Value<'c>) -> bool {
        inst.ty().lanes().is_none() && inst.ty().bits() == 64
    }
}
