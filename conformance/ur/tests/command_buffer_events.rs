// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events of single commands of command buffers: signalled by the next run, waited for in all runs.

use std::ptr::null_mut;
use std::sync::mpsc::channel;

use oxur_conformance::api::*;
use oxur_conformance::client::{Appended, Arg, CommandBuffer, CommandBufferSettings, Event, Kernel, Place, Queue, Usm};
use oxur_conformance::{PATIENCE, Rig, UserEvent, check, expect, intel, ur, values};

use crate::command_buffer::{FIRST, IN_ORDER, PLAIN, UPDATABLE, empty, events, launch, queue, queues, rig, run};
use crate::command_buffer_run::status;

const OUT_OF_ORDER: QueueFlags = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;

/// A rig whose device has them.
fn rig_with_events() -> Option<Rig> {
    let rig = rig()?;
    if intel("the adapter crashes on events of single commands") {
        return None;
    }
    assert!(events(&rig));
    Some(rig)
}

/// Appends a launch that adds one to 64 values.
fn increment<'a>(buffer: &CommandBuffer, kernel: &Kernel, data: &Usm, place: impl Into<Place<'a>>) -> Appended {
    launch(buffer, kernel, 64, &[Arg::Pointer(data.ptr())], place).expect("a launch")
}

fn event(appended: &Appended) -> &Event {
    appended.event.as_ref().expect("it was appended with an event")
}

fn finalize(buffer: &CommandBuffer) {
    buffer.finalize().expect("urCommandBufferFinalizeExp");
}

fn enqueue(queue: &Queue, buffer: &CommandBuffer) -> Event {
    queue.run(buffer, &[]).expect("urEnqueueCommandBufferExp")
}

/// What the wait for a command gives that failed, or will never run. Intel's driver says of some that they are complete:
/// `driver` is whether it may be that.
fn fails(driver: bool, event: &Event) {
    let code = check(event.wait());
    assert_ne!(code, ResultCode::SUCCESS);
    let status = status(event);
    assert!(
        status == EventStatus::ERROR || driver && status == EventStatus::COMPLETE,
        "{status:?}"
    );
}

/// Whether there is a driver.
fn driver(rig: &Rig) -> bool {
    rig.queue.native().is_ok()
}

#[test]
fn events_of_commands() {
    let Some(rig) = rig_with_events() else { return };
    let (data, copy) = (rig.shared(&[0i32; 64]), rig.shared(&[0i32; 64]));
    let increment = rig.kernel("basic", "increment");
    let args = [Arg::Pointer(data.ptr())];
    let buffer = empty(&rig, UPDATABLE);
    let before = rig.queue.marker(&[]).expect("urEnqueueEventsWait");
    let waits = [&before];
    let place = Place::default().signal().handle().events(&waits);
    let first = launch(&buffer, &increment, 64, &args, place).expect("a launch");
    // SAFETY: 256 bytes, which live until the last run.
    unsafe { buffer.memcpy(copy.ptr(), data.ptr(), 256, &[first.point]) }.expect("a copy");
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    assert_eq!(status(first.event.as_ref().expect("the event")), EventStatus::QUEUED);
    let event = rig.queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
    first.event.as_ref().expect("the event").wait().expect("urEventWait");
    // SAFETY: the command that writes it is complete.
    assert_eq!(unsafe { data.ptr().cast::<i32>().read_volatile() }, 1);
    event.wait().expect("urEventWait");
    // It was that of one run, and stays complete.
    run(&queue(&rig, OUT_OF_ORDER), &buffer);
    assert_eq!(status(first.event.as_ref().expect("the event")), EventStatus::COMPLETE);
    assert_eq!(values::<i32>(&data), [2; 64]);
    // Other events, for the runs to come.
    let command = first.command();
    // SAFETY: the buffer is alive.
    let signal = unsafe { buffer.update_signal(command) }.expect("urCommandBufferUpdateSignalEventExp");
    assert_ne!(status(&signal), EventStatus::COMPLETE);
    let other = queue(&rig, OUT_OF_ORDER);
    if let Some(user_event) = UserEvent::new(&other) {
        // SAFETY: as above.
        unsafe { buffer.update_wait(command, &[&user_event.event]) }.expect("urCommandBufferUpdateWaitEventsExp");
        let event = rig.queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
        user_event.assert_pending();
        assert_ne!(status(&signal), EventStatus::COMPLETE);
        assert_ne!(status(&event), EventStatus::COMPLETE);
        user_event.complete();
        signal.wait().expect("urEventWait");
        event.wait().expect("urEventWait");
        assert_eq!(values::<i32>(&copy), [3; 64]);
    }
    // A list of another length, and a command without an event.
    // SAFETY: the buffer is alive.
    let result = unsafe { buffer.update_wait(command, &[]) };
    expect!(check(result), ERROR_INVALID_EVENT_WAIT_LIST);
    let (plain, none) = (empty(&rig, UPDATABLE), null_mut());
    let silent = launch(&plain, &increment, 64, &args, Place::default().handle()).expect("a launch");
    let handle = silent.command().raw();
    expect!(
        ur!(urCommandBufferUpdateSignalEventExp(handle, none)),
        ERROR_INVALID_NULL_POINTER
    );
    // SAFETY: the buffer is alive.
    let result = unsafe { plain.update_signal(silent.command()) };
    expect!(check(result), ERROR_INVALID_OPERATION);
    plain.finalize().expect("urCommandBufferFinalizeExp");
    // SAFETY: the buffer is alive.
    let result = unsafe { plain.update_signal(silent.command()) };
    expect!(check(result), ERROR_INVALID_OPERATION);
}

