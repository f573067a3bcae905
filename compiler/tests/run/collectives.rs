// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reductions, scans, votes and broadcasts of whole work-groups, up to the largest that there are.

use std::process::Command;

use oxur_compiler::{MAX_WORK_GROUP_SIZE, Mode, ThreadContext};

use super::{Argument, MODES, Tested, compile_in, range, run_with};

/// How two values become one, of integers by their bits, of floating-point numbers as a `double`.
#[derive(Clone, Copy)]
enum ReduceOp {
    Int(fn(Ints, u64, u64) -> u64),
    Float(fn(f64, f64) -> f64),
}

/// Integers of a width.
#[derive(Clone, Copy)]
struct Ints(u32);

impl Ints {
    fn signed(self, value: u64) -> i64 {
        (value << (64 - self.0)) as i64 >> (64 - self.0)
    }

    fn low(self) -> u64 {
        u64::MAX >> (64 - self.0)
    }
}

/// An operation: its instruction, its identity, how it puts values together.
type Operation = (&'static str, fn(Ints) -> u64, ReduceOp);

const INTS: [Operation; 9] = [
    ("OpGroupIAdd", |_| 0, ReduceOp::Int(|_, x, y| x.wrapping_add(y))),
    (
        "OpGroupSMin",
        |t| t.low() >> 1,
        ReduceOp::Int(|t, x, y| if t.signed(x) < t.signed(y) { x } else { y }),
    ),
    (
        "OpGroupSMax",
        |t| !(t.low() >> 1),
        ReduceOp::Int(|t, x, y| if t.signed(x) > t.signed(y) { x } else { y }),
    ),
    (
        "OpGroupUMin",
        |t| t.low(),
        ReduceOp::Int(|t, x, y| (x & t.low()).min(y & t.low())),
    ),
    (
        "OpGroupUMax",
        |_| 0,
        ReduceOp::Int(|t, x, y| (x & t.low()).max(y & t.low())),
    ),
    ("OpGroupIMulKHR", |_| 1, ReduceOp::Int(|_, x, y| x.wrapping_mul(y))),
    ("OpGroupBitwiseAndKHR", |t| t.low(), ReduceOp::Int(|_, x, y| x & y)),
    ("OpGroupBitwiseOrKHR", |_| 0, ReduceOp::Int(|_, x, y| x | y)),
    ("OpGroupBitwiseXorKHR", |_| 0, ReduceOp::Int(|_, x, y| x ^ y)),
];

const BOOLS: [Operation; 3] = [
    ("OpGroupLogicalAndKHR", |_| 1, ReduceOp::Int(|_, x, y| x & y)),
    ("OpGroupLogicalOrKHR", |_| 0, ReduceOp::Int(|_, x, y| x | y)),
    ("OpGroupLogicalXorKHR", |_| 0, ReduceOp::Int(|_, x, y| x ^ y)),
];

const FLOATS: [Operation; 4] = [
    ("OpGroupFAdd", |_| 0, ReduceOp::Float(|x, y| x + y)),
    ("OpGroupFMin", |_| f64::INFINITY.to_bits(), ReduceOp::Float(f64::min)),
    (
        "OpGroupFMax",
        |_| f64::NEG_INFINITY.to_bits(),
        ReduceOp::Float(f64::max),
    ),
    ("OpGroupFMulKHR", |_| 1f64.to_bits(), ReduceOp::Float(|x, y| x * y)),
];

/// The groups of the tests: as long, and as many sub-groups of 4 to 64, as are next to a power of two; and rows that are
/// no multiples of any.
const GROUPS: [[u64; 3]; 9] = [
    [1, 1, 1],
    [255, 1, 1],
    [256, 1, 1],
    [257, 1, 1],
    [4096, 1, 1],
    [8191, 1, 1],
    [8192, 1, 1],
    [89, 91, 1],
    [7, 13, 71],
];

/// What of a type is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Bool,
    Int(u32),
    Float(u32),
}

