// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Geometric functions: OpenCL C 3.0, section 6.15.5.
//!
//! A length must not overflow or underflow where its square does. So squares are summed in the next wider type, which has
//! more than twice the exponent range. Vectors of double are scaled by a power of two instead.

use llvm_sys::LLVMRealPredicate::*;
use spirv::OpenclStd100Op as Op;

use super::{Emit, check};
use crate::Error;
use crate::llvm::{Type, Value};

pub fn emit<'c>(e: &Emit<'_, 'c>, op: Op, ty: Type<'c>, args: &[Value<'c>]) -> Result<Value<'c>, Error> {
    let x = args[0];
    let y = args.get(1).copied().unwrap_or(x);
    Ok(match op {
        Op::cross => cross(e, ty, x, y),
        Op::length => length(e, ty, x),
        Op::distance => distance(e, ty, x, y),
        Op::normalize => normalize(e, ty, x),
        // The fast functions may overflow where squares do, but for half that is too early (at 256).
        Op::fast_length if ty.bits() == 16 => length(e, ty, x),
        Op::fast_distance if ty.bits() == 16 => distance(e, ty, x, y),
        Op::fast_normalize if ty.bits() == 16 => normalize(e, ty, x),
        Op::fast_length => fast_length(e, x),
        Op::fast_distance => fast_length(e, e.fast(e.builder.fsub(x, y))),
        Op::fast_normalize => fast_normalize(e, ty, x),
        _ => return Err(check::invalid("unknown")),
    })
}

fn cross<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>, y: Value<'c>) -> Value<'c> {
    let b = e.builder;
    let lanes = ty.lanes().unwrap_or(3);
    // Rotates the first three elements. The fourth one stays; its result is replaced below.
    let turn = |v, by: u32| {
        b.shuffle(
            v,
            v,
            &(0..lanes)
                .map(|i| if i < 3 { (i + by) % 3 } else { i })
                .collect::<Vec<_>>(),
        )
    };
    let left = e.fast(b.fmul(turn(x, 1), turn(y, 2)));
    let right = e.fast(b.fmul(turn(x, 2), turn(y, 1)));
    let result = e.fast(b.fsub(left, right));
    match lanes {
        4 => b.insert_element(result, ty.scalar().real(0.0), e.context.int(32).int(3)),
        _ => result,
    }
}

/// The sum of the squares of the elements.
fn squares<'c>(e: &Emit<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = e.builder;
    let products = e.fast(b.fmul(x, x));
    (1..x.ty().lanes().unwrap_or(1)).fold(e.lane(products, 0), |sum, i| e.fast(b.fadd(sum, e.lane(products, i))))
}

/// The largest magnitude of the elements.
fn largest<'c>(e: &Emit<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let magnitudes = e.intrinsic("llvm.fabs", &[x]);
    (1..x.ty().lanes().unwrap_or(1)).fold(e.lane(magnitudes, 0), |max, i| {
        e.intrinsic("llvm.maxnum", &[max, e.lane(magnitudes, i)])
    })
}

/// Converts or scales a vector so that its squares can be summed. Returns the vector, and the factor that undoes the scale
/// in its length.
fn prepare_squares<'c>(e: &Emit<'_, 'c>, x: Value<'c>) -> (Value<'c>, Option<Value<'c>>) {
    let b = e.builder;
    let ty = x.ty();
    if ty.bits() < 64 {
        return (b.fpcast(x, e.float_like(ty, ty.bits() * 2)), None);
    }
    let scalar = ty.scalar();
    let two_to = |n: i32| scalar.real(2f64.powi(n));
    let largest = largest(e, x);
    let big = b.fcmp(LLVMRealOGT, largest, two_to(500));
    let small = b.fcmp(LLVMRealOLT, largest, two_to(-450));
    let choose =
        |on_big, on_small, else_| b.select(big, two_to(on_big), b.select(small, two_to(on_small), two_to(else_)));
    let scaled = b.fmul(x, e.splat(choose(-600, 600, 0), ty));
    (scaled, Some(choose(600, -600, 0)))
}

fn length<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    if x.ty().lanes().is_none() {
        return e.intrinsic("llvm.fabs", &[x]);
    }
    let b = e.builder;
    let (x, scale) = prepare_squares(e, x);
    let root = e.intrinsic("llvm.sqrt", &[squares(e, x)]);
    b.fpcast(scale.map_or(root, |scale| b.fmul(root, scale)), ty)
}

fn distance<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>, y: Value<'c>) -> Value<'c> {
    let b = e.builder;
    // In the narrow type the difference might overflow or lose digits.
    let wide = e.float_like(x.ty(), (ty.bits() * 2).min(64));
    let difference = e.fast(b.fsub(b.fpcast(x, wide), b.fpcast(y, wide)));
    if ty.bits() == 64 || x.ty().lanes().is_none() {
        return b.fpcast(length(e, wide.scalar(), difference), ty);
    }
    b.fpcast(e.intrinsic("llvm.sqrt", &[squares(e, difference)]), ty)
}

fn normalize<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    let b = e.builder;
    // If some elements are infinite, they count as 1 and all finite elements as 0.
    let infinite = b.fcmp(LLVMRealOEQ, e.intrinsic("llvm.fabs", &[x]), ty.real(f64::INFINITY));
    let direction = e.intrinsic("llvm.copysign", &[b.select(infinite, ty.real(1.0), ty.real(0.0)), x]);
    let any = b.fcmp(LLVMRealOEQ, largest(e, x), ty.scalar().real(f64::INFINITY));
    // NaN elements stay, so that the result is NaN.
    let ordered = b.fcmp(LLVMRealORD, x, x);
    let x = b.select(b.and(e.splat(any, ty), ordered), direction, x);
    let (scaled, scale) = prepare_squares(e, x);
    let squares = squares(e, scaled);
    let root = e.splat(e.intrinsic("llvm.sqrt", &[squares]), ty);
    let result = match scale {
        None => b.fpcast(e.fast(b.fdiv(scaled, root)), ty),
        Some(scale) => {
            // Scaling down might make small elements denormal and lose digits, so the quotient is scaled instead.
            let (one, down) = (scale.ty().real(1.0), scale.ty().real(2f64.powi(-600)));
            let is_big = b.fcmp(LLVMRealOGT, scale, one);
            let dividend = b.select(is_big, x, scaled);
            let quotient = e.fast(b.fdiv(dividend, root));
            e.fast(b.fmul(quotient, e.splat(b.select(is_big, down, one), ty)))
        }
    };
    // The zero vector has no direction: the result is the vector itself.
    let zero = b.fcmp(LLVMRealOEQ, squares, squares.ty().real(0.0));
    b.select(zero, x, result)
}

fn fast_length<'c>(e: &Emit<'_, 'c>, x: Value<'c>) -> Value<'c> {
    if x.ty().lanes().is_none() {
        return e.intrinsic("llvm.fabs", &[x]);
    }
    e.intrinsic("llvm.sqrt", &[squares(e, x)])
}

fn fast_normalize<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    let b = e.builder;
    let squares = squares(e, x);
    let scale = e.fast(b.fdiv(ty.scalar().real(1.0), e.intrinsic("llvm.sqrt", &[squares])));
    let result = e.fast(b.fmul(x, e.splat(scale, ty)));
    b.select(b.fcmp(LLVMRealOEQ, squares, ty.scalar().real(0.0)), x, result)
}
