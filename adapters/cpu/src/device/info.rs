// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The answers to `urDeviceGetInfo`.

use oxur_fork::OnceLock;

use kit::ur::*;
use kit::{InfoOut, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::limits::FloatCapabilities;
use oxur_device_cpu::machine::memory;
use oxur_device_cpu::{disabled, limits};

use super::{Device, as_gpu, identity, partition};
use crate::ipc;
use crate::queue::QUEUE_FLAGS;

/// OpenCL's extensions that the compiler supports. SYCL runtimes derive aspects from this list.
pub(super) const EXTENSIONS: &str = "cl_khr_fp64 cl_khr_fp16 \
    cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics \
    cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics \
    cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_ext_float_atomics \
    cl_khr_byte_addressable_store cl_khr_3d_image_writes cl_khr_il_program cl_khr_spirv_linkonce_odr \
    cl_khr_suggested_local_work_size cl_khr_extended_bit_ops cl_khr_kernel_clock cl_khr_device_uuid \
    cl_khr_subgroups cl_khr_subgroup_ballot cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative \
    cl_khr_subgroup_extended_types cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_non_uniform_vote \
    cl_khr_subgroup_clustered_reduce cl_khr_subgroup_rotate \
    cl_intel_subgroups cl_intel_subgroups_char cl_intel_subgroups_short cl_intel_subgroups_long \
    cl_intel_spirv_subgroups cl_intel_required_subgroup_size \
    cl_intel_unified_shared_memory cl_intel_devicelib_assert";

/// The extensions that the user has not disabled.
pub(crate) fn extensions() -> &'static str {
    static EXTENSIONS_LEFT: OnceLock<String> = OnceLock::new();
    EXTENSIONS_LEFT.get_or_init(|| disabled::extensions(EXTENSIONS))
}

/// The capabilities of a feature, or zero if the feature is disabled.
fn unless_without(name: &str, number: u32) -> u32 {
    if disabled::is(name) { 0 } else { number }
}

/// The versions of SPIR-V that the compiler accepts.
pub(crate) const IL_VERSION: &str = "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4 SPIR-V_1.5 SPIR-V_1.6";

type Usm = DeviceUsmAccessCapabilityFlags;

/// Kernels and the host may access all memory at the same time, however it was allocated.
const USM: Usm = Usm::ACCESS
    .union(Usm::ATOMIC_ACCESS)
    .union(Usm::CONCURRENT_ACCESS)
    .union(Usm::ATOMIC_CONCURRENT_ACCESS);

type Fp = DeviceFpCapabilityFlags;

/// UR's flags for the capabilities of a floating-point type.
fn float_flags(capabilities: FloatCapabilities) -> Fp {
    let mut flags = Fp::ROUND_TO_NEAREST | Fp::INF_NAN | Fp::DENORM;
    flags.set(Fp::FMA, capabilities.fma);
    flags.set(Fp::ROUND_TO_ZERO | Fp::ROUND_TO_INF, capabilities.directed_rounding);
    flags.set(Fp::CORRECTLY_ROUNDED_DIVIDE_SQRT, capabilities.rounded_divide_sqrt);
    flags
}

