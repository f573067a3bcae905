// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events: status, wait lists, callbacks, profiling.

use std::ptr::{null, null_mut};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, ThreadId};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Buffer, Context, Event, Queue, Range, Usm, UsmRequest};
use oxur_conformance::{Allowed, PATIENCE, Rig, UserEvent, check, check_infos, expect, intel, loader, ur};

use crate::known;

/// The event of a fill of a buffer, complete.
fn complete(rig: &Rig) -> Event {
    let event = rig
        .queue
        .fill(&rig.buffer(&[0u32; 16]), &[1u32], 0, 64, &[])
        .expect("urEnqueueMemBufferFill");
    event.wait().expect("urEventWait");
    event
}

#[test]
fn info() {
    let rig = Rig::new();
    let event = complete(&rig);
    let get = |p, size, value, size_ret| ur!(urEventGetInfo(event.raw(), EventInfo(p), size, value, size_ret));
    let intel = &[known::SMALL, known::LARGER, known::NUMBER];
    check_infos(
        "EventInfo",
        &get,
        Allowed {
            intel,
            ..Allowed::default()
        },
    );
    assert_eq!(
        event.info::<QueueHandle>(EventInfo::COMMAND_QUEUE).expect("the queue"),
        rig.queue.raw()
    );
    assert_eq!(
        event.info::<ContextHandle>(EventInfo::CONTEXT).expect("the context"),
        rig.context.raw()
    );
    assert_eq!(
        event.info::<CommandType>(EventInfo::COMMAND_TYPE).expect("the command"),
        CommandType::MEM_BUFFER_FILL
    );
    let status: EventStatus = event.info(EventInfo::COMMAND_EXECUTION_STATUS).expect("the status");
    assert_eq!(status, EventStatus::COMPLETE);
}

#[test]
fn counted() {
    let event = complete(&Rig::new());
    let count = || event.info::<u32>(EventInfo::REFERENCE_COUNT).expect("the count");
    if intel("the count is the driver's, which has references of its own for a while") {
        return assert!(count() >= 1);
    }
    assert_eq!(count(), 1);
    let second = event.clone();
    assert_eq!(count(), 2);
    drop(second);
    assert_eq!(count(), 1);
}

#[test]
fn command_types() {
    let rig = Rig::new();
    let (a, b) = (rig.buffer(&[0u32; 16]), rig.buffer(&[0u32; 16]));
    let usm = rig.shared(&[0u32; 16]);
    let kernel = rig.kernel("basic", "nothing");
    let (pointer, map) = rig.queue.map(&a, MapFlags::READ, 0, 64, &[]).expect("map");
    // SAFETY: the pointer of the map above; ranges of 64 bytes that live to the end of the test.
    let (unmap, memcpy, memset) = unsafe {
        (
            rig.queue.unmap(&a, pointer, &[]).expect("unmap"),
            rig.queue
                .memcpy(true, usm.ptr(), usm.ptr().byte_add(32), 32, &[])
                .expect("memcpy"),
            rig.queue.memset(usm.ptr(), &[1u8], 64, &[]).expect("memset"),
        )
    };
    let events = [
        (
            rig.queue.read(&a, 0, &mut [0u32; 16], &[]).expect("read"),
            CommandType::MEM_BUFFER_READ,
        ),
        (
            rig.queue.write(&a, 0, &[0u32; 16], &[]).expect("write"),
            CommandType::MEM_BUFFER_WRITE,
        ),
        (
            rig.queue.copy(&a, &b, (0, 0), 64, &[]).expect("copy"),
            CommandType::MEM_BUFFER_COPY,
        ),
        (rig.queue.marker(&[]).expect("marker"), CommandType::EVENTS_WAIT),
        (
            rig.queue.barrier(&[]).expect("barrier"),
            CommandType::EVENTS_WAIT_WITH_BARRIER,
        ),
        (
            rig.start(&kernel, &Range::new([1]), &[], &[]).expect("launch"),
            CommandType::KERNEL_LAUNCH,
        ),
        (map, CommandType::MEM_BUFFER_MAP),
        (unmap, CommandType::MEM_UNMAP),
        (memcpy, CommandType::USM_MEMCPY),
        (memset, CommandType::USM_FILL),
    ];
    rig.queue.finish().expect("urQueueFinish");
    for (event, command) in &events {
        // Whatever stands behind it, a fill of several commands say, it is of this queue.
        assert_eq!(
            event.info::<QueueHandle>(EventInfo::COMMAND_QUEUE).expect("the queue"),
            rig.queue.raw()
        );
        if *command == CommandType::EVENTS_WAIT_WITH_BARRIER && intel("CL_COMMAND_BARRIER has no UR counterpart there")
        {
            continue;
        }
        assert_eq!(
            event.info::<CommandType>(EventInfo::COMMAND_TYPE).expect("the command"),
            *command
        );
    }
}

