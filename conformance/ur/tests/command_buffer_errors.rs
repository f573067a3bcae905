// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the functions of command buffers refuse, and by which code.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{
    Arg, Buffer, CommandBuffer, CommandBufferSettings, Context, Kernel, Place, Queue, Range, Update, Usm,
};
use oxur_conformance::{Rig, check, expect, intel, ur};

use crate::command_buffer::{FIRST, IN_ORDER, PLAIN, UPDATABLE, empty, events, launch, rig, run};

/// What append functions work on.
struct World {
    rig: Rig,
    fill: Kernel,
    mems: [Buffer; 2],
    usm: Usm,
}

/// The parameters that append functions end with.
#[derive(Clone, Copy)]
struct Ends {
    points: (u32, *const ExpCommandBufferSyncPoint),
    events: (u32, *const EventHandle),
    event: *mut EventHandle,
    command: *mut ExpCommandBufferCommandHandle,
}

const NONE: Ends = Ends {
    points: (0, null()),
    events: (0, null()),
    event: null_mut(),
    command: null_mut(),
};

type Append<'a> = (
    &'static str,
    Box<dyn Fn(ExpCommandBufferHandle, Ends) -> ResultCode + 'a>,
);

const ZERO: RectOffset = RectOffset { x: 0, y: 0, z: 0 };
const REGION: RectRegion = RectRegion {
    width: 4,
    height: 2,
    depth: 1,
};
const GLOBAL: [usize; 3] = [4, 1, 1];

macro_rules! append {
    ($name:ident($($arg:expr),* $(,)?)) => {
        (stringify!($name), Box::new(move |buffer, e: Ends| {
            ur!($name(buffer, $($arg,)* e.points.0, e.points.1, e.events.0, e.events.1, null_mut(), e.event, e.command))
        }))
    };
}

impl World {
    /// Nothing on Intel's stack, which checks little of this.
    fn new() -> Option<Self> {
        let rig = rig()?;
        if intel("the adapter leaves checks to the validation layer and to OpenCL, and crashes on wrong handles") {
            return None;
        }
        Some(Self {
            fill: rig.kernel("basic", "fill"),
            mems: [(); 2].map(|()| rig.buffer(&[0u32; 16])),
            usm: rig.shared(&[0u32; 32]),
            rig,
        })
    }

    fn args(&self) -> [ExpKernelArgProperties; 2] {
        static VALUE: i32 = 3;
        [
            Arg::Pointer(self.usm.ptr()).properties(0),
            Arg::value(&VALUE).properties(1),
        ]
    }

    /// Every append function, with arguments that are right.
    fn appends(&self) -> Vec<Append<'_>> {
        let (kernel, global, none) = (self.fill.raw(), GLOBAL.as_ptr(), null());
        let [a, b] = [self.mems[0].raw(), self.mems[1].raw()];
        let (usm, rest) = (self.usm.ptr(), self.usm.ptr().wrapping_byte_add(64));
        static PATTERN: u32 = 7;
        let pattern = (&raw const PATTERN).cast::<c_void>();
        let to_device = UsmMigrationFlags::HOST_TO_DEVICE;
        // SAFETY: the kernel is used by one thread; the values are what it takes.
        unsafe {
            self.fill.set_arg(0, Arg::Pointer(usm)).expect("urKernelSetArgPointer");
            self.fill.set_arg(1, Arg::value(&3i32)).expect("urKernelSetArgValue");
        }
        vec![
            append!(urCommandBufferAppendKernelLaunchExp(
                kernel,
                1,
                none,
                global,
                none,
                0,
                null_mut()
            )),
            append!(urCommandBufferAppendKernelLaunchWithArgsExp(
                kernel,
                1,
                none,
                global,
                none,
                2,
                self.args().as_ptr(),
                0,
                null_mut()
            )),
            append!(urCommandBufferAppendUSMMemcpyExp(usm, rest, 16)),
            append!(urCommandBufferAppendUSMFillExp(usm, pattern, 4, 16)),
            append!(urCommandBufferAppendMemBufferCopyExp(a, b, 0, 0, 16)),
            append!(urCommandBufferAppendMemBufferWriteExp(a, 0, 16, usm)),
            append!(urCommandBufferAppendMemBufferReadExp(a, 0, 16, usm)),
            append!(urCommandBufferAppendMemBufferCopyRectExp(
                a, b, ZERO, ZERO, REGION, 4, 8, 4, 8
            )),
            append!(urCommandBufferAppendMemBufferWriteRectExp(
                a, ZERO, ZERO, REGION, 4, 8, 4, 8, usm
            )),
            append!(urCommandBufferAppendMemBufferReadRectExp(
                a, ZERO, ZERO, REGION, 4, 8, 4, 8, usm
            )),
            append!(urCommandBufferAppendMemBufferFillExp(a, pattern, 4, 0, 16)),
            append!(urCommandBufferAppendUSMPrefetchExp(usm, 16, to_device)),
            append!(urCommandBufferAppendUSMAdviseExp(usm, 16, UsmAdviceFlags::DEFAULT)),
        ]
    }

    /// A handle of the type of command buffers that is none.
    fn mistyped(&self) -> ExpCommandBufferHandle {
        ExpCommandBufferHandle(self.rig.queue.raw().0.cast())
    }
}

