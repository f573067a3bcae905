// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Divergence analysis: which values are uniform, affine or varying, and where control flow diverges.

use std::collections::BTreeSet;

use llvm_sys::LLVMOpcode as L;
use rustc_hash::{FxHashMap, FxHashSet};

use super::blocking;
use super::cfg::{Cfg, Node};
use super::private::Private;
use crate::intrinsics::{GroupCollective, GroupReduction, WorkItemIntrinsic};
use crate::llvm::{Kind, Module, Type, Value};

/// How a value differs between lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorShape {
    /// The same in all lanes.
    Uniform,
    /// Lane `l` has what lane 0 has plus `l * stride` (bytes, for a pointer). `exact`: as integers without bounds, too,
    /// not only as numbers that wrap. Both hold between lane 0 and each lane that uses the value. If lane 0 does not use it, its
    /// value is the one for which this holds.
    Affine {
        /// The difference from lane to lane.
        stride: i64,
        /// Whether it does not wrap.
        exact: bool,
    },
    /// Varying: no relation between lanes.
    Varying,
}

use VectorShape::{Affine, Uniform, Varying};

impl VectorShape {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Affine { stride: a, exact: x }, Affine { stride: b, exact: y }) if a == b => Affine {
                stride: a,
                exact: x && y,
            },
            _ => Varying,
        }
    }

    fn stride(self) -> Option<(i64, bool)> {
        match self {
            Uniform => Some((0, true)),
            Affine { stride, exact } => Some((stride, exact)),
            Varying => None,
        }
    }

    fn of(stride: i64, exact: bool) -> Self {
        if stride == 0 { Uniform } else { Affine { stride, exact } }
    }
}

/// What is known of the ids of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// The lanes are in one row of the group: their ids of dimension 0 are consecutive, the others are the same.
    InRow,
    /// The lanes are consecutive items of the group, in any rows of it.
    AcrossRows,
    /// As in a row, and no unsigned index wraps. This is not known, so code must check it.
    Hoped,
    /// As across rows, and no unsigned index wraps.
    HopedAcrossRows,
}

impl Ids {
    /// Those of lanes that may be in several rows, or are in one.
    pub fn of(spans_rows: bool) -> Self {
        if spans_rows { Self::AcrossRows } else { Self::InRow }
    }

    /// What is hoped of lanes that are known to be in several rows, or are hoped to be in one.
    pub fn hoped(spans_rows: bool) -> Self {
        if spans_rows { Self::HopedAcrossRows } else { Self::Hoped }
    }

    fn is_hoped(self) -> bool {
        [Self::Hoped, Self::HopedAcrossRows].contains(&self)
    }

    fn is_across_rows(self) -> bool {
        [Self::AcrossRows, Self::HopedAcrossRows].contains(&self)
    }
}

/// A parameter of a kernel's loop.
#[derive(Clone, Copy)]
pub struct Parameter<'c> {
    /// The loop's parameter.
    pub value: Value<'c>,
    /// The shape of what the kernel passes.
    pub shape: VectorShape,
    /// The same, if no index wraps.
    pub hope: VectorShape,
}

/// The result of the analysis.
pub struct VectorShapes<'c> {
    /// Interleaved variables.
    pub private: Private<'c>,
    /// Whether values of parameters may differ.
    has_parameters: bool,
    values: FxHashMap<Value<'c>, VectorShape>,
    /// Blocks with a divergent branch.
    pub divergent_branches: FxHashSet<Node>,
    /// Blocks that only some of the active lanes may reach, in order: each gets a variable for its mask.
    pub predicated: BTreeSet<Node>,
    /// Loops that lanes leave in different iterations.
    pub divergent_loops: FxHashSet<usize>,
    /// Blocks whose phis diverge because lanes come from different predecessors.
    joins: FxHashSet<Node>,
    lanes: u32,
    ids: Ids,
    /// Whether arrays are hoped to be dense: see [`VectorShapes::of_dense`].
    dense: bool,
}

/// The largest difference over all lanes of a 32-bit index that is assumed not to wrap.
const NEAR: u64 = 1 << 24;

impl<'c> VectorShapes<'c> {
    /// The shapes in a kernel.
    pub fn new(module: &Module<'c>, cfg: &Cfg<'c>, lanes: u32, ids: Ids) -> Self {
        Self::with_parameters(module, cfg, lanes, ids, &[])
    }

