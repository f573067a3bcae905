// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Dot products of integers (SPV_KHR_integer_dot_product).

use spirv::Op;

use super::Operands;
use crate::fault::{Result, malformed};
use crate::types::Type;
use crate::value::{Scalar, Value, mask, signed};

pub(super) fn integer(o: &Operands<'_>) -> Result<Value> {
    let (op, to) = (o.inst.op, o.width()?);
    let (a_signed, b_signed, is_signed) = match op {
        Op::SDot | Op::SDotAccSat => (true, true, true),
        Op::SUDot | Op::SUDotAccSat => (true, false, true),
        _ => (false, false, false),
    };
    let accumulates = matches!(op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
    let (a, b) = (numbers(o, 0, a_signed)?, numbers(o, 1, b_signed)?);
    let (Some(a), Some(b)) = (a, b) else {
        return Ok(Scalar::undefined(to).into());
    };
    if a.len() != b.len() {
        return malformed("vectors of different lengths");
    }
    let sum: i128 = a
        .iter()
        .zip(&b)
        .map(|(x, y)| x.wrapping_mul(*y))
        .fold(0, i128::wrapping_add);
    let low = (sum as u64) & mask(to);
    if !accumulates {
        return Ok(Value::bits(low));
    }
    let more = o.value(2)?.scalar()?;
    if !more.is_defined() {
        return Ok(Scalar::undefined(to).into());
    }
    let (value, low, high) = if is_signed {
        let value = i128::from(signed(low, to)) + i128::from(signed(more.bits, to));
        (value, -(1i128 << (to - 1)), (1i128 << (to - 1)) - 1)
    } else {
        (i128::from(low) + i128::from(more.bits), 0, (1i128 << to) - 1)
    };
    Ok(Value::bits(value.clamp(low, high) as u64 & mask(to)))
}

/// The components of a vector, or of four bytes that are packed; None if something is undefined.
fn numbers(o: &Operands<'_>, index: usize, is_signed: bool) -> Result<Option<Vec<i128>>> {
    let (value, width) = (o.value(index)?, o.width_of(index)?);
    let (all, width) = match o.module.types.get(o.type_of(index)?)? {
        Type::Vector(..) => (value.scalars()?, width),
        _ => {
            let word = value.scalar()?;
            let byte = |i: u32| Scalar {
                bits: word.bits >> (i * 8) & 0xff,
                undef: word.undef >> (i * 8) & 0xff,
            };
            ((0..4).map(byte).collect(), 8)
        }
    };
    if !all.iter().all(|s| s.is_defined()) {
        return Ok(None);
    }
    let number = |s: Scalar| {
        if is_signed {
            signed(s.bits, width).into()
        } else {
            i128::from(s.bits)
        }
    };
    Ok(Some(all.into_iter().map(number).collect()))
}
