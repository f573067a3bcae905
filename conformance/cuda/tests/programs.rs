// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs of PTX and cubins, and kernels that fail.

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::run_test;

use crate::{Rig, code};

#[test]
fn a_kernel_of_ptx() {
    let rig = Rig::new();
    let kernel = rig.kernel("add");
    for count in [1_u32, 31, 1000, 4096] {
        let a: Vec<f32> = (0..count).map(|i| i as f32).collect();
        let b: Vec<f32> = (0..count).map(|i| 0.5 * i as f32).collect();
        let (a, b, sum) = (rig.shared(&a), rig.shared(&b), rig.shared(&vec![0_f32; count as usize]));
        let args = [
            Arg::Pointer(sum.ptr()),
            Arg::Pointer(a.ptr()),
            Arg::Pointer(b.ptr()),
            Arg::value(&count),
        ];
        let event = rig
            .launch(&kernel, &Range::new([count as usize]), &args)
            .expect("launch");
        event.wait().expect("urEventWait");
        // SAFETY: the kernel is complete.
        let sum = unsafe { sum.as_slice::<f32>() };
        assert!(sum.iter().enumerate().all(|(i, sum)| *sum == 1.5 * i as f32), "{count}");
    }
}

#[test]
fn local_arguments_do_not_overlap() {
    let rig = Rig::new();
    let kernel = rig.kernel("reverse");
    let values: Vec<u32> = (0..256).collect();
    let memory = rig.shared(&values);
    // Odd sizes, so that what follows has to be aligned.
    let args = [Arg::Pointer(memory.ptr()), Arg::Local(64 * 4 + 1), Arg::Local(64 * 4)];
    let event = rig
        .launch(&kernel, &Range::new([256]).local([64]), &args)
        .expect("launch");
    event.wait().expect("urEventWait");
    let turned: Vec<u32> = values
        .chunks(64)
        .flat_map(|group| group.iter().rev().copied())
        .collect();
    // SAFETY: the kernel is complete.
    assert_eq!(unsafe { memory.as_slice::<u32>() }, turned);
    // More than a kernel may have without being asked, and more than the device has.
    let large = [args[0], Arg::Local(100 << 10), args[2]];
    rig.launch(&kernel, &Range::new([256]).local([64]), &large)
        .expect("launch")
        .wait()
        .expect("urEventWait");
    let larger = [args[0], Arg::Local(1 << 20), args[2]];
    let refused = rig.launch(&kernel, &Range::new([256]).local([64]), &larger);
    assert_eq!(code(refused), ResultCode::ERROR_OUT_OF_RESOURCES);
}

#[test]
fn a_cubin_is_what_the_ptx_was() {
    let rig = Rig::new();
    let program = rig.program();
    let sizes: Vec<usize> = program.info(ProgramInfo::BINARY_SIZES).expect("BINARY_SIZES");
    let mut cubin = vec![0_u8; sizes[0]];
    let mut places = [cubin.as_mut_ptr()];
    // SAFETY: a pointer for the only device, to as many bytes as were asked for.
    unsafe {
        let (size, at) = (size_of_val(&places), places.as_mut_ptr().cast());
        let fns = crate::loader().fns();
        fns.urProgramGetInfo(program.raw(), ProgramInfo::BINARIES, size, at, std::ptr::null_mut())
            .expect("BINARIES");
    }
    assert_eq!(&cubin[..4], b"\x7fELF");
    let again = Program::with_binaries(&rig.context, &[&rig.device], &[&cubin]).expect("urProgramCreateWithBinary");
    again.build(&rig.context, "").expect("urProgramBuild");
    Kernel::new(&again, "add").expect("urKernelCreate");
    assert_eq!(code(Kernel::new(&again, "none")), ResultCode::ERROR_INVALID_KERNEL_NAME);
    let names: String = again.info(ProgramInfo::KERNEL_NAMES).expect("KERNEL_NAMES");
    let mut names: Vec<&str> = names.split(';').collect();
    names.sort_unstable();
    assert_eq!(names, ["add", "reverse", "wild"]);
}

