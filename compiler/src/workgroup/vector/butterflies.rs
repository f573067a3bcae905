// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Accesses of `base[i ^ distance]`, where `i` is consecutive and all items have the same distance: the exchanges of bitonic sorts, fast
//! Fourier transforms and reductions, whose figure is a butterfly.
//!
//! If the first `i` is a multiple of the lanes, so are the partners of all lanes side by side: in the lanes' own vector if the distance
//! is less than the lanes, where they are swapped, and in another if it is a multiple of them. Code looks when it runs, and
//! otherwise gathers or scatters.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;

use super::divergence::VectorShape;
use super::emit::{Emit, Result};
use super::indexed::{Extension, Indexed, unextended};
use super::memory::accessed;
use crate::llvm::{Block, Kind, Type, Value};
use crate::target::Vectors;
use crate::target::host::permutation;

/// The parts of such an address.
pub(super) struct Butterfly<'c> {
    /// The address by any index.
    array: Indexed<'c>,
    /// `i` of lane 0.
    first: Value<'c>,
    distance: Value<'c>,
}

/// How the index of such an address is made, in the scalar kernel.
pub(super) struct Index<'c> {
    extension: Extension<'c>,
    item: Value<'c>,
    distance: Value<'c>,
}

impl<'c> Emit<'_, 'c> {
    /// What has to be at hand where a load or store is, if it is by such an address.
    pub(super) fn parts_of_butterfly(&self, inst: Value<'c>) -> Vec<Value<'c>> {
        let Some((address, ty)) = accessed(inst) else {
            return Vec::new();
        };
        let parts = |index: Index<'c>| {
            let mut parts = address.operands();
            parts.extend([index.item, index.distance]);
            parts
        };
        self.index_of_butterfly(address, ty).map_or_else(Vec::new, parts)
    }

    pub(super) fn index_of_butterfly(&self, address: Value<'c>, ty: Type<'c>) -> Option<Index<'c>> {
        let is_simple =
            ty.lanes().is_none() && Vectors::of_host().has_masked_access(ty) && self.lanes.is_power_of_two();
        if !self.has_butterflies
            || !is_simple
            || address.opcode() != Some(L::LLVMGetElementPtr)
            || self.shapes.of(address) != VectorShape::Varying
            || self.shapes.private.element_size(address).is_some()
        {
            return None;
        }
        let index = address.operands().pop()?;
        let (exchange, extension) = unextended(index);
        // In a smaller type indices would wrap, or change their sign, between the lanes of a vector.
        let is_wide = exchange.ty().bits() > self.lanes.ilog2();
        if exchange.opcode() != Some(L::LLVMXor) || !is_wide {
            return None;
        }
        let is_consecutive = |v: Value<'c>| matches!(self.shapes.of(v), VectorShape::Affine { stride: 1, .. });
        let is_same = |v: Value<'c>| self.shapes.of(v) == VectorShape::Uniform;
        let (item, distance) = match exchange.operands()[..] {
            [x, y] if is_consecutive(x) && is_same(y) => (x, y),
            [x, y] if is_consecutive(y) && is_same(x) => (y, x),
            _ => return None,
        };
        Some(Index {
            extension,
            item,
            distance,
        })
    }

    /// The parts of an address of elements of a type, if it is of that form.
    pub(super) fn butterfly(&mut self, address: Value<'c>, ty: Type<'c>) -> Result<Option<Butterfly<'c>>> {
        let Some(index) = self.index_of_butterfly(address, ty) else {
            return Ok(None);
        };
        let Some((_, array)) = self.single_index(address, self.module.size_of(ty))? else {
            return Ok(None);
        };
        Ok(Some(Butterfly {
            array: array.extending(index.extension),
            first: self.first(index.item)?,
            distance: self.first(index.distance)?,
        }))
    }

    /// Loads or stores by such addresses. `access` is one of consecutive elements, at an address and under a mask, and `spread` a gather or
    /// scatter. Where a vector is swapped, it is what `access` loads, or `value`, which it is to store.
    pub(super) fn with_partners(
        &mut self,
        at: &Butterfly<'c>,
        value: Option<Value<'c>>,
        access: impl Fn(&Self, Value<'c>, Option<Value<'c>>, Option<Value<'c>>) -> Option<Value<'c>>,
        spread: impl FnOnce(&Self, Value<'c>) -> Option<Value<'c>>,
    ) -> Option<Value<'c>> {
        let before = self.b.block();
        let [near, far, whole, spread_out, after] =
            ["swapped", "not.near", "partners", "spread", "exchanged"].map(|n| self.function.append_block(n));
        for block in [after, spread_out, whole, far, near] {
            block.move_after(before);
        }
        let (b, ty) = (&self.b, at.first.ty());
        let low = ty.int(u64::from(self.lanes) - 1);
        let has_none = |value| b.icmp(I::LLVMIntEQ, b.and(value, low), ty.zero());
        let is_aligned = has_none(at.first);
        let is_near = b.icmp(I::LLVMIntULT, at.distance, ty.int(self.lanes.into()));
        let mut results: Vec<(Value<'c>, Block<'c>)> = Vec::new();
        b.cond_br(b.and(is_aligned, is_near), near, far);

        b.go_to_end(near);
        let mask = self
            .mask
            .map(|mask| self.swap_mask(mask, at.distance, at.array.element));
        let swapped = value.map(|value| self.swap(value, at.distance));
        let loaded = access(self, at.array.at(&self.b, at.first), mask, swapped);
        results.extend(loaded.map(|loaded| (self.swap(loaded, at.distance), self.b.block())));
        b.br(after);

        b.go_to_end(far);
        b.cond_br(b.and(is_aligned, has_none(at.distance)), whole, spread_out);

        b.go_to_end(whole);
        let first = b.xor(at.first, at.distance);
        let loaded = access(self, at.array.at(&self.b, first), self.mask, value);
        results.extend(loaded.map(|loaded| (loaded, self.b.block())));
        b.br(after);

        b.go_to_end(spread_out);
        // Here, where alone they are needed.
        let item = b.add(b.splat(at.first, self.lanes), self.numbers(ty));
        let addresses = at.array.at(b, b.xor(item, b.splat(at.distance, self.lanes)));
        results.extend(spread(self, addresses).map(|loaded| (loaded, self.b.block())));
        b.br(after);
        b.go_to_end(after);
        let ty = results.first()?.0.ty();
        let all = b.phi(ty);
        all.add_incoming(&results);
        Some(all)
    }

    /// Gives each lane the value of the lane at a distance, which is less than the lanes.
    fn swap(&self, all: Value<'c>, distance: Value<'c>) -> Value<'c> {
        let (all, done) = self.swap_in_registers(all, distance).unwrap_or((all, 1));
        let bits = (0..self.lanes.ilog2()).map(|bit| 1 << bit).filter(|bit| *bit >= done);
        bits.fold(all, |all, bit| {
            let partners: Vec<u32> = (0..self.lanes).map(|lane| lane ^ bit).collect();
            let swapped = self.b.shuffle(all, all.ty().poison(), &partners);
            self.b.select(self.has_bit(distance, bit), swapped, all)
        })
    }

    /// The same within each register, by one instruction, and how many lanes that has; `None` where shuffles do as well.
    fn swap_in_registers(&self, all: Value<'c>, distance: Value<'c>) -> Option<(Value<'c>, u32)> {
        let (b, ty) = (&self.b, all.ty());
        let is_number = matches!(ty.scalar().kind(), Kind::Int(_) | Kind::Float(_));
        let (permute, per) = permutation(ty.scalar().bits()).filter(|_| is_number)?;
        // The shuffles of a known distance are as good.
        if distance.is_const() || !(per..=2 * per).contains(&self.lanes) {
            return None;
        }
        let number = self.cx.int(ty.scalar().bits());
        let register = number.vector(per);
        let permute = self.module.declare(permute, register.function(&[register, register]));
        let low = b.zext_or_trunc(b.and(distance, distance.ty().int(u64::from(per) - 1)), number);
        let lanes = Value::vector(&(0..per).map(|lane| number.int(lane.into())).collect::<Vec<_>>());
        let partners = b.xor(lanes, b.splat(low, per));
        let numbers = b.bitcast(all, number.vector(self.lanes));
        let parts = (0..self.lanes / per).map(|part| {
            let own: Vec<u32> = (part * per..(part + 1) * per).collect();
            b.call(permute, &[b.shuffle(numbers, numbers.ty().poison(), &own), partners])
        });
        let parts: Vec<Value<'c>> = parts.collect();
        let together: Vec<u32> = (0..self.lanes).collect();
        let swapped = match parts[..] {
            [low, high] => b.shuffle(low, high, &together),
            _ => parts[0],
        };
        Some((b.bitcast(swapped, ty), per))
    }

    /// The same for a mask of accesses to elements of a type. As integers of their size it is swapped as they are: booleans have no
    /// shuffles of their own.
    fn swap_mask(&self, mask: Value<'c>, distance: Value<'c>, element: Type<'c>) -> Value<'c> {
        let bits = 8 * self.module.size_of(element) as u32;
        let wide = self.cx.int(bits).vector(self.lanes);
        let swapped = self.swap(self.b.sext_or_trunc(mask, wide), distance);
        self.b.icmp(I::LLVMIntNE, swapped, wide.zero())
    }

    fn has_bit(&self, distance: Value<'c>, bit: u32) -> Value<'c> {
        let ty = distance.ty();
        self.b
            .icmp(I::LLVMIntNE, self.b.and(distance, ty.int(bit.into())), ty.zero())
    }
}
