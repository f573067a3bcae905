// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Floating-point numbers of integers of 64 bits that are short by what they are made of, and of such that just are not.

use super::{Argument, MODES, bytes, compile_in, range, run};

/// Writes a number made of an item's word, `x`, and its id.
const KERNEL: &str = "
        OpEntryPoint Kernel %kernel \"k\" %global_id %local_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        OpDecorate %local_id BuiltIn LocalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %local_id = OpVariable %input_long3 Input
        %l0 = OpConstant %long 0
        %l1 = OpConstant %long 1
        %l2 = OpConstant %long 2
        %l16 = OpConstant %long 16
        %l33 = OpConstant %long 33
        %l_low = OpConstant %long 0x7fffffff
        %l_more = OpConstant %long 0x80000001
        %l_far = OpConstant %long 0x7fffff00
        %type = OpTypeFunction %void %global_double %global_int
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_double
        %in = OpFunctionParameter %global_int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %own_ids = OpLoad %long3 %local_id
        %own = OpCompositeExtract %long %own_ids 0
        %from = OpPtrAccessChain %global_int %in %id
        %word = OpLoad %int %from Aligned 4
        %x = OpUConvert %long %word
        %low = OpBitwiseAnd %long %x %l_low
        %high = OpShiftRightLogical %long %x %l16
        %is_high = OpINotEqual %bool %x %low
        NUMBER
        %result = CONVERT %double %number
        %to = OpPtrAccessChain %global_double %out %id
        OpStore %to %result Aligned 8
        OpReturn
        OpFunctionEnd
        ";

/// Expressions with the same in Rust, where `x` is the word and `own` the item's place in its group.
type Form = (&'static str, fn(u64, u64) -> u64);

const FORMS: [Form; 17] = [
    ("OpCopyObject %long %x", |x, _| x),
    ("OpCopyObject %long %low", |x, _| x & 0x7fff_ffff),
    ("OpShiftRightLogical %long %x %l1", |x, _| x >> 1),
    ("OpIAdd %long %low %l1", |x, _| (x & 0x7fff_ffff) + 1),
    ("OpIAdd %long %own %x", |x, own| own + x),
    ("OpIAdd %long %low %low", |x, _| (x & 0x7fff_ffff) * 2),
    ("OpIMul %long %high %high", |x, _| (x >> 16) * (x >> 16)),
    ("OpIMul %long %high %x", |x, _| (x >> 16) * x),
    ("OpIMul %long %x %l_more", |x, _| x * 0x8000_0001),
    ("OpShiftLeftLogical %long %high %l16", |x, _| x >> 16 << 16),
    ("OpShiftLeftLogical %long %x %l33", |x, _| x << 33),
    ("OpBitwiseOr %long %own %x", |x, own| own | x),
    ("OpBitwiseXor %long %low %l2", |x, _| (x & 0x7fff_ffff) ^ 2),
    ("OpUMod %long %x %l_more", |x, _| x % 0x8000_0001),
    ("OpUDiv %long %x %l2", |x, _| x / 2),
    (
        "OpSelect %long %is_high %x %own",
        |x, own| if x > 0x7fff_ffff { x } else { own },
    ),
    ("OpIMul %long %own %l_far", |_, own| own * 0x7fff_ff00),
];

#[test]
fn numbers_of_31_bits_and_more() {
    let corners = [
        0,
        1,
        2,
        0x7fff_fffe,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0x8000_0002,
        0xffff_fffe,
        u32::MAX,
    ];
    let words = (0..110u32).map(|i| match corners.get(i as usize / 3) {
        Some(&corner) => corner,
        None => i.wrapping_mul(2_654_435_761),
    });
    let words: Vec<u32> = words.collect();
    for (form, of) in FORMS {
        for (convert, is_signed) in [("OpConvertUToF", false), ("OpConvertSToF", true)] {
            let text = KERNEL
                .replace("NUMBER", &format!("%number = {form}"))
                .replace("CONVERT", convert);
            let number = |(i, &word): (usize, &u32)| {
                let number = of(word.into(), i as u64 % 11);
                if is_signed { number as i64 as f64 } else { number as f64 }
            };
            let expected: Vec<u8> = (words.iter().enumerate())
                .flat_map(|of| number(of).to_ne_bytes())
                .collect();
            for mode in MODES {
                let kernel = compile_in(mode, &text);
                let mut memory = bytes(&words);
                let mut out = vec![0xff; 8 * words.len()];
                let arguments = &mut [Argument::Memory(&mut out), Argument::Memory(&mut memory)];
                run(&kernel, range([10, 1, 1], [11, 1, 1]), arguments).unwrap();
                assert!(out == expected, "{convert} of {form}, {mode:?}");
            }
        }
    }
}
