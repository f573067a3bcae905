// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues.

use std::ptr::null;
use std::thread;
use std::time::Duration;

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Context, Queue, Range, Usm, UsmRequest};
use oxur_conformance::{Allowed, Rig, UserEvent, check, check_infos, expect, is_complete, ur};

use crate::known;

#[test]
fn info() {
    let rig = Rig::new();
    let get = |p, size, value, size_ret| ur!(urQueueGetInfo(rig.queue.raw(), QueueInfo(p), size, value, size_ret));
    // Of queues on the device.
    let allowed = Allowed {
        absent: &[("INFO_SIZE", ResultCode::ERROR_INVALID_QUEUE)],
        intel: &[
            known::NUMBER,
            (
                "DEVICE_DEFAULT: asked for the size: UR_RESULT_ERROR_INVALID_VALUE",
                known::PASSED_ON,
            ),
        ],
        ..Allowed::default()
    };
    check_infos("QueueInfo", &get, allowed);
    assert_eq!(
        rig.queue
            .info::<ContextHandle>(QueueInfo::CONTEXT)
            .expect("the context"),
        rig.context.raw()
    );
    assert_eq!(
        rig.queue.info::<DeviceHandle>(QueueInfo::DEVICE).expect("the device"),
        rig.device.raw()
    );
    assert_eq!(
        rig.queue.info::<QueueFlags>(QueueInfo::FLAGS).expect("the flags"),
        QueueFlags::PROFILING_ENABLE
    );
}

#[test]
fn a_host_queue_has_no_size() {
    let rig = Rig::new();
    let mut size = 0u32;
    let at = (&raw mut size).cast();
    expect!(ur!(urQueueGetInfo(rig.queue.raw(), QueueInfo::SIZE, 4, at, std::ptr::null_mut())),
        ERROR_INVALID_QUEUE | ERROR_UNSUPPORTED_ENUMERATION; intel ERROR_INVALID_SIZE,
        "the adapter asks for the size first, which is 0");
}

#[test]
fn flags() {
    let rig = Rig::new();
    for flags in [
        QueueFlags::empty(),
        QueueFlags::PROFILING_ENABLE,
        QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE,
        QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE | QueueFlags::PROFILING_ENABLE,
        QueueFlags::SUBMISSION_BATCHED,
        QueueFlags::SUBMISSION_IMMEDIATE,
        QueueFlags::USE_DEFAULT_STREAM | QueueFlags::SYNC_WITH_DEFAULT_STREAM,
        QueueFlags::DISCARD_EVENTS,
        QueueFlags::LOW_POWER_EVENTS_SUPPORT_EXP,
    ] {
        let queue = Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate");
        queue.finish().expect("urQueueFinish");
        let kept = QueueFlags::PROFILING_ENABLE | QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;
        assert_eq!(
            queue.info::<QueueFlags>(QueueInfo::FLAGS).expect("the flags") & kept,
            flags & kept
        );
    }
}

#[test]
fn flags_that_exclude_each_other() {
    let rig = Rig::new();
    let create = |flags| check(Queue::new(&rig.context, &rig.device, flags));
    expect!(create(QueueFlags::PRIORITY_LOW | QueueFlags::PRIORITY_HIGH), ERROR_INVALID_QUEUE_PROPERTIES; intel SUCCESS,
        known::UNCHECKED);
    expect!(create(QueueFlags::SUBMISSION_BATCHED | QueueFlags::SUBMISSION_IMMEDIATE), ERROR_INVALID_QUEUE_PROPERTIES;
        intel SUCCESS, known::UNCHECKED);
    expect!(create(QueueFlags::from_bits_retain(1 << 20)), ERROR_INVALID_ENUMERATION | ERROR_INVALID_QUEUE_PROPERTIES;
        intel SUCCESS, known::UNCHECKED);
}

/// QUEUE_ON_HOST_PROPERTIES has the flags that urQueueCreate takes, and UR_QUEUE_INFO_FLAGS those that the queue has.
#[test]
fn flags_of_the_device() {
    let rig = Rig::new();
    let listed = |query| rig.device.info::<QueueFlags>(query).expect("the flags");
    let on_host = listed(DeviceInfo::QUEUE_ON_HOST_PROPERTIES);
    assert_eq!(listed(DeviceInfo::QUEUE_PROPERTIES), on_host);
    for flag in on_host.iter() {
        let queue = Queue::new(&rig.context, &rig.device, flag).expect("urQueueCreate");
        queue.finish().expect("urQueueFinish");
        assert_eq!(queue.info::<QueueFlags>(QueueInfo::FLAGS).expect("the flags"), flag);
    }
    if listed(DeviceInfo::QUEUE_ON_DEVICE_PROPERTIES).is_empty() {
        let on_device = QueueFlags::ON_DEVICE | QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;
        expect!(
            check(Queue::new(&rig.context, &rig.device, on_device)),
            ERROR_INVALID_QUEUE_PROPERTIES
        );
    }
}

