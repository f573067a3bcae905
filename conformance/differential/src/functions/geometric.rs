// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of vectors as such: OpenCL C 3.0, section 6.15.5. What they may be off by grows with the vector.

use oxur_mpfr::Real;

use super::format::{Exact, Format};
use super::inputs::specials;
use crate::rng::Rng;

/// A function.
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// How many vectors it takes.
    pub arity: usize,
    /// Whether it gives one number.
    pub is_reduction: bool,
    /// Whether it exists for float only.
    pub is_of_float: bool,
    /// The widths of vectors.
    pub widths: &'static [u32],
    /// A constant, and what is added for each element: in ulps, for half, float and double.
    pub bounds: [(f64, f64); 3],
    /// The result's elements.
    exact: fn(&[&[f64]], Format) -> Vec<Exact>,
}

const FAST: [(f64, f64); 3] = [(8191.5, 1.0), (8191.5, 1.0), (8191.5, 1.0)];

/// All of them. `cross` has an absolute bound: [`cross_bound`].
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "cross",
        arity: 2,
        is_reduction: false,
        is_of_float: false,
        widths: &[3, 4],
        bounds: [(f64::INFINITY, 0.0); 3],
        exact: cross,
    },
    Function {
        name: "distance",
        arity: 2,
        is_reduction: true,
        is_of_float: false,
        widths: &[1, 2, 3, 4],
        bounds: [(0.0, 2.0), (2.5, 2.0), (5.5, 2.0)],
        exact: distance,
    },
    Function {
        name: "length",
        arity: 1,
        is_reduction: true,
        is_of_float: false,
        widths: &[1, 2, 3, 4],
        bounds: [(0.25, 0.5), (2.75, 0.5), (5.5, 1.0)],
        exact: |vectors, format| vec![format.exact(&length(&reals(vectors[0])))],
    },
    Function {
        name: "normalize",
        arity: 1,
        is_reduction: false,
        is_of_float: false,
        widths: &[1, 2, 3, 4],
        bounds: [(1.0, 1.0), (2.0, 1.0), (4.5, 1.0)],
        exact: normalize,
    },
    Function {
        name: "fast_distance",
        arity: 2,
        is_reduction: true,
        is_of_float: true,
        widths: &[1, 2, 3, 4],
        bounds: FAST,
        exact: distance,
    },
    Function {
        name: "fast_length",
        arity: 1,
        is_reduction: true,
        is_of_float: true,
        widths: &[1, 2, 3, 4],
        bounds: FAST,
        exact: |vectors, format| vec![format.exact(&length(&reals(vectors[0])))],
    },
    Function {
        name: "fast_normalize",
        arity: 1,
        is_reduction: false,
        is_of_float: true,
        widths: &[1, 2, 3, 4],
        bounds: FAST,
        exact: normalize,
    },
];

impl Function {
    /// What it gives for vectors; open where elements are not finite, which the specification says little about, and for the
    /// fast ones where squares leave the range.
    pub fn exact(&self, vectors: &[&[f64]], format: Format) -> Vec<Exact> {
        let elements = || vectors.iter().copied().flatten();
        let largest = elements().fold(0f64, |max, x| max.max(x.abs()));
        let is_fast = self.name.starts_with("fast");
        let is_open = elements().any(|x| !x.is_finite())
            || is_fast && !(1e-15..1e15).contains(&largest)
            || self.name == "cross" && largest * largest >= format.decode(format.infinity() - 1) / 4.0;
        if is_open {
            return vec![Exact::Any; if self.is_reduction { 1 } else { vectors[0].len() }];
        }
        (self.exact)(vectors, format)
    }

    /// Elements of a vector, for each parameter: of special values, of any size, and of sizes that are near each other.
    pub fn columns(&self, format: Format, density: u32, rng: &mut Rng) -> Vec<Vec<u64>> {
        let special = specials(format);
        let mut columns = vec![Vec::new(); self.arity];
        let count = (1usize << density.min(24)).div_ceil(48);
        for _ in 0..count {
            // As many as vectors of each width take.
            let kind = rng.below(8);
            let scale = 2f64.powi(rng.below(2 * format.max as usize) as i32 - format.max);
            let scale = if kind < 5 { 1.0 } else { scale };
            for column in &mut columns {
                column.extend((0..48).map(|_| match kind {
                    0 => rng.pick(&special),
                    1 => rng.bits() >> (64 - format.bits),
                    _ => format.encode(((rng.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0) * scale),
                }));
            }
        }
        columns
    }
}

/// How far an element of a cross product may be off: a product of the largest elements is rounded, three times.
pub fn cross_bound(vectors: &[&[f64]], format: Format) -> f64 {
    let largest = |v: &[f64]| v.iter().fold(0f64, |max, x| max.max(x.abs()));
    let epsilon = 2f64.powi(-(format.fraction as i32));
    // What vanishes is off by the smallest number.
    3.0 * epsilon * largest(vectors[0]) * largest(vectors[1]) + 2.0 * format.decode(1)
}

fn reals(numbers: &[f64]) -> Vec<Real> {
    numbers.iter().map(|&x| Real::new(x)).collect()
}

fn length(vector: &[Real]) -> Real {
    let zero = Real::new(0.0);
    let squares = vector.iter().fold(zero, |sum, x| Real::fused(x, x, &sum));
    Real::of("mpfr_sqrt", &squares)
}

fn distance(vectors: &[&[f64]], format: Format) -> Vec<Exact> {
    let pairs = vectors[0].iter().zip(vectors[1]);
    let differences: Vec<Real> = pairs
        .map(|(&x, &y)| Real::of_two("mpfr_sub", &Real::new(x), &Real::new(y)))
        .collect();
    vec![format.exact(&length(&differences))]
}

fn normalize(vectors: &[&[f64]], format: Format) -> Vec<Exact> {
    let elements = reals(vectors[0]);
    let size = length(&elements);
    if size.to_f64() == 0.0 && vectors[0].iter().all(|&x| x == 0.0) {
        return vec![format.exactly(0.0); elements.len()];
    }
    elements
        .iter()
        .map(|x| format.exact(&Real::of_two("mpfr_div", x, &size)))
        .collect()
}

/// The fourth element is 0.
fn cross(vectors: &[&[f64]], format: Format) -> Vec<Exact> {
    let (x, y) = (reals(vectors[0]), reals(vectors[1]));
    let element = |i: usize| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let right = Real::of_two("mpfr_mul", &x[k], &y[j]);
        let product = Real::of_two("mpfr_mul", &x[j], &y[k]);
        format.exact(&Real::of_two("mpfr_sub", &product, &right))
    };
    (0..x.len())
        .map(|i| if i < 3 { element(i) } else { format.exactly(0.0) })
        .collect()
}
