// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Lowers functions: parameters, control flow, the values of ids. Instructions are dispatched to the other files.

use std::collections::HashMap;

use spirv::{BuiltIn, Decoration, Op, OpenclStd100Op as ClOp, StorageClass};

use super::blocks::{blocks_of, order};
use super::built_ins;
use super::ops::Ops;
use super::types::check_parts;
use super::{FunctionLowering, ModuleLowering};
use crate::fast_math::flag;
use crate::group_ops::scope;
use crate::image;
use crate::intrinsics::{Members, WorkItemIntrinsic};
use crate::link::Place;
use crate::llvm::{Builder, Function, Kind, Type, Value};
use crate::spirv::{self as front, Id, Inst, built_in, is_by_value, storage_class};
use crate::{Error, builtins};

impl<'c> ModuleLowering<'c> {
    /// Lowers a function into `function`, as a kernel or as a callee.
    pub(super) fn lower(&mut self, place: Place, function: Function<'c>, is_kernel: bool) -> Result<(), Error> {
        let (part, id) = place;
        let module = self.linked.module(part);
        let Some(source) = module.function(id) else {
            return Err(Error::Malformed {
                offset: 0,
                what: format!("{id} is no function"),
            });
        };
        if !source.defined {
            return self.define_import(&module.linkage(id).map(|l| l.0).unwrap_or_default(), function);
        }
        let entry = function.append_block("entry");
        let item = function.param(0).name("item");
        let mut body = FunctionLowering {
            part,
            module,
            function,
            builder: Builder::at_end(self.context, entry),
            entry: Builder::at_end(self.context, entry),
            item,
            values: HashMap::new(),
            blocks: HashMap::new(),
            ends: HashMap::new(),
            phis: Vec::new(),
            members: Members::All,
            unrolled: Vec::new(),
            no_contraction: self.kernel.is_some_and(|k| k.no_contraction),
            unit: self,
        };
        body.params(source, is_kernel)?;
        body.blocks(source)
    }
}

