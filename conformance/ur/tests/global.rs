// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Global variables of programs, read and written by the host.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Buffer, Context, Device, Event, Kernel, Program, Queue, Range, Usm, UsmRequest};
use oxur_conformance::{Rig, UserEvent, check, expect, intel, spirv, ur, values};

use crate::known;

/// Whether the device's variables can be read and written.
pub fn supported(rig: &Rig) -> bool {
    let supported: bool = rig
        .device
        .info(DeviceInfo::GLOBAL_VARIABLE_SUPPORT)
        .expect("a truth value");
    supported || intel("the driver has the functions without naming the extension, and the adapter goes by the name")
}

/// Whether the device is our CPU adapter's.
fn is_cpu(rig: &Rig) -> bool {
    rig.platform.info::<String>(PlatformInfo::NAME).expect("the name") == "oxur CPU"
}

/// Whether a variable is found by its unique id: by our CPU adapter, and by our driver behind the Level Zero adapter.
fn knows_unique_ids(rig: &Rig) -> bool {
    is_cpu(rig) || rig.backend() == Backend::LEVEL_ZERO
}

/// A rig and a program with globals; on a device without, the commands say so.
fn rig() -> Option<(Rig, Program)> {
    let rig = Rig::new();
    let program = rig.program("globals");
    if supported(&rig) {
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

fn assert_command(event: &Event, command: CommandType) {
    let got: CommandType = event.info(EventInfo::COMMAND_TYPE).expect("the command");
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
    assert_command(&event, CommandType::DEVICE_GLOBAL_VARIABLE_WRITE);
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
    assert_command(&event, CommandType::DEVICE_GLOBAL_VARIABLE_READ);
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
        ERROR_INVALID_VALUE
    );
    expect!(
        check(queue.global_read(&program, "numbers", 32, &mut [0u8], &[])),
        ERROR_INVALID_VALUE
    );
    expect!(
        check(queue.global_write(&program, "numbers", 4, &[0i32; 8], &[])),
        ERROR_INVALID_VALUE
    );
    expect!(
        check(queue.global_write(&program, "numbers", 33, &[0u8], &[])),
        ERROR_INVALID_VALUE
    );
    assert_eq!(sum(&rig, &program), 36, "nothing was written");
}

#[test]
fn bounds_that_wrap_around() {
    let Some((rig, program)) = rig() else { return };
    if intel("offset + count is compared as it comes out, and what lies before the variable is read and written") {
        return;
    }
    // From four bytes before the variable to four behind its start.
    let (queue, offset) = (&rig.queue, usize::MAX - 3);
    expect!(
        check(queue.global_read(&program, "numbers", offset, &mut [0i32; 2], &[])),
        ERROR_INVALID_VALUE
    );
    expect!(
        check(queue.global_write(&program, "numbers", offset, &[7i32; 2], &[])),
        ERROR_INVALID_VALUE
    );
    assert_eq!(sum(&rig, &program), 36, "nothing was written");
}

#[test]
fn bytes_at_any_offset() {
    let Some((rig, program)) = rig() else { return };
    // The middle bytes of the second and the third number.
    let wrote = rig.queue.global_write(&program, "numbers", 5, &[1u8, 2, 3, 4, 5], &[]);
    wrote.expect("write");
    let mut all = [0i32; 8];
    rig.queue
        .global_read(&program, "numbers", 0, &mut all, &[])
        .expect("read");
    assert_eq!(all, [1, 0x0302_0102, 0x0504, 4, 5, 6, 7, 8]);
    let mut bytes = [0u8; 3];
    rig.queue
        .global_read(&program, "numbers", 6, &mut bytes, &[])
        .expect("read");
    assert_eq!(bytes, [2, 3, 4]);
    rig.queue
        .global_write(&program, "numbers", 31, &[0x80u8], &[])
        .expect("the last byte");
    rig.queue
        .global_read(&program, "numbers", 28, &mut bytes, &[])
        .expect("read");
    assert_eq!(bytes, [8, 0, 0]);
    assert_eq!(
        sum(&rig, &program),
        1 + 0x0302_0102 + 0x0504 + 4 + 5 + 6 + 7 + (8 | i32::MIN)
    );
}

#[test]
fn zero_before_anything_was_written() {
    let Some((rig, program)) = rig() else { return };
    let mut counter = [-1i64];
    rig.queue
        .global_read(&program, "counter", 0, &mut counter, &[])
        .expect("read");
    assert_eq!(counter, [0]);
    // Of two programs, one that was used before and one that was not.
    rig.queue
        .global_write(&program, "counter", 0, &[5i64], &[])
        .expect("write");
    let other = rig.program("globals");
    rig.queue
        .global_read(&other, "counter", 0, &mut counter, &[])
        .expect("read");
    assert_eq!(counter, [0]);
}

/// Reads without blocking. The memory must live until the command has finished.
unsafe fn read_later(queue: &Queue, program: &Program, to: *mut i32, count: usize, wait: &[&Event]) -> Event {
    // SAFETY: the caller vouches for the memory.
    unsafe { queue.global_read_to(program, "numbers", false, 0, 4 * count, to.cast(), wait) }.expect("read")
}

/// Writes without blocking. The memory must live until the command has finished.
unsafe fn write_later(queue: &Queue, program: &Program, from: *const i32, count: usize, wait: &[&Event]) -> Event {
    // SAFETY: the caller vouches for the memory.
    unsafe { queue.global_write_from(program, "numbers", false, 0, 4 * count, from.cast(), wait) }.expect("write")
}

#[test]
fn in_order_without_waiting() {
    let Some((rig, program)) = rig() else { return };
    let kernel = Kernel::new(&program, "sum_numbers").expect("urKernelCreate");
    const ROUNDS: usize = 50;
    let from: Vec<[i32; 8]> = (0..ROUNDS as i32).map(|i| [i; 8]).collect();
    let mut to = vec![[-1i32; 8]; ROUNDS];
    let sums = rig.shared(&[-1i32; ROUNDS]);
    for i in 0..ROUNDS {
        let sum = Arg::Pointer(sums.ptr().wrapping_byte_add(4 * i));
        // SAFETY: both vectors live until the queue has finished.
        unsafe { write_later(&rig.queue, &program, from[i].as_ptr(), 8, &[]) };
        rig.start(&kernel, &Range::new([1]), &[sum], &[]).expect("launch");
        // SAFETY: as above.
        unsafe { read_later(&rig.queue, &program, to[i].as_mut_ptr(), 8, &[]) };
    }
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!(to, from);
    let expected: Vec<i32> = (0..ROUNDS as i32).map(|i| 8 * i).collect();
    assert_eq!(values::<i32>(&sums), expected);
}

#[test]
fn out_of_order_by_events() {
    let Some((rig, program)) = rig() else { return };
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE).expect("a queue");
    let kernel = Kernel::new(&program, "sum_numbers").expect("urKernelCreate");
    let (mut from, mut to) = ([0i32; 8], [-1i32; 8]);
    let sum = rig.shared(&[-1i32]);
    for i in 0..50 {
        from.fill(i);
        // SAFETY: the arrays and the sum live until the waits below.
        let (read, launched) = unsafe {
            let wrote = write_later(&queue, &program, from.as_ptr(), 8, &[]);
            let args = [Arg::Pointer(sum.ptr())];
            let launched = queue
                .launch(&kernel, &Range::new([1]), &args, &[&wrote])
                .expect("launch");
            (read_later(&queue, &program, to.as_mut_ptr(), 8, &[&wrote]), launched)
        };
        read.wait().expect("urEventWait");
        launched.wait().expect("urEventWait");
        assert_eq!((to, values::<i32>(&sum)[0]), ([i; 8], 8 * i));
        let status: EventStatus = read.info(EventInfo::COMMAND_EXECUTION_STATUS).expect("the status");
        assert_eq!(status, EventStatus::COMPLETE);
    }
    // A blocking command waits for its list, and for itself.
    for i in 100..120 {
        from.fill(i);
        // SAFETY: the array lives until the blocking read, which waits for it.
        let wrote = unsafe { write_later(&queue, &program, from.as_ptr(), 8, &[]) };
        queue
            .global_read(&program, "numbers", 0, &mut to, &[&wrote])
            .expect("read");
        assert_eq!(to, [i; 8]);
    }
}

