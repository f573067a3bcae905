// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a device says of itself. It never changes, so the driver is asked once, when the device is found.
//!
//! A fact is a member whose type knows how to ask, to translate, and to answer the query of UR that asks for it. What OpenCL 1.2 demands of every driver is plain;
//! what came later, or with an extension, is an `Option`: `None` where the driver does not know the query.

use std::ffi::c_void;

use kit::ur::*;
use kit::{InfoOut, UrError, UrResult};
use opencl_sys::*;
use oxur_adapter_kit as kit;

use crate::cl::{self, Plain, cl};
use crate::conv;

type UsmAccess = DeviceUsmAccessCapabilityFlags;

macro_rules! facts {
    ($( $fact:ident: $ty:ty = $what:ident $(=> $query:ident)?, )*) => {
        /// What a device says of itself.
        pub(crate) struct Facts {
            $( pub(crate) $fact: $ty, )*
        }

        impl Facts {
            /// Asks a live device for everything.
            pub(super) fn ask(device: cl_device_id) -> UrResult<Self> {
                Ok(Self { $( $fact: ask(device, $what)?, )* })
            }

            /// Answers a query that is for a fact; hands `out` back if it is not. Inlined into its one caller: `out` is large to
            /// move.
            #[inline(always)]
            pub(super) fn answer<'a>(&self, query: DeviceInfo, out: InfoOut<'a>) -> Result<UrResult<()>, InfoOut<'a>> {
                match query {
                    $( $( DeviceInfo::$query => Ok(self.$fact.answer(out)), )? )*
                    _ => Err(out),
                }
            }
        }
    };
}

