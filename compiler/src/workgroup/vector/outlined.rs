// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Outlined code: in code for a whole group, loops without barriers and what only the first item does are functions of their own.
//!
//! A loop whose vectors are as long as the group would have its values in memory, and would run as often as the slowest item of the
//! group asks for. As a function, it becomes a vector kernel like others, for as many items at a time as registers suit. The kernel
//! calls it for one part of the group after the other. What the first item does alone, such as to write the result of a group, stays as
//! it is.
//!
//! What differs between items and is neither a multiple of their numbers goes in and out through private variables, so that a part of
//! the group has a part of each vector.

use llvm_sys::LLVMIntPredicate as I;
use llvm_sys::LLVMOpcode as L;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Width;
use super::cfg::{Cfg, Node, in_order};
use super::divergence::{Ids, Parameter, VectorShape, VectorShapes};
use super::emit::{self, Emit, Plan, Result};
use super::if_conversion::is_simple;
use super::in_flight;
use super::memory::is_local;
use super::whole_group::{GroupVector, MOST_LIVE, meets_group};
use crate::abi::layout;
use crate::intrinsics::WorkItemIntrinsic;
use crate::llvm::{Block, Builder, Context, Function, Kind, Module, Type, Value};
use crate::target::Vectors;

/// How the names of functions begin that are loops, and of what only the first item does. Those of loops end with the number of lanes.
const LOOP: &str = "oxur.loop.";
const FIRST: &str = "oxur.first.";

/// How the name of a loop goes on if it is that of the vector form, and of that under a mask.
const FULL: &str = ".full";
const MASKED: &str = ".masked";

/// Whether a function is a loop.
fn is_loop(name: &str) -> bool {
    name.starts_with(LOOP) && !name.ends_with(FULL) && !name.ends_with(MASKED)
}

/// A part of a kernel that can be a function. Control comes from one block, and leaves for another.
pub struct Region<'c> {
    /// Whether only the first item is there. Otherwise it is a loop.
    is_first: bool,
    /// The block that control comes from, and the one it goes to. They belong to others, unless it is [isolated](Self::isolate).
    before: Block<'c>,
    entry: Block<'c>,
    behind: Block<'c>,
    /// All of it, in the order of the program.
    nodes: Vec<Node>,
}

impl<'c> Region<'c> {
    /// The parts of a kernel that are to be functions: none is in another. An error is a loop that cannot be one.
    pub fn all(cfg: &Cfg<'c>, shapes: &VectorShapes<'c>) -> Result<Vec<Self>> {
        let has_barrier = |nodes: &FxHashSet<Node>| {
            let mut instructions = nodes.iter().flat_map(|&node| cfg.blocks[node].instructions());
            instructions.any(|inst| meets_group(&inst))
        };
        let mut all: Vec<Self> = Vec::new();
        let is_inside = |all: &[Self], node| all.iter().any(|region| region.nodes.contains(&node));
        // Outer loops come first, and blocks in the order of the program.
        for of_loop in &cfg.loops {
            // What is the same for all items needs no vectors.
            let is_needed = || {
                let mut instructions = of_loop.blocks.iter().flat_map(|&node| cfg.blocks[node].instructions());
                instructions.any(|inst| shapes.of(inst) == VectorShape::Varying)
            };
            if !has_barrier(&of_loop.blocks) && !is_inside(&all, of_loop.header) && is_needed() {
                all.push(Self::of_loop(cfg, &of_loop.blocks, of_loop.header).ok_or("a loop with several ends")?);
            }
        }
        for node in 0..cfg.blocks.len() {
            if let Some(region) = Self::of_first_item(cfg, node, shapes.are_across_rows())
                && !is_inside(&all, node)
                && !has_barrier(&region.nodes.iter().copied().collect())
            {
                all.retain(|inner| !inner.nodes.iter().all(|node| region.nodes.contains(node)));
                all.push(region);
            }
        }
        Ok(all)
    }

    fn of_loop(cfg: &Cfg<'c>, blocks: &FxHashSet<Node>, header: Node) -> Option<Self> {
        let outside = |nodes: &[Node]| nodes.iter().copied().find(|node| !blocks.contains(node));
        let before = outside(&cfg.predecessors[header])?;
        let exits = blocks.iter().flat_map(|&node| cfg.successors[node].iter().copied());
        let exits: FxHashSet<Node> = exits.filter(|to| !blocks.contains(to)).collect();
        let behind = exits.iter().next().copied()?;
        let is_only =
            exits.len() == 1 && cfg.successors[before].len() == 1 && outside(&cfg.predecessors[behind]).is_none();
        is_only.then(|| Self {
            is_first: false,
            before: cfg.blocks[before],
            entry: cfg.blocks[header],
            behind: cfg.blocks[behind],
            nodes: in_order(blocks),
        })
    }

