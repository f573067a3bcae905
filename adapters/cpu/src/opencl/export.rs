// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! OpenCL functions that a SYCL runtime looks up in this library.
//!
//! The dynamic libsycl (2025.3 to 2026.1) retains native handles before it gives them to a program
//! (`sycl::get_native`). It finds the functions by `dlsym` on an adapter for OpenCL, which has them from its libOpenCL.

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::*;

macro_rules! forward {
    ($($name:ident or $invalid:ident;)*) => { $(
        /// The OpenCL function of this name, of the driver that the handle is from.
        ///
        /// # Safety
        /// As OpenCL demands: the handle must be live.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: *mut std::ffi::c_void) -> cl_int {
            if handle.is_null() {
                return $invalid;
            }
            // SAFETY: an OpenCL handle begins with the address of a dispatch table, whose driver may count on a live handle.
            unsafe {
                let table: *const cl_icd_dispatch = *handle.cast::<*const cl_icd_dispatch>();
                match (*table).$name {
                    Some(function) => function(handle),
                    None => CL_INVALID_OPERATION,
                }
            }
        }
    )* };
}

forward! {
    clRetainCommandQueue or CL_INVALID_COMMAND_QUEUE;
    clRetainContext or CL_INVALID_CONTEXT;
    clRetainDevice or CL_INVALID_DEVICE;
    clRetainEvent or CL_INVALID_EVENT;
    clRetainKernel or CL_INVALID_KERNEL;
    clRetainMemObject or CL_INVALID_MEM_OBJECT;
    clRetainProgram or CL_INVALID_PROGRAM;
}