#[test]
fn wait_lists_order_an_out_of_order_queue() {
    let rig = Rig::new();
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE).expect("a queue");
    let data = rig.shared(&[0i32; 256]);
    let increment = rig.kernel("basic", "increment");
    let mut last: Option<Event> = None;
    for _ in 0..50 {
        let wait: Vec<&Event> = last.iter().collect();
        let args = [Arg::Pointer(data.ptr())];
        // SAFETY: the kernel works on 256 values, which live until all is finished.
        last = Some(unsafe { queue.launch(&increment, &Range::new([256]), &args, &wait) }.expect("launch"));
    }
    last.expect("an event").wait().expect("urEventWait");
    assert_eq!(oxur_conformance::values::<i32>(&data), [50; 256]);
}

#[test]
fn barrier_orders_an_out_of_order_queue() {
    let rig = Rig::new();
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE).expect("a queue");
    let data = rig.shared(&[0i32; 256]);
    let increment = rig.kernel("basic", "increment");
    for _ in 0..50 {
        // SAFETY: the kernel works on 256 values, which live until all is finished.
        unsafe { queue.launch(&increment, &Range::new([256]), &[Arg::Pointer(data.ptr())], &[]) }.expect("launch");
        queue.barrier(&[]).expect("urEnqueueEventsWaitWithBarrier");
    }
    queue.finish().expect("urQueueFinish");
    assert_eq!(oxur_conformance::values::<i32>(&data), [50; 256]);
}

