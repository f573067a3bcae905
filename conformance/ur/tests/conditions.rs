// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Conditions that the specification lists for a function's errors, one by one. Each test names the function and the
//! condition; what else the function does is tested with its object.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, CommandBuffer, CommandBufferSettings, Event, Image, Queue, Range};
use oxur_conformance::{PATIENCE, Rig, check, expect, intel, loader, spirv, ur};

use crate::known;

/// `urPlatformGet`: INVALID_VALUE if `pNumPlatforms` and `phPlatforms` are both null.
#[test]
fn platform_get_asks_for_something() {
    let adapter = Rig::new().adapter.raw();
    let mut platform = PlatformHandle::default();
    expect!(ur!(urPlatformGet(adapter, 0, null_mut(), null_mut())), ERROR_INVALID_VALUE; intel SUCCESS, known::UNCHECKED);
    expect!(ur!(urPlatformGet(adapter, 0, &mut platform, null_mut())), ERROR_INVALID_SIZE; intel SUCCESS, known::UNCHECKED);
    expect!(ur!(urPlatformGet(adapter, 1, &mut platform, null_mut())), SUCCESS);
}

/// `urDevicePartition`: INVALID_NULL_POINTER if `pProperties->pProperties` is null, whatever the count. Both outputs are
/// optional.
#[test]
fn partition_properties() {
    let rig = Rig::new();
    let (device, none) = (rig.device.raw(), null_mut());
    let mut count = 0;
    for prop_count in [0, 1] {
        let properties = DevicePartitionProperties {
            PropCount: prop_count,
            ..Default::default()
        };
        expect!(ur!(urDevicePartition(device, &properties, 0, none, &mut count)), ERROR_INVALID_NULL_POINTER;
            intel crash, known::UNCHECKED);
    }
    let property = DevicePartitionProperty {
        r#type: DevicePartition::EQUALLY,
        value: DevicePartitionValue { equally: 1 },
    };
    let properties = DevicePartitionProperties {
        PropCount: 1,
        pProperties: &property,
        ..Default::default()
    };
    if ur!(urDevicePartition(device, &properties, 0, none, &mut count)) != ResultCode::SUCCESS {
        return println!("this device has no parts");
    }
    assert!(count > 0);
    expect!(
        ur!(urDevicePartition(device, &properties, 0, none, null_mut())),
        SUCCESS
    );
}

/// `urEventGetProfilingInfo`: PROFILING_INFO_NOT_AVAILABLE if the queue was not created for profiling; INVALID_VALUE if
/// `pPropValue` is there and `propSize` is 0. There is no condition for null pointers.
#[test]
fn profiling_info() {
    let rig = Rig::new();
    let queue = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    let (event, profiled) = (
        queue.marker(&[]).expect("marker"),
        rig.queue.marker(&[]).expect("marker"),
    );
    event.wait().expect("urEventWait");
    profiled.wait().expect("urEventWait");
    let (end, mut value, none) = (ProfilingInfo::COMMAND_END, 0u64, null_mut());
    let place = (&raw mut value).cast::<c_void>();
    for (size, place) in [(8, none), (0, none), (8, place)] {
        expect!(
            ur!(urEventGetProfilingInfo(event.raw(), end, size, place, null_mut())),
            ERROR_PROFILING_INFO_NOT_AVAILABLE
        );
    }
    expect!(
        ur!(urEventGetProfilingInfo(event.raw(), end, 0, place, null_mut())),
        ERROR_PROFILING_INFO_NOT_AVAILABLE | ERROR_INVALID_VALUE
    );
    expect!(
        ur!(urEventGetProfilingInfo(profiled.raw(), end, 0, place, null_mut())),
        ERROR_INVALID_VALUE
    );
    let mut size = 0;
    expect!(
        ur!(urEventGetProfilingInfo(profiled.raw(), end, 0, none, &mut size)),
        SUCCESS
    );
    assert_eq!(size, 8);
}

