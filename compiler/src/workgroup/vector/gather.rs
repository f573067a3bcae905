// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Loads and stores of each lane at an address of its own, by the CPU's gathers and scatters or one by one.
//!
//! Where the CPU has no instruction, LLVM makes a branch for each lane under a mask. In loops that lanes leave in different rounds
//! these branches are mispredicted. There, lanes that are not in the mask access other memory instead, so that only addresses depend on the mask.
//!
//! AMD's CPUs gather and scatter in microcode, which has few cache misses in flight: single vectors of random doubles take 0.5 to 0.7
//! of the time one by one. With several vectors in flight, as in searches, both take as long, and so many addresses are spilled.

use super::emit::Emit;
use super::registers::Registers;
use crate::llvm::{Type, Value};
use crate::{CpuLevel, cpu_id};

/// The most vectors of an access that is one by one though the CPU has an instruction.
const MOST_VECTORS: u32 = 2;

/// What accesses memory at the addresses in a vector.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Gather,
    Scatter,
}

impl Access {
    /// Whether the CPU has an instruction for elements of a type that LLVM takes.
    fn has_instruction(self, element: Type<'_>) -> bool {
        let is_there = match (CpuLevel::current(), self) {
            (CpuLevel::V4, _) => true,
            (CpuLevel::V3, Self::Gather) => !cpu_id::gathers_in_microcode(),
            _ => false,
        };
        is_there && Registers::bits(element) >= 32
    }
}

impl<'c> Emit<'_, 'c> {
    /// Whether an access had better be one of each lane.
    fn is_one_by_one(&self, access: Access, element: Type<'c>) -> bool {
        if access.has_instruction(element) {
            return cpu_id::gathers_in_microcode() && Registers::of(element, self.lanes) <= MOST_VECTORS;
        }
        // Elsewhere branches are the same for all rounds, and are foreseen.
        let mut loops = std::iter::successors(self.cfg.loop_of[self.node], |&inner| self.cfg.loops[inner].parent);
        loops.any(|l| self.shapes.divergent_loops.contains(&l))
    }

    /// Loads an element of each lane; the result of lanes that are not in the mask is poison.
    pub(super) fn gather(&self, ty: Type<'c>, addresses: Value<'c>, align: u32) -> Value<'c> {
        let element = ty.scalar();
        if !self.is_one_by_one(Access::Gather, element) {
            return self.masked_gather(ty, addresses, align);
        }
        // The item is there whatever lanes are.
        let addresses = self.others_at(addresses, || self.function.param(0));
        let align = align.min(self.module.size_of(element) as u32);
        self.lane_numbers().fold(ty.poison(), |all, lane| {
            let value = self
                .b
                .load(element, self.b.extract_element(addresses, lane))
                .align(align);
            self.b.insert_element(all, value, lane)
        })
    }

    /// Stores an element of each lane in the mask, that of the last lane last.
    pub(super) fn scatter(&self, all: Value<'c>, addresses: Value<'c>, align: u32) {
        let element = all.ty().scalar();
        if !self.is_one_by_one(Access::Scatter, element) {
            return self.masked_scatter(all, addresses, align);
        }
        let addresses = self.others_at(addresses, || self.entry.alloca(element));
        let align = align.min(self.module.size_of(element) as u32);
        for lane in self.lane_numbers() {
            let (value, address) = (
                self.b.extract_element(all, lane),
                self.b.extract_element(addresses, lane),
            );
            self.b.store(value, address).align(align);
        }
    }

    /// As [`Self::gather`], for what rarely runs, or with few lanes: LLVM's function.
    pub(super) fn masked_gather(&self, ty: Type<'c>, addresses: Value<'c>, align: u32) -> Value<'c> {
        let args = [addresses, self.mask_or_ones(), ty.poison()];
        self.b
            .intrinsic(self.module, "llvm.masked.gather", &[ty, addresses.ty()], &args)
            .call_argument_attribute(0, "align", align.into())
    }

    /// As [`Self::scatter`], for what rarely runs, or with few lanes: LLVM's function.
    pub(super) fn masked_scatter(&self, all: Value<'c>, addresses: Value<'c>, align: u32) {
        let args = [all, addresses, self.mask_or_ones()];
        self.b
            .intrinsic(self.module, "llvm.masked.scatter", &[all.ty(), addresses.ty()], &args)
            .call_argument_attribute(1, "align", align.into());
    }

    /// The addresses, with another one for lanes that are not in the mask.
    fn others_at(&self, addresses: Value<'c>, other: impl FnOnce() -> Value<'c>) -> Value<'c> {
        match self.mask {
            Some(mask) => self.b.select(mask, addresses, self.b.splat(other(), self.lanes)),
            None => addresses,
        }
    }

    fn lane_numbers(&self) -> impl Iterator<Item = Value<'c>> {
        (0..self.lanes).map(|lane| self.cx.int(32).int(lane.into()))
    }
}
