// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers: making them, everything that can be appended, and in which order it runs.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{
    Appended, Arg, Buffer, CommandBuffer, CommandBufferSettings, Kernel, Pitch, Place, Queue, Range, Result, SyncPoint,
    Usm, UsmRequest,
};
use oxur_conformance::{Allowed, Rig, Stack, check, check_infos, expect, intel, stack, ur, values};

/// After no other command.
pub const FIRST: &[SyncPoint] = &[];
/// As plain as can be.
pub const PLAIN: CommandBufferSettings = CommandBufferSettings {
    updatable: false,
    in_order: false,
    profiled: false,
};
pub const UPDATABLE: CommandBufferSettings = CommandBufferSettings {
    updatable: true,
    ..PLAIN
};
pub const IN_ORDER: CommandBufferSettings = CommandBufferSettings {
    in_order: true,
    ..PLAIN
};
const OUT_OF_ORDER: QueueFlags = QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE;

/// A rig whose device has command buffers: each of ours.
pub fn rig() -> Option<Rig> {
    let rig = Rig::new();
    let supported: bool = rig
        .device
        .info(DeviceInfo::COMMAND_BUFFER_SUPPORT_EXP)
        .expect("the query");
    if stack() == Stack::Intel && !supported {
        let code = check(CommandBuffer::new(&rig.context, &rig.device, PLAIN));
        assert_eq!(code, ResultCode::ERROR_UNSUPPORTED_FEATURE);
        println!("known deviation: the adapter has no command buffers on a driver without cl_khr_command_buffer");
        return None;
    }
    assert!(supported, "our adapters need nothing of the driver for command buffers");
    Some(rig)
}

/// Whether single commands can have events: those of ours can.
pub fn events(rig: &Rig) -> bool {
    let supported = rig
        .device
        .info(DeviceInfo::COMMAND_BUFFER_EVENT_SUPPORT_EXP)
        .expect("the query");
    assert!(
        supported || stack() == Stack::Intel,
        "our adapters need nothing of the driver for events"
    );
    supported
}

pub fn empty(rig: &Rig, settings: CommandBufferSettings) -> CommandBuffer {
    CommandBuffer::new(&rig.context, &rig.device, settings).expect("urCommandBufferCreateExp")
}

pub fn queue(rig: &Rig, flags: QueueFlags) -> Queue {
    Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate")
}

/// Queues of every order.
pub fn queues(rig: &Rig) -> [Queue; 2] {
    [queue(rig, QueueFlags::empty()), queue(rig, OUT_OF_ORDER)]
}

/// Appends a launch of a kernel of the suite.
pub fn launch<'a>(
    buffer: &CommandBuffer,
    kernel: &Kernel,
    range: usize,
    args: &[Arg],
    place: impl Into<Place<'a>>,
) -> Result<Appended> {
    // SAFETY: the kernels do with their arguments what the sources in kernels/ say, and the tests give memory of that
    // size, which lives until the last run is complete.
    unsafe { buffer.launch(kernel, &Range::new([range]), args, &[], place) }
}

/// Runs a finalized buffer and waits.
pub fn run(queue: &Queue, buffer: &CommandBuffer) {
    queue
        .run(buffer, &[])
        .expect("urEnqueueCommandBufferExp")
        .wait()
        .expect("urEventWait");
}

/// Whether this is Intel's stack, whose adapter has no such command in command buffers. That it refuses it is asserted.
pub fn lacks(rig: &Rig, what: &str, append: impl FnOnce(&CommandBuffer) -> Result<Appended>) -> bool {
    let lacks = intel(&format!("the adapter has no {what} in command buffers"));
    if lacks {
        let code = check(append(&empty(rig, PLAIN)));
        assert_eq!(code, ResultCode::ERROR_UNSUPPORTED_FEATURE, "{what}");
    }
    lacks
}

