// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Mathematical functions of constants. LLVM must not compute them when it compiles: it does so in the best code only, by other
//! functions than those that kernels call. [`run`] compares the tiers bit by bit. Chains of calls that make a kernel huge.

use std::fmt::Write as _;

use oxur_compiler::Mode;

use super::{Argument, compile_in, range, run};

const FUNCTIONS: [&str; 17] = [
    "acos", "asin", "atan", "cbrt", "cos", "cosh", "exp", "exp10", "exp2", "expm1", "log", "log10", "log1p", "log2",
    "sin", "sinh", "tan",
];

/// Numbers that all of the functions are defined for.
const NUMBERS: usize = 64;

/// `q[i] = f(c)` for some numbers c, or `q[i] = pow(c, exponent)`; `i` is the number's.
fn text(float: &str, function: &str) -> String {
    let mut constants = String::new();
    let mut body = String::new();
    for i in 0..NUMBERS {
        let number = (i + 1) as f64 / (NUMBERS + 3) as f64;
        let more = if function == "pow" { " %exponent" } else { "" };
        writeln!(
            constants,
            "%c{i} = OpConstant %{float} {number}\n%n{i} = OpConstant %long {i}"
        )
        .unwrap();
        writeln!(
            body,
            "%r{i} = OpExtInst %{float} %cl {function} %c{i}{more}
            %to{i} = OpPtrAccessChain %to_pointer %q %n{i}
            OpStore %to{i} %r{i}"
        )
        .unwrap();
    }
    format!(
        "OpEntryPoint Kernel %kernel \"k\"
        {constants}
        %exponent = OpConstant %{float} 1.5
        %to_pointer = OpTypePointer CrossWorkgroup %{float}
        %type = OpTypeFunction %void %to_pointer
        %kernel = OpFunction %void None %type
        %q = OpFunctionParameter %to_pointer
        %start = OpLabel
        {body}
        OpReturn
        OpFunctionEnd"
    )
}

#[test]
fn constants_are_no_exception() {
    for float in ["float", "double"] {
        for function in FUNCTIONS.into_iter().chain(["pow"]) {
            let kernel = compile_in(Mode::Fast, &text(float, function));
            let size = if float == "float" { 4 } else { 8 };
            let mut q = vec![0; NUMBERS * size];
            run(&kernel, range([1; 3], [1; 3]), &mut [Argument::Memory(&mut q)]).unwrap();
            // None of the functions is zero at any of the numbers.
            let zero = q.chunks(size).position(|number| number.iter().all(|&byte| byte == 0));
            assert_eq!(zero, None, "{function} of {float}");
        }
    }
}

/// `q[i] = pow(p[i], 2)`, which is a square in all tiers.
#[test]
fn squares() {
    let text = "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %two = OpConstant %double 2
        %pointer = OpTypePointer CrossWorkgroup %double
        %type = OpTypeFunction %void %pointer
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %pointer
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %at = OpPtrAccessChain %pointer %p %id
        %x = OpLoad %double %at
        %y = OpExtInst %double %cl pow %x %two
        OpStore %at %y
        OpReturn
        OpFunctionEnd";
    let numbers: Vec<f64> = (0..48).map(|i| f64::from(i).mul_add(0.37, -5.1)).collect();
    for mode in super::MODES {
        let kernel = compile_in(mode, text);
        let mut p: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
        run(&kernel, range([2, 1, 1], [24, 1, 1]), &mut [Argument::Memory(&mut p)]).unwrap();
        let squares: Vec<u8> = numbers.iter().flat_map(|x| (x * x).to_ne_bytes()).collect();
        assert!(p == squares, "{mode:?}");
    }
}

