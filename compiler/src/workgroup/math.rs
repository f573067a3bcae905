// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Mathematical functions of a single item in code that vector code may replace, or run beside: they are the vector functions,
//! since the scalar ones differ from them in the last place.

use crate::builtins;
use crate::llvm::{Builder, Function, Module};

/// Defines the functions that the vectorizer has a vector variant of, for so many lanes, and the variants that are ours.
pub fn define(module: &Module<'_>, lanes: u32) {
    builtins::define_vector_math(module, true);
    for function in module.functions().into_iter().filter(|f| f.is_declaration()) {
        define_one(module, function, lanes);
    }
}

fn define_one<'c>(module: &Module<'c>, function: Function<'c>, lanes: u32) {
    let Some(variant) = builtins::vector_variant(&function.name(), lanes, false) else {
        return;
    };
    let ty = function.function_type();
    let params: Vec<_> = (0..ty.params().len() as u32).map(|i| function.param(i)).collect();
    let only_floats = ty.returns().is_float() && params.iter().all(|param| param.ty().is_float());
    if !lanes.is_multiple_of(variant.lanes) || !only_floats {
        return;
    }
    let cx = module.context();
    let vector = cx.float(variant.bits).vector(variant.lanes);
    let callee = module
        .declare(&variant.name, vector.function(&vec![vector; params.len()]))
        .attribute("nounwind", 0)
        .attribute("willreturn", 0)
        .attribute("memory", 0);
    function.internal();
    let b = Builder::at_end(cx, function.append_block("entry"));
    let args: Vec<_> = params
        .iter()
        .map(|&param| b.splat(b.fpcast(param, vector.scalar()), variant.lanes))
        .collect();
    let first = b.extract_element(b.call(callee, &args), cx.int(32).zero());
    b.ret(Some(b.fpcast(first, ty.returns())));
}