    /// What is done if the branch at the end of a block finds that the item is the first.
    fn of_first_item(cfg: &Cfg<'c>, node: Node, is_across_rows: bool) -> Option<Self> {
        let &[yes, no] = cfg.successors[node].as_slice() else {
            return None;
        };
        let condition = cfg.blocks[node].terminator()?.operand(0);
        if condition.opcode() != Some(L::LLVMICmp) || condition.operand(1).as_const_int() != Some(0) {
            return None;
        }
        let entry = match condition.int_predicate() {
            I::LLVMIntEQ => yes,
            I::LLVMIntNE => no,
            _ => return None,
        };
        let mut id = condition.operand(0);
        // 16 bits hold all ids of a group.
        while matches!(id.opcode(), Some(L::LLVMTrunc | L::LLVMZExt)) && id.ty().bits() >= 16 {
            id = id.operand(0);
        }
        let is_id = match WorkItemIntrinsic::from_name(&id.callee()?.name())? {
            WorkItemIntrinsic::LocalId => !is_across_rows && id.operand(1).as_const_int() == Some(0),
            WorkItemIntrinsic::LocalLinearId => true,
            _ => false,
        };
        let behind = cfg.post_dominator[node]?;
        if !is_id || entry == behind {
            return None;
        }
        let mut inside = FxHashSet::default();
        let mut todo = vec![entry];
        while let Some(at) = todo.pop() {
            if at != behind && inside.insert(at) {
                todo.extend(&cfg.successors[at]);
            }
        }
        let comes_from_inside = |&at: &Node| match at == entry {
            true => cfg.predecessors[at] == [node],
            false => cfg.predecessors[at].iter().all(|from| inside.contains(from)),
        };
        let is_call = |inst: Value<'c>| inst.callee().is_some_and(|callee| callee.name().starts_with(FIRST));
        let is_outlined = || cfg.blocks[entry].instructions().into_iter().any(is_call);
        let is_possible = inside.iter().all(comes_from_inside) && !is_outlined();
        is_possible.then(|| Self {
            is_first: true,
            before: cfg.blocks[node],
            entry: cfg.blocks[entry],
            behind: cfg.blocks[behind],
            nodes: in_order(&inside),
        })
    }

    /// Whether it is a loop.
    pub fn is_loop(&self) -> bool {
        !self.is_first
    }

    /// Whether a block is in it.
    pub fn contains(&self, node: Node) -> bool {
        self.nodes.contains(&node)
    }

    fn has_block(&self, cfg: &Cfg<'c>, block: Block<'c>) -> bool {
        cfg.number.get(&block).is_some_and(|&node| self.contains(node))
    }

    /// How many bytes all values of it take that differ between so many items.
    fn size(&self, module: &Module<'c>, cfg: &Cfg<'c>, shapes: &VectorShapes<'c>, items: u32) -> u64 {
        let instructions = self.nodes.iter().flat_map(|&node| cfg.blocks[node].instructions());
        let varies = |inst: &Value<'c>| shapes.of(*inst) == VectorShape::Varying && inst.ty().kind() != Kind::Void;
        let varying = instructions.filter(varies);
        varying.map(|inst| module.size_of(inst.ty()) * u64::from(items)).sum()
    }

    /// How many registers the values of so many items take that live from one round of a loop to the next.
    fn carried(&self, cfg: &Cfg<'c>, shapes: &VectorShapes<'c>, items: u32) -> u32 {
        let headers = cfg.loops.iter().map(|of_loop| of_loop.header);
        let of_header = |node: Node| {
            let phis = cfg.blocks[node].phis().into_iter();
            let varying = phis.filter(|phi| shapes.of(*phi) == VectorShape::Varying);
            varying
                .map(|phi| Vectors::of_host().registers_of(phi.ty(), items))
                .sum::<u32>()
        };
        let inside = headers.filter(|header| self.nodes.contains(header));
        inside.map(of_header).max().unwrap_or(0)
    }

