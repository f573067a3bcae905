// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From one work-item to a work-group: vectorizes the kernel if that is possible, defines the
//! [intrinsics](crate::intrinsics) that `lower` calls, and makes the entry point that the runtime calls.
//!
//! A kernel whose items never wait for the whole group becomes `group(args, group)`, a loop over the items, with as
//! many at a time as a SIMD register has lanes. A kernel with barriers becomes `item(item, args)`. The runtime calls it for
//! each sub-group if it could be vectorized, and for each item in quick code; it returns at barriers ([`Entry::Suspendable`]).
//! Otherwise the runtime calls it for each item on a stack of its own.

mod collectives;
mod columns;
mod convergence;
mod group_reductions;
mod intrinsics;
mod lockstep;
mod math;
mod suspension;
mod vector;

use crate::abi::{LANES, layout};
use crate::code::Variant;
use crate::codegen;
use crate::intrinsics::{DEVICE_BARRIER, GroupCollective, KERNEL, WorkItemIntrinsic, set_ranges, set_size};
use crate::llvm::{Block, Builder, Function, Kind, Machine, Module, Type, Value};

use collectives::Waiting;
pub use columns::Columns;
#[cfg(feature = "nvptx")]
pub use vector::Cfg;
pub use vector::is_simple;
pub use vector::offsets;
pub use vector::shapes;
pub use vector::whole_group::{self, GroupVector};
use vector::width;

/// The calling convention of a kernel's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// `group(args, group)`: runs all items of a group.
    Group,
    /// `item(item, args)`: runs one item, or one per lane.
    Item,
    /// `item(item, args) -> frame`: runs items up to a barrier. The runtime has allocated the frame, which resumes the
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
    /// How many times as many items as the variants that need not fill all lanes.
    pub side_by_side: u32,
    /// Whether the lanes must be a sub-group: consecutive in the group, also where a row does not fill them.
    pub subgroup_within_row: bool,
    /// Whether a row, or a group, if sub-groups span rows, may have a number of items that is no multiple of the lanes.
    pub has_tail: bool,
    /// Whether the lanes are consecutive items of the group, whatever rows these are in.
    pub spans_rows: bool,
    /// Whether results may depend on how the range is divided into groups.
    pub sees_groups: bool,
    /// How many rows of a group its code for blocks of rows runs at a time; 1 if there is none.
    pub rows: u32,
    /// The size of groups, if the code runs a whole one at a time, and no others.
    pub whole_group: Option<[u32; 3]>,
    /// Whether groups could be that if their size were known.
    pub may_be_whole_group: bool,
    /// How many groups of one column it runs as one.
    pub columns: Columns,
    /// Whether it could run several as one.
    pub may_be_columns: bool,
    /// How many bytes an item may store past the caches.
    pub streamed: u64,
    /// Bytes of variables of the code, on its stack or in the frame.
    pub variables: u64,
    /// Bytes of the frame of a sub-group, if the code suspends.
    pub frame: u64,
}

/// The symbol of a constant in an object: a [`CodeInfo`] as six integers of 64 bits.
pub const SHAPE: &str = "oxur.shape";

/// Where the logarithm of `side_by_side` begins in the word of flags, where the number of rows, and where that of streamed bytes.
const SIDE_BY_SIDE_SHIFT: u32 = 6;
const ROWS_SHIFT: u32 = 9;
const STREAMED_SHIFT: u32 = 17;

/// Where the number of columns begins in the word of the size of groups.
const COLUMNS_SHIFT: u32 = 48;

