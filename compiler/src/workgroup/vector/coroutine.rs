// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Barriers in vectorized kernels, which become LLVM coroutines.
//!
//! LLVM splits such a function at each barrier, and keeps what is live across one in a frame that the runtime allocates.
//! A barrier is a return to the runtime, which resumes the function when the whole group has arrived. No stack is switched.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use rustc_hash::FxHashSet;

use crate::abi::{FRAME_ALIGN, layout};
use crate::llvm::{Block, Builder, Context, Function, Machine, Module, Value};
use crate::target::Vectors;

/// The passes before coroutines are split, which keep values from living across a barrier needlessly. (No
/// `instcombine`: it sinks sums past a barrier, and then all their operands would be kept.)
const BEFORE: &str = "always-inline,function(sroa<modify-cfg>,early-cse<memssa>,instsimplify,simplifycfg,gvn,adce)";

/// Splits the coroutines of a module. Gives the size of the largest frame.
pub fn split(machine: &Machine, module: &Module<'_>) -> Result<u64, String> {
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
        let_variables_escape(module, function);
    }
    machine.run_passes(module, "coro-early,cgscc(coro-split)", false)?;
    if let Some(escape) = module.function(ESCAPE) {
        Value::from(escape).users().into_iter().for_each(Value::erase);
        escape.delete();
    }
    // Without variables in the frame, no other pointers into it exist.
    for resume in clean.iter().filter_map(|name| module.function(name)) {
        resume.param_attribute(0, "noalias", 0);
    }
    place_frames(module)
}

/// A function that stands for the memory of a frame, `(item, size)`, until the size is known.
const FRAME: &str = "oxur.frame";

/// A function that variables escape to while coroutines are split.
const ESCAPE: &str = "oxur.escape";

/// Has the variables of a coroutine escape whose addresses are in vectors, so that they are in the frame. LLVM follows an address to its
/// uses, to find out whether the variable is needed behind a barrier, but not into a vector and out of it. So it might keep an
/// element in the frame, and not the variable that it points to.
fn let_variables_escape<'c>(module: &Module<'c>, function: Function<'c>) {
    let Some(entry) = function.blocks().first().map(|block| block.instructions()) else {
        return;
    };
    let is_begin = |inst: &Value<'c>| inst.callee().is_some_and(|f| f.name() == "llvm.coro.begin");
    let Some(begin) = entry.iter().position(is_begin) else {
        return;
    };
    let escape = || module.declare(ESCAPE, module.context().void().function(&[module.context().ptr()]));
    let b = Builder::new(module.context());
    for (at, &variable) in entry.iter().enumerate() {
        if variable.opcode() == Some(LLVMOpcode::LLVMAlloca) && is_in_vectors(variable) {
            b.go_before(entry[begin.max(at) + 1]);
            b.call(escape(), &[variable]);
        }
    }
}

/// Whether an address, or one that comes from it, is in a vector.
fn is_in_vectors(address: Value<'_>) -> bool {
    let (mut seen, mut todo) = (FxHashSet::default(), vec![address]);
    while let Some(value) = todo.pop() {
        if value.ty().lanes().is_some() {
            return true;
        }
        use LLVMOpcode::*;
        let comes_from = |user: &Value<'_>| match user.opcode() {
            Some(LLVMInsertElement) => user.operand(1) == value,
            opcode => matches!(
                opcode,
                Some(LLVMGetElementPtr | LLVMSelect | LLVMPHI | LLVMFreeze | LLVMAddrSpaceCast | LLVMBitCast)
            ),
        };
        todo.extend(
            value
                .users()
                .into_iter()
                .filter(comes_from)
                .filter(|user| seen.insert(*user)),
        );
    }
    false
}

/// Takes frames from their items. Gives the size of the largest.
fn place_frames(module: &Module<'_>) -> Result<u64, String> {
    let Some(placeholder) = module.function(FRAME) else {
        return Ok(0);
    };
    let cx = module.context();
    let b = Builder::new(cx);
    let mut largest = 0;
    for call in Value::from(placeholder).users() {
        let size = call
            .operand(1)
            .as_const_int()
            .ok_or("a frame of a size that is not known")?;
        largest = largest.max(size);
        b.go_before(call);
        let place = b.offset(call.operand(0), cx.int(64).int(layout::ITEM_FRAME));
        call.replace_with(b.load(cx.ptr(), place).align(8));
        call.erase();
    }
    placeholder.delete();
    Ok(largest)
}

