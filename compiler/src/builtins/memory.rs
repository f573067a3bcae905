// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Vector data load and store (OpenCL C 3.0, section 6.15.7) and `prefetch`.

use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMRealPredicate::*;
use spirv::OpenclStd100Op as Op;

use super::Emit;
use super::check::{self, invalid};
use crate::Error;
use crate::llvm::{Kind, Type, Value};

pub fn emit<'c>(
    e: &Emit<'_, 'c>,
    op: Op,
    result: Type<'c>,
    args: &[Value<'c>],
    literals: &[u32],
) -> Result<Value<'c>, Error> {
    match op {
        Op::vloadn | Op::vload_half | Op::vload_halfn | Op::vloada_halfn => {
            let &[offset, pointer] = args else {
                return Err(invalid("it takes an offset and a pointer"));
            };
            let numbers = check::is_float(result) || (op == Op::vloadn && check::is_integer(result));
            let lanes = result.lanes().unwrap_or(1);
            let literal = if op == Op::vload_half {
                literals.is_empty()
            } else {
                *literals == [lanes]
            };
            if !numbers || !literal || (op == Op::vload_half) != result.lanes().is_none() {
                return Err(invalid(format!(
                    "the result cannot be of type {result:?} with {literals:?} elements"
                )));
            }
            let memory = if op == Op::vloadn {
                result
            } else {
                e.float_like(result, 16)
            };
            let address = address(e, op, memory, offset, pointer)?;
            let loaded = e.builder.load(memory, address).align(alignment(op, memory));
            Ok(e.builder.fpcast(loaded, result))
        }
        _ => {
            let &[data, offset, pointer] = args else {
                return Err(invalid("it takes data, an offset and a pointer"));
            };
            let ty = data.ty();
            let single = matches!(op, Op::vstore_half | Op::vstore_half_r);
            let numbers = check::is_float(ty) || (op == Op::vstoren && check::is_integer(ty));
            if !numbers || single != ty.lanes().is_none() {
                return Err(invalid(format!("the data cannot be of type {ty:?}")));
            }
            let mode = match (op, literals) {
                (Op::vstore_half_r | Op::vstore_halfn_r | Op::vstorea_halfn_r, &[mode @ 0..=3]) => mode,
                (Op::vstoren | Op::vstore_half | Op::vstore_halfn | Op::vstorea_halfn, []) => 0,
                _ => {
                    return Err(invalid(format!("the literals {literals:?} are not a rounding mode")));
                }
            };
            let data = if op == Op::vstoren {
                data
            } else {
                to_half(e, data, mode)
            };
            let address = address(e, op, data.ty(), offset, pointer)?;
            Ok(e.builder.store(data, address).align(alignment(op, data.ty())))
        }
    }
}

/// Emits nothing: the hardware prefetches sequential reads.
pub fn prefetch<'c>(e: &Emit<'_, 'c>, args: &[Value<'c>]) -> Result<Value<'c>, Error> {
    match args {
        [pointer, count] if pointer.ty().kind() == Kind::Pointer && matches!(count.ty().kind(), Kind::Int(_)) => {
            Ok(e.context.int(32).zero())
        }
        _ => Err(invalid("it takes a pointer and a number")),
    }
}

/// The distance between consecutive vectors, in elements. Vectors of three are tightly packed, except that the aligned
/// half forms pad them to four.
fn stride(op: Op, ty: Type<'_>) -> u64 {
    match (op, ty.lanes().unwrap_or(1)) {
        (Op::vloada_halfn | Op::vstorea_halfn | Op::vstorea_halfn_r, 3) => 4,
        (_, lanes) => lanes.into(),
    }
}

fn alignment(op: Op, ty: Type<'_>) -> u32 {
    let element = ty.bits() / 8;
    match op {
        Op::vloada_halfn | Op::vstorea_halfn | Op::vstorea_halfn_r => {
            element * (stride(op, ty) as u32).next_power_of_two()
        }
        _ => element,
    }
}

fn address<'c>(
    e: &Emit<'_, 'c>,
    op: Op,
    ty: Type<'c>,
    offset: Value<'c>,
    pointer: Value<'c>,
) -> Result<Value<'c>, Error> {
    if !matches!(offset.ty().kind(), Kind::Int(32 | 64)) || pointer.ty().kind() != Kind::Pointer {
        return Err(invalid(
            "it takes an offset that is an integer of 32 or 64 bits, and a pointer",
        ));
    }
    let size = e.context.int(64);
    let elements = e
        .builder
        .mul(e.builder.zext_or_trunc(offset, size), size.int(stride(op, ty)));
    Ok(e.builder.gep(ty.scalar(), pointer, &[elements], false))
}

/// Rounds to half, by SPIR-V's FP Rounding Mode: 0 to nearest even, 1 towards zero, 2 up, 3 down.
fn to_half<'c>(e: &Emit<'_, 'c>, x: Value<'c>, mode: u32) -> Value<'c> {
    let b = e.builder;
    let half = e.float_like(x.ty(), 16);
    let nearest = b.fpcast(x, half);
    if mode == 0 || x.ty() == half {
        return nearest;
    }
    // The result is the nearest half or a neighbor of it. The bits of the neighbor away from zero are one more, those of the
    // other one are one less.
    let back = b.fpcast(nearest, x.ty());
    let bits = e.bits_of(half);
    let nearest_bits = b.bitcast(nearest, bits);
    let step = match mode {
        1 => {
            let [back, x] = [back, x].map(|v| e.intrinsic("llvm.fabs", &[v]));
            b.select(b.fcmp(LLVMRealOGT, back, x), bits.ones(), bits.zero())
        }
        _ => {
            let wrong_side = if mode == 2 { LLVMRealOLT } else { LLVMRealOGT };
            let negative = b.icmp(LLVMIntSLT, nearest_bits, bits.zero());
            let (on_negative, on_positive) = match mode {
                2 => (bits.ones(), bits.int(1)),
                _ => (bits.int(1), bits.ones()),
            };
            let step = b.select(negative, on_negative, on_positive);
            b.select(b.fcmp(wrong_side, back, x), step, bits.zero())
        }
    };
    b.bitcast(b.add(nearest_bits, step), half)
}