/// It is of the command's kind, and complete when the run is.
#[test]
fn of_commands_of_every_kind() {
    let Some(rig) = rig_with_events() else { return };
    // Nothing orders the commands, so each writes memory of its own, which no other one reads.
    let [launched, from, copied, bytes, words, read, hints] = [(); 7].map(|()| rig.shared(&[0i32; 64]));
    let [source, copy, written, filled] = [(); 4].map(|()| rig.buffer(&[0i32; 64]));
    let kernel = rig.kernel("basic", "increment");
    for settings in [PLAIN, IN_ORDER] {
        for queue in queues(&rig) {
            let buffer = empty(&rig, settings);
            let place = || Place::default().signal();
            let flags = UsmMigrationFlags::HOST_TO_DEVICE;
            // SAFETY: 256 bytes each, which live until the last run.
            let appended = unsafe {
                [
                    (
                        CommandType::KERNEL_LAUNCH,
                        Ok(increment(&buffer, &kernel, &launched, place())),
                    ),
                    (
                        CommandType::USM_MEMCPY,
                        buffer.memcpy(copied.ptr(), from.ptr(), 256, place()),
                    ),
                    (
                        CommandType::USM_FILL,
                        buffer.memset(bytes.ptr(), &[1u8, 2, 3], 255, place()),
                    ),
                    (CommandType::USM_FILL, buffer.memset(words.ptr(), &[1i32], 256, place())),
                    (
                        CommandType::MEM_BUFFER_COPY,
                        buffer.copy(&source, &copy, (0, 0), 256, place()),
                    ),
                    (
                        CommandType::MEM_BUFFER_WRITE,
                        buffer.write(&written, 0, 256, from.ptr(), place()),
                    ),
                    (
                        CommandType::MEM_BUFFER_READ,
                        buffer.read(&source, 0, 256, read.ptr(), place()),
                    ),
                    (
                        CommandType::MEM_BUFFER_FILL,
                        buffer.fill(&filled, &[1u8, 2, 3], 0, 255, place()),
                    ),
                    (
                        CommandType::USM_PREFETCH,
                        buffer.prefetch(hints.ptr(), 256, flags, place()),
                    ),
                    (
                        CommandType::USM_ADVISE,
                        buffer.advise(hints.ptr(), 256, UsmAdviceFlags::empty(), place()),
                    ),
                ]
            };
            finalize(&buffer);
            run(&queue, &buffer);
            for (kind, appended) in appended {
                let appended = appended.expect("an append");
                let event = event(&appended);
                assert_eq!(status(event), EventStatus::COMPLETE, "{kind:?}");
                event.wait().expect("urEventWait");
                assert_eq!(
                    event.info::<CommandType>(EventInfo::COMMAND_TYPE).expect("the type"),
                    kind
                );
                let context: ContextHandle = event.info(EventInfo::CONTEXT).expect("the context");
                assert_eq!(context, rig.context.raw());
            }
        }
    }
}

