// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Atomic operations of local memory, which are plain loads and stores where one thread runs a group; and at places that differ between
//! items.

use super::{Argument, MODES, compile_in, range, run, tile};

type Operation = (&'static str, fn(u32, u32) -> u32);

const OPERATIONS: [Operation; 10] = [
    ("OpAtomicIAdd", u32::wrapping_add),
    ("OpAtomicISub", u32::wrapping_sub),
    ("OpAtomicAnd", |x, y| x & y),
    ("OpAtomicOr", |x, y| x | y),
    ("OpAtomicXor", |x, y| x ^ y),
    ("OpAtomicUMin", u32::min),
    ("OpAtomicUMax", u32::max),
    ("OpAtomicSMin", |x, y| (x as i32).min(y as i32) as u32),
    ("OpAtomicSMax", |x, y| (x as i32).max(y as i32) as u32),
    ("OpAtomicExchange", |_, y| y),
];

/// `tile[own] = ~x; before = atomic(&tile[own], x); q[id] = before + 3 * tile[own];`
fn text(operation: &str) -> String {
    let body = format!(
        "%from = OpPtrAccessChain %global_int %p %id
        %x = OpLoad %int %from Aligned 4
        %not_x = OpNot %int %x
        OpStore %place %not_x Aligned 4
        %before = {operation} %int %place %i2 %i0 %x
        %after = OpLoad %int %place Aligned 4
        %after3 = OpIMul %int %after %i3
        %result = OpIAdd %int %before %after3"
    );
    tile::text("", &body, "")
}

#[test]
fn of_local_memory() {
    for (name, operation) in OPERATIONS {
        for mode in MODES {
            let kernel = compile_in(mode, &text(name));
            for (groups, local) in [(2, 32), (3, 13)] {
                let count = (groups * local) as u32;
                let numbers: Vec<u32> = (0..count).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
                let result = |&x: &u32| (!x).wrapping_add(operation(!x, x).wrapping_mul(3));
                let expected: Vec<u32> = numbers.iter().map(result).collect();
                assert_eq!(
                    tile::results(&kernel, &numbers, local),
                    expected,
                    "{name}, {mode:?}, groups of {local}"
                );
            }
        }
    }
}

/// Counts how many items of a group chose each place, of all items or of those with odd numbers.
fn counts(place: &str, odd: bool) -> String {
    let (branch, merge) = match odd {
        true => (
            "OpSelectionMerge %counted None
            OpBranchConditional %is_odd %count %counted
            %count = OpLabel",
            "OpBranch %counted
            %counted = OpLabel",
        ),
        false => ("", ""),
    };
    let body = format!(
        "OpStore %place %i0 Aligned 4
        OpControlBarrier %i2 %i2 %fence
        %from = OpPtrAccessChain %global_int %p %id
        %x = OpLoad %int %from Aligned 4
        %low_bits = OpBitwiseAnd %int %x %i63
        %bit = OpBitwiseAnd %int %x %i1
        %is_odd = OpINotEqual %bool %bit %i0
        {place}
        {branch}
        %before = OpAtomicIAdd %int %at %i2 %i0 %i1
        {merge}
        OpControlBarrier %i2 %i2 %fence
        %result = OpLoad %int %place Aligned 4"
    );
    let declarations = "%fence = OpConstant %int 0x110
        %i63 = OpConstant %int 63
        %l0 = OpConstant %long 0
        %l63 = OpConstant %long 63";
    tile::text(declarations, &body, "")
}

#[test]
fn at_computed_places() {
    let unsigned = "%i = OpUConvert %long %low_bits
        %at = OpAccessChain %local_int %tile %i";
    // From 63 places before the last one.
    let negative = "%back = OpISub %int %low_bits %i63
        %i = OpSConvert %long %back
        %last = OpAccessChain %local_int %tile %l63
        %at = OpPtrAccessChain %local_int %last %i";
    // Numbers from -63 are indices themselves. The first is -63, which the compiler does not know, so it cannot add that to the index.
    let negative_number = "%i = OpSConvert %long %x
        %first = OpLoad %int %p Aligned 4
        %long_first = OpSConvert %long %first
        %behind = OpSNegate %long %long_first
        %last = OpAccessChain %local_int %tile %behind
        %at = OpPtrAccessChain %local_int %last %i";
    let wide = "%long_x = OpUConvert %long %x
        %i = OpBitwiseAnd %long %long_x %l63
        %at = OpAccessChain %local_int %tile %i";
    let narrow = "%at = OpAccessChain %local_int %tile %low_bits";
    for place in [unsigned, negative, negative_number, wide, narrow] {
        let lowest = if place == negative_number { 63 } else { 0 };
        for odd in [false, true] {
            for mode in MODES {
                let kernel = compile_in(mode, &counts(place, odd));
                for (groups, local) in [(2, 64), (3, 21), (1, 5)] {
                    let numbers: Vec<u32> = (0..groups * local)
                        .map(|i: u32| i.wrapping_mul(0x9e37_79b9) >> 7)
                        .map(|x| {
                            if place == negative_number {
                                (x & 63).wrapping_sub(63)
                            } else {
                                x
                            }
                        })
                        .collect();
                    let expected: Vec<u32> = numbers
                        .chunks(local as usize)
                        .flat_map(|group| {
                            (0..local).map(|own| {
                                let chose = |&&x: &&u32| x.wrapping_add(lowest) & 63 == own && (!odd || x & 1 == 1);
                                group.iter().filter(chose).count() as u32
                            })
                        })
                        .collect();
                    assert_eq!(
                        tile::results(&kernel, &numbers, local.into()),
                        expected,
                        "{place}, odd {odd}, {mode:?}, groups of {local}"
                    );
                }
            }
        }
    }
}

/// `operation` on a number of `q`, 64 of 32 or 64 bits, chosen by the low bits of one of `p`.
fn of_global_memory(ty: &str, index: &str, operation: &str) -> String {
    format!(
        "OpCapability Int64Atomics
        OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %i63 = OpConstant %int 63
        %one = OpConstant %{ty} 1
        %zero = OpConstant %{ty} 0
        %type = OpTypeFunction %void %global_int %global_{ty}
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %q = OpFunctionParameter %global_{ty}
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %from = OpPtrAccessChain %global_int %p %id
        %x = OpLoad %int %from Aligned 4
        %low_bits = OpBitwiseAnd %int %x %i63
        {index}
        %at = OpPtrAccessChain %global_{ty} %q %i
        %before = {operation}
        OpReturn
        OpFunctionEnd"
    )
}

#[test]
fn of_global_memory_at_computed_places() {
    let indices = [
        "%i = OpUConvert %long %low_bits",
        "%i = OpSConvert %long %low_bits",
        "%i = OpBitwiseAnd %int %low_bits %i63",
    ];
    for (ty, bytes) in [("int", 4), ("long", 8)] {
        // How many chose a place, and whether any did.
        let add = format!("OpAtomicIAdd %{ty} %at %i1 %i0 %one");
        let exchange = format!("OpAtomicCompareExchange %{ty} %at %i1 %i0 %i0 %one %zero");
        for (operation, most) in [(add, usize::MAX), (exchange, 1)] {
            for (index, mode) in indices.iter().flat_map(|index| MODES.map(|mode| (index, mode))) {
                let kernel = compile_in(mode, &of_global_memory(ty, index, &operation));
                for (groups, local) in [(3, 16), (2, 21)] {
                    let numbers: Vec<u32> = (0..(groups * local) as u32)
                        .map(|i| i.wrapping_mul(0x9e37_79b9) >> 7)
                        .collect();
                    let mut p: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
                    let mut q = vec![0; 64 * bytes];
                    let mut arguments = [Argument::Memory(&mut p), Argument::Memory(&mut q)];
                    run(&kernel, range([groups, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
                    for (place, number) in q.chunks(bytes).enumerate() {
                        let count = numbers.iter().filter(|&&x| x as usize & 63 == place).count().min(most);
                        let mut expected = vec![0; bytes];
                        expected[0] = count as u8;
                        assert_eq!(
                            number, expected,
                            "{operation}, {index}, {mode:?}, groups of {local}, {place}"
                        );
                    }
                }
            }
        }
    }
}
