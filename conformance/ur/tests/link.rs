// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Linking: programs that need each other, what is wrong with those that do not fit, and links for several devices.

use std::ptr::null;

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Context, Device, Kernel, Program, Queue, Range};
use oxur_conformance::{Rig, check, expect, intel, spirv, ur};

use crate::known;
use crate::program::multi_device;

fn il(context: &Context, name: &str) -> Program {
    Program::with_il(context, &spirv(name)).expect("urProgramCreateWithIL")
}

/// What `chain` needs: its kernel, a function, and a function with a variable.
const CHAIN: [&str; 3] = ["linking.kernel", "linking.first", "linking.second"];

/// The three as programs that can be linked.
fn chain(rig: &Rig) -> [Program; 3] {
    CHAIN.map(|name| rig.part(name))
}

/// Runs `chain` and compares: 10 (x + 1).
#[track_caller]
fn run_chain(rig: &Rig, program: &Program) {
    let data = rig.buffer(&[1i32, 2, 3, 4]);
    let kernel = Kernel::new(program, "chain").expect("urKernelCreate");
    rig.run(&kernel, &Range::new([4]), &[Arg::mem(&data)]);
    assert_eq!(rig.contents::<i32>(&data), [20, 30, 40, 50]);
}

fn kind(rig: &Rig, program: &Program) -> ProgramBinaryType {
    program
        .build_info(&rig.device, ProgramBuildInfo::BINARY_TYPE)
        .expect("the kind")
}

/// Asserts that a link fails, with a log that names all of these.
#[track_caller]
fn assert_refused(rig: &Rig, parts: &[&Program], names: &[&str]) {
    let (code, log) = rig.link(parts, c"").expect_err("these do not fit together");
    assert_eq!(code, ResultCode::ERROR_PROGRAM_LINK_FAILURE, "{log}");
    if intel("a failed link leaves no program that could have a log") {
        return assert!(log.is_empty(), "{log}");
    }
    for name in names {
        assert!(log.contains(name), "the log names {name}: {log}");
    }
}

#[test]
fn functions_and_variables_of_three_programs() {
    let rig = Rig::new();
    let [kernel, first, second] = &chain(&rig);
    for order in [
        [kernel, first, second],
        [second, kernel, first],
        [first, second, kernel],
    ] {
        let program = rig.link(&order, c"").expect("urProgramLink");
        assert_eq!(kind(&rig, &program), ProgramBinaryType::EXECUTABLE);
        let names: String = program.info(ProgramInfo::KERNEL_NAMES).expect("the names");
        assert_eq!(names, "chain");
        run_chain(&rig, &program);
    }
}

#[test]
fn each_link_has_its_own_variables() {
    let rig = Rig::new();
    if !crate::global::supported(&rig) {
        return;
    }
    let parts = chain(&rig);
    let [one, other] = [(); 2].map(|()| rig.link(&parts.each_ref(), c"").expect("urProgramLink"));
    // The variable is the one that the function in another program reads.
    rig.queue.global_write(&one, "weight", 0, &[-1i32], &[]).expect("write");
    let data = rig.buffer(&[1i32]);
    let kernel = Kernel::new(&one, "chain").expect("urKernelCreate");
    rig.run(&kernel, &Range::new([1]), &[Arg::mem(&data)]);
    assert_eq!(rig.contents::<i32>(&data), [-2]);
    run_chain(&rig, &other);
}

#[test]
fn parts_stay_as_they_are() {
    let rig = Rig::new();
    let parts = chain(&rig);
    drop(rig.link(&parts.each_ref(), c"").expect("urProgramLink"));
    for part in &parts {
        assert_eq!(kind(&rig, part), ProgramBinaryType::COMPILED_OBJECT);
        expect!(check(Kernel::new(part, "chain")), ERROR_INVALID_PROGRAM_EXECUTABLE);
    }
    let program = rig.link(&parts.each_ref(), c"").expect("a second link");
    drop(parts);
    run_chain(&rig, &program);
}

