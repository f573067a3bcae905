// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Accesses at a constant stride other than the element's size: members of structures and vectors, every other element, elements
//! from the last to the first.
//!
//! All accesses of a block to one window of `stride` bytes a lane become plain loads or stores of whole vectors, with shuffles
//! between elements in the order of memory and those of one member in all lanes. That is worth it if enough of the window is
//! accessed; else it stays a gather or scatter for each.
//!
//! Indices that may wrap are tested first ([`unsigned_indices`](super::unsigned_indices)).
//!
//! No byte is written that the kernel does not write. Bytes that it does not read are only read between two that it reads less
//! than a page apart, so that no access faults that would not.

use std::rc::Rc;

use llvm_sys::LLVMOpcode as L;
use rustc_hash::FxHashMap;

use super::calls::is_pure;
use super::divergence::VectorShape;
use super::emit::{Emit, Result};
use super::private::offsets;
use super::unsigned_indices::{UnsignedIndex, Unwrapped, without_constant};
use crate::intrinsics::WorkItemIntrinsic;
use crate::llvm::{Kind, Module, Type, Value};
use crate::target::Vectors;

/// The longest stride, in elements.
const LONGEST: u64 = 16;

/// An index of an address, without a constant that is added to it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Term<'c> {
    /// One of 32 bits is sign-extended.
    pub index: Value<'c>,
    /// How far it is shifted to the right, with its sign.
    shift: u32,
    /// Bytes of an element.
    pub size: u64,
}

/// What an address is computed from: that of `root`, and indices.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Place<'c> {
    pub root: Value<'c>,
    pub terms: Vec<Term<'c>>,
}

impl<'c> Place<'c> {
    /// That of an address, and how many bytes the address is behind it.
    pub fn of(module: &Module<'c>, address: Value<'c>) -> (Self, i64) {
        let (mut root, mut terms, mut offset) = (address, Vec::new(), 0i64);
        while root.opcode() == Some(L::LLVMGetElementPtr) {
            for (index, size) in offsets(module, root) {
                match index {
                    Some(index) => terms.push(Term { index, shift: 0, size }),
                    None => offset = offset.wrapping_add(size as i64),
                }
            }
            root = root.operand(0);
        }
        (Self { root, terms }, offset)
    }

    /// The same, if constants that are added to signed 32-bit indices are not part of the place. They are assumed not to wrap between two
    /// accesses of an item, as [indices](VectorShapes) are between two lanes.
    ///
    /// [indices]: super::divergence::VectorShapes
    fn without_constants(mut self, mut offset: i64) -> (Self, i64) {
        for term in &mut self.terms {
            let index = term.index;
            let is_signed = match index.opcode() {
                Some(L::LLVMSExt) => true,
                Some(L::LLVMZExt) => index.has_nneg(),
                _ => false,
            };
            let shift = match index.opcode() {
                Some(L::LLVMAShr) => index.operand(1).as_const_int().filter(|by| (1..=32).contains(by)),
                _ => None,
            };
            if is_signed && index.operand(0).ty().bits() == 32 {
                term.index = index.operand(0);
            } else if let Some(shift) = shift.filter(|_| index.ty().bits() == 64) {
                (term.index, term.shift) = (index.operand(0), shift as u32);
            } else {
                continue;
            }
            while let Some((less, constant)) = without_constant(term.index) {
                if constant.trailing_zeros() < term.shift {
                    break;
                }
                let bytes = (constant >> term.shift).wrapping_mul(term.size as i64);
                (term.index, offset) = (less, offset.wrapping_add(bytes));
            }
        }
        (self, offset)
    }
}

/// A load or store of one element in each lane.
#[derive(Clone, PartialEq, Eq)]
struct Access<'c> {
    inst: Value<'c>,
    /// Its address: that of `place`, and `offset` bytes.
    place: Place<'c>,
    offset: i64,
    /// From lane to lane, in bytes.
    stride: i64,
    /// The same by indices that may wrap, and are not part of `place`.
    unwrapped: Option<Unwrapped<'c>>,
    ty: Type<'c>,
}

impl<'c> Access<'c> {
    /// Indices that may wrap.
    fn unsigned(&self) -> &[UnsignedIndex<'c>] {
        self.unwrapped.as_ref().map_or(&[], |unwrapped| &unwrapped.indices)
    }
}

