// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! OpenCL's functions that read or write memory.

use spirv::OpenclStd100Op as Cl;

use super::{Call, exact, math};
use crate::fault::{Kind, Result, fault, malformed};
use crate::float::{self, Rounding};
use crate::item::Item;
use crate::machine::Machine;
use crate::ops::{float_width, if_defined};
use crate::types::Type;
use crate::value::{Scalar, Value, map, mask, signed};

/// Runs it: None if it is none of those, else its result, if it has one.
pub(super) fn run(machine: &mut Machine<'_>, item: &Item, call: &Call<'_>) -> Result<Option<Option<Value>>> {
    Ok(Some(match call.function {
        Cl::prefetch => None,
        Cl::vloadn => Some(load(machine, item, call)?),
        Cl::vstoren => {
            store(machine, item, call)?;
            None
        }
        Cl::vload_half | Cl::vload_halfn | Cl::vloada_halfn => Some(load_half(machine, item, call)?),
        Cl::vstore_half
        | Cl::vstore_half_r
        | Cl::vstore_halfn
        | Cl::vstore_halfn_r
        | Cl::vstorea_halfn
        | Cl::vstorea_halfn_r => {
            store_half(machine, item, call)?;
            None
        }
        Cl::fract | Cl::modf | Cl::sincos | Cl::frexp | Cl::lgamma_r | Cl::remquo => {
            Some(two_results(machine, item, call)?)
        }
        _ => return Ok(None),
    }))
}

/// `pointer + offset * count`, in elements of a size.
fn place(machine: &Machine<'_>, item: &Item, call: &Call<'_>, at: usize, bytes: u64) -> Result<u64> {
    let (offset, pointer) = (
        call.value(machine, item, at)?.scalar()?,
        call.value(machine, item, at + 1)?.scalar()?,
    );
    if !offset.is_defined() || !pointer.is_defined() {
        return fault(Kind::UndefinedValue, "the address is undefined");
    }
    let width = machine.module.types.width(call.type_of(machine, at)?)?;
    let offset = signed(offset.bits, width) as u64;
    Ok(pointer.bits.wrapping_add(offset.wrapping_mul(bytes)))
}

fn vector(machine: &Machine<'_>, ty: u32) -> Result<(u32, u64, u64)> {
    let types = &machine.module.types;
    let (element, count) = match types.get(ty)? {
        Type::Vector(element, count) => (*element, *count),
        _ => (ty, 1),
    };
    Ok((element, count.into(), types.layout(element)?.size))
}

fn load(machine: &mut Machine<'_>, item: &Item, call: &Call<'_>) -> Result<Value> {
    let (element, count, size) = vector(machine, call.inst.ty)?;
    let address = place(machine, item, call, 0, count * size)?;
    let part = |i: u64| machine.load(item, Scalar::new(address.wrapping_add(i * size)), element, None, false);
    (0..count).map(part).collect()
}

fn store(machine: &mut Machine<'_>, item: &Item, call: &Call<'_>) -> Result<()> {
    let (element, count, size) = vector(machine, call.type_of(machine, 0)?)?;
    let address = place(machine, item, call, 1, count * size)?;
    for (i, part) in call.value(machine, item, 0)?.scalars()?.into_iter().enumerate() {
        let place = Scalar::new(address.wrapping_add(i as u64 * size));
        machine.store(item, place, element, &part.into(), None, false)?;
    }
    Ok(())
}

/// The type of a half, and how far vectors of a count are from each other.
fn half(machine: &Machine<'_>, call: &Call<'_>, pointer: usize, count: u64) -> Result<(u32, u64)> {
    let ty = machine.module.types.pointee(call.type_of(machine, pointer)?)?;
    if machine.module.types.get(ty)? != &Type::Float(16) {
        return malformed("a pointer to something else than halves");
    }
    let is_aligned = matches!(
        call.function,
        Cl::vloada_halfn | Cl::vstorea_halfn | Cl::vstorea_halfn_r
    );
    Ok((ty, if is_aligned && count == 3 { 8 } else { 2 * count }))
}

fn check_alignment(call: &Call<'_>, address: u64, step: u64) -> Result<()> {
    let is_aligned = matches!(
        call.function,
        Cl::vloada_halfn | Cl::vstorea_halfn | Cl::vstorea_halfn_r
    );
    if is_aligned && !address.is_multiple_of(step) {
        return fault(Kind::Misaligned, format!("{address:#x} is no multiple of {step}"));
    }
    Ok(())
}