#[test]
fn later_than_their_wait_lists() {
    let Some((rig, program)) = rig() else { return };
    for flags in [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let event_queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("a queue");
        let queue = Queue::new(&rig.context, &rig.device, flags).expect("a queue");
        rig.queue
            .global_write(&program, "numbers", 0, &[1i32; 8], &[])
            .expect("write");
        let Some(user_event) = UserEvent::new(&event_queue) else {
            return;
        };
        let (from, mut to) = ([2i32; 8], [0i32; 8]);
        // SAFETY: the arrays live until the waits below.
        let (wrote, read) = unsafe {
            let wrote = write_later(&queue, &program, from.as_ptr(), 8, &[&user_event.event]);
            (
                wrote.clone(),
                read_later(&queue, &program, to.as_mut_ptr(), 8, &[&wrote]),
            )
        };
        user_event.assert_pending();
        let mut now = [0i32; 8];
        rig.queue
            .global_read(&program, "numbers", 0, &mut now, &[])
            .expect("read");
        assert_eq!(now, [1; 8], "the write waits");
        assert_command(&wrote, CommandType::DEVICE_GLOBAL_VARIABLE_WRITE);
        assert_command(&read, CommandType::DEVICE_GLOBAL_VARIABLE_READ);
        user_event.complete();
        read.wait().expect("urEventWait");
        assert_eq!(to, [2; 8]);
    }
}

