// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_usm_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! usm_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table USM: UsmDdiTable = ur_usm_dditable_t, urGetUSMProcAddrTable;

                /// Allocates host USM, readable and writable by the host and all devices of the context.
                ///
                /// Free it with urUSMFree. Size 0 or one above the device limit gives UR_RESULT_ERROR_INVALID_USM_SIZE; an
                /// alignment that is not a power of two gives UR_RESULT_ERROR_INVALID_VALUE; missing host-USM support gives
                /// UR_RESULT_ERROR_INVALID_OPERATION. Counterpart of clHostMemAllocINTEL and zeMemAllocHost.
                fn urUSMHostAlloc = (pfnHostAlloc, 107), via hContext (
                    /// context whose devices gain access
                    [in] hContext: ContextHandle,
                    /// hints and alignment; null means defaults
                    [in, optional] pUSMDesc: *const UsmDesc,
                    /// pool to serve the request; null leaves the choice to the runtime
                    [in, optional] pool: UsmPoolHandle,
                    /// bytes to allocate; must not be 0
                    [in] size: usize,
                    /// receives the address; free with urUSMFree
                    [out] ppMem: *mut *mut c_void,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_INVALID_CONTEXT, ERROR_INVALID_OPERATION, ERROR_INVALID_VALUE, ERROR_INVALID_USM_SIZE,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES, ERROR_UNSUPPORTED_FEATURE
                ];

                /// Allocates USM resident on one device; the host must not dereference it.
                ///
                /// Free it with urUSMFree. Size 0 or one above the device limit gives UR_RESULT_ERROR_INVALID_USM_SIZE;
                /// missing device-USM support gives UR_RESULT_ERROR_INVALID_OPERATION. Counterpart of clDeviceMemAllocINTEL
                /// and zeMemAllocDevice.
                fn urUSMDeviceAlloc = (pfnDeviceAlloc, 108), via hContext (
                    /// context containing the device
                    [in] hContext: ContextHandle,
                    /// device whose memory is used
                    [in] hDevice: DeviceHandle,
                    /// hints and alignment; null means defaults
                    [in, optional] pUSMDesc: *const UsmDesc,
                    /// pool to serve the request; null leaves the choice to the runtime
                    [in, optional] pool: UsmPoolHandle,
                    /// bytes to allocate; must not be 0
                    [in] size: usize,
                    /// receives the device address; free with urUSMFree
                    [out] ppMem: *mut *mut c_void,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_INVALID_CONTEXT, ERROR_INVALID_OPERATION, ERROR_INVALID_VALUE, ERROR_INVALID_USM_SIZE,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES, ERROR_UNSUPPORTED_FEATURE
                ];

                /// Allocates USM that host and device use through one address, migrating as needed.
                ///
                /// Free it with urUSMFree. Size 0 or one above the device limit gives UR_RESULT_ERROR_INVALID_USM_SIZE;
                /// missing shared-USM support gives UR_RESULT_ERROR_INVALID_OPERATION. Counterpart of clSharedMemAllocINTEL
                /// and zeMemAllocShared.
                fn urUSMSharedAlloc = (pfnSharedAlloc, 109), via hContext (
                    /// context containing the device
                    [in] hContext: ContextHandle,
                    /// device that shares the allocation with the host
                    [in] hDevice: DeviceHandle,
                    /// hints and alignment; null means defaults
                    [in, optional] pUSMDesc: *const UsmDesc,
                    /// pool to serve the request; null leaves the choice to the runtime
                    [in, optional] pool: UsmPoolHandle,
                    /// bytes to allocate; must not be 0
                    [in] size: usize,
                    /// receives the address; free with urUSMFree
                    [out] ppMem: *mut *mut c_void,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE, ERROR_INVALID_USM_SIZE, ERROR_INVALID_OPERATION,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES, ERROR_UNSUPPORTED_FEATURE
                ];

                /// Frees a USM allocation of any kind.
                ///
                /// The call blocks until commands already enqueued that may touch the memory are done. Pooled memory goes
                /// back to its pool. Counterpart of clMemBlockingFreeINTEL.
                fn urUSMFree = (pfnFree, 110), via hContext (
                    /// context the allocation was made in
                    [in] hContext: ContextHandle,
                    /// base address as returned by the allocating call
                    [in] pMem: *mut c_void,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_MEM_OBJECT,
                    ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Returns one property of the USM allocation that contains a pointer.
                ///
                /// Interior pointers are fine. Asking UR_USM_ALLOC_INFO_TYPE for a foreign pointer succeeds with
                /// UR_USM_TYPE_UNKNOWN. Counterpart of clGetMemAllocInfoINTEL and zeMemGetAllocProperties.
                fn urUSMGetMemAllocInfo = (pfnGetMemAllocInfo, 111), via hContext (
                    /// context to look the pointer up in
                    [in] hContext: ContextHandle,
                    /// any address inside the allocation
                    [in] pMem: *const c_void,
                    /// property wanted; fixes the type of the result
                    [in] propName: UsmAllocInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE, ERROR_INVALID_MEM_OBJECT, ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Creates a pool that serves USM allocations of a context.
                ///
                /// The caller owns one reference and gives it up with urUSMPoolRelease. A context with a device lacking pool
                /// support gives UR_RESULT_ERROR_UNSUPPORTED_FEATURE. Chain ur_usm_pool_limits_desc_t to tune sizes.
                fn urUSMPoolCreate = (pfnPoolCreate, 112), via hContext (
                    /// context whose allocations the pool serves
                    [in] hContext: ContextHandle,
                    /// pool options, with limits chained if wanted
                    [in] pPoolDesc: *mut UsmPoolDesc,
                    /// receives the new pool; release with urUSMPoolRelease
                    [out, alloc] ppPool: *mut UsmPoolHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_VALUE, ERROR_OUT_OF_HOST_MEMORY, ERROR_UNSUPPORTED_FEATURE
                ];

                /// Adds one reference to a USM pool.
                ///
                /// Balance every call with urUSMPoolRelease.
                fn urUSMPoolRetain = (pfnPoolRetain, 118), via pPool (
                    /// pool to keep alive
                    [in, retain] pPool: UsmPoolHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_UNSUPPORTED_FEATURE];

                /// Drops one reference to a USM pool and destroys it, returning its blocks to the driver, when none is left.
                ///
                /// Free every allocation served by the pool before giving up the last reference.
                fn urUSMPoolRelease = (pfnPoolRelease, 119), via pPool (
                    /// pool to let go of; do not use it after the last reference
                    [in, release] pPool: UsmPoolHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_UNSUPPORTED_FEATURE];

                /// Returns one property of a USM pool.
                ///
                /// Returned handles are not retained.
                fn urUSMPoolGetInfo = (pfnPoolGetInfo, 120), via hPool (
                    /// pool to query
                    [in] hPool: UsmPoolHandle,
                    /// property wanted; fixes the type of the result
                    [in] propName: UsmPoolInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES,
                    ERROR_UNSUPPORTED_FEATURE
                ];
        }
    };
}
