// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Exponential functions and logarithms of float, with errors below one ulp. Without FMA they are those of
//! [`elementary`](crate::builtins::elementary), which has the constants, too.

use llvm_sys::LLVMIntPredicate::LLVMIntUGE;
use spirv::OpenclStd100Op as Op;

use super::{Body, Place, Slow};
use crate::CpuLevel;
use crate::builtins::elementary::{self, Logarithm, Power, ROUND};
use crate::llvm::{Type, Value};

/// `exp`, `exp2` or `exp10`.
pub fn exp<'c>(place: &Place<'_, 'c>, op: Op, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    let level = CpuLevel::current();
    let (e, b) = (&place.e, place.e.builder);
    if level < CpuLevel::V3 {
        return elementary::exp(e, op, ty, x);
    }
    let constants = Power::of(op);
    let real = |c| ty.real(c);
    let x = elementary::clamp(e, x, constants.range);
    let rounded = place.fma(x, real(constants.log2_base), real(ROUND));
    let k = b.fsub(rounded, real(ROUND));
    // Exact, but for the second step.
    let rest = constants.of_two.iter().filter(|&&part| part != 0.0);
    let rest = rest.fold(x, |rest, &part| place.fma(k, real(-part), rest));
    let q = place.polynomial(rest, &constants.q);
    let slope = place.fma(q, rest, real(constants.log[0]));
    let power = place.fma(slope, rest, real(1.0));
    if level >= CpuLevel::V4 {
        return place.scale(power, k);
    }
    elementary::scale_in_two_steps(e, power, rounded)
}

/// `log`, `log2` or `log10`.
pub fn log<'c>(place: &Place<'_, 'c>, op: Op, ty: Type<'c>, x: Value<'c>) -> Value<'c> {
    /// The bits of the smallest normal number, and how many numbers there are from that to infinity.
    const NORMAL: [u64; 2] = [0x0080_0000, 0x7F00_0000];

    let (e, b) = (&place.e, place.e.builder);
    if CpuLevel::current() < CpuLevel::V3 {
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
