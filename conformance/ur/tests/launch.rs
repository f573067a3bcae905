// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernel launches: ranges, offsets, local sizes, local memory.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Queue, Range};
use oxur_conformance::{Rig, check, expect, ur, values};

use crate::known;

#[test]
fn no_arguments() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "nothing");
    for range in [
        Range::new([1]),
        Range::new([100]),
        Range::new([16, 16]),
        Range::new([4, 4, 4]),
    ] {
        rig.run(&kernel, &range, &[]);
    }
}

#[test]
fn clocks() {
    let rig = Rig::new();
    let has = [
        DeviceInfo::CLOCK_SUB_GROUP_SUPPORT_EXP,
        DeviceInfo::CLOCK_WORK_GROUP_SUPPORT_EXP,
        DeviceInfo::CLOCK_DEVICE_SUPPORT_EXP,
    ];
    if !has
        .map(|clock| rig.device.info::<bool>(clock).expect("a truth value"))
        .iter()
        .all(|has| *has)
    {
        return println!("this device does not have all clocks");
    }
    let out = rig.shared(&[2u32; 100]);
    rig.run(
        &rig.kernel("clock", "moved"),
        &Range::new([100]),
        &[Arg::Pointer(out.ptr())],
    );
    assert_eq!(values::<u32>(&out), [1; 100]);
}

/// Runs `ids` over a range and checks every work-item's global id, group id and local size.
fn check_ids(rig: &Rig, range: Range) {
    let count: usize = range.global.iter().product();
    let out = rig.shared(&vec![u64::MAX; count * 9]);
    rig.run(&rig.kernel("basic", "ids"), &range, &[Arg::Pointer(out.ptr())]);
    let offset = range.offset.unwrap_or_default();
    for (place, ids) in values::<u64>(&out).chunks(9).enumerate() {
        let at = [
            place % range.global[0],
            place / range.global[0] % range.global[1],
            place / range.global[0] / range.global[1],
        ];
        for d in 0..3 {
            assert_eq!(ids[d] as usize, at[d] + offset[d], "global id of {at:?} in {range:?}");
            let local = ids[6 + d] as usize;
            if let Some(asked) = range.local {
                assert_eq!(local, asked[d], "local size in {range:?}");
            }
            assert!(local >= 1 && local <= range.global[d]);
            if range.global[d].is_multiple_of(local) {
                assert_eq!(ids[3 + d] as usize, at[d] / local, "group id of {at:?} in {range:?}");
            }
        }
    }
}

#[test]
fn dimensions() {
    let rig = Rig::new();
    check_ids(&rig, Range::new([64]).local([16]));
    check_ids(&rig, Range::new([16, 8]).local([4, 2]));
    check_ids(&rig, Range::new([8, 4, 6]).local([4, 2, 3]));
}

#[test]
fn offsets() {
    let rig = Rig::new();
    check_ids(&rig, Range::new([64]).local([16]).offset([1000]));
    check_ids(&rig, Range::new([16, 8]).local([4, 2]).offset([3, 5]));
    check_ids(&rig, Range::new([8, 4, 6]).local([4, 2, 3]).offset([1, 2, 3]));
    check_ids(&rig, Range::new([64]).local([16]).offset([0]));
    // An offset alone, without a local size.
    check_ids(&rig, Range::new([60]).offset([7]));
}

#[test]
fn no_local_size() {
    let rig = Rig::new();
    for range in [
        Range::new([1]),
        Range::new([64]),
        Range::new([1009]),
        Range::new([30, 20]),
        Range::new([6, 10, 14]),
    ] {
        check_ids(&rig, range);
    }
}

#[test]
fn large_range() {
    let rig = Rig::new();
    let counter = rig.shared(&[0i32]);
    rig.run(
        &rig.kernel("basic", "count"),
        &Range::new([100_000]),
        &[Arg::Pointer(counter.ptr())],
    );
    assert_eq!(values::<i32>(&counter), [100_000]);
}

#[test]
fn group_size_fixed_in_the_kernel() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "fixed_group");
    let out = rig.shared(&[0i32; 16 * 8 * 4]);
    let args = [Arg::Pointer(out.ptr())];
    rig.run(&kernel, &Range::new([16, 8, 4]).local([8, 4, 2]), &args);
    assert_eq!(values::<i32>(&out), [842; 512]);
    let out = rig.shared(&[0i32; 16 * 8 * 4]);
    // Without a local size it is the kernel's.
    rig.run(&kernel, &Range::new([16, 8, 4]), &[Arg::Pointer(out.ptr())]);
    assert_eq!(values::<i32>(&out), [842; 512]);
    expect!(
        check(rig.start(&kernel, &Range::new([16, 8, 4]).local([4, 4, 4]), &args, &[])),
        ERROR_INVALID_WORK_GROUP_SIZE
    );
}

