// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Barriers in quick code. The kernel for one item returns to the runtime where its item waits: for the group, or for its
//! sub-group. What an item keeps across that is in a small frame. So to wait takes a return and a call, where
//! stacks (`runtime/fibers.rs`) take two switches, and their memory fills the caches.
//!
//! LLVM's coroutines, which vectorized kernels are (`vector/coroutine.rs`), have better code and take several times as long to make.

mod split;

use llvm_sys::LLVMOpcode as L;

use super::collectives::{call, operand};
use super::convergence;
use crate::intrinsics::{GroupCollective, KERNEL, STORE_TO_LOCAL};
use crate::llvm::{Builder, Function, Machine, Module, Value};

pub use split::split;

/// A function that stands for a place where the item returns, and goes on later.
const SUSPEND: &str = "oxur.suspend";

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

/// Says where the items of the kernel wait. [`split`] comes when the intrinsics are defined.
pub fn lower(module: &Module<'_>) {
    let cx = module.context();
    let kernel = module.function(KERNEL).expect("a kernel was lowered");
    let all = kernel.blocks().into_iter().flat_map(|block| block.instructions());
    let places = all.filter_map(|inst| Some((inst, convergence::collective(&inst)?)));
    let b = Builder::new(cx);
    let call = |name: &str, args: &[_]| {
        call(module, &b, name, cx.void(), args);
    };
    for (place, collective) in places.collect::<Vec<_>>() {
        b.go_before(place);
        let item = place.operand(0);
        if collective == GroupCollective::Barrier {
            call("oxur_arrive", &[item]);
        } else {
            let bits = operand(&b, collective, place, cx.int(64));
            call("oxur_leave", &[item, place.operand(1), bits]);
            // It is with the others now, and not kept.
            if collective != GroupCollective::SubGroupBarrier {
                place.set_operand(2, place.operand(2).ty().poison());
            }
        }
        call(SUSPEND, &[]);
        if collective == GroupCollective::Barrier {
            place.erase();
        }
    }
}
