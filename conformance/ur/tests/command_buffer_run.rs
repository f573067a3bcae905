// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Runs of command buffers: order, queues, wait lists, events, times, release, threads.

use std::sync::mpsc::channel;
use std::time::Duration;

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, CommandBuffer, CommandBufferSettings, Event, Queue, Range, Usm};
use oxur_conformance::{PATIENCE, Rig, UserEvent, check, expect, intel, values};

use crate::command_buffer::{FIRST, IN_ORDER, PLAIN, UPDATABLE, empty, launch, queue, queues, rig, run};

const OUT_OF_ORDER: QueueFlags = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;

/// A finalized buffer that adds one to each value of `data`, `times` times one after the other.
fn incrementing(rig: &Rig, data: &Usm, times: usize) -> CommandBuffer {
    let (buffer, increment) = (empty(rig, PLAIN), rig.kernel("basic", "increment"));
    let mut last = Vec::new();
    for _ in 0..times {
        let args = [Arg::Pointer(data.ptr())];
        let next = launch(&buffer, &increment, data.len() / 4, &args, last.as_slice()).expect("a launch");
        last = vec![next.point];
    }
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    buffer
}

/// Starts what takes a while: it counts in `data` for `steps` steps.
fn slow(rig: &Rig, queue: &Queue, data: &Usm, steps: u32) -> Event {
    let (slow, args) = (
        rig.kernel("basic", "slow"),
        [Arg::Pointer(data.ptr()), Arg::value(&steps)],
    );
    // SAFETY: the kernel works on the values of `data`, which lives until the test has waited.
    unsafe { queue.launch(&slow, &Range::new([data.len() / 4]), &args, &[]) }.expect("launch")
}

pub fn status(event: &Event) -> EventStatus {
    event.info(EventInfo::COMMAND_EXECUTION_STATUS).expect("the status")
}

#[test]
fn repeated_runs_are_in_order() {
    let Some(rig) = rig() else { return };
    let data = rig.shared(&[0i32; 256]);
    let buffer = incrementing(&rig, &data, 3);
    let mut count = 0;
    for queue in queues(&rig) {
        for _ in 0..200 {
            queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
        }
        queue.finish().expect("urQueueFinish");
        count += 600;
        assert_eq!(values::<i32>(&data), [count; 256]);
    }
}

#[test]
fn runs_on_several_queues_are_in_order() {
    let Some(rig) = rig() else { return };
    if intel("runs of a command buffer on different queues do not wait for each other") {
        return;
    }
    let data = rig.shared(&[0i32; 256]);
    let buffer = incrementing(&rig, &data, 3);
    let [a, b, c, d] = [QueueFlags::empty(), OUT_OF_ORDER, QueueFlags::empty(), OUT_OF_ORDER].map(|f| queue(&rig, f));
    for _ in 0..50 {
        for queue in [&a, &b, &c, &d] {
            queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
        }
    }
    let last = b.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
    last.wait().expect("urEventWait");
    assert_eq!(values::<i32>(&data), [603; 256]);
    for queue in [&a, &b, &c, &d] {
        queue.finish().expect("urQueueFinish");
    }
}

/// A command that no driver's list has may come behind launches that are in one. The kernels have other arguments by then, and
/// are gone before the first run.
#[test]
fn launches_before_a_fill_with_an_odd_pattern() {
    let Some(rig) = rig() else { return };
    if intel("the adapter fills only with patterns whose size is a power of two") {
        return;
    }
    let (data, other) = (rig.shared(&[0i32; 64]), rig.shared(&[0i32; 64]));
    let bytes = rig.shared(&[0u8; 96]);
    let buffer = empty(&rig, IN_ORDER);
    {
        let [fill, reverse] = ["fill", "reverse_groups"].map(|name| rig.kernel("basic", name));
        for (at, value) in [(0, 3i32), (32, 4)] {
            let args = [Arg::Pointer(data.ptr().wrapping_byte_add(at * 4)), Arg::value(&value)];
            launch(&buffer, &fill, 32, &args, FIRST).expect("a launch");
        }
        let args = [Arg::Pointer(data.ptr()), Arg::Local(64 * 4)];
        // SAFETY: 64 values in one group, and local memory for it.
        unsafe { buffer.launch(&reverse, &Range::new([64]).local([64]), &args, &[], FIRST) }.expect("a launch");
        rig.run(
            &fill,
            &Range::new([64]),
            &[Arg::Pointer(other.ptr()), Arg::value(&9i32)],
        );
    }
    // SAFETY: there are so many bytes, which live to the end.
    unsafe { buffer.memset(bytes.ptr(), &[1u8, 2, 3], 96, FIRST) }.expect("a fill");
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    for queue in queues(&rig) {
        run(&queue, &buffer);
        assert_eq!(values::<i32>(&data), [[4; 32], [3; 32]].concat());
        assert_eq!(values::<i32>(&other), [9; 64]);
        assert_eq!(values::<u8>(&bytes), [1, 2, 3].repeat(32));
        run(&queue, &incrementing(&rig, &data, 1));
    }
}

