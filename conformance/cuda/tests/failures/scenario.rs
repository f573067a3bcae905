// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A program that uses most of the adapter, in parts that need nothing of each other. Each part ends where a call fails, and what
//! it has goes.

use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::spirv;

use crate::loader;

/// The part that runs.
pub static PART: Mutex<String> = Mutex::new(String::new());

/// How many calls have returned an error, and events were in an error state.
pub static ERRORS: AtomicUsize = AtomicUsize::new(0);

/// How often there was no device.
pub static NO_DEVICE: AtomicUsize = AtomicUsize::new(0);

/// How many results were not right although no error was told.
pub static WRONG: AtomicUsize = AtomicUsize::new(0);

/// A part.
type Part = fn(&Parts) -> Result<()>;

/// What all parts use.
struct Parts {
    devices: Vec<Device>,
    context: Context,
}

const KINDS: [QueueFlags; 4] = [
    QueueFlags::empty(),
    QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE,
    QueueFlags::PROFILING_ENABLE,
    QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE.union(QueueFlags::PROFILING_ENABLE),
];

/// Runs all parts, or, if the memory is shared with other processes, those that matter then.
pub fn run() {
    const ALL: [(&str, Part); 11] = [
        ("queries", queries),
        ("usm", usm),
        ("rows", rows),
        ("pageable", pageable),
        ("programs", programs),
        ("host", host),
        ("events", events),
        ("buffers", buffers),
        ("lists", lists),
        ("virtual", virtual_memory),
        ("second", second_device),
    ];
    _ = within("rig", || {
        let parts = Parts::new()?;
        for (name, part) in ALL {
            _ = within(name, || part(&parts));
        }
        if std::env::var_os("UR_CUDA_IPC").is_some() {
            _ = within("ipc", || shared_with_others(&parts));
        }
        Ok(())
    });
}

fn within(name: &str, part: impl FnOnce() -> Result<()>) -> Result<()> {
    name.clone_into(&mut PART.lock().expect("a name"));
    part().inspect_err(|error| println!("{name} ends: {error}"))
}

/// Demands a result, unless an error was told.
fn check(what: &str, is_right: bool) {
    if !is_right && ERRORS.load(Ordering::Relaxed) == 0 {
        println!("wrong: {what} in {}", PART.lock().expect("a name"));
        WRONG.fetch_add(1, Ordering::Relaxed);
    }
}

/// Waits for an event, whose status has to fit.
fn wait(event: &Event) -> Result<()> {
    let waited = event.wait();
    let status: EventStatus = event.info(EventInfo::COMMAND_EXECUTION_STATUS)?;
    if status == EventStatus::ERROR {
        ERRORS.fetch_add(1, Ordering::Relaxed);
    } else if waited.is_ok() {
        check(
            "the status of an event that was waited for",
            status == EventStatus::COMPLETE,
        );
    }
    waited
}

/// Host memory that commands may use whenever they run.
fn host_memory<T: Copy>(value: T, count: usize) -> &'static mut [T] {
    Box::leak(vec![value; count].into_boxed_slice())
}

impl Parts {
    fn new() -> Result<Self> {
        let adapters = loader().adapters()?;
        let Some(adapter) = adapters.first() else {
            return Err(none());
        };
        let platform = adapter.platforms()?.into_iter().next().ok_or_else(none)?;
        let devices = platform.devices()?;
        let context = Context::new(&devices.iter().collect::<Vec<_>>())?;
        Ok(Self { devices, context })
    }

    fn queue(&self, flags: QueueFlags) -> Result<Queue> {
        Queue::new(&self.context, &self.devices[0], flags)
    }

    fn device(&self, size: usize) -> Result<Usm> {
        Usm::device(&self.context, &self.devices[0], size, UsmRequest::default())
    }

    fn host(&self, size: usize) -> Result<Usm> {
        Usm::host(&self.context, size, UsmRequest::default())
    }

