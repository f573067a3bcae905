// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Guards: `if (number < bound)` around a few accesses, where an item's number is a multiple of its id, at all places of the bound in a
//! vector, and where numbers or bounds wrap; guards that are several conditions, in loops.

use super::{Argument, GLOBAL_ID, MODES, bytes, compile_in, range, run, words};

/// Copies a word, and adds one, where the guard says so.
const KERNEL: &str = "
        %c1 = OpConstant %int 1
        %step = OpConstant %number STEP
        %type = OpTypeFunction %void %global_int %global_int %number %number
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_int
        %in = OpFunctionParameter %global_int
        %first = OpFunctionParameter %number
        %bound = OpFunctionParameter %number
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %short_id = CONVERT %number %id
        %scaled = OpIMul %number %short_id %step
        %own = OpIAdd %number %first %scaled
        %from = OpPtrAccessChain %global_int %in %id
        %to = OpPtrAccessChain %global_int %out %id
        %passes = COMPARE
        OpSelectionMerge %end None
        OpBranchConditional %passes BRANCH
        %inside = OpLabel
        %word = OpLoad %int %from Aligned 4
        %more = OpIAdd %int %word %c1
        OpStore %to %more Aligned 4
        OpBranch %end
        %end = OpLabel
        OpReturn
        OpFunctionEnd
        ";

