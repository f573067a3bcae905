// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A `libOpenCL.so.1` for processes that have none.
//!
//! The CPU adapter gives native handles that are OpenCL objects, and programs call OpenCL on them: they need the
//! functions, not a driver. Each function calls through the dispatch table that a handle begins with, as every ICD loader
//! does. This one looks for no drivers, so it lists no platform: a machine that has drivers has a libOpenCL as well, and
//! the adapter takes that one.

#![allow(
    non_snake_case,
    clippy::missing_safety_doc,
    reason = "these are the functions of OpenCL, with its rules"
)]
#![allow(clippy::too_many_arguments, reason = "the C ABI decides")]

use std::ffi::{c_char, c_void};
use std::ptr;

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::*;

/// The functions of the driver that a handle is from.
///
/// # Safety
/// A handle that is not null must be an OpenCL object.
unsafe fn table<'a>(handle: *mut c_void) -> Option<&'a cl_icd_dispatch> {
    // SAFETY: an OpenCL object begins with the address of the table of its driver.
    unsafe {
        handle
            .cast::<*const cl_icd_dispatch>()
            .as_ref()
            .and_then(|table| table.as_ref())
    }
}

/// Writes functions that answer an error code and call through their first parameter; the code is that of a null handle.
macro_rules! forward {
    ($invalid:ident: $($name:ident($first:ident: $handle:ty $(, $p:ident: $ty:ty)* $(,)?);)*) => { $(
        /// The function of OpenCL.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($first: $handle, $($p: $ty),*) -> cl_int {
            // SAFETY: passed on to the caller.
            unsafe {
                match table($first).map(|table| table.$name) {
                    Some(Some(function)) => function($first, $($p),*),
                    Some(None) => CL_INVALID_OPERATION,
                    None => $invalid,
                }
            }
        }
    )* };
}

/// As [`forward`], of functions that make something: a place for the error is added.
macro_rules! forward_new {
    ($invalid:ident: $($name:ident($first:ident: $handle:ty $(, $p:ident: $ty:ty)* $(,)?);)*) => { $(
        /// The function of OpenCL.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($first: $handle, $($p: $ty,)* error: *mut cl_int) -> *mut c_void {
            // SAFETY: passed on to the caller.
            unsafe {
                match table($first).map(|table| table.$name) {
                    Some(Some(function)) => function($first, $($p,)* error),
                    Some(None) => fail(error, CL_INVALID_OPERATION),
                    None => fail(error, $invalid),
                }
            }
        }
    )* };
}

/// Answers an error of a function that makes something.
///
/// # Safety
/// `place`, unless null, must be writable.
unsafe fn fail(place: *mut cl_int, error: cl_int) -> *mut c_void {
    if !place.is_null() {
        // SAFETY: the caller vouches for it.
        unsafe { place.write(error) };
    }
    ptr::null_mut()
}

type Notify = Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;

/// There is no platform to list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPlatformIDs(
    capacity: cl_uint,
    platforms: *mut cl_platform_id,
    count: *mut cl_uint,
) -> cl_int {
    if (platforms.is_null() && count.is_null()) || (capacity == 0 && !platforms.is_null()) {
        return CL_INVALID_VALUE;
    }
    if !count.is_null() {
        // SAFETY: the caller vouches for it.
        unsafe { count.write(0) };
    }
    CL_PLATFORM_NOT_FOUND_KHR
}

/// There is no compiler to unload.
#[unsafe(no_mangle)]
pub extern "C" fn clUnloadCompiler() -> cl_int {
    CL_SUCCESS
}

/// Functions of extensions belong to platforms.
#[unsafe(no_mangle)]
pub extern "C" fn clGetExtensionFunctionAddress(_name: *const c_char) -> *mut c_void {
    ptr::null_mut()
}

/// The function of OpenCL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: cl_platform_id,
    name: *const c_char,
) -> *mut c_void {
    // SAFETY: passed on to the caller.
    unsafe {
        match table(platform).and_then(|table| table.clGetExtensionFunctionAddressForPlatform) {
            Some(function) => function(platform, name),
            None => ptr::null_mut(),
        }
    }
}