/// Accesses of a block to the same window in each lane, all of them loads, or stores.
pub(super) struct Group<'c> {
    /// In the order of the block.
    members: Vec<Access<'c>>,
    is_store: bool,
}

/// The accesses of the current block that are in groups, and what was loaded for members that are still to come.
#[derive(Default)]
pub(super) struct Interleaved<'c> {
    groups: FxHashMap<Value<'c>, Rc<Group<'c>>>,
    loaded: FxHashMap<Value<'c>, Value<'c>>,
}

/// The names of the blocks where indices that may wrap do not, where one does, and behind them.
const SPACED: [&str; 3] = ["spaced", "wrapped", "accessed"];

/// Where an element comes from: which of several vectors, and its number there.
type Source = Option<(usize, u32)>;

impl<'c> Group<'c> {
    fn size(&self, emit: &Emit<'_, 'c>) -> u64 {
        emit.module.size_of(self.members[0].ty)
    }

    /// The stride in elements.
    fn step(&self, emit: &Emit<'_, 'c>) -> u32 {
        (self.members[0].stride.unsigned_abs() / self.size(emit)) as u32
    }

    fn is_reversed(&self) -> bool {
        self.members[0].stride < 0
    }

    fn lowest(&self) -> i64 {
        self.members.iter().map(|m| m.offset).min().unwrap_or(0)
    }

    /// The place of a member in the window, in elements.
    fn place(&self, emit: &Emit<'_, 'c>, member: &Access<'c>) -> u32 {
        ((member.offset - self.lowest()) as u64 / self.size(emit)) as u32
    }

    /// The last place that is accessed.
    fn last(&self, emit: &Emit<'_, 'c>) -> u32 {
        self.members.iter().map(|m| self.place(emit, m)).max().unwrap_or(0)
    }

    /// Whether an access is one more to this window.
    fn takes(&self, emit: &Emit<'_, 'c>, other: &Access<'c>, is_store: bool) -> bool {
        let first = &self.members[0];
        let size = self.size(emit) as i64;
        let low = self.lowest().min(other.offset);
        let high = self
            .members
            .iter()
            .map(|m| m.offset)
            .max()
            .unwrap_or(0)
            .max(other.offset);
        self.is_store == is_store
            && (first.stride, first.ty) == (other.stride, other.ty)
            && first.place == other.place
            && first.unsigned() == other.unsigned()
            && (other.offset - first.offset) % size == 0
            && high - low < first.stride.abs()
            && !(is_store && self.members.iter().any(|m| m.offset == other.offset))
    }

    /// Where loads of whole vectors begin, in elements. They end with the last element that is accessed.
    fn starts(&self, emit: &Emit<'_, 'c>) -> Vec<u32> {
        let lanes = emit.lanes;
        let end = (lanes - 1) * self.step(emit) + self.last(emit) + 1;
        (0..end.div_ceil(lanes)).map(|k| (k * lanes).min(end - lanes)).collect()
    }

    /// How many places of the window are accessed.
    fn used_places(&self, emit: &Emit<'_, 'c>) -> u32 {
        let used = |place: &u32| self.members.iter().any(|m| self.place(emit, m) == *place);
        (0..self.step(emit)).filter(used).count() as u32
    }

    /// Whether there is a short way to shuffle all places of the window at once, and most of them are accessed.
    fn has_short_way(&self, emit: &Emit<'_, 'c>) -> bool {
        let (step, used) = (self.step(emit), self.used_places(emit));
        step.is_power_of_two() && (used == step || !self.is_store && 2 * used > step)
    }

