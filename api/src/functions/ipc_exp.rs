// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_ipc_exp_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! ipc_exp_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table IPCExp: IpcExpDdiTable = ur_ipc_exp_dditable_t, urGetIPCExpProcAddrTable;

                /// Exports a device USM allocation as bytes that another process on the host can open.
                ///
                /// The adapter owns the bytes until `urIPCPutMemHandleExp`; copy them to ship them. The Level Zero analogue
                /// is zeMemGetIpcHandle.
                fn urIPCGetMemHandleExp = (pfnGetMemHandleExp, 289), via hContext (
                    /// context of the allocation
                    [in] hContext: ContextHandle,
                    /// address of the device USM allocation to export
                    [in] pMem: *mut c_void,
                    /// receives a pointer to the handle bytes, owned by the adapter
                    [out, optional] ppIPCMemHandleData: *mut *mut c_void,
                    /// receives the number of handle bytes
                    [out, optional] pIPCMemHandleDataSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_CONTEXT, ERROR_INVALID_NULL_POINTER,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Returns the handle bytes from `urIPCGetMemHandleExp` to the adapter.
                ///
                /// The allocation itself is not freed. The Level Zero analogue is zeMemPutIpcHandle.
                fn urIPCPutMemHandleExp = (pfnPutMemHandleExp, 290), via hContext (
                    /// context that exported the allocation
                    [in] hContext: ContextHandle,
                    /// handle bytes as received, invalid afterwards
                    [in] pIPCMemHandleData: *mut c_void,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Maps an allocation that another process has exported.
                ///
                /// Close it with `urIPCCloseMemHandleExp`, never with `urUSMFree`. A wrong byte count gives INVALID_VALUE;
                /// the Level Zero analogue is zeMemOpenIpcHandle.
                fn urIPCOpenMemHandleExp = (pfnOpenMemHandleExp, 291), via hContext (
                    /// context to map into
                    [in] hContext: ContextHandle,
                    /// device that holds the exported allocation
                    [in] hDevice: DeviceHandle,
                    /// handle bytes received from the exporting process
                    [in] pIPCMemHandleData: *mut c_void,
                    /// number of handle bytes
                    [in] ipcMemHandleDataSize: usize,
                    /// receives the address of the allocation in this process
                    [out] ppMem: *mut *mut c_void,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_CONTEXT, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_VALUE,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Unmaps an allocation opened with `urIPCOpenMemHandleExp`; the exporter's memory lives on.
                fn urIPCCloseMemHandleExp = (pfnCloseMemHandleExp, 292), via hContext (
                    /// context into which the allocation was mapped
                    [in] hContext: ContextHandle,
                    /// mapped address, invalid afterwards
                    [in] pMem: *mut c_void,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_CONTEXT, ERROR_INVALID_NULL_POINTER,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Exports a physical memory object as bytes that another process on the host can open.
                ///
                /// The object must have been created with IPC enabled, else INVALID_ARGUMENT. The adapter owns the bytes
                /// until `urIPCPutPhysMemHandleExp`.
                fn urIPCGetPhysMemHandleExp = (pfnGetPhysMemHandleExp, 316, since "2026.2"), via hContext (
                    /// context of the physical memory
                    [in] hContext: ContextHandle,
                    /// physical memory object to export
                    [in] hPhysMem: PhysicalMemHandle,
                    /// receives a pointer to the handle bytes, owned by the adapter
                    [out] ppIPCPhysMemHandleData: *mut *mut c_void,
                    /// receives the number of handle bytes
                    [out] pIPCPhysMemHandleDataSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT,
                    ERROR_INVALID_ARGUMENT, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Returns the handle bytes from `urIPCGetPhysMemHandleExp` to the adapter; the physical memory stays.
                fn urIPCPutPhysMemHandleExp = (pfnPutPhysMemHandleExp, 317, since "2026.2"), via hContext (
                    /// context that exported the physical memory
                    [in] hContext: ContextHandle,
                    /// handle bytes as received, invalid afterwards
                    [in] pIPCPhysMemHandleData: *const c_void,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Opens physical memory that another process has exported, ready to be mapped into a virtual address range.
                ///
                /// Close it with `urIPCClosePhysMemHandleExp`. A wrong byte count gives INVALID_VALUE.
                fn urIPCOpenPhysMemHandleExp = (pfnOpenPhysMemHandleExp, 318, since "2026.2"), via hContext (
                    /// context to open the memory in
                    [in] hContext: ContextHandle,
                    /// device that holds the exported memory
                    [in] hDevice: DeviceHandle,
                    /// handle bytes received from the exporting process
                    [in] pIPCPhysMemHandleData: *const c_void,
                    /// number of handle bytes
                    [in] ipcPhysMemHandleDataSize: usize,
                    /// receives the physical memory object of this process
                    [out] phPhysMem: *mut PhysicalMemHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Closes physical memory opened with `urIPCOpenPhysMemHandleExp`; the exporter's memory lives on.
                ///
                /// Unmap it from every virtual range first.
                fn urIPCClosePhysMemHandleExp = (pfnClosePhysMemHandleExp, 319, since "2026.2"), via hContext (
                    /// context in which the memory was opened
                    [in] hContext: ContextHandle,
                    /// opened physical memory, invalid afterwards
                    [in] hPhysMem: PhysicalMemHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_CONTEXT, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Exports an event as bytes that another process on the host can open to share its state.
                ///
                /// Only events created with the IPC flag qualify, else INVALID_EVENT; events with profiling give
                /// UNSUPPORTED_FEATURE. The adapter owns the bytes until `urIPCPutEventHandleExp`.
                fn urIPCGetEventHandleExp = (pfnGetEventHandleExp, 323, since "2026.2"), via hEvent (
                    /// event to export; must not itself come from another process
                    [in] hEvent: EventHandle,
                    /// receives a pointer to the handle bytes, owned by the adapter
                    [out] ppIPCEventHandleData: *mut *mut c_void,
                    /// receives the number of handle bytes
                    [out] pIPCEventHandleDataSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_EVENT,
                    ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Returns the handle bytes from `urIPCGetEventHandleExp` to the adapter.
                ///
                /// Neither the exported event nor events that other processes have opened are affected. Call it in the
                /// exporting process.
                fn urIPCPutEventHandleExp = (pfnPutEventHandleExp, 324, since "2026.2"), via hContext (
                    /// context of the exported event
                    [in] hContext: ContextHandle,
                    /// handle bytes as received, invalid afterwards
                    [in] pIPCEventHandleData: *mut c_void,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Opens an event that another process has exported; both sides then see the same state.
                ///
                /// The event starts with one reference and is released with `urEventRelease`. A wrong byte count gives
                /// INVALID_VALUE, a device without event IPC UNSUPPORTED_FEATURE.
                fn urIPCOpenEventHandleExp = (pfnOpenEventHandleExp, 325, since "2026.2"), via hContext (
                    /// context to open the event in
                    [in] hContext: ContextHandle,
                    /// handle bytes received from the exporting process
                    [in] pIPCEventHandleData: *const c_void,
                    /// number of handle bytes
                    [in] ipcEventHandleDataSize: usize,
                    [out, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE,
                    ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];
        }
    };
}
