// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Finds collectives of sub-groups that only some work-items reach, though SPIR-V wants all of them there.
//!
//! Intel's GPUs let those take part that are there, and oneDAL relies on it: two of 32 items reduce what two sub-groups
//! have found. On NVIDIA's such an operation would wait for the others for ever. So a branch on the number of the item in
//! its sub-group, with collectives behind it, counts who takes which way, and they take part among those. Where all
//! take the same way, nothing changes.
//!
//! Items may also leave a loop with collectives one after the other, as those that go through an array side by side. So a branch out of it
//! counts who stays. Other branches in such a loop are left as they are, and so is what is called.

use llvm_sys::LLVMOpcode as L;
use rustc_hash::FxHashSet;

use crate::intrinsics::{GroupCollective, Members, WorkItemIntrinsic};
use crate::llvm::{Builder, Function, Module, Value};
use crate::workgroup::Cfg;

/// A block of the control flow graph.
type Node = usize;

/// Gives such collectives of a module that was lowered the items that are there.
pub fn find<'c>(module: &Module<'c>) {
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        let by_lane = computed_of(lanes(function));
        if by_lane.is_empty() {
            continue;
        }
        let Ok(cfg) = Cfg::new(function) else { continue };
        let mut regions = regions(&cfg, &by_lane);
        // Outer ones first, so that the mask of a region is there for those in it.
        regions.sort_by_key(|(_, blocks)| std::cmp::Reverse(blocks.len()));
        let mut masks: Vec<Value<'c>> = Vec::new();
        for at in 0..regions.len() {
            let around = innermost(&regions[..at], regions[at].0).map(|outer| masks[outer]);
            masks.push(own_way(module, function, &cfg, regions[at].0, around));
        }
        let around = |node: Node| innermost(&regions, node).map(|region| masks[region]);
        in_loops(module, function, &cfg, &by_lane, around);
        for (node, block) in cfg.blocks.iter().enumerate() {
            let Some(region) = innermost(&regions, node) else {
                continue;
            };
            for call in block.instructions() {
                if let Some(collective) = of_all(call) {
                    replace(module, call, collective, masks[region]);
                }
            }
        }
    }
}

