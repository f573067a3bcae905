// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_enqueue_exp_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! enqueue_exp_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table EnqueueExp: EnqueueExpDdiTable = ur_enqueue_exp_dditable_t, urGetEnqueueExpProcAddrTable;

                /// Sets kernel arguments and enqueues one execution over an N-dimensional range in a single call.
                ///
                /// Does the work of the urKernelSetArg* calls plus urEnqueueKernelLaunch; argument data is captured before
                /// the call returns. A null pArgs with numArgs above 0 gives UR_RESULT_ERROR_INVALID_NULL_POINTER, a zero
                /// global size UR_RESULT_ERROR_INVALID_WORK_DIMENSION, a launch property the device lacks
                /// UR_RESULT_ERROR_INVALID_OPERATION. OpenCL analogue: clEnqueueNDRangeKernel.
                fn urEnqueueKernelLaunchWithArgsExp = (pfnKernelLaunchWithArgsExp, 295), via hQueue (
                    /// queue the launch is submitted to
                    [in] hQueue: QueueHandle,
                    /// kernel to run
                    [in] hKernel: KernelHandle,
                    /// dimensions of the range, 1 to 3; length of the size arrays
                    [in] workDim: u32,
                    /// array of workDim values: first global id per dimension; null means all 0
                    [in, optional] pGlobalWorkOffset: *const usize,
                    /// array of workDim values: global range in work-items
                    [in] pGlobalWorkSize: *const usize,
                    /// array of workDim values: work-group size in work-items; null lets the implementation choose
                    [in, optional] pLocalWorkSize: *const usize,
                    /// length of pArgs
                    [in] numArgs: u32,
                    /// array of numArgs argument descriptions; null only when numArgs is 0
                    [in, optional, range(numArgs)] pArgs: *const ExpKernelArgProperties,
                    /// extra launch properties with their pNext chain; null for an ordinary launch
                    [in, optional] launchPropList: *const KernelLaunchExtProperties,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_QUEUE, ERROR_INVALID_KERNEL, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
                    ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_WORK_DIMENSION, ERROR_INVALID_WORK_GROUP_SIZE,
                    ERROR_INVALID_VALUE, ERROR_INVALID_KERNEL_ARGS, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES,
                    ERROR_INVALID_OPERATION
                ];

                /// Allocates device USM in queue order: the address is returned at once, the memory is usable by work ordered
                /// after the command.
                ///
                /// Another queue must wait for the returned event before it touches the memory. Free with
                /// `urEnqueueUSMFreeExp`; the CUDA analogue is cuMemAllocFromPoolAsync.
                fn urEnqueueUSMDeviceAllocExp = (pfnUSMDeviceAllocExp, 250), via hQueue (
                    /// queue whose order the allocation follows; its device owns the memory
                    [in] hQueue: QueueHandle,
                    /// pool to allocate from; null selects the adapter's default pool
                    [in, optional] pPool: UsmPoolHandle,
                    /// number of bytes needed; the allocation may be larger
                    [in] size: usize,
                    [in, optional] pProperties: *const ExpAsyncUsmAllocProperties,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    /// receives the device address
                    [out] ppMem: *mut *mut c_void,
                    [out, optional] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_OUT_OF_RESOURCES, ERROR_INVALID_EVENT_WAIT_LIST
                ];

                /// Allocates shared USM in queue order: the address is returned at once, the memory is usable by work ordered
                /// after the command.
                ///
                /// The host may touch the memory only after the returned event has completed. Free with
                /// `urEnqueueUSMFreeExp`.
                fn urEnqueueUSMSharedAllocExp = (pfnUSMSharedAllocExp, 251), via hQueue (
                    /// queue whose order the allocation follows; its device shares the memory with the host
                    [in] hQueue: QueueHandle,
                    /// pool to allocate from; null selects the adapter's default pool
                    [in, optional] pPool: UsmPoolHandle,
                    /// number of bytes needed; the allocation may be larger
                    [in] size: usize,
                    [in, optional] pProperties: *const ExpAsyncUsmAllocProperties,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    /// receives the address, valid on host and device
                    [out] ppMem: *mut *mut c_void,
                    [out, optional] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_OUT_OF_RESOURCES, ERROR_INVALID_EVENT_WAIT_LIST
                ];

                /// Allocates host USM in queue order: the address is returned at once, the memory is usable by work ordered
                /// after the command.
                ///
                /// The host may touch the memory only after the returned event has completed. Free with
                /// `urEnqueueUSMFreeExp`.
                fn urEnqueueUSMHostAllocExp = (pfnUSMHostAllocExp, 252), via hQueue (
                    /// queue whose order the allocation follows
                    [in] hQueue: QueueHandle,
                    /// pool to allocate from; null selects the adapter's default pool
                    [in, optional] pPool: UsmPoolHandle,
                    /// number of bytes needed; the allocation may be larger
                    [in] size: usize,
                    [in, optional] pProperties: *const ExpAsyncUsmAllocProperties,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    /// receives the host address, which devices of the context can access
                    [out] ppMem: *mut *mut c_void,
                    [out, optional] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_OUT_OF_RESOURCES, ERROR_OUT_OF_HOST_MEMORY, ERROR_INVALID_EVENT_WAIT_LIST
                ];

                /// Frees a USM allocation in queue order, so that commands ordered before it may still use the memory.
                ///
                /// The block returns to its pool and may be handed out again by a later queue-ordered allocation. The CUDA
                /// analogue is cuMemFreeAsync.
                fn urEnqueueUSMFreeExp = (pfnUSMFreeExp, 253), via hQueue (
                    /// queue whose order the release follows
                    [in] hQueue: QueueHandle,
                    /// pool that the allocation came from; null means the default pool
                    [in, optional] pPool: UsmPoolHandle,
                    /// start address of the allocation to free
                    [in] pMem: *mut c_void,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_OUT_OF_RESOURCES,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_INVALID_EVENT_WAIT_LIST
                ];

                /// Enqueues a command that stores the device clock in its event, whether or not the queue has profiling on.
                ///
                /// The START and END profiling values of the event give the device time in nanoseconds at which the command
                /// ran, QUEUED and SUBMIT the time of this call.
                fn urEnqueueTimestampRecordingExp = (pfnTimestampRecordingExp, 223), via hQueue (
                    /// queue to submit to
                    [in] hQueue: QueueHandle,
                    /// true to return only after the timestamp has been taken
                    [in] blocking: bool,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [inout] phEvent: *mut EventHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_EVENT_WAIT_LIST];

                /// Enqueues one execution of a finalized command-buffer.
                ///
                /// A command-buffer may be enqueued many times; the event represents the whole execution. The OpenCL analogue
                /// is clEnqueueCommandBufferKHR.
                fn urEnqueueCommandBufferExp = (pfnCommandBufferExp, 242), via hQueue (
                    /// queue to submit to, on the device of the command-buffer
                    [in] hQueue: QueueHandle,
                    /// finalized command-buffer to run
                    [in] hCommandBuffer: ExpCommandBufferHandle,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_COMMAND_BUFFER_EXP, ERROR_INVALID_QUEUE,
                    ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues a host function as a command of the queue.
                ///
                /// It runs once its wait list is satisfied, possibly on a driver thread, and the event completes when it
                /// returns. UR_RESULT_ERROR_UNSUPPORTED_FEATURE when the driver cannot enqueue host functions. Level Zero
                /// analogue: zeCommandListAppendHostFunction; CUDA: cuLaunchHostFunc.
                fn urEnqueueHostTaskExp = (pfnHostTaskExp, 309), via hQueue (
                    /// queue the task is submitted to
                    [in] hQueue: QueueHandle,
                    /// function to run on the host; it must not call UR
                    [in] pfnHostTask: ExpHostTaskFunction,
                    /// passed unchanged to the function; must stay valid until it has run; may be null
                    [in, optional] data: *mut c_void,
                    [in, optional] pProperties: *const ExpHostTaskProperties,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_EVENT_WAIT_LIST, ERROR_UNSUPPORTED_FEATURE
                ];

                /// Calls a host function that submits backend-native work to a queue, ordering that work like an enqueued
                /// command.
                ///
                /// The function runs on the calling thread before the call returns; its work follows the wait list, and the
                /// event covers it. Serves SYCL's enqueue_native_command extension.
                fn urEnqueueNativeCommandExp = (pfnNativeCommandExp, 228), via hQueue (
                    /// queue the native work belongs to
                    [in] hQueue: QueueHandle,
                    /// function that submits the native work; called once
                    [in] pfnNativeEnqueue: ExpEnqueueNativeCommandFunction,
                    /// passed unchanged to the function; may be null
                    [in, optional] data: *mut c_void,
                    /// length of phMemList
                    [in] numMemsInMemList: u32,
                    /// array of memory objects the function fetches native handles of; null only when the count is 0
                    [in, optional, range(numMemsInMemList)] phMemList: *const MemHandle,
                    [in, optional] pProperties: *const ExpEnqueueNativeCommandProperties,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_EVENT_WAIT_LIST
                ];

                /// Enqueues one execution of an executable graph as a single command.
                ///
                /// The event, if asked for, completes when all of the graph's commands have. CUDA analogue: cuGraphLaunch.
                fn urEnqueueGraphExp = (pfnGraphExp, 308), via hQueue (
                    /// queue the execution is submitted to
                    [in] hQueue: QueueHandle,
                    /// executable graph to run; must outlive the execution
                    [in] hGraph: ExpExecutableGraphHandle,
                    [in, optional] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_EVENT_WAIT_LIST];
        }
    };
}