/// `urMemImageCreate`: INVALID_IMAGE_FORMAT_DESCRIPTOR for a descriptor that is of another structure, of a type behind
/// IMAGE1D_ARRAY, with mipmaps or samples, or with a pitch but no memory of the host's.
#[test]
fn image_descriptors() {
    let rig = Rig::new();
    if !rig.supports(DeviceInfo::IMAGE_SUPPORT, "images") {
        return;
    }
    let format = ImageFormat {
        channelOrder: ImageChannelOrder::RGBA,
        channelType: ImageChannelType::UNSIGNED_INT8,
    };
    let plane = ImageDesc {
        r#type: MemType::IMAGE2D,
        width: 8,
        height: 4,
        depth: 1,
        ..Default::default()
    };
    let create = |desc| check(Image::new(&rig.context, MemFlags::READ_WRITE, format, &desc));
    expect!(create(plane), SUCCESS);
    expect!(create(ImageDesc { stype: StructureType::CONTEXT_PROPERTIES, ..plane }), ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR;
        intel SUCCESS, known::UNCHECKED);
    expect!(
        create(ImageDesc {
            r#type: MemType(0x77),
            ..plane
        }),
        ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR
    );
    expect!(
        create(ImageDesc {
            numMipLevel: 1,
            ..plane
        }),
        ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR
    );
    expect!(
        create(ImageDesc { numSamples: 1, ..plane }),
        ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR
    );
    expect!(
        create(ImageDesc { rowPitch: 64, ..plane }),
        ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR
    );
    expect!(create(ImageDesc { slicePitch: 256, ..plane }), ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR;
        intel SUCCESS, "OpenCL has no use for the slice pitch of a plane");
}

/// `urProgramCreateWithIL`, `urProgramCreateWithBinary`: INVALID_SIZE if there is a pointer to metadata and their count is
/// 0, INVALID_NULL_POINTER if there is a count and no pointer.
#[test]
fn program_metadata() {
    let rig = Rig::new();
    let il = spirv("basic");
    let metadata = ProgramMetadata {
        pName: c"name".as_ptr(),
        r#type: ProgramMetadataType::UINT32,
        size: 4,
        value: ProgramMetadataValue { data32: 1 },
    };
    let with = |count, list| ProgramProperties {
        count,
        pMetadatas: list,
        ..Default::default()
    };
    let (context, mut program) = (rig.context.raw(), ProgramHandle::default());
    let binaries = rig.program("basic").binaries().expect("binaries");
    let (mut devices, mut sizes, mut places) = ([rig.device.raw()], [binaries[0].len()], [binaries[0].as_ptr()]);
    let (devices, sizes, places) = (devices.as_mut_ptr(), sizes.as_mut_ptr(), places.as_mut_ptr());
    for (properties, code) in [
        (with(0, &metadata), ResultCode::ERROR_INVALID_SIZE),
        (with(1, null()), ResultCode::ERROR_INVALID_NULL_POINTER),
    ] {
        if intel("only the validation layer checks the properties") {
            return;
        }
        let got = ur!(urProgramCreateWithIL(
            context,
            il.as_ptr().cast(),
            il.len(),
            &properties,
            &mut program
        ));
        assert_eq!(got, code);
        let got = ur!(urProgramCreateWithBinary(
            context,
            1,
            devices,
            sizes,
            places,
            &properties,
            &mut program
        ));
        assert_eq!(got, code);
    }
}

/// `urKernelSetExecInfo`: every property of the enumeration is taken; there is no UNSUPPORTED_ENUMERATION.
#[test]
fn cache_config() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "nothing");
    for config in [
        KernelCacheConfig::DEFAULT,
        KernelCacheConfig::LARGE_SLM,
        KernelCacheConfig::LARGE_DATA,
    ] {
        expect!(
            check(kernel.set_exec_info(KernelExecInfo::CACHE_CONFIG, &[config.0])),
            SUCCESS
        );
    }
    rig.run(&kernel, &Range::new([1]), &[]);
}

/// `urUSMHostAllocRegisterExp`: INVALID_VALUE for a size of 0.
#[test]
fn registration_of_nothing() {
    if intel("2026.1 does not have the function") {
        return;
    }
    let rig = Rig::new();
    let mut memory = vec![0u8; 8192];
    let at = memory.as_mut_ptr().cast();
    expect!(
        ur!(urUSMHostAllocRegisterExp(rig.context.raw(), at, 0, null())),
        ERROR_INVALID_VALUE
    );
}

