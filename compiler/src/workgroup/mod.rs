// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From one work-item to a work-group: vectorizes the kernel if that is possible, defines the
//! [intrinsics](crate::intrinsics) that `lower` calls, and makes the entry point that the runtime calls.
//!
//! A kernel whose items never wait for the whole group becomes `group(args, group)`, a loop over the items, with as
//! many at a time as a SIMD register has lanes. A kernel with barriers becomes `item(item, args)`, which the runtime
//! calls for each item on a stack of its own. If such a kernel could be vectorized, the runtime calls it for each
//! sub-group, and it returns at barriers ([`Entry::Suspendable`]).

mod collectives;
mod intrinsics;
mod math;
mod vector;

use crate::abi::layout;
use crate::intrinsics::{DEVICE_BARRIER, GroupCollective, KERNEL, set_ranges};
use crate::llvm::{Builder, Function, Kind, Machine, Module, Value};

use vector::width;

/// The calling convention of a kernel's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// `group(args, group)`: runs all items of a group.
    Group,
    /// `item(item, args)`: runs one item, or one per lane.
    Item,
    /// `item(item, args) -> frame`: runs items up to a barrier. The runtime allocates the frame, which resumes the
    /// code.
    Suspendable,
}

impl Entry {
    /// The symbol.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Group => "oxur.entry.group",
            Self::Item | Self::Suspendable => "oxur.entry.item",
        }
    }
}

/// The properties of a kernel's code, which the object contains as [`SHAPE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// Its calling convention.
    pub entry: Entry,
    /// How many items it runs at a time.
    pub lanes: u32,
    /// Whether the items of a sub-group must have consecutive local ids in dimension 0.
    pub subgroup_within_row: bool,
    /// Whether a row may have a number of items that is no multiple of the lanes.
    pub has_tail: bool,
    /// Bytes of variables on the stack of the code.
    pub variables: u64,
}

/// The symbol of a constant in an object: a [`CodeInfo`] as four integers of 64 bits.
pub const SHAPE: &str = "oxur.shape";

impl CodeInfo {
    fn write(self, module: &Module<'_>) -> Self {
        let wide = module.context().int(64);
        let flags = u64::from(self.subgroup_within_row) | u64::from(self.has_tail) << 1;
        let words = [
            match self.entry {
                Entry::Group => 0,
                Entry::Item => 1,
                Entry::Suspendable => 2,
            },
            self.lanes.into(),
            flags,
            self.variables,
        ];
        let words = Value::array(wide, &words.map(|w| wide.int(w)));
        let constant = module
            .global(SHAPE)
            .unwrap_or_else(|| module.add_global(SHAPE, words.ty(), None, true));
        module.initialize(constant, words);
        self
    }

    /// Decodes the words of [`SHAPE`].
    pub fn read(words: [u64; 4]) -> Option<Self> {
        let entry = match words[0] {
            0 => Entry::Group,
            1 => Entry::Item,
            2 => Entry::Suspendable,
            _ => return None,
        };
        let lanes = u32::try_from(words[1]).ok().filter(|l| (1..=64).contains(l))?;
        Some(Self {
            entry,
            lanes,
            subgroup_within_row: words[2] & 1 != 0,
            has_tail: words[2] & 2 != 0,
            variables: words[3],
        })
    }

    /// Adds up the variables of the finished code.
    pub fn measured(mut self, module: &Module<'_>) -> Self {
        for function in module.functions() {
            for inst in function.blocks().into_iter().flat_map(|b| b.instructions()) {
                if inst.opcode() == Some(llvm_sys::LLVMOpcode::LLVMAlloca) {
                    self.variables += module.size_of(inst.allocated_type());
                }
            }
        }
        self.write(module)
    }
}