#[test]
fn missing_symbols_are_named() {
    let rig = Rig::new();
    let [kernel, first, second] = &chain(&rig);
    assert_refused(&rig, &[kernel], &["first"]);
    assert_refused(&rig, &[kernel, second], &["first"]);
    assert_refused(&rig, &[kernel, first], &["second"]);
    // A build is a link, too.
    let alone = il(&rig.context, "linking.kernel");
    expect!(
        check(alone.build(&rig.context, "")),
        ERROR_PROGRAM_BUILD_FAILURE | ERROR_PROGRAM_LINK_FAILURE
    );
    let log: String = alone.build_info(&rig.device, ProgramBuildInfo::LOG).expect("the log");
    assert!(log.contains("first"), "{log}");
}

#[test]
fn all_missing_symbols_are_named() {
    let rig = Rig::new();
    let part = rig.part("linking.needs_two");
    assert_refused(&rig, &[&part], &["one_function", "another_function"]);
}

#[test]
fn a_missing_variable_is_named() {
    let rig = Rig::new();
    let [kernel, first, _] = &chain(&rig);
    let without_variable = rig.part("linking.second_again");
    assert_refused(&rig, &[kernel, first, &without_variable], &["weight"]);
}

#[test]
fn duplicate_symbols_are_named() {
    let rig = Rig::new();
    let [kernel, first, second] = &chain(&rig);
    let again = rig.part("linking.second_again");
    assert_refused(&rig, &[kernel, first, second, &again], &["second"]);
    assert_refused(&rig, &[kernel, first, first, second], &["first"]);
}

#[test]
fn duplicate_kernels_are_named() {
    let rig = Rig::new();
    let [kernel, first, second] = &chain(&rig);
    let again = rig.part("linking.kernel_again");
    assert_refused(&rig, &[kernel, first, second, &again], &["chain"]);
}

#[test]
fn definitions_that_several_programs_have() {
    let rig = Rig::new();
    let parts = ["linkonce.one", "linkonce.other"].map(|name| rig.part(name));
    let program = rig.link(&parts.each_ref(), c"").expect("urProgramLink");
    let out = rig.buffer(&[0i32]);
    let kernels = ["one", "other"].map(|name| Kernel::new(&program, name).expect("urKernelCreate"));
    for (which, sum) in [(0, 1), (1, 11), (1, 21), (0, 22)] {
        rig.run(&kernels[which], &Range::new([1]), &[Arg::mem(&out)]);
        assert_eq!(rig.contents::<i32>(&out), [sum], "there is one variable");
    }
    // One of them is a whole program.
    let alone = rig.program("linkonce.other");
    let kernel = Kernel::new(&alone, "other").expect("urKernelCreate");
    rig.run(&kernel, &Range::new([1]), &[Arg::mem(&out)]);
    assert_eq!(rig.contents::<i32>(&out), [10]);
}

#[test]
fn libraries_are_linked_again() {
    let rig = Rig::new();
    let [kernel, first, second] = &chain(&rig);
    // It may lack what is linked to it later.
    let library = rig.link(&[first, second], c"-create-library").expect("a library");
    assert_eq!(kind(&rig, &library), ProgramBinaryType::LIBRARY);
    expect!(
        check(Kernel::new(&library, "chain")),
        ERROR_INVALID_PROGRAM_EXECUTABLE | ERROR_INVALID_KERNEL_NAME
    );
    run_chain(&rig, &rig.link(&[kernel, &library], c"").expect("urProgramLink"));
    let larger = rig
        .link(&[kernel, &library], c"-create-library")
        .expect("a library of a library");
    run_chain(&rig, &rig.link(&[&larger], c"").expect("urProgramLink"));
}

#[test]
fn a_library_that_lacks_something() {
    let rig = Rig::new();
    let [kernel, first, second] = &chain(&rig);
    let library = rig.link(&[kernel, first], c"-create-library").expect("a library");
    assert_refused(&rig, &[&library], &["second"]);
    run_chain(&rig, &rig.link(&[&library, second], c"").expect("urProgramLink"));
}

#[test]
fn compiled_parts_by_way_of_their_binaries() {
    let rig = Rig::new();
    let parts = chain(&rig).map(|part| {
        let binary = part.binaries().expect("the binaries").remove(0);
        let part = Program::with_binaries(&rig.context, &[&rig.device], &[&binary]).expect("urProgramCreateWithBinary");
        assert_eq!(kind(&rig, &part), ProgramBinaryType::COMPILED_OBJECT);
        part
    });
    run_chain(&rig, &rig.link(&parts.each_ref(), c"").expect("urProgramLink"));
}

