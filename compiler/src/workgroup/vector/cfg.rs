// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The control flow graph of a function: a block order in which loops are contiguous, loops, post-dominators.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::llvm::{Block, Function};

/// A block's index in the order.
pub type Node = usize;

/// A natural loop.
#[derive(Debug)]
pub struct Loop {
    /// Its header.
    pub header: Node,
    /// Its blocks, with those of inner loops.
    pub blocks: FxHashSet<Node>,
    /// The loop that contains it.
    pub parent: Option<usize>,
}

impl Loop {
    /// Its blocks, in the order of the program.
    pub fn in_order(&self) -> Vec<Node> {
        in_order(&self.blocks)
    }
}

/// Blocks in the order of the program.
pub fn in_order(blocks: &FxHashSet<Node>) -> Vec<Node> {
    let mut nodes: Vec<Node> = blocks.iter().copied().collect();
    nodes.sort_unstable();
    nodes
}

/// The control flow of a function.
pub struct Cfg<'c> {
    /// The blocks, each after its predecessors except for back edges. No other blocks are between those of a loop.
    pub blocks: Vec<Block<'c>>,
    /// The index of each block.
    pub number: FxHashMap<Block<'c>, Node>,
    /// The successors of each block.
    pub successors: Vec<Vec<Node>>,
    /// The predecessors of each block.
    pub predecessors: Vec<Vec<Node>>,
    /// The loops, outer ones first.
    pub loops: Vec<Loop>,
    /// The innermost loop of a block.
    pub loop_of: Vec<Option<usize>>,
    /// The immediate post-dominator of each block; `None` for the exit.
    pub post_dominator: Vec<Option<Node>>,
}

impl<'c> Cfg<'c> {
    /// Analyzes a function. A loop with several entries is an error.
    pub fn new(function: Function<'c>) -> Result<Self, String> {
        let all = function.blocks();
        let raw_number: FxHashMap<_, _> = all.iter().enumerate().map(|(i, &b)| (b, i)).collect();
        let raw: Vec<Vec<usize>> = all
            .iter()
            .map(|b| b.successors().iter().map(|s| raw_number[s]).collect())
            .collect();
        let reachable = reverse_post_order(&raw, 0);
        let dominators = dominators(&raw, &reachable);
        let raw_loops = find_loops(&raw, &reachable, &dominators)?;
        let order = arrange(&raw, &raw_loops);
        let place: FxHashMap<usize, Node> = order.iter().enumerate().map(|(at, &b)| (b, at)).collect();
        let blocks: Vec<_> = order.iter().map(|&b| all[b]).collect();
        let number = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
        let successors: Vec<Vec<Node>> = order
            .iter()
            .map(|&b| raw[b].iter().map(|s| place[s]).collect())
            .collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (from, to) in successors.iter().enumerate() {
            for &to in to {
                predecessors[to].push(from);
            }
        }
        let mut loops: Vec<Loop> = raw_loops
            .into_iter()
            .map(|l| Loop {
                header: place[&l.header],
                blocks: l.blocks.iter().map(|b| place[b]).collect(),
                parent: l.parent,
            })
            .collect();
        let mut loop_of = vec![None; blocks.len()];
        // Outer loops first, so that an inner loop overwrites them.
        for (i, l) in loops.iter_mut().enumerate() {
            for &b in &l.blocks {
                loop_of[b] = Some(i);
            }
        }
        let post_dominator = post_dominators(&successors);
        Ok(Self {
            blocks,
            number,
            successors,
            predecessors,
            loops,
            loop_of,
            post_dominator,
        })
    }

    /// Whether an edge is a back edge, to the header of a loop that contains its source.
    pub fn is_back_edge(&self, from: Node, to: Node) -> bool {
        to <= from
    }

    /// Whether no item can be waiting in a block when others come there by an edge: it is the first one, of those that do not leave a
    /// loop, or the only back edge, for which all items that stay in the loop have come.
    pub fn arrives_first(&self, from: Node, to: Node) -> bool {
        let others = || self.predecessors[to].iter().filter(|&&p| p != from);
        let is_first = match self.is_back_edge(from, to) {
            true => others().all(|&p| !self.is_back_edge(p, to)),
            false => others().all(|&p| p > from),
        };
        is_first && self.left_by(from, to).is_empty()
    }

