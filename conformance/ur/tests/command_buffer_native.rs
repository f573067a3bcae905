// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Native commands of command buffers: command buffers inside command buffers.

use oxur_conformance::client::{Arg, Place, Update};
use oxur_conformance::{intel, values};

use crate::command_buffer::{FIRST, IN_ORDER, PLAIN, UPDATABLE, empty, launch, queues, rig, run};

#[test]
fn native_commands() {
    let Some(rig) = rig() else { return };
    if intel("the adapter ignores the child of a native command") {
        return;
    }
    let (increment, data) = (rig.kernel("basic", "increment"), rig.shared(&[0i32; 64]));
    let copy = rig.shared(&[0i32; 64]);
    for (own, inner) in [
        (PLAIN, PLAIN),
        (IN_ORDER, IN_ORDER),
        (PLAIN, IN_ORDER),
        (IN_ORDER, PLAIN),
    ] {
        let (buffer, child) = (empty(&rig, own), empty(&rig, inner));
        let start = launch(&buffer, &increment, 64, &[Arg::Pointer(data.ptr())], FIRST).expect("before");
        let mut called = 0;
        let append = || {
            called += 1;
            let mut last = Vec::new();
            for _ in 0..10 {
                let args = [Arg::Pointer(data.ptr())];
                last = vec![
                    launch(&child, &increment, 64, &args, last.as_slice())
                        .expect("inside")
                        .point,
                ];
            }
        };
        let inside = buffer
            .native_command(append, Some(&child), &[start.point])
            .expect("urCommandBufferAppendNativeCommandExp");
        assert_eq!(called, 1, "the function is called once, before the append returns");
        // SAFETY: 256 bytes, which live until the last run.
        let copied = unsafe { buffer.memcpy(copy.ptr(), data.ptr(), 256, &[inside]) }.expect("copy");
        let args = [Arg::Pointer(data.ptr())];
        launch(&buffer, &increment, 64, &args, &[copied.point]).expect("after");
        // One that appends nothing has a place in the order all the same.
        buffer.native_command(|| (), None, &[copied.point]).expect("nothing");
        buffer.finalize().expect("urCommandBufferFinalizeExp");
        drop(child);
        for queue in queues(&rig) {
            let before = values::<i32>(&data)[0];
            run(&queue, &buffer);
            assert_eq!(values::<i32>(&copy), [before + 11; 64]);
            assert_eq!(values::<i32>(&data), [before + 12; 64]);
        }
    }
}

#[test]
fn a_child_is_copied_when_it_is_appended() {
    let Some(rig) = rig() else { return };
    if intel("the adapter ignores the child of a native command") {
        return;
    }
    let (fill, data) = (rig.kernel("basic", "fill"), rig.shared(&[0i32; 8]));
    let (child, buffer) = (empty(&rig, UPDATABLE), empty(&rig, IN_ORDER));
    let args = [Arg::Pointer(data.ptr()), Arg::value(&1i32)];
    let inside = launch(&child, &fill, 8, &args, Place::default().handle()).expect("inside");
    child.finalize().expect("urCommandBufferFinalizeExp");
    // The same commands twice, and a buffer inside a buffer inside a buffer.
    let middle = empty(&rig, PLAIN);
    for _ in 0..2 {
        middle.native_command(|| (), Some(&child), FIRST).expect("the child");
    }
    buffer.native_command(|| (), Some(&middle), FIRST).expect("the middle");
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    run(&rig.queue, &buffer);
    assert_eq!(values::<i32>(&data), [1; 8]);
    // An update of the child is one of the child alone.
    let new = [(1, Arg::value(&2i32))];
    let update = Update::new(inside.command()).args(&new);
    // SAFETY: the kernel writes 8 values.
    unsafe { child.update(&[update]) }.expect("urCommandBufferUpdateKernelLaunchExp");
    run(&rig.queue, &child);
    assert_eq!(values::<i32>(&data), [2; 8]);
    run(&rig.queue, &buffer);
    assert_eq!(values::<i32>(&data), [1; 8]);
}
