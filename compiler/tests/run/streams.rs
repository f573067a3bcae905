// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Launches that write more than caches hold: stores go past them where they are aligned.

use oxur_compiler::{Mode, Options};

use super::{Argument, Line, compile, range, run, words};

/// `out[id] = in[id & 1023] + id` of a type.
fn kernel(ty: &str) -> String {
    "
        OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %low = OpConstant %long 1023
        %type = OpTypeFunction %void %global_TYPE %global_TYPE
        %kernel = OpFunction %void None %type
        %out = OpFunctionParameter %global_TYPE
        %in = OpFunctionParameter %global_TYPE
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %number = OpUCONVERT %TYPE %id
        %from = OpBitwiseAnd %long %id %low
        %in_to = OpPtrAccessChain %global_TYPE %in %from
        %value = OpLoad %TYPE %in_to Aligned BYTES
        %sum = OpIAdd %TYPE %value %number
        %to = OpPtrAccessChain %global_TYPE %out %id
        OpStore %to %sum Aligned BYTES
        OpReturn
        OpFunctionEnd
    "
    .replace("OpUCONVERT", if ty == "long" { "OpCopyObject" } else { "OpUConvert" })
    .replace("TYPE", ty)
    .replace("BYTES", if ty == "long" { "8" } else { "4" })
}

/// Runs the kernel with an output that begins at `offset` words of 32 bits behind an aligned address.
fn check(ty: &str, local_size: u64, offset: usize) {
    let words_of_item = if ty == "long" { 2 } else { 1 };
    let items = (33 << 18) / words_of_item / local_size * local_size;
    let kernel = compile(
        &kernel(ty),
        &Options {
            mode: Mode::Fast,
            ..Options::default()
        },
    );
    let input: Vec<u8> = (0..1024 * words_of_item as u32)
        .flat_map(|i| (i % 7).to_ne_bytes())
        .collect();
    let size = 4 * (items * words_of_item) as usize;
    let mut memory = vec![Line([0xee; 128]); size.div_ceil(128) + 2];
    let all = Line::bytes(&mut memory, size + 256);
    let mut input = input;
    run(
        &kernel,
        range([items / local_size, 1, 1], [local_size, 1, 1]),
        &mut [
            Argument::Memory(&mut all[4 * offset..][..size]),
            Argument::Memory(&mut input),
        ],
    )
    .unwrap();
    let input = words(&input);
    let expected = |i: u64| -> u64 {
        let k = (i & 1023) as usize * words_of_item as usize;
        let high = if words_of_item == 2 { input[k + 1] } else { 0 };
        (u64::from(high) << 32 | u64::from(input[k])) + i
    };
    let written = words(&all[4 * offset..][..size]);
    for i in 0..items {
        let at = (i * words_of_item) as usize;
        let high = if words_of_item == 2 { written[at + 1] } else { 0 };
        let is = u64::from(high) << 32 | u64::from(written[at]);
        assert_eq!(
            is,
            expected(i),
            "item {i} of {ty}, groups of {local_size}, {offset} words off"
        );
    }
    let outside = all[..4 * offset].iter().chain(&all[4 * offset + size..]);
    assert!(outside.into_iter().all(|byte| *byte == 0xee), "it wrote beyond the end");
}

#[test]
fn stores_past_the_caches() {
    for (ty, local_size, offset) in [("int", 256, 0), ("int", 80, 3), ("long", 100, 2)] {
        check(ty, local_size, offset);
    }
}
