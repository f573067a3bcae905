// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Mathematical functions of ours, as LLVM IR for any number of lanes, which is inlined into kernels.
//!
//! Lowered code calls a function of [`CALLEES`](super::libcalls::CALLEES) by its name. The vectorizer replaces the call by one of
//! a [vector function](name), and [`define`] gives that its body. In scalar code the function itself gets the body for one lane,
//! so that scalar and vector code compute the same bits.
//!
//! Bodies need no case for arguments that are rare and expensive: they compute all lanes the fast way, and if there is a lane
//! that this is not right for, a branch leads to a call of the scalar function for these lanes.

mod exponential;
mod power;
mod power_constants;
mod power_in_double;
mod registers;
mod roots;
mod trigonometric;

use spirv::OpenclStd100Op as Op;

use crate::llvm::{Builder, Function, Module, Type, Value};
use crate::target::Math;

use super::{Emit, elementary};
pub use power_in_double::pow_rare;
pub use trigonometric::{cos_beyond_f32, cos_beyond_f64, sin_beyond_f32, sin_beyond_f64};

/// Emits a function for lanes of a type.
type Body = for<'c> fn(&Place<'_, 'c>, Type<'c>, &[Value<'c>]) -> Value<'c>;

/// A function with a body of ours.
struct Implementation {
    /// The name in the table of library functions.
    callee: &'static str,
    /// The width of its numbers.
    bits: u32,
    /// Whether the body relies on fused multiplication and addition.
    needs_fma: bool,
    body: Body,
}

const fn implementation(callee: &'static str, bits: u32, needs_fma: bool, body: Body) -> Implementation {
    Implementation {
        callee,
        bits,
        needs_fma,
        body,
    }
}

const EXP: Body = |p, ty, a| exponential::exp(p, Op::exp, ty, a[0]);
const EXP2: Body = |p, ty, a| exponential::exp(p, Op::exp2, ty, a[0]);
const EXP10: Body = |p, ty, a| exponential::exp(p, Op::exp10, ty, a[0]);

const IMPLEMENTATIONS: &[Implementation] = &[
    implementation("sinf", 32, true, trigonometric::sin),
    implementation("cosf", 32, true, trigonometric::cos),
    implementation("sin", 64, true, trigonometric::sin),
    implementation("cos", 64, true, trigonometric::cos),
    implementation("powf", 32, true, power::pow_of_float),
    implementation("pow", 64, true, power::pow_of_double),
    implementation("oxur_rsqrt_f32", 32, false, roots::rsqrt),
    implementation("expf", 32, false, EXP),
    implementation("exp2f", 32, false, EXP2),
    implementation("exp10f", 32, false, EXP10),
    implementation("exp", 64, true, EXP),
    implementation("exp2", 64, true, EXP2),
    implementation("exp10", 64, true, EXP10),
    implementation("logf", 32, false, |p, ty, a| exponential::log(p, Op::log, ty, a[0])),
    implementation("log2f", 32, false, |p, ty, a| exponential::log(p, Op::log2, ty, a[0])),
    implementation("log10f", 32, false, |p, ty, a| exponential::log(p, Op::log10, ty, a[0])),
];

fn find(callee: &str) -> Option<&'static Implementation> {
    let has_fma = Math::of_host().fuses;
    IMPLEMENTATIONS
        .iter()
        .find(|i| i.callee == callee && (has_fma || !i.needs_fma))
}

/// What vector functions are called in modules: this, the name of the scalar function, and the number of lanes.
const PREFIX: &str = "oxur.math.";

/// The name of a function's form for a number of lanes, if there is one, and the width of its numbers.
pub fn name(callee: &str, lanes: u32) -> Option<(String, u32)> {
    find(callee).map(|i| (format!("{PREFIX}{callee}.{lanes}"), i.bits))
}

/// Defines the functions of ours that a module declares: those for lanes, and with `scalars` those for one item.
pub fn define(module: &Module<'_>, scalars: bool) {
    for function in module.functions().into_iter().filter(|f| f.is_declaration()) {
        let name = function.name();
        let callee = match name.strip_prefix(PREFIX) {
            Some(rest) => rest.rsplit_once('.').map(|(callee, _)| callee),
            None => scalars.then_some(name.as_str()),
        };
        if let Some(implementation) = callee.and_then(find) {
            define_one(module, function, implementation);
        }
    }
}

fn define_one<'c>(module: &Module<'c>, function: Function<'c>, implementation: &Implementation) {
    function.internal().attribute("alwaysinline", 0);
    emit_body(module, function, implementation.body);
}

fn emit_body<'c>(module: &Module<'c>, function: Function<'c>, body: Body) {
    let ty = function.function_type();
    let params: Vec<_> = (0..ty.params().len() as u32).map(|i| function.param(i)).collect();
    let b = Builder::at_end(module.context(), function.append_block("entry"));
    let place = Place {
        e: Emit {
            context: module.context(),
            module,
            builder: &b,
            fast_math: 0,
            fuses_halfs: false,
        },
        function,
    };
    let result = body(&place, ty.returns(), &params);
    b.ret(Some(result));
}

