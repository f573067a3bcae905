// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels: properties, arguments, cache configuration.

use super::*;

ur_types! {
    /// Extension point for urKernelSetArgValue; it has no members besides the structure header.
    struct KernelArgValueProperties = ur_kernel_arg_value_properties_t, KERNEL_ARG_VALUE_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
    }

    /// Extension point for urKernelSetArgLocal; it has no members besides the structure header.
    struct KernelArgLocalProperties = ur_kernel_arg_local_properties_t, KERNEL_ARG_LOCAL_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
    }

    /// Properties that urKernelGetInfo can report about a kernel.
    enum KernelInfo = ur_kernel_info_t, UR_KERNEL_INFO_ {
        /// Name of the entry point, null-terminated
        FUNCTION_NAME = 0 => ([c_char]),
        /// How many arguments the entry point takes
        NUM_ARGS = 1 => (u32),
        /// Current reference count; a racy snapshot, good only for leak hunting
        REFERENCE_COUNT = 2 => (u32),
        /// Context the kernel lives in; the query does not retain it
        CONTEXT = 3 => (ContextHandle),
        /// Program the kernel was taken from; the query does not retain it
        PROGRAM = 4 => (ProgramHandle),
        /// Attributes declared on the kernel source, as one null-terminated string
        ATTRIBUTES = 5 => ([c_char]),
        /// Register count of the compiled code
        NUM_REGS = 6 => (u32, optional),
        /// Register spill memory chosen by the compiler: one value per device, in urDeviceGet order
        SPILL_MEM_SIZE = 7 => ([u32], optional),
    }

    /// Work-group properties of a kernel on one device, as reported by urKernelGetGroupInfo.
    enum KernelGroupInfo = ur_kernel_group_info_t, UR_KERNEL_GROUP_INFO_ {
        /// Largest global range per dimension, in work-items
        GLOBAL_WORK_SIZE = 0 => ([usize; 3], optional),
        /// Largest total work-group size that this kernel can run with on the device, in work-items
        WORK_GROUP_SIZE = 1 => (usize),
        /// Work-group size fixed in the kernel source (reqd_work_group_size); three zeros when not fixed
        COMPILE_WORK_GROUP_SIZE = 2 => ([usize; 3]),
        /// Bytes of local memory that one work-group needs
        LOCAL_MEM_SIZE = 3 => (usize),
        /// Work-group sizes that are multiples of this value tend to run fastest
        PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 4 => (usize),
        /// Lower bound on the private memory of one work-item, in bytes
        PRIVATE_MEM_SIZE = 5 => (usize),
        /// Per-dimension upper limit promised in the kernel source; three zeros when none is given
        COMPILE_MAX_WORK_GROUP_SIZE = 6 => ([usize; 3], optional),
        /// Upper limit on total work-items per group promised in the kernel source; 0 when none is given
        COMPILE_MAX_LINEAR_WORK_GROUP_SIZE = 7 => (usize, optional),
    }

    /// Sub-group properties of a kernel on one device, as reported by urKernelGetSubGroupInfo.
    enum KernelSubGroupInfo = ur_kernel_sub_group_info_t, UR_KERNEL_SUB_GROUP_INFO_ {
        /// Largest sub-group this kernel can run with, in work-items
        MAX_SUB_GROUP_SIZE = 0 => (u32),
        /// Upper bound on sub-groups per work-group
        MAX_NUM_SUB_GROUPS = 1 => (u32),
        /// Sub-groups per work-group fixed in the kernel source; 0 when not fixed
        COMPILE_NUM_SUB_GROUPS = 2 => (u32),
        /// Sub-group size fixed by the intel_reqd_sub_group_size attribute, in work-items; 0 when absent
        SUB_GROUP_SIZE_INTEL = 3 => (u32),
    }

    /// Preference for dividing on-chip memory between data cache and shared local memory.
    enum KernelCacheConfig = ur_kernel_cache_config_t, UR_KERNEL_CACHE_CONFIG_ {
        /// No preference; the driver decides the split
        DEFAULT = 0,
        /// Favour shared local memory over data cache
        LARGE_SLM = 1,
        /// Favour data cache over shared local memory
        LARGE_DATA = 2,
    }

    /// Execution attributes that urKernelSetExecInfo can change on a kernel.
    enum KernelExecInfo = ur_kernel_exec_info_t, UR_KERNEL_EXEC_INFO_ {
        /// Whether the kernel may reach USM allocations through pointers stored in memory rather than passed as
        /// arguments
        USM_INDIRECT_ACCESS = 0 => (Bool),
        /// Array of the USM pointers the kernel reaches indirectly; the value size in bytes sets its length
        USM_PTRS = 1 => ([*mut c_void]),
        /// Cache versus local memory preference for the kernel's launches
        CACHE_CONFIG = 2 => (KernelCacheConfig),
    }

    /// Extension point for urKernelSetArgPointer; it has no members besides the structure header.
    struct KernelArgPointerProperties = ur_kernel_arg_pointer_properties_t, KERNEL_ARG_POINTER_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
    }

    /// Extension point for urKernelSetExecInfo; it has no members besides the structure header.
    struct KernelExecInfoProperties = ur_kernel_exec_info_properties_t, KERNEL_EXEC_INFO_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
    }

    /// Extension point for urKernelSetArgSampler; it has no members besides the structure header.
    struct KernelArgSamplerProperties = ur_kernel_arg_sampler_properties_t, KERNEL_ARG_SAMPLER_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
    }

    /// Specifies for urKernelSetArgMemObj how the kernel will access the memory object.
    struct KernelArgMemObjProperties = ur_kernel_arg_mem_obj_properties_t, KERNEL_ARG_MEM_OBJ_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// access the kernel makes: one of UR_MEM_FLAG_READ_WRITE, UR_MEM_FLAG_WRITE_ONLY, UR_MEM_FLAG_READ_ONLY
        [in] memoryAccess: MemFlags,
    }

    /// Options for urKernelCreateWithNativeHandle.
    struct KernelNativeProperties = ur_kernel_native_properties_t, KERNEL_NATIVE_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// true hands the native kernel to UR, which destroys it with the last release
        [in] isNativeHandleOwned: bool,
    }
}