impl Type {
    fn name(self) -> &'static str {
        match self {
            Self::Bool | Self::Int(8) => "char",
            Self::Int(16) => "short",
            Self::Int(32) => "int",
            Self::Int(_) => "long",
            Self::Float(16) => "half",
            Self::Float(32) => "float",
            Self::Float(_) => "double",
        }
    }

    /// Bytes in memory.
    fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Int(bits) | Self::Float(bits) => bits as usize / 8,
        }
    }

    fn ints(self) -> Ints {
        Ints(8 * self.size() as u32)
    }

    /// A number (the bits of an integer, or of a `double`) as it is in memory.
    fn to_memory(self, value: u64) -> u64 {
        let number = f64::from_bits(value);
        match self {
            Self::Bool => value & 1,
            Self::Int(_) => value & self.ints().low(),
            Self::Float(16) => half(number).into(),
            Self::Float(32) => (number as f32).to_bits().into(),
            Self::Float(_) => value,
        }
    }
}

/// A half of a number that is one: small integers, halves and quarters, infinities.
fn half(number: f64) -> u16 {
    let sign = (number.to_bits() >> 48) as u16 & 0x8000;
    let size = number.abs();
    if size == 0.0 {
        return sign;
    }
    if size.is_infinite() {
        return sign | 0x7c00;
    }
    let exponent = (size.to_bits() >> 52) as i32 - 1023;
    assert!((-14..16).contains(&exponent), "{number} is no half");
    sign | ((exponent + 15) as u16) << 10 | (size.to_bits() >> 42) as u16 & 0x3ff
}

const HEAD: &str = "OpCapability Groups
    OpCapability GroupUniformArithmeticKHR
    OpCapability SubgroupDispatch
    OpExtension \"SPV_KHR_uniform_group_instructions\"
    OpDecorate %index BuiltIn LocalInvocationIndex
    %input_long = OpTypePointer Input %long
    %index = OpVariable %input_long Input
    ";

/// A kernel of a reduction and both scans of `in` to `reduced`, `inclusive` and `exclusive`.
/// A kernel's wish for sub-groups of a size; none if that is 0.
fn wish(sub_group: u32) -> String {
    match sub_group {
        0 => String::new(),
        size => format!("OpExecutionMode %kernel SubgroupSize {size}"),
    }
}

fn text(instruction: &str, ty: Type, sub_group: u32) -> String {
    let (name, size, wish) = (ty.name(), ty.size(), wish(sub_group));
    let value = if ty == Type::Bool { "bool" } else { name };
    let into_bool = "%x = OpINotEqual %bool %stored %zero";
    let load = if ty == Type::Bool {
        into_bool.to_string()
    } else {
        format!("%x = OpCopyObject %{name} %stored")
    };
    let results: String = [
        ("Reduce", "reduced"),
        ("InclusiveScan", "inclusive"),
        ("ExclusiveScan", "exclusive"),
    ]
    .iter()
    .map(|(operation, to)| {
        let byte = if ty == Type::Bool {
            format!("%byte_{to} = OpSelect %char %value_{to} %one %zero")
        } else {
            format!("%byte_{to} = OpCopyObject %{name} %value_{to}")
        };
        format!(
            "%value_{to} = {instruction} %{value} %i2 {operation} %x
                {byte}
                %at_{to} = OpPtrAccessChain %global %{to} %id
                OpStore %at_{to} %byte_{to} Aligned {size}\n"
        )
    })
    .collect();
    format!(
        "{HEAD}OpEntryPoint Kernel %kernel \"k\" %index
        {wish}
        %global = OpTypePointer CrossWorkgroup %{name}
        %zero = OpConstant %char 0
        %one = OpConstant %char 1
        %type = OpTypeFunction %void %global %global %global %global
        %kernel = OpFunction %void None %type
        %in = OpFunctionParameter %global
        %reduced = OpFunctionParameter %global
        %inclusive = OpFunctionParameter %global
        %exclusive = OpFunctionParameter %global
        %start = OpLabel
        %id = OpLoad %long %index
        %at = OpPtrAccessChain %global %in %id
        %stored = OpLoad %{name} %at Aligned {size}
        {load}
        {results}
        OpReturn
        OpFunctionEnd"
    )
}

