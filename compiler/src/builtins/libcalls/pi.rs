// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `sinpi`, `cospi` and `tanpi`: OpenCL C 3.0, sections 6.15.2 (definition), 7.4 (precision) and 7.5.1 (the signs of zeros
//! and infinities).
//!
//! The argument is reduced exactly: `|x| = 2k + q/2 + t` with `q` in 0..=4 and `|t| <= 1/4`. The derivative compensates for
//! the rounding error of `pi t`. The functions of f32 compute in f64, so they round once.

use std::f64::consts::PI;

use super::libm;

/// `q` and `t` of the [reduction](self).
fn reduce(x: f64) -> (u32, f64) {
    let x = x.abs();
    // Exact: the difference is `fmod(x, 2)`, which has no more digits than `x`. Halving rounds only the smallest numbers,
    // whose integral part is 0 either way.
    let turn = x - 2.0 * (x * 0.5).trunc();
    let quarter = (2.0 * turn + 0.5).floor();
    (quarter as u32, turn - 0.5 * quarter)
}

/// `pi t` as an unevaluated sum.
fn angle(t: f64) -> (f64, f64) {
    /// The difference of pi and f64's constant.
    const PI_LOW: f64 = 1.224_646_799_147_353_2e-16;
    let high = PI * t;
    (high, libm::fma(PI, t, -high) + PI_LOW * t)
}

/// `sin(pi t)`, `|t| <= 1/4`. The correction is so small that two terms of the derivative's series suffice here, and one for
/// the cosine.
fn sin_of_turn(t: f64) -> f64 {
    let (high, low) = angle(t);
    libm::sin(high) + low * (1.0 - 0.5 * high * high)
}

/// `cos(pi t)`, `|t| <= 1/4`.
fn cos_of_turn(t: f64) -> f64 {
    let (high, low) = angle(t);
    libm::cos(high) - low * high
}

/// `tan(pi t)`, `|t| <= 1/4`.
fn tan_of_turn(t: f64) -> f64 {
    let (high, low) = angle(t);
    let tangent = libm::tan(high);
    tangent + low * (1.0 + tangent * tangent)
}

/// `sin(pi x)`.
pub extern "C" fn sinpi_f64(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (quarter, rest) = reduce(x);
    let result = match quarter & 3 {
        // For integers the result is a zero with the sign of `x`, even where the sine is falling.
        0 | 2 if rest == 0.0 => 0.0,
        0 => sin_of_turn(rest),
        1 => cos_of_turn(rest),
        2 => -sin_of_turn(rest),
        _ => -cos_of_turn(rest),
    };
    if x.is_sign_negative() { -result } else { result }
}

/// `cos(pi x)`.
pub extern "C" fn cospi_f64(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (quarter, rest) = reduce(x);
    match quarter & 3 {
        1 | 3 if rest == 0.0 => 0.0,
        0 => cos_of_turn(rest),
        1 => -sin_of_turn(rest),
        2 => -cos_of_turn(rest),
        _ => sin_of_turn(rest),
    }
}

/// `tan(pi x)`.
pub extern "C" fn tanpi_f64(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (quarter, rest) = reduce(x);
    let result = match quarter {
        2 if rest == 0.0 => -0.0,
        1 if rest == 0.0 => f64::INFINITY,
        3 if rest == 0.0 => f64::NEG_INFINITY,
        0 | 2 | 4 => tan_of_turn(rest),
        _ => -1.0 / tan_of_turn(rest),
    };
    if x.is_sign_negative() { -result } else { result }
}

/// `sin(pi x)`.
pub extern "C" fn sinpi_f32(x: f32) -> f32 {
    sinpi_f64(x.into()) as f32
}

/// `cos(pi x)`.
pub extern "C" fn cospi_f32(x: f32) -> f32 {
    cospi_f64(x.into()) as f32
}

/// `tan(pi x)`.
pub extern "C" fn tanpi_f32(x: f32) -> f32 {
    tanpi_f64(x.into()) as f32
}
