// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Immediate command lists.

use std::ptr::null_mut;
use std::thread;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{List, Queue, Rig, expect, handles_of, intel, ok, optional, require_extension, ze};

/// zeCommandListCreateImmediate: of each group and mode.
#[test]
fn create() {
    let rig = Rig::new();
    for ordinal in 0..rig.queue_groups().len() as u32 {
        for mode in [
            ZE_COMMAND_QUEUE_MODE_DEFAULT,
            ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
            ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
        ] {
            let desc = ze_command_queue_desc_t {
                ordinal,
                mode,
                ..Default::default()
            };
            List::immediate(&rig, &desc);
        }
    }
}

/// zeCommandList*Get*: what the list was created with.
#[test]
fn getters() {
    if intel("a driver of version 1.3 does not have these functions") {
        return;
    }
    let rig = Rig::new();
    let desc = ze_command_queue_desc_t {
        flags: ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
        priority: ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH,
        ..rig.queue_desc()
    };
    let list = List::immediate(&rig, &desc);
    let (mut ordinal, mut index, mut immediate, mut flags) = (9, 9, 9, 9);
    let (mut mode, mut priority) = (ze_command_queue_mode_t(9), ze_command_queue_priority_t(9));
    ok!(zeCommandListIsImmediate(list.raw(), &mut immediate));
    ok!(zeCommandListGetOrdinal(list.raw(), &mut ordinal));
    ok!(zeCommandListImmediateGetIndex(list.raw(), &mut index));
    ok!(zeCommandListImmediateGetFlags(list.raw(), &mut flags));
    ok!(zeCommandListImmediateGetMode(list.raw(), &mut mode));
    ok!(zeCommandListImmediateGetPriority(list.raw(), &mut priority));
    assert_eq!(
        (immediate, ordinal, index, flags),
        (1, desc.ordinal, desc.index, desc.flags)
    );
    assert_eq!((mode, priority), (desc.mode, desc.priority));
}

/// ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS: the command is complete when the function returns.
#[test]
fn synchronous() {
    let Some(rig) = Rig::executing() else { return };
    let (list, kernel) = (rig.synchronous(), rig.kernel("basic", "add"));
    let (data, event) = (rig.shared(&[0i32; 64]), rig.event());
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 2i32);
    list.launch(&kernel, [1, 1, 1], Some(&event), &[]);
    assert!(event.is_signalled());
    assert_eq!(data.values::<i32>(), [2; 64]);
    list.fill(data.ptr(), &[6i32], 256, None, &[]);
    assert_eq!(data.values::<i32>(), [6; 64]);
    let out = rig.host(&[0i32; 64]);
    list.copy(out.ptr(), data.ptr(), 256, None, &[&event]);
    assert_eq!(out.values::<i32>(), [6; 64]);
    list.synchronize();
}

/// An asynchronous list: appending returns before the event is signalled that its command waits for.
#[test]
fn asynchronous() {
    let Some(rig) = Rig::executing() else { return };
    let (list, data) = (rig.immediate(0), rig.shared(&[0u32; 4]));
    let (gate, done) = (rig.event(), rig.event());
    list.fill(data.ptr(), &[8u32], 16, Some(&done), &[&gate]);
    assert!(!done.is_signalled());
    expect!(zeCommandListHostSynchronize(list.raw(), 0), ZE_RESULT_NOT_READY);
    expect!(zeCommandListHostSynchronize(list.raw(), 100_000), ZE_RESULT_NOT_READY);
    assert_eq!(data.values::<u32>(), [0; 4]);
    gate.host_signal();
    list.synchronize();
    assert!(done.is_signalled());
    assert_eq!(data.values::<u32>(), [8; 4]);
    expect!(zeCommandListHostSynchronize(list.raw(), 0), ZE_RESULT_SUCCESS);
}

/// ZE_COMMAND_QUEUE_FLAG_IN_ORDER: each command begins when the one before is complete.
#[test]
fn in_order() {
    let Some(rig) = Rig::executing() else { return };
    let (list, kernels) = (rig.in_order(), rig.module("basic"));
    let (add, multiply) = (kernels.kernel("add"), kernels.kernel("multiply"));
    let (data, gate) = (rig.shared(&[1i32; 1024]), rig.event());
    for kernel in [&add, &multiply] {
        kernel.group_size([64, 1, 1]);
        kernel.set_ptr(0, data.ptr());
    }
    list.wait_on(&[&gate]);
    let mut expected = 1i32;
    for step in 0..100 {
        add.set(1, step);
        multiply.set(1, 7i32);
        list.launch(&add, [16, 1, 1], None, &[]);
        list.launch(&multiply, [16, 1, 1], None, &[]);
        expected = expected.wrapping_add(step).wrapping_mul(7);
    }
    assert_eq!(
        data.values::<i32>(),
        [1; 1024],
        "nothing begins before the wait has ended"
    );
    gate.host_signal();
    list.synchronize();
    assert_eq!(data.values::<i32>(), [expected; 1024]);
}

