// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What can be wrong with a kernel or a module, and where.

use std::fmt;

/// The kind of a fault or of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The module breaks a rule of SPIR-V.
    Malformed,
    /// The module is right, but the interpreter does not know the instruction, type or decoration.
    Unsupported,
    /// The launch does not fit the kernel.
    BadLaunch,
    /// An access beyond an allocation.
    OutOfBounds,
    /// An access through a null pointer.
    NullPointer,
    /// An access to memory that is gone, or never was there.
    DanglingPointer,
    /// An access whose address is not as aligned as the instruction says.
    Misaligned,
    /// A write to constant memory.
    ReadOnly,
    /// An undefined value decides about control flow or an address, or is written to memory that others see.
    UndefinedValue,
    /// A division by zero.
    DivisionByZero,
    /// A signed division whose result does not fit.
    DivisionOverflow,
    /// Two items access a byte, one of them writes it, and no barrier is in between.
    Race,
    /// Not all items of a group come to a barrier or to another operation of the group.
    DivergentBarrier,
    /// The kernel takes more steps than it may.
    StepLimit,
    /// Too many calls in each other.
    StackOverflow,
    /// `OpUnreachable` is reached, or a condition of `OpAssumeTrueKHR` does not hold.
    Unreachable,
}

/// An instruction of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The offset in words from the beginning of the module.
    pub word: usize,
    /// The instruction's name, as in `OpLoad`.
    pub opcode: String,
    /// The result's name or number, if it has a result.
    pub result: Option<String>,
    /// The name or number of the function.
    pub function: String,
    /// The file and the line, by `OpLine`.
    pub line: Option<(String, u32)>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(result) = &self.result {
            write!(f, "%{result} = ")?;
        }
        write!(f, "{} at word {}", self.opcode, self.word)?;
        if !self.function.is_empty() {
            write!(f, " of {}", self.function)?;
        }
        match &self.line {
            Some((file, line)) => write!(f, " ({file}:{line})"),
            None => Ok(()),
        }
    }
}

/// What ended a launch, or made a module useless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of thing.
    pub kind: Kind,
    /// More of it.
    pub detail: String,
    /// The instruction.
    pub place: Option<Place>,
    /// The global id of the work-item.
    pub item: Option<[u64; 3]>,
}

impl Fault {
    /// A fault of which the place is not known yet.
    pub(crate) fn new(kind: Kind, detail: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            kind,
            detail: detail.into(),
            place: None,
            item: None,
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.detail)?;
        if let Some(place) = &self.place {
            write!(f, ", {place}")?;
        }
        if let Some([x, y, z]) = self.item {
            write!(f, ", work-item ({x}, {y}, {z})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}

/// A result, or a fault.
pub(crate) type Result<T> = std::result::Result<T, Box<Fault>>;

pub(crate) fn malformed<T>(detail: impl Into<String>) -> Result<T> {
    Err(Fault::new(Kind::Malformed, detail))
}

pub(crate) fn unsupported<T>(detail: impl Into<String>) -> Result<T> {
    Err(Fault::new(Kind::Unsupported, detail))
}

pub(crate) fn fault<T>(kind: Kind, detail: impl Into<String>) -> Result<T> {
    Err(Fault::new(kind, detail))
}