/// A build with other options or a compilation makes other variables; commands that came before it mean those of before.
#[test]
fn commands_from_before_a_build() {
    let Some((rig, _)) = rig() else { return };
    if !is_cpu(&rig) {
        return println!("nothing is known of drivers there");
    }
    let other_options = |program: &Program| program.build(&rig.context, "-cl-fast-relaxed-math");
    let compilation = |program: &Program| program.compile(&rig.context, "");
    for again in [&other_options as &dyn Fn(&Program) -> _, &compilation] {
        let program = rig.program("globals");
        let (from, mut to) = ([2i32; 8], [0i32; 8]);
        let to = &raw mut to;
        // SAFETY: the arrays live until the queue has finished, and after all runs of the graph.
        let copies = |wait: &[&Event]| unsafe {
            write_later(&rig.queue, &program, from.as_ptr(), 8, wait);
            read_later(&rig.queue, &program, to.cast(), 8, &[])
        };
        let event_queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("a queue");
        let Some(user_event) = UserEvent::new(&event_queue) else {
            return;
        };
        let captured = rig.queue.capture(|| {
            copies(&[]);
            Ok(())
        });
        let graph = captured.expect("a capture");
        let graph = graph.instantiate().expect("urGraphInstantiateGraphExp");
        let read = copies(&[&user_event.event]);
        user_event.assert_pending();
        again(&program).expect("another build");
        user_event.complete();
        read.wait().expect("urEventWait");
        // SAFETY: the read has finished.
        assert_eq!(unsafe { to.replace([0; 8]) }, [2; 8]);
        // SAFETY: as above.
        let run = unsafe { rig.queue.run_graph(&graph, &[]) }.expect("urEnqueueGraphExp");
        run.wait().expect("urEventWait");
        // SAFETY: the run has finished.
        assert_eq!(unsafe { to.read() }, [2; 8]);
        program.build(&rig.context, "").expect("urProgramBuild");
        assert_eq!(sum(&rig, &program), 36, "these are new ones");
    }
}

#[test]
fn usm_of_every_kind() {
    let Some((rig, program)) = rig() else { return };
    let request = UsmRequest::default();
    let all = [
        Usm::host(&rig.context, 32, request).expect("host"),
        Usm::device(&rig.context, &rig.device, 32, request).expect("device"),
        Usm::shared(&rig.context, &rig.device, 32, request).expect("shared"),
    ];
    for (i, usm) in all.iter().enumerate() {
        let (sent, mut back) = ([i as i32 + 1; 8], [0i32; 8]);
        let copy = |to: *mut c_void, from: *const c_void| {
            // SAFETY: 32 bytes each, which live on; the call blocks.
            unsafe { rig.queue.memcpy(true, to, from, 32, &[]) }.expect("copy")
        };
        copy(usm.ptr(), sent.as_ptr().cast());
        // SAFETY: the allocation lives until the queue has finished.
        unsafe { write_later(&rig.queue, &program, usm.ptr().cast(), 8, &[]) };
        assert_eq!(sum(&rig, &program), 8 * sent[0]);
        rig.queue
            .global_write(&program, "numbers", 4, &[70i32], &[])
            .expect("write");
        // SAFETY: as above.
        unsafe { read_later(&rig.queue, &program, usm.ptr().cast(), 8, &[]) };
        copy(back.as_mut_ptr().cast(), usm.ptr());
        assert_eq!(back[..3], [sent[0], 70, sent[0]]);
    }
}

