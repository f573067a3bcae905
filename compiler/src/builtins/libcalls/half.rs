// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Conversions of half and bfloat16: runtime library calls of LLVM for CPUs without the instructions.
//!
//! LLVM passes and returns a half in the low 16 bits of an SSE register. Rust has no stable type for it. An f32 is passed
//! in the same register with its bits unchanged, so it stands in for the half.

/// The bits of the half nearest to `x`, ties to even. It also serves f32, which converts to f64 exactly.
pub fn half_from_f64(x: f64) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    let exponent = (bits >> 52 & 0x7FF) as i32 - 1023;
    let fraction = bits & ((1 << 52) - 1);
    if exponent == 1024 {
        // Infinity, or NaN: a quiet one with the payload's upper bits.
        let nan = if fraction == 0 {
            0
        } else {
            0x200 | (fraction >> 42) as u16
        };
        return sign | 0x7C00 | nan;
    }
    if exponent > 15 {
        return sign | 0x7C00;
    }
    if exponent < -25 {
        // Less than half of the smallest denormal number rounds to 0.
        return sign;
    }
    let significand = fraction | 1 << 52;
    // The ulp of a half is 2^(exponent - 10), or 2^-24 for denormal numbers.
    let shift = if exponent < -14 { 42 + (-14 - exponent) } else { 42 } as u32;
    let whole = (significand >> shift) as u16;
    let rest = significand & ((1 << shift) - 1);
    let tie = 1 << (shift - 1);
    let up = rest > tie || (rest == tie && whole & 1 == 1);
    // The leading bit of a normal number adds 1 to the exponent, and so does a carry from rounding.
    let base = if exponent < -14 { 0 } else { (exponent + 14) as u16 } << 10;
    sign | (base + whole + u16::from(up))
}

/// The value of a half.
pub fn half_to_f32(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let fraction = u32::from(half & 0x3FF);
    let magnitude = match half >> 10 & 0x1F {
        0 => (fraction as f32 * f32::from_bits((127 - 24) << 23)).to_bits(),
        0x1F => 0x7F80_0000 | fraction << 13 | u32::from(fraction != 0) << 22,
        exponent => (u32::from(exponent) + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// `__extendhfsf2`.
pub extern "C" fn extend_half_f32(half: f32) -> f32 {
    half_to_f32(half.to_bits() as u16)
}

/// `__extendhfdf2`.
pub extern "C" fn extend_half_f64(half: f32) -> f64 {
    half_to_f32(half.to_bits() as u16).into()
}

/// `__truncsfhf2`.
pub extern "C" fn truncate_f32_half(x: f32) -> f32 {
    f32::from_bits(half_from_f64(x.into()).into())
}

/// `__truncdfhf2`.
pub extern "C" fn truncate_f64_half(x: f64) -> f32 {
    f32::from_bits(half_from_f64(x).into())
}

/// The bits of the bfloat16 nearest to `x`, ties to even.
pub fn bfloat_from_f32(x: f32) -> u16 {
    let bits = x.to_bits();
    if x.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16) as u16
}

/// `__truncsfbf2`.
pub extern "C" fn truncate_f32_bfloat(x: f32) -> f32 {
    f32::from_bits(bfloat_from_f32(x).into())
}

/// `__truncdfbf2`, by way of an f32. Rounding that to odd avoids an error from rounding twice.
pub extern "C" fn truncate_f64_bfloat(x: f64) -> f32 {
    let near = x as f32;
    let back = f64::from(near);
    let odd = if back == x || x.is_nan() || near.to_bits() & 1 == 1 {
        near
    } else if back.abs() > x.abs() {
        f32::from_bits(near.to_bits() - 1)
    } else {
        f32::from_bits(near.to_bits() + 1)
    };
    truncate_f32_bfloat(odd)
}

/// `__gnu_h2f_ieee`, which takes the half in an integer register.
pub extern "C" fn gnu_h2f(half: u16) -> f32 {
    half_to_f32(half)
}

/// `__gnu_f2h_ieee`.
pub extern "C" fn gnu_f2h(x: f32) -> u16 {
    half_from_f64(x.into())
}

/// `__fixhfti`.
pub extern "C" fn half_to_i128(half: f32) -> i128 {
    extend_half_f32(half) as i128
}

/// `__fixunshfti`.
pub extern "C" fn half_to_u128(half: f32) -> u128 {
    extend_half_f32(half) as u128
}

/// `__floattihf`. The conversion to f64 may round, but only numbers that are infinite as a half.
pub extern "C" fn i128_to_half(x: i128) -> f32 {
    truncate_f64_half(x as f64)
}

/// `__floatuntihf`.
pub extern "C" fn u128_to_half(x: u128) -> f32 {
    truncate_f64_half(x as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every half survives the way through f32 and f64; those around each boundary go where they belong.
    #[test]
    fn every_half_and_every_boundary() {
        for half in 0..=u16::MAX {
            let value = f64::from(half_to_f32(half));
            if value.is_nan() {
                assert_eq!(half_from_f64(value), half | 0x200);
                continue;
            }
            assert_eq!(half_from_f64(value), half, "{value:e}");
            // Towards the next one of greater magnitude: a tie goes to the even one, all else to the nearer one.
            if half & 0x7FFF < 0x7BFF {
                let next = f64::from(half_to_f32(half + 1));
                let middle = (value + next) / 2.0;
                let bits = middle.to_bits();
                assert_eq!(half_from_f64(middle), half + (half & 1), "{middle:e}");
                assert_eq!(half_from_f64(f64::from_bits(bits - 1)), half);
                assert_eq!(half_from_f64(f64::from_bits(bits + 1)), half + 1);
            }
        }
        assert_eq!(half_from_f64(65519.999), 0x7BFF);
        assert_eq!(half_from_f64(65520.0), 0x7C00);
        assert_eq!(half_from_f64(f64::MAX), 0x7C00);
        assert_eq!(half_from_f64(f64::MIN_POSITIVE), 0);
        assert_eq!(half_from_f64(-f64::INFINITY), 0xFC00);
    }

    #[test]
    fn bfloat() {
        let cases = [
            (1.0, 0x3F80),
            (1.003_906_25, 0x3F80),
            (1.011_718_75, 0x3F82),
            (1.003_906_250_000_1, 0x3F81),
        ];
        for (x, expected) in cases {
            assert_eq!(truncate_f64_bfloat(x).to_bits(), expected, "{x}");
        }
        assert_eq!(truncate_f64_bfloat(f64::MAX).to_bits(), 0x7F80);
        assert_eq!(truncate_f64_bfloat(f64::NAN).to_bits() & 0x7FC0, 0x7FC0);
        assert_eq!(bfloat_from_f32(f32::MAX), 0x7F80);
        assert_eq!(bfloat_from_f32(-f32::INFINITY), 0xFF80);
    }
}
