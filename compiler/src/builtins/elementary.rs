// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions of float that are computed in place, on whole vectors: those whose form in libmvec breaks OpenCL's bound, so
//! that a vectoriser would be left with one call for each element.

use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode;
use llvm_sys::LLVMRealPredicate::*;

use super::Emit;
use crate::llvm::{Type, Value};

/// `log`, with an error of 0.9 ulp.
///
/// `x = 2^k (1 + f)` with `f` in [-1/3, 1/3), and `log(1 + f) = f - f^2 / 2 + f^3 p(f)`. The polynomial was fitted here
/// for the least relative error of the result: 2^-27.
pub fn log<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    const P: [f64; 8] = [
        0.333_332_15,
        -0.249_997_97,
        0.200_104_06,
        -0.166_804_88,
        0.140_058_68,
        -0.121_842_615,
        0.139_844_39,
        -0.128_916_83,
    ];
    /// The upper 15 bits of log(2), whose product with `k` is exact; and the rest.
    const LOG_2: [f64; 2] = [0.693_145_751_953_125, 1.428_606_820_309_417_2e-6];
    /// The bits of 2/3.
    const LOWEST: u64 = 0x3F2A_AAAB;

    let b = e.builder;
    let bits = e.bits_of(ty);
    let fma = |x, y, z| b.intrinsic(e.module, "llvm.fmuladd", &[ty], &[x, y, z]);
    let denormal = b.icmp(LLVMIntULT, b.bitcast(x, bits), bits.int(1 << 23));
    let normal = b.select(denormal, b.fmul(x, ty.real(8_388_608.0)), x);
    let normal_bits = b.bitcast(normal, bits);
    let k = b.ashr(b.sub(normal_bits, bits.int(LOWEST)), bits.int(23));
    let mantissa = b.bitcast(b.sub(normal_bits, b.shl(k, bits.int(23))), ty);
    let k = b.add(k, b.select(denormal, bits.int(-23i64 as u64), bits.zero()));
    let k = e.signed_to_float(k, ty);

    let f = b.fsub(mantissa, ty.real(1.0));
    let p = P
        .iter()
        .rev()
        .copied()
        .map(|c| ty.real(c))
        .reduce(|sum, c| fma(sum, f, c));
    let p = p.expect("coefficients");
    let small = fma(b.fmul(f, f), fma(f, p, ty.real(-0.5)), b.fmul(k, ty.real(LOG_2[1])));
    let result = fma(k, ty.real(LOG_2[0]), b.fadd(f, small));

    // Infinity and NaN stay what they are.
    let special = b.select(b.fcmp(LLVMRealOLT, x, ty.real(0.0)), ty.real(f64::NAN), x);
    let special = b.select(
        b.fcmp(LLVMRealOEQ, x, ty.real(0.0)),
        ty.real(f64::NEG_INFINITY),
        special,
    );
    let positive = b.and(
        b.fcmp(LLVMRealOGT, x, ty.real(0.0)),
        b.fcmp(LLVMRealOLT, x, ty.real(f64::INFINITY)),
    );
    b.select(positive, result, special)
}

/// `cbrt`, with an error of 0.5 ulp: in double, where no float is denormal, by two steps of Halley's method from a guess
/// that divides the exponent by 3 (Kahan's: as the bits are nearly a logarithm, dividing them does).
pub fn cbrt<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    /// Two thirds of double's bias, in the place of an exponent in the upper half, less what centres the guess's error.
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
