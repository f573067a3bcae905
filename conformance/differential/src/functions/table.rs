// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of floating-point numbers: what OpenCL allows them to be off by, and what they really give.
//!
//! Bounds are those of OpenCL C 3.0, section 7.4, full profile, for half, float and double; edge cases those of 7.5.

use oxur_mpfr::Real;

use super::exact;
use super::format::{DOUBLE, Exact, FLOAT, Format, HALF};
use crate::rng::Rng;

/// What a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// A number of its format.
    Float,
    /// An `int`.
    Int,
    /// An unsigned integer as wide as the number.
    Bits,
}

impl Param {
    /// How wide it is.
    pub fn bits(self, format: Format) -> u32 {
        if self == Self::Int { 32 } else { format.bits }
    }
}

/// How far a result may be from the exact one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// So many ulps; zeros are equal.
    Ulps(f64),
    /// Not at all, not even by the sign of a zero.
    Bits,
    /// An absolute difference.
    Absolute(f64),
    /// As far as the implementation likes.
    Open,
    /// There is no such function.
    Missing,
}

/// A second result, by a pointer.
#[derive(Clone, Copy)]
pub enum Second {
    /// There is none.
    None,
    /// A number, as exact as the first.
    Float(fn(&Call) -> Exact),
    /// An `int`, or nothing if OpenCL leaves it open.
    Int(fn(&Call) -> Option<i32>),
    /// The same, of which only the low seven bits and the sign count.
    Quotient(fn(&Call) -> Option<i32>),
}

/// A call: what references are given.
pub struct Call {
    /// The numbers, in order.
    pub x: [f64; 3],
    /// The integer, if there is one.
    pub n: i64,
    /// The format of numbers.
    pub format: Format,
}

/// Random numbers of the kind that a function is for. An integer's place is 0 if any small one will do.
pub type Domain = fn(&mut Rng) -> [f64; 3];

/// A function.
pub struct Function {
    /// Its name in OpenCL C.
    pub name: &'static str,
    /// What it takes.
    pub params: &'static [Param],
    /// The error that half, float and double may have.
    pub bounds: [Bound; 3],
    /// What it is for.
    pub domain: Domain,
    /// What it gives.
    pub exact: fn(&Call) -> Exact,
    /// What it gives, too.
    pub second: Second,
}

impl Function {
    /// Whether the result is an `int`.
    pub fn is_integer(&self) -> bool {
        self.name == "ilogb"
    }

    /// How far it may be off.
    pub fn bound(&self, format: Format) -> Bound {
        let index = [HALF, FLOAT, DOUBLE].iter().position(|&f| f == format);
        self.bounds[index.unwrap_or(0)]
    }
}

