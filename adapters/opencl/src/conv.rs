// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Every translation between the enumerations of OpenCL and of UR.

use bitflags::Flags;
use kit::UrResult;
use kit::ur::{
    CommandType, DeviceType, EventStatus, ImageChannelOrder, ImageChannelType, ImageFormat, MapFlags, MemFlags,
    MemType, QueueFlags, ResultCode, SamplerAddressingMode, SamplerFilterMode,
};
use opencl_sys::*;
use oxur_adapter_kit as kit;

macro_rules! errors {
    ($($code:ident => $result:ident,)*) => {
        /// The UR error of an OpenCL error; `None` for those that UR has no name for.
        pub fn result(code: cl_int) -> Option<ResultCode> {
            match code {
                $($code => Some(ResultCode::$result),)*
                _ => None,
            }
        }

        /// The name of an OpenCL error.
        pub fn error_name(code: cl_int) -> &'static str {
            match code {
                $($code => stringify!($code),)*
                CL_MEM_COPY_OVERLAP => "CL_MEM_COPY_OVERLAP",
                CL_MAP_FAILURE => "CL_MAP_FAILURE",
                CL_KERNEL_ARG_INFO_NOT_AVAILABLE => "CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
                CL_INVALID_PROPERTY => "CL_INVALID_PROPERTY",
                CL_INVALID_PIPE_SIZE => "CL_INVALID_PIPE_SIZE",
                CL_INVALID_DEVICE_QUEUE => "CL_INVALID_DEVICE_QUEUE",
                CL_PLATFORM_NOT_FOUND_KHR => "CL_PLATFORM_NOT_FOUND_KHR",
                _ => "an error unknown to this adapter",
            }
        }
    };
}

errors! {
    CL_DEVICE_NOT_FOUND => ERROR_DEVICE_NOT_FOUND,
    CL_DEVICE_NOT_AVAILABLE => ERROR_DEVICE_NOT_AVAILABLE,
    CL_COMPILER_NOT_AVAILABLE => ERROR_COMPILER_NOT_AVAILABLE,
    CL_LINKER_NOT_AVAILABLE => ERROR_COMPILER_NOT_AVAILABLE,
    CL_MEM_OBJECT_ALLOCATION_FAILURE => ERROR_MEM_OBJECT_ALLOCATION_FAILURE,
    CL_OUT_OF_RESOURCES => ERROR_OUT_OF_RESOURCES,
    CL_OUT_OF_HOST_MEMORY => ERROR_OUT_OF_HOST_MEMORY,
    CL_PROFILING_INFO_NOT_AVAILABLE => ERROR_PROFILING_INFO_NOT_AVAILABLE,
    CL_IMAGE_FORMAT_MISMATCH => ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
    CL_IMAGE_FORMAT_NOT_SUPPORTED => ERROR_UNSUPPORTED_IMAGE_FORMAT,
    CL_INVALID_IMAGE_FORMAT_DESCRIPTOR => ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
    CL_INVALID_IMAGE_DESCRIPTOR => ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
    CL_INVALID_IMAGE_SIZE => ERROR_INVALID_IMAGE_SIZE,
    CL_BUILD_PROGRAM_FAILURE => ERROR_PROGRAM_BUILD_FAILURE,
    CL_COMPILE_PROGRAM_FAILURE => ERROR_PROGRAM_BUILD_FAILURE,
    CL_LINK_PROGRAM_FAILURE => ERROR_PROGRAM_LINK_FAILURE,
    CL_MISALIGNED_SUB_BUFFER_OFFSET => ERROR_MISALIGNED_SUB_BUFFER_OFFSET,
    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST => ERROR_IN_EVENT_LIST_EXEC_STATUS,
    CL_DEVICE_PARTITION_FAILED => ERROR_DEVICE_PARTITION_FAILED,
    CL_INVALID_DEVICE_PARTITION_COUNT => ERROR_INVALID_DEVICE_PARTITION_COUNT,
    CL_INVALID_VALUE => ERROR_INVALID_VALUE,
    CL_INVALID_BUILD_OPTIONS => ERROR_INVALID_VALUE,
    CL_INVALID_COMPILER_OPTIONS => ERROR_INVALID_VALUE,
    CL_INVALID_LINKER_OPTIONS => ERROR_INVALID_VALUE,
    CL_INVALID_GLOBAL_OFFSET => ERROR_INVALID_VALUE,
    CL_INVALID_DEVICE_TYPE => ERROR_INVALID_ENUMERATION,
    CL_INVALID_PLATFORM => ERROR_INVALID_PLATFORM,
    CL_INVALID_DEVICE => ERROR_INVALID_DEVICE,
    CL_INVALID_CONTEXT => ERROR_INVALID_CONTEXT,
    CL_INVALID_QUEUE_PROPERTIES => ERROR_INVALID_QUEUE_PROPERTIES,
    CL_INVALID_COMMAND_QUEUE => ERROR_INVALID_QUEUE,
    CL_INVALID_HOST_PTR => ERROR_INVALID_HOST_PTR,
    CL_INVALID_MEM_OBJECT => ERROR_INVALID_MEM_OBJECT,
    CL_INVALID_SAMPLER => ERROR_INVALID_SAMPLER,
    CL_INVALID_BINARY => ERROR_INVALID_BINARY,
    CL_INVALID_PROGRAM => ERROR_INVALID_PROGRAM,
    CL_INVALID_PROGRAM_EXECUTABLE => ERROR_INVALID_PROGRAM_EXECUTABLE,
    CL_INVALID_KERNEL_NAME => ERROR_INVALID_KERNEL_NAME,
    CL_INVALID_KERNEL_DEFINITION => ERROR_INVALID_KERNEL,
    CL_INVALID_KERNEL => ERROR_INVALID_KERNEL,
    CL_INVALID_ARG_INDEX => ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
    CL_INVALID_ARG_VALUE => ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE,
    CL_INVALID_ARG_SIZE => ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
    CL_MAX_SIZE_RESTRICTION_EXCEEDED => ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
    CL_INVALID_KERNEL_ARGS => ERROR_INVALID_KERNEL_ARGS,
    CL_INVALID_WORK_DIMENSION => ERROR_INVALID_WORK_DIMENSION,
    CL_INVALID_GLOBAL_WORK_SIZE => ERROR_INVALID_WORK_DIMENSION,
    CL_INVALID_WORK_GROUP_SIZE => ERROR_INVALID_WORK_GROUP_SIZE,
    CL_INVALID_WORK_ITEM_SIZE => ERROR_INVALID_WORK_ITEM_SIZE,
    CL_INVALID_EVENT_WAIT_LIST => ERROR_INVALID_EVENT_WAIT_LIST,
    CL_INVALID_EVENT => ERROR_INVALID_EVENT,
    CL_INVALID_OPERATION => ERROR_INVALID_OPERATION,
    CL_INVALID_BUFFER_SIZE => ERROR_INVALID_BUFFER_SIZE,
    CL_INVALID_SPEC_ID => ERROR_INVALID_SPEC_ID,
}

