// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels as objects: queries, arguments, suggestions.

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Kernel, Range, Usm, UsmRequest};
use oxur_conformance::{Allowed, Rig, check, check_infos, expect, intel, ur, values};

use crate::known;

#[test]
fn info() {
    let rig = Rig::new();
    let program = rig.program("basic");
    let kernel = Kernel::new(&program, "fill").expect("urKernelCreate");
    let get = |p, size, value, size_ret| ur!(urKernelGetInfo(kernel.raw(), KernelInfo(p), size, value, size_ret));
    let intel = &[
        known::LARGER,
        known::NUMBER,
        (
            "INFO_ATTRIBUTES: a size that is one too small: UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION",
            "an error of the driver",
        ),
    ];
    check_infos(
        "KernelInfo",
        &get,
        Allowed {
            intel,
            ..Allowed::default()
        },
    );
    assert_eq!(
        kernel.info::<String>(KernelInfo::FUNCTION_NAME).expect("the name"),
        "fill"
    );
    assert_eq!(kernel.info::<u32>(KernelInfo::NUM_ARGS).expect("the number"), 2);
    assert_eq!(
        kernel.info::<ContextHandle>(KernelInfo::CONTEXT).expect("the context"),
        rig.context.raw()
    );
    assert_eq!(
        kernel.info::<ProgramHandle>(KernelInfo::PROGRAM).expect("the program"),
        program.raw()
    );
}

#[test]
fn counted() {
    let kernel = Rig::new().kernel("basic", "fill");
    let count = || kernel.info::<u32>(KernelInfo::REFERENCE_COUNT).expect("the count");
    assert_eq!(count(), 1);
    let second = kernel.clone();
    assert_eq!(count(), 2);
    drop(second);
    assert_eq!(count(), 1);
}

#[test]
fn outlives_its_program() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "fill");
    let data = rig.buffer(&[0i32; 4]);
    rig.run(&kernel, &Range::new([4]), &[Arg::mem(&data), Arg::value(&3i32)]);
    assert_eq!(rig.contents::<i32>(&data), [3; 4]);
}

#[test]
fn unknown_name() {
    let rig = Rig::new();
    let program = rig.program("basic");
    for name in ["no_such_kernel", "", "Fill"] {
        expect!(check(Kernel::new(&program, name)), ERROR_INVALID_KERNEL_NAME);
    }
}

#[test]
fn group_info() {
    let rig = Rig::new();
    let device = &rig.device;
    for name in ["fill", "fixed_group", "static_local"] {
        let kernel = rig.kernel("basic", name);
        let get = |p, size, value, size_ret| {
            ur!(urKernelGetGroupInfo(
                kernel.raw(),
                device.raw(),
                KernelGroupInfo(p),
                size,
                value,
                size_ret
            ))
        };
        // OpenCL knows it of built-in kernels and custom devices only.
        check_infos(
            "KernelGroupInfo",
            &get,
            Allowed {
                absent: &[("INFO_GLOBAL_WORK_SIZE", ResultCode::ERROR_INVALID_VALUE)],
                intel: &[known::SMALL, known::NUMBER_VALUE],
                ..Allowed::default()
            },
        );
    }
    let size = |name: &str, property| {
        rig.kernel("basic", name)
            .group_info::<usize>(device, property)
            .expect("a size")
    };
    let largest: usize = device.info(DeviceInfo::MAX_WORK_GROUP_SIZE).expect("a size");
    assert!((1..=largest).contains(&size("fill", KernelGroupInfo::WORK_GROUP_SIZE)));
    assert!(size("fill", KernelGroupInfo::PREFERRED_WORK_GROUP_SIZE_MULTIPLE) >= 1);
    assert!(size("static_local", KernelGroupInfo::LOCAL_MEM_SIZE) >= 256);
    let fixed = |name| {
        let property = KernelGroupInfo::COMPILE_WORK_GROUP_SIZE;
        rig.kernel("basic", name)
            .group_info::<[usize; 3]>(device, property)
            .expect("three sizes")
    };
    assert_eq!(fixed("fixed_group"), [8, 4, 2]);
    assert_eq!(fixed("fill"), [0; 3]);
}

