// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Math functions: OpenCL C 3.0, section 6.15.2, with their `half_` and `native_` forms.
//!
//! Functions with an LLVM intrinsic use that. Functions that move or test bits are composed here. All others are calls of
//! [`libcalls`]'s functions; each target defines the frequent ones of float inline ([`elementary`]).

use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMRealPredicate::*;
use spirv::OpenclStd100Op as Op;

use super::fma::fma;
use super::{Emit, check, elementary, libcalls};
use crate::Error;
use crate::fast_math::flag;
use crate::llvm::{Type, Value};
use crate::target::Math;

pub fn emit<'c>(e: &Emit<'_, 'c>, op: Op, ty: Type<'c>, args: &[Value<'c>]) -> Result<Value<'c>, Error> {
    let b = e.builder;
    let x = args[0];
    let y = args.get(1).copied().unwrap_or(x);
    Ok(match op {
        Op::ceil => e.intrinsic("llvm.ceil", args),
        Op::floor => e.intrinsic("llvm.floor", args),
        Op::rint => e.intrinsic(nearest_even(ty), args),
        Op::round => e.intrinsic("llvm.round", args),
        Op::trunc => e.intrinsic("llvm.trunc", args),
        Op::fabs => e.intrinsic("llvm.fabs", args),
        Op::copysign => e.intrinsic("llvm.copysign", args),
        // If one operand is NaN, the result is the other one.
        Op::fmax => e.intrinsic("llvm.maxnum", args),
        Op::fmin => e.intrinsic("llvm.minnum", args),
        Op::fmod => e.fast(b.frem(x, y)),
        Op::mad => e.intrinsic("llvm.fmuladd", args),
        Op::fma => e.fast(fma(e.module, b, e.fuses_halfs, [x, y, args[2]])),
        Op::sqrt | Op::half_sqrt | Op::native_sqrt => e.intrinsic("llvm.sqrt", args),
        Op::rsqrt | Op::half_rsqrt | Op::native_rsqrt if ty.bits() == 64 => {
            e.fast(b.fdiv(ty.real(1.0), e.intrinsic("llvm.sqrt", args)))
        }
        Op::rsqrt | Op::half_rsqrt | Op::native_rsqrt => call(e, Op::rsqrt, ty, args),
        Op::half_divide | Op::native_divide => e.fast(b.fdiv(x, y)),
        Op::half_recip | Op::native_recip => e.fast(b.fdiv(ty.real(1.0), x)),

        Op::fdim => {
            let difference = e.fast(b.fsub(x, y));
            b.select(b.fcmp(LLVMRealOLE, x, y), ty.real(0.0), difference)
        }
        Op::maxmag => magnitude(e, "llvm.maxnum", LLVMRealOGT, x, y),
        Op::minmag => magnitude(e, "llvm.minnum", LLVMRealOLT, x, y),
        Op::fract => {
            let (fraction, floor) = fract(e, ty, x);
            e.store(floor, y);
            fraction
        }
        Op::modf => {
            let whole = e.intrinsic("llvm.trunc", &[x]);
            e.store(whole, y);
            // The fraction of infinity is 0, but the difference would be NaN.
            let infinite = b.fcmp(LLVMRealOEQ, e.intrinsic("llvm.fabs", &[x]), ty.real(f64::INFINITY));
            let fraction = b.select(infinite, ty.real(0.0), b.fsub(x, whole));
            e.intrinsic("llvm.copysign", &[fraction, x])
        }
        Op::frexp => {
            let (fraction, exponent) = frexp(e, ty, x);
            e.store(exponent, y);
            fraction
        }
        Op::ldexp => ldexp(e, ty, x, y),
        Op::ilogb => ilogb(e, x),
        Op::logb => logb(e, ty, x),
        Op::nan => {
            let bits = e.bits_of(ty);
            let (fraction, exponent, _) = layout(ty);
            let payload = b.and(x, bits.int((1 << fraction) - 1));
            b.bitcast(b.or(payload, bits.int((exponent << 1 | 1) << (fraction - 1))), ty)
        }
        Op::nextafter => nextafter(e, ty, x, y),

        Op::sincos => {
            e.store(call(e, Op::cos, ty, &[x]), y);
            call(e, Op::sin, ty, &[x])
        }
        Op::lgamma_r => {
            e.store(gamma_sign(e, ty, x), y);
            call(e, Op::lgamma, ty, &[x])
        }
        Op::remquo => {
            e.store(quotient(e, ty, x, y), args[2]);
            call(e, Op::remainder, ty, &[x, y])
        }
        Op::asinpi => over_pi(e, Op::asin, ty, args),
        Op::acospi => over_pi(e, Op::acos, ty, args),
        Op::atanpi => over_pi(e, Op::atan, ty, args),
        Op::atan2pi => over_pi(e, Op::atan2, ty, args),
        Op::pown => {
            // A float cannot represent every i32 exponent exactly, nor its parity.
            let wide = e.float_like(ty, 64);
            b.fpcast(pow(e, wide, b.fpcast(x, wide), e.signed_to_float(y, wide)), ty)
        }
        Op::powr | Op::half_powr => powr(e, ty, x, y),
        Op::pow | Op::native_powr => pow(e, ty, x, y),
        Op::half_cos | Op::native_cos => call(e, Op::cos, ty, args),
        Op::half_exp | Op::native_exp => call(e, Op::exp, ty, args),
        Op::half_exp2 | Op::native_exp2 => call(e, Op::exp2, ty, args),
        Op::half_exp10 | Op::native_exp10 => call(e, Op::exp10, ty, args),
        Op::half_log | Op::native_log => call(e, Op::log, ty, args),
        Op::half_log2 | Op::native_log2 => call(e, Op::log2, ty, args),
        Op::half_log10 | Op::native_log10 => call(e, Op::log10, ty, args),
        Op::cbrt if ty.bits() < 64 => in_float(e, ty, args, |ty, args| elementary::cbrt(e, ty, args[0])),
        Op::half_sin | Op::native_sin => call(e, Op::sin, ty, args),
        Op::half_tan | Op::native_tan => call(e, Op::tan, ty, args),
        _ if libcalls::callee(op, 32).is_some() => call(e, op, ty, args),
        _ => return Err(check::invalid("unknown")),
    })
}

/// The number of fraction bits, the largest biased exponent, and the exponent bias.
fn layout(ty: Type<'_>) -> (u64, u64, u64) {
    match ty.bits() {
        16 => (10, 0x1F, 15),
        32 => (23, 0xFF, 127),
        _ => (52, 0x7FF, 1023),
    }
}

/// The intrinsic that rounds to the nearest integer, halves to even. Kernels run in that rounding mode, so `llvm.rint` does it as
/// well, and LLVM merges it with a conversion to integers that follows. LLVM 22 does so wrongly for half on CPUs with AVX512-FP16, by an
/// instruction that truncates (`vcvttsh2si`), and for float on CPUs without AVX: it has `cvtps2dq` read memory that is not aligned.
pub fn nearest_even(ty: Type<'_>) -> &'static str {
    match ty.bits() {
        16 => "llvm.roundeven",
        32 if Math::of_host().aligns_rint => "llvm.roundeven",
        _ => "llvm.rint",
    }
}

/// Computes a function of half as a function of float and rounds the result. Other types pass unchanged.
fn in_float<'c>(
    e: &Emit<'_, 'c>,
    ty: Type<'c>,
    args: &[Value<'c>],
    f: impl Fn(Type<'c>, &[Value<'c>]) -> Value<'c>,
) -> Value<'c> {
    if ty.bits() != 16 {
        return f(ty, args);
    }
    let wide = e.float_like(ty, 32);
    let widened: Vec<_> = args
        .iter()
        .map(|&a| if a.ty() == ty { e.builder.fpcast(a, wide) } else { a })
        .collect();
    e.builder.fpcast(f(wide, &widened), ty)
}

