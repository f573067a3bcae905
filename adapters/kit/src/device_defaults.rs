// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a device answers to `urDeviceGetInfo` unless its adapter knows better.

use oxur_api::{DeviceCommandBufferUpdateCapabilityFlags, DeviceInfo, KernelLaunchPropertiesFlags};

use crate::{Backend, CommandBuffer, Graph, InfoOut, Settings, UrResult};

/// Answers a query for an adapter that has no answer of its own: optional features are absent, what the kit does for every
/// adapter is present, limits that a device does not have are as high as they go, and all else is unsupported.
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
        | DeviceInfo::ENQUEUE_HOST_TASK_SUPPORT_EXP => out.bool(false),
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
