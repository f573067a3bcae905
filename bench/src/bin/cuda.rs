// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the CUDA adapter's calls cost beside those of the driver: `oxur-bench-cuda LOADER ADAPTER`, on a machine with
//! an NVIDIA GPU. Medians of many rounds, in microseconds unless said; a second column is the driver alone.
//!
//! A third argument, the path of a module of SPIR-V, and a fourth, a kernel of it with two pointers, have it time the first
//! call of that kernel instead. `--calls [PART]` has it time a few kinds of calls only, or those whose names have `PART`, in turns
//! with those of the driver: that takes seconds, and a machine whose speed changes changes both. `--devices` has it time contexts of all GPUs in the same way.
//! `--kernels MODULE [--count N] [--seconds N]` has it run the kernels of `bench/kernels/gpu.cl`, of which `MODULE` is the SPIR-V, in turns with nvcc's code for the same: `N` floats in an array, and
//! how long a row takes. It ends with 1 where a result is wrong, a goal is missed, or there is no nvcc.

#[path = "../cuda_calls.rs"]
mod calls;
#[path = "../cuda_devices.rs"]
mod devices;
#[path = "../cuda_kernels.rs"]
mod kernels;

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::time::Instant;

use oxur_client::api::*;
use oxur_client::*;
use oxur_cuda_sys::*;

/// Kernels that do next to nothing, and a variable.
const PTX: &[u8] = b".version 7.0
.target sm_70
.address_size 64
.visible .global .align 8 .b8 variable[256];
.visible .entry nothing(.param .u64 p0)
{
    ret;
}
\0";

/// The median of the times of `rounds` calls, each divided by `per`.
fn median(rounds: usize, per: usize, mut call: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_secs_f64() * 1e6 / per as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[rounds / 2]
}

fn row(what: &str, ours: f64, raw: f64) {
    println!("{what:44} {ours:10.3} {raw:10.3} {:7.2}", ours / raw);
}

fn ok(result: CUresult) {
    assert!(result == CUDA_SUCCESS, "{result:?}");
}

/// The driver alone, in the context that the adapter has made.
struct Raw {
    cu: Functions,
    stream: CUstream,
    function: CUfunction,
    variable: CUdeviceptr,
}

impl Raw {
    fn new() -> Self {
        let cu = Functions::open("libcuda.so.1").expect("libcuda");
        let (mut context, mut stream, mut module, mut function) = (null_mut(), null_mut(), null_mut(), null_mut());
        let (mut variable, mut size) = (0, 0);
        // SAFETY: places for results, and live objects.
        unsafe {
            ok((cu.cuInit)(0));
            ok((cu.cuDevicePrimaryCtxRetain)(&mut context, 0));
            ok((cu.cuCtxSetCurrent)(context));
            ok((cu.cuStreamCreateWithPriority)(&mut stream, CU_STREAM_NON_BLOCKING, 0));
            ok((cu.cuModuleLoadData)(&mut module, PTX.as_ptr().cast()));
            let name: *const c_char = c"nothing".as_ptr();
            ok((cu.cuModuleGetFunction)(&mut function, module, name));
            ok((cu.cuModuleGetGlobal)(
                &mut variable,
                &mut size,
                module,
                c"variable".as_ptr(),
            ));
        }
        Self {
            cu,
            stream,
            function,
            variable,
        }
    }

    fn launch(&self) {
        let mut argument = 0_u64;
        let mut params: [*mut c_void; 1] = [(&raw mut argument).cast()];
        let launch = self.cu.cuLaunchKernel;
        // SAFETY: a kernel that does nothing, with its parameter.
        ok(unsafe {
            launch(
                self.function,
                1,
                1,
                1,
                32,
                1,
                1,
                0,
                self.stream,
                params.as_mut_ptr(),
                null_mut(),
            )
        });
    }

    fn copy(&self, dst: u64, src: u64, size: usize) {
        // SAFETY: the caller has memory of this size.
        ok(unsafe { (self.cu.cuMemcpyAsync)(dst, src, size, self.stream) });
    }

    /// A memory pool that keeps what is freed.
    fn pool(&self) -> CUmemoryPool {
        let properties = CUmemPoolProps {
            allocType: CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: 0,
            location: CUmemLocation {
                kind: CU_MEM_LOCATION_TYPE_DEVICE,
                id: 0,
            },
            win32SecurityAttributes: null_mut(),
            maxSize: 0,
            usage: 0,
            reserved: [0; 54],
        };
        let (mut pool, mut all) = (null_mut(), u64::MAX);
        // SAFETY: a place for the pool, and a description; the pool's attribute is 64 bits.
        unsafe {
            ok((self.cu.cuMemPoolCreate)(&mut pool, &properties));
            let attribute = CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            ok((self.cu.cuMemPoolSetAttribute)(pool, attribute, (&raw mut all).cast()));
        }
        pool
    }

