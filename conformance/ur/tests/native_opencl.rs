// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Native handles of the backend OpenCL: OpenCL objects, on which clients call OpenCL. An ICD loader calls through the
//! table that the first word of each points to, and so do these tests.

use std::ffi::{CStr, c_void};
use std::mem::size_of;
use std::ptr::{null, null_mut};

use opencl_sys::cl_function_types::clGetDeviceInfo_fn;
use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::*;
use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Context, Kernel, Platform, Queue, Range, Usm};
use oxur_conformance::{Rig, expect, intel, loader, spirv, ur, values};

/// Calls an OpenCL function through the table of a handle.
macro_rules! cl {
    ($handle:expr => $name:ident($($argument:expr),* $(,)?)) => {{
        let function = table($handle).$name.expect(concat!("the driver has ", stringify!($name)));
        // SAFETY: live handles, or ones that the driver is to refuse, and places of the right sizes.
        unsafe { function($($argument),*) }
    }};
}

/// The functions of the driver that a handle is from.
fn table(handle: *mut c_void) -> &'static cl_icd_dispatch {
    assert!(!handle.is_null());
    // SAFETY: an OpenCL object begins with the address of a table that lives as long as the driver.
    unsafe { &**handle.cast::<*const cl_icd_dispatch>() }
}

/// Native handles, as OpenCL calls them.
struct Natives {
    rig: Rig,
    platform: cl_platform_id,
    device: cl_device_id,
    context: cl_context,
    queue: cl_command_queue,
}

impl Natives {
    /// None where the platform is no OpenCL.
    fn new() -> Option<Self> {
        let rig = Rig::new();
        let backend: Backend = rig.platform.info(PlatformInfo::BACKEND).expect("the backend");
        if backend != Backend::OPENCL {
            println!("the platform is of {backend:?}");
            return None;
        }
        let platform = rig.platform.native().expect("urPlatformGetNativeHandle") as cl_platform_id;
        let device = rig.device.native().expect("urDeviceGetNativeHandle") as cl_device_id;
        let context = rig.context.native().expect("urContextGetNativeHandle") as cl_context;
        let queue = rig.queue.native().expect("urQueueGetNativeHandle") as cl_command_queue;
        Some(Self {
            rig,
            platform,
            device,
            context,
            queue,
        })
    }

    /// Whether it is the CPU adapter, which has no driver.
    fn is_cpu_adapter(&self) -> bool {
        name(&self.rig.platform) == "oxur CPU"
    }
}

fn name(platform: &Platform) -> String {
    platform.info(PlatformInfo::NAME).expect("the name")
}

/// The bytes that a query answers.
fn bytes(ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Vec<u8> {
    let mut size = 0;
    assert_eq!(ask(0, null_mut(), &mut size), CL_SUCCESS, "the size");
    let mut answer = vec![0u8; size];
    let mut again = 0;
    if size != 0 {
        assert_eq!(
            ask(size, answer.as_mut_ptr().cast(), &mut again),
            CL_SUCCESS,
            "the value"
        );
        assert_eq!(again, size);
    }
    answer
}

/// The value that a query answers.
fn value<T: Copy>(ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> T {
    let answer = bytes(ask);
    assert_eq!(answer.len(), size_of::<T>());
    // SAFETY: enough bytes of a plain number or pointer.
    unsafe { answer.as_ptr().cast::<T>().read_unaligned() }
}

fn device_value<T: Copy>(natives: &Natives, query: cl_device_info) -> T {
    let device = natives.device;
    value(|size, to, needed| cl!(device => clGetDeviceInfo(device, query, size, to, needed)))
}

fn device_bytes(natives: &Natives, query: cl_device_info) -> Vec<u8> {
    let device = natives.device;
    bytes(|size, to, needed| cl!(device => clGetDeviceInfo(device, query, size, to, needed)))
}

fn text(bytes: Vec<u8>) -> String {
    let text = CStr::from_bytes_with_nul(&bytes).expect("a string with one zero at its end");
    text.to_str().expect("UTF-8").to_owned()
}

#[test]
fn objects_name_each_other() {
    let Some(natives) = Natives::new() else { return };
    let Natives {
        platform,
        device,
        context,
        queue,
        ..
    } = natives;
    assert_eq!(device_value::<cl_platform_id>(&natives, CL_DEVICE_PLATFORM), platform);
    let devices: cl_device_id =
        value(|size, to, needed| cl!(context => clGetContextInfo(context, CL_CONTEXT_DEVICES, size, to, needed)));
    assert_eq!(devices, device);
    let of: cl_context =
        value(|size, to, needed| cl!(queue => clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, size, to, needed)));
    assert_eq!(of, context);
    let of: cl_device_id =
        value(|size, to, needed| cl!(queue => clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, size, to, needed)));
    assert_eq!(of, device);
    let (mut found, mut count) = (null_mut(), 0);
    let listed = cl!(platform => clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &mut found, &mut count));
    assert_eq!((listed, found, count), (CL_SUCCESS, device, 1));
    let none = cl!(platform => clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &mut found, &mut count));
    assert_eq!(none, CL_DEVICE_NOT_FOUND);
}

