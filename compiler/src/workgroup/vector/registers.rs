// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! How many registers values take.

use crate::CpuLevel;
use crate::llvm::{Kind, Type};

/// The vector registers of the CPU.
pub struct Registers {
    /// How many.
    pub count: u32,
    bits: u32,
}

impl Registers {
    /// Those of this CPU.
    pub fn of_cpu() -> Self {
        let (count, bits) = match CpuLevel::current() {
            CpuLevel::V4 => (32, 512),
            CpuLevel::V3 => (16, 256),
            CpuLevel::V2 => (16, 128),
        };
        Self { count, bits }
    }

    /// How many a value of all lanes takes.
    pub fn of(ty: Type<'_>, lanes: u32) -> u32 {
        let bits = match ty.scalar().kind() {
            Kind::Pointer => 64,
            _ => ty.scalar().bits().max(8),
        };
        (bits * ty.lanes().unwrap_or(1) * lanes).div_ceil(Self::of_cpu().bits)
    }
}
