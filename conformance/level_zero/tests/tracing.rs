// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The loader's tracing layer: callbacks before and behind functions. Null arguments are not tested: the layer of Intel's
//! loader crashes.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Mutex;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Context, Rig, Usm, ok, with_variable, ze};

/// What callbacks have seen, in order.
#[derive(Debug, PartialEq)]
enum Seen {
    BeforeContext,
    AfterContext(ze_result_t),
    BeforeAlloc(usize),
    AfterAlloc(ze_result_t, bool),
}

#[derive(Default)]
struct Log(Mutex<Vec<Seen>>);

impl Log {
    /// The log that a callback's user data is.
    ///
    /// # Safety
    ///
    /// The pointer must be one that `tracer` was given, whose log is alive.
    unsafe fn push(data: *mut c_void, seen: Seen) {
        // SAFETY: the caller's promise.
        unsafe { &*data.cast::<Self>() }.0.lock().expect("the log").push(seen);
    }

    fn take(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.0.lock().expect("the log"))
    }
}

unsafe extern "C" fn before_context(
    params: *mut ze_context_create_params_t,
    _: ze_result_t,
    data: *mut c_void,
    instance: *mut *mut c_void,
) {
    assert!(!params.is_null());
    // SAFETY: the tracer's data is a log; the instance's data has a place.
    unsafe {
        Log::push(data, Seen::BeforeContext);
        *instance = 0x1234 as *mut c_void;
    }
}

unsafe extern "C" fn after_context(
    params: *mut ze_context_create_params_t,
    result: ze_result_t,
    data: *mut c_void,
    instance: *mut *mut c_void,
) {
    // SAFETY: the layer passes pointers to the arguments of a call, which made a context; data and instance are as above.
    unsafe {
        assert!(result != ZE_RESULT_SUCCESS || !(**(*params).pphContext).is_null());
        assert_eq!(*instance as usize, 0x1234, "what the prologue left");
        Log::push(data, Seen::AfterContext(result));
    }
}

unsafe extern "C" fn before_alloc(
    params: *mut ze_mem_alloc_host_params_t,
    _: ze_result_t,
    data: *mut c_void,
    _: *mut *mut c_void,
) {
    // SAFETY: the layer passes pointers to the arguments; the tracer's data is a log.
    unsafe { Log::push(data, Seen::BeforeAlloc(*(*params).psize)) };
}

unsafe extern "C" fn after_alloc(
    params: *mut ze_mem_alloc_host_params_t,
    result: ze_result_t,
    data: *mut c_void,
    _: *mut *mut c_void,
) {
    // SAFETY: as above; the last argument is the place of the result.
    unsafe { Log::push(data, Seen::AfterAlloc(result, (**(*params).ppptr).is_null())) };
}

fn tracer(log: &Log) -> zel_tracer_handle_t {
    let desc = zel_tracer_desc_t {
        stype: ZEL_STRUCTURE_TYPE_TRACER_DESC,
        pNext: std::ptr::null(),
        pUserData: std::ptr::from_ref(log).cast_mut().cast(),
    };
    let mut tracer = null_mut();
    ok!(zelTracerCreate(&desc, &mut tracer));
    let (mut before, mut after) = (ze_callbacks_t::default(), ze_callbacks_t::default());
    before.Context.pfnCreateCb = Some(before_context);
    before.Mem.pfnAllocHostCb = Some(before_alloc);
    after.Context.pfnCreateCb = Some(after_context);
    after.Mem.pfnAllocHostCb = Some(after_alloc);
    ok!(zelTracerSetPrologues(tracer, &mut before));
    ok!(zelTracerSetEpilogues(tracer, &mut after));
    tracer
}

/// Whether this is a process in which the layer is on: zeInit reads the variable.
fn layer(test: &str) -> bool {
    !with_variable(&format!("tracing::{test}"), "ZE_ENABLE_TRACING_LAYER", "1")
}

/// zelTracerCreate: "The tracer is created in the disabled state"; zelTracerSetEnabled turns it on and off.
#[test]
fn enabled_and_disabled() {
    if !layer("enabled_and_disabled") {
        return;
    }
    let (rig, log) = (Rig::new(), Log::default());
    let tracer = tracer(&log);
    Context::new(rig.driver);
    assert_eq!(log.take(), []);
    ok!(zelTracerSetEnabled(tracer, 1));
    Context::new(rig.driver);
    assert_eq!(log.take(), [Seen::BeforeContext, Seen::AfterContext(ZE_RESULT_SUCCESS)]);
    ok!(zelTracerSetEnabled(tracer, 0));
    Context::new(rig.driver);
    assert_eq!(log.take(), []);
    ok!(zelTracerDestroy(tracer));
}

/// zelTracerSetPrologues "before driver execution", zelTracerSetEpilogues "after driver execution": they see the arguments, the
/// result, and what the function gives; also of calls that fail.
#[test]
fn arguments_and_results() {
    if !layer("arguments_and_results") {
        return;
    }
    let (rig, log) = (Rig::new(), Log::default());
    let tracer = tracer(&log);
    ok!(zelTracerSetEnabled(tracer, 1));
    let usm = Usm::host(&rig.context, 4321);
    assert_eq!(
        log.take(),
        [Seen::BeforeAlloc(4321), Seen::AfterAlloc(ZE_RESULT_SUCCESS, false)]
    );
    drop(usm);
    assert_eq!(log.take(), []);
    let (desc, mut ptr) = (ze_host_mem_alloc_desc_t::default(), null_mut());
    let result = ze!(zeMemAllocHost(rig.context.raw(), &desc, 64, 3, &mut ptr));
    assert_eq!(result, ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    assert_eq!(log.take(), [Seen::BeforeAlloc(64), Seen::AfterAlloc(result, true)]);
    ok!(zelTracerSetEnabled(tracer, 0));
    ok!(zelTracerDestroy(tracer));
}

/// Several tracers: each has data of its own.
#[test]
fn several() {
    if !layer("several") {
        return;
    }
    let (rig, logs) = (Rig::new(), [Log::default(), Log::default()]);
    let tracers = logs.each_ref().map(tracer);
    for tracer in tracers {
        ok!(zelTracerSetEnabled(tracer, 1));
    }
    Context::new(rig.driver);
    for log in &logs {
        assert_eq!(log.take(), [Seen::BeforeContext, Seen::AfterContext(ZE_RESULT_SUCCESS)]);
    }
    for tracer in tracers {
        ok!(zelTracerSetEnabled(tracer, 0));
        ok!(zelTracerDestroy(tracer));
    }
}
