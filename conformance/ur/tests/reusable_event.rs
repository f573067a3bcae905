// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reusable events: urEventCreateExp makes them, urEnqueueEventsWaitWithBarrierExt signals the one that `*phEvent` names.
//!
//! The specification says no more of them. That they are complete at first, and that what waits for one is not held up by
//! signals to come, is what CUDA's events do, and what SYCL's extension for reusable events builds on.

use std::ptr::null;
use std::sync::mpsc::channel;

use oxur_conformance::api::*;
use oxur_conformance::client::{Context, Event, Queue};
use oxur_conformance::{PATIENCE, Rig, UserEvent, check, expect, intel, is_complete, loader, run_test, ur};

const ORDERS: [QueueFlags; 2] = [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE];

/// A rig on a device that has reusable events; without them the function says so.
fn rig() -> Option<Rig> {
    let rig = Rig::new();
    if intel("2026.1 has no reusable events") {
        return None;
    }
    if rig
        .device
        .info(DeviceInfo::REUSABLE_EVENTS_SUPPORT_EXP)
        .expect("a truth value")
    {
        return Some(rig);
    }
    let name: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
    assert_ne!(name, "oxur CPU", "our CPU adapter has them");
    let event = Event::reusable(&rig.context, &rig.device, ExpEventFlags::empty());
    expect!(check(event), ERROR_UNSUPPORTED_FEATURE);
    println!("this device has no reusable events");
    None
}

fn reusable(rig: &Rig) -> Event {
    Event::reusable(&rig.context, &rig.device, ExpEventFlags::empty()).expect("urEventCreateExp")
}

fn queue(rig: &Rig, flags: QueueFlags) -> Queue {
    Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate")
}

/// The code of a query for a time.
fn profiling(event: &Event) -> ResultCode {
    check(event.profiling::<u64>(ProfilingInfo::COMMAND_START))
}

#[test]
fn complete_at_first() {
    let Some(rig) = rig() else { return };
    let event = reusable(&rig);
    assert!(is_complete(&event));
    event.wait().expect("urEventWait");
    rig.queue
        .marker(&[&event])
        .expect("marker")
        .wait()
        .expect("urEventWait");
    // It is of no command yet.
    expect!(
        check(event.info::<QueueHandle>(EventInfo::COMMAND_QUEUE)),
        ERROR_UNSUPPORTED_ENUMERATION
    );
    expect!(profiling(&event), ERROR_PROFILING_INFO_NOT_AVAILABLE);
    assert_eq!(
        event.info::<ContextHandle>(EventInfo::CONTEXT).expect("the context"),
        rig.context.raw()
    );
    let count = |event: &Event| event.info::<u32>(EventInfo::REFERENCE_COUNT).expect("the count");
    assert_eq!(count(&event), 1);
    rig.queue.signal(&event, &[]).expect("signal");
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!(count(&event), 1, "a signal gives no reference");
    assert_eq!(
        event.info::<QueueHandle>(EventInfo::COMMAND_QUEUE).expect("the queue"),
        rig.queue.raw()
    );
    assert_eq!(
        event.info::<CommandType>(EventInfo::COMMAND_TYPE).expect("the command"),
        CommandType::EVENTS_WAIT_WITH_BARRIER
    );
}

#[test]
fn signalled_behind_all_commands() {
    let Some(rig) = rig() else { return };
    for flags in ORDERS {
        let (queue, other) = (queue(&rig, flags), queue(&rig, flags));
        let event = reusable(&rig);
        // Again and again.
        for round in 0..3 {
            let Some(user_event) = UserEvent::new(&queue) else {
                return;
            };
            queue.signal(&event, &[]).expect("signal");
            let after = queue.marker(&[]).expect("marker");
            let waits = other.marker(&[&event]).expect("marker");
            for pending in [&event, &after, &waits] {
                assert!(!is_complete(pending), "{flags:?}, round {round}");
            }
            user_event.complete();
            event.wait().expect("urEventWait");
            assert!(is_complete(&event) && waits.wait().is_ok(), "{flags:?}, round {round}");
            queue.finish().expect("urQueueFinish");
        }
    }
}

