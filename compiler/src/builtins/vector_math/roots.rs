// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `rsqrt` of float, with an error below one ulp.

use llvm_sys::LLVMRealPredicate::LLVMRealUNO;

use super::Place;
use crate::CpuLevel;
use crate::llvm::{Type, Value};

/// With AVX-512 a step of Newton's method from the CPU's approximation, which has 14 bits, in a third of the time that a square
/// root and a division take. AVX2's has 12 bits and would need a second step.
pub fn rsqrt<'c>(place: &Place<'_, 'c>, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    let (b, x) = (place.e.builder, args[0]);
    if CpuLevel::current() < CpuLevel::V4 {
        return b.fdiv(ty.real(1.0), place.e.intrinsic("llvm.sqrt", args));
    }
    let estimate = place.approximate_rsqrt(x);
    // The error of the estimate, 1 - x y^2, with the rounding error of x y.
    let product = b.fmul(x, estimate);
    let low = place.fma(x, estimate, b.fneg(product));
    let error = place.fma(b.fneg(product), estimate, ty.real(1.0));
    let error = place.fma(b.fneg(low), estimate, error);
    let half = b.fmul(estimate, ty.real(0.5));
    // y + y e / 2 + 3 y e^2 / 8; the last part is less than a tenth of an ulp.
    let root = place.fma(half, error, estimate);
    // For zeros, infinity, NaN and negative numbers the estimate is the result, and the step gives NaN.
    b.select(b.fcmp(LLVMRealUNO, root, root), estimate, root)
}
