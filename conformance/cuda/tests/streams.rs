// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The order of commands in and between queues, where commands begin late (`FAKE_CUDA_DELAY`): what is not waited for
//! is not there yet.

use std::ptr::null_mut;

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::run_test;

use crate::Rig;

/// Runs a test in a process whose driver is slow; `false` says that this is that process.
fn slowly(test: &str) -> bool {
    const CHILD: &str = "OXUR_CUDA_SLOW";
    if std::env::var_os(CHILD).is_some() {
        return false;
    }
    run_test(test, &[(CHILD, "1"), ("FAKE_CUDA_DELAY", "300")]).passed();
    true
}

/// A copy of four bytes.
fn copy(queue: &Queue, to: *mut u32, from: *const u32, wait: &[&Event]) -> Event {
    // SAFETY: places in USM that lives until the test has waited.
    unsafe { queue.memcpy(false, to.cast(), from.cast(), 4, wait) }.expect("urEnqueueUSMMemcpy")
}

/// A random graph of copies over several queues in and out of order. Each command writes a place of its own, from a
/// place of one that it waits for; so the values tell whether all waited.
#[test]
fn events_order_random_graphs() {
    if slowly("streams::events_order_random_graphs") {
        return;
    }
    let rig = Rig::new();
    let flags = [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE];
    let queues: Vec<Queue> = (0..4)
        .map(|at| Queue::new(&rig.context, &rig.device, flags[at % 2]).expect("urQueueCreate"))
        .collect();
    let mut seed = 12345_u64;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for round in 0..20_u32 {
        const COMMANDS: usize = 60;
        let places = rig.shared(&[0_u32; COMMANDS]);
        let base: *mut u32 = places.ptr().cast();
        let mut events: Vec<Option<Event>> = Vec::new();
        for at in 0..COMMANDS {
            let queue = &queues[random(queues.len())];
            // SAFETY: places inside of the memory.
            let event = unsafe {
                // Events that were dropped cannot be waited for.
                match events.iter().rposition(Option::is_some).filter(|_| random(8) != 0) {
                    Some(last) => {
                        let from = (0..=last)
                            .rev()
                            .find(|&at| events[at].is_some() && random(3) == 0)
                            .unwrap_or(last);
                        let wait = [events[from].as_ref().expect("it is there")];
                        copy(queue, base.add(at), base.add(from), &wait)
                    }
                    None => queue
                        .memset(base.add(at).cast(), &[round + 1], 4, &[])
                        .expect("urEnqueueUSMFill"),
                }
            };
            events.push((random(4) != 0).then_some(event));
        }
        queues.iter().for_each(|queue| queue.finish().expect("urQueueFinish"));
        // SAFETY: all commands are complete.
        let values = unsafe { places.as_slice::<u32>() };
        assert!(
            values.iter().all(|value| *value == round + 1),
            "round {round}: {values:?}"
        );
    }
}

#[test]
fn barriers_of_out_of_order_queues() {
    if slowly("streams::barriers_of_out_of_order_queues") {
        return;
    }
    let rig = Rig::new();
    let queue =
        Queue::new(&rig.context, &rig.device, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE).expect("urQueueCreate");
    let fns = crate::loader().fns();
    for _ in 0..20 {
        let places = rig.shared(&[0_u32; 32]);
        let base: *mut u32 = places.ptr().cast();
        // SAFETY: places inside of the memory; live handles.
        unsafe {
            for at in 0..16 {
                queue
                    .memset(base.add(at).cast(), &[at as u32 + 1], 4, &[])
                    .expect("urEnqueueUSMFill");
            }
            fns.urEnqueueEventsWaitWithBarrier(queue.raw(), 0, std::ptr::null(), null_mut())
                .expect("a barrier");
            for at in 0..16 {
                copy(&queue, base.add(16 + at), base.add(at), &[]);
            }
        }
        queue.finish().expect("urQueueFinish");
        // SAFETY: all commands are complete.
        let values = unsafe { places.as_slice::<u32>() };
        assert!((0..16).all(|at| values[16 + at] == at as u32 + 1), "{values:?}");
    }
}

#[test]
fn memory_that_is_freed_in_use() {
    if slowly("streams::memory_that_is_freed_in_use") {
        return;
    }
    let rig = Rig::new();
    for round in 0..50_u32 {
        let result = rig.shared(&[0_u32; 1024]);
        let size = 4096;
        let first = Usm::device(&rig.context, &rig.device, size, UsmRequest::default()).expect("memory");
        // SAFETY: memory of that size; what is freed is used by commands that were enqueued before.
        unsafe {
            rig.queue
                .memset(first.ptr(), &[round], size, &[])
                .expect("urEnqueueUSMFill");
            rig.queue
                .memcpy(false, result.ptr(), first.ptr(), size, &[])
                .expect("urEnqueueUSMMemcpy");
            drop(first);
            // The next allocation is another one while the commands are not complete.
            let second = Usm::device(&rig.context, &rig.device, size, UsmRequest::default()).expect("memory");
            let other = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
            other
                .memset(second.ptr(), &[u32::MAX], size, &[])
                .expect("urEnqueueUSMFill");
            other.finish().expect("urQueueFinish");
        }
        rig.queue.finish().expect("urQueueFinish");
        // SAFETY: all commands are complete.
        assert!(unsafe { result.as_slice::<u32>() }.iter().all(|word| *word == round));
    }
}

