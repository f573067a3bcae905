// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Variables, loads and stores, addresses, copies.

use llvm_sys::LLVMOpcode as L;
use spirv::{Decoration, Op, StorageClass};

use super::FunctionLowering;
use crate::Error;
use crate::intrinsics::{STORAGE_CLASS, STORE_TO_LOCAL};
use crate::link::layout;
use crate::llvm::{Kind, Type, Value};
use crate::spirv::{Id, Inst, Type as Ty};

/// The memory operands of a load or store.
#[derive(Clone, Copy, Default)]
struct Access {
    volatile: bool,
    align: Option<u32>,
    nontemporal: bool,
}

impl Access {
    fn new(inst: &Inst<'_>, words: &[u32]) -> Result<Self, Error> {
        Ok(Self::read(inst, words)?.0)
    }

    /// Those of a copy: of the target, and of the source, which is accessed like the target if only one is named.
    fn of_copy(inst: &Inst<'_>, words: &[u32]) -> Result<[Self; 2], Error> {
        let (target, rest) = Self::read(inst, words)?;
        let source = match rest {
            [] => target,
            _ => Self::new(inst, rest)?,
        };
        Ok([target, source])
    }

    /// Also returns the words behind them.
    fn read<'w>(inst: &Inst<'_>, words: &'w [u32]) -> Result<(Self, &'w [u32]), Error> {
        /// Those whose mask has an operand, which is a word: `Aligned`, `MakePointerAvailable`, `MakePointerVisible`,
        /// `AliasScopeINTELMask` and `NoAliasINTELMask`.
        const WITH_OPERAND: u32 = 0x2 | 0x8 | 0x10 | 0x10000 | 0x20000;
        let mut access = Self::default();
        let Some((&mask, rest)) = words.split_first() else {
            return Ok((access, words));
        };
        access.volatile = mask & 1 != 0;
        access.nontemporal = mask & 4 != 0;
        if mask & 2 != 0 {
            let &align = rest.first().ok_or_else(|| inst.malformed("the alignment is missing"))?;
            if !align.is_power_of_two() {
                return Err(inst.malformed(format!("an alignment of {align}")));
            }
            access.align = Some(align.min(1 << 16));
        }
        // Scopes, alias scopes and lists follow, which may be ignored.
        let operands = (mask & WITH_OPERAND).count_ones() as usize;
        Ok((access, rest.get(operands..).unwrap_or_default()))
    }
}

type Done<'c> = Option<Option<Value<'c>>>;

