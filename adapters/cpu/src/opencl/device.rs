// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use kit::ur::*;
use kit::{Device as _, Platform as _};
use opencl_sys::*;
use oxur_adapter_kit as kit;
use oxur_api_opencl as conv;
use oxur_device_cpu::limits;

use super::entry;
use super::error::{ClError, ClResult};
use super::handle::{export, handle_of, object, reference_count, release, retain};
use super::info::{Out, give_list, not_null, value};
use crate::device::extensions;
use crate::{Device, Platform};

/// The version of OpenCL.
pub(super) const VERSION: cl_version = version(3, 0, 0);

const fn version(major: u32, minor: u32, patch: u32) -> cl_version {
    major << 22 | minor << 12 | patch
}

fn name_version(name: &str, version: cl_version) -> cl_name_version {
    let mut found = cl_name_version { version, name: [0; 64] };
    // The last byte stays zero.
    for (to, from) in found.name[..63].iter_mut().zip(name.bytes()) {
        *to = from;
    }
    found
}

/// Extensions in a list with their versions.
pub(super) fn names_with_version(names: &str) -> Vec<cl_name_version> {
    names
        .split_ascii_whitespace()
        .map(|name| name_version(name, version(1, 0, 0)))
        .collect()
}

/// The versions of SPIR-V in UR's list, as `SPIR-V_1.4`.
fn languages(list: &str) -> Vec<cl_name_version> {
    list.split_ascii_whitespace()
        .filter_map(|entry| {
            let (name, number) = entry.trim_end_matches('\0').split_once('_')?;
            let (major, minor) = number.split_once('.')?;
            Some(name_version(name, version(major.parse().ok()?, minor.parse().ok()?, 0)))
        })
        .collect()
}

/// All memory orders and scopes, as UR's queries say.
const ATOMICS: cl_bitfield = CL_DEVICE_ATOMIC_ORDER_RELAXED
    | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
    | CL_DEVICE_ATOMIC_ORDER_SEQ_CST
    | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
    | CL_DEVICE_ATOMIC_SCOPE_DEVICE
    | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
const ATOMIC_FENCES: cl_bitfield = ATOMICS | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM;

// Of cl_ext_float_atomics, which the headers here do not have.
const CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 0x4231;
const CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 0x4232;
const CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 0x4233;
const CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT: cl_bitfield = 1 << 0;
const CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT: cl_bitfield = 1 << 1;
const CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT: cl_bitfield = 1 << 2;
const CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT: cl_bitfield = 1 << 16;
const CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT: cl_bitfield = 1 << 17;
const CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT: cl_bitfield = 1 << 18;

/// The processor's clock counts up for all of the device.
const CLOCKS: cl_device_kernel_clock_capabilities_khr = CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR
    | CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR
    | CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR;

/// Floating-point atomics of global and local memory.
const FP_ATOMICS: cl_bitfield = CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT
    | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT
    | CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT
    | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT
    | CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT
    | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;

