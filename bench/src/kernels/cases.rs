// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The kernels that are measured: memory, arguments, ranges, and how much work they are.

mod images;
mod integers;
mod narrow;
mod shapes;

use oxur_client::Range;

pub use images::Pixels;

/// What memory holds before a kernel runs.
#[derive(Clone, Copy)]
pub enum Init {
    /// Bytes that are no result: ones.
    Unset,
    /// Zeros.
    Zero,
    /// Numbers between two.
    F32(f32, f32),
    /// Numbers between two.
    F64(f64, f64),
    /// Numbers between 0 and 1, in sorted runs of so many.
    Runs(usize),
    /// Any words.
    U32,
    /// `half`s between 0.125 and 2.
    F16,
}

/// What a kernel writes.
#[derive(Clone, Copy)]
pub enum Element {
    /// `float`, and how far results may be apart: relative to the larger of 1 and the value.
    F32(f64),
    /// `float3`, likewise: a fourth `float` fills each up.
    F32x3(f64),
    /// `double`, likewise.
    F64(f64),
    /// `uint`; the part of them that may differ, where they hang on the rounding of floats.
    U32(f64),
}

/// An argument of a kernel.
#[derive(Clone, Copy)]
pub enum Value {
    /// The address of one of the case's buffers.
    Buffer(usize),
    /// A number.
    U32(u32),
    /// A number.
    U64(u64),
    /// A number.
    F32(f32),
    /// One of the case's images.
    Image(usize),
}

