// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Measures the error of every function in ulps, for special values, their neighbors and random arguments. It must not
//! exceed OpenCL's bound (OpenCL C 3.0, section 7.4, full profile; `cl_khr_fp16`), nor the error in the table of the called
//! function. Every test prints its worst argument. `OXUR_DENSE` is the number of arguments to try (2000 by default).

use oxur_mpfr::Real;
use spirv::OpenclStd100Op as Op;

use super::jit::Compiled;
use super::reference::{FORMATS, Format};
use super::{Random, signature, wrapper};
use crate::builtins::{Emit, check, elementary, libcalls};
use crate::llvm::{Builder, Context, Module};
use crate::target::host;

/// A reference implementation. It takes the floating-point operands, and the integer operand.
type Reference = fn(&[Real], i32) -> Real;
/// Generates random arguments in the domain of a function.
type Domain = fn(&mut Random) -> [f64; 3];

/// The functions of float that are called, and have the code of [`elementary`] on some targets.
const ELEMENTARY: [Op; 6] = [Op::exp, Op::exp2, Op::exp10, Op::log, Op::log2, Op::log10];

/// The bound for correctly rounded results.
const CORRECT: [f64; 3] = [0.5; 3];
const EXACT: [f64; 3] = [0.0; 3];

/// How many arguments to try.
pub fn dense() -> usize {
    std::env::var("OXUR_DENSE")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(2000)
}

/// Arguments where functions tend to be wrong.
fn specials(format: Format) -> Vec<f64> {
    let infinity = format.infinity();
    // Around 0, the smallest normal number, and infinity; a quiet NaN (OpenCL promises nothing about signalling ones).
    let mut bits = vec![0, 1, 2, 3, infinity - 1, infinity, infinity | infinity >> 1];
    let normal = 1u64 << format.fraction;
    bits.extend([normal - 1, normal, normal + 1, normal >> 1, 2 * normal, infinity / 2]);
    let mut numbers = vec![
        0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 7.5, 8.0, 10.0, 16.0, 100.0,
    ];
    numbers.extend([1e-3, 1e-5, 1e-8, 1e-20, 1e3, 1e4, 1e10, 1e15, 1e20, 1e37, 1e300]);
    let pi = std::f64::consts::PI;
    numbers.extend([
        pi / 4.0,
        pi / 2.0,
        pi,
        2.0 * pi,
        100.0 * pi,
        std::f64::consts::E,
        std::f64::consts::LN_2,
    ]);
    // The doubles, and the float, that are relatively closest to multiples of pi/2.
    numbers.extend([5.319_372_648_326_541e255, 6_381_956_970_095_103.0 * 2f64.powi(797)]);
    numbers.push(16_367_173.0 * 2f64.powi(72));
    // Where exponential functions overflow or underflow, and where all numbers become integers.
    numbers.extend([
        11.0, 11.09, 17.3, 36.0, 88.7, 89.4, 103.97, 104.0, 149.0, 150.0, 709.78, 745.1, 746.0, 1023.5,
    ]);
    numbers.extend([
        1024.0,
        2048.0,
        8_388_607.5,
        8_388_608.0,
        16_777_216.0,
        4_503_599_627_370_495.5,
        2f64.powi(53),
    ]);
    for number in numbers {
        let near = format.encode(number);
        bits.extend([near.saturating_sub(1), near, near + 1]);
    }
    bits.iter()
        .flat_map(|&bits| [format.decode(bits), format.decode(bits | format.sign())])
        .collect()
}

/// A random number with a uniformly distributed exponent.
fn any(format: Format, random: &mut Random) -> f64 {
    let number = format.decode(random.next() >> (64 - format.bits));
    if number.is_nan() { f64::NAN } else { number }
}

/// The largest error, and its argument.
struct Worst {
    ulps: f64,
    what: String,
}

/// Arguments of a function of one or two numbers, and the exact result.
pub fn arguments_and_results(op: Op, format: Format) -> Vec<([f64; 2], Real)> {
    let case = CASES
        .iter()
        .find(|case| case.op == op)
        .expect("a case of the table below");
    let arity = check::rules(op).1.len();
    let mut all = Vec::new();
    arguments(format, arity, false, case.domain, |[x, y, _], _| {
        let [x, y] = [x, y].map(|x| format.round(x));
        all.push(([x, y], (case.reference)(&[Real::new(x), Real::new(y)], 0)));
    });
    all
}

