// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Avoids instructions, most of them on narrow numbers, of which ptxas, NVIDIA's assembler, makes wrong code.

use llvm_sys::LLVMOpcode as L;
use rustc_hash::FxHashSet;

use crate::llvm::{Builder, Function, Kind, Module, Value};

/// Has other instructions compute the same.
pub fn avoid_errors(module: &Module<'_>) {
    widen_least_and_greatest(module);
    split_short_sums(module);
    widen_negatives(module);
    cut_floats(module);
}

/// Has minima and maxima of less than 32 bits computed with 32. ptxas 13.0 makes one instruction of such a maximum and a
/// comparison of it with an operand, and the result of the comparison is wrong: `max(x, 0) == 0` was true for all x.
fn widen_least_and_greatest<'c>(module: &Module<'c>) {
    let cx = module.context();
    let all = module.functions().into_iter().flat_map(Function::blocks);
    for inst in all.flat_map(|block| block.instructions()) {
        let Some(name) = inst.callee().map(Function::name) else {
            continue;
        };
        let kind = ["llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax"];
        let Some(kind) = kind.into_iter().find(|kind| name.starts_with(&format!("{kind}."))) else {
            continue;
        };
        let ty = inst.ty();
        if ty.bits() >= 32 {
            continue;
        }
        let b = Builder::new(cx);
        b.go_before(inst);
        let wide = ty.with_scalar(cx.int(32));
        let [x, y] = [0, 1].map(|i| match kind.starts_with("llvm.s") {
            true => b.sext_or_trunc(inst.operand(i), wide),
            false => b.zext_or_trunc(inst.operand(i), wide),
        });
        let result = b.zext_or_trunc(b.intrinsic(module, kind, &[wide], &[x, y]), ty);
        inst.replace_with(result);
        inst.erase();
    }
}

/// Has vectors of 16-bit numbers added element by element. The backend would make `add.s16x2` of it, with which ptxas 13
/// computes something else unless its optimizer is off.
fn split_short_sums<'c>(module: &Module<'c>) {
    let all = module.functions().into_iter().flat_map(Function::blocks);
    for inst in all.flat_map(|block| block.instructions()) {
        let ty = inst.ty();
        if ty.lanes().is_none() || inst.opcode() != Some(L::LLVMAdd) || ty.bits() != 16 {
            continue;
        }
        let b = Builder::new(module.context());
        b.go_before(inst);
        let operands = [0, 1].map(|i| inst.operand(i));
        let sum = b.by_elements(ty, operands, |[x, y]| b.binary(L::LLVMAdd, x, y));
        inst.replace_with(sum);
        inst.erase();
    }
}

/// Has 16-bit numbers negated with 32 bits, in inline assembly, because the backend would use 16 bits again. ptxas 12.9 and 13.0 extend the
/// number of a `neg.s16` or `abs.s16` first where something extends, compares, shifts or divides the result: it takes 32768 for -(-32768).
fn widen_negatives<'c>(module: &Module<'c>) {
    let cx = module.context();
    let short = cx.int(16);
    let all = module.functions().into_iter().flat_map(Function::blocks);
    for inst in all.flat_map(|block| block.instructions()) {
        if inst.ty().scalar() != short {
            continue;
        }
        let name = inst.callee().map(Function::name).unwrap_or_default();
        let (operation, number) = match inst.opcode() {
            Some(L::LLVMSub) if inst.operand(0).is_null() => ("neg", inst.operand(1)),
            Some(L::LLVMCall) if name.starts_with("llvm.abs.") => ("abs", inst.operand(0)),
            _ => continue,
        };
        let text =
            format!("{{ .reg .b32 word; cvt.s32.s16 word, $1; {operation}.s32 word, word; cvt.u16.u32 $0, word; }}");
        let b = Builder::new(cx);
        b.go_before(inst);
        let result = b.by_elements(inst.ty(), [number], |number| {
            b.assembly(&text, "=h,h", short, &number, false)
        });
        inst.replace_with(result);
        inst.erase();
    }
}

/// Has the low bits of a floating-point number cut off by an instruction, in inline assembly. The backend would store them from the register
/// of the number, and ptxas 12.9 and 13.0 convert the number to an integer there, even without optimizations.
fn cut_floats(module: &Module<'_>) {
    let cx = module.context();
    let all = module.functions().into_iter().flat_map(Function::blocks);
    for inst in all.flat_map(|block| block.instructions()) {
        let is_stored = || inst.users().iter().any(|user| user.opcode() == Some(L::LLVMStore));
        if inst.opcode() != Some(L::LLVMTrunc)
            || inst.ty().lanes().is_some()
            || !is_stored()
            || !is_of_float(inst.operand(0))
        {
            continue;
        }
        let number = inst.operand(0);
        let (text, constraints, bits) = match (number.ty().bits(), inst.ty().bits()) {
            (64, 32) => ("cvt.u32.u64 $0, $1;", "=r,l", 32),
            (64, 8 | 16) => ("cvt.u16.u64 $0, $1;", "=h,l", 16),
            (32, 8 | 16) => ("cvt.u16.u32 $0, $1;", "=h,r", 16),
            (16, 8) => ("mov.b16 $0, $1;", "=h,h", 16),
            _ => continue,
        };
        let b = Builder::new(cx);
        b.go_before(inst);
        let cut = b.assembly(text, constraints, cx.int(bits), &[number], false);
        inst.replace_with(b.zext_or_trunc(cut, inst.ty()));
        inst.erase();
    }
}

/// Whether an integer may be the bits of a floating-point number.
fn is_of_float(value: Value<'_>) -> bool {
    let (mut values, mut seen) = (vec![value], FxHashSet::default());
    while let Some(value) = values.pop() {
        if !seen.insert(value) {
            continue;
        }
        match value.opcode() {
            Some(L::LLVMBitCast) if matches!(value.operand(0).ty().scalar().kind(), Kind::Float(_)) => return true,
            Some(L::LLVMPHI) => values.extend(value.incoming().into_iter().map(|(from, _)| from)),
            Some(L::LLVMSelect | L::LLVMFreeze | L::LLVMBitCast | L::LLVMExtractElement) => {
                values.extend(value.operands())
            }
            _ => {}
        }
    }
    false
}
