// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `pow`, with errors of one ulp at most for float and little more for double.
//!
//! The base is `2^k m`, where `m` is in an interval around 1/c, and `log(x) = k log(2) - log(c) + log(m c)`. Two numbers hold the
//! logarithm, so that its product with `y` is precise enough even where it is large.

use llvm_sys::LLVMIntPredicate::{LLVMIntSLT, LLVMIntULT};
use llvm_sys::LLVMRealPredicate::{LLVMRealOEQ, LLVMRealOLT};

use super::power_constants::{Constants, DOUBLE, FLOAT};
use super::{Place, Slow, power_in_double};
use spirv::OpenclStd100Op as Op;

use crate::builtins::elementary::round_of;
use crate::llvm::{Type, Value};
use crate::target::{Math, VectorFunction, math};

/// `pow` of float. Without tables in registers, double is faster.
pub fn pow_of_float<'c>(place: &Place<'_, 'c>, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    if !Math::of_host().permutes_tables {
        return power_in_double::pow(place, ty, args);
    }
    pow(place, ty, args, &FLOAT, Slow::Body("powf", power_in_double::pow))
}

/// `pow` of double.
pub fn pow_of_double<'c>(place: &Place<'_, 'c>, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    pow(place, ty, args, &DOUBLE, Slow::Body("pow", other_pow_of_double))
}

fn pow<'c>(place: &Place<'_, 'c>, ty: Type<'c>, args: &[Value<'c>], constants: &Constants, slow: Slow) -> Value<'c> {
    let (e, b, x, y) = (&place.e, place.e.builder, args[0], args[1]);
    let bits = e.bits_of(ty);
    let size = b.bitcast(e.intrinsic("llvm.fabs", &[x]), bits);
    let (power, log) = power_of_positive(place, ty, size, y, constants);

    // The power is a normal number then, and `y` is finite.
    let log_size = e.intrinsic("llvm.fabs", &[log]);
    let in_range = b.fcmp(LLVMRealOLT, log_size, ty.real(constants.limit));
    let least = 1 << constants.fraction;
    let above = b.sub(size, bits.int(least));
    let infinity = (1 << (ty.bits() - 1)) - least;
    let is_normal = b.icmp(LLVMIntULT, above, bits.int(infinity - least));
    let rare = b.not(b.and(is_normal, in_range));

    let is_negative = b.icmp(LLVMIntSLT, b.bitcast(x, bits), bits.zero());
    let power = place.where_any(is_negative, power, || {
        let [is_integer, is_even] = [y, b.fmul(y, ty.real(0.5))].map(|v| {
            let nearest = e.intrinsic("llvm.rint", &[v]);
            b.fcmp(LLVMRealOEQ, nearest, v)
        });
        let is_odd = b.and(is_integer, b.not(is_even));
        let power = b.select(b.and(is_negative, is_odd), b.fneg(power), power);
        b.select(b.and(is_negative, b.not(is_integer)), ty.real(f64::NAN), power)
    });
    place.unless_rare(rare, args, slow, power)
}

/// The power of a normal number with these bits, and its logarithm.
fn power_of_positive<'c>(
    place: &Place<'_, 'c>,
    ty: Type<'c>,
    x: Value<'c>,
    y: Value<'c>,
    constants: &Constants,
) -> (Value<'c>, Value<'c>) {
    let (b, bits) = (place.e.builder, x.ty());
    let real = |c| ty.real(c);
    let fraction = bits.int(constants.fraction);
    let above = b.sub(x, bits.int(constants.lowest));
    let k = exponent(place, ty, above, constants.fraction);
    let exponent_mask = bits.int(u64::MAX << constants.fraction);
    let mantissa = b.bitcast(b.sub(x, b.and(above, exponent_mask)), ty);
    let interval = b.lshr(above, bits.int(constants.below_interval));
    let columns = [constants.reciprocal, constants.log_high, constants.log_low];
    let [reciprocal, log_high, log_low] = place.look_up(ty, columns, "pow", interval);

    // Exact, as is `large`.
    let r = place.fma(mantissa, reciprocal, real(-1.0));
    let large = place.fma(k, real(constants.log_2[0]), log_high);
    let small = place.fma(k, real(constants.log_2[1]), log_low);
    let square = b.fmul(r, r);
    let p = place.short_polynomial(r, square, constants.log);
    // The sum of `large`, `r` and `-r^2 / 2`, with all rounding errors (Fast2Sum, whose first summand is 0 or larger).
    let sum = b.fadd(large, r);
    let small = b.fadd(small, b.fsub(r, b.fsub(sum, large)));
    let half = b.fmul(r, real(-0.5));
    let log = place.fma(half, r, sum);
    let small = b.fadd(small, place.fma(half, r, b.fsub(sum, log)));
    let small = place.fma(b.fmul(square, r), p, small);

    let product = b.fmul(y, log);
    let rest = place.fma(y, small, place.fma(y, log, b.fneg(product)));
    let exponent = b.fadd(product, rest);
    let round = real(round_of(ty));
    let rounded = place.fma(exponent, real(std::f64::consts::LOG2_E), round);
    let n = b.fsub(rounded, round);
    let exact = place.fma(n, real(-constants.log_2[0]), product);
    let f = b.fadd(exact, place.fma(n, real(-constants.log_2[1]), rest));
    let q = match constants.exp.len() {
        ..=6 => place.polynomial(f, constants.exp),
        _ => place.short_polynomial(f, b.fmul(f, f), constants.exp),
    };
    let power = place.fma(place.fma(q, f, real(1.0)), f, real(1.0));
    let power = if Math::of_host().scales {
        place.scale(power, n)
    } else {
        let shifted = b.shl(b.bitcast(rounded, bits), fraction);
        b.bitcast(b.add(b.bitcast(power, bits), shifted), ty)
    };
    (power, exponent)
}

/// The exponent in the upper bits of a number, as a floating-point number.
fn exponent<'c>(place: &Place<'_, 'c>, ty: Type<'c>, bits: Value<'c>, fraction: u64) -> Value<'c> {
    let (e, b) = (&place.e, place.e.builder);
    if ty.bits() == 32 || Math::of_host().shifts_longs {
        return e.signed_to_float(b.ashr(bits, bits.ty().int(fraction)), ty);
    }
    // The exponent is in the upper half.
    let half = bits.ty().with_scalar(e.context.int(32));
    let upper = b.zext_or_trunc(b.lshr(bits, bits.ty().int(32)), half);
    e.signed_to_float(b.ashr(upper, half.int(fraction - 32)), ty)
}

/// `pow` of double for all numbers: that of the library for vectors, or where it is not installed the C library's.
fn other_pow_of_double<'c>(place: &Place<'_, 'c>, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    let element = ty.scalar();
    let call = |name: &str, ty: Type<'c>, args: &[Value<'c>]| {
        let function = place.e.module.declare(name, ty.function(&[ty, ty]));
        function
            .attribute("nounwind", 0)
            .attribute("willreturn", 0)
            .attribute("memory", 0);
        place.e.builder.call(function, args)
    };
    let function = math::vector_function(Op::pow, 64).filter(|f| math::vector_symbol(&f.name).is_some());
    if let Some(VectorFunction { name, lanes, .. }) = function {
        return place.in_vectors(args, lanes, &|args| call(&name, element.vector(lanes), args));
    }
    place.e.each_lane(ty, args, |args| call("oxur_pow_f64", element, args))
}
