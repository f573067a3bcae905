// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Addresses of parts of what a pointer leads to.

use spirv::Op;

use super::Operands;
use crate::fault::{Result, malformed};
use crate::types::Type;
use crate::value::{Scalar, Value, signed};

/// Indices are signed. An address beyond an object is no fault before it is accessed.
pub(super) fn access(o: &Operands<'_>) -> Result<Value> {
    let module = o.module;
    let base = o.value(0)?.scalar()?;
    let mut ty = module.types.pointee(o.type_of(0)?)?;
    let mut address = base.bits;
    let mut is_defined = base.is_defined();
    let has_element = matches!(o.inst.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
    for (at, &id) in o.words(1).iter().enumerate() {
        let index = o.value(at + 1)?.scalar()?;
        is_defined &= index.is_defined();
        let number = signed(index.bits, module.types.width(module.type_of(id)?)?);
        let offset = if at == 0 && has_element {
            (module.types.layout(ty)?.size as i64).wrapping_mul(number)
        } else {
            match module.types.get(ty)? {
                Type::Struct { .. } => {
                    let (member, offset) = module.types.member(ty, number as u64)?;
                    ty = member;
                    offset as i64
                }
                Type::Array(element, _) | Type::Vector(element, _) => {
                    ty = *element;
                    (module.types.layout(ty)?.size as i64).wrapping_mul(number)
                }
                other => return malformed(format!("an index into {other:?}")),
            }
        };
        address = address.wrapping_add(offset as u64);
    }
    Ok(if is_defined {
        Value::bits(address)
    } else {
        Scalar::undefined(64).into()
    })
}