#[test]
fn create() {
    let Some(World { rig, .. }) = World::new() else { return };
    let (context, device) = (rig.context.raw(), rig.device.raw());
    let (desc, mut out) = (ExpCommandBufferDesc::default(), ExpCommandBufferHandle::default());
    let out = &raw mut out;
    let (no_context, no_device) = (ContextHandle::default(), DeviceHandle::default());
    expect!(
        ur!(urCommandBufferCreateExp(no_context, device, &desc, out)),
        ERROR_INVALID_NULL_HANDLE
    );
    expect!(
        ur!(urCommandBufferCreateExp(context, no_device, &desc, out)),
        ERROR_INVALID_NULL_HANDLE
    );
    expect!(
        ur!(urCommandBufferCreateExp(context, device, null(), out)),
        ERROR_INVALID_NULL_POINTER
    );
    expect!(
        ur!(urCommandBufferCreateExp(context, device, &desc, null_mut())),
        ERROR_INVALID_NULL_POINTER
    );
    let (wrong_context, wrong_device) = (ContextHandle(device.0.cast()), DeviceHandle(context.0.cast()));
    expect!(
        ur!(urCommandBufferCreateExp(wrong_context, device, &desc, out)),
        ERROR_INVALID_CONTEXT
    );
    expect!(
        ur!(urCommandBufferCreateExp(context, wrong_device, &desc, out)),
        ERROR_INVALID_DEVICE
    );
}

#[test]
fn another_device() {
    let Some(World { rig, .. }) = World::new() else { return };
    let one = DevicePartitionProperty {
        r#type: DevicePartition::EQUALLY,
        value: DevicePartitionValue { equally: 1 },
    };
    let Ok(parts) = rig.device.partition(&[one]) else {
        return println!("the device has no parts");
    };
    expect!(
        check(CommandBuffer::new(&rig.context, &parts[0], PLAIN)),
        ERROR_INVALID_DEVICE
    );
    // A queue of another device of the context.
    let context = Context::new(&[&rig.device, &parts[0]]).expect("urContextCreate");
    let buffer = CommandBuffer::new(&context, &rig.device, PLAIN).expect("urCommandBufferCreateExp");
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    let queue = Queue::new(&context, &parts[0], QueueFlags::empty()).expect("urQueueCreate");
    expect!(check(queue.run(&buffer, &[])), ERROR_INVALID_QUEUE);
}

