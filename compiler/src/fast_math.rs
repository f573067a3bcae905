// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Relaxations of floating-point arithmetic.

use std::ops::{BitAndAssign, BitOr, BitOrAssign};

/// Permissions to deviate from IEEE 754 and from OpenCL's precision, given by a program's build options. They add to
/// those that a module gives to single instructions. None overrides `ContractionOff` or `NoContraction`.
///
/// `-cl-mad-enable` needs none: contraction is allowed wherever the module does not forbid it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FastMath(u8);

/// LLVM's fast-math flags.
pub(crate) mod flag {
    pub const REASSOCIATE: u32 = 1;
    pub const NO_NAN: u32 = 2;
    pub const NO_INFINITY: u32 = 4;
    pub const NO_SIGNED_ZERO: u32 = 8;
    pub const RECIPROCAL: u32 = 16;
    pub const CONTRACT: u32 = 32;
    pub const APPROXIMATE: u32 = 64;
    pub const ALL: u32 = 127;
}

impl FastMath {
    /// `-cl-no-signed-zeros`: the sign of a zero does not matter.
    pub const NO_SIGNED_ZEROS: Self = Self(flag::NO_SIGNED_ZERO as u8);
    /// `-cl-finite-math-only`: no argument or result is infinite or not a number.
    pub const FINITE_ONLY: Self = Self((flag::NO_NAN | flag::NO_INFINITY) as u8);
    /// Divisions and square roots need not be rounded correctly. Without this they are, though OpenCL allows errors of
    /// 2.5 and 3 units in the last place. `-cl-fp32-correctly-rounded-divide-sqrt` removes it.
    pub const INEXACT_DIVISION: Self = Self(1 << 7);
    /// `-cl-unsafe-math-optimizations`: arithmetic may be reassociated, and functions may be less precise.
    pub const UNSAFE: Self = Self(
        (flag::REASSOCIATE | flag::NO_SIGNED_ZERO | flag::RECIPROCAL | flag::CONTRACT | flag::APPROXIMATE) as u8
            | Self::INEXACT_DIVISION.0,
    );
    /// `-cl-fast-relaxed-math`
    pub const RELAXED: Self = Self(Self::UNSAFE.0 | Self::FINITE_ONLY.0);

    /// The permissions as a number, for storage.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The permissions of a number from [`Self::bits`].
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// All of these that are not among `others`.
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// LLVM's flags for an instruction.
    pub(crate) fn flags(self) -> u32 {
        u32::from(self.0) & flag::ALL
    }

    /// LLVM's flags for a division or a square root.
    pub(crate) fn division_flags(self) -> u32 {
        if self.0 & Self::INEXACT_DIVISION.0 != 0 {
            self.flags()
        } else {
            self.flags() & !(flag::REASSOCIATE | flag::RECIPROCAL | flag::APPROXIMATE)
        }
    }
}

impl BitOr for FastMath {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for FastMath {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAndAssign for FastMath {
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}
