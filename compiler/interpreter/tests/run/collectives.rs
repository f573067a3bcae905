// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Operations of groups and sub-groups, by the definitions of SPIR-V 3.52.21 and 3.52.24.

use oxur_interpreter::Options;

use super::{kernel, launch_with, line};

/// The results of eight items, or as many as there are words, of which each stores `%r`; sub-groups have four.
fn results(declarations: &str, lines: &str, words: usize) -> Vec<u32> {
    let capabilities = "OpCapability Groups\nOpCapability GroupNonUniformArithmetic\nOpCapability GroupNonUniformShuffle\n\
                        OpCapability GroupNonUniformBallot\nOpCapability GroupNonUniformClustered\n\
                        OpCapability SubgroupShuffleINTEL\nOpExtension \"SPV_INTEL_subgroups\"\n";
    let text = kernel(
        &format!("{capabilities}{declarations}"),
        &format!("{lines}OpStore %at %r Aligned 4\nOpReturn\nOpFunctionEnd\n"),
    );
    let mut all = vec![0xaaaa_aaaa; words];
    let options = Options {
        sub_group_size: 4,
        ..Options::default()
    };
    let report = launch_with(&text, line(words as u64, words as u64), &mut all, &[], &options);
    let report = report.unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    assert!(report.findings.is_empty(), "{report:?}");
    all
}

const VALUE: &str = "%v = OpIAdd %int %id %i1\n";

#[test]
fn reductions_and_scans() {
    let of = |line: &str| results("", &format!("{VALUE}{line}\n"), 6);
    assert_eq!(of("%r = OpGroupIAdd %int %i2 Reduce %v"), [21; 6]);
    assert_eq!(of("%r = OpGroupIAdd %int %i2 InclusiveScan %v"), [1, 3, 6, 10, 15, 21]);
    assert_eq!(of("%r = OpGroupIAdd %int %i2 ExclusiveScan %v"), [0, 1, 3, 6, 10, 15]);
    // The second sub-group has two items.
    assert_eq!(of("%r = OpGroupIAdd %int %i3 Reduce %v"), [10, 10, 10, 10, 11, 11]);
    assert_eq!(
        of("%r = OpGroupUMin %int %i3 ExclusiveScan %v"),
        [u32::MAX, 1, 1, 1, u32::MAX, 5]
    );
    assert_eq!(of("%r = OpGroupSMin %int %i3 ExclusiveScan %v")[0], 0x7fff_ffff);
    assert_eq!(of("%r = OpGroupSMax %int %i3 ExclusiveScan %v")[0], 0x8000_0000);
    assert_eq!(
        of("%r = OpGroupNonUniformIMul %int %i3 InclusiveScan %v"),
        [1, 2, 6, 24, 5, 30]
    );
    assert_eq!(
        of("%r = OpGroupNonUniformIAdd %int %i3 ClusteredReduce %v %i2"),
        [3, 3, 7, 7, 11, 11]
    );
    let halves = "%f = OpConvertUToF %float %v\n%s = OpGroupFAdd %float %i2 Reduce %f\n%r = OpConvertFToU %int %s";
    assert_eq!(of(halves), [21; 6]);
}

#[test]
fn votes_and_ballots() {
    let ballot = |rest: &str| {
        let lines = format!(
            "%odd = OpBitwiseAnd %int %id %i1\n%c = OpIEqual %bool %odd %i1\n%b = OpGroupNonUniformBallot %int4 %i3 %c\n{rest}\n"
        );
        results("", &lines, 6)
    };
    assert_eq!(ballot("%r = OpCompositeExtract %int %b 0"), [10, 10, 10, 10, 2, 2]);
    assert_eq!(
        ballot("%r = OpGroupNonUniformBallotBitCount %int %i3 Reduce %b"),
        [2, 2, 2, 2, 1, 1]
    );
    assert_eq!(
        ballot("%r = OpGroupNonUniformBallotBitCount %int %i3 InclusiveScan %b"),
        [0, 1, 1, 2, 0, 1]
    );
    assert_eq!(
        ballot("%r = OpGroupNonUniformBallotBitCount %int %i3 ExclusiveScan %b"),
        [0, 0, 1, 1, 0, 0]
    );
    assert_eq!(
        ballot("%r = OpGroupNonUniformBallotFindMSB %int %i3 %b"),
        [3, 3, 3, 3, 1, 1]
    );
    assert_eq!(
        ballot("%x = OpGroupAny %bool %i3 %c\n%r = OpSelect %int %x %i8 %i0"),
        [8; 6]
    );
    assert_eq!(
        ballot("%x = OpGroupAll %bool %i2 %c\n%r = OpSelect %int %x %i8 %i0"),
        [0; 6]
    );
    assert_eq!(
        ballot("%x = OpGroupNonUniformElect %bool %i3\n%r = OpSelect %int %x %i8 %i0"),
        [8, 0, 0, 0, 8, 0]
    );
}