#[test]
fn handles() {
    let Some(world) = World::new() else { return };
    let (null, wrong) = (ExpCommandBufferHandle::default(), world.mistyped());
    expect!(ur!(urCommandBufferRetainExp(null)), ERROR_INVALID_NULL_HANDLE);
    expect!(ur!(urCommandBufferReleaseExp(null)), ERROR_INVALID_NULL_HANDLE);
    expect!(ur!(urCommandBufferFinalizeExp(null)), ERROR_INVALID_NULL_HANDLE);
    expect!(ur!(urCommandBufferRetainExp(wrong)), ERROR_INVALID_COMMAND_BUFFER_EXP);
    expect!(ur!(urCommandBufferReleaseExp(wrong)), ERROR_INVALID_COMMAND_BUFFER_EXP);
    expect!(ur!(urCommandBufferFinalizeExp(wrong)), ERROR_INVALID_COMMAND_BUFFER_EXP);
    for (name, append) in world.appends() {
        assert_eq!(append(null, NONE), ResultCode::ERROR_INVALID_NULL_HANDLE, "{name}");
        assert_eq!(
            append(wrong, NONE),
            ResultCode::ERROR_INVALID_COMMAND_BUFFER_EXP,
            "{name}"
        );
    }
    let mut native = 0;
    expect!(
        ur!(urCommandBufferGetNativeHandleExp(null, &mut native)),
        ERROR_INVALID_NULL_HANDLE
    );
    let buffer = empty(&world.rig, PLAIN);
    expect!(
        ur!(urCommandBufferGetNativeHandleExp(buffer.raw(), null_mut())),
        ERROR_INVALID_NULL_POINTER | ERROR_UNSUPPORTED_FEATURE
    );
    let (info, mut size, nowhere) = (ExpCommandBufferInfo::REFERENCE_COUNT, 0, null_mut());
    expect!(
        ur!(urCommandBufferGetInfoExp(null, info, 0, nowhere, &mut size)),
        ERROR_INVALID_NULL_HANDLE
    );
    expect!(
        ur!(urCommandBufferGetInfoExp(wrong, info, 0, nowhere, &mut size)),
        ERROR_INVALID_COMMAND_BUFFER_EXP
    );
    let handle = buffer.raw();
    expect!(
        ur!(urCommandBufferGetInfoExp(handle, info, 0, nowhere, null_mut())),
        ERROR_INVALID_NULL_POINTER
    );
    expect!(
        ur!(urCommandBufferGetInfoExp(handle, info, 4, nowhere, &mut size)),
        ERROR_INVALID_NULL_POINTER
    );
    expect!(
        ur!(urCommandBufferGetInfoExp(
            handle,
            info,
            0,
            (&raw mut size).cast(),
            null_mut()
        )),
        ERROR_INVALID_SIZE
    );
}

#[test]
fn finalized() {
    let Some(world) = World::new() else { return };
    let buffer = empty(&world.rig, UPDATABLE);
    expect!(
        check(world.rig.queue.run(&buffer, &[])),
        ERROR_INVALID_COMMAND_BUFFER_EXP | ERROR_INVALID_OPERATION
    );
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    expect!(check(buffer.finalize()), ERROR_INVALID_OPERATION);
    for (name, append) in world.appends() {
        assert_eq!(
            append(buffer.raw(), NONE),
            ResultCode::ERROR_INVALID_OPERATION,
            "{name}"
        );
    }
    expect!(
        check(buffer.native_command(|| (), None, FIRST)),
        ERROR_INVALID_OPERATION
    );
    run(&world.rig.queue, &buffer);
}

#[test]
fn every_append_works() {
    let Some(world) = World::new() else { return };
    // In order, as several use the same memory.
    let settings = CommandBufferSettings {
        in_order: true,
        ..UPDATABLE
    };
    let buffer = empty(&world.rig, settings);
    for (name, append) in world.appends() {
        let mut command = ExpCommandBufferCommandHandle::default();
        let ends = Ends {
            command: &mut command,
            ..NONE
        };
        assert_eq!(append(buffer.raw(), ends), ResultCode::SUCCESS, "{name}");
        assert!(!command.is_null(), "{name}");
    }
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    run(&world.rig.queue, &buffer);
}

