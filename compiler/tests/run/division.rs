// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Divisions of integers, which lanes do with floating-point numbers as long as these are exact: of numbers around the bounds of
//! that.

use super::{Argument, MODES, compile_in, range, run};

fn text(ty: &str, bytes: usize, op: &str) -> String {
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %type = OpTypeFunction %void %global_{ty} %global_{ty}
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_{ty}
        %q = OpFunctionParameter %global_{ty}
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %at_x = OpPtrAccessChain %global_{ty} %p %id
        %x = OpLoad %{ty} %at_x Aligned {bytes}
        %at_y = OpPtrAccessChain %global_{ty} %q %id
        %y = OpLoad %{ty} %at_y Aligned {bytes}
        %result = {op} %{ty} %x %y
        OpStore %at_x %result Aligned {bytes}
        OpReturn
        OpFunctionEnd"
    )
}

fn result(op: &str, x: i64, y: i64) -> i64 {
    match op {
        "OpSDiv" => x.wrapping_div(y),
        "OpSRem" => x.wrapping_rem(y),
        "OpUDiv" => (x as u64 / y as u64) as i64,
        _ => (x as u64 % y as u64) as i64,
    }
}

/// Integers of so many bits in memory.
fn bytes(numbers: &mut dyn Iterator<Item = i64>, bits: usize) -> Vec<u8> {
    numbers.flat_map(|x| x.to_le_bytes()[..bits / 8].to_vec()).collect()
}

#[test]
fn of_large_numbers() {
    const ITEMS: i64 = 48;
    for (ty, bits) in [("short", 16), ("int", 32), ("long", 64)] {
        for op in ["OpSDiv", "OpSRem", "OpUDiv", "OpUMod"] {
            let kernels = MODES.map(|mode| (mode, compile_in(mode, &text(ty, bits / 8, op))));
            let is_signed = op.starts_with("OpS");
            let widths = [7, 15, 23, 24, 25, 31, 50, 51, 52, 53, 54, 61, 62, 63];
            for (width, divisor) in widths
                .into_iter()
                .filter(|width| *width < bits)
                .flat_map(|width| [3, (1i64 << (width / 2)) - 5].map(|divisor| (width, divisor.max(1))))
            {
                // The largest numbers of that many bits, and those of three quarters, each other one negative if there is a sign.
                // The last items are a sub-group of their own, none of which is.
                let pairs: Vec<[i64; 2]> = (0..ITEMS)
                    .map(|i| {
                        let largest = i64::MAX >> (63 - width);
                        let x = if i < 16 { largest } else { largest - (1 << (width - 2)) };
                        let sign = if is_signed && i % 2 == 1 && i < 32 { -1 } else { 1 };
                        [
                            sign * (x - i / 3),
                            (divisor + i % 3) * if is_signed && i % 4 > 1 { -1 } else { 1 },
                        ]
                    })
                    .collect();
                let bytes = |numbers: &mut dyn Iterator<Item = i64>| bytes(numbers, bits);
                let expected = bytes(&mut pairs.iter().map(|&[x, y]| result(op, x, y)));
                for (mode, kernel) in &kernels {
                    let mut p = bytes(&mut pairs.iter().map(|pair| pair[0]));
                    let mut q = bytes(&mut pairs.iter().map(|pair| pair[1]));
                    let mut arguments = [&mut p, &mut q].map(|memory| Argument::Memory(memory));
                    run(kernel, range([1; 3], [ITEMS as u64, 1, 1]), &mut arguments).unwrap();
                    assert_eq!(p, expected, "{op} of {ty}, numbers of {width} bits, {mode:?}");
                }
            }
        }
    }
}