#[test]
fn unique_ids_before_linkage_names() {
    let rig = Rig::new();
    if !supported(&rig) {
        return;
    }
    // As DPC++ writes them, and in the numbers of the extension that became of it.
    for module in ["unique_names.decorations", "unique_names.host_access"] {
        let program = Program::with_il(&rig.context, &spirv(module)).expect("urProgramCreateWithIL");
        program.build(&rig.context, "").expect("urProgramBuild");
        let read = |name: &str| {
            let mut value = [0i32];
            let result = rig.queue.global_read(&program, name, 0, &mut value, &[]);
            result.map(|_| value[0])
        };
        assert_eq!(read("public").expect("read"), 1, "not a unique id, so a linkage name");
        if !knows_unique_ids(&rig) {
            // Intel's driver knows unique ids in modules of SYCL's compiler alone: see conformance/sycl/device_globals.cpp.
            expect!(check(read("unique of hidden")), ERROR_INVALID_VALUE; intel ERROR_INVALID_ARGUMENT,
                "the adapter has another code");
            continue;
        }
        assert_eq!(
            read("unique of public").expect("read"),
            1,
            "another one has it for its linkage name"
        );
        assert_eq!(read("unique of hidden").expect("read"), 2, "it has no other name");
        for (name, value) in [("unique of public", 10i32), ("unique of hidden", 20)] {
            rig.queue.global_write(&program, name, 0, &[value], &[]).expect("write");
        }
        let (out, kernel) = (
            rig.shared(&[0i32; 2]),
            Kernel::new(&program, "get").expect("urKernelCreate"),
        );
        let args = [0, 4].map(|offset| Arg::Pointer(out.ptr().wrapping_byte_add(offset)));
        rig.run(&kernel, &Range::new([1]), &args);
        assert_eq!(values::<i32>(&out), [10, 20]);
    }
}

#[test]
fn unknown_name() {
    let Some((rig, program)) = rig() else { return };
    for name in ["no_such_variable", "", "sum_numbers", "number", "numbers_"] {
        let result = rig.queue.global_read(&program, name, 0, &mut [0i32], &[]);
        expect!(check(result), ERROR_INVALID_VALUE; intel ERROR_INVALID_ARGUMENT,
            "the adapter has another code");
        let result = rig.queue.global_write(&program, name, 0, &[0i32], &[]);
        expect!(check(result), ERROR_INVALID_VALUE; intel ERROR_INVALID_ARGUMENT,
            "the adapter has another code");
    }
}

#[test]
fn before_the_build() {
    let Some((rig, _)) = rig() else { return };
    let program = Program::with_il(&rig.context, &spirv("globals")).expect("urProgramCreateWithIL");
    let read = |program: &Program| check(rig.queue.global_read(program, "numbers", 0, &mut [0i32], &[]));
    expect!(read(&program), ERROR_INVALID_PROGRAM_EXECUTABLE);
    expect!(
        check(program.global_pointer(&rig.device, "numbers")),
        ERROR_INVALID_PROGRAM_EXECUTABLE | ERROR_UNSUPPORTED_FEATURE
    );
    program.compile(&rig.context, "").expect("urProgramCompile");
    expect!(read(&program), ERROR_INVALID_PROGRAM_EXECUTABLE; intel ERROR_INVALID_ARGUMENT,
        "to the driver the name is an unknown one");
}

/// A queue on the first of two parts of the device, a queue on the second, and their context.
fn parts(rig: &Rig) -> Option<(Context, [Queue; 2], Vec<Device>)> {
    let one = DevicePartitionProperty {
        r#type: DevicePartition::EQUALLY,
        value: DevicePartitionValue { equally: 1 },
    };
    let parts = rig.device.partition(&[one]).unwrap_or_default();
    if parts.len() < 2 {
        println!("this device cannot be split");
        return None;
    }
    let context = Context::new(&[&parts[0], &parts[1]]).expect("urContextCreate");
    let queues = [0, 1].map(|i| Queue::new(&context, &parts[i], QueueFlags::empty()).expect("urQueueCreate"));
    Some((context, queues, parts))
}

