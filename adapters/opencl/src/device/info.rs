// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The answers to `urDeviceGetInfo`.
//!
//! Where Intel's OpenCL adapter has an answer this one has the same, but for what the two adapters themselves can and
//! cannot do. docs/support.md lists the differences.

use kit::ur::*;
use kit::{InfoOut, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use super::{Device, facts, flags, partition};

impl Device {
    /// Answers a query.
    pub(super) fn answer(&self, query: DeviceInfo, out: InfoOut<'_>) -> UrResult<()> {
        let f = self.facts();
        match query {
            // Who it is.
            DeviceInfo::NAME => out.str(&f.name),
            DeviceInfo::VENDOR => out.str(&f.vendor),
            DeviceInfo::VENDOR_ID => out.value(f.vendor_id),
            DeviceInfo::DEVICE_ID => optional(f.intel_id, out),
            DeviceInfo::IP_VERSION => optional(f.intel_ip_version, out),
            DeviceInfo::DRIVER_VERSION => out.str(&f.driver_version),
            DeviceInfo::VERSION => out.str(&f.version),
            DeviceInfo::BACKEND_RUNTIME_VERSION => out.str(&format!("{}.{}", f.number.0.0, f.number.0.1)),
            DeviceInfo::PROFILE => out.str(&f.profile),
            DeviceInfo::EXTENSIONS => out.str(&f.extensions),
            DeviceInfo::IL_VERSION => text(f.il_version.as_deref(), out),
            DeviceInfo::BUILT_IN_KERNELS => out.str(&f.built_in_kernels),
            DeviceInfo::UUID => optional(f.uuid, out),
            DeviceInfo::LUID => optional(f.luid.as_ref().map(|luid| luid.0), out),
            DeviceInfo::NODE_MASK => optional(f.node_mask, out),
            DeviceInfo::PCI_ADDRESS => text(f.pci_address.as_ref().map(|at| &*at.0), out),
            DeviceInfo::PLATFORM => match self.platform() {
                Some(platform) => out.handle(&platform),
                None => Err(ResultCode::ERROR_INVALID_DEVICE.into()),
            },

            // Compute units.
            DeviceInfo::MAX_COMPUTE_UNITS | DeviceInfo::NUM_COMPUTE_UNITS => out.value(f.max_compute_units),
            DeviceInfo::MAX_CLOCK_FREQUENCY => out.value(f.max_clock_frequency),
            DeviceInfo::ADDRESS_BITS => out.value(f.address_bits),
            DeviceInfo::ENDIAN_LITTLE => out.bool(f.endian_little),
            DeviceInfo::ERROR_CORRECTION_SUPPORT => out.bool(f.error_correction),
            DeviceInfo::EXECUTION_CAPABILITIES => out.value(f.execution),
            DeviceInfo::GPU_EU_COUNT => optional(f.gpu_eu_count(), out),
            DeviceInfo::GPU_EU_SLICES => optional(f.intel_slices, out),
            DeviceInfo::GPU_SUBSLICES_PER_SLICE => optional(f.intel_sub_slices, out),
            DeviceInfo::GPU_EU_COUNT_PER_SUBSLICE => optional(f.intel_eus, out),
            DeviceInfo::GPU_HW_THREADS_PER_EU => optional(f.intel_threads, out),
            // OpenCL cannot tell whether a GPU is integrated; that it shares the host's memory is the sign.
            DeviceInfo::IS_INTEGRATED_GPU | DeviceInfo::HOST_UNIFIED_MEMORY => out.bool(f.host_unified_memory),

            // The one fact that may change.
            DeviceInfo::AVAILABLE => out.bool(facts::ask(self.raw, CL_DEVICE_AVAILABLE)?),

            // Work-items.
            DeviceInfo::MAX_WORK_ITEM_DIMENSIONS => out.value(f.max_work_item_dimensions),
            DeviceInfo::MAX_WORK_ITEM_SIZES => out.slice(&f.max_work_item_sizes),
            DeviceInfo::MAX_WORK_GROUP_SIZE => out.value(f.max_work_group_size),
            DeviceInfo::MAX_WORK_GROUPS_3D => out.value([usize::MAX; 3]),
            // OpenCL has no limit. None of 134 to 139, which were numbered one lower once, has an answer here.
            DeviceInfo::MAX_WORK_GROUPS => out.value_since_2026_2(usize::MAX),
            DeviceInfo::MAX_PARAMETER_SIZE => out.value(f.max_parameter_size),
            DeviceInfo::MAX_NUM_SUB_GROUPS => out.value(f.max_num_sub_groups.unwrap_or(1).max(1)),
            DeviceInfo::SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => out.bool(f.sub_group_progress.unwrap_or(false)),
            DeviceInfo::SUB_GROUP_SIZES_INTEL => out.slice(&f.sub_group_sizes.0),

            // Arithmetic.
            DeviceInfo::HALF_FP_CONFIG => out.value(f.half_fp.unwrap_or_default()),
            DeviceInfo::SINGLE_FP_CONFIG => out.value(f.single_fp),
            DeviceInfo::DOUBLE_FP_CONFIG => out.value(f.double_fp),
            DeviceInfo::BFLOAT16_CONVERSIONS_NATIVE => out.bool(self.has_extension("cl_intel_bfloat16_conversions")),
            DeviceInfo::PREFERRED_VECTOR_WIDTH_CHAR => out.value(f.preferred_char),
            DeviceInfo::PREFERRED_VECTOR_WIDTH_SHORT => out.value(f.preferred_short),
            DeviceInfo::PREFERRED_VECTOR_WIDTH_INT => out.value(f.preferred_int),
            // OpenCL's `long` has 64 bits, as has `long long`.
            DeviceInfo::PREFERRED_VECTOR_WIDTH_LONG | DeviceInfo::PREFERRED_VECTOR_WIDTH_LONG_LONG => {
                out.value(f.preferred_long)
            }
            DeviceInfo::PREFERRED_VECTOR_WIDTH_HALF => out.value(f.preferred_half),
            DeviceInfo::PREFERRED_VECTOR_WIDTH_FLOAT => out.value(f.preferred_float),
            DeviceInfo::PREFERRED_VECTOR_WIDTH_DOUBLE => out.value(f.preferred_double),
            DeviceInfo::NATIVE_VECTOR_WIDTH_CHAR => out.value(f.native_char),
            DeviceInfo::NATIVE_VECTOR_WIDTH_SHORT => out.value(f.native_short),
            DeviceInfo::NATIVE_VECTOR_WIDTH_INT => out.value(f.native_int),
            DeviceInfo::NATIVE_VECTOR_WIDTH_LONG | DeviceInfo::NATIVE_VECTOR_WIDTH_LONG_LONG => {
                out.value(f.native_long)
            }
            DeviceInfo::NATIVE_VECTOR_WIDTH_HALF => out.value(f.native_half),
            DeviceInfo::NATIVE_VECTOR_WIDTH_FLOAT => out.value(f.native_float),
            DeviceInfo::NATIVE_VECTOR_WIDTH_DOUBLE => out.value(f.native_double),

            // Atomics.
            DeviceInfo::ATOMIC_64 => out.bool(
                self.has_extension("cl_khr_int64_base_atomics") && self.has_extension("cl_khr_int64_extended_atomics"),
            ),
            DeviceInfo::ATOMIC_MEMORY_ORDER_CAPABILITIES => out.value(flags::memory_orders(self.memory_atomics())),
            DeviceInfo::ATOMIC_MEMORY_SCOPE_CAPABILITIES => out.value(flags::memory_scopes(self.memory_atomics())),
            DeviceInfo::ATOMIC_FENCE_ORDER_CAPABILITIES => out.value(flags::memory_orders(self.fence_atomics())),
            DeviceInfo::ATOMIC_FENCE_SCOPE_CAPABILITIES => out.value(flags::memory_scopes(self.fence_atomics())),

            // Memory.
            DeviceInfo::GLOBAL_MEM_SIZE => out.value(f.global_mem_size),
            DeviceInfo::GLOBAL_MEM_CACHE_TYPE => out.value(f.global_cache_type),
            DeviceInfo::GLOBAL_MEM_CACHELINE_SIZE => out.value(f.global_cacheline_size),
            DeviceInfo::GLOBAL_MEM_CACHE_SIZE => out.value(f.global_cache_size),
            DeviceInfo::MAX_MEM_ALLOC_SIZE => out.value(f.max_mem_alloc_size),
            DeviceInfo::MEM_BASE_ADDR_ALIGN => out.value(f.mem_base_addr_align),
            DeviceInfo::MAX_CONSTANT_BUFFER_SIZE => out.value(f.max_constant_buffer_size),
            DeviceInfo::MAX_CONSTANT_ARGS => out.value(f.max_constant_args),
            DeviceInfo::LOCAL_MEM_TYPE => out.value(f.local_mem_type),
            DeviceInfo::LOCAL_MEM_SIZE => out.value(f.local_mem_size),
            DeviceInfo::MEM_CHANNEL_SUPPORT => out.bool(self.has_extension("cl_intel_mem_channel_property")),
            DeviceInfo::USM_HOST_SUPPORT => out.value(f.usm_host.unwrap_or_default()),
            DeviceInfo::USM_DEVICE_SUPPORT => out.value(f.usm_device.unwrap_or_default()),
            DeviceInfo::USM_SINGLE_SHARED_SUPPORT => out.value(f.usm_single_shared.unwrap_or_default()),
            DeviceInfo::USM_CROSS_SHARED_SUPPORT => out.value(f.usm_cross_shared.unwrap_or_default()),
            DeviceInfo::USM_SYSTEM_SHARED_SUPPORT => out.value(f.usm_system_shared.unwrap_or_default()),
            DeviceInfo::USM_CONTEXT_MEMCPY_SUPPORT_EXP => out.bool(self.ext.enqueue_memcpy.is_some()),
            DeviceInfo::USM_POOL_SUPPORT => out.bool(f.usm_device.is_some_and(|access| !access.is_empty())),

            // Images.
            DeviceInfo::IMAGE_SUPPORT => out.bool(f.images),
            // OpenCL 2 demands the format of every device that has images.
            DeviceInfo::IMAGE_SRGB => out.bool(f.images && self.version() >= (2, 0)),
            DeviceInfo::MAX_READ_IMAGE_ARGS => out.value(f.max_read_image_args),
            DeviceInfo::MAX_WRITE_IMAGE_ARGS => out.value(f.max_write_image_args),
            DeviceInfo::MAX_READ_WRITE_IMAGE_ARGS => optional(f.max_read_write_image_args, out),
            DeviceInfo::IMAGE2D_MAX_WIDTH => out.value(f.image2d_max_width),
            DeviceInfo::IMAGE2D_MAX_HEIGHT => out.value(f.image2d_max_height),
            DeviceInfo::IMAGE3D_MAX_WIDTH => out.value(f.image3d_max_width),
            DeviceInfo::IMAGE3D_MAX_HEIGHT => out.value(f.image3d_max_height),
            DeviceInfo::IMAGE3D_MAX_DEPTH => out.value(f.image3d_max_depth),
            DeviceInfo::IMAGE_MAX_BUFFER_SIZE => out.value(f.image_max_buffer_size),
            DeviceInfo::IMAGE_MAX_ARRAY_SIZE => out.value(f.image_max_array_size),
            DeviceInfo::MAX_SAMPLERS => out.value(f.max_samplers),

            // Queues and clocks.
            DeviceInfo::QUEUE_PROPERTIES | DeviceInfo::QUEUE_ON_HOST_PROPERTIES => out.value(f.host_queue),
            DeviceInfo::QUEUE_ON_DEVICE_PROPERTIES => out.value(f.device_queue.unwrap_or_default()),
            DeviceInfo::MAX_COMPUTE_QUEUE_INDICES => out.value(1u32),
            DeviceInfo::PROFILING_TIMER_RESOLUTION => out.value(f.timer_resolution),
            DeviceInfo::CLOCK_DEVICE_SUPPORT_EXP => out.bool(self.clock(CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR)),
            DeviceInfo::CLOCK_WORK_GROUP_SUPPORT_EXP => {
                out.bool(self.clock(CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR))
            }
            DeviceInfo::CLOCK_SUB_GROUP_SUPPORT_EXP => {
                out.bool(self.clock(CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR))
            }
            DeviceInfo::ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP | DeviceInfo::ENQUEUE_HOST_TASK_SUPPORT_EXP => {
                out.bool(true)
            }

            // Programs.
            DeviceInfo::COMPILER_AVAILABLE => out.bool(f.compiler),
            DeviceInfo::LINKER_AVAILABLE => out.bool(f.linker),
            DeviceInfo::PROGRAM_SET_SPECIALIZATION_CONSTANTS | DeviceInfo::MULTI_DEVICE_COMPILE_SUPPORT_EXP => {
                out.bool(true)
            }
            DeviceInfo::BUILD_ON_SUBDEVICE => out.bool(f.kind == DeviceType::GPU),
            DeviceInfo::GLOBAL_VARIABLE_SUPPORT => {
                out.bool(self.ext.read_global_variable.is_some() && self.ext.write_global_variable.is_some())
            }
            DeviceInfo::USE_NATIVE_ASSERT => out.bool(self.has_extension("cl_intel_devicelib_assert")),
            DeviceInfo::ESIMD_SUPPORT => out.bool(f.kind == DeviceType::GPU && f.vendor_id == INTEL),
            DeviceInfo::PRINTF_BUFFER_SIZE => out.value(f.printf_buffer_size),
            DeviceInfo::PREFERRED_INTEROP_USER_SYNC => out.bool(f.interop_user_sync),
            // None of the properties.
            DeviceInfo::KERNEL_LAUNCH_CAPABILITIES => out.value(KernelLaunchPropertiesFlags::empty()),

            // Parts.
            DeviceInfo::PARENT_DEVICE => match &self.part {
                Some(part) => out.handle(&part.of),
                None => out.value(DeviceHandle::default()),
            },
            DeviceInfo::PARTITION_MAX_SUB_DEVICES => out.value(f.max_sub_devices),
            DeviceInfo::SUPPORTED_PARTITIONS => out.slice(&partition::supported(&f.partitions)),
            DeviceInfo::PARTITION_AFFINITY_DOMAIN => out.value(f.affinity_domains),
            DeviceInfo::PARTITION_TYPE => out.slice(&partition::made_by(&f.partitioned_by)),

            // What OpenCL has no way of doing, or this adapter does not do.
            DeviceInfo::KERNEL_SET_SPECIALIZATION_CONSTANTS
            | DeviceInfo::ASYNC_BARRIER
            | DeviceInfo::HOST_PIPE_READ_WRITE_SUPPORT
            | DeviceInfo::VIRTUAL_MEMORY_SUPPORT
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
            // OpenCL has time stamps of commands only in a queue that was made for them.
            | DeviceInfo::TIMESTAMP_RECORDING_SUPPORT_EXP
            | DeviceInfo::ASYNC_USM_ALLOCATIONS_SUPPORT_EXP
            | DeviceInfo::USM_HOST_ALLOC_REGISTER_SUPPORT_EXP
            | DeviceInfo::USM_P2P_SUPPORT_EXP
            | DeviceInfo::DEVICE_WAIT_SUPPORT_EXP
            | DeviceInfo::DYNAMIC_LINK_SUPPORT_EXP => out.bool(false),
            DeviceInfo::COMMAND_BUFFER_SUPPORT_EXP
            | DeviceInfo::COMMAND_BUFFER_EVENT_SUPPORT_EXP
            | DeviceInfo::COMMAND_BUFFER_SUBGRAPH_SUPPORT_EXP
            | DeviceInfo::GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP => out.bool(true),
            DeviceInfo::COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP => {
                out.value(kit::Settings::UPDATES | DeviceCommandBufferUpdateCapabilityFlags::EVENTS)
            }
            DeviceInfo::_2D_BLOCK_ARRAY_CAPABILITIES_EXP => {
                out.value(0u32)
            }
            _ => out.unsupported(),
        }
    }

    fn memory_atomics(&self) -> cl_device_atomic_capabilities {
        flags::atomics(self.facts.atomic_memory, self.version())
    }

    fn fence_atomics(&self) -> cl_device_atomic_capabilities {
        flags::atomics(self.facts.atomic_fence, self.version())
    }

    /// Whether kernels can read a clock of a scope.
    fn clock(&self, scope: u64) -> bool {
        self.facts.kernel_clock.is_some_and(|scopes| scopes & scope != 0)
    }
}

/// Intel's number among the vendors of PCI.
const INTEL: u32 = 0x8086;

/// What only some drivers say.
fn optional<T: Copy>(value: Option<T>, out: InfoOut<'_>) -> UrResult<()> {
    match value {
        Some(value) => out.value(value),
        None => out.unsupported(),
    }
}

/// As [`optional`].
fn text(value: Option<&str>, out: InfoOut<'_>) -> UrResult<()> {
    match value {
        Some(value) => out.str(value),
        None => out.unsupported(),
    }
}
