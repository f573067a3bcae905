// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Loops that the compiler unrolls without a trip count: as many iterations as before, in their order, also where the
//! counter comes to the end of its type.

use std::path::Path;

use oxur_client::*;
use oxur_conformance_support::spirv;

use crate::Rig;

/// The elements that counters index, after a mask.
const ELEMENTS: usize = 64;
/// Loops that run longer are left out: most of those never end.
const MOST: usize = 100;

/// What a loop leaves: the sum, and the counter.
type Left<E, T> = Option<(E, T)>;

/// A loop as the kernels have them. `next` adds the step, or is `None` where that is undefined.
fn run<E: Copy, T: Copy>(
    (first, zero): (T, E),
    goes_on: impl Fn(T) -> bool,
    next: impl Fn(T) -> Option<T>,
    add: impl Fn(E, T) -> E,
) -> Left<E, T> {
    let (mut i, mut sum, mut count) = (first, zero, 0);
    while goes_on(i) {
        sum = add(sum, i);
        i = next(i)?;
        count += 1;
        if count > MOST {
            return None;
        }
    }
    Some((sum, i))
}

struct Loops {
    rig: Rig,
    program: Program,
    floats: Vec<f32>,
    words: Vec<u32>,
}

impl Loops {
    fn new() -> Self {
        let rig = Rig::new();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let il = spirv(&here.join("tests"), &here.join("../../target/kernels/cuda"), "loops");
        let program = Program::with_il(&rig.context, &il).expect("urProgramCreateWithIL");
        program.build(&rig.context, "").expect("urProgramBuild");
        Self {
            rig,
            program,
            // Sums of these are rounded.
            floats: (0..ELEMENTS).map(|i| 1.0 / (i + 3) as f32).collect(),
            words: (0..ELEMENTS as u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 7).collect(),
        }
    }

    /// Runs a kernel for each launch of `first`, `bound` and `step`, and compares what it leaves. Returns how many ran.
    fn compare<E, T>(
        &self,
        name: &str,
        elements: &[E],
        launches: &[[T; 3]],
        mask: T,
        expected: impl Fn([T; 3]) -> Left<E, T>,
    ) -> usize
    where
        E: Plain + Default + PartialEq + std::fmt::Debug,
        T: Plain + Default + PartialEq + std::fmt::Debug,
    {
        let kernel = Kernel::new(&self.program, name).expect("urKernelCreate");
        let from = self.rig.shared(elements);
        let (sum, end) = (self.rig.shared(&[E::default()]), self.rig.shared(&[T::default()]));
        let mut count = 0;
        for &launch in launches {
            let Some(expected) = expected(launch) else { continue };
            let [first, bound, step] = &launch;
            let args = [
                Arg::Pointer(sum.ptr()),
                Arg::Pointer(end.ptr()),
                Arg::Pointer(from.ptr()),
                Arg::value(first),
                Arg::value(bound),
                Arg::value(step),
                Arg::value(&mask),
            ];
            let event = self.rig.launch(&kernel, &Range::new([1]), &args).expect("launch");
            event.wait().expect("urEventWait");
            // SAFETY: the kernel is complete.
            let got = unsafe { (sum.as_slice::<E>()[0], end.as_slice::<T>()[0]) };
            assert_eq!(got, expected, "{name}: {launch:?}");
            count += 1;
        }
        count
    }
}

/// All of three numbers of these.
fn triples<T: Copy>(firsts: &[T], bounds: &[T], steps: &[T]) -> Vec<[T; 3]> {
    let of = |first: T| {
        bounds
            .iter()
            .flat_map(move |&bound| steps.iter().map(move |&step| [first, bound, step]))
    };
    firsts.iter().flat_map(|&first| of(first)).collect()
}