/// Calls the library function of an instruction for each element.
fn call<'c>(e: &Emit<'_, 'c>, op: Op, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    in_float(e, ty, args, |ty, args| call_elements(e, op, ty.bits(), ty, args))
}

fn call_elements<'c>(e: &Emit<'_, 'c>, op: Op, bits: u32, result: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    let callee = libcalls::callee(op, bits).expect("an instruction of the table");
    let function = callee.declare(e.context, e.module);
    // LLVM knows many of these names. It would compute functions of constants by the C library's scalar ones, in the best code
    // alone, which finds more constants than quick code: results would differ between the tiers.
    let is_exact = e.fast_math & flag::APPROXIMATE == 0;
    e.each_lane(result, args, |args| {
        let called = e.fast(e.builder.call(function, args));
        if is_exact {
            called.call_attribute("nobuiltin")
        } else {
            called
        }
    })
}

/// `pow`. Squares are frequent, and a product is exact enough for them.
fn pow<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>, y: Value<'c>) -> Value<'c> {
    if y == ty.real(2.0) {
        return e.builder.fmul(x, x);
    }
    call(e, Op::pow, ty, &[x, y])
}

/// The quotient of `remquo`.
fn quotient<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>, y: Value<'c>) -> Value<'c> {
    let wide = e.float_like(ty, ty.bits().max(32));
    let args = [x, y].map(|v| e.builder.fpcast(v, wide));
    call_elements(e, Op::remquo, wide.bits(), ty.with_scalar(e.context.int(32)), &args)
}

