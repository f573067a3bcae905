// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Vectorized integer division. The CPU has no such instruction for integers, but one for floating-point numbers. Its
//! truncated result is exact as long as numbers and quotient fit into the precision.
//!
//! A divisor that is the same for all lanes is divided by once: numbers are multiplied by its reciprocal.
//!
//! Proof: let `x = q * y + r` with `r < y`. Rounding `x / y` could give `q + 1` only if the difference, at least
//! `1 / y`, were within half a unit in the last place of `q + 1`. With `p` bits of precision, that needs
//! `(q + 1) * y > 2^p`. But `(q + 1) * y` is at most `x + y`.
//!
//! With a reciprocal, `x + 1/2` is what is multiplied: `(x + 1/2) / y` is at least `1 / 2y` away from `q` and `q + 1`. The roundings of the
//! reciprocal and of the product together change it by less than `(x + 1/2) / y * 3 * 2^-p`, which is less than that if `x <= 2^(p-3)`.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;

use super::emit::{Emit, Result};
use crate::llvm::Value;

/// 1.5 * 2^52. Adding an integer below 2^51 of either sign leaves that integer in the low bits of the sum.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// What vectors are divided by.
#[derive(Clone, Copy)]
pub(super) struct Divisor<'c> {
    /// In each lane. None is zero.
    pub all: Value<'c>,
    /// The same, if it is the same in all lanes. It may be zero if no lane is in the mask.
    pub one: Option<Value<'c>>,
}

impl<'c> Emit<'_, 'c> {
    /// Divides vectors of integers.
    pub(super) fn divide(&mut self, opcode: L, x: Value<'c>, y: Divisor<'c>) -> Result<Value<'c>> {
        let ty = x.ty();
        let is_signed = matches!(opcode, L::LLVMSDiv | L::LLVMSRem);
        match ty.scalar().bits() {
            8 | 16 | 32 => return Ok(self.by_floats(opcode, x, y, is_signed)),
            64 if ty.lanes() == Some(self.lanes) => {}
            _ => return Ok(self.b.binary(opcode, x, y.all)),
        }
        // The fast path for small numbers, which are most common.
        let b = &self.b;
        let bits = if y.one.is_some() { 50 } else { 51 };
        let (low, high) = if is_signed {
            let half = ty.int(1 << bits);
            (b.or(b.add(x, half), b.add(y.all, half)), bits + 1)
        } else {
            (b.or(x, y.all), bits)
        };
        let too_high = b.and(low, ty.int(u64::MAX << high));
        let any = self
            .b
            .intrinsic(self.module, "llvm.vector.reduce.or", &[ty], &[too_high]);
        let is_small = self.b.icmp(I::LLVMIntEQ, any, any.ty().zero());
        let fast = |emit: &mut Self| Ok(emit.by_floats(opcode, x, y, is_signed));
        let slow = |emit: &mut Self| {
            // A loop, because this is rare, and short code compiles fast.
            let slow = emit.each_lane(Some(ty.scalar()), false, |emit, lane| {
                let (x, y) = (emit.b.extract_element(x, lane), emit.b.extract_element(y.all, lane));
                Ok(Some(emit.b.binary(opcode, x, y)))
            })?;
            Ok(slow.unwrap_or_else(|| ty.poison()))
        };
        self.either(is_small, ["small", "large", "divided"], fast, slow)
    }

    /// Divides numbers that are floating-point numbers, too.
    fn by_floats(&self, opcode: L, x: Value<'c>, y: Divisor<'c>, is_signed: bool) -> Value<'c> {
        let (b, ty) = (&self.b, x.ty());
        let lanes = ty.lanes().expect("it is a vector");
        let bits = ty.scalar().bits();
        let is_narrow = bits <= 16;
        let [int, float] = match is_narrow {
            true => [self.cx.int(32), self.cx.float(32)],
            false => [self.cx.int(64), self.cx.float(64)],
        };
        let (ints, floats) = (ty.with_scalar(int), ty.with_scalar(float));
        let (magic, magic_bits) = (|| floats.real(MAGIC), || ints.int(MAGIC.to_bits()));
        let widened = |value: Value<'c>, to| match is_signed {
            true => b.sext_or_trunc(value, to),
            false => b.zext_or_trunc(value, to),
        };
        let number = |value| match is_narrow {
            true => b.cast(L::LLVMSIToFP, widened(value, ints), floats),
            false => {
                let shifted = b.add(widened(value, ints), magic_bits());
                b.binary(L::LLVMFSub, b.bitcast(shifted, floats), magic())
            }
        };
        let integer = |value| match is_narrow {
            true => b.cast(L::LLVMFPToSI, value, ints),
            false => {
                let shifted = b.bitcast(b.binary(L::LLVMFAdd, value, magic()), ints);
                b.sub(shifted, magic_bits())
            }
        };
        let x_number = number(x);
        let exact = match y.one {
            None => b.binary(L::LLVMFDiv, x_number, number(y.all)),
            Some(one) => {
                let one = b.cast(L::LLVMSIToFP, widened(one, int), float);
                let reciprocal = b.binary(L::LLVMFDiv, float.real(1.0), one);
                let half = match is_signed {
                    true => b.intrinsic(self.module, "llvm.copysign", &[floats], &[floats.real(0.5), x_number]),
                    false => floats.real(0.5),
                };
                let beyond = b.binary(L::LLVMFAdd, x_number, half);
                b.binary(L::LLVMFMul, beyond, b.splat(reciprocal, lanes))
            }
        };
        let quotient = match is_narrow {
            true => exact,
            false => b.intrinsic(self.module, "llvm.trunc", &[floats], &[exact]),
        };
        let quotient = b.zext_or_trunc(integer(quotient), ty);
        match opcode {
            L::LLVMURem | L::LLVMSRem => b.sub(x, b.mul(quotient, y.all)),
            _ => quotient,
        }
    }
}
