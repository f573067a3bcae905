// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts.

use super::*;

ur_types! {
    /// Context creation flags.
    flags ContextFlags = ur_context_flags_t, UR_CONTEXT_FLAG_ {
        /// placeholder without meaning
        TBD = 1 << 0,
    }

    /// Options for creating a context.
    struct ContextProperties = ur_context_properties_t, CONTEXT_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// creation flags; zero is the only useful value at present
        [in] flags: ContextFlags,
    }

    /// Queries understood by `urContextGetInfo`.
    enum ContextInfo = ur_context_info_t, UR_CONTEXT_INFO_ {
        /// number of devices in the context
        NUM_DEVICES = 0 => (u32),
        /// the devices in the context; no references are added
        DEVICES = 1 => ([DeviceHandle]),
        /// current reference count; a snapshot for leak hunting only
        REFERENCE_COUNT = 2 => (u32),
        /// whether `urEnqueueUSMMemcpy2D` works on every device of the context
        USM_MEMCPY2D_SUPPORT = 3 => (Bool),
        /// whether `urEnqueueUSMFill2D` works on every device of the context
        USM_FILL2D_SUPPORT = 4 => (Bool),
    }

    /// Options for wrapping a native context.
    struct ContextNativeProperties = ur_context_native_properties_t, CONTEXT_NATIVE_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// true if UR takes over the native handle and destroys it with the context
        [in] isNativeHandleOwned: bool,
    }

    /// Application function called when a context is destroyed.
    callback ContextExtendedDeleter = ur_context_extended_deleter_t {
        /// the pointer that was registered together with the function
        [inout] pUserData: *mut c_void,
    }
}
