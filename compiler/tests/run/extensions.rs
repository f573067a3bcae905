// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Indices that wrap somewhere between two items of a sub-group, and are extended behind that: the values of the items are not
//! a constant apart then.

use super::{Argument, MODES, NdRange, compile_in, range, run};

/// What it is, its text, and the same with numbers of 64 bits.
type Form = (&'static str, &'static str, fn(u64, u64) -> u64);

/// What an item makes of its id, in the width of the index: `%i` of `%id` and `%n`.
const FORMS: [Form; 6] = [
    ("the id", "%i = OpCopyObject %NUMBER %id", |id, _| id),
    ("a sum", "%i = OpIAdd %NUMBER %id %n", |id, n| id.wrapping_add(n)),
    ("a product", "%i = OpIMul %NUMBER %id %n", |id, n| id.wrapping_mul(n)),
    ("a difference", "%i = OpISub %NUMBER %n %id", |id, n| n.wrapping_sub(id)),
    (
        "the complement",
        "%not = OpNot %NUMBER %id\n%i = OpIAdd %NUMBER %not %n",
        |id, n| (!id).wrapping_add(n),
    ),
    // Volatile stores keep LLVM from making a select of it.
    (
        "the id on one way and a sum on the other",
        "%is_zero = OpIEqual %bool %which %l0
        OpBranchConditional %is_zero %alone %more
        %alone = OpLabel
        OpStore %at %l0 Volatile
        OpBranch %together
        %more = OpLabel
        OpStore %at %which Volatile
        %sum = OpIAdd %NUMBER %id %n
        OpBranch %together
        %together = OpLabel
        %i = OpPhi %NUMBER %id %alone %sum %more",
        |id, n| id.wrapping_add(n),
    ),
];

/// `q[id - base] = extend(i) + table[extend(i) + least] + (uint)extend(i)`, the last two for indices of less than 32 bits.
fn text(form: &str, ty: &str, extend: &str, least: u64) -> String {
    let result = match ty {
        "int" => "%result = OpCopyObject %long %wide",
        _ => {
            "%from = OpPtrAccessChain %global_char %table %place
            %there = OpLoad %char %from Aligned 1
            %there64 = OpUConvert %long %there
            %sum_of_both = OpIAdd %long %wide %there64
            %half_wide = EXTEND %int %i
            %shown = OpUConvert %long %half_wide
            %result = OpIAdd %long %sum_of_both %shown"
        }
    };
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %l0 = OpConstant %long 0
        %least = OpConstant %long {least}
        %type = OpTypeFunction %void %global_long %global_char %{ty} %long %long
        %kernel = OpFunction %void None %type
        %q = OpFunctionParameter %global_long
        %table = OpFunctionParameter %global_char
        %n = OpFunctionParameter %{ty}
        %which = OpFunctionParameter %long
        %base = OpFunctionParameter %long
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id64 = OpCompositeExtract %long %ids 0
        %own = OpISub %long %id64 %base
        %at = OpPtrAccessChain %global_long %q %own
        %id = OpUConvert %{ty} %id64
        {}
        %wide = {extend} %long %i
        %place = OpIAdd %long %wide %least
        {result}
        OpStore %at %result Aligned 8
        OpReturn
        OpFunctionEnd",
        form.replace("NUMBER", ty)
    )
    .replace("EXTEND", extend)
}

