// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! OpenCL's functions that need not be rounded correctly, by the crate `libm` in double precision; and how large their
//! errors may be.

use std::f64::consts::PI;

use spirv::OpenclStd100Op as Cl;

use crate::float::{self, from_f64, to_f64};

/// The sine of a number times π, which is reduced exactly.
fn sin_pi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    // Zeros of whole numbers have the sign of the number.
    let rest = libm::fmod(x.abs(), 2.0);
    let value = match rest {
        0.0 | 1.0 => 0.0,
        r if r <= 0.25 => libm::sin(PI * r),
        r if r < 0.75 => libm::cos(PI * (0.5 - r)),
        r if r <= 1.25 => libm::sin(PI * (1.0 - r)),
        r if r < 1.75 => -libm::cos(PI * (1.5 - r)),
        r => libm::sin(PI * (r - 2.0)),
    };
    if x.is_sign_negative() { -value } else { value }
}

fn cos_pi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let rest = libm::fmod(x.abs(), 2.0);
    match rest {
        0.5 | 1.5 => 0.0,
        r if r <= 0.25 => libm::cos(PI * r),
        r if r < 0.75 => libm::sin(PI * (0.5 - r)),
        r if r <= 1.25 => -libm::cos(PI * (1.0 - r)),
        r if r < 1.75 => libm::sin(PI * (r - 1.5)),
        r => libm::cos(PI * (r - 2.0)),
    }
}

fn tan_pi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let rest = libm::fmod(x.abs(), 2.0);
    let value = match rest {
        // The sign of zero is that of x for even numbers, the other for odd ones.
        0.0 => 0.0,
        1.0 => -0.0,
        0.5 => f64::INFINITY,
        1.5 => f64::NEG_INFINITY,
        r => sin_pi(r) / cos_pi(r),
    };
    if x.is_sign_negative() { -value } else { value }
}

/// `x` to the power of a whole number; `pow` knows what to do with it.
fn pow_n(x: f64, n: i64) -> f64 {
    libm::pow(x, n as f64)
}

fn pow_r(x: f64, y: f64) -> f64 {
    let is_nan =
        x < 0.0 || x.is_nan() || y.is_nan() || y == 0.0 && (x == 0.0 || x.is_infinite()) || x == 1.0 && y.is_infinite();
    if is_nan { f64::NAN } else { libm::pow(x.abs(), y) }
}

fn root_n(x: f64, n: i64) -> f64 {
    let is_odd = n & 1 != 0;
    if n == 0 || x < 0.0 && !is_odd || x.is_nan() {
        return f64::NAN;
    }
    if x == 0.0 {
        let value = if n < 0 { f64::INFINITY } else { 0.0 };
        return if is_odd { value.copysign(x) } else { value };
    }
    if x.abs() < f64::MIN_POSITIVE && n.abs() < 1000 {
        // Of a small number a power does not have all digits; of a larger one by a power of 2^n it has.
        let steps = 60 / n.abs() + 1;
        let larger = libm::ldexp(x, (steps * n.abs()) as i32);
        return libm::ldexp(root_n(larger, n), (-steps * n.signum()) as i32);
    }
    let size = x.abs();
    let mut root = libm::pow(size, 1.0 / n as f64);
    // One step of Newton's: 1/n is not exact.
    if root.is_finite() && root != 0.0 && n.abs() > 1 && n.abs() < 1000 {
        let power = libm::pow(root, n as f64);
        if power.is_finite() && power != 0.0 {
            root -= root * ((power - size) / power) / n as f64;
        }
    }
    root.copysign(if is_odd { x } else { 1.0 })
}