#[test]
fn an_executable_is_linked_again() {
    let rig = Rig::new();
    let program = rig.link(&chain(&rig).each_ref(), c"").expect("urProgramLink");
    let other = rig.part("linkonce.one");
    // UR does not say; OpenCL wants compiled programs and libraries.
    match rig.link(&[&program, &other], c"") {
        Ok(both) => {
            run_chain(&rig, &both);
            Kernel::new(&both, "one").expect("urKernelCreate");
        }
        Err((code, _)) => expect!(code, ERROR_INVALID_OPERATION),
    }
}

#[test]
fn programs_that_were_not_compiled() {
    let rig = Rig::new();
    let [_, first, second] = &chain(&rig);
    let kernel = il(&rig.context, "linking.kernel");
    let (code, _) = rig
        .link(&[&kernel, first, second], c"")
        .expect_err("it was not compiled");
    expect!(code, ERROR_INVALID_OPERATION);
}

#[test]
fn programs_of_another_context() {
    let rig = Rig::new();
    let [_, first, second] = &chain(&rig);
    let other = Context::new(&[&rig.device]).expect("urContextCreate");
    let kernel = il(&other, "linking.kernel");
    kernel.compile(&other, "").expect("urProgramCompile");
    let (code, _) = rig.link(&[&kernel, first, second], c"").expect_err("one context");
    expect!(
        code,
        ERROR_INVALID_PROGRAM | ERROR_INVALID_CONTEXT | ERROR_PROGRAM_LINK_FAILURE
    );
}

#[test]
fn null_arguments() {
    let rig = Rig::new();
    let part = rig.part("linking.second");
    let (context, handle, mut linked) = (rig.context.raw(), part.raw(), ProgramHandle::default());
    expect!(ur!(urProgramLink(context, 1, null(), null(), &mut linked)), ERROR_INVALID_NULL_POINTER;
        intel crash, known::UNCHECKED);
    let no_place = std::ptr::null_mut();
    expect!(ur!(urProgramLink(context, 1, &handle, null(), no_place)), ERROR_INVALID_NULL_POINTER;
        intel crash, known::UNCHECKED);
    let none = ProgramHandle::default();
    expect!(ur!(urProgramLink(context, 1, &none, null(), &mut linked)), ERROR_INVALID_NULL_HANDLE;
        intel crash, known::UNCHECKED);
}

#[test]
fn constants_that_are_set_before_the_compilation() {
    let rig = Rig::new();
    let supported: bool = rig
        .device
        .info(DeviceInfo::PROGRAM_SET_SPECIALIZATION_CONSTANTS)
        .expect("a truth value");
    if !supported {
        return println!("this device has no specialization constants");
    }
    let run = |parts: [&Program; 2]| {
        let program = rig.link(&parts, c"").expect("urProgramLink");
        let out = rig.buffer(&[0i32; 2]);
        let kernel = Kernel::new(&program, "amounts").expect("urKernelCreate");
        rig.run(&kernel, &Range::new([1]), &[Arg::mem(&out)]);
        rig.contents::<i32>(&out)
    };
    let part = |name: &str, value: Option<i32>| {
        let part = il(&rig.context, name);
        if let Some(value) = value {
            part.specialize(&[(1, value)]).expect("an int");
        }
        part.compile(&rig.context, "").expect("urProgramCompile");
        part
    };
    let with = |first, second| run([&part("linking.amounts", first), &part("linking.amount", second)]);
    assert_eq!(with(None, None), [10, 20], "the defaults");
    assert_eq!(with(Some(1), None), [1, 20]);
    assert_eq!(with(None, Some(2)), [10, 2]);
    assert_eq!(with(Some(1), Some(2)), [1, 2], "each program has its own constant 1");
    // What is set later counts from the next compilation on.
    let (amounts, amount) = (part("linking.amounts", Some(1)), part("linking.amount", Some(2)));
    let before = rig.link(&[&amounts, &amount], c"").expect("urProgramLink");
    amount.specialize(&[(1, 3i32)]).expect("an int");
    assert_eq!(run([&amounts, &amount]), [1, 2], "not compiled again");
    match check(amount.compile(&rig.context, "")) {
        ResultCode::SUCCESS => assert_eq!(run([&amounts, &amount]), [1, 3]),
        // Intel's driver compiles a program once.
        code => expect!(code, ERROR_PROGRAM_BUILD_FAILURE; intel ERROR_UNKNOWN, known::UNMAPPED),
    }
    let out = rig.buffer(&[0i32; 2]);
    let kernel = Kernel::new(&before, "amounts").expect("urKernelCreate");
    rig.run(&kernel, &Range::new([1]), &[Arg::mem(&out)]);
    assert_eq!(rig.contents::<i32>(&out), [1, 2], "what was linked before stays");
}