/// Makes the entry point of a lowered kernel, for one item at a time. With `as_vectors`, mathematical functions are those that
/// vector code calls.
pub fn finish_scalar(module: &Module<'_>, sub_group_size: u32, items_wait: bool, as_vectors: bool) -> CodeInfo {
    if as_vectors {
        math::define(module, width(module, sub_group_size).lanes);
    }
    let kernel = module.function(KERNEL).expect("a kernel was lowered");
    let entry = if items_wait {
        item_entry(module, kernel, None);
        Entry::Item
    } else {
        group_entry(module, kernel, None, 1);
        Entry::Group
    };
    define_intrinsics(module, sub_group_size);
    CodeInfo {
        entry,
        lanes: 1,
        subgroup_within_row: false,
        has_tail: true,
        variables: 0,
    }
}

/// Vectorizes a lowered kernel and makes its entry point; with `has_tail`, also for rows that do not fill all lanes.
/// The error says why the kernel cannot be vectorized; then the module is unusable.
pub fn finish_wide(
    machine: &Machine,
    module: &Module<'_>,
    sub_group_size: u32,
    has_tail: bool,
) -> Result<CodeInfo, String> {
    set_ranges(module);
    let width = width(module, sub_group_size);
    let uses = |what: fn(&str) -> bool| module.functions().iter().any(|f| what(&f.name()));
    let items_wait = uses(|name| GroupCollective::from_name(name) == Some(GroupCollective::Barrier));
    let groups_wait = uses(|name| name == DEVICE_BARRIER);
    vector::widen(machine, module, width, has_tail, items_wait && !groups_wait)?;
    let (full, predicated) = (module.function(vector::FULL), module.function(vector::PARTIAL));
    let full = full.expect("it was made");
    module
        .function(KERNEL)
        .expect("a kernel was lowered")
        .delete_with_body();
    let entry = match (groups_wait, items_wait) {
        (true, _) => Entry::Item,
        (_, true) => Entry::Suspendable,
        _ => Entry::Group,
    };
    if entry == Entry::Group {
        group_entry(module, full, predicated, width.lanes);
    } else {
        item_entry(module, full, predicated);
    }
    math::define(module, width.lanes);
    define_intrinsics(module, sub_group_size);
    if entry == Entry::Suspendable {
        vector::split(machine, module)?;
    }
    let subgroup_within_row = entry != Entry::Group || width.is_sub_group;
    Ok(CodeInfo {
        entry,
        lanes: width.lanes,
        subgroup_within_row,
        has_tail,
        variables: 0,
    })
}

/// Defines the intrinsics in a module without a kernel.
pub fn define_intrinsics(module: &Module<'_>, sub_group_size: u32) {
    intrinsics::define(module, sub_group_size);
    collectives::define(module, sub_group_size);
}

/// Calls the kernel for one item, or for all lanes; or `predicated`, if there are fewer items than lanes.
fn item_entry<'c>(module: &Module<'c>, kernel: Function<'c>, predicated: Option<Function<'c>>) {
    let cx = module.context();
    kernel.internal();
    let returns = kernel.function_type().returns();
    let entry = module.add_function(Entry::Item.symbol(), returns.function(&[cx.ptr(), cx.ptr()]));
    let b = Builder::at_end(cx, entry.append_block("entry"));
    let (item, args) = (entry.param(0), entry.param(1));
    let run = |kernel| {
        let result = b.call(kernel, &[item, args]);
        b.ret((returns.kind() != Kind::Void).then_some(result));
    };
    if let Some(predicated) = predicated {
        let wide = cx.int(64);
        let some = b.load(wide, b.offset(item, wide.int(layout::ITEM_IS_PARTIAL)));
        let [less, all] = ["partial", "full"].map(|name| entry.append_block(name));
        b.cond_br(
            b.icmp(llvm_sys::LLVMIntPredicate::LLVMIntNE, some, wide.zero()),
            less,
            all,
        );
        b.go_to_end(less);
        run(predicated);
        b.go_to_end(all);
    }
    run(kernel);
}

