// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Products of matrices, which run in blocks of rows: in groups of all shapes, with barriers and without.

use std::fmt::Write as _;

use oxur_compiler::NdRange;

use super::{Argument, MODES, compile_in, range, run, words};

/// Sizes of groups: whole blocks, blocks and single rows, single rows; of one, two and three dimensions.
const LOCAL_SIZES: [[u64; 3]; 12] = [
    [16, 16, 1],
    [16, 8, 1],
    [8, 8, 1],
    [32, 11, 1],
    [16, 19, 1],
    [16, 4, 3],
    [16, 9, 2],
    [64, 2, 1],
    [16, 1, 1],
    [10, 10, 1],
    [24, 8, 1],
    [1, 16, 1],
];

/// How a kernel computes the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Each item reads its row.
    Alone,
    /// The group reads a part of its rows into local memory, by turns.
    Tiled,
    /// The same with the number of an item in its group for its place.
    Linear,
}

/// `c[y][x] = sum over k of a[y][k] * b[k][x]`, of numbers of a type, with indices of a type.
fn product(form: Form, number: &str, index: &str, required: Option<[u64; 3]>) -> String {
    let mut text = String::from(
        "
        OpEntryPoint Kernel %kernel \"k\" %global_id %local_id %local_size %global_size %linear_id
        REQUIRED
        OpDecorate %global_id BuiltIn GlobalInvocationId
        OpDecorate %local_id BuiltIn LocalInvocationId
        OpDecorate %local_size BuiltIn WorkgroupSize
        OpDecorate %global_size BuiltIn GlobalSize
        OpDecorate %linear_id BuiltIn LocalInvocationIndex
        %input_long3 = OpTypePointer Input %long3
        %input_long = OpTypePointer Input %long
        %global_id = OpVariable %input_long3 Input
        %local_id = OpVariable %input_long3 Input
        %local_size = OpVariable %input_long3 Input
        %global_size = OpVariable %input_long3 Input
        %linear_id = OpVariable %input_long Input
        %c264 = OpConstant %int 264
        %c1024 = OpConstant %int 1024
        %k0 = OpConstant %INDEX 0
        %k1 = OpConstant %INDEX 1
        %nothing = OpConstant %NUMBER 0
        %tile_type = OpTypeArray %NUMBER %c1024
        %tile_pointer = OpTypePointer Workgroup %tile_type
        %in_tile = OpTypePointer Workgroup %NUMBER
        %tile = OpVariable %tile_pointer Workgroup
        %type = OpTypeFunction %void %global_NUMBER %global_NUMBER %global_NUMBER
        %kernel = OpFunction %void None %type
        %c = OpFunctionParameter %global_NUMBER
        %a = OpFunctionParameter %global_NUMBER
        %b = OpFunctionParameter %global_NUMBER
        %start = OpLabel
        %gs = OpLoad %long3 %global_id
        %ls = OpLoad %long3 %local_id
        %ss = OpLoad %long3 %local_size
        %ns = OpLoad %long3 %global_size
        %linear64 = OpLoad %long %linear_id
        ",
    );
    let mut ids = String::new();
    for (d, axis) in ["x", "y", "z"].iter().enumerate() {
        for (prefix, vector) in [("g", "gs"), ("l", "ls"), ("s", "ss"), ("n", "ns")] {
            let _ = writeln!(ids, "%{prefix}{axis}64 = OpCompositeExtract %long %{vector} {d}");
        }
    }
    text += &ids;
    for name in [
        "gx", "gy", "gz", "lx", "ly", "lz", "sx", "sy", "sz", "nx", "ny", "nz", "linear",
    ] {
        let convert = if index == "int" { "OpUConvert" } else { "OpCopyObject" };
        let _ = writeln!(text, "%{name} = {convert} %INDEX %{name}64");
    }
    text += "
        %layer = OpIMul %INDEX %gz %ny
        %row = OpIAdd %INDEX %layer %gy
        %row_start = OpIMul %INDEX %row %nx
        %at = OpIAdd %INDEX %row_start %gx
        ";
    text += match form {
        Form::Alone => {
            "
        OpBranch %head
        %head = OpLabel
        %k = OpPhi %INDEX %k0 %start %k_next %head
        %sum = OpPhi %NUMBER %nothing %start %more %head
        %a_at = OpIAdd %INDEX %row_start %k
        %a_to = OpPtrAccessChain %global_NUMBER %a %a_at
        %x = OpLoad %NUMBER %a_to Aligned 4
        %b_row = OpIMul %INDEX %k %nx
        %b_at = OpIAdd %INDEX %b_row %gx
        %b_to = OpPtrAccessChain %global_NUMBER %b %b_at
        %y = OpLoad %NUMBER %b_to Aligned 4
        %xy = OpMUL %NUMBER %x %y
        %more = OpADD %NUMBER %sum %xy
        %k_next = OpIAdd %INDEX %k %k1
        %goes_on = OpULessThan %bool %k_next %nx
        OpLoopMerge %done %head None
        OpBranchConditional %goes_on %head %done
        %done = OpLabel
        "
        }
        Form::Tiled | Form::Linear => {
            "
        OWN
        %own_to = OpInBoundsAccessChain %in_tile %tile %own
        OpBranch %outer
        %outer = OpLabel
        %t = OpPhi %INDEX %k0 %start %t_next %last
        %so_far = OpPhi %NUMBER %nothing %start %more %last
        %a_column = OpIAdd %INDEX %t %lx
        %a_at = OpIAdd %INDEX %row_start %a_column
        %a_to = OpPtrAccessChain %global_NUMBER %a %a_at
        %own_value = OpLoad %NUMBER %a_to Aligned 4
        OpStore %own_to %own_value Aligned 4
        OpControlBarrier %i2 %i2 %c264
        OpBranch %inner
        %inner = OpLabel
        %k = OpPhi %INDEX %k0 %outer %k_next %inner
        %sum = OpPhi %NUMBER %so_far %outer %more %inner
        %x_at = OpIAdd %INDEX %tile_row %k
        %x_to = OpInBoundsAccessChain %in_tile %tile %x_at
        %x = OpLoad %NUMBER %x_to Aligned 4
        %tk = OpIAdd %INDEX %t %k
        %b_row = OpIMul %INDEX %tk %nx
        %b_at = OpIAdd %INDEX %b_row %gx
        %b_to = OpPtrAccessChain %global_NUMBER %b %b_at
        %y = OpLoad %NUMBER %b_to Aligned 4
        %xy = OpMUL %NUMBER %x %y
        %more = OpADD %NUMBER %sum %xy
        %k_next = OpIAdd %INDEX %k %k1
        %goes_on = OpULessThan %bool %k_next %sx
        OpLoopMerge %last %inner None
        OpBranchConditional %goes_on %inner %last
        %last = OpLabel
        OpControlBarrier %i2 %i2 %c264
        %t_next = OpIAdd %INDEX %t %sx
        %is_not_over = OpULessThan %bool %t_next %nx
        OpLoopMerge %done %last None
        OpBranchConditional %is_not_over %outer %done
        %done = OpLabel
        "
        }
    };
    text += "
        %c_to = OpPtrAccessChain %global_NUMBER %c %at
        OpStore %c_to %more Aligned 4
        OpReturn
        OpFunctionEnd
        ";
    let own = match form {
        Form::Linear => {
            "
        %own = OpCopyObject %INDEX %linear
        %tile_row = OpISub %INDEX %linear %lx
        "
        }
        _ => {
            "
        %lzy = OpIMul %INDEX %lz %sy
        %own_row = OpIAdd %INDEX %lzy %ly
        %tile_row = OpIMul %INDEX %own_row %sx
        %own = OpIAdd %INDEX %tile_row %lx
        "
        }
    };
    let [add, mul] = match number {
        "int" => ["OpIAdd", "OpIMul"],
        _ => ["OpFAdd", "OpFMul"],
    };
    let required = required.map_or(String::new(), |[x, y, z]| {
        format!("OpExecutionMode %kernel LocalSize {x} {y} {z}")
    });
    text.replace("REQUIRED", &required)
        .replace("OWN", own)
        .replace("OpADD", add)
        .replace("OpMUL", mul)
        .replace("NUMBER", number)
        .replace("INDEX", index)
}

