// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Mutable command lists: ZE_experimental_mutable_command_list.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{
    Event, Kernel, List, Queue, Rig, Usm, expect, handles_of, ok, require_extension, ze,
};

/// What the device can change, and whether the driver has the extension.
fn capabilities(rig: &Rig) -> ze_mutable_command_exp_flags_t {
    let mut mutable = ze_mutable_command_list_exp_properties_t::default();
    let mut properties = ze_device_properties_t {
        pNext: (&raw mut mutable).cast(),
        ..Default::default()
    };
    ok!(zeDeviceGetProperties(rig.device, &mut properties));
    mutable.mutableCommandFlags
}

/// A mutable list with a kernel, its command and its queue.
struct Mutable {
    rig: Rig,
    list: List,
    queue: Queue,
    kernel: Kernel,
    data: Usm,
}

impl Mutable {
    /// Of a kernel that adds 1 to 64 numbers. `None` on Intel's driver, which is older than the extension.
    fn new(needed: ze_mutable_command_exp_flags_t) -> Option<Self> {
        let rig = Rig::new();
        if !require_extension(&rig, ZE_MUTABLE_COMMAND_LIST_EXP_NAME) {
            return None;
        }
        assert_eq!(capabilities(&rig) & needed, needed, "what the device can change");
        let mutable = ze_mutable_command_list_exp_desc_t::default();
        let desc = ze_command_list_desc_t {
            pNext: (&raw const mutable).cast(),
            commandQueueGroupOrdinal: rig.compute_ordinal(),
            ..Default::default()
        };
        let (list, queue, kernel) = (List::new(&rig, &desc), rig.queue(), rig.kernel("basic", "add"));
        let data = rig.shared(&[0i32; 64]);
        kernel.group_size([16, 1, 1]);
        kernel.set_ptr(0, data.ptr());
        kernel.set(1, 1i32);
        Some(Self {
            rig,
            list,
            queue,
            kernel,
            data,
        })
    }

    fn next_id(&self, flags: ze_mutable_command_exp_flags_t) -> u64 {
        let desc = ze_mutable_command_id_exp_desc_t {
            flags,
            ..Default::default()
        };
        let mut id = 0;
        ok!(zeCommandListGetNextCommandIdExp(self.list.raw(), &desc, &mut id));
        id
    }

    /// Updates by a chain of structures, and closes the list again.
    fn update(&self, chain: *const c_void) {
        let desc = ze_mutable_commands_exp_desc_t {
            pNext: chain,
            ..Default::default()
        };
        ok!(zeCommandListUpdateMutableCommandsExp(self.list.raw(), &desc));
        self.list.close();
    }

    fn run(&self) {
        self.queue.execute(&[&self.list]);
        self.queue.synchronize();
    }
}

fn argument<T>(id: u64, index: u32, value: &T, next: *const c_void) -> ze_mutable_kernel_argument_exp_desc_t {
    ze_mutable_kernel_argument_exp_desc_t {
        pNext: next,
        commandId: id,
        argIndex: index,
        argSize: size_of::<T>(),
        pArgValue: std::ptr::from_ref(value).cast(),
        ..Default::default()
    }
}

const ARGUMENTS: ze_mutable_command_exp_flags_t = ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS;

/// zeCommandListGetNextCommandIdExp: "a unique command identifier"; zeCommandListIsMutableExp: of a list that was created so.
#[test]
fn ids() {
    let Some(mutable) = Mutable::new(0) else { return };
    let mut ids: Vec<_> = (0..10)
        .map(|_| {
            let id = mutable.next_id(0);
            mutable.list.launch(&mutable.kernel, [1, 1, 1], None, &[]);
            id
        })
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 10);
    let mut is = 9;
    ok!(zeCommandListIsMutableExp(mutable.list.raw(), &mut is));
    assert_eq!(is, 1);
    ok!(zeCommandListIsMutableExp(mutable.rig.list().raw(), &mut is));
    assert_eq!(is, 0);
}

