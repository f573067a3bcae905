// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Instructions whose result depends on their operands alone.

pub(crate) mod arith;
mod bits;
mod chain;
mod compare;
mod composite;
mod convert;
mod dot;
pub(crate) mod memory;

use spirv::Op;

use crate::fault::{Result, malformed};
use crate::module::{Inst, Module};
use crate::types::{Type, Types};
use crate::value::{Scalar, Value};

/// The operands of an instruction, by their numbers.
pub(crate) struct Operands<'a> {
    pub module: &'a Module,
    pub inst: &'a Inst,
    get: &'a dyn Fn(u32) -> Result<Value>,
}

impl Operands<'_> {
    /// A word.
    pub fn word(&self, index: usize) -> Result<u32> {
        self.module.operand(self.inst, index)
    }

    /// The words from an index on.
    pub fn words(&self, from: usize) -> &[u32] {
        self.module.operands(self.inst, from)
    }

    /// The value of an id.
    pub fn value(&self, index: usize) -> Result<Value> {
        (self.get)(self.word(index)?)
    }

    /// The values of the ids from an index on.
    pub fn values(&self, from: usize) -> Result<Vec<Value>> {
        self.words(from).iter().map(|&id| (self.get)(id)).collect()
    }

    /// The type of an id's value.
    pub fn type_of(&self, index: usize) -> Result<u32> {
        self.module.type_of(self.word(index)?)
    }

    /// The width of its scalars.
    pub fn width_of(&self, index: usize) -> Result<u32> {
        self.module.types.width(self.type_of(index)?)
    }

    /// The width of the result's scalars.
    pub fn width(&self) -> Result<u32> {
        self.module.types.width(self.inst.ty)
    }

    /// The width of an operand, which is a floating-point number.
    pub fn float_width_of(&self, index: usize) -> Result<u32> {
        float_width(&self.module.types, self.type_of(index)?)
    }
}

/// The width of a type of floating-point numbers.
pub(crate) fn float_width(types: &Types, ty: u32) -> Result<u32> {
    match types.element(ty)? {
        Type::Float(width) => Ok(*width),
        other => malformed(format!("{other:?} where a floating-point number is wanted")),
    }
}

