// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions: their blocks, and in which order blocks come where control flow meets again.

use std::collections::BTreeMap;
use std::ops::Range;

use spirv::Op;

use crate::fault::{Result, malformed};
use crate::module::{Inst, Module};
use crate::parse::Raw;
use crate::types::Type;

/// A function. One without blocks is an import.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub id: u32,
    /// The ids of its parameters and their types.
    pub parameters: Vec<(u32, u32)>,
    /// How many values it has.
    pub slots: usize,
    pub insts: Vec<Inst>,
    pub blocks: Vec<Block>,
}

/// A block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub label: u32,
    /// Its instructions.
    pub insts: Range<usize>,
    /// How many of them are `OpPhi`.
    pub phis: usize,
    /// Its place in an order in which loops are whole and a block comes behind those that lead to it.
    pub order: usize,
    /// The first blocks of the loops that it is in, from the outermost on.
    pub loops: Vec<usize>,
}

/// Reads the functions of a module.
pub(crate) fn read(module: &mut Module, instructions: &[Raw]) -> Result<()> {
    let mut current: Option<Function> = None;
    let mut block: Option<Block> = None;
    for raw in instructions {
        let operands = module.words[raw.operands.clone()].to_vec();
        if raw.op == Op::Function {
            let (None, [_, ty]) = (&current, operands.as_slice()) else {
                return malformed("OpFunction in a function, or without its operands");
            };
            let Type::Function { .. } = module.types.get(*ty)? else {
                return malformed("the type of OpFunction is no type of functions");
            };
            module.set_number(raw.result, module.functions.len())?;
            current = Some(Function {
                id: raw.result,
                parameters: Vec::new(),
                slots: 0,
                insts: Vec::new(),
                blocks: Vec::new(),
            });
            continue;
        }
        let Some(function) = &mut current else {
            continue;
        };
        match raw.op {
            Op::FunctionEnd => {
                if block.is_some() {
                    return malformed("a block without an end");
                }
                if let Some(function) = current.take() {
                    module.functions.push(function);
                }
            }
            Op::FunctionParameter => {
                module.types.layout(raw.ty)?;
                module.define_local(raw.result, raw.ty, function.slots)?;
                function.parameters.push((raw.result, raw.ty));
                function.slots += 1;
            }
            Op::Label => {
                if block.is_some() {
                    return malformed("a label in a block");
                }
                module.set_number(raw.result, function.blocks.len())?;
                let at = function.insts.len();
                block = Some(Block {
                    label: raw.result,
                    insts: at..at,
                    phis: 0,
                    order: 0,
                    loops: Vec::new(),
                });
            }
            Op::Line | Op::NoLine | Op::Nop | Op::LoopMerge | Op::SelectionMerge | Op::LoopControlINTEL => {}
            op => {
                let Some(open) = &mut block else {
                    return malformed(format!("Op{op:?} outside of a block, at word {}", raw.word));
                };
                if raw.result != 0 {
                    module.define_local(raw.result, raw.ty, function.slots)?;
                    function.slots += 1;
                }
                if op == Op::Phi {
                    if open.phis != function.insts.len() - open.insts.start {
                        return malformed("OpPhi behind other instructions");
                    }
                    open.phis += 1;
                }
                let inst = module.inst(raw);
                module.has_non_uniform |= inst.is_non_uniform;
                function.insts.push(inst);
                open.insts.end = function.insts.len();
                if rspirv::grammar::reflect::is_block_terminator(op) {
                    function.blocks.extend(block.take());
                }
            }
        }
    }
    if current.is_some() {
        return malformed("a function without an end");
    }
    if module.has_non_uniform {
        let orders: Vec<_> = module.functions.iter().map(|f| order(module, f)).collect();
        for (function, order) in module.functions.iter_mut().zip(orders) {
            for (block, (order, loops)) in function.blocks.iter_mut().zip(order) {
                (block.order, block.loops) = (order, loops);
            }
        }
    }
    Ok(())
}

/// Whether an operation is one of the items of a sub-group that come to it together.
pub(crate) fn is_non_uniform(op: Op) -> bool {
    let name = format!("{op:?}");
    name.starts_with("GroupNonUniform")
        || matches!(
            op,
            Op::SubgroupBallotKHR
                | Op::SubgroupFirstInvocationKHR
                | Op::SubgroupAllKHR
                | Op::SubgroupAnyKHR
                | Op::SubgroupAllEqualKHR
                | Op::SubgroupReadInvocationKHR
                | Op::SubgroupShuffleINTEL
                | Op::SubgroupShuffleDownINTEL
                | Op::SubgroupShuffleUpINTEL
                | Op::SubgroupShuffleXorINTEL
        )
}