/// An inverse trigonometric function in units of pi, computed in the next wider type if there is one.
fn over_pi<'c>(e: &Emit<'_, 'c>, op: Op, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    let b = e.builder;
    let wide = e.float_like(ty, (ty.bits() * 2).min(64));
    let args: Vec<_> = args.iter().map(|&a| b.fpcast(a, wide)).collect();
    let angle = call(e, op, wide, &args);
    b.fpcast(e.fast(b.fdiv(angle, wide.real(std::f64::consts::PI))), ty)
}

/// `maxmag` or `minmag`: the operand of larger or smaller magnitude. `otherwise` is the intrinsic for equal magnitudes.
fn magnitude<'c>(
    e: &Emit<'_, 'c>,
    otherwise: &str,
    better: llvm_sys::LLVMRealPredicate,
    x: Value<'c>,
    y: Value<'c>,
) -> Value<'c> {
    let b = e.builder;
    let [x_size, y_size] = [x, y].map(|v| e.intrinsic("llvm.fabs", &[v]));
    let tie = e.intrinsic(otherwise, &[x, y]);
    b.select(
        b.fcmp(better, x_size, y_size),
        x,
        b.select(b.fcmp(better, y_size, x_size), y, tie),
    )
}

/// `fract`: the fraction and the floor. The fraction is always less than 1. For an `x` of 0 or infinity it is a zero with
/// the sign of `x`.
fn fract<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>) -> (Value<'c>, Value<'c>) {
    let b = e.builder;
    let floor = e.intrinsic("llvm.floor", &[x]);
    let (fraction_bits, _, bias) = layout(ty);
    let below_one = b.bitcast(e.bits_of(ty).int((bias << fraction_bits) - 1), ty);
    let fraction = b.fsub(x, floor);
    let fraction = b.select(b.fcmp(LLVMRealOGT, fraction, below_one), below_one, fraction);
    let infinite = b.fcmp(LLVMRealOEQ, e.intrinsic("llvm.fabs", &[x]), ty.real(f64::INFINITY));
    let zero = b.fcmp(LLVMRealOEQ, x, ty.real(0.0));
    let signed_zero = e.intrinsic("llvm.copysign", &[ty.real(0.0), x]);
    (b.select(b.or(infinite, zero), signed_zero, fraction), floor)
}

/// `frexp`: a fraction in [1/2, 1) and an i32 exponent. For 0, infinity and NaN they are the number itself and 0.
fn frexp<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>) -> (Value<'c>, Value<'c>) {
    let b = e.builder;
    if ty.bits() == 16 {
        let wide = e.float_like(ty, 32);
        let (fraction, exponent) = frexp(e, wide, b.fpcast(x, wide));
        return (b.fpcast(fraction, ty), exponent);
    }
    let bits = e.bits_of(ty);
    let (fraction_bits, exponent_max, bias) = layout(ty);
    let magnitude_mask = bits.int((1 << (ty.bits() - 1)) - 1);
    let magnitude = b.and(b.bitcast(x, bits), magnitude_mask);
    // A multiplication makes denormal numbers normal.
    let lift = fraction_bits + 1;
    let denormal = b.icmp(LLVMIntULT, magnitude, bits.int(1 << fraction_bits));
    let normal = b.select(denormal, b.fmul(x, ty.real(2f64.powi(lift as i32))), x);
    let normal = b.bitcast(normal, bits);
    let exponent = b.lshr(b.and(normal, magnitude_mask), bits.int(fraction_bits));
    let base = b.select(denormal, bits.int(bias - 1 + lift), bits.int(bias - 1));
    let exponent = b.zext_or_trunc(b.sub(exponent, base), ty.with_scalar(e.context.int(32)));
    let without_exponent = b.and(normal, bits.int(!(exponent_max << fraction_bits)));
    let fraction = b.bitcast(b.or(without_exponent, bits.int((bias - 1) << fraction_bits)), ty);
    let special = b.or(
        b.icmp(LLVMIntEQ, magnitude, bits.zero()),
        b.icmp(LLVMIntUGE, magnitude, bits.int(exponent_max << fraction_bits)),
    );
    (
        b.select(special, x, fraction),
        b.select(special, exponent.ty().zero(), exponent),
    )
}