/// Out of order: a command that waits does not keep a later one that does not.
#[test]
fn out_of_order() {
    let Some(rig) = Rig::executing() else { return };
    let list = rig.immediate(0);
    let (a, b, gate) = (rig.shared(&[0u32; 4]), rig.shared(&[0u32; 4]), rig.event());
    let (first, second) = (rig.event(), rig.event());
    // Whether the second may overtake the first is up to the driver; with an event between them it may not.
    list.fill(a.ptr(), &[1u32], 16, Some(&first), &[&gate]);
    list.copy(b.ptr(), a.ptr(), 16, Some(&second), &[&first]);
    assert!(!first.is_signalled() && !second.is_signalled());
    gate.host_signal();
    second.wait();
    assert!(first.is_signalled());
    assert_eq!(b.values::<u32>(), [1; 4]);
    list.synchronize();
}

/// zeCommandListHostSynchronize: "Waiting on one immediate command list shall not block the concurrent execution of commands
/// appended to other immediate command lists created with either a different ordinal or different index".
#[test]
fn lists_are_independent() {
    let Some(rig) = Rig::executing() else { return };
    let Some(group) = rig.queue_groups().iter().position(|group| group.numQueues > 1) else {
        return println!("the device has one queue a group");
    };
    let list = |index| {
        let desc = ze_command_queue_desc_t {
            ordinal: group as u32,
            index,
            ..rig.queue_desc()
        };
        List::immediate(&rig, &desc)
    };
    let (stuck, free, gate, done) = (list(0), list(1), rig.event(), rig.event());
    let data = rig.shared(&[0u32; 4]);
    stuck.fill(data.ptr(), &[1u32], 16, None, &[&gate]);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| stuck.synchronize());
        free.barrier(Some(&done), &[]);
        done.wait();
        gate.host_signal();
        waiting.join().expect("the wait");
    });
    assert_eq!(data.values::<u32>(), [1; 4]);
}

/// zeCommandListClose, zeCommandListReset: an immediate list "never needs to be closed"; appending works afterwards too.
#[test]
fn never_closed() {
    let Some(rig) = Rig::executing() else { return };
    let (list, data) = (rig.in_order(), rig.shared(&[0u32; 4]));
    for value in 1..100u32 {
        list.fill(data.ptr(), &[value], 16, None, &[]);
    }
    list.synchronize();
    assert_eq!(data.values::<u32>(), [99; 4]);
}

/// zeCommandListImmediateAppendCommandListsExp: the lists execute in order, after the wait events, and signal at the end.
#[test]
fn append_lists() {
    let Some(rig) = Rig::executing() else { return };
    assert!(require_extension(&rig, ZE_IMMEDIATE_COMMAND_LIST_APPEND_EXP_NAME));
    let (immediate, kernels) = (rig.immediate(0), rig.module("basic"));
    let (add, multiply) = (kernels.kernel("add"), kernels.kernel("multiply"));
    let (data, gate, done) = (rig.shared(&[1i32; 64]), rig.event(), rig.event());
    let lists = [&add, &multiply].map(|kernel| {
        kernel.group_size([64, 1, 1]);
        kernel.set_ptr(0, data.ptr());
        kernel.set(1, 5i32);
        let list = rig.list();
        list.launch(kernel, [1, 1, 1], None, &[]);
        list.barrier(None, &[]);
        list.close();
        list
    });
    let mut handles = [lists[0].raw(), lists[1].raw()];
    let mut wait = handles_of(&[&gate]);
    ok!(zeCommandListImmediateAppendCommandListsExp(
        immediate.raw(),
        2,
        handles.as_mut_ptr(),
        optional(Some(&done)),
        1,
        wait.as_mut_ptr()
    ));
    assert!(!done.is_signalled());
    assert_eq!(data.values::<i32>(), [1; 64]);
    gate.host_signal();
    done.wait();
    assert_eq!(data.values::<i32>(), [30; 64]);
    immediate.synchronize();
    // Again, without events.
    ok!(zeCommandListImmediateAppendCommandListsExp(
        immediate.raw(),
        2,
        handles.as_mut_ptr(),
        null_mut(),
        0,
        null_mut()
    ));
    immediate.synchronize();
    assert_eq!(data.values::<i32>(), [175; 64]);
}

