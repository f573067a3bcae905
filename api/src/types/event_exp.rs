// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Event (experimental).

use super::*;

ur_types! {
    /// Bits that select the abilities of a reusable event.
    flags ExpEventFlags = ur_exp_event_flags_t, UR_EXP_EVENT_FLAG_ {
        /// Record start and end timestamps each time the event is signalled
        ENABLE_PROFILING = 1 << 0,
        /// Allow export to other processes by IPC handle; excludes UR_EXP_EVENT_FLAG_ENABLE_PROFILING
        IPC_EXP = 1 << 1,
    }

    /// Describes a reusable event to create.
    struct ExpEventDesc = ur_exp_event_desc_t, EXP_EVENT_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// event flag bits; 0 for a plain event
        [in] flags: ExpEventFlags,
    }
}
