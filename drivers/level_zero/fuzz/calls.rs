// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sequences of calls of Level Zero that bytes say: with live handles, destroyed ones, null ones and those of other
//! objects, in any order, with modules that may be damaged.
//!
//! Both the fuzz target and a conformance test include this file. They have `sys`, the bindings, and `ze!`, which
//! calls a function. Memory that commands access is valid, because drivers trust addresses; everything else may be
//! wrong.

use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};

use super::sys::*;
#[allow(unused_imports, reason = "the fuzz target's macro is known already")]
use super::ze;

/// The bytes that decide. After the last one they are zeros.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    fn number(&mut self) -> u32 {
        match self.byte() {
            byte @ 0..200 => u32::from(byte % 8),
            200..230 => 1 << self.below(32),
            _ => u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()]),
        }
    }
}

/// The kinds of handles.
#[derive(Clone, Copy)]
enum Kind {
    Context,
    Queue,
    List,
    Pool,
    Event,
    Fence,
    Module,
    Kernel,
    Log,
    Graph,
    Executable,
    Memory,
}

const KINDS: usize = 12;

/// Memory that commands access. Some may do so after the calls are over.
const WORDS: usize = 1 << 14;
static MEMORY: [std::sync::atomic::AtomicU32; WORDS] = [const { std::sync::atomic::AtomicU32::new(0) }; WORDS];

fn memory(offset: usize) -> *mut c_void {
    MEMORY[offset % (WORDS / 2)].as_ptr().cast()
}

struct World<'a> {
    input: Input<'a>,
    driver: ze_driver_handle_t,
    device: ze_device_handle_t,
    module: &'a [u8],
    /// All handles that there were.
    handles: [Vec<*mut c_void>; KINDS],
}

/// What no call may answer: it says that the driver panicked.
fn check(result: ze_result_t) -> bool {
    assert_ne!(result, ZE_RESULT_ERROR_UNKNOWN);
    result == ZE_RESULT_SUCCESS
}

macro_rules! call {
    ($($call:tt)*) => { check(ze!($($call)*)) };
}

