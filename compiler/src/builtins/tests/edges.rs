// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Special values: OpenCL C 3.0, section 7.5 (and C99, annex F, which it builds on); functions with a second result;
//! common and geometric functions; and vectors, which must give what their elements give.

use oxur_mpfr::Real;
use spirv::OpenclStd100Op as Op;

use super::jit::Compiled;
use super::reference::{FORMATS, Format};
use super::{Function, Random, regular, signature};
use crate::builtins::check::{self, Outcome};
use crate::llvm::Context;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Equal, with the sign of zero; NaN is NaN.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Arguments and results of each function.
type Cases<T> = &'static [(Op, &'static [T])];

/// Functions of one number: what they give for what.
const ONE: Cases<(f64, f64)> = &[
    (Op::acos, &[(1.0, 0.0), (1.5, NAN), (-2.0, NAN)]),
    (Op::acosh, &[(1.0, 0.0), (0.5, NAN), (INF, INF), (-INF, NAN)]),
    (
        Op::acospi,
        &[(1.0, 0.0), (0.0, 0.5), (-1.0, 1.0), (1.5, NAN), (-INF, NAN)],
    ),
    (Op::asin, &[(0.0, 0.0), (-0.0, -0.0), (1.5, NAN)]),
    (Op::asinh, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)]),
    (
        Op::asinpi,
        &[(0.0, 0.0), (-0.0, -0.0), (1.0, 0.5), (-1.0, -0.5), (1.5, NAN)],
    ),
    (Op::atan, &[(0.0, 0.0), (-0.0, -0.0)]),
    (
        Op::atanh,
        &[(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (2.0, NAN)],
    ),
    (
        Op::atanpi,
        &[(0.0, 0.0), (-0.0, -0.0), (INF, 0.5), (-INF, -0.5), (1.0, 0.25)],
    ),
    (
        Op::cbrt,
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (INF, INF),
            (-INF, -INF),
            (27.0, 3.0),
            (-8.0, -2.0),
        ],
    ),
    (Op::ceil, &[(-0.5, -0.0), (-0.0, -0.0), (INF, INF), (0.25, 1.0)]),
    (Op::cos, &[(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN)]),
    (Op::cosh, &[(0.0, 1.0), (INF, INF), (-INF, INF)]),
    (
        Op::cospi,
        &[
            (0.0, 1.0),
            (-0.0, 1.0),
            (0.5, 0.0),
            (-0.5, 0.0),
            (1.5, 0.0),
            (2.5, 0.0),
            (1.0, -1.0),
            (2.0, 1.0),
            (INF, NAN),
        ],
    ),
    (Op::erf, &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0)]),
    (Op::erfc, &[(INF, 0.0), (-INF, 2.0), (0.0, 1.0)]),
    (Op::exp, &[(0.0, 1.0), (-0.0, 1.0), (-INF, 0.0), (INF, INF)]),
    (
        Op::exp2,
        &[
            (0.0, 1.0),
            (-0.0, 1.0),
            (-INF, 0.0),
            (INF, INF),
            (3.0, 8.0),
            (-14.0, 0.000_061_035_156_25),
        ],
    ),
    (
        Op::exp10,
        &[(0.0, 1.0), (-0.0, 1.0), (-INF, 0.0), (INF, INF), (2.0, 100.0)],
    ),
    (Op::expm1, &[(0.0, 0.0), (-0.0, -0.0), (-INF, -1.0), (INF, INF)]),
    (Op::fabs, &[(-0.0, 0.0), (-INF, INF), (-1.0, 1.0)]),
    (Op::floor, &[(-0.0, -0.0), (-0.25, -1.0), (-INF, -INF), (0.5, 0.0)]),
    (
        Op::lgamma,
        &[
            (1.0, 0.0),
            (2.0, 0.0),
            (0.0, INF),
            (-0.0, INF),
            (-3.0, INF),
            (INF, INF),
            (-INF, INF),
        ],
    ),
    (
        Op::log,
        &[(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (-1.0, NAN), (INF, INF)],
    ),
    (
        Op::log2,
        &[
            (0.0, -INF),
            (-0.0, -INF),
            (1.0, 0.0),
            (-1.0, NAN),
            (INF, INF),
            (8.0, 3.0),
        ],
    ),
    (
        Op::log10,
        &[(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (-1.0, NAN), (INF, INF)],
    ),
    (
        Op::log1p,
        &[(0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (-2.0, NAN), (INF, INF)],
    ),
    (
        Op::logb,
        &[
            (0.0, -INF),
            (-0.0, -INF),
            (INF, INF),
            (-INF, INF),
            (1.0, 0.0),
            (-10.0, 3.0),
            (0.75, -1.0),
        ],
    ),
    (
        Op::rint,
        &[
            (0.5, 0.0),
            (-0.5, -0.0),
            (1.5, 2.0),
            (2.5, 2.0),
            (-0.0, -0.0),
            (INF, INF),
        ],
    ),
    (
        Op::round,
        &[
            (0.5, 1.0),
            (-0.5, -1.0),
            (0.25, 0.0),
            (-0.25, -0.0),
            (2.5, 3.0),
            (-INF, -INF),
        ],
    ),
    (Op::rsqrt, &[(0.0, INF), (-1.0, NAN), (INF, 0.0), (4.0, 0.5)]),
    (
        Op::sign,
        &[(0.0, 0.0), (-0.0, -0.0), (3.0, 1.0), (-INF, -1.0), (INF, 1.0)],
    ),
    (Op::sin, &[(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)]),
    (Op::sinh, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)]),
    (
        Op::sinpi,
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (1.0, 0.0),
            (2.0, 0.0),
            (-1.0, -0.0),
            (-2.0, -0.0),
            (0.5, 1.0),
            (-1.5, 1.0),
            (INF, NAN),
        ],
    ),
    (Op::sinpi, &[(1024.0, 0.0), (-2048.0, -0.0), (1e300, NAN), (-INF, NAN)]),
    (
        Op::sqrt,
        &[(0.0, 0.0), (-0.0, -0.0), (-1.0, NAN), (INF, INF), (9.0, 3.0)],
    ),
    (Op::tan, &[(0.0, 0.0), (-0.0, -0.0), (INF, NAN)]),
    (Op::tanh, &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0)]),
    (
        Op::tanpi,
        &[
            (0.0, 0.0),
            (-0.0, -0.0),
            (1.0, -0.0),
            (-1.0, 0.0),
            (2.0, 0.0),
            (-2.0, -0.0),
            (3.0, -0.0),
            (0.5, INF),
            (1.5, -INF),
            (2.5, INF),
            (-0.5, -INF),
            (-1.5, INF),
            (0.25, 1.0),
            (INF, NAN),
        ],
    ),
    (
        Op::tgamma,
        &[
            (0.0, INF),
            (-0.0, -INF),
            (-1.0, NAN),
            (-INF, NAN),
            (INF, INF),
            (1.0, 1.0),
            (5.0, 24.0),
        ],
    ),
    (Op::trunc, &[(-0.5, -0.0), (0.5, 0.0), (-2.5, -2.0), (INF, INF)]),
];

