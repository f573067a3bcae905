// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Launches of kernels.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Kernel, List, Queue, Rig, expect, ok, require_extension, ze};

fn groups([groupCountX, groupCountY, groupCountZ]: [u32; 3]) -> ze_group_count_t {
    ze_group_count_t {
        groupCountX,
        groupCountY,
        groupCountZ,
    }
}

/// What `ids` should have written.
fn expected_ids(count: [u32; 3], size: [u32; 3], offset: [u32; 3]) -> Vec<u32> {
    let global: [u32; 3] = std::array::from_fn(|d| count[d] * size[d]);
    let mut ids = Vec::new();
    for z in 0..global[2] {
        for y in 0..global[1] {
            for x in 0..global[0] {
                let id = [x, y, z];
                ids.extend((0..3).map(|d| id[d] + offset[d]));
                ids.extend((0..3).map(|d| id[d] % size[d]));
                ids.extend((0..3).map(|d| id[d] / size[d]));
                ids.extend(size);
            }
        }
    }
    ids
}

const SHAPES: [([u32; 3], [u32; 3]); 7] = [
    ([1, 1, 1], [1, 1, 1]),
    ([7, 1, 1], [16, 1, 1]),
    ([1, 5, 1], [1, 3, 1]),
    ([1, 1, 4], [1, 1, 2]),
    ([3, 2, 1], [4, 5, 1]),
    ([2, 3, 4], [4, 3, 2]),
    ([1, 1, 1], [3, 5, 7]),
];

/// zeCommandListAppendLaunchKernel in one to three dimensions: each work-item has its ids.
#[test]
fn ids() {
    let Some(rig) = Rig::executing() else { return };
    let kernel = rig.kernel("basic", "ids");
    for (count, size) in SHAPES {
        let expected = expected_ids(count, size, [0; 3]);
        let out = rig.shared(&vec![u32::MAX; expected.len()]);
        kernel.group_size(size);
        kernel.set_ptr(0, out.ptr());
        rig.run(|list| list.launch(&kernel, count, None, &[]));
        assert!(out.values::<u32>() == expected, "{count:?} groups of {size:?}");
    }
}

/// zeKernelSetGlobalOffsetExp: is added to all ids, and can be taken back.
#[test]
fn global_offset() {
    let Some(rig) = Rig::executing() else { return };
    assert!(require_extension(&rig, ZE_GLOBAL_OFFSET_EXP_NAME));
    let module = rig.module("basic");
    let (kernel, sizes) = (module.kernel("ids"), module.kernel("sizes"));
    for (count, size) in SHAPES {
        for offset in [[10, 0, 0], [1, 2, 3], [1 << 20, 0, 77], [0; 3]] {
            let expected = expected_ids(count, size, offset);
            let (out, told) = (rig.shared(&vec![u32::MAX; expected.len()]), rig.shared(&[0u32; 10]));
            for kernel in [&kernel, &sizes] {
                ok!(zeKernelSetGlobalOffsetExp(
                    kernel.raw(),
                    offset[0],
                    offset[1],
                    offset[2]
                ));
                kernel.group_size(size);
            }
            kernel.set_ptr(0, out.ptr());
            sizes.set_ptr(0, told.ptr());
            rig.run(|list| {
                list.launch(&kernel, count, None, &[]);
                list.launch(&sizes, count, None, &[]);
            });
            assert!(
                out.values::<u32>() == expected,
                "{count:?} groups of {size:?} at {offset:?}"
            );
            let global: [u32; 3] = std::array::from_fn(|d| count[d] * size[d]);
            assert_eq!(told.values::<u32>()[1..], [global, count, offset].concat());
        }
    }
}

