// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Fences.

use std::ptr::null_mut;
use std::thread;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{FOREVER, Fence, Rig, expect, ok, ze};

/// zeFenceCreate: not signalled, or signalled with ZE_FENCE_FLAG_SIGNALED.
#[test]
fn create() {
    let rig = Rig::new();
    let queue = rig.queue();
    let (plain, signalled) = (Fence::new(&queue, 0), Fence::new(&queue, ZE_FENCE_FLAG_SIGNALED));
    expect!(zeFenceQueryStatus(plain.raw()), ZE_RESULT_NOT_READY);
    expect!(zeFenceQueryStatus(signalled.raw()), ZE_RESULT_SUCCESS);
}

/// zeFenceCreate: `0x1 < desc->flags` is an invalid enumeration.
#[test]
fn flags() {
    let rig = Rig::new();
    let queue = rig.queue();
    let desc = ze_fence_desc_t {
        flags: 2,
        ..Default::default()
    };
    expect!(
        zeFenceCreate(queue.raw(), &desc, &mut null_mut()),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
}

/// zeFenceHostSynchronize: ZE_RESULT_NOT_READY when the time has passed; zero "operates exactly like zeFenceQueryStatus".
#[test]
fn timeouts() {
    let rig = Rig::new();
    let queue = rig.queue();
    let fence = rig.fence(&queue);
    for timeout in [0, 1, 1000, 1_000_000] {
        expect!(zeFenceHostSynchronize(fence.raw(), timeout), ZE_RESULT_NOT_READY;
            intel ZE_RESULT_SUCCESS, "without a GPU waits end at once");
    }
}

/// zeFenceReset: the fence is not signalled any more, and can be used again.
#[test]
fn signal_and_reset() {
    let Some(rig) = Rig::executing() else { return };
    let (queue, list, data) = (rig.queue(), rig.list(), rig.shared(&[0u32; 8]));
    list.fill(data.ptr(), &[5u32], 32, None, &[]);
    list.close();
    let fence = rig.fence(&queue);
    for _ in 0..10 {
        expect!(zeFenceQueryStatus(fence.raw()), ZE_RESULT_NOT_READY);
        queue.execute_with(&[&list], fence.raw());
        ok!(zeFenceHostSynchronize(fence.raw(), FOREVER));
        expect!(zeFenceQueryStatus(fence.raw()), ZE_RESULT_SUCCESS);
        expect!(zeFenceHostSynchronize(fence.raw(), 0), ZE_RESULT_SUCCESS);
        assert_eq!(data.values::<u32>(), [5; 8]);
        ok!(zeFenceReset(fence.raw()));
    }
}

/// zeCommandQueueExecuteCommandLists: "handle of the fence to signal on completion" of all lists of the call.
#[test]
fn after_all_lists() {
    let Some(rig) = Rig::executing() else { return };
    let (queue, gate) = (rig.queue(), rig.event());
    let (first, second) = (rig.list(), rig.list());
    second.wait_on(&[&gate]);
    first.close();
    second.close();
    let fence = rig.fence(&queue);
    queue.execute_with(&[&first, &second], fence.raw());
    expect!(zeFenceQueryStatus(fence.raw()), ZE_RESULT_NOT_READY);
    expect!(zeFenceHostSynchronize(fence.raw(), 100_000), ZE_RESULT_NOT_READY);
    gate.host_signal();
    ok!(zeFenceHostSynchronize(fence.raw(), FOREVER));
    queue.synchronize();
}

/// A fence is one of a call: earlier calls are complete when it is signalled, later ones need not be.
#[test]
fn of_one_call() {
    let Some(rig) = Rig::executing() else { return };
    let (queue, gate) = (rig.queue(), rig.event());
    let (free, stuck) = (rig.list(), rig.list());
    free.close();
    stuck.wait_on(&[&gate]);
    stuck.close();
    let (first, second) = (rig.fence(&queue), rig.fence(&queue));
    queue.execute_with(&[&free], first.raw());
    queue.execute_with(&[&stuck], second.raw());
    ok!(zeFenceHostSynchronize(first.raw(), FOREVER));
    expect!(zeFenceQueryStatus(second.raw()), ZE_RESULT_NOT_READY);
    gate.host_signal();
    ok!(zeFenceHostSynchronize(second.raw(), FOREVER));
}

/// zeFenceHostSynchronize: "may be called from simultaneous threads".
#[test]
fn threads() {
    let Some(rig) = Rig::executing() else { return };
    let (queue, list, gate) = (rig.queue(), rig.list(), rig.event());
    list.wait_on(&[&gate]);
    list.close();
    let fence = rig.fence(&queue);
    queue.execute_with(&[&list], fence.raw());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(ze!(zeFenceHostSynchronize(fence.raw(), FOREVER)), ZE_RESULT_SUCCESS));
        }
        gate.host_signal();
    });
}