/// Gives the functions that [`elementary`] has code for that code.
fn define_elementary(context: &Context, module: &Module<'_>) {
    for op in ELEMENTARY {
        let callee = libcalls::callee(op, 32).unwrap();
        if let Some(function) = module.function(callee.name).filter(|f| f.is_declaration()) {
            let builder = Builder::at_end(context, function.internal().append_block("entry"));
            let e = Emit {
                context,
                module,
                builder: &builder,
                fast_math: 0,
                fuses_halfs: false,
            };
            let (ty, x) = (context.float(32), function.param(0));
            let result = match op {
                Op::log | Op::log2 | Op::log10 => elementary::log(&e, op, ty, x),
                _ => elementary::exp(&e, op, ty, x),
            };
            builder.ret(Some(result));
        }
    }
}

/// Tests a function for one format.
fn worst(op: Op, format: Format, reference: Reference, domain: Domain, cpu: Option<&str>) -> Worst {
    let compiled = Compiled::build(op, |context, module| {
        let types = signature(context, op, context.float(format.bits)).unwrap();
        wrapper(context, module, "test", op, &types, &[]).unwrap();
        define_elementary(context, module);
        if let Some(cpu) = cpu {
            let function = module.function("test").unwrap();
            function
                .text_attribute("target-cpu", cpu)
                .text_attribute("target-features", "");
        }
    });
    let context = Context::new();
    let operands = signature(&context, op, context.float(format.bits)).unwrap();
    let integer = operands[..operands.len() - 1].iter().position(|ty| ty.is_int());
    // Pointer operands receive the second result, which other tests check.
    let arity = operands[..operands.len() - 1].iter().filter(|ty| ty.is_float()).count();
    let mut worst = Worst {
        ulps: 0.0,
        what: String::new(),
    };
    let attempt = |numbers: [f64; 3], n: i32| {
        let numbers = numbers.map(|x| format.round(x));
        let mut buffers = [[0u8; 8]; 5];
        let mut at = 0;
        for index in 0..operands.len() {
            if Some(index) == integer {
                buffers[index][..4].copy_from_slice(&n.to_le_bytes());
            } else if index < operands.len() - 1 && operands[index].is_float() {
                buffers[index] = format.encode(numbers[at]).to_le_bytes();
                at += 1;
            }
        }
        let mut pointers = [std::ptr::null_mut(); 5];
        for (pointer, buffer) in pointers.iter_mut().zip(&mut buffers) {
            *pointer = buffer.as_mut_ptr();
        }
        // SAFETY: each operand and result has eight bytes.
        unsafe { compiled.call(&pointers[..operands.len()]) };
        let bits = u64::from_le_bytes(buffers[operands.len() - 1]);
        let result = format.decode(bits & (u64::MAX >> (64 - format.bits)));
        let reals: Vec<_> = numbers[..arity].iter().map(|&x| Real::new(x)).collect();
        let exact = reference(&reals, n);
        let ulps = format.ulps(result, &exact);
        if ulps > worst.ulps {
            let n = if integer.is_some() {
                format!(", {n}")
            } else {
                String::new()
            };
            let what = format!("{:?}{n} gives {result:e} for {:e}", &numbers[..arity], exact.to_f64());
            worst = Worst { ulps, what };
        }
    };
    arguments(format, arity, integer.is_some(), domain, attempt);
    worst
}

/// Tests special arguments, [`dense`] random ones of the domain, and as many of any magnitude.
fn arguments(format: Format, arity: usize, integer: bool, domain: Domain, mut attempt: impl FnMut([f64; 3], i32)) {
    let mut random = Random(u64::from(format.bits));
    let specials = specials(format);
    let integers = [
        0,
        1,
        -1,
        2,
        -2,
        3,
        -3,
        4,
        5,
        -7,
        10,
        100,
        -101,
        1000,
        16_777_217,
        i32::MAX,
        i32::MIN,
    ];
    match (arity, integer) {
        (1, false) => specials.iter().for_each(|&x| attempt([x, 0.0, 0.0], 0)),
        (1, true) => specials
            .iter()
            .for_each(|&x| integers.iter().for_each(|&n| attempt([x, 0.0, 0.0], n))),
        _ => {
            let few = specials.iter().step_by(if arity == 2 { 3 } else { 17 });
            for &x in few.clone() {
                for &y in few.clone() {
                    let z = few.clone().map(|&z| if arity == 2 { 0.0 } else { z });
                    z.take(if arity == 2 { 1 } else { usize::MAX })
                        .for_each(|z| attempt([x, y, z], 0));
                }
            }
        }
    }
    if format.bits == 16 && arity == 1 && !integer && dense() >= 65536 {
        (0..=0xFFFF).for_each(|bits| attempt([format.decode(bits), 0.0, 0.0], 0));
    }
    for round in 0..dense() {
        let n = match random.next() % 4 {
            0 => random.next() as i32,
            1 => random.next() as i32 >> 24,
            _ => random.next() as i32 >> 28,
        };
        let numbers = match round % 4 {
            0 => [(); 3].map(|()| any(format, &mut random)),
            _ => domain(&mut random),
        };
        attempt(numbers, n);
    }
}

