// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices: kinds, properties, partitioning.

use super::*;

ur_types! {
    /// Target name of a device binary: unknown.
    string DEVICE_BINARY_TARGET_UNKNOWN = UR_DEVICE_BINARY_TARGET_UNKNOWN { c"<unknown>" }

    /// Target name of a device binary: spirv32.
    string DEVICE_BINARY_TARGET_SPIRV32 = UR_DEVICE_BINARY_TARGET_SPIRV32 { c"spir" }

    /// Target name of a device binary: spirv64.
    string DEVICE_BINARY_TARGET_SPIRV64 = UR_DEVICE_BINARY_TARGET_SPIRV64 { c"spir64" }

    /// Target name of a device binary: spirv64-x86-64.
    string DEVICE_BINARY_TARGET_SPIRV64_X86_64 = UR_DEVICE_BINARY_TARGET_SPIRV64_X86_64 { c"spir64_x86_64" }

    /// Target name of a device binary: spirv64-gen.
    string DEVICE_BINARY_TARGET_SPIRV64_GEN = UR_DEVICE_BINARY_TARGET_SPIRV64_GEN { c"spir64_gen" }

    /// Target name of a device binary: spirv64-fpga.
    string DEVICE_BINARY_TARGET_SPIRV64_FPGA = UR_DEVICE_BINARY_TARGET_SPIRV64_FPGA { c"spir64_fpga" }

    /// Target name of a device binary: nvptx64.
    string DEVICE_BINARY_TARGET_NVPTX64 = UR_DEVICE_BINARY_TARGET_NVPTX64 { c"nvptx64" }

    /// Target name of a device binary: amdgcn.
    string DEVICE_BINARY_TARGET_AMDGCN = UR_DEVICE_BINARY_TARGET_AMDGCN { c"amdgcn" }

    /// Target name of a device binary: native-cpu.
    string DEVICE_BINARY_TARGET_NATIVE_CPU = UR_DEVICE_BINARY_TARGET_NATIVE_CPU { c"native_cpu" }

    /// Describes the target of one device image offered for selection.
    struct DeviceBinary = ur_device_binary_t, DEVICE_BINARY {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// null-terminated target name, one of the `UR_DEVICE_BINARY_TARGET_*` strings such as `spir64` or `nvptx64`
        [in] pDeviceTargetSpec: *const c_char,
    }

    /// Class of device, both as a filter and as a query result.
    enum DeviceType = ur_device_type_t, UR_DEVICE_TYPE_ {
        /// whatever device the runtime prefers
        DEFAULT = 1,
        /// filter that matches every device; never a query result
        ALL = 2,
        /// graphics processor (GPU)
        GPU = 3,
        /// host processor (CPU)
        CPU = 4,
        /// field-programmable gate array
        FPGA = 5,
        /// accelerator for memory copies
        MCA = 6,
        /// vision processor (VPU)
        VPU = 7,
        /// accelerator of another kind
        CUSTOM = 8,
    }

    /// Queries understood by `urDeviceGetInfo`.
    enum DeviceInfo = ur_device_info_t, UR_DEVICE_INFO_ {
        /// class of the device
        TYPE = 0 => (DeviceType),
        /// vendor number, normally the PCI vendor id
        VENDOR_ID = 1 => (u32),
        /// product number, normally the PCI device id
        DEVICE_ID = 2 => (u32, optional),
        /// number of parallel compute units, at least 1
        MAX_COMPUTE_UNITS = 3 => (u32),
        /// highest number of ND-range dimensions
        MAX_WORK_ITEM_DIMENSIONS = 4 => (u32),
        /// largest work-group extent in each dimension, in work-items
        MAX_WORK_ITEM_SIZES = 5 => ([usize]),
        /// most work-items that one work-group may hold
        MAX_WORK_GROUP_SIZE = 6 => (usize),
        /// 32-bit floating-point capabilities
        SINGLE_FP_CONFIG = 7 => (DeviceFpCapabilityFlags),
        /// 16-bit floating-point capabilities; zero if the type is missing
        HALF_FP_CONFIG = 8 => (DeviceFpCapabilityFlags),
        /// 64-bit floating-point capabilities; zero if the type is missing
        DOUBLE_FP_CONFIG = 9 => (DeviceFpCapabilityFlags),
        /// queue flags that queues on this device accept
        QUEUE_PROPERTIES = 10 => (QueueFlags),
        /// best vector length for 8-bit integers, in elements
        PREFERRED_VECTOR_WIDTH_CHAR = 11 => (u32),
        /// best vector length for 16-bit integers, in elements
        PREFERRED_VECTOR_WIDTH_SHORT = 12 => (u32),
        /// best vector length for 32-bit integers, in elements
        PREFERRED_VECTOR_WIDTH_INT = 13 => (u32),
        /// best vector length for the `long` type, in elements
        PREFERRED_VECTOR_WIDTH_LONG = 14 => (u32),
        /// best vector length for 32-bit floats, in elements
        PREFERRED_VECTOR_WIDTH_FLOAT = 15 => (u32),
        /// best vector length for 64-bit floats; zero if unsupported
        PREFERRED_VECTOR_WIDTH_DOUBLE = 16 => (u32),
        /// best vector length for 16-bit floats; zero if unsupported
        PREFERRED_VECTOR_WIDTH_HALF = 17 => (u32),
        /// hardware vector length for 8-bit integers, in elements
        NATIVE_VECTOR_WIDTH_CHAR = 18 => (u32),
        /// hardware vector length for 16-bit integers, in elements
        NATIVE_VECTOR_WIDTH_SHORT = 19 => (u32),
        /// hardware vector length for 32-bit integers, in elements
        NATIVE_VECTOR_WIDTH_INT = 20 => (u32),
        /// hardware vector length for the `long` type, in elements
        NATIVE_VECTOR_WIDTH_LONG = 21 => (u32),
        /// hardware vector length for 32-bit floats, in elements
        NATIVE_VECTOR_WIDTH_FLOAT = 22 => (u32),
        /// hardware vector length for 64-bit floats; zero if unsupported
        NATIVE_VECTOR_WIDTH_DOUBLE = 23 => (u32),
        /// hardware vector length for 16-bit floats; zero if unsupported
        NATIVE_VECTOR_WIDTH_HALF = 24 => (u32),
        /// peak core clock in MHz
        MAX_CLOCK_FREQUENCY = 25 => (u32),
        /// memory clock in MHz
        MEMORY_CLOCK_RATE = 26 => (u32, optional),
        /// width of a device pointer in bits
        ADDRESS_BITS = 27 => (u32),
        /// largest single allocation in bytes
        MAX_MEM_ALLOC_SIZE = 28 => (u64),
        /// whether kernels can use images
        IMAGE_SUPPORT = 29 => (Bool),
        /// most read-only image arguments per kernel
        MAX_READ_IMAGE_ARGS = 30 => (u32),
        /// most write-only image arguments per kernel
        MAX_WRITE_IMAGE_ARGS = 31 => (u32),
        /// most read-write image arguments per kernel
        MAX_READ_WRITE_IMAGE_ARGS = 32 => (u32, optional),
        /// widest 2D image, in pixels
        IMAGE2D_MAX_WIDTH = 33 => (usize),
        /// tallest 2D image, in pixels
        IMAGE2D_MAX_HEIGHT = 34 => (usize),
        /// widest 3D image, in pixels
        IMAGE3D_MAX_WIDTH = 35 => (usize),
        /// tallest 3D image, in pixels
        IMAGE3D_MAX_HEIGHT = 36 => (usize),
        /// deepest 3D image, in pixels
        IMAGE3D_MAX_DEPTH = 37 => (usize),
        /// longest 1D image made from a buffer, in pixels
        IMAGE_MAX_BUFFER_SIZE = 38 => (usize),
        /// most layers of an image array
        IMAGE_MAX_ARRAY_SIZE = 39 => (usize),
        /// most samplers one kernel may use
        MAX_SAMPLERS = 40 => (u32),
        /// upper bound of all kernel arguments together, in bytes
        MAX_PARAMETER_SIZE = 41 => (usize),
        /// required alignment of sub-buffer origins, in bits
        MEM_BASE_ADDR_ALIGN = 42 => (u32),
        /// kind of cache in front of global memory
        GLOBAL_MEM_CACHE_TYPE = 43 => (DeviceMemCacheType),
        /// line length of the global-memory cache in bytes
        GLOBAL_MEM_CACHELINE_SIZE = 44 => (u32),
        /// capacity of the global-memory cache in bytes
        GLOBAL_MEM_CACHE_SIZE = 45 => (u64),
        /// total global memory in bytes
        GLOBAL_MEM_SIZE = 46 => (u64),
        /// global memory unused at this moment, in bytes
        GLOBAL_MEM_FREE = 47 => (u64, optional),
        /// largest constant-memory allocation in bytes
        MAX_CONSTANT_BUFFER_SIZE = 48 => (u64),
        /// most constant-memory pointer arguments per kernel
        MAX_CONSTANT_ARGS = 49 => (u32),
        /// where work-group local memory resides
        LOCAL_MEM_TYPE = 50 => (DeviceLocalMemType),
        /// local memory available to a work-group, in bytes
        LOCAL_MEM_SIZE = 51 => (u64),
        /// whether device memories are protected by ECC
        ERROR_CORRECTION_SUPPORT = 52 => (Bool),
        /// whether host and device share the same physical memory
        HOST_UNIFIED_MEMORY = 53 => (Bool),
        /// tick length of event timestamps in nanoseconds
        PROFILING_TIMER_RESOLUTION = 54 => (usize),
        /// whether the device is little-endian
        ENDIAN_LITTLE = 55 => (Bool),
        /// whether the device can be used at present
        AVAILABLE = 56 => (Bool),
        /// whether programs can be compiled at run time
        COMPILER_AVAILABLE = 57 => (Bool),
        /// whether programs can be linked at run time
        LINKER_AVAILABLE = 58 => (Bool),
        /// kinds of kernel the device can execute
        EXECUTION_CAPABILITIES = 59 => (DeviceExecCapabilityFlags),
        /// flags accepted for queues that kernels enqueue to
        QUEUE_ON_DEVICE_PROPERTIES = 60 => (QueueFlags),
        /// flags accepted for queues that the host enqueues to
        QUEUE_ON_HOST_PROPERTIES = 61 => (QueueFlags),
        /// names of fixed-function kernels, semicolon-separated, null-terminated
        BUILT_IN_KERNELS = 62 => ([c_char]),
        /// platform that the device belongs to
        PLATFORM = 63 => (PlatformHandle),
        /// current reference count; a snapshot for leak hunting only
        REFERENCE_COUNT = 64 => (u32),
        /// accepted intermediate languages with versions, null-terminated, such as SPIR-V_1.4
        IL_VERSION = 65 => ([c_char], optional),
        /// device name, null-terminated
        NAME = 66 => ([c_char]),
        /// vendor name, null-terminated
        VENDOR = 67 => ([c_char]),
        /// driver version, null-terminated
        DRIVER_VERSION = 68 => ([c_char]),
        /// profile name in the OpenCL sense, null-terminated
        PROFILE = 69 => ([c_char]),
        /// version of the device or its API level, null-terminated
        VERSION = 70 => ([c_char]),
        /// version of the backend runtime, null-terminated
        BACKEND_RUNTIME_VERSION = 71 => ([c_char]),
        /// names of supported extensions, space-separated, null-terminated
        EXTENSIONS = 72 => ([c_char]),
        /// capacity of the buffer that collects kernel printf output, in bytes
        PRINTF_BUFFER_SIZE = 73 => (usize),
        /// whether the user should synchronise objects shared with other APIs
        PREFERRED_INTEROP_USER_SYNC = 74 => (Bool),
        /// device this sub-device was split from; null for a root device
        PARENT_DEVICE = 75 => (DeviceHandle),
        /// partition schemes that the device offers; empty if it cannot be split
        SUPPORTED_PARTITIONS = 76 => ([DevicePartition]),
        /// most sub-devices one split may produce
        PARTITION_MAX_SUB_DEVICES = 77 => (u32),
        /// affinity domains along which the device can be split
        PARTITION_AFFINITY_DOMAIN = 78 => (DeviceAffinityDomainFlags),
        /// properties that created this sub-device; empty for a root device
        PARTITION_TYPE = 79 => ([DevicePartitionProperty]),
        /// most sub-groups in one work-group
        MAX_NUM_SUB_GROUPS = 80 => (u32),
        /// whether sub-groups of a work-group advance independently of each other
        SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS = 81 => (Bool),
        /// available sub-group sizes, in work-items
        SUB_GROUP_SIZES_INTEL = 82 => ([u32]),
        /// how the device may access USM host allocations
        USM_HOST_SUPPORT = 83 => (DeviceUsmAccessCapabilityFlags),
        /// how the device may access USM device allocations
        USM_DEVICE_SUPPORT = 84 => (DeviceUsmAccessCapabilityFlags),
        /// how the device may access shared allocations associated with itself
        USM_SINGLE_SHARED_SUPPORT = 85 => (DeviceUsmAccessCapabilityFlags),
        /// how the device may access shared allocations associated with other devices
        USM_CROSS_SHARED_SUPPORT = 86 => (DeviceUsmAccessCapabilityFlags),
        /// how the device may access ordinary heap memory such as malloc returns
        USM_SYSTEM_SHARED_SUPPORT = 87 => (DeviceUsmAccessCapabilityFlags),
        /// universally unique device identifier, 16 bytes
        UUID = 88 => ([u8], optional),
        /// PCI location as domain:bus:device.function, null-terminated
        PCI_ADDRESS = 89 => ([c_char], optional),
        /// total execution units of an Intel GPU
        GPU_EU_COUNT = 90 => (u32, optional),
        /// physical SIMD lanes of one Intel GPU execution unit
        GPU_EU_SIMD_WIDTH = 91 => (u32, optional),
        /// slices of an Intel GPU
        GPU_EU_SLICES = 92 => (u32, optional),
        /// execution units in one subslice of an Intel GPU
        GPU_EU_COUNT_PER_SUBSLICE = 93 => (u32, optional),
        /// subslices in one slice of an Intel GPU
        GPU_SUBSLICES_PER_SLICE = 94 => (u32, optional),
        /// hardware threads of one Intel GPU execution unit
        GPU_HW_THREADS_PER_EU = 95 => (u32, optional),
        /// peak memory bandwidth in bytes per second
        MAX_MEMORY_BANDWIDTH = 96 => (u64, optional),
        /// whether sRGB image formats work
        IMAGE_SRGB = 97 => (Bool),
        /// whether programs must be built separately for each sub-device
        BUILD_ON_SUBDEVICE = 98 => (Bool),
        /// whether 64-bit atomic operations work
        ATOMIC_64 = 99 => (Bool),
        /// memory orders usable with atomic operations
        ATOMIC_MEMORY_ORDER_CAPABILITIES = 100 => (MemoryOrderCapabilityFlags),
        /// memory scopes usable with atomic operations
        ATOMIC_MEMORY_SCOPE_CAPABILITIES = 101 => (MemoryScopeCapabilityFlags),
        /// memory orders usable with atomic fences
        ATOMIC_FENCE_ORDER_CAPABILITIES = 102 => (MemoryOrderCapabilityFlags),
        /// memory scopes usable with atomic fences
        ATOMIC_FENCE_SCOPE_CAPABILITIES = 103 => (MemoryScopeCapabilityFlags),
        /// deprecated: whether the device computes in bfloat16; see `BFLOAT16_CONVERSIONS_NATIVE`
        BFLOAT16 = 104 => (Bool),
        /// number of selectable compute-queue indices; 1 if the device has no such notion
        MAX_COMPUTE_QUEUE_INDICES = 105 => (u32),
        /// whether `urKernelSetSpecializationConstants` works
        KERNEL_SET_SPECIALIZATION_CONSTANTS = 106 => (Bool),
        /// width of the memory interface in bits
        MEMORY_BUS_WIDTH = 107 => (u32, optional),
        /// most work-groups in each of the three dimensions
        MAX_WORK_GROUPS_3D = 108 => ([usize; 3]),
        /// whether split arrive/wait barriers work in kernels
        ASYNC_BARRIER = 109 => (Bool),
        /// whether allocations can be placed in a chosen memory channel
        MEM_CHANNEL_SUPPORT = 110 => (Bool),
        /// whether the host can enqueue reads and writes of device pipes
        HOST_PIPE_READ_WRITE_SUPPORT = 111 => (Bool),
        /// number of registers that one work-group can draw on
        MAX_REGISTERS_PER_WORK_GROUP = 112 => (u32, optional),
        /// hardware architecture number; encoding is vendor-defined, later hardware ranks higher
        IP_VERSION = 113 => (u32, optional),
        /// whether the virtual-memory reserve and map functions work
        VIRTUAL_MEMORY_SUPPORT = 114 => (Bool),
        /// whether explicit-SIMD (ESIMD) kernels can run
        ESIMD_SUPPORT = 115 => (Bool),
        /// devices that make up this composite device; empty if it is not composite
        COMPONENT_DEVICES = 116 => ([DeviceHandle], optional),
        /// composite device that this component is part of; null if none
        COMPOSITE_DEVICE = 117 => (DeviceHandle, optional),
        /// whether the host can copy to and from device global variables
        GLOBAL_VARIABLE_SUPPORT = 118 => (Bool),
        /// whether USM pools can be created and passed to allocation calls
        USM_POOL_SUPPORT = 119 => (Bool),
        /// compute units as the backend itself counts them
        NUM_COMPUTE_UNITS = 120 => (u32),
        /// whether `urProgramSetSpecializationConstants` works
        PROGRAM_SET_SPECIALIZATION_CONSTANTS = 121 => (Bool),
        /// whether kernel assertions are handled by the device itself
        USE_NATIVE_ASSERT = 122 => (Bool),
        /// causes that hold the clock down at present
        CURRENT_CLOCK_THROTTLE_REASONS = 123 => (DeviceThrottleReasonsFlags, optional),
        /// fan speed in percent of its maximum
        FAN_SPEED = 124 => (i32, optional),
        /// lowest configurable power limit in milliwatts
        MIN_POWER_LIMIT = 125 => (i32, optional),
        /// highest configurable power limit in milliwatts
        MAX_POWER_LIMIT = 126 => (i32, optional),
        /// whether hardware converts between bfloat16 and float
        BFLOAT16_CONVERSIONS_NATIVE = 127 => (Bool),
        /// launch properties that the device honours
        KERNEL_LAUNCH_CAPABILITIES = 128 => (KernelLaunchPropertiesFlags),
        /// locally unique adapter identifier of Windows, 8 bytes
        LUID = 129 => ([u8], optional),
        /// Windows node bit of the device within a linked adapter
        NODE_MASK = 130 => (u32, optional),
        /// best vector length for the `long long` type, in elements
        PREFERRED_VECTOR_WIDTH_LONG_LONG = 131 => (u32),
        /// hardware vector length for the `long long` type, in elements
        NATIVE_VECTOR_WIDTH_LONG_LONG = 132 => (u32),
        /// most work-groups in one launch, over all dimensions
        MAX_WORK_GROUPS = 133 => (usize),
        /// stacks (tiles) of an Intel GPU
        XE_STACK_COUNT = 134 => (u32, optional),
        /// regions with a common L2/L3 cache in one Intel GPU stack
        XE_REGIONS_PER_STACK = 135 => (u32, optional),
        /// slices in one region of an Intel GPU
        XE_CLUSTERS_PER_REGION = 136 => (u32, optional),
        /// Xe cores in one slice of an Intel GPU
        XE_CORES_PER_CLUSTER = 137 => (u32, optional),
        /// execution units in one Xe core of an Intel GPU
        EUS_PER_XE_CORE = 138 => (u32, optional),
        /// widest logical SIMD of one Intel GPU hardware thread, in lanes
        MAX_LANES_PER_HW_THREAD = 139 => (u32, optional),
        /// whether command-buffers work
        COMMAND_BUFFER_SUPPORT_EXP = 0x1000 => (Bool),
        /// which parts of recorded commands can be changed after finalisation
        COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP = 0x1001 => (DeviceCommandBufferUpdateCapabilityFlags),
        /// whether commands inside a command-buffer can wait on and signal outside events
        COMMAND_BUFFER_EVENT_SUPPORT_EXP = 0x1002 => (Bool),
        /// whether one command-buffer can be recorded into another
        COMMAND_BUFFER_SUBGRAPH_SUPPORT_EXP = 0x1003 => (Bool),
        /// whether bindless images work
        BINDLESS_IMAGES_SUPPORT_EXP = 0x2000 => (Bool),
        /// whether bindless images may sit on USM shared memory
        BINDLESS_IMAGES_SHARED_USM_SUPPORT_EXP = 0x2001 => (Bool),
        /// whether 1D bindless images may sit on USM memory
        BINDLESS_IMAGES_1D_USM_SUPPORT_EXP = 0x2002 => (Bool),
        /// whether 2D bindless images may sit on USM memory
        BINDLESS_IMAGES_2D_USM_SUPPORT_EXP = 0x2003 => (Bool),
        /// row-pitch alignment that linear images need, in bytes
        IMAGE_PITCH_ALIGN_EXP = 0x2004 => (u32),
        /// widest linear image on USM memory, in pixels
        MAX_IMAGE_LINEAR_WIDTH_EXP = 0x2005 => (usize),
        /// tallest linear image on USM memory, in pixels
        MAX_IMAGE_LINEAR_HEIGHT_EXP = 0x2006 => (usize),
        /// largest row pitch of a linear image on USM memory, in bytes
        MAX_IMAGE_LINEAR_PITCH_EXP = 0x2007 => (usize),
        /// whether mipmapped images can be allocated
        MIPMAP_SUPPORT_EXP = 0x2008 => (Bool),
        /// whether mipmaps can be sampled with anisotropic filtering
        MIPMAP_ANISOTROPY_SUPPORT_EXP = 0x2009 => (Bool),
        /// highest anisotropy ratio
        MIPMAP_MAX_ANISOTROPY_EXP = 0x200A => (u32),
        /// whether a single mipmap level can be used as an image
        MIPMAP_LEVEL_REFERENCE_SUPPORT_EXP = 0x200B => (Bool),
        /// whether memory of other APIs can be imported
        EXTERNAL_MEMORY_IMPORT_SUPPORT_EXP = 0x200C => (Bool),
        /// whether semaphores of other APIs can be imported
        EXTERNAL_SEMAPHORE_IMPORT_SUPPORT_EXP = 0x200E => (Bool),
        /// whether cubemap images can be allocated and accessed
        CUBEMAP_SUPPORT_EXP = 0x2010 => (Bool),
        /// whether cubemap filtering can blend across face edges
        CUBEMAP_SEAMLESS_FILTERING_SUPPORT_EXP = 0x2011 => (Bool),
        /// whether unfiltered reads work on 1D sampled images in USM
        BINDLESS_SAMPLED_IMAGE_FETCH_1D_USM_SUPPORT_EXP = 0x2012 => (Bool),
        /// whether unfiltered reads work on 1D sampled images in image memory
        BINDLESS_SAMPLED_IMAGE_FETCH_1D_SUPPORT_EXP = 0x2013 => (Bool),
        /// whether unfiltered reads work on 2D sampled images in USM
        BINDLESS_SAMPLED_IMAGE_FETCH_2D_USM_SUPPORT_EXP = 0x2014 => (Bool),
        /// whether unfiltered reads work on 2D sampled images in image memory
        BINDLESS_SAMPLED_IMAGE_FETCH_2D_SUPPORT_EXP = 0x2015 => (Bool),
        /// whether unfiltered reads work on 3D sampled images in image memory
        BINDLESS_SAMPLED_IMAGE_FETCH_3D_SUPPORT_EXP = 0x2017 => (Bool),
        /// whether `urEnqueueTimestampRecordingExp` works
        TIMESTAMP_RECORDING_SUPPORT_EXP = 0x2018 => (Bool),
        /// whether bindless image arrays can be allocated and accessed
        IMAGE_ARRAY_SUPPORT_EXP = 0x2019 => (Bool),
        /// whether each sampler dimension may have its own addressing mode
        BINDLESS_UNIQUE_ADDRESSING_PER_DIM_SUPPORT_EXP = 0x201A => (Bool),
        /// whether filtered sampling works on 1D images in USM
        BINDLESS_SAMPLE_1D_USM_SUPPORT_EXP = 0x201B => (Bool),
        /// whether filtered sampling works on 2D images in USM
        BINDLESS_SAMPLE_2D_USM_SUPPORT_EXP = 0x201C => (Bool),
        /// whether four-texel gather works on sampled images
        BINDLESS_IMAGES_GATHER_SUPPORT_EXP = 0x201D => (Bool),
        /// whether `urEnqueueNativeCommandExp` works
        ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP = 0x2020 => (Bool),
        /// whether event waits can save power at the price of latency
        LOW_POWER_EVENTS_SUPPORT_EXP = 0x2021 => (Bool),
        /// which 2D block loads and stores an Intel GPU has
        _2D_BLOCK_ARRAY_CAPABILITIES_EXP "2D_BLOCK_ARRAY_CAPABILITIES_EXP" = 0x2022 => (ExpDevice2dBlockArrayCapabilityFlags),
        /// whether allocations can be shared with other processes
        IPC_MEMORY_SUPPORT_EXP = 0x2023 => (Bool),
        /// whether physical memory objects can be shared with other processes
        IPC_PHYSICAL_MEMORY_SUPPORT_EXP = 0x2024 => (Bool),
        /// whether events from `urEventCreateExp` can be signalled repeatedly
        REUSABLE_EVENTS_SUPPORT_EXP = 0x2025 => (Bool),
        /// whether events can be shared with other processes
        IPC_EVENT_SUPPORT_EXP = 0x2026 => (Bool),
        /// whether USM allocation and free can be enqueued on a queue
        ASYNC_USM_ALLOCATIONS_SUPPORT_EXP = 0x2050 => (Bool),
        /// whether kernels can read a clock of sub-group scope
        CLOCK_SUB_GROUP_SUPPORT_EXP = 0x2060 => (Bool),
        /// whether kernels can read a clock of work-group scope
        CLOCK_WORK_GROUP_SUPPORT_EXP = 0x2061 => (Bool),
        /// whether kernels can read a clock of device scope
        CLOCK_DEVICE_SUPPORT_EXP = 0x2062 => (Bool),
        /// whether the GPU is built into the host processor
        IS_INTEGRATED_GPU = 0x2070 => (Bool),
        /// whether queue work can be captured into graphs and replayed
        GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP = 0x2080 => (Bool),
        /// whether existing host memory can be registered for device access
        USM_HOST_ALLOC_REGISTER_SUPPORT_EXP = 0x2090 => (Bool),
        /// whether single events can be profiled on a queue created without profiling
        PER_EVENT_PROFILING_SUPPORT_EXP = 0x20A0 => (Bool),
        /// whether peer access between devices can be set up
        USM_P2P_SUPPORT_EXP = 0x4000 => (Bool),
        /// whether the build functions that take a device list work
        MULTI_DEVICE_COMPILE_SUPPORT_EXP = 0x6000 => (Bool),
        /// whether the host can wait for all work of the device at once
        DEVICE_WAIT_SUPPORT_EXP = 0x6002 => (Bool),
        /// whether built programs can be linked to each other dynamically
        DYNAMIC_LINK_SUPPORT_EXP = 0x6003 => (Bool),
        /// whether `urUSMContextMemcpyExp` works
        USM_CONTEXT_MEMCPY_SUPPORT_EXP = 0x7000 => (Bool),
        /// whether linear device memory can be allocated for export to other APIs
        MEMORY_EXPORT_EXPORTABLE_DEVICE_MEM_EXP = 0x8000 => (Bool),
        /// whether host callbacks can be enqueued as commands
        ENQUEUE_HOST_TASK_SUPPORT_EXP = 0x9000 => (Bool),
    }

    /// Memory level that the compute units of one sub-device have in common.
    flags DeviceAffinityDomainFlags = ur_device_affinity_domain_flags_t, UR_DEVICE_AFFINITY_DOMAIN_FLAG_ {
        /// one sub-device per NUMA node
        NUMA = 1 << 0,
        /// one sub-device per L4 cache
        L4_CACHE = 1 << 1,
        /// one sub-device per L3 cache
        L3_CACHE = 1 << 2,
        /// one sub-device per L2 cache
        L2_CACHE = 1 << 3,
        /// one sub-device per L1 cache
        L1_CACHE = 1 << 4,
        /// the outermost level that still splits, tried from NUMA down to L1
        NEXT_PARTITIONABLE = 1 << 5,
    }

    /// Scheme by which a device is split into sub-devices.
    enum DevicePartition = ur_device_partition_t, UR_DEVICE_PARTITION_ {
        /// sub-devices of equal size, as many as fit
        EQUALLY = 0x1086,
        /// one sub-device per property entry, of the given size
        BY_COUNTS = 0x1087,
        /// sub-devices along a shared memory level
        BY_AFFINITY_DOMAIN = 0x1088,
        /// one sub-device per compute slice of an Intel GPU tile
        BY_CSLICE = 0x1089,
    }

    /// Argument of a partition scheme; the scheme decides which member counts.
    union DevicePartitionValue = ur_device_partition_value_t {
        /// compute units per sub-device, for `UR_DEVICE_PARTITION_EQUALLY`
        [in] equally: u32,
        /// compute units of this one sub-device, for `UR_DEVICE_PARTITION_BY_COUNTS`
        [in] count: u32,
        /// level to split along, for `UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN`
        [in] affinity_domain: DeviceAffinityDomainFlags,
    }

    /// One partition request: a scheme and its argument.
    struct DevicePartitionProperty = ur_device_partition_property_t {
        /// scheme to apply
        [in] r#type: DevicePartition,
        /// argument of the scheme, read according to `type`
        [in, tagged_by(type)] value: DevicePartitionValue,
    }

    /// List of partition requests given to `urDevicePartition`.
    struct DevicePartitionProperties = ur_device_partition_properties_t, DEVICE_PARTITION_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        [in] pProperties: *const DevicePartitionProperty,
        /// number of entries in `pProperties`
        [in] PropCount: usize,
    }

    /// Floating-point abilities of a device for one precision.
    flags DeviceFpCapabilityFlags = ur_device_fp_capability_flags_t, UR_DEVICE_FP_CAPABILITY_FLAG_ {
        /// division and square root round as IEEE 754 demands
        CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 0,
        /// rounding to nearest even
        ROUND_TO_NEAREST = 1 << 1,
        /// truncating rounding mode
        ROUND_TO_ZERO = 1 << 2,
        /// rounding modes toward positive and negative infinity
        ROUND_TO_INF = 1 << 3,
        /// infinities and quiet NaNs
        INF_NAN = 1 << 4,
        /// subnormal numbers are kept
        DENORM = 1 << 5,
        /// fused multiply-add with a single rounding
        FMA = 1 << 6,
        /// basic arithmetic is emulated in software
        SOFT_FLOAT = 1 << 7,
    }

    /// Kind of cache in front of global memory.
    enum DeviceMemCacheType = ur_device_mem_cache_type_t, UR_DEVICE_MEM_CACHE_TYPE_ {
        /// no cache present
        NONE = 0,
        /// caches reads only
        READ_ONLY_CACHE = 1,
        /// caches reads and writes
        READ_WRITE_CACHE = 2,
    }

    /// Storage that implements work-group local memory.
    enum DeviceLocalMemType = ur_device_local_mem_type_t, UR_DEVICE_LOCAL_MEM_TYPE_ {
        /// no local memory
        NONE = 0,
        /// dedicated on-chip storage
        LOCAL = 1,
        /// carved out of global memory
        GLOBAL = 2,
    }

    /// Kinds of kernel that a device executes.
    flags DeviceExecCapabilityFlags = ur_device_exec_capability_flags_t, UR_DEVICE_EXEC_CAPABILITY_FLAG_ {
        /// kernels from programs
        KERNEL = 1 << 0,
        /// host functions run as kernels
        NATIVE_KERNEL = 1 << 1,
    }

    /// Options for wrapping a native device.
    struct DeviceNativeProperties = ur_device_native_properties_t, DEVICE_NATIVE_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// true if UR takes over the native handle and disposes of it
        [in] isNativeHandleOwned: bool,
    }

    /// Memory orders of the SYCL and C++ atomics model.
    flags MemoryOrderCapabilityFlags = ur_memory_order_capability_flags_t, UR_MEMORY_ORDER_CAPABILITY_FLAG_ {
        /// atomicity without ordering
        RELAXED = 1 << 0,
        /// acquire loads and fences
        ACQUIRE = 1 << 1,
        /// release stores and fences
        RELEASE = 1 << 2,
        /// combined acquire and release
        ACQ_REL = 1 << 3,
        /// single total order (sequential consistency)
        SEQ_CST = 1 << 4,
    }

    /// Set of observers for which a memory order is guaranteed.
    flags MemoryScopeCapabilityFlags = ur_memory_scope_capability_flags_t, UR_MEMORY_SCOPE_CAPABILITY_FLAG_ {
        /// the work-item itself
        WORK_ITEM = 1 << 0,
        /// work-items of the same sub-group
        SUB_GROUP = 1 << 1,
        /// work-items of the same work-group
        WORK_GROUP = 1 << 2,
        /// all work-items on the device
        DEVICE = 1 << 3,
        /// the host and all devices
        SYSTEM = 1 << 4,
    }

    /// Ways in which a device may touch one kind of USM memory.
    flags DeviceUsmAccessCapabilityFlags = ur_device_usm_access_capability_flags_t, UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_ {
        /// plain loads and stores
        ACCESS = 1 << 0,
        /// atomic operations on it
        ATOMIC_ACCESS = 1 << 1,
        /// access while the host or another device also accesses it
        CONCURRENT_ACCESS = 1 << 2,
        /// atomics while the host or another device also accesses it
        ATOMIC_CONCURRENT_ACCESS = 1 << 3,
    }

    /// Cause of a reduced clock frequency.
    flags DeviceThrottleReasonsFlags = ur_device_throttle_reasons_flags_t, UR_DEVICE_THROTTLE_REASONS_FLAG_ {
        /// power cap reached
        POWER_CAP = 1 << 0,
        /// electrical current limit reached
        CURRENT_LIMIT = 1 << 1,
        /// temperature limit reached
        THERMAL_LIMIT = 1 << 2,
        /// power supply raised an alert
        PSU_ALERT = 1 << 3,
        /// software set a lower frequency range
        SW_RANGE = 1 << 4,
        /// a hardware sub-block is limited to a lower frequency
        HW_RANGE = 1 << 5,
        /// any other cause
        OTHER = 1 << 6,
    }

    /// Launch properties that a device may support.
    flags KernelLaunchPropertiesFlags = ur_kernel_launch_properties_flags_t, UR_KERNEL_LAUNCH_PROPERTIES_FLAG_ {
        /// cooperative launch, where all work-groups are resident together
        COOPERATIVE = 1 << 0,
        /// grouping of work-groups into clusters
        CLUSTER_DIMENSION = 1 << 1,
        /// work-group memory whose size is set at launch
        WORK_GROUP_MEMORY = 1 << 2,
        /// `UR_KERNEL_LAUNCH_FLAG_OPPORTUNISTIC_QUEUE_SERIALIZE` at launch
        OPPORTUNISTIC_QUEUE_SERIALIZE = 1 << 3,
    }
}
