// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Addresses by unsigned 32-bit indices, such as `a[3 * i + 1]` with a `uint i`. They may wrap between two lanes, but nearly none does.
//!
//! From lane 0's index a comparison of scalars tells whether those of all lanes are evenly spaced. LLVM also has such indices where it knows
//! that an `int` is not negative.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;

use super::divergence::{VectorShape, low_bits, low_mask};
use super::emit::{Emit, Result};
use super::interleaved::Place;
use crate::llvm::Value;

/// The most constants that are added to an index, one after the other.
const MOST_ADDITIONS: usize = 4;

/// An index that is zero-extended to 64 bits.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct UnsignedIndex<'c> {
    /// Lane `l` has the low bits of lane 0's number plus `l * stride`.
    number: Value<'c>,
    stride: i64,
    /// How many low bits are the index.
    bits: u32,
    /// Bytes of an element.
    size: u64,
}

/// An address whose lanes are evenly spaced if no index wraps.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Unwrapped<'c> {
    /// What is the same in all lanes, but for a constant.
    pub(super) place: Place<'c>,
    pub(super) indices: Vec<UnsignedIndex<'c>>,
    /// The constant that is added to each index before it is extended.
    pub(super) added: Vec<i64>,
    /// The constant that is added to the address, in bytes.
    offset: i64,
    /// From lane to lane, in bytes.
    pub(super) stride: i64,
}

impl Unwrapped<'_> {
    /// All constants, in bytes, if no index wraps.
    pub(super) fn constant(&self) -> i64 {
        let added = self.indices.iter().zip(&self.added);
        added.fold(self.offset, |sum, (index, added)| {
            sum.wrapping_add(added.wrapping_mul(index.size as i64))
        })
    }
}

/// The number whose low bits are an index, and how many these are.
fn unextended_index(index: Value<'_>) -> Option<(Value<'_>, u32)> {
    match index.opcode()? {
        L::LLVMZExt => Some((index.operand(0), index.operand(0).ty().bits())),
        L::LLVMAnd => Some((index.operand(0), low_mask(index)?)),
        _ => None,
    }
    .filter(|(_, bits)| (32..64).contains(bits))
}

/// A number and the constant that is added to it.
pub(super) fn without_constant(number: Value<'_>) -> Option<(Value<'_>, i64)> {
    let constant = number.operands().get(1)?.as_const_signed()?;
    match number.opcode()? {
        L::LLVMAdd => Some((number.operand(0), constant)),
        L::LLVMOr if number.is_disjoint() => Some((number.operand(0), constant)),
        _ => None,
    }
}