    fn shared(&self, size: usize) -> Result<Usm> {
        Usm::shared(&self.context, &self.devices[0], size, UsmRequest::default())
    }

    fn ptx(&self) -> Result<Program> {
        // Not what the cache has of another process or round.
        static BUILDS: AtomicU32 = AtomicU32::new(0);
        let (process, build) = (std::process::id(), BUILDS.fetch_add(1, Ordering::Relaxed));
        let text = format!("{}// {process} {build}\n", include_str!("../kernels.ptx"));
        let program = Program::with_binaries(&self.context, &[&self.devices[0]], &[text.as_bytes()])?;
        program.build_for(&[&self.devices[0]], ExpProgramFlags::empty(), "")?;
        Ok(program)
    }

    fn spirv(&self, folder: &str, name: &str) -> Result<Program> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let code = spirv(&here.join(folder), &here.join("../../target/kernels/cuda"), name);
        let program = Program::with_il(&self.context, &code)?;
        program.build_for(&[&self.devices[0]], ExpProgramFlags::empty(), "")?;
        Ok(program)
    }
}

/// There is no device.
fn none() -> Error {
    ERRORS.fetch_add(1, Ordering::Relaxed);
    NO_DEVICE.fetch_add(1, Ordering::Relaxed);
    Error::NotExported("a device")
}

fn queries(parts: &Parts) -> Result<()> {
    let device = &parts.devices[0];
    let _: String = device.info(DeviceInfo::NAME)?;
    let _: Vec<u8> = device.info(DeviceInfo::UUID)?;
    let total: u64 = device.info(DeviceInfo::GLOBAL_MEM_SIZE)?;
    let free: u64 = device.info(DeviceInfo::GLOBAL_MEM_FREE)?;
    check("the free memory", 0 < free && free <= total);
    // SAFETY: live handles.
    unsafe { loader().fns().urDeviceWaitExp(device.raw()) }?;
    let memory = parts.host(4096)?;
    let kind: UsmType = memory.info(UsmAllocInfo::TYPE)?;
    check("the kind of USM", kind == UsmType::HOST);
    let imported = host_memory(0_u8, 8192);
    let at = imported.as_mut_ptr().cast();
    // SAFETY: memory that stays.
    unsafe {
        loader().fns().urUSMImportExp(parts.context.raw(), at, 8192)?;
        loader().fns().urUSMReleaseExp(parts.context.raw(), at)
    }
}

