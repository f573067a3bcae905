// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Counter-based events: zeEventCounterBasedCreate, and pools of ZE_experimental_event_pool_counter_based.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::thread;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Event, FOREVER, Pool, Rig, expect, ok, require_extension, ze};

fn create(rig: &Rig, flags: ze_event_counter_based_flags_t, next: *const c_void) -> Result<Event, ze_result_t> {
    let desc = ze_event_counter_based_desc_t {
        pNext: next,
        flags,
        signal: ZE_EVENT_SCOPE_FLAG_HOST,
        wait: ZE_EVENT_SCOPE_FLAG_HOST,
        ..Default::default()
    };
    let mut event = null_mut();
    match ze!(zeEventCounterBasedCreate(
        rig.context.raw(),
        rig.device,
        &desc,
        &mut event
    )) {
        ZE_RESULT_SUCCESS => Ok(Event::from_raw(event, None)),
        code => Err(code),
    }
}

const FLAGS: ze_event_counter_based_flags_t = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE
    | ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE
    | ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE;

/// An event by the function of the core API, and one by the pool of the extension.
fn events(rig: &Rig) -> [Event; 2] {
    assert!(require_extension(rig, ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME));
    let counter = ze_event_pool_counter_based_exp_desc_t {
        flags: ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE | ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_NON_IMMEDIATE,
        ..Default::default()
    };
    let desc = ze_event_pool_desc_t {
        pNext: (&raw const counter).cast(),
        flags: ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
        count: 1,
        ..Default::default()
    };
    let pooled = Pool::new(&rig.context, &desc).event(0);
    [create(rig, FLAGS, null()).expect("zeEventCounterBasedCreate"), pooled]
}

/// A counter-based event that no command has signalled is complete: there is nothing to wait for.
#[test]
fn begins_signalled() {
    let Some(rig) = Rig::executing() else { return };
    for event in events(&rig) {
        assert!(event.is_signalled());
        expect!(zeEventHostSynchronize(event.raw(), FOREVER), ZE_RESULT_SUCCESS);
    }
}

/// A counter-based event belongs to the last command that signals it, and is used again without a reset.
#[test]
fn reused() {
    let Some(rig) = Rig::executing() else { return };
    for event in events(&rig) {
        let (list, data) = (rig.in_order(), rig.shared(&[0u32; 4]));
        for value in 1..=50u32 {
            let gate = rig.event();
            list.fill(data.ptr(), &[value], 16, Some(&event), &[&gate]);
            assert!(!event.is_signalled(), "{value}");
            expect!(zeEventHostSynchronize(event.raw(), 1000), ZE_RESULT_NOT_READY);
            gate.host_signal();
            event.wait();
            assert!(event.is_signalled());
            assert_eq!(data.values::<u32>(), [value; 4]);
        }
        list.synchronize();
    }
}

/// A command waits for what the event meant when the command was appended, even if the event is used again then.
#[test]
fn of_the_append() {
    let Some(rig) = Rig::executing() else { return };
    for event in events(&rig) {
        let (producer, consumer) = (rig.in_order(), rig.in_order());
        let (first, second) = (rig.event(), rig.event());
        let (data, out) = (rig.shared(&[0u32; 4]), rig.shared(&[0u32; 4]));
        producer.fill(data.ptr(), &[1u32], 16, Some(&event), &[&first]);
        consumer.copy(out.ptr(), data.ptr(), 16, None, &[&event]);
        let other = rig.shared(&[0u32; 4]);
        producer.fill(other.ptr(), &[2u32], 16, Some(&event), &[&second]);
        first.host_signal();
        consumer.synchronize();
        assert_eq!(out.values::<u32>(), [1; 4]);
        assert!(!event.is_signalled());
        second.host_signal();
        event.wait();
        producer.synchronize();
    }
}

/// A regular in-order list that signals a counter-based event, executed again and again.
#[test]
fn of_regular_lists() {
    let Some(rig) = Rig::executing() else { return };
    for event in events(&rig) {
        let (list, queue, kernel) = (
            rig.list_with(ZE_COMMAND_LIST_FLAG_IN_ORDER),
            rig.queue(),
            rig.kernel("basic", "add"),
        );
        let data = rig.shared(&[0i32; 64]);
        kernel.group_size([64, 1, 1]);
        kernel.set_ptr(0, data.ptr());
        kernel.set(1, 1i32);
        list.launch(&kernel, [1, 1, 1], Some(&event), &[]);
        list.close();
        for round in 1..=10 {
            queue.execute(&[&list]);
            queue.synchronize();
            assert!(event.is_signalled());
            assert_eq!(data.values::<i32>(), [round; 64]);
        }
    }
}