    /// Whether it can be a function. `shapes` are those of the whole group.
    pub fn is_possible(&self, cfg: &Cfg<'c>, shapes: &VectorShapes<'c>) -> bool {
        let mut results = self.results(cfg);
        let varies = |value: &Value<'c>| shapes.of(*value) == VectorShape::Varying;
        // Results come back in a variable of each item, so that those which do not vary would do so behind it.
        results.iter().all(varies) && {
            results.extend(self.inputs(cfg).into_iter().filter(varies));
            results.iter().all(|value| has_variable(value.ty()))
        }
    }

    /// The phis that take values from it.
    fn results(&self, cfg: &Cfg<'c>) -> Vec<Value<'c>> {
        let from_inside = |(_, from)| self.has_block(cfg, from);
        let phis = self.behind.phis().into_iter();
        phis.filter(|phi| phi.incoming().into_iter().any(from_inside)).collect()
    }

    /// What comes from before it, each once.
    fn inputs(&self, cfg: &Cfg<'c>) -> Vec<Value<'c>> {
        let instructions = self.nodes.iter().flat_map(|&node| cfg.blocks[node].instructions());
        let results = self.results(cfg).into_iter().flat_map(Value::incoming);
        let results = results.filter(|(_, from)| self.has_block(cfg, *from));
        let mut inputs = Vec::new();
        for value in instructions
            .flat_map(Value::operands)
            .chain(results.map(|(value, _)| value))
        {
            let from = value.opcode().and_then(|_| cfg.number.get(&value.block()));
            if from.is_some_and(|&from| !self.contains(from)) && !inputs.contains(&value) {
                inputs.push(value);
            }
        }
        inputs
    }

    /// Puts a block of its own before it and behind it.
    fn isolate(&mut self, cx: &'c Context, cfg: &Cfg<'c>, kernel: Function<'c>) {
        let b = Builder::new(cx);
        let [before, behind] = ["before", "behind"].map(|name| kernel.append_block(name));
        b.go_to_end(before);
        b.br(self.entry);
        self.before.redirect(self.entry, before);
        b.move_phis(self.entry, self.before, before);
        b.go_to_end(behind);
        let is_inside = |from: &Block<'c>| self.has_block(cfg, *from);
        for phi in self.results(cfg) {
            let (own, mut others): (Vec<_>, Vec<_>) = phi.incoming().into_iter().partition(|(_, from)| is_inside(from));
            let own_phi = b.phi(phi.ty());
            own_phi.add_incoming(&own);
            others.push((own_phi, behind));
            Builder::new(cx).replace_phi(phi, &others);
        }
        b.br(self.behind);
        for &node in &self.nodes {
            cfg.blocks[node].redirect(self.behind, behind);
        }
        (self.before, self.behind) = (before, behind);
    }
}

/// Whether a value of this type can be in a private variable.
fn has_variable(ty: Type<'_>) -> bool {
    matches!(
        ty.kind(),
        Kind::Int(1 | 8 | 16 | 32 | 64) | Kind::Float(_) | Kind::Pointer
    )
}

/// Makes functions of what can be some in a kernel for groups of so many `items`, and the vector forms of loops. These run so many
/// `lanes`, or all of a group if they go through memory. All of them have to be possible.
pub fn outline<'c>(module: &Module<'c>, kernel: Function<'c>, group: GroupVector, lanes: u32) -> Result<()> {
    let width = group.lanes();
    let ids = Ids::of(group.spans_rows());
    let mut loops = Vec::new();
    for count in 0.. {
        let cfg = Cfg::new(kernel)?;
        let shapes = VectorShapes::new(module, &cfg, width, ids);
        let Some(mut region) = Region::all(&cfg, &shapes)?.into_iter().next() else {
            break;
        };
        if region.is_first {
            let name = format!("{FIRST}{count}");
            let (function, _) = outline_one(module, kernel, &cfg, &mut region, &shapes, &name);
            function.attribute("alwaysinline", 0);
            continue;
        }
        // Memory is read in the order of its addresses if the group goes through it as one. Values are on the stack then. Where registers
        // are as large as cache lines, parts of the group read several of a row, so what each round stores and loads again costs more than that order gains.
        let is_carried_in_registers = || {
            !Vectors::of_host().fills_cache_line()
                || region.carried(&cfg, &shapes, width) <= Vectors::of_host().registers
        };
        let fits = region.size(module, &cfg, &shapes, width) <= u64::from(MOST_LIVE) && is_carried_in_registers();
        let lanes = match fits && in_flight::goes_through_memory(module, &cfg, &shapes, width, &region.nodes) {
            true => width,
            false => lanes,
        };
        let name = format!("{LOOP}{count}.{lanes}");
        let (function, call) = outline_one(module, kernel, &cfg, &mut region, &shapes, &name);
        loops.push((function, call, lanes));
    }
    let cfg = Cfg::new(kernel)?;
    let shapes = VectorShapes::new(module, &cfg, width, ids);
    let hopes = VectorShapes::new(module, &cfg, width, Ids::hoped(group.spans_rows()));
    for (function, call, lanes) in loops {
        let parameters = (2..call.operands().len() as u32 - 1).map(|i| Parameter {
            value: function.param(i),
            shape: shapes.of(call.operand(i)),
            hope: hopes.of(call.operand(i)),
        });
        let parameters: Vec<Parameter<'c>> = parameters.collect();
        let is_padded = group.items() < width;
        let is_masked = is_padded || shapes.predicated.contains(&cfg.number[&call.block()]);
        let emit = |suffix, is_masked| {
            let width = Width {
                lanes,
                is_sub_group: false,
            };
            let plan = Plan {
                width,
                spans_rows: false,
                group: None,
                is_partial: false,
                waits: false,
                streams: false,
                is_masked,
                parameters: &parameters,
            };
            emit::emit(module, function, &format!("{}{suffix}", function.name()), plan)
        };
        // One of all lanes, of which some are behind the end of the group, is never full.
        if !(is_padded && lanes == width) {
            emit(FULL, false)?.0.attribute("alwaysinline", 0);
        }
        if is_masked {
            emit(MASKED, true)?.0.attribute("noinline", 0);
        }
    }
    Ok(())
}

/// Deletes the loops, whose vector forms are there, once nothing calls them.
pub fn delete(module: &Module<'_>) {
    let loops = module.functions().into_iter().filter(|f| is_loop(&f.name()));
    loops.for_each(Function::delete_with_body);
}

/// What a function needs that was outlined.
struct Computed<'s, 'c> {
    shapes: &'s VectorShapes<'c>,
    /// What it computes itself, in this order.
    values: Vec<Value<'c>>,
    /// What is passed.
    inputs: Vec<Value<'c>>,
}

impl<'c> Computed<'_, 'c> {
    /// Adds a value, and what it is computed from.
    fn add(&mut self, value: Value<'c>) {
        if self.values.contains(&value) || self.inputs.contains(&value) {
            return;
        }
        if !self.is_computed(value) && !is_local(value) {
            return self.inputs.push(value);
        }
        let operands = value
            .operands()
            .into_iter()
            .filter(|operand| operand.opcode().is_some());
        operands.for_each(|operand| self.add(operand));
        self.values.push(value);
    }

