// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Loads and stores of each lane at an address of its own, by the CPU's gathers and scatters or one by one.
//!
//! Where the CPU has no instruction, LLVM makes a branch for each lane under a mask. In searches, which lanes leave in different rounds,
//! these are mispredicted. There, lanes that are not in the mask access other memory instead, so that only addresses depend on the mask.
//!
//! AMD's CPUs gather and scatter in microcode, which has few cache misses in flight: one or two vectors of random doubles take half of
//! the time one by one. With more vectors in flight both take as long, and so many addresses are spilled. Where prefetchers foresee
//! the addresses, a gather takes less time.

use llvm_sys::LLVMOpcode as L;
use rustc_hash::FxHashSet;

use super::cfg::Cfg;
use super::divergence::{VectorShape, VectorShapes};
use super::emit::Emit;
use crate::llvm::{Type, Value};
use crate::target::Vectors;

/// The most vectors of an access that is one by one though the CPU has an instruction.
const MOST_VECTORS: u32 = 2;

/// A kernel with more loads has instructions for them: a load for each lane takes five times as long to compile.
const MOST_LOADS: usize = 64;

/// How lanes access memory at addresses of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// LLVM's function: an instruction, or a branch for each lane under a mask.
    Gather,
    /// One by one.
    ByLane,
}

/// Whether the CPU has an instruction for a load or store of elements of so many bytes, and LLVM takes it.
fn has_instruction(inst: Value<'_>, bytes: u64) -> bool {
    let vectors = Vectors::of_host();
    match inst.opcode() {
        Some(L::LLVMLoad) => vectors.gathers(bytes),
        _ => vectors.gathers_and_scatters(bytes),
    }
}

/// Whether a kernel chases pointers or indices: it loads from addresses that differ between lanes and come from what they loaded. Only
/// known where it makes a difference.
pub(super) struct Chases {
    /// Such as `a[b[i]]`: no prefetcher foresees them.
    by_index: bool,
    /// Or that were chosen by what they loaded, such as in a binary search.
    by_choice: bool,
}

impl Chases {
    /// Looks at the loads of a kernel.
    pub fn find(cfg: &Cfg<'_>, shapes: &VectorShapes<'_>) -> Self {
        let instructions = || cfg.blocks.iter().flat_map(|block| block.instructions());
        let loads = || instructions().filter(|inst| inst.opcode() == Some(L::LLVMLoad));
        let addresses = || loads().map(|load| load.operand(0)).collect::<Vec<Value<'_>>>();
        let is_short = || loads().count() <= MOST_LOADS;
        Self {
            by_index: Vectors::of_host().gathers_slowly && is_short() && come_from_a_load(addresses(), shapes, false),
            by_choice: !shapes.divergent_loops.is_empty() && come_from_a_load(addresses(), shapes, true),
        }
    }
}

/// Whether one of these addresses comes from what was loaded; with `choices`, also that of a select by its condition.
fn come_from_a_load<'c>(addresses: Vec<Value<'c>>, shapes: &VectorShapes<'c>, choices: bool) -> bool {
    let (mut seen, mut todo) = (FxHashSet::default(), addresses);
    while let Some(value) = todo.pop() {
        if shapes.of(value) == VectorShape::Uniform || !seen.insert(value) {
            continue;
        }
        match value.opcode() {
            Some(L::LLVMLoad) => return true,
            Some(L::LLVMSelect) if !choices => todo.extend(value.operands().into_iter().skip(1)),
            Some(_) => todo.extend(value.operands()),
            None => {}
        }
    }
    false
}

impl<'c> Emit<'_, 'c> {
    /// The best way for a load or store of elements of a type.
    pub(super) fn way_of(&self, inst: Value<'c>, element: Type<'c>) -> Way {
        let by_lane = if has_instruction(inst, self.module.size_of(element)) {
            let has_few = Vectors::of_host().registers_of(element, self.lanes) <= MOST_VECTORS;
            // With barriers, trees are slower one by one.
            self.chases.by_index && has_few && self.waits.is_none()
        } else {
            // Outside of such loops branches are the same for all rounds, and are foreseen.
            let of_loop = self.cfg.loop_of[self.node];
            let mut loops = std::iter::successors(of_loop, |&inner| self.cfg.loops[inner].parent);
            self.chases.by_choice && loops.any(|l| self.shapes.divergent_loops.contains(&l))
        };
        if by_lane { Way::ByLane } else { Way::Gather }
    }

    /// Loads an element of each lane; the result of lanes that are not in the mask is poison.
    pub(super) fn gather(&self, ty: Type<'c>, addresses: Value<'c>, align: u32, way: Way) -> Value<'c> {
        let element = ty.scalar();
        if way == Way::Gather {
            let args = [addresses, self.mask_or_ones(), ty.poison()];
            return self
                .b
                .intrinsic(self.module, "llvm.masked.gather", &[ty, addresses.ty()], &args)
                .call_argument_attribute(0, "align", align.into());
        }
        // The item is there whatever lanes are.
        let addresses = self.redirect_inactive(addresses, || self.function.param(0));
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
    pub(super) fn scatter(&self, all: Value<'c>, addresses: Value<'c>, align: u32, way: Way) {
        let element = all.ty().scalar();
        if way == Way::Gather {
            let args = [all, addresses, self.mask_or_ones()];
            self.b
                .intrinsic(self.module, "llvm.masked.scatter", &[all.ty(), addresses.ty()], &args)
                .call_argument_attribute(1, "align", align.into());
            return;
        }
        let addresses = self.redirect_inactive(addresses, || self.entry.alloca(element));
        let align = align.min(self.module.size_of(element) as u32);
        for lane in self.lane_numbers() {
            let (value, address) = (
                self.b.extract_element(all, lane),
                self.b.extract_element(addresses, lane),
            );
            self.b.store(value, address).align(align);
        }
    }

    /// The addresses, with another one for inactive lanes.
    fn redirect_inactive(&self, addresses: Value<'c>, other: impl FnOnce() -> Value<'c>) -> Value<'c> {
        match self.mask {
            Some(mask) => self.b.select(mask, addresses, self.b.splat(other(), self.lanes)),
            None => addresses,
        }
    }

    fn lane_numbers(&self) -> impl Iterator<Item = Value<'c>> {
        (0..self.lanes).map(|lane| self.cx.int(32).int(lane.into()))
    }
}