    /// Whether whole vectors and shuffles take less time than an access for each lane.
    fn is_worth_it(&self, emit: &Emit<'_, 'c>) -> bool {
        let (step, lanes, members) = (self.step(emit), emit.lanes, self.members.len() as u32);
        if emit.mask.is_some() && !Vectors::of_host().has_masked_access(self.members[0].ty) {
            return false;
        }
        let vectors_of_cpu = Vectors::of_host();
        if self.is_store && self.used_places(emit) < step && vectors_of_cpu.scattered_bytes.is_none() {
            return false;
        }
        let vectors = match self.is_store {
            true => step,
            false => self.starts(emit).len() as u32,
        };
        let has_short_way = self.has_short_way(emit);
        let shuffles = match has_short_way {
            true => step * step.ilog2().max(1),
            false if self.is_store => vectors * (members - 1).max(1),
            false => members * (vectors - 1).max(1),
        };
        // Elsewhere most shuffles of two vectors take several instructions. Those of the short way take one within halves of
        // registers, and one more for all.
        let shuffles = match (vectors_of_cpu.shuffles_two, has_short_way) {
            (true, _) => shuffles,
            (false, true) => shuffles * 3 / 2,
            (false, false) => shuffles * 2,
        };
        // A gather of AVX-512, which bytes and shorts have none of, takes less than an instruction for each lane.
        let by_lane = if vectors_of_cpu.gathers_and_scatters(self.size(emit)) {
            4
        } else {
            5
        };
        5 * (vectors + shuffles) < by_lane * members * lanes
    }
}

