// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The instructions of OpenCL.std.

mod exact;
mod geometric;
pub(crate) mod integer;
mod math;
mod memory;
mod printf;

pub use math::{Tolerance, tolerance};

use spirv::OpenclStd100Op as Cl;

use crate::fault::{Result, malformed, unsupported};
use crate::item::Item;
use crate::machine::Machine;
use crate::module::Inst;
use crate::ops::{float_width, if_defined};
use crate::types::Type;
use crate::value::{Scalar, Value, map, map2, map3, mask, signed};

/// A call of an extended instruction: its operands are behind the set and the number.
pub(crate) struct Call<'a> {
    pub inst: &'a Inst,
    pub function: Cl,
}

impl Call<'_> {
    pub fn value(&self, machine: &Machine<'_>, item: &Item, index: usize) -> Result<Value> {
        item.operand(machine.module, self.inst, index + 2)
    }

    /// The type of an operand.
    pub fn type_of(&self, machine: &Machine<'_>, index: usize) -> Result<u32> {
        let module = machine.module;
        module.type_of(module.operand(self.inst, index + 2)?)
    }

    /// How many operands there are.
    pub fn count(&self, machine: &Machine<'_>) -> usize {
        machine.module.operands(self.inst, 2).len()
    }
}

/// Runs an extended instruction and gives its result.
pub(crate) fn call(machine: &mut Machine<'_>, item: &Item, inst: &Inst) -> Result<Option<Value>> {
    let module = machine.module;
    let set = module.import(module.operand(inst, 0)?);
    if set.starts_with("NonSemantic.") || set == "OpenCL.DebugInfo.100" || set == "DebugInfo" {
        // Nobody uses its result but other such instructions.
        return Ok(Some(Value::bits(0)).filter(|_| matches!(module.types.get(inst.ty), Ok(ty) if *ty != Type::Void)));
    }
    if set != "OpenCL.std" {
        return unsupported(format!("instructions of {set}"));
    }
    let number = module.operand(inst, 1)?;
    let Some(function) = Cl::from_u32(number) else {
        return unsupported(format!("instruction {number} of OpenCL.std"));
    };
    let call = Call { inst, function };
    if let Some(value) = memory::run(machine, item, &call)? {
        return Ok(value);
    }
    if function == Cl::printf {
        return printf::run(machine, item, &call).map(Some);
    }
    let value = compute(machine, item, &call)?;
    if module.types.is_float(inst.ty)? {
        let width = module.types.width(inst.ty)?;
        if tolerance(function, width) != Tolerance::Exact {
            machine.report.inexact.insert((format!("{function:?}"), width));
        }
        if inst.flags.fast_math & 3 != 0 && !is_promised(machine, item, &call, &value)? {
            return module.undefined(inst.ty).map(Some);
        }
    }
    Ok(Some(value))
}

/// Whether neither operands nor the result are what fast math promises not to come.
fn is_promised(machine: &Machine<'_>, item: &Item, call: &Call<'_>, value: &Value) -> Result<bool> {
    let types = &machine.module.types;
    let mut is_promised = true;
    let mut look = |value: &Value, width: u32| -> Result<()> {
        for scalar in value.scalars()? {
            is_promised &= exact::is_promised(call.inst.flags, width, &[scalar.bits]);
        }
        Ok(())
    };
    look(value, types.width(call.inst.ty)?)?;
    for index in 0..call.count(machine) {
        let ty = call.type_of(machine, index)?;
        if types.is_float(ty)? {
            look(&call.value(machine, item, index)?, types.width(ty)?)?;
        }
    }
    Ok(is_promised)
}