#[test]
fn ends_of_appends() {
    let Some(world) = World::new() else { return };
    // In order, as several use the same memory.
    let buffer = empty(&world.rig, IN_ORDER);
    let unknown = 1000;
    let has_events = events(&world.rig);
    let marker = world.rig.queue.marker(&[]).expect("urEnqueueEventsWait");
    for (name, append) in world.appends() {
        let code = |ends: Ends| append(buffer.raw(), ends);
        let list = ResultCode::ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP;
        let points = |points| Ends { points, ..NONE };
        assert_eq!(code(points((1, null()))), list, "{name}: points that are null");
        assert_eq!(code(points((0, &unknown))), list, "{name}: none, and a pointer");
        assert_eq!(
            code(points((1, &unknown))),
            ResultCode::ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP,
            "{name}: an unknown point"
        );
        let waits = |events| Ends { events, ..NONE };
        let unsupported = ResultCode::ERROR_UNSUPPORTED_FEATURE;
        let list = [ResultCode::ERROR_INVALID_EVENT_WAIT_LIST, unsupported];
        let list = if has_events { &list[..1] } else { &list[..] };
        let handle = marker.raw();
        assert!(list.contains(&code(waits((1, null())))), "{name}: events that are null");
        assert!(list.contains(&code(waits((0, &handle)))), "{name}: none, and a pointer");
        let bad = EventHandle::default();
        let got = code(waits((1, &bad)));
        let event = [
            ResultCode::ERROR_INVALID_EVENT,
            ResultCode::ERROR_INVALID_EVENT_WAIT_LIST,
        ];
        assert!(
            event.contains(&got) || got == unsupported && !has_events,
            "{name}: {got:?}"
        );
        let wrong = EventHandle(world.rig.queue.raw().0.cast());
        let got = code(waits((1, &wrong)));
        assert!(
            event.contains(&got) || got == unsupported && !has_events,
            "{name}: {got:?}"
        );
        if !has_events {
            let mut event = EventHandle::default();
            let ends = Ends {
                event: &mut event,
                ..NONE
            };
            assert_eq!(code(ends), unsupported, "{name}: an event of the command");
            assert_eq!(code(waits((1, &handle))), unsupported, "{name}: waiting for an event");
        }
        let mut command = ExpCommandBufferCommandHandle::default();
        let ends = Ends {
            command: &mut command,
            ..NONE
        };
        assert_eq!(
            code(ends),
            ResultCode::ERROR_INVALID_OPERATION,
            "{name}: a handle, but no updates"
        );
        // What was refused left nothing behind.
        assert_eq!(code(NONE), ResultCode::SUCCESS, "{name}");
    }
    let native = |number, list: *const u32| {
        unsafe extern "C" fn nothing(_: *mut c_void) {}
        ur!(urCommandBufferAppendNativeCommandExp(
            buffer.raw(),
            Some(nothing),
            null_mut(),
            ExpCommandBufferHandle::default(),
            number,
            list,
            null_mut()
        ))
    };
    let far = 1000u32;
    expect!(native(1, null()), ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP);
    expect!(native(0, &far), ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP);
    expect!(native(1, &far), ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP);
    let (no_child, none) = (ExpCommandBufferHandle::default(), null_mut());
    expect!(
        ur!(urCommandBufferAppendNativeCommandExp(
            buffer.raw(),
            None,
            none,
            no_child,
            0,
            null(),
            null_mut()
        )),
        ERROR_INVALID_NULL_POINTER
    );
    expect!(
        check(buffer.native_command(|| (), Some(&buffer), FIRST)),
        ERROR_INVALID_OPERATION
    );
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    run(&world.rig.queue, &buffer);
}

