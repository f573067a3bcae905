// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command queues.

use std::ptr::null_mut;
use std::thread;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{FOREVER, List, Queue, Rig, expect, intel, ok, ze};

/// zeCommandQueueCreate: of each group, each queue, and each mode and priority.
#[test]
fn create() {
    let rig = Rig::new();
    for (ordinal, group) in rig.queue_groups().iter().enumerate() {
        for index in 0..group.numQueues.min(4) {
            for mode in [
                ZE_COMMAND_QUEUE_MODE_DEFAULT,
                ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
                ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
            ] {
                for priority in [
                    ZE_COMMAND_QUEUE_PRIORITY_NORMAL,
                    ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW,
                    ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH,
                ] {
                    let desc = ze_command_queue_desc_t {
                        ordinal: ordinal as u32,
                        index,
                        mode,
                        priority,
                        ..Default::default()
                    };
                    Queue::new(&rig, &desc).synchronize();
                }
            }
        }
    }
}

/// zeCommandQueueCreate: `0x7 < flags`, `ASYNCHRONOUS < mode` and `PRIORITY_HIGH < priority` are invalid enumerations.
#[test]
fn bad_descriptors() {
    let rig = Rig::new();
    let good = rig.queue_desc();
    let bad = [
        ze_command_queue_desc_t { flags: 0x8, ..good },
        ze_command_queue_desc_t {
            mode: ze_command_queue_mode_t(3),
            ..good
        },
        ze_command_queue_desc_t {
            priority: ze_command_queue_priority_t(3),
            ..good
        },
    ];
    for desc in &bad {
        let (context, mut queue, mut list) = (rig.context.raw(), null_mut(), null_mut());
        expect!(
            zeCommandQueueCreate(context, rig.device, desc, &mut queue),
            ZE_RESULT_ERROR_INVALID_ENUMERATION
        );
        expect!(
            zeCommandListCreateImmediate(context, rig.device, desc, &mut list),
            ZE_RESULT_ERROR_INVALID_ENUMERATION
        );
    }
}

/// zeCommandQueueCreate: the ordinal and the index "must be less than" what the groups' properties say.
#[test]
fn no_such_queue() {
    let rig = Rig::new();
    let groups = rig.queue_groups();
    let create = |ordinal, index| {
        let desc = ze_command_queue_desc_t {
            ordinal,
            index,
            ..rig.queue_desc()
        };
        ze!(zeCommandQueueCreate(
            rig.context.raw(),
            rig.device,
            &desc,
            &mut null_mut()
        ))
    };
    assert_ne!(create(groups.len() as u32, 0), ZE_RESULT_SUCCESS);
    assert_ne!(create(0, groups[0].numQueues), ZE_RESULT_SUCCESS);
}

/// zeCommandQueueGet*: what the queue was created with.
#[test]
fn getters() {
    if intel("a driver of version 1.3 does not have these functions") {
        return;
    }
    let rig = Rig::new();
    let desc = ze_command_queue_desc_t {
        flags: ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY,
        priority: ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW,
        ..rig.queue_desc()
    };
    let queue = Queue::new(&rig, &desc);
    let (mut ordinal, mut index, mut flags) = (9, 9, 9);
    let (mut mode, mut priority) = (ze_command_queue_mode_t(9), ze_command_queue_priority_t(9));
    ok!(zeCommandQueueGetOrdinal(queue.raw(), &mut ordinal));
    ok!(zeCommandQueueGetIndex(queue.raw(), &mut index));
    ok!(zeCommandQueueGetFlags(queue.raw(), &mut flags));
    ok!(zeCommandQueueGetMode(queue.raw(), &mut mode));
    ok!(zeCommandQueueGetPriority(queue.raw(), &mut priority));
    assert_eq!((ordinal, index, flags), (desc.ordinal, desc.index, desc.flags));
    assert_eq!((mode, priority), (desc.mode, desc.priority));
}

