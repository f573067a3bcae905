// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Stores through null pointers do nothing where kernels for Intel's GPUs run, which discard them: on Level Zero, on the CUDA adapter, and on
//! our CPU adapter while it passes for a GPU.

use oxur_conformance::api::*;
use oxur_conformance::client::*;
use oxur_conformance::{Rig, run_test, values};

use crate::command_buffer::{UPDATABLE, empty, launch, run};
use crate::command_buffer_update::{HANDLE, update};

/// Marks the process of a test on a CPU that passes for a GPU.
const IS_CHILD: &str = "OXUR_TEST_NULL_STORES";

/// A rig on which such stores do nothing, if this process has one. A CPU has one in another process.
fn rig(test: &str) -> Option<Rig> {
    let rig = Rig::new();
    let name: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
    let is_gpu = rig.backend() == Backend::LEVEL_ZERO || name.starts_with("NVIDIA");
    if is_gpu || std::env::var_os(IS_CHILD).is_some() {
        return Some(rig);
    }
    if name == "oxur CPU" {
        let variables = [("UR_CPU_DEVICE_TYPE", "gpu"), (IS_CHILD, "1")];
        run_test(&format!("null_stores::{test}"), &variables).passed();
    } else {
        println!("{name} has faults there");
    }
    None
}

const NULL: Arg<'static> = Arg::Pointer(std::ptr::null());

/// More than a page of results, so that they are in more than the first one.
const COUNT: usize = 5000;

fn numbers() -> Vec<u32> {
    (1..).take(COUNT).collect()
}

/// What a kernel stores for a number in place of a pair.
fn pair(x: u32) -> u64 {
    match x % 2 {
        1 => u64::from(x),
        _ => u64::from(x) | u64::from(3 * x) << 32,
    }
}

#[test]
fn of_results_that_nobody_wants() {
    let Some(rig) = rig("of_results_that_nobody_wants") else {
        return;
    };
    let kernel = rig.kernel("null_stores", "sums");
    let x = rig.shared(&numbers());
    let (twice, pairs) = (rig.shared(&vec![0_u32; COUNT]), rig.shared(&vec![0_u64; COUNT]));
    let x = Arg::Pointer(x.ptr());
    let launch = |args: &[Arg]| rig.run(&kernel, &Range::new([COUNT]), args);
    launch(&[x, NULL, NULL]);
    launch(&[x, NULL, Arg::Pointer(pairs.ptr())]);
    assert_eq!(
        values::<u64>(&pairs),
        numbers().into_iter().map(pair).collect::<Vec<_>>()
    );
    assert_eq!(values::<u32>(&twice), vec![0; COUNT]);
    launch(&[x, Arg::Pointer(twice.ptr()), NULL]);
    assert_eq!(
        values::<u32>(&twice),
        numbers().iter().map(|x| 2 * x).collect::<Vec<_>>()
    );
}

#[test]
fn of_arguments_that_were_set_before() {
    let Some(rig) = rig("of_arguments_that_were_set_before") else {
        return;
    };
    let kernel = rig.kernel("null_stores", "sums");
    let (x, twice) = (rig.shared(&numbers()), rig.shared(&vec![0_u32; COUNT]));
    for second in [NULL, Arg::Pointer(twice.ptr()), NULL] {
        let args = [Arg::Pointer(x.ptr()), second, NULL];
        // SAFETY: memory of the kernel's size, which lives until the wait.
        let event = unsafe { rig.queue.launch_legacy(&kernel, &Range::new([COUNT]), &args, &[]) };
        event.expect("launch").wait().expect("urEventWait");
    }
    assert_eq!(
        values::<u32>(&twice),
        numbers().iter().map(|x| 2 * x).collect::<Vec<_>>()
    );
}

#[test]
fn a_kernel_that_asks_sees_null() {
    let Some(rig) = rig("a_kernel_that_asks_sees_null") else {
        return;
    };
    let kernel = rig.kernel("null_stores", "asks");
    let (x, twice) = (rig.shared(&[0_u32; 64]), rig.shared(&[0_u32; 64]));
    rig.run(&kernel, &Range::new([64]), &[Arg::Pointer(x.ptr()), NULL]);
    assert_eq!(values::<u32>(&x), [2; 64]);
    let both = [Arg::Pointer(x.ptr()), Arg::Pointer(twice.ptr())];
    rig.run(&kernel, &Range::new([64]), &both);
    assert_eq!((values::<u32>(&x), values::<u32>(&twice)), (&[1; 64][..], &[3; 64][..]));
}

#[test]
fn of_a_launch_that_is_updated() {
    let Some(rig) = rig("of_a_launch_that_is_updated") else {
        return;
    };
    let kernel = rig.kernel("null_stores", "sums");
    let (x, twice) = (rig.shared(&numbers()), rig.shared(&vec![0_u32; COUNT]));
    let buffer = empty(&rig, UPDATABLE);
    let args = [Arg::Pointer(x.ptr()), NULL, NULL];
    let command = launch(&buffer, &kernel, COUNT, &args, HANDLE)
        .expect("a launch")
        .command();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    run(&rig.queue, &buffer);
    for second in [Arg::Pointer(twice.ptr()), NULL] {
        update(&buffer, &[Update::new(command).args(&[(1, second)])]).expect("update");
        run(&rig.queue, &buffer);
        assert_eq!(
            values::<u32>(&twice),
            numbers().iter().map(|x| 2 * x).collect::<Vec<_>>()
        );
    }
}

/// An argument that was null is what it is set to later, in any form.
#[test]
fn of_an_argument_that_is_set_again() {
    let Some(rig) = rig("of_an_argument_that_is_set_again") else {
        return;
    };
    let kernel = rig.kernel("null_stores", "sums");
    let (x, twice, buffer) = (
        rig.shared(&numbers()),
        rig.shared(&vec![0_u32; COUNT]),
        rig.buffer(&vec![0_u32; COUNT]),
    );
    let expected: Vec<u32> = numbers().iter().map(|x| 2 * x).collect();
    let launch = |second: Arg| {
        let args = [Arg::Pointer(x.ptr()), second, NULL];
        // SAFETY: memory of the kernel's size, which lives until the wait.
        let event = unsafe { rig.queue.launch_legacy(&kernel, &Range::new([COUNT]), &args, &[]) };
        event.expect("launch").wait().expect("urEventWait");
    };
    let (null, address) = (0_usize, twice.ptr().addr());
    launch(NULL);
    launch(Arg::mem(&buffer));
    assert_eq!(rig.contents::<u32>(&buffer), expected);
    launch(NULL);
    launch(Arg::value(&address));
    assert_eq!(values::<u32>(&twice), expected);
    launch(Arg::value(&null));
}