#[test]
fn arguments_that_change_between_appends() {
    let Some(rig) = rig() else { return };
    let (kernel, range) = (rig.kernel("basic", "fill"), Range::new([64]));
    let data = [(); 6].map(|()| rig.shared(&[0i32; 64]));
    let args = |at: usize, value| [Arg::Pointer(data[at].ptr()), Arg::Value(value)];
    let bytes = [1i32, 2, 3, 4, 5, 6, 7].map(i32::to_ne_bytes);
    let buffer = empty(&rig, PLAIN);
    // SAFETY: the kernel fills as many values as there are, here and below; they live to the end.
    unsafe { buffer.launch_legacy(&kernel, &range, &args(0, &bytes[0]), &[], FIRST) }.expect("a launch");
    // The launch that was appended has arguments of its own: the kernel gets others, is launched, and appended again.
    rig.run(&kernel, &range, &args(1, &bytes[1]));
    // SAFETY: as above.
    unsafe {
        // What was set for the launch before is still set.
        buffer
            .launch_legacy(&kernel, &range, &args(2, &bytes[1]), &[], FIRST)
            .expect("a launch");
        buffer
            .launch_legacy(&kernel, &range, &args(3, &bytes[3]), &[], FIRST)
            .expect("a launch");
        rig.queue
            .launch_legacy(&kernel, &range, &args(1, &bytes[4]), &[])
            .expect("launch");
        launch(&buffer, &kernel, 64, &args(4, &bytes[3]), FIRST).expect("a launch");
        rig.queue
            .launch_legacy(&kernel, &range, &args(5, &bytes[4]), &[])
            .expect("launch");
    }
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    rig.queue.finish().expect("urQueueFinish");
    let contents = || [0, 1, 2, 3, 4, 5].map(|i: usize| values::<i32>(&data[i]).to_vec());
    assert_eq!(contents(), [0, 5, 0, 0, 0, 5].map(|value| vec![value; 64]));
    for queue in queues(&rig) {
        run(&queue, &buffer);
        assert_eq!(contents(), [1, 5, 2, 4, 4, 5].map(|value| vec![value; 64]));
        // Nor does a run change what the kernel has.
        rig.run(&kernel, &range, &args(0, &bytes[6]));
        rig.run(&kernel, &range, &args(5, &bytes[4]));
        assert_eq!(contents(), [7, 5, 2, 4, 4, 5].map(|value| vec![value; 64]));
    }
}

#[test]
fn a_queue_that_goes_between_runs() {
    let Some(rig) = rig() else { return };
    let data = rig.shared(&[0i32; 256]);
    let buffer = incrementing(&rig, &data, 3);
    for time in 1..20 {
        let queue = queue(
            &rig,
            if time % 2 == 0 {
                OUT_OF_ORDER
            } else {
                QueueFlags::empty()
            },
        );
        let event = queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
        drop(queue);
        event.wait().expect("urEventWait");
        assert_eq!(values::<i32>(&data), [time * 3; 256]);
    }
}