/// Whether this is Intel's stack, where host memory and buffers meet by other ways only.
pub fn lacks_host_memory(rig: &Rig) -> bool {
    let (mem, data) = (rig.buffer(&[0u32; 4]), rig.shared(&[0u32; 4]));
    // SAFETY: 16 bytes; the command is never run.
    let append = |buffer: &CommandBuffer| unsafe { buffer.read(&mem, 0, 16, data.ptr(), FIRST) };
    lacks(rig, "reads and writes of buffers", append)
}

/// Runs what `append` appends twice each on queues of every order, from buffers of every kind, and calls `verify` after
/// each run with its number.
fn everywhere(rig: &Rig, append: impl Fn(&CommandBuffer), mut verify: impl FnMut(&str)) {
    for settings in [
        PLAIN,
        IN_ORDER,
        UPDATABLE,
        CommandBufferSettings {
            profiled: true,
            ..IN_ORDER
        },
    ] {
        let buffer = empty(rig, settings);
        append(&buffer);
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        for (queue, order) in queues(rig).iter().zip(["in-order", "out-of-order"]) {
            for time in 0..2 {
                run(queue, &buffer);
                verify(&format!("run {time} of {settings:?} on an {order} queue"));
            }
        }
    }
}

#[test]
fn info() {
    let Some(rig) = rig() else { return };
    for settings in [
        PLAIN,
        UPDATABLE,
        IN_ORDER,
        CommandBufferSettings {
            updatable: true,
            in_order: true,
            profiled: true,
        },
    ] {
        let buffer = empty(&rig, settings);
        let expected = match settings != PLAIN && intel("command buffers say that they are not in order nor profiled") {
            true => CommandBufferSettings {
                updatable: settings.updatable,
                ..PLAIN
            },
            false => settings,
        };
        let get = |p, size, value, size_ret| {
            ur!(urCommandBufferGetInfoExp(
                buffer.raw(),
                ExpCommandBufferInfo(p),
                size,
                value,
                size_ret
            ))
        };
        check_infos("ExpCommandBufferInfo", &get, Allowed::default());
        assert_eq!(
            buffer
                .info::<CommandBufferSettings>(ExpCommandBufferInfo::DESCRIPTOR)
                .expect("the settings"),
            expected
        );
        let references = || {
            buffer
                .info::<u32>(ExpCommandBufferInfo::REFERENCE_COUNT)
                .expect("the count")
        };
        assert_eq!(references(), 1);
        let second = buffer.clone();
        assert_eq!(references(), 2);
        drop(second);
        assert_eq!(references(), 1);
        // Nothing changes with commands and with a run.
        let data = rig.shared(&[0i32; 4]);
        // SAFETY: 16 bytes, which live until the wait.
        unsafe { buffer.memset(data.ptr(), &[1i32], 16, FIRST) }.expect("a fill");
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        run(&rig.queue, &buffer);
        assert_eq!(references(), 1);
        assert_eq!(
            buffer
                .info::<CommandBufferSettings>(ExpCommandBufferInfo::DESCRIPTOR)
                .expect("the settings"),
            expected
        );
    }
}

#[test]
fn native_handle() {
    let Some(rig) = rig() else { return };
    let buffer = empty(&rig, PLAIN);
    let code = check(buffer.native());
    assert!(
        [ResultCode::SUCCESS, ResultCode::ERROR_UNSUPPORTED_FEATURE].contains(&code),
        "{code:?}"
    );
}

#[test]
fn capabilities() {
    let Some(rig) = rig() else { return };
    let can: DeviceCommandBufferUpdateCapabilityFlags = rig
        .device
        .info(DeviceInfo::COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP)
        .expect("the query");
    type Flags = DeviceCommandBufferUpdateCapabilityFlags;
    let code = check(CommandBuffer::new(&rig.context, &rig.device, UPDATABLE));
    let expected = if can.is_empty() {
        ResultCode::ERROR_UNSUPPORTED_FEATURE
    } else {
        ResultCode::SUCCESS
    };
    assert_eq!(code, expected);
    assert_eq!(
        can.contains(Flags::EVENTS),
        events(&rig),
        "events of commands and their updates go together"
    );
    if stack() == Stack::Ours {
        let all = Flags::KERNEL_ARGUMENTS
            | Flags::LOCAL_WORK_SIZE
            | Flags::GLOBAL_WORK_SIZE
            | Flags::GLOBAL_WORK_OFFSET
            | Flags::KERNEL_HANDLE;
        assert!(can.contains(all), "{can:?}");
        let child: bool = rig
            .device
            .info(DeviceInfo::COMMAND_BUFFER_SUBGRAPH_SUPPORT_EXP)
            .expect("the query");
        assert!(child);
    }
}

