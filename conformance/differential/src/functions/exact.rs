// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What functions give that neither MPFR nor the arithmetic of doubles has as they are.

use oxur_mpfr::Real;

use super::format::{Exact, Format};
use super::table::Call;
use crate::rng::Rng;

/// A function whose arguments may be no larger: what it gives for others is open.
macro_rules! within_65536 {
    ($name:literal) => {
        |call| {
            if call.x[0].abs() > 65536.0 {
                Exact::Any
            } else {
                call.format.exact(&Real::of($name, &Real::new(call.x[0])))
            }
        }
    };
}
pub(super) use within_65536;

/// `fmin(fmax(x, low), high)`; open where the limits are no limits.
pub fn clamp(call: &Call) -> Exact {
    let [x, low, high] = call.x;
    if low <= high && !x.is_nan() {
        call.format.exactly(x.max(low).min(high))
    } else {
        Exact::Any
    }
}

pub fn degrees(call: &Call) -> Exact {
    let x = Real::of_two("mpfr_mul", &Real::new(call.x[0]), &Real::new(180.0));
    call.format.exact(&Real::of_two("mpfr_div", &x, &Real::pi()))
}

pub fn radians(call: &Call) -> Exact {
    let x = Real::of_two("mpfr_mul", &Real::new(call.x[0]), &Real::pi());
    call.format.exact(&Real::of_two("mpfr_div", &x, &Real::new(180.0)))
}

/// `x - y` if `x > y`, 0 if not; NaN if one is.
pub fn fdim(call: &Call) -> Exact {
    let [x, y, _] = call.x;
    if x <= y {
        return call.format.exactly(0.0);
    }
    call.format
        .exact(&Real::of_two("mpfr_sub", &Real::new(x), &Real::new(y)))
}

pub fn fma(call: &Call) -> Exact {
    let [x, y, z] = call.x.map(Real::new);
    call.format.exact(&Real::fused(&x, &y, &z))
}

/// `x - floor(x)`, but always below 1.
pub fn fract(call: &Call) -> Exact {
    let x = call.x[0];
    if x.is_infinite() {
        return call.format.exactly(0.0);
    }
    let below_one = call.format.decode(call.format.encode(1.0) - 1);
    match call
        .format
        .exact(&Real::of_two("mpfr_sub", &Real::new(x), &Real::new(x.floor())))
    {
        Exact::Number { near, .. } if near > below_one => call.format.exactly(below_one),
        exact => exact,
    }
}