fn usm(parts: &Parts) -> Result<()> {
    const SIZE: usize = 6000;
    let pool = UsmPool::new(&parts.context, UsmPoolFlags::empty())?;
    for flags in KINDS {
        let queue = parts.queue(flags)?;
        let (near, shared) = (parts.device(SIZE)?, parts.shared(SIZE)?);
        let request = UsmRequest {
            pool: Some(&pool),
            ..UsmRequest::default()
        };
        let pinned = Usm::host(&parts.context, SIZE, request)?;
        let aligned = UsmRequest {
            align: 1 << 16,
            ..UsmRequest::default()
        };
        let far = Usm::device(&parts.context, &parts.devices[0], SIZE, aligned)?;
        // SAFETY: memory of this size, which stays until commands are over.
        unsafe {
            let first = queue.memset(near.ptr(), &[1_u8, 2, 3], SIZE, &[])?;
            let second = queue.memcpy(false, far.ptr(), near.ptr(), SIZE, &[&first])?;
            let third = queue.memcpy(false, shared.ptr(), far.ptr(), SIZE, &[&second])?;
            let fourth = queue.memcpy(false, pinned.ptr(), shared.ptr(), SIZE, &[&third])?;
            wait(&fourth)?;
            let found = pinned.as_slice::<u8>();
            check("a chain of copies", found.chunks(3).all(|three| three == [1, 2, 3]));
            queue.memset(shared.ptr(), &[7_u8], SIZE, &[])?;
            queue.memset(near.ptr(), &[7_u16], SIZE, &[])?;
            queue.memset(near.ptr(), &[7_u32], SIZE, &[])?;
            queue.memset(near.ptr(), &[7_u64; 2], SIZE, &[])?;
            let doubled = queue.memset(far.ptr(), &[5_u8; 100], SIZE, &[])?;
            let prefetched = queue.prefetch(shared.ptr(), SIZE, UsmMigrationFlags::HOST_TO_DEVICE, &[])?;
            queue.advise(shared.ptr(), SIZE, UsmAdviceFlags::SET_READ_MOSTLY)?;
            let barrier = queue.barrier(&[])?;
            queue.barrier(&[&doubled])?;
            let back = queue.memcpy(true, pinned.ptr(), far.ptr(), SIZE, &[])?;
            queue.marker(&[&prefetched, &barrier, &back])?;
            check("a doubled fill", pinned.as_slice::<u8>().iter().all(|byte| *byte == 5));
            let stamp = queue.timestamp(true, &[])?;
            let _: u64 = stamp.profiling(ProfilingInfo::COMMAND_END)?;
            if flags.contains(QueueFlags::PROFILING_ENABLE) {
                wait(&back)?;
                let [began, ended] = [ProfilingInfo::COMMAND_START, ProfilingInfo::COMMAND_END];
                let (began, ended): (u64, u64) = (back.profiling(began)?, back.profiling(ended)?);
                check("times", began <= ended);
            }
        }
        queue.finish()?;
        let empty: bool = queue.info(QueueInfo::EMPTY)?;
        check("an idle queue", empty);
    }
    let (to, from) = (parts.host(64)?, parts.host(64)?);
    // SAFETY: live handles and memory.
    unsafe {
        let fns = loader().fns();
        fns.urUSMContextMemcpyExp(parts.context.raw(), to.ptr(), from.ptr(), 64)
    }
}

fn rows(parts: &Parts) -> Result<()> {
    const SIZE: usize = 64 * 40;
    let queue = parts.queue(QueueFlags::empty())?;
    let (near, far, pinned) = (parts.device(SIZE)?, parts.device(SIZE)?, parts.host(SIZE)?);
    // SAFETY: memory of this size, which stays until commands are over.
    unsafe {
        queue.memset(near.ptr(), &[0_u8], SIZE, &[])?;
        queue.memset_2d((near.ptr(), 64), &[3_u32], 40, 40, &[])?;
        queue.memcpy_2d(false, (far.ptr(), 64), (near.ptr().cast_const(), 64), 40, 40, &[])?;
        let last = queue.memcpy_2d(false, (pinned.ptr(), 64), (far.ptr().cast_const(), 64), 40, 40, &[])?;
        wait(&last)?;
        let found = pinned.as_slice::<u32>();
        check("rows", found.chunks(16).all(|row| row[..10] == [3; 10]));
    }
    Ok(())
}

/// Copies of memory that the driver does not know: what it does itself, and what goes through pinned chunks.
fn pageable(parts: &Parts) -> Result<()> {
    for flags in KINDS {
        let queue = parts.queue(flags)?;
        for size in [1000, (1 << 20) + 4096] {
            let (from, to) = (host_memory(9_u8, size), host_memory(0_u8, size));
            let near = parts.device(size)?;
            // SAFETY: memory of this size, which stays until commands are over.
            unsafe {
                let up = queue.memcpy(false, near.ptr(), from.as_ptr().cast(), size, &[])?;
                let down = queue.memcpy(false, to.as_mut_ptr().cast(), near.ptr(), size, &[&up])?;
                wait(&down)?;
                check("a pageable copy", *to == *from);
                queue.memcpy(true, to.as_mut_ptr().cast(), near.ptr(), 64, &[])?;
            }
        }
    }
    Ok(())
}

