// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Items that a branch keeps away from an access: what is computed for lane 0, or once for all lanes, must not rely on what
//! is true of the others only.

use std::fmt::Write as _;

use oxur_compiler::Mode;

use super::{Argument, Line, MODES, compile_in, range, run};

/// What an item does with an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `if (i in range) p[i] += 7;`
    Guard,
    /// The same with a branch around it that says a little less.
    Nested,
    /// `if (i in range && i % 4 == 0) p[i + 1] += 7;`: the sum is an `or` to LLVM.
    Low,
    /// `for (r = 0; r < 3; r++, i += far) if (i in range) p[i] += 7;`
    Rounds,
    /// `for (r = 0; r < 3; r++) if (i in range) p[i] += 7;`: LLVM computes the address before the loop, for all items.
    Again,
    /// `while (i < end) { if (i >= 0) p[i] += 7; i += far; }`: items go round differently often.
    While,
    /// `if (i in range) if (p[i] & 1) p[i] += 7; else p[i] -= 1;`
    Inner,
}

const FORMS: [Form; 7] = [
    Form::Guard,
    Form::Nested,
    Form::Low,
    Form::Rounds,
    Form::Again,
    Form::While,
    Form::Inner,
];

/// How far the tests' indices go.
const LENGTH: i128 = 120;

/// How far an item's next index is, for each step between items.
const FAR: i128 = 48;

/// A kernel of indices `step * id + offset`.
#[derive(Clone, Copy, Debug)]
struct Indices {
    form: Form,
    /// The width of the index.
    bits: u32,
    signed: bool,
    step: i128,
    /// The width of what is accessed.
    element: u32,
    /// Whether the index is given to the access as it is, not as a `long`.
    direct: bool,
    /// Whether the end of the range is an argument, not a constant.
    open: bool,
}

fn int_type(bits: u32) -> &'static str {
    match bits {
        8 => "char",
        16 => "short",
        32 => "int",
        _ => "long",
    }
}

impl Indices {
    /// A number as the index has it.
    fn wrap(&self, value: i128) -> i128 {
        let low = value & ((1 << self.bits) - 1);
        if self.signed && low >> (self.bits - 1) != 0 {
            low - (1 << self.bits)
        } else {
            low
        }
    }

