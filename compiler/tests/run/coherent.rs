// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Loops that all items of a vector are in for some rounds, until the first one leaves: with ends at all places of a vector, with numbers
//! that wrap, with ways out at the start, in the middle and at the end of a round, and where not all items come.

use super::{Argument, GLOBAL_ID, MODES, bytes, compile_in, range, run, words};

/// Items from the one that is told on go through numbers from their own on. They leave at a `LIMIT`, after six rounds, or where one of
/// the input's words says so. `HEAD`, `MIDDLE` and `LATCH` are conditions of going on, at three places of a round.
const KERNEL: &str = "
        %c0 = OpConstant %int 0
        %c1 = OpConstant %int 1
        %c6 = OpConstant %int 6
        %c8 = OpConstant %int 8
        %c31 = OpConstant %int 31
        %step = OpConstant %number STEP
        %stride = OpConstant %number STRIDE
        %far = OpConstant %number FAR
        %type = OpTypeFunction %void %global_int %global_int %global_int %int %number %number
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_int
        %trace = OpFunctionParameter %global_int
        %in = OpFunctionParameter %global_int
        %from = OpFunctionParameter %int
        %first = OpFunctionParameter %number
        %bound = OpFunctionParameter %number
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %own_id = OpUConvert %int %id
        %to = OpPtrAccessChain %global_int %out %id
        %is_in = OpUGreaterThanEqual %bool %own_id %from
        OpSelectionMerge %end None
        OpBranchConditional %is_in %enter %end
        %enter = OpLabel
        %short_id = CONVERT %number %id
        %scaled = OpIMul %number %short_id %step
        %own = OpIAdd %number %first %scaled
        %own_end = OpIAdd %number %own %far
        %limit = LIMIT
        %first_word_at = OpPtrAccessChain %global_int %in %id
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %number %own %enter %i_next %next
        %round = OpPhi %int %c0 %enter %round_next %next
        %sum = OpPhi %int %c1 %enter %more %next
        %at_head = OpPhi %global_int %first_word_at %enter %word_at %next
        %is_before = COMPARE
        %is_early = OpULessThan %bool %round %c6
        %both = OpLogicalAnd %bool %is_before %is_early
        OpLoopMerge %done %next None
        OpBranchConditional HEAD %body %done
        %body = OpLabel
        %word = OpLoad %int %at_head Aligned 4
        %times = OpIMul %int %sum %c31
        %more = OpIAdd %int %times %word
        %is_no_end = OpINotEqual %bool %word %c0
        OpBranchConditional MIDDLE %rest %done
        %rest = OpLabel
        STORE
        OpBranch %next
        %next = OpLabel
        %i_next = OpIAdd %number %i %stride
        %round_next = OpIAdd %int %round %c1
        %word_at = OpPtrAccessChain %global_int %at_head %c8
        OpBranchConditional LATCH %head %done
        %done = OpLabel
        %result = OpPhi %int %sum %head %more %body %more %next
        %rounds = OpPhi %int %round %head %round %body %round_next %next
        %scaled_rounds = OpIMul %int %rounds %c31
        %all = OpBitwiseXor %int %result %scaled_rounds
        OpStore %to %all Aligned 4
        OpBranch %end
        %end = OpLabel
        OpReturn
        OpFunctionEnd
        ";

/// Adds what there is so far to a place of the item's and the round's own, which shows what runs twice.
const STORE: &str = "
        %row = OpIMul %int %own_id %c8
        %place = OpIAdd %int %row %round
        %trace_at = OpPtrAccessChain %global_int %trace %place
        %before = OpLoad %int %trace_at Aligned 4
        %after = OpIAdd %int %before %more
        OpStore %trace_at %after Aligned 4";

const ITEMS: u64 = 96;

/// Where in a round an item may leave.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ways {
    head: &'static str,
    middle: &'static str,
    latch: &'static str,
    stores: bool,
}

const WAYS: [Ways; 7] = [
    Ways {
        head: "%both",
        middle: "%true",
        latch: "%true",
        stores: false,
    },
    Ways {
        head: "%both",
        middle: "%true",
        latch: "%true",
        stores: true,
    },
    Ways {
        head: "%true",
        middle: "%true",
        latch: "%both",
        stores: true,
    },
    Ways {
        head: "%is_early",
        middle: "%is_no_end",
        latch: "%true",
        stores: false,
    },
    Ways {
        head: "%both",
        middle: "%is_no_end",
        latch: "%true",
        stores: true,
    },
    Ways {
        head: "%is_early",
        middle: "%is_no_end",
        latch: "%is_before",
        stores: true,
    },
    Ways {
        head: "%both",
        middle: "%is_no_end",
        latch: "%is_no_end",
        stores: false,
    },
];

