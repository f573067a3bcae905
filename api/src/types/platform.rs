// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Platforms.

use super::*;

ur_types! {
    /// Queries understood by `urPlatformGetInfo`.
    enum PlatformInfo = ur_platform_info_t, UR_PLATFORM_INFO_ {
        /// platform name, null-terminated
        NAME = 1 => ([c_char]),
        /// vendor name, null-terminated
        VENDOR_NAME = 2 => ([c_char]),
        /// backend or driver version text, null-terminated
        VERSION = 3 => ([c_char]),
        /// names of supported extensions, space-separated, null-terminated
        EXTENSIONS = 4 => ([c_char]),
        /// profile name in the OpenCL sense, such as FULL_PROFILE, null-terminated
        PROFILE = 5 => ([c_char]),
        /// driver API behind the platform
        BACKEND = 6 => (Backend),
        /// adapter that the platform belongs to; no reference is added
        ADAPTER = 7 => (AdapterHandle),
    }

    /// Version of the UR specification, major number in the upper 16 bits, minor in the lower.
    enum ApiVersion = ur_api_version_t, UR_API_VERSION_ {
        /// UR specification 0.6
        V0_6 "0_6" = (0 << 16) | 6,
        /// UR specification 0.7
        V0_7 "0_7" = (0 << 16) | 7,
        /// UR specification 0.8
        V0_8 "0_8" = (0 << 16) | 8,
        /// UR specification 0.9
        V0_9 "0_9" = (0 << 16) | 9,
        /// UR specification 0.10
        V0_10 "0_10" = (0 << 16) | 10,
        /// UR specification 0.11
        V0_11 "0_11" = (0 << 16) | 11,
        /// UR specification 0.12
        V0_12 "0_12" = (0 << 16) | 12,
        /// the specification that this header follows
        CURRENT = (0 << 16) | 12,
    }

    /// Options for wrapping a native platform.
    struct PlatformNativeProperties = ur_platform_native_properties_t, PLATFORM_NATIVE_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// true if UR takes over the native handle and disposes of it
        [in] isNativeHandleOwned: bool,
    }
}