/// Launches of many groups, and of large groups.
#[test]
fn many_items() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, counter) = (rig.kernel("basic", "count"), rig.shared(&[0i32]));
    kernel.set_ptr(0, counter.ptr());
    let largest = rig.compute_properties().maxTotalGroupSize;
    for (count, size) in [([100_000, 1, 1], 1), ([3, 300, 7], 32), ([20, 1, 1], largest)] {
        let before = counter.values::<i32>()[0];
        kernel.group_size([size, 1, 1]);
        rig.run(|list| list.launch(&kernel, count, None, &[]));
        let launched = count.iter().product::<u32>() * size;
        assert_eq!(counter.values::<i32>()[0] - before, launched as i32);
    }
}

/// Arguments, group size and offset are those of the time of zeCommandListAppendLaunchKernel: "will be used when a
/// zeCommandListAppendLaunchKernel variant is called".
#[test]
fn state_is_of_the_append() {
    let Some(rig) = Rig::executing() else { return };
    let module = rig.module("basic");
    let (add, sizes) = (module.kernel("add"), module.kernel("sizes"));
    let (a, b) = (rig.shared(&[0i32; 64]), rig.shared(&[0i32; 64]));
    let told = [rig.shared(&[0u32; 10]), rig.shared(&[0u32; 10])];
    let (list, queue) = (rig.list(), rig.queue());
    add.group_size([16, 1, 1]);
    add.set_ptr(0, a.ptr());
    add.set(1, 1i32);
    list.launch(&add, [2, 1, 1], None, &[]);
    add.set_ptr(0, b.ptr());
    list.launch(&add, [1, 1, 1], None, &[]);
    list.barrier(None, &[]);
    add.set(1, 10i32);
    add.group_size([64, 1, 1]);
    list.launch(&add, [1, 1, 1], None, &[]);
    sizes.group_size([4, 2, 1]);
    sizes.set_ptr(0, told[0].ptr());
    ok!(zeKernelSetGlobalOffsetExp(sizes.raw(), 5, 0, 0));
    list.launch(&sizes, [3, 1, 1], None, &[]);
    sizes.group_size([1, 1, 1]);
    sizes.set_ptr(0, told[1].ptr());
    ok!(zeKernelSetGlobalOffsetExp(sizes.raw(), 0, 7, 0));
    list.launch(&sizes, [2, 1, 1], None, &[]);
    // None of these matters any more.
    add.set_ptr(0, null());
    add.set(1, 1000i32);
    add.group_size([1, 1, 1]);
    sizes.set_ptr(0, null());
    list.close();
    queue.execute(&[&list]);
    queue.synchronize();
    let expected = |low: i32, from: usize, high: i32| -> Vec<i32> {
        (0..64).map(|index| if index < from { low } else { high }).collect()
    };
    assert_eq!(a.values::<i32>(), expected(1, 32, 0));
    assert_eq!(b.values::<i32>(), expected(11, 16, 10));
    assert_eq!(told[0].values::<u32>()[1..], [12, 2, 1, 3, 1, 1, 5, 0, 0]);
    assert_eq!(told[1].values::<u32>()[1..], [2, 1, 1, 2, 1, 1, 0, 7, 0]);
}

/// The same for an immediate list whose commands wait.
#[test]
fn state_is_of_the_append_of_immediate_lists() {
    let Some(rig) = Rig::executing() else { return };
    let (add, gate, list) = (rig.kernel("basic", "add"), rig.event(), rig.in_order());
    let data = rig.shared(&[0i32; 64]);
    add.group_size([64, 1, 1]);
    add.set_ptr(0, data.ptr());
    list.wait_on(&[&gate]);
    for value in 1..=10i32 {
        add.set(1, value);
        list.launch(&add, [1, 1, 1], None, &[]);
    }
    add.set(1, 1000i32);
    add.set_ptr(0, null());
    gate.host_signal();
    list.synchronize();
    assert_eq!(data.values::<i32>(), [55; 64]);
}

