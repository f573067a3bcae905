// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! OpenCL's functions of integers, which are exact.

use spirv::OpenclStd100Op as Cl;

use crate::value::{mask, signed};

/// A number of a width with its sign, or without.
fn number(bits: u64, width: u32, is_signed: bool) -> i128 {
    if is_signed {
        signed(bits, width).into()
    } else {
        (bits & mask(width)).into()
    }
}

fn bits(value: i128, width: u32) -> u64 {
    value as u64 & mask(width)
}

fn saturated(value: i128, width: u32, is_signed: bool) -> u64 {
    let (low, high) = if is_signed {
        (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
    } else {
        (0, (1i128 << width) - 1)
    };
    bits(value.clamp(low, high), width)
}

/// The zeros in front.
pub(crate) fn clz(a: u64, width: u32) -> u64 {
    (a.leading_zeros() - (64 - width)).into()
}

/// The zeros behind; all, if there is no one.
pub(crate) fn ctz(a: u64, width: u32) -> u64 {
    a.trailing_zeros().min(width).into()
}

/// The distance, without sign.
pub(crate) fn abs_diff(a: u64, b: u64, width: u32, is_signed: bool) -> u64 {
    let difference = number(a, width, is_signed) - number(b, width, is_signed);
    bits(difference.abs(), width)
}

pub(crate) fn add_sat(a: u64, b: u64, width: u32, is_signed: bool) -> u64 {
    saturated(
        number(a, width, is_signed) + number(b, width, is_signed),
        width,
        is_signed,
    )
}

pub(crate) fn sub_sat(a: u64, b: u64, width: u32, is_signed: bool) -> u64 {
    saturated(
        number(a, width, is_signed) - number(b, width, is_signed),
        width,
        is_signed,
    )
}

/// Half of the sum, rounded down.
pub(crate) fn hadd(a: u64, b: u64, width: u32, is_signed: bool) -> u64 {
    bits((number(a, width, is_signed) + number(b, width, is_signed)) >> 1, width)
}

/// Half of the sum, rounded up.
pub(crate) fn rhadd(a: u64, b: u64, width: u32, is_signed: bool) -> u64 {
    bits(
        (number(a, width, is_signed) + number(b, width, is_signed) + 1) >> 1,
        width,
    )
}

/// Whether a function takes its operands as signed numbers.
fn is_signed(function: Cl) -> bool {
    format!("{function:?}").starts_with("s_")
}

/// A function of one number.
pub(crate) fn one(function: Cl, a: u64, width: u32) -> Option<u64> {
    Some(match function {
        // The magnitude of the lowest number is itself.
        Cl::s_abs => bits(number(a, width, true).abs(), width),
        Cl::u_abs => a,
        Cl::clz => clz(a, width),
        Cl::ctz => ctz(a, width),
        Cl::popcount => a.count_ones().into(),
        _ => return None,
    })
}

/// A function of two.
pub(crate) fn two(function: Cl, a: u64, b: u64, width: u32) -> Option<u64> {
    let is_signed = is_signed(function);
    let number = |bits| number(bits, width, is_signed);
    // The low 24 bits, as a number.
    let low = |bits: u64| {
        let low = bits & mask(24);
        if is_signed {
            signed(low, 24).into()
        } else {
            i128::from(low)
        }
    };
    Some(match function {
        Cl::s_abs_diff | Cl::u_abs_diff => abs_diff(a, b, width, is_signed),
        Cl::s_add_sat | Cl::u_add_sat => add_sat(a, b, width, is_signed),
        Cl::s_sub_sat | Cl::u_sub_sat => sub_sat(a, b, width, is_signed),
        Cl::s_hadd | Cl::u_hadd => hadd(a, b, width, is_signed),
        Cl::s_rhadd | Cl::u_rhadd => rhadd(a, b, width, is_signed),
        Cl::s_max | Cl::u_max => bits(number(a).max(number(b)), width),
        Cl::s_min | Cl::u_min => bits(number(a).min(number(b)), width),
        Cl::s_mul_hi | Cl::u_mul_hi => high_product(a, b, width, is_signed),
        Cl::rotate => {
            let by = (b % u64::from(width)) as u32;
            let right = if by == 0 { 0 } else { a >> (width - by) };
            (a << by | right) & mask(width)
        }
        Cl::s_mul24 | Cl::u_mul24 => bits(low(a) * low(b), width),
        _ => return None,
    })
}

fn high_product(a: u64, b: u64, width: u32, is_signed: bool) -> u64 {
    if is_signed {
        let product = i128::from(signed(a, width)) * i128::from(signed(b, width));
        bits(product >> width, width)
    } else {
        let product = u128::from(a) * u128::from(b);
        (product >> width) as u64 & mask(width)
    }
}

/// A function of three.
pub(crate) fn three(function: Cl, a: u64, b: u64, c: u64, width: u32) -> Option<u64> {
    let is_signed = is_signed(function);
    let number = |bits| number(bits, width, is_signed);
    Some(match function {
        // An interval that is empty makes the result undefined; the caller has looked.
        Cl::s_clamp | Cl::u_clamp => bits(number(a).max(number(b)).min(number(c)), width),
        Cl::s_mad_hi | Cl::u_mad_hi => high_product(a, b, width, is_signed).wrapping_add(c) & mask(width),
        Cl::s_mad_sat | Cl::u_mad_sat => {
            let product = number(a).checked_mul(number(b)).unwrap_or(i128::MAX);
            saturated(product.saturating_add(number(c)), width, is_signed)
        }
        Cl::s_mad24 | Cl::u_mad24 => {
            let multiply = if is_signed { Cl::s_mul24 } else { Cl::u_mul24 };
            two(multiply, a, b, width)?.wrapping_add(c) & mask(width)
        }
        Cl::bitselect => a & !c | b & c,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against Rust's own arithmetic, for all pairs of bytes.
    #[test]
    fn bytes() {
        for x in 0..=255u8 {
            for y in 0..=255u8 {
                let (a, b) = (u64::from(x), u64::from(y));
                let (i, j) = (x as i8, y as i8);
                let signed = |value: i8| u64::from(value as u8);
                assert_eq!(two(Cl::u_add_sat, a, b, 8), Some(x.saturating_add(y).into()));
                assert_eq!(two(Cl::s_add_sat, a, b, 8), Some(signed(i.saturating_add(j))));
                assert_eq!(two(Cl::u_sub_sat, a, b, 8), Some(x.saturating_sub(y).into()));
                assert_eq!(two(Cl::s_sub_sat, a, b, 8), Some(signed(i.saturating_sub(j))));
                assert_eq!(two(Cl::u_abs_diff, a, b, 8), Some(x.abs_diff(y).into()));
                assert_eq!(two(Cl::s_abs_diff, a, b, 8), Some(i.abs_diff(j).into()));
                assert_eq!(two(Cl::u_max, a, b, 8), Some(x.max(y).into()));
                assert_eq!(two(Cl::s_min, a, b, 8), Some(signed(i.min(j))));
                assert_eq!(two(Cl::rotate, a, b, 8), Some(x.rotate_left(u32::from(y) % 8).into()));
                let high = ((i16::from(i) * i16::from(j)) >> 8) as i8;
                assert_eq!(two(Cl::s_mul_hi, a, b, 8), Some(signed(high)));
                assert_eq!(
                    two(Cl::u_hadd, a, b, 8),
                    Some(((u16::from(x) + u16::from(y)) >> 1).into())
                );
                let average = ((i16::from(i) + i16::from(j) + 1) >> 1) as i8;
                assert_eq!(two(Cl::s_rhadd, a, b, 8), Some(signed(average)));
            }
            assert_eq!(one(Cl::clz, x.into(), 8), Some(x.leading_zeros().into()));
            assert_eq!(one(Cl::ctz, x.into(), 8), Some(x.trailing_zeros().into()));
            assert_eq!(one(Cl::s_abs, x.into(), 8), Some((x as i8).unsigned_abs().into()));
        }
    }

    #[test]
    fn words() {
        let high = |a: u64, b: u64| ((u128::from(a) * u128::from(b)) >> 64) as u64;
        assert_eq!(
            two(Cl::u_mul_hi, u64::MAX, u64::MAX, 64),
            Some(high(u64::MAX, u64::MAX))
        );
        assert_eq!(two(Cl::s_mul_hi, u64::MAX, u64::MAX, 64), Some(0));
        assert_eq!(three(Cl::u_mad_sat, u64::MAX, u64::MAX, 1, 64), Some(u64::MAX));
        assert_eq!(three(Cl::s_mad_sat, 1 << 63, u64::MAX, 0, 64), Some(i64::MAX as u64));
        assert_eq!(three(Cl::s_mad_sat, 0x8000_0000, 2, 5, 32), Some(0x8000_0000));
        assert_eq!(two(Cl::s_mul24, 0xff_ffff, 2, 32), Some(0xffff_fffe));
        assert_eq!(two(Cl::u_mul24, 0xff_ffff, 2, 32), Some(0x1ff_fffe));
        assert_eq!(three(Cl::bitselect, 0b1100, 0b1010, 0b0110, 32), Some(0b1010));
    }
}