/// Who waits before the run begins: a command of another queue, a command of another buffer, a callback, a thread.
#[test]
fn waiting_for_a_run_that_is_to_come() {
    let Some(rig) = rig_with_events() else { return };
    let kernel = rig.kernel("basic", "increment");
    for (queue, other) in queues(&rig).iter().zip(queues(&rig).iter().rev()) {
        let [data, copy, again] = [(); 3].map(|()| rig.shared(&[0i32; 64]));
        let buffer = empty(&rig, PLAIN);
        let first = increment(&buffer, &kernel, &data, Place::default().signal());
        finalize(&buffer);
        let event = event(&first);
        let (sender, receiver) = channel();
        event
            .on(ExecutionInfo::COMPLETE, move |status| _ = sender.send(status))
            .expect("urEventSetCallback");
        // SAFETY: 256 bytes, which live until the test has waited.
        let copied = unsafe { other.memcpy(false, copy.ptr(), data.ptr(), 256, &[event]) }.expect("a copy");
        let waiting = empty(&rig, PLAIN);
        let waits = [event];
        // SAFETY: as above.
        unsafe { waiting.memcpy(again.ptr(), data.ptr(), 256, Place::default().events(&waits)) }.expect("a copy");
        finalize(&waiting);
        let ran = enqueue(other, &waiting);
        for event in [event, &copied, &ran] {
            assert_ne!(status(event), EventStatus::COMPLETE);
        }
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| event.wait().expect("urEventWait"));
            enqueue(queue, &buffer);
            waits.join().expect("no panic");
        });
        ran.wait().expect("urEventWait");
        copied.wait().expect("urEventWait");
        assert_eq!(values::<i32>(&copy), [1; 64]);
        assert_eq!(values::<i32>(&again), [1; 64]);
        let called = receiver.recv_timeout(PATIENCE);
        assert_eq!(called, Ok(ExecutionInfo::COMPLETE));
    }
}

/// In one buffer, an event does what a sync point does.
#[test]
fn of_one_command_for_another_of_the_same_buffer() {
    let Some(rig) = rig_with_events() else { return };
    let kernel = rig.kernel("basic", "increment");
    for queue in queues(&rig) {
        let (data, copy) = (rig.shared(&[0i32; 64]), rig.shared(&[0i32; 64]));
        let buffer = empty(&rig, PLAIN);
        let first = increment(&buffer, &kernel, &data, Place::default().signal());
        let waits = [event(&first)];
        // SAFETY: 256 bytes, which live until the run is complete.
        unsafe { buffer.memcpy(copy.ptr(), data.ptr(), 256, Place::default().events(&waits)) }.expect("a copy");
        finalize(&buffer);
        // The buffer keeps what its commands wait for.
        drop(first);
        run(&queue, &buffer);
        assert_eq!(values::<i32>(&copy), [1; 64]);
    }
}

/// `urCommandBufferUpdateSignalEventExp` gives an event that the next run signals: each of several, and the one that the
/// command was appended with.
#[test]
fn several_for_one_run() {
    let Some(rig) = rig_with_events() else { return };
    let (kernel, data) = (rig.kernel("basic", "increment"), rig.shared(&[0i32; 64]));
    let buffer = empty(&rig, UPDATABLE);
    let appended = increment(&buffer, &kernel, &data, Place::default().signal().handle());
    finalize(&buffer);
    for round in 1..4 {
        // SAFETY: the buffer is alive.
        let update = || unsafe { buffer.update_signal(appended.command()) };
        let mut signals: Vec<_> = (0..3)
            .map(|_| update().expect("urCommandBufferUpdateSignalEventExp"))
            .collect();
        if round == 1 {
            signals.push(event(&appended).clone());
        }
        assert!(signals.iter().all(|signal| status(signal) != EventStatus::COMPLETE));
        enqueue(&rig.queue, &buffer);
        for signal in signals {
            signal.wait().expect("urEventWait");
            assert_eq!(status(&signal), EventStatus::COMPLETE);
        }
        assert_eq!(values::<i32>(&data), [round; 64]);
    }
    // A run that was enqueued before is not the next one.
    let Some(user_event) = UserEvent::new(&rig.queue) else {
        return;
    };
    enqueue(&rig.queue, &buffer);
    // SAFETY: the buffer is alive.
    let signals = [(); 2].map(|()| unsafe { buffer.update_signal(appended.command()) });
    let signals = signals.map(|signal| signal.expect("urCommandBufferUpdateSignalEventExp"));
    user_event.complete();
    rig.queue.finish().expect("urQueueFinish");
    assert!(signals.iter().all(|signal| status(signal) != EventStatus::COMPLETE));
    enqueue(&rig.queue, &buffer);
    for signal in &signals {
        signal.wait().expect("urEventWait");
    }
}

