// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Accesses of `base[i ^ distance]`: at all distances, from any first item, under masks and in branches.

use oxur_compiler::NdRange;

use super::{Argument, MODES, compile_in, range, run, words};

/// `if (in[i ^ d] & 1) out[(i + 1) ^ d] = in[i ^ d] + i`, of numbers of a type, by indices of a type.
const KERNEL: &str = "
        OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %k0 = OpConstant %NUMBER 0
        %k1 = OpConstant %NUMBER 1
        %one = OpConstant %INDEX 1
        %type = OpTypeFunction %void %global_NUMBER %global_NUMBER %int
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_NUMBER
        %in = OpFunctionParameter %global_NUMBER
        %d32 = OpFunctionParameter %int
        %start = OpLabel
        %gs = OpLoad %long3 %global_id
        %g = OpCompositeExtract %long %gs 0
        %i = TOINDEX %INDEX %g
        %n = TONUMBER %NUMBER %g
        %d = FROMINT %INDEX %d32
        %from = OpBitwiseXor %INDEX %i %d
        %from_to = OpPtrAccessChain %global_NUMBER %in %from
        %x = OpLoad %NUMBER %from_to Aligned SIZE
        %low = OpBitwiseAnd %NUMBER %x %k1
        %isit = OpIEqual %bool %low %k1
        OpSelectionMerge %merge None
        OpBranchConditional %isit %then %merge
        %then = OpLabel
        %y = OpIAdd %NUMBER %x %n
        %next = OpIAdd %INDEX %i %one
        %to = OpBitwiseXor %INDEX %d %next
        %to_to = OpPtrAccessChain %global_NUMBER %out %to
        OpStore %to_to %y Aligned SIZE
        OpBranch %merge
        %merge = OpLabel
        OpReturn
        OpFunctionEnd
        ";

#[test]
fn at_all_distances() {
    let offset = |range: NdRange, first| NdRange {
        global_offset: [first, 0, 0],
        ..range
    };
    let ranges = [
        range([2, 1, 1], [64, 1, 1]),
        range([3, 1, 1], [48, 1, 1]),
        range([1, 1, 1], [77, 1, 1]),
        offset(range([2, 1, 1], [64, 1, 1]), 15),
        offset(range([2, 1, 1], [64, 1, 1]), 3),
    ];
    for (number, size) in [("int", 4), ("long", 8)] {
        for index in ["int", "long"] {
            let convert = |from, to| match (from, to) {
                ("long", "int") | ("int", "long") => "OpUConvert",
                _ => "OpCopyObject",
            };
            let text = KERNEL
                .replace("TOINDEX", convert("long", index))
                .replace("TONUMBER", convert("long", number))
                .replace("FROMINT", convert("int", index))
                .replace("NUMBER", number)
                .replace("INDEX", index)
                .replace("SIZE", &size.to_string());
            for mode in MODES {
                let kernel = compile_in(mode, &text);
                for distance in [0, 1, 2, 3, 4, 7, 8, 12, 15, 16, 17, 24, 32, 48, 64, 100, 128] {
                    for range in ranges {
                        check(
                            &kernel,
                            range,
                            distance,
                            size,
                            &format!("{number} by {index}, {mode:?}"),
                        );
                    }
                }
            }
        }
    }
}

fn check(kernel: &super::Tested, range: NdRange, distance: u64, size: usize, what: &str) {
    const COUNT: u64 = 512;
    let bytes =
        |numbers: &[u64]| -> Vec<u8> { numbers.iter().flat_map(|n| n.to_ne_bytes()[..size].to_vec()).collect() };
    let numbers: Vec<u64> = (0..COUNT)
        .map(|i| i.wrapping_mul(2_654_435_761) >> 7 & 0xff_ffff)
        .collect();
    let mut expected = vec![9; COUNT as usize];
    for i in range.global_offset[0]..range.global_offset[0] + range.global_size[0] {
        let x = numbers[(i ^ distance) as usize];
        if x & 1 == 1 {
            expected[((i + 1) ^ distance) as usize] = x + i;
        }
    }
    let (mut out, mut input) = (bytes(&vec![9; COUNT as usize]), bytes(&numbers));
    run(
        kernel,
        range,
        &mut [
            Argument::Memory(&mut out),
            Argument::Memory(&mut input),
            Argument::Value(distance),
        ],
    )
    .unwrap();
    assert!(
        words(&out) == words(&bytes(&expected)),
        "{what}, at {distance}, {range:?}"
    );
}
