// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What lanes keep across a barrier where they part before it and behind it: what is used in the next round of a loop stays, what is
//! made anew does not.

use super::{Argument, MODES, compile_in, range, run, words};

/// Three rounds, each with a loop and a branch in which items part, and two barriers.
const TEXT: &str = "OpEntryPoint Kernel %kernel \"k\" %global_id %local_id %local_size
    OpDecorate %global_id BuiltIn GlobalInvocationId
    OpDecorate %local_id BuiltIn LocalInvocationId
    OpDecorate %local_size BuiltIn WorkgroupSize
    %input_long3 = OpTypePointer Input %long3
    %global_id = OpVariable %input_long3 Input
    %local_id = OpVariable %input_long3 Input
    %local_size = OpVariable %input_long3 Input
    %l1 = OpConstant %long 1
    %i7 = OpConstant %int 7
    %i264 = OpConstant %int 264
    %i64 = OpConstant %int 64
    %array = OpTypeArray %int %i64
    %local_array = OpTypePointer Workgroup %array
    %tile = OpVariable %local_array Workgroup
    %type = OpTypeFunction %void %global_int
    %kernel = OpFunction %void None %type
    %p = OpFunctionParameter %global_int
    %start = OpLabel
    %ids = OpLoad %long3 %global_id
    %id = OpCompositeExtract %long %ids 0
    %own_ids = OpLoad %long3 %local_id
    %own = OpCompositeExtract %long %own_ids 0
    %sizes = OpLoad %long3 %local_size
    %size = OpCompositeExtract %long %sizes 0
    %behind = OpIAdd %long %own %l1
    %next_item = OpUMod %long %behind %size
    %place = OpAccessChain %local_int %tile %own
    %other_place = OpAccessChain %local_int %tile %next_item
    %at = OpPtrAccessChain %global_int %p %id
    %x = OpLoad %int %at Aligned 4
    OpBranch %head
    %head = OpLabel
    %round = OpPhi %int %i0 %start %next_round %end
    %sum = OpPhi %int %x %start %next_sum %end
    %goes_on = OpULessThan %bool %round %i3
    OpBranchConditional %goes_on %body %done
    %body = OpLabel
    %moved = OpIAdd %int %x %round
    %count = OpBitwiseAnd %int %moved %i7
    OpBranch %inner
    %inner = OpLabel
    %i = OpPhi %int %i0 %body %next_i %step
    %y = OpPhi %int %sum %body %next_y %step
    %is_more = OpULessThan %bool %i %count
    OpBranchConditional %is_more %step %joined
    %step = OpLabel
    %y3 = OpIMul %int %y %i3
    %next_y = OpIAdd %int %y3 %i
    %next_i = OpIAdd %int %i %i1
    OpBranch %inner
    %joined = OpLabel
    %lowest = OpBitwiseAnd %int %y %i1
    %is_odd = OpINotEqual %bool %lowest %i0
    OpBranchConditional %is_odd %odd %even
    %odd = OpLabel
    %of_odd = OpIMul %int %y %i7
    OpStore %place %of_odd Aligned 4
    OpBranch %even
    %even = OpLabel
    %z = OpPhi %int %y %joined %of_odd %odd
    OpBranchConditional %is_odd %wait %store
    %store = OpLabel
    OpStore %place %y Aligned 4
    OpBranch %wait
    %wait = OpLabel
    OpControlBarrier %i2 %i2 %i264
    %other = OpLoad %int %other_place Aligned 4
    %mixed = OpBitwiseXor %int %other %z
    OpBranchConditional %is_odd %end %add
    %add = OpLabel
    %added = OpIAdd %int %mixed %y
    OpBranch %end
    %end = OpLabel
    %last = OpPhi %int %mixed %wait %added %add
    %next_sum = OpIAdd %int %sum %last
    %next_round = OpIAdd %int %round %i1
    OpControlBarrier %i2 %i2 %i264
    OpBranch %head
    %done = OpLabel
    OpStore %at %sum Aligned 4
    OpReturn
    OpFunctionEnd";

#[test]
fn rounds_with_barriers() {
    const SIZES: [usize; 3] = [64, 40, 7];

    for mode in MODES {
        let kernel = compile_in(mode, TEXT);
        for size in SIZES {
            let numbers: Vec<u32> = (0..2 * size as u32).map(|i| i * i * 7 / 3 + 5).collect();
            let mut sums = numbers.clone();
            for round in 0..3 {
                let made = sums.iter().zip(&numbers).map(|(&sum, x)| {
                    let y = (0..(x + round) & 7).fold(sum, |y, i| y.wrapping_mul(3).wrapping_add(i));
                    (y, if y % 2 == 1 { y.wrapping_mul(7) } else { y })
                });
                let made: Vec<(u32, u32)> = made.collect();
                for (i, sum) in sums.iter_mut().enumerate() {
                    let (y, z) = made[i];
                    let other = made[i / size * size + (i % size + 1) % size].1;
                    let last = (other ^ z).wrapping_add(if y % 2 == 1 { 0 } else { y });
                    *sum = sum.wrapping_add(last);
                }
            }
            let mut p: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
            let mut arguments = [Argument::Memory(&mut p)];
            run(&kernel, range([2, 1, 1], [size as u64, 1, 1]), &mut arguments).unwrap();
            assert_eq!(words(&p), sums, "{mode:?}, groups of {size}");
        }
    }
}
