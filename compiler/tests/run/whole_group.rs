// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels that demand a size of groups and whose items meet again and again: a group is one vector, unless that is too much.

use oxur_compiler::Mode;

use super::{Argument, MODES, compile_in, range, run, words};

/// Sizes of groups: a vector has as many items if they are a power of two, from the usual lanes up to 1024.
const SIZES: [u64; 11] = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 48, 2048];

/// The kernel `body` over local memory of a group: `%mine` is an item's place in it, `%l` its number, `%start` the block, and
/// `%data` has a number for each item.
fn kernel(size: u64, body: &str) -> String {
    let prelude = "
        OpEntryPoint Kernel %kernel \"k\" %global_id %local_id
        OpExecutionMode %kernel LocalSize SIZE 1 1
        OpDecorate %global_id BuiltIn GlobalInvocationId
        OpDecorate %local_id BuiltIn LocalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %local_id = OpVariable %input_long3 Input
        %c264 = OpConstant %int 264
        %c0 = OpConstant %int 0
        %c1 = OpConstant %int 1
        %c2 = OpConstant %int 2
        %c7 = OpConstant %int 7
        %c128 = OpConstant %int 128
        %size = OpConstant %int SIZE
        %middle = OpConstant %int HALF
        %tile_type = OpTypeArray %int %size
        %tile_pointer = OpTypePointer Workgroup %tile_type
        %in_tile = OpTypePointer Workgroup %int
        %tile = OpVariable %tile_pointer Workgroup
        %type = OpTypeFunction %void %global_int %char
        %kernel = OpFunction %void None %type
        %data = OpFunctionParameter %global_int
        %distance = OpFunctionParameter %char
        %start = OpLabel
        %gs = OpLoad %long3 %global_id
        %ls = OpLoad %long3 %local_id
        %g = OpCompositeExtract %long %gs 0
        %l64 = OpCompositeExtract %long %ls 0
        %l = OpUConvert %int %l64
        %own = OpPtrAccessChain %global_int %data %g
        %number = OpLoad %int %own Aligned 4
        %mine = OpInBoundsAccessChain %in_tile %tile %l
        OpStore %mine %number Aligned 4
        OpControlBarrier %i2 %i2 %c264
        ";
    let end = "
        %result = OpLoad %int %mine Aligned 4
        OpStore %own %result Aligned 4
        OpReturn
        OpFunctionEnd
        ";
    format!("{prelude}{body}{end}")
        .replace("SIZE", &size.to_string())
        .replace("HALF", &(size / 2).to_string())
}

/// `for (h = size / 2; h > 0; h /= 2) { if (l < h) tile[l] += tile[l + h]; barrier }`
const TREE: &str = "
        OpBranch %head
        %head = OpLabel
        %h = OpPhi %int %middle %start %h_next %next
        %goes_on = OpUGreaterThan %bool %h %c0
        OpLoopMerge %done %next None
        OpBranchConditional %goes_on %round %done
        %round = OpLabel
        %adds = OpULessThan %bool %l %h
        OpSelectionMerge %added None
        OpBranchConditional %adds %add %added
        %add = OpLabel
        %partner = OpIAdd %int %l %h
        %theirs = OpInBoundsAccessChain %in_tile %tile %partner
        %x = OpLoad %int %mine Aligned 4
        %y = OpLoad %int %theirs Aligned 4
        %sum = OpIAdd %int %x %y
        OpStore %mine %sum Aligned 4
        OpBranch %added
        %added = OpLabel
        OpBranch %next
        %next = OpLabel
        OpControlBarrier %i2 %i2 %c264
        %h_next = OpShiftRightLogical %int %h %c1
        OpBranch %head
        %done = OpLabel
        ";

