// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions of float as LLVM IR on whole vectors, for all targets, with errors below one ulp (`log2` and `log10` below 1.6 on CPUs
//! without a fused multiplication and addition): the most frequent functions, and those whose vector variant exceeds OpenCL's error
//! bound. Those of double ([`vector_math`](super::vector_math)) share some steps.
//!
//! The code has no branches and no calls, so it vectorizes for every vector width.

use std::f64::consts::{LN_2, LN_10, LOG2_10, LOG2_E, LOG10_E};

use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode;
use llvm_sys::LLVMRealPredicate::*;
use spirv::OpenclStd100Op as Op;

use super::Emit;
use crate::llvm::{Type, Value};

/// A number as the sum of the nearest float and a remainder.
const fn split(x: f64) -> [f64; 2] {
    let high = x as f32 as f64;
    [high, x - high]
}

/// The constants of a logarithm to the base b: `log_b(2^k (1 + f)) = k log_b(2) + log_b(1 + f)`, `f` in [-1/3, 1/3).
pub struct Logarithm {
    /// `log_b(2)` as a sum. The first number has 15 bits, so that its product with `k` is exact.
    of_two: [f64; 2],
    /// `log_b(e)` as a sum.
    of_e: [f64; 2],
    /// The polynomial `p` in `log_b(1 + f) = f log_b(e) + f^2 p(f)`, a minimax fit of the relative error: 2^-27.
    p: [f64; 9],
}

const LOG: Logarithm = Logarithm {
    of_two: [0.693_145_75, 1.428_606_8e-6],
    of_e: [1.0, 0.0],
    p: [
        -0.5,
        0.333_332_15,
        -0.249_997_97,
        0.200_104_06,
        -0.166_804_88,
        0.140_058_68,
        -0.121_842_615,
        0.139_844_39,
        -0.128_916_83,
    ],
};

const LOG2: Logarithm = Logarithm {
    of_two: [1.0, 0.0],
    of_e: split(LOG2_E),
    p: [
        -0.721_347_5,
        0.480_896_53,
        -0.360_669_67,
        0.288_694_05,
        -0.240_674_8,
        0.201_994_05,
        -0.175_534_92,
        0.202_045_93,
        -0.186_814_08,
    ],
};

const LOG10: Logarithm = Logarithm {
    of_two: [0.301_025_4, 4.605_039e-6],
    of_e: split(LOG10_E),
    p: [
        -0.217_147_25,
        0.144_764_29,
        -0.108_572_394,
        0.086_905_58,
        -0.072_450_33,
        0.060_806_267,
        -0.052_841_276,
        0.060_821_887,
        -0.056_236_643,
    ],
};

/// A number of a type, float or double. Adding it rounds to an integer, in the low bits of the sum: 1.5 * 2^23, or 1.5 * 2^52.
pub fn round_of(ty: Type<'_>) -> f64 {
    match ty.bits() {
        64 => 6_755_399_441_055_744.0,
        _ => 12_582_912.0,
    }
}

/// `k` and `1 + f` of the normal positive float `2^k (1 + f)` that has these bits, with `f` in [-1/3, 1/3).
pub fn split_exponent<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, float: Value<'c>) -> [Value<'c>; 2] {
    /// The bits of 2/3.
    const LOWEST: u64 = 0x3F2A_AAAB;

    let (b, bits) = (e.builder, float.ty());
    let k = b.ashr(b.sub(float, bits.int(LOWEST)), bits.int(23));
    let mantissa = b.bitcast(b.sub(float, b.shl(k, bits.int(23))), ty);
    [k, mantissa]
}

impl Logarithm {
    /// The constants of `log`, `log2` or `log10`.
    pub fn of(op: Op) -> Self {
        match op {
            Op::log2 => LOG2,
            Op::log10 => LOG10,
            _ => LOG,
        }
    }
}

/// `log`, `log2` or `log10`.
pub fn log<'c>(e: &Emit<'_, 'c>, op: Op, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    let b = e.builder;
    let bits = e.bits_of(ty);
    let real = |c| ty.real(c);
    let denormal = b.icmp(LLVMIntULT, b.bitcast(x, bits), bits.int(1 << 23));
    let normal = b.select(denormal, b.fmul(x, real(8_388_608.0)), x);
    let [k, mantissa] = split_exponent(e, ty, b.bitcast(normal, bits));
    let k = b.add(k, b.select(denormal, bits.int(-23i64 as u64), bits.zero()));
    let k = e.signed_to_float(k, ty);

    let result = log_of_split(e, Logarithm::of(op), ty, k, mantissa);

    // The logarithm of infinity is infinity, that of NaN is NaN.
    let special = b.select(b.fcmp(LLVMRealOLT, x, real(0.0)), real(f64::NAN), x);
    let special = b.select(b.fcmp(LLVMRealOEQ, x, real(0.0)), real(f64::NEG_INFINITY), special);
    let positive = b.and(
        b.fcmp(LLVMRealOGT, x, real(0.0)),
        b.fcmp(LLVMRealOLT, x, real(f64::INFINITY)),
    );
    b.select(positive, result, special)
}

