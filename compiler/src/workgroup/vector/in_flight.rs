// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Several vectors in flight: for kernels that compute for long and wait for their own results, code for more items than a register has
//! lanes. LLVM makes several operations of each, which do not wait for each other.
//!
//! A kernel whose numbers in memory are bytes or shorts has as many vectors as fill a register with them. Its vectors are as long as
//! those of other kernels, and LLVM would use a quarter or half of each register.
//!
//! A search (a loop that loads from where its last load sent it) waits most of all, where the CPU gathers.
//!
//! Items of a kernel with barriers that go through memory side by side, as for a reduction, wait for memory: each vector reads one or
//! two cache lines of a row, and then of another row. With four vectors more lines are on their way, which follow each other.
//!
//! A short kernel with barriers takes as long to come and go as to compute. With AVX2, whose registers are half a cache line, it has two
//! as well, and loads of as many more sub-groups are on their way.

use llvm_sys::LLVMOpcode as L;
use rustc_hash::FxHashSet;

use super::calls::{is_cheap, is_hint, is_pure};
use super::cfg::{Cfg, Node};
use super::divergence::{Ids, VectorShape, VectorShapes};
use super::memory::is_local;
use crate::intrinsics::{GroupCollective, WorkItemIntrinsic};
use crate::llvm::{Function, Kind, Module, Type, Value};
use crate::target::Vectors;
use crate::workgroup::convergence::collective;

/// The most vectors.
const MOST: u32 = 4;
/// The most instructions of a loop that differ between items. Longer ones have enough to do, and more items are in it for as long as
/// the slowest.
const LONGEST_LOOP: usize = 48;
/// How many values of a mathematical function are there at a time.
const FUNCTION_VALUES: u32 = 8;
/// How much a kernel without loops has to compute for each access to memory.
const INTENSE: usize = 16;

/// How many instructions that differ between items a kernel with barriers may have to be a short one.
const SHORT: usize = 64;

/// The most instructions that differ between items of a kernel that fills registers with narrow numbers. It is there twice.
const LONGEST_NARROW: usize = 128;

/// How many vectors of so many `lanes` a kernel had better run at a time. If it `waits` at barriers, only searches are worth it, loops
/// that go through memory, and what is short.
pub fn count(module: &Module<'_>, kernel: Function<'_>, lanes: u32, waits: bool) -> Result<u32, String> {
    let vectors = Vectors::of_host();
    if waits && vectors.masked_bytes.is_none() {
        return Ok(1);
    }
    let cfg = Cfg::new(kernel)?;
    let shapes = VectorShapes::new(module, &cfg, lanes, Ids::InRow);
    let code = Code {
        module,
        cfg: &cfg,
        shapes: &shapes,
        hopes: VectorShapes::new(module, &cfg, lanes, Ids::Hoped),
        lanes,
    };
    let narrow = match waits {
        true => 1,
        false => code.filling().unwrap_or(1),
    };
    Ok(narrow.max(waiting_for_itself(&code, waits)))
}

