// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Division of integers in all lanes. The CPU has none for vectors, but one for floating-point numbers, whose result, cut off
//! behind the point, is right as long as the numbers and the quotient have no more digits than they.
//!
//! Why: let `x = q * y + r`. The nearest number to `x / y` would be `q + 1` only if `1 / y`, the least that is lacking,
//! were within half a unit in the last place of `q + 1`; with `p` digits, if `(q + 1) * y` were above `2^p`. But that is no
//! more than `x + y`.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;

use super::emit::{Emit, Result};
use crate::llvm::{Type, Value};

/// 1.5 * 2^52: a number below 2^51, of either sign, that is added to it is in the low bits of the result.
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
        // Small numbers only: mostly they are.
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
        // A loop, since it is rare, and short code is quickly compiled.
        let slow = self.each_lane(Some(ty.scalar()), |emit, lane| {
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
