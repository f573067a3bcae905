// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Items that go different ways: what they compute where the ways part, in loops that they leave at different times, and where they
//! come together. Each kernel is about one rule of the divergence analysis, or of masks.

use oxur_compiler::Mode;

use super::{Argument, MODES, compile_in, range, run};

/// A kernel that computes `%r` of `%x`, which differs between items, and `%n`, which does not. `q[id] = %r` in the end. Volatile
/// stores keep LLVM from making selects of branches.
struct Form {
    what: &'static str,
    body: &'static str,
    result: fn(x: i32, n: i32) -> i32,
}

const FORMS: [Form; 13] = [
    Form {
        what: "a select of two constants",
        body: "%low = OpBitwiseAnd %int %x %i1
            %even = OpIEqual %bool %low %i0
            %r = OpSelect %int %even %c5 %c7",
        result: |x, _| if x & 1 == 0 { 5 } else { 7 },
    },
    Form {
        what: "a constant of each way",
        body: "%low = OpBitwiseAnd %int %x %i1
            %even = OpIEqual %bool %low %i0
            OpBranchConditional %even %yes %no
            %yes = OpLabel
            OpStore %to %x Volatile
            OpBranch %end
            %no = OpLabel
            OpBranch %end
            %end = OpLabel
            %r = OpPhi %int %c5 %yes %c7 %no",
        result: |x, _| if x & 1 == 0 { 5 } else { 7 },
    },
    Form {
        what: "a constant of each exit of a loop",
        body: "OpBranch %head
            %head = OpLabel
            %i = OpPhi %int %i0 %start %next %latch
            %is_x = OpIEqual %bool %i %x
            OpBranchConditional %is_x %first %latch
            %latch = OpLabel
            %next = OpIAdd %int %i %i1
            %late = OpSGreaterThan %bool %next %c7
            OpBranchConditional %late %second %head
            %first = OpLabel
            OpStore %to %x Volatile
            OpBranch %end
            %second = OpLabel
            OpStore %to %i1 Volatile
            OpBranch %end
            %end = OpLabel
            %r = OpPhi %int %c5 %first %c7 %second",
        result: |x, _| if x < 8 { 5 } else { 7 },
    },
    Form {
        what: "the last round's number",
        body: "OpBranch %head
            %head = OpLabel
            %i = OpPhi %int %i0 %start %next %head
            %next = OpIAdd %int %i %i3
            OpStore %to %next Volatile
            %again = OpSLessThan %bool %next %x
            OpBranchConditional %again %head %end
            %end = OpLabel
            %r = OpPhi %int %i %head",
        result: |x, _| (x - 1).max(0) / 3 * 3,
    },
    Form {
        what: "a uniform exit behind a divergent branch",
        body: "OpBranch %head
            %head = OpLabel
            %i = OpPhi %int %i0 %start %next %latch
            %shifted = OpShiftRightLogical %int %x %i
            %bit = OpBitwiseAnd %int %shifted %i1
            %is_set = OpIEqual %bool %bit %i1
            OpBranchConditional %is_set %inside %latch
            %inside = OpLabel
            OpStore %to %i Volatile
            %is_n = OpIEqual %bool %i %n
            OpBranchConditional %is_n %out %latch
            %latch = OpLabel
            %next = OpIAdd %int %i %i1
            %again = OpSLessThan %bool %next %c7
            OpBranchConditional %again %head %out
            %out = OpLabel
            %r = OpPhi %int %i %inside %next %latch",
        result: |x, n| if x >> n & 1 != 0 { n } else { 7 },
    },
    Form {
        what: "a branch in a loop, taken in other rounds by each item",
        body: "OpBranch %head
            %head = OpLabel
            %i = OpPhi %int %i0 %start %next %latch
            %sum = OpPhi %int %i0 %start %now %latch
            %shifted = OpShiftRightLogical %int %x %i
            %bit = OpBitwiseAnd %int %shifted %i1
            %is_set = OpIEqual %bool %bit %i1
            OpBranchConditional %is_set %inside %latch
            %inside = OpLabel
            OpStore %to %i Volatile
            %more = OpIAdd %int %sum %i
            OpBranch %latch
            %latch = OpLabel
            %now = OpPhi %int %sum %head %more %inside
            %next = OpIAdd %int %i %i1
            %again = OpSLessThan %bool %next %c7
            OpBranchConditional %again %head %end
            %end = OpLabel
            %r = OpCopyObject %int %now",
        result: |x, _| (0..7).filter(|i| x >> i & 1 != 0).sum(),
    },
    Form {
        what: "branches within a branch",
        body: "%low = OpBitwiseAnd %int %x %i1
            %even = OpIEqual %bool %low %i0
            OpBranchConditional %even %outer %end
            %outer = OpLabel
            %two = OpBitwiseAnd %int %x %i2
            %has_two = OpIEqual %bool %two %i2
            OpStore %to %x Volatile
            OpBranchConditional %has_two %yes %no
            %yes = OpLabel
            OpStore %to %i1 Volatile
            OpBranch %inner
            %no = OpLabel
            OpStore %to %i2 Volatile
            OpBranch %inner
            %inner = OpLabel
            %either = OpPhi %int %c5 %yes %c7 %no
            OpBranch %end
            %end = OpLabel
            %r = OpPhi %int %i3 %start %either %inner",
        result: |x, _| match x & 3 {
            2 => 5,
            0 => 7,
            _ => 3,
        },
    },
    Form {
        what: "a uniform exit to a block of its own, behind a divergent branch",
        body: "OpBranch %head
            %head = OpLabel
            %i = OpPhi %int %i0 %start %next %latch
            %shifted = OpShiftRightLogical %int %x %i
            %bit = OpBitwiseAnd %int %shifted %i1
            %is_set = OpIEqual %bool %bit %i1
            OpBranchConditional %is_set %inside %latch
            %inside = OpLabel
            OpStore %to %i Volatile
            %is_late = OpSGreaterThanEqual %bool %i %n
            OpBranchConditional %is_late %found %latch
            %latch = OpLabel
            %next = OpIAdd %int %i %i1
            %again = OpSLessThan %bool %next %c7
            OpBranchConditional %again %head %out
            %found = OpLabel
            OpStore %to %i1 Volatile
            OpBranch %out
            %out = OpLabel
            %r = OpPhi %int %i %found %c7 %latch",
        result: |x, n| (n..7).find(|i| x >> i & 1 != 0).unwrap_or(7),
    },
    Form {
        what: "values that change places in each round",
        body: "OpBranch %head
            %head = OpLabel
            %i = OpPhi %int %i0 %start %next %latch
            %a = OpPhi %int %n %start %b %latch
            %b = OpPhi %int %x %start %a %latch
            %again = OpSLessThan %bool %i %x
            OpBranchConditional %again %latch %end
            %latch = OpLabel
            OpStore %to %i Volatile
            %next = OpIAdd %int %i %i1
            OpBranch %head
            %end = OpLabel
            %r = OpISub %int %a %b",
        result: |x, n| if x & 1 == 0 { n - x } else { x - n },
    },
    Form {
        what: "three exits of a loop, the last items leaving by the first one",
        body: "%a = OpShiftRightLogical %int %x %i3
            %bound = OpBitwiseAnd %int %x %c7
            OpBranch %head
            %head = OpLabel
            %i = OpPhi %int %i0 %start %next %latch
            %again = OpSLessThan %bool %i %bound
            OpBranchConditional %again %body %through
            %body = OpLabel
            OpStore %to %i Volatile
            %is_a = OpIEqual %bool %i %a
            OpBranchConditional %is_a %found %twice
            %twice = OpLabel
            OpStore %to %a Volatile
            %i_twice = OpIAdd %int %i %i
            %is_half = OpIEqual %bool %i_twice %a
            OpBranchConditional %is_half %found_half %latch
            %latch = OpLabel
            %next = OpIAdd %int %i %i1
            OpBranch %head
            %through = OpLabel
            OpStore %to %i1 Volatile
            OpBranch %end
            %found = OpLabel
            OpStore %to %i2 Volatile
            OpBranch %end
            %found_half = OpLabel
            OpStore %to %i3 Volatile
            OpBranch %end
            %end = OpLabel
            %r = OpPhi %int %i3 %through %c5 %found %c7 %found_half",
        result: |x, _| {
            let a = x >> 3;
            let left = (0..x & 7).find(|i| *i == a || 2 * i == a);
            left.map_or(3, |i| if i == a { 5 } else { 7 })
        },
    },
    // A load that is only copied to all lanes is done under a mask with AVX-512, and does no harm then.
    Form {
        what: "a load that no item comes to, and a sum with it",
        body: "%negative = OpSLessThan %bool %x %i0
            OpBranchConditional %negative %never %end
            %never = OpLabel
            %nowhere = OpPtrAccessChain %global_int %extra %far
            %there = OpLoad %int %nowhere Aligned 4
            %more = OpIAdd %int %there %n
            OpBranch %end
            %end = OpLabel
            %r = OpPhi %int %x %start %more %never",
        result: |x, _| x,
    },
    Form {
        what: "a uniform branch within a divergent one",
        body: "%low = OpBitwiseAnd %int %x %i1
            %even = OpIEqual %bool %low %i0
            OpBranchConditional %even %outer %end
            %outer = OpLabel
            OpStore %to %x Volatile
            %is_three = OpIEqual %bool %n %i3
            OpBranchConditional %is_three %yes %no
            %yes = OpLabel
            OpStore %to %i1 Volatile
            OpBranch %inner
            %no = OpLabel
            OpStore %to %i2 Volatile
            OpBranch %inner
            %inner = OpLabel
            %either = OpPhi %int %c5 %yes %c7 %no
            OpBranch %end
            %end = OpLabel
            %r = OpPhi %int %x %start %either %inner",
        result: |x, n| match x & 1 {
            0 if n == 3 => 5,
            0 => 7,
            _ => x,
        },
    },
    Form {
        what: "one item writes to one address",
        body: "%is_one = OpIEqual %bool %x %n
            OpBranchConditional %is_one %writes %other
            %writes = OpLabel
            OpStore %extra %id Aligned 4
            OpBranch %other
            %other = OpLabel
            %negative = OpSLessThan %bool %x %i0
            OpBranchConditional %negative %never %end
            %never = OpLabel
            OpStore %extra %n Aligned 4
            OpBranch %end
            %end = OpLabel
            %r = OpCopyObject %int %x",
        result: |x, _| x,
    },
];