/// The same for all reasons but narrow numbers.
fn waiting_for_itself(code: &Code<'_, '_>, waits: bool) -> u32 {
    let vectors = Vectors::of_host();
    let Code { cfg, shapes, lanes, .. } = *code;
    let instructions = || cfg.blocks.iter().flat_map(|block| block.instructions());
    if waits && let Some(count) = code.vectors_of_streams() {
        return count;
    }
    if waits && !vectors.fills_cache_line() {
        let varies = |inst: &Value<'_>| shapes.of(*inst) == VectorShape::Varying;
        let is_short = instructions().filter(varies).count() <= SHORT;
        return if is_short && instructions().all(may_be_doubled) {
            2
        } else {
            1
        };
    }
    let mut searches: Vec<usize> = (0..cfg.loops.len()).collect();
    searches.retain(|&number| code.is_search(number));
    let has_search = !searches.is_empty();
    if waits && !has_search {
        return 1;
    }
    if !instructions().all(|inst| code.is_possible(inst) || has_search && code.is_possible_beside(inst, &searches)) {
        return 1;
    }
    if cfg.loops.is_empty() {
        let (work, accesses) = instructions().fold((0, 0), |(work, accesses), inst| match code.varies(inst) {
            _ if is_access(inst) => (work, accesses + 1),
            true => (work + cost(inst), accesses),
            false => (work, accesses),
        });
        // Mathematical functions have many values at a time.
        let is_number = |inst: &Value<'_>| code.varies(*inst) && inst.ty().scalar().is_float();
        let widest = instructions()
            .filter(is_number)
            .map(|inst| Vectors::of_host().registers_of(inst.ty(), lanes))
            .max();
        let fits = 2 * FUNCTION_VALUES * widest.unwrap_or(0) <= Vectors::of_host().registers;
        return if work >= INTENSE * accesses && fits { 2 } else { 1 };
    }
    let loops = if has_search {
        searches
    } else {
        (0..cfg.loops.len()).collect()
    };
    // Rows of groups have to fill them, and gathers of more vectors do not wait less.
    let most = if waits { 2 } else { MOST };
    code.fitting(most, loops, !has_search).unwrap_or(1)
}

/// Whether a loop in this part of a kernel goes through memory, with items side by side. `shapes` are those of so many `lanes`.
pub fn goes_through_memory<'c>(
    module: &Module<'c>,
    cfg: &Cfg<'c>,
    shapes: &VectorShapes<'c>,
    lanes: u32,
    nodes: &[Node],
) -> bool {
    let code = Code {
        module,
        cfg,
        shapes,
        hopes: VectorShapes::new(module, cfg, lanes, Ids::Hoped),
        lanes,
    };
    let vectors = Vectors::of_host();
    // The last items of a loop have masks. Without an instruction for those, each item of the group would have a branch.
    let has_masks = |inst: &Value<'c>| {
        let ty = match inst.opcode() {
            Some(L::LLVMLoad) => inst.ty(),
            Some(L::LLVMStore) => inst.operand(0).ty(),
            _ => return true,
        };
        vectors.has_masked_access(ty.scalar())
    };
    let mut instructions = nodes.iter().flat_map(|&node| cfg.blocks[node].instructions());
    if vectors.masked_bytes.is_none() || !instructions.all(|inst| has_masks(&inst)) {
        return false;
    }
    // Longer ones have enough to do, and take long to compile.
    let is_short = |number| {
        let instructions = code.instructions(number);
        instructions.iter().filter(|inst| code.varies(**inst)).count() <= LONGEST_LOOP
    };
    let is_inside = |number: &usize| nodes.contains(&cfg.loops[*number].header);
    let mut inside = (0..cfg.loops.len()).filter(is_inside);
    inside.any(|number| code.is_stream(number) && is_short(number))
}

/// Whether an instruction of a short kernel is neither a private variable nor an atomic or volatile access.
fn may_be_doubled(inst: Value<'_>) -> bool {
    match inst.opcode() {
        Some(L::LLVMAlloca | L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg) => false,
        Some(L::LLVMLoad | L::LLVMStore) => !inst.is_volatile() && !inst.is_atomic(),
        _ => true,
    }
}

struct Code<'a, 'c> {
    module: &'a Module<'c>,
    cfg: &'a Cfg<'c>,
    shapes: &'a VectorShapes<'c>,
    /// The shapes of addresses if no index wraps.
    hopes: VectorShapes<'c>,
    lanes: u32,
}

