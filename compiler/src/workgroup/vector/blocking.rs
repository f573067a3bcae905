// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Register blocking: code for several rows of a group at a time, so that what the rows have in common is loaded once.
//!
//! In a product of matrices, all items of a column read the same elements of the second matrix. One row at a time loads them again
//! for each row, and adds to one sum, whose latency it waits for. A block of rows loads them once, and has a sum for each row
//! in a register.
//!
//! The scalar kernel gets a copy of each instruction whose result depends on the row, for each row of the block, before it is
//! vectorized. That needs control flow that is the same in all rows. The order of what items do changes, but not beyond what
//! they may rely on: each does what it does in its own order, and all meet at the same barriers.

use std::ffi::CStr;

use llvm_sys::LLVMOpcode as L;
use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::{is_cheap, is_hint, is_pure};
use super::cfg::Cfg;
use super::divergence::{Ids, VectorShape, VectorShapes};
use super::private::offsets;
use crate::intrinsics::{GROUP_SCOPE, GroupCollective, WorkItemIntrinsic};
use crate::llvm::{Block, Builder, Function, Module, Value};
use crate::target::Vectors;
use crate::workgroup::convergence::collective;

/// The mark of an id that is computed from that of the first row's item. It is as small as any id.
pub const ID: &CStr = c"oxur.id";

/// The dimension of rows.
const ROW: u64 = 1;
/// The most rows of a block if the size of groups is not known, and if it is. Groups are often of 8 or 16 rows.
const ROWS: u32 = 8;
const MOST_ROWS: u32 = 16;
/// The most instructions that are copied.
const LONGEST: usize = 128;

/// The rows of a block, and the instructions that differ between them.
pub struct Blocking<'c> {
    /// How many.
    pub rows: u32,
    own: FxHashSet<Value<'c>>,
    /// The kernel's blocks. Each is behind those that dominate it, so that steps are known where they are needed.
    blocks: Vec<Block<'c>>,
}

impl<'c> Blocking<'c> {
    /// How a kernel is divided into blocks of rows, if that is possible and makes it faster. `required` is the size of groups, if
    /// the kernel says it.
    pub fn of(module: &Module<'c>, kernel: Function<'c>, lanes: u32, required: Option<[u32; 3]>) -> Option<Self> {
        let most = match required {
            // The largest power of two that divides it.
            Some([_, rows, _]) => (1 << rows.trailing_zeros().min(31)).min(MOST_ROWS),
            None => ROWS,
        };
        let seeds = seeds(kernel).filter(|seeds| !seeds.is_empty() && most > 1)?;
        let own = dependents(seeds);
        let cfg = Cfg::new(kernel).ok()?;
        let instructions = || cfg.blocks.iter().flat_map(|block| block.instructions());
        if cfg.loops.is_empty() || own.len() > LONGEST || !instructions().all(|inst| is_possible(inst, &own)) {
            return None;
        }
        let shapes = VectorShapes::new(module, &cfg, lanes, Ids::InRow);
        let loops = (0..cfg.loops.len()).filter(|&l| !cfg.loops.iter().any(|inner| inner.parent == Some(l)));
        let needs: Vec<Needs> = loops
            .filter_map(|l| Needs::of(module, &cfg, l, &shapes, &own, lanes))
            .collect();
        let count = Vectors::of_host().registers;
        let fits = |rows: &u32| needs.iter().any(|needs| needs.registers(*rows) <= count);
        let rows = (1..=most.ilog2()).rev().map(|log| 1 << log).find(fits)?;
        let blocks = cfg.blocks;
        Some(Self { rows, own, blocks })
    }

    /// Puts the other rows of the block into the kernel, which was that of the first.
    pub fn apply(self, module: &Module<'c>) {
        let mut rows = Rows {
            module,
            b: Builder::new(module.context()),
            rows: self.rows,
            copies: FxHashMap::default(),
            order: Vec::new(),
            steps: FxHashMap::default(),
        };
        for block in self.blocks {
            let instructions = block.instructions();
            for (at, &inst) in instructions.iter().enumerate() {
                if self.own.contains(&inst) {
                    rows.b.go_before(instructions[at + 1]);
                    rows.copy(inst);
                }
            }
        }
        rows.connect();
    }
}

/// The rows of a block while they are made.
struct Rows<'m, 'c> {
    module: &'m Module<'c>,
    b: Builder<'c>,
    rows: u32,
    /// The values of the other rows.
    copies: FxHashMap<Value<'c>, Vec<Value<'c>>>,
    /// Of which values there are copies, in the order in which they were made: the same code each time.
    order: Vec<Value<'c>>,
    /// How much more a value is in the next row, in bytes if it is an address, where that is the same for all rows. The values of
    /// other rows are computed from that of the first: so LLVM sees that addresses are some constant apart, and needs few registers
    /// for them.
    steps: FxHashMap<Value<'c>, Value<'c>>,
}