/// A comparison, with the same in Rust of numbers without and with a sign.
type Comparison = (&'static str, fn(u64, u64) -> bool, fn(i64, i64) -> bool);

const COMPARISONS: [Comparison; 8] = [
    ("OpULessThan", |a, b| a < b, |_, _| true),
    ("OpULessThanEqual", |a, b| a <= b, |_, _| true),
    ("OpUGreaterThan", |a, b| a > b, |_, _| true),
    ("OpUGreaterThanEqual", |a, b| a >= b, |_, _| true),
    ("OpSLessThan", |_, _| true, |a, b| a < b),
    ("OpSLessThanEqual", |_, _| true, |a, b| a <= b),
    ("OpSGreaterThan", |_, _| true, |a, b| a > b),
    ("OpSGreaterThanEqual", |_, _| true, |a, b| a >= b),
];

/// The numbers of a test.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    bits: u32,
    /// From item to item, from round to round, and from an item's first number to its own limit.
    step: u64,
    stride: u64,
    far: u64,
    /// The function of an item's own limit and that of all, if an item has one.
    own_limit: Option<&'static str>,
    /// Whether the number or the limit comes first.
    is_turned: bool,
}

fn check((name, unsigned, signed): Comparison, numbers: Numbers, ways: Ways) {
    let Numbers {
        bits,
        step,
        stride,
        far,
        own_limit,
        is_turned,
    } = numbers;
    let limit = match own_limit {
        None => "OpCopyObject %number %bound".into(),
        Some(function) => format!("OpExtInst %number %cl {function} %own_end %bound"),
    };
    let operands = if is_turned { "%limit %i" } else { "%i %limit" };
    let text = format!("{GLOBAL_ID}{KERNEL}")
        .replace("LIMIT", &limit)
        .replace("%number", if bits == 64 { "%long" } else { "%int" })
        .replace("STEP", &step.to_string())
        .replace("STRIDE", &stride.to_string())
        .replace("FAR", &far.to_string())
        .replace("CONVERT", if bits == 64 { "OpCopyObject" } else { "OpUConvert" })
        .replace("COMPARE", &format!("{name} %bool {operands}"))
        .replace("HEAD", ways.head)
        .replace("MIDDLE", ways.middle)
        .replace("LATCH", ways.latch)
        .replace("STORE", if ways.stores { STORE } else { "" });
    let wrap = |x: u64| x & (u64::MAX >> (64 - bits));
    let with_sign = |x: u64| (x << (64 - bits)) as i64 >> (64 - bits);
    let compares = |a: u64, b: u64| {
        let (a, b) = if is_turned { (b, a) } else { (a, b) };
        unsigned(a, b) && signed(with_sign(a), with_sign(b))
    };
    let holds = |i: u64, own: u64, bound: u64| {
        let own_end = wrap(own.wrapping_add(far));
        let limit = match own_limit {
            None => bound,
            Some("u_min") => own_end.min(bound),
            Some("u_max") => own_end.max(bound),
            Some(function) => match (with_sign(own_end) < with_sign(bound)) == (function == "s_min") {
                true => own_end,
                false => bound,
            },
        };
        compares(i, limit)
    };
    let (top, most) = (1_u64 << (bits - 1), wrap(u64::MAX));
    let mut places = Vec::new();
    for first in [
        0,
        5,
        top.wrapping_sub(100 * step),
        wrap(most.wrapping_sub(100 * step)),
        most,
    ] {
        for ahead in [0, 1, 15, 16, 17, 40, 48, 96, 200, 300] {
            places.push((first, wrap(first.wrapping_add(ahead * step))));
        }
        places.extend([0, top - 1, top, most].map(|bound| (first, bound)));
    }
    // Some words say that an item leaves, which is nobody for long.
    let inputs: Vec<u32> = (0..ITEMS as u32 + 64)
        .map(|i| {
            if i % 37 == 30 {
                0
            } else {
                i.wrapping_mul(2_654_435_761) | 1
            }
        })
        .collect();
    for mode in MODES {
        let kernel = compile_in(mode, &text);
        for (number, &(first, bound)) in places.iter().enumerate() {
            let from = [0, 0, 1, 16, 48, 90][number % 6];
            let mut expected = vec![7; ITEMS as usize];
            let mut expected_trace = vec![9u32; 8 * ITEMS as usize];
            for id in (0..ITEMS).filter(|id| *id >= from) {
                let own = wrap(first.wrapping_add(step.wrapping_mul(id)));
                let (mut i, mut round, mut sum) = (own, 0u32, 1u32);
                let is = |condition: &str, i: u64, round: u32, word: u32| match condition {
                    "%true" => true,
                    "%is_early" => round < 6,
                    "%is_no_end" => word != 0,
                    "%is_before" => holds(i, own, bound),
                    _ => round < 6 && holds(i, own, bound),
                };
                loop {
                    if !is(ways.head, i, round, 1) {
                        break;
                    }
                    let word = inputs[(id + 8 * u64::from(round)) as usize];
                    sum = sum.wrapping_mul(31).wrapping_add(word);
                    if !is(ways.middle, i, round, word) {
                        break;
                    }
                    if ways.stores {
                        let place = &mut expected_trace[8 * id as usize + round as usize];
                        *place = sum.wrapping_add(*place);
                    }
                    // What the end of a round looks at is of this one.
                    let goes_on = is(ways.latch, i, round, word);
                    (i, round) = (wrap(i.wrapping_add(stride)), round + 1);
                    if !goes_on {
                        break;
                    }
                }
                expected[id as usize] = sum ^ round.wrapping_mul(31);
            }
            let (mut out, mut trace) = (bytes(&vec![7; ITEMS as usize]), bytes(&vec![9; 8 * ITEMS as usize]));
            let mut memory = bytes(&inputs);
            let mut arguments = vec![Argument::Memory(&mut out), Argument::Memory(&mut trace)];
            arguments.push(Argument::Memory(&mut memory));
            arguments.extend([from, first, bound].map(Argument::Value));
            run(&kernel, range([2, 1, 1], [48, 1, 1]), &mut arguments).unwrap();
            let what = || format!("{name} from {first:#x} to {bound:#x}, {numbers:?}, {ways:?}, {from}, {mode:?}");
            assert!(words(&out) == expected, "{}", what());
            assert!(words(&trace) == expected_trace, "{}", what());
        }
    }
}

