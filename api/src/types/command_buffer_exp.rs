// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Command buffer (experimental).

use super::*;

ur_types! {
    /// Reports what a device can change in the commands of a finalized command-buffer.
    flags DeviceCommandBufferUpdateCapabilityFlags = ur_device_command_buffer_update_capability_flags_t, UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_ {
        /// Arguments of a kernel launch can be replaced
        KERNEL_ARGUMENTS = 1 << 0,
        /// Work-group size of a launch can be replaced
        LOCAL_WORK_SIZE = 1 << 1,
        /// Global size of a launch can be replaced
        GLOBAL_WORK_SIZE = 1 << 2,
        /// Global offset of a launch can be replaced
        GLOBAL_WORK_OFFSET = 1 << 3,
        /// Kernel of a launch can be swapped for a declared alternative
        KERNEL_HANDLE = 1 << 4,
        /// Signal and wait events of a command can be replaced
        EVENTS = 1 << 5,
    }

    /// Properties of a command-buffer, as read by `urCommandBufferGetInfoExp`.
    enum ExpCommandBufferInfo = ur_exp_command_buffer_info_t, UR_EXP_COMMAND_BUFFER_INFO_ {
        /// Current reference count; a snapshot, useful only for leak hunting
        REFERENCE_COUNT = 0 => (u32),
        /// Descriptor of the command-buffer, with the settings that the adapter really uses
        DESCRIPTOR = 1 => (ExpCommandBufferDesc),
    }

    /// Properties of a single command of a command-buffer.
    enum ExpCommandBufferCommandInfo = ur_exp_command_buffer_command_info_t, UR_EXP_COMMAND_BUFFER_COMMAND_INFO_ {
        /// Current reference count; a snapshot, useful only for leak hunting
        REFERENCE_COUNT = 0 => (u32),
    }

    /// Settings of a new command-buffer.
    struct ExpCommandBufferDesc = ur_exp_command_buffer_desc_t, EXP_COMMAND_BUFFER_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// true to allow changes to its commands after finalization
        [in] isUpdatable: Bool,
        /// true to run commands in append order, whatever their sync points say
        [in] isInOrder: Bool,
        /// true to record timestamps for executions of the command-buffer
        [in] enableProfiling: Bool,
    }

    /// Number that names a command within its command-buffer, so that later commands can depend on it.
    alias ExpCommandBufferSyncPoint = ur_exp_command_buffer_sync_point_t { u32 }

    /// Reference-counted recording of commands that can be enqueued many times, like cl_command_buffer_khr or a Level
    /// Zero command list.
    handle ExpCommandBufferHandle = ur_exp_command_buffer_handle_t {}

    /// One command of an updatable command-buffer, named to change it later; lives as long as the command-buffer.
    handle ExpCommandBufferCommandHandle = ur_exp_command_buffer_command_handle_t {}

    /// Replaces one memory object argument of a recorded kernel launch.
    struct ExpCommandBufferUpdateMemobjArgDesc = ur_exp_command_buffer_update_memobj_arg_desc_t, EXP_COMMAND_BUFFER_UPDATE_MEMOBJ_ARG_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// index of the kernel argument, from 0
        [in] argIndex: u32,
        [in, optional] pProperties: *const KernelArgMemObjProperties,
        /// new memory object; null passes a null buffer
        [in, optional] hNewMemObjArg: MemHandle,
    }

    /// Replaces one USM pointer argument of a recorded kernel launch.
    struct ExpCommandBufferUpdatePointerArgDesc = ur_exp_command_buffer_update_pointer_arg_desc_t, EXP_COMMAND_BUFFER_UPDATE_POINTER_ARG_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// index of the kernel argument, from 0
        [in] argIndex: u32,
        [in, optional] pProperties: *const KernelArgPointerProperties,
        /// points to the new pointer value
        [in, optional] pNewPointerArg: *const c_void,
    }

    /// Replaces one by-value argument of a recorded kernel launch.
    struct ExpCommandBufferUpdateValueArgDesc = ur_exp_command_buffer_update_value_arg_desc_t, EXP_COMMAND_BUFFER_UPDATE_VALUE_ARG_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// index of the kernel argument, from 0
        [in] argIndex: u32,
        /// size of the value in bytes
        [in] argSize: usize,
        [in, optional] pProperties: *const KernelArgValueProperties,
        /// points to `argSize` bytes of the new value; null for local memory
        [in, optional] pNewValueArg: *const c_void,
    }

    /// Lists the changes to one recorded kernel launch; whatever is left null stays as it is.
    struct ExpCommandBufferUpdateKernelLaunchDesc = ur_exp_command_buffer_update_kernel_launch_desc_t, EXP_COMMAND_BUFFER_UPDATE_KERNEL_LAUNCH_DESC {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
        /// kernel launch to change
        [in] hCommand: ExpCommandBufferCommandHandle,
        /// kernel to switch to, declared as an alternative at append; null keeps the kernel
        [in, optional] hNewKernel: KernelHandle,
        /// length of `pNewMemObjArgList`
        [in] numNewMemObjArgs: u32,
        /// length of `pNewPointerArgList`
        [in] numNewPointerArgs: u32,
        /// length of `pNewValueArgList`
        [in] numNewValueArgs: u32,
        /// dimensions of the ND-range, 1 to 3
        [in] newWorkDim: u32,
        /// array of `numNewMemObjArgs` memory object changes
        [in, optional, range(numNewMemObjArgs)] pNewMemObjArgList: *const ExpCommandBufferUpdateMemobjArgDesc,
        /// array of `numNewPointerArgs` pointer changes
        [in, optional, range(numNewPointerArgs)] pNewPointerArgList: *const ExpCommandBufferUpdatePointerArgDesc,
        /// array of `numNewValueArgs` by-value changes
        [in, optional, range(numNewValueArgs)] pNewValueArgList: *const ExpCommandBufferUpdateValueArgDesc,
        /// `newWorkDim` offsets in work-items; null keeps them, not allowed when the dimension changes
        [in, optional, range(newWorkDim)] pNewGlobalWorkOffset: *mut usize,
        /// `newWorkDim` global sizes in work-items; null keeps them, not allowed when the dimension changes
        [in, optional, range(newWorkDim)] pNewGlobalWorkSize: *mut usize,
        /// `newWorkDim` work-group sizes; null keeps them, or lets the adapter choose if the global size changes
        [in, optional, range(newWorkDim)] pNewLocalWorkSize: *mut usize,
    }

    /// Caller's function that adds commands through the backend's own API while a native command is being recorded.
    callback ExpCommandBufferNativeCommandFunction = ur_exp_command_buffer_native_command_function_t {
        /// pointer handed to `urCommandBufferAppendNativeCommandExp` as `pData`
        [inout] pUserData: *mut c_void,
    }
}
