// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the vectors of a CPU can do, and what is cheap: all that the vectorizer knows of the CPU.

use super::x86_64;
use crate::llvm::{Kind, Type};

/// The vectors of a CPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vectors {
    /// The lanes of kernels that cannot see how many there are.
    pub lanes: u32,
    /// How many registers there are.
    pub registers: u32,
    /// The size of a register.
    pub register_bits: u32,
    /// Whether masks are registers of their own, a bit for each lane. Else they are vectors, and what takes a mask takes longer.
    pub has_mask_registers: bool,
    /// The least size of elements that are loaded and stored under a mask by an instruction.
    pub masked_bytes: Option<u64>,
    /// The same of loads from the addresses in a vector,
    pub gathered_bytes: Option<u64>,
    /// and of stores to these.
    pub scattered_bytes: Option<u64>,
    /// Whether one or two vectors of such accesses take longer than loads and stores of each lane.
    pub gathers_slowly: bool,
    /// Whether any elements of two vectors become one vector by an instruction.
    pub shuffles_two: bool,
    /// Whether integers of 64 bits become floating-point numbers all at once.
    pub converts_longs: bool,
}

impl Vectors {
    /// Those of the CPU that code is compiled for.
    pub fn of_host() -> Self {
        x86_64::vectors(x86_64::CpuLevel::current())
    }

    /// Whether accesses to elements of a type under a mask are as fast as others.
    pub fn has_masked_access(&self, ty: Type<'_>) -> bool {
        let bits = if ty.is_ptr() { 64 } else { ty.bits() };
        self.masked_bytes
            .is_some_and(|least| least == 1 || u64::from(bits) >= 8 * least)
    }

    /// Whether there are instructions for loads and stores of elements of so many bytes at the addresses in a vector.
    pub fn gathers_and_scatters(&self, bytes: u64) -> bool {
        self.gathers(bytes) && self.scattered_bytes.is_some_and(|least| bytes >= least)
    }

    /// The same for loads.
    pub fn gathers(&self, bytes: u64) -> bool {
        self.gathered_bytes.is_some_and(|least| bytes >= least)
    }

    /// Whether a register is as large as a cache line.
    pub fn fills_cache_line(&self) -> bool {
        self.register_bits >= 512
    }

    /// How many registers a value of so many lanes takes.
    pub fn registers_of(&self, ty: Type<'_>, lanes: u32) -> u32 {
        let bits = match ty.scalar().kind() {
            Kind::Pointer => 64,
            _ => ty.scalar().bits().max(8),
        };
        (bits * ty.lanes().unwrap_or(1) * lanes).div_ceil(self.register_bits)
    }
}