#[test]
fn a_handle_is_the_same_each_time() {
    let Some(natives) = Natives::new() else { return };
    let rig = &natives.rig;
    assert_eq!(rig.device.native().expect("again") as cl_device_id, natives.device);
    assert_eq!(rig.context.native().expect("again") as cl_context, natives.context);
    let mut device = DeviceHandle::default();
    let native = natives.device as NativeHandle;
    expect!(
        ur!(urDeviceCreateWithNativeHandle(
            native,
            rig.adapter.raw(),
            null(),
            &mut device
        )),
        SUCCESS
    );
    assert_eq!(device, rig.device.raw());
    expect!(ur!(urDeviceRelease(device)), SUCCESS);
}

/// The queries of OpenCL 3.0 and the sizes of their answers; 0 is any size.
const DEVICE_QUERIES: &[(cl_device_info, usize)] = &[
    (CL_DEVICE_TYPE, 8),
    (CL_DEVICE_VENDOR_ID, 4),
    (CL_DEVICE_MAX_COMPUTE_UNITS, 4),
    (CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 4),
    (CL_DEVICE_MAX_WORK_ITEM_SIZES, 24),
    (CL_DEVICE_MAX_WORK_GROUP_SIZE, 8),
    (CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 4),
    (CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 4),
    (CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4),
    (CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 4),
    (CL_DEVICE_MAX_CLOCK_FREQUENCY, 4),
    (CL_DEVICE_ADDRESS_BITS, 4),
    (CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8),
    (CL_DEVICE_IMAGE_SUPPORT, 4),
    (CL_DEVICE_MAX_READ_IMAGE_ARGS, 4),
    (CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 4),
    (CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 4),
    (CL_DEVICE_IL_VERSION, 0),
    (CL_DEVICE_ILS_WITH_VERSION, 0),
    (CL_DEVICE_IMAGE2D_MAX_WIDTH, 8),
    (CL_DEVICE_IMAGE3D_MAX_DEPTH, 8),
    (CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 8),
    (CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 8),
    (CL_DEVICE_MAX_SAMPLERS, 4),
    (CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 4),
    (CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 4),
    (CL_DEVICE_MAX_PIPE_ARGS, 4),
    (CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 4),
    (CL_DEVICE_PIPE_MAX_PACKET_SIZE, 4),
    (CL_DEVICE_MAX_PARAMETER_SIZE, 8),
    (CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4),
    (CL_DEVICE_SINGLE_FP_CONFIG, 8),
    (CL_DEVICE_DOUBLE_FP_CONFIG, 8),
    (CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, 4),
    (CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4),
    (CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8),
    (CL_DEVICE_GLOBAL_MEM_SIZE, 8),
    (CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 8),
    (CL_DEVICE_MAX_CONSTANT_ARGS, 4),
    (CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, 8),
    (CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, 8),
    (CL_DEVICE_LOCAL_MEM_TYPE, 4),
    (CL_DEVICE_LOCAL_MEM_SIZE, 8),
    (CL_DEVICE_ERROR_CORRECTION_SUPPORT, 4),
    (CL_DEVICE_PROFILING_TIMER_RESOLUTION, 8),
    (CL_DEVICE_ENDIAN_LITTLE, 4),
    (CL_DEVICE_AVAILABLE, 4),
    (CL_DEVICE_COMPILER_AVAILABLE, 4),
    (CL_DEVICE_LINKER_AVAILABLE, 4),
    (CL_DEVICE_EXECUTION_CAPABILITIES, 8),
    (CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, 8),
    (CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 8),
    (CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 4),
    (CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 4),
    (CL_DEVICE_MAX_ON_DEVICE_QUEUES, 4),
    (CL_DEVICE_MAX_ON_DEVICE_EVENTS, 4),
    (CL_DEVICE_BUILT_IN_KERNELS, 0),
    (CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, 0),
    (CL_DEVICE_PLATFORM, 8),
    (CL_DEVICE_NAME, 0),
    (CL_DEVICE_VENDOR, 0),
    (CL_DRIVER_VERSION, 0),
    (CL_DEVICE_PROFILE, 0),
    (CL_DEVICE_VERSION, 0),
    (CL_DEVICE_NUMERIC_VERSION, 4),
    (CL_DEVICE_OPENCL_C_VERSION, 0),
    (CL_DEVICE_OPENCL_C_ALL_VERSIONS, 0),
    (CL_DEVICE_OPENCL_C_FEATURES, 0),
    (CL_DEVICE_EXTENSIONS, 0),
    (CL_DEVICE_EXTENSIONS_WITH_VERSION, 0),
    (CL_DEVICE_PRINTF_BUFFER_SIZE, 8),
    (CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, 4),
    (CL_DEVICE_PARENT_DEVICE, 8),
    (CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 4),
    (CL_DEVICE_PARTITION_PROPERTIES, 0),
    (CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 8),
    (CL_DEVICE_REFERENCE_COUNT, 4),
    (CL_DEVICE_SVM_CAPABILITIES, 8),
    (CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 4),
    (CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 4),
    (CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 4),
    (CL_DEVICE_MAX_NUM_SUB_GROUPS, 4),
    (CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, 4),
    (CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, 8),
    (CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, 8),
    (CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, 4),
    (CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, 4),
    (CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, 4),
    (CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 8),
    (CL_DEVICE_PIPE_SUPPORT, 4),
    (CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 8),
    (CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, 0),
    (CL_DEVICE_SUB_GROUP_SIZES_INTEL, 0),
];

