// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Virtual address ranges and the physical memory mapped into them.

use super::*;

ur_types! {
    /// Queries understood by `urVirtualMemGranularityGetInfo`.
    enum VirtualMemGranularityInfo = ur_virtual_mem_granularity_info_t, UR_VIRTUAL_MEM_GRANULARITY_INFO_ {
        /// smallest unit to which sizes and addresses must align, in bytes
        MINIMUM = 0x30100 => (usize),
        /// unit that gives best performance, in bytes
        RECOMMENDED = 0x30101 => (usize),
    }

    /// Access rights of a mapped address range.
    flags VirtualMemAccessFlags = ur_virtual_mem_access_flags_t, UR_VIRTUAL_MEM_ACCESS_FLAG_ {
        /// no access allowed
        NONE = 1 << 0,
        /// loads and stores
        READ_WRITE = 1 << 1,
        /// loads but no stores
        READ_ONLY = 1 << 2,
    }

    /// Queries understood by `urVirtualMemGetInfo`.
    enum VirtualMemInfo = ur_virtual_mem_info_t, UR_VIRTUAL_MEM_INFO_ {
        /// current access rights of the range
        ACCESS_MODE = 0 => (VirtualMemAccessFlags),
    }

    /// Creation flags of physical memory.
    flags PhysicalMemFlags = ur_physical_mem_flags_t, UR_PHYSICAL_MEM_FLAG_ {
        /// allow the storage to be shared with other processes
        ENABLE_IPC = 1 << 1,
    }

    /// Options for creating physical memory.
    struct PhysicalMemProperties = ur_physical_mem_properties_t, PHYSICAL_MEM_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// creation flags; zero for none
        [in] flags: PhysicalMemFlags,
    }

    /// Queries understood by `urPhysicalMemGetInfo`.
    enum PhysicalMemInfo = ur_physical_mem_info_t, UR_PHYSICAL_MEM_INFO_ {
        /// context given at creation
        CONTEXT = 0 => (ContextHandle),
        /// device on which the storage lies
        DEVICE = 1 => (DeviceHandle),
        /// length of the storage in bytes
        SIZE = 2 => (usize),
        /// properties given at creation
        PROPERTIES = 3 => (PhysicalMemProperties),
        /// current reference count; a snapshot for leak hunting only
        REFERENCE_COUNT = 4 => (u32),
    }
}
