// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Floating-point numbers of 16, 32 and 64 bits: exact conversions, and arithmetic that is rounded once.

use crate::value::mask;

/// How a result is rounded that is between two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    NearestEven,
    Zero,
    Positive,
    Negative,
}

impl Rounding {
    /// Whether a magnitude goes up: `rest` compares what is cut off with one half of the last place.
    fn goes_up(self, negative: bool, is_odd: bool, rest: Rest) -> bool {
        match self {
            Self::NearestEven => rest == Rest::Above || rest == Rest::Half && is_odd,
            Self::Zero => false,
            Self::Positive => !negative && rest != Rest::None,
            Self::Negative => negative && rest != Rest::None,
        }
    }
}

/// What is cut off, in halves of the last place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    None,
    Below,
    Half,
    Above,
}

/// How many bits the fraction and the exponent have.
fn format(width: u32) -> (u32, u32) {
    match width {
        16 => (10, 5),
        32 => (23, 8),
        _ => (52, 11),
    }
}

/// A number taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    Nan,
    Infinite {
        negative: bool,
    },
    /// `mantissa * 2^exponent`.
    Finite {
        negative: bool,
        mantissa: u64,
        exponent: i32,
    },
}

/// The parts of a number.
pub(crate) fn parts(bits: u64, width: u32) -> Parts {
    let (fraction_bits, exponent_bits) = format(width);
    let negative = bits >> (width - 1) & 1 != 0;
    let fraction = bits & mask(fraction_bits);
    let exponent = (bits >> fraction_bits & mask(exponent_bits)) as i32;
    let bias = (1 << (exponent_bits - 1)) - 1;
    let highest = mask(exponent_bits) as i32;
    if exponent == highest {
        return if fraction == 0 {
            Parts::Infinite { negative }
        } else {
            Parts::Nan
        };
    }
    let (mantissa, exponent) = if exponent == 0 {
        (fraction, 1 - bias - fraction_bits as i32)
    } else {
        (fraction | 1 << fraction_bits, exponent - bias - fraction_bits as i32)
    };
    Parts::Finite {
        negative,
        mantissa,
        exponent,
    }
}

/// The quiet NaN of a width.
pub(crate) fn nan(width: u32) -> u64 {
    let (fraction_bits, _) = format(width);
    infinity(width) | 1 << (fraction_bits - 1)
}

/// Positive infinity.
pub(crate) fn infinity(width: u32) -> u64 {
    let (fraction_bits, exponent_bits) = format(width);
    mask(exponent_bits) << fraction_bits
}

/// Shifts right and says what is cut off.
fn shift_right(value: u128, by: u32) -> (u128, Rest) {
    if by == 0 {
        return (value, Rest::None);
    }
    if by > 127 {
        return (0, if value == 0 { Rest::None } else { Rest::Below });
    }
    let (high, low, half) = (value >> by, value & ((1 << by) - 1), 1u128 << (by - 1));
    let rest = match low.cmp(&half) {
        _ if low == 0 => Rest::None,
        std::cmp::Ordering::Less => Rest::Below,
        std::cmp::Ordering::Equal => Rest::Half,
        std::cmp::Ordering::Greater => Rest::Above,
    };
    (high, rest)
}

/// The number of a width next to `mantissa * 2^exponent`.
pub(crate) fn encode(negative: bool, mantissa: u128, exponent: i32, width: u32, rounding: Rounding) -> u64 {
    let (fraction_bits, exponent_bits) = format(width);
    let sign = u64::from(negative) << (width - 1);
    if mantissa == 0 {
        return sign;
    }
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let lowest = 1 - bias - fraction_bits as i32;
    let length = 128 - mantissa.leading_zeros() as i32;
    // The exponent of the last place.
    let last = (exponent + length - 1 - fraction_bits as i32).max(lowest);
    let shift = last - exponent;
    let (mut kept, rest) = if shift <= 0 {
        (mantissa << -shift, Rest::None)
    } else {
        shift_right(mantissa, shift as u32)
    };
    let mut last = last;
    if rounding.goes_up(negative, kept & 1 != 0, rest) {
        kept += 1;
        if kept >> (fraction_bits + 1) != 0 {
            kept >>= 1;
            last += 1;
        }
    }
    let kept = kept as u64;
    if kept >> fraction_bits == 0 {
        return sign | kept;
    }
    let biased = i64::from(last) + i64::from(bias) + i64::from(fraction_bits);
    if biased >= mask(exponent_bits) as i64 {
        let stays_finite = match rounding {
            Rounding::NearestEven => false,
            Rounding::Zero => true,
            Rounding::Positive => negative,
            Rounding::Negative => !negative,
        };
        return sign | (infinity(width) - u64::from(stays_finite));
    }
    sign | (biased as u64) << fraction_bits | kept & mask(fraction_bits)
}

