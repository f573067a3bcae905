// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Measures the error of our own functions for any number of lanes, and compares the lanes of vectors with single items.

use spirv::OpenclStd100Op as Op;

use super::accuracy::arguments_and_results;
use super::jit::Compiled;
use super::reference::FORMATS;
use crate::CpuLevel;
use crate::builtins::{libcalls, vector_math};
use crate::llvm::Builder;

/// A function, the largest error that is known, and how to compute the result in `double`.
type Unary = (Op, f64, fn(f64) -> f64);

/// The functions of one number.
const UNARY: [Unary; 3] = [
    (Op::sin, 0.8, f64::sin),
    (Op::cos, 0.8, f64::cos),
    // 0.6 with AVX-512; else it is rounded twice.
    (Op::rsqrt, 1.5, |x| 1.0 / x.sqrt()),
];
/// Those of two numbers.
const BINARY: [(Op, f64); 1] = [(Op::pow, 0.6)];

/// A function of `lanes` numbers.
fn compiled(op: Op, lanes: u32) -> Compiled {
    let callee = libcalls::callee(op, 32).unwrap();
    Compiled::build(op, |context, module| {
        let ty = if lanes == 1 {
            context.float(32)
        } else {
            context.float(32).vector(lanes)
        };
        let name = vector_math::name(callee.name, lanes).unwrap();
        let count = callee.params.len();
        let function = module.declare(&name, ty.function(&vec![ty; count]));
        let test = module.add_function("test", context.void().function(&[context.ptr(); 3]));
        let b = Builder::at_end(context, test.append_block("entry"));
        let args: Vec<_> = (0..count as u32).map(|i| b.load(ty, test.param(i)).align(4)).collect();
        b.store(b.call(function, &args), test.param(2)).align(4);
        b.ret(None);
        vector_math::define(module, true);
    })
}

fn call(function: &Compiled, x: &[f32], y: &[f32], results: &mut [f32]) {
    assert!(x.len() == results.len() && y.len() == results.len());
    let [x, y] = [x, y].map(|numbers| numbers.as_ptr().cast_mut().cast());
    // SAFETY: the function reads and writes as many numbers.
    unsafe { function.call(&[x, y, results.as_mut_ptr().cast()]) };
}

/// Whether this CPU has the functions.
fn available(op: Op) -> bool {
    op == Op::rsqrt || CpuLevel::current() >= CpuLevel::V3
}

/// The errors do not exceed those of the table, and do not depend on the number of lanes.
#[test]
fn errors() {
    let format = FORMATS.into_iter().find(|f| f.bits == 32).unwrap();
    let functions = UNARY.map(|(op, bound, _)| (op, bound)).into_iter().chain(BINARY);
    for (op, bound) in functions.filter(|f| available(f.0)) {
        let cases = arguments_and_results(op, format);
        let functions = [1, 2, 3, 4, 8, 16, 32].map(|lanes| (lanes, compiled(op, lanes)));
        let (mut worst, mut what) = (0f64, String::new());
        for chunk in cases.chunks(32) {
            let [x, y] = [0, 1].map(|argument| -> [f32; 32] {
                std::array::from_fn(|i| chunk.get(i).unwrap_or(&chunk[0]).0[argument] as f32)
            });
            let mut expected = [0f32; 32];
            for (i, result) in expected.iter_mut().enumerate() {
                call(&functions[0].1, &x[i..=i], &y[i..=i], std::slice::from_mut(result));
            }
            for (lanes, function) in &functions[1..] {
                let lanes = *lanes as usize;
                let mut results = [0f32; 32];
                call(function, &x[..lanes], &y[..lanes], &mut results[..lanes]);
                for i in 0..lanes {
                    let (found, one) = (results[i], expected[i]);
                    let same = found.to_bits() == one.to_bits() || found.is_nan() && one.is_nan();
                    assert!(
                        same,
                        "{op:?}({:e}, {:e}) of {lanes} lanes: {found:e}, not {one:e}",
                        x[i], y[i]
                    );
                }
            }
            for ((arguments, exact), result) in chunk.iter().zip(expected) {
                let ulps = format.ulps(result.into(), exact);
                if ulps > worst {
                    (worst, what) = (ulps, format!("{arguments:?} gives {result:e} for {:e}", exact.to_f64()));
                }
            }
        }
        println!("{op:?}: {worst:.3} ulp at {what}");
        assert!(worst <= bound, "{op:?}: {worst:.3} ulp at {what}");
    }
}

/// The same for each float. The reference is `double`, whose errors are too small to matter.
#[test]
#[ignore = "takes minutes; run it after a change of the functions"]
fn errors_of_all_floats() {
    for (op, bound, reference) in UNARY.into_iter().filter(|f| available(f.0)) {
        let function = compiled(op, 16);
        let (mut worst, mut at, mut inexact) = (0f64, 0f32, 0u64);
        for start in (0..=u32::MAX).step_by(16) {
            let numbers: [f32; 16] = std::array::from_fn(|i| f32::from_bits(start + i as u32));
            let mut results = [0f32; 16];
            call(&function, &numbers, &numbers, &mut results);
            for (x, result) in numbers.into_iter().zip(results) {
                let exact = reference(x.into());
                let nearest = exact as f32;
                if nearest.to_bits() == result.to_bits() || nearest.is_nan() && result.is_nan() {
                    continue;
                }
                inexact += 1;
                let ulp = f64::from(f32::from_bits((nearest.abs().to_bits()) + 1) - nearest.abs());
                let error = (f64::from(result) - exact).abs() / ulp;
                // Also for results that are no numbers.
                if error.is_nan() || error > worst || nearest == 0.0 {
                    (worst, at) = (if error.is_nan() { f64::INFINITY } else { error }, x);
                }
            }
        }
        println!(
            "{op:?}: {worst:.3} ulp at {at:e} ({:#010x}), {inexact} not nearest",
            at.to_bits()
        );
        assert!(worst <= bound, "{op:?}: {worst:.3} ulp at {at:e}");
    }
}
