// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels on bytes and shorts, which run as many vectors as fill a register: rows of any length, guards, branches, and launches
//! whose stores go past the caches.

use super::{Argument, GLOBAL_ID, Line, MODES, compile_in, range, run};

/// `out[i] = a[i] > b[i] ? sat(a[i] + b[i]) : a[i] ^ 5`, for places that are less than the limit.
const KERNEL: &str = "
        %five = OpConstant %TYPE 5
        %type = OpTypeFunction %void %global_TYPE %global_TYPE %global_TYPE %long
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_TYPE
        %a = OpFunctionParameter %global_TYPE
        %b = OpFunctionParameter %global_TYPE
        %limit = OpFunctionParameter %long
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %is_inside = OpULessThan %bool %id %limit
        OpSelectionMerge %end None
        OpBranchConditional %is_inside %inside %end
        %inside = OpLabel
        %a_at = OpPtrAccessChain %global_TYPE %a %id
        %b_at = OpPtrAccessChain %global_TYPE %b %id
        %x = OpLoad %TYPE %a_at Aligned 1
        %y = OpLoad %TYPE %b_at Aligned 1
        %is_greater = OpUGreaterThan %bool %x %y
        OpSelectionMerge %both None
        OpBranchConditional %is_greater %sums %others
        %sums = OpLabel
        %sum = OpExtInst %TYPE %cl u_add_sat %x %y
        OpBranch %both
        %others = OpLabel
        %other = OpBitwiseXor %TYPE %x %five
        OpBranch %both
        %both = OpLabel
        %result = OpPhi %TYPE %sum %sums %other %others
        %out_at = OpPtrAccessChain %global_TYPE %out %id
        OpStore %out_at %result Aligned 1
        OpBranch %end
        %end = OpLabel
        OpReturn
        OpFunctionEnd
        ";

fn of_bytes(x: u8, y: u8) -> u8 {
    if x > y { x.saturating_add(y) } else { x ^ 5 }
}

fn of_shorts(x: u16, y: u16) -> u16 {
    if x > y { x.saturating_add(y) } else { x ^ 5 }
}

/// What bytes become that are numbers of so many bytes.
fn expected(size: usize, a: &[u8], b: &[u8]) -> Vec<u8> {
    let pairs = || a.chunks(size).zip(b.chunks(size));
    match size {
        1 => pairs().map(|(a, b)| of_bytes(a[0], b[0])).collect(),
        _ => {
            let short = |bytes: &[u8]| u16::from_ne_bytes([bytes[0], bytes[1]]);
            let results = pairs().map(|(a, b)| of_shorts(short(a), short(b)));
            results.flat_map(u16::to_ne_bytes).collect()
        }
    }
}

fn numbers(count: usize, factor: u32) -> Vec<u8> {
    let words = (0..count as u32).map(|i| i.wrapping_mul(factor) ^ i >> 3);
    words.map(|word| (word >> 11) as u8).collect()
}

#[test]
fn rows_of_any_length() {
    for (ty, size) in [("char", 1), ("short", 2)] {
        let text = format!("{GLOBAL_ID}{KERNEL}").replace("TYPE", ty);
        for mode in MODES {
            let kernel = compile_in(mode, &text);
            for (groups, local, left_out) in [
                (3, 256, 0),
                (1, 200, 0),
                (1, 65, 1),
                (1, 63, 0),
                (5, 16, 7),
                (7, 1, 0),
                (9, 64, 33),
                (2, 448, 448),
            ] {
                let count = groups * local * size;
                let [mut a, mut b] = [0x9e37_79b9, 0x85eb_ca6b].map(|factor| numbers(count, factor));
                let mut expected = expected(size, &a, &b);
                let limit = groups * local - left_out;
                expected[limit * size..].fill(0xee);
                let mut out = vec![0xee; count];
                let mut arguments = [
                    Argument::Memory(&mut out),
                    Argument::Memory(&mut a),
                    Argument::Memory(&mut b),
                    Argument::Value(limit as u64),
                ];
                run(
                    &kernel,
                    range([groups as u64, 1, 1], [local as u64, 1, 1]),
                    &mut arguments,
                )
                .unwrap();
                assert!(
                    out == expected,
                    "{ty}, {mode:?}, {groups} groups of {local} but for {left_out}"
                );
            }
        }
    }
}

/// Output that begins at a cache line, and one that does not.
#[test]
fn past_the_caches() {
    let text = format!("{GLOBAL_ID}{KERNEL}").replace("TYPE", "char");
    let kernel = super::compile(&text, &oxur_compiler::Options::default());
    for offset in [0, 3] {
        let count = 33 << 20;
        let [mut a, mut b] = [0x9e37_79b9, 0x85eb_ca6b].map(|factor| numbers(count, factor));
        let expected = expected(1, &a, &b);
        let mut memory = vec![Line([0xee; 128]); count / 128 + 1];
        let out = &mut Line::bytes(&mut memory, count + 128)[offset..][..count];
        let mut arguments = [
            Argument::Memory(out),
            Argument::Memory(&mut a),
            Argument::Memory(&mut b),
            Argument::Value(count as u64),
        ];
        run(&kernel, range([count as u64 / 256, 1, 1], [256, 1, 1]), &mut arguments).unwrap();
        assert!(
            Line::bytes(&mut memory, count + 128)[offset..][..count] == expected,
            "{offset} bytes off"
        );
        assert!(memory[count / 128].0[offset..].iter().all(|byte| *byte == 0xee));
    }
}