#[test]
fn no_commands() {
    let Some(rig) = rig() else { return };
    everywhere(&rig, |_| (), |_| ());
    // It still waits, and others wait for it.
    if intel("the driver's empty command buffers wait for nothing") {
        return;
    }
    let buffer = empty(&rig, PLAIN);
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    let (slow, data) = (rig.kernel("basic", "slow"), rig.shared(&[1u32; 16]));
    let steps = 1_000_000u32;
    let args = [Arg::Pointer(data.ptr()), Arg::value(&steps)];
    for queue in queues(&rig) {
        let before = rig.start(&slow, &Range::new([16]), &args, &[]).expect("launch");
        let event = queue.run(&buffer, &[&before]).expect("urEnqueueCommandBufferExp");
        event.wait().expect("urEventWait");
        let status: EventStatus = before.info(EventInfo::COMMAND_EXECUTION_STATUS).expect("the status");
        assert_eq!(status, EventStatus::COMPLETE);
    }
}

#[test]
fn launches() {
    let Some(rig) = rig() else { return };
    let (fill, add) = (rig.kernel("basic", "fill"), rig.kernel("basic", "add"));
    let [a, b, c] = [(); 3].map(|()| rig.shared(&[0i32; 100]));
    let append = |buffer: &CommandBuffer| {
        let one = launch(buffer, &fill, 100, &[Arg::Pointer(a.ptr()), Arg::value(&11i32)], FIRST).expect("fill a");
        let two = launch(buffer, &fill, 100, &[Arg::Pointer(b.ptr()), Arg::value(&22i32)], FIRST).expect("fill b");
        let args = [a.ptr(), b.ptr(), c.ptr()].map(|p| Arg::Pointer(p));
        launch(buffer, &add, 100, &args, &[one.point, two.point]).expect("add");
    };
    everywhere(&rig, append, |what| {
        assert_eq!(values::<i32>(&c), [33; 100], "{what}");
        rig.queue.finish().expect("urQueueFinish");
        for usm in [&a, &b, &c] {
            // SAFETY: host-visible memory that no command uses.
            unsafe { usm.ptr().cast::<i32>().write_bytes(0x55, 100) };
        }
    });
}

#[test]
fn launches_of_the_older_kind() {
    let Some(rig) = rig() else { return };
    let (fill, data) = (rig.kernel("basic", "fill"), rig.shared(&[0i32; 30]));
    // The arguments are those at the time of the append: what is set later has no effect.
    let append = |buffer: &CommandBuffer| {
        for part in 0..3i32 {
            let at = data.ptr().wrapping_byte_add(part as usize * 40);
            let args = [Arg::Pointer(at), Arg::value(&part)];
            // SAFETY: ten values of the allocation, which lives until the last run.
            unsafe { buffer.launch_legacy(&fill, &Range::new([10]), &args, &[], FIRST) }.expect("a launch");
        }
        // SAFETY: no launch is made with it.
        unsafe { fill.set_arg(1, Arg::value(&77i32)) }.expect("urKernelSetArgValue");
    };
    let expected: Vec<i32> = (0..30).map(|i| i / 10).collect();
    everywhere(&rig, append, |what| {
        assert_eq!(values::<i32>(&data), expected, "{what}")
    });
}