facts! {
    kind: DeviceType = CL_DEVICE_TYPE,
    name: String = CL_DEVICE_NAME => NAME,
    vendor: String = CL_DEVICE_VENDOR => VENDOR,
    vendor_id: u32 = CL_DEVICE_VENDOR_ID => VENDOR_ID,
    driver_version: String = CL_DRIVER_VERSION => DRIVER_VERSION,
    version: String = CL_DEVICE_VERSION => VERSION,
    number: Version = CL_DEVICE_VERSION => BACKEND_RUNTIME_VERSION,
    profile: String = CL_DEVICE_PROFILE => PROFILE,
    extensions: String = CL_DEVICE_EXTENSIONS => EXTENSIONS,
    il_version: Option<String> = CL_DEVICE_IL_VERSION => IL_VERSION,
    built_in_kernels: String = CL_DEVICE_BUILT_IN_KERNELS => BUILT_IN_KERNELS,
    uuid: Option<[u8; 16]> = CL_DEVICE_UUID_KHR => UUID,
    luid: Option<Luid> = CL_DEVICE_LUID_KHR => LUID,
    node_mask: Option<u32> = CL_DEVICE_NODE_MASK_KHR => NODE_MASK,
    pci_address: Option<PciAddress> = CL_DEVICE_PCI_BUS_INFO_KHR => PCI_ADDRESS,

    max_compute_units: u32 = CL_DEVICE_MAX_COMPUTE_UNITS => MAX_COMPUTE_UNITS,
    max_clock_frequency: u32 = CL_DEVICE_MAX_CLOCK_FREQUENCY => MAX_CLOCK_FREQUENCY,
    address_bits: u32 = CL_DEVICE_ADDRESS_BITS => ADDRESS_BITS,
    endian_little: bool = CL_DEVICE_ENDIAN_LITTLE => ENDIAN_LITTLE,
    error_correction: bool = CL_DEVICE_ERROR_CORRECTION_SUPPORT => ERROR_CORRECTION_SUPPORT,
    compiler: bool = CL_DEVICE_COMPILER_AVAILABLE => COMPILER_AVAILABLE,
    linker: bool = CL_DEVICE_LINKER_AVAILABLE => LINKER_AVAILABLE,
    execution: DeviceExecCapabilityFlags = CL_DEVICE_EXECUTION_CAPABILITIES => EXECUTION_CAPABILITIES,
    host_queue: QueueFlags = CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => QUEUE_ON_HOST_PROPERTIES,
    device_queue: OrDefault<QueueFlags> = CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => QUEUE_ON_DEVICE_PROPERTIES,
    timer_resolution: usize = CL_DEVICE_PROFILING_TIMER_RESOLUTION => PROFILING_TIMER_RESOLUTION,
    printf_buffer_size: usize = CL_DEVICE_PRINTF_BUFFER_SIZE => PRINTF_BUFFER_SIZE,
    interop_user_sync: bool = CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => PREFERRED_INTEROP_USER_SYNC,
    kernel_clock: Option<u64> = CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR,

    max_work_item_dimensions: u32 = CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => MAX_WORK_ITEM_DIMENSIONS,
    max_work_item_sizes: Vec<usize> = CL_DEVICE_MAX_WORK_ITEM_SIZES => MAX_WORK_ITEM_SIZES,
    max_work_group_size: usize = CL_DEVICE_MAX_WORK_GROUP_SIZE => MAX_WORK_GROUP_SIZE,
    max_parameter_size: usize = CL_DEVICE_MAX_PARAMETER_SIZE => MAX_PARAMETER_SIZE,
    max_num_sub_groups: Option<u32> = CL_DEVICE_MAX_NUM_SUB_GROUPS,
    sub_group_progress: OrDefault<bool> = CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
    sub_group_sizes: SubGroupSizes = CL_DEVICE_SUB_GROUP_SIZES => SUB_GROUP_SIZES_INTEL,

    half_fp: OrDefault<DeviceFpCapabilityFlags> = CL_DEVICE_HALF_FP_CONFIG => HALF_FP_CONFIG,
    single_fp: DeviceFpCapabilityFlags = CL_DEVICE_SINGLE_FP_CONFIG => SINGLE_FP_CONFIG,
    double_fp: DeviceFpCapabilityFlags = CL_DEVICE_DOUBLE_FP_CONFIG => DOUBLE_FP_CONFIG,
    preferred_char: u32 = CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR => PREFERRED_VECTOR_WIDTH_CHAR,
    preferred_short: u32 = CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT => PREFERRED_VECTOR_WIDTH_SHORT,
    preferred_int: u32 = CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT => PREFERRED_VECTOR_WIDTH_INT,
    preferred_long: u32 = CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG => PREFERRED_VECTOR_WIDTH_LONG,
    preferred_half: u32 = CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF => PREFERRED_VECTOR_WIDTH_HALF,
    preferred_float: u32 = CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT => PREFERRED_VECTOR_WIDTH_FLOAT,
    preferred_double: u32 = CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE => PREFERRED_VECTOR_WIDTH_DOUBLE,
    native_char: u32 = CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => NATIVE_VECTOR_WIDTH_CHAR,
    native_short: u32 = CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT => NATIVE_VECTOR_WIDTH_SHORT,
    native_int: u32 = CL_DEVICE_NATIVE_VECTOR_WIDTH_INT => NATIVE_VECTOR_WIDTH_INT,
    native_long: u32 = CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG => NATIVE_VECTOR_WIDTH_LONG,
    native_half: u32 = CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => NATIVE_VECTOR_WIDTH_HALF,
    native_float: u32 = CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => NATIVE_VECTOR_WIDTH_FLOAT,
    native_double: u32 = CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => NATIVE_VECTOR_WIDTH_DOUBLE,

    global_mem_size: u64 = CL_DEVICE_GLOBAL_MEM_SIZE => GLOBAL_MEM_SIZE,
    global_cache_type: DeviceMemCacheType = CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => GLOBAL_MEM_CACHE_TYPE,
    global_cacheline_size: u32 = CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => GLOBAL_MEM_CACHELINE_SIZE,
    global_cache_size: u64 = CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => GLOBAL_MEM_CACHE_SIZE,
    max_mem_alloc_size: u64 = CL_DEVICE_MAX_MEM_ALLOC_SIZE => MAX_MEM_ALLOC_SIZE,
    mem_base_addr_align: u32 = CL_DEVICE_MEM_BASE_ADDR_ALIGN => MEM_BASE_ADDR_ALIGN,
    max_constant_buffer_size: u64 = CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => MAX_CONSTANT_BUFFER_SIZE,
    max_constant_args: u32 = CL_DEVICE_MAX_CONSTANT_ARGS => MAX_CONSTANT_ARGS,
    local_mem_type: DeviceLocalMemType = CL_DEVICE_LOCAL_MEM_TYPE => LOCAL_MEM_TYPE,
    local_mem_size: u64 = CL_DEVICE_LOCAL_MEM_SIZE => LOCAL_MEM_SIZE,
    host_unified_memory: bool = CL_DEVICE_HOST_UNIFIED_MEMORY => HOST_UNIFIED_MEMORY,
    usm_host: OrDefault<UsmAccess> = CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL => USM_HOST_SUPPORT,
    usm_device: OrDefault<UsmAccess> = CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL => USM_DEVICE_SUPPORT,
    usm_single_shared: OrDefault<UsmAccess>
        = CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL => USM_SINGLE_SHARED_SUPPORT,
    usm_cross_shared: OrDefault<UsmAccess>
        = CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL => USM_CROSS_SHARED_SUPPORT,
    usm_system_shared: OrDefault<UsmAccess>
        = CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL => USM_SYSTEM_SHARED_SUPPORT,
    atomic_memory: Option<u64> = CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
    atomic_fence: Option<u64> = CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,

    images: bool = CL_DEVICE_IMAGE_SUPPORT => IMAGE_SUPPORT,
    max_read_image_args: u32 = CL_DEVICE_MAX_READ_IMAGE_ARGS => MAX_READ_IMAGE_ARGS,
    max_write_image_args: u32 = CL_DEVICE_MAX_WRITE_IMAGE_ARGS => MAX_WRITE_IMAGE_ARGS,
    max_read_write_image_args: Option<u32> = CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => MAX_READ_WRITE_IMAGE_ARGS,
    image2d_max_width: usize = CL_DEVICE_IMAGE2D_MAX_WIDTH => IMAGE2D_MAX_WIDTH,
    image2d_max_height: usize = CL_DEVICE_IMAGE2D_MAX_HEIGHT => IMAGE2D_MAX_HEIGHT,
    image3d_max_width: usize = CL_DEVICE_IMAGE3D_MAX_WIDTH => IMAGE3D_MAX_WIDTH,
    image3d_max_height: usize = CL_DEVICE_IMAGE3D_MAX_HEIGHT => IMAGE3D_MAX_HEIGHT,
    image3d_max_depth: usize = CL_DEVICE_IMAGE3D_MAX_DEPTH => IMAGE3D_MAX_DEPTH,
    image_max_buffer_size: usize = CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => IMAGE_MAX_BUFFER_SIZE,
    image_max_array_size: usize = CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => IMAGE_MAX_ARRAY_SIZE,
    max_samplers: u32 = CL_DEVICE_MAX_SAMPLERS => MAX_SAMPLERS,

    max_sub_devices: u32 = CL_DEVICE_PARTITION_MAX_SUB_DEVICES => PARTITION_MAX_SUB_DEVICES,
    partitions: Vec<isize> = CL_DEVICE_PARTITION_PROPERTIES,
    affinity_domains: DeviceAffinityDomainFlags = CL_DEVICE_PARTITION_AFFINITY_DOMAIN => PARTITION_AFFINITY_DOMAIN,
    partitioned_by: Vec<isize> = CL_DEVICE_PARTITION_TYPE,

    intel_id: Option<u32> = CL_DEVICE_ID_INTEL => DEVICE_ID,
    intel_ip_version: Option<u32> = CL_DEVICE_IP_VERSION_INTEL => IP_VERSION,
    intel_slices: Option<u32> = CL_DEVICE_NUM_SLICES_INTEL => GPU_EU_SLICES,
    intel_sub_slices: Option<u32> = CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL => GPU_SUBSLICES_PER_SLICE,
    intel_eus: Option<u32> = CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL => GPU_EU_COUNT_PER_SUBSLICE,
    intel_threads: Option<u32> = CL_DEVICE_NUM_THREADS_PER_EU_INTEL => GPU_HW_THREADS_PER_EU,
}