impl<'c> Emit<'_, 'c> {
    /// The access of an instruction, if it is one at a constant stride.
    fn strided(&self, inst: Value<'c>) -> Option<(Access<'c>, bool)> {
        let is_store = inst.opcode() == Some(L::LLVMStore);
        let (address, ty) = match inst.opcode()? {
            L::LLVMStore => (inst.operand(1), inst.operand(0).ty()),
            L::LLVMLoad => (inst.operand(0), inst.ty()),
            _ => return None,
        };
        let is_simple = matches!(ty.kind(), Kind::Int(8 | 16 | 32 | 64) | Kind::Float(_) | Kind::Pointer);
        if inst.is_volatile() || inst.is_atomic() || !is_simple || self.shapes.private.element_size(address).is_some() {
            return None;
        }
        let (place, offset, stride, unwrapped) = match self.shapes.of(address) {
            VectorShape::Affine { stride, .. } => {
                let (place, offset) = Place::of(self.module, address);
                let (place, offset) = place.without_constants(offset);
                (place, offset, stride, None)
            }
            _ => {
                let unwrapped = self.unwrapped(address)?;
                let (place, offset) = (unwrapped.place.clone(), unwrapped.constant());
                (place, offset, unwrapped.stride, Some(unwrapped))
            }
        };
        let size = self.module.size_of(ty);
        let steps = stride.unsigned_abs() / size;
        // Of indices that may wrap, these are hoped to be runs, in either direction.
        let is_consecutive = stride == size as i64 || stride == -(size as i64) && unwrapped.is_some();
        if is_consecutive || !stride.unsigned_abs().is_multiple_of(size) || !(1..=LONGEST).contains(&steps) {
            return None;
        }
        let access = Access {
            inst,
            place,
            offset,
            stride,
            unwrapped,
            ty,
        };
        Some((access, is_store))
    }

    /// Finds the groups of a block. Loads go to the first of a group, stores to the last, so nothing in between may write to
    /// memory, or access it at all.
    pub(super) fn find_groups(&mut self, instructions: &[Value<'c>]) {
        let mut open: Vec<Group<'c>> = Vec::new();
        let mut done: Vec<Group<'c>> = Vec::new();
        for &inst in instructions {
            let (reads, writes) = match inst.opcode() {
                Some(L::LLVMLoad) if !inst.is_volatile() && !inst.is_atomic() => (true, false),
                Some(L::LLVMStore | L::LLVMLoad | L::LLVMFence | L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg) => {
                    (true, true)
                }
                Some(L::LLVMCall) => {
                    let harmless = inst.callee().is_some_and(|f| {
                        let name = f.name();
                        is_pure(f) || WorkItemIntrinsic::from_name(&name).is_some() || name.starts_with("llvm.lifetime")
                    });
                    (!harmless, !harmless)
                }
                _ => (false, false),
            };
            let access = self.strided(inst);
            let joined = access
                .as_ref()
                .and_then(|(access, is_store)| open.iter().position(|group| group.takes(self, access, *is_store)));
            let mut still_open = Vec::new();
            for (at, mut group) in open.into_iter().enumerate() {
                if Some(at) == joined {
                    group.members.extend(access.iter().map(|(access, _)| access.clone()));
                    still_open.push(group);
                } else if writes || reads && group.is_store {
                    done.push(group);
                } else {
                    still_open.push(group);
                }
            }
            open = still_open;
            if let (None, Some((access, is_store))) = (joined, access) {
                open.push(Group {
                    members: vec![access],
                    is_store,
                });
            }
        }
        done.extend(open);
        self.interleaved = Interleaved::default();
        if !self.has_groups {
            return;
        }
        for group in done {
            if group.is_worth_it(self) {
                let group = Rc::new(group);
                for member in &group.members {
                    self.interleaved.groups.insert(member.inst, group.clone());
                }
            }
        }
    }

    /// The value of a load that is in a group.
    pub(super) fn load_interleaved(&mut self, inst: Value<'c>) -> Result<Option<Value<'c>>> {
        if let Some(group) = self.interleaved.groups.get(&inst).cloned()
            && !self.interleaved.loaded.contains_key(&inst)
        {
            self.load_group(&group, inst)?;
        }
        Ok(self.interleaved.loaded.get(&inst).copied())
    }

    /// Whether a store is in a group. The last of the group stores all.
    pub(super) fn store_interleaved(&mut self, inst: Value<'c>) -> Result<bool> {
        let Some(group) = self.interleaved.groups.get(&inst).cloned() else {
            return Ok(false);
        };
        if group.members.last().is_some_and(|last| last.inst == inst) {
            self.store_group(&group, inst)?;
        }
        Ok(true)
    }

    /// The address of the lowest window of all lanes, by the address of a member.
    fn window(&mut self, group: &Group<'c>, of: Value<'c>) -> Result<(Value<'c>, u32)> {
        let member = group.members.iter().find(|m| m.inst == of).ok_or("no member")?;
        let first = match &member.unwrapped {
            Some(unwrapped) => self.first_unwrapped(unwrapped)?,
            None => self.first(of.operand(u32::from(group.is_store)))?,
        };
        let mut offset = group.lowest() - member.offset;
        if group.is_reversed() {
            offset += member.stride * i64::from(self.lanes - 1);
        }
        let natural = 1 << group.size(self).trailing_zeros();
        let align = group.members.iter().map(|m| m.inst.get_align()).min().unwrap_or(1);
        Ok((
            self.b.offset(first, self.cx.int(64).int(offset as u64)),
            align.min(natural),
        ))
    }

    /// A condition that is true only if no index of a group wraps; `None` if none may.
    fn tested(&mut self, group: &Group<'c>) -> Result<Option<Value<'c>>> {
        let unwrapped: Vec<_> = group.members.iter().filter_map(|m| m.unwrapped.as_ref()).collect();
        if unwrapped.is_empty() {
            return Ok(None);
        }
        let added: Vec<&[i64]> = unwrapped.iter().map(|unwrapped| unwrapped.added.as_slice()).collect();
        let holds = self.do_not_wrap(&unwrapped[0].indices, &added)?;
        Ok(Some(holds.unwrap_or_else(|| self.cx.int(1).zero())))
    }

    /// The addresses of all lanes for each member of a group whose indices may wrap. Those of later members are not there yet.
    fn addresses(&mut self, group: &Group<'c>) -> Result<Vec<Value<'c>>> {
        let unwrapped = group.members.iter().filter_map(|m| m.unwrapped.as_ref());
        unwrapped.map(|unwrapped| self.all_addresses(unwrapped)).collect()
    }

    /// The window of a lane, in the order of memory; and back.
    fn turned(&self, group: &Group<'c>, lane: u32) -> u32 {
        match group.is_reversed() {
            true => self.lanes - 1 - lane,
            false => lane,
        }
    }

    /// The mask of elements from a number on, each in the window of a lane, at places that are `used`; `None` if all are.
    fn element_mask(&self, group: &Group<'c>, start: u32, used: impl Fn(u32) -> bool) -> Option<Value<'c>> {
        let step = group.step(self);
        let elements = start..start + self.lanes;
        let flag = self.cx.int(1);
        let constant: Vec<bool> = elements.clone().map(|e| used(e % step)).collect();
        let all = constant.iter().all(|&c| c);
        let constant = Value::vector(&constant.iter().map(|&c| flag.int(c.into())).collect::<Vec<_>>());
        let active = self.mask.map(|mask| {
            let lanes: Vec<u32> = elements
                .map(|e| self.turned(group, (e / step).min(self.lanes - 1)))
                .collect();
            self.b.shuffle(mask, mask.ty().poison(), &lanes)
        });
        match active {
            None if all => None,
            None => Some(constant),
            Some(active) => Some(self.b.and(active, constant)),
        }
    }

    fn load_group(&mut self, group: &Group<'c>, first: Value<'c>) -> Result<()> {
        let (base, align) = self.window(group, first)?;
        let all = match self.tested(group)? {
            None => self.load_window(group, base, align)?,
            Some(holds) => {
                let (wide, addresses) = (self.wide_type(group.members[0].ty)?, self.addresses(group)?);
                let gathered = |emit: &mut Self| {
                    let both = group.members.iter().zip(addresses);
                    let gather = |(member, at): (&Access<'c>, _)| {
                        emit.gather(wide, at, member.inst.get_align(), emit.way_of(member.inst, member.ty))
                    };
                    Ok(both.map(gather).collect())
                };
                self.either_of_several(holds, SPACED, |emit| emit.load_window(group, base, align), gathered)?
            }
        };
        let members = group.members.iter().map(|member| member.inst);
        self.interleaved.loaded.extend(members.zip(all));
        Ok(())
    }

    /// The values of all members.
    fn load_window(&mut self, group: &Group<'c>, base: Value<'c>, align: u32) -> Result<Vec<Value<'c>>> {
        let (lanes, step, last) = (self.lanes, group.step(self), group.last(self));
        let ty = group.members[0].ty;
        let wide = self.wide_type(ty)?;
        let starts = group.starts(self);
        let mut vectors = Vec::new();
        for &start in &starts {
            let at = self
                .b
                .offset(base, self.cx.int(64).int(u64::from(start) * group.size(self)));
            let mask = self
                .mask
                .and_then(|_| self.element_mask(group, start, |place| place <= last));
            vectors.push(self.load_vector(wide, at, mask, None, align));
        }
        let by_place = (group.has_short_way(self) && step > 1).then(|| {
            // The last vector may begin earlier than the short way wants, so as not to end behind the last element.
            let mut vectors = vectors.clone();
            if let (Some(vector), Some(&start)) = (vectors.last_mut(), starts.last()) {
                let early = (step - 1) * lanes - start;
                let pattern: Vec<u32> = (0..lanes)
                    .map(|i| if i + early < lanes { i + early } else { u32::MAX })
                    .collect();
                if early > 0 {
                    *vector = self.b.shuffle(*vector, wide.poison(), &pattern);
                }
            }
            self.deinterleave(vectors)
        });
        let places = group.members.iter().map(|member| group.place(self, member));
        let value_of = |place: u32| match &by_place {
            Some(values) if group.is_reversed() => {
                let sources: Vec<Source> = (0..lanes).map(|l| Some((0, self.turned(group, l)))).collect();
                self.pick(&values[place as usize..][..1], &sources)
            }
            Some(values) => values[place as usize],
            None => {
                let sources: Vec<Source> = (0..lanes)
                    .map(|lane| {
                        let element = self.turned(group, lane) * step + place;
                        let vector = starts.iter().rposition(|&start| start <= element).unwrap_or(0);
                        Some((vector, element - starts[vector]))
                    })
                    .collect();
                self.pick(&vectors, &sources)
            }
        };
        Ok(places.map(value_of).collect())
    }

    fn store_group(&mut self, group: &Group<'c>, last: Value<'c>) -> Result<()> {
        let (base, align) = self.window(group, last)?;
        let members = group.members.iter();
        let values: Vec<_> = members.map(|m| self.vector(m.inst.operand(0))).collect::<Result<_>>()?;
        let Some(holds) = self.tested(group)? else {
            return self.store_window(group, &values, base, align);
        };
        let addresses = self.addresses(group)?;
        let scattered = |emit: &mut Self| {
            for ((member, at), value) in group.members.iter().zip(addresses).zip(&values) {
                let way = emit.way_of(member.inst, member.ty);
                emit.scatter(*value, at, member.inst.get_align(), way);
            }
            Ok(Vec::new())
        };
        let stored = |emit: &mut Self| emit.store_window(group, &values, base, align).map(|()| Vec::new());
        self.either_of_several(holds, SPACED, stored, scattered)?;
        Ok(())
    }

    /// Stores the values of all members.
    fn store_window(&mut self, group: &Group<'c>, all: &[Value<'c>], base: Value<'c>, align: u32) -> Result<()> {
        let (lanes, step) = (self.lanes, group.step(self));
        let member_at = |place| group.members.iter().position(|m| group.place(self, m) == place);
        let values: Vec<_> = (0..step).map(|place| member_at(place).map(|at| all[at])).collect();
        let is_used = |place: u32| values[place as usize].is_some();
        let vectors: Vec<Value<'c>> = if group.has_short_way(self) && step > 1 && !group.is_reversed() {
            self.interleave(values.iter().copied().flatten().collect())
        } else {
            let nothing = self.wide_type(group.members[0].ty)?.poison();
            let all: Vec<Value<'c>> = values.iter().map(|v| v.unwrap_or(nothing)).collect();
            (0..step)
                .map(|vector| {
                    let sources: Vec<Source> = (0..lanes)
                        .map(|i| {
                            let element = vector * lanes + i;
                            let place = element % step;
                            is_used(place).then(|| (place as usize, self.turned(group, element / step)))
                        })
                        .collect();
                    self.pick(&all, &sources)
                })
                .collect()
        };
        for (vector, start) in vectors.into_iter().zip((0..).step_by(lanes as usize)) {
            let at = self
                .b
                .offset(base, self.cx.int(64).int(u64::from(start) * group.size(self)));
            match self.element_mask(group, start, is_used) {
                Some(mask) => self.masked_store(vector, at, mask, align),
                None => {
                    self.b.store(vector, at).align(align);
                }
            }
        }
        Ok(())
    }

    /// A vector of elements of others, two of which are shuffled at a time.
    fn pick(&self, vectors: &[Value<'c>], sources: &[Source]) -> Value<'c> {
        let lanes = self.lanes;
        let mut used: Vec<usize> = sources.iter().flatten().map(|s| s.0).collect();
        used.sort_unstable();
        used.dedup();
        let of = |which: usize, lane: usize| sources[lane].filter(|s| s.0 == which).map(|s| s.1);
        let Some((&first, more)) = used.split_first() else {
            return vectors[0].ty().poison();
        };
        let mut so_far = vectors[first];
        // Whether the elements of the first vector are at their places.
        let mut is_placed = false;
        let mut taken = vec![first];
        let others: Vec<Option<usize>> = match more.is_empty() {
            true => vec![None],
            false => more.iter().map(|&v| Some(v)).collect(),
        };
        for other in others {
            let pattern: Vec<u32> = (0..lanes as usize)
                .map(|lane| {
                    let theirs = other.and_then(|v| of(v, lane)).map(|i| lanes + i);
                    let own = match is_placed {
                        true => sources[lane].filter(|s| taken.contains(&s.0)).map(|_| lane as u32),
                        false => of(first, lane),
                    };
                    theirs.or(own).unwrap_or(u32::MAX)
                })
                .collect();
            let with = other.map_or(so_far.ty().poison(), |v| vectors[v]);
            so_far = self.b.shuffle(so_far, with, &pattern);
            is_placed = true;
            taken.extend(other);
        }
        so_far
    }

    /// From vectors in the order of memory to one of each place; as many of either, a power of two.
    fn deinterleave(&self, vectors: Vec<Value<'c>>) -> Vec<Value<'c>> {
        if vectors.len() < 2 {
            return vectors;
        }
        let [even, odd] = [0, 1].map(|first| {
            let pattern: Vec<u32> = (0..self.lanes).map(|i| 2 * i + first).collect();
            let halves = vectors.chunks(2).map(|two| self.b.shuffle(two[0], two[1], &pattern));
            self.deinterleave(halves.collect())
        });
        even.into_iter().zip(odd).flat_map(|(x, y)| [x, y]).collect()
    }

    /// The reverse.
    fn interleave(&self, values: Vec<Value<'c>>) -> Vec<Value<'c>> {
        if values.len() < 2 {
            return values;
        }
        let [even, odd] = [0, 1].map(|first| {
            let half = values.iter().copied().skip(first).step_by(2);
            self.interleave(half.collect())
        });
        let lanes = self.lanes;
        let zipped = |x, y, start: u32| {
            let pattern: Vec<u32> = (0..lanes).map(|i| start + i / 2 + i % 2 * lanes).collect();
            self.b.shuffle(x, y, &pattern)
        };
        let both = even.into_iter().zip(odd);
        both.flat_map(|(x, y)| [zipped(x, y, 0), zipped(x, y, lanes / 2)])
            .collect()
    }
}
