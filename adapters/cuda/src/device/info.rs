// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The answers to `urDeviceGetInfo`.

use kit::ur::*;
use kit::{InfoOut, UrResult};
use oxur_adapter_kit as kit;

use super::Device;
use crate::adapter::is_plain_cuda;
use crate::driver::{self, cu};
use crate::{image, ipc, program};

/// NVIDIA's number among the vendors of PCI.
const NVIDIA: u32 = 0x10de;

/// The fewest compute units of a device that passes for one of OpenCL. Programs that know Intel's GPUs divide by their number: oneDPL's
/// radix sort by 8, so that it would launch no work-group on a GPU with fewer multiprocessors, and llama.cpp by 16.
const FEWEST_COMPUTE_UNITS: u32 = 16;

/// The width of vectors: a register has 32 bits.
const VECTORS: [[u32; 2]; 7] = [[4; 2], [2; 2], [1; 2], [1; 2], [1; 2], [1; 2], [2; 2]];

impl Device {
    /// Answers a query: with a fact, with what follows from facts, or with what the kit says of devices in general.
    pub(super) fn answer(&self, query: DeviceInfo, out: InfoOut<'_>) -> UrResult<()> {
        let f = &self.facts;
        if let Some(width) = kit::vector_width(query, &VECTORS) {
            return out.value(width);
        }
        match query {
            DeviceInfo::NAME => out.str(&f.name),
            DeviceInfo::VENDOR => out.str("NVIDIA Corporation"),
            DeviceInfo::VENDOR_ID => out.value(NVIDIA),
            DeviceInfo::DEVICE_ID => out.value(self.raw as u32),
            DeviceInfo::DRIVER_VERSION => out.str(&driver::version_text(driver::version())),
            DeviceInfo::VERSION if is_plain_cuda() => out.str(&format!("{}.{}", f.capability.0, f.capability.1)),
            DeviceInfo::VERSION => out.str(&format!("OpenCL 3.0 sm_{}{}", f.capability.0, f.capability.1)),
            DeviceInfo::BACKEND_RUNTIME_VERSION => out.str(&format!("{}.{}", f.capability.0, f.capability.1)),
            DeviceInfo::EXTENSIONS => out.str(&self.extensions()),
            DeviceInfo::IL_VERSION => out.str("SPIR-V_1.6"),
            DeviceInfo::UUID => out.value(f.uuid),
            DeviceInfo::PCI_ADDRESS => out.str(&f.pci),

            DeviceInfo::MAX_COMPUTE_UNITS if is_plain_cuda() => out.value(f.multiprocessors),
            DeviceInfo::MAX_COMPUTE_UNITS => out.value(f.multiprocessors.max(FEWEST_COMPUTE_UNITS)),
            DeviceInfo::MAX_CLOCK_FREQUENCY => out.value(f.clock / 1000),
            DeviceInfo::COMPILER_AVAILABLE | DeviceInfo::LINKER_AVAILABLE | DeviceInfo::PREFERRED_INTEROP_USER_SYNC => {
                out.bool(true)
            }
            DeviceInfo::ERROR_CORRECTION_SUPPORT => out.bool(f.has_ecc),
            DeviceInfo::AVAILABLE => out.bool(!f.is_prohibited && !driver::is_lost()),
            DeviceInfo::QUEUE_ON_HOST_PROPERTIES => {
                out.value(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE | QueueFlags::PROFILING_ENABLE)
            }
            // Events of CUDA have a resolution of half a microsecond.
            DeviceInfo::PROFILING_TIMER_RESOLUTION => out.value(500_usize),
            DeviceInfo::PRINTF_BUFFER_SIZE => out.value(1_usize << 20),

            DeviceInfo::MAX_WORK_ITEM_SIZES => out.slice(&f.max_block),
            DeviceInfo::MAX_WORK_GROUP_SIZE => out.value(f.max_threads),
            DeviceInfo::MAX_WORK_GROUPS_3D => out.value(f.max_grid),
            DeviceInfo::MAX_PARAMETER_SIZE => out.value(program::MAX_PARAMETERS),
            DeviceInfo::MAX_NUM_SUB_GROUPS => out.value((f.max_threads as u32 / self.sub_group_sizes()[0]).max(1)),
            DeviceInfo::SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => out.bool(f.capability.0 >= 7),
            DeviceInfo::SUB_GROUP_SIZES_INTEL => out.slice(self.sub_group_sizes()),
            DeviceInfo::MAX_REGISTERS_PER_WORK_GROUP => out.value(f.registers),

            DeviceInfo::HALF_FP_CONFIG => out.value(float_config()),
            DeviceInfo::SINGLE_FP_CONFIG => {
                out.value(float_config() | DeviceFpCapabilityFlags::CORRECTLY_ROUNDED_DIVIDE_SQRT)
            }
            DeviceInfo::DOUBLE_FP_CONFIG => out.value(float_config()),
            DeviceInfo::GLOBAL_MEM_SIZE => out.value(f.memory as u64),
            DeviceInfo::GLOBAL_MEM_FREE => out.value(self.free_memory()?),
            DeviceInfo::GLOBAL_MEM_CACHELINE_SIZE => out.value(128_u32),
            DeviceInfo::GLOBAL_MEM_CACHE_SIZE => out.value(f.l2_cache),
            DeviceInfo::MAX_MEM_ALLOC_SIZE => out.value(f.memory as u64),
            DeviceInfo::MEM_BASE_ADDR_ALIGN => out.value(8 * 512_u32),
            DeviceInfo::MAX_CONSTANT_BUFFER_SIZE => out.value(f.constant_memory),
            DeviceInfo::MAX_CONSTANT_ARGS => out.value(9_u32),
            DeviceInfo::LOCAL_MEM_SIZE => out.value(f.shared_memory_optin.max(f.shared_memory) as u64),
            DeviceInfo::HOST_UNIFIED_MEMORY | DeviceInfo::IS_INTEGRATED_GPU => out.bool(f.is_integrated),
            DeviceInfo::MEMORY_CLOCK_RATE if f.memory_clock != 0 => out.value(f.memory_clock / 1000),
            DeviceInfo::MEMORY_BUS_WIDTH => out.value(f.bus_width),
            DeviceInfo::MAX_MEMORY_BANDWIDTH if f.memory_clock != 0 => {
                // Two transfers a cycle.
                out.value(2 * 1000 * u64::from(f.memory_clock) * u64::from(f.bus_width) / 8)
            }
            DeviceInfo::USM_HOST_SUPPORT => out.value(usm_access(true, true, f.has_host_atomics)),
            DeviceInfo::USM_DEVICE_SUPPORT => out.value(usm_access(true, true, true)),
            DeviceInfo::USM_SINGLE_SHARED_SUPPORT | DeviceInfo::USM_CROSS_SHARED_SUPPORT => out.value(usm_access(
                f.has_managed,
                f.has_concurrent_managed,
                f.has_concurrent_managed,
            )),
            DeviceInfo::USM_SYSTEM_SHARED_SUPPORT => {
                out.value(usm_access(f.has_pageable, f.has_pageable, f.has_host_atomics))
            }

            DeviceInfo::ATOMIC_64 => out.bool(f.capability.0 >= 6),
            DeviceInfo::BFLOAT16 | DeviceInfo::BFLOAT16_CONVERSIONS_NATIVE => out.bool(f.capability.0 >= 8),

            DeviceInfo::GLOBAL_VARIABLE_SUPPORT
            | DeviceInfo::CLOCK_DEVICE_SUPPORT_EXP
            | DeviceInfo::CLOCK_WORK_GROUP_SUPPORT_EXP
            | DeviceInfo::CLOCK_SUB_GROUP_SUPPORT_EXP
            | DeviceInfo::USM_POOL_SUPPORT
            | DeviceInfo::MULTI_DEVICE_COMPILE_SUPPORT_EXP
            | DeviceInfo::ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP
            | DeviceInfo::ENQUEUE_HOST_TASK_SUPPORT_EXP
            | DeviceInfo::USM_P2P_SUPPORT_EXP
            | DeviceInfo::USM_CONTEXT_MEMCPY_SUPPORT_EXP
            | DeviceInfo::TIMESTAMP_RECORDING_SUPPORT_EXP
            | DeviceInfo::ASYNC_USM_ALLOCATIONS_SUPPORT_EXP
            | DeviceInfo::REUSABLE_EVENTS_SUPPORT_EXP
            | DeviceInfo::PER_EVENT_PROFILING_SUPPORT_EXP
            | DeviceInfo::USM_HOST_ALLOC_REGISTER_SUPPORT_EXP
            | DeviceInfo::PROGRAM_SET_SPECIALIZATION_CONSTANTS
            | DeviceInfo::USE_NATIVE_ASSERT
            | DeviceInfo::DEVICE_WAIT_SUPPORT_EXP => out.bool(true),
            // Pixels are plain memory, so USM is as good as any other.
            DeviceInfo::IMAGE_SUPPORT
            | DeviceInfo::IMAGE_SRGB
            | DeviceInfo::BINDLESS_IMAGES_SUPPORT_EXP
            | DeviceInfo::BINDLESS_IMAGES_SHARED_USM_SUPPORT_EXP
            | DeviceInfo::BINDLESS_IMAGES_1D_USM_SUPPORT_EXP
            | DeviceInfo::BINDLESS_IMAGES_2D_USM_SUPPORT_EXP
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
            | DeviceInfo::MIPMAP_LEVEL_REFERENCE_SUPPORT_EXP
            | DeviceInfo::CUBEMAP_SUPPORT_EXP => out.bool(true),
            DeviceInfo::MAX_READ_IMAGE_ARGS
            | DeviceInfo::MAX_WRITE_IMAGE_ARGS
            | DeviceInfo::MAX_READ_WRITE_IMAGE_ARGS
            | DeviceInfo::MAX_SAMPLERS => out.value(image::MOST_ARGUMENTS),
            DeviceInfo::IMAGE2D_MAX_WIDTH
            | DeviceInfo::IMAGE2D_MAX_HEIGHT
            | DeviceInfo::MAX_IMAGE_LINEAR_WIDTH_EXP
            | DeviceInfo::MAX_IMAGE_LINEAR_HEIGHT_EXP => out.value(image::LIMITS.sides[1] as usize),
            DeviceInfo::IMAGE3D_MAX_WIDTH | DeviceInfo::IMAGE3D_MAX_HEIGHT | DeviceInfo::IMAGE3D_MAX_DEPTH => {
                out.value(image::LIMITS.sides[2] as usize)
            }
            // In pixels of four 32-bit channels.
            DeviceInfo::IMAGE_MAX_BUFFER_SIZE => out.value(f.memory / 16),
            DeviceInfo::IMAGE_MAX_ARRAY_SIZE => out.value(image::LIMITS.layers as usize),
            DeviceInfo::IMAGE_PITCH_ALIGN_EXP => out.value(image::bindless::PITCH_ALIGN as u32),
            DeviceInfo::MAX_IMAGE_LINEAR_PITCH_EXP => out.value(image::bindless::MOST_PITCH),
            DeviceInfo::MIPMAP_MAX_ANISOTROPY_EXP => out.value(0_u32),
            DeviceInfo::VIRTUAL_MEMORY_SUPPORT => out.bool(f.has_virtual_memory),
            DeviceInfo::IPC_MEMORY_SUPPORT_EXP => out.bool(ipc::shares_usm()),
            DeviceInfo::KERNEL_LAUNCH_CAPABILITIES => {
                let mut all = KernelLaunchPropertiesFlags::empty();
                all.set(KernelLaunchPropertiesFlags::COOPERATIVE, f.has_cooperative);
                all.set(KernelLaunchPropertiesFlags::CLUSTER_DIMENSION, f.has_clusters);
                all.set(KernelLaunchPropertiesFlags::WORK_GROUP_MEMORY, true);
                out.value(all)
            }
            _ => kit::default_device_info::<crate::Cuda>(query, out),
        }
    }

