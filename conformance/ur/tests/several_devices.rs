// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Several devices of one platform: contexts that have them all, commands that wait for each other, memory that moves, and
//! peers. Our CPU adapter, our Level Zero driver and the CUDA driver without a GPU show two where variables say so, which the
//! tests set.

use std::ptr::null_mut;

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Context, Device, Kernel, Program, Queue, Range, Usm, UsmRequest};
use oxur_conformance::{Rig, UserEvent, check, expect, spirv, ur, with_variable};

use crate::known;

/// Two devices, a context of both, and a queue on each.
struct Pair {
    devices: [Device; 2],
    context: Context,
    queues: [Queue; 2],
}

/// Two devices of one platform. Where there is but one, ours has two in a process of its own.
fn pair(test: &str) -> Option<Pair> {
    let rig = Rig::new();
    let devices = rig.platform.devices().expect("urDeviceGet");
    if devices.len() < 2 {
        let name: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
        let units: u32 = rig.device.info(DeviceInfo::MAX_COMPUTE_UNITS).expect("a number");
        let variable = match name.as_str() {
            "oxur CPU" => Some("UR_CPU_DEVICES"),
            // Of our Level Zero driver; no other one knows it.
            "Intel(R) oneAPI Unified Runtime over Level-Zero" => Some("ZE_OXUR_DEVICES"),
            "NVIDIA CUDA" => {
                let name: String = rig.device.info(DeviceInfo::NAME).expect("the name");
                (name == "Fake CUDA device").then_some("FAKE_CUDA_DEVICES")
            }
            _ => None,
        };
        match variable {
            Some(variable) if units >= 2 => {
                let again = with_variable(&format!("several_devices::{test}"), variable, "2");
                assert!(again, "two devices, as the variable says");
            }
            _ => println!("{name} has one device, with {units} compute units"),
        }
        return None;
    }
    let context = Context::new(&[&devices[0], &devices[1]]).expect("urContextCreate");
    let queue = |device| Queue::new(&context, device, QueueFlags::empty()).expect("urQueueCreate");
    let queues = [queue(&devices[0]), queue(&devices[1])];
    let devices = [devices[0].clone(), devices[1].clone()];
    Some(Pair {
        devices,
        context,
        queues,
    })
}

impl Pair {
    fn program(&self, file: &str) -> Program {
        let program = Program::with_il(&self.context, &spirv(file)).expect("urProgramCreateWithIL");
        program.build(&self.context, "").expect("urProgramBuild");
        program
    }

    fn kernel(&self, name: &str) -> Kernel {
        Kernel::new(&self.program("basic"), name).expect("urKernelCreate")
    }

    fn memory(&self, device: usize, size: usize) -> Usm {
        let device = &self.devices[device];
        Usm::device(&self.context, device, size, UsmRequest::default()).expect("urUSMDeviceAlloc")
    }
}

#[test]
fn apart() {
    let Some(pair) = pair("apart") else { return };
    let [first, second] = &pair.devices;
    let uuid = |device: &Device| device.info::<Vec<u8>>(DeviceInfo::UUID).expect("the UUID");
    assert_ne!(uuid(first), uuid(second));
    for device in &pair.devices {
        let parent: DeviceHandle = device.info(DeviceInfo::PARENT_DEVICE).expect("a handle");
        assert!(parent.is_null(), "a device of the platform is no part of another");
    }
    let devices: Vec<DeviceHandle> = pair.context.info(ContextInfo::DEVICES).expect("the devices");
    assert_eq!(devices, [first.raw(), second.raw()]);
    // A context of one has nothing to do with the other.
    let context = Context::new(&[first]).expect("urContextCreate");
    expect!(check(Queue::new(&context, second, QueueFlags::empty())), ERROR_INVALID_DEVICE; intel ERROR_UNKNOWN,
        known::UNMAPPED);
    let memory = Usm::device(&context, second, 64, UsmRequest::default());
    expect!(check(memory), ERROR_INVALID_DEVICE);
}

