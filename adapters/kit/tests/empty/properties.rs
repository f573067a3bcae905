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
            assert_eq!(alloc(kind, &desc), ResultCode::ERROR_INVALID_VALUE);
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
        assert_eq!(create(&mut desc, exp), ResultCode::ERROR_INVALID_VALUE);
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

#[test]
fn of_buffers() {
    let mut bytes = [0u8; 8];
    let mut channel = BufferChannelProperties {
        channel: 5,
        ..Default::default()
    };
    let mut location = BufferAllocLocationProperties {
        pNext: link(&mut channel),
        location: 6,
        ..Default::default()
    };
    let mut properties = ur::BufferProperties {
        pNext: link(&mut location),
        pHost: link(&mut bytes),
        ..Default::default()
    };
    let context = context();
    let create = |flags, properties: *const ur::BufferProperties| {
        let mut buffer = MemHandle::default();
        call!(Mem.pfnBufferCreate(context, flags, 8, properties, &mut buffer))
    };
    create(MemFlags::USE_HOST_POINTER, &properties);
    let expected = BufferProperties {
        host: Some(kit::HostPointer(properties.pHost)),
        location: Some(6),
        channel: Some(5),
    };
    assert_eq!(seen(), shown(expected));
    create(MemFlags::READ_WRITE, std::ptr::null());
    assert_eq!(seen(), shown(BufferProperties::default()));
    let mut unknown = stranger();
    let mut foreign = UsmAllocLocationDesc::default();
    for next in [link(&mut unknown), link(&mut foreign)] {
        properties.pNext = next;
        let got = create(MemFlags::USE_HOST_POINTER, &properties);
        assert_eq!((got, seen()), (ResultCode::ERROR_INVALID_VALUE, None));
    }
}

#[test]
fn of_samplers() {
    let mut cubemap = ExpSamplerCubemapProperties {
        cubemapFilterMode: ExpSamplerCubemapFilterMode::SEAMLESS,
        ..Default::default()
    };
    let mut mip = ExpSamplerMipProperties {
        pNext: link(&mut cubemap),
        minMipmapLevelClamp: 1.0,
        maxMipmapLevelClamp: 2.0,
        maxAnisotropy: 4.0,
        mipFilterMode: SamplerFilterMode::LINEAR,
        ..Default::default()
    };
    let modes = [
        SamplerAddressingMode::CLAMP,
        SamplerAddressingMode::REPEAT,
        SamplerAddressingMode::NONE,
    ];
    let mut by_dimension = ExpSamplerAddrModes {
        pNext: link(&mut mip),
        addrModes: modes,
        ..Default::default()
    };
    let mut desc = SamplerDesc {
        pNext: link(&mut by_dimension),
        normalizedCoords: true,
        addressingMode: SamplerAddressingMode::REPEAT,
        filterMode: SamplerFilterMode::NEAREST,
        ..Default::default()
    };
    let context = context();
    let create = |desc: &SamplerDesc| {
        let mut sampler = SamplerHandle::default();
        call!(Sampler.pfnCreate(context, desc, &mut sampler))
    };
    create(&desc);
    let plain = kit::SamplerProperties::new(true, SamplerAddressingMode::REPEAT, SamplerFilterMode::NEAREST);
    let expected = kit::SamplerProperties {
        addressing_by_dimension: Some(modes),
        mip: Some(kit::SamplerMip {
            min_level: 1.0,
            max_level: 2.0,
            max_anisotropy: 4.0,
            filter: SamplerFilterMode::LINEAR,
        }),
        cubemap: Some(ExpSamplerCubemapFilterMode::SEAMLESS),
        ..plain
    };
    assert_eq!(seen(), shown(expected));
    desc.pNext = null_mut();
    create(&desc);
    assert_eq!(seen(), shown(plain));
    let mut unknown = stranger();
    desc.pNext = link(&mut unknown);
    assert_eq!((create(&desc), seen()), (ResultCode::ERROR_INVALID_VALUE, None));
}

