// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Handles, structures and enumerations.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// What a function returns: one of the `CUDA_*` constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct CUresult(pub c_int);

macro_rules! results {
    ($($name:ident = $value:expr;)*) => {
        $( pub const $name: CUresult = CUresult($value); )*

        impl CUresult {
            /// Its name in CUDA's header, if it is one of those that are listed here.
            pub fn name(self) -> Option<&'static str> {
                $( if self == $name { return Some(stringify!($name)); } )*
                None
            }
        }
    };
}

results! {
    CUDA_SUCCESS = 0;
    CUDA_ERROR_INVALID_VALUE = 1;
    CUDA_ERROR_OUT_OF_MEMORY = 2;
    CUDA_ERROR_NOT_INITIALIZED = 3;
    CUDA_ERROR_DEINITIALIZED = 4;
    CUDA_ERROR_STUB_LIBRARY = 34;
    CUDA_ERROR_DEVICE_UNAVAILABLE = 46;
    CUDA_ERROR_NO_DEVICE = 100;
    CUDA_ERROR_INVALID_DEVICE = 101;
    CUDA_ERROR_INVALID_IMAGE = 200;
    CUDA_ERROR_INVALID_CONTEXT = 201;
    CUDA_ERROR_MAP_FAILED = 205;
    CUDA_ERROR_ALREADY_MAPPED = 208;
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209;
    CUDA_ERROR_NOT_MAPPED = 211;
    CUDA_ERROR_ECC_UNCORRECTABLE = 214;
    CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217;
    CUDA_ERROR_INVALID_PTX = 218;
    CUDA_ERROR_NVLINK_UNCORRECTABLE = 220;
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221;
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222;
    CUDA_ERROR_CONTAINED = 226;
    CUDA_ERROR_INVALID_SOURCE = 300;
    CUDA_ERROR_INVALID_HANDLE = 400;
    CUDA_ERROR_NOT_FOUND = 500;
    CUDA_ERROR_NOT_READY = 600;
    CUDA_ERROR_ILLEGAL_ADDRESS = 700;
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701;
    CUDA_ERROR_LAUNCH_TIMEOUT = 702;
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704;
    CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705;
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709;
    CUDA_ERROR_ASSERT = 710;
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712;
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713;
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714;
    CUDA_ERROR_ILLEGAL_INSTRUCTION = 715;
    CUDA_ERROR_MISALIGNED_ADDRESS = 716;
    CUDA_ERROR_INVALID_ADDRESS_SPACE = 717;
    CUDA_ERROR_INVALID_PC = 718;
    CUDA_ERROR_LAUNCH_FAILED = 719;
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720;
    CUDA_ERROR_NOT_PERMITTED = 800;
    CUDA_ERROR_NOT_SUPPORTED = 801;
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803;
    CUDA_ERROR_INVALID_CLUSTER_SIZE = 912;
    CUDA_ERROR_UNKNOWN = 999;
}

pub type CUdevice = c_int;
pub type CUdeviceptr = u64;
pub type CUmemGenericAllocationHandle = u64;
pub type CUdevice_attribute = c_int;
pub type CUfunction_attribute = c_int;
pub type CUjit_option = c_int;
pub type CUjitInputType = c_int;
pub type CUmem_advise = c_int;
pub type CUpointer_attribute = c_int;
pub type CUdevice_P2PAttribute = c_int;
pub type CUmemorytype = c_uint;
pub type CUhostFn = Option<unsafe extern "C" fn(*mut c_void)>;

macro_rules! handles {
    ($($name:ident = $of:ident;)*) => { $(
        pub enum $of {}
        pub type $name = *mut $of;
    )* };
}

handles! {
    CUcontext = CUctx_st;
    CUmodule = CUmod_st;
    CUfunction = CUfunc_st;
    CUstream = CUstream_st;
    CUevent = CUevent_st;
    CUlinkState = CUlinkState_st;
    CUgraph = CUgraph_st;
    CUgraphNode = CUgraphNode_st;
    CUgraphExec = CUgraphExec_st;
    CUmemoryPool = CUmemPoolHandle_st;
}

#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct CUuuid {
    pub bytes: [u8; 16],
}

/// A copy of a box.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CUDA_MEMCPY3D {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcZ: usize,
    pub srcLOD: usize,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: *const c_void,
    pub srcDevice: CUdeviceptr,
    pub srcArray: *mut c_void,
    pub reserved0: *mut c_void,
    pub srcPitch: usize,
    pub srcHeight: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstZ: usize,
    pub dstLOD: usize,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: *mut c_void,
    pub dstDevice: CUdeviceptr,
    pub dstArray: *mut c_void,
    pub reserved1: *mut c_void,
    pub dstPitch: usize,
    pub dstHeight: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
    pub Depth: usize,
}

