// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Whole groups as one vector, for kernels whose items meet again and again, and for rows that do not fill vectors.
//!
//! In a tree of barriers, such as a reduction in local memory, there are a few instructions between two barriers. A coroutine for
//! each sub-group returns to the runtime at each of them, and what it keeps is in memory. If the vector is as long as the group, all
//! items are at the same instruction, so nobody waits. LLVM divides long vectors into registers. Local ids are constants then, and,
//! once loops of known length are unrolled, so are most masks.
//!
//! Loops without barriers are [outlined](super::outlined).

use llvm_sys::LLVMOpcode as L;
use rustc_hash::{FxHashMap, FxHashSet};

use super::blocking::remove_barriers;
use super::calls::{is_hint, is_pure};
use super::cfg::Cfg;
use super::columns;
use super::divergence::{Ids, VectorShape, VectorShapes};
use super::in_flight;
use super::memory::accessed;
use super::outlined::{self, Region};
use super::rows::{self, Rows};
use crate::builtins;
use crate::intrinsics::{GroupCollective, GroupReduction, WorkItemIntrinsic};
use crate::llvm::{Function, Machine, Module, Value};
use crate::target::Vectors;
use crate::workgroup::Columns;
use crate::workgroup::convergence::collective;

/// The most items of a group.
pub const MOST_ITEMS: u64 = 2048;

/// The most instructions for all registers of a group of half as many items. More take long to compile.
pub const LONGEST: u64 = 8192;

/// The same for larger groups, and for several groups of one column, which have four to eight times the items of one.
const LONGEST_LARGE: u64 = 2 * LONGEST;

/// What a mathematical function has of them.
const FUNCTION: u32 = 64;

/// The most bytes of values of such a group that are there at a time. What does not fit into registers is on the stack of the thread.
pub const MOST_LIVE: u32 = 64 << 10;

/// The same for larger groups.
const MOST_LIVE_LARGE: u32 = 2 * MOST_LIVE;

/// What LLVM may put on the stack beside that, of the kernel and of loops that run for all items.
pub const SPILLED: u64 = 4 * MOST_LIVE_LARGE as u64;

/// Unrolls loops of known length.
const UNROLL: &str = "function(loop-unroll<O3;full-unroll-max=16;no-partial;no-peeling;no-runtime;no-upperbound>,\
    early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/// The most rows of a group. An access for each of more takes long to compile: with 256 rows of 4 items a second for a short kernel.
const MOST_ROWS: u64 = 128;

/// The most groups of one column that are one vector.
const MOST_COLUMNS: u64 = 8;

/// The most items of these.
const MOST_COLUMN_ITEMS: u64 = 1024;

/// The least. With fewer, what is beside each other in memory does not fill a register of any kind.
const LEAST_COLUMNS: u64 = 4;

/// How many groups of a size are one vector, if they are columns and that is possible.
pub fn columns(size: [u64; 3]) -> Option<u32> {
    // Each launch asks, and most groups are no columns.
    if size[0] != 1 {
        return None;
    }
    let items = size[1].saturating_mul(size[2]);
    let count = (MOST_COLUMN_ITEMS / items.max(1)).min(MOST_COLUMNS);
    let is_possible = (2..=MOST_ROWS).contains(&items) && count >= LEAST_COLUMNS;
    is_possible.then(|| 1 << count.ilog2())
}

/// Whether groups of a size could be one vector, which has so many lanes at least.
pub fn suits(size: [u64; 3], lanes: u32) -> bool {
    // Whatever size a kernel demands.
    let items = size.into_iter().fold(1, u64::saturating_mul);
    (2..=MOST_ITEMS).contains(&items) && items / size[0] <= MOST_ROWS && items.next_power_of_two() >= u64::from(lanes)
}

/// A group of a known size as one vector.
#[derive(Clone, Copy, Debug)]
pub struct GroupVector {
    /// The size of the group.
    pub size: [u32; 3],
    /// Whether it is several groups of one column.
    pub has_columns: bool,
}

impl GroupVector {
    /// For a size that [suits].
    pub fn new(size: [u32; 3]) -> Self {
        Self {
            size,
            has_columns: false,
        }
    }

    /// How many items the group has.
    pub fn items(self) -> u32 {
        self.size.iter().product()
    }

