// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Single instructions on values: what SPIR-V and OpenCL.std define them to be.

use oxur_interpreter::{Memory, Module, Options};

use super::{ITEM, line, module};

/// The result of one instruction for two arguments of a type, as the bits of the result's type.
fn result(instruction: &str, ty: &str, to: &str, a: u64, b: u64) -> Result<Option<u64>, String> {
    let bool_store = "%r8 = OpSelect %char %r %c1 %c0\nOpStore %out %r8 Aligned 1\n";
    let (decorations, instruction): (Vec<&str>, Vec<&str>) =
        instruction.lines().partition(|line| line.starts_with("OpDecorate"));
    let (decorations, instruction) = (decorations.join("\n"), instruction.join("\n"));
    let (place, store) = match to {
        "bool" => ("char", bool_store.to_string()),
        _ => (to, "OpStore %out %r Aligned 1\n".to_string()),
    };
    let text = format!(
        r#"{ITEM}
{decorations}
%c0 = OpConstant %char 0
%c1 = OpConstant %char 1
%places = OpTypePointer CrossWorkgroup %{place}
%sources = OpTypePointer CrossWorkgroup %{ty}
%kernel_type = OpTypeFunction %void %places %sources
%kernel = OpFunction %void None %kernel_type
%out = OpFunctionParameter %places
%in = OpFunctionParameter %sources
%start = OpLabel
%next = OpInBoundsPtrAccessChain %sources %in %i1
%a = OpLoad %{ty} %in Aligned 1
%b = OpLoad %{ty} %next Aligned 1
{instruction}
{store}OpReturn
OpFunctionEnd
"#
    )
    .replace("%type = OpTypeFunction %void %global_int\n", "");
    let module: Module = module(&text);
    let mut memory = Memory::new(&module).map_err(|f| f.to_string())?;
    let size = |ty: &str| match ty {
        "char" | "bool" => 1,
        "short" | "half" => 2,
        "int" | "float" => 4,
        _ => 8,
    };
    let bytes = [a, b].map(|x| x.to_le_bytes()[..size(ty)].to_vec()).concat();
    let source = memory.allocate(&bytes).map_err(|f| f.to_string())?;
    let target = memory.allocate(&[0; 8]).map_err(|f| f.to_string())?;
    let arguments = [target, source].map(oxur_interpreter::Argument::Pointer);
    let kernel = &module.kernels()[0];
    let options = Options::default();
    oxur_interpreter::run(&module, kernel, line(1, 1), &arguments, &mut memory, &options).map_err(|f| f.to_string())?;
    let (bytes, undefined) = memory.bytes(target).expect("the result");
    let value = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    Ok((undefined.iter().all(|&bits| bits == 0)).then_some(value))
}

#[track_caller]
fn check(instruction: &str, ty: &str, to: &str, cases: &[(u64, u64, Option<u64>)]) {
    for &(a, b, expected) in cases {
        let found = result(instruction, ty, to, a, b);
        assert_eq!(found, Ok(expected), "{instruction} of {a:#x} and {b:#x}");
    }
}

const fn yes(value: u64) -> Option<u64> {
    Some(value)
}

#[test]
fn integers_wrap() {
    check(
        "%r = OpIAdd %int %a %b",
        "int",
        "int",
        &[(0xffff_ffff, 2, yes(1)), (0x7fff_ffff, 1, yes(0x8000_0000))],
    );
    check(
        "%r = OpISub %char %a %b",
        "char",
        "char",
        &[(0, 1, yes(0xff)), (0x80, 1, yes(0x7f))],
    );
    check(
        "%r = OpIMul %long %a %b",
        "long",
        "long",
        &[(u64::MAX, u64::MAX, yes(1)), (1 << 63, 2, yes(0))],
    );
    check(
        "%r = OpSNegate %short %a",
        "short",
        "short",
        &[(0x8000, 0, yes(0x8000)), (1, 0, yes(0xffff))],
    );
}

