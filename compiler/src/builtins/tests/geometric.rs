// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of geometric functions.

use oxur_mpfr::Real;
use spirv::OpenclStd100Op as Op;

use super::jit::Compiled;
use super::reference::{FORMATS, Format, same};
use super::{Random, signature};
use crate::builtins::check::{self, Outcome};
use crate::llvm::Context;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Compiles an instruction on vectors, and returns a function of slices of numbers.
fn vectors(op: Op, format: Format, lanes: u32) -> impl Fn(&[&[f64]]) -> Vec<f64> {
    let shape = move |context: &Context| {
        let scalar = context.float(format.bits);
        let ty = if lanes == 1 { scalar } else { scalar.vector(lanes) };
        // Only the number of types, because a closure cannot express that they live as long as the context.
        signature(context, op, ty).map(|types| types.len())
    };
    let operands = shape(&Context::new()).unwrap() - 1;
    let compiled = Compiled::new(
        op,
        |context| {
            let scalar = context.float(format.bits);
            signature(context, op, if lanes == 1 { scalar } else { scalar.vector(lanes) }).unwrap()
        },
        &[],
    );
    let bytes = format.bits as usize / 8;
    let scalar_result = check::rules(op).0 == Outcome::Scalar;
    move |args| {
        let mut buffers = vec![vec![0u8; 16 * 8]; operands + 1];
        for (buffer, numbers) in buffers.iter_mut().zip(args) {
            for (place, &x) in buffer.chunks_mut(bytes).zip(*numbers) {
                place.copy_from_slice(&format.encode(x).to_le_bytes()[..bytes]);
            }
        }
        let pointers: Vec<_> = buffers.iter_mut().map(|b| b.as_mut_ptr()).collect();
        // SAFETY: each buffer has sixteen doubles.
        unsafe { compiled.call(&pointers) };
        let count = if scalar_result { 1 } else { lanes as usize };
        buffers[operands]
            .chunks(bytes)
            .take(count)
            .map(|b| {
                let mut word = [0; 8];
                word[..bytes].copy_from_slice(b);
                format.decode(u64::from_le_bytes(word))
            })
            .collect()
    }
}

/// The exact length.
fn exact_length(x: &[Real]) -> Real {
    let squares = x.iter().map(|x| Real::of_two("mpfr_mul", x, x));
    Real::of(
        "mpfr_sqrt",
        &squares.reduce(|a, b| Real::of_two("mpfr_add", &a, &b)).unwrap(),
    )
}