/// Functions of two numbers.
const TWO: Cases<(f64, f64, f64)> = &[
    (
        Op::atan2pi,
        &[
            (0.0, -0.0, 1.0),
            (-0.0, -0.0, -1.0),
            (0.0, 0.0, 0.0),
            (-0.0, 0.0, -0.0),
            (0.0, -3.0, 1.0),
            (-0.0, -3.0, -1.0),
            (0.0, 3.0, 0.0),
            (-0.0, 3.0, -0.0),
            (-2.0, 0.0, -0.5),
            (-2.0, -0.0, -0.5),
            (2.0, -0.0, 0.5),
            (2.0, -INF, 1.0),
            (-2.0, -INF, -1.0),
            (2.0, INF, 0.0),
            (-2.0, INF, -0.0),
            (INF, 2.0, 0.5),
            (-INF, 2.0, -0.5),
            (INF, -INF, 0.75),
            (-INF, -INF, -0.75),
            (INF, INF, 0.25),
            (-INF, INF, -0.25),
        ],
    ),
    (
        Op::atan2,
        &[(0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (0.0, 1.0, 0.0), (-0.0, INF, -0.0)],
    ),
    (Op::copysign, &[(1.0, -0.0, -1.0), (-INF, 2.0, INF), (0.0, -1.0, -0.0)]),
    (
        Op::fdim,
        &[
            (3.0, 1.0, 2.0),
            (1.0, 3.0, 0.0),
            (INF, INF, 0.0),
            (-INF, INF, 0.0),
            (INF, 1.0, INF),
            (NAN, 1.0, NAN),
            (1.0, NAN, NAN),
        ],
    ),
    (
        Op::fmax,
        &[(NAN, 1.0, 1.0), (1.0, NAN, 1.0), (NAN, NAN, NAN), (-INF, 1.0, 1.0)],
    ),
    (
        Op::fmin,
        &[(NAN, 1.0, 1.0), (1.0, NAN, 1.0), (NAN, NAN, NAN), (INF, 1.0, 1.0)],
    ),
    (Op::fmax_common, &[(1.0, 2.0, 2.0), (2.0, 1.0, 2.0), (-1.0, -2.0, -1.0)]),
    (Op::fmin_common, &[(1.0, 2.0, 1.0), (2.0, 1.0, 1.0), (-1.0, -2.0, -2.0)]),
    (
        Op::maxmag,
        &[
            (-3.0, 2.0, -3.0),
            (2.0, -3.0, -3.0),
            (-2.0, 2.0, 2.0),
            (NAN, 1.0, 1.0),
            (1.0, NAN, 1.0),
        ],
    ),
    (
        Op::minmag,
        &[
            (-3.0, 2.0, 2.0),
            (2.0, -3.0, 2.0),
            (-2.0, 2.0, -2.0),
            (NAN, 1.0, 1.0),
            (1.0, NAN, 1.0),
        ],
    ),
    (
        Op::fmod,
        &[
            (0.0, 3.0, 0.0),
            (-0.0, 3.0, -0.0),
            (INF, 3.0, NAN),
            (3.0, 0.0, NAN),
            (3.0, INF, 3.0),
            (-3.0, -INF, -3.0),
            (-6.0, 3.0, -0.0),
        ],
    ),
    (
        Op::remainder,
        &[
            (5.0, 2.0, 1.0),
            (7.0, 2.0, -1.0),
            (-6.0, 3.0, -0.0),
            (INF, 3.0, NAN),
            (3.0, 0.0, NAN),
            (3.0, INF, 3.0),
        ],
    ),
    (
        Op::hypot,
        &[(INF, NAN, INF), (NAN, -INF, INF), (3.0, -4.0, 5.0), (-0.0, -2.0, 2.0)],
    ),
    (
        Op::pow,
        &[
            (0.0, -3.0, INF),
            (-0.0, -3.0, -INF),
            (-0.0, -2.0, INF),
            (0.0, -INF, INF),
            (-0.0, 3.0, -0.0),
            (-1.0, INF, 1.0),
            (1.0, NAN, 1.0),
            (NAN, 0.0, 1.0),
            (-2.0, 0.5, NAN),
            (0.5, -INF, INF),
            (2.0, -INF, 0.0),
            (-INF, -3.0, -0.0),
            (-INF, 3.0, -INF),
            (INF, -1.0, 0.0),
        ],
    ),
    (
        Op::powr,
        &[
            (2.0, 0.0, 1.0),
            (2.0, -0.0, 1.0),
            (0.0, -1.0, INF),
            (-0.0, -1.0, INF),
            (-0.0, -3.0, INF),
            (0.0, -INF, INF),
            (0.0, 2.0, 0.0),
            (-0.0, 3.0, 0.0),
            (1.0, 5.0, 1.0),
            (-1.0, 2.0, NAN),
            (0.0, 0.0, NAN),
            (-0.0, -0.0, NAN),
            (INF, 0.0, NAN),
            (1.0, INF, NAN),
            (1.0, -INF, NAN),
            (2.0, NAN, NAN),
            (NAN, 0.0, NAN),
            (INF, 2.0, INF),
        ],
    ),
    (Op::step, &[(1.0, 0.5, 0.0), (1.0, 1.0, 1.0), (-INF, 3.0, 1.0)]),
    (
        Op::nextafter,
        &[
            (0.0, -0.0, -0.0),
            (-0.0, 0.0, 0.0),
            (1.0, 1.0, 1.0),
            (INF, INF, INF),
            (NAN, 1.0, NAN),
            (1.0, NAN, NAN),
        ],
    ),
];

/// Functions of a number and an integer.
const WITH_INTEGER: Cases<(f64, i32, f64)> = &[
    (
        Op::pown,
        &[
            (NAN, 0, 1.0),
            (-INF, 0, 1.0),
            (0.0, -3, INF),
            (-0.0, -3, -INF),
            (-0.0, -2, INF),
            (-0.0, 2, 0.0),
            (-0.0, 3, -0.0),
            (-1.0, i32::MAX, -1.0),
            (-1.0, i32::MIN, 1.0),
            (2.0, -2, 0.25),
            (-INF, 3, -INF),
        ],
    ),
    (
        Op::rootn,
        &[
            (0.0, -3, INF),
            (-0.0, -3, -INF),
            (-0.0, -2, INF),
            (-0.0, 2, 0.0),
            (-0.0, 3, -0.0),
            (-8.0, 2, NAN),
            (-8.0, 3, -2.0),
            (8.0, 0, NAN),
            (NAN, 3, NAN),
            (INF, 3, INF),
            (-INF, 3, -INF),
            (-INF, -3, -0.0),
            (INF, -2, 0.0),
            (16.0, 4, 2.0),
            (4.0, -1, 0.25),
        ],
    ),
    (
        Op::ldexp,
        &[
            (0.0, 5, 0.0),
            (-0.0, 5, -0.0),
            (INF, -5, INF),
            (1.0, i32::MAX, INF),
            (-1.0, i32::MIN, -0.0),
            (0.75, 2, 3.0),
        ],
    ),
];

#[test]
fn special_values() {
    for format in FORMATS {
        let function = |op| Function::new(op, format.bits, true);
        let check = |op: Op, args: &[f64], bits: u64, expected: f64| {
            let result = format.decode(bits);
            assert!(
                same(result, format.round(expected)),
                "f{} {op:?}{args:?} is {result:?}",
                format.bits
            );
        };
        for &(op, cases) in ONE {
            let f = function(op);
            for &(x, expected) in cases {
                // A half has no 1e300 but infinity; where it has, the case says what becomes of that.
                if format.bits == 64 && x.abs() == 1e300 {
                    continue;
                }
                check(op, &[x], f.call(&[format.encode(x)]).0, expected);
            }
            if op != Op::sign {
                check(op, &[NAN], f.call(&[format.encode(NAN)]).0, NAN);
            } else {
                check(op, &[NAN], f.call(&[format.encode(NAN)]).0, 0.0);
            }
        }
        for &(op, cases) in TWO {
            let f = function(op);
            for &(x, y, expected) in cases {
                check(op, &[x, y], f.call(&[format.encode(x), format.encode(y)]).0, expected);
            }
        }
        for &(op, cases) in WITH_INTEGER {
            let f = function(op);
            for &(x, n, expected) in cases {
                check(
                    op,
                    &[x, n.into()],
                    f.call(&[format.encode(x), n as u32 as u64]).0,
                    expected,
                );
            }
        }
    }
}

/// Numbers of a format: special ones, and some of every exponent.
fn samples(format: Format) -> Vec<f64> {
    let mut random = Random(7);
    let mut bits: Vec<u64> = vec![0, 1, 2, format.infinity() - 1, format.infinity(), format.encode(1.0)];
    bits.extend([
        1 << format.fraction,
        (1 << format.fraction) - 1,
        (2 << format.fraction) - 1,
    ]);
    bits.extend([0.5, 1.5, 2.0, 2.5, 3.0, 1e3, 0.999_999_999, 4_503_599_627_370_495.5].map(|x| format.encode(x)));
    bits.extend((0..500).map(|_| random.next() >> (64 - format.bits) & (format.sign() - 1)));
    let both = bits
        .into_iter()
        .flat_map(|b| [format.decode(b), format.decode(b | format.sign())]);
    both.map(|x| if x.is_nan() { NAN } else { x }).collect()
}

/// Functions that take numbers apart: every double is exact, so the references for double serve all.
#[test]
fn parts_of_numbers() {
    for format in FORMATS {
        let function = |op| Function::new(op, format.bits, true);
        let (fract, modf, frexp, ilogb, logb) = (
            function(Op::fract),
            function(Op::modf),
            function(Op::frexp),
            function(Op::ilogb),
            function(Op::logb),
        );
        let mask = u64::MAX >> (64 - format.bits);
        for x in samples(format) {
            let bits = format.encode(x);
            let check = |what: &str, got: f64, expected: f64| {
                assert!(
                    same(got, expected),
                    "f{} {what}({x:e}) is {got:e}, not {expected:e}",
                    format.bits
                );
            };
            let (fraction, whole) = fract.call(&[bits]);
            let below_one = format.decode(format.encode(1.0) - 1);
            let expected = match x {
                _ if x == 0.0 || x.is_infinite() => 0f64.copysign(x),
                _ => format.round(x - x.floor()).min(below_one),
            };
            let expected = if x.is_nan() { NAN } else { expected };
            check("fract", format.decode(fraction), expected);
            check("floor of fract", format.decode(whole & mask), x.floor());

            let (fraction, whole) = modf.call(&[bits]);
            let expected = if x.is_infinite() { 0f64 } else { x - x.trunc() };
            check(
                "modf",
                format.decode(fraction),
                if x.is_nan() { NAN } else { expected.copysign(x) },
            );
            check("whole of modf", format.decode(whole & mask), x.trunc());

            let (fraction, exponent) = frexp.call(&[bits]);
            let mut expected_exponent = 0;
            // SAFETY: a place for the exponent.
            let expected = unsafe { crate::builtins::runtime::libm::frexp(x, &mut expected_exponent) };
            check("frexp", format.decode(fraction), expected);
            assert_eq!(exponent as u32 as i32, expected_exponent, "exponent of {x:e}");

            let expected = match x {
                _ if x == 0.0 => i32::MIN,
                _ if !x.is_finite() => i32::MAX,
                _ => expected_exponent - 1,
            };
            assert_eq!(ilogb.call(&[bits]).0 as u32 as i32, expected, "ilogb of {x:e}");
            let expected = match x {
                _ if x == 0.0 => -INF,
                _ if x.is_nan() => NAN,
                _ if x.is_infinite() => INF,
                _ => (expected_exponent - 1).into(),
            };
            check("logb", format.decode(logb.call(&[bits]).0), expected);
        }
    }
}

#[test]
fn neighbours() {
    for format in FORMATS {
        let f = Function::new(Op::nextafter, format.bits, true);
        let samples = samples(format);
        for (index, &x) in samples.iter().enumerate() {
            let y = samples[(index * 7 + 3) % samples.len()];
            if x.is_nan() || y.is_nan() || x == y {
                continue;
            }
            let next = format.decode(f.call(&[format.encode(x), format.encode(y)]).0);
            // There is nothing between: the number in the middle rounds to one of the two. And it is on the way.
            assert!(
                if x < y {
                    next > x && next <= y
                } else {
                    next < x && next >= y
                },
                "{x:e} to {y:e}: {next:e}"
            );
            let ordinal = |x: f64| {
                let bits = format.encode(x);
                let magnitude = (bits & (format.sign() - 1)) as i64;
                if bits & format.sign() != 0 {
                    -magnitude
                } else {
                    magnitude
                }
            };
            assert_eq!(
                (ordinal(next) - ordinal(x)).abs(),
                1,
                "f{} {x:e} to {y:e}: {next:e}",
                format.bits
            );
        }
    }
}

#[test]
fn second_results() {
    for format in FORMATS {
        let function = |op| Function::new(op, format.bits, true);
        let mask = u64::MAX >> (64 - format.bits);
        let (sincos, cos) = (function(Op::sincos), function(Op::cos));
        let (remquo, lgamma_r) = (function(Op::remquo), function(Op::lgamma_r));
        for x in samples(format) {
            let bits = format.encode(x);
            let (second, expected) = (sincos.call(&[bits]).1 & mask, cos.call(&[bits]).0);
            assert!(same(format.decode(second), format.decode(expected)), "sincos({x:e})");
        }
        for (x, sign) in [
            (1.0, 1),
            (0.5, 1),
            (-0.5, -1),
            (-1.5, 1),
            (-2.5, -1),
            (0.0, 0),
            (-0.0, 0),
            (-3.0, 0),
        ] {
            assert_eq!(
                lgamma_r.call(&[format.encode(x)]).1 as u32 as i32,
                sign,
                "sign of gamma({x})"
            );
        }
        let samples = samples(format);
        for (index, &x) in samples.iter().enumerate() {
            for step in [1, 2, 5, 17] {
                let y = samples[(index + step) % samples.len()];
                let (rest, quotient) = remquo.call(&[format.encode(x), format.encode(y)]);
                let (exact, exact_quotient) = Real::remainder(&Real::new(x), &Real::new(y));
                let rest = format.decode(rest);
                assert!(
                    same(rest, exact.to_f64()),
                    "f{} remquo({x:e}, {y:e}) is {rest:e}",
                    format.bits
                );
                let mut expected = (exact_quotient.unsigned_abs() & 0x7F) as i32;
                if (x < 0.0) != (y < 0.0) {
                    expected = -expected;
                }
                if rest.is_nan() {
                    expected = 0;
                }
                assert_eq!(
                    quotient as u32 as i32, expected,
                    "f{} quotient of {x:e} and {y:e}",
                    format.bits
                );
            }
        }
    }
}

#[test]
fn nans_have_their_codes() {
    for format in FORMATS {
        let f = Function::new(Op::nan, format.bits, true);
        for code in [0, 1, 42, u64::MAX >> (64 - format.bits)] {
            let bits = f.call(&[code]).0;
            let quiet = format.infinity() | 1 << (format.fraction - 1);
            assert_eq!(bits, quiet | code & ((1 << format.fraction) - 1));
        }
    }
}

/// Functions of three numbers: the allowed error is absolute.
#[test]
fn blends() {
    for format in FORMATS {
        let function = |op| Function::new(op, format.bits, true);
        let (clamp, mix, smooth) = (function(Op::fclamp), function(Op::mix), function(Op::smoothstep));
        let mut random = Random(3);
        for _ in 0..2000 {
            let [a, b, c] = [(); 3].map(|()| format.round(random.unit() * 2.0 - 1.0));
            let call = |f: &Function, args: [f64; 3]| format.decode(f.call(&args.map(|x| format.encode(x))).0);
            let (low, high) = (a.min(b), a.max(b));
            assert_eq!(call(&clamp, [c, low, high]), c.clamp(low, high));
            let t = format.round(random.unit());
            assert!((call(&mix, [a, b, t]) - (a + (b - a) * t)).abs() <= 1e-3);
            if low < high {
                let t = ((c - low) / (high - low)).clamp(0.0, 1.0);
                let bound = if format.bits == 16 { 1e-3 } else { 1e-5 };
                assert!((call(&smooth, [low, high, c]) - t * t * (3.0 - 2.0 * t)).abs() <= bound);
            }
        }
        assert_eq!(
            format.decode(clamp.call(&[NAN, 1.0, 2.0].map(|x| format.encode(x))).0),
            1.0
        );
    }
}

/// Compiles for vectors and gives a function of numbers.
fn vectors(op: Op, format: Format, lanes: u32) -> impl Fn(&[&[f64]]) -> Vec<f64> {
    let shape = move |context: &Context| {
        let scalar = context.float(format.bits);
        let ty = if lanes == 1 { scalar } else { scalar.vector(lanes) };
        // The types live as long as the context that is passed in; the closure's return type cannot say so.
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
        // SAFETY: room for sixteen doubles in each.
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

/// Lengths, distances and directions, of large and tiny vectors too: ulps of OpenCL C 3.0, section 7.4.
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
                // An element that is small beside another has all of its digits, too.
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

/// Every element of a vector's result is what the function gives for the elements.
#[test]
fn vectors_give_what_elements_give() {
    let horizontal = [Op::cross, Op::normalize, Op::fast_normalize, Op::select];
    for (bits, float) in [
        (16, true),
        (32, true),
        (64, true),
        (8, false),
        (16, false),
        (32, false),
        (64, false),
    ] {
        for op in regular().filter(|op| !horizontal.contains(op) && check::rules(*op).0 != Outcome::Scalar) {
            let context = Context::new();
            let scalar = |context: &Context| if float { context.float(bits).bits() } else { bits };
            let element = if float { context.float(bits) } else { context.int(bits) };
            let Some(types) = signature(&context, op, element) else {
                continue;
            };
            let single = Function::new(op, scalar(&context), float);
            let (result, operands) = types.split_last().unwrap();
            for lanes in [3u32, 16] {
                let compiled = Compiled::new(
                    op,
                    |context| {
                        let element = if float { context.float(bits) } else { context.int(bits) };
                        signature(context, op, element.vector(lanes)).unwrap()
                    },
                    &[],
                );
                let mut random = Random(op as u64);
                let mut buffers = vec![[0u8; 16 * 8]; types.len()];
                for (buffer, ty) in buffers.iter_mut().zip(operands) {
                    for lane in buffer.chunks_mut(ty.bits() as usize / 8) {
                        // Numbers of a size that many functions have use for.
                        let number = match ty.is_float() {
                            true => {
                                let format = FORMATS.into_iter().find(|f| f.bits == bits).unwrap();
                                format.encode((random.unit() - 0.3) * 4.0)
                            }
                            false => random.next(),
                        };
                        lane.copy_from_slice(&number.to_le_bytes()[..lane.len()]);
                    }
                }
                let before = buffers.clone();
                let pointers: Vec<_> = buffers.iter_mut().map(|b| b.as_mut_ptr()).collect();
                // SAFETY: room for sixteen elements of eight bytes in each.
                unsafe { compiled.call(&pointers) };
                let lane_of = |buffer: &[u8], bits: u32, lane: usize| {
                    let bytes = bits as usize / 8;
                    let mut word = [0; 8];
                    word[..bytes].copy_from_slice(&buffer[lane * bytes..][..bytes]);
                    u64::from_le_bytes(word)
                };
                for lane in 0..lanes as usize {
                    let numbers = operands.iter().zip(&before).filter(|(ty, _)| !ty.is_ptr());
                    let args: Vec<_> = numbers.map(|(ty, buffer)| lane_of(buffer, ty.bits(), lane)).collect();
                    let (expected, _) = single.call(&args);
                    let got = lane_of(&buffers[operands.len()], result.bits(), lane);
                    let nan = result.is_float() && {
                        let format = FORMATS.into_iter().find(|f| f.bits == bits).unwrap();
                        format.decode(got).is_nan() && format.decode(expected).is_nan()
                    };
                    assert!(
                        got == expected || nan,
                        "{op:?} {element:?} x {lanes}, {args:x?}: {got:x}, not {expected:x}"
                    );
                }
            }
        }
    }
}
