// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels that wait for their own results, which run several vectors at a time: rows of any length, and loops of any.

use super::{Argument, GLOBAL_ID, MODES, compile_in, range, run, words};

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

/// Each item looks its key up in a sorted table, and writes at a place of its own how many entries are less. `WAIT` is a barrier, or
/// nothing.
const SEARCH: &str = "
        %l0 = OpConstant %long 0
        %l1 = OpConstant %long 1
        %c2 = OpConstant %int 2
        %c272 = OpConstant %int 272
        %type = OpTypeFunction %void %global_int %global_ELEMENT %global_ELEMENT %long %long
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_int
        %table = OpFunctionParameter %global_ELEMENT
        %keys = OpFunctionParameter %global_ELEMENT
        %length = OpFunctionParameter %long
        %step = OpFunctionParameter %long
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %key_at = OpPtrAccessChain %global_ELEMENT %keys %id
        %key = OpLoad %ELEMENT %key_at Aligned 4
        OpBranch %head
        %head = OpLabel
        %first = OpPhi %long %l0 %start %first_next %next
        %left = OpPhi %long %length %start %left_next %next
        %is_there = OpUGreaterThan %bool %left %l0
        OpLoopMerge %done %next None
        OpBranchConditional %is_there %round %done
        %round = OpLabel
        %offset = OpShiftRightLogical %long %left %l1
        %middle = OpIAdd %long %first %offset
        %at = OpPtrAccessChain %global_ELEMENT %table %middle
        %entry = OpLoad %ELEMENT %at Aligned 4
        %is_less = LESS %bool %entry %key
        OpSelectionMerge %next None
        OpBranchConditional %is_less %right %next
        %right = OpLabel
        %first_right = OpIAdd %long %middle %l1
        %rest = OpISub %long %left %offset
        %left_right = OpISub %long %rest %l1
        OpBranch %next
        %next = OpLabel
        %first_next = OpPhi %long %first %round %first_right %right
        %left_next = OpPhi %long %offset %round %left_right %right
        OpBranch %head
        %done = OpLabel
        WAIT
        %place = OpIMul %long %id %step
        %to = OpPtrAccessChain %global_int %out %place
        %result = OpUConvert %int %first
        OpStore %to %result Aligned 4
        OpReturn
        OpFunctionEnd
        ";

/// A kernel that waits at a barrier, and does nothing else.
const WAITS: &str = "
        OpEntryPoint Kernel %kernel \"k\"
        %c2 = OpConstant %int 2
        %c272 = OpConstant %int 272
        %type = OpTypeFunction %void
        %kernel = OpFunction %void None %type
        %start = OpLabel
        OpControlBarrier %c2 %c2 %c272
        OpReturn
        OpFunctionEnd
        ";

/// The lanes of CPUs that gather without a branch for each.
const LANES_OF_GATHERS: u32 = 16;

/// Whether code is for a level of CPUs or a higher one: that of this CPU, unless `UR_CPU_TARGET` names one.
fn is_compiled_for(level: &str, has: bool) -> bool {
    has && std::env::var("UR_CPU_TARGET").map_or(true, |named| named.as_str() >= level)
}

fn has_avx512() -> bool {
    is_compiled_for("x86-64-v4", std::arch::is_x86_feature_detected!("avx512dq"))
}

/// With AVX2 a kernel with barriers has two vectors if it is short, and one if it is not.
#[test]
fn short_kernels() {
    let is_avx2 = !has_avx512() && is_compiled_for("x86-64-v3", std::arch::is_x86_feature_detected!("avx2"));
    // One that computes for long, behind a barrier.
    let steps: String = (0..40)
        .map(|i| {
            format!(
                "%a{i} = OpIMul %int %b{i} %b{i}\n%b{} = OpIAdd %int %a{i} %b{i}\n",
                i + 1
            )
        })
        .collect();
    let long = format!(
        "{GLOBAL_ID}
        %c2 = OpConstant %int 2
        %c272 = OpConstant %int 272
        %type = OpTypeFunction %void %global_int
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %at = OpPtrAccessChain %global_int %out %id
        %b0 = OpLoad %int %at Aligned 4
        OpControlBarrier %c2 %c2 %c272
        {steps}
        OpStore %at %b40 Aligned 4
        OpReturn
        OpFunctionEnd"
    );
    for mode in MODES {
        let [short, long] = [WAITS, &long].map(|text| compile_in(mode, text).lanes());
        let expected = if long == 8 && is_avx2 { 16 } else { long };
        assert_eq!(short, expected, "{mode:?}");
    }
}

