// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Groups of several rows that are one vector: what is made of the items' places, and accesses that are consecutive in each row, or of
//! one address.
//!
//! As the size of the group is known, so are the lanes of each row. A row's address is computed by itself, from its first item's ids and
//! what is the same for all items, so that it needs no vectors of 64 bits, and holds where that item is not active.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cfg::Cfg;
use super::divergence::{Ids, VectorShape, VectorShapes};
use super::emit::{Emit, Result};
use super::memory::{accessed, is_local};
use super::prefetches;
use super::whole_group::GroupVector;
use crate::abi::layout;
use crate::intrinsics::WorkItemIntrinsic;
use crate::llvm::{Builder, Function, Module, Type, Value};
use crate::target::Vectors;

/// How the items of a row access memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InRow {
    /// All of them at one address.
    Same,
    /// One element after the other.
    Consecutive,
}

impl InRow {
    /// Whether rows can be accessed like this, of which only some items may be active if it is `masked`.
    pub fn is_possible(self, ty: Type<'_>, is_store: bool, is_masked: bool) -> bool {
        match self {
            // Of a row without an active item, the address may be any.
            Self::Same => !is_store && !is_masked,
            Self::Consecutive => !is_masked || Vectors::of_host().has_masked_access(ty),
        }
    }
}

/// An access of one row after the other.
pub(super) struct RowAccess<'c> {
    pub how: InRow,
    /// How many instructions the address of each row takes.
    pub computed: u32,
    /// What it is computed from that is no id and does not vary between items.
    origins: Vec<Value<'c>>,
}

/// The most instructions that a row's address is computed by.
const MOST_INSTRUCTIONS: usize = 32;

/// What is known of the rows of a group.
pub(super) struct Rows<'c> {
    /// How many items each has.
    length: u32,
    count: u32,
    /// How values differ between the items of a row.
    pub shapes: VectorShapes<'c>,
}

impl<'c> Rows<'c> {
    /// The rows of a group, if it has several.
    pub fn of(module: &Module<'c>, cfg: &Cfg<'c>, group: GroupVector) -> Option<Self> {
        let length = group.size[0];
        group.spans_rows().then(|| Self {
            length,
            count: group.items() / length,
            shapes: VectorShapes::new(module, cfg, length, Ids::InRow),
        })
    }

    /// How many accesses there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// How many items a row has.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// How the items of each row access memory, if that can be one access for each row. `shapes` are those of the whole group.
    pub fn access(
        &self,
        module: &Module<'c>,
        shapes: &VectorShapes<'c>,
        address: Value<'c>,
        ty: Type<'c>,
    ) -> Option<RowAccess<'c>> {
        let is_private = || shapes.private.element_size(address).is_some();
        if shapes.of(address) != VectorShape::Varying || ty.lanes().is_some() || is_private() {
            return None;
        }
        let how = match self.shapes.of(address) {
            VectorShape::Uniform => InRow::Same,
            VectorShape::Affine { stride, .. } if stride == module.size_of(ty) as i64 => InRow::Consecutive,
            _ => return None,
        };
        let (computed, origins) = origins(shapes, address)?;
        Some(RowAccess { how, computed, origins })
    }
}

/// How many instructions compute a value, and what from that is no id and does not vary between items, if that is all.
fn origins<'c>(shapes: &VectorShapes<'c>, value: Value<'c>) -> Option<(u32, Vec<Value<'c>>)> {
    let mut origins = Vec::new();
    let mut seen = FxHashSet::default();
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        if !seen.insert(value) {
            continue;
        }
        if shapes.of(value) != VectorShape::Varying {
            origins.push(value);
        } else if id(value).is_none() {
            let is_simple = value.ty().lanes().is_none()
                && matches!(
                    value.opcode()?,
                    L::LLVMAdd
                        | L::LLVMSub
                        | L::LLVMMul
                        | L::LLVMShl
                        | L::LLVMLShr
                        | L::LLVMAShr
                        | L::LLVMAnd
                        | L::LLVMOr
                        | L::LLVMXor
                        | L::LLVMZExt
                        | L::LLVMSExt
                        | L::LLVMTrunc
                        | L::LLVMGetElementPtr
                );
            if !is_simple || seen.len() > MOST_INSTRUCTIONS {
                return None;
            }
            todo.extend(value.operands());
        }
    }
    Some(((seen.len() - origins.len()) as u32, origins))
}

