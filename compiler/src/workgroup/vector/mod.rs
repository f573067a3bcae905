// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The whole-function vectorizer: from a kernel for one work-item to one for as many as a SIMD register has lanes.
//!
//! Every value is uniform (the same in all lanes), affine (lane 0's plus a multiple of the lane), or varying, which
//! becomes a vector ([`divergence`]). Uniform branches stay branches. At divergent branches the blocks on both paths
//! run one after the other, each under a mask of the lanes that reached it ([`emit`]; the order of blocks is that of
//! "Partial Control-Flow Linearization", Moll and Hack, PLDI 2018). Sub-group collectives become operations on vectors.
//!
//! Masks, phis and values that are used in other blocks live in variables of the function (demoted SSA). LLVM promotes
//! them to values again, so this code need not maintain dominance.

mod blocking;
mod bounds;
mod butterflies;
mod calls;
mod cfg;
mod coherent;
mod collectives;
mod columns;
mod coroutine;
mod divergence;
mod division;
mod emit;
mod forgetting;
mod gather;
mod global_ids;
mod guards;
mod huge;
mod if_conversion;
mod in_flight;
mod indexed;
mod interleaved;
mod memory;
mod outlined;
mod prefetches;
mod private;
mod rows;
mod runs;
mod same_phis;
mod saturation;
mod show;
mod small_vectors;
mod squares;
mod streams;
mod strides;
mod unsigned_indices;
pub mod whole_group;

use blocking::Blocking;
pub use cfg::Cfg;
pub use coroutine::split;
pub use if_conversion::is_simple;
pub use outlined::delete as delete_outlined;
pub use private::offsets;
pub use show::{prepared, shapes};

use divergence::Ids;
use whole_group::GroupVector;

use super::{Columns, SubGroupLayout};
use crate::by_value::{self, ArgumentBlock};
use crate::image;
use crate::intrinsics::{DEVICE_BARRIER, GroupCollective, KERNEL, WorkItemIntrinsic};
use crate::llvm::{Machine, Module};
use crate::passes::{may_run, optional};
use crate::target::{Target, Vectors};

/// The vector kernel for full groups of lanes: `(item, args)`.
pub const FULL: &str = "kernel.full";
/// The vector kernel for fewer active lanes: `(item, args)`, with the number in the item.
pub const PARTIAL: &str = "kernel.partial";
/// The vector kernel for several times as many items as lanes: `(item, args)`.
pub const SEVERAL: &str = "kernel.several";
/// The vector kernel for a block of rows: `(item, args)`, with the item of the first row.
pub const BLOCK: &str = "kernel.block";

/// Makes a kernel one function.
const INLINE: &str = "always-inline,globaldce,function(sroa<modify-cfg>)";

/// Prepares a kernel for vectorization: simple loops.
const PREPARE: &str = "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,\
    simplifycfg,loop-mssa(licm),gvn,sroa<modify-cfg>,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/// Takes vectors of the kernel's apart.
const SCALARIZE: &str = "function(scalarizer<load-store>,early-cse,dce)";

/// The passes after copies of private variables were split or removed.
const AFTER_COPIES: &str =
    "function(sroa<modify-cfg>,early-cse<memssa>,dse,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/// The passes after branches became selects: blocks that follow each other become one. They must not make branches of selects. With
/// others, `a == 1 || a == 5` would become a switch, and that two branches again, without an end.
const AFTER_CONVERSION: &str = "function(instcombine<no-verify-fixpoint>,simplifycfg<no-simplify-cond-branch>)";

/// How deep nested branches are converted.
const MOST_CONVERSIONS: usize = 16;

/// The last passes: simple control flow.
const SIMPLIFY: &str = "function(lower-switch,fix-irreducible,mergereturn,loop-simplify,lcssa)";

/// The width of the vector kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// Lanes.
    pub lanes: u32,
    /// Whether the kernel observes the width, because it uses sub-groups.
    pub is_sub_group: bool,
}

/// Chooses the width of a kernel.
pub fn width(module: &Module<'_>, sub_group_size: u32) -> Width {
    let used = |name: &str| module.function(name).is_some();
    let asks = used(WorkItemIntrinsic::Lane.name()) || used(WorkItemIntrinsic::SubGroup.name());
    let exchanges = module
        .functions()
        .iter()
        .any(|f| GroupCollective::from_name(&f.name()).is_some_and(|e| e != GroupCollective::Barrier));
    if asks || exchanges {
        return Width {
            lanes: sub_group_size,
            is_sub_group: true,
        };
    }
    Width {
        lanes: Vectors::of_host().lanes,
        is_sub_group: false,
    }
}