/// The blocks that a block leads to.
fn successors(module: &Module, function: &Function, block: &Block) -> Vec<usize> {
    let Some(last) = function.insts[block.insts.clone()].last() else {
        return Vec::new();
    };
    let operands = module.operands(last, 0);
    let labels: Vec<u32> = match last.op {
        Op::Branch => operands.iter().take(1).copied().collect(),
        Op::BranchConditional => operands.iter().skip(1).take(2).copied().collect(),
        Op::Switch => {
            let is_wide = operands.first().and_then(|&id| module.type_of(id).ok());
            let is_wide = is_wide.and_then(|ty| module.types.width(ty).ok()) == Some(64);
            let step = if is_wide { 3 } else { 2 };
            let cases = operands.get(2..).unwrap_or_default();
            let targets = cases.chunks(step).filter_map(|case| case.last().copied());
            operands.get(1).copied().into_iter().chain(targets).collect()
        }
        _ => Vec::new(),
    };
    let numbers = labels.iter().filter_map(|&label| module.number(label));
    numbers.filter(|&number| number < function.blocks.len()).collect()
}

/// Blocks in postorder from the first, by the order in which successors are visited.
fn postorder(count: usize, next: &[Vec<usize>]) -> Vec<usize> {
    let (mut seen, mut done) = (vec![false; count], Vec::new());
    if count == 0 {
        return done;
    }
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, at)) = stack.pop() {
        match next[block].get(at) {
            Some(&to) => {
                stack.push((block, at + 1));
                if !seen[to] {
                    seen[to] = true;
                    stack.push((to, 0));
                }
            }
            None => done.push(block),
        }
    }
    done
}

/// The place of each block in reverse postorder, where what leaves a loop comes behind all of the loop; and its loops.
fn order(module: &Module, function: &Function) -> Vec<(usize, Vec<usize>)> {
    let count = function.blocks.len();
    let mut next: Vec<Vec<usize>> = function
        .blocks
        .iter()
        .map(|b| successors(module, function, b))
        .collect();
    let mut previous = vec![Vec::new(); count];
    for (from, targets) in next.iter().enumerate() {
        for &to in targets {
            previous[to].push(from);
        }
    }
    // Dominators, by Cooper, Harvey and Kennedy.
    let post = postorder(count, &next);
    let mut rank = vec![usize::MAX; count];
    for (at, &block) in post.iter().enumerate() {
        rank[block] = at;
    }
    let mut dominator = vec![usize::MAX; count];
    if count > 0 {
        dominator[0] = 0;
    }
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for &block in post.iter().rev().filter(|&&b| b != 0) {
            let known = previous[block].iter().filter(|&&p| dominator[p] != usize::MAX);
            let new = known.copied().reduce(|mut a, mut b| {
                while a != b {
                    while rank[a] < rank[b] {
                        a = dominator[a];
                    }
                    while rank[b] < rank[a] {
                        b = dominator[b];
                    }
                }
                a
            });
            if let Some(new) = new.filter(|&new| dominator[block] != new) {
                dominator[block] = new;
                is_changed = true;
            }
        }
    }
    let dominates = |a: usize, mut b: usize| {
        while rank[b] < rank[a] {
            b = dominator[b];
        }
        a == b
    };
    // The blocks of each natural loop, by its first.
    let mut loops: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
    for (from, targets) in next.iter().enumerate().filter(|(from, _)| rank[*from] != usize::MAX) {
        for &head in targets.iter().filter(|&&to| dominates(to, from)) {
            let members = loops.entry(head).or_insert_with(|| vec![false; count]);
            members[head] = true;
            let mut work = vec![from];
            while let Some(block) = work.pop() {
                if !std::mem::replace(&mut members[block], true) {
                    work.extend(previous[block].iter().filter(|&&p| rank[p] != usize::MAX));
                }
            }
        }
    }
    // What is visited first comes last.
    for (from, targets) in next.iter_mut().enumerate() {
        targets.sort_by_key(|&to| loops.values().filter(|l| l[from] && l[to]).count());
    }
    let mut places = vec![(usize::MAX, Vec::new()); count];
    for (at, block) in postorder(count, &next).into_iter().rev().enumerate() {
        let around = loops.iter().filter(|(_, members)| members[block]);
        let mut around: Vec<usize> = around.map(|(&head, _)| head).collect();
        around.sort_by_key(|head| std::cmp::Reverse(loops[head].iter().filter(|&&is_member| is_member).count()));
        places[block] = (at, around);
    }
    places
}
