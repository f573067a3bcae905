// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Event pools and their events.

use std::ptr::null_mut;
use std::thread;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Event, FOREVER, Pool, Rig, expect, handles_of, intel, ok, ze};

fn pool_desc(flags: ze_event_pool_flags_t, count: u32) -> ze_event_pool_desc_t {
    ze_event_pool_desc_t {
        flags,
        count,
        ..Default::default()
    }
}

/// zeEventPoolCreate: of all flags, for all devices or some.
#[test]
fn pools() {
    let rig = Rig::new();
    for flags in [
        0,
        ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
        ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
        ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
        ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP,
    ] {
        for count in [1, 7, 1000] {
            let desc = pool_desc(flags, count);
            Pool::new(&rig.context, &desc).event(count - 1);
            let (mut devices, mut pool) = ([rig.device], null_mut());
            ok!(zeEventPoolCreate(
                rig.context.raw(),
                &desc,
                1,
                devices.as_mut_ptr(),
                &mut pool
            ));
            Pool::from_raw(pool, None).event(0);
        }
    }
}

/// zeEventPoolCreate: `0xf < desc->flags` is an invalid enumeration; `0 == desc->count` and
/// `(nullptr == phDevices) && (0 < numDevices)` are invalid sizes.
#[test]
fn bad_pools() {
    let rig = Rig::new();
    let create = |desc: ze_event_pool_desc_t, count| {
        ze!(zeEventPoolCreate(
            rig.context.raw(),
            &desc,
            count,
            null_mut(),
            &mut null_mut()
        ))
    };
    assert_eq!(create(pool_desc(0x10, 1), 0), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_eq!(create(pool_desc(0, 0), 0), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_eq!(create(pool_desc(0, 1), 1), ZE_RESULT_ERROR_INVALID_SIZE);
}

/// zeEventCreate: `0x7 < desc->signal` and `0x7 < desc->wait` are invalid enumerations; an index "must be less than the count".
#[test]
fn bad_events() {
    let rig = Rig::new();
    let pool = rig.pool(2, 0);
    let good = ze_event_desc_t::default();
    for desc in [
        ze_event_desc_t { signal: 8, ..good },
        ze_event_desc_t { wait: 8, ..good },
    ] {
        expect!(
            zeEventCreate(pool.raw(), &desc, &mut null_mut()),
            ZE_RESULT_ERROR_INVALID_ENUMERATION
        );
    }
    let desc = ze_event_desc_t { index: 2, ..good };
    let result = ze!(zeEventCreate(pool.raw(), &desc, &mut null_mut()));
    assert_ne!(result, ZE_RESULT_SUCCESS, "an index behind the pool");
}

/// zeEventCreate: an event is not signalled, also where another was in the pool before.
#[test]
fn begins_unsignalled() {
    let rig = Rig::new();
    let pool = rig.pool(1, 0);
    for _ in 0..3 {
        let event = pool.event(0);
        assert!(!event.is_signalled());
        event.host_signal();
        assert!(event.is_signalled());
    }
}

/// zeEventHostSignal, zeEventHostReset, zeEventQueryStatus; twice is as once.
#[test]
fn signal_and_reset() {
    let rig = Rig::new();
    let event = rig.event();
    for _ in 0..3 {
        assert!(!event.is_signalled());
        event.host_signal();
        event.host_signal();
        assert!(event.is_signalled());
        expect!(zeEventHostSynchronize(event.raw(), 0), ZE_RESULT_SUCCESS);
        expect!(zeEventHostSynchronize(event.raw(), FOREVER), ZE_RESULT_SUCCESS);
        event.host_reset();
        event.host_reset();
    }
}

/// zeEventHostSynchronize: ZE_RESULT_NOT_READY when the time has passed; zero "operates exactly like zeEventQueryStatus".
#[test]
fn timeouts() {
    let rig = Rig::new();
    let event = rig.event();
    expect!(zeEventHostSynchronize(event.raw(), 0), ZE_RESULT_NOT_READY;
        intel ZE_RESULT_SUCCESS, "without a GPU waits end at once");
    for timeout in [1, 1000, 1_000_000] {
        expect!(zeEventHostSynchronize(event.raw(), timeout), ZE_RESULT_NOT_READY;
            intel ZE_RESULT_SUCCESS, "without a GPU waits end at once");
    }
}

/// zeEventHostSynchronize: another thread's signal ends the wait, of all threads that wait.
#[test]
fn signal_by_another_thread() {
    let rig = Rig::new();
    let event = rig.event();
    for _ in 0..100 {
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| event.wait());
            }
            event.host_signal();
        });
        event.host_reset();
    }
}