#[test]
fn searches() {
    let table: Vec<u32> = (0..1000).map(|i| i * 3).collect();
    for (element, less) in [
        ("int", "OpULessThan"),
        ("float", "OpFOrdLessThan"),
        ("double", "OpFOrdLessThan"),
    ] {
        let bytes = |numbers: &[u32]| -> Vec<u8> {
            let of = |&n: &u32| match element {
                "int" => n.to_ne_bytes().to_vec(),
                "float" => (n as f32).to_ne_bytes().to_vec(),
                _ => f64::from(n).to_ne_bytes().to_vec(),
            };
            numbers.iter().flat_map(of).collect()
        };
        for wait in ["", "OpControlBarrier %c2 %c2 %c272"] {
            let text = format!("{GLOBAL_ID}{SEARCH}")
                .replace("ELEMENT", element)
                .replace("LESS", less)
                .replace("WAIT", wait);
            for mode in MODES {
                let kernel = compile_in(mode, &text);
                // What a kernel with barriers and no search has, and one without barriers.
                let lanes = compile_in(mode, WAITS).lanes();
                let expected = match (lanes, has_avx512(), wait) {
                    (1, ..) => 1,
                    (_, true, "") => LANES_OF_GATHERS,
                    (_, true, _) => 2 * LANES_OF_GATHERS,
                    (_, false, "") => 8,
                    (_, false, _) => lanes,
                };
                assert_eq!(kernel.lanes(), expected, "{element}, {mode:?}");
                for (groups, local) in [(2, 256), (3, 100), (1, 32), (2, 48), (9, 7), (1, 1), (2, 33)] {
                    for (length, step) in [(0, 1), (1, 2), (37, 1), (1000, 3)] {
                        let range = range([groups, 1, 1], [local, 1, 1]);
                        let count = (groups * local) as u32;
                        let keys: Vec<u32> = (0..count).map(|i| i.wrapping_mul(2_654_435_761) % 3100).collect();
                        let mut out = vec![0xff; 4 * step * count as usize];
                        let (mut sorted, mut wanted) = (bytes(&table), bytes(&keys));
                        let arguments = &mut [
                            Argument::Memory(&mut out),
                            Argument::Memory(&mut sorted),
                            Argument::Memory(&mut wanted),
                            Argument::Value(length as u64),
                            Argument::Value(step as u64),
                        ];
                        run(&kernel, range, arguments).unwrap();
                        let found: Vec<u32> = words(&out).into_iter().step_by(step).collect();
                        let all: Vec<u32> = (keys.iter())
                            .map(|key| table[..length].partition_point(|entry| entry < key) as u32)
                            .collect();
                        assert!(found == all, "{element}, {wait}, {mode:?}, {range:?}, {length}");
                    }
                }
            }
        }
    }
}

/// Each item adds up what lies in memory from its own place on, in steps of the range's items. Then it adds the sum of the next item
/// in its group.
const SUMS: &str = "
        OpEntryPoint Kernel %kernel \"k\" %global_id %global_size %local_index %local_size
        OpDecorate %global_id BuiltIn GlobalInvocationId
        OpDecorate %global_size BuiltIn GlobalSize
        OpDecorate %local_index BuiltIn LocalInvocationIndex
        OpDecorate %local_size BuiltIn WorkgroupSize
        %input_long3 = OpTypePointer Input %long3
        %input_long = OpTypePointer Input %long
        %global_id = OpVariable %input_long3 Input
        %global_size = OpVariable %input_long3 Input
        %local_size = OpVariable %input_long3 Input
        %local_index = OpVariable %input_long Input
        %c0 = OpConstant %ELEMENT 0
        %l1 = OpConstant %long 1
        %c2 = OpConstant %int 2
        %c272 = OpConstant %int 272
        %local_ELEMENT_in = OpTypePointer Workgroup %ELEMENT
        %l8192 = OpConstant %long 8192
        %array = OpTypeArray %ELEMENT %l8192
        %local_array = OpTypePointer Workgroup %array
        %sums = OpVariable %local_array Workgroup
        %type = OpTypeFunction %void %global_ELEMENT %global_ELEMENT %long
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_ELEMENT
        %in = OpFunctionParameter %global_ELEMENT
        %count = OpFunctionParameter %long
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %sizes = OpLoad %long3 %global_size
        %x = OpCompositeExtract %long %ids 0
        %y = OpCompositeExtract %long %ids 1
        %width = OpCompositeExtract %long %sizes 0
        %height = OpCompositeExtract %long %sizes 1
        %items = OpIMul %long %width %height
        %row = OpIMul %long %y %width
        %id = OpIAdd %long %row %x
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %long %id %start %i_next %body
        %sum = OpPhi %ELEMENT %c0 %start %more %body
        %goes_on = OpULessThan %bool %i %count
        OpLoopMerge %done %body None
        OpBranchConditional %goes_on %body %done
        %body = OpLabel
        %from = OpPtrAccessChain %global_ELEMENT %in %i
        %number = OpLoad %ELEMENT %from Aligned 4
        %more = ADD %ELEMENT %sum %number
        %i_next = OpIAdd %long %i %items
        OpBranch %head
        %done = OpLabel
        %place = OpLoad %long %local_index
        %at = OpAccessChain %local_ELEMENT_in %sums %place
        OpStore %at %sum Aligned 4
        OpControlBarrier %c2 %c2 %c272
        %local_sizes = OpLoad %long3 %local_size
        %local_width = OpCompositeExtract %long %local_sizes 0
        %local_height = OpCompositeExtract %long %local_sizes 1
        %group = OpIMul %long %local_width %local_height
        %following = OpIAdd %long %place %l1
        %next_place = OpUMod %long %following %group
        %next_at = OpAccessChain %local_ELEMENT_in %sums %next_place
        %theirs = OpLoad %ELEMENT %next_at Aligned 4
        %both = ADD %ELEMENT %sum %theirs
        %to = OpPtrAccessChain %global_ELEMENT %out %id
        OpStore %to %both Aligned 4
        OpReturn
        OpFunctionEnd
        ";