#[test]
fn launch_arguments_of_every_kind() {
    let Some(rig) = rig() else { return };
    let (reverse, add, fill) = (
        rig.kernel("basic", "reverse_groups"),
        rig.kernel("basic", "add"),
        rig.kernel("basic", "fill"),
    );
    let start: Vec<i32> = (0..64).collect();
    let (data, a, b) = (rig.shared(&start), rig.buffer(&[5i32; 64]), rig.buffer(&[0i32; 64]));
    let append = |buffer: &CommandBuffer| {
        let args = [Arg::Pointer(data.ptr()), Arg::Local(64)];
        // SAFETY: 64 values in groups of 16, and local memory for one group.
        unsafe { buffer.launch(&reverse, &Range::new([64]).local([16]), &args, &[], FIRST) }.expect("reverse");
        let filled = launch(buffer, &fill, 64, &[Arg::mem(&b), Arg::value(&7i32)], FIRST).expect("fill");
        let args = [Arg::Mem(&a, MemFlags::READ_ONLY), Arg::mem(&b), Arg::mem(&b)];
        launch(buffer, &add, 64, &args, &[filled.point]).expect("add");
    };
    let mut times = 0;
    everywhere(&rig, append, |what| {
        times += 1;
        let reversed: Vec<i32> = (0..64).map(|i| i / 16 * 16 + 15 - i % 16).collect();
        let expected = if times % 2 == 1 { &reversed } else { &start };
        assert_eq!(values::<i32>(&data), expected, "{what}");
        assert_eq!(rig.contents::<i32>(&b), [12; 64], "{what}");
    });
}

#[test]
fn launches_with_ranges() {
    let Some(rig) = rig() else { return };
    let ids = rig.kernel("basic", "ids");
    let range = Range::new([8, 4, 6]).local([4, 2, 3]).offset([1, 2, 3]);
    let out = rig.shared(&vec![0u64; 192 * 9]);
    let append = |buffer: &CommandBuffer| {
        // SAFETY: nine values for each work-item.
        unsafe { buffer.launch(&ids, &range, &[Arg::Pointer(out.ptr())], &[], FIRST) }.expect("a launch");
    };
    everywhere(&rig, append, |what| {
        for (place, ids) in values::<u64>(&out).chunks(9).enumerate() {
            let at = [place % 8, place / 8 % 4, place / 32].map(|id| id as u64);
            assert_eq!(ids[..3], [at[0] + 1, at[1] + 2, at[2] + 3], "{what}");
            assert_eq!(ids[3..6], [at[0] / 4, at[1] / 2, at[2] / 3], "{what}");
            assert_eq!(ids[6..], [4, 2, 3], "{what}");
        }
    });
    // A range without work-items does nothing.
    let buffer = empty(&rig, PLAIN);
    launch(&buffer, &ids, 0, &[Arg::Pointer(out.ptr())], FIRST).expect("a launch of nothing");
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    run(&rig.queue, &buffer);
}

#[test]
fn usm_copies() {
    let Some(rig) = rig() else { return };
    let request = UsmRequest::default();
    for size in [1usize, 3, 64, 4097, 8 << 20] {
        let source: Vec<u8> = (0..size).map(|i| (i * 7 + i / 256) as u8).collect();
        let host = Usm::host(&rig.context, size, request).expect("host");
        let device = Usm::device(&rig.context, &rig.device, size, request).expect("device");
        let shared = Usm::shared(&rig.context, &rig.device, size, request).expect("shared");
        let mut back = vec![0u8; size];
        let to = back.as_mut_ptr();
        let append = |buffer: &CommandBuffer| {
            let mut last = Vec::new();
            let ways = [
                (host.ptr(), source.as_ptr().cast::<c_void>()),
                (device.ptr(), host.ptr().cast_const()),
                (shared.ptr(), device.ptr().cast_const()),
                (to.cast(), shared.ptr().cast_const()),
            ];
            for (to, from) in ways {
                // SAFETY: ranges of `size` bytes, which live until the last run.
                let copy = unsafe { buffer.memcpy(to, from, size, last.as_slice()) }.expect("a copy");
                last = vec![copy.point];
            }
        };
        everywhere(&rig, append, |what| {
            // SAFETY: the vector's memory, which no command uses now.
            let now = unsafe { std::slice::from_raw_parts_mut(to, size) };
            assert!(now == source, "{size} bytes: {what}");
            now.fill(0);
        });
    }
}