fn load_half(machine: &mut Machine<'_>, item: &Item, call: &Call<'_>) -> Result<Value> {
    let (_, count, _) = vector(machine, call.inst.ty)?;
    let width = float_width(&machine.module.types, call.inst.ty)?;
    let (ty, step) = half(machine, call, 1, count)?;
    let address = place(machine, item, call, 0, step)?;
    check_alignment(call, address, step)?;
    let part = |i: u64| -> Result<Value> {
        let value = machine.load(item, Scalar::new(address.wrapping_add(2 * i)), ty, None, false)?;
        map(&value, |a| {
            let wide = || float::convert(a.bits, 16, width, Rounding::NearestEven);
            Ok(if_defined(&[a], width, wide))
        })
    };
    let mut parts = (0..count).map(part);
    if count == 1 {
        return parts.next().unwrap_or_else(|| malformed("no value"));
    }
    parts.collect()
}

fn store_half(machine: &mut Machine<'_>, item: &Item, call: &Call<'_>) -> Result<()> {
    let from = call.type_of(machine, 0)?;
    let (_, count, _) = vector(machine, from)?;
    let width = float_width(&machine.module.types, from)?;
    let (ty, step) = half(machine, call, 2, count)?;
    let address = place(machine, item, call, 1, step)?;
    check_alignment(call, address, step)?;
    let is_rounded = matches!(
        call.function,
        Cl::vstore_half_r | Cl::vstore_halfn_r | Cl::vstorea_halfn_r
    );
    let rounding = match is_rounded.then(|| machine.module.operand(call.inst, 5)).transpose()? {
        None | Some(0) => Rounding::NearestEven,
        Some(1) => Rounding::Zero,
        Some(2) => Rounding::Positive,
        Some(3) => Rounding::Negative,
        Some(other) => return malformed(format!("the rounding mode {other}")),
    };
    for (i, a) in call.value(machine, item, 0)?.scalars()?.into_iter().enumerate() {
        let narrow = if_defined(&[a], 16, || float::convert(a.bits, width, 16, rounding));
        let place = Scalar::new(address.wrapping_add(2 * i as u64));
        machine.store(item, place, ty, &narrow.into(), None, false)?;
    }
    Ok(())
}

/// Functions that write a second result to memory.
fn two_results(machine: &mut Machine<'_>, item: &Item, call: &Call<'_>) -> Result<Value> {
    let types = &machine.module.types;
    let width = float_width(types, call.inst.ty)?;
    let has_two = call.function == Cl::remquo;
    let pointer = if has_two { 2 } else { 1 };
    let ty = types.pointee(call.type_of(machine, pointer)?)?;
    let (is_float, second_width) = (types.is_float(ty)?, types.width(ty)?);
    let a = call.value(machine, item, 0)?.scalars()?;
    let b = call.value(machine, item, usize::from(has_two))?.scalars()?;
    if a.len() != b.len() {
        return malformed("vectors of different lengths");
    }
    if call.function == Cl::sincos {
        machine.report.inexact.insert(("sincos".into(), width));
    }
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (a, b) in a.into_iter().zip(b) {
        if !a.is_defined() || !b.is_defined() {
            first.push(Value::from(Scalar::undefined(width)));
            second.push(Value::from(Scalar::undefined(second_width)));
            continue;
        }
        let with_int = |(x, n): (u64, i32)| (x, n as i64 as u64 & mask(second_width));
        let (x, y) = match call.function {
            Cl::fract => exact::fract(a.bits, width),
            Cl::modf => exact::modf(a.bits, width),
            Cl::sincos => math::sincos(a.bits, width),
            Cl::frexp => with_int(exact::frexp(a.bits, width)),
            Cl::lgamma_r => with_int(math::lgamma_r(a.bits, width)),
            _ => with_int(exact::remquo(a.bits, b.bits, width)),
        };
        first.push(Value::bits(x));
        second.push(Value::bits(y));
    }
    if is_float != matches!(call.function, Cl::fract | Cl::modf | Cl::sincos) {
        return malformed("a pointer to a wrong type");
    }
    let join = |parts: Vec<Value>, ty: u32| -> Result<Value> {
        Ok(match types.get(ty)? {
            Type::Vector(..) => parts.into_iter().collect(),
            _ => parts.into_iter().next().unwrap_or_default(),
        })
    };
    let (value, other) = (join(first, call.inst.ty)?, join(second, ty)?);
    let address = call.value(machine, item, pointer)?.scalar()?;
    machine.store(item, address, ty, &other, None, false)?;
    Ok(value)
}
