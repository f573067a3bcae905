// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Buffers that commands of several devices use: each command finds what the commands before it have written, and a device
//! with memory of its own has the buffer there.
//!
//! Our Level Zero driver says that its devices have such memory, where a variable has it. All of its memory is the host's, so a
//! command that uses memory of another device is not an error there. But kernels tell where their buffers are, and a copy that
//! is missing leaves old values in the other memory. On CUDA's driver without a GPU, such a command fails where the two are no peers.

use std::slice;

use oxur_conformance::api::*;
use oxur_conformance::client::{
    Arg, Buffer, CommandBuffer, CommandBufferSettings, Context, Device, Event, Kernel, Mem, Pitch, Place, Program,
    Queue, Range, Update, Usm, UsmRequest,
};
use oxur_conformance::{Rig, UserEvent, run_test, spirv, ur};
use oxur_conformance_support::random::{Random, for_each_seed};

const LENGTH: usize = 1000;
const SIZE: usize = LENGTH * size_of::<i32>();

/// Two devices, a context of both, and what the tests launch.
struct Pair {
    devices: [Device; 2],
    context: Context,
    /// Two queues of each device, of which the second is out of order.
    queues: [[Queue; 2]; 2],
    increment: Kernel,
    sum: Kernel,
}

/// What the processes of a test have in their environment: one for each way in which memory may be divided.
const WAYS: [&[(&str, &str)]; 5] = [
    &[("UR_CPU_DEVICES", "2"), ("ZE_OXUR_DEVICES", "2")],
    &[("ZE_OXUR_DEVICES", "2"), ("ZE_OXUR_MEMORY", "peers")],
    &[("ZE_OXUR_DEVICES", "2"), ("ZE_OXUR_MEMORY", "apart")],
    // Sub-devices: the test takes those of the only device.
    &[("ZE_OXUR_SUB_DEVICES", "2"), ("ZE_OXUR_MEMORY", "peers")],
    &[("ZE_OXUR_SUB_DEVICES", "2"), ("ZE_OXUR_MEMORY", "apart")],
];

/// The same for CUDA, on the driver without a GPU: commands begin late, so that what does not wait shows. A real driver has two GPUs
/// anyway, or one.
const CUDA_WAYS: [&[(&str, &str)]; 2] = [
    &[("FAKE_CUDA_DEVICES", "2"), ("FAKE_CUDA_DELAY", "200")],
    &[
        ("FAKE_CUDA_DEVICES", "2"),
        ("FAKE_CUDA_DELAY", "200"),
        ("FAKE_CUDA_PEERS", "0"),
    ],
];

/// Runs a test on two devices, if there are two: in processes of its own, where ours have them because a variable says so.
fn on_pairs(test: &str, run: impl Fn(&Pair)) {
    const CHILD: &str = "OXUR_UR_MOVING_BUFFERS";
    let is_child = std::env::var_os(CHILD).is_some();
    let rig = Rig::new();
    let name: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
    let device: String = rig.device.info(DeviceInfo::NAME).expect("the name");
    let ways = match &*name {
        "oxur CPU" => &WAYS[..1],
        "Intel(R) oneAPI Unified Runtime over Level-Zero" => &WAYS[..],
        "NVIDIA CUDA" if device == "Fake CUDA device" => &CUDA_WAYS[..],
        _ => &[],
    };
    let units: u32 = rig.device.info(DeviceInfo::MAX_COMPUTE_UNITS).expect("a number");
    if !is_child && !ways.is_empty() && units >= 2 {
        for way in ways {
            let variables: Vec<_> = way.iter().copied().chain([(CHILD, "1")]).collect();
            println!("{way:?}");
            run_test(&format!("moving_buffers::{test}"), &variables).passed();
        }
        return;
    }
    let mut devices = rig.platform.devices().expect("urDeviceGet");
    if devices.len() < 2 && is_child {
        let by = DevicePartitionProperty {
            r#type: DevicePartition::BY_AFFINITY_DOMAIN,
            value: DevicePartitionValue {
                affinity_domain: DeviceAffinityDomainFlags::NEXT_PARTITIONABLE,
            },
        };
        devices = devices[0].partition(&[by]).unwrap_or_default();
    }
    assert!(devices.len() >= 2 || !is_child, "the variables ask for two devices");
    match Pair::new(devices) {
        Some(pair) => run(&pair),
        None => println!("{name} has one device, with {units} compute units"),
    }
}

