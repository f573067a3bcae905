// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_memory_export_exp_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! memory_export_exp_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
        table MemoryExportExp: MemoryExportExpDdiTable = ur_memory_export_exp_dditable_t, urGetMemoryExportExpProcAddrTable;

        /// Allocates linear device memory that can later be exported to another API.
        ///
        /// Free it with `urMemoryExportFreeExportableMemoryExp`, not with `urUSMFree`. An alignment that is not a power
        /// of two gives UNSUPPORTED_ALIGNMENT, size 0 INVALID_USM_SIZE.
        fn urMemoryExportAllocExportableMemoryExp = (pfnAllocExportableMemoryExp, 285), via hContext (
            /// context that owns the allocation
            [in] hContext: ContextHandle,
            /// device on which to allocate
            [in] hDevice: DeviceHandle,
            /// alignment in bytes, a power of two; 0 for the default
            [in] alignment: usize,
            /// number of bytes to allocate
            [in] size: usize,
            /// kind of operating-system handle the memory must be exportable as
            [in] handleTypeToExport: ExpExternalMemType,
            /// receives the device address, owned by the caller
            [out, alloc] ppMem: *mut *mut c_void,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
            ERROR_UNSUPPORTED_ALIGNMENT, ERROR_INVALID_VALUE, ERROR_INVALID_USM_SIZE, ERROR_UNSUPPORTED_SIZE,
            ERROR_INVALID_CONTEXT, ERROR_INVALID_DEVICE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_DEVICE_MEMORY
        ];

        /// Frees memory from `urMemoryExportAllocExportableMemoryExp`.
        fn urMemoryExportFreeExportableMemoryExp = (pfnFreeExportableMemoryExp, 286), via hContext (
            /// context of the allocation
            [in] hContext: ContextHandle,
            /// device of the allocation
            [in] hDevice: DeviceHandle,
            /// address of the allocation, invalid afterwards
            [in, release] pMem: *mut c_void,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT, ERROR_INVALID_DEVICE,
            ERROR_INVALID_VALUE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_DEVICE_MEMORY
        ];

        /// Returns an operating-system handle for exportable memory, to be imported by another API such as Vulkan.
        ///
        /// The kind must be the one chosen at allocation.
        fn urMemoryExportExportMemoryHandleExp = (pfnExportMemoryHandleExp, 287), via hContext (
            /// context of the allocation
            [in] hContext: ContextHandle,
            /// device of the allocation
            [in] hDevice: DeviceHandle,
            /// kind of handle wanted
            [in] handleTypeToExport: ExpExternalMemType,
            /// address of the exportable allocation
            [in] pMem: *mut c_void,
            /// receives the handle: points to an int for descriptors, to a void pointer on Windows
            [out] pMemHandleRet: *mut c_void,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
            ERROR_INVALID_CONTEXT, ERROR_INVALID_DEVICE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_DEVICE_MEMORY
        ];
} } }