/// The result of an instruction; None if it needs more than its operands.
pub(crate) fn evaluate(module: &Module, inst: &Inst, get: &dyn Fn(u32) -> Result<Value>) -> Result<Option<Value>> {
    let operands = Operands { module, inst, get };
    let o = &operands;
    let value = match inst.op {
        Op::IAdd
        | Op::ISub
        | Op::IMul
        | Op::UDiv
        | Op::SDiv
        | Op::UMod
        | Op::SRem
        | Op::SMod
        | Op::BitwiseAnd
        | Op::BitwiseOr
        | Op::BitwiseXor
        | Op::LogicalAnd
        | Op::LogicalOr
        | Op::LogicalNotEqual
        | Op::LogicalEqual
        | Op::ShiftLeftLogical
        | Op::ShiftRightLogical
        | Op::ShiftRightArithmetic => arith::integer(o)?,
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => arith::float(o)?,
        Op::SNegate | Op::Not | Op::LogicalNot => arith::integer_unary(o)?,
        Op::FNegate => arith::negate(o)?,
        Op::FmaKHR => arith::fma(o)?,
        Op::VectorTimesScalar => arith::vector_times_scalar(o)?,
        Op::Dot => arith::dot(o)?,
        Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => arith::extended(o)?,
        Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => dot::integer(o)?,
        Op::IEqual
        | Op::INotEqual
        | Op::UGreaterThan
        | Op::SGreaterThan
        | Op::UGreaterThanEqual
        | Op::SGreaterThanEqual
        | Op::ULessThan
        | Op::SLessThan
        | Op::ULessThanEqual
        | Op::SLessThanEqual
        | Op::PtrEqual
        | Op::PtrNotEqual => compare::integer(o)?,
        Op::FOrdEqual
        | Op::FUnordEqual
        | Op::FOrdNotEqual
        | Op::FUnordNotEqual
        | Op::FOrdLessThan
        | Op::FUnordLessThan
        | Op::FOrdGreaterThan
        | Op::FUnordGreaterThan
        | Op::FOrdLessThanEqual
        | Op::FUnordLessThanEqual
        | Op::FOrdGreaterThanEqual
        | Op::FUnordGreaterThanEqual
        | Op::LessOrGreater
        | Op::Ordered
        | Op::Unordered => compare::float(o)?,
        Op::IsNan | Op::IsInf | Op::IsFinite | Op::IsNormal | Op::SignBitSet => compare::class(o)?,
        Op::Any | Op::All => compare::any_all(o)?,
        Op::Select => compare::select(o)?,
        Op::PtrDiff => compare::pointer_difference(o)?,
        Op::ConvertFToU | Op::ConvertFToS => convert::float_to_int(o)?,
        Op::ConvertSToF | Op::ConvertUToF => convert::int_to_float(o)?,
        Op::FConvert => convert::float_to_float(o)?,
        Op::UConvert | Op::SConvert | Op::SatConvertSToU | Op::SatConvertUToS => convert::int_to_int(o)?,
        Op::ConvertPtrToU | Op::ConvertUToPtr => convert::resize(o)?,
        Op::PtrCastToGeneric | Op::GenericCastToPtr | Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => o.value(0)?,
        Op::Bitcast => convert::bitcast(o)?,
        Op::ConvertFToBF16INTEL | Op::ConvertBF16ToFINTEL => convert::bfloat16(o)?,
        Op::CompositeConstruct => composite::construct(o)?,
        Op::CompositeExtract => composite::extract(o)?,
        Op::CompositeInsert => composite::insert(o)?,
        Op::VectorExtractDynamic => composite::extract_dynamic(o)?,
        Op::VectorInsertDynamic => composite::insert_dynamic(o)?,
        Op::VectorShuffle => composite::shuffle(o)?,
        Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract | Op::BitReverse | Op::BitCount => {
            bits::fields(o)?
        }
        Op::UCountLeadingZerosINTEL
        | Op::UCountTrailingZerosINTEL
        | Op::AbsISubINTEL
        | Op::AbsUSubINTEL
        | Op::IAddSatINTEL
        | Op::UAddSatINTEL
        | Op::IAverageINTEL
        | Op::UAverageINTEL
        | Op::IAverageRoundedINTEL
        | Op::UAverageRoundedINTEL
        | Op::ISubSatINTEL
        | Op::USubSatINTEL => bits::functions_of_intel(o)?,
        Op::BitwiseFunctionINTEL => bits::bitwise_function(o)?,
        Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
            chain::access(o)?
        }
        Op::SizeOf => {
            let ty = module.types.pointee(o.type_of(0)?)?;
            Value::bits(module.types.layout(ty)?.size & crate::value::mask(o.width()?))
        }
        Op::Undef => module.undefined(inst.ty)?,
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Refuses a value that is not of a type: modules may lie.
pub(crate) fn check_shape(types: &Types, ty: u32, value: &Value) -> Result<()> {
    let is_right = match (types.get(ty)?, value) {
        (
            Type::Bool | Type::Int(_) | Type::Float(_) | Type::Pointer { .. } | Type::Event | Type::Other(_),
            Value::Scalar(_),
        ) => true,
        (Type::Vector(element, count), Value::Composite(parts)) => {
            parts.len() == *count as usize && parts.iter().all(|part| check_shape(types, *element, part).is_ok())
        }
        (Type::Array(element, count), Value::Composite(parts)) => {
            parts.len() as u64 == *count && parts.iter().all(|part| check_shape(types, *element, part).is_ok())
        }
        (Type::Struct { members, .. }, Value::Composite(parts)) => {
            let mut both = members.iter().zip(parts.iter());
            parts.len() == members.len() && both.all(|(&member, part)| check_shape(types, member, part).is_ok())
        }
        _ => false,
    };
    if is_right {
        Ok(())
    } else {
        malformed("a value that is not of the type of its instruction")
    }
}

/// A scalar of which all is undefined, if an operand is not defined.
pub(crate) fn if_defined(all: &[Scalar], width: u32, value: impl FnOnce() -> u64) -> Scalar {
    if all.iter().all(|s| s.is_defined()) {
        Scalar::new(value())
    } else {
        Scalar::undefined(width)
    }
}
