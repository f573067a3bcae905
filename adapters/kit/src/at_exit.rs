// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Functions that run when the process exits, or the adapter's library is unloaded.

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr;

unsafe extern "C" {
    /// What tells this library from others. The C toolchain defines it in each.
    static __dso_handle: u8;
}

/// Has `function` called at exit, before the functions that were registered earlier. Returns false if that is impossible.
///
/// `atexit` is linked into each library and calls the `__cxa_atexit` that the library sees. In libraries with LLVM that is the
/// compiler's own, which registers nothing, for the sake of LLVM's static variables. So this asks the C library by name.
pub(crate) fn at_exit(function: extern "C" fn(*mut c_void)) -> bool {
    type CxaAtexit = unsafe extern "C" fn(extern "C" fn(*mut c_void), *mut c_void, *const u8) -> c_int;
    // SAFETY: the function has this type in every C library of Linux. It is called with a function that takes any pointer,
    // and with this library's handle, whose functions run before the library is unloaded.
    unsafe {
        let register = libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_atexit".as_ptr());
        !register.is_null()
            && transmute::<*mut c_void, CxaAtexit>(register)(function, ptr::null_mut(), &raw const __dso_handle) == 0
    }
}
