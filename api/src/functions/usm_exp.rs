// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_usm_exp_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! usm_exp_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table USMExp: UsmExpDdiTable = ur_usm_exp_dditable_t, urGetUSMExpProcAddrTable;

                /// Creates a USM pool that serves one device only.
                ///
                /// Destroy it with `urUSMPoolDestroyExp`. Fails with UNSUPPORTED_FEATURE where a device of the context has no
                /// pool support; the CUDA analogue is cuMemPoolCreate.
                fn urUSMPoolCreateExp = (pfnPoolCreateExp, 254), via hContext (
                    /// context that the pool belongs to
                    [in] hContext: ContextHandle,
                    /// device whose memory the pool manages
                    [in] hDevice: DeviceHandle,
                    /// flags of the pool; size limits or a backing buffer may be chained to it
                    [in] pPoolDesc: *mut UsmPoolDesc,
                    /// receives the new pool, owned by the caller
                    [out] pPool: *mut UsmPoolHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_VALUE, ERROR_OUT_OF_HOST_MEMORY, ERROR_UNSUPPORTED_FEATURE
                ];

                /// Destroys a single-device USM pool made by `urUSMPoolCreateExp`.
                ///
                /// Allocations from the pool should have been freed before. Returns UNSUPPORTED_FEATURE where pools are not
                /// supported.
                fn urUSMPoolDestroyExp = (pfnPoolDestroyExp, 255), via hContext (
                    /// context of the pool
                    [in] hContext: ContextHandle,
                    /// device of the pool
                    [in] hDevice: DeviceHandle,
                    /// pool to destroy; the handle is invalid afterwards
                    [in] hPool: UsmPoolHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_VALUE, ERROR_UNSUPPORTED_FEATURE];

                /// Returns the pool that the adapter sets up for a device by itself.
                ///
                /// The adapter keeps ownership: do not destroy the handle. The CUDA analogue is cuDeviceGetDefaultMemPool.
                fn urUSMPoolGetDefaultDevicePoolExp = (pfnPoolGetDefaultDevicePoolExp, 257), via hContext (
                    /// context to look in
                    [in] hContext: ContextHandle,
                    /// device whose default pool is wanted
                    [in] hDevice: DeviceHandle,
                    /// receives the default pool, still owned by the adapter
                    [out] pPool: *mut UsmPoolHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_VALUE,
                    ERROR_UNSUPPORTED_FEATURE
                ];

                /// Returns one property of a USM pool, such as its release threshold or the bytes reserved and used.
                ///
                /// The usual two-step query applies: ask for the size first, then for the value. An unknown property gives
                /// UNSUPPORTED_ENUMERATION.
                fn urUSMPoolGetInfoExp = (pfnPoolGetInfoExp, 262), via hPool (
                    /// pool to query
                    [in] hPool: UsmPoolHandle,
                    /// property to return
                    [in] propName: UsmPoolInfo,
                    [out, optional] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_NULL_POINTER, ERROR_OUT_OF_RESOURCES, ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Changes one property of a USM pool, such as its release threshold, or resets a high-water mark.
                ///
                /// Read-only or unknown properties give UNSUPPORTED_ENUMERATION. The CUDA analogue is cuMemPoolSetAttribute.
                fn urUSMPoolSetInfoExp = (pfnPoolSetInfoExp, 265), via hPool (
                    /// pool to change
                    [in] hPool: UsmPoolHandle,
                    /// property to write
                    [in] propName: UsmPoolInfo,
                    [in] pPropValue: *mut c_void,
                    [in] propSize: usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_UNSUPPORTED_ENUMERATION, ERROR_UNSUPPORTED_FEATURE, ERROR_INVALID_DEVICE,
                    ERROR_OUT_OF_RESOURCES, ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Makes a pool the current one of a device, used by later queue-ordered allocations that name no pool.
                ///
                /// The caller keeps ownership of the pool and must not destroy it while it is current. The CUDA analogue is
                /// cuDeviceSetMemPool.
                fn urUSMPoolSetDevicePoolExp = (pfnPoolSetDevicePoolExp, 259), via hContext (
                    /// context of pool and device
                    [in] hContext: ContextHandle,
                    /// device whose current pool changes
                    [in] hDevice: DeviceHandle,
                    /// pool to make current
                    [in] hPool: UsmPoolHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_VALUE, ERROR_UNSUPPORTED_FEATURE];

                /// Returns the pool that is current for a device, which is the default pool until another one is set.
                ///
                /// Ownership does not change; the CUDA analogue is cuDeviceGetMemPool.
                fn urUSMPoolGetDevicePoolExp = (pfnPoolGetDevicePoolExp, 260), via hContext (
                    /// context to look in
                    [in] hContext: ContextHandle,
                    /// device whose current pool is wanted
                    [in] hDevice: DeviceHandle,
                    /// receives the current pool; the caller gets no ownership
                    [out] pPool: *mut UsmPoolHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_VALUE,
                    ERROR_UNSUPPORTED_FEATURE
                ];

                /// Gives unused memory of a pool back to the system until at most the requested reserve is left.
                ///
                /// Blocks in use are never touched, so the pool may stay larger than asked. The CUDA analogue is
                /// cuMemPoolTrimTo.
                fn urUSMPoolTrimToExp = (pfnPoolTrimToExp, 261), via hContext (
                    /// context of the pool
                    [in] hContext: ContextHandle,
                    /// device of the pool
                    [in] hDevice: DeviceHandle,
                    /// pool to shrink
                    [in] hPool: UsmPoolHandle,
                    /// reserve in bytes below which the pool is not shrunk
                    [in] minBytesToKeep: usize,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_VALUE, ERROR_UNSUPPORTED_FEATURE];

                /// Allocates device USM for a 2D array whose rows are padded to the pitch that the device prefers.
                ///
                /// Free it with `urUSMFree`. A zero width or too large a total gives INVALID_USM_SIZE; the CUDA analogue is
                /// cuMemAllocPitch.
                fn urUSMPitchedAllocExp = (pfnPitchedAllocExp, 132), via hContext (
                    /// context that owns the allocation
                    [in] hContext: ContextHandle,
                    /// device that the memory is for
                    [in] hDevice: DeviceHandle,
                    /// alignment and hints of the allocation; null for defaults
                    [in, optional] pUSMDesc: *const UsmDesc,
                    /// pool to allocate from; null for none
                    [in, optional] pool: UsmPoolHandle,
                    /// length of one row in bytes, without padding
                    [in] widthInBytes: usize,
                    /// number of rows
                    [in] height: usize,
                    /// size of one element in bytes
                    [in] elementSizeBytes: usize,
                    /// receives the address of the first row
                    [out] ppMem: *mut *mut c_void,
                    /// receives the distance between row starts in bytes
                    [out] pResultPitch: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE, ERROR_INVALID_USM_SIZE, ERROR_INVALID_OPERATION,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Copies bytes between USM allocations without a queue and returns when the copy is done.
                ///
                /// Size 0, or more than either allocation holds, gives INVALID_SIZE.
                fn urUSMContextMemcpyExp = (pfnContextMemcpyExp, 273), via hContext (
                    /// context of both allocations
                    [in] hContext: ContextHandle,
                    /// address of the destination
                    [in] pDst: *mut c_void,
                    /// address of the source
                    [in] pSrc: *const c_void,
                    /// number of bytes to copy
                    [in] size: usize,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_SIZE];

                /// Ends the registration of a host range; the memory itself is left to its owner.
                ///
                /// An address that is not registered gives INVALID_VALUE. No command may still use the range.
                fn urUSMHostAllocUnregisterExp = (pfnHostAllocUnregisterExp, 313, since "2026.2"), via hContext (
                    /// context of the registration
                    [in] hContext: ContextHandle,
                    /// start of the range as registered
                    [in, release] pHostMem: *mut c_void,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_VALUE];

                /// Registers ordinary host memory with a context so that devices can access it like host USM.
                ///
                /// The caller keeps owning the memory and must keep it alive until `urUSMHostAllocUnregisterExp`. Size 0
                /// gives INVALID_VALUE; the CUDA analogue is cuMemHostRegister.
                fn urUSMHostAllocRegisterExp = (pfnHostAllocRegisterExp, 312, since "2026.2"), via hContext (
                    /// context to register with
                    [in] hContext: ContextHandle,
                    /// start of the host range
                    [in] pHostMem: *mut c_void,
                    /// length in bytes, a multiple of the page size
                    [in] size: usize,
                    [in, optional] pProperties: *const ExpUsmHostAllocRegisterProperties,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_VALUE
                ];

                /// Lets a context treat a range of ordinary host memory as host USM, which speeds up transfers from and to
                /// it.
                ///
                /// The caller keeps owning the memory and ends the import with `urUSMReleaseExp` before freeing it.
                fn urUSMImportExp = (pfnImportExp, 163), via hContext (
                    /// context to import into
                    [in] hContext: ContextHandle,
                    /// start of the host range
                    [in] pMem: *mut c_void,
                    /// length of the range in bytes
                    [in] size: usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT, ERROR_INVALID_SIZE
                ];

                /// Ends an import made by `urUSMImportExp`; the host memory itself is not freed.
                fn urUSMReleaseExp = (pfnReleaseExp, 164), via hContext (
                    /// context of the import
                    [in] hContext: ContextHandle,
                    /// start of the range as imported
                    [in] pMem: *mut c_void,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT];
        }
    };
}