impl<'c> FunctionLowering<'_, 'c> {
    fn params(&mut self, source: &front::Function, is_kernel: bool) -> Result<(), Error> {
        for (index, &id) in source.params.iter().enumerate() {
            let ty = self.value_type(id)?;
            check_parts(ty)?;
            let value = if is_kernel {
                self.kernel_param(index, id, ty)?
            } else {
                let value = self.function.param(index as u32 + 1);
                if is_by_value(self.module, id) {
                    self.copy_of(id, value)?
                } else {
                    value
                }
            };
            self.name(id, value);
            self.values.insert(id, value);
        }
        Ok(())
    }

    /// A copy of a by-value argument, because the function may change it.
    fn copy_of(&mut self, id: Id, from: Value<'c>) -> Result<Value<'c>, Error> {
        let pointee = self.unit.pointee(self.part, id).unwrap_or_default();
        let ty = self.ty(pointee)?;
        let (size, align) = crate::link::layout(self.unit.linked, self.part, pointee)?;
        let align = (align as u32).max(16);
        let copy = self.entry.alloca(ty).align(align);
        self.entry
            .memcpy(copy, align, from, 1, self.unit.context.int(64).int(size));
        Ok(copy)
    }

    fn kernel_param(&mut self, index: usize, id: Id, ty: Type<'c>) -> Result<Value<'c>, Error> {
        let cx = self.unit.context;
        let info = &self.unit.kernel.expect("only kernels have such parameters").info;
        let param = &info.params[index];
        let args = self.function.param(1);
        let at = self.entry.offset(args, cx.int(64).int(param.offset as u64));
        Ok(match param.kind {
            crate::ParamKind::Value if is_by_value(self.module, id) => self.copy_of(id, at)?,
            crate::ParamKind::Value => self.entry.load(ty, at),
            crate::ParamKind::Local => {
                let is_local = |param: &crate::Param| param.kind == crate::ParamKind::Local;
                // Where the first one is does not hang on sizes. Accesses at known places can be registers.
                let offset = match info.params[..index].iter().any(is_local) {
                    true => self.entry.load(cx.int(64), at),
                    false => cx.int(64).int(info.first_local()),
                };
                let base = self
                    .entry
                    .call(WorkItemIntrinsic::LocalMemory.declare(&self.unit.module), &[self.item]);
                self.entry.offset(base, offset)
            }
            _ => self.entry.load(ty, at),
        })
    }

    fn blocks(&mut self, source: &front::Function) -> Result<(), Error> {
        let module = self.module;
        let sources = blocks_of(module, source)?;
        for block in &sources {
            let made = self.function.append_block(module.name(block.label).unwrap_or(""));
            self.blocks.insert(block.label, made);
        }
        let entry = self.builder.block();
        for block in order(&sources) {
            self.builder.go_to_end(self.blocks[&block.label]);
            for inst in &block.instructions {
                if !inst.is_known() {
                    return Err(inst.unsupported(""));
                }
                if self.terminator(inst).map_err(|error| error.at(inst.offset))? {
                    self.ends.insert(block.label, self.builder.block());
                } else if let Some(value) = self.instruction(inst).map_err(|error| error.at(inst.offset))? {
                    let Some(id) = inst.result() else { continue };
                    if self.value_type(id)? != value.ty() {
                        return Err(inst.malformed("its result is not of the type that it says"));
                    }
                    check_parts(value.ty())?;
                    self.name(id, value);
                    self.values.insert(id, value);
                }
            }
        }
        // Unreachable blocks.
        for block in sources.iter().filter(|b| !self.ends.contains_key(&b.label)) {
            self.builder.go_to_end(self.blocks[&block.label]);
            self.builder.unreachable();
        }
        self.fill_phis()?;
        // A loop is closed by the last block of what goes on with it.
        for block in std::mem::take(&mut self.unrolled) {
            if let Some(branch) = self.ends.get(&block).and_then(|end| end.terminator()) {
                branch.unroll();
            }
        }
        self.entry.go_to_end(entry);
        self.entry.br(self.blocks[&sources[0].label]);
        Ok(())
    }

    fn fill_phis(&mut self) -> Result<(), Error> {
        for (phi, inst) in std::mem::take(&mut self.phis) {
            let mut incoming = Vec::new();
            for pair in inst.operands().chunks(2) {
                let &[value, from] = pair else {
                    return Err(inst.malformed("a value without a block"));
                };
                let Some(&end) = self.ends.get(&from) else {
                    if self.blocks.contains_key(&from) {
                        // Unreachable.
                        continue;
                    }
                    return Err(inst.malformed(format!("{from} is no block")));
                };
                let value = self.value(value).map_err(|error| error.at(inst.offset))?;
                if value.ty() != phi.ty() {
                    return Err(inst.malformed("values of different types"));
                }
                incoming.push((value, end));
            }
            phi.add_incoming(&incoming);
        }
        Ok(())
    }

    fn name(&self, id: Id, value: Value<'c>) {
        if let Some(name) = self.module.name(id).filter(|n| !n.is_empty())
            && !value.is_const()
        {
            value.name(name);
        }
    }

    pub(super) fn ty(&mut self, id: Id) -> Result<Type<'c>, Error> {
        self.unit.ty(self.part, id)
    }

    /// The type of an id's value.
    pub(super) fn value_type(&mut self, id: Id) -> Result<Type<'c>, Error> {
        let ty = self.module.value_type(id).ok_or_else(|| Error::Malformed {
            offset: 0,
            what: format!("{id} is used as a value, but has no type"),
        })?;
        self.ty(ty)
    }

    /// The value of an id.
    pub(super) fn value(&mut self, id: Id) -> Result<Value<'c>, Error> {
        if let Some(&value) = self.values.get(&id) {
            return Ok(value);
        }
        if let Some(inst) = self.module.def(id)
            && inst.op == Op::Variable
            && let Some(value) = self.special_variable(id)?
        {
            self.values.insert(id, value);
            return Ok(value);
        }
        let value = self.unit.constant(self.part, id)?;
        check_parts(value.ty())?;
        Ok(value)
    }

    pub(super) fn values(&mut self, ids: &[Id]) -> Result<Vec<Value<'c>>, Error> {
        ids.iter().map(|&id| self.value(id)).collect()
    }

    /// The operands as values.
    pub(super) fn args(&mut self, inst: &Inst<'_>) -> Result<Vec<Value<'c>>, Error> {
        self.values(inst.operands())
    }

    /// The value of a constant integer operand.
    pub(super) fn literal(&mut self, inst: &Inst<'_>, index: usize) -> Result<u64, Error> {
        let id = inst.operand(index)?;
        self.unit
            .linked
            .constant(self.part, id)
            .ok_or_else(|| inst.unsupported("with a scope or semantics that is computed"))
    }

    /// The address of a variable that belongs to the work-item or work-group, computed in the entry block.
    fn special_variable(&mut self, id: Id) -> Result<Option<Value<'c>>, Error> {
        let cx = self.unit.context;
        if let Some(what) = built_in(self.module, id) {
            return self.built_in_variable(id, what).map(Some);
        }
        if storage_class(self.module, id) != Some(StorageClass::Workgroup) {
            return Ok(None);
        }
        let place = self.unit.linked.resolve((self.part, id))?;
        let Some(&offset) = self.unit.kernel.and_then(|k| k.locals.get(&place)) else {
            return Err(Error::Unsupported {
                feature: "a local variable in a function that is called through a pointer".into(),
                what: String::new(),
            });
        };
        let base = self
            .entry
            .call(WorkItemIntrinsic::LocalMemory.declare(&self.unit.module), &[self.item]);
        Ok(Some(self.entry.offset(base, cx.int(64).int(offset))))
    }

    fn built_in_variable(&mut self, id: Id, what: BuiltIn) -> Result<Value<'c>, Error> {
        let unsupported = || Error::Unsupported {
            feature: format!("the built-in variable {what:?}"),
            what: String::new(),
        };
        let pointee = self.unit.pointee(self.part, id).ok_or_else(unsupported)?;
        let ty = self.ty(pointee)?;
        if !ty.is_int() {
            return Err(unsupported());
        }
        let size = self.sub_group_size();
        let element = |d| {
            let wide = built_ins::built_in(&self.unit.module, &self.entry, self.item, what, d, size)
                .ok_or_else(unsupported)?;
            Ok::<_, Error>(self.entry.zext_or_trunc(wide, ty.scalar()))
        };
        let value = match ty.lanes() {
            None => element(0)?,
            Some(lanes) => {
                let mut vector = ty.undef();
                for d in 0..lanes {
                    let value = if d < 3 || what != BuiltIn::GlobalInvocationId {
                        element(d)?
                    } else {
                        ty.scalar().zero()
                    };
                    vector = self
                        .entry
                        .insert_element(vector, value, self.unit.context.int(32).int(d.into()));
                }
                vector
            }
        };
        let variable = self.entry.alloca(ty).align(64);
        self.entry.store(value, variable).align(64);
        Ok(variable)
    }

    pub(super) fn sub_group_size(&self) -> u32 {
        let unknown = self.unit.linked.target.unknown_sub_group_size();
        self.unit.kernel.map_or(unknown, |k| k.info.collective_width)
    }

    /// The fast-math flags of an instruction, in LLVM's encoding.
    pub(super) fn flags(&self, inst: &Inst<'_>) -> u32 {
        let mut flags = 0;
        let Some(id) = inst.result() else { return 0 };
        let mut may_contract = !self.no_contraction;
        let fast_math = self.unit.linked.fast_math;
        let allowed = if is_division_or_root(inst) {
            fast_math.division_flags()
        } else {
            fast_math.flags()
        };
        for decorated in self.module.decorations(id) {
            match decorated.decoration {
                Decoration::FPFastMathMode => {
                    let mode = decorated.operands.first().copied().unwrap_or(0);
                    // NotNaN, NotInf, NSZ, AllowRecip, AllowContract, AllowReassoc, AllowTransform
                    for (bit, flag) in [
                        (1, flag::NO_NAN),
                        (2, flag::NO_INFINITY),
                        (4, flag::NO_SIGNED_ZERO),
                        (8, flag::RECIPROCAL),
                        (0x10000, flag::CONTRACT),
                        (0x20000, flag::REASSOCIATE),
                        (0x40000, flag::REASSOCIATE),
                    ] {
                        if mode & bit != 0 {
                            flags |= flag;
                        }
                    }
                    if mode & 0x10 != 0 {
                        flags |= flag::ALL;
                    }
                }
                Decoration::NoContraction => may_contract = false,
                _ => {}
            }
        }
        if may_contract {
            flags | allowed | flag::CONTRACT
        } else {
            flags | allowed & !flag::CONTRACT
        }
    }

    pub(super) fn ops(&self, inst: &Inst<'_>) -> Ops<'_, 'c> {
        Ops {
            module: &self.unit.module,
            builder: &self.builder,
            flags: self.flags(inst),
            target: self.unit.linked.target,
        }
    }

    fn target(&self, inst: &Inst<'_>, index: usize) -> Result<crate::llvm::Block<'c>, Error> {
        let id = inst.operand(index)?;
        self.blocks
            .get(&id)
            .copied()
            .ok_or_else(|| inst.malformed(format!("{id} is no block of this function")))
    }

    /// Lowers a terminator. Returns false for other instructions.
    fn terminator(&mut self, inst: &Inst<'c>) -> Result<bool, Error> {
        match inst.op {
            Op::Branch => {
                self.builder.br(self.target(inst, 0)?);
            }
            Op::BranchConditional => {
                let condition = self.value(inst.operand(0)?)?;
                if condition.ty() != self.unit.context.int(1) {
                    return Err(inst.malformed("its condition is no truth value"));
                }
                self.builder
                    .cond_br(condition, self.target(inst, 1)?, self.target(inst, 2)?);
            }
            Op::Switch => {
                let value = self.value(inst.operand(0)?)?;
                let Kind::Int(bits) = value.ty().kind() else {
                    return Err(inst.malformed("its selector is no integer"));
                };
                let words = if bits > 32 { 2 } else { 1 };
                let mut cases = Vec::new();
                let mut seen = std::collections::HashSet::new();
                for case in inst.operands()[2.min(inst.operands().len())..].chunks(words + 1) {
                    let (&to, literal) = case
                        .split_last()
                        .filter(|c| c.1.len() == words)
                        .ok_or_else(|| inst.malformed("a case is cut off"))?;
                    let mut on = u64::from(literal[0]) | literal.get(1).map_or(0, |&h| u64::from(h) << 32);
                    if bits < 64 {
                        on &= (1 << bits) - 1;
                    }
                    let block = *self
                        .blocks
                        .get(&to)
                        .ok_or_else(|| inst.malformed(format!("{to} is no block of this function")))?;
                    if !seen.insert(on) {
                        return Err(inst.malformed(format!("two cases for {on}")));
                    }
                    cases.push((value.ty().int(on), block));
                }
                self.builder.switch(value, self.target(inst, 1)?, &cases);
            }
            Op::Return => {
                if self.function.function_type().returns().kind() != Kind::Void {
                    return Err(inst.malformed("the function returns a value"));
                }
                self.builder.ret(None);
            }
            Op::ReturnValue => {
                let value = self.value(inst.operand(0)?)?;
                if self.function.function_type().returns() != value.ty() {
                    return Err(inst.malformed("the value is not of the type that the function returns"));
                }
                self.builder.ret(Some(value));
            }
            Op::Unreachable => {
                self.builder.unreachable();
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Lowers an instruction. Returns the value of its result, if it has one.
    fn instruction(&mut self, inst: &Inst<'c>) -> Result<Option<Value<'c>>, Error> {
        match inst.op {
            Op::Phi => {
                let ty = self.value_type(inst.result().unwrap_or_default())?;
                // Phis come first in a block.
                if self
                    .builder
                    .block()
                    .instructions()
                    .iter()
                    .any(|i| i.opcode() != Some(llvm_sys::LLVMOpcode::LLVMPHI))
                {
                    return Err(inst.malformed("it stands behind other instructions"));
                }
                let phi = self.builder.phi(ty);
                self.phis.push((phi, *inst));
                return Ok(Some(phi));
            }
            Op::Undef => {
                return self
                    .unit
                    .constant(self.part, inst.result().unwrap_or_default())
                    .map(Some);
            }
            Op::LoopMerge if inst.operand(2)? & LOOP_UNROLL != 0 && self.unit.linked.target.unrolls() => {
                self.unrolled.push(inst.operand(1)?);
                return Ok(None);
            }
            Op::SelectionMerge | Op::LoopMerge | Op::LoopControlINTEL | Op::LifetimeStart | Op::LifetimeStop => {
                return Ok(None);
            }
            Op::FunctionCall => return self.call(inst),
            Op::FunctionPointerCallINTEL => return self.indirect_call(inst),
            Op::ExtInst => return self.extended(inst),
            op if image::operands(op).is_some() => return self.image(inst),
            Op::AssumeTrueKHR => {
                let condition = self.value(inst.operand(0)?)?;
                if condition.ty() != self.unit.context.int(1) {
                    return Err(inst.malformed("it takes a truth value"));
                }
                self.builder
                    .intrinsic(&self.unit.module, "llvm.assume", &[], &[condition]);
                return Ok(None);
            }
            Op::ReadClockKHR => return self.clock(inst).map(Some),
            Op::SaveMemoryINTEL => {
                let ty = [self.unit.context.ptr()];
                return Ok(Some(self.builder.intrinsic(
                    &self.unit.module,
                    "llvm.stacksave",
                    &ty,
                    &[],
                )));
            }
            Op::RestoreMemoryINTEL => {
                let saved = self.value(inst.operand(0)?)?;
                if !saved.ty().is_ptr() {
                    return Err(inst.malformed("it takes a pointer"));
                }
                self.builder
                    .intrinsic(&self.unit.module, "llvm.stackrestore", &[saved.ty()], &[saved]);
                return Ok(None);
            }
            _ => {}
        }
        if let Some(done) = self.memory(inst)? {
            return Ok(done);
        }
        if let Some(done) = self.atomic(inst)? {
            return Ok(done);
        }
        if let Some(done) = self.group(inst)? {
            return Ok(done);
        }
        if let Some(done) = self.composite(inst)? {
            return Ok(Some(done));
        }
        let Some(ty) = inst.result_type() else {
            return Err(inst.unsupported(""));
        };
        let ty = self.ty(ty)?;
        let ids = match inst.op {
            // Literals follow the values.
            Op::SDot | Op::UDot | Op::SUDot => &inst.operands()[..inst.operands().len().min(2)],
            Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => &inst.operands()[..inst.operands().len().min(3)],
            _ => inst.operands(),
        };
        if inst.ids().count() == 0 {
            return Err(inst.unsupported(""));
        }
        let args = self.values(ids)?;
        if let Some(converted) = self.decorated_conversion(inst, ty, &args)? {
            return Ok(Some(converted));
        }
        let value = self
            .ops(inst)
            .value(inst.op, ty, &args)
            .map_err(|what| inst.malformed(what))?;
        if let Some(value) = value {
            self.note_wrapping(inst, value);
        }
        value.map(Some).ok_or_else(|| inst.unsupported(""))
    }

    /// Has LLVM know what a module promises: that a number does not wrap. LLVM finds out more of indices then. Where the promise is
    /// broken, SPIR-V leaves the behaviour undefined, too.
    fn note_wrapping(&self, inst: &Inst<'_>, value: Value<'c>) {
        let Some(id) = inst.result() else { return };
        let promised = |decoration| self.module.decorations(id).iter().any(|d| d.decoration == decoration);
        if matches!(
            inst.op,
            Op::IAdd | Op::ISub | Op::IMul | Op::ShiftLeftLogical | Op::SNegate
        ) {
            let [signed, unsigned] = [Decoration::NoSignedWrap, Decoration::NoUnsignedWrap].map(promised);
            value.promise_no_wrap(signed, unsigned);
        }
    }

    /// What a clock says that only counts up, in no unit: one number of 64 bits, or its halves, the lower one first.
    fn clock(&mut self, inst: &Inst<'c>) -> Result<Value<'c>, Error> {
        let of_device = match self.literal(inst, 0)? {
            scope::DEVICE => true,
            scope::WORKGROUP | scope::SUBGROUP => false,
            _ => return Err(inst.malformed("there are clocks of sub-groups, work-groups and the device")),
        };
        let ty = self.ty(inst.result_type().unwrap_or_default())?;
        let number = self.unit.context.int(64);
        if ty != number && ty != self.unit.context.int(32).vector(2) {
            return Err(inst.malformed("a clock gives 64 bits, or twice 32"));
        }
        let name = self.unit.linked.target.clock(of_device);
        let time = self.builder.intrinsic(&self.unit.module, name, &[], &[]);
        Ok(if ty == number {
            time
        } else {
            self.builder.bitcast(time, ty)
        })
    }

    /// A conversion that saturates, or has an explicit rounding mode.
    fn decorated_conversion(
        &mut self,
        inst: &Inst<'c>,
        ty: Type<'c>,
        args: &[Value<'c>],
    ) -> Result<Option<Value<'c>>, Error> {
        let id = inst.result().unwrap_or_default();
        let saturates = self.module.decoration(id, Decoration::SaturatedConversion).is_some();
        let rounding = self
            .module
            .decoration(id, Decoration::FPRoundingMode)
            .and_then(|o| o.first().copied());
        let &[x] = args else { return Ok(None) };
        let ops = self.ops(inst);
        let lanes = x.ty().lanes() == ty.lanes();
        Ok(match inst.op {
            Op::ConvertFToS | Op::ConvertFToU if x.ty().is_float() && ty.is_int() && lanes => {
                // First rounded to an integer by the mode (0 nearest even, 1 to zero, 2 up, 3 down).
                let name = match rounding {
                    Some(0) => builtins::nearest_even(x.ty()),
                    Some(2) => "llvm.ceil",
                    Some(3) => "llvm.floor",
                    _ => "llvm.trunc",
                };
                let rounds = matches!(rounding, Some(0 | 2 | 3));
                if !saturates && !rounds {
                    return Ok(None);
                }
                let x = if rounds {
                    ops.builder.intrinsic(ops.module, name, &[x.ty()], &[x])
                } else {
                    x
                };
                let signed = inst.op == Op::ConvertFToS;
                Some(if saturates {
                    ops.saturate_float(x, ty, signed)
                } else {
                    ops.value(inst.op, ty, &[x])
                        .map_err(|what| inst.malformed(what))?
                        .expect("it is a conversion")
                })
            }
            Op::SConvert | Op::UConvert if saturates && x.ty().is_int() && ty.is_int() && lanes => {
                let signed = inst.op == Op::SConvert;
                Some(ops.saturate(x, ty, signed, signed))
            }
            Op::FConvert | Op::ConvertSToF | Op::ConvertUToF
                if matches!(rounding, Some(1..=3)) && ty.is_float() && lanes =>
            {
                Some(
                    ops.directed(inst.op, x, ty, rounding.unwrap_or(0))
                        .ok_or_else(|| inst.malformed("its operand does not fit"))?,
                )
            }
            _ => None,
        })
    }
}

/// The bit of a loop's control that asks for unrolling.
const LOOP_UNROLL: u32 = 1;

/// Whether an instruction is a division or a square root, which `-cl-fp32-correctly-rounded-divide-sqrt` affects.
fn is_division_or_root(inst: &Inst<'_>) -> bool {
    match inst.op {
        Op::FDiv => true,
        Op::ExtInst => inst.operands().get(1) == Some(&(ClOp::sqrt as u32)),
        _ => false,
    }
}