/// zeCommandQueueExecuteCommandLists: `0 == numCommandLists` is an invalid size; no array is an invalid null pointer.
#[test]
fn nothing_to_execute() {
    let rig = Rig::new();
    let queue = rig.queue();
    let mut lists = [rig.list().raw()];
    expect!(
        zeCommandQueueExecuteCommandLists(queue.raw(), 0, lists.as_mut_ptr(), null_mut()),
        ZE_RESULT_ERROR_INVALID_SIZE
    );
    expect!(
        zeCommandQueueExecuteCommandLists(queue.raw(), 1, null_mut(), null_mut()),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
}

/// zeCommandQueueExecuteCommandLists: "The application must ensure the command lists being executed are not immediate".
#[test]
fn immediate_lists_are_not_executed() {
    let rig = Rig::new();
    let (queue, list) = (rig.queue(), rig.immediate(0));
    let mut lists = [list.raw()];
    expect!(
        zeCommandQueueExecuteCommandLists(queue.raw(), 1, lists.as_mut_ptr(), null_mut()),
        ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE | ZE_RESULT_ERROR_INVALID_ARGUMENT;
        intel ZE_RESULT_SUCCESS, "the driver does not look"
    );
}

/// zeCommandQueueExecuteCommandLists: "The command lists are submitted to the device in the order they are received",
/// in one call and in several.
#[test]
fn in_the_order_of_lists() {
    let Some(rig) = Rig::executing() else { return };
    let kernels = rig.module("basic");
    let (add, multiply) = (kernels.kernel("add"), kernels.kernel("multiply"));
    for kernel in [&add, &multiply] {
        kernel.group_size([16, 1, 1]);
    }
    let data = rig.shared(&[1i32; 64]);
    let list = |kernel: &oxur_conformance_level_zero::Kernel, value: i32| {
        let list = rig.list();
        kernel.set_ptr(0, data.ptr());
        kernel.set(1, value);
        list.launch(kernel, [4, 1, 1], None, &[]);
        list.barrier(None, &[]);
        list.close();
        list
    };
    let (add_2, times_3, add_5) = (list(&add, 2), list(&multiply, 3), list(&add, 5));
    let queue = rig.queue();
    queue.execute(&[&add_2, &times_3, &add_5]);
    queue.execute(&[&times_3]);
    queue.execute(&[&add_2]);
    queue.synchronize();
    assert_eq!(data.values::<i32>(), [((1 + 2) * 3 + 5) * 3 + 2; 64]);
}

/// zeCommandQueueSynchronize: "if zero, then immediately returns the status of the command queue"; ZE_RESULT_NOT_READY when
/// the time has passed.
#[test]
fn status() {
    let Some(rig) = Rig::executing() else { return };
    let (queue, list, gate) = (rig.queue(), rig.list(), rig.event());
    assert_eq!(rig.queue_status(&queue), ZE_RESULT_SUCCESS, "nothing was executed");
    list.wait_on(&[&gate]);
    list.close();
    queue.execute(&[&list]);
    assert_eq!(rig.queue_status(&queue), ZE_RESULT_NOT_READY);
    for timeout in [1, 1000, 1_000_000] {
        expect!(zeCommandQueueSynchronize(queue.raw(), timeout), ZE_RESULT_NOT_READY);
    }
    gate.host_signal();
    ok!(zeCommandQueueSynchronize(queue.raw(), FOREVER));
    assert_eq!(rig.queue_status(&queue), ZE_RESULT_SUCCESS);
}

/// zeCommandQueueSynchronize: a queue waits for what was executed in it, not for another that has an engine of its own.
#[test]
fn queues_are_independent() {
    let Some(rig) = Rig::executing() else { return };
    let desc = rig.queue_desc();
    if rig.queue_groups()[desc.ordinal as usize].numQueues == 1 {
        return println!("the group has one engine");
    }
    let (stuck, free) = (
        rig.queue(),
        Queue::new(&rig, &ze_command_queue_desc_t { index: 1, ..desc }),
    );
    let (gate, data) = (rig.event(), rig.shared(&[0u32; 4]));
    let waiting = rig.list();
    waiting.wait_on(&[&gate]);
    waiting.close();
    stuck.execute(&[&waiting]);
    let list = rig.list();
    list.fill(data.ptr(), &[7u32], 16, None, &[]);
    list.close();
    free.execute(&[&list]);
    free.synchronize();
    assert_eq!(data.values::<u32>(), [7; 4]);
    assert_eq!(rig.queue_status(&stuck), ZE_RESULT_NOT_READY);
    gate.host_signal();
    stuck.synchronize();
}

/// ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS: "Device execution always completes immediately on execute; Host thread is blocked".
#[test]
fn synchronous() {
    let Some(rig) = Rig::executing() else { return };
    let queue = Queue::new(
        &rig,
        &ze_command_queue_desc_t {
            mode: ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
            ..rig.queue_desc()
        },
    );
    let data = rig.shared(&[0u32; 1000]);
    let list = rig.list();
    list.fill(data.ptr(), &[9u32], 4000, None, &[]);
    list.close();
    queue.execute(&[&list]);
    assert_eq!(data.values::<u32>(), [9; 1000]);
    assert_eq!(rig.queue_status(&queue), ZE_RESULT_SUCCESS);
}

/// zeCommandQueueExecuteCommandLists, zeCommandQueueSynchronize: "may be called from simultaneous threads".
#[test]
fn threads() {
    let Some(rig) = Rig::executing() else { return };
    let (queue, module) = (rig.queue(), rig.module("basic"));
    let counter = rig.shared(&[0i32]);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let kernel = module.kernel("count");
                kernel.set_ptr(0, counter.ptr());
                kernel.group_size([8, 1, 1]);
                for _ in 0..25 {
                    let list = rig.list();
                    list.launch(&kernel, [2, 1, 1], None, &[]);
                    list.close();
                    queue.execute(&[&list]);
                    queue.synchronize();
                }
            });
        }
    });
    assert_eq!(counter.values::<i32>(), [4 * 25 * 16]);
}

/// zeCommandQueueExecuteCommandLists: a list of a copy group runs on a queue of that group.
#[test]
fn each_group_copies() {
    let Some(rig) = Rig::executing() else { return };
    for (ordinal, group) in rig.queue_groups().iter().enumerate() {
        if group.flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY == 0 {
            continue;
        }
        let (from, to) = (rig.host(&[3u8; 100]), rig.shared(&[0u8; 100]));
        let desc = ze_command_list_desc_t {
            commandQueueGroupOrdinal: ordinal as u32,
            ..Default::default()
        };
        let list = List::new(&rig, &desc);
        list.copy(to.ptr(), from.ptr(), 100, None, &[]);
        list.close();
        let queue = Queue::new(
            &rig,
            &ze_command_queue_desc_t {
                ordinal: ordinal as u32,
                ..rig.queue_desc()
            },
        );
        queue.execute(&[&list]);
        queue.synchronize();
        assert_eq!(to.values::<u8>(), [3; 100]);
    }
}
