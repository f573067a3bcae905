// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffers as graphs of CUDA. The conformance suite tests what they do; here it is that they are such graphs, and
//! which commands are not.

use oxur_client::api::*;
use oxur_client::*;
use oxur_conformance_support::run_test;

use crate::Rig;

/// What the log says of a command buffer that is no graph.
const NO_GRAPH: &str = "the commands of a command buffer are submitted one by one";

/// The log of a test of this file, in a process of its own; `None` in that process.
fn log_of(test: &str) -> Option<String> {
    const CHILD: &str = "OXUR_CUDA_GRAPHS";
    if std::env::var_os(CHILD).is_some() {
        return None;
    }
    let variables = [("UR_LOG_CUDA", "level:debug;output:stderr"), (CHILD, "1")];
    Some(run_test(test, &variables).passed().log)
}

fn run(rig: &Rig, buffer: &CommandBuffer) {
    rig.queue.run(buffer, &[]).expect("urEnqueueCommandBufferExp");
    rig.queue.finish().expect("urQueueFinish");
}

fn empty(rig: &Rig) -> CommandBuffer {
    let settings = CommandBufferSettings {
        updatable: true,
        ..Default::default()
    };
    CommandBuffer::new(&rig.context, &rig.device, settings).expect("urCommandBufferCreateExp")
}

#[test]
fn launches_copies_and_fills_are_nodes() {
    if let Some(log) = log_of("graphs::launches_copies_and_fills_are_nodes") {
        return assert!(!log.contains(NO_GRAPH) && !log.contains("made anew"), "{log}");
    }
    let rig = Rig::new();
    let kernel = rig.kernel("add");
    let count = 100_u32;
    let [a, b, sum, copy] = [1.0, 2.0, 0.0, 0.0].map(|value: f32| rig.shared(&vec![value; count as usize]));
    let size = 4 * count as usize;
    let buffer = empty(&rig);
    let args = [&sum, &a, &b].map(|usm| Arg::Pointer(usm.ptr()));
    let args: Vec<Arg> = args.into_iter().chain([Arg::value(&count)]).collect();
    // SAFETY: memory of these sizes, which lives until the runs are over.
    let launched = unsafe {
        let filled = buffer.memset(a.ptr(), &[5_f32, 7.0], size, &[]).expect("fill");
        let after = [filled.point];
        let place = Place::after(&after).handle();
        let launched = buffer.launch(&kernel, &Range::new([count as usize]), &args, &[], place);
        let launched = launched.expect("launch");
        buffer
            .memcpy(copy.ptr(), sum.ptr(), size, &[launched.point])
            .expect("copy");
        launched.command()
    };
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    run(&rig, &buffer);
    // SAFETY: the run is complete.
    let values = unsafe { copy.as_slice::<f32>() };
    assert!(values.chunks(2).all(|two| two == [7.0, 9.0]), "{values:?}");
    let new = [(2, Arg::Pointer(a.ptr()))];
    // SAFETY: as above.
    unsafe { buffer.update(&[Update::new(launched).args(&new)]) }.expect("update");
    run(&rig, &buffer);
    // SAFETY: the run is complete.
    let values = unsafe { copy.as_slice::<f32>() };
    assert!(values.chunks(2).all(|two| two == [10.0, 14.0]), "{values:?}");
}

#[test]
fn a_copy_of_pageable_memory_is_no_node() {
    if let Some(log) = log_of("graphs::a_copy_of_pageable_memory_is_no_node") {
        return assert!(log.contains(NO_GRAPH), "{log}");
    }
    let rig = Rig::new();
    let (from, to) = (vec![3_u32; 1000], rig.shared(&[0_u32; 1000]));
    let buffer = empty(&rig);
    // SAFETY: both have this size, and live until the run is over.
    unsafe { buffer.memcpy(to.ptr(), from.as_ptr().cast(), 4000, &[]) }.expect("copy");
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    run(&rig, &buffer);
    // SAFETY: the run is complete.
    assert_eq!(unsafe { to.as_slice::<u32>() }, from);
}

/// Copies through pinned chunks: all sizes around those of chunks, both ways, and while the queue waits.
#[test]
fn copies_of_pageable_memory() {
    let rig = Rig::new();
    let queues = [
        QueueFlags::empty(),
        QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE,
        QueueFlags::PROFILING_ENABLE,
    ];
    let queues = queues.map(|flags| Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate"));
    for size in [100, 192 << 10, (1 << 20) + 1, (6 << 20) + 12345, 21 << 20] {
        let near = Usm::device(&rig.context, &rig.device, size, UsmRequest::default()).expect("urUSMDeviceAlloc");
        let from: Vec<u8> = (0..size).map(|at| (at * 7 + at / 251) as u8).collect();
        for (queue, blocking) in queues.iter().flat_map(|queue| [(queue, true), (queue, false)]) {
            let mut to = vec![0_u8; size];
            // SAFETY: all have this size, and live until the copies are over.
            unsafe {
                let up = queue.memcpy(blocking, near.ptr(), from.as_ptr().cast(), size, &[]);
                let up = up.expect("urEnqueueUSMMemcpy");
                let down = queue.memcpy(blocking, to.as_mut_ptr().cast(), near.ptr(), size, &[&up]);
                down.expect("urEnqueueUSMMemcpy").wait().expect("urEventWait");
            }
            assert!(from == to, "{size} bytes, blocking: {blocking}");
        }
    }
}
