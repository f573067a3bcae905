// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_enqueue_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! enqueue_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table Enqueue: EnqueueDdiTable = ur_enqueue_dditable_t, urGetEnqueueProcAddrTable;

                /// Enqueues a marker that completes once the listed events, or all earlier commands of the queue, have
                /// completed.
                ///
                /// Commands enqueued later are not held back; use urEnqueueEventsWaitWithBarrier for that. OpenCL analogue:
                /// clEnqueueMarkerWithWaitList.
                fn urEnqueueEventsWait = (pfnEventsWait, 18), via hQueue (
                    /// queue the marker is submitted to
                    [in] hQueue: QueueHandle,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
                    ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_VALUE, ERROR_OUT_OF_HOST_MEMORY,
                    ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues a barrier: it waits for the listed events, or all earlier commands of the queue, and holds later
                /// commands until it completes.
                ///
                /// OpenCL analogue: clEnqueueBarrierWithWaitList; Level Zero: zeCommandListAppendBarrier.
                fn urEnqueueEventsWaitWithBarrier = (pfnEventsWaitWithBarrier, 19), via hQueue (
                    /// queue the barrier is submitted to
                    [in] hQueue: QueueHandle,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
                    ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_VALUE, ERROR_OUT_OF_HOST_MEMORY,
                    ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues a copy from a buffer to host memory.
                ///
                /// A non-blocking read leaves pDst undefined until its event completes. An offset plus size beyond the buffer
                /// gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueReadBuffer.
                fn urEnqueueMemBufferRead = (pfnMemBufferRead, 20), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// buffer to read from
                    [in, bounds(offset, size)] hBuffer: MemHandle,
                    /// true returns only after the data is in pDst
                    [in] blockingRead: bool,
                    /// start of the range in the buffer, in bytes
                    [in] offset: usize,
                    /// number of bytes to copy
                    [in] size: usize,
                    /// host memory of at least size bytes that receives the data
                    [in] pDst: *mut c_void,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT,
                    ERROR_INVALID_EVENT_WAIT_LIST, ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT,
                    ERROR_INVALID_SIZE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues a copy from host memory to a buffer.
                ///
                /// A non-blocking write needs pSrc unchanged until its event completes. An offset plus size beyond the buffer
                /// gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueWriteBuffer.
                fn urEnqueueMemBufferWrite = (pfnMemBufferWrite, 21), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// buffer to write to
                    [in, bounds(offset, size)] hBuffer: MemHandle,
                    /// true returns only when pSrc may be reused
                    [in] blockingWrite: bool,
                    /// start of the range in the buffer, in bytes
                    [in] offset: usize,
                    /// number of bytes to copy
                    [in] size: usize,
                    /// host memory holding at least size bytes
                    [in] pSrc: *const c_void,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT,
                    ERROR_INVALID_EVENT_WAIT_LIST, ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT,
                    ERROR_INVALID_SIZE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues a copy of a 2D or 3D box from a buffer to host memory.
                ///
                /// Buffer and host memory have separate origins and pitches. A non-zero pitch smaller than the box, an empty
                /// box, or a box beyond the buffer, gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue:
                /// clEnqueueReadBufferRect.
                fn urEnqueueMemBufferReadRect = (pfnMemBufferReadRect, 22), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// buffer to read from
                    [in, bounds(bufferOrigin, region)] hBuffer: MemHandle,
                    /// true returns only after the box is in pDst
                    [in] blockingRead: bool,
                    /// corner of the box in the buffer: x in bytes, y in rows, z in slices
                    [in] bufferOrigin: RectOffset,
                    /// corner of the box in host memory: x in bytes, y in rows, z in slices
                    [in] hostOrigin: RectOffset,
                    /// extent of the box: width in bytes, height in rows, depth in slices
                    [in] region: RectRegion,
                    /// bytes from one buffer row to the next; 0 means region width
                    [in] bufferRowPitch: usize,
                    /// bytes from one buffer slice to the next; 0 means height times row pitch
                    [in] bufferSlicePitch: usize,
                    /// bytes from one host row to the next; 0 means region width
                    [in] hostRowPitch: usize,
                    /// bytes from one host slice to the next; 0 means height times row pitch
                    [in] hostSlicePitch: usize,
                    /// base of the host memory that hostOrigin is relative to
                    [in] pDst: *mut c_void,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT,
                    ERROR_INVALID_EVENT_WAIT_LIST, ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT,
                    ERROR_INVALID_SIZE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues a copy of a 2D or 3D box from host memory to a buffer.
                ///
                /// Buffer and host memory have separate origins and pitches. A non-zero pitch smaller than the box, an empty
                /// box, or a box beyond the buffer, gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue:
                /// clEnqueueWriteBufferRect.
                fn urEnqueueMemBufferWriteRect = (pfnMemBufferWriteRect, 23), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// buffer to write to
                    [in, bounds(bufferOrigin, region)] hBuffer: MemHandle,
                    /// true returns only when pSrc may be reused
                    [in] blockingWrite: bool,
                    /// corner of the box in the buffer: x in bytes, y in rows, z in slices
                    [in] bufferOrigin: RectOffset,
                    /// corner of the box in host memory: x in bytes, y in rows, z in slices
                    [in] hostOrigin: RectOffset,
                    /// extent of the box: width in bytes, height in rows, depth in slices
                    [in] region: RectRegion,
                    /// bytes from one buffer row to the next; 0 means region width
                    [in] bufferRowPitch: usize,
                    /// bytes from one buffer slice to the next; 0 means height times row pitch
                    [in] bufferSlicePitch: usize,
                    /// bytes from one host row to the next; 0 means region width
                    [in] hostRowPitch: usize,
                    /// bytes from one host slice to the next; 0 means height times row pitch
                    [in] hostSlicePitch: usize,
                    /// base of the host memory that hostOrigin is relative to; only read
                    [in] pSrc: *mut c_void,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT,
                    ERROR_INVALID_EVENT_WAIT_LIST, ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT,
                    ERROR_INVALID_SIZE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues a copy of a byte range from one buffer to another.
                ///
                /// Ranges beyond either buffer give UR_RESULT_ERROR_INVALID_SIZE; overlapping ranges of one buffer are not
                /// supported. OpenCL analogue: clEnqueueCopyBuffer.
                fn urEnqueueMemBufferCopy = (pfnMemBufferCopy, 24), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// buffer to read from
                    [in, bounds(srcOffset, size)] hBufferSrc: MemHandle,
                    /// buffer to write to
                    [in, bounds(dstOffset, size)] hBufferDst: MemHandle,
                    /// start of the range in the source, in bytes
                    [in] srcOffset: usize,
                    /// start of the range in the destination, in bytes
                    [in] dstOffset: usize,
                    /// number of bytes to copy
                    [in] size: usize,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
                    ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_SIZE,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues a copy of a 2D or 3D box from one buffer to another.
                ///
                /// Each buffer has its own origin and pitches. A non-zero pitch smaller than the box, an empty box, or a box
                /// beyond either buffer, gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueCopyBufferRect.
                fn urEnqueueMemBufferCopyRect = (pfnMemBufferCopyRect, 25), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// buffer to read from
                    [in, bounds(srcOrigin, region)] hBufferSrc: MemHandle,
                    /// buffer to write to
                    [in, bounds(dstOrigin, region)] hBufferDst: MemHandle,
                    /// corner of the box in the source: x in bytes, y in rows, z in slices
                    [in] srcOrigin: RectOffset,
                    /// corner of the box in the destination: x in bytes, y in rows, z in slices
                    [in] dstOrigin: RectOffset,
                    /// extent of the box: width in bytes, height in rows, depth in slices
                    [in] region: RectRegion,
                    /// bytes from one source row to the next; 0 means region width
                    [in] srcRowPitch: usize,
                    /// bytes from one source slice to the next; 0 means height times row pitch
                    [in] srcSlicePitch: usize,
                    /// bytes from one destination row to the next; 0 means region width
                    [in] dstRowPitch: usize,
                    /// bytes from one destination slice to the next; 0 means height times row pitch
                    [in] dstSlicePitch: usize,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
                    ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_SIZE,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues filling a buffer range with copies of a byte pattern.
                ///
                /// UR_RESULT_ERROR_INVALID_SIZE unless patternSize is a power of two that divides both offset and size, both
                /// sizes are non-zero, and the range lies inside the buffer. OpenCL analogue: clEnqueueFillBuffer.
                fn urEnqueueMemBufferFill = (pfnMemBufferFill, 26), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// buffer to fill
                    [in, bounds(offset, size)] hBuffer: MemHandle,
                    /// address of the patternSize bytes to repeat
                    [in] pPattern: *const c_void,
                    /// length of the pattern in bytes; a power of two
                    [in] patternSize: usize,
                    /// start of the range in bytes; a multiple of patternSize
                    [in] offset: usize,
                    /// length of the range in bytes; a multiple of patternSize
                    [in] size: usize,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT,
                    ERROR_INVALID_EVENT_WAIT_LIST, ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT,
                    ERROR_INVALID_SIZE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues a copy of a box of pixels from an image to host memory.
                ///
                /// A non-blocking read leaves pDst undefined until its event completes; a box beyond the image gives
                /// UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueReadImage.
                fn urEnqueueMemImageRead = (pfnMemImageRead, 27), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// image to read from
                    [in, bounds(origin, region)] hImage: MemHandle,
                    /// true returns only after the pixels are in pDst
                    [in] blockingRead: bool,
                    /// corner of the box in pixels; unused dimensions are 0
                    [in] origin: RectOffset,
                    /// extent of the box in pixels; unused dimensions are 1
                    [in] region: RectRegion,
                    /// bytes from one host row to the next; 0 means rows are packed
                    [in] rowPitch: usize,
                    /// bytes from one host slice to the next; 0 means slices are packed
                    [in] slicePitch: usize,
                    /// host memory that receives the pixels
                    [in] pDst: *mut c_void,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT,
                    ERROR_INVALID_EVENT_WAIT_LIST, ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT,
                    ERROR_INVALID_SIZE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues a copy of a box of pixels from host memory to an image.
                ///
                /// A non-blocking write needs pSrc unchanged until its event completes; a box beyond the image gives
                /// UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueWriteImage.
                fn urEnqueueMemImageWrite = (pfnMemImageWrite, 28), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// image to write to
                    [in, bounds(origin, region)] hImage: MemHandle,
                    /// true returns only when pSrc may be reused
                    [in] blockingWrite: bool,
                    /// corner of the box in pixels; unused dimensions are 0
                    [in] origin: RectOffset,
                    /// extent of the box in pixels; unused dimensions are 1
                    [in] region: RectRegion,
                    /// bytes from one host row to the next; 0 means rows are packed
                    [in] rowPitch: usize,
                    /// bytes from one host slice to the next; 0 means slices are packed
                    [in] slicePitch: usize,
                    /// host memory holding the pixels; only read
                    [in] pSrc: *mut c_void,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT,
                    ERROR_INVALID_EVENT_WAIT_LIST, ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT,
                    ERROR_INVALID_SIZE, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues a copy of a box of pixels from one image to another.
                ///
                /// Both images need the same pixel format; a box beyond either image gives UR_RESULT_ERROR_INVALID_SIZE.
                /// OpenCL analogue: clEnqueueCopyImage.
                fn urEnqueueMemImageCopy = (pfnMemImageCopy, 29), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// image to read from
                    [in, bounds(srcOrigin, region)] hImageSrc: MemHandle,
                    /// image to write to
                    [in, bounds(dstOrigin, region)] hImageDst: MemHandle,
                    /// corner of the box in the source, in pixels
                    [in] srcOrigin: RectOffset,
                    /// corner of the box in the destination, in pixels
                    [in] dstOrigin: RectOffset,
                    /// extent of the box in pixels; unused dimensions are 1
                    [in] region: RectRegion,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
                    ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_SIZE,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues making a buffer range accessible to the host and returns the address of the mapping.
                ///
                /// The address may be dereferenced only after the command completes, and is given back with
                /// urEnqueueMemUnmap. A range beyond the buffer gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue:
                /// clEnqueueMapBuffer.
                fn urEnqueueMemBufferMap = (pfnMemBufferMap, 30), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// buffer to map
                    [in, bounds(offset, size)] hBuffer: MemHandle,
                    /// true returns only when the mapping is ready for host access
                    [in] blockingMap: bool,
                    /// bits telling whether the host reads, writes or overwrites
                    [in] mapFlags: MapFlags,
                    /// start of the range in the buffer, in bytes
                    [in] offset: usize,
                    /// length of the range in bytes
                    [in] size: usize,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                    /// receives the host address of the range; valid until unmapped
                    [out] ppRetMap: *mut *mut c_void,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER,
                    ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT, ERROR_INVALID_EVENT_WAIT_LIST,
                    ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT, ERROR_INVALID_SIZE,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues the end of a mapping, making host writes visible to the device.
                ///
                /// The host must not touch the mapped address afterwards. OpenCL analogue: clEnqueueUnmapMemObject.
                fn urEnqueueMemUnmap = (pfnMemUnmap, 31), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// memory object that was mapped
                    [in] hMem: MemHandle,
                    /// address that the map call returned
                    [in] pMappedPtr: *mut c_void,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT,
                    ERROR_INVALID_EVENT_WAIT_LIST, ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues filling a USM range with copies of a byte pattern.
                ///
                /// UR_RESULT_ERROR_INVALID_SIZE when either size is 0, size is not a multiple of patternSize, or the range
                /// exceeds the allocation. OpenCL analogue: clEnqueueMemFillINTEL; Level Zero: zeCommandListAppendMemoryFill.
                fn urEnqueueUSMFill = (pfnUSMFill, 32), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// start of the USM range to fill
                    [in, bounds(0, size)] pMem: *mut c_void,
                    /// length of the pattern in bytes; must divide size
                    [in] patternSize: usize,
                    /// address of the patternSize bytes to repeat
                    [in] pPattern: *const c_void,
                    /// length of the range in bytes
                    [in] size: usize,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT,
                    ERROR_INVALID_SIZE, ERROR_INVALID_EVENT_WAIT_LIST, ERROR_IN_EVENT_LIST_EXEC_STATUS,
                    ERROR_INVALID_MEM_OBJECT, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues a copy between two addresses, each USM or plain host memory.
                ///
                /// The ranges must not overlap and must stay valid until the copy completes. A size of 0 or beyond an
                /// allocation gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueMemcpyINTEL; Level Zero:
                /// zeCommandListAppendMemoryCopy.
                fn urEnqueueUSMMemcpy = (pfnUSMMemcpy, 33), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// true returns only after the copy is done
                    [in] blocking: bool,
                    /// start of the range written
                    [in, bounds(0, size)] pDst: *mut c_void,
                    /// start of the range read
                    [in, bounds(0, size)] pSrc: *const c_void,
                    /// number of bytes to copy
                    [in] size: usize,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT,
                    ERROR_INVALID_SIZE, ERROR_INVALID_EVENT_WAIT_LIST, ERROR_IN_EVENT_LIST_EXEC_STATUS,
                    ERROR_INVALID_MEM_OBJECT, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues a hint to migrate a USM range before it is used.
                ///
                /// Devices or allocation kinds that cannot migrate ignore it. A size of 0 or beyond the allocation gives
                /// UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueMigrateMemINTEL; Level Zero:
                /// zeCommandListAppendMemoryPrefetch.
                fn urEnqueueUSMPrefetch = (pfnUSMPrefetch, 34), via hQueue (
                    /// queue the command is submitted to; names the device
                    [in] hQueue: QueueHandle,
                    /// start of the USM range
                    [in, bounds(0, size)] pMem: *const c_void,
                    /// length of the range in bytes
                    [in] size: usize,
                    /// direction of the migration
                    [in] flags: UsmMigrationFlags,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT, ERROR_INVALID_SIZE, ERROR_INVALID_EVENT_WAIT_LIST,
                    ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT, ERROR_OUT_OF_HOST_MEMORY,
                    ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues advice about how a USM range will be used.
                ///
                /// The command takes no wait list. Advice the device does not know is ignored, though an adapter may report
                /// UR_RESULT_ERROR_ADAPTER_SPECIFIC with details in urAdapterGetLastError. Level Zero analogue:
                /// zeCommandListAppendMemAdvise.
                fn urEnqueueUSMAdvise = (pfnUSMAdvise, 35), via hQueue (
                    /// queue the command is submitted to; names the device
                    [in] hQueue: QueueHandle,
                    /// start of the USM range
                    [in, bounds(0, size)] pMem: *const c_void,
                    /// length of the range in bytes
                    [in] size: usize,
                    /// bits describing the expected use
                    [in] advice: UsmAdviceFlags,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT, ERROR_INVALID_SIZE, ERROR_INVALID_MEM_OBJECT,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];

                /// Enqueues filling a pitched 2D area of USM with copies of a byte pattern.
                ///
                /// UR_RESULT_ERROR_INVALID_SIZE when any size is 0, pitch is below width, the pattern does not divide the
                /// area, or pitch times height exceeds the allocation; adapters without 2D fills give
                /// UR_RESULT_ERROR_UNSUPPORTED_FEATURE.
                fn urEnqueueUSMFill2D = (pfnUSMFill2D, 151), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// first byte of the first row
                    [in, bounds(0, pitch * height)] pMem: *mut c_void,
                    /// bytes from one row to the next; at least width
                    [in] pitch: usize,
                    /// length of the pattern in bytes; a power of two that divides width times height
                    [in] patternSize: usize,
                    /// address of the patternSize bytes to repeat
                    [in] pPattern: *const c_void,
                    /// bytes to fill in each row
                    [in] width: usize,
                    /// number of rows
                    [in] height: usize,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_SIZE,
                    ERROR_INVALID_EVENT_WAIT_LIST, ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES, ERROR_UNSUPPORTED_FEATURE
                ];

                /// Enqueues a copy of a pitched 2D area between two addresses, each USM or plain host memory.
                ///
                /// UR_RESULT_ERROR_INVALID_SIZE when a pitch is below width, height is 0, or an area exceeds its allocation;
                /// adapters without 2D copies give UR_RESULT_ERROR_UNSUPPORTED_FEATURE. CUDA analogue: cuMemcpy2DAsync.
                fn urEnqueueUSMMemcpy2D = (pfnUSMMemcpy2D, 152), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// true returns only after the copy is done
                    [in] blocking: bool,
                    /// first byte of the first row written
                    [in, bounds(0, dstPitch * height)] pDst: *mut c_void,
                    /// bytes from one destination row to the next; at least width
                    [in] dstPitch: usize,
                    /// first byte of the first row read
                    [in, bounds(0, srcPitch * height)] pSrc: *const c_void,
                    /// bytes from one source row to the next; at least width
                    [in] srcPitch: usize,
                    /// bytes to copy in each row
                    [in] width: usize,
                    /// number of rows
                    [in] height: usize,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_SIZE,
                    ERROR_INVALID_EVENT_WAIT_LIST, ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_MEM_OBJECT,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES, ERROR_UNSUPPORTED_FEATURE
                ];

                /// Enqueues a copy from host memory to a device global variable of a program.
                ///
                /// The variable's instance on the queue's device is written. OpenCL analogue:
                /// clEnqueueWriteGlobalVariableINTEL.
                fn urEnqueueDeviceGlobalVariableWrite = (pfnDeviceGlobalVariableWrite, 38), via hQueue (
                    /// queue the command is submitted to; names the device
                    [in] hQueue: QueueHandle,
                    /// built program that contains the variable
                    [in] hProgram: ProgramHandle,
                    /// null-terminated unique name of the variable
                    [in] name: *const c_char,
                    /// true returns only when the write is done
                    [in] blockingWrite: bool,
                    /// number of bytes to copy
                    [in] count: usize,
                    /// start of the range in the variable, in bytes
                    [in] offset: usize,
                    /// host memory holding at least count bytes
                    [in] pSrc: *const c_void,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_EVENT_WAIT_LIST,
                    ERROR_IN_EVENT_LIST_EXEC_STATUS
                ];

                /// Enqueues a copy from a device global variable of a program to host memory.
                ///
                /// The variable's instance on the queue's device is read. OpenCL analogue: clEnqueueReadGlobalVariableINTEL.
                fn urEnqueueDeviceGlobalVariableRead = (pfnDeviceGlobalVariableRead, 39), via hQueue (
                    /// queue the command is submitted to; names the device
                    [in] hQueue: QueueHandle,
                    /// built program that contains the variable
                    [in] hProgram: ProgramHandle,
                    /// null-terminated unique name of the variable
                    [in] name: *const c_char,
                    /// true returns only after the data is in pDst
                    [in] blockingRead: bool,
                    /// number of bytes to copy
                    [in] count: usize,
                    /// start of the range in the variable, in bytes
                    [in] offset: usize,
                    /// host memory of at least count bytes that receives the data
                    [in] pDst: *mut c_void,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_EVENT_WAIT_LIST,
                    ERROR_IN_EVENT_LIST_EXEC_STATUS
                ];

                /// Enqueues taking data out of a device-to-host pipe into host memory.
                ///
                /// Queue and program must share one context. OpenCL analogue: clEnqueueReadHostPipeINTEL.
                fn urEnqueueReadHostPipe = (pfnReadHostPipe, 69), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// built program that declares the pipe
                    [in] hProgram: ProgramHandle,
                    /// null-terminated name of the pipe's global variable
                    [in] pipe_symbol: *const c_char,
                    /// true returns only after the data is in pDst
                    [in] blocking: bool,
                    /// host memory of at least size bytes that receives the data
                    [in] pDst: *mut c_void,
                    /// number of bytes to take
                    [in] size: usize,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_EVENT_WAIT_LIST,
                    ERROR_IN_EVENT_LIST_EXEC_STATUS
                ];

                /// Enqueues putting data from host memory into a host-to-device pipe.
                ///
                /// Queue and program must share one context. OpenCL analogue: clEnqueueWriteHostPipeINTEL.
                fn urEnqueueWriteHostPipe = (pfnWriteHostPipe, 117), via hQueue (
                    /// queue the command is submitted to
                    [in] hQueue: QueueHandle,
                    /// built program that declares the pipe
                    [in] hProgram: ProgramHandle,
                    /// null-terminated name of the pipe's global variable
                    [in] pipe_symbol: *const c_char,
                    /// true returns only when the write is done
                    [in] blocking: bool,
                    /// host memory holding at least size bytes; only read
                    [in] pSrc: *mut c_void,
                    /// number of bytes to put
                    [in] size: usize,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [out, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_EVENT_WAIT_LIST,
                    ERROR_IN_EVENT_LIST_EXEC_STATUS
                ];

                /// Enqueues a barrier like urEnqueueEventsWaitWithBarrier, with extra options.
                ///
                /// It waits for the listed events, or all earlier commands of the queue, and holds later commands until it
                /// completes; it can also signal an event made by urEventCreateExp. Null properties give the plain barrier.
                fn urEnqueueEventsWaitWithBarrierExt = (pfnEventsWaitWithBarrierExt, 246), via hQueue (
                    /// queue the barrier is submitted to
                    [in] hQueue: QueueHandle,
                    [in, optional] pProperties: *const ExpEnqueueExtProperties,
                    [in] numEventsInWaitList: u32,
                    [in, optional, range(numEventsInWaitList)] phEventWaitList: *const EventHandle,
                    [inout, optional, alloc] phEvent: *mut EventHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_QUEUE, ERROR_INVALID_EVENT,
                    ERROR_INVALID_EVENT_WAIT_LIST, ERROR_IN_EVENT_LIST_EXEC_STATUS, ERROR_INVALID_VALUE,
                    ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES
                ];
        }
    };
}
