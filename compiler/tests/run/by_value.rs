// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Structures that are passed by value, with arrays whose indices are computed: they are read where the arguments are, unless
//! the kernel changes its copy.

use super::{Argument, MODES, compile_in, range, run};

/// The structure: two numbers, an array of five, and another one of three.
const WORDS: usize = 10;

/// A kernel of a structure by value, `%s`, of another, `%t`, a number `%n`, and `%x = p[id]` that differs between items:
/// `q[id] = %r`. `%at` names an element of `%s`, and `%element` is the type of its address.
fn text(variables: &str, body: &str) -> String {
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        OpDecorate %s FuncParamAttr ByVal
        OpDecorate %t FuncParamAttr ByVal
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %l1 = OpConstant %long 1
        %c3 = OpConstant %int 3
        %c5 = OpConstant %int 5
        %i6 = OpConstant %int 6
        %i100 = OpConstant %int 100
        %million = OpConstant %int 100000000
        %c40 = OpConstant %long 40
        %c12 = OpConstant %long 12
        %c28 = OpConstant %long 28
        %c36 = OpConstant %long 36
        %five = OpTypeArray %int %c5
        %three = OpTypeArray %int %c3
        %struct = OpTypeStruct %int %int %five %three
        %by_value = OpTypePointer Function %struct
        %element = OpTypePointer Function %int
        %type = OpTypeFunction %void %global_int %global_int %by_value %by_value %int
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %q = OpFunctionParameter %global_int
        %s = OpFunctionParameter %by_value
        %t = OpFunctionParameter %by_value
        %n = OpFunctionParameter %int
        %start = OpLabel
        {variables}
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %from = OpPtrAccessChain %global_int %p %id
        %x = OpLoad %int %from Aligned 4
        {body}
        %to = OpPtrAccessChain %global_int %q %id
        OpStore %to %r Aligned 4
        OpReturn
        OpFunctionEnd"
    )
}

