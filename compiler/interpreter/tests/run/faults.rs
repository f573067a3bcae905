// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What is wrong with a kernel is told, with its place.

use oxur_interpreter::{Argument, Fault, Kind, Module, Options, Report};

use super::{assembled, kernel, launch, launch_with, line};

fn fault(declarations: &str, lines: &str) -> Box<Fault> {
    launch(&kernel(declarations, lines), line(4, 4), &mut [0; 4], &[]).expect_err("it is wrong")
}

fn kind(declarations: &str, lines: &str) -> Kind {
    fault(declarations, lines).kind
}

const END: &str = "OpReturn\nOpFunctionEnd\n";

#[test]
fn bad_pointers() {
    let end = format!("OpStore %q %i1 Aligned 4\n{END}");
    let fault = fault("", &format!("%q = OpPtrAccessChain %global_int %at %i1\n{end}"));
    assert_eq!(fault.kind, Kind::OutOfBounds);
    assert_eq!(fault.item, Some([3, 0, 0]));
    let place = fault.place.clone().unwrap();
    assert_eq!((place.opcode.as_str(), place.function.as_str()), ("OpStore", "kernel"));
    assert!(fault.to_string().contains("offset 16 of 16 bytes"), "{fault}");
    assert_eq!(
        kind(
            "%minus = OpConstant %int 0xffffffff\n",
            &format!("%q = OpPtrAccessChain %global_int %p %minus\n{end}")
        ),
        Kind::OutOfBounds
    );
    assert_eq!(
        kind(
            "%null = OpConstantNull %global_int\n",
            &format!("%q = OpCopyObject %global_int %null\n{end}")
        ),
        Kind::NullPointer
    );
    let odd = "%n = OpConvertPtrToU %long %p\n%m = OpIAdd %long %n %l1\n%q = OpConvertUToPtr %global_int %m\n";
    assert_eq!(
        kind("%l1 = OpConstant %long 1\n", &format!("{odd}{end}")),
        Kind::Misaligned
    );
    assert_eq!(
        kind("", &format!("%q = OpUndef %global_int\n{end}")),
        Kind::UndefinedValue
    );
    // The same with an alignment of 1 is right, but for the end of the buffer.
    let free = format!("{odd}OpStore %q %i1 Aligned 1\n{END}");
    let one = "%l1 = OpConstant %long 1\n";
    assert!(launch(&kernel(one, &free), line(1, 1), &mut [0; 4], &[]).is_ok());
}

#[test]
fn a_variable_that_is_gone() {
    let declarations = "%pointers = OpTypeFunction %private_int\n";
    let lines = format!(
        "%q = OpFunctionCall %private_int %f\n%x = OpLoad %int %q Aligned 4\nOpStore %at %x Aligned 4\n{END}\
         %f = OpFunction %private_int None %pointers\n%f_start = OpLabel\n%v = OpVariable %private_int Function\n\
         OpReturnValue %v\nOpFunctionEnd\n"
    );
    assert_eq!(kind(declarations, &lines), Kind::DanglingPointer);
}

#[test]
fn undefined_values() {
    let variable = "%v = OpVariable %private_int Function\n%x = OpLoad %int %v Aligned 4\n";
    let branch = format!(
        "{variable}%c = OpIEqual %bool %x %i1\nOpBranchConditional %c %a %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\n{END}"
    );
    assert_eq!(kind("", &branch), Kind::UndefinedValue);
    let switch = format!("{variable}OpSwitch %x %a 1 %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\n{END}");
    assert_eq!(kind("", &switch), Kind::UndefinedValue);
    let store = kernel("", &format!("{variable}OpStore %at %x Aligned 4\n{END}"));
    let report = launch(&store, line(4, 4), &mut [0; 4], &[]).unwrap();
    assert_eq!(report.findings.len(), 1, "{report:?}");
    assert_eq!(report.findings[0].kind, Kind::UndefinedValue);
    // Whichever value is chosen.
    let select = kernel(
        "",
        &format!(
            "{variable}%c = OpIEqual %bool %i1 %i1\n%y = OpSelect %int %c %i1 %x\nOpStore %at %y Aligned 4\n{END}"
        ),
    );
    let report = launch(&select, line(4, 4), &mut [0; 4], &[]).unwrap();
    assert!(report.findings.is_empty(), "{report:?}");
}

#[test]
fn endless() {
    let options = Options {
        step_limit: 10_000,
        ..Options::default()
    };
    let text = kernel(
        "",
        &format!("OpBranch %again\n%again = OpLabel\nOpBranch %again\n%never = OpLabel\n{END}"),
    );
    let fault = launch_with(&text, line(4, 4), &mut [0; 4], &[], &options).unwrap_err();
    assert_eq!(fault.kind, Kind::StepLimit);
    let recursive = format!(
        "%q = OpFunctionCall %void %f\n{END}%f = OpFunction %void None %nothing\n%f_start = OpLabel\n\
         %r = OpFunctionCall %void %f\n{END}"
    );
    assert_eq!(
        kind("%nothing = OpTypeFunction %void\n", &recursive),
        Kind::StackOverflow
    );
    assert_eq!(kind("", "OpUnreachable\nOpFunctionEnd\n"), Kind::Unreachable);
}