#[test]
fn signalled_behind_a_list() {
    let Some(rig) = rig() else { return };
    for flags in ORDERS {
        let (first, second) = (queue(&rig, flags), queue(&rig, flags));
        let event = reusable(&rig);
        let Some(user_event) = UserEvent::new(&first) else {
            return;
        };
        second.signal(&event, &[&user_event.event]).expect("signal");
        // It is a barrier, too.
        let after = second.fill(&rig.buffer(&[0u32; 4]), &[1u32], 0, 16, &[]).expect("fill");
        assert!(!is_complete(&event) && !is_complete(&after), "{flags:?}");
        user_event.complete();
        event.wait().expect("urEventWait");
        after.wait().expect("urEventWait");
    }
}

#[test]
fn waits_are_for_the_signal_before_them() {
    let Some(rig) = rig() else { return };
    for flags in ORDERS {
        let queues: Vec<_> = (0..4).map(|_| queue(&rig, flags)).collect();
        let event = reusable(&rig);
        let Some(first) = UserEvent::new(&queues[0]) else {
            return;
        };
        let Some(second) = UserEvent::new(&queues[1]) else {
            return;
        };
        let before = queues[2].marker(&[&event]).expect("marker");
        before.wait().expect("nobody has signalled it");
        queues[0].signal(&event, &[]).expect("signal");
        let between = queues[2].marker(&[&event]).expect("marker");
        queues[1].signal(&event, &[]).expect("signal");
        let behind = queues[3].marker(&[&event]).expect("marker");
        first.complete();
        between.wait().expect("urEventWait");
        assert!(!is_complete(&event) && !is_complete(&behind), "{flags:?}");
        second.complete();
        behind.wait().expect("urEventWait");
        assert!(is_complete(&event), "{flags:?}");
        // A signal may wait for the one before.
        let Some(user_event) = UserEvent::new(&queues[0]) else {
            return;
        };
        queues[0].signal(&event, &[]).expect("signal");
        queues[1].signal(&event, &[&event]).expect("signal");
        assert!(!is_complete(&event), "{flags:?}");
        user_event.complete();
        event.wait().expect("urEventWait");
    }
}

#[test]
fn released_with_a_signal_under_way() {
    let Some(rig) = rig() else { return };
    let (queue, other) = (queue(&rig, QueueFlags::empty()), queue(&rig, QueueFlags::empty()));
    let Some(user_event) = UserEvent::new(&queue) else {
        return;
    };
    let event = reusable(&rig);
    queue.signal(&event, &[]).expect("signal");
    let waits = other.marker(&[&event]).expect("marker");
    drop(event);
    assert!(!is_complete(&waits));
    user_event.complete();
    waits.wait().expect("urEventWait");
}

#[test]
fn callbacks() {
    let Some(rig) = rig() else { return };
    let event = reusable(&rig);
    let (send, receive) = channel();
    let notify = |word: &'static str| {
        let send = send.clone();
        move |_| send.send(word).expect("the test waits")
    };
    event
        .on(ExecutionInfo::COMPLETE, notify("at first"))
        .expect("urEventSetCallback");
    assert_eq!(receive.recv_timeout(PATIENCE), Ok("at first"));
    let Some(user_event) = UserEvent::new(&rig.queue) else {
        return;
    };
    rig.queue.signal(&event, &[]).expect("signal");
    event
        .on(ExecutionInfo::COMPLETE, notify("signalled"))
        .expect("urEventSetCallback");
    assert!(receive.try_recv().is_err(), "the command is not complete");
    user_event.complete();
    assert_eq!(receive.recv_timeout(PATIENCE), Ok("signalled"));
}

/// UR_EXP_EVENT_FLAG_ENABLE_PROFILING has start and end captured; without it there are times only if the queue is profiled.
#[test]
fn times() {
    let Some(rig) = rig() else { return };
    let plain = queue(&rig, QueueFlags::empty());
    let of_queue = reusable(&rig);
    plain.signal(&of_queue, &[]).expect("signal");
    plain.finish().expect("urQueueFinish");
    expect!(profiling(&of_queue), ERROR_PROFILING_INFO_NOT_AVAILABLE);
    rig.queue.signal(&of_queue, &[]).expect("signal");
    rig.queue.finish().expect("urQueueFinish");
    expect!(profiling(&of_queue), SUCCESS);

    let timed = Event::reusable(&rig.context, &rig.device, ExpEventFlags::ENABLE_PROFILING);
    let supported: bool = rig
        .device
        .info(DeviceInfo::PER_EVENT_PROFILING_SUPPORT_EXP)
        .expect("a truth value");
    if !supported {
        expect!(check(timed), ERROR_UNSUPPORTED_FEATURE);
        return println!("this device has no times of single events");
    }
    let timed = timed.expect("urEventCreateExp");
    let mut last = 0;
    for _ in 0..3 {
        plain.signal(&timed, &[]).expect("signal");
        timed.wait().expect("urEventWait");
        let at = |query| timed.profiling::<u64>(query).expect("a time");
        let (start, end) = (at(ProfilingInfo::COMMAND_START), at(ProfilingInfo::COMMAND_END));
        assert!(last < start && start <= end, "{last} {start} {end}");
        last = end;
    }
}