/// The buffer is gone: who waits is told.
#[test]
fn of_a_command_that_will_never_run() {
    let Some(rig) = rig_with_events() else { return };
    let (kernel, data) = (rig.kernel("basic", "increment"), rig.shared(&[0i32; 64]));
    let buffer = empty(&rig, UPDATABLE);
    let appended = increment(&buffer, &kernel, &data, Place::default().signal().handle());
    finalize(&buffer);
    // SAFETY: the buffer is alive.
    let second = unsafe { buffer.update_signal(appended.command()) }.expect("urCommandBufferUpdateSignalEventExp");
    let (sender, receiver) = channel();
    second
        .on(ExecutionInfo::COMPLETE, move |status| _ = sender.send(status))
        .expect("urEventSetCallback");
    let third = second.clone();
    let driver = driver(&rig);
    let waits = std::thread::spawn(move || fails(driver, &third));
    assert_ne!(status(&second), EventStatus::COMPLETE);
    drop(buffer);
    waits.join().expect("no panic");
    assert_eq!(status(&second), EventStatus::ERROR);
    assert_eq!(status(event(&appended)), EventStatus::ERROR);
    assert!(receiver.recv_timeout(PATIENCE).is_ok());
    assert_eq!(values::<i32>(&data), [0; 64]);
}

/// What waits for a command that failed fails, too: a command of a buffer, what it signals, and the run.
#[test]
fn of_a_command_that_fails() {
    let Some(rig) = rig_with_events() else { return };
    if rig.backend() == Backend::LEVEL_ZERO {
        return println!("events of Level Zero do not fail: what waits for one goes on once it is known to never come");
    }
    let (kernel, data) = (rig.kernel("basic", "increment"), rig.shared(&[0i32; 64]));
    // Intel's driver crashes at the end of an out-of-order queue where a command failed that others waited for.
    let orders = if driver(&rig) { 1 } else { 2 };
    for queue in queues(&rig).into_iter().take(orders) {
        let never = empty(&rig, PLAIN);
        let lost = increment(&never, &kernel, &data, Place::default().signal());
        let buffer = empty(&rig, PLAIN);
        let waits = [event(&lost)];
        let failing = increment(&buffer, &kernel, &data, Place::default().signal().events(&waits));
        finalize(&buffer);
        // One that waits before the run begins.
        let early = rig.queue.marker(&[event(&failing)]).expect("urEnqueueEventsWait");
        let ran = enqueue(&queue, &buffer);
        assert_ne!(status(event(&failing)), EventStatus::ERROR);
        drop(never);
        for event in [event(&failing), &ran, &early] {
            fails(driver(&rig), event);
        }
        assert_eq!(values::<i32>(&data), [0; 64]);
    }
}

#[test]
fn release_during_the_run() {
    let Some(rig) = rig_with_events() else { return };
    let (kernel, other) = (rig.kernel("basic", "increment"), queue(&rig, OUT_OF_ORDER));
    for queue in queues(&rig) {
        let Some(user_event) = UserEvent::new(&other) else {
            return;
        };
        let data = rig.shared(&[0i32; 64]);
        let buffer = empty(&rig, PLAIN);
        let waits = [&user_event.event];
        let appended = increment(&buffer, &kernel, &data, Place::default().signal().events(&waits));
        finalize(&buffer);
        let ran = enqueue(&queue, &buffer);
        drop((buffer, queue));
        user_event.assert_pending();
        assert_ne!(status(event(&appended)), EventStatus::COMPLETE);
        user_event.complete();
        event(&appended).wait().expect("urEventWait");
        ran.wait().expect("urEventWait");
        assert_eq!(values::<i32>(&data), [1; 64]);
    }
}