/// Threads share a queue in order. Some keep the events of their commands, some wait for one, some for the queue: whatever comes
/// between a command and its event, what is waited for is there.
#[test]
fn threads_share_a_queue() {
    if slowly("streams::threads_share_a_queue") {
        return;
    }
    const THREADS: usize = 4;
    const COMMANDS: usize = 60;
    let rig = Rig::new();
    let source = rig.shared(&[1_u32]);
    let places = rig.shared(&[0_u32; THREADS * COMMANDS]);
    let is_there = |at: usize| {
        // SAFETY: a place in the memory, which its one command has written.
        unsafe { places.ptr().cast::<u32>().add(at).read_volatile() == 1 }
    };
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (rig, source, places) = (&rig, &source, &places);
            scope.spawn(move || {
                let mut kept = Vec::new();
                for at in (0..COMMANDS).map(|at| thread * COMMANDS + at) {
                    // SAFETY: a place inside of the memory.
                    let to = unsafe { places.ptr().cast::<u32>().add(at) };
                    let event = copy(&rig.queue, to, source.ptr().cast(), &[]);
                    match (at * 7 + thread) % 5 {
                        0 => drop(event),
                        1 => kept.push((at, event)),
                        2 => {
                            event.wait().expect("urEventWait");
                            assert!(is_there(at), "{at}");
                        }
                        3 => {
                            rig.queue.finish().expect("urQueueFinish");
                            assert!(is_there(at), "{at}");
                        }
                        _ => {
                            kept.push((at, event));
                            let (first, event) = kept.remove(0);
                            event.wait().expect("urEventWait");
                            assert!(is_there(first), "{first}");
                        }
                    }
                }
                for (at, event) in kept {
                    event.wait().expect("urEventWait");
                    assert!(is_there(at), "{at}");
                }
            });
        }
    });
    rig.queue.finish().expect("urQueueFinish");
    assert!((0..THREADS * COMMANDS).all(is_there));
}

/// Copies that block and leave no event, on queues that are known to be idle and on those that are not.
#[test]
fn short_copies_that_block() {
    if slowly("streams::short_copies_that_block") {
        return;
    }
    let rig = Rig::new();
    let fns = crate::loader().fns();
    let program = rig.program();
    for flags in [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queue = Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate");
        let memory = Usm::device(&rig.context, &rig.device, 4, UsmRequest::default()).expect("memory");
        // Pinned: the driver waits for copies of other memory by itself.
        let host = Usm::host(&rig.context, 4, UsmRequest::default()).expect("memory");
        for round in 0..60_u32 {
            let mut global = 0_u32;
            let block = |to: *mut u32, from: *const u32| {
                // SAFETY: places of this size; a live queue.
                unsafe {
                    fns.urEnqueueUSMMemcpy(
                        queue.raw(),
                        true,
                        to.cast(),
                        from.cast(),
                        4,
                        0,
                        std::ptr::null(),
                        null_mut(),
                    )
                }
                .expect("urEnqueueUSMMemcpy");
            };
            // SAFETY: memory of this size, which lives until all is complete.
            let fill = || drop(unsafe { queue.memset(memory.ptr(), &[round], 4, &[]) }.expect("urEnqueueUSMFill"));
            // What is read was written by a command that is not waited for, or by one that was.
            match round % 3 {
                0 if flags == QueueFlags::empty() => fill(),
                0 | 1 => {
                    fill();
                    queue.finish().expect("urQueueFinish");
                }
                _ => {
                    // SAFETY: memory of this size, which no command uses.
                    unsafe { host.ptr().cast::<u32>().write_volatile(round) };
                    block(memory.ptr().cast(), host.ptr().cast());
                    // SAFETY: as above.
                    unsafe { host.ptr().cast::<u32>().write_volatile(u32::MAX) };
                }
            }
            block(host.ptr().cast(), memory.ptr().cast());
            // SAFETY: memory of this size, which no command uses.
            assert_eq!(unsafe { host.ptr().cast::<u32>().read_volatile() }, round);
            // The value of the global may be what a command brings that may not be complete.
            if flags == QueueFlags::empty() && round % 2 == 0 {
                drop(copy(&queue, &raw mut global, memory.ptr().cast(), &[]));
            } else {
                global = round;
            }
            // SAFETY: the variable has this size; live handles.
            unsafe {
                let (name, none) = (c"counter".as_ptr(), std::ptr::null());
                let from = (&raw const global).cast();
                fns.urEnqueueDeviceGlobalVariableWrite(
                    queue.raw(),
                    program.raw(),
                    name,
                    true,
                    4,
                    0,
                    from,
                    0,
                    none,
                    null_mut(),
                )
                .expect("urEnqueueDeviceGlobalVariableWrite");
            }
            let mut counter = [0_u32];
            let event = rig.queue.global_read(&program, "counter", 0, &mut counter, &[]);
            event.expect("read").wait().expect("urEventWait");
            assert_eq!(counter, [round]);
        }
    }
}
