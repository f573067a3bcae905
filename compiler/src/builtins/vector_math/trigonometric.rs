// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `sin` and `cos` of float, with errors below 1.2 ulp; OpenCL allows 4.
//!
//! The argument is reduced to `r` in [-pi/4, pi/4] by three parts of pi/2 (Cody and Waite), whose sum has 72 bits. For arguments
//! beyond 2^16 that is not enough; these are left to the C library.

use llvm_sys::LLVMIntPredicate::LLVMIntNE;
use llvm_sys::LLVMRealPredicate::LLVMRealOGT;

use super::{Place, Slow};
use crate::builtins::elementary::ROUND;
use crate::builtins::libcalls::libm;
use crate::llvm::{Type, Value};

/// The largest argument that is reduced here.
const LIMIT: f32 = 65_536.0;
/// pi/2 as a sum of three floats.
const HALF_PI: [f64; 3] = [
    1.570_796_370_506_286_6,
    -4.371_138_828_673_793e-8,
    -1.715_124_510_005_881_9e-15,
];
/// `sin(r) = r + r^3 s(r^2)`, a minimax fit for |r| < 0.8 of the relative error: 2^-37.
const SINE: [f64; 4] = [
    -0.166_666_666_367,
    0.008_333_328_832_25,
    -0.000_198_391_623_403,
    2.716_712_128_25e-6,
];
/// `cos(r) = 1 + r^2 c(r^2)`, likewise: 2^-32.
const COSINE: [f64; 4] = [-0.5, 0.041_666_643_182_9, -0.001_388_719_423_07, 2.441_919_681_27e-5];
/// The sign of a float.
const SIGN: u64 = 1 << 31;

pub fn sin<'c>(place: &Place<'_, 'c>, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    let (b, x, bits) = (place.e.builder, args[0], place.e.bits_of(ty));
    let own_sign = b.and(b.bitcast(x, bits), bits.int(SIGN));
    let fast = b.bitcast(b.xor(b.bitcast(sine(place, ty, x, 0), bits), own_sign), ty);
    place.unless_rare(is_beyond(place, x), args, Slow::Host("oxur_sin_beyond"), fast)
}

pub fn cos<'c>(place: &Place<'_, 'c>, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    let x = args[0];
    let fast = sine(place, ty, x, 1);
    place.unless_rare(is_beyond(place, x), args, Slow::Host("oxur_cos_beyond"), fast)
}

fn is_beyond<'c>(place: &Place<'_, 'c>, x: Value<'c>) -> Value<'c> {
    let size = place.e.intrinsic("llvm.fabs", &[x]);
    place.e.builder.fcmp(LLVMRealOGT, size, x.ty().real(LIMIT.into()))
}

/// The sine of `|x|` and so many quarters of a turn.
fn sine<'c>(place: &Place<'_, 'c>, ty: Type<'c>, x: Value<'c>, quarters: u64) -> Value<'c> {
    let b = place.e.builder;
    let real = |c| ty.real(c);
    let bits = place.e.bits_of(ty);
    let x = place.e.intrinsic("llvm.fabs", &[x]);
    let rounded = place.fma(x, real(std::f64::consts::FRAC_2_PI), real(ROUND));
    let n = b.fsub(rounded, real(ROUND));
    // Exact: the difference is a multiple of 2^-24 and less than 1.
    let first = place.fma(n, real(-HALF_PI[0]), x);
    let second = b.fmul(n, real(HALF_PI[1]));
    let second_low = place.fma(n, real(HALF_PI[1]), b.fneg(second));
    let r = b.fsub(first, second);
    // What `r` lacks: its rounding error, and the rest of the product with pi/2.
    let lost = b.fsub(b.fsub(first, r), second);
    let low = b.fsub(place.fma(n, real(-HALF_PI[2]), lost), second_low);

    let square = b.fmul(r, r);
    let tail = place.fma(b.fmul(r, square), place.polynomial(square, &SINE), low);
    let sine = b.fadd(r, tail);
    let tail = place.fma(square, place.polynomial(square, &COSINE), b.fneg(b.fmul(r, low)));
    let cosine = b.fadd(tail, real(1.0));

    let quadrant = b.add(b.bitcast(rounded, bits), bits.int(quarters));
    let is_odd = b.icmp(LLVMIntNE, b.and(quadrant, bits.int(1)), bits.zero());
    let sign = b.and(b.shl(quadrant, bits.int(30)), bits.int(SIGN));
    let result = b.select(is_odd, cosine, sine);
    b.bitcast(b.xor(b.bitcast(result, bits), sign), ty)
}

/// Replaces the numbers that are beyond the limit by their sines.
pub unsafe extern "C" fn sin_beyond(numbers: *mut f32, count: u32) {
    // SAFETY: the caller's array.
    unsafe { replace(numbers, count, libm::sinf) }
}

/// Replaces the numbers that are beyond the limit by their cosines.
pub unsafe extern "C" fn cos_beyond(numbers: *mut f32, count: u32) {
    // SAFETY: the caller's array.
    unsafe { replace(numbers, count, libm::cosf) }
}

/// # Safety
/// There are `count` numbers at `numbers`, which nobody else uses.
unsafe fn replace(numbers: *mut f32, count: u32, f: extern "C" fn(f32) -> f32) {
    // SAFETY: guaranteed by the caller.
    let numbers = unsafe { std::slice::from_raw_parts_mut(numbers, count as usize) };
    for number in numbers.iter_mut().filter(|number| number.abs() > LIMIT) {
        *number = f(*number);
    }
}
