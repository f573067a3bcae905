// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Defines the mathematical functions that lowered code calls, by those of [`libdevice`](super::libdevice).
//!
//! `builtins` calls functions of its table [`CALLEES`], which for the CPU are glibc's or ours. Here the frequent ones of float
//! get the code of [`elementary`]. Each of the others becomes a call of NVIDIA's function; these have errors of a few units in
//! the last place, which OpenCL's bounds leave room for. PTX has no remainder of floating-point numbers
//! either.

use llvm_sys::{LLVMIntPredicate as I, LLVMOpcode as L, LLVMRealPredicate as F};
use spirv::OpenclStd100Op as Op;

use super::libdevice;
use crate::Error;
use crate::builtins::libcalls::{CALLEES, Callee, callee};
use crate::builtins::{self, elementary};
use crate::llvm::{Builder, Function, Kind, Machine, Module, Value};

/// Defines the functions that the module calls.
pub fn define(machine: &Machine, module: &Module<'_>) -> Result<(), Error> {
    remainders(module);
    // Some functions are made of others.
    while let Some((function, callee)) = next(module) {
        function.internal().attribute("alwaysinline", 0);
        let b = Builder::at_end(module.context(), function.append_block("entry"));
        Emit {
            module,
            function,
            b: &b,
        }
        .define(callee);
    }
    let is_needed = |f: &Function<'_>| f.is_declaration() && f.name().starts_with("__nv_");
    if module.functions().iter().any(is_needed) {
        module
            .link_with_library(machine, libdevice::bitcode()?)
            .map_err(Error::Codegen)?;
    }
    Ok(())
}

fn next<'c>(module: &Module<'c>) -> Option<(Function<'c>, &'static Callee)> {
    CALLEES.iter().find_map(|callee| {
        let function = module.function(callee.name).filter(|f| f.is_declaration())?;
        Some((function, callee))
    })
}

/// Makes calls of the remainders of floating-point numbers.
fn remainders<'c>(module: &Module<'c>) {
    let cx = module.context();
    let all = module.functions().into_iter().flat_map(Function::blocks);
    let found: Vec<_> = all
        .flat_map(|block| block.instructions())
        .filter(|inst| inst.opcode() == Some(L::LLVMFRem))
        .collect();
    for inst in found {
        let b = Builder::new(cx);
        b.go_before(inst);
        let ty = inst.ty();
        let wide = cx.float(ty.bits().max(32));
        let function = callee(Op::fmod, wide.bits())
            .expect("it is in the table")
            .declare(cx, module);
        let operands = [0, 1].map(|i| inst.operand(i));
        let result = b.by_elements(ty, operands, |operands| {
            let wide_operands = operands.map(|operand| b.fpcast(operand, wide));
            b.fpcast(b.call(function, &wide_operands), ty.scalar())
        });
        inst.replace_with(result);
        inst.erase();
    }
}

/// A function that is being defined.
struct Emit<'m, 'c> {
    module: &'m Module<'c>,
    function: Function<'c>,
    b: &'m Builder<'c>,
}

