// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From the IR of work-items to that of a PTX module: defines what the work-items call, gives symbols the names that PTX
//! takes, and optimizes.

use std::mem::offset_of;

use llvm_sys::{LLVMAtomicOrdering as O, LLVMAtomicRMWBinOp as R, LLVMIntPredicate as I, LLVMOpcode as L};
use spirv::StorageClass;

use super::entry::symbol_of;
use super::intrinsics::register;
use super::{
    Entry, LaunchRange, Variable, assert, collectives, divisions, image, intrinsics, printf, ptxas, searches, unroll,
};
use crate::by_value::{self, ArgumentBlock};
use crate::intrinsics::STORAGE_CLASS;
use crate::llvm::{Builder, Function, Kind, Machine, Module, Value};
use crate::stage_times::StageTimes;
use crate::target::Sm;
use crate::target::nvptx64::{self, GLOBAL, SHARED};
use crate::{Error, Options};

/// What libdevice asks of the compiler. A pass of LLVM's replaces it by constants.
const REFLECT: &str = "__nvvm_reflect";

/// Defines the intrinsics that a lowered module calls, and the helpers that are the runtime's on the CPU.
pub fn finish(module: &Module<'_>, sm: Sm, sub_group_size: u32) {
    assert::define(module);
    printf::define(module);
    image::define(module);
    collectives::define(module, sm, sub_group_size);
    if let Some(function) = module.function(STORAGE_CLASS).filter(|f| f.is_declaration()) {
        storage_class(module, function);
    }
    intrinsics::define(module, sub_group_size);
    system_atomics(module);
}

/// Makes all internal but the kernels and the variables of the program, and gives those names that PTX takes.
pub fn internalize(module: &Module<'_>, entries: &[Entry], variables: &[Variable]) {
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        let name = function.name();
        if !entries.iter().any(|entry| entry.symbol == name) {
            function.internal();
        }
    }
    for global in module.globals() {
        let symbol = symbol_of(&global.get_name());
        if variables.iter().any(|variable| variable.symbol == symbol) {
            global.name(&symbol);
        } else if global.is_definition() {
            global.internal();
        }
    }
}

/// Checks that nothing is called that a GPU does not have.
pub fn check(module: &Module<'_>) -> Result<(), Error> {
    let mut missing: Vec<String> = Vec::new();
    for function in module.functions().into_iter().filter(|f| f.is_declaration()) {
        let name = function.name();
        let is_known = name.starts_with("llvm.") || name == REFLECT || printf::is_call(&name);
        if !is_known && !Value::from(function).users().is_empty() {
            missing.push(name);
        }
    }
    missing.sort();
    missing.dedup();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(Error::Unsupported {
            feature: missing.join(", "),
            what: "on NVIDIA GPUs".into(),
        }),
    }
}

/// Runs LLVM's passes.
pub fn optimize(
    machine: &Machine,
    module: &Module<'_>,
    options: &Options,
    entries: &[Entry],
    times: &mut StageTimes,
) -> Result<(), Error> {
    machine.set_target(module);
    module.verify().map_err(Error::Codegen)?;
    divisions::keep_rolled(module);
    let passes = if options.no_optimization {
        "default<O1>"
    } else {
        "default<O3>"
    };
    machine.run_passes(module, passes, false).map_err(Error::Codegen)?;
    times.end("optimize");
    let mut had_copies = false;
    for entry in entries {
        had_copies |= read_arguments_in_place(module, entry);
    }
    if had_copies {
        machine
            .run_passes(module, AFTER_COPIES, false)
            .map_err(Error::Codegen)?;
    }
    // Both have to run.
    if !options.no_optimization && unroll::loops(module) | searches::loops(module) {
        machine.run_passes(module, AFTER_LOOPS, false).map_err(Error::Codegen)?;
    }
    divide_copies(module);
    printf::expand(module)?;
    ptxas::avoid_errors(module);
    saturating_conversions(module);
    times.end("finish");
    Ok(())
}

/// What follows where arguments are read in place, and no longer copied.
const AFTER_COPIES: &str =
    "function(early-cse<memssa>,loop-mssa(licm),gvn,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/// What follows where loops were unrolled, or have 32-bit copies: iterations have common addresses, and phis may have one incoming value.
const AFTER_LOOPS: &str = "function(instcombine<no-verify-fixpoint>,early-cse,simplifycfg)";