fn keeps_to(op: Op, bounds: [f64; 3], reference: Reference, domain: Domain) {
    for (format, bound) in FORMATS.into_iter().zip(bounds) {
        if bound.is_nan() {
            continue;
        }
        // For this CPU, and for the oldest, which has no FMA and no conversions of half.
        for cpu in [None, Some(host::CPUS[0])] {
            let worst = worst(op, format, reference, domain, cpu);
            let here = format!(
                "{op:?} f{} {}: {:.3} ulp of {bound} at {}",
                format.bits,
                cpu.unwrap_or_default(),
                worst.ulps,
                worst.what
            );
            println!("{here}");
            assert!(worst.ulps <= bound, "{here}");
            if (ELEMENTARY.contains(&op) || op == Op::cbrt) && format.bits == 32 {
                let most = if cpu.is_none() { 1.0 } else { 2.0 };
                assert!(worst.ulps <= most, "{here}: elementary functions are better than that");
            } else if let Some(callee) = libcalls::callee(op, format.bits) {
                assert!(
                    worst.ulps <= callee.ulp.into(),
                    "the table says {} for {}",
                    callee.ulp,
                    callee.name
                );
            }
        }
    }
}

/// A random number between `-limit` and `limit`.
macro_rules! within {
    ($limit:expr) => {
        |random| [(); 3].map(|()| (random.unit() * 2.0 - 1.0) * $limit)
    };
}

/// A row of the table.
struct Case {
    op: Op,
    domain: Domain,
    reference: Reference,
}

macro_rules! accuracy {
    ($($op:ident $bounds:expr, $domain:expr, $reference:expr;)*) => {
        const CASES: &[Case] = &[$(Case { op: Op::$op, domain: $domain, reference: $reference }),*];

        $(
        #[test]
        #[allow(non_snake_case)]
        fn $op() {
            keeps_to(Op::$op, $bounds, $reference, $domain);
        }
    )* };
}

macro_rules! unary {
    ($name:literal) => {
        |x, _| Real::of($name, &x[0])
    };
}

macro_rules! binary {
    ($name:literal) => {
        |x, _| Real::of_two($name, &x[0], &x[1])
    };
}

/// Two numbers with similar exponents, so that both affect the result.
fn near(random: &mut Random) -> [f64; 3] {
    let scale = 2f64.powi((random.next() % 30) as i32 - 15);
    let spread = 2f64.powi((random.next() % 16) as i32 - 8);
    let mut number = || (random.unit() * 2.0 - 1.0) * scale;
    [number(), number() * spread, number()]
}

/// A base and an exponent whose power is in the range of a format.
fn base_and_exponent(random: &mut Random) -> [f64; 3] {
    let logarithm = (random.unit() * 2.0 - 1.0) * 2f64.powi((random.next() % 12) as i32 - 6);
    let limit = [16.0, 130.0, 1040.0][random.next() as usize % 3];
    [logarithm.exp2(), (random.unit() * 2.0 - 1.0) * limit / logarithm, 0.0]
}

/// A number of any magnitude.
fn wide(random: &mut Random) -> [f64; 3] {
    let exponent = (random.unit() * 2.0 - 1.0) * [14.0, 126.0, 1022.0][random.next() as usize % 3];
    [(); 3].map(|()| exponent.exp2() * (1.0 + random.unit()) * if random.next() & 1 == 0 { 1.0 } else { -1.0 })
}

/// The OpenCL bounds that most functions share, for half, float and double.
const fn bounds(half: f64, others: f64) -> [f64; 3] {
    [half, others, others]
}

/// The bounds of functions that exist only for float.
const fn of_float(bound: f64) -> [f64; 3] {
    [f64::NAN, bound, f64::NAN]
}

fn asin_pi(x: &[Real], _: i32) -> Real {
    Real::of("mpfr_asinpi", &x[0])
}