#[test]
fn quotients_and_remainders() {
    let minus = |x: i32| x as u32 as u64;
    check(
        "%r = OpSDiv %int %a %b",
        "int",
        "int",
        &[(minus(-7), 2, yes(minus(-3))), (7, minus(-2), yes(minus(-3)))],
    );
    check(
        "%r = OpSRem %int %a %b",
        "int",
        "int",
        &[(minus(-7), 2, yes(minus(-1))), (7, minus(-2), yes(1))],
    );
    check(
        "%r = OpSMod %int %a %b",
        "int",
        "int",
        &[
            (minus(-7), 2, yes(1)),
            (7, minus(-2), yes(minus(-1))),
            (minus(-6), 3, yes(0)),
        ],
    );
    check("%r = OpUDiv %char %a %b", "char", "char", &[(200, 7, yes(28))]);
    check("%r = OpUMod %char %a %b", "char", "char", &[(200, 7, yes(4))]);
    for (b, text) in [(0, "DivisionByZero"), (minus(-1), "DivisionOverflow")] {
        let error = result("%r = OpSDiv %int %a %b", "int", "int", 0x8000_0000, b).unwrap_err();
        assert!(error.starts_with(text) && error.contains("%r = OpSDiv"), "{error}");
    }
}

#[test]
fn shifts() {
    check(
        "%r = OpShiftLeftLogical %int %a %b",
        "int",
        "int",
        &[(3, 31, yes(0x8000_0000)), (3, 32, None), (3, 0xffff_ffff, None)],
    );
    check(
        "%r = OpShiftRightArithmetic %char %a %b",
        "char",
        "char",
        &[(0x80, 7, yes(0xff)), (0x80, 8, None)],
    );
    check(
        "%r = OpShiftRightLogical %char %a %b",
        "char",
        "char",
        &[(0x80, 7, yes(1))],
    );
}

#[test]
fn promises_that_are_broken_make_a_value_undefined() {
    let with = |flag: &str, line: &str| format!("{line}\nOpDecorate %r {flag}");
    check(
        &with("NoSignedWrap", "%r = OpIAdd %int %a %b"),
        "int",
        "int",
        &[(0x7fff_ffff, 1, None), (0xffff_ffff, 1, yes(0))],
    );
    check(
        &with("NoUnsignedWrap", "%r = OpIAdd %int %a %b"),
        "int",
        "int",
        &[(0x7fff_ffff, 1, yes(0x8000_0000)), (0xffff_ffff, 1, None)],
    );
    check(
        &with("NoUnsignedWrap", "%r = OpShiftLeftLogical %char %a %b"),
        "char",
        "char",
        &[(0x40, 1, yes(0x80)), (0x80, 1, None)],
    );
}

#[test]
fn fields_of_bits() {
    check(
        "%r = OpBitReverse %char %a",
        "char",
        "char",
        &[(0b0001_0110, 0, yes(0b0110_1000))],
    );
    check("%r = OpBitCount %long %a", "long", "long", &[(u64::MAX, 0, yes(64))]);
    check(
        "%r = OpBitFieldInsert %int %a %b %i4 %i8",
        "int",
        "int",
        &[(0xffff_ffff, 0x12, yes(0xffff_f12f))],
    );
    check(
        "%r = OpBitFieldSExtract %int %a %i4 %i8",
        "int",
        "int",
        &[(0xff0, 0, yes(0xffff_ffff)), (0x7f0, 0, yes(0x7f))],
    );
    check(
        "%r = OpBitFieldUExtract %int %a %i4 %i8",
        "int",
        "int",
        &[(0xff0, 0, yes(0xff))],
    );
}

