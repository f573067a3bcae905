// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What items keep while they wait for others: in quick code in frames, which the compiler makes itself, and in vectors in coroutines.
//! And what quick code makes of loops.

use super::tile::{self, results};
use super::{MODES, compile_in};

const BARRIER: &str = "OpControlBarrier %i2 %i2 %i264";

/// A kernel of `%x = p[id]`: `q[id] = %result`.
fn text(declarations: &str, body: &str) -> String {
    let declarations = format!(
        "%i264 = OpConstant %int 264
        %i5 = OpConstant %int 5
        %i7 = OpConstant %int 7
        {declarations}"
    );
    let body = format!(
        "%from = OpPtrAccessChain %global_int %p %id
        %x = OpLoad %int %from Aligned 4
        {body}"
    );
    tile::text(&declarations, &body, "")
}

/// Compares what groups of several sizes make of numbers with what they should, by the size.
fn check_text(what: &str, text: &str, result: impl Fn(u32, u32) -> u32) {
    for mode in MODES {
        let kernel = compile_in(mode, text);
        for local in [1, 7, 16, 64] {
            let numbers: Vec<u32> = (0..2 * local).map(|i| i * 5 % 23).collect();
            let expected: Vec<u32> = numbers.iter().map(|&x| result(x, local)).collect();
            let found = results(&kernel, &numbers, local.into());
            assert_eq!(found, expected, "{what}, {mode:?}, groups of {local}");
        }
    }
}

fn check(what: &str, declarations: &str, body: &str, result: impl Fn(u32) -> u32) {
    check_text(what, &text(declarations, body), |x, _| result(x));
}

/// Numbers of several sizes, truth values, vectors, structures and addresses.
#[test]
fn values_of_many_types() {
    let declarations = "%pair = OpTypeStruct %long %short
        %i9 = OpConstant %int 9";
    let body = format!(
        "%x_8 = OpUConvert %char %x
        %x_16 = OpUConvert %short %x
        %x_64 = OpUConvert %long %x
        %x_float = OpConvertUToF %float %x
        %x_double = OpConvertUToF %double %x
        %is_not_7 = OpINotEqual %bool %x %i7
        %four = OpCompositeConstruct %int4 %x %i7 %x %i5
        %two = OpCompositeConstruct %pair %x_64 %x_16
        %truths = OpCompositeConstruct %bool4 %is_not_7 %is_not_7 %is_not_7 %is_not_7
        {BARRIER}
        {BARRIER}
        %back_1 = OpUConvert %int %x_8
        %back_2 = OpUConvert %int %x_16
        %back_3 = OpUConvert %int %x_64
        %back_4 = OpConvertFToU %int %x_float
        %back_5 = OpConvertFToU %int %x_double
        %back_6 = OpSelect %int %is_not_7 %i1 %i0
        %back_7 = OpCompositeExtract %int %four 2
        %long_8 = OpCompositeExtract %long %two 0
        %back_8 = OpUConvert %int %long_8
        %first = OpCompositeExtract %bool %truths 0
        %back_9 = OpSelect %int %first %i9 %i0
        %again = OpLoad %int %from Aligned 4
        %sum_2 = OpIAdd %int %back_1 %back_2
        %sum_3 = OpIAdd %int %sum_2 %back_3
        %sum_4 = OpIAdd %int %sum_3 %back_4
        %sum_5 = OpIAdd %int %sum_4 %back_5
        %sum_6 = OpIAdd %int %sum_5 %back_6
        %sum_7 = OpIAdd %int %sum_6 %back_7
        %sum_8 = OpIAdd %int %sum_7 %back_8
        %sum_9 = OpIAdd %int %sum_8 %back_9
        %result = OpIAdd %int %sum_9 %again"
    );
    check("many types", declarations, &body, |x| {
        8 * x + if x == 7 { 0 } else { 10 }
    });
}