#[test]
fn for_another_device() {
    let Some((rig, _)) = rig() else { return };
    let Some((context, queues, devices)) = parts(&rig) else {
        return;
    };
    let program = Program::with_il(&context, &spirv("globals")).expect("urProgramCreateWithIL");
    let built = program.build_for(&[&devices[0]], ExpProgramFlags::empty(), "");
    if intel("the device says that it has the forms for devices, the adapter that it has not") {
        return expect!(check(built), ERROR_UNSUPPORTED_FEATURE);
    }
    built.expect("urProgramBuildExp");
    let mut numbers = [0i32; 8];
    queues[0]
        .global_read(&program, "numbers", 0, &mut numbers, &[])
        .expect("read");
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
    let read = queues[1].global_read(&program, "numbers", 0, &mut numbers, &[]);
    expect!(check(read), ERROR_INVALID_PROGRAM_EXECUTABLE);
    let write = queues[1].global_write(&program, "numbers", 0, &numbers, &[]);
    expect!(check(write), ERROR_INVALID_PROGRAM_EXECUTABLE);
    expect!(
        check(program.global_pointer(&devices[1], "numbers")),
        ERROR_INVALID_PROGRAM_EXECUTABLE | ERROR_UNSUPPORTED_FEATURE
    );
    expect!(
        check(program.function_pointer(&devices[1], "sum_numbers")),
        ERROR_INVALID_PROGRAM_EXECUTABLE | ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE
    );
    let status: ProgramBuildStatus = program
        .build_info(&devices[1], ProgramBuildInfo::STATUS)
        .expect("the status");
    assert_eq!(status, ProgramBuildStatus::NONE);
    // A build for the other one as well.
    program
        .build_for(&[&devices[1]], ExpProgramFlags::empty(), "")
        .expect("urProgramBuildExp");
    numbers.fill(0);
    let read = queues[1].global_read(&program, "numbers", 0, &mut numbers, &[]);
    match knows_unique_ids(&rig) {
        true => {
            read.expect("read");
            assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
        }
        // Intel's driver then runs kernels there, but does not find the variable.
        false => expect!(check(read), SUCCESS | ERROR_INVALID_VALUE),
    }
    numbers.fill(0);
    queues[0]
        .global_read(&program, "numbers", 0, &mut numbers, &[])
        .expect("the first device's stays");
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn each_device_has_its_own() {
    let Some((rig, _)) = rig() else { return };
    let Some((context, queues, devices)) = parts(&rig) else {
        return;
    };
    let program = Program::with_il(&context, &spirv("globals")).expect("urProgramCreateWithIL");
    if intel("the device says that it has the forms for devices, the adapter that it has not") {
        program.build(&context, "").expect("urProgramBuild");
    } else {
        let built = program.build_for(&[&devices[0], &devices[1]], ExpProgramFlags::empty(), "");
        built.expect("urProgramBuildExp");
    }
    let kernel = Kernel::new(&program, "sum_numbers").expect("urKernelCreate");
    queues[0]
        .global_write(&program, "numbers", 0, &[3i32; 8], &[])
        .expect("write");
    let (mut first, mut second) = ([0i32; 8], [0i32; 8]);
    queues[0]
        .global_read(&program, "numbers", 0, &mut first, &[])
        .expect("read");
    queues[1]
        .global_read(&program, "numbers", 0, &mut second, &[])
        .expect("read");
    assert_eq!((first, second), ([3; 8], [1, 2, 3, 4, 5, 6, 7, 8]));
    for (queue, expected) in queues.iter().zip([24, 36]) {
        // Small launches may take another way than large ones.
        for items in [1, 10_000] {
            let out = Buffer::with(&context, MemFlags::READ_WRITE, &[0i32]).expect("urMemBufferCreate");
            // SAFETY: the kernel writes one number to the buffer, which lives until the read below has waited.
            unsafe { queue.launch(&kernel, &Range::new([items]), &[Arg::mem(&out)], &[]) }.expect("launch");
            let mut sum = [0i32];
            queue.read(&out, 0, &mut sum, &[]).expect("read");
            assert_eq!(sum[0], expected);
        }
    }
    if let (Ok(first), Ok(second)) = (
        program.global_pointer(&devices[0], "numbers"),
        program.global_pointer(&devices[1], "numbers"),
    ) {
        assert_ne!(first.0, second.0);
    }
}

#[test]
fn a_program_of_another_context() {
    let Some((rig, _)) = rig() else { return };
    let other = Rig::new();
    let program = other.program("globals");
    let read = rig.queue.global_read(&program, "numbers", 0, &mut [0i32], &[]);
    expect!(check(read), ERROR_INVALID_CONTEXT; intel SUCCESS, "neither adapter nor driver check it");
}

#[test]
fn null_arguments() {
    let Some((rig, program)) = rig() else { return };
    let (queue, program, name) = (rig.queue.raw(), program.raw(), c"numbers".as_ptr());
    let mut value = [0i32];
    let (place, size) = (value.as_mut_ptr().cast::<c_void>(), 4);
    let read = |name, to, count, list| {
        ur!(urEnqueueDeviceGlobalVariableRead(
            queue,
            program,
            name,
            true,
            size,
            0,
            to,
            count,
            list,
            null_mut()
        ))
    };
    let write = |name, from: *mut c_void, count, list| {
        ur!(urEnqueueDeviceGlobalVariableWrite(
            queue,
            program,
            name,
            true,
            size,
            0,
            from,
            count,
            list,
            null_mut()
        ))
    };
    type Call<'a> = &'a dyn Fn(*const c_char, *mut c_void, u32, *const EventHandle) -> ResultCode;
    let none = EventHandle::default();
    for call in [&read as Call, &write] {
        expect!(call(null(), place, 0, null()), ERROR_INVALID_NULL_POINTER; intel ERROR_INVALID_VALUE, known::UNCHECKED);
        expect!(call(name, null_mut(), 0, null()), ERROR_INVALID_NULL_POINTER; intel ERROR_INVALID_VALUE, known::PASSED_ON);
        expect!(call(name, place, 1, null()), ERROR_INVALID_EVENT_WAIT_LIST; intel crash, known::UNCHECKED);
        expect!(call(name, place, 0, &none), ERROR_INVALID_EVENT_WAIT_LIST; intel SUCCESS, known::UNCHECKED);
        expect!(call(name, place, 1, &none), ERROR_INVALID_EVENT_WAIT_LIST; intel crash, known::UNCHECKED);
    }
}

#[test]
fn pointer() {
    let Some((rig, program)) = rig() else { return };
    let (address, size) = match program.global_pointer(&rig.device, "numbers") {
        Ok(found) => found,
        Err(error) => return assert!(error == ResultCode::ERROR_UNSUPPORTED_FEATURE, "{error}"),
    };
    assert_eq!(size, 32);
    // It is what kernels have, and memory of the device.
    let part = address.wrapping_byte_add(4);
    // SAFETY: the second number of the variable, which lives as long as the program.
    unsafe { rig.queue.memcpy(true, part, [100i32].as_ptr().cast(), 4, &[]) }.expect("copy");
    assert_eq!(sum(&rig, &program), 36 - 2 + 100);
    rig.queue
        .global_write(&program, "numbers", 0, &[5i32; 8], &[])
        .expect("write");
    let mut back = [0i32; 8];
    // SAFETY: the whole variable; the call blocks.
    unsafe { rig.queue.memcpy(true, back.as_mut_ptr().cast(), address, 32, &[]) }.expect("copy");
    assert_eq!(back, [5; 8]);
    // Another program has another one.
    let other = rig
        .program("globals")
        .global_pointer(&rig.device, "numbers")
        .expect("a pointer");
    assert_ne!(other.0, address);
}

#[test]
fn pointers_that_are_refused() {
    let Some((rig, program)) = rig() else { return };
    let (device, raw, name) = (rig.device.raw(), program.raw(), c"numbers".as_ptr());
    if let Err(error) = program.global_pointer(&rig.device, "numbers") {
        return assert!(error == ResultCode::ERROR_UNSUPPORTED_FEATURE, "{error}");
    }
    expect!(
        check(program.global_pointer(&rig.device, "no_such_variable")),
        ERROR_INVALID_VALUE
    );
    let (mut size, mut address) = (0, null_mut());
    expect!(
        ur!(urProgramGetGlobalVariablePointer(
            device,
            raw,
            name,
            null_mut(),
            &mut address
        )),
        SUCCESS
    );
    assert!(!address.is_null());
    expect!(ur!(urProgramGetGlobalVariablePointer(device, raw, null(), &mut size, &mut address)), ERROR_INVALID_NULL_POINTER;
        intel ERROR_INVALID_VALUE, known::PASSED_ON);
    expect!(ur!(urProgramGetGlobalVariablePointer(device, raw, name, &mut size, null_mut())), ERROR_INVALID_NULL_POINTER;
        intel crash, known::UNCHECKED);
}
