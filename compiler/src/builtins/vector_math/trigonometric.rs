// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `sin` and `cos` of float and double, with errors below 1.7 ulp; OpenCL allows 4.
//!
//! The argument is reduced to `r` in [-pi/2, pi/2] by three parts of pi (Cody and Waite), whose sum has 72 bits, of double 160. The sine of
//! that has one polynomial, and whether the multiple of pi is odd is the sign. For a reduction to [-pi/4, pi/4] it would be two
//! polynomials and a choice. For arguments beyond a limit three parts are not enough; these are left to the C library.

use llvm_sys::LLVMRealPredicate::LLVMRealOGT;

use super::{Place, Slow};
use crate::builtins::elementary::round_of;
use crate::builtins::libcalls::{huge, libm};
use crate::llvm::{Type, Value};

/// What the functions of one type are made of.
struct Constants {
    /// The largest argument that is reduced here.
    limit: f64,
    /// The functions that replace numbers beyond it by their sines and cosines.
    beyond: [&'static str; 2],
    /// pi as a sum. None is negative, or `r` of -0 would be 0. The first has as many bits as pi's nearest number, so that its
    /// products are subtracted without an error.
    pi: [f64; 3],
    /// `sin(r) = r + r^3 s(r^2)`, a minimax fit for |r| < 1.572 of the relative error. Near the limit `r` is a little more.
    sine: &'static [f64],
}

/// Error of the fit: 2^-27.
const FLOAT: Constants = Constants {
    limit: 65_536.0,
    beyond: ["oxur_sin_beyond_f32", "oxur_cos_beyond_f32"],
    pi: [
        3.141_592_502_593_994,
        1.509_957_883_172_319_3e-7,
        1.078_060_590_694_847_7e-14,
    ],
    sine: &[
        -0.166_666_597_127_914_43,
        0.008_333_069_272_339_344,
        -0.000_198_097_724_933_177_23,
        2.606_074_758_659_815_4e-6,
    ],
};

/// Error of the fit: 2^-61, and the last is less by 7e-21: so the sine of pi/2 is less by 2^-56, and none is beyond 1.
const DOUBLE: Constants = Constants {
    limit: 536_870_912.0,
    beyond: ["oxur_sin_beyond_f64", "oxur_cos_beyond_f64"],
    pi: [
        std::f64::consts::PI,
        1.224_646_799_147_353e-16,
        2.165_713_347_843_828e-32,
    ],
    sine: &[
        -0.166_666_666_666_666_66,
        0.008_333_333_333_333_207,
        -0.000_198_412_698_412_124_8,
        2.755_731_921_156_948e-6,
        -2.505_210_690_442_152_3e-8,
        1.605_894_100_215_801e-10,
        -7.643_019_365_725_86e-13,
        2.721_412e-15,
    ],
};

fn constants_of(ty: Type<'_>) -> &'static Constants {
    match ty.bits() {
        64 => &DOUBLE,
        _ => &FLOAT,
    }
}

pub fn sin<'c>(place: &Place<'_, 'c>, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    unless_beyond(place, args, 0, sine(place, ty, args[0], Quarter::No))
}

pub fn cos<'c>(place: &Place<'_, 'c>, ty: Type<'c>, args: &[Value<'c>]) -> Value<'c> {
    unless_beyond(place, args, 1, sine(place, ty, args[0], Quarter::Yes))
}

/// `fast`, but of arguments beyond the limit the result of a function of [`Constants::beyond`].
fn unless_beyond<'c>(place: &Place<'_, 'c>, args: &[Value<'c>], function: usize, fast: Value<'c>) -> Value<'c> {
    let ty = args[0].ty();
    let Constants { limit, beyond, .. } = constants_of(ty);
    let size = place.e.intrinsic("llvm.fabs", args);
    let is_beyond = place.e.builder.fcmp(LLVMRealOGT, size, ty.real(*limit));
    place.unless_rare(is_beyond, args, Slow::Host(beyond[function]), fast)
}

/// Whether a quarter of a turn is added.
#[derive(Clone, Copy, PartialEq)]
enum Quarter {
    No,
    Yes,
}

/// The sine of `x`, or of `x` and a quarter of a turn.
fn sine<'c>(place: &Place<'_, 'c>, ty: Type<'c>, x: Value<'c>, quarter: Quarter) -> Value<'c> {
    let Constants { pi, sine, .. } = constants_of(ty);
    let (b, bits) = (place.e.builder, place.e.bits_of(ty));
    let real = |c| ty.real(c);
    let round = real(round_of(ty));
    let turns = |more: Value<'c>| place.fma(x, real(std::f64::consts::FRAC_1_PI), more);
    // `cos(r + (n + 1/2) pi) = sin(r + (n + 1) pi)`
    let (rounded, multiple) = match quarter {
        Quarter::No => {
            let rounded = turns(round);
            (rounded, b.fsub(rounded, round))
        }
        Quarter::Yes => {
            let rounded = b.fadd(turns(real(-0.5)), round);
            (rounded, b.fadd(b.fsub(rounded, round), real(0.5)))
        }
    };
    // The first step is exact: the difference is less than 2, and a multiple of what the last bits of both stand for, 2^-23 or 2^-52. Not
    // so for cosines of |x| < 0.571, where an error of `r` counts less than half.
    let r = pi.iter().fold(x, |r, &part| place.fma(multiple, real(-part), r));

    let square = b.fmul(r, r);
    // The first two one by one: sums of halves would have twice the rounding errors.
    let (first, others) = sine.split_at(2);
    let others = match others.len() {
        ..=4 => place.polynomial(square, others),
        _ => place.short_polynomial(square, b.fmul(square, square), others),
    };
    let s = first.iter().rev().fold(others, |s, &c| place.fma(square, s, real(c)));
    // Without the rounding error of the square, no result is beyond 1. It is 0, and not -0, of 0, or the sine of -0 would be 0.
    let error = place.fma(b.fneg(r), r, square);
    let result = place.fma(r, place.fma(square, s, b.fneg(b.fmul(error, s))), r);
    let odd = match quarter {
        Quarter::No => b.bitcast(rounded, bits),
        Quarter::Yes => b.add(b.bitcast(rounded, bits), bits.int(1)),
    };
    let sign = b.shl(odd, bits.int(u64::from(bits.bits()) - 1));
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