#[test]
fn launches() {
    let Some(world) = World::new() else { return };
    let buffer = empty(&world.rig, UPDATABLE);
    let (handle, kernel, none) = (buffer.raw(), world.fill.raw(), null::<usize>());
    let args = world.args();
    let other = world.rig.kernel("basic", "nothing");
    let call =
        |kernel, dimensions, global, local, args: (u32, *const ExpKernelArgProperties), others: (u32, *mut _)| {
            let e = NONE;
            ur!(urCommandBufferAppendKernelLaunchWithArgsExp(
                handle,
                kernel,
                dimensions,
                none,
                global,
                local,
                args.0,
                args.1,
                others.0,
                others.1,
                e.points.0,
                e.points.1,
                e.events.0,
                e.events.1,
                null_mut(),
                e.event,
                e.command
            ))
        };
    let (global, all, no_others) = (GLOBAL.as_ptr(), (2, args.as_ptr()), (0, null_mut()));
    expect!(
        call(KernelHandle::default(), 1, global, none, all, no_others),
        ERROR_INVALID_NULL_HANDLE
    );
    let wrong = KernelHandle(world.rig.queue.raw().0.cast());
    expect!(call(wrong, 1, global, none, all, no_others), ERROR_INVALID_KERNEL);
    for dimensions in [0, 4] {
        expect!(
            call(kernel, dimensions, global, none, all, no_others),
            ERROR_INVALID_WORK_DIMENSION
        );
    }
    expect!(call(kernel, 1, none, none, all, no_others), ERROR_INVALID_NULL_POINTER);
    let zero = [0usize; 3];
    expect!(
        call(kernel, 1, global, zero.as_ptr(), all, no_others),
        ERROR_INVALID_WORK_GROUP_SIZE
    );
    expect!(
        call(kernel, 1, global, none, (2, null()), no_others),
        ERROR_INVALID_NULL_POINTER
    );
    let mut bad = args;
    bad[1].r#type = ExpKernelArgType(77);
    expect!(
        call(kernel, 1, global, none, (2, bad.as_ptr()), no_others),
        ERROR_INVALID_ENUMERATION
    );
    bad = args;
    bad[1].index = 5;
    expect!(
        call(kernel, 1, global, none, (2, bad.as_ptr()), no_others),
        ERROR_INVALID_KERNEL_ARGUMENT_INDEX
    );
    let mut others = [other.raw(), kernel];
    // The header has INVALID_VALUE for a kernel among its own alternatives. But libsycl names it where groups of a dynamic
    // command group launch the same kernel.
    expect!(
        call(kernel, 1, global, none, all, (2, others.as_mut_ptr())),
        SUCCESS | ERROR_INVALID_VALUE
    );
    expect!(call(kernel, 1, global, none, all, (1, null_mut())), ERROR_INVALID_VALUE);
    expect!(
        call(kernel, 1, global, none, all, (0, others.as_mut_ptr())),
        ERROR_INVALID_VALUE
    );
    expect!(call(kernel, 1, global, none, all, (1, others.as_mut_ptr())), SUCCESS);
    // Objects of another context.
    let context = Context::new(&[&world.rig.device]).expect("urContextCreate");
    let foreign = CommandBuffer::new(&context, &world.rig.device, PLAIN).expect("urCommandBufferCreateExp");
    let args = [Arg::Pointer(world.usm.ptr()), Arg::value(&1i32)];
    expect!(
        check(launch(&foreign, &world.fill, 4, &args, FIRST)),
        ERROR_INVALID_CONTEXT | ERROR_INVALID_KERNEL
    );
    let copied = foreign.copy(&world.mems[0], &world.mems[1], (0, 0), 16, FIRST);
    expect!(check(copied), ERROR_INVALID_CONTEXT | ERROR_INVALID_MEM_OBJECT);
    foreign.finalize().expect("urCommandBufferFinalizeExp");
    expect!(
        check(world.rig.queue.run(&foreign, &[])),
        ERROR_INVALID_QUEUE | ERROR_INVALID_CONTEXT
    );
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    run(&world.rig.queue, &buffer);
}

