// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_physical_mem_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! physical_mem_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table PhysicalMem: PhysicalMemDdiTable = ur_physical_mem_dditable_t, urGetPhysicalMemProcAddrTable;

                /// Allocates device storage that has no address until it is mapped with `urVirtualMemMap`.
                ///
                /// Release it with `urPhysicalMemRelease`. A size that breaks the granularity fails with
                /// `UR_RESULT_ERROR_INVALID_SIZE`. Compare `zePhysicalMemCreate`.
                fn urPhysicalMemCreate = (pfnCreate, 160), via hContext (
                    /// context that holds the storage
                    [in] hContext: ContextHandle,
                    /// device on which the storage lies
                    [in] hDevice: DeviceHandle,
                    /// length in bytes, a multiple of the granularity
                    [in] size: usize,
                    [in, optional] pProperties: *const PhysicalMemProperties,
                    /// receives the new physical memory object
                    [out, alloc] phPhysicalMem: *mut PhysicalMemHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_SIZE
                ];

                /// Adds one reference to a physical memory object.
                fn urPhysicalMemRetain = (pfnRetain, 161), via hPhysicalMem (
                    /// physical memory to keep alive
                    [in, retain] hPhysicalMem: PhysicalMemHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Drops one reference to a physical memory object and frees the storage when none is left.
                ///
                /// Unmap it everywhere before the last release. Compare `zePhysicalMemDestroy`.
                fn urPhysicalMemRelease = (pfnRelease, 162), via hPhysicalMem (
                    /// physical memory whose reference is given up
                    [in, release] hPhysicalMem: PhysicalMemHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Returns one property of a physical memory object.
                ///
                /// A too small buffer fails with `UR_RESULT_ERROR_INVALID_SIZE`.
                fn urPhysicalMemGetInfo = (pfnGetInfo, 249), via hPhysicalMem (
                    /// physical memory to inspect
                    [in] hPhysicalMem: PhysicalMemHandle,
                    /// which property to read
                    [in] propName: PhysicalMemInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION];
        }
    };
}