#[test]
fn words() {
    let loops = Loops::new();
    let mask = ELEMENTS as u32 - 1;
    let ends = [
        0,
        1,
        2,
        3,
        4,
        5,
        7,
        8,
        9,
        31,
        64,
        u32::MAX / 3,
        u32::MAX / 3 + 1,
        u32::MAX - 13,
        u32::MAX - 1,
        u32::MAX,
    ];
    let steps = [
        1,
        2,
        3,
        7,
        1 << 27,
        u32::MAX / 12,
        u32::MAX / 3,
        u32::MAX / 3 + 1,
        1 << 31,
        u32::MAX - 1,
        u32::MAX,
    ];
    let launches = triples(&ends, &ends, &steps);
    let add = |sum: u32, i: u32| sum.wrapping_mul(3).wrapping_add(loops.words[(i & mask) as usize]);
    let count = loops.compare("below_uint", &loops.words, &launches, mask, |[first, bound, step]| {
        run((first, 0), |i| i < bound, |i| Some(i.wrapping_add(step)), add)
    });
    assert!(count > 1000, "{count}");
    let count = loops.compare("up_to_uint", &loops.words, &launches, mask, |[first, bound, step]| {
        run((first, 0), |i| i <= bound, |i| Some(i.wrapping_add(step)), add)
    });
    assert!(count > 1000, "{count}");
    let count = loops.compare(
        "at_least_once",
        &loops.words,
        &launches,
        mask,
        |[first, bound, step]| {
            let sum = add(0, first);
            run(
                (first.wrapping_add(step), sum),
                |i| i < bound,
                |i| Some(i.wrapping_add(step)),
                add,
            )
        },
    );
    assert!(count > 1000, "{count}");
    loops.compare("nested", &loops.words, &launches, mask, |[first, bound, step]| {
        let (mut all, mut last) = (0, 0);
        for row in 0..3 {
            let add = |(all, _): (u32, u32), i: u32| {
                let last = loops.words[(i.wrapping_add(row) & mask) as usize];
                (all.wrapping_mul(3).wrapping_add(last), last)
            };
            let begin = first.wrapping_add(last % 2);
            ((all, last), _) = run((begin, (all, last)), |i| i < bound, |i| Some(i.wrapping_add(step)), add)?;
        }
        Some((all, last))
    });
}

#[test]
fn signed_words() {
    let loops = Loops::new();
    let mask = ELEMENTS as i32 - 1;
    let ends = [
        i32::MIN,
        i32::MIN + 9,
        -64,
        -9,
        -1,
        0,
        1,
        5,
        8,
        33,
        i32::MAX / 3,
        i32::MAX - 9,
        i32::MAX - 1,
        i32::MAX,
    ];
    let steps = [
        -3,
        0,
        1,
        2,
        5,
        1 << 27,
        i32::MAX / 3 - 1,
        i32::MAX / 3,
        i32::MAX / 3 + 1,
        i32::MAX,
    ];
    let launches = triples(&ends, &ends, &steps);
    let add = |sum: u32, i: i32| sum.wrapping_mul(3).wrapping_add(loops.words[(i & mask) as usize]);
    for name in ["below_int", "above_int"] {
        let count = loops.compare(name, &loops.words, &launches, mask, |[first, bound, step]| {
            run((first, 0), |i| i < bound, |i| i.checked_add(step), add)
        });
        assert!(count > 700, "{count}");
    }
    let count = loops.compare("up_to_int", &loops.words, &launches, mask, |[first, bound, step]| {
        run((first, 0), |i| i <= bound, |i| i.checked_add(step), add)
    });
    assert!(count > 700, "{count}");
}

#[test]
fn long_words_and_floats() {
    let loops = Loops::new();
    let mask = ELEMENTS as u64 - 1;
    let ends = [
        0,
        1,
        2,
        5,
        8,
        63,
        1 << 32,
        u64::MAX / 3,
        u64::MAX / 3 + 1,
        u64::MAX - 13,
        u64::MAX,
    ];
    let steps = [
        1,
        2,
        3,
        7,
        1 << 32,
        1 << 60,
        u64::MAX / 3,
        u64::MAX / 3 + 1,
        1 << 63,
        u64::MAX,
    ];
    let launches = triples(&ends, &ends, &steps);
    // Products and sums are fused.
    let add = |sum: f32, i: u64| sum.mul_add(3.0, loops.floats[(i & mask) as usize]);
    let count = loops.compare("below_ulong", &loops.floats, &launches, mask, |[first, bound, step]| {
        run((first, 0.0), |i| i < bound, |i| Some(i.wrapping_add(step)), add)
    });
    assert!(count > 500, "{count}");
    let count = loops.compare("up_to_ulong", &loops.floats, &launches, mask, |[first, bound, step]| {
        run((first, 0.0), |i| i <= bound, |i| Some(i.wrapping_add(step)), add)
    });
    assert!(count > 500, "{count}");
}