/// What computes the lanes that a body is not right for.
enum Slow {
    /// A function of the compiler's with this name. It takes the address of the numbers of each argument and how many there are,
    /// and replaces those of the first argument that it is for.
    Host(&'static str),
    /// A body for all numbers, in a function that is not inlined, and the name of what it computes.
    Body(&'static str, Body),
}

/// Where a body goes.
struct Place<'a, 'c> {
    e: Emit<'a, 'c>,
    function: Function<'c>,
}

impl<'c> Place<'_, 'c> {
    /// `x y + z`, rounded once.
    fn fma(&self, x: Value<'c>, y: Value<'c>, z: Value<'c>) -> Value<'c> {
        self.e.intrinsic("llvm.fma", &[x, y, z])
    }

    /// Evaluates a polynomial by Horner's rule. The constant coefficient comes first.
    fn polynomial(&self, x: Value<'c>, coefficients: &[f64]) -> Value<'c> {
        elementary::polynomial(x, coefficients, |x, y, z| self.fma(x, y, z))
    }

    /// Evaluates a polynomial of `x`, whose square is given, in half as many steps.
    fn short_polynomial(&self, x: Value<'c>, square: Value<'c>, coefficients: &[f64]) -> Value<'c> {
        let [even, odd] = [0, 1].map(|first| {
            let every_second: Vec<_> = coefficients.iter().skip(first).step_by(2).copied().collect();
            self.polynomial(square, &every_second)
        });
        self.fma(odd, x, even)
    }

    /// `fast`, but in the lanes of `rare` what a function computes from `args`. The code behind this call is in another block.
    fn unless_rare(&self, rare: Value<'c>, args: &[Value<'c>], function: Slow, fast: Value<'c>) -> Value<'c> {
        self.where_any(rare, fast, || {
            let ty = args[0].ty();
            let function = match function {
                Slow::Host(name) => self.out_of_line(ty, args.len(), name),
                Slow::Body(name, body) => self.slow_body(ty, args.len(), name, body),
            };
            let b = self.e.builder;
            b.select(rare, b.call(function, args), fast)
        })
    }

    /// What `other` emits where the condition holds in any lane, else `usual`. The code behind this call is in another block.
    fn where_any(&self, condition: Value<'c>, usual: Value<'c>, other: impl FnOnce() -> Value<'c>) -> Value<'c> {
        let Emit {
            context, builder: b, ..
        } = self.e;
        let any = match condition.ty().lanes() {
            None => condition,
            Some(lanes) => {
                let bits = context.int(lanes);
                b.icmp(
                    llvm_sys::LLVMIntPredicate::LLVMIntNE,
                    b.bitcast(condition, bits),
                    bits.zero(),
                )
            }
        };
        let [other_block, done] = ["rare", "done"].map(|name| self.function.append_block(name));
        let before = b.block();
        b.cond_br(any, other_block, done);
        b.go_to_end(other_block);
        let other = other();
        let behind = b.block();
        b.br(done);
        b.go_to_end(done);
        let result = b.phi(usual.ty());
        result.add_incoming(&[(usual, before), (other, behind)]);
        result
    }

    /// A function with a body for all numbers.
    fn slow_body(&self, ty: Type<'c>, args: usize, name: &str, body: Body) -> Function<'c> {
        let module = self.e.module;
        let name = format!("{PREFIX}slow.{name}.{}", ty.lanes().unwrap_or(1));
        if let Some(known) = module.function(&name) {
            return known;
        }
        let function = module.add_function(&name, ty.function(&vec![ty; args])).internal();
        function.attribute("noinline", 0).attribute("cold", 0);
        emit_body(module, function, body);
        function
    }

    /// A function that calls one for numbers in memory.
    fn out_of_line(&self, ty: Type<'c>, args: usize, function: &str) -> Function<'c> {
        let Emit { context, module, .. } = self.e;
        let lanes = ty.lanes().unwrap_or(1);
        let name = format!("{PREFIX}rare.{function}.{lanes}");
        if let Some(known) = module.function(&name) {
            return known;
        }
        let wrapper = module.add_function(&name, ty.function(&vec![ty; args])).internal();
        wrapper.attribute("noinline", 0).attribute("cold", 0);
        let b = Builder::at_end(context, wrapper.append_block("entry"));
        let mut operands: Vec<_> = (0..args as u32)
            .map(|i| {
                let numbers = b.alloca(ty);
                b.store(wrapper.param(i), numbers);
                numbers
            })
            .collect();
        operands.push(context.int(32).int(lanes.into()));
        let types: Vec<_> = operands.iter().map(|operand| operand.ty()).collect();
        let callee = module
            .declare(function, context.void().function(&types))
            .attribute("nounwind", 0)
            .attribute("willreturn", 0);
        b.call(callee, &operands);
        b.ret(Some(b.load(ty, operands[0])));
        wrapper
    }
}
