// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `bitselect` and `select` (OpenCL C 3.0, section 6.15.6), `shuffle` and `shuffle2` (section 6.15.13).

use llvm_sys::LLVMIntPredicate::*;
use spirv::OpenclStd100Op as Op;

use super::Emit;
use super::check::{self, invalid};
use crate::Error;
use crate::llvm::{Type, Value};

pub fn emit<'c>(e: &Emit<'_, 'c>, op: Op, ty: Type<'c>, args: &[Value<'c>]) -> Result<Value<'c>, Error> {
    let b = e.builder;
    let (no, yes, condition) = (args[0], args[1], args[2]);
    Ok(match op {
        Op::bitselect => {
            let bits = e.bits_of(ty);
            let [no, yes, condition] = [no, yes, condition].map(|v| b.bitcast(v, bits));
            // no ^ (no ^ yes) is `yes`.
            b.bitcast(b.xor(no, b.and(condition, b.xor(no, yes))), ty)
        }
        // OpenCL C tests the most significant bit of vector elements, but whether a scalar is 0.
        _ if ty.lanes().is_some() => b.select(b.icmp(LLVMIntSLT, condition, condition.ty().zero()), yes, no),
        _ => b.select(b.icmp(LLVMIntNE, condition, condition.ty().zero()), yes, no),
    })
}

/// `shuffle` and `shuffle2`: the low bits of each mask element select an element of one or two vectors.
pub fn shuffle<'c>(e: &Emit<'_, 'c>, op: Op, ty: Type<'c>, args: &[Value<'c>]) -> Result<Value<'c>, Error> {
    let b = e.builder;
    let (vectors, mask) = match (op, args) {
        (Op::shuffle, [x, mask]) => ([*x, *x], *mask),
        (Op::shuffle2, [x, y, mask]) => ([*x, *y], *mask),
        _ => return Err(invalid("it takes one or two vectors and a mask")),
    };
    let from = vectors[0].ty();
    let (Some(from_lanes), Some(lanes)) = (from.lanes(), ty.lanes()) else {
        return Err(invalid("the operands and the result must be vectors"));
    };
    if from != vectors[1].ty() || from.scalar() != ty.scalar() || !(check::is_float(ty) || check::is_integer(ty)) {
        return Err(invalid("the elements of all vectors must have the same type"));
    }
    if !check::is_integer(mask.ty()) || mask.ty().lanes() != Some(lanes) || mask.ty().bits() != ty.bits() {
        return Err(invalid(
            "the mask must be an integer vector of the result's length and element width",
        ));
    }
    // A single source vector whose length is a power of two, so that masked indices are always in bounds.
    let half = from_lanes.next_power_of_two();
    let all = if op == Op::shuffle2 { 2 * half } else { half };
    let indices: Vec<_> = (0..all)
        .map(|i| match (i / half, i % half) {
            (_, i) if i >= from_lanes => u32::MAX,
            (which, i) => which * from_lanes + i,
        })
        .collect();
    let source = if all == from_lanes {
        vectors[0]
    } else {
        b.shuffle(vectors[0], vectors[1], &indices)
    };
    let mask = b.and(mask, mask.ty().int((all - 1).into()));
    Ok(e.each_lane(ty, &[mask], |index| b.extract_element(source, index[0])))
}