    fn text(&self) -> String {
        let (ty, element) = (int_type(self.bits), int_type(self.element));
        // The types of the prelude have no sign.
        let number = |value: i128| value & ((1 << self.bits) - 1);
        let mut text = String::new();
        let mut add = |line: &str| writeln!(text, "{line}").expect("a string takes all");
        add("OpEntryPoint Kernel %kernel \"k\" %global_id");
        add("OpDecorate %global_id BuiltIn GlobalInvocationId");
        add("%input_long3 = OpTypePointer Input %long3");
        add("%global_id = OpVariable %input_long3 Input");
        add(&format!("%type = OpTypeFunction %void %global_{element} %{ty} %{ty}"));
        let far = self.step * FAR;
        for (name, value) in [
            ("step", self.step),
            ("far", far),
            ("zero", 0),
            ("one", 1),
            ("three", 3),
            ("some", 5),
            ("minus_some", -5),
            ("length", LENGTH),
            ("length_and_some", LENGTH + 5),
        ] {
            add(&format!("%{name} = OpConstant %{ty} {}", number(value)));
        }
        add(&format!("%e1 = OpConstant %{element} 1"));
        add(&format!("%e7 = OpConstant %{element} 7"));
        add("%kernel = OpFunction %void None %type");
        add(&format!("%p = OpFunctionParameter %global_{element}"));
        add(&format!("%offset = OpFunctionParameter %{ty}"));
        add(&format!("%end_given = OpFunctionParameter %{ty}"));
        add("%start = OpLabel");
        add("%ids = OpLoad %long3 %global_id");
        add("%id64 = OpCompositeExtract %long %ids 0");
        if self.bits == 64 {
            add("%id = OpCopyObject %long %id64");
        } else {
            add(&format!("%id = OpUConvert %{ty} %id64"));
        }
        add(&format!("%scaled = OpIMul %{ty} %id %step"));
        add(&format!("%first = OpIAdd %{ty} %scaled %offset"));
        let end = if self.open { "end_given" } else { "length" };
        let (less, at_least) = if self.signed {
            ("OpSLessThan", "OpSGreaterThanEqual")
        } else {
            ("OpULessThan", "OpUGreaterThanEqual")
        };
        // Leads from the block that is open to `yes` or `no`, and opens `yes`.
        let mut labels = 0;
        let mut guard = |add: &mut dyn FnMut(&str), i: &str, no: &str| {
            labels += 1;
            if self.signed {
                add(&format!("%low{labels} = {at_least} %bool {i} %zero"));
                add(&format!("OpBranchConditional %low{labels} %mid{labels} {no}"));
                add(&format!("%mid{labels} = OpLabel"));
            }
            add(&format!("%high{labels} = {less} %bool {i} %{end}"));
            add(&format!("OpBranchConditional %high{labels} %in{labels} {no}"));
            add(&format!("%in{labels} = OpLabel"));
        };
        let mut places = 0;
        let mut place = |add: &mut dyn FnMut(&str), i: &str| {
            places += 1;
            let mut index = i.to_string();
            if !self.direct && self.bits < 64 {
                let extend = if self.signed { "OpSConvert" } else { "OpUConvert" };
                add(&format!("%wide{places} = {extend} %long {i}"));
                index = format!("%wide{places}");
            }
            add(&format!("%at{places} = OpPtrAccessChain %global_{element} %p {index}"));
            format!("%at{places}")
        };
        let mut changes = 0;
        let bytes = self.element / 8;
        let mut change = |add: &mut dyn FnMut(&str), at: &str, op: &str, by: &str| {
            changes += 1;
            add(&format!("%old{changes} = OpLoad %{element} {at} Aligned {bytes}"));
            add(&format!("%new{changes} = {op} %{element} %old{changes} {by}"));
            add(&format!("OpStore {at} %new{changes} Aligned {bytes}"));
        };
        match self.form {
            Form::Guard => {
                guard(&mut add, "%first", "%done");
                let at = place(&mut add, "%first");
                change(&mut add, &at, "OpIAdd", "%e7");
                add("OpBranch %done");
            }
            Form::Nested => {
                if self.signed {
                    add("%outer = OpSGreaterThan %bool %first %minus_some");
                } else {
                    add(&format!("%more = OpIAdd %{ty} %first %some"));
                    add("%outer = OpULessThan %bool %more %length_and_some");
                }
                add("OpBranchConditional %outer %inside %done");
                add("%inside = OpLabel");
                guard(&mut add, "%first", "%done");
                let at = place(&mut add, "%first");
                change(&mut add, &at, "OpIAdd", "%e7");
                add("OpBranch %done");
            }
            Form::Low => {
                guard(&mut add, "%first", "%done");
                add(&format!("%low_bits = OpBitwiseAnd %{ty} %first %three"));
                add("%is_fourth = OpIEqual %bool %low_bits %zero");
                add("OpBranchConditional %is_fourth %fourth %done");
                add("%fourth = OpLabel");
                add(&format!("%next = OpIAdd %{ty} %first %one"));
                let at = place(&mut add, "%next");
                change(&mut add, &at, "OpIAdd", "%e7");
                add("OpBranch %done");
            }
            Form::Rounds | Form::Again | Form::While => {
                add("OpBranch %head");
                add("%head = OpLabel");
                add(&format!("%i = OpPhi %{ty} %first %start %next %latch"));
                add("%round = OpPhi %int %i0 %start %next_round %latch");
                match self.form {
                    Form::Rounds | Form::Again => add("%again = OpULessThan %bool %round %i3"),
                    _ => add("%again = OpSLessThan %bool %i %length"),
                }
                add("OpBranchConditional %again %body %done");
                add("%body = OpLabel");
                let index = if self.form == Form::Again { "%first" } else { "%i" };
                guard(&mut add, index, "%latch");
                let at = place(&mut add, index);
                change(&mut add, &at, "OpIAdd", "%e7");
                add("OpBranch %latch");
                add("%latch = OpLabel");
                add(&format!("%next = OpIAdd %{ty} %i %far"));
                add("%next_round = OpIAdd %int %round %i1");
                add("OpBranch %head");
            }
            Form::Inner => {
                guard(&mut add, "%first", "%done");
                let at = place(&mut add, "%first");
                add(&format!("%value = OpLoad %{element} {at} Aligned {bytes}"));
                add(&format!("%bit = OpBitwiseAnd %{element} %value %e1"));
                add("%is_odd = OpIEqual %bool %bit %e1");
                add("OpBranchConditional %is_odd %odd %even");
                add("%odd = OpLabel");
                change(&mut add, &at, "OpIAdd", "%e7");
                add("OpBranch %done");
                add("%even = OpLabel");
                change(&mut add, &at, "OpISub", "%e1");
                add("OpBranch %done");
            }
        }
        add("%done = OpLabel");
        add("OpReturn");
        add("OpFunctionEnd");
        text
    }

