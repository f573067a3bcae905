// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the CUDA adapter's calls cost beside those of the driver: `oxur-bench-cuda LOADER ADAPTER`, on a machine with
//! an NVIDIA GPU. Medians of many rounds, in microseconds unless said; a second column is the driver alone.

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

    fn wait(&self) {
        // SAFETY: a live stream.
        ok(unsafe { (self.cu.cuStreamSynchronize)(self.stream) });
    }
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
    let device = platform.devices().expect("urDeviceGet").remove(0);
    let name: String = device.info(DeviceInfo::NAME).expect("the name");
    println!("{name}\n{:44} {:>10} {:>10} {:>7}", "", "adapter", "driver", "ratio");
    let context = Context::new(&[&device]).expect("urContextCreate");
    let queue = Queue::new(&context, &device, QueueFlags::empty()).expect("urQueueCreate");
    let unordered = Queue::new(&context, &device, QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE).expect("urQueueCreate");
    let program = Program::with_binaries(&context, &[&device], &[PTX]).expect("urProgramCreateWithBinary");
    program.build(&context, "").expect("urProgramBuild");
    let kernel = Kernel::new(&program, "nothing").expect("urKernelCreate");
    let raw = Raw::new();
    let fns = loader.fns();

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

    // Memory.
    let device_usm = |size| Usm::device(&context, &device, size, UsmRequest::default()).expect("urUSMDeviceAlloc");
    drop(device_usm(4096));
    let alloc_raw = median(201, 1, || {
        let mut address = 0;
        // SAFETY: a place for the address, and memory that nobody uses.
        unsafe {
            ok((raw.cu.cuMemAlloc)(&mut address, 4096));
            ok((raw.cu.cuMemFree)(address));
        }
    });
    row(
        "device alloc + free 4 KiB",
        median(201, 100, || (0..100).for_each(|_| drop(device_usm(4096)))),
        alloc_raw,
    );
    row(
        "device alloc + free 8 MiB",
        median(201, 10, || (0..10).for_each(|_| drop(device_usm(8 << 20)))),
        alloc_raw,
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
        for size in [8, 4096, 65536, 1 << 20, 16 << 20, MOST] {
            let rounds = if size > 1 << 20 { 7 } else { 301 };
            let ours = median(rounds, 1, || copy(dst, src, size));
            let theirs = median(rounds, 1, || {
                raw.copy(dst as u64, src as u64, size);
                raw.wait();
            });
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
