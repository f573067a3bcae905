// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What build options allow of floating-point arithmetic: results stay near, and nothing that LLVM makes of functions then is
//! missing.

use oxur_compiler::{FastMath, Options};

use super::{Argument, MODES, compile, range, run};

/// A kernel of functions of x and y, a buffer's two halves; `items` results each.
fn text(expressions: &[(&str, &str)], items: usize) -> String {
    let mut body = String::new();
    for (i, (_, instructions)) in expressions.iter().enumerate() {
        let own = instructions.replace('$', &format!("n{i}_"));
        body += &format!(
            "{own}
            %place{i} = OpConstant %long {}
            %index{i} = OpIAdd %long %id %place{i}
            %at{i} = OpPtrAccessChain %global_float %r %index{i}
            OpStore %at{i} %n{i}_r Aligned 4\n",
            i * items
        );
    }
    // Constants stand before the function.
    let (constants, body): (Vec<&str>, Vec<&str>) = body.lines().partition(|line| line.contains("OpConstant"));
    format!(
        "OpEntryPoint Kernel %kernel \"k\" %global_id
        OpDecorate %global_id BuiltIn GlobalInvocationId
        %input_long3 = OpTypePointer Input %long3
        %global_id = OpVariable %input_long3 Input
        %half_of_items = OpConstant %long {items}
        %f0 = OpConstant %float 0
        %f1 = OpConstant %float 1
        %f2 = OpConstant %float 2
        %f3 = OpConstant %float 3
        %f10 = OpConstant %float 10
        %f_half = OpConstant %float 0.5
        %f_third = OpConstant %float 0.333333343
        {}
        %type = OpTypeFunction %void %global_float %global_float
        %kernel = OpFunction %void None %type
        %p = OpFunctionParameter %global_float
        %r = OpFunctionParameter %global_float
        %start = OpLabel
        %ids = OpLoad %long3 %global_id
        %id = OpCompositeExtract %long %ids 0
        %at_x = OpPtrAccessChain %global_float %p %id
        %x = OpLoad %float %at_x Aligned 4
        %second = OpIAdd %long %id %half_of_items
        %at_y = OpPtrAccessChain %global_float %p %second
        %y = OpLoad %float %at_y Aligned 4
        {}
        OpReturn
        OpFunctionEnd",
        constants.join("\n"),
        body.join("\n")
    )
}

/// `$r` is the result.
const EXPRESSIONS: &[(&str, &str)] = &[
    ("x / y", "%$r = OpFDiv %float %x %y"),
    ("x / 3", "%$r = OpFDiv %float %x %f3"),
    ("sqrt(x)", "%$r = OpExtInst %float %cl sqrt %x"),
    (
        "1 / sqrt(x)",
        "%$a = OpExtInst %float %cl sqrt %x\n%$r = OpFDiv %float %f1 %$a",
    ),
    ("(x + y) - x", "%$a = OpFAdd %float %x %y\n%$r = OpFSub %float %$a %x"),
    ("x * y + x", "%$a = OpFMul %float %x %y\n%$r = OpFAdd %float %$a %x"),
    ("sin(x)", "%$r = OpExtInst %float %cl sin %x"),
    ("cos(x)", "%$r = OpExtInst %float %cl cos %x"),
    (
        "tan(atan(x))",
        "%$a = OpExtInst %float %cl atan %x\n%$r = OpExtInst %float %cl tan %$a",
    ),
    ("exp(x)", "%$r = OpExtInst %float %cl exp %x"),
    ("log(x)", "%$r = OpExtInst %float %cl log %x"),
    ("pow(x, y)", "%$r = OpExtInst %float %cl pow %x %y"),
    ("pow(x, 1/2)", "%$r = OpExtInst %float %cl pow %x %f_half"),
    ("pow(x, 1/3)", "%$r = OpExtInst %float %cl pow %x %f_third"),
    ("pow(x, 3)", "%$r = OpExtInst %float %cl pow %x %f3"),
    ("pow(2, y)", "%$r = OpExtInst %float %cl pow %f2 %y"),
    ("pow(10, y)", "%$r = OpExtInst %float %cl pow %f10 %y"),
    (
        "pow(exp(x), y)",
        "%$a = OpExtInst %float %cl exp %x\n%$r = OpExtInst %float %cl pow %$a %y",
    ),
    (
        "log(pow(x, y))",
        "%$a = OpExtInst %float %cl pow %x %y\n%$r = OpExtInst %float %cl log %$a",
    ),
    (
        "log2(exp2(x))",
        "%$a = OpExtInst %float %cl exp2 %x\n%$r = OpExtInst %float %cl log2 %$a",
    ),
    (
        "log(exp2(x))",
        "%$a = OpExtInst %float %cl exp2 %x\n%$r = OpExtInst %float %cl log %$a",
    ),
    (
        "exp10(log10(x))",
        "%$a = OpExtInst %float %cl log10 %x\n%$r = OpExtInst %float %cl exp10 %$a",
    ),
    ("cbrt(x)", "%$r = OpExtInst %float %cl cbrt %x"),
    ("hypot(x, y)", "%$r = OpExtInst %float %cl hypot %x %y"),
    ("fmax(x, y)", "%$r = OpExtInst %float %cl fmax %x %y"),
    ("fmod(x, y)", "%$r = OpExtInst %float %cl fmod %x %y"),
    ("mix(x, y, 1/2)", "%$r = OpExtInst %float %cl mix %x %y %f_half"),
    ("round(x)", "%$r = OpExtInst %float %cl round %x"),
    ("ldexp(x, 3)", "%$r = OpExtInst %float %cl ldexp %x %i3"),
    (
        "x < y ? x : y",
        "%$a = OpFOrdLessThan %bool %x %y\n%$r = OpSelect %float %$a %x %y",
    ),
];