    /// Takes memory of a pool that all streams may use, and gives it back.
    fn take_and_give(&self, pool: CUmemoryPool, size: usize) {
        let mut address = 0;
        // SAFETY: a place for the address; a live pool and stream, and memory that nobody uses.
        unsafe {
            ok((self.cu.cuMemAllocFromPoolAsync)(&mut address, size, pool, self.stream));
            ok((self.cu.cuStreamSynchronize)(self.stream));
            ok((self.cu.cuMemFreeAsync)(address, self.stream));
        }
    }

    /// A graph that launches the kernel so many times, one after the other, and its last node.
    fn graph(&self, count: usize) -> (CUgraphExec, CUgraphNode) {
        let (mut graph, mut executable, mut last) = (null_mut(), null_mut(), null_mut());
        // SAFETY: places for results, and live objects.
        unsafe {
            ok((self.cu.cuGraphCreate)(&mut graph, 0));
            for at in 0..count {
                let after: CUgraphNode = last;
                self.with_params(|params| {
                    let place = &raw mut last;
                    ok((self.cu.cuGraphAddKernelNode)(place, graph, &after, at.min(1), params));
                });
            }
            ok((self.cu.cuGraphInstantiateWithFlags)(&mut executable, graph, 0));
            // As the adapter does. Without it, the first run takes longer, and so do changes of nodes.
            ok((self.cu.cuGraphUpload)(executable, self.stream));
            self.wait();
        }
        (executable, last)
    }

    fn with_params(&self, call: impl FnOnce(&CUDA_KERNEL_NODE_PARAMS)) {
        let mut argument = 0_u64;
        let mut params: [*mut c_void; 1] = [(&raw mut argument).cast()];
        call(&CUDA_KERNEL_NODE_PARAMS {
            func: self.function,
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: 32,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: params.as_mut_ptr(),
            extra: null_mut(),
            kern: null_mut(),
            ctx: null_mut(),
        });
    }

    fn launch_graph(&self, graph: CUgraphExec) {
        // SAFETY: a live graph and stream.
        ok(unsafe { (self.cu.cuGraphLaunch)(graph, self.stream) });
    }

    fn wait(&self) {
        // SAFETY: a live stream.
        ok(unsafe { (self.cu.cuStreamSynchronize)(self.stream) });
    }
}

/// How long it takes to have the code of a kernel, and to run it once.
fn first_call(context: &Context, queue: &Queue, module: &str, kernel: &str) {
    let code = std::fs::read(module).expect("the module");
    let start = Instant::now();
    let mut since = start;
    let mut step = |what: &str| {
        println!("{what:44} {:10.3} ms", since.elapsed().as_secs_f64() * 1e3);
        since = Instant::now();
    };
    let program = Program::with_il(context, &code).expect("urProgramCreateWithIL");
    program.build(context, "").expect("urProgramBuild");
    step("first call: program");
    let kernel = Kernel::new(&program, kernel).expect("urKernelCreate");
    step("first call: kernel");
    let memory = Usm::host(context, 4096, UsmRequest::default()).expect("urUSMHostAlloc");
    let args = [Arg::Pointer(memory.ptr()); 2];
    // SAFETY: a kernel that copies a value, with memory for it.
    let event = unsafe { queue.launch(&kernel, &Range::new([1]), &args, &[]) }.expect("launch");
    event.wait().expect("urEventWait");
    step("first call: launch and wait");
    println!(
        "{:44} {:10.3} ms",
        "first call: all",
        start.elapsed().as_secs_f64() * 1e3
    );
}

/// An empty command buffer for launches that are updated.
fn command_buffer(rig: &Rig<'_>) -> CommandBuffer {
    let settings = CommandBufferSettings {
        updatable: true,
        in_order: true,
        profiled: false,
    };
    CommandBuffer::new(rig.context, rig.device, settings).expect("urCommandBufferCreateExp")
}

/// Appends launches of a kernel that does nothing, one after the other. Returns the last one's command.
fn append(rig: &Rig<'_>, buffer: &CommandBuffer, count: usize) -> BufferCommand {
    let (range, args) = (Range::new([32]).local([32]), [Arg::Pointer(null_mut())]);
    let mut last = None;
    for _ in 0..count {
        // SAFETY: a kernel that does nothing, with its argument.
        let appended = unsafe { buffer.launch(rig.kernel, &range, &args, &[], Place::default().handle()) };
        last = Some(appended.expect("append").command());
    }
    last.expect("a command")
}

