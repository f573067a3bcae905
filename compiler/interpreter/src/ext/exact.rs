// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! OpenCL's functions of floating-point numbers whose result is exact, or rounded correctly.

use std::cmp::Ordering;

use spirv::OpenclStd100Op as Cl;

use crate::float::{self, Parts, from_f64, is_nan, to_f64};
use crate::ops::arith;
use crate::value::mask;

/// The number without its sign.
fn magnitude(a: u64, width: u32) -> u64 {
    a & mask(width - 1)
}

fn is_negative(a: u64, width: u32) -> bool {
    a >> (width - 1) & 1 != 0
}

/// A function of one number.
pub(crate) fn one(function: Cl, a: u64, width: u32) -> Option<u64> {
    let by = |f: fn(f64) -> f64| from_f64(f(to_f64(a, width)), width);
    Some(match function {
        Cl::fabs => magnitude(a, width),
        Cl::ceil => by(libm::ceil),
        Cl::floor => by(libm::floor),
        Cl::trunc => by(libm::trunc),
        Cl::rint => by(libm::rint),
        Cl::round => by(libm::round),
        Cl::sqrt => float::sqrt(a, width),
        Cl::logb => match exponent(a, width) {
            Ok(exponent) => from_f64(exponent.into(), width),
            Err(Parts::Nan) => float::nan(width),
            Err(Parts::Infinite { .. }) => float::infinity(width),
            Err(_) => float::infinity(width) | 1 << (width - 1),
        },
        Cl::sign => match float::parts(a, width) {
            Parts::Nan => 0,
            Parts::Finite { mantissa: 0, .. } => a,
            _ => from_f64(if is_negative(a, width) { -1.0 } else { 1.0 }, width),
        },
        _ => return None,
    })
}

/// The exponent of a number that has one.
fn exponent(a: u64, width: u32) -> Result<i32, Parts> {
    match float::parts(a, width) {
        Parts::Finite { mantissa, exponent, .. } if mantissa != 0 => {
            Ok(exponent + 63 - mantissa.leading_zeros() as i32)
        }
        other => Err(other),
    }
}

/// `ilogb`, with the values of clang's header for zero, infinity and NaN.
pub(crate) fn ilogb(a: u64, width: u32) -> i32 {
    match exponent(a, width) {
        Ok(exponent) => exponent,
        Err(Parts::Finite { .. }) => i32::MIN,
        Err(_) => i32::MAX,
    }
}

fn order(a: u64, b: u64, width: u32) -> Option<Ordering> {
    to_f64(a, width).partial_cmp(&to_f64(b, width))
}

/// A function of two.
pub(crate) fn two(function: Cl, a: u64, b: u64, width: u32) -> Option<u64> {
    let larger = |a: u64, b: u64| match order(a, b, width) {
        None if is_nan(a, width) => b,
        None => a,
        Some(Ordering::Less) => b,
        // Zeros: the positive one is a right answer.
        Some(Ordering::Equal) if is_negative(a, width) => b,
        Some(_) => a,
    };
    let smaller = |a: u64, b: u64| match order(a, b, width) {
        None if is_nan(a, width) => b,
        None => a,
        Some(Ordering::Greater) => b,
        Some(Ordering::Equal) if is_negative(b, width) => b,
        Some(_) => a,
    };
    let by_magnitude = || order(magnitude(a, width), magnitude(b, width), width);
    Some(match function {
        Cl::fmax | Cl::fmax_common => larger(a, b),
        Cl::fmin | Cl::fmin_common => smaller(a, b),
        Cl::maxmag => match by_magnitude() {
            Some(Ordering::Greater) => a,
            Some(Ordering::Less) => b,
            _ => larger(a, b),
        },
        Cl::minmag => match by_magnitude() {
            Some(Ordering::Less) => a,
            Some(Ordering::Greater) => b,
            _ => smaller(a, b),
        },
        Cl::copysign => magnitude(a, width) | b & 1 << (width - 1),
        Cl::fdim => match order(a, b, width) {
            None => float::nan(width),
            Some(Ordering::Greater) => float::sub(a, b, width),
            Some(_) => 0,
        },
        Cl::fmod => float::rem(a, b, width),
        Cl::remainder => from_f64(libm::remainder(to_f64(a, width), to_f64(b, width)), width),
        Cl::nextafter => next_after(a, b, width),
        Cl::step => from_f64(
            if order(b, a, width) == Some(Ordering::Less) {
                0.0
            } else {
                1.0
            },
            width,
        ),
        _ => return None,
    })
}

fn next_after(a: u64, b: u64, width: u32) -> u64 {
    match order(a, b, width) {
        None => float::nan(width),
        Some(Ordering::Equal) => b,
        Some(to) if magnitude(a, width) == 0 => 1 | u64::from(to == Ordering::Greater) << (width - 1),
        // Away from zero if it goes on in the direction of the sign.
        Some(to) if (to == Ordering::Less) != is_negative(a, width) => a + 1,
        Some(_) => a - 1,
    }
}

/// A function of three.
pub(crate) fn three(function: Cl, a: u64, b: u64, c: u64, width: u32) -> Option<u64> {
    match function {
        Cl::fma => Some(float::fma(a, b, c, width)),
        Cl::fclamp => two(Cl::fmin, two(Cl::fmax, a, b, width)?, c, width),
        _ => None,
    }
}