impl CodeInfo {
    fn write(self, module: &Module<'_>) -> Self {
        let wide = module.context().int(64);
        let flags = [
            self.subgroup_within_row,
            self.has_tail,
            self.spans_rows,
            self.sees_groups,
            self.may_be_whole_group,
            self.may_be_columns,
        ];
        let numbers = u64::from(self.side_by_side.ilog2()) << SIDE_BY_SIDE_SHIFT
            | u64::from(self.rows) << ROWS_SHIFT
            | self.streamed << STREAMED_SHIFT;
        let flags = (0..)
            .zip(flags)
            .fold(numbers, |all, (bit, flag)| all | u64::from(flag) << bit);
        let words = [
            match self.entry {
                Entry::Group => 0,
                Entry::Item => 1,
                Entry::Suspendable => 2,
            },
            self.lanes.into(),
            flags,
            self.variables,
            self.frame,
            self.whole_group.map_or(0, GroupVector::packed) | self.columns.packed() << COLUMNS_SHIFT,
        ];
        let words = Value::array(wide, &words.map(|w| wide.int(w)));
        let constant = module
            .global(SHAPE)
            .unwrap_or_else(|| module.add_global(SHAPE, words.ty(), None, true));
        module.initialize(constant, words);
        self
    }

    /// Decodes the words of [`SHAPE`].
    pub fn read(words: [u64; 6]) -> Option<Self> {
        let entry = match words[0] {
            0 => Entry::Group,
            1 => Entry::Item,
            2 => Entry::Suspendable,
            _ => return None,
        };
        let size = words[5] & ((1 << COLUMNS_SHIFT) - 1);
        let lanes = u32::try_from(words[1])
            .ok()
            .filter(|l| (1..=whole_group::MOST_ITEMS as u32).contains(l))?;
        Some(Self {
            entry,
            lanes,
            side_by_side: 1 << (words[2] >> SIDE_BY_SIDE_SHIFT & 7),
            subgroup_within_row: words[2] & 1 != 0,
            has_tail: words[2] & 2 != 0,
            spans_rows: words[2] & 4 != 0,
            sees_groups: words[2] & 8 != 0,
            whole_group: (size != 0).then(|| GroupVector::unpacked(size)),
            may_be_whole_group: words[2] & 16 != 0,
            columns: Columns::unpacked(words[5] >> COLUMNS_SHIFT),
            may_be_columns: words[2] & 32 != 0,
            rows: Some((words[2] >> ROWS_SHIFT) as u32 & 0xff).filter(|rows| *rows > 0)?,
            streamed: words[2] >> STREAMED_SHIFT,
            variables: words[3],
            frame: words[4],
        })
    }

    /// Whether items of a group wait for each other, if this is not of whole groups.
    pub fn waits(&self) -> bool {
        self.entry == Entry::Suspendable
    }

