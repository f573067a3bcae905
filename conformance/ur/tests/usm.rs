// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! USM allocations and pools.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Queue, Range, Result, Usm, UsmPool, UsmRequest};
use oxur_conformance::{Allowed, Rig, UserEvent, check, check_infos, expect, intel, ur};

use crate::known;

/// A kind of allocation, with its function.
type Kind<'a> = (UsmType, Box<dyn Fn(usize, UsmRequest) -> Result<Usm> + 'a>);

/// The three kinds that this device has, with their allocation functions.
fn kinds(rig: &Rig) -> Vec<Kind<'_>> {
    let has = |property| {
        !rig.device
            .info::<DeviceUsmAccessCapabilityFlags>(property)
            .expect("the access")
            .is_empty()
    };
    let mut kinds: Vec<Kind> = Vec::new();
    if has(DeviceInfo::USM_HOST_SUPPORT) {
        kinds.push((
            UsmType::HOST,
            Box::new(|size, request| Usm::host(&rig.context, size, request)),
        ));
    }
    if has(DeviceInfo::USM_DEVICE_SUPPORT) {
        kinds.push((
            UsmType::DEVICE,
            Box::new(|size, request| Usm::device(&rig.context, &rig.device, size, request)),
        ));
    }
    if has(DeviceInfo::USM_SINGLE_SHARED_SUPPORT) {
        kinds.push((
            UsmType::SHARED,
            Box::new(|size, request| Usm::shared(&rig.context, &rig.device, size, request)),
        ));
    }
    assert!(!kinds.is_empty(), "SYCL needs USM of some kind");
    kinds
}

#[test]
fn info() {
    let rig = Rig::new();
    for (kind, alloc) in kinds(&rig) {
        let usm = alloc(1000, UsmRequest::default()).expect("an allocation");
        let get = |p, size, value, size_ret| {
            ur!(urUSMGetMemAllocInfo(
                rig.context.raw(),
                usm.ptr(),
                UsmAllocInfo(p),
                size,
                value,
                size_ret
            ))
        };
        check_infos(
            "UsmAllocInfo",
            &get,
            Allowed {
                intel: &[known::LARGER],
                ..Allowed::default()
            },
        );
        assert_eq!(usm.info::<UsmType>(UsmAllocInfo::TYPE).expect("the type"), kind);
        assert_eq!(
            usm.info::<*mut c_void>(UsmAllocInfo::BASE_PTR).expect("the base"),
            usm.ptr()
        );
        assert!(usm.info::<usize>(UsmAllocInfo::SIZE).expect("the size") >= 1000);
        let device: DeviceHandle = usm.info(UsmAllocInfo::DEVICE).expect("the device");
        if kind != UsmType::HOST {
            assert_eq!(device, rig.device.raw());
        }
    }
}

#[test]
fn info_of_an_address_inside() {
    let rig = Rig::new();
    for (kind, alloc) in kinds(&rig) {
        let usm = alloc(1000, UsmRequest::default()).expect("an allocation");
        let (mut base, inside) = (null_mut::<c_void>(), usm.ptr().wrapping_byte_add(500));
        let (property, at) = (UsmAllocInfo::BASE_PTR, (&raw mut base).cast());
        expect!(
            ur!(urUSMGetMemAllocInfo(
                rig.context.raw(),
                inside,
                property,
                8,
                at,
                null_mut()
            )),
            SUCCESS
        );
        assert_eq!(base, usm.ptr(), "{kind:?}");
    }
}

#[test]
fn info_of_a_foreign_address() {
    let rig = Rig::new();
    let mut kind = UsmType::HOST;
    let (property, at, foreign) = (UsmAllocInfo::TYPE, (&raw mut kind).cast(), (&raw const rig).cast());
    expect!(
        ur!(urUSMGetMemAllocInfo(
            rig.context.raw(),
            foreign,
            property,
            4,
            at,
            null_mut()
        )),
        SUCCESS
    );
    assert_eq!(kind, UsmType::UNKNOWN);
}

