// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Conversions.

use spirv::Op;

use super::{Operands, float_width, if_defined};
use crate::fault::{Result, malformed};
use crate::float::{self, Rounding};
use crate::types::Type;
use crate::value::{Scalar, Value, map, mask, signed};

/// The lowest and the highest number of a type of integers.
fn bounds(width: u32, is_signed: bool) -> (i128, i128) {
    if is_signed {
        (-(1 << (width - 1)), (1 << (width - 1)) - 1)
    } else {
        (0, (1 << width) - 1)
    }
}

/// Towards zero unless a decoration says otherwise. What does not fit is undefined, or the nearest number that does.
pub(super) fn float_to_int(o: &Operands<'_>) -> Result<Value> {
    let (from, to, flags) = (o.float_width_of(0)?, o.width()?, o.inst.flags);
    let (low, high) = bounds(to, o.inst.op == Op::ConvertFToS);
    let rounding = flags.rounding.unwrap_or(Rounding::Zero);
    map(&o.value(0)?, |a| {
        if !a.is_defined() {
            return Ok(Scalar::undefined(to));
        }
        Ok(match float::to_int(a.bits, from, rounding) {
            None if flags.is_saturated => Scalar::new(0),
            Some(value) if flags.is_saturated || (low..=high).contains(&value) => {
                Scalar::new(value.clamp(low, high) as u64 & mask(to))
            }
            _ => Scalar::undefined(to),
        })
    })
}

pub(super) fn int_to_float(o: &Operands<'_>) -> Result<Value> {
    let (from, to) = (o.width_of(0)?, float_width(&o.module.types, o.inst.ty)?);
    let rounding = o.inst.flags.rounding.unwrap_or(Rounding::NearestEven);
    let is_signed = o.inst.op == Op::ConvertSToF;
    map(&o.value(0)?, |a| {
        Ok(if_defined(&[a], to, || {
            let value = if is_signed {
                i128::from(signed(a.bits, from))
            } else {
                a.bits.into()
            };
            float::from_int(value, to, rounding)
        }))
    })
}

pub(super) fn float_to_float(o: &Operands<'_>) -> Result<Value> {
    let (from, to) = (o.float_width_of(0)?, float_width(&o.module.types, o.inst.ty)?);
    let rounding = o.inst.flags.rounding.unwrap_or(Rounding::NearestEven);
    map(&o.value(0)?, |a| {
        Ok(if_defined(&[a], to, || float::convert(a.bits, from, to, rounding)))
    })
}

/// Truncates or extends, or saturates.
pub(super) fn int_to_int(o: &Operands<'_>) -> Result<Value> {
    let (from, to, op) = (o.width_of(0)?, o.width()?, o.inst.op);
    let (is_signed, to_signed) = match op {
        Op::SConvert => (true, true),
        Op::SatConvertSToU => (true, false),
        Op::SatConvertUToS => (false, true),
        _ => (false, false),
    };
    let is_saturated = o.inst.flags.is_saturated || matches!(op, Op::SatConvertSToU | Op::SatConvertUToS);
    let (low, high) = bounds(to, to_signed);
    map(&o.value(0)?, |a| {
        let extend = |bits: u64| if is_signed { signed(bits, from) as u64 } else { bits };
        if is_saturated {
            return Ok(if_defined(&[a], to, || {
                let value = if is_signed {
                    i128::from(signed(a.bits, from))
                } else {
                    a.bits.into()
                };
                value.clamp(low, high) as u64 & mask(to)
            }));
        }
        Ok(Scalar {
            bits: extend(a.bits) & mask(to),
            undef: extend(a.undef) & mask(to),
        })
    })
}

/// Pointers to integers and back: with zeros, or without the high bits.
pub(super) fn resize(o: &Operands<'_>) -> Result<Value> {
    let to = o.width()?;
    map(&o.value(0)?, |a| {
        Ok(Scalar {
            bits: a.bits & mask(to),
            undef: a.undef & mask(to),
        })
    })
}

/// The same bits as another type: low components are low bits.
pub(super) fn bitcast(o: &Operands<'_>) -> Result<Value> {
    let types = &o.module.types;
    let (from, to) = (o.type_of(0)?, o.inst.ty);
    let value = o.value(0)?;
    let (from_width, to_width) = (types.width(from)?, types.width(to)?);
    let (from_count, to_count) = (types.components(from)?, types.components(to)?);
    if from_width * from_count != to_width * to_count || from_width < 8 || to_width < 8 {
        return malformed("OpBitcast between types of different sizes");
    }
    if from_count == to_count {
        return Ok(value);
    }
    let mut bytes = Vec::new();
    for scalar in value.scalars()? {
        for i in 0..from_width / 8 {
            bytes.push((scalar.bits >> (i * 8) & 0xff, scalar.undef >> (i * 8) & 0xff));
        }
    }
    let mut parts = bytes.chunks(to_width as usize / 8).map(|chunk| {
        let join = |part: fn(&(u64, u64)) -> u64| chunk.iter().rev().fold(0, |n, byte| n << 8 | part(byte));
        Value::Scalar(Scalar {
            bits: join(|b| b.0),
            undef: join(|b| b.1),
        })
    });
    match types.get(to)? {
        Type::Vector(..) => Ok(parts.collect()),
        _ => Ok(parts.next().unwrap_or_default()),
    }
}

/// The upper half of a `float`, rounded to nearest even.
pub(super) fn bfloat16(o: &Operands<'_>) -> Result<Value> {
    let is_widened = o.inst.op == Op::ConvertBF16ToFINTEL;
    map(&o.value(0)?, |a| {
        let width = if is_widened { 32 } else { 16 };
        Ok(if_defined(&[a], width, || {
            if is_widened {
                return a.bits << 16 & mask(32);
            }
            if float::is_nan(a.bits & mask(32), 32) {
                return 0x7fc0;
            }
            let odd = a.bits >> 16 & 1;
            (a.bits + 0x7fff + odd) >> 16 & 0xffff
        }))
    })
}
