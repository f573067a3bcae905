// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From one work-item to a work-group: defines the primitives that `lower` left open.
//!
//! A kernel whose items never wait for each other becomes `group(args, group)`: loops over the items of a group, which
//! LLVM may then vectorize. One whose items do becomes `item(item, args)`, which the runtime calls on a stack of its own
//! for each item.

mod exchange;
mod primitives;

use crate::llvm::{Builder, Module};
use crate::lower::KERNEL;
use crate::runtime::layout;

/// How the code of a kernel is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// `group(args, group)`: runs all items of a group.
    Group,
    /// `item(item, args)`: runs one item.
    Item,
}

impl Entry {
    /// The symbol.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Group => "oxur.entry.group",
            Self::Item => "oxur.entry.item",
        }
    }
}

/// Makes the entry of a lowered kernel.
pub fn finish(module: &Module<'_>, sub_group_size: u32, items_wait: bool) -> Entry {
    let entry = if items_wait {
        item_entry(module);
        Entry::Item
    } else {
        group_entry(module);
        Entry::Group
    };
    define_primitives(module, sub_group_size);
    entry
}

/// Defines the primitives in a module without a kernel.
pub fn define_primitives(module: &Module<'_>, sub_group_size: u32) {
    primitives::define(module, sub_group_size);
    exchange::define(module);
}

fn item_entry(module: &Module<'_>) {
    let cx = module.context();
    let kernel = module.function(KERNEL).expect("a kernel was lowered").internal();
    let entry = module.add_function(Entry::Item.symbol(), cx.void().function(&[cx.ptr(), cx.ptr()]));
    let b = Builder::at_end(cx, entry.append_block("entry"));
    b.call(kernel, &[entry.param(0), entry.param(1)]);
    b.ret(None);
}

/// Three loops, dimension 0 innermost.
fn group_entry<'c>(module: &Module<'c>) {
    let cx = module.context();
    let kernel = module
        .function(KERNEL)
        .expect("a kernel was lowered")
        .internal()
        .attribute("alwaysinline", 0);
    let entry = module.add_function(Entry::Group.symbol(), cx.void().function(&[cx.ptr(), cx.ptr()]));
    // Nothing that a kernel may write is the group or the block of arguments.
    for param in 0..2 {
        entry
            .param_attribute(param, "noalias", 0)
            .param_attribute(param, "readonly", 0);
    }
    let (args, group) = (entry.param(0).name("args"), entry.param(1).name("group"));
    let wide = cx.int(64);
    let b = Builder::at_end(cx, entry.append_block("entry"));
    let item = b.alloca(cx.int(8).array(layout::ITEM_SIZE)).align(16).name("item");
    let at = |base, offset: u64| b.offset(base, wide.int(offset));
    b.store(group, at(item, layout::ITEM_GROUP));
    let sizes: Vec<_> = (0..3)
        .map(|d| b.load(wide, at(group, layout::GROUP_LOCAL_SIZE + 8 * d)))
        .collect();
    let heads: Vec<_> = ["z", "y", "x"].map(|name| entry.append_block(name)).to_vec();
    let latches: Vec<_> = ["z.next", "y.next", "x.next"]
        .map(|name| entry.append_block(name))
        .to_vec();
    let done = entry.append_block("done");
    let mut before = b.block();
    let mut ids = Vec::new();
    for (level, &head) in heads.iter().enumerate() {
        b.br(head);
        b.go_to_end(head);
        let id = b.phi(wide);
        id.add_incoming(&[(wide.zero(), before)]);
        ids.push(id);
        before = head;
        let dimension = 2 - level as u64;
        b.store(id, at(item, layout::ITEM_LOCAL_ID + 8 * dimension));
    }
    let row = b.add(b.mul(ids[0], sizes[1]), ids[1]);
    let linear = b.add(b.mul(row, sizes[0]), ids[2]);
    b.store(linear, at(item, layout::ITEM_LINEAR_ID));
    b.call(kernel, &[item, args]);
    b.br(latches[2]);
    for level in (0..3).rev() {
        b.go_to_end(latches[level]);
        let next = b.add(ids[level], wide.int(1));
        ids[level].add_incoming(&[(next, latches[level])]);
        let more = b.icmp(llvm_sys::LLVMIntPredicate::LLVMIntULT, next, sizes[2 - level]);
        b.cond_br(more, heads[level], if level == 0 { done } else { latches[level - 1] });
    }
    b.go_to_end(done);
    b.ret(None);
}
