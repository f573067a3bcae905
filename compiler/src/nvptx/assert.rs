// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Assertions: the first that fails leaves an [`AssertRecord`] where the launch says, and the work-item ends. A trap would
//! make all that the process has on the GPU unusable.

use std::mem::offset_of;

use llvm_sys::{LLVMAtomicOrdering as O, LLVMIntPredicate as I, LLVMOpcode as L};

use super::{AssertRecord, LaunchRange};
use crate::intrinsics::WorkItemIntrinsic;
use crate::llvm::{Builder, Function, Module, Value};

/// The most characters of a text that are kept.
const TEXT: u64 = 255;

/// Defines what failed assertions call. Lowered code calls the CPU runtime's functions, which do not take the item.
pub fn define(module: &Module<'_>) {
    let cx = module.context();
    for name in ["oxur_assert_fail", "oxur_assert_fail_at"] {
        let Some(function) = module.function(name) else {
            continue;
        };
        for call in Value::from(function).users() {
            let b = Builder::new(cx);
            b.go_before(call);
            // Each function has the item first. The texts and the line are the first operands.
            let item = call.block().function().param(0);
            let args: Vec<_> = [item].into_iter().chain((0..4).map(|i| call.operand(i))).collect();
            b.call(fail(module), &args);
            call.erase();
        }
    }
}

/// `(item, expression, file, line, function)`
fn fail<'c>(module: &Module<'c>) -> Function<'c> {
    let cx = module.context();
    let (word, wide, ptr) = (cx.int(32), cx.int(64), cx.ptr());
    const NAME: &str = "oxur_nvptx_assert_fail";
    if let Some(known) = module.function(NAME) {
        return known;
    }
    let function = module.add_function(NAME, cx.void().function(&[ptr, ptr, ptr, word, ptr]));
    function
        .internal()
        .attribute("noinline", 0)
        .attribute("cold", 0)
        .attribute("nounwind", 0);
    let item = function.param(0);
    let [entry, claim, fill, end] = ["entry", "claim", "fill", "end"].map(|name| function.append_block(name));
    let b = Builder::at_end(cx, entry);
    let at = b.offset(item, wide.int(offset_of!(LaunchRange, assertion) as u64));
    let record = b.load(wide, at).align(8);
    b.cond_br(b.icmp(I::LLVMIntNE, record, wide.zero()), claim, end);
    b.go_to_end(claim);
    let record = b.cast(L::LLVMIntToPtr, record, ptr);
    let monotonic = O::LLVMAtomicOrderingMonotonic;
    // The host looks when the launch is over. Atomic operations of the host's, too, are not possible on its memory everywhere.
    let both = b.set_scope(
        b.cmpxchg(record, word.zero(), word.int(1), monotonic, monotonic),
        "device",
    );
    let is_first = b.icmp(I::LLVMIntEQ, b.extract_value(both, 0), word.zero());
    b.cond_br(is_first, fill, end);
    b.go_to_end(fill);
    let member = |offset: usize| b.offset(record, wide.int(offset as u64));
    b.store(function.param(3), member(offset_of!(AssertRecord, line)))
        .align(4);
    for (intrinsic, offset) in [
        (WorkItemIntrinsic::GlobalId, offset_of!(AssertRecord, global_id)),
        (WorkItemIntrinsic::LocalId, offset_of!(AssertRecord, local_id)),
    ] {
        for d in 0..3 {
            let id = b.call(intrinsic.declare(module), &[item, word.int(d)]);
            b.store(id, member(offset + 8 * d as usize)).align(8);
        }
    }
    for (param, offset) in [
        (1, offset_of!(AssertRecord, expression)),
        (2, offset_of!(AssertRecord, file)),
        (4, offset_of!(AssertRecord, function)),
    ] {
        copy(module, &b, function, member(offset), function.param(param));
    }
    b.fence(O::LLVMAtomicOrderingAcquireRelease);
    let done = b.store(word.int(2), member(offset_of!(AssertRecord, state))).align(4);
    b.set_ordering(done, O::LLVMAtomicOrderingRelease);
    b.br(end);
    b.go_to_end(end);
    b.intrinsic(module, "llvm.nvvm.exit", &[], &[]);
    b.ret(None);
    function
}

/// Copies a text up to its zero, into memory that is zero.
fn copy<'c>(module: &Module<'c>, b: &Builder<'c>, function: Function<'c>, to: Value<'c>, from: Value<'c>) {
    let cx = module.context();
    let (byte, wide) = (cx.int(8), cx.int(64));
    let [check, each, more, done] = ["check", "each", "more", "done"].map(|name| function.append_block(name));
    let before = b.block();
    let is_null = b.icmp(I::LLVMIntEQ, from, cx.ptr().zero());
    b.cond_br(is_null, done, check);
    b.go_to_end(check);
    let index = b.phi(wide);
    b.cond_br(b.icmp(I::LLVMIntULT, index, wide.int(TEXT)), each, done);
    b.go_to_end(each);
    let character = b.load(byte, b.offset(from, index)).align(1);
    b.cond_br(b.icmp(I::LLVMIntEQ, character, byte.zero()), done, more);
    b.go_to_end(more);
    b.store(character, b.offset(to, index)).align(1);
    let next = b.add(index, wide.int(1));
    b.br(check);
    index.add_incoming(&[(wide.zero(), before), (next, more)]);
    b.go_to_end(done);
}