/// `opencl-sys` has this query as a plain number.
const CL_DEVICE_SUB_GROUP_SIZES: cl_device_info = CL_DEVICE_SUB_GROUP_SIZES_INTEL;

impl Facts {
    /// Whether programs may come as SPIR-V.
    pub(crate) fn takes_spirv(&self) -> bool {
        self.il_version
            .as_deref()
            .is_some_and(|versions| versions.contains("SPIR-V"))
    }

    /// Execution units of a GPU.
    pub(super) fn gpu_eu_count(&self) -> Option<u32> {
        if self.kind != DeviceType::GPU {
            return None;
        }
        self.intel_slices?
            .checked_mul(self.intel_sub_slices?)?
            .checked_mul(self.intel_eus?)
    }
}

/// The answer of a live device to one question.
pub(super) fn ask<T: Fact>(device: cl_device_id, what: cl_device_info) -> UrResult<T> {
    T::ask(device, what)
}

/// What knows how to get itself from a live device, and what to say to a client that asks for it.
pub(super) trait Fact: Sized {
    fn ask(device: cl_device_id, what: cl_device_info) -> UrResult<Self>;

    fn answer(&self, out: InfoOut<'_>) -> UrResult<()>;
}

fn query(device: cl_device_id, what: cl_device_info) -> impl Fn(usize, *mut c_void, *mut usize) -> UrResult<()> {
    // SAFETY: a live device; the pointers are those of `cl`'s functions, with room for `size` bytes.
    move |size, value, needed| unsafe { cl!(clGetDeviceInfo(device, what, size, value, needed)) }
}

impl<T: Plain> Fact for T {
    fn ask(device: cl_device_id, what: cl_device_info) -> UrResult<Self> {
        cl::value(query(device, what))
    }

