// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `pow` of float, computed in double, with an error of little more than half an ulp: without tables in registers, and with them where powers
//! are denormal or infinite.

use llvm_sys::LLVMIntPredicate::{LLVMIntSLT, LLVMIntUGE};
use llvm_sys::LLVMOpcode;
use llvm_sys::LLVMRealPredicate::{LLVMRealOEQ, LLVMRealOGT, LLVMRealOLT, LLVMRealUEQ};

use super::{Place, Slow};
use crate::builtins::elementary::{round_of, split_exponent};
use crate::builtins::libcalls::libm;
use crate::llvm::{Type, Value};

/// `log2(1 + f) = f p(f)`, a minimax fit for f in [-1/3, 1/3] of the relative error: 2^-36.
const LOG2: [f64; 13] = [
    1.442_695_040_892_330_7,
    -0.721_347_519_569_325,
    0.480_898_343_961_772_9,
    -0.360_673_978_611_887_1,
    0.288_539_441_717_291_35,
    -0.240_433_660_605_534_2,
    0.206_075_974_002_066_26,
    -0.180_806_059_413_070_26,
    0.160_891_220_364_525_16,
    -0.137_461_145_825_481_5,
    0.123_562_860_117_714_04,
    -0.166_105_128_473_978_01,
    0.157_541_656_025_551_2,
];
/// 2^r for r in [-1/2, 1/2], likewise: 2^-29.
const EXP2: [f64; 7] = [
    1.000_000_000_554_173_2,
    0.693_147_205_737_480_6,
    0.240_226_468_906_021,
    0.055_503_287_764_840_39,
    0.009_618_488_959_071_013,
    0.001_339_993_142_907_838_8,
    0.000_153_458_119_414_927_52,
];
/// The exponents that are told apart: 2^x is 0 or infinite at the ends.
const RANGE: [f64; 2] = [-160.0, 130.0];

pub fn pow<'c>(place: &Place<'_, 'c>, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    let (e, b, x, y) = (&place.e, place.e.builder, args[0], args[1]);
    let bits = e.bits_of(ty);
    let [size, y_size] = [x, y].map(|v| e.intrinsic("llvm.fabs", &[v]));
    let is_zero = b.fcmp(LLVMRealOEQ, size, ty.zero());

    let power = power_of_positive(place, ty, size, is_zero, y);

    let [is_integer, is_even] = [y, b.fmul(y, ty.real(0.5))].map(|v| {
        let nearest = e.intrinsic("llvm.rint", &[v]);
        b.fcmp(LLVMRealOEQ, nearest, v)
    });
    let is_negative = b.icmp(LLVMIntSLT, b.bitcast(x, bits), bits.zero());
    let is_odd = b.and(is_integer, b.not(is_even));
    let power = b.select(b.and(is_negative, is_odd), b.fneg(power), power);
    let is_undefined = b.and(b.and(is_negative, b.not(is_zero)), b.not(is_integer));
    let power = b.select(is_undefined, ty.real(f64::NAN), power);

    // Denormal numbers, infinity and NaN; 0 to the power of 0.
    let above = b.sub(b.bitcast(size, bits), bits.int(0x0080_0000));
    let is_odd_size = b.icmp(LLVMIntUGE, above, bits.int(0x7F00_0000));
    let y_is_zero = b.fcmp(LLVMRealOEQ, y, ty.zero());
    let y_is_special = b.fcmp(LLVMRealUEQ, y_size, ty.real(f64::INFINITY));
    let rare = b.and(is_odd_size, b.or(b.not(is_zero), y_is_zero));
    place.unless_rare(b.or(rare, y_is_special), args, Slow::Host("oxur_pow_rare"), power)
}

/// The power of a number that is normal, or 0.
fn power_of_positive<'c>(
    place: &Place<'_, 'c>,
    ty: Type<'c>,
    size: Value<'c>,
    is_zero: Value<'c>,
    y: Value<'c>,
) -> Value<'c> {
    let (e, b) = (&place.e, place.e.builder);
    let wide = e.float_like(ty, 64);
    let wide_bits = e.bits_of(wide);
    let [k, mantissa] = split_exponent(e, ty, b.bitcast(size, e.bits_of(ty)));
    let k = e.signed_to_float(k, ty);
    let k = b.select(is_zero, ty.real(f64::NEG_INFINITY), k);
    // Exact.
    let f = b.fpcast(b.fsub(mantissa, ty.real(1.0)), wide);
    let log = place.fma(f, place.polynomial(f, &LOG2), b.fpcast(k, wide));

    let exponent = b.fmul(b.fpcast(y, wide), log);
    let [low, high] = RANGE.map(|end| wide.real(end));
    let exponent = b.select(b.fcmp(LLVMRealOLT, exponent, low), low, exponent);
    let exponent = b.select(b.fcmp(LLVMRealOGT, exponent, high), high, exponent);
    let round = wide.real(round_of(wide));
    let rounded = b.fadd(exponent, round);
    let rest = b.fsub(exponent, b.fsub(rounded, round));
    let scale = b.shl(b.bitcast(rounded, wide_bits), wide_bits.int(52));
    let power = b.bitcast(place.polynomial(rest, &EXP2), wide_bits);
    b.cast(LLVMOpcode::LLVMFPTrunc, b.bitcast(b.add(power, scale), wide), ty)
}

/// Replaces special numbers among `x` by their powers, and numbers with a special exponent.
pub unsafe extern "C" fn pow_rare(x: *mut f32, y: *const f32, count: u32) {
    // SAFETY: the caller's arrays, which nobody else uses.
    let (x, y) = unsafe {
        (
            std::slice::from_raw_parts_mut(x, count as usize),
            std::slice::from_raw_parts(y, count as usize),
        )
    };
    for (x, y) in x.iter_mut().zip(y).filter(|(x, y)| !x.is_normal() || !y.is_finite()) {
        *x = libm::powf(*x, *y);
    }
}
