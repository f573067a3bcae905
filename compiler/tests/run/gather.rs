// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Items that follow links, each from a place of its own, and note what they found: loads and stores at addresses that have nothing to do
//! with each other, under masks, with elements of all sizes. Where an item has come to an end, there is no memory.

use super::{Argument, GLOBAL_ID, MODES, bytes, compile_in, range, run, words};

const KERNEL: &str = "
        %end_of_links = OpConstant %long END
        %c0 = OpConstant %long 0
        %c1 = OpConstant %long 1
        %c15 = OpConstant %long 15
        %c16 = OpConstant %long 16
        %type = OpTypeFunction %void %links_type %links_type
        %kernel = OpFunction %void None %type
        %links = OpFunctionParameter %links_type
        %notes = OpFunctionParameter %links_type
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %row = OpIMul %long %id %c16
        OpBranch %head
        %head = OpLabel
        %place = OpPhi %long %id %start %next_place %body
        %round = OpPhi %long %c0 %start %next_round %body
        %is_link = OpINotEqual %bool %place %end_of_links
        %is_early = OpULessThan %bool %round %c16
        %goes_on = OpLogicalAnd %bool %is_link %is_early
        OpLoopMerge %done %body None
        OpBranchConditional %goes_on %body %done
        %body = OpLabel
        %from = OpPtrAccessChain %links_type %links %place
        %link = OpLoad %element %from Aligned SIZE
        %mixed = OpIAdd %long %place %round
        %column = OpBitwiseAnd %long %mixed %c15
        %number = OpIAdd %long %row %column
        %to = OpPtrAccessChain %links_type %notes %number
        OpStore %to %link Aligned SIZE
        %next_place = CONVERT %long %link
        %next_round = OpIAdd %long %round %c1
        OpBranch %head
        %done = OpLabel
        OpReturn
        OpFunctionEnd
        ";

const ITEMS: usize = 96;

/// Elements of a type: its size, the number that ends a chain of links, how it becomes a `%long`, and how a number is in memory.
struct Elements {
    ty: &'static str,
    size: usize,
    end: u64,
    convert: &'static str,
    encode: fn(u64) -> Vec<u8>,
}

const ALL: [Elements; 6] = [
    Elements {
        ty: "%char",
        size: 1,
        end: 0xff,
        convert: "OpUConvert",
        encode: |x| vec![x as u8],
    },
    Elements {
        ty: "%short",
        size: 2,
        end: 0xffff,
        convert: "OpUConvert",
        encode: |x| (x as u16).to_ne_bytes().to_vec(),
    },
    Elements {
        ty: "%int",
        size: 4,
        end: 0xffff_ffff,
        convert: "OpUConvert",
        encode: |x| (x as u32).to_ne_bytes().to_vec(),
    },
    Elements {
        ty: "%long",
        size: 8,
        end: 1 << 59,
        convert: "OpCopyObject",
        encode: |x| x.to_ne_bytes().to_vec(),
    },
    Elements {
        ty: "%float",
        size: 4,
        end: 1 << 59,
        convert: "OpConvertFToU",
        encode: |x| (x as f32).to_ne_bytes().to_vec(),
    },
    Elements {
        ty: "%double",
        size: 8,
        end: 1 << 59,
        convert: "OpConvertFToU",
        encode: |x| (x as f64).to_ne_bytes().to_vec(),
    },
];

/// With links of which every `ending`-th is an end, and groups of a size, of which the vectors may not be full.
fn check(elements: &Elements, ending: usize, group: u64) {
    let Elements {
        ty,
        size,
        end,
        convert,
        encode,
    } = *elements;
    let text = format!("{GLOBAL_ID}{KERNEL}")
        .replace("END", &end.to_string())
        .replace("%links_type", &ty.replace('%', "%global_"))
        .replace("%element", ty)
        .replace("SIZE", &size.to_string())
        .replace("CONVERT", convert);
    let link = |place: usize| match place % ending {
        0 => end,
        _ => ((place * 29 + 7) % ITEMS) as u64,
    };
    let mut expected = vec![0xaa; 16 * ITEMS * size];
    for id in 0..ITEMS {
        let (mut place, mut round) = (id as u64, 0);
        while place != end && round < 16 {
            let next = link(place as usize);
            let at = size * (16 * id + (place as usize + round) % 16);
            expected[at..at + size].copy_from_slice(&encode(next));
            (place, round) = (next, round + 1);
        }
    }
    for mode in MODES {
        let kernel = compile_in(mode, &text);
        let mut links: Vec<u8> = (0..ITEMS).flat_map(|place| encode(link(place))).collect();
        let mut notes = vec![0xaa; 16 * ITEMS * size];
        let mut arguments = [Argument::Memory(&mut links), Argument::Memory(&mut notes)];
        run(
            &kernel,
            range([ITEMS as u64 / group, 1, 1], [group, 1, 1]),
            &mut arguments,
        )
        .unwrap();
        assert!(
            notes == expected,
            "{ty}, every {ending}th is an end, groups of {group}, {mode:?}"
        );
    }
}

