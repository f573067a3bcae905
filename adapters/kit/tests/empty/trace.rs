// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Commands in the log.

use std::ptr::{null, null_mut};

use super::*;

const SUCCESS: ResultCode = ResultCode::SUCCESS;

/// Commands of all ways into the adapter.
fn commands() {
    let context = context();
    let queue = queue(context);
    let (mut from, mut to) = ([1u8; 64], [0u8; 64]);
    let (src, dst) = (from.as_mut_ptr().cast::<c_void>(), to.as_mut_ptr().cast::<c_void>());
    let copy = |size| call!(Enqueue.pfnUSMMemcpy(queue, false, dst, src, size, 0, null(), null_mut()));
    let fill = |width, height| {
        let pattern = from.as_ptr().cast();
        call!(Enqueue.pfnUSMFill2D(queue, dst, 16, 1, pattern, width, height, 0, null(), null_mut()))
    };
    assert_eq!(copy(64), SUCCESS);
    assert_eq!(fill(8, 2), SUCCESS);
    let barrier = call!(Enqueue.pfnEventsWaitWithBarrierExt(queue, null(), 0, null(), null_mut()));
    assert_eq!(barrier, SUCCESS);

    let mut graph = ExpGraphHandle::default();
    assert_eq!(call!(QueueExp.pfnBeginGraphCaptureExp(queue)), SUCCESS);
    assert_eq!(copy(3), SUCCESS);
    assert_eq!(call!(QueueExp.pfnEndGraphCaptureExp(queue, &mut graph)), SUCCESS);

    let desc = ExpCommandBufferDesc::default();
    let mut buffer = ExpCommandBufferHandle::default();
    let made = call!(CommandBufferExp.pfnCreateExp(context, device(), &desc, &mut buffer));
    assert_eq!(made, SUCCESS);
    let none = null_mut();
    let appended = call!(CommandBufferExp.pfnAppendUSMMemcpyExp(
        buffer,
        dst,
        src,
        2,
        0,
        null(),
        0,
        null(),
        null_mut(),
        none,
        null_mut()
    ));
    assert_eq!(appended, SUCCESS);
    assert_eq!(call!(CommandBufferExp.pfnFinalizeExp(buffer)), SUCCESS);
    assert_eq!(
        call!(EnqueueExp.pfnCommandBufferExp(queue, buffer, 0, null(), null_mut())),
        SUCCESS
    );
    // What a driver refuses is named, too.
    let refused = call!(Enqueue.pfnUSMPrefetch(queue, src, 8, UsmMigrationFlags::empty(), 0, null(), none));
    assert_eq!(refused, ResultCode::ERROR_UNSUPPORTED_FEATURE);
    println!("handles: {:p} {:p}", queue.0, buffer.0);
}

#[test]
fn commands_are_traced() {
    // The levels are of a process.
    let Some(mut own) = alone::again("trace::commands_are_traced") else {
        return commands();
    };
    let mut run = |level: &str| alone::passes(own.env("UR_LOG_EMPTY", format!("level:{level};output:stderr")));
    let [out, log] = run("trace");
    let handles = out
        .lines()
        .find_map(|line| line.split_once("handles: "))
        .expect("the handles")
        .1;
    let (queue, buffer) = handles.trim().split_once(' ').expect("two handles");
    let lines: Vec<_> = log
        .lines()
        .filter_map(|line| line.strip_prefix("<EMPTY>[TRACE]: "))
        .collect();
    let wanted = [
        format!("{queue}: runs USM_MEMCPY, 64 bytes"),
        format!("{queue}: runs USM_FILL_2D, 8 x 2 bytes"),
        format!("{queue}: runs EVENTS_WAIT_WITH_BARRIER"),
        format!("{queue}: captures USM_MEMCPY, 3 bytes"),
        format!("{buffer}: appends USM_MEMCPY, 2 bytes"),
        format!("{queue}: replays USM_MEMCPY, 2 bytes"),
        format!("{queue}: runs USM_PREFETCH, 8 bytes"),
    ];
    assert_eq!(lines, wanted);
    let [_, log] = run("debug");
    assert!(!log.contains("MEMCPY"), "{log}");
}
