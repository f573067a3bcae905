// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Vectorized integer division. The CPU has no such instruction for integers, but one for floating-point numbers. Its
//! truncated result is exact as long as numbers and quotient fit into the precision.
//!
//! Proof: let `x = q * y + r` with `r < y`. Rounding `x / y` could give `q + 1` only if the difference, at least
//! `1 / y`, were within half a unit in the last place of `q + 1`. With `p` bits of precision, that needs
//! `(q + 1) * y > 2^p`. But `(q + 1) * y` is at most `x + y`.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;

use super::emit::{Emit, Result};
use crate::llvm::{Type, Value};

/// 1.5 * 2^52. Adding an integer below 2^51 of either sign leaves that integer in the low bits of the sum.
const MAGIC: f64 = 6_755_399_441_055_744.0;

impl<'c> Emit<'_, 'c> {
    /// Divides vectors of integers. No divisor is zero.
    pub(super) fn divide(&mut self, opcode: L, x: Value<'c>, y: Value<'c>) -> Result<Value<'c>> {
        let ty = x.ty();
        let is_signed = matches!(opcode, L::LLVMSDiv | L::LLVMSRem);
        match ty.scalar().bits() {
            8 | 16 | 32 => return Ok(self.by_floats(opcode, x, y, is_signed)),
            64 if ty.lanes() == Some(self.lanes) => {}
            _ => return Ok(self.b.binary(opcode, x, y)),
        }
        // The fast path for small numbers, which are most common.
        let b = &self.b;
        let (low, high) = if is_signed {
            let half = ty.int(1 << 51);
            (b.or(b.add(x, half), b.add(y, half)), 52)
        } else {
            (b.or(x, y), 51)
        };
        let all = self.b.intrinsic(self.module, "llvm.vector.reduce.or", &[ty], &[low]);
        let is_small = self.b.icmp(I::LLVMIntULT, all, all.ty().int(1 << high));
        let [small, large, after] = ["small", "large", "divided"].map(|n| self.function.append_block(n));
        let before = self.b.block();
        for block in [after, large, small] {
            block.move_after(before);
        }
        self.b.cond_br(is_small, small, large);
        self.b.go_to_end(small);
        let fast = self.by_floats(opcode, x, y, is_signed);
        self.b.br(after);
        self.b.go_to_end(large);
        // A loop, because this is rare, and short code compiles fast.
        let slow = self.each_lane(Some(ty.scalar()), false, |emit, lane| {
            let (x, y) = (emit.b.extract_element(x, lane), emit.b.extract_element(y, lane));
            Ok(Some(emit.b.binary(opcode, x, y)))
        })?;
        let slow = slow.unwrap_or_else(|| ty.poison());
        let end = self.b.block();
        self.b.br(after);
        self.b.go_to_end(after);
        let result = self.b.phi(ty);
        result.add_incoming(&[(fast, small), (slow, end)]);
        Ok(result)
    }

    fn by_floats(&self, opcode: L, x: Value<'c>, y: Value<'c>, is_signed: bool) -> Value<'c> {
        let (b, ty) = (&self.b, x.ty());
        let bits = ty.scalar().bits();
        let of_type = |scalar: Type<'c>| ty.with_scalar(scalar);
        let widened = |value, to| {
            if is_signed {
                b.sext_or_trunc(value, to)
            } else {
                b.zext_or_trunc(value, to)
            }
        };
        let quotient = if bits <= 16 {
            let (word, float) = (of_type(self.cx.int(32)), of_type(self.cx.float(32)));
            let number = |value| b.cast(L::LLVMSIToFP, widened(value, word), float);
            let exact = b.binary(L::LLVMFDiv, number(x), number(y));
            b.zext_or_trunc(b.cast(L::LLVMFPToSI, exact, word), ty)
        } else {
            let (wide, float) = (of_type(self.cx.int(64)), of_type(self.cx.float(64)));
            let (magic, magic_bits) = (float.real(MAGIC), wide.int(MAGIC.to_bits()));
            let number = |value| {
                let shifted = b.add(widened(value, wide), magic_bits);
                b.binary(L::LLVMFSub, b.bitcast(shifted, float), magic)
            };
            let exact = b.binary(L::LLVMFDiv, number(x), number(y));
            let cut = b.intrinsic(self.module, "llvm.trunc", &[float], &[exact]);
            let shifted = b.bitcast(b.binary(L::LLVMFAdd, cut, magic), wide);
            b.zext_or_trunc(b.sub(shifted, magic_bits), ty)
        };
        match opcode {
            L::LLVMURem | L::LLVMSRem => b.sub(x, b.mul(quotient, y)),
            _ => quotient,
        }
    }
}