#[test]
fn sums_through_memory() {
    let numbers: Vec<u32> = (0..6000u32).map(|i| i.wrapping_mul(2_654_435_761) >> 12).collect();
    for (element, add) in [("int", "OpIAdd"), ("double", "OpFAdd")] {
        let text = SUMS.replace("ELEMENT", element).replace("ADD", add);
        let memory: Vec<u8> = match element {
            "int" => numbers.iter().flat_map(|n| n.to_ne_bytes()).collect(),
            _ => numbers.iter().flat_map(|&n| f64::from(n).to_ne_bytes()).collect(),
        };
        for mode in MODES {
            let kernel = compile_in(mode, &text);
            let expected = match compile_in(mode, WAITS).lanes() {
                1 => 1,
                _ if has_avx512() => 4 * LANES_OF_GATHERS,
                _ if is_compiled_for("x86-64-v3", std::arch::is_x86_feature_detected!("avx2")) => 4 * 8,
                lanes => lanes,
            };
            assert_eq!(kernel.lanes(), expected, "{element}, {mode:?}");
            for (groups, local) in [
                ([2, 1], [256, 1]),
                ([3, 1], [64, 1]),
                ([2, 1], [32, 1]),
                ([2, 1], [100, 1]),
                ([1, 1], [48, 1]),
                ([5, 1], [1, 1]),
                ([2, 2], [64, 2]),
                ([2, 2], [16, 16]),
                ([2, 1], [24, 4]),
                ([1, 2], [10, 10]),
                ([2, 2], [5, 3]),
            ] {
                let range = range([groups[0], groups[1], 1], [local[0], local[1], 1]);
                let items = (range.global_size[0] * range.global_size[1]) as usize;
                for count in [
                    0,
                    1,
                    63,
                    64,
                    65,
                    items - 1,
                    items,
                    items + 1,
                    items + 70,
                    5 * items + 17,
                    6000,
                ] {
                    let count = count.min(6000);
                    let sum = |id: usize| numbers[..count].iter().skip(id).step_by(items).sum::<u32>();
                    let result = |id: usize| {
                        let (x, y, width) = (
                            id % range.global_size[0] as usize,
                            id / range.global_size[0] as usize,
                            range.global_size[0] as usize,
                        );
                        let [w, h] = local.map(|size| size as usize);
                        let next = ((y % h) * w + x % w + 1) % (w * h);
                        let (next_x, next_y) = (x / w * w + next % w, y / h * h + next / w);
                        sum(id) + sum(next_y * width + next_x)
                    };
                    let expected: Vec<u32> = (0..items).map(result).collect();
                    let size = if element == "int" { 4 } else { 8 };
                    let (mut out, mut input) = (vec![0; size * items], memory.clone());
                    let arguments = &mut [
                        Argument::Memory(&mut out),
                        Argument::Memory(&mut input),
                        Argument::Value(count as u64),
                    ];
                    run(&kernel, range, arguments).unwrap();
                    let found: Vec<u32> = match element {
                        "int" => words(&out),
                        _ => (out.chunks_exact(8))
                            .map(|bytes| f64::from_ne_bytes(bytes.try_into().unwrap()) as u32)
                            .collect(),
                    };
                    assert!(found == expected, "{element}, {mode:?}, {range:?}, {count}");
                }
            }
        }
    }
}

/// Kernels that gather in a loop beside the one through memory have no more vectors than others.
#[test]
fn sums_that_gather() {
    let text = SUMS.replace("ELEMENT", "int").replace("ADD", "OpIAdd").replace(
        "%number = OpLoad %int %from Aligned 4",
        "%link = OpLoad %int %from Aligned 4
        %wide_link = OpUConvert %long %link
        %there = OpPtrAccessChain %global_int %in %wide_link
        %number = OpLoad %int %there Aligned 4",
    );
    assert!(text.contains("%there"));
    let [gathers, plain] = [text.as_str(), WAITS].map(|text| compile_in(oxur_compiler::Mode::Fast, text).lanes());
    assert!(gathers <= plain, "{gathers} lanes, {plain} without a loop");
}