    /// How many bytes of variables its stack has to hold.
    pub fn on_stack(&self) -> u64 {
        self.variables + self.whole_group.map_or(0, |_| whole_group::SPILLED)
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

/// How code for one item at a time does things that the specification leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarCode {
    /// As it is easiest to get right.
    Reference,
    /// As vector code does: it calls the same mathematical functions, and the items of a sub-group run side by side, more or less.
    AsVectors,
    /// The same, and items return to the runtime where they wait, if that is possible.
    Quick,
}

/// Makes the entry point of a lowered kernel, for one item at a time.
pub fn finish_scalar(
    machine: &Machine,
    module: &Module<'_>,
    sub_group_size: u32,
    items_wait: bool,
    code: ScalarCode,
) -> Result<CodeInfo, String> {
    if code != ScalarCode::Reference {
        math::define(module, width(module, sub_group_size).lanes);
    }
    let mut suspends = false;
    if items_wait {
        collectives::combine_at_run_time(module);
        suspends = code == ScalarCode::Quick && suspension::prepare(machine, module)?;
        convergence::prepare(machine, module)?;
        if code != ScalarCode::Reference {
            lockstep::insert(module);
        }
        convergence::finish(machine, module)?;
    }
    let mut info = CodeInfo {
        entry: Entry::Group,
        lanes: 1,
        side_by_side: 1,
        subgroup_within_row: false,
        has_tail: true,
        spans_rows: false,
        sees_groups: true,
        rows: 1,
        whole_group: None,
        may_be_whole_group: false,
        columns: Columns::No,
        may_be_columns: false,
        streamed: 0,
        variables: 0,
        frame: 0,
    };
    if suspends {
        suspension::lower(module);
        info.entry = Entry::Suspendable;
        define_intrinsics(module, sub_group_size, Waiting::Before);
        codegen::quick::simplify(machine, module).map_err(|error| error.to_string())?;
        (info.frame, info.variables) = suspension::split(module);
        return Ok(info);
    }
    let kernel = module.function(KERNEL).expect("a kernel was lowered");
    if items_wait {
        item_entry(module, VectorKernels::only(kernel));
        info.entry = Entry::Item;
    } else {
        group_entry(module, VectorKernels::only(kernel), 1);
    }
    define_intrinsics(module, sub_group_size, Waiting::OnStacks);
    Ok(info)
}

/// Which items of a group vectorized code runs at a time.
#[derive(Clone, Copy, Debug)]
pub struct SubGroupLayout {
    /// Whether it has predicated code for the last ones of a row or a group, where they do not fill the lanes.
    pub has_tail: bool,
    /// Whether they are consecutive in the group, and not only in a row of it.
    pub spans_rows: bool,
}

impl SubGroupLayout {
    /// That of a variant; `None` for scalar code.
    pub fn of(variant: Variant) -> Option<Self> {
        let (has_tail, spans_rows) = match variant {
            Variant::Main | Variant::WholeGroup(_) | Variant::WholeColumns(_) => (false, false),
            Variant::WithTail | Variant::Columns => (true, false),
            Variant::AcrossRows => (false, true),
            Variant::AcrossRowsWithTail => (true, true),
            Variant::Scalar | Variant::Quick => return None,
        };
        Some(Self { has_tail, spans_rows })
    }
}

/// Whether a module asks for more than the items' places in the whole range.
fn sees_groups(module: &Module<'_>) -> bool {
    use WorkItemIntrinsic::{Dimensions, GlobalId, GlobalOffset, GlobalSize};
    let global = [GlobalId, GlobalSize, GlobalOffset, Dimensions];
    let of_groups = |name: &str| name.starts_with("oxur") && !global.iter().any(|i| i.name() == name);
    let mut used = module
        .functions()
        .into_iter()
        .filter(|f| f.is_declaration() && !Value::from(*f).users().is_empty());
    used.any(|f| of_groups(&f.name()))
}

/// Has a lowered kernel be as the vectorizer reads it, to show it.
pub fn prepare(
    machine: &Machine,
    module: &Module<'_>,
    sub_group_size: u32,
    layout: SubGroupLayout,
) -> Result<(), String> {
    set_ranges(module);
    vector::prepared(machine, module, sub_group_size, layout)
}

/// Vectorizes a lowered kernel and makes its entry point.
/// The error says why the kernel cannot be vectorized; then the module is unusable. `size` is that of groups, if it is known. With
/// `is_one_vector`, groups are, or that is an error. Groups are `columns` of what the code runs as one, which has that size.
#[allow(clippy::too_many_arguments, reason = "each says another thing of the groups")]
pub fn finish_wide(
    machine: &Machine,
    module: &Module<'_>,
    sub_group_size: u32,
    layout: SubGroupLayout,
    size: Option<[u32; 3]>,
    is_one_vector: bool,
    columns: Columns,
) -> Result<CodeInfo, String> {
    let SubGroupLayout { has_tail, spans_rows } = layout;
    let fills_rows = !has_tail && !spans_rows;
    set_ranges(module);
    let uses = |what: fn(&str) -> bool| module.functions().iter().any(|f| what(&f.name()));
    let items_wait = uses(|name| GroupCollective::from_name(name) == Some(GroupCollective::Barrier));
    let groups_wait = uses(|name| name == DEVICE_BARRIER);
    let reductions = match items_wait && !groups_wait {
        true => group_reductions::find(module),
        false => None,
    };
    let reduces = reductions.is_some();
    let may_be_columns = !groups_wait && columns::are_possible(module, items_wait);
    match columns {
        Columns::No => {}
        Columns::Any if !items_wait && may_be_columns => columns::join(module),
        Columns::Some(_) if is_one_vector && may_be_columns => columns::join(module),
        _ => return Err("it cannot run several groups as one".into()),
    }
    if let Some(size) = size.filter(|_| is_one_vector) {
        set_size(module, size);
    }
    // All lanes are items, in the order of sub-groups.
    let is_full_row = |[items, rows, planes]: [u32; 3]| items.is_power_of_two() && rows == 1 && planes == 1;
    if let Some(reductions) = reductions.filter(|_| is_one_vector && size.is_some_and(is_full_row)) {
        group_reductions::join(module, reductions, sub_group_size);
    }
    let width = width(module, sub_group_size);
    if spans_rows && groups_wait {
        return Err("groups that wait for each other, with sub-groups that span rows".into());
    }
    let made = vector::widen(
        machine,
        module,
        width,
        layout,
        items_wait && !groups_wait,
        size,
        is_one_vector,
        columns,
    )?;
    let kernels = VectorKernels {
        full: module.function(vector::FULL),
        several: module.function(vector::SEVERAL).map(|several| (several, made.several)),
        predicated: module.function(vector::PARTIAL),
        block: module.function(vector::BLOCK).map(|block| (block, made.rows)),
    };
    module
        .function(KERNEL)
        .expect("a kernel was lowered")
        .delete_with_body();
    vector::delete_outlined(module);
    // A vector of a whole group does not ask for sizes that are constants, and is not of several groups for all that.
    let is_one = made.whole_group.is_some();
    let sees_places = items_wait || groups_wait || width.is_sub_group || is_one || sees_groups(module);
    let sees_groups = columns != Columns::Any && sees_places;
    let entry = match (groups_wait, items_wait) {
        (true, _) => Entry::Item,
        (_, true) if made.whole_group.is_none() => Entry::Suspendable,
        _ => Entry::Group,
    };
    if entry == Entry::Group && spans_rows {
        linear_entry(module, kernels, made.lanes);
    } else if made.whole_group.is_some() {
        whole_group_entry(module, kernels);
    } else if entry == Entry::Group {
        group_entry(module, kernels, made.lanes);
    } else {
        item_entry(module, kernels);
    }
    math::define(module, made.lanes);
    define_intrinsics(module, sub_group_size, Waiting::OnStacks);
    let frame = match entry {
        Entry::Suspendable => vector::split(machine, module)?,
        _ => 0,
    };
    let subgroup_within_row = entry == Entry::Item || width.is_sub_group;
    Ok(CodeInfo {
        entry,
        lanes: made.lanes,
        side_by_side: made.side_by_side,
        subgroup_within_row,
        has_tail,
        spans_rows,
        sees_groups,
        rows: made.rows,
        whole_group: made.whole_group,
        may_be_whole_group: made.may_be_whole_group || reduces && fills_rows && size.is_none(),
        columns,
        may_be_columns,
        streamed: made.streamed,
        variables: 0,
        frame,
    })
}

/// Defines the intrinsics in a module without a kernel.
pub fn finish_functions(module: &Module<'_>) {
    convergence::finish_functions(module);
    collectives::combine_at_run_time(module);
    intrinsics::define(module, 1);
    // Sub-groups of kernels that call them have fewer lanes, or as many.
    collectives::define(module, LANES as u32, Waiting::OnStacks);
}

fn define_intrinsics(module: &Module<'_>, sub_group_size: u32, waiting: Waiting) {
    intrinsics::define(module, sub_group_size);
    collectives::define(module, sub_group_size, waiting);
}

/// The forms of a kernel that an entry calls: `(item, args)`.
#[derive(Clone, Copy)]
struct VectorKernels<'c> {
    /// For one item, or for all lanes; `None` if all groups are blocks.
    full: Option<Function<'c>>,
    /// For so many times as many items as lanes.
    several: Option<(Function<'c>, u32)>,
    /// For fewer items than lanes.
    predicated: Option<Function<'c>>,
    /// For a block of so many rows.
    block: Option<(Function<'c>, u32)>,
}

impl<'c> VectorKernels<'c> {
    fn only(kernel: Function<'c>) -> Self {
        Self {
            full: Some(kernel),
            several: None,
            predicated: None,
            block: None,
        }
    }

    /// The form for all lanes.
    fn full(&self) -> Function<'c> {
        self.full.expect("groups are no blocks")
    }
}

/// Calls the form of the kernel that the item asks for.
fn item_entry<'c>(module: &Module<'c>, kernels: VectorKernels<'c>) {
    let cx = module.context();
    let full = kernels.full().internal();
    let returns = full.function_type().returns();
    let entry = module.add_function(Entry::Item.symbol(), returns.function(&[cx.ptr(), cx.ptr()]));
    let b = Builder::at_end(cx, entry.append_block("entry"));
    let (item, args) = (entry.param(0), entry.param(1));
    let run = |kernel| {
        let result = b.call(kernel, &[item, args]);
        b.ret((returns.kind() != Kind::Void).then_some(result));
    };
    let others = [
        (kernels.predicated, "partial", layout::ITEM_IS_PARTIAL),
        (kernels.block.map(|block| block.0), "block", layout::ITEM_IS_BLOCK),
    ];
    for (kernel, name, flag) in others {
        let Some(kernel) = kernel else { continue };
        let wide = cx.int(64);
        let is_it = b.load(wide, b.offset(item, wide.int(flag)));
        let [this, other] = [name, "full"].map(|name| entry.append_block(name));
        let is_it = b.icmp(llvm_sys::LLVMIntPredicate::LLVMIntNE, is_it, wide.zero());
        b.cond_br(is_it, this, other);
        b.go_to_end(this);
        run(kernel);
        b.go_to_end(other);
    }
    run(full);
}