/// Comparisons, with the same in Rust, of numbers without and with a sign.
type Comparison = (&'static str, fn(u64, u64, i64, i64) -> bool);

const COMPARISONS: [Comparison; 10] = [
    ("OpULessThan", |a, b, _, _| a < b),
    ("OpULessThanEqual", |a, b, _, _| a <= b),
    ("OpUGreaterThan", |a, b, _, _| a > b),
    ("OpUGreaterThanEqual", |a, b, _, _| a >= b),
    ("OpSLessThan", |_, _, a, b| a < b),
    ("OpSLessThanEqual", |_, _, a, b| a <= b),
    ("OpSGreaterThan", |_, _, a, b| a > b),
    ("OpSGreaterThanEqual", |_, _, a, b| a >= b),
    ("OpIEqual", |a, b, _, _| a == b),
    ("OpINotEqual", |a, b, _, _| a != b),
];

const ITEMS: u64 = 96;

/// How a guard is written.
#[derive(Clone, Copy, Debug)]
struct Form {
    bits: u32,
    step: u64,
    /// Whether the bound comes first.
    is_turned: bool,
    /// Whether items enter where the comparison is true.
    enters: bool,
}

fn check(&(name, compare): &Comparison, form: Form) {
    let Form {
        bits,
        step,
        is_turned,
        enters,
    } = form;
    let ty = match bits {
        8 => "%char",
        16 => "%short",
        32 => "%int",
        _ => "%long",
    };
    let operands = if is_turned { "%bound %own" } else { "%own %bound" };
    let text = format!("{GLOBAL_ID}{KERNEL}")
        .replace("%number", ty)
        .replace("STEP", &step.to_string())
        .replace("CONVERT", if bits == 64 { "OpCopyObject" } else { "OpUConvert" })
        .replace("BRANCH", if enters { "%inside %end" } else { "%end %inside" })
        .replace("COMPARE", &format!("{name} %bool {operands}"));
    let wrap = |x: u64| x & (u64::MAX >> (64 - bits));
    let signed = |x: u64| (x << (64 - bits)) as i64 >> (64 - bits);
    let (top, most) = (1_u64 << (bits - 1), wrap(u64::MAX));
    // Bounds before, in and behind the first vectors, and next to those at which numbers wrap.
    let near = [0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 64, 95, 96].map(|place| place * step);
    let mut places = Vec::new();
    for first in [
        0,
        7,
        top.wrapping_sub(40 * step),
        most.wrapping_sub(40 * step),
        top,
        most,
    ]
    .map(wrap)
    {
        places.extend(near.map(|place| (first, wrap(first.wrapping_add(place)))));
        places.extend(near.map(|place| (first, wrap(first.wrapping_add(place).wrapping_sub(1)))));
        places.extend([0, 1, top - 1, top, most].map(|bound| (first, bound)));
    }
    for mode in MODES {
        let kernel = compile_in(mode, &text);
        for &(first, bound) in &places {
            let passes = |id: u64| {
                let own = wrap(first.wrapping_add(step.wrapping_mul(id)));
                let (a, b) = if is_turned { (bound, own) } else { (own, bound) };
                compare(a, b, signed(a), signed(b)) == enters
            };
            let word = |id: u64| 3 * id as u32;
            let expected: Vec<u32> = (0..ITEMS).map(|id| if passes(id) { word(id) + 1 } else { 7 }).collect();
            let mut out = bytes(&[7; ITEMS as usize]);
            let mut memory = bytes(&(0..ITEMS).map(word).collect::<Vec<_>>());
            let arguments = &mut [
                Argument::Memory(&mut out),
                Argument::Memory(&mut memory),
                Argument::Value(first),
                Argument::Value(bound),
            ];
            run(&kernel, range([2, 1, 1], [48, 1, 1]), arguments).unwrap();
            assert!(
                words(&out) == expected,
                "{name} from {first:#x} with {bound:#x}, {form:?}, {mode:?}"
            );
        }
    }
}

#[test]
fn every_comparison() {
    for comparison in &COMPARISONS {
        for (bits, step, is_turned, enters) in [
            (32, 1, false, true),
            (32, 3, true, false),
            (64, 1, false, true),
            (64, 3, true, false),
            (16, 1, true, true),
            // From the first of 16 items to the last it is less than half of all numbers, and more.
            (8, 8, false, true),
            (8, 9, false, true),
        ] {
            let form = Form {
                bits,
                step,
                is_turned,
                enters,
            };
            check(comparison, form);
        }
    }
}

/// Several guards of which each is another reason, all inside a loop behind a barrier: `flag` is the same for all items and for
/// all rounds, so that LLVM moves its comparison out of the loop; what passes is blended with what does not; both sides store.
const LOOP: &str = "
        OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %c0 = OpConstant %int 0
        %c1 = OpConstant %int 1
        %c2 = OpConstant %int 2
        %c5 = OpConstant %int 5
        %c8 = OpConstant %int 8
        %c272 = OpConstant %int 272
        %type = OpTypeFunction %void %global_int %global_int %int %int %int
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_int
        %in = OpFunctionParameter %global_int
        %flag = OpFunctionParameter %int
        %low = OpFunctionParameter %int
        %high = OpFunctionParameter %int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %wide = OpCompositeExtract %long %ids 0
        %id = OpUConvert %int %wide
        %to = OpPtrAccessChain %global_int %out %id
        BARRIER
        OpBranch %head
        %head = OpLabel
        %round = OpPhi %int %c0 %start %next %joined
        %sum = OpPhi %int %c0 %start %more %joined
        %again = OpULessThan %bool %round %c5
        OpLoopMerge %done %joined None
        OpBranchConditional %again %body %done
        %body = OpLabel
        %is_on = OpINotEqual %bool %flag %c0
        %shifted = OpIMul %int %round %c8
        %place = OpIAdd %int %id %shifted
        %above = OpUGreaterThanEqual %bool %place %low
        %below = OpSLessThan %bool %place %high
        %between = OpLogicalAnd %bool %above %below
        %passes = COMBINE
        OpSelectionMerge %joined None
        OpBranchConditional %passes %yes %no
        %yes = OpLabel
        %twice = OpIMul %int %place %c2
        %pair = OpPtrAccessChain %global_int %in %twice
        %first = OpLoad %int %pair Aligned 4
        %odd = OpIAdd %int %twice %c1
        %other = OpPtrAccessChain %global_int %in %odd
        %second = OpLoad %int %other Aligned 4
        %both = OpIAdd %int %first %second
        %a = OpIAdd %int %sum %both
        OpBranch %joined
        %no = OpLabel
        %from = OpPtrAccessChain %global_int %in %place
        %single = OpLoad %int %from Aligned 4
        %b = OpBitwiseXor %int %sum %single
        OpBranch %joined
        %joined = OpLabel
        %more = OpPhi %int %a %yes %b %no
        %next = OpIAdd %int %round %c1
        OpBranch %head
        %done = OpLabel
        OpStore %to %sum Aligned 4
        OpReturn
        OpFunctionEnd
        ";

#[test]
fn conditions_of_several_in_loops() {
    /// How `flag != 0` and `low <= place < high` are combined.
    type Combine = (&'static str, fn(bool, bool) -> bool);
    const COMBINED: [Combine; 4] = [
        ("OpLogicalAnd %bool %is_on %between", |on, between| on && between),
        ("OpLogicalOr %bool %is_on %between", |on, between| on || between),
        ("OpLogicalNot %bool %between", |_, between| !between),
        ("OpLogicalNotEqual %bool %is_on %between", |on, between| on != between),
    ];
    let numbers: Vec<u32> = (0..300).map(|i: u32| i.wrapping_mul(2_654_435_761)).collect();
    for (combine, of) in COMBINED {
        for barrier in ["", "OpControlBarrier %c2 %c2 %c272"] {
            let text = LOOP.replace("COMBINE", combine).replace("BARRIER", barrier);
            for mode in MODES {
                let kernel = compile_in(mode, &text);
                for (flag, low, high) in [
                    (1, 0, 200),
                    (0, 0, 200),
                    (1, 5, 100),
                    (1, 16, 64),
                    (0, 33, 90),
                    (1, 0, u32::MAX),
                ] {
                    let result = |id: u32| {
                        (0..5).fold(0u32, |sum, round| {
                            let place = id + 8 * round;
                            let between = place >= low && (place as i32) < high as i32;
                            let number = |i: u32| numbers[i as usize];
                            match of(flag != 0, between) {
                                true => sum.wrapping_add(number(2 * place).wrapping_add(number(2 * place + 1))),
                                false => sum ^ number(place),
                            }
                        })
                    };
                    let expected: Vec<u32> = (0..ITEMS as u32).map(result).collect();
                    let (mut out, mut memory) = (vec![0; 4 * ITEMS as usize], bytes(&numbers));
                    let mut arguments = vec![Argument::Memory(&mut out), Argument::Memory(&mut memory)];
                    arguments.extend([flag, low, high].map(|value| Argument::Value(value.into())));
                    run(&kernel, range([2, 1, 1], [48, 1, 1]), &mut arguments).unwrap();
                    assert!(
                        words(&out) == expected,
                        "{combine}, {barrier}, {flag}, {low}..{high}, {mode:?}"
                    );
                }
            }
        }
    }
}