#[test]
fn what_is_no_program() {
    let rig = Rig::new();
    let create = |binary: &[u8]| Program::with_binaries(&rig.context, &[&rig.device], &[binary]);
    assert_eq!(code(create(b"something else")), ResultCode::ERROR_INVALID_BINARY);
    let broken = create(b".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { nonsense.b32; ret; }\n");
    let broken = broken.expect("it may be PTX");
    assert_eq!(
        code(broken.build(&rig.context, "")),
        ResultCode::ERROR_PROGRAM_BUILD_FAILURE
    );
    let log: String = broken.build_info(&rig.device, ProgramBuildInfo::LOG).expect("LOG");
    assert!(log.contains("ptxas"), "{log}");
}

#[test]
fn a_device_global() {
    let rig = Rig::new();
    let program = rig.program();
    let mut value = [0_u32];
    rig.queue
        .global_read(&program, "counter", 0, &mut value, &[])
        .expect("read")
        .wait()
        .expect("urEventWait");
    assert_eq!(value, [7]);
    rig.queue
        .global_write(&program, "counter", 0, &[9_u32], &[])
        .expect("write")
        .wait()
        .expect("urEventWait");
    rig.queue
        .global_read(&program, "counter", 0, &mut value, &[])
        .expect("read")
        .wait()
        .expect("urEventWait");
    assert_eq!(value, [9]);
    assert_eq!(
        code(rig.queue.global_read(&program, "none", 0, &mut value, &[])),
        ResultCode::ERROR_INVALID_VALUE
    );
}

/// A program that is built again has new variables.
#[test]
fn a_device_global_of_a_new_build() {
    let rig = Rig::new();
    let program = rig.program();
    let read = || {
        let mut value = [0_u32];
        let event = rig.queue.global_read(&program, "counter", 0, &mut value, &[]);
        event.expect("read").wait().expect("urEventWait");
        value[0]
    };
    let event = rig.queue.global_write(&program, "counter", 0, &[9_u32], &[]);
    event.expect("write").wait().expect("urEventWait");
    assert_eq!(read(), 9);
    program.build(&rig.context, "").expect("urProgramBuild");
    assert_eq!(read(), 7);
}

#[test]
fn a_kernel_that_faults_loses_the_device_and_no_more() {
    const CHILD: &str = "OXUR_CUDA_FAULT";
    if std::env::var_os(CHILD).is_none() {
        let variables = [(CHILD, "1"), ("UR_LOG_CUDA", "level:warning;output:stderr")];
        let ended = run_test(
            "programs::a_kernel_that_faults_loses_the_device_and_no_more",
            &variables,
        )
        .passed();
        assert!(
            ended.log.contains("a kernel used memory that is not there"),
            "{}",
            ended.log
        );
        // Another process goes on.
        return drop(Rig::new().kernel("add"));
    }
    let rig = Rig::new();
    let kernel = rig.kernel("wild");
    let status = |event: &Event| {
        event
            .info::<EventStatus>(EventInfo::COMMAND_EXECUTION_STATUS)
            .expect("the status")
    };
    let complete = rig.queue.barrier(&[]).expect("a barrier");
    complete.wait().expect("urEventWait");
    let waiting = rig.launch(&kernel, &Range::new([1]), &[]).expect("launch");
    while status(&waiting) == EventStatus::SUBMITTED {
        std::thread::yield_now();
    }
    assert_eq!(status(&waiting), EventStatus::ERROR);
    assert_eq!(code(waiting.wait()), ResultCode::ERROR_DEVICE_LOST);
    assert_eq!(status(&waiting), EventStatus::ERROR);
    // What was complete before still is.
    assert_eq!(status(&complete), EventStatus::COMPLETE);
    // All that comes later, and all that is released.
    assert_eq!(code(rig.queue.finish()), ResultCode::ERROR_DEVICE_LOST);
    assert_eq!(
        code(rig.launch(&kernel, &Range::new([1]), &[])),
        ResultCode::ERROR_DEVICE_LOST
    );
    assert_eq!(
        code(Usm::device(&rig.context, &rig.device, 64 << 20, UsmRequest::default())),
        ResultCode::ERROR_DEVICE_LOST
    );
}
