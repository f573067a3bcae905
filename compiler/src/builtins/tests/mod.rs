// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of the built-in functions with emitted code: LLVM compiles a small function for each, which the tests call.

pub(crate) mod accuracy;
mod elementwise;
mod emission;
mod geometric;
mod integers;
mod jit;
mod memory;
mod parts;
mod printf;
pub(crate) mod reference;
mod special_values;
mod vector_math;

use spirv::OpenclStd100Op as Op;

use super::check::{self, Operand, Outcome};
use super::{Emit, emit};
use crate::Error;
use crate::llvm::{Builder, Context, Module, Type, Value};

/// All instructions on numbers (with pointers for second results), by the rules of [`check`].
fn regular() -> impl Iterator<Item = Op> {
    (0..=204)
        .filter_map(Op::from_u32)
        .filter(|&op| !matches!(op as u32, 171..=185))
}

/// The operand types of an instruction, followed by the type of the result. `ty` is the type of the result, or of the
/// operands if the instruction reduces vectors to a scalar.
fn signature<'c>(context: &'c Context, op: Op, ty: Type<'c>) -> Option<Vec<Type<'c>>> {
    let (outcome, operands) = check::rules(op);
    let (result, ty) = match outcome {
        Outcome::Float | Outcome::Scalar if !ty.is_float() => return None,
        Outcome::Integer if op != Op::ilogb && !ty.is_int() => return None,
        Outcome::Integer if op == Op::ilogb && !ty.is_float() => return None,
        Outcome::Scalar => (ty.scalar(), ty),
        _ if op == Op::ilogb => (ty.with_scalar(context.int(32)), ty),
        _ => (ty, ty),
    };
    match op {
        Op::cross if !matches!(ty.lanes(), Some(3 | 4)) => return None,
        Op::s_upsample | Op::u_upsample if ty.bits() == 8 => return None,
        _ => {}
    }
    let mut types: Vec<_> = operands
        .iter()
        .map(|operand| match operand {
            Operand::Same | Operand::Vector | Operand::Float => ty,
            Operand::I32 => ty.with_scalar(context.int(32)),
            Operand::Bits => ty.with_scalar(context.int(ty.bits())),
            Operand::Narrow => ty.with_scalar(context.int(ty.bits() / 2)),
            Operand::Pointer => context.ptr(),
        })
        .collect();
    types.push(result);
    Some(types)
}

/// Adds a function that runs an instruction. It loads the operands from its first parameters and stores the result to the
/// last one. Pointer operands are the parameters themselves.
fn wrapper<'c>(
    context: &'c Context,
    module: &Module<'c>,
    name: &str,
    op: Op,
    types: &[Type<'c>],
    literals: &[u32],
) -> Result<(), Error> {
    let (&result, operands) = types.split_last().unwrap();
    let function = module.add_function(name, context.void().function(&vec![context.ptr(); types.len()]));
    let builder = Builder::at_end(context, function.append_block("entry"));
    let args: Vec<Value<'c>> = (0..)
        .zip(operands)
        .map(|(i, &ty)| {
            let param = function.param(i);
            if ty == context.ptr() {
                param
            } else {
                builder.load(ty, param).align(1)
            }
        })
        .collect();
    let e = Emit {
        context,
        module,
        builder: &builder,
        fast_math: 0,
        fuses_halfs: false,
    };
    let value = emit(&e, op, result, &args, literals)?;
    if result != context.void() {
        builder.store(value, function.param(operands.len() as u32)).align(1);
    }
    builder.ret(None);
    Ok(())
}

/// A pseudo-random number generator (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A compiled instruction on scalars.
struct Function {
    compiled: jit::Compiled,
    /// Which operands are pointers, and the width of the result.
    pointers: Vec<bool>,
    bits: u32,
}

impl Function {
    /// Compiles an instruction for floating-point numbers or integers of this width.
    fn new(op: Op, bits: u32, float: bool) -> Self {
        let context = Context::new();
        let scalar = if float { context.float(bits) } else { context.int(bits) };
        let types = signature(&context, op, scalar).unwrap_or_else(|| panic!("{op:?} takes no {scalar:?}"));
        let compiled = jit::Compiled::new(
            op,
            |context| {
                let scalar = if float { context.float(bits) } else { context.int(bits) };
                signature(context, op, scalar).unwrap()
            },
            &[],
        );
        let (result, operands) = types.split_last().unwrap();
        Self {
            compiled,
            pointers: operands.iter().map(|ty| ty.is_ptr()).collect(),
            bits: result.bits(),
        }
    }

    /// The bits of the result, and the value stored by way of the last operand.
    fn call(&self, args: &[u64]) -> (u64, u64) {
        let mut buffers = [[0u8; 8]; 5];
        let mut args = args.iter();
        for (buffer, pointer) in buffers.iter_mut().zip(&self.pointers) {
            if !pointer {
                *buffer = args.next().expect("an argument for each operand").to_le_bytes();
            }
        }
        let mut pointers = [std::ptr::null_mut(); 5];
        for (pointer, buffer) in pointers.iter_mut().zip(&mut buffers) {
            *pointer = buffer.as_mut_ptr();
        }
        let count = self.pointers.len();
        // SAFETY: each operand and the result have eight bytes.
        unsafe { self.compiled.call(&pointers[..=count]) };
        let result = u64::from_le_bytes(buffers[count]) & (u64::MAX >> (64 - self.bits));
        (result, u64::from_le_bytes(buffers[count - 1]))
    }
}
