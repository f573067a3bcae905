// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs: IL, build, compile and link, binaries, specialization constants.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Error, Kernel, Program, Range};
use oxur_conformance::{Allowed, Rig, check, check_infos, expect, intel, spirv, ur};

use crate::known;

fn il(rig: &Rig, name: &str) -> Program {
    Program::with_il(&rig.context, &spirv(name)).expect("urProgramCreateWithIL")
}

/// Whether the `…Exp` forms are there.
pub fn multi_device(rig: &Rig) -> bool {
    !intel("the device says that it has them, the adapter that it has not")
        && rig
            .device
            .info(DeviceInfo::MULTI_DEVICE_COMPILE_SUPPORT_EXP)
            .expect("a truth value")
}

#[test]
fn info() {
    let rig = Rig::new();
    let program = rig.program("basic");
    let get = |p, size, value, size_ret| ur!(urProgramGetInfo(program.raw(), ProgramInfo(p), size, value, size_ret));
    // Binaries are written behind pointers that the caller gives.
    let intel = &[known::LARGER, known::NUMBER];
    check_infos(
        "ProgramInfo",
        &get,
        Allowed {
            skip: &["INFO_BINARIES"],
            intel,
            ..Allowed::default()
        },
    );
    assert_eq!(
        program
            .info::<ContextHandle>(ProgramInfo::CONTEXT)
            .expect("the context"),
        rig.context.raw()
    );
    assert_eq!(program.info::<u32>(ProgramInfo::NUM_DEVICES).expect("the number"), 1);
    assert_eq!(
        program
            .info::<Vec<DeviceHandle>>(ProgramInfo::DEVICES)
            .expect("the devices"),
        [rig.device.raw()]
    );
    assert_eq!(
        program.info::<Vec<u8>>(ProgramInfo::IL).expect("the IL"),
        spirv("basic")
    );
    let names: String = program.info(ProgramInfo::KERNEL_NAMES).expect("the names");
    assert!(names.split(';').any(|name| name == "fill"), "{names}");
    let count: usize = program.info(ProgramInfo::NUM_KERNELS).expect("the number");
    assert_eq!(count, names.split(';').count());
}

#[test]
fn counted() {
    let program = il(&Rig::new(), "basic");
    let count = || program.info::<u32>(ProgramInfo::REFERENCE_COUNT).expect("the count");
    assert_eq!(count(), 1);
    let second = program.clone();
    assert_eq!(count(), 2);
    drop(second);
    assert_eq!(count(), 1);
}

#[test]
fn build_info() {
    let rig = Rig::new();
    let program = il(&rig, "basic");
    let status = |program: &Program| program.build_info::<ProgramBuildStatus>(&rig.device, ProgramBuildInfo::STATUS);
    let raw = intel("the status is OpenCL's number: 0 for success, -1 for none, -2 for an error");
    let expected = if raw {
        ProgramBuildStatus(u32::MAX)
    } else {
        ProgramBuildStatus::NONE
    };
    assert_eq!(status(&program).expect("the status"), expected);
    program.build(&rig.context, "-cl-opt-disable").expect("urProgramBuild");
    let expected = if raw {
        ProgramBuildStatus(0)
    } else {
        ProgramBuildStatus::SUCCESS
    };
    assert_eq!(status(&program).expect("the status"), expected);
    let (raw, device) = (program.raw(), rig.device.raw());
    let get = |p, size, value, size_ret| {
        ur!(urProgramGetBuildInfo(
            raw,
            device,
            ProgramBuildInfo(p),
            size,
            value,
            size_ret
        ))
    };
    check_infos(
        "ProgramBuildInfo",
        &get,
        Allowed {
            intel: &[known::LARGER, known::NUMBER],
            ..Allowed::default()
        },
    );
    let options: String = program
        .build_info(&rig.device, ProgramBuildInfo::OPTIONS)
        .expect("the options");
    assert!(options.contains("-cl-opt-disable"), "{options}");
    let kind: ProgramBinaryType = program
        .build_info(&rig.device, ProgramBuildInfo::BINARY_TYPE)
        .expect("the kind");
    assert_eq!(kind, ProgramBinaryType::EXECUTABLE);
}

#[test]
fn kernels_need_a_build() {
    let rig = Rig::new();
    let program = il(&rig, "basic");
    expect!(check(Kernel::new(&program, "fill")), ERROR_INVALID_PROGRAM_EXECUTABLE);
    // The names are known after the build only.
    if let Err(error) = program.info::<usize>(ProgramInfo::NUM_KERNELS) {
        assert!(error == ResultCode::ERROR_INVALID_PROGRAM_EXECUTABLE, "{error}");
    }
}

