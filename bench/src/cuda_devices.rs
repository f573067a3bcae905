// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts of several GPUs, as the default one of libsycl is: what launches cost there, and how fast buffers are.

use std::ptr::{null, null_mut};

use oxur_client::api::*;
use oxur_client::*;

use super::calls::turns;
use super::{PTX, Rig};

/// The bytes of a buffer.
const SIZE: usize = 256 << 20;

/// Prints all figures.
pub(super) fn run(rig: &Rig<'_>, devices: &[Device]) {
    let [first, second, ..] = devices else {
        return println!("there is one GPU");
    };
    let all: Vec<&Device> = devices.iter().collect();
    let context = Context::new(&all).expect("urContextCreate");
    let [near, far] = [first, second].map(|on| Queue::new(&context, on, QueueFlags::empty()).expect("urQueueCreate"));
    let program = Program::with_binaries(&context, &all, &[PTX].repeat(all.len())).expect("urProgramCreateWithBinary");
    program.build(&context, "").expect("urProgramBuild");
    let kernel = Kernel::new(&program, "nothing").expect("urKernelCreate");
    let buffer = || Buffer::new(&context, MemFlags::READ_WRITE, SIZE).expect("urMemBufferCreate");
    let (data, other) = (buffer(), buffer());

    let launch = |argument: &ExpKernelArgProperties| {
        let (size, offset) = ([32_usize], [0_usize]);
        // SAFETY: a kernel that does nothing, with its argument.
        let launched = unsafe {
            let (kernel, sizes) = (kernel.raw(), size.as_ptr());
            rig.fns.urEnqueueKernelLaunchWithArgsExp(
                near.raw(),
                kernel,
                1,
                offset.as_ptr(),
                sizes,
                sizes,
                1,
                argument,
                null(),
                0,
                null(),
                null_mut(),
            )
        };
        launched.expect("launch");
    };
    let finish = |queue: &Queue| queue.finish().expect("urQueueFinish");
    let (raw_launch, raw_wait) = (|| rig.raw.launch(), || rig.raw.wait());
    for (what, argument) in [
        ("a pointer", Arg::Pointer(std::ptr::dangling_mut()).properties(0)),
        ("a buffer", Arg::mem(&data).properties(0)),
    ] {
        turns(
            &format!("launch with {what}, context of {}", all.len()),
            100,
            (&|| launch(&argument), &|| finish(&near)),
            (&raw_launch, &raw_wait),
        );
    }

    let usm = |device| Usm::device(&context, device, SIZE, UsmRequest::default()).expect("urUSMDeviceAlloc");
    let memory = [first, first, second].map(usm);
    let copy = |on: &Queue| {
        on.copy(&data, &other, (0, 0), SIZE, &[]).expect("copy");
        finish(on);
    };
    let raw_copy = |to: usize| {
        rig.raw.copy(memory[to].ptr() as u64, memory[0].ptr() as u64, SIZE);
        rig.raw.wait();
    };
    // The buffer is in the memory of the first one.
    let rewrite = || {
        near.fill(&data, &[1_u32], 0, SIZE, &[]).expect("fill");
        finish(&near);
    };
    rewrite();
    let nothing = || ();
    turns(
        "buffer of 256 MiB, copied, us",
        1,
        (&|| copy(&near), &nothing),
        (&|| raw_copy(1), &nothing),
    );
    turns(
        "the same by another GPU, us",
        1,
        (&|| copy(&far), &rewrite),
        (&|| raw_copy(2), &nothing),
    );

    // A kernel on another GPU has the buffer brought there.
    let argument = [Arg::mem(&other)];
    let bring = || {
        // SAFETY: a kernel that does nothing, with its argument.
        unsafe { far.launch(&kernel, &Range::new([32]).local([32]), &argument, &[]) }.expect("launch");
        finish(&far);
    };
    let back = || {
        near.fill(&other, &[1_u32], 0, SIZE, &[]).expect("fill");
        finish(&near);
    };
    back();
    turns(
        "the same, brought for a kernel, us",
        1,
        (&bring, &back),
        (&|| raw_copy(2), &nothing),
    );
}