/// A function of one number.
pub(crate) fn one(function: Cl, a: u64, width: u32) -> Option<u64> {
    let by = |f: &dyn Fn(f64) -> f64| Some(from_f64(f(to_f64(a, width)), width));
    match function {
        Cl::acos => by(&libm::acos),
        // The crate gives numbers for some below 1.
        Cl::acosh => by(&|x| if x < 1.0 { f64::NAN } else { libm::acosh(x) }),
        Cl::acospi => by(&|x| libm::acos(x) / PI),
        Cl::asin => by(&libm::asin),
        Cl::asinh => by(&libm::asinh),
        Cl::asinpi => by(&|x| libm::asin(x) / PI),
        Cl::atan => by(&libm::atan),
        Cl::atanh => by(&libm::atanh),
        Cl::atanpi => by(&|x| libm::atan(x) / PI),
        Cl::cbrt => by(&libm::cbrt),
        Cl::cos | Cl::half_cos | Cl::native_cos => by(&libm::cos),
        Cl::cosh => by(&libm::cosh),
        Cl::cospi => by(&cos_pi),
        Cl::erf => by(&libm::erf),
        Cl::erfc => by(&libm::erfc),
        Cl::exp | Cl::half_exp | Cl::native_exp => by(&libm::exp),
        Cl::exp2 | Cl::half_exp2 | Cl::native_exp2 => by(&libm::exp2),
        Cl::exp10 | Cl::half_exp10 | Cl::native_exp10 => by(&libm::exp10),
        Cl::expm1 => by(&libm::expm1),
        Cl::lgamma => by(&libm::lgamma),
        Cl::log | Cl::half_log | Cl::native_log => by(&libm::log),
        Cl::log2 | Cl::half_log2 | Cl::native_log2 => by(&libm::log2),
        Cl::log10 | Cl::half_log10 | Cl::native_log10 => by(&libm::log10),
        Cl::log1p => by(&libm::log1p),
        Cl::rsqrt | Cl::half_rsqrt | Cl::native_rsqrt => by(&|x| 1.0 / libm::sqrt(x)),
        Cl::half_sqrt | Cl::native_sqrt => by(&libm::sqrt),
        Cl::half_recip | Cl::native_recip => by(&|x| 1.0 / x),
        Cl::sin | Cl::half_sin | Cl::native_sin => by(&libm::sin),
        Cl::sinh => by(&libm::sinh),
        Cl::sinpi => by(&sin_pi),
        Cl::tan | Cl::half_tan | Cl::native_tan => by(&libm::tan),
        Cl::tanh => by(&libm::tanh),
        Cl::tanpi => by(&tan_pi),
        Cl::tgamma => by(&libm::tgamma),
        Cl::degrees => by(&|x| x * (180.0 / PI)),
        Cl::radians => by(&|x| x * (PI / 180.0)),
        _ => None,
    }
}

/// A function of two.
pub(crate) fn two(function: Cl, a: u64, b: u64, width: u32) -> Option<u64> {
    let by = |f: &dyn Fn(f64, f64) -> f64| Some(from_f64(f(to_f64(a, width), to_f64(b, width)), width));
    match function {
        Cl::atan2 => by(&libm::atan2),
        Cl::atan2pi => by(&|y, x| libm::atan2(y, x) / PI),
        Cl::hypot => by(&libm::hypot),
        Cl::pow => by(&libm::pow),
        Cl::powr | Cl::half_powr | Cl::native_powr => by(&pow_r),
        Cl::half_divide | Cl::native_divide => by(&|x, y| x / y),
        _ => None,
    }
}

/// A function of a number and an integer.
pub(crate) fn with_integer(function: Cl, a: u64, n: i64, width: u32) -> Option<u64> {
    let x = to_f64(a, width);
    match function {
        Cl::pown => Some(from_f64(pow_n(x, n), width)),
        Cl::rootn => Some(from_f64(root_n(x, n), width)),
        _ => None,
    }
}

/// A function of three.
pub(crate) fn three(function: Cl, a: u64, b: u64, c: u64, width: u32) -> Option<u64> {
    let [x, y, z] = [a, b, c].map(|bits| to_f64(bits, width));
    match function {
        // Rounded once, which is one of the ways that are right.
        Cl::mad => Some(float::fma(a, b, c, width)),
        Cl::mix => Some(from_f64(x + (y - x) * z, width)),
        Cl::smoothstep => {
            let t = ((z - x) / (y - x)).clamp(0.0, 1.0);
            let t = if t.is_nan() { f64::NAN } else { t };
            Some(from_f64(t * t * (3.0 - 2.0 * t), width))
        }
        _ => None,
    }
}