/// The logarithm of `2^k` times a number in [2/3, 4/3).
pub fn log_of_split<'c>(
    e: &Emit<'_, 'c>,
    constants: Logarithm,
    ty: Type<'c>,
    k: Value<'c>,
    mantissa: Value<'c>,
) -> Value<'c> {
    let Logarithm { of_two, of_e, p } = constants;
    let b = e.builder;
    let real = |c| ty.real(c);
    let f = b.fsub(mantissa, real(1.0));
    let p = polynomial(f, &p, |x, y, z| multiply_add(e, x, y, z));
    // The sum of the leading parts, and its rounding error (Fast2Sum: `large_k` is 0 or the larger summand).
    let large_k = scaled(e, k, of_two[0]);
    let large = multiply_add(e, f, real(of_e[0]), large_k);
    let lost = multiply_add(e, f, real(of_e[0]), b.fsub(large_k, large));
    let small = multiply_add(e, f, multiply_add(e, f, p, real(of_e[1])), lost);
    let small = multiply_add(e, k, real(of_two[1]), small);
    b.fadd(large, small)
}

/// The constants of an exponential function: `b^x = 2^k b^r`, where `r = x - k log_b(2)` is at most `log_b(2) / 2`.
pub struct Power {
    /// `log2(b)`.
    pub log2_base: f64,
    /// `log_b(2)` as a sum. The first number has few bits, so that its product with `k` is exact.
    pub of_two: [f64; 2],
    /// `log(b)` as a sum.
    pub log: [f64; 2],
    /// The polynomial `q` in `b^r = 1 + r log(b) + r^2 q(r)`, a minimax fit of the relative error: 2^-27, of double 2^-57.
    pub q: &'static [f64],
    /// Arguments below and above this range are clamped: the result is already 0 or infinity at the ends.
    pub range: [f64; 2],
}

const EXP: Power = Power {
    log2_base: LOG2_E,
    of_two: [0.693_145_75, 1.428_606_8e-6],
    log: [1.0, 0.0],
    q: &[0.499_999_94, 0.166_665_2, 0.041_668_396, 0.008_368_797, 0.001_381_443_3],
    range: [-105.0, 90.0],
};

const EXP2: Power = Power {
    log2_base: 1.0,
    of_two: [1.0, 0.0],
    log: split(LN_2),
    q: &[
        0.240_226_48,
        0.055_503_618,
        0.009_618_529,
        0.001_339_038_7,
        0.000_153_208_3,
    ],
    range: [-152.0, 130.0],
};

const EXP10: Power = Power {
    log2_base: LOG2_10,
    of_two: [0.301_025_4, 4.605_039e-6],
    log: split(LN_10),
    q: &[2.650_948_8, 2.034_660_6, 1.171_303_7, 0.541_678_3, 0.205_886_19],
    range: [-46.0, 39.5],
};

impl Power {
    /// The constants of `exp`, `exp2` or `exp10` of float.
    pub fn of(op: Op) -> Self {
        match op {
            Op::exp2 => EXP2,
            Op::exp10 => EXP10,
            _ => EXP,
        }
    }
}

/// `exp`, `exp2` or `exp10`.
pub fn exp<'c>(e: &Emit<'_, 'c>, op: Op, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    let Power {
        log2_base,
        of_two,
        log,
        q,
        range,
    } = Power::of(op);
    let b = e.builder;
    let real = |c| ty.real(c);
    let x = clamp(e, x, range);
    let round = real(round_of(ty));
    let rounded = multiply_add(e, x, real(log2_base), round);
    let k = b.fsub(rounded, round);
    // The remainder `r`, and its rounding error.
    let exact = b.fsub(x, scaled(e, k, of_two[0]));
    let (rest, lost) = match of_two[1] {
        0.0 => (exact, ty.zero()),
        low => {
            let rest = multiply_add(e, k, real(-low), exact);
            (rest, multiply_add(e, k, real(-low), b.fsub(exact, rest)))
        }
    };

    let q = polynomial(rest, q, |x, y, z| multiply_add(e, x, y, z));
    let large = multiply_add(e, rest, real(log[0]), real(1.0));
    let small = multiply_add(e, rest, real(log[0]), b.fsub(real(1.0), large));
    let lost = match log[1] {
        0.0 => scaled(e, lost, log[0]),
        low => multiply_add(e, lost, real(log[0]), b.fmul(rest, real(low))),
    };
    let small = b.fadd(small, multiply_add(e, b.fmul(rest, rest), q, lost));
    scale_in_two_steps(e, b.fadd(large, small), rounded)
}

