// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of loads and stores of vectors and halves, of shuffles, and of `select` and `bitselect`.

use spirv::OpenclStd100Op as Op;

use super::Random;
use super::jit::Compiled;
use super::reference::FORMATS;
use crate::builtins::libcalls::half::{half_from_f64, half_to_f32};

#[test]
fn vectors() {
    for bytes in [1usize, 2, 4, 8] {
        for lanes in [2u32, 3, 4, 8, 16] {
            let load = Compiled::new(
                Op::vloadn,
                |c| vec![c.int(64), c.ptr(), c.int(bytes as u32 * 8).vector(lanes)],
                &[lanes],
            );
            let store = Compiled::new(
                Op::vstoren,
                |c| vec![c.int(bytes as u32 * 8).vector(lanes), c.int(64), c.ptr(), c.void()],
                &[],
            );
            let size = bytes * lanes as usize;
            let memory: Vec<u8> = (0..size as u32 * 5).map(|i| (i * 7) as u8).collect();
            let mut offset = 3u64.to_le_bytes();
            // Large enough for each vector. One of three elements may be accessed as if it had four.
            let mut vector = vec![0u8; 128];
            let mut target = memory.clone();
            // SAFETY: the operands are an offset, memory of five vectors, and the result.
            unsafe {
                load.call(&[offset.as_mut_ptr(), memory.as_ptr().cast_mut(), vector.as_mut_ptr()]);
                assert_eq!(vector[..size], memory[3 * size..4 * size]);
                offset = 1u64.to_le_bytes();
                store.call(&[vector.as_mut_ptr(), offset.as_mut_ptr(), target.as_mut_ptr()]);
            }
            let mut expected = memory.clone();
            expected.copy_within(3 * size..4 * size, size);
            assert_eq!(target, expected, "{bytes} bytes x {lanes}");
        }
    }
}

/// Rounds to half in a rounding mode, by comparing the neighbors.
fn rounded(x: f64, mode: u32) -> u16 {
    let nearest = half_from_f64(x);
    let candidates = [nearest.wrapping_sub(1), nearest, nearest.wrapping_add(1)];
    let value = |h: u16| f64::from(half_to_f32(h));
    let best = |good: &dyn Fn(f64) -> bool, closer: &dyn Fn(f64, f64) -> bool| {
        candidates
            .into_iter()
            .filter(|&h| h & 0x7FFF <= 0x7C00 && (h ^ nearest) & 0x8000 == 0 && good(value(h)))
            .reduce(|a, b| if closer(value(b), value(a)) { b } else { a })
    };
    match mode {
        _ if x.is_nan() || x.is_infinite() => nearest,
        1 => best(&|h| h.abs() <= x.abs(), &|b, a| b.abs() > a.abs()).unwrap(),
        2 => best(&|h| h >= x, &|b, a| b < a).unwrap(),
        3 => best(&|h| h <= x, &|b, a| b > a).unwrap(),
        _ => nearest,
    }
}

#[test]
fn halves() {
    let numbers: Vec<f64> = {
        let mut random = Random(5);
        let fixed = [
            0.0, 1.0, 65504.0, 65505.0, 65519.0, 65520.0, 1e6, 1e30, 5.9e-8, 2.9e-8, 1e-9, 1e-40,
        ];
        let special = [
            f64::INFINITY,
            f64::NAN,
            6.103515625e-5,
            6.0975e-5,
            1.0009765625,
            1.00048828125,
            2049.0,
        ];
        let random = (0..2000).map(|_| (random.unit() * 50.0 - 28.0).exp2());
        fixed
            .into_iter()
            .chain(special)
            .chain(random)
            .flat_map(|x| [x, -x])
            .collect()
    };
    for format in FORMATS {
        let bytes = format.bits as usize / 8;
        for mode in 0..=4 {
            // 4 means without a rounding mode.
            let (op, literals): (_, &[u32]) = if mode == 4 {
                (Op::vstore_half, &[])
            } else {
                (Op::vstore_half_r, &[mode])
            };
            let store = Compiled::new(
                op,
                |c| vec![c.float(format.bits), c.int(64), c.ptr(), c.void()],
                literals,
            );
            for &number in &numbers {
                let number = format.round(number);
                let (mut data, mut offset, mut memory) =
                    (format.encode(number).to_le_bytes(), 2u64.to_le_bytes(), [0xAAu8; 8]);
                // SAFETY: as the operands say.
                unsafe { store.call(&[data.as_mut_ptr(), offset.as_mut_ptr(), memory.as_mut_ptr()]) };
                let stored = u16::from_le_bytes([memory[4], memory[5]]);
                let expected = rounded(number, mode);
                assert!(
                    stored == expected || (number.is_nan() && half_to_f32(stored).is_nan()),
                    "f{} {number:e} in mode {mode}: {stored:x}, not {expected:x}",
                    format.bits
                );
                assert!(memory.iter().enumerate().all(|(i, &b)| matches!(i, 4 | 5) || b == 0xAA));
            }
        }
        for lanes in [2u32, 3, 4, 8, 16] {
            for (load, store, stride) in [
                (Op::vload_halfn, Op::vstore_halfn, lanes),
                (Op::vloada_halfn, Op::vstorea_halfn, lanes.next_power_of_two()),
            ] {
                let load = Compiled::new(
                    load,
                    |c| vec![c.int(64), c.ptr(), c.float(format.bits).vector(lanes)],
                    &[lanes],
                );
                let store = Compiled::new(
                    store,
                    |c| vec![c.float(format.bits).vector(lanes), c.int(64), c.ptr(), c.void()],
                    &[],
                );
                #[repr(align(32))]
                struct Memory([u16; 64]);
                let mut memory = Memory(std::array::from_fn(|i| half_from_f64(i as f64 - 20.5)));
                let (mut offset, mut vector) = (1u64.to_le_bytes(), [0u8; 128]);
                // SAFETY: as the operands say; the memory is aligned as the largest vector.
                unsafe {
                    load.call(&[offset.as_mut_ptr(), memory.0.as_mut_ptr().cast(), vector.as_mut_ptr()]);
                    for lane in 0..lanes as usize {
                        let mut word = [0; 8];
                        word[..bytes].copy_from_slice(&vector[lane * bytes..][..bytes]);
                        let number = format.decode(u64::from_le_bytes(word));
                        assert_eq!(number, (stride as usize + lane) as f64 - 20.5);
                    }
                    let before = memory.0;
                    offset = 2u64.to_le_bytes();
                    store.call(&[vector.as_mut_ptr(), offset.as_mut_ptr(), memory.0.as_mut_ptr().cast()]);
                    let mut expected = before;
                    let (from, to) = (stride as usize, 2 * stride as usize);
                    expected.copy_within(from..from + lanes as usize, to);
                    assert_eq!(memory.0, expected);
                }
            }
        }
    }
    let single = Compiled::new(Op::vload_half, |c| vec![c.int(64), c.ptr(), c.float(32)], &[]);
    let (mut offset, memory, mut result) = (1u64.to_le_bytes(), [0u16, 0x3E00], [0u8; 8]);
    // SAFETY: as the operands say.
    unsafe {
        single.call(&[
            offset.as_mut_ptr(),
            memory.as_ptr().cast_mut().cast(),
            result.as_mut_ptr(),
        ])
    };
    assert_eq!(f32::from_le_bytes(result[..4].try_into().unwrap()), 1.5);
}

