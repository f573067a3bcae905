// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Control flow, calls, memory of all kinds, built-in variables, atomics.

use oxur_interpreter::{Argument, Memory, Module, NdRange, Options, Parameter, run};

use super::{assembled, kernel, launch, launch_with, line, module};

const END: &str = "OpReturn\nOpFunctionEnd\n";

/// What items store as `%r`.
fn results(declarations: &str, lines: &str, count: usize) -> Vec<u32> {
    let text = kernel(declarations, &format!("{lines}OpStore %at %r Aligned 4\n{END}"));
    let mut words = vec![0; count];
    let report = launch(&text, line(count as u64, 2), &mut words, &[]).unwrap_or_else(|f| panic!("{f}\n{text}"));
    assert!(report.findings.is_empty(), "{report:?}");
    words
}

#[test]
fn a_swap_in_a_loop() {
    // Both values of a round are read before one is set.
    let lines = "OpBranch %head\n%head = OpLabel\n%i = OpPhi %int %i0 %start %j %head\n\
                 %a = OpPhi %int %i1 %start %b %head\n%b = OpPhi %int %i2 %start %a %head\n\
                 %j = OpIAdd %int %i %i1\n%more = OpULessThan %bool %j %i4\nOpBranchConditional %more %head %out\n\
                 %out = OpLabel\n%c = OpIMul %int %a %i16\n%r = OpIAdd %int %c %b\n";
    assert_eq!(results("", lines, 1), [0x21]);
}

#[test]
fn a_switch_of_long_numbers() {
    let lines = "%wide = OpShiftLeftLogical %long %id64 %i32\nOpSwitch %wide %other 0 %zero 4294967296 %one\n\
                 %zero = OpLabel\nOpBranch %end\n%one = OpLabel\nOpBranch %end\n%other = OpLabel\nOpBranch %end\n\
                 %end = OpLabel\n%r = OpPhi %int %i3 %zero %i4 %one %i8 %other\n";
    assert_eq!(results("%i32 = OpConstant %int 32\n", lines, 4), [3, 4, 8, 8]);
}

#[test]
fn structures_and_pointers() {
    let declarations = "%pair = OpTypeStruct %char %int\n%pairs = OpTypeArray %pair %i2\n%packed = OpTypeStruct %char %int\n\
                        OpDecorate %packed CPacked\n%private_pairs = OpTypePointer Function %pairs\n\
                        %private_packed = OpTypePointer Function %packed\n%private_char = OpTypePointer Function %char\n\
                        %generic_char = OpTypePointer Generic %char\n%null = OpConstantNull %pairs\n%zero = OpConstantNull %packed\n";
    // The member of the second element is 12 bytes behind the beginning; of the packed structure, 1.
    let lines = "%v = OpVariable %private_pairs Function %null\n%w = OpVariable %private_packed Function %zero\n\
                 %q = OpInBoundsAccessChain %private_int %v %i1 %i1\nOpStore %q %id Aligned 4\n\
                 %base = OpConvertPtrToU %long %v\n%place = OpConvertPtrToU %long %q\n%far = OpISub %long %place %base\n\
                 %far32 = OpUConvert %int %far\n\
                 %s = OpInBoundsAccessChain %private_int %w %i1\nOpStore %s %id Aligned 1\n\
                 %g = OpPtrCastToGeneric %generic_int %q\n%x = OpLoad %int %g Aligned 4\n%y = OpLoad %int %s Aligned 1\n\
                 %xy = OpIAdd %int %x %y\n%big = OpIMul %int %far32 %i16\n%r = OpIAdd %int %big %xy\n";
    assert_eq!(results(declarations, lines, 4), [192, 194, 196, 198]);
}

