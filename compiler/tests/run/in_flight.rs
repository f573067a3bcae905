// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels that wait for their own results, which run several vectors at a time: rows of any length, and loops of any.

use super::{Argument, MODES, compile_in, range, run, words};

/// Each item goes through a loop as often as its number says, and writes what became of it. `INDEX` is the type of its place.
const KERNEL: &str = "
        OpEntryPoint Kernel %kernel \"k\" %global_id %global_size
        OpDecorate %global_id BuiltIn GlobalInvocationId
        OpDecorate %global_size BuiltIn GlobalSize
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %global_size = OpVariable %input_long3 Input
        %c0 = OpConstant %int 0
        %c1 = OpConstant %int 1
        %c7 = OpConstant %int 7
        %c63 = OpConstant %int 63
        %type = OpTypeFunction %void %global_int
        %kernel = OpFunction %void None %type
        %data = OpFunctionParameter %global_int
        %start = OpLabel
        %gs = OpLoad %long3 %global_id
        %ns = OpLoad %long3 %global_size
        %gx64 = OpCompositeExtract %long %gs 0
        %gy64 = OpCompositeExtract %long %gs 1
        %nx64 = OpCompositeExtract %long %ns 0
        %gx = CONVERT %INDEX %gx64
        %gy = CONVERT %INDEX %gy64
        %nx = CONVERT %INDEX %nx64
        %row = OpIMul %INDEX %gy %nx
        %at = OpIAdd %INDEX %row %gx
        %own = OpPtrAccessChain %global_int %data %at
        %number = OpLoad %int %own Aligned 4
        %most = OpBitwiseAnd %int %number %c63
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %int %c0 %start %i_next %next
        %so_far = OpPhi %int %number %start %more %next
        %goes_on = OpULessThan %bool %i %most
        OpLoopMerge %done %next None
        OpBranchConditional %goes_on %round %done
        %round = OpLabel
        %bit = OpBitwiseAnd %int %so_far %c1
        %is_odd = OpIEqual %bool %bit %c1
        OpSelectionMerge %next None
        OpBranchConditional %is_odd %odd %even
        %odd = OpLabel
        %product = OpIMul %int %so_far %c7
        %other = OpIAdd %int %product %i
        OpBranch %next
        %even = OpLabel
        %shifted = OpShiftRightLogical %int %so_far %c1
        OpBranch %next
        %next = OpLabel
        %more = OpPhi %int %other %odd %shifted %even
        %i_next = OpIAdd %int %i %c1
        OpBranch %head
        %done = OpLabel
        OpStore %own %so_far Aligned 4
        OpReturn
        OpFunctionEnd
        ";

fn expected(number: u32) -> u32 {
    (0..number & 63).fold(number, |n, i| match n & 1 {
        1 => n.wrapping_mul(7).wrapping_add(i),
        _ => n >> 1,
    })
}

#[test]
fn rows_of_any_length() {
    for (index, convert) in [("long", "OpCopyObject"), ("int", "OpUConvert")] {
        let text = KERNEL.replace("INDEX", index).replace("CONVERT", convert);
        for mode in MODES {
            let kernel = compile_in(mode, &text);
            for (groups, local) in [
                ([3, 1, 1], [256, 1, 1]),
                ([2, 3, 1], [64, 1, 1]),
                ([1, 2, 1], [200, 2, 1]),
                ([5, 2, 1], [16, 4, 1]),
                ([2, 2, 1], [10, 10, 1]),
                ([7, 1, 1], [1, 1, 1]),
                ([1, 3, 1], [63, 1, 1]),
                ([1, 1, 1], [65, 1, 1]),
                ([2, 1, 1], [112, 3, 1]),
            ] {
                let range = range(groups, local);
                let count = range.global_size.iter().product::<u64>() as u32;
                let numbers = (0..count).map(|i| i.wrapping_mul(2_654_435_761) ^ (i << 7));
                let mut memory: Vec<u8> = numbers.clone().flat_map(u32::to_ne_bytes).collect();
                run(&kernel, range, &mut [Argument::Memory(&mut memory)]).unwrap();
                let all: Vec<u32> = numbers.map(expected).collect();
                assert!(words(&memory) == all, "by {index}, {mode:?}, {range:?}");
            }
        }
    }
}
