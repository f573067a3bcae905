// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A device that is lost while commands wait: in its queues, behind tasks of the host, in command buffers and graphs, with
//! callbacks, and with threads that wait for them. All learn of it, and all goes that is released.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::run_test;

use crate::spins::Spin;
use crate::{Rig, code};

const SIZE: usize = 1000;

/// How long it may take until an event says that the device is lost.
const SOON: Duration = Duration::from_secs(120);

/// Runs a test in a process whose device is lost; `false` says that this is that process, which ends after some time.
fn elsewhere(test: &str) -> bool {
    const CHILD: &str = "OXUR_CUDA_LOST";
    if std::env::var_os(CHILD).is_none() {
        let variables = [(CHILD, "1"), ("UR_LOG_CUDA", "level:warning;output:stderr")];
        let log = run_test(&format!("lost::{test}"), &variables).passed().log;
        assert!(log.contains("a kernel used memory that is not there"), "{log}");
        return true;
    }
    unsafe extern "C" {
        safe fn alarm(seconds: u32) -> u32;
    }
    alarm(240);
    false
}

fn status(event: &Event) -> EventStatus {
    event.info(EventInfo::COMMAND_EXECUTION_STATUS).expect("the status")
}

/// Calls back, and counts.
fn count(event: &Event, calls: &Arc<AtomicUsize>) {
    let calls = calls.clone();
    let counted = event.on(ExecutionInfo::COMPLETE, move |_| {
        _ = calls.fetch_add(1, Ordering::AcqRel)
    });
    counted.expect("urEventSetCallback");
}

/// Waits until the callbacks were called and the events say that they have failed; then who waits for them is told so.
fn assert_lost(events: &[(&str, &Event)], calls: &AtomicUsize) {
    let since = Instant::now();
    let in_time = |what: &str| assert!(since.elapsed() < SOON, "{what} is not over");
    for (name, event) in events {
        while status(event) != EventStatus::ERROR {
            assert_ne!(status(event), EventStatus::COMPLETE, "{name}");
            in_time(name);
            std::thread::yield_now();
        }
    }
    while calls.load(Ordering::Acquire) < events.len() {
        in_time("a callback");
        std::thread::yield_now();
    }
    for (name, event) in events {
        assert_eq!(code(event.wait()), ResultCode::ERROR_DEVICE_LOST, "{name}");
        assert_eq!(status(event), EventStatus::ERROR, "{name}");
    }
    assert_eq!(calls.load(Ordering::Acquire), events.len(), "callbacks are called once");
}

/// A task that waits for its sender; it tells that it was called.
unsafe extern "C" fn task(data: *mut c_void) {
    // SAFETY: what `gate` gives; a task is called once.
    let (opened, calls) = *unsafe { Box::from_raw(data.cast::<(Receiver<()>, Arc<AtomicUsize>)>()) };
    calls.fetch_add(1, Ordering::AcqRel);
    _ = opened.recv_timeout(SOON);
}

fn gate(queue: &Queue, opened: Receiver<()>, calls: &Arc<AtomicUsize>, wait: &[&Event]) -> Event {
    let data = Box::into_raw(Box::new((opened, calls.clone())));
    // SAFETY: the task is called once at most, with what it takes.
    unsafe { queue.host_task(Some(task), data.cast(), wait) }.expect("urEnqueueHostTaskExp")
}

