// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Atomic operations. Items run one after the other, so each is one.

use spirv::Op;

use crate::fault::{Result, malformed};
use crate::float;
use crate::item::Item;
use crate::machine::Machine;
use crate::module::Inst;
use crate::ops::{float_width, if_defined};
use crate::value::{Scalar, Value, mask, signed};

/// Acquire, release, both, sequentially consistent.
const ORDERS: u64 = 0x2 | 0x4 | 0x8 | 0x10;

/// Runs an atomic operation: None if it is none, else its result, if it has one.
pub(crate) fn run(machine: &mut Machine<'_>, item: &Item, inst: &Inst) -> Result<Option<Option<Value>>> {
    let number = inst.op as u32;
    if !matches!(number, 227..=242 | 318..=319)
        && !matches!(inst.op, Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT)
    {
        return Ok(None);
    }
    let module = machine.module;
    let address = item.scalar(module, inst, 0)?;
    if item.scalar(module, inst, 2)?.bits & ORDERS != 0 {
        machine.report.uses_fences = true;
    }
    let ty = module.types.pointee(module.type_of(module.operand(inst, 0)?)?)?;
    let width = module.types.width(ty)?;
    let old = match inst.op {
        Op::AtomicStore => Scalar::default(),
        _ => machine.load(item, address, ty, None, true)?.scalar()?,
    };
    // The value is behind the semantics; a comparison has two of those.
    let operand = |index: usize| item.scalar(module, inst, index);
    let new = match inst.op {
        Op::AtomicLoad => return Ok(Some(Some(old.into()))),
        Op::AtomicStore => {
            machine.store(item, address, ty, &operand(3)?.into(), None, true)?;
            return Ok(Some(None));
        }
        Op::AtomicFlagClear => {
            machine.store(item, address, ty, &Value::bits(0), None, true)?;
            return Ok(Some(None));
        }
        Op::AtomicFlagTestAndSet => {
            machine.store(item, address, ty, &Value::bits(mask(width)), None, true)?;
            let was_set = if_defined(&[old], 1, || (old.bits != 0).into());
            return Ok(Some(Some(was_set.into())));
        }
        Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
            let (value, comparator) = (operand(4)?, operand(5)?);
            if !old.is_defined() || !comparator.is_defined() {
                return crate::fault::fault(crate::Kind::UndefinedValue, "what is compared is undefined");
            }
            if old.bits != comparator.bits {
                return Ok(Some(Some(old.into())));
            }
            value
        }
        Op::AtomicExchange => operand(3)?,
        Op::AtomicIIncrement => if_defined(&[old], width, || old.bits.wrapping_add(1) & mask(width)),
        Op::AtomicIDecrement => if_defined(&[old], width, || old.bits.wrapping_sub(1) & mask(width)),
        Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT => {
            let (value, width) = (operand(3)?, float_width(&module.types, ty)?);
            if inst.op == Op::AtomicFAddEXT {
                machine.report.inexact.insert(("OpAtomicFAddEXT".into(), width));
            }
            if_defined(&[old, value], width, || match inst.op {
                Op::AtomicFAddEXT => float::add(old.bits, value.bits, width),
                op => {
                    let (a, b) = (float::to_f64(old.bits, width), float::to_f64(value.bits, width));
                    let is_kept = match op {
                        _ if b.is_nan() => true,
                        _ if a.is_nan() => false,
                        Op::AtomicFMinEXT => a <= b,
                        _ => a >= b,
                    };
                    if is_kept { old.bits } else { value.bits }
                }
            })
        }
        op => {
            let value = operand(3)?;
            if_defined(&[old, value], width, || integer(op, old.bits, value.bits, width))
        }
    };
    if inst.result == 0 {
        return malformed("an atomic operation without a result");
    }
    machine.store(item, address, ty, &new.into(), None, true)?;
    Ok(Some(Some(old.into())))
}

fn integer(op: Op, a: u64, b: u64, width: u32) -> u64 {
    let (x, y) = (signed(a, width), signed(b, width));
    match op {
        Op::AtomicIAdd => a.wrapping_add(b) & mask(width),
        Op::AtomicISub => a.wrapping_sub(b) & mask(width),
        Op::AtomicSMin => x.min(y) as u64 & mask(width),
        Op::AtomicSMax => x.max(y) as u64 & mask(width),
        Op::AtomicUMin => a.min(b),
        Op::AtomicUMax => a.max(b),
        Op::AtomicAnd => a & b,
        Op::AtomicOr => a | b,
        _ => a ^ b,
    }
}
