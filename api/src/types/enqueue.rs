// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Flags of mapping and migration commands.

use super::*;

ur_types! {
    /// Bits that alter how a kernel launch is carried out.
    flags KernelLaunchFlags = ur_kernel_launch_flags_t, UR_KERNEL_LAUNCH_FLAG_ {
        /// Launch cooperatively: all work-groups are resident together and may synchronize with each other
        COOPERATIVE = 1 << 0,
        /// Where possible, serialize launches opportunistically on one native queue (CUDA: programmatic stream
        /// serialization)
        OPPORTUNISTIC_QUEUE_SERIALIZE = 1 << 1,
    }

    /// Head of the extra launch properties of a kernel; cluster and work-group memory properties hang off its pNext
    /// chain.
    struct KernelLaunchExtProperties = ur_kernel_launch_ext_properties_t, KERNEL_LAUNCH_EXT_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// launch flag bits; 0 for an ordinary launch
        [in] flags: KernelLaunchFlags,
    }

    /// Groups work-groups into clusters for one launch (CUDA: thread block clusters).
    struct KernelLaunchClusterProperty = ur_kernel_launch_cluster_property_t, KERNEL_LAUNCH_CLUSTER_PROPERTY {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// cluster extent in x, y, z, counted in work-groups; each must divide the group count evenly
        [in] clusterDim: [u32; 3],
    }

    /// Requests dynamic work-group local memory for one launch.
    struct KernelLaunchWorkgroupProperty = ur_kernel_launch_workgroup_property_t, KERNEL_LAUNCH_WORKGROUP_PROPERTY {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// bytes of dynamic local memory per work-group; 0 requests none
        [in] workgroup_mem_size: usize,
    }

    /// Bits that say what the host will do with a mapped region.
    flags MapFlags = ur_map_flags_t, UR_MAP_FLAG_ {
        /// The host will read the region; current contents are made visible
        READ = 1 << 0,
        /// The host will modify the region; current contents are kept
        WRITE = 1 << 1,
        /// The host will overwrite the whole region, so old contents need not be brought over
        WRITE_INVALIDATE_REGION = 1 << 2,
    }

    /// Bits that give the direction of a USM prefetch.
    flags UsmMigrationFlags = ur_usm_migration_flags_t, UR_USM_MIGRATION_FLAG_ {
        /// Move pages towards the queue's device
        HOST_TO_DEVICE = 1 << 0,
        /// Move pages towards host memory
        DEVICE_TO_HOST = 1 << 1,
    }
}