#[test]
fn device_queries_have_the_types_of_opencl() {
    let Some(natives) = Natives::new() else { return };
    for (query, size) in DEVICE_QUERIES {
        let answer = device_bytes(&natives, *query);
        assert!(
            *size == 0 || answer.len() == *size,
            "{query:#x} has {} bytes",
            answer.len()
        );
    }
}

#[test]
fn device_queries_agree_with_those_of_ur() {
    let Some(natives) = Natives::new() else { return };
    let device = &natives.rig.device;
    let strings = [
        (CL_DEVICE_NAME, DeviceInfo::NAME),
        (CL_DEVICE_VENDOR, DeviceInfo::VENDOR),
        (CL_DEVICE_VERSION, DeviceInfo::VERSION),
        (CL_DEVICE_IL_VERSION, DeviceInfo::IL_VERSION),
    ];
    for (query, same) in strings {
        assert_eq!(
            text(device_bytes(&natives, query)),
            device.info::<String>(same).expect("a string")
        );
    }
    assert!(text(device_bytes(&natives, CL_DEVICE_VERSION)).starts_with("OpenCL 3."));
    assert_eq!(
        device_value::<cl_device_type>(&natives, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU,
        CL_DEVICE_TYPE_CPU
    );
    let numbers = [
        (CL_DEVICE_MAX_COMPUTE_UNITS, DeviceInfo::MAX_COMPUTE_UNITS),
        (CL_DEVICE_VENDOR_ID, DeviceInfo::VENDOR_ID),
        (CL_DEVICE_ADDRESS_BITS, DeviceInfo::ADDRESS_BITS),
        (CL_DEVICE_MAX_NUM_SUB_GROUPS, DeviceInfo::MAX_NUM_SUB_GROUPS),
        (CL_DEVICE_MEM_BASE_ADDR_ALIGN, DeviceInfo::MEM_BASE_ADDR_ALIGN),
    ];
    for (query, same) in numbers {
        let answer = device_bytes(&natives, query);
        assert_eq!(
            answer,
            device.info::<u32>(same).expect("a number").to_ne_bytes(),
            "{query:#x}"
        );
    }
    assert_eq!(
        device_value::<usize>(&natives, CL_DEVICE_MAX_WORK_GROUP_SIZE),
        device.info::<usize>(DeviceInfo::MAX_WORK_GROUP_SIZE).expect("a size")
    );
    assert!(
        (device_value::<cl_device_id>(&natives, CL_DEVICE_PARENT_DEVICE)).is_null(),
        "it is a root device"
    );
}

#[test]
fn the_protocol_of_sizes() {
    let Some(natives) = Natives::new() else { return };
    let device = natives.device;
    let mut units = [0u32; 4];
    let (to, mut needed) = (units.as_mut_ptr().cast::<c_void>(), 0);
    let ask = |size, to, needed| cl!(device => clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, size, to, needed));
    assert_eq!(ask(3, to, &mut needed), CL_INVALID_VALUE, "too small");
    assert_eq!(ask(16, to, null_mut()), CL_SUCCESS, "larger");
    assert_eq!(ask(16, to, &mut needed), CL_SUCCESS);
    assert_eq!((needed, &units[1..]), (4, &[0; 3][..]));
    assert!(units[0] > 0);
    let unknown = cl!(device => clGetDeviceInfo(device, 0xdead, 16, to, null_mut()));
    assert_eq!(unknown, CL_INVALID_VALUE);
}