impl Pair {
    fn new(devices: Vec<Device>) -> Option<Self> {
        let devices: [Device; 2] = <[Device; 2]>::try_from(devices.get(..2)?.to_vec()).ok()?;
        let context = Context::new(&[&devices[0], &devices[1]]).expect("urContextCreate");
        let queue = |device, flags| Queue::new(&context, device, flags).expect("urQueueCreate");
        let queues = [0, 1].map(|device: usize| {
            let device = &devices[device];
            [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE].map(|flags| queue(device, flags))
        });
        let program = Program::with_il(&context, &spirv("moving")).expect("urProgramCreateWithIL");
        program.build(&context, "").expect("urProgramBuild");
        let kernel = |name| Kernel::new(&program, name).expect("urKernelCreate");
        Some(Self {
            increment: kernel("increment"),
            sum: kernel("sum"),
            queues,
            context,
            devices,
        })
    }

    /// Host USM for results of kernels.
    fn host(&self, size: usize) -> Usm {
        Usm::host(&self.context, size, UsmRequest::default()).expect("urUSMHostAlloc")
    }

    /// The numbers 0, 1, 2…
    fn buffer(&self) -> Buffer {
        Buffer::with(&self.context, MemFlags::READ_WRITE, &numbers(0)).expect("urMemBufferCreate")
    }

    /// Adds one to all numbers, and leaves where they are.
    fn increment(&self, queue: &Queue, data: &Mem, place: *mut c_void, wait: &[&Event]) -> Event {
        let length = data.info::<usize>(MemInfo::SIZE).expect("the size") / size_of::<i32>();
        let args = [Arg::mem(data), Arg::Pointer(place)];
        // SAFETY: the kernel adds to that many numbers and writes one address.
        unsafe { queue.launch(&self.increment, &Range::new([length]), &args, wait) }.expect("launch")
    }

    /// Reads numbers: the address, and their sum behind it.
    fn sum(&self, queue: &Queue, data: &Mem, out: *mut c_void, wait: &[&Event]) -> Event {
        let length = (data.info::<usize>(MemInfo::SIZE).expect("the size") / size_of::<i32>()) as i32;
        let args = [
            Arg::Mem(data, MemFlags::READ_ONLY),
            Arg::value(&length),
            Arg::Pointer(out),
            Arg::Pointer(out.wrapping_byte_add(8)),
        ];
        // SAFETY: the kernel reads that many numbers, and writes an address and a number.
        unsafe { queue.launch(&self.sum, &Range::new([1]), &args, wait) }.expect("launch")
    }

    /// Asserts that an address is in the memory of a device, if that is not the host's.
    #[track_caller]
    fn assert_on(&self, address: u64, device: usize) {
        let unified: bool = self.devices[device]
            .info(DeviceInfo::HOST_UNIFIED_MEMORY)
            .expect("a truth value");
        if !unified {
            assert_eq!(
                self.owner(address),
                Some(device),
                "where the kernel has found its buffer"
            );
        }
    }

    /// The device whose memory an address is in.
    fn owner(&self, address: u64) -> Option<usize> {
        let mut device = DeviceHandle::default();
        let got = ur!(urUSMGetMemAllocInfo(
            self.context.raw(),
            address as *const c_void,
            UsmAllocInfo::DEVICE,
            size_of_val(&device),
            (&raw mut device).cast(),
            std::ptr::null_mut()
        ));
        assert_eq!(got, ResultCode::SUCCESS);
        self.devices.iter().position(|own| own.raw() == device)
    }

    fn read(&self, queue: &Queue, data: &Buffer, wait: &[&Event]) -> Vec<i32> {
        let mut found = vec![0; LENGTH];
        queue.read(data, 0, &mut found, wait).expect("read");
        found
    }
}

/// So much, and one more each.
fn numbers(first: i32) -> Vec<i32> {
    (first..).take(LENGTH).collect()
}

fn total(first: i32) -> i32 {
    numbers(first).iter().sum()
}