/// What vector kernels there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernels {
    /// How many items they run at a time.
    pub lanes: u32,
    /// How many times as many these are as in code for ranges that need not fill all lanes.
    pub side_by_side: u32,
    /// How many vectors the one for several has; 1 if there is none.
    pub several: u32,
    /// How many rows the one for blocks has; 1 if there is none.
    pub rows: u32,
    /// The size of groups, if items would wait, but a block is a whole group, so that nobody does. There are no other kernels then.
    pub whole_group: Option<[u32; 3]>,
    /// Whether it could be, for some size of groups.
    pub may_be_whole_group: bool,
    /// How many bytes an item may store past the caches.
    pub streamed: u64,
}

/// Prepares a module and adds the vector kernel, and with a tail also the one for fewer lanes; where it makes a kernel faster, also
/// one for blocks of rows. With `waits` they are coroutines that suspend at barriers. `size` is that of groups, if it is known. With `is_one_vector`
/// groups are, or that is an error; it is the size of all `columns` then. An error says why the kernel cannot be vectorized.
#[allow(clippy::too_many_arguments, reason = "each says another thing of the groups")]
pub fn widen(
    machine: &Machine,
    module: &Module<'_>,
    width: Width,
    layout: SubGroupLayout,
    waits: bool,
    size: Option<[u32; 3]>,
    is_one_vector: bool,
    columns: Columns,
) -> Result<Kernels, String> {
    if !(4..=64).contains(&width.lanes) {
        return Err(format!("sub-groups of {}", width.lanes));
    }
    let has_columns = columns != Columns::No;
    let group = size.filter(|_| is_one_vector).map(GroupVector::new);
    let group = group.map(|group| GroupVector { has_columns, ..group });
    let spans_rows = layout.spans_rows || group.is_some_and(GroupVector::spans_rows);
    prepare(machine, module, width, spans_rows, size.filter(|_| is_one_vector))?;
    let kernel = module.function(KERNEL).ok_or("there is no kernel")?;
    if columns == Columns::Any && !columns::are_side_by_side(module, kernel, width.lanes)? {
        return Err("neighbouring groups do not access memory side by side".into());
    }
    // Others have other costs.
    let is_plain = !width.is_sub_group && !waits && !layout.spans_rows && module.function(DEVICE_BARRIER).is_none();
    // What spans rows, and what runs with few lanes, has other costs.
    let fills_rows = !width.is_sub_group && !layout.has_tail && !layout.spans_rows;
    let is_alone = fills_rows && module.function(DEVICE_BARRIER).is_none();
    match group {
        Some(group) if is_alone => {
            if group.spans_rows() && Blocking::of(module, kernel, width.lanes, None).is_some() {
                return Err("its rows run in blocks".into());
            }
            if !whole_group::prepare(machine, module, kernel, width.lanes, group, columns)? {
                return Err("it would be too long, or slower".into());
            }
        }
        Some(_) => return Err("it has operations of sub-groups or of the device".into()),
        None => {}
    }
    // Others run groups as parts of the range.
    let sees_groups = || {
        if waits {
            size.is_none()
        } else {
            super::sees_groups(module)
        }
    };
    let may_be_whole_group = is_alone
        && group.is_none()
        && sees_groups()
        && whole_group::is_possible(
            module,
            kernel,
            GroupVector::new([width.lanes, 1, 1]),
            width.lanes,
            whole_group::LONGEST,
            false,
        )?;
    let mut side_by_side = match is_alone && waits && group.is_none() && may_run("vectors side by side") {
        true => in_flight::count(module, kernel, width.lanes, true)?,
        false => 1,
    };
    // Groups of another size would never have such code.
    let fills = |count: u32| size.is_none_or(|[row, ..]| row.is_multiple_of(width.lanes * count));
    while side_by_side > 1 && !fills(side_by_side) {
        side_by_side /= 2;
    }
    let width = Width {
        lanes: group.map_or(width.lanes * side_by_side, GroupVector::lanes),
        ..width
    };
    let streams = !waits && !layout.spans_rows;
    let emit = |name, vectors, is_partial, waits| {
        let lanes = width.lanes * vectors;
        let plan = emit::Plan {
            width: Width { lanes, ..width },
            spans_rows: layout.spans_rows,
            group,
            is_partial,
            waits,
            streams: streams && [FULL, SEVERAL].contains(&name),
            is_masked: false,
            parameters: &[],
        };
        emit::emit(module, kernel, name, plan)
    };
    let blocking = match is_alone && group.is_none() && may_run("blocks of rows") {
        true => Blocking::of(module, kernel, width.lanes, size),
        false => None,
    };
    let rows = blocking.as_ref().map_or(1, |blocking| blocking.rows);
    let block = [width.lanes, rows, 1];
    let of_block = || (waits && rows > 1 && size == Some(block)).then_some(block);
    let whole_group = group.map(|group| group.size).or_else(of_block);
    let several = match is_plain && blocking.is_none() && may_run("several vectors") {
        true => in_flight::count(module, kernel, width.lanes, false)?,
        false => 1,
    };
    let mut streamed = 0;
    if whole_group.is_none() {
        streamed = emit(FULL, 1, false, waits)?.1;
    }
    if several > 1 {
        // Stores of one vector may be too short to go past the caches.
        streamed = streamed.max(emit(SEVERAL, several, false, false)?.1);
    }
    if layout.has_tail {
        emit(PARTIAL, 1, true, waits)?;
    }
    if let Some(blocking) = blocking {
        blocking.apply(module);
        if whole_group.is_some() {
            blocking::remove_barriers(kernel);
        }
        emit(BLOCK, 1, false, waits && whole_group.is_none())?;
    } else if whole_group.is_some() {
        emit(BLOCK, 1, false, false)?;
    }
    Ok(Kernels {
        lanes: width.lanes,
        side_by_side,
        several,
        rows,
        whole_group,
        may_be_whole_group,
        streamed,
    })
}

