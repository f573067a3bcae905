// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! SPIR-V's built-in variables, made of the [intrinsics](crate::intrinsics) of a work-item.

use spirv::BuiltIn;

use crate::intrinsics::WorkItemIntrinsic;
use crate::llvm::{Builder, Context, Module, Value};

/// The value of a built-in variable, by component.
pub fn built_in<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    item: Value<'c>,
    built_in: BuiltIn,
    dimension: u32,
    sub_group_size: u32,
) -> Option<Value<'c>> {
    let cx: &'c Context = module.context();
    let wide = cx.int(64);
    let call = |intrinsic: WorkItemIntrinsic| {
        let function = intrinsic.declare(module);
        if intrinsic.has_dimension() {
            b.call(function, &[item, cx.int(32).int(dimension.into())])
        } else {
            b.call(function, &[item])
        }
    };
    let at = |intrinsic: WorkItemIntrinsic, d: u64| b.call(intrinsic.declare(module), &[item, cx.int(32).int(d)]);
    // Global ids without the offset.
    let position = |d: u64| {
        b.sub(
            at(WorkItemIntrinsic::GlobalId, d),
            at(WorkItemIntrinsic::GlobalOffset, d),
        )
    };
    let lanes = wide.int(sub_group_size.into());
    // The bits of lower lanes: (1 << lane) - 1.
    let below = || b.sub(b.shl(wide.int(1), call(WorkItemIntrinsic::Lane)), wide.int(1));
    let own = || b.shl(wide.int(1), call(WorkItemIntrinsic::Lane));
    let present = || {
        let size = sub_group_items(module, b, item, sub_group_size);
        b.lshr(wide.ones(), b.sub(wide.int(64), size))
    };
    // Masks are four words of 32 bits.
    let word = |mask: Value<'c>| match dimension {
        0 => b.and(mask, wide.int(0xffff_ffff)),
        1 => b.lshr(mask, wide.int(32)),
        _ => wide.int(0),
    };
    Some(match built_in {
        BuiltIn::LocalInvocationId => call(WorkItemIntrinsic::LocalId),
        BuiltIn::WorkgroupId => call(WorkItemIntrinsic::GroupId),
        BuiltIn::WorkgroupSize | BuiltIn::EnqueuedWorkgroupSize => call(WorkItemIntrinsic::LocalSize),
        BuiltIn::GlobalSize => call(WorkItemIntrinsic::GlobalSize),
        BuiltIn::GlobalOffset => call(WorkItemIntrinsic::GlobalOffset),
        BuiltIn::NumWorkgroups => call(WorkItemIntrinsic::NumGroups),
        BuiltIn::WorkDim => call(WorkItemIntrinsic::Dimensions),
        BuiltIn::LocalInvocationIndex => call(WorkItemIntrinsic::LocalLinearId),
        BuiltIn::GlobalInvocationId => call(WorkItemIntrinsic::GlobalId),
        BuiltIn::GlobalLinearId => {
            let row = b.add(b.mul(position(2), at(WorkItemIntrinsic::GlobalSize, 1)), position(1));
            b.add(b.mul(row, at(WorkItemIntrinsic::GlobalSize, 0)), position(0))
        }
        BuiltIn::SubgroupLocalInvocationId => call(WorkItemIntrinsic::Lane),
        BuiltIn::SubgroupId => call(WorkItemIntrinsic::SubGroup),
        BuiltIn::SubgroupMaxSize => lanes,
        BuiltIn::SubgroupSize => sub_group_items(module, b, item, sub_group_size),
        BuiltIn::NumSubgroups | BuiltIn::NumEnqueuedSubgroups => sub_groups(module, b, item, sub_group_size),
        BuiltIn::SubgroupEqMask => word(own()),
        BuiltIn::SubgroupLtMask => word(below()),
        BuiltIn::SubgroupLeMask => word(b.or(below(), own())),
        BuiltIn::SubgroupGeMask => word(b.and(b.not(below()), present())),
        BuiltIn::SubgroupGtMask => word(b.and(b.not(b.or(below(), own())), present())),
        _ => return None,
    })
}

/// The number of items in this item's sub-group. The last sub-group of a group may be smaller.
pub fn sub_group_items<'c>(module: &Module<'c>, b: &Builder<'c>, item: Value<'c>, sub_group_size: u32) -> Value<'c> {
    let wide = module.context().int(64);
    let lanes = wide.int(sub_group_size.into());
    let first = b.mul(b.call(WorkItemIntrinsic::SubGroup.declare(module), &[item]), lanes);
    let rest = b.sub(b.call(WorkItemIntrinsic::GroupSize.declare(module), &[item]), first);
    b.intrinsic(module, "llvm.umin", &[wide], &[rest, lanes])
}

/// How many sub-groups the group has.
pub fn sub_groups<'c>(module: &Module<'c>, b: &Builder<'c>, item: Value<'c>, sub_group_size: u32) -> Value<'c> {
    let wide = module.context().int(64);
    let size = b.call(WorkItemIntrinsic::GroupSize.declare(module), &[item]);
    b.udiv(
        b.add(size, wide.int(u64::from(sub_group_size) - 1)),
        wide.int(sub_group_size.into()),
    )
}
