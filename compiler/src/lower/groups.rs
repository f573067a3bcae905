// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Group instructions: barriers, collectives, shuffles, block reads.
//!
//! Sub-group operations become [`GroupCollective`]s, and work-group operations are made of them: each sub-group
//! computes its own result, stores it in local memory, and every item combines the results that it needs.

use llvm_sys::LLVMIntPredicate as I;
use spirv::Op;

use super::FunctionLowering;
use super::built_ins::sub_groups;
use crate::Error;
use crate::group_ops::{reduce_op, scope};
use crate::intrinsics::{CombineValues, DEVICE_BARRIER, GroupCollective, Members, ReduceOp, WorkItemIntrinsic};
use crate::link::VALUE_SIZE;
use crate::llvm::{Block, Builder, Function, Kind, Module, Type, Value};
use crate::spirv::Inst;

type Done<'c> = Option<Option<Value<'c>>>;

/// SPIR-V's group operations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Reduce,
    Inclusive,
    Exclusive,
    Clustered,
}

impl<'c> FunctionLowering<'_, 'c> {
    /// Lowers a group instruction; `None` for other instructions.
    pub(super) fn group(&mut self, inst: &Inst<'c>) -> Result<Done<'c>, Error> {
        let is_partial = inst.grammar_name().starts_with("GroupNonUniform")
            || matches!(inst.op, Op::SubgroupBallotKHR | Op::SubgroupFirstInvocationKHR);
        self.members = match is_partial && self.unit.linked.target.parts_lanes() {
            true => Members::Active,
            false => Members::All,
        };
        if let Some(how) = reduce_op(inst.op) {
            return self.collective(inst, how).map(|v| Some(Some(v)));
        }
        Ok(Some(match inst.op {
            Op::ControlBarrier => {
                let scope = self.literal(inst, 0)?;
                let semantics = self.literal(inst, 2)?;
                self.barrier(inst, scope, Some(1), semantics)?;
                None
            }
            // Arriving orders earlier accesses; waiting is the barrier.
            Op::ControlBarrierArriveINTEL => {
                let semantics = self.literal(inst, 2)?;
                self.fence(inst, 1, semantics)?;
                None
            }
            Op::ControlBarrierWaitINTEL => {
                let (scope, semantics) = (self.literal(inst, 0)?, self.literal(inst, 2)?);
                self.barrier(inst, scope, Some(1), semantics)?;
                None
            }
            Op::GroupAsyncCopy => Some(self.async_copy(inst)?),
            Op::GroupWaitEvents => {
                let scope = self.literal(inst, 0)?;
                self.barrier(inst, scope, None, 0x8)?;
                None
            }
            Op::GroupAll | Op::GroupAny | Op::GroupNonUniformAll | Op::GroupNonUniformAny => {
                let scope = self.literal(inst, 0)?;
                let truth = self.value(inst.operand(1)?)?;
                let all = matches!(inst.op, Op::GroupAll | Op::GroupNonUniformAll);
                Some(self.vote(inst, scope, truth, all)?)
            }
            Op::SubgroupAllKHR | Op::SubgroupAnyKHR => {
                let truth = self.value(inst.operand(0)?)?;
                Some(self.vote(inst, scope::SUBGROUP, truth, inst.op == Op::SubgroupAllKHR)?)
            }
            Op::GroupBroadcast => {
                let scope = self.literal(inst, 0)?;
                let value = self.value(inst.operand(1)?)?;
                let place = self.value(inst.operand(2)?)?;
                Some(self.broadcast(inst, scope, value, place)?)
            }
            _ => return self.sub_group(inst),
        }))
    }

    /// A barrier of the items of a scope. `memory` is the operand that says whose accesses it orders.
    fn barrier(&mut self, inst: &Inst<'_>, scope: u64, memory: Option<usize>, semantics: u64) -> Result<(), Error> {
        let site = self.unit.site();
        let exchange = match scope {
            scope::SUBGROUP => GroupCollective::SubGroupBarrier,
            scope::WORKGROUP => GroupCollective::Barrier,
            scope::INVOCATION => {
                return self.fence(inst, memory.unwrap_or(0), semantics);
            }
            scope::DEVICE | scope::CROSS_DEVICE => {
                // A barrier of the device: the runtime runs all work-groups side by side.
                let cx = self.unit.context;
                let meet = self
                    .unit
                    .module
                    .declare(DEVICE_BARRIER, cx.void().function(&[cx.ptr()]));
                meet.attribute("nounwind", 0).attribute("convergent", 0);
                self.builder.call(meet, &[self.item]);
                return Ok(());
            }
            other => return Err(inst.unsupported(&format!("with scope {other}"))),
        };
        self.barrier_fence(inst, scope, memory, semantics)?;
        self.builder.call(
            exchange.declare(&self.unit.module, None, Members::All),
            &[self.item, site],
        );
        self.barrier_fence(inst, scope, memory, semantics)?;
        Ok(())
    }

    fn is_work_group(&self, inst: &Inst<'_>, scope: u64) -> Result<bool, Error> {
        match scope {
            // The values of sub-groups are in the local memory of a kernel.
            scope::WORKGROUP if self.unit.kernel.is_none() => {
                Err(inst.unsupported("in a function that is called through a pointer"))
            }
            scope::WORKGROUP => Ok(true),
            scope::SUBGROUP => Ok(false),
            other => Err(inst.unsupported(&format!("with scope {other}"))),
        }
    }

    /// Calls a collective whose result has the type of its operand.
    fn exchange(&mut self, exchange: GroupCollective, value: Value<'c>, more: &[Value<'c>]) -> Value<'c> {
        let site = self.unit.site();
        let function = exchange.declare(&self.unit.module, Some(value.ty()), self.members);
        let mut args = vec![self.item, site, value];
        args.extend(more);
        self.builder.call(function, &args)
    }

    /// A bit for each item of the sub-group whose operand is true.
    pub(super) fn ballot(&mut self, truth: Value<'c>) -> Value<'c> {
        let site = self.unit.site();
        self.builder.call(
            GroupCollective::Ballot.declare(&self.unit.module, None, self.members),
            &[self.item, site, truth],
        )
    }

    fn truth(&self, inst: &Inst<'_>, value: Value<'c>) -> Result<Value<'c>, Error> {
        if value.ty() != self.unit.context.int(1) {
            return Err(inst.malformed("it takes a truth value"));
        }
        Ok(value)
    }

    fn vote(&mut self, inst: &Inst<'_>, scope: u64, truth: Value<'c>, all: bool) -> Result<Value<'c>, Error> {
        self.truth(inst, truth)?;
        let b = &self.builder;
        let asked = if all { b.not(truth) } else { truth };
        let bits = self.ballot(asked);
        let mut some = self.builder.icmp(I::LLVMIntNE, bits, bits.ty().zero());
        if self.is_work_group(inst, scope)? {
            let byte = self.unit.context.int(8);
            let value = self.builder.zext_or_trunc(some, byte);
            let total = self.across(value, ReduceOp::Or, Operation::Reduce);
            some = self.builder.icmp(I::LLVMIntNE, total, byte.zero());
        }
        Ok(if all { self.builder.not(some) } else { some })
    }

    /// A reduction or scan.
    fn collective(&mut self, inst: &Inst<'c>, how: ReduceOp) -> Result<Value<'c>, Error> {
        let scope = self.literal(inst, 0)?;
        let operation = match inst.operand(1)? {
            0 => Operation::Reduce,
            1 => Operation::Inclusive,
            2 => Operation::Exclusive,
            3 => Operation::Clustered,
            other => return Err(inst.unsupported(&format!("with group operation {other}"))),
        };
        let value = self.value(inst.operand(2)?)?;
        if value.ty().is_float() != how.is_float() || !(value.ty().is_int() || value.ty().is_float()) {
            return Err(inst.malformed("operands do not fit the instruction"));
        }
        let is_work_group = self.is_work_group(inst, scope)?;
        if operation == Operation::Clustered {
            let size = self.literal(inst, 3)?;
            if is_work_group || !size.is_power_of_two() || size > 64 {
                return Err(inst.unsupported(&format!("with clusters of {size}")));
            }
            return self.each_element(value, |body, value| Ok(body.clustered(value, how, size)));
        }
        self.each_element(value, |body, value| {
            Ok(body.reduce(value, how, operation, is_work_group))
        })
    }

    /// Applies a function of numbers to each element of a vector.
    fn each_element(
        &mut self,
        value: Value<'c>,
        mut f: impl FnMut(&mut Self, Value<'c>) -> Result<Value<'c>, Error>,
    ) -> Result<Value<'c>, Error> {
        let Some(lanes) = value.ty().lanes() else {
            return f(self, value);
        };
        let mut result: Option<Value<'c>> = None;
        for i in 0..lanes {
            let index = self.unit.context.int(32).int(i.into());
            let element = self.builder.extract_element(value, index);
            let element = f(self, element)?;
            let vector = result.unwrap_or_else(|| element.ty().vector(lanes).undef());
            result = Some(self.builder.insert_element(vector, element, index));
        }
        Ok(result.expect("a vector has elements"))
    }

    fn reduce(&mut self, value: Value<'c>, how: ReduceOp, operation: Operation, work_group: bool) -> Value<'c> {
        // Booleans are exchanged as bytes.
        let ty = value.ty();
        let is_bool = ty.kind() == Kind::Int(1);
        let value = if is_bool {
            self.builder.zext_or_trunc(value, self.unit.context.int(8))
        } else {
            value
        };
        let value = if is_bool && how == ReduceOp::And {
            // True is all bits, so that it is the identity.
            self.builder.neg(value)
        } else {
            value
        };
        let result = if work_group {
            self.across_all(value, how, operation)
        } else {
            let exchange = match operation {
                Operation::Reduce => GroupCollective::Reduce(how),
                Operation::Inclusive => GroupCollective::InclusiveScan(how),
                _ => GroupCollective::ExclusiveScan(how),
            };
            self.exchange(exchange, value, &[])
        };
        let result = match (how, operation) {
            // The specification's identity is 0; ReduceOp's is -0, which changes no number.
            (ReduceOp::FAdd, Operation::Exclusive) => {
                how.apply(&self.unit.module, &self.builder, result, value.ty().zero())
            }
            _ => result,
        };
        if is_bool {
            self.builder.zext_or_trunc(result, ty)
        } else {
            result
        }
    }

    /// A collective of the work-group on each item's value.
    fn across_all(&mut self, value: Value<'c>, how: ReduceOp, operation: Operation) -> Value<'c> {
        match operation {
            Operation::Reduce => {
                let own = self.exchange(GroupCollective::Reduce(how), value, &[]);
                self.across(own, how, operation)
            }
            _ => {
                let exchange = match operation {
                    Operation::Inclusive => GroupCollective::InclusiveScan(how),
                    _ => GroupCollective::ExclusiveScan(how),
                };
                let total = self.exchange(GroupCollective::Reduce(how), value, &[]);
                let own = self.exchange(exchange, value, &[]);
                let before = self.across(total, how, Operation::Exclusive);
                how.apply(&self.unit.module, &self.builder, before, own)
            }
        }
    }

    /// The address of the value of a sub-group in local memory, which has room for all sub-groups of a group.
    fn meeting_place(&mut self, number: Value<'c>) -> Value<'c> {
        let cx = self.unit.context;
        let start = self.unit.kernel.expect("collectives are in kernels").values;
        let base = self
            .builder
            .call(WorkItemIntrinsic::LocalMemory.declare(&self.unit.module), &[self.item]);
        let bytes = self.builder.mul(number, cx.int(64).int(VALUE_SIZE));
        let bytes = self.builder.add(bytes, cx.int(64).int(start));
        self.builder.offset(base, bytes)
    }

    /// Combines the values of all sub-groups of a work-group, or of those before the own one.
    fn across(&mut self, own: Value<'c>, how: ReduceOp, operation: Operation) -> Value<'c> {
        let number = self
            .builder
            .call(WorkItemIntrinsic::SubGroup.declare(&self.unit.module), &[self.item]);
        let place = self.meeting_place(number);
        // All items of the sub-group write the same value.
        self.builder.store(own, place);
        self.meet();
        let size = self.sub_group_size();
        let end = match operation {
            Operation::Reduce => sub_groups(&self.unit.module, &self.builder, self.item, size),
            _ => number,
        };
        let first = self.meeting_place(self.unit.context.int(64).zero());
        let combine = combine_values(&self.unit.module, own.ty(), how);
        let result = self.builder.call(combine, &[self.item, first, end]);
        self.meet();
        result
    }

    fn meet(&mut self) {
        let site = self.unit.site();
        self.builder.call(
            GroupCollective::Barrier.declare(&self.unit.module, None, Members::All),
            &[self.item, site],
        );
    }

    /// A loop over the numbers below `end`, which computes one value.
    pub(super) fn count_to(
        &mut self,
        end: Value<'c>,
        start: Value<'c>,
        mut step: impl FnMut(&mut Self, Value<'c>, Value<'c>) -> Value<'c>,
    ) -> Value<'c> {
        let counting = Counting::begin(&self.builder, self.function, end, start);
        let next = step(self, counting.index, counting.so_far);
        counting.end(&self.builder, next)
    }

    /// The item's number in its sub-group, 32 bits.
    pub(super) fn lane(&mut self) -> Value<'c> {
        let lane = self
            .builder
            .call(WorkItemIntrinsic::Lane.declare(&self.unit.module), &[self.item]);
        self.builder.zext_or_trunc(lane, self.unit.context.int(32))
    }

    /// The value of another item, for a number, boolean or pointer.
    pub(super) fn shuffle(&mut self, value: Value<'c>, lane: Value<'c>) -> Value<'c> {
        let ty = value.ty();
        let cx = self.unit.context;
        let lane = self.builder.zext_or_trunc(lane, cx.int(32));
        match ty.kind() {
            Kind::Pointer => {
                let bits = self.builder.cast(llvm_sys::LLVMOpcode::LLVMPtrToInt, value, cx.int(64));
                let moved = self.exchange(GroupCollective::Shuffle, bits, &[lane]);
                self.builder.cast(llvm_sys::LLVMOpcode::LLVMIntToPtr, moved, ty)
            }
            Kind::Float(bits) => {
                let value = self.builder.bitcast(value, cx.int(bits));
                let moved = self.exchange(GroupCollective::Shuffle, value, &[lane]);
                self.builder.bitcast(moved, ty)
            }
            Kind::Int(bits) if !matches!(bits, 8 | 16 | 32 | 64) => {
                let wide = cx.int(if bits < 8 { 8 } else { 64 });
                let value = self.builder.zext_or_trunc(value, wide);
                let moved = self.exchange(GroupCollective::Shuffle, value, &[lane]);
                self.builder.zext_or_trunc(moved, ty)
            }
            _ => self.exchange(GroupCollective::Shuffle, value, &[lane]),
        }
    }

    fn shuffle_all(&mut self, inst: &Inst<'_>, value: Value<'c>, lane: Value<'c>) -> Result<Value<'c>, Error> {
        if !matches!(lane.ty().kind(), Kind::Int(_))
            || !(value.ty().is_int() || value.ty().is_float() || value.ty().is_ptr())
        {
            return Err(inst.malformed("operands do not fit the instruction"));
        }
        self.each_element(value, |body, value| Ok(body.shuffle(value, lane)))
    }

    fn broadcast(
        &mut self,
        inst: &Inst<'_>,
        scope: u64,
        value: Value<'c>,
        place: Value<'c>,
    ) -> Result<Value<'c>, Error> {
        if !place.ty().is_int() {
            return Err(inst.malformed("it takes the number of an item"));
        }
        if !self.is_work_group(inst, scope)? {
            let lane = match place.ty().lanes() {
                Some(_) => self.extract(place, 0).expect("a vector has elements"),
                None => place,
            };
            return self.shuffle_all(inst, value, lane);
        }
        // The item with this local id writes, and all read.
        let cx = self.unit.context;
        let mut own = cx.int(1).int(1);
        for d in 0..place.ty().lanes().unwrap_or(1).min(3) {
            let wanted = if place.ty().lanes().is_some() {
                self.extract(place, d).expect("it has it")
            } else {
                place
            };
            let wanted = self.builder.zext_or_trunc(wanted, cx.int(64));
            let id = self.builder.call(
                WorkItemIntrinsic::LocalId.declare(&self.unit.module),
                &[self.item, cx.int(32).int(d.into())],
            );
            let same = self.builder.icmp(I::LLVMIntEQ, id, wanted);
            own = self.builder.and(own, same);
        }
        self.each_element(value, |body, value| {
            let place = body.meeting_place(body.unit.context.int(64).zero());
            let (write, after) = (body.function.append_block("own"), body.function.append_block("others"));
            body.builder.cond_br(own, write, after);
            body.builder.go_to_end(write);
            body.builder.store(value, place);
            body.builder.br(after);
            body.builder.go_to_end(after);
            body.meet();
            let found = body.builder.load(value.ty(), place);
            body.meet();
            Ok(found)
        })
    }

    fn sub_group(&mut self, inst: &Inst<'c>) -> Result<Done<'c>, Error> {
        let cx = self.unit.context;
        let word = cx.int(32);
        // The KHR and non-uniform forms begin with a scope.
        let first = usize::from(inst.grammar_name().starts_with("GroupNonUniform"));
        if first == 1 && self.literal(inst, 0)? != scope::SUBGROUP {
            return Err(inst.unsupported("with a scope other than the sub-group's"));
        }
        let value = match inst.op {
            Op::GroupNonUniformElect => {
                let here = self.ballot(cx.int(1).int(1));
                let lane = self.first_of(here);
                let own = self.lane();
                self.builder.icmp(I::LLVMIntEQ, lane, own)
            }
            Op::GroupNonUniformAllEqual => {
                let value = self.value(inst.operand(1)?)?;
                let here = self.ballot(cx.int(1).int(1));
                let lane = self.first_of(here);
                let theirs = self.shuffle_all(inst, value, lane)?;
                let same = if value.ty().is_float() {
                    self.builder
                        .fcmp(llvm_sys::LLVMRealPredicate::LLVMRealOEQ, value, theirs)
                } else {
                    self.builder.icmp(I::LLVMIntEQ, value, theirs)
                };
                let same = match same.ty().lanes() {
                    Some(_) => {
                        self.builder
                            .intrinsic(&self.unit.module, "llvm.vector.reduce.and", &[same.ty()], &[same])
                    }
                    None => same,
                };
                self.vote(inst, scope::SUBGROUP, same, true)?
            }
            Op::SubgroupAllEqualKHR => {
                let truth = self.value(inst.operand(0)?)?;
                self.truth(inst, truth)?;
                let not = self.builder.not(truth);
                let (yes, no) = (self.ballot(truth), self.ballot(not));
                let b = &self.builder;
                b.or(
                    b.icmp(I::LLVMIntEQ, yes, yes.ty().zero()),
                    b.icmp(I::LLVMIntEQ, no, no.ty().zero()),
                )
            }
            Op::GroupNonUniformBroadcast
            | Op::GroupNonUniformShuffle
            | Op::SubgroupShuffleINTEL
            | Op::SubgroupReadInvocationKHR => {
                let (value, lane) = (self.value(inst.operand(first)?)?, self.value(inst.operand(first + 1)?)?);
                self.shuffle_all(inst, value, lane)?
            }
            Op::GroupNonUniformBroadcastFirst | Op::SubgroupFirstInvocationKHR => {
                let value = self.value(inst.operand(first)?)?;
                let here = self.ballot(cx.int(1).int(1));
                let lane = self.first_of(here);
                self.shuffle_all(inst, value, lane)?
            }
            Op::GroupNonUniformShuffleXor | Op::SubgroupShuffleXorINTEL => {
                let (value, mask) = (self.value(inst.operand(first)?)?, self.count(inst, first + 1)?);
                let own = self.lane();
                let lane = self.builder.xor(own, mask);
                self.shuffle_all(inst, value, lane)?
            }
            Op::GroupNonUniformShuffleUp | Op::GroupNonUniformShuffleDown => {
                let (value, delta) = (self.value(inst.operand(first)?)?, self.count(inst, first + 1)?);
                let own = self.lane();
                let lane = match inst.op {
                    Op::GroupNonUniformShuffleUp => self.builder.sub(own, delta),
                    _ => self.builder.add(own, delta),
                };
                self.shuffle_all(inst, value, lane)?
            }
            Op::GroupNonUniformRotateKHR => {
                let (value, delta) = (self.value(inst.operand(1)?)?, self.count(inst, 2)?);
                let size = match inst.operands().get(3) {
                    Some(_) => word.int(self.literal(inst, 3)?),
                    None => word.int(self.sub_group_size().into()),
                };
                let own = self.lane();
                let b = &self.builder;
                let low = b.sub(size, word.int(1));
                let lane = b.or(b.and(own, b.not(low)), b.and(b.add(own, delta), low));
                self.shuffle_all(inst, value, lane)?
            }
            Op::SubgroupShuffleUpINTEL | Op::SubgroupShuffleDownINTEL => self.shuffle_two(inst)?,
            Op::GroupNonUniformBallot | Op::SubgroupBallotKHR => {
                let truth = self.value(inst.operand(first)?)?;
                self.truth(inst, truth)?;
                let bits = self.ballot(truth);
                self.mask_of(inst, bits)?
            }
            Op::GroupNonUniformInverseBallot | Op::GroupNonUniformBallotBitExtract => {
                let mask = self.value(inst.operand(1)?)?;
                let bits = self.bits_of(inst, mask)?;
                let index = match inst.op {
                    Op::GroupNonUniformInverseBallot => self.lane(),
                    _ => self.count(inst, 2)?,
                };
                let b = &self.builder;
                let index = b.zext_or_trunc(index, bits.ty());
                b.zext_or_trunc(b.lshr(bits, index), cx.int(1))
            }
            Op::GroupNonUniformBallotBitCount => {
                let operation = inst.operand(1)?;
                let mask = self.value(inst.operand(2)?)?;
                let bits = self.bits_of(inst, mask)?;
                let own = self.lane();
                let b = &self.builder;
                let own = b.zext_or_trunc(own, bits.ty());
                let one = bits.ty().int(1);
                let below = b.sub(b.shl(one, own), one);
                let counted = match operation {
                    0 => {
                        let size = self.sub_group_size();
                        b.and(
                            bits,
                            b.lshr(bits.ty().ones(), bits.ty().int(64 - u64::from(size.min(64)))),
                        )
                    }
                    1 => b.and(bits, b.or(below, b.shl(one, own))),
                    2 => b.and(bits, below),
                    other => return Err(inst.unsupported(&format!("with group operation {other}"))),
                };
                let count = b.intrinsic(&self.unit.module, "llvm.ctpop", &[bits.ty()], &[counted]);
                let ty = self.ty(inst.result_type().unwrap_or_default())?;
                self.integer(inst, count, ty)?
            }
            Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB => {
                let mask = self.value(inst.operand(1)?)?;
                let bits = self.bits_of(inst, mask)?;
                let no = cx.int(1).zero();
                let b = &self.builder;
                let index = match inst.op {
                    Op::GroupNonUniformBallotFindLSB => {
                        b.intrinsic(&self.unit.module, "llvm.cttz", &[bits.ty()], &[bits, no])
                    }
                    _ => {
                        let zeros = b.intrinsic(&self.unit.module, "llvm.ctlz", &[bits.ty()], &[bits, no]);
                        b.sub(bits.ty().int(63), zeros)
                    }
                };
                let ty = self.ty(inst.result_type().unwrap_or_default())?;
                self.integer(inst, index, ty)?
            }
            Op::SubgroupBlockReadINTEL => {
                let ty = self.ty(inst.result_type().unwrap_or_default())?;
                let address = self.address(inst, 0)?;
                self.block_access(inst, address, ty, None)?
            }
            Op::SubgroupBlockWriteINTEL => {
                let address = self.address(inst, 0)?;
                let value = self.value(inst.operand(1)?)?;
                self.block_access(inst, address, value.ty(), Some(value))?;
                return Ok(Some(None));
            }
            _ => return Ok(None),
        };
        Ok(Some(Some(value)))
    }

    /// An operand that counts items, 32 bits.
    fn count(&mut self, inst: &Inst<'_>, operand: usize) -> Result<Value<'c>, Error> {
        let value = self.value(inst.operand(operand)?)?;
        self.integer(inst, value, self.unit.context.int(32))
    }

    fn integer(&self, inst: &Inst<'_>, value: Value<'c>, ty: Type<'c>) -> Result<Value<'c>, Error> {
        if !matches!(value.ty().kind(), Kind::Int(_)) || !matches!(ty.kind(), Kind::Int(_)) {
            return Err(inst.malformed("it takes an integer"));
        }
        Ok(self.builder.zext_or_trunc(value, ty))
    }

    /// The number of the lowest bit, 32 bits.
    pub(super) fn first_of(&mut self, bits: Value<'c>) -> Value<'c> {
        let no = self.unit.context.int(1).zero();
        let index = self
            .builder
            .intrinsic(&self.unit.module, "llvm.cttz", &[bits.ty()], &[bits, no]);
        self.builder.zext_or_trunc(index, self.unit.context.int(32))
    }

    /// A ballot: four words, of which the first two hold the bits.
    fn mask_of(&mut self, inst: &Inst<'_>, bits: Value<'c>) -> Result<Value<'c>, Error> {
        let cx = self.unit.context;
        let word = cx.int(32);
        let ty = self.ty(inst.result_type().unwrap_or_default())?;
        if ty != word.vector(4) {
            return Err(inst.malformed("its result is no vector of four integers"));
        }
        let b = &self.builder;
        let low = b.insert_element(ty.zero(), b.zext_or_trunc(bits, word), word.int(0));
        let high = b.zext_or_trunc(b.lshr(bits, bits.ty().int(32)), word);
        Ok(b.insert_element(low, high, word.int(1)))
    }

    /// A ballot of these bits.
    fn bits_of(&mut self, inst: &Inst<'_>, mask: Value<'c>) -> Result<Value<'c>, Error> {
        let wide = self.unit.context.int(64);
        let word = |body: &Self, i| {
            body.extract(mask, i)
                .filter(|w| w.ty() == body.unit.context.int(32))
                .ok_or_else(|| inst.malformed("it takes four words"))
        };
        let (low, high) = (word(self, 0)?, word(self, 1)?);
        let b = &self.builder;
        Ok(b.or(
            b.zext_or_trunc(low, wide),
            b.shl(b.zext_or_trunc(high, wide), wide.int(32)),
        ))
    }

    /// Two values form a row of twice the sub-group's size. Each item takes the value `delta` away from its own.
    fn shuffle_two(&mut self, inst: &Inst<'c>) -> Result<Value<'c>, Error> {
        let (first, second) = (self.value(inst.operand(0)?)?, self.value(inst.operand(1)?)?);
        if first.ty() != second.ty() {
            return Err(inst.malformed("two values of different types"));
        }
        let delta = self.count(inst, 2)?;
        let size = self.unit.context.int(32).int(self.sub_group_size().into());
        let own = self.lane();
        let up = inst.op == Op::SubgroupShuffleUpINTEL;
        // Up: previous values, then current ones, read from size + own - delta. Down: current, next; own + delta.
        let b = &self.builder;
        let index = if up {
            b.sub(b.add(size, own), delta)
        } else {
            b.add(own, delta)
        };
        let in_first = b.icmp(I::LLVMIntULT, index, size);
        let lane = b.select(in_first, index, b.sub(index, size));
        let from_first = self.shuffle_all(inst, first, lane)?;
        // Scans take both from the same value.
        if first == second {
            return Ok(from_first);
        }
        let from_second = self.shuffle_all(inst, second, lane)?;
        Ok(self.builder.select(in_first, from_first, from_second))
    }

    /// Item `l` has element `l` of each row of as many elements as the sub-group has items.
    fn block_access(
        &mut self,
        inst: &Inst<'_>,
        address: Value<'c>,
        ty: Type<'c>,
        stored: Option<Value<'c>>,
    ) -> Result<Value<'c>, Error> {
        if !ty.is_int() && !ty.is_float() {
            return Err(inst.malformed("it accesses numbers"));
        }
        let cx = self.unit.context;
        let wide = cx.int(64);
        let element = ty.scalar();
        let size = u64::from(self.sub_group_size());
        let own = self
            .builder
            .call(WorkItemIntrinsic::Lane.declare(&self.unit.module), &[self.item]);
        let mut result = ty.undef();
        for i in 0..ty.lanes().unwrap_or(1) {
            let b = &self.builder;
            let index = b.add(own, wide.int(u64::from(i) * size));
            let at = b.gep(element, address, &[index], true);
            let number = cx.int(32).int(i.into());
            match stored {
                Some(value) => {
                    let part = if ty.lanes().is_some() {
                        b.extract_element(value, number)
                    } else {
                        value
                    };
                    b.store(part, at);
                }
                None => {
                    let part = b.load(element, at);
                    result = if ty.lanes().is_some() {
                        b.insert_element(result, part, number)
                    } else {
                        part
                    };
                }
            }
        }
        Ok(result)
    }
}

/// Combines the values of so many sub-groups, in turn: `(item, address of the first, count)`. Where items run one by one, the runtime
/// does it instead (`workgroup/collectives.rs`).
fn combine_values<'c>(module: &Module<'c>, ty: Type<'c>, how: ReduceOp) -> Function<'c> {
    let cx = module.context();
    let wide = cx.int(64);
    let name = CombineValues(how).name(ty);
    if let Some(known) = module.function(&name) {
        return known;
    }
    let function = module.add_function(&name, ty.function(&[cx.ptr(), cx.ptr(), wide]));
    function
        .internal()
        .attribute("alwaysinline", 0)
        .attribute("nounwind", 0);
    let b = Builder::at_end(cx, function.append_block("entry"));
    let counting = Counting::begin(&b, function, function.param(2), how.identity(ty));
    let value = b.load(
        ty,
        b.offset(function.param(1), b.mul(counting.index, wide.int(VALUE_SIZE))),
    );
    let next = how.apply(module, &b, counting.so_far, value);
    b.ret(Some(counting.end(&b, next)));
    function
}

/// A loop over the numbers below another one, which computes one value.
struct Counting<'c> {
    index: Value<'c>,
    so_far: Value<'c>,
    head: Block<'c>,
    after: Block<'c>,
}

impl<'c> Counting<'c> {
    /// Goes on in the loop.
    fn begin(b: &Builder<'c>, function: Function<'c>, end: Value<'c>, start: Value<'c>) -> Self {
        let before = b.block();
        let [head, inside, after] = ["each", "one", "done"].map(|name| function.append_block(name));
        b.br(head);
        b.go_to_end(head);
        let (index, so_far) = (b.phi(end.ty()), b.phi(start.ty()));
        index.add_incoming(&[(end.ty().zero(), before)]);
        so_far.add_incoming(&[(start, before)]);
        b.cond_br(b.icmp(I::LLVMIntULT, index, end), inside, after);
        b.go_to_end(inside);
        Self {
            index,
            so_far,
            head,
            after,
        }
    }

    /// Ends a round with the `next` value, and goes on behind the loop. Gives the last value.
    fn end(self, b: &Builder<'c>, next: Value<'c>) -> Value<'c> {
        let following = b.add(self.index, self.index.ty().int(1));
        self.index.add_incoming(&[(following, b.block())]);
        self.so_far.add_incoming(&[(next, b.block())]);
        b.br(self.head);
        b.go_to_end(self.after);
        self.so_far
    }
}