fn programs(parts: &Parts) -> Result<()> {
    const COUNT: u32 = 100;
    let device = &parts.devices[0];
    let program = parts.ptx()?;
    let names: String = program.info(ProgramInfo::KERNEL_NAMES)?;
    check("the names", names.contains("add"));
    check("the binaries", !program.binaries()?[0].is_empty());
    let (kernel, reverse) = (Kernel::new(&program, "add")?, Kernel::new(&program, "reverse")?);
    let _: usize = kernel.group_info(device, KernelGroupInfo::WORK_GROUP_SIZE)?;
    kernel.max_cooperative_groups(device, &[32], 0)?;
    let memory = parts.shared(4 * COUNT as usize)?;
    let ones = parts.shared(4 * COUNT as usize)?;
    for flags in KINDS {
        let queue = parts.queue(flags)?;
        kernel.suggested_local_size(&queue, &Range::new([COUNT as usize]))?;
        // SAFETY: memory of these sizes, which stays until commands are over.
        unsafe {
            queue.memset(memory.ptr(), &[1_f32], memory.len(), &[])?;
            let ready = queue.memset(ones.ptr(), &[1_f32], memory.len(), &[])?;
            queue.finish()?;
            let args = [&memory, &memory, &ones].map(|usm| Arg::Pointer(usm.ptr()));
            let args: Vec<Arg> = args.into_iter().chain([Arg::value(&COUNT)]).collect();
            let first = queue.launch(&kernel, &Range::new([COUNT as usize]), &args, &[&ready])?;
            let second = queue.launch(&kernel, &Range::new([COUNT as usize]), &args, &[&first])?;
            wait(&second)?;
            check("a sum", memory.as_slice::<f32>().iter().all(|value| *value == 3.0));
            let large = [Arg::Pointer(memory.ptr()), Arg::Local(100 << 10), Arg::Local(256)];
            queue.launch(&reverse, &Range::new([64]).local([64]), &large, &[])?;
        }
        // Before the first write nothing is unfinished: it goes through pinned memory.
        queue.finish()?;
        let mut value = [0_u32];
        wait(&queue.global_write(&program, "counter", 0, &[8_u32], &[])?)?;
        wait(&queue.global_read(&program, "counter", 0, &mut value, &[])?)?;
        check("a device global", value == [8]);
        queue.finish()?;
    }
    program.global_pointer(device, "counter")?;
    // Of SPIR-V: with assertions, and with stores that nobody reads.
    let (take, sums) = (
        parts.spirv("tests", "assertions")?,
        parts.spirv("../ur/kernels", "null_stores")?,
    );
    let (take, sums) = (Kernel::new(&take, "take")?, Kernel::new(&sums, "sums")?);
    let queue = parts.queue(QueueFlags::empty())?;
    // SAFETY: as above.
    unsafe {
        queue.memset(memory.ptr(), &[0_u32], memory.len(), &[])?;
        let args = [Arg::Pointer(memory.ptr()), Arg::value(&1_i32)];
        let taken = queue.launch(&take, &Range::new([64]).local([16]), &args, &[])?;
        wait(&taken)?;
        check(
            "cells",
            memory.as_slice::<i32>()[..64]
                .iter()
                .zip(1..)
                .all(|(cell, at)| *cell == at),
        );
        let args = [memory.ptr(), ones.ptr(), null_mut()].map(|pointer| Arg::Pointer(pointer));
        let summed = queue.launch(&sums, &Range::new([64]).local([16]), &args, &[])?;
        wait(&summed)?;
    }
    queue.finish()
}