#[test]
fn local_memory() {
    let rig = Rig::new();
    let data = rig.shared(&(0..64).collect::<Vec<i32>>());
    let args = [Arg::Pointer(data.ptr()), Arg::Local(16 * 4)];
    rig.run(
        &rig.kernel("basic", "reverse_groups"),
        &Range::new([64]).local([16]),
        &args,
    );
    let expected: Vec<i32> = (0..64).map(|i| i / 16 * 16 + 15 - i % 16).collect();
    assert_eq!(values::<i32>(&data), expected);
    let data = rig.shared(&(0..64).collect::<Vec<i32>>());
    rig.run(
        &rig.kernel("basic", "static_local"),
        &Range::new([64]).local([64]),
        &[Arg::Pointer(data.ptr())],
    );
    assert_eq!(values::<i32>(&data), (0..64).map(|i| i ^ 1).collect::<Vec<i32>>());
}

#[test]
fn local_memory_that_changes_its_size() {
    let rig = Rig::new();
    let kernel = rig.kernel("arguments", "local_places");
    let out = rig.shared(&[0u64; 2]);
    let sizes = [
        [64, 64],
        [64, 64],
        [4096, 64],
        [64, 4096],
        [4096, 4096],
        [4096, 128],
        [128, 4096],
        [64, 64],
    ];
    for (time, [a, b]) in (0..).zip(sizes.into_iter().cycle().take(24)) {
        let args = [Arg::Local(a), Arg::Local(b), Arg::Pointer(out.ptr())];
        // SAFETY: the kernel writes two numbers, which live until the wait.
        let event = unsafe {
            match time % 3 {
                0 => rig.queue.launch_legacy(&kernel, &Range::new([1]), &args, &[]),
                _ => rig.queue.launch_with_args(&kernel, &Range::new([1]), &args, &[]),
            }
        };
        event.expect("launch").wait().expect("urEventWait");
        // Who went by a smaller size puts the other one inside.
        let at = values::<u64>(&out);
        let apart = at[0] + a as u64 <= at[1] || at[1] + b as u64 <= at[0];
        assert!(apart, "{a} and {b} bytes at {at:x?}");
    }
    let (kernel, count) = (rig.kernel("basic", "reverse_groups"), 256);
    for group in [16, 64, 16, 256, 64, 64, 128] {
        let data = rig.shared(&(0..count).collect::<Vec<i32>>());
        let args = [Arg::Pointer(data.ptr()), Arg::Local(group as usize * 4)];
        rig.run(&kernel, &Range::new([count as usize]).local([group as usize]), &args);
        let expected: Vec<i32> = (0..count).map(|i| i / group * group + group - 1 - i % group).collect();
        assert_eq!(values::<i32>(&data), expected, "groups of {group}");
    }
}

#[test]
fn too_much_local_memory() {
    let rig = Rig::new();
    let most: u64 = rig.device.info(DeviceInfo::LOCAL_MEM_SIZE).expect("the size");
    let data = rig.shared(&[0i32; 64]);
    let args = [Arg::Pointer(data.ptr()), Arg::Local(most as usize * 2)];
    let result = rig.start(
        &rig.kernel("basic", "reverse_groups"),
        &Range::new([64]).local([16]),
        &args,
        &[],
    );
    expect!(
        check(result),
        ERROR_OUT_OF_RESOURCES | ERROR_INVALID_KERNEL_ARGUMENT_SIZE | ERROR_OUT_OF_DEVICE_MEMORY
    );
    rig.queue.finish().expect("the queue works on");
}

#[test]
fn sizes_that_are_refused() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "nothing");
    let largest: usize = rig.device.info(DeviceInfo::MAX_WORK_GROUP_SIZE).expect("a size");
    let start = |range: Range| check(rig.start(&kernel, &range, &[], &[]));
    let (big, half) = (largest * 2, largest.isqrt() + 1);
    expect!(
        start(Range::new([big]).local([big])),
        ERROR_INVALID_WORK_GROUP_SIZE | ERROR_INVALID_WORK_ITEM_SIZE
    );
    expect!(
        start(Range::new([half, half]).local([half, half])),
        ERROR_INVALID_WORK_GROUP_SIZE | ERROR_INVALID_WORK_ITEM_SIZE
    );
    expect!(
        start(Range::new([8]).local([0])),
        ERROR_INVALID_WORK_GROUP_SIZE | ERROR_INVALID_WORK_ITEM_SIZE
    );
    for dimensions in [0, 4] {
        expect!(
            start(Range {
                dimensions,
                ..Range::new([8, 1, 1])
            }),
            ERROR_INVALID_WORK_DIMENSION
        );
    }
}