/// SAFETY: a caller has words at that place, and the commands that write them are complete.
unsafe fn words<'a>(memory: &Usm) -> &'a [u64] {
    // SAFETY: passed on to the caller.
    unsafe { slice::from_raw_parts(memory.ptr().cast(), memory.len() / 8) }
}

/// What devices add in turn, ordered by events, is the sum of all. All commands are enqueued before the first one runs.
#[test]
fn devices_take_turns() {
    on_pairs("devices_take_turns", |pair| {
        let data = pair.buffer();
        let places = pair.host(40 * 8);
        let gate = UserEvent::new(&pair.queues[0][1]);
        let mut last = gate.as_ref().map(|gate| gate.event.clone());
        let on = |round: usize| (round % 2, round / 2 % 2);
        for round in 0..40 {
            let (device, order) = on(round);
            let wait: Vec<_> = last.iter().collect();
            let place = places.ptr().wrapping_byte_add(round * 8);
            last = Some(pair.increment(&pair.queues[device][order], &data, place, &wait));
        }
        if let Some(gate) = gate {
            gate.complete();
        }
        let last = last.expect("there were commands");
        assert_eq!(pair.read(&pair.queues[0][0], &data, &[&last]), numbers(40));
        assert_eq!(pair.read(&pair.queues[1][1], &data, &[&last]), numbers(40));
        // SAFETY: all kernels are complete.
        for (round, place) in unsafe { words(&places) }.iter().enumerate() {
            pair.assert_on(*place, on(round).0);
        }
    });
}

/// Arguments that were set once are for launches on all devices.
#[test]
fn arguments_that_were_set() {
    on_pairs("arguments_that_were_set", |pair| {
        let data = pair.buffer();
        let begin = LENGTH / 2 / 32 * 32;
        let part = data
            .part(MemFlags::READ_WRITE, begin * 4, SIZE - begin * 4)
            .expect("urMemBufferPartition");
        let mut expected = numbers(0);
        for (mem, first) in [(&*data, 0), (&*part, begin)] {
            let places = pair.host(8);
            for (index, arg) in [(0, Arg::mem(mem)), (1, Arg::Pointer(places.ptr()))] {
                // SAFETY: what the kernel expects.
                unsafe { pair.increment.set_arg(index, arg) }.expect("urKernelSetArg");
            }
            for device in [0, 1, 1, 0, 1] {
                let range = Range::new([LENGTH - first]);
                // SAFETY: the kernel adds to that many numbers and writes one address.
                let event = unsafe { pair.queues[device][0].launch_legacy(&pair.increment, &range, &[], &[]) };
                event.expect("urEnqueueKernelLaunch").wait().expect("urEventWait");
                expected[first..].iter_mut().for_each(|number| *number += 1);
                // SAFETY: the kernel is complete.
                pair.assert_on(unsafe { words(&places) }[0], device);
            }
        }
        assert_eq!(pair.read(&pair.queues[0][0], &data, &[]), expected);
    });
}

/// Devices that read have copies, which are not made again as long as nobody writes.
#[test]
fn readers_share() {
    on_pairs("readers_share", |pair| {
        let data = pair.buffer();
        let places = pair.host(16);
        let [first, second] = [&pair.queues[0][0], &pair.queues[1][0]];
        let read = |queue: &Queue| {
            pair.sum(queue, &data, places.ptr(), &[]).wait().expect("urEventWait");
            // SAFETY: the kernel is complete.
            let words = unsafe { words(&places) };
            (words[0], words[1] as i32)
        };
        pair.increment(first, &data, places.ptr(), &[])
            .wait()
            .expect("urEventWait");
        let (on_first, sum) = read(first);
        assert_eq!(sum, total(1));
        let (on_second, sum) = read(second);
        assert_eq!(sum, total(1));
        pair.assert_on(on_first, 0);
        pair.assert_on(on_second, 1);
        if on_first == on_second {
            return println!("both have the same memory");
        }
        // What changes behind the adapter's back is there as long as nothing is copied.
        for (queue, address, value) in [(first, on_first, 1000), (second, on_second, 2000)] {
            // SAFETY: the first number in the memory of that device.
            unsafe { queue.memset(address as *mut c_void, &[value], 4, &[]) }
                .expect("memset")
                .wait()
                .expect("urEventWait");
        }
        for _ in 0..3 {
            assert_eq!(read(first), (on_first, total(1) - 1 + 1000));
            assert_eq!(read(second), (on_second, total(1) - 1 + 2000));
        }
        // A device that writes is the only one that has it; the other one has the same place for it.
        pair.increment(second, &data, places.ptr(), &[])
            .wait()
            .expect("urEventWait");
        assert_eq!(read(first), (on_first, total(2) - 2 + 2001));
        // A command that writes everything leaves nothing to copy: neither now nor later.
        first
            .write(&data, 0, &numbers(7), &[])
            .expect("write")
            .wait()
            .expect("urEventWait");
        assert_eq!(read(second), (on_second, total(7)));
    });
}

