// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Client's functions that throw. The specification has no word about exceptions, but clients of C++ throw them: out of
//! native commands, and where nobody can catch them. To the libraries an exception of this program's is as foreign as one of
//! C++.

use std::mem::transmute;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Queue};
use oxur_conformance::{Rig, UserEvent, expect, intel, run_test, ur, values};

use crate::command_buffer::{self, FIRST, PLAIN, empty, launch, run};

/// Throws, if it is told so.
unsafe extern "C-unwind" fn throw(data: *mut c_void) {
    if !data.is_null() {
        resume_unwind(Box::new("thrown"));
    }
}

unsafe extern "C-unwind" fn native_command(_: QueueHandle, data: *mut c_void) {
    // SAFETY: the function takes any pointer.
    unsafe { throw(data) };
}

unsafe extern "C-unwind" fn event_callback(_: EventHandle, _: ExecutionInfo, data: *mut c_void) {
    // SAFETY: the function takes any pointer.
    unsafe { throw(data) };
}

unsafe extern "C-unwind" fn logger(_: LoggerLevel, _: *const c_char, data: *mut c_void) {
    // SAFETY: the function takes any pointer.
    unsafe { throw(data) };
}

/// What makes the functions throw.
fn throws(throws: bool) -> *mut c_void {
    std::ptr::without_provenance_mut(throws.into())
}

/// Asserts that a call lets through what the client's function throws.
fn assert_passes(call: impl FnOnce() -> ResultCode) {
    let thrown = catch_unwind(AssertUnwindSafe(call)).expect_err("the exception passes");
    assert_eq!(thrown.downcast_ref(), Some(&"thrown"));
}

/// A function with the type that the headers give it.
macro_rules! c_function {
    ($function:ident($($p:ty),*)) => {
        // SAFETY: the two types differ in what may unwind alone.
        unsafe { transmute::<unsafe extern "C-unwind" fn($($p),*), unsafe extern "C" fn($($p),*)>($function) }
    };
}

#[test]
fn a_native_command_throws() {
    if intel("Intel's loader makes a code of it, or ends the process") {
        return;
    }
    let rig = Rig::new();
    let function = c_function!(native_command(QueueHandle, *mut c_void));
    for flags in [QueueFlags::empty(), QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let queue = Queue::new(&rig.context, &rig.device, flags).expect("urQueueCreate");
        let data = rig.buffer(&[0u32; 64]);
        let before = queue.fill(&data, &[1u32], 0, 256, &[]).expect("fill");
        let (raw, wait) = (queue.raw(), before.raw());
        let mut event = EventHandle::default();
        let mut call = |throw: bool| {
            let (data, none, place) = (throws(throw), null(), &raw mut event);
            ur!(urEnqueueNativeCommandExp(
                raw,
                Some(function),
                data,
                0,
                none,
                null(),
                1,
                &wait,
                place
            ))
        };
        match call(false) {
            ResultCode::SUCCESS => {}
            code => {
                assert_eq!(code, ResultCode::ERROR_UNSUPPORTED_FEATURE);
                return println!("this adapter has no native commands");
            }
        }
        for _ in 0..3 {
            assert_passes(|| call(true));
        }
        // The queue is as good as before, to all threads.
        std::thread::scope(|scope| {
            scope.spawn(|| {
                queue.fill(&data, &[7u32], 0, 256, &[&before]).expect("fill");
                queue.finish().expect("urQueueFinish");
            });
        });
        assert_eq!(rig.contents::<u32>(&data), [7; 64]);
        assert_eq!(call(false), ResultCode::SUCCESS);
        queue.finish().expect("urQueueFinish");
    }
}