#[test]
fn commands_around_a_run() {
    let Some(rig) = rig() else { return };
    let (data, increment) = (rig.shared(&[0i32; 256]), rig.kernel("basic", "increment"));
    let buffer = incrementing(&rig, &data, 3);
    let (range, args) = (Range::new([256]), [Arg::Pointer(data.ptr())]);
    // On an in-order queue a run is a command like the others.
    let queue = queue(&rig, QueueFlags::empty());
    for _ in 0..100 {
        // SAFETY: 256 values, which live until the queue is finished.
        unsafe { queue.launch(&increment, &range, &args, &[]) }.expect("launch");
        queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
    }
    queue.finish().expect("urQueueFinish");
    assert_eq!(values::<i32>(&data), [400; 256]);
    // On one out of order events and barriers order it.
    let queue = crate::command_buffer::queue(&rig, OUT_OF_ORDER);
    for round in 0..100 {
        // SAFETY: as above.
        let before = unsafe { queue.launch(&increment, &range, &args, &[]) }.expect("launch");
        let during = queue.run(&buffer, &[&before]).expect("urEnqueueCommandBufferExp");
        if round % 2 == 0 {
            queue
                .marker(&[&during])
                .expect("urEnqueueEventsWait")
                .wait()
                .expect("urEventWait");
        } else {
            queue.barrier(&[]).expect("urEnqueueEventsWaitWithBarrier");
        }
    }
    queue.finish().expect("urQueueFinish");
    assert_eq!(values::<i32>(&data), [800; 256]);
}

#[test]
fn wait_lists() {
    let Some(rig) = rig() else { return };
    let data = [(); 4].map(|()| rig.shared(&[1u32; 64]));
    let out = [(); 4].map(|()| rig.shared(&[0u32; 64]));
    for settings in [PLAIN, IN_ORDER] {
        let buffer = empty(&rig, settings);
        // Four commands without an order among them: all wait.
        for (from, to) in data.iter().zip(&out) {
            // SAFETY: 256 bytes each, which live until the last run.
            unsafe { buffer.memcpy(to.ptr(), from.ptr(), 256, FIRST) }.expect("a copy");
        }
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        for queue in queues(&rig) {
            let others = [(); 4].map(|()| crate::command_buffer::queue(&rig, OUT_OF_ORDER));
            let steps = 200_000;
            let started: Vec<_> = others.iter().zip(&data).map(|(q, d)| slow(&rig, q, d, steps)).collect();
            let started: Vec<_> = started.iter().collect();
            // As OpenCL demands of who has one queue wait for another; without it Intel's driver now and then waits for ever.
            others.iter().for_each(|queue| queue.flush().expect("urQueueFlush"));
            let event = queue.run(&buffer, &started).expect("urEnqueueCommandBufferExp");
            event.wait().expect("urEventWait");
            for (from, to) in data.iter().zip(&out) {
                assert_eq!(values::<u32>(from), values::<u32>(to));
            }
        }
    }
}

#[test]
fn nothing_begins_before_the_events() {
    let Some(rig) = rig() else { return };
    let other = queue(&rig, OUT_OF_ORDER);
    let data = rig.shared(&[0i32; 64]);
    let buffer = incrementing(&rig, &data, 2);
    for queue in queues(&rig) {
        let before = values::<i32>(&data)[0];
        let Some(user_event) = UserEvent::new(&other) else {
            return;
        };
        let event = queue
            .run(&buffer, &[&user_event.event])
            .expect("urEnqueueCommandBufferExp");
        queue.flush().expect("urQueueFlush");
        std::thread::sleep(Duration::from_millis(20));
        user_event.assert_pending();
        assert_ne!(status(&event), EventStatus::COMPLETE);
        // SAFETY: the commands wait for the user event.
        assert_eq!(unsafe { data.ptr().cast::<i32>().read_volatile() }, before);
        user_event.complete();
        event.wait().expect("urEventWait");
        assert_eq!(values::<i32>(&data), [before + 2; 64]);
    }
}

