// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The Unified Runtime: a loader and the OpenCL adapter, Intel's or ours.

use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

use oxur_client::api::*;
use oxur_client::{
    Adapter, Context, Device, Error, ExecutableGraph, Fns, Graph, Kernel, Loader, Program, Queue, UsmPool,
};

use crate::silent;
use crate::stack::{Call, Commands, Failure, FourArgs, Kind, Launch, Line, Means, Stack, WITH_ARGS};
use crate::threads::Shared;

/// A queue and the kernels that are launched on it.
struct Lane {
    queue: Queue,
    count_up: Kernel,
    multiply_add: Kernel,
}

/// A loader's first device, with what [`Stack`] asks for.
pub struct Ur {
    title: &'static str,
    fns: Fns,
    device: Device,
    context: Context,
    program: Program,
    pool: Option<UsmPool>,
    lanes: [Lane; 2],
    /// Intel's adapter for Level Zero ends with its last reference, and all its objects with it.
    _adapters: Vec<Adapter>,
    /// Where enumerations put their handles.
    handles: RefCell<Handles>,
}

#[derive(Default)]
struct Handles {
    adapters: [AdapterHandle; 8],
    platforms: [PlatformHandle; 8],
    devices: [DeviceHandle; 8],
}

fn check(result: Result<(), Error>) {
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// Opens `loader`, which is to load `adapters` and no others.
///
/// # Safety
/// No other thread may use the environment.
pub unsafe fn open(loader: &Path, adapters: &[&Path]) -> Result<Loader, Failure> {
    let list: Vec<_> = adapters.iter().map(|path| path.to_string_lossy()).collect();
    // SAFETY: the caller's promise.
    unsafe { std::env::set_var("UR_ADAPTERS_FORCE_LOAD", list.join(",")) };
    Ok(Loader::open(loader)?)
}

/// Adapters, platforms, devices and the first one's name: what a program does first. Gives the number of devices.
pub fn discover(loader: &Loader) -> Result<usize, Failure> {
    let mut devices = Vec::new();
    for adapter in loader.adapters()? {
        for platform in adapter.platforms()? {
            devices.extend(platform.devices()?);
        }
    }
    devices
        .first()
        .ok_or("there is no device")?
        .info::<String>(DeviceInfo::NAME)?;
    Ok(devices.len())
}

/// What a program is made of.
pub enum Code {
    /// The driver's.
    Binary(Vec<u8>),
    /// SPIR-V.
    Il(Vec<u8>),
}

impl Ur {
    /// Makes the objects of a stack, with a program of this code.
    pub fn new(title: &'static str, loader: Loader, code: &Code) -> Result<Self, Failure> {
        let adapters: Vec<Adapter> = loader.adapters()?;
        let adapter = adapters.first().ok_or("the loader has no adapter")?;
        let device = adapter
            .platforms()?
            .first()
            .ok_or("no platform")?
            .devices()?
            .into_iter()
            .next();
        let device = device.ok_or("no device")?;
        let context = Context::new(&[&device])?;
        let program = |context: &Context| -> Result<Program, Error> {
            let program = match code {
                Code::Binary(binary) => Program::with_binaries(context, &[&device], &[binary])?,
                Code::Il(il) => Program::with_il(context, il)?,
            };
            program.build(context, "")?;
            Ok(program)
        };
        let lane = |context: &Context, program: &Program| -> Result<Lane, Error> {
            Ok(Lane {
                queue: Queue::new(context, &device, QueueFlags::empty())?,
                count_up: Kernel::new(program, "count_up")?,
                multiply_add: Kernel::new(program, "multiply_add")?,
            })
        };
        let built = program(&context)?;
        let apart = || Context::new(&[&device]);
        let apart = match code {
            // SAFETY: a binary is for Intel's driver, which implements `cl_khr_icd` and OpenCL 3.0. This thread alone uses it.
            Code::Binary(_) => unsafe { silent::contexts(device.native()? as *mut c_void, apart) },
            Code::Il(_) => apart(),
        }?;
        let silent = lane(&apart, &program(&apart)?)?;
        Ok(Self {
            title,
            fns: *loader.fns(),
            lanes: [lane(&context, &built)?, silent],
            pool: UsmPool::new(&context, UsmPoolFlags::empty()).ok(),
            handles: RefCell::default(),
            _adapters: adapters,
            program: built,
            device,
            context,
        })
    }

    fn lane(&self, launch: Launch) -> &Lane {
        &self.lanes[usize::from(launch.silent)]
    }

    /// Launches with arguments that are set. Apart from [`Self::enqueue_with`], since what the one needs would be
    /// measured with the other.
    #[inline(never)]
    fn enqueue(&self, kernel: KernelHandle, launch: Launch) -> Option<EventHandle> {
        let one = 1usize;
        let local = if launch.local { &raw const one } else { null() };
        let mut event = EventHandle::default();
        let out = if launch.event { &raw mut event } else { null_mut() };
        let queue = self.lane(launch).queue.raw();
        // SAFETY: live handles, sizes of one dimension.
        check(unsafe {
            self.fns
                .urEnqueueKernelLaunch(queue, kernel, 1, null(), &one, local, null(), 0, null(), out)
        });
        launch.event.then_some(event)
    }

    /// Launches with these arguments.
    #[inline(never)]
    fn enqueue_with(
        &self,
        kernel: KernelHandle,
        launch: Launch,
        args: &[ExpKernelArgProperties],
    ) -> Option<EventHandle> {
        let one = 1usize;
        let local = if launch.local { &raw const one } else { null() };
        let mut event = EventHandle::default();
        let out = if launch.event { &raw mut event } else { null_mut() };
        let queue = self.lane(launch).queue.raw();
        let (count, args) = (args.len() as u32, if args.is_empty() { null() } else { args.as_ptr() });
        // SAFETY: live handles, sizes of one dimension, complete arguments.
        check(unsafe {
            self.fns.urEnqueueKernelLaunchWithArgsExp(
                queue,
                kernel,
                1,
                null(),
                &one,
                local,
                count,
                args,
                null(),
                0,
                null(),
                out,
            )
        });
        launch.event.then_some(event)
    }

    /// A new command buffer.
    fn buffer(&self, updatable: bool) -> Option<Buffer> {
        let fns = self.fns;
        let desc = ExpCommandBufferDesc {
            isUpdatable: updatable.into(),
            isInOrder: 1,
            ..Default::default()
        };
        let mut raw = ExpCommandBufferHandle::default();
        // SAFETY: live handles, a description and a place for the handle.
        unsafe { fns.urCommandBufferCreateExp(self.context.raw(), self.device.raw(), &desc, &mut raw) }.ok()?;
        Some(Buffer {
            fns,
            raw,
            last: ExpCommandBufferCommandHandle::default(),
        })
    }

    /// Appends a command that the loader of 2026.1 knows.
    fn append_one(&self, buffer: &Buffer, commands: Commands, args: &FourArgs) -> Result<(), Error> {
        let (fns, raw, one, size) = (&self.fns, buffer.raw, 1usize, size_of::<i32>());
        let kernel = self.lanes[0].multiply_add.raw();
        let (points, events, point) = (null(), null(), null_mut());
        let (event, command) = (null_mut(), null_mut());
        let summand = (&raw const args.summand).cast();
        // SAFETY: live handles, the arguments that the kernel expects, sizes of one dimension, memory of four bytes.
        unsafe {
            match commands {
                Commands::Launches => {
                    self.set_args(kernel, args);
                    fns.urCommandBufferAppendKernelLaunchExp(
                        raw,
                        kernel,
                        1,
                        null(),
                        &one,
                        &one,
                        0,
                        null_mut(),
                        0,
                        points,
                        0,
                        events,
                        point,
                        event,
                        command,
                    )
                }
                Commands::Fills => fns.urCommandBufferAppendUSMFillExp(
                    raw, args.out, summand, size, size, 0, points, 0, events, point, event, command,
                ),
                Commands::Copies => fns.urCommandBufferAppendUSMMemcpyExp(
                    raw, args.out, args.input, size, 0, points, 0, events, point, event, command,
                ),
            }
        }
    }

    /// Sets the arguments of `multiply_add` one by one.
    fn set_args(&self, kernel: KernelHandle, args: &FourArgs) {
        let (fns, size) = (&self.fns, size_of::<i32>());
        let (factor, summand) = ((&raw const args.factor).cast(), (&raw const args.summand).cast());
        // SAFETY: a live kernel and the arguments that it expects.
        unsafe {
            check(fns.urKernelSetArgPointer(kernel, 0, null(), args.out));
            check(fns.urKernelSetArgPointer(kernel, 1, null(), args.input));
            check(fns.urKernelSetArgValue(kernel, 2, size, null(), factor));
            check(fns.urKernelSetArgValue(kernel, 3, size, null(), summand));
        }
    }

    /// Appends launches to a command buffer.
    fn append_with(&self, count: u32, args: FourArgs) -> Option<Buffer> {
        let (fns, one) = (self.fns, 1usize);
        let mut buffer = self.buffer(true)?;
        let raw = buffer.raw;
        let (kernel, properties) = (self.lanes[0].multiply_add.raw(), properties(&args));
        for i in 1..=count {
            let command = if i == count { &raw mut buffer.last } else { null_mut() };
            // SAFETY: live handles, sizes of one dimension, complete arguments.
            let appended = unsafe {
                fns.urCommandBufferAppendKernelLaunchWithArgsExp(
                    raw,
                    kernel,
                    1,
                    null(),
                    &one,
                    &one,
                    properties.len() as u32,
                    properties.as_ptr(),
                    0,
                    null_mut(),
                    0,
                    null(),
                    0,
                    null(),
                    null_mut(),
                    null_mut(),
                    command,
                )
            };
            // Intel's adapter has it only where the driver has command buffers, and its loader of 2026.1 not at all.
            appended.ok()?;
        }
        // SAFETY: a live command buffer.
        check(unsafe { fns.urCommandBufferFinalizeExp(raw) });
        Some(buffer)
    }

    /// Captures launches into a graph. Intel's adapter refuses that.
    fn capture(&self, count: u32, args: FourArgs) -> Option<CapturedGraph> {
        let lane = &self.lanes[0];
        lane.queue.begin_capture().ok()?;
        let properties = properties(&args);
        for _ in 0..count {
            self.enqueue_with(lane.multiply_add.raw(), WITH_ARGS, &properties);
        }
        let captured = lane.queue.end_capture().and_then(|graph| {
            let executable = graph.instantiate()?;
            Ok(CapturedGraph {
                executable,
                _graph: graph,
            })
        });
        Some(captured.unwrap_or_else(|error| panic!("{error}")))
    }
}

/// A command buffer and the handle of its last launch, released with this.
pub struct Buffer {
    fns: Fns,
    raw: ExpCommandBufferHandle,
    last: ExpCommandBufferCommandHandle,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: a live command buffer that nobody else knows.
        check(unsafe { self.fns.urCommandBufferReleaseExp(self.raw) });
    }
}