    /// What one item does; false if it would leave the memory.
    fn item(&self, id: i128, offset: i128, p: &mut [u64]) -> bool {
        let mut i = self.wrap(self.step * id + offset);
        let is_in = |i: i128| (0..LENGTH).contains(&i);
        let mut add = |i: i128, by: u64| match usize::try_from(i).ok().and_then(|i| p.get_mut(i)) {
            Some(place) => {
                *place = place.wrapping_add(by);
                true
            }
            None => false,
        };
        match self.form {
            Form::Guard | Form::Nested => !is_in(i) || add(i, 7),
            Form::Low => !is_in(i) || i % 4 != 0 || add(self.wrap(i + 1), 7),
            Form::Rounds => (0..3).all(|_| {
                let fits = !is_in(i) || add(i, 7);
                i = self.wrap(i + self.step * FAR);
                fits
            }),
            Form::Again => !is_in(i) || add(i, 21),
            Form::While => {
                while i < LENGTH {
                    if is_in(i) && !add(i, 7) {
                        return false;
                    }
                    i = self.wrap(i + self.step * FAR);
                }
                true
            }
            Form::Inner if is_in(i) => {
                let is_odd = p[i as usize] & 1 == 1;
                p[i as usize] = p[i as usize].wrapping_add(if is_odd { 7 } else { u64::MAX });
                true
            }
            Form::Inner => true,
        }
    }

    /// Whether the kernel's loop ends, and its constants are numbers of the index's type.
    fn makes_sense(&self) -> bool {
        let is_narrow = self.bits == 8 && (self.signed && self.step != 1 || self.form == Form::While);
        !is_narrow && (self.form != Form::While || self.signed && self.step > 0)
    }

    fn check(&self) {
        let text = self.text();
        // The scalar mode is the simple one. It runs a sample.
        let modes = if self.step == 1 { &MODES[..] } else { &MODES[1..] };
        let kernels: Vec<_> = modes.iter().map(|&mode| (mode, compile_in(mode, &text))).collect();
        let is_wide = kernels.iter().any(|(_, kernel)| kernel.lanes() > 1);
        assert!(is_wide, "{self:?} is not run in lanes");
        let size = (self.element / 8) as usize;
        for n in 1..=40 {
            let offset = match self.step < 0 {
                // Of the first items, whose indices are too large, numbers of 8 bits have the bit of the sign set.
                true if self.bits == 8 && n % 2 == 0 => 110 + n,
                true => n,
                false => -n,
            };
            for (groups, local) in [(3u64, 16u64), (1, 40), (3, 13)] {
                let mut expected: Vec<u64> = (0..256).map(|i| i * 5).collect();
                assert!(
                    (0..groups * local).all(|id| self.item(id.into(), offset, &mut expected)),
                    "{self:?} leaves its memory"
                );
                for (mode, kernel) in &kernels {
                    if *mode == Mode::Scalar && !(n == 3 && local == 13) {
                        continue;
                    }
                    let mut memory: Vec<u8> = (0..256u64)
                        .flat_map(|i| (i * 5).to_le_bytes()[..size].to_vec())
                        .collect();
                    let mut arguments = [
                        Argument::Memory(&mut memory),
                        Argument::Value(offset as u64),
                        Argument::Value(LENGTH as u64),
                    ];
                    let range = range([groups, 1, 1], [local, 1, 1]);
                    run(kernel, range, &mut arguments)
                        .unwrap_or_else(|fault| panic!("{self:?}, n = {n}, groups of {local}, {mode:?}: {fault}"));
                    let expected: Vec<u8> = expected.iter().flat_map(|v| v.to_le_bytes()[..size].to_vec()).collect();
                    assert!(
                        memory == expected,
                        "{self:?}, n = {n}, groups of {local}, {mode:?}: byte {}",
                        memory
                            .iter()
                            .zip(&expected)
                            .position(|(a, b)| a != b)
                            .unwrap_or_default()
                    );
                }
            }
        }
    }
}

