// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Integer functions: OpenCL C 3.0, section 6.15.3. All are emitted for whole vectors.

use llvm_sys::LLVMOpcode;
use spirv::OpenclStd100Op as Op;

use super::{Emit, check};
use crate::Error;
use crate::llvm::{Type, Value};

pub fn emit<'c>(e: &Emit<'_, 'c>, op: Op, ty: Type<'c>, args: &[Value<'c>]) -> Result<Value<'c>, Error> {
    let b = e.builder;
    let one = ty.int(1);
    let first = args[0];
    let second = args.get(1).copied().unwrap_or(first);
    let third = args.get(2).copied().unwrap_or(first);
    Ok(match op {
        // The result is unsigned, so the absolute value of the smallest number is defined: the flag must not make it poison.
        Op::s_abs => e.intrinsic_flag("llvm.abs", first, false),
        Op::u_abs => first,
        Op::s_abs_diff => b.sub(
            e.intrinsic("llvm.smax", &[first, second]),
            e.intrinsic("llvm.smin", &[first, second]),
        ),
        Op::u_abs_diff => b.sub(
            e.intrinsic("llvm.umax", &[first, second]),
            e.intrinsic("llvm.umin", &[first, second]),
        ),
        Op::s_add_sat => e.intrinsic("llvm.sadd.sat", args),
        Op::u_add_sat => e.intrinsic("llvm.uadd.sat", args),
        Op::s_sub_sat => e.intrinsic("llvm.ssub.sat", args),
        Op::u_sub_sat => e.intrinsic("llvm.usub.sat", args),
        // x + y = 2 (x & y) + (x ^ y) = 2 (x | y) - (x ^ y). Halving the terms avoids the overflow of the sum.
        Op::s_hadd => b.add(b.and(first, second), b.ashr(b.xor(first, second), one)),
        Op::u_hadd => b.add(b.and(first, second), b.lshr(b.xor(first, second), one)),
        Op::s_rhadd => b.sub(b.or(first, second), b.ashr(b.xor(first, second), one)),
        Op::u_rhadd => b.sub(b.or(first, second), b.lshr(b.xor(first, second), one)),
        Op::s_max => e.intrinsic("llvm.smax", args),
        Op::u_max => e.intrinsic("llvm.umax", args),
        Op::s_min => e.intrinsic("llvm.smin", args),
        Op::u_min => e.intrinsic("llvm.umin", args),
        Op::s_clamp => e.intrinsic("llvm.smin", &[e.intrinsic("llvm.smax", &[first, second]), third]),
        Op::u_clamp => e.intrinsic("llvm.umin", &[e.intrinsic("llvm.umax", &[first, second]), third]),
        // OpenCL defines the result for 0, the number of bits, so the flag must not make it poison.
        Op::clz => e.intrinsic_flag("llvm.ctlz", first, false),
        Op::ctz => e.intrinsic_flag("llvm.cttz", first, false),
        Op::popcount => e.intrinsic("llvm.ctpop", args),
        Op::s_mul_hi => mul_hi(e, ty, LLVMOpcode::LLVMSExt, first, second),
        Op::u_mul_hi => mul_hi(e, ty, LLVMOpcode::LLVMZExt, first, second),
        Op::s_mad_hi => b.add(mul_hi(e, ty, LLVMOpcode::LLVMSExt, first, second), third),
        Op::u_mad_hi => b.add(mul_hi(e, ty, LLVMOpcode::LLVMZExt, first, second), third),
        Op::s_mad_sat => mad_sat(e, ty, true, args),
        Op::u_mad_sat => mad_sat(e, ty, false, args),
        // Like `rotate`, the intrinsic takes the count modulo the width.
        Op::rotate => e.intrinsic("llvm.fshl", &[first, first, second]),
        Op::s_upsample | Op::u_upsample => {
            let high = b.shl(b.cast(LLVMOpcode::LLVMZExt, first, ty), ty.int((ty.bits() / 2).into()));
            b.or(high, b.cast(LLVMOpcode::LLVMZExt, second, ty))
        }
        // For operands of more than 24 bits the result is implementation-defined.
        Op::s_mul24 | Op::u_mul24 => b.mul(first, second),
        Op::s_mad24 | Op::u_mad24 => b.add(b.mul(first, second), third),
        _ => return Err(check::invalid("unknown")),
    })
}

/// The integer type of twice the width.
fn wide<'c>(e: &Emit<'_, 'c>, ty: Type<'c>) -> Type<'c> {
    ty.with_scalar(e.context.int(ty.bits() * 2))
}

/// The high half of the product.
fn mul_hi<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, extend: LLVMOpcode, x: Value<'c>, y: Value<'c>) -> Value<'c> {
    let (b, wide) = (e.builder, wide(e, ty));
    let product = b.mul(b.cast(extend, x, wide), b.cast(extend, y, wide));
    b.cast(LLVMOpcode::LLVMTrunc, b.lshr(product, wide.int(ty.bits().into())), ty)
}

/// `x y + z`, computed in twice the width and saturated.
fn mad_sat<'c>(e: &Emit<'_, 'c>, ty: Type<'c>, signed: bool, args: &[Value<'c>]) -> Value<'c> {
    let (b, wide) = (e.builder, wide(e, ty));
    let extend = if signed {
        LLVMOpcode::LLVMSExt
    } else {
        LLVMOpcode::LLVMZExt
    };
    let [x, y, z] = [0, 1, 2].map(|i| b.cast(extend, args[i], wide));
    let sum = b.add(b.mul(x, y), z);
    let high = b.lshr(wide.ones(), wide.int((ty.bits() + u32::from(signed)).into()));
    let clamped = if signed {
        // -(2^n) is the complement of 2^n - 1.
        e.intrinsic("llvm.smax", &[e.intrinsic("llvm.smin", &[sum, high]), b.not(high)])
    } else {
        e.intrinsic("llvm.umin", &[sum, high])
    };
    b.cast(LLVMOpcode::LLVMTrunc, clamped, ty)
}
