// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Clocks, which tell something else each time: only their order is known.

use super::{Argument, MODES, compile_in, range, run, words};

/// More than the interpreter runs, which has no clock.
const ITEMS: u64 = 1280;

/// Each third item waits until a clock has moved on, and then reads that of the device.
#[test]
fn clocks_move_on() {
    let text = "OpCapability ShaderClockKHR
        OpExtension \"SPV_KHR_shader_clock\"
        OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %device = OpConstant %int 1
        %sub_group = OpConstant %int 3
        %l0 = OpConstant %long 0
        %l3 = OpConstant %long 3
        %l32 = OpConstant %long 32
        %type = OpTypeFunction %void %global_int
        %kernel = OpFunction %void None %type
        %q = OpFunctionParameter %global_int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %third = OpUMod %long %id %l3
        %reads = OpIEqual %bool %third %l0
        OpBranchConditional %reads %first_read %end
        %first_read = OpLabel
        %first = OpReadClockKHR %long %sub_group
        OpBranch %again
        %again = OpLabel
        %second = OpReadClockKHR %long %sub_group
        %moved = OpUGreaterThan %bool %second %first
        OpLoopMerge %then %again None
        OpBranchConditional %moved %then %again
        %then = OpLabel
        %halves = OpReadClockKHR %int2 %device
        %low = OpCompositeExtract %int %halves 0
        %high = OpCompositeExtract %int %halves 1
        %low64 = OpUConvert %long %low
        %high64 = OpUConvert %long %high
        %shifted = OpShiftLeftLogical %long %high64 %l32
        %third_time = OpBitwiseOr %long %low64 %shifted
        %in_order = OpUGreaterThanEqual %bool %third_time %second
        %result = OpSelect %int %in_order %i1 %i2
        %to = OpPtrAccessChain %global_int %q %id
        OpStore %to %result Aligned 4
        OpBranch %end
        %end = OpLabel
        OpReturn
        OpFunctionEnd";
    let expected: Vec<u32> = (0..ITEMS as u32).map(|id| u32::from(id.is_multiple_of(3))).collect();
    for mode in MODES {
        let mut q = vec![0; 4 * ITEMS as usize];
        let kernel = compile_in(mode, text);
        run(
            &kernel,
            range([ITEMS / 64, 1, 1], [64, 1, 1]),
            &mut [Argument::Memory(&mut q)],
        )
        .unwrap();
        assert_eq!(words(&q), expected, "{mode:?}");
    }
}