#[test]
fn alignment() {
    let rig = Rig::new();
    for (kind, alloc) in kinds(&rig) {
        for align in [1u32, 8, 64, 256, 4096] {
            for size in [1, 100, 10_000] {
                let Ok(usm) = alloc(
                    size,
                    UsmRequest {
                        align,
                        ..Default::default()
                    },
                ) else {
                    assert!(align > 128, "{kind:?} aligned to {align}");
                    continue;
                };
                assert_eq!(usm.ptr() as usize % align as usize, 0, "{kind:?} aligned to {align}");
            }
        }
        let result = alloc(
            64,
            UsmRequest {
                align: 3,
                ..Default::default()
            },
        );
        expect!(check(result), ERROR_INVALID_VALUE | ERROR_UNSUPPORTED_ALIGNMENT);
    }
}

#[test]
fn sizes_that_are_refused() {
    let rig = Rig::new();
    for (_, alloc) in kinds(&rig) {
        expect!(check(alloc(0, UsmRequest::default())), ERROR_INVALID_USM_SIZE);
        expect!(
            check(alloc(usize::MAX, UsmRequest::default())),
            ERROR_INVALID_USM_SIZE | ERROR_OUT_OF_HOST_MEMORY | ERROR_OUT_OF_DEVICE_MEMORY | ERROR_OUT_OF_RESOURCES
        );
    }
}

#[test]
fn host_and_kernel_share() {
    let rig = Rig::new();
    let increment = rig.kernel("basic", "increment");
    for (kind, alloc) in kinds(&rig) {
        if kind == UsmType::DEVICE {
            continue;
        }
        let mut usm = alloc(400, UsmRequest::default()).expect("an allocation");
        // SAFETY: memory that the host sees, filled first, and no command runs here.
        unsafe { usm.as_mut_slice::<i32>() }.fill(5);
        rig.run(&increment, &Range::new([100]), &[Arg::Pointer(usm.ptr())]);
        assert_eq!(oxur_conformance::values::<i32>(&usm), [6; 100], "{kind:?}");
    }
}

#[test]
fn device_memory_in_a_kernel() {
    let rig = Rig::new();
    let usm = Usm::device(&rig.context, &rig.device, 400, UsmRequest::default()).expect("urUSMDeviceAlloc");
    let mut back = [0i32; 100];
    // SAFETY: ranges of 400 bytes that live until the blocking copy at the end.
    unsafe {
        rig.queue.memset(usm.ptr(), &[41i32], 400, &[]).expect("memset");
        rig.run(
            &rig.kernel("basic", "increment"),
            &Range::new([100]),
            &[Arg::Pointer(usm.ptr())],
        );
        rig.queue
            .memcpy(true, back.as_mut_ptr().cast(), usm.ptr(), 400, &[])
            .expect("memcpy");
    }
    assert_eq!(back, [42; 100]);
}

#[test]
fn many_allocations() {
    let rig = Rig::new();
    for (kind, alloc) in kinds(&rig) {
        let all: Vec<_> = (1..500)
            .map(|size| alloc(size, UsmRequest::default()).expect("an allocation"))
            .collect();
        let mut ranges: Vec<_> = all.iter().map(|usm| (usm.ptr() as usize, usm.len())).collect();
        ranges.sort();
        assert!(
            ranges.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0),
            "{kind:?} overlap"
        );
    }
}

#[test]
fn free_what_is_not_ours() {
    let rig = Rig::new();
    let mut local = 0u64;
    expect!(
        ur!(urUSMFree(rig.context.raw(), (&raw mut local).cast())),
        ERROR_INVALID_MEM_OBJECT | ERROR_INVALID_VALUE
    );
}

#[test]
fn null_places() {
    let rig = Rig::new();
    let (context, device, pool) = (rig.context.raw(), rig.device.raw(), UsmPoolHandle::default());
    expect!(ur!(urUSMHostAlloc(context, null(), pool, 64, null_mut())), ERROR_INVALID_NULL_POINTER; intel crash,
        known::UNCHECKED);
    expect!(ur!(urUSMDeviceAlloc(context, device, null(), pool, 64, null_mut())), ERROR_INVALID_NULL_POINTER;
        intel crash, known::UNCHECKED);
    expect!(ur!(urUSMFree(context, null_mut())), ERROR_INVALID_NULL_POINTER; intel SUCCESS, known::PASSED_ON);
}

