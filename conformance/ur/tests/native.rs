// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The driver's own handles: out of UR, and back into it.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Context, Error, Event, Kernel, Mem, Program, Queue, Range, Result, Sampler, Usm};
use oxur_conformance::{Rig, check, expect, loader, ur, values};

use crate::known;

/// A native handle; `None` where the backend has no such thing, and says so.
fn native(handle: Result<NativeHandle>) -> Option<NativeHandle> {
    match handle {
        Ok(handle) => {
            assert_ne!(handle, 0);
            Some(handle)
        }
        Err(Error::Ur {
            code: ResultCode::ERROR_UNSUPPORTED_FEATURE,
            function,
        }) => {
            println!("{function} is unsupported");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn platform() {
    let rig = Rig::new();
    let Some(handle) = native(rig.platform.native()) else {
        return;
    };
    let mut platform = PlatformHandle::default();
    expect!(
        ur!(urPlatformCreateWithNativeHandle(
            handle,
            rig.adapter.raw(),
            null(),
            &mut platform
        )),
        SUCCESS
    );
    assert_eq!(platform, rig.platform.raw(), "a platform has one handle");
}

#[test]
fn device() {
    let rig = Rig::new();
    let Some(handle) = native(rig.device.native()) else {
        return;
    };
    let mut device = DeviceHandle::default();
    expect!(
        ur!(urDeviceCreateWithNativeHandle(
            handle,
            rig.adapter.raw(),
            null(),
            &mut device
        )),
        SUCCESS
    );
    assert_eq!(device, rig.device.raw(), "a device has one handle");
    expect!(ur!(urDeviceRelease(device)), SUCCESS);
}

#[test]
fn context() {
    let rig = Rig::new();
    let Some(handle) = native(rig.context.native()) else {
        return;
    };
    let properties = ContextNativeProperties::default();
    let (adapter, device, mut context) = (rig.adapter.raw(), rig.device.raw(), ContextHandle::default());
    expect!(
        ur!(urContextCreateWithNativeHandle(
            handle,
            adapter,
            1,
            &device,
            &properties,
            &mut context
        )),
        SUCCESS
    );
    // SAFETY: a new context with one reference.
    let context = unsafe { Context::from_raw(loader(), context) };
    assert_eq!(native(context.native()), Some(handle));
    assert_eq!(
        context
            .info::<Vec<DeviceHandle>>(ContextInfo::DEVICES)
            .expect("the devices"),
        [device]
    );
    let queue = Queue::new(&context, &rig.device, QueueFlags::empty()).expect("a queue in it");
    queue.finish().expect("urQueueFinish");
}

#[test]
fn queue() {
    let rig = Rig::new();
    let Some(queue) = rig.wrapped_queue() else { return };
    let data = rig.buffer(&[1u32; 4]);
    queue.fill(&data, &[2u32], 0, 16, &[]).expect("fill");
    queue.finish().expect("urQueueFinish");
    assert_eq!(rig.contents::<u32>(&data), [2; 4]);
}

#[test]
fn event() {
    let rig = Rig::new();
    let event = rig.queue.marker(&[]).expect("marker");
    let Some(handle) = native(event.native()) else { return };
    let (properties, mut wrapped) = (EventNativeProperties::default(), EventHandle::default());
    expect!(
        ur!(urEventCreateWithNativeHandle(
            handle,
            rig.context.raw(),
            &properties,
            &mut wrapped
        )),
        SUCCESS
    );
    // SAFETY: a new event with one reference.
    let wrapped = unsafe { Event::from_raw(loader(), wrapped) };
    wrapped.wait().expect("urEventWait");
    let status: EventStatus = wrapped.info(EventInfo::COMMAND_EXECUTION_STATUS).expect("the status");
    assert_eq!(status, EventStatus::COMPLETE);
}

#[test]
fn buffer() {
    let rig = Rig::new();
    let data = rig.buffer(&[5u32; 4]);
    let Some(handle) = native(data.native(Some(&rig.device))) else {
        return;
    };
    let (properties, mut wrapped) = (MemNativeProperties::default(), MemHandle::default());
    expect!(
        ur!(urMemBufferCreateWithNativeHandle(
            handle,
            rig.context.raw(),
            &properties,
            &mut wrapped
        )),
        SUCCESS
    );
    // SAFETY: a new buffer with one reference.
    let wrapped = unsafe { Mem::from_raw(loader(), wrapped) };
    assert_eq!(wrapped.info::<usize>(MemInfo::SIZE).expect("the size"), 16);
    rig.run(
        &rig.kernel("basic", "increment"),
        &Range::new([4]),
        &[Arg::mem(&wrapped)],
    );
    assert_eq!(rig.contents::<u32>(&data), [6; 4]);
}

#[test]
fn sampler() {
    let rig = Rig::new();
    if !rig.supports(DeviceInfo::IMAGE_SUPPORT, "images") {
        return;
    }
    let (addressing, filter) = (SamplerAddressingMode::CLAMP, SamplerFilterMode::LINEAR);
    let sampler = Sampler::new(&rig.context, true, addressing, filter).expect("urSamplerCreate");
    let Some(handle) = native(sampler.native()) else { return };
    let (properties, mut wrapped) = (SamplerNativeProperties::default(), SamplerHandle::default());
    expect!(
        ur!(urSamplerCreateWithNativeHandle(
            handle,
            rig.context.raw(),
            &properties,
            &mut wrapped
        )),
        SUCCESS
    );
    // SAFETY: a new sampler with one reference.
    let wrapped = unsafe { Sampler::from_raw(loader(), wrapped) };
    match wrapped.info::<SamplerAddressingMode>(SamplerInfo::ADDRESSING_MODE) {
        Ok(mode) => assert_eq!(mode, addressing),
        // Level Zero does not tell the properties of samplers.
        Err(error) => assert_eq!(check(Err::<(), _>(error)), ResultCode::ERROR_UNSUPPORTED_FEATURE),
    }
}

#[test]
fn program_and_kernel() {
    let rig = Rig::new();
    let program = rig.program("basic");
    let Some(handle) = native(program.native()) else { return };
    let (properties, mut wrapped) = (ProgramNativeProperties::default(), ProgramHandle::default());
    expect!(
        ur!(urProgramCreateWithNativeHandle(
            handle,
            rig.context.raw(),
            &properties,
            &mut wrapped
        )),
        SUCCESS
    );
    // SAFETY: a new program with one reference.
    let wrapped = unsafe { Program::from_raw(loader(), wrapped) };
    let kernel = Kernel::new(&wrapped, "fill").expect("a kernel of a built native program");
    let Some(handle) = native(kernel.native()) else { return };
    let (properties, mut again) = (KernelNativeProperties::default(), KernelHandle::default());
    let context = rig.context.raw();
    expect!(
        ur!(urKernelCreateWithNativeHandle(
            handle,
            context,
            program.raw(),
            &properties,
            &mut again
        )),
        SUCCESS
    );
    // SAFETY: a new kernel with one reference.
    let again = unsafe { Kernel::from_raw(loader(), again) };
    let data = rig.buffer(&[0i32; 4]);
    rig.run(&again, &Range::new([4]), &[Arg::mem(&data), Arg::value(&4i32)]);
    assert_eq!(rig.contents::<i32>(&data), [4; 4]);
}

/// A kernel of a native one.
fn wrapped(rig: &Rig, program: &Program, handle: NativeHandle) -> Kernel {
    let (properties, mut kernel) = (KernelNativeProperties::default(), KernelHandle::default());
    expect!(
        ur!(urKernelCreateWithNativeHandle(
            handle,
            rig.context.raw(),
            program.raw(),
            &properties,
            &mut kernel
        )),
        SUCCESS
    );
    // SAFETY: a new kernel with one reference.
    unsafe { Kernel::from_raw(loader(), kernel) }
}

#[test]
fn arguments_of_a_kernel_that_is_wrapped_again() {
    let rig = Rig::new();
    let program = rig.program("basic");
    let first = Kernel::new(&program, "fill").expect("urKernelCreate");
    let (x, y) = (rig.shared(&[0i32; 4]), rig.shared(&[0i32; 4]));
    let range = Range::new([4]);
    let set = |kernel: &Kernel, to: &Usm, value: i32| {
        // SAFETY: as the kernel expects.
        unsafe {
            kernel
                .set_arg(0, Arg::Pointer(to.ptr()))
                .expect("urKernelSetArgPointer");
            kernel.set_arg(1, Arg::value(&value)).expect("urKernelSetArgValue");
        }
    };
    let launch = |kernel: &Kernel| {
        // SAFETY: the kernel writes four values, which live until the wait.
        unsafe { rig.queue.launch_legacy(kernel, &range, &[], &[]) }
            .expect("launch")
            .wait()
            .expect("urEventWait");
    };
    set(&first, &x, 1);
    launch(&first);
    assert_eq!((values::<i32>(&x), values::<i32>(&y)), (&[1; 4][..], &[0; 4][..]));
    let Some(handle) = native(first.native()) else { return };
    // All are one kernel of the driver: what each sets counts for the others, and none may rely on what it set before.
    let second = wrapped(&rig, &program, handle);
    let third = wrapped(&rig, &program, native(second.native()).expect("the handle again"));
    let all = [&first, &second, &third];
    for time in 0..12 {
        let value = 10 + time as i32 / 6;
        let (one, other) = (all[time % 3], all[(time + 1) % 3]);
        set(one, &x, value);
        set(other, &y, -value);
        set(one, &x, value);
        launch(one);
        assert_eq!(values::<i32>(&x), [value; 4], "time {time}");
        rig.run(other, &range, &[Arg::Pointer(y.ptr()), Arg::value(&-value)]);
        assert_eq!(values::<i32>(&y), [-value; 4], "time {time}");
        rig.run(one, &range, &[Arg::Pointer(x.ptr()), Arg::value(&0i32)]);
        assert_eq!(values::<i32>(&x), [0; 4], "time {time}");
    }
}

#[test]
fn native_buffers_as_values() {
    let rig = Rig::new();
    let kernel = rig.kernel("basic", "fill");
    let mut seen = Vec::new();
    for value in 0..40i32 {
        // SYCL hands a native buffer on as a value: `set_arg` of a `cl_mem`. Each may get the handle of one that is gone.
        let data = rig.buffer(&[-1i32; 64]);
        let Some(handle) = native(data.native(Some(&rig.device))) else {
            return;
        };
        let handle = handle as u64;
        seen.push(handle);
        // SAFETY: the buffer is as large as the range, and lives until the wait.
        let event = unsafe {
            let args = [Arg::value(&handle), Arg::value(&value)];
            match value % 2 {
                0 => rig.queue.launch_legacy(&kernel, &Range::new([64]), &args, &[]),
                _ => rig.queue.launch_with_args(&kernel, &Range::new([64]), &args, &[]),
            }
        };
        event.expect("launch").wait().expect("urEventWait");
        assert_eq!(rig.contents::<i32>(&data), [value; 64]);
    }
    seen.sort();
    seen.dedup();
    assert!(seen.len() < 40, "no handle came again");
}

#[test]
fn null_places() {
    let rig = Rig::new();
    expect!(ur!(urDeviceGetNativeHandle(rig.device.raw(), null_mut())), ERROR_INVALID_NULL_POINTER;
        intel crash, known::UNCHECKED);
    expect!(ur!(urContextGetNativeHandle(rig.context.raw(), null_mut())), ERROR_INVALID_NULL_POINTER;
        intel crash, known::UNCHECKED);
}
