// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_platform_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! platform_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table Platform: PlatformDdiTable = ur_platform_dditable_t, urGetPlatformProcAddrTable;

                /// Returns the platforms of one adapter.
                ///
                /// Handles and their order are the same on every call; platforms are not reference-counted. Passing neither
                /// array nor count pointer yields `UR_RESULT_ERROR_INVALID_VALUE`. Compare `clGetPlatformIDs`.
                fn urPlatformGet = (pfnGet, 72), via hAdapter (
                    /// adapter to enumerate
                    [in] hAdapter: AdapterHandle,
                    /// capacity of `phPlatforms`; zero with a non-null array is an error
                    [in] NumEntries: u32,
                    /// receives up to `NumEntries` platform handles; null to ask only for the count
                    [out, optional, range(NumEntries)] phPlatforms: *mut PlatformHandle,
                    /// receives the number of platforms that exist; null if not wanted
                    [out, optional] pNumPlatforms: *mut u32,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_SIZE, ERROR_INVALID_VALUE];

                /// Returns one property of a platform.
                ///
                /// Query the size of string properties first; a too small buffer fails with `UR_RESULT_ERROR_INVALID_SIZE`.
                /// Compare `clGetPlatformInfo`.
                fn urPlatformGetInfo = (pfnGetInfo, 73), via hPlatform (
                    /// platform to inspect
                    [in] hPlatform: PlatformHandle,
                    /// which property to read
                    [in] propName: PlatformInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_PLATFORM, ERROR_OUT_OF_RESOURCES,
                    ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Returns the driver's own object behind a platform, such as a `cl_platform_id` or `ze_driver_handle_t`.
                ///
                /// The platform keeps ownership. `UR_RESULT_ERROR_UNSUPPORTED_FEATURE` where the backend has no such object.
                fn urPlatformGetNativeHandle = (pfnGetNativeHandle, 75), via hPlatform (
                    /// platform to unwrap
                    [in] hPlatform: PlatformHandle,
                    /// receives the driver handle
                    [out] phNativePlatform: *mut NativeHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Wraps a driver platform object in a UR platform handle.
                ///
                /// `UR_RESULT_ERROR_UNSUPPORTED_FEATURE` where the backend cannot do it.
                fn urPlatformCreateWithNativeHandle = (pfnCreateWithNativeHandle, 76), via hAdapter (
                    /// driver platform to wrap
                    [in, nocheck] hNativePlatform: NativeHandle,
                    /// adapter of the backend that the native handle comes from
                    [in] hAdapter: AdapterHandle,
                    [in, optional] pProperties: *const PlatformNativeProperties,
                    /// receives the UR platform
                    [out, alloc] phPlatform: *mut PlatformHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Returns the UR version that a platform implements.
                fn urPlatformGetApiVersion = (pfnGetApiVersion, 74), via hPlatform (
                    /// platform to inspect
                    [in] hPlatform: PlatformHandle,
                    /// receives the version
                    [out] pVersion: *mut ApiVersion,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER];

                /// Translates a compiler frontend option into the spelling that the platform's device compiler takes.
                ///
                /// An unknown option fails with `UR_RESULT_ERROR_INVALID_VALUE`.
                fn urPlatformGetBackendOption = (pfnGetBackendOption, 114), via hPlatform (
                    /// platform whose compiler is meant
                    [in] hPlatform: PlatformHandle,
                    /// null-terminated option, for example `-O2`
                    [in] pFrontendOption: *const c_char,
                    /// receives a null-terminated, adapter-owned string, thread-local; possibly empty
                    [out] ppPlatformOption: *mut *const c_char,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_VALUE];
        }
    };
}