#[test]
fn sub_group_info() {
    let rig = Rig::new();
    let (free, fixed) = (rig.kernel("basic", "fill"), rig.kernel("basic", "sub_group_16"));
    for kernel in [&free, &fixed] {
        let get = |p, size, value, size_ret| {
            let (kernel, device) = (kernel.raw(), rig.device.raw());
            ur!(urKernelGetSubGroupInfo(
                kernel,
                device,
                KernelSubGroupInfo(p),
                size,
                value,
                size_ret
            ))
        };
        let intel = &[
            known::NUMBER_VALUE,
            (
                "one too small: UR_RESULT_SUCCESS",
                "the adapter writes the value without a look at the size",
            ),
        ];
        check_infos(
            "KernelSubGroupInfo",
            &get,
            Allowed {
                intel,
                ..Allowed::default()
            },
        );
    }
    let number = |kernel: &Kernel, property| kernel.sub_group_info::<u32>(&rig.device, property).expect("a number");
    let sizes: Vec<u32> = rig.device.info(DeviceInfo::SUB_GROUP_SIZES_INTEL).expect("the sizes");
    assert!(number(&free, KernelSubGroupInfo::MAX_SUB_GROUP_SIZE) >= 1);
    assert!(number(&free, KernelSubGroupInfo::MAX_NUM_SUB_GROUPS) >= 1);
    assert_eq!(number(&free, KernelSubGroupInfo::COMPILE_NUM_SUB_GROUPS), 0);
    assert_eq!(number(&free, KernelSubGroupInfo::SUB_GROUP_SIZE_INTEL), 0);
    if sizes.contains(&16) {
        assert_eq!(number(&fixed, KernelSubGroupInfo::SUB_GROUP_SIZE_INTEL), 16);
        let out = rig.buffer(&[0i32; 32]);
        rig.run(&fixed, &Range::new([32]).local([32]), &[Arg::mem(&out)]);
        assert_eq!(rig.contents::<i32>(&out), [16; 32]);
    }
}

/// As `record` in basic.cl.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Record {
    a: i32,
    gap: i32,
    b: f64,
    c: [u8; 8],
}

#[test]
fn values_of_every_kind() {
    let rig = Rig::new();
    let out = rig.shared(&[0f64; 8]);
    let record = Record {
        a: 1,
        b: 2.5,
        c: [3, 0, 0, 0, 4, 0, 0, 0],
        ..Default::default()
    };
    // SAFETY: a structure of integers and floats without padding.
    let bytes = unsafe { std::slice::from_raw_parts((&raw const record).cast::<u8>(), size_of::<Record>()) };
    let vector: Vec<u8> = [1i32, 2, 3, 4].iter().flat_map(|v| v.to_ne_bytes()).collect();
    let args = [
        Arg::value(&-1i8),
        Arg::value(&-2i16),
        Arg::value(&-3i32),
        Arg::value(&-4i64),
        Arg::value(&1.5f32),
        Arg::value(&2.5f64),
        Arg::Value(&vector),
        Arg::Value(bytes),
        Arg::Pointer(out.ptr()),
    ];
    let expected = [-1.0, -2.0, -3.0, -4.0, 1.5, 2.5, 1234.0, 10.5];
    let kernel = rig.kernel("basic", "all_values");
    rig.run(&kernel, &Range::new([1]), &args);
    assert_eq!(values::<f64>(&out), expected);
}