/// 2^k, for an i32 `k` in the exponent range of normal numbers.
fn two_to<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, k: Value<'c>) -> Value<'c> {
    let b = e.builder;
    let bits = e.bits_of(ty);
    let (fraction_bits, _, bias) = layout(ty);
    let biased = b.zext_or_trunc(b.add(k, k.ty().int(bias)), bits);
    b.bitcast(b.shl(biased, bits.int(fraction_bits)), ty)
}

/// `x 2^k`, rounded once.
fn ldexp<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>, k: Value<'c>) -> Value<'c> {
    let b = e.builder;
    let clamp = |k, low: i64, high: i64| {
        let above = e.intrinsic("llvm.smax", &[k, k.ty().int(low as u64)]);
        e.intrinsic("llvm.smin", &[above, k.ty().int(high as u64)])
    };
    if ty.bits() < 64 {
        // The next wider type represents each product exactly, unless it rounds to 0 or infinity in the narrow type.
        let wide = e.float_like(ty, ty.bits() * 2);
        let limit = if ty.bits() == 16 { 50 } else { 300 };
        let factor = two_to(e, wide, clamp(k, -limit, limit));
        return b.fpcast(b.fmul(b.fpcast(x, wide), factor), ty);
    }
    // At most three steps. The first two must be exact so that only the last one rounds. Steps down are by 2^-968 instead of
    // 2^-1022: an intermediate result can then be denormal only if the final result is 0.
    let (mut x, mut k) = (x, k);
    for _ in 0..2 {
        let down = b.icmp(LLVMIntSLT, k, k.ty().int(-1022i64 as u64));
        let up = b.icmp(LLVMIntSGT, k, k.ty().int(1023));
        let pick = |on_down: i32, on_up: i32| {
            let step = |n: i32| k.ty().int(i64::from(n) as u64);
            b.select(down, step(on_down), b.select(up, step(on_up), k.ty().zero()))
        };
        let step = pick(-968, 1023);
        x = b.fmul(x, two_to(e, ty, step));
        k = b.sub(k, step);
    }
    b.fmul(x, two_to(e, ty, clamp(k, -1022, 1023)))
}

/// The exponent of a number as an i32 in the number's shape, and the bits of its magnitude. The exponent is meaningless for
/// 0, infinity and NaN.
fn exponent<'c>(e: &Emit<'_, 'c>, x: Value<'c>) -> (Value<'c>, Value<'c>) {
    let b = e.builder;
    let bits = e.bits_of(x.ty());
    let (fraction_bits, _, bias) = layout(x.ty());
    let magnitude = b.and(b.bitcast(x, bits), bits.int((1 << (bits.bits() - 1)) - 1));
    let normal = b.sub(b.lshr(magnitude, bits.int(fraction_bits)), bits.int(bias));
    // A denormal number is its fraction bits, as an integer, times 2^(1 - bias - fraction_bits).
    let top = u64::from(bits.bits() - 1).wrapping_sub(bias - 1 + fraction_bits);
    let denormal = b.sub(bits.int(top), e.intrinsic_flag("llvm.ctlz", magnitude, false));
    let is_denormal = b.icmp(LLVMIntULT, magnitude, bits.int(1 << fraction_bits));
    let exponent = b.select(is_denormal, denormal, normal);
    (
        b.sext_or_trunc(exponent, bits.with_scalar(e.context.int(32))),
        magnitude,
    )
}