impl<'c> Emit<'_, 'c> {
    /// The numbers that tests of an index may need: they have to be at hand in other blocks.
    pub(super) fn parts_of_index(&self, index: Value<'c>) -> Vec<Value<'c>> {
        let is_index = |(number, _): &(Value<'c>, u32)| {
            let counts = |user: Value<'c>| user.opcode() == Some(L::LLVMGetElementPtr);
            self.is_affine(*number) && index.users().into_iter().any(counts)
        };
        let number = unextended_index(index).filter(is_index).map(|(number, _)| number);
        let less = |number: &Value<'c>| without_constant(*number).map(|(number, _)| number);
        let numbers = std::iter::successors(number, less).take(MOST_ADDITIONS + 1);
        numbers.filter(|number| self.is_affine(*number)).collect()
    }

    /// Whether an access of the current block may use a value.
    fn is_at_hand_here(&self, value: Value<'c>) -> bool {
        self.is_available(value) || value.block() == self.cfg.blocks[self.node]
    }

    fn is_affine(&self, number: Value<'c>) -> bool {
        matches!(self.shapes.of(number), VectorShape::Affine { .. })
    }

    /// An address by indices of which some are hoped not to wrap. `None` if there are none, or if something else differs between lanes.
    pub(super) fn unwrapped(&self, address: Value<'c>) -> Option<Unwrapped<'c>> {
        let is_hoped = matches!(self.hopes.of(address), VectorShape::Affine { .. });
        let varies = self.shapes.of(address) == VectorShape::Varying;
        if !is_hoped || !varies || self.shapes.private.element_size(address).is_some() {
            return None;
        }
        let (all, offset) = Place::of(self.module, address);
        let is_same = |value| self.shapes.of(value) == VectorShape::Uniform && self.is_at_hand_here(value);
        let mut unwrapped = Unwrapped {
            place: Place {
                root: is_same(all.root).then_some(all.root)?,
                terms: Vec::new(),
            },
            indices: Vec::new(),
            added: Vec::new(),
            offset,
            stride: 0,
        };
        for term in all.terms {
            let (index, size) = (term.index, term.size);
            if is_same(index) {
                unwrapped.place.terms.push(term);
                continue;
            }
            let (number, bits) = unextended_index(index)?;
            let (number, added) = self.without_constants(number);
            let VectorShape::Affine { stride, .. } = self.shapes.of(number) else {
                return None;
            };
            let (stride, added) = (low_bits(stride, bits), low_bits(added, bits));
            unwrapped.stride = unwrapped.stride.checked_add(stride.checked_mul(size as i64)?)?;
            unwrapped.added.push(added);
            unwrapped.indices.push(UnsignedIndex {
                number: self.is_at_hand_here(number).then_some(number)?,
                stride,
                bits,
                size,
            });
        }
        Some(unwrapped)
    }

    /// A number without the constants that are added to it, and these.
    fn without_constants(&self, mut number: Value<'c>) -> (Value<'c>, i64) {
        let mut added = 0i64;
        for _ in 0..MOST_ADDITIONS {
            match without_constant(number).filter(|(less, _)| self.is_at_hand_here(*less)) {
                Some((less, constant)) => (number, added) = (less, added.wrapping_add(constant)),
                None => break,
            }
        }
        (number, added)
    }

    /// Lane 0's address, if no index wraps.
    pub(super) fn first_unwrapped(&mut self, unwrapped: &Unwrapped<'c>) -> Result<Value<'c>> {
        let wide = self.cx.int(64);
        let mut bytes = wide.int(unwrapped.constant() as u64);
        for index in &unwrapped.indices {
            let first = self.first_index(index)?;
            let first = self.b.zext_or_trunc(first, wide);
            bytes = self.b.add(bytes, self.b.mul(first, wide.int(index.size)));
        }
        let start = self.start_of(&unwrapped.place)?;
        Ok(self.b.offset(start, bytes))
    }

    /// The addresses of all lanes, whether indices wrap or not.
    pub(super) fn all_addresses(&mut self, unwrapped: &Unwrapped<'c>) -> Result<Value<'c>> {
        let wide = self.cx.int(64).vector(self.lanes);
        let mut bytes = wide.int(unwrapped.offset as u64);
        for (index, &added) in unwrapped.indices.iter().zip(&unwrapped.added) {
            let numbers = self.vector(index.number)?;
            let low = (1 << index.bits) - 1;
            let numbers = self.b.add(numbers, numbers.ty().int(added as u64 & low));
            let all = self.b.zext_or_trunc(numbers, wide);
            let all = self.b.and(all, wide.int(low));
            bytes = self.b.add(bytes, self.b.mul(all, wide.int(index.size)));
        }
        let start = self.start_of(&unwrapped.place)?;
        Ok(self.b.offset(start, bytes))
    }

    fn start_of(&mut self, place: &Place<'c>) -> Result<Value<'c>> {
        let wide = self.cx.int(64);
        let mut bytes = wide.zero();
        for term in &place.terms {
            let index = self.first(term.index)?;
            let index = self.b.sext_or_trunc(index, wide);
            bytes = self.b.add(bytes, self.b.mul(index, wide.int(term.size)));
        }
        let root = self.first(place.root)?;
        Ok(self.b.offset(root, bytes))
    }

    /// Lane 0's index, without the constant: in the type of the number.
    fn first_index(&mut self, index: &UnsignedIndex<'c>) -> Result<Value<'c>> {
        let first = self.first(index.number)?;
        // In lanes that are not in the mask, or all of them, it may be poison.
        let first = self.b.freeze(first);
        Ok(match first.ty().bits() {
            bits if bits > index.bits => self.b.and(first, first.ty().int((1 << index.bits) - 1)),
            _ => first,
        })
    }

    /// A condition that is true only if no index wraps, in any lane, with any of these constants added to it. `None` if one always does.
    pub(super) fn do_not_wrap(&mut self, indices: &[UnsignedIndex<'c>], added: &[&[i64]]) -> Result<Option<Value<'c>>> {
        let mut all = self.cx.int(1).int(1);
        for (place, index) in indices.iter().enumerate() {
            let constants = || added.iter().map(|added| i128::from(added[place]));
            let reach = i128::from(index.stride) * i128::from(self.lanes - 1);
            let lowest = constants().min().unwrap_or(0) + reach.min(0);
            let highest = constants().max().unwrap_or(0) + reach.max(0);
            // Lane 0's number has to be from `least` to `most`.
            let least = (-lowest).max(0);
            let most = (1 << index.bits) - 1 - highest.max(0);
            if most < least {
                return Ok(None);
            }
            let first = self.first_index(index)?;
            let ty = first.ty();
            let above = self.b.sub(first, ty.int(least as u64));
            let holds = self.b.icmp(I::LLVMIntULE, above, ty.int((most - least) as u64));
            all = self.b.and(all, holds);
        }
        Ok(Some(all))
    }
}