/// Functions of numbers alone.
fn compute(machine: &mut Machine<'_>, item: &Item, call: &Call<'_>) -> Result<Value> {
    let types = &machine.module.types;
    let (function, ty) = (call.function, call.inst.ty);
    let value = |index: usize| call.value(machine, item, index);
    if let Some(value) = geometric::run(machine, item, call)? {
        return Ok(value);
    }
    let count = call.count(machine);
    if count == 0 {
        return malformed("an instruction of OpenCL.std without operands");
    }
    let width = types.width(ty)?;
    match function {
        Cl::select => {
            let condition_width = types.width(call.type_of(machine, 2)?)?;
            let is_vector = matches!(types.get(ty)?, Type::Vector(..));
            return map3(&value(0)?, &value(1)?, &value(2)?, |a, b, c| {
                if !c.is_defined() {
                    let undef = a.undef | b.undef | (a.bits ^ b.bits);
                    return Ok(Scalar { bits: a.bits, undef });
                }
                // Of a vector the highest bit decides, of a scalar any.
                let is_second = if is_vector {
                    c.bits >> (condition_width - 1) & 1 != 0
                } else {
                    c.bits != 0
                };
                Ok(if is_second { b } else { a })
            });
        }
        Cl::bitselect => {
            return map3(&value(0)?, &value(1)?, &value(2)?, |a, b, c| {
                Ok(if_defined(&[a, b, c], width, || a.bits & !c.bits | b.bits & c.bits))
            });
        }
        Cl::shuffle | Cl::shuffle2 => return shuffle(machine, item, call),
        Cl::u_upsample | Cl::s_upsample => {
            let half = types.width(call.type_of(machine, 1)?)?;
            return map2(&value(0)?, &value(1)?, |high, low| {
                Ok(if_defined(&[high, low], width, || {
                    (high.bits << half | low.bits) & mask(width)
                }))
            });
        }
        Cl::ilogb => {
            let from = float_width(types, call.type_of(machine, 0)?)?;
            return map(&value(0)?, |a| {
                Ok(if_defined(&[a], width, || {
                    exact::ilogb(a.bits, from) as u32 as u64 & mask(width)
                }))
            });
        }
        Cl::nan => {
            let float = float_width(types, ty)?;
            return map(&value(0)?, |a| {
                Ok(if_defined(&[a], float, || {
                    let quiet = crate::float::nan(float);
                    let payload = quiet & !crate::float::infinity(float);
                    quiet | a.bits & (payload - 1)
                }))
            });
        }
        Cl::ldexp | Cl::pown | Cl::rootn => {
            let float = float_width(types, ty)?;
            let int = types.width(call.type_of(machine, 1)?)?;
            let (a, mut n) = (value(0)?, value(1)?);
            if let (Value::Composite(parts), Value::Scalar(_)) = (&a, &n) {
                n = parts.iter().map(|_| n.clone()).collect();
            }
            return map2(&a, &n, |a, n| {
                Ok(if_defined(&[a, n], float, || {
                    let n = signed(n.bits, int);
                    if function == Cl::ldexp {
                        return exact::ldexp(a.bits, n.clamp(-100_000, 100_000) as i32, float);
                    }
                    math::with_integer(function, a.bits, n, float).unwrap_or_default()
                }))
            });
        }
        _ => {}
    }
    let is_float = types.is_float(ty)?;
    let unknown = || unsupported(format!("OpenCL.std {function:?} of {count} operands"));
    let mut is_known = true;
    let mut take = |result: Option<u64>| {
        is_known &= result.is_some();
        result.unwrap_or_default()
    };
    let (a, vector) = (value(0)?, |other: Value, like: &Value| match (like, &other) {
        // Some functions take a scalar for all components.
        (Value::Composite(parts), Value::Scalar(_)) => parts.iter().map(|_| other.clone()).collect(),
        _ => other,
    });
    let result = match count {
        1 => map(&a, |a| {
            Ok(if_defined(&[a], width, || {
                take(if is_float {
                    exact::one(function, a.bits, width).or_else(|| math::one(function, a.bits, width))
                } else {
                    integer::one(function, a.bits, width)
                })
            }))
        })?,
        2 => map2(&a, &vector(value(1)?, &a), |a, b| {
            Ok(if_defined(&[a, b], width, || {
                take(if is_float {
                    exact::two(function, a.bits, b.bits, width).or_else(|| math::two(function, a.bits, b.bits, width))
                } else {
                    integer::two(function, a.bits, b.bits, width)
                })
            }))
        })?,
        3 => map3(&a, &vector(value(1)?, &a), &vector(value(2)?, &a), |a, b, c| {
            Ok(if_defined(&[a, b, c], width, || {
                let (a, b, c) = (a.bits, b.bits, c.bits);
                take(if is_float {
                    exact::three(function, a, b, c, width).or_else(|| math::three(function, a, b, c, width))
                } else {
                    integer::three(function, a, b, c, width)
                })
            }))
        })?,
        _ => return unknown(),
    };
    if is_known { Ok(result) } else { unknown() }
}

/// Components by the low bits of a mask.
fn shuffle(machine: &Machine<'_>, item: &Item, call: &Call<'_>) -> Result<Value> {
    let mut all = call.value(machine, item, 0)?.scalars()?;
    if call.function == Cl::shuffle2 {
        all.extend(call.value(machine, item, 1)?.scalars()?);
    }
    let width = machine.module.types.width(call.inst.ty)?;
    // A vector of three counts as one of four.
    let size = if call.function == Cl::shuffle2 {
        2 * (all.len() / 2).next_power_of_two()
    } else {
        all.len().next_power_of_two()
    };
    let indices = call.value(machine, item, if call.function == Cl::shuffle2 { 2 } else { 1 })?;
    map(&indices, |index| {
        let at = index.bits as usize & (size - 1);
        Ok(match all.get(at) {
            Some(value) if index.is_defined() => *value,
            _ => Scalar::undefined(width),
        })
    })
}
