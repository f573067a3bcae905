// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Fields of bits, and the integer functions of Intel's extensions.

use spirv::Op;

use super::{Operands, if_defined};
use crate::ext::integer;
use crate::fault::{Result, malformed};
use crate::value::{Scalar, Value, map, map2, mask, signed};

pub(super) fn fields(o: &Operands<'_>) -> Result<Value> {
    let width = o.width()?;
    match o.inst.op {
        Op::BitReverse => map(&o.value(0)?, |a| {
            Ok(Scalar {
                bits: a.bits.reverse_bits() >> (64 - width),
                undef: a.undef.reverse_bits() >> (64 - width),
            })
        }),
        Op::BitCount => map(&o.value(0)?, |a| {
            Ok(if_defined(&[a], width, || u64::from(a.bits.count_ones())))
        }),
        Op::BitFieldInsert => {
            let (offset, count) = (o.value(2)?.scalar()?, o.value(3)?.scalar()?);
            map2(&o.value(0)?, &o.value(1)?, |base, insert| {
                let Some(field) = field(offset, count, width) else {
                    return Ok(Scalar::undefined(width));
                };
                let place = |x: u64| (x << offset.bits.min(63)) & field;
                Ok(Scalar {
                    bits: base.bits & !field | place(insert.bits),
                    undef: base.undef & !field | place(insert.undef),
                })
            })
        }
        op => {
            let (offset, count) = (o.value(1)?.scalar()?, o.value(2)?.scalar()?);
            map(&o.value(0)?, |base| {
                if field(offset, count, width).is_none() {
                    return Ok(Scalar::undefined(width));
                }
                let take = |x: u64| {
                    let low = x.checked_shr(offset.bits as u32).unwrap_or(0) & mask(count.bits as u32);
                    if op == Op::BitFieldSExtract && count.bits != 0 {
                        signed(low, count.bits as u32) as u64 & mask(width)
                    } else {
                        low
                    }
                };
                Ok(Scalar {
                    bits: take(base.bits),
                    undef: take(base.undef),
                })
            })
        }
    }
}

/// The bits of a field; None if it does not fit.
fn field(offset: Scalar, count: Scalar, width: u32) -> Option<u64> {
    let is_right = offset.is_defined() && count.is_defined() && offset.bits.saturating_add(count.bits) <= width.into();
    is_right.then(|| mask(count.bits as u32).checked_shl(offset.bits as u32).unwrap_or(0))
}

pub(super) fn functions_of_intel(o: &Operands<'_>) -> Result<Value> {
    let width = o.width()?;
    let one = |f: fn(u64, u32) -> u64| map(&o.value(0)?, |a| Ok(if_defined(&[a], width, || f(a.bits, width))));
    let two = |f: fn(u64, u64, u32, bool) -> u64, is_signed: bool| {
        map2(&o.value(0)?, &o.value(1)?, |a, b| {
            Ok(if_defined(&[a, b], width, || f(a.bits, b.bits, width, is_signed)))
        })
    };
    match o.inst.op {
        Op::UCountLeadingZerosINTEL => one(integer::clz),
        Op::UCountTrailingZerosINTEL => one(integer::ctz),
        Op::AbsISubINTEL => two(integer::abs_diff, true),
        Op::AbsUSubINTEL => two(integer::abs_diff, false),
        Op::IAddSatINTEL => two(integer::add_sat, true),
        Op::UAddSatINTEL => two(integer::add_sat, false),
        Op::ISubSatINTEL => two(integer::sub_sat, true),
        Op::USubSatINTEL => two(integer::sub_sat, false),
        Op::IAverageINTEL => two(integer::hadd, true),
        Op::UAverageINTEL => two(integer::hadd, false),
        Op::IAverageRoundedINTEL => two(integer::rhadd, true),
        _ => two(integer::rhadd, false),
    }
}

/// Any function of three bits, by its table.
pub(super) fn bitwise_function(o: &Operands<'_>) -> Result<Value> {
    let table = o.value(3)?.scalar()?.bits;
    let width = o.width()?;
    let (a, b, c) = (o.value(0)?.scalars()?, o.value(1)?.scalars()?, o.value(2)?.scalars()?);
    if a.len() != b.len() || a.len() != c.len() {
        return malformed("vectors of different lengths");
    }
    let one = |i: usize| {
        if_defined(&[a[i], b[i], c[i]], width, || {
            let bit = |at: u32| {
                let index = (a[i].bits >> at & 1) | (b[i].bits >> at & 1) << 1 | (c[i].bits >> at & 1) << 2;
                (table >> index & 1) << at
            };
            (0..width).fold(0, |n, at| n | bit(at))
        })
    };
    match o.value(0)? {
        Value::Composite(_) => Ok((0..a.len()).map(|i| one(i).into()).collect()),
        _ => Ok(one(0).into()),
    }
}
