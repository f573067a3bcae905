// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which items are a sub-group, and which of them an operation under a branch sees.

use super::{Argument, MODES, compile_in, range, run, words};

/// `q[id] = %result`, in sub-groups of 16.
fn text(declarations: &str, body: &str) -> String {
    format!(
        "OpCapability GroupNonUniformArithmetic
        OpCapability GroupNonUniformBallot
        OpCapability SubgroupDispatch
        {declarations}
        OpExecutionMode %kernel SubgroupSize 16
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %type = OpTypeFunction %void %global_int %global_int %int
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %q = OpFunctionParameter %global_int
        %n = OpFunctionParameter %int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %from = OpPtrAccessChain %global_int %p %id
        %x = OpLoad %int %from Aligned 4
        %to = OpPtrAccessChain %global_int %q %id
        {body}
        OpStore %to %result Aligned 4
        OpReturn
        OpFunctionEnd"
    )
}

const ENTRY: &str = "OpEntryPoint Kernel %kernel \"k\" %global_id";

fn check(text: &str, groups: u64, local: u64, n: u32, expected: impl Fn(u32) -> u32) {
    for mode in MODES {
        let kernel = compile_in(mode, text);
        let count = (groups * local) as u32;
        let mut p: Vec<u8> = (0..count).flat_map(|id| number(id).to_ne_bytes()).collect();
        let mut q = vec![0; p.len()];
        let mut arguments = [
            Argument::Memory(&mut p),
            Argument::Memory(&mut q),
            Argument::Value(n.into()),
        ];
        run(&kernel, range([groups, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
        let expected: Vec<u32> = (0..count).map(&expected).collect();
        assert_eq!(words(&q), expected, "{mode:?}, {groups} groups of {local}");
    }
}

/// What an item loads.
fn number(id: u32) -> u32 {
    id * 7 % 32
}

/// The kernel asks for nothing that tells groups apart but the sum itself.
#[test]
fn of_groups_that_do_not_fill_them() {
    let text = text(ENTRY, "%result = OpGroupNonUniformIAdd %int %i3 Reduce %x");
    for local in [4, 8, 16, 24, 48] {
        check(&text, 6, local, 0, |id| {
            let (group, place) = (id / local as u32, id % local as u32);
            let first = place / 16 * 16;
            let end = (first + 16).min(local as u32);
            (first..end).map(|place| number(group * local as u32 + place)).sum()
        });
    }
}

/// Of items with odd numbers: who has a number above 15, who is there, and what is false for all.
#[test]
fn ballots_under_a_branch() {
    let declarations = format!(
        "{ENTRY}
        %c15 = OpConstant %int 15"
    );
    let text = text(
        &declarations,
        "%low = OpBitwiseAnd %int %x %i1
        %odd = OpIEqual %bool %low %i1
        OpBranchConditional %odd %yes %done
        %yes = OpLabel
        OpStore %to %i1 Volatile
        %is_large = OpUGreaterThan %bool %x %c15
        %large4 = OpGroupNonUniformBallot %int4 %i3 %is_large
        %large = OpCompositeExtract %int %large4 0
        %is_one = OpIEqual %bool %n %i1
        %all4 = OpGroupNonUniformBallot %int4 %i3 %is_one
        %all = OpCompositeExtract %int %all4 0
        %shifted = OpShiftLeftLogical %int %all %i16
        %both = OpBitwiseOr %int %shifted %large
        OpBranch %done
        %done = OpLabel
        %result = OpPhi %int %x %start %both %yes",
    );
    for n in [0, 1] {
        for (groups, local) in [(2, 32), (3, 13)] {
            check(&text, groups, local, n, |id| {
                let local = local as u32;
                let first = id / local * local + id % local / 16 * 16;
                let end = (first + 16).min(id / local * local + local);
                let bits = |which: &dyn Fn(u32) -> bool| -> u32 {
                    let all = (first..end).filter(|&id| number(id) & 1 == 1 && which(number(id)));
                    all.map(|id| 1 << (id - first)).sum()
                };
                match number(id) & 1 {
                    1 => bits(&|x| x > 15) | if n == 1 { bits(&|_| true) << 16 } else { 0 },
                    _ => number(id),
                }
            });
        }
    }
}

/// A sum of all, and one of the items with odd numbers: what the others gave to the first is no part of the second. Of
/// floating-point numbers, which scalar code adds up in the order of vector code, those of all lanes.
#[test]
fn sums_of_all_and_of_some() {
    let text = text(
        ENTRY,
        "%float_x = OpConvertUToF %float %x
        %all_floats = OpGroupNonUniformFAdd %float %i3 Reduce %float_x
        %all = OpConvertFToU %int %all_floats
        %low = OpBitwiseAnd %int %x %i1
        %odd = OpIEqual %bool %low %i1
        OpBranchConditional %odd %yes %done
        %yes = OpLabel
        %some_floats = OpGroupNonUniformFAdd %float %i3 Reduce %float_x
        %some = OpConvertFToU %int %some_floats
        %shifted = OpShiftLeftLogical %int %some %i16
        %both = OpBitwiseOr %int %all %shifted
        OpBranch %done
        %done = OpLabel
        %result = OpPhi %int %all %start %both %yes",
    );
    for (groups, local) in [(2, 32), (3, 13)] {
        check(&text, groups, local, 0, |id| {
            let local = local as u32;
            let first = id / local * local + id % local / 16 * 16;
            let end = (first + 16).min(id / local * local + local);
            let numbers = || (first..end).map(number);
            match number(id) % 2 {
                0 => numbers().sum(),
                _ => numbers().sum::<u32>() | numbers().filter(|x| x % 2 == 1).sum::<u32>() << 16,
            }
        });
    }
}

/// Sums of the items before one, without its own number and with it. The same is true of them.
#[test]
fn scans() {
    let text = text(
        ENTRY,
        "%float_x = OpConvertUToF %float %x
        %before_float = OpGroupNonUniformFAdd %float %i3 ExclusiveScan %float_x
        %before = OpConvertFToU %int %before_float
        %so_far_float = OpGroupNonUniformFAdd %float %i3 InclusiveScan %float_x
        %so_far = OpConvertFToU %int %so_far_float
        %shifted = OpShiftLeftLogical %int %so_far %i16
        %result = OpBitwiseOr %int %before %shifted",
    );
    for (groups, local) in [(2, 32), (3, 13)] {
        check(&text, groups, local, 0, |id| {
            let local = local as u32;
            let first = id / local * local + id % local / 16 * 16;
            let before: u32 = (first..id).map(number).sum();
            before | (before + number(id)) << 16
        });
    }
}

/// Sums of floating-point numbers have one order, whatever code computes them: the upper half of the sub-group is added to the
/// lower half, until one is left.
#[test]
fn sums_in_one_order() {
    let text = text(
        ENTRY,
        "%float_x = OpConvertUToF %float %x
        %root = OpExtInst %float %cl sqrt %float_x
        %sum = OpGroupNonUniformFAdd %float %i3 Reduce %root
        %result = OpBitcast %int %sum",
    );
    for local in [16, 32, 13] {
        check(&text, 3, local, 0, |id| {
            let local = local as u32;
            let first = id / local * local + id % local / 16 * 16;
            let end = (first + 16).min(id / local * local + local);
            // Minus zero changes no number.
            let mut all: Vec<f32> = (first..first + 16)
                .map(|id| if id < end { (number(id) as f32).sqrt() } else { -0.0 })
                .collect();
            while all.len() > 1 {
                let high = all.split_off(all.len() / 2);
                all.iter_mut().zip(high).for_each(|(low, high)| *low += high);
            }
            all[0].to_bits()
        });
    }
}

/// Sub-groups of two rows, which are apart in memory: items in odd columns add the sum of all to their numbers. What the others
/// have stays.
#[test]
fn of_two_rows() {
    let text = "OpCapability GroupNonUniformArithmetic
        OpCapability SubgroupDispatch
        OpEntryPoint Kernel %kernel \"k\" %global_id
        OpExecutionMode %kernel SubgroupSize 16
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %l1 = OpConstant %long 1
        %type = OpTypeFunction %void %global_int %long
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %width = OpFunctionParameter %long
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %column = OpCompositeExtract %long %ids 0
        %row = OpCompositeExtract %long %ids 1
        %before = OpIMul %long %row %width
        %place = OpIAdd %long %before %column
        %number = OpUConvert %int %place
        %sum = OpGroupNonUniformIAdd %int %i3 Reduce %number
        %low = OpBitwiseAnd %long %column %l1
        %odd = OpIEqual %bool %low %l1
        OpBranchConditional %odd %yes %done
        %yes = OpLabel
        %at = OpPtrAccessChain %global_int %p %place
        %x = OpLoad %int %at Aligned 4
        %more = OpIAdd %int %x %sum
        OpStore %at %more Aligned 4
        OpBranch %done
        %done = OpLabel
        OpReturn
        OpFunctionEnd";
    const WIDTH: u32 = 3 * 8;
    let numbers: Vec<u32> = (0..WIDTH * 16).map(number).collect();
    let expected = numbers.iter().zip(0..).map(|(x, place)| match place % 2 {
        0 => *x,
        _ => {
            let (column, row) = (place % WIDTH / 8 * 8, place / WIDTH / 2 * 2);
            let all = (row..row + 2).flat_map(|row| (column..column + 8).map(move |column| row * WIDTH + column));
            x + all.sum::<u32>()
        }
    });
    let expected: Vec<u32> = expected.collect();
    for mode in MODES {
        let kernel = compile_in(mode, text);
        let mut p: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
        let mut arguments = [Argument::Memory(&mut p), Argument::Value(WIDTH.into())];
        run(&kernel, range([3, 2, 1], [8, 8, 1]), &mut arguments).unwrap();
        assert_eq!(words(&p), expected, "{mode:?}");
    }
}
