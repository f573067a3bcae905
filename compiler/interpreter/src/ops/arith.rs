// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sums, products, quotients, bitwise operations and shifts.

use spirv::Op;

use super::{Operands, float_width, if_defined};
use crate::fault::{Kind, Result, fault, malformed};
use crate::float;
use crate::module::Flags;
use crate::value::{Scalar, Value, map, map2, map3, mask, signed};

/// Integers of two operands, and truth values.
pub(super) fn integer(o: &Operands<'_>) -> Result<Value> {
    let (op, flags) = (o.inst.op, o.inst.flags);
    let width = o.width()?;
    map2(&o.value(0)?, &o.value(1)?, |a, b| {
        integer_scalar(op, flags, width, a, b)
    })
}

/// Undefined from the lowest undefined bit upwards: carries go that way.
fn carried(undef: u64, width: u32) -> u64 {
    if undef == 0 {
        0
    } else {
        mask(width) & !mask(undef.trailing_zeros())
    }
}

fn integer_scalar(op: Op, flags: Flags, width: u32, a: Scalar, b: Scalar) -> Result<Scalar> {
    let all = mask(width);
    // Modules that lie have operands of other types.
    let [a, b] = [a, b].map(|s| Scalar {
        bits: s.bits & all,
        undef: s.undef & all,
    });
    let undef = a.undef | b.undef;
    let of = |bits: u64, undef: u64| {
        Ok(Scalar {
            bits: bits & all,
            undef: undef & all,
        })
    };
    match op {
        Op::IAdd | Op::ISub | Op::IMul => {
            let exact = |x: i128, y: i128| match op {
                Op::IAdd => x + y,
                Op::ISub => x - y,
                _ => x.wrapping_mul(y),
            };
            let bits = exact(a.bits.into(), b.bits.into()) as u64 & all;
            if undef != 0 {
                return of(bits, carried(undef, width));
            }
            if flags.no_signed_wrap {
                let value = exact(signed(a.bits, width).into(), signed(b.bits, width).into());
                if value != i128::from(signed(bits, width)) {
                    return Ok(Scalar::undefined(width));
                }
            }
            if flags.no_unsigned_wrap {
                let is_exact = match op {
                    Op::ISub => a.bits >= b.bits,
                    Op::IAdd => u128::from(a.bits) + u128::from(b.bits) <= all.into(),
                    _ => u128::from(a.bits) * u128::from(b.bits) <= all.into(),
                };
                if !is_exact {
                    return Ok(Scalar::undefined(width));
                }
            }
            of(bits, 0)
        }
        Op::UDiv | Op::UMod | Op::SDiv | Op::SRem | Op::SMod => divide(op, width, a, b),
        Op::BitwiseAnd | Op::LogicalAnd => {
            let zeros = !a.bits & !a.undef | !b.bits & !b.undef;
            of(a.bits & b.bits, undef & !zeros)
        }
        Op::BitwiseOr | Op::LogicalOr => {
            let ones = a.bits & !a.undef | b.bits & !b.undef;
            of(a.bits | b.bits, undef & !ones)
        }
        Op::BitwiseXor | Op::LogicalNotEqual => of(a.bits ^ b.bits, undef),
        Op::LogicalEqual => of(!(a.bits ^ b.bits), undef),
        Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
            if !b.is_defined() || b.bits >= width.into() {
                return Ok(Scalar::undefined(width));
            }
            let by = b.bits as u32;
            match op {
                Op::ShiftLeftLogical => {
                    let bits = a.bits << by & all;
                    let is_lost = flags.no_unsigned_wrap && bits >> by != a.bits
                        || flags.no_signed_wrap && signed(bits, width) >> by != signed(a.bits, width);
                    if a.is_defined() && is_lost {
                        return Ok(Scalar::undefined(width));
                    }
                    of(bits, a.undef << by)
                }
                Op::ShiftRightLogical => of(a.bits >> by, a.undef >> by),
                _ => of(
                    (signed(a.bits, width) >> by) as u64,
                    (signed(a.undef, width) >> by) as u64,
                ),
            }
        }
        _ => malformed(format!("Op{op:?} is no operation of integers")),
    }
}

fn divide(op: Op, width: u32, a: Scalar, b: Scalar) -> Result<Scalar> {
    if !b.is_defined() {
        return fault(Kind::UndefinedValue, "the divisor is undefined");
    }
    if b.bits == 0 {
        return fault(Kind::DivisionByZero, format!("{} by zero", signed(a.bits, width)));
    }
    if !a.is_defined() {
        return Ok(Scalar::undefined(width));
    }
    if matches!(op, Op::UDiv | Op::UMod) {
        let value = if op == Op::UDiv {
            a.bits / b.bits
        } else {
            a.bits % b.bits
        };
        return Ok(Scalar::new(value));
    }
    let (x, y) = (signed(a.bits, width), signed(b.bits, width));
    if y == -1 && a.bits == 1 << (width - 1) {
        return fault(Kind::DivisionOverflow, format!("{x} by -1"));
    }
    let value = match op {
        Op::SDiv => x / y,
        Op::SRem => x % y,
        // The sign of the divisor.
        _ => match x % y {
            0 => 0,
            rest if (rest < 0) != (y < 0) => rest + y,
            rest => rest,
        },
    };
    Ok(Scalar::new(value as u64 & mask(width)))
}