/// Commands that wait for a task of the host, and the task.
fn host(parts: &Parts) -> Result<()> {
    unsafe extern "C" fn task(data: *mut c_void) {
        // SAFETY: the receiver that is given away below; the task runs once.
        let opened = unsafe { Box::from_raw(data.cast::<Receiver<()>>()) };
        _ = opened.recv_timeout(Duration::from_secs(120));
    }
    const SIZE: usize = 1000;
    for flags in KINDS {
        let (queue, other) = (parts.queue(flags)?, parts.queue(QueueFlags::empty())?);
        let (near, pinned) = (parts.device(SIZE)?, parts.host(SIZE)?);
        let to = host_memory(0_u8, SIZE);
        let (open, opened) = channel::<()>();
        let data = Box::into_raw(Box::new(opened));
        // SAFETY: the task runs once, with a receiver that it drops; memory that stays until commands are over.
        let last = unsafe {
            let gate = queue.host_task(Some(task), data.cast(), &[])?;
            let filled = queue.memset(near.ptr(), &[4_u8], SIZE, &[&gate])?;
            let copied = other.memcpy(false, pinned.ptr(), near.ptr(), SIZE, &[&filled])?;
            queue.barrier(&[&copied])?;
            queue.memcpy(false, to.as_mut_ptr().cast(), pinned.ptr(), SIZE, &[&copied])?
        };
        let called: &AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
        last.on(ExecutionInfo::COMPLETE, |_| called.store(true, Ordering::Release))?;
        // Forces what is held into the stream.
        let native = other.native()?;
        check("a stream", native != 0);
        _ = open.send(());
        wait(&last)?;
        check("what waits for the host", to.iter().all(|byte| *byte == 4));
        while !called.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        queue.finish()?;
        other.finish()?;
    }
    Ok(())
}

/// Handles of the driver.
fn events(parts: &Parts) -> Result<()> {
    let queue = parts.queue(QueueFlags::empty())?;
    let memory = parts.host(64)?;
    let fns = loader().fns();
    // SAFETY: live handles, and memory that stays until commands are over.
    unsafe {
        let event = queue.memset(memory.ptr(), &[1_u8], 64, &[])?;
        let (native, properties) = (event.native()?, EventNativeProperties::default());
        let mut wrapped = EventHandle::default();
        fns.urEventCreateWithNativeHandle(native, parts.context.raw(), &properties, &mut wrapped)?;
        let wrapped = Event::from_raw(loader(), wrapped);
        let stream = queue.native()?;
        let (properties, mut same) = (QueueNativeProperties::default(), QueueHandle::default());
        let device = parts.devices[0].raw();
        fns.urQueueCreateWithNativeHandle(stream, parts.context.raw(), device, &properties, &mut same)?;
        let same = Queue::from_raw(loader(), same);
        let behind = same.memset(memory.ptr(), &[2_u8], 64, &[&wrapped])?;
        let other = parts.queue(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE)?;
        let last = other.memset(memory.ptr(), &[3_u8], 64, &[&behind, &wrapped])?;
        wait(&wrapped)?;
        wait(&last)?;
        check("an order by native events", memory.as_slice::<u8>()[0] == 3);
    }
    queue.finish()
}

