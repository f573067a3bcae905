// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Who takes part in an operation of the items that are together: those that parted meet again where control flow joins, and in
//! each round of a loop.

use super::{Argument, MODES, compile_in, range, run, words};

/// The size of the sub-group that runs.
const ITEMS: u32 = 16;

/// A kernel of one sub-group, which writes `%result` for each `%lane`. `count %name` becomes a count of the items that are
/// together.
fn text(body: &str, functions: &str) -> String {
    let counted = |text: &str| {
        let mut lines = Vec::new();
        for line in text.lines() {
            match line.trim().strip_prefix("count %") {
                Some(name) => lines.push(format!("%{name} = OpGroupNonUniformIAdd %int %i3 Reduce %i1")),
                None => lines.push(line.to_string()),
            }
        }
        lines.join("\n")
    };
    format!(
        "OpCapability GroupNonUniformArithmetic
        OpCapability SubgroupDispatch
        OpEntryPoint Kernel %kernel \"k\" %lane_id
        OpExecutionMode %kernel SubgroupSize {ITEMS}
        OpDecorate %lane_id BuiltIn SubgroupLocalInvocationId
        %input_int = OpTypePointer Input %int
        %lane_id = OpVariable %input_int Input
        %type = OpTypeFunction %void %global_int
        %count_type = OpTypeFunction %int %int
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %start = OpLabel
        %lane = OpLoad %int %lane_id
        {}
        %lane64 = OpUConvert %long %lane
        %to = OpPtrAccessChain %global_int %p %lane64
        OpStore %to %result Aligned 4
        OpReturn
        OpFunctionEnd
        {}",
        counted(body),
        counted(functions)
    )
}

fn check(what: &str, text: &str, expected: impl Fn(u32) -> u32) {
    for mode in MODES {
        let kernel = compile_in(mode, text);
        let mut results = vec![0; 4 * ITEMS as usize];
        run(
            &kernel,
            range([1; 3], [ITEMS.into(), 1, 1]),
            &mut [Argument::Memory(&mut results)],
        )
        .unwrap_or_else(|fault| panic!("{what}, {mode:?}: {fault}"));
        let expected: Vec<u32> = (0..ITEMS).map(&expected).collect();
        assert_eq!(words(&results), expected, "{what}, {mode:?}");
    }
}

/// Items leave a loop after 0 to 3 rounds. What follows waits for all of them, wherever its block is in the module.
#[test]
fn behind_a_loop() {
    let body = "%body = OpLabel
        count %active
        %more = OpIAdd %int %sum %active
        %next = OpIAdd %int %round %i1
        OpBranch %head";
    let end = "%end = OpLabel
        count %all
        %shifted = OpShiftLeftLogical %int %sum %i8
        %result = OpIAdd %int %shifted %all";
    for (order, branch) in [
        ("its body first", "OpBranchConditional %goes_on %body %end"),
        ("its exit first", "OpBranchConditional %ends %end %body"),
    ] {
        let text = text(
            &format!(
                "%rounds = OpBitwiseAnd %int %lane %i3
                OpBranch %head
                %head = OpLabel
                %round = OpPhi %int %i0 %start %next %body
                %sum = OpPhi %int %i0 %start %more %body
                %goes_on = OpULessThan %bool %round %rounds
                %ends = OpLogicalNot %bool %goes_on
                {branch}
                {body}
                {end}"
            ),
            "",
        );
        // 12, 8 and 4 items have a first, a second and a third round.
        check(order, &text, |lane| ([0, 12, 20, 24][lane as usize % 4] << 8) + ITEMS);
    }
}

