// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! OpenCL functions that a SYCL runtime looks up in this library.
//!
//! The dynamic libsycl (2025.2 to 2026.1) retains native handles by itself before it gives them to a program
//! (`sycl::get_native`). It finds the functions by `dlsym` on the OpenCL adapter, whose reference version is linked to
//! libOpenCL. This one is not, so it exports them.

use opencl_sys::*;

use crate::cl::load;

macro_rules! forward {
    ($($name:ident($handle:ty);)*) => { $(
        /// The OpenCL function of this name.
        ///
        /// # Safety
        /// As OpenCL demands: the handle must be live.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: $handle) -> cl_int {
            match load().ok().and_then(|api| api.$name) {
                // SAFETY: passed on to the caller.
                Some(function) => unsafe { function(handle) },
                None => CL_INVALID_OPERATION,
            }
        }
    )* };
}

forward! {
    clRetainCommandQueue(cl_command_queue);
    clRetainContext(cl_context);
    clRetainDevice(cl_device_id);
    clRetainEvent(cl_event);
    clRetainKernel(cl_kernel);
    clRetainMemObject(cl_mem);
    clRetainProgram(cl_program);
}
