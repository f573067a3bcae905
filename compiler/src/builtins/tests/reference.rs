// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Floating-point formats, and the error of a result in ulps.

use std::cmp::Ordering;

use oxur_mpfr::Real;

/// A floating-point format of IEEE 754.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    pub bits: u32,
    /// The number of fraction bits.
    pub fraction: u32,
    /// The smallest exponent of a normal number, and the largest.
    pub exponents: (i64, i64),
}

pub const FORMATS: [Format; 3] = [
    Format {
        bits: 16,
        fraction: 10,
        exponents: (-14, 15),
    },
    Format {
        bits: 32,
        fraction: 23,
        exponents: (-126, 127),
    },
    Format {
        bits: 64,
        fraction: 52,
        exponents: (-1022, 1023),
    },
];

impl Format {
    /// The number with these bits. Every number of every format is exact as a double.
    pub fn decode(self, bits: u64) -> f64 {
        match self.bits {
            16 => crate::builtins::libcalls::half::half_to_f32(bits as u16).into(),
            32 => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits),
        }
    }

    /// The bits of the nearest number.
    pub fn encode(self, x: f64) -> u64 {
        match self.bits {
            16 => crate::builtins::libcalls::half::half_from_f64(x).into(),
            32 => (x as f32).to_bits().into(),
            _ => x.to_bits(),
        }
    }

    pub fn round(self, x: f64) -> f64 {
        self.decode(self.encode(x))
    }

    pub fn infinity(self) -> u64 {
        self.encode(f64::INFINITY)
    }

    pub fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    /// The error of a result in ulps: OpenCL C 3.0, section 7.4. Infinity counts as the number that would follow the largest
    /// one. The error is `f64::INFINITY` if only one of the numbers is NaN, or if only one is infinite without reason.
    pub fn ulps(self, result: f64, exact: &Real) -> f64 {
        if exact.is_nan() || result.is_nan() {
            return if exact.is_nan() && result.is_nan() {
                0.0
            } else {
                f64::INFINITY
            };
        }
        if exact.is_infinite() {
            return if result == exact.to_f64() { 0.0 } else { f64::INFINITY };
        }
        let beyond = Real::new(1.0f64.copysign(result)).scaled(self.exponents.1 + 1);
        let given = if result.is_infinite() {
            beyond
        } else {
            Real::new(result)
        };
        if result.is_infinite() {
            // Infinity represents every exact result beyond that.
            let outside = exact.partial_cmp(&given);
            if outside
                == Some(if result > 0.0 {
                    Ordering::Greater
                } else {
                    Ordering::Less
                })
            {
                return 0.0;
            }
        }
        // The ulp of 0 is that of the denormal numbers.
        let exponent = exact.exponent().unwrap_or(i64::MIN);
        let exponent = exponent.clamp(self.exponents.0, self.exponents.1) - i64::from(self.fraction);
        Real::of_two("mpfr_sub", &given, exact).scaled(-exponent).to_f64().abs()
    }
}

/// Whether two numbers are equal, with the sign of zero. NaN equals NaN.
pub fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}