#[test]
fn shuffles() {
    let of = |line: &str| results("", &format!("{VALUE}%o = OpIAdd %int %id %i16\n{line}\n"), 8);
    assert_eq!(
        of("%r = OpGroupNonUniformShuffleXor %int %i3 %v %i1"),
        [2, 1, 4, 3, 6, 5, 8, 7]
    );
    assert_eq!(of("%r = OpGroupBroadcast %int %i3 %v %i2"), [3, 3, 3, 3, 7, 7, 7, 7]);
    assert_eq!(of("%r = OpGroupBroadcast %int %i2 %v %i4"), [5; 8]);
    assert_eq!(
        of("%r = OpGroupNonUniformBroadcastFirst %int %i3 %v"),
        [1, 1, 1, 1, 5, 5, 5, 5]
    );
    // Down: from the second value beyond the end; up: from the first before the beginning.
    assert_eq!(
        of("%r = OpSubgroupShuffleDownINTEL %int %v %o %i1"),
        [2, 3, 4, 16, 6, 7, 8, 20]
    );
    assert_eq!(
        of("%r = OpSubgroupShuffleUpINTEL %int %o %v %i1"),
        [19, 1, 2, 3, 23, 5, 6, 7]
    );
}

/// Items that part meet again behind the branch, and in each round of a loop.
#[test]
fn those_that_are_active() {
    let branch = "%low = OpULessThan %bool %id %i2\nOpBranchConditional %low %then %else\n\
                  %else = OpLabel\n%y = OpGroupNonUniformIAdd %int %i3 Reduce %i1\nOpBranch %end\n\
                  %then = OpLabel\n%x = OpGroupNonUniformIAdd %int %i3 Reduce %i1\nOpBranch %end\n\
                  %end = OpLabel\n%z = OpPhi %int %x %then %y %else\n\
                  %all = OpGroupNonUniformIAdd %int %i3 Reduce %i1\n%ten = OpIMul %int %all %i16\n%r = OpIAdd %int %z %ten\n";
    assert_eq!(results("", branch, 7), [66, 66, 66, 66, 51, 51, 51]);
    // Each goes round once more than its number; in odd rounds, some take part only.
    let rounds = "OpBranch %head\n%head = OpLabel\n%i = OpPhi %int %i0 %start %next %latch\n%sum = OpPhi %int %i0 %start %new %latch\n\
                  %odd = OpBitwiseAnd %int %i %i1\n%is_odd = OpIEqual %bool %odd %i1\nOpBranchConditional %is_odd %count %latch\n\
                  %count = OpLabel\n%n = OpGroupNonUniformIAdd %int %i3 Reduce %i1\n%more = OpIAdd %int %sum %n\nOpBranch %latch\n\
                  %latch = OpLabel\n%new = OpPhi %int %sum %head %more %count\n%next = OpIAdd %int %i %i1\n\
                  %go = OpULessThanEqual %bool %next %id\nOpBranchConditional %go %head %done\n\
                  %done = OpLabel\n%left = OpGroupNonUniformIAdd %int %i3 Reduce %i1\n%t = OpIMul %int %left %i16\n%r = OpIAdd %int %new %t\n";
    // Round 1 has the items 1 to 3, round 3 item 3.
    assert_eq!(results("", rounds, 4), [64, 67, 67, 68]);
}
