// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The floating-point environment of kernels is not the host's. OpenCL C, 7.1: the rounding mode is "round to nearest
//! even", and static; 7.2: `CL_FP_DENORM` says that denormals are supported.

use std::arch::asm;
use std::ptr::null;
use std::sync::atomic::{AtomicU32, Ordering};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Event, Range};
use oxur_conformance::{Rig, intel, loader, ur, values, with_variable};

unsafe extern "C" {
    fn fesetround(mode: i32) -> i32;
    fn fegetround() -> i32;
}

const TO_NEAREST: i32 = 0;
const UPWARD: i32 = 0x800;
const TOWARD_ZERO: i32 = 0xc00;
/// FTZ and DAZ, as `_MM_SET_FLUSH_ZERO_MODE` and `_MM_SET_DENORMALS_ZERO_MODE` set them.
const FLUSH: u32 = 0x8040;

fn mxcsr() -> u32 {
    let mut value = 0u32;
    // SAFETY: stores the register.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack)) };
    value
}

/// Sets rounding and flushing of this thread, and forgets which exceptions were raised.
fn set(rounding: i32, flush: u32) {
    // SAFETY: a mode that there is; then a value of the register without reserved bits.
    unsafe {
        fesetround(rounding);
        let value = (mxcsr() & !0x3f & !FLUSH) | flush;
        asm!("ldmxcsr [{}]", in(reg) &raw const value, options(nostack));
    }
}

/// What this thread has: rounding as the C library says, and all of the register.
fn get() -> (i32, u32) {
    // SAFETY: a query.
    (unsafe { fegetround() }, mxcsr())
}

/// The same after a launch. CUDA's driver computes in the calling thread, which raises exceptions as any function of a
/// library may (C11, F.10); how the thread computes must be as it was there, too.
fn get_after(rig: &Rig, before: (i32, u32)) -> (i32, u32) {
    const EXCEPTIONS: u32 = 0x3f;
    let (rounding, register) = get();
    let name: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
    match name == "NVIDIA CUDA" {
        true => (rounding, register & !EXCEPTIONS | before.1 & EXCEPTIONS),
        false => (rounding, register),
    }
}

struct Numbers {
    a: Vec<f32>,
    b: Vec<f32>,
    sums: Vec<u32>,
    products: Vec<u32>,
}

/// Numbers whose sums and products no two modes agree on, and the right results.
fn numbers(count: usize) -> Numbers {
    let a: Vec<f32> = (0..count).map(|i| 1.0 + i as f32 / 3.0).collect();
    // Every third makes a denormal product.
    let b: Vec<f32> = (0..count)
        .map(|i| if i % 3 == 0 { 1e-39 } else { 0.1 + i as f32 / 7.0 })
        .collect();
    let with = |f: fn(f32, f32) -> f32| a.iter().zip(&b).map(|(a, b)| f(*a, *b).to_bits()).collect();
    Numbers {
        sums: with(|a, b| a + b),
        products: with(|a, b| a * b),
        a,
        b,
    }
}

fn launches(rig: &Rig) {
    let kernel = rig.kernel("float_env", "add_multiply");
    for count in [33, 100_000] {
        let Numbers { a, b, sums, products } = numbers(count);
        let (a, b) = (rig.shared(&a), rig.shared(&b));
        let (x, y) = (rig.shared(&vec![0u32; count]), rig.shared(&vec![0u32; count]));
        let args = [&a, &b, &x, &y].map(|usm| Arg::Pointer(usm.ptr()));
        // Where a kernel runs may depend on what its last runs took.
        for _ in 0..20 {
            for (rounding, flush) in [(UPWARD, 0), (TOWARD_ZERO, FLUSH), (TO_NEAREST, FLUSH)] {
                set(rounding, flush);
                let before = get();
                let event = rig.start(&kernel, &Range::new([count]), &args, &[]);
                let ended = event.and_then(|event| event.wait());
                let after = get_after(rig, before);
                set(TO_NEAREST, 0);
                ended.expect("the launch");
                assert_eq!(before, after, "the host's environment stays");
                assert_eq!(values::<u32>(&x), sums, "{rounding:#x} {flush:#x} {count}");
                assert_eq!(values::<u32>(&y), products, "{rounding:#x} {flush:#x} {count}");
            }
        }
    }
}

fn has_denormals(rig: &Rig) -> bool {
    let config: DeviceFpCapabilityFlags = rig.device.info(DeviceInfo::SINGLE_FP_CONFIG).expect("the capabilities");
    let there = config.contains(DeviceFpCapabilityFlags::DENORM);
    if !there {
        println!("this device has no denormals");
    }
    there
}

#[test]
fn kernels_do_not_see_the_hosts() {
    let rig = Rig::new();
    if has_denormals(&rig) {
        launches(&rig);
    }
}

#[test]
fn nor_do_those_of_the_scalar_mode() {
    let name: String = Rig::new().platform.info(PlatformInfo::NAME).expect("the name");
    if name != "oxur CPU" {
        return println!("{name} has no such mode");
    }
    if !with_variable("float_env::nor_do_those_of_the_scalar_mode", "UR_CPU_MODE", "scalar") {
        launches(&Rig::new());
    }
}

/// A host task that says whether it sees what another one has left, then leaves that behind.
unsafe extern "C" fn disturb(seen: *mut c_void) {
    let (rounding, _) = get();
    // SAFETY: the test's place, which outlives the task.
    let seen = unsafe { &*seen.cast::<AtomicU32>() };
    seen.fetch_add((rounding == TOWARD_ZERO).into(), Ordering::Relaxed);
    set(TOWARD_ZERO, FLUSH);
}

#[test]
fn host_tasks_disturb_nobody() {
    if intel("there are no host tasks") {
        return;
    }
    let rig = Rig::new();
    if !has_denormals(&rig) {
        return;
    }
    static SEEN: AtomicU32 = AtomicU32::new(0);
    let data = (&raw const SEEN).cast_mut().cast::<c_void>();
    let task = || {
        let (queue, mut event) = (rig.queue.raw(), EventHandle::default());
        let code = ur!(urEnqueueHostTaskExp(
            queue,
            Some(disturb),
            data,
            null(),
            0,
            null(),
            &mut event
        ));
        // SAFETY: a new event with one reference.
        (code == ResultCode::SUCCESS).then(|| unsafe { Event::from_raw(loader(), event) })
    };
    let kernel = rig.kernel("float_env", "add_multiply");
    for count in [33, 100_000] {
        let Numbers { a, b, sums, products } = numbers(count);
        let (a, b) = (rig.shared(&a), rig.shared(&b));
        let (x, y) = (rig.shared(&vec![0u32; count]), rig.shared(&vec![0u32; count]));
        let args = [&a, &b, &x, &y].map(|usm| Arg::Pointer(usm.ptr()));
        for _ in 0..10 {
            // Threads that start meanwhile inherit what this one has.
            set(UPWARD, FLUSH);
            let first = task();
            set(TO_NEAREST, 0);
            let Some(first) = first else {
                return println!("this device has no host tasks");
            };
            let launch = rig
                .start(&kernel, &Range::new([count]), &args, &[&first])
                .expect("launch");
            let second = task().expect("another one");
            launch.wait().expect("the kernel");
            second.wait().expect("the task");
            assert_eq!(values::<u32>(&x), sums);
            assert_eq!(values::<u32>(&y), products);
        }
    }
    assert_eq!(SEEN.load(Ordering::Relaxed), 0, "a task sees what another one has left");
}