/// Each item's own number: where lanes call a function of fewer lanes, several times.
#[test]
fn of_many_numbers() {
    type Named = (&'static str, fn(f64) -> f64);
    let functions: [Named; 5] = [
        ("sin", f64::sin),
        ("exp", f64::exp),
        ("log", f64::ln),
        ("cbrt", f64::cbrt),
        ("tan", f64::tan),
    ];
    for (name, function) in functions {
        for (float, error) in [("float", 1e-6), ("double", 1e-14)] {
            let text = format!(
                "OpEntryPoint Kernel %kernel \"k\" %global_id
                OpDecorate %global_id BuiltIn GlobalInvocationId
                %input_long3 = OpTypePointer Input %long3
                %global_id = OpVariable %input_long3 Input
                %type = OpTypeFunction %void %global_double
                %kernel = OpFunction %void None %type
                %p = OpFunctionParameter %global_double
                %start = OpLabel
                %ids = OpLoad %long3 %global_id
                %id = OpCompositeExtract %long %ids 0
                %at = OpPtrAccessChain %global_double %p %id
                %given = OpLoad %double %at Aligned 8
                {}
                OpStore %at %result Aligned 8
                OpReturn
                OpFunctionEnd",
                match float {
                    "float" => format!(
                        "%x = OpFConvert %float %given
                        %y = OpExtInst %float %cl {name} %x
                        %result = OpFConvert %double %y"
                    ),
                    _ => format!("%result = OpExtInst %double %cl {name} %given"),
                }
            );
            // All are numbers of 32 bits, too.
            let numbers: Vec<f64> = (0..45).map(|i| f64::from(i) / 32.0 + 0.125).collect();
            for mode in super::MODES {
                let kernel = compile_in(mode, &text);
                let mut p: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
                run(&kernel, range([3, 1, 1], [15, 1, 1]), &mut [Argument::Memory(&mut p)]).unwrap();
                for (x, found) in numbers.iter().zip(p.chunks(8)) {
                    let found = f64::from_ne_bytes(found.try_into().unwrap());
                    let right = function(*x);
                    let differs = (found - right).abs();
                    assert!(
                        differs <= error * right.abs().max(1.0),
                        "{name} of {float} {x}, {mode:?}: {found}, not {right}"
                    );
                }
            }
        }
    }
}

/// `if (i < bound) q[i] = f(i)`, where `f` calls another function eight times, and so on, down to one that multiplies by 3 and adds 1.
/// With a barrier before that, if `waits`.
fn calls(depth: u32, waits: bool) -> String {
    let mut functions = String::new();
    for level in 0..=depth {
        let body = match level {
            0 => "%product = OpIMul %int %x0 %c3
                %sum0 = OpIAdd %int %product %c1
                OpReturnValue %sum0"
                .to_owned(),
            _ => {
                let mut body = String::new();
                for i in 0..8 {
                    let argument = if i == 0 {
                        format!("%x{level}")
                    } else {
                        format!("%r{level}_{i}")
                    };
                    writeln!(
                        body,
                        "%r{level}_{} = OpFunctionCall %int %f{} {argument}",
                        i + 1,
                        level - 1
                    )
                    .unwrap();
                }
                body + &format!("OpReturnValue %r{level}_8")
            }
        };
        write!(
            functions,
            "%f{level} = OpFunction %int None %unary
            %x{level} = OpFunctionParameter %int
            %start{level} = OpLabel
            {body}
            OpFunctionEnd
            "
        )
        .unwrap();
    }
    let barrier = if waits { "OpControlBarrier %c2 %c2 %c272" } else { "" };
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpExecutionMode %kernel LocalSize 32 1 1
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %c1 = OpConstant %int 1
        %c2 = OpConstant %int 2
        %c3 = OpConstant %int 3
        %c272 = OpConstant %int 272
        %unary = OpTypeFunction %int %int
        %pointer = OpTypePointer CrossWorkgroup %int
        %type = OpTypeFunction %void %pointer %int
        {functions}
        %kernel = OpFunction %void None %type
        %q = OpFunctionParameter %pointer
        %bound = OpFunctionParameter %int
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %x = OpUConvert %int %id
        {barrier}
        %passes = OpULessThan %bool %x %bound
        OpSelectionMerge %end None
        OpBranchConditional %passes %inside %end
        %inside = OpLabel
        %result = OpFunctionCall %int %f{depth} %x
        %to = OpPtrAccessChain %pointer %q %id
        OpStore %to %result Aligned 4
        OpBranch %end
        %end = OpLabel
        OpReturn
        OpFunctionEnd"
    )
}

/// Vector code of a kernel that is huge would take minutes to compile. With a depth of eight it would not even fit into memory, once
/// calls are inlined, and would run for long.
#[test]
fn huge_kernels_run_one_item_at_a_time() {
    for (depth, waits, bound, is_huge) in [
        (3, false, 80, false),
        (5, false, 80, true),
        (5, true, 80, false),
        (8, false, 0, true),
        (8, true, 0, true),
    ] {
        let kernel = compile_in(Mode::Fast, &calls(depth, waits));
        let mut q = vec![0; 4 * 96];
        let arguments = &mut [Argument::Memory(&mut q), Argument::Value(bound.into())];
        run(&kernel, range([3, 1, 1], [32, 1, 1]), arguments).unwrap();
        let expected = (0..96u32).map(|x| {
            let times = if x < bound { 8u32.pow(depth) } else { 0 };
            let result = (0..times).fold(x, |x, _| x.wrapping_mul(3).wrapping_add(1));
            if x < bound { result } else { 0 }
        });
        let results = q.chunks(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap()));
        assert!(results.eq(expected), "{depth} {waits}");
        assert_eq!(kernel.lanes() == 1, is_huge, "{depth} {waits}");
    }
}
