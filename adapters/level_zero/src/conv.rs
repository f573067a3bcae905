// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Level Zero's names for what UR has, and back.

use std::ffi::CStr;

use kit::ur::*;
use level_zero_sys::*;
use oxur_adapter_kit as kit;

/// UR's code for a result. `None` if it has none.
pub(crate) fn result_code(result: ze_result_t) -> Option<ResultCode> {
    use ResultCode as Code;
    Some(match result {
        ZE_RESULT_SUCCESS => Code::SUCCESS,
        ZE_RESULT_ERROR_DEVICE_LOST => Code::ERROR_DEVICE_LOST,
        ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET => Code::ERROR_DEVICE_REQUIRES_RESET,
        ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE => Code::ERROR_DEVICE_IN_LOW_POWER_STATE,
        ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY => Code::ERROR_OUT_OF_HOST_MEMORY,
        ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY => Code::ERROR_OUT_OF_DEVICE_MEMORY,
        ZE_RESULT_ERROR_MODULE_BUILD_FAILURE => Code::ERROR_PROGRAM_BUILD_FAILURE,
        ZE_RESULT_ERROR_MODULE_LINK_FAILURE => Code::ERROR_PROGRAM_LINK_FAILURE,
        ZE_RESULT_ERROR_NOT_AVAILABLE => Code::ERROR_DEVICE_NOT_AVAILABLE,
        ZE_RESULT_ERROR_UNINITIALIZED => Code::ERROR_UNINITIALIZED,
        ZE_RESULT_ERROR_UNSUPPORTED_VERSION => Code::ERROR_UNSUPPORTED_VERSION,
        ZE_RESULT_ERROR_UNSUPPORTED_FEATURE => Code::ERROR_UNSUPPORTED_FEATURE,
        ZE_RESULT_ERROR_INVALID_ARGUMENT => Code::ERROR_INVALID_ARGUMENT,
        ZE_RESULT_ERROR_INVALID_NULL_HANDLE => Code::ERROR_INVALID_NULL_HANDLE,
        ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE => Code::ERROR_HANDLE_OBJECT_IN_USE,
        ZE_RESULT_ERROR_INVALID_NULL_POINTER => Code::ERROR_INVALID_NULL_POINTER,
        ZE_RESULT_ERROR_INVALID_SIZE => Code::ERROR_INVALID_SIZE,
        ZE_RESULT_ERROR_UNSUPPORTED_SIZE => Code::ERROR_UNSUPPORTED_SIZE,
        ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT => Code::ERROR_UNSUPPORTED_ALIGNMENT,
        ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT => Code::ERROR_INVALID_SYNCHRONIZATION_OBJECT,
        ZE_RESULT_ERROR_INVALID_ENUMERATION => Code::ERROR_INVALID_ENUMERATION,
        ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION => Code::ERROR_UNSUPPORTED_ENUMERATION,
        ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT => Code::ERROR_UNSUPPORTED_IMAGE_FORMAT,
        ZE_RESULT_ERROR_INVALID_NATIVE_BINARY => Code::ERROR_INVALID_BINARY,
        ZE_RESULT_ERROR_INVALID_GLOBAL_NAME => Code::ERROR_INVALID_GLOBAL_NAME,
        ZE_RESULT_ERROR_INVALID_KERNEL_NAME => Code::ERROR_INVALID_KERNEL_NAME,
        ZE_RESULT_ERROR_INVALID_FUNCTION_NAME => Code::ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE,
        ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION => Code::ERROR_INVALID_WORK_GROUP_SIZE,
        ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION => Code::ERROR_INVALID_GLOBAL_WIDTH_DIMENSION,
        ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX => Code::ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
        ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE => Code::ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
        ZE_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE => Code::ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE,
        ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED => Code::ERROR_PROGRAM_UNLINKED,
        ZE_RESULT_ERROR_OVERLAPPING_REGIONS => Code::ERROR_OVERLAPPING_REGIONS,
        ZE_RESULT_ERROR_UNKNOWN => Code::ERROR_UNKNOWN,
        _ => return None,
    })
}

/// The bits of `from`, renamed by pairs of a flag of Level Zero and one of UR.
macro_rules! flags {
    ($from:expr, $ty:ident: $($ze:ident => $ur:ident),* $(,)?) => {{
        let from = $from;
        let mut to = $ty::empty();
        $( to.set($ty::$ur, from & $ze != 0); )*
        to
    }};
}