impl World<'_> {
    /// A handle of a kind, more or less.
    fn pick<T>(&mut self, kind: Kind) -> *mut T {
        let kind = match self.input.byte() {
            0..6 => return null_mut(),
            6..10 if !matches!(kind, Kind::Memory) => self.input.below(Kind::Memory as usize),
            _ => kind as usize,
        };
        let index = usize::from(self.input.byte());
        match self.handles[kind].len() {
            0 => null_mut(),
            len => self.handles[kind][len - 1 - index % len.min(8)].cast(),
        }
    }

    fn keep<T>(&mut self, kind: Kind, handle: *mut T) {
        assert!(!handle.is_null());
        self.handles[kind as usize].push(handle.cast());
    }

    fn device(&mut self) -> ze_device_handle_t {
        match self.input.byte() {
            0..4 => null_mut(),
            _ => self.device,
        }
    }

    fn waits(&mut self) -> Vec<ze_event_handle_t> {
        let count = match self.input.byte() {
            0..150 => 0,
            byte => usize::from(byte % 3) + 1,
        };
        (0..count).map(|_| self.pick(Kind::Event)).collect()
    }

    fn signal(&mut self) -> ze_event_handle_t {
        match self.input.byte() {
            0..100 => null_mut(),
            _ => self.pick(Kind::Event),
        }
    }

    fn create(&mut self) {
        match self.input.below(13) {
            0 => {
                let (desc, mut made) = (ze_context_desc_t::default(), null_mut());
                if call!(zeContextCreate(self.driver, &desc, &mut made)) {
                    self.keep(Kind::Context, made);
                }
            }
            1 | 2 => {
                let desc = self.queue_desc();
                let (context, device, mut made) = (self.pick(Kind::Context), self.device(), null_mut());
                if call!(zeCommandListCreateImmediate(context, device, &desc, &mut made)) {
                    self.keep(Kind::List, made);
                }
            }
            3 => {
                let desc = ze_command_list_desc_t {
                    flags: self.input.number(),
                    ..Default::default()
                };
                let (context, device, mut made) = (self.pick(Kind::Context), self.device(), null_mut());
                if call!(zeCommandListCreate(context, device, &desc, &mut made)) {
                    self.keep(Kind::List, made);
                }
            }
            4 => {
                let desc = self.queue_desc();
                let (context, device, mut made) = (self.pick(Kind::Context), self.device(), null_mut());
                if call!(zeCommandQueueCreate(context, device, &desc, &mut made)) {
                    self.keep(Kind::Queue, made);
                }
            }
            5 => {
                let desc = ze_event_pool_desc_t {
                    flags: self.input.number(),
                    count: self.input.number() % 100,
                    ..Default::default()
                };
                let (context, mut made) = (self.pick(Kind::Context), null_mut());
                if call!(zeEventPoolCreate(context, &desc, 0, null_mut(), &mut made)) {
                    self.keep(Kind::Pool, made);
                }
            }
            6 => {
                let desc = ze_event_desc_t {
                    index: self.input.number(),
                    ..Default::default()
                };
                let (pool, mut made) = (self.pick(Kind::Pool), null_mut());
                if call!(zeEventCreate(pool, &desc, &mut made)) {
                    self.keep(Kind::Event, made);
                }
            }
            7 => {
                let desc = ze_event_counter_based_desc_t {
                    flags: self.input.number(),
                    ..Default::default()
                };
                let (context, device, mut made) = (self.pick(Kind::Context), self.device(), null_mut());
                if call!(zeEventCounterBasedCreate(context, device, &desc, &mut made)) {
                    self.keep(Kind::Event, made);
                }
            }
            8 => {
                let desc = ze_fence_desc_t {
                    flags: self.input.number(),
                    ..Default::default()
                };
                let (queue, mut made) = (self.pick(Kind::Queue), null_mut());
                if call!(zeFenceCreate(queue, &desc, &mut made)) {
                    self.keep(Kind::Fence, made);
                }
            }
            9 => self.create_kernel(),
            10 => {
                let (context, mut made) = (self.pick(Kind::Context), null_mut());
                if call!(zeGraphCreateExt(context, null(), &mut made)) {
                    self.keep(Kind::Graph, made);
                }
            }
            11 => {
                let (graph, mut made) = (self.pick(Kind::Graph), null_mut());
                if call!(zeGraphInstantiateExt(graph, null(), &mut made)) {
                    self.keep(Kind::Executable, made);
                }
            }
            _ => self.create_memory(),
        }
    }

    fn queue_desc(&mut self) -> ze_command_queue_desc_t {
        ze_command_queue_desc_t {
            ordinal: u32::from(self.input.byte() > 250),
            index: u32::from(self.input.byte() > 250),
            flags: self.input.number(),
            // Not synchronous: a wait for an event that only a later call signals would be one for ever.
            mode: [
                ZE_COMMAND_QUEUE_MODE_DEFAULT,
                ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
                ze_command_queue_mode_t(3),
            ][self.input.below(3)],
            ..Default::default()
        }
    }

    fn create_module(&mut self) {
        let mut bytes = self.module.to_vec();
        let mut format = ZE_MODULE_FORMAT_IL_SPIRV;
        let module = self.pick(Kind::Module);
        if self.input.byte() < 60 {
            let mut size = 0;
            if call!(zeModuleGetNativeBinary(module, &mut size, null_mut())) {
                bytes = vec![0; size];
                call!(zeModuleGetNativeBinary(module, &mut size, bytes.as_mut_ptr()));
                format = ZE_MODULE_FORMAT_NATIVE;
            }
        }
        if self.input.byte() < 120 {
            for _ in 0..1 + self.input.below(4) {
                let at = usize::from(self.input.byte()) * 256 + usize::from(self.input.byte());
                let length = bytes.len();
                bytes[at % length] = self.input.byte();
            }
            if self.input.byte() < 60 {
                bytes.truncate(usize::from(self.input.byte()) * 16 + 1);
            }
        }
        let flags =
            CString::new(["", "-ze-opt-disable", "-ze-unknown", "-ze-opt-level=99999999999"][self.input.below(4)]);
        let flags = flags.expect("no zeros");
        let desc = ze_module_desc_t {
            format,
            inputSize: bytes.len(),
            pInputModule: bytes.as_ptr(),
            pBuildFlags: flags.as_ptr(),
            ..Default::default()
        };
        let (context, device) = (self.pick(Kind::Context), self.device());
        let (mut made, mut log) = (null_mut(), null_mut());
        if call!(zeModuleCreate(context, device, &desc, &mut made, &mut log)) {
            self.keep(Kind::Module, made);
        }
        if !log.is_null() {
            self.keep(Kind::Log, log);
        }
    }

    fn create_kernel(&mut self) {
        // Damaged code may do anything to the process, so kernels are of whole modules.
        let desc = ze_module_desc_t {
            format: ZE_MODULE_FORMAT_IL_SPIRV,
            inputSize: self.module.len(),
            pInputModule: self.module.as_ptr(),
            ..Default::default()
        };
        let (context, mut module) = (self.pick(Kind::Context), null_mut());
        if !call!(zeModuleCreate(context, self.device, &desc, &mut module, null_mut())) {
            return;
        }
        let name = [c"add", c"multiply", c"count", c"nothing", c"absent", c""][self.input.below(6)];
        let desc = ze_kernel_desc_t {
            pKernelName: name.as_ptr(),
            flags: self.input.number() % 5,
            ..Default::default()
        };
        let mut made = null_mut();
        if call!(zeKernelCreate(module, &desc, &mut made)) {
            self.keep(Kind::Kernel, made);
        }
        match self.input.byte() {
            0..128 => _ = call!(zeModuleDestroy(module)),
            _ => self.keep(Kind::Module, module),
        }
    }

    fn create_memory(&mut self) {
        let (context, device, mut made) = (self.pick(Kind::Context), self.device(), null_mut());
        let size = match self.input.byte() {
            0..10 => 0,
            10..20 => usize::MAX - self.input.below(5000),
            _ => 1 + 64 * usize::from(self.input.byte()),
        };
        let align = self.input.number() as usize;
        let (host, device_desc) = (
            ze_host_mem_alloc_desc_t::default(),
            ze_device_mem_alloc_desc_t::default(),
        );
        let done = match self.input.below(3) {
            0 => call!(zeMemAllocHost(context, &host, size, align, &mut made)),
            1 => call!(zeMemAllocDevice(context, &device_desc, size, align, device, &mut made)),
            _ => call!(zeMemAllocShared(
                context,
                &device_desc,
                &host,
                size,
                align,
                device,
                &mut made
            )),
        };
        if done {
            self.keep(Kind::Memory, made);
        }
    }

    fn destroy(&mut self) {
        match self.input.below(13) {
            0 => _ = call!(zeContextDestroy(self.pick(Kind::Context))),
            1 => _ = call!(zeCommandListDestroy(self.pick(Kind::List))),
            2 => _ = call!(zeCommandQueueDestroy(self.pick(Kind::Queue))),
            3 => _ = call!(zeEventPoolDestroy(self.pick(Kind::Pool))),
            4 => _ = call!(zeEventDestroy(self.pick(Kind::Event))),
            5 => _ = call!(zeFenceDestroy(self.pick(Kind::Fence))),
            6 => _ = call!(zeModuleDestroy(self.pick(Kind::Module))),
            7 => _ = call!(zeKernelDestroy(self.pick(Kind::Kernel))),
            8 => _ = call!(zeModuleBuildLogDestroy(self.pick(Kind::Log))),
            9 => _ = call!(zeGraphDestroyExt(self.pick(Kind::Graph))),
            10 => _ = call!(zeExecutableGraphDestroyExt(self.pick(Kind::Executable))),
            11 => _ = call!(zeEventPoolCloseIpcHandle(self.pick(Kind::Pool))),
            _ => _ = call!(zeMemFree(self.pick(Kind::Context), self.pick(Kind::Memory))),
        }
    }

    fn kernel(&mut self) {
        let kernel = self.pick(Kind::Kernel);
        match self.input.below(8) {
            0 => {
                let [x, y, z] = [1 + self.input.number() % 64, 1, 1];
                call!(zeKernelSetGroupSize(kernel, x, y, z));
            }
            1 => {
                let [x, y, z] = [self.input.number(), self.input.number(), self.input.number()];
                // So many work-items stay in the memory.
                if x.checked_mul(y)
                    .and_then(|size| size.checked_mul(z))
                    .is_none_or(|size| size == 0 || size > 64)
                {
                    call!(zeKernelSetGroupSize(kernel, x, y, z));
                }
            }
            2 | 3 => {
                let pointer = memory(self.input.number() as usize);
                let size = match self.input.byte() {
                    0..40 => self.input.number() as usize % 20,
                    _ => 8,
                };
                // A value of more bytes is never read.
                let value = [pointer as usize, 0, 0];
                call!(zeKernelSetArgumentValue(kernel, 0, size, value.as_ptr().cast()));
            }
            4 => {
                let (index, size) = (1 + self.input.number() % 4, self.input.number() as usize % 20);
                let value = [0x0123_4567u64; 3];
                call!(zeKernelSetArgumentValue(kernel, index, size, value.as_ptr().cast()));
            }
            5 => {
                let (mut size, mut names) = (0, [0i8; 200]);
                call!(zeKernelGetName(kernel, &mut size, null_mut()));
                size = size.min(names.len());
                call!(zeKernelGetName(kernel, &mut size, names.as_mut_ptr()));
            }
            6 => {
                let mut properties = ze_kernel_properties_t::default();
                call!(zeKernelGetProperties(kernel, &mut properties));
            }
            _ => {
                let (mut x, mut y, mut z) = (0, 0, 0);
                let sides = [self.input.number(), self.input.number(), self.input.number()];
                call!(zeKernelSuggestGroupSize(
                    kernel, sides[0], sides[1], sides[2], &mut x, &mut y, &mut z
                ));
            }
        }
    }

    fn append(&mut self) {
        let list = self.pick(Kind::List);
        let signal = self.signal();
        let mut waits = self.waits();
        let count = waits.len() as u32 + u32::from(self.input.byte() > 250 && waits.is_empty());
        let waits = if waits.is_empty() {
            null_mut()
        } else {
            waits.as_mut_ptr()
        };
        let (to, from) = (
            memory(self.input.number() as usize),
            memory(self.input.number() as usize),
        );
        let size = usize::from(self.input.byte()) * 4;
        match self.input.below(14) {
            0 | 1 => {
                _ = call!(zeCommandListAppendMemoryCopy(
                    list, to, from, size, signal, count, waits
                ))
            }
            2 => {
                let (pattern, length) = ([7u64; 4], self.input.number() as usize % 33);
                let pattern = pattern.as_ptr().cast();
                call!(zeCommandListAppendMemoryFill(
                    list, to, pattern, length, size, signal, count, waits
                ));
            }
            3 | 4 => {
                let groups = ze_group_count_t {
                    groupCountX: self.input.number() % 4,
                    groupCountY: 1,
                    groupCountZ: 1,
                };
                let kernel = self.pick(Kind::Kernel);
                call!(zeCommandListAppendLaunchKernel(
                    list, kernel, &groups, signal, count, waits
                ));
            }
            5 => _ = call!(zeCommandListAppendBarrier(list, signal, count, waits)),
            6 => _ = call!(zeCommandListAppendSignalEvent(list, self.pick(Kind::Event))),
            7 => _ = call!(zeCommandListAppendEventReset(list, self.pick(Kind::Event))),
            8 => _ = call!(zeCommandListAppendWaitOnEvents(list, count, waits)),
            9 => {
                _ = call!(zeCommandListAppendWriteGlobalTimestamp(
                    list,
                    to.cast(),
                    signal,
                    count,
                    waits
                ))
            }
            10 => {
                let region = ze_copy_region_t {
                    originX: self.input.number() % 64,
                    width: self.input.number() % 64,
                    height: self.input.number() % 16,
                    depth: self.input.number() % 4,
                    ..Default::default()
                };
                let pitch = self.input.number() % 128;
                call!(zeCommandListAppendMemoryCopyRegion(
                    list, to, &region, pitch, 0, from, &region, pitch, 0, signal, count, waits
                ));
            }
            11 => {
                let mut events = [self.pick(Kind::Event), self.pick(Kind::Event)];
                let number = self.input.number() % 3;
                call!(zeCommandListAppendQueryKernelTimestamps(
                    list,
                    number,
                    events.as_mut_ptr(),
                    to,
                    null(),
                    signal,
                    count,
                    waits
                ));
            }
            12 => {
                let mut lists = [self.pick(Kind::List), self.pick(Kind::List)];
                let number = self.input.number() % 3;
                call!(zeCommandListImmediateAppendCommandListsExp(
                    list,
                    number,
                    lists.as_mut_ptr(),
                    signal,
                    count,
                    waits
                ));
            }
            _ => {
                let graph = self.pick(Kind::Executable);
                call!(zeCommandListAppendGraphExt(list, graph, null(), signal, count, waits));
            }
        }
    }

    fn control(&mut self) {
        match self.input.below(16) {
            0 | 1 => _ = call!(zeCommandListClose(self.pick(Kind::List))),
            2 => _ = call!(zeCommandListReset(self.pick(Kind::List))),
            3 => {
                let mut lists = [self.pick(Kind::List), self.pick(Kind::List)];
                let (queue, fence) = (self.pick(Kind::Queue), self.pick(Kind::Fence));
                let number = self.input.number() % 3;
                call!(zeCommandQueueExecuteCommandLists(
                    queue,
                    number,
                    lists.as_mut_ptr(),
                    fence
                ));
            }
            4 => _ = call!(zeEventHostSignal(self.pick(Kind::Event))),
            5 => _ = call!(zeEventHostReset(self.pick(Kind::Event))),
            6 => _ = call!(zeEventHostSynchronize(self.pick(Kind::Event), 1000)),
            7 => _ = call!(zeEventQueryStatus(self.pick(Kind::Event))),
            8 => _ = call!(zeFenceHostSynchronize(self.pick(Kind::Fence), 1000)),
            9 => _ = call!(zeFenceReset(self.pick(Kind::Fence))),
            10 => _ = call!(zeCommandListHostSynchronize(self.pick(Kind::List), 1000)),
            11 => _ = call!(zeCommandQueueSynchronize(self.pick(Kind::Queue), 1000)),
            12 => _ = call!(zeCommandListBeginGraphCaptureExt(self.pick(Kind::List), null())),
            13 => {
                let (list, graph) = (self.pick(Kind::List), self.pick(Kind::Graph));
                call!(zeCommandListBeginCaptureIntoGraphExt(list, graph, null()));
            }
            14 => {
                let (list, mut graph) = (self.pick(Kind::List), null_mut());
                if call!(zeCommandListEndGraphCaptureExt(list, null(), &mut graph)) {
                    self.keep(Kind::Graph, graph);
                }
            }
            _ => {
                let (event, mut times) = (self.pick(Kind::Event), ze_kernel_timestamp_result_t::default());
                call!(zeEventQueryKernelTimestamp(event, &mut times));
            }
        }
    }

    fn link(&mut self) {
        let mut modules: Vec<_> = (0..self.input.below(4)).map(|_| self.pick(Kind::Module)).collect();
        let mut log = null_mut();
        let count = modules.len() as u32;
        call!(zeModuleDynamicLink(count, modules.as_mut_ptr(), &mut log));
        if !log.is_null() {
            self.keep(Kind::Log, log);
        }
        let (log, mut size) = (self.pick(Kind::Log), 0);
        call!(zeModuleBuildLogGetString(log, &mut size, null_mut()));
        let (module, mut size, mut pointer) = (self.pick(Kind::Module), 0, null_mut());
        call!(zeModuleGetGlobalPointer(
            module,
            c"weight".as_ptr(),
            &mut size,
            &mut pointer
        ));
    }

    /// Lets all commands end, and destroys all objects.
    fn end(&mut self) {
        let all = |handles: &[Vec<*mut c_void>; KINDS], kind: Kind| handles[kind as usize].clone();
        for list in all(&self.handles, Kind::List) {
            let mut graph = null_mut();
            if call!(zeCommandListEndGraphCaptureExt(list.cast(), null(), &mut graph)) {
                self.keep(Kind::Graph, graph);
            }
        }
        // Commands may reset events that others wait for.
        for _ in 0..20 {
            for event in all(&self.handles, Kind::Event) {
                call!(zeEventHostSignal(event.cast()));
            }
            let mut is_over = true;
            for list in all(&self.handles, Kind::List) {
                is_over &= ze!(zeCommandListHostSynchronize(list.cast(), 100_000)) != ZE_RESULT_NOT_READY;
            }
            for queue in all(&self.handles, Kind::Queue) {
                is_over &= ze!(zeCommandQueueSynchronize(queue.cast(), 100_000)) != ZE_RESULT_NOT_READY;
            }
            if is_over {
                break;
            }
        }
        for list in all(&self.handles, Kind::List) {
            call!(zeCommandListDestroy(list.cast()));
        }
        for queue in all(&self.handles, Kind::Queue) {
            call!(zeCommandQueueDestroy(queue.cast()));
        }
        for event in all(&self.handles, Kind::Event) {
            call!(zeEventDestroy(event.cast()));
        }
        for pool in all(&self.handles, Kind::Pool) {
            call!(zeEventPoolDestroy(pool.cast()));
        }
        for fence in all(&self.handles, Kind::Fence) {
            call!(zeFenceDestroy(fence.cast()));
        }
        for executable in all(&self.handles, Kind::Executable) {
            call!(zeExecutableGraphDestroyExt(executable.cast()));
        }
        for graph in all(&self.handles, Kind::Graph) {
            call!(zeGraphDestroyExt(graph.cast()));
        }
        for kernel in all(&self.handles, Kind::Kernel) {
            call!(zeKernelDestroy(kernel.cast()));
        }
        for module in all(&self.handles, Kind::Module) {
            call!(zeModuleDestroy(module.cast()));
        }
        for log in all(&self.handles, Kind::Log) {
            call!(zeModuleBuildLogDestroy(log.cast()));
        }
        for context in all(&self.handles, Kind::Context) {
            for memory in all(&self.handles, Kind::Memory) {
                call!(zeMemFree(context.cast(), memory));
            }
            call!(zeContextDestroy(context.cast()));
        }
    }
}

/// Makes the calls that the bytes say. `module` is SPIR-V that is right, with the kernels of `basic.cl`.
pub fn run(bytes: &[u8], driver: ze_driver_handle_t, device: ze_device_handle_t, module: &[u8]) {
    let mut world = World {
        input: Input(bytes),
        driver,
        device,
        module,
        handles: Default::default(),
    };
    let (desc, mut context) = (ze_context_desc_t::default(), null_mut());
    if call!(zeContextCreate(driver, &desc, &mut context)) {
        world.keep(Kind::Context, context);
    }
    while !world.input.0.is_empty() {
        match world.input.byte() {
            0..70 => world.create(),
            70..95 => world.destroy(),
            95..115 => world.kernel(),
            115..190 => world.append(),
            190..246 => world.control(),
            246..252 => world.create_module(),
            _ => world.link(),
        }
    }
    world.end();
}