/// The nearest number of a range. Both comparisons are false for NaN, so it propagates to the result.
pub fn clamp<'c>(e: &Emit<'_, 'c>, x: Value<'c>, range: [f64; 2]) -> Value<'c> {
    let b = e.builder;
    let [low, high] = range.map(|end| x.ty().real(end));
    let x = b.select(b.fcmp(LLVMRealOLT, x, low), low, x);
    b.select(b.fcmp(LLVMRealOGT, x, high), high, x)
}

/// `x 2^k`, where `rounded` is the sum of `k` and [`round_of`] the type. 2^k may be out of range, so there are two steps. The first is
/// exact; the second rounds if the result is denormal.
pub fn scale_in_two_steps<'c>(e: &Emit<'_, 'c>, x: Value<'c>, rounded: Value<'c>) -> Value<'c> {
    let (b, ty) = (e.builder, x.ty());
    let bits = e.bits_of(ty);
    let (bias, fraction) = match ty.bits() {
        64 => (1023, 52),
        _ => (127, 23),
    };
    let k = b.sub(b.bitcast(rounded, bits), b.bitcast(ty.real(round_of(ty)), bits));
    let half = b.ashr(k, bits.int(1));
    [half, b.sub(k, half)].into_iter().fold(x, |result, k| {
        let power = b.shl(b.add(k, bits.int(bias)), bits.int(fraction));
        b.fmul(result, b.bitcast(power, ty))
    })
}

/// `x y + z`, fused if the CPU has FMA.
fn multiply_add<'c>(e: &Emit<'_, 'c>, x: Value<'c>, y: Value<'c>, z: Value<'c>) -> Value<'c> {
    e.builder.intrinsic(e.module, "llvm.fmuladd", &[x.ty()], &[x, y, z])
}

/// `x` times a constant. Emits no multiplication by 0 or 1.
fn scaled<'c>(e: &Emit<'_, 'c>, x: Value<'c>, by: f64) -> Value<'c> {
    match by {
        0.0 => x.ty().zero(),
        1.0 => x,
        _ => e.builder.fmul(x, x.ty().real(by)),
    }
}

/// Evaluates a polynomial by Horner's rule. The constant coefficient comes first. `multiply_add` computes `x y + z`.
pub fn polynomial<'c>(
    x: Value<'c>,
    coefficients: &[f64],
    multiply_add: impl Fn(Value<'c>, Value<'c>, Value<'c>) -> Value<'c>,
) -> Value<'c> {
    let real = |c| x.ty().real(c);
    let (&last, others) = coefficients.split_last().expect("a polynomial has coefficients");
    let others = others.iter().rev();
    others.fold(real(last), |sum, &c| multiply_add(sum, x, real(c)))
}

/// `cbrt`, with an error of 0.5 ulp. It is computed in double, where no float is denormal, by two steps of Halley's method.
/// The initial guess is Kahan's: the bits of a number approximate its logarithm, so dividing them by 3 gives a root.
pub fn cbrt<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    /// Two thirds of the exponent bias, in the upper half of a double, minus a constant that centers the guess's error.
    const BIAS: u64 = 715_094_163;

    let b = e.builder;
    let wide = e.float_like(ty, 64);
    let (bits, half) = (e.bits_of(wide), e.bits_of(ty));
    let size = b.fpcast(e.intrinsic("llvm.fabs", &[x]), wide);
    let upper = b.zext_or_trunc(b.lshr(b.bitcast(size, bits), bits.int(32)), half);
    let guess = b.add(b.udiv(upper, half.int(3)), half.int(BIAS));
    let mut root = b.bitcast(b.shl(b.cast(LLVMOpcode::LLVMZExt, guess, bits), bits.int(32)), wide);
    for _ in 0..2 {
        let cube = b.fmul(b.fmul(root, root), root);
        let ratio = b.fdiv(b.fadd(b.fadd(size, size), cube), b.fadd(size, b.fadd(cube, cube)));
        root = b.fmul(root, ratio);
    }
    let root = e.intrinsic("llvm.copysign", &[b.fpcast(root, ty), x]);
    let finite = b.fcmp(LLVMRealOLT, size, wide.real(f64::INFINITY));
    let ordinary = b.and(finite, b.fcmp(LLVMRealOGT, size, wide.real(0.0)));
    b.select(ordinary, root, x)
}