/// The entry of a group while it is made.
struct GroupEntry<'c> {
    function: Function<'c>,
    args: Value<'c>,
    group: Value<'c>,
    item: Value<'c>,
    /// The kernel for fewer items than lanes, and a second item. That kernel is not inlined, so sharing the item would keep the
    /// first one in memory.
    rest: Option<(Function<'c>, Value<'c>)>,
    wide: Type<'c>,
    b: Builder<'c>,
}

impl<'c> GroupEntry<'c> {
    fn new(module: &Module<'c>, kernels: VectorKernels<'c>) -> Self {
        let cx = module.context();
        let others = [kernels.block, kernels.several].map(|kernel| kernel.map(|kernel| kernel.0));
        for kernel in kernels.full.into_iter().chain(others.into_iter().flatten()) {
            kernel.internal().attribute("alwaysinline", 0);
        }
        let function = module.add_function(Entry::Group.symbol(), cx.void().function(&[cx.ptr(), cx.ptr()]));
        // Kernels cannot write to the group or the block of arguments.
        for param in 0..2 {
            function
                .param_attribute(param, "noalias", 0)
                .param_attribute(param, "readonly", 0);
        }
        let (args, group) = (function.param(0).name("args"), function.param(1).name("group"));
        let b = Builder::at_end(cx, function.append_block("entry"));
        let variable = || b.alloca(cx.int(8).array(layout::ITEM_SIZE)).align(16);
        let item = variable().name("item");
        let rest = kernels
            .predicated
            .map(|predicated| (predicated, variable().name("item.rest")));
        let entry = Self {
            function,
            args,
            group,
            item,
            rest,
            wide: cx.int(64),
            b,
        };
        entry.set(item, layout::ITEM_GROUP, group);
        entry
    }

