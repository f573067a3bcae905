// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Mathematical functions of ours, as LLVM IR for any number of lanes, which is inlined into kernels.
//!
//! Lowered code calls a function of [`CALLEES`](super::libcalls::CALLEES) by its name. The vectorizer replaces the call by one of
//! a [vector function](name), and [`define`] gives that its body. In scalar code the function itself gets the body for one lane,
//! so that scalar and vector code compute the same bits.
//!
//! Bodies need no case for arguments that are rare and expensive: they compute all lanes the fast way, and if there is a lane
//! that this is not right for, a branch leads to a call of the scalar function for these lanes.

mod power;
mod roots;
mod trigonometric;

use crate::CpuLevel;
use crate::llvm::{Builder, Function, Module, Type, Value};

use super::{Emit, elementary};
pub use power::pow_rare;
pub use trigonometric::{cos_beyond, sin_beyond};

/// Emits a function for lanes of a type.
type Body = for<'c> fn(&Place<'_, 'c>, Type<'c>, &[Value<'c>]) -> Value<'c>;

/// A function with a body of ours.
struct Implementation {
    /// The name in the table of library functions.
    callee: &'static str,
    /// The lowest level of CPUs that it is for: bodies rely on fused multiplication and addition.
    needs: CpuLevel,
    body: Body,
}

const IMPLEMENTATIONS: &[Implementation] = &[
    Implementation {
        callee: "sinf",
        needs: CpuLevel::V3,
        body: trigonometric::sin,
    },
    Implementation {
        callee: "cosf",
        needs: CpuLevel::V3,
        body: trigonometric::cos,
    },
    Implementation {
        callee: "powf",
        needs: CpuLevel::V3,
        body: power::pow,
    },
    Implementation {
        callee: "oxur_rsqrt_f32",
        needs: CpuLevel::V2,
        body: roots::rsqrt,
    },
];

fn find(callee: &str) -> Option<&'static Implementation> {
    let level = CpuLevel::current();
    IMPLEMENTATIONS.iter().find(|i| i.callee == callee && level >= i.needs)
}

/// What vector functions are called in modules: this, the name of the scalar function, and the number of lanes.
const PREFIX: &str = "oxur.math.";

/// The name of a function's form for a number of lanes, if there is one.
pub fn name(callee: &str, lanes: u32) -> Option<String> {
    find(callee).map(|_| format!("{PREFIX}{callee}.{lanes}"))
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
    let ty = function.function_type();
    let params: Vec<_> = (0..ty.params().len() as u32).map(|i| function.param(i)).collect();
    function.internal().attribute("alwaysinline", 0);
    let b = Builder::at_end(module.context(), function.append_block("entry"));
    let place = Place {
        e: Emit {
            context: module.context(),
            module,
            builder: &b,
            fast_math: 0,
        },
        function,
    };
    let result = (implementation.body)(&place, ty.returns(), &params);
    b.ret(Some(result));
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

    /// `fast`, but in the lanes of `rare` what a function computes from `args`. The function takes the address of the numbers of
    /// each argument and how many there are, and replaces those of the first argument that it is for. The code behind this call
    /// is in another block.
    fn unless_rare(&self, rare: Value<'c>, args: &[Value<'c>], function: &str, fast: Value<'c>) -> Value<'c> {
        let Emit {
            context, builder: b, ..
        } = self.e;
        let any = match rare.ty().lanes() {
            None => rare,
            Some(lanes) => {
                let bits = context.int(lanes);
                b.icmp(
                    llvm_sys::LLVMIntPredicate::LLVMIntNE,
                    b.bitcast(rare, bits),
                    bits.zero(),
                )
            }
        };
        let [slow, done] = ["rare", "done"].map(|name| self.function.append_block(name));
        let before = b.block();
        b.cond_br(any, slow, done);
        b.go_to_end(slow);
        let replaced = b.select(
            rare,
            b.call(self.out_of_line(args[0].ty(), args.len(), function), args),
            fast,
        );
        b.br(done);
        b.go_to_end(done);
        let result = b.phi(fast.ty());
        result.add_incoming(&[(fast, before), (replaced, slow)]);
        result
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