fn references(context: cl_context) -> u32 {
    value(|size, to, needed| cl!(context => clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, size, to, needed)))
}

#[test]
fn references_are_counted() {
    let Some(natives) = Natives::new() else { return };
    let context = natives.context;
    let before = references(context);
    assert_eq!(cl!(context => clRetainContext(context)), CL_SUCCESS);
    assert_eq!(references(context), before + 1);
    assert_eq!(cl!(context => clReleaseContext(context)), CL_SUCCESS);
    assert_eq!(references(context), before);
}

#[test]
fn a_reference_keeps_an_object() {
    let Some(natives) = Natives::new() else { return };
    let other = Context::new(&[&natives.rig.device]).expect("urContextCreate");
    let context = other.native().expect("the handle") as cl_context;
    assert_eq!(cl!(context => clRetainContext(context)), CL_SUCCESS);
    drop(other);
    let count: u32 =
        value(|size, to, needed| cl!(context => clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, size, to, needed)));
    assert_eq!(count, 1);
    assert_eq!(references(context), 1);
    assert_eq!(cl!(context => clReleaseContext(context)), CL_SUCCESS);
}

/// A context that OpenCL made.
fn cl_context(natives: &Natives) -> cl_context {
    let (device, mut error) = (natives.device, 1);
    let properties = [CL_CONTEXT_PLATFORM, natives.platform as cl_context_properties, 0];
    let made = cl!(device => clCreateContext(properties.as_ptr(), 1, &device, None, null_mut(), &mut error));
    assert_eq!(error, CL_SUCCESS);
    made
}

/// UR's context of one that OpenCL made.
fn ur_context(natives: &Natives, native: cl_context, owned: bool) -> Context {
    let properties = ContextNativeProperties {
        isNativeHandleOwned: owned,
        ..Default::default()
    };
    let (adapter, device) = (natives.rig.adapter.raw(), natives.rig.device.raw());
    let mut context = ContextHandle::default();
    let native = native as NativeHandle;
    expect!(
        ur!(urContextCreateWithNativeHandle(
            native,
            adapter,
            1,
            &device,
            &properties,
            &mut context
        )),
        SUCCESS
    );
    // SAFETY: a new context with one reference.
    unsafe { Context::from_raw(loader(), context) }
}

#[test]
fn who_owns_a_native_context() {
    let Some(natives) = Natives::new() else { return };
    // UR takes the reference over: that of the context is the only one.
    let made = cl_context(&natives);
    let context = ur_context(&natives, made, true);
    assert_eq!(context.native().expect("the handle") as cl_context, made);
    assert_eq!(references(made), 1);
    let queue = Queue::new(&context, &natives.rig.device, QueueFlags::empty()).expect("urQueueCreate");
    queue.finish().expect("urQueueFinish");
    drop((queue, context));
    // UR has a reference of its own, and OpenCL's is left.
    let made = cl_context(&natives);
    let context = ur_context(&natives, made, false);
    let intel = intel("the adapter relies on the client's reference");
    assert_eq!(references(made), if intel { 1 } else { 2 });
    drop(context);
    assert_eq!(references(made), 1);
    assert_eq!(cl!(made => clReleaseContext(made)), CL_SUCCESS);
}