#[test]
fn commands_wait_for_those_of_the_other() {
    let Some(pair) = pair("commands_wait_for_those_of_the_other") else {
        return;
    };
    let increment = pair.kernel("increment");
    let data = pair.memory(0, 4000);
    // SAFETY: a range of that size, which lives to the end.
    let mut last = unsafe { pair.queues[0].memset(data.ptr(), &[0i32], 4000, &[]) }.expect("memset");
    for round in 0..20 {
        let (args, range) = ([Arg::Pointer(data.ptr())], Range::new([1000]));
        // SAFETY: the kernel adds to 1000 values, which live to the end.
        last = unsafe { pair.queues[round % 2].launch(&increment, &range, &args, &[&last]) }.expect("launch");
    }
    let mut found = [0i32; 1000];
    // SAFETY: both have 4000 bytes.
    let read = unsafe { pair.queues[1].memcpy(true, found.as_mut_ptr().cast(), data.ptr(), 4000, &[&last]) };
    read.expect("memcpy");
    assert_eq!(found, [20; 1000]);
}

#[test]
fn one_does_not_hold_up_the_other() {
    let Some(pair) = pair("one_does_not_hold_up_the_other") else {
        return;
    };
    let Some(user_event) = UserEvent::new(&pair.queues[0]) else {
        return;
    };
    let behind = pair.queues[0].marker(&[]).expect("marker");
    let data = pair.memory(1, 4000);
    // SAFETY: a range of that size, which lives to the end.
    let fill = unsafe { pair.queues[1].memset(data.ptr(), &[1i32], 4000, &[]) }.expect("memset");
    fill.wait().expect("urEventWait");
    pair.queues[1].finish().expect("urQueueFinish");
    user_event.assert_pending();
    user_event.complete();
    behind.wait().expect("urEventWait");
}

#[test]
fn memory_moves() {
    let Some(pair) = pair("memory_moves") else { return };
    const SIZE: usize = 1 << 20;
    let [a, b] = [0, 1].map(|device| pair.memory(device, SIZE));
    for (memory, device) in [(&a, 0), (&b, 1)] {
        let owner: DeviceHandle = memory.info(UsmAllocInfo::DEVICE).expect("the device");
        assert_eq!(owner, pair.devices[device].raw());
    }
    let source: Vec<u8> = (0..SIZE).map(|i| ((i * 7) >> 3) as u8).collect();
    let mut target = vec![0u8; SIZE];
    // SAFETY: all have that size, and live to the end.
    unsafe {
        let there = pair.queues[0].memcpy(false, a.ptr(), source.as_ptr().cast(), SIZE, &[]);
        let over = pair.queues[1].memcpy(false, b.ptr(), a.ptr(), SIZE, &[&there.expect("memcpy")]);
        let back = pair.queues[0].memcpy(
            true,
            target.as_mut_ptr().cast(),
            b.ptr(),
            SIZE,
            &[&over.expect("memcpy")],
        );
        back.expect("memcpy");
    }
    assert!(source == target);
    // A buffer has no device: it is where it is needed.
    let buffer = oxur_conformance::client::Buffer::with(&pair.context, MemFlags::READ_WRITE, &[1i32; 64]);
    let buffer = buffer.expect("urMemBufferCreate");
    let increment = pair.kernel("increment");
    let mut last = Vec::new();
    for queue in &pair.queues {
        let wait: Vec<_> = last.iter().collect();
        // SAFETY: the kernel adds to 64 values of a buffer.
        let event = unsafe { queue.launch(&increment, &Range::new([64]), &[Arg::mem(&buffer)], &wait) };
        last = vec![event.expect("launch")];
    }
    let mut found = [0i32; 64];
    pair.queues[0].read(&buffer, 0, &mut found, &[&last[0]]).expect("read");
    assert_eq!(found, [3; 64]);
}

#[test]
fn each_has_its_device_globals() {
    let Some(pair) = pair("each_has_its_device_globals") else {
        return;
    };
    let program = pair.program("globals");
    for (queue, value) in pair.queues.iter().zip([10i32, 20]) {
        queue
            .global_write(&program, "numbers", 0, &[value; 8], &[])
            .expect("write")
            .wait()
            .expect("urEventWait");
    }
    let sum = Kernel::new(&program, "sum_numbers").expect("urKernelCreate");
    for (device, expected) in [80, 160].into_iter().enumerate() {
        let out = pair.memory(device, 4);
        let mut found = 0i32;
        // SAFETY: one number, which lives until it is read.
        unsafe {
            let queue = &pair.queues[device];
            let event = queue
                .launch(&sum, &Range::new([1]), &[Arg::Pointer(out.ptr())], &[])
                .expect("launch");
            queue
                .memcpy(true, (&raw mut found).cast(), out.ptr(), 4, &[&event])
                .expect("memcpy");
        }
        assert_eq!(found, expected, "on device {device}");
    }
}