/// Two numbers that change places in each round of a loop with a barrier, as those of Fibonacci do.
#[test]
fn phis_that_change_places() {
    let body = format!(
        "OpBranch %head
        %head = OpLabel
        %round = OpPhi %int %i0 %start %next %body
        %a = OpPhi %int %i0 %start %b %body
        %b = OpPhi %int %i1 %start %sum %body
        %goes_on = OpULessThan %bool %round %i5
        OpBranchConditional %goes_on %body %end
        %body = OpLabel
        {BARRIER}
        %sum = OpIAdd %int %a %b
        %next = OpIAdd %int %round %i1
        OpBranch %head
        %end = OpLabel
        %all = OpIMul %int %a %x
        %result = OpIAdd %int %all %b"
    );
    check("Fibonacci's numbers", "", &body, |x| 5 * x + 8);
    let without = body.replace(BARRIER, "");
    check("Fibonacci's numbers, no barrier", "", &without, |x| 5 * x + 8);
}

/// A loop that goes on from several places. Behind one of them a number stays as it is, though another edge of that block
/// changes it: a store keeps LLVM from making a select of both.
#[test]
fn edges_that_change_some() {
    for wait in ["", BARRIER] {
        let body = format!(
            "OpBranch %head
            %head = OpLabel
            %n = OpPhi %int %x %start %less %body %h %other %h %both
            %sum = OpPhi %int %i0 %start %sum %body %more %other %sum %both
            %is_end = OpIEqual %bool %n %i0
            OpBranchConditional %is_end %end %body
            %body = OpLabel
            %h = OpShiftRightLogical %int %n %i1
            %less = OpISub %int %n %i1
            %low = OpBitwiseAnd %int %n %i1
            %is_odd = OpINotEqual %bool %low %i0
            OpBranchConditional %is_odd %head %other
            %other = OpLabel
            %more = OpIAdd %int %sum %n
            %low_2 = OpBitwiseAnd %int %h %i1
            %is_odd_2 = OpINotEqual %bool %low_2 %i0
            OpBranchConditional %is_odd_2 %both %head
            %both = OpLabel
            OpStore %place %h Aligned 4
            OpBranch %head
            %end = OpLabel
            {wait}
            %result = OpIAdd %int %sum %x"
        );
        let expected = |x: u32| {
            let (mut n, mut sum) = (x, 0);
            while n != 0 {
                if n % 2 != 0 {
                    n -= 1;
                    continue;
                }
                let h = n / 2;
                if h % 2 == 0 {
                    sum += n;
                }
                n = h;
            }
            sum + x
        };
        check("several edges back", "", &body, expected);
    }
}

/// A binary search as dpnp's, in local memory: a number that is found may end the round at once, as NaN does there.
#[test]
fn searches() {
    let body = format!(
        "%own_32 = OpUConvert %int %own
        OpStore %place %own_32 Aligned 4
        {BARRIER}
        OpBranch %head
        %head = OpLabel
        %n = OpPhi %int %i16 %start %h %round %n_next %compare
        %first = OpPhi %int %i0 %start %first %round %first_next %compare
        %is_end = OpIEqual %bool %n %i0
        OpBranchConditional %is_end %end %round
        %round = OpLabel
        %h = OpShiftRightLogical %int %n %i1
        %middle = OpIAdd %int %first %h
        %at = OpUMod %int %middle %count
        %at_64 = OpUConvert %long %at
        %there = OpAccessChain %local_int %tile %at_64
        %y = OpLoad %int %there Aligned 4
        %is_9 = OpIEqual %bool %y %i9
        OpBranchConditional %is_9 %head %compare
        %compare = OpLabel
        %own_x = OpLoad %int %from Aligned 4
        %is_less = OpULessThan %bool %middle %own_x
        %is_there = OpULessThanEqual %bool %y %middle
        %both = OpLogicalAnd %bool %is_less %is_there
        %not_h = OpNot %int %h
        %n_less = OpIAdd %int %n %not_h
        %behind = OpIAdd %int %middle %i1
        %n_next = OpSelect %int %both %n_less %h
        %first_next = OpSelect %int %both %behind %first
        OpBranch %head
        %end = OpLabel
        %result = OpIAdd %int %first %x"
    );
    let body = format!(
        "%sizes = OpLoad %long3 %local_size
        %count_64 = OpCompositeExtract %long %sizes 0
        %count = OpUConvert %int %count_64
        {body}"
    );
    let declarations = "OpDecorate %local_size BuiltIn WorkgroupSize
        %local_size = OpVariable %input_long3 Input
        %i9 = OpConstant %int 9";
    let text = text(declarations, &body).replace("%global_id %local_id\n", "%global_id %local_id %local_size\n");
    check_text("a search", &text, |x, local| {
        let (mut n, mut first) = (16, 0);
        while n != 0 {
            let h = n / 2;
            let middle = first + h;
            let y = middle % local;
            if y != 9 && middle < x && y <= middle {
                first = middle + 1;
                n -= h + 1;
            } else {
                n = h;
            }
        }
        first + x
    });
}