    /// The shapes in a function with these parameters.
    pub fn with_parameters(
        module: &Module<'c>,
        cfg: &Cfg<'c>,
        lanes: u32,
        ids: Ids,
        parameters: &[Parameter<'c>],
    ) -> Self {
        Self::find(module, cfg, lanes, ids, parameters, false)
    }

    /// The same, if arrays are dense whose strides are data: a number that the kernel has read from memory, and not from its arguments, is 1
    /// where an index is multiplied by it, and the lanes are in one row of an array of any length. An index is what it is on one of
    /// several ways that all lanes go, if it varies on the others. This is not known, so code must check it.
    pub fn of_dense(module: &Module<'c>, cfg: &Cfg<'c>, lanes: u32, ids: Ids, parameters: &[Parameter<'c>]) -> Self {
        Self::find(module, cfg, lanes, ids, parameters, true)
    }

    /// Visits all instructions until a fixpoint is reached.
    fn find(
        module: &Module<'c>,
        cfg: &Cfg<'c>,
        lanes: u32,
        ids: Ids,
        parameters: &[Parameter<'c>],
        dense: bool,
    ) -> Self {
        let known = parameters.iter().map(|parameter| match ids {
            ids if ids.is_hoped() => (parameter.value, parameter.hope),
            _ => (parameter.value, parameter.shape),
        });
        let mut shapes = Self {
            lanes,
            ids,
            dense,
            private: Private::new(module, cfg),
            has_parameters: !parameters.is_empty(),
            values: known.collect(),
            divergent_branches: FxHashSet::default(),
            predicated: BTreeSet::new(),
            divergent_loops: FxHashSet::default(),
            joins: FxHashSet::default(),
        };
        loop {
            let mut changed = false;
            for (node, block) in cfg.blocks.iter().enumerate() {
                for inst in block.instructions() {
                    changed |= shapes.visit(module, cfg, node, inst);
                }
            }
            if !changed {
                return shapes;
            }
        }
    }

    /// Whether the lanes may be in several rows of the group.
    pub fn are_across_rows(&self) -> bool {
        self.ids.is_across_rows()
    }

    /// The shape of a value.
    pub fn of(&self, value: Value<'c>) -> VectorShape {
        if value.opcode().is_none() && !self.has_parameters {
            return Uniform;
        }
        // A value not visited yet is uniform. The analysis only ever raises a shape.
        self.values.get(&value).copied().unwrap_or(Uniform)
    }

    fn visit(&mut self, module: &Module<'c>, cfg: &Cfg<'c>, node: Node, inst: Value<'c>) -> bool {
        let shape = match inst.opcode() {
            Some(L::LLVMBr | L::LLVMSwitch) => return self.visit_branch(cfg, node, inst),
            Some(L::LLVMPHI) => {
                let all_same = {
                    let incoming = inst.incoming();
                    incoming.iter().all(|i| i.0 == incoming[0].0)
                };
                if self.joins.contains(&node) && (!all_same || self.is_of_other_rounds(cfg, node, inst.incoming()[0].0))
                {
                    Varying
                } else {
                    self.phi(cfg, node, inst)
                }
            }
            _ => self.shape(module, inst),
        };
        let before = self.values.insert(inst, shape);
        before != Some(shape) && !(before.is_none() && shape == Uniform)
    }

    /// Whether a value is defined in a divergent loop and used after it: each lane has the value of its last iteration.
    fn is_of_other_rounds(&self, cfg: &Cfg<'c>, node: Node, value: Value<'c>) -> bool {
        let Some(&from) = value.opcode().and_then(|_| cfg.number.get(&value.block())) else {
            return false;
        };
        let left = |&l: &usize| cfg.loops[l].blocks.contains(&from) && !cfg.loops[l].blocks.contains(&node);
        self.divergent_loops.iter().any(left)
    }

    fn phi(&self, cfg: &Cfg<'c>, node: Node, phi: Value<'c>) -> VectorShape {
        let mut shape: Option<VectorShape> = None;
        let begins_loop = || cfg.predecessors[node].iter().any(|&from| cfg.is_back_edge(from, node));
        let hopes = self.dense && !begins_loop();
        for (value, from) in phi.incoming() {
            if value == phi || !cfg.number.contains_key(&from) {
                continue;
            }
            // The value of a back edge that was not visited yet.
            if value.opcode().is_some() && !self.values.contains_key(&value) {
                continue;
            }
            let own = self.of(value);
            shape = match shape {
                Some(other @ Affine { .. }) if hopes && own == Varying => Some(other),
                Some(Varying) if hopes && own != Uniform => Some(own),
                Some(other) => Some(other.join(own)),
                None => Some(own),
            };
        }
        // Shapes never go down, which ensures termination.
        match (self.values.get(&phi), shape.unwrap_or(Uniform)) {
            (Some(&before), now) => before.join(now).max_of(before, now),
            (None, now) => now,
        }
    }

    fn visit_branch(&mut self, cfg: &Cfg<'c>, node: Node, inst: Value<'c>) -> bool {
        let successors = &cfg.successors[node];
        if successors.len() < 2 {
            return false;
        }
        let varies = self.of(inst.operand(0)) != Uniform;
        let mut changed = false;
        if varies && self.divergent_branches.insert(node) {
            changed = true;
            let influence = cfg.influence(node);
            self.predicated.extend(&influence);
            // Joins of divergent paths. Loop headers are left out: only the lanes that stay in the loop are there.
            let ends = influence.iter().copied().chain(cfg.post_dominator[node]);
            for block in ends {
                let from: Vec<Node> = cfg.predecessors[block]
                    .iter()
                    .copied()
                    .filter(|&p| p == node || influence.contains(&p))
                    .filter(|&p| !cfg.is_back_edge(p, block))
                    .collect();
                if from.len() >= 2 {
                    self.joins.insert(block);
                }
            }
        }
        // An exit of a loop that only some of its lanes take.
        for &to in successors {
            for l in cfg.left_by(node, to) {
                let header = cfg.loops[l].header;
                let partly = varies || self.is_partial_in(cfg, node, header);
                if partly && self.divergent_loops.insert(l) {
                    changed = true;
                    self.predicated.extend(&cfg.loops[l].blocks);
                }
                if self.divergent_loops.contains(&l) {
                    // Lanes leave in different iterations.
                    for exit in cfg.exits(l) {
                        changed |= self.joins.insert(exit);
                    }
                }
            }
        }
        changed
    }

    /// Whether only some active lanes of a loop may reach a block of it, because of a divergent branch in the loop.
    fn is_partial_in(&self, cfg: &Cfg<'c>, node: Node, header: Node) -> bool {
        self.divergent_branches.iter().any(|&branch| {
            let inside = cfg
                .loops
                .iter()
                .any(|l| l.header == header && l.blocks.contains(&branch));
            inside && cfg.influence(branch).contains(&node) && node != header
        })
    }

    fn shape(&self, module: &Module<'c>, inst: Value<'c>) -> VectorShape {
        let operands = inst.operands();
        let all_uniform = || operands.iter().all(|&o| self.of(o) == Uniform);
        let Some(opcode) = inst.opcode() else { return Uniform };
        match opcode {
            L::LLVMAlloca => {
                let size = self.private.element_size(inst);
                VectorShape::of(size.unwrap_or_else(|| variable_size(module, inst)) as i64, true)
            }
            L::LLVMLoad => match self.of(operands[0]) {
                Uniform if !inst.is_volatile() && !inst.is_atomic() => Uniform,
                _ => Varying,
            },
            L::LLVMCall => self.call(inst),
            L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg => Varying,
            _ if all_uniform() => Uniform,
            L::LLVMAdd if inst.is_marked(blocking::ID) => match self.of(operands[0]) {
                Affine { stride, .. } => Affine { stride, exact: true },
                _ => Varying,
            },
            L::LLVMAdd | L::LLVMSub => self.sum(inst, &operands, opcode == L::LLVMSub),
            L::LLVMOr if inst.is_disjoint() => self.sum(inst, &operands, false),
            // `!x` is `-1 - x`.
            L::LLVMXor if operands[1] == inst.ty().ones() => match self.of(operands[0]) {
                Affine { stride, .. } => VectorShape::of(stride.wrapping_neg(), false),
                _ => Varying,
            },
            L::LLVMMul | L::LLVMShl => self.product(&operands, opcode == L::LLVMShl),
            L::LLVMUDiv | L::LLVMSDiv | L::LLVMURem | L::LLVMSRem if self.dense => {
                match (self.of(operands[0]), self.of(operands[1])) {
                    (row @ Affine { .. }, Uniform) if operands[1].as_const_int().is_none() => match opcode {
                        L::LLVMUDiv | L::LLVMSDiv => Uniform,
                        _ => row,
                    },
                    _ => Varying,
                }
            }
            L::LLVMSExt => match self.of(operands[0]) {
                shape @ Affine { exact: true, .. } => shape,
                _ => Varying,
            },
            // No lane that uses the value has the high bit set, so it does not wrap between two such lanes if they are
            // close enough. `Emit::once` handles lane 0, which may have the high bit set.
            L::LLVMZExt if inst.has_nneg() => match self.of(operands[0]) {
                Affine { stride, .. } if self.reach(stride) <= 1 << (operands[0].ty().bits() - 1) => {
                    Affine { stride, exact: true }
                }
                _ => Varying,
            },
            L::LLVMZExt => match self.of(operands[0]) {
                Affine { stride, .. } if self.ids.is_hoped() && operands[0].ty().bits() >= 32 => {
                    Affine { stride, exact: true }
                }
                _ => Varying,
            },
            L::LLVMTrunc => match self.of(operands[0]) {
                Affine { stride, .. } => {
                    let bits = inst.ty().bits();
                    let low = low_bits(stride, bits.min(64));
                    VectorShape::of(low, is_small_id(operands[0]) && bits >= 32)
                }
                _ => Varying,
            },
            L::LLVMAnd | L::LLVMLShr => match zero_extended(inst, self.of(operands[0])) {
                Some((stride, bits)) if self.ids.is_hoped() && bits >= 32 => VectorShape::of(stride, true),
                _ => Varying,
            },
            L::LLVMFreeze | L::LLVMPtrToInt | L::LLVMIntToPtr => match self.of(operands[0]) {
                Affine { stride, .. } if inst.ty().bits() == 64 && operands[0].ty().bits() == 64 => {
                    Affine { stride, exact: false }
                }
                shape @ Affine { .. } if opcode == L::LLVMFreeze => shape,
                _ => Varying,
            },
            L::LLVMGetElementPtr => self.address(module, inst, &operands),
            L::LLVMSelect => match (self.of(operands[0]), self.of(operands[1]).join(self.of(operands[2]))) {
                (Uniform, shape) => shape,
                _ => Varying,
            },
            _ => Varying,
        }
    }

    /// Never exact: `nsw` holds for the lanes that use the value, and lane 0 may not be one of them.
    fn sum(&self, inst: Value<'c>, operands: &[Value<'c>], minus: bool) -> VectorShape {
        let (Some((a, _)), Some((b, _))) = (self.of(operands[0]).stride(), self.of(operands[1]).stride()) else {
            return Varying;
        };
        if !matches!(inst.ty().kind(), Kind::Int(_)) {
            return Varying;
        }
        VectorShape::of(if minus { a.wrapping_sub(b) } else { a.wrapping_add(b) }, false)
    }

    fn product(&self, operands: &[Value<'c>], is_shift: bool) -> VectorShape {
        let (a, b) = (self.of(operands[0]), self.of(operands[1]));
        let scaled = |shape: VectorShape, by: Value<'c>| match (shape, by.as_const_signed()) {
            (Affine { stride, .. }, Some(by)) => {
                let by = match is_shift {
                    true => 1i64.checked_shl(by as u32).unwrap_or(0),
                    false => by,
                };
                VectorShape::of(stride.wrapping_mul(by), false)
            }
            (Affine { stride, .. }, None) if self.dense && !is_shift && is_data(by) => VectorShape::of(stride, false),
            _ => Varying,
        };
        match (a, b) {
            (_, Uniform) => scaled(a, operands[1]),
            (Uniform, _) if !is_shift => scaled(b, operands[0]),
            _ => Varying,
        }
    }

    fn address(&self, module: &Module<'c>, inst: Value<'c>, operands: &[Value<'c>]) -> VectorShape {
        if self.private.element_size(inst).is_some() {
            let same = operands[1..].iter().all(|&index| self.of(index) == Uniform);
            return if same { self.of(operands[0]) } else { Varying };
        }
        let Some((mut stride, _)) = self.of(operands[0]).stride() else {
            return Varying;
        };
        let mut ty = inst.source_element_type();
        for (i, &index) in operands[1..].iter().enumerate() {
            if i > 0 {
                match ty.kind() {
                    Kind::Struct => {
                        let member = index.as_const_int().unwrap_or(0) as usize;
                        ty = ty.members()[member];
                        continue;
                    }
                    _ => ty = ty.scalar(),
                }
            }
            let size = module.size_of(ty) as i64;
            let Some(step) = self.index_stride(index) else {
                return Varying;
            };
            stride = stride.wrapping_add(step.wrapping_mul(size));
        }
        VectorShape::of(stride, false)
    }

    /// The largest difference between two lanes.
    fn reach(&self, stride: i64) -> u64 {
        stride.unsigned_abs().saturating_mul(u64::from(self.lanes) - 1)
    }

    /// The stride of an index into memory. A sign-extended 32-bit index is assumed not to wrap between two lanes: no
    /// object is large enough for that. (A zero-extended one may wrap from -1 to 0, if an inactive lane is involved.)
    fn index_stride(&self, index: Value<'c>) -> Option<i64> {
        let is_near = |stride: i64| self.reach(stride) <= NEAR;
        let extended = |index: Value<'c>| match self.of(index) {
            Affine { stride, exact } => (exact || index.ty().bits() == 32 && is_near(stride)).then_some(stride),
            shape => shape.stride().map(|s| s.0),
        };
        if index.ty().bits() < 64 {
            // A `getelementptr` sign-extends it.
            return extended(index);
        }
        if let Some((stride, _)) = self.of(index).stride() {
            return Some(stride);
        }
        let operands = index.operands();
        let constant = |v: Value<'c>| v.as_const_int().map(|c| c as i64);
        match index.opcode()? {
            L::LLVMSExt => extended(operands[0]),
            L::LLVMAShr => match shifted(index, self.of(operands[0]))? {
                (stride, bits) if bits >= 32 && is_near(stride) => Some(stride),
                _ => None,
            },
            L::LLVMXor if operands[1] == index.ty().ones() => Some(self.index_stride(operands[0])?.wrapping_neg()),
            L::LLVMAdd => Some(
                self.index_stride(operands[0])?
                    .wrapping_add(self.index_stride(operands[1])?),
            ),
            L::LLVMSub => Some(
                self.index_stride(operands[0])?
                    .wrapping_sub(self.index_stride(operands[1])?),
            ),
            L::LLVMMul => Some(self.index_stride(operands[0])?.wrapping_mul(constant(operands[1])?)),
            L::LLVMShl => {
                let by = u32::try_from(constant(operands[1])?).ok()?;
                Some(self.index_stride(operands[0])?.wrapping_mul(1i64.checked_shl(by)?))
            }
            _ => None,
        }
    }

    fn call(&self, inst: Value<'c>) -> VectorShape {
        let Some(callee) = inst.callee() else { return Varying };
        let name = callee.name();
        if let Some(primitive) = WorkItemIntrinsic::from_name(&name) {
            let dimension = inst.operands().get(1).and_then(|d| d.as_const_int());
            return match (primitive, dimension) {
                (WorkItemIntrinsic::LocalId | WorkItemIntrinsic::GlobalId, _) if self.ids.is_across_rows() => Varying,
                (WorkItemIntrinsic::LocalId | WorkItemIntrinsic::GlobalId, Some(0)) => {
                    Affine { stride: 1, exact: true }
                }
                (WorkItemIntrinsic::Lane | WorkItemIntrinsic::LocalLinearId, _) => Affine { stride: 1, exact: true },
                (WorkItemIntrinsic::LocalId | WorkItemIntrinsic::GlobalId, None) => Varying,
                _ => Uniform,
            };
        }
        if let Some(exchange) = GroupCollective::from_name(&name) {
            return match exchange {
                GroupCollective::Ballot
                | GroupCollective::Reduce(_)
                | GroupCollective::Barrier
                | GroupCollective::SubGroupBarrier => Uniform,
                GroupCollective::Shuffle if self.of(inst.operand(3)) == Uniform => Uniform,
                _ => Varying,
            };
        }
        if GroupReduction::from_name(&name).is_some() {
            return Uniform;
        }
        let operands = inst.operands();
        let args = &operands[..operands.len() - 1];
        if super::calls::is_pure(callee) && args.iter().all(|&a| self.of(a) == Uniform) {
            Uniform
        } else {
            Varying
        }
    }
}

impl VectorShape {
    /// The higher of two shapes that were already joined: unequal shapes go up.
    fn max_of(self, before: VectorShape, now: VectorShape) -> VectorShape {
        match (before, now) {
            // A first guess of "uniform" for a value of a loop may be corrected to a stride.
            (Uniform, Affine { .. }) => Varying,
            _ => self,
        }
    }
}

/// The stride behind a shift to the right by a constant, and how many bits the shift leaves. LLVM sign-extends the low 32 bits of a 64-bit
/// number by a shift to the left and one to the right.
fn shifted(shift: Value<'_>, shape: VectorShape) -> Option<(i64, u32)> {
    let Affine { stride, .. } = shape else { return None };
    let by = u32::try_from(shift.operand(1).as_const_int()?).ok()?;
    // If the bits that are shifted out differ between lanes, so do the steps between the results.
    let is_even = shift.ty().bits() == 64 && by < 64 && stride.trailing_zeros() >= by;
    is_even.then_some((stride >> by, 64 - by))
}

/// The low bits of a number, with the sign that they have alone.
pub fn low_bits(number: i64, bits: u32) -> i64 {
    number << (64 - bits) >> (64 - bits)
}

/// How many bits a mask of low bits leaves of a 64-bit number.
pub fn low_mask(and: Value<'_>) -> Option<u32> {
    let mask = and.operand(1).as_const_int()?;
    let bits = mask.trailing_ones();
    let is_low = and.ty().bits() == 64 && (1..64).contains(&bits) && mask == (1 << bits) - 1;
    is_low.then_some(bits)
}

/// The stride of the low bits that a mask or a shift to the right zero-extends, and how many these are.
fn zero_extended(inst: Value<'_>, shape: VectorShape) -> Option<(i64, u32)> {
    if inst.opcode() == Some(L::LLVMLShr) {
        return shifted(inst, shape);
    }
    let Affine { stride, .. } = shape else { return None };
    let bits = low_mask(inst)?;
    Some((low_bits(stride, bits), bits))
}

/// Whether a number was read from memory, and is no argument or member of one.
pub fn is_data(number: Value<'_>) -> bool {
    let is_constant = |address: Value<'_>| {
        address.operands()[1..]
            .iter()
            .all(|index| index.as_const_int().is_some())
    };
    let mut address = match number.opcode() {
        Some(L::LLVMLoad) => number.operand(0),
        Some(L::LLVMSExt | L::LLVMZExt) => return is_data(number.operand(0)),
        _ => return false,
    };
    while address.opcode() == Some(L::LLVMGetElementPtr) && is_constant(address) {
        address = address.operand(0);
    }
    address.opcode().is_some()
}

/// Whether a value is an id or a size, which launches check to fit 31 bits.
pub fn is_small_id(value: Value<'_>) -> bool {
    let is_id = value.opcode() == Some(L::LLVMAdd) && value.is_marked(blocking::ID);
    is_id
        || value.callee().is_some_and(|f| {
            WorkItemIntrinsic::from_name(&f.name()).is_some_and(|intrinsic| intrinsic != WorkItemIntrinsic::LocalMemory)
        })
}

/// The vector type of this many values, or of the elements of this many vectors.
pub fn widened(ty: Type<'_>, lanes: u32) -> Option<Type<'_>> {
    match ty.kind() {
        Kind::Int(_) | Kind::Float(_) | Kind::Pointer => Some(ty.vector(lanes)),
        Kind::Vector(n) => Some(ty.scalar().vector(n.checked_mul(lanes)?)),
        _ => None,
    }
}

/// The distance between the variables of two lanes, which keeps the scalar kernel's alignment.
pub(super) fn variable_size<'c>(module: &Module<'c>, variable: Value<'c>) -> u64 {
    let align = variable.get_align().max(1);
    module.size_of(variable.allocated_type()).next_multiple_of(align.into())
}