/// `urEventCreateWithNativeHandle`: the native handle is not checked, and INVALID_NULL_HANDLE is about the context. Clients
/// make an event that is complete of the native handle 0.
#[test]
fn an_event_of_no_native_event() {
    let rig = Rig::new();
    let (context, mut handle) = (rig.context.raw(), EventHandle::default());
    expect!(
        ur!(urEventCreateWithNativeHandle(0, context, null(), &mut handle)),
        SUCCESS
    );
    if intel("the event has no event of the driver's, and nothing can be asked of it") {
        return;
    }
    // SAFETY: a new event with one reference.
    let event = unsafe { Event::from_raw(loader(), handle) };
    let status: EventStatus = event.info(EventInfo::COMMAND_EXECUTION_STATUS).expect("the status");
    assert_eq!(status, EventStatus::COMPLETE);
    assert_eq!(
        event.info::<ContextHandle>(EventInfo::CONTEXT).expect("the context"),
        context
    );
    event.wait().expect("urEventWait");
    rig.queue
        .marker(&[&event])
        .expect("marker")
        .wait()
        .expect("urEventWait");
    let (send, receive) = std::sync::mpsc::channel();
    let call = event.on(ExecutionInfo::COMPLETE, move |status| {
        send.send(status).expect("a receiver")
    });
    call.expect("urEventSetCallback");
    let reached = receive.recv_timeout(PATIENCE);
    assert_eq!(reached.expect("a callback"), ExecutionInfo::COMPLETE);
    let none = ContextHandle::default();
    expect!(
        ur!(urEventCreateWithNativeHandle(0, none, null(), &mut handle)),
        ERROR_INVALID_NULL_HANDLE
    );
}

/// `urEventGetInfo`: COMMAND_QUEUE and CONTEXT are not optional, of an event that was made of a native one, too.
#[test]
fn the_queue_of_a_native_event() {
    let rig = Rig::new();
    let event = rig.queue.marker(&[]).expect("marker");
    let mut native = 0;
    let code = ur!(urEventGetNativeHandle(event.raw(), &mut native));
    if code != ResultCode::SUCCESS {
        expect!(code, ERROR_UNSUPPORTED_FEATURE);
        return println!("this device has no native events");
    }
    let mut handle = EventHandle::default();
    expect!(
        ur!(urEventCreateWithNativeHandle(
            native,
            rig.context.raw(),
            null(),
            &mut handle
        )),
        SUCCESS
    );
    // SAFETY: a new event with one reference.
    let other = unsafe { Event::from_raw(loader(), handle) };
    if intel("the adapter gives the address of the driver's queue") {
        return;
    }
    if rig.backend() == Backend::LEVEL_ZERO {
        let queue = other.info::<QueueHandle>(EventInfo::COMMAND_QUEUE);
        expect!(check(queue), ERROR_UNSUPPORTED_ENUMERATION);
        return println!("Level Zero does not tell the queue of an event");
    }
    let queue = |event: &Event| event.info::<QueueHandle>(EventInfo::COMMAND_QUEUE).expect("the queue");
    assert_eq!(queue(&other), rig.queue.raw());
    // Who was asked keeps what it said, also when the queue goes.
    let short = Queue::new(&rig.context, &rig.device, QueueFlags::empty()).expect("urQueueCreate");
    let event = short.marker(&[]).expect("marker");
    expect!(ur!(urEventGetNativeHandle(event.raw(), &mut native)), SUCCESS);
    expect!(
        ur!(urEventCreateWithNativeHandle(
            native,
            rig.context.raw(),
            null(),
            &mut handle
        )),
        SUCCESS
    );
    // SAFETY: as above.
    let other = unsafe { Event::from_raw(loader(), handle) };
    let found = queue(&other);
    assert_eq!(found, short.raw());
    drop((event, short));
    assert_eq!(queue(&other), found);
    other.wait().expect("urEventWait");
    expect!(ur!(urQueueFinish(found)), SUCCESS);
}