#[test]
fn memory() {
    let Some(world) = World::new() else { return };
    let buffer = empty(&world.rig, PLAIN);
    let ([a, b], usm) = (&world.mems, &world.usm);
    let (nowhere, outside) = (null_mut(), 1 << 20);
    // SAFETY: what is refused is never run; pointers that are not null are those of an allocation.
    unsafe {
        let to = usm.ptr();
        expect!(check(buffer.memcpy(nowhere, to, 16, FIRST)), ERROR_INVALID_NULL_POINTER);
        expect!(check(buffer.memcpy(to, nowhere, 16, FIRST)), ERROR_INVALID_NULL_POINTER);
        // The specification calls it an error, but SYCL's graphs have copies and fills of nothing.
        expect!(check(buffer.memcpy(to, to, 0, FIRST)), SUCCESS);
        expect!(
            check(buffer.memset(nowhere, &[1u32], 16, FIRST)),
            ERROR_INVALID_NULL_POINTER
        );
        expect!(check(buffer.memset(to, &[1u32], 0, FIRST)), SUCCESS);
        expect!(check(buffer.memset(to, &[1u32], 15, FIRST)), ERROR_INVALID_SIZE);
        expect!(check(buffer.memset(to, &[1u32; 4], 8, FIRST)), ERROR_INVALID_SIZE);
        expect!(check(buffer.memset::<u32>(to, &[], 8, FIRST)), ERROR_INVALID_SIZE);
        expect!(
            check(buffer.write(a, 0, 16, nowhere, FIRST)),
            ERROR_INVALID_NULL_POINTER
        );
        expect!(check(buffer.read(a, 0, 16, nowhere, FIRST)), ERROR_INVALID_NULL_POINTER);
        expect!(check(buffer.write(a, outside, 16, to, FIRST)), ERROR_INVALID_SIZE);
        expect!(check(buffer.read(a, 60, 16, to, FIRST)), ERROR_INVALID_SIZE);
        let (origins, pitches) = ((ZERO, ZERO), Default::default());
        expect!(
            check(buffer.write_rect(a, origins, REGION, pitches, nowhere, FIRST)),
            ERROR_INVALID_NULL_POINTER
        );
        expect!(
            check(buffer.read_rect(a, origins, REGION, pitches, nowhere, FIRST)),
            ERROR_INVALID_NULL_POINTER
        );
        let large = RectRegion { height: 100, ..REGION };
        expect!(
            check(buffer.write_rect(a, origins, large, pitches, to, FIRST)),
            ERROR_INVALID_SIZE
        );
        expect!(
            check(buffer.read_rect(a, origins, large, pitches, to, FIRST)),
            ERROR_INVALID_SIZE
        );
        expect!(
            check(buffer.copy_rect(a, b, origins, large, pitches, FIRST)),
            ERROR_INVALID_SIZE
        );
        let (flags, advice) = (UsmMigrationFlags::HOST_TO_DEVICE, UsmAdviceFlags::DEFAULT);
        expect!(
            check(buffer.prefetch(nowhere, 16, flags, FIRST)),
            ERROR_INVALID_NULL_POINTER
        );
        expect!(check(buffer.prefetch(to, 0, flags, FIRST)), ERROR_INVALID_SIZE);
        let unknown = UsmMigrationFlags::from_bits_retain(1 << 30);
        expect!(
            check(buffer.prefetch(to, 16, unknown, FIRST)),
            ERROR_INVALID_ENUMERATION
        );
        expect!(
            check(buffer.advise(nowhere, 16, advice, FIRST)),
            ERROR_INVALID_NULL_POINTER
        );
        expect!(check(buffer.advise(to, 0, advice, FIRST)), ERROR_INVALID_SIZE);
        let unknown = UsmAdviceFlags::from_bits_retain(1 << 30);
        expect!(check(buffer.advise(to, 16, unknown, FIRST)), ERROR_INVALID_ENUMERATION);
    }
    expect!(check(buffer.copy(a, b, (0, outside), 16, FIRST)), ERROR_INVALID_SIZE);
    expect!(check(buffer.copy(a, b, (60, 0), 16, FIRST)), ERROR_INVALID_SIZE);
    expect!(check(buffer.copy(a, b, (usize::MAX, 0), 16, FIRST)), ERROR_INVALID_SIZE);
    expect!(check(buffer.fill(a, &[1u32], 56, 16, FIRST)), ERROR_INVALID_SIZE);
    expect!(check(buffer.fill(a, &[1u32], 0, 15, FIRST)), ERROR_INVALID_SIZE);
    let handle = buffer.raw();
    let (null_mem, wrong) = (MemHandle::default(), MemHandle(world.rig.queue.raw().0.cast()));
    let copy = |from, to| {
        let (points, events) = (null(), null());
        let e = NONE;
        ur!(urCommandBufferAppendMemBufferCopyExp(
            handle,
            from,
            to,
            0,
            0,
            16,
            0,
            points,
            0,
            events,
            null_mut(),
            e.event,
            e.command
        ))
    };
    for (mem, code) in [
        (null_mem, ResultCode::ERROR_INVALID_NULL_HANDLE),
        (wrong, ResultCode::ERROR_INVALID_MEM_OBJECT),
    ] {
        assert_eq!(copy(mem, b.raw()), code);
        assert_eq!(copy(a.raw(), mem), code);
    }
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    run(&world.rig.queue, &buffer);
}

