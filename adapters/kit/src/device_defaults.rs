// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a device answers to `urDeviceGetInfo` unless its adapter knows better.

use oxur_api::*;

use crate::{Backend, CommandBuffer, Graph, InfoOut, Settings, UrResult};

/// Every memory order. (`MemoryOrderCapabilityFlags::all` has the bits of releases to come, too.)
const ALL_MEMORY_ORDERS: MemoryOrderCapabilityFlags = MemoryOrderCapabilityFlags::RELAXED
    .union(MemoryOrderCapabilityFlags::ACQUIRE)
    .union(MemoryOrderCapabilityFlags::RELEASE)
    .union(MemoryOrderCapabilityFlags::ACQ_REL)
    .union(MemoryOrderCapabilityFlags::SEQ_CST);

/// Every memory scope.
const ALL_MEMORY_SCOPES: MemoryScopeCapabilityFlags = MemoryScopeCapabilityFlags::WORK_ITEM
    .union(MemoryScopeCapabilityFlags::SUB_GROUP)
    .union(MemoryScopeCapabilityFlags::WORK_GROUP)
    .union(MemoryScopeCapabilityFlags::DEVICE)
    .union(MemoryScopeCapabilityFlags::SYSTEM);

/// Answers a query for an adapter that has no answer of its own: optional features are absent, what the kit does for every
/// adapter is present, limits that a device does not have are as high as they go, what all devices of today have in common is
/// told, and all else is unsupported.
pub fn default_device_info<B: Backend>(query: DeviceInfo, out: InfoOut<'_>) -> UrResult<()> {
    match query {
        DeviceInfo::KERNEL_SET_SPECIALIZATION_CONSTANTS
        | DeviceInfo::PROGRAM_SET_SPECIALIZATION_CONSTANTS
        | DeviceInfo::ASYNC_BARRIER
        | DeviceInfo::MEM_CHANNEL_SUPPORT
        | DeviceInfo::HOST_PIPE_READ_WRITE_SUPPORT
        | DeviceInfo::VIRTUAL_MEMORY_SUPPORT
        | DeviceInfo::ESIMD_SUPPORT
        | DeviceInfo::GLOBAL_VARIABLE_SUPPORT
        | DeviceInfo::USM_POOL_SUPPORT
        | DeviceInfo::BFLOAT16_CONVERSIONS_NATIVE
        | DeviceInfo::BINDLESS_IMAGES_SUPPORT_EXP
        | DeviceInfo::BINDLESS_IMAGES_SHARED_USM_SUPPORT_EXP
        | DeviceInfo::BINDLESS_IMAGES_1D_USM_SUPPORT_EXP
        | DeviceInfo::BINDLESS_IMAGES_2D_USM_SUPPORT_EXP
        | DeviceInfo::BINDLESS_IMAGES_GATHER_SUPPORT_EXP
        | DeviceInfo::BINDLESS_SAMPLED_IMAGE_FETCH_1D_USM_SUPPORT_EXP
        | DeviceInfo::BINDLESS_SAMPLED_IMAGE_FETCH_1D_SUPPORT_EXP
        | DeviceInfo::BINDLESS_SAMPLED_IMAGE_FETCH_2D_USM_SUPPORT_EXP
        | DeviceInfo::BINDLESS_SAMPLED_IMAGE_FETCH_2D_SUPPORT_EXP
        | DeviceInfo::BINDLESS_SAMPLED_IMAGE_FETCH_3D_SUPPORT_EXP
        | DeviceInfo::BINDLESS_UNIQUE_ADDRESSING_PER_DIM_SUPPORT_EXP
        | DeviceInfo::BINDLESS_SAMPLE_1D_USM_SUPPORT_EXP
        | DeviceInfo::BINDLESS_SAMPLE_2D_USM_SUPPORT_EXP
        | DeviceInfo::IMAGE_ARRAY_SUPPORT_EXP
        | DeviceInfo::MIPMAP_SUPPORT_EXP
        | DeviceInfo::MIPMAP_ANISOTROPY_SUPPORT_EXP
        | DeviceInfo::MIPMAP_LEVEL_REFERENCE_SUPPORT_EXP
        | DeviceInfo::CUBEMAP_SUPPORT_EXP
        | DeviceInfo::CUBEMAP_SEAMLESS_FILTERING_SUPPORT_EXP
        | DeviceInfo::EXTERNAL_MEMORY_IMPORT_SUPPORT_EXP
        | DeviceInfo::EXTERNAL_SEMAPHORE_IMPORT_SUPPORT_EXP
        | DeviceInfo::MEMORY_EXPORT_EXPORTABLE_DEVICE_MEM_EXP
        | DeviceInfo::IPC_MEMORY_SUPPORT_EXP
        | DeviceInfo::IPC_PHYSICAL_MEMORY_SUPPORT_EXP
        | DeviceInfo::IPC_EVENT_SUPPORT_EXP
        | DeviceInfo::REUSABLE_EVENTS_SUPPORT_EXP
        | DeviceInfo::LOW_POWER_EVENTS_SUPPORT_EXP
        | DeviceInfo::PER_EVENT_PROFILING_SUPPORT_EXP
        | DeviceInfo::TIMESTAMP_RECORDING_SUPPORT_EXP
        | DeviceInfo::CLOCK_DEVICE_SUPPORT_EXP
        | DeviceInfo::CLOCK_WORK_GROUP_SUPPORT_EXP
        | DeviceInfo::CLOCK_SUB_GROUP_SUPPORT_EXP
        | DeviceInfo::ASYNC_USM_ALLOCATIONS_SUPPORT_EXP
        | DeviceInfo::USM_HOST_ALLOC_REGISTER_SUPPORT_EXP
        | DeviceInfo::USM_P2P_SUPPORT_EXP
        | DeviceInfo::USM_CONTEXT_MEMCPY_SUPPORT_EXP
        | DeviceInfo::MULTI_DEVICE_COMPILE_SUPPORT_EXP
        | DeviceInfo::DYNAMIC_LINK_SUPPORT_EXP
        | DeviceInfo::DEVICE_WAIT_SUPPORT_EXP
        | DeviceInfo::ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP
        | DeviceInfo::ENQUEUE_HOST_TASK_SUPPORT_EXP
        | DeviceInfo::IMAGE_SUPPORT
        | DeviceInfo::IMAGE_SRGB
        | DeviceInfo::ERROR_CORRECTION_SUPPORT
        | DeviceInfo::SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS
        | DeviceInfo::BUILD_ON_SUBDEVICE
        | DeviceInfo::USE_NATIVE_ASSERT => out.bool(false),
        DeviceInfo::MAX_READ_IMAGE_ARGS
        | DeviceInfo::MAX_WRITE_IMAGE_ARGS
        | DeviceInfo::MAX_READ_WRITE_IMAGE_ARGS
        | DeviceInfo::MAX_SAMPLERS
        | DeviceInfo::PARTITION_MAX_SUB_DEVICES => out.value(0u32),
        DeviceInfo::IMAGE2D_MAX_WIDTH
        | DeviceInfo::IMAGE2D_MAX_HEIGHT
        | DeviceInfo::IMAGE3D_MAX_WIDTH
        | DeviceInfo::IMAGE3D_MAX_HEIGHT
        | DeviceInfo::IMAGE3D_MAX_DEPTH
        | DeviceInfo::IMAGE_MAX_BUFFER_SIZE
        | DeviceInfo::IMAGE_MAX_ARRAY_SIZE => out.value(0usize),
        DeviceInfo::SUPPORTED_PARTITIONS => out.slice::<DevicePartition>(&[]),
        DeviceInfo::PARTITION_AFFINITY_DOMAIN => out.value(DeviceAffinityDomainFlags::empty()),
        DeviceInfo::PARTITION_TYPE => out.slice::<DevicePartitionProperty>(&[]),
        DeviceInfo::QUEUE_ON_DEVICE_PROPERTIES => out.value(QueueFlags::empty()),
        DeviceInfo::PROFILE => out.str("FULL_PROFILE"),
        DeviceInfo::BUILT_IN_KERNELS => out.str(""),
        DeviceInfo::ADDRESS_BITS => out.value(usize::BITS),
        DeviceInfo::ENDIAN_LITTLE => out.bool(cfg!(target_endian = "little")),
        DeviceInfo::EXECUTION_CAPABILITIES => out.value(DeviceExecCapabilityFlags::KERNEL),
        DeviceInfo::MAX_WORK_ITEM_DIMENSIONS => out.value(3u32),
        DeviceInfo::GLOBAL_MEM_CACHE_TYPE => out.value(DeviceMemCacheType::READ_WRITE_CACHE),
        DeviceInfo::ATOMIC_MEMORY_ORDER_CAPABILITIES | DeviceInfo::ATOMIC_FENCE_ORDER_CAPABILITIES => {
            out.value(ALL_MEMORY_ORDERS)
        }
        DeviceInfo::ATOMIC_MEMORY_SCOPE_CAPABILITIES | DeviceInfo::ATOMIC_FENCE_SCOPE_CAPABILITIES => {
            out.value(ALL_MEMORY_SCOPES)
        }
        DeviceInfo::LOCAL_MEM_TYPE => out.value(DeviceLocalMemType::LOCAL),
        DeviceInfo::COMMAND_BUFFER_SUPPORT_EXP
        | DeviceInfo::COMMAND_BUFFER_EVENT_SUPPORT_EXP
        | DeviceInfo::COMMAND_BUFFER_SUBGRAPH_SUPPORT_EXP => out.bool(B::CommandBuffer::SUPPORTED),
        DeviceInfo::GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP => out.bool(B::Graph::SUPPORTED),
        DeviceInfo::COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP if B::CommandBuffer::SUPPORTED => {
            out.value(Settings::UPDATES | DeviceCommandBufferUpdateCapabilityFlags::EVENTS)
        }
        DeviceInfo::KERNEL_LAUNCH_CAPABILITIES => out.value(KernelLaunchPropertiesFlags::empty()),
        DeviceInfo::_2D_BLOCK_ARRAY_CAPABILITIES_EXP => out.value(0u32),
        DeviceInfo::MAX_WORK_GROUPS_3D => out.value([usize::MAX; 3]),
        // None of 134 to 139, which were numbered one lower once, has an answer here.
        DeviceInfo::MAX_WORK_GROUPS => out.value_since_2026_2(usize::MAX),
        DeviceInfo::MAX_COMPUTE_QUEUE_INDICES => out.value(1u32),
        _ => out.unsupported(),
    }
}

