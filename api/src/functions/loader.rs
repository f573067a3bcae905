// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions that the loader answers itself: they are in no DDI table.

#[doc(hidden)]
#[macro_export]
macro_rules! loader_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table Loader: LoaderFunctions = none, none;

                /// Creates a loader configuration with no layers enabled and reference count one.
                ///
                /// Callable before `urLoaderInit`. The caller ends its reference with `urLoaderConfigRelease`.
                fn urLoaderConfigCreate = (pfnLoaderConfigCreate, 172), via loader (
                    /// receives the new configuration
                    [out, alloc] phLoaderConfig: *mut LoaderConfigHandle,
                ) -> [ERROR_INVALID_NULL_POINTER];

                /// Adds one reference to a loader configuration.
                fn urLoaderConfigRetain = (pfnLoaderConfigRetain, 174), via loader (
                    /// configuration to keep alive
                    [in, retain] hLoaderConfig: LoaderConfigHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Drops one reference to a loader configuration and destroys it when none is left.
                fn urLoaderConfigRelease = (pfnLoaderConfigRelease, 173), via loader (
                    /// configuration whose reference is given up
                    [in, release] hLoaderConfig: LoaderConfigHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Returns one property of a loader configuration.
                ///
                /// Call once with only the size pointer to learn the byte count. A buffer that is too small fails with
                /// `UR_RESULT_ERROR_INVALID_SIZE`.
                fn urLoaderConfigGetInfo = (pfnLoaderConfigGetInfo, 175), via loader (
                    /// configuration to inspect
                    [in] hLoaderConfig: LoaderConfigHandle,
                    /// which property to read
                    [in] propName: LoaderConfigInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_DEVICE, ERROR_OUT_OF_RESOURCES,
                    ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Turns on a layer (validation, tracing, sanitizer or similar) for a later `urLoaderInit` with this
                /// configuration.
                ///
                /// Fails with `UR_RESULT_ERROR_LAYER_NOT_PRESENT` when the loader has no layer of that name.
                fn urLoaderConfigEnableLayer = (pfnLoaderConfigEnableLayer, 176), via loader (
                    /// configuration to change
                    [in] hLoaderConfig: LoaderConfigHandle,
                    /// null-terminated name of the layer to turn on
                    [in] pLayerName: *const c_char,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_LAYER_NOT_PRESENT];

                /// Registers a function that reports to the tracing layer where in user code an API call originates.
                ///
                /// Purely informative: traces can then be correlated with higher-level calls.
                fn urLoaderConfigSetCodeLocationCallback = (pfnLoaderConfigSetCodeLocationCallback, 200), via loader (
                    /// configuration to change
                    [in] hLoaderConfig: LoaderConfigHandle,
                    /// function that supplies the source position; null is rejected
                    [in] pfnCodeloc: CodeLocationCallback,
                    /// passed unchanged to each callback invocation; may be null
                    [inout, optional] pUserData: *mut c_void,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER];

                /// Switches the loader between the real adapters and a single mock adapter.
                ///
                /// The mock answers every entry point with success and hands out reference-counted dummy objects, for tests
                /// that need no hardware.
                fn urLoaderConfigSetMockingEnabled = (pfnLoaderConfigSetMockingEnabled, 229), via loader (
                    /// configuration to change
                    [in] hLoaderConfig: LoaderConfigHandle,
                    /// true to expose only the mock adapter
                    [in] enable: Bool,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Initialises the process-wide loader, finds its adapters and sets up the chosen layers.
                ///
                /// Every other call except the `urLoaderConfig*` family returns `UR_RESULT_ERROR_UNINITIALIZED` before this.
                /// Repeated and concurrent calls are safe; a forked child must call it again.
                fn urLoaderInit = (pfnLoaderInit, 201), via loader (
                    /// device classes whose adapters are wanted; zero for no restriction
                    [in] device_flags: DeviceInitFlags,
                    /// layer and callback settings; null takes the defaults and environment
                    [in, optional] hLoaderConfig: LoaderConfigHandle,
                ) -> [ERROR_INVALID_ENUMERATION, ERROR_OUT_OF_HOST_MEMORY];

                /// Shuts the loader down and frees everything it holds.
                ///
                /// Release all handles first: none may be used afterwards.
                fn urLoaderTearDown = (pfnLoaderTearDown, 202), via loader (
                ) -> [ERROR_OUT_OF_HOST_MEMORY];

                /// Returns the devices of a platform that pass the `ONEAPI_DEVICE_SELECTOR` filter and have the given type.
                ///
                /// Works like `urDeviceGet`, references included; the selector may also yield sub-devices. A malformed
                /// selector gives `UR_RESULT_ERROR_INVALID_VALUE`.
                fn urDeviceGetSelected = (pfnDeviceGetSelected, 217), via loader (
                    /// platform to enumerate
                    [in] hPlatform: PlatformHandle,
                    /// device class to return
                    [in] DeviceType: DeviceType,
                    /// capacity of `phDevices`; zero with a non-null array is an error
                    [in] NumEntries: u32,
                    /// receives up to `NumEntries` device handles; null to ask only for the count
                    [out, optional, range(NumEntries)] phDevices: *mut DeviceHandle,
                    /// receives the number of selected devices; null if not wanted
                    [out, optional] pNumDevices: *mut u32,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_VALUE];
        }
    };
}