/// What a device can do in floating point of a precision.
pub(crate) fn fp_capabilities(flags: ze_device_fp_flags_t) -> DeviceFpCapabilityFlags {
    flags!(flags, DeviceFpCapabilityFlags:
        ZE_DEVICE_FP_FLAG_DENORM => DENORM,
        ZE_DEVICE_FP_FLAG_INF_NAN => INF_NAN,
        ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST => ROUND_TO_NEAREST,
        ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO => ROUND_TO_ZERO,
        ZE_DEVICE_FP_FLAG_ROUND_TO_INF => ROUND_TO_INF,
        ZE_DEVICE_FP_FLAG_FMA => FMA,
        ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT => CORRECTLY_ROUNDED_DIVIDE_SQRT,
        ZE_DEVICE_FP_FLAG_SOFT_FLOAT => SOFT_FLOAT,
    )
}

/// What a device can do with a kind of USM.
pub(crate) fn usm_access(flags: ze_memory_access_cap_flags_t) -> DeviceUsmAccessCapabilityFlags {
    flags!(flags, DeviceUsmAccessCapabilityFlags:
        ZE_MEMORY_ACCESS_CAP_FLAG_RW => ACCESS,
        ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC => ATOMIC_ACCESS,
        ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT => CONCURRENT_ACCESS,
        ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC => ATOMIC_CONCURRENT_ACCESS,
    )
}

/// The kind of a device.
pub(crate) fn device_type(kind: ze_device_type_t) -> DeviceType {
    match kind {
        ZE_DEVICE_TYPE_GPU => DeviceType::GPU,
        ZE_DEVICE_TYPE_CPU => DeviceType::CPU,
        ZE_DEVICE_TYPE_FPGA => DeviceType::FPGA,
        ZE_DEVICE_TYPE_MCA => DeviceType::MCA,
        ZE_DEVICE_TYPE_VPU => DeviceType::VPU,
        _ => DeviceType::CUSTOM,
    }
}

/// The kind of USM.
pub(crate) fn usm_type(kind: ze_memory_type_t) -> UsmType {
    match kind {
        ZE_MEMORY_TYPE_HOST | ZE_MEMORY_TYPE_HOST_IMPORTED => UsmType::HOST,
        ZE_MEMORY_TYPE_DEVICE => UsmType::DEVICE,
        ZE_MEMORY_TYPE_SHARED => UsmType::SHARED,
        _ => UsmType::UNKNOWN,
    }
}

/// Level Zero's advice for one of UR's. `None` if it has none: advice is a hint.
pub(crate) fn advice(advice: UsmAdviceFlags) -> Option<ze_memory_advice_t> {
    use UsmAdviceFlags as Advice;
    Some(match advice {
        Advice::SET_READ_MOSTLY => ZE_MEMORY_ADVICE_SET_READ_MOSTLY,
        Advice::CLEAR_READ_MOSTLY => ZE_MEMORY_ADVICE_CLEAR_READ_MOSTLY,
        Advice::SET_PREFERRED_LOCATION => ZE_MEMORY_ADVICE_SET_PREFERRED_LOCATION,
        Advice::CLEAR_PREFERRED_LOCATION => ZE_MEMORY_ADVICE_CLEAR_PREFERRED_LOCATION,
        Advice::SET_NON_ATOMIC_MOSTLY => ZE_MEMORY_ADVICE_SET_NON_ATOMIC_MOSTLY,
        Advice::CLEAR_NON_ATOMIC_MOSTLY => ZE_MEMORY_ADVICE_CLEAR_NON_ATOMIC_MOSTLY,
        Advice::BIAS_CACHED => ZE_MEMORY_ADVICE_BIAS_CACHED,
        Advice::BIAS_UNCACHED => ZE_MEMORY_ADVICE_BIAS_UNCACHED,
        Advice::SET_PREFERRED_LOCATION_HOST => ZE_MEMORY_ADVICE_SET_SYSTEM_MEMORY_PREFERRED_LOCATION,
        Advice::CLEAR_PREFERRED_LOCATION_HOST => ZE_MEMORY_ADVICE_CLEAR_SYSTEM_MEMORY_PREFERRED_LOCATION,
        _ => return None,
    })
}