/// Some items skip a part of each round of a loop: all are together again in the next one.
#[test]
fn in_the_next_round() {
    let skipped = text(
        "OpBranch %head
        %head = OpLabel
        %round = OpPhi %int %i0 %start %next %latch
        %sum = OpPhi %int %i0 %start %total %latch
        count %all
        %with_all = OpIAdd %int %sum %all
        %next = OpIAdd %int %round %i1
        %shifted = OpShiftRightLogical %int %lane %round
        %low = OpBitwiseAnd %int %shifted %i1
        %skips = OpIEqual %bool %low %i1
        OpBranchConditional %skips %latch %works
        %works = OpLabel
        count %some
        %shifted_some = OpShiftLeftLogical %int %some %i8
        %with_some = OpIAdd %int %with_all %shifted_some
        OpBranch %latch
        %latch = OpLabel
        %total = OpPhi %int %with_all %head %with_some %works
        %goes_on = OpULessThan %bool %next %i4
        OpBranchConditional %goes_on %head %end
        %end = OpLabel
        %result = OpCopyObject %int %total",
        "",
    );
    // 8 of 16 items have a zero in each bit of their numbers.
    let expected = |lane: u32| 4 * ITEMS + (((4 - lane.count_ones()) * 8) << 8);
    check("a skipped part", &skipped, expected);
    // The same with two edges to the head, and the exit at the top.
    let two_edges = text(
        "OpBranch %head
        %head = OpLabel
        %round = OpPhi %int %i0 %start %next %top %next %works
        %sum = OpPhi %int %i0 %start %with_all %top %with_some %works
        %goes_on = OpULessThan %bool %round %i4
        OpBranchConditional %goes_on %top %end
        %top = OpLabel
        count %all
        %with_all = OpIAdd %int %sum %all
        %next = OpIAdd %int %round %i1
        %shifted = OpShiftRightLogical %int %lane %round
        %low = OpBitwiseAnd %int %shifted %i1
        %skips = OpIEqual %bool %low %i1
        OpBranchConditional %skips %head %works
        %works = OpLabel
        count %some
        %shifted_some = OpShiftLeftLogical %int %some %i8
        %with_some = OpIAdd %int %with_all %shifted_some
        OpBranch %head
        %end = OpLabel
        %result = OpCopyObject %int %sum",
        "",
    );
    check("two edges to the head", &two_edges, expected);
}

/// Items run an inner loop for 0 to 3 rounds: in the outer one they are together again.
#[test]
fn behind_an_inner_loop() {
    let text = text(
        "%rounds = OpBitwiseAnd %int %lane %i3
        OpBranch %outer
        %outer = OpLabel
        %turn = OpPhi %int %i0 %start %next_turn %inner
        %sum = OpPhi %int %i0 %start %inner_sum %inner
        %last = OpUGreaterThanEqual %bool %turn %i3
        OpBranchConditional %last %end %all_items
        %all_items = OpLabel
        count %all
        %with_all = OpIAdd %int %sum %all
        %next_turn = OpIAdd %int %turn %i1
        OpBranch %inner
        %inner = OpLabel
        %round = OpPhi %int %i0 %all_items %next %body
        %inner_sum = OpPhi %int %with_all %all_items %more %body
        %goes_on = OpULessThan %bool %round %rounds
        OpBranchConditional %goes_on %body %outer
        %body = OpLabel
        count %active
        %shifted = OpShiftLeftLogical %int %active %i8
        %more = OpIAdd %int %inner_sum %shifted
        %next = OpIAdd %int %round %i1
        OpBranch %inner
        %end = OpLabel
        %result = OpCopyObject %int %sum",
        "",
    );
    check("an inner loop", &text, |lane| {
        3 * (ITEMS + ([0, 12, 20, 24][lane as usize % 4] << 8))
    });
}

/// The same where the inner loop is left at the end of its round, so that its place is on each way to the next round.
#[test]
fn behind_an_inner_loop_with_its_exit_last() {
    let text = text(
        "%bits = OpBitwiseAnd %int %lane %i3
        %rounds = OpIAdd %int %bits %i1
        OpBranch %outer
        %outer = OpLabel
        %turn = OpPhi %int %i0 %start %next_turn %latch
        %sum = OpPhi %int %i0 %start %more %latch
        count %all
        %with_all = OpIAdd %int %sum %all
        %next_turn = OpIAdd %int %turn %i1
        OpBranch %inner
        %inner = OpLabel
        %round = OpPhi %int %i0 %outer %next %inner
        %inner_sum = OpPhi %int %with_all %outer %more %inner
        count %active
        %shifted = OpShiftLeftLogical %int %active %i8
        %more = OpIAdd %int %inner_sum %shifted
        %next = OpIAdd %int %round %i1
        %goes_on = OpULessThan %bool %next %rounds
        OpBranchConditional %goes_on %inner %latch
        %latch = OpLabel
        %goes_round = OpULessThan %bool %next_turn %i3
        OpBranchConditional %goes_round %outer %end
        %end = OpLabel
        %result = OpCopyObject %int %more",
        "",
    );
    check("an inner loop with its exit last", &text, |lane| {
        3 * (ITEMS + ([16, 28, 36, 40][lane as usize % 4] << 8))
    });
}

