// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Timestamps: of events, of the device, and those that commands write.

use std::ptr::{null, null_mut};

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Event, Rig, expect, handles_of, ok, require_extension, ze};

use crate::count::check_counts;

const FLAGS: ze_event_pool_flags_t = ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;

/// A kernel that takes a while.
fn launch(rig: &Rig, signal: &[&Event]) {
    let (kernel, data) = (rig.kernel("basic", "add"), rig.device_memory(1 << 20));
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    kernel.set(1, 1i32);
    rig.run(|list| {
        for event in signal {
            list.launch(&kernel, [1 << 12, 1, 1], Some(event), &[]);
            list.barrier(None, &[]);
        }
    });
}

/// The bits of a clock that are valid.
fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// zeEventQueryKernelTimestamp: kernelStart is the "time sample in tick counts at start of kernel execution", kernelEnd at its end, in
/// the device's valid bits; later commands have later times.
#[test]
fn of_kernels() {
    let Some(rig) = Rig::executing() else { return };
    let valid = mask(rig.device_properties().kernelTimestampValidBits);
    let pool = rig.pool(3, FLAGS);
    let events = [0, 1, 2].map(|index| pool.event(index));
    launch(&rig, &events.each_ref());
    let times = events.each_ref().map(Event::timestamps);
    for time in times {
        for data in [time.global, time.context] {
            assert_eq!((data.kernelStart | data.kernelEnd) & !valid, 0, "{time:?}");
            assert!(data.kernelStart <= data.kernelEnd || valid != u64::MAX, "{time:?}");
        }
    }
    if valid == u64::MAX {
        assert!(
            times
                .windows(2)
                .all(|pair| pair[0].global.kernelEnd <= pair[1].global.kernelStart),
            "{times:?}"
        );
    }
}

/// zeEventQueryKernelTimestamp: of the device's clock, as zeDeviceGetGlobalTimestamps tells it before and after.
#[test]
fn of_the_devices_clock() {
    let Some(rig) = Rig::executing() else { return };
    let properties = rig.device_properties();
    let now = || {
        let (mut host, mut device) = (0, 0);
        ok!(zeDeviceGetGlobalTimestamps(rig.device, &mut host, &mut device));
        device
    };
    let event = rig.pool(1, FLAGS).event(0);
    let before = now();
    launch(&rig, &[&event]);
    let after = now();
    if properties.kernelTimestampValidBits == 64 && properties.timestampValidBits == 64 {
        let time = event.timestamps().global;
        assert!(
            before <= time.kernelStart && time.kernelEnd <= after,
            "{before} {time:?} {after}"
        );
    }
}

/// zeEventQueryKernelTimestamp: ZE_RESULT_NOT_READY for an event that is not signalled; "The destination memory will be
/// unmodified".
#[test]
fn not_ready() {
    let rig = Rig::new();
    let event = rig.pool(1, FLAGS).event(0);
    let mut result = ze_kernel_timestamp_result_t::default();
    result.global.kernelStart = 77;
    expect!(
        zeEventQueryKernelTimestamp(event.raw(), &mut result),
        ZE_RESULT_NOT_READY
    );
    assert_eq!(result.global.kernelStart, 77);
}

/// zeEventHostSignal: the duration "is undefined. However … the event will report correctly as signaled".
#[test]
fn of_the_hosts_signal() {
    let rig = Rig::new();
    let event = rig.pool(1, FLAGS).event(0);
    event.host_signal();
    assert!(event.is_signalled());
    event.timestamps();
    event.host_reset();
    assert!(!event.is_signalled());
}

/// Copies, fills and barriers have timestamps too.
#[test]
fn of_other_commands() {
    let Some(rig) = Rig::executing() else { return };
    let pool = rig.pool(3, FLAGS);
    let events = [0, 1, 2].map(|index| pool.event(index));
    let (a, b) = (rig.shared(&[0u8; 4096]), rig.shared(&[0u8; 4096]));
    rig.run(|list| {
        list.fill(a.ptr(), &[1u8], 4096, Some(&events[0]), &[]);
        list.copy(b.ptr(), a.ptr(), 4096, Some(&events[1]), &[&events[0]]);
        list.barrier(Some(&events[2]), &[&events[1]]);
    });
    let valid = rig.device_properties().kernelTimestampValidBits;
    for event in &events {
        let time = event.timestamps();
        assert!(
            valid < 64 || time.global.kernelStart <= time.global.kernelEnd,
            "{time:?}"
        );
        assert_ne!(time.global.kernelEnd, 0);
    }
}

/// A reused event has the times of its last command.
#[test]
fn of_the_last_command() {
    let Some(rig) = Rig::executing() else { return };
    let event = rig.pool(1, FLAGS).event(0);
    launch(&rig, &[&event]);
    let first = event.timestamps().global;
    event.host_reset();
    launch(&rig, &[&event]);
    let second = event.timestamps().global;
    assert_ne!(first.kernelEnd, second.kernelEnd);
    assert!(rig.device_properties().kernelTimestampValidBits < 64 || second.kernelStart >= first.kernelEnd);
}

