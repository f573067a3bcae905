// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Measures the error of our own functions for any number of lanes, and compares the lanes of vectors with single items.

use oxur_mpfr::Real;
use spirv::OpenclStd100Op as Op;

use super::Random;
use super::accuracy::{arguments_and_results, dense};
use super::jit::Compiled;
use super::reference::{FORMATS, Format};
use crate::builtins::{libcalls, vector_math};
use crate::llvm::Builder;
use crate::target::Math;

/// A function of float, the largest error that is known, and how to compute the result in `double`.
type Unary = (Op, f64, fn(f64) -> f64);

/// The functions of one float.
const UNARY: [Unary; 9] = [
    (Op::sin, 1.6, f64::sin),
    (Op::cos, 1.7, f64::cos),
    // 1.04 from an approximation; else it is rounded twice.
    (Op::rsqrt, 1.5, |x| 1.0 / x.sqrt()),
    (Op::exp, 1.0, f64::exp),
    (Op::exp2, 1.0, f64::exp2),
    (Op::exp10, 1.0, |x| 10f64.powf(x)),
    (Op::log, 1.0, f64::ln),
    (Op::log2, 1.0, f64::log2),
    (Op::log10, 1.0, f64::log10),
];

/// The largest error that a function of one float may have. Without a fused multiplication, products in these logarithms are rounded.
fn bound_of_float(op: Op, fused: f64) -> f64 {
    match op {
        Op::log2 | Op::log10 if !Math::of_host().fuses => 1.6,
        _ => fused,
    }
}

/// The functions of one double.
const UNARY_OF_DOUBLE: [Op; 5] = [Op::sin, Op::cos, Op::exp, Op::exp2, Op::exp10];

/// The largest error of one that is known.
fn bound_of_double(op: Op) -> f64 {
    match op {
        Op::sin | Op::cos => 1.65,
        Op::exp10 => 1.3,
        _ => 1.0,
    }
}

/// Whether no result may be beyond 1, whatever errors are allowed.
fn is_sine(op: Op) -> bool {
    matches!(op, Op::sin | Op::cos)
}

/// Those of two numbers, of float and double. 0.6 for float without tables in registers.
const BINARY: [(Op, u32, f64); 2] = [(Op::pow, 32, 1.0), (Op::pow, 64, 1.2)];

const MAX_LANES: usize = 32;

/// A function of `lanes` numbers.
struct Lanes {
    format: Format,
    lanes: usize,
    code: Compiled,
}

impl Lanes {
    fn new(op: Op, format: Format, lanes: usize) -> Self {
        let callee = libcalls::callee(op, format.bits).unwrap();
        let code = Compiled::build(op, |context, module| {
            let element = context.float(format.bits);
            let ty = if lanes == 1 {
                element
            } else {
                element.vector(lanes as u32)
            };
            let (name, bits) = vector_math::name(callee.name, lanes as u32).unwrap();
            assert_eq!(bits, format.bits);
            let count = callee.params.len();
            let function = module.declare(&name, ty.function(&vec![ty; count]));
            let test = module.add_function("test", context.void().function(&[context.ptr(); 3]));
            let b = Builder::at_end(context, test.append_block("entry"));
            let args: Vec<_> = (0..count as u32).map(|i| b.load(ty, test.param(i)).align(4)).collect();
            b.store(b.call(function, &args), test.param(2)).align(4);
            b.ret(None);
            vector_math::define(module, true);
        });
        Self { format, lanes, code }
    }

    fn call(&self, x: &[f64], y: &[f64]) -> Vec<f64> {
        let size = self.format.bits as usize / 8;
        let encode = |numbers: &[f64]| -> Vec<u8> {
            assert_eq!(numbers.len(), self.lanes);
            let bits = numbers.iter().map(|&x| self.format.encode(x).to_le_bytes());
            bits.flat_map(|bytes| bytes.into_iter().take(size)).collect()
        };
        let [mut x, mut y] = [x, y].map(encode);
        let mut results = vec![0; x.len()];
        let pointers = [&mut x, &mut y, &mut results].map(|bytes| bytes.as_mut_ptr());
        // SAFETY: the function reads and writes as many numbers.
        unsafe { self.code.call(&pointers) };
        let decode = |bytes: &[u8]| {
            let mut bits = [0; 8];
            bits[..size].copy_from_slice(bytes);
            self.format.decode(u64::from_le_bytes(bits))
        };
        results.chunks(size).map(decode).collect()
    }
}

fn format(bits: u32) -> Format {
    FORMATS.into_iter().find(|f| f.bits == bits).unwrap()
}

