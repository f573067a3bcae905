// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Private variables that cannot be laid out element by element, with all items of a sub-group together: their elements are not
//! all that is accessed. And accesses to one address by way of another variable.

use super::{Argument, MODES, compile_in, range, run};

/// A kernel of `%x = p[id]` that differs between items: `q[id] = %r`. The variables begin with the block.
fn text(types: &str, variables: &str, body: &str) -> String {
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %l0 = OpConstant %long 0
        %l1 = OpConstant %long 1
        %l2 = OpConstant %long 2
        %l3 = OpConstant %long 3
        %l5 = OpConstant %long 5
        %l7 = OpConstant %long 7
        %i5 = OpConstant %int 5
        %i100 = OpConstant %int 100
        {types}
        %type = OpTypeFunction %void %global_int %global_int
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %q = OpFunctionParameter %global_int
        %start = OpLabel
        {variables}
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %from = OpPtrAccessChain %global_int %p %id
        %x = OpLoad %int %from Aligned 4
        %x64 = OpUConvert %long %x
        {body}
        %at = OpPtrAccessChain %global_int %q %id
        OpStore %at %r Aligned 4
        OpReturn
        OpFunctionEnd"
    )
}

fn check(what: &str, text: &str, result: fn(u32) -> u32) {
    for mode in MODES {
        let kernel = compile_in(mode, text);
        for (groups, local) in [(2, 32), (3, 13)] {
            let numbers: Vec<u32> = (0..groups as u32 * local as u32).map(|i| i * 5 % 8).collect();
            let mut p: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
            let mut q = vec![0; p.len()];
            let mut arguments = [Argument::Memory(&mut p), Argument::Memory(&mut q)];
            run(&kernel, range([groups, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
            let expected: Vec<u32> = numbers.iter().map(|&x| result(x)).collect();
            assert_eq!(super::words(&q), expected, "{what}, {mode:?}, groups of {local}");
        }
    }
}

/// Words of 64 bits that are read by halves.
#[test]
fn of_two_sizes() {
    let text = text(
        "%c8 = OpConstant %int 8
        %array = OpTypeArray %long %c8
        %private_array = OpTypePointer Function %array
        %private_long = OpTypePointer Function %long
        %high = OpConstant %long 0x100000000",
        "%v = OpVariable %private_array Function",
        "%next = OpIAdd %long %x64 %l1
        %y = OpBitwiseAnd %long %next %l7
        %own = OpAccessChain %private_long %v %x64
        %scaled = OpIMul %long %x64 %high
        %both = OpIAdd %long %scaled %l5
        OpStore %own %both Aligned 8
        %other = OpAccessChain %private_long %v %y
        OpStore %other %l3 Aligned 8
        %halves = OpBitcast %private_int %own
        %second = OpInBoundsPtrAccessChain %private_int %halves %l1
        %low = OpLoad %int %halves Aligned 4
        %up = OpLoad %int %second Aligned 4
        %hundreds = OpIMul %int %up %i100
        %r = OpIAdd %int %hundreds %low",
    );
    check("two sizes", &text, |x| 100 * x + 5);
}

/// Words of 32 bits, two of which are read at once.
#[test]
fn of_two_sizes_and_read_at_once() {
    let text = text(
        "%c16 = OpConstant %int 16
        %array = OpTypeArray %int %c16
        %private_array = OpTypePointer Function %array
        %private_long = OpTypePointer Function %long
        %l32 = OpConstant %long 32",
        "%v = OpVariable %private_array Function",
        "%even = OpIMul %long %x64 %l2
        %odd = OpIAdd %long %even %l1
        %low_half = OpAccessChain %private_int %v %even
        %both = OpBitcast %private_long %low_half
        OpStore %low_half %i5 Aligned 4
        %next = OpIAdd %long %x64 %l1
        %y = OpBitwiseAnd %long %next %l7
        %even_y = OpIMul %long %y %l2
        %high_half = OpAccessChain %private_int %v %odd
        OpStore %high_half %x Aligned 4
        %other = OpAccessChain %private_int %v %even_y
        OpStore %other %i3 Aligned 4
        %found = OpLoad %long %both Aligned 4
        %low = OpUConvert %int %found
        %shifted = OpShiftRightLogical %long %found %l32
        %up = OpUConvert %int %shifted
        %hundreds = OpIMul %int %up %i100
        %r = OpIAdd %int %hundreds %low",
    );
    check("two sizes, read at once", &text, |x| 100 * x + 5);
}

/// The address of a variable is in another one, and what it leads to is written on either way. Its elements have the size of the
/// address.
#[test]
fn whose_address_is_stored() {
    let text = text(
        "%c8 = OpConstant %int 8
        %array = OpTypeArray %long %c8
        %private_array = OpTypePointer Function %array
        %private_long = OpTypePointer Function %long
        %c2 = OpConstant %int 2
        %addresses = OpTypeArray %private_long %c2
        %private_addresses = OpTypePointer Function %addresses
        %private_address = OpTypePointer Function %private_long
        %l100 = OpConstant %long 100",
        "%v = OpVariable %private_array Function
        %w = OpVariable %private_array Function
        %pointers = OpVariable %private_addresses Function",
        "%v0 = OpAccessChain %private_long %v %l0
        %w0 = OpAccessChain %private_long %w %l0
        %first = OpAccessChain %private_address %pointers %l0
        %second = OpAccessChain %private_address %pointers %l1
        OpStore %first %v0 Aligned 8
        OpStore %second %w0 Aligned 8
        %own = OpAccessChain %private_long %v %x64
        %theirs = OpAccessChain %private_long %w %x64
        OpStore %own %x64 Aligned 8
        OpStore %theirs %l100 Aligned 8
        %odd = OpBitwiseAnd %long %x64 %l1
        %which = OpAccessChain %private_address %pointers %odd
        %base = OpLoad %private_long %which Aligned 8
        %there = OpInBoundsPtrAccessChain %private_long %base %x64
        %value = OpLoad %long %there Aligned 8
        %more = OpIAdd %long %value %l5
        OpStore %there %more Aligned 8
        %by_own = OpLoad %long %own Aligned 8
        %by_theirs = OpLoad %long %theirs Aligned 8
        %hundreds = OpIMul %long %by_theirs %l100
        %sum = OpIAdd %long %hundreds %by_own
        %r = OpUConvert %int %sum",
    );
    check("an address that is stored", &text, |x| match x % 2 {
        0 => 10000 + x + 5,
        _ => 10500 + x,
    });
}

/// Numbers of 16 bits at odd bytes, and one that is half of each of two.
#[test]
fn at_any_byte() {
    let text = text(
        "%c32 = OpConstant %int 32
        %array = OpTypeArray %char %c32
        %private_array = OpTypePointer Function %array
        %private_char = OpTypePointer Function %char
        %private_short = OpTypePointer Function %short",
        "%v = OpVariable %private_array Function",
        "%place = OpIMul %long %x64 %l3
        %byte = OpAccessChain %private_char %v %place
        %own = OpBitcast %private_short %byte
        %behind = OpIAdd %long %place %l2
        %next_byte = OpAccessChain %private_char %v %behind
        %next = OpBitcast %private_short %next_byte
        %between = OpIAdd %long %place %l1
        %middle_byte = OpAccessChain %private_char %v %between
        %middle = OpBitcast %private_short %middle_byte
        %hundreds = OpIMul %int %x %i100
        %number = OpIAdd %int %hundreds %i5
        %narrow = OpUConvert %short %number
        %small = OpUConvert %short %x
        OpStore %own %narrow Aligned 1
        OpStore %next %small Aligned 1
        %found = OpLoad %short %middle Aligned 1
        %r = OpUConvert %int %found",
    );
    check("any byte", &text, |x| ((100 * x + 5) >> 8) | (x << 8));
}