    fn at(&self, base: Value<'c>, offset: u64) -> Value<'c> {
        self.b.offset(base, self.wide.int(offset))
    }

    /// Sets a member of an item.
    fn set(&self, item: Value<'c>, offset: u64, value: Value<'c>) {
        self.b.store(value, self.at(item, offset));
    }

    /// Runs the `rest` of the items in the block `some`, if there are any and a kernel for them; goes on in `next`. `place` tells
    /// an item where it is.
    fn run_rest(&self, rest: Value<'c>, [some, next]: [Block<'c>; 2], place: impl Fn(Value<'c>)) {
        let b = &self.b;
        if let Some((predicated, item)) = self.rest {
            predicated.internal().attribute("noinline", 0);
            let is_some = b.icmp(llvm_sys::LLVMIntPredicate::LLVMIntULT, self.wide.zero(), rest);
            b.cond_br(is_some, some, next);
            b.go_to_end(some);
            self.set(item, layout::ITEM_GROUP, self.group);
            self.set(item, layout::ITEM_LANES, rest);
            place(item);
            b.call(predicated, &[item, self.args]);
        } else {
            b.br(some);
            b.go_to_end(some);
        }
        b.br(next);
        b.go_to_end(next);
    }
}

/// A loop over all items of a group, in steps of `lanes`, and the rest.
fn linear_entry<'c>(module: &Module<'c>, kernels: VectorKernels<'c>, lanes: u32) {
    let entry = GroupEntry::new(module, kernels);
    let (b, wide, item) = (&entry.b, entry.wide, entry.item);
    let size = b.load(wide, entry.at(entry.group, layout::GROUP_SIZE));
    let step = wide.int(lanes.into());
    let rest = b.urem(size, step);
    let end = b.sub(size, rest);
    let [head, inside, rest_block, some, done] =
        ["head", "items", "rest", "some", "done"].map(|name| entry.function.append_block(name));
    let start = b.block();
    b.br(head);
    b.go_to_end(head);
    let number = b.phi(wide);
    let ult = llvm_sys::LLVMIntPredicate::LLVMIntULT;
    b.cond_br(b.icmp(ult, number, end), inside, rest_block);
    b.go_to_end(inside);
    entry.set(item, layout::ITEM_LINEAR_ID, number);
    b.call(kernels.full(), &[item, entry.args]);
    let next = b.add(number, step);
    number.add_incoming(&[(wide.zero(), start), (next, b.block())]);
    b.br(head);
    b.go_to_end(rest_block);
    entry.run_rest(rest, [some, done], |item| entry.set(item, layout::ITEM_LINEAR_ID, end));
    b.ret(None);
}