#[test]
fn arguments_set_one_by_one() {
    let rig = Rig::new();
    let (data, kernel) = (rig.shared(&[0i32; 64]), rig.kernel("basic", "fill"));
    let launch = |value: i32| {
        let args = [Arg::Pointer(data.ptr()), Arg::value(&value)];
        // SAFETY: the kernel writes 64 values, which live until the wait.
        unsafe { rig.queue.launch_legacy(&kernel, &Range::new([64]), &args, &[]) }
            .expect("launch")
            .wait()
            .expect("wait");
    };
    launch(7);
    assert_eq!(values::<i32>(&data), [7; 64]);
    launch(8);
    assert_eq!(values::<i32>(&data), [8; 64]);
    // SAFETY: as the kernel expects; the pointer of the last launch stays.
    unsafe { kernel.set_arg(1, Arg::value(&9i32)) }.expect("urKernelSetArgValue");
    let (global, null) = ([64usize], std::ptr::null());
    let (queue, kernel, none) = (rig.queue.raw(), kernel.raw(), std::ptr::null_mut());
    expect!(
        ur!(urEnqueueKernelLaunch(
            queue,
            kernel,
            1,
            null,
            global.as_ptr(),
            null,
            std::ptr::null(),
            0,
            std::ptr::null(),
            none
        )),
        SUCCESS
    );
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!(values::<i32>(&data), [9; 64]);
}

#[test]
fn arguments_that_are_refused() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "fill");
    // SAFETY: arguments that must be refused; nothing is launched.
    unsafe {
        expect!(
            check(kernel.set_arg(2, Arg::value(&1i32))),
            ERROR_INVALID_KERNEL_ARGUMENT_INDEX
        );
        expect!(
            check(kernel.set_arg(2, Arg::Pointer(std::ptr::null()))),
            ERROR_INVALID_KERNEL_ARGUMENT_INDEX
        );
        expect!(
            check(kernel.set_arg(1, Arg::value(&1i16))),
            ERROR_INVALID_KERNEL_ARGUMENT_SIZE
        );
    }
}

#[test]
fn arguments_of_a_launch_that_are_refused() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "fill");
    let data = rig.shared(&[0i32; 4]);
    let range = Range::new([4]);
    let pointer = Arg::Pointer(data.ptr());
    // SAFETY: arguments that must be refused; nothing runs.
    unsafe {
        let launch = |args: &[Arg]| check(rig.queue.launch_with_args(&kernel, &range, args, &[]));
        expect!(
            launch(&[pointer, Arg::value(&1i16)]),
            ERROR_INVALID_KERNEL_ARGUMENT_SIZE
        );
        expect!(
            launch(&[pointer, Arg::value(&1i32), Arg::value(&1i32)]),
            ERROR_INVALID_KERNEL_ARGUMENT_INDEX
        );
    }
}

/// The sizes of the first arguments of `values` in arguments.cl.
const SIZES: [usize; 9] = [1, 2, 4, 8, 12, 16, 24, 32, 40];

/// Bytes for arguments of these sizes, all of them different.
fn distinct() -> Vec<Vec<u8>> {
    let mut next = 1..;
    SIZES.map(|size| next.by_ref().take(size).collect()).to_vec()
}

/// As `of`, but for the last byte of each that `which` names.
fn otherwise(of: &[Vec<u8>], which: impl Fn(usize) -> bool) -> Vec<Vec<u8>> {
    let mut other = of.to_vec();
    for (index, bytes) in other.iter_mut().enumerate().filter(|(index, _)| which(*index)) {
        bytes[SIZES[index] - 1] ^= 0xff;
    }
    other
}

