// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Vectors of a kernel's that stay together: an item's is loaded, combined with one number for all elements and with a vector that
//! is the same for all items, and stored.

use super::{Argument, MODES, compile_in, range, run, words};

/// `if (s[id] is odd, or all are to) v[id] = v[id] * s[id] + *u;`
fn text(is_guarded: bool) -> String {
    let (guard, end) = match is_guarded {
        true => (
            "%low = OpBitwiseAnd %int %x %i1
            %odd = OpIEqual %bool %low %i1
            OpBranchConditional %odd %yes %done
            %yes = OpLabel",
            "OpBranch %done
            %done = OpLabel",
        ),
        false => ("", ""),
    };
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %type = OpTypeFunction %void %global_int4 %global_int %global_int4
        %kernel = OpFunction %void None %type
        %v = OpFunctionParameter %global_int4
        %s = OpFunctionParameter %global_int
        %u = OpFunctionParameter %global_int4
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %from = OpPtrAccessChain %global_int %s %id
        %x = OpLoad %int %from Aligned 4
        {guard}
        %at = OpPtrAccessChain %global_int4 %v %id
        %own = OpLoad %int4 %at Aligned 16
        %of_all = OpLoad %int4 %u Aligned 16
        %all_x = OpCompositeConstruct %int4 %x %x %x %x
        %product = OpIMul %int4 %own %all_x
        %sum = OpIAdd %int4 %product %of_all
        OpStore %at %sum Aligned 16
        {end}
        OpReturn
        OpFunctionEnd"
    )
}

#[test]
fn numbers_for_all_elements() {
    let bytes = |numbers: &[u32]| numbers.iter().flat_map(|x| x.to_ne_bytes()).collect::<Vec<u8>>();
    for is_guarded in [false, true] {
        for mode in MODES {
            let kernel = compile_in(mode, &text(is_guarded));
            for (groups, local) in [(2, 32), (3, 13)] {
                let items = (groups * local) as u32;
                let vectors: Vec<u32> = (0..4 * items).map(|i| i * 7 + 1).collect();
                let numbers: Vec<u32> = (0..items).map(|i| i * i / 3 + 2).collect();
                let of_all = [1000, 20_000, 300_000, 4_000_000];
                let (mut v, mut s, mut u) = (bytes(&vectors), bytes(&numbers), bytes(&of_all));
                let mut arguments = [&mut v, &mut s, &mut u].map(|memory| Argument::Memory(memory));
                run(&kernel, range([groups, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
                let result = |i: usize| match numbers[i / 4] {
                    x if is_guarded && x % 2 == 0 => vectors[i],
                    x => vectors[i] * x + of_all[i % 4],
                };
                let expected: Vec<u32> = (0..vectors.len()).map(result).collect();
                assert_eq!(
                    words(&v),
                    expected,
                    "{mode:?}, groups of {local}, guarded: {is_guarded}"
                );
            }
        }
    }
}