impl<'c> Code<'_, 'c> {
    fn varies(&self, value: Value<'c>) -> bool {
        self.shapes.of(value) == VectorShape::Varying
    }

    /// How many vectors a kernel with barriers had better run, if it has loops that go through memory; `None` if it has none, has
    /// something that keeps it from that, or keeps too much in registers.
    fn vectors_of_streams(&self) -> Option<u32> {
        let mut streams: Vec<usize> = (0..self.cfg.loops.len()).collect();
        streams.retain(|&number| self.is_stream(number));
        let is_in_loop = |inst: Value<'c>| {
            let node = self.cfg.number.get(&inst.block());
            node.is_some_and(|&node| self.cfg.loop_of[node].is_some())
        };
        let is_possible = |inst: Value<'c>| match inst.opcode() {
            Some(L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg) => true,
            Some(L::LLVMLoad | L::LLVMStore) => !is_in_loop(inst) || self.is_possible(inst),
            _ => self.is_possible(inst) || self.is_possible_beside(inst, &streams),
        };
        let mut instructions = self.cfg.blocks.iter().flat_map(|block| block.instructions());
        if streams.is_empty() || !instructions.all(is_possible) {
            return None;
        }
        // What others keep in registers would not fit into them either.
        let inner = (0..self.cfg.loops.len()).filter(|&number| !self.has_inner(number));
        self.fitting(MOST, inner, false)
    }

    /// As many vectors, four or two, as registers have room for in all of these loops.
    fn fitting(&self, most: u32, loops: impl IntoIterator<Item = usize>, compute_only: bool) -> Option<u32> {
        let needs = loops
            .into_iter()
            .map(|number| self.registers(number, self.lanes, compute_only));
        let needs = needs.collect::<Option<Vec<u32>>>()?.into_iter().max()?;
        [MOST, 2]
            .into_iter()
            .find(|&count| count <= most && count * needs <= Vectors::of_host().registers)
    }

    fn has_inner(&self, number: usize) -> bool {
        self.cfg.loops.iter().any(|inner| inner.parent == Some(number))
    }

    /// Whether a loop without others in it loads what lies side by side for the items, of memory that is not the group's own.
    fn is_stream(&self, number: usize) -> bool {
        if self.has_inner(number) {
            return false;
        }
        let instructions = self.instructions(number);
        let is_loaded =
            |inst: &Value<'c>| inst.opcode() == Some(L::LLVMLoad) && self.varies(*inst) && !is_local(inst.operand(0));
        instructions.iter().any(is_loaded) && instructions.iter().all(|inst| self.is_possible(*inst))
    }

    /// Whether all of an instruction is one of vectors, and no gather or scatter.
    fn is_possible(&self, inst: Value<'c>) -> bool {
        let is_consecutive = |address, size| match self.hopes.of(address) {
            VectorShape::Uniform => true,
            VectorShape::Affine { stride, .. } => stride == size as i64,
            VectorShape::Varying => false,
        };
        match inst.opcode() {
            Some(L::LLVMAlloca | L::LLVMAtomicRMW | L::LLVMAtomicCmpXchg | L::LLVMFence) => false,
            Some(L::LLVMLoad) => {
                !inst.is_volatile()
                    && !inst.is_atomic()
                    && is_consecutive(inst.operand(0), self.module.size_of(inst.ty()))
            }
            Some(L::LLVMStore) => {
                let size = self.module.size_of(inst.operand(0).ty());
                !inst.is_volatile() && !inst.is_atomic() && is_consecutive(inst.operand(1), size)
            }
            Some(L::LLVMUDiv | L::LLVMSDiv | L::LLVMURem | L::LLVMSRem) => !self.varies(inst),
            Some(L::LLVMCall) => inst.callee().is_some_and(|callee| {
                let name = callee.name();
                is_hint(&name) || WorkItemIntrinsic::from_name(&name).is_some() || is_pure(callee)
            }),
            _ => true,
        }
    }

    /// Whether an instruction that is no reason for several vectors may be beside searches.
    fn is_possible_beside(&self, inst: Value<'c>, searches: &[usize]) -> bool {
        let is_in_search = |node: &usize| searches.iter().any(|&l| self.cfg.loops[l].blocks.contains(node));
        match inst.opcode() {
            Some(L::LLVMUDiv | L::LLVMSDiv | L::LLVMURem | L::LLVMSRem) => {
                !self.cfg.number.get(&inst.block()).is_some_and(is_in_search)
            }
            Some(L::LLVMFence) => true,
            Some(L::LLVMCall) => collective(&inst) == Some(GroupCollective::Barrier),
            _ => self.is_gathered(inst),
        }
    }

    /// Whether an instruction is a load or store of each item by itself, for which the CPU has an instruction.
    fn is_gathered(&self, inst: Value<'c>) -> bool {
        let ty = match inst.opcode() {
            Some(L::LLVMLoad) => inst.ty(),
            Some(L::LLVMStore) => inst.operand(0).ty(),
            _ => return false,
        };
        let is_plain = !inst.is_volatile() && !inst.is_atomic() && ty.lanes().is_none();
        is_plain && Vectors::of_host().gathers_and_scatters(self.module.size_of(ty))
    }

    /// The instructions of a loop, in the order of the program, in which the blocks of the control flow graph are.
    fn instructions(&self, number: usize) -> Vec<Value<'c>> {
        let nodes = self.cfg.loops[number].in_order();
        let all = nodes.iter().flat_map(|&node| self.cfg.blocks[node].instructions());
        all.collect()
    }

    /// Whether a loop without others in it gathers, and the place hangs on what it gathered the round before.
    fn is_search(&self, number: usize) -> bool {
        if self.has_inner(number) {
            return false;
        }
        let instructions = self.instructions(number);
        let inside: FxHashSet<Value<'c>> = instructions.iter().copied().collect();
        let hangs_on_itself = |load: Value<'c>| {
            let mut seen: FxHashSet<Value<'c>> = FxHashSet::default();
            let mut todo = vec![load];
            while let Some(value) = todo.pop() {
                for operand in value.operands().into_iter().filter(|operand| inside.contains(operand)) {
                    if operand == load {
                        return true;
                    }
                    if seen.insert(operand) {
                        todo.push(operand);
                    }
                }
            }
            false
        };
        let is_gather =
            |inst: &Value<'c>| inst.opcode() == Some(L::LLVMLoad) && self.varies(*inst) && self.is_gathered(*inst);
        instructions
            .iter()
            .any(|inst| is_gather(inst) && hangs_on_itself(*inst))
    }

    /// How many vectors fill a register, if all that items load and store lies side by side and is narrower than what fills one with
    /// `lanes`; fewer if registers have no room for the values of so many items.
    fn filling(&self) -> Option<u32> {
        let vectors = Vectors::of_host();
        let all: Vec<(Node, Value<'c>)> = (0..self.cfg.blocks.len())
            .flat_map(|node| {
                self.cfg.blocks[node]
                    .instructions()
                    .into_iter()
                    .map(move |inst| (node, inst))
            })
            .collect();
        let accessed = |inst: Value<'c>| match inst.opcode() {
            Some(L::LLVMLoad) if self.varies(inst) => Some(inst.ty()),
            Some(L::LLVMStore) if self.hopes.of(inst.operand(1)) != VectorShape::Uniform => Some(inst.operand(0).ty()),
            _ => None,
        };
        let is_number = |ty: Type<'c>| matches!(ty.kind(), Kind::Int(8..) | Kind::Float(_));
        let types: Vec<_> = all.iter().filter_map(|&(_, inst)| accessed(inst)).collect();
        let widest = types.iter().map(|ty| ty.bits()).max()?;
        let most = (vectors.register_bits / (self.lanes * widest)).min(MOST);
        // Without an instruction for it, each item has a branch for an access under a mask. Guards have a copy without masks.
        let is_unmasked = |node: Node, ty: Type<'c>| {
            let is_of_all = |node: &Node| !self.shapes.predicated.contains(node);
            let is_guarded = matches!(self.cfg.predecessors[node].as_slice(), [from] if is_of_all(from));
            is_of_all(&node) || is_guarded || vectors.has_masked_access(ty)
        };
        let is_possible = |&(node, inst): &(Node, Value<'c>)| {
            self.is_possible(inst)
                && (cost(inst) < FUNCTION || !self.varies(inst))
                && accessed(inst).is_none_or(|ty| is_number(ty) && is_unmasked(node, ty))
        };
        let is_short = all.iter().filter(|(_, inst)| self.varies(*inst)).count() <= LONGEST_NARROW;
        if most < 2 || !is_short || !all.iter().all(is_possible) {
            return None;
        }
        let instructions: Vec<_> = all.into_iter().map(|(_, inst)| inst).collect();
        let inner = (0..self.cfg.loops.len()).filter(|&number| !self.has_inner(number));
        let inner: Vec<usize> = inner.collect();
        [MOST, 2].into_iter().find(|&count| {
            let lanes = self.lanes * count;
            let has_room = |needs: u32| needs <= vectors.registers;
            let mut loops = inner.iter().map(|&number| self.registers(number, lanes, false));
            count <= most
                && has_room(self.most_live(&instructions, FxHashSet::default(), lanes))
                && loops.all(|needs| needs.is_some_and(has_room))
        })
    }

    /// How many registers the values of a loop for so many `lanes` take that differ between items, where it has most of them; `None` if it is long, or
    /// loads something though it is to compute only.
    fn registers(&self, number: usize, lanes: u32, computes_only: bool) -> Option<u32> {
        let of_loop = &self.cfg.loops[number];
        let instructions = self.instructions(number);
        let inside: FxHashSet<Value<'c>> = instructions.iter().copied().collect();
        let loads = instructions.iter().any(|inst| is_access(*inst) && self.varies(*inst));
        if loads && computes_only || instructions.iter().filter(|inst| self.varies(**inst)).count() > LONGEST_LOOP {
            return None;
        }
        // What lives from round to round, and what comes from before the loop.
        let mut live: FxHashSet<Value<'c>> = FxHashSet::default();
        for inst in &instructions {
            let is_phi = inst.opcode() == Some(L::LLVMPHI);
            let operands = inst.operands().into_iter().filter(|operand| self.is_counted(operand));
            live.extend(operands.filter(|operand| !inside.contains(operand) && !is_phi));
            if is_phi && self.is_counted(inst) && self.cfg.number.get(&inst.block()) == Some(&of_loop.header) {
                live.insert(*inst);
            }
        }
        Some(self.most_live(&instructions, live, lanes))
    }

    /// Whether a value takes registers for the lanes.
    fn is_counted(&self, value: &Value<'c>) -> bool {
        self.varies(*value) && value.ty().scalar().kind() != Kind::Int(1)
    }

    /// How many registers instructions in the order of the program take at most, if these values are live behind them.
    fn most_live(&self, instructions: &[Value<'c>], mut live: FxHashSet<Value<'c>>, lanes: u32) -> u32 {
        let inside: FxHashSet<Value<'c>> = instructions.iter().copied().collect();
        let size = |live: &FxHashSet<Value<'c>>| {
            live.iter()
                .map(|v| Vectors::of_host().registers_of(v.ty(), lanes))
                .sum::<u32>()
        };
        let mut most = size(&live);
        // Backwards: a value is there from where it is made to its last use.
        for inst in instructions
            .iter()
            .rev()
            .filter(|inst| inst.opcode() != Some(L::LLVMPHI))
        {
            if inside.contains(inst) {
                live.remove(inst);
            }
            live.extend(inst.operands().into_iter().filter(|operand| self.is_counted(operand)));
            most = most.max(size(&live));
        }
        most
    }
}

fn is_access(inst: Value<'_>) -> bool {
    matches!(inst.opcode(), Some(L::LLVMLoad | L::LLVMStore))
}

/// How long a mathematical function takes, by that of an addition.
const FUNCTION: usize = 20;

/// How long an instruction takes, likewise.
fn cost(inst: Value<'_>) -> usize {
    const DIVISION: usize = 4;
    match inst.opcode() {
        Some(L::LLVMFDiv | L::LLVMFRem) => DIVISION,
        Some(L::LLVMCall) => match inst.callee().map(|callee| callee.name()) {
            Some(name) if name.starts_with("llvm.sqrt") => DIVISION,
            Some(name) if is_cheap(&name) || name.starts_with("llvm.") => 1,
            _ => FUNCTION,
        },
        _ => 1,
    }
}
