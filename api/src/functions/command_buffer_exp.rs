// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_command_buffer_exp_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! command_buffer_exp_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
        table CommandBufferExp: CommandBufferExpDdiTable = ur_command_buffer_exp_dditable_t, urGetCommandBufferExpProcAddrTable;

        /// Creates an empty command-buffer for one device, open for recording.
        ///
        /// The caller owns one reference, dropped with `urCommandBufferReleaseExp`. Asking for updates on a device
        /// that allows none gives UNSUPPORTED_FEATURE; the OpenCL analogue is clCreateCommandBufferKHR.
        fn urCommandBufferCreateExp = (pfnCreateExp, 113), via hContext (
            /// context that owns the command-buffer
            [in] hContext: ContextHandle,
            /// device that will run the commands
            [in] hDevice: DeviceHandle,
            /// settings of the command-buffer
            [in] pCommandBufferDesc: *const ExpCommandBufferDesc,
            /// receives the command-buffer with one reference
            [out, alloc] phCommandBuffer: *mut ExpCommandBufferHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_CONTEXT, ERROR_INVALID_DEVICE,
            ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Adds a reference to a command-buffer.
        fn urCommandBufferRetainExp = (pfnRetainExp, 121), via hCommandBuffer (
            /// command-buffer to retain
            [in, retain] hCommandBuffer: ExpCommandBufferHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_COMMAND_BUFFER_EXP, ERROR_OUT_OF_RESOURCES,
            ERROR_OUT_OF_HOST_MEMORY
        ];

        /// Drops a reference to a command-buffer and destroys it with the last one.
        ///
        /// Destroying a command-buffer that still runs blocks until it has finished.
        fn urCommandBufferReleaseExp = (pfnReleaseExp, 122), via hCommandBuffer (
            /// command-buffer to release
            [in, release] hCommandBuffer: ExpCommandBufferHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_COMMAND_BUFFER_EXP, ERROR_OUT_OF_RESOURCES,
            ERROR_OUT_OF_HOST_MEMORY
        ];

        /// Closes a command-buffer for recording and makes it ready to be enqueued.
        ///
        /// A second call gives INVALID_OPERATION. The analogues are clFinalizeCommandBufferKHR and
        /// zeCommandListClose.
        fn urCommandBufferFinalizeExp = (pfnFinalizeExp, 123), via hCommandBuffer (
            /// command-buffer to finalize
            [in] hCommandBuffer: ExpCommandBufferHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_COMMAND_BUFFER_EXP, ERROR_INVALID_OPERATION,
            ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Records a kernel launch over an ND-range, with the arguments that the kernel has at this moment.
        ///
        /// To swap the kernel in a later update, declare the candidates as alternatives here. Asking for a command
        /// handle where the command-buffer is not updatable gives INVALID_OPERATION; the OpenCL analogue is
        /// clCommandNDRangeKernelKHR.
        fn urCommandBufferAppendKernelLaunchExp = (pfnAppendKernelLaunchExp, 125), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// kernel to launch
            [in] hKernel: KernelHandle,
            /// dimensions of the ND-range, 1 to 3
            [in] workDim: u32,
            /// `workDim` offsets in work-items; null means zero
            [in, optional] pGlobalWorkOffset: *const usize,
            /// `workDim` global sizes in work-items
            [in] pGlobalWorkSize: *const usize,
            /// `workDim` work-group sizes in work-items; null lets the adapter choose
            [in, optional] pLocalWorkSize: *const usize,
            /// length of `phKernelAlternatives`
            [in] numKernelAlternatives: u32,
            /// array of `numKernelAlternatives` kernels for later updates; `hKernel` must not be among them
            [in, optional, range(numKernelAlternatives)] phKernelAlternatives: *mut KernelHandle,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
            [out, optional, alloc] phEvent: *mut EventHandle,
            /// receives a handle for later updates, updatable command-buffers only; null if not needed
            [out, optional, alloc] phCommand: *mut ExpCommandBufferCommandHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_COMMAND_BUFFER_EXP,
            ERROR_INVALID_KERNEL, ERROR_INVALID_WORK_DIMENSION, ERROR_INVALID_WORK_GROUP_SIZE,
            ERROR_INVALID_VALUE, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP, ERROR_INVALID_EVENT,
            ERROR_INVALID_EVENT_WAIT_LIST, ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY,
            ERROR_OUT_OF_RESOURCES, ERROR_INVALID_OPERATION
        ];

        /// Records a kernel launch over an ND-range and sets the arguments in the same call.
        ///
        /// The list must cover every argument of the kernel, else INVALID_KERNEL_ARGUMENT_INDEX. Otherwise it behaves
        /// like `urCommandBufferAppendKernelLaunchExp`.
        fn urCommandBufferAppendKernelLaunchWithArgsExp = (pfnAppendKernelLaunchWithArgsExp, 310, since "2026.2"), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// kernel to launch
            [in] hKernel: KernelHandle,
            /// dimensions of the ND-range, 1 to 3
            [in] workDim: u32,
            /// `workDim` offsets in work-items; null means zero
            [in, optional] pGlobalWorkOffset: *const usize,
            /// `workDim` global sizes in work-items
            [in] pGlobalWorkSize: *const usize,
            /// `workDim` work-group sizes in work-items; null lets the adapter choose
            [in, optional] pLocalWorkSize: *const usize,
            /// length of `pArgs`
            [in] numArgs: u32,
            /// array of `numArgs` kernel arguments with kind, index and value
            [in, optional, range(numArgs)] pArgs: *const ExpKernelArgProperties,
            /// length of `phKernelAlternatives`
            [in] numKernelAlternatives: u32,
            /// array of `numKernelAlternatives` kernels for later updates; `hKernel` must not be among them
            [in, optional, range(numKernelAlternatives)] phKernelAlternatives: *mut KernelHandle,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
            [out, optional, alloc] phEvent: *mut EventHandle,
            /// receives a handle for later updates, updatable command-buffers only; null if not needed
            [out, optional, alloc] phCommand: *mut ExpCommandBufferCommandHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
            ERROR_INVALID_COMMAND_BUFFER_EXP, ERROR_INVALID_KERNEL, ERROR_INVALID_WORK_DIMENSION,
            ERROR_INVALID_WORK_GROUP_SIZE, ERROR_INVALID_VALUE, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP, ERROR_INVALID_EVENT,
            ERROR_INVALID_EVENT_WAIT_LIST, ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY,
            ERROR_OUT_OF_RESOURCES, ERROR_INVALID_OPERATION, ERROR_INVALID_KERNEL_ARGUMENT_INDEX
        ];

        /// Records a copy of bytes between USM allocations or host memory.
        ///
        /// The addresses are fixed here; the data are read each time the command-buffer runs.
        fn urCommandBufferAppendUSMMemcpyExp = (pfnAppendUSMMemcpyExp, 231), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// address of the destination
            [in] pDst: *mut c_void,
            /// address of the source
            [in] pSrc: *const c_void,
            /// number of bytes to copy
            [in] size: usize,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
            [out, optional, alloc] phEvent: *mut EventHandle,
            /// receives a handle for later updates, updatable command-buffers only; null if not needed
            [out, optional, alloc] phCommand: *mut ExpCommandBufferCommandHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_COMMAND_BUFFER_EXP,
            ERROR_INVALID_SIZE, ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP, ERROR_INVALID_EVENT,
            ERROR_INVALID_EVENT_WAIT_LIST, ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY,
            ERROR_OUT_OF_RESOURCES
        ];

        /// Records a fill of USM with a repeated byte pattern.
        ///
        /// An empty pattern, or a size that is not a multiple of the pattern size, gives INVALID_SIZE.
        fn urCommandBufferAppendUSMFillExp = (pfnAppendUSMFillExp, 232), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// start of the memory to fill
            [in] pMemory: *mut c_void,
            /// points to the `patternSize` pattern bytes
            [in] pPattern: *const c_void,
            /// pattern length in bytes, not 0
            [in] patternSize: usize,
            /// number of bytes to fill, a multiple of `patternSize`
            [in] size: usize,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
            [out, optional, alloc] phEvent: *mut EventHandle,
            /// receives a handle for later updates, updatable command-buffers only; null if not needed
            [out, optional, alloc] phCommand: *mut ExpCommandBufferCommandHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_COMMAND_BUFFER_EXP,
            ERROR_INVALID_SIZE, ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP, ERROR_INVALID_EVENT,
            ERROR_INVALID_EVENT_WAIT_LIST, ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY,
            ERROR_OUT_OF_RESOURCES
        ];

        /// Records a copy of bytes from one buffer to another.
        ///
        /// The OpenCL analogue is clCommandCopyBufferKHR.
        fn urCommandBufferAppendMemBufferCopyExp = (pfnAppendMemBufferCopyExp, 233), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// buffer to read
            [in] hSrcMem: MemHandle,
            /// buffer to write
            [in] hDstMem: MemHandle,
            /// start within the source in bytes
            [in] srcOffset: usize,
            /// start within the destination in bytes
            [in] dstOffset: usize,
            /// number of bytes to copy
            [in] size: usize,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
            [out, optional, alloc] phEvent: *mut EventHandle,
            /// receives a handle for later updates, updatable command-buffers only; null if not needed
            [out, optional, alloc] phCommand: *mut ExpCommandBufferCommandHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_COMMAND_BUFFER_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP,
            ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
            ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Records a write of host memory into a buffer.
        ///
        /// The host data are read at each execution, so they must stay valid until the last one has finished.
        fn urCommandBufferAppendMemBufferWriteExp = (pfnAppendMemBufferWriteExp, 234), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// buffer to write
            [in] hBuffer: MemHandle,
            /// start within the buffer in bytes
            [in] offset: usize,
            /// number of bytes to write
            [in] size: usize,
            /// host memory to read from
            [in] pSrc: *const c_void,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
            [out, optional, alloc] phEvent: *mut EventHandle,
            /// receives a handle for later updates, updatable command-buffers only; null if not needed
            [out, optional, alloc] phCommand: *mut ExpCommandBufferCommandHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_COMMAND_BUFFER_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP,
            ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
            ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Records a read of a buffer into host memory.
        ///
        /// The host memory is written at each execution, so it must stay valid until the last one has finished.
        fn urCommandBufferAppendMemBufferReadExp = (pfnAppendMemBufferReadExp, 235), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// buffer to read
            [in] hBuffer: MemHandle,
            /// start within the buffer in bytes
            [in] offset: usize,
            /// number of bytes to read
            [in] size: usize,
            /// host memory to write to
            [in] pDst: *mut c_void,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
            [out, optional, alloc] phEvent: *mut EventHandle,
            /// receives a handle for later updates, updatable command-buffers only; null if not needed
            [out, optional, alloc] phCommand: *mut ExpCommandBufferCommandHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_COMMAND_BUFFER_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP,
            ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
            ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Records a copy of a 2D or 3D box from one buffer to another.
        ///
        /// The OpenCL analogue is clCommandCopyBufferRectKHR.
        fn urCommandBufferAppendMemBufferCopyRectExp = (pfnAppendMemBufferCopyRectExp, 236), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// buffer to read
            [in] hSrcMem: MemHandle,
            /// buffer to write
            [in] hDstMem: MemHandle,
            /// corner of the box in the source: x in bytes, y in rows, z in slices
            [in] srcOrigin: RectOffset,
            /// corner of the box in the destination: x in bytes, y in rows, z in slices
            [in] dstOrigin: RectOffset,
            /// size of the box: width in bytes, height in rows, depth in slices
            [in] region: RectRegion,
            /// bytes from row to row in the source; 0 means tightly packed
            [in] srcRowPitch: usize,
            /// bytes from slice to slice in the source; 0 means tightly packed
            [in] srcSlicePitch: usize,
            /// bytes from row to row in the destination; 0 means tightly packed
            [in] dstRowPitch: usize,
            /// bytes from slice to slice in the destination; 0 means tightly packed
            [in] dstSlicePitch: usize,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
            [out, optional, alloc] phEvent: *mut EventHandle,
            /// receives a handle for later updates, updatable command-buffers only; null if not needed
            [out, optional, alloc] phCommand: *mut ExpCommandBufferCommandHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_COMMAND_BUFFER_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP,
            ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
            ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Records a write of a 2D or 3D box of host memory into a buffer.
        ///
        /// The host data are read at each execution, so they must stay valid until the last one has finished.
        fn urCommandBufferAppendMemBufferWriteRectExp = (pfnAppendMemBufferWriteRectExp, 237), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// buffer to write
            [in] hBuffer: MemHandle,
            /// corner of the box in the buffer: x in bytes, y in rows, z in slices
            [in] bufferOffset: RectOffset,
            /// corner of the box in host memory: x in bytes, y in rows, z in slices
            [in] hostOffset: RectOffset,
            /// size of the box: width in bytes, height in rows, depth in slices
            [in] region: RectRegion,
            /// bytes from row to row in the buffer; 0 means tightly packed
            [in] bufferRowPitch: usize,
            /// bytes from slice to slice in the buffer; 0 means tightly packed
            [in] bufferSlicePitch: usize,
            /// bytes from row to row in host memory; 0 means tightly packed
            [in] hostRowPitch: usize,
            /// bytes from slice to slice in host memory; 0 means tightly packed
            [in] hostSlicePitch: usize,
            /// host memory to read from
            [in] pSrc: *mut c_void,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
            [out, optional, alloc] phEvent: *mut EventHandle,
            /// receives a handle for later updates, updatable command-buffers only; null if not needed
            [out, optional, alloc] phCommand: *mut ExpCommandBufferCommandHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_COMMAND_BUFFER_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP,
            ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
            ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Records a read of a 2D or 3D box of a buffer into host memory.
        ///
        /// The host memory is written at each execution, so it must stay valid until the last one has finished.
        fn urCommandBufferAppendMemBufferReadRectExp = (pfnAppendMemBufferReadRectExp, 238), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// buffer to read
            [in] hBuffer: MemHandle,
            /// corner of the box in the buffer: x in bytes, y in rows, z in slices
            [in] bufferOffset: RectOffset,
            /// corner of the box in host memory: x in bytes, y in rows, z in slices
            [in] hostOffset: RectOffset,
            /// size of the box: width in bytes, height in rows, depth in slices
            [in] region: RectRegion,
            /// bytes from row to row in the buffer; 0 means tightly packed
            [in] bufferRowPitch: usize,
            /// bytes from slice to slice in the buffer; 0 means tightly packed
            [in] bufferSlicePitch: usize,
            /// bytes from row to row in host memory; 0 means tightly packed
            [in] hostRowPitch: usize,
            /// bytes from slice to slice in host memory; 0 means tightly packed
            [in] hostSlicePitch: usize,
            /// host memory to write to
            [in] pDst: *mut c_void,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
            [out, optional] phEvent: *mut EventHandle,
            /// receives a handle for later updates, updatable command-buffers only; null if not needed
            [out, optional] phCommand: *mut ExpCommandBufferCommandHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_COMMAND_BUFFER_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP,
            ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
            ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Records a fill of a buffer range with a repeated byte pattern.
        ///
        /// The OpenCL analogue is clCommandFillBufferKHR.
        fn urCommandBufferAppendMemBufferFillExp = (pfnAppendMemBufferFillExp, 239), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// buffer to fill
            [in] hBuffer: MemHandle,
            /// points to the `patternSize` pattern bytes
            [in] pPattern: *const c_void,
            /// pattern length in bytes
            [in] patternSize: usize,
            /// start of the range in bytes, a multiple of `patternSize`
            [in] offset: usize,
            /// number of bytes to fill, a multiple of `patternSize`
            [in] size: usize,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
            [out, optional, alloc] phEvent: *mut EventHandle,
            /// receives a handle for later updates, updatable command-buffers only; null if not needed
            [out, optional, alloc] phCommand: *mut ExpCommandBufferCommandHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_COMMAND_BUFFER_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP,
            ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_SIZE, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
            ERROR_UNSUPPORTED_FEATURE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Records a hint to migrate shared USM towards the device before it is used.
        ///
        /// A pure performance hint: adapters without migration record an empty command that still has a sync point.
        fn urCommandBufferAppendUSMPrefetchExp = (pfnAppendUSMPrefetchExp, 240), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// start of the range to migrate
            [in] pMemory: *const c_void,
            /// length of the range in bytes
            [in] size: usize,
            /// direction of the migration
            [in] flags: UsmMigrationFlags,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
            [out, optional, alloc] phEvent: *mut EventHandle,
            /// receives a handle for later updates, updatable command-buffers only; null if not needed
            [out, optional, alloc] phCommand: *mut ExpCommandBufferCommandHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
            ERROR_INVALID_COMMAND_BUFFER_EXP, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP, ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_SIZE,
            ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST, ERROR_UNSUPPORTED_FEATURE,
            ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Records advice on how a range of USM will be used.
        ///
        /// A pure performance hint: adapters may record an empty command that still has a sync point.
        fn urCommandBufferAppendUSMAdviseExp = (pfnAppendUSMAdviseExp, 241), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// start of the range that the advice is about
            [in] pMemory: *const c_void,
            /// length of the range in bytes
            [in] size: usize,
            /// bit set of usage hints
            [in] advice: UsmAdviceFlags,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
            [out, optional, alloc] phEvent: *mut EventHandle,
            /// receives a handle for later updates, updatable command-buffers only; null if not needed
            [out, optional, alloc] phCommand: *mut ExpCommandBufferCommandHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
            ERROR_INVALID_COMMAND_BUFFER_EXP, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP, ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_SIZE,
            ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST, ERROR_UNSUPPORTED_FEATURE,
            ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Records commands that the caller adds through the backend's own API, such as Level Zero or a CUDA graph.
        ///
        /// The function runs once, during this call, not at execution. Commands it adds must be ordered through the
        /// sync points given here.
        fn urCommandBufferAppendNativeCommandExp = (pfnAppendNativeCommandExp, 263), via hCommandBuffer (
            /// command-buffer to append to; must not be finalized
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// function that adds the native commands, called before this entry point returns
            [in] pfnNativeCommand: ExpCommandBufferNativeCommandFunction,
            /// pointer passed to the function unchanged; may be null
            [in, optional] pData: *mut c_void,
            /// command-buffer that collects the native nodes; needed by CUDA and HIP only
            [in, optional] hChildCommandBuffer: ExpCommandBufferHandle,
            /// length of `pSyncPointWaitList`
            [in] numSyncPointsInWaitList: u32,
            /// array of sync points that must finish first; null for none; unused when in order
            [in, optional] pSyncPointWaitList: *const ExpCommandBufferSyncPoint,
            /// receives the sync point of this command; null if not needed
            [out, optional] pSyncPoint: *mut ExpCommandBufferSyncPoint,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_COMMAND_BUFFER_EXP,
            ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP, ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP,
            ERROR_INVALID_MEM_OBJECT, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Changes kernel launches of a finalized, updatable command-buffer for its later executions.
        ///
        /// The call may block while the command-buffer runs; after an error the affected commands are in an undefined
        /// state. Changes that the device cannot make give UNSUPPORTED_FEATURE, a command-buffer not updatable or not
        /// finalized INVALID_OPERATION; the OpenCL analogue is clUpdateMutableCommandsKHR.
        fn urCommandBufferUpdateKernelLaunchExp = (pfnUpdateKernelLaunchExp, 220), via hCommandBuffer (
            /// finalized command-buffer that holds the launches
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// length of `pUpdateKernelLaunch`; 0 gives INVALID_SIZE
            [in] numKernelUpdates: u32,
            /// array of `numKernelUpdates` changes, one per launch
            [in, range(numKernelUpdates)] pUpdateKernelLaunch: *const ExpCommandBufferUpdateKernelLaunchDesc,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_COMMAND_BUFFER_EXP,
            ERROR_INVALID_SIZE, ERROR_UNSUPPORTED_FEATURE, ERROR_INVALID_OPERATION,
            ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP, ERROR_INVALID_MEM_OBJECT,
            ERROR_INVALID_KERNEL_ARGUMENT_INDEX, ERROR_INVALID_KERNEL_ARGUMENT_SIZE, ERROR_INVALID_ENUMERATION,
            ERROR_INVALID_WORK_DIMENSION, ERROR_INVALID_WORK_GROUP_SIZE, ERROR_INVALID_VALUE,
            ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Gives a command a fresh event that its next execution signals.
        ///
        /// The caller releases the event. The command must have been appended with an event and the command-buffer be
        /// finalized and updatable, else INVALID_OPERATION.
        fn urCommandBufferUpdateSignalEventExp = (pfnUpdateSignalEventExp, 243), via hCommand (
            /// command whose signal event is replaced
            [in] hCommand: ExpCommandBufferCommandHandle,
            /// receives the new event, released with `urEventRelease`
            [out, alloc] phSignalEvent: *mut EventHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE,
            ERROR_INVALID_OPERATION, ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP, ERROR_INVALID_VALUE,
            ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Replaces the events that a command waits for in later executions.
        ///
        /// The number of events must be the same as at append, else INVALID_EVENT_WAIT_LIST. The command-buffer must
        /// be finalized and updatable.
        fn urCommandBufferUpdateWaitEventsExp = (pfnUpdateWaitEventsExp, 244), via hCommand (
            /// command whose wait list is replaced
            [in] hCommand: ExpCommandBufferCommandHandle,
            [in] numEventsInWaitList: u32,
            [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_UNSUPPORTED_FEATURE, ERROR_INVALID_OPERATION,
            ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP, ERROR_INVALID_EVENT_WAIT_LIST,
            ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
        ];

        /// Returns one property of a command-buffer.
        ///
        /// The usual two-step query applies; a buffer too small for the value gives INVALID_SIZE.
        fn urCommandBufferGetInfoExp = (pfnGetInfoExp, 221), via hCommandBuffer (
            /// command-buffer to query
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// property to return
            [in] propName: ExpCommandBufferInfo,
            [in] propSize: usize,
            [out, optional, typename(propName, propSize)] pPropValue: *mut c_void,
            [out, optional] pPropSizeRet: *mut usize,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
            ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_COMMAND_BUFFER_EXP,
            ERROR_OUT_OF_RESOURCES, ERROR_OUT_OF_HOST_MEMORY
        ];

        /// Returns the backend's own object behind a command-buffer, such as a ze_command_list_handle_t or a
        /// CUgraphExec.
        ///
        /// The native object stays owned by the command-buffer and shares its lifetime.
        fn urCommandBufferGetNativeHandleExp = (pfnGetNativeHandleExp, 264), via hCommandBuffer (
            /// command-buffer whose native object is wanted
            [in] hCommandBuffer: ExpCommandBufferHandle,
            /// receives the native handle, not owned by the caller
            [out] phNativeCommandBuffer: *mut NativeHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];
} } }
