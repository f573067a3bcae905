// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reductions of work-groups, in code that runs a whole group as one vector.
//!
//! `lower` makes them of a reduction of each sub-group, whose results meet in local memory, between two barriers. A vector of the whole
//! group needs none of that: [`GroupReduction`] is an operation of its own there. It combines the same values in the same order, so
//! that results do not change.

use crate::intrinsics::{CombineValues, GroupCollective, GroupReduction, ReduceOp, WorkItemIntrinsic};
use crate::llvm::{Builder, Function, Module, Value};

use super::convergence::collective;

/// What `lower` has made of a reduction of a work-group.
pub struct Found<'c> {
    how: ReduceOp,
    /// The reduction of the sub-group.
    own: Value<'c>,
    /// What leaves it in local memory for the others.
    store: Value<'c>,
    barriers: [Value<'c>; 2],
    /// What combines the results of all sub-groups.
    combine: Value<'c>,
}

impl<'c> Found<'c> {
    fn at(combine: Value<'c>, how: ReduceOp) -> Option<Self> {
        let instructions = combine.block().instructions();
        let at = instructions.iter().position(|inst| *inst == combine)?;
        let (before, behind) = (&instructions[..at], &instructions[at + 1..]);
        let is_barrier = |inst: &&Value<'c>| collective(inst) == Some(GroupCollective::Barrier);
        let first = before.iter().rposition(|inst| is_barrier(&inst))?;
        let is_store = |inst: &&Value<'c>| inst.opcode() == Some(llvm_sys::LLVMOpcode::LLVMStore);
        let store = *before[..first].iter().rfind(is_store)?;
        let own = store.operand(0);
        let is_own = collective(&own) == Some(GroupCollective::Reduce(how)) && own.users() == [store];
        let is_of_all = !combine.operand(2).callee().is_some_and(is_query);
        let last = *behind.iter().find(is_barrier)?;
        (is_own && is_of_all).then_some(Self {
            how,
            own,
            store,
            barriers: [before[first], last],
            combine,
        })
    }
}

/// What asks where in a sub-group an item is, or in which one.
const QUERIES: [WorkItemIntrinsic; 2] = [WorkItemIntrinsic::Lane, WorkItemIntrinsic::SubGroup];

fn is_query(function: Function<'_>) -> bool {
    QUERIES.iter().any(|query| query.name() == function.name())
}

/// The reductions of work-groups of a module; `None` if it has none, or asks something else of groups or sub-groups.
pub fn find<'c>(module: &Module<'c>) -> Option<Vec<Found<'c>>> {
    let mut all = Vec::new();
    let (mut reductions, mut queries) = (0, 0);
    for function in module.functions() {
        let name = function.name();
        let users = Value::from(function).users();
        if let Some(CombineValues(how)) = CombineValues::from_name(&name) {
            for call in users {
                all.push(Found::at(call, how)?);
            }
        } else if is_query(function) {
            queries += users.len();
        } else {
            match GroupCollective::from_name(&name) {
                None | Some(GroupCollective::Barrier) => {}
                Some(GroupCollective::Reduce(_)) => reductions += users.len(),
                Some(_) => return None,
            }
        }
    }
    // Each has one of a sub-group, and asks for the sub-group's number once.
    let is_all = !all.is_empty() && reductions == all.len() && queries == all.len();
    is_all.then_some(all)
}

/// Makes operations of the whole group of all reductions that a module has.
pub fn join<'c>(module: &Module<'c>, found: Vec<Found<'c>>, sub_group_size: u32) {
    let b = Builder::new(module.context());
    for Found {
        how,
        own,
        store,
        barriers,
        combine,
    } in found
    {
        b.go_before(combine);
        let value = own.operand(2);
        let size = module.context().int(32).int(sub_group_size.into());
        let reduction = GroupReduction(how).declare(module, value.ty());
        let all = b.call(reduction, &[own.operand(0), value, size]);
        combine.replace_with(all);
        let mut dead = combine.operands();
        combine.erase();
        barriers.into_iter().for_each(Value::erase);
        dead.push(store.operand(1));
        store.erase();
        own.erase();
        dead.into_iter().for_each(erase_unused);
    }
    // What is declared counts as used.
    for function in module.functions() {
        let name = function.name();
        let is_of_sub_groups = matches!(GroupCollective::from_name(&name), Some(GroupCollective::Reduce(_)))
            || CombineValues::from_name(&name).is_some()
            || is_query(function);
        if is_of_sub_groups && Value::from(function).users().is_empty() {
            function.delete_with_body();
        }
    }
}

/// Deletes what nothing uses, and what only that has used. Neither loads nor has an effect.
fn erase_unused(value: Value<'_>) {
    if value.opcode().is_some() && value.users().is_empty() {
        let operands = value.operands();
        value.erase();
        operands.into_iter().for_each(erase_unused);
    }
}
