// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Roots: `rootn`; `hypot`, which programs linked with glibc 2.35 or newer take from no older one; and `cbrt` of f64. The
//! error of glibc 2.36's `cbrt` is up to 3.7 ulp, but OpenCL allows 2.

use super::libm;

/// The cube root: that of the C library, improved by a step of Newton's method with an accurate residual.
pub extern "C" fn cbrt_f64(x: f64) -> f64 {
    // Scales the ends of the range, where the cube would overflow or its low half would underflow.
    let (x, back) = match x.abs() {
        a if a > 1e300 => (x * two_to(-300), two_to(100)),
        a if a < 1e-200 => (x * two_to(600), two_to(-200)),
        _ => (x, 1.0),
    };
    let y = libm::cbrt(x);
    if y == 0.0 || !y.is_finite() {
        return y;
    }
    // The residual y^3 - x, with y^2 and y^3 as unevaluated sums.
    let square = y * y;
    let square_low = libm::fma(y, y, -square);
    let cube = square * y;
    let cube_low = libm::fma(square, y, -cube) + square_low * y;
    (y - ((cube - x) + cube_low) / (3.0 * square)) * back
}

/// The reciprocal square root.
pub extern "C" fn rsqrt_f32(x: f32) -> f32 {
    (1.0 / f64::from(x).sqrt()) as f32
}

/// 2^n.
const fn two_to(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// The `n`th root: OpenCL C 3.0, sections 6.15.2 and 7.5.1.
pub extern "C" fn rootn_f64(x: f64, n: i32) -> f64 {
    if n == 0 || x.is_nan() || (x < 0.0 && n & 1 == 0) {
        return f64::NAN;
    }
    let magnitude = x.abs();
    let root = if magnitude == 0.0 || magnitude.is_infinite() {
        // 0 for the positive roots of 0 and the negative roots of infinity.
        if (magnitude == 0.0) == (n > 0) {
            0.0
        } else {
            f64::INFINITY
        }
    } else if n == -1 {
        // Only this root may overflow, and the correction below would turn infinity into NaN.
        1.0 / magnitude
    } else {
        // 1/n = high + low, and x^(high + low) is about x^high (1 + low ln x), because low ln x is tiny.
        let n = f64::from(n);
        let high = 1.0 / n;
        let low = libm::fma(-n, high, 1.0) / n;
        let root = libm::pow(magnitude, high);
        root + root * (low * libm::log(magnitude))
    };
    if n & 1 != 0 { root.copysign(x) } else { root }
}

/// The `n`th root.
pub extern "C" fn rootn_f32(x: f32, n: i32) -> f32 {
    rootn_f64(x.into(), n) as f32
}

/// The root of x^2 + y^2, without overflow or underflow of the squares.
pub extern "C" fn hypot_f64(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    // Before NaN: the other side of an infinite triangle does not matter.
    if x.is_infinite() || y.is_infinite() {
        return f64::INFINITY;
    }
    // `max` and `min` would drop a NaN.
    let (long, short) = if x < y { (y, x) } else { (x, y) };
    // Too short to change more than the last bit of the sum. Among these are the subnormal ones beside longer sides.
    if short <= long * two_to(-54) {
        return long + short;
    }
    // Where the squares and their low halves are normal numbers.
    let (scale, back) = match long {
        _ if long > two_to(500) => (two_to(-600), two_to(600)),
        _ if long < two_to(-400) => (two_to(700), two_to(-700)),
        _ => (1.0, 1.0),
    };
    let (long, short) = (long * scale, short * scale);
    let root = libm::fma(long, long, short * short).sqrt();
    // A step of Newton's method with the residual root^2 - long^2 - short^2, each square as a sum of two numbers.
    let (square, long_square) = (root * root, long * long);
    let residual = libm::fma(-short, short, square - long_square) + libm::fma(root, root, -square)
        - libm::fma(long, long, -long_square);
    (root - residual / (2.0 * root)) * back
}

/// The root of x^2 + y^2.
pub extern "C" fn hypot_f32(x: f32, y: f32) -> f32 {
    if x.is_infinite() || y.is_infinite() {
        return f32::INFINITY;
    }
    let (x, y) = (f64::from(x), f64::from(y));
    (x * x + y * y).sqrt() as f32
}
