// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! If-conversion: a branch where lanes part, around a few simple instructions, becomes selects.
//!
//! Such instructions run in all lanes anyway. With a branch, each value that comes out of it is blended twice, once from each side,
//! and both sides have masks.

use llvm_sys::LLVMOpcode as L;

use super::calls::is_cheap;
use super::cfg::{Cfg, Node};
use super::divergence::{Ids, VectorShapes};
use crate::llvm::{Block, Builder, Function, Kind, Module, Value};

/// The most instructions of a side, or of another block that runs for no lane, too.
pub const LONGEST_SIDE: usize = 24;

/// A branch whose sides meet again behind one block at most.
struct Hammock {
    from: Node,
    /// The blocks between, on the ways of a true and a false condition, where there are any.
    sides: [Option<Node>; 2],
    to: Node,
}

/// Converts all such branches whose sides have no branches themselves. The result says whether there were any.
pub fn convert(module: &Module<'_>, kernel: Function<'_>, lanes: u32, ids: Ids) -> Result<bool, String> {
    let cfg = Cfg::new(kernel)?;
    let mut hammocks: Vec<Hammock> = (0..cfg.blocks.len())
        .filter_map(|from| Hammock::of(&cfg, from))
        .collect();
    if hammocks.is_empty() {
        return Ok(false);
    }
    let shapes = VectorShapes::new(module, &cfg, lanes, ids);
    hammocks.retain(|hammock| shapes.divergent_branches.contains(&hammock.from));
    for hammock in &hammocks {
        hammock.convert(module, &cfg);
    }
    Ok(!hammocks.is_empty())
}

/// Whether an instruction may run where its result is not needed, and takes a few steps of the CPU.
pub fn is_simple(inst: Value<'_>) -> bool {
    match inst.opcode() {
        Some(L::LLVMGetElementPtr) => true,
        Some(L::LLVMAdd | L::LLVMSub | L::LLVMMul | L::LLVMShl | L::LLVMLShr | L::LLVMAShr) => true,
        Some(L::LLVMAnd | L::LLVMOr | L::LLVMXor | L::LLVMICmp | L::LLVMFCmp | L::LLVMSelect) => true,
        Some(L::LLVMFAdd | L::LLVMFSub | L::LLVMFMul | L::LLVMFNeg | L::LLVMFreeze) => true,
        Some(L::LLVMTrunc | L::LLVMZExt | L::LLVMSExt | L::LLVMBitCast) => true,
        Some(L::LLVMCall) => inst.callee().is_some_and(|f| is_cheap(&f.name())),
        _ => false,
    }
}

impl Hammock {
    fn of(cfg: &Cfg<'_>, from: Node) -> Option<Self> {
        let &[yes, no] = cfg.successors[from].as_slice() else {
            return None;
        };
        let after = |side: Node| match (cfg.predecessors[side].as_slice(), cfg.successors[side].as_slice()) {
            (&[_], &[to]) if is_side(cfg.blocks[side]) => Some(to),
            _ => None,
        };
        let (sides, to) = match (after(yes), after(no)) {
            (Some(a), Some(b)) if a == b => ([Some(yes), Some(no)], a),
            (Some(a), _) if a == no => ([Some(yes), None], no),
            (_, Some(b)) if b == yes => ([None, Some(no)], yes),
            _ => return None,
        };
        let is_in_loop = |&node: &Node| cfg.loop_of[node] == cfg.loop_of[from];
        let in_one_loop = is_in_loop(&to) && sides.iter().flatten().all(is_in_loop);
        let is_value = |inst: &Value<'_>| {
            let ty = inst.ty().scalar();
            matches!(ty.kind(), Kind::Int(_) | Kind::Float(_) | Kind::Pointer)
        };
        let fits =
            yes != no && !cfg.is_back_edge(from, to) && in_one_loop && cfg.blocks[to].phis().iter().all(is_value);
        fits.then_some(Self { from, sides, to })
    }

    fn convert<'c>(&self, module: &Module<'c>, cfg: &Cfg<'c>) {
        let (from, to) = (cfg.blocks[self.from], cfg.blocks[self.to]);
        let branch = from.terminator().expect("a block ends with a terminator");
        let b = Builder::new(module.context());
        for side in self.sides.iter().flatten().map(|&side| cfg.blocks[side]) {
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
        let sources = self.sides.map(|side| side.map_or(from, |side| cfg.blocks[side]));
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

/// Whether a block has nothing but a few simple instructions.
fn is_side(block: Block<'_>) -> bool {
    let instructions = block.instructions();
    let (last, rest) = instructions.split_last().expect("a block ends with a terminator");
    last.opcode() == Some(L::LLVMBr) && rest.len() < LONGEST_SIDE && rest.iter().all(|inst| is_simple(*inst))
}
