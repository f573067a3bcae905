// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of OpenCL: those of `libOpenCL.so.1`, and those of a platform's extensions, which are resolved once when the
//! platform is found.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use libloading::os::unix::Library;
use opencl_sys::cl_function_types::*;
use opencl_sys::*;

use crate::cl::api;

const fn c_string(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("the name has no zero, or one before its end"),
    }
}

/// The name under which a function is found, as a C string: its own, or an older one.
macro_rules! symbol {
    ($name:ident) => {
        const { c_string(concat!(stringify!($name), "\0")) }
    };
    ($_name:ident $older:ident) => {
        symbol!($older)
    };
}

/// Writes a table of functions, each `None` where there is no such function. `as` is before the name that it has there.
macro_rules! table {
    ($(#[$doc:meta])* $table:ident { $( $(#[$field_doc:meta])* $name:ident $(as $older:ident)?: $ty:ty, )* }) => {
        $(#[$doc])*
        #[allow(non_snake_case)]
        pub struct $table {
            $( $(#[$field_doc])* pub $name: $ty, )*
        }

        impl $table {
            /// Asks `find` for all of them.
            ///
            /// # Safety
            /// It gives null or the OpenCL function of a name.
            unsafe fn load(find: impl Fn(&CStr) -> *mut c_void) -> Self {
                Self {
                    // SAFETY: null or the function of that name, whose type this is; an `Option` of a function pointer has
                    // the size of a pointer, with null as `None`.
                    $( $name: unsafe { std::mem::transmute::<*mut c_void, $ty>(find(symbol!($name $($older)?))) }, )*
                }
            }
        }
    };
}

table! {
    /// The functions of `libOpenCL.so.1`, as far as it has them.
    Api {
        clGetPlatformIDs: clGetPlatformIDs_fn,
        clGetPlatformInfo: clGetPlatformInfo_fn,
        clGetDeviceIDs: clGetDeviceIDs_fn,
        clGetDeviceInfo: clGetDeviceInfo_fn,
        clCreateSubDevices: clCreateSubDevices_fn,
        clRetainDevice: clRetainDevice_fn,
        clReleaseDevice: clReleaseDevice_fn,
        clGetDeviceAndHostTimer: clGetDeviceAndHostTimer_fn,
        clGetHostTimer: clGetHostTimer_fn,
        clCreateContext: clCreateContext_fn,
        clRetainContext: clRetainContext_fn,
        clReleaseContext: clReleaseContext_fn,
        clGetContextInfo: clGetContextInfo_fn,
        clCreateCommandQueue: clCreateCommandQueue_fn,
        clCreateCommandQueueWithProperties: clCreateCommandQueueWithProperties_fn,
        clRetainCommandQueue: clRetainCommandQueue_fn,
        clReleaseCommandQueue: clReleaseCommandQueue_fn,
        clGetCommandQueueInfo: clGetCommandQueueInfo_fn,
        clFlush: clFlush_fn,
        clFinish: clFinish_fn,
        clWaitForEvents: clWaitForEvents_fn,
        clGetEventInfo: clGetEventInfo_fn,
        clGetEventProfilingInfo: clGetEventProfilingInfo_fn,
        clSetEventCallback: clSetEventCallback_fn,
        clRetainEvent: clRetainEvent_fn,
        clReleaseEvent: clReleaseEvent_fn,
        clCreateUserEvent: clCreateUserEvent_fn,
        clSetUserEventStatus: clSetUserEventStatus_fn,
        clCreateBuffer: clCreateBuffer_fn,
        clCreateSubBuffer: clCreateSubBuffer_fn,
        clCreateImage: clCreateImage_fn,
        clRetainMemObject: clRetainMemObject_fn,
        clReleaseMemObject: clReleaseMemObject_fn,
        clGetMemObjectInfo: clGetMemObjectInfo_fn,
        clGetImageInfo: clGetImageInfo_fn,
        clCreateSampler: clCreateSampler_fn,
        clCreateSamplerWithProperties: clCreateSamplerWithProperties_fn,
        clRetainSampler: clRetainSampler_fn,
        clReleaseSampler: clReleaseSampler_fn,
        clGetSamplerInfo: clGetSamplerInfo_fn,
        clCreateProgramWithBinary: clCreateProgramWithBinary_fn,
        clCreateProgramWithIL: clCreateProgramWithIL_fn,
        clSetProgramSpecializationConstant: clSetProgramSpecializationConstant_fn,
        clBuildProgram: clBuildProgram_fn,
        clCompileProgram: clCompileProgram_fn,
        clLinkProgram: clLinkProgram_fn,
        clRetainProgram: clRetainProgram_fn,
        clReleaseProgram: clReleaseProgram_fn,
        clGetProgramInfo: clGetProgramInfo_fn,
        clGetProgramBuildInfo: clGetProgramBuildInfo_fn,
        clCreateKernel: clCreateKernel_fn,
        clCloneKernel: clCloneKernel_fn,
        clRetainKernel: clRetainKernel_fn,
        clReleaseKernel: clReleaseKernel_fn,
        clSetKernelArg: clSetKernelArg_fn,
        clSetKernelExecInfo: clSetKernelExecInfo_fn,
        clGetKernelInfo: clGetKernelInfo_fn,
        clGetKernelWorkGroupInfo: clGetKernelWorkGroupInfo_fn,
        clGetKernelSubGroupInfo: clGetKernelSubGroupInfo_fn,
        clEnqueueNDRangeKernel: clEnqueueNDRangeKernel_fn,
        clEnqueueMarkerWithWaitList: clEnqueueMarkerWithWaitList_fn,
        clEnqueueBarrierWithWaitList: clEnqueueBarrierWithWaitList_fn,
        clEnqueueReadBuffer: clEnqueueReadBuffer_fn,
        clEnqueueWriteBuffer: clEnqueueWriteBuffer_fn,
        clEnqueueReadBufferRect: clEnqueueReadBufferRect_fn,
        clEnqueueWriteBufferRect: clEnqueueWriteBufferRect_fn,
        clEnqueueCopyBuffer: clEnqueueCopyBuffer_fn,
        clEnqueueCopyBufferRect: clEnqueueCopyBufferRect_fn,
        clEnqueueFillBuffer: clEnqueueFillBuffer_fn,
        clEnqueueMapBuffer: clEnqueueMapBuffer_fn,
        clEnqueueUnmapMemObject: clEnqueueUnmapMemObject_fn,
        clEnqueueReadImage: clEnqueueReadImage_fn,
        clEnqueueWriteImage: clEnqueueWriteImage_fn,
        clEnqueueCopyImage: clEnqueueCopyImage_fn,
        clGetExtensionFunctionAddressForPlatform: clGetExtensionFunctionAddressForPlatform_fn,
    }
}

impl Api {
    /// Of a library that has none of them.
    pub const NONE: Self = {
        // SAFETY: `None` for each function.
        unsafe { std::mem::zeroed() }
    };

    /// Those of a library.
    pub fn of(library: &Library) -> Self {
        let find = |name: &CStr| {
            // SAFETY: only the address is taken.
            let found = unsafe { library.get::<*mut c_void>(name.to_bytes_with_nul()) };
            found.map_or(ptr::null_mut(), |address| *address)
        };
        // SAFETY: the symbols of OpenCL are its functions.
        unsafe { Self::load(find) }
    }
}

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

table! {
    /// The extension functions of a platform, as far as its driver has them.
    Extensions {
        // cl_intel_unified_shared_memory.
        clHostMemAllocINTEL: clHostMemAllocINTEL_fn,
        clDeviceMemAllocINTEL: clDeviceMemAllocINTEL_fn,
        clSharedMemAllocINTEL: clSharedMemAllocINTEL_fn,
        // Waits for commands that use the memory.
        clMemBlockingFreeINTEL: clMemBlockingFreeINTEL_fn,
        clMemFreeINTEL: clMemFreeINTEL_fn,
        clGetMemAllocInfoINTEL: clGetMemAllocInfoINTEL_fn,
        clSetKernelArgMemPointerINTEL: clSetKernelArgMemPointerINTEL_fn,
        clEnqueueMemFillINTEL: clEnqueueMemFillINTEL_fn,
        clEnqueueMemcpyINTEL: clEnqueueMemcpyINTEL_fn,
        clEnqueueMigrateMemINTEL: clEnqueueMigrateMemINTEL_fn,
        /// cl_intel_create_buffer_with_properties.
        clCreateBufferWithPropertiesINTEL: clCreateBufferWithPropertiesINTEL_fn,
        /// Writes a program-scope variable by name.
        clEnqueueWriteGlobalVariableINTEL: Option<GlobalVariableTransfer<*const c_void>>,
        /// Reads a program-scope variable by name.
        clEnqueueReadGlobalVariableINTEL: Option<GlobalVariableTransfer<*mut c_void>>,
        /// Address and size of a program-scope variable.
        clGetDeviceGlobalVariablePointerINTEL: Option<
            unsafe extern "C" fn(cl_device_id, cl_program, *const c_char, *mut usize, *mut *mut c_void) -> cl_int,
        >,
        /// Address of a function.
        clGetDeviceFunctionPointerINTEL: Option<
            unsafe extern "C" fn(cl_device_id, cl_program, *const c_char, *mut u64) -> cl_int,
        >,
        /// cl_khr_suggested_local_work_size.
        clGetKernelSuggestedLocalWorkSizeKHR: Option<
            unsafe extern "C" fn(cl_command_queue, cl_kernel, cl_uint, *const usize, *const usize, *mut usize) -> cl_int,
        >,
        /// OpenCL 2.1, or cl_khr_il_program.
        clCreateProgramWithIL as clCreateProgramWithILKHR: clCreateProgramWithIL_fn,
        /// OpenCL 2.1, or cl_khr_subgroups.
        clGetKernelSubGroupInfo as clGetKernelSubGroupInfoKHR: clGetKernelSubGroupInfo_fn,
        /// OpenCL 2.2, or earlier drivers that have it.
        clSetProgramSpecializationConstant: clSetProgramSpecializationConstant_fn,
    }
}

impl Extensions {
    /// Those of a platform.
    pub fn of(platform: cl_platform_id) -> Self {
        let find = |name: &CStr| match api().clGetExtensionFunctionAddressForPlatform {
            // SAFETY: a live platform and a zero-terminated string.
            Some(function) => unsafe { function(platform, name.as_ptr()) },
            None => ptr::null_mut(),
        };
        // SAFETY: the driver gives null or the function of that name.
        let found = unsafe { Self::load(find) };
        // A library that is new enough has what was an extension.
        Self {
            clCreateProgramWithIL: api().clCreateProgramWithIL.or(found.clCreateProgramWithIL),
            clGetKernelSubGroupInfo: api().clGetKernelSubGroupInfo.or(found.clGetKernelSubGroupInfo),
            clSetProgramSpecializationConstant: api()
                .clSetProgramSpecializationConstant
                .or(found.clSetProgramSpecializationConstant),
            ..found
        }
    }
}
