// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events of single commands of command buffers whose runs submit the commands one by one.

use std::ptr::{null, null_mut};

use kit::ur::*;
use oxur_adapter_kit as kit;

use super::{Empty, context, device, queue};

const SUCCESS: ResultCode = ResultCode::SUCCESS;

fn buffer(context: ContextHandle) -> ExpCommandBufferHandle {
    let desc = ExpCommandBufferDesc {
        isUpdatable: 1,
        ..Default::default()
    };
    let mut buffer = ExpCommandBufferHandle::default();
    let made = call!(CommandBufferExp.pfnCreateExp(context, device(), &desc, &mut buffer));
    assert_eq!(made, SUCCESS);
    buffer
}

/// Appends a command that does nothing, and gives its event and its handle.
fn append(buffer: ExpCommandBufferHandle) -> (EventHandle, ExpCommandBufferCommandHandle) {
    let (mut event, mut command) = (EventHandle::default(), ExpCommandBufferCommandHandle::default());
    let mut number = 0u32;
    let place = (&raw mut number).cast();
    let appended = call!(CommandBufferExp.pfnAppendUSMMemcpyExp(
        buffer,
        place,
        place,
        0,
        0,
        null(),
        0,
        null(),
        null_mut(),
        &mut event,
        &mut command
    ));
    assert_eq!(appended, SUCCESS);
    (event, command)
}

fn finalize(buffer: ExpCommandBufferHandle) {
    assert_eq!(call!(CommandBufferExp.pfnFinalizeExp(buffer)), SUCCESS);
}

fn run(queue: QueueHandle, buffer: ExpCommandBufferHandle) {
    let ran = call!(EnqueueExp.pfnCommandBufferExp(queue, buffer, 0, null(), null_mut()));
    assert_eq!(ran, SUCCESS);
}

fn release(buffer: ExpCommandBufferHandle) {
    assert_eq!(call!(CommandBufferExp.pfnReleaseExp(buffer)), SUCCESS);
}

fn status(event: EventHandle) -> EventStatus {
    let mut status = EventStatus::QUEUED;
    let place = (&raw mut status).cast();
    let asked = call!(Event.pfnGetInfo(event, EventInfo::COMMAND_EXECUTION_STATUS, 4, place, null_mut()));
    assert_eq!(asked, SUCCESS);
    status
}

fn drop_event(event: EventHandle) {
    assert_eq!(call!(Event.pfnRelease(event)), SUCCESS);
}

/// `resolve` asserts that it is called once.
#[test]
fn a_pending_event_is_resolved_by_the_next_run() {
    let context = context();
    let queue = queue(context);
    let buffer = buffer(context);
    let (first, command) = append(buffer);
    finalize(buffer);
    assert_eq!(status(first), EventStatus::QUEUED);
    run(queue, buffer);
    assert_eq!(status(first), EventStatus::COMPLETE);
    run(queue, buffer);

    let mut second = EventHandle::default();
    let updated = call!(CommandBufferExp.pfnUpdateSignalEventExp(command, &mut second));
    assert_eq!(updated, SUCCESS);
    assert_eq!(
        (status(first), status(second)),
        (EventStatus::COMPLETE, EventStatus::QUEUED)
    );
    run(queue, buffer);
    assert_eq!(status(second), EventStatus::COMPLETE);
    release(buffer);
    drop_event(first);
    drop_event(second);
}

#[test]
fn a_pending_event_that_no_run_can_resolve_fails() {
    let context = context();
    let buffer = buffer(context);
    let (first, command) = append(buffer);
    finalize(buffer);
    let mut second = EventHandle::default();
    let updated = call!(CommandBufferExp.pfnUpdateSignalEventExp(command, &mut second));
    assert_eq!(updated, SUCCESS);
    // Both are of the next run.
    assert_eq!(
        (status(first), status(second)),
        (EventStatus::QUEUED, EventStatus::QUEUED)
    );
    release(buffer);
    assert_eq!(
        (status(first), status(second)),
        (EventStatus::ERROR, EventStatus::ERROR)
    );
    drop_event(first);
    drop_event(second);
}

#[test]
fn a_pending_event_is_shared_with_the_buffer_that_has_a_copy() {
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    let context = context();
    let queue = queue(context);
    for parent_runs in [true, false] {
        let (parent, child) = (buffer(context), buffer(context));
        let (event, _) = append(child);
        let (none, point) = (null_mut(), null_mut());
        let append = kit::table::tables::<Empty>()
            .ddi
            .CommandBufferExp
            .pfnAppendNativeCommandExp;
        // SAFETY: live handles; the function does nothing.
        let appended = unsafe { append.expect("it is there")(parent, Some(nothing), none, child, 0, null(), point) };
        assert_eq!(appended, SUCCESS);
        release(child);
        assert_eq!(status(event), EventStatus::QUEUED);
        finalize(parent);
        if parent_runs {
            run(queue, parent);
            assert_eq!(status(event), EventStatus::COMPLETE);
        }
        release(parent);
        if !parent_runs {
            assert_eq!(status(event), EventStatus::ERROR);
        }
        drop_event(event);
    }
}