#[test]
fn pools() {
    let rig = Rig::new();
    let supported: bool = rig.device.info(DeviceInfo::USM_POOL_SUPPORT).expect("a truth value");
    let pool = UsmPool::new(&rig.context, UsmPoolFlags::empty());
    if !supported {
        return expect!(check(pool), ERROR_UNSUPPORTED_FEATURE);
    }
    let pool = pool.expect("urUSMPoolCreate");
    assert_eq!(pool.info::<u32>(UsmPoolInfo::REFERENCE_COUNT).expect("the count"), 1);
    assert_eq!(
        pool.info::<ContextHandle>(UsmPoolInfo::CONTEXT).expect("the context"),
        rig.context.raw()
    );
    let second = pool.clone();
    assert_eq!(pool.info::<u32>(UsmPoolInfo::REFERENCE_COUNT).expect("the count"), 2);
    drop(second);
    for (kind, alloc) in kinds(&rig) {
        let request = UsmRequest {
            pool: Some(&pool),
            ..Default::default()
        };
        let all: Vec<_> = (0..20)
            .map(|i| alloc(1000 + i, request).expect("an allocation"))
            .collect();
        for usm in &all {
            assert_eq!(usm.info::<UsmType>(UsmAllocInfo::TYPE).expect("the type"), kind);
            if let Ok(of) = usm.info::<UsmPoolHandle>(UsmAllocInfo::POOL) {
                assert_eq!(of, pool.raw());
            }
        }
    }
}

#[test]
fn hints() {
    let rig = Rig::new();
    let read_mostly = UsmAdviceFlags::SET_READ_MOSTLY;
    for (_, alloc) in kinds(&rig) {
        alloc(
            64,
            UsmRequest {
                hints: read_mostly,
                ..Default::default()
            },
        )
        .expect("hints change no result");
    }
    let unknown = UsmRequest {
        hints: UsmAdviceFlags::from_bits_retain(1 << 25),
        ..Default::default()
    };
    expect!(check(Usm::host(&rig.context, 64, unknown)), ERROR_INVALID_ENUMERATION; intel SUCCESS, known::UNCHECKED);
}

#[test]
fn memory_that_is_freed_in_use() {
    if intel("the adapter has no host tasks, which this test holds a queue up with") {
        return;
    }
    const SIZE: usize = 4096;
    let rig = Rig::new();
    let alloc = || {
        let mut memory = null_mut();
        let pool = UsmPoolHandle::default();
        let (context, device) = (rig.context.raw(), rig.device.raw());
        expect!(
            ur!(urUSMSharedAlloc(context, device, null(), pool, SIZE, &mut memory)),
            SUCCESS
        );
        memory
    };
    let first = alloc();
    let Some(user_event) = UserEvent::new(&rig.queue) else {
        return;
    };
    let pattern = 0xabu8;
    let place = (&raw const pattern).cast();
    expect!(
        ur!(urEnqueueUSMFill(
            rig.queue.raw(),
            first,
            1,
            place,
            SIZE,
            0,
            null(),
            null_mut()
        )),
        SUCCESS
    );
    // The fill is still to come: it must not hit whoever gets memory next.
    expect!(ur!(urUSMFree(rig.context.raw(), first)), SUCCESS);
    expect!(ur!(urUSMFree(rig.context.raw(), first)), ERROR_INVALID_VALUE);
    let second = alloc();
    // SAFETY: shared memory of this size, which the host may touch.
    unsafe { second.write_bytes(0, SIZE) };
    user_event.complete();
    rig.queue.finish().expect("urQueueFinish");
    // SAFETY: as above.
    let bytes = unsafe { std::slice::from_raw_parts(second.cast::<u8>(), SIZE) };
    assert!(bytes.iter().all(|byte| *byte == 0));
    expect!(ur!(urUSMFree(rig.context.raw(), second)), SUCCESS);
}