impl<'c> FunctionLowering<'_, 'c> {
    /// Lowers a memory instruction; `None` for other instructions.
    pub(super) fn memory(&mut self, inst: &Inst<'c>) -> Result<Done<'c>, Error> {
        Ok(Some(match inst.op {
            Op::Variable => {
                if inst.operand(0)? != StorageClass::Function as u32 {
                    return Err(inst.malformed("a variable in a function that is not the function's"));
                }
                let id = inst.result().unwrap_or_default();
                let pointee = self
                    .unit
                    .pointee(self.part, id)
                    .ok_or_else(|| inst.malformed("its type is no pointer"))?;
                let ty = self.ty(pointee)?;
                let (size, align) = layout(self.unit.linked, self.part, pointee)?;
                if size > 1 << 24 {
                    return Err(inst.unsupported(&format!("a variable of {size} bytes on the stack")));
                }
                let wanted = self
                    .module
                    .decoration(id, Decoration::Alignment)
                    .and_then(|o| o.first().copied())
                    .unwrap_or(1);
                let align = (align as u32).max(wanted.clamp(1, 4096).next_power_of_two());
                let variable = self.entry.alloca(ty).align(align);
                if let Some(&initial) = inst.operands().get(1) {
                    let initial = self.value(initial)?;
                    if initial.ty() != ty {
                        return Err(inst.malformed("its initial value has another type"));
                    }
                    if !self.store_zeros(initial, variable, align) {
                        self.builder.store(initial, variable);
                    }
                }
                Some(variable)
            }
            Op::VariableLengthArrayINTEL => {
                let id = inst.result().unwrap_or_default();
                let pointee = self
                    .unit
                    .pointee(self.part, id)
                    .ok_or_else(|| inst.malformed("its type is no pointer"))?;
                let ty = self.ty(pointee)?;
                let count = self.value(inst.operand(0)?)?;
                if !matches!(count.ty().kind(), Kind::Int(_)) {
                    return Err(inst.malformed("its length is no integer"));
                }
                Some(self.builder.alloca_array(ty, count).align(64))
            }
            Op::Load => {
                let address = self.accessed(inst, 0)?;
                let ty = self.ty(inst.result_type().unwrap_or_default())?;
                let access = Access::new(inst, &inst.operands()[1..])?;
                self.check_memory(inst, ty)?;
                let load = self.builder.load(ty, address);
                Some(self.finish_access(load, &access))
            }
            Op::Store => {
                let address = self.accessed(inst, 0)?;
                let value = self.value(inst.operand(1)?)?;
                let access = Access::new(inst, &inst.operands()[2..])?;
                self.check_memory(inst, value.ty())?;
                if !access.volatile && self.store_zeros(value, address, access.align.unwrap_or(1)) {
                    return Ok(Some(None));
                }
                let store = self.builder.store(value, address);
                let store = self.finish_access(store, &access);
                if self.is_local(inst.operand(0)?) {
                    store.mark(STORE_TO_LOCAL);
                }
                None
            }
            Op::CopyMemory | Op::CopyMemorySized => {
                let (to, from) = (self.accessed(inst, 0)?, self.accessed(inst, 1)?);
                let sized = inst.op == Op::CopyMemorySized;
                let size = if sized {
                    let size = self.value(inst.operand(2)?)?;
                    if !matches!(size.ty().kind(), Kind::Int(_)) {
                        return Err(inst.malformed("its size is no integer"));
                    }
                    self.builder.zext_or_trunc(size, self.unit.context.int(64))
                } else {
                    let pointee = self
                        .unit
                        .pointee(self.part, inst.operand(0)?)
                        .ok_or_else(|| inst.malformed("no pointer"))?;
                    self.unit
                        .context
                        .int(64)
                        .int(layout(self.unit.linked, self.part, pointee)?.0)
                };
                let accesses = Access::of_copy(inst, &inst.operands()[if sized { 3 } else { 2 }..])?;
                let [to_align, from_align] = accesses.map(|access| access.align.unwrap_or(1));
                let copy = self.builder.memcpy(to, to_align, from, from_align, size);
                if self.is_local(inst.operand(0)?) {
                    copy.mark(STORE_TO_LOCAL);
                }
                None
            }
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                Some(self.access_chain(inst)?)
            }
            Op::GenericCastToPtrExplicit => Some(self.explicit_cast(inst)?),
            Op::GenericPtrMemSemantics => Some(self.unit.context.int(32).int(0)),
            Op::PtrDiff => {
                let (x, y) = (self.address(inst, 0)?, self.address(inst, 1)?);
                let pointee = self
                    .unit
                    .pointee(self.part, inst.operand(0)?)
                    .ok_or_else(|| inst.malformed("no pointer"))?;
                let (size, _) = layout(self.unit.linked, self.part, pointee)?;
                let ty = self.ty(inst.result_type().unwrap_or_default())?;
                let wide = self.unit.context.int(64);
                let b = &self.builder;
                let bytes = b.sub(b.cast(L::LLVMPtrToInt, x, wide), b.cast(L::LLVMPtrToInt, y, wide));
                let count = b.sdiv(bytes, wide.int(size.max(1)));
                if !matches!(ty.kind(), Kind::Int(_)) {
                    return Err(inst.malformed("its result is no integer"));
                }
                Some(b.sext_or_trunc(count, ty))
            }
            _ => return Ok(None),
        }))
    }

    /// Fills memory if the value is an aggregate of zeros, and returns whether it is. LLVM would emit a store for each
    /// member.
    fn store_zeros(&self, value: Value<'c>, address: Value<'c>, align: u32) -> bool {
        if !matches!(value.ty().kind(), Kind::Array(_) | Kind::Struct) || !value.is_null() {
            return false;
        }
        let cx = self.unit.context;
        let size = cx.int(64).int(self.unit.module.size_of(value.ty()));
        self.builder.memset(address, align, cx.int(8).zero(), size);
        true
    }

    /// An operand that is an address.
    pub(super) fn address(&mut self, inst: &Inst<'c>, operand: usize) -> Result<Value<'c>, Error> {
        let address = self.value(inst.operand(operand)?)?;
        if address.ty().kind() != Kind::Pointer {
            return Err(inst.malformed("it takes a pointer"));
        }
        Ok(address)
    }

    /// An operand at whose address an instruction accesses memory. It is of the address space that the operand's type
    /// names, if the target has such.
    pub(super) fn accessed(&mut self, inst: &Inst<'c>, operand: usize) -> Result<Value<'c>, Error> {
        let address = self.address(inst, operand)?;
        let ty = self.module.value_type(inst.operand(operand)?);
        let space = match ty.and_then(|ty| self.module.ty(ty)) {
            Some(Ty::Pointer(class, _)) => self.unit.linked.target.address_space(*class),
            _ => None,
        };
        Ok(match space {
            Some(space) => self
                .builder
                .cast(L::LLVMAddrSpaceCast, address, self.unit.context.ptr_in(space)),
            None => address,
        })
    }

    /// Whether the type of a pointer says that it points to local memory.
    fn is_local(&self, pointer: Id) -> bool {
        let ty = self.module.value_type(pointer).and_then(|ty| self.module.ty(ty));
        matches!(ty, Some(Ty::Pointer(StorageClass::Workgroup, _)))
    }

    /// Checks that values of a type can be in memory.
    fn check_memory(&self, inst: &Inst<'_>, ty: Type<'c>) -> Result<(), Error> {
        match ty.kind() {
            Kind::Void | Kind::Other => Err(inst.malformed("it accesses what has no value")),
            _ => Ok(()),
        }
    }

    fn finish_access(&self, value: Value<'c>, access: &Access) -> Value<'c> {
        if let Some(align) = access.align {
            value.align(align);
        }
        value.volatile(access.volatile)
    }

    fn access_chain(&mut self, inst: &Inst<'c>) -> Result<Value<'c>, Error> {
        let base = inst.operand(0)?;
        let address = self.address(inst, 0)?;
        let mut at = self
            .unit
            .pointee(self.part, base)
            .ok_or_else(|| inst.malformed("its base is no pointer"))?;
        let pointee = self.ty(at)?;
        if matches!(pointee.kind(), Kind::Void | Kind::Other) {
            return Err(inst.malformed("its base points to what has no size"));
        }
        let is_ptr = matches!(inst.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
        let in_bounds = matches!(inst.op, Op::InBoundsAccessChain | Op::InBoundsPtrAccessChain);
        let mut indices = Vec::new();
        let mut ids = inst.operands()[1..].iter();
        if is_ptr {
            indices.push(self.index(
                inst,
                *ids.next().ok_or_else(|| inst.malformed("its first index is missing"))?,
            )?);
        } else {
            indices.push(self.unit.context.int(64).int(0));
        }
        for &id in ids {
            let (next, index) = match self.module.ty(at) {
                Some(Ty::Struct(members)) => {
                    let member = self.unit.linked.constant(self.part, id);
                    let member = member.filter(|&m| (m as usize) < members.len());
                    let member = member.ok_or_else(|| inst.malformed("the structure has no such member"))?;
                    (members[member as usize], self.unit.context.int(32).int(member))
                }
                Some(Ty::Array(element, _) | Ty::Vector(element, _)) => (*element, self.index(inst, id)?),
                _ => return Err(inst.malformed("it goes into what has no parts")),
            };
            at = next;
            indices.push(index);
        }
        Ok(self.builder.gep(pointee, address, &indices, in_bounds))
    }

    /// An index. It is signed, whatever its type says.
    fn index(&mut self, inst: &Inst<'_>, id: Id) -> Result<Value<'c>, Error> {
        let index = self.value(id)?;
        if !matches!(index.ty().kind(), Kind::Int(_)) {
            return Err(inst.malformed("an index is no integer"));
        }
        Ok(self.builder.sext_or_trunc(index, self.unit.context.int(64)))
    }

    /// The pointer if it points into the storage class, else null. Only local memory can be told apart. The stack
    /// counts as global memory, unless it is asked for explicitly.
    ///
    /// The answer depends on the address alone while an item runs, so LLVM removes calls whose result nobody uses: it takes the pointer
    /// for what is loaded through it, as null cannot be. And lanes with the same address ask once.
    fn explicit_cast(&mut self, inst: &Inst<'c>) -> Result<Value<'c>, Error> {
        let address = self.address(inst, 0)?;
        let cx = self.unit.context;
        let class = inst.operand(1)?;
        let b = &self.builder;
        let check = self
            .unit
            .module
            .declare(STORAGE_CLASS, cx.int(32).function(&[cx.ptr(), cx.ptr()]))
            .attribute("nounwind", 0)
            .attribute("willreturn", 0)
            .attribute("memory", 0);
        let found = b.call(check, &[self.item, address]);
        let same = b.icmp(
            llvm_sys::LLVMIntPredicate::LLVMIntEQ,
            found,
            cx.int(32).int(class.into()),
        );
        Ok(b.select(same, address, cx.ptr().zero()))
    }
}