/// Launches `values` with these arguments, set one by one or with the launch, and checks what it got.
#[track_caller]
fn check_values(rig: &Rig, kernel: &Kernel, values_of: &[Vec<u8>], one_by_one: bool) {
    let out = rig.shared(&[0u8; 139]);
    let mut args: Vec<_> = values_of.iter().map(|bytes| Arg::Value(bytes)).collect();
    args.push(Arg::Pointer(out.ptr()));
    let range = Range::new([1]);
    // SAFETY: the kernel writes 139 bytes, which live until the wait.
    let event = unsafe {
        match one_by_one {
            true => rig.queue.launch_legacy(kernel, &range, &args, &[]),
            false => rig.queue.launch_with_args(kernel, &range, &args, &[]),
        }
    };
    event.expect("launch").wait().expect("urEventWait");
    assert_eq!(values::<u8>(&out), values_of.concat());
}

#[test]
fn values_that_stay_and_change() {
    let rig = Rig::new();
    let kernel = rig.kernel("arguments", "values");
    let a = distinct();
    let b = otherwise(&a, |_| true);
    // Whatever an adapter remembers of the launch before, this one gets its own.
    let ways: [fn(usize) -> bool; 4] = [|_| true, |_| false, |time| time % 2 == 0, |time| time % 3 == 0];
    for one_by_one in ways {
        for (time, values_of) in [&a, &a, &b, &a, &b, &b, &a, &a].into_iter().enumerate() {
            check_values(&rig, &kernel, values_of, one_by_one(time));
        }
        // One alone changes, and the next, and there is something of both in every launch.
        for changed in 0..SIZES.len() {
            check_values(&rig, &kernel, &otherwise(&a, |i| i == changed), one_by_one(changed));
            check_values(&rig, &kernel, &otherwise(&a, |i| i != changed), one_by_one(changed + 1));
        }
    }
}

#[test]
fn values_that_are_set_alone() {
    let rig = Rig::new();
    let kernel = rig.kernel("arguments", "values");
    let a = distinct();
    let b = otherwise(&a, |_| true);
    let out = rig.shared(&[0u8; 139]);
    let set = |index: usize, arg| {
        // SAFETY: as the kernel expects.
        unsafe { kernel.set_arg(index as u32, arg) }.expect("urKernelSetArg");
    };
    let launch = |expected: &[Vec<u8>]| {
        // SAFETY: the kernel writes 139 bytes, which live until the wait.
        unsafe { rig.queue.launch_legacy(&kernel, &Range::new([1]), &[], &[]) }
            .expect("launch")
            .wait()
            .expect("urEventWait");
        assert_eq!(values::<u8>(&out), expected.concat());
    };
    set(SIZES.len(), Arg::Pointer(out.ptr()));
    for (index, bytes) in a.iter().enumerate() {
        set(index, Arg::Value(bytes));
    }
    launch(&a);
    for index in 0..SIZES.len() {
        set(index, Arg::Value(&b[index]));
        launch(&otherwise(&a, |i| i == index));
        // The last one set counts, however often.
        for bytes in [&a[index], &b[index], &b[index], &a[index]] {
            set(index, Arg::Value(bytes));
        }
        launch(&a);
    }
}

/// What comes of a value with more bytes than the argument has. On Level Zero the first ones count: oneMKL's kernels for
/// GPUs rely on it.
fn of_longer(rig: &Rig) -> ResultCode {
    match rig.backend() {
        Backend::LEVEL_ZERO => ResultCode::SUCCESS,
        _ => ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
    }
}

#[test]
fn values_of_a_wrong_size() {
    let rig = Rig::new();
    let kernel = rig.kernel("arguments", "values");
    let a = distinct();
    for (index, right) in a.iter().enumerate() {
        // The same bytes and one more, or one less.
        let longer = [right.as_slice(), &[0]].concat();
        let refused = ResultCode::ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
        for (wrong, expected) in [(&longer[..], of_longer(&rig)), (&right[..right.len() - 1], refused)] {
            check_values(&rig, &kernel, &a, index % 2 == 0);
            for _ in 0..2 {
                // SAFETY: an argument that must be refused, or counts as its first bytes.
                let set = check(unsafe { kernel.set_arg(index as u32, Arg::Value(wrong)) });
                assert_eq!(set, expected);
            }
            // What was set before is still set.
            let out = rig.shared(&[0u8; 139]);
            // SAFETY: the kernel writes 139 bytes, which live until the wait.
            let event = unsafe {
                kernel
                    .set_arg(9, Arg::Pointer(out.ptr()))
                    .expect("urKernelSetArgPointer");
                rig.queue.launch_legacy(&kernel, &Range::new([1]), &[], &[])
            };
            event.expect("launch").wait().expect("urEventWait");
            assert_eq!(values::<u8>(&out), a.concat());
        }
    }
}