#[test]
fn without_properties() {
    let rig = Rig::new();
    let mut handle = QueueHandle::default();
    expect!(
        ur!(urQueueCreate(rig.context.raw(), rig.device.raw(), null(), &mut handle)),
        SUCCESS
    );
    expect!(ur!(urQueueFinish(handle)), SUCCESS);
    expect!(ur!(urQueueRelease(handle)), SUCCESS);
}

#[test]
fn counted() {
    let rig = Rig::new();
    let count = || rig.queue.info::<u32>(QueueInfo::REFERENCE_COUNT).expect("the count");
    assert_eq!(count(), 1);
    let second = rig.queue.clone();
    assert_eq!(count(), 2);
    drop(second);
    assert_eq!(count(), 1);
}

#[test]
fn in_order() {
    let rig = Rig::new();
    let data = rig.buffer(&[0i32; 64]);
    let increment = rig.kernel("basic", "increment");
    for _ in 0..100 {
        rig.start(&increment, &Range::new([64]), &[Arg::mem(&data)], &[])
            .expect("launch");
    }
    rig.queue.flush().expect("urQueueFlush");
    assert_eq!(rig.contents::<i32>(&data), [100; 64]);
}

#[test]
fn release_with_work_in_it() {
    let rig = Rig::new();
    let data = rig.shared(&[1u32; 64]);
    let slow = rig.kernel("basic", "slow");
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    let steps = 1_000_000u32;
    // SAFETY: the kernel works on 64 values, which live until the event is complete.
    let event = unsafe {
        queue.launch(
            &slow,
            &Range::new([64]),
            &[Arg::Pointer(data.ptr()), Arg::value(&steps)],
            &[],
        )
    };
    drop(queue);
    event.expect("launch").wait().expect("the command goes on");
    assert_ne!(oxur_conformance::values::<u32>(&data)[0], 1);
}

#[test]
fn empty_after_finish() {
    let rig = Rig::new();
    rig.queue.finish().expect("urQueueFinish");
    match rig.queue.info::<bool>(QueueInfo::EMPTY) {
        Ok(empty) => assert!(empty),
        Err(error) => assert!(error == ResultCode::ERROR_UNSUPPORTED_ENUMERATION, "{error}"),
    }
}

#[test]
fn not_empty_by_commands_of_others() {
    let rig = Rig::new();
    let Some(other) = rig.wrapped_queue() else { return };
    // Both are one queue of the driver: each gets commands that the other is not told of.
    for (ours, theirs) in [(&rig.queue, &other), (&other, &rig.queue)] {
        let Some(user_event) = UserEvent::new(theirs) else {
            return;
        };
        for _ in 0..3 {
            assert_ne!(is_empty(ours), Some(true), "while a task runs");
        }
        user_event.complete();
        theirs.finish().expect("urQueueFinish");
        assert_ne!(is_empty(ours), Some(false), "after urQueueFinish");
    }
}

/// Whether a queue says that it is empty, where it says anything of it.
fn is_empty(queue: &Queue) -> Option<bool> {
    match queue.info::<bool>(QueueInfo::EMPTY) {
        Ok(empty) => Some(empty),
        Err(error) => {
            assert!(error == ResultCode::ERROR_UNSUPPORTED_ENUMERATION, "{error}");
            None
        }
    }
}

/// Whether a queue says so in the end, which has nothing left to do; a machine that is busy takes a while.
fn becomes_empty(queue: &Queue) -> bool {
    let said = |_| {
        is_empty(queue) != Some(false) || {
            thread::sleep(Duration::from_millis(1));
            false
        }
    };
    (0..100_000).any(said)
}

#[test]
fn many_queues_of_one_context() {
    let rig = Rig::new();
    let new = || Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    let data = rig.shared(&[0i32]);
    let count = rig.kernel("basic", "count");
    let submit = |queue: &Queue| {
        // SAFETY: the kernel adds to the counter, which lives until all is finished, atomically.
        unsafe { queue.launch(&count, &Range::new([1]), &[Arg::Pointer(data.ptr())], &[]) }.expect("launch")
    };
    let mut queues: Vec<_> = (0..150).map(|_| new()).collect();
    let mut events: Vec<_> = queues.iter().map(submit).collect();
    // Some go with their commands in them, and new ones take their places.
    let mut place = 0;
    for _ in 0..100 {
        place = (place + 37) % queues.len();
        drop(queues.swap_remove(place));
        if place % 3 != 0 {
            let queue = new();
            events.push(submit(&queue));
            queues.push(queue);
        }
    }
    queues.extend((0..60).map(|_| new()));
    for event in &events {
        event.wait().expect("urEventWait");
    }
    let expected = events.len() as i32;
    for queue in &queues {
        queue.finish().expect("urQueueFinish");
        assert!(becomes_empty(queue), "after urQueueFinish");
    }
    assert_eq!(oxur_conformance::values::<i32>(&data), [expected]);
    // Each knows of its own commands only.
    for busy in [0, 1, 63, 64, queues.len() - 1] {
        let Some(user_event) = UserEvent::new(&queues[busy]) else {
            return;
        };
        for (number, queue) in queues.iter().enumerate().filter(|(number, _)| *number != busy) {
            assert!(becomes_empty(queue), "queue {number} while {busy} is busy");
        }
        assert_ne!(is_empty(&queues[busy]), Some(true), "queue {busy} is busy");
        // Nor does a command of another one make it forget.
        submit(&queues[(busy + 1) % queues.len()]).wait().expect("urEventWait");
        assert_ne!(is_empty(&queues[busy]), Some(true), "queue {busy} is busy");
        user_event.complete();
        queues[busy].finish().expect("urQueueFinish");
        assert!(becomes_empty(&queues[busy]), "queue {busy} after urQueueFinish");
    }
}