#[test]
fn pointers_to_functions() {
    let declarations = "OpCapability FunctionPointersINTEL\nOpExtension \"SPV_INTEL_function_pointers\"\n\
                        %unary = OpTypeFunction %int %int\n%code = OpTypePointer CodeSectionINTEL %unary\n\
                        %pf = OpConstantFunctionPointerINTEL %code %f\n%pg = OpConstantFunctionPointerINTEL %code %g\n";
    let lines = "%odd = OpBitwiseAnd %int %id %i1\n%c = OpIEqual %bool %odd %i1\n%h = OpSelect %code %c %pf %pg\n\
                 %r = OpFunctionPointerCallINTEL %int %h %id\n";
    let functions = "%f = OpFunction %int None %unary\n%fx = OpFunctionParameter %int\n%fs = OpLabel\n%fy = OpIAdd %int %fx %i16\n\
                     OpReturnValue %fy\nOpFunctionEnd\n%g = OpFunction %int None %unary\n%gx = OpFunctionParameter %int\n\
                     %gs = OpLabel\n%gy = OpIMul %int %gx %i2\nOpReturnValue %gy\nOpFunctionEnd\n";
    let text = kernel(
        declarations,
        &format!("{lines}OpStore %at %r Aligned 4\n{END}{functions}"),
    );
    let mut words = [0; 4];
    launch(&text, line(4, 2), &mut words, &[]).unwrap();
    assert_eq!(words, [0, 17, 4, 19]);
}

#[test]
fn a_structure_by_value() {
    // The function writes to a copy. What it returns is that it saw the caller's value.
    let declarations = "OpDecorate %fx FuncParamAttr ByVal\n%one = OpTypeStruct %int\n\
                        %private_one = OpTypePointer Function %one\n%by_value = OpTypeFunction %int %private_one\n";
    let lines = "%v = OpVariable %private_one Function\n%place = OpInBoundsAccessChain %private_int %v %i0\n\
                 OpStore %place %id Aligned 4\n%seen = OpFunctionCall %int %f %v\n%held = OpLoad %int %place Aligned 4\n\
                 %high = OpIMul %int %held %i16\n%r = OpIAdd %int %high %seen\n";
    let function = "%f = OpFunction %int None %by_value\n%fx = OpFunctionParameter %private_one\n%fs = OpLabel\n\
                    %fp = OpInBoundsAccessChain %private_int %fx %i0\n%fy = OpLoad %int %fp Aligned 4\n\
                    OpStore %fp %i8 Aligned 4\nOpReturnValue %fy\nOpFunctionEnd\n";
    let text = kernel(
        declarations,
        &format!("{lines}OpStore %at %r Aligned 4\n{END}{function}"),
    );
    let mut words = [0; 4];
    launch(&text, line(4, 2), &mut words, &[]).unwrap_or_else(|f| panic!("{f}\n{text}"));
    assert_eq!(words, [0, 17, 34, 51]);
}

