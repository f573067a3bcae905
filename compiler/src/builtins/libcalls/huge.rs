// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sines, cosines and tangents of huge numbers that are close to a multiple of pi/2. The C library's argument reduction has
//! too few digits if the remainder is tiny: errors are up to 8 ulp, and 14 ulp for tangents. Here the remainder is computed
//! with enough digits. It is so small that it equals its sine.

use super::libm;

/// For smaller numbers the C library's reduction has enough digits.
pub const HUGE: f64 = (1u64 << 54) as f64;

/// For smaller results the square of the remainder is negligible.
const SMALL: f64 = 1.0 / (1u64 << 30) as f64;

/// The fraction bits of 2/pi.
const TWO_OVER_PI: [u64; 20] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// pi/2, times 2^63.
const HALF_PI: u64 = 0xc90f_daa2_2168_c235;

/// Reduces a number of at least [`HUGE`]: the nearest multiple of pi/2, modulo 4, and the remainder.
fn reduced(x: f64) -> (u64, f64) {
    // x = m 2^e. Leading bits of 2/pi whose products are multiples of 4 have no effect. The next 192 bits are used.
    let bits = x.abs().to_bits();
    let m = bits & ((1 << 52) - 1) | 1 << 52;
    let e = (bits >> 52) as usize - 1075;
    let start = e.saturating_sub(2);
    let word = |i: usize| {
        let (at, by) = (start / 64 + i, start % 64);
        TWO_OVER_PI[at] << by | TWO_OVER_PI[at + 1].checked_shr(64 - by as u32).unwrap_or(0)
    };
    // The product with m, modulo 2^192: two integer bits, then the fraction.
    let low = u128::from(m) * u128::from(word(2));
    let middle = u128::from(m) * u128::from(word(1)) + (low >> 64);
    let high = m.wrapping_mul(word(0)).wrapping_add((middle >> 64) as u64);
    let product = [high, middle as u64, low as u64];
    let quadrant = high >> 62;
    // The fraction is made signed, because the next multiple may be the nearest one.
    let is_above = high >> 61 & 1 != 0;
    let fraction = [
        high << 2 | product[1] >> 62,
        product[1] << 2 | product[2] >> 62,
        product[2] << 2,
    ];
    let fraction = if is_above { fraction.map(|w| !w) } else { fraction };
    // The 64 leading bits of the fraction, from the first one that is set.
    let (mut lead, mut exponent) = (fraction, -64);
    while lead[0] == 0 && exponent > -192 {
        lead = [lead[1], lead[2], 0];
        exponent -= 64;
    }
    let shift = lead[0].leading_zeros().min(63);
    let top = lead[0] << shift | lead[1].checked_shr(64 - shift).unwrap_or(0);
    let angle = (u128::from(top) * u128::from(HALF_PI)) >> 64;
    // `HALF_PI` has 63 fraction bits and `top` has 64; the shift above dropped 64 bits.
    let rest = angle as f64 * two_to(exponent - shift as i32 + 1);
    let rest = if is_above { -rest } else { rest };
    ((quadrant + u64::from(is_above)) & 3, rest)
}

/// 2^n.
fn two_to(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// Corrects a sine that the C library computed, if necessary.
pub fn correct_sin(x: f64, sin: f64) -> f64 {
    if !(x.abs() >= HUGE && sin.abs() < SMALL) {
        return sin;
    }
    let (quadrant, rest) = reduced(x);
    (if quadrant == 0 { rest } else { -rest }) * 1f64.copysign(x)
}

/// Corrects a cosine.
pub fn correct_cos(x: f64, cos: f64) -> f64 {
    if !(x.abs() >= HUGE && cos.abs() < SMALL) {
        return cos;
    }
    let (quadrant, rest) = reduced(x);
    if quadrant == 1 { -rest } else { rest }
}

/// Corrects a tangent.
pub fn correct_tan(x: f64, tan: f64) -> f64 {
    if !(x.abs() >= HUGE && (tan.abs() < SMALL || tan.abs() > 1.0 / SMALL)) {
        return tan;
    }
    let (quadrant, rest) = reduced(x);
    (if quadrant & 1 == 0 { rest } else { -1.0 / rest }) * 1f64.copysign(x)
}

/// `sin`
pub extern "C" fn sin(x: f64) -> f64 {
    correct_sin(x, libm::sin(x))
}

/// `cos`
pub extern "C" fn cos(x: f64) -> f64 {
    correct_cos(x, libm::cos(x))
}

/// `tan`
pub extern "C" fn tan(x: f64) -> f64 {
    correct_tan(x, libm::tan(x))
}

/// `sincos`, to which LLVM merges calls of `sin` and `cos`.
///
/// # Safety
/// Both pointers must be writable.
pub unsafe extern "C" fn sincos(x: f64, to_sin: *mut f64, to_cos: *mut f64) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        libm::sincos(x, to_sin, to_cos);
        *to_sin = correct_sin(x, *to_sin);
        *to_cos = correct_cos(x, *to_cos);
    }
}