pub(super) fn integer_unary(o: &Operands<'_>) -> Result<Value> {
    let (width, op, flags) = (o.width()?, o.inst.op, o.inst.flags);
    map(&o.value(0)?, |a| match op {
        Op::SNegate => integer_scalar(Op::ISub, flags, width, Scalar::default(), a),
        _ => Ok(Scalar {
            bits: !a.bits & mask(width),
            undef: a.undef,
        }),
    })
}

/// What fast-math promises rule out is undefined.
pub(crate) fn promised(flags: Flags, width: u32, numbers: &[u64]) -> bool {
    let (not_nan, not_infinite) = (flags.fast_math & 1 != 0, flags.fast_math & 2 != 0);
    numbers.iter().all(|&bits| match float::parts(bits, width) {
        float::Parts::Nan => !not_nan,
        float::Parts::Infinite { .. } => !not_infinite,
        float::Parts::Finite { .. } => true,
    })
}

fn checked(flags: Flags, width: u32, operands: &[Scalar], value: impl FnOnce() -> u64) -> Scalar {
    let result = if_defined(operands, width, value);
    let numbers: [u64; 4] = std::array::from_fn(|i| operands.get(i).map_or(result.bits, |s| s.bits));
    if flags.fast_math & 3 == 0 || promised(flags, width, &numbers) {
        result
    } else {
        Scalar::undefined(width)
    }
}

/// Floating-point numbers of two operands.
pub(super) fn float(o: &Operands<'_>) -> Result<Value> {
    let (op, flags) = (o.inst.op, o.inst.flags);
    let width = float_width(&o.module.types, o.inst.ty)?;
    map2(&o.value(0)?, &o.value(1)?, |a, b| {
        Ok(checked(flags, width, &[a, b], || {
            float_scalar(op, a.bits, b.bits, width)
        }))
    })
}

fn float_scalar(op: Op, a: u64, b: u64, width: u32) -> u64 {
    match op {
        Op::FAdd => float::add(a, b, width),
        Op::FSub => float::sub(a, b, width),
        Op::FMul => float::mul(a, b, width),
        Op::FDiv => float::div(a, b, width),
        Op::FRem => float::rem(a, b, width),
        _ => {
            // The sign of the divisor.
            let rest = float::rem(a, b, width);
            let sign = |bits: u64| bits >> (width - 1) & 1;
            let is_zero = rest & mask(width - 1) == 0;
            if is_zero {
                rest & mask(width - 1) | sign(b) << (width - 1)
            } else if sign(rest) != sign(b) && !float::is_nan(rest, width) {
                float::add(rest, b, width)
            } else {
                rest
            }
        }
    }
}

pub(super) fn negate(o: &Operands<'_>) -> Result<Value> {
    let width = float_width(&o.module.types, o.inst.ty)?;
    // The sign changes, of a NaN and of what is partly undefined, too.
    map(&o.value(0)?, |a| {
        Ok(Scalar {
            bits: a.bits ^ 1 << (width - 1),
            undef: a.undef,
        })
    })
}

pub(super) fn fma(o: &Operands<'_>) -> Result<Value> {
    let width = float_width(&o.module.types, o.inst.ty)?;
    map3(&o.value(0)?, &o.value(1)?, &o.value(2)?, |a, b, c| {
        Ok(if_defined(&[a, b, c], width, || {
            float::fma(a.bits, b.bits, c.bits, width)
        }))
    })
}

pub(super) fn vector_times_scalar(o: &Operands<'_>) -> Result<Value> {
    let (flags, width) = (o.inst.flags, float_width(&o.module.types, o.inst.ty)?);
    let b = o.value(1)?.scalar()?;
    map(&o.value(0)?, |a| {
        Ok(checked(flags, width, &[a, b], || float::mul(a.bits, b.bits, width)))
    })
}

/// The sum of products, from the first component on. Other orders are right, too.
pub(super) fn dot(o: &Operands<'_>) -> Result<Value> {
    let width = float_width(&o.module.types, o.inst.ty)?;
    let products = map2(&o.value(0)?, &o.value(1)?, |a, b| {
        Ok(if_defined(&[a, b], width, || float::mul(a.bits, b.bits, width)))
    })?;
    let all = products.scalars()?;
    let sum = all
        .iter()
        .copied()
        .reduce(|a, b| if_defined(&[a, b], width, || float::add(a.bits, b.bits, width)));
    Ok(sum.unwrap_or_default().into())
}

/// Operations whose result is a pair of words.
pub(super) fn extended(o: &Operands<'_>) -> Result<Value> {
    let (a, b, width) = (o.value(0)?, o.value(1)?, o.width_of(0)?);
    let op = o.inst.op;
    let wide = |x: u64, y: u64| -> u128 {
        match op {
            Op::IAddCarry => u128::from(x) + u128::from(y),
            Op::ISubBorrow => {
                let borrow = u128::from(x < y) << width;
                u128::from(x.wrapping_sub(y) & mask(width)) | borrow
            }
            Op::UMulExtended => u128::from(x) * u128::from(y),
            _ => (i128::from(signed(x, width)) * i128::from(signed(y, width))) as u128,
        }
    };
    let part = |shift: u32| {
        map2(&a, &b, |x, y| {
            Ok(if_defined(&[x, y], width, || {
                (wide(x.bits, y.bits) >> shift) as u64 & mask(width)
            }))
        })
    };
    Ok([part(0)?, part(width)?].into_iter().collect())
}
