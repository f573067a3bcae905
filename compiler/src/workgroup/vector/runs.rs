// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Accesses that are hoped to be of consecutive elements, but are not known to be: of lanes in several rows of a group, which are
//! consecutive within each row, and by unsigned indices, which may wrap.
//!
//! Code looks at the indices when it runs. If all lanes are consecutive, it is a plain vector access. If they are in a few runs, it
//! is a masked one for each run. Otherwise it is a gather or scatter. So a hope that fails costs time only. Of unsigned indices, a look at
//! lane 0's is enough ([`unsigned_indices`](super::unsigned_indices)).

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;

use super::divergence::VectorShape;
use super::emit::{Emit, Result};
use super::indexed::Indexed;
use super::unsigned_indices::Unwrapped;
use crate::llvm::{Block, Type, Value};
use crate::target::Vectors;

/// The addresses of all lanes.
struct Places<'c> {
    /// The address of each lane.
    addresses: Value<'c>,
    /// What is consecutive: an index of 64 bits, or the address itself.
    numbers: Value<'c>,
    /// From one number to the next.
    step: i64,
    /// The addresses, if the numbers are indices.
    indexed: Option<Indexed<'c>>,
    /// Bytes of an element.
    size: u64,
    /// Whether lanes go downwards.
    is_reversed: bool,
}

/// A load or store of consecutive elements that begin at an address.
pub(super) struct Consecutive<'c> {
    pub(super) address: Value<'c>,
    pub(super) mask: Option<Value<'c>>,
    /// What was loaded before for lanes that are not in the mask.
    pub(super) others: Option<Value<'c>>,
    /// Whether the first element is the last lane's.
    pub(super) is_reversed: bool,
}