/// Sums of all numbers up to an item's own: `for (d = 1; d < size; d *= 2) { x = l >= d ? tile[l - d] : 0; barrier; tile[l] += x;
/// barrier }`
const SCAN: &str = "
        OpBranch %head
        %head = OpLabel
        %d = OpPhi %int %c1 %start %d_next %next
        %goes_on = OpULessThan %bool %d %size
        OpLoopMerge %done %next None
        OpBranchConditional %goes_on %round %done
        %round = OpLabel
        %reads = OpUGreaterThanEqual %bool %l %d
        OpSelectionMerge %has_read None
        OpBranchConditional %reads %read %has_read
        %read = OpLabel
        %before = OpISub %int %l %d
        %theirs = OpInBoundsAccessChain %in_tile %tile %before
        %y = OpLoad %int %theirs Aligned 4
        OpBranch %has_read
        %has_read = OpLabel
        %more = OpPhi %int %c0 %round %y %read
        OpControlBarrier %i2 %i2 %c264
        %x = OpLoad %int %mine Aligned 4
        %sum = OpIAdd %int %x %more
        OpStore %mine %sum Aligned 4
        OpBranch %next
        %next = OpLabel
        OpControlBarrier %i2 %i2 %c264
        %d_next = OpShiftLeftLogical %int %d %c1
        OpBranch %head
        %done = OpLabel
        ";

/// `for (h = size / 2; h > 0; h /= 2) { x = l < h ? tile[l + h] : 7; barrier; tile[l] += x; barrier }`
const FOLD: &str = "
        OpBranch %head
        %head = OpLabel
        %h = OpPhi %int %middle %start %h_next %next
        %goes_on = OpUGreaterThan %bool %h %c0
        OpLoopMerge %done %next None
        OpBranchConditional %goes_on %round %done
        %round = OpLabel
        %reads = OpULessThan %bool %l %h
        OpSelectionMerge %has_read None
        OpBranchConditional %reads %read %has_read
        %read = OpLabel
        %behind = OpIAdd %int %l %h
        %theirs = OpInBoundsAccessChain %in_tile %tile %behind
        %y = OpLoad %int %theirs Aligned 4
        OpBranch %has_read
        %has_read = OpLabel
        %more = OpPhi %int %c7 %round %y %read
        OpControlBarrier %i2 %i2 %c264
        %x = OpLoad %int %mine Aligned 4
        %sum = OpIAdd %int %x %more
        OpStore %mine %sum Aligned 4
        OpBranch %next
        %next = OpLabel
        OpControlBarrier %i2 %i2 %c264
        %h_next = OpShiftRightLogical %int %h %c1
        OpBranch %head
        %done = OpLabel
        ";

/// A bitonic sort: `for (k = 2; k <= size; k *= 2) for (j = k / 2; j > 0; j /= 2) { x = tile[l], y = tile[l ^ j]; barrier; up = !(l &
/// k) == !(l & j); tile[l] = up ? min(x, y) : max(x, y); barrier }`
const SORT: &str = "
        OpBranch %outer
        %outer = OpLabel
        %k = OpPhi %int %c2 %start %k_next %outer_next
        %outer_goes_on = OpULessThanEqual %bool %k %size
        OpLoopMerge %done %outer_next None
        OpBranchConditional %outer_goes_on %outer_round %done
        %outer_round = OpLabel
        %j_first = OpShiftRightLogical %int %k %c1
        OpBranch %head
        %head = OpLabel
        %j = OpPhi %int %j_first %outer_round %j_next %next
        %goes_on = OpUGreaterThan %bool %j %c0
        OpLoopMerge %outer_next %next None
        OpBranchConditional %goes_on %round %outer_next
        %round = OpLabel
        %partner = OpBitwiseXor %int %l %j
        %theirs = OpInBoundsAccessChain %in_tile %tile %partner
        %x = OpLoad %int %mine Aligned 4
        %y = OpLoad %int %theirs Aligned 4
        OpControlBarrier %i2 %i2 %c264
        %l_k = OpBitwiseAnd %int %l %k
        %l_j = OpBitwiseAnd %int %l %j
        %no_k = OpIEqual %bool %l_k %c0
        %no_j = OpIEqual %bool %l_j %c0
        %up = OpLogicalEqual %bool %no_k %no_j
        %x_first = OpULessThan %bool %x %y
        %takes_x = OpLogicalEqual %bool %up %x_first
        %z = OpSelect %int %takes_x %x %y
        OpStore %mine %z Aligned 4
        OpBranch %next
        %next = OpLabel
        OpControlBarrier %i2 %i2 %c264
        %j_next = OpShiftRightLogical %int %j %c1
        OpBranch %head
        %outer_next = OpLabel
        %k_next = OpShiftLeftLogical %int %k %c1
        OpBranch %outer
        %done = OpLabel
        ";

