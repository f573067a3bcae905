// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What mathematical functions may use of a CPU: instructions that LLVM has no operation for, and a library of vector functions.

use spirv::OpenclStd100Op as Op;

use super::x86_64;
use crate::llvm::{Builder, Module, Value};

/// The instructions that there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Math {
    /// Whether a multiplication and an addition are one instruction, which rounds once.
    pub fuses: bool,
    /// The same of halfs.
    pub fuses_halfs: bool,
    /// Whether halfs become floats by an instruction.
    pub converts_halfs: bool,
    /// Whether integers of 64 bits are shifted with their signs.
    pub shifts_longs: bool,
    /// Whether there is [`Instruction::Scale`].
    pub scales: bool,
    /// Whether there is [`Instruction::ReciprocalRoot`].
    pub estimates_roots: bool,
    /// Whether tables of two registers are looked up by [`permute`].
    pub permutes_tables: bool,
    /// Whether LLVM 22 merges `llvm.rint` of floats with a load into an instruction that takes aligned addresses only.
    pub aligns_rint: bool,
}

/// An instruction on vectors of floating-point numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instruction {
    /// An approximation of the reciprocal of a square root, of 14 bits.
    ReciprocalRoot,
    /// `x 2^n` for a floating-point number `n` that is an integer, rounded once.
    Scale,
}

impl Math {
    /// Those of the CPU that code is compiled for.
    pub fn of_host() -> Self {
        x86_64::math(x86_64::CpuLevel::current())
    }
}

/// A function for vectors, in a library.
pub(crate) struct VectorFunction {
    /// Its symbol.
    pub name: String,
    /// The number of elements of its vectors.
    pub lanes: u32,
    /// The largest error that is known, in ulps.
    pub ulps: f32,
}

/// Calls LLVM's function for an instruction. Vectors are as long as a register, a half or a quarter of one.
pub(crate) fn instruction<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    instruction: Instruction,
    args: &[Value<'c>],
) -> Value<'c> {
    x86_64::math::instruction(module, builder, instruction, args)
}

/// The numbers of a table of two registers, `low` and `high`, at indices, of which only the low bits count.
pub(crate) fn permute<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    [low, high]: [Value<'c>; 2],
    indices: Value<'c>,
) -> Value<'c> {
    x86_64::math::permute(module, builder, [low, high], indices)
}

/// The library's function for vectors of numbers of a width, if it has one for this CPU. It may not be installed.
pub(crate) fn vector_function(op: Op, bits: u32) -> Option<VectorFunction> {
    x86_64::libmvec::function(op, bits)
}

/// The address of a function of the library.
pub(crate) fn vector_symbol(name: &str) -> Option<*const u8> {
    x86_64::libmvec::symbol(name)
}