#[test]
fn enqueues() {
    let Some(world) = World::new() else { return };
    let buffer = empty(&world.rig, PLAIN);
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    let (queue, handle, none) = (world.rig.queue.raw(), buffer.raw(), null_mut());
    let (no_queue, no_buffer) = (QueueHandle::default(), ExpCommandBufferHandle::default());
    expect!(
        ur!(urEnqueueCommandBufferExp(no_queue, handle, 0, null(), none)),
        ERROR_INVALID_NULL_HANDLE
    );
    expect!(
        ur!(urEnqueueCommandBufferExp(queue, no_buffer, 0, null(), none)),
        ERROR_INVALID_NULL_HANDLE
    );
    let wrong_queue = QueueHandle(world.rig.context.raw().0.cast());
    expect!(
        ur!(urEnqueueCommandBufferExp(wrong_queue, handle, 0, null(), none)),
        ERROR_INVALID_QUEUE
    );
    expect!(
        ur!(urEnqueueCommandBufferExp(queue, world.mistyped(), 0, null(), none)),
        ERROR_INVALID_COMMAND_BUFFER_EXP
    );
    let event = EventHandle::default();
    let wrong = EventHandle(queue.0.cast());
    expect!(
        ur!(urEnqueueCommandBufferExp(queue, handle, 1, null(), none)),
        ERROR_INVALID_EVENT_WAIT_LIST
    );
    expect!(
        ur!(urEnqueueCommandBufferExp(queue, handle, 0, &event, none)),
        ERROR_INVALID_EVENT_WAIT_LIST
    );
    expect!(
        ur!(urEnqueueCommandBufferExp(queue, handle, 1, &event, none)),
        ERROR_INVALID_EVENT | ERROR_INVALID_EVENT_WAIT_LIST
    );
    expect!(
        ur!(urEnqueueCommandBufferExp(queue, handle, 1, &wrong, none)),
        ERROR_INVALID_EVENT | ERROR_INVALID_EVENT_WAIT_LIST
    );
    run(&world.rig.queue, &buffer);
}