/// What an item does may hang on data, and on a loop of its own, with which a group is no vector.
const LOOP: &str = "
        %most = OpBitwiseAnd %int %number %c7
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %int %c0 %start %i_next %round
        %so_far = OpPhi %int %number %start %more %round
        %goes_on = OpULessThan %bool %i %most
        OpLoopMerge %done %round None
        OpBranchConditional %goes_on %round %done
        %round = OpLabel
        %more = OpIMul %int %so_far %c7
        %i_next = OpIAdd %int %i %c1
        OpBranch %head
        %done = OpLabel
        OpStore %mine %so_far Aligned 4
        OpControlBarrier %i2 %i2 %c264
        ";

/// `tile[(char)l ^ distance]`, whose index is of 8 bits and begins anew within a vector, or changes its sign.
const SMALL: &str = "
        %l8 = OpUConvert %char %l
        %partner = OpBitwiseXor %char %l8 %distance
        %base = OpInBoundsAccessChain %in_tile %tile %BASE
        %index = EXTEND %int %partner
        %theirs = OpInBoundsPtrAccessChain %in_tile %base %index
        %x = OpLoad %int %theirs Aligned 4
        OpControlBarrier %i2 %i2 %c264
        OpStore %mine %x Aligned 4
        OpControlBarrier %i2 %i2 %c264
        ";

/// Compares a kernel in both modes with what a group's numbers should become.
fn check(what: &str, body: &str, sizes: &[u64], expected: impl Fn(&mut [u32])) {
    check_at(0, what, body, sizes, expected);
}

/// The same at a distance.
fn check_at(distance: u8, what: &str, body: &str, sizes: &[u64], expected: impl Fn(&mut [u32])) {
    for &size in sizes {
        for mode in MODES {
            let kernel = compile_in(mode, &kernel(size, body));
            // Larger ones are too long for some registers.
            let is_vector = size.is_power_of_two() && (16..=256).contains(&size);
            if what != "loop" && mode == Mode::Fast && is_vector {
                assert_eq!(u64::from(kernel.lanes()), size, "{what}: items that run at a time");
                // What LLVM may spill is none of it.
                assert!(
                    kernel.private_memory() < 256,
                    "{what}: {} bytes",
                    kernel.private_memory()
                );
            }
            let mut numbers: Vec<u32> = (0..3 * size as u32)
                .map(|i| i.wrapping_mul(2_654_435_761) ^ i)
                .collect();
            let mut memory: Vec<u8> = numbers.iter().flat_map(|n| n.to_ne_bytes()).collect();
            run(
                &kernel,
                range([3, 1, 1], [size, 1, 1]),
                &mut [Argument::Memory(&mut memory), Argument::Value(distance.into())],
            )
            .unwrap();
            numbers.chunks_mut(size as usize).for_each(&expected);
            assert!(words(&memory) == numbers, "{what} of {size}, {mode:?}");
        }
    }
}

#[test]
fn trees() {
    check("tree", TREE, &SIZES, |numbers| {
        let mut half = numbers.len() / 2;
        while half > 0 {
            for l in 0..half {
                numbers[l] = numbers[l].wrapping_add(numbers[l + half]);
            }
            half /= 2;
        }
    });
}

#[test]
fn folds() {
    check("fold", FOLD, &SIZES, |numbers| {
        let mut half = numbers.len() / 2;
        while half > 0 {
            let before = numbers.to_vec();
            for (l, number) in numbers.iter_mut().enumerate() {
                let more = if l < half { before[l + half] } else { 7 };
                *number = number.wrapping_add(more);
            }
            half /= 2;
        }
    });
}

#[test]
fn scans() {
    check("scan", SCAN, &SIZES, |numbers| {
        for i in 1..numbers.len() {
            numbers[i] = numbers[i].wrapping_add(numbers[i - 1]);
        }
    });
}