/// `urEventWait`: no condition asks for events of one context.
#[test]
fn waiting_for_events_of_several_contexts() {
    let (rig, other) = (Rig::new(), Rig::new());
    let data = rig.shared(&[1u32; 1024]);
    let slow = rig.kernel("basic", "slow");
    let args = [Arg::Pointer(data.ptr()), Arg::value(&100_000u32)];
    let event = rig.start(&slow, &Range::new([1024]), &args, &[]).expect("launch");
    let marker = other.queue.marker(&[]).expect("marker");
    rig.queue.flush().expect("urQueueFlush");
    let events = [marker.raw(), event.raw()];
    expect!(ur!(urEventWait(2, events.as_ptr())), SUCCESS);
    event.wait().expect("urEventWait");
}

/// `urEnqueueEventsWait`: an event of another context is waited for, or refused as what it is.
#[test]
fn wait_lists_with_events_of_another_context() {
    let (rig, other) = (Rig::new(), Rig::new());
    let event = other.queue.marker(&[]).expect("marker");
    other.queue.flush().expect("urQueueFlush");
    let handle = event.raw();
    expect!(ur!(urEnqueueEventsWait(rig.queue.raw(), 1, &handle, null_mut())), SUCCESS | ERROR_INVALID_CONTEXT;
        intel ERROR_UNKNOWN, known::UNMAPPED);
    rig.queue.finish().expect("urQueueFinish");
    event.wait().expect("urEventWait");
}

