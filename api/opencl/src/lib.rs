// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! All translations between the enumerations of OpenCL and of UR.
//!
//! The OpenCL adapter translates a client's requests for the driver, and the driver's answers for the client. The native handles
//! of the CPU adapter are OpenCL objects, so it translates in the other direction. Both use these tables.

mod error;

use std::ffi::CStr;

use bitflags::Flags;
use opencl_sys::*;
use oxur_api::*;

pub use error::{error_code, error_name, error_result};

/// UR flags with their OpenCL flags. A flag that is not in the list, such as the priority of a queue, is dropped.
#[derive(Debug)]
pub struct Bits<F: 'static>(&'static [(F, cl_bitfield)]);

impl<F: Flags + Copy> Bits<F> {
    /// OpenCL's flags.
    pub fn to_cl(&self, flags: F) -> cl_bitfield {
        let set = self.0.iter().filter(|(flag, _)| flags.contains(*flag));
        set.fold(0, |bits, (_, bit)| bits | bit)
    }

    /// UR's flags.
    pub fn to_ur(&self, bits: cl_bitfield) -> F {
        let set = self.0.iter().filter(|(_, bit)| bits & bit != 0);
        set.fold(F::empty(), |flags, (flag, _)| flags.union(*flag))
    }

    /// All flags of OpenCL that are in the list.
    pub fn known(&self) -> cl_bitfield {
        self.0.iter().fold(0, |bits, (_, bit)| bits | bit)
    }
}