#[test]
fn of_native_handles() {
    let (adapter, context, device) = (adapter(), context(), device());
    let format = ImageFormat::default();
    let desc = ImageDesc::default();
    // Who wraps which kind: a function of the chain.
    type Wrap<'a> = Box<dyn Fn(*mut c_void) -> ResultCode + 'a>;
    macro_rules! wrap {
        ($table:ident.$function:ident, $properties:ident, $handle:ident, $before:tt, $after:tt) => {
            Box::new(|next| {
                let properties = $properties {
                    pNext: next,
                    isNativeHandleOwned: true,
                    ..Default::default()
                };
                let mut object = $handle::default();
                wrap!(@call $table.$function, $before, $after, &properties, &mut object)
            })
        };
        (@call $table:ident.$function:ident, ($($before:expr),*), ($($after:expr),*), $properties:expr, $object:expr) => {
            call!($table.$function($($before,)* $($after,)* $properties, $object))
        };
    }
    let no_program = ProgramHandle::default();
    let all: [(&str, Wrap); 9] = [
        (
            "platform",
            wrap!(
                Platform.pfnCreateWithNativeHandle,
                PlatformNativeProperties,
                PlatformHandle,
                (1),
                (adapter)
            ),
        ),
        (
            "device",
            wrap!(
                Device.pfnCreateWithNativeHandle,
                DeviceNativeProperties,
                DeviceHandle,
                (1),
                (adapter)
            ),
        ),
        (
            "context",
            wrap!(
                Context.pfnCreateWithNativeHandle,
                ContextNativeProperties,
                ContextHandle,
                (1),
                (adapter, 1, &device)
            ),
        ),
        (
            "buffer",
            wrap!(
                Mem.pfnBufferCreateWithNativeHandle,
                MemNativeProperties,
                MemHandle,
                (1),
                (context)
            ),
        ),
        (
            "image",
            wrap!(
                Mem.pfnImageCreateWithNativeHandle,
                MemNativeProperties,
                MemHandle,
                (1),
                (context, &format, &desc)
            ),
        ),
        (
            "sampler",
            wrap!(
                Sampler.pfnCreateWithNativeHandle,
                SamplerNativeProperties,
                SamplerHandle,
                (1),
                (context)
            ),
        ),
        (
            "program",
            wrap!(
                Program.pfnCreateWithNativeHandle,
                ProgramNativeProperties,
                ProgramHandle,
                (1),
                (context)
            ),
        ),
        (
            "kernel",
            wrap!(
                Kernel.pfnCreateWithNativeHandle,
                KernelNativeProperties,
                KernelHandle,
                (1),
                (context, no_program)
            ),
        ),
        (
            "event",
            wrap!(
                Event.pfnCreateWithNativeHandle,
                EventNativeProperties,
                EventHandle,
                (1),
                (context)
            ),
        ),
    ];
    for (what, wrap) in &all {
        wrap(null_mut());
        assert_eq!(seen(), shown(true), "{what}");
        let mut unknown = stranger();
        let got = wrap(link(&mut unknown));
        assert_eq!((got, seen()), (ResultCode::ERROR_UNSUPPORTED_FEATURE, None), "{what}");
    }
}