/// Items call different functions through pointers: those in one of them are together, though both functions begin with a place.
#[test]
fn in_functions_called_through_pointers() {
    let function = |name: &str, shift: &str| {
        format!(
            "OpDecorate %{name} ReferencedIndirectlyINTEL
            %{name} = OpFunction %int None %count_type
            %x_{name} = OpFunctionParameter %int
            %start_{name} = OpLabel
            count %first_{name}
            count %second_{name}
            %shifted_{name} = OpShiftLeftLogical %int %second_{name} {shift}
            %sum_{name} = OpIAdd %int %first_{name} %shifted_{name}
            %result_{name} = OpIAdd %int %sum_{name} %x_{name}
            OpReturnValue %result_{name}
            OpFunctionEnd"
        )
    };
    let functions = format!("{}\n{}", function("f", "%i8"), function("g", "%i16"));
    let declarations = "OpCapability FunctionPointersINTEL
        OpCapability IndirectReferencesINTEL
        OpExtension \"SPV_INTEL_function_pointers\"
        %pointer = OpTypePointer CodeSectionINTEL %count_type
        %to_f = OpConstantFunctionPointerINTEL %pointer %f
        %to_g = OpConstantFunctionPointerINTEL %pointer %g";
    let body = "%is_low = OpULessThan %bool %lane %i4
        %chosen = OpSelect %pointer %is_low %to_f %to_g
        %result = OpFunctionPointerCallINTEL %int %chosen %lane";
    let expected = |lane: u32| lane + if lane < 4 { 4 + (4 << 8) } else { 12 + (12 << 16) };
    // They need the types before, and functions need to come last.
    let text = text(body, &functions).replace(
        "%kernel = OpFunction ",
        &format!("{declarations}\n%kernel = OpFunction "),
    );
    check("pointers to functions", &text, expected);
}

/// A function is called at two places, one for each half of the items, and what follows waits for it.
#[test]
fn in_a_function() {
    let function = "%f = OpFunction %int DontInline %count_type
        %x = OpFunctionParameter %int
        %f_start = OpLabel
        count %counted
        %f_result = OpShiftLeftLogical %int %counted %x
        OpReturnValue %f_result
        OpFunctionEnd";
    let body = "%is_low = OpULessThan %bool %lane %i4
        OpBranchConditional %is_low %low %high
        %low = OpLabel
        %of_low = OpFunctionCall %int %f %i4
        OpBranch %join
        %high = OpLabel
        %of_high = OpFunctionCall %int %f %i8
        OpBranch %join
        %join = OpLabel
        %of_some = OpPhi %int %of_low %low %of_high %high
        count %all
        %shifted = OpShiftLeftLogical %int %all %i16
        %result = OpIAdd %int %of_some %shifted";
    let expected = |lane: u32| (if lane < 4 { 4 << 4 } else { 12 << 8 }) + (ITEMS << 16);
    check("a function", &text(body, function), expected);
    // By way of another function, which has no such place itself.
    let functions = format!(
        "%g = OpFunction %int DontInline %count_type
        %y = OpFunctionParameter %int
        %g_start = OpLabel
        %g_result = OpFunctionCall %int %f %y
        OpReturnValue %g_result
        OpFunctionEnd
        {function}"
    );
    check(
        "two functions",
        &text(&body.replace("%f ", "%g "), &functions),
        expected,
    );
}