/// A copy of a box between the memory of two devices. It has the contexts of the source and of the destination where a
/// [`CUDA_MEMCPY3D`] has `reserved0` and `reserved1`, and is like it else.
pub type CUDA_MEMCPY3D_PEER = CUDA_MEMCPY3D;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct CUlaunchAttribute {
    pub id: c_int,
    pub pad: [u8; 4],
    pub value: CUlaunchAttributeValue,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub union CUlaunchAttributeValue {
    pub pad: [u64; 8],
    pub cooperative: c_int,
    pub clusterDim: [c_uint; 3],
}

#[repr(C)]
pub struct CUlaunchConfig {
    pub gridDimX: c_uint,
    pub gridDimY: c_uint,
    pub gridDimZ: c_uint,
    pub blockDimX: c_uint,
    pub blockDimY: c_uint,
    pub blockDimZ: c_uint,
    pub sharedMemBytes: c_uint,
    pub hStream: CUstream,
    pub attrs: *mut CUlaunchAttribute,
    pub numAttrs: c_uint,
}

/// What a kernel node of a graph launches.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CUDA_KERNEL_NODE_PARAMS {
    pub func: CUfunction,
    pub gridDimX: c_uint,
    pub gridDimY: c_uint,
    pub gridDimZ: c_uint,
    pub blockDimX: c_uint,
    pub blockDimY: c_uint,
    pub blockDimZ: c_uint,
    pub sharedMemBytes: c_uint,
    pub kernelParams: *mut *mut c_void,
    pub extra: *mut *mut c_void,
    pub kern: *mut c_void,
    pub ctx: CUcontext,
}

/// What a node of a graph fills: `height` rows of `width` elements.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CUDA_MEMSET_NODE_PARAMS {
    pub dst: CUdeviceptr,
    pub pitch: usize,
    pub value: c_uint,
    pub elementSize: c_uint,
    pub width: usize,
    pub height: usize,
}

/// Whose memory something is.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CUmemLocation {
    pub kind: c_int,
    pub id: c_int,
}

/// What a memory pool is like.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CUmemPoolProps {
    pub allocType: c_int,
    pub handleTypes: c_int,
    pub location: CUmemLocation,
    pub win32SecurityAttributes: *mut c_void,
    pub maxSize: usize,
    pub usage: u16,
    pub reserved: [u8; 54],
}

/// What physical memory is like.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CUmemAllocationProp {
    pub allocType: c_int,
    pub requestedHandleTypes: c_int,
    pub location: CUmemLocation,
    pub win32HandleMetaData: *mut c_void,
    pub allocFlags: [u8; 8],
}

/// Memory for other processes.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CUipcMemHandle {
    pub reserved: [u8; 64],
}

/// Who may use the memory of a pool, or mapped memory.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CUmemAccessDesc {
    pub location: CUmemLocation,
    pub flags: c_int,
}

pub const CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: CUdevice_attribute = 1;
pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X: CUdevice_attribute = 2;
pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: CUdevice_attribute = 3;
pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: CUdevice_attribute = 4;
pub const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: CUdevice_attribute = 5;
pub const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y: CUdevice_attribute = 6;
pub const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: CUdevice_attribute = 7;
pub const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = 8;
pub const CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: CUdevice_attribute = 9;
pub const CU_DEVICE_ATTRIBUTE_WARP_SIZE: CUdevice_attribute = 10;
pub const CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK: CUdevice_attribute = 12;
pub const CU_DEVICE_ATTRIBUTE_CLOCK_RATE: CUdevice_attribute = 13;
pub const CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: CUdevice_attribute = 16;
pub const CU_DEVICE_ATTRIBUTE_INTEGRATED: CUdevice_attribute = 18;
pub const CU_DEVICE_ATTRIBUTE_COMPUTE_MODE: CUdevice_attribute = 20;
pub const CU_DEVICE_ATTRIBUTE_ECC_ENABLED: CUdevice_attribute = 32;
pub const CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: CUdevice_attribute = 33;
pub const CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID: CUdevice_attribute = 34;
pub const CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: CUdevice_attribute = 36;
pub const CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: CUdevice_attribute = 37;
pub const CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: CUdevice_attribute = 38;
pub const CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID: CUdevice_attribute = 50;
pub const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: CUdevice_attribute = 75;
pub const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: CUdevice_attribute = 76;
pub const CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY: CUdevice_attribute = 83;
pub const CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED: CUdevice_attribute = 86;
pub const CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS: CUdevice_attribute = 88;
pub const CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS: CUdevice_attribute = 89;
pub const CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: CUdevice_attribute = 95;
pub const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: CUdevice_attribute = 97;
pub const CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: CUdevice_attribute = 102;
pub const CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: CUdevice_attribute = 115;
pub const CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH: CUdevice_attribute = 120;