/// Runs it in all modes. The result is a function of both structures, the number, `x`, and the item.
fn check(what: &str, variables: &str, body: &str, result: fn(&[u32], &[u32], u32, u32, u32) -> u32) {
    let [s, t] = [100, 900].map(|first| (first..).take(WORDS).collect::<Vec<u32>>());
    let [s_bytes, t_bytes] = [&s, &t].map(|all| all.iter().flat_map(|x| x.to_ne_bytes()).collect::<Vec<u8>>());
    for mode in MODES {
        let kernel = compile_in(mode, &text(variables, body));
        for (groups, local, n) in [(2, 32, 1), (3, 13, 2)] {
            let numbers: Vec<u32> = (0..groups as u32 * local as u32).map(|i| i * 7 % 5).collect();
            let mut p: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
            let mut q = vec![0; p.len()];
            let mut arguments = [
                Argument::Memory(&mut p),
                Argument::Memory(&mut q),
                Argument::Bytes(&s_bytes),
                Argument::Bytes(&t_bytes),
                Argument::Value(n.into()),
            ];
            run(&kernel, range([groups, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
            let expected: Vec<u32> = (0..).zip(&numbers).map(|(id, &x)| result(&s, &t, n, x, id)).collect();
            assert_eq!(super::words(&q), expected, "{what}, {mode:?}, groups of {local}");
        }
    }
}

/// With indices that are constant, the same for all items, and different.
#[test]
fn is_read() {
    check(
        "all indices",
        "",
        "%at1 = OpInBoundsAccessChain %element %s %i1
        %first = OpLoad %int %at1 Aligned 4
        %at2 = OpInBoundsAccessChain %element %s %i2 %n
        %second = OpLoad %int %at2 Aligned 4
        %at3 = OpInBoundsAccessChain %element %s %i2 %x
        %third = OpLoad %int %at3 Aligned 4
        %last = OpInBoundsAccessChain %element %s %i3 %n
        %fourth = OpLoad %int %last Aligned 4
        %a = OpIMul %int %second %third
        %b = OpIAdd %int %a %first
        %r = OpBitwiseXor %int %b %fourth",
        |s, _, n, x, _| (s[2 + n as usize] * s[2 + x as usize] + s[1]) ^ s[7 + n as usize],
    );
}

/// Through a variable that is a copy of the copy, and one of a part only.
#[test]
fn is_copied_on() {
    check(
        "copies of copies",
        "%v = OpVariable %by_value Function
        %w = OpVariable %by_value Function",
        "OpCopyMemorySized %v %s %c40 Aligned 4
        %inner = OpInBoundsAccessChain %element %w %i1
        %outer = OpInBoundsAccessChain %element %v %i1
        OpCopyMemorySized %inner %outer %c28 Aligned 4
        %at1 = OpInBoundsAccessChain %element %v %i2 %x
        %a = OpLoad %int %at1 Aligned 4
        %at2 = OpInBoundsAccessChain %element %w %i2 %x
        %b = OpLoad %int %at2 Aligned 4
        %at3 = OpInBoundsAccessChain %element %w %i3 %i0
        %c = OpLoad %int %at3 Aligned 4
        %ab = OpIMul %int %a %b
        %r = OpIAdd %int %ab %c",
        |s, _, _, x, _| s[2 + x as usize] * s[2 + x as usize] + s[7],
    );
}

/// By the kernel, which changes its copy: before it is read, or behind that, for the next round of a loop.
#[test]
fn is_changed() {
    check(
        "an element that an item writes",
        "",
        "%own = OpInBoundsAccessChain %element %s %i2 %x
        OpStore %own %x Aligned 4
        %at = OpInBoundsAccessChain %element %s %i2 %n
        %r = OpLoad %int %at Aligned 4",
        |s, _, n, x, _| if x == n { x } else { s[2 + n as usize] },
    );
    check(
        "a constant element that is not what an index reads",
        "",
        "%own = OpInBoundsAccessChain %element %s %i2 %i1
        OpStore %own %x Aligned 4
        %at = OpInBoundsAccessChain %element %s %i2 %n
        %a = OpLoad %int %at Aligned 4
        %there = OpInBoundsAccessChain %element %s %i2 %x
        %b = OpLoad %int %there Aligned 4
        %r = OpIMul %int %a %b",
        |s, _, n, x, _| {
            let at = |i: u32| if i == 1 { x } else { s[2 + i as usize] };
            at(n) * at(x)
        },
    );
}

/// Elements that are stored: those that are there anyway, and those of another place. A computed index may reach them.
#[test]
fn is_put_together() {
    let body = |from: &str| {
        format!(
            "OpCopyMemorySized %v %s %c28 Aligned 4
            %source = OpInBoundsAccessChain %element %s %i3 %{from}
            %value = OpLoad %int %source Aligned 4
            %last = OpInBoundsAccessChain %element %v %i3 %i1
            OpStore %last %value Aligned 4
            %at1 = OpInBoundsAccessChain %element %v %i2 %x
            %a = OpLoad %int %at1 Aligned 4
            %at2 = OpInBoundsAccessChain %element %v %i3 %i1
            %b = OpLoad %int %at2 Aligned 4
            %at3 = OpInBoundsAccessChain %element %v %i2 %n
            %c = OpLoad %int %at3 Aligned 4
            %is_one = OpIEqual %bool %n %i1
            %which = OpSelect %int %is_one %i6 %i0
            %first = OpInBoundsAccessChain %element %v %i2 %i0
            %at4 = OpInBoundsPtrAccessChain %element %first %which
            %d = OpLoad %int %at4 Aligned 4
            %ab = OpIMul %int %a %b
            %cd = OpIMul %int %c %d
            %r = OpIAdd %int %ab %cd"
        )
    };
    let variable = "%v = OpVariable %by_value Function";
    check("its own element", variable, &body("i1"), |s, _, n, x, _| {
        s[2 + x as usize] * s[8] + s[2 + n as usize] * s[if n == 1 { 8 } else { 2 }]
    });
    check("another element", variable, &body("i2"), |s, _, n, x, _| {
        s[2 + x as usize] * s[9] + s[2 + n as usize] * s[if n == 1 { 9 } else { 2 }]
    });
}

/// Of which a part is another's: an array whose elements are of both, and bytes that are read one by one.
#[test]
fn is_a_part() {
    check(
        "of an array",
        "%v = OpVariable %by_value Function",
        "OpCopyMemorySized %v %s %c36 Aligned 4
        %last = OpInBoundsAccessChain %element %v %i3 %i2
        OpStore %last %x Aligned 4
        %at1 = OpInBoundsAccessChain %element %v %i3 %n
        %a = OpLoad %int %at1 Aligned 4
        %at2 = OpInBoundsAccessChain %element %v %i2 %x
        %b = OpLoad %int %at2 Aligned 4
        %r = OpIMul %int %a %b",
        |s, _, n, x, _| if n == 2 { x } else { s[7 + n as usize] } * s[2 + x as usize],
    );
    check(
        "of all words",
        "%v = OpVariable %by_value Function",
        "OpCopyMemorySized %v %s %c28 Aligned 4
        %last = OpInBoundsAccessChain %element %v %i3 %n
        %first = OpInBoundsAccessChain %element %v %i3 %i0
        %second = OpInBoundsAccessChain %element %v %i3 %i1
        %third = OpInBoundsAccessChain %element %v %i3 %i2
        OpStore %first %x Aligned 4
        OpStore %second %x Aligned 4
        OpStore %third %x Aligned 4
        %words = OpBitcast %element %v
        %two = OpIMul %int %x %i2
        %at = OpPtrAccessChain %element %words %two
        %r = OpLoad %int %at Aligned 4",
        |s, _, _, x, _| if x > 3 { x } else { s[2 * x as usize] },
    );
}

/// By an index whose constant part lies in the array before, and from one array into the next.
#[test]
fn is_read_from_another_array() {
    // Up to 2, and one is subtracted where the address is computed.
    let near = "%odd = OpBitwiseAnd %int %x %i1
        %wide = OpUConvert %long %odd
        %n64 = OpUConvert %long %n
        %behind = OpIAdd %long %wide %n64
        %near = OpISub %long %behind %l1";
    let stores = |array: &str, count: u32| -> String {
        (0..count)
            .map(|i| {
                format!(
                    "%to{i} = OpInBoundsAccessChain %element %v %{array} %i{i}
                    %v{i} = OpIAdd %int %x %i{i}
                    OpStore %to{i} %v{i} Aligned 4\n"
                )
            })
            .collect()
    };
    let variable = "%v = OpVariable %by_value Function";
    let body = |written: &str, count: u32| {
        format!(
            "OpCopyMemorySized %v %s %c40 Aligned 4
            {}
            {near}
            %at1 = OpInBoundsAccessChain %element %v %i3 %near
            %a = OpLoad %int %at1 Aligned 4
            %at2 = OpInBoundsAccessChain %element %v %i2 %x
            %b = OpLoad %int %at2 Aligned 4
            %r = OpIMul %int %a %b",
            stores(written, count)
        )
    };
    check("one that is written", variable, &body("i3", 3), |s, _, n, x, _| {
        (x + (x & 1) + n - 1) * s[2 + x as usize]
    });
    check("one that is not written", variable, &body("i2", 5), |s, _, n, x, _| {
        s[7 + (x & 1) as usize + n as usize - 1] * (2 * x)
    });
    let body = format!(
        "OpCopyMemorySized %v %s %c40 Aligned 4
        {}
        %words = OpBitcast %element %v
        %sum = OpIAdd %int %x %n
        %at = OpPtrAccessChain %element %words %sum
        %next = OpPtrAccessChain %element %at %i3
        %r = OpLoad %int %next Aligned 4",
        stores("i3", 3)
    );
    check("words of both", variable, &body, |s, _, n, x, _| {
        let at = x + n + 3;
        if at >= 7 { x + at - 7 } else { s[at as usize] }
    });
}

/// By no item: the index is far outside.
#[test]
fn is_not_read() {
    check(
        "behind a branch that no item takes",
        "%v = OpVariable %private_int Function",
        "OpStore %v %x Aligned 4
        %takes = OpUGreaterThan %bool %x %i100
        OpSelectionMerge %behind None
        OpBranchConditional %takes %inside %behind
        %inside = OpLabel
        %far = OpIMul %int %n %million
        %at = OpInBoundsAccessChain %element %s %i2 %far
        %y = OpLoad %int %at Aligned 4
        OpStore %v %y Aligned 4
        OpBranch %behind
        %behind = OpLabel
        %r = OpLoad %int %v Aligned 4",
        |_, _, _, x, _| x,
    );
}

/// One of two that are copied to one variable.
#[test]
fn is_chosen() {
    check(
        "both by parts",
        "%v = OpVariable %by_value Function",
        "OpCopyMemorySized %v %s %c28 Aligned 4
        %source = OpInBoundsAccessChain %element %t %i3 %i0
        %sink = OpInBoundsAccessChain %element %v %i3 %i0
        OpCopyMemorySized %sink %source %c12 Aligned 4
        %at1 = OpInBoundsAccessChain %element %v %i2 %x
        %a = OpLoad %int %at1 Aligned 4
        %at2 = OpInBoundsAccessChain %element %v %i3 %n
        %b = OpLoad %int %at2 Aligned 4
        %r = OpIMul %int %a %b",
        |s, t, n, x, _| s[2 + x as usize] * t[7 + n as usize],
    );
    check(
        "a part of the second over the first",
        "%v = OpVariable %by_value Function",
        "OpCopyMemorySized %v %s %c40 Aligned 4
        %source = OpInBoundsAccessChain %element %t %i2 %i1
        %sink = OpInBoundsAccessChain %element %v %i2 %i3
        OpCopyMemorySized %sink %source %c12 Aligned 4
        %at1 = OpInBoundsAccessChain %element %v %i2 %x
        %r = OpLoad %int %at1 Aligned 4",
        |s, t, _, x, _| if x >= 3 { t[x as usize] } else { s[2 + x as usize] },
    );
    let second = |index: &str| {
        format!(
            "OpCopyMemorySized %v %s %c40 Aligned 4
            %is_one = OpIEqual %bool %x %i1
            OpSelectionMerge %behind None
            OpBranchConditional %is_one %other %behind
            %other = OpLabel
            OpCopyMemorySized %v %t %c40 Aligned 4
            OpBranch %behind
            %behind = OpLabel
            %at = OpInBoundsAccessChain %element %v %i2 %{index}
            %r = OpLoad %int %at Aligned 4"
        )
    };
    let variable = "%v = OpVariable %by_value Function";
    check("the second", variable, &second("n"), |s, t, n, x, _| {
        let from = if x == 1 { t } else { s };
        from[2 + n as usize]
    });
    check("an element of the second", variable, &second("i3"), |s, t, _, x, _| {
        let from = if x == 1 { t } else { s };
        from[5]
    });
    check(
        "by its address",
        "",
        "%is_one = OpIEqual %bool %x %i1
        %which = OpSelect %by_value %is_one %t %s
        %at = OpInBoundsAccessChain %element %which %i2 %n
        %r = OpLoad %int %at Aligned 4",
        |s, t, n, x, _| if x == 1 { t } else { s }[2 + n as usize],
    );
}