/// zeCommandListImmediateAppendCommandListsExp: in the order of an in-order list, and complete at once on a synchronous one.
#[test]
fn append_lists_in_order() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, data) = (rig.kernel("basic", "multiply"), rig.shared(&[0i32; 64]));
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 5i32);
    let list = rig.list();
    list.launch(&kernel, [1, 1, 1], None, &[]);
    list.close();
    let mut handles = [list.raw()];
    for immediate in [rig.in_order(), rig.synchronous()] {
        immediate.fill(data.ptr(), &[2i32], 256, None, &[]);
        for _ in 0..3 {
            ok!(zeCommandListImmediateAppendCommandListsExp(
                immediate.raw(),
                1,
                handles.as_mut_ptr(),
                null_mut(),
                0,
                null_mut()
            ));
        }
        let out = rig.shared(&[0i32; 64]);
        immediate.copy(out.ptr(), data.ptr(), 256, None, &[]);
        immediate.synchronize();
        assert_eq!(out.values::<i32>(), [250; 64]);
    }
}

/// zeCommandListImmediateAppendCommandListsExp: "must call this function only with command lists created with
/// zeCommandListCreateImmediate", and "must be regular command lists".
#[test]
fn append_wrong_lists() {
    let Some(rig) = Rig::executing() else { return };
    let (immediate, regular) = (rig.immediate(0), rig.list());
    regular.close();
    for (to, what) in [(&regular, &regular), (&immediate, &immediate)] {
        let mut handles = [what.raw()];
        let result = ze!(zeCommandListImmediateAppendCommandListsExp(
            to.raw(),
            1,
            handles.as_mut_ptr(),
            null_mut(),
            0,
            null_mut()
        ));
        assert_ne!(result, ZE_RESULT_SUCCESS);
    }
}

/// zeCommandListAppendHostFunction: runs in the order of the list, with its argument; then the event is signalled.
#[test]
fn host_function() {
    let Some(rig) = Rig::executing() else { return };
    unsafe extern "C" fn add_one(data: *mut std::ffi::c_void) {
        // SAFETY: the test passes the address of shared memory, which nothing else uses meanwhile.
        unsafe { *data.cast::<u32>() += 1 };
    }
    let (data, gate, done) = (rig.shared(&[0u32]), rig.event(), rig.event());
    let mut wait = handles_of(&[&gate]);
    let immediate = rig.in_order();
    immediate.fill(data.ptr(), &[41u32], 4, None, &[]);
    let result = ze!(zeCommandListAppendHostFunction(
        immediate.raw(),
        Some(add_one),
        data.ptr(),
        std::ptr::null(),
        done.raw(),
        1,
        wait.as_mut_ptr()
    ));
    if result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE {
        return println!("the driver has no host functions");
    }
    assert_eq!(result, ZE_RESULT_SUCCESS);
    assert!(!done.is_signalled());
    gate.host_signal();
    done.wait();
    assert_eq!(data.values::<u32>(), [42]);
    immediate.synchronize();
}

/// Immediate lists of their own for each thread.
#[test]
fn threads() {
    let Some(rig) = Rig::executing() else { return };
    let module = rig.module("basic");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let (list, kernel, data) = (rig.in_order(), module.kernel("add"), rig.shared(&[0i32; 64]));
                kernel.group_size([64, 1, 1]);
                kernel.set_ptr(0, data.ptr());
                kernel.set(1, 1i32);
                for _ in 0..200 {
                    list.launch(&kernel, [1, 1, 1], None, &[]);
                }
                list.synchronize();
                assert_eq!(data.values::<i32>(), [200; 64]);
            });
        }
    });
}

/// A list is destroyed with its queue still there, and the other way round.
#[test]
fn destroy_in_any_order() {
    let rig = Rig::new();
    let desc = rig.queue_desc();
    let (queue, list, immediate) = (Queue::new(&rig, &desc), rig.list(), rig.immediate(0));
    drop(immediate);
    drop(queue);
    drop(list);
}
