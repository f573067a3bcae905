// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Work-groups that a kernel has too many registers for: it is compiled again, with fewer.

use std::path::Path;

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::{run_test, spirv};

use crate::{Rig, code};

/// Runs a test of this file in a process whose kernels have 72 registers unless they are told otherwise, and returns its
/// log; `None` in that process.
fn log_of(test: &str) -> Option<String> {
    const CHILD: &str = "OXUR_CUDA_REGISTERS";
    if std::env::var_os(CHILD).is_some() {
        return None;
    }
    let variables = [
        ("FAKE_CUDA_REGISTERS", "72"),
        ("UR_LOG_CUDA", "level:debug;output:stderr"),
        (CHILD, "1"),
    ];
    Some(run_test(&format!("registers::{test}"), &variables).passed().log)
}

fn most(rig: &Rig, kernel: &Kernel) -> usize {
    kernel
        .group_info(&rig.device, KernelGroupInfo::WORK_GROUP_SIZE)
        .expect("WORK_GROUP_SIZE")
}

/// The 48 numbers that `mix` reads.
fn numbers() -> Vec<f64> {
    (0..48).map(f64::from).collect()
}

/// What `mix` computes, for a local id.
fn mixed(id: usize, rounds: i32) -> f64 {
    let mut values: Vec<f64> = numbers().iter().map(|value| value + id as f64).collect();
    for _ in 0..rounds {
        for k in 0..48 {
            values[k] += values[(k + 7) % 48];
        }
    }
    values
        .iter()
        .zip(1..)
        .map(|(value, factor)| f64::from(factor) * value)
        .sum()
}

#[test]
fn the_largest_groups_run() {
    if let Some(log) = log_of("the_largest_groups_run") {
        let again = log.matches("is compiled again").count();
        return assert_eq!(again, 1, "{log}");
    }
    let rig = Rig::new();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let il = spirv(
        &here.join("tests"),
        &here.join("../../target/kernels/cuda"),
        "registers",
    );
    let program = Program::with_il(&rig.context, &il).expect("urProgramCreateWithIL");
    program.build(&rig.context, "").expect("urProgramBuild");
    let kernel = Kernel::new(&program, "mix").expect("urKernelCreate");
    let most = most(&rig, &kernel);
    assert!(most < 1024, "the kernel has registers for groups of {most}");
    let (numbers, out) = (rig.shared(&numbers()), rig.shared(&[0_f64; 2048]));
    let (to, from) = (Arg::Pointer(out.ptr()), Arg::Pointer(numbers.ptr()));
    let check = |size: usize, rounds: i32| {
        // SAFETY: the kernel is complete.
        let out = unsafe { out.as_slice::<f64>() };
        let wrong = (0..2048).find(|&at| out[at] != mixed(at % size, rounds));
        assert_eq!(wrong, None, "groups of {size}: {out:?}");
    };
    let range = |size| Range::new([2048]).local([size]);
    for (size, rounds) in [(512, 1), (1024, 2), (256, 3), (1024, 4)] {
        let event = rig
            .launch(&kernel, &range(size), &[to, from, Arg::value(&rounds)])
            .expect("launch");
        event.wait().expect("urEventWait");
        check(size, rounds);
    }
    let refused = rig.launch(&kernel, &Range::new([2048]).local([2048]), &[to, from, Arg::value(&1)]);
    assert_eq!(code(refused), ResultCode::ERROR_INVALID_WORK_GROUP_SIZE);
    // In a command buffer, whose nodes change from the one code to the other.
    let settings = CommandBufferSettings {
        updatable: true,
        ..Default::default()
    };
    let buffer = CommandBuffer::new(&rig.context, &rig.device, settings).expect("urCommandBufferCreateExp");
    // SAFETY: memory of these sizes, which lives until the runs are over.
    let launched = unsafe {
        buffer.launch(
            &kernel,
            &range(256),
            &[to, from, Arg::value(&5)],
            &[],
            Place::default().handle(),
        )
    };
    let command = launched.expect("launch").command();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    for (size, rounds) in [(256, 5), (1024, 6), (128, 7)] {
        let new = [(2, Arg::value(&rounds))];
        let update = Update::new(command).args(&new).range(range(size));
        // SAFETY: as above.
        unsafe { buffer.update(&[update]) }.expect("urCommandBufferUpdateKernelLaunchExp");
        rig.queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
        rig.queue.finish().expect("urQueueFinish");
        check(size, rounds);
    }
}

#[test]
fn a_kernel_of_ptx_is_what_it_is() {
    if log_of("a_kernel_of_ptx_is_what_it_is").is_some() || std::env::var_os("OXUR_CUDA_SYSTEM").is_some() {
        return;
    }
    let rig = Rig::new();
    let kernel = rig.kernel("add");
    assert_eq!(most(&rig, &kernel), 896);
    let (memory, count) = (rig.shared(&[0_f32; 1024]), 1024_u32);
    let args = [Arg::Pointer(memory.ptr()); 3];
    let args: Vec<Arg> = args.into_iter().chain([Arg::value(&count)]).collect();
    let launched = |size: usize| rig.launch(&kernel, &Range::new([size]).local([size]), &args);
    assert_eq!(code(launched(1024)), ResultCode::ERROR_INVALID_WORK_GROUP_SIZE);
    launched(896).expect("launch").wait().expect("urEventWait");
}