#[test]
fn usm_fills_with_patterns_of_every_size() {
    let Some(rig) = rig() else { return };
    let all = [1usize, 2, 3, 4, 5, 7, 8, 12, 16, 17, 32, 64, 100, 128, 129, 256, 1000];
    let power = |size: &usize| size.is_power_of_two() && *size <= 128;
    let some = intel("the adapter hands patterns to OpenCL, which has powers of two up to 128");
    let sizes: Vec<_> = all.into_iter().filter(|size| power(size) || !some).collect();
    let (count, guard) = (13, 0xeeu8);
    // OpenCL wants the memory aligned to the pattern, too.
    let step = |size: usize| match some {
        true => (size * count + 8).next_multiple_of(128),
        false => size * count + 8,
    };
    let total: usize = sizes.iter().map(|size| step(*size)).sum();
    let data = rig.shared(&vec![guard; total]);
    let mut expected = vec![guard; total];
    let mut at = 0;
    for &size in &sizes {
        for i in 0..size * count {
            expected[at + i] = (i % size * 3 + size) as u8;
        }
        at += step(size);
    }
    let append = |buffer: &CommandBuffer| {
        let mut at = 0;
        for &size in &sizes {
            // The pattern is taken when the command is appended.
            let pattern: Vec<u8> = (0..size).map(|i| (i * 3 + size) as u8).collect();
            // SAFETY: a part of the allocation, which lives until the last run.
            unsafe { buffer.memset(data.ptr().wrapping_byte_add(at), &pattern, size * count, FIRST) }.expect("a fill");
            at += step(size);
        }
    };
    everywhere(&rig, append, |what| {
        assert!(values::<u8>(&data) == expected, "{what}");
        // SAFETY: host-visible memory that no command uses.
        unsafe { data.ptr().cast::<u8>().write_bytes(guard, total) };
    });
}

#[test]
fn buffer_fills_with_patterns_of_every_size() {
    let Some(rig) = rig() else { return };
    for size in [1usize, 2, 3, 4, 5, 8, 12, 16, 17, 32, 100, 128, 129, 256] {
        let target = rig.buffer(&vec![0xeeu8; size * 20]);
        let pattern: Vec<u8> = (0..size).map(|i| (i * 3 + size) as u8).collect();
        let power = size.is_power_of_two() && size <= 128;
        if !power && intel("the adapter hands patterns to OpenCL, which has powers of two up to 128") {
            continue;
        }
        let append = |buffer: &CommandBuffer| {
            buffer
                .fill(&target, &pattern, size * 3, size * 13, FIRST)
                .expect("a fill");
        };
        let expected: Vec<u8> = (0..size * 20)
            .map(|i| {
                if (3..16).contains(&(i / size)) {
                    pattern[i % size]
                } else {
                    0xee
                }
            })
            .collect();
        everywhere(&rig, append, |what| {
            assert!(
                rig.contents::<u8>(&target) == expected,
                "pattern of {size} bytes: {what}"
            );
        });
    }
}