/// Commands of several queues, with times and without, that wait for a kernel that fails; threads wait for them.
#[test]
fn commands_of_queues() {
    if elsewhere("commands_of_queues") {
        return;
    }
    let rig = Rig::new();
    let queue = |flags| Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate");
    let unordered = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let queues = [
        QueueFlags::PROFILING_ENABLE,
        unordered,
        unordered | QueueFlags::PROFILING_ENABLE,
    ]
    .map(queue);
    let memory = Usm::device(&rig.context, &rig.device, SIZE, UsmRequest::default()).expect("urUSMDeviceAlloc");
    let spin = Spin::failing(&rig);
    let calls = Arc::default();
    // SAFETY: memory of this size, which lives until the commands are over.
    let fill = |queue: &Queue, wait: &[&Event]| unsafe { queue.memset(memory.ptr(), &[1_u8], SIZE, wait) };
    let behind = fill(&rig.queue, &[]).expect("a fill");
    let others: Vec<Event> = queues
        .iter()
        .map(|queue| fill(queue, &[&behind]).expect("a fill"))
        .collect();
    let barrier = queues[1].barrier(&[]).expect("a barrier");
    let last = fill(&queues[1], &[]).expect("a fill");
    let mut events = vec![
        ("the kernel", &spin.event),
        ("behind it", &behind),
        ("a barrier", &barrier),
        ("the last", &last),
    ];
    events.extend(others.iter().map(|event| ("another queue", event)));
    events.iter().for_each(|(_, event)| count(event, &calls));
    std::thread::scope(|scope| {
        let wait = |event: &Event| assert_eq!(code(event.wait()), ResultCode::ERROR_DEVICE_LOST);
        for (_, event) in &events {
            scope.spawn(move || wait(event));
        }
        for queue in queues.iter().chain([&rig.queue]) {
            scope.spawn(|| assert_eq!(code(queue.finish()), ResultCode::ERROR_DEVICE_LOST));
        }
        std::thread::sleep(Duration::from_millis(50));
        spin.end();
    });
    assert_lost(&events, &calls);
    assert_eq!(code(fill(&queues[1], &[&behind])), ResultCode::ERROR_DEVICE_LOST);
}

/// Tasks of the host that wait for the kernel, which are never called, and commands behind them; commands that wait for a task
/// and the kernel; copies of pageable memory.
#[test]
fn commands_that_the_host_holds_up() {
    held_up("commands_that_the_host_holds_up", QueueFlags::empty());
}

#[test]
fn commands_that_the_host_holds_up_out_of_order() {
    let unordered = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;
    held_up("commands_that_the_host_holds_up_out_of_order", unordered);
}

fn held_up(test: &str, flags: QueueFlags) {
    if elsewhere(test) {
        return;
    }
    let rig = Rig::new();
    let queue = Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate");
    let free = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    let memory = Usm::device(&rig.context, &rig.device, SIZE, UsmRequest::default()).expect("urUSMDeviceAlloc");
    let host: &'static mut [u8] = Box::leak(vec![0; SIZE].into_boxed_slice());
    let (calls, tasks, free_tasks) = (Arc::default(), Arc::default(), Arc::default());
    let (open, opened) = channel();
    let open_task = gate(&free, opened, &free_tasks, &[]);
    let spin = Spin::failing(&rig);
    let (_never, opened) = channel();
    let waiting = gate(&queue, opened, &tasks, &[&spin.event]);
    // SAFETY: memory of this size, which lives until the commands are over.
    let (behind, copied, both, after_both) = unsafe {
        let behind = queue.memset(memory.ptr(), &[1_u8], SIZE, &[&waiting]).expect("a fill");
        let from = memory.ptr().cast_const();
        let copied = queue
            .memcpy(false, host.as_mut_ptr().cast(), from, SIZE, &[&behind])
            .expect("a copy");
        let both = free
            .memset(memory.ptr(), &[2_u8], SIZE, &[&open_task, &spin.event])
            .expect("a fill");
        let after_both = queue.memset(memory.ptr(), &[2_u8], SIZE, &[&both]).expect("a fill");
        (behind, copied, both, after_both)
    };
    let events = [
        ("the kernel", &spin.event),
        ("a task", &waiting),
        ("behind a task", &behind),
        ("a pageable copy", &copied),
        ("behind a task and the kernel", &both),
        ("behind that", &after_both),
    ];
    events.iter().for_each(|(_, event)| count(event, &calls));
    std::thread::scope(|scope| {
        for queue in [&queue, &rig.queue] {
            scope.spawn(|| assert_eq!(code(queue.finish()), ResultCode::ERROR_DEVICE_LOST));
        }
        for (_, event) in &events[..3] {
            scope.spawn(|| assert_eq!(code(event.wait()), ResultCode::ERROR_DEVICE_LOST));
        }
        std::thread::sleep(Duration::from_millis(50));
        spin.end();
    });
    // It runs on the host, and ends.
    open.send(()).expect("the task runs");
    assert_lost(&events, &calls);
    assert_eq!(
        tasks.load(Ordering::Acquire),
        0,
        "what waits for a lost device is not called"
    );
    assert_eq!(free_tasks.load(Ordering::Acquire), 1);
}