#[test]
fn memory_in_use_by_one_of_many_queues() {
    const SIZE: usize = 4096;
    let rig = Rig::new();
    let new = || Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    let mut queues: Vec<_> = (0..150).map(|_| new()).collect();
    for queue in &queues {
        queue.marker(&[]).expect("marker");
    }
    for busy in [0, 70, 63, 64, 127, 128, 149, 70] {
        let Some(user_event) = UserEvent::new(&queues[busy]) else {
            return;
        };
        let alloc = || Usm::shared(&rig.context, &rig.device, SIZE, UsmRequest::default()).expect("urUSMSharedAlloc");
        let memory = alloc();
        let first = memory.ptr();
        // SAFETY: memory that must stay until the command is complete, although it is freed below.
        let fill = unsafe { queues[busy].memset(first, &[0xabu8], SIZE, &[]) }.expect("memset");
        drop(memory);
        // The queue's number is free for others when it goes, its command still uses the memory.
        let goes = busy == 64 || busy == 149;
        if goes {
            queues[busy] = new();
        }
        let mut others: Vec<_> = (0..20).map(|_| alloc()).collect();
        for other in &mut others {
            assert_ne!(other.ptr(), first, "memory that queue {busy} uses, which goes: {goes}");
            // SAFETY: new memory that the host sees.
            unsafe { other.as_mut_slice::<u8>() }.fill(0);
        }
        user_event.complete();
        fill.wait().expect("urEventWait");
        for other in &others {
            assert!(oxur_conformance::values::<u8>(other).iter().all(|byte| *byte == 0));
        }
    }
}

#[test]
fn a_device_of_another_context() {
    let rig = Rig::new();
    let one = DevicePartitionProperty {
        r#type: DevicePartition::EQUALLY,
        value: DevicePartitionValue { equally: 1 },
    };
    let Ok(parts) = rig.device.partition(&[one]) else {
        return println!("this device cannot be split");
    };
    let context = Context::new(&[&parts[0]]).expect("urContextCreate");
    expect!(check(Queue::new(&context, &rig.device, QueueFlags::empty())), ERROR_INVALID_DEVICE; intel ERROR_UNKNOWN,
        known::UNMAPPED);
}

/// urEnqueueEventsWaitWithBarrier: all commands that are enqueued later wait for it, also those that have wait lists.
#[test]
fn what_comes_after_a_barrier() {
    let rig = Rig::new();
    let queue =
        Queue::new(&rig.context, &rig.device, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE).expect("urQueueCreate");
    let past = queue.marker(&[]).expect("a marker");
    past.wait().expect("urEventWait");
    let (kernel, data) = (rig.kernel("basic", "increment"), rig.shared(&[0i32; 64]));
    for _ in 0..30 {
        let Some(user_event) = UserEvent::new(&rig.queue) else {
            return;
        };
        queue.barrier(&[&user_event.event]).expect("barrier");
        let mut later = vec![queue.marker(&[&past]).expect("a marker")];
        let args = [Arg::Pointer(data.ptr())];
        // SAFETY: the kernel changes 64 values, which live until the queue is finished.
        let launched = unsafe { queue.launch(&kernel, &Range::new([64]), &args, &[&past]) };
        later.push(launched.expect("launch"));
        later.push(queue.marker(&[&past]).expect("a marker"));
        later.push(queue.barrier(&[&past]).expect("barrier"));
        later.push(queue.marker(&[&past]).expect("a marker"));
        queue.flush().expect("urQueueFlush");
        // For those that do not wait to show it.
        thread::sleep(Duration::from_millis(3));
        let early: Vec<_> = later.iter().map(is_complete).collect();
        user_event.complete();
        queue.finish().expect("urQueueFinish");
        assert_eq!(early, [false; 5]);
        assert!(later.iter().all(is_complete));
    }
}
