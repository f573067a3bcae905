// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The largest number and its place, in loops that have a way without equal numbers and NaN: with neither, with some, with many, with zeros
//! of both signs, and with ends at several places of a vector.

use super::{Argument, GLOBAL_ID, MODES, bytes, compile_in, range, run, words};

/// What comes before each item looks at every 32nd number, `%i` after `%i`.
const START: &str = "
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %own = OpUConvert %int %id
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %int %own %start %i_next %next
        ";

/// Each item looks at every 32nd number. Of equal ones the first counts, and any NaN is larger than all others.
const KERNEL: &str = "
        %c0 = OpConstant %int 0
        %c32 = OpConstant %int 32
        %none = OpConstant %int 0xffffffff
        %zero = OpConstant %number 0
        %type = OpTypeFunction %void %global_number %global_int %global_number %int %number
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_number
        %places = OpFunctionParameter %global_int
        %in = OpFunctionParameter %global_number
        %count = OpFunctionParameter %int
        %least = OpFunctionParameter %number
        START
        %most = OpPhi %number %least %start %most_next %next
        %place = OpPhi %int %none %start %place_next %next
        %is_in = OpULessThan %bool %i %count
        OpLoopMerge %done %next None
        OpBranchConditional %is_in %body %done
        %body = OpLabel
        %i_long = OpUConvert %long %i
        %at = OpPtrAccessChain %global_number %in %i_long
        %x = OpLoad %number %at Aligned SIZE
        %is_equal = OpFOrdEqual %bool %x %most
        %is_more = COMPARE
        %is_nan = OpUnordered %bool %x %x
        %is_new = OpLogicalOr %bool %is_more %is_nan
        %is_before = OpULessThan %bool %i %place
        %first = OpSelect %int %is_before %i %place
        %new_most = OpSelect %number %is_new %x %most
        %new_place = OpSelect %int %is_new %i %place
        %equal_most = OpSelect %number %is_equal %most %new_most
        %equal_place = OpSelect %int %is_equal %first %new_place
        OpBranch %next
        %next = OpLabel
        %most_next = OpPhi %number %equal_most %body
        %place_next = OpPhi %int %equal_place %body
        %i_next = OpIAdd %int %i %c32
        OpBranch %head
        %done = OpLabel
        %to = OpPtrAccessChain %global_number %out %id
        OpStore %to %most Aligned SIZE
        %place_to = OpPtrAccessChain %global_int %places %id
        OpStore %place_to %place Aligned 4
        OpReturn
        OpFunctionEnd
        ";

const ITEMS: usize = 32;