/// All kernels of indices of a width.
fn check_indices(bits: u32, form: Form) {
    for signed in [true, false] {
        // With 17, the first and the last of 16 items are further from each other than half of what 8 bits hold.
        for step in [1, -1, 2, 7, 17].into_iter().take(if bits == 8 { 5 } else { 4 }) {
            for (direct, open, element) in [
                (false, false, 32),
                (false, true, 32),
                (true, false, 32),
                (false, false, bits),
            ] {
                let indices = Indices {
                    form,
                    bits,
                    signed,
                    step,
                    element,
                    direct,
                    open,
                };
                // What is given as it is has a sign.
                let is_plain = !direct && !open && element == 32;
                if indices.makes_sense() && !(direct && (!signed || bits == 64)) && (is_plain || step.abs() == 1) {
                    indices.check();
                }
            }
        }
    }
}

#[test]
fn indices_of_8_bits() {
    FORMS.into_iter().for_each(|form| check_indices(8, form));
}

#[test]
fn indices_of_16_bits() {
    FORMS.into_iter().for_each(|form| check_indices(16, form));
}

#[test]
fn indices_of_32_bits() {
    FORMS.into_iter().for_each(|form| check_indices(32, form));
}

#[test]
fn indices_of_64_bits() {
    FORMS.into_iter().for_each(|form| check_indices(64, form));
}

/// `if (y != 0 && (x != least || y != -1)) q[id] = x / y;`
fn division(bits: u32, op: &str) -> String {
    let ty = int_type(bits);
    let least = 1u64 << (bits - 1);
    let bytes = bits / 8;
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %type = OpTypeFunction %void %global_{ty} %global_{ty} %global_{ty}
        %zero = OpConstant %{ty} 0
        %least = OpConstant %{ty} {least}
        %minus_one = OpConstant %{ty} {}
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_{ty}
        %q = OpFunctionParameter %global_{ty}
        %r = OpFunctionParameter %global_{ty}
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %at_x = OpPtrAccessChain %global_{ty} %p %id
        %x = OpLoad %{ty} %at_x Aligned {bytes}
        %at_y = OpPtrAccessChain %global_{ty} %q %id
        %y = OpLoad %{ty} %at_y Aligned {bytes}
        %has_quotient = OpINotEqual %bool %y %zero
        OpBranchConditional %has_quotient %not_zero %done
        %not_zero = OpLabel
        %is_less = OpINotEqual %bool %x %least
        %is_other = OpINotEqual %bool %y %minus_one
        %fits = OpLogicalOr %bool %is_less %is_other
        OpBranchConditional %fits %divide %done
        %divide = OpLabel
        %quotient = {op} %{ty} %x %y
        %at = OpPtrAccessChain %global_{ty} %r %id
        OpStore %at %quotient Aligned {bytes}
        OpBranch %done
        %done = OpLabel
        OpReturn
        OpFunctionEnd",
        u64::MAX >> (64 - bits)
    )
}

