// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Phis become variables on the stack.
//!
//! LLVM's fast register allocator keeps nothing in registers from one block to the next. A phi has two places in memory then: one
//! that the blocks before it write, and another one to which that is copied. So what goes round a loop is written and read
//! twice in each round. A variable is one place, which each block that uses it reads.

use crate::control_flow::ControlFlow;
use crate::llvm::{Block, Builder, Module};

/// Replaces the phis of a module.
pub fn replace_phis(module: &Module<'_>) {
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        // What a phi uses moves to the new blocks, so that other phis may be needed longer.
        let cfg = loop {
            let cfg = ControlFlow::new(function);
            let edges = edges_to_split(&cfg);
            if edges.is_empty() {
                break cfg;
            }
            for (from, to) in edges {
                split_edge(module, cfg.blocks[from], cfg.blocks[to]);
            }
        };
        replace_phis_of(module, &cfg);
    }
}

fn replace_phis_of<'c>(module: &Module<'c>, cfg: &ControlFlow<'c>) {
    let b = Builder::new(module.context());
    let mut replaced = Vec::new();
    for (home, &phis) in cfg.phis.iter().enumerate() {
        for &phi in &cfg.instructions[home][..phis] {
            b.go_before(cfg.start(0));
            let variable = b.alloca(phi.ty());
            // Where it stays as it is, nothing is to be written.
            let stays: Vec<_> = phi.incoming().iter().map(|(value, _)| *value == phi).collect();
            let mut uses = cfg.uses(phi);
            uses.retain(|used| used.user != phi);
            cfg.load_where_used(&b, &uses, || b.load(phi.ty(), variable));
            replaced.push((phi, variable, stays));
        }
    }
    // All loads are at the beginnings of blocks, so before these.
    for (phi, variable, stays) in replaced {
        let mut written = Vec::new();
        for ((value, from), stays) in phi.incoming().into_iter().zip(stays) {
            // A block may have several ways to another.
            if !stays && !written.contains(&from) {
                written.push(from);
                b.go_before(from.terminator().expect("a block ends with a terminator"));
                b.store(value, variable);
            }
        }
        phi.replace_with(phi.ty().poison());
        phi.erase();
    }
}

/// The edges to blocks with phis from blocks that also lead to others, where one of these phis is still needed: what is written at
/// the end of such a block would be too early. That a phi stays as it is counts as need, too.
fn edges_to_split(cfg: &ControlFlow<'_>) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    for (home, &phis) in cfg.phis.iter().enumerate() {
        let mut forks = cfg.predecessors[home].clone();
        forks.retain(|&from| cfg.successors[from].len() > 1);
        for &phi in &cfg.instructions[home][..phis] {
            if forks.is_empty() {
                break;
            }
            let alive = cfg.alive(home, cfg.uses(phi).iter().map(|used| used.block));
            forks.retain(|&from| {
                let mut others = cfg.successors[from].iter().filter(|&&to| to != home);
                let is_needed = others.any(|to| alive.contains(to));
                if is_needed {
                    edges.push((from, home));
                }
                !is_needed
            });
        }
    }
    edges
}

/// Puts a block between two.
fn split_edge<'c>(module: &Module<'c>, from: Block<'c>, to: Block<'c>) {
    let b = Builder::new(module.context());
    let between = from.function().append_block("edge");
    between.move_after(from);
    from.redirect(to, between);
    b.go_to_end(between);
    b.br(to);
    for phi in to.phis() {
        let mut incoming = phi.incoming();
        let at = incoming.iter().position(|(_, before)| *before == from);
        // There is one way now, if there were several.
        incoming[at.expect("control came from there")].1 = between;
        incoming.retain(|(_, before)| *before != from);
        b.replace_phi(phi, &incoming);
    }
}
