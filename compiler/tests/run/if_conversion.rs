// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Branches around a few simple instructions, which become selects, beside others in loops that items leave in different rounds and by
//! different ways.

use super::{Argument, GLOBAL_ID, MODES, bytes, compile_in, range, run, words};

/// See [`expected`]. The inner branch becomes a select before the outer one can.
const KERNEL: &str = "
        %c0 = OpConstant %int 0
        %c1 = OpConstant %int 1
        %c3 = OpConstant %int 3
        %c4 = OpConstant %int 4
        %c5 = OpConstant %int 5
        %c16 = OpConstant %int 16
        %c31 = OpConstant %int 31
        %c64 = OpConstant %int 64
        %high = OpConstant %int 0xa0000000
        %type = OpTypeFunction %void %global_int
        %kernel = OpFunction %void None %type
        %data = OpFunctionParameter %global_int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %own = OpPtrAccessChain %global_int %data %id
        %number = OpLoad %int %own Aligned 4
        %most = OpBitwiseAnd %int %number %c31
        OpBranch %head
        %head = OpLabel
        %r = OpPhi %int %c0 %start %r_next %next
        %x = OpPhi %int %number %start %a %next
        %y = OpPhi %int %most %start %y2 %next
        %goes_on = OpULessThan %bool %r %most
        OpLoopMerge %done %next None
        OpBranchConditional %goes_on %round %after
        %round = OpLabel
        %bit = OpBitwiseAnd %int %x %c1
        %is_odd = OpIEqual %bool %bit %c1
        OpSelectionMerge %joined None
        OpBranchConditional %is_odd %odd %even
        %odd = OpLabel
        %triple = OpIMul %int %x %c3
        %a_odd = OpIAdd %int %triple %c1
        %bit4 = OpBitwiseAnd %int %x %c4
        %has4 = OpIEqual %bool %bit4 %c4
        OpSelectionMerge %odd_end None
        OpBranchConditional %has4 %with4 %without4
        %with4 = OpLabel
        %y_with = OpBitwiseXor %int %y %x
        OpBranch %odd_end
        %without4 = OpLabel
        %y_without = OpIAdd %int %y %c5
        OpBranch %odd_end
        %odd_end = OpLabel
        %y_odd = OpPhi %int %y_with %with4 %y_without %without4
        OpBranch %joined
        %even = OpLabel
        %a_even = OpShiftRightLogical %int %x %c1
        OpBranch %joined
        %joined = OpLabel
        %a = OpPhi %int %a_odd %odd_end %a_even %even
        %y1 = OpPhi %int %y_odd %odd_end %y %even
        %bit64 = OpBitwiseAnd %int %a %c64
        %leaves = OpIEqual %bool %bit64 %c64
        OpSelectionMerge %stays None
        OpBranchConditional %leaves %first_exit %stays
        %first_exit = OpLabel
        %z1 = OpIMul %int %y1 %c3
        OpBranch %done
        %stays = OpLabel
        %bit16 = OpBitwiseAnd %int %a %c16
        %has16 = OpIEqual %bool %bit16 %c16
        OpSelectionMerge %added None
        OpBranchConditional %has16 %adds %added
        %adds = OpLabel
        %y_added = OpIAdd %int %y1 %r
        OpBranch %added
        %added = OpLabel
        %y2 = OpPhi %int %y1 %stays %y_added %adds
        %is_high = OpUGreaterThan %bool %y2 %high
        OpBranchConditional %is_high %second_exit %next
        %second_exit = OpLabel
        %z2 = OpBitwiseXor %int %y2 %a
        OpBranch %done
        %next = OpLabel
        %r_next = OpIAdd %int %r %c1
        OpBranch %head
        %after = OpLabel
        %z3 = OpIAdd %int %y %x
        OpBranch %done
        %done = OpLabel
        %z = OpPhi %int %z1 %first_exit %z2 %second_exit %z3 %after
        %sum = OpIAdd %int %z %x
        OpStore %own %sum Aligned 4
        OpReturn
        OpFunctionEnd
        ";

