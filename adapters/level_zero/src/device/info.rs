// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The answers to `urDeviceGetInfo`. Where Intel's Level Zero adapters have an answer this one has the same, but for what
//! the adapters themselves can and cannot do.

use kit::ur::*;
use kit::{InfoOut, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use super::{Device, facts};
use crate::context::ALIGNMENT;
use crate::conv::{self, usm_access as usm};
use crate::ze::{self, ze};

/// Intel's number among the vendors of PCI.
const INTEL: u32 = 0x8086;
/// Of CPUs that our own driver runs on.
const AMD: u32 = 0x1022;

impl Device {
    /// Answers a query: with a fact, with what follows from facts, or with what the kit says of devices in general.
    pub(super) fn answer(&self, query: DeviceInfo, out: InfoOut<'_>) -> UrResult<()> {
        let f = &self.facts;
        let (p, c, images, access) = (&f.properties, &f.compute, &f.images, &f.access);
        let is_gpu = f.kind == DeviceType::GPU;
        if let Some(width) = kit::vector_width(query, &f.vectors) {
            return out.value(width);
        }
        match query {
            DeviceInfo::NAME => out.str(&f.name),
            DeviceInfo::VENDOR => match p.vendorId {
                INTEL => out.str("Intel(R) Corporation"),
                AMD => out.str("Advanced Micro Devices, Inc."),
                other => out.str(&format!("{other:#06x}")),
            },
            DeviceInfo::VENDOR_ID => out.value(p.vendorId),
            DeviceInfo::DEVICE_ID => out.value(p.deviceId),
            DeviceInfo::DRIVER_VERSION | DeviceInfo::BACKEND_RUNTIME_VERSION => out.str(&self.driver_version()),
            DeviceInfo::VERSION => match (f.ip_version, self.driver.api_version) {
                // The architecture of the device, its release and its revision.
                (Some(ip), _) => out.str(&format!("{}.{}.{}", ip >> 22, ip >> 14 & 0xff, ip & 0x3f)),
                (None, version) => out.str(&format!("{}.{}", version.major(), version.minor())),
            },
            DeviceInfo::EXTENSIONS => out.str(&self.extensions()),
            DeviceInfo::IL_VERSION => {
                let v = f.module.spirvVersionSupported;
                out.str(&format!("SPIR-V_{}.{}", ZE_MAJOR_VERSION(v), ZE_MINOR_VERSION(v)))
            }
            DeviceInfo::UUID => out.value(p.uuid.id),
            DeviceInfo::LUID => out.optional(f.luid.map(|(luid, _)| luid)),
            DeviceInfo::NODE_MASK => out.optional(f.luid.map(|(_, mask)| mask)),
            DeviceInfo::PCI_ADDRESS => match &f.pci {
                Some(address) => out.str(address),
                None => out.unsupported(),
            },
            DeviceInfo::IP_VERSION => out.optional(f.ip_version),

            DeviceInfo::MAX_COMPUTE_UNITS => out.value(f.compute_units()),
            DeviceInfo::MAX_CLOCK_FREQUENCY => out.value(p.coreClockRate),
            DeviceInfo::COMPILER_AVAILABLE | DeviceInfo::LINKER_AVAILABLE | DeviceInfo::PREFERRED_INTEROP_USER_SYNC => {
                out.bool(true)
            }
            DeviceInfo::ERROR_CORRECTION_SUPPORT => out.bool(f.has(ZE_DEVICE_PROPERTY_FLAG_ECC)),
            DeviceInfo::AVAILABLE => {
                // SAFETY: a live device.
                let status = unsafe { ze!(zeDeviceGetStatus(self.raw)) };
                // Drivers need not have the function.
                out.bool(status.map_or_else(|error| error.code() == ResultCode::ERROR_UNSUPPORTED_FEATURE, |()| true))
            }
            DeviceInfo::QUEUE_ON_HOST_PROPERTIES => {
                out.value(QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE | QueueFlags::PROFILING_ENABLE)
            }
            DeviceInfo::PROFILING_TIMER_RESOLUTION => {
                let cycles = p.timerResolution.clamp(1, 1_000_000_000);
                out.value((1_000_000_000 / cycles) as usize)
            }
            DeviceInfo::PRINTF_BUFFER_SIZE => out.value(f.module.printfBufferSize as usize),
            DeviceInfo::MAX_COMPUTE_QUEUE_INDICES => out.value(f.group.numQueues.max(1)),

            DeviceInfo::MAX_WORK_ITEM_SIZES => {
                out.slice(&[c.maxGroupSizeX, c.maxGroupSizeY, c.maxGroupSizeZ].map(|size| size as usize))
            }
            DeviceInfo::MAX_WORK_GROUP_SIZE => out.value(c.maxTotalGroupSize as usize),
            DeviceInfo::MAX_WORK_GROUPS_3D => {
                out.value([c.maxGroupCountX, c.maxGroupCountY, c.maxGroupCountZ].map(|count| count as usize))
            }
            DeviceInfo::MAX_PARAMETER_SIZE => out.value(f.module.maxArgumentsSize as usize),
            DeviceInfo::MAX_NUM_SUB_GROUPS => {
                let smallest = f.sub_group_sizes().iter().copied().min().unwrap_or(1).max(1);
                out.value((c.maxTotalGroupSize / smallest).max(1))
            }
            DeviceInfo::SUB_GROUP_SIZES_INTEL => out.slice(f.sub_group_sizes()),

            DeviceInfo::HALF_FP_CONFIG => out.value(conv::fp_capabilities(f.module.fp16flags)),
            DeviceInfo::SINGLE_FP_CONFIG => out.value(conv::fp_capabilities(f.module.fp32flags)),
            DeviceInfo::DOUBLE_FP_CONFIG => out.value(conv::fp_capabilities(f.module.fp64flags)),
            DeviceInfo::GLOBAL_MEM_SIZE => out.value(f.memory_size()),
            DeviceInfo::GLOBAL_MEM_FREE => out.optional(facts::free_memory(self.raw, &self.driver)),
            DeviceInfo::GLOBAL_MEM_CACHELINE_SIZE => out.value(64_u32),
            DeviceInfo::GLOBAL_MEM_CACHE_SIZE => out.value(f.cache_size),
            DeviceInfo::MAX_MEM_ALLOC_SIZE => out.value(p.maxMemAllocSize),
            // In bits.
            DeviceInfo::MEM_BASE_ADDR_ALIGN => out.value(8 * ALIGNMENT as u32),
            DeviceInfo::MAX_CONSTANT_BUFFER_SIZE => out.value(p.maxMemAllocSize),
            DeviceInfo::MAX_CONSTANT_ARGS => out.value(64_u32),
            DeviceInfo::LOCAL_MEM_SIZE => out.value(u64::from(c.maxSharedLocalMemory)),
            DeviceInfo::HOST_UNIFIED_MEMORY => out.bool(self.is_integrated()),
            DeviceInfo::MEMORY_CLOCK_RATE => out.optional(f.memory.iter().map(|m| m.maxClockRate).max()),
            DeviceInfo::MEMORY_BUS_WIDTH => out.optional(f.memory.iter().map(|m| m.maxBusWidth).max()),
            DeviceInfo::MAX_MEMORY_BANDWIDTH => out.optional(f.bandwidth),
            DeviceInfo::USM_HOST_SUPPORT => out.value(usm(access.hostAllocCapabilities)),
            DeviceInfo::USM_DEVICE_SUPPORT => out.value(usm(access.deviceAllocCapabilities)),
            DeviceInfo::USM_SINGLE_SHARED_SUPPORT => out.value(usm(access.sharedSingleDeviceAllocCapabilities)),
            DeviceInfo::USM_CROSS_SHARED_SUPPORT => out.value(usm(access.sharedCrossDeviceAllocCapabilities)),
            DeviceInfo::USM_SYSTEM_SHARED_SUPPORT => out.value(usm(access.sharedSystemAllocCapabilities)),

            DeviceInfo::IMAGE_SUPPORT => out.bool(images.maxImageDims2D != 0),
            DeviceInfo::IMAGE_SRGB => out.bool(self.driver.has(ZE_SRGB_EXT_NAME)),
            DeviceInfo::MAX_READ_IMAGE_ARGS => out.value(images.maxReadImageArgs),
            DeviceInfo::MAX_WRITE_IMAGE_ARGS => out.value(images.maxWriteImageArgs),
            DeviceInfo::IMAGE2D_MAX_WIDTH | DeviceInfo::IMAGE2D_MAX_HEIGHT => out.value(images.maxImageDims2D as usize),
            DeviceInfo::IMAGE3D_MAX_WIDTH | DeviceInfo::IMAGE3D_MAX_HEIGHT | DeviceInfo::IMAGE3D_MAX_DEPTH => {
                out.value(images.maxImageDims3D as usize)
            }
            DeviceInfo::IMAGE_MAX_BUFFER_SIZE => out.value(images.maxImageBufferSize as usize),
            DeviceInfo::IMAGE_MAX_ARRAY_SIZE => out.value(images.maxImageArraySlices as usize),
            DeviceInfo::MAX_SAMPLERS => out.value(images.maxSamplers),
            DeviceInfo::BINDLESS_IMAGES_SUPPORT_EXP
            | DeviceInfo::BINDLESS_IMAGES_1D_USM_SUPPORT_EXP
            | DeviceInfo::BINDLESS_IMAGES_2D_USM_SUPPORT_EXP
            | DeviceInfo::BINDLESS_SAMPLED_IMAGE_FETCH_1D_USM_SUPPORT_EXP
            | DeviceInfo::BINDLESS_SAMPLED_IMAGE_FETCH_1D_SUPPORT_EXP
            | DeviceInfo::BINDLESS_SAMPLED_IMAGE_FETCH_2D_USM_SUPPORT_EXP
            | DeviceInfo::BINDLESS_SAMPLED_IMAGE_FETCH_2D_SUPPORT_EXP
            | DeviceInfo::BINDLESS_SAMPLED_IMAGE_FETCH_3D_SUPPORT_EXP => out.bool(self.has_bindless()),
            DeviceInfo::IMAGE_ARRAY_SUPPORT_EXP => out.bool(self.has_bindless() && images.maxImageArraySlices != 0),
            DeviceInfo::MAX_IMAGE_LINEAR_WIDTH_EXP if self.has_bindless() => out.value(f.linear.maxImageLinearWidth),
            DeviceInfo::MAX_IMAGE_LINEAR_HEIGHT_EXP if self.has_bindless() => out.value(f.linear.maxImageLinearHeight),
            DeviceInfo::MAX_IMAGE_LINEAR_PITCH_EXP if self.has_bindless() => out.value(f.pitch.maxSupportedPitch),
            DeviceInfo::IMAGE_PITCH_ALIGN_EXP if self.has_bindless() => out.value(f.pitch.pitchAlign as u32),
            // There are no mipmaps.
            DeviceInfo::MIPMAP_MAX_ANISOTROPY_EXP if self.has_bindless() => out.value(0_u32),

            DeviceInfo::GPU_EU_COUNT if is_gpu => out.value(f.compute_units()),
            DeviceInfo::GPU_EU_SIMD_WIDTH if is_gpu => out.value(p.physicalEUSimdWidth),
            DeviceInfo::GPU_EU_SLICES if is_gpu => out.value(p.numSlices),
            DeviceInfo::GPU_EU_COUNT_PER_SUBSLICE if is_gpu => out.value(p.numEUsPerSubslice),
            DeviceInfo::GPU_SUBSLICES_PER_SLICE if is_gpu => out.value(p.numSubslicesPerSlice),
            DeviceInfo::GPU_HW_THREADS_PER_EU if is_gpu => out.value(p.numThreadsPerEU),
            DeviceInfo::IS_INTEGRATED_GPU => out.bool(is_gpu && self.is_integrated()),
            DeviceInfo::BUILD_ON_SUBDEVICE => out.bool(is_gpu),
            // Level Zero does not tell. Intel's GPUs have it, whose architectures begin with 9.
            DeviceInfo::ESIMD_SUPPORT => {
                let architecture = f.ip_version.map_or(0, |ip| ip >> 22);
                out.bool(is_gpu && p.vendorId == INTEL && architecture >= 9)
            }

            DeviceInfo::ATOMIC_64 => out.bool(f.module.flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS != 0),
            DeviceInfo::BFLOAT16 | DeviceInfo::BFLOAT16_CONVERSIONS_NATIVE => {
                out.bool(self.driver.has(ZE_BFLOAT16_CONVERSIONS_EXT_NAME))
            }

            DeviceInfo::SUPPORTED_PARTITIONS => out.slice(&self.partitions()),
            DeviceInfo::PARTITION_MAX_SUB_DEVICES => out.value(self.parts.len() as u32),
            DeviceInfo::PARTITION_AFFINITY_DOMAIN => out.value(match self.parts.len() {
                0 => DeviceAffinityDomainFlags::empty(),
                _ => DeviceAffinityDomainFlags::NUMA | DeviceAffinityDomainFlags::NEXT_PARTITIONABLE,
            }),
            DeviceInfo::PARTITION_TYPE => out.slice(&self.partitioned_by()),

            DeviceInfo::GLOBAL_VARIABLE_SUPPORT
            | DeviceInfo::USM_POOL_SUPPORT
            | DeviceInfo::PROGRAM_SET_SPECIALIZATION_CONSTANTS
            | DeviceInfo::MULTI_DEVICE_COMPILE_SUPPORT_EXP
            | DeviceInfo::DYNAMIC_LINK_SUPPORT_EXP
            | DeviceInfo::ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP
            | DeviceInfo::ENQUEUE_HOST_TASK_SUPPORT_EXP
            | DeviceInfo::USM_P2P_SUPPORT_EXP
            | DeviceInfo::USM_CONTEXT_MEMCPY_SUPPORT_EXP
            | DeviceInfo::ASYNC_USM_ALLOCATIONS_SUPPORT_EXP
            | DeviceInfo::REUSABLE_EVENTS_SUPPORT_EXP => out.bool(true),
            DeviceInfo::KERNEL_LAUNCH_CAPABILITIES => out.value(KernelLaunchPropertiesFlags::COOPERATIVE),
            DeviceInfo::VIRTUAL_MEMORY_SUPPORT => out.bool(ze::api().zeVirtualMemReserve.is_some()),
            DeviceInfo::IPC_MEMORY_SUPPORT_EXP => out.bool(self.driver.has_ipc),
            DeviceInfo::MEMORY_EXPORT_EXPORTABLE_DEVICE_MEM_EXP => {
                out.bool(f.external.memoryAllocationExportTypes & ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD != 0)
            }
            DeviceInfo::EXTERNAL_MEMORY_IMPORT_SUPPORT_EXP => {
                out.bool(f.external.memoryAllocationImportTypes & ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD != 0)
            }
            DeviceInfo::USM_HOST_ALLOC_REGISTER_SUPPORT_EXP => out.bool(self.driver.import_functions().is_ok()),
            DeviceInfo::DEVICE_WAIT_SUPPORT_EXP => out.bool(self.has_synchronize()),
            DeviceInfo::COMPONENT_DEVICES => out.slice::<DeviceHandle>(&[]),
            DeviceInfo::COMPOSITE_DEVICE => out.value(DeviceHandle::default()),
            _ => kit::default_device_info::<crate::LevelZero>(query, out),
        }
    }

    fn driver_version(&self) -> String {
        // Clients read the three numbers that Intel's drivers mean by it.
        let version = self.driver.version;
        format!("{}.{}.{}", version >> 24, version >> 16 & 0xff, version & 0xffff)
    }

    /// What OpenCL would call it: SYCL runtimes look for names of extensions.
    fn extensions(&self) -> String {
        let (flags, driver) = (self.facts.module.flags, &self.driver);
        let has_atomics = flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS != 0;
        let has_bfloat16 = driver.has(ZE_BFLOAT16_CONVERSIONS_EXT_NAME);
        let mut names = vec![
            "cl_khr_il_program",
            "cl_khr_subgroups",
            "cl_intel_subgroups",
            "cl_intel_subgroups_short",
            "cl_intel_required_subgroup_size",
        ];
        let optional = [
            (flags & ZE_DEVICE_MODULE_FLAG_FP16 != 0, "cl_khr_fp16"),
            (flags & ZE_DEVICE_MODULE_FLAG_FP64 != 0, "cl_khr_fp64"),
            (has_atomics, "cl_khr_int64_base_atomics"),
            (has_atomics, "cl_khr_int64_extended_atomics"),
            (self.facts.images.maxImageDims3D != 0, "cl_khr_3d_image_writes"),
            (driver.has(ZE_FLOAT_ATOMICS_EXT_NAME), "cl_ext_float_atomics"),
            (has_bfloat16, "cl_intel_bfloat16_conversions"),
        ];
        names.extend(optional.iter().filter_map(|&(has, name)| has.then_some(name)));
        names.join(" ")
    }
}