/// What was captured, and what runs. That goes first: Intel's adapter leaks graphs that are destroyed before it.
pub struct CapturedGraph {
    executable: ExecutableGraph,
    _graph: Graph,
}

/// Commands that run again and again.
pub enum Recording {
    /// They were appended.
    CommandBuffer(Box<Buffer>),
    /// They were captured.
    Graph(CapturedGraph),
}

/// The arguments of `multiply_add`, which live as long as `args`.
fn properties(args: &FourArgs) -> [ExpKernelArgProperties; 4] {
    let arg = |index, r#type, size, value| ExpKernelArgProperties {
        r#type,
        index,
        size,
        value,
        ..Default::default()
    };
    let pointer = |index, pointer| {
        let value = ExpKernelArgValue { pointer };
        arg(index, ExpKernelArgType::POINTER, size_of::<usize>(), value)
    };
    let value = |index, number: &i32| {
        let value = (&raw const *number).cast();
        arg(
            index,
            ExpKernelArgType::VALUE,
            size_of::<i32>(),
            ExpKernelArgValue { value },
        )
    };
    [
        pointer(0, args.out),
        pointer(1, args.input),
        value(2, &args.factor),
        value(3, &args.summand),
    ]
}

/// What a thread submits launches with.
pub struct UrLine {
    fns: Fns,
    queue: Queue,
    kernel: Kernel,
}