fn check(bits: u32, signed: bool) {
    let ty = match bits {
        8 => "char",
        16 => "short",
        _ => "int",
    };
    let low = u64::MAX >> (64 - bits);
    let middle = 1u64 << (bits - 1);
    let (extend, least) = if signed {
        ("OpSConvert", middle)
    } else {
        ("OpUConvert", 0)
    };
    let mut table: Vec<u8> = (0..1u32 << bits.min(16)).map(|i| (i * 37 + i / 256) as u8).collect();
    for (what, form, index) in FORMS {
        for mode in MODES {
            let kernel = compile_in(mode, &text(form, ty, extend, least));
            // Ids that wrap themselves are those beyond the width.
            let bases = [0, middle - 21, 2 * middle - 21];
            for (base, n) in bases
                .into_iter()
                .flat_map(|base| [middle - 5, low - 4, 23].map(|n| (base, n)))
            {
                for (groups, local) in [(2, 16), (1, 40), (3, 13)] {
                    let range = NdRange {
                        global_offset: [base, 0, 0],
                        ..range([groups, 1, 1], [local, 1, 1])
                    };
                    let expected = (0..groups * local).map(|item| {
                        let i = index(base + item, n) & low;
                        let wide = if signed {
                            (i << (64 - bits)) as i64 >> (64 - bits)
                        } else {
                            i as i64
                        };
                        let place = wide.wrapping_add(least as i64);
                        match bits {
                            32 => wide,
                            _ => wide + i64::from(table[place as usize]) + i64::from(wide as u32),
                        }
                    });
                    let expected: Vec<u8> = expected.flat_map(i64::to_ne_bytes).collect();
                    let mut q = vec![0xee; expected.len()];
                    let mut arguments = [
                        Argument::Memory(&mut q),
                        Argument::Memory(&mut table),
                        Argument::Value(n),
                        Argument::Value(1),
                        Argument::Value(base),
                    ];
                    run(&kernel, range, &mut arguments).unwrap();
                    let item = q
                        .chunks(8)
                        .zip(expected.chunks(8))
                        .position(|(found, right)| found != right);
                    assert_eq!(
                        item, None,
                        "{what}, {ty}, {extend}, n = {n}, ids from {base}, groups of {local}, {mode:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn of_signed_indices() {
    [8, 16, 32].into_iter().for_each(|bits| check(bits, true));
}

#[test]
fn of_unsigned_indices() {
    [8, 16, 32].into_iter().for_each(|bits| check(bits, false));
}

/// `i = id << 30; q[id] = i < n ? p[i] : 7;` for `n` of one: every fourth item reads `p[0]`. The index is extended with its sign,
/// and does not tell that it is not negative.
#[test]
fn of_indices_that_are_far_apart() {
    let text = "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %c7 = OpConstant %int 7
        %c30 = OpConstant %int 30
        %type = OpTypeFunction %void %global_int %global_int %int
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %q = OpFunctionParameter %global_int
        %n = OpFunctionParameter %int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id64 = OpCompositeExtract %long %ids 0
        %id = OpUConvert %int %id64
        %at = OpPtrAccessChain %global_int %q %id64
        %i = OpShiftLeftLogical %int %id %c30
        %is_in = OpULessThan %bool %i %n
        OpBranchConditional %is_in %inside %done
        %inside = OpLabel
        %wide = OpSConvert %long %i
        %from = OpPtrAccessChain %global_int %p %wide
        %x = OpLoad %int %from Aligned 4
        OpBranch %done
        %done = OpLabel
        %r = OpPhi %int %c7 %start %x %inside
        OpStore %at %r Aligned 4
        OpReturn
        OpFunctionEnd";
    for mode in MODES {
        let kernel = compile_in(mode, text);
        let mut p = 99u32.to_ne_bytes();
        let mut q = vec![0; 4 * 45];
        let mut arguments = [Argument::Memory(&mut p), Argument::Memory(&mut q), Argument::Value(1)];
        run(&kernel, range([3, 1, 1], [15, 1, 1]), &mut arguments).unwrap();
        let expected: Vec<u32> = (0..45).map(|id| if id % 4 == 0 { 99 } else { 7 }).collect();
        assert_eq!(super::words(&q), expected, "{mode:?}");
    }
}

/// `q[id] = p[far - extend(id + n)]`: the more is taken away, the further items go down.
#[test]
fn of_what_is_taken_away() {
    let text = "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %type = OpTypeFunction %void %global_int %global_int %int %long
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %q = OpFunctionParameter %global_int
        %n = OpFunctionParameter %int
        %far = OpFunctionParameter %long
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id64 = OpCompositeExtract %long %ids 0
        %id = OpUConvert %int %id64
        %i = OpIAdd %int %id %n
        %wide = OpSConvert %long %i
        %place = OpISub %long %far %wide
        %from = OpPtrAccessChain %global_int %p %place
        %x = OpLoad %int %from Aligned 4
        %at = OpPtrAccessChain %global_int %q %id64
        OpStore %at %x Aligned 4
        OpReturn
        OpFunctionEnd";
    let numbers: Vec<u32> = (0..200).map(|i| i * i + 1).collect();
    for mode in MODES {
        let kernel = compile_in(mode, text);
        for (groups, local) in [(2, 32), (3, 13)] {
            let mut p: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
            let mut q = vec![0; 4 * (groups * local) as usize];
            let mut arguments = [
                Argument::Memory(&mut p),
                Argument::Memory(&mut q),
                Argument::Value(9),
                Argument::Value(100),
            ];
            run(&kernel, range([groups, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
            let expected: Vec<u32> = (0..(groups * local) as usize).map(|id| numbers[100 - 9 - id]).collect();
            assert_eq!(super::words(&q), expected, "{mode:?}, groups of {local}");
        }
    }
}

/// Ids that are cut to fewer bits, stored as such and extended: LLVM keeps both if the extended ones are narrower than ids. Items
/// of one sub-group are on both sides of where the sign changes.
#[test]
fn of_narrow_ids() {
    const ITEMS: u64 = 48;
    for bits in [8, 16] {
        let (ty, bytes) = (if bits == 8 { "char" } else { "short" }, bits / 8);
        let text = format!(
            "OpEntryPoint Kernel %kernel \"k\" %global_id
            OpDecorate %global_id BuiltIn GlobalInvocationId
            %input_long3 = OpTypePointer Input %long3
            %global_id = OpVariable %input_long3 Input
            %type = OpTypeFunction %void %global_int %global_{ty} %long
            %kernel = OpFunction %void None %type
            %q = OpFunctionParameter %global_int
            %narrow = OpFunctionParameter %global_{ty}
            %base = OpFunctionParameter %long
            %start = OpLabel
            %ids = OpLoad %long3 %global_id
            %id64 = OpCompositeExtract %long %ids 0
            %own = OpISub %long %id64 %base
            %id = OpUConvert %{ty} %id64
            %at_narrow = OpPtrAccessChain %global_{ty} %narrow %own
            OpStore %at_narrow %id Aligned {bytes}
            %wide = OpSConvert %int %id
            %at = OpPtrAccessChain %global_int %q %own
            OpStore %at %wide Aligned 4
            OpReturn
            OpFunctionEnd"
        );
        for mode in MODES {
            let kernel = compile_in(mode, &text);
            let base = (1u64 << (bits - 1)) - 21;
            let range = NdRange {
                global_offset: [base, 0, 0],
                ..range([ITEMS / 16, 1, 1], [16, 1, 1])
            };
            let (mut q, mut narrow) = (vec![0; 4 * ITEMS as usize], vec![0; (bytes * ITEMS) as usize]);
            let mut arguments = [
                Argument::Memory(&mut q),
                Argument::Memory(&mut narrow),
                Argument::Value(base),
            ];
            run(&kernel, range, &mut arguments).unwrap();
            let ids = || base..base + ITEMS;
            let extended = |id: u64| ((id << (64 - bits)) as i64 >> (64 - bits)) as u32;
            assert_eq!(
                super::words(&q),
                ids().map(extended).collect::<Vec<_>>(),
                "{ty}, {mode:?}"
            );
            let low: Vec<u8> = ids()
                .flat_map(|id| id.to_le_bytes()[..bytes as usize].to_vec())
                .collect();
            assert_eq!(narrow, low, "{ty}, {mode:?}");
        }
    }
}
