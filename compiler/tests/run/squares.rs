// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Squares of numbers and of their negations, with factors of both signs: the vectorizer moves the signs.

use super::{Argument, MODES, compile_in, range, run};

/// What a value of the argument is.
type Value = fn(f32) -> f32;

/// Values made of `%x` and of those before them. Those with a function are results. The others have one user each, but `%n`:
/// where a factor is needed anyway, the vectorizer leaves the square as it is.
const VALUES: [(&str, &str, Option<Value>); 11] = [
    ("n", "OpFNegate %float %x", None),
    ("a", "OpFMul %float %n %x", Some(|x| -x * x)),
    ("b", "OpFMul %float %n %n", Some(|x| x * x)),
    ("scaled_c", "OpFMul %float %less %x", None),
    ("c", "OpFMul %float %scaled_c %x", Some(|x| -0.3 * x * x)),
    ("scaled_d", "OpFMul %float %less %n", None),
    ("d", "OpFMul %float %scaled_d %n", Some(|x| -0.3 * x * x)),
    ("scaled_e", "OpFMul %float %more %n", None),
    ("e", "OpFMul %float %x %scaled_e", Some(|x| -(1.7 * x * x))),
    ("scaled_f", "OpFMul %float %most %n", None),
    ("f", "OpFMul %float %n %scaled_f", Some(|x| 2.3 * x * x)),
];

#[test]
fn signs_of_squares() {
    let results = || VALUES.iter().filter_map(|value| value.2);
    let count = results().count();
    let (mut constants, mut code) = (String::new(), String::new());
    let mut offset = 0;
    for (name, instruction, result) in VALUES {
        code += &format!("%{name} = {instruction}\n");
        if result.is_some() {
            constants += &format!("%offset_{name} = OpConstant %long {offset}\n");
            code += &format!(
                "%place_{name} = OpIAdd %long %base %offset_{name}
                %to_{name} = OpPtrAccessChain %global_float %q %place_{name}
                OpStore %to_{name} %{name} Aligned 4\n"
            );
            offset += 1;
        }
    }
    let text = format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %less = OpConstant %float -0.3
        %more = OpConstant %float 1.7
        %most = OpConstant %float 2.3
        %count = OpConstant %long {count}
        {constants}
        %type = OpTypeFunction %void %global_float %global_float
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_float
        %q = OpFunctionParameter %global_float
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %from = OpPtrAccessChain %global_float %p %id
        %x = OpLoad %float %from Aligned 4
        %base = OpIMul %long %id %count
        {code}
        OpReturn
        OpFunctionEnd"
    );
    let numbers: Vec<f32> = (0..64).map(|i| (i as f32 - 31.5) * 0.37).collect();
    let expected: Vec<f32> = numbers
        .iter()
        .flat_map(|&x| results().map(move |value| value(x)))
        .collect();
    for mode in MODES {
        let kernel = compile_in(mode, &text);
        let mut from: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
        let mut to = vec![0; 4 * expected.len()];
        run(
            &kernel,
            range([4, 1, 1], [16, 1, 1]),
            &mut [Argument::Memory(&mut from), Argument::Memory(&mut to)],
        )
        .unwrap();
        let results: Vec<_> = to
            .chunks(4)
            .map(|x| f32::from_ne_bytes(x.try_into().unwrap()))
            .collect();
        assert_eq!(results, expected, "{mode:?}");
    }
}
