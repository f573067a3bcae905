// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Guards: `if (number < bound)` around a few accesses, where an item's number is a multiple of its id, at all places of the bound in a
//! vector, and where numbers or bounds wrap.

use super::{Argument, GLOBAL_ID, MODES, compile_in, range, run};

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

const ITEMS: usize = 96;

fn check(comparison: &Comparison, bits: u32, step: u64, is_turned: bool, enters: bool) {
    let &(name, compare) = comparison;
    let ty = if bits == 32 { "%int" } else { "%long" };
    let text = format!("{GLOBAL_ID}{KERNEL}")
        .replace("%number", ty)
        .replace("STEP", &step.to_string())
        .replace("CONVERT", if bits == 32 { "OpUConvert" } else { "OpCopyObject" })
        .replace("BRANCH", if enters { "%inside %end" } else { "%end %inside" })
        .replace(
            "COMPARE",
            &format!("{name} %bool {}", if is_turned { "%bound %own" } else { "%own %bound" }),
        );
    let wrap = |x: u64| x & (u64::MAX >> (64 - bits));
    let signed = |x: u64| (x << (64 - bits)) as i64 >> (64 - bits);
    let (top, most) = (1_u64 << (bits - 1), wrap(u64::MAX));
    // Bounds before, in and behind the first vectors, and that no number of these types is beyond.
    let near = [0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 64, 95, 96].map(|place| place * step);
    let mut places = Vec::new();
    for first in [0, 7, top - 40 * step, most - 40 * step, top, most] {
        places.extend(near.map(|place| (first, wrap(first.wrapping_add(place)))));
        places.extend(near.map(|place| (first, wrap(first.wrapping_add(place).wrapping_sub(1)))));
        places.extend([0, 1, top - 1, top, most].map(|bound| (first, bound)));
    }
    for mode in MODES {
        let kernel = compile_in(mode, &text);
        for &(first, bound) in &places {
            let passes = |id: usize| {
                let own = wrap(first.wrapping_add(step.wrapping_mul(id as u64)));
                let (a, b) = if is_turned { (bound, own) } else { (own, bound) };
                compare(a, b, signed(a), signed(b)) == enters
            };
            let word = |id: usize| 3 * id as u32;
            let expected: Vec<u32> = (0..ITEMS).map(|id| if passes(id) { word(id) + 1 } else { 7 }).collect();
            let mut out: Vec<u8> = [7_u32; ITEMS].iter().flat_map(|word| word.to_ne_bytes()).collect();
            let mut memory: Vec<u8> = (0..ITEMS).flat_map(|id| word(id).to_ne_bytes()).collect();
            let arguments = &mut [
                Argument::Memory(&mut out),
                Argument::Memory(&mut memory),
                Argument::Value(first),
                Argument::Value(bound),
            ];
            run(&kernel, range([2, 1, 1], [48, 1, 1]), arguments).unwrap();
            let out: Vec<u32> = out
                .chunks_exact(4)
                .map(|word| u32::from_ne_bytes(word.try_into().unwrap()))
                .collect();
            assert!(
                out == expected,
                "{name} of {bits} bits from {first:#x} by {step}, with {bound:#x}, turned: {is_turned}, enters: {enters}, \
                 {mode:?}"
            );
        }
    }
}

#[test]
fn every_comparison() {
    for comparison in &COMPARISONS {
        for bits in [32, 64] {
            check(comparison, bits, 1, false, true);
            check(comparison, bits, 3, true, false);
        }
    }
}

#[test]
fn either_side_and_order() {
    for comparison in [&COMPARISONS[0], &COMPARISONS[7]] {
        check(comparison, 32, 5, true, true);
        check(comparison, 32, 5, false, false);
    }
}
