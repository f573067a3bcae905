// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_event_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! event_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table Event: EventDdiTable = ur_event_dditable_t, urGetEventProcAddrTable;

                /// Returns one property of an event.
                ///
                /// Counterpart of clGetEventInfo; returned handles are not retained. Polling the status does not synchronise
                /// memory.
                fn urEventGetInfo = (pfnGetInfo, 40), via hEvent (
                    /// event to query
                    [in] hEvent: EventHandle,
                    /// property wanted; fixes the type of the result
                    [in] propName: EventInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_EVENT, ERROR_OUT_OF_RESOURCES,
                    ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Returns one timestamp of the command behind an event.
                ///
                /// Needs a queue created with UR_QUEUE_FLAG_PROFILING_ENABLE, otherwise
                /// UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE; ask after completion. Counterpart of
                /// clGetEventProfilingInfo.
                fn urEventGetProfilingInfo = (pfnGetProfilingInfo, 41), via hEvent (
                    /// event to query
                    [in] hEvent: EventHandle,
                    /// timestamp wanted; the result is a uint64_t
                    [in] propName: ProfilingInfo,
                    [in] propSize: usize,
                    [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_PROFILING_INFO_NOT_AVAILABLE,
                    ERROR_INVALID_VALUE, ERROR_INVALID_EVENT, ERROR_OUT_OF_RESOURCES, ERROR_OUT_OF_HOST_MEMORY,
                    ERROR_UNSUPPORTED_ENUMERATION
                ];

                /// Blocks the host until all given events are complete.
                ///
                /// An empty list gives UR_RESULT_ERROR_INVALID_VALUE; an event that ended in error gives
                /// UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS. Counterpart of clWaitForEvents and zeEventHostSynchronize.
                fn urEventWait = (pfnWait, 42), via (first of phEventWaitList, numEvents: ERROR_INVALID_VALUE, ERROR_INVALID_EVENT) (
                    /// entries in the wait list; must not be 0
                    [in] numEvents: u32,
                    [in, range(numEvents)] phEventWaitList: *const EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_POINTER, ERROR_INVALID_VALUE, ERROR_IN_EVENT_LIST_EXEC_STATUS,
                    ERROR_INVALID_EVENT, ERROR_INVALID_CONTEXT, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Adds one reference to an event.
                ///
                /// Balance every call with urEventRelease. Counterpart of clRetainEvent.
                fn urEventRetain = (pfnRetain, 43), via hEvent (
                    /// event to keep alive
                    [in, retain] hEvent: EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_EVENT, ERROR_OUT_OF_RESOURCES, ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Drops one reference to an event and destroys it when none is left and its command is done.
                ///
                /// Releasing never cancels the command. Counterpart of clReleaseEvent.
                fn urEventRelease = (pfnRelease, 44), via hEvent (
                    /// event to let go of; do not use it after the last reference
                    [in, release] hEvent: EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_EVENT, ERROR_OUT_OF_RESOURCES, ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Returns the backend event behind a UR event.
                ///
                /// Ownership stays with UR, so the native handle is valid only while the UR event lives.
                /// UR_RESULT_ERROR_UNSUPPORTED_FEATURE means the backend has no such object.
                fn urEventGetNativeHandle = (pfnGetNativeHandle, 45), via hEvent (
                    /// event to look behind
                    [in] hEvent: EventHandle,
                    /// receives the borrowed backend handle, e.g. cl_event, ze_event_handle_t or CUevent
                    [out] phNativeEvent: *mut NativeHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Wraps an existing backend event in a UR event.
                ///
                /// The caller releases the wrapper with urEventRelease; whether that also destroys the native event follows
                /// isNativeHandleOwned.
                fn urEventCreateWithNativeHandle = (pfnCreateWithNativeHandle, 46), via hContext (
                    /// backend event, e.g. cl_event, ze_event_handle_t or CUevent
                    [in, nocheck] hNativeEvent: NativeHandle,
                    /// context the native event belongs to
                    [in] hContext: ContextHandle,
                    [in, optional] pProperties: *const EventNativeProperties,
                    [out, alloc] phEvent: *mut EventHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Registers a function to be called once an event has reached or passed a progress point.
                ///
                /// UR_EXECUTION_INFO_QUEUED is rejected with UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION, because all events start
                /// there. Registration on an event already past the point still fires. Counterpart of clSetEventCallback.
                fn urEventSetCallback = (pfnSetCallback, 47), via hEvent (
                    /// event to observe
                    [in] hEvent: EventHandle,
                    /// progress point that triggers the call
                    [in] execStatus: ExecutionInfo,
                    /// function to call; must not be null
                    [in] pfnNotify: EventCallback,
                    /// passed to pfnNotify as is; must stay valid until then; may be null
                    [inout, optional] pUserData: *mut c_void,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_UNSUPPORTED_ENUMERATION
                ];
        }
    };
}
