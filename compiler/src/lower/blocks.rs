// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The blocks of a function, in an order in which values are defined before they are used.

use std::collections::HashMap;

use spirv::Op;

use crate::Error;
use crate::spirv::{self as front, Id, Inst};

/// A block of a function.
pub(super) struct SourceBlock<'m> {
    pub label: Id,
    /// Its instructions, the last of which ends it.
    pub instructions: Vec<Inst<'m>>,
}

/// The blocks of a function, each with its end.
pub(super) fn blocks_of<'m>(
    module: &'m front::Module,
    source: &front::Function,
) -> Result<Vec<SourceBlock<'m>>, Error> {
    let mut blocks: Vec<SourceBlock<'m>> = Vec::new();
    let mut open = false;
    for inst in module.instructions(source.start, source.end) {
        match inst.op {
            Op::Function | Op::FunctionParameter | Op::Line | Op::NoLine => {}
            Op::Nop if inst.is_known() && inst.code == 0 => {}
            Op::Label => {
                if open {
                    return Err(inst.malformed("the block before has no end"));
                }
                open = true;
                blocks.push(SourceBlock {
                    label: inst.result().unwrap_or_default(),
                    instructions: Vec::new(),
                });
            }
            _ => {
                let Some(block) = blocks.last_mut().filter(|_| open) else {
                    return Err(inst.malformed("it stands outside of blocks"));
                };
                block.instructions.push(inst);
                open = !is_end(inst.op);
            }
        }
    }
    if open || blocks.is_empty() {
        return Err(Error::Malformed {
            offset: source.end * 4,
            what: "a block has no end".into(),
        });
    }
    Ok(blocks)
}

fn is_end(op: Op) -> bool {
    matches!(
        op,
        Op::Branch | Op::BranchConditional | Op::Switch | Op::Return | Op::ReturnValue | Op::Unreachable
    )
}

/// The reachable blocks, each after those that dominate it. (SPIR-V requires that order, but not every producer follows
/// it.)
pub(super) fn order<'b, 'm>(blocks: &'b [SourceBlock<'m>]) -> Vec<&'b SourceBlock<'m>> {
    let number: HashMap<Id, usize> = blocks.iter().enumerate().map(|(i, b)| (b.label, i)).collect();
    // Every word that is the id of a block counts. A literal with the same value adds an edge, which does no harm.
    let targets = |block: &SourceBlock<'_>| -> Vec<usize> {
        let end = block.instructions.last().expect("it has an end");
        end.operands().iter().filter_map(|id| number.get(id).copied()).collect()
    };
    let mut post = Vec::new();
    let mut seen = vec![false; blocks.len()];
    seen[0] = true;
    let mut stack = vec![(0, targets(&blocks[0]), 0)];
    while let Some((block, next, at)) = stack.last_mut() {
        match next.get(*at).copied() {
            Some(to) => {
                *at += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, targets(&blocks[to]), 0));
                }
            }
            None => {
                post.push(&blocks[*block]);
                stack.pop();
            }
        }
    }
    post.reverse();
    post
}
