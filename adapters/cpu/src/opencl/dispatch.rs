// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The dispatch table of the ICD extension: where ICD loaders find our functions.

use opencl_sys::cl_icd::cl_icd_dispatch;

use super::refused::{Name, Refused};
use super::{context, device, enqueue, event, kernel, mem, platform, program, queue, refused, sampler};

macro_rules! slot {
    ($name:ident refused) => {{
        struct Function;

        impl Name for Function {
            const NAME: &'static str = stringify!($name);
        }

        Some(<_ as Refused<Function>>::FUNCTION)
    }};
    ($name:ident = $module:ident::$function:ident) => {
        Some($module::$function)
    };
}

macro_rules! dispatch {
    ($($name:ident $(= $module:ident::$function:ident)? $($refused:ident)?;)*) => {
        /// The table.
        pub(crate) static DISPATCH: cl_icd_dispatch = cl_icd_dispatch {
            $($name: slot!($name $(= $module::$function)? $($refused)?),)*
        };
    };
}

dispatch! {
    clGetPlatformIDs = platform::clGetPlatformIDs;
    clGetPlatformInfo = platform::clGetPlatformInfo;
    clGetDeviceIDs = device::clGetDeviceIDs;
    clGetDeviceInfo = device::clGetDeviceInfo;
    clCreateContext = context::clCreateContext;
    clCreateContextFromType = context::clCreateContextFromType;
    clRetainContext = context::clRetainContext;
    clReleaseContext = context::clReleaseContext;
    clGetContextInfo = context::clGetContextInfo;
    clCreateCommandQueue = queue::clCreateCommandQueue;
    clRetainCommandQueue = queue::clRetainCommandQueue;
    clReleaseCommandQueue = queue::clReleaseCommandQueue;
    clGetCommandQueueInfo = queue::clGetCommandQueueInfo;
    clSetCommandQueueProperty refused;
    clCreateBuffer = mem::clCreateBuffer;
    clCreateImage2D refused;
    clCreateImage3D refused;
    clRetainMemObject = mem::clRetainMemObject;
    clReleaseMemObject = mem::clReleaseMemObject;
    clGetSupportedImageFormats refused;
    clGetMemObjectInfo = mem::clGetMemObjectInfo;
    clGetImageInfo = mem::clGetImageInfo;
    clCreateSampler = sampler::clCreateSampler;
    clRetainSampler = sampler::clRetainSampler;
    clReleaseSampler = sampler::clReleaseSampler;
    clGetSamplerInfo = sampler::clGetSamplerInfo;
    clCreateProgramWithSource = program::clCreateProgramWithSource;
    clCreateProgramWithBinary = program::clCreateProgramWithBinary;
    clRetainProgram = program::clRetainProgram;
    clReleaseProgram = program::clReleaseProgram;
    clBuildProgram = program::clBuildProgram;
    clUnloadCompiler = platform::clUnloadCompiler;
    clGetProgramInfo = program::clGetProgramInfo;
    clGetProgramBuildInfo = program::clGetProgramBuildInfo;
    clCreateKernel = kernel::clCreateKernel;
    clCreateKernelsInProgram = kernel::clCreateKernelsInProgram;
    clRetainKernel = kernel::clRetainKernel;
    clReleaseKernel = kernel::clReleaseKernel;
    clSetKernelArg = kernel::clSetKernelArg;
    clGetKernelInfo = kernel::clGetKernelInfo;
    clGetKernelWorkGroupInfo = kernel::clGetKernelWorkGroupInfo;
    clWaitForEvents = event::clWaitForEvents;
    clGetEventInfo = event::clGetEventInfo;
    clRetainEvent = event::clRetainEvent;
    clReleaseEvent = event::clReleaseEvent;
    clGetEventProfilingInfo = event::clGetEventProfilingInfo;
    clFlush = queue::clFlush;
    clFinish = queue::clFinish;
    clEnqueueReadBuffer = enqueue::clEnqueueReadBuffer;
    clEnqueueWriteBuffer = enqueue::clEnqueueWriteBuffer;
    clEnqueueCopyBuffer = enqueue::clEnqueueCopyBuffer;
    clEnqueueReadImage refused;
    clEnqueueWriteImage refused;
    clEnqueueCopyImage refused;
    clEnqueueCopyImageToBuffer refused;
    clEnqueueCopyBufferToImage refused;
    clEnqueueMapBuffer = enqueue::clEnqueueMapBuffer;
    clEnqueueMapImage refused;
    clEnqueueUnmapMemObject = enqueue::clEnqueueUnmapMemObject;
    clEnqueueNDRangeKernel = enqueue::clEnqueueNDRangeKernel;
    clEnqueueTask = enqueue::clEnqueueTask;
    clEnqueueNativeKernel refused;
    clEnqueueMarker = enqueue::clEnqueueMarker;
    clEnqueueWaitForEvents = enqueue::clEnqueueWaitForEvents;
    clEnqueueBarrier = enqueue::clEnqueueBarrier;
    clGetExtensionFunctionAddress = platform::clGetExtensionFunctionAddress;
    clCreateFromGLBuffer refused;
    clCreateFromGLTexture2D refused;
    clCreateFromGLTexture3D refused;
    clCreateFromGLRenderbuffer refused;
    clGetGLObjectInfo refused;
    clGetGLTextureInfo refused;
    clEnqueueAcquireGLObjects refused;
    clEnqueueReleaseGLObjects refused;
    clGetGLContextInfoKHR refused;
    clGetDeviceIDsFromD3D10KHR refused;
    clCreateFromD3D10BufferKHR refused;
    clCreateFromD3D10Texture2DKHR refused;
    clCreateFromD3D10Texture3DKHR refused;
    clEnqueueAcquireD3D10ObjectsKHR refused;
    clEnqueueReleaseD3D10ObjectsKHR refused;
    clSetEventCallback = event::clSetEventCallback;
    clCreateSubBuffer = mem::clCreateSubBuffer;
    clSetMemObjectDestructorCallback refused;
    clCreateUserEvent refused;
    clSetUserEventStatus refused;
    clEnqueueReadBufferRect = enqueue::clEnqueueReadBufferRect;
    clEnqueueWriteBufferRect = enqueue::clEnqueueWriteBufferRect;
    clEnqueueCopyBufferRect = enqueue::clEnqueueCopyBufferRect;
    clCreateSubDevicesEXT refused;
    clRetainDeviceEXT = device::clRetainDevice;
    clReleaseDeviceEXT = device::clReleaseDevice;
    clCreateEventFromGLsyncKHR refused;
    clCreateSubDevices = device::clCreateSubDevices;
    clRetainDevice = device::clRetainDevice;
    clReleaseDevice = device::clReleaseDevice;
    clCreateImage refused;
    clCreateProgramWithBuiltInKernels = program::clCreateProgramWithBuiltInKernels;
    clCompileProgram = program::clCompileProgram;
    clLinkProgram = program::clLinkProgram;
    clUnloadPlatformCompiler = platform::clUnloadPlatformCompiler;
    clGetKernelArgInfo = kernel::clGetKernelArgInfo;
    clEnqueueFillBuffer = enqueue::clEnqueueFillBuffer;
    clEnqueueFillImage refused;
    clEnqueueMigrateMemObjects = enqueue::clEnqueueMigrateMemObjects;
    clEnqueueMarkerWithWaitList = enqueue::clEnqueueMarkerWithWaitList;
    clEnqueueBarrierWithWaitList = enqueue::clEnqueueBarrierWithWaitList;
    clGetExtensionFunctionAddressForPlatform = platform::clGetExtensionFunctionAddressForPlatform;
    clCreateFromGLTexture refused;
    clGetDeviceIDsFromD3D11KHR refused;
    clCreateFromD3D11BufferKHR refused;
    clCreateFromD3D11Texture2DKHR refused;
    clCreateFromD3D11Texture3DKHR refused;
    clCreateFromDX9MediaSurfaceKHR refused;
    clEnqueueAcquireD3D11ObjectsKHR refused;
    clEnqueueReleaseD3D11ObjectsKHR refused;
    clGetDeviceIDsFromDX9MediaAdapterKHR refused;
    clEnqueueAcquireDX9MediaSurfacesKHR refused;
    clEnqueueReleaseDX9MediaSurfacesKHR refused;
    clCreateFromEGLImageKHR refused;
    clEnqueueAcquireEGLObjectsKHR refused;
    clEnqueueReleaseEGLObjectsKHR refused;
    clCreateEventFromEGLSyncKHR refused;
    clCreateCommandQueueWithProperties = queue::clCreateCommandQueueWithProperties;
    clCreatePipe refused;
    clGetPipeInfo refused;
    clSVMAlloc = refused::clSVMAlloc;
    clSVMFree = refused::clSVMFree;
    clEnqueueSVMFree refused;
    clEnqueueSVMMemcpy refused;
    clEnqueueSVMMemFill refused;
    clEnqueueSVMMap refused;
    clEnqueueSVMUnmap refused;
    clCreateSamplerWithProperties = sampler::clCreateSamplerWithProperties;
    clSetKernelArgSVMPointer = kernel::clSetKernelArgSVMPointer;
    clSetKernelExecInfo = kernel::clSetKernelExecInfo;
    clGetKernelSubGroupInfoKHR = kernel::clGetKernelSubGroupInfo;
    clCloneKernel = kernel::clCloneKernel;
    clCreateProgramWithIL = program::clCreateProgramWithIL;
    clEnqueueSVMMigrateMem refused;
    clGetDeviceAndHostTimer = device::clGetDeviceAndHostTimer;
    clGetHostTimer = device::clGetHostTimer;
    clGetKernelSubGroupInfo = kernel::clGetKernelSubGroupInfo;
    clSetDefaultDeviceCommandQueue refused;
    clSetProgramReleaseCallback refused;
    clSetProgramSpecializationConstant = program::clSetProgramSpecializationConstant;
    clCreateBufferWithProperties = mem::clCreateBufferWithProperties;
    clCreateImageWithProperties refused;
    clSetContextDestructorCallback = context::clSetContextDestructorCallback;
    clGetKernelSuggestedLocalWorkSize = kernel::clGetKernelSuggestedLocalWorkSize;
}
