// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Defines the intrinsics of a single work-item, which is a thread: special registers say which one, and the
//! [`LaunchRange`](super::LaunchRange) in the parameters the rest. The address of that is the item.

use std::mem::offset_of;

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;

use super::LaunchRange;
use crate::intrinsics::WorkItemIntrinsic;
use crate::llvm::{Builder, Function, Module, Type, Value};
use crate::target::nvptx64::{SHARED, WARP};

/// The variable whose address is the begin of shared memory.
const SHARED_MEMORY: &str = "oxur_shared";

/// Local memory is aligned to the largest vector type.
const SHARED_ALIGN: u32 = 128;

/// A special register, 32 bits.
pub fn register<'c>(module: &Module<'c>, b: &Builder<'c>, name: &str) -> Value<'c> {
    b.intrinsic(module, &format!("llvm.nvvm.read.ptx.sreg.{name}"), &[], &[])
}

/// One of three registers, by a dimension.
fn by_dimension<'c>(module: &Module<'c>, b: &Builder<'c>, name: &str, dimension: Value<'c>) -> Value<'c> {
    let [x, y, z] = ["x", "y", "z"].map(|d| register(module, b, &format!("{name}.{d}")));
    let is = |d| b.icmp(I::LLVMIntEQ, dimension, dimension.ty().int(d));
    b.select(is(0), x, b.select(is(1), y, z))
}

/// The number of work-items in a group, 32 bits.
pub fn group_size<'c>(module: &Module<'c>, b: &Builder<'c>) -> Value<'c> {
    let [x, y, z] = ["ntid.x", "ntid.y", "ntid.z"].map(|name| register(module, b, name));
    b.mul(b.mul(x, y), z)
}

/// The number of this work-item in its group, 32 bits.
pub fn linear_id<'c>(module: &Module<'c>, b: &Builder<'c>) -> Value<'c> {
    let [x, y, z] = ["tid.x", "tid.y", "tid.z"].map(|name| register(module, b, name));
    let [columns, rows] = ["ntid.x", "ntid.y"].map(|name| register(module, b, name));
    b.add(b.mul(b.add(b.mul(z, rows), y), columns), x)
}

/// The number of this work-item in its sub-group, 32 bits. Sub-groups are aligned parts of warps.
pub fn lane<'c>(module: &Module<'c>, b: &Builder<'c>, sub_group_size: u32) -> Value<'c> {
    let lane = register(module, b, "laneid");
    match sub_group_size {
        WARP => lane,
        size => b.and(lane, lane.ty().int(u64::from(size) - 1)),
    }
}

/// Defines those that the module uses.
pub fn define(module: &Module<'_>, sub_group_size: u32) {
    for intrinsic in WorkItemIntrinsic::ALL {
        let function = module.function(intrinsic.name()).filter(|f| f.is_declaration());
        if let Some(function) = function {
            define_one(module, intrinsic, function, sub_group_size);
        }
    }
}

fn define_one<'c>(module: &Module<'c>, intrinsic: WorkItemIntrinsic, function: Function<'c>, sub_group_size: u32) {
    let cx = module.context();
    let wide = cx.int(64);
    function.internal().attribute("alwaysinline", 0);
    let b = Builder::at_end(cx, function.append_block("entry"));
    let item = function.param(0);
    let widened = |value: Value<'c>| b.zext_or_trunc(value, wide);
    let member = |offset: usize, ty: Type<'c>| {
        let at = b.offset(item, wide.int(offset as u64));
        b.load(ty, at).align(ty.bits() / 8)
    };
    let element = |offset: usize, ty: Type<'c>| {
        let index = b.zext_or_trunc(function.param(1), wide);
        let start = b.offset(item, wide.int(offset as u64));
        b.load(ty, b.gep(ty, start, &[index], false)).align(ty.bits() / 8)
    };
    let register = |name: &str| by_dimension(module, &b, name, function.param(1));
    let group = || {
        b.add(
            register("ctaid"),
            element(offset_of!(LaunchRange, first_group), cx.int(32)),
        )
    };
    let value = match intrinsic {
        WorkItemIntrinsic::LocalId => widened(register("tid")),
        WorkItemIntrinsic::GroupId => widened(group()),
        WorkItemIntrinsic::LocalSize => widened(register("ntid")),
        WorkItemIntrinsic::GlobalSize => element(offset_of!(LaunchRange, global_size), wide),
        WorkItemIntrinsic::GlobalOffset => element(offset_of!(LaunchRange, global_offset), wide),
        WorkItemIntrinsic::NumGroups => widened(element(offset_of!(LaunchRange, num_groups), cx.int(32))),
        WorkItemIntrinsic::GlobalId => {
            let start = b.mul(widened(group()), widened(register("ntid")));
            let own = b.add(start, widened(register("tid")));
            b.add(own, element(offset_of!(LaunchRange, global_offset), wide))
        }
        WorkItemIntrinsic::Dimensions => widened(member(offset_of!(LaunchRange, dimensions), cx.int(32))),
        WorkItemIntrinsic::LocalLinearId => widened(linear_id(module, &b)),
        WorkItemIntrinsic::GroupSize => widened(group_size(module, &b)),
        WorkItemIntrinsic::LocalMemory => {
            let shared = module
                .declare_in(SHARED_MEMORY, cx.int(8).array(0), SHARED)
                .align(SHARED_ALIGN);
            b.cast(L::LLVMAddrSpaceCast, shared, cx.ptr())
        }
        WorkItemIntrinsic::Lane => widened(lane(module, &b, sub_group_size)),
        WorkItemIntrinsic::SubGroup => {
            let linear = linear_id(module, &b);
            widened(b.udiv(linear, linear.ty().int(sub_group_size.into())))
        }
    };
    b.ret(Some(value));
}
