// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The types of OpenCL C that kernels compute with.

/// A number's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// An integer of so many bits.
    Int {
        /// 8, 16, 32 or 64.
        bits: u32,
        /// Whether it has a sign.
        signed: bool,
    },
    /// A floating-point number of so many bits.
    Float(u32),
}

/// A number, or a vector of 2, 3, 4, 8 or 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ty {
    /// Of what.
    pub scalar: Scalar,
    /// Of how many; 1 is a number.
    pub count: usize,
}

/// All integers.
pub const INTS: [Scalar; 8] = [
    int(8, true),
    int(8, false),
    int(16, true),
    int(16, false),
    int(32, true),
    int(32, false),
    int(64, true),
    int(64, false),
];

const fn int(bits: u32, signed: bool) -> Scalar {
    Scalar::Int { bits, signed }
}

impl Scalar {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int { bits: 8, signed: true } => "char",
            Self::Int { bits: 8, signed: false } => "uchar",
            Self::Int { bits: 16, signed: true } => "short",
            Self::Int {
                bits: 16,
                signed: false,
            } => "ushort",
            Self::Int { bits: 32, signed: true } => "int",
            Self::Int {
                bits: 32,
                signed: false,
            } => "uint",
            Self::Int { signed: true, .. } => "long",
            Self::Int { signed: false, .. } => "ulong",
            Self::Float(16) => "half",
            Self::Float(32) => "float",
            Self::Float(_) => "double",
        }
    }

    /// Its size in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Int { bits, .. } | Self::Float(bits) => bits,
        }
    }

    /// Whether it is no integer.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float(_))
    }

    /// Whether it is an integer with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Int { signed: true, .. })
    }

    /// The integer of this size.
    pub fn as_int(self, signed: bool) -> Self {
        int(self.bits(), signed)
    }

    /// The integer in which arithmetic wraps: unsigned, and not one that is promoted to a signed one.
    pub fn wrapping(self) -> Self {
        int(self.bits().max(32), false)
    }
}

impl Ty {
    /// `int`
    pub const INT: Self = Self::of(int(32, true));

    /// A number.
    pub const fn of(scalar: Scalar) -> Self {
        Self { scalar, count: 1 }
    }

    /// Its name.
    pub fn name(self) -> String {
        match self.count {
            1 => self.scalar.name().into(),
            n => format!("{}{n}", self.scalar.name()),
        }
    }

    /// As many of another type.
    pub fn with(self, scalar: Scalar) -> Self {
        Self {
            scalar,
            count: self.count,
        }
    }

    /// Whether it is a vector.
    pub fn is_vector(self) -> bool {
        self.count > 1
    }
}
