// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of special values: OpenCL C 3.0, section 7.5, and C99, annex F, on which it is based.

use spirv::OpenclStd100Op as Op;

use super::Function;
use super::reference::{FORMATS, same};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Arguments and results of each function.
type Cases<T> = &'static [(Op, &'static [T])];

/// Functions of one number: the argument and the result.
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
                // 1e300 stands for infinity in the narrower formats. As a double it is an ordinary number.
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