#[test]
fn built_in_variables() {
    let text = r#"
OpEntryPoint Kernel %kernel "k" %global_id %global_offset %local_id %group_id %linear %size %sub_group %lane %max
OpDecorate %global_id BuiltIn GlobalInvocationId
OpDecorate %global_offset BuiltIn GlobalOffset
OpDecorate %local_id BuiltIn LocalInvocationId
OpDecorate %group_id BuiltIn WorkgroupId
OpDecorate %linear BuiltIn GlobalLinearId
OpDecorate %size BuiltIn WorkgroupSize
OpDecorate %sub_group BuiltIn SubgroupId
OpDecorate %lane BuiltIn SubgroupLocalInvocationId
OpDecorate %max BuiltIn SubgroupSize
OpCapability SubgroupDispatch
%input_long3 = OpTypePointer Input %long3
%input_long = OpTypePointer Input %long
%input_int = OpTypePointer Input %int
%global_id = OpVariable %input_long3 Input
%global_offset = OpVariable %input_long3 Input
%local_id = OpVariable %input_long3 Input
%group_id = OpVariable %input_long3 Input
%linear = OpVariable %input_long Input
%size = OpVariable %input_long3 Input
%sub_group = OpVariable %input_int Input
%lane = OpVariable %input_int Input
%max = OpVariable %input_int Input
%type = OpTypeFunction %void %global_int
%i6 = OpConstant %int 6
%i5 = OpConstant %int 5
%i7 = OpConstant %int 7
%kernel = OpFunction %void None %type
%p = OpFunctionParameter %global_int
%start = OpLabel
%n = OpLoad %long %linear
%first = OpIMul %long %n %l8
%base = OpInBoundsPtrAccessChain %global_int %p %first
%py = OpInBoundsAccessChain %input_long %global_id %i1
%y = OpLoad %long %py
%y32 = OpUConvert %int %y
OpStore %base %y32 Aligned 4
%l = OpLoad %long3 %local_id
%lx = OpCompositeExtract %long %l 0
%lx32 = OpUConvert %int %lx
%q1 = OpInBoundsPtrAccessChain %global_int %base %i1
OpStore %q1 %lx32 Aligned 4
%g = OpLoad %long3 %group_id
%gx = OpCompositeExtract %long %g 0
%gx32 = OpUConvert %int %gx
%q2 = OpInBoundsPtrAccessChain %global_int %base %i2
OpStore %q2 %gx32 Aligned 4
%s = OpLoad %long3 %size
%sx = OpCompositeExtract %long %s 0
%sx32 = OpUConvert %int %sx
%q3 = OpInBoundsPtrAccessChain %global_int %base %i3
OpStore %q3 %sx32 Aligned 4
%x4 = OpLoad %int %sub_group
%q4 = OpInBoundsPtrAccessChain %global_int %base %i4
OpStore %q4 %x4 Aligned 4
%x5 = OpLoad %int %lane
%q5 = OpInBoundsPtrAccessChain %global_int %base %i5
OpStore %q5 %x5 Aligned 4
%x6 = OpLoad %int %max
%q6 = OpInBoundsPtrAccessChain %global_int %base %i6
OpStore %q6 %x6 Aligned 4
OpReturn
OpFunctionEnd
%l8 = OpConstant %long 8
"#;
    // Constants go before functions.
    let text = text
        .replace("%l8 = OpConstant %long 8\n", "")
        .replace("%i6 =", "%l8 = OpConstant %long 8\n%i6 =");
    let range = NdRange {
        dimensions: 2,
        // The second group of a row has two items.
        global: [5, 2, 1],
        local: [3, 2, 1],
        offset: [10, 20, 0],
    };
    let options = Options {
        sub_group_size: 4,
        ..Options::default()
    };
    let mut words = [0; 80];
    launch_with(&text, range, &mut words, &[], &options).unwrap();
    // Rows: y, local x, group, size, sub-group, lane, its size.
    assert_eq!(words[8..15], [20, 1, 0, 3, 0, 1, 4]);
    assert_eq!(words[24..31], [20, 0, 1, 2, 0, 0, 4]);
    // Item (2, 1) of the first group is its sixth: lane 1 of the second sub-group, which has two.
    assert_eq!(words[56..63], [21, 2, 0, 3, 1, 1, 2]);
}

#[test]
fn atomics() {
    let add = "%old = OpAtomicIAdd %int %p %i1 %i0 %i2\n";
    let text = kernel("", &format!("{add}{END}"));
    let mut words = [5];
    launch(&text, line(10, 5), &mut words, &[]).unwrap();
    assert_eq!(words, [25]);
    let exchange = "%r = OpAtomicCompareExchange %int %at %i1 %i0 %i0 %i8 %i1\n";
    let text = kernel("", &format!("{exchange}{END}"));
    let mut words = [0, 1, 2];
    launch(&text, line(3, 3), &mut words, &[]).unwrap();
    assert_eq!(words, [0, 8, 2]);
    let float = "OpCapability AtomicFloat32AddEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\"\n%half_one = OpConstant %float 0.5\n";
    let lines = "%q = OpBitcast %global_float %p\n%old = OpAtomicFAddEXT %float %q %i1 %i0 %half_one\n";
    let text = kernel(float, &format!("{lines}{END}"));
    let mut words = [1f32.to_bits()];
    let report = launch(&text, line(4, 2), &mut words, &[]).unwrap();
    assert_eq!(words, [3f32.to_bits()]);
    assert!(report.inexact.contains(&("OpAtomicFAddEXT".into(), 32)));
}