    /// How many lanes the vector has: a power of two.
    pub fn lanes(self) -> u32 {
        self.items().next_power_of_two()
    }

    /// Whether it has more than half of the most items.
    fn is_large(self) -> bool {
        u64::from(self.items()) > MOST_ITEMS / 2
    }

    /// Whether the group has several rows.
    pub fn spans_rows(self) -> bool {
        self.size[1] > 1 || self.size[2] > 1
    }

    /// The local id of a lane. Those behind the end of the group have ids of items, too.
    pub fn local_id(self, lane: u32, dimension: u32) -> u32 {
        let [x, y, z] = self.size;
        match dimension {
            0 => lane % x,
            1 => lane / x % y,
            _ => lane / (x * y) % z,
        }
    }

    /// The size in one number, 16 bits for each dimension; never 0.
    pub fn packed(size: [u32; 3]) -> u64 {
        size.into_iter().rev().fold(0, |packed, n| packed << 16 | u64::from(n))
    }

    /// The size that was [packed](Self::packed).
    pub fn unpacked(packed: u64) -> [u32; 3] {
        [0, 16, 32].map(|shift| (packed >> shift) as u32 & 0xffff)
    }
}

/// Makes a kernel one for whole groups, if that is possible and faster than sub-groups of so many `lanes`: then it has no barriers
/// any more. Returns whether it does. The group may be several `columns`.
pub fn prepare(
    machine: &Machine,
    module: &Module<'_>,
    kernel: Function<'_>,
    lanes: u32,
    group: GroupVector,
    columns: Columns,
) -> Result<bool, String> {
    let longest = match columns != Columns::No || group.is_large() {
        true => LONGEST_LARGE,
        false => LONGEST,
    };
    if let Columns::Some(count) = columns {
        // What is known of an index then shows that it does not wrap.
        unroll(machine, module)?;
        unroll(machine, module)?;
        if !columns::interleave(module, kernel, count) || !columns::are_side_by_side(module, kernel, count)? {
            return Ok(false);
        }
        // Sums of constants come last then, and the rest is seen to be the number of an item.
        unroll(machine, module)?;
    }
    if group.spans_rows() {
        rows::find_linear_ids(module, kernel, group);
    }
    // With fewer lanes, mathematical functions have other variants.
    if !suits(group.size.map(u64::from), lanes) || !is_possible(module, kernel, group, lanes, longest, false)? {
        return Ok(false);
    }
    let is_possible = || -> Result<bool, String> {
        unroll(machine, module)?;
        is_possible(module, kernel, group, lanes, longest, true)
    };
    // How often a loop runs may follow from the one before it.
    if !is_possible()? && !is_possible()? {
        return Ok(false);
    }
    let loop_lanes = group
        .lanes()
        .min(lanes * in_flight::count(module, kernel, lanes, true)?);
    outlined::outline(module, kernel, group, loop_lanes)?;
    remove_barriers(kernel);
    Ok(true)
}

fn unroll(machine: &Machine, module: &Module<'_>) -> Result<(), String> {
    machine.run_passes(module, UNROLL, false)?;
    machine.run_passes(module, super::SIMPLIFY, false)
}

/// Whether groups of a size can be one vector, and that is faster. It has `longest` instructions at most.
pub fn is_possible(
    module: &Module<'_>,
    kernel: Function<'_>,
    group: GroupVector,
    lanes: u32,
    longest: u64,
    is_unrolled: bool,
) -> Result<bool, String> {
    let cfg = Cfg::new(kernel)?;
    let width = group.lanes();
    let shapes = VectorShapes::new(module, &cfg, width, Ids::of(group.spans_rows()));
    let Ok(outlined) = Region::all(&cfg, &shapes) else {
        return Ok(false);
    };
    let code = Code {
        cfg: &cfg,
        outlined,
        shapes,
        hopes: VectorShapes::new(module, &cfg, width, Ids::hoped(group.spans_rows())),
        rows: Rows::of(module, &cfg, group),
        width,
        lanes,
    };
    let most_live = if group.is_large() { MOST_LIVE_LARGE } else { MOST_LIVE };
    let can_outline = |region: &Region<'_>| region.is_possible(&cfg, &code.shapes);
    let instructions = code.instructions();
    let cost = || -> u64 {
        let costs = instructions.iter().map(|&inst| code.cost(module, inst));
        costs.map(u64::from).sum()
    };
    Ok(
        (!is_unrolled || code.outlined.iter().all(can_outline) && code.keeps_rows(module))
            && instructions.iter().all(|&inst| code.is_vector(inst))
            && cost() <= longest
            && code.most_live(module) <= most_live,
    )
}

