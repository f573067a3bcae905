// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Where the items of a sub-group run on stacks of their own, each waits at a collective, and those that wait at the first
//! place in the program go on together (`runtime/fibers.rs`). So that these are all that should take part:
//!
//! - Places are numbered in the order of the control flow: each behind those that lead to it, and what follows a loop behind the
//!   loop. In the module, a loop's exit is often before its body.
//! - Functions with such places are inlined. A place that is reached by two ways would be one place otherwise, and have one number.
//! - Where an item can reach the next round of a loop without passing the last place in it, the items that go on meet at the
//!   end of the round. Otherwise it would be at the first place again, before those that are in the middle of their round.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::vector::Cfg;
use crate::intrinsics::{GroupCollective, KERNEL, Members, STORE_TO_LOCAL};
use crate::llvm::{Block, Builder, Function, Machine, Module, Value};

/// The first number of places in a kernel.
const IN_KERNELS: u64 = 1;

/// The first number of places in functions that are called through pointers. As an `i32` it is negative: what such a function
/// leads to, which is not known, waits for the items that are inside.
const IN_FUNCTIONS: u64 = 1 << 31;

/// Simple loops: each has one edge back, from a block that belongs to no loop inside.
const SIMPLE_LOOPS: &str = "function(loop-simplify)";

/// The same where loops have several entries.
const MORE_LOOPS: &str = "function(lower-switch,fix-irreducible,loop-simplify)";

/// Inlines functions with places where items of a sub-group meet, or will meet, and makes loops with several entries simple.
pub fn prepare(machine: &Machine, module: &Module<'_>) -> Result<(), String> {
    let is_place = |inst: &Value<'_>| inst.is_marked(STORE_TO_LOCAL) || is_of_sub_group(inst);
    if !inline_functions(machine, module, is_place)? {
        return Ok(());
    }
    let defined = module.functions().into_iter().filter(|f| !f.is_declaration());
    if defined.map(Cfg::new).any(|cfg| cfg.is_err()) {
        run(machine, module, MORE_LOOPS)?;
    }
    Ok(())
}

/// Inlines functions with such places, and those that call them. Returns whether there are places at all.
pub fn inline_functions(
    machine: &Machine,
    module: &Module<'_>,
    is_place: impl Fn(&Value<'_>) -> bool,
) -> Result<bool, String> {
    let defined = module.functions().into_iter().filter(|f| !f.is_declaration());
    let mut with_places: Vec<_> = defined
        .filter(|f| {
            f.blocks()
                .iter()
                .any(|block| block.instructions().iter().any(&is_place))
        })
        .collect();
    if with_places.is_empty() {
        return Ok(false);
    }
    let mut at = 0;
    while let Some(&function) = with_places.get(at) {
        at += 1;
        let users = Value::from(function).users();
        for user in users.into_iter().filter(|user| user.opcode().is_some()) {
            let caller = user.block().function();
            if !with_places.contains(&caller) {
                with_places.push(caller);
            }
        }
    }
    let others = with_places.iter().filter(|f| f.name() != KERNEL);
    let mut inlines = false;
    for function in others {
        function.attribute("alwaysinline", 0);
        inlines = true;
    }
    if inlines {
        run(machine, module, "always-inline")?;
    }
    Ok(true)
}

fn run(machine: &Machine, module: &Module<'_>, passes: &str) -> Result<(), String> {
    module.verify()?;
    machine.set_target(module);
    machine.run_passes(module, passes, false)
}

/// Has items meet at the ends of rounds where that is needed, and numbers all places of a kernel.
pub fn finish(machine: &Machine, module: &Module<'_>) -> Result<(), String> {
    let is_tangled = |function: &Function<'_>| {
        let cfg = Cfg::new(*function);
        cfg.is_ok_and(|cfg| rounds(&cfg).iter().any(|round| round.is_tangled))
    };
    // A pass takes as long as many a kernel in all.
    if with_places(module).iter().any(is_tangled) {
        run(machine, module, SIMPLE_LOOPS)?;
    }
    number(module, IN_KERNELS);
    Ok(())
}

/// Does the same for functions that are called through pointers, as they are.
pub fn finish_functions(module: &Module<'_>) {
    number(module, IN_FUNCTIONS);
}

/// The functions where items of a sub-group meet, the kernel last.
fn with_places<'c>(module: &Module<'c>) -> Vec<Function<'c>> {
    let is_place = |block: &Block<'_>| block.instructions().iter().any(is_of_sub_group);
    let mut functions = module.functions();
    functions.retain(|f| !f.is_declaration() && f.blocks().iter().any(is_place));
    // Functions that call themselves are left: a kernel that calls them waits for them.
    functions.sort_by_key(|f| f.name() == KERNEL);
    functions
}

