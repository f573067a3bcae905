// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Binary searches, of which the compiler makes copies with 32 bits: they find what they found, also where the index of the
//! first element has more bits, or where the number of elements does.

use std::path::Path;

use oxur_client::*;
use oxur_conformance_support::spirv;

use crate::Rig;

/// The elements that there are, at most.
const ELEMENTS: usize = 70;

/// An array to search in: where its indices begin, how many elements it is said to have, and how many are there.
#[derive(Clone, Copy, Debug)]
struct Array {
    begin: u64,
    count: u64,
    size: usize,
}

impl Array {
    /// The elements that are searched.
    fn of<E>(self, elements: &[E]) -> &[E] {
        &elements[..self.size.min(usize::try_from(self.count).expect("64 bits"))]
    }
}

struct Searches {
    rig: Rig,
    program: Program,
}

impl Searches {
    fn new() -> Self {
        let rig = Rig::new();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let il = spirv(&here.join("tests"), &here.join("../../target/kernels/cuda"), "searches");
        let program = Program::with_il(&rig.context, &il).expect("urProgramCreateWithIL");
        program.build(&rig.context, "").expect("urProgramBuild");
        Self { rig, program }
    }

    /// Has a kernel search for all values in all arrays, and compares what it finds with what is `expected`.
    fn compare<E: Plain + std::fmt::Debug>(
        &self,
        name: &str,
        arrays: impl IntoIterator<Item = Array>,
        elements: &[E],
        values: &[E],
        expected: impl Fn(Array, &E) -> u64,
    ) {
        let kernel = Kernel::new(&self.program, name).expect("urKernelCreate");
        let (x, to) = (self.rig.shared(elements), self.rig.shared(&vec![0_u64; values.len()]));
        let those = self.rig.shared(values);
        for array in arrays {
            let size = array.size as u64;
            let back = (size_of::<E>() as u64).wrapping_mul(array.begin);
            let args = [
                Arg::Pointer(to.ptr()),
                Arg::Pointer(x.ptr().wrapping_byte_sub(usize::try_from(back).expect("64 bits"))),
                Arg::Pointer(those.ptr()),
                Arg::value(&array.begin),
                Arg::value(&array.count),
                Arg::value(&size),
            ];
            let event = self
                .rig
                .launch(&kernel, &Range::new([values.len()]), &args)
                .expect("launch");
            event.wait().expect("urEventWait");
            // SAFETY: the kernel is complete.
            let found = unsafe { to.as_slice::<u64>() };
            for (value, &found) in values.iter().zip(found) {
                assert_eq!(found, expected(array, value), "{name}: {array:?}, {value:?}");
            }
        }
    }
}

/// Arrays of all sizes, and some that are said to have more elements than 32 bits count.
fn arrays(begins: &[u64]) -> Vec<Array> {
    let of = |&begin: &u64| {
        let whole = (0..=ELEMENTS).map(move |size| Array {
            begin,
            count: size as u64,
            size,
        });
        let part = [0, 1, 2, 31, ELEMENTS].into_iter().flat_map(move |size| {
            let most = u64::from(u32::MAX);
            let counts = [
                0,
                1,
                30,
                most - 1,
                most,
                most + 1,
                most + 2,
                most + 40,
                3 << 33,
                (1 << 60) + 5,
            ];
            counts.map(|count| Array { begin, count, size })
        });
        whole.chain(part)
    };
    begins.iter().flat_map(of).collect()
}

const BEGINS: [u64; 5] = [0, (1 << 32) - 7, (1 << 32) + 5, (1 << 62) + (1 << 31), u64::MAX - 20];

/// Some are there twice, and some values are not there.
fn words() -> (Vec<i32>, Vec<i32>) {
    let elements = (0..ELEMENTS as i32).map(|i| i / 3 * 2).collect();
    (elements, (-1..48).collect())
}

#[test]
fn bounds() {
    let searches = Searches::new();
    let (elements, values) = words();
    let of = |array: Array, is_before: &dyn Fn(&i32) -> bool| {
        let at = array.of(&elements).partition_point(is_before) as u64;
        array.begin.wrapping_add(at)
    };
    searches.compare("lower_bound", arrays(&BEGINS), &elements, &values, |array, value| {
        of(array, &|element| element < value)
    });
    searches.compare("upper_bound", arrays(&BEGINS), &elements, &values, |array, value| {
        of(array, &|element| element <= value)
    });
    searches.compare(
        "lower_bound_of_pointers",
        arrays(&[0]),
        &elements,
        &values,
        |array, value| of(array, &|element| element < value),
    );
    searches.compare("last_less", arrays(&BEGINS), &elements, &values, |array, value| {
        let behind = array.of(&elements).partition_point(|element| element < value) as u64;
        array.begin.wrapping_add(behind.saturating_sub(1))
    });
}

#[test]
fn floats_of_which_some_are_no_numbers() {
    let searches = Searches::new();
    let mut elements: Vec<f32> = (0..ELEMENTS as u8).map(|i| f32::from(i / 3)).collect();
    elements[ELEMENTS - 9..].fill(f32::NAN);
    let values: Vec<f32> = (-1..25_i8).map(f32::from).chain([2.5, f32::NAN]).collect();
    searches.compare(
        "upper_bound_of_floats",
        arrays(&BEGINS),
        &elements,
        &values,
        |array, value| {
            let is_before = |element: &f32| value.is_nan() || element <= value;
            array
                .begin
                .wrapping_add(array.of(&elements).partition_point(is_before) as u64)
        },
    );
}

#[test]
fn at_least_once() {
    let searches = Searches::new();
    let (elements, values) = words();
    searches.compare("at_least_once", arrays(&BEGINS), &elements, &values, |array, value| {
        let (mut first, mut n, mut all) = (array.begin, array.count, 0_u64);
        loop {
            let half = n / 2;
            let at = first.wrapping_add(half);
            let index = at.wrapping_sub(array.begin);
            all = all.wrapping_mul(3).wrapping_add(at);
            if index < array.size as u64 && elements[usize::try_from(index).expect("64 bits")] < *value {
                first = at.wrapping_add(1);
                n = n.wrapping_sub(half + 1);
            } else {
                n = half;
            }
            if n == 0 {
                return all.wrapping_add(first);
            }
        }
    });
}