/// The events of a pool are independent.
#[test]
fn events_of_a_pool() {
    let rig = Rig::new();
    let events = rig.events(64);
    for event in events.iter().step_by(3) {
        event.host_signal();
    }
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event.is_signalled(), index % 3 == 0, "{index}");
    }
}

/// zeEventGetEventPool, zeEventGetSignalScope, zeEventGetWaitScope, zeEventPoolGetContextHandle, zeEventPoolGetFlags: what the
/// objects were created with.
#[test]
fn getters() {
    if intel("a driver of version 1.3 does not have these functions") {
        return;
    }
    let rig = Rig::new();
    let pool = rig.pool(1, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    let desc = ze_event_desc_t {
        signal: ZE_EVENT_SCOPE_FLAG_DEVICE,
        wait: ZE_EVENT_SCOPE_FLAG_HOST,
        ..Default::default()
    };
    let mut event = null_mut();
    ok!(zeEventCreate(pool.raw(), &desc, &mut event));
    let event = Event::from_raw(event, None);
    let (mut of, mut context, mut signal, mut wait, mut flags) = (null_mut(), null_mut(), 9, 9, 0x99);
    ok!(zeEventGetEventPool(event.raw(), &mut of));
    ok!(zeEventPoolGetContextHandle(pool.raw(), &mut context));
    ok!(zeEventGetSignalScope(event.raw(), &mut signal));
    ok!(zeEventGetWaitScope(event.raw(), &mut wait));
    ok!(zeEventPoolGetFlags(pool.raw(), &mut flags));
    assert_eq!((of, context), (pool.raw(), rig.context.raw()));
    assert_eq!((signal, wait), (desc.signal, desc.wait));
    assert_eq!(
        flags,
        ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP
    );
}

/// zeCommandListAppendSignalEvent, zeCommandListAppendEventReset: when their turn comes.
#[test]
fn device_signal_and_reset() {
    let Some(rig) = Rig::executing() else { return };
    let (event, gate, list) = (rig.event(), rig.event(), rig.in_order());
    list.wait_on(&[&gate]);
    list.signal(&event);
    assert!(!event.is_signalled());
    gate.host_signal();
    event.wait();
    list.synchronize();
    let (list, gate) = (rig.in_order(), rig.event());
    list.wait_on(&[&gate]);
    list.reset_event(&event);
    assert!(event.is_signalled());
    gate.host_signal();
    list.synchronize();
    assert!(!event.is_signalled());
}

/// A regular list that signals, waits for and resets its own event, executed again and again.
#[test]
fn reused_by_a_list() {
    let Some(rig) = Rig::executing() else { return };
    let (event, list, queue) = (rig.event(), rig.list(), rig.queue());
    let (a, b) = (rig.shared(&[0u32; 64]), rig.shared(&[0u32; 64]));
    let kernel = rig.kernel("basic", "add");
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, a.ptr());
    kernel.set(1, 1i32);
    list.launch(&kernel, [1, 1, 1], Some(&event), &[]);
    list.copy(b.ptr(), a.ptr(), 256, None, &[&event]);
    list.barrier(None, &[]);
    list.reset_event(&event);
    list.close();
    for round in 1..=50 {
        queue.execute(&[&list]);
        if round % 5 == 0 {
            queue.synchronize();
            assert!(!event.is_signalled());
            assert_eq!(b.values::<u32>(), [round; 64]);
        }
    }
}

/// Each command that has one signals its event when it is complete.
#[test]
fn signalled_by_commands() {
    let Some(rig) = Rig::executing() else { return };
    let (data, kernel, events) = (rig.shared(&[0i32; 64]), rig.kernel("basic", "add"), rig.events(5));
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 1i32);
    let list = rig.immediate(0);
    list.fill(data.ptr(), &[1u32], 256, Some(&events[0]), &[]);
    list.launch(&kernel, [1, 1, 1], Some(&events[1]), &[&events[0]]);
    list.copy(data.at(128), data.ptr(), 128, Some(&events[2]), &[&events[1]]);
    list.barrier(Some(&events[3]), &[&events[2]]);
    let mut stamp = rig.host(&[0u64; 1]);
    let mut wait = handles_of(&[&events[3]]);
    ok!(zeCommandListAppendWriteGlobalTimestamp(
        list.raw(),
        stamp.values_mut::<u64>().as_mut_ptr(),
        events[4].raw(),
        1,
        wait.as_mut_ptr()
    ));
    for event in events.iter().rev() {
        event.wait();
    }
    list.synchronize();
    assert_eq!(data.values::<i32>(), [2; 64]);
}

