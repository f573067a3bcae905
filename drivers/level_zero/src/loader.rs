// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a loader has besides the functions of Level Zero. The library is a loader of itself: a copy or link of it with the name
//! `libze_loader.so.1` serves programs that open that.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

use level_zero_sys::*;

use crate::Driver;
use crate::entry::{entry, err};
use crate::handle::{out, write_text};

/// The version of the loader whose functions these are. Programs ask for at least some version.
const VERSION: zel_version_t = zel_version_t {
    major: 1,
    minor: 32,
    patch: 0,
};

/// Whether the client wants callbacks of tracers. They are there in any case.
static TRACING: AtomicBool = AtomicBool::new(false);

fn version() -> zel_component_version_t {
    let mut version = zel_component_version_t {
        spec_version: API_VERSION,
        component_lib_version: VERSION,
        ..Default::default()
    };
    write_text(&mut version.component_name, b"loader");
    version
}

/// Writes the only component's version. Without a place for it, the number of components is what is asked for.
///
/// # Safety
/// `count` must be null or writable, and `versions` null or writable for as many elements as `count` says.
unsafe fn versions(count: *mut usize, versions: *mut zel_component_version_t) -> crate::entry::ZeResult {
    // SAFETY: passed on to the caller.
    let count = unsafe { out(count) }?;
    if !versions.is_null() {
        if *count == 0 {
            return err(ZE_RESULT_ERROR_INVALID_SIZE);
        }
        // SAFETY: there is room for one at least.
        unsafe { versions.write(version()) };
    }
    *count = 1;
    Ok(())
}

/// Handles are the driver's own.
///
/// # Safety
/// `to` must be null or writable.
unsafe fn translate(kind: zel_handle_type_t, from: *mut c_void, to: *mut *mut c_void) -> crate::entry::ZeResult {
    // SAFETY: passed on to the caller.
    let to = unsafe { out(to) }?;
    if kind > ZEL_HANDLE_PHYSICAL_MEM {
        return err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    *to = from;
    Ok(())
}

entry! {
    fn zeLoaderInit() {
        Driver::get();
        Ok(())
    }

    fn zelLoaderGetVersions(count: *mut usize, to: *mut zel_component_version_t) {
        // SAFETY: passed on to the caller.
        unsafe { versions(count, to) }
    }

    fn zelLoaderGetVersionsInternal(count: *mut usize, to: *mut zel_component_version_t) {
        // SAFETY: passed on to the caller.
        unsafe { versions(count, to) }
    }

    fn zelGetLoaderVersion(to: *mut zel_component_version_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(to)? = version() };
        Ok(())
    }

    fn zelLoaderGetVersion(to: *mut zel_component_version_t) {
        // SAFETY: passed on to the caller.
        unsafe { *out(to)? = version() };
        Ok(())
    }

    fn zelLoaderTranslateHandle(kind: zel_handle_type_t, from: *mut c_void, to: *mut *mut c_void) {
        // SAFETY: passed on to the caller.
        unsafe { translate(kind, from, to) }
    }

    fn zelLoaderTranslateHandleInternal(kind: zel_handle_type_t, from: *mut c_void, to: *mut *mut c_void) {
        // SAFETY: passed on to the caller.
        unsafe { translate(kind, from, to) }
    }

    // The driver is a part of this loader, so nobody else is torn down.
    fn zelSetDriverTeardown() {
        Ok(())
    }

    // Both concern loaders that are linked into programs.
    fn zelSetDelayLoaderContextTeardown() {
        Ok(())
    }

    fn zelLoaderContextTeardown() {
        Ok(())
    }

    // Nothing is torn down before the process ends, so the callback is never called.
    fn zelRegisterTeardownCallback(
        callback: zel_loader_teardown_callback_t,
        unregister: *mut zel_application_teardown_callback_t,
        index: *mut u32,
    ) {
        // SAFETY: passed on to the caller.
        let (unregister, index) = unsafe { (out(unregister)?, out(index)?) };
        if callback.is_none() {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        *unregister = Some(forget);
        *index = 0;
        Ok(())
    }

    fn zelEnableTracingLayer() {
        TRACING.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn zelDisableTracingLayer() {
        TRACING.store(false, Ordering::Relaxed);
        Ok(())
    }

    fn zelGetTracingLayerState(enabled: *mut bool) {
        // SAFETY: passed on to the caller.
        unsafe { *out(enabled)? = TRACING.load(Ordering::Relaxed) };
        Ok(())
    }
}

/// What applications call that are torn down before the loader.
unsafe extern "C" fn forget(_index: u32) {}

/// Whether functions must not be called any more.
#[unsafe(no_mangle)]
pub extern "C" fn zelCheckIsLoaderInTearDown() -> bool {
    false
}

/// The library with the functions of the tracing layer, as `dlopen` returns it: this one. Null if it is not found.
#[unsafe(no_mangle)]
pub extern "C" fn zeLoaderGetTracingHandle() -> *mut c_void {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: null_mut(),
    };
    let here = zeLoaderGetTracingHandle as *const c_void;
    // SAFETY: `info` is writable, and the address is in this library.
    if unsafe { libc::dladdr(here, &mut info) } == 0 || info.dli_fname.is_null() {
        return null_mut();
    }
    // SAFETY: the linker's name of the library, which is loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    // SAFETY: as above.
    unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) }
}