/// A kernel may be destroyed, and its module, when its launches are complete; a list that has them may not be executed then.
/// Before, two kernels of one name have arguments of their own.
#[test]
fn kernels_are_independent() {
    let Some(rig) = Rig::executing() else { return };
    let module = rig.module("basic");
    let (first, second) = (module.kernel("add"), module.kernel("add"));
    let (a, b) = (rig.shared(&[0i32; 16]), rig.shared(&[0i32; 16]));
    for (kernel, data, value) in [(&first, &a, 1i32), (&second, &b, 2)] {
        kernel.group_size([16, 1, 1]);
        kernel.set_ptr(0, data.ptr());
        kernel.set(1, value);
    }
    rig.run(|list| {
        list.launch(&first, [1, 1, 1], None, &[]);
        list.launch(&second, [1, 1, 1], None, &[]);
    });
    assert_eq!((a.values::<i32>()[0], b.values::<i32>()[0]), (1, 2));
}

/// Barriers of a work-group, and local memory that a kernel declares.
#[test]
fn work_group_barriers() {
    let Some(rig) = Rig::executing() else { return };
    let kernel = rig.kernel("basic", "reverse_64");
    let values: Vec<i32> = (0..640).collect();
    let data = rig.shared(&values);
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, data.ptr());
    rig.run(|list| list.launch(&kernel, [10, 1, 1], None, &[]));
    let expected: Vec<_> = values
        .chunks(64)
        .flat_map(|group| group.iter().rev().copied())
        .collect();
    assert_eq!(data.values::<i32>(), expected);
}

/// Sub-groups and atomics: ze_device_compute_properties_t names the sizes of sub-groups.
#[test]
fn sub_groups() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, out) = (rig.kernel("basic", "sums"), rig.shared(&[0u32; 2]));
    kernel.group_size([64, 1, 1]);
    kernel.set_ptr(0, out.ptr());
    rig.run(|list| list.launch(&kernel, [16, 1, 1], None, &[]));
    let compute = rig.compute_properties();
    let sizes = &compute.subGroupSizes[..compute.numSubGroupSizes as usize];
    let [sum, size] = out.values::<u32>() else {
        unreachable!()
    };
    assert_eq!(*sum, 1023 * 1024 / 2);
    assert!(sizes.contains(size), "{size} {sizes:?}");
    assert!(*size <= kernel.properties().maxSubgroupSize);
    let (kernel, out) = (rig.kernel("basic", "sub_group_of_16"), rig.shared(&[0u32; 64]));
    if sizes.contains(&16) {
        kernel.group_size([64, 1, 1]);
        kernel.set_ptr(0, out.ptr());
        rig.run(|list| list.launch(&kernel, [1, 1, 1], None, &[]));
        let expected: Vec<_> = (0..64).map(|index| index % 16).collect();
        assert_eq!(out.values::<u32>(), expected);
    }
}

/// zeCommandListAppendLaunchKernelIndirect: the counts are read at execution.
#[test]
fn indirect() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, counter) = (rig.kernel("basic", "count"), rig.shared(&[0i32]));
    let mut counts = rig.shared(&[1u32, 1, 1]);
    kernel.group_size([8, 1, 1]);
    kernel.set_ptr(0, counter.ptr());
    let (list, queue) = (rig.list(), rig.queue());
    ok!(zeCommandListAppendLaunchKernelIndirect(
        list.raw(),
        kernel.raw(),
        counts.ptr().cast(),
        null_mut(),
        0,
        null_mut()
    ));
    list.close();
    let mut total = 0;
    for count in [[1, 1, 1], [3, 2, 1], [5, 1, 4]] {
        counts.values_mut::<u32>().copy_from_slice(&count);
        queue.execute(&[&list]);
        queue.synchronize();
        total += 8 * count.iter().product::<u32>();
        assert_eq!(counter.values::<i32>(), [total as i32]);
    }
}

/// zeCommandListAppendLaunchKernelIndirect: counts that a command before it writes.
#[test]
fn indirect_counts_by_the_device() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, counter) = (rig.kernel("basic", "count"), rig.shared(&[0i32]));
    let counts = rig.device_values(&[0u32; 3]);
    kernel.group_size([4, 1, 1]);
    kernel.set_ptr(0, counter.ptr());
    rig.run(|list| {
        list.fill(counts.ptr(), &[3u32], 12, None, &[]);
        list.barrier(None, &[]);
        ok!(zeCommandListAppendLaunchKernelIndirect(
            list.raw(),
            kernel.raw(),
            counts.ptr().cast(),
            null_mut(),
            0,
            null_mut()
        ));
    });
    assert_eq!(counter.values::<i32>(), [4 * 27]);
}