/// What the expression of a name should be about.
fn value(name: &str, x: f64, y: f64) -> f64 {
    match name {
        "x / y" => x / y,
        "x / 3" => x / 3.0,
        "sqrt(x)" | "pow(x, 1/2)" => x.sqrt(),
        "1 / sqrt(x)" => 1.0 / x.sqrt(),
        "(x + y) - x" => y,
        "x * y + x" => x * y + x,
        "sin(x)" => x.sin(),
        "cos(x)" => x.cos(),
        "tan(atan(x))" | "log2(exp2(x))" | "exp10(log10(x))" => x,
        "exp(x)" => x.exp(),
        "log(x)" => x.ln(),
        "pow(x, y)" => x.powf(y),
        "pow(x, 1/3)" | "cbrt(x)" => x.cbrt(),
        "pow(x, 3)" => x * x * x,
        "pow(2, y)" => y.exp2(),
        "pow(10, y)" => 10f64.powf(y),
        "pow(exp(x), y)" => (x * y).exp(),
        "log(pow(x, y))" => y * x.ln(),
        "log(exp2(x))" => x * 2f64.ln(),
        "hypot(x, y)" => x.hypot(y),
        "fmax(x, y)" => x.max(y),
        "fmod(x, y)" => x % y,
        "mix(x, y, 1/2)" => (x + y) / 2.0,
        "round(x)" => x.round(),
        "ldexp(x, 3)" => x * 8.0,
        "x < y ? x : y" => x.min(y),
        other => panic!("what is {other}?"),
    }
}

#[test]
fn results_stay_near() {
    const ITEMS: usize = 37;
    let text = text(EXPRESSIONS, ITEMS);
    let x: Vec<f32> = (0..ITEMS).map(|i| 0.3 + 0.0871 * i as f32).collect();
    let y: Vec<f32> = (0..ITEMS).map(|i| 2.9 - 0.0713 * i as f32).collect();
    let exact = FastMath::UNSAFE.without(FastMath::INEXACT_DIVISION);
    for fast_math in [
        FastMath::default(),
        FastMath::NO_SIGNED_ZEROS,
        FastMath::FINITE_ONLY,
        FastMath::UNSAFE,
        exact,
        FastMath::RELAXED,
    ] {
        for mode in MODES {
            let options = Options {
                mode,
                fast_math,
                ..Options::default()
            };
            let kernel = compile(&text, &options);
            let mut inputs: Vec<u8> = x.iter().chain(&y).flat_map(|v| v.to_le_bytes()).collect();
            let mut results = vec![0; 4 * ITEMS * EXPRESSIONS.len()];
            let mut arguments = [Argument::Memory(&mut inputs), Argument::Memory(&mut results)];
            run(&kernel, range([1; 3], [ITEMS as u64, 1, 1]), &mut arguments).unwrap();
            let results: Vec<f32> = results
                .chunks(4)
                .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
                .collect();
            for (number, (name, _)) in EXPRESSIONS.iter().enumerate() {
                for i in 0..ITEMS {
                    let found = results[number * ITEMS + i];
                    let expected = value(name, x[i].into(), y[i].into());
                    let near = 4e-6 * expected.abs().max(0.1);
                    assert!(
                        (f64::from(found) - expected).abs() <= near,
                        "{name} of {} and {} is {found}, not {expected}, with {fast_math:?}, {mode:?}",
                        x[i],
                        y[i]
                    );
                    // What is exact without options is exact unless they allow more.
                    let is_exact = matches!(*name, "x / y" | "sqrt(x)")
                        && (fast_math.without(FastMath::INEXACT_DIVISION) == fast_math);
                    assert!(
                        !is_exact || found == expected as f32,
                        "{name}: {found} with {fast_math:?}"
                    );
                }
            }
        }
    }
}

/// `x - x` is zero only where no value is infinite or not a number.
#[test]
fn permissions_are_used() {
    let text = text(&[("x - x", "%$r = OpFSub %float %x %x")], 16);
    for mode in MODES {
        let difference = |fast_math| {
            let options = Options {
                mode,
                fast_math,
                ..Options::default()
            };
            let mut inputs: Vec<u8> = [f32::INFINITY; 32].iter().flat_map(|v| v.to_le_bytes()).collect();
            let mut results = vec![0; 64];
            let mut arguments = [Argument::Memory(&mut inputs), Argument::Memory(&mut results)];
            run(&compile(&text, &options), range([1; 3], [16, 1, 1]), &mut arguments).unwrap();
            f32::from_le_bytes(results[..4].try_into().unwrap())
        };
        assert!(difference(FastMath::default()).is_nan(), "{mode:?}");
        assert!(difference(FastMath::UNSAFE).is_nan(), "{mode:?}");
        assert_eq!(difference(FastMath::RELAXED), 0.0, "{mode:?}");
    }
}