fn buffers(parts: &Parts) -> Result<()> {
    const COUNT: usize = 64 * 16;
    for flags in KINDS {
        let queue = parts.queue(flags)?;
        let buffer = Buffer::with(&parts.context, MemFlags::READ_WRITE, &[6_u32; COUNT])?;
        let part = buffer.part(MemFlags::READ_WRITE, 1024, 1024)?;
        wait(&queue.fill(&part, &[7_u32], 0, 1024, &[])?)?;
        let mut found = [0_u32; COUNT];
        wait(&queue.read(&buffer, 0, &mut found, &[])?)?;
        check("a buffer", found[..256] == [6; 256] && found[256..512] == [7; 256]);
        wait(&queue.write(&buffer, 0, &found, &[])?)?;
        let (pointer, _) = queue.map(&buffer, MapFlags::READ.union(MapFlags::WRITE), 0, 4096, &[])?;
        // SAFETY: the pointer of the mapping.
        unsafe { wait(&queue.unmap(&buffer, pointer, &[])?)? };
        queue.finish()?;
    }
    let format = ImageFormat {
        channelOrder: ImageChannelOrder::R,
        channelType: ImageChannelType::FLOAT,
    };
    let desc = ImageDesc {
        r#type: MemType::IMAGE2D,
        width: 16,
        height: 8,
        arraySize: 1,
        ..Default::default()
    };
    let image = Image::new(&parts.context, MemFlags::READ_WRITE, format, &desc)?;
    let queue = parts.queue(QueueFlags::empty())?;
    let (from, to) = (host_memory(2_f32, 128), host_memory(0_f32, 128));
    let region = RectRegion {
        width: 16,
        height: 8,
        depth: 1,
    };
    // SAFETY: memory of this size, which stays.
    unsafe {
        let (zero, pitch) = (RectOffset::default(), Pitch::default());
        queue.image_write(&image, zero, region, pitch, from.as_mut_ptr().cast(), &[])?;
        queue.image_read(&image, zero, region, pitch, to.as_mut_ptr().cast(), &[])?;
    }
    queue.finish()?;
    check("an image", *to == *from);
    let (context, device, fns) = (parts.context.raw(), parts.devices[0].raw(), loader().fns());
    let mut memory = 0;
    // SAFETY: live handles, and places for the results.
    unsafe {
        fns.urBindlessImagesImageAllocateExp(context, device, &format, &desc, &mut memory)?;
        let mut image = 0;
        let made = fns.urBindlessImagesUnsampledImageCreateExp(context, device, memory, &format, &desc, &mut image);
        if made.is_ok() {
            fns.urBindlessImagesUnsampledImageHandleDestroyExp(context, device, image)?;
        }
        fns.urBindlessImagesImageFreeExp(context, device, memory)?;
        made
    }
}

/// Command buffers, which are graphs or not, and captured graphs.
fn lists(parts: &Parts) -> Result<()> {
    const COUNT: u32 = 100;
    let size = 4 * COUNT as usize;
    let program = parts.ptx()?;
    let kernel = Kernel::new(&program, "add")?;
    let [a, b, sum, copy] = [
        parts.shared(size)?,
        parts.shared(size)?,
        parts.shared(size)?,
        parts.host(size)?,
    ];
    let range = Range::new([COUNT as usize]);
    for (flags, is_graph) in KINDS.into_iter().flat_map(|flags| [(flags, true), (flags, false)]) {
        let queue = parts.queue(flags)?;
        let settings = CommandBufferSettings {
            updatable: true,
            ..Default::default()
        };
        let buffer = CommandBuffer::new(&parts.context, &parts.devices[0], settings)?;
        let from = host_memory(0_u32, 1);
        let args = [&sum, &a, &b].map(|usm| Arg::Pointer(usm.ptr()));
        let args: Vec<Arg> = args.into_iter().chain([Arg::value(&COUNT)]).collect();
        // SAFETY: memory of these sizes, which stays until the runs are over.
        unsafe {
            let first = buffer.memset(a.ptr(), &[5_f32], size, &[])?.point;
            let second = buffer.memset(b.ptr(), &[1_f32], size, &[])?.point;
            buffer.prefetch(a.ptr(), size, UsmMigrationFlags::HOST_TO_DEVICE, &[])?;
            let after = [first, second];
            let place = Place::after(&after).handle();
            let launched = buffer.launch(&kernel, &range, &args, &[], place)?;
            buffer.memcpy(copy.ptr(), sum.ptr(), size, &[launched.point])?;
            if !is_graph {
                buffer.memcpy(sum.ptr(), from.as_ptr().cast(), 4, &[launched.point])?;
            }
            buffer.finalize()?;
            wait(&queue.run(&buffer, &[])?)?;
            check(
                "a command buffer",
                copy.as_slice::<f32>()[1..].iter().all(|value| *value == 6.0),
            );
            let new = [(2, Arg::Pointer(a.ptr()))];
            buffer.update(&[Update::new(launched.command()).args(&new)])?;
            let again = queue.run(&buffer, &[])?;
            wait(&queue.run(&buffer, &[&again])?)?;
            check(
                "an updated one",
                copy.as_slice::<f32>()[1..].iter().all(|value| *value == 10.0),
            );
            let nothing = [(0, Arg::Pointer(b.ptr()))];
            let none = Update::new(launched.command()).args(&nothing).range(Range::new([0]));
            _ = buffer.update(&[none]);
            wait(&queue.run(&buffer, &[])?)?;
        }
        if !flags.contains(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE) {
            // SAFETY: as above.
            let graph = queue.capture(|| unsafe {
                queue.memset(a.ptr(), &[3_f32], size, &[])?;
                queue.memset(b.ptr(), &[1_f32], size, &[])?;
                queue.launch(&kernel, &range, &args, &[]).map(drop)
            })?;
            let executable = graph.instantiate()?;
            // SAFETY: as above.
            unsafe {
                queue.run_graph(&executable, &[])?;
                wait(&queue.run_graph(&executable, &[])?)?;
                check(
                    "a captured graph",
                    sum.as_slice::<f32>().iter().all(|value| *value == 4.0),
                );
            }
        }
    }
    Ok(())
}