/// Three loops, dimension 0 innermost, in steps of `lanes`. `predicated` runs the rest of a row.
fn group_entry<'c>(module: &Module<'c>, kernel: Function<'c>, predicated: Option<Function<'c>>, lanes: u32) {
    let cx = module.context();
    kernel.internal().attribute("alwaysinline", 0);
    let entry = module.add_function(Entry::Group.symbol(), cx.void().function(&[cx.ptr(), cx.ptr()]));
    // Kernels cannot write to the group or the block of arguments.
    for param in 0..2 {
        entry
            .param_attribute(param, "noalias", 0)
            .param_attribute(param, "readonly", 0);
    }
    let (args, group) = (entry.param(0).name("args"), entry.param(1).name("group"));
    let wide = cx.int(64);
    let b = Builder::at_end(cx, entry.append_block("entry"));
    let variable = || b.alloca(cx.int(8).array(layout::ITEM_SIZE)).align(16);
    // A second item for the rest of a row. Its kernel is not inlined, so sharing the item would keep the first one in
    // memory.
    let item = variable().name("item");
    let rest_item = predicated.map(|_| variable().name("item.rest"));
    let at = |base, offset: u64| b.offset(base, wide.int(offset));
    b.store(group, at(item, layout::ITEM_GROUP));
    let sizes: Vec<_> = (0..3)
        .map(|d| b.load(wide, at(group, layout::GROUP_LOCAL_SIZE + 8 * d)))
        .collect();
    let step = wide.int(lanes.into());
    let rest = b.urem(sizes[0], step);
    let row_end = b.sub(sizes[0], rest);
    let names = [
        "z", "y", "row", "x", "x.next", "rest", "some", "y.next", "z.next", "done",
    ];
    let blocks = names.map(|name| entry.append_block(name));
    let [z, y, row, x, x_next, rest_block, some, y_next, z_next, done] = blocks;
    let start = b.block();
    b.br(z);
    b.go_to_end(z);
    let id_z = b.phi(wide);
    b.br(y);
    b.go_to_end(y);
    let id_y = b.phi(wide);
    let row_number = b.add(b.mul(id_z, sizes[1]), id_y);
    let linear = b.mul(row_number, sizes[0]);
    let ult = llvm_sys::LLVMIntPredicate::LLVMIntULT;
    b.cond_br(b.icmp(ult, wide.zero(), row_end), row, rest_block);
    b.go_to_end(row);
    b.br(x);
    b.go_to_end(x);
    let id_x = b.phi(wide);
    let set = |item, id_x| {
        for (d, id) in [id_x, id_y, id_z].into_iter().enumerate() {
            b.store(id, at(item, layout::ITEM_LOCAL_ID + 8 * d as u64));
        }
        b.store(b.add(linear, id_x), at(item, layout::ITEM_LINEAR_ID));
    };
    set(item, id_x);
    b.call(kernel, &[item, args]);
    b.br(x_next);
    b.go_to_end(x_next);
    let next_x = b.add(id_x, step);
    id_x.add_incoming(&[(wide.zero(), row), (next_x, x_next)]);
    b.cond_br(b.icmp(ult, next_x, row_end), x, rest_block);
    b.go_to_end(rest_block);
    match (predicated, rest_item) {
        (Some(predicated), Some(item)) => {
            predicated.internal().attribute("noinline", 0);
            b.cond_br(b.icmp(ult, wide.zero(), rest), some, y_next);
            b.go_to_end(some);
            b.store(group, at(item, layout::ITEM_GROUP));
            b.store(rest, at(item, layout::ITEM_LANES));
            set(item, row_end);
            b.call(predicated, &[item, args]);
        }
        _ => {
            b.br(some);
            b.go_to_end(some);
        }
    }
    b.br(y_next);
    b.go_to_end(y_next);
    let next_y = b.add(id_y, wide.int(1));
    id_y.add_incoming(&[(wide.zero(), z), (next_y, y_next)]);
    b.cond_br(b.icmp(ult, next_y, sizes[1]), y, z_next);
    b.go_to_end(z_next);
    let next_z = b.add(id_z, wide.int(1));
    id_z.add_incoming(&[(wide.zero(), start), (next_z, z_next)]);
    b.cond_br(b.icmp(ult, next_z, sizes[2]), z, done);
    b.go_to_end(done);
    b.ret(None);
}