    /// The sizes that kernels may require, the least first: our compiler divides warps, PTX of other compilers does not.
    fn sub_group_sizes(&self) -> &[u32] {
        match is_plain_cuda() {
            true => std::slice::from_ref(&self.facts.warp),
            false => &[8, 16, 32],
        }
    }

    /// How much memory is free.
    fn free_memory(&self) -> UrResult<u64> {
        let _current = self.primary()?.activate()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: places for the sizes.
        unsafe { cu!(cuMemGetInfo(&mut free, &mut total)) }?;
        Ok(free as u64)
    }

    /// What OpenCL would call it: SYCL runtimes look for names of extensions.
    fn extensions(&self) -> String {
        let mut names = vec![
            "cl_khr_il_program",
            "cl_khr_subgroups",
            "cl_khr_3d_image_writes",
            "cl_khr_fp64",
            "cl_khr_int64_base_atomics",
            "cl_khr_int64_extended_atomics",
            "cl_khr_kernel_clock",
            "cl_ext_float_atomics",
            "cl_intel_devicelib_assert",
        ];
        if self.facts.capability >= (5, 3) {
            names.push("cl_khr_fp16");
        }
        if self.facts.capability.0 >= 8 {
            names.push("cl_intel_bfloat16_conversions");
        }
        names.join(" ")
    }
}

fn float_config() -> DeviceFpCapabilityFlags {
    DeviceFpCapabilityFlags::DENORM
        | DeviceFpCapabilityFlags::INF_NAN
        | DeviceFpCapabilityFlags::ROUND_TO_NEAREST
        | DeviceFpCapabilityFlags::ROUND_TO_ZERO
        | DeviceFpCapabilityFlags::ROUND_TO_INF
        | DeviceFpCapabilityFlags::FMA
}

/// What can be done with memory that is there, and whether at the same time as the host, and with atomics of both.
fn usm_access(there: bool, concurrent: bool, concurrent_atomics: bool) -> DeviceUsmAccessCapabilityFlags {
    let mut flags = DeviceUsmAccessCapabilityFlags::empty();
    flags.set(
        DeviceUsmAccessCapabilityFlags::ACCESS | DeviceUsmAccessCapabilityFlags::ATOMIC_ACCESS,
        there,
    );
    flags.set(DeviceUsmAccessCapabilityFlags::CONCURRENT_ACCESS, there && concurrent);
    let atomics = there && concurrent_atomics;
    flags.set(DeviceUsmAccessCapabilityFlags::ATOMIC_CONCURRENT_ACCESS, atomics);
    flags
}