/// Items wait for each other in a way that works if all of a group go on.
#[test]
fn items_have_turns() {
    let lines = "%c = OpIEqual %bool %id %i0\nOpBranchConditional %c %wait %tell\n\
                 %wait = OpLabel\n%x = OpAtomicLoad %int %p %i1 %i2\n%go = OpIEqual %bool %x %i1\n\
                 OpBranchConditional %go %done %wait\n\
                 %tell = OpLabel\nOpAtomicStore %p %i1 %i4 %i1\nOpBranch %done\n%done = OpLabel\n";
    let mut words = [0];
    let report = launch(&kernel("", &format!("{lines}{END}")), line(2, 2), &mut words, &[]).unwrap();
    assert_eq!(words, [1]);
    assert!(report.uses_fences);
}

#[test]
fn arguments() {
    let text = r#"
OpEntryPoint Kernel %kernel "k"
%pair = OpTypeStruct %char %int
%private_pair = OpTypePointer Function %pair
OpDecorate %s FuncParamAttr ByVal
%type = OpTypeFunction %void %global_int %private_pair %int2 %local_int
%i1i = OpConstant %int 1
%kernel = OpFunction %void None %type
%p = OpFunctionParameter %global_int
%s = OpFunctionParameter %private_pair
%v = OpFunctionParameter %int2
%m = OpFunctionParameter %local_int
%start = OpLabel
%ps = OpInBoundsAccessChain %private_int %s %i1
%x = OpLoad %int %ps Aligned 4
%y = OpCompositeExtract %int %v 1
%sum = OpIAdd %int %x %y
OpStore %m %sum Aligned 4
%z = OpLoad %int %m Aligned 4
OpStore %p %z Aligned 4
OpReturn
OpFunctionEnd
"#;
    let parsed = module(text);
    let parameters = [
        Parameter::Pointer,
        Parameter::Value(8),
        Parameter::Value(8),
        Parameter::Local,
    ];
    assert_eq!(parsed.kernels()[0].parameters, parameters);
    let mut words = [0];
    let rest = [
        Argument::Value(vec![1, 0, 0, 0, 40, 0, 0, 0]),
        Argument::Value(vec![9, 0, 0, 0, 2, 0, 0, 0]),
        Argument::Local(4),
    ];
    launch(text, line(1, 1), &mut words, &rest).unwrap();
    assert_eq!(words, [42]);
}

#[test]
fn specialization() {
    let declarations = "OpDecorate %s SpecId 7\n%s = OpSpecConstant %int 3\n%t = OpSpecConstantOp %int IMul %s %i2\n\
                        %array = OpTypeArray %int %t\n%private_array = OpTypePointer Function %array\n";
    let lines = format!("%size = OpSizeOf %int %v\nOpStore %at %size Aligned 4\n{END}");
    let lines = format!("%v = OpVariable %private_array Function\n{lines}");
    let text = kernel(declarations, &lines);
    for (given, expected) in [(vec![], 24), (vec![(7, 5)], 40)] {
        let module = Module::parse(&assembled(&text), &given).unwrap();
        let mut memory = Memory::new(&module).unwrap();
        let place = memory.allocate(&[0; 4]).unwrap();
        let arguments = [Argument::Pointer(place)];
        run(
            &module,
            &module.kernels()[0],
            line(1, 1),
            &arguments,
            &mut memory,
            &Options::default(),
        )
        .unwrap();
        assert_eq!(memory.bytes(place).unwrap().0, [expected, 0, 0, 0]);
    }
}