/// A number in another width.
pub(crate) fn convert(bits: u64, from: u32, to: u32, rounding: Rounding) -> u64 {
    match parts(bits, from) {
        Parts::Nan => nan(to),
        Parts::Infinite { negative } => infinity(to) | u64::from(negative) << (to - 1),
        Parts::Finite {
            negative,
            mantissa,
            exponent,
        } => encode(negative, mantissa.into(), exponent, to, rounding),
    }
}

/// An integer as a floating-point number.
pub(crate) fn from_int(value: i128, width: u32, rounding: Rounding) -> u64 {
    encode(value < 0, value.unsigned_abs(), 0, width, rounding)
}

/// The integer next to a number; None for NaN. Numbers beyond 2^100 become that.
pub(crate) fn to_int(bits: u64, width: u32, rounding: Rounding) -> Option<i128> {
    let (negative, magnitude) = match parts(bits, width) {
        Parts::Nan => return None,
        Parts::Infinite { negative } => (negative, 1 << 100),
        Parts::Finite {
            negative,
            mantissa,
            exponent,
        } => {
            let mantissa = u128::from(mantissa);
            let magnitude = if mantissa == 0 {
                0
            } else if exponent > 60 {
                1 << 100
            } else if exponent >= 0 {
                (mantissa << exponent).min(1 << 100)
            } else {
                let (kept, rest) = shift_right(mantissa, exponent.unsigned_abs());
                kept + u128::from(rounding.goes_up(negative, kept & 1 != 0, rest))
            };
            (negative, magnitude)
        }
    };
    let magnitude = magnitude as i128;
    Some(if negative { -magnitude } else { magnitude })
}

/// The value, which a `f64` has exactly.
pub(crate) fn to_f64(bits: u64, width: u32) -> f64 {
    match width {
        64 => f64::from_bits(bits),
        32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(convert(bits, width, 64, Rounding::NearestEven)),
    }
}

/// The number of a width next to a value; there is one NaN.
pub(crate) fn from_f64(value: f64, width: u32) -> u64 {
    match width {
        _ if value.is_nan() => nan(width),
        64 => value.to_bits(),
        32 => (value as f32).to_bits().into(),
        _ => convert(value.to_bits(), 64, width, Rounding::NearestEven),
    }
}

/// An operation of two numbers, in their width. What `f64` computes of numbers of 16 bits is rounded once more without
/// harm: it has more than twice as many digits.
pub(crate) fn binary(
    a: u64,
    b: u64,
    width: u32,
    single: impl Fn(f32, f32) -> f32,
    double: impl Fn(f64, f64) -> f64,
) -> u64 {
    match width {
        32 => {
            let value = single(f32::from_bits(a as u32), f32::from_bits(b as u32));
            if value.is_nan() {
                nan(32)
            } else {
                value.to_bits().into()
            }
        }
        _ => from_f64(double(to_f64(a, width), to_f64(b, width)), width),
    }
}

/// The sum, rounded once.
pub(crate) fn add(a: u64, b: u64, width: u32) -> u64 {
    binary(a, b, width, |a, b| a + b, |a, b| a + b)
}

/// The difference.
pub(crate) fn sub(a: u64, b: u64, width: u32) -> u64 {
    binary(a, b, width, |a, b| a - b, |a, b| a - b)
}

/// The product.
pub(crate) fn mul(a: u64, b: u64, width: u32) -> u64 {
    binary(a, b, width, |a, b| a * b, |a, b| a * b)
}

/// The quotient.
pub(crate) fn div(a: u64, b: u64, width: u32) -> u64 {
    binary(a, b, width, |a, b| a / b, |a, b| a / b)
}

/// The remainder with the sign of the dividend, which is exact.
pub(crate) fn rem(a: u64, b: u64, width: u32) -> u64 {
    from_f64(libm::fmod(to_f64(a, width), to_f64(b, width)), width)
}

/// The root.
pub(crate) fn sqrt(a: u64, width: u32) -> u64 {
    match width {
        32 => from_f64(libm::sqrtf(f32::from_bits(a as u32)).into(), 32),
        _ => from_f64(libm::sqrt(to_f64(a, width)), width),
    }
}

