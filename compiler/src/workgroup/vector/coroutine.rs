// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Barriers in vectorized kernels, which become LLVM coroutines.
//!
//! LLVM splits such a function at each barrier, and keeps what is live across one in a frame that the runtime allocates.
//! A barrier is a return to the runtime, which resumes the function when the whole group has arrived. No stack is switched.

use std::collections::HashSet;

use llvm_sys::LLVMOpcode;

use crate::llvm::{Block, Builder, Context, Function, Machine, Module, Value};

/// What is done before functions are cut: values that do not live across a barrier should be seen not to. (No `instcombine`:
/// it moves sums behind a barrier, so that all that they are made of would be kept.)
const BEFORE: &str = "always-inline,function(sroa<modify-cfg>,early-cse<memssa>,instsimplify,simplifycfg,gvn,adce)";

/// Cuts the coroutines of a module.
pub fn split(machine: &Machine, module: &Module<'_>) -> Result<(), String> {
    module.verify()?;
    machine.run_passes(module, BEFORE, false)?;
    let is_alloca = |i: &Value<'_>| i.opcode() == Some(LLVMOpcode::LLVMAlloca);
    let clean: Vec<String> = module
        .functions()
        .into_iter()
        .filter(|f| !f.blocks().iter().any(|b| b.instructions().iter().any(is_alloca)))
        .map(|f| format!("{}.resume", f.name()))
        .collect();
    for function in module.functions() {
        prevent_remat(function, module.context());
    }
    machine.run_passes(module, "coro-early,cgscc(coro-split)", false)?;
    // Without variables in the frame, nothing else points to it.
    for resume in clean.iter().filter_map(|name| module.function(name)) {
        resume.param_attribute(0, "noalias", 0);
    }
    Ok(())
}

/// Keeps LLVM from computing vectors anew behind a barrier, from what would have to be kept instead of them: it takes all
/// arithmetic for cheap. What it must keep are the results of instructions that it does not know how to repeat.
fn prevent_remat<'c>(function: Function<'c>, cx: &'c Context) {
    let suspends = |block: &Block<'c>| {
        let mut calls = block.instructions().into_iter().filter_map(Value::callee);
        calls.any(|f| f.name().starts_with("llvm.coro.suspend"))
    };
    let blocks = function.blocks();
    let waiting: HashSet<Block<'c>> = blocks.iter().copied().filter(suspends).collect();
    if waiting.is_empty() {
        return;
    }
    for &block in &blocks {
        let values: Vec<_> = block.instructions().into_iter().filter(|&i| is_costly(i)).collect();
        if values.is_empty() {
            continue;
        }
        let behind = behind_a_barrier(block, &waiting);
        for value in values {
            let users = value.users();
            if !users.iter().any(|u| behind.contains(&u.block())) {
                continue;
            }
            let b = Builder::new(cx);
            let after = block.instructions().into_iter().skip_while(|&i| i != value).nth(1);
            b.go_before(after.expect("a block has an end"));
            let pinned = b.freeze(value);
            for user in users {
                for (i, operand) in user.operands().into_iter().enumerate() {
                    if operand == value && user.block() != block {
                        user.set_operand(i as u32, pinned);
                    }
                }
            }
        }
    }
}

/// Whether to keep the result of an instruction rather than to compute it anew.
fn is_costly(inst: Value<'_>) -> bool {
    use LLVMOpcode::*;
    let costs = match inst.opcode() {
        Some(LLVMAdd | LLVMSub | LLVMOr | LLVMXor | LLVMAnd | LLVMShl) => !inst.operand(1).is_const(),
        Some(LLVMMul | LLVMLShr | LLVMAShr | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem) => true,
        Some(LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem | LLVMSelect) => true,
        Some(LLVMICmp | LLVMFCmp | LLVMSIToFP | LLVMUIToFP | LLVMFPToSI | LLVMFPToUI | LLVMFPTrunc | LLVMFPExt) => true,
        _ => return false,
    };
    costs && (inst.ty().lanes().is_some() || inst.ty().is_float())
}

/// The blocks that may see a value of a block after a barrier.
fn behind_a_barrier<'c>(block: Block<'c>, waiting: &HashSet<Block<'c>>) -> HashSet<Block<'c>> {
    let mut seen = HashSet::new();
    let mut todo = vec![(block, false)];
    while let Some((at, behind)) = todo.pop() {
        let behind = behind || waiting.contains(&at);
        for next in at.successors() {
            // Back where it was made, there is another value.
            if next != block && seen.insert((next, behind)) {
                todo.push((next, behind));
            }
        }
    }
    seen.into_iter().filter(|s| s.1).map(|s| s.0).collect()
}

/// A function that may wait.
pub(super) struct CoroutineLowering<'c> {
    cx: &'c Context,
    function: Function<'c>,
    /// Where control leaves the function, at the end or to wait.
    out: Block<'c>,
}

/// Frames are aligned to the largest vector type. The runtime knows it, too.
const ALIGN: u64 = 128;

impl<'c> CoroutineLowering<'c> {
    /// Makes a coroutine of a function without code yet; `entry` builds in its first block. The first parameter is the item.
    /// It returns its frame. (It must: else LLVM may take what it writes there for dead.)
    pub fn new(module: &Module<'c>, entry: &Builder<'c>, function: Function<'c>) -> Self {
        let cx = module.context();
        function.attribute("presplitcoroutine", 0);
        let none = cx.ptr().zero();
        let (word, wide) = (cx.int(32), cx.int(64));
        let id = entry.intrinsic(module, "llvm.coro.id", &[], &[word.int(ALIGN), none, none, none]);
        let size = entry.intrinsic(module, "llvm.coro.size", &[wide], &[]);
        let frame = module.declare("oxur_frame", cx.ptr().function(&[cx.ptr(), wide]));
        frame.attribute("nounwind", 0);
        let memory = entry.call(frame, &[function.param(0), size]);
        let handle = entry.intrinsic(module, "llvm.coro.begin", &[], &[id, memory]);
        let out = function.append_block("out");
        let b = Builder::at_end(cx, out);
        let no = cx.int(1).zero();
        b.intrinsic(module, "llvm.coro.end", &[], &[handle, no, cx.token().zero()]);
        b.ret(Some(handle));
        Self { cx, function, out }
    }

    /// Waits until the runtime lets it go on: then control is in a new block, where the builder is left.
    pub fn wait(&self, module: &Module<'c>, b: &Builder<'c>) {
        self.suspend(module, b, false);
    }

    /// The end: it waits and is never resumed, by which the runtime can tell.
    pub fn end(&self, module: &Module<'c>, b: &Builder<'c>) {
        self.suspend(module, b, true);
        b.unreachable();
    }

    fn suspend(&self, module: &Module<'c>, b: &Builder<'c>, is_final: bool) {
        let before = b.block();
        let after = self.function.append_block(if is_final { "never" } else { "go.on" });
        after.move_after(before);
        let is_final = self.cx.int(1).int(is_final.into());
        let how = b.intrinsic(module, "llvm.coro.suspend", &[], &[self.cx.token().zero(), is_final]);
        let on = |n| self.cx.int(8).int(n);
        b.switch(how, self.out, &[(on(0), after), (on(1), self.out)]);
        b.go_to_end(after);
    }
}