#[test]
fn buffer_copies() {
    let Some(rig) = rig() else { return };
    if lacks_host_memory(&rig) {
        return;
    }
    let source: Vec<u32> = (0..256).collect();
    let (a, b) = (rig.buffer(&[0u32; 256]), rig.buffer(&[9u32; 256]));
    let mut back = vec![0u32; 256];
    let to = back.as_mut_ptr();
    let append = |buffer: &CommandBuffer| {
        // SAFETY: 1024 bytes each, which live until the last run.
        unsafe {
            let written = buffer.write(&a, 0, 1024, source.as_ptr().cast(), FIRST).expect("write");
            let copied = buffer.copy(&a, &b, (400, 100), 200, &[written.point]).expect("copy");
            buffer.read(&b, 0, 1024, to.cast(), &[copied.point]).expect("read");
        }
    };
    let expected: Vec<u32> = (0..256)
        .map(|i| if (25..75).contains(&i) { i + 75 } else { 9 })
        .collect();
    everywhere(&rig, append, |what| {
        // SAFETY: the vector's memory, which no command uses now.
        let now = unsafe { std::slice::from_raw_parts_mut(to, 256) };
        assert_eq!(now, expected, "{what}");
        now.fill(0);
    });
}

/// Host memory is read and written anew in each run.
#[test]
fn host_memory_of_each_run() {
    let Some(rig) = rig() else { return };
    if lacks_host_memory(&rig) {
        return;
    }
    let mut source = vec![1u32; 64];
    let mut back = vec![0u32; 64];
    let a = rig.buffer(&[0u32; 64]);
    let buffer = empty(&rig, IN_ORDER);
    let (from, to) = (source.as_mut_ptr(), back.as_mut_ptr());
    // SAFETY: 256 bytes each, which live until the last run.
    unsafe {
        buffer.write(&a, 0, 256, from.cast(), FIRST).expect("write");
        buffer.read(&a, 0, 256, to.cast(), FIRST).expect("read");
    }
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    for round in 0..5u32 {
        // SAFETY: memory of the vectors, which no command uses at present.
        unsafe { std::slice::from_raw_parts_mut(from, 64) }.fill(round);
        run(&rig.queue, &buffer);
        // SAFETY: as above.
        assert_eq!(unsafe { std::slice::from_raw_parts(to, 64) }, [round; 64]);
    }
}

fn offset(x: u64, y: u64, z: u64) -> RectOffset {
    RectOffset { x, y, z }
}

#[test]
fn boxes() {
    let Some(rig) = rig() else { return };
    if lacks_host_memory(&rig) {
        return;
    }
    let source: Vec<u8> = (0..64).collect();
    let (from, to): (Buffer, Buffer) = (rig.buffer(&source), rig.buffer(&[0u8; 64]));
    let size = RectRegion {
        width: 4,
        height: 3,
        depth: 2,
    };
    let (pitch, tight) = (Pitch { row: 8, slice: 32 }, Pitch { row: 4, slice: 12 });
    let mut small = [0u8; 24];
    let host = small.as_mut_ptr();
    let append = |buffer: &CommandBuffer| {
        let copied = buffer
            .copy_rect(
                &from,
                &to,
                (offset(2, 1, 0), offset(4, 0, 0)),
                size,
                (pitch, pitch),
                FIRST,
            )
            .expect("copy");
        // SAFETY: 24 bytes, as the region needs, which live until the last run.
        unsafe {
            let origins = (offset(4, 0, 0), offset(0, 0, 0));
            let read = buffer
                .read_rect(&to, origins, size, (pitch, tight), host.cast(), &[copied.point])
                .expect("read");
            let origins = (offset(0, 1, 0), offset(0, 0, 0));
            buffer
                .write_rect(&to, origins, size, (pitch, tight), host.cast(), &[read.point])
                .expect("write");
        }
    };
    let mut expected = [0u8; 64];
    for i in 0..24 {
        let (x, y, z) = (i % 4, i / 4 % 3, i / 12);
        let value = source[z * 32 + (1 + y) * 8 + 2 + x];
        expected[z * 32 + y * 8 + 4 + x] = value;
        expected[z * 32 + (1 + y) * 8 + x] = value;
    }
    everywhere(&rig, append, |what| {
        assert_eq!(rig.contents::<u8>(&to), expected, "{what}")
    });
}

