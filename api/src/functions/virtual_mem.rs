// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_virtual_mem_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! virtual_mem_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table VirtualMem: VirtualMemDdiTable = ur_virtual_mem_dditable_t, urGetVirtualMemProcAddrTable;

                /// Returns the granularity, in bytes, for virtual reservations and physical allocations.
                ///
                /// Sizes, addresses and offsets given to the other functions of this group must be multiples of it. Compare
                /// `zeVirtualMemQueryPageSize`.
                fn urVirtualMemGranularityGetInfo = (pfnGranularityGetInfo, 153), via hContext (
                    /// context that will hold the memory
                    [in] hContext: ContextHandle,
                    /// device asked about; null for a value that fits every device of the context
                    [in, optional] hDevice: DeviceHandle,
                    /// size in bytes of the allocation planned
                    [in] allocationSize: usize,
                    /// minimum or recommended granularity
                    [in] propName: VirtualMemGranularityInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_DEVICE, ERROR_INVALID_CONTEXT,
                    ERROR_OUT_OF_RESOURCES, ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Reserves a range of virtual addresses without storage behind it.
                ///
                /// Back it with `urVirtualMemMap`, end it with `urVirtualMemFree`. Compare `zeVirtualMemReserve`.
                fn urVirtualMemReserve = (pfnReserve, 154), via hContext (
                    /// context in which the range is valid
                    [in] hContext: ContextHandle,
                    /// preferred start address; null lets the implementation choose
                    [in, optional] pStart: *const c_void,
                    /// length in bytes, a multiple of the granularity
                    [in] size: usize,
                    /// receives the actual start address
                    [out] ppStart: *mut *mut c_void,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER];

                /// Gives a reserved address range back.
                ///
                /// The range must be the whole reservation, with all mappings removed before. Compare `zeVirtualMemFree`.
                fn urVirtualMemFree = (pfnFree, 155), via hContext (
                    /// context of the reservation
                    [in] hContext: ContextHandle,
                    /// start address that `urVirtualMemReserve` returned
                    [in] pStart: *const c_void,
                    /// length of the reservation in bytes
                    [in] size: usize,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER];

                /// Maps a piece of a physical memory object into reserved addresses.
                ///
                /// The physical object must outlive the mapping. Compare `zeVirtualMemMap`.
                fn urVirtualMemMap = (pfnMap, 156), via hContext (
                    /// context of the reservation and the physical memory
                    [in] hContext: ContextHandle,
                    /// first address to map, within a reserved range
                    [in] pStart: *const c_void,
                    /// length in bytes, a multiple of the granularity
                    [in] size: usize,
                    /// storage to place behind the range
                    [in] hPhysicalMem: PhysicalMemHandle,
                    /// start within the physical memory, in bytes
                    [in] offset: usize,
                    /// initial access rights
                    [in] flags: VirtualMemAccessFlags,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION];

                /// Removes the mapping of an address range; the reservation stays and may be mapped anew.
                ///
                /// No pending command may still use the range. Compare `zeVirtualMemUnmap`.
                fn urVirtualMemUnmap = (pfnUnmap, 157), via hContext (
                    /// context of the mapping
                    [in] hContext: ContextHandle,
                    /// first mapped address
                    [in] pStart: *const c_void,
                    /// length of the mapping in bytes
                    [in] size: usize,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER];

                /// Changes the access rights of a mapped address range.
                ///
                /// Compare `zeVirtualMemSetAccessAttribute`.
                fn urVirtualMemSetAccess = (pfnSetAccess, 158), via hContext (
                    /// context of the mapping
                    [in] hContext: ContextHandle,
                    /// first address of the range
                    [in] pStart: *const c_void,
                    /// length of the range in bytes
                    [in] size: usize,
                    /// new access rights
                    [in] flags: VirtualMemAccessFlags,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION];

                /// Returns one property of a mapped address range.
                ///
                /// Compare `zeVirtualMemGetAccessAttribute`.
                fn urVirtualMemGetInfo = (pfnGetInfo, 159), via hContext (
                    /// context of the mapping
                    [in] hContext: ContextHandle,
                    /// first address of the range
                    [in] pStart: *const c_void,
                    /// length of the range in bytes
                    [in] size: usize,
                    /// which property to read
                    [in] propName: VirtualMemInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION];
        }
    };
}