/// urUSM*Alloc must return memory or an error at once: the calling thread may be the one that unfinished commands wait for.
#[test]
fn an_allocation_does_not_wait_for_commands() {
    let rig = Rig::new();
    let data = rig.buffer(&[0u32; 4]);
    for (kind, alloc) in kinds(&rig) {
        let request = |align| UsmRequest {
            align,
            ..Default::default()
        };
        // One block that nobody can still use, in a region by itself, and two that the commands behind the user event could
        // use.
        let [free, small, large] = [8 << 20, 1000, 16 << 20].map(|size| alloc(size, request(0)).expect("memory"));
        drop(free);
        let Some(user_event) = UserEvent::new(&rig.queue) else {
            return;
        };
        rig.queue
            .fill(&data, &[1u32], 0, 16, &[&user_event.event])
            .expect("fill");
        drop((small, large));
        let usm = alloc(1000, request(0)).expect("memory");
        user_event.assert_pending();
        for (size, align) in [(usize::MAX >> 1, 0), (1 << 46, 0), (64, 3), (64, 1 << 31)] {
            _ = alloc(size, request(align));
            user_event.assert_pending();
        }
        drop(usm);
        user_event.assert_pending();
        println!("{kind:?} memory");
        user_event.complete();
        rig.queue.finish().expect("urQueueFinish");
    }
}

/// urUSMFree may find the memory in use. The thread that frees may be the one that the commands wait for, so it does not wait.
#[test]
fn a_free_does_not_wait_for_commands() {
    let rig = Rig::new();
    let data = rig.buffer(&[0u32; 4]);
    for (_, alloc) in kinds(&rig) {
        let all: Vec<_> = (0..1000)
            .map(|number| {
                // Some come from the driver and go back to it one by one.
                let align = if number % 10 == 0 { 4096 } else { 0 };
                let request = UsmRequest {
                    align,
                    ..Default::default()
                };
                alloc(1000 + number, request).or_else(|_| alloc(1000 + number, UsmRequest::default()))
            })
            .collect::<Result<_>>()
            .expect("memory");
        let other = Queue::new(&rig.context, &rig.device, QueueFlags::default()).expect("urQueueCreate");
        let Some(user_event) = UserEvent::new(&rig.queue) else {
            return;
        };
        rig.queue
            .fill(&data, &[1u32], 0, 16, &[&user_event.event])
            .expect("fill");
        let addresses: Vec<_> = all.iter().map(Usm::ptr).collect();
        drop(all);
        user_event.assert_pending();
        // None is handed out again before the user event is complete.
        let more: Vec<_> = (0..100)
            .map(|_| alloc(1000, UsmRequest::default()).expect("memory"))
            .collect();
        assert!(more.iter().all(|usm| !addresses.contains(&usm.ptr())));
        // What the commands behind the first user event could use goes, while those behind a second one are unfinished.
        let next = UserEvent::new(&other).expect("host tasks");
        user_event.complete();
        rig.queue.finish().expect("urQueueFinish");
        drop(more);
        drop(alloc(1000, UsmRequest::default()).expect("memory"));
        next.assert_pending();
        next.complete();
        other.finish().expect("urQueueFinish");
    }
}

#[test]
fn two_wrappers_of_a_context_share_memory() {
    let rig = Rig::new();
    let native = match rig.context.native() {
        Ok(native) => native,
        Err(error) => return assert!(error == ResultCode::ERROR_UNSUPPORTED_FEATURE, "{error}"),
    };
    let mut other = ContextHandle::default();
    let (adapter, device) = (rig.adapter.raw(), rig.device.raw());
    expect!(
        ur!(urContextCreateWithNativeHandle(
            native,
            adapter,
            1,
            &device,
            null(),
            &mut other
        )),
        SUCCESS
    );
    let pool = UsmPoolHandle::default();
    let mut both = [null_mut(); 2];
    for memory in &mut both {
        expect!(
            ur!(urUSMHostAlloc(rig.context.raw(), null(), pool, 1000, memory)),
            SUCCESS
        );
    }
    let mut size = 0usize;
    let place = (&raw mut size).cast();
    expect!(
        ur!(urUSMGetMemAllocInfo(
            other,
            both[1],
            UsmAllocInfo::SIZE,
            size_of::<usize>(),
            place,
            null_mut()
        )),
        SUCCESS
    );
    assert!(size >= 1000, "{size}");
    expect!(ur!(urUSMFree(other, both[0])), SUCCESS);
    // SAFETY: the other allocation is alive.
    unsafe { both[1].write_bytes(1, 1000) };
    expect!(ur!(urUSMFree(rig.context.raw(), both[1])), SUCCESS);
    expect!(ur!(urContextRelease(other)), SUCCESS);
}