#[test]
fn links() {
    for elements in &ALL {
        for ending in [2, 3, 17, 97] {
            check(elements, ending, 32);
        }
        check(elements, 5, 12);
        check(elements, 5, 3);
    }
}

/// Arrays of each item at indices that it loads, before and behind barriers, in a loop that ends when a loaded number says so.
const ACROSS_BARRIERS: &str = "
        %c63 = OpConstant %int 63
        %c64 = OpConstant %int 64
        %scopes = OpConstant %int 272
        %array = OpTypeArray %element %c64
        %array_type = OpTypePointer Function %array
        %element_type = OpTypePointer Function %element
        %type = OpTypeFunction %void %global_int %global_int %global_int
        %kernel = OpFunction %void None %type
        %places = OpFunctionParameter %global_int
        %ends = OpFunctionParameter %global_int
        %out = OpFunctionParameter %global_int
        %start = OpLabel
        %own = OpVariable %array_type Function
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %short_id = OpUConvert %int %id
        %end_at = OpPtrAccessChain %global_int %ends %id
        %end = OpLoad %int %end_at Aligned 4
        OpBranch %head
        %head = OpLabel
        %k = OpPhi %int %i0 %start %k_next %body
        %sum = OpPhi %int %i0 %start %sum_next %body
        %goes_on = OpULessThan %bool %k %end
        OpLoopMerge %done %body None
        OpBranchConditional %goes_on %body %done
        %body = OpLabel
        %at = OpIAdd %int %short_id %k
        %place_at = OpPtrAccessChain %global_int %places %at
        %word = OpLoad %int %place_at Aligned 4
        %first = OpBitwiseAnd %int %word %c63
        %high = OpShiftRightLogical %int %word %i8
        %second = OpBitwiseAnd %int %high %c63
        %one = OpInBoundsAccessChain %element_type %own %first
        %other = OpInBoundsAccessChain %element_type %own %second
        %a = CONVERT %element %k
        %b = CONVERT %element %word
        OpStore %one %a ACCESS
        OpStore %other %b ACCESS
        %read = OpLoad %element %one ACCESS
        %more = OpIAdd %element %read %a
        OpStore %other %more ACCESS
        OpControlBarrier %i2 %i2 %scopes
        %late = OpLoad %element %one ACCESS
        %term = CONVERT %int %late
        %sum_next = OpIAdd %int %sum %term
        %k_next = OpIAdd %int %k %i1
        OpBranch %head
        %done = OpLabel
        %to = OpPtrAccessChain %global_int %out %id
        OpStore %to %sum Aligned 4
        OpReturn
        OpFunctionEnd
        ";

#[test]
fn private_arrays_across_barriers() {
    const GROUPS: u64 = 2;
    for (group, (ty, size)) in [32, 64, 12]
        .into_iter()
        .flat_map(|group| [("%char", 1), ("%short", 2), ("%int", 4), ("%long", 8)].map(|element| (group, element)))
    {
        for access in ["Aligned", "Volatile|Aligned"] {
            let text = format!("{GLOBAL_ID}{ACROSS_BARRIERS}")
                .replace("%element_type", "%pointer_type")
                .replace("%element", ty)
                .replace("CONVERT", if size == 4 { "OpCopyObject" } else { "OpUConvert" })
                .replace("ACCESS", &format!("{access} {size}"));
            let items = GROUPS * group;
            let places: Vec<u32> = (0..items as u32 + 16).map(|i| i.wrapping_mul(2_654_435_761)).collect();
            let mask = u64::MAX >> (64 - 8 * size);
            let expected = (0..items as usize).map(|id| {
                let (mut own, mut sum) = ([0u64; 64], 0u32);
                for k in 0..9 {
                    let word = places[id + k];
                    let (first, second) = ((word & 63) as usize, (word >> 8 & 63) as usize);
                    own[first] = k as u64;
                    own[second] = u64::from(word) & mask;
                    own[second] = (own[first] + k as u64) & mask;
                    sum = sum.wrapping_add(own[first] as u32);
                }
                sum
            });
            let expected: Vec<u32> = expected.collect();
            for mode in MODES {
                let kernel = compile_in(mode, &text);
                let (mut out, mut memory) = (bytes(&vec![7; items as usize]), bytes(&places));
                let mut ends = bytes(&vec![9; items as usize]);
                let mut arguments = [&mut memory, &mut ends, &mut out].map(|bytes| Argument::Memory(bytes));
                run(&kernel, range([GROUPS, 1, 1], [group, 1, 1]), &mut arguments).unwrap();
                assert!(words(&out) == expected, "{ty}, groups of {group}, {access}, {mode:?}");
            }
        }
    }
}
