// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Adapters.

use super::*;

ur_types! {
    /// Queries understood by `urAdapterGetInfo`.
    enum AdapterInfo = ur_adapter_info_t, UR_ADAPTER_INFO_ {
        /// driver API underneath the adapter
        BACKEND = 0 => (Backend),
        /// current reference count; a snapshot for leak hunting only
        REFERENCE_COUNT = 1 => (u32),
        /// adapter generation, starting at 1; distinguishes coexisting adapters of one backend
        VERSION = 2 => (u32),
    }

    /// Severity of log messages, in ascending order; used as a lower threshold.
    enum LoggerLevel = ur_logger_level_t, UR_LOGGER_LEVEL_ {
        /// diagnostics for developers
        DEBUG = 0,
        /// ordinary progress notices
        INFO = 1,
        /// suspicious conditions that do not stop the call
        WARN = 2,
        /// failures of a call
        ERROR = 3,
        /// as a threshold, silences everything
        QUIET = 4,
    }

    /// Application function that receives log messages; it must be thread-safe.
    callback LoggerCallback = ur_logger_callback_t {
        /// severity of this message
        [out] level: LoggerLevel,
        /// null-terminated message text, valid only during the call
        [inout] pLoggerMsg: *const c_char,
        /// the pointer that was registered together with the callback
        [inout] pUserData: *mut c_void,
    }
}
