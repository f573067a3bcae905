// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_mem_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! mem_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table Mem: MemDdiTable = ur_mem_dditable_t, urGetMemProcAddrTable;

                /// Creates an image memory object, optionally backed by or filled from host data.
                ///
                /// The caller owns one reference and gives it up with urMemRelease. A host pointer without a flag that uses
                /// it, or such a flag without a pointer, gives UR_RESULT_ERROR_INVALID_HOST_PTR; a context whose devices lack
                /// image support gives UR_RESULT_ERROR_UNSUPPORTED_FEATURE. Counterpart of clCreateImage.
                fn urMemImageCreate = (pfnImageCreate, 63), via hContext (
                    /// context whose devices may use the image
                    [in] hContext: ContextHandle,
                    /// kernel access mode and host-storage options
                    [in] flags: MemFlags,
                    /// pixel layout: channel order and type
                    [in] pImageFormat: *const ImageFormat,
                    /// dimensionality, extents and pitches
                    [in] pImageDesc: *const ImageDesc,
                    /// source or backing pixels, laid out by the descriptor's pitches; null when no flag uses it
                    [in, optional] pHost: *mut c_void,
                    /// receives the new image; release with urMemRelease
                    [out, alloc] phMem: *mut MemHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE, ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                    ERROR_UNSUPPORTED_FEATURE, ERROR_INVALID_IMAGE_SIZE, ERROR_INVALID_OPERATION,
                    ERROR_INVALID_HOST_PTR, ERROR_UNSUPPORTED_IMAGE_FORMAT, ERROR_OUT_OF_HOST_MEMORY,
                    ERROR_OUT_OF_RESOURCES
                ];

                /// Creates a linear buffer of a given byte size.
                ///
                /// The caller owns one reference and gives it up with urMemRelease. Size 0 gives
                /// UR_RESULT_ERROR_INVALID_BUFFER_SIZE; flags and host pointer that contradict each other give
                /// UR_RESULT_ERROR_INVALID_HOST_PTR. Counterpart of clCreateBuffer.
                fn urMemBufferCreate = (pfnBufferCreate, 64), via hContext (
                    /// context whose devices may use the buffer
                    [in] hContext: ContextHandle,
                    /// kernel access mode and host-storage options
                    [in] flags: MemFlags,
                    /// bytes to allocate; must not be 0
                    [in] size: usize,
                    [in, optional] pProperties: *const BufferProperties,
                    /// receives the new buffer; release with urMemRelease
                    [out, alloc] phBuffer: *mut MemHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE, ERROR_INVALID_BUFFER_SIZE, ERROR_INVALID_HOST_PTR,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Adds one reference to a buffer or image.
                ///
                /// Balance every call with urMemRelease. Counterpart of clRetainMemObject.
                fn urMemRetain = (pfnRetain, 65), via hMem (
                    /// buffer or image to keep alive
                    [in, retain] hMem: MemHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_MEM_OBJECT, ERROR_OUT_OF_HOST_MEMORY,
                    ERROR_OUT_OF_RESOURCES
                ];

                /// Drops one reference to a buffer or image and destroys it when none is left.
                ///
                /// A sub-buffer keeps its parent's storage alive. Counterpart of clReleaseMemObject.
                fn urMemRelease = (pfnRelease, 66), via hMem (
                    /// buffer or image to let go of; do not use it after the last reference
                    [in, release] hMem: MemHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_MEM_OBJECT, ERROR_OUT_OF_HOST_MEMORY];

                /// Creates a sub-buffer that aliases a byte range of an existing buffer.
                ///
                /// The result shares storage with its parent and is released on its own with urMemRelease. An empty range, or
                /// one reaching past the parent's end, gives UR_RESULT_ERROR_INVALID_BUFFER_SIZE. Counterpart of
                /// clCreateSubBuffer.
                fn urMemBufferPartition = (pfnBufferPartition, 67), via hBuffer (
                    /// parent buffer that supplies the storage
                    [in] hBuffer: MemHandle,
                    /// access mode of the sub-buffer; must not widen the parent's
                    [in] flags: MemFlags,
                    /// kind of description that pRegion holds
                    [in] bufferCreateType: BufferCreateType,
                    /// byte range within the parent
                    [in] pRegion: *const BufferRegion,
                    /// receives the sub-buffer; release with urMemRelease
                    [out] phMem: *mut MemHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_INVALID_MEM_OBJECT, ERROR_OBJECT_ALLOCATION_FAILURE, ERROR_INVALID_VALUE,
                    ERROR_INVALID_BUFFER_SIZE, ERROR_INVALID_HOST_PTR, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Returns the backend object behind a buffer or image.
                ///
                /// The UR object keeps its ownership, so the native handle is valid only while that object lives.
                /// UR_RESULT_ERROR_UNSUPPORTED_FEATURE means the backend has no such object. With OpenCL it is a cl_mem, with
                /// Level Zero typically a device or host pointer.
                fn urMemGetNativeHandle = (pfnGetNativeHandle, 68), via hMem (
                    /// buffer or image to look behind
                    [in] hMem: MemHandle,
                    /// device whose copy is wanted; may be null where the backend keeps one object per context
                    [in, optional] hDevice: DeviceHandle,
                    /// receives the borrowed backend handle
                    [out] phNativeMem: *mut NativeHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Wraps an existing backend buffer in a UR memory object.
                ///
                /// The caller releases the wrapper with urMemRelease; whether that also frees the native buffer follows
                /// isNativeHandleOwned. UR_RESULT_ERROR_UNSUPPORTED_FEATURE means the backend has no matching object.
                fn urMemBufferCreateWithNativeHandle = (pfnBufferCreateWithNativeHandle, 115), via hContext (
                    /// backend buffer, e.g. a cl_mem
                    [in, nocheck] hNativeMem: NativeHandle,
                    /// context the native buffer belongs to
                    [in] hContext: ContextHandle,
                    [in, optional] pProperties: *const MemNativeProperties,
                    /// receives the wrapping buffer; release with urMemRelease
                    [out, alloc] phMem: *mut MemHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Wraps an existing backend image in a UR memory object.
                ///
                /// Format and shape must be stated because not every backend can report them. The caller releases the wrapper
                /// with urMemRelease; whether that also frees the native image follows isNativeHandleOwned.
                fn urMemImageCreateWithNativeHandle = (pfnImageCreateWithNativeHandle, 116), via hContext (
                    /// backend image, e.g. a cl_mem or ze_image_handle_t
                    [in, nocheck] hNativeMem: NativeHandle,
                    /// context the native image belongs to
                    [in] hContext: ContextHandle,
                    /// pixel layout the native image was made with
                    [in] pImageFormat: *const ImageFormat,
                    /// shape the native image was made with
                    [in] pImageDesc: *const ImageDesc,
                    [in, optional] pProperties: *const MemNativeProperties,
                    /// receives the wrapping image; release with urMemRelease
                    [out, alloc] phMem: *mut MemHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Returns one property common to buffers and images.
                ///
                /// Counterpart of clGetMemObjectInfo; returned handles are not retained.
                fn urMemGetInfo = (pfnGetInfo, 70), via hMemory (
                    /// buffer or image to query
                    [in] hMemory: MemHandle,
                    /// property wanted; fixes the type of the result
                    [in] propName: MemInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_MEM_OBJECT, ERROR_OUT_OF_RESOURCES,
                    ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Returns one image-specific property.
                ///
                /// Counterpart of clGetImageInfo.
                fn urMemImageGetInfo = (pfnImageGetInfo, 71), via hMemory (
                    /// image to query; a buffer is an error
                    [in] hMemory: MemHandle,
                    /// property wanted; fixes the type of the result
                    [in] propName: ImageInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE, ERROR_INVALID_MEM_OBJECT,
                    ERROR_OUT_OF_RESOURCES, ERROR_OUT_OF_HOST_MEMORY
                ];
        }
    };
}
