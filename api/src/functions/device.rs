// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_device_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! device_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table Device: DeviceDdiTable = ur_device_dditable_t, urGetDeviceProcAddrTable;

                /// Returns the devices of a platform that have the given type, taking one reference on each.
                ///
                /// Handles and order are stable between calls; release each with `urDeviceRelease`. Driver-level filtering
                /// variables can change the set. Compare `clGetDeviceIDs`.
                fn urDeviceGet = (pfnGet, 8), via hPlatform (
                    /// platform to enumerate
                    [in] hPlatform: PlatformHandle,
                    /// device class to return
                    [in] DeviceType: DeviceType,
                    /// capacity of `phDevices`; zero with a non-null array is an error
                    [in] NumEntries: u32,
                    /// receives up to `NumEntries` device handles; null to ask only for the count
                    [out, optional, range(NumEntries), alloc] phDevices: *mut DeviceHandle,
                    /// receives the number of matching devices; null if not wanted
                    [out, optional] pNumDevices: *mut u32,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_SIZE,
                    ERROR_INVALID_NULL_POINTER, ERROR_INVALID_VALUE
                ];

                /// Returns one property of a device.
                ///
                /// Query the size of arrays and strings first. `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION` marks a query the
                /// adapter does not answer. Compare `clGetDeviceInfo`.
                fn urDeviceGetInfo = (pfnGetInfo, 9), via hDevice (
                    /// device to inspect
                    [in] hDevice: DeviceHandle,
                    /// which property to read
                    [in] propName: DeviceInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_DEVICE, ERROR_OUT_OF_RESOURCES,
                    ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Adds one reference to a device.
                ///
                /// Only sub-devices have their own lifetime; root devices live as long as their platform. Compare
                /// `clRetainDevice`.
                fn urDeviceRetain = (pfnRetain, 10), via hDevice (
                    /// device to keep alive
                    [in, retain] hDevice: DeviceHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Drops one reference to a device; a sub-device is destroyed with its last one.
                ///
                /// Compare `clReleaseDevice`.
                fn urDeviceRelease = (pfnRelease, 11), via hDevice (
                    /// device whose reference is given up
                    [in, release] hDevice: DeviceHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Splits a device into sub-devices.
                ///
                /// The same request always gives the same sub-devices in the same order; sub-devices may be split again.
                /// Release each with `urDeviceRelease`. Compare `clCreateSubDevices`.
                fn urDevicePartition = (pfnPartition, 12), via hDevice (
                    /// device or sub-device to split
                    [in] hDevice: DeviceHandle,
                    [in] pProperties: *const DevicePartitionProperties,
                    /// capacity of `phSubDevices`
                    [in] NumDevices: u32,
                    /// receives up to `NumDevices` sub-devices; null to ask only for the count
                    [out, optional, range(NumDevices)] phSubDevices: *mut DeviceHandle,
                    /// receives the number of sub-devices the split produces; null if not wanted
                    [out, optional] pNumDevicesRet: *mut u32,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_DEVICE_PARTITION_FAILED,
                    ERROR_INVALID_DEVICE_PARTITION_COUNT
                ];

                /// Chooses, among several device images, the one best suited to a device.
                ///
                /// Ahead-of-time images for the device normally win over IL that needs JIT compilation.
                /// `UR_RESULT_ERROR_INVALID_BINARY` if none can run.
                fn urDeviceSelectBinary = (pfnSelectBinary, 13), via hDevice (
                    /// device that is to run the code
                    [in] hDevice: DeviceHandle,
                    /// array of `NumBinaries` image descriptions
                    [in] pBinaries: *const DeviceBinary,
                    /// length of `pBinaries`, at least 1
                    [in] NumBinaries: u32,
                    /// receives the index of the chosen entry in `pBinaries`
                    [out] pSelectedBinary: *mut u32,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_SIZE];

                /// Returns the driver's own object behind a device, such as a `cl_device_id` or `ze_device_handle_t`.
                ///
                /// The UR device keeps ownership. `UR_RESULT_ERROR_UNSUPPORTED_FEATURE` where the backend has no such object.
                fn urDeviceGetNativeHandle = (pfnGetNativeHandle, 14), via hDevice (
                    /// device to unwrap
                    [in] hDevice: DeviceHandle,
                    /// receives the driver handle
                    [out] phNativeDevice: *mut NativeHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Wraps a driver device object in a UR device handle.
                ///
                /// A device the adapter already enumerated may come back as the same handle. Release it with
                /// `urDeviceRelease`.
                fn urDeviceCreateWithNativeHandle = (pfnCreateWithNativeHandle, 15), via hAdapter (
                    /// driver device to wrap
                    [in, nocheck] hNativeDevice: NativeHandle,
                    /// adapter of the backend that the native handle comes from
                    [in] hAdapter: AdapterHandle,
                    [in, optional] pProperties: *const DeviceNativeProperties,
                    /// receives the UR device
                    [out, alloc] phDevice: *mut DeviceHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Returns device and host clock readings taken at practically the same instant, in nanoseconds.
                ///
                /// With both, event profiling times can be related to host time. `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
                /// without a readable clock. Compare `clGetDeviceAndHostTimer`.
                fn urDeviceGetGlobalTimestamps = (pfnGetGlobalTimestamps, 16), via hDevice (
                    /// device whose clock is read
                    [in] hDevice: DeviceHandle,
                    /// receives the device clock in nanoseconds, on the event-profiling time base; null if not wanted
                    [out, optional] pDeviceTimestamp: *mut u64,
                    /// receives the host clock in nanoseconds; null if not wanted
                    [out, optional] pHostTimestamp: *mut u64,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_UNSUPPORTED_FEATURE];
        }
    };
}
