// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unified shared memory: allocations, pools, advice.

use super::*;

ur_types! {
    /// Hints on the host side of a USM allocation.
    flags UsmHostMemFlags = ur_usm_host_mem_flags_t, UR_USM_HOST_MEM_FLAG_ {
        /// The host touches a shared allocation first, so its pages should start there
        INITIAL_PLACEMENT = 1 << 0,
    }

    /// Hints on the device side of a USM allocation.
    flags UsmDeviceMemFlags = ur_usm_device_mem_flags_t, UR_USM_DEVICE_MEM_FLAG_ {
        /// Map uncached with combined writes: fast streaming stores, slow loads
        WRITE_COMBINED = 1 << 0,
        /// The device touches a shared allocation first, so its pages should start there
        INITIAL_PLACEMENT = 1 << 1,
        /// Kernels never store to the allocation; the host still may
        DEVICE_READ_ONLY = 1 << 2,
    }

    /// Behaviour options of a USM pool.
    flags UsmPoolFlags = ur_usm_pool_flags_t, UR_USM_POOL_FLAG_ {
        /// Clear each block obtained from the driver; reused sub-allocations are not cleared again
        ZERO_INITIALIZE_BLOCK = 1 << 0,
        /// Build on the backend's own pools (e.g. CUmemoryPool) rather than pooling inside UR
        USE_NATIVE_MEMORY_POOL_EXP = 1 << 1,
        /// Promise that kernels only load from the pool's memory; a performance hint
        READ_ONLY_EXP = 1 << 2,
    }

    /// Kind of a USM allocation: where it lives and who may access it.
    enum UsmType = ur_usm_type_t, UR_USM_TYPE_ {
        /// Pointer not known as USM in this context
        UNKNOWN = 0,
        /// Resident in host memory, accessible by the host and by all devices of the context
        HOST = 1,
        /// Resident on one device and not accessible from the host
        DEVICE = 2,
        /// Accessible by host and device at the same address; pages may migrate
        SHARED = 3,
    }

    /// Selects what urUSMGetMemAllocInfo reports.
    enum UsmAllocInfo = ur_usm_alloc_info_t, UR_USM_ALLOC_INFO_ {
        /// Kind of allocation; UR_USM_TYPE_UNKNOWN for foreign pointers
        TYPE = 0 => (UsmType),
        /// First address of the allocation containing the pointer
        BASE_PTR = 1 => (*mut c_void),
        /// Bytes in the whole allocation
        SIZE = 2 => (usize),
        /// Device the allocation was made for; not retained for the caller
        DEVICE = 3 => (DeviceHandle),
        /// Pool that served the allocation; not retained for the caller
        POOL = 4 => (UsmPoolHandle, optional),
    }

    /// Usage hints for a USM range; they affect speed, with no change to results in correct programs.
    flags UsmAdviceFlags = ur_usm_advice_flags_t, UR_USM_ADVICE_FLAG_ {
        /// No particular usage; resets to the driver's own policy
        DEFAULT = 1 << 0,
        /// Loads dominate, so read-only replicas per device pay off
        SET_READ_MOSTLY = 1 << 1,
        /// Withdraws the read-mostly hint
        CLEAR_READ_MOSTLY = 1 << 2,
        /// Pages should stay on the given device where possible
        SET_PREFERRED_LOCATION = 1 << 3,
        /// Withdraws the preferred-device hint
        CLEAR_PREFERRED_LOCATION = 1 << 4,
        /// Atomic operations on the range are rare
        SET_NON_ATOMIC_MOSTLY = 1 << 5,
        /// Withdraws the non-atomic hint
        CLEAR_NON_ATOMIC_MOSTLY = 1 << 6,
        /// Prefer keeping the range in device caches
        BIAS_CACHED = 1 << 7,
        /// Prefer bypassing device caches for the range
        BIAS_UNCACHED = 1 << 8,
        /// The given device is the main user; keep it mapped there
        SET_ACCESSED_BY_DEVICE = 1 << 9,
        /// Withdraws the device-access hint
        CLEAR_ACCESSED_BY_DEVICE = 1 << 10,
        /// The CPU is the main user; keep it mapped there
        SET_ACCESSED_BY_HOST = 1 << 11,
        /// Withdraws the host-access hint
        CLEAR_ACCESSED_BY_HOST = 1 << 12,
        /// Pages should stay in system memory where possible
        SET_PREFERRED_LOCATION_HOST = 1 << 13,
        /// Withdraws the preferred-host hint
        CLEAR_PREFERRED_LOCATION_HOST = 1 << 14,
        /// Coarse-grained coherence suffices: changes need be visible only between kernels
        SET_NON_COHERENT_MEMORY = 1 << 15,
        /// Withdraws the coarse-coherence hint
        CLEAR_NON_COHERENT_MEMORY = 1 << 16,
    }

    /// Reference-counted pool from which USM allocations are served.
    handle UsmPoolHandle = ur_usm_pool_handle_t {}

    /// Head of the descriptor chain of a USM allocation: hints and alignment.
    struct UsmDesc = ur_usm_desc_t, USM_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// usage hints applied to this allocation only
        [in] hints: UsmAdviceFlags,
        /// required alignment in bytes, a power of two; 0 lets the runtime choose
        [in] align: u32,
    }

    /// Chained descriptor with host-side flags, for host and shared allocations.
    struct UsmHostDesc = ur_usm_host_desc_t, USM_HOST_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// host-side allocation hints
        [in] flags: UsmHostMemFlags,
    }

    /// Chained descriptor with device-side flags, for device and shared allocations.
    struct UsmDeviceDesc = ur_usm_device_desc_t, USM_DEVICE_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// device-side allocation hints
        [in] flags: UsmDeviceMemFlags,
    }

    /// Chained descriptor choosing the global-memory partition of a USM allocation (FPGA boards).
    struct UsmAllocLocationDesc = ur_usm_alloc_location_desc_t, USM_ALLOC_LOCATION_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// device-specific number of the partition to allocate from
        [in] location: u32,
    }

    /// Head of the descriptor chain of a USM pool.
    struct UsmPoolDesc = ur_usm_pool_desc_t, USM_POOL_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// behaviour options of the pool
        [in] flags: UsmPoolFlags,
    }

    /// Chained descriptor tuning which requests a pool serves and how it grows.
    struct UsmPoolLimitsDesc = ur_usm_pool_limits_desc_t, USM_POOL_LIMITS_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// largest request in bytes served from pooled blocks; bigger ones bypass the pool
        [in] maxPoolableSize: usize,
        /// bytes the pool asks of the driver at least, each time it grows
        [in] minDriverAllocSize: usize,
    }

    /// Selects what urUSMPoolGetInfo reports.
    enum UsmPoolInfo = ur_usm_pool_info_t, UR_USM_POOL_INFO_ {
        /// Current reference count; a snapshot, useful only for debugging leaks
        REFERENCE_COUNT = 0 => (u32),
        /// Context that owns the pool; not retained for the caller
        CONTEXT = 1 => (ContextHandle),
        /// Bytes the pool keeps reserved before handing unused blocks back
        RELEASE_THRESHOLD_EXP = 0x2050 => (usize),
        /// Upper bound in bytes on the pool's growth
        MAXIMUM_SIZE_EXP = 0x2051 => (usize),
        /// Bytes of driver memory the pool holds now
        RESERVED_CURRENT_EXP = 0x2052 => (usize),
        /// Peak of the reserved bytes so far
        RESERVED_HIGH_EXP = 0x2053 => (usize),
        /// Bytes now handed out to live allocations
        USED_CURRENT_EXP = 0x2054 => (usize),
        /// Peak of the handed-out bytes so far
        USED_HIGH_EXP = 0x2055 => (usize),
    }
}
