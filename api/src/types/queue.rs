// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues.

use super::*;

ur_types! {
    /// Selects what urQueueGetInfo reports.
    enum QueueInfo = ur_queue_info_t, UR_QUEUE_INFO_ {
        /// Context that owns the queue; not retained for the caller
        CONTEXT = 0 => (ContextHandle),
        /// Device the queue feeds; not retained for the caller
        DEVICE = 1 => (DeviceHandle),
        /// Default on-device queue of the queue's device
        DEVICE_DEFAULT = 2 => (QueueHandle),
        /// Flags given at creation
        FLAGS = 3 => (QueueFlags),
        /// Current reference count; a snapshot, useful only for debugging leaks
        REFERENCE_COUNT = 4 => (u32),
        /// Capacity of an on-device queue; UR_RESULT_ERROR_INVALID_QUEUE for host queues
        SIZE = 5 => (u32),
        /// True when no command was pending at the moment of asking
        EMPTY = 6 => (Bool, optional),
    }

    /// Ordering, profiling, priority and submission options of a queue.
    flags QueueFlags = ur_queue_flags_t, UR_QUEUE_FLAG_ {
        /// Commands may overlap or reorder; only events and barriers order them
        OUT_OF_ORDER_EXEC_MODE_ENABLE = 1 << 0,
        /// Record timestamps so that urEventGetProfilingInfo works
        PROFILING_ENABLE = 1 << 1,
        /// Queue fed by kernels (device-side enqueue); requires the out-of-order flag too
        ON_DEVICE = 1 << 2,
        /// Make this the device's default on-device queue
        ON_DEVICE_DEFAULT = 1 << 3,
        /// Caller needs no events from this queue, so the runtime may skip them
        DISCARD_EVENTS = 1 << 4,
        /// Schedule below normal queues; excludes the high-priority flag
        PRIORITY_LOW = 1 << 5,
        /// Schedule above normal queues; excludes the low-priority flag
        PRIORITY_HIGH = 1 << 6,
        /// Hint to collect commands before submission; excludes the immediate flag
        SUBMISSION_BATCHED = 1 << 7,
        /// Hint to submit each command at once; excludes the batched flag
        SUBMISSION_IMMEDIATE = 1 << 8,
        /// CUDA: use the default stream as the queue; ignored elsewhere
        USE_DEFAULT_STREAM = 1 << 9,
        /// CUDA: create streams that order against the default stream; ignored elsewhere
        SYNC_WITH_DEFAULT_STREAM = 1 << 10,
        /// Level Zero hint: wait by interrupt instead of polling, trading latency for CPU time
        LOW_POWER_EVENTS_SUPPORT_EXP = 1 << 11,
    }

    /// Head of the property chain of a queue: its flags.
    struct QueueProperties = ur_queue_properties_t, QUEUE_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// ordering, profiling, priority and submission options
        [in] flags: QueueFlags,
    }

    /// Chained property picking the hardware compute engine of a queue.
    struct QueueIndexProperties = ur_queue_index_properties_t, QUEUE_INDEX_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// engine number as in sycl_ext_intel_queue_index, counted from 0
        [in] computeIndex: u32,
    }

    /// Backend-specific side channel used when queue handles cross the native boundary.
    struct QueueNativeDesc = ur_queue_native_desc_t, QUEUE_NATIVE_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// backend-defined data; with Level Zero it distinguishes queue from immediate command list
        [in, optional] pNativeData: *mut c_void,
    }

    /// Options for adopting a native queue.
    struct QueueNativeProperties = ur_queue_native_properties_t, QUEUE_NATIVE_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// true: UR destroys the native queue together with the last UR reference
        [in] isNativeHandleOwned: bool,
    }
}