#[test]
fn arguments_that_are_refused_again() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "fill");
    let (data, buffer) = (rig.shared(&[0i32; 4]), rig.buffer(&[0i32; 4]));
    let wide = [0u8; 40];
    let run = |value: i32| {
        rig.run(
            &kernel,
            &Range::new([4]),
            &[Arg::Pointer(data.ptr()), Arg::value(&value)],
        );
        assert_eq!(values::<i32>(&data), [value; 4]);
    };
    let mut indices = vec![2, 3, 64, 1 << 20];
    if !intel("its driver crashes on the largest") {
        indices.push(u32::MAX);
    }
    for value in 0..3 {
        for &index in &indices {
            for arg in [
                Arg::value(&value),
                Arg::Value(&wide[..8]),
                Arg::Value(&wide),
                Arg::Pointer(data.ptr()),
                Arg::Local(64),
                Arg::mem(&buffer),
            ] {
                // SAFETY: an argument that must be refused.
                let set = unsafe { kernel.set_arg(index, arg) };
                expect!(check(set), ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
            }
        }
        run(value);
        // That the value is right does not make its size right.
        for _ in 0..2 {
            let bytes = [value.to_ne_bytes(), [0; 4]].concat();
            // SAFETY: an argument that must be refused, or counts as its first bytes.
            let set = unsafe { kernel.set_arg(1, Arg::Value(&bytes)) };
            assert_eq!(check(set), of_longer(&rig));
        }
        run(value);
    }
}

#[test]
fn addresses_that_come_again() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "fill");
    // What is aligned so is not kept when it is freed: the driver has it back at once.
    for align in [0, 4096] {
        let mut seen = Vec::new();
        for time in 0..40 {
            let count = if time % 4 < 2 { 1024 } else { 300_000 };
            let request = UsmRequest {
                align,
                ..Default::default()
            };
            let mut usm = match time % 3 {
                0 => Usm::host(&rig.context, count * 4, request),
                _ => Usm::shared(&rig.context, &rig.device, count * 4, request),
            }
            .expect("an allocation");
            seen.push(usm.ptr());
            // SAFETY: memory that the host sees and no command uses yet.
            unsafe { usm.as_mut_slice::<i32>() }.fill(-1);
            let args = [Arg::Pointer(usm.ptr()), Arg::value(&7i32)];
            let range = Range::new([count]);
            // SAFETY: the kernel fills the memory, which lives until the wait.
            let event = unsafe {
                match time % 5 {
                    0 => rig.queue.launch_legacy(&kernel, &range, &args, &[]),
                    _ => rig.queue.launch_with_args(&kernel, &range, &args, &[]),
                }
            };
            event.expect("launch").wait().expect("urEventWait");
            assert!(values::<i32>(&usm).iter().all(|value| *value == 7), "time {time}");
        }
        let all = seen.len();
        seen.sort();
        seen.dedup();
        assert!(seen.len() < all, "no address came again");
    }
}

