// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Loader configuration.

use super::*;

ur_types! {
    /// Restricts loader initialisation to adapters of certain device classes.
    flags DeviceInitFlags = ur_device_init_flags_t, UR_DEVICE_INIT_FLAG_ {
        /// load adapters that drive GPUs
        GPU = 1 << 0,
        /// load adapters that drive CPUs
        CPU = 1 << 1,
        /// load adapters that drive FPGAs
        FPGA = 1 << 2,
        /// load adapters that drive memory-copy accelerators
        MCA = 1 << 3,
        /// load adapters that drive vision processors
        VPU = 1 << 4,
    }

    /// Queries understood by `urLoaderConfigGetInfo`.
    enum LoaderConfigInfo = ur_loader_config_info_t, UR_LOADER_CONFIG_INFO_ {
        /// names of all layers that may be enabled, separated by semicolons
        AVAILABLE_LAYERS = 0 => ([c_char]),
        /// current reference count; a snapshot for leak hunting only
        REFERENCE_COUNT = 1 => (u32),
    }

    /// Source position of the user code that led to an API call.
    struct CodeLocation = ur_code_location_t {
        /// null-terminated name of the calling function
        [inout] functionName: *const c_char,
        /// null-terminated path of the source file
        [inout] sourceFile: *const c_char,
        /// line in the source file
        [inout] lineNumber: u32,
        /// column in the source line
        [inout] columnNumber: u32,
    }

    /// Application function asked for the source position behind the API call in progress.
    callback CodeLocationCallback = ur_code_location_callback_t, CodeLocation {
        /// the pointer that was registered together with the callback
        [inout] pUserData: *mut c_void,
    }
}