/// The function of OpenCL: of the first device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateContext(
    properties: *const cl_context_properties,
    count: cl_uint,
    devices: *const cl_device_id,
    notify: Notify,
    data: *mut c_void,
    error: *mut cl_int,
) -> cl_context {
    // SAFETY: passed on to the caller.
    unsafe {
        if count == 0 || devices.is_null() {
            return fail(error, CL_INVALID_VALUE);
        }
        match table(devices.read()).map(|table| table.clCreateContext) {
            Some(Some(function)) => function(properties, count, devices, notify, data, error),
            Some(None) => fail(error, CL_INVALID_OPERATION),
            None => fail(error, CL_INVALID_DEVICE),
        }
    }
}

/// The function of OpenCL: of the platform among the properties.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateContextFromType(
    properties: *const cl_context_properties,
    kind: cl_device_type,
    notify: Notify,
    data: *mut c_void,
    error: *mut cl_int,
) -> cl_context {
    // SAFETY: passed on to the caller.
    unsafe {
        let mut at = properties;
        while !at.is_null() && at.read() != 0 {
            let (name, value) = (at.read(), at.add(1).read());
            at = at.add(2);
            if name == CL_CONTEXT_PLATFORM
                && let Some(function) = table(value as *mut c_void).and_then(|table| table.clCreateContextFromType)
            {
                return function(properties, kind, notify, data, error);
            }
        }
        fail(error, CL_INVALID_PLATFORM)
    }
}

/// The function of OpenCL: of the first event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clWaitForEvents(count: cl_uint, events: *const cl_event) -> cl_int {
    // SAFETY: passed on to the caller.
    unsafe {
        if count == 0 || events.is_null() {
            return CL_INVALID_VALUE;
        }
        match table(events.read()).map(|table| table.clWaitForEvents) {
            Some(Some(function)) => function(count, events),
            Some(None) => CL_INVALID_OPERATION,
            None => CL_INVALID_EVENT,
        }
    }
}

/// The function of OpenCL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSVMAlloc(
    context: cl_context,
    flags: cl_svm_mem_flags,
    size: usize,
    align: cl_uint,
) -> *mut c_void {
    // SAFETY: passed on to the caller.
    unsafe {
        match table(context).and_then(|table| table.clSVMAlloc) {
            Some(function) => function(context, flags, size, align),
            None => ptr::null_mut(),
        }
    }
}

/// The function of OpenCL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSVMFree(context: cl_context, address: *mut c_void) {
    // SAFETY: passed on to the caller.
    unsafe {
        if let Some(function) = table(context).and_then(|table| table.clSVMFree) {
            function(context, address);
        }
    }
}

forward! {
    CL_INVALID_PLATFORM:
    clGetPlatformInfo(
        platform: cl_platform_id, query: cl_platform_info, size: usize, value: *mut c_void, needed: *mut usize,
    );
    clGetDeviceIDs(
        platform: cl_platform_id, device_type: cl_device_type, num_entries: cl_uint, devices: *mut cl_device_id,
        num_devices: *mut cl_uint,
    );
    clUnloadPlatformCompiler(platform: cl_platform_id);
}

forward! {
    CL_INVALID_DEVICE:
    clGetDeviceInfo(device: cl_device_id, query: cl_device_info, size: usize, value: *mut c_void, needed: *mut usize);
    clCreateSubDevices(
        in_device: cl_device_id, properties: *const cl_device_partition_property, num_devices: cl_uint, out_devices:
        *mut cl_device_id, num_devices_ret: *mut cl_uint,
    );
    clRetainDevice(device: cl_device_id);
    clReleaseDevice(device: cl_device_id);
    clGetDeviceAndHostTimer(device: cl_device_id, device_timestamp: *mut cl_ulong, host_timestamp: *mut cl_ulong);
    clGetHostTimer(device: cl_device_id, host_timestamp: *mut cl_ulong);
}

forward! {
    CL_INVALID_CONTEXT:
    clRetainContext(context: cl_context);
    clReleaseContext(context: cl_context);
    clGetContextInfo(context: cl_context, query: cl_context_info, size: usize, value: *mut c_void, needed: *mut usize);
    clGetSupportedImageFormats(
        context: cl_context, flags: cl_mem_flags, image_type: cl_mem_object_type, num_entries: cl_uint, image_formats:
        *mut cl_image_format, num_image_formats: *mut cl_uint,
    );
    clSetDefaultDeviceCommandQueue(context: cl_context, device: cl_device_id, queue: cl_command_queue);
    clSetContextDestructorCallback(
        context: cl_context, pfn_notify: Option<unsafe extern "C" fn(cl_context, *mut c_void)>, user_data: *mut c_void,
    );
}

