// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels that count on the items of a sub-group to run side by side. They break the rules, and work all the same, in quick
//! code as well. And one that keeps the rules, and must not suffer from that.

use oxur_compiler::Mode;

use super::tile::{self, results};
use super::{MODES, compile_in};

/// A kernel of a barrier behind all that it does.
fn text(declarations: &str, body: &str) -> String {
    tile::text(declarations, body, "OpControlBarrier %i2 %i2 %i8")
}

/// Each item writes to local memory, and reads what another of its eight items wrote: no barrier is between, but one behind.
#[test]
fn what_others_wrote() {
    let in_a_loop = "OpBranch %head
        %head = OpLabel
        %round = OpPhi %int %i0 %start %next %body
        %goes_on = OpULessThan %bool %round %i3
        OpBranchConditional %goes_on %body %end
        %body = OpLabel
        %y = OpIAdd %int %x %round
        OpStore %place %y Aligned 4
        %next = OpIAdd %int %round %i1
        OpBranch %head
        %end = OpLabel";
    let once = "OpStore %place %x Aligned 4";
    for (writes, more) in [(in_a_loop, 2), (once, 0)] {
        let body = format!(
            "%other = OpBitwiseXor %long %own %l7
            %from = OpPtrAccessChain %global_int %p %id
            %x = OpLoad %int %from Aligned 4
            {writes}
            %there = OpAccessChain %local_int %tile %other
            %result = OpLoad %int %there Aligned 4"
        );
        let mut kernel = compile_in(Mode::Fast, &text("%l7 = OpConstant %long 7", &body));
        // It has one item run after the other.
        kernel.oracle = None;
        let numbers: Vec<u32> = (0..64).map(|i| i * i).collect();
        for local in [8, 64] {
            let expected: Vec<u32> = (0..64u32).map(|i| (i ^ 7) * (i ^ 7) + more).collect();
            assert_eq!(results(&kernel, &numbers, local), expected, "groups of {local}");
        }
    }
}

/// The same with a loop that all items leave by its first exit, or all by its second one. What others wrote is read behind that.
#[test]
fn what_others_wrote_before_either_exit() {
    let body = "%other = OpBitwiseXor %long %own %l7
        %from = OpPtrAccessChain %global_int %p %id
        %x = OpLoad %int %from Aligned 4
        %last = OpShiftRightLogical %int %x %i16
        %there = OpAccessChain %local_int %tile %other
        OpBranch %head
        %head = OpLabel
        %round = OpPhi %int %i0 %start %next %latch
        %goes_on = OpULessThan %bool %round %i3
        OpBranchConditional %goes_on %body %first
        %body = OpLabel
        %y = OpIAdd %int %x %round
        OpStore %place %y Aligned 4
        %stops = OpIEqual %bool %round %last
        OpBranchConditional %stops %second %latch
        %latch = OpLabel
        %next = OpIAdd %int %round %i1
        OpBranch %head
        %first = OpLabel
        %by_first = OpLoad %int %there Aligned 4
        OpBranch %end
        %second = OpLabel
        %by_second = OpLoad %int %there Aligned 4
        %more = OpIAdd %int %by_second %i8
        OpBranch %end
        %end = OpLabel
        %result = OpPhi %int %by_first %first %more %second";
    let mut kernel = compile_in(Mode::Fast, &text("%l7 = OpConstant %long 7", body));
    kernel.oracle = None;
    for (last, more) in [(9, 2), (1, 1 + 8)] {
        let number = |i: u32| i * i + (last << 16);
        let numbers: Vec<u32> = (0..64).map(number).collect();
        let expected: Vec<u32> = (0..64).map(|i| number(i ^ 7) + more).collect();
        assert_eq!(results(&kernel, &numbers, 8), expected, "the last round is {last}");
    }
}

/// Two stores to local memory, one behind the other.
#[test]
fn what_others_wrote_at_last() {
    let body = "%other = OpBitwiseXor %long %own %l7
        %from = OpPtrAccessChain %global_int %p %id
        %x = OpLoad %int %from Aligned 4
        OpStore %place %i3 Aligned 4
        %at = OpPtrAccessChain %global_int %q %id
        OpStore %at %x Volatile
        OpStore %place %x Aligned 4
        %there = OpAccessChain %local_int %tile %other
        %result = OpLoad %int %there Aligned 4";
    let mut kernel = compile_in(Mode::Fast, &text("%l7 = OpConstant %long 7", body));
    kernel.oracle = None;
    let numbers: Vec<u32> = (0..64).map(|i| i * i).collect();
    let expected: Vec<u32> = (0..64).map(|i| (i ^ 7) * (i ^ 7)).collect();
    assert_eq!(results(&kernel, &numbers, 8), expected);
}

/// The first item writes to local memory, alone; then all items of a scope compute a sum. So does oneDPL's `copy_if`.
fn sum_behind_a_store(scope: &str) -> String {
    let declarations = "OpCapability Groups
        %l0 = OpConstant %long 0";
    let body = format!(
        "%is_first = OpIEqual %bool %own %l0
        OpSelectionMerge %all None
        OpBranchConditional %is_first %first %all
        %first = OpLabel
        OpStore %place %i3 Aligned 4
        OpBranch %all
        %all = OpLabel
        %from = OpPtrAccessChain %global_int %p %id
        %x = OpLoad %int %from Aligned 4
        %result = OpGroupIAdd %int {scope} Reduce %x"
    );
    text(declarations, &body)
}

#[test]
fn sums_behind_a_store() {
    // Of the group, and of the sub-group, which is the group here.
    for scope in ["%i2", "%i3"] {
        for mode in MODES {
            let kernel = compile_in(mode, &sum_behind_a_store(scope));
            let numbers: Vec<u32> = (0..8).map(|i| 1 << i).collect();
            assert_eq!(results(&kernel, &numbers, 8), [255; 8], "{mode:?}, scope {scope}");
        }
    }
}
