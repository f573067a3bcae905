// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Asynchronous copies between global and local memory: all items of the work-group share the work.

use llvm_sys::LLVMIntPredicate as I;

use super::FunctionLowering;
use crate::Error;
use crate::intrinsics::WorkItemIntrinsic;
use crate::link::layout;
use crate::llvm::{Kind, Value};
use crate::spirv::Inst;

impl<'c> FunctionLowering<'_, 'c> {
    /// Lowers `OpGroupAsyncCopy`.
    pub(super) fn async_copy(&mut self, inst: &Inst<'c>) -> Result<Value<'c>, Error> {
        let (to, from) = (self.address(inst, 1)?, self.address(inst, 2)?);
        let (count, stride) = (self.value(inst.operand(3)?)?, self.value(inst.operand(4)?)?);
        let event = self.value(inst.operand(5)?)?;
        let pointee = self
            .unit
            .pointee(self.part, inst.operand(1)?)
            .ok_or_else(|| inst.malformed("no pointer"))?;
        let ty = self.ty(pointee)?;
        let (size, _) = layout(self.unit.linked, self.part, pointee)?;
        if !matches!(count.ty().kind(), Kind::Int(_)) || !matches!(stride.ty().kind(), Kind::Int(_)) {
            return Err(inst.malformed("number and stride are no integers"));
        }
        let cx = self.unit.context;
        let wide = cx.int(64);
        let (count, stride) = (
            self.builder.zext_or_trunc(count, wide),
            self.builder.zext_or_trunc(stride, wide),
        );
        // The stride applies to global memory, whether it is the source or the destination.
        let class = |body: &Self, operand| {
            let ty = body
                .module
                .value_type(inst.operands()[operand])
                .and_then(|t| body.module.ty(t))
                .cloned();
            matches!(ty, Some(crate::spirv::Type::Pointer(spirv::StorageClass::Workgroup, _)))
        };
        let into_local = class(self, 1);
        let one = wide.int(1);
        let (to_step, from_step) = if into_local { (one, stride) } else { (stride, one) };
        // Every item copies its share.
        let own = self.builder.call(
            WorkItemIntrinsic::LocalLinearId.declare(&self.unit.module),
            &[self.item],
        );
        let items = self
            .builder
            .call(WorkItemIntrinsic::GroupSize.declare(&self.unit.module), &[self.item]);
        let rounds = self
            .builder
            .udiv(self.builder.add(count, self.builder.sub(items, one)), items);
        let bytes = wide.int(size);
        self.count_to(rounds, wide.zero(), |body, round, nothing| {
            let b = &body.builder;
            let index = b.add(b.mul(round, items), own);
            let inside = b.icmp(I::LLVMIntULT, index, count);
            let (copy, after) = (body.function.append_block("copy"), body.function.append_block("copied"));
            b.cond_br(inside, copy, after);
            b.go_to_end(copy);
            let at = |base, step| b.offset(base, b.mul(b.mul(index, step), bytes));
            let value = b.load(ty, at(from, from_step)).align(1);
            b.store(value, at(to, to_step)).align(1);
            b.br(after);
            b.go_to_end(after);
            nothing
        });
        Ok(event)
    }
}
