// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Enqueue (experimental).

use super::*;

ur_types! {
    /// Bits that alter urEnqueueHostTaskExp; none is defined yet.
    flags ExpHostTaskFlags = ur_exp_host_task_flags_t, UR_EXP_HOST_TASK_FLAG_ {
        /// Placeholder without meaning, reserved for future use
        TBD = 1 << 0,
    }

    /// Options for urEnqueueHostTaskExp.
    struct ExpHostTaskProperties = ur_exp_host_task_properties_t, EXP_HOST_TASK_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// host task flag bits; 0 for none
        [in] flags: ExpHostTaskFlags,
    }

    /// Host function run in queue order by urEnqueueHostTaskExp; it must not call UR.
    callback ExpHostTaskFunction = ur_exp_host_task_function_t {
        /// data pointer of the enqueue call, despite its name
        [in] pfnHostTask: *mut c_void,
    }

    /// Bits that alter commands taking ur_exp_enqueue_ext_properties_t.
    flags ExpEnqueueExtFlags = ur_exp_enqueue_ext_flags_t, UR_EXP_ENQUEUE_EXT_FLAG_ {
        /// Hint to wait by interrupt instead of polling: less CPU load, later wake-up; ignorable outside Level Zero
        LOW_POWER_EVENTS_SUPPORT = 1 << 11,
    }

    /// Extra options for urEnqueueEventsWaitWithBarrierExt.
    struct ExpEnqueueExtProperties = ur_exp_enqueue_ext_properties_t, EXP_ENQUEUE_EXT_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// extended enqueue flag bits; 0 for none
        [in] flags: ExpEnqueueExtFlags,
    }

    /// Bits that alter urEnqueueNativeCommandExp; none is defined yet.
    flags ExpEnqueueNativeCommandFlags = ur_exp_enqueue_native_command_flags_t, UR_EXP_ENQUEUE_NATIVE_COMMAND_FLAG_ {
        /// Placeholder without meaning, reserved for future use
        TBD = 1 << 0,
    }

    /// Options for urEnqueueNativeCommandExp.
    struct ExpEnqueueNativeCommandProperties = ur_exp_enqueue_native_command_properties_t, EXP_ENQUEUE_NATIVE_COMMAND_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// native command flag bits; 0 for none
        [in] flags: ExpEnqueueNativeCommandFlags,
    }

    /// Host function that submits work through the backend's own API, called during urEnqueueNativeCommandExp.
    callback ExpEnqueueNativeCommandFunction = ur_exp_enqueue_native_command_function_t {
        /// queue whose native handle the work should be submitted to
        [in] hQueue: QueueHandle,
        /// data pointer of the enqueue call, passed unchanged
        [inout] pUserData: *mut c_void,
    }
}
