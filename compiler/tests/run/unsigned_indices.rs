// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Accesses by unsigned indices that wrap between any two lanes, or between two members that an item accesses.

use std::fmt::Write as _;

use oxur_compiler::Mode;

use super::{Argument, GLOBAL_ID, MODES, bytes, compile_in, range, run, words};

/// Steps from item to item, and which elements from there on an item accesses.
const FORMS: [(i32, &[u32]); 9] = [
    (1, &[0]),
    (1, &[0, 1, 5]),
    (2, &[0, 1]),
    (2, &[1]),
    (3, &[0, 1, 2]),
    (3, &[0, 2]),
    (4, &[0, 1, 2, 3]),
    (-1, &[0]),
    (-3, &[0, 1, 2]),
];

/// How many elements the array has.
const COUNT: usize = 160;

/// The first index of item 0.
const STARTS: [u32; 16] = [
    0,
    1,
    7,
    40,
    150,
    159,
    160,
    u32::MAX,
    u32::MAX - 1,
    u32::MAX - 2,
    u32::MAX - 10,
    u32::MAX - 45,
    u32::MAX - 95,
    1 << 31,
    (1 << 31) - 20,
    u32::MAX / 3,
];

/// Also where the last lane of a vector is the first one whose member wraps.
fn starts(step: i32, members: &[u32]) -> Vec<u32> {
    let lanes = [4, 8, 16, 32, 64]
        .iter()
        .flat_map(|lanes| members.iter().map(move |m| (*lanes, *m)));
    let last_wraps = lanes.map(|(lanes, member): (u32, u32)| {
        let reach = (lanes - 1).wrapping_mul(step as u32);
        0u32.wrapping_sub(member).wrapping_sub(reach)
    });
    STARTS.into_iter().chain(last_wraps).collect()
}

/// `if (j < count && ...) ...` with a `uint j = step * id + start`, and each of the members tested. With `masks`, indices are the low bits of
/// 64-bit numbers.
fn text(step: i32, members: &[u32], stores: bool, masks: bool) -> String {
    let (mut constants, mut tests, mut accesses) = (String::new(), String::new(), String::new());
    let (mut condition, mut sum) = ("%true".to_string(), "%i0".to_string());
    for (number, member) in members.iter().enumerate() {
        _ = write!(
            constants,
            "%c{number} = OpConstant %int {member}\n%d{number} = OpConstant %long {member}\n%w{number} = OpConstant %int {}\n",
            10 * number + 3
        );
        tests += &match masks {
            true => format!(
                "%k{number} = OpIAdd %long %k %d{number}
                %wide{number} = OpBitwiseAnd %long %k{number} %low
                %j{number} = OpUConvert %int %wide{number}
                "
            ),
            false => format!(
                "%j{number} = OpIAdd %int %j %c{number}
                %wide{number} = OpUConvert %long %j{number}
                "
            ),
        };
        _ = write!(
            tests,
            "%is{number} = OpULessThan %bool %j{number} %count
            %all{number} = OpLogicalAnd %bool {condition} %is{number}
            "
        );
        condition = format!("%all{number}");
        _ = write!(
            accesses,
            "%at{number} = OpPtrAccessChain %global_int %p %wide{number}
            "
        );
        accesses += &match stores {
            true => format!(
                "%value{number} = OpIAdd %int %own %w{number}
                OpStore %at{number} %value{number} Aligned 4
                "
            ),
            false => format!(
                "%x{number} = OpLoad %int %at{number} Aligned 4
                %part{number} = OpIMul %int %x{number} %w{number}
                %sum{number} = OpIAdd %int {sum} %part{number}
                "
            ),
        };
        sum = format!("%sum{number}");
    }
    let result = match stores {
        true => String::new(),
        false => format!("OpStore %at {sum} Aligned 4"),
    };
    format!(
        "{GLOBAL_ID}
        %step = OpConstant %int {}
        %step64 = OpConstant %long {}
        %low = OpConstant %long 4294967295
        {constants}
        %type = OpTypeFunction %void %global_int %global_int %int %int
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %q = OpFunctionParameter %global_int
        %first = OpFunctionParameter %int
        %count = OpFunctionParameter %int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %id32 = OpUConvert %int %id
        %product = OpIMul %int %id32 %step
        %j = OpIAdd %int %product %first
        %product64 = OpIMul %long %id %step64
        %first64 = OpUConvert %long %first
        %k = OpIAdd %long %product64 %first64
        %at = OpPtrAccessChain %global_int %q %id
        %own = OpLoad %int %at Aligned 4
        {tests}
        OpBranchConditional {condition} %in %end
        %in = OpLabel
        {accesses}
        {result}
        OpBranch %end
        %end = OpLabel
        OpReturn
        OpFunctionEnd",
        step as u32,
        i64::from(step) as u64
    )
}

/// What the kernel does, one item after the other.
fn expect(step: i32, members: &[u32], stores: bool, first: u32, p: &mut [u32], q: &mut [u32]) {
    for (id, own) in q.iter_mut().enumerate() {
        let j = (id as u32).wrapping_mul(step as u32).wrapping_add(first);
        let places: Vec<usize> = members.iter().map(|m| j.wrapping_add(*m) as usize).collect();
        if places.iter().any(|place| *place >= p.len()) {
            continue;
        }
        let weighted = places.iter().zip((3u32..).step_by(10));
        match stores {
            true => weighted.for_each(|(place, weight)| p[*place] = own.wrapping_add(weight)),
            false => {
                *own = weighted.fold(0, |sum, (place, weight)| {
                    sum.wrapping_add(p[*place].wrapping_mul(weight))
                })
            }
        }
    }
}

#[test]
fn indices_that_wrap() {
    for (step, members) in FORMS {
        for stores in [false, true] {
            // Two items would write to one place.
            if stores && step.unsigned_abs() < members.len() as u32 {
                continue;
            }
            for (mode, masks) in MODES.iter().flat_map(|mode| [(*mode, false), (*mode, true)]) {
                let kernel = compile_in(mode, &text(step, members, stores, masks));
                let sizes: &[(u64, u64)] = if mode == Mode::Fast {
                    &[(2, 32), (3, 13)]
                } else {
                    &[(3, 13)]
                };
                let starts = starts(step, members);
                for (&first, &(groups, local)) in starts.iter().flat_map(|first| sizes.iter().map(move |s| (first, s)))
                {
                    let items = (groups * local) as u32;
                    let mut p: Vec<u32> = (0..COUNT as u32).map(|i| i * i * 7 + i / 5).collect();
                    let mut q: Vec<u32> = (0..items).map(|i| 1000 * i + 1).collect();
                    let (mut memory, mut results) = (bytes(&p), bytes(&q));
                    let mut arguments = [
                        Argument::Memory(&mut memory),
                        Argument::Memory(&mut results),
                        Argument::Value(first.into()),
                        Argument::Value(COUNT as u64),
                    ];
                    run(&kernel, range([groups, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
                    expect(step, members, stores, first, &mut p, &mut q);
                    let what =
                        format!("{step} * id + {first}, members {members:?}, {mode:?}, {masks}, groups of {local}");
                    assert_eq!(words(&results), q, "{what}");
                    assert_eq!(words(&memory), p, "{what}");
                }
            }
        }
    }
}