/// The properties of UR for a list of OpenCL's, which a zero ends.
///
/// # Safety
/// `list` must be such a list.
unsafe fn partition_properties(
    mut list: *const cl_device_partition_property,
) -> ClResult<Vec<DevicePartitionProperty>> {
    let mut next = || {
        // SAFETY: the end was not reached.
        let value = unsafe { list.read() };
        list = list.wrapping_add(1);
        value
    };
    let kind = DevicePartition(u32::try_from(next()).map_err(|_| CL_INVALID_VALUE)? as _);
    let property = |count: cl_device_partition_property| -> ClResult<DevicePartitionProperty> {
        let count = u32::try_from(count).map_err(|_| CL_INVALID_VALUE)?;
        let value = DevicePartitionValue { count };
        Ok(DevicePartitionProperty { r#type: kind, value })
    };
    let mut properties = Vec::new();
    match kind {
        DevicePartition::EQUALLY | DevicePartition::BY_AFFINITY_DOMAIN => {
            properties.push(property(next())?);
            match next() {
                0 => Ok(properties),
                _ => Err(ClError::with_message(
                    CL_INVALID_VALUE,
                    "a device is divided in one way at a time",
                )),
            }
        }
        DevicePartition::BY_COUNTS => loop {
            match next() {
                CL_DEVICE_PARTITION_BY_COUNTS_LIST_END => return Ok(properties),
                count => properties.push(property(count)?),
            }
        },
        _ => Err(CL_INVALID_VALUE.into()),
    }
}

fn info(device: &Arc<Device>, query: cl_device_info, out: Out) -> ClResult<()> {
    use DeviceInfo as Ur;
    let ask = |query| move |out: kit::InfoOut<'_>| device.info(query, out);
    match query {
        // Who it is.
        CL_DEVICE_TYPE => out.value(CL_DEVICE_TYPE_CPU),
        CL_DEVICE_NAME => out.same(ask(Ur::NAME)),
        CL_DEVICE_VENDOR => out.same(ask(Ur::VENDOR)),
        CL_DEVICE_VENDOR_ID => out.same(ask(Ur::VENDOR_ID)),
        CL_DRIVER_VERSION => out.same(ask(Ur::DRIVER_VERSION)),
        CL_DEVICE_VERSION => out.same(ask(Ur::VERSION)),
        CL_DEVICE_NUMERIC_VERSION => out.value(VERSION),
        CL_DEVICE_PROFILE => out.same(ask(Ur::PROFILE)),
        CL_DEVICE_EXTENSIONS => out.same(ask(Ur::EXTENSIONS)),
        CL_DEVICE_EXTENSIONS_WITH_VERSION => out.slice(&names_with_version(extensions())),
        CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => out.str(""),
        CL_DEVICE_PLATFORM => match device.platform() {
            Some(platform) => out.handle(&platform),
            None => Err(CL_INVALID_DEVICE.into()),
        },
        CL_DEVICE_UUID_KHR => out.same(ask(Ur::UUID)),
        CL_DRIVER_UUID_KHR => out.value(driver_uuid()),
        CL_DEVICE_LUID_VALID_KHR => out.bool(false),
        CL_DEVICE_LUID_KHR => out.value([0u8; 8]),
        CL_DEVICE_NODE_MASK_KHR => out.value::<cl_uint>(0),

        // Compute units and work-items.
        CL_DEVICE_MAX_COMPUTE_UNITS => out.same(ask(Ur::MAX_COMPUTE_UNITS)),
        CL_DEVICE_MAX_CLOCK_FREQUENCY => out.same(ask(Ur::MAX_CLOCK_FREQUENCY)),
        CL_DEVICE_ADDRESS_BITS => out.same(ask(Ur::ADDRESS_BITS)),
        CL_DEVICE_ENDIAN_LITTLE => out.same_bool(ask(Ur::ENDIAN_LITTLE)),
        CL_DEVICE_ERROR_CORRECTION_SUPPORT => out.same_bool(ask(Ur::ERROR_CORRECTION_SUPPORT)),
        CL_DEVICE_HOST_UNIFIED_MEMORY => out.same_bool(ask(Ur::HOST_UNIFIED_MEMORY)),
        CL_DEVICE_AVAILABLE => out.same_bool(ask(Ur::AVAILABLE)),
        CL_DEVICE_EXECUTION_CAPABILITIES => out.value(CL_EXEC_KERNEL),
        CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => out.same(ask(Ur::MAX_WORK_ITEM_DIMENSIONS)),
        CL_DEVICE_MAX_WORK_ITEM_SIZES => out.same(ask(Ur::MAX_WORK_ITEM_SIZES)),
        CL_DEVICE_MAX_WORK_GROUP_SIZE => out.same(ask(Ur::MAX_WORK_GROUP_SIZE)),
        CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
            let lanes: u32 = value(ask(Ur::NATIVE_VECTOR_WIDTH_INT))?;
            out.value(lanes as usize)
        }
        CL_DEVICE_MAX_PARAMETER_SIZE => out.same(ask(Ur::MAX_PARAMETER_SIZE)),
        CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => out.bool(false),
        CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT | CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => out.bool(true),
        CL_DEVICE_MAX_NUM_SUB_GROUPS => out.same(ask(Ur::MAX_NUM_SUB_GROUPS)),
        CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => {
            out.same_bool(ask(Ur::SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS))
        }
        CL_DEVICE_SUB_GROUP_SIZES_INTEL => out.slice(&limits::SUB_GROUP_SIZES.map(|size| size as usize)),

        // Arithmetic.
        CL_DEVICE_HALF_FP_CONFIG => out.value(conv::FP_CAPABILITIES.to_cl(value(ask(Ur::HALF_FP_CONFIG))?)),
        CL_DEVICE_SINGLE_FP_CONFIG => out.value(conv::FP_CAPABILITIES.to_cl(value(ask(Ur::SINGLE_FP_CONFIG))?)),
        CL_DEVICE_DOUBLE_FP_CONFIG => out.value(conv::FP_CAPABILITIES.to_cl(value(ask(Ur::DOUBLE_FP_CONFIG))?)),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR => out.same(ask(Ur::PREFERRED_VECTOR_WIDTH_CHAR)),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT => out.same(ask(Ur::PREFERRED_VECTOR_WIDTH_SHORT)),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT => out.same(ask(Ur::PREFERRED_VECTOR_WIDTH_INT)),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG => out.same(ask(Ur::PREFERRED_VECTOR_WIDTH_LONG)),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT => out.same(ask(Ur::PREFERRED_VECTOR_WIDTH_FLOAT)),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE => out.same(ask(Ur::PREFERRED_VECTOR_WIDTH_DOUBLE)),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF => out.same(ask(Ur::PREFERRED_VECTOR_WIDTH_HALF)),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => out.same(ask(Ur::NATIVE_VECTOR_WIDTH_CHAR)),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT => out.same(ask(Ur::NATIVE_VECTOR_WIDTH_SHORT)),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_INT => out.same(ask(Ur::NATIVE_VECTOR_WIDTH_INT)),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG => out.same(ask(Ur::NATIVE_VECTOR_WIDTH_LONG)),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => out.same(ask(Ur::NATIVE_VECTOR_WIDTH_FLOAT)),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => out.same(ask(Ur::NATIVE_VECTOR_WIDTH_DOUBLE)),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => out.same(ask(Ur::NATIVE_VECTOR_WIDTH_HALF)),

        CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR => out.value(CLOCKS),

        // Atomics. The alignment of a type is enough for its atomics.
        CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => out.value(ATOMICS),
        CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => out.value(ATOMIC_FENCES),
        CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT => out.value(FP_ATOMICS),
        CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT => {
            let has_double = value::<DeviceFpCapabilityFlags>(ask(Ur::DOUBLE_FP_CONFIG))?;
            out.value(if has_double.is_empty() { 0 } else { FP_ATOMICS })
        }
        CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT => out.value::<cl_bitfield>(0),
        CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => out.value::<cl_uint>(0),

        // Memory.
        CL_DEVICE_GLOBAL_MEM_SIZE => out.same(ask(Ur::GLOBAL_MEM_SIZE)),
        CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => out.value(CL_READ_WRITE_CACHE),
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => out.same(ask(Ur::GLOBAL_MEM_CACHELINE_SIZE)),
        CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => out.same(ask(Ur::GLOBAL_MEM_CACHE_SIZE)),
        CL_DEVICE_MAX_MEM_ALLOC_SIZE => out.same(ask(Ur::MAX_MEM_ALLOC_SIZE)),
        CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => out.same(ask(Ur::MAX_CONSTANT_BUFFER_SIZE)),
        CL_DEVICE_MAX_CONSTANT_ARGS => out.same(ask(Ur::MAX_CONSTANT_ARGS)),
        CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE | CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => {
            out.value(device.max_alloc())
        }
        CL_DEVICE_MEM_BASE_ADDR_ALIGN => out.same(ask(Ur::MEM_BASE_ADDR_ALIGN)),
        CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => out.value(limits::ALIGNMENT as cl_uint),
        CL_DEVICE_LOCAL_MEM_TYPE => out.value(CL_GLOBAL),
        CL_DEVICE_LOCAL_MEM_SIZE => out.same(ask(Ur::LOCAL_MEM_SIZE)),
        // Memory without handles is USM.
        CL_DEVICE_SVM_CAPABILITIES => out.value::<cl_bitfield>(0),
        CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL => {
            out.value(conv::USM_CAPABILITIES.to_cl(value(ask(Ur::USM_HOST_SUPPORT))?))
        }
        CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL => {
            out.value(conv::USM_CAPABILITIES.to_cl(value(ask(Ur::USM_DEVICE_SUPPORT))?))
        }
        CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL => {
            out.value(conv::USM_CAPABILITIES.to_cl(value(ask(Ur::USM_SINGLE_SHARED_SUPPORT))?))
        }
        CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL => {
            out.value(conv::USM_CAPABILITIES.to_cl(value(ask(Ur::USM_CROSS_SHARED_SUPPORT))?))
        }
        CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL => {
            out.value(conv::USM_CAPABILITIES.to_cl(value(ask(Ur::USM_SYSTEM_SHARED_SUPPORT))?))
        }

        // Images.
        CL_DEVICE_IMAGE_SUPPORT => out.same_bool(ask(Ur::IMAGE_SUPPORT)),
        CL_DEVICE_MAX_READ_IMAGE_ARGS => out.same(ask(Ur::MAX_READ_IMAGE_ARGS)),
        CL_DEVICE_MAX_WRITE_IMAGE_ARGS => out.same(ask(Ur::MAX_WRITE_IMAGE_ARGS)),
        CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => out.same(ask(Ur::MAX_READ_WRITE_IMAGE_ARGS)),
        CL_DEVICE_MAX_SAMPLERS => out.same(ask(Ur::MAX_SAMPLERS)),
        CL_DEVICE_IMAGE2D_MAX_WIDTH => out.same(ask(Ur::IMAGE2D_MAX_WIDTH)),
        CL_DEVICE_IMAGE2D_MAX_HEIGHT => out.same(ask(Ur::IMAGE2D_MAX_HEIGHT)),
        CL_DEVICE_IMAGE3D_MAX_WIDTH => out.same(ask(Ur::IMAGE3D_MAX_WIDTH)),
        CL_DEVICE_IMAGE3D_MAX_HEIGHT => out.same(ask(Ur::IMAGE3D_MAX_HEIGHT)),
        CL_DEVICE_IMAGE3D_MAX_DEPTH => out.same(ask(Ur::IMAGE3D_MAX_DEPTH)),
        CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => out.same(ask(Ur::IMAGE_MAX_BUFFER_SIZE)),
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => out.same(ask(Ur::IMAGE_MAX_ARRAY_SIZE)),
        // Images are not made of buffers.
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT | CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => out.value::<cl_uint>(0),

        // Queues and clocks. Kernels submit nothing.
        CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => {
            out.value(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
        }
        CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES | CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => out.value::<cl_bitfield>(0),
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE
        | CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE
        | CL_DEVICE_MAX_ON_DEVICE_QUEUES
        | CL_DEVICE_MAX_ON_DEVICE_EVENTS => out.value::<cl_uint>(0),
        CL_DEVICE_PROFILING_TIMER_RESOLUTION => out.same(ask(Ur::PROFILING_TIMER_RESOLUTION)),

        // Programs: of SPIR-V, not of OpenCL C.
        CL_DEVICE_COMPILER_AVAILABLE => out.bool(false),
        CL_DEVICE_LINKER_AVAILABLE => out.same_bool(ask(Ur::LINKER_AVAILABLE)),
        CL_DEVICE_OPENCL_C_VERSION => out.str("OpenCL C 1.2 "),
        CL_DEVICE_OPENCL_C_ALL_VERSIONS | CL_DEVICE_OPENCL_C_FEATURES | CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => {
            out.slice::<cl_name_version>(&[])
        }
        CL_DEVICE_BUILT_IN_KERNELS => out.same(ask(Ur::BUILT_IN_KERNELS)),
        CL_DEVICE_IL_VERSION => out.same(ask(Ur::IL_VERSION)),
        CL_DEVICE_ILS_WITH_VERSION => out.slice(&languages(crate::device::IL_VERSION)),
        CL_DEVICE_PRINTF_BUFFER_SIZE => out.same(ask(Ur::PRINTF_BUFFER_SIZE)),
        CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => out.same_bool(ask(Ur::PREFERRED_INTEROP_USER_SYNC)),
        CL_DEVICE_PIPE_SUPPORT => out.bool(false),
        CL_DEVICE_MAX_PIPE_ARGS | CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS | CL_DEVICE_PIPE_MAX_PACKET_SIZE => {
            out.value::<cl_uint>(0)
        }

        // Parts.
        CL_DEVICE_PARENT_DEVICE => match device.parent() {
            Some(parent) => out.handle(parent),
            None => out.value(ptr::null_mut::<c_void>()),
        },
        CL_DEVICE_PARTITION_MAX_SUB_DEVICES => out.same(ask(Ur::PARTITION_MAX_SUB_DEVICES)),
        CL_DEVICE_PARTITION_PROPERTIES => {
            let ways = device.partitions();
            let mut ways: Vec<_> = ways.iter().map(|way| way.0 as cl_device_partition_property).collect();
            if ways.is_empty() {
                ways.push(0);
            }
            out.slice(&ways)
        }
        CL_DEVICE_PARTITION_AFFINITY_DOMAIN => {
            out.value(conv::AFFINITY_DOMAINS.to_cl(value(ask(Ur::PARTITION_AFFINITY_DOMAIN))?))
        }
        CL_DEVICE_PARTITION_TYPE => out.slice(&conv::partition_list(device.made_by())),
        CL_DEVICE_REFERENCE_COUNT if device.is_root() => out.value::<cl_uint>(1),
        CL_DEVICE_REFERENCE_COUNT => out.value(reference_count(&**device)),
        _ => out.unknown(),
    }
}

/// The same for the same version of this library.
fn driver_uuid() -> [u8; 16] {
    let mut uuid = *b"oxur............";
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let len = version.len().min(12);
    uuid[4..4 + len].copy_from_slice(&version[..len]);
    uuid
}

/// Root devices live as long as the adapter: their references are not counted.
fn unless_root(handle: cl_device_id, count: impl FnOnce(cl_device_id) -> ClResult<()>) -> ClResult<()> {
    match object::<Device>(handle)?.is_root() {
        true => Ok(()),
        false => count(handle),
    }
}

entry! {
    fn clGetDeviceIDs(
        platform: cl_platform_id, kind: cl_device_type, capacity: cl_uint, devices: *mut cl_device_id,
        count: *mut cl_uint,
    ) {
        let platform = object::<Platform>(platform)?;
        const KINDS: cl_device_type = CL_DEVICE_TYPE_DEFAULT
            | CL_DEVICE_TYPE_CPU
            | CL_DEVICE_TYPE_GPU
            | CL_DEVICE_TYPE_ACCELERATOR
            | CL_DEVICE_TYPE_CUSTOM;
        if kind != CL_DEVICE_TYPE_ALL && (kind == 0 || kind & !KINDS != 0) {
            return Err(CL_INVALID_DEVICE_TYPE.into());
        }
        if kind & (CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU) == 0 {
            return Err(CL_DEVICE_NOT_FOUND.into());
        }
        let all: Vec<_> = platform.devices().iter().map(handle_of).collect();
        give_list(&all, capacity, devices, count)
    }

    fn clGetDeviceInfo(
        device: cl_device_id, query: cl_device_info, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        log::trace!("clGetDeviceInfo: {query:#x}");
        info(&object(device)?, query, Out::new(size, value, needed))
    }

    fn clCreateSubDevices(
        device: cl_device_id, properties: *const cl_device_partition_property, capacity: cl_uint,
        devices: *mut cl_device_id, count: *mut cl_uint,
    ) {
        let device = object::<Device>(device)?;
        not_null(properties, "the list of properties")?;
        let parts = device.partition(&partition_properties(properties)?)?;
        if !devices.is_null() && (capacity as usize) < parts.len() {
            return Err(ClError::with_message(CL_INVALID_VALUE, "there is no room for all sub-devices"));
        }
        if !devices.is_null() {
            for (place, part) in parts.iter().enumerate() {
                devices.add(place).write(export(part));
            }
        }
        if !count.is_null() {
            count.write(parts.len() as cl_uint);
        }
        Ok(())
    }

    fn clRetainDevice(device: cl_device_id) {
        unless_root(device, retain::<Device>)
    }

    fn clReleaseDevice(device: cl_device_id) {
        unless_root(device, release::<Device>)
    }

    fn clGetDeviceAndHostTimer(device: cl_device_id, on_device: *mut cl_ulong, on_host: *mut cl_ulong) {
        let device = object::<Device>(device)?;
        not_null(on_device, "the place of the device's time")?;
        not_null(on_host, "the place of the host's time")?;
        let (device_time, host_time) = device.timestamps()?;
        on_device.write(device_time);
        on_host.write(host_time);
        Ok(())
    }

    fn clGetHostTimer(device: cl_device_id, on_host: *mut cl_ulong) {
        let device = object::<Device>(device)?;
        not_null(on_host, "the place of the host's time")?;
        on_host.write(device.host_timestamp()?);
        Ok(())
    }
}