/// The id that a value is, and its dimension.
fn id(value: Value<'_>) -> Option<(WorkItemIntrinsic, u32)> {
    let which = WorkItemIntrinsic::from_name(&value.callee()?.name())?;
    let is_id = matches!(which, WorkItemIntrinsic::LocalId | WorkItemIntrinsic::GlobalId);
    let dimension = value.operands().get(1)?.as_const_int().filter(|&d| d < 3)?;
    is_id.then_some((which, dimension as u32))
}

/// Puts the number of an item in its group in the place of what is computed from its ids and comes to the same.
pub(super) fn find_linear_ids(module: &Module<'_>, kernel: Function<'_>, group: GroupVector) {
    let [x, y, z] = group.size.map(u64::from);
    let steps = [1, x, x * y];
    let b = Builder::new(module.context());
    for inst in kernel.blocks().into_iter().flat_map(|block| block.instructions()) {
        // What is made of it is made of the number then.
        let may_be = matches!(inst.opcode(), Some(L::LLVMAdd | L::LLVMOr | L::LLVMCall));
        let Some(parts) = may_be.then(|| multiples(inst, 0)).flatten() else {
            continue;
        };
        // Ids are 0 where there is only one.
        let is_linear = [x, y, z]
            .iter()
            .zip(parts.iter().zip(steps))
            .all(|(&n, (&part, step))| n == 1 || part == step);
        if is_linear {
            b.go_before(inst);
            let number = b.call(WorkItemIntrinsic::LocalLinearId.declare(module), &[kernel.param(0)]);
            inst.replace_with(b.zext_or_trunc(number, inst.ty()));
        }
    }
}

/// How often each local id is in a sum of them, modulo 2 to the number of bits.
fn multiples(value: Value<'_>, depth: u32) -> Option<[u64; 3]> {
    const DEEPEST: u32 = 8;
    if depth > DEEPEST || value.ty().lanes().is_some() {
        return None;
    }
    let of = |operand: u32| multiples(value.operand(operand), depth + 1);
    let both = |x: [u64; 3], y: [u64; 3]| [0, 1, 2].map(|d| u64::wrapping_add(x[d], y[d]));
    match value.opcode()? {
        L::LLVMCall => {
            let (which, dimension) = id(value)?;
            let mut one = [0; 3];
            one[dimension as usize] = 1;
            (which == WorkItemIntrinsic::LocalId).then_some(one)
        }
        L::LLVMAdd => Some(both(of(0)?, of(1)?)),
        L::LLVMOr if value.is_disjoint() => Some(both(of(0)?, of(1)?)),
        L::LLVMMul => {
            let by = value.operand(1).as_const_int()?;
            Some(of(0)?.map(|n| n.wrapping_mul(by)))
        }
        L::LLVMShl => {
            let by = u32::try_from(value.operand(1).as_const_int()?).ok()?;
            let by = 1u64.checked_shl(by)?;
            Some(of(0)?.map(|n| n.wrapping_mul(by)))
        }
        // Numbers of items, which these types hold.
        L::LLVMTrunc | L::LLVMZExt | L::LLVMSExt if value.ty().bits().min(value.operand(0).ty().bits()) >= 32 => {
            let parts = of(0)?;
            parts.iter().all(|&n| n <= 1024).then_some(parts)
        }
        _ => None,
    }
}

/// What was computed for one item of a group.
struct OfItem<'a, 'c> {
    item: u32,
    values: FxHashMap<Value<'c>, Value<'c>>,
    /// The global ids of the group's first item.
    first_ids: &'a mut FxHashMap<u32, Value<'c>>,
}