/// Commands of two devices write to different parts of a buffer at once. None waits for the other one.
#[test]
fn parts_are_written_at_once() {
    on_pairs("parts_are_written_at_once", |pair| {
        let half = SIZE / 2 / 128 * 128;
        let data = pair.buffer();
        let places = pair.host(8 * 4);
        let at = |index: usize| places.ptr().wrapping_byte_add(index * 8);
        let part = |origin, size| {
            data.part(MemFlags::READ_WRITE, origin, size)
                .expect("urMemBufferPartition")
        };
        let (low, high) = (part(0, half), part(half, SIZE - half));
        let gate = UserEvent::new(&pair.queues[0][1]);
        let wait: Vec<_> = gate.iter().map(|gate| &gate.event).collect();
        let [first, second] = [&pair.queues[0][0], &pair.queues[1][0]];
        let a = pair.increment(first, &low, at(0), &wait);
        let b = pair.increment(second, &high, at(1), &[]);
        b.wait().expect("urEventWait");
        // The part is complete on the other device, too, while the first one waits.
        let mut found = vec![0; (SIZE - half) / 4];
        pair.queues[0][1].read(&high, 0, &mut found, &[]).expect("read");
        assert_eq!(found, numbers(1)[half / 4..]);
        let c = pair.increment(&pair.queues[0][1], &high, at(2), &[]);
        c.wait().expect("urEventWait");
        if let Some(gate) = gate {
            gate.complete();
        }
        let expected: Vec<i32> = (0..LENGTH as i32)
            .map(|i| i + 1 + i32::from(i as usize >= half / 4))
            .collect();
        assert_eq!(pair.read(second, &data, &[&a, &c]), expected);
        // SAFETY: all kernels are complete.
        let places = unsafe { words(&places) };
        for (place, device) in [(places[0], 0), (places[1], 1), (places[2], 0)] {
            pair.assert_on(place, device);
        }
    });
}

/// A command does not wait for what it has no order with, even if an earlier one has had its buffer moved.
#[test]
fn readers_do_not_wait_for_each_other() {
    on_pairs("readers_do_not_wait_for_each_other", |pair| {
        let data = pair.buffer();
        let (one, two) = (pair.host(16), pair.host(16));
        pair.increment(&pair.queues[0][0], &data, one.ptr(), &[])
            .wait()
            .expect("urEventWait");
        let Some(gate) = UserEvent::new(&pair.queues[0][1]) else {
            return;
        };
        let gated = pair.sum(&pair.queues[1][0], &data, one.ptr(), &[&gate.event]);
        for queue in [&pair.queues[1][1], &pair.queues[0][0]] {
            pair.sum(queue, &data, two.ptr(), &[]).wait().expect("urEventWait");
            // SAFETY: the kernel is complete.
            assert_eq!(unsafe { words(&two) }[1] as i32, total(1));
        }
        gate.complete();
        gated.wait().expect("urEventWait");
        // SAFETY: the kernel is complete.
        let words = unsafe { words(&one) };
        assert_eq!(words[1] as i32, total(1));
        pair.assert_on(words[0], 1);
    });
}