/// A child's commands are part of the parent with the events that they wait for. What they signal is signalled once, by the
/// first run of either.
#[test]
fn of_commands_of_a_child() {
    let Some(rig) = rig_with_events() else { return };
    let (kernel, other) = (rig.kernel("basic", "increment"), queue(&rig, OUT_OF_ORDER));
    for settings in [PLAIN, UPDATABLE] {
        for queue in queues(&rig) {
            let Some(user_event) = UserEvent::new(&other) else {
                return;
            };
            let (data, copy) = (rig.shared(&[0i32; 64]), rig.shared(&[0i32; 64]));
            let (parent, child) = (empty(&rig, PLAIN), empty(&rig, settings));
            let waits = [&user_event.event];
            let mut inside = Vec::new();
            let append = || {
                let place = Place::default().signal().events(&waits);
                inside.push(increment(&child, &kernel, &data, place));
            };
            let point = parent
                .native_command(append, Some(&child), FIRST)
                .expect("urCommandBufferAppendNativeCommandExp");
            // SAFETY: 256 bytes, which live until the last run.
            unsafe { parent.memcpy(copy.ptr(), data.ptr(), 256, &[point]) }.expect("a copy");
            finalize(&parent);
            let event = event(&inside[0]);
            let ran = enqueue(&queue, &parent);
            for event in [event, &ran] {
                assert_ne!(status(event), EventStatus::COMPLETE);
            }
            user_event.complete();
            ran.wait().expect("urEventWait");
            assert_eq!(status(event), EventStatus::COMPLETE);
            event.wait().expect("urEventWait");
            assert_eq!(values::<i32>(&copy), [1; 64]);
            // The child itself goes on as it would without a parent.
            finalize(&child);
            run(&queue, &child);
            assert_eq!(status(event), EventStatus::COMPLETE);
            assert_eq!(values::<i32>(&data), [2; 64]);
        }
    }
}

/// An event of a child's command, by the child's own run, and where neither runs.
#[test]
fn of_a_child_that_runs_itself() {
    let Some(rig) = rig_with_events() else { return };
    let (kernel, data) = (rig.kernel("basic", "increment"), rig.shared(&[0i32; 64]));
    for child_runs in [true, false] {
        let (parent, child) = (empty(&rig, PLAIN), empty(&rig, PLAIN));
        let inside = increment(&child, &kernel, &data, Place::default().signal());
        finalize(&child);
        parent.native_command(|| (), Some(&child), FIRST).expect("the child");
        finalize(&parent);
        if child_runs {
            run(&rig.queue, &child);
            assert_eq!(status(event(&inside)), EventStatus::COMPLETE);
            run(&rig.queue, &parent);
            assert_eq!(status(event(&inside)), EventStatus::COMPLETE);
        } else {
            drop(child);
            assert_ne!(status(event(&inside)), EventStatus::ERROR, "the parent may run");
            drop(parent);
            fails(driver(&rig), event(&inside));
        }
    }
    assert_eq!(values::<i32>(&data), [2; 64]);
}

/// A graph has no commands that wait for something outside of it, or signal it.
#[test]
fn not_in_a_graph() {
    let Some(rig) = rig_with_events() else { return };
    let (kernel, data) = (rig.kernel("basic", "increment"), rig.shared(&[0i32; 64]));
    let before = rig.queue.marker(&[]).expect("urEnqueueEventsWait");
    let waits = [&before];
    for place in [Place::default().signal(), Place::default().events(&waits)] {
        let buffer = empty(&rig, PLAIN);
        let appended = increment(&buffer, &kernel, &data, place);
        finalize(&buffer);
        rig.queue.begin_capture().expect("urQueueBeginGraphCaptureExp");
        expect!(check(rig.queue.run(&buffer, &[])), ERROR_GRAPH_CAPTURE_UNSUPPORTED);
        expect!(
            check(rig.queue.end_capture().map(drop)),
            ERROR_GRAPH_CAPTURE_INVALIDATED
        );
        // It runs as before.
        run(&rig.queue, &buffer);
        drop(buffer);
        appended
            .event
            .iter()
            .for_each(|event| event.wait().expect("urEventWait"));
    }
    assert_eq!(values::<i32>(&data), [2; 64]);
}