/// Numbers that are products without rounding, and a float of each.
fn numbers(count: u64, seed: u64) -> Vec<u64> {
    (0..count).map(|i| (i * 7 + i / 5 + seed) % 13).collect()
}

fn bytes(numbers: &[u64], is_float: bool) -> Vec<u8> {
    let word = |n: &u64| if is_float { (*n as f32).to_bits() } else { *n as u32 };
    numbers.iter().flat_map(|n| word(n).to_ne_bytes()).collect()
}

fn check(form: Form, number: &str, index: &str, required: Option<[u64; 3]>, ranges: &[NdRange]) {
    let text = product(form, number, index, required);
    for mode in MODES {
        let kernel = compile_in(mode, &text);
        for range in ranges {
            let [width, height, depth] = range.global_size;
            let rows = height * depth;
            let (a, b) = (numbers(rows * width, 1), numbers(width * width, 4));
            let mut c = vec![0xee; 4 * (rows * width) as usize];
            let is_float = number == "float";
            run(
                &kernel,
                *range,
                &mut [
                    Argument::Memory(&mut c),
                    Argument::Memory(&mut bytes(&a, is_float)),
                    Argument::Memory(&mut bytes(&b, is_float)),
                ],
            )
            .unwrap();
            let expected: Vec<u64> = (0..rows * width)
                .map(|i| {
                    let (row, column) = (i / width * width, i % width);
                    (0..width)
                        .map(|k| a[(row + k) as usize] * b[(k * width + column) as usize])
                        .sum()
                })
                .collect();
            let what = format!("{form:?} of {number} by {index}, {mode:?}, {range:?}, required {required:?}");
            assert!(words(&c) == words(&bytes(&expected, is_float)), "{what}");
        }
    }
}