fn virtual_memory(parts: &Parts) -> Result<()> {
    let (context, device, fns) = (parts.context.raw(), parts.devices[0].raw(), loader().fns());
    let (mut size, query) = (0_usize, VirtualMemGranularityInfo::MINIMUM);
    // SAFETY: live handles, and places for the results.
    unsafe {
        let at = (&raw mut size).cast();
        fns.urVirtualMemGranularityGetInfo(context, device, 1, query, 8, at, null_mut())?;
        let mut physical = PhysicalMemHandle::default();
        fns.urPhysicalMemCreate(context, device, size, null(), &mut physical)?;
        let mut start = null_mut();
        let reserved = fns.urVirtualMemReserve(context, null(), size, &mut start);
        let mapped = reserved.and_then(|()| {
            let access = VirtualMemAccessFlags::READ_WRITE;
            let mapped = fns.urVirtualMemMap(context, start, size, physical, 0, access);
            let used = mapped.and_then(|()| {
                let used = mapped_memory(parts, start, size);
                used.and(fns.urVirtualMemUnmap(context, start, size))
            });
            used.and(fns.urVirtualMemFree(context, start, size))
        });
        mapped.and(fns.urPhysicalMemRelease(physical))
    }
}

fn mapped_memory(parts: &Parts, start: *mut c_void, size: usize) -> Result<()> {
    let (queue, mut access) = (parts.queue(QueueFlags::empty())?, VirtualMemAccessFlags::empty());
    // SAFETY: memory of this size, which is mapped; a place for the answer.
    unsafe {
        let (context, at, query) = (
            parts.context.raw(),
            (&raw mut access).cast(),
            VirtualMemInfo::ACCESS_MODE,
        );
        loader()
            .fns()
            .urVirtualMemGetInfo(context, start, size, query, 4, at, null_mut())?;
        queue.memset(start, &[1_u8], size, &[])?;
    }
    // What fails to wait has not waited, and the memory goes.
    queue.finish().inspect_err(|_| _ = queue.finish())
}