/// zeCommandListAppendLaunchMultipleKernelsIndirect: as many kernels as the count buffer says at execution.
#[test]
fn several_indirect() {
    let Some(rig) = Rig::executing() else { return };
    let module = rig.module("basic");
    let counters = rig.shared(&[0i32; 3]);
    let kernels: Vec<Kernel> = (0..3)
        .map(|index| {
            let kernel = module.kernel("count");
            kernel.group_size([2, 1, 1]);
            kernel.set_ptr(0, counters.at(index * 4));
            kernel
        })
        .collect();
    let mut handles: Vec<_> = kernels.iter().map(Kernel::raw).collect();
    let counts = rig.shared(&[1u32, 1, 1, 2, 1, 1, 3, 1, 1]);
    let mut launched = rig.shared(&[0u32]);
    let (list, queue) = (rig.list(), rig.queue());
    ok!(zeCommandListAppendLaunchMultipleKernelsIndirect(
        list.raw(),
        3,
        handles.as_mut_ptr(),
        launched.ptr().cast(),
        counts.ptr().cast(),
        null_mut(),
        0,
        null_mut()
    ));
    list.close();
    for (count, expected) in [(3, [2, 4, 6]), (1, [4, 4, 6]), (0, [4, 4, 6]), (2, [6, 8, 6])] {
        launched.values_mut::<u32>()[0] = count;
        queue.execute(&[&list]);
        queue.synchronize();
        assert_eq!(counters.values::<i32>(), expected, "{count}");
    }
}

/// A group of queues for cooperative kernels, if there is one.
fn cooperative_list(rig: &Rig) -> Option<(List, Queue)> {
    let flag = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS;
    let found = rig.queue_groups().iter().position(|group| group.flags & flag != 0)?;
    let desc = ze_command_list_desc_t {
        commandQueueGroupOrdinal: found as u32,
        ..Default::default()
    };
    let queue = ze_command_queue_desc_t {
        ordinal: found as u32,
        ..rig.queue_desc()
    };
    Some((List::new(rig, &desc), Queue::new(rig, &queue)))
}

/// zeCommandListAppendLaunchCooperativeKernel: a launch of at most the suggested number of groups.
#[test]
fn cooperative() {
    let rig = Rig::new();
    let Some((list, queue)) = cooperative_list(&rig) else {
        return println!("the device has no cooperative kernels");
    };
    let (kernel, counter, mut count) = (rig.kernel("basic", "count"), rig.shared(&[0i32]), 0);
    kernel.group_size([16, 1, 1]);
    kernel.set_ptr(0, counter.ptr());
    ok!(zeKernelSuggestMaxCooperativeGroupCount(kernel.raw(), &mut count));
    ok!(zeCommandListAppendLaunchCooperativeKernel(
        list.raw(),
        kernel.raw(),
        &groups([count.min(8), 1, 1]),
        null_mut(),
        0,
        null_mut()
    ));
    list.close();
    queue.execute(&[&list]);
    queue.synchronize();
    if Rig::executing().is_some() {
        assert_eq!(counter.values::<i32>(), [16 * count.min(8) as i32]);
    }
}

/// zeCommandListAppendLaunchKernelWithParameters: as zeCommandListAppendLaunchKernel, or cooperative.
#[test]
fn with_parameters() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, counter, list) = (rig.kernel("basic", "count"), rig.shared(&[0i32]), rig.in_order());
    kernel.group_size([16, 1, 1]);
    kernel.set_ptr(0, counter.ptr());
    let cooperative = ze_command_list_append_launch_kernel_param_cooperative_desc_t {
        isCooperative: 1,
        ..Default::default()
    };
    for next in [null(), (&raw const cooperative).cast::<c_void>()] {
        ok!(zeCommandListAppendLaunchKernelWithParameters(
            list.raw(),
            kernel.raw(),
            &groups([2, 1, 1]),
            next,
            null_mut(),
            0,
            null_mut()
        ));
    }
    list.synchronize();
    assert_eq!(counter.values::<i32>(), [64]);
}

