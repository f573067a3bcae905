// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Every collective of sub-groups and work-groups, for each type and size of sub-groups, in groups whose last sub-group lacks items.

use std::fmt::Debug;
use std::path::Path;

use oxur_client::*;
use oxur_conformance_support::spirv;

use crate::Rig;

/// Local sizes: less than a sub-group, one, and several of which the last has 1 to 31 items; of more dimensions, too.
const GROUPS: [[usize; 3]; 12] = [
    [1, 1, 1],
    [7, 1, 1],
    [17, 1, 1],
    [31, 1, 1],
    [32, 1, 1],
    [33, 1, 1],
    [48, 1, 1],
    [63, 1, 1],
    [100, 1, 1],
    [5, 7, 1],
    [1, 33, 1],
    [3, 5, 7],
];

/// How many results a work-item has.
const NUMBERS: usize = 20;
const QUERIES: usize = 11;

/// Where there is no item before: the identity of a minimum or of a maximum.
const MOST: i64 = i64::MAX;
const LEAST: i64 = i64::MIN;

/// A type of a kernel's numbers.
trait Number: Plain + PartialEq + Debug {
    /// As OpenCL C spells it.
    const NAME: &str;
    fn of(value: i64) -> Self;
}

macro_rules! numbers {
    ($($name:literal $ty:ident $least:expr, $most:expr;)*) => { $(
        impl Number for $ty {
            const NAME: &str = $name;
            fn of(value: i64) -> Self {
                match value {
                    LEAST => $least,
                    MOST => $most,
                    value => value as $ty,
                }
            }
        }
    )* };
}
numbers! {
    "char" i8 i8::MIN, i8::MAX;
    "int" i32 i32::MIN, i32::MAX;
    "uint" u32 u32::MIN, u32::MAX;
    "long" i64 i64::MIN, i64::MAX;
    "ulong" u64 u64::MIN, u64::MAX;
    "float" f32 f32::NEG_INFINITY, f32::INFINITY;
    "double" f64 f64::NEG_INFINITY, f64::INFINITY;
}

/// The bits of a `half`.
impl Number for u16 {
    const NAME: &str = "half";
    fn of(value: i64) -> Self {
        match value {
            LEAST => 0xfc00,
            MOST => 0x7c00,
            0 => 0,
            value => {
                // All that occur are integers of at most 11 bits, which a half has.
                let bits = (value as f32).to_bits();
                ((bits >> 16) & 0x8000) as u16 | ((((bits >> 23) & 0xff) - 112) << 10 | (bits >> 13) & 0x3ff) as u16
            }
        }
    }
}

/// The items' values, from 0 to 6. Sums of a `char` may wrap.
fn value(item: usize) -> i64 {
    ((item * 7 + 3) % 10) as i64 % 3 + i64::from(item % 11 == 4) * 4
}

/// What `numbers_*` computes for an item of a group.
fn numbers(group: &[i64], sub_group: &[i64], item: usize, lane: usize) -> [i64; NUMBERS] {
    let sum = |values: &[i64]| values.iter().sum::<i64>();
    let min = |values: &[i64]| values.iter().copied().min().unwrap_or(MOST);
    let max = |values: &[i64]| values.iter().copied().max().unwrap_or(LEAST);
    let (before, through) = (&sub_group[..lane], &sub_group[..=lane]);
    let size = sub_group.len();
    let of = |other: Option<usize>| {
        other
            .and_then(|lane| sub_group.get(lane))
            .copied()
            .unwrap_or(sub_group[lane])
    };
    [
        sum(sub_group),
        min(sub_group),
        max(sub_group),
        sum(before),
        min(before),
        max(before),
        sum(through),
        min(through),
        max(through),
        sub_group[size - 1],
        sub_group[(lane + 1) % size],
        of(Some(lane ^ 1)),
        of(lane.checked_sub(3)),
        of(Some(lane + 3)),
        sum(group),
        min(group),
        sum(&group[..item]),
        max(&group[..=item]),
        group[group.len() - 1],
        max(group),
    ]
}

/// What `queries_*` says to an item of a group.
fn queries(group: &[i64], sub_group: &[i64], most: usize, item: usize) -> [i64; QUERIES] {
    let above: Vec<bool> = sub_group.iter().map(|&value| value > 4).collect();
    let ballot = above
        .iter()
        .enumerate()
        .map(|(lane, &is)| u32::from(is) << lane)
        .sum::<u32>();
    let is_any = |values: &[i64]| i64::from(values.iter().any(|&value| value > 5));
    [
        sub_group.len() as i64,
        most as i64,
        group.len().div_ceil(most) as i64,
        (item / most) as i64,
        (item % most) as i64,
        is_any(sub_group),
        1,
        is_any(group),
        i64::from(group.iter().all(|&value| value > 0)),
        i64::from(ballot as i32),
        i64::from(ballot.count_ones()),
    ]
}

/// Runs a kernel on three groups of each size, and compares what it says of each item.
fn check<T: Number, const N: usize>(
    rig: &Rig,
    program: &Program,
    name: &str,
    most: usize,
    expected: impl Fn(&[i64], &[i64], usize, usize) -> [i64; N],
) {
    let kernel = Kernel::new(program, name).expect("urKernelCreate");
    for size in GROUPS {
        let items = size.iter().product::<usize>();
        let values: Vec<i64> = (0..3 * items).map(value).collect();
        let input: Vec<T> = values.iter().map(|&value| T::of(value)).collect();
        let (from, to) = (rig.shared(&input), rig.shared(&vec![T::of(99); N * values.len()]));
        let range = Range::new([3 * size[0], size[1], size[2]]).local(size);
        let event = rig.launch(&kernel, &range, &[Arg::Pointer(to.ptr()), Arg::Pointer(from.ptr())]);
        event.expect("launch").wait().expect("urEventWait");
        // SAFETY: the kernel is complete.
        let got = unsafe { to.as_slice::<T>() };
        for (at, got) in got.chunks(N).enumerate() {
            let (group, item) = (at / items, at % items);
            let group = &values[group * items..][..items];
            let sub_group = group.chunks(most).nth(item / most).expect("a sub-group");
            let expected = expected(group, sub_group, item, item % most).map(T::of);
            assert_eq!(got, expected, "{name} in groups of {size:?}: item {at}");
        }
    }
}

#[test]
fn collectives() {
    let rig = Rig::new();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (source, kernels) = (here.join("tests"), here.join("../../target/kernels/cuda"));
    let program = Program::with_il(&rig.context, &spirv(&source, &kernels, "partial_sub_groups"));
    let program = program.expect("urProgramCreateWithIL");
    program.build(&rig.context, "").expect("urProgramBuild");
    fn of_type<T: Number>(rig: &Rig, program: &Program, most: usize) {
        check::<T, NUMBERS>(rig, program, &format!("numbers_{}_{most}", T::NAME), most, numbers);
    }
    for most in [8, 16, 32] {
        check::<i32, QUERIES>(
            &rig,
            &program,
            &format!("queries_{most}"),
            most,
            |group, sub_group, item, _| queries(group, sub_group, most, item),
        );
        of_type::<i8>(&rig, &program, most);
        of_type::<i32>(&rig, &program, most);
        of_type::<u32>(&rig, &program, most);
        of_type::<i64>(&rig, &program, most);
        of_type::<u64>(&rig, &program, most);
        of_type::<f32>(&rig, &program, most);
        of_type::<f64>(&rig, &program, most);
        of_type::<u16>(&rig, &program, most);
    }
}
