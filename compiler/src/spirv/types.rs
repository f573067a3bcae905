// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Types of a module.

use spirv::{Op, StorageClass};

use super::{Id, Inst};
use crate::Error;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// No value.
    Void,
    /// Booleans.
    Bool,
    /// Integers of this width.
    Int(u32),
    /// Floating-point numbers of this width.
    Float(u32),
    /// bfloat16, which supports conversions only.
    BFloat16,
    /// A vector: element type and length.
    Vector(Id, u32),
    /// An array: element type, and the id of its length.
    Array(Id, Id),
    /// A structure: the types of its members.
    Struct(Vec<Id>),
    /// A pointer into a storage class. The pointee may be declared later.
    Pointer(StorageClass, Id),
    /// A function: return type and parameter types.
    Function(Id, Vec<Id>),
    /// An image: dimensionality (SPIR-V's `Dim`), and whether it is an array.
    Image(u32, bool),
    /// A sampler.
    Sampler,
    /// An image with its sampler.
    SampledImage(Id),
    /// An event of an asynchronous copy.
    Event,
    /// An unsupported type.
    Unsupported(String),
}

impl Type {
    /// The type that an instruction declares; `None` if it declares none.
    pub(super) fn new(inst: &Inst<'_>) -> Result<Option<Self>, Error> {
        let operand = |i| inst.operand(i);
        Ok(Some(match inst.op {
            Op::TypeVoid => Self::Void,
            Op::TypeBool => Self::Bool,
            Op::TypeInt => match operand(0)? {
                // Other widths need SPV_INTEL_arbitrary_precision_integers; LLVM supports them.
                width @ 1..=64 => Self::Int(width),
                128 => Self::Int(128),
                width => Self::Unsupported(format!("OpTypeInt of {width} bits")),
            },
            Op::TypeFloat => match (operand(0)?, inst.operands().get(1)) {
                (width @ (16 | 32 | 64), None) => Self::Float(width),
                (16, Some(0)) => Self::BFloat16,
                (width, encoding) => Self::Unsupported(format!("OpTypeFloat of {width} bits, encoding {encoding:?}")),
            },
            Op::TypeVector => match operand(1)? {
                // SPV_INTEL_vector_compute and LongVector have other lengths. No extension has larger ones.
                count @ 2..=1024 => Self::Vector(operand(0)?, count),
                count => Self::Unsupported(format!("OpTypeVector of {count} elements")),
            },
            Op::TypeArray => Self::Array(operand(0)?, operand(1)?),
            Op::TypeStruct => Self::Struct(inst.operands().to_vec()),
            Op::TypePointer => {
                let class = StorageClass::from_u32(operand(0)?)
                    .ok_or_else(|| inst.malformed(format!("storage class {}", inst.operands()[0])))?;
                Self::Pointer(class, operand(1)?)
            }
            Op::TypeFunction => Self::Function(operand(0)?, inst.operands()[1..].to_vec()),
            Op::TypeImage => Self::Image(operand(1)?, operand(3)? != 0),
            Op::TypeSampler => Self::Sampler,
            Op::TypeSampledImage => Self::SampledImage(operand(0)?),
            Op::TypeEvent => Self::Event,
            Op::TypeForwardPointer => return Ok(None),
            _ if inst.name().starts_with("OpType") => {
                Self::Unsupported(format!("{}, {},", inst.name(), inst.capability()))
            }
            _ => return Ok(None),
        }))
    }
}
