// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Atomic operations and fences. On the CPU all memory is shared by the threads of the process, so every scope is
//! treated as all threads.

use llvm_sys::{LLVMAtomicOrdering as O, LLVMAtomicRMWBinOp as R, LLVMIntPredicate};
use spirv::Op;

use super::FunctionLowering;
use crate::Error;
use crate::group_ops::scope;
use crate::intrinsics::GROUP_SCOPE;
use crate::llvm::{Kind, Type, Value};
use crate::spirv::Inst;

type Done<'c> = Option<Option<Value<'c>>>;

/// LLVM's ordering of SPIR-V's memory semantics.
pub(super) fn ordering(semantics: u64) -> O {
    let has = |bit: u64| semantics & bit != 0;
    if has(0x10) {
        O::LLVMAtomicOrderingSequentiallyConsistent
    } else if has(0x8) || has(0x2) && has(0x4) {
        O::LLVMAtomicOrderingAcquireRelease
    } else if has(0x4) {
        O::LLVMAtomicOrderingRelease
    } else if has(0x2) {
        O::LLVMAtomicOrderingAcquire
    } else {
        O::LLVMAtomicOrderingMonotonic
    }
}

/// The strongest ordering that a load may have.
fn for_load(ordering: O) -> O {
    match ordering {
        O::LLVMAtomicOrderingRelease => O::LLVMAtomicOrderingMonotonic,
        O::LLVMAtomicOrderingAcquireRelease => O::LLVMAtomicOrderingAcquire,
        other => other,
    }
}

/// The strongest ordering that a store may have.
fn for_store(ordering: O) -> O {
    match ordering {
        O::LLVMAtomicOrderingAcquire => O::LLVMAtomicOrderingMonotonic,
        O::LLVMAtomicOrderingAcquireRelease => O::LLVMAtomicOrderingRelease,
        other => other,
    }
}

