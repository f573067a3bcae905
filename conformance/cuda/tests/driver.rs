// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Drivers that are missing, too old, or run out of something; and what the one without a GPU finds wrong with kernels.

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::run_test;

use crate::{Rig, code, loader};

/// Runs a test of this file in a process with these variables, and returns its log.
fn log_of(test: &str, variables: &[(&str, &str)]) -> String {
    let mut all = vec![("UR_LOG_CUDA", "level:info;output:stderr"), ("OXUR_CUDA_CHILD", "1")];
    all.extend(variables);
    run_test(test, &all).passed().log
}

/// Whether this is a process that [`log_of`] has started, or a real driver, which knows no such variables.
fn is_child() -> bool {
    std::env::var_os("OXUR_CUDA_CHILD").is_some() || std::env::var_os("OXUR_CUDA_SYSTEM").is_some()
}

/// How many platforms the adapter has. Without a driver it is no adapter for the loader.
fn platforms() -> usize {
    let adapters = loader().adapters().expect("urAdapterGet");
    adapters
        .iter()
        .map(|adapter| adapter.platforms().expect("urPlatformGet").len())
        .sum()
}

#[test]
fn no_driver_is_one_line_of_the_log() {
    if std::env::var_os("OXUR_CUDA_NONE").is_some() {
        return assert_eq!(platforms(), 0);
    }
    if is_child() {
        return;
    }
    let case = |variables: &[(&str, &str)], words: &str| {
        let mut all = vec![("OXUR_CUDA_NONE", "1")];
        all.extend(variables);
        let log = log_of("driver::no_driver_is_one_line_of_the_log", &all);
        let lines: Vec<&str> = log.lines().filter(|line| line.contains("no CUDA platforms")).collect();
        assert_eq!(lines.len(), 1, "{log}");
        assert!(lines[0].contains(words), "{log}");
    };
    case(&[("LD_LIBRARY_PATH", "/nonexistent")], "there is no NVIDIA driver");
    case(
        &[("FAKE_CUDA_VERSION", "12020")],
        "it is for CUDA 12.2, and 12.4 is needed",
    );
    case(
        &[("FAKE_CUDA_WITHOUT", "cuFuncGetParamInfo")],
        "libcuda has no cuFuncGetParamInfo",
    );
    case(&[("FAKE_CUDA_DEVICES", "0")], "the NVIDIA driver has no devices");
}

#[test]
fn memory_that_is_not_there() {
    if !is_child() {
        log_of("driver::memory_that_is_not_there", &[("FAKE_CUDA_MEMORY", "4194304")]);
        return;
    }
    if std::env::var_os("OXUR_CUDA_SYSTEM").is_some() {
        return;
    }
    let rig = Rig::new();
    let alloc = |size| Usm::device(&rig.context, &rig.device, size, UsmRequest::default());
    let first = alloc(3 << 20).expect("the memory is there");
    assert_eq!(code(alloc(2 << 20)), ResultCode::ERROR_OUT_OF_RESOURCES);
    assert_eq!(
        code(alloc(8 << 20)),
        ResultCode::ERROR_INVALID_USM_SIZE,
        "more than the device has"
    );
    drop(first);
    // What is kept for later is given back for it.
    drop(alloc(2 << 20).expect("the memory is there again"));
}

#[test]
fn two_devices_have_streams_and_memory_of_their_own() {
    if !is_child() {
        log_of(
            "driver::two_devices_have_streams_and_memory_of_their_own",
            &[("FAKE_CUDA_DEVICES", "2")],
        );
        return;
    }
    let adapters = loader().adapters().expect("urAdapterGet");
    let devices = adapters[0].platforms().expect("urPlatformGet")[0]
        .devices()
        .expect("urDeviceGet");
    let [first, second] = &devices[..] else {
        return println!("this machine has {} devices", devices.len());
    };
    let context = Context::new(&[first, second]).expect("urContextCreate");
    let queues =
        [first, second].map(|device| Queue::new(&context, device, QueueFlags::empty()).expect("urQueueCreate"));
    let host = Usm::host(&context, 4096, UsmRequest::default()).expect("urUSMHostAlloc");
    let near =
        [first, second].map(|device| Usm::device(&context, device, 4096, UsmRequest::default()).expect("memory"));
    // Around both devices, each step after the one before.
    let mut last = None;
    let steps = [
        (near[0].ptr(), host.ptr(), 0),
        (near[1].ptr(), near[0].ptr(), 1),
        (host.ptr(), near[1].ptr(), 1),
    ];
    // SAFETY: memory of that size, which lives until the last copy is complete.
    unsafe {
        let filled = queues[0]
            .memset(host.ptr(), &[5_u32], 4096, &[])
            .expect("urEnqueueUSMFill");
        filled.wait().expect("urEventWait");
        for (to, from, queue) in steps {
            let wait: Vec<&Event> = last.iter().collect();
            let next = queues[queue]
                .memcpy(false, to, from, 4096, &wait)
                .expect("urEnqueueUSMMemcpy");
            last = Some(next);
        }
        last.expect("three steps").wait().expect("urEventWait");
        assert!(host.as_slice::<u32>().iter().all(|word| *word == 5));
    }
}

/// Kernels whose threads wait for others that do not come, or do what CUDA leaves open, and what is said of each.
const WRONG: [(&str, &str, &str); 3] = [
    (
        "some_of_a_warp",
        "@%p1 shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;\n@!%p1 bar.sync 0;",
        "threads wait for others for ever: 16 in line 8 for those of 0xffffffff of its warp, 16 in line 9 for all of the block",
    ),
    (
        "without_itself",
        "vote.sync.any.pred %p2, %p1, 0xffff;",
        "thread 16: the mask 0xffff in line 8 lacks the thread itself",
    ),
    (
        "two_barriers",
        "@%p1 bar.sync 0;\n@!%p1 bar.sync 0;",
        "threads of a warp are at different barriers, in the lines [8, 9]",
    ),
];

#[test]
fn kernels_that_a_gpu_would_not_end() {
    const NAME: &str = "OXUR_CUDA_WRONG";
    if std::env::var_os("OXUR_CUDA_SYSTEM").is_some() {
        return;
    }
    let Ok(wanted) = std::env::var(NAME) else {
        for (name, _, what) in WRONG {
            let log = log_of("driver::kernels_that_a_gpu_would_not_end", &[(NAME, name)]);
            assert!(
                log.contains(&format!("{name}, block [0, 0, 0]")) && log.contains(what),
                "{log}"
            );
        }
        return;
    };
    let (name, body, _) = WRONG.into_iter().find(|wrong| wrong.0 == wanted).expect("one of them");
    let rig = Rig::new();
    let text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry {name}() {{\n.reg .pred %p<3>; .reg .b32 %r<3>;\n\
         mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n{body}\nret;\n}}\n"
    );
    let program =
        Program::with_binaries(&rig.context, &[&rig.device], &[text.as_bytes()]).expect("urProgramCreateWithBinary");
    program.build(&rig.context, "").expect("urProgramBuild");
    let kernel = Kernel::new(&program, name).expect("urKernelCreate");
    let event = rig
        .launch(&kernel, &Range::new([32]).local([32]), &[])
        .expect("urEnqueueKernelLaunch");
    assert!(event.wait().is_err());
}