/// A fraction in [1/2, 1) and the exponent; what is 0 or not finite stays.
fn fraction_and_exponent(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    // Denormal doubles get a leading bit by multiplication.
    let (normal, lift) = if x.abs() < f64::MIN_POSITIVE {
        (x * 2f64.powi(64), 64)
    } else {
        (x, 0)
    };
    let exponent = (normal.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    let fraction = f64::from_bits(normal.to_bits() & !(0x7ff << 52) | 1022 << 52);
    (fraction, exponent - lift)
}

pub fn frexp(call: &Call) -> Exact {
    call.format.exactly(fraction_and_exponent(call.x[0]).0)
}

/// It is open for infinity and NaN.
pub fn frexp_exponent(call: &Call) -> Option<i32> {
    let x = call.x[0];
    x.is_finite().then(|| fraction_and_exponent(x).1)
}

pub fn logb(call: &Call) -> Exact {
    let x = call.x[0];
    call.format.exactly(match x {
        _ if x == 0.0 => f64::NEG_INFINITY,
        _ if !x.is_finite() => x.abs(),
        _ => (fraction_and_exponent(x).1 - 1).into(),
    })
}

/// The exponent as an integer. What `FP_ILOGB0` and `FP_ILOGBNAN` are is the header's choice.
pub fn ilogb(call: &Call) -> Exact {
    let x = call.x[0];
    let exponent = match x {
        _ if x == 0.0 => i32::MIN,
        _ if !x.is_finite() => i32::MAX,
        _ => fraction_and_exponent(x).1 - 1,
    };
    Exact::Number {
        near: exponent.into(),
        rest: 0.0,
        ulp: 0,
    }
}

pub fn ldexp(call: &Call) -> Exact {
    call.format.exact(&Real::with_integer(
        "mpfr_mul_2si",
        &Real::new(call.x[0]),
        call.n.clamp(-4000, 4000),
    ))
}

pub fn lgamma(call: &Call) -> Exact {
    // MPFR would take long for what no format holds.
    if call.x[0].abs() > 1e300 {
        return Exact::Any;
    }
    call.format.exact(&Real::log_gamma(&Real::new(call.x[0])).0)
}

/// The sign of the gamma function: open where that has none.
pub fn gamma_sign(call: &Call) -> Option<i32> {
    let x = call.x[0];
    let has_sign = x > 0.0 || (x.is_finite() && x != x.floor());
    // Between -1 and 0 it is negative, and so on in turns.
    has_sign.then(|| if x > 0.0 || x.floor() % 2.0 == 0.0 { 1 } else { -1 })
}

/// MPFR would compute for hours what overflows or vanishes anyway.
pub fn tgamma(call: &Call) -> Exact {
    match call.x[0] {
        x if x > 200.0 => call.format.exactly(f64::INFINITY),
        x if x < -200.0 => call.format.exactly(if x == x.floor() { f64::NAN } else { 0.0 }),
        x => call.format.exact(&Real::of("mpfr_gamma", &Real::new(x))),
    }
}

/// `y` if `x < y`, else `x`; open for NaN and infinity.
pub fn max_common(call: &Call) -> Exact {
    common(call, |x, y| if x < y { y } else { x })
}

/// `y` if `y < x`, else `x`; open for NaN and infinity.
pub fn min_common(call: &Call) -> Exact {
    common(call, |x, y| if y < x { y } else { x })
}

fn common(call: &Call, f: fn(f64, f64) -> f64) -> Exact {
    let [x, y, _] = call.x;
    if x.is_finite() && y.is_finite() {
        call.format.exactly(f(x, y))
    } else {
        Exact::Any
    }
}

pub fn maxmag(call: &Call) -> Exact {
    let [x, y, _] = call.x;
    call.format.exactly(match (x.abs(), y.abs()) {
        (a, b) if a > b => x,
        (a, b) if b > a => y,
        _ => x.max(y),
    })
}

pub fn minmag(call: &Call) -> Exact {
    let [x, y, _] = call.x;
    call.format.exactly(match (x.abs(), y.abs()) {
        (a, b) if a < b => x,
        (a, b) if b < a => y,
        _ => x.min(y),
    })
}

/// `x + (y - x) a`, for `a` from 0 to 1.
pub fn mix(call: &Call) -> Exact {
    let [x, y, a] = call.x;
    let is_meant = (0.0..=1.0).contains(&a) && x.abs() <= 1.0 && y.abs() <= 1.0;
    if !is_meant {
        return Exact::Any;
    }
    let difference = Real::of_two("mpfr_sub", &Real::new(y), &Real::new(x));
    call.format
        .exact(&Real::fused(&difference, &Real::new(a), &Real::new(x)))
}

/// Two limits, the lower one first, and a number.
pub fn ordered(rng: &mut Rng) -> [f64; 3] {
    let mut number = || (rng.bits() >> 11) as f64 / (1u64 << 53) as f64 * 4.0 - 2.0;
    let [a, b, x] = [(); 3].map(|()| number());
    [a.min(b), a.max(b), x]
}

/// `t t (3 - 2 t)`, where `t` is how far `x` is from the one to the other.
pub fn smoothstep(call: &Call) -> Exact {
    let [low, high, x] = call.x;
    if !(low < high && low.is_finite() && high.is_finite() && x.is_finite()) {
        return Exact::Any;
    }
    if x <= low || x >= high {
        return call.format.exactly(if x <= low { 0.0 } else { 1.0 });
    }
    // The difference of limits, or its reciprocal, may overflow or vanish.
    let size = high - low;
    if !(1e-3..1e3).contains(&size) || low.abs() > 1e3 {
        return Exact::Any;
    }
    let t = (x - low) / size;
    call.format.exactly(t * t * (3.0 - 2.0 * t))
}

pub fn modf(call: &Call) -> Exact {
    let x = call.x[0];
    let fraction = if x.is_infinite() { 0.0 } else { x - x.trunc() };
    call.format.exactly(if x.is_nan() { x } else { fraction.copysign(x) })
}

/// The next number from one towards another.
pub fn nextafter(call: &Call) -> Exact {
    let ([x, y, _], format) = (call.x, call.format);
    if x.is_nan() || y.is_nan() || x == y {
        return format.exactly(if x == y { y } else { f64::NAN });
    }
    format.exactly(format.decode(neighbour(format, x, y > x)))
}

fn neighbour(format: Format, x: f64, up: bool) -> u64 {
    let bits = format.encode(x);
    match x {
        _ if x == 0.0 => 1 | if up { 0 } else { format.sign() },
        _ if (x > 0.0) == up => bits + 1,
        _ => bits - 1,
    }
}

pub fn pown(call: &Call) -> Exact {
    call.format
        .exact(&Real::with_integer("mpfr_pow_si", &Real::new(call.x[0]), call.n))
}

pub fn rootn(call: &Call) -> Exact {
    call.format
        .exact(&Real::with_integer("mpfr_rootn_si", &Real::new(call.x[0]), call.n))
}

/// `pow` of what is not negative; it has more cases of NaN, and zeros have no sign.
pub fn powr(call: &Call) -> Exact {
    let [x, y, _] = call.x;
    let is_nan = x.is_nan()
        || y.is_nan()
        || x < 0.0
        || (y == 0.0 && (x == 0.0 || x.is_infinite()))
        || (x == 1.0 && y.is_infinite());
    if is_nan {
        return Exact::Nan;
    }
    call.format
        .exact(&Real::of_two("mpfr_pow", &Real::new(x.abs()), &Real::new(y)))
}

/// `remquo` gives the low seven bits of the quotient at least, and its sign: how many more is open.
pub fn quotient(call: &Call) -> Option<i32> {
    let [x, y, _] = call.x;
    let (rest, quotient) = Real::remainder(&Real::new(x), &Real::new(y));
    let magnitude = (quotient.unsigned_abs() & 0x7f) as i32;
    let is_defined = !rest.to_f64().is_nan();
    is_defined.then_some(if x.is_sign_negative() == y.is_sign_negative() {
        magnitude
    } else {
        -magnitude
    })
}

pub fn rsqrt(call: &Call) -> Exact {
    match call.x[0] {
        // Which infinity it is for the negative zero is open.
        x if x == 0.0 && x.is_sign_negative() => Exact::Any,
        x => call.format.exact(&Real::of("mpfr_rec_sqrt", &Real::new(x))),
    }
}

pub fn reciprocal(call: &Call) -> Exact {
    call.format
        .exact(&Real::of_two("mpfr_div", &Real::new(1.0), &Real::new(call.x[0])))
}

pub fn sign(call: &Call) -> Exact {
    let x = call.x[0];
    call.format.exactly(match x {
        _ if x.is_nan() || x == 0.0 => 0.0,
        _ => x.signum(),
    })
}

/// It is open for NaN.
pub fn step(call: &Call) -> Exact {
    let [edge, x, _] = call.x;
    if edge.is_nan() || x.is_nan() {
        return Exact::Any;
    }
    call.format.exactly(if x < edge { 0.0 } else { 1.0 })
}