/// How a figure is given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// 1e9 of these in a second.
    Giga(&'static str),
    /// Nanoseconds for each of these.
    Per(&'static str),
}

/// A launch.
pub struct Step {
    /// Its name.
    pub kernel: &'static str,
    /// Its range.
    pub range: Range,
    /// Its arguments.
    pub args: Vec<Value>,
}

/// A row.
pub struct Case {
    /// Names it.
    pub name: String,
    /// The file of `bench/kernels`, without its extension.
    pub file: &'static str,
    /// Sizes in bytes, and what they hold. The first is the output.
    pub buffers: Vec<(usize, Init)>,
    /// What kernels read besides.
    pub images: Vec<Pixels>,
    /// One after the other.
    pub steps: Vec<Step>,
    /// What it writes.
    pub element: Element,
    /// How its figures are given.
    pub unit: Unit,
    /// How much of the unit it does.
    pub amount: f64,
    /// Whether each run needs the memory as it was at first.
    pub fresh: bool,
    /// How many runs come before results are compared: what adds up in memory shows whether each was done.
    pub runs: u32,
}

const MI: usize = 1 << 20;
const BYTES: Unit = Unit::Giga("GB/s");
const FLOPS: Unit = Unit::Giga("GFLOP/s");
const ITEM: Unit = Unit::Per("ns/item");

/// All rows, in the order of the report.
pub fn all() -> Vec<Case> {
    let mut cases = Vec::from(memory());
    cases.extend(sgemm());
    cases.extend(arithmetic());
    cases.extend(groups());
    cases.extend(merges());
    cases.extend(shapes::local_sizes());
    cases.push(shapes::reduction());
    cases.push(shapes::maxima());
    cases.extend(shapes::accesses());
    cases.extend(shapes::columns());
    cases.extend(integers::divisions());
    cases.extend(narrow::narrow());
    cases.extend(narrow::pixels());
    cases.extend(narrow::computing());
    cases.extend(images::accesses());
    cases
}

/// A row with one launch; the arguments are the buffers, and then `values`.
fn case(
    name: &str,
    (file, kernel): (&'static str, &'static str),
    buffers: &[(usize, Init)],
    values: &[Value],
    range: Range,
    element: Element,
    (unit, amount): (Unit, f64),
) -> Case {
    let args = (0..buffers.len()).map(Value::Buffer).chain(values.iter().copied());
    Case {
        name: format!("kernels: {name}"),
        file,
        buffers: buffers.to_vec(),
        images: Vec::new(),
        steps: vec![Step {
            kernel,
            range,
            args: args.collect(),
        }],
        element,
        unit,
        amount,
        fresh: false,
        runs: 1,
    }
}

fn memory() -> [Case; 4] {
    let large = 64 * MI;
    let (items, side) = (large / 4, 4096);
    // Both arrays in the second level of two cores. Many launches are one measurement: what a launch costs is part of it.
    let small = 64 << 10;
    let floats = Init::F32(-1.0, 1.0);
    let lines = Range::new([items]).local([256]);
    let mut cases = [
        case(
            "copy 64 MiB",
            ("memory", "copy"),
            &[(large, Init::Unset), (large, floats)],
            &[],
            lines,
            Element::F32(0.0),
            (BYTES, 2.0 * large as f64),
        ),
        case(
            "triad 64 MiB",
            ("memory", "triad"),
            &[(large, Init::Unset), (large, floats), (large, floats)],
            &[Value::F32(1.5)],
            lines,
            Element::F32(1e-6),
            (BYTES, 3.0 * large as f64),
        ),
        case(
            "saxpy in L2",
            ("memory", "saxpy"),
            &[(4 * small, floats), (4 * small, floats)],
            &[Value::F32(1e-3)],
            Range::new([small]).local([1024]),
            Element::F32(1e-3),
            (BYTES, 12.0 * small as f64),
        ),
        case(
            "stencil 5-point 4096²",
            ("memory", "stencil"),
            &[(4 * side * side, Init::Unset), (4 * side * side, floats)],
            &[Value::U64(side as u64), Value::U64(side as u64)],
            Range::new([side, side]).local([256, 1]),
            Element::F32(1e-6),
            (BYTES, 8.0 * (side * side) as f64),
        ),
    ];
    cases[2].runs = 1000;
    cases
}

fn sgemm() -> [Case; 2] {
    ["naive", "tiled"].map(|kernel| {
        let (n, square) = (1024, 4 << 20);
        let floats = Init::F32(-1.0, 1.0);
        case(
            &format!("sgemm 1024, {kernel}"),
            ("sgemm", kernel),
            &[(square, Init::Unset), (square, floats), (square, floats)],
            &[Value::U64(n as u64)],
            Range::new([n, n]).local([16, 16]),
            Element::F32(1e-4),
            (FLOPS, 2.0 * (n * n * n) as f64),
        )
    })
}

fn arithmetic() -> Vec<Case> {
    let (bodies, side, options) = (8192, 1024, 4 * MI);
    let single = |init| (4 * options, init);
    let mut cases = vec![
        case(
            "n-body 8192",
            ("arithmetic", "nbody"),
            &[(16 * bodies, Init::Unset), (16 * bodies, Init::F32(0.0, 1.0))],
            &[Value::U32(bodies as u32), Value::F32(0.01)],
            Range::new([bodies]).local([256]),
            Element::F32(1e-3),
            (FLOPS, 20.0 * (bodies * bodies) as f64),
        ),
        case(
            "mandelbrot",
            ("arithmetic", "mandelbrot"),
            &[(4 * side * side, Init::Unset)],
            &[Value::U32(side as u32), Value::U32(side as u32), Value::U32(256)],
            Range::new([side, side]).local([64, 1]),
            Element::U32(1e-2),
            (Unit::Per("ns/pixel"), (side * side) as f64),
        ),
        case(
            "Black-Scholes f32",
            ("arithmetic", "black_scholes"),
            &[
                single(Init::Unset),
                single(Init::Unset),
                single(Init::F32(5.0, 30.0)),
                single(Init::F32(1.0, 100.0)),
                single(Init::F32(0.25, 10.0)),
            ],
            &[Value::F32(0.02), Value::F32(0.3)],
            Range::new([options]).local([256]),
            Element::F32(1e-3),
            (ITEM, options as f64),
        ),
    ];
    for double in [false, true] {
        for (kernel, low, high, two) in [
            (["sin_f32", "sin_f64"], -10.0, 10.0, false),
            (["exp_f32", "exp_f64"], -10.0, 10.0, false),
            (["pow_f32", "pow_f64"], 0.1, 5.0, true),
        ] {
            let (size, init, element) = match double {
                true => (8, Init::F64(low, high), Element::F64(1e-13)),
                false => (4, Init::F32(low as f32, high as f32), Element::F32(1e-5)),
            };
            let kernel = kernel[usize::from(double)];
            let buffers = [
                (size * options, Init::Unset),
                (size * options, init),
                (size * options, init),
            ];
            cases.push(case(
                &kernel.replace('_', " "),
                ("arithmetic", kernel),
                &buffers[..if two { 3 } else { 2 }],
                &[],
                Range::new([options]).local([256]),
                element,
                (ITEM, options as f64),
            ));
        }
    }
    cases.push(case(
        "branchy",
        ("arithmetic", "branchy"),
        &[single(Init::Unset), single(Init::U32)],
        &[],
        Range::new([options]).local([256]),
        Element::U32(0.0),
        (ITEM, options as f64),
    ));
    cases
}

fn groups() -> Vec<Case> {
    let (items, each) = (16 * MI, 64);
    let floats = (4 * items, Init::F32(0.0, 1.0));
    let range = |items: usize| Range::new([items]).local([256]);
    let mut cases = vec![case(
        "reduction, local tree",
        ("groups", "reduction"),
        &[(4 * items / 256, Init::Unset), floats],
        &[],
        range(items),
        Element::F32(1e-4),
        (BYTES, 4.0 * items as f64),
    )];
    for (name, kernel) in [("global", "histogram_global"), ("local", "histogram_local")] {
        let mut histogram = case(
            &format!("histogram, {name} atomics"),
            ("groups", kernel),
            &[(4 * 256, Init::Zero), (4 * items, Init::U32)],
            &[Value::U32(each as u32)],
            range(items / each),
            Element::U32(0.0),
            (ITEM, items as f64),
        );
        histogram.fresh = true;
        cases.push(histogram);
    }
    cases.push(bitonic(MI));
    for (name, kernel) in [("reduce", "sub_group_sum"), ("scan", "sub_group_scan")] {
        cases.push(case(
            &format!("sub-group {name}"),
            ("groups", kernel),
            &[(4 * items, Init::Unset), floats],
            &[],
            range(items),
            Element::F32(1e-4),
            (BYTES, 8.0 * items as f64),
        ));
    }
    cases
}

/// Merges of sorted runs, short and long ones: two of the passes of dpnp's sorts.
fn merges() -> [Case; 2] {
    [(1 << 10, "1 Ki"), (MI, "1 Mi")].map(|(run, length)| {
        let items = 4 * MI;
        case(
            &format!("merge of runs of {length}"),
            ("searches", "merge"),
            &[(8 * items, Init::Unset), (8 * items, Init::Runs(run))],
            &[Value::U64(run as u64)],
            Range::new([items / 8]).local([256]),
            Element::F64(0.0),
            (ITEM, items as f64),
        )
    })
}

/// A sort of so many words, a power of two.
fn bitonic(items: usize) -> Case {
    let mut steps = Vec::new();
    for stage in 1..=items.trailing_zeros() {
        for distance in (0..stage).rev() {
            steps.push(Step {
                kernel: "bitonic",
                range: Range::new([items]).local([256]),
                args: vec![Value::Buffer(0), Value::U32(1 << distance), Value::U32(1 << stage)],
            });
        }
    }
    Case {
        name: "kernels: bitonic sort 1 Mi".into(),
        file: "groups",
        buffers: vec![(4 * items, Init::U32)],
        images: Vec::new(),
        steps,
        element: Element::U32(0.0),
        unit: ITEM,
        amount: items as f64,
        fresh: true,
        runs: 1,
    }
}

impl Unit {
    /// The figure of so much work in a time.
    pub fn figure(self, amount: f64, nanoseconds: f64) -> f64 {
        match self {
            Self::Giga(_) => amount / nanoseconds,
            Self::Per(_) => nanoseconds / amount,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Giga(name) | Self::Per(name) => name,
        }
    }
}

impl Case {
    /// Where two outputs differ by more than they may. What is not a number is no result.
    pub fn compare(&self, theirs: &[u8], ours: &[u8]) -> Result<(), String> {
        let near = |a: f64, b: f64, by: f64| (a - b).abs() <= by * a.abs().max(1.0);
        let pairs = |size| theirs.chunks_exact(size).zip(ours.chunks_exact(size));
        let (wrong, most) = match self.element {
            Element::F32(by) => (
                first(pairs(4).map(|(a, b)| (single(a), single(b))), |a, b| near(a, b, by)),
                0,
            ),
            Element::F32x3(by) => {
                let used = pairs(4).enumerate().filter(|(i, _)| i % 4 < 3);
                let used = used.map(|(_, (a, b))| (single(a), single(b)));
                (first(used, |a, b| near(a, b, by)), 0)
            }
            Element::F64(by) => (
                first(pairs(8).map(|(a, b)| (double(a), double(b))), |a, b| near(a, b, by)),
                0,
            ),
            Element::U32(part) => (
                first(pairs(4).map(|(a, b)| (word(a), word(b))), |a, b| a == b),
                (part * (theirs.len() / 4) as f64) as usize,
            ),
        };
        if theirs.iter().all(|byte| *byte == 0xff) {
            return Err("nothing was written".into());
        }
        match wrong {
            (count, Some((at, a, b))) if count > most => Err(format!(
                "{count} results differ, the first at {at}: {b} instead of Intel's {a}"
            )),
            _ => Ok(()),
        }
    }
}

/// How many pairs are not right, and the first of them.
fn first(
    pairs: impl Iterator<Item = (f64, f64)>,
    right: impl Fn(f64, f64) -> bool,
) -> (usize, Option<(usize, f64, f64)>) {
    let mut wrong = pairs.enumerate().filter(|(_, (a, b))| !right(*a, *b));
    match wrong.next() {
        Some((at, (a, b))) => (1 + wrong.count(), Some((at, a, b))),
        None => (0, None),
    }
}

fn single(bytes: &[u8]) -> f64 {
    bytes
        .try_into()
        .map_or(f64::NAN, |bytes| f32::from_ne_bytes(bytes).into())
}

fn double(bytes: &[u8]) -> f64 {
    bytes.try_into().map_or(f64::NAN, f64::from_ne_bytes)
}

fn word(bytes: &[u8]) -> f64 {
    bytes
        .try_into()
        .map_or(f64::NAN, |bytes| u32::from_ne_bytes(bytes).into())
}

impl Init {
    /// Fills memory; the same every time, another sequence for another `seed`.
    pub fn fill(self, memory: &mut [u8], seed: u64) {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
        };
        let mut part = move || next() as f64 / (1u64 << 32) as f64;
        match self {
            Self::Unset => memory.fill(0xff),
            Self::Zero => memory.fill(0),
            Self::F32(low, high) => {
                for place in memory.chunks_exact_mut(4) {
                    place.copy_from_slice(&(low + (high - low) * part() as f32).to_ne_bytes());
                }
            }
            Self::F64(low, high) => {
                for place in memory.chunks_exact_mut(8) {
                    place.copy_from_slice(&(low + (high - low) * part()).to_ne_bytes());
                }
            }
            Self::Runs(length) => {
                for run in memory.chunks_mut(8 * length) {
                    let mut numbers: Vec<_> = run.chunks(8).map(|_| part()).collect();
                    numbers.sort_by(f64::total_cmp);
                    for (place, number) in run.chunks_exact_mut(8).zip(numbers) {
                        place.copy_from_slice(&number.to_ne_bytes());
                    }
                }
            }
            Self::F16 => {
                for place in memory.chunks_exact_mut(2) {
                    place.copy_from_slice(&(0x3000 + (part() * 4096.0) as u16).to_ne_bytes());
                }
            }
            Self::U32 => {
                for place in memory.chunks_exact_mut(4) {
                    place.copy_from_slice(&((part() * (1u64 << 32) as f64) as u32).to_ne_bytes());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences() {
        let case = bitonic(4);
        assert_eq!(case.steps.len(), 3);
        assert!(case.compare(&[1, 0, 0, 0], &[1, 0, 0, 0]).is_ok());
        assert!(case.compare(&[1, 0, 0, 0], &[2, 0, 0, 0]).is_err());
        let floats = Case {
            element: Element::F32(1e-6),
            ..case
        };
        let (one, not) = (1f32.to_ne_bytes(), f32::NAN.to_ne_bytes());
        assert!(floats.compare(&one, &one).is_ok());
        assert!(floats.compare(&not, &not).is_err());
        assert!(floats.compare(&[0xff; 4], &[0xff; 4]).is_err());
    }

    #[test]
    fn units() {
        assert_eq!(Unit::Giga("GB/s").figure(10.0, 5.0), 2.0);
        assert_eq!(Unit::Per("ns/item").figure(10.0, 5.0), 0.5);
    }
}