/// UR_DEVICE_INFO_USM_P2P_SUPPORT_EXP says whether the functions for peers are there.
#[test]
fn peers() {
    let Some(pair) = pair("peers") else { return };
    for (device, peer, queue) in [(0, 1, 0), (1, 0, 1)] {
        let (device, peer, queue) = (&pair.devices[device], &pair.devices[peer], &pair.queues[queue]);
        let support: bool = device.info(DeviceInfo::USM_P2P_SUPPORT_EXP).expect("a truth value");
        let ask = |query, size, value: *mut i32, needed| {
            ur!(urUsmP2PPeerAccessGetInfoExp(
                device.raw(),
                peer.raw(),
                query,
                size,
                value.cast(),
                needed
            ))
        };
        let (mut value, access) = (-1, ExpPeerInfo::UR_PEER_ACCESS_SUPPORT);
        if !support {
            expect!(ask(access, 4, &mut value, null_mut()), ERROR_UNSUPPORTED_FEATURE);
            return println!("there are no peers");
        }
        for query in [access, ExpPeerInfo::UR_PEER_ATOMICS_SUPPORT] {
            let mut needed = 0;
            expect!(ask(query, 4, &mut value, &mut needed), SUCCESS);
            assert!(matches!(value, 0 | 1) && needed == 4, "{value}, {needed} bytes");
        }
        expect!(ask(access, 3, &mut value, null_mut()), ERROR_INVALID_SIZE);
        expect!(ask(access, 0, null_mut(), null_mut()), ERROR_INVALID_NULL_POINTER);
        expect!(
            ask(ExpPeerInfo(2), 4, &mut value, null_mut()),
            ERROR_INVALID_ENUMERATION
        );
        expect!(ask(access, 4, &mut value, null_mut()), SUCCESS);
        if value == 0 {
            println!("the two are no peers");
            continue;
        }
        expect!(ur!(urUsmP2PEnablePeerAccessExp(device.raw(), peer.raw())), SUCCESS);
        let memory = Usm::device(&pair.context, peer, 400, UsmRequest::default()).expect("urUSMDeviceAlloc");
        let mut found = [0i32; 100];
        // SAFETY: 100 values of a peer, which live until they are read.
        unsafe {
            let fill = queue.memset(memory.ptr(), &[1i32], 400, &[]).expect("memset");
            let (increment, range) = (pair.kernel("increment"), Range::new([100]));
            let event = queue
                .launch(&increment, &range, &[Arg::Pointer(memory.ptr())], &[&fill])
                .expect("launch");
            queue
                .memcpy(true, found.as_mut_ptr().cast(), memory.ptr(), 400, &[&event])
                .expect("memcpy");
        }
        assert_eq!(found, [2; 100]);
        expect!(ur!(urUsmP2PDisablePeerAccessExp(device.raw(), peer.raw())), SUCCESS);
    }
}

#[test]
fn as_many_as_there_are_cpus() {
    let rig = Rig::new();
    if rig.platform.info::<String>(PlatformInfo::NAME).expect("the name") != "oxur CPU" {
        return println!("this is not our CPU adapter");
    }
    let units = |device: &Device| device.info::<u32>(DeviceInfo::MAX_COMPUTE_UNITS).expect("a number");
    let test = "several_devices::as_many_as_there_are_cpus";
    if with_variable(test, "UR_CPU_DEVICES", "100000") {
        return;
    }
    // As many as CPUs, with one each.
    let devices = rig.platform.devices().expect("urDeviceGet");
    assert!(devices.iter().all(|device| units(device) == 1));
    let cpus = std::thread::available_parallelism().expect("the CPUs").get();
    assert_eq!(devices.len(), cpus);
}
