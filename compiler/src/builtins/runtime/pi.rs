// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `sinpi`, `cospi` and `tanpi`: OpenCL C 3.0, sections 6.15.2 (what they are), 7.4 (precision) and 7.5.1 (the signs of
//! zeros and infinities).
//!
//! The argument is reduced exactly: `|x| = 2k + q/2 + t` with `q` in 0..=4 and `|t| <= 1/4`. What rounding `pi t` loses
//! is put back by the derivative. The functions of f32 compute in f64, so they round once.

use std::f64::consts::PI;

use super::libm;

/// `|x|` modulo 2 as a number of half turns to the nearest quarter, and the rest.
fn reduce(x: f64) -> (u32, f64) {
    let x = x.abs();
    // Both are exact: halving (what it loses of the smallest numbers is no whole number), and the difference, which is
    // what `fmod(x, 2)` is and so has no more digits than `x`.
    let turn = x - 2.0 * (x * 0.5).trunc();
    let quarter = (2.0 * turn + 0.5).floor();
    (quarter as u32, turn - 0.5 * quarter)
}

/// `pi t` as a sum of two numbers.
fn angle(t: f64) -> (f64, f64) {
    /// What f64's pi lacks.
    const PI_LOW: f64 = 1.224_646_799_147_353_2e-16;
    let high = PI * t;
    (high, libm::fma(PI, t, -high) + PI_LOW * t)
}

/// `sin(pi t)`, `|t| <= 1/4`. For so small a correction two terms of the derivative's series will do, and below one.
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
        // Of whole numbers the result has the sign of the number, even where the sine comes from above.
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