/// The widths of vectors of char, short, int, long, float, double and half: the preferred and the native one of each. Whether
/// a query asks for one of them, and which.
pub fn vector_width(query: DeviceInfo, widths: &[[u32; 2]; 7]) -> Option<u32> {
    let (of, native) = match query {
        DeviceInfo::PREFERRED_VECTOR_WIDTH_CHAR => (0, 0),
        DeviceInfo::PREFERRED_VECTOR_WIDTH_SHORT => (1, 0),
        DeviceInfo::PREFERRED_VECTOR_WIDTH_INT => (2, 0),
        DeviceInfo::PREFERRED_VECTOR_WIDTH_LONG => (3, 0),
        DeviceInfo::PREFERRED_VECTOR_WIDTH_FLOAT => (4, 0),
        DeviceInfo::PREFERRED_VECTOR_WIDTH_DOUBLE => (5, 0),
        DeviceInfo::PREFERRED_VECTOR_WIDTH_HALF => (6, 0),
        DeviceInfo::NATIVE_VECTOR_WIDTH_CHAR => (0, 1),
        DeviceInfo::NATIVE_VECTOR_WIDTH_SHORT => (1, 1),
        DeviceInfo::NATIVE_VECTOR_WIDTH_INT => (2, 1),
        DeviceInfo::NATIVE_VECTOR_WIDTH_LONG => (3, 1),
        DeviceInfo::NATIVE_VECTOR_WIDTH_FLOAT => (4, 1),
        DeviceInfo::NATIVE_VECTOR_WIDTH_DOUBLE => (5, 1),
        DeviceInfo::NATIVE_VECTOR_WIDTH_HALF => (6, 1),
        _ => return None,
    };
    Some(widths[of][native])
}

/// A query that is the same as another one by that one's name: adapters answer only this.
pub(crate) fn canonical(query: DeviceInfo) -> DeviceInfo {
    match query {
        DeviceInfo::NUM_COMPUTE_UNITS => DeviceInfo::MAX_COMPUTE_UNITS,
        DeviceInfo::QUEUE_PROPERTIES => DeviceInfo::QUEUE_ON_HOST_PROPERTIES,
        // A `long` has 64 bits, as has `long long`.
        DeviceInfo::PREFERRED_VECTOR_WIDTH_LONG_LONG => DeviceInfo::PREFERRED_VECTOR_WIDTH_LONG,
        DeviceInfo::NATIVE_VECTOR_WIDTH_LONG_LONG => DeviceInfo::NATIVE_VECTOR_WIDTH_LONG,
        other => other,
    }
}
