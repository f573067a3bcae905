// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

use super::*;

/// What a tracer has seen of `zeDriverGetApiVersion`.
#[derive(Default)]
struct Seen {
    prologues: usize,
    epilogues: usize,
    result: ze_result_t,
}

unsafe extern "C" fn before(
    arguments: *mut *mut c_void,
    _result: ze_result_t,
    seen: *mut c_void,
    instance: *mut *mut c_void,
) {
    // SAFETY: the function has two arguments, of which the second is a pointer. The tracer has the pointer of a `Seen`.
    unsafe {
        (*seen.cast::<Mutex<Seen>>()).lock().prologues += 1;
        *instance = seen;
        // Another place for the version, and a call that must not be traced.
        let version: *mut *mut ze_api_version_t = (*arguments.add(1)).cast();
        assert!(!(*version).is_null());
        let driver: *mut ze_driver_handle_t = (*arguments).cast();
        let mut other = ze_api_version_t::default();
        assert_eq!(
            crate::driver::zeDriverGetApiVersion(*driver, &mut other),
            ZE_RESULT_SUCCESS
        );
        // The function is called with null.
        *version = null_mut();
    }
}

unsafe extern "C" fn after(
    _arguments: *mut *mut c_void,
    result: ze_result_t,
    seen: *mut c_void,
    instance: *mut *mut c_void,
) {
    // SAFETY: as above.
    unsafe {
        assert_eq!(*instance, seen);
        let mut seen = (*seen.cast::<Mutex<Seen>>()).lock();
        seen.epilogues += 1;
        seen.result = result;
    }
}

#[test]
fn callbacks_see_and_change_a_call() {
    let (_, driver) = crate::Driver::get();
    let seen = Box::leak(Box::new(Mutex::new(Seen::default())));
    let desc = zel_tracer_desc_t {
        pUserData: std::ptr::from_ref(seen).cast_mut().cast(),
        ..Default::default()
    };
    let (mut tracer, mut version) = (null_mut(), ze_api_version_t::default());
    // SAFETY: all variables are alive, and the callbacks are those of the function.
    unsafe {
        assert_eq!(zelTracerCreate(&desc, &mut tracer), ZE_RESULT_SUCCESS);
        let register =
            |side, callback: *const c_void| zelTracerDriverGetApiVersionRegisterCallback(tracer, side, callback);
        assert_eq!(
            register(ZEL_REGISTER_PROLOGUE, before as *const c_void),
            ZE_RESULT_SUCCESS
        );
        assert_eq!(
            register(ZEL_REGISTER_EPILOGUE, after as *const c_void),
            ZE_RESULT_SUCCESS
        );
        let mut get = || crate::driver::zeDriverGetApiVersion(driver, &mut version);
        assert_eq!(get(), ZE_RESULT_SUCCESS);
        assert_eq!(zelTracerSetEnabled(tracer, 1), ZE_RESULT_SUCCESS);
        assert_eq!(
            register(ZEL_REGISTER_EPILOGUE, after as *const c_void),
            ZE_RESULT_ERROR_INVALID_ARGUMENT
        );
        assert_eq!(get(), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        assert_eq!(zelTracerSetEnabled(tracer, 0), ZE_RESULT_SUCCESS);
        assert_eq!(get(), ZE_RESULT_SUCCESS);
        // The table of the first version has the same function.
        let mut table = zel_core_callbacks_t::default();
        assert_eq!(zelTracerResetAllCallbacks(tracer), ZE_RESULT_SUCCESS);
        assert_eq!(zelTracerSetPrologues(tracer, &mut table), ZE_RESULT_SUCCESS);
        table.Driver.pfnGetApiVersionCb = Some(std::mem::transmute::<Callback, _>(after));
        assert_eq!(zelTracerSetEpilogues(tracer, &mut table), ZE_RESULT_SUCCESS);
        assert_eq!(zelTracerDestroy(tracer), ZE_RESULT_SUCCESS);
        assert_eq!(zelTracerDestroy(tracer), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    let seen = seen.lock();
    assert_eq!((seen.prologues, seen.epilogues), (1, 1));
    assert_eq!(seen.result, ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_eq!(CALLBACKS[1], numbers::zeDriverGet);
}