forward! {
    CL_INVALID_COMMAND_QUEUE:
    clRetainCommandQueue(queue: cl_command_queue);
    clReleaseCommandQueue(queue: cl_command_queue);
    clGetCommandQueueInfo(
        queue: cl_command_queue, query: cl_command_queue_info, size: usize, value: *mut c_void, needed: *mut usize,
    );
    clSetCommandQueueProperty(
        queue: cl_command_queue, properties: cl_command_queue_properties, enable: cl_bool, old_properties: *mut
        cl_command_queue_properties,
    );
    clFlush(queue: cl_command_queue);
    clFinish(queue: cl_command_queue);
    clEnqueueReadBuffer(
        queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, offset: usize, size: usize, ptr: *mut c_void,
        num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueWriteBuffer(
        queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool, offset: usize, size: usize, ptr: *const
        c_void, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueCopyBuffer(
        queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize, dst_offset: usize, size:
        usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueReadImage(
        queue: cl_command_queue, image: cl_mem, blocking_read: cl_bool, origin: *const usize, region: *const usize,
        row_pitch: usize, slice_pitch: usize, ptr: *mut c_void, num_events: cl_uint, events: *const cl_event, event:
        *mut cl_event,
    );
    clEnqueueWriteImage(
        queue: cl_command_queue, image: cl_mem, blocking_write: cl_bool, origin: *const usize, region: *const usize,
        input_row_pitch: usize, input_slice_pitch: usize, ptr: *const c_void, num_events: cl_uint, events: *const
        cl_event, event: *mut cl_event,
    );
    clEnqueueCopyImage(
        queue: cl_command_queue, src_image: cl_mem, dst_image: cl_mem, src_origin: *const usize, dst_origin: *const
        usize, region: *const usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueCopyImageToBuffer(
        queue: cl_command_queue, src_image: cl_mem, dst_buffer: cl_mem, src_origin: *const usize, region: *const
        usize, dst_offset: usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueCopyBufferToImage(
        queue: cl_command_queue, src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize, dst_origin: *const usize,
        region: *const usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueUnmapMemObject(
        queue: cl_command_queue, memobj: cl_mem, mapped_ptr: *mut c_void, num_events: cl_uint, events: *const
        cl_event, event: *mut cl_event,
    );
    clEnqueueNDRangeKernel(
        queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize,
        global_work_size: *const usize, local_work_size: *const usize, num_events: cl_uint, events: *const cl_event,
        event: *mut cl_event,
    );
    clEnqueueTask(
        queue: cl_command_queue, kernel: cl_kernel, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueNativeKernel(
        queue: cl_command_queue, user_func: Option<unsafe extern "C" fn(*mut c_void)>, args: *mut c_void, cb_args:
        usize, num_mem_objects: cl_uint, mem_list: *const cl_mem, args_mem_loc: *mut *const c_void, num_events:
        cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueMarker(queue: cl_command_queue, event: *mut cl_event);
    clEnqueueWaitForEvents(queue: cl_command_queue, num_events: cl_uint, event_list: *const cl_event);
    clEnqueueBarrier(queue: cl_command_queue);
    clEnqueueReadBufferRect(
        queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, buffer_origin: *const usize, host_origin:
        *const usize, region: *const usize, buffer_row_pitch: usize, buffer_slice_pitch: usize, host_row_pitch: usize,
        host_slice_pitch: usize, ptr: *mut c_void, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueWriteBufferRect(
        queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool, buffer_origin: *const usize, host_origin:
        *const usize, region: *const usize, buffer_row_pitch: usize, buffer_slice_pitch: usize, host_row_pitch: usize,
        host_slice_pitch: usize, ptr: *const c_void, num_events: cl_uint, events: *const cl_event, event: *mut
        cl_event,
    );
    clEnqueueCopyBufferRect(
        queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_origin: *const usize, dst_origin: *const
        usize, region: *const usize, src_row_pitch: usize, src_slice_pitch: usize, dst_row_pitch: usize,
        dst_slice_pitch: usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueFillBuffer(
        queue: cl_command_queue, buffer: cl_mem, pattern: *const c_void, pattern_size: usize, offset: usize, size:
        usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueFillImage(
        queue: cl_command_queue, image: cl_mem, fill_color: *const c_void, origin: *const usize, region: *const usize,
        num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueMigrateMemObjects(
        queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem, flags: cl_mem_migration_flags,
        num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueMarkerWithWaitList(
        queue: cl_command_queue, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueBarrierWithWaitList(
        queue: cl_command_queue, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueSVMFree(
        queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void, pfn_free_func:
        Option<unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void)>, user_data: *mut
        c_void, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueSVMMemcpy(
        queue: cl_command_queue, blocking_copy: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize,
        num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueSVMMemFill(
        queue: cl_command_queue, svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize,
        num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueSVMMap(
        queue: cl_command_queue, blocking_map: cl_bool, flags: cl_map_flags, svm_ptr: *mut c_void, size: usize,
        num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueSVMUnmap(
        queue: cl_command_queue, svm_ptr: *mut c_void, num_events: cl_uint, events: *const cl_event, event: *mut
        cl_event,
    );
    clEnqueueSVMMigrateMem(
        queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *const c_void, sizes: *const usize,
        flags: cl_mem_migration_flags, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
}

forward! {
    CL_INVALID_MEM_OBJECT:
    clRetainMemObject(memobj: cl_mem);
    clReleaseMemObject(memobj: cl_mem);
    clGetMemObjectInfo(memobj: cl_mem, query: cl_mem_info, size: usize, value: *mut c_void, needed: *mut usize);
    clGetImageInfo(image: cl_mem, query: cl_image_info, size: usize, value: *mut c_void, needed: *mut usize);
    clSetMemObjectDestructorCallback(
        memobj: cl_mem, pfn_notify: Option<unsafe extern "C" fn(cl_mem, *mut c_void)>, user_data: *mut c_void,
    );
    clGetPipeInfo(pipe: cl_mem, query: cl_pipe_info, size: usize, value: *mut c_void, needed: *mut usize);
}

forward! {
    CL_INVALID_SAMPLER:
    clRetainSampler(sampler: cl_sampler);
    clReleaseSampler(sampler: cl_sampler);
    clGetSamplerInfo(sampler: cl_sampler, query: cl_sampler_info, size: usize, value: *mut c_void, needed: *mut usize);
}

forward! {
    CL_INVALID_PROGRAM:
    clRetainProgram(program: cl_program);
    clReleaseProgram(program: cl_program);
    clBuildProgram(
        program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char,
        pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>, user_data: *mut c_void,
    );
    clGetProgramInfo(program: cl_program, query: cl_program_info, size: usize, value: *mut c_void, needed: *mut usize);
    clGetProgramBuildInfo(
        program: cl_program, device: cl_device_id, query: cl_program_build_info, size: usize, value: *mut c_void,
        needed: *mut usize,
    );
    clCreateKernelsInProgram(
        program: cl_program, num_kernels: cl_uint, kernels: *mut cl_kernel, num_kernels_ret: *mut cl_uint,
    );
    clCompileProgram(
        program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char,
        num_input_headers: cl_uint, input_headers: *const cl_program, header_include_names: *mut *const c_char,
        pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>, user_data: *mut c_void,
    );
    clSetProgramReleaseCallback(
        program: cl_program, pfn_notify: Option<unsafe extern "C" fn(cl_program, *mut c_void)>, user_data: *mut c_void,
    );
    clSetProgramSpecializationConstant(
        program: cl_program, spec_id: cl_uint, spec_size: usize, spec_value: *const c_void,
    );
}

forward! {
    CL_INVALID_KERNEL:
    clRetainKernel(kernel: cl_kernel);
    clReleaseKernel(kernel: cl_kernel);
    clSetKernelArg(kernel: cl_kernel, arg_index: cl_uint, arg_size: usize, arg_value: *const c_void);
    clGetKernelInfo(kernel: cl_kernel, query: cl_kernel_info, size: usize, value: *mut c_void, needed: *mut usize);
    clGetKernelWorkGroupInfo(
        kernel: cl_kernel, device: cl_device_id, query: cl_kernel_work_group_info, size: usize, value: *mut c_void,
        needed: *mut usize,
    );
    clGetKernelArgInfo(
        kernel: cl_kernel, arg_index: cl_uint, query: cl_kernel_arg_info, size: usize, value: *mut c_void, needed:
        *mut usize,
    );
    clSetKernelArgSVMPointer(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void);
    clSetKernelExecInfo(kernel: cl_kernel, query: cl_kernel_exec_info, size: usize, value: *const c_void);
    clGetKernelSubGroupInfo(
        kernel: cl_kernel, device: cl_device_id, query: cl_kernel_sub_group_info, input_value_size: usize,
        input_value: *const c_void, size: usize, value: *mut c_void, needed: *mut usize,
    );
}

forward! {
    CL_INVALID_EVENT:
    clGetEventInfo(event: cl_event, query: cl_event_info, size: usize, value: *mut c_void, needed: *mut usize);
    clRetainEvent(event: cl_event);
    clReleaseEvent(event: cl_event);
    clGetEventProfilingInfo(
        event: cl_event, query: cl_profiling_info, size: usize, value: *mut c_void, needed: *mut usize,
    );
    clSetEventCallback(
        event: cl_event, command_exec_callback_type: cl_int, pfn_notify: Option<unsafe extern "C" fn(cl_event, cl_int,
        *mut c_void)>, user_data: *mut c_void,
    );
    clSetUserEventStatus(event: cl_event, execution_status: cl_int);
}

forward_new! {
    CL_INVALID_CONTEXT:
    clCreateCommandQueue(context: cl_context, device: cl_device_id, properties: cl_command_queue_properties);
    clCreateBuffer(context: cl_context, flags: cl_mem_flags, size: usize, host_ptr: *mut c_void);
    clCreateImage2D(
        context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format, image_width: usize,
        image_height: usize, image_row_pitch: usize, host_ptr: *mut c_void,
    );
    clCreateImage3D(
        context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format, image_width: usize,
        image_height: usize, image_depth: usize, image_row_pitch: usize, image_slice_pitch: usize, host_ptr: *mut
        c_void,
    );
    clCreateSampler(
        context: cl_context, normalized_coords: cl_bool, addressing_mode: cl_addressing_mode, filter_mode:
        cl_filter_mode,
    );
    clCreateProgramWithSource(context: cl_context, count: cl_uint, strings: *mut *const c_char, lengths: *const usize);
    clCreateProgramWithBinary(
        context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, lengths: *const usize, binaries:
        *mut *const ::core::ffi::c_uchar, binary_status: *mut cl_int,
    );
    clCreateUserEvent(context: cl_context);
    clCreateImage(
        context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format, image_desc: *const
        cl_image_desc, host_ptr: *mut c_void,
    );
    clCreateProgramWithBuiltInKernels(
        context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, kernel_names: *const c_char,
    );
    clLinkProgram(
        context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char,
        num_input_programs: cl_uint, input_programs: *const cl_program, pfn_notify: Option<unsafe extern "C"
        fn(cl_program, *mut c_void)>, user_data: *mut c_void,
    );
    clCreateCommandQueueWithProperties(
        context: cl_context, device: cl_device_id, properties: *const cl_queue_properties,
    );
    clCreatePipe(
        context: cl_context, flags: cl_mem_flags, pipe_packet_size: cl_uint, pipe_max_packets: cl_uint, properties:
        *const cl_pipe_properties,
    );
    clCreateSamplerWithProperties(context: cl_context, sampler_properties: *const cl_sampler_properties);
    clCreateProgramWithIL(context: cl_context, il: *const c_void, length: usize);
    clCreateBufferWithProperties(
        context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags, size: usize, host_ptr: *mut
        c_void,
    );
    clCreateImageWithProperties(
        context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags, image_format: *const
        cl_image_format, image_desc: *const cl_image_desc, host_ptr: *mut c_void,
    );
}

forward_new! {
    CL_INVALID_PROGRAM:
    clCreateKernel(program: cl_program, kernel_name: *const c_char);
}

forward_new! {
    CL_INVALID_COMMAND_QUEUE:
    clEnqueueMapBuffer(
        queue: cl_command_queue, buffer: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags, offset: usize, size:
        usize, num_events: cl_uint, events: *const cl_event, event: *mut cl_event,
    );
    clEnqueueMapImage(
        queue: cl_command_queue, image: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags, origin: *const usize,
        region: *const usize, image_row_pitch: *mut usize, image_slice_pitch: *mut usize, num_events: cl_uint, events:
        *const cl_event, event: *mut cl_event,
    );
}

forward_new! {
    CL_INVALID_MEM_OBJECT:
    clCreateSubBuffer(
        buffer: cl_mem, flags: cl_mem_flags, buffer_create_type: cl_buffer_create_type, buffer_create_info: *const
        c_void,
    );
}

forward_new! {
    CL_INVALID_KERNEL:
    clCloneKernel(source_kernel: cl_kernel);
}
