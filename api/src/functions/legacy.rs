// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions that 2026.2 dropped and older clients call. An adapter may export them by a table of our own.

#[doc(hidden)]
#[macro_export]
macro_rules! legacy_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table Legacy: LegacyDdiTable = oxur_legacy_dditable_t, oxurGetLegacyProcAddrTable;

                /// Sets a by-value kernel argument.
                ///
                /// The bytes are copied before the call returns, so the source may be reused at once. A bad index gives
                /// UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, a size that differs from the parameter's
                /// UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE. OpenCL analogue: clSetKernelArg.
                fn urKernelSetArgValue = (pfnKernelSetArgValue, 49, until "2026.1"), via hKernel (
                    /// kernel whose argument is set
                    [in] hKernel: KernelHandle,
                    /// zero-based position of the argument
                    [in] argIndex: u32,
                    /// size of the value in bytes
                    [in] argSize: usize,
                    [in, optional] pProperties: *const KernelArgValueProperties,
                    /// address of argSize bytes to copy
                    [in] pArgValue: *const c_void,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
                    ERROR_INVALID_KERNEL_ARGUMENT_SIZE
                ];

                /// Reserves local memory for a kernel argument that points to the work-group's local address space.
                ///
                /// Each work-group of a launch gets its own uninitialized block. OpenCL analogue: clSetKernelArg with a null
                /// value.
                fn urKernelSetArgLocal = (pfnKernelSetArgLocal, 50, until "2026.1"), via hKernel (
                    /// kernel whose argument is set
                    [in] hKernel: KernelHandle,
                    /// zero-based position of the argument
                    [in] argIndex: u32,
                    /// bytes of local memory to reserve per work-group
                    [in] argSize: usize,
                    [in, optional] pProperties: *const KernelArgLocalProperties,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_KERNEL_ARGUMENT_INDEX, ERROR_INVALID_KERNEL_ARGUMENT_SIZE
                ];

                /// Sets a kernel argument to a USM or mapped virtual memory address.
                ///
                /// The allocation must stay alive until launches that use it are complete. OpenCL analogue:
                /// clSetKernelArgSVMPointer or clSetKernelArgMemPointerINTEL.
                fn urKernelSetArgPointer = (pfnKernelSetArgPointer, 56, until "2026.1"), via hKernel (
                    /// kernel whose argument is set
                    [in] hKernel: KernelHandle,
                    /// zero-based position of the argument
                    [in] argIndex: u32,
                    [in, optional] pProperties: *const KernelArgPointerProperties,
                    /// the device-visible address itself, not the address of a variable; null passes a null pointer
                    [in, optional] pArgValue: *const c_void,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_KERNEL_ARGUMENT_INDEX];

                /// Binds a sampler to a kernel argument.
                ///
                /// OpenCL analogue: clSetKernelArg with a cl_sampler.
                fn urKernelSetArgSampler = (pfnKernelSetArgSampler, 58, until "2026.1"), via hKernel (
                    /// kernel whose argument is set
                    [in] hKernel: KernelHandle,
                    /// zero-based position of the argument
                    [in] argIndex: u32,
                    [in, optional] pProperties: *const KernelArgSamplerProperties,
                    /// sampler to bind
                    [in] hArgValue: SamplerHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_KERNEL_ARGUMENT_INDEX, ERROR_UNSUPPORTED_FEATURE];

                /// Binds a buffer or image to a kernel argument.
                ///
                /// The access given in the properties lets the adapter skip needless data migration; without it read-write is
                /// assumed. OpenCL analogue: clSetKernelArg with a cl_mem.
                fn urKernelSetArgMemObj = (pfnKernelSetArgMemObj, 59, until "2026.1"), via hKernel (
                    /// kernel whose argument is set
                    [in] hKernel: KernelHandle,
                    /// zero-based position of the argument
                    [in] argIndex: u32,
                    [in, optional] pProperties: *const KernelArgMemObjProperties,
                    /// buffer or image to bind; null passes a null pointer
                    [in, optional] hArgValue: MemHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_KERNEL_ARGUMENT_INDEX];

                /// Enqueues one execution of a kernel over an N-dimensional range, with the arguments set so far.
                ///
                /// Arguments may be changed for the next launch as soon as the call returns. Unset arguments give
                /// UR_RESULT_ERROR_INVALID_KERNEL_ARGS, unusable group sizes UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE, a
                /// workDim outside 1 to 3 or a zero global size UR_RESULT_ERROR_INVALID_WORK_DIMENSION. OpenCL analogue:
                /// clEnqueueNDRangeKernel; Level Zero: zeCommandListAppendLaunchKernel.
                fn urEnqueueKernelLaunch = (pfnEnqueueKernelLaunch, 17, until "2026.1"), via hQueue (
                    /// queue the launch is submitted to
                    [in] hQueue: QueueHandle,
                    /// kernel to run, with all arguments set
                    [in] hKernel: KernelHandle,
                    /// dimensions of the range, 1 to 3; length of the size arrays
                    [in] workDim: u32,
                    /// array of workDim values: first global id per dimension; null means all 0
                    [in, optional] pGlobalWorkOffset: *const usize,
                    /// array of workDim values: global range in work-items
                    [in] pGlobalWorkSize: *const usize,
                    /// array of workDim values: work-group size in work-items; null lets the implementation choose
                    [in, optional] pLocalWorkSize: *const usize,
                    /// extra launch properties with their pNext chain; null for an ordinary launch
                    [in, optional] launchPropList: *const KernelLaunchExtProperties,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_QUEUE, ERROR_INVALID_KERNEL, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
                    ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_WORK_DIMENSION, ERROR_INVALID_WORK_GROUP_SIZE,
                    ERROR_INVALID_VALUE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES, ERROR_UNSUPPORTED_FEATURE
                ];
        }
    };
}