fn expected(number: u32) -> u32 {
    let most = number & 31;
    let (mut x, mut y) = (number, most);
    for r in 0..most {
        let (a, mut y1) = match (x & 1, x & 4) {
            (1, 4) => (x.wrapping_mul(3).wrapping_add(1), y ^ x),
            (1, _) => (x.wrapping_mul(3).wrapping_add(1), y.wrapping_add(5)),
            _ => (x >> 1, y),
        };
        if a & 64 != 0 {
            return y1.wrapping_mul(3).wrapping_add(x);
        }
        if a & 16 != 0 {
            y1 = y1.wrapping_add(r);
        }
        if y1 > 0xa000_0000 {
            return (y1 ^ a).wrapping_add(x);
        }
        (x, y) = (a, y1);
    }
    y.wrapping_add(x).wrapping_add(x)
}

#[test]
fn in_loops_with_several_exits() {
    // High bits that a number keeps for some rounds, and low ones without 64.
    let numbers = (0..600u32).map(|i| i.wrapping_mul(2_654_435_761) & 0xffff_ff3f | (i & 3) << 30);
    let results: Vec<u32> = numbers.clone().map(expected).collect();
    for mode in MODES {
        let kernel = compile_in(mode, &format!("{GLOBAL_ID}{KERNEL}"));
        for (groups, local) in [
            ([2, 1, 1], [256, 1, 1]),
            ([6, 1, 1], [100, 1, 1]),
            ([60, 1, 1], [5, 1, 1]),
        ] {
            let range = range(groups, local);
            let count = range.global_size[0] as usize;
            let mut memory: Vec<u8> = numbers.clone().take(count).flat_map(u32::to_ne_bytes).collect();
            run(&kernel, range, &mut [Argument::Memory(&mut memory)]).unwrap();
            assert!(words(&memory) == results[..count], "{mode:?}, {range:?}");
        }
    }
}

/// See [`beside_a_load`]. Two simple sides and one that loads come together in one block; a division is no simple instruction.
const BESIDE_A_LOAD: &str = "
        %l0 = OpConstant %long 0
        %l1 = OpConstant %long 1
        %l3 = OpConstant %long 3
        %l5 = OpConstant %long 5
        %l16 = OpConstant %long 16
        %l32 = OpConstant %long 32
        %type = OpTypeFunction %void %global_long %global_long
        %kernel = OpFunction %void None %type
        %data = OpFunctionParameter %global_long
        %table = OpFunctionParameter %global_long
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %own = OpPtrAccessChain %global_long %data %id
        %x = OpLoad %long %own Aligned 8
        %bit16 = OpBitwiseAnd %long %x %l16
        %loads = OpINotEqual %bool %bit16 %l0
        OpSelectionMerge %joined None
        OpBranchConditional %loads %loaded %others
        %loaded = OpLabel
        %from = OpPtrAccessChain %global_long %table %id
        %v_loaded = OpLoad %long %from Aligned 8
        OpBranch %joined
        %others = OpLabel
        %bit32 = OpBitwiseAnd %long %x %l32
        %triples = OpINotEqual %bool %bit32 %l0
        OpBranchConditional %triples %triple %mixed
        %triple = OpLabel
        %x3 = OpIMul %long %x %l3
        %x3_less = OpISub %long %x3 %id
        %x3_more = OpBitwiseXor %long %x3_less %x
        %v_triple = OpIAdd %long %x3_more %l5
        OpBranch %joined
        %mixed = OpLabel
        %x5 = OpBitwiseXor %long %x %l5
        %x5_more = OpIAdd %long %x5 %id
        %x5_less = OpISub %long %x5_more %l3
        %v_mixed = OpIMul %long %x5_less %x
        OpBranch %joined
        %joined = OpLabel
        %v = OpPhi %long %v_loaded %loaded %v_triple %triple %v_mixed %mixed
        %d = OpBitwiseAnd %long %x %l3
        %divides = OpINotEqual %bool %d %l0
        OpSelectionMerge %done None
        OpBranchConditional %divides %divide %done
        %divide = OpLabel
        %quotient = OpUDiv %long %x %d
        OpBranch %done
        %done = OpLabel
        %q = OpPhi %long %l1 %joined %quotient %divide
        %sum = OpIAdd %long %v %q
        OpStore %own %sum Aligned 8
        OpReturn
        OpFunctionEnd
        ";