impl Line for UrLine {
    fn launch(&self, args: FourArgs) {
        let (one, args) = (1usize, properties(&args));
        // SAFETY: live handles, sizes of one dimension, complete arguments.
        check(unsafe {
            self.fns.urEnqueueKernelLaunchWithArgsExp(
                self.queue.raw(),
                self.kernel.raw(),
                1,
                null(),
                &one,
                &one,
                args.len() as u32,
                args.as_ptr(),
                null(),
                0,
                null(),
                null_mut(),
            )
        });
    }

    fn finish(&self) {
        check(self.queue.finish());
    }
}

impl Stack for Ur {
    type Line = UrLine;
    type Event = EventHandle;
    type Recording = Recording;

    fn title(&self) -> &str {
        self.title
    }

    fn launch(&self, launch: Launch) -> Option<EventHandle> {
        let kernel = self.lane(launch).count_up.raw();
        match launch.call {
            Call::SetArgs => self.enqueue(kernel, launch),
            Call::WithArgs => self.enqueue_with(kernel, launch, &[]),
        }
    }

    fn launch_four(&self, launch: Launch, args: FourArgs) -> Option<EventHandle> {
        let kernel = self.lane(launch).multiply_add.raw();
        match launch.call {
            Call::SetArgs => {
                self.set_args(kernel, &args);
                self.enqueue(kernel, launch)
            }
            Call::WithArgs => self.enqueue_with(kernel, launch, &properties(&args)),
        }
    }

