// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels of numbers in groups of 64 items at most, each of which has a place in local memory.

use super::{Argument, Tested, range, run, words};

/// `q[id] = %result` in the end, by what `body` makes of `%p`, `%id`, an item's number in its group `%own`, and its `%place` in `%tile`.
/// `end` is behind that.
pub fn text(declarations: &str, body: &str, end: &str) -> String {
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id %local_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        OpDecorate %local_id BuiltIn LocalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %local_id = OpVariable %input_long3 Input
        {declarations}
        %size = OpConstant %int 64
        %array = OpTypeArray %int %size
        %local_array = OpTypePointer Workgroup %array
        %tile = OpVariable %local_array Workgroup
        %type = OpTypeFunction %void %global_int %global_int
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %q = OpFunctionParameter %global_int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %own_ids = OpLoad %long3 %local_id
        %own = OpCompositeExtract %long %own_ids 0
        %place = OpAccessChain %local_int %tile %own
        {body}
        %to = OpPtrAccessChain %global_int %q %id
        OpStore %to %result Aligned 4
        {end}
        OpReturn
        OpFunctionEnd"
    )
}

/// What groups of `local` items make of numbers.
pub fn results(kernel: &Tested, numbers: &[u32], local: u64) -> Vec<u32> {
    let mut p: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let mut q = vec![0; p.len()];
    let mut arguments = [Argument::Memory(&mut p), Argument::Memory(&mut q)];
    let groups = numbers.len() as u64 / local;
    run(kernel, range([groups, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
    words(&q)
}