/// Has a kernel read structures that are passed by value where they are. Returns whether it copied some.
fn read_arguments_in_place(module: &Module<'_>, entry: &Entry) -> bool {
    module.function(&entry.symbol).is_some_and(|kernel| {
        let block = ArgumentBlock {
            address: kernel.param(0),
            align: nvptx64::ARGUMENT_ALIGN,
            size: Some(entry.block_size as u64),
        };
        by_value::read_in_place(module, kernel, block)
    })
}

/// From so many bytes on the backend copies and fills byte by byte, in a loop. It takes wide accesses for fewer.
const BYTE_BY_BYTE: u64 = 128;
/// The pieces that it gets instead.
const PIECE: u64 = 64;
/// How many pieces are better than a loop.
const MOST_PIECES: u64 = 64;

/// Has large copies and fills made by pieces.
fn divide_copies(module: &Module<'_>) {
    let cx = module.context();
    let wide = cx.int(64);
    let all = module.functions().into_iter().flat_map(Function::blocks);
    for call in all.flat_map(|block| block.instructions()) {
        let Some(name) = call.callee().map(|callee| callee.name()) else {
            continue;
        };
        let is_copy = name.starts_with("llvm.memcpy.p");
        if !is_copy && !name.starts_with("llvm.memset.p") || call.operand(3).as_const_int() != Some(0) {
            continue;
        }
        let size = call.operand(2).as_const_int();
        let Some(size) = size.filter(|size| (BYTE_BY_BYTE..=MOST_PIECES * PIECE).contains(size)) else {
            continue;
        };
        let b = Builder::new(cx);
        b.go_before(call);
        let [to, from] = [0, 1].map(|i| call.operand(i));
        // An alignment of more than a piece is not that of the pieces.
        let align = |i| call.call_argument_align(i).min(PIECE as u32);
        for start in (0..size).step_by(PIECE as usize) {
            let length = wide.int(PIECE.min(size - start));
            let at = |address| b.offset(address, wide.int(start));
            if is_copy {
                b.memcpy(at(to), align(0), at(from), align(1), length);
            } else {
                b.memset(at(to), align(0), from, length);
            }
        }
        call.erase();
    }
}

/// Has floats become words by PTX's instruction, which saturates and makes 0 of NaN as LLVM's intrinsics do. The backend would
/// compare with the bounds.
fn saturating_conversions<'c>(module: &Module<'c>) {
    let cx = module.context();
    let all = module.functions().into_iter().flat_map(Function::blocks);
    for inst in all.flat_map(|block| block.instructions()) {
        let name = inst.callee().map(Function::name).unwrap_or_default();
        let instruction = match () {
            _ if name.starts_with("llvm.fptosi.sat.") => "llvm.nvvm.f2i.rz",
            _ if name.starts_with("llvm.fptoui.sat.") => "llvm.nvvm.f2ui.rz",
            _ => continue,
        };
        let (ty, number) = (inst.ty(), inst.operand(0));
        if ty.bits() != 32 || number.ty().bits() != 32 {
            continue;
        }
        let b = Builder::new(cx);
        b.go_before(inst);
        let result = b.by_elements(ty, [number], |number| b.intrinsic(module, instruction, &[], &number));
        inst.replace_with(result);
        inst.erase();
    }
}

/// Read-modify-write operations for all threads of the system. LLVM's are for those of the device.
fn system_atomics<'c>(module: &Module<'c>) {
    let cx = module.context();
    let all = module.functions().into_iter().flat_map(Function::blocks);
    for inst in all.flat_map(|block| block.instructions()) {
        let Some(operation) = inst.atomic_operation().filter(|_| inst.is_system_scope()) else {
            continue;
        };
        let ty = inst.ty();
        let (register, bits) = match ty.kind() {
            Kind::Int(32) => ("r", 32),
            Kind::Int(64) => ("l", 64),
            Kind::Float(32) => ("f", 32),
            Kind::Float(64) => ("d", 64),
            // These become loops around a compare-and-exchange, which has a scope.
            _ => continue,
        };
        let kind = match operation {
            R::LLVMAtomicRMWBinOpAdd | R::LLVMAtomicRMWBinOpSub => "add.u",
            R::LLVMAtomicRMWBinOpFAdd => "add.f",
            R::LLVMAtomicRMWBinOpMin => "min.s",
            R::LLVMAtomicRMWBinOpMax => "max.s",
            R::LLVMAtomicRMWBinOpUMin => "min.u",
            R::LLVMAtomicRMWBinOpUMax => "max.u",
            R::LLVMAtomicRMWBinOpAnd => "and.b",
            R::LLVMAtomicRMWBinOpOr => "or.b",
            R::LLVMAtomicRMWBinOpXor => "xor.b",
            R::LLVMAtomicRMWBinOpXchg => "exch.b",
            _ => continue,
        };
        let b = Builder::new(cx);
        b.go_before(inst);
        let (address, value) = (inst.operand(0), inst.operand(1));
        let value = match operation {
            R::LLVMAtomicRMWBinOpSub => b.neg(value),
            _ => value,
        };
        let space = match address.address_space() {
            GLOBAL => ".global",
            SHARED => ".shared",
            _ => "",
        };
        let text = format!("atom.relaxed.sys{space}.{kind}{bits} $0, [$1], $2;");
        let constraints = format!("={register},l,{register},~{{memory}}");
        let found = b.assembly(&text, &constraints, ty, &[address, value], true);
        inst.replace_with(found);
        inst.erase();
    }
}

