// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The formats of floating-point numbers, and how far a number is from the exact result, in units of the last place.

use oxur_mpfr::Real;

/// A format of IEEE 754. All of its numbers are doubles, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// 16, 32 or 64.
    pub bits: u32,
    /// Bits of the fraction.
    pub fraction: u32,
    /// The exponent of the largest numbers; that of the smallest normal ones is `1 - max`.
    pub max: i32,
}

/// `half`
pub const HALF: Format = Format {
    bits: 16,
    fraction: 10,
    max: 15,
};
/// `float`
pub const FLOAT: Format = Format {
    bits: 32,
    fraction: 23,
    max: 127,
};
/// `double`
pub const DOUBLE: Format = Format {
    bits: 64,
    fraction: 52,
    max: 1023,
};

/// What a function really gives.
#[derive(Clone, Copy, Debug)]
pub enum Exact {
    /// A number: a double (infinity stands for what no format holds), and what must be added to it, in ulps; and the exponent
    /// of such an ulp.
    Number { near: f64, rest: f64, ulp: i32 },
    /// Not a number.
    Nan,
    /// OpenCL leaves it open.
    Any,
}

/// `2^n`, denormal numbers included; 0 or infinity beyond them.
pub fn two_to(n: i32) -> f64 {
    match n {
        ..-1074 => 0.0,
        -1074..-1022 => f64::from_bits(1 << (n + 1074)),
        -1022..=1023 => f64::from_bits(((n + 1023) as u64) << 52),
        _ => f64::INFINITY,
    }
}

impl Format {
    /// The bit that is the sign.
    pub fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    /// The bits of infinity.
    pub fn infinity(self) -> u64 {
        ((2 * self.max + 1) as u64) << self.fraction
    }

    /// The number with these bits.
    pub fn decode(self, bits: u64) -> f64 {
        match self.bits {
            32 => f32::from_bits(bits as u32).into(),
            64 => f64::from_bits(bits),
            _ => {
                let magnitude = bits & 0x7fff;
                let size = match magnitude {
                    0x7c00 => f64::INFINITY,
                    0x7c01.. => f64::NAN,
                    // Denormal numbers, and others: the same fields, further left, with another bias.
                    0..0x400 => magnitude as f64 * two_to(-24),
                    _ => f64::from_bits((magnitude << 42) + (1008 << 52)),
                };
                if bits & 0x8000 == 0 { size } else { -size }
            }
        }
    }

    /// The bits of a number that is near: the nearest, but for ties of half.
    pub fn encode(self, x: f64) -> u64 {
        match self.bits {
            32 => (x as f32).to_bits().into(),
            64 => x.to_bits(),
            _ => {
                let (size, sign) = (x.abs(), if x.is_sign_negative() { 0x8000 } else { 0 });
                sign | match size {
                    _ if x.is_nan() => 0x7e00,
                    _ if size >= 65520.0 => 0x7c00,
                    _ if size < two_to(-14) => (size * two_to(24)).round() as u64,
                    _ => ((size.to_bits() + (1 << 41)) >> 42) - (1008 << 10),
                }
            }
        }
    }

    /// The exponent of an ulp of numbers with this exponent.
    pub fn ulp(self, exponent: i32) -> i32 {
        exponent.clamp(1 - self.max, self.max) - self.fraction as i32
    }

    /// A double as the exact result.
    pub fn exactly(self, x: f64) -> Exact {
        if x.is_nan() {
            return Exact::Nan;
        }
        // The exponent of a denormal double does not matter: no format has smaller ulps than it.
        let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1023;
        Exact::Number {
            near: x,
            rest: 0.0,
            ulp: self.ulp(exponent),
        }
    }

    /// A number as the exact result.
    pub fn exact(self, x: &Real) -> Exact {
        let near = x.to_f64();
        match x.exponent() {
            Some(exponent) if near.is_finite() => {
                let ulp = self.ulp(exponent.clamp(-2000, 2000) as i32);
                let rest = Real::of_two("mpfr_sub", x, &Real::new(near));
                let rest = rest.scaled((-ulp).into()).to_f64();
                Exact::Number { near, rest, ulp }
            }
            _ => self.exactly(near),
        }
    }

    /// A result in ulps. Infinity counts as the number that would come after the largest one.
    fn in_ulps(self, x: f64, ulp: i32) -> f64 {
        if x.is_infinite() {
            two_to(self.max + 1 - ulp).copysign(x)
        } else {
            x / two_to(ulp)
        }
    }

    /// How far a result is from the exact one, in ulps (OpenCL C 3.0, section 7.4). Infinite if one is NaN or infinite and
    /// the other has no reason.
    pub fn error(self, given: f64, exact: Exact) -> f64 {
        match exact {
            Exact::Any => 0.0,
            Exact::Nan if given.is_nan() => 0.0,
            Exact::Nan => f64::INFINITY,
            Exact::Number { .. } if given.is_nan() => f64::INFINITY,
            Exact::Number { near, .. } if near.is_infinite() => {
                if given == near {
                    0.0
                } else {
                    f64::INFINITY
                }
            }
            // The exact result is beyond all numbers of this format, which is what infinity stands for.
            Exact::Number { near, .. } if given.is_infinite() && near / given.signum() >= self.beyond() => 0.0,
            Exact::Number { near, rest, ulp } => (self.in_ulps(given, ulp) - near / two_to(ulp) - rest).abs(),
        }
    }

    /// The power of two that is beyond the largest number.
    fn beyond(self) -> f64 {
        two_to(self.max + 1)
    }

    /// How far two results are apart, in ulps of the exact one.
    pub fn distance(self, a: f64, b: f64, exact: Exact) -> f64 {
        if a == b || (a.is_nan() && b.is_nan()) {
            return 0.0;
        }
        let ulp = match exact {
            Exact::Number { near, ulp, .. } if near.is_finite() => ulp,
            Exact::Any => return 0.0,
            _ => return f64::INFINITY,
        };
        if a.is_nan() || b.is_nan() {
            return f64::INFINITY;
        }
        (self.in_ulps(a, ulp) - self.in_ulps(b, ulp)).abs()
    }
}
