// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Atomic operations of local memory, which are plain loads and stores where one thread runs a group.

use super::{Argument, MODES, compile_in, range, run, words};

type Operation = (&'static str, fn(u32, u32) -> u32);

const OPERATIONS: [Operation; 10] = [
    ("OpAtomicIAdd", u32::wrapping_add),
    ("OpAtomicISub", u32::wrapping_sub),
    ("OpAtomicAnd", |x, y| x & y),
    ("OpAtomicOr", |x, y| x | y),
    ("OpAtomicXor", |x, y| x ^ y),
    ("OpAtomicUMin", u32::min),
    ("OpAtomicUMax", u32::max),
    ("OpAtomicSMin", |x, y| (x as i32).min(y as i32) as u32),
    ("OpAtomicSMax", |x, y| (x as i32).max(y as i32) as u32),
    ("OpAtomicExchange", |_, y| y),
];

/// `tile[own] = ~x; before = atomic(&tile[own], x); q[id] = before + 3 * tile[own];`
fn text(operation: &str) -> String {
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id %local_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        OpDecorate %local_id BuiltIn LocalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %local_id = OpVariable %input_long3 Input
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
        %from = OpPtrAccessChain %global_int %p %id
        %x = OpLoad %int %from Aligned 4
        %not_x = OpNot %int %x
        OpStore %place %not_x Aligned 4
        %before = {operation} %int %place %i2 %i0 %x
        %after = OpLoad %int %place Aligned 4
        %after3 = OpIMul %int %after %i3
        %result = OpIAdd %int %before %after3
        %to = OpPtrAccessChain %global_int %q %id
        OpStore %to %result Aligned 4
        OpReturn
        OpFunctionEnd"
    )
}

#[test]
fn of_local_memory() {
    for (name, operation) in OPERATIONS {
        for mode in MODES {
            let kernel = compile_in(mode, &text(name));
            for (groups, local) in [(2, 32), (3, 13)] {
                let count = (groups * local) as u32;
                let numbers: Vec<u32> = (0..count).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
                let mut p: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
                let mut q = vec![0; p.len()];
                let mut arguments = [Argument::Memory(&mut p), Argument::Memory(&mut q)];
                run(&kernel, range([groups, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
                let result = |&x: &u32| (!x).wrapping_add(operation(!x, x).wrapping_mul(3));
                let expected: Vec<u32> = numbers.iter().map(result).collect();
                assert_eq!(words(&q), expected, "{name}, {mode:?}, groups of {local}");
            }
        }
    }
}