#[test]
fn comparisons() {
    check(
        "%r = OpSLessThan %bool %a %b",
        "char",
        "bool",
        &[(0x80, 0x7f, yes(1)), (0x7f, 0x80, yes(0))],
    );
    check(
        "%r = OpULessThan %bool %a %b",
        "char",
        "bool",
        &[(0x80, 0x7f, yes(0)), (0x7f, 0x80, yes(1))],
    );
    let f = |x: f32| u64::from(x.to_bits());
    let nan = f(f32::NAN);
    check(
        "%r = OpFOrdEqual %bool %a %b",
        "float",
        "bool",
        &[(nan, nan, yes(0)), (f(0.0), f(-0.0), yes(1))],
    );
    check(
        "%r = OpFUnordNotEqual %bool %a %b",
        "float",
        "bool",
        &[(nan, nan, yes(1)), (f(0.0), f(-0.0), yes(0))],
    );
    check(
        "%r = OpFUnordLessThan %bool %a %b",
        "float",
        "bool",
        &[(nan, f(1.0), yes(1)), (f(2.0), f(1.0), yes(0))],
    );
    check(
        "%r = OpFOrdNotEqual %bool %a %b",
        "float",
        "bool",
        &[(nan, f(1.0), yes(0)), (f(2.0), f(1.0), yes(1))],
    );
    check(
        "%r = OpIsNormal %bool %a",
        "float",
        "bool",
        &[(1, 0, yes(0)), (f(1.0), 0, yes(1)), (nan, 0, yes(0))],
    );
    check("%r = OpSignBitSet %bool %a", "float", "bool", &[(f(-0.0), 0, yes(1))]);
}

#[test]
fn conversions() {
    let f = |x: f32| u64::from(x.to_bits());
    let minus = |x: i32| x as u32 as u64;
    check(
        "%r = OpConvertFToS %int %a",
        "float",
        "int",
        &[(f(-2.9), 0, yes(minus(-2))), (f(3e9), 0, None), (f(f32::NAN), 0, None)],
    );
    check(
        "%r = OpConvertFToU %char %a\nOpDecorate %r SaturatedConversion",
        "float",
        "char",
        &[(f(300.0), 0, yes(255)), (f(-5.0), 0, yes(0)), (f(f32::NAN), 0, yes(0))],
    );
    check(
        "%r = OpConvertFToS %int %a\nOpDecorate %r FPRoundingMode RTE",
        "float",
        "int",
        &[(f(2.5), 0, yes(2)), (f(-3.5), 0, yes(minus(-4)))],
    );
    check(
        "%r = OpConvertFToS %int %a\nOpDecorate %r FPRoundingMode RTN",
        "float",
        "int",
        &[(f(-2.1), 0, yes(minus(-3)))],
    );
    check(
        "%r = OpConvertUToF %float %a",
        "long",
        "float",
        &[(u64::MAX, 0, yes(f(1.8446744e19)))],
    );
    check(
        "%r = OpConvertSToF %float %a",
        "int",
        "float",
        &[(16_777_217, 0, yes(f(16_777_216.0)))],
    );
    check(
        "%r = OpConvertUToF %float %a\nOpDecorate %r FPRoundingMode RTP",
        "int",
        "float",
        &[(16_777_217, 0, yes(f(16_777_218.0)))],
    );
    check(
        "%r = OpFConvert %half %a",
        "float",
        "half",
        &[(f(65520.0), 0, yes(0x7c00)), (f(1.0), 0, yes(0x3c00))],
    );
    check(
        "%r = OpFConvert %half %a\nOpDecorate %r FPRoundingMode RTZ",
        "float",
        "half",
        &[(f(65520.0), 0, yes(0x7bff))],
    );
    check(
        "%r = OpSConvert %long %a",
        "char",
        "long",
        &[(0x80, 0, yes(0xffff_ffff_ffff_ff80))],
    );
    check("%r = OpUConvert %char %a", "int", "char", &[(0x1234, 0, yes(0x34))]);
    check(
        "%r = OpSConvert %char %a\nOpDecorate %r SaturatedConversion",
        "int",
        "char",
        &[(minus(-200), 0, yes(0x80)), (200, 0, yes(0x7f))],
    );
    check(
        "%r = OpSatConvertSToU %char %a",
        "int",
        "char",
        &[(minus(-200), 0, yes(0)), (300, 0, yes(255))],
    );
    check(
        "%r = OpBitcast %int %a",
        "float",
        "int",
        &[(f(1.0), 0, yes(0x3f80_0000))],
    );
}