#[test]
fn a_run_does_not_block() {
    let Some(rig) = rig() else { return };
    let other = queue(&rig, OUT_OF_ORDER);
    let data = rig.shared(&[0i32; 64]);
    let buffer = incrementing(&rig, &data, 2);
    for queue in queues(&rig) {
        let before = values::<i32>(&data)[0];
        let Some(user_event) = UserEvent::new(&other) else {
            return;
        };
        let first = queue
            .run(&buffer, &[&user_event.event])
            .expect("urEnqueueCommandBufferExp");
        // Nor do those that wait for it, on any queue, nor an update, nor a release.
        let mut last = first;
        for queue in [&queue, &other, &rig.queue] {
            last = queue.run(&buffer, &[&last]).expect("urEnqueueCommandBufferExp");
        }
        user_event.assert_pending();
        user_event.complete();
        last.wait().expect("urEventWait");
        assert_eq!(values::<i32>(&data), [before + 8; 64]);
    }
}

#[test]
fn the_event_of_a_run() {
    let Some(rig) = rig() else { return };
    let data = rig.shared(&[0i32; 64]);
    let buffer = incrementing(&rig, &data, 2);
    for queue in queues(&rig) {
        let event = queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
        let (sender, receiver) = channel();
        event
            .on(ExecutionInfo::COMPLETE, move |status| _ = sender.send(status))
            .expect("urEventSetCallback");
        event.wait().expect("urEventWait");
        assert_eq!(receiver.recv_timeout(PATIENCE), Ok(ExecutionInfo::COMPLETE));
        assert_eq!(status(&event), EventStatus::COMPLETE);
        let its_queue: QueueHandle = event.info(EventInfo::COMMAND_QUEUE).expect("the queue");
        assert_eq!(its_queue, queue.raw());
        let context: ContextHandle = event.info(EventInfo::CONTEXT).expect("the context");
        assert_eq!(context, rig.context.raw());
        let kind: CommandType = event.info(EventInfo::COMMAND_TYPE).expect("the type");
        assert!(
            kind == CommandType::ENQUEUE_COMMAND_BUFFER_EXP || intel("the adapter has no UR type for OpenCL's"),
            "{kind:?}"
        );
    }
}

#[test]
fn times_of_a_run() {
    let Some(rig) = rig() else { return };
    if intel("the driver's event of a run has the times of no command") {
        return;
    }
    let (slow, fill) = (rig.kernel("basic", "slow"), rig.kernel("basic", "fill"));
    let (data, other) = (rig.shared(&[0u32; 16]), rig.shared(&[0u32; 16]));
    let steps = 3_000_000u32;
    let (long, short) = (
        [Arg::Pointer(data.ptr()), Arg::value(&steps)],
        [Arg::Pointer(other.ptr()), Arg::value(&1i32)],
    );
    let took = |event: &Event| {
        let time = |what| event.profiling::<u64>(what).expect("a time");
        let (queued, submit) = (time(ProfilingInfo::COMMAND_QUEUED), time(ProfilingInfo::COMMAND_SUBMIT));
        let (start, end) = (time(ProfilingInfo::COMMAND_START), time(ProfilingInfo::COMMAND_END));
        assert!(
            queued <= submit && submit <= start && start <= end,
            "{queued} {submit} {start} {end}"
        );
        end - start
    };
    let alone = || {
        let event = rig.start(&slow, &Range::new([16]), &long, &[]).expect("launch");
        event.wait().expect("urEventWait");
        took(&event)
    };
    let mut least = alone();
    // The long command first, last and in the middle: a run begins with its first command and ends with its last.
    for place in 0..3 {
        let buffer = empty(
            &rig,
            CommandBufferSettings {
                profiled: true,
                ..PLAIN
            },
        );
        let mut last = Vec::new();
        for i in 0..3 {
            let appended = match i == place {
                true => launch(&buffer, &slow, 16, &long, last.as_slice()),
                false => launch(&buffer, &fill, 16, &short, last.as_slice()),
            };
            last = vec![appended.expect("a launch").point];
        }
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        for order in [QueueFlags::empty(), OUT_OF_ORDER] {
            let queue = queue(&rig, order | QueueFlags::PROFILING_ENABLE);
            let event = queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
            event.wait().expect("urEventWait");
            let whole = took(&event);
            // Of the short ones each is a thousand times as fast. What else the machine does must not matter: the long one may
            // have taken so long because of that.
            for _ in 0..20 {
                if whole < least / 50 {
                    least = least.min(alone());
                }
            }
            assert!(
                whole >= least / 50,
                "{whole} ns for all, {least} ns for the one that is number {place}, on a queue {order:?}"
            );
        }
    }
}