/// Command buffers run on the memory of their device.
#[test]
fn command_buffers() {
    on_pairs("command_buffers", |pair| {
        for updatable in [false, true] {
            let data = pair.buffer();
            let other = pair.buffer();
            let places = pair.host(16);
            let settings = CommandBufferSettings {
                updatable,
                ..Default::default()
            };
            let buffer =
                CommandBuffer::new(&pair.context, &pair.devices[1], settings).expect("urCommandBufferCreateExp");
            let (args, range) = ([Arg::mem(&data), Arg::Pointer(places.ptr())], Range::new([LENGTH]));
            // SAFETY: the kernel adds to that many numbers and writes one address.
            let added = unsafe { buffer.launch(&pair.increment, &range, &args, &[], &[][..]) }.expect("append");
            buffer
                .copy(&data, &other, (0, 0), SIZE, &[added.point][..])
                .expect("append");
            buffer.finalize().expect("urCommandBufferFinalizeExp");
            let [first, second] = [&pair.queues[0][0], &pair.queues[1][0]];
            for round in 0..5 {
                let before = pair.increment(first, &data, places.ptr().wrapping_byte_add(8), &[]);
                let run = second.run(&buffer, &[&before]).expect("run");
                assert_eq!(pair.read(first, &other, &[&run]), numbers(2 * round + 2));
                // SAFETY: the kernels are complete.
                let words = unsafe { words(&places) };
                pair.assert_on(words[0], 1);
                pair.assert_on(words[1], 0);
            }
        }
    });
}

/// What an update puts into a launch is brought for the next run.
#[test]
fn an_update_of_a_command_buffer() {
    on_pairs("an_update_of_a_command_buffer", |pair| {
        let (data, other) = (pair.buffer(), pair.buffer());
        let places = pair.host(16);
        let settings = CommandBufferSettings {
            updatable: true,
            ..Default::default()
        };
        let buffer = CommandBuffer::new(&pair.context, &pair.devices[1], settings).expect("urCommandBufferCreateExp");
        let (args, range) = ([Arg::mem(&data), Arg::Pointer(places.ptr())], Range::new([LENGTH]));
        // SAFETY: the kernel adds to that many numbers and writes one address.
        let added = unsafe { buffer.launch(&pair.increment, &range, &args, &[], Place::default().handle()) };
        let command = added.expect("append").command();
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        let [first, second] = [&pair.queues[0][0], &pair.queues[1][0]];
        for (mem, rounds) in [(&data, 1), (&other, 2)] {
            // SAFETY: as above.
            unsafe { buffer.update(&[Update::new(command).args(&[(0, Arg::mem(mem))])]) }.expect("update");
            for _ in 0..rounds {
                let before = pair.increment(first, mem, places.ptr().wrapping_byte_add(8), &[]);
                second
                    .run(&buffer, &[&before])
                    .expect("run")
                    .wait()
                    .expect("urEventWait");
                // SAFETY: the kernels are complete.
                pair.assert_on(unsafe { words(&places) }[0], 1);
            }
        }
        assert_eq!(pair.read(first, &data, &[]), numbers(2));
        assert_eq!(pair.read(first, &other, &[]), numbers(4));
    });
}

/// A native command finds the buffers that it names where its device has them, with what commands before it have written that are
/// not complete yet.
#[test]
fn native_commands() {
    /// What a native command is told, and what it found.
    struct Data<'a> {
        buffer: &'a Buffer,
        device: &'a Device,
        native: Option<u64>,
    }
    extern "C" fn ask(_queue: QueueHandle, data: *mut c_void) {
        // SAFETY: the test's own, which nobody else uses meanwhile.
        let data = unsafe { &mut *data.cast::<Data>() };
        data.native = data.buffer.native(Some(data.device)).ok().map(|native| native as u64);
    }
    on_pairs("native_commands", |pair| {
        let platform: String = Rig::new().platform.info(PlatformInfo::NAME).expect("the name");
        let data = pair.buffer();
        let places = pair.host(16);
        let [first, second] = [&pair.queues[0][0], &pair.queues[1][0]];
        let gate = UserEvent::new(&pair.queues[1][1]);
        let wait: Vec<_> = gate.iter().map(|gate| &gate.event).collect();
        let written = pair.increment(second, &data, places.ptr(), &wait);
        let mut told = Data {
            buffer: &data,
            device: &pair.devices[0],
            native: None,
        };
        let (mem, wait, mut event) = (data.raw(), written.raw(), EventHandle::default());
        let code = ur!(urEnqueueNativeCommandExp(
            first.raw(),
            Some(ask),
            (&raw mut told).cast(),
            1,
            &mem,
            std::ptr::null(),
            1,
            &wait,
            &mut event
        ));
        if let Some(gate) = gate {
            gate.complete();
        }
        if code != ResultCode::SUCCESS {
            assert_eq!(code, ResultCode::ERROR_UNSUPPORTED_FEATURE);
            return println!("this adapter has no native commands");
        }
        first.finish().expect("urQueueFinish");
        assert_eq!(ur!(urEventRelease(event)), ResultCode::SUCCESS);
        // It may have changed the buffer, so that is nowhere else.
        pair.sum(first, &data, places.ptr(), &[]).wait().expect("urEventWait");
        // SAFETY: the kernels are complete.
        let words = unsafe { words(&places) };
        assert_eq!(words[1] as i32, total(1));
        pair.assert_on(words[0], 0);
        if platform != "oxur CPU" {
            assert_eq!(Some(words[0]), told.native, "the native handle");
        }
    });
}