/// Keeps LLVM from rematerializing vectors after a barrier, and indices where they are few, because it considers all
/// arithmetic cheap, even if the operands must be kept instead of the result. What LLVM keeps is the results of instructions
/// that it cannot repeat, so values go through such instructions.
fn prevent_remat<'c>(function: Function<'c>, cx: &'c Context) {
    /// More of them, as of unrolled loops, may all be made of two or three numbers.
    const FEW_INDICES: usize = 6;
    let suspends = |block: &Block<'c>| {
        let mut calls = block.instructions().into_iter().filter_map(Value::callee);
        calls.any(|f| f.name().starts_with("llvm.coro.suspend"))
    };
    let blocks = function.blocks();
    let waiting: FxHashSet<Block<'c>> = blocks.iter().copied().filter(suspends).collect();
    if waiting.is_empty() {
        return;
    }
    let (mut kept, mut indices) = (Vec::new(), Vec::new());
    for &block in &blocks {
        let values = block
            .instructions()
            .into_iter()
            .filter(|&i| is_costly(i) || is_index(i));
        let values: Vec<_> = values.collect();
        if values.is_empty() {
            continue;
        }
        let behind = behind_a_barrier(block, &waiting);
        let lives = |value: &Value<'c>| value.users().iter().any(|u| behind.contains(&u.block()));
        for value in values.into_iter().filter(lives) {
            if is_costly(value) { &mut kept } else { &mut indices }.push(value);
        }
    }
    if indices.len() <= FEW_INDICES {
        kept.append(&mut indices);
    }
    for value in kept {
        let block = value.block();
        let users = value.users();
        let b = Builder::new(cx);
        let after = block.instructions().into_iter().skip_while(|&i| i != value).nth(1);
        b.go_before(after.expect("a block has an end"));
        let pinned = match value.ty().lanes() {
            Some(lanes) if value.ty().bits() == 1 && !Vectors::of_host().has_mask_registers => {
                // Masks are vectors there, which bits in memory would have to be made of again, one by one.
                let wide = cx.int(32).vector(lanes);
                let kept = b.freeze(b.cast(LLVMOpcode::LLVMSExt, value, wide));
                b.icmp(LLVMIntPredicate::LLVMIntSLT, kept, wide.zero())
            }
            _ => b.freeze(value),
        };
        for user in users {
            for (i, operand) in user.operands().into_iter().enumerate() {
                if operand == value && user.block() != block {
                    user.set_operand(i as u32, pinned);
                }
            }
        }
    }
}

/// Whether an instruction computes an index of several numbers.
fn is_index(inst: Value<'_>) -> bool {
    use LLVMOpcode::*;
    let is_arithmetic = matches!(inst.opcode(), Some(LLVMAdd | LLVMSub | LLVMMul));
    is_arithmetic && inst.ty().lanes().is_none() && inst.operands().into_iter().all(|o| !o.is_const())
}

/// Whether to keep the result of an instruction instead of rematerializing it.
fn is_costly(inst: Value<'_>) -> bool {
    use LLVMOpcode::*;
    if inst.opcode() == Some(LLVMBitCast) {
        // A mask as an integer, which is small beside what it is made of.
        return inst.ty().lanes().is_none() && inst.operand(0).ty().lanes().is_some();
    }
    let costs = match inst.opcode() {
        Some(LLVMAdd | LLVMSub | LLVMOr | LLVMXor | LLVMAnd | LLVMShl) => !inst.operand(1).is_const(),
        Some(LLVMMul | LLVMLShr | LLVMAShr | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem) => true,
        Some(LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem | LLVMSelect) => true,
        Some(LLVMICmp | LLVMFCmp | LLVMSIToFP | LLVMUIToFP | LLVMFPToSI | LLVMFPToUI | LLVMFPTrunc | LLVMFPExt) => true,
        _ => return false,
    };
    costs && (inst.ty().lanes().is_some() || inst.ty().is_float())
}

/// The blocks that may use a value of a block after a barrier.
fn behind_a_barrier<'c>(block: Block<'c>, waiting: &FxHashSet<Block<'c>>) -> FxHashSet<Block<'c>> {
    let mut seen = FxHashSet::default();
    let mut todo = vec![(block, false)];
    while let Some((at, behind)) = todo.pop() {
        let behind = behind || waiting.contains(&at);
        for next in at.successors() {
            // In the next round of a loop, the block computes another value.
            if next != block && seen.insert((next, behind)) {
                todo.push((next, behind));
            }
        }
    }
    seen.into_iter().filter(|s| s.1).map(|s| s.0).collect()
}

/// A function that can suspend.
pub struct CoroutineLowering<'c> {
    cx: &'c Context,
    function: Function<'c>,
    /// The exit of the function, at the end or to suspend.
    out: Block<'c>,
}

impl<'c> CoroutineLowering<'c> {
    /// Makes a coroutine of an empty function; `entry` builds in its first block. The first parameter is the item. The
    /// function returns its frame. (Otherwise LLVM may consider stores to the frame dead.)
    pub fn new(module: &Module<'c>, entry: &Builder<'c>, function: Function<'c>) -> Self {
        let cx = module.context();
        function.attribute("presplitcoroutine", 0);
        let none = cx.ptr().zero();
        let (word, wide) = (cx.int(32), cx.int(64));
        let id = entry.intrinsic(module, "llvm.coro.id", &[], &[word.int(FRAME_ALIGN), none, none, none]);
        let size = entry.intrinsic(module, "llvm.coro.size", &[wide], &[]);
        let frame = module.declare(FRAME, cx.ptr().function(&[cx.ptr(), wide]));
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

    /// Suspends. The builder continues in a new block, which runs after the runtime has resumed the function.
    pub fn wait(&self, module: &Module<'c>, b: &Builder<'c>) {
        self.suspend(module, b, false);
    }

    /// The end: a final suspension, by which the runtime recognizes the end.
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
