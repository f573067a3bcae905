// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `fmod`, `remainder` and `remquo`, exactly.
//!
//! Both numbers are integers times a power of two, so this is an integer division: a long division with as many bits per
//! step as fit in a register (older versions of glibc take one bit per step). The functions of f32 compute in f64, which
//! represents their results exactly.

/// Divides `|x|` by `|y|`, which must be finite, `y` not 0. Returns the remainder of the truncated quotient, and the
/// quotient's low bits.
fn divide(x: f64, y: f64) -> (f64, u64) {
    let (x, y) = (x.abs(), y.abs());
    if x < y {
        return (x, 0);
    }
    // If the exponents are close together, which is common, one or two steps suffice.
    let ((x, x_exponent), (y, y_exponent)) = (parts(x), parts(y));
    let mut quotient = x / y;
    let mut rest = x % y;
    let mut steps = x_exponent - y_exponent;
    while steps > 0 && rest != 0 {
        // `rest < y`, so this shift cannot overflow.
        let step = steps.min(y.leading_zeros());
        rest <<= step;
        quotient = shifted(quotient, step).wrapping_add(rest / y);
        rest %= y;
        steps -= step;
    }
    (rest as f64 * two_to(y_exponent), shifted(quotient, steps))
}

/// Shifts left by any number of bits.
fn shifted(x: u64, bits: u32) -> u64 {
    x.checked_shl(bits).unwrap_or(0)
}

/// A positive finite number as an integer and an exponent: integer times 2^(exponent - 1074).
fn parts(x: f64) -> (u64, u32) {
    let bits = x.to_bits();
    match (bits >> 52) as u32 {
        0 => (bits, 0),
        exponent => (bits & ((1 << 52) - 1) | 1 << 52, exponent - 1),
    }
}

/// 2^(exponent - 1074), for an exponent of [`parts`]: at most 2^971.
fn two_to(exponent: u32) -> f64 {
    match exponent {
        0..52 => f64::from_bits(1 << exponent),
        _ => f64::from_bits(u64::from(exponent - 51) << 52),
    }
}

/// The remainder for the quotient rounded to nearest even, and the quotient's low bits.
fn nearest(x: f64, y: f64) -> (f64, u64) {
    let (mut rest, mut quotient) = divide(x, y);
    let y = y.abs();
    // This may overflow to infinity, which compares correctly with `y`.
    let twice = rest * 2.0;
    if twice > y || (twice == y && quotient & 1 == 1) {
        rest -= y;
        quotient = quotient.wrapping_add(1);
    }
    // The sign is that of `x`, also for a remainder of 0.
    (if x.is_sign_negative() { -rest } else { rest }, quotient)
}

/// Whether the remainder is a number. An infinite `y` is allowed: the quotient is then 0.
fn divides(x: f64, y: f64) -> bool {
    x.is_finite() && !y.is_nan() && y != 0.0
}

/// `x - y trunc(x / y)`.
pub extern "C" fn fmod_f64(x: f64, y: f64) -> f64 {
    if !divides(x, y) {
        return f64::NAN;
    }
    if y.is_infinite() { x } else { divide(x, y).0.copysign(x) }
}

/// `x - y rint(x / y)`.
pub extern "C" fn remainder_f64(x: f64, y: f64) -> f64 {
    if !divides(x, y) {
        return f64::NAN;
    }
    if y.is_infinite() { x } else { nearest(x, y).0 }
}

/// The quotient of `remquo`: its low seven bits with its sign, or 0 if the remainder is NaN.
pub extern "C" fn remquo_f64(x: f64, y: f64) -> i32 {
    if !divides(x, y) || y.is_infinite() {
        return 0;
    }
    let quotient = (nearest(x, y).1 & 0x7F) as i32;
    if x.is_sign_negative() != y.is_sign_negative() {
        -quotient
    } else {
        quotient
    }
}

/// `x - y trunc(x / y)`.
pub extern "C" fn fmod_f32(x: f32, y: f32) -> f32 {
    fmod_f64(x.into(), y.into()) as f32
}

/// `x - y rint(x / y)`.
pub extern "C" fn remainder_f32(x: f32, y: f32) -> f32 {
    remainder_f64(x.into(), y.into()) as f32
}

/// The quotient of `remquo`.
pub extern "C" fn remquo_f32(x: f32, y: f32) -> i32 {
    remquo_f64(x.into(), y.into())
}