#[test]
fn shuffles() {
    for bytes in [1usize, 2, 4, 8] {
        for (from, lanes) in [(2u32, 4u32), (3, 2), (4, 4), (4, 16), (8, 3), (16, 8)] {
            let bits = bytes as u32 * 8;
            let (element, mask) = (from.next_power_of_two() as usize, u64::MAX >> (64 - bits));
            let mut random = Random(u64::from(from));
            let indices: Vec<u64> = (0..lanes).map(|_| random.next() & mask).collect();
            let mut index_bytes: Vec<u8> = indices
                .iter()
                .flat_map(|i| i.to_le_bytes()[..bytes].to_vec())
                .chain([0; 64])
                .collect();
            let mut vectors: [Vec<u8>; 2] =
                [0, 100].map(|base| (0..16 * bytes as u32).map(|i| (base + i) as u8).collect());
            for two in [false, true] {
                let op = if two { Op::shuffle2 } else { Op::shuffle };
                let compiled = Compiled::new(
                    op,
                    |c| {
                        let (x, index, result) = (
                            c.int(bits).vector(from),
                            c.int(bits).vector(lanes),
                            c.int(bits).vector(lanes),
                        );
                        if two {
                            vec![x, x, index, result]
                        } else {
                            vec![x, index, result]
                        }
                    },
                    &[],
                );
                let mut result = [0u8; 128];
                let mut pointers = vec![vectors[0].as_mut_ptr()];
                if two {
                    pointers.push(vectors[1].as_mut_ptr());
                }
                pointers.extend([index_bytes.as_mut_ptr(), result.as_mut_ptr()]);
                // SAFETY: as the operands say.
                unsafe { compiled.call(&pointers) };
                for (lane, &index) in indices.iter().enumerate() {
                    let index = index as usize % if two { 2 * element } else { element };
                    let (which, index) = (index / element, index % element);
                    // The fourth element of a vector of three is padding.
                    if index < from as usize {
                        let expected = &vectors[which][index * bytes..][..bytes];
                        assert_eq!(
                            &result[lane * bytes..][..bytes],
                            expected,
                            "{from} to {lanes}, {bytes} bytes"
                        );
                    }
                }
            }
        }
    }
}

/// In vectors, `select` tests the most significant bit.
#[test]
fn select_of_vectors() {
    let compiled = Compiled::new(
        Op::select,
        |c| {
            let (ty, choice) = (c.float(32).vector(4), c.int(32).vector(4));
            vec![ty, ty, choice, ty]
        },
        &[],
    );
    let bytes = |numbers: [u32; 4]| numbers.map(u32::to_le_bytes).concat();
    let (mut a, mut b) = (bytes([1, 2, 3, 4]), bytes([5, 6, 7, 8]));
    let mut choice = bytes([0, 1, 0x8000_0000, u32::MAX]);
    let mut result = [0u8; 16];
    // SAFETY: each operand has four elements of four bytes.
    unsafe { compiled.call(&[a.as_mut_ptr(), b.as_mut_ptr(), choice.as_mut_ptr(), result.as_mut_ptr()]) };
    assert_eq!(result[..], bytes([1, 2, 7, 8])[..]);
}
