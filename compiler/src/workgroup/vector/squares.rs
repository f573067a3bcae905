// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Signs of squares. `-x * x` and `(c * -x) * x` have the bits of `x * x` and `(c * x) * x` but for the sign, so the sign is
//! applied last. Kernels often call a function of `x * x` for a number and for its negation; LLVM computes it once then.

use llvm_sys::LLVMOpcode as L;

use super::emit::{Emit, Result};
use crate::llvm::Value;

/// A product that is a square, perhaps times a constant, without signs.
struct Square<'c> {
    x: Value<'c>,
    /// The product of `x` and the constant, and the constant's magnitude.
    scaled: Option<(Value<'c>, f64)>,
    is_negative: bool,
}

/// A value without its sign, and whether it had one.
fn without_sign(value: Value<'_>) -> (Value<'_>, bool) {
    match value.opcode() {
        Some(L::LLVMFNeg) => (value.operand(0), true),
        _ => (value, false),
    }
}

impl<'c> Square<'c> {
    fn of(product: Value<'c>) -> Option<Self> {
        let (first, second) = (product.operand(0), product.operand(1));
        Self::of_factors(first, second).or_else(|| Self::of_factors(second, first))
    }

    fn of_factors(first: Value<'c>, second: Value<'c>) -> Option<Self> {
        let ((x, first_sign), (y, second_sign)) = (without_sign(first), without_sign(second));
        if x == y {
            return Some(Self {
                x,
                scaled: None,
                is_negative: first_sign != second_sign,
            });
        }
        // If the scaled number is needed in any case, this would be a product more.
        if x.opcode() != Some(L::LLVMFMul) || x.users().len() != 1 {
            return None;
        }
        let (a, c) = (x.operand(0), x.operand(1));
        let c = c.as_const_real().filter(|c| !c.is_nan())?;
        let (a, sign) = without_sign(a);
        (a == y).then_some(Self {
            x: y,
            scaled: Some((x, c.abs())),
            is_negative: c.is_sign_negative() ^ sign ^ first_sign ^ second_sign,
        })
    }
}

impl<'c> Emit<'_, 'c> {
    /// Emits a product that is a square with a sign somewhere.
    pub(super) fn signed_square(&mut self, product: Value<'c>) -> Result<Option<Value<'c>>> {
        let Some(square) = Square::of(product).filter(|square| square.is_negative) else {
            return Ok(None);
        };
        let x = self.vector(square.x)?;
        let factor = match square.scaled {
            None => x,
            Some((scaled, c)) => {
                let factor = self.b.fmul(x, x.ty().real(c));
                self.b.fast_math(factor, scaled.get_fast_math())
            }
        };
        let positive = self.b.fmul(factor, x);
        let positive = self.b.fast_math(positive, product.get_fast_math());
        Ok(Some(self.b.fneg(positive)))
    }
}
