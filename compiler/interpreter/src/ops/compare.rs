// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Comparisons, and choices that they lead to.

use std::cmp::Ordering;

use spirv::Op;

use super::{Operands, if_defined};
use crate::fault::{Kind, Result, fault, malformed};
use crate::float::{self, Parts};
use crate::value::{Scalar, Value, map, map2, mask, signed};

/// Integers and pointers. What is undefined does not matter if all that it may be leads to the same answer.
pub(super) fn integer(o: &Operands<'_>) -> Result<Value> {
    let (op, width) = (o.inst.op, o.width_of(0)?);
    map2(&o.value(0)?, &o.value(1)?, |a, b| Ok(integer_scalar(op, width, a, b)))
}

fn integer_scalar(op: Op, width: u32, a: Scalar, b: Scalar) -> Scalar {
    let undef = a.undef | b.undef;
    match op {
        Op::IEqual | Op::INotEqual | Op::PtrEqual | Op::PtrNotEqual => {
            let differ = (a.bits ^ b.bits) & !undef & mask(width) != 0;
            if undef != 0 && !differ {
                return Scalar::undefined(1);
            }
            Scalar::bool(differ == matches!(op, Op::INotEqual | Op::PtrNotEqual))
        }
        _ => {
            let is_signed = matches!(
                op,
                Op::SGreaterThan | Op::SGreaterThanEqual | Op::SLessThan | Op::SLessThanEqual
            );
            let key = |bits: u64| if is_signed { bits ^ 1 << (width - 1) } else { bits } & mask(width);
            let low = |s: Scalar| key(s.bits) & !s.undef;
            let high = |s: Scalar| key(s.bits) | s.undef & mask(width);
            // Whether a < b, or the other way round for the negated comparisons.
            let less = |a: Scalar, b: Scalar| {
                if high(a) < low(b) {
                    Some(true)
                } else if low(a) >= high(b) {
                    Some(false)
                } else {
                    None
                }
            };
            let answer = match op {
                Op::ULessThan | Op::SLessThan => less(a, b),
                Op::UGreaterThan | Op::SGreaterThan => less(b, a),
                Op::UGreaterThanEqual | Op::SGreaterThanEqual => less(a, b).map(|x| !x),
                _ => less(b, a).map(|x| !x),
            };
            answer.map_or(Scalar::undefined(1), Scalar::bool)
        }
    }
}

/// The order of two numbers; None if one is a NaN.
pub(crate) fn float_order(a: u64, b: u64, width: u32) -> Option<Ordering> {
    float::to_f64(a, width).partial_cmp(&float::to_f64(b, width))
}

pub(super) fn float(o: &Operands<'_>) -> Result<Value> {
    let (op, width) = (o.inst.op, o.float_width_of(0)?);
    use Ordering::{Equal, Greater, Less};
    map2(&o.value(0)?, &o.value(1)?, |a, b| {
        Ok(if_defined(&[a, b], 1, || {
            let order = float_order(a.bits, b.bits, width);
            let answer = match op {
                Op::FOrdEqual => order == Some(Equal),
                Op::FUnordEqual => matches!(order, None | Some(Equal)),
                Op::FOrdNotEqual | Op::LessOrGreater => matches!(order, Some(Less | Greater)),
                Op::FUnordNotEqual => order != Some(Equal),
                Op::FOrdLessThan => order == Some(Less),
                Op::FUnordLessThan => matches!(order, None | Some(Less)),
                Op::FOrdGreaterThan => order == Some(Greater),
                Op::FUnordGreaterThan => matches!(order, None | Some(Greater)),
                Op::FOrdLessThanEqual => matches!(order, Some(Less | Equal)),
                Op::FUnordLessThanEqual => order != Some(Greater),
                Op::FOrdGreaterThanEqual => matches!(order, Some(Greater | Equal)),
                Op::FUnordGreaterThanEqual => order != Some(Less),
                Op::Ordered => order.is_some(),
                _ => order.is_none(),
            };
            answer.into()
        }))
    })
}

pub(super) fn class(o: &Operands<'_>) -> Result<Value> {
    let (op, width) = (o.inst.op, o.float_width_of(0)?);
    map(&o.value(0)?, |a| {
        Ok(if_defined(&[a], 1, || {
            let parts = float::parts(a.bits, width);
            let answer = match op {
                Op::IsNan => parts == Parts::Nan,
                Op::IsInf => matches!(parts, Parts::Infinite { .. }),
                Op::IsFinite => matches!(parts, Parts::Finite { .. }),
                Op::SignBitSet => a.bits >> (width - 1) & 1 != 0,
                _ => {
                    let implicit = match width {
                        16 => 1 << 10,
                        32 => 1 << 23,
                        _ => 1u64 << 52,
                    };
                    matches!(parts, Parts::Finite { mantissa, .. } if mantissa >= implicit)
                }
            };
            answer.into()
        }))
    })
}

pub(super) fn any_all(o: &Operands<'_>) -> Result<Value> {
    let is_all = o.inst.op == Op::All;
    let all = o.value(0)?.scalars()?;
    let decisive = |s: &Scalar| s.is_defined() && (s.bits != 0) != is_all;
    let answer = if all.iter().any(decisive) {
        Scalar::bool(!is_all)
    } else if all.iter().all(|s| s.is_defined()) {
        Scalar::bool(is_all)
    } else {
        Scalar::undefined(1)
    };
    Ok(answer.into())
}

pub(super) fn select(o: &Operands<'_>) -> Result<Value> {
    let (condition, a, b) = (o.value(0)?, o.value(1)?, o.value(2)?);
    match condition {
        Value::Scalar(condition) if condition.is_defined() => Ok(if condition.bits != 0 { a } else { b }),
        Value::Scalar(_) => either(&a, &b),
        Value::Composite(conditions) => {
            let (a, b) = (a.parts()?, b.parts()?);
            if a.len() != conditions.len() || b.len() != conditions.len() {
                return malformed("OpSelect of vectors of different lengths");
            }
            let all = conditions.iter().zip(a.iter().zip(b.iter()));
            all.map(|(condition, (a, b))| match condition.scalar()? {
                c if !c.is_defined() => either(a, b),
                c => Ok(if c.bits != 0 { a.clone() } else { b.clone() }),
            })
            .collect()
        }
        Value::Unset => malformed("a value is used that has not been computed"),
    }
}

/// One of two, nobody knows which.
fn either(a: &Value, b: &Value) -> Result<Value> {
    match (a, b) {
        (Value::Composite(x), Value::Composite(y)) => x.iter().zip(y.iter()).map(|(a, b)| either(a, b)).collect(),
        _ => {
            let (a, b) = (a.scalar()?, b.scalar()?);
            Ok(Value::Scalar(Scalar {
                bits: a.bits,
                undef: a.undef | b.undef | (a.bits ^ b.bits),
            }))
        }
    }
}

pub(super) fn pointer_difference(o: &Operands<'_>) -> Result<Value> {
    let pointee = o.module.types.pointee(o.type_of(0)?)?;
    let size = o.module.types.layout(pointee)?.size.max(1) as i64;
    let (width, op) = (o.width()?, o.inst.op);
    map2(&o.value(0)?, &o.value(1)?, |a, b| {
        if !a.is_defined() || !b.is_defined() {
            return fault(Kind::UndefinedValue, format!("a pointer of Op{op:?} is undefined"));
        }
        let difference = signed(a.bits.wrapping_sub(b.bits), 64) / size;
        Ok(Scalar::new(difference as u64 & mask(width)))
    })
}