/// A wait list: the command begins when all events are signalled, in any order; some may be already.
#[test]
fn wait_lists() {
    let Some(rig) = Rig::executing() else { return };
    let (data, list) = (rig.shared(&[0u32; 4]), rig.immediate(0));
    let (events, done) = (rig.events(10), rig.event());
    events[3].host_signal();
    let wait: Vec<_> = events.iter().collect();
    list.fill(data.ptr(), &[1u32], 16, Some(&done), &wait);
    for index in [7, 0, 9, 1, 5, 2, 8, 4, 6] {
        assert!(!done.is_signalled(), "before {index}");
        assert_eq!(data.values::<u32>(), [0; 4]);
        events[index].host_signal();
    }
    done.wait();
    assert_eq!(data.values::<u32>(), [1; 4]);
    list.synchronize();
}

/// An event in a wait list that was signalled before the command was appended, and one that appears twice.
#[test]
fn signalled_before() {
    let Some(rig) = Rig::executing() else { return };
    let (data, event) = (rig.shared(&[0u32; 4]), rig.event());
    event.host_signal();
    rig.run(|list| list.fill(data.ptr(), &[1u32], 16, None, &[&event, &event]));
    assert_eq!(data.values::<u32>(), [1; 4]);
    assert!(event.is_signalled(), "waiting does not reset");
}

/// An event from one list to another, and from one queue to another.
#[test]
fn between_lists() {
    let Some(rig) = Rig::executing() else { return };
    let (data, out, event) = (rig.shared(&[0u32; 1024]), rig.shared(&[0u32; 1024]), rig.event());
    let (producer, consumer) = (rig.list(), rig.list());
    producer.fill(data.ptr(), &[6u32], 4096, Some(&event), &[]);
    consumer.copy(out.ptr(), data.ptr(), 4096, None, &[&event]);
    producer.close();
    consumer.close();
    let (first, second) = (rig.queue(), rig.queue());
    second.execute(&[&producer]);
    first.execute(&[&consumer]);
    first.synchronize();
    second.synchronize();
    assert_eq!(out.values::<u32>(), [6; 1024]);
}

/// zeCommandListAppendWaitOnEvents: no events are an invalid null pointer or nothing to wait for.
#[test]
fn wait_for_nothing() {
    let rig = Rig::new();
    let list = rig.list();
    expect!(
        zeCommandListAppendWaitOnEvents(list.raw(), 1, null_mut()),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
}

/// zeEventHostSignal, zeEventQueryStatus, zeEventHostReset: "may be called from simultaneous threads".
#[test]
fn threads() {
    let rig = Rig::new();
    let (event, stop) = (rig.event(), rig.event());
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..1000 {
                    event.host_signal();
                    event.status();
                    event.host_reset();
                }
            });
        }
        stop.host_signal();
    });
    assert!(!event.is_signalled());
}

/// A command of an immediate list that waits for commands of regular lists, which are executed later, and for others.
#[test]
fn immediate_waits_for_regular() {
    let Some(rig) = Rig::executing() else { return };
    for lists in 1..4 {
        for flags in [0, ZE_COMMAND_LIST_FLAG_IN_ORDER] {
            let (immediate, queue) = (rig.in_order(), rig.queue());
            let (data, out) = (rig.shared(&[0u32; 64]), rig.shared(&[0u32; 64]));
            let events = rig.events(2 * lists + 1);
            let wait: Vec<_> = events.iter().collect();
            immediate.barrier(Some(&events[2 * lists as usize]), &[]);
            let regular: Vec<_> = (0..lists as usize)
                .map(|index| {
                    let list = rig.list_with(flags);
                    list.fill(data.ptr(), &[1u32], 128, Some(&events[2 * index]), &[]);
                    list.fill(
                        data.at(128),
                        &[1u32],
                        128,
                        Some(&events[2 * index + 1]),
                        &[&events[2 * index]],
                    );
                    list.close();
                    list
                })
                .collect();
            immediate.copy(out.ptr(), data.ptr(), 256, None, &wait);
            regular.iter().for_each(|list| queue.execute(&[list]));
            queue.synchronize();
            assert!(events.iter().all(Event::is_signalled));
            immediate.synchronize();
            assert_eq!(out.values::<u32>(), [1; 64]);
        }
    }
}