/// `lgamma_r`: also the sign of the gamma function.
pub(crate) fn lgamma_r(a: u64, width: u32) -> (u64, i32) {
    let (value, sign) = libm::lgamma_r(to_f64(a, width));
    (from_f64(value, width), sign)
}

/// `sincos`: the sine and the cosine.
pub(crate) fn sincos(a: u64, width: u32) -> (u64, u64) {
    let (sine, cosine) = libm::sincos(to_f64(a, width));
    (from_f64(sine, width), from_f64(cosine, width))
}

/// How far a function's result may be from the exact one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// It is exact, or rounded correctly.
    Exact,
    /// So many units in the last place.
    Ulps(f64),
    /// The specification sets no bound, or an absolute one.
    Open,
}

/// The error that OpenCL C 3.0 (7.4, full profile) allows to an instruction of OpenCL.std in a width.
pub fn tolerance(function: Cl, width: u32) -> Tolerance {
    use Tolerance::{Open, Ulps};
    let name = format!("{function:?}");
    if name.starts_with("native_") {
        return Open;
    }
    if name.starts_with("half_") {
        return Ulps(8192.0);
    }
    // Of float and double, and of half.
    let (wide, half) = match function {
        Cl::acos | Cl::asin | Cl::acosh | Cl::asinh | Cl::cos | Cl::sin | Cl::sincos | Cl::cosh | Cl::sinh => {
            (4.0, 2.0)
        }
        Cl::sinpi | Cl::cospi | Cl::hypot => (4.0, 2.0),
        Cl::acospi | Cl::asinpi | Cl::atan | Cl::atanpi | Cl::atanh | Cl::tan | Cl::tanh => (5.0, 2.0),
        Cl::atan2 | Cl::atan2pi | Cl::tanpi => (6.0, 2.0),
        Cl::cbrt | Cl::log1p => (2.0, 2.0),
        Cl::degrees | Cl::radians => (2.0, 2.0),
        Cl::exp | Cl::exp2 | Cl::exp10 | Cl::expm1 | Cl::log | Cl::log2 | Cl::log10 => (3.0, 2.0),
        Cl::erf | Cl::erfc | Cl::pow | Cl::pown | Cl::powr | Cl::rootn | Cl::tgamma => (16.0, 4.0),
        Cl::rsqrt => (2.0, 1.0),
        Cl::sqrt if width == 32 => (3.0, 0.0),
        Cl::mad | Cl::mix | Cl::smoothstep | Cl::lgamma | Cl::lgamma_r | Cl::cross => return Open,
        Cl::length | Cl::distance | Cl::normalize | Cl::fast_length | Cl::fast_distance | Cl::fast_normalize => {
            return Open;
        }
        _ => return Tolerance::Exact,
    };
    Ulps(if width == 16 { half } else { wide })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that the specification or mathematics gives exactly.
    #[test]
    fn exact_points() {
        for (x, sine, cosine) in [
            (0.5, 1.0, 0.0),
            (1.0, 0.0, -1.0),
            (1.5, -1.0, 0.0),
            (4.0, 0.0, 1.0),
            (1e300, 0.0, 1.0),
        ] {
            assert_eq!((sin_pi(x), cos_pi(x)), (sine, cosine), "{x}");
            assert_eq!((sin_pi(-x), cos_pi(-x)), (-sine, cosine), "{x}");
        }
        for x in [0.1, 0.3, 0.7, 0.9, 1.1, 1.3, 1.6, 1.9] {
            assert!((sin_pi(x) - (PI * x).sin()).abs() < 1e-15, "{x}");
            assert!((cos_pi(x) - (PI * x).cos()).abs() < 1e-15, "{x}");
        }
        assert!((tan_pi(0.25) - 1.0).abs() < 1e-15);
        assert!(tan_pi(-1.0) == 0.0 && tan_pi(-1.0).is_sign_positive());
        assert!(pow_r(-1.0, 2.0).is_nan() && pow_r(0.0, 0.0).is_nan());
        assert_eq!(root_n(-27.0, 3), -3.0);
        assert_eq!(root_n(-0.0, -3), f64::NEG_INFINITY);
        assert!(root_n(-4.0, 2).is_nan());
        assert_eq!(pow_n(-2.0, 3), -8.0);
    }
}