/// A context of two parts of the device, where it has any.
fn parts_of_the_device(rig: &Rig) -> Option<(Context, Vec<Device>)> {
    let one = DevicePartitionProperty {
        r#type: DevicePartition::EQUALLY,
        value: DevicePartitionValue { equally: 1 },
    };
    match rig.device.partition(&[one]) {
        Ok(parts) if parts.len() >= 2 => {
            let context = Context::new(&[&parts[0], &parts[1]]).expect("urContextCreate");
            Some((context, parts))
        }
        _ => {
            println!("this device cannot be split");
            None
        }
    }
}

#[test]
fn a_link_for_two_devices() {
    let rig = Rig::new();
    let Some((context, devices)) = parts_of_the_device(&rig) else {
        return;
    };
    let devices = [&devices[0], &devices[1]];
    let parts = CHAIN.map(|name| il(&context, name));
    let program = if multi_device(&rig) {
        let none = ExpProgramFlags::empty();
        for part in &parts {
            part.compile_for(&devices, none, "").expect("urProgramCompileExp");
        }
        Program::link_for(&context, &devices, none, &parts.each_ref(), "").expect("urProgramLinkExp")
    } else {
        for part in &parts {
            part.compile(&context, "").expect("urProgramCompile");
        }
        Program::link(&context, &parts.each_ref(), "").expect("urProgramLink")
    };
    assert_eq!(program.info::<u32>(ProgramInfo::NUM_DEVICES).expect("the number"), 2);
    let kernel = Kernel::new(&program, "chain").expect("urKernelCreate");
    for device in devices {
        let kind: ProgramBinaryType = program
            .build_info(device, ProgramBuildInfo::BINARY_TYPE)
            .expect("the kind");
        assert_eq!(kind, ProgramBinaryType::EXECUTABLE);
        let queue = Queue::new(&context, device, QueueFlags::empty()).expect("urQueueCreate");
        let data =
            oxur_conformance::client::Buffer::with(&context, MemFlags::READ_WRITE, &[1i32, 2]).expect("a buffer");
        // SAFETY: the kernel multiplies the two values of the buffer, which lives until the read below has waited.
        unsafe { queue.launch(&kernel, &Range::new([2]), &[Arg::mem(&data)], &[]) }.expect("launch");
        let mut values = [0i32; 2];
        queue.read(&data, 0, &mut values, &[]).expect("read");
        assert_eq!(values, [20, 30]);
    }
}