    fn answer(&self, out: InfoOut<'_>) -> UrResult<()> {
        out.value(*self)
    }
}

impl<T: Plain> Fact for Vec<T> {
    fn ask(device: cl_device_id, what: cl_device_info) -> UrResult<Self> {
        cl::array(query(device, what))
    }

    fn answer(&self, out: InfoOut<'_>) -> UrResult<()> {
        out.slice(self)
    }
}

impl Fact for String {
    fn ask(device: cl_device_id, what: cl_device_info) -> UrResult<Self> {
        cl::string(query(device, what))
    }

    fn answer(&self, out: InfoOut<'_>) -> UrResult<()> {
        out.str(self)
    }
}

impl<T: Fact> Fact for Option<T> {
    fn ask(device: cl_device_id, what: cl_device_info) -> UrResult<Self> {
        Ok(T::ask(device, what).ok())
    }

    fn answer(&self, out: InfoOut<'_>) -> UrResult<()> {
        match self {
            Some(fact) => fact.answer(out),
            None => out.unsupported(),
        }
    }
}

/// What only some drivers know, and no client need know that they do not.
pub(crate) struct OrDefault<T>(pub(super) T);

impl<T: Fact + Default> Fact for OrDefault<T> {
    fn ask(device: cl_device_id, what: cl_device_info) -> UrResult<Self> {
        Ok(Self(T::ask(device, what).unwrap_or_default()))
    }

