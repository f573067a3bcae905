// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! LLVM's functions for instructions of AVX-512.

use crate::llvm::{Builder, Module, Type, Value};
use crate::target::math::Instruction;

/// What the names of functions for numbers of a type end with.
fn suffix(ty: Type<'_>) -> &'static str {
    if ty.bits() == 64 { "pd" } else { "ps" }
}

/// An instruction on a register of 128, 256 or 512 bits, with a mask of ones.
pub fn instruction<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    instruction: Instruction,
    args: &[Value<'c>],
) -> Value<'c> {
    let ty = args[0].ty();
    let lanes = ty.lanes().expect("a vector");
    let width = lanes * ty.bits();
    let context = module.context();
    let mut args = args.to_vec();
    args.extend([ty.zero(), context.int(lanes.max(8)).ones()]);
    let name = match instruction {
        Instruction::ReciprocalRoot => "rsqrt14",
        Instruction::Scale => "mask.scalef",
    };
    if width == 512 && matches!(instruction, Instruction::Scale) {
        // The current rounding mode.
        args.push(context.int(32).int(4));
    }
    let types: Vec<_> = args.iter().map(|a| a.ty()).collect();
    let name = format!("llvm.x86.avx512.{name}.{}.{width}", suffix(ty));
    builder.call(module.declare(&name, ty.function(&types)), &args)
}

/// The numbers of a table at indices.
pub fn permute<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    [low, high]: [Value<'c>; 2],
    indices: Value<'c>,
) -> Value<'c> {
    let ty = low.ty();
    let name = format!("llvm.x86.avx512.vpermi2var.{}.512", suffix(ty));
    let function = module.declare(&name, ty.function(&[ty, indices.ty(), ty]));
    builder.call(function, &[low, indices, high])
}