    /// The blocks that edges leave a loop for. One may come several times.
    pub fn exits(&self, number: usize) -> impl Iterator<Item = Node> {
        let inside = &self.loops[number].blocks;
        let successors = inside.iter().flat_map(|&block| self.successors[block].iter().copied());
        successors.filter(|to| !inside.contains(to))
    }

    /// The loops that an edge leaves, innermost first.
    pub fn left_by(&self, from: Node, to: Node) -> Vec<usize> {
        let mut left = Vec::new();
        let mut at = self.loop_of[from];
        while let Some(l) = at {
            if self.loops[l].blocks.contains(&to) {
                break;
            }
            left.push(l);
            at = self.loops[l].parent;
        }
        left
    }

    /// The blocks on all paths from a block to its post-dominator, without these two.
    pub fn influence(&self, from: Node) -> FxHashSet<Node> {
        let stop = self.post_dominator[from];
        let mut seen = FxHashSet::default();
        let mut todo: Vec<Node> = self.successors[from].clone();
        while let Some(node) = todo.pop() {
            if Some(node) != stop && seen.insert(node) {
                todo.extend(&self.successors[node]);
            }
        }
        seen
    }
}

fn reverse_post_order(successors: &[Vec<usize>], entry: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; successors.len()];
    let mut stack = vec![(entry, 0)];
    seen[entry] = true;
    while let Some((node, next)) = stack.last_mut() {
        match successors[*node].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Immediate dominators by the algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm").
fn dominators(successors: &[Vec<usize>], order: &[usize]) -> FxHashMap<usize, usize> {
    let rank: FxHashMap<_, _> = order.iter().enumerate().map(|(i, &b)| (b, i)).collect();
    let mut predecessors: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for &from in order {
        for &to in &successors[from] {
            predecessors.entry(to).or_default().push(from);
        }
    }
    let mut dominator: FxHashMap<usize, usize> = FxHashMap::from_iter([(order[0], order[0])]);
    let mut changed = true;
    while changed {
        changed = false;
        for &node in &order[1..] {
            let mut new: Option<usize> = None;
            for &p in predecessors.get(&node).map_or(&[][..], Vec::as_slice) {
                if !dominator.contains_key(&p) {
                    continue;
                }
                new = Some(match new {
                    None => p,
                    Some(other) => {
                        let (mut a, mut b) = (p, other);
                        while a != b {
                            while rank[&a] > rank[&b] {
                                a = dominator[&a];
                            }
                            while rank[&b] > rank[&a] {
                                b = dominator[&b];
                            }
                        }
                        a
                    }
                });
            }
            if let Some(new) = new
                && dominator.insert(node, new) != Some(new)
            {
                changed = true;
            }
        }
    }
    dominator
}

struct RawLoop {
    header: usize,
    blocks: FxHashSet<usize>,
    parent: Option<usize>,
}

fn find_loops(
    successors: &[Vec<usize>],
    order: &[usize],
    dominator: &FxHashMap<usize, usize>,
) -> Result<Vec<RawLoop>, String> {
    let rank: FxHashMap<_, _> = order.iter().enumerate().map(|(i, &b)| (b, i)).collect();
    let dominates = |a: usize, mut b: usize| {
        loop {
            if a == b {
                return true;
            }
            let up = dominator[&b];
            if up == b {
                return false;
            }
            b = up;
        }
    };
    let mut predecessors: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    let mut by_header: FxHashMap<usize, FxHashSet<usize>> = FxHashMap::default();
    for &from in order {
        for &to in &successors[from] {
            predecessors.entry(to).or_default().push(from);
        }
    }
    for &from in order {
        for &to in &successors[from] {
            if rank[&to] > rank[&from] {
                continue;
            }
            if !dominates(to, from) {
                return Err("a loop has several entries".into());
            }
            // All blocks that reach the back edge without passing the header.
            let blocks = by_header.entry(to).or_insert_with(|| FxHashSet::from_iter([to]));
            let mut todo = vec![from];
            while let Some(node) = todo.pop() {
                if blocks.insert(node) {
                    todo.extend(predecessors.get(&node).into_iter().flatten());
                }
            }
        }
    }
    let mut loops: Vec<RawLoop> = by_header
        .into_iter()
        .map(|(header, blocks)| RawLoop {
            header,
            blocks,
            parent: None,
        })
        .collect();
    // Outer ones first.
    loops.sort_by_key(|l| (std::cmp::Reverse(l.blocks.len()), rank[&l.header]));
    for i in 0..loops.len() {
        loops[i].parent = (0..i).rev().find(|&j| loops[j].blocks.contains(&loops[i].header));
    }
    Ok(loops)
}

/// An order in which loops are contiguous: outside of a loop, the loop counts as one node.
fn arrange(successors: &[Vec<usize>], loops: &[RawLoop]) -> Vec<usize> {
    let mut innermost: FxHashMap<usize, usize> = FxHashMap::default();
    for (i, l) in loops.iter().enumerate() {
        for &b in &l.blocks {
            innermost.insert(b, i);
        }
    }
    let mut order = Vec::new();
    arrange_in(successors, loops, &innermost, None, 0, &mut order);
    order
}

fn arrange_in(
    successors: &[Vec<usize>],
    loops: &[RawLoop],
    innermost: &FxHashMap<usize, usize>,
    within: Option<usize>,
    entry: usize,
    order: &mut Vec<usize>,
) {
    // The child of `within` that contains a block, or the block itself.
    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    enum Part {
        Block(usize),
        Loop(usize),
    }
    let part_of = |block: usize| {
        let mut at = innermost.get(&block).copied();
        let mut child = None;
        while at != within {
            let l = at?;
            child = Some(l);
            at = loops[l].parent;
        }
        Some(child.map_or(Part::Block(block), Part::Loop))
    };
    let is_inside = |block: usize| within.is_none_or(|l| loops[l].blocks.contains(&block));
    let successors_of = |part: Part| -> Vec<Part> {
        let targets: Vec<usize> = match part {
            Part::Block(b) => successors[b].clone(),
            Part::Loop(l) => {
                let mut blocks: Vec<_> = loops[l].blocks.iter().copied().collect();
                blocks.sort_unstable();
                blocks
                    .iter()
                    .flat_map(|&b| successors[b].clone())
                    .filter(|t| !loops[l].blocks.contains(t))
                    .collect()
            }
        };
        targets
            .into_iter()
            .filter(|&t| is_inside(t) && within.is_none_or(|l| loops[l].header != t))
            .filter_map(part_of)
            .collect()
    };
    let first = if within.is_some() {
        Part::Block(entry)
    } else {
        part_of(entry).expect("the entry is somewhere")
    };
    let mut seen = FxHashSet::from_iter([first]);
    let mut post = Vec::new();
    let mut stack = vec![(first, successors_of(first), 0)];
    while let Some((part, next, at)) = stack.last_mut() {
        match next.get(*at).copied() {
            Some(to) => {
                *at += 1;
                if seen.insert(to) {
                    let following = successors_of(to);
                    stack.push((to, following, 0));
                }
            }
            None => {
                post.push(*part);
                stack.pop();
            }
        }
    }
    for part in post.into_iter().rev() {
        match part {
            Part::Block(b) => order.push(b),
            Part::Loop(l) => arrange_in(successors, loops, innermost, Some(l), loops[l].header, order),
        }
    }
}

/// Immediate post-dominators: dominators of the reversed graph, with a virtual exit after all blocks without
/// successors.
fn post_dominators(successors: &[Vec<Node>]) -> Vec<Option<Node>> {
    let end = successors.len();
    let mut turned = vec![Vec::new(); end + 1];
    for (from, to) in successors.iter().enumerate() {
        for &to in to {
            turned[to].push(from);
        }
        if to.is_empty() {
            turned[end].push(from);
        }
    }
    let order = reverse_post_order(&turned, end);
    let dominator = dominators(&turned, &order);
    (0..end)
        .map(|n| dominator.get(&n).copied().filter(|&d| d != end && d != n))
        .collect()
}