/// `urEnqueueUSMMemcpy`, `urEnqueueUSMFill`, `urEnqueueUSMPrefetch`, `urEnqueueUSMAdvise`: INVALID_SIZE for more than the
/// allocation has; `urEnqueueUSMFill2D`, `urEnqueueUSMMemcpy2D`: for rows of more than that. So do their namesakes of
/// command buffers.
#[test]
fn usm_beyond_the_allocation() {
    let rig = Rig::new();
    let (usm, other) = (rig.shared(&[0u32; 1024]), rig.shared(&[0u32; 4096]));
    let (queue, none, at) = (rig.queue.raw(), null_mut(), usm.ptr());
    let (middle, pattern) = (usm.ptr().wrapping_byte_add(4000), 1u32);
    let pattern = (&raw const pattern).cast::<c_void>();
    let flags = UsmMigrationFlags::HOST_TO_DEVICE;
    let reason = known::UNCHECKED;
    for (at, size) in [(at, 4097), (middle, 97), (at, usize::MAX / 2)] {
        expect!(ur!(urEnqueueUSMPrefetch(queue, at, size, flags, 0, null(), none)), ERROR_INVALID_SIZE;
            intel SUCCESS, reason);
        expect!(ur!(urEnqueueUSMAdvise(queue, at, size, UsmAdviceFlags::empty(), none)), ERROR_INVALID_SIZE;
            intel SUCCESS, reason);
    }
    let copy = |dst, src, size| ur!(urEnqueueUSMMemcpy(queue, true, dst, src, size, 0, null(), none));
    let fill = |dst, size| ur!(urEnqueueUSMFill(queue, dst, 4, pattern, size, 0, null(), none));
    let mut host = vec![0u8; 4100];
    let host = host.as_mut_ptr().cast::<c_void>();
    for (at, size) in [(at, 4100), (middle, 100)] {
        for other in [other.ptr(), host] {
            expect!(copy(at, other, size), ERROR_INVALID_SIZE; intel ERROR_INVALID_VALUE, known::PASSED_ON);
            expect!(copy(other, at, size), ERROR_INVALID_SIZE; intel ERROR_INVALID_VALUE, known::PASSED_ON);
            // All that there is, and memory that is no USM.
            expect!(copy(at, other, size - 4), SUCCESS);
            expect!(copy(other, at, size - 4), SUCCESS);
        }
        expect!(fill(at, size), ERROR_INVALID_SIZE; intel ERROR_INVALID_VALUE, known::PASSED_ON);
        expect!(fill(at, size - 4), SUCCESS);
    }
    expect!(copy(other.ptr(), host, 4100), SUCCESS);
    // 16 rows, the last of which is behind the end, of one place or the other.
    let (pitch, rows) = (272, 16);
    if !intel("the driver writes behind the allocation") {
        expect!(
            ur!(urEnqueueUSMFill2D(
                queue,
                at,
                pitch,
                4,
                pattern,
                256,
                rows,
                0,
                null(),
                none
            )),
            ERROR_INVALID_SIZE
        );
        let copy = |dst, src| {
            ur!(urEnqueueUSMMemcpy2D(
                queue,
                true,
                dst,
                pitch,
                src,
                pitch,
                256,
                rows,
                0,
                null(),
                none
            ))
        };
        expect!(copy(at, other.ptr()), ERROR_INVALID_SIZE);
        expect!(copy(other.ptr(), at), ERROR_INVALID_SIZE);
        // All that there is, and memory that is no USM.
        expect!(
            ur!(urEnqueueUSMFill2D(
                queue,
                at,
                256,
                4,
                pattern,
                256,
                rows,
                0,
                null(),
                none
            )),
            SUCCESS
        );
        let mut host = vec![0u8; pitch * rows];
        expect!(copy(host.as_mut_ptr().cast(), other.ptr()), SUCCESS);
        let commands = CommandBuffer::new(&rig.context, &rig.device, CommandBufferSettings::default());
        let commands = commands.expect("urCommandBufferCreateExp");
        let (buffer, nowhere) = (commands.raw(), null_mut());
        macro_rules! append {
            ($name:ident($($arg:expr),*)) => {
                ur!($name(buffer, $($arg,)* 0, null(), 0, null(), null_mut(), none, nowhere))
            };
        }
        expect!(
            append!(urCommandBufferAppendUSMPrefetchExp(at, 4097, flags)),
            ERROR_INVALID_SIZE
        );
        expect!(
            append!(urCommandBufferAppendUSMAdviseExp(at, 4097, UsmAdviceFlags::empty())),
            ERROR_INVALID_SIZE
        );
        expect!(
            append!(urCommandBufferAppendUSMMemcpyExp(at, other.ptr(), 4097)),
            ERROR_INVALID_SIZE
        );
        expect!(
            append!(urCommandBufferAppendUSMMemcpyExp(other.ptr(), at, 4097)),
            ERROR_INVALID_SIZE
        );
        expect!(
            append!(urCommandBufferAppendUSMFillExp(at, pattern, 4, 4100)),
            ERROR_INVALID_SIZE
        );
        expect!(append!(urCommandBufferAppendUSMFillExp(at, pattern, 4, 4096)), SUCCESS);
    }
    rig.queue.finish().expect("urQueueFinish");
}

/// `urEnqueueMemBuffer*Rect`: INVALID_SIZE for a slice pitch that is no multiple of the row pitch, or of the width where
/// there is no row pitch.
#[test]
fn slices_of_whole_rows() {
    let rig = Rig::new();
    let (buffer, other) = (rig.buffer(&[0u8; 4096]), rig.buffer(&[0u8; 4096]));
    let (queue, zero, mut host) = (rig.queue.raw(), RectOffset::default(), vec![0u8; 4096]);
    let region = RectRegion {
        width: 8,
        height: 2,
        depth: 2,
    };
    let at = host.as_mut_ptr().cast::<c_void>();
    for (pitches, code) in [
        ([16, 40, 0, 0], ResultCode::ERROR_INVALID_SIZE),
        ([0, 20, 0, 0], ResultCode::ERROR_INVALID_SIZE),
        ([0, 0, 16, 40], ResultCode::ERROR_INVALID_SIZE),
        ([0, 0, 0, 20], ResultCode::ERROR_INVALID_SIZE),
        ([16, 48, 0, 24], ResultCode::SUCCESS),
    ] {
        let [a, b, c, d] = pitches;
        let read = ur!(urEnqueueMemBufferReadRect(
            queue,
            buffer.raw(),
            true,
            zero,
            zero,
            region,
            a,
            b,
            c,
            d,
            at,
            0,
            null(),
            null_mut()
        ));
        let write = ur!(urEnqueueMemBufferWriteRect(
            queue,
            buffer.raw(),
            true,
            zero,
            zero,
            region,
            a,
            b,
            c,
            d,
            at,
            0,
            null(),
            null_mut()
        ));
        let copy = ur!(urEnqueueMemBufferCopyRect(
            queue,
            buffer.raw(),
            other.raw(),
            zero,
            zero,
            region,
            a,
            b,
            c,
            d,
            0,
            null(),
            null_mut()
        ));
        for got in [read, write, copy] {
            if got != code && intel("the adapter passes on what OpenCL answers, or rounds the pitch") {
                continue;
            }
            assert_eq!(got, code, "{pitches:?}");
        }
    }
    rig.queue.finish().expect("urQueueFinish");
}