/// A launch that fails after its buffer was to be brought leaves nothing behind that overwrites what comes later.
#[test]
fn a_launch_that_fails() {
    on_pairs("a_launch_that_fails", |pair| {
        let data = pair.buffer();
        let places = pair.host(16);
        let [first, second] = [&pair.queues[0][0], &pair.queues[1][1]];
        pair.increment(first, &data, places.ptr(), &[])
            .wait()
            .expect("urEventWait");
        let Some(gate) = UserEvent::new(&pair.queues[1][1]) else {
            return;
        };
        // Its second argument is missing, or is no pointer.
        for args in [&[Arg::mem(&data)][..], &[Arg::mem(&data), Arg::value(&1_u8)]] {
            // SAFETY: it is not launched.
            let launched = unsafe { second.launch(&pair.increment, &Range::new([LENGTH]), args, &[&gate.event]) };
            assert!(launched.is_err(), "arguments are wrong");
        }
        first.write(&data, 0, &numbers(10), &[]).expect("write");
        let later = pair.increment(&pair.queues[1][0], &data, places.ptr(), &[]);
        // Long enough for it to end, if it does not wait for the copy that is under way.
        std::thread::sleep(std::time::Duration::from_millis(30));
        gate.complete();
        later.wait().expect("urEventWait");
        pair.queues[1][1].finish().expect("urQueueFinish");
        assert_eq!(pair.read(first, &data, &[]), numbers(11));
    });
}

/// Two threads, each with a device and a part of one buffer, which they write at once; both read the whole buffer now and then.
#[test]
fn threads_share_a_buffer() {
    on_pairs("threads_share_a_buffer", |pair| {
        const ROUNDS: i32 = 60;
        let half = SIZE / 2 / 128 * 128;
        let data = pair.buffer();
        let (queues, increment, context) = (&pair.queues, &pair.increment, &pair.context);
        let meet = std::sync::Barrier::new(2);
        std::thread::scope(|scope| {
            for (device, (origin, size)) in [(0, half), (half, SIZE - half)].into_iter().enumerate() {
                let (data, meet) = (&data, &meet);
                scope.spawn(move || {
                    let part = data
                        .part(MemFlags::READ_WRITE, origin, size)
                        .expect("urMemBufferPartition");
                    let place = Usm::host(context, 8, UsmRequest::default()).expect("urUSMHostAlloc");
                    for round in 1..=ROUNDS {
                        let (queue, range) = (&queues[device][round as usize % 2], Range::new([size / 4]));
                        let args = [Arg::mem(&part), Arg::Pointer(place.ptr())];
                        // SAFETY: the kernel adds to that many numbers and writes one address.
                        let added = unsafe { queue.launch(increment, &range, &args, &[]) };
                        added.expect("launch").wait().expect("urEventWait");
                        if round % 10 == 0 {
                            meet.wait();
                            let mut found = vec![0; LENGTH];
                            queue.read(data, 0, &mut found, &[]).expect("read");
                            assert_eq!(found, numbers(round));
                            meet.wait();
                        }
                    }
                });
            }
        });
        assert_eq!(pair.read(&pair.queues[0][0], &data, &[]), numbers(ROUNDS));
    });
}

