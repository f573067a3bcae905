// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Barriers, in lists whose commands have no order otherwise.

use std::ptr::null_mut;

use oxur_conformance_level_zero::{Kernel, Rig, Usm, expect, handles_of, ok};

/// A kernel that adds to or multiplies 4096 numbers.
fn kernel(rig: &Rig, name: &str, data: &Usm, value: i32) -> Kernel {
    let kernel = rig.kernel("basic", name);
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, value);
    kernel
}

/// zeCommandListAppendBarrier: "If numWaitEvents is zero, then all previous commands are completed prior to the execution of
/// the barrier", and it "blocks all following commands from beginning until the execution of the barrier completes".
#[test]
fn orders_a_list() {
    let Some(rig) = Rig::executing() else { return };
    let data = rig.shared(&[1i32; 4096]);
    let (add, multiply) = (kernel(&rig, "add", &data, 1), kernel(&rig, "multiply", &data, 2));
    let mut expected = 1i32;
    rig.run(|list| {
        for _ in 0..20 {
            list.launch(&add, [64, 1, 1], None, &[]);
            list.barrier(None, &[]);
            list.launch(&multiply, [64, 1, 1], None, &[]);
            list.barrier(None, &[]);
            expected = (expected + 1) * 2;
        }
    });
    assert_eq!(data.values::<i32>(), [expected; 4096]);
}

/// zeCommandListAppendBarrier on an immediate list.
#[test]
fn orders_an_immediate_list() {
    let Some(rig) = Rig::executing() else { return };
    let (data, gate, list) = (rig.shared(&[1i32; 4096]), rig.event(), rig.immediate(0));
    let (add, multiply) = (kernel(&rig, "add", &data, 3), kernel(&rig, "multiply", &data, 5));
    list.launch(&add, [64, 1, 1], None, &[&gate]);
    list.barrier(None, &[]);
    list.launch(&multiply, [64, 1, 1], None, &[]);
    list.barrier(None, &[]);
    let out = rig.shared(&[0i32; 4096]);
    list.copy(out.ptr(), data.ptr(), 4096 * 4, None, &[]);
    assert_eq!(data.values::<i32>(), [1; 4096]);
    gate.host_signal();
    list.synchronize();
    assert_eq!(out.values::<i32>(), [20; 4096]);
}

/// zeCommandListAppendBarrier: "handle of the event to signal on completion", of all that is before it.
#[test]
fn signals() {
    let Some(rig) = Rig::executing() else { return };
    let (list, gate, done, data) = (rig.immediate(0), rig.event(), rig.event(), rig.shared(&[0u32; 4]));
    list.fill(data.ptr(), &[1u32], 16, None, &[&gate]);
    list.barrier(Some(&done), &[]);
    assert!(!done.is_signalled());
    gate.host_signal();
    done.wait();
    assert_eq!(data.values::<u32>(), [1; 4]);
    list.synchronize();
}

/// zeCommandListAppendBarrier: If numWaitEvents is non-zero, "all phWaitEvents must be signaled prior to the execution
/// of the barrier"; following commands wait for it.
#[test]
fn waits_for_events() {
    let Some(rig) = Rig::executing() else { return };
    let (list, data) = (rig.immediate(0), rig.shared(&[0u32; 4]));
    let (a, b, done) = (rig.event(), rig.event(), rig.event());
    list.barrier(Some(&done), &[&a, &b]);
    list.fill(data.ptr(), &[2u32], 16, None, &[]);
    a.host_signal();
    assert!(!done.is_signalled());
    assert_eq!(data.values::<u32>(), [0; 4]);
    b.host_signal();
    list.synchronize();
    assert!(done.is_signalled());
    assert_eq!(data.values::<u32>(), [2; 4]);
}

/// zeCommandListAppendMemoryRangesBarrier: the same, for some memory at least.
#[test]
fn memory_ranges() {
    let Some(rig) = Rig::executing() else { return };
    let (data, other) = (rig.shared(&[1i32; 4096]), rig.shared(&[0i32; 16]));
    let (add, multiply) = (kernel(&rig, "add", &data, 1), kernel(&rig, "multiply", &data, 3));
    let (sizes, done) = ([4096 * 4, 64], rig.event());
    let mut ranges = [data.ptr().cast_const(), other.ptr().cast_const()];
    rig.run(|list| {
        list.launch(&add, [64, 1, 1], None, &[]);
        ok!(zeCommandListAppendMemoryRangesBarrier(
            list.raw(),
            2,
            sizes.as_ptr(),
            ranges.as_mut_ptr(),
            done.raw(),
            0,
            null_mut()
        ));
        list.launch(&multiply, [64, 1, 1], None, &[]);
    });
    assert!(done.is_signalled());
    assert_eq!(data.values::<i32>(), [6; 4096]);
}

/// zeCommandListAppendMemoryRangesBarrier: waits for events.
#[test]
fn memory_ranges_wait() {
    let Some(rig) = Rig::executing() else { return };
    let (list, data, gate) = (rig.immediate(0), rig.shared(&[0u32; 4]), rig.event());
    let (sizes, mut ranges) = ([16], [data.ptr().cast_const()]);
    let mut wait = handles_of(&[&gate]);
    ok!(zeCommandListAppendMemoryRangesBarrier(
        list.raw(),
        1,
        sizes.as_ptr(),
        ranges.as_mut_ptr(),
        null_mut(),
        1,
        wait.as_mut_ptr()
    ));
    list.fill(data.ptr(), &[3u32], 16, None, &[]);
    assert_eq!(data.values::<u32>(), [0; 4]);
    gate.host_signal();
    list.synchronize();
    assert_eq!(data.values::<u32>(), [3; 4]);
}

/// `(nullptr == phWaitEvents) && (0 < numWaitEvents)` is an invalid size.
#[test]
fn events_of_nowhere() {
    let rig = Rig::new();
    let list = rig.list();
    expect!(
        zeCommandListAppendBarrier(list.raw(), null_mut(), 2, null_mut()),
        ZE_RESULT_ERROR_INVALID_SIZE
    );
    let (sizes, usm) = ([16], rig.shared(&[0u8; 16]));
    let mut ranges = [usm.ptr().cast_const()];
    expect!(
        zeCommandListAppendMemoryRangesBarrier(
            list.raw(),
            1,
            sizes.as_ptr(),
            ranges.as_mut_ptr(),
            null_mut(),
            2,
            null_mut()
        ),
        ZE_RESULT_ERROR_INVALID_SIZE
    );
}