#[test]
fn hints() {
    let Some(rig) = rig() else { return };
    let (data, fill) = (rig.shared(&[0i32; 1024]), rig.kernel("basic", "fill"));
    // SAFETY: a whole allocation; the command is never run.
    let advise = |b: &CommandBuffer| unsafe { b.advise(data.ptr(), data.len(), UsmAdviceFlags::DEFAULT, FIRST) };
    if lacks(&rig, "prefetch and advice", advise) {
        return;
    }
    let append = |buffer: &CommandBuffer| {
        // SAFETY: a whole allocation, which lives until the last run.
        unsafe {
            let all = data.len();
            let to_device = UsmMigrationFlags::HOST_TO_DEVICE;
            let fetched = buffer.prefetch(data.ptr(), all, to_device, FIRST).expect("prefetch");
            let args = [Arg::Pointer(data.ptr()), Arg::value(&3i32)];
            let filled = launch(buffer, &fill, 512, &args, &[fetched.point]).expect("fill");
            let advised = buffer
                .advise(data.ptr(), all, UsmAdviceFlags::SET_READ_MOSTLY, &[filled.point])
                .expect("advise");
            let at = data.ptr().wrapping_byte_add(2048);
            let rest = [Arg::Pointer(at), Arg::value(&4i32)];
            let last = launch(buffer, &fill, 512, &rest, &[advised.point]).expect("fill");
            buffer
                .advise(data.ptr(), all, UsmAdviceFlags::CLEAR_READ_MOSTLY, &[last.point])
                .expect("advise");
            buffer
                .prefetch(data.ptr(), all, UsmMigrationFlags::DEVICE_TO_HOST, &[last.point])
                .expect("prefetch");
        }
    };
    everywhere(&rig, append, |what| {
        assert_eq!(values::<i32>(&data)[..512], [3; 512], "{what}");
        assert_eq!(values::<i32>(&data)[512..], [4; 512], "{what}");
        // SAFETY: host-visible memory that no command uses.
        unsafe { data.ptr().cast::<i32>().write_bytes(0, 1024) };
    });
}

#[test]
fn objects_live_as_long_as_they_are_needed() {
    let Some(rig) = rig() else { return };
    if lacks_host_memory(&rig) {
        return;
    }
    let (data, size) = (rig.shared(&[0i32; 64]), 256);
    let buffer = empty(&rig, UPDATABLE);
    {
        // Only the command buffer knows these kernels, their program and the memory object when the block ends.
        let (fill, other) = (rig.kernel("basic", "fill"), rig.kernel("basic", "increment"));
        let mem = rig.buffer(&[1i32; 64]);
        let args = [Arg::mem(&mem), Arg::value(&8i32)];
        // SAFETY: 64 values.
        let filled = unsafe { buffer.launch(&fill, &Range::new([64]), &args, &[&other], FIRST) }.expect("fill");
        // SAFETY: 256 bytes of memory that lives until the last run.
        unsafe { buffer.read(&mem, 0, size, data.ptr(), &[filled.point]) }.expect("read");
        let name = |kernel: &Kernel| kernel.info::<u32>(KernelInfo::REFERENCE_COUNT).expect("the count");
        assert!(name(&fill) >= 1 && name(&other) >= 1);
    }
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    for queue in queues(&rig) {
        run(&queue, &buffer);
        assert_eq!(values::<i32>(&data), [8; 64]);
        // SAFETY: host-visible memory that no command uses.
        unsafe { data.ptr().cast::<i32>().write_bytes(0, 64) };
    }
}

#[test]
fn a_long_chain() {
    let Some(rig) = rig() else { return };
    let (increment, data) = (rig.kernel("basic", "increment"), rig.shared(&[0i32; 64]));
    let append = |buffer: &CommandBuffer| {
        let mut last = Vec::new();
        for _ in 0..200 {
            let next = launch(buffer, &increment, 64, &[Arg::Pointer(data.ptr())], last.as_slice()).expect("a launch");
            last = vec![next.point];
        }
    };
    let mut count = 0;
    everywhere(&rig, append, |what| {
        count += 200;
        assert_eq!(values::<i32>(&data), [count; 64], "{what}");
    });
}

