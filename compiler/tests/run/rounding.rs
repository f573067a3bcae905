// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Numbers that are rounded to integers, in scalar code as in vectors.

use super::{Argument, MODES, compile_in, range, run};

/// `q[gid] = convert_INT(p[gid])`. The instructions make `%r` of `%x`.
fn text(float: &str, int: &str, instructions: &str) -> String {
    let decoration = match instructions.contains("OpExtInst") {
        true => "",
        false => "OpDecorate %r FPRoundingMode RTE",
    };
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        {decoration}
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %from_pointer = OpTypePointer CrossWorkgroup %{float}
        %type = OpTypeFunction %void %from_pointer %global_{int}
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %from_pointer
        %q = OpFunctionParameter %global_{int}
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %from = OpPtrAccessChain %from_pointer %p %id
        %x = OpLoad %{float} %from
        {instructions}
        %to = OpPtrAccessChain %global_{int} %q %id
        OpStore %to %r
        OpReturn
        OpFunctionEnd"
    )
}

/// The bytes of some numbers of 0 to 127 with fractions, and what they are when they are rounded to even.
fn numbers(float: &str) -> (Vec<u8>, Vec<i64>) {
    let numbers = (0..508).map(|i| f64::from(i) / 4.0);
    let bytes = |x: f64| match float {
        "double" => x.to_ne_bytes().to_vec(),
        "float" => (x as f32).to_ne_bytes().to_vec(),
        // They have 9 bits, so a half holds them.
        _ if x == 0.0 => vec![0; 2],
        _ => {
            let bits = x.to_bits();
            let exponent = (bits >> 52) as u16 + 15 - 1023;
            (exponent << 10 | (bits >> 42) as u16 & 0x3ff).to_ne_bytes().to_vec()
        }
    };
    let rounded = numbers.clone().map(|x| x.round_ties_even() as i64).collect();
    (numbers.flat_map(bytes).collect(), rounded)
}

#[test]
fn to_the_nearest_even() {
    for float in ["half", "float", "double"] {
        let (mut from, expected) = numbers(float);
        for (int, size) in [("char", 1), ("short", 2), ("int", 4), ("long", 8)] {
            for instructions in [
                format!("%r = OpConvertFToS %{int} %x"),
                format!("%r = OpConvertFToU %{int} %x"),
                format!("%whole = OpExtInst %{float} %cl rint %x\n%r = OpConvertFToS %{int} %whole"),
                format!("%whole = OpExtInst %{float} %cl rint %x\n%r = OpConvertFToU %{int} %whole"),
            ] {
                let text = text(float, int, &instructions);
                for mode in MODES {
                    let kernel = compile_in(mode, &text);
                    // Groups that fill all lanes, and one item at a time.
                    for local in [64, 127, 4] {
                        let mut to = vec![0; expected.len() * size];
                        let groups = expected.len() as u64 / local;
                        let mut arguments = [Argument::Memory(&mut from), Argument::Memory(&mut to)];
                        run(&kernel, range([groups, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
                        for (i, &wanted) in expected.iter().enumerate().take((groups * local) as usize) {
                            let mut bytes = [0; 8];
                            bytes[..size].copy_from_slice(&to[i * size..][..size]);
                            let found = i64::from_ne_bytes(bytes);
                            assert_eq!(
                                found,
                                wanted,
                                "{} of {float}, {mode:?}:\n{instructions}",
                                i as f64 / 4.0
                            );
                        }
                    }
                }
            }
        }
    }
}
