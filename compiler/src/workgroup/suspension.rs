// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Barriers in quick code. The kernel for one item becomes a coroutine, which returns to the runtime where its item waits: for the
//! group, or for its sub-group. What an item keeps across that is in a small frame. So to wait takes a return and a call, where
//! stacks (`runtime/fibers.rs`) take two switches, and their memory fills the caches.

use llvm_sys::LLVMOpcode as L;

use super::collectives::operand;
use super::convergence;
use super::vector::CoroutineLowering;
use crate::intrinsics::{GroupCollective, KERNEL, STORE_TO_LOCAL};
use crate::llvm::{Block, Builder, Context, Function, Machine, Module, Value};

/// The kernel as a coroutine.
const SUSPENDABLE: &str = "kernel.suspendable";

/// Inlines functions in which items wait. Returns whether these wait in the kernel only.
pub fn prepare(machine: &Machine, module: &Module<'_>) -> Result<bool, String> {
    let is_place = |inst: &Value<'_>| inst.is_marked(STORE_TO_LOCAL) || convergence::collective(inst).is_some();
    convergence::inline_functions(machine, module, is_place)?;
    let is_elsewhere = |function: &Function<'_>| {
        let is_kernel = function.name() == KERNEL;
        let mut all = function.blocks().into_iter().flat_map(|block| block.instructions());
        all.any(|inst| {
            // What is called through a pointer may wait as items on stacks do.
            let is_unknown = inst.opcode() == Some(L::LLVMCall)
                && inst
                    .callee()
                    .is_none_or(|callee| callee.name().starts_with("oxur.function."));
            is_unknown || !is_kernel && convergence::collective(&inst).is_some()
        })
    };
    Ok(!module.functions().iter().any(is_elsewhere))
}

/// Makes the kernel a coroutine.
pub fn lower<'c>(module: &Module<'c>) -> Function<'c> {
    let cx = module.context();
    let kernel = module.function(KERNEL).expect("a kernel was lowered");
    let ty = cx.ptr().function(&[cx.ptr(), cx.ptr()]);
    let function = module.add_function(SUSPENDABLE, ty).internal();
    let begin = function.append_block("begin");
    let entry = Builder::at_end(cx, begin);
    let coroutine = CoroutineLowering::new(module, &entry, function);
    let blocks = kernel.blocks();
    let mut last = begin;
    for &block in &blocks {
        block.move_after(last);
        last = block;
    }
    for index in 0..2 {
        kernel.param(index).replace_with(function.param(index));
    }
    kernel.delete();
    // Variables are in the first block of a function.
    let is_alloca = |inst: &Value<'c>| inst.opcode() == Some(L::LLVMAlloca);
    for variable in blocks[0].instructions().into_iter().filter(is_alloca) {
        variable.detach();
        entry.insert(variable);
    }
    // It begins with the first resumption. Otherwise LLVM has all twice that comes before the first place where an item waits.
    coroutine.wait(module, &entry);
    entry.br(blocks[0]);
    for block in &blocks {
        if let Some(end) = block.terminator().filter(|end| end.opcode() == Some(L::LLVMRet)) {
            end.erase();
            coroutine.end(module, &Builder::at_end(cx, *block));
        }
    }
    let all = blocks.iter().flat_map(|block| block.instructions());
    let places: Vec<_> = all
        .filter_map(|inst| Some((inst, convergence::collective(&inst)?)))
        .collect();
    for (place, collective) in places {
        let before = place.block();
        let rest = split_before(cx, place);
        let b = Builder::at_end(cx, before);
        let item = place.operand(0);
        let call = |name: &str, args: &[Value<'c>]| {
            let types: Vec<_> = args.iter().map(|arg| arg.ty()).collect();
            let function = module.declare(name, cx.void().function(&types));
            b.call(function.attribute("nounwind", 0), args);
        };
        if collective == GroupCollective::Barrier {
            call("oxur_arrive", &[item]);
            place.erase();
        } else {
            call(
                "oxur_leave",
                &[item, place.operand(1), operand(&b, collective, place, cx.int(64))],
            );
        }
        coroutine.wait(module, &b);
        b.br(rest);
    }
    function
}

/// Moves an instruction and those behind it into a new block. Its block has no end then.
fn split_before<'c>(cx: &'c Context, first: Value<'c>) -> Block<'c> {
    let before = first.block();
    let rest = before.function().append_block("rest");
    rest.move_after(before);
    let b = Builder::at_end(cx, rest);
    for successor in before.successors() {
        for phi in successor.phis() {
            let mut incoming = phi.incoming();
            let from_here = incoming.iter_mut().filter(|(_, from)| *from == before);
            if from_here.map(|(_, from)| *from = rest).count() > 0 {
                b.replace_phi(phi, &incoming);
            }
        }
    }
    b.go_to_end(rest);
    for inst in before.instructions().into_iter().skip_while(|&inst| inst != first) {
        inst.detach();
        b.insert(inst);
    }
    rest
}
