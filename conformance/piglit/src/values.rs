// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Values of OpenCL C's types in the text of a test, and how far a result may be from them.

use half::f16;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scalar {
    /// An integer of so many bytes, with a sign or without.
    Integer(usize, bool),
    Float(Format),
}

/// The formats of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Half,
    Float,
    Double,
}

impl Format {
    fn size(self) -> usize {
        match self {
            Self::Half => 2,
            Self::Float => 4,
            Self::Double => 8,
        }
    }

    fn encode(self, value: f64) -> u64 {
        match self {
            Self::Half => f16::from_f64(value).to_bits().into(),
            Self::Float => (value as f32).to_bits().into(),
            Self::Double => value.to_bits(),
        }
    }

    fn decode(self, bits: u64) -> f64 {
        match self {
            Self::Half => f16::from_bits(bits as u16).to_f64(),
            Self::Float => f32::from_bits(bits as u32).into(),
            Self::Double => f64::from_bits(bits),
        }
    }

    /// How far the next number away from zero is; of the largest number, the one before it.
    fn ulp(self, bits: u64) -> f64 {
        let distance = |other| (self.decode(other) - self.decode(bits)).abs();
        let next = distance(bits + 1);
        if next.is_finite() { next } else { distance(bits - 1) }
    }
}

/// A type: `int`, `float3`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Type {
    scalar: Scalar,
    /// How many elements a vector has; one, if it is none.
    lanes: usize,
}

/// How far a number may be from the one expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// So much.
    Absolute(f64),
    /// So many units in the last place. Integers have none.
    Ulps(f64),
}

impl Type {
    /// The type with this name.
    pub fn parse(name: &str) -> Result<Self, String> {
        let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
        let lanes = match &name[digits..] {
            "" => 1,
            lanes => lanes.parse().map_err(|_| format!("the type {name}"))?,
        };
        let scalar = match &name[..digits] {
            "char" => Scalar::Integer(1, true),
            "uchar" => Scalar::Integer(1, false),
            "short" => Scalar::Integer(2, true),
            "ushort" => Scalar::Integer(2, false),
            "int" => Scalar::Integer(4, true),
            "uint" => Scalar::Integer(4, false),
            "long" => Scalar::Integer(8, true),
            "ulong" => Scalar::Integer(8, false),
            "half" => Scalar::Float(Format::Half),
            "float" => Scalar::Float(Format::Float),
            "double" => Scalar::Float(Format::Double),
            _ => return Err(format!("the type {name}")),
        };
        Ok(Self { scalar, lanes })
    }

    fn scalar_size(self) -> usize {
        match self.scalar {
            Scalar::Integer(size, _) => size,
            Scalar::Float(format) => format.size(),
        }
    }

    /// How many bytes it has: vectors of three have the size of four elements.
    pub fn size(self) -> usize {
        self.scalar_size() * self.lanes.next_power_of_two()
    }

    /// Where the elements of `count` of it are, in bytes.
    pub fn places(self, count: usize) -> impl Iterator<Item = usize> {
        (0..count).flat_map(move |i| (0..self.lanes).map(move |lane| i * self.size() + lane * self.scalar_size()))
    }

    /// The bytes of `count` of it, whose elements are these words. After `repeat` the others are repeated.
    pub fn encode(self, count: usize, words: &[&str]) -> Result<Vec<u8>, String> {
        let (words, is_repeated) = match words.split_first() {
            Some((&"repeat", others)) => (others, true),
            _ => (words, false),
        };
        let elements = count * self.lanes;
        if words.is_empty() || !is_repeated && words.len() > elements {
            return Err(format!("{} values for {elements} elements", words.len()));
        }
        let mut bytes = vec![0; count * self.size()];
        // Elements without a value are zero.
        let given = if is_repeated { elements } else { words.len() };
        for (place, word) in self.places(count).take(given).zip(words.iter().cycle()) {
            let bits = self.bits(word).ok_or_else(|| format!("the value {word}"))?;
            bytes[place..place + self.scalar_size()].copy_from_slice(&bits.to_le_bytes()[..self.scalar_size()]);
        }
        Ok(bytes)
    }

    fn bits(self, word: &str) -> Option<u64> {
        match self.scalar {
            Scalar::Integer(..) => integer(word).map(|value| value as u64),
            Scalar::Float(format) => number(word).map(|value| format.encode(value)),
        }
    }

    /// The bits of an element at a place.
    pub fn at(self, bytes: &[u8], place: usize) -> u64 {
        let mut bits = [0; 8];
        bits[..self.scalar_size()].copy_from_slice(&bytes[place..place + self.scalar_size()]);
        u64::from_le_bytes(bits)
    }

    /// An element as a number.
    pub fn text(self, bits: u64) -> String {
        match self.scalar {
            Scalar::Integer(size, is_signed) => extended(bits, size, is_signed).to_string(),
            Scalar::Float(format) => format!("{:e}", format.decode(bits)),
        }
    }

    /// Whether an element is NaN.
    pub fn is_nan(self, bits: u64) -> bool {
        matches!(self.scalar, Scalar::Float(format) if format.decode(bits).is_nan())
    }

    /// Whether an element is what is expected, or near enough.
    pub fn is_near(self, found: u64, expected: u64, tolerance: Tolerance) -> bool {
        match (self.scalar, tolerance) {
            (Scalar::Integer(..), Tolerance::Ulps(_)) => found == expected,
            (Scalar::Integer(size, is_signed), Tolerance::Absolute(limit)) => {
                let [found, expected] = [found, expected].map(|bits| extended(bits, size, is_signed));
                (found - expected).unsigned_abs() as f64 <= limit
            }
            (Scalar::Float(format), tolerance) => {
                let (value, wanted) = (format.decode(found), format.decode(expected));
                let limit = match tolerance {
                    Tolerance::Absolute(limit) => limit,
                    Tolerance::Ulps(count) => count * format.ulp(expected),
                };
                value.is_nan() && wanted.is_nan() || value == wanted || (value - wanted).abs() <= limit
            }
        }
    }
}

/// The number that an integer's bits are.
fn extended(bits: u64, size: usize, is_signed: bool) -> i128 {
    let shift = 64 - 8 * size;
    if is_signed {
        (((bits << shift) as i64) >> shift).into()
    } else {
        bits.into()
    }
}

/// An integer in decimal or hexadecimal digits.
fn integer(word: &str) -> Option<i128> {
    let (digits, is_negative) = match word.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (word, false),
    };
    let size = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => i128::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if is_negative { -size } else { size })
}

/// A number in decimal digits, or as C's `%a` prints it.
pub fn number(word: &str) -> Option<f64> {
    let (digits, sign) = match word.strip_prefix('-') {
        Some(digits) => (digits, -1.0),
        None => (word, 1.0),
    };
    let Some(digits) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) else {
        // A product with a NaN need not have its sign.
        return digits.parse().ok().map(|size: f64| size.copysign(sign));
    };
    let (mantissa, exponent) = digits.split_once(['p', 'P']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let value = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let exponent = exponent - 4 * fraction.len() as i32;
    // In two steps: no double holds the power that belongs to the smallest numbers.
    let half = f64::powi(2.0, exponent / 2);
    Some(sign * value as f64 * half * f64::powi(2.0, exponent - exponent / 2))
}
