// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Common functions: OpenCL C 3.0, section 6.15.4.

use llvm_sys::LLVMRealPredicate::*;
use spirv::OpenclStd100Op as Op;

use super::{Emit, check};
use crate::Error;
use crate::llvm::{Type, Value};

pub fn emit<'c>(e: &Emit<'_, 'c>, op: Op, ty: Type<'c>, args: &[Value<'c>]) -> Result<Value<'c>, Error> {
    // Half is computed as float: constants such as 180/pi rounded to half would cost more than one ulp.
    if ty.bits() == 16 && matches!(op, Op::degrees | Op::radians | Op::mix | Op::smoothstep) {
        let wide = e.float_like(ty, 32);
        let args: Vec<_> = args.iter().map(|&a| e.builder.fpcast(a, wide)).collect();
        return Ok(e.builder.fpcast(emit(e, op, wide, &args)?, ty));
    }
    let b = e.builder;
    let (zero, one) = (ty.real(0.0), ty.real(1.0));
    let x = args[0];
    Ok(match (op, args) {
        // OpenCL defines `clamp` as `fmin(fmax(x, low), high)`, which also defines the result for NaN.
        (Op::fclamp, &[x, low, high]) => e.intrinsic("llvm.minnum", &[e.intrinsic("llvm.maxnum", &[x, low]), high]),
        (Op::degrees, _) => e.fast(b.fmul(x, ty.real(180.0 / std::f64::consts::PI))),
        (Op::radians, _) => e.fast(b.fmul(x, ty.real(std::f64::consts::PI / 180.0))),
        // "Returns y if x < y, otherwise it returns x", which is what x86's `maxps` computes.
        (Op::fmax_common, &[x, y]) => e.fast(b.select(e.fast(b.fcmp(LLVMRealOLT, x, y)), y, x)),
        (Op::fmin_common, &[x, y]) => e.fast(b.select(e.fast(b.fcmp(LLVMRealOLT, y, x)), y, x)),
        (Op::mix, &[x, y, a]) => e.intrinsic("llvm.fmuladd", &[e.fast(b.fsub(y, x)), a, x]),
        (Op::step, &[edge, x]) => b.select(e.fast(b.fcmp(LLVMRealOLT, x, edge)), zero, one),
        (Op::smoothstep, &[low, high, x]) => {
            let t = e.fast(b.fdiv(e.fast(b.fsub(x, low)), e.fast(b.fsub(high, low))));
            let t = e.intrinsic("llvm.minnum", &[e.intrinsic("llvm.maxnum", &[t, zero]), one]);
            let curve = e.intrinsic("llvm.fmuladd", &[t, ty.real(-2.0), ty.real(3.0)]);
            e.fast(b.fmul(e.fast(b.fmul(t, t)), curve))
        }
        (Op::sign, _) => {
            // The sign of a zero is kept; NaN becomes 0.
            let sign = e.intrinsic("llvm.copysign", &[one, x]);
            let number = b.select(b.fcmp(LLVMRealUNO, x, x), zero, x);
            b.select(b.fcmp(LLVMRealONE, x, zero), sign, number)
        }
        _ => return Err(check::invalid("unknown")),
    })
}