pub const CU_MEM_ALLOCATION_TYPE_PINNED: c_int = 1;
pub const CU_MEM_LOCATION_TYPE_DEVICE: c_int = 1;
pub const CU_MEM_ACCESS_FLAGS_PROT_NONE: c_int = 0;
pub const CU_MEM_ACCESS_FLAGS_PROT_READ: c_int = 1;
pub const CU_MEM_ACCESS_FLAGS_PROT_READWRITE: c_int = 3;
pub const CU_MEM_ALLOC_GRANULARITY_MINIMUM: c_int = 0;
pub const CU_MEM_ALLOC_GRANULARITY_RECOMMENDED: c_int = 1;
pub const CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS: c_uint = 1;
pub const CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: c_int = 4;

pub const CU_COMPUTEMODE_PROHIBITED: c_int = 2;

pub const CU_STREAM_NON_BLOCKING: c_uint = 1;
pub const CU_EVENT_DEFAULT: c_uint = 0;
pub const CU_EVENT_DISABLE_TIMING: c_uint = 2;
pub const CU_STREAM_WAIT_VALUE_GEQ: c_uint = 0;

pub const CU_MEMHOSTALLOC_PORTABLE: c_uint = 1;
pub const CU_MEMHOSTALLOC_DEVICEMAP: c_uint = 2;
pub const CU_MEMHOSTALLOC_WRITECOMBINED: c_uint = 4;
pub const CU_MEMHOSTREGISTER_PORTABLE: c_uint = 1;
pub const CU_MEMHOSTREGISTER_DEVICEMAP: c_uint = 2;
pub const CU_MEM_ATTACH_GLOBAL: c_uint = 1;

pub const CU_MEMORYTYPE_HOST: CUmemorytype = 1;
pub const CU_MEMORYTYPE_DEVICE: CUmemorytype = 2;
pub const CU_MEMORYTYPE_UNIFIED: CUmemorytype = 4;

pub const CU_POINTER_ATTRIBUTE_CONTEXT: CUpointer_attribute = 1;
pub const CU_POINTER_ATTRIBUTE_MEMORY_TYPE: CUpointer_attribute = 2;
pub const CU_POINTER_ATTRIBUTE_IS_MANAGED: CUpointer_attribute = 8;
pub const CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: CUpointer_attribute = 9;
pub const CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: CUpointer_attribute = 11;
pub const CU_POINTER_ATTRIBUTE_RANGE_SIZE: CUpointer_attribute = 12;

pub const CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: CUfunction_attribute = 0;
pub const CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: CUfunction_attribute = 1;
pub const CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: CUfunction_attribute = 3;
pub const CU_FUNC_ATTRIBUTE_NUM_REGS: CUfunction_attribute = 4;
pub const CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: CUfunction_attribute = 8;

pub const CU_JIT_MAX_REGISTERS: CUjit_option = 0;
pub const CU_JIT_INFO_LOG_BUFFER: CUjit_option = 3;
pub const CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: CUjit_option = 4;
pub const CU_JIT_ERROR_LOG_BUFFER: CUjit_option = 5;
pub const CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: CUjit_option = 6;
pub const CU_JIT_INPUT_CUBIN: CUjitInputType = 0;
pub const CU_JIT_INPUT_PTX: CUjitInputType = 1;

pub const CU_MEM_ADVISE_SET_READ_MOSTLY: CUmem_advise = 1;
pub const CU_MEM_ADVISE_UNSET_READ_MOSTLY: CUmem_advise = 2;
pub const CU_MEM_ADVISE_SET_PREFERRED_LOCATION: CUmem_advise = 3;
pub const CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION: CUmem_advise = 4;
pub const CU_MEM_ADVISE_SET_ACCESSED_BY: CUmem_advise = 5;
pub const CU_MEM_ADVISE_UNSET_ACCESSED_BY: CUmem_advise = 6;
/// In place of a device: the host.
pub const CU_DEVICE_CPU: CUdevice = -1;

pub const CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED: CUdevice_P2PAttribute = 3;

pub const CU_LAUNCH_PARAM_END: *mut c_void = std::ptr::null_mut();
pub const CU_LAUNCH_PARAM_BUFFER_POINTER: *mut c_void = std::ptr::without_provenance_mut(1);
pub const CU_LAUNCH_PARAM_BUFFER_SIZE: *mut c_void = std::ptr::without_provenance_mut(2);
pub const CU_LAUNCH_ATTRIBUTE_COOPERATIVE: c_int = 2;
pub const CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: c_int = 4;

/// `CU_GET_PROC_ADDRESS_DEFAULT`.
pub const CU_GET_PROC_ADDRESS_DEFAULT: u64 = 0;

/// The type of `cuGetProcAddress_v2`.
pub type PFN_cuGetProcAddress =
    unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_int) -> CUresult;
