// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Types that every object shares: result codes, structure tags, base descriptors, rectangles.

use super::*;

ur_types! {
    /// One-byte truth value: zero is false, any other value is true.
    alias Bool = ur_bool_t { u8 }

    /// Reference-counted settings object passed to loader initialisation.
    handle LoaderConfigHandle = ur_loader_config_handle_t {}

    /// Reference-counted handle of one backend plug-in (adapter).
    handle AdapterHandle = ur_adapter_handle_t {}

    /// Handle of a driver platform, which groups devices of one backend; owned by its adapter.
    handle PlatformHandle = ur_platform_handle_t {}

    /// Reference-counted handle of a root device or sub-device.
    handle DeviceHandle = ur_device_handle_t {}

    /// Reference-counted handle of a context, the sharing domain for memory, programs and queues over a set of
    /// devices.
    handle ContextHandle = ur_context_handle_t {}

    /// Reference-counted handle that tracks the completion of an enqueued command.
    handle EventHandle = ur_event_handle_t {}

    /// Reference-counted handle of a program holding IL or native device code.
    handle ProgramHandle = ur_program_handle_t {}

    /// Reference-counted handle of one kernel entry point of a program together with its arguments.
    handle KernelHandle = ur_kernel_handle_t {}

    /// Reference-counted handle of a command queue bound to one context and one device.
    handle QueueHandle = ur_queue_handle_t {}

    /// Pointer-wide integer that carries a handle of the underlying driver API.
    alias NativeHandle = ur_native_handle_t { usize }

    /// Reference-counted handle of an image sampler.
    handle SamplerHandle = ur_sampler_handle_t {}

    /// Reference-counted handle of a buffer or image.
    handle MemHandle = ur_mem_handle_t {}

    /// Reference-counted handle of device storage that can back reserved virtual addresses.
    handle PhysicalMemHandle = ur_physical_mem_handle_t {}

    /// Status code returned by every entry point; zero means success.
    enum ResultCode = ur_result_t, UR_RESULT_ {
        /// the call did what was asked
        SUCCESS = 0,
        /// the request makes no sense in the object's present state
        ERROR_INVALID_OPERATION = 1,
        /// queue flags conflict with one another or are not offered by the device
        ERROR_INVALID_QUEUE_PROPERTIES = 2,
        /// the queue handle is bad or belongs to another context
        ERROR_INVALID_QUEUE = 3,
        /// an argument value lies outside what the entry point accepts
        ERROR_INVALID_VALUE = 4,
        /// the context handle is bad or does not match the other objects
        ERROR_INVALID_CONTEXT = 5,
        /// the platform handle is bad
        ERROR_INVALID_PLATFORM = 6,
        /// no given device binary is usable, or its contents are malformed
        ERROR_INVALID_BINARY = 7,
        /// the program handle is bad or in the wrong state
        ERROR_INVALID_PROGRAM = 8,
        /// the sampler handle is bad
        ERROR_INVALID_SAMPLER = 9,
        /// the buffer size is zero or above the device limit
        ERROR_INVALID_BUFFER_SIZE = 10,
        /// the buffer or image handle is bad or of the wrong kind
        ERROR_INVALID_MEM_OBJECT = 11,
        /// the event handle is bad
        ERROR_INVALID_EVENT = 12,
        /// wait-list pointer and count disagree, or the list holds a bad event
        ERROR_INVALID_EVENT_WAIT_LIST = 13,
        /// the sub-buffer origin breaks the device's base-address alignment
        ERROR_MISALIGNED_SUB_BUFFER_OFFSET = 14,
        /// the work-group shape is too large or contradicts the kernel's requirements
        ERROR_INVALID_WORK_GROUP_SIZE = 15,
        /// a build was requested where no online compiler exists
        ERROR_COMPILER_NOT_AVAILABLE = 16,
        /// no timestamps exist for the event: profiling was off or the command has not finished
        ERROR_PROFILING_INFO_NOT_AVAILABLE = 17,
        /// no device satisfies the request
        ERROR_DEVICE_NOT_FOUND = 18,
        /// the device handle is bad or outside the context or program
        ERROR_INVALID_DEVICE = 19,
        /// the device hung, was reset or removed, or its driver was updated
        ERROR_DEVICE_LOST = 20,
        /// the device cannot continue until it is reset
        ERROR_DEVICE_REQUIRES_RESET = 21,
        /// the device sleeps in a low-power state and cannot serve the call
        ERROR_DEVICE_IN_LOW_POWER_STATE = 22,
        /// the driver could not split the device as asked
        ERROR_DEVICE_PARTITION_FAILED = 23,
        /// the requested sub-device sizes exceed the compute units or the sub-device limit
        ERROR_INVALID_DEVICE_PARTITION_COUNT = 24,
        /// a work-group extent exceeds the device limit of its dimension
        ERROR_INVALID_WORK_ITEM_SIZE = 25,
        /// the number of dimensions is outside 1 to 3
        ERROR_INVALID_WORK_DIMENSION = 26,
        /// deprecated: an argument of a kernel was never set
        ERROR_INVALID_KERNEL_ARGS = 27,
        /// the kernel handle is bad
        ERROR_INVALID_KERNEL = 28,
        /// the program holds no kernel of that name
        ERROR_INVALID_KERNEL_NAME = 29,
        /// the argument index is not below the kernel's argument count
        ERROR_INVALID_KERNEL_ARGUMENT_INDEX = 30,
        /// the byte count does not match the kernel argument's type
        ERROR_INVALID_KERNEL_ARGUMENT_SIZE = 31,
        /// the value is not allowed for that kernel attribute
        ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE = 32,
        /// image extents or pitches are zero, inconsistent or above device limits
        ERROR_INVALID_IMAGE_SIZE = 33,
        /// the image format or descriptor is malformed or inconsistent
        ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR = 34,
        /// storage for a buffer or image could not be obtained
        ERROR_MEM_OBJECT_ALLOCATION_FAILURE = 35,
        /// the program has no successfully built code for this device
        ERROR_INVALID_PROGRAM_EXECUTABLE = 36,
        /// the loader or adapter was used before its initialisation
        ERROR_UNINITIALIZED = 37,
        /// host memory ran out
        ERROR_OUT_OF_HOST_MEMORY = 38,
        /// device memory ran out
        ERROR_OUT_OF_DEVICE_MEMORY = 39,
        /// a resource other than plain memory ran out
        ERROR_OUT_OF_RESOURCES = 40,
        /// compilation failed; the build log has the reason
        ERROR_PROGRAM_BUILD_FAILURE = 41,
        /// linking failed, for example on unresolved symbols; the build log has the reason
        ERROR_PROGRAM_LINK_FAILURE = 42,
        /// the requested version is unknown to this implementation
        ERROR_UNSUPPORTED_VERSION = 43,
        /// the adapter or device lacks this functionality
        ERROR_UNSUPPORTED_FEATURE = 44,
        /// an argument is wrong and no narrower code applies
        ERROR_INVALID_ARGUMENT = 45,
        /// a handle that must be present is null
        ERROR_INVALID_NULL_HANDLE = 46,
        /// the object cannot be touched because other work still uses it
        ERROR_HANDLE_OBJECT_IN_USE = 47,
        /// a pointer that must be present is null
        ERROR_INVALID_NULL_POINTER = 48,
        /// a size or count is zero, too small or otherwise wrong
        ERROR_INVALID_SIZE = 49,
        /// a well-formed size that the device cannot handle
        ERROR_UNSUPPORTED_SIZE = 50,
        /// the alignment is not a power of two or beyond what the device offers
        ERROR_UNSUPPORTED_ALIGNMENT = 51,
        /// a fence, event or semaphore is unusable for this purpose
        ERROR_INVALID_SYNCHRONIZATION_OBJECT = 52,
        /// an enumerator or flag bit is undefined in this API version
        ERROR_INVALID_ENUMERATION = 53,
        /// a defined enumerator that this adapter or device does not implement
        ERROR_UNSUPPORTED_ENUMERATION = 54,
        /// the device cannot handle this channel order and type
        ERROR_UNSUPPORTED_IMAGE_FORMAT = 55,
        /// the device rejects the given native code
        ERROR_INVALID_NATIVE_BINARY = 56,
        /// the program defines no global variable of that name
        ERROR_INVALID_GLOBAL_NAME = 57,
        /// the function exists in the program but has no obtainable address
        ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE = 58,
        /// a work-group extent is illegal for the kernel or device
        ERROR_INVALID_GROUP_SIZE_DIMENSION = 59,
        /// a global extent is illegal for the kernel or device
        ERROR_INVALID_GLOBAL_WIDTH_DIMENSION = 60,
        /// the module's imports must be linked before the program can be used
        ERROR_PROGRAM_UNLINKED = 61,
        /// source and destination of a copy intersect
        ERROR_OVERLAPPING_REGIONS = 62,
        /// host pointer and memory flags contradict each other
        ERROR_INVALID_HOST_PTR = 63,
        /// the USM allocation size is zero or above the device limit
        ERROR_INVALID_USM_SIZE = 64,
        /// a runtime object could not be created
        ERROR_OBJECT_ALLOCATION_FAILURE = 65,
        /// the driver failed in its own way; urAdapterGetLastError gives message and code
        ERROR_ADAPTER_SPECIFIC = 66,
        /// the loader knows no layer of that name
        ERROR_LAYER_NOT_PRESENT = 67,
        /// a wait-list event ended in the error state
        ERROR_IN_EVENT_LIST_EXEC_STATUS = 68,
        /// the device exists but reports itself unavailable
        ERROR_DEVICE_NOT_AVAILABLE = 69,
        /// the module has no specialization constant with this id
        ERROR_INVALID_SPEC_ID = 70,
        /// the graph handle is bad or unusable
        ERROR_INVALID_GRAPH = 71,
        /// the call is not allowed while a graph is being captured
        ERROR_GRAPH_CAPTURE_UNSUPPORTED = 72,
        /// the failure has spoiled the running capture, which must be abandoned
        ERROR_GRAPH_CAPTURE_INVALIDATED = 73,
        /// a dependency would join two separate captures
        ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT = 74,
        /// capture was ended or queried where none is running
        ERROR_COMMAND_LIST_NOT_CAPTURING = 75,
        /// a branch forked off during capture never rejoined the origin queue
        ERROR_GRAPH_UNJOINED_FORKS = 76,
        /// an event that exists only within a captured graph was used elsewhere
        ERROR_GRAPH_INTERNAL_EVENT = 77,
        /// the command-buffer handle is bad or in the wrong state
        ERROR_INVALID_COMMAND_BUFFER_EXP = 0x1000,
        /// the sync point was not issued by this command-buffer
        ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP = 0x1001,
        /// sync-point pointer and count disagree, or the list holds a bad entry
        ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP = 0x1002,
        /// the handle does not name a command of this command-buffer
        ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP = 0x1003,
        /// an internal failure that fits no other code
        ERROR_UNKNOWN = 0x7ffffffe,
    }

    /// Common prefix (type tag and chain pointer) of all property structures passed as input.
    struct BaseProperties = ur_base_properties_t {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
    }

    /// Common prefix (type tag and chain pointer) of all descriptor structures.
    struct BaseDesc = ur_base_desc_t {
        [in] stype: StructureType,
        [in, optional] pNext: *const c_void,
    }

    /// Three-dimensional origin of a rectangular region.
    struct RectOffset = ur_rect_offset_t {
        /// first coordinate: bytes for buffers, pixels for images
        [in] x: u64,
        /// second coordinate, in rows
        [in] y: u64,
        /// third coordinate, in slices
        [in] z: u64,
    }

    /// Three-dimensional extent of a rectangular region.
    struct RectRegion = ur_rect_region_t {
        /// length of one row: bytes for buffers, pixels for images
        [in] width: u64,
        /// number of rows
        [in] height: u64,
        /// number of slices
        [in] depth: u64,
    }

    /// Names the driver API that an adapter is built on.
    enum Backend = ur_backend_t, UR_BACKEND_ {
        /// none of the APIs listed here
        UNKNOWN = 0,
        /// oneAPI Level Zero
        LEVEL_ZERO = 1,
        /// OpenCL, the Khronos standard
        OPENCL = 2,
        /// NVIDIA CUDA driver API
        CUDA = 3,
        /// AMD HIP runtime
        HIP = 4,
        /// kernels compiled to host code and run in-process
        NATIVE_CPU = 5,
        /// LLVM liboffload library
        OFFLOAD = 0x100,
    }
}
