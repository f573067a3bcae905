// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Casts of generic pointers to a storage class: of an address that lanes share, and of one for each, in local and in global memory.

use super::{MODES, compile_in, tile};

/// What an item writes: a bit for each cast that is not null, and what it loads through two of those.
const BODY: &str = "%at_p = OpPtrAccessChain %global_int %p %id
    %head = OpAccessChain %local_int %tile %l0
    %p_there = OpPtrCastToGeneric %generic_int %at_p
    %p_all = OpPtrCastToGeneric %generic_int %p
    %place_there = OpPtrCastToGeneric %generic_int %place
    %head_there = OpPtrCastToGeneric %generic_int %head
    %x = OpLoad %int %at_p Aligned 4
    %lowest = OpBitwiseAnd %int %x %i1
    %is_odd = OpINotEqual %bool %lowest %i0
    %either = OpSelect %generic_int %is_odd %place_there %p_there
    %local_either = OpGenericCastToPtrExplicit %local_int %either Workgroup
    %global_either = OpGenericCastToPtrExplicit %global_int %either CrossWorkgroup
    %local_head = OpGenericCastToPtrExplicit %local_int %head_there Workgroup
    %global_head = OpGenericCastToPtrExplicit %global_int %head_there CrossWorkgroup
    %local_p = OpGenericCastToPtrExplicit %local_int %p_all Workgroup
    %global_p = OpGenericCastToPtrExplicit %global_int %p_all CrossWorkgroup
    %bits_0 = OpConvertPtrToU %long %local_either
    %bits_1 = OpConvertPtrToU %long %global_either
    %bits_2 = OpConvertPtrToU %long %local_head
    %bits_3 = OpConvertPtrToU %long %global_head
    %bits_4 = OpConvertPtrToU %long %local_p
    %bits_5 = OpConvertPtrToU %long %global_p
    %is_0 = OpINotEqual %bool %bits_0 %l0
    %is_1 = OpINotEqual %bool %bits_1 %l0
    %is_2 = OpINotEqual %bool %bits_2 %l0
    %is_3 = OpINotEqual %bool %bits_3 %l0
    %is_4 = OpINotEqual %bool %bits_4 %l0
    %is_5 = OpINotEqual %bool %bits_5 %l0
    %bit_0 = OpSelect %int %is_0 %i1 %i0
    %bit_1 = OpSelect %int %is_1 %i2 %i0
    %bit_2 = OpSelect %int %is_2 %i4 %i0
    %bit_3 = OpSelect %int %is_3 %i8 %i0
    %bit_4 = OpSelect %int %is_4 %i16 %i0
    %bit_5 = OpSelect %int %is_5 %i32 %i0
    %or_1 = OpBitwiseOr %int %bit_0 %bit_1
    %or_2 = OpBitwiseOr %int %or_1 %bit_2
    %or_3 = OpBitwiseOr %int %or_2 %bit_3
    %or_4 = OpBitwiseOr %int %or_3 %bit_4
    %or_5 = OpBitwiseOr %int %or_4 %bit_5
    %global_own = OpGenericCastToPtrExplicit %global_int %p_there CrossWorkgroup
    %local_own = OpGenericCastToPtrExplicit %local_int %place_there Workgroup
    OpStore %local_own %x Aligned 4
    %y = OpLoad %int %local_own Aligned 4
    %z = OpLoad %int %global_own Aligned 4
    %first = OpLoad %int %global_p Aligned 4
    %sum_1 = OpIAdd %int %y %z
    %sum_2 = OpIAdd %int %sum_1 %first
    %i8_of = OpShiftLeftLogical %int %sum_2 %i8
    %result = OpIAdd %int %i8_of %or_5";

#[test]
fn explicit_casts() {
    let numbers: Vec<u32> = (0..80u32).map(|i| i * i / 3 + 5).collect();
    let expected: Vec<u32> = numbers
        .iter()
        .map(|x| ((2 * x + numbers[0]) << 8) + if x % 2 == 1 { 0b10_0101 } else { 0b10_0110 })
        .collect();
    for mode in MODES {
        let kernel = compile_in(
            mode,
            &tile::text("%l0 = OpConstant %long 0\n%i32 = OpConstant %int 32", BODY, ""),
        );
        assert_eq!(tile::results(&kernel, &numbers, 40), expected, "{mode:?}");
    }
}
