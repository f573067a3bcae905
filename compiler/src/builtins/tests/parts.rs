// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of functions that split numbers or have a second result, of `nextafter`, and of common functions.

use oxur_mpfr::Real;
use spirv::OpenclStd100Op as Op;

use super::reference::{FORMATS, Format, same};
use super::{Function, Random};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Numbers of a format: special values, and some numbers of each exponent.
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

/// Functions that split numbers. Every number is exact as a double, so the reference in double serves all formats.
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
            // SAFETY: `exponent` is writable.
            let expected = unsafe { crate::builtins::libcalls::libm::frexp(x, &mut expected_exponent) };
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
            // No number is in between: the mean rounds to one of the two. And the direction is right.
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

/// Functions of three numbers, with an absolute error bound.
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