impl<'c> Rows<'_, 'c> {
    /// Makes the values of the other rows.
    fn copy(&mut self, inst: Value<'c>) {
        let step = self.step(inst);
        if step.is_some() && id_of_row(inst).is_none() {
            // What the flags promise of the first row, another need not rely on: its branch may have become a `select`.
            inst.drop_poison_generating_annotations();
        }
        let mut all: Vec<Value<'c>> = Vec::new();
        for row in 1..self.rows {
            let last = all.last().copied().unwrap_or(inst);
            let Some(step) = step else {
                all.push(self.b.insert(inst.clone_instruction()));
                continue;
            };
            let (base, step) = match step.is_const() {
                true => (inst, self.b.mul(step, step.ty().int(row.into()))),
                false => (last, step),
            };
            all.push(match (inst.ty().is_ptr(), id_of_row(inst)) {
                (true, _) => self.b.offset(base, step),
                (false, Some(_)) => self.b.add(base, step).mark(ID),
                (false, None) => self.b.add(base, step),
            });
        }
        self.steps.extend(step.map(|step| (inst, step)));
        self.copies.insert(inst, all);
        self.order.push(inst);
    }

    /// Has copies refer to what their rows have.
    fn connect(&self) {
        for inst in self.order.iter().filter(|inst| !self.steps.contains_key(inst)) {
            let copies = &self.copies[inst];
            for (i, operand) in inst.operands().into_iter().enumerate() {
                let Some(operands) = self.copies.get(&operand) else {
                    continue;
                };
                for (copy, &operand) in copies.iter().zip(operands) {
                    copy.set_operand(i as u32, operand);
                }
            }
        }
    }

    /// The step of a value from row to row, if there is one.
    fn step(&self, inst: Value<'c>) -> Option<Value<'c>> {
        match id_of_row(inst) {
            Some(Step::One) => return Some(inst.ty().int(1)),
            Some(Step::Row) => {
                let size = WorkItemIntrinsic::LocalSize.declare(self.module);
                return Some(
                    self.b
                        .call(size, &[inst.operand(0), self.module.context().int(32).zero()]),
                );
            }
            None => {}
        }
        let is_scalar = inst.ty().lanes().is_none() && (inst.ty().is_int() || inst.ty().is_ptr());
        if !is_scalar || inst.opcode() == Some(L::LLVMPHI) {
            return None;
        }
        let is_own = |value: &Value<'c>| self.copies.contains_key(value);
        let of = |value: Value<'c>| match is_own(&value) {
            true => self.steps.get(&value).copied(),
            false => Some(value.ty().zero()),
        };
        let operands = inst.operands();
        match inst.opcode()? {
            L::LLVMAdd => Some(self.b.add(of(operands[0])?, of(operands[1])?)),
            L::LLVMSub => Some(self.b.sub(of(operands[0])?, of(operands[1])?)),
            L::LLVMMul => match (is_own(&operands[0]), is_own(&operands[1])) {
                (true, false) => Some(self.b.mul(of(operands[0])?, operands[1])),
                (false, true) => Some(self.b.mul(operands[0], of(operands[1])?)),
                _ => None,
            },
            L::LLVMShl if !is_own(&operands[1]) => Some(self.b.shl(of(operands[0])?, operands[1])),
            L::LLVMGetElementPtr => {
                let wide = self.module.context().int(64);
                let mut step = match is_own(&operands[0]) {
                    true => self.steps.get(&operands[0]).copied()?,
                    false => wide.zero(),
                };
                for (index, size) in offsets(self.module, inst) {
                    let Some(index) = index.filter(is_own) else { continue };
                    if index.ty() != wide {
                        return None;
                    }
                    step = self.b.add(step, self.b.mul(of(index)?, wide.int(size)));
                }
                Some(step)
            }
            _ => None,
        }
    }
}

/// Removes the barriers of a kernel whose items all run side by side, and the fences beside them that are for the group only.
pub fn remove_barriers(kernel: Function<'_>) {
    let instructions = kernel.blocks().into_iter().flat_map(|block| block.instructions());
    let is_barrier =
        |inst: &Value<'_>| collective(inst) == Some(GroupCollective::Barrier) || inst.is_fence_of(GROUP_SCOPE);
    instructions.filter(is_barrier).for_each(Value::erase);
}

/// How an id goes up from row to row.
enum Step {
    One,
    /// By the length of a row.
    Row,
}

/// The step of an id that differs between rows.
fn id_of_row(inst: Value<'_>) -> Option<Step> {
    match WorkItemIntrinsic::from_name(&inst.callee()?.name())? {
        WorkItemIntrinsic::LocalLinearId => Some(Step::Row),
        WorkItemIntrinsic::LocalId | WorkItemIntrinsic::GlobalId => {
            (inst.operand(1).as_const_int() == Some(ROW)).then_some(Step::One)
        }
        _ => None,
    }
}

