// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Conversions of floating-point numbers to integers that saturate, and make 0 of NaN. LLVM takes vectors apart for these, since
//! CPUs have no such instruction: here numbers are clamped first, and then converted all at once.

use llvm_sys::LLVMOpcode as L;
use llvm_sys::LLVMRealPredicate as F;

use super::emit::Emit;
use crate::llvm::{Type, Value};
use crate::target::Vectors;

impl<'c> Emit<'_, 'c> {
    /// Converts a vector of float or double, of which halfs were made before. `None` where the CPU converts its lanes one by one anyway.
    pub(super) fn saturate(&self, x: Value<'c>, to: Type<'c>, signed: bool) -> Option<Value<'c>> {
        let b = &self.b;
        let bits = to.bits();
        if bits > 32 && !Vectors::of_host().converts_longs {
            return None;
        }
        let ty = x.ty();
        // The integers' range is from `least` to what comes before `end`, whose last number may not be one of this type.
        let digits = bits - u32::from(signed);
        let precision = if ty.bits() == 32 { 24 } else { 53 };
        let end = 2f64.powi(digits as i32);
        let least = if signed { -end } else { 0.0 };
        let last = end - 2f64.powi(digits.saturating_sub(precision) as i32);
        let [least, last, end] = [least, last, end].map(|number| ty.real(number));
        // Comparisons with NaN are false: it becomes the least number.
        let above = b.select(b.fcmp(F::LLVMRealOGT, x, least), x, least);
        let clamped = b.select(b.fcmp(F::LLVMRealOLT, above, last), above, last);
        // Numbers of less than 32 bits are signed ones of 32.
        let whole = to.with_scalar(self.cx.int(bits.max(32)));
        let convert = if signed || bits < 32 {
            L::LLVMFPToSI
        } else {
            L::LLVMFPToUI
        };
        let mut result = b.zext_or_trunc(b.cast(convert, clamped, whole), to);
        if digits > precision {
            let greatest = to.int(u64::MAX >> (64 - digits));
            result = b.select(b.fcmp(F::LLVMRealOGE, x, end), greatest, result);
        }
        if signed {
            result = b.select(b.fcmp(F::LLVMRealORD, x, x), result, to.zero());
        }
        Some(result)
    }
}