    fn record(&self, means: Means, count: u32, args: FourArgs) -> Option<Recording> {
        match means {
            Means::CommandBuffer => self
                .append_with(count, args)
                .map(|buffer| Recording::CommandBuffer(Box::new(buffer))),
            Means::Graph => self.capture(count, args).map(Recording::Graph),
        }
    }

    fn append(&self, commands: Commands, count: u32, args: FourArgs) -> Option<Recording> {
        let buffer = self.buffer(false)?;
        for i in 1..=count as i32 {
            let args = FourArgs {
                summand: args.summand - (count as i32 - i),
                ..args
            };
            self.append_one(&buffer, commands, &args).ok()?;
        }
        Some(Recording::CommandBuffer(Box::new(buffer)))
    }

    fn finalize(&self, recording: &Recording) {
        let Recording::CommandBuffer(buffer) = recording else {
            panic!("a graph is finalized when it is instantiated");
        };
        // SAFETY: a live command buffer.
        check(unsafe { self.fns.urCommandBufferFinalizeExp(buffer.raw) });
    }

    fn lines(&self, threads: usize, shared: Shared) -> Vec<UrLine> {
        let made = || -> Result<Vec<UrLine>, Error> {
            let queue = || Queue::new(&self.context, &self.device, QueueFlags::empty());
            let kernel = || Kernel::new(&self.program, "multiply_add");
            let one_queue = (shared == Shared::Queue).then(queue).transpose()?;
            let one_kernel = (shared == Shared::Kernel).then(kernel).transpose()?;
            let line = |_| {
                Ok(UrLine {
                    fns: self.fns,
                    queue: one_queue.clone().map_or_else(queue, Ok)?,
                    kernel: one_kernel.clone().map_or_else(kernel, Ok)?,
                })
            };
            (0..threads).map(line).collect()
        };
        made().unwrap_or_else(|error| panic!("{error}"))
    }

    fn replay(&self, recording: &Recording) {
        let queue = self.lanes[0].queue.raw();
        let (list, out) = (null(), null_mut());
        // SAFETY: live handles.
        check(unsafe {
            match recording {
                Recording::CommandBuffer(buffer) => self.fns.urEnqueueCommandBufferExp(queue, buffer.raw, 0, list, out),
                Recording::Graph(graph) => self.fns.urEnqueueGraphExp(queue, graph.executable.raw(), 0, list, out),
            }
        });
    }

    fn update(&self, recording: &Recording, summand: i32) {
        let Recording::CommandBuffer(buffer) = recording else {
            panic!("a graph is not updated");
        };
        let value = ExpCommandBufferUpdateValueArgDesc {
            argIndex: 3,
            argSize: size_of::<i32>(),
            pNewValueArg: (&raw const summand).cast(),
            ..Default::default()
        };
        let update = ExpCommandBufferUpdateKernelLaunchDesc {
            hCommand: buffer.last,
            // Intel's adapter for Level Zero wants it in any case.
            newWorkDim: 1,
            numNewValueArgs: 1,
            pNewValueArgList: &value,
            ..Default::default()
        };
        // SAFETY: live handles and a complete description.
        check(unsafe { self.fns.urCommandBufferUpdateKernelLaunchExp(buffer.raw, 1, &update) });
    }

    fn barrier(&self) -> EventHandle {
        let mut event = EventHandle::default();
        // SAFETY: a live queue and a place for the event.
        check(unsafe {
            self.fns
                .urEnqueueEventsWaitWithBarrier(self.lanes[0].queue.raw(), 0, null(), &mut event)
        });
        event
    }

    fn finish(&self) {
        // SAFETY: a live queue.
        check(unsafe { self.fns.urQueueFinish(self.lanes[0].queue.raw()) });
    }

    fn wait(&self, event: EventHandle) {
        // SAFETY: a live event.
        check(unsafe { self.fns.urEventWait(1, &event) });
    }

    fn retain(&self, event: EventHandle) {
        // SAFETY: a live event.
        check(unsafe { self.fns.urEventRetain(event) });
    }

    fn release(&self, event: EventHandle) {
        // SAFETY: a live event.
        check(unsafe { self.fns.urEventRelease(event) });
    }

