// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Property chains: each member arrives at the trait of the object, and what is none of the function's is refused.

use std::cell::RefCell;
use std::fmt::Debug;
use std::ptr::{from_mut, from_ref};

use kit::UsmProperties;

use super::*;

thread_local! {
    static SEEN: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Notes what a method of a trait was given.
pub(super) fn saw(properties: impl Debug) {
    SEEN.set(Some(format!("{properties:?}")));
}

/// What the last method of a trait was given; nothing, if the kit has refused the call.
fn seen() -> Option<String> {
    SEEN.take()
}

fn shown(properties: impl Debug) -> Option<String> {
    Some(format!("{properties:?}"))
}

/// Another structure in front of a chain.
fn link<T>(next: &mut T) -> *mut c_void {
    from_mut(next).cast()
}

/// A structure of a type that nobody knows.
fn stranger() -> BaseProperties {
    BaseProperties {
        stype: StructureType(0x7777),
        pNext: null_mut(),
    }
}

#[test]
fn of_usm() {
    let mut location = UsmAllocLocationDesc {
        location: 3,
        ..Default::default()
    };
    let mut host = UsmHostDesc {
        pNext: link(&mut location),
        flags: UsmHostMemFlags::INITIAL_PLACEMENT,
        ..Default::default()
    };
    let mut of_device = UsmDeviceDesc {
        pNext: link(&mut host),
        flags: UsmDeviceMemFlags::WRITE_COMBINED,
        ..Default::default()
    };
    let mut desc = UsmDesc {
        pNext: link(&mut of_device),
        hints: UsmAdviceFlags::BIAS_CACHED,
        align: 64,
        ..Default::default()
    };
    let expected = UsmProperties {
        align: 64,
        hints: UsmAdviceFlags::BIAS_CACHED,
        device_flags: UsmDeviceMemFlags::WRITE_COMBINED,
        host_flags: UsmHostMemFlags::INITIAL_PLACEMENT,
        location: Some(3),
    };
    let (context, device, pool) = (context(), device(), UsmPoolHandle::default());
    let mut memory = null_mut();
    let mut alloc = |kind: u32, desc: *const UsmDesc| match kind {
        0 => call!(USM.pfnHostAlloc(context, desc, pool, 64, &mut memory)),
        1 => call!(USM.pfnDeviceAlloc(context, device, desc, pool, 64, &mut memory)),
        _ => call!(USM.pfnSharedAlloc(context, device, desc, pool, 64, &mut memory)),
    };
    for kind in 0..3 {
        alloc(kind, &desc);
        assert_eq!(seen(), shown(expected));
        alloc(kind, std::ptr::null());
        assert_eq!(seen(), shown(UsmProperties::default()));
    }
    let mut unknown = stranger();
    let mut foreign = QueueIndexProperties::default();
    for next in [link(&mut unknown), link(&mut foreign)] {
        desc.pNext = next;
        for kind in 0..3 {
            assert_eq!(alloc(kind, &desc), ResultCode::ERROR_UNSUPPORTED_FEATURE);
            assert_eq!(seen(), None);
        }
    }
    // A cycle.
    let mut cycle = UsmAllocLocationDesc::default();
    cycle.pNext = from_ref(&cycle).cast();
    desc.pNext = link(&mut cycle);
    assert_eq!(alloc(0, &desc), ResultCode::ERROR_INVALID_VALUE);
    assert_eq!(seen(), None);
}

#[test]
fn of_pools() {
    let (context, device) = (context(), device());
    let mut buffer = UsmPoolBufferDesc {
        pMem: std::ptr::without_provenance_mut(0x1000),
        size: 256,
        memType: UsmType::DEVICE,
        device,
        ..Default::default()
    };
    let mut limits = UsmPoolLimitsDesc {
        pNext: link(&mut buffer),
        maxPoolableSize: 5,
        minDriverAllocSize: 6,
        ..Default::default()
    };
    let mut desc = UsmPoolDesc {
        pNext: link(&mut limits),
        flags: UsmPoolFlags::READ_ONLY_EXP,
        ..Default::default()
    };
    let mut pool = UsmPoolHandle::default();
    let mut create = |desc: &mut UsmPoolDesc, exp| match exp {
        false => call!(USM.pfnPoolCreate(context, desc, &mut pool)),
        true => call!(USMExp.pfnPoolCreateExp(context, device, desc, &mut pool)),
    };
    for exp in [false, true] {
        create(&mut desc, exp);
        let expected = (0x1000usize, 256usize, UsmType::DEVICE, exp);
        let expected = (UsmPoolFlags::READ_ONLY_EXP, Some(5usize), Some(6usize), Some(expected));
        assert_eq!(seen(), shown(expected));
    }
    let mut strange = UsmPoolBufferDesc {
        device: DeviceHandle(context.0),
        ..Default::default()
    };
    desc.pNext = link(&mut strange);
    assert_eq!(create(&mut desc, false), ResultCode::ERROR_INVALID_DEVICE);
    let mut unknown = stranger();
    desc.pNext = link(&mut unknown);
    for exp in [false, true] {
        assert_eq!(create(&mut desc, exp), ResultCode::ERROR_UNSUPPORTED_FEATURE);
        assert_eq!(seen(), None);
    }
}

#[test]
fn of_queues() {
    let (context, device) = (context(), device());
    let mut index = QueueIndexProperties {
        computeIndex: 3,
        ..Default::default()
    };
    let properties = ur::QueueProperties {
        pNext: link(&mut index),
        flags: QueueFlags::PROFILING_ENABLE,
        ..Default::default()
    };
    let create = |properties: *const ur::QueueProperties| {
        let mut queue = QueueHandle::default();
        let got = call!(Queue.pfnCreate(context, device, properties, &mut queue));
        if got == ResultCode::SUCCESS {
            assert_eq!(call!(Queue.pfnRelease(queue)), ResultCode::SUCCESS);
        }
        got
    };
    assert_eq!(create(&properties), ResultCode::SUCCESS);
    let expected = QueueProperties {
        flags: QueueFlags::PROFILING_ENABLE,
        compute_index: Some(3),
    };
    assert_eq!(seen(), shown(expected));
    assert_eq!(create(std::ptr::null()), ResultCode::SUCCESS);
    assert_eq!(seen(), shown(QueueProperties::default()));

    let mut too_large = QueueIndexProperties {
        computeIndex: 4,
        ..Default::default()
    };
    let mut unknown = stranger();
    let mut foreign = UsmHostDesc::default();
    for next in [link(&mut too_large), link(&mut unknown), link(&mut foreign)] {
        let properties = ur::QueueProperties {
            pNext: next,
            ..Default::default()
        };
        assert_eq!(create(&properties), ResultCode::ERROR_INVALID_QUEUE_PROPERTIES);
        assert_eq!(seen(), None);
    }
}

#[test]
fn of_native_queues() {
    let (context, device) = (context(), device());
    let mut desc = QueueNativeDesc {
        pNativeData: std::ptr::without_provenance_mut(0x1000),
        ..Default::default()
    };
    let mut index = QueueIndexProperties {
        pNext: link(&mut desc),
        computeIndex: 2,
        ..Default::default()
    };
    let mut queue = ur::QueueProperties {
        pNext: link(&mut index),
        flags: QueueFlags::PRIORITY_LOW,
        ..Default::default()
    };
    let mut properties = ur::QueueNativeProperties {
        pNext: link(&mut queue),
        isNativeHandleOwned: true,
        ..Default::default()
    };
    let create = |properties: *const ur::QueueNativeProperties| {
        let mut queue = QueueHandle::default();
        call!(Queue.pfnCreateWithNativeHandle(1, context, device, properties, &mut queue))
    };
    create(&properties);
    let expected = QueueNativeProperties {
        owned: true,
        queue: QueueProperties {
            flags: QueueFlags::PRIORITY_LOW,
            compute_index: Some(2),
        },
        data: std::ptr::without_provenance_mut(0x1000),
    };
    assert_eq!(seen(), shown(expected));
    create(std::ptr::null());
    assert_eq!(seen(), shown(QueueNativeProperties::default()));
    let mut unknown = stranger();
    properties.pNext = link(&mut unknown);
    assert_eq!(create(&properties), ResultCode::ERROR_UNSUPPORTED_FEATURE);
    assert_eq!(seen(), None);
}
