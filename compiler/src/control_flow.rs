// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The control flow of a function, and where it uses its values.

use llvm_sys::LLVMOpcode as L;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::llvm::{Block, Builder, Function, Value};

/// The use of a value as an operand.
#[derive(Clone, Copy, Debug)]
pub struct Use<'c> {
    /// The instruction.
    pub user: Value<'c>,
    /// The number of the operand.
    pub operand: u32,
    /// The block that needs the value: the instruction's, or for a phi the one that control comes from, at its end.
    pub block: usize,
}

/// The blocks of a function, by number. Instructions that are inserted later are not in it.
#[derive(Debug)]
pub struct ControlFlow<'c> {
    /// In the order of the function.
    pub blocks: Vec<Block<'c>>,
    /// Those of each block.
    pub instructions: Vec<Vec<Value<'c>>>,
    /// How many phis each block begins with.
    pub phis: Vec<usize>,
    /// The blocks from which control comes to each, once.
    pub predecessors: Vec<Vec<usize>>,
    /// The blocks to which it goes, once.
    pub successors: Vec<Vec<usize>>,
    numbers: FxHashMap<Block<'c>, usize>,
}

impl<'c> ControlFlow<'c> {
    /// That of a function now.
    pub fn new(function: Function<'c>) -> Self {
        let blocks = function.blocks();
        let numbers: FxHashMap<_, _> = blocks.iter().copied().zip(0..).collect();
        let successors = blocks.iter().map(|block| {
            let mut numbers: Vec<_> = block.successors().iter().map(|to| numbers[to]).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        });
        let successors: Vec<Vec<_>> = successors.collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (from, to) in successors.iter().enumerate() {
            to.iter().for_each(|&to| predecessors[to].push(from));
        }
        let instructions: Vec<_> = blocks.iter().map(|block| block.instructions()).collect();
        let is_phi = |inst: &&Value<'c>| inst.opcode() == Some(L::LLVMPHI);
        let phis = instructions.iter().map(|all| all.iter().take_while(is_phi).count());
        Self {
            phis: phis.collect(),
            blocks,
            instructions,
            predecessors,
            successors,
            numbers,
        }
    }

    /// The number of a block.
    pub fn number(&self, block: Block<'c>) -> usize {
        self.numbers[&block]
    }

    /// The first instruction of a block behind its phis.
    pub fn start(&self, block: usize) -> Value<'c> {
        self.instructions[block][self.phis[block]]
    }

    /// The uses of a value, which are all in the function.
    pub fn uses(&self, value: Value<'c>) -> Vec<Use<'c>> {
        let mut uses = Vec::new();
        let mut users = value.users();
        users.dedup();
        for user in users {
            let from: Vec<_> = match user.opcode() {
                Some(L::LLVMPHI) => user.incoming().iter().map(|incoming| self.number(incoming.1)).collect(),
                _ => Vec::new(),
            };
            for (operand, used) in (0..).zip(user.operands()) {
                if used == value {
                    let block = from.get(operand as usize).copied();
                    let block = block.unwrap_or_else(|| self.number(user.block()));
                    uses.push(Use { user, operand, block });
                }
            }
        }
        uses
    }

    /// Puts a load in the place of uses: one for each block that needs it, which `load` builds at the beginning of the block.
    pub fn load_where_used(&self, b: &Builder<'c>, uses: &[Use<'c>], mut load: impl FnMut() -> Value<'c>) {
        let mut loads = FxHashMap::default();
        for &Use { user, operand, block } in uses {
            let value = *loads.entry(block).or_insert_with(|| {
                b.go_before(self.start(block));
                load()
            });
            user.set_operand(operand, value);
        }
    }

    /// The blocks that begin with a value alive which the block `home` defines, and which these blocks use.
    pub fn alive(&self, home: usize, used: impl Iterator<Item = usize>) -> FxHashSet<usize> {
        let mut todo: Vec<_> = used.filter(|&block| block != home).collect();
        let mut alive = FxHashSet::default();
        while let Some(block) = todo.pop() {
            if alive.insert(block) {
                todo.extend(self.predecessors[block].iter().filter(|&&from| from != home));
            }
        }
        alive
    }
}