macro_rules! flags {
    ($( $(#[$doc:meta])* $table:ident: $ur:ident { $( $flag:ident = $bit:ident, )* } )*) => { $(
        $(#[$doc])*
        pub const $table: Bits<$ur> = Bits(&[ $( ($ur::$flag, $bit), )* ]);
    )* };
}

flags! {
    /// The properties of a queue.
    QUEUE_FLAGS: QueueFlags {
        OUT_OF_ORDER_EXEC_MODE_ENABLE = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        PROFILING_ENABLE = CL_QUEUE_PROFILING_ENABLE,
        ON_DEVICE = CL_QUEUE_ON_DEVICE,
        ON_DEVICE_DEFAULT = CL_QUEUE_ON_DEVICE_DEFAULT,
    }

    /// The flags of a memory object.
    MEM_FLAGS: MemFlags {
        READ_WRITE = CL_MEM_READ_WRITE,
        WRITE_ONLY = CL_MEM_WRITE_ONLY,
        READ_ONLY = CL_MEM_READ_ONLY,
        USE_HOST_POINTER = CL_MEM_USE_HOST_PTR,
        ALLOC_HOST_POINTER = CL_MEM_ALLOC_HOST_PTR,
        ALLOC_COPY_HOST_POINTER = CL_MEM_COPY_HOST_PTR,
    }

    /// The flags of a mapping.
    MAP_FLAGS: MapFlags {
        READ = CL_MAP_READ,
        WRITE = CL_MAP_WRITE,
        WRITE_INVALIDATE_REGION = CL_MAP_WRITE_INVALIDATE_REGION,
    }

    /// The capabilities of a device for a floating-point type.
    FP_CAPABILITIES: DeviceFpCapabilityFlags {
        CORRECTLY_ROUNDED_DIVIDE_SQRT = CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
        ROUND_TO_NEAREST = CL_FP_ROUND_TO_NEAREST,
        ROUND_TO_ZERO = CL_FP_ROUND_TO_ZERO,
        ROUND_TO_INF = CL_FP_ROUND_TO_INF,
        INF_NAN = CL_FP_INF_NAN,
        DENORM = CL_FP_DENORM,
        FMA = CL_FP_FMA,
        SOFT_FLOAT = CL_FP_SOFT_FLOAT,
    }

    /// The kinds of kernel that a device runs.
    EXEC_CAPABILITIES: DeviceExecCapabilityFlags {
        KERNEL = CL_EXEC_KERNEL,
        NATIVE_KERNEL = CL_EXEC_NATIVE_KERNEL,
    }

    /// The access capabilities of a device for a type of USM.
    USM_CAPABILITIES: DeviceUsmAccessCapabilityFlags {
        ACCESS = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL,
        ATOMIC_ACCESS = CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL,
        CONCURRENT_ACCESS = CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL,
        ATOMIC_CONCURRENT_ACCESS = CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL,
    }

    /// The affinity domains by which a device can be partitioned.
    AFFINITY_DOMAINS: DeviceAffinityDomainFlags {
        NUMA = CL_DEVICE_AFFINITY_DOMAIN_NUMA,
        L4_CACHE = CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE,
        L3_CACHE = CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE,
        L2_CACHE = CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
        L1_CACHE = CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE,
        NEXT_PARTITIONABLE = CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE,
    }
}

/// Enumerators of UR with those of OpenCL.
#[derive(Debug)]
pub struct Pairs<U: 'static, C: 'static>(&'static [(U, C)]);

impl<U: PartialEq + Copy, C: PartialEq + Copy> Pairs<U, C> {
    /// OpenCL's enumerator; `ERROR_INVALID_ENUMERATION` if it has none.
    pub fn to_cl(&self, wanted: U) -> Result<C, ResultCode> {
        let found = self.0.iter().find(|(ur, _)| *ur == wanted).map(|(_, cl)| *cl);
        found.ok_or(ResultCode::ERROR_INVALID_ENUMERATION)
    }

    /// UR's enumerator; `ERROR_UNSUPPORTED_ENUMERATION` if it has none.
    pub fn to_ur(&self, wanted: C) -> Result<U, ResultCode> {
        let found = self.0.iter().find(|(_, cl)| *cl == wanted).map(|(ur, _)| *ur);
        found.ok_or(ResultCode::ERROR_UNSUPPORTED_ENUMERATION)
    }
}

macro_rules! pairs {
    ($( $(#[$doc:meta])* $table:ident: $ur:ident, $cl:ident { $( $name:ident = $cl_name:ident, )* } )*) => { $(
        $(#[$doc])*
        pub const $table: Pairs<$ur, $cl> = Pairs(&[ $( ($ur::$name, $cl_name), )* ]);
    )* };
}

pairs! {
    /// The type of an image.
    IMAGE_TYPES: MemType, cl_mem_object_type {
        IMAGE2D = CL_MEM_OBJECT_IMAGE2D,
        IMAGE3D = CL_MEM_OBJECT_IMAGE3D,
        IMAGE2D_ARRAY = CL_MEM_OBJECT_IMAGE2D_ARRAY,
        IMAGE1D = CL_MEM_OBJECT_IMAGE1D,
        IMAGE1D_ARRAY = CL_MEM_OBJECT_IMAGE1D_ARRAY,
    }

    /// The channels of a pixel.
    CHANNEL_ORDERS: ImageChannelOrder, cl_channel_order {
        A = CL_A,
        R = CL_R,
        RG = CL_RG,
        RA = CL_RA,
        RGB = CL_RGB,
        RGBA = CL_RGBA,
        BGRA = CL_BGRA,
        ARGB = CL_ARGB,
        ABGR = CL_ABGR,
        INTENSITY = CL_INTENSITY,
        LUMINANCE = CL_LUMINANCE,
        RX = CL_Rx,
        RGX = CL_RGx,
        RGBX = CL_RGBx,
        SRGBA = CL_sRGBA,
    }

    /// The type of a channel.
    CHANNEL_TYPES: ImageChannelType, cl_channel_type {
        SNORM_INT8 = CL_SNORM_INT8,
        SNORM_INT16 = CL_SNORM_INT16,
        UNORM_INT8 = CL_UNORM_INT8,
        UNORM_INT16 = CL_UNORM_INT16,
        UNORM_SHORT_565 = CL_UNORM_SHORT_565,
        UNORM_SHORT_555 = CL_UNORM_SHORT_555,
        INT_101010 = CL_UNORM_INT_101010,
        SIGNED_INT8 = CL_SIGNED_INT8,
        SIGNED_INT16 = CL_SIGNED_INT16,
        SIGNED_INT32 = CL_SIGNED_INT32,
        UNSIGNED_INT8 = CL_UNSIGNED_INT8,
        UNSIGNED_INT16 = CL_UNSIGNED_INT16,
        UNSIGNED_INT32 = CL_UNSIGNED_INT32,
        HALF_FLOAT = CL_HALF_FLOAT,
        FLOAT = CL_FLOAT,
    }

    /// The addressing mode of a sampler, outside an image.
    ADDRESSING_MODES: SamplerAddressingMode, cl_addressing_mode {
        NONE = CL_ADDRESS_NONE,
        CLAMP_TO_EDGE = CL_ADDRESS_CLAMP_TO_EDGE,
        CLAMP = CL_ADDRESS_CLAMP,
        REPEAT = CL_ADDRESS_REPEAT,
        MIRRORED_REPEAT = CL_ADDRESS_MIRRORED_REPEAT,
    }

    /// The filter mode of a sampler.
    FILTER_MODES: SamplerFilterMode, cl_filter_mode {
        NEAREST = CL_FILTER_NEAREST,
        LINEAR = CL_FILTER_LINEAR,
    }

    /// The types of USM.
    USM_TYPES: UsmType, cl_unified_shared_memory_type_intel {
        HOST = CL_MEM_TYPE_HOST_INTEL,
        DEVICE = CL_MEM_TYPE_DEVICE_INTEL,
        SHARED = CL_MEM_TYPE_SHARED_INTEL,
    }

    /// The state of a build.
    BUILD_STATUS: ProgramBuildStatus, cl_build_status {
        NONE = CL_BUILD_NONE,
        ERROR = CL_BUILD_ERROR,
        SUCCESS = CL_BUILD_SUCCESS,
        IN_PROGRESS = CL_BUILD_IN_PROGRESS,
    }

    /// The type of a program's binary.
    BINARY_TYPES: ProgramBinaryType, cl_program_binary_type {
        NONE = CL_PROGRAM_BINARY_TYPE_NONE,
        COMPILED_OBJECT = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
        LIBRARY = CL_PROGRAM_BINARY_TYPE_LIBRARY,
        EXECUTABLE = CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
    }

    /// The status of a command that did not fail. A negative status in OpenCL is an error.
    EVENT_STATUS: EventStatus, cl_int {
        COMPLETE = CL_COMPLETE,
        RUNNING = CL_RUNNING,
        SUBMITTED = CL_SUBMITTED,
        QUEUED = CL_QUEUED,
    }

    /// The states for which a client can register a callback.
    EXECUTION_INFO: ExecutionInfo, cl_int {
        COMPLETE = CL_COMPLETE,
        RUNNING = CL_RUNNING,
        SUBMITTED = CL_SUBMITTED,
    }

    /// The profiling times of a command.
    PROFILING_INFO: ProfilingInfo, cl_profiling_info {
        COMMAND_QUEUED = CL_PROFILING_COMMAND_QUEUED,
        COMMAND_SUBMIT = CL_PROFILING_COMMAND_SUBMIT,
        COMMAND_START = CL_PROFILING_COMMAND_START,
        COMMAND_END = CL_PROFILING_COMMAND_END,
        COMMAND_COMPLETE = CL_PROFILING_COMMAND_COMPLETE,
    }

    /// The command types that exist in both APIs.
    COMMANDS: CommandType, cl_command_type {
        KERNEL_LAUNCH = CL_COMMAND_NDRANGE_KERNEL,
        EVENTS_WAIT = CL_COMMAND_MARKER,
        EVENTS_WAIT_WITH_BARRIER = CL_COMMAND_BARRIER,
        MEM_BUFFER_READ = CL_COMMAND_READ_BUFFER,
        MEM_BUFFER_WRITE = CL_COMMAND_WRITE_BUFFER,
        MEM_BUFFER_READ_RECT = CL_COMMAND_READ_BUFFER_RECT,
        MEM_BUFFER_WRITE_RECT = CL_COMMAND_WRITE_BUFFER_RECT,
        MEM_BUFFER_COPY = CL_COMMAND_COPY_BUFFER,
        MEM_BUFFER_COPY_RECT = CL_COMMAND_COPY_BUFFER_RECT,
        MEM_BUFFER_FILL = CL_COMMAND_FILL_BUFFER,
        MEM_IMAGE_READ = CL_COMMAND_READ_IMAGE,
        MEM_IMAGE_WRITE = CL_COMMAND_WRITE_IMAGE,
        MEM_IMAGE_COPY = CL_COMMAND_COPY_IMAGE,
        MEM_BUFFER_MAP = CL_COMMAND_MAP_BUFFER,
        MEM_UNMAP = CL_COMMAND_UNMAP_MEM_OBJECT,
        USM_FILL = CL_COMMAND_MEMFILL_INTEL,
        USM_MEMCPY = CL_COMMAND_MEMCPY_INTEL,
        USM_PREFETCH = CL_COMMAND_MIGRATEMEM_INTEL,
        USM_ADVISE = CL_COMMAND_MEMADVISE_INTEL,
    }
}

/// OpenCL's list for the partition properties of a device, all of the same type: the type, the value of each, and a zero. Counts
/// are followed by an additional zero.
pub fn partition_list(properties: &[DevicePartitionProperty]) -> Vec<cl_device_partition_property> {
    let kind = properties.first().map(|first| first.r#type);
    // SAFETY: all members of the union are a `u32` of any value.
    let value = |property: &DevicePartitionProperty| unsafe { property.value.count } as cl_device_partition_property;
    let counts_end = (kind == Some(DevicePartition::BY_COUNTS)).then_some(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
    // The numbers of the kinds are OpenCL's.
    let kind = kind.map(|kind| kind.0 as cl_device_partition_property);
    let values = properties.iter().map(value);
    kind.into_iter().chain(values).chain(counts_end).chain([0]).collect()
}

/// OpenCL's name for an option of the client's compiler; `None` if OpenCL has no such option.
pub fn compiler_option(frontend: &CStr) -> Option<&'static CStr> {
    match frontend.to_bytes() {
        b"" | b"-O1" | b"-O2" | b"-O3" => Some(c""),
        b"-O0" => Some(c"-cl-opt-disable"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back<F: Flags<Bits = u32> + Copy>(table: &Bits<F>) {
        for (flag, bit) in table.0 {
            assert_eq!(table.to_cl(*flag), *bit);
            assert_eq!(table.to_ur(*bit).bits(), flag.bits());
        }
        assert_eq!(table.to_ur(!table.known()).bits(), 0, "other bits are left out");
    }

    #[test]
    fn each_flag_is_one_of_the_other_side() {
        there_and_back(&QUEUE_FLAGS);
        there_and_back(&MEM_FLAGS);
        there_and_back(&MAP_FLAGS);
        there_and_back(&FP_CAPABILITIES);
        there_and_back(&EXEC_CAPABILITIES);
        there_and_back(&USM_CAPABILITIES);
        there_and_back(&AFFINITY_DOMAINS);
        assert_eq!(
            FP_CAPABILITIES.to_ur(CL_FP_DENORM | CL_FP_FMA),
            DeviceFpCapabilityFlags::DENORM | DeviceFpCapabilityFlags::FMA
        );
    }

    #[test]
    fn enumerators_without_a_pair_are_errors() {
        assert_eq!(FILTER_MODES.to_cl(SamplerFilterMode::LINEAR), Ok(CL_FILTER_LINEAR));
        assert_eq!(FILTER_MODES.to_ur(CL_FILTER_NEAREST), Ok(SamplerFilterMode::NEAREST));
        let unknown = SamplerFilterMode(9);
        assert_eq!(FILTER_MODES.to_cl(unknown), Err(ResultCode::ERROR_INVALID_ENUMERATION));
        assert_eq!(FILTER_MODES.to_ur(9), Err(ResultCode::ERROR_UNSUPPORTED_ENUMERATION));
    }
}
