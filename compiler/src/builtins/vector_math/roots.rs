// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `rsqrt` of float, with an error of 1.04 ulp at most from an approximation. OpenCL allows 2.

use llvm_sys::LLVMRealPredicate::LLVMRealOLT;

use super::Place;
use crate::llvm::{Type, Value};
use crate::target::Math;

/// A step of Newton's method from the CPU's approximation, if that has 14 bits, in a third of the time that a square root and a
/// division take. One of 12 bits, as older CPUs have, would need a second step.
pub fn rsqrt<'c>(place: &Place<'_, 'c>, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    let (b, x) = (place.e.builder, args[0]);
    if !Math::of_host().estimates_roots {
        return b.fdiv(ty.real(1.0), place.e.intrinsic("llvm.sqrt", args));
    }
    let estimate = place.approximate_rsqrt(x);
    // The error of the estimate, 1 - x y^2. The rounding error of x y makes up to half an ulp of the result.
    let product = b.fmul(x, estimate);
    let error = place.fma(b.fneg(product), estimate, ty.real(1.0));
    // For zeros and infinity the estimate is the result, and the error is NaN. Any positive number in its place leaves the estimate
    // as it is. This is one instruction.
    let more = ty.real(2f64.powi(-10));
    let error = b.select(b.fcmp(LLVMRealOLT, error, more), error, more);
    let half = b.fmul(estimate, ty.real(0.5));
    // y + y e / 2 + 3 y e^2 / 8; the last part is less than a tenth of an ulp.
    place.fma(half, error, estimate)
}