impl<'c> Emit<'_, 'c> {
    /// Whether an access to addresses that differ between lanes is hoped to be consecutive, upwards or downwards.
    pub(super) fn is_hoped_contiguous(&self, address: Value<'c>, ty: Type<'c>) -> bool {
        let size = self.module.size_of(ty) as i64;
        self.shapes.of(address) == VectorShape::Varying
            && self.shapes.private.element_size(address).is_none()
            && ty.lanes().is_none()
            && matches!(self.hopes.of(address), VectorShape::Affine { stride, .. } if stride.abs() == size)
    }

    fn places(&mut self, address: Value<'c>, ty: Type<'c>) -> Result<Places<'c>> {
        let wide = self.cx.int(64).vector(self.lanes);
        let size = self.module.size_of(ty);
        let is_reversed = matches!(self.hopes.of(address), VectorShape::Affine { stride, .. } if stride < 0);
        let addresses = self.vector(address)?;
        let indexed = self.single_index(address, size)?;
        let (mut numbers, step, indexed) = match indexed {
            Some((index, indexed)) => {
                let index = self.vector(index)?;
                (self.b.sext_or_trunc(index, wide), 1, Some(indexed))
            }
            None => (self.b.cast(L::LLVMPtrToInt, addresses, wide), size as i64, None),
        };
        if self.mask.is_some() {
            // A lane that is not active may hold poison.
            numbers = self.b.freeze(numbers);
        }
        Ok(Places {
            addresses,
            numbers,
            step: if is_reversed { -step } else { step },
            indexed,
            size,
            is_reversed,
        })
    }

    /// The address of the first element if all lanes were in the run of this one.
    fn start_of_run(&self, places: &Places<'c>, lane: Value<'c>) -> Value<'c> {
        let wide = self.cx.int(64);
        let number = self.b.zext_or_trunc(lane, wide);
        let back = match places.is_reversed {
            true => self.b.sub(number, wide.int(u64::from(self.lanes) - 1)),
            false => self.b.neg(number),
        };
        let own = self.b.extract_element(places.numbers, lane);
        match &places.indexed {
            Some(indexed) => indexed.at(&self.b, self.b.add(own, back)),
            None => {
                let own = self.b.add(own, self.b.mul(back, wide.int(places.size)));
                self.b.cast(L::LLVMIntToPtr, own, self.cx.ptr())
            }
        }
    }

    /// A bit for each lane that does not follow the one below it.
    fn run_starts(&self, places: &Places<'c>) -> Value<'c> {
        let (b, numbers) = (&self.b, places.numbers);
        let next: Vec<u32> = (0..self.lanes).map(|l| (l + 1).min(self.lanes - 1)).collect();
        let next = b.shuffle(numbers, numbers.ty().poison(), &next);
        let follows = b.icmp(I::LLVMIntEQ, b.sub(next, numbers), numbers.ty().int(places.step as u64));
        let follows = self.mask_bits(follows);
        // What is kept across a barrier are these few bits: `freeze` is not computed again, other than what they are made of.
        b.freeze(b.not(b.shl(follows, follows.ty().int(1))))
    }

    /// The mask of which these are the [bits](Self::mask_bits), 64 at most.
    fn mask_of_bits(&self, bits: Value<'c>) -> Value<'c> {
        debug_assert!(self.lanes <= 64, "a word has a bit for each lane");
        if Vectors::of_host().has_mask_registers {
            return self.b.bitcast(bits, self.cx.int(1).vector(self.lanes));
        }
        // Masks are vectors of words here, of which LLVM would make each by itself.
        let word = self.cx.int(if self.lanes > 32 { 64 } else { 32 });
        let each: Vec<_> = (0..self.lanes).map(|lane| word.int(1 << lane)).collect();
        let each = Value::vector(&each);
        let all = self.b.splat(self.b.zext_or_trunc(bits, word), self.lanes);
        self.b.icmp(I::LLVMIntEQ, self.b.and(all, each), each)
    }

    /// A vector from the last lane to the first.
    pub(super) fn turn(&self, all: Value<'c>) -> Value<'c> {
        let back: Vec<u32> = (0..self.lanes).rev().collect();
        self.b.shuffle(all, all.ty().poison(), &back)
    }

    /// An access of all lanes in the mask, whose elements begin at an address.
    fn all_lanes(&self, address: Value<'c>, is_reversed: bool) -> Consecutive<'c> {
        Consecutive {
            address,
            mask: match is_reversed {
                true => self.mask.map(|mask| self.turn(mask)),
                false => self.mask,
            },
            others: None,
            is_reversed,
        }
    }

    /// A load or store of places that are consecutive if an unsigned index does not wrap, in the words of [`Self::in_runs`].
    fn in_one_run(
        &mut self,
        unwrapped: &Unwrapped<'c>,
        holds: Value<'c>,
        addresses: Value<'c>,
        access: impl Fn(&mut Self, Consecutive<'c>) -> Option<Value<'c>>,
        spread: impl FnOnce(&mut Self, Value<'c>) -> Option<Value<'c>>,
    ) -> Result<Option<Value<'c>>> {
        let is_reversed = unwrapped.stride < 0;
        let first = self.first_unwrapped(unwrapped)?;
        let last = unwrapped.stride * i64::from(self.lanes - 1);
        let start = match is_reversed {
            true => self.b.offset(first, self.cx.int(64).int(last as u64)),
            false => first,
        };
        let all = self.all_lanes(start, is_reversed);
        let values = self.either_of_several(
            holds,
            ["run", "spread", "accessed"],
            |emit| Ok(access(emit, all).into_iter().collect()),
            |emit| Ok(spread(emit, addresses).into_iter().collect()),
        )?;
        Ok(values.first().copied())
    }

    /// A load or store of hoped places. `access` makes one of consecutive elements; `spread` makes a gather or scatter.
    pub(super) fn in_runs(
        &mut self,
        address: Value<'c>,
        ty: Type<'c>,
        result: Option<Type<'c>>,
        access: impl Fn(&mut Self, Consecutive<'c>) -> Option<Value<'c>>,
        spread: impl FnOnce(&mut Self, Value<'c>) -> Option<Value<'c>>,
    ) -> Result<Option<Value<'c>>> {
        let is_of_elements = |unwrapped: &Unwrapped<'c>| unwrapped.stride.unsigned_abs() == self.module.size_of(ty);
        if let Some(unwrapped) = self.unwrapped(address).filter(is_of_elements)
            && let Some(holds) = self.do_not_wrap(&unwrapped.indices, &[&unwrapped.added])?
        {
            let addresses = self.vector(address)?;
            return self.in_one_run(&unwrapped, holds, addresses, access, spread);
        }
        let places = self.places(address, ty)?;
        let word = self.cx.int(32);
        let starts = self.run_starts(&places);
        let bits = starts.ty();
        let before = self.b.block();
        let [whole, several, spread_out, after] =
            ["run", "runs", "spread", "accessed"].map(|n| self.function.append_block(n));
        for block in [after, spread_out, several, whole] {
            block.move_after(before);
        }
        let mut results: Vec<(Value<'c>, Block<'c>)> = Vec::new();
        let one = self.b.icmp(I::LLVMIntEQ, starts, bits.int(1));
        self.b.cond_br(one, whole, several);
        self.b.go_to_end(whole);
        let start = self.start_of_run(&places, word.zero());
        let all = self.all_lanes(start, places.is_reversed);
        let value = access(self, all);
        results.extend(value.map(|v| (v, self.b.block())));
        self.b.br(after);

        self.b.go_to_end(several);
        // A whole group has too many lanes for accesses of all of them to a few.
        if self.spans_rows && self.group.is_none() && !places.is_reversed && Vectors::of_host().has_masked_access(ty) {
            let run = self.function.append_block("each.run");
            run.move_after(several);
            let count = self.b.intrinsic(self.module, "llvm.ctpop", &[bits], &[starts]);
            let few = self.b.icmp(I::LLVMIntULE, count, bits.int((self.lanes / 4).into()));
            self.b.cond_br(few, run, spread_out);
            self.b.go_to_end(run);
            let rest = self.b.phi(bits);
            let so_far = result.map(|ty| self.b.phi(ty));
            let lowest = |value| self.b.and(value, self.b.neg(value));
            let next = self.b.and(rest, self.b.sub(rest, bits.int(1)));
            // The bits from this run's first lane to the lane before the next run. Behind the last one it wraps.
            let mask = self.b.sub(lowest(next), lowest(rest));
            let mut mask = self.mask_of_bits(mask);
            if let Some(active) = self.mask {
                mask = self.b.and(mask, active);
            }
            let no = self.cx.int(1).int(1);
            let lane = self.b.intrinsic(self.module, "llvm.cttz", &[bits], &[rest, no]);
            let start = self.start_of_run(&places, self.b.zext_or_trunc(lane, word));
            let some = Consecutive {
                address: start,
                mask: Some(mask),
                others: so_far,
                is_reversed: false,
            };
            let value = access(self, some);
            let end = self.b.block();
            self.b.cond_br(self.b.icmp(I::LLVMIntEQ, next, bits.zero()), after, run);
            rest.add_incoming(&[(starts, several), (next, end)]);
            if let (Some(so_far), Some(value)) = (so_far, value) {
                so_far.add_incoming(&[(so_far.ty().poison(), several), (value, end)]);
                results.push((value, end));
            }
        } else {
            self.b.br(spread_out);
        }
        self.b.go_to_end(spread_out);
        let value = spread(self, places.addresses);
        results.extend(value.map(|v| (v, self.b.block())));
        self.b.br(after);
        self.b.go_to_end(after);
        Ok(result.map(|ty| {
            let all = self.b.phi(ty);
            all.add_incoming(&results);
            all
        }))
    }
}