#[test]
fn products() {
    let ranges = LOCAL_SIZES.map(|size| range([2, 2, 1], size));
    for form in [Form::Alone, Form::Tiled, Form::Linear] {
        for (number, index) in [("int", "long"), ("float", "long"), ("float", "int")] {
            check(form, number, index, None, &ranges);
        }
    }
}

/// Groups of a size that the kernel demands, which may be a single block; and ranges of another size all the same.
#[test]
fn products_of_known_groups() {
    for required in [
        [16, 16, 1],
        [8, 8, 1],
        [16, 8, 1],
        [8, 16, 1],
        [16, 32, 1],
        [32, 4, 1],
        [16, 6, 1],
        [16, 4, 1],
    ] {
        let ranges = [range([2, 3, 1], required), range([2, 1, 2], [16, 5, 1])];
        for form in [Form::Alone, Form::Tiled, Form::Linear] {
            check(form, "float", "long", Some(required), &ranges);
        }
    }
}

/// A difference that wraps in the first row only, where it is not used: what it promises of itself does not hold for that row, and the
/// others are computed from it.
#[test]
fn rows_that_wrap() {
    let text = "
        OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %l0 = OpConstant %long 0
        %l1 = OpConstant %long 1
        %l5 = OpConstant %long 5
        %l2 = OpConstant %long 2
        %f0 = OpConstant %float 0
        %f1 = OpConstant %float 1
        %f2 = OpConstant %float 2
        %type = OpTypeFunction %void %global_float %global_float %global_float %long %long
        %kernel = OpFunction %void None %type
        %c = OpFunctionParameter %global_float
        %a = OpFunctionParameter %global_float
        %b = OpFunctionParameter %global_float
        %n = OpFunctionParameter %long
        %m = OpFunctionParameter %long
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %x = OpCompositeExtract %long %ids 0
        %y = OpCompositeExtract %long %ids 1
        %first = OpIMul %long %y %n
        %isit = OpUGreaterThanEqual %bool %y %m
        OpSelectionMerge %merge None
        OpBranchConditional %isit %then %merge
        %then = OpLabel
        %d = OpISub %long %y %m
        OpBranch %merge
        %merge = OpLabel
        %i = OpPhi %long %d %then %l5 %start
        OpBranch %loop
        %loop = OpLabel
        %k = OpPhi %long %l0 %merge %next %loop
        %sum = OpPhi %float %f0 %merge %more %loop
        %a_at = OpIAdd %long %first %k
        %a_to = OpPtrAccessChain %global_float %a %a_at
        %left = OpLoad %float %a_to Aligned 4
        %b_row = OpIMul %long %k %n
        %b_at = OpIAdd %long %b_row %x
        %b_to = OpPtrAccessChain %global_float %b %b_at
        %right = OpLoad %float %b_to Aligned 4
        %product = OpFMul %float %left %right
        %more = OpFAdd %float %sum %product
        %next = OpIAdd %long %k %l1
        %again = OpULessThan %bool %next %n
        OpLoopMerge %end %loop None
        OpBranchConditional %again %loop %end
        %end = OpLabel
        %z = OpULessThan %bool %i %l2
        %f = OpSelect %float %z %f1 %f2
        %r = OpFMul %float %more %f
        %c_at = OpIAdd %long %first %x
        %c_to = OpPtrAccessChain %global_float %c %c_at
        OpStore %c_to %r Aligned 4
        OpReturn
        OpFunctionEnd";
    for mode in MODES {
        let kernel = compile_in(mode, text);
        for m in [0, 3, 7] {
            let [mut c, mut a, mut b] = [128, 128, 256].map(|count| bytes(&vec![1; count], true));
            let mut arguments = [
                Argument::Memory(&mut c),
                Argument::Memory(&mut a),
                Argument::Memory(&mut b),
                Argument::Value(16),
                Argument::Value(m),
            ];
            run(&kernel, range([1, 1, 1], [16, 8, 1]), &mut arguments).unwrap();
            let factor = |y: u64| if (m..m + 2).contains(&y) { 16.0 } else { 32.0 };
            let expected: Vec<u32> = (0..128).map(|at| f32::to_bits(factor(at / 16))).collect();
            assert_eq!(words(&c), expected, "{mode:?}, {m}");
        }
    }
}