#[test]
fn plain_memory_in_a_kernel() {
    let rig = Rig::new();
    let access: DeviceUsmAccessCapabilityFlags = rig
        .device
        .info(DeviceInfo::USM_SYSTEM_SHARED_SUPPORT)
        .expect("the access");
    if !access.contains(DeviceUsmAccessCapabilityFlags::ACCESS) {
        return println!("kernels reach USM alone");
    }
    let mut plain = vec![1i32; 1000];
    rig.run(
        &rig.kernel("basic", "increment"),
        &Range::new([1000]),
        &[Arg::Pointer(plain.as_mut_ptr().cast())],
    );
    assert_eq!(plain, [2; 1000]);
}

#[test]
fn memory_of_the_client() {
    let rig = Rig::new();
    let context = rig.context.raw();
    #[repr(align(4096))]
    struct Pages([u8; 8192]);
    let mut pages = Box::new(Pages([0; 8192]));
    let memory: *mut c_void = pages.0.as_mut_ptr().cast();
    let kind = |memory: *mut c_void| {
        let mut kind = UsmType::SHARED;
        let (property, at) = (UsmAllocInfo::TYPE, (&raw mut kind).cast());
        expect!(
            ur!(urUSMGetMemAllocInfo(context, memory, property, 4, at, null_mut())),
            SUCCESS
        );
        kind
    };
    if intel("imports and registrations are of 2026.2") {
        return;
    }
    match ur!(urUSMImportExp(context, memory, 100)) {
        ResultCode::SUCCESS => {
            assert_eq!(kind(memory.wrapping_byte_add(99)), UsmType::HOST);
            assert_eq!(kind(memory.wrapping_byte_add(100)), UsmType::UNKNOWN);
            expect!(
                ur!(urUSMFree(context, memory)),
                ERROR_INVALID_VALUE | ERROR_INVALID_MEM_OBJECT
            );
            expect!(ur!(urUSMReleaseExp(context, memory)), SUCCESS);
            assert_eq!(kind(memory), UsmType::UNKNOWN);
        }
        other => assert_eq!(other, ResultCode::ERROR_UNSUPPORTED_FEATURE),
    }
    let supported: bool = rig
        .device
        .info(DeviceInfo::USM_HOST_ALLOC_REGISTER_SUPPORT_EXP)
        .expect("a truth value");
    let register = |size| ur!(urUSMHostAllocRegisterExp(context, memory, size, null()));
    if !supported {
        return expect!(register(8192), ERROR_UNSUPPORTED_FEATURE);
    }
    expect!(register(0), ERROR_INVALID_VALUE);
    expect!(register(8000), ERROR_INVALID_VALUE);
    let between = memory.wrapping_byte_add(1);
    expect!(
        ur!(urUSMHostAllocRegisterExp(context, between, 4096, null())),
        ERROR_INVALID_VALUE
    );
    expect!(register(8192), SUCCESS);
    assert_eq!(kind(memory), UsmType::HOST);
    expect!(ur!(urUSMHostAllocUnregisterExp(context, memory)), SUCCESS);
    expect!(ur!(urUSMHostAllocUnregisterExp(context, memory)), ERROR_INVALID_VALUE);
}

#[test]
fn pools_of_a_device() {
    let rig = Rig::new();
    let (context, device) = (rig.context.raw(), rig.device.raw());
    let current = |pool: &mut UsmPoolHandle| ur!(urUSMPoolGetDevicePoolExp(context, device, pool));
    let (mut default, mut pool) = (UsmPoolHandle::default(), UsmPoolHandle::default());
    let code = ur!(urUSMPoolGetDefaultDevicePoolExp(context, device, &mut default));
    if code != ResultCode::SUCCESS {
        return expect!(code, ERROR_UNSUPPORTED_FEATURE; intel ERROR_UNINITIALIZED, "the adapter leaves the slot empty");
    }
    expect!(current(&mut pool), SUCCESS);
    assert_eq!(pool, default);
    let mine = UsmPool::new(&rig.context, UsmPoolFlags::empty()).expect("urUSMPoolCreate");
    expect!(ur!(urUSMPoolSetDevicePoolExp(context, device, mine.raw())), SUCCESS);
    expect!(current(&mut pool), SUCCESS);
    assert_eq!(pool, mine.raw());
    expect!(ur!(urUSMPoolSetDevicePoolExp(context, device, default)), SUCCESS);
    expect!(current(&mut pool), SUCCESS);
    assert_eq!(pool, default);
}
