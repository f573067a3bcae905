// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Twenty threads at once.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Context, Kernel, Queue, Range, Usm, UsmRequest};
use oxur_conformance::{Rig, UserEvent, intel, is_complete, ur, values};

const THREADS: usize = 20;

pub fn together(work: impl Fn(usize) + Sync) {
    let barrier = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (work, barrier) = (&work, &barrier);
            scope.spawn(move || {
                barrier.wait();
                work(thread);
            });
        }
    });
}

#[test]
fn contexts_and_queues() {
    let rig = Rig::new();
    together(|_| {
        for _ in 0..10 {
            let context = Context::new(&[&rig.device]).expect("urContextCreate");
            let queue = Queue::new(&context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
            queue.finish().expect("urQueueFinish");
        }
    });
}

#[test]
fn queries() {
    let rig = Rig::new();
    let name: String = rig.device.info(DeviceInfo::NAME).expect("the name");
    together(|_| {
        for _ in 0..100 {
            assert_eq!(rig.device.info::<String>(DeviceInfo::NAME).expect("the name"), name);
            drop(rig.context.clone());
        }
    });
    let count: u32 = rig.context.info(ContextInfo::REFERENCE_COUNT).expect("the count");
    assert!(
        count == 1 || intel("references get lost when threads count at once"),
        "{count}"
    );
}

#[test]
fn allocations() {
    let rig = Rig::new();
    together(|thread| {
        for round in 1..50 {
            let mut usm = Usm::host(&rig.context, round * 64, UsmRequest::default()).expect("urUSMHostAlloc");
            // SAFETY: host memory that no command uses; every byte is written before it is read.
            let bytes = unsafe { usm.as_mut_slice::<u8>() };
            bytes.fill(thread as u8);
            assert!(bytes.iter().all(|byte| *byte == thread as u8));
        }
    });
}

#[test]
fn one_queue() {
    let rig = Rig::new();
    let counter = rig.shared(&[0i32]);
    let program = rig.program("basic");
    together(|_| {
        let count = Kernel::new(&program, "count").expect("urKernelCreate");
        for _ in 0..20 {
            rig.start(&count, &Range::new([10]), &[Arg::Pointer(counter.ptr())], &[])
                .expect("launch");
        }
    });
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!(values::<i32>(&counter), [(THREADS * 200) as i32]);
}

/// Launches in one thread while another one does something `else`, in queues of both orders.
fn beside_launches(rig: &Rig, something_else: impl Fn(&Queue) + Sync) {
    const ITEMS: usize = 10_000;
    let program = rig.program("basic");
    let fill = Kernel::new(&program, "fill").expect("urKernelCreate");
    for (flags, seconds) in [(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE, 5), (QueueFlags::empty(), 1)] {
        let queue = Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate");
        let (data, over) = (rig.shared(&[0i32; ITEMS]), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    something_else(&queue);
                }
            });
            let (since, mut rounds) = (Instant::now(), 0);
            while since.elapsed() < Duration::from_secs(seconds) {
                rounds += 1;
                let args = [Arg::Pointer(data.ptr()), Arg::value(&rounds)];
                for _ in 0..5 {
                    // SAFETY: the kernel writes as many values as there are, which live until the wait.
                    unsafe { queue.launch(&fill, &Range::new([ITEMS]), &args, &[]) }.expect("launch");
                }
                queue.finish().expect("urQueueFinish");
                assert_eq!(values::<i32>(&data)[ITEMS - 1], rounds);
            }
            over.store(true, Ordering::Relaxed);
            println!("{flags:?}: {rounds} rounds");
        });
    }
}

/// A thread that frees has to learn which commands are unfinished, of any queue: it may submit something to find out.
#[test]
fn memory_is_freed_beside_launches() {
    let rig = Rig::new();
    beside_launches(&rig, |_| {
        for size in [64, 4096, 3 << 20] {
            Usm::shared(&rig.context, &rig.device, size, UsmRequest::default()).expect("urUSMSharedAlloc");
        }
    });
}

#[test]
fn markers_and_barriers_beside_launches() {
    if intel("the driver crashes (docs/known-issues.md)") {
        return;
    }
    let rig = Rig::new();
    beside_launches(&rig, |queue| {
        for event in [queue.marker(&[]), queue.barrier(&[])] {
            let event = event.expect("the event");
            // Two threads that wait can wait for each other: a flaw of Intel's driver (docs/known-issues.md).
            while !is_complete(&event) {
                std::hint::spin_loop();
            }
        }
    });
}