/// Has `measure` called with an update of a command by the adapter, and one of a node of the driver's graph.
fn with_updates(
    rig: &Rig<'_>,
    (buffer, command): (&CommandBuffer, BufferCommand),
    (executable, node): (CUgraphExec, CUgraphNode),
    measure: impl FnOnce(&dyn Fn(), &dyn Fn()),
) {
    let new = null_mut::<c_void>();
    let pointer = ExpCommandBufferUpdatePointerArgDesc {
        argIndex: 0,
        pNewPointerArg: (&raw const new).cast(),
        ..Default::default()
    };
    let desc = ExpCommandBufferUpdateKernelLaunchDesc {
        hCommand: command.raw(),
        numNewPointerArgs: 1,
        pNewPointerArgList: &pointer,
        ..Default::default()
    };
    // SAFETY: a live command buffer and command, and a description.
    let update = || unsafe { rig.fns.urCommandBufferUpdateKernelLaunchExp(buffer.raw(), 1, &desc) }.expect("update");
    let by_driver = || {
        rig.raw.with_params(|params| {
            // SAFETY: a live graph and node, and a description.
            ok(unsafe { (rig.raw.cu.cuGraphExecKernelNodeSetParams)(executable, node, params) });
        });
    };
    measure(&update, &by_driver);
}

/// Graphs of kernels that do nothing, one after the other.
fn graphs(rig: &Rig<'_>) {
    let fns = rig.fns;
    for count in [100, 1000] {
        let buffer = command_buffer(rig);
        let start = Instant::now();
        let last = append(rig, &buffer, count);
        let appended = start.elapsed();
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        let made = start.elapsed();
        let start = Instant::now();
        let (raw, raw_last) = rig.raw.graph(count);
        println!(
            "graph of {count}: appended in {appended:?}, made in {made:?}; by the driver in {:?}",
            start.elapsed()
        );
        let run = || {
            // SAFETY: a live queue and command buffer.
            unsafe { fns.urEnqueueCommandBufferExp(rig.queue.raw(), buffer.raw(), 0, null(), null_mut()) }
                .expect("urEnqueueCommandBufferExp");
        };
        let finish = || rig.queue.finish().expect("urQueueFinish");
        for _ in 0..20 {
            run();
            rig.raw.launch_graph(raw);
        }
        finish();
        rig.raw.wait();
        let (mut ours, mut theirs) = (f64::MAX, f64::MAX);
        for _ in 0..5 {
            ours = ours.min(median(101, 1, || {
                run();
                finish();
            }));
            theirs = theirs.min(median(101, 1, || {
                rig.raw.launch_graph(raw);
                rig.raw.wait();
            }));
        }
        row(&format!("graph of {count} kernels, run + finish"), ours, theirs);
        let ours = median(101, 1, run);
        finish();
        let theirs = median(101, 1, || rig.raw.launch_graph(raw));
        rig.raw.wait();
        row(&format!("graph of {count} kernels, run"), ours, theirs);
        let (mut ours, mut theirs) = (0.0, 0.0);
        with_updates(rig, (&buffer, last), (raw, raw_last), |update, by_driver| {
            ours = median(101, 100, || (0..100).for_each(|_| update()));
            theirs = median(101, 100, || (0..100).for_each(|_| by_driver()));
        });
        row(&format!("graph of {count} kernels, update of one"), ours, theirs);
    }
}

