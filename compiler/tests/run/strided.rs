// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Accesses at constant strides that are done together, and what stands between them: they must have the results that they
//! have one after the other.

use super::{Argument, MODES, compile_in, range, run, words};

/// What a kernel does with `%p` and `%r`, and for one item by itself: it changes `p` and returns what goes to `q[id]`.
struct Form {
    what: &'static str,
    body: &'static str,
    item: fn(id: usize, p: &mut [u32], r: &[u32]) -> u32,
}

const FORMS: [Form; 9] = [
    Form {
        what: "a load of what was stored, between stores",
        body: "%next = OpIAdd %long %two %l1
            %first = OpPtrAccessChain %global_int %p %two
            %second = OpPtrAccessChain %global_int %p %next
            %also_two = OpIAdd %long %two %zero
            %also_first = OpPtrAccessChain %global_int %p %also_two
            %from = OpPtrAccessChain %global_int %r %id
            %x = OpLoad %int %from Aligned 4
            OpStore %first %x Aligned 4
            %result = OpLoad %int %also_first Aligned 4
            OpStore %second %i3 Aligned 4",
        item: |id, p, r| {
            (p[2 * id], p[2 * id + 1]) = (r[id], 3);
            r[id]
        },
    },
    Form {
        what: "a store between loads",
        body: "%next = OpIAdd %long %two %l1
            %first = OpPtrAccessChain %global_int %p %two
            %second = OpPtrAccessChain %global_int %p %next
            %also_next = OpIAdd %long %next %zero
            %also_second = OpPtrAccessChain %global_int %p %also_next
            %from = OpPtrAccessChain %global_int %r %id
            %x = OpLoad %int %from Aligned 4
            %before = OpLoad %int %first Aligned 4
            OpStore %also_second %x Aligned 4
            %after = OpLoad %int %second Aligned 4
            %after3 = OpIMul %int %after %i3
            %result = OpIAdd %int %before %after3",
        item: |id, p, r| {
            p[2 * id + 1] = r[id];
            p[2 * id].wrapping_add(r[id].wrapping_mul(3))
        },
    },
    Form {
        what: "some items go downwards, by an index without a sign",
        body: "%narrow = OpUConvert %int %id
            %i = OpISub %int %c80 %narrow
            %wide = OpUConvert %long %i
            %place = OpPtrAccessChain %global_int %p %wide
            %from = OpPtrAccessChain %global_int %r %id
            %x = OpLoad %int %from Aligned 4
            %low = OpBitwiseAnd %int %x %i3
            %is_some = OpIEqual %bool %low %i1
            OpBranchConditional %is_some %yes %done
            %yes = OpLabel
            %y = OpLoad %int %place Aligned 4
            %more = OpIAdd %int %y %x
            OpStore %place %more Aligned 4
            OpBranch %done
            %done = OpLabel
            %result = OpPhi %int %x %start %y %yes",
        item: |id, p, r| match r[id] {
            x if x & 3 == 1 => {
                let y = p[80 - id];
                p[80 - id] = y.wrapping_add(x);
                y
            }
            x => x,
        },
    },
    Form {
        what: "one by one and downwards, numbers that go up by two",
        body: "%narrow = OpUConvert %int %id
            %twice = OpIMul %int %narrow %i2
            %i = OpISub %long %l80 %id
            %place = OpPtrAccessChain %global_int %p %i
            %result = OpLoad %int %place Volatile
            OpStore %place %twice Volatile",
        item: |id, p, _| std::mem::replace(&mut p[80 - id], 2 * id as u32),
    },
    Form {
        what: "by two indices",
        body: "%i = OpIAdd %long %two %n
            %j = OpIAdd %long %two %m
            %at_i = OpPtrAccessChain %global_int %p %i
            %at_j = OpPtrAccessChain %global_int %p %j
            %x = OpLoad %int %at_i Aligned 4
            %y = OpLoad %int %at_j Aligned 4
            %y3 = OpIMul %int %y %i3
            %result = OpIAdd %int %x %y3",
        item: |id, p, _| p[2 * id + N].wrapping_add(p[2 * id + M].wrapping_mul(3)),
    },
    Form {
        what: "by ids times numbers that are known at run time",
        body: "%factor = OpISub %long %n %l3
            %other_factor = OpISub %long %n %l2
            %i = OpIMul %long %id %factor
            %j = OpIMul %long %other_factor %id
            %at_i = OpPtrAccessChain %global_int %p %i
            %at_j = OpPtrAccessChain %global_int %p %j
            %x = OpLoad %int %at_i Aligned 4
            %y = OpLoad %int %at_j Aligned 4
            %y3 = OpIMul %int %y %i3
            %result = OpIAdd %int %x %y3",
        item: |id, p, _| p[(N - 3) * id].wrapping_add(p[(N - 2) * id].wrapping_mul(3)),
    },
    Form {
        what: "two stores to one place",
        body: "%next = OpIAdd %long %two %l1
            %first = OpPtrAccessChain %global_int %p %two
            %second = OpPtrAccessChain %global_int %p %next
            %from = OpPtrAccessChain %global_int %r %id
            %result = OpLoad %int %from Aligned 4
            %more = OpIAdd %int %result %i1
            %most = OpIAdd %int %result %i2
            OpStore %first %result Aligned 4
            OpStore %second %more Aligned 4
            OpStore %first %most Aligned 4",
        item: |id, p, r| {
            p[2 * id] = r[id].wrapping_add(2);
            p[2 * id + 1] = r[id].wrapping_add(1);
            r[id]
        },
    },
    Form {
        what: "a copy between loads",
        body: "%four = OpIMul %long %id %l4
            %four1 = OpIAdd %long %four %l1
            %four2 = OpIAdd %long %four %l2
            %four3 = OpIAdd %long %four %l3
            %at0 = OpPtrAccessChain %global_int %p %four
            %at1 = OpPtrAccessChain %global_int %p %four1
            %at2 = OpPtrAccessChain %global_int %p %four2
            %at3 = OpPtrAccessChain %global_int %p %four3
            %from = OpPtrAccessChain %global_int %r %four
            %x0 = OpLoad %int %at0 Aligned 4
            %x1 = OpLoad %int %at1 Aligned 4
            OpCopyMemorySized %at0 %from %l16 Aligned 4
            %x2 = OpLoad %int %at2 Aligned 4
            %x3 = OpLoad %int %at3 Aligned 4
            %sum1 = OpIAdd %int %x0 %x1
            %sum2 = OpIAdd %int %x2 %x3
            %sum2_3 = OpIMul %int %sum2 %i3
            %result = OpIAdd %int %sum1 %sum2_3",
        item: |id, p, r| {
            let before = p[4 * id].wrapping_add(p[4 * id + 1]);
            p[4 * id..4 * id + 4].copy_from_slice(&r[4 * id..4 * id + 4]);
            before.wrapping_add(p[4 * id + 2].wrapping_add(p[4 * id + 3]).wrapping_mul(3))
        },
    },
    Form {
        what: "an atomic operation between loads",
        body: "%next = OpIAdd %long %two %l1
            %first = OpPtrAccessChain %global_int %p %two
            %second = OpPtrAccessChain %global_int %p %next
            %x = OpLoad %int %first Aligned 4
            %old = OpAtomicIAdd %int %second %i1 %i0 %i8
            %y = OpLoad %int %second Aligned 4
            %y3 = OpIMul %int %y %i3
            %sum = OpIAdd %int %x %y3
            %result = OpIAdd %int %sum %old",
        item: |id, p, _| {
            let (x, old) = (p[2 * id], p[2 * id + 1]);
            p[2 * id + 1] = old.wrapping_add(8);
            x.wrapping_add(p[2 * id + 1].wrapping_mul(3)).wrapping_add(old)
        },
    },
];