/// The kind of a device. A combination, such as the default CPU, is its most telling part.
pub fn device_type(bits: cl_device_type) -> DeviceType {
    if bits & CL_DEVICE_TYPE_GPU != 0 {
        DeviceType::GPU
    } else if bits & CL_DEVICE_TYPE_ACCELERATOR != 0 {
        DeviceType::FPGA
    } else if bits & CL_DEVICE_TYPE_CPU != 0 {
        DeviceType::CPU
    } else {
        DeviceType::CUSTOM
    }
}

/// Flags of UR with those of OpenCL. A flag that is not in the list, such as the priority of a queue, is a hint and left out.
pub struct Bits<F: 'static>(&'static [(F, u64)]);

impl<F: Flags + Copy> Bits<F> {
    /// OpenCL's flags.
    pub fn to_cl(&self, flags: F) -> u64 {
        let set = self.0.iter().filter(|(flag, _)| flags.contains(*flag));
        set.fold(0, |bits, (_, bit)| bits | bit)
    }

    /// UR's flags.
    pub fn to_ur(&self, bits: u64) -> F {
        let set = self.0.iter().filter(|(_, bit)| bits & bit != 0);
        set.fold(F::empty(), |flags, (flag, _)| flags.union(*flag))
    }
}

/// The properties of a queue.
pub const QUEUE_FLAGS: Bits<QueueFlags> = Bits(&[
    (
        QueueFlags::OUT_OF_ORDER_EXEC_MODE_ENABLE,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    ),
    (QueueFlags::PROFILING_ENABLE, CL_QUEUE_PROFILING_ENABLE),
    (QueueFlags::ON_DEVICE, CL_QUEUE_ON_DEVICE),
    (QueueFlags::ON_DEVICE_DEFAULT, CL_QUEUE_ON_DEVICE_DEFAULT),
]);

