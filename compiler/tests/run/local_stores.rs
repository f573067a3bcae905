// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Stores to local memory by some items of a group, or by none: what is around them stays, also at the end of the memory.

use super::{Argument, MODES, compile_in, range, run, words};

/// What the local variable has, in numbers: all that a kernel of most devices can have.
const LENGTH: usize = 65_536;

/// In each group the first items, as many as `counts` says, store to `tile` from a place of the group on, and the others from its first
/// element on. Then each loads what the item at the other end of those has stored.
const TEXT: &str = "OpEntryPoint Kernel %kernel \"k\" %global_id %local_id %group_id %local_size
    OpDecorate %global_id BuiltIn GlobalInvocationId
    OpDecorate %local_id BuiltIn LocalInvocationId
    OpDecorate %group_id BuiltIn WorkgroupId
    OpDecorate %local_size BuiltIn WorkgroupSize
    %input_long3 = OpTypePointer Input %long3
    %global_id = OpVariable %input_long3 Input
    %local_id = OpVariable %input_long3 Input
    %group_id = OpVariable %input_long3 Input
    %local_size = OpVariable %input_long3 Input
    %l1 = OpConstant %long 1
    %i264 = OpConstant %int 264
    %c65536 = OpConstant %int 65536
    %array = OpTypeArray %ELEMENT %c65536
    %local_array = OpTypePointer Workgroup %array
    %in_tile = OpTypePointer Workgroup %ELEMENT
    %tile = OpVariable %local_array Workgroup
    %type = OpTypeFunction %void %global_ELEMENT %global_ELEMENT %global_long %global_long
    %kernel = OpFunction %void None %type
    %out = OpFunctionParameter %global_ELEMENT
    %in = OpFunctionParameter %global_ELEMENT
    %counts = OpFunctionParameter %global_long
    %places = OpFunctionParameter %global_long
    %start = OpLabel
    %ids = OpLoad %long3 %global_id
    %id = OpCompositeExtract %long %ids 0
    %own_ids = OpLoad %long3 %local_id
    %own = OpCompositeExtract %long %own_ids 0
    %groups = OpLoad %long3 %group_id
    %group = OpCompositeExtract %long %groups 0
    %sizes = OpLoad %long3 %local_size
    %size = OpCompositeExtract %long %sizes 0
    %count_at = OpPtrAccessChain %global_long %counts %group
    %count = OpLoad %long %count_at Aligned 8
    %place_at = OpPtrAccessChain %global_long %places %group
    %place = OpLoad %long %place_at Aligned 8
    %x_at = OpPtrAccessChain %global_ELEMENT %in %id
    %x = OpLoad %ELEMENT %x_at Aligned WIDTH
    %own_place = OpIAdd %long %place %own
    %to = OpAccessChain %in_tile %tile %own_place
    %is_first = OpULessThan %bool %own %count
    OpSelectionMerge %others None
    OpBranchConditional %is_first %store %others
    %store = OpLabel
    OpStore %to %x Aligned WIDTH
    OpBranch %others
    %others = OpLabel
    %twice = OpADD %ELEMENT %x %x
    OpSelectionMerge %wait None
    OpBranchConditional %is_first %wait %store_other
    %store_other = OpLabel
    %own_other = OpISub %long %own %count
    %to_other = OpAccessChain %in_tile %tile %own_other
    OpStore %to_other %twice Aligned WIDTH
    OpBranch %wait
    %wait = OpLabel
    OpControlBarrier %i2 %i2 %i264
    OpSelectionMerge %done None
    OpBranchConditional %is_first %load %load_other
    %load = OpLabel
    %left = OpISub %long %count %own
    %last = OpISub %long %left %l1
    %from_place = OpIAdd %long %place %last
    %from = OpAccessChain %in_tile %tile %from_place
    %y = OpLoad %ELEMENT %from Aligned WIDTH
    OpBranch %done
    %load_other = OpLabel
    %left_other = OpISub %long %size %own
    %last_other = OpISub %long %left_other %l1
    %from_other = OpAccessChain %in_tile %tile %last_other
    %z = OpLoad %ELEMENT %from_other Aligned WIDTH
    OpBranch %done
    %done = OpLabel
    %result = OpPhi %ELEMENT %y %load %z %load_other
    %out_at = OpPtrAccessChain %global_ELEMENT %out %id
    OpStore %out_at %result Aligned WIDTH
    OpReturn
    OpFunctionEnd";

#[test]
fn of_some_items() {
    // Numbers of 32 and of 64 bits, whose last place is that of an array of half the size.
    for (element, width, add) in [("int", 4, "IAdd"), ("float", 4, "FAdd"), ("long", 8, "IAdd")] {
        let length = 4 * LENGTH / width;
        let text = TEXT
            .replace("ELEMENT", element)
            .replace("WIDTH", &width.to_string())
            .replace("OpADD", &format!("Op{add}"))
            .replace("OpConstant %int 65536", &format!("OpConstant %int {length}"));
        for mode in MODES {
            let kernel = compile_in(mode, &text);
            for local in [1, 5, 7, 8, 16, 24, 33, 64, 100] {
                // All, none, and some items, from one place to the end of the tile. What none stores to may be anywhere.
                let counts: Vec<usize> = [0, local, 1, local / 2, local - 1, local.min(9)].to_vec();
                let places: Vec<usize> = (counts.iter().enumerate())
                    .map(|(group, &count)| match group {
                        0 => 1 << 40,
                        3 => length - local - count,
                        _ => length - count,
                    })
                    .collect();
                let all = local * counts.len();
                let value = |id: usize| (id * 3 + 1) as u64;
                let encode = |n: u64| match element {
                    "float" => (n as f32).to_ne_bytes().to_vec(),
                    _ => n.to_ne_bytes()[..width].to_vec(),
                };
                let mut input: Vec<u8> = (0..all).flat_map(|id| encode(value(id))).collect();
                let mut out = vec![0xff; width * all];
                let [mut count_bytes, mut place_bytes] =
                    [&counts, &places].map(|n| n.iter().flat_map(|&n| (n as u64).to_ne_bytes()).collect::<Vec<u8>>());
                let arguments = &mut [
                    Argument::Memory(&mut out),
                    Argument::Memory(&mut input),
                    Argument::Memory(&mut count_bytes),
                    Argument::Memory(&mut place_bytes),
                ];
                run(
                    &kernel,
                    range([counts.len() as u64, 1, 1], [local as u64, 1, 1]),
                    arguments,
                )
                .unwrap();
                let expected: Vec<u8> = (0..all)
                    .flat_map(|id| {
                        let (group, own) = (id / local, id % local);
                        let (first, count) = (group * local, counts[group]);
                        encode(match own < count {
                            true => value(first + count - 1 - own),
                            // The last item loads the first element, to which the first of the others has stored.
                            false => 2 * value(first + local - 1 - own + count),
                        })
                    })
                    .collect();
                assert!(
                    words(&out) == words(&expected),
                    "{element}, {mode:?}, groups of {local}"
                );
            }
        }
    }
}