#[test]
fn what_is_not_known_is_named() {
    let fault = fault(
        "OpCapability ShaderClockKHR\nOpExtension \"SPV_KHR_shader_clock\"\n",
        &format!("%t = OpReadClockKHR %long %i3\n{END}"),
    );
    assert_eq!(fault.kind, Kind::Unsupported);
    assert!(fault.to_string().contains("OpReadClockKHR"), "{fault}");
    let mut bytes = assembled(&kernel("", END));
    let end = bytes.len() - 4;
    bytes.truncate(end);
    bytes.extend(0x0001_fffeu32.to_le_bytes());
    let fault = Module::parse(&bytes, &[]).unwrap_err();
    assert_eq!(fault.kind, Kind::Unsupported);
    assert!(fault.to_string().contains("65534"), "{fault}");
}

#[test]
fn constants_are_not_written() {
    let declarations = "%constants = OpTypePointer UniformConstant %int\n%seven = OpConstant %int 7\n%c = OpVariable %constants UniformConstant %seven\n";
    assert_eq!(
        kind(declarations, &format!("OpStore %c %i1 Aligned 4\n{END}")),
        Kind::ReadOnly
    );
}

#[test]
fn a_launch_that_does_not_fit() {
    let text = kernel("", END);
    let fault = launch(&text, line(4, 4), &mut [0; 4], &[Argument::Local(4)]).unwrap_err();
    assert_eq!(fault.kind, Kind::BadLaunch);
    let fault = launch(&text, line(4, 0), &mut [0; 4], &[]).unwrap_err();
    assert_eq!(fault.kind, Kind::BadLaunch);
}

/// Items write their numbers to local memory and read those of their neighbours.
fn exchange(barrier: &str) -> Report {
    let declarations = "%i272 = OpConstant %int 0x110\n%i512 = OpConstant %int 0x200\n%locals = OpTypeArray %int %i8\n\
                        %local_array = OpTypePointer Workgroup %locals\n%m = OpVariable %local_array Workgroup\n";
    let lines = format!(
        "%own = OpInBoundsAccessChain %local_int %m %id\nOpStore %own %id Aligned 4\n{barrier}\n\
         %n = OpBitwiseXor %int %id %i1\n%other = OpInBoundsAccessChain %local_int %m %n\n\
         %x = OpLoad %int %other Aligned 4\nOpStore %at %x Aligned 4\n{END}"
    );
    let mut words = [9; 8];
    let options = Options {
        sub_group_size: 4,
        ..Options::default()
    };
    let report = launch_with(&kernel(declarations, &lines), line(8, 8), &mut words, &[], &options).unwrap();
    if !barrier.is_empty() {
        assert_eq!(words, [1, 0, 3, 2, 5, 4, 7, 6]);
    }
    report
}

#[test]
fn races() {
    assert!(exchange("OpControlBarrier %i2 %i2 %i272").findings.is_empty());
    // Neighbours are in one sub-group.
    assert!(exchange("OpControlBarrier %i3 %i3 %i272").findings.is_empty());
    let report = exchange("");
    let race = report.findings.iter().find(|f| f.kind == Kind::Race).expect("a race");
    assert_eq!(race.place.opcode, "OpStore");
    assert!(race.detail.contains("OpLoad"), "{race}");
    // A barrier that orders another memory.
    let report = exchange("OpControlBarrier %i2 %i2 %i512");
    assert!(report.findings.iter().any(|f| f.kind == Kind::Race), "{report:?}");
    // Between groups, there is no order.
    let text = kernel("", &format!("OpStore %p %i1 Aligned 4\n{END}"));
    let report = launch(&text, line(2, 1), &mut [0; 4], &[]).unwrap();
    assert_eq!(report.findings.len(), 1, "{report:?}");
    let text = kernel("", &format!("%old = OpAtomicIIncrement %int %p %i1 %i0\n{END}"));
    let report = launch(&text, line(2, 1), &mut [0; 4], &[]).unwrap();
    assert!(report.findings.is_empty(), "{report:?}");
}

#[test]
fn barriers_that_not_all_come_to() {
    let declarations = "%i272 = OpConstant %int 0x110\n";
    let some = format!(
        "%c = OpIEqual %bool %id %i1\nOpBranchConditional %c %a %b\n%a = OpLabel\nOpControlBarrier %i2 %i2 %i272\n\
         OpBranch %b\n%b = OpLabel\n{END}"
    );
    let error = fault(declarations, &some);
    assert_eq!(error.kind, Kind::DivergentBarrier);
    assert!(error.to_string().contains("work-item (0, 0, 0) has ended"), "{error}");
    let two = format!(
        "%c = OpIEqual %bool %id %i1\nOpBranchConditional %c %a %b\n%a = OpLabel\nOpControlBarrier %i2 %i2 %i272\n\
         OpBranch %d\n%b = OpLabel\nOpControlBarrier %i2 %i2 %i272\nOpBranch %d\n%d = OpLabel\n{END}"
    );
    assert_eq!(kind(declarations, &two), Kind::DivergentBarrier);
}