/// Calls the kernel for a group that is a block.
fn whole_group_entry<'c>(module: &Module<'c>, kernels: VectorKernels<'c>) {
    let entry = GroupEntry::new(module, kernels);
    let zero = entry.wide.zero();
    for d in 0..3 {
        entry.set(entry.item, layout::ITEM_LOCAL_ID + 8 * d, zero);
    }
    entry.set(entry.item, layout::ITEM_LINEAR_ID, zero);
    let (block, _) = kernels.block.expect("the group is a block");
    entry.b.call(block, &[entry.item, entry.args]);
    entry.b.ret(None);
}

/// Three loops, dimension 0 innermost, in steps of `lanes`, and the rest of each row. As many rows as possible run in blocks.
fn group_entry<'c>(module: &Module<'c>, kernels: VectorKernels<'c>, lanes: u32) {
    let entry = GroupEntry::new(module, kernels);
    let (b, wide, item) = (&entry.b, entry.wide, entry.item);
    let sizes: Vec<_> = (0..3)
        .map(|d| b.load(wide, entry.at(entry.group, layout::GROUP_LOCAL_SIZE + 8 * d)))
        .collect();
    let step = wide.int(lanes.into());
    let rest = b.urem(sizes[0], step);
    let row_end = b.sub(sizes[0], rest);
    let names = [
        "z", "y", "row", "x", "x.next", "rest", "some", "y.next", "z.next", "done",
    ];
    let blocks = names.map(|name| entry.function.append_block(name));
    let [z, y, row, x, x_next, rest_block, some, y_next, z_next, done] = blocks;
    let start = b.block();
    let ult = llvm_sys::LLVMIntPredicate::LLVMIntULT;
    b.br(z);
    b.go_to_end(z);
    let id_z = b.phi(wide);
    // The ids of an item, and the number of its row, times their length.
    let set = |item, [id_x, id_y]: [Value<'c>; 2], linear| {
        for (d, id) in [id_x, id_y, id_z].into_iter().enumerate() {
            entry.set(item, layout::ITEM_LOCAL_ID + 8 * d as u64, id);
        }
        entry.set(item, layout::ITEM_LINEAR_ID, b.add(linear, id_x));
    };
    let linear = |id_y| b.mul(b.add(b.mul(id_z, sizes[1]), id_y), sizes[0]);
    let run = |kernel, ids, linear| {
        set(item, ids, linear);
        b.call(kernel, &[item, entry.args]);
    };
    let mut first_row = wide.zero();
    if let Some((block, rows)) = kernels.block {
        let names = ["blocks", "block", "block.x", "block.next", "blocks.done"];
        let [heads, head, x, next, after] = names.map(|name| entry.function.append_block(name));
        let rows = wide.int(rows.into());
        let in_blocks = b.sub(sizes[1], b.urem(sizes[1], rows));
        first_row = b.select(b.icmp(ult, wide.zero(), row_end), in_blocks, wide.zero());
        b.br(heads);
        b.go_to_end(heads);
        let id_y = b.phi(wide);
        b.cond_br(b.icmp(ult, id_y, first_row), head, after);
        b.go_to_end(head);
        let linear = linear(id_y);
        b.br(x);
        b.go_to_end(x);
        let id_x = b.phi(wide);
        run(block, [id_x, id_y], linear);
        let next_x = b.add(id_x, step);
        id_x.add_incoming(&[(wide.zero(), head), (next_x, x)]);
        b.cond_br(b.icmp(ult, next_x, row_end), x, next);
        b.go_to_end(next);
        id_y.add_incoming(&[(wide.zero(), z), (b.add(id_y, rows), next)]);
        b.br(heads);
        b.go_to_end(after);
    }
    let before = b.block();
    match kernels.block {
        Some(_) => b.cond_br(b.icmp(ult, first_row, sizes[1]), y, z_next),
        None => b.br(y),
    };
    b.go_to_end(y);
    let id_y = b.phi(wide);
    let linear = linear(id_y);
    b.cond_br(b.icmp(ult, wide.zero(), row_end), row, rest_block);
    b.go_to_end(row);
    let mut first_x = (wide.zero(), row);
    if let Some((several, count)) = kernels.several {
        let names = ["several", "several.x", "several.done"];
        let [head, inside, after] = names.map(|name| entry.function.append_block(name));
        let step = wide.int((lanes * count).into());
        let end = b.sub(row_end, b.urem(row_end, step));
        b.br(head);
        b.go_to_end(head);
        let id_x = b.phi(wide);
        b.cond_br(b.icmp(ult, id_x, end), inside, after);
        b.go_to_end(inside);
        run(several, [id_x, id_y], linear);
        id_x.add_incoming(&[(wide.zero(), row), (b.add(id_x, step), b.block())]);
        b.br(head);
        b.go_to_end(after);
        b.cond_br(b.icmp(ult, end, row_end), x, rest_block);
        first_x = (end, after);
    } else {
        b.br(x);
    }
    b.go_to_end(x);
    let id_x = b.phi(wide);
    run(kernels.full(), [id_x, id_y], linear);
    b.br(x_next);
    b.go_to_end(x_next);
    let next_x = b.add(id_x, step);
    id_x.add_incoming(&[first_x, (next_x, x_next)]);
    b.cond_br(b.icmp(ult, next_x, row_end), x, rest_block);
    b.go_to_end(rest_block);
    entry.run_rest(rest, [some, y_next], |item| set(item, [row_end, id_y], linear));
    let next_y = b.add(id_y, wide.int(1));
    id_y.add_incoming(&[(first_row, before), (next_y, y_next)]);
    b.cond_br(b.icmp(ult, next_y, sizes[1]), y, z_next);
    b.go_to_end(z_next);
    let next_z = b.add(id_z, wide.int(1));
    id_z.add_incoming(&[(wide.zero(), start), (next_z, z_next)]);
    b.cond_br(b.icmp(ult, next_z, sizes[2]), z, done);
    b.go_to_end(done);
    b.ret(None);
}