#[test]
fn errors_of_the_forms_for_devices() {
    let rig = Rig::new();
    if !multi_device(&rig) {
        let program = il(&rig.context, "linking.second");
        let result = program.compile_for(&[&rig.device], ExpProgramFlags::empty(), "");
        return expect!(check(result), ERROR_UNSUPPORTED_FEATURE | SUCCESS);
    }
    let (part, program) = (rig.part("linking.second"), il(&rig.context, "linking.second"));
    let (context, mut device, none) = (rig.context.raw(), rig.device.raw(), ExpProgramFlags::empty());
    let unknown = ExpProgramFlags::from_bits_retain(1 << 7);
    let (null_devices, handle, mut linked) = (std::ptr::null_mut(), part.raw(), ProgramHandle::default());
    let raw = program.raw();
    let link = |devices, flags, count, programs, linked: &mut ProgramHandle| {
        ur!(urProgramLinkExp(
            context,
            1,
            devices,
            flags,
            count,
            programs,
            null(),
            linked
        ))
    };
    expect!(
        ur!(urProgramBuildExp(raw, 1, null_devices, none, null())),
        ERROR_INVALID_NULL_POINTER
    );
    expect!(
        ur!(urProgramCompileExp(raw, 1, null_devices, none, null())),
        ERROR_INVALID_NULL_POINTER
    );
    expect!(
        link(null_devices, none, 1, &handle, &mut linked),
        ERROR_INVALID_NULL_POINTER
    );
    expect!(
        link(&mut device, none, 1, null(), &mut linked),
        ERROR_INVALID_NULL_POINTER
    );
    expect!(
        ur!(urProgramBuildExp(raw, 1, &mut device, unknown, null())),
        ERROR_INVALID_ENUMERATION
    );
    expect!(
        ur!(urProgramCompileExp(raw, 1, &mut device, unknown, null())),
        ERROR_INVALID_ENUMERATION
    );
    expect!(
        link(&mut device, unknown, 1, &handle, &mut linked),
        ERROR_INVALID_ENUMERATION
    );
    expect!(link(&mut device, none, 0, &handle, &mut linked), ERROR_INVALID_SIZE);
    let mut no_device = DeviceHandle::default();
    expect!(
        ur!(urProgramCompileExp(raw, 1, &mut no_device, none, null())),
        ERROR_INVALID_NULL_HANDLE
    );
    assert!(linked.is_null());
    // A device of the platform that is none of the context's.
    let Some((parted, _)) = parts_of_the_device(&rig) else {
        return;
    };
    let program = il(&parted, "linking.second");
    expect!(
        check(program.compile_for(&[&rig.device], none, "")),
        ERROR_INVALID_DEVICE
    );
}

#[test]
fn a_failed_link_for_devices_has_a_log() {
    let rig = Rig::new();
    if !multi_device(&rig) {
        return;
    }
    let (part, mut device, mut linked) = (rig.part("linking.kernel"), rig.device.raw(), ProgramHandle::default());
    let (handle, none) = (part.raw(), ExpProgramFlags::empty());
    expect!(
        ur!(urProgramLinkExp(
            rig.context.raw(),
            1,
            &mut device,
            none,
            1,
            &handle,
            null(),
            &mut linked
        )),
        ERROR_PROGRAM_LINK_FAILURE
    );
    assert!(!linked.is_null());
    // SAFETY: a new program comes with one reference.
    let linked = unsafe { Program::from_raw(oxur_conformance::loader(), linked) };
    let log: String = linked.build_info(&rig.device, ProgramBuildInfo::LOG).expect("the log");
    assert!(log.contains("first"), "{log}");
}

/// The device says whether programs can be linked to each other dynamically; where they cannot, the function says so.
fn dynamically(rig: &Rig) -> bool {
    let supported = rig.device.info::<bool>(DeviceInfo::DYNAMIC_LINK_SUPPORT_EXP);
    if supported.is_ok_and(|supported| supported) {
        return true;
    }
    let part = rig.part("linking.second");
    expect!(
        check(Program::link_dynamically(&rig.context, &[&part])),
        ERROR_UNSUPPORTED_FEATURE
    );
    let open = ExpProgramFlags::ALLOW_UNRESOLVED_SYMBOLS;
    let program = il(&rig.context, "linking.first");
    expect!(
        check(program.build_for(&[&rig.device], open, "")),
        ERROR_UNSUPPORTED_FEATURE
    );
    false
}

/// Programs that are built, with what others have left open.
fn open_programs<const N: usize>(rig: &Rig, names: [&str; N]) -> [Program; N] {
    names.map(|name| {
        let program = il(&rig.context, name);
        let open = ExpProgramFlags::ALLOW_UNRESOLVED_SYMBOLS;
        program.build_for(&[&rig.device], open, "").expect("urProgramBuildExp");
        program
    })
}