#[test]
fn pointers_that_become_null() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "which_null");
    let (some, out) = (rig.shared(&[0i32; 1]), rig.shared(&[9i32; 2]));
    for time in 0..24 {
        let null = [time % 2 == 0, time % 3 == 0];
        let [a, b] = null.map(|null| Arg::Pointer(if null { std::ptr::null() } else { some.ptr() }));
        let args = [a, b, Arg::Pointer(out.ptr())];
        // SAFETY: the kernel writes two values, which live until the wait.
        let event = unsafe {
            match time % 4 < 2 {
                true => rig.queue.launch_legacy(&kernel, &Range::new([1]), &args, &[]),
                false => rig.queue.launch_with_args(&kernel, &Range::new([1]), &args, &[]),
            }
        };
        event.expect("launch").wait().expect("urEventWait");
        assert_eq!(values::<i32>(&out), null.map(i32::from), "time {time}");
    }
}

#[test]
fn buffers_that_follow_each_other() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "add");
    let kept = rig.buffer(&[100i32; 64]);
    for time in 0..40i32 {
        // Each of these may get the handle of one that is gone.
        let (a, c) = (rig.buffer(&[time; 64]), rig.buffer(&[-1i32; 64]));
        let args = [Arg::mem(&a), Arg::mem(&kept), Arg::mem(&c)];
        // SAFETY: the kernel works on 64 values of each, which live until the wait.
        let event = unsafe {
            match time % 3 {
                0 => rig.queue.launch_legacy(&kernel, &Range::new([64]), &args, &[]),
                _ => rig.queue.launch_with_args(&kernel, &Range::new([64]), &args, &[]),
            }
        };
        event.expect("launch").wait().expect("urEventWait");
        assert_eq!(rig.contents::<i32>(&c), [100 + time; 64]);
    }
}

#[test]
fn pointers_and_buffers_in_turn() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "fill");
    let (usm, buffer) = (rig.shared(&[0i32; 16]), rig.buffer(&[0i32; 16]));
    let run = |of, value: i32| rig.run(&kernel, &Range::new([16]), &[of, Arg::value(&value)]);
    for value in (1..20).step_by(2) {
        run(Arg::Pointer(usm.ptr()), value);
        run(Arg::mem(&buffer), value + 1);
        assert_eq!(values::<i32>(&usm), [value; 16]);
        assert_eq!(rig.contents::<i32>(&buffer), [value + 1; 16]);
    }
}

#[test]
fn null_pointers_and_no_buffers() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "which_null");
    let (some, out) = (rig.shared(&[0i32; 1]), rig.shared(&[9i32; 2]));
    let null = Arg::Pointer(std::ptr::null());
    rig.run(
        &kernel,
        &Range::new([1]),
        &[null, Arg::Pointer(some.ptr()), Arg::Pointer(out.ptr())],
    );
    assert_eq!(values::<i32>(&out), [1, 0]);
}

#[test]
fn indirect_access() {
    let rig = Rig::new();
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Node {
        next: u64,
        value: u64,
    }
    let nodes: Vec<_> = (0..10).map(|_| rig.shared(&[0u64; 2])).collect();
    for (i, node) in nodes.iter().enumerate() {
        let next = nodes.get(i + 1).map_or(0, |n| n.ptr() as u64);
        // SAFETY: 16 bytes of shared memory that no command uses yet.
        unsafe { node.ptr().cast::<Node>().write(Node { next, value: i as u64 }) };
    }
    let out = rig.shared(&[0u64]);
    let kernel = rig.kernel("basic", "sum_list");
    kernel
        .set_exec_info(KernelExecInfo::USM_INDIRECT_ACCESS, &[1u8])
        .expect("urKernelSetExecInfo");
    rig.run(
        &kernel,
        &Range::new([1]),
        &[Arg::Pointer(nodes[0].ptr()), Arg::Pointer(out.ptr())],
    );
    assert_eq!(values::<u64>(&out), [45]);
    let pointers: Vec<*mut c_void> = nodes.iter().map(|node| node.ptr()).collect();
    kernel
        .set_exec_info(KernelExecInfo::USM_PTRS, &pointers)
        .expect("urKernelSetExecInfo");
    rig.run(
        &kernel,
        &Range::new([1]),
        &[Arg::Pointer(nodes[5].ptr()), Arg::Pointer(out.ptr())],
    );
    assert_eq!(values::<u64>(&out), [35]);
    let config = KernelCacheConfig::LARGE_SLM.0;
    expect!(
        check(kernel.set_exec_info(KernelExecInfo::CACHE_CONFIG, &[config])),
        SUCCESS | ERROR_UNSUPPORTED_ENUMERATION | ERROR_UNSUPPORTED_FEATURE
    );
    expect!(
        check(kernel.set_exec_info(KernelExecInfo(99), &[config])),
        ERROR_INVALID_ENUMERATION | ERROR_UNSUPPORTED_ENUMERATION
    );
}