#[test]
fn updates() {
    let Some(world) = World::new() else { return };
    let args = [Arg::Pointer(world.usm.ptr()), Arg::value(&1i32)];
    let buffer = empty(&world.rig, UPDATABLE);
    let command = launch(&buffer, &world.fill, 4, &args, Place::default().handle())
        .expect("a launch")
        .command();
    // SAFETY: handles are of buffers that are alive; what the launches do is allowed.
    let update = |buffer: &CommandBuffer, change: Update| unsafe { check(buffer.update(&[change])) };
    let value = [(1, Arg::value(&5i32))];
    let good = Update::new(command).args(&value);
    expect!(update(&buffer, good), ERROR_INVALID_OPERATION);
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    expect!(update(&buffer, good), SUCCESS);

    let desc = ExpCommandBufferUpdateKernelLaunchDesc::default();
    let null_buffer = ExpCommandBufferHandle::default();
    expect!(
        ur!(urCommandBufferUpdateKernelLaunchExp(null_buffer, 1, &desc)),
        ERROR_INVALID_NULL_HANDLE
    );
    expect!(
        ur!(urCommandBufferUpdateKernelLaunchExp(world.mistyped(), 1, &desc)),
        ERROR_INVALID_COMMAND_BUFFER_EXP
    );
    expect!(
        ur!(urCommandBufferUpdateKernelLaunchExp(buffer.raw(), 1, null())),
        ERROR_INVALID_NULL_POINTER
    );
    expect!(
        ur!(urCommandBufferUpdateKernelLaunchExp(buffer.raw(), 0, &desc)),
        ERROR_INVALID_SIZE
    );
    expect!(
        ur!(urCommandBufferUpdateKernelLaunchExp(buffer.raw(), 1, &desc)),
        ERROR_INVALID_NULL_HANDLE
    );
    let wrong = ExpCommandBufferUpdateKernelLaunchDesc {
        hCommand: ExpCommandBufferCommandHandle(world.rig.queue.raw().0.cast()),
        ..desc
    };
    expect!(
        ur!(urCommandBufferUpdateKernelLaunchExp(buffer.raw(), 1, &wrong)),
        ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP
    );

    let plain = empty(&world.rig, PLAIN);
    plain.finalize().expect("urCommandBufferFinalizeExp");
    expect!(update(&plain, good), ERROR_INVALID_OPERATION);
    let other = empty(&world.rig, UPDATABLE);
    launch(&other, &world.fill, 4, &args, Place::default().handle()).expect("a launch");
    other.finalize().expect("urCommandBufferFinalizeExp");
    expect!(update(&other, good), ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP);

    let far = [(7, Arg::value(&5i32))];
    expect!(update(&buffer, good.args(&far)), ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    let short = [(1, Arg::value(&5u16))];
    expect!(update(&buffer, good.args(&short)), ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    let range = Range::new([4]);
    for dimensions in [0, 4] {
        let change = good.range(Range { dimensions, ..range });
        expect!(update(&buffer, change), ERROR_INVALID_WORK_DIMENSION);
    }
    let zero = good.range(range.local([0]));
    expect!(update(&buffer, zero), ERROR_INVALID_WORK_GROUP_SIZE);
    let kernel = world.rig.kernel("basic", "nothing");
    expect!(update(&buffer, good.kernel(&kernel)), ERROR_INVALID_VALUE);
    // Two dimensions, but no sizes of them.
    let flat = Update {
        dimensions: 2,
        local: Some([1, 1, 1]),
        ..good
    };
    expect!(update(&buffer, flat), ERROR_INVALID_VALUE);
    // The launch is as it was, or as the last update that was accepted says.
    expect!(update(&buffer, good.range(range)), SUCCESS);
    run(&world.rig.queue, &buffer);
    assert_eq!(oxur_conformance::values::<i32>(&world.usm)[..4], [5; 4]);
}

#[test]
fn updates_of_events() {
    let Some(world) = World::new() else { return };
    let mut event = EventHandle::default();
    let (null_command, out) = (ExpCommandBufferCommandHandle::default(), &raw mut event);
    expect!(
        ur!(urCommandBufferUpdateSignalEventExp(null_command, out)),
        ERROR_INVALID_NULL_HANDLE
    );
    expect!(
        ur!(urCommandBufferUpdateWaitEventsExp(null_command, 0, null())),
        ERROR_INVALID_NULL_HANDLE
    );
    let wrong = ExpCommandBufferCommandHandle(world.rig.queue.raw().0.cast());
    expect!(
        ur!(urCommandBufferUpdateSignalEventExp(wrong, out)),
        ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP
    );
    expect!(
        ur!(urCommandBufferUpdateWaitEventsExp(wrong, 0, null())),
        ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP
    );
    let buffer = empty(&world.rig, UPDATABLE);
    let args = [Arg::Pointer(world.usm.ptr()), Arg::value(&1i32)];
    let command = launch(&buffer, &world.fill, 4, &args, Place::default().handle())
        .expect("a launch")
        .command()
        .raw();
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    if events(&world.rig) {
        expect!(
            ur!(urCommandBufferUpdateSignalEventExp(command, out)),
            ERROR_INVALID_OPERATION
        );
        expect!(
            ur!(urCommandBufferUpdateWaitEventsExp(command, 1, null())),
            ERROR_INVALID_EVENT_WAIT_LIST
        );
        expect!(
            ur!(urCommandBufferUpdateWaitEventsExp(command, 0, &event)),
            ERROR_INVALID_EVENT_WAIT_LIST
        );
        let event_of_queue = world.rig.queue.marker(&[]).expect("urEnqueueEventsWait");
        let marker = event_of_queue.raw();
        expect!(
            ur!(urCommandBufferUpdateWaitEventsExp(command, 1, &marker)),
            ERROR_INVALID_EVENT_WAIT_LIST | ERROR_INVALID_EVENT
        );
        expect!(ur!(urCommandBufferUpdateWaitEventsExp(command, 0, null())), SUCCESS);
    } else {
        expect!(
            ur!(urCommandBufferUpdateSignalEventExp(command, out)),
            ERROR_UNSUPPORTED_FEATURE
        );
        expect!(
            ur!(urCommandBufferUpdateWaitEventsExp(command, 0, null())),
            ERROR_UNSUPPORTED_FEATURE
        );
    }
}