/// `a * b + c`, rounded once.
pub(crate) fn fma(a: u64, b: u64, c: u64, width: u32) -> u64 {
    match width {
        32 => {
            let value = libm::fmaf(
                f32::from_bits(a as u32),
                f32::from_bits(b as u32),
                f32::from_bits(c as u32),
            );
            if value.is_nan() {
                nan(32)
            } else {
                value.to_bits().into()
            }
        }
        64 => from_f64(libm::fma(f64::from_bits(a), f64::from_bits(b), f64::from_bits(c)), 64),
        _ => {
            // The product is exact. The sum is rounded to odd, so that a second rounding knows what the first cut off.
            let (product, c) = (to_f64(a, width) * to_f64(b, width), to_f64(c, width));
            let sum = product + c;
            if !sum.is_finite() {
                return from_f64(sum, width);
            }
            let back = sum - product;
            let error = (product - (sum - back)) + (c - back);
            let mut bits = sum.to_bits();
            if error != 0.0 && bits & 1 == 0 {
                let away = (error > 0.0) == (sum > 0.0);
                bits = if away { bits + 1 } else { bits - 1 };
            }
            from_f64(f64::from_bits(bits), width)
        }
    }
}

/// Whether it is a NaN.
pub(crate) fn is_nan(bits: u64, width: u32) -> bool {
    parts(bits, width) == Parts::Nan
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What IEEE 754 and Rust's own conversions say.
    #[test]
    fn numbers_are_rounded_as_ieee_says() {
        let n = Rounding::NearestEven;
        for (value, half) in [
            (1.0, 0x3c00),
            (65504.0, 0x7bff),
            (65519.0, 0x7bff),
            (65520.0, 0x7c00),
            (2f64.powi(-24), 1),
            (2f64.powi(-25), 0),
            (-2f64.powi(-25) * 1.0001, 0x8001),
            (1.0 + 2f64.powi(-11), 0x3c00),
            (1.0 + 3.0 * 2f64.powi(-11), 0x3c02),
            (-0.0, 0x8000),
        ] {
            assert_eq!(convert(value.to_bits(), 64, 16, n), half, "{value}");
        }
        for bits in 0..=0xffffu64 {
            if !is_nan(bits, 16) {
                assert_eq!(from_f64(to_f64(bits, 16), 16), bits);
                assert_eq!(convert(convert(bits, 16, 32, n), 32, 16, n), bits);
            }
        }
        let mut x = 0x1234_5678_9abc_def1u64;
        for _ in 0..100_000 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            let value = f64::from_bits(x);
            if !value.is_nan() {
                assert_eq!(convert(x, 64, 32, n), u64::from((value as f32).to_bits()));
                assert_eq!(
                    to_int(x, 64, Rounding::Zero)
                        .unwrap()
                        .clamp(i64::MIN.into(), i64::MAX.into()),
                    (value as i64).into()
                );
            }
            assert_eq!(
                from_int(i128::from(x as i64), 32, n),
                u64::from((x as i64 as f32).to_bits())
            );
            assert_eq!(from_int(i128::from(x), 64, n), (x as f64).to_bits());
        }
    }

    #[test]
    fn directed_rounding() {
        let third = (1.0f64 / 3.0).to_bits();
        let near = (1.0f64 / 3.0) as f32;
        assert!(f64::from(near) > 1.0 / 3.0);
        let down = u64::from(near.to_bits()) - 1;
        assert_eq!(convert(third, 64, 32, Rounding::Zero), down);
        assert_eq!(convert(third, 64, 32, Rounding::Negative), down);
        assert_eq!(convert(third, 64, 32, Rounding::Positive), down + 1);
        assert_eq!(
            convert(third | 1 << 63, 64, 32, Rounding::Negative),
            (down + 1) | 1 << 31
        );
        assert_eq!(
            convert(1e300f64.to_bits(), 64, 32, Rounding::Zero),
            u64::from(f32::MAX.to_bits())
        );
        for (value, mode, expected) in [
            (2.5, Rounding::NearestEven, 2),
            (3.5, Rounding::NearestEven, 4),
            (-2.5, Rounding::Negative, -3),
            (-2.5, Rounding::Positive, -2),
            (-2.5, Rounding::Zero, -2),
            (0.1, Rounding::Positive, 1),
        ] {
            assert_eq!(
                to_int(f64::to_bits(value), 64, mode),
                Some(expected),
                "{value} {mode:?}"
            );
        }
    }

    /// A sum of two numbers with a third that decides about a tie.
    #[test]
    fn fma_of_halves_is_rounded_once() {
        let half = |x: f64| from_f64(x, 16);
        // 1 + 2^-11 is a tie; 2^-24 decides it upwards, -2^-24 downwards.
        let (a, b) = (half(2f64.powi(-5)), half(2f64.powi(-6)));
        assert_eq!(fma(a, b, half(1.0), 16), half(1.0));
        let b = half(2f64.powi(-6) * (1.0 + 2f64.powi(-10)));
        assert_eq!(fma(a, b, half(1.0), 16), half(1.0) + 1);
    }
}