#[test]
fn divisions_that_are_not_done() {
    const ITEMS: u64 = 45;
    for (bits, op) in [8, 16, 32, 64]
        .into_iter()
        .flat_map(|bits| ["OpSDiv", "OpSRem", "OpSMod", "OpUDiv", "OpUMod"].map(|op| (bits, op)))
    {
        let text = division(bits, op);
        let size = (bits / 8) as usize;
        let sign = |value: u64| (value << (64 - bits)) as i64 >> (64 - bits);
        let low = u64::MAX >> (64 - bits);
        let least = 1u64 << (bits - 1);
        let pairs: Vec<[u64; 2]> = (0..ITEMS)
            .map(|i| match i % 5 {
                0 => [least, low],
                1 => [i * 3, 0],
                2 => [least, 3],
                3 => [i + 1, low],
                _ => [low - i, 7],
            })
            .collect();
        let expected: Vec<u64> = pairs
            .iter()
            .map(|&[x, y]| match op {
                _ if y == 0 || (x == least && y == low) => 0x55,
                "OpSDiv" => (sign(x) / sign(y)) as u64,
                "OpSRem" => (sign(x) % sign(y)) as u64,
                // With the sign of the divisor.
                "OpSMod" => {
                    (sign(x).rem_euclid(sign(y))
                        + if sign(y) < 0 && sign(x) % sign(y) != 0 {
                            sign(y)
                        } else {
                            0
                        }) as u64
                }
                "OpUDiv" => x / y,
                _ => x % y,
            })
            .collect();
        let bytes = |values: &mut dyn Iterator<Item = u64>| -> Vec<u8> {
            values.flat_map(|value| value.to_le_bytes()[..size].to_vec()).collect()
        };
        for mode in MODES {
            let kernel = compile_in(mode, &text);
            for local in [15, 45] {
                let mut p = bytes(&mut pairs.iter().map(|pair| pair[0]));
                let mut q = bytes(&mut pairs.iter().map(|pair| pair[1]));
                let mut r = bytes(&mut pairs.iter().map(|_| 0x55));
                let mut arguments = [&mut p, &mut q, &mut r].map(|memory| Argument::Memory(memory));
                run(&kernel, range([ITEMS / local, 1, 1], [local, 1, 1]), &mut arguments)
                    .unwrap_or_else(|fault| panic!("{op} of {bits} bits, {mode:?}: {fault}"));
                assert_eq!(r, bytes(&mut expected.iter().copied()), "{op} of {bits} bits, {mode:?}");
            }
        }
    }
}

/// Items with odd numbers take from each other; what the others would take from is poison.
#[test]
fn shuffles_of_some_items() {
    let text = "OpCapability GroupNonUniform
        OpCapability GroupNonUniformShuffle
        OpEntryPoint Kernel %kernel \"k\" %lane_id
        OpDecorate %lane_id BuiltIn SubgroupLocalInvocationId
        %input_int = OpTypePointer Input %int
        %lane_id = OpVariable %input_int Input
        %type = OpTypeFunction %void %global_int %global_int
        %kernel = OpFunction %void None %type
        %counts = OpFunctionParameter %global_int
        %p = OpFunctionParameter %global_int
        %start = OpLabel
        %lane = OpLoad %int %lane_id
        %lane64 = OpUConvert %long %lane
        %at_count = OpPtrAccessChain %global_int %counts %lane64
        %count = OpLoad %int %at_count Aligned 4
        %low = OpBitwiseAnd %int %lane %i1
        %is_odd = OpIEqual %bool %low %i1
        OpBranchConditional %is_odd %odd %done
        %odd = OpLabel
        %distance = OpShiftLeftLogical %int %i2 %count
        %other = OpBitwiseXor %int %lane %distance
        %x = OpGroupNonUniformShuffle %int %i3 %lane %other
        %more = OpIAdd %int %x %i8
        %at = OpPtrAccessChain %global_int %p %lane64
        OpStore %at %more Aligned 4
        OpBranch %done
        %done = OpLabel
        OpReturn
        OpFunctionEnd";
    for mode in MODES {
        let kernel = compile_in(mode, text);
        let words = |values: [u32; 16]| -> Vec<u8> { values.iter().flat_map(|value| value.to_le_bytes()).collect() };
        let mut counts = words(std::array::from_fn(|i| if i % 2 == 1 { 0 } else { 40 }));
        let mut p = words([99; 16]);
        let mut arguments = [Argument::Memory(&mut counts), Argument::Memory(&mut p)];
        run(&kernel, range([1; 3], [16, 1, 1]), &mut arguments).unwrap();
        let expected = std::array::from_fn(|i| if i % 2 == 1 { (i as u32 ^ 2) + 8 } else { 99 });
        assert_eq!(p, words(expected), "{mode:?}");
    }
}

