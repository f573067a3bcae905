// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events: status, profiling, callbacks.

use super::*;

ur_types! {
    /// Type of command that an event belongs to, named after the enqueue call.
    enum CommandType = ur_command_t, UR_COMMAND_ {
        /// Kernel execution, from urEnqueueKernelLaunchWithArgsExp
        KERNEL_LAUNCH = 0,
        /// Marker waiting on events, from urEnqueueEventsWait
        EVENTS_WAIT = 1,
        /// Barrier holding back later commands, from urEnqueueEventsWaitWithBarrier
        EVENTS_WAIT_WITH_BARRIER = 2,
        /// Buffer to host copy, from urEnqueueMemBufferRead
        MEM_BUFFER_READ = 3,
        /// Host to buffer copy, from urEnqueueMemBufferWrite
        MEM_BUFFER_WRITE = 4,
        /// Box-shaped buffer to host copy, from urEnqueueMemBufferReadRect
        MEM_BUFFER_READ_RECT = 5,
        /// Box-shaped host to buffer copy, from urEnqueueMemBufferWriteRect
        MEM_BUFFER_WRITE_RECT = 6,
        /// Buffer to buffer copy, from urEnqueueMemBufferCopy
        MEM_BUFFER_COPY = 7,
        /// Box-shaped buffer to buffer copy, from urEnqueueMemBufferCopyRect
        MEM_BUFFER_COPY_RECT = 8,
        /// Pattern fill of a buffer, from urEnqueueMemBufferFill
        MEM_BUFFER_FILL = 9,
        /// Image to host copy, from urEnqueueMemImageRead
        MEM_IMAGE_READ = 10,
        /// Host to image copy, from urEnqueueMemImageWrite
        MEM_IMAGE_WRITE = 11,
        /// Image to image copy, from urEnqueueMemImageCopy
        MEM_IMAGE_COPY = 12,
        /// Mapping of a buffer into host memory, from urEnqueueMemBufferMap
        MEM_BUFFER_MAP = 14,
        /// End of a mapping, from urEnqueueMemUnmap
        MEM_UNMAP = 16,
        /// Pattern fill of USM, from urEnqueueUSMFill
        USM_FILL = 17,
        /// Copy between USM or host pointers, from urEnqueueUSMMemcpy
        USM_MEMCPY = 18,
        /// Migration of shared USM ahead of use, from urEnqueueUSMPrefetch
        USM_PREFETCH = 19,
        /// Usage hint for USM, from urEnqueueUSMAdvise
        USM_ADVISE = 20,
        /// Pattern fill of a pitched USM rectangle, from urEnqueueUSMFill2D
        USM_FILL_2D = 21,
        /// Copy of a pitched USM rectangle, from urEnqueueUSMMemcpy2D
        USM_MEMCPY_2D = 22,
        /// Host to device-global copy, from urEnqueueDeviceGlobalVariableWrite
        DEVICE_GLOBAL_VARIABLE_WRITE = 23,
        /// Device-global to host copy, from urEnqueueDeviceGlobalVariableRead
        DEVICE_GLOBAL_VARIABLE_READ = 24,
        /// Host read from a pipe, from urEnqueueReadHostPipe
        READ_HOST_PIPE = 25,
        /// Host write to a pipe, from urEnqueueWriteHostPipe
        WRITE_HOST_PIPE = 26,
        /// Run of a finalised command-buffer, from urEnqueueCommandBufferExp
        ENQUEUE_COMMAND_BUFFER_EXP = 0x1000,
        /// Wait on an imported semaphore, from urBindlessImagesWaitExternalSemaphoreExp
        EXTERNAL_SEMAPHORE_WAIT_EXP = 0x2000,
        /// Signal of an imported semaphore, from urBindlessImagesSignalExternalSemaphoreExp
        EXTERNAL_SEMAPHORE_SIGNAL_EXP = 0x2001,
        /// Device timestamp capture, from urEnqueueTimestampRecordingExp
        TIMESTAMP_RECORDING_EXP = 0x2002,
        /// Commands a user callback put into the native queue, from urEnqueueNativeCommandExp
        ENQUEUE_NATIVE_EXP = 0x2004,
        /// Stream-ordered device USM allocation, from urEnqueueUSMDeviceAllocExp
        ENQUEUE_USM_DEVICE_ALLOC_EXP = 0x2050,
        /// Stream-ordered shared USM allocation, from urEnqueueUSMSharedAllocExp
        ENQUEUE_USM_SHARED_ALLOC_EXP = 0x2051,
        /// Stream-ordered host USM allocation, from urEnqueueUSMHostAllocExp
        ENQUEUE_USM_HOST_ALLOC_EXP = 0x2052,
        /// Stream-ordered USM free, from urEnqueueUSMFreeExp
        ENQUEUE_USM_FREE_EXP = 0x2053,
        /// Run of an executable graph, from urEnqueueGraphExp
        ENQUEUE_GRAPH_EXP = 0x2100,
        /// Host function run in queue order, from urEnqueueHostTaskExp
        HOST_TASK_EXP = 0x2200,
    }

    /// Progress of the command behind an event.
    enum EventStatus = ur_event_status_t, UR_EVENT_STATUS_ {
        /// Finished; its effects are visible
        COMPLETE = 0,
        /// Executing on the device
        RUNNING = 1,
        /// Handed to the device, not yet executing
        SUBMITTED = 2,
        /// Still in the queue on the host side
        QUEUED = 3,
        /// Terminated abnormally; waits that list the event fail
        ERROR = 4,
    }

    /// Selects what urEventGetInfo reports.
    enum EventInfo = ur_event_info_t, UR_EVENT_INFO_ {
        /// Queue the command went to; not retained for the caller
        COMMAND_QUEUE = 0 => (QueueHandle),
        /// Context that owns the event; not retained for the caller
        CONTEXT = 1 => (ContextHandle),
        /// Type of command that the event belongs to
        COMMAND_TYPE = 2 => (CommandType),
        /// Progress of that command at the moment of asking
        COMMAND_EXECUTION_STATUS = 3 => (EventStatus),
        /// Current reference count; a snapshot, useful only for debugging leaks
        REFERENCE_COUNT = 4 => (u32),
    }

    /// Selects the timestamp urEventGetProfilingInfo reports; all are nanoseconds on one device clock.
    enum ProfilingInfo = ur_profiling_info_t, UR_PROFILING_INFO_ {
        /// Time the host put the command into the queue, in nanoseconds
        COMMAND_QUEUED = 0 => (u64, optional),
        /// Time the command was handed to the device, in nanoseconds
        COMMAND_SUBMIT = 1 => (u64, optional),
        /// Time execution began, in nanoseconds
        COMMAND_START = 2 => (u64, optional),
        /// Time execution of the command itself ended, in nanoseconds
        COMMAND_END = 3 => (u64, optional),
        /// Time the command and all work it spawned on the device ended, in nanoseconds
        COMMAND_COMPLETE = 4 => (u64, optional),
    }

    /// Options for adopting a native event.
    struct EventNativeProperties = ur_event_native_properties_t, EVENT_NATIVE_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// true: UR destroys the native event together with the last UR reference
        [in] isNativeHandleOwned: bool,
    }

    /// Progress point at which an event callback fires.
    enum ExecutionInfo = ur_execution_info_t, UR_EXECUTION_INFO_ {
        /// The command has finished
        COMPLETE = 0,
        /// The device has begun executing the command
        RUNNING = 1,
        /// The command has been handed to the device
        SUBMITTED = 2,
        /// The command sits in the queue; every event starts here, so urEventSetCallback rejects it
        QUEUED = 3,
    }

    /// User function invoked when an event reaches the requested progress point; it may run on a runtime thread and
    /// should return quickly.
    callback EventCallback = ur_event_callback_t {
        /// event that made progress; borrowed for the duration of the call
        [in] hEvent: EventHandle,
        /// progress point that was reached
        [in] execStatus: ExecutionInfo,
        /// pointer given to urEventSetCallback, passed through untouched
        [inout] pUserData: *mut c_void,
    }
}