/// `ldexp`, rounded once.
pub(crate) fn ldexp(a: u64, by: i32, width: u32) -> u64 {
    match float::parts(a, width) {
        Parts::Finite {
            negative,
            mantissa,
            exponent,
        } => float::encode(
            negative,
            mantissa.into(),
            exponent.saturating_add(by.clamp(-10_000, 10_000)),
            width,
            float::Rounding::NearestEven,
        ),
        Parts::Nan => float::nan(width),
        Parts::Infinite { .. } => a,
    }
}

/// `fract`: the fraction, and what is below.
pub(crate) fn fract(a: u64, width: u32) -> (u64, u64) {
    let floor = one(Cl::floor, a, width).unwrap_or(a);
    match float::parts(a, width) {
        Parts::Nan => (float::nan(width), float::nan(width)),
        // Of infinity it is a zero of its sign.
        Parts::Infinite { .. } => (a & 1 << (width - 1), a),
        Parts::Finite { mantissa: 0, .. } => (a, a),
        Parts::Finite { .. } => {
            // The difference may be rounded to one, which a fraction is not.
            let below_one = from_f64(1.0, width) - 1;
            let rest = float::sub(a, floor, width);
            (two(Cl::fmin, rest, below_one, width).unwrap_or(rest), floor)
        }
    }
}

/// `modf`: the fraction and the whole, both with the sign.
pub(crate) fn modf(a: u64, width: u32) -> (u64, u64) {
    let whole = one(Cl::trunc, a, width).unwrap_or(a);
    let sign = a & 1 << (width - 1);
    let rest = match float::parts(a, width) {
        Parts::Nan => float::nan(width),
        Parts::Infinite { .. } => sign,
        Parts::Finite { .. } => magnitude(float::sub(a, whole, width), width) | sign,
    };
    (rest, whole)
}

/// `frexp`: a mantissa from one half to one, and the exponent.
pub(crate) fn frexp(a: u64, width: u32) -> (u64, i32) {
    match exponent(a, width) {
        Ok(exponent) => (ldexp(a, -exponent - 1, width), exponent + 1),
        Err(Parts::Nan) => (float::nan(width), 0),
        Err(_) => (a, 0),
    }
}

/// `remquo`: the remainder, and the low seven bits of the quotient with its sign.
pub(crate) fn remquo(a: u64, b: u64, width: u32) -> (u64, i32) {
    let (x, y) = (to_f64(a, width), to_f64(b, width));
    if !x.is_finite() || y.is_nan() || y == 0.0 {
        return (float::nan(width), 0);
    }
    let (rest, quotient) = libm::remquo(x, y);
    let low = quotient.unsigned_abs() as i32 & 0x7f;
    (from_f64(rest, width), if quotient < 0 { -low } else { low })
}

/// The value of a number that a promise of fast math rules out is checked where it is used.
pub(crate) fn is_promised(flags: crate::module::Flags, width: u32, numbers: &[u64]) -> bool {
    flags.fast_math & 3 == 0 || arith::promised(flags, width, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(x: f32) -> u64 {
        x.to_bits().into()
    }

    /// From OpenCL C 3.0, 6.15.2 and 7.5.1.
    #[test]
    fn special_values() {
        let nan = f32::NAN;
        assert_eq!(two(Cl::fmax, f(nan), f(1.0), 32), Some(f(1.0)));
        assert_eq!(two(Cl::fmin, f(1.0), f(nan), 32), Some(f(1.0)));
        assert_eq!(two(Cl::fdim, f(1.0), f(2.0), 32), Some(f(0.0)));
        assert_eq!(two(Cl::nextafter, f(0.0), f(-1.0), 32), Some(f(-f32::from_bits(1))));
        assert_eq!(two(Cl::nextafter, f(1.0), f(2.0), 32), Some(f(1.0) + 1));
        assert_eq!(two(Cl::nextafter, f(-1.0), f(2.0), 32), Some(f(-1.0) - 1));
        assert_eq!(two(Cl::maxmag, f(-3.0), f(2.0), 32), Some(f(-3.0)));
        assert_eq!(one(Cl::logb, f(0.0), 32), Some(f(f32::NEG_INFINITY)));
        assert_eq!(one(Cl::logb, 1, 32), Some(f(-149.0)));
        assert_eq!(one(Cl::rint, f(2.5), 32), Some(f(2.0)));
        assert_eq!(one(Cl::round, f(-2.5), 32), Some(f(-3.0)));
        assert_eq!(fract(f(-1e-20), 32), (f(1.0) - 1, f(-1.0)));
        assert_eq!(fract(f(f32::INFINITY), 32), (0, f(f32::INFINITY)));
        assert_eq!(modf(f(-3.25), 32), (f(-0.25), f(-3.0)));
        assert_eq!(modf(f(f32::NEG_INFINITY), 32), (f(-0.0), f(f32::NEG_INFINITY)));
        assert_eq!(frexp(f(8.0), 32), (f(0.5), 4));
        assert_eq!(frexp(1, 32), (f(0.5), -148));
        assert_eq!(ldexp(f(1.0), -149, 32), 1);
        assert_eq!(ldexp(f(1.0), -150, 32), 0);
        assert_eq!(ldexp(f(1.5), 128, 32), f(f32::INFINITY));
        assert_eq!(remquo(f(-29.0), f(3.0), 32), (f(1.0), -10));
        assert_eq!((ilogb(f(0.0), 32), ilogb(f(10.0), 32)), (i32::MIN, 3));
    }
}