/// Items leave a loop in different rounds, with the counter of the last one, which is the same for all that are in the loop.
/// The block that decides is another than the first.
#[test]
fn a_counter_behind_its_loop() {
    let text = "
        OpEntryPoint Kernel %kernel \"k\" %global_id %lane_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        OpDecorate %lane_id BuiltIn SubgroupLocalInvocationId
        OpCapability SubgroupDispatch
        %input_long3 = OpTypePointer Input %long3
        %input_int = OpTypePointer Input %int
        %global_id = OpVariable %input_long3 Input
        %lane_id = OpVariable %input_int Input
        %type = OpTypeFunction %void %global_int
        %i7 = OpConstant %int 7
        %i14 = OpConstant %int 14
        %c0 = OpConstant %char 0
        %c2 = OpConstant %char 2
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id64 = OpCompositeExtract %long %ids 0
        %id = OpUConvert %int %id64
        %lane = OpLoad %int %lane_id
        %some = OpSGreaterThan %bool %id %i14
        %minus = OpISub %int %i0 %lane
        %bound = OpBitwiseAnd %int %minus %i7
        %none = OpIEqual %bool %bound %i0
        OpBranchConditional %none %end %before
        %before = OpLabel
        %far = OpInBoundsPtrAccessChain %global_int %p %id
        OpBranch %loop
        %loop = OpLabel
        %i = OpPhi %int %i0 %before %next %latch
        %i8_ = OpPhi %char %c0 %before %n8 %latch
        OpBranchConditional %some %inner %latch
        %inner = OpLabel
        %old = OpLoad %int %far Aligned 4
        %new = OpIAdd %int %old %i4
        OpStore %far %new Aligned 4
        OpBranch %latch
        %latch = OpLabel
        %n8 = OpIAdd %char %i8_ %c2
        %next = OpSConvert %int %n8
        %more = OpSGreaterThan %bool %bound %next
        OpBranchConditional %more %loop %exit
        %exit = OpLabel
        OpStore %far %i Aligned 4
        OpBranch %end
        %end = OpLabel
        OpReturn
        OpFunctionEnd
    ";
    for mode in MODES {
        let kernel = compile_in(mode, text);
        let mut memory = vec![0u8; 4 * 16];
        let mut arguments = [Argument::Memory(&mut memory)];
        run(&kernel, range([1; 3], [16, 1, 1]), &mut arguments).unwrap();
        let found: Vec<i32> = memory
            .chunks(4)
            .map(|c| i32::from_le_bytes(c.try_into().unwrap()))
            .collect();
        // `for (i = 0; i < (-lane & 7); i += 2)`; item 15 adds 4 to its place in each round, and then overwrites it.
        let last = |lane: i32| match -lane & 7 {
            0 => 0,
            bound => (bound - 1) / 2 * 2,
        };
        assert_eq!(found, (0..16).map(last).collect::<Vec<_>>(), "{mode:?}");
    }
}

/// `if (id % 16 == 3) p[id + 13] += 8;` where such places are at multiples of 64 bytes, and those of the other items are not.
#[test]
fn alignment_of_some_items() {
    let text = "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %l3 = OpConstant %long 3
        %l13 = OpConstant %long 13
        %l15 = OpConstant %long 15
        %type = OpTypeFunction %void %global_int
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %low = OpBitwiseAnd %long %id %l15
        %is_one = OpIEqual %bool %low %l3
        OpBranchConditional %is_one %inside %done
        %inside = OpLabel
        %place = OpIAdd %long %id %l13
        %at = OpPtrAccessChain %global_int %p %place
        %x = OpLoad %int %at Aligned 64
        %more = OpIAdd %int %x %i8
        OpStore %at %more Aligned 64
        OpBranch %done
        %done = OpLabel
        OpReturn
        OpFunctionEnd";
    let numbers: Vec<u32> = (0..64).collect();
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
    for mode in MODES {
        let kernel = compile_in(mode, text);
        let mut lines = Line::copies(&Argument::Memory(&mut bytes));
        let memory = Line::bytes(&mut lines, 4 * numbers.len());
        run(&kernel, range([3, 1, 1], [16, 1, 1]), &mut [Argument::Memory(memory)]).unwrap();
        let memory = Line::bytes(&mut lines, 4 * numbers.len());
        let expected: Vec<u32> = (0..64).map(|i| if i % 16 == 0 && i > 0 { i + 8 } else { i }).collect();
        assert_eq!(super::words(memory), expected, "{mode:?}");
    }
}