#[test]
fn a_program_made_by_opencl() {
    let Some(natives) = Natives::new() else { return };
    let Natives {
        ref rig,
        device,
        context,
        queue,
        ..
    } = natives;
    let il = spirv("basic");
    let mut error = 1;
    let program = cl!(context => clCreateProgramWithIL(context, il.as_ptr().cast(), il.len(), &mut error));
    assert_eq!(error, CL_SUCCESS);
    assert_eq!(
        cl!(program => clBuildProgram(program, 1, &device, c"".as_ptr(), None, null_mut())),
        CL_SUCCESS
    );
    let status: cl_build_status = value(
        |size, to, needed| cl!(program => clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, size, to, needed)),
    );
    assert_eq!(status, CL_BUILD_SUCCESS);
    let kernel = cl!(program => clCreateKernel(program, c"fill".as_ptr(), &mut error));
    assert_eq!(error, CL_SUCCESS);
    let none = cl!(program => clCreateKernel(program, c"no such kernel".as_ptr(), &mut error));
    assert_eq!((none, error), (null_mut(), CL_INVALID_KERNEL_NAME));
    let arguments: u32 =
        value(|size, to, needed| cl!(kernel => clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, size, to, needed)));
    assert_eq!(arguments, 2);

    let data = rig.buffer(&[0i32; 8]);
    let mem = data.native(Some(&rig.device)).expect("urMemGetNativeHandle") as cl_mem;
    let size: usize = value(|size, to, needed| cl!(mem => clGetMemObjectInfo(mem, CL_MEM_SIZE, size, to, needed)));
    assert_eq!(size, 32);
    let number = 5i32;
    assert_eq!(
        cl!(kernel => clSetKernelArg(kernel, 0, 8, (&raw const mem).cast())),
        CL_SUCCESS
    );
    assert_eq!(
        cl!(kernel => clSetKernelArg(kernel, 1, 4, (&raw const number).cast())),
        CL_SUCCESS
    );
    assert_eq!(
        cl!(kernel => clSetKernelArg(kernel, 2, 4, (&raw const number).cast())),
        CL_INVALID_ARG_INDEX
    );
    let mut event = null_mut();
    let global = 8usize;
    let launched = cl!(queue => clEnqueueNDRangeKernel(
        queue, kernel, 1, null(), &global, null(), 0, null(), &mut event
    ));
    assert_eq!(launched, CL_SUCCESS);
    assert_eq!(cl!(event => clWaitForEvents(1, &event)), CL_SUCCESS);
    let kind: u32 =
        value(|size, to, needed| cl!(event => clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, size, to, needed)));
    assert_eq!(kind, CL_COMMAND_NDRANGE_KERNEL);
    let mut read = [0i32; 8];
    let to = read.as_mut_ptr().cast();
    let wait = cl!(queue => clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 32, to, 1, &event, null_mut()));
    assert_eq!((wait, read), (CL_SUCCESS, [5; 8]));
    assert_eq!(cl!(event => clReleaseEvent(event)), CL_SUCCESS);

    // And UR launches what OpenCL made.
    let properties = ProgramNativeProperties {
        isNativeHandleOwned: true,
        ..Default::default()
    };
    let mut handle = ProgramHandle::default();
    let native = program as NativeHandle;
    expect!(
        ur!(urProgramCreateWithNativeHandle(
            native,
            rig.context.raw(),
            &properties,
            &mut handle
        )),
        SUCCESS
    );
    let properties = KernelNativeProperties {
        isNativeHandleOwned: true,
        ..Default::default()
    };
    let mut wrapped = KernelHandle::default();
    let native = kernel as NativeHandle;
    let context = rig.context.raw();
    expect!(
        ur!(urKernelCreateWithNativeHandle(
            native,
            context,
            handle,
            &properties,
            &mut wrapped
        )),
        SUCCESS
    );
    // SAFETY: a new kernel with one reference.
    let wrapped = unsafe { Kernel::from_raw(loader(), wrapped) };
    let shared: Usm = rig.shared(&[0i32; 8]);
    rig.run(
        &wrapped,
        &Range::new([8]),
        &[Arg::Pointer(shared.ptr()), Arg::value(&6i32)],
    );
    assert_eq!(values::<i32>(&shared), [6; 8]);
    expect!(ur!(urProgramRelease(handle)), SUCCESS);
}