    /// Whether a value is computed from what does not vary: then it has a shape in the function, too. Addresses in local memory are
    /// also computed there: what is known of local memory is known by its address.
    fn is_computed(&self, value: Value<'c>) -> bool {
        let varies = |value| self.shapes.of(value) == VectorShape::Varying;
        let has_no_effect = is_simple(value) && value.opcode() != Some(L::LLVMFreeze);
        has_no_effect && varies(value) && !value.operands().into_iter().any(varies)
    }
}

/// Makes a function with this name of one part of a kernel. Gives it, and the call.
fn outline_one<'c>(
    module: &Module<'c>,
    kernel: Function<'c>,
    cfg: &Cfg<'c>,
    region: &mut Region<'c>,
    shapes: &VectorShapes<'c>,
    name: &str,
) -> (Function<'c>, Value<'c>) {
    let cx = module.context();
    let is_varying = |value: Value<'c>| shapes.of(value) == VectorShape::Varying;
    let mut computed = Computed {
        shapes,
        values: Vec::new(),
        inputs: Vec::new(),
    };
    region.inputs(cfg).into_iter().for_each(|input| computed.add(input));
    let Computed {
        values: computed,
        inputs,
        ..
    } = computed;
    if region.is_first {
        region.isolate(cx, cfg, kernel);
    }
    let region = &*region;
    let results = region.behind.phis();
    // Bits are bytes in variables.
    let in_variable = |ty: Type<'c>| if ty.kind() == Kind::Int(1) { cx.int(8) } else { ty };
    let write = |b: &Builder<'c>, value: Value<'c>, variable| {
        let is_bit = value.ty().kind() == Kind::Int(1);
        b.store(
            if is_bit {
                b.zext_or_trunc(value, cx.int(8))
            } else {
                value
            },
            variable,
        )
    };
    let read = |b: &Builder<'c>, ty: Type<'c>, variable| {
        let value = b.load(in_variable(ty), variable);
        if ty.kind() == Kind::Int(1) {
            b.zext_or_trunc(value, ty)
        } else {
            value
        }
    };

    let mut types = vec![cx.ptr(); 2];
    types.extend(
        inputs
            .iter()
            .map(|&input| if is_varying(input) { cx.ptr() } else { input.ty() }),
    );
    types.extend(results.iter().map(|_| cx.ptr()));
    let ty = cx.void().function(&types);
    let function = module.add_function(name, ty).internal();
    let [entry, end] = ["entry", "end"].map(|name| function.append_block(name));
    let parameter = |i: usize| function.param(2 + i as u32);

    // The kernel's side.
    let variables = Builder::new(cx);
    variables.go_to_start(kernel.blocks()[0]);
    let b = Builder::new(cx);
    b.go_before(region.before.terminator().expect("a block ends with a terminator"));
    let mut args = vec![kernel.param(0), kernel.param(1)];
    for &input in &inputs {
        args.push(match is_varying(input) {
            true => {
                let variable = variables.alloca(in_variable(input.ty()));
                write(&b, input, variable);
                variable
            }
            false => input,
        });
    }
    let slots: Vec<Value<'c>> = results
        .iter()
        .map(|phi| variables.alloca(in_variable(phi.ty())))
        .collect();
    args.extend(&slots);
    let call = b.call(function, &args);
    let loaded: Vec<Value<'c>> = results
        .iter()
        .zip(&slots)
        .map(|(phi, &slot)| read(&b, phi.ty(), slot))
        .collect();

    // The function's side.
    let b = Builder::at_end(cx, entry);
    let mut own: FxHashMap<Value<'c>, Value<'c>> = (0..2).map(|i| (kernel.param(i), function.param(i))).collect();
    for (i, &input) in inputs.iter().enumerate() {
        let value = match is_varying(input) {
            true => read(&b, input.ty(), parameter(i)),
            false => parameter(i),
        };
        own.insert(input, value);
    }
    for value in computed {
        own.insert(value, b.insert(value.clone_instruction()));
    }
    b.br(region.entry);
    b.go_to_end(end);
    let made = results.iter().map(|phi| {
        let made = b.phi(phi.ty());
        made.add_incoming(&phi.incoming());
        made
    });
    let made: Vec<Value<'c>> = made.collect();
    for (i, &result) in made.iter().enumerate() {
        write(&b, result, parameter(inputs.len() + i));
    }
    b.ret(None);
    for (phi, value) in results.into_iter().zip(loaded) {
        phi.replace_with(value);
        phi.erase();
    }
    region.before.redirect(region.entry, region.behind);
    b.move_phis(region.entry, region.before, entry);
    let mut last = entry;
    for &node in &region.nodes {
        let block = cfg.blocks[node];
        block.redirect(region.behind, end);
        block.move_after(last);
        last = block;
    }
    end.move_after(last);
    for inst in function.blocks().into_iter().flat_map(Block::instructions) {
        for (i, operand) in inst.operands().into_iter().enumerate() {
            if let Some(&value) = own.get(&operand) {
                inst.set_operand(i as u32, value);
            }
        }
    }
    (function, call)
}

