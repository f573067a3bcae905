// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Async alloc (experimental).

use super::*;

ur_types! {
    /// Modifiers of a queue-ordered USM allocation; none is defined yet.
    flags ExpAsyncUsmAllocFlags = ur_exp_async_usm_alloc_flags_t, UR_EXP_ASYNC_USM_ALLOC_FLAG_ {
        /// Placeholder bit without effect
        TBD = 1 << 0,
    }

    /// Extra settings for the queue-ordered USM allocation entry points.
    struct ExpAsyncUsmAllocProperties = ur_exp_async_usm_alloc_properties_t, EXP_ASYNC_USM_ALLOC_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// bit set of allocation modifiers, normally 0
        [in] flags: ExpAsyncUsmAllocFlags,
    }

    /// Chained to `ur_usm_pool_desc_t`, makes a new pool carve its allocations out of memory that the caller already
    /// owns.
    struct UsmPoolBufferDesc = ur_usm_pool_buffer_desc_t, USM_POOL_BUFFER_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// start of the USM allocation that backs the pool
        [in] pMem: *mut c_void,
        /// length of the backing allocation in bytes
        [in] size: usize,
        /// USM kind (host, device or shared) of the backing allocation
        [in] memType: UsmType,
        /// device that owns the backing allocation; null when it has none
        [in, optional] device: DeviceHandle,
    }
}