/// zeEventHostReset, zeEventHostSignal, zeCommandListAppendEventReset: a counter-based event is no event for them: an error,
/// never a crash.
#[test]
fn no_reset() {
    let Some(rig) = Rig::executing() else { return };
    for event in events(&rig) {
        let result = ze!(zeEventHostReset(event.raw()));
        let errors = [
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT,
            ZE_RESULT_SUCCESS,
        ];
        assert!(errors.contains(&result), "{result}");
        let list = rig.list();
        let result = ze!(zeCommandListAppendEventReset(list.raw(), event.raw()));
        assert!(errors.contains(&result), "{result}");
    }
}

/// zeEventCounterBasedCreate: `0x7f < flags`, `0x7 < signal`, `0x7 < wait` are invalid enumerations.
#[test]
fn bad_descriptors() {
    let Some(rig) = Rig::executing() else { return };
    let good = ze_event_counter_based_desc_t::default();
    for desc in [
        ze_event_counter_based_desc_t { flags: 0x80, ..good },
        ze_event_counter_based_desc_t { signal: 8, ..good },
        ze_event_counter_based_desc_t { wait: 8, ..good },
    ] {
        expect!(
            zeEventCounterBasedCreate(rig.context.raw(), rig.device, &desc, &mut null_mut()),
            ZE_RESULT_ERROR_INVALID_ENUMERATION
        );
    }
    let both = ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP | ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP;
    assert!(create(&rig, FLAGS | both, null()).is_err(), "cannot be combined");
}

/// zeEventGetCounterBasedFlags: what the event was created with.
#[test]
fn flags() {
    let Some(rig) = Rig::executing() else { return };
    let (event, mut flags) = (create(&rig, FLAGS, null()).expect("an event"), 0);
    ok!(zeEventGetCounterBasedFlags(event.raw(), &mut flags));
    assert_eq!(flags, FLAGS);
}

/// ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP and HOST_TIMESTAMP: the event has timestamps.
#[test]
fn timestamps() {
    let Some(rig) = Rig::executing() else { return };
    for flag in [
        ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP,
        ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP,
    ] {
        let event = create(&rig, FLAGS | flag, null()).expect("an event");
        let (list, data) = (rig.in_order(), rig.shared(&[0u32; 1024]));
        let mut last = 0;
        for value in 0..3u32 {
            list.fill(data.ptr(), &[value], 4096, Some(&event), &[]);
            event.wait();
            let time = event.timestamps().global;
            assert_ne!(time.kernelEnd, last);
            last = time.kernelEnd;
        }
        list.synchronize();
    }
}

/// ze_event_counter_based_external_sync_allocation_desc_t: the event is complete when the application's counter has the value.
#[test]
fn external_counter() {
    let Some(rig) = Rig::executing() else { return };
    let mut flags = ze_device_event_properties_t::default();
    let mut properties = ze_device_properties_t {
        pNext: (&raw mut flags).cast(),
        ..Default::default()
    };
    ok!(zeDeviceGetProperties(rig.device, &mut properties));
    if flags.flags & ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION == 0 {
        return println!("the device has no external counters");
    }
    let mut counter = rig.host(&[0u64]);
    let external = ze_event_counter_based_external_sync_allocation_desc_t {
        deviceAddress: counter.ptr().cast(),
        hostAddress: counter.ptr().cast(),
        completionValue: 3,
        ..Default::default()
    };
    let event = create(&rig, FLAGS, (&raw const external).cast()).expect("an event");
    assert!(!event.is_signalled());
    counter.values_mut::<u64>()[0] = 2;
    assert!(!event.is_signalled());
    counter.values_mut::<u64>()[0] = 3;
    event.wait();
}

/// Counter-based events between the lists of threads.
#[test]
fn threads() {
    let Some(rig) = Rig::executing() else { return };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let event = create(&rig, FLAGS, null()).expect("an event");
                let (a, b, data) = (rig.in_order(), rig.in_order(), rig.shared(&[0u32; 2]));
                for value in 0..100u32 {
                    a.fill(data.ptr(), &[value], 4, Some(&event), &[]);
                    b.copy(data.at(4), data.ptr(), 4, Some(&event), &[&event]);
                    a.wait_on(&[&event]);
                }
                a.synchronize();
                b.synchronize();
                assert_eq!(data.values::<u32>(), [99; 2]);
            });
        }
    });
}
