// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Numbers that are rounded to integers, or saturate, in scalar code as in vectors.

use super::{Argument, MODES, compile_in, range, run};

/// `q[gid] = convert_INT(p[gid])`. The instructions make `%r` of `%x`.
fn text(float: &str, int: &str, instructions: &str) -> String {
    let decoration = match instructions {
        _ if instructions.contains("OpExtInst") => "",
        _ if instructions.contains("saturated") => "OpDecorate %r SaturatedConversion",
        _ => "OpDecorate %r FPRoundingMode RTE",
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

/// The number of a half's bits.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 0 { size } else { -size }
}

/// The bytes of numbers of a type, and the numbers: all halfs, or those around the limits of each type of integers.
fn around_limits(float: &str) -> (Vec<u8>, Vec<f64>) {
    if float == "half" {
        let all = 0..=u16::MAX;
        return (
            all.clone().flat_map(u16::to_ne_bytes).collect(),
            all.map(half).collect(),
        );
    }
    let mut sizes = vec![0.0, 1e-310, 0.5, 0.999, 1.0, 1.5, f64::INFINITY, f64::NAN];
    for bits in [7, 8, 15, 16, 31, 32, 63, 64] {
        let end = 2f64.powi(bits);
        // The neighbours of either type, too.
        let float = end as f32;
        sizes.extend([end - 1.0, end - 0.5, end, end + 0.5, end + 1.0]);
        sizes.extend([end.next_down(), end.next_up()]);
        sizes.extend([float.next_down(), float.next_up()].map(f64::from));
    }
    let numbers = sizes.into_iter().flat_map(|size| [size, -size]);
    if float == "double" {
        let numbers: Vec<f64> = numbers.collect();
        return (numbers.iter().copied().flat_map(f64::to_ne_bytes).collect(), numbers);
    }
    let numbers: Vec<f32> = numbers.map(|x| x as f32).collect();
    let bytes = numbers.iter().copied().flat_map(f32::to_ne_bytes).collect();
    (bytes, numbers.into_iter().map(f64::from).collect())
}

#[test]
fn to_what_an_integer_holds() {
    // What Rust's `as` does is the same.
    type Convert = fn(f64) -> i64;
    let integers: [(&str, usize, Convert, Convert); 4] = [
        ("char", 1, |x| (x as i8).into(), |x| (x as u8).into()),
        ("short", 2, |x| (x as i16).into(), |x| (x as u16).into()),
        ("int", 4, |x| (x as i32).into(), |x| (x as u32).into()),
        ("long", 8, |x| x as i64, |x| (x as u64).cast_signed()),
    ];
    for float in ["half", "float", "double"] {
        let (mut from, numbers) = around_limits(float);
        for (int, size, signed, unsigned) in integers {
            for (op, convert) in [("OpConvertFToS", signed), ("OpConvertFToU", unsigned)] {
                let text = text(float, int, &format!("%r = {op} %{int} %x ; saturated"));
                for mode in MODES {
                    let kernel = compile_in(mode, &text);
                    // All lanes, and some of them.
                    for local in [numbers.len().min(1024) as u64, 7] {
                        let mut to = vec![0; numbers.len() * size];
                        let groups = numbers.len() as u64 / local;
                        let mut arguments = [Argument::Memory(&mut from), Argument::Memory(&mut to)];
                        run(&kernel, range([groups, 1, 1], [local, 1, 1]), &mut arguments).unwrap();
                        for (i, &number) in numbers.iter().enumerate().take((groups * local) as usize) {
                            assert_eq!(
                                to[i * size..][..size],
                                convert(number).to_ne_bytes()[..size],
                                "{op} of {number} ({float}) to {int}, {mode:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}
