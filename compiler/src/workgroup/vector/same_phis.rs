// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Congruent phis become one: a kernel that keeps its result twice, as dpnp's `argmax` does, would have it in twice as many registers.
//!
//! Phis of a loop are congruent if that follows from assuming it. LLVM's `gvn` is pessimistic: it assumes nothing (`newgvn` does).

use llvm_sys::LLVMOpcode as L;

use crate::llvm::{Function, Value};

/// The most phis that may have to be the same at once.
const MOST: usize = 16;

/// The most times that phis become one.
const MOST_MERGES: usize = 32;

/// Has phis that are the same be one.
pub fn merge(kernel: Function<'_>) {
    for _ in 0..MOST_MERGES {
        let Some(pairs) = kernel.blocks().into_iter().find_map(|block| same_of(&block.phis())) else {
            return;
        };
        pairs.iter().for_each(|(first, other)| other.replace_with(*first));
        pairs.into_iter().for_each(|(_, other)| other.erase());
    }
}

/// Pairs of phis that are the same, with one of these.
fn same_of<'c>(phis: &[Value<'c>]) -> Option<Vec<(Value<'c>, Value<'c>)>> {
    let phis = &phis[..phis.len().min(MOST)];
    let all = phis.iter().enumerate();
    let mut both = all.flat_map(|(at, &other)| phis[..at].iter().map(move |&first| (first, other)));
    both.find_map(|(first, other)| {
        let mut pairs = Vec::new();
        are_same(first, other, &mut pairs).then_some(pairs)
    })
}

/// Whether two values are the same if pairs of phis are, to which it adds those that have to be.
fn are_same<'c>(first: Value<'c>, other: Value<'c>, pairs: &mut Vec<(Value<'c>, Value<'c>)>) -> bool {
    if first == other || pairs.contains(&(first, other)) {
        return true;
    }
    let is_phi = |value: Value<'c>| value.opcode() == Some(L::LLVMPHI);
    let are_phis = is_phi(first) && is_phi(other) && first.block() == other.block();
    // A phi in two pairs would be replaced by what is no more.
    let is_new = |value| !pairs.iter().any(|&(a, b)| a == value || b == value);
    if !are_phis || first.ty() != other.ty() || pairs.len() == MOST || !is_new(first) || !is_new(other) {
        return false;
    }
    pairs.push((first, other));
    let others = other.incoming();
    let mut incoming = first.incoming().into_iter();
    incoming.all(|(value, from)| {
        let same_edge = others.iter().find(|(_, other)| *other == from);
        same_edge.is_some_and(|&(other, _)| are_same(value, other, pairs))
    })
}