impl Device {
    /// Answers a query.
    pub(super) fn answer(&self, query: DeviceInfo, out: InfoOut<'_>) -> UrResult<()> {
        let f = &self.facts;
        match query {
            // Identity.
            DeviceInfo::NAME => out.str(&f.name),
            DeviceInfo::VENDOR => out.str(&f.vendor),
            DeviceInfo::VENDOR_ID => out.value(as_gpu::vendor_id(identity::vendor_id(f.vendor_id))),
            DeviceInfo::DEVICE_ID | DeviceInfo::IP_VERSION => out.value(f.signature),
            DeviceInfo::DRIVER_VERSION => out.str(env!("CARGO_PKG_VERSION")),
            DeviceInfo::VERSION => out.str(concat!("OpenCL 3.0 oxur ", env!("CARGO_PKG_VERSION"))),
            DeviceInfo::BACKEND_RUNTIME_VERSION => out.str("3.0"),
            DeviceInfo::EXTENSIONS => out.str(extensions()),
            DeviceInfo::IL_VERSION => out.str(IL_VERSION),
            DeviceInfo::UUID => out.value(f.uuid(&self.cpus)),

            // Compute units.
            DeviceInfo::MAX_COMPUTE_UNITS => out.value(as_gpu::compute_units(self.cpus.len() as u32)),
            DeviceInfo::MAX_CLOCK_FREQUENCY => out.value(f.clock),
            DeviceInfo::IS_INTEGRATED_GPU => out.bool(false),
            DeviceInfo::HOST_UNIFIED_MEMORY | DeviceInfo::AVAILABLE => out.bool(true),

            // Work-items.
            DeviceInfo::MAX_WORK_ITEM_SIZES => out.value([as_gpu::work_group_size(); 3]),
            DeviceInfo::MAX_WORK_GROUP_SIZE => out.value(as_gpu::work_group_size()),
            DeviceInfo::MAX_PARAMETER_SIZE => out.value(limits::ARGUMENTS),
            DeviceInfo::MAX_NUM_SUB_GROUPS => out.value(limits::SUB_GROUPS as u32),
            DeviceInfo::SUB_GROUP_SIZES_INTEL => out.slice(&limits::SUB_GROUP_SIZES),

            // Arithmetic.
            DeviceInfo::HALF_FP_CONFIG => out.value(float_flags(limits::HALF)),
            DeviceInfo::SINGLE_FP_CONFIG => out.value(float_flags(limits::FLOAT)),
            DeviceInfo::DOUBLE_FP_CONFIG => out.value(unless_without("fp64", float_flags(limits::DOUBLE).bits())),
            // The compiler vectorizes across work-items, so kernels need no vector types.
            DeviceInfo::PREFERRED_VECTOR_WIDTH_CHAR
            | DeviceInfo::PREFERRED_VECTOR_WIDTH_SHORT
            | DeviceInfo::PREFERRED_VECTOR_WIDTH_INT
            | DeviceInfo::PREFERRED_VECTOR_WIDTH_LONG
            | DeviceInfo::PREFERRED_VECTOR_WIDTH_HALF
            | DeviceInfo::PREFERRED_VECTOR_WIDTH_FLOAT => out.value(1u32),
            DeviceInfo::PREFERRED_VECTOR_WIDTH_DOUBLE => out.value(unless_without("fp64", 1)),
            DeviceInfo::NATIVE_VECTOR_WIDTH_CHAR => out.value(f.vector),
            DeviceInfo::NATIVE_VECTOR_WIDTH_SHORT | DeviceInfo::NATIVE_VECTOR_WIDTH_HALF => out.value(f.vector / 2),
            DeviceInfo::NATIVE_VECTOR_WIDTH_INT | DeviceInfo::NATIVE_VECTOR_WIDTH_FLOAT => out.value(f.vector / 4),
            DeviceInfo::NATIVE_VECTOR_WIDTH_LONG => out.value(f.vector / 8),
            DeviceInfo::NATIVE_VECTOR_WIDTH_DOUBLE => out.value(unless_without("fp64", f.vector / 8)),

            // Atomics.
            DeviceInfo::ATOMIC_64 => out.bool(!disabled::is("atomic64")),
            // The processor's, which counts up for all of the device.
            DeviceInfo::CLOCK_DEVICE_SUPPORT_EXP
            | DeviceInfo::CLOCK_WORK_GROUP_SUPPORT_EXP
            | DeviceInfo::CLOCK_SUB_GROUP_SUPPORT_EXP => out.bool(true),

            // Memory.
            DeviceInfo::GLOBAL_MEM_SIZE => out.value(f.memory),
            DeviceInfo::GLOBAL_MEM_FREE => match memory::available() {
                Some(bytes) => out.value(bytes),
                None => out.unsupported(),
            },
            DeviceInfo::GLOBAL_MEM_CACHELINE_SIZE => out.value(f.cache_line),
            DeviceInfo::GLOBAL_MEM_CACHE_SIZE => out.value(f.cache),
            DeviceInfo::MAX_MEM_ALLOC_SIZE | DeviceInfo::MAX_CONSTANT_BUFFER_SIZE => out.value(self.max_alloc() as u64),
            // In bits.
            DeviceInfo::MEM_BASE_ADDR_ALIGN => out.value(limits::ALIGNMENT as u32 * 8),
            DeviceInfo::MAX_CONSTANT_ARGS => out.value(limits::IMAGE_ARGUMENTS),
            DeviceInfo::LOCAL_MEM_TYPE => out.value(DeviceLocalMemType::GLOBAL),
            DeviceInfo::LOCAL_MEM_SIZE => out.value(limits::LOCAL_MEMORY as u64),
            DeviceInfo::USM_HOST_SUPPORT
            | DeviceInfo::USM_DEVICE_SUPPORT
            | DeviceInfo::USM_SINGLE_SHARED_SUPPORT
            | DeviceInfo::USM_CROSS_SHARED_SUPPORT
            | DeviceInfo::USM_SYSTEM_SHARED_SUPPORT => out.value(USM),
            DeviceInfo::USM_POOL_SUPPORT
            | DeviceInfo::USM_CONTEXT_MEMCPY_SUPPORT_EXP
            | DeviceInfo::USM_P2P_SUPPORT_EXP
            | DeviceInfo::IPC_PHYSICAL_MEMORY_SUPPORT_EXP
            | DeviceInfo::IPC_EVENT_SUPPORT_EXP
            | DeviceInfo::USM_HOST_ALLOC_REGISTER_SUPPORT_EXP
            | DeviceInfo::ASYNC_USM_ALLOCATIONS_SUPPORT_EXP
            | DeviceInfo::VIRTUAL_MEMORY_SUPPORT => out.bool(true),

            DeviceInfo::IPC_MEMORY_SUPPORT_EXP => out.bool(ipc::shares_usm()),

            // Images.
            DeviceInfo::IMAGE_SUPPORT | DeviceInfo::IMAGE_SRGB => out.bool(true),
            DeviceInfo::MAX_READ_IMAGE_ARGS
            | DeviceInfo::MAX_WRITE_IMAGE_ARGS
            | DeviceInfo::MAX_READ_WRITE_IMAGE_ARGS
            | DeviceInfo::MAX_SAMPLERS => out.value(limits::IMAGE_ARGUMENTS),
            DeviceInfo::IMAGE2D_MAX_WIDTH | DeviceInfo::IMAGE2D_MAX_HEIGHT => out.value(limits::IMAGE_2D),
            DeviceInfo::IMAGE3D_MAX_WIDTH | DeviceInfo::IMAGE3D_MAX_HEIGHT | DeviceInfo::IMAGE3D_MAX_DEPTH => {
                out.value(limits::IMAGE_3D)
            }
            // In pixels, each of up to 16 bytes.
            DeviceInfo::IMAGE_MAX_BUFFER_SIZE => out.value(self.max_alloc() / 16),
            DeviceInfo::IMAGE_MAX_ARRAY_SIZE => out.value(limits::IMAGE_ARRAY),

            // Queues and clocks.
            DeviceInfo::QUEUE_ON_HOST_PROPERTIES => out.value(QUEUE_FLAGS),
            DeviceInfo::PROFILING_TIMER_RESOLUTION => out.value(1usize),
            DeviceInfo::TIMESTAMP_RECORDING_SUPPORT_EXP
            | DeviceInfo::ENQUEUE_HOST_TASK_SUPPORT_EXP
            | DeviceInfo::REUSABLE_EVENTS_SUPPORT_EXP
            | DeviceInfo::PER_EVENT_PROFILING_SUPPORT_EXP => out.bool(true),

            // Programs.
            DeviceInfo::COMPILER_AVAILABLE
            | DeviceInfo::LINKER_AVAILABLE
            | DeviceInfo::PROGRAM_SET_SPECIALIZATION_CONSTANTS
            | DeviceInfo::MULTI_DEVICE_COMPILE_SUPPORT_EXP
            | DeviceInfo::DYNAMIC_LINK_SUPPORT_EXP
            | DeviceInfo::GLOBAL_VARIABLE_SUPPORT
            | DeviceInfo::USE_NATIVE_ASSERT => out.bool(true),
            DeviceInfo::PRINTF_BUFFER_SIZE => out.value(limits::PRINTF_BUFFER),
            DeviceInfo::PREFERRED_INTEROP_USER_SYNC => out.bool(false),
            DeviceInfo::KERNEL_LAUNCH_CAPABILITIES => out.value(KernelLaunchPropertiesFlags::COOPERATIVE),

            // Sub-devices.
            DeviceInfo::PARTITION_MAX_SUB_DEVICES => out.value(match self.cpus.len() {
                1 => 0,
                cpus => cpus as u32,
            }),
            DeviceInfo::SUPPORTED_PARTITIONS => out.slice(&self.partitions()),
            DeviceInfo::PARTITION_AFFINITY_DOMAIN => out.value(partition::flags_of(self.domains())),
            DeviceInfo::PARTITION_TYPE => out.slice(&self.made_by),
            _ => kit::default_device_info::<crate::Cpu>(query, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_has_its_extensions() {
        for extension in disabled::all_extensions() {
            assert!(EXTENSIONS.split(' ').any(|name| name == extension), "{extension}");
        }
    }
}
