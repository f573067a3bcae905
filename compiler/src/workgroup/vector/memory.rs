// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Loads, stores and atomic operations of all lanes.

use llvm_sys::LLVMAtomicRMWBinOp as A;
use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;

use super::divergence::VectorShape;
use super::emit::{Emit, Result, Wide};
use super::gather::Way;
use super::indexed::{Indexed, unextended};
use super::private::offsets;
use crate::intrinsics::WorkItemIntrinsic;
use crate::llvm::{Kind, Type, Value};
use crate::runtime::LocalMemory;
use crate::target::Vectors;

/// What a load or store accesses, and its type.
pub(super) fn accessed<'c>(inst: Value<'c>) -> Option<(Value<'c>, Type<'c>)> {
    match inst.opcode()? {
        L::LLVMLoad => Some((inst.operand(0), inst.ty())),
        L::LLVMStore => Some((inst.operand(1), inst.operand(0).ty())),
        _ => None,
    }
}

/// What an address is computed from.
pub(super) fn root(mut address: Value<'_>) -> Value<'_> {
    while address.opcode() == Some(L::LLVMGetElementPtr) {
        address = address.operand(0);
    }
    address
}

/// Whether an address is known to be in local memory.
pub(super) fn is_local(address: Value<'_>) -> bool {
    root(address)
        .callee()
        .is_some_and(|f| f.name() == WorkItemIntrinsic::LocalMemory.name())
}

/// How an atomic operation is done that needs not be atomic, because one thread runs the whole group, whose memory it is.
#[derive(Clone, Copy)]
enum Plain {
    /// An instruction computes the new value.
    Instruction(L),
    /// One of LLVM's functions does.
    Function(&'static str),
    Exchange,
    CompareExchange,
}

fn plain_atomic(inst: Value<'_>) -> Option<Plain> {
    let is_atomic = matches!(inst.opcode(), Some(L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg));
    if !is_atomic || !is_local(inst.operand(0)) {
        return None;
    }
    if inst.opcode() == Some(L::LLVMAtomicCmpXchg) {
        return Some(Plain::CompareExchange);
    }
    Some(match inst.atomic_operation()? {
        A::LLVMAtomicRMWBinOpAdd => Plain::Instruction(L::LLVMAdd),
        A::LLVMAtomicRMWBinOpSub => Plain::Instruction(L::LLVMSub),
        A::LLVMAtomicRMWBinOpAnd => Plain::Instruction(L::LLVMAnd),
        A::LLVMAtomicRMWBinOpOr => Plain::Instruction(L::LLVMOr),
        A::LLVMAtomicRMWBinOpXor => Plain::Instruction(L::LLVMXor),
        A::LLVMAtomicRMWBinOpFAdd => Plain::Instruction(L::LLVMFAdd),
        A::LLVMAtomicRMWBinOpFSub => Plain::Instruction(L::LLVMFSub),
        A::LLVMAtomicRMWBinOpMax => Plain::Function("llvm.smax"),
        A::LLVMAtomicRMWBinOpMin => Plain::Function("llvm.smin"),
        A::LLVMAtomicRMWBinOpUMax => Plain::Function("llvm.umax"),
        A::LLVMAtomicRMWBinOpUMin => Plain::Function("llvm.umin"),
        A::LLVMAtomicRMWBinOpFMax => Plain::Function("llvm.maxnum"),
        A::LLVMAtomicRMWBinOpFMin => Plain::Function("llvm.minnum"),
        A::LLVMAtomicRMWBinOpXchg => Plain::Exchange,
        _ => return None,
    })
}

impl<'c> Emit<'_, 'c> {
    /// The type of a value in memory, where booleans are bytes.
    fn memory_type(&self, ty: Type<'c>) -> Result<Type<'c>> {
        match ty.kind() {
            Kind::Int(1) => Ok(self.cx.int(8)),
            Kind::Int(8 | 16 | 32 | 64) | Kind::Float(_) | Kind::Pointer => Ok(ty),
            Kind::Vector(_) => match ty.scalar().kind() {
                Kind::Int(8 | 16 | 32 | 64) | Kind::Float(_) | Kind::Pointer => Ok(ty),
                _ => Err(format!("an access to a {ty:?} that differs between lanes")),
            },
            _ => Err(format!("an access to a {ty:?} that differs between lanes")),
        }
    }

    /// Whether the addresses of lanes are consecutive.
    fn is_contiguous(&self, address: Value<'c>, ty: Type<'c>) -> bool {
        let size = self.module.size_of(ty) as i64;
        matches!(self.shapes.of(address), VectorShape::Affine { stride, .. } if stride == size)
    }

    /// An address in an interleaved private variable: one element further in the scalar kernel is one element of each
    /// lane further.
    pub(super) fn private_address(&mut self, inst: Value<'c>) -> Result<Wide<'c>> {
        let wide = self.cx.int(64);
        let lanes = u64::from(self.lanes);
        let base = inst.operand(0);
        let differs = self.shapes.of(inst) == VectorShape::Varying;
        let all = if differs { wide.vector(self.lanes) } else { wide };
        let mut sum = all.zero();
        for (index, step) in offsets(self.module, inst) {
            let step = step.wrapping_mul(lanes);
            let part = match index {
                None => all.int(step),
                Some(index) => {
                    let index = if differs {
                        self.vector(index)?
                    } else {
                        self.first(index)?
                    };
                    self.b.mul(self.b.sext_or_trunc(index, all), all.int(step))
                }
            };
            sum = self.b.add(sum, part);
        }
        let base = if differs { self.vector(base)? } else { self.first(base)? };
        let address = self.b.offset(base, sum);
        Ok(if differs {
            Wide::Vector(address)
        } else {
            Wide::Scalar(address)
        })
    }

    /// Whether a vector type has no padding.
    fn is_dense(&self, ty: Type<'c>) -> bool {
        let n = ty.lanes().unwrap_or(1);
        self.module.size_of(ty) == self.module.size_of(ty.scalar()) * u64::from(n)
    }

    /// The alignment of a load or store in each lane, and of lane 0 if the access is of all lanes.
    fn align(&self, inst: Value<'c>, address: Value<'c>, ty: Type<'c>) -> u32 {
        let align = inst.get_align();
        // The scalar kernel's alignment may not hold for the elements of all lanes.
        if let Some(size) = self.shapes.private.element_size(address) {
            return align.min(size as u32);
        }
        // Only a single active lane may be aligned like this.
        if self.mask.is_some() && self.is_contiguous(address, ty) {
            return align.min(1 << self.module.size_of(ty).trailing_zeros().min(12));
        }
        align
    }

    pub(super) fn load(&mut self, inst: Value<'c>) -> Result<Wide<'c>> {
        let address = inst.operand(0);
        if inst.is_volatile() || inst.is_atomic() {
            return self.scalarize(inst);
        }
        if let Some(value) = self.load_interleaved(inst)? {
            return Ok(Wide::Vector(value));
        }
        let ty = self.memory_type(inst.ty())?;
        if ty.lanes().is_some() && !(self.is_contiguous(address, ty) && self.is_dense(ty)) {
            return self.scalarize(inst);
        }
        let wide = self.wide_type(ty)?;
        let align = self.align(inst, address, ty);
        let value = if self.is_contiguous(address, ty) {
            let first = self.first(address)?;
            let mask = self.mask.map(|mask| self.expand(mask, ty));
            self.load_vector(wide, first, mask, None, align)
        } else if let Some(how) = self.in_rows(address, ty, false) {
            let align = align.min(1 << self.module.size_of(ty).trailing_zeros());
            self.load_rows(address, ty, how, align)?
        } else if self.is_hoped_contiguous(address, ty) {
            // Only the access of each lane is known to be aligned like this.
            let align = align.min(1 << self.module.size_of(ty).trailing_zeros());
            let all = self.in_runs(
                address,
                ty,
                Some(wide),
                |emit, at| {
                    let value = emit.load_vector(wide, at.address, at.mask, at.others, align);
                    Some(if at.is_reversed { emit.turn(value) } else { value })
                },
                |emit, addresses| Some(emit.gather(wide, addresses, align, Way::Gather)),
            )?;
            all.unwrap_or_else(|| wide.poison())
        } else if let Some(at) = self.butterfly(address, ty)? {
            let align = align.min(1 << self.module.size_of(ty).trailing_zeros());
            let all = self.with_partners(
                &at,
                None,
                |emit, first, mask, _| Some(emit.load_vector(wide, first, mask, None, align)),
                |emit, addresses| Some(emit.gather(wide, addresses, align, Way::Gather)),
            );
            all.unwrap_or_else(|| wide.poison())
        } else {
            let addresses = self.vector(address)?;
            self.gather(wide, addresses, align, self.way_of(inst, ty))
        };
        let result = self.wide_type(inst.ty())?;
        Ok(Wide::Vector(if ty == inst.ty() {
            value
        } else {
            self.b.zext_or_trunc(value, result)
        }))
    }

    /// Loads consecutive elements; those of lanes that are not in the mask are `others`.
    pub(super) fn load_vector(
        &self,
        ty: Type<'c>,
        address: Value<'c>,
        mask: Option<Value<'c>>,
        others: Option<Value<'c>>,
        align: u32,
    ) -> Value<'c> {
        let Some(mask) = mask else {
            return self.b.load(ty, address).align(align);
        };
        if let Some(numbers) = self.numbers_for_addresses(ty) {
            let others = others.map(|others| self.b.cast(L::LLVMPtrToInt, others, numbers));
            let loaded = self.load_vector(numbers, address, Some(mask), others, align);
            return self.b.cast(L::LLVMIntToPtr, loaded, ty);
        }
        let args = [address, mask, others.unwrap_or_else(|| ty.poison())];
        self.b
            .intrinsic(self.module, "llvm.masked.load", &[ty, self.cx.ptr()], &args)
            .call_argument_attribute(0, "align", align.into())
    }

    pub(super) fn masked_store(&self, all: Value<'c>, to: Value<'c>, mask: Value<'c>, align: u32) {
        if let Some(numbers) = self.numbers_for_addresses(all.ty()) {
            return self.masked_store(self.b.cast(L::LLVMPtrToInt, all, numbers), to, mask, align);
        }
        let types = [all.ty(), self.cx.ptr()];
        self.b
            .intrinsic(self.module, "llvm.masked.store", &types, &[all, to, mask])
            .call_argument_attribute(1, "align", align.into());
    }

    /// The type of numbers that vectors of addresses are under a mask. Where the CPU has no masked access, LLVM 22 takes the size of an
    /// address for 0 when it makes one for each lane, and so all of them for aligned like the first.
    fn numbers_for_addresses(&self, ty: Type<'c>) -> Option<Type<'c>> {
        let lanes = ty.lanes().filter(|_| ty.scalar().is_ptr())?;
        Some(self.cx.int(64).vector(lanes))
    }

    /// Whether a store under a mask had better not look at the mask: the CPU has such stores, and the memory was read, so that it
    /// is in a cache even if no lane writes.
    pub(super) fn is_at_hand(&self, store: Value<'c>) -> bool {
        let (ty, address) = (store.operand(0).ty(), store.operand(1));
        Vectors::of_host().has_mask_registers
            && (self.is_contiguous(address, ty) || self.index_of_butterfly(address, ty).is_some())
            && address.users().iter().any(|user| user.opcode() == Some(L::LLVMLoad))
    }

    pub(super) fn store(&mut self, inst: Value<'c>) -> Result<()> {
        let (value, address) = (inst.operand(0), inst.operand(1));
        if inst.is_volatile() || inst.is_atomic() {
            return self.scalarize(inst).map(|_| ());
        }
        if self.store_interleaved(inst)? {
            return Ok(());
        }
        if self.shapes.of(address) == VectorShape::Uniform {
            let align = inst.get_align();
            // All lanes write to one address: the last lane wins.
            let to = self.first(address)?;
            let value = match self.shapes.of(value) {
                VectorShape::Uniform => self.first(value)?,
                _ => {
                    let lane = self.last_lane();
                    self.lane(value, lane)?
                }
            };
            self.b.store(value, to).align(align);
            return Ok(());
        }
        let ty = self.memory_type(value.ty())?;
        if ty.lanes().is_some() && !(self.is_contiguous(address, ty) && self.is_dense(ty)) {
            return self.scalarize(inst).map(|_| ());
        }
        let align = self.align(inst, address, ty);
        let mut all = self.vector(value)?;
        if ty != value.ty() {
            all = self.b.zext_or_trunc(all, ty.vector(self.lanes));
        }
        if self.in_rows(address, ty, true).is_some() {
            let align = align.min(1 << self.module.size_of(ty).trailing_zeros());
            return self.store_rows(all, address, align);
        }
        if self.is_hoped_contiguous(address, ty) {
            let align = align.min(1 << self.module.size_of(ty).trailing_zeros());
            self.in_runs(
                address,
                ty,
                None,
                |emit, at| {
                    let all = if at.is_reversed { emit.turn(all) } else { all };
                    match at.mask {
                        Some(mask) => emit.masked_store(all, at.address, mask, align),
                        None => {
                            emit.b.store(all, at.address).align(align);
                        }
                    }
                    None
                },
                |emit, addresses| {
                    emit.scatter(all, addresses, align, Way::Gather);
                    None
                },
            )?;
            return Ok(());
        }
        if let Some(at) = self.butterfly(address, ty)? {
            let align = align.min(1 << self.module.size_of(ty).trailing_zeros());
            self.with_partners(
                &at,
                Some(all),
                |emit, first, mask, value| {
                    let value = value?;
                    match mask {
                        Some(mask) => emit.masked_store(value, first, mask, align),
                        None => _ = emit.b.store(value, first).align(align),
                    }
                    None
                },
                |emit, addresses| {
                    emit.scatter(all, addresses, align, Way::Gather);
                    None
                },
            );
            return Ok(());
        }
        if !self.is_contiguous(address, ty) {
            let addresses = self.vector(address)?;
            self.scatter(all, addresses, align, self.way_of(inst, ty));
            return Ok(());
        }
        let to = self.first(address)?;
        let Some(mask) = self.mask else {
            if !self.store_stream(inst, all, to, align) {
                self.b.store(all, to).align(align);
            }
            return Ok(());
        };
        if self.is_at_hand(inst) {
            self.masked_store(all, to, self.expand(mask, ty), align);
            return Ok(());
        }
        let blends = is_local(address)
            && !Vectors::of_host().has_mask_registers
            && self.module.size_of(all.ty()) <= LocalMemory::AROUND as u64;
        let store_some = |emit: &Self| {
            let mask = emit.expand(mask, ty);
            if !blends {
                return emit.masked_store(all, to, mask, align);
            }
            // AMD's CPUs take 12 cycles for a store of AVX2 under a mask, and LLVM has none for SSE. Nobody else writes to local memory
            // meanwhile, and there is memory around it.
            let before = emit.b.load(all.ty(), to).align(align);
            // Frozen, as LLVM would make that a masked store again.
            let blend = emit.b.freeze(emit.b.select(mask, all, before));
            emit.b.store(blend, to).align(align);
        };
        if Some(mask) == self.entry_mask {
            store_some(self);
            return Ok(());
        }
        // Usually all lanes are active, or all items of a group that has fewer.
        let items = self.entry_mask.filter(|_| self.group.is_some());
        let bits = self.mask_bits(mask);
        let most = items.map_or_else(|| bits.ty().ones(), |items| self.mask_bits(items));
        let every = self.b.icmp(I::LLVMIntEQ, bits, most);
        let [whole, part, some, after] =
            ["store.all", "store.part", "store.some", "stored"].map(|n| self.function.append_block(n));
        let before = self.b.block();
        self.b.cond_br(every, whole, part);
        for block in [after, some, part, whole] {
            block.move_after(before);
        }
        self.b.go_to_end(whole);
        match items {
            Some(items) => self.masked_store(all, to, self.expand(items, ty), align),
            None => _ = self.b.store(all, to).align(align),
        }
        self.b.br(after);
        self.b.go_to_end(part);
        // Of no lane, the address may be any.
        match blends {
            true => self
                .b
                .cond_br(self.b.icmp(I::LLVMIntEQ, bits, bits.ty().zero()), after, some),
            false => self.b.br(some),
        };
        self.b.go_to_end(some);
        store_some(self);
        self.b.br(after);
        self.b.go_to_end(after);
        Ok(())
    }

    /// The highest active lane, 32 bits.
    fn last_lane(&self) -> Value<'c> {
        let word = self.cx.int(32);
        let Some(mask) = self.mask else {
            return word.int(u64::from(self.lanes) - 1);
        };
        let bits = self.mask_bits(mask);
        let zeros = self
            .b
            .intrinsic(self.module, "llvm.ctlz", &[bits.ty()], &[bits, self.cx.int(1).int(1)]);
        let last = self.b.sub(bits.ty().int(u64::from(self.lanes) - 1), zeros);
        self.b.zext_or_trunc(last, word)
    }

    pub(super) fn atomic(&mut self, inst: Value<'c>) -> Result<Wide<'c>> {
        self.scalarize(inst)
    }

    /// Scalarizes an instruction: runs it for each active lane.
    pub(super) fn scalarize(&mut self, inst: Value<'c>) -> Result<Wide<'c>> {
        let operands = inst.operands();
        // Loaded before the loop, to do so once.
        for &operand in &operands {
            self.wide(operand)?;
        }
        let indexed = self.indexed_atomic(inst)?;
        let is_short = plain_atomic(inst).is_some();
        let ty = inst.ty();
        let members = ty.members();
        if let [first, second] = members.as_slice() {
            // Two results, which are kept in variables.
            let (x, y) = (
                self.entry.alloca(first.vector(self.lanes)),
                self.entry.alloca(second.vector(self.lanes)),
            );
            let types = [first.vector(self.lanes), second.vector(self.lanes)];
            self.each_lane(None, is_short, |emit, lane| {
                let parts = emit.copy_for(inst, &operands, indexed.as_ref(), lane)?;
                for ((slot, ty), part) in [x, y].into_iter().zip(types).zip(parts) {
                    let so_far = emit.b.load(ty, slot);
                    emit.b.store(emit.b.insert_element(so_far, part, lane), slot);
                }
                Ok(None)
            })?;
            return Ok(Wide::Pair(self.b.load(types[0], x), self.b.load(types[1], y)));
        }
        let result = (ty.kind() != Kind::Void).then_some(ty);
        let value = self.each_lane(result, is_short, |emit, lane| {
            let copy = emit.copy_for(inst, &operands, indexed.as_ref(), lane)?;
            Ok(copy.first().copied())
        })?;
        Ok(value.map_or(Wide::Scalar(self.cx.int(1).zero()), Wide::Vector))
    }

    /// The address of an atomic operation and the index of each lane, if it is an element of an array. To take an index out of a vector
    /// takes fewer instructions than to take an address, which is longer; the access itself adds the base.
    fn indexed_atomic(&mut self, inst: Value<'c>) -> Result<Option<(Indexed<'c>, Value<'c>)>> {
        if !matches!(inst.opcode(), Some(L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg)) {
            return Ok(None);
        }
        let (address, ty) = (inst.operand(0), inst.operand(1).ty());
        if self.shapes.of(address) != VectorShape::Varying {
            return Ok(None);
        }
        let Some((index, array)) = self.single_index(address, self.module.size_of(ty))? else {
            return Ok(None);
        };
        let (narrow, extension) = unextended(index);
        if narrow.ty().bits() == 32 && self.is_available(narrow) {
            return Ok(Some((array.extending(extension), self.vector(narrow)?)));
        }
        Ok(Some((array, self.vector(index)?)))
    }

    /// The scalar instruction with one lane's operands: its result, or both members of that.
    fn copy_for(
        &mut self,
        inst: Value<'c>,
        operands: &[Value<'c>],
        indexed: Option<&(Indexed<'c>, Value<'c>)>,
        lane: Value<'c>,
    ) -> Result<Vec<Value<'c>>> {
        let mut own = Vec::new();
        for (i, &operand) in operands.iter().enumerate() {
            own.push(match indexed {
                Some((array, indices)) if i == 0 => array.at(&self.b, self.b.extract_element(*indices, lane)),
                _ => self.lane(operand, lane)?,
            });
        }
        if let Some(how) = plain_atomic(inst) {
            return Ok(self.plain_copy(inst, how, &own));
        }
        let copy = inst.clone_instruction();
        for (i, (&operand, value)) in operands.iter().zip(own).enumerate() {
            if value != operand {
                copy.set_operand(i as u32, value);
            }
        }
        let copy = self.b.insert(copy);
        Ok(match inst.ty().members().len() {
            2 => (0..2).map(|member| self.b.extract_value(copy, member)).collect(),
            _ => vec![copy],
        })
    }

    /// An atomic operation that is not atomic.
    fn plain_copy(&self, inst: Value<'c>, how: Plain, operands: &[Value<'c>]) -> Vec<Value<'c>> {
        let (b, at, value) = (&self.b, operands[0], operands[1]);
        let (ty, align) = (value.ty(), inst.get_align());
        let before = b.load(ty, at).align(align);
        let store = |new| b.store(new, at).align(align);
        match how {
            Plain::Instruction(opcode) => store(b.binary(opcode, before, value)),
            Plain::Function(name) => store(b.intrinsic(self.module, name, &[ty], &[before, value])),
            Plain::Exchange => store(value),
            Plain::CompareExchange => {
                let is_equal = b.icmp(I::LLVMIntEQ, before, value);
                store(b.select(is_equal, operands[2], before));
                return vec![before, is_equal];
            }
        };
        vec![before]
    }
}