/// Transfers that are large enough for other ways than a few bytes have, of bytes that another device has.
#[test]
fn large_transfers() {
    const COUNT: usize = 3 << 20;
    on_pairs("large_transfers", |pair| {
        let values: Vec<u32> = (0..COUNT as u32).collect();
        let data = Buffer::with(&pair.context, MemFlags::READ_WRITE, &values).expect("urMemBufferCreate");
        let mut expected = values.clone();
        for round in 0..4 {
            let (writer, reader) = (&pair.queues[round % 2][0], &pair.queues[1 - round % 2][1]);
            let (at, count) = (round * 1000, COUNT / 2 + round);
            let new: Vec<u32> = (0..count as u32).map(|i| i * 3 + round as u32).collect();
            let written = writer.write(&data, at * 4, &new, &[]).expect("write");
            expected[at..][..count].copy_from_slice(&new);
            let mut found = vec![0; COUNT];
            reader.read(&data, 0, &mut found, &[&written]).expect("read");
            assert!(found == expected, "round {round}");
        }
    });
}

/// The native handle for a device is where its commands find the buffer, with what was written so far. That of the CPU
/// adapter is for OpenCL's functions, and no address.
#[test]
fn native_handles() {
    on_pairs("native_handles", |pair| {
        let platform: String = Rig::new().platform.info(PlatformInfo::NAME).expect("the name");
        if platform == "oxur CPU" {
            return println!("native handles are no addresses");
        }
        let data = pair.buffer();
        let places = pair.host(16);
        for (round, device) in [0, 1, 1, 0].into_iter().enumerate() {
            let queue = &pair.queues[device][0];
            let Ok(native) = data.native(Some(&pair.devices[device])) else {
                return println!("buffers have no native handles");
            };
            pair.sum(queue, &data, places.ptr(), &[]).wait().expect("urEventWait");
            // SAFETY: the kernel is complete.
            let words = unsafe { words(&places) };
            assert_eq!(words[1] as i32, total(2 * round as i32));
            pair.assert_on(words[0], device);
            assert_eq!(words[0], native as u64);
            let mut found = vec![0; LENGTH];
            // SAFETY: the buffer is that long; what the client writes there by itself counts.
            unsafe {
                queue
                    .memcpy(true, found.as_mut_ptr().cast(), native as *const c_void, SIZE, &[])
                    .expect("memcpy");
                assert_eq!(found, numbers(2 * round as i32));
                found.iter_mut().for_each(|number| *number += 1);
                queue
                    .memcpy(true, native as *mut c_void, found.as_ptr().cast(), SIZE, &[])
                    .expect("memcpy");
            }
            // By the other one.
            let other = &pair.queues[1 - device][0];
            pair.increment(other, &data, places.ptr(), &[])
                .wait()
                .expect("urEventWait");
        }
    });
}

/// Random commands, each ordered behind those before it that touch the same buffers: kernels on buffers and parts, copies,
/// fills, boxes, mappings, each on any queue.
#[test]
fn random_commands() {
    on_pairs("random_commands", |pair| {
        for_each_seed("OXUR_UR_MOVING_SEED", 60, |seed, verbose| {
            random_run(pair, seed, verbose)
        });
    });
}

