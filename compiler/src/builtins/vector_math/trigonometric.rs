// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `sin` and `cos` of float and double, with errors below 1.2 ulp, of double 1.5, without AVX-512 1.6; OpenCL allows 4.
//!
//! The argument is reduced to `r` in [-pi/4, pi/4] by three parts of pi/2 (Cody and Waite), whose sum has 72 bits, of double 160. For
//! arguments beyond a limit that is not enough; these are left to the C library.

use llvm_sys::LLVMIntPredicate::LLVMIntNE;
use llvm_sys::LLVMRealPredicate::LLVMRealOGT;

use super::{Place, Slow};
use crate::CpuLevel;
use crate::builtins::elementary::round_of;
use crate::builtins::libcalls::{huge, libm};
use crate::llvm::{Type, Value};

/// What the functions of one type are made of.
struct Constants {
    /// The largest argument that is reduced here.
    limit: f64,
    /// The functions that replace numbers beyond it by their sines and cosines.
    beyond: [&'static str; 2],
    /// pi/2 as a sum.
    half_pi: [f64; 3],
    /// `sin(r) = r + r^3 s(r^2)`, a minimax fit for |r| < 0.8 of the relative error.
    sine: &'static [f64],
    /// `cos(r) = 1 + r^2 c(r^2)`, likewise.
    cosine: &'static [f64],
}

/// Errors of the fits: 2^-37 and 2^-32.
const FLOAT: Constants = Constants {
    limit: 65_536.0,
    beyond: ["oxur_sin_beyond_f32", "oxur_cos_beyond_f32"],
    half_pi: [
        1.570_796_370_506_286_6,
        -4.371_138_828_673_793e-8,
        -1.715_124_510_005_881_9e-15,
    ],
    sine: &[
        -0.166_666_666_367,
        0.008_333_328_832_25,
        -0.000_198_391_623_403,
        2.716_712_128_25e-6,
    ],
    cosine: &[-0.5, 0.041_666_643_182_9, -0.001_388_719_423_07, 2.441_919_681_27e-5],
};

/// Errors of the fits: 2^-58 and 2^-64.
const DOUBLE: Constants = Constants {
    limit: 536_870_912.0,
    beyond: ["oxur_sin_beyond_f64", "oxur_cos_beyond_f64"],
    half_pi: [
        std::f64::consts::FRAC_PI_2,
        6.123_233_995_736_766e-17,
        -1.497_384_904_859_169_8e-33,
    ],
    sine: &[
        -0.166_666_666_666_666_32,
        0.008_333_333_333_322_403,
        -0.000_198_412_698_297_987_46,
        2.755_731_368_863_298_5e-6,
        -2.505_075_758_047_046_7e-8,
        1.589_676_354_562_927e-10,
    ],
    cosine: &[
        -0.5,
        0.041_666_666_666_666_49,
        -0.001_388_888_888_886_386_4,
        2.480_158_728_498_459e-5,
        -2.755_731_333_249_593e-7,
        2.087_560_775_037_04e-9,
        -1.135_447_500_528_578e-11,
    ],
};

fn constants_of(ty: Type<'_>) -> &'static Constants {
    match ty.bits() {
        64 => &DOUBLE,
        _ => &FLOAT,
    }
}

/// The sign of a number.
fn sign_of(bits: Type<'_>) -> Value<'_> {
    bits.int(1 << (bits.bits() - 1))
}

pub fn sin<'c>(place: &Place<'_, 'c>, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    let (b, x, bits) = (place.e.builder, args[0], place.e.bits_of(ty));
    let own_sign = b.and(b.bitcast(x, bits), sign_of(bits));
    let fast = b.bitcast(b.xor(b.bitcast(sine(place, ty, x, 0), bits), own_sign), ty);
    unless_beyond(place, args, 0, fast)
}

pub fn cos<'c>(place: &Place<'_, 'c>, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    unless_beyond(place, args, 1, sine(place, ty, args[0], 1))
}

/// `fast`, but of arguments beyond the limit the result of a function of [`Constants::beyond`].
fn unless_beyond<'c>(place: &Place<'_, 'c>, args: &[Value<'c>], function: usize, fast: Value<'c>) -> Value<'c> {
    let ty = args[0].ty();
    let Constants { limit, beyond, .. } = constants_of(ty);
    let size = place.e.intrinsic("llvm.fabs", args);
    let is_beyond = place.e.builder.fcmp(LLVMRealOGT, size, ty.real(*limit));
    place.unless_rare(is_beyond, args, Slow::Host(beyond[function]), fast)
}