    fn answer(&self, out: InfoOut<'_>) -> UrResult<()> {
        self.0.answer(out)
    }
}

/// Facts that are OpenCL's, translated.
macro_rules! translated {
    ($( $fact:ty: $cl:ty => $translate:expr, |$this:ident, $out:ident| $answer:expr; )*) => { $(
        impl Fact for $fact {
            fn ask(device: cl_device_id, what: cl_device_info) -> UrResult<Self> {
                ask::<$cl>(device, what).map($translate)
            }

            fn answer(&self, $out: InfoOut<'_>) -> UrResult<()> {
                let $this = self;
                $answer
            }
        }
    )* };
}

translated! {
    bool: cl_bool => |value| value != CL_FALSE, |this, out| out.bool(*this);
    DeviceType: cl_device_type => device_type, |this, out| out.value(*this);
    QueueFlags: cl_command_queue_properties => |bits| conv::QUEUE_FLAGS.to_ur(bits), |this, out| out.value(*this);
    DeviceExecCapabilityFlags: cl_device_exec_capabilities => |bits| conv::EXEC_CAPABILITIES.to_ur(bits), |this, out| out.value(*this);
    DeviceFpCapabilityFlags: cl_device_fp_config => |bits| conv::FP_CAPABILITIES.to_ur(bits), |this, out| out.value(*this);
    UsmAccess: cl_bitfield => |bits| conv::USM_CAPABILITIES.to_ur(bits), |this, out| out.value(*this);
    DeviceAffinityDomainFlags: cl_device_affinity_domain => |bits| conv::AFFINITY_DOMAINS.to_ur(bits), |this, out| out.value(*this);
    // The numbers of the two are the same.
    DeviceMemCacheType: cl_device_mem_cache_type => DeviceMemCacheType, |this, out| out.value(*this);
    DeviceLocalMemType: cl_device_local_mem_type => DeviceLocalMemType, |this, out| out.value(*this);
    Version: String => |text| Version(parse_version(&text)),
        |this, out| out.str(&format!("{}.{}", this.0.0, this.0.1));
}

/// The kind of a device. A combination, such as the default CPU, is its most telling part.
fn device_type(bits: cl_device_type) -> DeviceType {
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

/// A version of OpenCL: major, minor.
pub(crate) struct Version(pub(super) (u32, u32));

/// The numbers of `OpenCL 3.0 ...`, or the oldest that this adapter may meet.
fn parse_version(version: &str) -> (u32, u32) {
    let parse = || {
        let number = version.strip_prefix("OpenCL ")?.split(' ').next()?;
        let (major, minor) = number.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    parse().unwrap_or((1, 2))
}

/// Domain:bus:device.function.
pub(crate) struct PciAddress(pub(super) String);

impl Fact for PciAddress {
    fn ask(device: cl_device_id, what: cl_device_info) -> UrResult<Self> {
        pci_address(&ask::<Vec<u32>>(device, what)?)
            .map(Self)
            .ok_or_else(unknown)
    }

    fn answer(&self, out: InfoOut<'_>) -> UrResult<()> {
        out.str(&self.0)
    }
}

fn pci_address(at: &[u32]) -> Option<String> {
    let &[domain, bus, device, function] = at else {
        return None;
    };
    Some(format!("{domain:04x}:{bus:02x}:{device:02x}.{function:x}"))
}

/// The error of a fact that the device does not have, for an [`Option`].
fn unknown() -> UrError {
    ResultCode::ERROR_UNSUPPORTED_ENUMERATION.into()
}

/// The locally unique identifier of Windows, of a device that has one.
pub(crate) struct Luid(pub(super) [u8; 8]);

impl Fact for Luid {
    fn ask(device: cl_device_id, what: cl_device_info) -> UrResult<Self> {
        if ask(device, CL_DEVICE_LUID_VALID_KHR)? {
            ask(device, what).map(Luid)
        } else {
            Err(unknown())
        }
    }

    fn answer(&self, out: InfoOut<'_>) -> UrResult<()> {
        out.value(self.0)
    }
}

/// The sub-group sizes that a kernel can ask for. A driver without the extension has none to choose from; clients
/// expect at least one, and get 1, as from other adapters.
pub(crate) struct SubGroupSizes(pub(super) Vec<u32>);

impl Fact for SubGroupSizes {
    fn ask(device: cl_device_id, what: cl_device_info) -> UrResult<Self> {
        let sizes = ask::<Option<Vec<usize>>>(device, what)?.unwrap_or_default();
        let sizes: Vec<u32> = sizes.into_iter().filter_map(|size| u32::try_from(size).ok()).collect();
        Ok(Self(if sizes.is_empty() { vec![1] } else { sizes }))
    }

    fn answer(&self, out: InfoOut<'_>) -> UrResult<()> {
        out.slice(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(parse_version("OpenCL 3.0 (Build 0)"), (3, 0));
        assert_eq!(parse_version("OpenCL 2.10 NEO"), (2, 10));
        assert_eq!(parse_version("OpenCL 1.1"), (1, 1));
        assert_eq!(parse_version("what"), (1, 2));
    }

    #[test]
    fn pci_addresses() {
        assert_eq!(pci_address(&[0, 0x3a, 2, 0]).as_deref(), Some("0000:3a:02.0"));
        assert_eq!(pci_address(&[0, 1]), None);
    }
}
