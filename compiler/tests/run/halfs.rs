// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Halfs that are multiplied and added in one step, against sums of integers.

use super::{Argument, GLOBAL_ID, MODES, compile_in, range, run};

/// `results[gid] = numbers[3 gid] * numbers[3 gid + 1] + numbers[3 gid + 2]`.
fn text() -> String {
    format!(
        "{GLOBAL_ID}
        %pointer = OpTypePointer CrossWorkgroup %half
        %type = OpTypeFunction %void %pointer %pointer
        %long_1 = OpConstant %long 1
        %long_2 = OpConstant %long 2
        %long_3 = OpConstant %long 3
        %kernel = OpFunction %void None %type
        %numbers = OpFunctionParameter %pointer
        %results = OpFunctionParameter %pointer
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %i = OpIMul %long %id %long_3
        %j = OpIAdd %long %i %long_1
        %k = OpIAdd %long %i %long_2
        %at_x = OpPtrAccessChain %pointer %numbers %i
        %at_y = OpPtrAccessChain %pointer %numbers %j
        %at_z = OpPtrAccessChain %pointer %numbers %k
        %x = OpLoad %half %at_x
        %y = OpLoad %half %at_y
        %z = OpLoad %half %at_z
        %r = OpExtInst %half %cl fma %x %y %z
        %to = OpPtrAccessChain %pointer %results %id
        OpStore %to %r
        OpReturn
        OpFunctionEnd"
    )
}

/// A half as a multiple of 2^-24.
fn integer(half: u16) -> i128 {
    let (exponent, fraction) = (half >> 10 & 0x1f, i128::from(half & 0x3ff));
    let size = match exponent {
        0 => fraction,
        _ => (fraction + 0x400) << (exponent - 1),
    };
    if half >> 15 == 0 { size } else { -size }
}

/// The quotient that is nearest, or of two the even one.
fn divided(number: u128, bits: u32) -> u128 {
    let (quotient, rest) = (number >> bits, number & ((1 << bits) - 1));
    match (rest << 1).cmp(&(1 << bits)) {
        std::cmp::Ordering::Less => quotient,
        std::cmp::Ordering::Equal => quotient + (quotient & 1),
        std::cmp::Ordering::Greater => quotient + 1,
    }
}

/// The multiple of 2^-48 that is nearest, of those with so many bits.
fn rounded(number: u128, bits: u32) -> u128 {
    let more = (u128::BITS - number.leading_zeros()).saturating_sub(bits);
    divided(number, more) << more
}

/// The half that is nearest to a multiple of 2^-48 that is not negative.
fn half(number: u128) -> u16 {
    let bits = u128::BITS - number.leading_zeros();
    // The least halfs are as far apart as those of 11 bits.
    let exponent = bits.saturating_sub(24 + 11);
    let quotient = divided(number, 24 + exponent);
    // A fraction of 1024 more goes to the exponent.
    let half = (u128::from(exponent) << 10) + quotient;
    half.min(0x7c00) as u16
}

/// Two numbers of a pseudo-random sequence are as good as independent.
fn next(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    *state >> 33
}

#[test]
fn one_rounding() {
    let is_finite = |half: u16| half & 0x7c00 != 0x7c00;
    let mut state = 1;
    let mut triples = Vec::new();
    while triples.len() < 40_000 {
        let [x, y, mut z] = [0; 3].map(|_| next(&mut state) as u16);
        if triples.len() % 4 == 0 {
            // A sum near the middle of two halfs: a power of two, and what is about half of its last bit, or a quarter.
            let exponent = (z >> 10 & 0x1f).max(13);
            z = z & 0x8000 | exponent << 10 | z & 3;
            let product = |y: u16| (integer(x) * integer(y)).unsigned_abs();
            let wanted = 1u128 << (u32::from(exponent) + 23 - u32::from(z & 1));
            let y = (0..0x7c00)
                .step_by(0x100)
                .min_by_key(|&y| product(y).abs_diff(wanted))
                .unwrap();
            let y = (y..y + 0x100).min_by_key(|&y| product(y).abs_diff(wanted)).unwrap();
            triples.push([x, y, z]);
            continue;
        }
        triples.push([x, y, z]);
    }
    triples.retain(|halfs| halfs.iter().all(|&half| is_finite(half)));
    triples.truncate(triples.len() / 64 * 64);

    let mut twice = 0;
    let expected: Vec<u16> = triples
        .iter()
        .map(|&[x, y, z]| {
            let sum = integer(x) * integer(y) + (integer(z) << 24);
            let size = sum.unsigned_abs();
            twice += u32::from(half(rounded(size, 24)) != half(size));
            let is_negative = match sum {
                0 => (x ^ y) >> 15 == 1 && z >> 15 == 1,
                _ => sum < 0,
            };
            half(size) | u16::from(is_negative) << 15
        })
        .collect();
    // As many have another result if floats are fused instead, whose last bit is rounded, too.
    assert!(twice > 100, "{twice}");

    let mut numbers: Vec<u8> = triples.concat().into_iter().flat_map(u16::to_ne_bytes).collect();
    for mode in MODES {
        let kernel = compile_in(mode, &text());
        let mut results = vec![0; expected.len() * 2];
        let mut arguments = [Argument::Memory(&mut numbers), Argument::Memory(&mut results)];
        run(
            &kernel,
            range([expected.len() as u64 / 64, 1, 1], [64, 1, 1]),
            &mut arguments,
        )
        .unwrap();
        for (i, &wanted) in expected.iter().enumerate() {
            let found = u16::from_ne_bytes(results[i * 2..][..2].try_into().unwrap());
            assert_eq!(
                found, wanted,
                "fma of {:x?}, {mode:?}: {found:x}, not {wanted:x}",
                triples[i]
            );
        }
    }
}

#[test]
fn numbers_that_are_not_finite() {
    const INFINITY: u16 = 0x7c00;
    const NAN: u16 = 0x7e00;
    const LARGEST: u16 = 0x7bff;
    const ONE: u16 = 0x3c00;
    let minus = |half| half | 0x8000;
    let cases = [
        ([INFINITY, ONE, ONE], INFINITY),
        ([ONE, minus(INFINITY), LARGEST], minus(INFINITY)),
        ([ONE, ONE, minus(INFINITY)], minus(INFINITY)),
        ([LARGEST, LARGEST, minus(LARGEST)], INFINITY),
        ([INFINITY, ONE, minus(INFINITY)], NAN),
        ([INFINITY, 0, ONE], NAN),
        ([NAN, ONE, ONE], NAN),
        ([ONE, ONE, NAN], NAN),
    ];
    let items = cases.iter().cycle().take(64);
    let numbers = items.clone().flat_map(|(halfs, _)| halfs);
    let mut numbers: Vec<u8> = numbers.flat_map(|half| half.to_ne_bytes()).collect();
    for mode in MODES {
        let mut kernel = compile_in(mode, &text());
        // Nobody knows the sign of a NaN.
        kernel.oracle = None;
        let mut results = vec![0; 128];
        let mut arguments = [Argument::Memory(&mut numbers), Argument::Memory(&mut results)];
        run(&kernel, range([1, 1, 1], [64, 1, 1]), &mut arguments).unwrap();
        for ((halfs, wanted), found) in items.clone().zip(results.chunks(2)) {
            let found = u16::from_ne_bytes(found.try_into().unwrap());
            let is_nan = found & 0x7fff > INFINITY;
            assert!(
                found == *wanted || is_nan && *wanted == NAN,
                "{halfs:x?}, {mode:?}: {found:x}"
            );
        }
    }
}