/// These document no error for a structure that they do not know, so they do without.
#[test]
fn of_functions_that_must_not_fail() {
    let mut unknown = stranger();
    let next = link(&mut unknown);
    let properties = ContextProperties {
        pNext: next,
        flags: ContextFlags::TBD,
        ..Default::default()
    };
    let (device, mut context) = (device(), ContextHandle::default());
    let got = call!(Context.pfnCreate(1, &device, &properties, &mut context));
    assert_eq!((got, seen()), (ResultCode::SUCCESS, shown(ContextFlags::TBD)));

    let metadata = [ProgramMetadata {
        pName: c"name".as_ptr(),
        r#type: ProgramMetadataType::UINT32,
        size: 4,
        value: ProgramMetadataValue { data32: 1 },
    }];
    let properties = ProgramProperties {
        pNext: next,
        count: 1,
        pMetadatas: metadata.as_ptr(),
        ..Default::default()
    };
    let (il, mut program) = ([7u8; 4], ProgramHandle::default());
    call!(Program.pfnCreateWithIL(context, il.as_ptr().cast(), 4, &properties, &mut program));
    assert_eq!(seen(), shown(1usize));
    let (mut device, mut length, mut binary) = (device, 4, il.as_ptr());
    call!(Program.pfnCreateWithBinary(
        context,
        1,
        &mut device,
        &mut length,
        &mut binary,
        &properties,
        &mut program
    ));
    assert_eq!(seen(), shown(1usize));
}

#[test]
fn of_what_has_no_members() {
    let (context, device) = (context(), device());
    let queue = queue(context);
    seen();
    let mut unknown = stranger();
    let next = link(&mut unknown);

    let (format, mut image) = (ImageFormat::default(), MemHandle::default());
    let mut desc = ImageDesc {
        width: 1,
        ..Default::default()
    };
    let mut create = |desc: &ImageDesc| {
        call!(Mem.pfnImageCreate(context, MemFlags::READ_ONLY, &format, desc, null_mut(), &mut image))
    };
    create(&desc);
    assert_eq!(seen(), shown(MemFlags::READ_ONLY));
    desc.pNext = next;
    assert_eq!((create(&desc), seen()), (ResultCode::ERROR_INVALID_VALUE, None));

    let mut event = EventHandle::default();
    let desc = ExpEventDesc {
        pNext: next,
        ..Default::default()
    };
    let got = call!(EventExp.pfnCreateExp(context, device, &desc, &mut event));
    assert_eq!((got, seen()), (ResultCode::ERROR_UNSUPPORTED_FEATURE, None));

    let properties = ExpEnqueueExtProperties {
        pNext: next,
        ..Default::default()
    };
    let got = call!(Enqueue.pfnEventsWaitWithBarrierExt(queue, &properties, 0, std::ptr::null(), null_mut()));
    assert_eq!(got, ResultCode::ERROR_INVALID_VALUE);

    let properties = ExpEnqueueExtProperties {
        flags: ExpEnqueueExtFlags::LOW_POWER_EVENTS_SUPPORT,
        ..Default::default()
    };
    let got = call!(Enqueue.pfnEventsWaitWithBarrierExt(queue, &properties, 0, std::ptr::null(), null_mut()));
    assert_eq!((got, seen()), (ResultCode::SUCCESS, shown(properties.flags)));

    unsafe extern "C" fn never(_: *mut c_void) {
        unreachable!("the task is refused");
    }
    let properties = ExpHostTaskProperties {
        pNext: next,
        ..Default::default()
    };
    let task = Some(never as unsafe extern "C" fn(*mut c_void));
    let got = call!(EnqueueExp.pfnHostTaskExp(queue, task, null_mut(), &properties, 0, std::ptr::null(), null_mut()));
    assert_eq!(got, ResultCode::ERROR_UNSUPPORTED_FEATURE);

    let mut buffer = ExpCommandBufferHandle::default();
    let desc = ExpCommandBufferDesc {
        pNext: next,
        ..Default::default()
    };
    let got = call!(CommandBufferExp.pfnCreateExp(context, device, &desc, &mut buffer));
    assert_eq!(got, ResultCode::ERROR_UNSUPPORTED_FEATURE);

    let desc = QueueNativeDesc {
        pNext: next,
        ..Default::default()
    };
    let (mut desc, mut native) = (desc, 0);
    let got = call!(Queue.pfnGetNativeHandle(queue, &mut desc, &mut native));
    assert_eq!(got, ResultCode::ERROR_UNSUPPORTED_FEATURE);
    assert_eq!(call!(Queue.pfnRelease(queue)), ResultCode::SUCCESS);
}