/// `ilogb`: the exponent as an integer. The special results are `FP_ILOGB0` and `FP_ILOGBNAN` of OpenCL C's headers.
fn ilogb<'c>(e: &Emit<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let b = e.builder;
    let (fraction_bits, exponent_max, _) = layout(x.ty());
    let (exponent, magnitude) = exponent(e, x);
    let zero = b.icmp(LLVMIntEQ, magnitude, magnitude.ty().zero());
    let special = b.icmp(LLVMIntUGE, magnitude, magnitude.ty().int(exponent_max << fraction_bits));
    let ty = exponent.ty();
    b.select(
        zero,
        ty.int(i32::MIN as u32 as u64),
        b.select(special, ty.int(i32::MAX as u64), exponent),
    )
}

/// `logb`: the exponent as a floating-point number.
fn logb<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    let b = e.builder;
    let (fraction_bits, exponent_max, _) = layout(ty);
    let (exponent, magnitude) = exponent(e, x);
    let zero = b.icmp(LLVMIntEQ, magnitude, magnitude.ty().zero());
    let special = b.icmp(LLVMIntUGE, magnitude, magnitude.ty().int(exponent_max << fraction_bits));
    // Positive infinity for both infinities, and NaN for NaN.
    let special_value = b.bitcast(magnitude, ty);
    let number = e.signed_to_float(exponent, ty);
    b.select(
        zero,
        ty.real(f64::NEG_INFINITY),
        b.select(special, special_value, number),
    )
}

/// The next number from `x` towards `y`. The bits of numbers of the same sign have the order of their magnitudes.
fn nextafter<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>, y: Value<'c>) -> Value<'c> {
    let b = e.builder;
    let bits = e.bits_of(ty);
    let (x_bits, y_bits) = (b.bitcast(x, bits), b.bitcast(y, bits));
    let positive = b.icmp(LLVMIntSGE, x_bits, bits.zero());
    let up = b.fcmp(LLVMRealOLT, x, y);
    let away = b.icmp(LLVMIntEQ, up, positive);
    let next = b.add(x_bits, b.select(away, bits.int(1), bits.ones()));
    // Next to 0 is the smallest denormal number with the sign of `y`.
    let sign = b.and(y_bits, bits.int(1 << (bits.bits() - 1)));
    let next = b.select(b.fcmp(LLVMRealOEQ, x, ty.real(0.0)), b.or(sign, bits.int(1)), next);
    let next = b.select(b.fcmp(LLVMRealOEQ, x, y), y_bits, next);
    b.select(b.fcmp(LLVMRealUNO, x, y), b.fadd(x, y), b.bitcast(next, ty))
}

/// `powr`: `pow` of a non-negative base. Section 7.5.1 requires NaN in more cases than C does for `pow`, and ignores the
/// sign of a zero base.
fn powr<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>, y: Value<'c>) -> Value<'c> {
    let b = e.builder;
    let size = e.intrinsic("llvm.fabs", &[x]);
    let power = pow(e, ty, size, y);
    let (zero, one, infinity) = (ty.real(0.0), ty.real(1.0), ty.real(f64::INFINITY));
    let equal = |a, c| b.fcmp(LLVMRealOEQ, a, c);
    let zero_or_infinite = b.or(equal(size, zero), equal(size, infinity));
    let to_zero = b.and(equal(y, zero), zero_or_infinite);
    let one_to_infinity = b.and(equal(x, one), equal(e.intrinsic("llvm.fabs", &[y]), infinity));
    let negative_or_nan = b.or(b.fcmp(LLVMRealOLT, x, zero), b.fcmp(LLVMRealUNO, x, y));
    b.select(
        b.or(negative_or_nan, b.or(to_zero, one_to_infinity)),
        ty.real(f64::NAN),
        power,
    )
}

/// The sign of the gamma function, 0 at its poles, for `lgamma_r`.
fn gamma_sign<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    let b = e.builder;
    let int = ty.with_scalar(e.context.int(32));
    let zero = ty.real(0.0);
    let floor = e.intrinsic("llvm.floor", &[x]);
    let half = b.fmul(floor, ty.real(0.5));
    let odd = b.fcmp(LLVMRealONE, half, e.intrinsic("llvm.floor", &[half]));
    let pole = b.and(b.fcmp(LLVMRealOLE, x, zero), b.fcmp(LLVMRealOEQ, x, floor));
    let finite_pole = b.and(pole, b.fcmp(LLVMRealONE, x, ty.real(f64::NEG_INFINITY)));
    let negative = b.and(b.fcmp(LLVMRealOLT, x, zero), odd);
    b.select(finite_pole, int.zero(), b.select(negative, int.ones(), int.int(1)))
}