/// What the figures of a group need.
struct Rig<'a> {
    context: &'a Context,
    device: &'a Device,
    queue: &'a Queue,
    kernel: &'a Kernel,
    raw: &'a Raw,
    fns: &'a Fns,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (loader, adapter) = (arguments.next(), arguments.next());
    let (Some(loader), Some(adapter)) = (loader, adapter) else {
        eprintln!("usage: oxur-bench-cuda LOADER ADAPTER");
        std::process::exit(2);
    };
    // SAFETY: nothing else runs yet.
    unsafe { std::env::set_var("UR_ADAPTERS_FORCE_LOAD", adapter) };
    let loader = Loader::open(loader.as_ref()).expect("the loader");
    let adapters = loader.adapters().expect("urAdapterGet");
    let platform = adapters[0].platforms().expect("urPlatformGet").remove(0);
    let devices = platform.devices().expect("urDeviceGet");
    let device = devices[0].clone();
    let name: String = device.info(DeviceInfo::NAME).expect("the name");
    println!("{name}");
    let context = Context::new(&[&device]).expect("urContextCreate");
    let queue = Queue::new(&context, &device, QueueFlags::empty()).expect("urQueueCreate");
    let unordered = Queue::new(&context, &device, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE).expect("urQueueCreate");
    let words: Vec<String> = arguments.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let settings = match words[..] {
        ["--kernels", ref words @ ..] => Some(kernels::Settings::parse(words).unwrap_or_else(|error| {
            eprintln!("oxur-bench-cuda: {error}");
            std::process::exit(2);
        })),
        _ => None,
    };
    if settings.is_none() {
        println!("{:44} {:>10} {:>10} {:>7}", "", "adapter", "driver", "ratio");
    }
    if let ([module, kernel], None) = (&words[..], &settings)
        && *module != "--calls"
    {
        return first_call(&context, &queue, module, kernel);
    }
    let program = Program::with_binaries(&context, &[&device], &[PTX]).expect("urProgramCreateWithBinary");
    program.build(&context, "").expect("urProgramBuild");
    let kernel = Kernel::new(&program, "nothing").expect("urKernelCreate");
    let raw = Raw::new();
    let fns = loader.fns();
    let rig = Rig {
        context: &context,
        device: &device,
        queue: &queue,
        kernel: &kernel,
        raw: &raw,
        fns,
    };
    if let ["--calls", ref only @ ..] = words[..] {
        return calls::run(&rig, &program, only.first().copied());
    }
    if words[..] == ["--devices"] {
        return devices::run(&rig, &devices);
    }
    if let Some(settings) = settings {
        std::process::exit(i32::from(!kernels::run(&rig, &settings)));
    }

    // What a client does without helpers: the C function, with arguments of the launch.
    let argument = Arg::Pointer(null_mut()).properties(0);
    let (global, local, offset) = ([32_usize], [32_usize], [0_usize]);
    let launch = |queue: &Queue, event: *mut EventHandle| {
        // SAFETY: a kernel that does nothing, with its argument.
        let launched = unsafe {
            fns.urEnqueueKernelLaunchWithArgsExp(
                queue.raw(),
                kernel.raw(),
                1,
                offset.as_ptr(),
                global.as_ptr(),
                local.as_ptr(),
                1,
                &argument,
                null(),
                0,
                null(),
                event,
            )
        };
        launched.expect("launch");
    };
    let finish = |queue: &Queue| {
        // SAFETY: a live queue.
        unsafe { fns.urQueueFinish(queue.raw()) }.expect("urQueueFinish");
    };
    let with_event = |queue: &Queue, wait: bool| {
        let mut event = EventHandle::default();
        launch(queue, &mut event);
        // SAFETY: a live event with one reference.
        unsafe {
            if wait {
                fns.urEventWait(1, &event).expect("urEventWait");
            }
            fns.urEventRelease(event).expect("urEventRelease");
        }
    };
    for _ in 0..1000 {
        launch(&queue, null_mut());
        raw.launch();
    }
    finish(&queue);
    raw.wait();
    for (few, what) in [(100, "launch, first 100"), (5000, "launch, sustained 5000")] {
        let ours = median(21, few, || (0..few).for_each(|_| launch(&queue, null_mut())));
        finish(&queue);
        let theirs = median(21, few, || (0..few).for_each(|_| raw.launch()));
        raw.wait();
        row(what, ours, theirs);
    }
    let both = (
        median(2001, 1, || {
            launch(&queue, null_mut());
            finish(&queue);
        }),
        median(2001, 1, || {
            raw.launch();
            raw.wait();
        }),
    );
    row("launch + finish", both.0, both.1);
    row(
        "launch + event wait + release",
        median(2001, 1, || with_event(&queue, true)),
        both.1,
    );
    let plain = median(21, 100, || (0..100).for_each(|_| raw.launch()));
    raw.wait();
    row(
        "launch + event release (in order)",
        median(21, 100, || (0..100).for_each(|_| with_event(&queue, false))),
        plain,
    );
    finish(&queue);
    row(
        "launch + event release (out of order)",
        median(21, 100, || (0..100).for_each(|_| with_event(&unordered, false))),
        plain,
    );
    finish(&unordered);
    let mut kept = Vec::with_capacity(100);
    let ours = median(21, 100, || {
        for _ in 0..100 {
            let mut event = EventHandle::default();
            launch(&queue, &mut event);
            kept.push(event);
        }
        // SAFETY: live events with one reference each.
        kept.drain(..)
            .for_each(|event| unsafe { fns.urEventRelease(event) }.expect("urEventRelease"));
    });
    finish(&queue);
    row("launch, event kept (in order)", ours, plain);

    graphs(&rig);

    // Memory.
    let device_usm = |size| Usm::device(&context, &device, size, UsmRequest::default()).expect("urUSMDeviceAlloc");
    drop(device_usm(4096));
    let device_raw = |size| {
        let mut address = 0;
        // SAFETY: a place for the address, and memory that nobody uses.
        unsafe {
            ok((raw.cu.cuMemAlloc)(&mut address, size));
            ok((raw.cu.cuMemFree)(address));
        }
    };
    for (what, size, times) in [("4 KiB", 4096, 100), ("8 MiB", 8 << 20, 10)] {
        row(
            &format!("device alloc + free {what}"),
            median(201, times, || (0..times).for_each(|_| drop(device_usm(size)))),
            median(201, 1, || device_raw(size)),
        );
    }
    // Of sizes for which nothing was freed before.
    let each_new = |call: &dyn Fn(usize)| {
        let mut size = 1 << 20;
        median(201, 1, || {
            size += 4096;
            call(size);
        })
    };
    row(
        "device alloc + free 1 MiB and more, each new",
        each_new(&|size| drop(device_usm(size))),
        each_new(&device_raw),
    );
    const MOST: usize = 256 << 20;
    let (near, far) = (device_usm(MOST), device_usm(MOST));
    let pinned = Usm::host(&context, MOST, UsmRequest::default()).expect("urUSMHostAlloc");
    let mut pageable = vec![1_u8; MOST];
    let pageable: *mut c_void = pageable.as_mut_ptr().cast();
    let copy = |dst: *mut c_void, src: *mut c_void, size: usize| {
        // SAFETY: memory of that size.
        unsafe { fns.urEnqueueUSMMemcpy(queue.raw(), true, dst, src, size, 0, null(), null_mut()) }.expect("copy");
    };
    let pairs = [
        ("H2D pinned", near.ptr(), pinned.ptr()),
        ("D2H pinned", pinned.ptr(), near.ptr()),
        ("H2D pageable", near.ptr(), pageable),
        ("D2H pageable", pageable, near.ptr()),
        ("D2D", far.ptr(), near.ptr()),
    ];
    for (what, dst, src) in pairs {
        for size in [8, 4096, 65536, 256 << 10, 1 << 20, 4 << 20, 16 << 20, MOST] {
            let rounds = if size > 1 << 20 { 7 } else { 301 };
            let (mut ours, mut theirs) = (f64::MAX, f64::MAX);
            for _ in 0..3 {
                ours = ours.min(median(rounds, 1, || copy(dst, src, size)));
                theirs = theirs.min(median(rounds, 1, || {
                    raw.copy(dst as u64, src as u64, size);
                    raw.wait();
                }));
            }
            row(&format!("{what} {size} B, blocking"), ours, theirs);
            if size == MOST {
                println!(
                    "{:44} {:7.1} GB/s {:5.1} GB/s",
                    "",
                    size as f64 / ours / 1e3,
                    size as f64 / theirs / 1e3
                );
            }
        }
    }
    let bytes = [7_u8; 256];
    let ours = median(1001, 1, || {
        // SAFETY: the variable has 256 bytes.
        unsafe {
            fns.urEnqueueDeviceGlobalVariableWrite(
                queue.raw(),
                program.raw(),
                c"variable".as_ptr(),
                true,
                256,
                0,
                bytes.as_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        }
        .expect("write");
    });
    let theirs = median(1001, 1, || {
        raw.copy(raw.variable, bytes.as_ptr() as u64, 256);
        raw.wait();
    });
    row("device global write 256 B, blocking", ours, theirs);
    let (timed, mut times) = (
        Queue::new(&context, &device, QueueFlags::PROFILING_ENABLE).expect("urQueueCreate"),
        Vec::new(),
    );
    for _ in 0..101 {
        let mut event = EventHandle::default();
        launch(&timed, &mut event);
        // SAFETY: a live event with one reference.
        let event = unsafe { Event::from_raw(&loader, event) };
        event.wait().expect("urEventWait");
        let time = |query| event.profiling::<u64>(query).expect("a time");
        times.push(time(ProfilingInfo::COMMAND_END) - time(ProfilingInfo::COMMAND_START));
    }
    times.sort_unstable();
    println!(
        "{:44} {:10.3}",
        "profiled time of an empty kernel",
        times[50] as f64 / 1e3
    );
}