impl<'c> Emit<'_, 'c> {
    fn define(&self, callee: &Callee) {
        let (b, cx) = (self.b, self.module.context());
        let result = match callee.op {
            Op::remquo => {
                let quotient = b.alloca(cx.int(32)).align(4);
                let (x, y) = (self.function.param(0), self.function.param(1));
                let function = self.library("remquo", callee.bits, &[x.ty(), y.ty(), cx.ptr()]);
                b.call(function, &[x, y, quotient]);
                b.load(cx.int(32), quotient).align(4)
            }
            Op::rootn => self.root(callee.bits),
            Op::exp | Op::exp2 | Op::exp10 if callee.bits == 32 => {
                let x = self.function.param(0);
                elementary::exp(&self.inline(), callee.op, x.ty(), x)
            }
            Op::log | Op::log2 | Op::log10 if callee.bits == 32 => {
                let x = self.function.param(0);
                elementary::log(&self.inline(), callee.op, x.ty(), x)
            }
            Op::tanpi => {
                let x = self.function.param(0);
                let [sine, cosine] = ["sinpi", "cospi"].map(|name| {
                    let function = self.library(name, callee.bits, &[x.ty()]);
                    b.call(function, &[x])
                });
                b.fdiv(sine, cosine)
            }
            op => {
                let args: Vec<_> = (0..callee.params.len())
                    .map(|i| self.function.param(i as u32))
                    .collect();
                let types: Vec<_> = args.iter().map(|arg| arg.ty()).collect();
                b.call(self.library(&format!("{op:?}"), callee.bits, &types), &args)
            }
        };
        b.ret(Some(result));
    }

    fn inline(&self) -> builtins::Emit<'_, 'c> {
        builtins::Emit {
            context: self.module.context(),
            module: self.module,
            builder: self.b,
            fast_math: 0,
            fuses_halfs: true,
        }
    }

    /// A function of the library, whose result has the type of its first parameter.
    fn library(&self, name: &str, bits: u32, params: &[crate::llvm::Type<'c>]) -> Function<'c> {
        let suffix = if bits == 32 { "f" } else { "" };
        self.module
            .declare(&format!("__nv_{name}{suffix}"), params[0].function(params))
    }

    /// `rootn`: as for the CPU, a power of the magnitude, with a correction for the rounding of `1/n`.
    fn root(&self, bits: u32) -> Value<'c> {
        let (b, cx) = (self.b, self.module.context());
        let (x, n) = (self.function.param(0), self.function.param(1));
        let double = cx.float(64);
        let real = |value| double.real(value);
        let call = |name: &str, args: &[Value<'c>]| b.intrinsic(self.module, name, &[double], args);
        let wide = b.fpcast(x, double);
        let size = call("llvm.fabs", &[wide]);
        let count = b.cast(L::LLVMSIToFP, n, double);
        let high = b.fdiv(real(1.0), count);
        let low = b.fdiv(call("llvm.fma", &[b.fneg(count), high, real(1.0)]), count);
        let power = b.call(self.library("pow", 64, &[double, double]), &[size, high]);
        let log = b.call(self.library("log", 64, &[double]), &[size]);
        let root = b.fadd(power, b.fmul(power, b.fmul(low, log)));
        // Only this root may overflow.
        let is_inverse = b.icmp(I::LLVMIntEQ, n, n.ty().ones());
        let root = b.select(is_inverse, b.fdiv(real(1.0), size), root);
        let (zero, infinity) = (real(0.0), real(f64::INFINITY));
        let is_zero = b.fcmp(F::LLVMRealOEQ, size, zero);
        let is_special = b.or(is_zero, b.fcmp(F::LLVMRealOEQ, size, infinity));
        let is_positive = b.icmp(I::LLVMIntSGT, n, n.ty().zero());
        let special = b.select(b.icmp(I::LLVMIntEQ, is_zero, is_positive), zero, infinity);
        let root = b.select(is_special, special, root);
        let is_odd = b.icmp(I::LLVMIntNE, b.and(n, n.ty().int(1)), n.ty().zero());
        let signed = b.intrinsic(self.module, "llvm.copysign", &[double], &[root, wide]);
        let root = b.select(is_odd, signed, root);
        let is_negative = b.and(b.fcmp(F::LLVMRealOLT, wide, zero), b.not(is_odd));
        let is_undefined = b.or(b.icmp(I::LLVMIntEQ, n, n.ty().zero()), is_negative);
        let is_undefined = b.or(is_undefined, b.fcmp(F::LLVMRealUNO, wide, wide));
        let root = b.select(is_undefined, real(f64::NAN), root);
        debug_assert!(matches!(x.ty().kind(), Kind::Float(n) if n == bits));
        b.fpcast(root, x.ty())
    }
}