accuracy! {
    acos bounds(2.0, 4.0), within!(1.0), unary!("mpfr_acos");
    acosh bounds(2.0, 4.0), |r| [1.0 + r.unit() * 4.0, 0.0, 0.0], unary!("mpfr_acosh");
    acospi bounds(2.0, 5.0), within!(1.0), unary!("mpfr_acospi");
    asin bounds(2.0, 4.0), within!(1.0), unary!("mpfr_asin");
    asinh bounds(2.0, 4.0), within!(4.0), unary!("mpfr_asinh");
    asinpi bounds(2.0, 5.0), within!(1.0), asin_pi;
    atan bounds(2.0, 5.0), within!(8.0), unary!("mpfr_atan");
    atan2 bounds(2.0, 6.0), near, binary!("mpfr_atan2");
    atanh bounds(2.0, 5.0), within!(1.0), unary!("mpfr_atanh");
    atanpi bounds(2.0, 5.0), within!(8.0), unary!("mpfr_atanpi");
    atan2pi bounds(2.0, 6.0), near, binary!("mpfr_atan2pi");
    cbrt bounds(2.0, 2.0), wide, unary!("mpfr_cbrt");
    ceil EXACT, within!(3000.0), |x, _| rounded("mpfr_ceil", x);
    cos bounds(2.0, 4.0), within!(1000.0), unary!("mpfr_cos");
    cosh bounds(2.0, 4.0), within!(90.0), unary!("mpfr_cosh");
    cospi bounds(2.0, 4.0), within!(100.0), unary!("mpfr_cospi");
    degrees bounds(2.0, 2.0), within!(10.0), |x, _| half_turn("mpfr_mul", "mpfr_div", &x[0]);
    erf bounds(4.0, 16.0), within!(6.0), unary!("mpfr_erf");
    erfc bounds(4.0, 16.0), within!(27.0), unary!("mpfr_erfc");
    exp bounds(2.0, 3.0), within!(110.0), unary!("mpfr_exp");
    exp2 bounds(2.0, 3.0), within!(150.0), unary!("mpfr_exp2");
    exp10 bounds(2.0, 3.0), within!(45.0), unary!("mpfr_exp10");
    expm1 bounds(2.0, 3.0), within!(2.0), unary!("mpfr_expm1");
    fabs EXACT, wide, unary!("mpfr_abs");
    fdim CORRECT, near, binary!("mpfr_dim");
    floor EXACT, within!(3000.0), |x, _| rounded("mpfr_floor", x);
    fma CORRECT, near, fused;
    fmax EXACT, near, binary!("mpfr_max");
    fmin EXACT, near, binary!("mpfr_min");
    fmod EXACT, wide, binary!("mpfr_fmod");
    hypot bounds(2.0, 4.0), near, binary!("mpfr_hypot");
    ldexp CORRECT, wide, |x, n| Real::with_integer("mpfr_mul_2si", &x[0], (n.clamp(-10_000, 10_000)).into());
    lgamma bounds(f64::INFINITY, f64::INFINITY), within!(20.0), |x, _| Real::log_gamma(&x[0]).0;
    log bounds(2.0, 3.0), |r| wide(r).map(f64::abs), unary!("mpfr_log");
    log2 bounds(2.0, 3.0), |r| [r.unit() * 3.0, 0.0, 0.0], unary!("mpfr_log2");
    log10 bounds(2.0, 3.0), |r| [r.unit() * 12.0, 0.0, 0.0], unary!("mpfr_log10");
    log1p bounds(2.0, 2.0), |r| [r.unit() * 3.0 - 1.0, 0.0, 0.0], unary!("mpfr_log1p");
    pow bounds(4.0, 16.0), base_and_exponent, binary!("mpfr_pow");
    pown bounds(4.0, 16.0), |r| [1.0 + (r.unit() - 0.5) * r.unit(), 0.0, 0.0], |x, n| Real::with_integer("mpfr_pow_si", &x[0], n.into());
    powr bounds(4.0, 16.0), base_and_exponent, powr_of;
    radians bounds(2.0, 2.0), within!(400.0), |x, _| half_turn("mpfr_div", "mpfr_mul", &x[0]);
    remainder EXACT, wide, binary!("mpfr_remainder");
    rint EXACT, within!(3000.0), |x, _| rounded("mpfr_roundeven", x);
    rootn bounds(4.0, 16.0), wide, |x, n| Real::with_integer("mpfr_rootn_si", &x[0], n.into());
    round EXACT, within!(3000.0), |x, _| rounded("mpfr_round", x);
    rsqrt bounds(1.0, 2.0), |r| wide(r).map(f64::abs), reciprocal_root;
    sin bounds(2.0, 4.0), within!(1000.0), unary!("mpfr_sin");
    sincos bounds(2.0, 4.0), within!(1000.0), unary!("mpfr_sin");
    sinh bounds(2.0, 4.0), within!(90.0), unary!("mpfr_sinh");
    sinpi bounds(2.0, 4.0), within!(100.0), unary!("mpfr_sinpi");
    sqrt CORRECT, |r| wide(r).map(f64::abs), unary!("mpfr_sqrt");
    tan bounds(2.0, 5.0), within!(100.0), unary!("mpfr_tan");
    tanh bounds(2.0, 5.0), within!(10.0), unary!("mpfr_tanh");
    tanpi bounds(2.0, 6.0), within!(100.0), unary!("mpfr_tanpi");
    tgamma bounds(4.0, 16.0), within!(180.0), gamma;
    trunc EXACT, within!(3000.0), |x, _| rounded("mpfr_trunc", x);
    half_cos of_float(8192.0), within!(65536.0), unary!("mpfr_cos");
    half_divide of_float(8192.0), near, binary!("mpfr_div");
    half_exp of_float(8192.0), within!(90.0), unary!("mpfr_exp");
    half_exp2 of_float(8192.0), within!(130.0), unary!("mpfr_exp2");
    half_exp10 of_float(8192.0), within!(40.0), unary!("mpfr_exp10");
    half_log of_float(8192.0), within!(90.0), unary!("mpfr_log");
    half_log2 of_float(8192.0), within!(90.0), unary!("mpfr_log2");
    half_log10 of_float(8192.0), within!(90.0), unary!("mpfr_log10");
    half_powr of_float(8192.0), base_and_exponent, powr_of;
    half_recip of_float(8192.0), wide, |x, _| Real::of_two("mpfr_div", &Real::new(1.0), &x[0]);
    half_rsqrt of_float(8192.0), |r| wide(r).map(f64::abs), reciprocal_root;
    half_sin of_float(8192.0), within!(65536.0), unary!("mpfr_sin");
    half_sqrt of_float(8192.0), wide, unary!("mpfr_sqrt");
    half_tan of_float(8192.0), within!(65536.0), unary!("mpfr_tan");
}