impl<'c> Emit<'_, 'c> {
    /// Calls a function that was outlined, if a call is one of those.
    pub(super) fn outlined(&mut self, inst: Value<'c>, callee: Function<'c>, name: &str) -> Result<bool> {
        if is_loop(name) {
            self.outlined_loop(inst, name)?;
        } else if name.starts_with(FIRST) {
            self.outlined_first(inst, callee)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Calls what only the first item does, if that comes here.
    fn outlined_first(&mut self, inst: Value<'c>, callee: Function<'c>) -> Result<()> {
        let operands = inst.operands();
        let mut args = vec![self.function.param(0), self.function.param(1)];
        for &operand in &operands[2..operands.len() - 1] {
            args.push(self.first(operand)?);
        }
        let Some(mask) = self.mask else {
            self.b.call(callee, &args);
            return Ok(());
        };
        let [inside, after] = ["first", "first.done"].map(|name| self.function.append_block(name));
        inside.move_after(self.b.block());
        after.move_after(inside);
        let is_here = self.b.extract_element(mask, self.cx.int(32).zero());
        self.b.cond_br(is_here, inside, after);
        self.b.go_to_end(inside);
        self.b.call(callee, &args);
        self.b.br(after);
        self.b.go_to_end(after);
        Ok(())
    }

    /// Calls a loop for one part of the group after the other.
    fn outlined_loop(&mut self, inst: Value<'c>, name: &str) -> Result<()> {
        let form = |suffix| self.module.function(&format!("{name}{suffix}"));
        let (full, masked) = (form(FULL), form(MASKED));
        let lanes = name.rsplit('.').next().and_then(|lanes| lanes.parse().ok());
        let lanes: u32 = lanes.ok_or("a loop without a number of lanes")?;
        debug_assert!(lanes.is_multiple_of(8), "masks of parts begin with a byte");
        let mut args = Vec::new();
        let operands = inst.operands();
        for &operand in &operands[2..operands.len() - 1] {
            let stride = match self.shapes.of(operand) {
                VectorShape::Uniform => 0,
                VectorShape::Affine { stride, .. } => stride,
                VectorShape::Varying => return Err("a loop with an argument that differs between items".into()),
            };
            args.push((self.first(operand)?, stride));
        }
        let wide = self.cx.int(64);
        let bits = match (self.mask, masked) {
            (Some(mask), Some(_)) => {
                let bits = self.mask_bits(mask);
                let variable = self.entry.alloca(bits.ty());
                self.b.store(bits, variable);
                Some(variable)
            }
            (None, _) => None,
            _ => return Err("a loop without a form for some of the items".into()),
        };
        let item = self.entry.alloca(self.cx.int(8).array(layout::ITEM_SIZE)).align(16);
        let block = |name| self.function.append_block(name);
        let [head, done] = [block("part"), block("parts.done")];
        let before = self.b.block();
        head.move_after(before);
        let b = &self.b;
        b.br(head);
        b.go_to_end(head);
        let start = b.phi(wide);
        let copy = |member, ty, change: Option<Value<'c>>| {
            let value = b.load(ty, b.offset(self.function.param(0), wide.int(member))).align(8);
            let value = change.map_or(value, |change| b.add(value, change));
            b.store(value, b.offset(item, wide.int(member))).align(8);
        };
        copy(layout::ITEM_LOCAL_ID, wide, Some(start));
        copy(layout::ITEM_LOCAL_ID + 8, wide, None);
        copy(layout::ITEM_LOCAL_ID + 16, wide, None);
        copy(layout::ITEM_LINEAR_ID, wide, Some(start));
        copy(layout::ITEM_GROUP, self.cx.ptr(), None);
        let mut all = vec![item, self.function.param(1)];
        for &(first, stride) in &args {
            let ty = first.ty();
            all.push(match (stride, ty.is_ptr()) {
                (0, _) => first,
                (_, true) => b.offset(first, b.mul(start, wide.int(stride as u64))),
                (_, false) => {
                    let low = u64::MAX >> (64 - ty.bits().min(64));
                    b.add(first, b.mul(b.zext_or_trunc(start, ty), ty.int(stride as u64 & low)))
                }
            });
        }
        let next = block("part.next");
        match (bits, masked) {
            (Some(bits), Some(masked)) => {
                let of_part = self.cx.int(lanes);
                let byte = b.udiv(start, wide.int(8));
                let mask = b.load(of_part, b.offset(bits, byte)).align(1);
                let [some, part] = ["part.some", "part.masked"].map(block);
                b.cond_br(b.icmp(I::LLVMIntEQ, mask, of_part.zero()), next, some);
                b.go_to_end(some);
                match full {
                    Some(full) => {
                        let all_of_them = block("part.full");
                        b.cond_br(b.icmp(I::LLVMIntEQ, mask, of_part.ones()), all_of_them, part);
                        b.go_to_end(all_of_them);
                        b.call(full, &all);
                        b.br(next);
                    }
                    None => _ = b.br(part),
                }
                b.go_to_end(part);
                all.push(mask);
                b.call(masked, &all);
                b.br(next);
            }
            _ => {
                b.call(full.ok_or("a loop without its vector form")?, &all);
                b.br(next);
            }
        }
        b.go_to_end(next);
        let following = b.add(start, wide.int(lanes.into()));
        start.add_incoming(&[(wide.zero(), before), (following, next)]);
        let is_over = b.icmp(I::LLVMIntEQ, following, wide.int(self.lanes.into()));
        b.cond_br(is_over, done, head);
        b.go_to_end(done);
        Ok(())
    }
}