#[test]
fn a_dynamic_link() {
    let rig = Rig::new();
    if !dynamically(&rig) {
        return;
    }
    let [kernel, first, second] = open_programs(&rig, CHAIN);
    // Before the link there is no such kernel, and the log says why.
    expect!(check(Kernel::new(&kernel, "chain")), ERROR_PROGRAM_LINK_FAILURE);
    let log: String = kernel.build_info(&rig.device, ProgramBuildInfo::LOG).expect("the log");
    assert!(log.contains("first"), "{log}");
    let linked = Program::link_dynamically(&rig.context, &[&kernel, &first, &second]);
    linked.expect("urProgramDynamicLinkExp");
    // Each is a program of its own, with its kernels and its variables.
    run_chain(&rig, &kernel);
    assert_eq!(kernel.info::<usize>(ProgramInfo::NUM_KERNELS).expect("the number"), 1);
    assert_eq!(second.info::<usize>(ProgramInfo::NUM_KERNELS).expect("the number"), 0);
    expect!(check(Kernel::new(&second, "chain")), ERROR_INVALID_KERNEL_NAME);
    let mut weight = [0i32];
    let read = rig.queue.global_read(&second, "weight", 0, &mut weight, &[]);
    read.expect("the variable is there");
    assert_eq!(weight, [10]);
    let imported = check(rig.queue.global_read(&kernel, "weight", 0, &mut weight, &[]));
    if imported == ResultCode::SUCCESS {
        // Level Zero tells what a module imports.
        assert_eq!(weight, [10]);
    } else {
        expect!(imported, ERROR_INVALID_VALUE);
    }
    // And they share what they have linked.
    rig.queue
        .global_write(&second, "weight", 0, &[0i32], &[])
        .expect("write");
    let data = rig.buffer(&[1i32]);
    let chain = Kernel::new(&kernel, "chain").expect("urKernelCreate");
    drop([first, second]);
    rig.run(&chain, &Range::new([1]), &[Arg::mem(&data)]);
    assert_eq!(rig.contents::<i32>(&data), [0]);
}

#[test]
fn a_dynamic_link_of_definitions_that_several_programs_have() {
    let rig = Rig::new();
    if !dynamically(&rig) {
        return;
    }
    let programs = ["linkonce.one", "linkonce.other"].map(|name| rig.program(name));
    let linked = Program::link_dynamically(&rig.context, &programs.each_ref());
    linked.expect("urProgramDynamicLinkExp");
    // There is one variable, and each program has its name.
    let [one, other] = &programs;
    for (program, kernel, start, sum) in [(one, "one", 5, 6), (other, "other", 100, 110)] {
        let wrote = rig.queue.global_write(other, "counter", 0, &[start], &[]);
        wrote.expect("write");
        let (out, kernel) = (
            rig.buffer(&[0i32]),
            Kernel::new(program, kernel).expect("urKernelCreate"),
        );
        rig.run(&kernel, &Range::new([1]), &[Arg::mem(&out)]);
        assert_eq!(rig.contents::<i32>(&out), [sum]);
        for program in &programs {
            let mut counter = [0i32];
            let read = rig.queue.global_read(program, "counter", 0, &mut counter, &[]);
            read.expect("read");
            assert_eq!(counter, [sum]);
        }
    }
}

/// Either the kernel is there first, and the link is refused, or it is one of the link's.
#[test]
fn a_dynamic_link_while_a_kernel_is_created() {
    let rig = Rig::new();
    if !dynamically(&rig) {
        return;
    }
    let (mut linked, mut refused) = (0, 0);
    for round in 0..200 {
        let programs = ["linkonce.one", "linkonce.other"].map(|name| rig.program(name));
        let start = std::sync::Barrier::new(2);
        let (kernel, link) = std::thread::scope(|scope| {
            let kernel = scope.spawn(|| {
                start.wait();
                // Sometimes before the link, sometimes within it, sometimes after it.
                (0..round * 10).for_each(|_| std::hint::spin_loop());
                Kernel::new(&programs[0], "one").expect("urKernelCreate")
            });
            start.wait();
            let link = check(Program::link_dynamically(&rig.context, &programs.each_ref()));
            (kernel.join().expect("a kernel"), link)
        });
        match link {
            ResultCode::SUCCESS => linked += 1,
            code => {
                expect!(code, ERROR_INVALID_OPERATION);
                refused += 1;
            }
        }
        let out = rig.buffer(&[0i32]);
        rig.run(&kernel, &Range::new([1]), &[Arg::mem(&out)]);
        let mut counter = [0i32];
        let read = rig.queue.global_read(&programs[0], "counter", 0, &mut counter, &[]);
        read.expect("read");
        assert_eq!(counter, [1], "round {round}: the kernel has the program's variable");
    }
    println!("{linked} linked, {refused} refused");
}