/// Numbers of one kind, from a random one each.
type Numbers = (&'static str, fn(usize, u32) -> f32);

const NUMBERS: [Numbers; 7] = [
    ("different", |_, random| random as f32 / 65536.0 - 3.0),
    ("whole", |_, random| (random % 1000) as f32 - 500.0),
    ("few", |_, random| (random % 3) as f32),
    ("zeros", |_, random| if random % 2 == 0 { 0.0 } else { -0.0 }),
    ("one NaN", |i, random| if i == 40 { f32::NAN } else { random as f32 }),
    (
        "NaN",
        |_, random| if random % 50 == 0 { f32::NAN } else { random as f32 },
    ),
    ("infinite", |_, random| {
        if random % 40 == 0 {
            f32::NEG_INFINITY
        } else {
            f32::INFINITY
        }
    }),
];

fn check(size: usize, is_largest: bool) {
    let compare = ["OpFOrdLessThan %bool %x %most", "OpFOrdGreaterThan %bool %x %most"][usize::from(is_largest)];
    let text = format!("{GLOBAL_ID}{KERNEL}")
        .replace("%number", ["%float", "%double"][size / 8])
        .replace("%global_number", ["%global_float", "%global_double"][size / 8])
        .replace("START", START)
        .replace("COMPARE", compare)
        .replace("SIZE", &size.to_string());
    let to_bytes = |number: f32| match size {
        4 => number.to_ne_bytes().to_vec(),
        _ => f64::from(number).to_ne_bytes().to_vec(),
    };
    let from_bytes = |bytes: &[u8]| match size {
        4 => f32::from_ne_bytes(bytes.try_into().unwrap()),
        _ => f64::from_ne_bytes(bytes.try_into().unwrap()) as f32,
    };
    for mode in MODES {
        let kernel = compile_in(mode, &text);
        for (name, numbers) in NUMBERS {
            for count in [0, 5, 32, 100, 1024, 1039] {
                let mut random = 1u32;
                let mut next = |i| {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    numbers(i, random >> 13)
                };
                let all: Vec<f32> = (0..count).map(&mut next).collect();
                let least = if is_largest { f32::NEG_INFINITY } else { f32::INFINITY };
                let mut expected = vec![(least, u32::MAX); ITEMS];
                for (i, &x) in all.iter().enumerate() {
                    let (most, place) = &mut expected[i % ITEMS];
                    if x == *most {
                        *place = (i as u32).min(*place);
                    } else if x.is_nan() || if is_largest { x > *most } else { x < *most } {
                        (*most, *place) = (x, i as u32);
                    }
                }
                let mut out = vec![0; ITEMS * size];
                let mut places = bytes(&[0; ITEMS]);
                let mut memory: Vec<u8> = all.iter().flat_map(|&number| to_bytes(number)).collect();
                let arguments = &mut [
                    Argument::Memory(&mut out),
                    Argument::Memory(&mut places),
                    Argument::Memory(&mut memory),
                    Argument::Value(count as u64),
                    Argument::Bytes(&to_bytes(least)),
                ];
                run(&kernel, range([1, 1, 1], [ITEMS as u64, 1, 1]), arguments).unwrap();
                let found: Vec<u32> = out.chunks(size).map(|bytes| from_bytes(bytes).to_bits()).collect();
                let (most, at): (Vec<u32>, Vec<u32>) = expected.iter().map(|(most, at)| (most.to_bits(), *at)).unzip();
                let what = format!("{count} numbers of {size} bytes, {name}, {mode:?}");
                assert_eq!(words(&places), at, "{what}");
                assert_eq!(found, most, "{what}");
            }
        }
    }
}

#[test]
fn largest_doubles() {
    check(8, true);
}

#[test]
fn least_floats() {
    check(4, false);
}

/// Sums that begin anew where they are NaN, and count how often: by the number itself, or as 2 if that is NaN, too. The number plus 1 is
/// needed for nothing but such sums, and for its own comparison.
#[test]
fn numbers_that_only_rare_ways_need() {
    let text = format!(
        "{GLOBAL_ID}
        %c0 = OpConstant %int 0
        %c1 = OpConstant %int 1
        %c32 = OpConstant %int 32
        %c100 = OpConstant %int 100
        %zero = OpConstant %float 0
        %one = OpConstant %float 1
        %two = OpConstant %float 2
        %type = OpTypeFunction %void %global_float %global_int %global_float %int
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_float
        %counts = OpFunctionParameter %global_int
        %in = OpFunctionParameter %global_float
        %count = OpFunctionParameter %int
        {START}
        %sum = OpPhi %float %zero %start %new_sum %next
        %failed = OpPhi %int %c0 %start %new_failed %next
        %is_in = OpULessThan %bool %i %count
        OpLoopMerge %done %next None
        OpBranchConditional %is_in %next %done
        %next = OpLabel
        %i_long = OpUConvert %long %i
        %at = OpPtrAccessChain %global_float %in %i_long
        %x = OpLoad %float %at Aligned 4
        %longer = OpFAdd %float %sum %x
        %is_bad = OpUnordered %bool %longer %longer
        %more = OpFAdd %float %x %one
        %is_worse = OpUnordered %bool %more %more
        %anew = OpSelect %float %is_worse %two %more
        %step = OpSelect %int %is_worse %c100 %c1
        %failed_more = OpIAdd %int %failed %step
        %new_sum = OpSelect %float %is_bad %anew %longer
        %new_failed = OpSelect %int %is_bad %failed_more %failed
        %i_next = OpIAdd %int %i %c32
        OpBranch %head
        %done = OpLabel
        %to = OpPtrAccessChain %global_float %out %id
        OpStore %to %sum Aligned 4
        %count_to = OpPtrAccessChain %global_int %counts %id
        OpStore %count_to %failed Aligned 4
        OpReturn
        OpFunctionEnd
        "
    );
    let numbers: Vec<f32> = (0..1039)
        .map(|i: usize| match i * i % 97 {
            1..4 => f32::NAN,
            4..10 => f32::INFINITY,
            10..16 => f32::NEG_INFINITY,
            other => other as f32,
        })
        .collect();
    let mut expected = vec![(0f32, 0u32); ITEMS];
    for (i, &x) in numbers.iter().enumerate() {
        let (sum, failed) = &mut expected[i % ITEMS];
        *sum += x;
        if sum.is_nan() {
            let is_worse = (x + 1.0).is_nan();
            *sum = if is_worse { 2.0 } else { x + 1.0 };
            *failed += if is_worse { 100 } else { 1 };
        }
    }
    let (sums, failed): (Vec<u32>, Vec<u32>) = expected.iter().map(|(sum, failed)| (sum.to_bits(), *failed)).unzip();
    assert!(failed.iter().any(|&n| n % 100 > 0) && failed.iter().any(|&n| n >= 100));
    for mode in MODES {
        let kernel = compile_in(mode, &text);
        let (mut out, mut counts) = (bytes(&[0; ITEMS]), bytes(&[0; ITEMS]));
        let mut memory: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        let arguments = &mut [
            Argument::Memory(&mut out),
            Argument::Memory(&mut counts),
            Argument::Memory(&mut memory),
            Argument::Value(numbers.len() as u64),
        ];
        run(&kernel, range([1, 1, 1], [ITEMS as u64, 1, 1]), arguments).unwrap();
        assert_eq!(words(&counts), failed, "{mode:?}");
        assert_eq!(words(&out), sums, "{mode:?}");
    }
}