#[test]
fn il_that_is_none() {
    let rig = Rig::new();
    let create = |il: &[u8]| {
        let mut program = ProgramHandle::default();
        ur!(urProgramCreateWithIL(
            rig.context.raw(),
            il.as_ptr().cast(),
            il.len(),
            null(),
            &mut program
        ))
    };
    expect!(
        create(b"this is no SPIR-V at all"),
        ERROR_INVALID_BINARY | ERROR_INVALID_VALUE
    );
    expect!(create(&[]), ERROR_INVALID_SIZE);
    let mut program = ProgramHandle::default();
    expect!(
        ur!(urProgramCreateWithIL(
            rig.context.raw(),
            null(),
            64,
            null(),
            &mut program
        )),
        ERROR_INVALID_NULL_POINTER
    );
}

#[test]
fn build_log_of_a_bad_module() {
    let rig = Rig::new();
    // A right head, and a capability that nobody has.
    let words = [0x0723_0203u32, 0x0001_0000, 0, 1, 0, 2 << 16 | 17, 0x7fff];
    let il: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let program = match Program::with_il(&rig.context, &il) {
        Ok(program) => program,
        Err(error) => return assert!(error == ResultCode::ERROR_INVALID_BINARY, "{error}"),
    };
    expect!(
        check(program.build(&rig.context, "")),
        ERROR_PROGRAM_BUILD_FAILURE | ERROR_INVALID_BINARY
    );
    let status = program
        .build_info::<ProgramBuildStatus>(&rig.device, ProgramBuildInfo::STATUS)
        .expect("the status");
    let raw = intel("the status is OpenCL's number: -2 for an error");
    assert_eq!(
        status,
        if raw {
            ProgramBuildStatus(-2i32 as u32)
        } else {
            ProgramBuildStatus::ERROR
        }
    );
    let log: String = program.build_info(&rig.device, ProgramBuildInfo::LOG).expect("the log");
    assert!(!log.is_empty(), "the log says what is wrong");
}

#[test]
fn unresolved_function() {
    let rig = Rig::new();
    let program = il(&rig, "link_kernel");
    expect!(
        check(program.build(&rig.context, "")),
        ERROR_PROGRAM_BUILD_FAILURE | ERROR_PROGRAM_LINK_FAILURE
    );
    let log: String = program.build_info(&rig.device, ProgramBuildInfo::LOG).expect("the log");
    assert!(log.contains("twice"), "the log names what is missing: {log}");
}

fn run_twice(rig: &Rig, program: &Program) {
    let data = rig.buffer(&[1i32, 2, 3, 4]);
    let kernel = Kernel::new(program, "call_twice").expect("urKernelCreate");
    rig.run(&kernel, &Range::new([4]), &[Arg::mem(&data)]);
    assert_eq!(rig.contents::<i32>(&data), [2, 4, 6, 8]);
}

#[test]
fn compile_and_link() {
    let rig = Rig::new();
    let parts = [il(&rig, "link_kernel"), il(&rig, "link_function")];
    for part in &parts {
        part.compile(&rig.context, "").expect("urProgramCompile");
        let kind: ProgramBinaryType = part
            .build_info(&rig.device, ProgramBuildInfo::BINARY_TYPE)
            .expect("the kind");
        assert_eq!(kind, ProgramBinaryType::COMPILED_OBJECT);
    }
    let program = Program::link(&rig.context, &parts.each_ref(), "").expect("urProgramLink");
    run_twice(&rig, &program);
}

#[test]
fn link_failure() {
    let rig = Rig::new();
    let part = il(&rig, "link_kernel");
    part.compile(&rig.context, "").expect("urProgramCompile");
    let handle = part.raw();
    // Not null, so that it shows whether a failed link leaves something behind.
    let mut linked = ProgramHandle::default();
    expect!(
        ur!(urProgramLink(rig.context.raw(), 1, &handle, null(), &mut linked)),
        ERROR_PROGRAM_LINK_FAILURE
    );
    if !linked.is_null() {
        expect!(ur!(urProgramRelease(linked)), SUCCESS);
    }
    expect!(ur!(urProgramLink(rig.context.raw(), 0, &handle, null(), &mut linked)), ERROR_INVALID_SIZE;
        intel ERROR_INVALID_VALUE, known::PASSED_ON);
}