/// What an item comes with: the bits of an integer, or of a `double`. Sums and products of all are exact in every type.
fn value(ty: Type, instruction: &str, item: u64) -> u64 {
    let hash = (item + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    match ty {
        // One of many is what decides.
        Type::Bool => u64::from(item % 911 == 600) ^ u64::from(instruction.contains("And")),
        Type::Int(_) if instruction.contains("Mul") => hash | 1,
        Type::Int(_) if instruction.contains("And") => {
            !(hash & hash.rotate_left(9) & hash.rotate_left(21) & hash.rotate_left(40))
        }
        Type::Int(_) => hash,
        Type::Float(_) if instruction.contains("Mul") => [1f64, 2.0, 0.5, -1.0][item as usize % 4].to_bits(),
        Type::Float(_) if instruction.contains("Add") => {
            [1f64, -1.0, 2.0, -2.0, 0.0, 1.0, -1.0][item as usize % 7].to_bits()
        }
        Type::Float(_) => (f64::from(hash as i32 >> 21) - 3.0).to_bits(),
    }
}

/// Checks one operation in sub-groups of a size, in groups that are chosen.
fn check(operation: &Operation, ty: Type, sub_group: u32, suits: impl Fn(Mode, &[u64; 3]) -> bool) {
    let &(instruction, identity, how) = operation;
    let text = text(instruction, ty, sub_group);
    let combine = |x: u64, y: u64| match how {
        ReduceOp::Int(f) => f(ty.ints(), x, y),
        ReduceOp::Float(f) => f(f64::from_bits(x), f64::from_bits(y)).to_bits(),
    };
    let none = match how {
        ReduceOp::Int(_) => identity(ty.ints()),
        ReduceOp::Float(_) => identity(Ints(64)),
    };
    for mode in MODES {
        let groups: Vec<_> = GROUPS.iter().filter(|group| suits(mode, group)).collect();
        if groups.is_empty() {
            continue;
        }
        let kernel = compile_in(mode, &text);
        let mut worker = ThreadContext::new();
        for local in groups {
            let items = local.iter().product::<u64>();
            let values: Vec<u64> = (0..items).map(|item| value(ty, instruction, item)).collect();
            let mut so_far = none;
            let (mut inclusive, mut exclusive) = (Vec::new(), Vec::new());
            for &value in &values {
                exclusive.push(so_far);
                so_far = combine(so_far, value);
                inclusive.push(so_far);
            }
            let bytes = |values: &[u64]| -> Vec<u8> {
                let one = |&value: &u64| ty.to_memory(value).to_le_bytes()[..ty.size()].to_vec();
                values.iter().flat_map(one).collect()
            };
            let mut memory = [bytes(&values), bytes(&values), bytes(&values), bytes(&values)];
            let mut arguments = memory.each_mut().map(|memory| Argument::Memory(memory));
            run_with(&mut worker, &kernel, range([1; 3], *local), &mut arguments)
                .unwrap_or_else(|fault| panic!("{instruction} of {ty:?}, {local:?}, {mode:?}: {fault}"));
            let expected = [vec![so_far; items as usize], inclusive, exclusive];
            for (kind, (found, expected)) in memory[1..].iter().zip(&expected).enumerate() {
                let expected = bytes(expected);
                let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
                assert_eq!(
                    differs, None,
                    "operation {kind} of {instruction} of {ty:?} in sub-groups of {sub_group}, groups of {local:?}, {mode:?}"
                );
            }
        }
    }
}

/// A type's operations. All of them in the largest groups and in sub-groups of 4, of which there are most; the first of them in
/// all groups and sub-groups.
fn check_type(ty: Type, operations: &[Operation]) {
    for (number, operation) in operations.iter().enumerate() {
        for sub_group in [0, 4, 8, 16, 32, 64] {
            check(operation, ty, sub_group, |mode, group| {
                // The scalar mode takes its time with as many stacks.
                let is_large = group[0] == 8191;
                number == 0 && (mode == Mode::Fast || is_large || group.iter().product::<u64>() < 300)
                    || sub_group == 4 && (group[0] == 257 || is_large)
            });
        }
    }
}

#[test]
fn of_integers_of_8_bits() {
    check_type(Type::Int(8), &INTS);
}

#[test]
fn of_integers_of_16_bits() {
    check_type(Type::Int(16), &INTS);
}

#[test]
fn of_integers_of_32_bits() {
    check_type(Type::Int(32), &INTS);
}

#[test]
fn of_integers_of_64_bits() {
    check_type(Type::Int(64), &INTS);
}

#[test]
fn of_truth_values() {
    check_type(Type::Bool, &BOOLS);
}

#[test]
fn of_halves() {
    check_type(Type::Float(16), &FLOATS);
}

#[test]
fn of_floats() {
    check_type(Type::Float(32), &FLOATS);
}

#[test]
fn of_doubles() {
    check_type(Type::Float(64), &FLOATS);
}

/// Whether all items' numbers in the group are below `end`, whether some are `which`, and the number of the item with the
/// local id (x, y, z): five words an item.
fn votes(mode: Mode, sub_group: u32) -> Tested {
    let wish = wish(sub_group);
    let text = format!(
        "{HEAD}OpEntryPoint Kernel %kernel \"k\" %index
        {wish}
        %type = OpTypeFunction %void %global_long %long %long %long %long %long
        %l0 = OpConstant %long 0
        %l1 = OpConstant %long 1
        %l3 = OpConstant %long 3
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_long
        %end = OpFunctionParameter %long
        %which = OpFunctionParameter %long
        %x = OpFunctionParameter %long
        %y = OpFunctionParameter %long
        %z = OpFunctionParameter %long
        %start = OpLabel
        %id = OpLoad %long %index
        %is_below = OpULessThan %bool %id %end
        %all = OpGroupAll %bool %i2 %is_below
        %is_it = OpIEqual %bool %id %which
        %any = OpGroupAny %bool %i2 %is_it
        %place = OpCompositeConstruct %long3 %x %y %z
        %found = OpGroupBroadcast %long %i2 %id %place
        %first = OpIMul %long %id %l3
        %at_all = OpPtrAccessChain %global_long %out %first
        %all_word = OpSelect %long %all %l1 %l0
        OpStore %at_all %all_word Aligned 8
        %second = OpIAdd %long %first %l1
        %at_any = OpPtrAccessChain %global_long %out %second
        %any_word = OpSelect %long %any %l1 %l0
        OpStore %at_any %any_word Aligned 8
        %third = OpIAdd %long %second %l1
        %at_found = OpPtrAccessChain %global_long %out %third
        OpStore %at_found %found Aligned 8
        OpReturn
        OpFunctionEnd"
    );
    compile_in(mode, &text)
}

#[test]
fn votes_and_broadcasts() {
    for (mode, sub_group) in MODES
        .into_iter()
        .flat_map(|mode| [0, 4, 8, 16, 32, 64].map(|size| (mode, size)))
    {
        let kernel = votes(mode, sub_group);
        let mut worker = ThreadContext::new();
        for local in GROUPS {
            let items = local.iter().product::<u64>();
            if mode == Mode::Scalar && items > 300 && local[0] != 8191 {
                continue;
            }
            let from = local.map(|size| size - 1 - size / 3);
            let number = (from[2] * local[1] + from[1]) * local[0] + from[0];
            for (end, which) in [(items, items), (items - 1, items - 1), (items, items / 2)] {
                let mut out = vec![0x55; items as usize * 24];
                let mut arguments = vec![Argument::Memory(&mut out)];
                arguments.extend([end, which, from[0], from[1], from[2]].map(Argument::Value));
                run_with(&mut worker, &kernel, range([1; 3], local), &mut arguments).unwrap();
                let expected = [u64::from(end == items), u64::from(which < items), number];
                let expected: Vec<u8> = expected.iter().flat_map(|word| word.to_le_bytes()).collect();
                let differs = out.chunks(24).position(|found| found != expected);
                assert_eq!(
                    differs, None,
                    "groups of {local:?}, sub-groups of {sub_group}, {mode:?}"
                );
            }
        }
    }
}

/// Reductions of a kernel share a place for the sub-groups' numbers: what a wide one has left behind a narrow one's is no part of it.
#[test]
fn narrow_ones_behind_wide_ones() {
    let text = format!(
        "{HEAD}OpEntryPoint Kernel %kernel \"k\" %index
        OpExecutionMode %kernel SubgroupSize 8
        %type = OpTypeFunction %void %global_long %global_int
        %kernel = OpFunction %void None %type
        %wide = OpFunctionParameter %global_long
        %narrow = OpFunctionParameter %global_int
        %start = OpLabel
        %id = OpLoad %long %index
        %at_wide = OpPtrAccessChain %global_long %wide %id
        %x = OpLoad %long %at_wide Aligned 8
        %largest = OpGroupUMax %long %i2 Reduce %x
        %at_narrow = OpPtrAccessChain %global_int %narrow %id
        %y = OpLoad %int %at_narrow Aligned 4
        %least = OpGroupUMin %int %i2 Reduce %y
        OpStore %at_wide %largest Aligned 8
        OpStore %at_narrow %least Aligned 4
        OpReturn
        OpFunctionEnd"
    );
    for mode in MODES {
        let kernel = compile_in(mode, &text);
        // The upper half of the wide numbers falls from sub-group to sub-group, and the narrow ones rise.
        let mut wide: Vec<u8> = (0..100u64).flat_map(|id| ((100 - id) << 32).to_le_bytes()).collect();
        let mut narrow: Vec<u8> = (7..107u32).flat_map(u32::to_le_bytes).collect();
        let mut arguments = [Argument::Memory(&mut wide), Argument::Memory(&mut narrow)];
        run_with(
            &mut ThreadContext::new(),
            &kernel,
            range([1; 3], [100, 1, 1]),
            &mut arguments,
        )
        .unwrap();
        assert_eq!(wide, (100u64 << 32).to_le_bytes().repeat(100), "{mode:?}");
        assert_eq!(narrow, 7u32.to_le_bytes().repeat(100), "{mode:?}");
    }
}

/// Values of larger groups would have no place.
#[test]
fn groups_that_are_too_large() {
    let kernel = votes(Mode::Fast, 8);
    let items = MAX_WORK_GROUP_SIZE as u64 + 1;
    let mut out = vec![0; items as usize * 24];
    let mut arguments = vec![Argument::Memory(&mut out)];
    arguments.extend([0; 5].map(Argument::Value));
    let outcome = super::run(&kernel, range([1; 3], [items, 1, 1]), &mut arguments);
    assert!(outcome.unwrap_err().to_string().contains("8192"));
}

/// Where there is no room for a stack for each item, they share one.
#[test]
fn of_groups_without_room_for_stacks() {
    const CHILD: &str = "OXUR_TEST_FEW_STACKS";
    /// Enough to open LLVM and to compile, and less than a third of what the stacks of 8191 items take.
    const ROOM: u64 = 680 << 20;
    if std::env::var_os(CHILD).is_none() {
        let status = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "collectives::of_groups_without_room_for_stacks",
                "--nocapture",
            ])
            .env(CHILD, "1")
            .status();
        return assert!(status.unwrap().success());
    }
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let used = pages.split(' ').next().unwrap().parse::<u64>().unwrap() * 4096;
    let limit = libc::rlimit {
        rlim_cur: used + ROOM,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: a limit of this process, which has this one test.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
    check(&INTS[0], Type::Int(32), 8, |mode, group| {
        mode == Mode::Scalar && group[0] == 8191
    });
    check(&FLOATS[0], Type::Float(64), 32, |mode, group| {
        mode == Mode::Scalar && group[0] == 8191
    });
}