#[test]
fn programs_of_opencl_c() {
    let Some(natives) = Natives::new() else { return };
    let (context, mut error) = (natives.context, 1);
    let mut source = c"kernel void f(global int* a) { a[0] = 1; }".as_ptr();
    let program = cl!(context => clCreateProgramWithSource(context, 1, &mut source, null(), &mut error));
    if natives.is_cpu_adapter() {
        // It has no compiler of OpenCL C, and says so.
        assert_eq!((program, error), (null_mut(), CL_COMPILER_NOT_AVAILABLE));
        assert_eq!(
            device_value::<cl_bool>(&natives, CL_DEVICE_COMPILER_AVAILABLE),
            CL_FALSE
        );
    } else {
        assert_eq!(error, CL_SUCCESS);
        assert_eq!(cl!(program => clReleaseProgram(program)), CL_SUCCESS);
    }
}

#[test]
fn what_is_no_handle() {
    let Some(natives) = Natives::new() else { return };
    let Natives {
        device, context, queue, ..
    } = natives;
    let mut answer = [0u8; 64];
    let to = answer.as_mut_ptr().cast::<c_void>();
    for other in [null_mut(), context, queue] {
        let asked = cl!(device => clGetDeviceInfo(other, CL_DEVICE_TYPE, 64, to, null_mut()));
        assert_eq!(asked, CL_INVALID_DEVICE);
        assert_eq!(cl!(device => clRetainDevice(other)), CL_INVALID_DEVICE);
    }
    for other in [null_mut(), device, queue] {
        let asked = cl!(device => clGetContextInfo(other, CL_CONTEXT_DEVICES, 64, to, null_mut()));
        assert_eq!(asked, CL_INVALID_CONTEXT);
    }
    for other in [null_mut(), device, context] {
        assert_eq!(cl!(device => clFinish(other)), CL_INVALID_COMMAND_QUEUE);
    }
}

#[test]
fn native_handles_of_others() {
    let Some(natives) = Natives::new() else { return };
    if !natives.is_cpu_adapter() {
        return println!("drivers believe what they are given");
    }
    let rig = &natives.rig;
    let mut fake = [0usize; 16];
    for other in [0, fake.as_mut_ptr() as NativeHandle, natives.context as NativeHandle] {
        let mut device = DeviceHandle::default();
        let adapter = rig.adapter.raw();
        expect!(
            ur!(urDeviceCreateWithNativeHandle(other, adapter, null(), &mut device)),
            ERROR_INVALID_DEVICE
        );
    }
    let properties = KernelNativeProperties::default();
    let (native, context) = (natives.device as NativeHandle, rig.context.raw());
    let mut kernel = KernelHandle::default();
    expect!(
        ur!(urKernelCreateWithNativeHandle(
            native,
            context,
            ProgramHandle::default(),
            &properties,
            &mut kernel
        )),
        ERROR_INVALID_KERNEL
    );
}

/// What ICD loaders call without a look is refused, not missing.
#[test]
fn every_function_is_there() {
    let Some(natives) = Natives::new() else { return };
    if !natives.is_cpu_adapter() {
        return println!("what another driver has is its own");
    }
    let table: *const cl_icd_dispatch = table(natives.device);
    let count = size_of::<cl_icd_dispatch>() / size_of::<usize>();
    // SAFETY: the table is an array of function pointers; the last slot is of a version that the headers here do not have.
    let slots = unsafe { std::slice::from_raw_parts(table.cast::<usize>(), count - 1) };
    assert!(slots.iter().all(|slot| *slot != 0), "{slots:x?}");
    let (context, mut error) = (natives.context, 1);
    assert!(cl!(context => clCreateUserEvent(context, &mut error)).is_null());
    assert_eq!(error, CL_INVALID_OPERATION);
}