#[test]
fn floating_point() {
    let f = |x: f32| u64::from(x.to_bits());
    check(
        "%r = OpFMod %float %a %b",
        "float",
        "float",
        &[(f(-5.5), f(3.0), yes(f(0.5))), (f(5.5), f(-3.0), yes(f(-0.5)))],
    );
    check(
        "%r = OpFRem %float %a %b",
        "float",
        "float",
        &[(f(-5.5), f(3.0), yes(f(-2.5)))],
    );
    check(
        "%r = OpFAdd %half %a %b",
        "half",
        "half",
        &[(0x7bff, 0x7bff, yes(0x7c00)), (0x3c00, 0x1000, yes(0x3c00))],
    );
    check(
        "%r = OpFNegate %float %a",
        "float",
        "float",
        &[(f(0.0), 0, yes(f(-0.0)))],
    );
    check(
        "%r = OpExtInst %float %cl fma %a %b %b",
        "float",
        "float",
        &[(f(3.0), f(2.0), yes(f(8.0)))],
    );
    check(
        "%r = OpExtInst %float %cl sqrt %a",
        "float",
        "float",
        &[(f(2.0), 0, yes(f(std::f32::consts::SQRT_2)))],
    );
    check(
        "%r = OpExtInst %float %cl fmax %a %b",
        "float",
        "float",
        &[(f(f32::NAN), f(1.0), yes(f(1.0)))],
    );
    check(
        "%r = OpFAdd %float %a %b\nOpDecorate %r FPFastMathMode NotNaN",
        "float",
        "float",
        &[
            (f(f32::INFINITY), f(f32::NEG_INFINITY), None),
            (f(1.0), f(2.0), yes(f(3.0))),
        ],
    );
}

#[test]
fn opencl_integers() {
    check(
        "%r = OpExtInst %char %cl s_add_sat %a %b",
        "char",
        "char",
        &[(100, 100, yes(127)), (0x80, 0xff, yes(0x80))],
    );
    check(
        "%r = OpExtInst %int %cl u_mul_hi %a %b",
        "int",
        "int",
        &[(0xffff_ffff, 0xffff_ffff, yes(0xffff_fffe))],
    );
    check(
        "%r = OpExtInst %int %cl clz %a",
        "int",
        "int",
        &[(0, 0, yes(32)), (1, 0, yes(31))],
    );
    check(
        "%r = OpExtInst %short %cl rotate %a %b",
        "short",
        "short",
        &[(0x8001, 17, yes(3))],
    );
    check(
        "%r = OpExtInst %int %cl s_upsample %a %b",
        "short",
        "int",
        &[(0xffff, 1, yes(0xffff_0001))],
    );
    check(
        "%r = OpExtInst %int %cl bitselect %a %b %i3",
        "int",
        "int",
        &[(0, 0xff, yes(3))],
    );
}

#[test]
fn composites() {
    let pair = "%v = OpCompositeConstruct %int2 %a %b\n";
    check(
        &format!("{pair}%r = OpCompositeExtract %int %v 1"),
        "int",
        "int",
        &[(1, 2, yes(2))],
    );
    check(
        &format!("{pair}%r = OpVectorExtractDynamic %int %v %b"),
        "int",
        "int",
        &[(7, 0, yes(7)), (7, 2, None)],
    );
    check(
        &format!("{pair}%w = OpVectorShuffle %int4 %v %v 3 2 0xffffffff 0\n%r = OpCompositeExtract %int %w 0"),
        "int",
        "int",
        &[(1, 2, yes(2))],
    );
    check(
        &format!("{pair}%r = OpBitcast %long %v"),
        "int",
        "long",
        &[(1, 2, yes(0x2_0000_0001))],
    );
    check(
        "%v = OpBitcast %char4 %a\n%x = OpCompositeExtract %char %v 2\n%r = OpUConvert %int %x",
        "int",
        "int",
        &[(0x4433_2211, 0, yes(0x33))],
    );
    // Undefined bits that do not matter do not spread.
    check(
        "%u = OpUndef %int\n%r = OpBitwiseAnd %int %u %i0",
        "int",
        "int",
        &[(0, 0, yes(0))],
    );
    check(
        "%u = OpUndef %int\n%r = OpBitwiseOr %int %u %a",
        "int",
        "int",
        &[(0xffff_ffff, 0, yes(0xffff_ffff)), (1, 0, None)],
    );
    check(
        "%u = OpUndef %int\n%v = OpIMul %int %u %i0\n%r = OpIAdd %int %v %a",
        "int",
        "int",
        &[(1, 0, None)],
    );
}