/// Whether this CPU has a function of numbers of so many bits.
fn available(op: Op, bits: u32) -> bool {
    bits == 32 && !matches!(op, Op::sin | Op::cos | Op::pow) || Math::of_host().fuses
}

/// The errors do not exceed the bound, and do not depend on the number of lanes.
fn check(op: Op, format: Format, bound: f64, cases: &[([f64; 2], Real)]) {
    let functions = [1, 2, 3, 4, 8, 16, MAX_LANES].map(|lanes| Lanes::new(op, format, lanes));
    let (mut worst, mut what) = (0f64, String::new());
    for chunk in cases.chunks(MAX_LANES) {
        let [x, y] = [0, 1].map(|argument| -> [f64; MAX_LANES] {
            std::array::from_fn(|i| chunk.get(i).unwrap_or(&chunk[0]).0[argument])
        });
        let single = |i: usize| functions[0].call(&x[i..=i], &y[i..=i])[0];
        let expected: [f64; MAX_LANES] = std::array::from_fn(single);
        for function in &functions[1..] {
            let lanes = function.lanes;
            let results = function.call(&x[..lanes], &y[..lanes]);
            for (i, (found, one)) in results.into_iter().zip(expected).enumerate() {
                assert!(
                    found.to_bits() == one.to_bits() || found.is_nan() && one.is_nan(),
                    "{op:?}({:e}, {:e}) of {lanes} lanes: {found:e}, not {one:e}",
                    x[i],
                    y[i]
                );
            }
        }
        for ((arguments, exact), result) in chunk.iter().zip(expected) {
            assert!(
                !is_sine(op) || result.is_nan() || result.abs() <= 1.0,
                "{op:?} of {arguments:?} is {result:e}"
            );
            let zero = exact.to_f64();
            assert!(
                zero != 0.0 || result.to_bits() == zero.to_bits(),
                "{op:?} of {arguments:?} is {result:?} and not {zero:?}"
            );
            let ulps = format.ulps(result, exact);
            if ulps > worst {
                (worst, what) = (ulps, format!("{arguments:?} gives {result:e} for {:e}", exact.to_f64()));
            }
        }
    }
    println!("{op:?} f{}: {worst:.3} ulp at {what}", format.bits);
    assert!(worst <= bound, "{op:?} f{}: {worst:.3} ulp at {what}", format.bits);
}

#[test]
fn errors() {
    let unary = UNARY.map(|(op, bound, _)| (op, 32, bound_of_float(op, bound)));
    let unary_of_double = UNARY_OF_DOUBLE.map(|op| (op, 64, bound_of_double(op)));
    let all = unary.into_iter().chain(unary_of_double).chain(BINARY);
    for (op, bits, bound) in all.filter(|f| available(f.0, f.1)) {
        check(op, format(bits), bound, &arguments_and_results(op, format(bits)));
    }
}

/// The sine of 0 has its sign, in vectors of any length and of single items.
#[test]
fn sines_of_zeros() {
    for bits in [32, 64].into_iter().filter(|&bits| available(Op::sin, bits)) {
        for lanes in [1, 2, 4, 8, 16, 32] {
            let function = Lanes::new(Op::sin, format(bits), lanes);
            let zeros: Vec<f64> = (0..lanes).map(|lane| if lane % 2 == 0 { -0.0 } else { 0.0 }).collect();
            let sines = function.call(&zeros, &zeros);
            let is_same = sines
                .iter()
                .zip(&zeros)
                .all(|(sine, zero)| sine.to_bits() == zero.to_bits());
            assert!(is_same, "sines of {lanes} zeros of {bits} bits: {sines:?}");
        }
    }
}

/// Sines and cosines of doubles of all sizes, and of those that are closest to multiples of pi/2.
#[test]
fn errors_of_sines() {
    let functions = [(Op::sin, "mpfr_sin"), (Op::cos, "mpfr_cos")];
    for (op, reference) in functions.into_iter().filter(|f| available(f.0, 64)) {
        let mut random = Random(7);
        let cases: Vec<_> = (0..8 * dense())
            .map(|round| {
                let multiple = (random.unit() * (random.unit() * 31.0).exp2()).floor() * std::f64::consts::FRAC_PI_2;
                let x = match round % 4 {
                    0 => random.unit() * 7.0,
                    1 => (random.unit() * 62.0 - 31.0).exp2(),
                    2 => multiple,
                    _ => f64::from_bits(multiple.to_bits() + random.next() % 3),
                };
                let x = if random.unit() < 0.5 { -x } else { x };
                ([x, 0.0], Real::of(reference, &Real::new(x)))
            })
            .collect();
        check(op, format(64), bound_of_double(op), &cases);
    }
}