/// The client's libOpenCL calls through the handles, whichever it is.
#[test]
fn through_libopencl() {
    let Some(natives) = Natives::new() else { return };
    // SAFETY: nothing is loaded that is not there already, and the function is OpenCL's.
    unsafe {
        let library = libc::dlopen(c"libOpenCL.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD);
        assert!(!library.is_null(), "who has native handles has a libOpenCL to call");
        let ask: clGetDeviceInfo_fn = std::mem::transmute(libc::dlsym(library, c"clGetDeviceInfo".as_ptr()));
        let ask = ask.expect("clGetDeviceInfo");
        let (mut units, mut needed) = (0u32, 0);
        let device = natives.device;
        let asked = ask(
            device,
            CL_DEVICE_MAX_COMPUTE_UNITS,
            4,
            (&raw mut units).cast(),
            &mut needed,
        );
        assert_eq!((asked, needed), (CL_SUCCESS, 4));
        assert_eq!(
            units,
            natives
                .rig
                .device
                .info::<u32>(DeviceInfo::MAX_COMPUTE_UNITS)
                .expect("a number")
        );
        assert_eq!(
            ask(null_mut(), CL_DEVICE_TYPE, 0, null_mut(), &mut needed),
            CL_INVALID_DEVICE
        );
    }
}

#[test]
fn sub_devices() {
    let Some(natives) = Natives::new() else { return };
    let device = natives.device;
    if device_value::<cl_uint>(&natives, CL_DEVICE_PARTITION_MAX_SUB_DEVICES) < 2 {
        return println!("the device cannot be divided");
    }
    let by_one = [CL_DEVICE_PARTITION_EQUALLY, 1, 0];
    let (mut parts, mut count) = ([null_mut(); 256], 0);
    let made = cl!(device => clCreateSubDevices(device, by_one.as_ptr(), 256, parts.as_mut_ptr(), &mut count));
    assert_eq!(made, CL_SUCCESS);
    assert_eq!(count, device_value::<cl_uint>(&natives, CL_DEVICE_MAX_COMPUTE_UNITS));
    let part = parts[0];
    let ask = |query| bytes(|size, to, needed| cl!(part => clGetDeviceInfo(part, query, size, to, needed)));
    assert_eq!(ask(CL_DEVICE_PARENT_DEVICE), (device as usize).to_ne_bytes());
    assert_eq!(ask(CL_DEVICE_MAX_COMPUTE_UNITS), 1u32.to_ne_bytes());
    assert_eq!(ask(CL_DEVICE_REFERENCE_COUNT), 1u32.to_ne_bytes());
    let made_by: Vec<u8> = by_one.iter().flat_map(|value| value.to_ne_bytes()).collect();
    assert_eq!(ask(CL_DEVICE_PARTITION_TYPE), made_by);
    for part in &parts[..count as usize] {
        assert_eq!(cl!(device => clReleaseDevice(*part)), CL_SUCCESS);
    }
    let none = [CL_DEVICE_PARTITION_EQUALLY, 0, 0];
    let made = cl!(device => clCreateSubDevices(device, none.as_ptr(), 256, parts.as_mut_ptr(), &mut count));
    let refused = [
        CL_INVALID_DEVICE_PARTITION_COUNT,
        CL_INVALID_VALUE,
        CL_DEVICE_PARTITION_FAILED,
    ];
    assert!(refused.contains(&made), "{made}");
}

/// `ur_device_native_properties_t`: `isNativeHandleOwned` hands the reference over to UR.
#[test]
fn who_owns_a_native_sub_device() {
    let Some(natives) = Natives::new() else { return };
    let (device, by_one) = (natives.device, [CL_DEVICE_PARTITION_EQUALLY, 1, 0]);
    let (mut parts, mut count) = ([null_mut(); 256], 0);
    let made = cl!(device => clCreateSubDevices(device, by_one.as_ptr(), 256, parts.as_mut_ptr(), &mut count));
    if made != CL_SUCCESS {
        return println!("the device cannot be divided");
    }
    let part = parts[0];
    let references = || -> cl_uint {
        value(|size, to, needed| cl!(part => clGetDeviceInfo(part, CL_DEVICE_REFERENCE_COUNT, size, to, needed)))
    };
    assert_eq!(cl!(part => clRetainDevice(part)), CL_SUCCESS);
    for owned in [false, true] {
        let properties = DeviceNativeProperties {
            isNativeHandleOwned: owned,
            ..Default::default()
        };
        let (adapter, mut wrapped) = (natives.rig.adapter.raw(), DeviceHandle::default());
        let native = part as NativeHandle;
        expect!(
            ur!(urDeviceCreateWithNativeHandle(
                native,
                adapter,
                &properties,
                &mut wrapped
            )),
            SUCCESS
        );
        expect!(ur!(urDeviceRelease(wrapped)), SUCCESS);
        assert_eq!(references(), if owned { 1 } else { 2 }, "owned: {owned}");
    }
    for part in &parts[..count as usize] {
        assert_eq!(cl!(device => clReleaseDevice(*part)), CL_SUCCESS);
    }
}

/// The address of a function of an extension.
fn extension(natives: &Natives, name: &CStr) -> *mut c_void {
    let platform = natives.platform;
    cl!(platform => clGetExtensionFunctionAddressForPlatform(platform, name.as_ptr()))
}

#[test]
fn memory_without_handles() {
    let Some(natives) = Natives::new() else { return };
    assert!(text(device_bytes(&natives, CL_DEVICE_EXTENSIONS)).contains("cl_intel_unified_shared_memory"));
    assert!(extension(&natives, c"clNoSuchFunctionINTEL").is_null());
    let Natives {
        device, context, queue, ..
    } = natives;
    // SAFETY: the functions are OpenCL's, of these types; live handles, and memory of the sizes given.
    unsafe {
        let alloc: clSharedMemAllocINTEL_fn = std::mem::transmute(extension(&natives, c"clSharedMemAllocINTEL"));
        let copy: clEnqueueMemcpyINTEL_fn = std::mem::transmute(extension(&natives, c"clEnqueueMemcpyINTEL"));
        let info: clGetMemAllocInfoINTEL_fn = std::mem::transmute(extension(&natives, c"clGetMemAllocInfoINTEL"));
        let free: clMemBlockingFreeINTEL_fn = std::mem::transmute(extension(&natives, c"clMemBlockingFreeINTEL"));
        let (alloc, copy, info, free) = (alloc.unwrap(), copy.unwrap(), info.unwrap(), free.unwrap());
        let mut error = 1;
        let memory = alloc(context, device, null(), 64, 0, &mut error);
        assert_eq!(error, CL_SUCCESS);
        let kind: cl_uint = value(|size, to, needed| info(context, memory, CL_MEM_ALLOC_TYPE_INTEL, size, to, needed));
        assert_eq!(kind, CL_MEM_TYPE_SHARED_INTEL);
        let size: usize = value(|size, to, needed| info(context, memory, CL_MEM_ALLOC_SIZE_INTEL, size, to, needed));
        assert!(size >= 64);
        let (from, mut to) = ([7u8; 64], [0u8; 64]);
        assert_eq!(
            copy(queue, CL_TRUE, memory, from.as_ptr().cast(), 64, 0, null(), null_mut()),
            CL_SUCCESS
        );
        assert_eq!(
            copy(
                queue,
                CL_TRUE,
                to.as_mut_ptr().cast(),
                memory,
                64,
                0,
                null(),
                null_mut()
            ),
            CL_SUCCESS
        );
        assert_eq!(to, from);
        assert_eq!(free(context, memory), CL_SUCCESS);
    }
}

#[test]
fn callbacks_of_events() {
    let Some(natives) = Natives::new() else { return };
    /// Tells the test which event it was called for.
    unsafe extern "C" fn called(event: cl_event, status: cl_int, data: *mut c_void) {
        // SAFETY: the channel's end that the test gave, which it waits for.
        let sender = unsafe { Box::from_raw(data.cast::<std::sync::mpsc::Sender<(usize, cl_int)>>()) };
        sender.send((event as usize, status)).expect("the test waits");
    }
    let queue = natives.queue;
    let mut event = null_mut();
    assert_eq!(
        cl!(queue => clEnqueueMarkerWithWaitList(queue, 0, null(), &mut event)),
        CL_SUCCESS
    );
    let (sender, receiver) = std::sync::mpsc::channel::<(usize, cl_int)>();
    let data = Box::into_raw(Box::new(sender)).cast();
    assert_eq!(
        cl!(event => clSetEventCallback(event, CL_COMPLETE, Some(called), data)),
        CL_SUCCESS
    );
    assert_eq!(cl!(queue => clFinish(queue)), CL_SUCCESS);
    assert_eq!(receiver.recv().expect("the callback"), (event as usize, CL_COMPLETE));
    assert_eq!(
        cl!(event => clSetEventCallback(event, CL_COMPLETE, None, null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(cl!(event => clReleaseEvent(event)), CL_SUCCESS);
}