#[test]
fn sorts() {
    // A network needs a power of two.
    let sizes: Vec<u64> = SIZES.into_iter().filter(|size| size.is_power_of_two()).collect();
    check("sort", SORT, &sizes, <[u32]>::sort_unstable);
}

#[test]
fn loops_of_items() {
    check("loop", LOOP, &SIZES, |numbers| {
        for number in numbers {
            *number = (0..*number & 7).fold(*number, |so_far, _| so_far.wrapping_mul(7));
        }
    });
}

#[test]
fn narrow_indices() {
    for (base, extend) in [("c0", "OpUConvert"), ("c128", "OpSConvert")] {
        let body = SMALL.replace("BASE", base).replace("EXTEND", extend);
        for distance in [0, 1, 37, 128] {
            check_at(distance, extend, &body, &[256, 512, 1024], |numbers| {
                let tile = numbers.to_vec();
                for (l, number) in numbers.iter_mut().enumerate() {
                    let index = l as u8 ^ distance;
                    *number = match extend {
                        "OpUConvert" => tile[usize::from(index)],
                        _ => tile[(128 + isize::from(index as i8)) as usize],
                    };
                }
            });
        }
    }
}

/// Values that are there on both sides of a barrier: as a vector of the whole group they would not fit on a thread's stack.
#[test]
fn many_live_values() {
    for (size, count, wide) in [
        (64, 16, false),
        (1024, 4, false),
        (1024, 28, false),
        (1024, 40, false),
        (1024, 4, true),
        (512, 8, true),
    ] {
        let elements = if wide { 8 } else { 1 };
        let number = if wide { "double8" } else { "double" };
        let mut text = format!(
            "
            OpEntryPoint Kernel %kernel \"k\" %local_id
            OpExecutionMode %kernel LocalSize {size} 1 1
            OpDecorate %local_id BuiltIn LocalInvocationId
            %double8 = OpTypeVector %double 8
            %pointer = OpTypePointer CrossWorkgroup %{number}
            %input_long3 = OpTypePointer Input %long3
            %local_id = OpVariable %input_long3 Input
            %c528 = OpConstant %int 528
            %size = OpConstant %long {size}
            %type = OpTypeFunction %void %pointer %pointer
            %kernel = OpFunction %void None %type
            %out = OpFunctionParameter %pointer
            %in = OpFunctionParameter %pointer
            %start = OpLabel
            %ls = OpLoad %long3 %local_id
            %l0 = OpCompositeExtract %long %ls 0
            "
        );
        for i in 0..count {
            text += &format!(
                "%from{i} = OpPtrAccessChain %pointer %in %l{i}\n%v{i} = OpLoad %{number} %from{i} Aligned 8\n"
            );
            text += &format!("%l{} = OpIAdd %long %l{i} %size\n", i + 1);
        }
        text += "OpControlBarrier %i2 %i2 %c528\n";
        for i in 0..count {
            let next = (i + 1) % count;
            text += &format!("%to{i} = OpPtrAccessChain %pointer %out %l{i}\nOpStore %to{i} %v{next} Aligned 8\n");
        }
        text += "OpReturn\nOpFunctionEnd\n";
        let row = size as usize * elements;
        let numbers: Vec<f64> = (0..count * row).map(|i| (i * i % 1021) as f64).collect();
        for mode in MODES {
            let kernel = compile_in(mode, &text);
            let mut input: Vec<u8> = numbers.iter().flat_map(|n| n.to_ne_bytes()).collect();
            let mut out = vec![0; input.len()];
            run(
                &kernel,
                range([1, 1, 1], [size, 1, 1]),
                &mut [Argument::Memory(&mut out), Argument::Memory(&mut input)],
            )
            .unwrap();
            for (i, got) in out.chunks_exact(8).enumerate() {
                let expected = numbers[(i + row) % numbers.len()];
                let got = f64::from_ne_bytes(got.try_into().unwrap());
                assert_eq!(got, expected, "number {i} of {count} {number} of {size}, {mode:?}");
            }
        }
    }
}