/// The flags of a memory object.
pub const MEM_FLAGS: Bits<MemFlags> = Bits(&[
    (MemFlags::READ_WRITE, CL_MEM_READ_WRITE),
    (MemFlags::WRITE_ONLY, CL_MEM_WRITE_ONLY),
    (MemFlags::READ_ONLY, CL_MEM_READ_ONLY),
    (MemFlags::USE_HOST_POINTER, CL_MEM_USE_HOST_PTR),
    (MemFlags::ALLOC_HOST_POINTER, CL_MEM_ALLOC_HOST_PTR),
    (MemFlags::ALLOC_COPY_HOST_POINTER, CL_MEM_COPY_HOST_PTR),
]);

/// The flags of a mapping.
pub const MAP_FLAGS: Bits<MapFlags> = Bits(&[
    (MapFlags::READ, CL_MAP_READ),
    (MapFlags::WRITE, CL_MAP_WRITE),
    (MapFlags::WRITE_INVALIDATE_REGION, CL_MAP_WRITE_INVALIDATE_REGION),
]);

/// Enumerators of UR with those of OpenCL.
pub struct Pairs<U: 'static, C: 'static = u32>(&'static [(U, C)]);

impl<U: PartialEq + Copy, C: PartialEq + Copy> Pairs<U, C> {
    /// OpenCL's enumerator.
    pub fn to_cl(&self, wanted: U) -> UrResult<C> {
        let found = self.0.iter().find(|(ur, _)| *ur == wanted).map(|(_, cl)| *cl);
        found.ok_or_else(|| ResultCode::ERROR_INVALID_ENUMERATION.into())
    }

    /// UR's enumerator.
    pub fn to_ur(&self, wanted: C) -> UrResult<U> {
        let found = self.0.iter().find(|(_, cl)| *cl == wanted).map(|(ur, _)| *ur);
        found.ok_or_else(|| ResultCode::ERROR_UNSUPPORTED_ENUMERATION.into())
    }
}

const CHANNEL_ORDERS: Pairs<ImageChannelOrder, cl_channel_order> = Pairs(&[
    (ImageChannelOrder::A, CL_A),
    (ImageChannelOrder::R, CL_R),
    (ImageChannelOrder::RG, CL_RG),
    (ImageChannelOrder::RA, CL_RA),
    (ImageChannelOrder::RGB, CL_RGB),
    (ImageChannelOrder::RGBA, CL_RGBA),
    (ImageChannelOrder::BGRA, CL_BGRA),
    (ImageChannelOrder::ARGB, CL_ARGB),
    (ImageChannelOrder::ABGR, CL_ABGR),
    (ImageChannelOrder::INTENSITY, CL_INTENSITY),
    (ImageChannelOrder::LUMINANCE, CL_LUMINANCE),
    (ImageChannelOrder::RX, CL_Rx),
    (ImageChannelOrder::RGX, CL_RGx),
    (ImageChannelOrder::RGBX, CL_RGBx),
    (ImageChannelOrder::SRGBA, CL_sRGBA),
]);

const CHANNEL_TYPES: Pairs<ImageChannelType, cl_channel_type> = Pairs(&[
    (ImageChannelType::SNORM_INT8, CL_SNORM_INT8),
    (ImageChannelType::SNORM_INT16, CL_SNORM_INT16),
    (ImageChannelType::UNORM_INT8, CL_UNORM_INT8),
    (ImageChannelType::UNORM_INT16, CL_UNORM_INT16),
    (ImageChannelType::UNORM_SHORT_565, CL_UNORM_SHORT_565),
    (ImageChannelType::UNORM_SHORT_555, CL_UNORM_SHORT_555),
    (ImageChannelType::INT_101010, CL_UNORM_INT_101010),
    (ImageChannelType::SIGNED_INT8, CL_SIGNED_INT8),
    (ImageChannelType::SIGNED_INT16, CL_SIGNED_INT16),
    (ImageChannelType::SIGNED_INT32, CL_SIGNED_INT32),
    (ImageChannelType::UNSIGNED_INT8, CL_UNSIGNED_INT8),
    (ImageChannelType::UNSIGNED_INT16, CL_UNSIGNED_INT16),
    (ImageChannelType::UNSIGNED_INT32, CL_UNSIGNED_INT32),
    (ImageChannelType::HALF_FLOAT, CL_HALF_FLOAT),
    (ImageChannelType::FLOAT, CL_FLOAT),
]);

/// The format of an image.
pub fn image_format(format: &ImageFormat) -> UrResult<cl_image_format> {
    Ok(cl_image_format {
        image_channel_order: CHANNEL_ORDERS.to_cl(format.channelOrder)?,
        image_channel_data_type: CHANNEL_TYPES.to_cl(format.channelType)?,
    })
}

/// The format of an image, back from OpenCL.
pub fn image_format_back(format: cl_image_format) -> UrResult<ImageFormat> {
    Ok(ImageFormat {
        channelOrder: CHANNEL_ORDERS.to_ur(format.image_channel_order)?,
        channelType: CHANNEL_TYPES.to_ur(format.image_channel_data_type)?,
    })
}

/// The shape of an image.
pub const IMAGE_TYPES: Pairs<MemType, cl_mem_object_type> = Pairs(&[
    (MemType::IMAGE2D, CL_MEM_OBJECT_IMAGE2D),
    (MemType::IMAGE3D, CL_MEM_OBJECT_IMAGE3D),
    (MemType::IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY),
    (MemType::IMAGE1D, CL_MEM_OBJECT_IMAGE1D),
    (MemType::IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE1D_ARRAY),
]);

/// What a sampler does outside of an image.
pub const ADDRESSING_MODES: Pairs<SamplerAddressingMode, cl_addressing_mode> = Pairs(&[
    (SamplerAddressingMode::NONE, CL_ADDRESS_NONE),
    (SamplerAddressingMode::CLAMP_TO_EDGE, CL_ADDRESS_CLAMP_TO_EDGE),
    (SamplerAddressingMode::CLAMP, CL_ADDRESS_CLAMP),
    (SamplerAddressingMode::REPEAT, CL_ADDRESS_REPEAT),
    (SamplerAddressingMode::MIRRORED_REPEAT, CL_ADDRESS_MIRRORED_REPEAT),
]);

/// How a sampler interpolates.
pub const FILTER_MODES: Pairs<SamplerFilterMode, cl_filter_mode> = Pairs(&[
    (SamplerFilterMode::NEAREST, CL_FILTER_NEAREST),
    (SamplerFilterMode::LINEAR, CL_FILTER_LINEAR),
]);

/// The state of an event: what is negative in OpenCL is an error.
pub fn event_status(status: cl_int) -> EventStatus {
    match status {
        CL_COMPLETE => EventStatus::COMPLETE,
        CL_RUNNING => EventStatus::RUNNING,
        CL_SUBMITTED => EventStatus::SUBMITTED,
        CL_QUEUED => EventStatus::QUEUED,
        _ => EventStatus::ERROR,
    }
}

/// The commands of native events, as far as UR has a name for them.
pub const COMMANDS: Pairs<CommandType, cl_command_type> = Pairs(&[
    (CommandType::KERNEL_LAUNCH, CL_COMMAND_NDRANGE_KERNEL),
    (CommandType::EVENTS_WAIT, CL_COMMAND_MARKER),
    (CommandType::EVENTS_WAIT_WITH_BARRIER, CL_COMMAND_BARRIER),
    (CommandType::MEM_BUFFER_READ, CL_COMMAND_READ_BUFFER),
    (CommandType::MEM_BUFFER_WRITE, CL_COMMAND_WRITE_BUFFER),
    (CommandType::MEM_BUFFER_READ_RECT, CL_COMMAND_READ_BUFFER_RECT),
    (CommandType::MEM_BUFFER_WRITE_RECT, CL_COMMAND_WRITE_BUFFER_RECT),
    (CommandType::MEM_BUFFER_COPY, CL_COMMAND_COPY_BUFFER),
    (CommandType::MEM_BUFFER_COPY_RECT, CL_COMMAND_COPY_BUFFER_RECT),
    (CommandType::MEM_BUFFER_FILL, CL_COMMAND_FILL_BUFFER),
    (CommandType::MEM_IMAGE_READ, CL_COMMAND_READ_IMAGE),
    (CommandType::MEM_IMAGE_WRITE, CL_COMMAND_WRITE_IMAGE),
    (CommandType::MEM_IMAGE_COPY, CL_COMMAND_COPY_IMAGE),
    (CommandType::MEM_BUFFER_MAP, CL_COMMAND_MAP_BUFFER),
    (CommandType::MEM_UNMAP, CL_COMMAND_UNMAP_MEM_OBJECT),
    (CommandType::USM_FILL, CL_COMMAND_MEMFILL_INTEL),
    (CommandType::USM_MEMCPY, CL_COMMAND_MEMCPY_INTEL),
    (CommandType::USM_PREFETCH, CL_COMMAND_MIGRATEMEM_INTEL),
    (CommandType::USM_ADVISE, CL_COMMAND_MEMADVISE_INTEL),
]);