/// Conditions of single parameters that no other test asserts, with the function and the condition beside each.
#[test]
fn single_parameters() {
    if intel("the adapter leaves most of this to the validation layer") {
        return;
    }
    let rig = Rig::new();
    let (context, queue, device) = (rig.context.raw(), rig.queue.raw(), rig.device.raw());
    let program = rig.program("basic");
    let kernel = rig.kernel("basic", "fill").into_raw();
    let (size, mut suggested) = ([64usize; 4], [0usize; 3]);
    let (size, suggested) = (size.as_ptr(), suggested.as_mut_ptr());
    let (mut groups, mut place, mut text) = (0u32, null_mut(), null());
    let (mut graph, mut linked) = (ExpGraphHandle::default(), ProgramHandle::default());
    let programs = [program.raw()];
    // NULL == pGlobalWorkOffset, NULL == pGlobalWorkSize.
    for (offset, global) in [(null(), size), (size, null())] {
        let code = ur!(urKernelGetSuggestedLocalWorkSize(
            kernel, queue, 1, offset, global, suggested
        ));
        expect!(code, ERROR_INVALID_NULL_POINTER | ERROR_UNSUPPORTED_FEATURE);
    }
    // workDim < 1 || workDim > 3.
    for dimensions in [0, 4] {
        let code = ur!(urKernelSuggestMaxCooperativeGroupCount(
            kernel,
            device,
            dimensions,
            size,
            0,
            &mut groups
        ));
        expect!(code, ERROR_INVALID_WORK_DIMENSION | ERROR_UNSUPPORTED_FEATURE);
    }
    // The queue captures nothing.
    expect!(ur!(urQueueGetGraphExp(queue, &mut graph)), ERROR_INVALID_OPERATION);
    // No such option, no binaries, no devices, no bytes, no programs.
    let option = c"-O77".as_ptr();
    expect!(
        ur!(urPlatformGetBackendOption(rig.platform.raw(), option, &mut text)),
        ERROR_INVALID_VALUE
    );
    expect!(
        ur!(urDeviceSelectBinary(device, null(), 0, &mut groups)),
        ERROR_INVALID_SIZE
    );
    expect!(
        ur!(urContextCreate(0, null(), null(), &mut ContextHandle::default())),
        ERROR_INVALID_SIZE
    );
    let at = (&raw mut groups).cast::<c_void>();
    expect!(ur!(urUSMContextMemcpyExp(context, at, at, 0)), ERROR_INVALID_SIZE);
    expect!(
        ur!(urProgramLink(context, 0, programs.as_ptr(), null(), &mut linked)),
        ERROR_INVALID_SIZE
    );
    // No such variable.
    let name = c"nothing_like_it".as_ptr();
    let code = ur!(urProgramGetGlobalVariablePointer(
        device,
        programs[0],
        name,
        null_mut(),
        &mut place
    ));
    expect!(code, ERROR_INVALID_VALUE | ERROR_UNSUPPORTED_FEATURE);
    // pArgs == NULL && numArgs > 0.
    let code = ur!(urEnqueueKernelLaunchWithArgsExp(
        queue,
        kernel,
        1,
        null(),
        size,
        null(),
        1,
        null(),
        null(),
        0,
        null(),
        null_mut()
    ));
    expect!(code, ERROR_INVALID_NULL_POINTER);
    expect!(ur!(urKernelRelease(kernel)), SUCCESS);
}