/// Commands on memory of another device, if there is one.
fn second_device(parts: &Parts) -> Result<()> {
    let [first, second] = &parts.devices[..] else {
        return Ok(());
    };
    let fns = loader().fns();
    let (mut value, at) = (0, ExpPeerInfo::UR_PEER_ACCESS_SUPPORT);
    let (mut atomics, what) = (0, ExpPeerInfo::UR_PEER_ATOMICS_SUPPORT);
    // SAFETY: live handles, and places for the answers.
    unsafe {
        let (to, none) = ((&raw mut value).cast(), null_mut());
        fns.urUsmP2PPeerAccessGetInfoExp(first.raw(), second.raw(), at, 4, to, none)?;
        let to = (&raw mut atomics).cast();
        fns.urUsmP2PPeerAccessGetInfoExp(first.raw(), second.raw(), what, 4, to, none)?;
        if value != 0 {
            fns.urUsmP2PEnablePeerAccessExp(first.raw(), second.raw())?;
            fns.urUsmP2PDisablePeerAccessExp(first.raw(), second.raw())?;
        }
    }
    const SIZE: usize = 64 * 40;
    let far = Usm::device(&parts.context, second, SIZE, UsmRequest::default())?;
    let (near, pinned) = (parts.device(SIZE)?, parts.host(SIZE)?);
    for flags in KINDS {
        let queue = parts.queue(flags)?;
        // SAFETY: memory of this size, which stays until commands are over.
        unsafe {
            let filled = queue.memset(far.ptr(), &[3_u8], SIZE, &[])?;
            let copied = queue.memcpy(false, near.ptr(), far.ptr(), SIZE, &[&filled])?;
            let rows = (near.ptr().cast_const(), 64);
            let boxed = queue.memcpy_2d(false, (far.ptr(), 64), rows, 40, 40, &[&copied])?;
            let within = queue.memcpy(false, far.ptr(), far.ptr().wrapping_byte_add(1024), 64, &[&boxed])?;
            wait(&queue.memcpy(false, pinned.ptr(), far.ptr(), SIZE, &[&within])?)?;
            check(
                "another device's memory",
                pinned.as_slice::<u8>().iter().all(|byte| *byte == 3),
            );
        }
        queue.finish()?;
    }
    let buffer = Buffer::with(&parts.context, MemFlags::READ_WRITE, &[6_u32; 64])?;
    let mut found = [0_u32; 64];
    for device in [first, second, first] {
        let queue = Queue::new(&parts.context, device, QueueFlags::empty())?;
        wait(&queue.read(&buffer, 0, &mut found, &[])?)?;
        found.iter_mut().for_each(|value| *value += 1);
        wait(&queue.write(&buffer, 0, &found, &[])?)?;
    }
    check("a buffer of two devices", found == [9; 64]);
    Ok(())
}

/// Makes bytes of an allocation, and opens those of another process, which is this test in another role.
fn shared_with_others(parts: &Parts) -> Result<()> {
    let memory = parts.device(4096)?;
    let (mut data, mut size) = (null_mut(), 0);
    let (context, device, fns) = (parts.context.raw(), parts.devices[0].raw(), loader().fns());
    // SAFETY: live handles, memory of this context, and places for the results.
    unsafe {
        fns.urIPCGetMemHandleExp(context, memory.ptr(), &mut data, &mut size)?;
        fns.urIPCPutMemHandleExp(context, data)?;
    }
    if let Some(mut bytes) = super::bytes_of_another() {
        let mut opened = null_mut();
        // SAFETY: live handles, the bytes of another process, and a place for the result.
        unsafe {
            fns.urIPCOpenMemHandleExp(context, device, bytes.as_mut_ptr().cast(), bytes.len(), &mut opened)?;
            let queue = parts.queue(QueueFlags::empty());
            let used = queue.and_then(|queue| wait(&queue.memset(opened, &[1_u8], 64, &[])?));
            used.and(fns.urIPCCloseMemHandleExp(context, opened))?;
        }
    }
    Ok(())
}

/// Gives another process bytes of memory, until `done`.
pub fn give_memory(give: impl FnOnce(&[u8])) -> Result<()> {
    let parts = Parts::new()?;
    let memory = parts.device(4096)?;
    let (mut data, mut size) = (null_mut::<c_void>(), 0);
    // SAFETY: a live context, its memory, and places for the results.
    unsafe {
        let fns = loader().fns();
        fns.urIPCGetMemHandleExp(parts.context.raw(), memory.ptr(), &mut data, &mut size)?;
        give(std::slice::from_raw_parts(data.cast::<u8>(), size));
        fns.urIPCPutMemHandleExp(parts.context.raw(), data)
    }
}
