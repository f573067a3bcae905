// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The arguments that functions are tried with: special values and their neighbours, bit patterns at even distances over the
//! whole range (all, of half), and random numbers of the kind that the function is for.

use super::format::Format;
use super::table::{Domain, Param};
use crate::rng::Rng;

/// The arguments of one call: bits of each parameter.
pub type Arguments = [u64; 3];

/// Numbers where functions tend to be wrong, of both signs, as bits.
pub fn specials(format: Format) -> Vec<u64> {
    let infinity = format.infinity();
    let normal = 1 << format.fraction;
    let quiet_nan = infinity | normal >> 1;
    let mut bits = vec![0, 1, 2, 3, normal >> 1, infinity - 1, infinity, quiet_nan];
    let mut numbers = vec![
        1e-20,
        1e-8,
        1e-5,
        1e-3,
        0.25,
        1.0 / 3.0,
        0.5,
        0.75,
        1.0,
        1.25,
        1.5,
        2.0,
        2.5,
        3.0,
        3.5,
        4.0,
    ];
    numbers.extend([
        5.0, 6.5, 7.0, 8.0, 10.0, 16.0, 23.5, 32.0, 64.0, 100.0, 127.0, 128.0, 149.0, 171.6, 1024.0,
    ]);
    // Where whole numbers stop having halves, and being odd.
    numbers.extend([9, 10, 11, 22, 23, 24, 51, 52, 53].map(|n| 2f64.powi(n)));
    numbers.extend([1e4, 1e6, 1e10, 1e15, 1e22, 1e30, 1e37, 1e100, 1e300]);
    // Where exponential functions leave the range of a format: `exp`, `exp2`, `exp10`, `tgamma`, `erfc`.
    numbers.extend([
        11.09, 9.7, 17.33, 88.72, 103.97, 709.78, 745.13, 25.0, 150.0, 1075.0, 4.8, 38.53, 308.25, 323.3,
    ]);
    numbers.extend([9.17, 35.04, 171.62, 3.05, 9.19, 10.05, 26.54, 27.22]);
    // Where the sine, the cosine or the tangent is close to 0.
    let quarter = std::f64::consts::FRAC_PI_2;
    numbers.extend((1..=12).map(|n| f64::from(n) * quarter / 2.0));
    numbers.extend([14.0, 44.0, 710.0, 51_472.0, 573_204.0, 1e9, 4e15].map(|n: f64| n * quarter));
    // The doubles, and the floats, that are closest to multiples of pi/2 for their size.
    numbers.extend([
        6_381_956_970_095_103.0 * 2f64.powi(797),
        16_367_173.0 * 2f64.powi(72),
        5.319_372_648_326_541e255,
    ]);
    for number in [normal, infinity >> 1]
        .into_iter()
        .chain(numbers.into_iter().map(|x| format.encode(x)))
    {
        bits.extend([number.saturating_sub(1), number, number + 1]);
    }
    bits.retain(|&b| b <= infinity || b == quiet_nan);
    bits.sort_unstable();
    bits.dedup();
    bits.into_iter().flat_map(|b| [b, b | format.sign()]).collect()
}

/// Integers at the edges.
pub fn edges(bits: u32) -> Vec<u64> {
    let mask = u64::MAX >> (64 - bits);
    let high = 1u64 << (bits - 1);
    let around = [
        0,
        1,
        2,
        3,
        5,
        7,
        8,
        15,
        16,
        24,
        31,
        32,
        63,
        64,
        100,
        high,
        high >> 1,
        1 << (bits / 2),
        mask & 0x5555_5555_5555_5555,
    ];
    let mut all: Vec<u64> = around
        .into_iter()
        .flat_map(|x| [x, x.wrapping_neg(), x.wrapping_sub(1)])
        .map(|x| x & mask)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// An integer of any length.
pub fn integer(rng: &mut Rng, bits: u32) -> u64 {
    let x = rng.bits();
    let length = rng.below(bits as usize) as u32;
    // Of either sign: what is shifted in is a copy of the highest bit.
    ((x as i64) >> (63 - length)) as u64 & (u64::MAX >> (64 - bits))
}

/// A random bit pattern, no NaN.
fn any(rng: &mut Rng, format: Format) -> u64 {
    loop {
        let bits = rng.bits() >> (64 - format.bits);
        if bits & (format.sign() - 1) <= format.infinity() {
            return bits;
        }
    }
}

/// All of them for a function: about `2^density`, and the special ones.
pub fn arguments(params: &[Param], format: Format, domain: Domain, density: u32, rng: &mut Rng) -> Vec<Arguments> {
    let bits_of = |param: &Param| param.bits(format);
    let special: Vec<Vec<u64>> = params
        .iter()
        .map(|param| match param {
            Param::Float => specials(format),
            Param::Int | Param::Bits => edges(bits_of(param)),
        })
        .collect();
    let mut all = Vec::new();
    // Every special value with every other; of three, each with some.
    let few = |values: &[u64], step: usize| values.iter().copied().step_by(step).collect::<Vec<_>>();
    match special.as_slice() {
        [x] => all.extend(x.iter().map(|&x| [x, 0, 0])),
        [x, y] => {
            for x in few(x, 2) {
                all.extend(few(y, 3).into_iter().map(|y| [x, y, 0]));
            }
        }
        [x, y, z] => {
            for x in few(x, 17) {
                for y in few(y, 19) {
                    all.extend(few(z, 18).into_iter().map(|z| [x, y, z]));
                }
            }
        }
        _ => {}
    }
    let random = |rng: &mut Rng, param: &Param| match param {
        Param::Float => any(rng, format),
        Param::Int | Param::Bits => integer(rng, bits_of(param)),
    };
    // Patterns of the first parameter at even distances, each with random bits below.
    let count = 1u64 << density.min(bits_of(&params[0]));
    let step = (u64::MAX >> (64 - bits_of(&params[0]))) / count + 1;
    for i in 0..count {
        let x = i * step + rng.bits() % step;
        let is_nan = params[0] == Param::Float && x & (format.sign() - 1) > format.infinity();
        if !is_nan {
            let mut rest = || params.get(1).map_or(0, |p| random(rng, p));
            let y = rest();
            let z = params.get(2).map_or(0, |p| random(rng, p));
            all.push([x, y, z]);
        }
    }
    for _ in 0..count / 2 {
        let numbers = domain(rng);
        let mut arguments = [0; 3];
        for ((argument, param), number) in arguments.iter_mut().zip(params).zip(numbers) {
            *argument = match param {
                Param::Float => format.encode(number),
                Param::Int if number != 0.0 => number as i32 as u32 as u64,
                // Small exponents are the ones that matter.
                Param::Int => (rng.below(33) as i64 - 16) as i32 as u32 as u64,
                Param::Bits => rng.bits() >> (64 - format.bits),
            };
        }
        all.push(arguments);
    }
    all
}