/// Upwards, with a limit that comes last.
fn numbers(bits: u32, own_limit: Option<&'static str>) -> Numbers {
    Numbers {
        bits,
        step: 1,
        stride: 32,
        far: 100,
        own_limit,
        is_turned: false,
    }
}

impl Numbers {
    /// The same downwards.
    fn downwards(mut self) -> Self {
        let wrap = u64::MAX >> (64 - self.bits);
        self.stride = self.stride.wrapping_neg() & wrap;
        self.far = self.far.wrapping_neg() & wrap;
        self
    }
}

#[test]
fn ways_out() {
    for ways in WAYS {
        for bits in [32, 64] {
            check(COMPARISONS[0], numbers(bits, None), ways);
            check(COMPARISONS[4], numbers(bits, Some("s_min")), ways);
        }
    }
}

#[test]
fn every_limit() {
    for comparison in COMPARISONS {
        let functions = match comparison.0.contains("OpU") {
            true => ["u_min", "u_max"],
            false => ["s_min", "s_max"],
        };
        for own_limit in [None, Some(functions[0]), Some(functions[1])] {
            for is_turned in [false, true] {
                let bits = if is_turned { 32 } else { 64 };
                let numbers = Numbers {
                    is_turned,
                    ..numbers(bits, own_limit)
                };
                let goes_down = comparison.0.contains("Greater") != is_turned;
                let numbers = if goes_down { numbers.downwards() } else { numbers };
                check(comparison, numbers, WAYS[0]);
                check(comparison, Numbers { step: 3, ..numbers }, WAYS[1]);
            }
        }
    }
}

/// As many items as lanes, or more, of sub-groups, whose operations count who is there.
#[test]
fn sums_of_those_who_stay() {
    const TEXT: &str = "
        OpCapability GroupNonUniform
        OpCapability GroupNonUniformArithmetic
        OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %l0 = OpConstant %long 0
        %l40 = OpConstant %long 40
        %c0 = OpConstant %int 0
        %c1 = OpConstant %int 1
        %c3 = OpConstant %int 3
        %type = OpTypeFunction %void %global_int %long
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_int
        %bound = OpFunctionParameter %long
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %to = OpPtrAccessChain %global_int %out %id
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %long %id %start %i_next %body
        %sum = OpPhi %int %c0 %start %more %body
        %goes_on = OpULessThan %bool %i %bound
        OpLoopMerge %done %body None
        OpBranchConditional %goes_on %body %done
        %body = OpLabel
        %count = OpGroupNonUniformIAdd %int %c3 Reduce %c1
        %more = OpIAdd %int %sum %count
        %i_next = OpIAdd %long %i %l40
        OpBranch %head
        %done = OpLabel
        OpStore %to %sum Aligned 4
        OpReturn
        OpFunctionEnd
        ";
    let kernel = compile_in(oxur_compiler::Mode::Fast, TEXT);
    let size = u64::from(kernel.lanes());
    for bound in [0, 1, 15, 16, 17, 31, 33, 40, 41, 70, 79, 80, 100, 160] {
        let mut out = vec![0; 4 * 32];
        let arguments = &mut [Argument::Memory(&mut out), Argument::Value(bound)];
        run(&kernel, range([1, 1, 1], [32, 1, 1]), arguments).unwrap();
        let rounds = |id: u64| (bound.saturating_sub(id)).div_ceil(40);
        let expected: Vec<u32> = (0..32)
            .map(|id| {
                let others = id / size * size..(id / size + 1) * size;
                let there = |round| others.clone().filter(|&other| rounds(other) > round).count() as u32;
                (0..rounds(id)).map(there).sum()
            })
            .collect();
        assert_eq!(words(&out), expected, "{bound}");
    }
}