/// zeCommandListAppendLaunchKernelWithArguments: the group size and all arguments with the launch; "changes kernel state as if
/// separate KernelSetGroupSize and KernelSetArgumentValue functions were called".
#[test]
fn with_arguments() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, data, list) = (rig.kernel("basic", "add"), rig.shared(&[0i32; 64]), rig.in_order());
    let (pointer, value) = (data.ptr(), 5i32);
    let mut arguments: [*mut c_void; 2] = [
        (&raw const pointer).cast_mut().cast(),
        (&raw const value).cast_mut().cast(),
    ];
    let size = ze_group_size_t {
        groupSizeX: 16,
        groupSizeY: 1,
        groupSizeZ: 1,
    };
    let launch = |size: ze_group_size_t, arguments: *mut *mut c_void| {
        ze!(zeCommandListAppendLaunchKernelWithArguments(
            list.raw(),
            kernel.raw(),
            groups([4, 1, 1]),
            size,
            arguments,
            null(),
            null_mut(),
            0,
            null_mut()
        ))
    };
    assert_eq!(launch(size, arguments.as_mut_ptr()), ZE_RESULT_SUCCESS);
    list.synchronize();
    assert_eq!(data.values::<i32>(), [5; 64]);
    list.launch(&kernel, [4, 1, 1], None, &[]);
    list.synchronize();
    assert_eq!(data.values::<i32>(), [10; 64], "the kernel's state");
    let zero = ze_group_size_t { groupSizeX: 0, ..size };
    let result = launch(zero, arguments.as_mut_ptr());
    assert!(
        [
            ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
            ZE_RESULT_ERROR_INVALID_ARGUMENT
        ]
        .contains(&result),
        "{result}"
    );
}

/// zeCommandListAppendLaunchKernelWithArguments: local memory is a pointer to its size.
#[test]
fn with_null_arguments() {
    let Some(rig) = Rig::executing() else { return };
    let (kernel, out, list) = (rig.kernel("basic", "nulls"), rig.shared(&[7i32; 2]), rig.in_order());
    let (pointer, none) = (out.ptr(), null_mut::<c_void>());
    let mut arguments: [*mut c_void; 3] = [
        (&raw const pointer).cast_mut().cast(),
        (&raw const none).cast_mut().cast(),
        (&raw const none).cast_mut().cast(),
    ];
    let size = ze_group_size_t {
        groupSizeX: 1,
        groupSizeY: 1,
        groupSizeZ: 1,
    };
    ok!(zeCommandListAppendLaunchKernelWithArguments(
        list.raw(),
        kernel.raw(),
        groups([1, 1, 1]),
        size,
        arguments.as_mut_ptr(),
        null(),
        null_mut(),
        0,
        null_mut()
    ));
    list.synchronize();
    assert_eq!(out.values::<i32>(), [1, 1]);
}

/// `nullptr == pLaunchFuncArgs` is an invalid null pointer; events of nowhere are an invalid size.
#[test]
fn bad_arguments() {
    let rig = Rig::new();
    let (kernel, list, one) = (rig.kernel("basic", "nothing"), rig.list(), groups([1, 1, 1]));
    kernel.group_size([1, 1, 1]);
    expect!(
        zeCommandListAppendLaunchKernel(list.raw(), kernel.raw(), null(), null_mut(), 0, null_mut()),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
    expect!(
        zeCommandListAppendLaunchKernel(list.raw(), kernel.raw(), &one, null_mut(), 3, null_mut()),
        ZE_RESULT_ERROR_INVALID_SIZE
    );
}