/// What Level Zero's compiler calls an option of the client's compiler.
pub(crate) fn compiler_option(frontend: &CStr) -> Option<&'static CStr> {
    match frontend.to_bytes() {
        b"" => Some(c""),
        b"-O0" => Some(c"-ze-opt-disable"),
        b"-O1" | b"-O2" | b"-O3" => Some(c"-ze-opt-level=2"),
        b"-ftarget-compile-fast" => Some(c"-igc_opts 'PartitionUnit=1,SubroutineThreshold=50000'"),
        b"-foffload-fp32-prec-div" | b"-foffload-fp32-prec-sqrt" => Some(c"-ze-fp32-correctly-rounded-divide-sqrt"),
        _ => None,
    }
}

/// Level Zero's format for an image format, and the bytes of a pixel. `None` if it has none.
pub(crate) fn image_format(format: &ImageFormat) -> Option<(ze_image_format_t, usize)> {
    use level_zero_sys::{
        ZE_IMAGE_FORMAT_SWIZZLE_0 as O, ZE_IMAGE_FORMAT_SWIZZLE_1 as I, ZE_IMAGE_FORMAT_SWIZZLE_A as A,
        ZE_IMAGE_FORMAT_SWIZZLE_B as B, ZE_IMAGE_FORMAT_SWIZZLE_G as G, ZE_IMAGE_FORMAT_SWIZZLE_R as R,
    };
    use {ImageChannelOrder as Order, ImageChannelType as Type};
    // Level Zero names components by their place in memory, and the swizzle says what the kernel gets.
    let (count, [x, y, z, w]) = match format.channelOrder {
        Order::R => (1, [R, O, O, I]),
        Order::A => (1, [O, O, O, R]),
        Order::INTENSITY => (1, [R, R, R, R]),
        Order::LUMINANCE => (1, [R, R, R, I]),
        Order::RG => (2, [R, G, O, I]),
        Order::RA => (2, [R, O, O, G]),
        Order::RGBA | Order::SRGBA => (4, [R, G, B, A]),
        Order::BGRA => (4, [B, G, R, A]),
        Order::ARGB => (4, [G, B, A, R]),
        Order::ABGR => (4, [A, B, G, R]),
        _ => return None,
    };
    let (type_, bytes) = match format.channelType {
        Type::SNORM_INT8 => (ZE_IMAGE_FORMAT_TYPE_SNORM, 1),
        Type::SNORM_INT16 => (ZE_IMAGE_FORMAT_TYPE_SNORM, 2),
        Type::UNORM_INT8 => (ZE_IMAGE_FORMAT_TYPE_UNORM, 1),
        Type::UNORM_INT16 => (ZE_IMAGE_FORMAT_TYPE_UNORM, 2),
        Type::SIGNED_INT8 => (ZE_IMAGE_FORMAT_TYPE_SINT, 1),
        Type::SIGNED_INT16 => (ZE_IMAGE_FORMAT_TYPE_SINT, 2),
        Type::SIGNED_INT32 => (ZE_IMAGE_FORMAT_TYPE_SINT, 4),
        Type::UNSIGNED_INT8 => (ZE_IMAGE_FORMAT_TYPE_UINT, 1),
        Type::UNSIGNED_INT16 => (ZE_IMAGE_FORMAT_TYPE_UINT, 2),
        Type::UNSIGNED_INT32 => (ZE_IMAGE_FORMAT_TYPE_UINT, 4),
        Type::HALF_FLOAT => (ZE_IMAGE_FORMAT_TYPE_FLOAT, 2),
        Type::FLOAT => (ZE_IMAGE_FORMAT_TYPE_FLOAT, 4),
        _ => return None,
    };
    let layout = match (count, bytes) {
        (1, 1) => ZE_IMAGE_FORMAT_LAYOUT_8,
        (1, 2) => ZE_IMAGE_FORMAT_LAYOUT_16,
        (1, _) => ZE_IMAGE_FORMAT_LAYOUT_32,
        (2, 1) => ZE_IMAGE_FORMAT_LAYOUT_8_8,
        (2, 2) => ZE_IMAGE_FORMAT_LAYOUT_16_16,
        (2, _) => ZE_IMAGE_FORMAT_LAYOUT_32_32,
        (_, 1) => ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8,
        (_, 2) => ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16,
        _ => ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32,
    };
    let format = ze_image_format_t {
        layout,
        type_,
        x,
        y,
        z,
        w,
    };
    Some((format, count * bytes))
}
