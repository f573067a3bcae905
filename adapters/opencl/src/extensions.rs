// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The extension functions of a platform, resolved once when the platform is found.

use std::ffi::{CStr, c_char, c_void};

use opencl_sys::*;

use crate::cl::api;

type GlobalVariableTransfer<P> = unsafe extern "C" fn(
    cl_command_queue,
    cl_program,
    *const c_char,
    cl_bool,
    usize,
    usize,
    P,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

macro_rules! extensions {
    ($( $(#[doc = $doc:literal])* $field:ident = $symbol:literal: $ty:ty, )*) => {
        /// Function pointers of a platform; `None` where the driver has no such function.
        #[derive(Default)]
        pub struct Extensions {
            $( $(#[doc = $doc])* pub $field: $ty, )*
        }

        impl Extensions {
            /// Asks the driver of `platform` for all of them.
            pub fn load(platform: cl_platform_id) -> Self {
                Self {
                    // SAFETY: the driver gives null or the function of that name, whose type this is; an `Option` of a
                    // function pointer has the size of a pointer, with null as `None`.
                    $($field: unsafe { std::mem::transmute::<*mut c_void, $ty>(address(platform, $symbol)) },)*
                }
            }
        }
    };
}

fn address(platform: cl_platform_id, name: &CStr) -> *mut c_void {
    match api().clGetExtensionFunctionAddressForPlatform {
        // SAFETY: a live platform and a zero-terminated string.
        Some(function) => unsafe { function(platform, name.as_ptr()) },
        None => std::ptr::null_mut(),
    }
}

extensions! {
    // cl_intel_unified_shared_memory.
    host_mem_alloc = c"clHostMemAllocINTEL": clHostMemAllocINTEL_fn,
    device_mem_alloc = c"clDeviceMemAllocINTEL": clDeviceMemAllocINTEL_fn,
    shared_mem_alloc = c"clSharedMemAllocINTEL": clSharedMemAllocINTEL_fn,
    // Waits for commands that use the memory.
    mem_blocking_free = c"clMemBlockingFreeINTEL": clMemBlockingFreeINTEL_fn,
    mem_free = c"clMemFreeINTEL": clMemFreeINTEL_fn,
    get_mem_alloc_info = c"clGetMemAllocInfoINTEL": clGetMemAllocInfoINTEL_fn,
    set_kernel_arg_mem_pointer = c"clSetKernelArgMemPointerINTEL": clSetKernelArgMemPointerINTEL_fn,
    enqueue_mem_fill = c"clEnqueueMemFillINTEL": clEnqueueMemFillINTEL_fn,
    enqueue_memcpy = c"clEnqueueMemcpyINTEL": clEnqueueMemcpyINTEL_fn,
    enqueue_migrate_mem = c"clEnqueueMigrateMemINTEL": clEnqueueMigrateMemINTEL_fn,
    /// cl_intel_create_buffer_with_properties.
    create_buffer_with_properties = c"clCreateBufferWithPropertiesINTEL": clCreateBufferWithPropertiesINTEL_fn,
    /// Writes a program-scope variable by name.
    write_global_variable = c"clEnqueueWriteGlobalVariableINTEL": Option<GlobalVariableTransfer<*const c_void>>,
    /// Reads a program-scope variable by name.
    read_global_variable = c"clEnqueueReadGlobalVariableINTEL": Option<GlobalVariableTransfer<*mut c_void>>,
    /// Address and size of a program-scope variable.
    get_global_variable_pointer = c"clGetDeviceGlobalVariablePointerINTEL": Option<
        unsafe extern "C" fn(cl_device_id, cl_program, *const c_char, *mut usize, *mut *mut c_void) -> cl_int,
    >,
    /// Address of a function.
    get_function_pointer = c"clGetDeviceFunctionPointerINTEL": Option<
        unsafe extern "C" fn(cl_device_id, cl_program, *const c_char, *mut u64) -> cl_int,
    >,
    /// cl_khr_suggested_local_work_size.
    get_suggested_local_work_size = c"clGetKernelSuggestedLocalWorkSizeKHR": Option<
        unsafe extern "C" fn(cl_command_queue, cl_kernel, cl_uint, *const usize, *const usize, *mut usize) -> cl_int,
    >,
    /// cl_khr_il_program, on drivers before OpenCL 2.1.
    create_program_with_il = c"clCreateProgramWithILKHR": Option<
        unsafe extern "C" fn(cl_context, *const c_void, usize, *mut cl_int) -> cl_program,
    >,
    /// Specialization constants, on drivers before OpenCL 2.2.
    set_specialization_constant = c"clSetProgramSpecializationConstant": Option<
        unsafe extern "C" fn(cl_program, cl_uint, usize, *const c_void) -> cl_int,
    >,
    /// cl_khr_subgroups, on drivers before OpenCL 2.1.
    get_kernel_sub_group_info = c"clGetKernelSubGroupInfoKHR": Option<
        unsafe extern "C" fn(
            cl_kernel, cl_device_id, cl_uint, usize, *const c_void, usize, *mut c_void, *mut usize,
        ) -> cl_int,
    >,
}

/// Calls an extension function, if the driver has it. The code around it must be `unsafe`.
macro_rules! ext {
    ($extensions:expr, $field:ident($($arg:expr),* $(,)?)) => {
        match $extensions.$field {
            Some(function) if !$crate::cl::is_lost() => $crate::cl::check(stringify!($field), function($($arg),*)),
            _ => Err($crate::cl::missing(concat!("extension function ", stringify!($field)))),
        }
    };
}
pub(crate) use ext;