#[test]
fn no_times_without_profiling() {
    let Some(rig) = rig() else { return };
    let data = rig.shared(&[0i32; 64]);
    let buffer = incrementing(&rig, &data, 2);
    let event = queue(&rig, QueueFlags::empty())
        .run(&buffer, &[])
        .expect("urEnqueueCommandBufferExp");
    event.wait().expect("urEventWait");
    expect!(
        check(event.profiling::<u64>(ProfilingInfo::COMMAND_START)),
        ERROR_PROFILING_INFO_NOT_AVAILABLE
    );
}

#[test]
fn release_during_a_run() {
    let Some(rig) = rig() else { return };
    let steps = 300_000u32;
    for order in [QueueFlags::empty(), OUT_OF_ORDER] {
        let queue = queue(&rig, order);
        let slow = rig.kernel("basic", "slow");
        let data = [(); 8].map(|()| rig.shared(&[1u32; 64]));
        let events: Vec<_> = data
            .iter()
            .map(|data| {
                let buffer = empty(&rig, UPDATABLE);
                let mut last = Vec::new();
                for _ in 0..3 {
                    let args = [Arg::Pointer(data.ptr()), Arg::value(&steps)];
                    last = vec![
                        launch(&buffer, &slow, 64, &args, last.as_slice())
                            .expect("a launch")
                            .point,
                    ];
                }
                buffer.finalize().expect("urCommandBufferFinalizeExp");
                queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp")
                // The buffer goes here, while the commands run or wait to.
            })
            .collect();
        drop(slow);
        let mut expected = 1u32;
        for _ in 0..3 * steps {
            expected = expected.wrapping_mul(1664525).wrapping_add(1013904223);
        }
        for (event, data) in events.iter().zip(&data) {
            event.wait().expect("urEventWait");
            assert_eq!(values::<u32>(data), [expected; 64]);
        }
    }
}

#[test]
fn release_of_what_a_run_uses() {
    let Some(rig) = rig() else { return };
    let other = queue(&rig, OUT_OF_ORDER);
    let out = rig.shared(&[0i32; 64]);
    for queue in queues(&rig) {
        let Some(user_event) = UserEvent::new(&other) else {
            return;
        };
        let (fill, mem) = (rig.kernel("basic", "fill"), rig.buffer(&[0i32; 64]));
        let buffer = empty(&rig, IN_ORDER);
        let args = [Arg::mem(&mem), Arg::value(&6i32)];
        launch(&buffer, &fill, 64, &args, FIRST).expect("fill");
        // SAFETY: 256 bytes, which live until the wait.
        unsafe { buffer.read(&mem, 0, 256, out.ptr(), FIRST) }.expect("read");
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        let event = queue
            .run(&buffer, &[&user_event.event])
            .expect("urEnqueueCommandBufferExp");
        drop((fill, mem, queue));
        user_event.complete();
        event.wait().expect("urEventWait");
        drop(buffer);
        assert_eq!(values::<i32>(&out), [6; 64]);
        // SAFETY: host-visible memory that no command uses.
        unsafe { out.ptr().cast::<i32>().write_bytes(0, 64) };
    }
}

/// Arguments that were set one by one before the launch was appended, as clients of 2026.1 do.
#[test]
fn objects_that_were_set_live_as_long_as_they_are_needed() {
    let Some(rig) = rig() else { return };
    if intel("command buffers do not keep the objects among arguments that were set") {
        return;
    }
    let sum = rig.shared(&[0i32; 64]);
    let buffer = empty(&rig, UPDATABLE);
    let add = rig.kernel("basic", "add");
    {
        // Only the command buffer knows these when the block ends.
        let (first, second) = (rig.buffer(&[3i32; 64]), rig.buffer(&[4i32; 64]));
        let args = [Arg::mem(&first), Arg::mem(&second), Arg::Pointer(sum.ptr())];
        // SAFETY: 64 values each, and memory that lives until the last run.
        unsafe { buffer.launch_legacy(&add, &Range::new([64]), &args, &[], FIRST) }.expect("a launch");
        // What the kernel gets later is not the launch's.
        let other = rig.buffer(&[5i32; 64]);
        // SAFETY: no launch is made with it.
        unsafe { add.set_arg(0, Arg::mem(&other)) }.expect("urKernelSetArgMemObj");
    }
    // In the place of those that went, if they did.
    let _others = [(); 8].map(|()| rig.buffer(&[100i32; 64]));
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    for queue in queues(&rig) {
        run(&queue, &buffer);
        assert_eq!(values::<i32>(&sum), [7; 64]);
        // SAFETY: host-visible memory that no command uses.
        unsafe { sum.ptr().cast::<i32>().write_bytes(0, 64) };
    }
}