#[test]
fn suggested_local_size() {
    let rig = Rig::new();
    let largest: usize = rig.device.info(DeviceInfo::MAX_WORK_GROUP_SIZE).expect("a size");
    let kernel = rig.kernel("basic", "nothing");
    for range in [
        Range::new([1024]),
        Range::new([64, 64]),
        Range::new([8, 16, 32]),
        Range::new([7]),
        Range::new([1, 1]),
    ] {
        let local = match kernel.suggested_local_size(&rig.queue, &range) {
            Ok(local) => local,
            Err(error) => return assert!(error == ResultCode::ERROR_UNSUPPORTED_FEATURE, "{error}"),
        };
        let dimensions = range.dimensions as usize;
        for (global, local) in range.global[..dimensions].iter().zip(&local) {
            assert!(*local >= 1 && global % local == 0, "{local} of {global}");
        }
        assert!(local[..dimensions].iter().product::<usize>() <= largest);
    }
}

#[test]
fn suggested_local_size_with_args() {
    let rig = Rig::new();
    if oxur_conformance::intel("urKernelGetSuggestedLocalWorkSizeWithArgs is of 2026.2") {
        return assert!(
            rig.queue
                .loader()
                .fns()
                .ddi
                .Kernel
                .pfnGetSuggestedLocalWorkSizeWithArgs
                .is_none()
        );
    }
    let (kernel, data) = (rig.kernel("basic", "reverse_groups"), rig.shared(&[0i32; 256]));
    let args = [Arg::Pointer(data.ptr()).properties(0), Arg::Local(1024).properties(1)];
    let (offset, global, mut local) = ([0usize; 3], [256usize, 1, 1], [0usize; 3]);
    expect!(
        ur!(urKernelGetSuggestedLocalWorkSizeWithArgs(
            kernel.raw(),
            rig.queue.raw(),
            1,
            offset.as_ptr(),
            global.as_ptr(),
            2,
            args.as_ptr(),
            local.as_mut_ptr()
        )),
        SUCCESS | ERROR_UNSUPPORTED_FEATURE
    );
    assert!(local[0] == 0 || 256 % local[0] == 0);
}

#[test]
fn max_cooperative_groups() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "fill");
    match kernel.max_cooperative_groups(&rig.device, &[64], 0) {
        Ok(count) => assert!(count >= 1),
        Err(error) => assert!(error == ResultCode::ERROR_UNSUPPORTED_FEATURE, "{error}"),
    }
}

#[test]
fn specialization_of_a_kernel() {
    let rig = Rig::new();
    let kernel = rig.kernel("spec_constants", "constants");
    let supported: bool = rig
        .device
        .info(DeviceInfo::KERNEL_SET_SPECIALIZATION_CONSTANTS)
        .expect("a truth value");
    let value = 1i32;
    let constant = SpecializationConstantInfo {
        id: 1,
        size: 4,
        pValue: (&raw const value).cast(),
    };
    let result = ur!(urKernelSetSpecializationConstants(kernel.raw(), 1, &constant));
    if supported {
        expect!(result, SUCCESS);
    } else {
        expect!(result, ERROR_UNSUPPORTED_FEATURE);
    }
}