#[test]
fn uneven_groups() {
    let rig = Rig::new();
    let data = rig.shared(&[0i32; 10]);
    let range = Range::new([10]).local([4]);
    let result = rig.start(
        &rig.kernel("basic", "increment"),
        &range,
        &[Arg::Pointer(data.ptr())],
        &[],
    );
    // OpenCL 2 allows them where the device does; else the size is refused.
    if let Err(error) = result {
        return assert!(error == ResultCode::ERROR_INVALID_WORK_GROUP_SIZE, "{error}");
    }
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!(values::<i32>(&data), [1; 10]);
}

#[test]
fn a_range_without_work_items() {
    let rig = Rig::new();
    let data = rig.shared(&[7i32; 4]);
    let args = [Arg::Pointer(data.ptr())];
    // The header names INVALID_WORK_DIMENSION for it. But dpnp (interp of nothing) launches such ranges and relies on the
    // reference, which hands them to OpenCL; OpenCL does nothing.
    rig.start(&rig.kernel("basic", "increment"), &Range::new([0]), &args, &[])
        .expect("a launch of nothing");
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!(values::<i32>(&data), [7; 4]);
}

#[test]
fn arguments_are_taken_at_the_launch() {
    let rig = Rig::new();
    let fill = rig.kernel("basic", "fill");
    let all: Vec<_> = (0..20).map(|_| rig.shared(&[-1i32; 256])).collect();
    for (value, data) in (0..).zip(&all) {
        let value: i32 = value;
        rig.start(
            &fill,
            &Range::new([256]),
            &[Arg::Pointer(data.ptr()), Arg::value(&value)],
            &[],
        )
        .expect("launch");
    }
    rig.queue.finish().expect("urQueueFinish");
    for (value, data) in (0..).zip(&all) {
        assert_eq!(values::<i32>(data), [value; 256]);
    }
}

#[test]
fn launches_of_one_kernel_in_parallel() {
    let rig = Rig::new();
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE).expect("a queue");
    let counter = rig.shared(&[0i32]);
    let count = rig.kernel("basic", "count");
    for _ in 0..100 {
        // SAFETY: the counter lives until all is finished, and the kernel adds to it atomically.
        unsafe { queue.launch(&count, &Range::new([100]), &[Arg::Pointer(counter.ptr())], &[]) }.expect("launch");
    }
    queue.finish().expect("urQueueFinish");
    assert_eq!(values::<i32>(&counter), [10_000]);
}

#[test]
fn a_missing_argument() {
    let rig = Rig::new();
    let (kernel, data) = (rig.kernel("basic", "fill"), rig.shared(&[0i32; 4]));
    let result = rig.start(&kernel, &Range::new([4]), &[Arg::Pointer(data.ptr())], &[]);
    expect!(check(result), ERROR_INVALID_KERNEL_ARGS | ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
        intel ERROR_ADAPTER_SPECIFIC, known::UNMAPPED);
}

#[test]
fn null_sizes() {
    let rig = Rig::new();
    let (queue, kernel) = (rig.queue.raw(), rig.kernel("basic", "nothing"));
    expect!(
        ur!(urEnqueueKernelLaunchWithArgsExp(queue, kernel.raw(), 1, null(), null(), null(), 0, null(), null(), 0, null(),
            null_mut())),
        ERROR_INVALID_NULL_POINTER; intel SUCCESS, "OpenCL takes it for a range without work-items"
    );
}

#[test]
fn launch_properties() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "nothing");
    let launch = |flags, groups: usize| {
        let (properties, global, local) = (
            KernelLaunchExtProperties {
                flags,
                ..Default::default()
            },
            [16usize],
            [16 / groups],
        );
        let code = ur!(urEnqueueKernelLaunchWithArgsExp(
            rig.queue.raw(),
            kernel.raw(),
            1,
            null(),
            global.as_ptr(),
            local.as_ptr(),
            0,
            null(),
            &properties,
            0,
            null(),
            null_mut()
        ));
        rig.queue.finish().expect("urQueueFinish");
        code
    };
    expect!(launch(KernelLaunchFlags::empty(), 2), SUCCESS);
    // Also where the device does not promise it: SYCL launches with a root group, whatever the device says.
    expect!(launch(KernelLaunchFlags::COOPERATIVE, 1), SUCCESS);
    expect!(launch(KernelLaunchFlags::COOPERATIVE, 2), SUCCESS);
}
