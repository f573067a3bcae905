// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Values of all types in memory.

use crate::fault::{Result, malformed};
use crate::memory::Allocation;
use crate::types::{Type, Types};
use crate::value::{Scalar, Value};

/// Reads a value of a type. The caller checked that it is in the allocation.
pub(crate) fn read(types: &Types, allocation: &Allocation, at: usize, ty: u32) -> Result<Value> {
    let layout = types.layout(ty)?;
    match &layout.ty {
        Type::Bool => {
            let byte = allocation.read(at, 1);
            let undef = u64::from(byte.undef != 0);
            Ok(Scalar {
                bits: byte.bits & 1,
                undef,
            }
            .into())
        }
        Type::Int(_) | Type::Float(_) | Type::Pointer { .. } | Type::Event => {
            Ok(allocation.read(at, layout.size as usize).into())
        }
        Type::Vector(element, count) => {
            let size = types.layout(*element)?.size as usize;
            let part = |i: usize| read(types, allocation, at + i * size, *element);
            (0..*count as usize).map(part).collect()
        }
        Type::Array(element, count) => {
            let size = types.layout(*element)?.size as usize;
            let part = |i: usize| read(types, allocation, at + i * size, *element);
            (0..*count as usize).map(part).collect()
        }
        Type::Struct { members, offsets } => {
            let all = members.iter().zip(offsets);
            all.map(|(&member, &offset)| read(types, allocation, at + offset as usize, member))
                .collect()
        }
        other => malformed(format!("a value of {other:?} in memory")),
    }
}

/// Writes a value of a type. What lies between members stays as it is.
pub(crate) fn write(types: &Types, allocation: &mut Allocation, at: usize, ty: u32, value: &Value) -> Result<()> {
    let layout = types.layout(ty)?;
    match &layout.ty {
        Type::Bool => {
            let bit = value.scalar()?;
            let undef = if bit.undef != 0 { 0xff } else { 0 };
            allocation.write(at, 1, Scalar { bits: bit.bits, undef });
        }
        Type::Int(_) | Type::Float(_) | Type::Pointer { .. } | Type::Event => {
            allocation.write(at, layout.size as usize, value.scalar()?);
        }
        Type::Vector(element, _) | Type::Array(element, _) => {
            let size = types.layout(*element)?.size as usize;
            for (i, part) in value.parts()?.iter().enumerate() {
                write(types, allocation, at + i * size, *element, part)?;
            }
        }
        Type::Struct { members, offsets } => {
            for (part, (&member, &offset)) in value.parts()?.iter().zip(members.iter().zip(offsets)) {
                write(types, allocation, at + offset as usize, member, part)?;
            }
        }
        other => return malformed(format!("a value of {other:?} in memory")),
    }
    Ok(())
}