#[test]
fn bad_arguments() {
    let Some(rig) = rig() else { return };
    let unknown = ExpEventFlags::from_bits_retain(1 << 20);
    expect!(
        check(Event::reusable(&rig.context, &rig.device, unknown)),
        ERROR_INVALID_ENUMERATION
    );
    let (context, device, mut event) = (rig.context.raw(), rig.device.raw(), EventHandle::default());
    expect!(
        ur!(urEventCreateExp(context, device, null(), &mut event)),
        ERROR_INVALID_NULL_POINTER
    );
    let event = reusable(&rig);
    let other = Context::new(&[&rig.device]).expect("urContextCreate");
    let queue = Queue::new(&other, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    expect!(check(queue.signal(&event, &[])), ERROR_INVALID_EVENT);
    let ipc = Event::reusable(&rig.context, &rig.device, ExpEventFlags::IPC_EXP);
    if !rig.supports(DeviceInfo::IPC_EVENT_SUPPORT_EXP, "events for other processes") {
        expect!(check(ipc), ERROR_UNSUPPORTED_FEATURE);
    }
}

/// `*phEvent` is signalled if it is a reusable event. Any other one is a place that the new event is written to.
#[test]
fn other_events_are_not_signalled() {
    let Some(rig) = rig() else { return };
    let _reusable = reusable(&rig);
    let first = rig.queue.barrier(&[]).expect("barrier");
    let mut place = first.raw();
    let queue = rig.queue.raw();
    expect!(
        ur!(urEnqueueEventsWaitWithBarrierExt(queue, null(), 0, null(), &mut place)),
        SUCCESS
    );
    assert_ne!(place, first.raw());
    // SAFETY: a new event with one reference.
    let second = unsafe { Event::from_raw(loader(), place) };
    second.wait().expect("urEventWait");
}

#[test]
fn in_graphs() {
    let Some(rig) = rig() else { return };
    let event = reusable(&rig);
    expect!(ur!(urQueueBeginGraphCaptureExp(rig.queue.raw())), SUCCESS);
    expect!(check(rig.queue.signal(&event, &[])), ERROR_GRAPH_CAPTURE_UNSUPPORTED);
    let mut graph = ExpGraphHandle::default();
    expect!(
        ur!(urQueueEndGraphCaptureExp(rig.queue.raw(), &mut graph)),
        ERROR_GRAPH_CAPTURE_INVALIDATED
    );
    assert!(is_complete(&event), "it was not signalled");
}

/// The leak checker counts the one reference that a reusable event comes with.
#[test]
fn no_leaks() {
    const CHILD: &str = "OXUR_TEST_LEAKS";
    let Some(rig) = rig() else { return };
    if std::env::var_os(CHILD).is_some() {
        let event = reusable(&rig);
        for _ in 0..3 {
            rig.queue.signal(&event, &[]).expect("signal");
        }
        drop(rig.queue.barrier(&[]).expect("barrier"));
        let handle = event.raw();
        drop(event);
        println!("the event was {:p}", handle.as_ptr());
        let context = rig.context.raw();
        drop(rig);
        println!("the context was {:p}", context.as_ptr());
        expect!(ur!(urLoaderTearDown()), SUCCESS);
        return;
    }
    let variables = [(CHILD, "1"), ("UR_ENABLE_LAYERS", "UR_LAYER_LEAK_CHECKING")];
    let child = run_test("reusable_event::no_leaks", &variables).passed();
    let event = child
        .out
        .lines()
        .find_map(|line| line.split("the event was ").nth(1))
        .expect("its address");
    assert!(!child.log.contains(event), "{}", child.log);
}