#[test]
fn threads_with_buffers_of_their_own() {
    let Some(rig) = rig() else { return };
    if intel("runs of many threads on one queue do not always come to an end") {
        return;
    }
    let increment = rig.kernel("basic", "increment");
    let shared = queue(&rig, OUT_OF_ORDER);
    crate::threads::together(|thread| {
        let data = rig.shared(&[0i32; 64]);
        for round in 1..=5 {
            let buffer = empty(&rig, if thread % 2 == 0 { PLAIN } else { IN_ORDER });
            let mut last = Vec::new();
            for _ in 0..10 {
                let args = [Arg::Pointer(data.ptr())];
                let appended = launch(&buffer, &increment, 64, &args, last.as_slice());
                last = vec![appended.expect("a launch").point];
            }
            buffer.finalize().expect("urCommandBufferFinalizeExp");
            for _ in 0..3 {
                shared.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
            }
            run(&shared, &buffer);
            assert_eq!(values::<i32>(&data), [round * 40; 64]);
        }
    });
}

#[test]
fn threads_with_one_buffer() {
    let Some(rig) = rig() else { return };
    if intel("runs of a command buffer on different queues do not wait for each other") {
        return;
    }
    let data = rig.shared(&[0i32; 64]);
    let buffer = incrementing(&rig, &data, 3);
    let shared = queues(&rig);
    // In Intel's driver threads that wait for commands of several queues at once may wait for ever, all inside of TBB: one
    // thread waits there, at the end.
    let backend: Backend = rig.platform.info(PlatformInfo::BACKEND).expect("the backend");
    let (waits, owns) = (backend != Backend::OPENCL, std::sync::Mutex::new(Vec::new()));
    crate::threads::together(|thread| {
        let own = queue(
            &rig,
            if thread % 2 == 0 {
                OUT_OF_ORDER
            } else {
                QueueFlags::empty()
            },
        );
        for round in 0..15 {
            let buffer = buffer.clone();
            let queue = [&own, &shared[0], &shared[1]][round % 3];
            let event = queue.run(&buffer, &[]).expect("urEnqueueCommandBufferExp");
            if waits && round % 4 == 3 {
                event.wait().expect("urEventWait");
            }
        }
        owns.lock().expect("no panic").push(own);
    });
    let owns = owns.into_inner().expect("no panic");
    for queue in owns.iter().chain(&shared) {
        queue.finish().expect("urQueueFinish");
    }
    assert_eq!(values::<i32>(&data), [20 * 15 * 3; 64]);
    let count: u32 = buffer.info(ExpCommandBufferInfo::REFERENCE_COUNT).expect("the count");
    assert_eq!(count, 1);
}

#[test]
fn threads_that_append_to_one_buffer() {
    let Some(rig) = rig() else { return };
    if intel("appends from several threads lose commands, as the adapter has no lock there") {
        return;
    }
    let (count, counter) = (rig.kernel("basic", "count"), rig.shared(&[0i32]));
    let buffer = empty(&rig, PLAIN);
    crate::threads::together(|_| {
        let mut last = Vec::new();
        for _ in 0..20 {
            let args = [Arg::Pointer(counter.ptr())];
            last = vec![
                launch(&buffer, &count, 10, &args, last.as_slice())
                    .expect("a launch")
                    .point,
            ];
        }
    });
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    for (queue, times) in queues(&rig).iter().zip(1..) {
        run(queue, &buffer);
        assert_eq!(values::<i32>(&counter), [4000 * times]);
    }
}
