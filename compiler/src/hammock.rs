// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Hammocks: branches whose sides meet again behind one block at most.

use llvm_sys::LLVMOpcode as L;

use crate::llvm::{Block, Builder, Module, Value};

/// A branch whose sides meet again behind one block at most.
pub struct Hammock<'c> {
    pub from: Block<'c>,
    /// The blocks between, on the ways of a true and a false condition, where there are any. Control comes to them from the branch only.
    pub sides: [Option<Block<'c>>; 2],
    pub to: Block<'c>,
}

impl<'c> Hammock<'c> {
    /// Has both sides run, one after the other, and selects what they computed. Their instructions must be such that they may run
    /// where their results are not needed.
    pub fn convert(&self, module: &Module<'c>) {
        let (from, to) = (self.from, self.to);
        let branch = from.terminator().expect("a block ends with a terminator");
        let b = Builder::new(module.context());
        for side in self.sides.into_iter().flatten() {
            b.go_before(branch);
            for inst in side.instructions() {
                if inst.opcode() == Some(L::LLVMBr) {
                    inst.erase();
                } else {
                    inst.detach();
                    b.insert(inst);
                }
            }
            b.go_to_end(side);
            b.unreachable();
        }
        let condition = branch.operand(0);
        let sources = self.sides.map(|side| side.unwrap_or(from));
        for phi in to.phis() {
            let incoming = phi.incoming();
            let [yes, no] = sources.map(|source| incoming.iter().find(|i| i.1 == source).expect("one an edge").0);
            b.go_before(branch);
            let chosen = match yes == no {
                true => yes,
                false => b.select(condition, yes, no),
            };
            let others = incoming.iter().copied().filter(|i| !sources.contains(&i.1));
            let all: Vec<(Value<'c>, Block<'c>)> = others.chain([(chosen, from)]).collect();
            b.replace_phi(phi, &all);
        }
        b.go_before(branch);
        b.br(to);
        branch.erase();
    }
}

/// The sides of a branch, and where they meet. `after` tells where control goes from what may be a side.
pub fn meet<N: Copy + PartialEq>([yes, no]: [N; 2], after: impl Fn(N) -> Option<N>) -> Option<([Option<N>; 2], N)> {
    match (after(yes), after(no)) {
        _ if yes == no => None,
        (Some(a), Some(b)) if a == b => Some(([Some(yes), Some(no)], a)),
        (Some(a), _) if a == no => Some(([Some(yes), None], no)),
        (_, Some(b)) if b == yes => Some(([None, Some(no)], yes)),
        _ => None,
    }
}