/// The ids of a kernel that differ between rows; `None` if it asks for one whose dimension is computed.
fn seeds(kernel: Function<'_>) -> Option<Vec<Value<'_>>> {
    let instructions = kernel.blocks().into_iter().flat_map(|block| block.instructions());
    let mut seeds = Vec::new();
    for inst in instructions {
        let called = inst
            .callee()
            .and_then(|callee| WorkItemIntrinsic::from_name(&callee.name()));
        let is_id = matches!(called, Some(WorkItemIntrinsic::LocalId | WorkItemIntrinsic::GlobalId));
        if is_id && inst.operand(1).as_const_int().is_none() {
            return None;
        }
        seeds.extend(id_of_row(inst).map(|_| inst));
    }
    Some(seeds)
}

/// All instructions that depend on these, and these.
fn dependents<'c>(mut todo: Vec<Value<'c>>) -> FxHashSet<Value<'c>> {
    let mut all: FxHashSet<Value<'c>> = todo.iter().copied().collect();
    while let Some(value) = todo.pop() {
        for user in value.users() {
            if all.insert(user) {
                todo.push(user);
            }
        }
    }
    all
}

/// Whether the rows of a block can share an instruction, or have a copy of it each.
fn is_possible<'c>(inst: Value<'c>, own: &FxHashSet<Value<'c>>) -> bool {
    let is_own = own.contains(&inst);
    match inst.opcode() {
        Some(L::LLVMBr | L::LLVMSwitch) => !is_own,
        // Each item has variables of its own.
        Some(L::LLVMAlloca | L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg) => false,
        Some(L::LLVMLoad | L::LLVMStore) => !inst.is_volatile() && !inst.is_atomic(),
        Some(L::LLVMCall) => inst.callee().is_some_and(|callee| {
            let name = callee.name();
            let is_query = WorkItemIntrinsic::from_name(&name).is_some();
            let is_barrier = collective(&inst) == Some(GroupCollective::Barrier);
            // Functions take most of the registers.
            is_query || is_barrier || is_hint(&name) || if is_own { is_cheap(&name) } else { is_pure(callee) }
        }),
        _ => true,
    }
}

/// The registers that a loop needs.
struct Needs {
    /// For what lives from round to round, or comes from before the loop, for each row.
    row: u32,
    /// For what all rows share.
    shared: u32,
}

impl Needs {
    /// Those of a loop that is faster in blocks: all rows load something that they share, and add it up.
    fn of<'c>(
        module: &Module<'c>,
        cfg: &Cfg<'c>,
        number: usize,
        shapes: &VectorShapes<'c>,
        own: &FxHashSet<Value<'c>>,
        lanes: u32,
    ) -> Option<Self> {
        let of_loop = &cfg.loops[number];
        let size = |value: Value<'c>| Vectors::of_host().registers_of(value.ty(), lanes);
        let (mut needs, mut sums) = (Self { row: 0, shared: 0 }, 0);
        let mut seen = FxHashSet::default();
        for &node in &of_loop.blocks {
            for inst in cfg.blocks[node].instructions() {
                let is_own = own.contains(&inst);
                let varies = shapes.of(inst) == VectorShape::Varying;
                match inst.opcode() {
                    Some(L::LLVMStore) => return None,
                    Some(L::LLVMLoad) if is_own && shapes.of(inst.operand(0)) == VectorShape::Varying => return None,
                    Some(L::LLVMLoad) if !is_own && varies => {
                        let VectorShape::Affine { stride, .. } = shapes.of(inst.operand(0)) else {
                            return None;
                        };
                        if stride == module.size_of(inst.ty()) as i64 {
                            needs.shared += size(inst);
                        }
                    }
                    Some(L::LLVMPHI) if is_own && varies && node == of_loop.header => {
                        sums += 1;
                        needs.row += size(inst);
                    }
                    _ => {}
                }
                for operand in inst.operands() {
                    let is_outside = || {
                        let from = operand.opcode().and_then(|_| cfg.number.get(&operand.block()));
                        from.is_some_and(|from| !of_loop.blocks.contains(from))
                    };
                    let is_phi = inst.opcode() == Some(L::LLVMPHI);
                    if !is_phi && shapes.of(operand) == VectorShape::Varying && is_outside() && seen.insert(operand) {
                        match own.contains(&operand) {
                            true => needs.row += size(operand),
                            false => needs.shared += size(operand),
                        }
                    }
                }
            }
        }
        (needs.shared > 0 && sums > 0).then_some(needs)
    }

    /// For blocks of so many rows. Two are for intermediate results.
    fn registers(&self, rows: u32) -> u32 {
        rows * self.row + self.shared + 2
    }
}