/// zeCommandListAppendQueryKernelTimestamps: "multiple results will be appended sequentially into memory", or at offsets.
#[test]
fn queried_by_a_command() {
    let Some(rig) = Rig::executing() else { return };
    let pool = rig.pool(3, FLAGS);
    let events = [0, 1, 2].map(|index| pool.event(index));
    launch(&rig, &events.each_ref());
    let times = events.each_ref().map(Event::timestamps);
    let flat = |time: &ze_kernel_timestamp_result_t| {
        [
            time.global.kernelStart,
            time.global.kernelEnd,
            time.context.kernelStart,
            time.context.kernelEnd,
        ]
    };
    let mut handles = handles_of(&events.each_ref());
    let done = rig.event();
    for offsets in [None, Some([64usize, 0, 128])] {
        let out = rig.shared(&[0u64; 32]);
        rig.run(|list| {
            ok!(zeCommandListAppendQueryKernelTimestamps(
                list.raw(),
                3,
                handles.as_mut_ptr(),
                out.ptr(),
                offsets.as_ref().map_or(null(), |offsets| offsets.as_ptr()),
                done.raw(),
                0,
                null_mut()
            ));
        });
        done.wait();
        for (index, time) in times.iter().enumerate() {
            let at = offsets.map_or(index * 4, |offsets| offsets[index] / 8);
            assert_eq!(out.values::<u64>()[at..at + 4], flat(time), "{index} {offsets:?}");
        }
    }
}

/// zeCommandListAppendQueryKernelTimestamps: null pointers are refused.
#[test]
fn queried_for_nothing() {
    let rig = Rig::new();
    let (list, out, event) = (rig.list(), rig.shared(&[0u64; 4]), rig.pool(1, FLAGS).event(0));
    let mut handles = handles_of(&[&event]);
    expect!(
        zeCommandListAppendQueryKernelTimestamps(
            list.raw(),
            1,
            handles.as_mut_ptr(),
            null_mut(),
            null(),
            null_mut(),
            0,
            null_mut()
        ),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
    expect!(
        zeCommandListAppendQueryKernelTimestamps(
            list.raw(),
            1,
            null_mut(),
            out.ptr(),
            null(),
            null_mut(),
            0,
            null_mut()
        ),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
}

/// zeCommandListAppendWriteGlobalTimestamp: the device's time when its turn comes; later ones are later.
#[test]
fn written_by_a_command() {
    let Some(rig) = Rig::executing() else { return };
    let (out, done) = (rig.shared(&[0u64; 3]), rig.event());
    rig.run(|list| {
        for index in 0..3 {
            ok!(zeCommandListAppendWriteGlobalTimestamp(
                list.raw(),
                out.at(index * 8).cast(),
                if index == 2 { done.raw() } else { null_mut() },
                0,
                null_mut()
            ));
            list.barrier(None, &[]);
        }
    });
    assert!(done.is_signalled());
    let times = out.values::<u64>();
    assert!(times.iter().all(|time| *time != 0));
    if rig.device_properties().timestampValidBits == 64 {
        assert!(times.is_sorted(), "{times:?}");
    }
}

/// zeEventQueryTimestampsExp: all timestamps of an event, by the rules of counts.
#[test]
fn of_each_part() {
    let Some(rig) = Rig::executing() else { return };
    if !require_extension(&rig, ZE_EVENT_QUERY_TIMESTAMPS_EXP_NAME) {
        return;
    }
    let event = rig.pool(1, FLAGS).event(0);
    launch(&rig, &[&event]);
    let times = check_counts(
        "zeEventQueryTimestampsExp",
        ze_kernel_timestamp_result_t::default(),
        |count, times| ze!(zeEventQueryTimestampsExp(event.raw(), rig.device, count, times)),
    );
    assert_eq!(times[0].global.kernelEnd, event.timestamps().global.kernelEnd);
}

/// ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP, zeEventQueryKernelTimestampsExt: "synchronized to the host time domain", in
/// nanoseconds.
#[test]
fn mapped() {
    let Some(rig) = Rig::executing() else { return };
    assert!(require_extension(&rig, ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_NAME));
    let mut extension = ze_event_query_kernel_timestamps_ext_properties_t::default();
    let mut properties = ze_device_properties_t {
        pNext: (&raw mut extension).cast(),
        ..Default::default()
    };
    ok!(zeDeviceGetProperties(rig.device, &mut properties));
    assert_eq!(extension.flags, 3, "both kinds");
    let event = rig.pool(1, ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP).event(0);
    let host = || {
        let (mut host, mut device) = (0, 0);
        ok!(zeDeviceGetGlobalTimestamps(rig.device, &mut host, &mut device));
        host
    };
    let before = host();
    launch(&rig, &[&event]);
    let after = host();
    let mut count = 0;
    ok!(zeEventQueryKernelTimestampsExt(
        event.raw(),
        rig.device,
        &mut count,
        null_mut()
    ));
    assert!(count > 0);
    let mut kernel = vec![ze_kernel_timestamp_result_t::default(); count as usize];
    let mut synchronized = vec![ze_synchronized_timestamp_result_ext_t::default(); count as usize];
    let mut results = ze_event_query_kernel_timestamps_results_ext_properties_t {
        pKernelTimestampsBuffer: kernel.as_mut_ptr(),
        pSynchronizedTimestampsBuffer: synchronized.as_mut_ptr(),
        ..Default::default()
    };
    ok!(zeEventQueryKernelTimestampsExt(
        event.raw(),
        rig.device,
        &mut count,
        &mut results
    ));
    let time = synchronized[0].global;
    assert!(time.kernelStart <= time.kernelEnd);
    assert!(
        before <= time.kernelStart && time.kernelEnd <= after,
        "{before} {time:?} {after}"
    );
    assert_ne!(kernel[0].global.kernelEnd, 0);
}