/// Whether all items of the group have to come to an instruction.
pub fn meets_group(inst: &Value<'_>) -> bool {
    let is_reduction = || {
        let callee = inst.callee();
        callee.is_some_and(|callee| GroupReduction::from_name(&callee.name()).is_some())
    };
    collective(inst) == Some(GroupCollective::Barrier) || is_reduction()
}

struct Code<'a, 'c> {
    cfg: &'a Cfg<'c>,
    /// What is to be outlined.
    outlined: Vec<Region<'c>>,
    shapes: VectorShapes<'c>,
    /// The shapes of addresses if no index wraps.
    hopes: VectorShapes<'c>,
    /// What is known of rows, if there are several.
    rows: Option<Rows<'c>>,
    /// How many lanes the vector has.
    width: u32,
    /// Of a usual sub-group.
    lanes: u32,
}

impl<'c> Code<'_, 'c> {
    fn varies(&self, value: Value<'c>) -> bool {
        self.shapes.of(value) == VectorShape::Varying
    }

    /// The instructions that stay in the kernel.
    fn instructions(&self) -> Vec<Value<'c>> {
        let stays = |node| !self.outlined.iter().any(|region| region.contains(node));
        let blocks = self.cfg.blocks.iter().enumerate().filter(|(node, _)| stays(*node));
        blocks.flat_map(|(_, block)| block.instructions()).collect()
    }

    /// Whether an instruction is one of long vectors, and not of each item by itself.
    fn is_vector(&self, inst: Value<'c>) -> bool {
        let varies = self.varies(inst);
        match inst.opcode() {
            Some(L::LLVMAlloca | L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg) => false,
            Some(L::LLVMLoad | L::LLVMStore) => !inst.is_volatile() && !inst.is_atomic(),
            Some(L::LLVMUDiv | L::LLVMSDiv | L::LLVMURem | L::LLVMSRem) => !varies || inst.ty().scalar().bits() <= 32,
            Some(L::LLVMCall) => inst.callee().is_some_and(|callee| {
                let name = callee.name();
                let is_uniform = !varies && is_pure(callee);
                let has_variant = || {
                    is_pure(callee)
                        && (name.starts_with("llvm.") || builtins::vector_variant(&name, self.lanes, false).is_some())
                };
                meets_group(&inst)
                    || is_hint(&name)
                    || WorkItemIntrinsic::from_name(&name).is_some()
                    || is_uniform
                    || has_variant()
            }),
            _ => true,
        }
    }

    /// Whether nothing is better for sub-groups in rows: loops run row by row there, and accesses are simple that are not in a group
    /// of several rows.
    fn keeps_rows(&self, module: &Module<'c>) -> bool {
        let Some(rows) = &self.rows else { return true };
        let is_same = |inst: &Value<'c>| {
            let Some((address, ty)) = accessed(*inst) else {
                return true;
            };
            let is_masked = self.shapes.predicated.contains(&self.cfg.number[&inst.block()]);
            let is_store = inst.opcode() == Some(L::LLVMStore);
            let access = || rows.access(module, &self.shapes, address, ty);
            let is_in_rows = || access().is_some_and(|access| access.how.is_possible(ty, is_store, is_masked));
            let is_simple = |shape| shape != VectorShape::Varying;
            is_simple(self.hopes.of(address)) || !is_simple(rows.shapes.of(address)) || is_in_rows()
        };
        !self.outlined.iter().any(Region::is_loop) && self.instructions().iter().all(is_same)
    }

    /// How many instructions LLVM makes of one.
    fn cost(&self, module: &Module<'c>, inst: Value<'c>) -> u32 {
        let Some((address, ty)) = accessed(inst) else {
            let ty = inst.ty();
            let is_function = |inst: Value<'c>| {
                inst.callee().is_some_and(|callee| {
                    let name = callee.name();
                    !name.starts_with("llvm.") && WorkItemIntrinsic::from_name(&name).is_none()
                })
            };
            let each = if is_function(inst) { FUNCTION } else { 1 };
            return if self.varies(inst) {
                each.saturating_mul(Vectors::of_host().registers_of(ty, self.width))
            } else {
                0
            };
        };
        let size = module.size_of(ty);
        let numbers = self.width * ty.lanes().unwrap_or(1);
        if let Some(rows) = &self.rows
            && let Some(access) = rows.access(module, &self.shapes, address, ty)
        {
            // The address, the access, and as many to put it in its place.
            return rows.count() * (access.computed + 2 * Vectors::of_host().registers_of(ty, rows.length()));
        }
        let has_gather =
            Vectors::of_host().gathers_and_scatters(u64::from(ty.scalar().bits() / 8)) && ty.lanes().is_none();
        match self.hopes.of(address) {
            VectorShape::Uniform => 0,
            _ if self.stride(module, address) == Some(size as i64) => Vectors::of_host().registers_of(ty, self.width),
            // Shuffles, or gathers and scatters.
            _ if has_gather => numbers / 2,
            // A load or store for each item, most with a branch.
            _ => 4 * numbers,
        }
    }

    /// How far apart the addresses of items are that are side by side, in most of a group.
    fn stride(&self, module: &Module<'c>, address: Value<'c>) -> Option<i64> {
        let affine = |value| match self.hopes.of(value) {
            VectorShape::Affine { stride, .. } => Some(stride),
            _ => None,
        };
        if affine(address).is_some() || address.opcode() != Some(L::LLVMGetElementPtr) {
            return affine(address);
        }
        let index = address.operands().pop()?;
        let index = match index.opcode() {
            Some(L::LLVMZExt | L::LLVMSExt) => index.operand(0),
            _ => index,
        };
        // The low bits of a number, and the partners in an exchange.
        let stride = match (index.opcode(), index.operands().as_slice()) {
            (Some(L::LLVMAnd | L::LLVMXor), &[x, y]) => affine(x).or(affine(y))?,
            _ => return None,
        };
        Some(stride * module.size_of(address.source_element_type()) as i64)
    }

    /// How many bytes of values there are at a time, where they are most.
    fn most_live(&self, module: &Module<'c>) -> u32 {
        let instructions: Vec<Value<'c>> = self.cfg.blocks.iter().flat_map(|block| block.instructions()).collect();
        let at: FxHashMap<Value<'c>, usize> = instructions.iter().enumerate().map(|(at, &inst)| (inst, at)).collect();
        // The order is that of the program but for loops, of which a value is there to the end that comes from before.
        let ends = self.cfg.loops.iter().map(|l| {
            let places = |node: &usize| self.cfg.blocks[*node].instructions().into_iter().map(|inst| at[&inst]);
            let all = || l.blocks.iter().flat_map(places);
            (all().min().unwrap_or(0), all().max().unwrap_or(0))
        });
        let ends: Vec<(usize, usize)> = ends.collect();
        let mut last_use: FxHashMap<Value<'c>, usize> = FxHashMap::default();
        for (user_at, user) in instructions.iter().enumerate() {
            for used in user.operands().into_iter().filter(|used| self.varies(*used)) {
                let Some(&made) = at.get(&used) else { continue };
                let around = ends
                    .iter()
                    .filter(|(first, last)| made < *first && (*first..=*last).contains(&user_at));
                // A value that comes around a loop is there to its end.
                let around_again = ends
                    .iter()
                    .filter(|(first, last)| user_at <= made && (*first..=*last).contains(&made));
                let end = around
                    .chain(around_again)
                    .map(|(_, last)| *last)
                    .max()
                    .unwrap_or(user_at);
                let last = last_use.entry(used).or_default();
                *last = end.max(user_at).max(*last);
            }
        }
        let mut changes = vec![0i64; instructions.len() + 1];
        let long: FxHashSet<Value<'c>> = self.instructions().into_iter().collect();
        for (value, last) in last_use.into_iter().filter(|(value, _)| long.contains(value)) {
            let bytes = i64::from(self.width) * module.size_of(value.ty()) as i64;
            changes[at[&value]] += bytes;
            changes[last] -= bytes;
        }
        let sums = changes.iter().scan(0, |live, change| {
            *live += change;
            Some(*live)
        });
        sums.max().unwrap_or(0).try_into().unwrap_or(u32::MAX)
    }
}