#[test]
fn a_native_command_of_a_command_buffer_throws() {
    let Some(rig) = command_buffer::rig() else { return };
    if intel("Intel's loader makes a code of it, or ends the process") {
        return;
    }
    let (increment, data) = (rig.kernel("basic", "increment"), rig.shared(&[0i32; 64]));
    let function = c_function!(throw(*mut c_void));
    let (buffer, child) = (empty(&rig, PLAIN), empty(&rig, PLAIN));
    let args = [Arg::Pointer(data.ptr())];
    launch(&child, &increment, 64, &args, FIRST).expect("inside");
    let append = |throw: bool| {
        let (buffer, child, none, place) = (buffer.raw(), child.raw(), null(), null_mut());
        ur!(urCommandBufferAppendNativeCommandExp(
            buffer,
            Some(function),
            throws(throw),
            child,
            0,
            none,
            place
        ))
    };
    assert_passes(|| append(true));
    assert_eq!(append(false), ResultCode::SUCCESS);
    assert_passes(|| append(true));
    buffer.finalize().expect("urCommandBufferFinalizeExp");
    run(&rig.queue, &buffer);
    assert_eq!(
        values::<i32>(&data),
        [1; 64],
        "only the call that returned has appended something"
    );
}

#[test]
fn where_nobody_can_catch_it_an_exception_ends_the_process() {
    const CASE: &str = "OXUR_TEST_CASE";
    if intel("what is said is not ours") {
        return;
    }
    match std::env::var(CASE) {
        Ok(case) => return throw_where_nobody_can_catch(&case),
        Err(_) => println!("each case has a process of its own"),
    }
    for (case, what) in [
        ("deleter", "a function that is called when an object is destroyed"),
        ("logger", "the callback of a log"),
        ("host task", "a host task"),
        ("event", "the callback of an event"),
    ] {
        let test = "exceptions::where_nobody_can_catch_it_an_exception_ends_the_process";
        let ended = run_test(test, &[(CASE, case)]);
        let said = ended.log;
        assert_eq!(ended.status.signal(), Some(libc::SIGABRT), "{case}: {said}");
        assert!(
            said.contains(&format!("oxur: {what} threw an exception")),
            "{case}: {said}"
        );
    }
}

fn throw_where_nobody_can_catch(case: &str) {
    // SAFETY: no core file is written, for this process alone.
    unsafe {
        let none = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
    }
    let rig = Rig::new();
    let (queue, none) = (rig.queue.raw(), null());
    let function = c_function!(throw(*mut c_void));
    match case {
        "deleter" => {
            let (mut other, device) = (ContextHandle::default(), rig.device.raw());
            expect!(ur!(urContextCreate(1, &device, null(), &mut other)), SUCCESS);
            expect!(
                ur!(urContextSetExtendedDeleter(other, Some(function), throws(true))),
                SUCCESS
            );
            expect!(ur!(urContextRelease(other)), SUCCESS);
        }
        "logger" => {
            let (adapter, function) = (
                rig.adapter.raw(),
                c_function!(logger(LoggerLevel, *const c_char, *mut c_void)),
            );
            let level = LoggerLevel::DEBUG;
            expect!(
                ur!(urAdapterSetLoggerCallback(adapter, Some(function), throws(true), level)),
                SUCCESS
            );
            // An error is logged.
            expect!(
                ur!(urQueueCreate(rig.context.raw(), rig.device.raw(), null(), null_mut())),
                SUCCESS
            );
        }
        "host task" => {
            let (data, place) = (throws(true), null_mut());
            expect!(
                ur!(urEnqueueHostTaskExp(
                    queue,
                    Some(function),
                    data,
                    none,
                    0,
                    null(),
                    place
                )),
                SUCCESS
            );
            expect!(ur!(urQueueFinish(queue)), SUCCESS);
        }
        _ => {
            let user_event = UserEvent::new(&rig.queue).expect("host tasks");
            let function = c_function!(event_callback(EventHandle, ExecutionInfo, *mut c_void));
            let (event, complete) = (user_event.event.raw(), ExecutionInfo::COMPLETE);
            expect!(
                ur!(urEventSetCallback(event, complete, Some(function), throws(true))),
                SUCCESS
            );
            user_event.complete();
            // Until the callback is called.
            std::thread::sleep(std::time::Duration::from_secs(240));
        }
    }
}