fn random_run(pair: &Pair, seed: u64, verbose: bool) {
    const ROWS: usize = 10;
    let mut random = Random(seed);
    let data = [pair.buffer(), pair.buffer()];
    let mut model = [numbers(0), numbers(0)];
    let place = pair.host(16);
    let gate = random.chance(50).then(|| UserEvent::new(&pair.queues[0][1])).flatten();
    // For each buffer: the last command that wrote it, and those that have read it since.
    let start = || gate.iter().map(|gate| gate.event.clone()).collect::<Vec<_>>();
    let mut written: [Vec<Event>; 2] = [start(), start()];
    let mut read: [Vec<Event>; 2] = Default::default();
    let is_gated = gate.is_some();
    for step in 0..5 + random.below(30) {
        let queue = &pair.queues[random.below(2)][random.below(2)];
        let (to, from) = (random.below(2), random.below(2));
        let other = 1 - to;
        let begin = random.below(LENGTH);
        let length = 1 + random.below(LENGTH - begin);
        let (at, size) = (begin * 4, length * 4);
        let kind = random.below(if is_gated { 7 } else { 9 });
        if verbose {
            println!("{step}: {kind} to {to} at {begin}, {length} numbers");
        }
        let mut wait: Vec<&Event> = written[to].iter().chain(&read[to]).collect();
        if matches!(kind, 3 | 4) {
            wait.extend(&written[other]);
        }
        let value = random.below(1000) as i32;
        let event = match kind {
            0 => {
                model[to].iter_mut().for_each(|number| *number += 1);
                pair.increment(queue, &data[to], place.ptr(), &wait)
            }
            1 => {
                let first = begin / 32 * 32;
                model[to][first..begin + length]
                    .iter_mut()
                    .for_each(|number| *number += 1);
                let part = data[to].part(MemFlags::READ_WRITE, first * 4, (begin + length - first) * 4);
                pair.increment(queue, &part.expect("urMemBufferPartition"), place.ptr(), &wait)
            }
            2 => {
                model[to][begin..][..length].fill(value);
                queue.fill(&data[to], &[value], at, size, &wait).expect("fill")
            }
            3 => {
                let source = model[other][begin..][..length].to_vec();
                model[to][begin..][..length].copy_from_slice(&source);
                queue
                    .copy(&data[other], &data[to], (at, at), size, &wait)
                    .expect("copy")
            }
            4 => {
                // A box of rows of a tenth of the buffer.
                let row = LENGTH / ROWS;
                let (x, y) = (random.below(row), random.below(ROWS));
                let (width, height) = (1 + random.below(row - x), 1 + random.below(ROWS - y));
                for line in y..y + height {
                    let first = line * row + x;
                    let source = model[other][first..][..width].to_vec();
                    model[to][first..][..width].copy_from_slice(&source);
                }
                let origin = RectOffset {
                    x: x as u64 * 4,
                    y: y as u64,
                    z: 0,
                };
                let region = RectRegion {
                    width: width as u64 * 4,
                    height: height as u64,
                    depth: 1,
                };
                let pitch = Pitch { row: row * 4, slice: 0 };
                queue
                    .copy_rect(&data[other], &data[to], (origin, origin), region, (pitch, pitch), &wait)
                    .expect("copy")
            }
            5 => pair.sum(
                queue,
                &data[from],
                place.ptr(),
                &written[from].iter().collect::<Vec<_>>(),
            ),
            6 => pair.increment_twice(queue, &data[to], &place, &wait, &mut model[to]),
            7 => {
                let values = vec![value; length];
                model[to][begin..][..length].fill(value);
                queue.write(&data[to], at, &values, &wait).expect("write")
            }
            _ => {
                let flags = if random.chance(50) {
                    MapFlags::READ | MapFlags::WRITE
                } else {
                    MapFlags::WRITE_INVALIDATE_REGION
                };
                let (mapped, _) = queue.map(&data[to], flags, at, size, &wait).expect("map");
                // SAFETY: the mapping has so many numbers.
                let mapped_numbers = unsafe { slice::from_raw_parts_mut(mapped.cast::<i32>(), length) };
                let own = &mut model[to][begin..][..length];
                if flags.contains(MapFlags::READ) {
                    assert_eq!(mapped_numbers, own, "seed {seed}, step {step}: what is mapped");
                }
                mapped_numbers.fill(value);
                own.fill(value);
                let unmapping = &pair.queues[random.below(2)][random.below(2)];
                // SAFETY: the mapping is not used any more.
                unsafe { unmapping.unmap(&data[to], mapped, &[]) }.expect("unmap")
            }
        };
        match kind {
            5 => {
                read[from].push(event);
                continue;
            }
            3 | 4 => read[other].push(event.clone()),
            _ => {}
        }
        read[to].clear();
        written[to] = vec![event];
    }
    if let Some(gate) = gate {
        gate.complete();
    }
    for (buffer, expected) in model.iter().enumerate() {
        let queue = &pair.queues[random.below(2)][random.below(2)];
        let wait: Vec<_> = written[buffer].iter().collect();
        let found = pair.read(queue, &data[buffer], &wait);
        assert!(found == *expected, "seed {seed}: buffer {buffer} differs");
    }
}

impl Pair {
    /// Twice in a queue, with nothing but the queue's order or an event between.
    fn increment_twice(&self, queue: &Queue, data: &Buffer, place: &Usm, wait: &[&Event], model: &mut [i32]) -> Event {
        model.iter_mut().for_each(|number| *number += 2);
        let first = self.increment(queue, data, place.ptr(), wait);
        self.increment(queue, data, place.ptr(), &[&first])
    }
}
