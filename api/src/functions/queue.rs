// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_queue_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! queue_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table Queue: QueueDdiTable = ur_queue_dditable_t, urGetQueueProcAddrTable;

                /// Returns one property of a queue.
                ///
                /// Counterpart of clGetCommandQueueInfo; returned handles are not retained.
                fn urQueueGetInfo = (pfnGetInfo, 91), via hQueue (
                    /// queue to query
                    [in] hQueue: QueueHandle,
                    /// property wanted; fixes the type of the result
                    [in] propName: QueueInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_QUEUE, ERROR_OUT_OF_HOST_MEMORY,
                    ERROR_OUT_OF_RESOURCES
                ];

                /// Creates a command queue on one device.
                ///
                /// Without properties the queue is in-order and unprofiled. The caller releases it with urQueueRelease.
                /// Contradictory flags (both priorities, both submission modes) give
                /// UR_RESULT_ERROR_INVALID_QUEUE_PROPERTIES. Counterpart of clCreateCommandQueueWithProperties.
                fn urQueueCreate = (pfnCreate, 92), via hContext (
                    /// context containing the device
                    [in] hContext: ContextHandle,
                    /// device that executes the commands
                    [in] hDevice: DeviceHandle,
                    [in, optional] pProperties: *const QueueProperties,
                    /// receives the new queue; release with urQueueRelease
                    [out, alloc] phQueue: *mut QueueHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_INVALID_CONTEXT, ERROR_INVALID_DEVICE, ERROR_INVALID_QUEUE_PROPERTIES,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Adds one reference to a queue.
                ///
                /// Balance every call with urQueueRelease. Counterpart of clRetainCommandQueue.
                fn urQueueRetain = (pfnRetain, 93), via hQueue (
                    /// queue to keep alive
                    [in, retain] hQueue: QueueHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_QUEUE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Drops one reference to a queue; without references it is destroyed once its commands are done.
                ///
                /// Pending commands are flushed by this call, so none is lost. Counterpart of clReleaseCommandQueue.
                fn urQueueRelease = (pfnRelease, 94), via hQueue (
                    /// queue to let go of; do not use it after the last reference
                    [in, release] hQueue: QueueHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_QUEUE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Returns the backend queue behind a UR queue.
                ///
                /// Ownership stays with UR, so the native handle is valid only while the UR queue lives.
                /// UR_RESULT_ERROR_UNSUPPORTED_FEATURE means the backend has no such object.
                fn urQueueGetNativeHandle = (pfnGetNativeHandle, 95), via hQueue (
                    /// queue to look behind
                    [in] hQueue: QueueHandle,
                    /// backend-specific descriptor, filled where the backend needs it; null if not wanted
                    [in, optional] pDesc: *mut QueueNativeDesc,
                    /// receives the borrowed backend handle, e.g. cl_command_queue, ze_command_queue_handle_t or CUstream
                    [out] phNativeQueue: *mut NativeHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Wraps an existing backend queue in a UR queue.
                ///
                /// The caller releases the wrapper with urQueueRelease; whether that also destroys the native queue follows
                /// isNativeHandleOwned.
                fn urQueueCreateWithNativeHandle = (pfnCreateWithNativeHandle, 96), via hContext (
                    /// backend queue, e.g. cl_command_queue, ze_command_queue_handle_t or CUstream
                    [in, nocheck] hNativeQueue: NativeHandle,
                    /// context the native queue belongs to
                    [in] hContext: ContextHandle,
                    /// device of the native queue; null where the backend can work it out
                    [in, optional] hDevice: DeviceHandle,
                    [in, optional] pProperties: *const QueueNativeProperties,
                    /// receives the wrapping queue; release with urQueueRelease
                    [out, alloc] phQueue: *mut QueueHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Blocks until every command enqueued so far has completed.
                ///
                /// Includes a flush. Counterpart of clFinish and zeCommandQueueSynchronize.
                fn urQueueFinish = (pfnFinish, 97), via hQueue (
                    /// queue to drain
                    [in] hQueue: QueueHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_QUEUE, ERROR_OUT_OF_HOST_MEMORY];

                /// Submits every command enqueued so far and returns without waiting for completion.
                ///
                /// Of use where the runtime batches submissions. Counterpart of clFlush.
                fn urQueueFlush = (pfnFlush, 98), via hQueue (
                    /// queue to flush
                    [in] hQueue: QueueHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_QUEUE, ERROR_OUT_OF_HOST_MEMORY];
        }
    };
}
