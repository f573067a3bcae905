// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Defines the intrinsics of a single work-item, which read its [`Item`](crate::abi::Item) and
//! [`Group`](crate::abi::Group).

use crate::abi::layout;
use crate::intrinsics::{STORAGE_CLASS, WorkItemIntrinsic};
use crate::llvm::{Builder, Module};

/// Defines the intrinsics that the module uses.
pub fn define(module: &Module<'_>, sub_group_size: u32) {
    // From now on there may be code that writes to the item, which is what this reads.
    if let Some(function) = module.function(STORAGE_CLASS) {
        function.reads_memory();
    }
    let cx = module.context();
    let wide = cx.int(64);
    for primitive in WorkItemIntrinsic::ALL {
        let Some(function) = module.function(primitive.name()).filter(|f| f.is_declaration()) else {
            continue;
        };
        function.internal().attribute("alwaysinline", 0);
        let b = Builder::at_end(cx, function.append_block("entry"));
        let item = function.param(0);
        let member = |base, offset: u64, ty| b.load(ty, b.offset(base, wide.int(offset))).align(8);
        let group = || member(item, layout::ITEM_GROUP, cx.ptr());
        // One of three values, by the dimension.
        let element = |base, offset: u64| {
            let index = b.zext_or_trunc(function.param(1), wide);
            b.load(wide, b.gep(wide, b.offset(base, wide.int(offset)), &[index], false))
                .align(8)
        };
        let linear = || member(item, layout::ITEM_LINEAR_ID, wide);
        let lanes = wide.int(sub_group_size.into());
        let value = match primitive {
            WorkItemIntrinsic::LocalId => element(item, layout::ITEM_LOCAL_ID),
            WorkItemIntrinsic::GroupId => element(group(), layout::GROUP_ID),
            WorkItemIntrinsic::LocalSize => element(group(), layout::GROUP_LOCAL_SIZE),
            WorkItemIntrinsic::GlobalSize => element(group(), layout::GROUP_GLOBAL_SIZE),
            WorkItemIntrinsic::GlobalOffset => element(group(), layout::GROUP_GLOBAL_OFFSET),
            WorkItemIntrinsic::NumGroups => element(group(), layout::GROUP_NUM_GROUPS),
            WorkItemIntrinsic::GlobalId => {
                let start = element(group(), layout::GROUP_START);
                b.add(start, element(item, layout::ITEM_LOCAL_ID))
            }
            WorkItemIntrinsic::Dimensions => member(group(), layout::GROUP_DIMENSIONS, wide),
            WorkItemIntrinsic::LocalLinearId => linear(),
            WorkItemIntrinsic::GroupSize => member(group(), layout::GROUP_SIZE, wide),
            WorkItemIntrinsic::LocalMemory => member(group(), layout::GROUP_LOCAL_MEMORY, cx.ptr()),
            WorkItemIntrinsic::Lane => b.urem(linear(), lanes),
            WorkItemIntrinsic::SubGroup => b.udiv(linear(), lanes),
        };
        b.ret(Some(value));
    }
}