/// Runs of command buffers that are graphs, of such that are none, and of captured graphs.
#[test]
fn command_buffers_and_graphs() {
    if elsewhere("command_buffers_and_graphs") {
        return;
    }
    let rig = Rig::new();
    let unordered = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let queue = Queue::new(&rig.context, &rig.device, unordered).expect("urQueueCreate");
    let free = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    let memory = Usm::device(&rig.context, &rig.device, SIZE, UsmRequest::default()).expect("urUSMDeviceAlloc");
    let buffer = |is_graph: bool| {
        let settings = CommandBufferSettings::default();
        let buffer = CommandBuffer::new(&rig.context, &rig.device, settings).expect("urCommandBufferCreateExp");
        // SAFETY: memory of this size, which lives until the runs are over.
        unsafe {
            let first = buffer.memset(memory.ptr(), &[1_u8], SIZE, &[]).expect("a fill");
            if !is_graph {
                // No node can do that.
                buffer
                    .memset(memory.ptr(), &[1_u8; 100], SIZE, &[first.point])
                    .expect("a fill");
            }
        }
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        buffer
    };
    let buffers = [buffer(true), buffer(false), buffer(true)];
    // SAFETY: as above.
    let graph = free.capture(|| unsafe { queue_fill(&free, &memory) }).expect("a graph");
    let executable = graph.instantiate().expect("urGraphInstantiateGraphExp");
    let (calls, tasks) = (Arc::default(), Arc::default());
    let spin = Spin::failing(&rig);
    let (_never, opened) = channel();
    let waiting = gate(&free, opened, &tasks, &[&spin.event]);
    let run = |queue: &Queue, buffer: &CommandBuffer, wait: &[&Event]| {
        queue.run(buffer, wait).expect("urEnqueueCommandBufferExp")
    };
    let first = run(&queue, &buffers[0], &[&spin.event]);
    let second = run(&queue, &buffers[0], &[&first]);
    let software = run(&queue, &buffers[1], &[&spin.event]);
    let held = run(&queue, &buffers[2], &[&waiting]);
    let held_again = run(&queue, &buffers[2], &[]);
    // SAFETY: as above.
    let captured = unsafe { queue.run_graph(&executable, &[&spin.event]) }.expect("urEnqueueGraphExp");
    let events = [
        ("the kernel", &spin.event),
        ("a task", &waiting),
        ("a graph", &first),
        ("its next run", &second),
        ("commands one by one", &software),
        ("a graph behind a task", &held),
        ("its next run", &held_again),
        ("a captured graph", &captured),
    ];
    events.iter().for_each(|(_, event)| count(event, &calls));
    spin.end();
    assert_lost(&events, &calls);
    assert_eq!(code(queue.finish()), ResultCode::ERROR_DEVICE_LOST);
    assert!(queue.run(&buffers[0], &[]).is_err());
}

/// # Safety
/// The memory lives until the command is over.
unsafe fn queue_fill(queue: &Queue, memory: &Usm) -> Result<()> {
    // SAFETY: passed on to the caller.
    unsafe { queue.memset(memory.ptr(), &[3_u8], SIZE, &[]) }.map(drop)
}

/// Everything is released while commands wait for the kernel; then it fails.
#[test]
fn what_was_released_before() {
    if elsewhere("what_was_released_before") {
        return;
    }
    let rig = Rig::new();
    let spin = Spin::failing(&rig);
    let (calls, tasks) = (Arc::default(), Arc::default());
    for flags in [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queue = Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate");
        let memory = Usm::device(&rig.context, &rig.device, SIZE, UsmRequest::default()).expect("urUSMDeviceAlloc");
        let (_never, opened) = channel();
        let waiting = gate(&queue, opened, &tasks, &[&spin.event]);
        // SAFETY: the adapter keeps freed memory until the command is over.
        let behind = unsafe { queue.memset(memory.ptr(), &[1_u8], SIZE, &[&waiting]) }.expect("a fill");
        count(&waiting, &calls);
        count(&behind, &calls);
    }
    spin.end();
    let since = Instant::now();
    while calls.load(Ordering::Acquire) < 4 {
        assert!(since.elapsed() < SOON, "a callback is not called");
        std::thread::yield_now();
    }
    assert_eq!(code(rig.queue.finish()), ResultCode::ERROR_DEVICE_LOST);
}
