// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_adapter_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! adapter_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table Adapter: AdapterDdiTable = ur_adapter_dditable_t, urGetAdapterProcAddrTable;

                /// Returns the adapters that the loader found, taking one reference on each.
                ///
                /// Release every returned handle with `urAdapterRelease`. An adapter called directly reports exactly one
                /// handle, and may set up its global state on the first reference.
                fn urAdapterGet = (pfnGet, 178), via loader (
                    /// capacity of `phAdapters`; zero with a non-null array is an error
                    [in] NumEntries: u32,
                    /// receives up to `NumEntries` adapter handles; null to ask only for the count
                    [out, optional, range(NumEntries), alloc] phAdapters: *mut AdapterHandle,
                    /// receives the number of adapters that exist; null if not wanted
                    [out, optional] pNumAdapters: *mut u32,
                ) -> [ERROR_INVALID_SIZE];

                /// Drops one reference to an adapter; the last one lets it free its global state.
                fn urAdapterRelease = (pfnRelease, 177), via hAdapter (
                    /// adapter whose reference is given up
                    [in, release] hAdapter: AdapterHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Adds one reference to an adapter.
                fn urAdapterRetain = (pfnRetain, 179), via hAdapter (
                    /// adapter to keep alive
                    [in, retain] hAdapter: AdapterHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Returns message and driver code of the calling thread's latest adapter-specific failure.
                ///
                /// Meaningful only right after a call on the same thread returned `UR_RESULT_ERROR_ADAPTER_SPECIFIC`.
                fn urAdapterGetLastError = (pfnGetLastError, 180), via hAdapter (
                    /// adapter that reported the failure
                    [in] hAdapter: AdapterHandle,
                    /// receives a null-terminated text; the adapter owns it, do not free
                    [out] ppMessage: *mut *const c_char,
                    /// receives the raw status code of the driver call that failed
                    [out] pError: *mut i32,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER];

                /// Returns one property of an adapter.
                ///
                /// A too small buffer fails with `UR_RESULT_ERROR_INVALID_SIZE`, a query the adapter does not answer with
                /// `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`.
                fn urAdapterGetInfo = (pfnGetInfo, 181), via hAdapter (
                    /// adapter to inspect
                    [in] hAdapter: AdapterHandle,
                    /// which property to read
                    [in] propName: AdapterInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_OUT_OF_RESOURCES, ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Registers a function to which the adapter sends its log messages.
                ///
                /// Messages may arrive on any thread, also concurrently; making the callback safe for that is the caller's
                /// duty.
                fn urAdapterSetLoggerCallback = (pfnSetLoggerCallback, 266), via hAdapter (
                    /// adapter whose log is tapped
                    [in] hAdapter: AdapterHandle,
                    /// function that receives the messages; null is rejected
                    [in] pfnLoggerCallback: LoggerCallback,
                    /// passed unchanged to each callback invocation; may be null
                    [inout, optional] pUserData: *mut c_void,
                    /// lowest severity that is delivered
                    [in] level: LoggerLevel,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION];

                /// Changes the severity threshold of the registered logger callback.
                fn urAdapterSetLoggerCallbackLevel = (pfnSetLoggerCallbackLevel, 267), via hAdapter (
                    /// adapter whose threshold is changed
                    [in] hAdapter: AdapterHandle,
                    /// lowest severity delivered from now on
                    [in] level: LoggerLevel,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION];
        }
    };
}