/// Each thread has a buffer, and gives its command an event for every run. All run on one queue.
#[test]
fn threads() {
    let Some(rig) = rig_with_events() else { return };
    let (kernel, shared) = (rig.kernel("basic", "increment"), queue(&rig, OUT_OF_ORDER));
    crate::threads::together(|_| {
        let data = rig.shared(&[0i32; 64]);
        let buffer = empty(&rig, UPDATABLE);
        let first = increment(&buffer, &kernel, &data, Place::default().signal().handle());
        finalize(&buffer);
        let mut signal = first.event.clone().expect("the event");
        for round in 1..=20 {
            enqueue(&shared, &buffer);
            signal.wait().expect("urEventWait");
            assert_eq!(values::<i32>(&data), [round; 64]);
            // SAFETY: the buffer is alive.
            signal = unsafe { buffer.update_signal(first.command()) }.expect("urCommandBufferUpdateSignalEventExp");
        }
        drop(buffer);
        fails(driver(&rig), &signal);
    });
}

/// One thread runs a buffer while another gives the command other events: each is signalled, or fails as the next comes.
#[test]
fn updates_during_runs() {
    let Some(rig) = rig_with_events() else { return };
    let (kernel, data) = (rig.kernel("basic", "increment"), rig.shared(&[0i32; 64]));
    let buffer = empty(&rig, UPDATABLE);
    let first = increment(&buffer, &kernel, &data, Place::default().signal().handle());
    finalize(&buffer);
    let mut signals = vec![first.event.clone().expect("the event")];
    std::thread::scope(|scope| {
        let runs = scope.spawn(|| {
            for _ in 0..100 {
                enqueue(&rig.queue, &buffer);
            }
            rig.queue.finish().expect("urQueueFinish");
        });
        for _ in 0..100 {
            // SAFETY: the buffer is alive.
            let signal = unsafe { buffer.update_signal(first.command()) };
            signals.push(signal.expect("urCommandBufferUpdateSignalEventExp"));
        }
        runs.join().expect("no panic");
    });
    drop(buffer);
    for signal in &signals {
        _ = signal.wait();
        let status = status(signal);
        assert!(
            [EventStatus::COMPLETE, EventStatus::ERROR].contains(&status),
            "{status:?}"
        );
    }
    assert_eq!(values::<i32>(&data), [100; 64]);
}

/// A run begins when its first command does, whichever that is, and ends with its last.
#[test]
fn times_of_a_run() {
    let Some(rig) = rig_with_events() else { return };
    let (kernel, other) = (rig.kernel("basic", "increment"), queue(&rig, OUT_OF_ORDER));
    let settings = CommandBufferSettings {
        profiled: true,
        ..PLAIN
    };
    // On an out-of-order queue the first one to begin may be any of those that wait for none.
    for (order, late) in [(QueueFlags::empty(), 1), (OUT_OF_ORDER, 1), (OUT_OF_ORDER, 0)] {
        let queue = queue(&rig, order | QueueFlags::PROFILING_ENABLE);
        let Some(user_event) = UserEvent::new(&other) else {
            return;
        };
        let data = [(); 2].map(|()| rig.shared(&[0i32; 64]));
        let (buffer, waits) = (empty(&rig, settings), [&user_event.event]);
        let appended: Vec<_> = (0..2)
            .map(|i| {
                let place = Place::default().signal();
                let place = if i == late { place.events(&waits) } else { place };
                increment(&buffer, &kernel, &data[i], place)
            })
            .collect();
        finalize(&buffer);
        let ran = enqueue(&queue, &buffer);
        event(&appended[1 - late]).wait().expect("urEventWait");
        let (between, _) = rig.device.timestamps().expect("urDeviceGetGlobalTimestamps");
        user_event.complete();
        ran.wait().expect("urEventWait");
        let time = |what| ran.profiling::<u64>(what).expect("a time");
        let (start, end) = (time(ProfilingInfo::COMMAND_START), time(ProfilingInfo::COMMAND_END));
        assert!(
            start < between && between < end,
            "number {late} is late, on a queue {order:?}: from {start} to {end}, and in between {between}"
        );
    }
}