    fn memcpy(&self, to: *mut c_void, from: *const c_void, size: usize) {
        let queue = self.lanes[0].queue.raw();
        // SAFETY: a live queue; the caller vouches for the memory.
        check(unsafe {
            self.fns
                .urEnqueueUSMMemcpy(queue, true, to, from, size, 0, null(), null_mut())
        });
    }

    fn alloc(&self, kind: Kind, size: usize, pool: bool) -> *mut c_void {
        let (context, device) = (self.context.raw(), self.device.raw());
        let pool = self
            .pool
            .as_ref()
            .filter(|_| pool)
            .map_or(UsmPoolHandle::default(), UsmPool::raw);
        let mut memory = null_mut();
        // SAFETY: live handles and a place for the address.
        check(unsafe {
            match kind {
                Kind::Device => self
                    .fns
                    .urUSMDeviceAlloc(context, device, null(), pool, size, &mut memory),
                Kind::Shared => self
                    .fns
                    .urUSMSharedAlloc(context, device, null(), pool, size, &mut memory),
                Kind::Host => self.fns.urUSMHostAlloc(context, null(), pool, size, &mut memory),
            }
        });
        memory
    }

    fn free(&self, memory: *mut c_void) {
        // SAFETY: memory of this context that nothing uses.
        check(unsafe { self.fns.urUSMFree(self.context.raw(), memory) });
    }

    fn has_pool(&self) -> bool {
        self.pool.is_some()
    }

    fn read_global(&self, name: &CStr, to: &mut [i32]) {
        let (queue, program) = (self.lanes[0].queue.raw(), self.program.raw());
        let (size, place) = (size_of_val(to), to.as_mut_ptr().cast());
        // SAFETY: live handles; the call blocks until the slice is written.
        check(unsafe {
            self.fns.urEnqueueDeviceGlobalVariableRead(
                queue,
                program,
                name.as_ptr(),
                true,
                size,
                0,
                place,
                0,
                null(),
                null_mut(),
            )
        });
    }

    fn write_global(&self, name: &CStr, from: &[i32]) {
        let (queue, program) = (self.lanes[0].queue.raw(), self.program.raw());
        let (size, place) = (size_of_val(from), from.as_ptr().cast());
        // SAFETY: live handles; the call blocks until the slice is read.
        check(unsafe {
            self.fns.urEnqueueDeviceGlobalVariableWrite(
                queue,
                program,
                name.as_ptr(),
                true,
                size,
                0,
                place,
                0,
                null(),
                null_mut(),
            )
        });
    }

    fn enumerate(&self) -> usize {
        let Handles {
            adapters,
            platforms,
            devices,
        } = &mut *self.handles.borrow_mut();
        let (fns, null) = (&self.fns, null_mut());
        let (mut count, mut some, mut found, mut all) = (0, 0, 0, 0);
        // SAFETY: the number first and then as many handles; the places have room for eight. The references that come with
        // the handles of adapters and devices are given back.
        unsafe {
            check(fns.urAdapterGet(0, null_mut(), &mut count));
            check(fns.urAdapterGet(count.min(8), adapters.as_mut_ptr(), null));
            for adapter in &adapters[..count.min(8) as usize] {
                check(fns.urPlatformGet(*adapter, 0, null_mut(), &mut some));
                check(fns.urPlatformGet(*adapter, some.min(8), platforms.as_mut_ptr(), null));
                for platform in &platforms[..some.min(8) as usize] {
                    check(fns.urDeviceGet(*platform, DeviceType::ALL, 0, null_mut(), &mut found));
                    check(fns.urDeviceGet(*platform, DeviceType::ALL, found.min(8), devices.as_mut_ptr(), null));
                    for device in &devices[..found.min(8) as usize] {
                        check(fns.urDeviceRelease(*device));
                    }
                    all += found as usize;
                }
                check(fns.urAdapterRelease(*adapter));
            }
        }
        all
    }

    fn compute_units(&self) -> u32 {
        let mut units = 0u32;
        let place = (&raw mut units).cast();
        let device = self.device.raw();
        // SAFETY: a live device and a place of that size.
        check(unsafe {
            self.fns
                .urDeviceGetInfo(device, DeviceInfo::MAX_COMPUTE_UNITS, 4, place, null_mut())
        });
        units
    }

    fn name(&self, buffer: &mut [u8]) -> usize {
        let (mut size, place) = (0, buffer.as_mut_ptr().cast());
        let device = self.device.raw();
        // SAFETY: a live device and a place of that size.
        check(unsafe {
            self.fns
                .urDeviceGetInfo(device, DeviceInfo::NAME, buffer.len(), place, &mut size)
        });
        size
    }
}