#[test]
fn a_queue_each() {
    let rig = Rig::new();
    let program = rig.program("basic");
    together(|thread| {
        let queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
        let (fill, data) = (
            Kernel::new(&program, "fill").expect("urKernelCreate"),
            rig.shared(&[0i32; 64]),
        );
        for round in 0..20 {
            let value = (thread * 1000 + round) as i32;
            let args = [Arg::Pointer(data.ptr()), Arg::value(&value)];
            // SAFETY: the kernel writes 64 values, which live until the wait.
            let event = unsafe { queue.launch(&fill, &Range::new([64]), &args, &[]) }.expect("launch");
            event.wait().expect("urEventWait");
            assert_eq!(values::<i32>(&data), [value; 64]);
        }
    });
}

#[test]
fn one_kernel() {
    // A launch that carries its arguments must not take another thread's.
    if intel("a launch sets the arguments and launches without a lock") {
        return;
    }
    let rig = Rig::new();
    let fill = rig.kernel("basic", "fill");
    together(|thread| {
        let queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
        let data = rig.shared(&[-1i32; 64]);
        for round in 0..20 {
            let value = (thread * 1000 + round) as i32;
            let args = [Arg::Pointer(data.ptr()), Arg::value(&value)];
            // SAFETY: the kernel writes 64 values, which live until the wait.
            let event = unsafe { queue.launch_with_args(&fill, &Range::new([64]), &args, &[]) }.expect("launch");
            event.wait().expect("urEventWait");
            assert_eq!(values::<i32>(&data), [value; 64]);
        }
    });
}

#[test]
fn builds() {
    let rig = Rig::new();
    together(|_| {
        Kernel::new(&rig.program("link_function"), "none").expect_err("no such kernel");
        rig.kernel("globals", "sum_numbers");
    });
}

/// Threads of this process.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").expect("the threads").count()
}

unsafe extern "C" fn count(data: *mut c_void) {
    // SAFETY: the tests give a counter that lives until the queue is finished.
    unsafe { &*data.cast::<AtomicUsize>() }.fetch_add(1, Ordering::Relaxed);
}

unsafe extern "C" fn meet(data: *mut c_void) {
    // SAFETY: the tests give a barrier that lives until the queue is finished.
    unsafe { &*data.cast::<Barrier>() }.wait();
}

/// Enqueues a host task, where the stack has any.
fn host_task(queue: &Queue, function: unsafe extern "C" fn(*mut c_void), data: *mut c_void) -> ResultCode {
    let (queue, none, place) = (queue.raw(), std::ptr::null(), std::ptr::null_mut());
    ur!(urEnqueueHostTaskExp(
        queue,
        Some(function),
        data,
        none,
        0,
        std::ptr::null(),
        place
    ))
}

#[test]
fn host_tasks_that_wait_for_their_turn_take_no_threads() {
    const TASKS: usize = 300;
    let rig = Rig::new();
    for flags in [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queue = Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate");
        let Some(user_event) = UserEvent::new(&rig.queue) else {
            return;
        };
        let (called, before) = (AtomicUsize::new(0), threads());
        queue.barrier(&[&user_event.event]).expect("barrier");
        for _ in 0..TASKS {
            let data = (&raw const called).cast_mut().cast();
            assert_eq!(host_task(&queue, count, data), ResultCode::SUCCESS);
        }
        queue.flush().expect("urQueueFlush");
        let (more, early) = (threads().saturating_sub(before), called.load(Ordering::Relaxed));
        user_event.complete();
        queue.finish().expect("urQueueFinish");
        assert_eq!(called.into_inner(), TASKS);
        assert_eq!(early, 0, "they come after the barrier");
        assert!(more < TASKS / 4, "{more} threads more for {TASKS} tasks");
    }
}

/// Each task that runs may wait for all others.
#[test]
fn host_tasks_wait_for_each_other() {
    const TASKS: usize = 40;
    let rig = Rig::new();
    let flags = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let queue = Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate");
    if UserEvent::new(&queue).map(UserEvent::complete).is_none() {
        return;
    }
    for _ in 0..3 {
        let barrier = Barrier::new(TASKS);
        for _ in 0..TASKS {
            let data = (&raw const barrier).cast_mut().cast();
            assert_eq!(host_task(&queue, meet, data), ResultCode::SUCCESS);
        }
        queue.finish().expect("urQueueFinish");
    }
}