/// An item adds a word to its sum in memory in each round of the inner loop, and leaves both loops where the word is 0.
const TWO_LOOPS: &str = "
        %c0 = OpConstant %int 0
        %c1 = OpConstant %int 1
        %c32 = OpConstant %int 32
        %type = OpTypeFunction %void %global_int %global_int %int %int
        %kernel = OpFunction %void None %type
        %sums = OpFunctionParameter %global_int
        %words = OpFunctionParameter %global_int
        %n = OpFunctionParameter %int
        %m = OpFunctionParameter %int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %to = OpPtrAccessChain %global_int %sums %id
        %first = OpPtrAccessChain %global_int %words %id
        OpBranch %outer
        %outer = OpLabel
        %i = OpPhi %int %c0 %start %i_next %latch
        BEFORE
        OpBranch %inner
        %inner = OpLabel
        %j = OpPhi %int %c0 %outer %j_next %body
        %row = OpIMul %int %i %m
        %place = OpIAdd %int %row %j
        %offset = OpIMul %int %place %c32
        %wide = OpUConvert %long %offset
        %from = OpPtrAccessChain %global_int %first %wide
        %word = OpLoad %int %from Aligned 4
        %stays = OpINotEqual %bool %word %c0
        OpBranchConditional %stays %body %end
        %body = OpLabel
        %old = OpLoad %int %to Aligned 4
        %new = OpIAdd %int %old %word
        OpStore %to %new Aligned 4
        %j_next = OpIAdd %int %j %c1
        %again = OpULessThan %bool %j_next %m
        OpBranchConditional %again %inner %latch
        %latch = OpLabel
        %i_next = OpIAdd %int %i %c1
        %again_too = OpULessThan %bool %i_next %n
        OpBranchConditional %again_too %outer %end
        %end = OpLabel
        OpReturn
        OpFunctionEnd
        ";

#[test]
fn ways_out_of_two_loops() {
    const BEFORE: &str = "
        %so_far = OpLoad %int %to Aligned 4
        %twice = OpIAdd %int %so_far %so_far
        OpStore %to %twice Aligned 4";
    for before in ["", BEFORE] {
        let text = format!("{GLOBAL_ID}{TWO_LOOPS}").replace("BEFORE", before);
        for mode in MODES {
            let kernel = compile_in(mode, &text);
            for (n, m) in [(1, 1), (1, 4), (3, 1), (2, 3), (5, 4)] {
                // The place in the rounds where an item finds a 0, and which item.
                for (end, who) in [(0, 0), (2, 5), (3, 31), (1, 17), (4, 16), (9, 8), (30, 0)] {
                    let word = |id: u32, place: u32| match (id % 32 == who || id == 3) && place >= end {
                        true => 0,
                        false => id + 2 * place + 1,
                    };
                    let places = n * m;
                    let words_of = (0..32 * places).map(|at| word(at % 32, at / 32));
                    let mut memory = bytes(&words_of.collect::<Vec<_>>());
                    let mut sums = bytes(&[1; 32]);
                    let expected: Vec<u32> = (0..32)
                        .map(|id| {
                            let mut sum = 1u32;
                            for place in 0..places {
                                if place % m == 0 && !before.is_empty() {
                                    sum = sum.wrapping_mul(2);
                                }
                                match word(id, place) {
                                    0 => break,
                                    word => sum += word,
                                }
                            }
                            sum
                        })
                        .collect();
                    let mut arguments = vec![Argument::Memory(&mut sums), Argument::Memory(&mut memory)];
                    arguments.extend([n, m].map(|value| Argument::Value(value.into())));
                    run(&kernel, range([1, 1, 1], [32, 1, 1]), &mut arguments).unwrap();
                    assert!(
                        words(&sums) == expected,
                        "{before}, {n} x {m}, {who} at {end}, {mode:?}"
                    );
                }
            }
        }
    }
}