#[test]
fn a_part_of_a_dynamic_link_by_way_of_its_binary() {
    let rig = Rig::new();
    if !dynamically(&rig) {
        return;
    }
    let programs = chain(&rig);
    let link = |programs: &[Program; 3]| Program::link_dynamically(&rig.context, &programs.each_ref());
    link(&programs).expect("urProgramDynamicLinkExp");
    let from_binary = |program: &Program| {
        let binary = program.binaries().expect("the binaries").remove(0);
        Program::with_binaries(&rig.context, &[&rig.device], &[&binary]).expect("urProgramCreateWithBinary")
    };
    // What can run is all of them together: a binary of one is to be linked again.
    let parts = programs.each_ref().map(|program| {
        assert_eq!(kind(&rig, program), ProgramBinaryType::EXECUTABLE);
        let part = from_binary(program);
        assert_eq!(kind(&rig, &part), ProgramBinaryType::COMPILED_OBJECT);
        part
    });
    run_chain(&rig, &rig.link(&parts.each_ref(), c"").expect("urProgramLink"));
    link(&parts).expect("urProgramDynamicLinkExp");
    run_chain(&rig, &parts[0]);
    // One that lacks nothing can run.
    let alone = rig.part("linkonce.one");
    Program::link_dynamically(&rig.context, &[&alone]).expect("urProgramDynamicLinkExp");
    let alone = from_binary(&alone);
    assert_eq!(kind(&rig, &alone), ProgramBinaryType::EXECUTABLE);
    alone.build(&rig.context, "").expect("urProgramBuild");
    Kernel::new(&alone, "one").expect("urKernelCreate");
}

#[test]
fn a_dynamic_link_of_compiled_programs_of_equal_names() {
    let rig = Rig::new();
    if !dynamically(&rig) {
        return;
    }
    // Variables of one name that both have for themselves.
    let parts = ["unique_names.decorations", "unique_names.host_access"].map(|name| rig.part(name));
    expect!(
        check(Program::link_dynamically(&rig.context, &parts.each_ref())),
        ERROR_PROGRAM_LINK_FAILURE
    );
    for part in &parts {
        let log: String = part.build_info(&rig.device, ProgramBuildInfo::LOG).expect("the log");
        assert!(log.contains("public"), "the log names what is there twice: {log}");
        expect!(check(Kernel::new(part, "get")), ERROR_INVALID_PROGRAM_EXECUTABLE);
    }
}

#[test]
fn a_dynamic_link_that_is_refused() {
    let rig = Rig::new();
    if !dynamically(&rig) {
        return;
    }
    let [kernel, first] = open_programs(&rig, ["linking.kernel", "linking.first"]);
    let link = |programs: &[&Program]| check(Program::link_dynamically(&rig.context, programs));
    expect!(link(&[&kernel, &first]), ERROR_PROGRAM_LINK_FAILURE);
    let log: String = kernel.build_info(&rig.device, ProgramBuildInfo::LOG).expect("the log");
    assert!(log.contains("second"), "the log names what is missing: {log}");
    // Until it is there.
    let [second] = open_programs(&rig, ["linking.second"]);
    // But once.
    expect!(link(&[&kernel, &second, &first, &second]), ERROR_PROGRAM_LINK_FAILURE);
    expect!(link(&[&kernel, &first, &second]), SUCCESS);
    run_chain(&rig, &kernel);
    // What is in use stays as it is.
    expect!(link(&[&kernel, &first, &second]), ERROR_INVALID_OPERATION);
    run_chain(&rig, &kernel);
    expect!(link(&[&il(&rig.context, "linking.second")]), ERROR_INVALID_OPERATION);
    let other = Context::new(&[&rig.device]).expect("urContextCreate");
    let strange = il(&other, "linking.second");
    strange.compile(&other, "").expect("urProgramCompile");
    expect!(link(&[&strange]), ERROR_INVALID_PROGRAM);
    let (context, handle, none) = (rig.context.raw(), kernel.raw(), ProgramHandle::default());
    expect!(ur!(urProgramDynamicLinkExp(context, 0, &handle)), ERROR_INVALID_SIZE);
    expect!(
        ur!(urProgramDynamicLinkExp(context, 1, null())),
        ERROR_INVALID_NULL_POINTER
    );
    expect!(
        ur!(urProgramDynamicLinkExp(context, 1, &none)),
        ERROR_INVALID_NULL_HANDLE
    );
}