#[test]
fn build_for_devices() {
    let rig = Rig::new();
    let program = il(&rig, "basic");
    let result = program.build_for(&[&rig.device], ExpProgramFlags::empty(), "");
    if !multi_device(&rig) {
        return expect!(check(result), ERROR_UNSUPPORTED_FEATURE | SUCCESS);
    }
    result.expect("urProgramBuildExp");
    Kernel::new(&program, "fill").expect("urKernelCreate");
}

#[test]
fn compile_and_link_for_devices() {
    let rig = Rig::new();
    let (devices, flags) = ([&rig.device], ExpProgramFlags::empty());
    let parts = [il(&rig, "link_kernel"), il(&rig, "link_function")];
    if !multi_device(&rig) {
        let result = parts[0].compile_for(&devices, flags, "");
        return expect!(check(result), ERROR_UNSUPPORTED_FEATURE | SUCCESS);
    }
    for part in &parts {
        part.compile_for(&devices, flags, "").expect("urProgramCompileExp");
    }
    let program = Program::link_for(&rig.context, &devices, flags, &parts.each_ref(), "").expect("urProgramLinkExp");
    run_twice(&rig, &program);
}

#[test]
fn binaries_round_trip() {
    let rig = Rig::new();
    let program = rig.program("basic");
    let binaries = program.binaries().expect("the binaries");
    assert_eq!(binaries.len(), 1);
    assert!(!binaries[0].is_empty());
    let again =
        Program::with_binaries(&rig.context, &[&rig.device], &[&binaries[0]]).expect("urProgramCreateWithBinary");
    again.build(&rig.context, "").expect("urProgramBuild");
    let data = rig.buffer(&[0i32; 4]);
    let kernel = Kernel::new(&again, "fill").expect("urKernelCreate");
    rig.run(&kernel, &Range::new([4]), &[Arg::mem(&data), Arg::value(&9i32)]);
    assert_eq!(rig.contents::<i32>(&data), [9; 4]);
    assert!(again.info::<Vec<u8>>(ProgramInfo::IL).expect("no IL").is_empty());
}

#[test]
fn binary_that_is_none() {
    let rig = Rig::new();
    let result = Program::with_binaries(&rig.context, &[&rig.device], &[b"this is no binary at all"]);
    expect!(check(result), ERROR_INVALID_NATIVE_BINARY | ERROR_INVALID_BINARY);
    let (mut device, mut size, mut none) = (rig.device.raw(), 0usize, null());
    let mut program = ProgramHandle::default();
    expect!(
        ur!(urProgramCreateWithBinary(
            rig.context.raw(),
            1,
            &mut device,
            &mut size,
            &mut none,
            null(),
            &mut program
        )),
        ERROR_INVALID_SIZE | ERROR_INVALID_NULL_POINTER | ERROR_INVALID_VALUE
    );
}

#[test]
fn specialization_constants() {
    let rig = Rig::new();
    let constants = |set: &dyn Fn(&Program)| {
        let program = il(&rig, "spec_constants");
        set(&program);
        program.build(&rig.context, "").expect("urProgramBuild");
        let out = rig.buffer(&[0f64; 3]);
        let kernel = Kernel::new(&program, "constants").expect("urKernelCreate");
        rig.run(&kernel, &Range::new([1]), &[Arg::mem(&out)]);
        rig.contents::<f64>(&out)
    };
    let supported: bool = rig
        .device
        .info(DeviceInfo::PROGRAM_SET_SPECIALIZATION_CONSTANTS)
        .expect("a truth value");
    assert_eq!(constants(&|_| ()), [10.0, 20.5, 30.0], "the defaults");
    if !supported {
        return expect!(
            check(il(&rig, "spec_constants").specialize(&[(1, 0i32)])),
            ERROR_UNSUPPORTED_FEATURE
        );
    }
    assert_eq!(
        constants(&|program| program.specialize(&[(1, -5i32)]).expect("an int")),
        [-5.0, 20.5, 30.0]
    );
    let all = constants(&|program| {
        program.specialize(&[(1, 1i32)]).expect("an int");
        program.specialize(&[(2, 2.5f64)]).expect("a double");
        program.specialize(&[(7, 3i16)]).expect("a short");
    });
    assert_eq!(all, [1.0, 2.5, 3.0]);
    let last = constants(&|program| {
        program.specialize(&[(1, 1i32)]).expect("an int");
        program.specialize(&[(1, 2i32)]).expect("another");
    });
    assert_eq!(last, [2.0, 20.5, 30.0], "the last value counts");
}