/// The same by one number for all items, by whose reciprocal lanes multiply: of numbers around its multiples.
#[test]
fn by_one_number() {
    for (ty, bits) in [("short", 16), ("int", 32), ("long", 64)] {
        for op in ["OpSDiv", "OpSRem", "OpUDiv", "OpUMod"] {
            let text = text(ty, bits / 8, op)
                .replace(
                    &format!("%global_{ty} %global_{ty}\n"),
                    &format!("%global_{ty} %{ty}\n"),
                )
                .replace(
                    &format!("%q = OpFunctionParameter %global_{ty}"),
                    &format!("%y = OpFunctionParameter %{ty}"),
                );
            let text: Vec<&str> = text.lines().filter(|line| !line.contains("%at_y")).collect();
            let kernels = MODES.map(|mode| (mode, compile_in(mode, &text.join("\n"))));
            let is_signed = op.starts_with("OpS");
            let narrow = |x: i64| match is_signed {
                true => x << (64 - bits) >> (64 - bits),
                false => ((x as u64) << (64 - bits) >> (64 - bits)) as i64,
            };
            let of_width = |width: u32| [-1i64, 0, 1].map(|more| (1i64 << width).wrapping_add(more));
            let some = [
                3,
                5,
                7,
                10,
                11,
                641,
                1000,
                65535,
                6_700_417,
                1_000_000_007,
                0x000f_ffff_ffff_fff1,
            ];
            let mut divisors: Vec<i64> = (0..bits as u32)
                .step_by(3)
                .flat_map(of_width)
                .chain(some)
                .map(narrow)
                .collect();
            divisors.retain(|&y| y > 0);
            divisors.sort_unstable();
            divisors.dedup();
            for y in divisors
                .iter()
                .flat_map(|&y| if is_signed { vec![y, -y] } else { vec![y] })
            {
                // Next to multiples that are as large as the numbers may be, and of those bounds themselves.
                let around = |x: i64| [-1i64, 0, 1].map(|more| x.wrapping_add(more));
                let multiples = (0..bits as u32 - 1).flat_map(|width| {
                    let x = (1i64 << width) / y * y;
                    around(x)
                        .into_iter()
                        .chain(around(x.wrapping_sub(y)))
                        .chain(of_width(width))
                });
                let small = [1, 2, 3, 5, 49]
                    .into_iter()
                    .flat_map(|times| around(y.wrapping_mul(times)));
                let mut numbers: Vec<i64> = multiples.chain(small).map(narrow).collect();
                if is_signed {
                    let negative: Vec<i64> = numbers.iter().map(|x| narrow(x.wrapping_neg())).collect();
                    numbers.extend(negative);
                }
                // Small numbers go together, as each vector with a large one is divided otherwise.
                numbers.sort_unstable_by_key(|x| x.unsigned_abs());
                let expected = bytes(&mut numbers.iter().map(|&x| result(op, x, y)), bits);
                for (mode, kernel) in &kernels {
                    let mut p = bytes(&mut numbers.iter().copied(), bits);
                    let mut arguments = [Argument::Memory(&mut p), Argument::Value(y as u64)];
                    run(kernel, range([1; 3], [numbers.len() as u64, 1, 1]), &mut arguments).unwrap();
                    assert_eq!(p, expected, "{op} of {ty} by {y}, {mode:?}");
                }
            }
        }
    }
}

/// By one number, in the lanes of a mask: in none if it is zero.
#[test]
fn by_one_number_under_a_mask() {
    for (ty, bits) in [("short", 16), ("int", 32), ("long", 64)] {
        for op in ["OpSDiv", "OpSRem", "OpUDiv", "OpUMod"] {
            let text = format!(
                "OpEntryPoint Kernel %kernel \"k\" %global_id
                OpDecorate %global_id BuiltIn GlobalInvocationId
                %input_long3 = OpTypePointer Input %long3
                %global_id = OpVariable %input_long3 Input
                %type = OpTypeFunction %void %global_{ty} %{ty}
                %zero = OpConstantNull %{ty}
                %kernel = OpFunction %void None %type
                %p = OpFunctionParameter %global_{ty}
                %y = OpFunctionParameter %{ty}
                %start = OpLabel
                %ids = OpLoad %long3 %global_id
                %id = OpCompositeExtract %long %ids 0
                %at = OpPtrAccessChain %global_{ty} %p %id
                %x = OpLoad %{ty} %at Aligned {bytes}
                %is_positive = OpSGreaterThan %bool %x %zero
                %is_possible = OpINotEqual %bool %y %zero
                %is_done = OpLogicalAnd %bool %is_positive %is_possible
                OpSelectionMerge %end None
                OpBranchConditional %is_done %divides %end
                %divides = OpLabel
                %result = {op} %{ty} %x %y
                OpStore %at %result Aligned {bytes}
                OpBranch %end
                %end = OpLabel
                OpReturn
                OpFunctionEnd",
                bytes = bits / 8,
            );
            let kernels = MODES.map(|mode| (mode, compile_in(mode, &text)));
            // Lanes that are not in the mask have numbers that are too large for the fast way.
            let largest = i64::MAX >> (64 - bits);
            let numbers: Vec<i64> = (0..45)
                .map(|i| if i % 3 == 1 { -largest + i } else { 49 * i })
                .collect();
            for y in [0, 1, 7, 49, largest] {
                let expected = numbers.iter().map(|&x| match x > 0 && y != 0 {
                    true => result(op, x, y),
                    false => x,
                });
                let expected = bytes(&mut expected.into_iter(), bits);
                for (mode, kernel) in &kernels {
                    for local in [15, 45] {
                        let mut p = bytes(&mut numbers.iter().copied(), bits);
                        let mut arguments = [Argument::Memory(&mut p), Argument::Value(y as u64)];
                        run(kernel, range([45 / local, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
                        assert_eq!(p, expected, "{op} of {ty} by {y}, {mode:?}");
                    }
                }
            }
        }
    }
}