#[test]
fn across_queues() {
    let rig = Rig::new();
    let other = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("a queue");
    let data = rig.buffer(&[1u32; 1024]);
    let slow = rig.kernel("basic", "slow");
    let steps = 100_000u32;
    let first = rig
        .start(&slow, &Range::new([1024]), &[Arg::mem(&data), Arg::value(&steps)], &[])
        .expect("launch");
    let mut result = [0u32; 1024];
    other.read(&data, 0, &mut result, &[&first]).expect("read");
    let expected = (0..steps).fold(1u32, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    assert_eq!(result, [expected; 1024]);
}

#[test]
fn marker_waits_for_what_came_before() {
    let rig = Rig::new();
    let data = rig.shared(&[1u32; 1024]);
    let slow = rig.kernel("basic", "slow");
    let first = rig
        .start(
            &slow,
            &Range::new([1024]),
            &[Arg::Pointer(data.ptr()), Arg::value(&100_000u32)],
            &[],
        )
        .expect("launch");
    rig.queue.marker(&[]).expect("marker").wait().expect("urEventWait");
    assert_eq!(
        first
            .info::<EventStatus>(EventInfo::COMMAND_EXECUTION_STATUS)
            .expect("status"),
        EventStatus::COMPLETE
    );
}

#[test]
fn wait_for_several() {
    let rig = Rig::new();
    let events: Vec<_> = (0..10).map(|_| rig.queue.marker(&[]).expect("marker")).collect();
    let handles: Vec<_> = events.iter().map(|event| event.raw()).collect();
    expect!(ur!(urEventWait(10, handles.as_ptr())), SUCCESS);
    expect!(ur!(urEventWait(0, handles.as_ptr())), ERROR_INVALID_VALUE; intel SUCCESS, known::UNCHECKED);
}

#[test]
fn wait_list_and_count_disagree() {
    let rig = Rig::new();
    let event = complete(&rig);
    let (queue, handle, none) = (rig.queue.raw(), event.raw(), null_mut());
    expect!(ur!(urEnqueueEventsWait(queue, 1, null(), none)), ERROR_INVALID_EVENT_WAIT_LIST;
        intel crash, known::UNCHECKED);
    expect!(ur!(urEnqueueEventsWait(queue, 0, &handle, none)), ERROR_INVALID_EVENT_WAIT_LIST;
        intel SUCCESS, known::UNCHECKED);
    expect!(ur!(urEnqueueEventsWaitWithBarrier(queue, 1, null(), none)), ERROR_INVALID_EVENT_WAIT_LIST;
        intel crash, known::UNCHECKED);
}

#[test]
fn callbacks() {
    let rig = Rig::new();
    let data = rig.shared(&[1u32; 1024]);
    let slow = rig.kernel("basic", "slow");
    let args = [Arg::Pointer(data.ptr()), Arg::value(&100_000u32)];
    let event = rig.start(&slow, &Range::new([1024]), &args, &[]).expect("launch");
    let (send, receive) = channel();
    let all = [
        ExecutionInfo::COMPLETE,
        ExecutionInfo::RUNNING,
        ExecutionInfo::SUBMITTED,
    ];
    for status in all {
        let send = send.clone();
        event
            .on(status, move |reached| send.send((status, reached)).expect("a receiver"))
            .expect("urEventSetCallback");
    }
    rig.queue.flush().expect("urQueueFlush");
    // Intel's driver loses the other two, whatever is above it.
    loop {
        let (asked, reached) = receive.recv_timeout(PATIENCE).expect("a callback");
        assert!(all.contains(&asked) && reached == asked);
        if asked == ExecutionInfo::COMPLETE {
            break;
        }
    }
    event.wait().expect("urEventWait");
}

#[test]
fn callback_of_a_complete_event() {
    let event = complete(&Rig::new());
    let (send, receive) = channel();
    event
        .on(ExecutionInfo::COMPLETE, move |status| {
            send.send(status).expect("a receiver")
        })
        .expect("urEventSetCallback");
    assert_eq!(
        receive.recv_timeout(PATIENCE).expect("a callback"),
        ExecutionInfo::COMPLETE
    );
}

#[test]
fn callback_of_a_released_event() {
    let rig = Rig::new();
    let data = rig.shared(&[1u32; 1024]);
    let slow = rig.kernel("basic", "slow");
    let args = [Arg::Pointer(data.ptr()), Arg::value(&1_000_000u32)];
    let event = rig.start(&slow, &Range::new([1024]), &args, &[]).expect("launch");
    let (send, receive) = channel();
    event
        .on(ExecutionInfo::COMPLETE, move |status| {
            send.send(status).expect("a receiver")
        })
        .expect("urEventSetCallback");
    drop(event);
    assert_eq!(
        receive.recv_timeout(PATIENCE).expect("a callback"),
        ExecutionInfo::COMPLETE
    );
    rig.queue.finish().expect("urQueueFinish");
}

#[test]
fn callback_after_all_else_is_released() {
    unsafe extern "C" fn deleter(data: *mut c_void) {
        // SAFETY: the box that is given away below; a context is deleted once.
        let send = unsafe { Box::from_raw(data.cast::<Sender<ThreadId>>()) };
        send.send(thread::current().id()).expect("a receiver");
    }
    let rig = Rig::new();
    let context = Context::new(&[&rig.device]).expect("urContextCreate");
    let queue = Queue::new(&context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    let Some(user_event) = UserEvent::new(&queue) else {
        return;
    };
    let ((send, called), (send_deleted, deleted)) = (channel(), channel());
    let data = Box::into_raw(Box::new(send_deleted));
    let code = ur!(urContextSetExtendedDeleter(context.raw(), Some(deleter), data.cast()));
    if code != ResultCode::SUCCESS {
        // SAFETY: a refused deleter is never called, so the box is still ours.
        drop(unsafe { Box::from_raw(data) });
        return expect!(code, ERROR_UNSUPPORTED_FEATURE);
    }
    let event = queue.marker(&[]).expect("marker");
    event
        .on(ExecutionInfo::COMPLETE, move |_| {
            send.send(thread::current().id()).expect("a receiver")
        })
        .expect("urEventSetCallback");
    queue.flush().expect("urQueueFlush");
    drop((event, queue, context));
    user_event.complete();
    let called = called.recv_timeout(PATIENCE).expect("the callback");
    let deleted = deleted.recv_timeout(PATIENCE).expect("the deleter");
    assert_ne!(called, deleted, "the context goes inside of the driver's callback");
}

/// A callback gets the event's handle, so that it can ask for its queue and context (urEventGetInfo), also when the client has
/// released all of them.
#[test]
fn a_callback_asks_for_the_queue_and_the_context() {
    type Answers = (ResultCode, QueueHandle, ResultCode, ContextHandle);
    unsafe extern "C" fn ask(event: EventHandle, _: ExecutionInfo, data: *mut c_void) {
        let (mut queue, mut context) = (QueueHandle::default(), ContextHandle::default());
        let get = |what, place| ur!(urEventGetInfo(event, what, size_of::<usize>(), place, null_mut()));
        let of_queue = get(EventInfo::COMMAND_QUEUE, (&raw mut queue).cast());
        let of_context = get(EventInfo::CONTEXT, (&raw mut context).cast());
        // SAFETY: the box that is given away below; the callback is called once.
        let send = unsafe { Box::from_raw(data.cast::<Sender<Answers>>()) };
        send.send((of_queue, queue, of_context, context)).expect("a receiver");
    }
    let rig = Rig::new();
    let Some(user_event) = UserEvent::new(&rig.queue) else {
        return;
    };
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    let event = queue.marker(&[&user_event.event]).expect("marker");
    let (send, answers) = channel::<Answers>();
    let data = Box::into_raw(Box::new(send)).cast();
    let code = ur!(urEventSetCallback(
        event.raw(),
        ExecutionInfo::COMPLETE,
        Some(ask),
        data
    ));
    assert_eq!(code, ResultCode::SUCCESS);
    queue.flush().expect("urQueueFlush");
    let (queue_handle, context_handle) = (queue.raw(), rig.context.raw());
    drop((event, queue));
    user_event.complete();
    let answers = answers.recv_timeout(PATIENCE).expect("the callback");
    let success = ResultCode::SUCCESS;
    assert_eq!(answers, (success, queue_handle, success, context_handle));
}

/// Asks an event for its queue and its context, and these for each other.
fn check_owners(rig: &Rig, event: &Event, flags: QueueFlags) -> (QueueHandle, ContextHandle) {
    let queue: QueueHandle = event.info(EventInfo::COMMAND_QUEUE).expect("the queue");
    let context: ContextHandle = event.info(EventInfo::CONTEXT).expect("the context");
    let ask = |what, size, place| ur!(urQueueGetInfo(queue, what, size, place, null_mut()));
    let (mut of_queue, mut device, mut kept) = (ContextHandle::default(), DeviceHandle::default(), QueueFlags::empty());
    expect!(ask(QueueInfo::CONTEXT, 8, (&raw mut of_queue).cast()), SUCCESS);
    expect!(ask(QueueInfo::DEVICE, 8, (&raw mut device).cast()), SUCCESS);
    expect!(ask(QueueInfo::FLAGS, 4, (&raw mut kept).cast()), SUCCESS);
    assert_eq!((of_queue, device), (context, rig.device.raw()));
    assert_eq!(
        kept & (QueueFlags::PROFILING_ENABLE | QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE),
        flags
    );
    let mut devices = [DeviceHandle::default()];
    expect!(
        ur!(urContextGetInfo(
            context,
            ContextInfo::DEVICES,
            8,
            devices.as_mut_ptr().cast(),
            null_mut()
        )),
        SUCCESS
    );
    assert_eq!(devices, [rig.device.raw()]);
    expect!(ur!(urQueueFinish(queue)), SUCCESS);
    // Asked again, they are the same.
    assert_eq!(
        event.info::<QueueHandle>(EventInfo::COMMAND_QUEUE).expect("the queue"),
        queue
    );
    assert_eq!(
        event.info::<ContextHandle>(EventInfo::CONTEXT).expect("the context"),
        context
    );
    (queue, context)
}

/// Waits for an event, by itself and by a callback that is set now.
fn check_end(event: &Event) {
    let (send, receive) = channel();
    event
        .on(ExecutionInfo::COMPLETE, move |status| {
            send.send(status).expect("a receiver")
        })
        .expect("urEventSetCallback");
    event.wait().expect("urEventWait");
    assert_eq!(
        receive.recv_timeout(PATIENCE).expect("a callback"),
        ExecutionInfo::COMPLETE
    );
    let status: EventStatus = event.info(EventInfo::COMMAND_EXECUTION_STATUS).expect("the status");
    assert_eq!(status, EventStatus::COMPLETE);
}

#[test]
fn outlives_its_queue_and_its_context() {
    let rig = Rig::new();
    let orders = [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE];
    for flags in orders.map(|order| order | QueueFlags::PROFILING_ENABLE) {
        // What is asked first may be what finds that they are gone.
        for asked in 0..4 {
            let context = Context::new(&[&rig.device]).expect("urContextCreate");
            let queue = Queue::new(&context, &rig.device, flags).expect("urQueueCreate");
            let buffer = Buffer::with(&context, MemFlags::READ_WRITE, &[0u32; 1024]).expect("urMemBufferCreate");
            let event = queue.fill(&buffer, &[1u32], 0, 4096, &[]).expect("fill");
            queue.flush().expect("urQueueFlush");
            drop((buffer, queue, context));
            match asked {
                0 => check_end(&event),
                1 => event.wait().expect("urEventWait"),
                2 => _ = event.info::<ContextHandle>(EventInfo::CONTEXT).expect("the context"),
                _ => {}
            }
            let second = (asked % 2 == 0).then(|| event.clone());
            let (queue, _) = check_owners(&rig, &event, flags);
            check_end(&event);
            let times = [
                ProfilingInfo::COMMAND_QUEUED,
                ProfilingInfo::COMMAND_SUBMIT,
                ProfilingInfo::COMMAND_START,
                ProfilingInfo::COMMAND_END,
            ]
            .map(|p| event.profiling::<u64>(p).expect("urEventGetProfilingInfo"));
            assert!(times[0] > 0 && times.is_sorted(), "{times:?}");
            // The queue is a queue as any other.
            let mut marker = EventHandle::default();
            expect!(ur!(urEnqueueEventsWait(queue, 0, null(), &mut marker)), SUCCESS);
            // SAFETY: a new event with one reference.
            let marker = unsafe { Event::from_raw(loader(), marker) };
            marker.wait().expect("urEventWait");
            assert_eq!(
                marker.info::<QueueHandle>(EventInfo::COMMAND_QUEUE).expect("the queue"),
                queue
            );
            drop(event);
            assert_eq!(check_owners(&rig, second.as_ref().unwrap_or(&marker), flags).0, queue);
            drop((second, marker));
        }
    }
}

#[test]
fn outlives_its_queue() {
    let rig = Rig::new();
    for time in 0..10 {
        let queue = Queue::new(&rig.context, &rig.device, QueueFlags::PROFILING_ENABLE).expect("urQueueCreate");
        let handle = queue.raw();
        let events = [(); 3].map(|()| queue.marker(&[]).expect("marker"));
        let asked = time % 2 == 0;
        if asked {
            let known = events[0].info::<QueueHandle>(EventInfo::COMMAND_QUEUE);
            assert_eq!(known.expect("the queue"), handle);
        }
        drop(queue);
        // The context is there, and is the client's.
        let all = [0, 1, 2].map(|i| check_owners(&rig, &events[i], QueueFlags::PROFILING_ENABLE));
        assert!(all.iter().all(|of| *of == (all[0].0, rig.context.raw())), "{all:?}");
        assert!(!asked || all[0].0 == handle, "who was asked keeps what it said");
        let [first, second, third] = events;
        drop(first);
        check_owners(&rig, &second, QueueFlags::PROFILING_ENABLE);
        // What waits for them is in a queue that they never saw.
        rig.queue
            .marker(&[&second, &third])
            .expect("marker")
            .wait()
            .expect("urEventWait");
        drop(second);
        check_end(&third);
    }
}

/// Adapters use the memory of an event again for the next one: nothing of the last command may be left.
#[test]
fn one_after_another() {
    let rig = Rig::new();
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::PROFILING_ENABLE).expect("urQueueCreate");
    let usm = rig.shared(&[0u8; 64]);
    let fill = |queue: &Queue| {
        // SAFETY: 64 bytes that live to the end of the test.
        unsafe { queue.memset(usm.ptr(), &[1u8], 64, &[]) }.expect("memset")
    };
    let barrier = |queue: &Queue| queue.barrier(&[]).expect("barrier");
    let status = |event: &Event| {
        event
            .info::<EventStatus>(EventInfo::COMMAND_EXECUTION_STATUS)
            .expect("the status")
    };
    let check_new = |event: &Event, command: CommandType| {
        let of: QueueHandle = event.info(EventInfo::COMMAND_QUEUE).expect("the queue");
        assert_eq!(of, queue.raw());
        if !intel("it does not know a barrier, and counts its own references") {
            let is: CommandType = event.info(EventInfo::COMMAND_TYPE).expect("the command");
            let count: u32 = event.info(EventInfo::REFERENCE_COUNT).expect("the count");
            assert_eq!((is, count), (command, 1));
        }
    };
    // A queue that one thread has had for long is cheaper to use, in ways that could go wrong.
    (0..6000).for_each(|_| drop(barrier(&queue)));
    let mut last_end = 0;
    for round in 0..200 {
        let kept = (round % 3 == 0).then(|| barrier(&queue));
        let event = fill(&queue);
        check_new(&event, CommandType::USM_FILL);
        event.wait().expect("urEventWait");
        assert_eq!(status(&event), EventStatus::COMPLETE);
        let [start, end] = [ProfilingInfo::COMMAND_START, ProfilingInfo::COMMAND_END]
            .map(|time| event.profiling::<u64>(time).expect("urEventGetProfilingInfo"));
        assert!(last_end <= start && start <= end, "{last_end}, {start}, {end}");
        last_end = end;
        let handle = event.raw();
        drop(event);
        if !intel("a released object is freed memory") {
            let (query, mut count) = (EventInfo::REFERENCE_COUNT, 0u32);
            let asked = ur!(urEventGetInfo(handle, query, 4, (&raw mut count).cast(), null_mut()));
            assert_eq!(asked, ResultCode::ERROR_INVALID_EVENT);
            assert_eq!(ur!(urEventRelease(handle)), ResultCode::ERROR_INVALID_EVENT);
        }
        check_new(&barrier(&queue), CommandType::EVENTS_WAIT_WITH_BARRIER);
        if let Some(kept) = kept {
            check_new(&kept, CommandType::EVENTS_WAIT_WITH_BARRIER);
        }
    }
    // One that has been used up knows nothing of a command that waits.
    if let Some(user_event) = UserEvent::new(&rig.queue) {
        let waiting = queue.barrier(&[&user_event.event]).expect("barrier");
        let behind = fill(&queue);
        assert_ne!(status(&waiting), EventStatus::COMPLETE);
        assert_ne!(status(&behind), EventStatus::COMPLETE);
        // Released while its command waits, and others wait for that.
        let waits_for = rig.queue.marker(&[&behind]).expect("marker");
        drop(behind);
        let next = barrier(&queue);
        assert_ne!(status(&next), EventStatus::COMPLETE);
        user_event.complete();
        for event in [&waits_for, &next] {
            event.wait().expect("urEventWait");
        }
        assert_eq!(status(&next), EventStatus::COMPLETE);
    }
    // More than an adapter keeps, and released in any order.
    let mut events: Vec<_> = (0..700).map(|_| fill(&queue)).collect();
    events.iter().for_each(|event| event.wait().expect("urEventWait"));
    let others = events.split_off(350);
    events.reverse();
    drop(events);
    check_new(&fill(&queue), CommandType::USM_FILL);
    thread::scope(|scope| scope.spawn(move || drop(others)).join()).expect("a thread that releases events");
    check_new(&fill(&queue), CommandType::USM_FILL);
    queue.finish().expect("urQueueFinish");

    // Some are there when the client gives the queue up.
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    let [first, second, third] = [(); 3].map(|()| fill(&queue));
    drop(first);
    drop(queue);
    drop(second);
    check_end(&third);
}

#[test]
fn queues_of_a_queue_that_is_wrapped() {
    let rig = Rig::new();
    let Some(other) = rig.wrapped_queue() else { return };
    // Both are one queue of the driver, and each command is of the one that got it.
    for queue in [&rig.queue, &other, &rig.queue] {
        let event = queue.marker(&[]).expect("marker");
        assert_eq!(
            event.info::<QueueHandle>(EventInfo::COMMAND_QUEUE).expect("the queue"),
            queue.raw()
        );
    }
}

#[test]
fn a_context_goes_while_its_commands_wait() {
    let rig = Rig::new();
    let context = Context::new(&[&rig.device]).expect("urContextCreate");
    let queue = Queue::new(&context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    let Some(user_event) = UserEvent::new(&queue) else {
        return;
    };
    let memory = Usm::shared(&context, &rig.device, 4096, UsmRequest::default()).expect("urUSMSharedAlloc");
    // SAFETY: memory that the adapter keeps for the command, which is freed below.
    let event = unsafe { queue.memset(memory.ptr(), &[1u8], 4096, &[]) }.expect("memset");
    queue.flush().expect("urQueueFlush");
    drop(memory);
    drop((queue, context));
    user_event.complete();
    check_end(&event);
}

#[test]
fn callbacks_that_are_refused() {
    let event = complete(&Rig::new());
    expect!(check(event.on(ExecutionInfo::QUEUED, |_| ())), ERROR_UNSUPPORTED_ENUMERATION; intel ERROR_INVALID_ENUMERATION,
        "the adapter has the other code");
    expect!(check(event.on(ExecutionInfo(99), |_| ())), ERROR_INVALID_ENUMERATION; intel SUCCESS, known::UNCHECKED);
    expect!(ur!(urEventSetCallback(event.raw(), ExecutionInfo::COMPLETE, None, null_mut())), ERROR_INVALID_NULL_POINTER;
        intel crash, known::UNCHECKED);
}

#[test]
fn profiling() {
    let rig = Rig::new();
    let event = complete(&rig);
    let get = |p, size, value, size_ret| {
        ur!(urEventGetProfilingInfo(
            event.raw(),
            ProfilingInfo(p),
            size,
            value,
            size_ret
        ))
    };
    check_infos(
        "ProfilingInfo",
        &get,
        Allowed {
            intel: &[known::SMALL, known::NUMBER_VALUE],
            ..Allowed::default()
        },
    );
    let times: Vec<u64> = [
        ProfilingInfo::COMMAND_QUEUED,
        ProfilingInfo::COMMAND_SUBMIT,
        ProfilingInfo::COMMAND_START,
        ProfilingInfo::COMMAND_END,
    ]
    .map(|p| event.profiling(p).expect("urEventGetProfilingInfo"))
    .to_vec();
    assert!(times.is_sorted(), "queued, submitted, started, ended at {times:?}");
    assert!(times.iter().all(|time| *time > 0));
}

#[test]
fn profiling_on_a_queue_without() {
    let rig = Rig::new();
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("a queue");
    let event = queue.marker(&[]).expect("marker");
    event.wait().expect("urEventWait");
    expect!(
        check(event.profiling::<u64>(ProfilingInfo::COMMAND_END)),
        ERROR_PROFILING_INFO_NOT_AVAILABLE
    );
}

#[test]
fn timestamp_recording() {
    let rig = Rig::new();
    let supported: bool = rig
        .device
        .info(DeviceInfo::TIMESTAMP_RECORDING_SUPPORT_EXP)
        .expect("a truth value");
    let event = rig.queue.timestamp(true, &[]);
    if !supported {
        return expect!(check(event), ERROR_UNSUPPORTED_FEATURE);
    }
    let event = event.expect("urEnqueueTimestampRecordingExp");
    event.wait().expect("urEventWait");
    assert_eq!(
        event.info::<CommandType>(EventInfo::COMMAND_TYPE).expect("command"),
        CommandType::TIMESTAMP_RECORDING_EXP
    );
    let (start, end): (u64, u64) = (
        event.profiling(ProfilingInfo::COMMAND_START).expect("the start"),
        event.profiling(ProfilingInfo::COMMAND_END).expect("the end"),
    );
    // The specification defines it as one point.
    assert!(0 < start && start == end);
}