/// The sine of `|x|` and so many quarters of a turn.
fn sine<'c>(place: &Place<'_, 'c>, ty: Type<'c>, x: Value<'c>, quarters: u64) -> Value<'c> {
    let Constants {
        half_pi, sine, cosine, ..
    } = constants_of(ty);
    let b = place.e.builder;
    let real = |c| ty.real(c);
    let bits = place.e.bits_of(ty);
    let x = place.e.intrinsic("llvm.fabs", &[x]);
    let round = real(round_of(ty));
    let rounded = place.fma(x, real(std::f64::consts::FRAC_2_PI), round);
    let n = b.fsub(rounded, round);
    // Exact: the difference is less than 1, and a multiple of what the last bits of both stand for, 2^-24 or 2^-53.
    let first = place.fma(n, real(-half_pi[0]), x);
    let (r, low) = match ty.bits() == 32 || CpuLevel::current() >= CpuLevel::V4 {
        true => {
            let second = b.fmul(n, real(half_pi[1]));
            let second_low = place.fma(n, real(half_pi[1]), b.fneg(second));
            let r = b.fsub(first, second);
            // What `r` lacks: its rounding error, and the rest of the product with pi/2.
            let lost = b.fsub(b.fsub(first, r), second);
            (r, Some(b.fsub(place.fma(n, real(-half_pi[2]), lost), second_low)))
        }
        // A fifth fewer instructions, where registers have four numbers.
        false => {
            let r = place.fma(n, real(-half_pi[1]), first);
            (place.fma(n, real(-half_pi[2]), r), None)
        }
    };

    let square = b.fmul(r, r);
    let polynomial = |coefficients: &[f64]| match coefficients.len() {
        ..=4 => place.polynomial(square, coefficients),
        _ => place.short_polynomial(square, b.fmul(square, square), coefficients),
    };
    let (cube, s, c) = (b.fmul(r, square), polynomial(sine), polynomial(cosine));
    let (sine, cosine) = match low {
        Some(low) => {
            let sine = b.fadd(r, place.fma(cube, s, low));
            let tail = place.fma(square, c, b.fneg(b.fmul(r, low)));
            (sine, b.fadd(tail, real(1.0)))
        }
        None => (place.fma(cube, s, r), place.fma(square, c, real(1.0))),
    };

    let quadrant = b.add(b.bitcast(rounded, bits), bits.int(quarters));
    let is_odd = b.icmp(LLVMIntNE, b.and(quadrant, bits.int(1)), bits.zero());
    let sign = b.and(b.shl(quadrant, bits.int(u64::from(bits.bits()) - 2)), sign_of(bits));
    let result = b.select(is_odd, cosine, sine);
    b.bitcast(b.xor(b.bitcast(result, bits), sign), ty)
}

macro_rules! beyond {
    ($($name:ident $bits:literal, $what:literal, $type:ty, $constants:expr, $function:path;)*) => {
        $(
            #[doc = concat!("Replaces the numbers of ", $bits, " bits that are beyond the limit by their ", $what, ".")]
            pub unsafe extern "C" fn $name(numbers: *mut $type, count: u32) {
                // SAFETY: the caller's array.
                let numbers = unsafe { std::slice::from_raw_parts_mut(numbers, count as usize) };
                for number in numbers.iter_mut().filter(|number| f64::from(number.abs()) > $constants.limit) {
                    *number = $function(*number);
                }
            }
        )*
    };
}

beyond! {
    sin_beyond_f32 "32", "sines", f32, FLOAT, libm::sinf;
    cos_beyond_f32 "32", "cosines", f32, FLOAT, libm::cosf;
    sin_beyond_f64 "64", "sines", f64, DOUBLE, huge::sin;
    cos_beyond_f64 "64", "cosines", f64, DOUBLE, huge::cos;
}
