// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Checks the operands of each instruction: "OpenCL Extended Instruction Set Specification", section 2.

use smallvec::SmallVec;
use spirv::OpenclStd100Op as Op;

use super::Emit;
use crate::Error;
use crate::llvm::{Kind, Type, Value};

/// The required type of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    /// The result's type.
    Same,
    /// i32, in the result's shape.
    I32,
    /// Any floating-point type, in the result's shape.
    Float,
    /// The integer type of the result's shape and width.
    Bits,
    /// The integer type of the result's shape and half its width.
    Narrow,
    /// The result's type, or a vector of it. All operands have the same type.
    Vector,
    /// A pointer.
    Pointer,
}

/// The required type of the result: scalars of this kind, or vectors of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Float,
    Integer,
    Number,
    /// A floating-point scalar.
    Scalar,
}

/// The error for a violated rule. The caller of [`super::emit`] adds the instruction.
pub fn invalid(what: impl Into<String>) -> Error {
    Error::malformed(what)
}

pub(super) fn rules(op: Op) -> (Outcome, &'static [Operand]) {
    use Op::*;
    use Operand::*;
    use Outcome::Number;
    match op {
        fmod | fdim | fmax | fmin | hypot | maxmag | minmag | nextafter | pow | powr | remainder | atan2 | atan2pi
        | copysign | half_divide | half_powr | native_divide | native_powr | fmax_common | fmin_common | step
        | cross => (Outcome::Float, &[Same, Same]),
        fma | mad | fclamp | mix | smoothstep => (Outcome::Float, &[Same, Same, Same]),
        fract | modf | sincos | frexp | lgamma_r => (Outcome::Float, &[Same, Pointer]),
        remquo => (Outcome::Float, &[Same, Same, Pointer]),
        ldexp | pown | rootn => (Outcome::Float, &[Same, I32]),
        ilogb => (Outcome::Integer, &[Float]),
        nan => (Outcome::Float, &[Bits]),
        distance | fast_distance => (Outcome::Scalar, &[Vector, Vector]),
        length | fast_length => (Outcome::Scalar, &[Vector]),
        bitselect => (Number, &[Same, Same, Same]),
        select => (Number, &[Same, Same, Bits]),
        s_abs | u_abs | clz | ctz | popcount => (Outcome::Integer, &[Same]),
        s_clamp | u_clamp | s_mad_hi | u_mad_hi | s_mad_sat | u_mad_sat | s_mad24 | u_mad24 => {
            (Outcome::Integer, &[Same, Same, Same])
        }
        s_upsample | u_upsample => (Outcome::Integer, &[Narrow, Narrow]),
        // All other integer functions take two operands, all other floating-point functions one.
        _ => match op as u32 {
            141..=204 => (Outcome::Integer, &[Same, Same]),
            _ => (Outcome::Float, &[Same]),
        },
    }
}

/// Checks an instruction's operands, and broadcasts scalar operands if the result is a vector. OpenCL C has such forms of
/// `ldexp`, `fmin`, `mix` and others, which some front ends pass on.
pub fn arguments<'c>(
    e: &Emit<'_, 'c>,
    op: Op,
    result: Type<'c>,
    args: &[Value<'c>],
) -> Result<SmallVec<[Value<'c>; 4]>, Error> {
    let (outcome, operands) = rules(op);
    let fits = match outcome {
        Outcome::Float => is_float(result),
        Outcome::Integer => is_integer(result),
        Outcome::Number => is_float(result) || is_integer(result),
        Outcome::Scalar => is_float(result) && result.lanes().is_none(),
    };
    if !fits {
        return Err(invalid(format!("the result cannot be of type {result:?}")));
    }
    if args.len() != operands.len() {
        return Err(invalid(format!(
            "it takes {} operands, not {}",
            operands.len(),
            args.len()
        )));
    }
    let mut checked = SmallVec::new();
    for (index, (&arg, &operand)) in args.iter().zip(operands).enumerate() {
        let ty = arg.ty();
        let scalar = match operand {
            Operand::Pointer => None,
            Operand::Vector => Some(result),
            Operand::Same => Some(result.scalar()),
            Operand::I32 => Some(e.context.int(32)),
            Operand::Float if is_float(ty) => Some(ty.scalar()),
            Operand::Float => None,
            Operand::Bits => Some(e.context.int(result.bits())),
            Operand::Narrow => Some(e.context.int(result.bits() / 2)),
        };
        let fits = match (operand, scalar) {
            (Operand::Pointer, _) => ty.kind() == Kind::Pointer,
            (Operand::Vector, Some(scalar)) => ty.scalar() == scalar && is_float(ty) && ty == args[0].ty(),
            (_, Some(scalar)) => ty == scalar || ty == result.with_scalar(scalar),
            (_, None) => false,
        };
        if !fits {
            return Err(invalid(format!(
                "operand {} cannot be of type {ty:?} for {result:?}",
                index + 1
            )));
        }
        let widen = !matches!(operand, Operand::Pointer | Operand::Vector) && ty.lanes().is_none();
        checked.push(if widen { e.splat(arg, result) } else { arg });
    }
    match op {
        Op::cross if !matches!(result.lanes(), Some(3 | 4)) => Err(invalid("it takes vectors of 3 or 4 elements")),
        Op::ilogb if result.bits() != 32 => Err(invalid("the result must be of 32 bits")),
        Op::s_upsample | Op::u_upsample if result.bits() == 8 => Err(invalid("the result has 16 bits or more")),
        _ => Ok(checked),
    }
}

/// Whether a type is half, float or double, or a vector of them.
pub fn is_float(ty: Type<'_>) -> bool {
    ty.is_float() && ty.lanes().is_none_or(|n| n <= MAX_LANES)
}

/// Whether a type is one of OpenCL's integer types, or a vector of them.
pub fn is_integer(ty: Type<'_>) -> bool {
    ty.is_int() && matches!(ty.bits(), 8 | 16 | 32 | 64) && ty.lanes().is_none_or(|n| n <= MAX_LANES)
}

/// The limit of vector lengths. OpenCL's vectors have at most 16 elements, those of extensions more. A limit is needed
/// because code is emitted for each element.
const MAX_LANES: u32 = 64;