/// What is at the one address before: no item's number.
const UNTOUCHED: i32 = -1;

fn text(body: &str) -> String {
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %c5 = OpConstant %int 5
        %c7 = OpConstant %int 7
        %far = OpConstant %long 0x100000000000
        %type = OpTypeFunction %void %global_int %global_int %global_int %int
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %q = OpFunctionParameter %global_int
        %extra = OpFunctionParameter %global_int
        %n = OpFunctionParameter %int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id64 = OpCompositeExtract %long %ids 0
        %id = OpUConvert %int %id64
        %from = OpPtrAccessChain %global_int %p %id64
        %x = OpLoad %int %from Aligned 4
        %to = OpPtrAccessChain %global_int %q %id64
        {body}
        OpStore %to %r Aligned 4
        OpReturn
        OpFunctionEnd"
    )
}

#[test]
fn divergence() {
    for form in FORMS {
        for mode in MODES {
            let kernel = compile_in(mode, &text(form.body));
            assert!(
                mode == Mode::Scalar || kernel.lanes() > 1,
                "{}: not in lanes",
                form.what
            );
            // Full lanes, rows that fill some of them, and less than a register has.
            for (groups, local, n) in [(2, 32, 3), (3, 13, 1), (1, 41, 6), (1, 3, 0)] {
                let count = groups * local;
                let numbers: Vec<i32> = (0..count as i32).map(|i| i * 29 % 64).collect();
                let bytes = |numbers: &[i32]| numbers.iter().flat_map(|i| i.to_ne_bytes()).collect::<Vec<u8>>();
                let (mut p, mut q, mut extra) = (bytes(&numbers), vec![0; 4 * count as usize], bytes(&[UNTOUCHED]));
                run(
                    &kernel,
                    range([groups, 1, 1], [local, 1, 1]),
                    &mut [
                        Argument::Memory(&mut p),
                        Argument::Memory(&mut q),
                        Argument::Memory(&mut extra),
                        Argument::Value(n as u64),
                    ],
                )
                .unwrap();
                let expected: Vec<i32> = numbers.iter().map(|&x| (form.result)(x, n)).collect();
                assert!(
                    q == bytes(&expected),
                    "{}, {mode:?}, {groups} groups of {local}",
                    form.what
                );
                let writer = numbers
                    .iter()
                    .rposition(|&x| x == n)
                    .filter(|_| form.body.contains("OpStore %extra"));
                let written = writer.map_or(UNTOUCHED, |item| item as i32);
                assert!(
                    extra == bytes(&[written]),
                    "{}, {mode:?}, {groups} groups of {local}",
                    form.what
                );
            }
        }
    }
}