impl<'c> Emit<'_, 'c> {
    /// What the addresses of rows are computed from, if an instruction accesses memory row by row: it has to be there.
    pub(super) fn origins_of_rows(&self, inst: Value<'c>) -> Vec<Value<'c>> {
        let access = accessed(inst).zip(self.rows.as_ref());
        let access = access.and_then(|((address, ty), rows)| rows.access(self.module, &self.shapes, address, ty));
        access.map_or_else(Vec::new, |access| access.origins)
    }

    /// How an access at addresses that vary is one for each row.
    pub(super) fn in_rows(&self, address: Value<'c>, ty: Type<'c>, is_store: bool) -> Option<InRow> {
        let access = self.rows.as_ref()?.access(self.module, &self.shapes, address, ty)?;
        let is_possible = access.how.is_possible(ty, is_store, self.mask_of_some().is_some());
        is_possible.then_some(access.how)
    }

    /// The mask, if it may lack items of the group.
    fn mask_of_some(&self) -> Option<Value<'c>> {
        self.mask.filter(|_| self.mask != self.entry_mask)
    }

    /// The lanes of each row, and the first item's address.
    fn addresses_of_rows(&mut self, address: Value<'c>) -> Result<Vec<(Vec<u32>, Value<'c>)>> {
        let rows = self.rows.as_ref().expect("the group has rows");
        let (length, count) = (rows.length, rows.count);
        let mut first_ids = FxHashMap::default();
        let mut all = Vec::new();
        for item in (0..count).map(|row| row * length) {
            let mut of_item = OfItem {
                item,
                values: FxHashMap::default(),
                first_ids: &mut first_ids,
            };
            all.push(((item..item + length).collect(), self.of_item(address, &mut of_item)?));
        }
        Ok(all)
    }

    /// The value of one item, computed by itself from its ids.
    fn of_item(&mut self, value: Value<'c>, of_item: &mut OfItem<'_, 'c>) -> Result<Value<'c>> {
        if let Some(&known) = of_item.values.get(&value) {
            return Ok(known);
        }
        let own = if self.shapes.of(value) != VectorShape::Varying {
            let lane = self.cx.int(32).int(of_item.item.into());
            self.lane(value, lane)?
        } else if let Some((which, dimension)) = id(value) {
            let group = self.group.ok_or("a group whose size is not known")?;
            let local = self.cx.int(64).int(group.local_id(of_item.item, dimension).into());
            match which {
                WorkItemIntrinsic::GlobalId => {
                    let first = of_item.first_ids.entry(dimension);
                    let first = *first.or_insert_with(|| self.first_global_id(dimension.into()));
                    self.b.add(first, local)
                }
                _ => local,
            }
        } else {
            let mut operands = Vec::new();
            for operand in value.operands() {
                operands.push(self.of_item(operand, of_item)?);
            }
            self.computed_from(value, &operands)?
        };
        of_item.values.insert(value, own);
        Ok(own)
    }

    /// The value that an instruction has for one item.
    fn computed_from(&self, inst: Value<'c>, operands: &[Value<'c>]) -> Result<Value<'c>> {
        let rows = self.rows.as_ref().expect("the group has rows");
        // As in `Emit::emit_uniform`: what LLVM knows of the value holds for items that use it, and the first may be none of them.
        let goes_up = matches!(rows.shapes.of(inst.operand(0)), VectorShape::Affine { stride, .. } if stride > 0);
        Ok(match inst.opcode() {
            Some(L::LLVMOr) if inst.is_disjoint() => self.b.add(operands[0], operands[1]),
            Some(L::LLVMZExt) if inst.has_nneg() && goes_up => self.b.cast(L::LLVMSExt, operands[0], inst.ty()),
            Some(L::LLVMGetElementPtr) => self
                .b
                .gep(inst.source_element_type(), operands[0], &operands[1..], false),
            Some(opcode @ (L::LLVMZExt | L::LLVMSExt | L::LLVMTrunc)) => self.b.cast(opcode, operands[0], inst.ty()),
            Some(opcode) => self.b.binary(opcode, operands[0], operands[1]),
            None => return Err("a value without an instruction".into()),
        })
    }

    /// The global id of the group's first item.
    pub(super) fn first_global_id(&self, dimension: u64) -> Value<'c> {
        let (b, wide) = (&self.b, self.cx.int(64));
        let member = |base, offset: u64, ty| b.load(ty, b.offset(base, wide.int(offset))).align(8);
        let group = member(self.function.param(0), layout::ITEM_GROUP, self.cx.ptr());
        member(group, layout::GROUP_START + 8 * dimension, wide)
    }

    /// The mask of a row, if it may lack items.
    fn mask_of_row(&self, lanes: &[u32]) -> Option<Value<'c>> {
        self.mask_of_some().map(|mask| self.of_lanes(mask, lanes))
    }

    /// Some lanes of a vector.
    fn of_lanes(&self, all: Value<'c>, lanes: &[u32]) -> Value<'c> {
        self.b.shuffle(all, all.ty().poison(), lanes)
    }

    /// Loads numbers of type `ty` row by row.
    pub(super) fn load_rows(&mut self, address: Value<'c>, ty: Type<'c>, how: InRow, align: u32) -> Result<Value<'c>> {
        let mut parts = Vec::new();
        for (lanes, first) in self.addresses_of_rows(address)? {
            let length = lanes.len() as u32;
            parts.push(match how {
                InRow::Same => self.b.splat(self.b.load(ty, first).align(align), length),
                InRow::Consecutive => {
                    let mask = self.mask_of_row(&lanes);
                    self.load_vector(ty.vector(length), first, mask, None, align)
                }
            });
        }
        Ok(self.joined(parts))
    }

    /// Stores numbers row by row.
    pub(super) fn store_rows(&mut self, all: Value<'c>, address: Value<'c>, align: u32) -> Result<()> {
        let rows = self.addresses_of_rows(address)?;
        let Some(mask) = self.mask_of_some() else {
            let has_columns = self.group.is_some_and(|group| group.has_columns) && !is_local(address);
            for (lanes, first) in rows {
                self.b.store(self.of_lanes(all, &lanes), first).align(align);
                if has_columns {
                    // The next columns write to the next line, and CPUs foresee no accesses that are a row apart.
                    self.prefetch_line(self.b.offset(first, self.cx.int(64).int(prefetches::LINE)), true);
                }
            }
            return Ok(());
        };
        // Usually all items are active.
        let exist = self.entry_mask.unwrap_or_else(|| self.mask_type().ones());
        let every = self.b.icmp(I::LLVMIntEQ, self.mask_bits(mask), self.mask_bits(exist));
        let [whole, some, after] = ["rows.all", "rows.some", "rows.stored"].map(|n| self.function.append_block(n));
        let before = self.b.block();
        for block in [after, some, whole] {
            block.move_after(before);
        }
        self.b.cond_br(every, whole, some);
        self.b.go_to_end(whole);
        for (lanes, first) in &rows {
            self.b.store(self.of_lanes(all, lanes), *first).align(align);
        }
        self.b.br(after);
        self.b.go_to_end(some);
        for (lanes, first) in rows {
            let of_row = self.of_lanes(mask, &lanes);
            self.masked_store(self.of_lanes(all, &lanes), first, of_row, align);
        }
        self.b.br(after);
        self.b.go_to_end(after);
        Ok(())
    }

    /// Vectors of the same length, one after the other, as one of all lanes.
    pub(super) fn joined(&self, mut parts: Vec<Value<'c>>) -> Value<'c> {
        let lanes = |vector: Value<'c>| vector.ty().lanes().unwrap_or(1);
        while parts.len() > 1 {
            let two = |two: &[Value<'c>]| {
                let second = two.get(1).copied().unwrap_or_else(|| two[0].ty().poison());
                self.b
                    .shuffle(two[0], second, &(0..2 * lanes(two[0])).collect::<Vec<_>>())
            };
            parts = parts.chunks(2).map(two).collect();
        }
        let all = parts[0];
        let there = lanes(all);
        if there == self.lanes {
            return all;
        }
        // What is behind the group's end is no item's.
        let pattern: Vec<u32> = (0..self.lanes).map(|lane| lane.min(there - 1)).collect();
        self.b.shuffle(all, all.ty().poison(), &pattern)
    }
}