#[test]
fn specialization_constants_that_are_refused() {
    let rig = Rig::new();
    if !rig.supports(
        DeviceInfo::PROGRAM_SET_SPECIALIZATION_CONSTANTS,
        "specialization constants",
    ) {
        return;
    }
    let program = il(&rig, "spec_constants");
    expect!(
        check(program.specialize(&[(99, 1i32)])),
        ERROR_INVALID_SPEC_ID | SUCCESS
    );
    let program = program.raw();
    expect!(ur!(urProgramSetSpecializationConstants(program, 1, null())), ERROR_INVALID_NULL_POINTER;
        intel crash, known::UNCHECKED);
    let (value, size) = (1i64, 4);
    let constant = |size, value| SpecializationConstantInfo {
        id: 1,
        size,
        pValue: value,
    };
    let (too_long, nothing) = (constant(8, (&raw const value).cast()), constant(size, null()));
    expect!(
        ur!(urProgramSetSpecializationConstants(program, 1, &too_long)),
        ERROR_INVALID_VALUE
    );
    expect!(
        ur!(urProgramSetSpecializationConstants(program, 1, &nothing)),
        ERROR_INVALID_VALUE
    );
    let one = SpecializationConstantInfo::default();
    expect!(ur!(urProgramSetSpecializationConstants(program, 0, &one)), ERROR_INVALID_SIZE; intel SUCCESS, known::UNCHECKED);
}

#[test]
fn metadata() {
    let rig = Rig::new();
    let il = spirv("basic");
    let entry = ProgramMetadata {
        pName: c"fill@reqd_work_group_size".as_ptr(),
        r#type: ProgramMetadataType::UINT32,
        size: 4,
        value: ProgramMetadataValue { data32: 1 },
    };
    let properties = ProgramProperties {
        count: 1,
        pMetadatas: &entry,
        ..Default::default()
    };
    // SAFETY: complete properties.
    let program = unsafe { Program::with_il_and(&rig.context, &il, &properties) }.expect("metadata is no error");
    program.build(&rig.context, "").expect("urProgramBuild");
}

#[test]
fn unknown_function_pointer() {
    let rig = Rig::new();
    let (program, mut pointer) = (rig.program("basic"), null_mut());
    let get = |name: &std::ffi::CStr, pointer: &mut *mut c_void| {
        ur!(urProgramGetFunctionPointer(
            rig.device.raw(),
            program.raw(),
            name.as_ptr(),
            pointer
        ))
    };
    expect!(
        get(c"no_such_function", &mut pointer),
        ERROR_INVALID_KERNEL_NAME | ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE | ERROR_UNSUPPORTED_FEATURE
    );
    expect!(
        get(c"fill", &mut pointer),
        SUCCESS | ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE | ERROR_UNSUPPORTED_FEATURE
    );
}

#[test]
fn function_pointers_that_are_refused() {
    let rig = Rig::new();
    let (program, mut pointer) = (il(&rig, "basic"), null_mut());
    let (device, raw) = (rig.device.raw(), program.raw());
    let early = program.function_pointer(&rig.device, "fill");
    expect!(check(early), ERROR_INVALID_PROGRAM_EXECUTABLE);
    program.build(&rig.context, "").expect("urProgramBuild");
    expect!(ur!(urProgramGetFunctionPointer(device, raw, null(), &mut pointer)), ERROR_INVALID_NULL_POINTER;
        intel SUCCESS, known::UNCHECKED);
    expect!(ur!(urProgramGetFunctionPointer(device, raw, c"fill".as_ptr(), null_mut())), ERROR_INVALID_NULL_POINTER;
        intel crash, known::UNCHECKED);
}

#[test]
fn two_modules_with_the_same_names() {
    let rig = Rig::new();
    let (a, b) = (rig.program("basic"), rig.program("basic"));
    let data = rig.buffer(&[0i32; 4]);
    for (program, value) in [(&a, 1i32), (&b, 2)] {
        let kernel = Kernel::new(program, "fill").expect("urKernelCreate");
        rig.run(&kernel, &Range::new([4]), &[Arg::mem(&data), Arg::value(&value)]);
        assert_eq!(rig.contents::<i32>(&data), [value; 4]);
    }
}

#[test]
fn options_that_do_not_exist() {
    let rig = Rig::new();
    let program = il(&rig, "basic");
    match program.build(&rig.context, "-this-is-no-option") {
        Ok(()) => println!("unknown options are ignored"),
        Err(Error::Ur { code, .. }) => assert!(
            [
                ResultCode::ERROR_PROGRAM_BUILD_FAILURE,
                ResultCode::ERROR_INVALID_VALUE,
                ResultCode::ERROR_ADAPTER_SPECIFIC
            ]
            .contains(&code),
            "{code:?}"
        ),
        Err(error) => panic!("{error}"),
    }
}