fn unit(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// Both signs, up to a limit.
macro_rules! within {
    ($limit:expr) => {
        |rng| [(); 3].map(|()| (unit(rng) * 2.0 - 1.0) * $limit)
    };
}

/// Sizes that are common.
fn common(rng: &mut Rng) -> [f64; 3] {
    let scale = 2f64.powi(rng.below(24) as i32 - 12);
    [(); 3].map(|()| (unit(rng) * 4.0 - 2.0) * scale)
}

fn positive(rng: &mut Rng) -> [f64; 3] {
    common(rng).map(f64::abs)
}

/// Near 1, where logarithms vanish.
fn around_one(rng: &mut Rng) -> [f64; 3] {
    let distance = 2f64.powi(-(rng.below(20) as i32));
    [1.0 + (unit(rng) * 2.0 - 1.0) * distance, 0.0, 0.0]
}

/// A base and an exponent whose power is in the range of some format.
fn power(rng: &mut Rng) -> [f64; 3] {
    let logarithm = (unit(rng) * 2.0 - 1.0) * 2f64.powi(rng.below(14) as i32 - 8);
    let range = rng.pick(&[15.0, 127.0, 1023.0]);
    [logarithm.exp2(), (unit(rng) * 2.0 - 1.0) * range / logarithm, 0.0]
}

/// The same with a whole exponent.
fn whole_power(rng: &mut Rng) -> [f64; 3] {
    let [x, y, _] = power(rng);
    [if rng.chance(30) { -x } else { x }, y.round().clamp(-1e9, 1e9), 0.0]
}

const X: &[Param] = &[Param::Float];
const XY: &[Param] = &[Param::Float, Param::Float];
const XYZ: &[Param] = &[Param::Float, Param::Float, Param::Float];
const CODE: &[Param] = &[Param::Bits];
const XN: &[Param] = &[Param::Float, Param::Int];

/// Bounds of half, and of float and double.
const fn ulps(half: f64, others: f64) -> [Bound; 3] {
    [Bound::Ulps(half), Bound::Ulps(others), Bound::Ulps(others)]
}

/// Bounds of functions that exist for float only.
const fn of_float(bound: Bound) -> [Bound; 3] {
    [Bound::Missing, bound, Bound::Missing]
}

const BITS: [Bound; 3] = [Bound::Bits; 3];
const ROUNDED: [Bound; 3] = ulps(0.5, 0.5);
const ZERO: [Bound; 3] = ulps(0.0, 0.0);
const OPEN: [Bound; 3] = [Bound::Open; 3];
const HALF_: [Bound; 3] = of_float(Bound::Ulps(8192.0));
const NATIVE: [Bound; 3] = of_float(Bound::Open);
/// Only float has one, of the difference.
const fn absolute(bound: f64) -> [Bound; 3] {
    [Bound::Open, Bound::Absolute(bound), Bound::Open]
}

macro_rules! mpfr {
    ($name:literal) => {
        |call| call.format.exact(&Real::of($name, &Real::new(call.x[0])))
    };
}

macro_rules! mpfr_of_two {
    ($name:literal) => {
        |call| {
            call.format
                .exact(&Real::of_two($name, &Real::new(call.x[0]), &Real::new(call.x[1])))
        }
    };
}

/// What doubles compute without error.
macro_rules! plain {
    (|$x:ident| $value:expr) => {
        |call| {
            let [$x, ..] = call.x;
            call.format.exactly($value)
        }
    };
    (|$x:ident, $y:ident| $value:expr) => {
        |call| {
            let [$x, $y, _] = call.x;
            call.format.exactly($value)
        }
    };
}

macro_rules! functions {
    ($($name:ident $params:ident $bounds:expr, $domain:expr, $exact:expr $(, $second:expr)?;)*) => {
        /// All of them.
        pub const FUNCTIONS: &[Function] = &[$(Function {
            name: stringify!($name),
            params: $params,
            bounds: $bounds,
            domain: $domain,
            exact: $exact,
            second: functions!(@second $($second)?),
        }),*];
    };
    (@second) => { Second::None };
    (@second $second:expr) => { $second };
}

functions! {
    acos X ulps(2.0, 4.0), within!(1.0), mpfr!("mpfr_acos");
    acosh X ulps(2.0, 4.0), |r| positive(r).map(|x| x + 1.0), mpfr!("mpfr_acosh");
    acospi X ulps(2.0, 5.0), within!(1.0), mpfr!("mpfr_acospi");
    asin X ulps(2.0, 4.0), within!(1.0), mpfr!("mpfr_asin");
    asinh X ulps(2.0, 4.0), common, mpfr!("mpfr_asinh");
    asinpi X ulps(2.0, 5.0), within!(1.0), mpfr!("mpfr_asinpi");
    atan X ulps(2.0, 5.0), common, mpfr!("mpfr_atan");
    atan2 XY ulps(2.0, 6.0), common, mpfr_of_two!("mpfr_atan2");
    atan2pi XY ulps(2.0, 6.0), common, mpfr_of_two!("mpfr_atan2pi");
    atanh X ulps(2.0, 5.0), within!(1.0), mpfr!("mpfr_atanh");
    atanpi X ulps(2.0, 5.0), common, mpfr!("mpfr_atanpi");
    cbrt X ulps(2.0, 2.0), common, mpfr!("mpfr_cbrt");
    ceil X BITS, within!(3000.0), plain!(|x| x.ceil());
    clamp XYZ ZERO, common, exact::clamp;
    copysign XY BITS, common, plain!(|x, y| x.copysign(y));
    cos X ulps(2.0, 4.0), within!(100.0), mpfr!("mpfr_cos");
    cosh X ulps(2.0, 4.0), within!(90.0), mpfr!("mpfr_cosh");
    cospi X ulps(2.0, 4.0), within!(100.0), mpfr!("mpfr_cospi");
    degrees X ulps(2.0, 2.0), common, exact::degrees;
    erf X ulps(4.0, 16.0), within!(6.0), mpfr!("mpfr_erf");
    erfc X ulps(4.0, 16.0), within!(27.0), mpfr!("mpfr_erfc");
    exp X ulps(2.0, 3.0), within!(104.0), mpfr!("mpfr_exp");
    exp2 X ulps(2.0, 3.0), within!(150.0), mpfr!("mpfr_exp2");
    exp10 X ulps(2.0, 3.0), within!(45.0), mpfr!("mpfr_exp10");
    expm1 X ulps(2.0, 3.0), common, mpfr!("mpfr_expm1");
    fabs X BITS, common, plain!(|x| x.abs());
    fdim XY ROUNDED, common, exact::fdim;
    floor X BITS, within!(3000.0), plain!(|x| x.floor());
    fma XYZ ROUNDED, common, exact::fma;
    fmax XY ZERO, common, plain!(|x, y| x.max(y));
    fmin XY ZERO, common, plain!(|x, y| x.min(y));
    fmod XY BITS, common, plain!(|x, y| x % y);
    fract X ROUNDED, common, exact::fract, Second::Float(plain!(|x| x.floor()));
    frexp X BITS, common, exact::frexp, Second::Int(exact::frexp_exponent);
    hypot XY ulps(2.0, 4.0), common, mpfr_of_two!("mpfr_hypot");
    ilogb X BITS, common, exact::ilogb;
    ldexp XN ROUNDED, common, exact::ldexp;
    lgamma X OPEN, within!(20.0), exact::lgamma;
    lgamma_r X OPEN, within!(20.0), exact::lgamma, Second::Int(exact::gamma_sign);
    log X ulps(2.0, 3.0), around_one, mpfr!("mpfr_log");
    log2 X ulps(2.0, 3.0), around_one, mpfr!("mpfr_log2");
    log10 X ulps(2.0, 3.0), around_one, mpfr!("mpfr_log10");
    log1p X ulps(2.0, 2.0), |r| common(r).map(|x| x.max(-1.0)), mpfr!("mpfr_log1p");
    logb X BITS, common, exact::logb;
    mad XYZ OPEN, common, exact::fma;
    max XY ZERO, common, exact::max_common;
    maxmag XY ZERO, common, exact::maxmag;
    min XY ZERO, common, exact::min_common;
    minmag XY ZERO, common, exact::minmag;
    mix XYZ absolute(1e-3), |r| [(); 3].map(|()| unit(r)), exact::mix;
    modf X BITS, common, exact::modf, Second::Float(plain!(|x| x.trunc()));
    nan CODE ZERO, common, |_| Exact::Nan;
    nextafter XY BITS, common, exact::nextafter;
    pow XY ulps(4.0, 16.0), power, mpfr_of_two!("mpfr_pow");
    pown XN ulps(4.0, 16.0), whole_power, exact::pown;
    powr XY ulps(4.0, 16.0), power, exact::powr;
    radians X ulps(2.0, 2.0), common, exact::radians;
    remainder XY BITS, common, mpfr_of_two!("mpfr_remainder");
    remquo XY BITS, common, mpfr_of_two!("mpfr_remainder"), Second::Quotient(exact::quotient);
    rint X BITS, within!(3000.0), plain!(|x| x.round_ties_even());
    rootn XN ulps(4.0, 16.0), common, exact::rootn;
    round X BITS, within!(3000.0), plain!(|x| x.round());
    rsqrt X ulps(1.0, 2.0), positive, exact::rsqrt;
    sign X ZERO, common, exact::sign;
    sin X ulps(2.0, 4.0), within!(100.0), mpfr!("mpfr_sin");
    sincos X ulps(2.0, 4.0), within!(100.0), mpfr!("mpfr_sin"), Second::Float(mpfr!("mpfr_cos"));
    sinh X ulps(2.0, 4.0), within!(90.0), mpfr!("mpfr_sinh");
    sinpi X ulps(2.0, 4.0), within!(100.0), mpfr!("mpfr_sinpi");
    smoothstep XYZ absolute(1e-5), exact::ordered, exact::smoothstep;
    sqrt X [Bound::Ulps(0.5), Bound::Ulps(3.0), Bound::Ulps(0.5)], positive, mpfr!("mpfr_sqrt");
    step XY ZERO, common, exact::step;
    tan X ulps(2.0, 5.0), within!(100.0), mpfr!("mpfr_tan");
    tanh X ulps(2.0, 5.0), common, mpfr!("mpfr_tanh");
    tanpi X ulps(2.0, 6.0), within!(100.0), mpfr!("mpfr_tanpi");
    tgamma X ulps(4.0, 16.0), within!(36.0), exact::tgamma;
    trunc X BITS, within!(3000.0), plain!(|x| x.trunc());
    half_cos X HALF_, within!(65536.0), exact::within_65536!("mpfr_cos");
    half_divide XY HALF_, common, mpfr_of_two!("mpfr_div");
    half_exp X HALF_, within!(90.0), mpfr!("mpfr_exp");
    half_exp2 X HALF_, within!(130.0), mpfr!("mpfr_exp2");
    half_exp10 X HALF_, within!(40.0), mpfr!("mpfr_exp10");
    half_log X HALF_, around_one, mpfr!("mpfr_log");
    half_log2 X HALF_, around_one, mpfr!("mpfr_log2");
    half_log10 X HALF_, around_one, mpfr!("mpfr_log10");
    half_powr XY HALF_, power, exact::powr;
    half_recip X HALF_, common, exact::reciprocal;
    half_rsqrt X HALF_, positive, exact::rsqrt;
    half_sin X HALF_, within!(65536.0), exact::within_65536!("mpfr_sin");
    half_sqrt X HALF_, positive, mpfr!("mpfr_sqrt");
    half_tan X HALF_, within!(65536.0), exact::within_65536!("mpfr_tan");
    native_cos X NATIVE, within!(6.0), mpfr!("mpfr_cos");
    native_divide XY NATIVE, common, mpfr_of_two!("mpfr_div");
    native_exp X NATIVE, within!(90.0), mpfr!("mpfr_exp");
    native_exp2 X NATIVE, within!(130.0), mpfr!("mpfr_exp2");
    native_exp10 X NATIVE, within!(40.0), mpfr!("mpfr_exp10");
    native_log X NATIVE, around_one, mpfr!("mpfr_log");
    native_log2 X NATIVE, around_one, mpfr!("mpfr_log2");
    native_log10 X NATIVE, around_one, mpfr!("mpfr_log10");
    native_powr XY NATIVE, power, exact::powr;
    native_recip X NATIVE, common, exact::reciprocal;
    native_rsqrt X NATIVE, positive, exact::rsqrt;
    native_sin X NATIVE, within!(6.0), mpfr!("mpfr_sin");
    native_sqrt X NATIVE, positive, mpfr!("mpfr_sqrt");
    native_tan X NATIVE, within!(6.0), mpfr!("mpfr_tan");
}