/// Lengths, distances and directions, also of huge and tiny vectors, with the error bounds of OpenCL C 3.0, section 7.4.
#[test]
fn geometry() {
    for format in FORMATS {
        let mut worst = [0f64; 3];
        for lanes in [1u32, 2, 3, 4] {
            let n = f64::from(lanes);
            let [length, distance, normalize] =
                [Op::length, Op::distance, Op::normalize].map(|op| vectors(op, format, lanes));
            let [fast_length, fast_distance, fast_normalize] =
                [Op::fast_length, Op::fast_distance, Op::fast_normalize].map(|op| vectors(op, format, lanes));
            let mut random = Random(9);
            let (low, high) = format.exponents;
            for round in 0..500 {
                let span = (high - low + 20) as f64;
                let scale = if round % 2 == 0 {
                    0.0
                } else {
                    low as f64 - 20.0 + random.unit() * span
                };
                let mut numbers = || -> Vec<f64> {
                    let number = |r: f64| format.round((r * 2.0 - 1.0) * scale.exp2());
                    (0..lanes).map(|_| number(random.unit())).collect()
                };
                let (x, y) = (numbers(), numbers());
                let reals = |v: &[f64]| v.iter().map(|&x| Real::new(x)).collect::<Vec<_>>();
                let exact = exact_length(&reals(&x));
                let apart: Vec<_> = x
                    .iter()
                    .zip(&y)
                    .map(|(&x, &y)| Real::of_two("mpfr_sub", &Real::new(x), &Real::new(y)))
                    .collect();
                let got = length(&[&x])[0];
                let ulps = format.ulps(got, &exact);
                assert!(ulps <= 2.75 + 0.5 * n, "f{} length{x:?}: {ulps} ulp", format.bits);
                worst[0] = worst[0].max(ulps);
                let exact_distance = exact_length(&apart);
                let ulps = format.ulps(distance(&[&x, &y])[0], &exact_distance);
                assert!(
                    ulps <= 2.5 + 2.0 * n,
                    "f{} distance({x:?}, {y:?}): {ulps} ulp",
                    format.bits
                );
                worst[1] = worst[1].max(ulps);
                let direction = normalize(&[&x]);
                let fast = fast_normalize(&[&x]);
                for (i, (&component, got)) in x.iter().zip(&direction).enumerate() {
                    let expected = match exact.to_f64() {
                        0.0 => Real::new(component),
                        _ => Real::of_two("mpfr_div", &Real::new(component), &exact),
                    };
                    let ulps = format.ulps(*got, &expected);
                    assert!(
                        ulps <= 2.0 + n,
                        "f{} normalize{x:?}: {direction:?}, {ulps} ulp",
                        format.bits
                    );
                    worst[2] = worst[2].max(ulps);
                    if round % 2 == 0 {
                        let ulps = format.ulps(fast[i], &expected);
                        assert!(
                            ulps <= 8192.0,
                            "f{} fast_normalize{x:?}: {fast:?}, {ulps} ulp",
                            format.bits
                        );
                    }
                }
                if round % 2 == 0 {
                    assert!(format.ulps(fast_length(&[&x])[0], &exact) <= 8191.5 + n);
                    assert!(format.ulps(fast_distance(&[&x, &y])[0], &exact_distance) <= 8191.5 + 2.0 * n);
                }
            }
            let mut infinite = vec![1.0; lanes as usize];
            infinite[0] = -INF;
            assert_eq!(length(&[&infinite])[0], INF);
            let direction = normalize(&[&infinite]);
            assert_eq!(direction[0], -1.0);
            assert!(direction[1..].iter().all(|&x| x == 0.0), "{direction:?}");
            infinite[lanes as usize - 1] = NAN;
            assert!(normalize(&[&infinite])[lanes as usize - 1].is_nan());
            if lanes > 1 {
                // An element that is much smaller than another must be precise, too.
                let far = [
                    format.round(1.3f64 * 2f64.powi(high as i32 - 9)),
                    format.round(1.7 * 2f64.powi(-12)),
                ];
                let far: Vec<f64> = far
                    .into_iter()
                    .chain(std::iter::repeat_n(0.0, lanes as usize - 2))
                    .collect();
                let expected = Real::new(far[1] / far[0]);
                assert!(format.ulps(normalize(&[&far])[1], &expected) <= 2.0 + n, "{far:?}");
            }
            let zeros = vec![-0.0; lanes as usize];
            assert!(
                normalize(&[&zeros])
                    .iter()
                    .chain(&fast_normalize(&[&zeros]))
                    .all(|&x| same(x, -0.0))
            );
        }
        println!(
            "f{}: length {:.3}, distance {:.3}, normalize {:.3} ulp",
            format.bits, worst[0], worst[1], worst[2]
        );
        for lanes in [3, 4] {
            let cross = vectors(Op::cross, format, lanes);
            let (x, y) = (
                &[1.0, 2.0, 3.0, 4.0][..lanes as usize],
                &[-5.0, 6.0, 7.5, 8.0][..lanes as usize],
            );
            let got = cross(&[x, y]);
            assert_eq!(got[..3], [2.0 * 7.5 - 3.0 * 6.0, 3.0 * -5.0 - 7.5, 6.0 + 2.0 * 5.0]);
            assert!(got[3..].iter().all(|&w| same(w, 0.0)));
        }
    }
}
