// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Global variables of programs, read and written by the host.

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Event, Kernel, Program, Range};
use oxur_conformance::{Rig, check, expect, intel, spirv};

/// A rig and a program with globals; on a device without, the commands say so.
fn rig() -> Option<(Rig, Program)> {
    let rig = Rig::new();
    let program = rig.program("globals");
    let supported: bool = rig
        .device
        .info(DeviceInfo::GLOBAL_VARIABLE_SUPPORT)
        .expect("a truth value");
    if supported || intel("the driver has the functions without naming the extension, and the adapter goes by the name")
    {
        return Some((rig, program));
    }
    let result = rig.queue.global_read(&program, "numbers", 0, &mut [0i32; 8], &[]);
    expect!(check(result), ERROR_UNSUPPORTED_FEATURE);
    None
}

fn sum(rig: &Rig, program: &Program) -> i32 {
    let out = rig.buffer(&[0i32]);
    let kernel = Kernel::new(program, "sum_numbers").expect("urKernelCreate");
    rig.run(&kernel, &Range::new([1]), &[Arg::mem(&out)]);
    rig.contents::<i32>(&out)[0]
}

fn assert_command(event: &Event, command: Command) {
    let got: Command = event.info(EventInfo::COMMAND_TYPE).expect("the command");
    assert!(
        got == command || intel("the driver's command types have no UR counterpart there"),
        "{got:?}"
    );
}

#[test]
fn initial_value() {
    let Some((rig, program)) = rig() else { return };
    let mut numbers = [0i32; 8];
    rig.queue
        .global_read(&program, "numbers", 0, &mut numbers, &[])
        .expect("read");
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(sum(&rig, &program), 36);
}

#[test]
fn write_then_kernel() {
    let Some((rig, program)) = rig() else { return };
    let event = rig
        .queue
        .global_write(&program, "numbers", 0, &[10i32; 8], &[])
        .expect("write");
    assert_command(&event, Command::DEVICE_GLOBAL_VARIABLE_WRITE);
    assert_eq!(sum(&rig, &program), 80);
    rig.queue
        .global_write(&program, "numbers", 8, &[100i32, 200], &[])
        .expect("write a part");
    assert_eq!(sum(&rig, &program), 360);
    let mut part = [0i32; 3];
    let event = rig
        .queue
        .global_read(&program, "numbers", 4, &mut part, &[])
        .expect("read a part");
    assert_command(&event, Command::DEVICE_GLOBAL_VARIABLE_READ);
    assert_eq!(part, [10, 100, 200]);
}

#[test]
fn kernel_then_read() {
    let Some((rig, program)) = rig() else { return };
    let kernel = Kernel::new(&program, "count_up").expect("urKernelCreate");
    for _ in 0..10 {
        rig.start(&kernel, &Range::new([1]), &[], &[]).expect("launch");
    }
    let mut counter = [0i64];
    rig.queue
        .global_read(&program, "counter", 0, &mut counter, &[])
        .expect("read");
    assert_eq!(counter, [10]);
}

#[test]
fn each_program_has_its_own() {
    let Some((rig, first)) = rig() else { return };
    let second = rig.program("globals");
    rig.queue
        .global_write(&first, "numbers", 0, &[0i32; 8], &[])
        .expect("write");
    assert_eq!((sum(&rig, &first), sum(&rig, &second)), (0, 36));
}

#[test]
fn bounds() {
    let Some((rig, program)) = rig() else { return };
    let queue = &rig.queue;
    let mut long = [0i32; 9];
    expect!(
        check(queue.global_read(&program, "numbers", 0, &mut long, &[])),
        ERROR_INVALID_VALUE | ERROR_INVALID_SIZE
    );
    expect!(
        check(queue.global_write(&program, "numbers", 4, &[0i32; 8], &[])),
        ERROR_INVALID_VALUE | ERROR_INVALID_SIZE
    );
    assert_eq!(sum(&rig, &program), 36, "nothing was written");
}

#[test]
fn unknown_name() {
    let Some((rig, program)) = rig() else { return };
    let result = rig.queue.global_read(&program, "no_such_variable", 0, &mut [0i32], &[]);
    expect!(check(result), ERROR_INVALID_VALUE | ERROR_INVALID_GLOBAL_NAME; intel ERROR_INVALID_ARGUMENT,
        "the adapter has another code");
}

#[test]
fn before_the_build() {
    let Some((rig, _)) = rig() else { return };
    let program = Program::with_il(&rig.context, &spirv("globals")).expect("urProgramCreateWithIL");
    let result = rig.queue.global_read(&program, "numbers", 0, &mut [0i32], &[]);
    expect!(
        check(result),
        ERROR_INVALID_PROGRAM_EXECUTABLE | ERROR_INVALID_PROGRAM | ERROR_INVALID_VALUE
    );
}

#[test]
fn pointer() {
    let Some((rig, program)) = rig() else { return };
    let (address, size) = match program.global_pointer(&rig.device, "numbers") {
        Ok(found) => found,
        Err(error) => return assert!(error == ResultCode::ERROR_UNSUPPORTED_FEATURE, "{error}"),
    };
    assert_eq!(size, 32);
    assert!(!address.is_null());
    expect!(
        check(program.global_pointer(&rig.device, "no_such_variable")),
        ERROR_INVALID_VALUE | ERROR_INVALID_GLOBAL_NAME
    );
}
