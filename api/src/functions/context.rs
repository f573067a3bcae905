// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_context_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! context_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table Context: ContextDdiTable = ur_context_dditable_t, urGetContextProcAddrTable;

                /// Creates a context over one or more devices of the same platform.
                ///
                /// Release it with `urContextRelease`; objects created in it keep it alive. Compare `clCreateContext` and
                /// `zeContextCreateEx`.
                fn urContextCreate = (pfnCreate, 1), via (first of phDevices, DeviceCount: ERROR_INVALID_SIZE, ERROR_INVALID_NULL_HANDLE) (
                    /// length of `phDevices`, at least 1
                    [in] DeviceCount: u32,
                    /// array of `DeviceCount` devices to include
                    [in, range(DeviceCount)] phDevices: *const DeviceHandle,
                    [in, optional] pProperties: *const ContextProperties,
                    /// receives the new context
                    [out, alloc] phContext: *mut ContextHandle,
                ) -> [
                    ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION, ERROR_INVALID_SIZE,
                    ERROR_INVALID_NULL_HANDLE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_DEVICE_MEMORY
                ];

                /// Adds one reference to a context.
                ///
                /// Compare `clRetainContext`.
                fn urContextRetain = (pfnRetain, 2), via hContext (
                    /// context to keep alive
                    [in, retain] hContext: ContextHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Drops one reference to a context and destroys it when none is left.
                ///
                /// Extended deleters registered on it run at destruction. Compare `clReleaseContext`.
                fn urContextRelease = (pfnRelease, 3), via hContext (
                    /// context whose reference is given up
                    [in, release] hContext: ContextHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Returns one property of a context.
                ///
                /// A too small buffer fails with `UR_RESULT_ERROR_INVALID_SIZE`. Compare `clGetContextInfo`.
                fn urContextGetInfo = (pfnGetInfo, 4), via hContext (
                    /// context to inspect
                    [in] hContext: ContextHandle,
                    /// which property to read
                    [in] propName: ContextInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT, ERROR_OUT_OF_RESOURCES,
                    ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Returns the driver's own object behind a context, such as a `cl_context` or `ze_context_handle_t`.
                ///
                /// The UR context keeps ownership. `UR_RESULT_ERROR_UNSUPPORTED_FEATURE` where the backend has no such
                /// object.
                fn urContextGetNativeHandle = (pfnGetNativeHandle, 5), via hContext (
                    /// context to unwrap
                    [in] hContext: ContextHandle,
                    /// receives the driver handle
                    [out] phNativeContext: *mut NativeHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Wraps a driver context object in a UR context.
                ///
                /// Release it with `urContextRelease`. `UR_RESULT_ERROR_UNSUPPORTED_FEATURE` where the backend cannot do it.
                fn urContextCreateWithNativeHandle = (pfnCreateWithNativeHandle, 6), via hAdapter (
                    /// driver context to wrap
                    [in, nocheck] hNativeContext: NativeHandle,
                    /// adapter of the backend that the native handle comes from
                    [in] hAdapter: AdapterHandle,
                    /// length of `phDevices`
                    [in] numDevices: u32,
                    /// array of `numDevices` devices of the context; null if the driver can tell them
                    [in, optional, range(numDevices)] phDevices: *const DeviceHandle,
                    [in, optional] pProperties: *const ContextNativeProperties,
                    /// receives the new context
                    [out, alloc] phContext: *mut ContextHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Registers a function that runs when the context is destroyed.
                ///
                /// Meant for freeing data that higher layers attach to a context; compare `clSetContextDestructorCallback`.
                /// `UR_RESULT_ERROR_UNSUPPORTED_FEATURE` where the adapter has no such hook.
                fn urContextSetExtendedDeleter = (pfnSetExtendedDeleter, 7), via hContext (
                    /// context to watch
                    [in] hContext: ContextHandle,
                    /// function to call; null is rejected
                    [in] pfnDeleter: ContextExtendedDeleter,
                    /// passed unchanged to the function; may be null
                    [inout, optional] pUserData: *mut c_void,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];
        }
    };
}
