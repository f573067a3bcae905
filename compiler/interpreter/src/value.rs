// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Values of registers: numbers, truth values and pointers as bits, each of which may be undefined.

use std::rc::Rc;

use crate::fault::{Result, malformed};

/// The lowest bits.
pub(crate) fn mask(width: u32) -> u64 {
    match width {
        0 => 0,
        1..64 => (1 << width) - 1,
        _ => u64::MAX,
    }
}

/// The number that the lowest bits stand for in two's complement.
pub(crate) fn signed(bits: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    ((bits << shift) as i64) >> shift
}

/// Up to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Scalar {
    /// Zero beyond the type's width.
    pub bits: u64,
    /// Which of them are undefined.
    pub undef: u64,
}

impl Scalar {
    pub fn new(bits: u64) -> Self {
        Self { bits, undef: 0 }
    }

    pub fn bool(value: bool) -> Self {
        Self::new(value.into())
    }

    pub fn undefined(width: u32) -> Self {
        Self {
            bits: 0,
            undef: mask(width),
        }
    }

    pub fn is_defined(self) -> bool {
        self.undef == 0
    }
}

/// A value of any type.
#[derive(Clone, Debug, Default)]
pub(crate) enum Value {
    /// Of an id that has none yet.
    #[default]
    Unset,
    Scalar(Scalar),
    /// Of a vector, an array or a structure.
    Composite(Rc<[Value]>),
}

impl Value {
    pub fn bits(bits: u64) -> Self {
        Self::Scalar(Scalar::new(bits))
    }

    pub fn scalar(&self) -> Result<Scalar> {
        match self {
            Self::Scalar(scalar) => Ok(*scalar),
            Self::Unset => malformed("a value is used that has not been computed"),
            Self::Composite(_) => malformed("a composite is used as a scalar"),
        }
    }

    pub fn parts(&self) -> Result<&Rc<[Value]>> {
        match self {
            Self::Composite(parts) => Ok(parts),
            Self::Unset => malformed("a value is used that has not been computed"),
            Self::Scalar(_) => malformed("a scalar is used as a composite"),
        }
    }

    /// The scalars of a scalar or a vector.
    pub fn scalars(&self) -> Result<Vec<Scalar>> {
        match self {
            Self::Composite(parts) => parts.iter().map(Value::scalar).collect(),
            _ => self.scalar().map(|s| vec![s]),
        }
    }

    /// Whether no bit of it is undefined.
    pub fn is_defined(&self) -> bool {
        match self {
            Self::Unset => false,
            Self::Scalar(scalar) => scalar.is_defined(),
            Self::Composite(parts) => parts.iter().all(Value::is_defined),
        }
    }
}

impl From<Scalar> for Value {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(parts: I) -> Self {
        Self::Composite(parts.into_iter().collect())
    }
}

/// Applies a function to a scalar, or to each component of a vector.
pub(crate) fn map(a: &Value, mut f: impl FnMut(Scalar) -> Result<Scalar>) -> Result<Value> {
    match a {
        Value::Composite(parts) => parts.iter().map(|x| f(x.scalar()?).map(Value::from)).collect(),
        _ => f(a.scalar()?).map(Value::from),
    }
}

/// The same of two values.
pub(crate) fn map2(a: &Value, b: &Value, mut f: impl FnMut(Scalar, Scalar) -> Result<Scalar>) -> Result<Value> {
    match (a, b) {
        (Value::Composite(x), Value::Composite(y)) => {
            if x.len() != y.len() {
                return malformed("vectors of different lengths");
            }
            let both = x.iter().zip(y.iter());
            both.map(|(x, y)| f(x.scalar()?, y.scalar()?).map(Value::from))
                .collect()
        }
        _ => f(a.scalar()?, b.scalar()?).map(Value::from),
    }
}

/// The same of three values.
pub(crate) fn map3(
    a: &Value,
    b: &Value,
    c: &Value,
    mut f: impl FnMut(Scalar, Scalar, Scalar) -> Result<Scalar>,
) -> Result<Value> {
    match (a, b, c) {
        (Value::Composite(x), Value::Composite(y), Value::Composite(z)) => {
            if x.len() != y.len() || x.len() != z.len() {
                return malformed("vectors of different lengths");
            }
            let all = x.iter().zip(y.iter()).zip(z.iter());
            all.map(|((x, y), z)| f(x.scalar()?, y.scalar()?, z.scalar()?).map(Value::from))
                .collect()
        }
        _ => f(a.scalar()?, b.scalar()?, c.scalar()?).map(Value::from),
    }
}