/// `size` is that of groups, if constants are in its place.
fn prepare(
    machine: &Machine,
    module: &Module<'_>,
    width: Width,
    spans_rows: bool,
    size: Option<[u32; 3]>,
) -> Result<(), String> {
    machine.set_target(module);
    if image::code::cpu::are_few(module) && may_run("images as vectors") {
        image::code::cpu::define(module);
    }
    huge::check_calls(module.function(KERNEL).ok_or("there is no kernel")?)?;
    for function in module
        .functions()
        .into_iter()
        .filter(|f| !f.is_declaration() && f.name() != KERNEL)
    {
        function.attribute("alwaysinline", 0);
    }
    module.verify()?;
    machine.run_passes(module, INLINE, false)?;
    huge::check(module)?;
    if may_run("small global ids") {
        global_ids::promise_small(module.function(KERNEL).ok_or("there is no kernel")?, size);
    }
    // Later passes make different values of the same.
    if may_run("merge phis") {
        same_phis::merge(module.function(KERNEL).ok_or("there is no kernel")?);
    }
    optional(|| machine.run_passes(module, PREPARE, false))?;
    let kernel = module.function(KERNEL).ok_or("there is no kernel")?;
    let arguments = ArgumentBlock {
        address: kernel.param(1),
        align: Target::Host.argument_align(),
        size: None,
    };
    if may_run("read arguments in place") && by_value::read_in_place(module, kernel, arguments) {
        optional(|| machine.run_passes(module, AFTER_COPIES, false))?;
    }
    if spans_rows || !may_run("keep small vectors") || !small_vectors::are_kept(module, kernel, width.lanes) {
        small_vectors::fill_padding(module, kernel);
        machine.run_passes(module, SCALARIZE, false)?;
    }
    if let Some(kernel) = module.function(KERNEL)
        && may_run("split copies")
        && private::split_copies(module, kernel)
    {
        optional(|| machine.run_passes(module, AFTER_COPIES, false))?;
    }
    machine.run_passes(module, SIMPLIFY, false)?;
    let kernel = module.function(KERNEL).ok_or("there is no kernel")?;
    let ids = Ids::of(spans_rows);
    for _ in 0..MOST_CONVERSIONS {
        if !may_run("convert branches") || !if_conversion::convert(module, kernel, width.lanes, ids)? {
            break;
        }
        optional(|| machine.run_passes(module, AFTER_CONVERSION, false))?;
        machine.run_passes(module, SIMPLIFY, false)?;
    }
    Ok(())
}
