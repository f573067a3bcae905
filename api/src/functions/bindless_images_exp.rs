// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_bindless_images_exp_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! bindless_images_exp_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
        table BindlessImagesExp: BindlessImagesExpDdiTable = ur_bindless_images_exp_dditable_t, urGetBindlessImagesExpProcAddrTable;

        /// Destroys an unsampled image handle; the image memory behind it stays allocated.
        fn urBindlessImagesUnsampledImageHandleDestroyExp = (pfnUnsampledImageHandleDestroyExp, 133), via hContext (
            /// context in which the handle was made
            [in] hContext: ContextHandle,
            /// device for which the handle was made
            [in] hDevice: DeviceHandle,
            /// unsampled image handle, invalid afterwards
            [in, release] hImage: ExpImageNativeHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE];

        /// Destroys a sampled image handle; the image memory behind it stays allocated.
        fn urBindlessImagesSampledImageHandleDestroyExp = (pfnSampledImageHandleDestroyExp, 134), via hContext (
            /// context in which the handle was made
            [in] hContext: ContextHandle,
            /// device for which the handle was made
            [in] hDevice: DeviceHandle,
            /// sampled image handle, invalid afterwards
            [in, release] hImage: ExpImageNativeHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE];

        /// Allocates device memory for a bindless image in the layout that the device prefers.
        ///
        /// The memory holds texels only; make a sampled or unsampled handle to use it in kernels. Free it with
        /// `urBindlessImagesImageFreeExp`, or with `urBindlessImagesMipmapFreeExp` where it has several levels.
        fn urBindlessImagesImageAllocateExp = (pfnImageAllocateExp, 135), via hContext (
            /// context that owns the image memory
            [in] hContext: ContextHandle,
            /// device on which to allocate
            [in] hDevice: DeviceHandle,
            /// channel order and type of a texel
            [in] pImageFormat: *const ImageFormat,
            /// kind, extents, layers and mipmap levels of the image
            [in] pImageDesc: *const ImageDesc,
            /// receives the image memory handle, owned by the caller
            [out, alloc] phImageMem: *mut ExpImageMemNativeHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE,
            ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR, ERROR_INVALID_IMAGE_SIZE, ERROR_INVALID_OPERATION
        ];

        /// Frees image memory from `urBindlessImagesImageAllocateExp`.
        ///
        /// Destroy the image handles made over it first.
        fn urBindlessImagesImageFreeExp = (pfnImageFreeExp, 136), via hContext (
            /// context of the image memory
            [in] hContext: ContextHandle,
            /// device of the image memory
            [in] hDevice: DeviceHandle,
            /// image memory to free, invalid afterwards
            [in, release] hImageMem: ExpImageMemNativeHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE];

        /// Creates a handle through which kernels read and write image memory by integer coordinates, without a
        /// sampler.
        ///
        /// The memory must outlive the handle. Destroy it with `urBindlessImagesUnsampledImageHandleDestroyExp`; the
        /// CUDA analogue is cuSurfObjectCreate.
        fn urBindlessImagesUnsampledImageCreateExp = (pfnUnsampledImageCreateExp, 137), via hContext (
            /// context of the image memory
            [in] hContext: ContextHandle,
            /// device whose kernels use the handle
            [in] hDevice: DeviceHandle,
            /// image memory that the handle refers to
            [in] hImageMem: ExpImageMemNativeHandle,
            /// channel order and type of a texel
            [in] pImageFormat: *const ImageFormat,
            /// kind and extents of the image
            [in] pImageDesc: *const ImageDesc,
            /// receives the unsampled image handle, owned by the caller
            [out, alloc] phImage: *mut ExpImageNativeHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE,
            ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR, ERROR_INVALID_IMAGE_SIZE, ERROR_INVALID_OPERATION
        ];

        /// Creates a handle through which kernels sample image memory with fixed sampler settings.
        ///
        /// The memory must outlive the handle. Destroy it with `urBindlessImagesSampledImageHandleDestroyExp`; the
        /// CUDA analogue is cuTexObjectCreate.
        fn urBindlessImagesSampledImageCreateExp = (pfnSampledImageCreateExp, 138), via hContext (
            /// context of the image memory
            [in] hContext: ContextHandle,
            /// device whose kernels use the handle
            [in] hDevice: DeviceHandle,
            /// image memory or USM that the handle refers to
            [in] hImageMem: ExpImageMemNativeHandle,
            /// channel order and type of a texel
            [in] pImageFormat: *const ImageFormat,
            /// kind and extents of the image
            [in] pImageDesc: *const ImageDesc,
            /// filter and addressing settings, with chained mipmap or cubemap settings
            [in] pSamplerDesc: *const SamplerDesc,
            /// receives the sampled image handle, owned by the caller
            [out, alloc] phImage: *mut ExpImageNativeHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
            ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE, ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            ERROR_INVALID_IMAGE_SIZE, ERROR_INVALID_SAMPLER, ERROR_INVALID_OPERATION
        ];

        /// Enqueues a copy of a box of texels between host memory, USM and image memory.
        ///
        /// Direction and kind of the two addresses are given apart and must agree with the pointers. The CUDA
        /// analogue is cuMemcpy3DAsync.
        fn urBindlessImagesImageCopyExp = (pfnImageCopyExp, 139), via hQueue (
            /// queue to submit to
            [in] hQueue: QueueHandle,
            /// source pointer, or source image memory handle cast to a pointer
            [in] pSrc: *const c_void,
            /// destination pointer, or destination image memory handle cast to a pointer
            [in] pDst: *mut c_void,
            /// kind, extents and pitches of the source
            [in] pSrcImageDesc: *const ImageDesc,
            /// kind, extents and pitches of the destination
            [in] pDstImageDesc: *const ImageDesc,
            /// texel format of the source
            [in] pSrcImageFormat: *const ImageFormat,
            /// texel format of the destination
            [in] pDstImageFormat: *const ImageFormat,
            /// offsets into both sides and extent of the copy; x and width count bytes
            [in] pCopyRegion: *mut ExpImageCopyRegion,
            /// direction of the copy
            [in] imageCopyFlags: ExpImageCopyFlags,
            /// whether each side is a pointer or an image memory handle
            [in] imageCopyInputTypes: ExpImageCopyInputTypes,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            [out, optional, alloc] phEvent: *mut EventHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
            ERROR_INVALID_QUEUE, ERROR_INVALID_VALUE, ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            ERROR_INVALID_IMAGE_SIZE, ERROR_INVALID_OPERATION, ERROR_INVALID_EVENT_WAIT_LIST
        ];

        /// Returns one property of image memory, such as its format or an extent.
        ///
        /// The usual two-step query applies. The CUDA analogue is cuArray3DGetDescriptor.
        fn urBindlessImagesImageGetInfoExp = (pfnImageGetInfoExp, 140), via hContext (
            /// context of the image memory
            [in] hContext: ContextHandle,
            /// image memory to query
            [in] hImageMem: ExpImageMemNativeHandle,
            /// property to return
            [in] propName: ImageInfo,
            [out, optional] pPropValue: *mut c_void,
            [out, optional] pPropSizeRet: *mut usize,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
            ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_DEVICE, ERROR_OUT_OF_RESOURCES,
            ERROR_OUT_OF_HOST_MEMORY
        ];

        /// Reports whether a device can hold an image of a given shape and format in a given kind of memory.
        ///
        /// An unsupported combination is reported through the result value, not as an error.
        fn urBindlessImagesGetImageMemoryHandleTypeSupportExp = (pfnGetImageMemoryHandleTypeSupportExp, 270), via hContext (
            /// context to check in
            [in] hContext: ContextHandle,
            /// device to check
            [in] hDevice: DeviceHandle,
            /// kind and extents of the image in question
            [in] pImageDesc: *const ImageDesc,
            /// texel format in question
            [in] pImageFormat: *const ImageFormat,
            /// kind of backing memory in question
            [in] imageMemHandleType: ExpImageMemType,
            /// receives whether the combination works
            [out] pSupportedRet: *mut Bool,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
            ERROR_INVALID_DEVICE, ERROR_INVALID_CONTEXT
        ];

        /// Reports whether an unsampled handle can be made for an image of a given shape, format and kind of memory.
        ///
        /// An unsupported combination is reported through the result value, not as an error.
        fn urBindlessImagesGetImageUnsampledHandleSupportExp = (pfnGetImageUnsampledHandleSupportExp, 268), via hContext (
            /// context to check in
            [in] hContext: ContextHandle,
            /// device to check
            [in] hDevice: DeviceHandle,
            /// kind and extents of the image in question
            [in] pImageDesc: *const ImageDesc,
            /// texel format in question
            [in] pImageFormat: *const ImageFormat,
            /// kind of backing memory in question
            [in] imageMemHandleType: ExpImageMemType,
            /// receives whether unsampled access works
            [out] pSupportedRet: *mut Bool,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
            ERROR_INVALID_DEVICE, ERROR_INVALID_CONTEXT
        ];

        /// Reports whether a sampled handle can be made for an image of a given shape, format and kind of memory.
        ///
        /// An unsupported combination is reported through the result value, not as an error.
        fn urBindlessImagesGetImageSampledHandleSupportExp = (pfnGetImageSampledHandleSupportExp, 269), via hContext (
            /// context to check in
            [in] hContext: ContextHandle,
            /// device to check
            [in] hDevice: DeviceHandle,
            /// kind and extents of the image in question
            [in] pImageDesc: *const ImageDesc,
            /// texel format in question
            [in] pImageFormat: *const ImageFormat,
            /// kind of backing memory in question
            [in] imageMemHandleType: ExpImageMemType,
            /// receives whether sampled access works
            [out] pSupportedRet: *mut Bool,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
            ERROR_INVALID_DEVICE, ERROR_INVALID_CONTEXT
        ];

        /// Returns the image memory of one level of a mipmapped image.
        ///
        /// The level is a view owned by the mipmap: do not free it on its own. The CUDA analogue is
        /// cuMipmappedArrayGetLevel.
        fn urBindlessImagesMipmapGetLevelExp = (pfnMipmapGetLevelExp, 141), via hContext (
            /// context of the image memory
            [in] hContext: ContextHandle,
            /// device of the image memory
            [in] hDevice: DeviceHandle,
            /// mipmapped image memory
            [in] hImageMem: ExpImageMemNativeHandle,
            /// index of the level, 0 being the finest
            [in] mipmapLevel: u32,
            /// receives the handle of the level, valid as long as the mipmap
            [out] phImageMem: *mut ExpImageMemNativeHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE
        ];

        /// Frees the memory of a mipmapped image with all its levels.
        ///
        /// The CUDA analogue is cuMipmappedArrayDestroy.
        fn urBindlessImagesMipmapFreeExp = (pfnMipmapFreeExp, 142), via hContext (
            /// context of the image memory
            [in] hContext: ContextHandle,
            /// device of the image memory
            [in] hDevice: DeviceHandle,
            /// mipmapped image memory to free, invalid afterwards
            [in, release] hMem: ExpImageMemNativeHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE];

        /// Imports memory that another API or process has exported through an operating-system handle.
        ///
        /// Map the result as an image or as linear memory, then drop it with
        /// `urBindlessImagesReleaseExternalMemoryExp`. The CUDA analogue is cuImportExternalMemory.
        fn urBindlessImagesImportExternalMemoryExp = (pfnImportExternalMemoryExp, 226), via hContext (
            /// context to import into
            [in] hContext: ContextHandle,
            /// device that will access the memory
            [in] hDevice: DeviceHandle,
            /// length of the exported memory in bytes
            [in] size: usize,
            /// kind of handle found in the descriptor chain
            [in] memHandleType: ExpExternalMemType,
            /// descriptor with the operating-system handle chained to it
            [in] pExternalMemDesc: *mut ExpExternalMemDesc,
            /// receives the imported memory object, owned by the caller
            [out, alloc] phExternalMem: *mut ExpExternalMemHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
            ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE, ERROR_INVALID_MEM_OBJECT
        ];

        /// Maps imported memory as image memory.
        ///
        /// Format and shape must match the exporting side. Free the result like other image memory, before the
        /// imported object is released.
        fn urBindlessImagesMapExternalArrayExp = (pfnMapExternalArrayExp, 144), via hContext (
            /// context of the imported memory
            [in] hContext: ContextHandle,
            /// device that will access the image
            [in] hDevice: DeviceHandle,
            /// texel format of the exported image
            [in] pImageFormat: *const ImageFormat,
            /// kind, extents and mipmap levels of the exported image
            [in] pImageDesc: *const ImageDesc,
            /// imported memory to map
            [in] hExternalMem: ExpExternalMemHandle,
            /// receives the image memory handle over the imported memory
            [out] phImageMem: *mut ExpImageMemNativeHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE,
            ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR, ERROR_INVALID_IMAGE_SIZE, ERROR_INVALID_OPERATION,
            ERROR_OUT_OF_RESOURCES
        ];

        /// Maps a byte range of imported memory as a plain device pointer.
        ///
        /// Unmap it with `urBindlessImagesFreeMappedLinearMemoryExp`. The CUDA analogue is
        /// cuExternalMemoryGetMappedBuffer.
        fn urBindlessImagesMapExternalLinearMemoryExp = (pfnMapExternalLinearMemoryExp, 245), via hContext (
            /// context of the imported memory
            [in] hContext: ContextHandle,
            /// device that will access the range
            [in] hDevice: DeviceHandle,
            /// start of the range within the imported memory, in bytes
            [in] offset: u64,
            /// length of the range in bytes
            [in] size: u64,
            /// imported memory to map
            [in] hExternalMem: ExpExternalMemHandle,
            /// receives the device address of the range
            [out] ppRetMem: *mut *mut c_void,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE,
            ERROR_INVALID_IMAGE_SIZE, ERROR_INVALID_OPERATION, ERROR_OUT_OF_RESOURCES
        ];

        /// Releases imported external memory.
        ///
        /// Mappings made from it must have been freed before; the exporter's own allocation lives on. The CUDA
        /// analogue is cuDestroyExternalMemory.
        fn urBindlessImagesReleaseExternalMemoryExp = (pfnReleaseExternalMemoryExp, 230), via hContext (
            /// context of the imported memory
            [in] hContext: ContextHandle,
            /// device of the imported memory
            [in] hDevice: DeviceHandle,
            /// imported memory to release, invalid afterwards
            [in, release] hExternalMem: ExpExternalMemHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE];

        /// Unmaps a range obtained from `urBindlessImagesMapExternalLinearMemoryExp`.
        ///
        /// The imported memory object itself stays valid.
        fn urBindlessImagesFreeMappedLinearMemoryExp = (pfnFreeMappedLinearMemoryExp, 271), via hContext (
            /// context of the mapping
            [in] hContext: ContextHandle,
            /// device of the mapping
            [in] hDevice: DeviceHandle,
            /// address of the mapped range, invalid afterwards
            [in, release] pMem: *mut c_void,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_CONTEXT, ERROR_INVALID_NULL_POINTER];

        /// Reports whether a device can import external memory through a given kind of handle.
        fn urBindlessImagesSupportsImportingHandleTypeExp = (pfnSupportsImportingHandleTypeExp, 288), via hDevice (
            /// device to check
            [in] hDevice: DeviceHandle,
            /// kind of handle in question
            [in] memHandleType: ExpExternalMemType,
            /// receives whether such handles can be imported
            [out] pSupportedRet: *mut Bool,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
            ERROR_INVALID_DEVICE, ERROR_INVALID_CONTEXT
        ];

        /// Imports a semaphore or fence that another API has exported through an operating-system handle.
        ///
        /// Release it with `urBindlessImagesReleaseExternalSemaphoreExp`. The CUDA analogue is
        /// cuImportExternalSemaphore.
        fn urBindlessImagesImportExternalSemaphoreExp = (pfnImportExternalSemaphoreExp, 227), via hContext (
            /// context to import into
            [in] hContext: ContextHandle,
            /// device that will wait on or signal the semaphore
            [in] hDevice: DeviceHandle,
            /// kind of handle found in the descriptor chain
            [in] semHandleType: ExpExternalSemaphoreType,
            /// descriptor with the operating-system handle chained to it
            [in] pExternalSemaphoreDesc: *mut ExpExternalSemaphoreDesc,
            /// receives the imported semaphore, owned by the caller
            [out, alloc] phExternalSemaphore: *mut ExpExternalSemaphoreHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
            ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE
        ];

        /// Releases an imported semaphore.
        ///
        /// No enqueued wait or signal may still refer to it. The CUDA analogue is cuDestroyExternalSemaphore.
        fn urBindlessImagesReleaseExternalSemaphoreExp = (pfnReleaseExternalSemaphoreExp, 147), via hContext (
            /// context of the semaphore
            [in] hContext: ContextHandle,
            /// device of the semaphore
            [in] hDevice: DeviceHandle,
            /// imported semaphore to release, invalid afterwards
            [in, release] hExternalSemaphore: ExpExternalSemaphoreHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE];

        /// Enqueues a command that holds later work of the queue until an imported semaphore is signalled; the host
        /// does not block.
        ///
        /// The CUDA analogue is cuWaitExternalSemaphoresAsync.
        fn urBindlessImagesWaitExternalSemaphoreExp = (pfnWaitExternalSemaphoreExp, 148), via hQueue (
            /// queue to submit to
            [in] hQueue: QueueHandle,
            /// imported semaphore to wait on
            [in] hSemaphore: ExpExternalSemaphoreHandle,
            /// true for timeline semaphores and fences; false for binary ones
            [in] hasWaitValue: bool,
            /// counter value to reach; used only with `hasWaitValue`
            [in] waitValue: u64,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            [out, optional, alloc] phEvent: *mut EventHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_QUEUE, ERROR_INVALID_VALUE];

        /// Enqueues a command that signals an imported semaphore once earlier work has finished; the host does not
        /// block.
        ///
        /// The CUDA analogue is cuSignalExternalSemaphoresAsync.
        fn urBindlessImagesSignalExternalSemaphoreExp = (pfnSignalExternalSemaphoreExp, 149), via hQueue (
            /// queue to submit to
            [in] hQueue: QueueHandle,
            /// imported semaphore to signal
            [in] hSemaphore: ExpExternalSemaphoreHandle,
            /// true for timeline semaphores and fences; false for binary ones
            [in] hasSignalValue: bool,
            /// counter value to set; used only with `hasSignalValue`
            [in] signalValue: u64,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            [out, optional, alloc] phEvent: *mut EventHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_QUEUE, ERROR_INVALID_VALUE];
} } }
