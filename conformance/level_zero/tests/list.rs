// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Regular command lists.

use std::ptr::null_mut;
use std::thread;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{List, Rig, expect, intel, ok, require_extension, ze};

/// zeCommandListCreate: each flag; `0x1f < desc->flags` is an invalid enumeration.
#[test]
fn flags() {
    let rig = Rig::new();
    for flags in [
        0,
        ZE_COMMAND_LIST_FLAG_RELAXED_ORDERING,
        ZE_COMMAND_LIST_FLAG_MAXIMIZE_THROUGHPUT,
        ZE_COMMAND_LIST_FLAG_EXPLICIT_ONLY,
    ] {
        rig.list_with(flags).close();
    }
    let desc = ze_command_list_desc_t {
        flags: 0x100,
        ..Default::default()
    };
    expect!(
        zeCommandListCreate(rig.context.raw(), rig.device, &desc, &mut null_mut()),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
}

/// zeCommandListCreate: an ordinal that zeDeviceGetCommandQueueGroupProperties does not have.
#[test]
fn no_such_group() {
    let rig = Rig::new();
    let desc = ze_command_list_desc_t {
        commandQueueGroupOrdinal: rig.queue_groups().len() as u32,
        ..Default::default()
    };
    let result = ze!(zeCommandListCreate(
        rig.context.raw(),
        rig.device,
        &desc,
        &mut null_mut()
    ));
    assert_ne!(result, ZE_RESULT_SUCCESS);
}

/// zeCommandListCreate: a structure in the chain that nobody knows is skipped.
#[test]
fn unknown_structure() {
    let rig = Rig::new();
    let mut unknown = oxur_conformance_level_zero::chain(null_mut());
    let desc = ze_command_list_desc_t {
        commandQueueGroupOrdinal: rig.compute_ordinal(),
        pNext: (&raw mut unknown).cast(),
        ..Default::default()
    };
    let mut list = null_mut();
    expect!(zeCommandListCreate(rig.context.raw(), rig.device, &desc, &mut list), ZE_RESULT_SUCCESS;
        intel ZE_RESULT_ERROR_INVALID_ARGUMENT, "the validation layer wants to know all structures");
    if !list.is_null() {
        List::from_raw(list, None).close();
    }
}

/// zeCommandListClose: "Closes a command list; ready to be executed by a command queue" — a closed list has nothing to close
/// or to append to until zeCommandListReset.
#[test]
fn closed_lists() {
    let rig = Rig::new();
    let (list, usm) = (rig.list(), rig.shared(&[0u32; 4]));
    list.close();
    expect!(zeCommandListClose(list.raw()), ZE_RESULT_ERROR_INVALID_ARGUMENT | ZE_RESULT_ERROR_UNKNOWN;
        intel ZE_RESULT_SUCCESS, "the driver closes lists again");
    let pattern = 1u32;
    expect!(
        zeCommandListAppendMemoryFill(list.raw(), usm.ptr(), (&raw const pattern).cast(), 4, 16, null_mut(), 0, null_mut()),
        ZE_RESULT_ERROR_INVALID_ARGUMENT | ZE_RESULT_ERROR_UNKNOWN;
        intel ZE_RESULT_SUCCESS, "the driver appends to closed lists"
    );
    list.reset();
    list.fill(usm.ptr(), &[1u32], 16, None, &[]);
    list.close();
}

/// zeCommandQueueExecuteCommandLists: an open list is not "ready to be executed".
#[test]
fn open_lists_are_not_executed() {
    let rig = Rig::new();
    let (queue, list) = (rig.queue(), rig.list());
    let mut lists = [list.raw()];
    let result = ze!(zeCommandQueueExecuteCommandLists(
        queue.raw(),
        1,
        lists.as_mut_ptr(),
        null_mut()
    ));
    let known = intel("the driver executes open lists");
    assert_eq!(result == ZE_RESULT_SUCCESS, known, "{result}");
}

/// zeCommandListReset: "Reset a command list to initial (empty) state; ready for appending commands", whether it is closed or
/// not.
#[test]
fn reset() {
    let rig = Rig::new();
    let (queue, list, data) = (rig.queue(), rig.list(), rig.shared(&[1u32; 4]));
    list.fill(data.ptr(), &[5u32], 16, None, &[]);
    list.reset();
    list.close();
    queue.execute(&[&list]);
    queue.synchronize();
    assert_eq!(data.values::<u32>(), [1; 4], "an empty list does nothing");
    let Some(rig) = Rig::executing() else { return };
    for value in 0..5u32 {
        list.reset();
        list.fill(data.ptr(), &[value], 16, None, &[]);
        list.close();
        queue.execute(&[&list]);
        queue.synchronize();
        assert_eq!(data.values::<u32>(), [value; 4]);
    }
    drop(rig);
}

/// A closed list may be executed many times, and is the same each time.
#[test]
fn execute_again() {
    let Some(rig) = Rig::executing() else { return };
    let (queue, list, kernel) = (rig.queue(), rig.list(), rig.kernel("basic", "add"));
    let data = rig.shared(&[0i32; 32]);
    kernel.group_size([32, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 3i32);
    list.launch(&kernel, [1, 1, 1], None, &[]);
    list.close();
    for _ in 0..20 {
        queue.execute(&[&list]);
        queue.synchronize();
    }
    for _ in 0..20 {
        queue.execute(&[&list]);
    }
    queue.synchronize();
    assert_eq!(data.values::<i32>(), [120; 32]);
}

/// A list that is executed by several queues, one after the other.
#[test]
fn execute_elsewhere() {
    let Some(rig) = Rig::executing() else { return };
    let (list, kernel, data) = (rig.list(), rig.kernel("basic", "add"), rig.shared(&[0i32; 32]));
    kernel.group_size([32, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 1i32);
    list.launch(&kernel, [1, 1, 1], None, &[]);
    list.close();
    for _ in 0..5 {
        let queue = rig.queue();
        queue.execute(&[&list]);
        queue.synchronize();
    }
    assert_eq!(data.values::<i32>(), [5; 32]);
}

/// ZE_COMMAND_LIST_FLAG_IN_ORDER: "commands appended to this command list are executed in-order, with driver implementation
/// enforcing dependencies between them".
#[test]
fn in_order() {
    let Some(rig) = Rig::executing() else { return };
    let (queue, list) = (rig.queue(), rig.list_with(ZE_COMMAND_LIST_FLAG_IN_ORDER));
    let kernels = rig.module("basic");
    let (add, multiply) = (kernels.kernel("add"), kernels.kernel("multiply"));
    let (data, copy) = (rig.shared(&[1i32; 256]), rig.shared(&[0i32; 256]));
    for kernel in [&add, &multiply] {
        kernel.group_size([32, 1, 1]);
        kernel.set_ptr(0, data.ptr());
    }
    let mut expected = 1i32;
    for step in 0..20 {
        add.set(1, step);
        multiply.set(1, 3i32);
        list.launch(&add, [8, 1, 1], None, &[]);
        list.launch(&multiply, [8, 1, 1], None, &[]);
        expected = expected.wrapping_add(step).wrapping_mul(3);
    }
    list.copy(copy.ptr(), data.ptr(), 1024, None, &[]);
    list.fill(data.ptr(), &[0u8], 1024, None, &[]);
    list.close();
    queue.execute(&[&list]);
    queue.synchronize();
    assert_eq!(copy.values::<i32>(), [expected; 256]);
    assert_eq!(data.values::<i32>(), [0; 256]);
}

/// zeCommandListGetDeviceHandle and its kin: what the list was created with.
#[test]
fn getters() {
    if intel("a driver of version 1.3 does not have these functions") {
        return;
    }
    let rig = Rig::new();
    let list = rig.list_with(ZE_COMMAND_LIST_FLAG_IN_ORDER);
    let (mut device, mut context) = (null_mut(), null_mut());
    let (mut ordinal, mut immediate, mut flags) = (9, 9, 9);
    ok!(zeCommandListGetDeviceHandle(list.raw(), &mut device));
    ok!(zeCommandListGetContextHandle(list.raw(), &mut context));
    ok!(zeCommandListGetOrdinal(list.raw(), &mut ordinal));
    ok!(zeCommandListIsImmediate(list.raw(), &mut immediate));
    ok!(zeCommandListGetFlags(list.raw(), &mut flags));
    assert_eq!(device, rig.device);
    assert_eq!(context, rig.context.raw());
    assert_eq!((ordinal, immediate), (rig.compute_ordinal(), 0));
    assert_eq!(flags, ZE_COMMAND_LIST_FLAG_IN_ORDER);
}

/// zeCommandListHostSynchronize: an invalid argument if the "handle does not correspond to an immediate command list".
#[test]
fn no_synchronize() {
    let rig = Rig::new();
    let list = rig.list();
    expect!(zeCommandListHostSynchronize(list.raw(), 0), ZE_RESULT_ERROR_INVALID_ARGUMENT;
        intel ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "a driver of version 1.3 has no such function");
}

/// zeCommandListCreateCloneExp: the copy does what the source does, which may be gone.
#[test]
fn clone() {
    let rig = Rig::new();
    if !require_extension(&rig, ZE_COMMAND_LIST_CLONE_EXP_NAME) {
        return;
    }
    let data = rig.shared(&[0u32; 16]);
    let desc = ze_command_list_desc_t {
        commandQueueGroupOrdinal: rig.compute_ordinal(),
        flags: ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE,
        ..Default::default()
    };
    let list = List::new(&rig, &desc);
    list.fill(data.ptr(), &[4u32], 64, None, &[]);
    list.close();
    let mut clone = null_mut();
    ok!(zeCommandListCreateCloneExp(list.raw(), &mut clone));
    let clone = List::from_raw(clone, None);
    drop(list);
    clone.close();
    let queue = rig.queue();
    queue.execute(&[&clone]);
    queue.synchronize();
    assert_eq!(data.values::<u32>(), [4; 16]);
}

/// zeCommandListCreate, and appending to different lists: "The implementation of this function must be thread-safe".
#[test]
fn threads() {
    let Some(rig) = Rig::executing() else { return };
    thread::scope(|scope| {
        for value in 0..4u32 {
            let rig = &rig;
            scope.spawn(move || {
                let (queue, data) = (rig.queue(), rig.shared(&[9u32; 100]));
                for _ in 0..25 {
                    let list = rig.list();
                    list.fill(data.ptr(), &[value], 400, None, &[]);
                    list.close();
                    queue.execute(&[&list]);
                    queue.synchronize();
                    assert_eq!(data.values::<u32>(), [value; 100]);
                }
            });
        }
    });
}

/// A list with thousands of commands.
#[test]
fn long() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, data) = (rig.kernel("basic", "add"), rig.shared(&[0i32; 8]));
    kernel.group_size([8, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    let list = rig.list_with(ZE_COMMAND_LIST_FLAG_IN_ORDER);
    for value in 0..5000i32 {
        kernel.set(1, value);
        list.launch(&kernel, [1, 1, 1], None, &[]);
    }
    list.close();
    let queue = rig.queue();
    queue.execute(&[&list]);
    queue.synchronize();
    assert_eq!(data.values::<i32>(), [4999 * 5000 / 2; 8]);
}