/// Private arrays that live across a barrier: small ones, and one for which no frame has room.
#[test]
fn private_arrays() {
    for size in [4, 3000, 20_000] {
        let declarations = format!(
            "%count = OpConstant %int {size}
            %last = OpConstant %long {}
            %numbers = OpTypeArray %int %count
            %function_numbers = OpTypePointer Function %numbers
            %function_int_of = OpTypePointer Function %int
            %l0 = OpConstant %long 0",
            size - 1
        );
        let body = format!(
            "%begin = OpInBoundsAccessChain %function_int_of %own_numbers %l0
            %ending = OpInBoundsAccessChain %function_int_of %own_numbers %last
            OpStore %begin %x Aligned 4
            OpStore %ending %i7 Aligned 4
            {BARRIER}
            %one = OpLoad %int %begin Aligned 4
            OpStore %begin %i5 Aligned 4
            {BARRIER}
            %two = OpLoad %int %begin Aligned 4
            %three = OpLoad %int %ending Aligned 4
            %sum_of_two = OpIAdd %int %one %two
            %result = OpIAdd %int %sum_of_two %three"
        );
        let variable = "%start = OpLabel\n%own_numbers = OpVariable %function_numbers Function";
        let text = text(&declarations, &body).replace("%start = OpLabel", variable);
        check_text(&format!("an array of {size}"), &text, |x, _| x + 12);
    }
}

/// Two loops in each other, of which one block goes on in either. What the outer one takes of the inner one is needed after that block
/// has made the next value of the inner one.
#[test]
fn blocks_that_go_on_in_two_loops() {
    let body = "OpBranch %outer
        %outer = OpLabel
        %a1 = OpPhi %int %i0 %start %c %latch
        %a2 = OpPhi %int %i0 %start %b %latch
        OpBranch %inner
        %inner = OpLabel
        %b = OpPhi %int %a1 %outer %c %latch
        %mixed = OpIMul %int %a1 %i7
        %changed = OpBitwiseXor %int %mixed %b
        OpStore %place %changed Aligned 4
        %is_end = OpUGreaterThan %bool %b %x
        OpBranchConditional %is_end %end %latch
        %latch = OpLabel
        %c = OpIAdd %int %b %i2
        %y = OpLoad %int %place Aligned 4
        %low = OpBitwiseAnd %int %y %i7
        %is_outer = OpULessThan %bool %low %i3
        OpBranchConditional %is_outer %outer %inner
        %end = OpLabel
        %hundreds = OpIMul %int %a2 %i100
        %result = OpIAdd %int %hundreds %b";
    let expected = |x: u32| {
        let (mut a1, mut a2, mut b) = (0_u32, 0, 0);
        while b <= x {
            let (before, next) = (b, b + 2);
            let changed = (a1 * 7) ^ before;
            b = next;
            if changed & 7 < 3 {
                (a1, a2) = (next, before);
            }
        }
        a2 * 100 + b
    };
    check("two loops", "%i100 = OpConstant %int 100", body, expected);
}
