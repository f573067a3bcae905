// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Lists that wait for events of the host. ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS: "Device execution is scheduled and will
//! complete in future", so executing and appending return before the event is signalled.
use std::thread;

use oxur_conformance_level_zero::{Rig, expect, handles_of, ok};

/// zeCommandQueueExecuteCommandLists returns while the list waits for the host.
#[test]
fn execute_returns() {
    let Some(rig) = Rig::executing() else { return };
    let (queue, list, gate, done) = (rig.queue(), rig.list(), rig.event(), rig.event());
    let (data, kernel) = (rig.shared(&[0i32; 64]), rig.kernel("basic", "add"));
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 4i32);
    list.wait_on(&[&gate]);
    list.launch(&kernel, [1, 1, 1], Some(&done), &[]);
    list.close();
    queue.execute(&[&list]);
    assert!(!done.is_signalled());
    assert_eq!(data.values::<i32>(), [0; 64]);
    gate.host_signal();
    done.wait();
    assert_eq!(data.values::<i32>(), [4; 64]);
    queue.synchronize();
}

/// Each kind of command, on an immediate list, waits for an event of the host without keeping the caller.
#[test]
fn appends_return() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, data) = (rig.kernel("basic", "add"), rig.shared(&[0i32; 64]));
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 1i32);
    let (gate, list) = (rig.event(), rig.immediate(0));
    let done = rig.events(6);
    let mut wait = handles_of(&[&gate]);
    list.launch(&kernel, [1, 1, 1], Some(&done[0]), &[&gate]);
    list.copy(data.at(128), data.ptr(), 4, Some(&done[1]), &[&gate, &done[0]]);
    list.fill(data.at(0), &[9i32], 4, Some(&done[2]), &[&done[1]]);
    list.barrier(Some(&done[3]), &[&gate]);
    let stamp = rig.host(&[0u64]);
    ok!(zeCommandListAppendWriteGlobalTimestamp(
        list.raw(),
        stamp.ptr().cast(),
        done[4].raw(),
        1,
        wait.as_mut_ptr()
    ));
    list.signal(&done[5]);
    for event in &done[..5] {
        assert!(!event.is_signalled());
        expect!(zeEventHostSynchronize(event.raw(), 0), ZE_RESULT_NOT_READY);
    }
    gate.host_signal();
    for event in &done {
        event.wait();
    }
    list.synchronize();
    assert_eq!(data.values::<i32>()[..3], [9, 1, 1]);
}

/// Chains over many lists, each of which waits for the one before, begun from the end.
#[test]
fn chains() {
    let Some(rig) = Rig::executing() else { return };
    let (events, data, kernel) = (rig.events(33), rig.shared(&[0i32; 64]), rig.kernel("basic", "add"));
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    let lists: Vec<_> = (0..32)
        .map(|index| {
            let list = rig.immediate(0);
            kernel.set(1, 1i32);
            list.launch(&kernel, [1, 1, 1], Some(&events[index]), &[&events[index + 1]]);
            list
        })
        .collect();
    assert!(events.iter().all(|event| !event.is_signalled()));
    events[32].host_signal();
    events[0].wait();
    assert_eq!(data.values::<i32>(), [32; 64]);
    for list in lists {
        list.synchronize();
    }
}

/// A consumer may be submitted before its producer.
#[test]
fn consumer_first() {
    let Some(rig) = Rig::executing() else { return };
    let (data, out, event) = (rig.shared(&[0u32; 256]), rig.shared(&[0u32; 256]), rig.event());
    let (consumer, producer) = (rig.in_order(), rig.in_order());
    consumer.copy(out.ptr(), data.ptr(), 1024, None, &[&event]);
    producer.fill(data.ptr(), &[3u32], 1024, Some(&event), &[]);
    consumer.synchronize();
    producer.synchronize();
    assert_eq!(out.values::<u32>(), [3; 256]);
}

/// The host and the device take turns, over the same two events.
#[test]
fn ping_pong() {
    let Some(rig) = Rig::executing() else { return };
    let (to_device, to_host) = (rig.event(), rig.event());
    let (list, queue, data) = (rig.list(), rig.queue(), rig.shared(&[0i32; 64]));
    let kernel = rig.kernel("basic", "add");
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 1i32);
    list.wait_on(&[&to_device]);
    list.reset_event(&to_device);
    list.launch(&kernel, [1, 1, 1], None, &[]);
    list.barrier(Some(&to_host), &[]);
    list.close();
    for round in 1..=50 {
        queue.execute(&[&list]);
        assert!(!to_host.is_signalled());
        to_device.host_signal();
        to_host.wait();
        assert_eq!(data.values::<i32>(), [round; 64]);
        to_host.host_reset();
        queue.synchronize();
        assert!(!to_device.is_signalled());
    }
}

/// Objects that a list uses may go after the list has been executed, and the list is destroyed when it is complete.
#[test]
fn execute_from_threads() {
    let Some(rig) = Rig::executing() else { return };
    let (gate, counter, module) = (rig.event(), rig.shared(&[0i32]), rig.module("basic"));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let (queue, list, kernel) = (rig.queue(), rig.list(), module.kernel("count"));
                kernel.group_size([16, 1, 1]);
                kernel.set_ptr(0, counter.ptr());
                list.launch(&kernel, [4, 1, 1], None, &[&gate]);
                list.close();
                queue.execute(&[&list]);
                queue.synchronize();
            });
        }
        assert_eq!(counter.values::<i32>(), [0]);
        gate.host_signal();
    });
    assert_eq!(counter.values::<i32>(), [256]);
}

/// zeDeviceSynchronize: "blocks until all preceding submissions to all queues on the device are completed".
#[test]
fn device_synchronize() {
    let Some(rig) = Rig::executing() else { return };
    let (gate, a, b) = (rig.event(), rig.shared(&[0u32; 16]), rig.shared(&[0u32; 16]));
    let (immediate, list, queue) = (rig.immediate(0), rig.list(), rig.queue());
    immediate.fill(a.ptr(), &[1u32], 64, None, &[&gate]);
    list.fill(b.ptr(), &[2u32], 64, None, &[&gate]);
    list.close();
    queue.execute(&[&list]);
    thread::scope(|scope| {
        scope.spawn(|| gate.host_signal());
        ok!(zeDeviceSynchronize(rig.device));
    });
    assert_eq!((a.values::<u32>(), b.values::<u32>()), (&[1; 16][..], &[2; 16][..]));
    immediate.synchronize();
    queue.synchronize();
}