/// What the kernels get as `%n` and `%m`. `%zero` is what they are further apart than 13, which LLVM does not know.
const N: usize = 5;
const M: usize = 18;

fn text(body: &str) -> String {
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %l1 = OpConstant %long 1
        %l2 = OpConstant %long 2
        %l3 = OpConstant %long 3
        %l4 = OpConstant %long 4
        %l13 = OpConstant %long 13
        %l16 = OpConstant %long 16
        %c80 = OpConstant %int 80
        %l80 = OpConstant %long 80
        %type = OpTypeFunction %void %global_int %global_int %global_int %long %long
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_int
        %q = OpFunctionParameter %global_int
        %r = OpFunctionParameter %global_int
        %n = OpFunctionParameter %long
        %m = OpFunctionParameter %long
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %two = OpIMul %long %id %l2
        %difference = OpISub %long %m %n
        %zero = OpISub %long %difference %l13
        %at = OpPtrAccessChain %global_int %q %id
        {body}
        OpStore %at %result Aligned 4
        OpReturn
        OpFunctionEnd"
    )
}

#[test]
fn what_is_between_accesses() {
    let bytes = |numbers: &[u32]| numbers.iter().flat_map(|x| x.to_ne_bytes()).collect::<Vec<u8>>();
    for form in FORMS {
        for mode in MODES {
            let kernel = compile_in(mode, &text(form.body));
            for (groups, local) in [(2, 32), (3, 13)] {
                let items = (groups * local) as usize;
                let mut numbers: Vec<u32> = (0..4 * items as u32 + 32).map(|i| i * i * 7 + i / 5).collect();
                let others: Vec<u32> = numbers.iter().map(|x| x ^ 0x5555).collect();
                let (mut p, mut q, mut r) = (bytes(&numbers), vec![0; 4 * items], bytes(&others));
                let mut arguments = [
                    Argument::Memory(&mut p),
                    Argument::Memory(&mut q),
                    Argument::Memory(&mut r),
                    Argument::Value(N as u64),
                    Argument::Value(M as u64),
                ];
                run(&kernel, range([groups, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
                let results: Vec<u32> = (0..items).map(|id| (form.item)(id, &mut numbers, &others)).collect();
                assert_eq!(words(&q), results, "{}, {mode:?}, groups of {local}", form.what);
                assert_eq!(words(&p), numbers, "{}, {mode:?}, groups of {local}", form.what);
            }
        }
    }
}
