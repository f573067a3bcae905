// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The instructions of the extended set OpenCL.std, as LLVM IR.
//!
//! An instruction becomes, in this order of preference, an LLVM instruction or intrinsic, a short sequence of them on whole
//! vectors, or a call of a function in [`libcalls`] for each element. These functions are glibc's if they are precise
//! enough, else our own.
//!
//! The requirements are those of OpenCL C 3.0: section 7.4 (errors in ulps, full profile), 7.5 (edge cases; denormals are
//! supported for all types) and, for half, the extension `cl_khr_fp16`. Functions of half are computed as float and rounded
//! once, if that is precise enough.
//!
//! Operands are checked against the instruction's rules first ([`check`]), because LLVM does not validate its input.
//!
//! Library functions are called by name, so no function of the program may have the same name in the LLVM module.

mod check;
mod common;
pub mod elementary;
mod float;
mod fma;
mod geometric;
mod integer;
pub mod libcalls;
mod memory;
mod printf;
mod relational;
#[cfg(test)]
pub(crate) mod tests;
mod variants;
mod vector_math;

use llvm_sys::LLVMOpcode;
use smallvec::SmallVec;
use spirv::OpenclStd100Op as Op;

use crate::Error;
use crate::llvm::{Builder, Context, Kind, Module, Type, Value};

pub use float::nearest_even;
pub use fma::fma;
pub use libcalls::symbols;
pub use variants::vector_variant;
pub use vector_math::define as define_vector_math;

/// The context for emitting an instruction.
pub struct Emit<'a, 'c> {
    /// The context of all types.
    pub context: &'c Context,
    /// The module, for declarations.
    pub module: &'a Module<'c>,
    /// The builder, at the position of the instruction.
    pub builder: &'a Builder<'c>,
    /// LLVM's fast-math flags for the instruction, or 0.
    pub fast_math: u32,
    /// Whether the target has an instruction that fuses a multiplication and an addition of halfs.
    pub fuses_halfs: bool,
}

/// Emits an instruction. `args` are its value operands and `literals` its literal operands, in order. The returned value
/// has the type `result`; if that is `void`, the value is meaningless.
///
/// # Errors
/// [`Error::Malformed`], without an offset, if the operands break the instruction's rules.
pub fn emit<'c>(
    e: &Emit<'_, 'c>,
    op: Op,
    result: Type<'c>,
    args: &[Value<'c>],
    literals: &[u32],
) -> Result<Value<'c>, Error> {
    match op as u32 {
        171..=181 => return memory::emit(e, op, result, args, literals),
        184 => return printf::emit(e, result, args),
        _ if !literals.is_empty() => return Err(check::invalid("it has no literal operands")),
        182 | 183 => return relational::shuffle(e, op, result, args),
        185 => return memory::prefetch(e, args),
        _ => {}
    }
    let args = check::arguments(e, op, result, args)?;
    match op as u32 {
        0..=94 => float::emit(e, op, result, &args),
        95..=103 => common::emit(e, op, result, &args),
        104..=110 => geometric::emit(e, op, result, &args),
        186 | 187 => relational::emit(e, op, result, &args),
        _ => integer::emit(e, op, result, &args),
    }
}

impl<'c> Emit<'_, 'c> {
    /// Sets the fast-math flags of an instruction.
    fn fast(&self, value: Value<'c>) -> Value<'c> {
        self.builder.fast_math(value, self.fast_math)
    }

    /// Calls an intrinsic that is overloaded on the type of its first argument.
    fn intrinsic(&self, name: &str, args: &[Value<'c>]) -> Value<'c> {
        self.fast(self.builder.intrinsic(self.module, name, &[args[0].ty()], args))
    }

    /// Calls an intrinsic with an `i1` flag as its second argument.
    fn intrinsic_flag(&self, name: &str, arg: Value<'c>, flag: bool) -> Value<'c> {
        self.builder.intrinsic(
            self.module,
            name,
            &[arg.ty()],
            &[arg, self.context.int(1).int(flag.into())],
        )
    }

    /// The integer type of the same shape and width.
    fn bits_of(&self, ty: Type<'c>) -> Type<'c> {
        ty.with_scalar(self.context.int(ty.bits()))
    }

    /// The floating-point type of the same shape and this width.
    fn float_like(&self, ty: Type<'c>, bits: u32) -> Type<'c> {
        ty.with_scalar(self.context.float(bits))
    }

    /// An element of a vector, or the value itself if it is a scalar.
    pub(crate) fn lane(&self, value: Value<'c>, index: u32) -> Value<'c> {
        match value.ty().kind() {
            Kind::Vector(_) => self
                .builder
                .extract_element(value, self.context.int(32).int(index.into())),
            _ => value,
        }
    }

    /// Builds a value of a type from its elements.
    pub(crate) fn join(&self, ty: Type<'c>, lanes: &[Value<'c>]) -> Value<'c> {
        match ty.lanes() {
            None => lanes[0],
            Some(_) => lanes.iter().enumerate().fold(ty.poison(), |vector, (i, &lane)| {
                self.builder
                    .insert_element(vector, lane, self.context.int(32).int(i as u64))
            }),
        }
    }

    /// Applies a function element by element.
    fn each_lane(&self, ty: Type<'c>, args: &[Value<'c>], f: impl Fn(&[Value<'c>]) -> Value<'c>) -> Value<'c> {
        let lanes: SmallVec<[_; 16]> = (0..ty.lanes().unwrap_or(1))
            .map(|i| f(&args.iter().map(|&a| self.lane(a, i)).collect::<SmallVec<[_; 4]>>()))
            .collect();
        self.join(ty, &lanes)
    }

    /// Broadcasts a value, if the type is a vector.
    fn splat(&self, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        match ty.lanes() {
            Some(n) => self.builder.splat(value, n),
            None => value,
        }
    }

    /// Stores a value, with the alignment of its elements.
    fn store(&self, value: Value<'c>, address: Value<'c>) {
        self.builder.store(value, address).align(value.ty().bits() / 8);
    }

    fn signed_to_float(&self, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        self.builder.cast(LLVMOpcode::LLVMSIToFP, value, ty)
    }
}