#[test]
fn a_wide_graph() {
    let Some(rig) = rig() else { return };
    let (fill, add, data) = (
        rig.kernel("basic", "fill"),
        rig.kernel("basic", "add"),
        rig.shared(&[0i32; 200 * 8]),
    );
    let sum = rig.shared(&[0i32; 8]);
    let append = |buffer: &CommandBuffer| {
        let start = launch(
            buffer,
            &fill,
            8,
            &[Arg::Pointer(sum.ptr()), Arg::value(&1000i32)],
            FIRST,
        )
        .expect("fill");
        let part = |i: usize| data.ptr().wrapping_byte_add(i * 32);
        let mut points = Vec::new();
        for i in 0..200 {
            let value = i as i32;
            let args = [Arg::Pointer(part(i)), Arg::value(&value)];
            points.push(launch(buffer, &fill, 8, &args, &[start.point]).expect("fill").point);
        }
        // Every sync point twice: a list may name a command as often as it likes.
        points.extend_from_within(..);
        for i in [3usize, 150, 199] {
            let args = [part(i), sum.ptr(), sum.ptr()].map(|p| Arg::Pointer(p));
            points = vec![launch(buffer, &add, 8, &args, points.as_slice()).expect("add").point];
        }
    };
    everywhere(&rig, append, |what| {
        assert_eq!(values::<i32>(&sum), [1000 + 3 + 150 + 199; 8], "{what}");
        for (i, part) in values::<i32>(&data).chunks(8).enumerate() {
            assert_eq!(part, [i as i32; 8], "{what}");
        }
    });
}

#[test]
fn in_order_buffers_need_no_sync_points() {
    let Some(rig) = rig() else { return };
    let (slow, add, data) = (
        rig.kernel("basic", "slow"),
        rig.kernel("basic", "add"),
        rig.shared(&[1i32; 64]),
    );
    let copies = rig.shared(&[0i32; 64]);
    let buffer = empty(&rig, IN_ORDER);
    let mut expected = 1u32;
    for _ in 0..20 {
        let steps = 10_000u32;
        launch(
            &buffer,
            &slow,
            64,
            &[Arg::Pointer(data.ptr()), Arg::value(&steps)],
            FIRST,
        )
        .expect("slow");
        // SAFETY: 256 bytes, which live until the last run.
        unsafe { buffer.memcpy(copies.ptr(), data.ptr(), 256, FIRST) }.expect("copy");
        let args = [copies.ptr(), copies.ptr(), data.ptr()].map(|p| Arg::Pointer(p));
        launch(&buffer, &add, 64, &args, FIRST).expect("add");
        for _ in 0..steps {
            expected = expected.wrapping_mul(1664525).wrapping_add(1013904223);
        }
        expected = expected.wrapping_mul(2);
    }
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    for queue in queues(&rig) {
        run(&queue, &buffer);
        assert_eq!(values::<u32>(&data), [expected; 64]);
        // SAFETY: host-visible memory that no command uses.
        unsafe { data.ptr().cast::<[i32; 64]>().write([1; 64]) };
    }
}

#[test]
fn results_that_nobody_wants() {
    let Some(rig) = rig() else { return };
    let (buffer, data) = (empty(&rig, UPDATABLE), rig.shared(&[0u32; 4]));
    let value = 5u32;
    let append = |at: *mut c_void| {
        ur!(urCommandBufferAppendUSMFillExp(
            buffer.raw(),
            at,
            (&raw const value).cast(),
            4,
            16,
            0,
            null(),
            0,
            null(),
            null_mut(),
            null_mut(),
            null_mut()
        ))
    };
    expect!(append(data.ptr()), SUCCESS);
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    let (queue, handle) = (rig.queue.raw(), buffer.raw());
    expect!(
        ur!(urEnqueueCommandBufferExp(queue, handle, 0, null(), null_mut())),
        SUCCESS
    );
    rig.queue.finish().expect("urQueueFinish");
    assert_eq!(values::<u32>(&data), [5; 4]);
}