/// `(item, address) -> i32`: the storage class of what a generic address refers to.
fn storage_class<'c>(module: &Module<'c>, function: Function<'c>) {
    let cx = module.context();
    function.internal().attribute("alwaysinline", 0);
    let b = Builder::at_end(cx, function.append_block("entry"));
    let address = function.param(1);
    let is_in = |space: &str| b.intrinsic(module, &format!("llvm.nvvm.isspacep.{space}"), &[], &[address]);
    let class = |class: StorageClass| cx.int(32).int(class as u64);
    let other = b.select(
        is_in("local"),
        class(StorageClass::Function),
        class(StorageClass::CrossWorkgroup),
    );
    b.ret(Some(b.select(is_in("shared"), class(StorageClass::Workgroup), other)));
}

/// `(item)`: waits for all work-groups, which run side by side. Each group adds to a counter in memory. The additions of
/// one round, of which the first group's is larger, flip its highest bit, on which all wait.
pub fn device_barrier<'c>(module: &Module<'c>, function: Function<'c>) {
    let cx = module.context();
    let word = cx.int(32);
    function.internal();
    let [entry, first, wait, met, done] =
        ["entry", "first", "wait", "met", "done"].map(|name| function.append_block(name));
    let b = Builder::at_end(cx, entry);
    let sync = |b: &Builder<'c>| {
        b.intrinsic(module, "llvm.nvvm.barrier.cta.sync.aligned.all", &[], &[word.zero()]);
    };
    let fence = |b: &Builder<'c>| {
        b.set_scope(b.fence(O::LLVMAtomicOrderingAcquireRelease), "device");
    };
    sync(&b);
    let linear = intrinsics::linear_id(module, &b);
    b.cond_br(b.icmp(I::LLVMIntEQ, linear, word.zero()), first, done);
    b.go_to_end(first);
    let at = b.offset(
        function.param(0),
        cx.int(64).int(offset_of!(LaunchRange, grid_barrier) as u64),
    );
    let counter = b.load(cx.int(64), at).align(8);
    let counter = b.cast(L::LLVMIntToPtr, counter, cx.ptr_in(GLOBAL));
    let [groups, is_not_first] = ["nctaid", "ctaid"].map(|name| {
        let [x, y, z] = ["x", "y", "z"].map(|d| register(module, &b, &format!("{name}.{d}")));
        if name == "nctaid" {
            b.mul(b.mul(x, y), z)
        } else {
            b.or(b.or(x, y), z)
        }
    });
    let last = b.add(b.sub(word.int(0x8000_0000), groups), word.int(1));
    let added = b.select(b.icmp(I::LLVMIntEQ, is_not_first, word.zero()), last, word.int(1));
    fence(&b);
    let old = b.atomic_rmw(R::LLVMAtomicRMWBinOpAdd, counter, added, O::LLVMAtomicOrderingMonotonic);
    b.set_scope(old, "device");
    b.br(wait);
    b.go_to_end(wait);
    let now = b.load(word, counter).align(4);
    b.set_ordering(now, O::LLVMAtomicOrderingMonotonic);
    b.set_scope(now, "device");
    b.cond_br(b.icmp(I::LLVMIntSLT, b.xor(old, now), word.zero()), met, wait);
    b.go_to_end(met);
    fence(&b);
    b.br(done);
    b.go_to_end(done);
    sync(&b);
    b.ret(None);
}