/// Powers of all sizes, denormal and infinite ones as well, and of numbers whose nearest multiple of a logarithm is about to change.
#[test]
fn errors_of_exponentials() {
    let functions = [
        (Op::exp, "mpfr_exp", std::f64::consts::LOG2_E),
        (Op::exp2, "mpfr_exp2", 1.0),
        (Op::exp10, "mpfr_exp10", std::f64::consts::LOG2_10),
    ];
    for (op, reference, log2_base) in functions.into_iter().filter(|f| available(f.0, 64)) {
        let mut random = Random(8);
        let cases: Vec<_> = (0..8 * dense())
            .map(|round| {
                let exponent = match round % 4 {
                    0 => random.unit() * 2100.0 - 1076.0,
                    1 => random.unit() * 4.0 - 2.0,
                    2 => (random.unit() * 2100.0 - 1076.0).round() + 0.5 + (random.unit() - 0.5) * 1e-6,
                    _ => [-1075.0, -1022.0, 1021.0, 1024.0][round / 4 % 4] + (random.unit() - 0.5) * 3.0,
                };
                let x = exponent / log2_base;
                ([x, 0.0], Real::of(reference, &Real::new(x)))
            })
            .collect();
        check(op, format(64), bound_of_double(op), &cases);
    }
}

/// Powers of all sizes: of bases of all sizes, of those in each interval of the tables and at the ends of it, and of those near
/// 1, where exponents are largest. Negative ones with integers, too.
#[test]
fn errors_of_powers() {
    for (op, bits, bound) in BINARY.into_iter().filter(|f| available(f.0, f.1)) {
        let format = format(bits);
        let mut random = Random(u64::from(bits));
        let (intervals, largest) = if bits == 32 { (32.0, 103.9) } else { (16.0, 745.1) };
        let mut cases = Vec::new();
        for round in 0..8 * dense() {
            let near_end = (1.0 + (random.next() % 16) as f64 / intervals) * (1.0 + (random.unit() - 0.5) * 1e-4);
            let base = match round % 8 {
                0 => ((random.unit() - 0.5) * largest).exp(),
                1 => 0.5 + random.unit(),
                2 => 1.0 + (random.unit() - 0.5) * 0.2,
                3 => 1.0 + (random.unit() - 0.5) * (-20.0 * random.unit()).exp2(),
                4 => near_end,
                5 => near_end / 2.0,
                6 => 1.03 + (random.unit() - 0.5) * 0.03,
                _ => -(random.unit() * 100.0).round() / 16.0,
            };
            let base = format.round(base);
            let logarithm = (random.unit() * 2.0 - 1.0) * if round % 16 < 8 { largest } else { 3.0 };
            let exponent = format.round(logarithm / base.abs().ln());
            let exponent = if base < 0.0 { exponent.round() } else { exponent };
            let exact = Real::of_two("mpfr_pow", &Real::new(base), &Real::new(exponent));
            cases.push(([base, exponent], exact));
        }
        check(op, format, bound, &cases);
    }
}

/// The same for each float. The reference is `double`, whose errors are too small to matter.
#[test]
#[ignore = "takes minutes; run it after a change of the functions"]
fn errors_of_all_floats() {
    for (op, bound, reference) in UNARY.into_iter().filter(|f| available(f.0, 32)) {
        let (function, bound) = (Lanes::new(op, format(32), 16), bound_of_float(op, bound));
        let (mut worst, mut at, mut inexact) = (0f64, 0f32, 0u64);
        for start in (0..=u32::MAX).step_by(16) {
            let numbers: [f32; 16] = std::array::from_fn(|i| f32::from_bits(start + i as u32));
            let mut results = [0f32; 16];
            let pointers = [numbers.as_ptr(), numbers.as_ptr(), results.as_mut_ptr()];
            // SAFETY: the function reads and writes 16 numbers.
            unsafe { function.code.call(&pointers.map(|numbers| numbers.cast_mut().cast())) };
            for (x, result) in numbers.into_iter().zip(results) {
                let exact = reference(x.into());
                let nearest = exact as f32;
                if nearest.to_bits() == result.to_bits() || nearest.is_nan() && result.is_nan() {
                    continue;
                }
                inexact += 1;
                assert!(!is_sine(op) || result.abs() <= 1.0, "{op:?} of {x:e} is {result:e}");
                let ulp = f64::from(f32::from_bits((nearest.abs().to_bits()) + 1) - nearest.abs());
                let error = (f64::from(result) - exact).abs() / ulp;
                // Also for results that are no numbers, and for 0 with another sign.
                let is_wrong = error.is_nan() || nearest == 0.0 && result == 0.0;
                if is_wrong || error > worst {
                    (worst, at) = (if is_wrong { f64::INFINITY } else { error }, x);
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