/// Rounds to an integer with `mpfr_ceil` or similar functions, which take no rounding mode.
fn rounded(name: &'static str, x: &[Real]) -> Real {
    // `Real::of` passes a rounding mode as a third argument. The ABI allows a surplus argument.
    Real::of(name, &x[0])
}

fn fused(x: &[Real], _: i32) -> Real {
    // The 144 bits of `Real` hold the product exactly. If the summands are so far apart that the sum is rounded, that error
    // is negligible.
    Real::of_two("mpfr_add", &Real::of_two("mpfr_mul", &x[0], &x[1]), &x[2])
}

fn half_turn(by_180: &'static str, by_pi: &'static str, x: &Real) -> Real {
    let pi = Real::pi();
    Real::of_two(by_pi, &Real::of_two(by_180, x, &Real::new(180.0)), &pi)
}

/// `powr`: unlike `mpfr_powr`, OpenCL returns NaN for every NaN operand, and ignores the sign of a zero base.
fn powr_of(x: &[Real], _: i32) -> Real {
    if x[0].is_nan() || x[1].is_nan() {
        return Real::new(f64::NAN);
    }
    let size = Real::of("mpfr_abs", &x[0]);
    let negative = x[0].partial_cmp(&Real::new(0.0)) == Some(std::cmp::Ordering::Less);
    Real::of_two("mpfr_powr", if negative { &x[0] } else { &size }, &x[1])
}

fn reciprocal_root(x: &[Real], _: i32) -> Real {
    Real::of_two("mpfr_div", &Real::new(1.0), &Real::of("mpfr_sqrt", &x[0]))
}

/// Limits the argument, because MPFR would compute for hours beyond the range of all formats.
fn gamma(x: &[Real], _: i32) -> Real {
    match x[0].to_f64() {
        x if x > 1e4 => Real::new(f64::INFINITY),
        y if y < -1e4 => {
            // Integers are poles. Other results underflow to a signed zero.
            let whole = y == y.trunc();
            Real::new(if whole { f64::NAN } else { 0.0 })
        }
        _ => Real::of("mpfr_gamma", &x[0]),
    }
}