impl<'c> FunctionLowering<'_, 'c> {
    /// Lowers an atomic instruction; `None` for other instructions.
    pub(super) fn atomic(&mut self, inst: &Inst<'c>) -> Result<Done<'c>, Error> {
        let change = match inst.op {
            Op::AtomicExchange => R::LLVMAtomicRMWBinOpXchg,
            Op::AtomicIIncrement | Op::AtomicIAdd => R::LLVMAtomicRMWBinOpAdd,
            Op::AtomicIDecrement | Op::AtomicISub => R::LLVMAtomicRMWBinOpSub,
            Op::AtomicSMin => R::LLVMAtomicRMWBinOpMin,
            Op::AtomicUMin => R::LLVMAtomicRMWBinOpUMin,
            Op::AtomicSMax => R::LLVMAtomicRMWBinOpMax,
            Op::AtomicUMax => R::LLVMAtomicRMWBinOpUMax,
            Op::AtomicAnd => R::LLVMAtomicRMWBinOpAnd,
            Op::AtomicOr => R::LLVMAtomicRMWBinOpOr,
            Op::AtomicXor => R::LLVMAtomicRMWBinOpXor,
            Op::AtomicFAddEXT => R::LLVMAtomicRMWBinOpFAdd,
            Op::AtomicFMinEXT => R::LLVMAtomicRMWBinOpFMin,
            Op::AtomicFMaxEXT => R::LLVMAtomicRMWBinOpFMax,
            _ => return self.other_atomic(inst),
        };
        let address = self.accessed(inst, 0)?;
        let ty = self.ty(inst.result_type().unwrap_or_default())?;
        let ordering = ordering(self.literal(inst, 2)?);
        let value = match inst.op {
            Op::AtomicIIncrement | Op::AtomicIDecrement if ty.is_int() => ty.int(1),
            _ => self.value(inst.operand(3)?)?,
        };
        let is_float = matches!(inst.op, Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT);
        let fits = match inst.op {
            Op::AtomicExchange => matches!(ty.kind(), Kind::Int(_) | Kind::Float(_)),
            _ if is_float => matches!(ty.kind(), Kind::Float(_)),
            _ => matches!(ty.kind(), Kind::Int(_)),
        };
        self.check_width(inst, ty)?;
        if !fits || value.ty() != ty {
            return Err(inst.malformed("operands do not fit the type"));
        }
        Ok(Some(Some(self.change(inst, change, address, value, ordering)?)))
    }

    fn check_width(&self, inst: &Inst<'_>, ty: Type<'c>) -> Result<(), Error> {
        match ty.kind() {
            Kind::Int(8 | 16 | 32 | 64) | Kind::Float(_) | Kind::Pointer => Ok(()),
            _ => Err(inst.malformed("atomics are of integers of 8, 16, 32 and 64 bits and of floating-point numbers")),
        }
    }

    fn other_atomic(&mut self, inst: &Inst<'c>) -> Result<Done<'c>, Error> {
        Ok(Some(match inst.op {
            Op::AtomicLoad => {
                let address = self.accessed(inst, 0)?;
                let ty = self.ty(inst.result_type().unwrap_or_default())?;
                self.check_width(inst, ty)?;
                let ordering = for_load(ordering(self.literal(inst, 2)?));
                let load = self.builder.load(ty, address).align(ty.bits() / 8);
                self.builder.set_ordering(load, ordering);
                Some(self.scoped(inst, load)?)
            }
            Op::AtomicStore => {
                let address = self.accessed(inst, 0)?;
                let ordering = for_store(ordering(self.literal(inst, 2)?));
                let value = self.value(inst.operand(3)?)?;
                self.check_width(inst, value.ty())?;
                let store = self.builder.store(value, address).align(value.ty().bits() / 8);
                self.builder.set_ordering(store, ordering);
                self.scoped(inst, store)?;
                None
            }
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                let address = self.accessed(inst, 0)?;
                let ty = self.ty(inst.result_type().unwrap_or_default())?;
                let equal = ordering(self.literal(inst, 2)?);
                let unequal = for_load(ordering(self.literal(inst, 3)?));
                let (value, expected) = (self.value(inst.operand(4)?)?, self.value(inst.operand(5)?)?);
                self.check_width(inst, ty)?;
                if value.ty() != ty || expected.ty() != ty {
                    return Err(inst.malformed("operands do not fit the type"));
                }
                let b = &self.builder;
                // LLVM compares integers.
                let bits = self.unit.context.int(ty.bits());
                let is_float = matches!(ty.kind(), Kind::Float(_));
                let cast = |v| if is_float { b.bitcast(v, bits) } else { v };
                let both = b.cmpxchg(address, cast(expected), cast(value), equal, unequal);
                self.scoped(inst, both)?;
                let b = &self.builder;
                let found = b.extract_value(both, 0);
                Some(if is_float { b.bitcast(found, ty) } else { found })
            }
            Op::AtomicFlagTestAndSet => {
                let address = self.accessed(inst, 0)?;
                let ordering = ordering(self.literal(inst, 2)?);
                let flag = self.unit.context.int(32);
                let found = self.change(inst, R::LLVMAtomicRMWBinOpXchg, address, flag.int(1), ordering)?;
                Some(self.builder.icmp(LLVMIntPredicate::LLVMIntNE, found, flag.zero()))
            }
            Op::AtomicFlagClear => {
                let address = self.accessed(inst, 0)?;
                let ordering = for_store(ordering(self.literal(inst, 2)?));
                let store = self.builder.store(self.unit.context.int(32).zero(), address).align(4);
                self.builder.set_ordering(store, ordering);
                self.scoped(inst, store)?;
                None
            }
            Op::MemoryBarrier => {
                let semantics = self.literal(inst, 1)?;
                self.fence(inst, 0, semantics)?;
                None
            }
            _ => return Ok(None),
        }))
    }

    /// A read-modify-write operation.
    fn change(
        &mut self,
        inst: &Inst<'c>,
        change: R,
        address: Value<'c>,
        value: Value<'c>,
        ordering: O,
    ) -> Result<Value<'c>, Error> {
        let Some(scope) = self.scope(inst, 1)? else {
            return Ok(self.builder.atomic_rmw(change, address, value, ordering));
        };
        // The instructions of these targets have no ordering: fences around them do.
        let b = &self.builder;
        let fence = |ordering| _ = b.set_scope(b.fence(ordering), scope);
        match ordering {
            O::LLVMAtomicOrderingSequentiallyConsistent => fence(ordering),
            O::LLVMAtomicOrderingRelease | O::LLVMAtomicOrderingAcquireRelease => fence(O::LLVMAtomicOrderingRelease),
            _ => {}
        }
        let found = b.atomic_rmw(change, address, value, O::LLVMAtomicOrderingMonotonic);
        b.set_scope(found, scope);
        if for_load(ordering) != O::LLVMAtomicOrderingMonotonic {
            fence(O::LLVMAtomicOrderingAcquire);
        }
        Ok(found)
    }

    /// LLVM's name of the scope that an operand is, where scopes differ.
    fn scope(&mut self, inst: &Inst<'_>, operand: usize) -> Result<Option<&'static str>, Error> {
        let target = self.unit.linked.target;
        match target.scope(scope::CROSS_DEVICE) {
            None => Ok(None),
            Some(_) => Ok(target.scope(self.literal(inst, operand)?)),
        }
    }

    /// Limits an atomic access to the scope that its instruction names.
    fn scoped(&mut self, inst: &Inst<'c>, access: Value<'c>) -> Result<Value<'c>, Error> {
        Ok(match self.scope(inst, 1)? {
            Some(scope) => self.builder.set_scope(access, scope),
            None => access,
        })
    }

    /// The fence of a barrier of the items of a scope. Which memory accesses it orders is an operand of the instruction,
    /// or else those of these items.
    pub(super) fn barrier_fence(
        &mut self,
        inst: &Inst<'_>,
        items: u64,
        memory: Option<usize>,
        semantics: u64,
    ) -> Result<(), Error> {
        if ordering(semantics) == O::LLVMAtomicOrderingMonotonic {
            return Ok(());
        }
        let scope = match memory {
            Some(operand) => self.scope(inst, operand)?,
            None => self.unit.linked.target.scope(items),
        };
        // The barrier orders the accesses of its items to each other. Scopes shrink as their numbers grow.
        // One that is computed may be any.
        let reaches_further =
            memory.is_some_and(|operand| self.literal(inst, operand).map_or(true, |scope| scope < items));
        let Some(name) = scope else {
            // The barrier itself orders the items of a group, which run on one thread. Towards other threads, acquire
            // and release suffice.
            let fence = self.builder.fence(O::LLVMAtomicOrderingAcquireRelease);
            if !reaches_further {
                self.builder.set_scope(fence, GROUP_SCOPE);
            }
            return Ok(());
        };
        if reaches_further {
            let fence = self.builder.fence(O::LLVMAtomicOrderingAcquireRelease);
            self.builder.set_scope(fence, name);
        }
        Ok(())
    }

    /// A fence, unless the semantics are relaxed. Its scope is an operand of the instruction.
    pub(super) fn fence(&mut self, inst: &Inst<'_>, operand: usize, semantics: u64) -> Result<(), Error> {
        let ordering = ordering(semantics);
        if ordering != O::LLVMAtomicOrderingMonotonic {
            let fence = self.builder.fence(ordering);
            if let Some(scope) = self.scope(inst, operand)? {
                self.builder.set_scope(fence, scope);
            }
        }
        Ok(())
    }
}