#[test]
fn beside_a_load() {
    let table: Vec<u64> = (0..300).map(|i: u64| i << 33).collect();
    let numbers: Vec<u64> = (0..300)
        .map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63)
        .collect();
    let of = |id: usize| {
        let (x, place) = (numbers[id], id as u64);
        let value = match (x & 16, x & 32) {
            (16, _) => table[id],
            (_, 32) => (x.wrapping_mul(3).wrapping_sub(place) ^ x).wrapping_add(5),
            _ => (x ^ 5).wrapping_add(place).wrapping_sub(3).wrapping_mul(x),
        };
        value.wrapping_add(x.checked_div(x & 3).unwrap_or(1))
    };
    let expected: Vec<u64> = (0..300).map(of).collect();
    let bytes = |numbers: &[u64]| -> Vec<u8> { numbers.iter().flat_map(|n| n.to_ne_bytes()).collect() };
    for mode in MODES {
        let kernel = compile_in(mode, &format!("{GLOBAL_ID}{BESIDE_A_LOAD}"));
        let (mut memory, mut entries) = (bytes(&numbers), bytes(&table));
        let arguments = &mut [Argument::Memory(&mut memory), Argument::Memory(&mut entries)];
        run(&kernel, range([3, 1, 1], [100, 1, 1]), arguments).unwrap();
        assert!(memory == bytes(&expected), "{mode:?}");
    }
}

/// Cases of a switch of an even number, of which 0 has simple instructions: LLVM may see that they run where the number is less than 2,
/// and make a switch of that again.
const CASES: &str = "
        %c3 = OpConstant %int 3
        %c5 = OpConstant %int 5
        %c6 = OpConstant %int 6
        %c7 = OpConstant %int 7
        %type = OpTypeFunction %void %global_int %global_int
        %kernel = OpFunction %void None %type
        %data = OpFunctionParameter %global_int
        %table = OpFunctionParameter %global_int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %own = OpPtrAccessChain %global_int %data %id
        %x = OpLoad %int %own Aligned 4
        %low = OpBitwiseAnd %int %x %c6
        OpSelectionMerge %end None
        OpSwitch %low %end 0 %some 2 %loads
        %some = OpLabel
        %a = OpIMul %int %x %c3
        %b = OpBitwiseXor %int %a %c5
        %c = OpIAdd %int %b %x
        OpBranch %end
        %loads = OpLabel
        %from = OpPtrAccessChain %global_int %table %id
        %e = OpLoad %int %from Aligned 4
        OpBranch %end
        %end = OpLabel
        %y = OpPhi %int %c7 %start %c %some %e %loads
        OpStore %own %y Aligned 4
        OpReturn
        OpFunctionEnd
        ";

#[test]
fn cases_that_come_together() {
    let numbers: Vec<u32> = (0..100u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let table: Vec<u32> = (1000..1100).collect();
    let of = |(id, &x): (usize, &u32)| match x & 6 {
        0 => (x.wrapping_mul(3) ^ 5).wrapping_add(x),
        2 => table[id],
        _ => 7,
    };
    let expected: Vec<u32> = numbers.iter().enumerate().map(of).collect();
    for mode in MODES {
        let kernel = compile_in(mode, &format!("{GLOBAL_ID}{CASES}"));
        let (mut memory, mut entries) = (bytes(&numbers), bytes(&table));
        let arguments = &mut [Argument::Memory(&mut memory), Argument::Memory(&mut entries)];
        run(&kernel, range([2, 1, 1], [50, 1, 1]), arguments).unwrap();
        assert!(words(&memory) == expected, "{mode:?}");
    }
}