fn number<'c>(module: &Module<'c>, first: u64) {
    let narrow = module.context().int(32);
    let mut site = first;
    for function in with_places(module) {
        let (blocks, ends) = match Cfg::new(function) {
            Ok(cfg) => {
                let ends: Vec<Vec<_>> = rounds(&cfg)
                    .iter()
                    .map(|round| round.ends.iter().map(|&end| cfg.blocks[end]).collect())
                    .collect();
                (cfg.blocks, ends)
            }
            // What could not be mended, and functions that are called through pointers.
            Err(_) => (function.blocks(), Vec::new()),
        };
        let meet_at = |block: &Block<'c>| meet_at_end(module, function, *block);
        let meetings: Vec<Vec<_>> = ends
            .iter()
            .map(|ends| ends.iter().filter_map(meet_at).collect())
            .collect();
        for inst in blocks.iter().flat_map(|block| block.instructions()) {
            if collective(&inst).is_some() {
                inst.set_operand(1, narrow.int(site));
                site += 1;
            }
        }
        // The ends of a round are one place, behind all others of the loop.
        for round in meetings {
            let numbers = round.iter().filter_map(|meeting| meeting.operand(1).as_const_int());
            let last = numbers.max().unwrap_or_default();
            for meeting in round {
                meeting.set_operand(1, narrow.int(last));
            }
        }
    }
}

/// A loop in whose rounds items would lose each other.
struct Round {
    /// The blocks at whose ends a round ends.
    ends: Vec<usize>,
    /// Whether one of them also leads on in the round, or belongs to a loop inside: not all who meet there end the round.
    is_tangled: bool,
}

fn rounds(cfg: &Cfg<'_>) -> Vec<Round> {
    // Whether there are places of sub-groups, by block with any collectives.
    let places: BTreeMap<_, _> = cfg
        .blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| has_collectives(block))
        .map(|(node, block)| (node, block.instructions().iter().any(is_of_sub_group)))
        .collect();
    let mut found = Vec::new();
    for (number, the_loop) in cfg.loops.iter().enumerate() {
        let mut inside = places.iter().filter(|(node, _)| the_loop.blocks.contains(node));
        if !inside.clone().any(|(_, &is_of_sub_group)| is_of_sub_group) {
            continue;
        }
        let last = inside.next_back().map(|(&node, _)| node);
        // Inner loops are left by each item in a round of its own.
        let gate = last.filter(|&node| cfg.loop_of[node] == Some(number));
        let reached = reached_without(cfg, number, gate);
        let ends = cfg.predecessors[the_loop.header].iter().copied();
        let ends: Vec<_> = ends.filter(|end| the_loop.blocks.contains(end)).collect();
        if ends.iter().any(|end| reached.contains(end)) {
            let leads_on = |end: usize| {
                let mut next = cfg.successors[end].iter();
                next.any(|to| *to != the_loop.header && the_loop.blocks.contains(to))
            };
            let is_tangled = ends
                .iter()
                .any(|&end| cfg.loop_of[end] != Some(number) || leads_on(end));
            found.push(Round { ends, is_tangled });
        }
    }
    found
}

/// The blocks of a loop that an item reaches from the first one without passing one of them.
fn reached_without(cfg: &Cfg<'_>, number: usize, gate: Option<usize>) -> FxHashSet<usize> {
    let inside = &cfg.loops[number].blocks;
    let mut reached = FxHashSet::default();
    let mut todo = vec![cfg.loops[number].header];
    while let Some(node) = todo.pop() {
        if Some(node) != gate && inside.contains(&node) && reached.insert(node) {
            todo.extend(&cfg.successors[node]);
        }
    }
    reached
}

fn meet_at_end<'c>(module: &Module<'c>, function: Function<'c>, block: Block<'c>) -> Option<Value<'c>> {
    let cx = module.context();
    let b = Builder::new(cx);
    b.go_before(block.terminator()?);
    let meet = GroupCollective::SubGroupBarrier.declare(module, None, Members::All);
    Some(b.call(meet, &[function.param(0), cx.int(32).zero()]))
}

fn has_collectives(block: &Block<'_>) -> bool {
    block.instructions().iter().any(|inst| collective(inst).is_some())
}

/// A collective of a sub-group.
fn is_of_sub_group(inst: &Value<'_>) -> bool {
    collective(inst).is_some_and(|collective| collective != GroupCollective::Barrier)
}

/// The collective that an instruction calls.
pub fn collective(inst: &Value<'_>) -> Option<GroupCollective> {
    if inst.opcode() != Some(llvm_sys::LLVMOpcode::LLVMCall) {
        return None;
    }
    GroupCollective::from_name(&inst.callee()?.name())
}
