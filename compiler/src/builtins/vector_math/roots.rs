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
    let estimate = approximation(place, x);
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

/// The CPU's approximation, in as few instructions as the lanes need.
fn approximation<'c>(place: &Place<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let (b, context) = (place.e.builder, place.e.context);
    let ty = x.ty();
    let lanes = ty.lanes().unwrap_or(1);
    let float = ty.scalar();
    if lanes > 16 {
        let halves = [0, lanes / 2].map(|start| {
            let pattern: Vec<u32> = (start..start + lanes / 2).collect();
            approximation(place, b.shuffle(x, ty.poison(), &pattern))
        });
        return b.shuffle(halves[0], halves[1], &(0..lanes).collect::<Vec<_>>());
    }
    let width = lanes.next_power_of_two().max(4);
    let wide = float.vector(width);
    let indices: Vec<u32> = (0..width).map(|i| i.min(lanes - 1)).collect();
    let padded = match ty.lanes() {
        None => b.splat(x, width),
        Some(_) if lanes == width => x,
        Some(_) => b.shuffle(x, ty.poison(), &indices),
    };
    let mask = context.int(width.max(8));
    let name = format!("llvm.x86.avx512.rsqrt14.ps.{}", width * 32);
    let function = place.e.module.declare(&name, wide.function(&[wide, wide, mask]));
    let all = b.call(function, &[padded, wide.zero(), mask.ones()]);
    match ty.lanes() {
        None => b.extract_element(all, context.int(32).zero()),
        Some(_) if lanes == width => all,
        Some(_) => b.shuffle(all, wide.poison(), &(0..lanes).collect::<Vec<_>>()),
    }
}