/// zeCommandListGetNextCommandIdExp: `0xff < desc->flags`; "only … for a mutable command list"; not "on a closed command list".
#[test]
fn bad_ids() {
    let Some(mutable) = Mutable::new(0) else { return };
    let get = |list: &List, flags| {
        let desc = ze_mutable_command_id_exp_desc_t {
            flags,
            ..Default::default()
        };
        ze!(zeCommandListGetNextCommandIdExp(list.raw(), &desc, &mut 0))
    };
    assert_eq!(get(&mutable.list, 0x100), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_ne!(get(&mutable.rig.list(), 0), ZE_RESULT_SUCCESS);
    mutable.list.close();
    assert_ne!(get(&mutable.list, 0), ZE_RESULT_SUCCESS);
}

/// ze_mutable_kernel_argument_exp_desc_t: pointers and scalars, several in one chain; the rest stays.
#[test]
fn arguments() {
    let Some(mutable) = Mutable::new(ARGUMENTS) else { return };
    let id = mutable.next_id(ARGUMENTS);
    mutable.list.launch(&mutable.kernel, [4, 1, 1], None, &[]);
    mutable.list.close();
    mutable.run();
    assert_eq!(mutable.data.values::<i32>(), [1; 64]);
    let ten = 10i32;
    let update = argument(id, 1, &ten, null());
    mutable.update((&raw const update).cast());
    mutable.run();
    assert_eq!(mutable.data.values::<i32>(), [11; 64]);
    let (other, hundred) = (mutable.rig.shared(&[0i32; 64]), 100i32);
    let (ptr, mut second) = (other.ptr(), argument(id, 1, &hundred, null()));
    let first = argument(id, 0, &ptr, (&raw mut second).cast());
    mutable.update((&raw const first).cast());
    mutable.run();
    mutable.run();
    assert_eq!(mutable.data.values::<i32>(), [11; 64]);
    assert_eq!(other.values::<i32>(), [200; 64]);
}

/// "identifier for the next command": it does not name commands behind that.
#[test]
fn next_command_only() {
    let Some(mutable) = Mutable::new(ARGUMENTS) else { return };
    let (other, list) = (mutable.rig.shared(&[0i32; 64]), &mutable.list);
    let id = mutable.next_id(ARGUMENTS);
    list.launch(&mutable.kernel, [4, 1, 1], None, &[]);
    mutable.kernel.set_ptr(0, other.ptr());
    list.launch(&mutable.kernel, [4, 1, 1], None, &[]);
    list.close();
    let ten = 10i32;
    let update = argument(id, 1, &ten, null());
    mutable.update((&raw const update).cast());
    mutable.run();
    assert_eq!(mutable.data.values::<i32>(), [10; 64]);
    assert_eq!(other.values::<i32>(), [1; 64]);
}

/// ze_mutable_group_count_exp_desc_t, ze_mutable_group_size_exp_desc_t, ze_mutable_global_offset_exp_desc_t.
#[test]
fn shapes() {
    let flags = ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT
        | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE
        | ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET;
    let Some(mutable) = Mutable::new(flags) else { return };
    let (kernel, told) = (mutable.rig.kernel("basic", "sizes"), mutable.rig.shared(&[0u32; 10]));
    kernel.group_size([4, 1, 1]);
    kernel.set_ptr(0, told.ptr());
    let id = mutable.next_id(flags);
    mutable.list.launch(&kernel, [3, 1, 1], None, &[]);
    mutable.list.close();
    mutable.run();
    assert_eq!(told.values::<u32>()[1..], [12, 1, 1, 3, 1, 1, 0, 0, 0]);
    let groups = ze_group_count_t {
        groupCountX: 5,
        groupCountY: 2,
        groupCountZ: 1,
    };
    let count = ze_mutable_group_count_exp_desc_t {
        commandId: id,
        pGroupCount: &groups,
        ..Default::default()
    };
    mutable.update((&raw const count).cast());
    mutable.run();
    assert_eq!(told.values::<u32>()[1..], [20, 2, 1, 5, 2, 1, 0, 0, 0]);
    let offset = ze_mutable_global_offset_exp_desc_t {
        commandId: id,
        offsetX: 7,
        offsetY: 8,
        offsetZ: 9,
        ..Default::default()
    };
    let size = ze_mutable_group_size_exp_desc_t {
        pNext: (&raw const offset).cast(),
        commandId: id,
        groupSizeX: 2,
        groupSizeY: 2,
        groupSizeZ: 1,
        ..Default::default()
    };
    mutable.update((&raw const size).cast());
    mutable.run();
    assert_eq!(told.values::<u32>()[1..], [10, 4, 1, 5, 2, 1, 7, 8, 9]);
}

/// zeCommandListUpdateMutableCommandsExp: "Invalid kernel argument or not matching update descriptor provided" is an invalid
/// argument: of an id that there is not, and of what the id was not made for.
#[test]
fn bad_updates() {
    let Some(mutable) = Mutable::new(ARGUMENTS) else { return };
    let id = mutable.next_id(ARGUMENTS);
    mutable.list.launch(&mutable.kernel, [4, 1, 1], None, &[]);
    mutable.list.close();
    let value = 1i32;
    let wrong_id = argument(id + 1000, 1, &value, null());
    let wrong_index = argument(id, 9, &value, null());
    for chain in [(&raw const wrong_id).cast(), (&raw const wrong_index).cast()] {
        let desc = ze_mutable_commands_exp_desc_t {
            pNext: chain,
            ..Default::default()
        };
        let result = ze!(zeCommandListUpdateMutableCommandsExp(mutable.list.raw(), &desc));
        assert_ne!(result, ZE_RESULT_SUCCESS);
    }
    let groups = ze_group_count_t::default();
    let count = ze_mutable_group_count_exp_desc_t {
        commandId: id,
        pGroupCount: &groups,
        ..Default::default()
    };
    let desc = ze_mutable_commands_exp_desc_t {
        pNext: (&raw const count).cast(),
        ..Default::default()
    };
    expect!(
        zeCommandListUpdateMutableCommandsExp(mutable.list.raw(), &desc),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
}

/// zeCommandListUpdateMutableCommandSignalEventExp: another event is signalled from then on.
#[test]
fn signal_event() {
    let flag = ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT;
    let Some(mutable) = Mutable::new(flag) else { return };
    let (first, second) = (mutable.rig.event(), mutable.rig.event());
    let id = mutable.next_id(flag);
    mutable.list.launch(&mutable.kernel, [4, 1, 1], Some(&first), &[]);
    mutable.list.close();
    mutable.run();
    assert!(first.is_signalled() && !second.is_signalled());
    first.host_reset();
    ok!(zeCommandListUpdateMutableCommandSignalEventExp(
        mutable.list.raw(),
        id,
        second.raw()
    ));
    mutable.list.close();
    mutable.run();
    assert!(!first.is_signalled() && second.is_signalled());
}

/// zeCommandListUpdateMutableCommandWaitEventsExp: other events; null removes one, and no array removes all; "The number of wait
/// events must match".
#[test]
fn wait_events() {
    let flag = ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS;
    let Some(mutable) = Mutable::new(flag) else { return };
    let (a, b, c) = (mutable.rig.event(), mutable.rig.event(), mutable.rig.event());
    let id = mutable.next_id(flag);
    mutable.list.launch(&mutable.kernel, [4, 1, 1], None, &[&a, &b]);
    mutable.list.close();
    let check = |expected: i32, gates: &[&Event]| {
        mutable.queue.execute(&[&mutable.list]);
        for gate in gates {
            assert_eq!(mutable.rig.queue_status(&mutable.queue), ZE_RESULT_NOT_READY);
            gate.host_signal();
        }
        mutable.queue.synchronize();
        assert_eq!(mutable.data.values::<i32>(), [expected; 64]);
        gates.iter().for_each(|gate| gate.host_reset());
    };
    check(1, &[&a, &b]);
    let update = |count, events: *mut ze_event_handle_t| {
        ze!(zeCommandListUpdateMutableCommandWaitEventsExp(
            mutable.list.raw(),
            id,
            count,
            events
        ))
    };
    let mut one = handles_of(&[&c]);
    assert_eq!(update(1, one.as_mut_ptr()), ZE_RESULT_ERROR_INVALID_SIZE);
    let mut other = handles_of(&[&c, &a]);
    assert_eq!(update(2, other.as_mut_ptr()), ZE_RESULT_SUCCESS);
    mutable.list.close();
    check(2, &[&c, &a]);
    other[1] = null_mut();
    assert_eq!(update(2, other.as_mut_ptr()), ZE_RESULT_SUCCESS);
    mutable.list.close();
    check(3, &[&c]);
    assert_eq!(update(0, null_mut()), ZE_RESULT_SUCCESS);
    mutable.list.close();
    check(4, &[]);
}

/// zeCommandListUpdateMutableCommandKernelsExp: to another kernel of those that were named.
#[test]
fn kernels() {
    let flags = ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_INSTRUCTION | ARGUMENTS;
    let Some(mutable) = Mutable::new(0) else { return };
    if capabilities(&mutable.rig) & flags != flags {
        return println!("the device cannot change kernels");
    }
    let multiply = mutable.rig.kernel("basic", "multiply");
    multiply.group_size([16, 1, 1]);
    let mut kernels = [mutable.kernel.raw(), multiply.raw()];
    let desc = ze_mutable_command_id_exp_desc_t {
        flags: flags | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE,
        ..Default::default()
    };
    let mut id = 0;
    ok!(zeCommandListGetNextCommandIdWithKernelsExp(
        mutable.list.raw(),
        &desc,
        2,
        kernels.as_mut_ptr(),
        &mut id
    ));
    mutable.list.launch(&mutable.kernel, [4, 1, 1], None, &[]);
    mutable.list.close();
    mutable.run();
    assert_eq!(mutable.data.values::<i32>(), [1; 64]);
    ok!(zeCommandListUpdateMutableCommandKernelsExp(
        mutable.list.raw(),
        1,
        &mut id,
        &mut kernels[1]
    ));
    let (ptr, seven) = (mutable.data.ptr(), 7i32);
    let groups = ze_group_count_t {
        groupCountX: 4,
        groupCountY: 1,
        groupCountZ: 1,
    };
    let size = ze_mutable_group_size_exp_desc_t {
        commandId: id,
        groupSizeX: 16,
        groupSizeY: 1,
        groupSizeZ: 1,
        ..Default::default()
    };
    let count = ze_mutable_group_count_exp_desc_t {
        pNext: (&raw const size).cast(),
        commandId: id,
        pGroupCount: &groups,
        ..Default::default()
    };
    let second = argument(id, 1, &seven, (&raw const count).cast());
    let first = argument(id, 0, &ptr, (&raw const second).cast());
    mutable.update((&raw const first).cast());
    mutable.run();
    assert_eq!(mutable.data.values::<i32>(), [7; 64]);
}