/// The numbers of items in their sub-groups.
fn lanes(function: Function<'_>) -> Vec<Value<'_>> {
    let name = WorkItemIntrinsic::Lane.name();
    let all = function.blocks().into_iter().flat_map(|block| block.instructions());
    all.filter(|inst| inst.callee().is_some_and(|callee| callee.name() == name))
        .collect()
}

/// Values and what depends on them, also by private variables; results of collectives are the same for all.
fn computed_of(mut todo: Vec<Value<'_>>) -> FxHashSet<Value<'_>> {
    let mut found: FxHashSet<Value<'_>> = todo.iter().copied().collect();
    while let Some(value) = todo.pop() {
        for user in value.users() {
            let is_collective = |callee: Function<'_>| GroupCollective::with_members(&callee.name()).is_some();
            let next = match user.opcode() {
                Some(L::LLVMCall) if user.callee().is_some_and(is_collective) => continue,
                Some(L::LLVMStore) => match user.operand(1) {
                    variable if variable.opcode() == Some(L::LLVMAlloca) => variable,
                    _ => continue,
                },
                _ => user,
            };
            if found.insert(next) {
                todo.push(next);
            }
        }
    }
    found
}

/// A collective of a sub-group in which all take part.
fn of_all(inst: Value<'_>) -> Option<GroupCollective> {
    match GroupCollective::with_members(&inst.callee()?.name())? {
        (GroupCollective::Barrier, _) | (_, Members::Active | Members::Given) => None,
        (collective, Members::All) => Some(collective),
    }
}

/// Branches by such values with collectives behind them, and the blocks until their ways meet again.
fn regions(cfg: &Cfg<'_>, by_lane: &FxHashSet<Value<'_>>) -> Vec<(Node, FxHashSet<Node>)> {
    let depends = |node: Node| {
        let branch = cfg.blocks[node].terminator().filter(|_| cfg.successors[node].len() > 1);
        branch.is_some_and(|branch| by_lane.contains(&branch.operand(0)))
    };
    let branches: Vec<Node> = (0..cfg.blocks.len()).filter(|&node| depends(node)).collect();
    let regions: Vec<_> = branches.into_iter().map(|node| (node, cfg.influence(node))).collect();
    // Who has left a loop does not come to a branch in it.
    let in_loops: FxHashSet<Node> = regions
        .iter()
        .filter(|(node, blocks)| blocks.contains(node))
        .flat_map(|(_, blocks)| blocks.iter().copied())
        .collect();
    let counts = |(node, blocks): &(Node, FxHashSet<Node>)| {
        let from_there = |block: &Node| {
            let from = &cfg.predecessors[*block];
            from.iter().all(|before| before == node || blocks.contains(before))
        };
        cfg.successors[*node].len() == 2
            && !in_loops.contains(node)
            && blocks.iter().all(from_there)
            && blocks.iter().any(|&block| {
                cfg.blocks[block]
                    .instructions()
                    .into_iter()
                    .any(|inst| of_all(inst).is_some())
            })
    };
    regions.into_iter().filter(counts).collect()
}

/// Gives collectives in loops that items leave one after the other those that are still there. `around` are those of the region that a
/// block is in.
fn in_loops<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    cfg: &Cfg<'c>,
    by_lane: &FxHashSet<Value<'c>>,
    around: impl Fn(Node) -> Option<Value<'c>>,
) {
    let (wide, b) = (module.context().int(64), Builder::new(module.context()));
    let terminator = |node: Node| cfg.blocks[node].terminator().expect("a block ends with a branch");
    let mut loops: Vec<_> = cfg.loops.iter().collect();
    // Outer ones first, so that the members of a loop are there for those in it.
    loops.sort_by_key(|l| std::cmp::Reverse(l.blocks.len()));
    let mut members: Vec<(&FxHashSet<Node>, Value<'c>)> = Vec::new();
    for l in loops {
        let leaves = |node: &Node| {
            let stays = cfg.successors[*node].iter().filter(|to| l.blocks.contains(to)).count();
            cfg.successors[*node].len() == 2 && stays == 1 && by_lane.contains(&terminator(*node).operand(0))
        };
        let exits: Vec<Node> = l.in_order().into_iter().filter(leaves).collect();
        let mut instructions = l.blocks.iter().flat_map(|&node| cfg.blocks[node].instructions());
        if exits.is_empty() || !instructions.any(|inst| of_all(inst).is_some()) {
            continue;
        }
        b.go_before(cfg.blocks[0].instructions()[0]);
        let variable = b.alloca(wide);
        let outer = members.iter().rev().find(|(blocks, _)| blocks.contains(&l.header));
        let outer = outer.map(|(_, variable)| *variable);
        for &from in cfg.predecessors[l.header]
            .iter()
            .filter(|from| !l.blocks.contains(from))
        {
            b.go_before(terminator(from));
            let first = match (outer, around(l.header)) {
                (Some(outer), _) => b.load(wide, outer),
                (None, Some(mask)) => mask,
                (None, None) => ballot(module, function, &b, None, module.context().int(1).int(1)),
            };
            b.store(first, variable);
        }
        for node in exits {
            let branch = terminator(node);
            b.go_before(branch);
            let condition = branch.operand(0);
            let stays = match l.blocks.contains(&cfg.successors[node][0]) {
                true => condition,
                false => b.not(condition),
            };
            let there = Some(b.load(wide, variable));
            b.store(ballot(module, function, &b, there, stays), variable);
        }
        members.push((&l.blocks, variable));
    }
    for (node, block) in cfg.blocks.iter().enumerate() {
        let Some((_, variable)) = members.iter().rev().find(|(blocks, _)| blocks.contains(&node)) else {
            continue;
        };
        for call in block.instructions() {
            if let Some(collective) = of_all(call) {
                b.go_before(call);
                replace(module, call, collective, b.load(wide, *variable));
            }
        }
    }
}

/// The smallest region that a block is in.
fn innermost(regions: &[(Node, FxHashSet<Node>)], block: Node) -> Option<usize> {
    // The last: they are sorted.
    regions.iter().rposition(|(_, blocks)| blocks.contains(&block))
}

/// Has a branch count the items that take the same way as the own one: a bit for each. `around` are those that come there.
fn own_way<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    cfg: &Cfg<'c>,
    node: Node,
    around: Option<Value<'c>>,
) -> Value<'c> {
    let branch = cfg.blocks[node].terminator().expect("a block ends with a branch");
    let (b, condition) = (Builder::new(module.context()), branch.operand(0));
    b.go_before(branch);
    let count = |condition: Value<'c>| ballot(module, function, &b, around, condition);
    let one_way = count(condition);
    let other_way = count(b.not(condition));
    b.select(condition, one_way, other_way)
}

/// A bit for each item whose condition is true, of these or of all.
fn ballot<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    b: &Builder<'c>,
    members: Option<Value<'c>>,
    condition: Value<'c>,
) -> Value<'c> {
    let given = members.map_or(Members::All, |_| Members::Given);
    let number = module.context().int(32).int(0);
    let arguments: Vec<_> = [function.param(0), number, condition]
        .into_iter()
        .chain(members)
        .collect();
    b.call(GroupCollective::Ballot.declare(module, None, given), &arguments)
}

fn replace<'c>(module: &Module<'c>, call: Value<'c>, collective: GroupCollective, mask: Value<'c>) {
    let b = Builder::new(module.context());
    b.go_before(call);
    let operands = call.operands();
    // The last is what is called.
    let mut arguments = operands[..operands.len() - 1].to_vec();
    let ty = arguments.get(2).map(|value| value.ty());
    arguments.push(mask);
    let given = b.call(collective.declare(module, ty, Members::Given), &arguments);
    call.replace_with(given);
    call.erase();
}
