// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Exponential functions of float and double, and logarithms of float, with errors below one ulp (`exp10` of double: 1.3). Those of
//! float without FMA are those of [`elementary`](crate::builtins::elementary), which has their constants, too.

use std::f64::consts::{LN_2, LN_10, LOG2_10, LOG2_E, LOG10_2};

use llvm_sys::LLVMIntPredicate::LLVMIntUGE;
use llvm_sys::LLVMRealPredicate::LLVMRealUGE;
use spirv::OpenclStd100Op as Op;

use super::{Body, Place, Slow};
use crate::builtins::elementary::{self, Logarithm, Power, round_of};
use crate::llvm::{Type, Value};
use crate::target::Math;

const EXP: Power = Power {
    log2_base: LOG2_E,
    of_two: [LN_2, 2.319_046_813_846_299_6e-17],
    log: [1.0, 0.0],
    q: &[
        0.500_000_000_000_001_1,
        0.166_666_666_666_664_13,
        0.041_666_666_666_530_155,
        0.008_333_333_333_494_468,
        0.001_388_888_894_363_018_1,
        0.000_198_412_695_065_663_98,
        2.480_149_309_881_908_2e-5,
        2.755_758_638_473_485e-6,
        2.763_024_841_338_579_6e-7,
        2.500_005_815_870_253_6e-8,
    ],
    range: [-746.0, 710.0],
};

const EXP2: Power = Power {
    log2_base: 1.0,
    of_two: [1.0, 0.0],
    log: [LN_2, 0.0],
    q: &[
        0.240_226_506_959_101_22,
        0.055_504_108_664_820_74,
        0.009_618_129_107_596_966,
        0.001_333_355_814_668_626_2,
        0.000_154_035_304_540_926_7,
        1.525_273_354_676_065_8e-5,
        1.321_543_659_434_682_3e-6,
        1.017_818_468_302_731e-7,
        7.073_582_122_969_13e-9,
        4.436_301_872_790_791_4e-10,
    ],
    range: [-1076.0, 1025.0],
};

const EXP10: Power = Power {
    log2_base: LOG2_10,
    of_two: [LOG10_2, -2.803_728_127_785_170_4e-18],
    log: [LN_10, 0.0],
    q: &[
        2.650_949_055_239_204_5,
        2.034_678_592_293_445_4,
        1.171_255_148_908_429_7,
        0.539_382_929_206_010_9,
        0.206_995_849_512_715_96,
        0.068_089_363_925_833_93,
        0.019_597_620_189_424_448,
        0.005_013_977_442_457_853_5,
        0.001_157_555_110_054_555_5,
        0.000_241_164_619_791_146_6,
    ],
    range: [-324.5, 309.0],
};

/// The constants of a function for a type.
fn constants_of(op: Op, ty: Type<'_>) -> Power {
    match (ty.bits(), op) {
        (64, Op::exp2) => EXP2,
        (64, Op::exp10) => EXP10,
        (64, _) => EXP,
        _ => Power::of(op),
    }
}

/// `exp`, `exp2` or `exp10`.
pub fn exp<'c>(place: &Place<'_, 'c>, op: Op, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    let math = Math::of_host();
    let (e, b) = (&place.e, place.e.builder);
    if !math.fuses {
        return elementary::exp(e, op, ty, x);
    }
    if math.shifts_longs || ty.bits() != 64 {
        return clamped_exp(place, op, ty, x);
    }
    // To scale it takes arithmetic shifts of 64 bits. Where the power is a normal number, its exponent can be added.
    let constants = constants_of(op, ty);
    let (power, _, rounded) = reduced_exp(place, &constants, ty, x);
    let bits = e.bits_of(ty);
    let shifted = b.shl(b.bitcast(rounded, bits), bits.int(52));
    let fast = b.bitcast(b.add(b.bitcast(power, bits), shifted), ty);
    let size = e.intrinsic("llvm.fabs", &[x]);
    // Of the largest power, and of the reciprocal of the smallest.
    let limit = 1021.0 / constants.log2_base;
    let rare = b.fcmp(LLVMRealUGE, size, ty.real(limit));
    let (name, slow): (_, Body) = match op {
        Op::exp2 => ("exp2", |p, ty, a| clamped_exp(p, Op::exp2, ty, a[0])),
        Op::exp10 => ("exp10", |p, ty, a| clamped_exp(p, Op::exp10, ty, a[0])),
        _ => ("exp", |p, ty, a| clamped_exp(p, Op::exp, ty, a[0])),
    };
    place.unless_rare(rare, &[x], Slow::Body(name, slow), fast)
}

/// The same for all numbers, also those whose powers are denormal or infinite.
fn clamped_exp<'c>(place: &Place<'_, 'c>, op: Op, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    let constants = constants_of(op, ty);
    let x = elementary::clamp(&place.e, x, constants.range);
    let (power, k, rounded) = reduced_exp(place, &constants, ty, x);
    if Math::of_host().scales {
        return place.scale(power, k);
    }
    elementary::scale_in_two_steps(&place.e, power, rounded)
}

/// The power of what `x` is without its nearest `k log_b(2)`, then `k`, and the sum of that and [`round_of`] the type.
fn reduced_exp<'c>(
    place: &Place<'_, 'c>,
    constants: &Power,
    ty: Type<'c>,
    x: Value<'c>,
) -> (Value<'c>, Value<'c>, Value<'c>) {
    let real = |c| ty.real(c);
    let round = real(round_of(ty));
    let rounded = place.fma(x, real(constants.log2_base), round);
    let k = place.e.builder.fsub(rounded, round);
    // Exact, but for the second step.
    let rest = constants.of_two.iter().filter(|&&part| part != 0.0);
    let rest = rest.fold(x, |rest, &part| place.fma(k, real(-part), rest));
    let q = match ty.bits() {
        64 => place.short_polynomial(rest, place.e.builder.fmul(rest, rest), constants.q),
        _ => place.polynomial(rest, constants.q),
    };
    let slope = place.fma(q, rest, real(constants.log[0]));
    (place.fma(slope, rest, real(1.0)), k, rounded)
}

/// `log`, `log2` or `log10`.
pub fn log<'c>(place: &Place<'_, 'c>, op: Op, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    /// The bits of the smallest normal number, and how many numbers there are from that to infinity.
    const NORMAL: [u64; 2] = [0x0080_0000, 0x7F00_0000];

    let (e, b) = (&place.e, place.e.builder);
    if !Math::of_host().fuses {
        return elementary::log(e, op, ty, x);
    }
    let bits = e.bits_of(ty);
    let number = b.bitcast(x, bits);
    let [k, mantissa] = elementary::split_exponent(e, ty, number);
    let result = elementary::log_of_split(e, Logarithm::of(op), ty, e.signed_to_float(k, ty), mantissa);
    let rare = b.icmp(LLVMIntUGE, b.sub(number, bits.int(NORMAL[0])), bits.int(NORMAL[1]));
    let (name, slow): (_, Body) = match op {
        Op::log2 => ("log2f", |p, ty, a| elementary::log(&p.e, Op::log2, ty, a[0])),
        Op::log10 => ("log10f", |p, ty, a| elementary::log(&p.e, Op::log10, ty, a[0])),
        _ => ("logf", |p, ty, a| elementary::log(&p.e, Op::log, ty, a[0])),
    };
    place.unless_rare(rare, &[x], Slow::Body(name, slow), result)
}
