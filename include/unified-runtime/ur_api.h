// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oneAPI Unified Runtime 0.12, in the generation of the 2026.2 releases.
//
// Any function may also return UR_RESULT_ERROR_UNINITIALIZED, UR_RESULT_ERROR_DEVICE_LOST and
// UR_RESULT_ERROR_ADAPTER_SPECIFIC. Define UR_OXUR_LEGACY_API to get the functions that 2026.2 dropped and
// that oxur's loader still exports.
//
// Written by `cargo run -p oxur-headers` from the tables in api/. Edit those.

#ifndef UR_API_H_INCLUDED
#define UR_API_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A version of the API, as in ur_api_version_t, of its two numbers.
#define UR_MAKE_VERSION(_major, _minor) (((_major) << 16) | ((_minor) & 0x0000ffff))
/// The first number of a version.
#define UR_MAJOR_VERSION(_ver) ((_ver) >> 16)
/// The second number of a version.
#define UR_MINOR_VERSION(_ver) ((_ver) & 0x0000ffff)

/// The bit with this number.
#define UR_BIT(_i) (1 << (_i))

#ifndef UR_APICALL
/// Calling convention of the API's functions.
#if defined(_WIN32)
#define UR_APICALL __cdecl
#else
#define UR_APICALL
#endif
#endif

#ifndef UR_APIEXPORT
/// Declares a function that the loader exports.
#if defined(_WIN32)
#define UR_APIEXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define UR_APIEXPORT __attribute__((visibility("default")))
#else
#define UR_APIEXPORT
#endif
#endif

#ifndef UR_DLLEXPORT
/// Declares a function that an adapter exports.
#define UR_DLLEXPORT UR_APIEXPORT
#endif

/// The bits that ur_device_init_flags_t does not define.
#define UR_DEVICE_INIT_FLAGS_MASK 0xffffffe0

/// Target name of a device binary: unknown.
#define UR_DEVICE_BINARY_TARGET_UNKNOWN "<unknown>"

/// Target name of a device binary: spirv32.
#define UR_DEVICE_BINARY_TARGET_SPIRV32 "spir"

/// Target name of a device binary: spirv64.
#define UR_DEVICE_BINARY_TARGET_SPIRV64 "spir64"

/// Target name of a device binary: spirv64-x86-64.
#define UR_DEVICE_BINARY_TARGET_SPIRV64_X86_64 "spir64_x86_64"

/// Target name of a device binary: spirv64-gen.
#define UR_DEVICE_BINARY_TARGET_SPIRV64_GEN "spir64_gen"

/// Target name of a device binary: spirv64-fpga.
#define UR_DEVICE_BINARY_TARGET_SPIRV64_FPGA "spir64_fpga"

/// Target name of a device binary: nvptx64.
#define UR_DEVICE_BINARY_TARGET_NVPTX64 "nvptx64"

/// Target name of a device binary: amdgcn.
#define UR_DEVICE_BINARY_TARGET_AMDGCN "amdgcn"

/// Target name of a device binary: native-cpu.
#define UR_DEVICE_BINARY_TARGET_NATIVE_CPU "native_cpu"

/// The bits that ur_device_affinity_domain_flags_t does not define.
#define UR_DEVICE_AFFINITY_DOMAIN_FLAGS_MASK 0xffffffc0

/// The bits that ur_device_fp_capability_flags_t does not define.
#define UR_DEVICE_FP_CAPABILITY_FLAGS_MASK 0xffffff00

/// The bits that ur_device_exec_capability_flags_t does not define.
#define UR_DEVICE_EXEC_CAPABILITY_FLAGS_MASK 0xfffffffc

/// The bits that ur_memory_order_capability_flags_t does not define.
#define UR_MEMORY_ORDER_CAPABILITY_FLAGS_MASK 0xffffffe0

/// The bits that ur_memory_scope_capability_flags_t does not define.
#define UR_MEMORY_SCOPE_CAPABILITY_FLAGS_MASK 0xffffffe0

/// The bits that ur_device_usm_access_capability_flags_t does not define.
#define UR_DEVICE_USM_ACCESS_CAPABILITY_FLAGS_MASK 0xfffffff0

/// The bits that ur_device_throttle_reasons_flags_t does not define.
#define UR_DEVICE_THROTTLE_REASONS_FLAGS_MASK 0xffffff80

/// The bits that ur_kernel_launch_properties_flags_t does not define.
#define UR_KERNEL_LAUNCH_PROPERTIES_FLAGS_MASK 0xfffffff0

/// The bits that ur_context_flags_t does not define.
#define UR_CONTEXT_FLAGS_MASK 0xfffffffe

/// The bits that ur_mem_flags_t does not define.
#define UR_MEM_FLAGS_MASK 0xffffffc0

/// The bits that ur_usm_host_mem_flags_t does not define.
#define UR_USM_HOST_MEM_FLAGS_MASK 0xfffffffe

/// The bits that ur_usm_device_mem_flags_t does not define.
#define UR_USM_DEVICE_MEM_FLAGS_MASK 0xfffffff8

/// The bits that ur_usm_pool_flags_t does not define.
#define UR_USM_POOL_FLAGS_MASK 0xfffffff8

/// The bits that ur_usm_advice_flags_t does not define.
#define UR_USM_ADVICE_FLAGS_MASK 0xfffe0000

/// The bits that ur_virtual_mem_access_flags_t does not define.
#define UR_VIRTUAL_MEM_ACCESS_FLAGS_MASK 0xfffffff8

/// The bits that ur_physical_mem_flags_t does not define.
#define UR_PHYSICAL_MEM_FLAGS_MASK 0xfffffffd

/// The bits that ur_queue_flags_t does not define.
#define UR_QUEUE_FLAGS_MASK 0xfffff000

/// The bits that ur_kernel_launch_flags_t does not define.
#define UR_KERNEL_LAUNCH_FLAGS_MASK 0xfffffffc

/// The bits that ur_map_flags_t does not define.
#define UR_MAP_FLAGS_MASK 0xfffffff8

/// The bits that ur_usm_migration_flags_t does not define.
#define UR_USM_MIGRATION_FLAGS_MASK 0xfffffffc

/// The bits that ur_exp_device_2d_block_array_capability_flags_t does not define.
#define UR_EXP_DEVICE_2D_BLOCK_ARRAY_CAPABILITY_FLAGS_MASK 0xfffffffc

/// The bits that ur_exp_async_usm_alloc_flags_t does not define.
#define UR_EXP_ASYNC_USM_ALLOC_FLAGS_MASK 0xfffffffe

/// The bits that ur_exp_image_copy_flags_t does not define.
#define UR_EXP_IMAGE_COPY_FLAGS_MASK 0xfffffff0

/// The bits that ur_exp_program_flags_t does not define.
#define UR_EXP_PROGRAM_FLAGS_MASK 0xfffffffe

/// The bits that ur_exp_usm_host_alloc_register_flags_t does not define.
#define UR_EXP_USM_HOST_ALLOC_REGISTER_FLAGS_MASK 0xfffffffe

/// The bits that ur_device_command_buffer_update_capability_flags_t does not define.
#define UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAGS_MASK 0xffffffc0

/// The bits that ur_exp_host_task_flags_t does not define.
#define UR_EXP_HOST_TASK_FLAGS_MASK 0xfffffffe

/// The bits that ur_exp_enqueue_ext_flags_t does not define.
#define UR_EXP_ENQUEUE_EXT_FLAGS_MASK 0xfffff7ff

/// The bits that ur_exp_enqueue_native_command_flags_t does not define.
#define UR_EXP_ENQUEUE_NATIVE_COMMAND_FLAGS_MASK 0xfffffffe

/// The bits that ur_exp_event_flags_t does not define.
#define UR_EXP_EVENT_FLAGS_MASK 0xfffffffc

/// A number for each function, for layers that report calls.
typedef enum ur_function_t {
    /// urContextCreate
    UR_FUNCTION_CONTEXT_CREATE = 1,
    /// urContextRetain
    UR_FUNCTION_CONTEXT_RETAIN = 2,
    /// urContextRelease
    UR_FUNCTION_CONTEXT_RELEASE = 3,
    /// urContextGetInfo
    UR_FUNCTION_CONTEXT_GET_INFO = 4,
    /// urContextGetNativeHandle
    UR_FUNCTION_CONTEXT_GET_NATIVE_HANDLE = 5,
    /// urContextCreateWithNativeHandle
    UR_FUNCTION_CONTEXT_CREATE_WITH_NATIVE_HANDLE = 6,
    /// urContextSetExtendedDeleter
    UR_FUNCTION_CONTEXT_SET_EXTENDED_DELETER = 7,
    /// urDeviceGet
    UR_FUNCTION_DEVICE_GET = 8,
    /// urDeviceGetInfo
    UR_FUNCTION_DEVICE_GET_INFO = 9,
    /// urDeviceRetain
    UR_FUNCTION_DEVICE_RETAIN = 10,
    /// urDeviceRelease
    UR_FUNCTION_DEVICE_RELEASE = 11,
    /// urDevicePartition
    UR_FUNCTION_DEVICE_PARTITION = 12,
    /// urDeviceSelectBinary
    UR_FUNCTION_DEVICE_SELECT_BINARY = 13,
    /// urDeviceGetNativeHandle
    UR_FUNCTION_DEVICE_GET_NATIVE_HANDLE = 14,
    /// urDeviceCreateWithNativeHandle
    UR_FUNCTION_DEVICE_CREATE_WITH_NATIVE_HANDLE = 15,
    /// urDeviceGetGlobalTimestamps
    UR_FUNCTION_DEVICE_GET_GLOBAL_TIMESTAMPS = 16,
#if defined(UR_OXUR_LEGACY_API)
    /// urEnqueueKernelLaunch
    UR_FUNCTION_ENQUEUE_KERNEL_LAUNCH = 17,
#endif
    /// urEnqueueEventsWait
    UR_FUNCTION_ENQUEUE_EVENTS_WAIT = 18,
    /// urEnqueueEventsWaitWithBarrier
    UR_FUNCTION_ENQUEUE_EVENTS_WAIT_WITH_BARRIER = 19,
    /// urEnqueueMemBufferRead
    UR_FUNCTION_ENQUEUE_MEM_BUFFER_READ = 20,
    /// urEnqueueMemBufferWrite
    UR_FUNCTION_ENQUEUE_MEM_BUFFER_WRITE = 21,
    /// urEnqueueMemBufferReadRect
    UR_FUNCTION_ENQUEUE_MEM_BUFFER_READ_RECT = 22,
    /// urEnqueueMemBufferWriteRect
    UR_FUNCTION_ENQUEUE_MEM_BUFFER_WRITE_RECT = 23,
    /// urEnqueueMemBufferCopy
    UR_FUNCTION_ENQUEUE_MEM_BUFFER_COPY = 24,
    /// urEnqueueMemBufferCopyRect
    UR_FUNCTION_ENQUEUE_MEM_BUFFER_COPY_RECT = 25,
    /// urEnqueueMemBufferFill
    UR_FUNCTION_ENQUEUE_MEM_BUFFER_FILL = 26,
    /// urEnqueueMemImageRead
    UR_FUNCTION_ENQUEUE_MEM_IMAGE_READ = 27,
    /// urEnqueueMemImageWrite
    UR_FUNCTION_ENQUEUE_MEM_IMAGE_WRITE = 28,
    /// urEnqueueMemImageCopy
    UR_FUNCTION_ENQUEUE_MEM_IMAGE_COPY = 29,
    /// urEnqueueMemBufferMap
    UR_FUNCTION_ENQUEUE_MEM_BUFFER_MAP = 30,
    /// urEnqueueMemUnmap
    UR_FUNCTION_ENQUEUE_MEM_UNMAP = 31,
    /// urEnqueueUSMFill
    UR_FUNCTION_ENQUEUE_USM_FILL = 32,
    /// urEnqueueUSMMemcpy
    UR_FUNCTION_ENQUEUE_USM_MEMCPY = 33,
    /// urEnqueueUSMPrefetch
    UR_FUNCTION_ENQUEUE_USM_PREFETCH = 34,
    /// urEnqueueUSMAdvise
    UR_FUNCTION_ENQUEUE_USM_ADVISE = 35,
    /// urEnqueueDeviceGlobalVariableWrite
    UR_FUNCTION_ENQUEUE_DEVICE_GLOBAL_VARIABLE_WRITE = 38,
    /// urEnqueueDeviceGlobalVariableRead
    UR_FUNCTION_ENQUEUE_DEVICE_GLOBAL_VARIABLE_READ = 39,
    /// urEventGetInfo
    UR_FUNCTION_EVENT_GET_INFO = 40,
    /// urEventGetProfilingInfo
    UR_FUNCTION_EVENT_GET_PROFILING_INFO = 41,
    /// urEventWait
    UR_FUNCTION_EVENT_WAIT = 42,
    /// urEventRetain
    UR_FUNCTION_EVENT_RETAIN = 43,
    /// urEventRelease
    UR_FUNCTION_EVENT_RELEASE = 44,
    /// urEventGetNativeHandle
    UR_FUNCTION_EVENT_GET_NATIVE_HANDLE = 45,
    /// urEventCreateWithNativeHandle
    UR_FUNCTION_EVENT_CREATE_WITH_NATIVE_HANDLE = 46,
    /// urEventSetCallback
    UR_FUNCTION_EVENT_SET_CALLBACK = 47,
    /// urKernelCreate
    UR_FUNCTION_KERNEL_CREATE = 48,
#if defined(UR_OXUR_LEGACY_API)
    /// urKernelSetArgValue
    UR_FUNCTION_KERNEL_SET_ARG_VALUE = 49,
#endif
#if defined(UR_OXUR_LEGACY_API)
    /// urKernelSetArgLocal
    UR_FUNCTION_KERNEL_SET_ARG_LOCAL = 50,
#endif
    /// urKernelGetInfo
    UR_FUNCTION_KERNEL_GET_INFO = 51,
    /// urKernelGetGroupInfo
    UR_FUNCTION_KERNEL_GET_GROUP_INFO = 52,
    /// urKernelGetSubGroupInfo
    UR_FUNCTION_KERNEL_GET_SUB_GROUP_INFO = 53,
    /// urKernelRetain
    UR_FUNCTION_KERNEL_RETAIN = 54,
    /// urKernelRelease
    UR_FUNCTION_KERNEL_RELEASE = 55,
#if defined(UR_OXUR_LEGACY_API)
    /// urKernelSetArgPointer
    UR_FUNCTION_KERNEL_SET_ARG_POINTER = 56,
#endif
    /// urKernelSetExecInfo
    UR_FUNCTION_KERNEL_SET_EXEC_INFO = 57,
#if defined(UR_OXUR_LEGACY_API)
    /// urKernelSetArgSampler
    UR_FUNCTION_KERNEL_SET_ARG_SAMPLER = 58,
#endif
#if defined(UR_OXUR_LEGACY_API)
    /// urKernelSetArgMemObj
    UR_FUNCTION_KERNEL_SET_ARG_MEM_OBJ = 59,
#endif
    /// urKernelSetSpecializationConstants
    UR_FUNCTION_KERNEL_SET_SPECIALIZATION_CONSTANTS = 60,
    /// urKernelGetNativeHandle
    UR_FUNCTION_KERNEL_GET_NATIVE_HANDLE = 61,
    /// urKernelCreateWithNativeHandle
    UR_FUNCTION_KERNEL_CREATE_WITH_NATIVE_HANDLE = 62,
    /// urMemImageCreate
    UR_FUNCTION_MEM_IMAGE_CREATE = 63,
    /// urMemBufferCreate
    UR_FUNCTION_MEM_BUFFER_CREATE = 64,
    /// urMemRetain
    UR_FUNCTION_MEM_RETAIN = 65,
    /// urMemRelease
    UR_FUNCTION_MEM_RELEASE = 66,
    /// urMemBufferPartition
    UR_FUNCTION_MEM_BUFFER_PARTITION = 67,
    /// urMemGetNativeHandle
    UR_FUNCTION_MEM_GET_NATIVE_HANDLE = 68,
    /// urEnqueueReadHostPipe
    UR_FUNCTION_ENQUEUE_READ_HOST_PIPE = 69,
    /// urMemGetInfo
    UR_FUNCTION_MEM_GET_INFO = 70,
    /// urMemImageGetInfo
    UR_FUNCTION_MEM_IMAGE_GET_INFO = 71,
    /// urPlatformGet
    UR_FUNCTION_PLATFORM_GET = 72,
    /// urPlatformGetInfo
    UR_FUNCTION_PLATFORM_GET_INFO = 73,
    /// urPlatformGetApiVersion
    UR_FUNCTION_PLATFORM_GET_API_VERSION = 74,
    /// urPlatformGetNativeHandle
    UR_FUNCTION_PLATFORM_GET_NATIVE_HANDLE = 75,
    /// urPlatformCreateWithNativeHandle
    UR_FUNCTION_PLATFORM_CREATE_WITH_NATIVE_HANDLE = 76,
    /// urProgramCreateWithIL
    UR_FUNCTION_PROGRAM_CREATE_WITH_IL = 78,
    /// urProgramCreateWithBinary
    UR_FUNCTION_PROGRAM_CREATE_WITH_BINARY = 79,
    /// urProgramBuild
    UR_FUNCTION_PROGRAM_BUILD = 80,
    /// urProgramCompile
    UR_FUNCTION_PROGRAM_COMPILE = 81,
    /// urProgramLink
    UR_FUNCTION_PROGRAM_LINK = 82,
    /// urProgramRetain
    UR_FUNCTION_PROGRAM_RETAIN = 83,
    /// urProgramRelease
    UR_FUNCTION_PROGRAM_RELEASE = 84,
    /// urProgramGetFunctionPointer
    UR_FUNCTION_PROGRAM_GET_FUNCTION_POINTER = 85,
    /// urProgramGetInfo
    UR_FUNCTION_PROGRAM_GET_INFO = 86,
    /// urProgramGetBuildInfo
    UR_FUNCTION_PROGRAM_GET_BUILD_INFO = 87,
    /// urProgramSetSpecializationConstants
    UR_FUNCTION_PROGRAM_SET_SPECIALIZATION_CONSTANTS = 88,
    /// urProgramGetNativeHandle
    UR_FUNCTION_PROGRAM_GET_NATIVE_HANDLE = 89,
    /// urProgramCreateWithNativeHandle
    UR_FUNCTION_PROGRAM_CREATE_WITH_NATIVE_HANDLE = 90,
    /// urQueueGetInfo
    UR_FUNCTION_QUEUE_GET_INFO = 91,
    /// urQueueCreate
    UR_FUNCTION_QUEUE_CREATE = 92,
    /// urQueueRetain
    UR_FUNCTION_QUEUE_RETAIN = 93,
    /// urQueueRelease
    UR_FUNCTION_QUEUE_RELEASE = 94,
    /// urQueueGetNativeHandle
    UR_FUNCTION_QUEUE_GET_NATIVE_HANDLE = 95,
    /// urQueueCreateWithNativeHandle
    UR_FUNCTION_QUEUE_CREATE_WITH_NATIVE_HANDLE = 96,
    /// urQueueFinish
    UR_FUNCTION_QUEUE_FINISH = 97,
    /// urQueueFlush
    UR_FUNCTION_QUEUE_FLUSH = 98,
    /// urSamplerCreate
    UR_FUNCTION_SAMPLER_CREATE = 101,
    /// urSamplerRetain
    UR_FUNCTION_SAMPLER_RETAIN = 102,
    /// urSamplerRelease
    UR_FUNCTION_SAMPLER_RELEASE = 103,
    /// urSamplerGetInfo
    UR_FUNCTION_SAMPLER_GET_INFO = 104,
    /// urSamplerGetNativeHandle
    UR_FUNCTION_SAMPLER_GET_NATIVE_HANDLE = 105,
    /// urSamplerCreateWithNativeHandle
    UR_FUNCTION_SAMPLER_CREATE_WITH_NATIVE_HANDLE = 106,
    /// urUSMHostAlloc
    UR_FUNCTION_USM_HOST_ALLOC = 107,
    /// urUSMDeviceAlloc
    UR_FUNCTION_USM_DEVICE_ALLOC = 108,
    /// urUSMSharedAlloc
    UR_FUNCTION_USM_SHARED_ALLOC = 109,
    /// urUSMFree
    UR_FUNCTION_USM_FREE = 110,
    /// urUSMGetMemAllocInfo
    UR_FUNCTION_USM_GET_MEM_ALLOC_INFO = 111,
    /// urUSMPoolCreate
    UR_FUNCTION_USM_POOL_CREATE = 112,
    /// urCommandBufferCreateExp
    UR_FUNCTION_COMMAND_BUFFER_CREATE_EXP = 113,
    /// urPlatformGetBackendOption
    UR_FUNCTION_PLATFORM_GET_BACKEND_OPTION = 114,
    /// urMemBufferCreateWithNativeHandle
    UR_FUNCTION_MEM_BUFFER_CREATE_WITH_NATIVE_HANDLE = 115,
    /// urMemImageCreateWithNativeHandle
    UR_FUNCTION_MEM_IMAGE_CREATE_WITH_NATIVE_HANDLE = 116,
    /// urEnqueueWriteHostPipe
    UR_FUNCTION_ENQUEUE_WRITE_HOST_PIPE = 117,
    /// urUSMPoolRetain
    UR_FUNCTION_USM_POOL_RETAIN = 118,
    /// urUSMPoolRelease
    UR_FUNCTION_USM_POOL_RELEASE = 119,
    /// urUSMPoolGetInfo
    UR_FUNCTION_USM_POOL_GET_INFO = 120,
    /// urCommandBufferRetainExp
    UR_FUNCTION_COMMAND_BUFFER_RETAIN_EXP = 121,
    /// urCommandBufferReleaseExp
    UR_FUNCTION_COMMAND_BUFFER_RELEASE_EXP = 122,
    /// urCommandBufferFinalizeExp
    UR_FUNCTION_COMMAND_BUFFER_FINALIZE_EXP = 123,
    /// urCommandBufferAppendKernelLaunchExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_KERNEL_LAUNCH_EXP = 125,
    /// urUSMPitchedAllocExp
    UR_FUNCTION_USM_PITCHED_ALLOC_EXP = 132,
    /// urBindlessImagesUnsampledImageHandleDestroyExp
    UR_FUNCTION_BINDLESS_IMAGES_UNSAMPLED_IMAGE_HANDLE_DESTROY_EXP = 133,
    /// urBindlessImagesSampledImageHandleDestroyExp
    UR_FUNCTION_BINDLESS_IMAGES_SAMPLED_IMAGE_HANDLE_DESTROY_EXP = 134,
    /// urBindlessImagesImageAllocateExp
    UR_FUNCTION_BINDLESS_IMAGES_IMAGE_ALLOCATE_EXP = 135,
    /// urBindlessImagesImageFreeExp
    UR_FUNCTION_BINDLESS_IMAGES_IMAGE_FREE_EXP = 136,
    /// urBindlessImagesUnsampledImageCreateExp
    UR_FUNCTION_BINDLESS_IMAGES_UNSAMPLED_IMAGE_CREATE_EXP = 137,
    /// urBindlessImagesSampledImageCreateExp
    UR_FUNCTION_BINDLESS_IMAGES_SAMPLED_IMAGE_CREATE_EXP = 138,
    /// urBindlessImagesImageCopyExp
    UR_FUNCTION_BINDLESS_IMAGES_IMAGE_COPY_EXP = 139,
    /// urBindlessImagesImageGetInfoExp
    UR_FUNCTION_BINDLESS_IMAGES_IMAGE_GET_INFO_EXP = 140,
    /// urBindlessImagesMipmapGetLevelExp
    UR_FUNCTION_BINDLESS_IMAGES_MIPMAP_GET_LEVEL_EXP = 141,
    /// urBindlessImagesMipmapFreeExp
    UR_FUNCTION_BINDLESS_IMAGES_MIPMAP_FREE_EXP = 142,
    /// urBindlessImagesMapExternalArrayExp
    UR_FUNCTION_BINDLESS_IMAGES_MAP_EXTERNAL_ARRAY_EXP = 144,
    /// urBindlessImagesReleaseExternalSemaphoreExp
    UR_FUNCTION_BINDLESS_IMAGES_RELEASE_EXTERNAL_SEMAPHORE_EXP = 147,
    /// urBindlessImagesWaitExternalSemaphoreExp
    UR_FUNCTION_BINDLESS_IMAGES_WAIT_EXTERNAL_SEMAPHORE_EXP = 148,
    /// urBindlessImagesSignalExternalSemaphoreExp
    UR_FUNCTION_BINDLESS_IMAGES_SIGNAL_EXTERNAL_SEMAPHORE_EXP = 149,
    /// urEnqueueUSMFill2D
    UR_FUNCTION_ENQUEUE_USM_FILL_2D = 151,
    /// urEnqueueUSMMemcpy2D
    UR_FUNCTION_ENQUEUE_USM_MEMCPY_2D = 152,
    /// urVirtualMemGranularityGetInfo
    UR_FUNCTION_VIRTUAL_MEM_GRANULARITY_GET_INFO = 153,
    /// urVirtualMemReserve
    UR_FUNCTION_VIRTUAL_MEM_RESERVE = 154,
    /// urVirtualMemFree
    UR_FUNCTION_VIRTUAL_MEM_FREE = 155,
    /// urVirtualMemMap
    UR_FUNCTION_VIRTUAL_MEM_MAP = 156,
    /// urVirtualMemUnmap
    UR_FUNCTION_VIRTUAL_MEM_UNMAP = 157,
    /// urVirtualMemSetAccess
    UR_FUNCTION_VIRTUAL_MEM_SET_ACCESS = 158,
    /// urVirtualMemGetInfo
    UR_FUNCTION_VIRTUAL_MEM_GET_INFO = 159,
    /// urPhysicalMemCreate
    UR_FUNCTION_PHYSICAL_MEM_CREATE = 160,
    /// urPhysicalMemRetain
    UR_FUNCTION_PHYSICAL_MEM_RETAIN = 161,
    /// urPhysicalMemRelease
    UR_FUNCTION_PHYSICAL_MEM_RELEASE = 162,
    /// urUSMImportExp
    UR_FUNCTION_USM_IMPORT_EXP = 163,
    /// urUSMReleaseExp
    UR_FUNCTION_USM_RELEASE_EXP = 164,
    /// urUsmP2PEnablePeerAccessExp
    UR_FUNCTION_USM_P2P_ENABLE_PEER_ACCESS_EXP = 165,
    /// urUsmP2PDisablePeerAccessExp
    UR_FUNCTION_USM_P2P_DISABLE_PEER_ACCESS_EXP = 166,
    /// urUsmP2PPeerAccessGetInfoExp
    UR_FUNCTION_USM_P2P_PEER_ACCESS_GET_INFO_EXP = 167,
    /// urLoaderConfigCreate
    UR_FUNCTION_LOADER_CONFIG_CREATE = 172,
    /// urLoaderConfigRelease
    UR_FUNCTION_LOADER_CONFIG_RELEASE = 173,
    /// urLoaderConfigRetain
    UR_FUNCTION_LOADER_CONFIG_RETAIN = 174,
    /// urLoaderConfigGetInfo
    UR_FUNCTION_LOADER_CONFIG_GET_INFO = 175,
    /// urLoaderConfigEnableLayer
    UR_FUNCTION_LOADER_CONFIG_ENABLE_LAYER = 176,
    /// urAdapterRelease
    UR_FUNCTION_ADAPTER_RELEASE = 177,
    /// urAdapterGet
    UR_FUNCTION_ADAPTER_GET = 178,
    /// urAdapterRetain
    UR_FUNCTION_ADAPTER_RETAIN = 179,
    /// urAdapterGetLastError
    UR_FUNCTION_ADAPTER_GET_LAST_ERROR = 180,
    /// urAdapterGetInfo
    UR_FUNCTION_ADAPTER_GET_INFO = 181,
    /// urProgramBuildExp
    UR_FUNCTION_PROGRAM_BUILD_EXP = 197,
    /// urProgramCompileExp
    UR_FUNCTION_PROGRAM_COMPILE_EXP = 198,
    /// urProgramLinkExp
    UR_FUNCTION_PROGRAM_LINK_EXP = 199,
    /// urLoaderConfigSetCodeLocationCallback
    UR_FUNCTION_LOADER_CONFIG_SET_CODE_LOCATION_CALLBACK = 200,
    /// urLoaderInit
    UR_FUNCTION_LOADER_INIT = 201,
    /// urLoaderTearDown
    UR_FUNCTION_LOADER_TEAR_DOWN = 202,
    /// urProgramGetGlobalVariablePointer
    UR_FUNCTION_PROGRAM_GET_GLOBAL_VARIABLE_POINTER = 216,
    /// urDeviceGetSelected
    UR_FUNCTION_DEVICE_GET_SELECTED = 217,
    /// urCommandBufferUpdateKernelLaunchExp
    UR_FUNCTION_COMMAND_BUFFER_UPDATE_KERNEL_LAUNCH_EXP = 220,
    /// urCommandBufferGetInfoExp
    UR_FUNCTION_COMMAND_BUFFER_GET_INFO_EXP = 221,
    /// urEnqueueTimestampRecordingExp
    UR_FUNCTION_ENQUEUE_TIMESTAMP_RECORDING_EXP = 223,
    /// urKernelGetSuggestedLocalWorkSize
    UR_FUNCTION_KERNEL_GET_SUGGESTED_LOCAL_WORK_SIZE = 225,
    /// urBindlessImagesImportExternalMemoryExp
    UR_FUNCTION_BINDLESS_IMAGES_IMPORT_EXTERNAL_MEMORY_EXP = 226,
    /// urBindlessImagesImportExternalSemaphoreExp
    UR_FUNCTION_BINDLESS_IMAGES_IMPORT_EXTERNAL_SEMAPHORE_EXP = 227,
    /// urEnqueueNativeCommandExp
    UR_FUNCTION_ENQUEUE_NATIVE_COMMAND_EXP = 228,
    /// urLoaderConfigSetMockingEnabled
    UR_FUNCTION_LOADER_CONFIG_SET_MOCKING_ENABLED = 229,
    /// urBindlessImagesReleaseExternalMemoryExp
    UR_FUNCTION_BINDLESS_IMAGES_RELEASE_EXTERNAL_MEMORY_EXP = 230,
    /// urCommandBufferAppendUSMMemcpyExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_USM_MEMCPY_EXP = 231,
    /// urCommandBufferAppendUSMFillExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_USM_FILL_EXP = 232,
    /// urCommandBufferAppendMemBufferCopyExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_MEM_BUFFER_COPY_EXP = 233,
    /// urCommandBufferAppendMemBufferWriteExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_MEM_BUFFER_WRITE_EXP = 234,
    /// urCommandBufferAppendMemBufferReadExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_MEM_BUFFER_READ_EXP = 235,
    /// urCommandBufferAppendMemBufferCopyRectExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_MEM_BUFFER_COPY_RECT_EXP = 236,
    /// urCommandBufferAppendMemBufferWriteRectExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_MEM_BUFFER_WRITE_RECT_EXP = 237,
    /// urCommandBufferAppendMemBufferReadRectExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_MEM_BUFFER_READ_RECT_EXP = 238,
    /// urCommandBufferAppendMemBufferFillExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_MEM_BUFFER_FILL_EXP = 239,
    /// urCommandBufferAppendUSMPrefetchExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_USM_PREFETCH_EXP = 240,
    /// urCommandBufferAppendUSMAdviseExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_USM_ADVISE_EXP = 241,
    /// urEnqueueCommandBufferExp
    UR_FUNCTION_ENQUEUE_COMMAND_BUFFER_EXP = 242,
    /// urCommandBufferUpdateSignalEventExp
    UR_FUNCTION_COMMAND_BUFFER_UPDATE_SIGNAL_EVENT_EXP = 243,
    /// urCommandBufferUpdateWaitEventsExp
    UR_FUNCTION_COMMAND_BUFFER_UPDATE_WAIT_EVENTS_EXP = 244,
    /// urBindlessImagesMapExternalLinearMemoryExp
    UR_FUNCTION_BINDLESS_IMAGES_MAP_EXTERNAL_LINEAR_MEMORY_EXP = 245,
    /// urEnqueueEventsWaitWithBarrierExt
    UR_FUNCTION_ENQUEUE_EVENTS_WAIT_WITH_BARRIER_EXT = 246,
    /// urPhysicalMemGetInfo
    UR_FUNCTION_PHYSICAL_MEM_GET_INFO = 249,
    /// urEnqueueUSMDeviceAllocExp
    UR_FUNCTION_ENQUEUE_USM_DEVICE_ALLOC_EXP = 250,
    /// urEnqueueUSMSharedAllocExp
    UR_FUNCTION_ENQUEUE_USM_SHARED_ALLOC_EXP = 251,
    /// urEnqueueUSMHostAllocExp
    UR_FUNCTION_ENQUEUE_USM_HOST_ALLOC_EXP = 252,
    /// urEnqueueUSMFreeExp
    UR_FUNCTION_ENQUEUE_USM_FREE_EXP = 253,
    /// urUSMPoolCreateExp
    UR_FUNCTION_USM_POOL_CREATE_EXP = 254,
    /// urUSMPoolDestroyExp
    UR_FUNCTION_USM_POOL_DESTROY_EXP = 255,
    /// urUSMPoolGetDefaultDevicePoolExp
    UR_FUNCTION_USM_POOL_GET_DEFAULT_DEVICE_POOL_EXP = 257,
    /// urUSMPoolSetDevicePoolExp
    UR_FUNCTION_USM_POOL_SET_DEVICE_POOL_EXP = 259,
    /// urUSMPoolGetDevicePoolExp
    UR_FUNCTION_USM_POOL_GET_DEVICE_POOL_EXP = 260,
    /// urUSMPoolTrimToExp
    UR_FUNCTION_USM_POOL_TRIM_TO_EXP = 261,
    /// urUSMPoolGetInfoExp
    UR_FUNCTION_USM_POOL_GET_INFO_EXP = 262,
    /// urCommandBufferAppendNativeCommandExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_NATIVE_COMMAND_EXP = 263,
    /// urCommandBufferGetNativeHandleExp
    UR_FUNCTION_COMMAND_BUFFER_GET_NATIVE_HANDLE_EXP = 264,
    /// urUSMPoolSetInfoExp
    UR_FUNCTION_USM_POOL_SET_INFO_EXP = 265,
    /// urAdapterSetLoggerCallback
    UR_FUNCTION_ADAPTER_SET_LOGGER_CALLBACK = 266,
    /// urAdapterSetLoggerCallbackLevel
    UR_FUNCTION_ADAPTER_SET_LOGGER_CALLBACK_LEVEL = 267,
    /// urBindlessImagesGetImageUnsampledHandleSupportExp
    UR_FUNCTION_BINDLESS_IMAGES_GET_IMAGE_UNSAMPLED_HANDLE_SUPPORT_EXP = 268,
    /// urBindlessImagesGetImageSampledHandleSupportExp
    UR_FUNCTION_BINDLESS_IMAGES_GET_IMAGE_SAMPLED_HANDLE_SUPPORT_EXP = 269,
    /// urBindlessImagesGetImageMemoryHandleTypeSupportExp
    UR_FUNCTION_BINDLESS_IMAGES_GET_IMAGE_MEMORY_HANDLE_TYPE_SUPPORT_EXP = 270,
    /// urBindlessImagesFreeMappedLinearMemoryExp
    UR_FUNCTION_BINDLESS_IMAGES_FREE_MAPPED_LINEAR_MEMORY_EXP = 271,
    /// urKernelSuggestMaxCooperativeGroupCount
    UR_FUNCTION_KERNEL_SUGGEST_MAX_COOPERATIVE_GROUP_COUNT = 272,
    /// urUSMContextMemcpyExp
    UR_FUNCTION_USM_CONTEXT_MEMCPY_EXP = 273,
    /// urMemoryExportAllocExportableMemoryExp
    UR_FUNCTION_MEMORY_EXPORT_ALLOC_EXPORTABLE_MEMORY_EXP = 285,
    /// urMemoryExportFreeExportableMemoryExp
    UR_FUNCTION_MEMORY_EXPORT_FREE_EXPORTABLE_MEMORY_EXP = 286,
    /// urMemoryExportExportMemoryHandleExp
    UR_FUNCTION_MEMORY_EXPORT_EXPORT_MEMORY_HANDLE_EXP = 287,
    /// urBindlessImagesSupportsImportingHandleTypeExp
    UR_FUNCTION_BINDLESS_IMAGES_SUPPORTS_IMPORTING_HANDLE_TYPE_EXP = 288,
    /// urIPCGetMemHandleExp
    UR_FUNCTION_IPC_GET_MEM_HANDLE_EXP = 289,
    /// urIPCPutMemHandleExp
    UR_FUNCTION_IPC_PUT_MEM_HANDLE_EXP = 290,
    /// urIPCOpenMemHandleExp
    UR_FUNCTION_IPC_OPEN_MEM_HANDLE_EXP = 291,
    /// urIPCCloseMemHandleExp
    UR_FUNCTION_IPC_CLOSE_MEM_HANDLE_EXP = 292,
    /// urDeviceWaitExp
    UR_FUNCTION_DEVICE_WAIT_EXP = 293,
    /// urProgramDynamicLinkExp
    UR_FUNCTION_PROGRAM_DYNAMIC_LINK_EXP = 294,
    /// urEnqueueKernelLaunchWithArgsExp
    UR_FUNCTION_ENQUEUE_KERNEL_LAUNCH_WITH_ARGS_EXP = 295,
    /// urGraphCreateExp
    UR_FUNCTION_GRAPH_CREATE_EXP = 296,
    /// urQueueBeginGraphCaptureExp
    UR_FUNCTION_QUEUE_BEGIN_GRAPH_CAPTURE_EXP = 297,
    /// urQueueBeginCaptureIntoGraphExp
    UR_FUNCTION_QUEUE_BEGIN_CAPTURE_INTO_GRAPH_EXP = 298,
    /// urQueueEndGraphCaptureExp
    UR_FUNCTION_QUEUE_END_GRAPH_CAPTURE_EXP = 299,
    /// urGraphDestroyExp
    UR_FUNCTION_GRAPH_DESTROY_EXP = 302,
    /// urGraphExecutableGraphDestroyExp
    UR_FUNCTION_GRAPH_EXECUTABLE_GRAPH_DESTROY_EXP = 303,
    /// urQueueIsGraphCaptureEnabledExp
    UR_FUNCTION_QUEUE_IS_GRAPH_CAPTURE_ENABLED_EXP = 304,
    /// urGraphIsEmptyExp
    UR_FUNCTION_GRAPH_IS_EMPTY_EXP = 305,
    /// urGraphDumpContentsExp
    UR_FUNCTION_GRAPH_DUMP_CONTENTS_EXP = 306,
    /// urGraphInstantiateGraphExp
    UR_FUNCTION_GRAPH_INSTANTIATE_GRAPH_EXP = 307,
    /// urEnqueueGraphExp
    UR_FUNCTION_ENQUEUE_GRAPH_EXP = 308,
    /// urEnqueueHostTaskExp
    UR_FUNCTION_ENQUEUE_HOST_TASK_EXP = 309,
    /// urCommandBufferAppendKernelLaunchWithArgsExp
    UR_FUNCTION_COMMAND_BUFFER_APPEND_KERNEL_LAUNCH_WITH_ARGS_EXP = 310,
    /// urKernelGetSuggestedLocalWorkSizeWithArgs
    UR_FUNCTION_KERNEL_GET_SUGGESTED_LOCAL_WORK_SIZE_WITH_ARGS = 311,
    /// urUSMHostAllocRegisterExp
    UR_FUNCTION_USM_HOST_ALLOC_REGISTER_EXP = 312,
    /// urUSMHostAllocUnregisterExp
    UR_FUNCTION_USM_HOST_ALLOC_UNREGISTER_EXP = 313,
    /// urQueueGetGraphExp
    UR_FUNCTION_QUEUE_GET_GRAPH_EXP = 314,
    /// urGraphSetDestructionCallbackExp
    UR_FUNCTION_GRAPH_SET_DESTRUCTION_CALLBACK_EXP = 315,
    /// urIPCGetPhysMemHandleExp
    UR_FUNCTION_IPC_GET_PHYS_MEM_HANDLE_EXP = 316,
    /// urIPCPutPhysMemHandleExp
    UR_FUNCTION_IPC_PUT_PHYS_MEM_HANDLE_EXP = 317,
    /// urIPCOpenPhysMemHandleExp
    UR_FUNCTION_IPC_OPEN_PHYS_MEM_HANDLE_EXP = 318,
    /// urIPCClosePhysMemHandleExp
    UR_FUNCTION_IPC_CLOSE_PHYS_MEM_HANDLE_EXP = 319,
    /// urGraphGetNativeHandleExp
    UR_FUNCTION_GRAPH_GET_NATIVE_HANDLE_EXP = 320,
    /// urGraphExecutableGraphGetNativeHandleExp
    UR_FUNCTION_GRAPH_EXECUTABLE_GRAPH_GET_NATIVE_HANDLE_EXP = 321,
    /// urEventCreateExp
    UR_FUNCTION_EVENT_CREATE_EXP = 322,
    /// urIPCGetEventHandleExp
    UR_FUNCTION_IPC_GET_EVENT_HANDLE_EXP = 323,
    /// urIPCPutEventHandleExp
    UR_FUNCTION_IPC_PUT_EVENT_HANDLE_EXP = 324,
    /// urIPCOpenEventHandleExp
    UR_FUNCTION_IPC_OPEN_EVENT_HANDLE_EXP = 325,
    /// urGraphGetIdExp
    UR_FUNCTION_GRAPH_GET_ID_EXP = 326,
    UR_FUNCTION_FORCE_UINT32 = 2147483647,
} ur_function_t;

/// The type of a structure: the first member, `stype`, of every descriptor, so that a `pNext` chain can be read.
typedef enum ur_structure_type_t {
    /// A [`ContextProperties`].
    UR_STRUCTURE_TYPE_CONTEXT_PROPERTIES = 0,
    /// A [`ImageDesc`].
    UR_STRUCTURE_TYPE_IMAGE_DESC = 1,
    /// A [`BufferProperties`].
    UR_STRUCTURE_TYPE_BUFFER_PROPERTIES = 2,
    /// A [`BufferRegion`].
    UR_STRUCTURE_TYPE_BUFFER_REGION = 3,
    /// A [`BufferChannelProperties`].
    UR_STRUCTURE_TYPE_BUFFER_CHANNEL_PROPERTIES = 4,
    /// A [`BufferAllocLocationProperties`].
    UR_STRUCTURE_TYPE_BUFFER_ALLOC_LOCATION_PROPERTIES = 5,
    /// A [`ProgramProperties`].
    UR_STRUCTURE_TYPE_PROGRAM_PROPERTIES = 6,
    /// A [`UsmDesc`].
    UR_STRUCTURE_TYPE_USM_DESC = 7,
    /// A [`UsmHostDesc`].
    UR_STRUCTURE_TYPE_USM_HOST_DESC = 8,
    /// A [`UsmDeviceDesc`].
    UR_STRUCTURE_TYPE_USM_DEVICE_DESC = 9,
    /// A [`UsmPoolDesc`].
    UR_STRUCTURE_TYPE_USM_POOL_DESC = 10,
    /// A [`UsmPoolLimitsDesc`].
    UR_STRUCTURE_TYPE_USM_POOL_LIMITS_DESC = 11,
    /// A [`DeviceBinary`].
    UR_STRUCTURE_TYPE_DEVICE_BINARY = 12,
    /// A [`SamplerDesc`].
    UR_STRUCTURE_TYPE_SAMPLER_DESC = 13,
    /// A [`QueueProperties`].
    UR_STRUCTURE_TYPE_QUEUE_PROPERTIES = 14,
    /// A [`QueueIndexProperties`].
    UR_STRUCTURE_TYPE_QUEUE_INDEX_PROPERTIES = 15,
    /// A [`ContextNativeProperties`].
    UR_STRUCTURE_TYPE_CONTEXT_NATIVE_PROPERTIES = 16,
    /// A [`KernelNativeProperties`].
    UR_STRUCTURE_TYPE_KERNEL_NATIVE_PROPERTIES = 17,
    /// A [`QueueNativeProperties`].
    UR_STRUCTURE_TYPE_QUEUE_NATIVE_PROPERTIES = 18,
    /// A [`MemNativeProperties`].
    UR_STRUCTURE_TYPE_MEM_NATIVE_PROPERTIES = 19,
    /// A [`EventNativeProperties`].
    UR_STRUCTURE_TYPE_EVENT_NATIVE_PROPERTIES = 20,
    /// A [`PlatformNativeProperties`].
    UR_STRUCTURE_TYPE_PLATFORM_NATIVE_PROPERTIES = 21,
    /// A [`DeviceNativeProperties`].
    UR_STRUCTURE_TYPE_DEVICE_NATIVE_PROPERTIES = 22,
    /// A [`ProgramNativeProperties`].
    UR_STRUCTURE_TYPE_PROGRAM_NATIVE_PROPERTIES = 23,
    /// A [`SamplerNativeProperties`].
    UR_STRUCTURE_TYPE_SAMPLER_NATIVE_PROPERTIES = 24,
    /// A [`QueueNativeDesc`].
    UR_STRUCTURE_TYPE_QUEUE_NATIVE_DESC = 25,
    /// A [`DevicePartitionProperties`].
    UR_STRUCTURE_TYPE_DEVICE_PARTITION_PROPERTIES = 26,
    /// A [`KernelArgMemObjProperties`].
    UR_STRUCTURE_TYPE_KERNEL_ARG_MEM_OBJ_PROPERTIES = 27,
    /// A [`KernelArgPointerProperties`].
    UR_STRUCTURE_TYPE_KERNEL_ARG_POINTER_PROPERTIES = 29,
    /// A [`KernelArgSamplerProperties`].
    UR_STRUCTURE_TYPE_KERNEL_ARG_SAMPLER_PROPERTIES = 30,
    /// A [`KernelExecInfoProperties`].
    UR_STRUCTURE_TYPE_KERNEL_EXEC_INFO_PROPERTIES = 31,
    /// A [`KernelArgValueProperties`].
    UR_STRUCTURE_TYPE_KERNEL_ARG_VALUE_PROPERTIES = 32,
    /// A [`KernelArgLocalProperties`].
    UR_STRUCTURE_TYPE_KERNEL_ARG_LOCAL_PROPERTIES = 33,
    /// A [`UsmAllocLocationDesc`].
    UR_STRUCTURE_TYPE_USM_ALLOC_LOCATION_DESC = 35,
    /// A [`UsmPoolBufferDesc`].
    UR_STRUCTURE_TYPE_USM_POOL_BUFFER_DESC = 36,
    /// A [`PhysicalMemProperties`].
    UR_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES = 37,
    /// A [`KernelLaunchExtProperties`].
    UR_STRUCTURE_TYPE_KERNEL_LAUNCH_EXT_PROPERTIES = 38,
    /// A [`KernelLaunchClusterProperty`].
    UR_STRUCTURE_TYPE_KERNEL_LAUNCH_CLUSTER_PROPERTY = 40,
    /// A [`KernelLaunchWorkgroupProperty`].
    UR_STRUCTURE_TYPE_KERNEL_LAUNCH_WORKGROUP_PROPERTY = 41,
    /// A [`ExpCommandBufferDesc`].
    UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_DESC = 4096,
    /// A [`ExpCommandBufferUpdateKernelLaunchDesc`].
    UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_UPDATE_KERNEL_LAUNCH_DESC = 4097,
    /// A [`ExpCommandBufferUpdateMemobjArgDesc`].
    UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_UPDATE_MEMOBJ_ARG_DESC = 4098,
    /// A [`ExpCommandBufferUpdatePointerArgDesc`].
    UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_UPDATE_POINTER_ARG_DESC = 4099,
    /// A [`ExpCommandBufferUpdateValueArgDesc`].
    UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_UPDATE_VALUE_ARG_DESC = 4100,
    /// A [`ExpSamplerMipProperties`].
    UR_STRUCTURE_TYPE_EXP_SAMPLER_MIP_PROPERTIES = 8192,
    /// A [`ExpExternalMemDesc`].
    UR_STRUCTURE_TYPE_EXP_EXTERNAL_MEM_DESC = 8193,
    /// A [`ExpExternalSemaphoreDesc`].
    UR_STRUCTURE_TYPE_EXP_EXTERNAL_SEMAPHORE_DESC = 8194,
    /// A [`ExpFileDescriptor`].
    UR_STRUCTURE_TYPE_EXP_FILE_DESCRIPTOR = 8195,
    /// A [`ExpWin32Handle`].
    UR_STRUCTURE_TYPE_EXP_WIN32_HANDLE = 8196,
    /// A [`ExpSamplerAddrModes`].
    UR_STRUCTURE_TYPE_EXP_SAMPLER_ADDR_MODES = 8197,
    /// A [`ExpSamplerCubemapProperties`].
    UR_STRUCTURE_TYPE_EXP_SAMPLER_CUBEMAP_PROPERTIES = 8198,
    /// A [`ExpImageCopyRegion`].
    UR_STRUCTURE_TYPE_EXP_IMAGE_COPY_REGION = 8199,
    /// A [`ExpWin32Name`].
    UR_STRUCTURE_TYPE_EXP_WIN32_NAME = 8200,
    /// A [`ExpAsyncUsmAllocProperties`].
    UR_STRUCTURE_TYPE_EXP_ASYNC_USM_ALLOC_PROPERTIES = 8272,
    /// A [`ExpEnqueueNativeCommandProperties`].
    UR_STRUCTURE_TYPE_EXP_ENQUEUE_NATIVE_COMMAND_PROPERTIES = 12288,
    /// A [`ExpEnqueueExtProperties`].
    UR_STRUCTURE_TYPE_EXP_ENQUEUE_EXT_PROPERTIES = 16384,
    /// A [`ExpKernelArgProperties`].
    UR_STRUCTURE_TYPE_EXP_KERNEL_ARG_PROPERTIES = 20480,
    /// A [`ExpHostTaskProperties`].
    UR_STRUCTURE_TYPE_EXP_HOST_TASK_PROPERTIES = 24576,
    /// A [`ExpUsmHostAllocRegisterProperties`].
    UR_STRUCTURE_TYPE_EXP_USM_HOST_ALLOC_REGISTER_PROPERTIES = 28672,
    /// A [`ExpEventDesc`].
    UR_STRUCTURE_TYPE_EXP_EVENT_DESC = 32768,
    UR_STRUCTURE_TYPE_FORCE_UINT32 = 2147483647,
} ur_structure_type_t;

/// Status code returned by every entry point; zero means success.
typedef enum ur_result_t {
    /// the call did what was asked
    UR_RESULT_SUCCESS = 0,
    /// the request makes no sense in the object's present state
    UR_RESULT_ERROR_INVALID_OPERATION = 1,
    /// queue flags conflict with one another or are not offered by the device
    UR_RESULT_ERROR_INVALID_QUEUE_PROPERTIES = 2,
    /// the queue handle is bad or belongs to another context
    UR_RESULT_ERROR_INVALID_QUEUE = 3,
    /// an argument value lies outside what the entry point accepts
    UR_RESULT_ERROR_INVALID_VALUE = 4,
    /// the context handle is bad or does not match the other objects
    UR_RESULT_ERROR_INVALID_CONTEXT = 5,
    /// the platform handle is bad
    UR_RESULT_ERROR_INVALID_PLATFORM = 6,
    /// no given device binary is usable, or its contents are malformed
    UR_RESULT_ERROR_INVALID_BINARY = 7,
    /// the program handle is bad or in the wrong state
    UR_RESULT_ERROR_INVALID_PROGRAM = 8,
    /// the sampler handle is bad
    UR_RESULT_ERROR_INVALID_SAMPLER = 9,
    /// the buffer size is zero or above the device limit
    UR_RESULT_ERROR_INVALID_BUFFER_SIZE = 10,
    /// the buffer or image handle is bad or of the wrong kind
    UR_RESULT_ERROR_INVALID_MEM_OBJECT = 11,
    /// the event handle is bad
    UR_RESULT_ERROR_INVALID_EVENT = 12,
    /// wait-list pointer and count disagree, or the list holds a bad event
    UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST = 13,
    /// the sub-buffer origin breaks the device's base-address alignment
    UR_RESULT_ERROR_MISALIGNED_SUB_BUFFER_OFFSET = 14,
    /// the work-group shape is too large or contradicts the kernel's requirements
    UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE = 15,
    /// a build was requested where no online compiler exists
    UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE = 16,
    /// no timestamps exist for the event: profiling was off or the command has not finished
    UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE = 17,
    /// no device satisfies the request
    UR_RESULT_ERROR_DEVICE_NOT_FOUND = 18,
    /// the device handle is bad or outside the context or program
    UR_RESULT_ERROR_INVALID_DEVICE = 19,
    /// the device hung, was reset or removed, or its driver was updated
    UR_RESULT_ERROR_DEVICE_LOST = 20,
    /// the device cannot continue until it is reset
    UR_RESULT_ERROR_DEVICE_REQUIRES_RESET = 21,
    /// the device sleeps in a low-power state and cannot serve the call
    UR_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE = 22,
    /// the driver could not split the device as asked
    UR_RESULT_ERROR_DEVICE_PARTITION_FAILED = 23,
    /// the requested sub-device sizes exceed the compute units or the sub-device limit
    UR_RESULT_ERROR_INVALID_DEVICE_PARTITION_COUNT = 24,
    /// a work-group extent exceeds the device limit of its dimension
    UR_RESULT_ERROR_INVALID_WORK_ITEM_SIZE = 25,
    /// the number of dimensions is outside 1 to 3
    UR_RESULT_ERROR_INVALID_WORK_DIMENSION = 26,
    /// deprecated: an argument of a kernel was never set
    UR_RESULT_ERROR_INVALID_KERNEL_ARGS = 27,
    /// the kernel handle is bad
    UR_RESULT_ERROR_INVALID_KERNEL = 28,
    /// the program holds no kernel of that name
    UR_RESULT_ERROR_INVALID_KERNEL_NAME = 29,
    /// the argument index is not below the kernel's argument count
    UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX = 30,
    /// the byte count does not match the kernel argument's type
    UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE = 31,
    /// the value is not allowed for that kernel attribute
    UR_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE = 32,
    /// image extents or pitches are zero, inconsistent or above device limits
    UR_RESULT_ERROR_INVALID_IMAGE_SIZE = 33,
    /// the image format or descriptor is malformed or inconsistent
    UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR = 34,
    /// storage for a buffer or image could not be obtained
    UR_RESULT_ERROR_MEM_OBJECT_ALLOCATION_FAILURE = 35,
    /// the program has no successfully built code for this device
    UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE = 36,
    /// the loader or adapter was used before its initialisation
    UR_RESULT_ERROR_UNINITIALIZED = 37,
    /// host memory ran out
    UR_RESULT_ERROR_OUT_OF_HOST_MEMORY = 38,
    /// device memory ran out
    UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY = 39,
    /// a resource other than plain memory ran out
    UR_RESULT_ERROR_OUT_OF_RESOURCES = 40,
    /// compilation failed; the build log has the reason
    UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE = 41,
    /// linking failed, for example on unresolved symbols; the build log has the reason
    UR_RESULT_ERROR_PROGRAM_LINK_FAILURE = 42,
    /// the requested version is unknown to this implementation
    UR_RESULT_ERROR_UNSUPPORTED_VERSION = 43,
    /// the adapter or device lacks this functionality
    UR_RESULT_ERROR_UNSUPPORTED_FEATURE = 44,
    /// an argument is wrong and no narrower code applies
    UR_RESULT_ERROR_INVALID_ARGUMENT = 45,
    /// a handle that must be present is null
    UR_RESULT_ERROR_INVALID_NULL_HANDLE = 46,
    /// the object cannot be touched because other work still uses it
    UR_RESULT_ERROR_HANDLE_OBJECT_IN_USE = 47,
    /// a pointer that must be present is null
    UR_RESULT_ERROR_INVALID_NULL_POINTER = 48,
    /// a size or count is zero, too small or otherwise wrong
    UR_RESULT_ERROR_INVALID_SIZE = 49,
    /// a well-formed size that the device cannot handle
    UR_RESULT_ERROR_UNSUPPORTED_SIZE = 50,
    /// the alignment is not a power of two or beyond what the device offers
    UR_RESULT_ERROR_UNSUPPORTED_ALIGNMENT = 51,
    /// a fence, event or semaphore is unusable for this purpose
    UR_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT = 52,
    /// an enumerator or flag bit is undefined in this API version
    UR_RESULT_ERROR_INVALID_ENUMERATION = 53,
    /// a defined enumerator that this adapter or device does not implement
    UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION = 54,
    /// the device cannot handle this channel order and type
    UR_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT = 55,
    /// the device rejects the given native code
    UR_RESULT_ERROR_INVALID_NATIVE_BINARY = 56,
    /// the program defines no global variable of that name
    UR_RESULT_ERROR_INVALID_GLOBAL_NAME = 57,
    /// the function exists in the program but has no obtainable address
    UR_RESULT_ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE = 58,
    /// a work-group extent is illegal for the kernel or device
    UR_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION = 59,
    /// a global extent is illegal for the kernel or device
    UR_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION = 60,
    /// the module's imports must be linked before the program can be used
    UR_RESULT_ERROR_PROGRAM_UNLINKED = 61,
    /// source and destination of a copy intersect
    UR_RESULT_ERROR_OVERLAPPING_REGIONS = 62,
    /// host pointer and memory flags contradict each other
    UR_RESULT_ERROR_INVALID_HOST_PTR = 63,
    /// the USM allocation size is zero or above the device limit
    UR_RESULT_ERROR_INVALID_USM_SIZE = 64,
    /// a runtime object could not be created
    UR_RESULT_ERROR_OBJECT_ALLOCATION_FAILURE = 65,
    /// the driver failed in its own way; urAdapterGetLastError gives message and code
    UR_RESULT_ERROR_ADAPTER_SPECIFIC = 66,
    /// the loader knows no layer of that name
    UR_RESULT_ERROR_LAYER_NOT_PRESENT = 67,
    /// a wait-list event ended in the error state
    UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS = 68,
    /// the device exists but reports itself unavailable
    UR_RESULT_ERROR_DEVICE_NOT_AVAILABLE = 69,
    /// the module has no specialization constant with this id
    UR_RESULT_ERROR_INVALID_SPEC_ID = 70,
    /// the graph handle is bad or unusable
    UR_RESULT_ERROR_INVALID_GRAPH = 71,
    /// the call is not allowed while a graph is being captured
    UR_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED = 72,
    /// the failure has spoiled the running capture, which must be abandoned
    UR_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED = 73,
    /// a dependency would join two separate captures
    UR_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT = 74,
    /// capture was ended or queried where none is running
    UR_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING = 75,
    /// a branch forked off during capture never rejoined the origin queue
    UR_RESULT_ERROR_GRAPH_UNJOINED_FORKS = 76,
    /// an event that exists only within a captured graph was used elsewhere
    UR_RESULT_ERROR_GRAPH_INTERNAL_EVENT = 77,
    /// the command-buffer handle is bad or in the wrong state
    UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP = 4096,
    /// the sync point was not issued by this command-buffer
    UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP = 4097,
    /// sync-point pointer and count disagree, or the list holds a bad entry
    UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP = 4098,
    /// the handle does not name a command of this command-buffer
    UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP = 4099,
    /// an internal failure that fits no other code
    UR_RESULT_ERROR_UNKNOWN = 2147483646,
    UR_RESULT_FORCE_UINT32 = 2147483647,
} ur_result_t;

/// Names the driver API that an adapter is built on.
typedef enum ur_backend_t {
    /// none of the APIs listed here
    UR_BACKEND_UNKNOWN = 0,
    /// oneAPI Level Zero
    UR_BACKEND_LEVEL_ZERO = 1,
    /// OpenCL, the Khronos standard
    UR_BACKEND_OPENCL = 2,
    /// NVIDIA CUDA driver API
    UR_BACKEND_CUDA = 3,
    /// AMD HIP runtime
    UR_BACKEND_HIP = 4,
    /// kernels compiled to host code and run in-process
    UR_BACKEND_NATIVE_CPU = 5,
    /// LLVM liboffload library
    UR_BACKEND_OFFLOAD = 256,
    UR_BACKEND_FORCE_UINT32 = 2147483647,
} ur_backend_t;

/// The bits of ur_device_init_flags_t.
typedef enum ur_device_init_flag_t {
    /// load adapters that drive GPUs
    UR_DEVICE_INIT_FLAG_GPU = (1 << 0),
    /// load adapters that drive CPUs
    UR_DEVICE_INIT_FLAG_CPU = (1 << 1),
    /// load adapters that drive FPGAs
    UR_DEVICE_INIT_FLAG_FPGA = (1 << 2),
    /// load adapters that drive memory-copy accelerators
    UR_DEVICE_INIT_FLAG_MCA = (1 << 3),
    /// load adapters that drive vision processors
    UR_DEVICE_INIT_FLAG_VPU = (1 << 4),
    UR_DEVICE_INIT_FLAG_FORCE_UINT32 = 2147483647,
} ur_device_init_flag_t;

/// Queries understood by `urLoaderConfigGetInfo`.
typedef enum ur_loader_config_info_t {
    /// names of all layers that may be enabled, separated by semicolons. Answer: `char[]`
    UR_LOADER_CONFIG_INFO_AVAILABLE_LAYERS = 0,
    /// current reference count; a snapshot for leak hunting only. Answer: `uint32_t`
    UR_LOADER_CONFIG_INFO_REFERENCE_COUNT = 1,
    UR_LOADER_CONFIG_INFO_FORCE_UINT32 = 2147483647,
} ur_loader_config_info_t;

/// Queries understood by `urAdapterGetInfo`.
typedef enum ur_adapter_info_t {
    /// driver API underneath the adapter. Answer: `ur_backend_t`
    UR_ADAPTER_INFO_BACKEND = 0,
    /// current reference count; a snapshot for leak hunting only. Answer: `uint32_t`
    UR_ADAPTER_INFO_REFERENCE_COUNT = 1,
    /// adapter generation, starting at 1; distinguishes coexisting adapters of one backend. Answer: `uint32_t`
    UR_ADAPTER_INFO_VERSION = 2,
    UR_ADAPTER_INFO_FORCE_UINT32 = 2147483647,
} ur_adapter_info_t;

/// Severity of log messages, in ascending order; used as a lower threshold.
typedef enum ur_logger_level_t {
    /// diagnostics for developers
    UR_LOGGER_LEVEL_DEBUG = 0,
    /// ordinary progress notices
    UR_LOGGER_LEVEL_INFO = 1,
    /// suspicious conditions that do not stop the call
    UR_LOGGER_LEVEL_WARN = 2,
    /// failures of a call
    UR_LOGGER_LEVEL_ERROR = 3,
    /// as a threshold, silences everything
    UR_LOGGER_LEVEL_QUIET = 4,
    UR_LOGGER_LEVEL_FORCE_UINT32 = 2147483647,
} ur_logger_level_t;

/// Queries understood by `urPlatformGetInfo`.
typedef enum ur_platform_info_t {
    /// platform name, null-terminated. Answer: `char[]`
    UR_PLATFORM_INFO_NAME = 1,
    /// vendor name, null-terminated. Answer: `char[]`
    UR_PLATFORM_INFO_VENDOR_NAME = 2,
    /// backend or driver version text, null-terminated. Answer: `char[]`
    UR_PLATFORM_INFO_VERSION = 3,
    /// names of supported extensions, space-separated, null-terminated. Answer: `char[]`
    UR_PLATFORM_INFO_EXTENSIONS = 4,
    /// profile name in the OpenCL sense, such as FULL_PROFILE, null-terminated. Answer: `char[]`
    UR_PLATFORM_INFO_PROFILE = 5,
    /// driver API behind the platform. Answer: `ur_backend_t`
    UR_PLATFORM_INFO_BACKEND = 6,
    /// adapter that the platform belongs to; no reference is added. Answer: `ur_adapter_handle_t`
    UR_PLATFORM_INFO_ADAPTER = 7,
    UR_PLATFORM_INFO_FORCE_UINT32 = 2147483647,
} ur_platform_info_t;

/// Version of the UR specification, major number in the upper 16 bits, minor in the lower.
typedef enum ur_api_version_t {
    /// UR specification 0.6
    UR_API_VERSION_0_6 = 6,
    /// UR specification 0.7
    UR_API_VERSION_0_7 = 7,
    /// UR specification 0.8
    UR_API_VERSION_0_8 = 8,
    /// UR specification 0.9
    UR_API_VERSION_0_9 = 9,
    /// UR specification 0.10
    UR_API_VERSION_0_10 = 10,
    /// UR specification 0.11
    UR_API_VERSION_0_11 = 11,
    /// UR specification 0.12
    UR_API_VERSION_0_12 = 12,
    /// the specification that this header follows
    UR_API_VERSION_CURRENT = 12,
    UR_API_VERSION_FORCE_UINT32 = 2147483647,
} ur_api_version_t;

/// Class of device, both as a filter and as a query result.
typedef enum ur_device_type_t {
    /// whatever device the runtime prefers
    UR_DEVICE_TYPE_DEFAULT = 1,
    /// filter that matches every device; never a query result
    UR_DEVICE_TYPE_ALL = 2,
    /// graphics processor (GPU)
    UR_DEVICE_TYPE_GPU = 3,
    /// host processor (CPU)
    UR_DEVICE_TYPE_CPU = 4,
    /// field-programmable gate array
    UR_DEVICE_TYPE_FPGA = 5,
    /// accelerator for memory copies
    UR_DEVICE_TYPE_MCA = 6,
    /// vision processor (VPU)
    UR_DEVICE_TYPE_VPU = 7,
    /// accelerator of another kind
    UR_DEVICE_TYPE_CUSTOM = 8,
    UR_DEVICE_TYPE_FORCE_UINT32 = 2147483647,
} ur_device_type_t;

/// Queries understood by `urDeviceGetInfo`.
typedef enum ur_device_info_t {
    /// class of the device. Answer: `ur_device_type_t`
    UR_DEVICE_INFO_TYPE = 0,
    /// vendor number, normally the PCI vendor id. Answer: `uint32_t`
    UR_DEVICE_INFO_VENDOR_ID = 1,
    /// product number, normally the PCI device id. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_DEVICE_ID = 2,
    /// number of parallel compute units, at least 1. Answer: `uint32_t`
    UR_DEVICE_INFO_MAX_COMPUTE_UNITS = 3,
    /// highest number of ND-range dimensions. Answer: `uint32_t`
    UR_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS = 4,
    /// largest work-group extent in each dimension, in work-items. Answer: `size_t[]`
    UR_DEVICE_INFO_MAX_WORK_ITEM_SIZES = 5,
    /// most work-items that one work-group may hold. Answer: `size_t`
    UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE = 6,
    /// 32-bit floating-point capabilities. Answer: `ur_device_fp_capability_flags_t`
    UR_DEVICE_INFO_SINGLE_FP_CONFIG = 7,
    /// 16-bit floating-point capabilities; zero if the type is missing. Answer: `ur_device_fp_capability_flags_t`
    UR_DEVICE_INFO_HALF_FP_CONFIG = 8,
    /// 64-bit floating-point capabilities; zero if the type is missing. Answer: `ur_device_fp_capability_flags_t`
    UR_DEVICE_INFO_DOUBLE_FP_CONFIG = 9,
    /// queue flags that queues on this device accept. Answer: `ur_queue_flags_t`
    UR_DEVICE_INFO_QUEUE_PROPERTIES = 10,
    /// best vector length for 8-bit integers, in elements. Answer: `uint32_t`
    UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_CHAR = 11,
    /// best vector length for 16-bit integers, in elements. Answer: `uint32_t`
    UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_SHORT = 12,
    /// best vector length for 32-bit integers, in elements. Answer: `uint32_t`
    UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_INT = 13,
    /// best vector length for the `long` type, in elements. Answer: `uint32_t`
    UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_LONG = 14,
    /// best vector length for 32-bit floats, in elements. Answer: `uint32_t`
    UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_FLOAT = 15,
    /// best vector length for 64-bit floats; zero if unsupported. Answer: `uint32_t`
    UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_DOUBLE = 16,
    /// best vector length for 16-bit floats; zero if unsupported. Answer: `uint32_t`
    UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_HALF = 17,
    /// hardware vector length for 8-bit integers, in elements. Answer: `uint32_t`
    UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_CHAR = 18,
    /// hardware vector length for 16-bit integers, in elements. Answer: `uint32_t`
    UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_SHORT = 19,
    /// hardware vector length for 32-bit integers, in elements. Answer: `uint32_t`
    UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_INT = 20,
    /// hardware vector length for the `long` type, in elements. Answer: `uint32_t`
    UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG = 21,
    /// hardware vector length for 32-bit floats, in elements. Answer: `uint32_t`
    UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_FLOAT = 22,
    /// hardware vector length for 64-bit floats; zero if unsupported. Answer: `uint32_t`
    UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_DOUBLE = 23,
    /// hardware vector length for 16-bit floats; zero if unsupported. Answer: `uint32_t`
    UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_HALF = 24,
    /// peak core clock in MHz. Answer: `uint32_t`
    UR_DEVICE_INFO_MAX_CLOCK_FREQUENCY = 25,
    /// memory clock in MHz. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_MEMORY_CLOCK_RATE = 26,
    /// width of a device pointer in bits. Answer: `uint32_t`
    UR_DEVICE_INFO_ADDRESS_BITS = 27,
    /// largest single allocation in bytes. Answer: `uint64_t`
    UR_DEVICE_INFO_MAX_MEM_ALLOC_SIZE = 28,
    /// whether kernels can use images. Answer: `ur_bool_t`
    UR_DEVICE_INFO_IMAGE_SUPPORT = 29,
    /// most read-only image arguments per kernel. Answer: `uint32_t`
    UR_DEVICE_INFO_MAX_READ_IMAGE_ARGS = 30,
    /// most write-only image arguments per kernel. Answer: `uint32_t`
    UR_DEVICE_INFO_MAX_WRITE_IMAGE_ARGS = 31,
    /// most read-write image arguments per kernel. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_MAX_READ_WRITE_IMAGE_ARGS = 32,
    /// widest 2D image, in pixels. Answer: `size_t`
    UR_DEVICE_INFO_IMAGE2D_MAX_WIDTH = 33,
    /// tallest 2D image, in pixels. Answer: `size_t`
    UR_DEVICE_INFO_IMAGE2D_MAX_HEIGHT = 34,
    /// widest 3D image, in pixels. Answer: `size_t`
    UR_DEVICE_INFO_IMAGE3D_MAX_WIDTH = 35,
    /// tallest 3D image, in pixels. Answer: `size_t`
    UR_DEVICE_INFO_IMAGE3D_MAX_HEIGHT = 36,
    /// deepest 3D image, in pixels. Answer: `size_t`
    UR_DEVICE_INFO_IMAGE3D_MAX_DEPTH = 37,
    /// longest 1D image made from a buffer, in pixels. Answer: `size_t`
    UR_DEVICE_INFO_IMAGE_MAX_BUFFER_SIZE = 38,
    /// most layers of an image array. Answer: `size_t`
    UR_DEVICE_INFO_IMAGE_MAX_ARRAY_SIZE = 39,
    /// most samplers one kernel may use. Answer: `uint32_t`
    UR_DEVICE_INFO_MAX_SAMPLERS = 40,
    /// upper bound of all kernel arguments together, in bytes. Answer: `size_t`
    UR_DEVICE_INFO_MAX_PARAMETER_SIZE = 41,
    /// required alignment of sub-buffer origins, in bits. Answer: `uint32_t`
    UR_DEVICE_INFO_MEM_BASE_ADDR_ALIGN = 42,
    /// kind of cache in front of global memory. Answer: `ur_device_mem_cache_type_t`
    UR_DEVICE_INFO_GLOBAL_MEM_CACHE_TYPE = 43,
    /// line length of the global-memory cache in bytes. Answer: `uint32_t`
    UR_DEVICE_INFO_GLOBAL_MEM_CACHELINE_SIZE = 44,
    /// capacity of the global-memory cache in bytes. Answer: `uint64_t`
    UR_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE = 45,
    /// total global memory in bytes. Answer: `uint64_t`
    UR_DEVICE_INFO_GLOBAL_MEM_SIZE = 46,
    /// global memory unused at this moment, in bytes. Answer: `uint64_t`, optional
    UR_DEVICE_INFO_GLOBAL_MEM_FREE = 47,
    /// largest constant-memory allocation in bytes. Answer: `uint64_t`
    UR_DEVICE_INFO_MAX_CONSTANT_BUFFER_SIZE = 48,
    /// most constant-memory pointer arguments per kernel. Answer: `uint32_t`
    UR_DEVICE_INFO_MAX_CONSTANT_ARGS = 49,
    /// where work-group local memory resides. Answer: `ur_device_local_mem_type_t`
    UR_DEVICE_INFO_LOCAL_MEM_TYPE = 50,
    /// local memory available to a work-group, in bytes. Answer: `uint64_t`
    UR_DEVICE_INFO_LOCAL_MEM_SIZE = 51,
    /// whether device memories are protected by ECC. Answer: `ur_bool_t`
    UR_DEVICE_INFO_ERROR_CORRECTION_SUPPORT = 52,
    /// whether host and device share the same physical memory. Answer: `ur_bool_t`
    UR_DEVICE_INFO_HOST_UNIFIED_MEMORY = 53,
    /// tick length of event timestamps in nanoseconds. Answer: `size_t`
    UR_DEVICE_INFO_PROFILING_TIMER_RESOLUTION = 54,
    /// whether the device is little-endian. Answer: `ur_bool_t`
    UR_DEVICE_INFO_ENDIAN_LITTLE = 55,
    /// whether the device can be used at present. Answer: `ur_bool_t`
    UR_DEVICE_INFO_AVAILABLE = 56,
    /// whether programs can be compiled at run time. Answer: `ur_bool_t`
    UR_DEVICE_INFO_COMPILER_AVAILABLE = 57,
    /// whether programs can be linked at run time. Answer: `ur_bool_t`
    UR_DEVICE_INFO_LINKER_AVAILABLE = 58,
    /// kinds of kernel the device can execute. Answer: `ur_device_exec_capability_flags_t`
    UR_DEVICE_INFO_EXECUTION_CAPABILITIES = 59,
    /// flags accepted for queues that kernels enqueue to. Answer: `ur_queue_flags_t`
    UR_DEVICE_INFO_QUEUE_ON_DEVICE_PROPERTIES = 60,
    /// flags accepted for queues that the host enqueues to. Answer: `ur_queue_flags_t`
    UR_DEVICE_INFO_QUEUE_ON_HOST_PROPERTIES = 61,
    /// names of fixed-function kernels, semicolon-separated, null-terminated. Answer: `char[]`
    UR_DEVICE_INFO_BUILT_IN_KERNELS = 62,
    /// platform that the device belongs to. Answer: `ur_platform_handle_t`
    UR_DEVICE_INFO_PLATFORM = 63,
    /// current reference count; a snapshot for leak hunting only. Answer: `uint32_t`
    UR_DEVICE_INFO_REFERENCE_COUNT = 64,
    /// accepted intermediate languages with versions, null-terminated, such as SPIR-V_1.4. Answer: `char[]`, optional
    UR_DEVICE_INFO_IL_VERSION = 65,
    /// device name, null-terminated. Answer: `char[]`
    UR_DEVICE_INFO_NAME = 66,
    /// vendor name, null-terminated. Answer: `char[]`
    UR_DEVICE_INFO_VENDOR = 67,
    /// driver version, null-terminated. Answer: `char[]`
    UR_DEVICE_INFO_DRIVER_VERSION = 68,
    /// profile name in the OpenCL sense, null-terminated. Answer: `char[]`
    UR_DEVICE_INFO_PROFILE = 69,
    /// version of the device or its API level, null-terminated. Answer: `char[]`
    UR_DEVICE_INFO_VERSION = 70,
    /// version of the backend runtime, null-terminated. Answer: `char[]`
    UR_DEVICE_INFO_BACKEND_RUNTIME_VERSION = 71,
    /// names of supported extensions, space-separated, null-terminated. Answer: `char[]`
    UR_DEVICE_INFO_EXTENSIONS = 72,
    /// capacity of the buffer that collects kernel printf output, in bytes. Answer: `size_t`
    UR_DEVICE_INFO_PRINTF_BUFFER_SIZE = 73,
    /// whether the user should synchronise objects shared with other APIs. Answer: `ur_bool_t`
    UR_DEVICE_INFO_PREFERRED_INTEROP_USER_SYNC = 74,
    /// device this sub-device was split from; null for a root device. Answer: `ur_device_handle_t`
    UR_DEVICE_INFO_PARENT_DEVICE = 75,
    /// partition schemes that the device offers; empty if it cannot be split. Answer: `ur_device_partition_t[]`
    UR_DEVICE_INFO_SUPPORTED_PARTITIONS = 76,
    /// most sub-devices one split may produce. Answer: `uint32_t`
    UR_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES = 77,
    /// affinity domains along which the device can be split. Answer: `ur_device_affinity_domain_flags_t`
    UR_DEVICE_INFO_PARTITION_AFFINITY_DOMAIN = 78,
    /// properties that created this sub-device; empty for a root device. Answer: `ur_device_partition_property_t[]`
    UR_DEVICE_INFO_PARTITION_TYPE = 79,
    /// most sub-groups in one work-group. Answer: `uint32_t`
    UR_DEVICE_INFO_MAX_NUM_SUB_GROUPS = 80,
    /// whether sub-groups of a work-group advance independently of each other. Answer: `ur_bool_t`
    UR_DEVICE_INFO_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS = 81,
    /// available sub-group sizes, in work-items. Answer: `uint32_t[]`
    UR_DEVICE_INFO_SUB_GROUP_SIZES_INTEL = 82,
    /// how the device may access USM host allocations. Answer: `ur_device_usm_access_capability_flags_t`
    UR_DEVICE_INFO_USM_HOST_SUPPORT = 83,
    /// how the device may access USM device allocations. Answer: `ur_device_usm_access_capability_flags_t`
    UR_DEVICE_INFO_USM_DEVICE_SUPPORT = 84,
    /// how the device may access shared allocations associated with itself. Answer:
    /// `ur_device_usm_access_capability_flags_t`
    UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT = 85,
    /// how the device may access shared allocations associated with other devices. Answer:
    /// `ur_device_usm_access_capability_flags_t`
    UR_DEVICE_INFO_USM_CROSS_SHARED_SUPPORT = 86,
    /// how the device may access ordinary heap memory such as malloc returns. Answer:
    /// `ur_device_usm_access_capability_flags_t`
    UR_DEVICE_INFO_USM_SYSTEM_SHARED_SUPPORT = 87,
    /// universally unique device identifier, 16 bytes. Answer: `uint8_t[]`, optional
    UR_DEVICE_INFO_UUID = 88,
    /// PCI location as domain:bus:device.function, null-terminated. Answer: `char[]`, optional
    UR_DEVICE_INFO_PCI_ADDRESS = 89,
    /// total execution units of an Intel GPU. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_GPU_EU_COUNT = 90,
    /// physical SIMD lanes of one Intel GPU execution unit. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_GPU_EU_SIMD_WIDTH = 91,
    /// slices of an Intel GPU. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_GPU_EU_SLICES = 92,
    /// execution units in one subslice of an Intel GPU. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_GPU_EU_COUNT_PER_SUBSLICE = 93,
    /// subslices in one slice of an Intel GPU. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_GPU_SUBSLICES_PER_SLICE = 94,
    /// hardware threads of one Intel GPU execution unit. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_GPU_HW_THREADS_PER_EU = 95,
    /// peak memory bandwidth in bytes per second. Answer: `uint64_t`, optional
    UR_DEVICE_INFO_MAX_MEMORY_BANDWIDTH = 96,
    /// whether sRGB image formats work. Answer: `ur_bool_t`
    UR_DEVICE_INFO_IMAGE_SRGB = 97,
    /// whether programs must be built separately for each sub-device. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BUILD_ON_SUBDEVICE = 98,
    /// whether 64-bit atomic operations work. Answer: `ur_bool_t`
    UR_DEVICE_INFO_ATOMIC_64 = 99,
    /// memory orders usable with atomic operations. Answer: `ur_memory_order_capability_flags_t`
    UR_DEVICE_INFO_ATOMIC_MEMORY_ORDER_CAPABILITIES = 100,
    /// memory scopes usable with atomic operations. Answer: `ur_memory_scope_capability_flags_t`
    UR_DEVICE_INFO_ATOMIC_MEMORY_SCOPE_CAPABILITIES = 101,
    /// memory orders usable with atomic fences. Answer: `ur_memory_order_capability_flags_t`
    UR_DEVICE_INFO_ATOMIC_FENCE_ORDER_CAPABILITIES = 102,
    /// memory scopes usable with atomic fences. Answer: `ur_memory_scope_capability_flags_t`
    UR_DEVICE_INFO_ATOMIC_FENCE_SCOPE_CAPABILITIES = 103,
    /// deprecated: whether the device computes in bfloat16; see `BFLOAT16_CONVERSIONS_NATIVE`. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BFLOAT16 = 104,
    /// number of selectable compute-queue indices; 1 if the device has no such notion. Answer: `uint32_t`
    UR_DEVICE_INFO_MAX_COMPUTE_QUEUE_INDICES = 105,
    /// whether `urKernelSetSpecializationConstants` works. Answer: `ur_bool_t`
    UR_DEVICE_INFO_KERNEL_SET_SPECIALIZATION_CONSTANTS = 106,
    /// width of the memory interface in bits. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_MEMORY_BUS_WIDTH = 107,
    /// most work-groups in each of the three dimensions. Answer: `size_t[3]`
    UR_DEVICE_INFO_MAX_WORK_GROUPS_3D = 108,
    /// whether split arrive/wait barriers work in kernels. Answer: `ur_bool_t`
    UR_DEVICE_INFO_ASYNC_BARRIER = 109,
    /// whether allocations can be placed in a chosen memory channel. Answer: `ur_bool_t`
    UR_DEVICE_INFO_MEM_CHANNEL_SUPPORT = 110,
    /// whether the host can enqueue reads and writes of device pipes. Answer: `ur_bool_t`
    UR_DEVICE_INFO_HOST_PIPE_READ_WRITE_SUPPORT = 111,
    /// number of registers that one work-group can draw on. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_MAX_REGISTERS_PER_WORK_GROUP = 112,
    /// hardware architecture number; encoding is vendor-defined, later hardware ranks higher. Answer: `uint32_t`,
    /// optional
    UR_DEVICE_INFO_IP_VERSION = 113,
    /// whether the virtual-memory reserve and map functions work. Answer: `ur_bool_t`
    UR_DEVICE_INFO_VIRTUAL_MEMORY_SUPPORT = 114,
    /// whether explicit-SIMD (ESIMD) kernels can run. Answer: `ur_bool_t`
    UR_DEVICE_INFO_ESIMD_SUPPORT = 115,
    /// devices that make up this composite device; empty if it is not composite. Answer: `ur_device_handle_t[]`,
    /// optional
    UR_DEVICE_INFO_COMPONENT_DEVICES = 116,
    /// composite device that this component is part of; null if none. Answer: `ur_device_handle_t`, optional
    UR_DEVICE_INFO_COMPOSITE_DEVICE = 117,
    /// whether the host can copy to and from device global variables. Answer: `ur_bool_t`
    UR_DEVICE_INFO_GLOBAL_VARIABLE_SUPPORT = 118,
    /// whether USM pools can be created and passed to allocation calls. Answer: `ur_bool_t`
    UR_DEVICE_INFO_USM_POOL_SUPPORT = 119,
    /// compute units as the backend itself counts them. Answer: `uint32_t`
    UR_DEVICE_INFO_NUM_COMPUTE_UNITS = 120,
    /// whether `urProgramSetSpecializationConstants` works. Answer: `ur_bool_t`
    UR_DEVICE_INFO_PROGRAM_SET_SPECIALIZATION_CONSTANTS = 121,
    /// whether kernel assertions are handled by the device itself. Answer: `ur_bool_t`
    UR_DEVICE_INFO_USE_NATIVE_ASSERT = 122,
    /// causes that hold the clock down at present. Answer: `ur_device_throttle_reasons_flags_t`, optional
    UR_DEVICE_INFO_CURRENT_CLOCK_THROTTLE_REASONS = 123,
    /// fan speed in percent of its maximum. Answer: `int32_t`, optional
    UR_DEVICE_INFO_FAN_SPEED = 124,
    /// lowest configurable power limit in milliwatts. Answer: `int32_t`, optional
    UR_DEVICE_INFO_MIN_POWER_LIMIT = 125,
    /// highest configurable power limit in milliwatts. Answer: `int32_t`, optional
    UR_DEVICE_INFO_MAX_POWER_LIMIT = 126,
    /// whether hardware converts between bfloat16 and float. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BFLOAT16_CONVERSIONS_NATIVE = 127,
    /// launch properties that the device honours. Answer: `ur_kernel_launch_properties_flags_t`
    UR_DEVICE_INFO_KERNEL_LAUNCH_CAPABILITIES = 128,
    /// locally unique adapter identifier of Windows, 8 bytes. Answer: `uint8_t[]`, optional
    UR_DEVICE_INFO_LUID = 129,
    /// Windows node bit of the device within a linked adapter. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_NODE_MASK = 130,
    /// best vector length for the `long long` type, in elements. Answer: `uint32_t`
    UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_LONG_LONG = 131,
    /// hardware vector length for the `long long` type, in elements. Answer: `uint32_t`
    UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG_LONG = 132,
    /// most work-groups in one launch, over all dimensions. Answer: `size_t`
    UR_DEVICE_INFO_MAX_WORK_GROUPS = 133,
    /// stacks (tiles) of an Intel GPU. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_XE_STACK_COUNT = 134,
    /// regions with a common L2/L3 cache in one Intel GPU stack. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_XE_REGIONS_PER_STACK = 135,
    /// slices in one region of an Intel GPU. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_XE_CLUSTERS_PER_REGION = 136,
    /// Xe cores in one slice of an Intel GPU. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_XE_CORES_PER_CLUSTER = 137,
    /// execution units in one Xe core of an Intel GPU. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_EUS_PER_XE_CORE = 138,
    /// widest logical SIMD of one Intel GPU hardware thread, in lanes. Answer: `uint32_t`, optional
    UR_DEVICE_INFO_MAX_LANES_PER_HW_THREAD = 139,
    /// whether command-buffers work. Answer: `ur_bool_t`
    UR_DEVICE_INFO_COMMAND_BUFFER_SUPPORT_EXP = 4096,
    /// which parts of recorded commands can be changed after finalisation. Answer:
    /// `ur_device_command_buffer_update_capability_flags_t`
    UR_DEVICE_INFO_COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP = 4097,
    /// whether commands inside a command-buffer can wait on and signal outside events. Answer: `ur_bool_t`
    UR_DEVICE_INFO_COMMAND_BUFFER_EVENT_SUPPORT_EXP = 4098,
    /// whether one command-buffer can be recorded into another. Answer: `ur_bool_t`
    UR_DEVICE_INFO_COMMAND_BUFFER_SUBGRAPH_SUPPORT_EXP = 4099,
    /// whether bindless images work. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BINDLESS_IMAGES_SUPPORT_EXP = 8192,
    /// whether bindless images may sit on USM shared memory. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BINDLESS_IMAGES_SHARED_USM_SUPPORT_EXP = 8193,
    /// whether 1D bindless images may sit on USM memory. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BINDLESS_IMAGES_1D_USM_SUPPORT_EXP = 8194,
    /// whether 2D bindless images may sit on USM memory. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BINDLESS_IMAGES_2D_USM_SUPPORT_EXP = 8195,
    /// row-pitch alignment that linear images need, in bytes. Answer: `uint32_t`
    UR_DEVICE_INFO_IMAGE_PITCH_ALIGN_EXP = 8196,
    /// widest linear image on USM memory, in pixels. Answer: `size_t`
    UR_DEVICE_INFO_MAX_IMAGE_LINEAR_WIDTH_EXP = 8197,
    /// tallest linear image on USM memory, in pixels. Answer: `size_t`
    UR_DEVICE_INFO_MAX_IMAGE_LINEAR_HEIGHT_EXP = 8198,
    /// largest row pitch of a linear image on USM memory, in bytes. Answer: `size_t`
    UR_DEVICE_INFO_MAX_IMAGE_LINEAR_PITCH_EXP = 8199,
    /// whether mipmapped images can be allocated. Answer: `ur_bool_t`
    UR_DEVICE_INFO_MIPMAP_SUPPORT_EXP = 8200,
    /// whether mipmaps can be sampled with anisotropic filtering. Answer: `ur_bool_t`
    UR_DEVICE_INFO_MIPMAP_ANISOTROPY_SUPPORT_EXP = 8201,
    /// highest anisotropy ratio. Answer: `uint32_t`
    UR_DEVICE_INFO_MIPMAP_MAX_ANISOTROPY_EXP = 8202,
    /// whether a single mipmap level can be used as an image. Answer: `ur_bool_t`
    UR_DEVICE_INFO_MIPMAP_LEVEL_REFERENCE_SUPPORT_EXP = 8203,
    /// whether memory of other APIs can be imported. Answer: `ur_bool_t`
    UR_DEVICE_INFO_EXTERNAL_MEMORY_IMPORT_SUPPORT_EXP = 8204,
    /// whether semaphores of other APIs can be imported. Answer: `ur_bool_t`
    UR_DEVICE_INFO_EXTERNAL_SEMAPHORE_IMPORT_SUPPORT_EXP = 8206,
    /// whether cubemap images can be allocated and accessed. Answer: `ur_bool_t`
    UR_DEVICE_INFO_CUBEMAP_SUPPORT_EXP = 8208,
    /// whether cubemap filtering can blend across face edges. Answer: `ur_bool_t`
    UR_DEVICE_INFO_CUBEMAP_SEAMLESS_FILTERING_SUPPORT_EXP = 8209,
    /// whether unfiltered reads work on 1D sampled images in USM. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_1D_USM_SUPPORT_EXP = 8210,
    /// whether unfiltered reads work on 1D sampled images in image memory. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_1D_SUPPORT_EXP = 8211,
    /// whether unfiltered reads work on 2D sampled images in USM. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_2D_USM_SUPPORT_EXP = 8212,
    /// whether unfiltered reads work on 2D sampled images in image memory. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_2D_SUPPORT_EXP = 8213,
    /// whether unfiltered reads work on 3D sampled images in image memory. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_3D_SUPPORT_EXP = 8215,
    /// whether `urEnqueueTimestampRecordingExp` works. Answer: `ur_bool_t`
    UR_DEVICE_INFO_TIMESTAMP_RECORDING_SUPPORT_EXP = 8216,
    /// whether bindless image arrays can be allocated and accessed. Answer: `ur_bool_t`
    UR_DEVICE_INFO_IMAGE_ARRAY_SUPPORT_EXP = 8217,
    /// whether each sampler dimension may have its own addressing mode. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BINDLESS_UNIQUE_ADDRESSING_PER_DIM_SUPPORT_EXP = 8218,
    /// whether filtered sampling works on 1D images in USM. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BINDLESS_SAMPLE_1D_USM_SUPPORT_EXP = 8219,
    /// whether filtered sampling works on 2D images in USM. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BINDLESS_SAMPLE_2D_USM_SUPPORT_EXP = 8220,
    /// whether four-texel gather works on sampled images. Answer: `ur_bool_t`
    UR_DEVICE_INFO_BINDLESS_IMAGES_GATHER_SUPPORT_EXP = 8221,
    /// whether `urEnqueueNativeCommandExp` works. Answer: `ur_bool_t`
    UR_DEVICE_INFO_ENQUEUE_NATIVE_COMMAND_SUPPORT_EXP = 8224,
    /// whether event waits can save power at the price of latency. Answer: `ur_bool_t`
    UR_DEVICE_INFO_LOW_POWER_EVENTS_SUPPORT_EXP = 8225,
    /// which 2D block loads and stores an Intel GPU has. Answer: `ur_exp_device_2d_block_array_capability_flags_t`
    UR_DEVICE_INFO_2D_BLOCK_ARRAY_CAPABILITIES_EXP = 8226,
    /// whether allocations can be shared with other processes. Answer: `ur_bool_t`
    UR_DEVICE_INFO_IPC_MEMORY_SUPPORT_EXP = 8227,
    /// whether physical memory objects can be shared with other processes. Answer: `ur_bool_t`
    UR_DEVICE_INFO_IPC_PHYSICAL_MEMORY_SUPPORT_EXP = 8228,
    /// whether events from `urEventCreateExp` can be signalled repeatedly. Answer: `ur_bool_t`
    UR_DEVICE_INFO_REUSABLE_EVENTS_SUPPORT_EXP = 8229,
    /// whether events can be shared with other processes. Answer: `ur_bool_t`
    UR_DEVICE_INFO_IPC_EVENT_SUPPORT_EXP = 8230,
    /// whether USM allocation and free can be enqueued on a queue. Answer: `ur_bool_t`
    UR_DEVICE_INFO_ASYNC_USM_ALLOCATIONS_SUPPORT_EXP = 8272,
    /// whether kernels can read a clock of sub-group scope. Answer: `ur_bool_t`
    UR_DEVICE_INFO_CLOCK_SUB_GROUP_SUPPORT_EXP = 8288,
    /// whether kernels can read a clock of work-group scope. Answer: `ur_bool_t`
    UR_DEVICE_INFO_CLOCK_WORK_GROUP_SUPPORT_EXP = 8289,
    /// whether kernels can read a clock of device scope. Answer: `ur_bool_t`
    UR_DEVICE_INFO_CLOCK_DEVICE_SUPPORT_EXP = 8290,
    /// whether the GPU is built into the host processor. Answer: `ur_bool_t`
    UR_DEVICE_INFO_IS_INTEGRATED_GPU = 8304,
    /// whether queue work can be captured into graphs and replayed. Answer: `ur_bool_t`
    UR_DEVICE_INFO_GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP = 8320,
    /// whether existing host memory can be registered for device access. Answer: `ur_bool_t`
    UR_DEVICE_INFO_USM_HOST_ALLOC_REGISTER_SUPPORT_EXP = 8336,
    /// whether single events can be profiled on a queue created without profiling. Answer: `ur_bool_t`
    UR_DEVICE_INFO_PER_EVENT_PROFILING_SUPPORT_EXP = 8352,
    /// whether peer access between devices can be set up. Answer: `ur_bool_t`
    UR_DEVICE_INFO_USM_P2P_SUPPORT_EXP = 16384,
    /// whether the build functions that take a device list work. Answer: `ur_bool_t`
    UR_DEVICE_INFO_MULTI_DEVICE_COMPILE_SUPPORT_EXP = 24576,
    /// whether the host can wait for all work of the device at once. Answer: `ur_bool_t`
    UR_DEVICE_INFO_DEVICE_WAIT_SUPPORT_EXP = 24578,
    /// whether built programs can be linked to each other dynamically. Answer: `ur_bool_t`
    UR_DEVICE_INFO_DYNAMIC_LINK_SUPPORT_EXP = 24579,
    /// whether `urUSMContextMemcpyExp` works. Answer: `ur_bool_t`
    UR_DEVICE_INFO_USM_CONTEXT_MEMCPY_SUPPORT_EXP = 28672,
    /// whether linear device memory can be allocated for export to other APIs. Answer: `ur_bool_t`
    UR_DEVICE_INFO_MEMORY_EXPORT_EXPORTABLE_DEVICE_MEM_EXP = 32768,
    /// whether host callbacks can be enqueued as commands. Answer: `ur_bool_t`
    UR_DEVICE_INFO_ENQUEUE_HOST_TASK_SUPPORT_EXP = 36864,
    UR_DEVICE_INFO_FORCE_UINT32 = 2147483647,
} ur_device_info_t;

/// The bits of ur_device_affinity_domain_flags_t.
typedef enum ur_device_affinity_domain_flag_t {
    /// one sub-device per NUMA node
    UR_DEVICE_AFFINITY_DOMAIN_FLAG_NUMA = (1 << 0),
    /// one sub-device per L4 cache
    UR_DEVICE_AFFINITY_DOMAIN_FLAG_L4_CACHE = (1 << 1),
    /// one sub-device per L3 cache
    UR_DEVICE_AFFINITY_DOMAIN_FLAG_L3_CACHE = (1 << 2),
    /// one sub-device per L2 cache
    UR_DEVICE_AFFINITY_DOMAIN_FLAG_L2_CACHE = (1 << 3),
    /// one sub-device per L1 cache
    UR_DEVICE_AFFINITY_DOMAIN_FLAG_L1_CACHE = (1 << 4),
    /// the outermost level that still splits, tried from NUMA down to L1
    UR_DEVICE_AFFINITY_DOMAIN_FLAG_NEXT_PARTITIONABLE = (1 << 5),
    UR_DEVICE_AFFINITY_DOMAIN_FLAG_FORCE_UINT32 = 2147483647,
} ur_device_affinity_domain_flag_t;

/// Scheme by which a device is split into sub-devices.
typedef enum ur_device_partition_t {
    /// sub-devices of equal size, as many as fit
    UR_DEVICE_PARTITION_EQUALLY = 4230,
    /// one sub-device per property entry, of the given size
    UR_DEVICE_PARTITION_BY_COUNTS = 4231,
    /// sub-devices along a shared memory level
    UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN = 4232,
    /// one sub-device per compute slice of an Intel GPU tile
    UR_DEVICE_PARTITION_BY_CSLICE = 4233,
    UR_DEVICE_PARTITION_FORCE_UINT32 = 2147483647,
} ur_device_partition_t;

/// The bits of ur_device_fp_capability_flags_t.
typedef enum ur_device_fp_capability_flag_t {
    /// division and square root round as IEEE 754 demands
    UR_DEVICE_FP_CAPABILITY_FLAG_CORRECTLY_ROUNDED_DIVIDE_SQRT = (1 << 0),
    /// rounding to nearest even
    UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_NEAREST = (1 << 1),
    /// truncating rounding mode
    UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_ZERO = (1 << 2),
    /// rounding modes toward positive and negative infinity
    UR_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_INF = (1 << 3),
    /// infinities and quiet NaNs
    UR_DEVICE_FP_CAPABILITY_FLAG_INF_NAN = (1 << 4),
    /// subnormal numbers are kept
    UR_DEVICE_FP_CAPABILITY_FLAG_DENORM = (1 << 5),
    /// fused multiply-add with a single rounding
    UR_DEVICE_FP_CAPABILITY_FLAG_FMA = (1 << 6),
    /// basic arithmetic is emulated in software
    UR_DEVICE_FP_CAPABILITY_FLAG_SOFT_FLOAT = (1 << 7),
    UR_DEVICE_FP_CAPABILITY_FLAG_FORCE_UINT32 = 2147483647,
} ur_device_fp_capability_flag_t;

/// Kind of cache in front of global memory.
typedef enum ur_device_mem_cache_type_t {
    /// no cache present
    UR_DEVICE_MEM_CACHE_TYPE_NONE = 0,
    /// caches reads only
    UR_DEVICE_MEM_CACHE_TYPE_READ_ONLY_CACHE = 1,
    /// caches reads and writes
    UR_DEVICE_MEM_CACHE_TYPE_READ_WRITE_CACHE = 2,
    UR_DEVICE_MEM_CACHE_TYPE_FORCE_UINT32 = 2147483647,
} ur_device_mem_cache_type_t;

/// Storage that implements work-group local memory.
typedef enum ur_device_local_mem_type_t {
    /// no local memory
    UR_DEVICE_LOCAL_MEM_TYPE_NONE = 0,
    /// dedicated on-chip storage
    UR_DEVICE_LOCAL_MEM_TYPE_LOCAL = 1,
    /// carved out of global memory
    UR_DEVICE_LOCAL_MEM_TYPE_GLOBAL = 2,
    UR_DEVICE_LOCAL_MEM_TYPE_FORCE_UINT32 = 2147483647,
} ur_device_local_mem_type_t;

/// The bits of ur_device_exec_capability_flags_t.
typedef enum ur_device_exec_capability_flag_t {
    /// kernels from programs
    UR_DEVICE_EXEC_CAPABILITY_FLAG_KERNEL = (1 << 0),
    /// host functions run as kernels
    UR_DEVICE_EXEC_CAPABILITY_FLAG_NATIVE_KERNEL = (1 << 1),
    UR_DEVICE_EXEC_CAPABILITY_FLAG_FORCE_UINT32 = 2147483647,
} ur_device_exec_capability_flag_t;

/// The bits of ur_memory_order_capability_flags_t.
typedef enum ur_memory_order_capability_flag_t {
    /// atomicity without ordering
    UR_MEMORY_ORDER_CAPABILITY_FLAG_RELAXED = (1 << 0),
    /// acquire loads and fences
    UR_MEMORY_ORDER_CAPABILITY_FLAG_ACQUIRE = (1 << 1),
    /// release stores and fences
    UR_MEMORY_ORDER_CAPABILITY_FLAG_RELEASE = (1 << 2),
    /// combined acquire and release
    UR_MEMORY_ORDER_CAPABILITY_FLAG_ACQ_REL = (1 << 3),
    /// single total order (sequential consistency)
    UR_MEMORY_ORDER_CAPABILITY_FLAG_SEQ_CST = (1 << 4),
    UR_MEMORY_ORDER_CAPABILITY_FLAG_FORCE_UINT32 = 2147483647,
} ur_memory_order_capability_flag_t;

/// The bits of ur_memory_scope_capability_flags_t.
typedef enum ur_memory_scope_capability_flag_t {
    /// the work-item itself
    UR_MEMORY_SCOPE_CAPABILITY_FLAG_WORK_ITEM = (1 << 0),
    /// work-items of the same sub-group
    UR_MEMORY_SCOPE_CAPABILITY_FLAG_SUB_GROUP = (1 << 1),
    /// work-items of the same work-group
    UR_MEMORY_SCOPE_CAPABILITY_FLAG_WORK_GROUP = (1 << 2),
    /// all work-items on the device
    UR_MEMORY_SCOPE_CAPABILITY_FLAG_DEVICE = (1 << 3),
    /// the host and all devices
    UR_MEMORY_SCOPE_CAPABILITY_FLAG_SYSTEM = (1 << 4),
    UR_MEMORY_SCOPE_CAPABILITY_FLAG_FORCE_UINT32 = 2147483647,
} ur_memory_scope_capability_flag_t;

/// The bits of ur_device_usm_access_capability_flags_t.
typedef enum ur_device_usm_access_capability_flag_t {
    /// plain loads and stores
    UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_ACCESS = (1 << 0),
    /// atomic operations on it
    UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_ATOMIC_ACCESS = (1 << 1),
    /// access while the host or another device also accesses it
    UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_CONCURRENT_ACCESS = (1 << 2),
    /// atomics while the host or another device also accesses it
    UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_ATOMIC_CONCURRENT_ACCESS = (1 << 3),
    UR_DEVICE_USM_ACCESS_CAPABILITY_FLAG_FORCE_UINT32 = 2147483647,
} ur_device_usm_access_capability_flag_t;

/// The bits of ur_device_throttle_reasons_flags_t.
typedef enum ur_device_throttle_reasons_flag_t {
    /// power cap reached
    UR_DEVICE_THROTTLE_REASONS_FLAG_POWER_CAP = (1 << 0),
    /// electrical current limit reached
    UR_DEVICE_THROTTLE_REASONS_FLAG_CURRENT_LIMIT = (1 << 1),
    /// temperature limit reached
    UR_DEVICE_THROTTLE_REASONS_FLAG_THERMAL_LIMIT = (1 << 2),
    /// power supply raised an alert
    UR_DEVICE_THROTTLE_REASONS_FLAG_PSU_ALERT = (1 << 3),
    /// software set a lower frequency range
    UR_DEVICE_THROTTLE_REASONS_FLAG_SW_RANGE = (1 << 4),
    /// a hardware sub-block is limited to a lower frequency
    UR_DEVICE_THROTTLE_REASONS_FLAG_HW_RANGE = (1 << 5),
    /// any other cause
    UR_DEVICE_THROTTLE_REASONS_FLAG_OTHER = (1 << 6),
    UR_DEVICE_THROTTLE_REASONS_FLAG_FORCE_UINT32 = 2147483647,
} ur_device_throttle_reasons_flag_t;

/// The bits of ur_kernel_launch_properties_flags_t.
typedef enum ur_kernel_launch_properties_flag_t {
    /// cooperative launch, where all work-groups are resident together
    UR_KERNEL_LAUNCH_PROPERTIES_FLAG_COOPERATIVE = (1 << 0),
    /// grouping of work-groups into clusters
    UR_KERNEL_LAUNCH_PROPERTIES_FLAG_CLUSTER_DIMENSION = (1 << 1),
    /// work-group memory whose size is set at launch
    UR_KERNEL_LAUNCH_PROPERTIES_FLAG_WORK_GROUP_MEMORY = (1 << 2),
    /// `UR_KERNEL_LAUNCH_FLAG_OPPORTUNISTIC_QUEUE_SERIALIZE` at launch
    UR_KERNEL_LAUNCH_PROPERTIES_FLAG_OPPORTUNISTIC_QUEUE_SERIALIZE = (1 << 3),
    UR_KERNEL_LAUNCH_PROPERTIES_FLAG_FORCE_UINT32 = 2147483647,
} ur_kernel_launch_properties_flag_t;

/// The bits of ur_context_flags_t.
typedef enum ur_context_flag_t {
    /// placeholder without meaning
    UR_CONTEXT_FLAG_TBD = (1 << 0),
    UR_CONTEXT_FLAG_FORCE_UINT32 = 2147483647,
} ur_context_flag_t;

/// Queries understood by `urContextGetInfo`.
typedef enum ur_context_info_t {
    /// number of devices in the context. Answer: `uint32_t`
    UR_CONTEXT_INFO_NUM_DEVICES = 0,
    /// the devices in the context; no references are added. Answer: `ur_device_handle_t[]`
    UR_CONTEXT_INFO_DEVICES = 1,
    /// current reference count; a snapshot for leak hunting only. Answer: `uint32_t`
    UR_CONTEXT_INFO_REFERENCE_COUNT = 2,
    /// whether `urEnqueueUSMMemcpy2D` works on every device of the context. Answer: `ur_bool_t`
    UR_CONTEXT_INFO_USM_MEMCPY2D_SUPPORT = 3,
    /// whether `urEnqueueUSMFill2D` works on every device of the context. Answer: `ur_bool_t`
    UR_CONTEXT_INFO_USM_FILL2D_SUPPORT = 4,
    UR_CONTEXT_INFO_FORCE_UINT32 = 2147483647,
} ur_context_info_t;

/// The bits of ur_mem_flags_t.
typedef enum ur_mem_flag_t {
    /// Kernels may load from and store to the object; the usual choice when no access bit is given
    UR_MEM_FLAG_READ_WRITE = (1 << 0),
    /// Kernels only store; a load from inside a kernel is undefined
    UR_MEM_FLAG_WRITE_ONLY = (1 << 1),
    /// Kernels only load; a store from inside a kernel is undefined
    UR_MEM_FLAG_READ_ONLY = (1 << 2),
    /// Backs the object with the caller's pHost storage, which must outlive the object
    UR_MEM_FLAG_USE_HOST_POINTER = (1 << 3),
    /// Places the storage in memory the host can address, typically pinned
    UR_MEM_FLAG_ALLOC_HOST_POINTER = (1 << 4),
    /// Allocates fresh storage and initialises it from pHost at creation time
    UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER = (1 << 5),
    UR_MEM_FLAG_FORCE_UINT32 = 2147483647,
} ur_mem_flag_t;

/// Dimensionality and layering of an image.
typedef enum ur_mem_type_t {
    /// Single plane addressed by (x, y)
    UR_MEM_TYPE_IMAGE2D = 0,
    /// Volume addressed by (x, y, z)
    UR_MEM_TYPE_IMAGE3D = 1,
    /// Stack of equally sized 2D layers
    UR_MEM_TYPE_IMAGE2D_ARRAY = 2,
    /// Single row addressed by x
    UR_MEM_TYPE_IMAGE1D = 3,
    /// Stack of equally long 1D layers
    UR_MEM_TYPE_IMAGE1D_ARRAY = 4,
    /// Six square faces addressed by direction (bindless images extension)
    UR_MEM_TYPE_IMAGE_CUBEMAP_EXP = 8192,
    /// 2D image usable for texture gather fetches (bindless images extension)
    UR_MEM_TYPE_IMAGE_GATHER_EXP = 8193,
    UR_MEM_TYPE_FORCE_UINT32 = 2147483647,
} ur_mem_type_t;

/// Selects what urMemGetInfo reports.
typedef enum ur_mem_info_t {
    /// Bytes of storage the object occupies. Answer: `size_t`
    UR_MEM_INFO_SIZE = 0,
    /// Context that owns the object; not retained for the caller. Answer: `ur_context_handle_t`
    UR_MEM_INFO_CONTEXT = 1,
    /// Current reference count; a snapshot, useful only for debugging leaks. Answer: `uint32_t`
    UR_MEM_INFO_REFERENCE_COUNT = 2,
    UR_MEM_INFO_FORCE_UINT32 = 2147483647,
} ur_mem_info_t;

/// Which colour components a pixel stores, and in what sequence.
typedef enum ur_image_channel_order_t {
    /// One component: alpha
    UR_IMAGE_CHANNEL_ORDER_A = 0,
    /// One component: red
    UR_IMAGE_CHANNEL_ORDER_R = 1,
    /// Two components: red, green
    UR_IMAGE_CHANNEL_ORDER_RG = 2,
    /// Two components: red, alpha
    UR_IMAGE_CHANNEL_ORDER_RA = 3,
    /// Three components; usually tied to packed 16- or 32-bit channel types
    UR_IMAGE_CHANNEL_ORDER_RGB = 4,
    /// Four components: red, green, blue, alpha; the most widely supported layout
    UR_IMAGE_CHANNEL_ORDER_RGBA = 5,
    /// Four components: blue, green, red, alpha
    UR_IMAGE_CHANNEL_ORDER_BGRA = 6,
    /// Four components: alpha, red, green, blue
    UR_IMAGE_CHANNEL_ORDER_ARGB = 7,
    /// Four components: alpha, blue, green, red
    UR_IMAGE_CHANNEL_ORDER_ABGR = 8,
    /// One component, replicated to all four on read
    UR_IMAGE_CHANNEL_ORDER_INTENSITY = 9,
    /// One component, replicated to red, green and blue on read; alpha reads as one
    UR_IMAGE_CHANNEL_ORDER_LUMINANCE = 10,
    /// Red plus one padding component whose content is ignored
    UR_IMAGE_CHANNEL_ORDER_RX = 11,
    /// Red and green plus one ignored padding component
    UR_IMAGE_CHANNEL_ORDER_RGX = 12,
    /// Red, green and blue plus one ignored padding component
    UR_IMAGE_CHANNEL_ORDER_RGBX = 13,
    /// RGBA whose colour components are sRGB-encoded and linearised on read
    UR_IMAGE_CHANNEL_ORDER_SRGBA = 14,
    UR_IMAGE_CHANNEL_ORDER_FORCE_UINT32 = 2147483647,
} ur_image_channel_order_t;

/// Storage type of each pixel component and how it converts to the value a kernel sees.
typedef enum ur_image_channel_type_t {
    /// Signed 8-bit, read as a float in [-1, 1]
    UR_IMAGE_CHANNEL_TYPE_SNORM_INT8 = 0,
    /// Signed 16-bit, read as a float in [-1, 1]
    UR_IMAGE_CHANNEL_TYPE_SNORM_INT16 = 1,
    /// Unsigned 8-bit, read as a float in [0, 1]
    UR_IMAGE_CHANNEL_TYPE_UNORM_INT8 = 2,
    /// Unsigned 16-bit, read as a float in [0, 1]
    UR_IMAGE_CHANNEL_TYPE_UNORM_INT16 = 3,
    /// RGB packed into 16 bits as 5-6-5, each read as a float in [0, 1]
    UR_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565 = 4,
    /// RGB packed into 16 bits as x-5-5-5, each read as a float in [0, 1]
    UR_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555 = 5,
    /// RGB packed into 32 bits as x-10-10-10, each read as a float in [0, 1]
    UR_IMAGE_CHANNEL_TYPE_INT_101010 = 6,
    /// Signed 8-bit integer, read without conversion
    UR_IMAGE_CHANNEL_TYPE_SIGNED_INT8 = 7,
    /// Signed 16-bit integer, read without conversion
    UR_IMAGE_CHANNEL_TYPE_SIGNED_INT16 = 8,
    /// Signed 32-bit integer, read without conversion
    UR_IMAGE_CHANNEL_TYPE_SIGNED_INT32 = 9,
    /// Unsigned 8-bit integer, read without conversion
    UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8 = 10,
    /// Unsigned 16-bit integer, read without conversion
    UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16 = 11,
    /// Unsigned 32-bit integer, read without conversion
    UR_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32 = 12,
    /// IEEE 754 binary16
    UR_IMAGE_CHANNEL_TYPE_HALF_FLOAT = 13,
    /// IEEE 754 binary32
    UR_IMAGE_CHANNEL_TYPE_FLOAT = 14,
    UR_IMAGE_CHANNEL_TYPE_FORCE_UINT32 = 2147483647,
} ur_image_channel_type_t;

/// Selects what urMemImageGetInfo reports.
typedef enum ur_image_info_t {
    /// Channel order and channel type given at creation. Answer: `ur_image_format_t`
    UR_IMAGE_INFO_FORMAT = 0,
    /// Bytes per pixel. Answer: `size_t`
    UR_IMAGE_INFO_ELEMENT_SIZE = 1,
    /// Bytes from one row to the next. Answer: `size_t`
    UR_IMAGE_INFO_ROW_PITCH = 2,
    /// Bytes from one 2D slice or array layer to the next. Answer: `size_t`
    UR_IMAGE_INFO_SLICE_PITCH = 3,
    /// Pixels along x. Answer: `size_t`
    UR_IMAGE_INFO_WIDTH = 4,
    /// Pixels along y; zero for 1D images, as in OpenCL. Answer: `size_t`
    UR_IMAGE_INFO_HEIGHT = 5,
    /// Pixels along z; zero unless the image is 3D, as in OpenCL. Answer: `size_t`
    UR_IMAGE_INFO_DEPTH = 6,
    /// Number of layers of an array image. Answer: `size_t`
    UR_IMAGE_INFO_ARRAY_SIZE = 7,
    /// Number of mip levels held by the image. Answer: `uint32_t`
    UR_IMAGE_INFO_NUM_MIP_LEVELS = 8,
    /// Number of samples per pixel. Answer: `uint32_t`
    UR_IMAGE_INFO_NUM_SAMPLES = 9,
    UR_IMAGE_INFO_FORCE_UINT32 = 2147483647,
} ur_image_info_t;

/// How urMemBufferPartition describes the piece to cut out.
typedef enum ur_buffer_create_type_t {
    /// The piece is a ur_buffer_region_t
    UR_BUFFER_CREATE_TYPE_REGION = 0,
    UR_BUFFER_CREATE_TYPE_FORCE_UINT32 = 2147483647,
} ur_buffer_create_type_t;

/// How a sampler derives a value from neighbouring pixels.
typedef enum ur_sampler_filter_mode_t {
    /// Takes the single closest pixel
    UR_SAMPLER_FILTER_MODE_NEAREST = 0,
    /// Interpolates between the surrounding pixels along each axis
    UR_SAMPLER_FILTER_MODE_LINEAR = 1,
    UR_SAMPLER_FILTER_MODE_FORCE_UINT32 = 2147483647,
} ur_sampler_filter_mode_t;

/// Specifies how a sampler handles coordinates outside the image.
typedef enum ur_sampler_addressing_mode_t {
    /// Undefined outside; the kernel guarantees coordinates in range
    UR_SAMPLER_ADDRESSING_MODE_NONE = 0,
    /// Repeats the outermost pixel
    UR_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE = 1,
    /// Yields the border colour
    UR_SAMPLER_ADDRESSING_MODE_CLAMP = 2,
    /// Wraps around, tiling the image; needs normalised coordinates
    UR_SAMPLER_ADDRESSING_MODE_REPEAT = 3,
    /// Tiles the image, flipping every second tile; needs normalised coordinates
    UR_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT = 4,
    UR_SAMPLER_ADDRESSING_MODE_FORCE_UINT32 = 2147483647,
} ur_sampler_addressing_mode_t;

/// Selects what urSamplerGetInfo reports.
typedef enum ur_sampler_info_t {
    /// Current reference count; a snapshot, useful only for debugging leaks. Answer: `uint32_t`
    UR_SAMPLER_INFO_REFERENCE_COUNT = 0,
    /// Context that owns the sampler; not retained for the caller. Answer: `ur_context_handle_t`
    UR_SAMPLER_INFO_CONTEXT = 1,
    /// Whether coordinates run over [0, 1) instead of pixels. Answer: `ur_bool_t`
    UR_SAMPLER_INFO_NORMALIZED_COORDS = 2,
    /// Treatment of out-of-range coordinates. Answer: `ur_sampler_addressing_mode_t`
    UR_SAMPLER_INFO_ADDRESSING_MODE = 3,
    /// Nearest or linear filtering. Answer: `ur_sampler_filter_mode_t`
    UR_SAMPLER_INFO_FILTER_MODE = 4,
    UR_SAMPLER_INFO_FORCE_UINT32 = 2147483647,
} ur_sampler_info_t;

/// The bits of ur_usm_host_mem_flags_t.
typedef enum ur_usm_host_mem_flag_t {
    /// The host touches a shared allocation first, so its pages should start there
    UR_USM_HOST_MEM_FLAG_INITIAL_PLACEMENT = (1 << 0),
    UR_USM_HOST_MEM_FLAG_FORCE_UINT32 = 2147483647,
} ur_usm_host_mem_flag_t;

/// The bits of ur_usm_device_mem_flags_t.
typedef enum ur_usm_device_mem_flag_t {
    /// Map uncached with combined writes: fast streaming stores, slow loads
    UR_USM_DEVICE_MEM_FLAG_WRITE_COMBINED = (1 << 0),
    /// The device touches a shared allocation first, so its pages should start there
    UR_USM_DEVICE_MEM_FLAG_INITIAL_PLACEMENT = (1 << 1),
    /// Kernels never store to the allocation; the host still may
    UR_USM_DEVICE_MEM_FLAG_DEVICE_READ_ONLY = (1 << 2),
    UR_USM_DEVICE_MEM_FLAG_FORCE_UINT32 = 2147483647,
} ur_usm_device_mem_flag_t;

/// The bits of ur_usm_pool_flags_t.
typedef enum ur_usm_pool_flag_t {
    /// Clear each block obtained from the driver; reused sub-allocations are not cleared again
    UR_USM_POOL_FLAG_ZERO_INITIALIZE_BLOCK = (1 << 0),
    /// Build on the backend's own pools (e.g. CUmemoryPool) rather than pooling inside UR
    UR_USM_POOL_FLAG_USE_NATIVE_MEMORY_POOL_EXP = (1 << 1),
    /// Promise that kernels only load from the pool's memory; a performance hint
    UR_USM_POOL_FLAG_READ_ONLY_EXP = (1 << 2),
    UR_USM_POOL_FLAG_FORCE_UINT32 = 2147483647,
} ur_usm_pool_flag_t;

/// Kind of a USM allocation: where it lives and who may access it.
typedef enum ur_usm_type_t {
    /// Pointer not known as USM in this context
    UR_USM_TYPE_UNKNOWN = 0,
    /// Resident in host memory, accessible by the host and by all devices of the context
    UR_USM_TYPE_HOST = 1,
    /// Resident on one device and not accessible from the host
    UR_USM_TYPE_DEVICE = 2,
    /// Accessible by host and device at the same address; pages may migrate
    UR_USM_TYPE_SHARED = 3,
    UR_USM_TYPE_FORCE_UINT32 = 2147483647,
} ur_usm_type_t;

/// Selects what urUSMGetMemAllocInfo reports.
typedef enum ur_usm_alloc_info_t {
    /// Kind of allocation; UR_USM_TYPE_UNKNOWN for foreign pointers. Answer: `ur_usm_type_t`
    UR_USM_ALLOC_INFO_TYPE = 0,
    /// First address of the allocation containing the pointer. Answer: `void *`
    UR_USM_ALLOC_INFO_BASE_PTR = 1,
    /// Bytes in the whole allocation. Answer: `size_t`
    UR_USM_ALLOC_INFO_SIZE = 2,
    /// Device the allocation was made for; not retained for the caller. Answer: `ur_device_handle_t`
    UR_USM_ALLOC_INFO_DEVICE = 3,
    /// Pool that served the allocation; not retained for the caller. Answer: `ur_usm_pool_handle_t`, optional
    UR_USM_ALLOC_INFO_POOL = 4,
    UR_USM_ALLOC_INFO_FORCE_UINT32 = 2147483647,
} ur_usm_alloc_info_t;

/// The bits of ur_usm_advice_flags_t.
typedef enum ur_usm_advice_flag_t {
    /// No particular usage; resets to the driver's own policy
    UR_USM_ADVICE_FLAG_DEFAULT = (1 << 0),
    /// Loads dominate, so read-only replicas per device pay off
    UR_USM_ADVICE_FLAG_SET_READ_MOSTLY = (1 << 1),
    /// Withdraws the read-mostly hint
    UR_USM_ADVICE_FLAG_CLEAR_READ_MOSTLY = (1 << 2),
    /// Pages should stay on the given device where possible
    UR_USM_ADVICE_FLAG_SET_PREFERRED_LOCATION = (1 << 3),
    /// Withdraws the preferred-device hint
    UR_USM_ADVICE_FLAG_CLEAR_PREFERRED_LOCATION = (1 << 4),
    /// Atomic operations on the range are rare
    UR_USM_ADVICE_FLAG_SET_NON_ATOMIC_MOSTLY = (1 << 5),
    /// Withdraws the non-atomic hint
    UR_USM_ADVICE_FLAG_CLEAR_NON_ATOMIC_MOSTLY = (1 << 6),
    /// Prefer keeping the range in device caches
    UR_USM_ADVICE_FLAG_BIAS_CACHED = (1 << 7),
    /// Prefer bypassing device caches for the range
    UR_USM_ADVICE_FLAG_BIAS_UNCACHED = (1 << 8),
    /// The given device is the main user; keep it mapped there
    UR_USM_ADVICE_FLAG_SET_ACCESSED_BY_DEVICE = (1 << 9),
    /// Withdraws the device-access hint
    UR_USM_ADVICE_FLAG_CLEAR_ACCESSED_BY_DEVICE = (1 << 10),
    /// The CPU is the main user; keep it mapped there
    UR_USM_ADVICE_FLAG_SET_ACCESSED_BY_HOST = (1 << 11),
    /// Withdraws the host-access hint
    UR_USM_ADVICE_FLAG_CLEAR_ACCESSED_BY_HOST = (1 << 12),
    /// Pages should stay in system memory where possible
    UR_USM_ADVICE_FLAG_SET_PREFERRED_LOCATION_HOST = (1 << 13),
    /// Withdraws the preferred-host hint
    UR_USM_ADVICE_FLAG_CLEAR_PREFERRED_LOCATION_HOST = (1 << 14),
    /// Coarse-grained coherence suffices: changes need be visible only between kernels
    UR_USM_ADVICE_FLAG_SET_NON_COHERENT_MEMORY = (1 << 15),
    /// Withdraws the coarse-coherence hint
    UR_USM_ADVICE_FLAG_CLEAR_NON_COHERENT_MEMORY = (1 << 16),
    UR_USM_ADVICE_FLAG_FORCE_UINT32 = 2147483647,
} ur_usm_advice_flag_t;

/// Selects what urUSMPoolGetInfo reports.
typedef enum ur_usm_pool_info_t {
    /// Current reference count; a snapshot, useful only for debugging leaks. Answer: `uint32_t`
    UR_USM_POOL_INFO_REFERENCE_COUNT = 0,
    /// Context that owns the pool; not retained for the caller. Answer: `ur_context_handle_t`
    UR_USM_POOL_INFO_CONTEXT = 1,
    /// Bytes the pool keeps reserved before handing unused blocks back. Answer: `size_t`
    UR_USM_POOL_INFO_RELEASE_THRESHOLD_EXP = 8272,
    /// Upper bound in bytes on the pool's growth. Answer: `size_t`
    UR_USM_POOL_INFO_MAXIMUM_SIZE_EXP = 8273,
    /// Bytes of driver memory the pool holds now. Answer: `size_t`
    UR_USM_POOL_INFO_RESERVED_CURRENT_EXP = 8274,
    /// Peak of the reserved bytes so far. Answer: `size_t`
    UR_USM_POOL_INFO_RESERVED_HIGH_EXP = 8275,
    /// Bytes now handed out to live allocations. Answer: `size_t`
    UR_USM_POOL_INFO_USED_CURRENT_EXP = 8276,
    /// Peak of the handed-out bytes so far. Answer: `size_t`
    UR_USM_POOL_INFO_USED_HIGH_EXP = 8277,
    UR_USM_POOL_INFO_FORCE_UINT32 = 2147483647,
} ur_usm_pool_info_t;

/// Queries understood by `urVirtualMemGranularityGetInfo`.
typedef enum ur_virtual_mem_granularity_info_t {
    /// smallest unit to which sizes and addresses must align, in bytes. Answer: `size_t`
    UR_VIRTUAL_MEM_GRANULARITY_INFO_MINIMUM = 196864,
    /// unit that gives best performance, in bytes. Answer: `size_t`
    UR_VIRTUAL_MEM_GRANULARITY_INFO_RECOMMENDED = 196865,
    UR_VIRTUAL_MEM_GRANULARITY_INFO_FORCE_UINT32 = 2147483647,
} ur_virtual_mem_granularity_info_t;

/// The bits of ur_virtual_mem_access_flags_t.
typedef enum ur_virtual_mem_access_flag_t {
    /// no access allowed
    UR_VIRTUAL_MEM_ACCESS_FLAG_NONE = (1 << 0),
    /// loads and stores
    UR_VIRTUAL_MEM_ACCESS_FLAG_READ_WRITE = (1 << 1),
    /// loads but no stores
    UR_VIRTUAL_MEM_ACCESS_FLAG_READ_ONLY = (1 << 2),
    UR_VIRTUAL_MEM_ACCESS_FLAG_FORCE_UINT32 = 2147483647,
} ur_virtual_mem_access_flag_t;

/// Queries understood by `urVirtualMemGetInfo`.
typedef enum ur_virtual_mem_info_t {
    /// current access rights of the range. Answer: `ur_virtual_mem_access_flags_t`
    UR_VIRTUAL_MEM_INFO_ACCESS_MODE = 0,
    UR_VIRTUAL_MEM_INFO_FORCE_UINT32 = 2147483647,
} ur_virtual_mem_info_t;

/// The bits of ur_physical_mem_flags_t.
typedef enum ur_physical_mem_flag_t {
    /// allow the storage to be shared with other processes
    UR_PHYSICAL_MEM_FLAG_ENABLE_IPC = (1 << 1),
    UR_PHYSICAL_MEM_FLAG_FORCE_UINT32 = 2147483647,
} ur_physical_mem_flag_t;

/// Queries understood by `urPhysicalMemGetInfo`.
typedef enum ur_physical_mem_info_t {
    /// context given at creation. Answer: `ur_context_handle_t`
    UR_PHYSICAL_MEM_INFO_CONTEXT = 0,
    /// device on which the storage lies. Answer: `ur_device_handle_t`
    UR_PHYSICAL_MEM_INFO_DEVICE = 1,
    /// length of the storage in bytes. Answer: `size_t`
    UR_PHYSICAL_MEM_INFO_SIZE = 2,
    /// properties given at creation. Answer: `ur_physical_mem_properties_t`
    UR_PHYSICAL_MEM_INFO_PROPERTIES = 3,
    /// current reference count; a snapshot for leak hunting only. Answer: `uint32_t`
    UR_PHYSICAL_MEM_INFO_REFERENCE_COUNT = 4,
    UR_PHYSICAL_MEM_INFO_FORCE_UINT32 = 2147483647,
} ur_physical_mem_info_t;

/// Tag saying which member of ur_program_metadata_value_t is active.
typedef enum ur_program_metadata_type_t {
    /// data32 is active
    UR_PROGRAM_METADATA_TYPE_UINT32 = 0,
    /// data64 is active
    UR_PROGRAM_METADATA_TYPE_UINT64 = 1,
    /// pData is active and points to size bytes
    UR_PROGRAM_METADATA_TYPE_BYTE_ARRAY = 2,
    /// pString is active and ends with NUL
    UR_PROGRAM_METADATA_TYPE_STRING = 3,
    UR_PROGRAM_METADATA_TYPE_FORCE_UINT32 = 2147483647,
} ur_program_metadata_type_t;

/// Selects what urProgramGetInfo reports.
typedef enum ur_program_info_t {
    /// Current reference count; a snapshot, useful only for debugging leaks. Answer: `uint32_t`
    UR_PROGRAM_INFO_REFERENCE_COUNT = 0,
    /// Context that owns the program; not retained for the caller. Answer: `ur_context_handle_t`
    UR_PROGRAM_INFO_CONTEXT = 1,
    /// Number of devices the program is for. Answer: `uint32_t`
    UR_PROGRAM_INFO_NUM_DEVICES = 2,
    /// Those devices, as many as UR_PROGRAM_INFO_NUM_DEVICES says; not retained. Answer: `ur_device_handle_t[]`
    UR_PROGRAM_INFO_DEVICES = 3,
    /// Source IL bytes without a terminator; empty when the program did not come from IL. Answer: `char[]`
    UR_PROGRAM_INFO_IL = 4,
    /// Bytes of each device's binary, in UR_PROGRAM_INFO_DEVICES order; 0 where none exists. Answer: `size_t[]`
    UR_PROGRAM_INFO_BINARY_SIZES = 5,
    /// Caller passes one buffer pointer per device; each is filled with that device's binary. Answer: `uint8_t *[]`
    UR_PROGRAM_INFO_BINARIES = 6,
    /// Number of kernels; needs a built program. Answer: `size_t`, optional
    UR_PROGRAM_INFO_NUM_KERNELS = 7,
    /// Kernel names joined by ';' and NUL-terminated; needs a built program. Answer: `char[]`, optional
    UR_PROGRAM_INFO_KERNEL_NAMES = 8,
    UR_PROGRAM_INFO_FORCE_UINT32 = 2147483647,
} ur_program_info_t;

/// Outcome of the latest build, compile or link for one device.
typedef enum ur_program_build_status_t {
    /// Nothing has been attempted yet
    UR_PROGRAM_BUILD_STATUS_NONE = 0,
    /// The latest attempt failed; see the log
    UR_PROGRAM_BUILD_STATUS_ERROR = 1,
    /// The latest attempt succeeded
    UR_PROGRAM_BUILD_STATUS_SUCCESS = 2,
    /// An attempt is still running
    UR_PROGRAM_BUILD_STATUS_IN_PROGRESS = 3,
    UR_PROGRAM_BUILD_STATUS_FORCE_UINT32 = 2147483647,
} ur_program_build_status_t;

/// Kind of code a program holds for one device.
typedef enum ur_program_binary_type_t {
    /// No code yet
    UR_PROGRAM_BINARY_TYPE_NONE = 0,
    /// Object code still to be linked
    UR_PROGRAM_BINARY_TYPE_COMPILED_OBJECT = 1,
    /// Linkable library of object code
    UR_PROGRAM_BINARY_TYPE_LIBRARY = 2,
    /// Linked code, ready for kernel creation
    UR_PROGRAM_BINARY_TYPE_EXECUTABLE = 3,
    UR_PROGRAM_BINARY_TYPE_FORCE_UINT32 = 2147483647,
} ur_program_binary_type_t;

/// Selects what urProgramGetBuildInfo reports.
typedef enum ur_program_build_info_t {
    /// Outcome of the latest attempt. Answer: `ur_program_build_status_t`
    UR_PROGRAM_BUILD_INFO_STATUS = 0,
    /// NUL-terminated options of the latest attempt. Answer: `char[]`
    UR_PROGRAM_BUILD_INFO_OPTIONS = 1,
    /// NUL-terminated compiler or linker output of the latest attempt. Answer: `char[]`
    UR_PROGRAM_BUILD_INFO_LOG = 2,
    /// Kind of code held for the device. Answer: `ur_program_binary_type_t`
    UR_PROGRAM_BUILD_INFO_BINARY_TYPE = 3,
    UR_PROGRAM_BUILD_INFO_FORCE_UINT32 = 2147483647,
} ur_program_build_info_t;

/// Selects what urQueueGetInfo reports.
typedef enum ur_queue_info_t {
    /// Context that owns the queue; not retained for the caller. Answer: `ur_context_handle_t`
    UR_QUEUE_INFO_CONTEXT = 0,
    /// Device the queue feeds; not retained for the caller. Answer: `ur_device_handle_t`
    UR_QUEUE_INFO_DEVICE = 1,
    /// Default on-device queue of the queue's device. Answer: `ur_queue_handle_t`
    UR_QUEUE_INFO_DEVICE_DEFAULT = 2,
    /// Flags given at creation. Answer: `ur_queue_flags_t`
    UR_QUEUE_INFO_FLAGS = 3,
    /// Current reference count; a snapshot, useful only for debugging leaks. Answer: `uint32_t`
    UR_QUEUE_INFO_REFERENCE_COUNT = 4,
    /// Capacity of an on-device queue; UR_RESULT_ERROR_INVALID_QUEUE for host queues. Answer: `uint32_t`
    UR_QUEUE_INFO_SIZE = 5,
    /// True when no command was pending at the moment of asking. Answer: `ur_bool_t`, optional
    UR_QUEUE_INFO_EMPTY = 6,
    UR_QUEUE_INFO_FORCE_UINT32 = 2147483647,
} ur_queue_info_t;

/// The bits of ur_queue_flags_t.
typedef enum ur_queue_flag_t {
    /// Commands may overlap or reorder; only events and barriers order them
    UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE = (1 << 0),
    /// Record timestamps so that urEventGetProfilingInfo works
    UR_QUEUE_FLAG_PROFILING_ENABLE = (1 << 1),
    /// Queue fed by kernels (device-side enqueue); requires the out-of-order flag too
    UR_QUEUE_FLAG_ON_DEVICE = (1 << 2),
    /// Make this the device's default on-device queue
    UR_QUEUE_FLAG_ON_DEVICE_DEFAULT = (1 << 3),
    /// Caller needs no events from this queue, so the runtime may skip them
    UR_QUEUE_FLAG_DISCARD_EVENTS = (1 << 4),
    /// Schedule below normal queues; excludes the high-priority flag
    UR_QUEUE_FLAG_PRIORITY_LOW = (1 << 5),
    /// Schedule above normal queues; excludes the low-priority flag
    UR_QUEUE_FLAG_PRIORITY_HIGH = (1 << 6),
    /// Hint to collect commands before submission; excludes the immediate flag
    UR_QUEUE_FLAG_SUBMISSION_BATCHED = (1 << 7),
    /// Hint to submit each command at once; excludes the batched flag
    UR_QUEUE_FLAG_SUBMISSION_IMMEDIATE = (1 << 8),
    /// CUDA: use the default stream as the queue; ignored elsewhere
    UR_QUEUE_FLAG_USE_DEFAULT_STREAM = (1 << 9),
    /// CUDA: create streams that order against the default stream; ignored elsewhere
    UR_QUEUE_FLAG_SYNC_WITH_DEFAULT_STREAM = (1 << 10),
    /// Level Zero hint: wait by interrupt instead of polling, trading latency for CPU time
    UR_QUEUE_FLAG_LOW_POWER_EVENTS_SUPPORT_EXP = (1 << 11),
    UR_QUEUE_FLAG_FORCE_UINT32 = 2147483647,
} ur_queue_flag_t;

/// Type of command that an event belongs to, named after the enqueue call.
typedef enum ur_command_t {
    /// Kernel execution, from urEnqueueKernelLaunchWithArgsExp
    UR_COMMAND_KERNEL_LAUNCH = 0,
    /// Marker waiting on events, from urEnqueueEventsWait
    UR_COMMAND_EVENTS_WAIT = 1,
    /// Barrier holding back later commands, from urEnqueueEventsWaitWithBarrier
    UR_COMMAND_EVENTS_WAIT_WITH_BARRIER = 2,
    /// Buffer to host copy, from urEnqueueMemBufferRead
    UR_COMMAND_MEM_BUFFER_READ = 3,
    /// Host to buffer copy, from urEnqueueMemBufferWrite
    UR_COMMAND_MEM_BUFFER_WRITE = 4,
    /// Box-shaped buffer to host copy, from urEnqueueMemBufferReadRect
    UR_COMMAND_MEM_BUFFER_READ_RECT = 5,
    /// Box-shaped host to buffer copy, from urEnqueueMemBufferWriteRect
    UR_COMMAND_MEM_BUFFER_WRITE_RECT = 6,
    /// Buffer to buffer copy, from urEnqueueMemBufferCopy
    UR_COMMAND_MEM_BUFFER_COPY = 7,
    /// Box-shaped buffer to buffer copy, from urEnqueueMemBufferCopyRect
    UR_COMMAND_MEM_BUFFER_COPY_RECT = 8,
    /// Pattern fill of a buffer, from urEnqueueMemBufferFill
    UR_COMMAND_MEM_BUFFER_FILL = 9,
    /// Image to host copy, from urEnqueueMemImageRead
    UR_COMMAND_MEM_IMAGE_READ = 10,
    /// Host to image copy, from urEnqueueMemImageWrite
    UR_COMMAND_MEM_IMAGE_WRITE = 11,
    /// Image to image copy, from urEnqueueMemImageCopy
    UR_COMMAND_MEM_IMAGE_COPY = 12,
    /// Mapping of a buffer into host memory, from urEnqueueMemBufferMap
    UR_COMMAND_MEM_BUFFER_MAP = 14,
    /// End of a mapping, from urEnqueueMemUnmap
    UR_COMMAND_MEM_UNMAP = 16,
    /// Pattern fill of USM, from urEnqueueUSMFill
    UR_COMMAND_USM_FILL = 17,
    /// Copy between USM or host pointers, from urEnqueueUSMMemcpy
    UR_COMMAND_USM_MEMCPY = 18,
    /// Migration of shared USM ahead of use, from urEnqueueUSMPrefetch
    UR_COMMAND_USM_PREFETCH = 19,
    /// Usage hint for USM, from urEnqueueUSMAdvise
    UR_COMMAND_USM_ADVISE = 20,
    /// Pattern fill of a pitched USM rectangle, from urEnqueueUSMFill2D
    UR_COMMAND_USM_FILL_2D = 21,
    /// Copy of a pitched USM rectangle, from urEnqueueUSMMemcpy2D
    UR_COMMAND_USM_MEMCPY_2D = 22,
    /// Host to device-global copy, from urEnqueueDeviceGlobalVariableWrite
    UR_COMMAND_DEVICE_GLOBAL_VARIABLE_WRITE = 23,
    /// Device-global to host copy, from urEnqueueDeviceGlobalVariableRead
    UR_COMMAND_DEVICE_GLOBAL_VARIABLE_READ = 24,
    /// Host read from a pipe, from urEnqueueReadHostPipe
    UR_COMMAND_READ_HOST_PIPE = 25,
    /// Host write to a pipe, from urEnqueueWriteHostPipe
    UR_COMMAND_WRITE_HOST_PIPE = 26,
    /// Run of a finalised command-buffer, from urEnqueueCommandBufferExp
    UR_COMMAND_ENQUEUE_COMMAND_BUFFER_EXP = 4096,
    /// Wait on an imported semaphore, from urBindlessImagesWaitExternalSemaphoreExp
    UR_COMMAND_EXTERNAL_SEMAPHORE_WAIT_EXP = 8192,
    /// Signal of an imported semaphore, from urBindlessImagesSignalExternalSemaphoreExp
    UR_COMMAND_EXTERNAL_SEMAPHORE_SIGNAL_EXP = 8193,
    /// Device timestamp capture, from urEnqueueTimestampRecordingExp
    UR_COMMAND_TIMESTAMP_RECORDING_EXP = 8194,
    /// Commands a user callback put into the native queue, from urEnqueueNativeCommandExp
    UR_COMMAND_ENQUEUE_NATIVE_EXP = 8196,
    /// Stream-ordered device USM allocation, from urEnqueueUSMDeviceAllocExp
    UR_COMMAND_ENQUEUE_USM_DEVICE_ALLOC_EXP = 8272,
    /// Stream-ordered shared USM allocation, from urEnqueueUSMSharedAllocExp
    UR_COMMAND_ENQUEUE_USM_SHARED_ALLOC_EXP = 8273,
    /// Stream-ordered host USM allocation, from urEnqueueUSMHostAllocExp
    UR_COMMAND_ENQUEUE_USM_HOST_ALLOC_EXP = 8274,
    /// Stream-ordered USM free, from urEnqueueUSMFreeExp
    UR_COMMAND_ENQUEUE_USM_FREE_EXP = 8275,
    /// Run of an executable graph, from urEnqueueGraphExp
    UR_COMMAND_ENQUEUE_GRAPH_EXP = 8448,
    /// Host function run in queue order, from urEnqueueHostTaskExp
    UR_COMMAND_HOST_TASK_EXP = 8704,
    UR_COMMAND_FORCE_UINT32 = 2147483647,
} ur_command_t;

/// Progress of the command behind an event.
typedef enum ur_event_status_t {
    /// Finished; its effects are visible
    UR_EVENT_STATUS_COMPLETE = 0,
    /// Executing on the device
    UR_EVENT_STATUS_RUNNING = 1,
    /// Handed to the device, not yet executing
    UR_EVENT_STATUS_SUBMITTED = 2,
    /// Still in the queue on the host side
    UR_EVENT_STATUS_QUEUED = 3,
    /// Terminated abnormally; waits that list the event fail
    UR_EVENT_STATUS_ERROR = 4,
    UR_EVENT_STATUS_FORCE_UINT32 = 2147483647,
} ur_event_status_t;

/// Selects what urEventGetInfo reports.
typedef enum ur_event_info_t {
    /// Queue the command went to; not retained for the caller. Answer: `ur_queue_handle_t`
    UR_EVENT_INFO_COMMAND_QUEUE = 0,
    /// Context that owns the event; not retained for the caller. Answer: `ur_context_handle_t`
    UR_EVENT_INFO_CONTEXT = 1,
    /// Type of command that the event belongs to. Answer: `ur_command_t`
    UR_EVENT_INFO_COMMAND_TYPE = 2,
    /// Progress of that command at the moment of asking. Answer: `ur_event_status_t`
    UR_EVENT_INFO_COMMAND_EXECUTION_STATUS = 3,
    /// Current reference count; a snapshot, useful only for debugging leaks. Answer: `uint32_t`
    UR_EVENT_INFO_REFERENCE_COUNT = 4,
    UR_EVENT_INFO_FORCE_UINT32 = 2147483647,
} ur_event_info_t;

/// Selects the timestamp urEventGetProfilingInfo reports; all are nanoseconds on one device clock.
typedef enum ur_profiling_info_t {
    /// Time the host put the command into the queue, in nanoseconds. Answer: `uint64_t`, optional
    UR_PROFILING_INFO_COMMAND_QUEUED = 0,
    /// Time the command was handed to the device, in nanoseconds. Answer: `uint64_t`, optional
    UR_PROFILING_INFO_COMMAND_SUBMIT = 1,
    /// Time execution began, in nanoseconds. Answer: `uint64_t`, optional
    UR_PROFILING_INFO_COMMAND_START = 2,
    /// Time execution of the command itself ended, in nanoseconds. Answer: `uint64_t`, optional
    UR_PROFILING_INFO_COMMAND_END = 3,
    /// Time the command and all work it spawned on the device ended, in nanoseconds. Answer: `uint64_t`, optional
    UR_PROFILING_INFO_COMMAND_COMPLETE = 4,
    UR_PROFILING_INFO_FORCE_UINT32 = 2147483647,
} ur_profiling_info_t;

/// Progress point at which an event callback fires.
typedef enum ur_execution_info_t {
    /// The command has finished
    UR_EXECUTION_INFO_COMPLETE = 0,
    /// The device has begun executing the command
    UR_EXECUTION_INFO_RUNNING = 1,
    /// The command has been handed to the device
    UR_EXECUTION_INFO_SUBMITTED = 2,
    /// The command sits in the queue; every event starts here, so urEventSetCallback rejects it
    UR_EXECUTION_INFO_QUEUED = 3,
    UR_EXECUTION_INFO_FORCE_UINT32 = 2147483647,
} ur_execution_info_t;

/// The bits of ur_kernel_launch_flags_t.
typedef enum ur_kernel_launch_flag_t {
    /// Launch cooperatively: all work-groups are resident together and may synchronize with each other
    UR_KERNEL_LAUNCH_FLAG_COOPERATIVE = (1 << 0),
    /// Where possible, serialize launches opportunistically on one native queue (CUDA: programmatic stream
    /// serialization)
    UR_KERNEL_LAUNCH_FLAG_OPPORTUNISTIC_QUEUE_SERIALIZE = (1 << 1),
    UR_KERNEL_LAUNCH_FLAG_FORCE_UINT32 = 2147483647,
} ur_kernel_launch_flag_t;

/// The bits of ur_map_flags_t.
typedef enum ur_map_flag_t {
    /// The host will read the region; current contents are made visible
    UR_MAP_FLAG_READ = (1 << 0),
    /// The host will modify the region; current contents are kept
    UR_MAP_FLAG_WRITE = (1 << 1),
    /// The host will overwrite the whole region, so old contents need not be brought over
    UR_MAP_FLAG_WRITE_INVALIDATE_REGION = (1 << 2),
    UR_MAP_FLAG_FORCE_UINT32 = 2147483647,
} ur_map_flag_t;

/// The bits of ur_usm_migration_flags_t.
typedef enum ur_usm_migration_flag_t {
    /// Move pages towards the queue's device
    UR_USM_MIGRATION_FLAG_HOST_TO_DEVICE = (1 << 0),
    /// Move pages towards host memory
    UR_USM_MIGRATION_FLAG_DEVICE_TO_HOST = (1 << 1),
    UR_USM_MIGRATION_FLAG_FORCE_UINT32 = 2147483647,
} ur_usm_migration_flag_t;

/// Kind of a kernel argument; selects the active member of ur_exp_kernel_arg_value_t.
typedef enum ur_exp_kernel_arg_type_t {
    /// Plain data, copied by value from the address given
    UR_EXP_KERNEL_ARG_TYPE_VALUE = 0,
    /// USM or mapped virtual memory address
    UR_EXP_KERNEL_ARG_TYPE_POINTER = 1,
    /// Buffer or image with its access flags
    UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ = 2,
    /// Local memory block per work-group; only its size matters
    UR_EXP_KERNEL_ARG_TYPE_LOCAL = 3,
    /// Sampler, given by its handle
    UR_EXP_KERNEL_ARG_TYPE_SAMPLER = 4,
    UR_EXP_KERNEL_ARG_TYPE_FORCE_UINT32 = 2147483647,
} ur_exp_kernel_arg_type_t;

/// Properties that urKernelGetInfo can report about a kernel.
typedef enum ur_kernel_info_t {
    /// Name of the entry point, null-terminated. Answer: `char[]`
    UR_KERNEL_INFO_FUNCTION_NAME = 0,
    /// How many arguments the entry point takes. Answer: `uint32_t`
    UR_KERNEL_INFO_NUM_ARGS = 1,
    /// Current reference count; a racy snapshot, good only for leak hunting. Answer: `uint32_t`
    UR_KERNEL_INFO_REFERENCE_COUNT = 2,
    /// Context the kernel lives in; the query does not retain it. Answer: `ur_context_handle_t`
    UR_KERNEL_INFO_CONTEXT = 3,
    /// Program the kernel was taken from; the query does not retain it. Answer: `ur_program_handle_t`
    UR_KERNEL_INFO_PROGRAM = 4,
    /// Attributes declared on the kernel source, as one null-terminated string. Answer: `char[]`
    UR_KERNEL_INFO_ATTRIBUTES = 5,
    /// Register count of the compiled code. Answer: `uint32_t`, optional
    UR_KERNEL_INFO_NUM_REGS = 6,
    /// Register spill memory chosen by the compiler: one value per device, in urDeviceGet order. Answer:
    /// `uint32_t[]`, optional
    UR_KERNEL_INFO_SPILL_MEM_SIZE = 7,
    UR_KERNEL_INFO_FORCE_UINT32 = 2147483647,
} ur_kernel_info_t;

/// Work-group properties of a kernel on one device, as reported by urKernelGetGroupInfo.
typedef enum ur_kernel_group_info_t {
    /// Largest global range per dimension, in work-items. Answer: `size_t[3]`, optional
    UR_KERNEL_GROUP_INFO_GLOBAL_WORK_SIZE = 0,
    /// Largest total work-group size that this kernel can run with on the device, in work-items. Answer: `size_t`
    UR_KERNEL_GROUP_INFO_WORK_GROUP_SIZE = 1,
    /// Work-group size fixed in the kernel source (reqd_work_group_size); three zeros when not fixed. Answer:
    /// `size_t[3]`
    UR_KERNEL_GROUP_INFO_COMPILE_WORK_GROUP_SIZE = 2,
    /// Bytes of local memory that one work-group needs. Answer: `size_t`
    UR_KERNEL_GROUP_INFO_LOCAL_MEM_SIZE = 3,
    /// Work-group sizes that are multiples of this value tend to run fastest. Answer: `size_t`
    UR_KERNEL_GROUP_INFO_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 4,
    /// Lower bound on the private memory of one work-item, in bytes. Answer: `size_t`
    UR_KERNEL_GROUP_INFO_PRIVATE_MEM_SIZE = 5,
    /// Per-dimension upper limit promised in the kernel source; three zeros when none is given. Answer: `size_t[3]`,
    /// optional
    UR_KERNEL_GROUP_INFO_COMPILE_MAX_WORK_GROUP_SIZE = 6,
    /// Upper limit on total work-items per group promised in the kernel source; 0 when none is given. Answer:
    /// `size_t`, optional
    UR_KERNEL_GROUP_INFO_COMPILE_MAX_LINEAR_WORK_GROUP_SIZE = 7,
    UR_KERNEL_GROUP_INFO_FORCE_UINT32 = 2147483647,
} ur_kernel_group_info_t;

/// Sub-group properties of a kernel on one device, as reported by urKernelGetSubGroupInfo.
typedef enum ur_kernel_sub_group_info_t {
    /// Largest sub-group this kernel can run with, in work-items. Answer: `uint32_t`
    UR_KERNEL_SUB_GROUP_INFO_MAX_SUB_GROUP_SIZE = 0,
    /// Upper bound on sub-groups per work-group. Answer: `uint32_t`
    UR_KERNEL_SUB_GROUP_INFO_MAX_NUM_SUB_GROUPS = 1,
    /// Sub-groups per work-group fixed in the kernel source; 0 when not fixed. Answer: `uint32_t`
    UR_KERNEL_SUB_GROUP_INFO_COMPILE_NUM_SUB_GROUPS = 2,
    /// Sub-group size fixed by the intel_reqd_sub_group_size attribute, in work-items; 0 when absent. Answer:
    /// `uint32_t`
    UR_KERNEL_SUB_GROUP_INFO_SUB_GROUP_SIZE_INTEL = 3,
    UR_KERNEL_SUB_GROUP_INFO_FORCE_UINT32 = 2147483647,
} ur_kernel_sub_group_info_t;

/// Preference for dividing on-chip memory between data cache and shared local memory.
typedef enum ur_kernel_cache_config_t {
    /// No preference; the driver decides the split
    UR_KERNEL_CACHE_CONFIG_DEFAULT = 0,
    /// Favour shared local memory over data cache
    UR_KERNEL_CACHE_CONFIG_LARGE_SLM = 1,
    /// Favour data cache over shared local memory
    UR_KERNEL_CACHE_CONFIG_LARGE_DATA = 2,
    UR_KERNEL_CACHE_CONFIG_FORCE_UINT32 = 2147483647,
} ur_kernel_cache_config_t;

/// Execution attributes that urKernelSetExecInfo can change on a kernel.
typedef enum ur_kernel_exec_info_t {
    /// Whether the kernel may reach USM allocations through pointers stored in memory rather than passed as
    /// arguments. Answer: `ur_bool_t`
    UR_KERNEL_EXEC_INFO_USM_INDIRECT_ACCESS = 0,
    /// Array of the USM pointers the kernel reaches indirectly; the value size in bytes sets its length. Answer:
    /// `void *[]`
    UR_KERNEL_EXEC_INFO_USM_PTRS = 1,
    /// Cache versus local memory preference for the kernel's launches. Answer: `ur_kernel_cache_config_t`
    UR_KERNEL_EXEC_INFO_CACHE_CONFIG = 2,
    UR_KERNEL_EXEC_INFO_FORCE_UINT32 = 2147483647,
} ur_kernel_exec_info_t;

/// The bits of ur_exp_device_2d_block_array_capability_flags_t.
typedef enum ur_exp_device_2d_block_array_capability_flag_t {
    /// Device can read 2D blocks of memory in hardware
    UR_EXP_DEVICE_2D_BLOCK_ARRAY_CAPABILITY_FLAG_LOAD = (1 << 0),
    /// Device can write 2D blocks of memory in hardware
    UR_EXP_DEVICE_2D_BLOCK_ARRAY_CAPABILITY_FLAG_STORE = (1 << 1),
    UR_EXP_DEVICE_2D_BLOCK_ARRAY_CAPABILITY_FLAG_FORCE_UINT32 = 2147483647,
} ur_exp_device_2d_block_array_capability_flag_t;

/// The bits of ur_exp_async_usm_alloc_flags_t.
typedef enum ur_exp_async_usm_alloc_flag_t {
    /// Placeholder bit without effect
    UR_EXP_ASYNC_USM_ALLOC_FLAG_TBD = (1 << 0),
    UR_EXP_ASYNC_USM_ALLOC_FLAG_FORCE_UINT32 = 2147483647,
} ur_exp_async_usm_alloc_flag_t;

/// The bits of ur_exp_image_copy_flags_t.
typedef enum ur_exp_image_copy_flag_t {
    /// Source is host memory, destination lives on the device
    UR_EXP_IMAGE_COPY_FLAG_HOST_TO_DEVICE = (1 << 0),
    /// Source lives on the device, destination is host memory
    UR_EXP_IMAGE_COPY_FLAG_DEVICE_TO_HOST = (1 << 1),
    /// Source and destination both live on the device
    UR_EXP_IMAGE_COPY_FLAG_DEVICE_TO_DEVICE = (1 << 2),
    /// Source and destination are both host memory
    UR_EXP_IMAGE_COPY_FLAG_HOST_TO_HOST = (1 << 3),
    UR_EXP_IMAGE_COPY_FLAG_FORCE_UINT32 = 2147483647,
} ur_exp_image_copy_flag_t;

/// Specifies whether the two addresses of a bindless image copy are plain pointers or image memory handles.
typedef enum ur_exp_image_copy_input_types_t {
    /// Source is a pointer, destination an image memory handle
    UR_EXP_IMAGE_COPY_INPUT_TYPES_MEM_TO_IMAGE = 0,
    /// Source is an image memory handle, destination a pointer
    UR_EXP_IMAGE_COPY_INPUT_TYPES_IMAGE_TO_MEM = 1,
    /// Both sides are pointers
    UR_EXP_IMAGE_COPY_INPUT_TYPES_MEM_TO_MEM = 2,
    /// Both sides are image memory handles
    UR_EXP_IMAGE_COPY_INPUT_TYPES_IMAGE_TO_IMAGE = 3,
    UR_EXP_IMAGE_COPY_INPUT_TYPES_FORCE_UINT32 = 2147483647,
} ur_exp_image_copy_input_types_t;

/// Specifies whether filtering may cross the edges between cubemap faces.
typedef enum ur_exp_sampler_cubemap_filter_mode_t {
    /// Each face is filtered on its own
    UR_EXP_SAMPLER_CUBEMAP_FILTER_MODE_DISJOINTED = 0,
    /// Samples near an edge also blend texels of the neighbouring face
    UR_EXP_SAMPLER_CUBEMAP_FILTER_MODE_SEAMLESS = 1,
    UR_EXP_SAMPLER_CUBEMAP_FILTER_MODE_FORCE_UINT32 = 2147483647,
} ur_exp_sampler_cubemap_filter_mode_t;

/// Kind of operating-system handle through which memory is shared with another API or process.
typedef enum ur_exp_external_mem_type_t {
    /// POSIX file descriptor with driver-defined content, as Vulkan exports it
    UR_EXP_EXTERNAL_MEM_TYPE_OPAQUE_FD = 0,
    /// Windows NT handle with driver-defined content
    UR_EXP_EXTERNAL_MEM_TYPE_WIN32_NT = 1,
    /// Windows NT handle of a Direct3D 12 resource
    UR_EXP_EXTERNAL_MEM_TYPE_WIN32_NT_DX12_RESOURCE = 2,
    /// Linux dma-buf file descriptor
    UR_EXP_EXTERNAL_MEM_TYPE_DMA_BUF = 3,
    /// Windows NT handle of a Direct3D 11 resource
    UR_EXP_EXTERNAL_MEM_TYPE_WIN32_NT_DX11_RESOURCE = 4,
    UR_EXP_EXTERNAL_MEM_TYPE_FORCE_UINT32 = 2147483647,
} ur_exp_external_mem_type_t;

/// Kind of operating-system handle through which a semaphore or fence is shared.
typedef enum ur_exp_external_semaphore_type_t {
    /// POSIX file descriptor of a binary semaphore
    UR_EXP_EXTERNAL_SEMAPHORE_TYPE_OPAQUE_FD = 0,
    /// Windows NT handle of a binary semaphore
    UR_EXP_EXTERNAL_SEMAPHORE_TYPE_WIN32_NT = 1,
    /// Windows NT handle of a Direct3D 12 fence
    UR_EXP_EXTERNAL_SEMAPHORE_TYPE_WIN32_NT_DX12_FENCE = 2,
    /// POSIX file descriptor of a timeline semaphore, which counts up in 64 bits
    UR_EXP_EXTERNAL_SEMAPHORE_TYPE_TIMELINE_FD = 3,
    /// Windows NT handle of a timeline semaphore
    UR_EXP_EXTERNAL_SEMAPHORE_TYPE_TIMELINE_WIN32_NT = 4,
    /// Windows NT handle of a Direct3D 11 fence
    UR_EXP_EXTERNAL_SEMAPHORE_TYPE_WIN32_NT_DX11_FENCE = 5,
    UR_EXP_EXTERNAL_SEMAPHORE_TYPE_FORCE_UINT32 = 2147483647,
} ur_exp_external_semaphore_type_t;

/// Specifies the kind of memory behind a bindless image.
typedef enum ur_exp_image_mem_type_t {
    /// Linear or pitched USM, addressed by pointer
    UR_EXP_IMAGE_MEM_TYPE_USM_POINTER = 0,
    /// Image memory in the device's own layout, named by an opaque handle
    UR_EXP_IMAGE_MEM_TYPE_OPAQUE_HANDLE = 1,
    UR_EXP_IMAGE_MEM_TYPE_FORCE_UINT32 = 2147483647,
} ur_exp_image_mem_type_t;

/// The bits of ur_exp_program_flags_t.
typedef enum ur_exp_program_flag_t {
    /// Leave undefined symbols for a later dynamic link instead of failing
    UR_EXP_PROGRAM_FLAG_ALLOW_UNRESOLVED_SYMBOLS = (1 << 0),
    UR_EXP_PROGRAM_FLAG_FORCE_UINT32 = 2147483647,
} ur_exp_program_flag_t;

/// The bits of ur_exp_usm_host_alloc_register_flags_t.
typedef enum ur_exp_usm_host_alloc_register_flag_t {
    /// Devices only read the range; a device write is undefined behaviour
    UR_EXP_USM_HOST_ALLOC_REGISTER_FLAG_READ_ONLY = (1 << 0),
    UR_EXP_USM_HOST_ALLOC_REGISTER_FLAG_FORCE_UINT32 = 2147483647,
} ur_exp_usm_host_alloc_register_flag_t;

/// Properties of the link between two devices, as read by `urUsmP2PPeerAccessGetInfoExp`.
typedef enum ur_exp_peer_info_t {
    /// 1 if the command device can access memory of the peer, else 0. Answer: `int`
    UR_EXP_PEER_INFO_UR_PEER_ACCESS_SUPPORT = 0,
    /// 1 if atomics on memory of the peer work over the link, else 0. Answer: `int`
    UR_EXP_PEER_INFO_UR_PEER_ATOMICS_SUPPORT = 1,
    UR_EXP_PEER_INFO_FORCE_UINT32 = 2147483647,
} ur_exp_peer_info_t;

/// The bits of ur_device_command_buffer_update_capability_flags_t.
typedef enum ur_device_command_buffer_update_capability_flag_t {
    /// Arguments of a kernel launch can be replaced
    UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_KERNEL_ARGUMENTS = (1 << 0),
    /// Work-group size of a launch can be replaced
    UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_LOCAL_WORK_SIZE = (1 << 1),
    /// Global size of a launch can be replaced
    UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_GLOBAL_WORK_SIZE = (1 << 2),
    /// Global offset of a launch can be replaced
    UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_GLOBAL_WORK_OFFSET = (1 << 3),
    /// Kernel of a launch can be swapped for a declared alternative
    UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_KERNEL_HANDLE = (1 << 4),
    /// Signal and wait events of a command can be replaced
    UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_EVENTS = (1 << 5),
    UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_FORCE_UINT32 = 2147483647,
} ur_device_command_buffer_update_capability_flag_t;

/// Properties of a command-buffer, as read by `urCommandBufferGetInfoExp`.
typedef enum ur_exp_command_buffer_info_t {
    /// Current reference count; a snapshot, useful only for leak hunting. Answer: `uint32_t`
    UR_EXP_COMMAND_BUFFER_INFO_REFERENCE_COUNT = 0,
    /// Descriptor of the command-buffer, with the settings that the adapter really uses. Answer:
    /// `ur_exp_command_buffer_desc_t`
    UR_EXP_COMMAND_BUFFER_INFO_DESCRIPTOR = 1,
    UR_EXP_COMMAND_BUFFER_INFO_FORCE_UINT32 = 2147483647,
} ur_exp_command_buffer_info_t;

/// Properties of a single command of a command-buffer.
typedef enum ur_exp_command_buffer_command_info_t {
    /// Current reference count; a snapshot, useful only for leak hunting. Answer: `uint32_t`
    UR_EXP_COMMAND_BUFFER_COMMAND_INFO_REFERENCE_COUNT = 0,
    UR_EXP_COMMAND_BUFFER_COMMAND_INFO_FORCE_UINT32 = 2147483647,
} ur_exp_command_buffer_command_info_t;

/// The bits of ur_exp_host_task_flags_t.
typedef enum ur_exp_host_task_flag_t {
    /// Placeholder without meaning, reserved for future use
    UR_EXP_HOST_TASK_FLAG_TBD = (1 << 0),
    UR_EXP_HOST_TASK_FLAG_FORCE_UINT32 = 2147483647,
} ur_exp_host_task_flag_t;

/// The bits of ur_exp_enqueue_ext_flags_t.
typedef enum ur_exp_enqueue_ext_flag_t {
    /// Hint to wait by interrupt instead of polling: less CPU load, later wake-up; ignorable outside Level Zero
    UR_EXP_ENQUEUE_EXT_FLAG_LOW_POWER_EVENTS_SUPPORT = (1 << 11),
    UR_EXP_ENQUEUE_EXT_FLAG_FORCE_UINT32 = 2147483647,
} ur_exp_enqueue_ext_flag_t;

/// The bits of ur_exp_enqueue_native_command_flags_t.
typedef enum ur_exp_enqueue_native_command_flag_t {
    /// Placeholder without meaning, reserved for future use
    UR_EXP_ENQUEUE_NATIVE_COMMAND_FLAG_TBD = (1 << 0),
    UR_EXP_ENQUEUE_NATIVE_COMMAND_FLAG_FORCE_UINT32 = 2147483647,
} ur_exp_enqueue_native_command_flag_t;

/// The bits of ur_exp_event_flags_t.
typedef enum ur_exp_event_flag_t {
    /// Record start and end timestamps each time the event is signalled
    UR_EXP_EVENT_FLAG_ENABLE_PROFILING = (1 << 0),
    /// Allow export to other processes by IPC handle; excludes UR_EXP_EVENT_FLAG_ENABLE_PROFILING
    UR_EXP_EVENT_FLAG_IPC_EXP = (1 << 1),
    UR_EXP_EVENT_FLAG_FORCE_UINT32 = 2147483647,
} ur_exp_event_flag_t;

typedef struct ur_adapter_handle_t_ ur_adapter_handle_t_;

typedef struct ur_context_handle_t_ ur_context_handle_t_;

typedef struct ur_device_handle_t_ ur_device_handle_t_;

typedef struct ur_event_handle_t_ ur_event_handle_t_;

typedef struct ur_exp_command_buffer_command_handle_t_ ur_exp_command_buffer_command_handle_t_;

typedef struct ur_exp_command_buffer_handle_t_ ur_exp_command_buffer_handle_t_;

typedef struct ur_exp_executable_graph_handle_t_ ur_exp_executable_graph_handle_t_;

typedef struct ur_exp_external_mem_handle_t_ ur_exp_external_mem_handle_t_;

typedef struct ur_exp_external_semaphore_handle_t_ ur_exp_external_semaphore_handle_t_;

typedef struct ur_exp_graph_handle_t_ ur_exp_graph_handle_t_;

typedef struct ur_kernel_handle_t_ ur_kernel_handle_t_;

typedef struct ur_loader_config_handle_t_ ur_loader_config_handle_t_;

typedef struct ur_mem_handle_t_ ur_mem_handle_t_;

typedef struct ur_physical_mem_handle_t_ ur_physical_mem_handle_t_;

typedef struct ur_platform_handle_t_ ur_platform_handle_t_;

typedef struct ur_program_handle_t_ ur_program_handle_t_;

typedef struct ur_queue_handle_t_ ur_queue_handle_t_;

typedef struct ur_sampler_handle_t_ ur_sampler_handle_t_;

typedef struct ur_usm_pool_handle_t_ ur_usm_pool_handle_t_;

/// One-byte truth value: zero is false, any other value is true.
typedef uint8_t ur_bool_t;

/// Reference-counted settings object passed to loader initialisation.
typedef struct ur_loader_config_handle_t_ *ur_loader_config_handle_t;

/// Reference-counted handle of one backend plug-in (adapter).
typedef struct ur_adapter_handle_t_ *ur_adapter_handle_t;

/// Handle of a driver platform, which groups devices of one backend; owned by its adapter.
typedef struct ur_platform_handle_t_ *ur_platform_handle_t;

/// Reference-counted handle of a root device or sub-device.
typedef struct ur_device_handle_t_ *ur_device_handle_t;

/// Reference-counted handle of a context, the sharing domain for memory, programs and queues over a set of
/// devices.
typedef struct ur_context_handle_t_ *ur_context_handle_t;

/// Reference-counted handle that tracks the completion of an enqueued command.
typedef struct ur_event_handle_t_ *ur_event_handle_t;

/// Reference-counted handle of a program holding IL or native device code.
typedef struct ur_program_handle_t_ *ur_program_handle_t;

/// Reference-counted handle of one kernel entry point of a program together with its arguments.
typedef struct ur_kernel_handle_t_ *ur_kernel_handle_t;

/// Reference-counted handle of a command queue bound to one context and one device.
typedef struct ur_queue_handle_t_ *ur_queue_handle_t;

/// Pointer-wide integer that carries a handle of the underlying driver API.
typedef uintptr_t ur_native_handle_t;

/// Reference-counted handle of an image sampler.
typedef struct ur_sampler_handle_t_ *ur_sampler_handle_t;

/// Reference-counted handle of a buffer or image.
typedef struct ur_mem_handle_t_ *ur_mem_handle_t;

/// Reference-counted handle of device storage that can back reserved virtual addresses.
typedef struct ur_physical_mem_handle_t_ *ur_physical_mem_handle_t;

/// Common prefix (type tag and chain pointer) of all property structures passed as input.
typedef struct ur_base_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
} ur_base_properties_t;

/// Common prefix (type tag and chain pointer) of all descriptor structures.
typedef struct ur_base_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
} ur_base_desc_t;

/// Three-dimensional origin of a rectangular region.
typedef struct ur_rect_offset_t {
    /// [in] first coordinate: bytes for buffers, pixels for images
    uint64_t x;
    /// [in] second coordinate, in rows
    uint64_t y;
    /// [in] third coordinate, in slices
    uint64_t z;
} ur_rect_offset_t;

/// Three-dimensional extent of a rectangular region.
typedef struct ur_rect_region_t {
    /// [in] length of one row: bytes for buffers, pixels for images
    uint64_t width;
    /// [in] number of rows
    uint64_t height;
    /// [in] number of slices
    uint64_t depth;
} ur_rect_region_t;

/// Restricts loader initialisation to adapters of certain device classes.
typedef uint32_t ur_device_init_flags_t;

/// Source position of the user code that led to an API call.
typedef struct ur_code_location_t {
    /// [inout] null-terminated name of the calling function
    const char *functionName;
    /// [inout] null-terminated path of the source file
    const char *sourceFile;
    /// [inout] line in the source file
    uint32_t lineNumber;
    /// [inout] column in the source line
    uint32_t columnNumber;
} ur_code_location_t;

/// Application function asked for the source position behind the API call in progress.
///
/// @param[inout] pUserData the pointer that was registered together with the callback
typedef struct ur_code_location_t (*ur_code_location_callback_t)(void *pUserData);

/// Application function that receives log messages; it must be thread-safe.
///
/// @param[out] level severity of this message
/// @param[inout] pLoggerMsg null-terminated message text, valid only during the call
/// @param[inout] pUserData the pointer that was registered together with the callback
typedef void (*ur_logger_callback_t)(enum ur_logger_level_t level, const char *pLoggerMsg, void *pUserData);

/// Options for wrapping a native platform.
typedef struct ur_platform_native_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] true if UR takes over the native handle and disposes of it
    bool isNativeHandleOwned;
} ur_platform_native_properties_t;

/// Describes the target of one device image offered for selection.
typedef struct ur_device_binary_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] null-terminated target name, one of the `UR_DEVICE_BINARY_TARGET_*` strings such as `spir64` or `nvptx64`
    const char *pDeviceTargetSpec;
} ur_device_binary_t;

/// Memory level that the compute units of one sub-device have in common.
typedef uint32_t ur_device_affinity_domain_flags_t;

/// Argument of a partition scheme; the scheme decides which member counts.
typedef union ur_device_partition_value_t {
    /// [in] compute units per sub-device, for `UR_DEVICE_PARTITION_EQUALLY`
    uint32_t equally;
    /// [in] compute units of this one sub-device, for `UR_DEVICE_PARTITION_BY_COUNTS`
    uint32_t count;
    /// [in] level to split along, for `UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN`
    ur_device_affinity_domain_flags_t affinity_domain;
} ur_device_partition_value_t;

/// One partition request: a scheme and its argument.
typedef struct ur_device_partition_property_t {
    /// [in] scheme to apply
    enum ur_device_partition_t type;
    /// [in] argument of the scheme, read according to `type`
    union ur_device_partition_value_t value;
} ur_device_partition_property_t;

/// List of partition requests given to `urDevicePartition`.
typedef struct ur_device_partition_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] what is wanted
    const struct ur_device_partition_property_t *pProperties;
    /// [in] number of entries in `pProperties`
    size_t PropCount;
} ur_device_partition_properties_t;

/// Floating-point abilities of a device for one precision.
typedef uint32_t ur_device_fp_capability_flags_t;

/// Kinds of kernel that a device executes.
typedef uint32_t ur_device_exec_capability_flags_t;

/// Options for wrapping a native device.
typedef struct ur_device_native_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] true if UR takes over the native handle and disposes of it
    bool isNativeHandleOwned;
} ur_device_native_properties_t;

/// Memory orders of the SYCL and C++ atomics model.
typedef uint32_t ur_memory_order_capability_flags_t;

/// Set of observers for which a memory order is guaranteed.
typedef uint32_t ur_memory_scope_capability_flags_t;

/// Ways in which a device may touch one kind of USM memory.
typedef uint32_t ur_device_usm_access_capability_flags_t;

/// Cause of a reduced clock frequency.
typedef uint32_t ur_device_throttle_reasons_flags_t;

/// Launch properties that a device may support.
typedef uint32_t ur_kernel_launch_properties_flags_t;

/// Context creation flags.
typedef uint32_t ur_context_flags_t;

/// Options for creating a context.
typedef struct ur_context_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] creation flags; zero is the only useful value at present
    ur_context_flags_t flags;
} ur_context_properties_t;

/// Options for wrapping a native context.
typedef struct ur_context_native_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] true if UR takes over the native handle and destroys it with the context
    bool isNativeHandleOwned;
} ur_context_native_properties_t;

/// Application function called when a context is destroyed.
///
/// @param[inout] pUserData the pointer that was registered together with the function
typedef void (*ur_context_extended_deleter_t)(void *pUserData);

/// Access mode and host-storage options of a buffer or image.
typedef uint32_t ur_mem_flags_t;

/// Pixel layout of an image: channel order plus channel type.
typedef struct ur_image_format_t {
    /// [in] which components a pixel has and their sequence
    enum ur_image_channel_order_t channelOrder;
    /// [in] storage and conversion of each component
    enum ur_image_channel_type_t channelType;
} ur_image_format_t;

/// Shape and host-data layout of an image, the counterpart of cl_image_desc.
typedef struct ur_image_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] dimensionality; decides which extents below are read
    enum ur_mem_type_t type;
    /// [in] pixels along x
    size_t width;
    /// [in] pixels along y; ignored for 1D images and 1D arrays
    size_t height;
    /// [in] pixels along z; read for 3D images only
    size_t depth;
    /// [in] number of layers; read for array images only
    size_t arraySize;
    /// [in] bytes between rows of host data; 0 derives it from width, mandatory 0 without host data
    size_t rowPitch;
    /// [in] bytes between slices of host data; 0 derives it from rowPitch, mandatory 0 without host data
    size_t slicePitch;
    /// [in] mip level count; urMemImageCreate accepts only 0
    uint32_t numMipLevel;
    /// [in] samples per pixel; urMemImageCreate accepts only 0
    uint32_t numSamples;
} ur_image_desc_t;

/// Head of the property chain accepted by urMemBufferCreate; carries the host pointer.
typedef struct ur_buffer_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] [optional] source or backing bytes, at least the buffer's size; null when no flag uses it
    void *pHost;
} ur_buffer_properties_t;

/// Chained property that pins a buffer to one memory channel of the device (FPGA boards).
typedef struct ur_buffer_channel_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] number of the memory channel or region that should hold the buffer
    uint32_t channel;
} ur_buffer_channel_properties_t;

/// Chained property choosing the global-memory partition of a buffer, after cl_intel_mem_alloc_buffer_location.
typedef struct ur_buffer_alloc_location_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] device-specific number of the partition to allocate from
    uint32_t location;
} ur_buffer_alloc_location_properties_t;

/// Contiguous byte range inside a buffer.
typedef struct ur_buffer_region_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] first byte, counted from the start of the parent buffer
    size_t origin;
    /// [in] bytes in the range; must not be 0
    size_t size;
} ur_buffer_region_t;

/// Options for adopting a native memory object.
typedef struct ur_mem_native_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] true: UR frees the native object together with the last UR reference
    bool isNativeHandleOwned;
} ur_mem_native_properties_t;

/// Complete state of a sampler, fixed at creation.
typedef struct ur_sampler_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] true: coordinates run over [0, 1); false: they count pixels
    bool normalizedCoords;
    /// [in] treatment of coordinates outside the image
    enum ur_sampler_addressing_mode_t addressingMode;
    /// [in] nearest or linear filtering
    enum ur_sampler_filter_mode_t filterMode;
} ur_sampler_desc_t;

/// Options for adopting a native sampler.
typedef struct ur_sampler_native_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] true: UR destroys the native sampler together with the last UR reference
    bool isNativeHandleOwned;
} ur_sampler_native_properties_t;

/// Hints on the host side of a USM allocation.
typedef uint32_t ur_usm_host_mem_flags_t;

/// Hints on the device side of a USM allocation.
typedef uint32_t ur_usm_device_mem_flags_t;

/// Behaviour options of a USM pool.
typedef uint32_t ur_usm_pool_flags_t;

/// Usage hints for a USM range; they affect speed, with no change to results in correct programs.
typedef uint32_t ur_usm_advice_flags_t;

/// Reference-counted pool from which USM allocations are served.
typedef struct ur_usm_pool_handle_t_ *ur_usm_pool_handle_t;

/// Head of the descriptor chain of a USM allocation: hints and alignment.
typedef struct ur_usm_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] usage hints applied to this allocation only
    ur_usm_advice_flags_t hints;
    /// [in] required alignment in bytes, a power of two; 0 lets the runtime choose
    uint32_t align;
} ur_usm_desc_t;

/// Chained descriptor with host-side flags, for host and shared allocations.
typedef struct ur_usm_host_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] host-side allocation hints
    ur_usm_host_mem_flags_t flags;
} ur_usm_host_desc_t;

/// Chained descriptor with device-side flags, for device and shared allocations.
typedef struct ur_usm_device_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] device-side allocation hints
    ur_usm_device_mem_flags_t flags;
} ur_usm_device_desc_t;

/// Chained descriptor choosing the global-memory partition of a USM allocation (FPGA boards).
typedef struct ur_usm_alloc_location_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] device-specific number of the partition to allocate from
    uint32_t location;
} ur_usm_alloc_location_desc_t;

/// Head of the descriptor chain of a USM pool.
typedef struct ur_usm_pool_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] behaviour options of the pool
    ur_usm_pool_flags_t flags;
} ur_usm_pool_desc_t;

/// Chained descriptor tuning which requests a pool serves and how it grows.
typedef struct ur_usm_pool_limits_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] largest request in bytes served from pooled blocks; bigger ones bypass the pool
    size_t maxPoolableSize;
    /// [in] bytes the pool asks of the driver at least, each time it grows
    size_t minDriverAllocSize;
} ur_usm_pool_limits_desc_t;

/// Access rights of a mapped address range.
typedef uint32_t ur_virtual_mem_access_flags_t;

/// Creation flags of physical memory.
typedef uint32_t ur_physical_mem_flags_t;

/// Options for creating physical memory.
typedef struct ur_physical_mem_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] creation flags; zero for none
    ur_physical_mem_flags_t flags;
} ur_physical_mem_properties_t;

/// Value of one metadata entry; ur_program_metadata_t.type selects the member.
typedef union ur_program_metadata_value_t {
    /// [in] 32-bit value, held inline
    uint32_t data32;
    /// [in] 64-bit value, held inline
    uint64_t data64;
    /// [in] NUL-terminated text; stays the caller's
    char *pString;
    /// [in] raw bytes, as many as the entry's size says; stays the caller's
    void *pData;
} ur_program_metadata_value_t;

/// One named, typed metadata entry that the compiler attached to a device image.
typedef struct ur_program_metadata_t {
    /// [in] NUL-terminated entry name
    const char *pName;
    /// [in] active member of value
    enum ur_program_metadata_type_t type;
    /// [in] bytes the value occupies
    size_t size;
    /// [in] the entry's value
    union ur_program_metadata_value_t value;
} ur_program_metadata_t;

/// Metadata handed over when a program is created.
typedef struct ur_program_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] entries in pMetadatas
    uint32_t count;
    /// [in] [optional] array of count entries; null exactly when count is 0
    const struct ur_program_metadata_t *pMetadatas;
} ur_program_properties_t;

/// Value for one SPIR-V specialization constant.
typedef struct ur_specialization_constant_info_t {
    /// [in] SpecId decoration of the constant
    uint32_t id;
    /// [in] bytes at pValue; must equal the constant's size in the module
    size_t size;
    /// [in] the value, in host byte order; must not be null
    const void *pValue;
} ur_specialization_constant_info_t;

/// Options for adopting a native program.
typedef struct ur_program_native_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] true: UR destroys the native program together with the last UR reference
    bool isNativeHandleOwned;
} ur_program_native_properties_t;

/// Ordering, profiling, priority and submission options of a queue.
typedef uint32_t ur_queue_flags_t;

/// Head of the property chain of a queue: its flags.
typedef struct ur_queue_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] ordering, profiling, priority and submission options
    ur_queue_flags_t flags;
} ur_queue_properties_t;

/// Chained property picking the hardware compute engine of a queue.
typedef struct ur_queue_index_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] engine number as in sycl_ext_intel_queue_index, counted from 0
    uint32_t computeIndex;
} ur_queue_index_properties_t;

/// Backend-specific side channel used when queue handles cross the native boundary.
typedef struct ur_queue_native_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] [optional] backend-defined data; with Level Zero it distinguishes queue from immediate command list
    void *pNativeData;
} ur_queue_native_desc_t;

/// Options for adopting a native queue.
typedef struct ur_queue_native_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] true: UR destroys the native queue together with the last UR reference
    bool isNativeHandleOwned;
} ur_queue_native_properties_t;

/// Options for adopting a native event.
typedef struct ur_event_native_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] true: UR destroys the native event together with the last UR reference
    bool isNativeHandleOwned;
} ur_event_native_properties_t;

/// User function invoked when an event reaches the requested progress point; it may run on a runtime thread and
/// should return quickly.
///
/// @param[in] hEvent event that made progress; borrowed for the duration of the call
/// @param[in] execStatus progress point that was reached
/// @param[inout] pUserData pointer given to urEventSetCallback, passed through untouched
typedef void (*ur_event_callback_t)(ur_event_handle_t hEvent, enum ur_execution_info_t execStatus, void *pUserData);

/// Bits that alter how a kernel launch is carried out.
typedef uint32_t ur_kernel_launch_flags_t;

/// Head of the extra launch properties of a kernel; cluster and work-group memory properties hang off its pNext
/// chain.
typedef struct ur_kernel_launch_ext_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] launch flag bits; 0 for an ordinary launch
    ur_kernel_launch_flags_t flags;
} ur_kernel_launch_ext_properties_t;

/// Groups work-groups into clusters for one launch (CUDA: thread block clusters).
typedef struct ur_kernel_launch_cluster_property_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] cluster extent in x, y, z, counted in work-groups; each must divide the group count evenly
    uint32_t clusterDim[3];
} ur_kernel_launch_cluster_property_t;

/// Requests dynamic work-group local memory for one launch.
typedef struct ur_kernel_launch_workgroup_property_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] bytes of dynamic local memory per work-group; 0 requests none
    size_t workgroup_mem_size;
} ur_kernel_launch_workgroup_property_t;

/// Bits that say what the host will do with a mapped region.
typedef uint32_t ur_map_flags_t;

/// Bits that give the direction of a USM prefetch.
typedef uint32_t ur_usm_migration_flags_t;

/// Memory object argument together with the access the kernel makes to it.
typedef struct ur_exp_kernel_arg_mem_obj_tuple_t {
    /// [in] buffer or image to bind
    ur_mem_handle_t hMem;
    /// [in] kernel's access: one of UR_MEM_FLAG_READ_WRITE, UR_MEM_FLAG_WRITE_ONLY, UR_MEM_FLAG_READ_ONLY
    ur_mem_flags_t flags;
} ur_exp_kernel_arg_mem_obj_tuple_t;

/// Value of one kernel argument; the argument's type says which member is valid.
typedef union ur_exp_kernel_arg_value_t {
    /// [in] for VALUE: address of the bytes, copied before the call returns
    const void *value;
    /// [in] for POINTER: the device-visible address itself
    const void *pointer;
    /// [in] for MEM_OBJ: memory object and access flags
    struct ur_exp_kernel_arg_mem_obj_tuple_t memObjTuple;
    /// [in] for SAMPLER: sampler to bind
    ur_sampler_handle_t sampler;
} ur_exp_kernel_arg_value_t;

/// Describes one kernel argument for a launch that carries its arguments along.
typedef struct ur_exp_kernel_arg_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] kind of the argument; selects the member of value
    enum ur_exp_kernel_arg_type_t type;
    /// [in] zero-based position of the argument
    uint32_t index;
    /// [in] bytes of the value, or bytes of local memory per work-group for LOCAL
    size_t size;
    /// [in] the argument's value; not read for LOCAL
    union ur_exp_kernel_arg_value_t value;
} ur_exp_kernel_arg_properties_t;

/// Extension point for urKernelSetArgValue; it has no members besides the structure header.
typedef struct ur_kernel_arg_value_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
} ur_kernel_arg_value_properties_t;

/// Extension point for urKernelSetArgLocal; it has no members besides the structure header.
typedef struct ur_kernel_arg_local_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
} ur_kernel_arg_local_properties_t;

/// Extension point for urKernelSetArgPointer; it has no members besides the structure header.
typedef struct ur_kernel_arg_pointer_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
} ur_kernel_arg_pointer_properties_t;

/// Extension point for urKernelSetExecInfo; it has no members besides the structure header.
typedef struct ur_kernel_exec_info_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
} ur_kernel_exec_info_properties_t;

/// Extension point for urKernelSetArgSampler; it has no members besides the structure header.
typedef struct ur_kernel_arg_sampler_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
} ur_kernel_arg_sampler_properties_t;

/// Specifies for urKernelSetArgMemObj how the kernel will access the memory object.
typedef struct ur_kernel_arg_mem_obj_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] access the kernel makes: one of UR_MEM_FLAG_READ_WRITE, UR_MEM_FLAG_WRITE_ONLY, UR_MEM_FLAG_READ_ONLY
    ur_mem_flags_t memoryAccess;
} ur_kernel_arg_mem_obj_properties_t;

/// Options for urKernelCreateWithNativeHandle.
typedef struct ur_kernel_native_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] true hands the native kernel to UR, which destroys it with the last release
    bool isNativeHandleOwned;
} ur_kernel_native_properties_t;

/// Reports which 2D block memory operations a device offers.
typedef uint32_t ur_exp_device_2d_block_array_capability_flags_t;

/// Modifiers of a queue-ordered USM allocation; none is defined yet.
typedef uint32_t ur_exp_async_usm_alloc_flags_t;

/// Extra settings for the queue-ordered USM allocation entry points.
typedef struct ur_exp_async_usm_alloc_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] bit set of allocation modifiers, normally 0
    ur_exp_async_usm_alloc_flags_t flags;
} ur_exp_async_usm_alloc_properties_t;

/// Chained to `ur_usm_pool_desc_t`, makes a new pool carve its allocations out of memory that the caller already
/// owns.
typedef struct ur_usm_pool_buffer_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] start of the USM allocation that backs the pool
    void *pMem;
    /// [in] length of the backing allocation in bytes
    size_t size;
    /// [in] USM kind (host, device or shared) of the backing allocation
    enum ur_usm_type_t memType;
    /// [in] [optional] device that owns the backing allocation; null when it has none
    ur_device_handle_t device;
} ur_usm_pool_buffer_desc_t;

/// Opaque 64-bit value that kernels use to read or write a bindless image, sampled or unsampled.
typedef uintptr_t ur_exp_image_native_handle_t;

/// Opaque 64-bit value that names the memory of a bindless image.
typedef uintptr_t ur_exp_image_mem_native_handle_t;

/// Memory of another API, such as Vulkan or Direct3D, imported into UR.
typedef struct ur_exp_external_mem_handle_t_ *ur_exp_external_mem_handle_t;

/// Semaphore or fence of another API, imported into UR.
typedef struct ur_exp_external_semaphore_handle_t_ *ur_exp_external_semaphore_handle_t;

/// Direction of a bindless image copy.
typedef uint32_t ur_exp_image_copy_flags_t;

/// Chained to an external memory or semaphore descriptor, carries a POSIX file descriptor.
typedef struct ur_exp_file_descriptor_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] file descriptor to import
    int fd;
} ur_exp_file_descriptor_t;

/// Chained to an external memory or semaphore descriptor, carries a Windows handle.
typedef struct ur_exp_win32_handle_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] Windows NT handle to import
    void *handle;
} ur_exp_win32_handle_t;

/// Chained to an external memory or semaphore descriptor, lets the adapter open a shared Windows object by its
/// name; adapters without that ability answer UNSUPPORTED_FEATURE.
typedef struct ur_exp_win32_name_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] name under which the Windows object was shared
    const void *name;
} ur_exp_win32_name_t;

/// Chained to `ur_sampler_desc_t`, sets how a sampler treats mipmap levels.
typedef struct ur_exp_sampler_mip_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] finest level that sampling may select, from 0
    float minMipmapLevelClamp;
    /// [in] coarsest level that sampling may select, up to the level count
    float maxMipmapLevelClamp;
    /// [in] largest ratio of anisotropic filtering
    float maxAnisotropy;
    /// [in] filter applied between adjacent levels
    enum ur_sampler_filter_mode_t mipFilterMode;
} ur_exp_sampler_mip_properties_t;

/// Chained to `ur_sampler_desc_t`, gives each image dimension its own addressing mode.
typedef struct ur_exp_sampler_addr_modes_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] addressing modes of x, y and z, in this order
    enum ur_sampler_addressing_mode_t addrModes[3];
} ur_exp_sampler_addr_modes_t;

/// Chained to `ur_sampler_desc_t`, sets how a sampler treats cubemaps.
typedef struct ur_exp_sampler_cubemap_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] whether filtering crosses the edges between faces
    enum ur_exp_sampler_cubemap_filter_mode_t cubemapFilterMode;
} ur_exp_sampler_cubemap_properties_t;

/// Head of the structure chain that describes external memory to import; the operating-system handle hangs on
/// `pNext`.
typedef struct ur_exp_external_mem_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
} ur_exp_external_mem_desc_t;

/// Head of the structure chain that describes an external semaphore to import; the operating-system handle hangs
/// on `pNext`.
typedef struct ur_exp_external_semaphore_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
} ur_exp_external_semaphore_desc_t;

/// Box that a bindless image copy moves, with its place on either side.
typedef struct ur_exp_image_copy_region_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] corner of the box within the source
    struct ur_rect_offset_t srcOffset;
    /// [in] corner of the box within the destination
    struct ur_rect_offset_t dstOffset;
    /// [in] width, height and depth of the box
    struct ur_rect_region_t copyExtent;
} ur_exp_image_copy_region_t;

/// Options of the multi-device build, compile and link entry points.
typedef uint32_t ur_exp_program_flags_t;

/// Options of a host memory registration.
typedef uint32_t ur_exp_usm_host_alloc_register_flags_t;

/// Extra settings for `urUSMHostAllocRegisterExp`.
typedef struct ur_exp_usm_host_alloc_register_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] bit set of registration options
    ur_exp_usm_host_alloc_register_flags_t flags;
} ur_exp_usm_host_alloc_register_properties_t;

/// Reports what a device can change in the commands of a finalized command-buffer.
typedef uint32_t ur_device_command_buffer_update_capability_flags_t;

/// Settings of a new command-buffer.
typedef struct ur_exp_command_buffer_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] true to allow changes to its commands after finalization
    ur_bool_t isUpdatable;
    /// [in] true to run commands in append order, whatever their sync points say
    ur_bool_t isInOrder;
    /// [in] true to record timestamps for executions of the command-buffer
    ur_bool_t enableProfiling;
} ur_exp_command_buffer_desc_t;

/// Number that names a command within its command-buffer, so that later commands can depend on it.
typedef uint32_t ur_exp_command_buffer_sync_point_t;

/// Reference-counted recording of commands that can be enqueued many times, like cl_command_buffer_khr or a Level
/// Zero command list.
typedef struct ur_exp_command_buffer_handle_t_ *ur_exp_command_buffer_handle_t;

/// One command of an updatable command-buffer, named to change it later; lives as long as the command-buffer.
typedef struct ur_exp_command_buffer_command_handle_t_ *ur_exp_command_buffer_command_handle_t;

/// Replaces one memory object argument of a recorded kernel launch.
typedef struct ur_exp_command_buffer_update_memobj_arg_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] index of the kernel argument, from 0
    uint32_t argIndex;
    /// [in] [optional] further wishes; null for the defaults
    const struct ur_kernel_arg_mem_obj_properties_t *pProperties;
    /// [in] [optional] new memory object; null passes a null buffer
    ur_mem_handle_t hNewMemObjArg;
} ur_exp_command_buffer_update_memobj_arg_desc_t;

/// Replaces one USM pointer argument of a recorded kernel launch.
typedef struct ur_exp_command_buffer_update_pointer_arg_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] index of the kernel argument, from 0
    uint32_t argIndex;
    /// [in] [optional] further wishes; null for the defaults
    const struct ur_kernel_arg_pointer_properties_t *pProperties;
    /// [in] [optional] points to the new pointer value
    const void *pNewPointerArg;
} ur_exp_command_buffer_update_pointer_arg_desc_t;

/// Replaces one by-value argument of a recorded kernel launch.
typedef struct ur_exp_command_buffer_update_value_arg_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] index of the kernel argument, from 0
    uint32_t argIndex;
    /// [in] size of the value in bytes
    size_t argSize;
    /// [in] [optional] further wishes; null for the defaults
    const struct ur_kernel_arg_value_properties_t *pProperties;
    /// [in] [optional] points to `argSize` bytes of the new value; null for local memory
    const void *pNewValueArg;
} ur_exp_command_buffer_update_value_arg_desc_t;

/// Lists the changes to one recorded kernel launch; whatever is left null stays as it is.
typedef struct ur_exp_command_buffer_update_kernel_launch_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] kernel launch to change
    ur_exp_command_buffer_command_handle_t hCommand;
    /// [in] [optional] kernel to switch to, declared as an alternative at append; null keeps the kernel
    ur_kernel_handle_t hNewKernel;
    /// [in] length of `pNewMemObjArgList`
    uint32_t numNewMemObjArgs;
    /// [in] length of `pNewPointerArgList`
    uint32_t numNewPointerArgs;
    /// [in] length of `pNewValueArgList`
    uint32_t numNewValueArgs;
    /// [in] dimensions of the ND-range, 1 to 3
    uint32_t newWorkDim;
    /// [in] [optional] array of `numNewMemObjArgs` memory object changes
    const struct ur_exp_command_buffer_update_memobj_arg_desc_t *pNewMemObjArgList;
    /// [in] [optional] array of `numNewPointerArgs` pointer changes
    const struct ur_exp_command_buffer_update_pointer_arg_desc_t *pNewPointerArgList;
    /// [in] [optional] array of `numNewValueArgs` by-value changes
    const struct ur_exp_command_buffer_update_value_arg_desc_t *pNewValueArgList;
    /// [in] [optional] `newWorkDim` offsets in work-items; null keeps them, not allowed when the dimension changes
    size_t *pNewGlobalWorkOffset;
    /// [in] [optional] `newWorkDim` global sizes in work-items; null keeps them, not allowed when the dimension
    ///     changes
    size_t *pNewGlobalWorkSize;
    /// [in] [optional] `newWorkDim` work-group sizes; null keeps them, or lets the adapter choose if the global size
    ///     changes
    size_t *pNewLocalWorkSize;
} ur_exp_command_buffer_update_kernel_launch_desc_t;

/// Caller's function that adds commands through the backend's own API while a native command is being recorded.
///
/// @param[inout] pUserData pointer handed to `urCommandBufferAppendNativeCommandExp` as `pData`
typedef void (*ur_exp_command_buffer_native_command_function_t)(void *pUserData);

/// Bits that alter urEnqueueHostTaskExp; none is defined yet.
typedef uint32_t ur_exp_host_task_flags_t;

/// Options for urEnqueueHostTaskExp.
typedef struct ur_exp_host_task_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] host task flag bits; 0 for none
    ur_exp_host_task_flags_t flags;
} ur_exp_host_task_properties_t;

/// Host function run in queue order by urEnqueueHostTaskExp; it must not call UR.
///
/// @param[in] pfnHostTask data pointer of the enqueue call, despite its name
typedef void (*ur_exp_host_task_function_t)(void *pfnHostTask);

/// Bits that alter commands taking ur_exp_enqueue_ext_properties_t.
typedef uint32_t ur_exp_enqueue_ext_flags_t;

/// Extra options for urEnqueueEventsWaitWithBarrierExt.
typedef struct ur_exp_enqueue_ext_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] extended enqueue flag bits; 0 for none
    ur_exp_enqueue_ext_flags_t flags;
} ur_exp_enqueue_ext_properties_t;

/// Bits that alter urEnqueueNativeCommandExp; none is defined yet.
typedef uint32_t ur_exp_enqueue_native_command_flags_t;

/// Options for urEnqueueNativeCommandExp.
typedef struct ur_exp_enqueue_native_command_properties_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [inout] [optional] next structure of a chain of extensions; null ends the chain
    void *pNext;
    /// [in] native command flag bits; 0 for none
    ur_exp_enqueue_native_command_flags_t flags;
} ur_exp_enqueue_native_command_properties_t;

/// Host function that submits work through the backend's own API, called during urEnqueueNativeCommandExp.
///
/// @param[in] hQueue queue whose native handle the work should be submitted to
/// @param[inout] pUserData data pointer of the enqueue call, passed unchanged
typedef void (*ur_exp_enqueue_native_command_function_t)(ur_queue_handle_t hQueue, void *pUserData);

/// Bits that select the abilities of a reusable event.
typedef uint32_t ur_exp_event_flags_t;

/// Describes a reusable event to create.
typedef struct ur_exp_event_desc_t {
    /// [in] which structure this is: the `UR_STRUCTURE_TYPE_` of its name
    enum ur_structure_type_t stype;
    /// [in] [optional] next structure of a chain of extensions; null ends the chain
    const void *pNext;
    /// [in] event flag bits; 0 for a plain event
    ur_exp_event_flags_t flags;
} ur_exp_event_desc_t;

/// Handle of a recorded graph of commands, filled by capturing a queue.
typedef struct ur_exp_graph_handle_t_ *ur_exp_graph_handle_t;

/// Handle of a graph instantiated for execution, which can be enqueued repeatedly.
typedef struct ur_exp_executable_graph_handle_t_ *ur_exp_executable_graph_handle_t;

/// Host function that runs when a graph is destroyed.
///
/// @param[in] pUserData pointer given at registration; may be null
typedef void (*ur_exp_graph_destruction_callback_t)(void *pUserData);


/// The parameters of urLoaderConfigCreate, each by its address.
typedef struct ur_loader_config_create_params_t {
    ur_loader_config_handle_t **pphLoaderConfig;
} ur_loader_config_create_params_t;

/// The parameters of urLoaderConfigRetain, each by its address.
typedef struct ur_loader_config_retain_params_t {
    ur_loader_config_handle_t *phLoaderConfig;
} ur_loader_config_retain_params_t;

/// The parameters of urLoaderConfigRelease, each by its address.
typedef struct ur_loader_config_release_params_t {
    ur_loader_config_handle_t *phLoaderConfig;
} ur_loader_config_release_params_t;

/// The parameters of urLoaderConfigGetInfo, each by its address.
typedef struct ur_loader_config_get_info_params_t {
    ur_loader_config_handle_t *phLoaderConfig;
    ur_loader_config_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_loader_config_get_info_params_t;

/// The parameters of urLoaderConfigEnableLayer, each by its address.
typedef struct ur_loader_config_enable_layer_params_t {
    ur_loader_config_handle_t *phLoaderConfig;
    const char **ppLayerName;
} ur_loader_config_enable_layer_params_t;

/// The parameters of urLoaderConfigSetCodeLocationCallback, each by its address.
typedef struct ur_loader_config_set_code_location_callback_params_t {
    ur_loader_config_handle_t *phLoaderConfig;
    ur_code_location_callback_t *ppfnCodeloc;
    void **ppUserData;
} ur_loader_config_set_code_location_callback_params_t;

/// The parameters of urLoaderConfigSetMockingEnabled, each by its address.
typedef struct ur_loader_config_set_mocking_enabled_params_t {
    ur_loader_config_handle_t *phLoaderConfig;
    ur_bool_t *penable;
} ur_loader_config_set_mocking_enabled_params_t;

/// The parameters of urLoaderInit, each by its address.
typedef struct ur_loader_init_params_t {
    ur_device_init_flags_t *pdevice_flags;
    ur_loader_config_handle_t *phLoaderConfig;
} ur_loader_init_params_t;

/// The parameters of urDeviceGetSelected, each by its address.
typedef struct ur_device_get_selected_params_t {
    ur_platform_handle_t *phPlatform;
    ur_device_type_t *pDeviceType;
    uint32_t *pNumEntries;
    ur_device_handle_t **pphDevices;
    uint32_t **ppNumDevices;
} ur_device_get_selected_params_t;

/// The parameters of urAdapterGet, each by its address.
typedef struct ur_adapter_get_params_t {
    uint32_t *pNumEntries;
    ur_adapter_handle_t **pphAdapters;
    uint32_t **ppNumAdapters;
} ur_adapter_get_params_t;

/// The parameters of urAdapterRelease, each by its address.
typedef struct ur_adapter_release_params_t {
    ur_adapter_handle_t *phAdapter;
} ur_adapter_release_params_t;

/// The parameters of urAdapterRetain, each by its address.
typedef struct ur_adapter_retain_params_t {
    ur_adapter_handle_t *phAdapter;
} ur_adapter_retain_params_t;

/// The parameters of urAdapterGetLastError, each by its address.
typedef struct ur_adapter_get_last_error_params_t {
    ur_adapter_handle_t *phAdapter;
    const char ***pppMessage;
    int32_t **ppError;
} ur_adapter_get_last_error_params_t;

/// The parameters of urAdapterGetInfo, each by its address.
typedef struct ur_adapter_get_info_params_t {
    ur_adapter_handle_t *phAdapter;
    ur_adapter_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_adapter_get_info_params_t;

/// The parameters of urAdapterSetLoggerCallback, each by its address.
typedef struct ur_adapter_set_logger_callback_params_t {
    ur_adapter_handle_t *phAdapter;
    ur_logger_callback_t *ppfnLoggerCallback;
    void **ppUserData;
    ur_logger_level_t *plevel;
} ur_adapter_set_logger_callback_params_t;

/// The parameters of urAdapterSetLoggerCallbackLevel, each by its address.
typedef struct ur_adapter_set_logger_callback_level_params_t {
    ur_adapter_handle_t *phAdapter;
    ur_logger_level_t *plevel;
} ur_adapter_set_logger_callback_level_params_t;

/// The parameters of urPlatformGet, each by its address.
typedef struct ur_platform_get_params_t {
    ur_adapter_handle_t *phAdapter;
    uint32_t *pNumEntries;
    ur_platform_handle_t **pphPlatforms;
    uint32_t **ppNumPlatforms;
} ur_platform_get_params_t;

/// The parameters of urPlatformGetInfo, each by its address.
typedef struct ur_platform_get_info_params_t {
    ur_platform_handle_t *phPlatform;
    ur_platform_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_platform_get_info_params_t;

/// The parameters of urPlatformGetNativeHandle, each by its address.
typedef struct ur_platform_get_native_handle_params_t {
    ur_platform_handle_t *phPlatform;
    ur_native_handle_t **pphNativePlatform;
} ur_platform_get_native_handle_params_t;

/// The parameters of urPlatformCreateWithNativeHandle, each by its address.
typedef struct ur_platform_create_with_native_handle_params_t {
    ur_native_handle_t *phNativePlatform;
    ur_adapter_handle_t *phAdapter;
    const ur_platform_native_properties_t **ppProperties;
    ur_platform_handle_t **pphPlatform;
} ur_platform_create_with_native_handle_params_t;

/// The parameters of urPlatformGetApiVersion, each by its address.
typedef struct ur_platform_get_api_version_params_t {
    ur_platform_handle_t *phPlatform;
    ur_api_version_t **ppVersion;
} ur_platform_get_api_version_params_t;

/// The parameters of urPlatformGetBackendOption, each by its address.
typedef struct ur_platform_get_backend_option_params_t {
    ur_platform_handle_t *phPlatform;
    const char **ppFrontendOption;
    const char ***pppPlatformOption;
} ur_platform_get_backend_option_params_t;

/// The parameters of urContextCreate, each by its address.
typedef struct ur_context_create_params_t {
    uint32_t *pDeviceCount;
    const ur_device_handle_t **pphDevices;
    const ur_context_properties_t **ppProperties;
    ur_context_handle_t **pphContext;
} ur_context_create_params_t;

/// The parameters of urContextRetain, each by its address.
typedef struct ur_context_retain_params_t {
    ur_context_handle_t *phContext;
} ur_context_retain_params_t;

/// The parameters of urContextRelease, each by its address.
typedef struct ur_context_release_params_t {
    ur_context_handle_t *phContext;
} ur_context_release_params_t;

/// The parameters of urContextGetInfo, each by its address.
typedef struct ur_context_get_info_params_t {
    ur_context_handle_t *phContext;
    ur_context_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_context_get_info_params_t;

/// The parameters of urContextGetNativeHandle, each by its address.
typedef struct ur_context_get_native_handle_params_t {
    ur_context_handle_t *phContext;
    ur_native_handle_t **pphNativeContext;
} ur_context_get_native_handle_params_t;

/// The parameters of urContextCreateWithNativeHandle, each by its address.
typedef struct ur_context_create_with_native_handle_params_t {
    ur_native_handle_t *phNativeContext;
    ur_adapter_handle_t *phAdapter;
    uint32_t *pnumDevices;
    const ur_device_handle_t **pphDevices;
    const ur_context_native_properties_t **ppProperties;
    ur_context_handle_t **pphContext;
} ur_context_create_with_native_handle_params_t;

/// The parameters of urContextSetExtendedDeleter, each by its address.
typedef struct ur_context_set_extended_deleter_params_t {
    ur_context_handle_t *phContext;
    ur_context_extended_deleter_t *ppfnDeleter;
    void **ppUserData;
} ur_context_set_extended_deleter_params_t;

/// The parameters of urEventGetInfo, each by its address.
typedef struct ur_event_get_info_params_t {
    ur_event_handle_t *phEvent;
    ur_event_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_event_get_info_params_t;

/// The parameters of urEventGetProfilingInfo, each by its address.
typedef struct ur_event_get_profiling_info_params_t {
    ur_event_handle_t *phEvent;
    ur_profiling_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_event_get_profiling_info_params_t;

/// The parameters of urEventWait, each by its address.
typedef struct ur_event_wait_params_t {
    uint32_t *pnumEvents;
    const ur_event_handle_t **pphEventWaitList;
} ur_event_wait_params_t;

/// The parameters of urEventRetain, each by its address.
typedef struct ur_event_retain_params_t {
    ur_event_handle_t *phEvent;
} ur_event_retain_params_t;

/// The parameters of urEventRelease, each by its address.
typedef struct ur_event_release_params_t {
    ur_event_handle_t *phEvent;
} ur_event_release_params_t;

/// The parameters of urEventGetNativeHandle, each by its address.
typedef struct ur_event_get_native_handle_params_t {
    ur_event_handle_t *phEvent;
    ur_native_handle_t **pphNativeEvent;
} ur_event_get_native_handle_params_t;

/// The parameters of urEventCreateWithNativeHandle, each by its address.
typedef struct ur_event_create_with_native_handle_params_t {
    ur_native_handle_t *phNativeEvent;
    ur_context_handle_t *phContext;
    const ur_event_native_properties_t **ppProperties;
    ur_event_handle_t **pphEvent;
} ur_event_create_with_native_handle_params_t;

/// The parameters of urEventSetCallback, each by its address.
typedef struct ur_event_set_callback_params_t {
    ur_event_handle_t *phEvent;
    ur_execution_info_t *pexecStatus;
    ur_event_callback_t *ppfnNotify;
    void **ppUserData;
} ur_event_set_callback_params_t;

/// The parameters of urEventCreateExp, each by its address.
typedef struct ur_event_create_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    const ur_exp_event_desc_t **ppEventDesc;
    ur_event_handle_t **pphEvent;
} ur_event_create_exp_params_t;

/// The parameters of urProgramCreateWithIL, each by its address.
typedef struct ur_program_create_with_il_params_t {
    ur_context_handle_t *phContext;
    const void **ppIL;
    size_t *plength;
    const ur_program_properties_t **ppProperties;
    ur_program_handle_t **pphProgram;
} ur_program_create_with_il_params_t;

/// The parameters of urProgramCreateWithBinary, each by its address.
typedef struct ur_program_create_with_binary_params_t {
    ur_context_handle_t *phContext;
    uint32_t *pnumDevices;
    ur_device_handle_t **pphDevices;
    size_t **ppLengths;
    const uint8_t ***pppBinaries;
    const ur_program_properties_t **ppProperties;
    ur_program_handle_t **pphProgram;
} ur_program_create_with_binary_params_t;

/// The parameters of urProgramBuild, each by its address.
typedef struct ur_program_build_params_t {
    ur_context_handle_t *phContext;
    ur_program_handle_t *phProgram;
    const char **ppOptions;
} ur_program_build_params_t;

/// The parameters of urProgramCompile, each by its address.
typedef struct ur_program_compile_params_t {
    ur_context_handle_t *phContext;
    ur_program_handle_t *phProgram;
    const char **ppOptions;
} ur_program_compile_params_t;

/// The parameters of urProgramLink, each by its address.
typedef struct ur_program_link_params_t {
    ur_context_handle_t *phContext;
    uint32_t *pcount;
    const ur_program_handle_t **pphPrograms;
    const char **ppOptions;
    ur_program_handle_t **pphProgram;
} ur_program_link_params_t;

/// The parameters of urProgramRetain, each by its address.
typedef struct ur_program_retain_params_t {
    ur_program_handle_t *phProgram;
} ur_program_retain_params_t;

/// The parameters of urProgramRelease, each by its address.
typedef struct ur_program_release_params_t {
    ur_program_handle_t *phProgram;
} ur_program_release_params_t;

/// The parameters of urProgramGetFunctionPointer, each by its address.
typedef struct ur_program_get_function_pointer_params_t {
    ur_device_handle_t *phDevice;
    ur_program_handle_t *phProgram;
    const char **ppFunctionName;
    void ***pppFunctionPointer;
} ur_program_get_function_pointer_params_t;

/// The parameters of urProgramGetGlobalVariablePointer, each by its address.
typedef struct ur_program_get_global_variable_pointer_params_t {
    ur_device_handle_t *phDevice;
    ur_program_handle_t *phProgram;
    const char **ppGlobalVariableName;
    size_t **ppGlobalVariableSizeRet;
    void ***pppGlobalVariablePointerRet;
} ur_program_get_global_variable_pointer_params_t;

/// The parameters of urProgramGetInfo, each by its address.
typedef struct ur_program_get_info_params_t {
    ur_program_handle_t *phProgram;
    ur_program_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_program_get_info_params_t;

/// The parameters of urProgramGetBuildInfo, each by its address.
typedef struct ur_program_get_build_info_params_t {
    ur_program_handle_t *phProgram;
    ur_device_handle_t *phDevice;
    ur_program_build_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_program_get_build_info_params_t;

/// The parameters of urProgramSetSpecializationConstants, each by its address.
typedef struct ur_program_set_specialization_constants_params_t {
    ur_program_handle_t *phProgram;
    uint32_t *pcount;
    const ur_specialization_constant_info_t **ppSpecConstants;
} ur_program_set_specialization_constants_params_t;

/// The parameters of urProgramGetNativeHandle, each by its address.
typedef struct ur_program_get_native_handle_params_t {
    ur_program_handle_t *phProgram;
    ur_native_handle_t **pphNativeProgram;
} ur_program_get_native_handle_params_t;

/// The parameters of urProgramCreateWithNativeHandle, each by its address.
typedef struct ur_program_create_with_native_handle_params_t {
    ur_native_handle_t *phNativeProgram;
    ur_context_handle_t *phContext;
    const ur_program_native_properties_t **ppProperties;
    ur_program_handle_t **pphProgram;
} ur_program_create_with_native_handle_params_t;

/// The parameters of urProgramDynamicLinkExp, each by its address.
typedef struct ur_program_dynamic_link_exp_params_t {
    ur_context_handle_t *phContext;
    uint32_t *pcount;
    const ur_program_handle_t **pphPrograms;
} ur_program_dynamic_link_exp_params_t;

/// The parameters of urProgramBuildExp, each by its address.
typedef struct ur_program_build_exp_params_t {
    ur_program_handle_t *phProgram;
    uint32_t *pnumDevices;
    ur_device_handle_t **pphDevices;
    ur_exp_program_flags_t *pflags;
    const char **ppOptions;
} ur_program_build_exp_params_t;

/// The parameters of urProgramCompileExp, each by its address.
typedef struct ur_program_compile_exp_params_t {
    ur_program_handle_t *phProgram;
    uint32_t *pnumDevices;
    ur_device_handle_t **pphDevices;
    ur_exp_program_flags_t *pflags;
    const char **ppOptions;
} ur_program_compile_exp_params_t;

/// The parameters of urProgramLinkExp, each by its address.
typedef struct ur_program_link_exp_params_t {
    ur_context_handle_t *phContext;
    uint32_t *pnumDevices;
    ur_device_handle_t **pphDevices;
    ur_exp_program_flags_t *pflags;
    uint32_t *pcount;
    const ur_program_handle_t **pphPrograms;
    const char **ppOptions;
    ur_program_handle_t **pphProgram;
} ur_program_link_exp_params_t;

/// The parameters of urKernelCreate, each by its address.
typedef struct ur_kernel_create_params_t {
    ur_program_handle_t *phProgram;
    const char **ppKernelName;
    ur_kernel_handle_t **pphKernel;
} ur_kernel_create_params_t;

/// The parameters of urKernelGetInfo, each by its address.
typedef struct ur_kernel_get_info_params_t {
    ur_kernel_handle_t *phKernel;
    ur_kernel_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_kernel_get_info_params_t;

/// The parameters of urKernelGetGroupInfo, each by its address.
typedef struct ur_kernel_get_group_info_params_t {
    ur_kernel_handle_t *phKernel;
    ur_device_handle_t *phDevice;
    ur_kernel_group_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_kernel_get_group_info_params_t;

/// The parameters of urKernelGetSubGroupInfo, each by its address.
typedef struct ur_kernel_get_sub_group_info_params_t {
    ur_kernel_handle_t *phKernel;
    ur_device_handle_t *phDevice;
    ur_kernel_sub_group_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_kernel_get_sub_group_info_params_t;

/// The parameters of urKernelRetain, each by its address.
typedef struct ur_kernel_retain_params_t {
    ur_kernel_handle_t *phKernel;
} ur_kernel_retain_params_t;

/// The parameters of urKernelRelease, each by its address.
typedef struct ur_kernel_release_params_t {
    ur_kernel_handle_t *phKernel;
} ur_kernel_release_params_t;

/// The parameters of urKernelGetNativeHandle, each by its address.
typedef struct ur_kernel_get_native_handle_params_t {
    ur_kernel_handle_t *phKernel;
    ur_native_handle_t **pphNativeKernel;
} ur_kernel_get_native_handle_params_t;

/// The parameters of urKernelCreateWithNativeHandle, each by its address.
typedef struct ur_kernel_create_with_native_handle_params_t {
    ur_native_handle_t *phNativeKernel;
    ur_context_handle_t *phContext;
    ur_program_handle_t *phProgram;
    const ur_kernel_native_properties_t **ppProperties;
    ur_kernel_handle_t **pphKernel;
} ur_kernel_create_with_native_handle_params_t;

/// The parameters of urKernelGetSuggestedLocalWorkSize, each by its address.
typedef struct ur_kernel_get_suggested_local_work_size_params_t {
    ur_kernel_handle_t *phKernel;
    ur_queue_handle_t *phQueue;
    uint32_t *pnumWorkDim;
    const size_t **ppGlobalWorkOffset;
    const size_t **ppGlobalWorkSize;
    size_t **ppSuggestedLocalWorkSize;
} ur_kernel_get_suggested_local_work_size_params_t;

/// The parameters of urKernelGetSuggestedLocalWorkSizeWithArgs, each by its address.
typedef struct ur_kernel_get_suggested_local_work_size_with_args_params_t {
    ur_kernel_handle_t *phKernel;
    ur_queue_handle_t *phQueue;
    uint32_t *pnumWorkDim;
    const size_t **ppGlobalWorkOffset;
    const size_t **ppGlobalWorkSize;
    uint32_t *pnumArgs;
    const ur_exp_kernel_arg_properties_t **ppArgs;
    size_t **ppSuggestedLocalWorkSize;
} ur_kernel_get_suggested_local_work_size_with_args_params_t;

/// The parameters of urKernelSetExecInfo, each by its address.
typedef struct ur_kernel_set_exec_info_params_t {
    ur_kernel_handle_t *phKernel;
    ur_kernel_exec_info_t *ppropName;
    size_t *ppropSize;
    const ur_kernel_exec_info_properties_t **ppProperties;
    const void **ppPropValue;
} ur_kernel_set_exec_info_params_t;

/// The parameters of urKernelSetSpecializationConstants, each by its address.
typedef struct ur_kernel_set_specialization_constants_params_t {
    ur_kernel_handle_t *phKernel;
    uint32_t *pcount;
    const ur_specialization_constant_info_t **ppSpecConstants;
} ur_kernel_set_specialization_constants_params_t;

/// The parameters of urKernelSuggestMaxCooperativeGroupCount, each by its address.
typedef struct ur_kernel_suggest_max_cooperative_group_count_params_t {
    ur_kernel_handle_t *phKernel;
    ur_device_handle_t *phDevice;
    uint32_t *pworkDim;
    const size_t **ppLocalWorkSize;
    size_t *pdynamicSharedMemorySize;
    uint32_t **ppGroupCountRet;
} ur_kernel_suggest_max_cooperative_group_count_params_t;

/// The parameters of urQueueGetInfo, each by its address.
typedef struct ur_queue_get_info_params_t {
    ur_queue_handle_t *phQueue;
    ur_queue_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_queue_get_info_params_t;

/// The parameters of urQueueCreate, each by its address.
typedef struct ur_queue_create_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    const ur_queue_properties_t **ppProperties;
    ur_queue_handle_t **pphQueue;
} ur_queue_create_params_t;

/// The parameters of urQueueRetain, each by its address.
typedef struct ur_queue_retain_params_t {
    ur_queue_handle_t *phQueue;
} ur_queue_retain_params_t;

/// The parameters of urQueueRelease, each by its address.
typedef struct ur_queue_release_params_t {
    ur_queue_handle_t *phQueue;
} ur_queue_release_params_t;

/// The parameters of urQueueGetNativeHandle, each by its address.
typedef struct ur_queue_get_native_handle_params_t {
    ur_queue_handle_t *phQueue;
    ur_queue_native_desc_t **ppDesc;
    ur_native_handle_t **pphNativeQueue;
} ur_queue_get_native_handle_params_t;

/// The parameters of urQueueCreateWithNativeHandle, each by its address.
typedef struct ur_queue_create_with_native_handle_params_t {
    ur_native_handle_t *phNativeQueue;
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    const ur_queue_native_properties_t **ppProperties;
    ur_queue_handle_t **pphQueue;
} ur_queue_create_with_native_handle_params_t;

/// The parameters of urQueueFinish, each by its address.
typedef struct ur_queue_finish_params_t {
    ur_queue_handle_t *phQueue;
} ur_queue_finish_params_t;

/// The parameters of urQueueFlush, each by its address.
typedef struct ur_queue_flush_params_t {
    ur_queue_handle_t *phQueue;
} ur_queue_flush_params_t;

/// The parameters of urQueueBeginGraphCaptureExp, each by its address.
typedef struct ur_queue_begin_graph_capture_exp_params_t {
    ur_queue_handle_t *phQueue;
} ur_queue_begin_graph_capture_exp_params_t;

/// The parameters of urQueueBeginCaptureIntoGraphExp, each by its address.
typedef struct ur_queue_begin_capture_into_graph_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_exp_graph_handle_t *phGraph;
} ur_queue_begin_capture_into_graph_exp_params_t;

/// The parameters of urQueueEndGraphCaptureExp, each by its address.
typedef struct ur_queue_end_graph_capture_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_exp_graph_handle_t **pphGraph;
} ur_queue_end_graph_capture_exp_params_t;

/// The parameters of urQueueIsGraphCaptureEnabledExp, each by its address.
typedef struct ur_queue_is_graph_capture_enabled_exp_params_t {
    ur_queue_handle_t *phQueue;
    bool **ppResult;
} ur_queue_is_graph_capture_enabled_exp_params_t;

/// The parameters of urQueueGetGraphExp, each by its address.
typedef struct ur_queue_get_graph_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_exp_graph_handle_t **pphGraph;
} ur_queue_get_graph_exp_params_t;

/// The parameters of urSamplerCreate, each by its address.
typedef struct ur_sampler_create_params_t {
    ur_context_handle_t *phContext;
    const ur_sampler_desc_t **ppDesc;
    ur_sampler_handle_t **pphSampler;
} ur_sampler_create_params_t;

/// The parameters of urSamplerRetain, each by its address.
typedef struct ur_sampler_retain_params_t {
    ur_sampler_handle_t *phSampler;
} ur_sampler_retain_params_t;

/// The parameters of urSamplerRelease, each by its address.
typedef struct ur_sampler_release_params_t {
    ur_sampler_handle_t *phSampler;
} ur_sampler_release_params_t;

/// The parameters of urSamplerGetInfo, each by its address.
typedef struct ur_sampler_get_info_params_t {
    ur_sampler_handle_t *phSampler;
    ur_sampler_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_sampler_get_info_params_t;

/// The parameters of urSamplerGetNativeHandle, each by its address.
typedef struct ur_sampler_get_native_handle_params_t {
    ur_sampler_handle_t *phSampler;
    ur_native_handle_t **pphNativeSampler;
} ur_sampler_get_native_handle_params_t;

/// The parameters of urSamplerCreateWithNativeHandle, each by its address.
typedef struct ur_sampler_create_with_native_handle_params_t {
    ur_native_handle_t *phNativeSampler;
    ur_context_handle_t *phContext;
    const ur_sampler_native_properties_t **ppProperties;
    ur_sampler_handle_t **pphSampler;
} ur_sampler_create_with_native_handle_params_t;

/// The parameters of urMemImageCreate, each by its address.
typedef struct ur_mem_image_create_params_t {
    ur_context_handle_t *phContext;
    ur_mem_flags_t *pflags;
    const ur_image_format_t **ppImageFormat;
    const ur_image_desc_t **ppImageDesc;
    void **ppHost;
    ur_mem_handle_t **pphMem;
} ur_mem_image_create_params_t;

/// The parameters of urMemBufferCreate, each by its address.
typedef struct ur_mem_buffer_create_params_t {
    ur_context_handle_t *phContext;
    ur_mem_flags_t *pflags;
    size_t *psize;
    const ur_buffer_properties_t **ppProperties;
    ur_mem_handle_t **pphBuffer;
} ur_mem_buffer_create_params_t;

/// The parameters of urMemRetain, each by its address.
typedef struct ur_mem_retain_params_t {
    ur_mem_handle_t *phMem;
} ur_mem_retain_params_t;

/// The parameters of urMemRelease, each by its address.
typedef struct ur_mem_release_params_t {
    ur_mem_handle_t *phMem;
} ur_mem_release_params_t;

/// The parameters of urMemBufferPartition, each by its address.
typedef struct ur_mem_buffer_partition_params_t {
    ur_mem_handle_t *phBuffer;
    ur_mem_flags_t *pflags;
    ur_buffer_create_type_t *pbufferCreateType;
    const ur_buffer_region_t **ppRegion;
    ur_mem_handle_t **pphMem;
} ur_mem_buffer_partition_params_t;

/// The parameters of urMemGetNativeHandle, each by its address.
typedef struct ur_mem_get_native_handle_params_t {
    ur_mem_handle_t *phMem;
    ur_device_handle_t *phDevice;
    ur_native_handle_t **pphNativeMem;
} ur_mem_get_native_handle_params_t;

/// The parameters of urMemBufferCreateWithNativeHandle, each by its address.
typedef struct ur_mem_buffer_create_with_native_handle_params_t {
    ur_native_handle_t *phNativeMem;
    ur_context_handle_t *phContext;
    const ur_mem_native_properties_t **ppProperties;
    ur_mem_handle_t **pphMem;
} ur_mem_buffer_create_with_native_handle_params_t;

/// The parameters of urMemImageCreateWithNativeHandle, each by its address.
typedef struct ur_mem_image_create_with_native_handle_params_t {
    ur_native_handle_t *phNativeMem;
    ur_context_handle_t *phContext;
    const ur_image_format_t **ppImageFormat;
    const ur_image_desc_t **ppImageDesc;
    const ur_mem_native_properties_t **ppProperties;
    ur_mem_handle_t **pphMem;
} ur_mem_image_create_with_native_handle_params_t;

/// The parameters of urMemGetInfo, each by its address.
typedef struct ur_mem_get_info_params_t {
    ur_mem_handle_t *phMemory;
    ur_mem_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_mem_get_info_params_t;

/// The parameters of urMemImageGetInfo, each by its address.
typedef struct ur_mem_image_get_info_params_t {
    ur_mem_handle_t *phMemory;
    ur_image_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_mem_image_get_info_params_t;

/// The parameters of urPhysicalMemCreate, each by its address.
typedef struct ur_physical_mem_create_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    size_t *psize;
    const ur_physical_mem_properties_t **ppProperties;
    ur_physical_mem_handle_t **pphPhysicalMem;
} ur_physical_mem_create_params_t;

/// The parameters of urPhysicalMemRetain, each by its address.
typedef struct ur_physical_mem_retain_params_t {
    ur_physical_mem_handle_t *phPhysicalMem;
} ur_physical_mem_retain_params_t;

/// The parameters of urPhysicalMemRelease, each by its address.
typedef struct ur_physical_mem_release_params_t {
    ur_physical_mem_handle_t *phPhysicalMem;
} ur_physical_mem_release_params_t;

/// The parameters of urPhysicalMemGetInfo, each by its address.
typedef struct ur_physical_mem_get_info_params_t {
    ur_physical_mem_handle_t *phPhysicalMem;
    ur_physical_mem_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_physical_mem_get_info_params_t;

/// The parameters of urEnqueueEventsWait, each by its address.
typedef struct ur_enqueue_events_wait_params_t {
    ur_queue_handle_t *phQueue;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_events_wait_params_t;

/// The parameters of urEnqueueEventsWaitWithBarrier, each by its address.
typedef struct ur_enqueue_events_wait_with_barrier_params_t {
    ur_queue_handle_t *phQueue;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_events_wait_with_barrier_params_t;

/// The parameters of urEnqueueMemBufferRead, each by its address.
typedef struct ur_enqueue_mem_buffer_read_params_t {
    ur_queue_handle_t *phQueue;
    ur_mem_handle_t *phBuffer;
    bool *pblockingRead;
    size_t *poffset;
    size_t *psize;
    void **ppDst;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_mem_buffer_read_params_t;

/// The parameters of urEnqueueMemBufferWrite, each by its address.
typedef struct ur_enqueue_mem_buffer_write_params_t {
    ur_queue_handle_t *phQueue;
    ur_mem_handle_t *phBuffer;
    bool *pblockingWrite;
    size_t *poffset;
    size_t *psize;
    const void **ppSrc;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_mem_buffer_write_params_t;

/// The parameters of urEnqueueMemBufferReadRect, each by its address.
typedef struct ur_enqueue_mem_buffer_read_rect_params_t {
    ur_queue_handle_t *phQueue;
    ur_mem_handle_t *phBuffer;
    bool *pblockingRead;
    ur_rect_offset_t *pbufferOrigin;
    ur_rect_offset_t *phostOrigin;
    ur_rect_region_t *pregion;
    size_t *pbufferRowPitch;
    size_t *pbufferSlicePitch;
    size_t *phostRowPitch;
    size_t *phostSlicePitch;
    void **ppDst;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_mem_buffer_read_rect_params_t;

/// The parameters of urEnqueueMemBufferWriteRect, each by its address.
typedef struct ur_enqueue_mem_buffer_write_rect_params_t {
    ur_queue_handle_t *phQueue;
    ur_mem_handle_t *phBuffer;
    bool *pblockingWrite;
    ur_rect_offset_t *pbufferOrigin;
    ur_rect_offset_t *phostOrigin;
    ur_rect_region_t *pregion;
    size_t *pbufferRowPitch;
    size_t *pbufferSlicePitch;
    size_t *phostRowPitch;
    size_t *phostSlicePitch;
    void **ppSrc;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_mem_buffer_write_rect_params_t;

/// The parameters of urEnqueueMemBufferCopy, each by its address.
typedef struct ur_enqueue_mem_buffer_copy_params_t {
    ur_queue_handle_t *phQueue;
    ur_mem_handle_t *phBufferSrc;
    ur_mem_handle_t *phBufferDst;
    size_t *psrcOffset;
    size_t *pdstOffset;
    size_t *psize;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_mem_buffer_copy_params_t;

/// The parameters of urEnqueueMemBufferCopyRect, each by its address.
typedef struct ur_enqueue_mem_buffer_copy_rect_params_t {
    ur_queue_handle_t *phQueue;
    ur_mem_handle_t *phBufferSrc;
    ur_mem_handle_t *phBufferDst;
    ur_rect_offset_t *psrcOrigin;
    ur_rect_offset_t *pdstOrigin;
    ur_rect_region_t *pregion;
    size_t *psrcRowPitch;
    size_t *psrcSlicePitch;
    size_t *pdstRowPitch;
    size_t *pdstSlicePitch;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_mem_buffer_copy_rect_params_t;

/// The parameters of urEnqueueMemBufferFill, each by its address.
typedef struct ur_enqueue_mem_buffer_fill_params_t {
    ur_queue_handle_t *phQueue;
    ur_mem_handle_t *phBuffer;
    const void **ppPattern;
    size_t *ppatternSize;
    size_t *poffset;
    size_t *psize;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_mem_buffer_fill_params_t;

/// The parameters of urEnqueueMemImageRead, each by its address.
typedef struct ur_enqueue_mem_image_read_params_t {
    ur_queue_handle_t *phQueue;
    ur_mem_handle_t *phImage;
    bool *pblockingRead;
    ur_rect_offset_t *porigin;
    ur_rect_region_t *pregion;
    size_t *prowPitch;
    size_t *pslicePitch;
    void **ppDst;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_mem_image_read_params_t;

/// The parameters of urEnqueueMemImageWrite, each by its address.
typedef struct ur_enqueue_mem_image_write_params_t {
    ur_queue_handle_t *phQueue;
    ur_mem_handle_t *phImage;
    bool *pblockingWrite;
    ur_rect_offset_t *porigin;
    ur_rect_region_t *pregion;
    size_t *prowPitch;
    size_t *pslicePitch;
    void **ppSrc;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_mem_image_write_params_t;

/// The parameters of urEnqueueMemImageCopy, each by its address.
typedef struct ur_enqueue_mem_image_copy_params_t {
    ur_queue_handle_t *phQueue;
    ur_mem_handle_t *phImageSrc;
    ur_mem_handle_t *phImageDst;
    ur_rect_offset_t *psrcOrigin;
    ur_rect_offset_t *pdstOrigin;
    ur_rect_region_t *pregion;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_mem_image_copy_params_t;

/// The parameters of urEnqueueMemBufferMap, each by its address.
typedef struct ur_enqueue_mem_buffer_map_params_t {
    ur_queue_handle_t *phQueue;
    ur_mem_handle_t *phBuffer;
    bool *pblockingMap;
    ur_map_flags_t *pmapFlags;
    size_t *poffset;
    size_t *psize;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
    void ***pppRetMap;
} ur_enqueue_mem_buffer_map_params_t;

/// The parameters of urEnqueueMemUnmap, each by its address.
typedef struct ur_enqueue_mem_unmap_params_t {
    ur_queue_handle_t *phQueue;
    ur_mem_handle_t *phMem;
    void **ppMappedPtr;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_mem_unmap_params_t;

/// The parameters of urEnqueueUSMFill, each by its address.
typedef struct ur_enqueue_usm_fill_params_t {
    ur_queue_handle_t *phQueue;
    void **ppMem;
    size_t *ppatternSize;
    const void **ppPattern;
    size_t *psize;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_usm_fill_params_t;

/// The parameters of urEnqueueUSMMemcpy, each by its address.
typedef struct ur_enqueue_usm_memcpy_params_t {
    ur_queue_handle_t *phQueue;
    bool *pblocking;
    void **ppDst;
    const void **ppSrc;
    size_t *psize;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_usm_memcpy_params_t;

/// The parameters of urEnqueueUSMPrefetch, each by its address.
typedef struct ur_enqueue_usm_prefetch_params_t {
    ur_queue_handle_t *phQueue;
    const void **ppMem;
    size_t *psize;
    ur_usm_migration_flags_t *pflags;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_usm_prefetch_params_t;

/// The parameters of urEnqueueUSMAdvise, each by its address.
typedef struct ur_enqueue_usm_advise_params_t {
    ur_queue_handle_t *phQueue;
    const void **ppMem;
    size_t *psize;
    ur_usm_advice_flags_t *padvice;
    ur_event_handle_t **pphEvent;
} ur_enqueue_usm_advise_params_t;

/// The parameters of urEnqueueUSMFill2D, each by its address.
typedef struct ur_enqueue_usm_fill_2d_params_t {
    ur_queue_handle_t *phQueue;
    void **ppMem;
    size_t *ppitch;
    size_t *ppatternSize;
    const void **ppPattern;
    size_t *pwidth;
    size_t *pheight;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_usm_fill_2d_params_t;

/// The parameters of urEnqueueUSMMemcpy2D, each by its address.
typedef struct ur_enqueue_usm_memcpy_2d_params_t {
    ur_queue_handle_t *phQueue;
    bool *pblocking;
    void **ppDst;
    size_t *pdstPitch;
    const void **ppSrc;
    size_t *psrcPitch;
    size_t *pwidth;
    size_t *pheight;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_usm_memcpy_2d_params_t;

/// The parameters of urEnqueueDeviceGlobalVariableWrite, each by its address.
typedef struct ur_enqueue_device_global_variable_write_params_t {
    ur_queue_handle_t *phQueue;
    ur_program_handle_t *phProgram;
    const char **pname;
    bool *pblockingWrite;
    size_t *pcount;
    size_t *poffset;
    const void **ppSrc;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_device_global_variable_write_params_t;

/// The parameters of urEnqueueDeviceGlobalVariableRead, each by its address.
typedef struct ur_enqueue_device_global_variable_read_params_t {
    ur_queue_handle_t *phQueue;
    ur_program_handle_t *phProgram;
    const char **pname;
    bool *pblockingRead;
    size_t *pcount;
    size_t *poffset;
    void **ppDst;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_device_global_variable_read_params_t;

/// The parameters of urEnqueueReadHostPipe, each by its address.
typedef struct ur_enqueue_read_host_pipe_params_t {
    ur_queue_handle_t *phQueue;
    ur_program_handle_t *phProgram;
    const char **ppipe_symbol;
    bool *pblocking;
    void **ppDst;
    size_t *psize;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_read_host_pipe_params_t;

/// The parameters of urEnqueueWriteHostPipe, each by its address.
typedef struct ur_enqueue_write_host_pipe_params_t {
    ur_queue_handle_t *phQueue;
    ur_program_handle_t *phProgram;
    const char **ppipe_symbol;
    bool *pblocking;
    void **ppSrc;
    size_t *psize;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_write_host_pipe_params_t;

/// The parameters of urEnqueueEventsWaitWithBarrierExt, each by its address.
typedef struct ur_enqueue_events_wait_with_barrier_ext_params_t {
    ur_queue_handle_t *phQueue;
    const ur_exp_enqueue_ext_properties_t **ppProperties;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_events_wait_with_barrier_ext_params_t;

/// The parameters of urEnqueueKernelLaunchWithArgsExp, each by its address.
typedef struct ur_enqueue_kernel_launch_with_args_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_kernel_handle_t *phKernel;
    uint32_t *pworkDim;
    const size_t **ppGlobalWorkOffset;
    const size_t **ppGlobalWorkSize;
    const size_t **ppLocalWorkSize;
    uint32_t *pnumArgs;
    const ur_exp_kernel_arg_properties_t **ppArgs;
    const ur_kernel_launch_ext_properties_t **plaunchPropList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_kernel_launch_with_args_exp_params_t;

/// The parameters of urEnqueueUSMDeviceAllocExp, each by its address.
typedef struct ur_enqueue_usm_device_alloc_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_usm_pool_handle_t *ppPool;
    size_t *psize;
    const ur_exp_async_usm_alloc_properties_t **ppProperties;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    void ***pppMem;
    ur_event_handle_t **pphEvent;
} ur_enqueue_usm_device_alloc_exp_params_t;

/// The parameters of urEnqueueUSMSharedAllocExp, each by its address.
typedef struct ur_enqueue_usm_shared_alloc_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_usm_pool_handle_t *ppPool;
    size_t *psize;
    const ur_exp_async_usm_alloc_properties_t **ppProperties;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    void ***pppMem;
    ur_event_handle_t **pphEvent;
} ur_enqueue_usm_shared_alloc_exp_params_t;

/// The parameters of urEnqueueUSMHostAllocExp, each by its address.
typedef struct ur_enqueue_usm_host_alloc_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_usm_pool_handle_t *ppPool;
    size_t *psize;
    const ur_exp_async_usm_alloc_properties_t **ppProperties;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    void ***pppMem;
    ur_event_handle_t **pphEvent;
} ur_enqueue_usm_host_alloc_exp_params_t;

/// The parameters of urEnqueueUSMFreeExp, each by its address.
typedef struct ur_enqueue_usm_free_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_usm_pool_handle_t *ppPool;
    void **ppMem;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_usm_free_exp_params_t;

/// The parameters of urEnqueueTimestampRecordingExp, each by its address.
typedef struct ur_enqueue_timestamp_recording_exp_params_t {
    ur_queue_handle_t *phQueue;
    bool *pblocking;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_timestamp_recording_exp_params_t;

/// The parameters of urEnqueueCommandBufferExp, each by its address.
typedef struct ur_enqueue_command_buffer_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_command_buffer_exp_params_t;

/// The parameters of urEnqueueHostTaskExp, each by its address.
typedef struct ur_enqueue_host_task_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_exp_host_task_function_t *ppfnHostTask;
    void **pdata;
    const ur_exp_host_task_properties_t **ppProperties;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_host_task_exp_params_t;

/// The parameters of urEnqueueNativeCommandExp, each by its address.
typedef struct ur_enqueue_native_command_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_exp_enqueue_native_command_function_t *ppfnNativeEnqueue;
    void **pdata;
    uint32_t *pnumMemsInMemList;
    const ur_mem_handle_t **pphMemList;
    const ur_exp_enqueue_native_command_properties_t **ppProperties;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_native_command_exp_params_t;

/// The parameters of urEnqueueGraphExp, each by its address.
typedef struct ur_enqueue_graph_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_exp_executable_graph_handle_t *phGraph;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_graph_exp_params_t;

/// The parameters of urUSMHostAlloc, each by its address.
typedef struct ur_usm_host_alloc_params_t {
    ur_context_handle_t *phContext;
    const ur_usm_desc_t **ppUSMDesc;
    ur_usm_pool_handle_t *ppool;
    size_t *psize;
    void ***pppMem;
} ur_usm_host_alloc_params_t;

/// The parameters of urUSMDeviceAlloc, each by its address.
typedef struct ur_usm_device_alloc_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    const ur_usm_desc_t **ppUSMDesc;
    ur_usm_pool_handle_t *ppool;
    size_t *psize;
    void ***pppMem;
} ur_usm_device_alloc_params_t;

/// The parameters of urUSMSharedAlloc, each by its address.
typedef struct ur_usm_shared_alloc_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    const ur_usm_desc_t **ppUSMDesc;
    ur_usm_pool_handle_t *ppool;
    size_t *psize;
    void ***pppMem;
} ur_usm_shared_alloc_params_t;

/// The parameters of urUSMFree, each by its address.
typedef struct ur_usm_free_params_t {
    ur_context_handle_t *phContext;
    void **ppMem;
} ur_usm_free_params_t;

/// The parameters of urUSMGetMemAllocInfo, each by its address.
typedef struct ur_usm_get_mem_alloc_info_params_t {
    ur_context_handle_t *phContext;
    const void **ppMem;
    ur_usm_alloc_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_usm_get_mem_alloc_info_params_t;

/// The parameters of urUSMPoolCreate, each by its address.
typedef struct ur_usm_pool_create_params_t {
    ur_context_handle_t *phContext;
    ur_usm_pool_desc_t **ppPoolDesc;
    ur_usm_pool_handle_t **pppPool;
} ur_usm_pool_create_params_t;

/// The parameters of urUSMPoolRetain, each by its address.
typedef struct ur_usm_pool_retain_params_t {
    ur_usm_pool_handle_t *ppPool;
} ur_usm_pool_retain_params_t;

/// The parameters of urUSMPoolRelease, each by its address.
typedef struct ur_usm_pool_release_params_t {
    ur_usm_pool_handle_t *ppPool;
} ur_usm_pool_release_params_t;

/// The parameters of urUSMPoolGetInfo, each by its address.
typedef struct ur_usm_pool_get_info_params_t {
    ur_usm_pool_handle_t *phPool;
    ur_usm_pool_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_usm_pool_get_info_params_t;

/// The parameters of urUSMPoolCreateExp, each by its address.
typedef struct ur_usm_pool_create_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_usm_pool_desc_t **ppPoolDesc;
    ur_usm_pool_handle_t **ppPool;
} ur_usm_pool_create_exp_params_t;

/// The parameters of urUSMPoolDestroyExp, each by its address.
typedef struct ur_usm_pool_destroy_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_usm_pool_handle_t *phPool;
} ur_usm_pool_destroy_exp_params_t;

/// The parameters of urUSMPoolGetDefaultDevicePoolExp, each by its address.
typedef struct ur_usm_pool_get_default_device_pool_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_usm_pool_handle_t **ppPool;
} ur_usm_pool_get_default_device_pool_exp_params_t;

/// The parameters of urUSMPoolGetInfoExp, each by its address.
typedef struct ur_usm_pool_get_info_exp_params_t {
    ur_usm_pool_handle_t *phPool;
    ur_usm_pool_info_t *ppropName;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_usm_pool_get_info_exp_params_t;

/// The parameters of urUSMPoolSetInfoExp, each by its address.
typedef struct ur_usm_pool_set_info_exp_params_t {
    ur_usm_pool_handle_t *phPool;
    ur_usm_pool_info_t *ppropName;
    void **ppPropValue;
    size_t *ppropSize;
} ur_usm_pool_set_info_exp_params_t;

/// The parameters of urUSMPoolSetDevicePoolExp, each by its address.
typedef struct ur_usm_pool_set_device_pool_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_usm_pool_handle_t *phPool;
} ur_usm_pool_set_device_pool_exp_params_t;

/// The parameters of urUSMPoolGetDevicePoolExp, each by its address.
typedef struct ur_usm_pool_get_device_pool_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_usm_pool_handle_t **ppPool;
} ur_usm_pool_get_device_pool_exp_params_t;

/// The parameters of urUSMPoolTrimToExp, each by its address.
typedef struct ur_usm_pool_trim_to_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_usm_pool_handle_t *phPool;
    size_t *pminBytesToKeep;
} ur_usm_pool_trim_to_exp_params_t;

/// The parameters of urUSMPitchedAllocExp, each by its address.
typedef struct ur_usm_pitched_alloc_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    const ur_usm_desc_t **ppUSMDesc;
    ur_usm_pool_handle_t *ppool;
    size_t *pwidthInBytes;
    size_t *pheight;
    size_t *pelementSizeBytes;
    void ***pppMem;
    size_t **ppResultPitch;
} ur_usm_pitched_alloc_exp_params_t;

/// The parameters of urUSMContextMemcpyExp, each by its address.
typedef struct ur_usm_context_memcpy_exp_params_t {
    ur_context_handle_t *phContext;
    void **ppDst;
    const void **ppSrc;
    size_t *psize;
} ur_usm_context_memcpy_exp_params_t;

/// The parameters of urUSMHostAllocUnregisterExp, each by its address.
typedef struct ur_usm_host_alloc_unregister_exp_params_t {
    ur_context_handle_t *phContext;
    void **ppHostMem;
} ur_usm_host_alloc_unregister_exp_params_t;

/// The parameters of urUSMHostAllocRegisterExp, each by its address.
typedef struct ur_usm_host_alloc_register_exp_params_t {
    ur_context_handle_t *phContext;
    void **ppHostMem;
    size_t *psize;
    const ur_exp_usm_host_alloc_register_properties_t **ppProperties;
} ur_usm_host_alloc_register_exp_params_t;

/// The parameters of urUSMImportExp, each by its address.
typedef struct ur_usm_import_exp_params_t {
    ur_context_handle_t *phContext;
    void **ppMem;
    size_t *psize;
} ur_usm_import_exp_params_t;

/// The parameters of urUSMReleaseExp, each by its address.
typedef struct ur_usm_release_exp_params_t {
    ur_context_handle_t *phContext;
    void **ppMem;
} ur_usm_release_exp_params_t;

/// The parameters of urBindlessImagesUnsampledImageHandleDestroyExp, each by its address.
typedef struct ur_bindless_images_unsampled_image_handle_destroy_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_exp_image_native_handle_t *phImage;
} ur_bindless_images_unsampled_image_handle_destroy_exp_params_t;

/// The parameters of urBindlessImagesSampledImageHandleDestroyExp, each by its address.
typedef struct ur_bindless_images_sampled_image_handle_destroy_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_exp_image_native_handle_t *phImage;
} ur_bindless_images_sampled_image_handle_destroy_exp_params_t;

/// The parameters of urBindlessImagesImageAllocateExp, each by its address.
typedef struct ur_bindless_images_image_allocate_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    const ur_image_format_t **ppImageFormat;
    const ur_image_desc_t **ppImageDesc;
    ur_exp_image_mem_native_handle_t **pphImageMem;
} ur_bindless_images_image_allocate_exp_params_t;

/// The parameters of urBindlessImagesImageFreeExp, each by its address.
typedef struct ur_bindless_images_image_free_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_exp_image_mem_native_handle_t *phImageMem;
} ur_bindless_images_image_free_exp_params_t;

/// The parameters of urBindlessImagesUnsampledImageCreateExp, each by its address.
typedef struct ur_bindless_images_unsampled_image_create_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_exp_image_mem_native_handle_t *phImageMem;
    const ur_image_format_t **ppImageFormat;
    const ur_image_desc_t **ppImageDesc;
    ur_exp_image_native_handle_t **pphImage;
} ur_bindless_images_unsampled_image_create_exp_params_t;

/// The parameters of urBindlessImagesSampledImageCreateExp, each by its address.
typedef struct ur_bindless_images_sampled_image_create_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_exp_image_mem_native_handle_t *phImageMem;
    const ur_image_format_t **ppImageFormat;
    const ur_image_desc_t **ppImageDesc;
    const ur_sampler_desc_t **ppSamplerDesc;
    ur_exp_image_native_handle_t **pphImage;
} ur_bindless_images_sampled_image_create_exp_params_t;

/// The parameters of urBindlessImagesImageCopyExp, each by its address.
typedef struct ur_bindless_images_image_copy_exp_params_t {
    ur_queue_handle_t *phQueue;
    const void **ppSrc;
    void **ppDst;
    const ur_image_desc_t **ppSrcImageDesc;
    const ur_image_desc_t **ppDstImageDesc;
    const ur_image_format_t **ppSrcImageFormat;
    const ur_image_format_t **ppDstImageFormat;
    ur_exp_image_copy_region_t **ppCopyRegion;
    ur_exp_image_copy_flags_t *pimageCopyFlags;
    ur_exp_image_copy_input_types_t *pimageCopyInputTypes;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_bindless_images_image_copy_exp_params_t;

/// The parameters of urBindlessImagesImageGetInfoExp, each by its address.
typedef struct ur_bindless_images_image_get_info_exp_params_t {
    ur_context_handle_t *phContext;
    ur_exp_image_mem_native_handle_t *phImageMem;
    ur_image_info_t *ppropName;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_bindless_images_image_get_info_exp_params_t;

/// The parameters of urBindlessImagesGetImageMemoryHandleTypeSupportExp, each by its address.
typedef struct ur_bindless_images_get_image_memory_handle_type_support_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    const ur_image_desc_t **ppImageDesc;
    const ur_image_format_t **ppImageFormat;
    ur_exp_image_mem_type_t *pimageMemHandleType;
    ur_bool_t **ppSupportedRet;
} ur_bindless_images_get_image_memory_handle_type_support_exp_params_t;

/// The parameters of urBindlessImagesGetImageUnsampledHandleSupportExp, each by its address.
typedef struct ur_bindless_images_get_image_unsampled_handle_support_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    const ur_image_desc_t **ppImageDesc;
    const ur_image_format_t **ppImageFormat;
    ur_exp_image_mem_type_t *pimageMemHandleType;
    ur_bool_t **ppSupportedRet;
} ur_bindless_images_get_image_unsampled_handle_support_exp_params_t;

/// The parameters of urBindlessImagesGetImageSampledHandleSupportExp, each by its address.
typedef struct ur_bindless_images_get_image_sampled_handle_support_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    const ur_image_desc_t **ppImageDesc;
    const ur_image_format_t **ppImageFormat;
    ur_exp_image_mem_type_t *pimageMemHandleType;
    ur_bool_t **ppSupportedRet;
} ur_bindless_images_get_image_sampled_handle_support_exp_params_t;

/// The parameters of urBindlessImagesMipmapGetLevelExp, each by its address.
typedef struct ur_bindless_images_mipmap_get_level_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_exp_image_mem_native_handle_t *phImageMem;
    uint32_t *pmipmapLevel;
    ur_exp_image_mem_native_handle_t **pphImageMem;
} ur_bindless_images_mipmap_get_level_exp_params_t;

/// The parameters of urBindlessImagesMipmapFreeExp, each by its address.
typedef struct ur_bindless_images_mipmap_free_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_exp_image_mem_native_handle_t *phMem;
} ur_bindless_images_mipmap_free_exp_params_t;

/// The parameters of urBindlessImagesImportExternalMemoryExp, each by its address.
typedef struct ur_bindless_images_import_external_memory_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    size_t *psize;
    ur_exp_external_mem_type_t *pmemHandleType;
    ur_exp_external_mem_desc_t **ppExternalMemDesc;
    ur_exp_external_mem_handle_t **pphExternalMem;
} ur_bindless_images_import_external_memory_exp_params_t;

/// The parameters of urBindlessImagesMapExternalArrayExp, each by its address.
typedef struct ur_bindless_images_map_external_array_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    const ur_image_format_t **ppImageFormat;
    const ur_image_desc_t **ppImageDesc;
    ur_exp_external_mem_handle_t *phExternalMem;
    ur_exp_image_mem_native_handle_t **pphImageMem;
} ur_bindless_images_map_external_array_exp_params_t;

/// The parameters of urBindlessImagesMapExternalLinearMemoryExp, each by its address.
typedef struct ur_bindless_images_map_external_linear_memory_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    uint64_t *poffset;
    uint64_t *psize;
    ur_exp_external_mem_handle_t *phExternalMem;
    void ***pppRetMem;
} ur_bindless_images_map_external_linear_memory_exp_params_t;

/// The parameters of urBindlessImagesReleaseExternalMemoryExp, each by its address.
typedef struct ur_bindless_images_release_external_memory_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_exp_external_mem_handle_t *phExternalMem;
} ur_bindless_images_release_external_memory_exp_params_t;

/// The parameters of urBindlessImagesFreeMappedLinearMemoryExp, each by its address.
typedef struct ur_bindless_images_free_mapped_linear_memory_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    void **ppMem;
} ur_bindless_images_free_mapped_linear_memory_exp_params_t;

/// The parameters of urBindlessImagesSupportsImportingHandleTypeExp, each by its address.
typedef struct ur_bindless_images_supports_importing_handle_type_exp_params_t {
    ur_device_handle_t *phDevice;
    ur_exp_external_mem_type_t *pmemHandleType;
    ur_bool_t **ppSupportedRet;
} ur_bindless_images_supports_importing_handle_type_exp_params_t;

/// The parameters of urBindlessImagesImportExternalSemaphoreExp, each by its address.
typedef struct ur_bindless_images_import_external_semaphore_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_exp_external_semaphore_type_t *psemHandleType;
    ur_exp_external_semaphore_desc_t **ppExternalSemaphoreDesc;
    ur_exp_external_semaphore_handle_t **pphExternalSemaphore;
} ur_bindless_images_import_external_semaphore_exp_params_t;

/// The parameters of urBindlessImagesReleaseExternalSemaphoreExp, each by its address.
typedef struct ur_bindless_images_release_external_semaphore_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_exp_external_semaphore_handle_t *phExternalSemaphore;
} ur_bindless_images_release_external_semaphore_exp_params_t;

/// The parameters of urBindlessImagesWaitExternalSemaphoreExp, each by its address.
typedef struct ur_bindless_images_wait_external_semaphore_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_exp_external_semaphore_handle_t *phSemaphore;
    bool *phasWaitValue;
    uint64_t *pwaitValue;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_bindless_images_wait_external_semaphore_exp_params_t;

/// The parameters of urBindlessImagesSignalExternalSemaphoreExp, each by its address.
typedef struct ur_bindless_images_signal_external_semaphore_exp_params_t {
    ur_queue_handle_t *phQueue;
    ur_exp_external_semaphore_handle_t *phSemaphore;
    bool *phasSignalValue;
    uint64_t *psignalValue;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_bindless_images_signal_external_semaphore_exp_params_t;

/// The parameters of urCommandBufferCreateExp, each by its address.
typedef struct ur_command_buffer_create_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    const ur_exp_command_buffer_desc_t **ppCommandBufferDesc;
    ur_exp_command_buffer_handle_t **pphCommandBuffer;
} ur_command_buffer_create_exp_params_t;

/// The parameters of urCommandBufferRetainExp, each by its address.
typedef struct ur_command_buffer_retain_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
} ur_command_buffer_retain_exp_params_t;

/// The parameters of urCommandBufferReleaseExp, each by its address.
typedef struct ur_command_buffer_release_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
} ur_command_buffer_release_exp_params_t;

/// The parameters of urCommandBufferFinalizeExp, each by its address.
typedef struct ur_command_buffer_finalize_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
} ur_command_buffer_finalize_exp_params_t;

/// The parameters of urCommandBufferAppendKernelLaunchExp, each by its address.
typedef struct ur_command_buffer_append_kernel_launch_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    ur_kernel_handle_t *phKernel;
    uint32_t *pworkDim;
    const size_t **ppGlobalWorkOffset;
    const size_t **ppGlobalWorkSize;
    const size_t **ppLocalWorkSize;
    uint32_t *pnumKernelAlternatives;
    ur_kernel_handle_t **pphKernelAlternatives;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
    ur_event_handle_t **pphEvent;
    ur_exp_command_buffer_command_handle_t **pphCommand;
} ur_command_buffer_append_kernel_launch_exp_params_t;

/// The parameters of urCommandBufferAppendKernelLaunchWithArgsExp, each by its address.
typedef struct ur_command_buffer_append_kernel_launch_with_args_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    ur_kernel_handle_t *phKernel;
    uint32_t *pworkDim;
    const size_t **ppGlobalWorkOffset;
    const size_t **ppGlobalWorkSize;
    const size_t **ppLocalWorkSize;
    uint32_t *pnumArgs;
    const ur_exp_kernel_arg_properties_t **ppArgs;
    uint32_t *pnumKernelAlternatives;
    ur_kernel_handle_t **pphKernelAlternatives;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
    ur_event_handle_t **pphEvent;
    ur_exp_command_buffer_command_handle_t **pphCommand;
} ur_command_buffer_append_kernel_launch_with_args_exp_params_t;

/// The parameters of urCommandBufferAppendUSMMemcpyExp, each by its address.
typedef struct ur_command_buffer_append_usm_memcpy_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    void **ppDst;
    const void **ppSrc;
    size_t *psize;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
    ur_event_handle_t **pphEvent;
    ur_exp_command_buffer_command_handle_t **pphCommand;
} ur_command_buffer_append_usm_memcpy_exp_params_t;

/// The parameters of urCommandBufferAppendUSMFillExp, each by its address.
typedef struct ur_command_buffer_append_usm_fill_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    void **ppMemory;
    const void **ppPattern;
    size_t *ppatternSize;
    size_t *psize;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
    ur_event_handle_t **pphEvent;
    ur_exp_command_buffer_command_handle_t **pphCommand;
} ur_command_buffer_append_usm_fill_exp_params_t;

/// The parameters of urCommandBufferAppendMemBufferCopyExp, each by its address.
typedef struct ur_command_buffer_append_mem_buffer_copy_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    ur_mem_handle_t *phSrcMem;
    ur_mem_handle_t *phDstMem;
    size_t *psrcOffset;
    size_t *pdstOffset;
    size_t *psize;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
    ur_event_handle_t **pphEvent;
    ur_exp_command_buffer_command_handle_t **pphCommand;
} ur_command_buffer_append_mem_buffer_copy_exp_params_t;

/// The parameters of urCommandBufferAppendMemBufferWriteExp, each by its address.
typedef struct ur_command_buffer_append_mem_buffer_write_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    ur_mem_handle_t *phBuffer;
    size_t *poffset;
    size_t *psize;
    const void **ppSrc;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
    ur_event_handle_t **pphEvent;
    ur_exp_command_buffer_command_handle_t **pphCommand;
} ur_command_buffer_append_mem_buffer_write_exp_params_t;

/// The parameters of urCommandBufferAppendMemBufferReadExp, each by its address.
typedef struct ur_command_buffer_append_mem_buffer_read_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    ur_mem_handle_t *phBuffer;
    size_t *poffset;
    size_t *psize;
    void **ppDst;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
    ur_event_handle_t **pphEvent;
    ur_exp_command_buffer_command_handle_t **pphCommand;
} ur_command_buffer_append_mem_buffer_read_exp_params_t;

/// The parameters of urCommandBufferAppendMemBufferCopyRectExp, each by its address.
typedef struct ur_command_buffer_append_mem_buffer_copy_rect_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    ur_mem_handle_t *phSrcMem;
    ur_mem_handle_t *phDstMem;
    ur_rect_offset_t *psrcOrigin;
    ur_rect_offset_t *pdstOrigin;
    ur_rect_region_t *pregion;
    size_t *psrcRowPitch;
    size_t *psrcSlicePitch;
    size_t *pdstRowPitch;
    size_t *pdstSlicePitch;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
    ur_event_handle_t **pphEvent;
    ur_exp_command_buffer_command_handle_t **pphCommand;
} ur_command_buffer_append_mem_buffer_copy_rect_exp_params_t;

/// The parameters of urCommandBufferAppendMemBufferWriteRectExp, each by its address.
typedef struct ur_command_buffer_append_mem_buffer_write_rect_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    ur_mem_handle_t *phBuffer;
    ur_rect_offset_t *pbufferOffset;
    ur_rect_offset_t *phostOffset;
    ur_rect_region_t *pregion;
    size_t *pbufferRowPitch;
    size_t *pbufferSlicePitch;
    size_t *phostRowPitch;
    size_t *phostSlicePitch;
    void **ppSrc;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
    ur_event_handle_t **pphEvent;
    ur_exp_command_buffer_command_handle_t **pphCommand;
} ur_command_buffer_append_mem_buffer_write_rect_exp_params_t;

/// The parameters of urCommandBufferAppendMemBufferReadRectExp, each by its address.
typedef struct ur_command_buffer_append_mem_buffer_read_rect_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    ur_mem_handle_t *phBuffer;
    ur_rect_offset_t *pbufferOffset;
    ur_rect_offset_t *phostOffset;
    ur_rect_region_t *pregion;
    size_t *pbufferRowPitch;
    size_t *pbufferSlicePitch;
    size_t *phostRowPitch;
    size_t *phostSlicePitch;
    void **ppDst;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
    ur_event_handle_t **pphEvent;
    ur_exp_command_buffer_command_handle_t **pphCommand;
} ur_command_buffer_append_mem_buffer_read_rect_exp_params_t;

/// The parameters of urCommandBufferAppendMemBufferFillExp, each by its address.
typedef struct ur_command_buffer_append_mem_buffer_fill_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    ur_mem_handle_t *phBuffer;
    const void **ppPattern;
    size_t *ppatternSize;
    size_t *poffset;
    size_t *psize;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
    ur_event_handle_t **pphEvent;
    ur_exp_command_buffer_command_handle_t **pphCommand;
} ur_command_buffer_append_mem_buffer_fill_exp_params_t;

/// The parameters of urCommandBufferAppendUSMPrefetchExp, each by its address.
typedef struct ur_command_buffer_append_usm_prefetch_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    const void **ppMemory;
    size_t *psize;
    ur_usm_migration_flags_t *pflags;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
    ur_event_handle_t **pphEvent;
    ur_exp_command_buffer_command_handle_t **pphCommand;
} ur_command_buffer_append_usm_prefetch_exp_params_t;

/// The parameters of urCommandBufferAppendUSMAdviseExp, each by its address.
typedef struct ur_command_buffer_append_usm_advise_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    const void **ppMemory;
    size_t *psize;
    ur_usm_advice_flags_t *padvice;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
    ur_event_handle_t **pphEvent;
    ur_exp_command_buffer_command_handle_t **pphCommand;
} ur_command_buffer_append_usm_advise_exp_params_t;

/// The parameters of urCommandBufferAppendNativeCommandExp, each by its address.
typedef struct ur_command_buffer_append_native_command_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    ur_exp_command_buffer_native_command_function_t *ppfnNativeCommand;
    void **ppData;
    ur_exp_command_buffer_handle_t *phChildCommandBuffer;
    uint32_t *pnumSyncPointsInWaitList;
    const ur_exp_command_buffer_sync_point_t **ppSyncPointWaitList;
    ur_exp_command_buffer_sync_point_t **ppSyncPoint;
} ur_command_buffer_append_native_command_exp_params_t;

/// The parameters of urCommandBufferUpdateKernelLaunchExp, each by its address.
typedef struct ur_command_buffer_update_kernel_launch_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    uint32_t *pnumKernelUpdates;
    const ur_exp_command_buffer_update_kernel_launch_desc_t **ppUpdateKernelLaunch;
} ur_command_buffer_update_kernel_launch_exp_params_t;

/// The parameters of urCommandBufferUpdateSignalEventExp, each by its address.
typedef struct ur_command_buffer_update_signal_event_exp_params_t {
    ur_exp_command_buffer_command_handle_t *phCommand;
    ur_event_handle_t **pphSignalEvent;
} ur_command_buffer_update_signal_event_exp_params_t;

/// The parameters of urCommandBufferUpdateWaitEventsExp, each by its address.
typedef struct ur_command_buffer_update_wait_events_exp_params_t {
    ur_exp_command_buffer_command_handle_t *phCommand;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
} ur_command_buffer_update_wait_events_exp_params_t;

/// The parameters of urCommandBufferGetInfoExp, each by its address.
typedef struct ur_command_buffer_get_info_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    ur_exp_command_buffer_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_command_buffer_get_info_exp_params_t;

/// The parameters of urCommandBufferGetNativeHandleExp, each by its address.
typedef struct ur_command_buffer_get_native_handle_exp_params_t {
    ur_exp_command_buffer_handle_t *phCommandBuffer;
    ur_native_handle_t **pphNativeCommandBuffer;
} ur_command_buffer_get_native_handle_exp_params_t;

/// The parameters of urGraphCreateExp, each by its address.
typedef struct ur_graph_create_exp_params_t {
    ur_context_handle_t *phContext;
    ur_exp_graph_handle_t **pphGraph;
} ur_graph_create_exp_params_t;

/// The parameters of urGraphInstantiateGraphExp, each by its address.
typedef struct ur_graph_instantiate_graph_exp_params_t {
    ur_exp_graph_handle_t *phGraph;
    ur_exp_executable_graph_handle_t **pphExecGraph;
} ur_graph_instantiate_graph_exp_params_t;

/// The parameters of urGraphDestroyExp, each by its address.
typedef struct ur_graph_destroy_exp_params_t {
    ur_exp_graph_handle_t *phGraph;
} ur_graph_destroy_exp_params_t;

/// The parameters of urGraphExecutableGraphDestroyExp, each by its address.
typedef struct ur_graph_executable_graph_destroy_exp_params_t {
    ur_exp_executable_graph_handle_t *phExecutableGraph;
} ur_graph_executable_graph_destroy_exp_params_t;

/// The parameters of urGraphIsEmptyExp, each by its address.
typedef struct ur_graph_is_empty_exp_params_t {
    ur_exp_graph_handle_t *phGraph;
    bool **ppResult;
} ur_graph_is_empty_exp_params_t;

/// The parameters of urGraphGetIdExp, each by its address.
typedef struct ur_graph_get_id_exp_params_t {
    ur_exp_graph_handle_t *phGraph;
    uint64_t **ppGraphId;
} ur_graph_get_id_exp_params_t;

/// The parameters of urGraphSetDestructionCallbackExp, each by its address.
typedef struct ur_graph_set_destruction_callback_exp_params_t {
    ur_exp_graph_handle_t *phGraph;
    ur_exp_graph_destruction_callback_t *ppfnCallback;
    void **ppUserData;
} ur_graph_set_destruction_callback_exp_params_t;

/// The parameters of urGraphDumpContentsExp, each by its address.
typedef struct ur_graph_dump_contents_exp_params_t {
    ur_exp_graph_handle_t *phGraph;
    const char **pfilePath;
} ur_graph_dump_contents_exp_params_t;

/// The parameters of urGraphGetNativeHandleExp, each by its address.
typedef struct ur_graph_get_native_handle_exp_params_t {
    ur_exp_graph_handle_t *phGraph;
    ur_native_handle_t **pphNativeGraph;
} ur_graph_get_native_handle_exp_params_t;

/// The parameters of urGraphExecutableGraphGetNativeHandleExp, each by its address.
typedef struct ur_graph_executable_graph_get_native_handle_exp_params_t {
    ur_exp_executable_graph_handle_t *phExecutableGraph;
    ur_native_handle_t **pphNativeExecutableGraph;
} ur_graph_executable_graph_get_native_handle_exp_params_t;

/// The parameters of urIPCGetMemHandleExp, each by its address.
typedef struct ur_ipc_get_mem_handle_exp_params_t {
    ur_context_handle_t *phContext;
    void **ppMem;
    void ***pppIPCMemHandleData;
    size_t **ppIPCMemHandleDataSizeRet;
} ur_ipc_get_mem_handle_exp_params_t;

/// The parameters of urIPCPutMemHandleExp, each by its address.
typedef struct ur_ipc_put_mem_handle_exp_params_t {
    ur_context_handle_t *phContext;
    void **ppIPCMemHandleData;
} ur_ipc_put_mem_handle_exp_params_t;

/// The parameters of urIPCOpenMemHandleExp, each by its address.
typedef struct ur_ipc_open_mem_handle_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    void **ppIPCMemHandleData;
    size_t *pipcMemHandleDataSize;
    void ***pppMem;
} ur_ipc_open_mem_handle_exp_params_t;

/// The parameters of urIPCCloseMemHandleExp, each by its address.
typedef struct ur_ipc_close_mem_handle_exp_params_t {
    ur_context_handle_t *phContext;
    void **ppMem;
} ur_ipc_close_mem_handle_exp_params_t;

/// The parameters of urIPCGetPhysMemHandleExp, each by its address.
typedef struct ur_ipc_get_phys_mem_handle_exp_params_t {
    ur_context_handle_t *phContext;
    ur_physical_mem_handle_t *phPhysMem;
    void ***pppIPCPhysMemHandleData;
    size_t **ppIPCPhysMemHandleDataSizeRet;
} ur_ipc_get_phys_mem_handle_exp_params_t;

/// The parameters of urIPCPutPhysMemHandleExp, each by its address.
typedef struct ur_ipc_put_phys_mem_handle_exp_params_t {
    ur_context_handle_t *phContext;
    const void **ppIPCPhysMemHandleData;
} ur_ipc_put_phys_mem_handle_exp_params_t;

/// The parameters of urIPCOpenPhysMemHandleExp, each by its address.
typedef struct ur_ipc_open_phys_mem_handle_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    const void **ppIPCPhysMemHandleData;
    size_t *pipcPhysMemHandleDataSize;
    ur_physical_mem_handle_t **pphPhysMem;
} ur_ipc_open_phys_mem_handle_exp_params_t;

/// The parameters of urIPCClosePhysMemHandleExp, each by its address.
typedef struct ur_ipc_close_phys_mem_handle_exp_params_t {
    ur_context_handle_t *phContext;
    ur_physical_mem_handle_t *phPhysMem;
} ur_ipc_close_phys_mem_handle_exp_params_t;

/// The parameters of urIPCGetEventHandleExp, each by its address.
typedef struct ur_ipc_get_event_handle_exp_params_t {
    ur_event_handle_t *phEvent;
    void ***pppIPCEventHandleData;
    size_t **ppIPCEventHandleDataSizeRet;
} ur_ipc_get_event_handle_exp_params_t;

/// The parameters of urIPCPutEventHandleExp, each by its address.
typedef struct ur_ipc_put_event_handle_exp_params_t {
    ur_context_handle_t *phContext;
    void **ppIPCEventHandleData;
} ur_ipc_put_event_handle_exp_params_t;

/// The parameters of urIPCOpenEventHandleExp, each by its address.
typedef struct ur_ipc_open_event_handle_exp_params_t {
    ur_context_handle_t *phContext;
    const void **ppIPCEventHandleData;
    size_t *pipcEventHandleDataSize;
    ur_event_handle_t **pphEvent;
} ur_ipc_open_event_handle_exp_params_t;

/// The parameters of urMemoryExportAllocExportableMemoryExp, each by its address.
typedef struct ur_memory_export_alloc_exportable_memory_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    size_t *palignment;
    size_t *psize;
    ur_exp_external_mem_type_t *phandleTypeToExport;
    void ***pppMem;
} ur_memory_export_alloc_exportable_memory_exp_params_t;

/// The parameters of urMemoryExportFreeExportableMemoryExp, each by its address.
typedef struct ur_memory_export_free_exportable_memory_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    void **ppMem;
} ur_memory_export_free_exportable_memory_exp_params_t;

/// The parameters of urMemoryExportExportMemoryHandleExp, each by its address.
typedef struct ur_memory_export_export_memory_handle_exp_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    ur_exp_external_mem_type_t *phandleTypeToExport;
    void **ppMem;
    void **ppMemHandleRet;
} ur_memory_export_export_memory_handle_exp_params_t;

/// The parameters of urUsmP2PEnablePeerAccessExp, each by its address.
typedef struct ur_usm_p2p_enable_peer_access_exp_params_t {
    ur_device_handle_t *pcommandDevice;
    ur_device_handle_t *ppeerDevice;
} ur_usm_p2p_enable_peer_access_exp_params_t;

/// The parameters of urUsmP2PDisablePeerAccessExp, each by its address.
typedef struct ur_usm_p2p_disable_peer_access_exp_params_t {
    ur_device_handle_t *pcommandDevice;
    ur_device_handle_t *ppeerDevice;
} ur_usm_p2p_disable_peer_access_exp_params_t;

/// The parameters of urUsmP2PPeerAccessGetInfoExp, each by its address.
typedef struct ur_usm_p2p_peer_access_get_info_exp_params_t {
    ur_device_handle_t *pcommandDevice;
    ur_device_handle_t *ppeerDevice;
    ur_exp_peer_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_usm_p2p_peer_access_get_info_exp_params_t;

/// The parameters of urVirtualMemGranularityGetInfo, each by its address.
typedef struct ur_virtual_mem_granularity_get_info_params_t {
    ur_context_handle_t *phContext;
    ur_device_handle_t *phDevice;
    size_t *pallocationSize;
    ur_virtual_mem_granularity_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_virtual_mem_granularity_get_info_params_t;

/// The parameters of urVirtualMemReserve, each by its address.
typedef struct ur_virtual_mem_reserve_params_t {
    ur_context_handle_t *phContext;
    const void **ppStart;
    size_t *psize;
    void ***pppStart;
} ur_virtual_mem_reserve_params_t;

/// The parameters of urVirtualMemFree, each by its address.
typedef struct ur_virtual_mem_free_params_t {
    ur_context_handle_t *phContext;
    const void **ppStart;
    size_t *psize;
} ur_virtual_mem_free_params_t;

/// The parameters of urVirtualMemMap, each by its address.
typedef struct ur_virtual_mem_map_params_t {
    ur_context_handle_t *phContext;
    const void **ppStart;
    size_t *psize;
    ur_physical_mem_handle_t *phPhysicalMem;
    size_t *poffset;
    ur_virtual_mem_access_flags_t *pflags;
} ur_virtual_mem_map_params_t;

/// The parameters of urVirtualMemUnmap, each by its address.
typedef struct ur_virtual_mem_unmap_params_t {
    ur_context_handle_t *phContext;
    const void **ppStart;
    size_t *psize;
} ur_virtual_mem_unmap_params_t;

/// The parameters of urVirtualMemSetAccess, each by its address.
typedef struct ur_virtual_mem_set_access_params_t {
    ur_context_handle_t *phContext;
    const void **ppStart;
    size_t *psize;
    ur_virtual_mem_access_flags_t *pflags;
} ur_virtual_mem_set_access_params_t;

/// The parameters of urVirtualMemGetInfo, each by its address.
typedef struct ur_virtual_mem_get_info_params_t {
    ur_context_handle_t *phContext;
    const void **ppStart;
    size_t *psize;
    ur_virtual_mem_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_virtual_mem_get_info_params_t;

/// The parameters of urDeviceGet, each by its address.
typedef struct ur_device_get_params_t {
    ur_platform_handle_t *phPlatform;
    ur_device_type_t *pDeviceType;
    uint32_t *pNumEntries;
    ur_device_handle_t **pphDevices;
    uint32_t **ppNumDevices;
} ur_device_get_params_t;

/// The parameters of urDeviceGetInfo, each by its address.
typedef struct ur_device_get_info_params_t {
    ur_device_handle_t *phDevice;
    ur_device_info_t *ppropName;
    size_t *ppropSize;
    void **ppPropValue;
    size_t **ppPropSizeRet;
} ur_device_get_info_params_t;

/// The parameters of urDeviceRetain, each by its address.
typedef struct ur_device_retain_params_t {
    ur_device_handle_t *phDevice;
} ur_device_retain_params_t;

/// The parameters of urDeviceRelease, each by its address.
typedef struct ur_device_release_params_t {
    ur_device_handle_t *phDevice;
} ur_device_release_params_t;

/// The parameters of urDevicePartition, each by its address.
typedef struct ur_device_partition_params_t {
    ur_device_handle_t *phDevice;
    const ur_device_partition_properties_t **ppProperties;
    uint32_t *pNumDevices;
    ur_device_handle_t **pphSubDevices;
    uint32_t **ppNumDevicesRet;
} ur_device_partition_params_t;

/// The parameters of urDeviceSelectBinary, each by its address.
typedef struct ur_device_select_binary_params_t {
    ur_device_handle_t *phDevice;
    const ur_device_binary_t **ppBinaries;
    uint32_t *pNumBinaries;
    uint32_t **ppSelectedBinary;
} ur_device_select_binary_params_t;

/// The parameters of urDeviceGetNativeHandle, each by its address.
typedef struct ur_device_get_native_handle_params_t {
    ur_device_handle_t *phDevice;
    ur_native_handle_t **pphNativeDevice;
} ur_device_get_native_handle_params_t;

/// The parameters of urDeviceCreateWithNativeHandle, each by its address.
typedef struct ur_device_create_with_native_handle_params_t {
    ur_native_handle_t *phNativeDevice;
    ur_adapter_handle_t *phAdapter;
    const ur_device_native_properties_t **ppProperties;
    ur_device_handle_t **pphDevice;
} ur_device_create_with_native_handle_params_t;

/// The parameters of urDeviceGetGlobalTimestamps, each by its address.
typedef struct ur_device_get_global_timestamps_params_t {
    ur_device_handle_t *phDevice;
    uint64_t **ppDeviceTimestamp;
    uint64_t **ppHostTimestamp;
} ur_device_get_global_timestamps_params_t;

/// The parameters of urDeviceWaitExp, each by its address.
typedef struct ur_device_wait_exp_params_t {
    ur_device_handle_t *phDevice;
} ur_device_wait_exp_params_t;

#if defined(UR_OXUR_LEGACY_API)
/// The parameters of urKernelSetArgValue, each by its address.
typedef struct ur_kernel_set_arg_value_params_t {
    ur_kernel_handle_t *phKernel;
    uint32_t *pargIndex;
    size_t *pargSize;
    const ur_kernel_arg_value_properties_t **ppProperties;
    const void **ppArgValue;
} ur_kernel_set_arg_value_params_t;
#endif

#if defined(UR_OXUR_LEGACY_API)
/// The parameters of urKernelSetArgLocal, each by its address.
typedef struct ur_kernel_set_arg_local_params_t {
    ur_kernel_handle_t *phKernel;
    uint32_t *pargIndex;
    size_t *pargSize;
    const ur_kernel_arg_local_properties_t **ppProperties;
} ur_kernel_set_arg_local_params_t;
#endif

#if defined(UR_OXUR_LEGACY_API)
/// The parameters of urKernelSetArgPointer, each by its address.
typedef struct ur_kernel_set_arg_pointer_params_t {
    ur_kernel_handle_t *phKernel;
    uint32_t *pargIndex;
    const ur_kernel_arg_pointer_properties_t **ppProperties;
    const void **ppArgValue;
} ur_kernel_set_arg_pointer_params_t;
#endif

#if defined(UR_OXUR_LEGACY_API)
/// The parameters of urKernelSetArgSampler, each by its address.
typedef struct ur_kernel_set_arg_sampler_params_t {
    ur_kernel_handle_t *phKernel;
    uint32_t *pargIndex;
    const ur_kernel_arg_sampler_properties_t **ppProperties;
    ur_sampler_handle_t *phArgValue;
} ur_kernel_set_arg_sampler_params_t;
#endif

#if defined(UR_OXUR_LEGACY_API)
/// The parameters of urKernelSetArgMemObj, each by its address.
typedef struct ur_kernel_set_arg_mem_obj_params_t {
    ur_kernel_handle_t *phKernel;
    uint32_t *pargIndex;
    const ur_kernel_arg_mem_obj_properties_t **ppProperties;
    ur_mem_handle_t *phArgValue;
} ur_kernel_set_arg_mem_obj_params_t;
#endif

#if defined(UR_OXUR_LEGACY_API)
/// The parameters of urEnqueueKernelLaunch, each by its address.
typedef struct ur_enqueue_kernel_launch_params_t {
    ur_queue_handle_t *phQueue;
    ur_kernel_handle_t *phKernel;
    uint32_t *pworkDim;
    const size_t **ppGlobalWorkOffset;
    const size_t **ppGlobalWorkSize;
    const size_t **ppLocalWorkSize;
    const ur_kernel_launch_ext_properties_t **plaunchPropList;
    uint32_t *pnumEventsInWaitList;
    const ur_event_handle_t **pphEventWaitList;
    ur_event_handle_t **pphEvent;
} ur_enqueue_kernel_launch_params_t;
#endif

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// Creates a loader configuration with no layers enabled and reference count one.
///
/// Callable before `urLoaderInit`. The caller ends its reference with `urLoaderConfigRelease`.
///
/// @param[out] phLoaderConfig receives the new configuration
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urLoaderConfigCreate(ur_loader_config_handle_t *phLoaderConfig);

/// Adds one reference to a loader configuration.
///
/// @param[in] hLoaderConfig configuration to keep alive
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urLoaderConfigRetain(ur_loader_config_handle_t hLoaderConfig);

/// Drops one reference to a loader configuration and destroys it when none is left.
///
/// @param[in] hLoaderConfig configuration whose reference is given up
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urLoaderConfigRelease(ur_loader_config_handle_t hLoaderConfig);

/// Returns one property of a loader configuration.
///
/// Call once with only the size pointer to learn the byte count. A buffer that is too small fails with
/// `UR_RESULT_ERROR_INVALID_SIZE`.
///
/// @param[in] hLoaderConfig configuration to inspect
/// @param[in] propName which property to read
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_DEVICE`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urLoaderConfigGetInfo(ur_loader_config_handle_t hLoaderConfig,
                                  ur_loader_config_info_t propName,
                                  size_t propSize,
                                  void *pPropValue,
                                  size_t *pPropSizeRet);

/// Turns on a layer (validation, tracing, sanitizer or similar) for a later `urLoaderInit` with this
/// configuration.
///
/// Fails with `UR_RESULT_ERROR_LAYER_NOT_PRESENT` when the loader has no layer of that name.
///
/// @param[in] hLoaderConfig configuration to change
/// @param[in] pLayerName null-terminated name of the layer to turn on
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_LAYER_NOT_PRESENT`
UR_APIEXPORT
ur_result_t urLoaderConfigEnableLayer(ur_loader_config_handle_t hLoaderConfig,
                                      const char *pLayerName);

/// Registers a function that reports to the tracing layer where in user code an API call originates.
///
/// Purely informative: traces can then be correlated with higher-level calls.
///
/// @param[in] hLoaderConfig configuration to change
/// @param[in] pfnCodeloc function that supplies the source position; null is rejected
/// @param[inout] pUserData [optional] passed unchanged to each callback invocation; may be null
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urLoaderConfigSetCodeLocationCallback(ur_loader_config_handle_t hLoaderConfig,
                                                  ur_code_location_callback_t pfnCodeloc,
                                                  void *pUserData);

/// Switches the loader between the real adapters and a single mock adapter.
///
/// The mock answers every entry point with success and hands out reference-counted dummy objects, for tests
/// that need no hardware.
///
/// @param[in] hLoaderConfig configuration to change
/// @param[in] enable true to expose only the mock adapter
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urLoaderConfigSetMockingEnabled(ur_loader_config_handle_t hLoaderConfig,
                                            ur_bool_t enable);

/// Initialises the process-wide loader, finds its adapters and sets up the chosen layers.
///
/// Every other call except the `urLoaderConfig*` family returns `UR_RESULT_ERROR_UNINITIALIZED` before this.
/// Repeated and concurrent calls are safe; a forked child must call it again.
///
/// @param[in] device_flags device classes whose adapters are wanted; zero for no restriction
/// @param[in] hLoaderConfig [optional] layer and callback settings; null takes the defaults and environment
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urLoaderInit(ur_device_init_flags_t device_flags,
                         ur_loader_config_handle_t hLoaderConfig);

/// Shuts the loader down and frees everything it holds.
///
/// Release all handles first: none may be used afterwards.
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urLoaderTearDown(void);

/// Returns the devices of a platform that pass the `ONEAPI_DEVICE_SELECTOR` filter and have the given type.
///
/// Works like `urDeviceGet`, references included; the selector may also yield sub-devices. A malformed
/// selector gives `UR_RESULT_ERROR_INVALID_VALUE`.
///
/// @param[in] hPlatform platform to enumerate
/// @param[in] DeviceType device class to return
/// @param[in] NumEntries capacity of `phDevices`; zero with a non-null array is an error
/// @param[out] phDevices [optional] receives up to `NumEntries` device handles; null to ask only for the count
/// @param[out] pNumDevices [optional] receives the number of selected devices; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urDeviceGetSelected(ur_platform_handle_t hPlatform,
                                ur_device_type_t DeviceType,
                                uint32_t NumEntries,
                                ur_device_handle_t *phDevices,
                                uint32_t *pNumDevices);

/// Returns the adapters that the loader found, taking one reference on each.
///
/// Release every returned handle with `urAdapterRelease`. An adapter called directly reports exactly one
/// handle, and may set up its global state on the first reference.
///
/// @param[in] NumEntries capacity of `phAdapters`; zero with a non-null array is an error
/// @param[out] phAdapters [optional] receives up to `NumEntries` adapter handles; null to ask only for the count
/// @param[out] pNumAdapters [optional] receives the number of adapters that exist; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_SIZE`
UR_APIEXPORT
ur_result_t urAdapterGet(uint32_t NumEntries,
                         ur_adapter_handle_t *phAdapters,
                         uint32_t *pNumAdapters);

/// Drops one reference to an adapter; the last one lets it free its global state.
///
/// @param[in] hAdapter adapter whose reference is given up
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urAdapterRelease(ur_adapter_handle_t hAdapter);

/// Adds one reference to an adapter.
///
/// @param[in] hAdapter adapter to keep alive
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urAdapterRetain(ur_adapter_handle_t hAdapter);

/// Returns message and driver code of the calling thread's latest adapter-specific failure.
///
/// Meaningful only right after a call on the same thread returned `UR_RESULT_ERROR_ADAPTER_SPECIFIC`.
///
/// @param[in] hAdapter adapter that reported the failure
/// @param[out] ppMessage receives a null-terminated text; the adapter owns it, do not free
/// @param[out] pError receives the raw status code of the driver call that failed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urAdapterGetLastError(ur_adapter_handle_t hAdapter,
                                  const char **ppMessage,
                                  int32_t *pError);

/// Returns one property of an adapter.
///
/// A too small buffer fails with `UR_RESULT_ERROR_INVALID_SIZE`, a query the adapter does not answer with
/// `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`.
///
/// @param[in] hAdapter adapter to inspect
/// @param[in] propName which property to read
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urAdapterGetInfo(ur_adapter_handle_t hAdapter,
                             ur_adapter_info_t propName,
                             size_t propSize,
                             void *pPropValue,
                             size_t *pPropSizeRet);

/// Registers a function to which the adapter sends its log messages.
///
/// Messages may arrive on any thread, also concurrently; making the callback safe for that is the caller's
/// duty.
///
/// @param[in] hAdapter adapter whose log is tapped
/// @param[in] pfnLoggerCallback function that receives the messages; null is rejected
/// @param[inout] pUserData [optional] passed unchanged to each callback invocation; may be null
/// @param[in] level lowest severity that is delivered
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`
UR_APIEXPORT
ur_result_t urAdapterSetLoggerCallback(ur_adapter_handle_t hAdapter,
                                       ur_logger_callback_t pfnLoggerCallback,
                                       void *pUserData,
                                       ur_logger_level_t level);

/// Changes the severity threshold of the registered logger callback.
///
/// @param[in] hAdapter adapter whose threshold is changed
/// @param[in] level lowest severity delivered from now on
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`
UR_APIEXPORT
ur_result_t urAdapterSetLoggerCallbackLevel(ur_adapter_handle_t hAdapter,
                                            ur_logger_level_t level);

/// Returns the platforms of one adapter.
///
/// Handles and their order are the same on every call; platforms are not reference-counted. Passing neither
/// array nor count pointer yields `UR_RESULT_ERROR_INVALID_VALUE`. Compare `clGetPlatformIDs`.
///
/// @param[in] hAdapter adapter to enumerate
/// @param[in] NumEntries capacity of `phPlatforms`; zero with a non-null array is an error
/// @param[out] phPlatforms [optional] receives up to `NumEntries` platform handles; null to ask only for the
///     count
/// @param[out] pNumPlatforms [optional] receives the number of platforms that exist; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urPlatformGet(ur_adapter_handle_t hAdapter,
                          uint32_t NumEntries,
                          ur_platform_handle_t *phPlatforms,
                          uint32_t *pNumPlatforms);

/// Returns one property of a platform.
///
/// Query the size of string properties first; a too small buffer fails with `UR_RESULT_ERROR_INVALID_SIZE`.
/// Compare `clGetPlatformInfo`.
///
/// @param[in] hPlatform platform to inspect
/// @param[in] propName which property to read
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_PLATFORM`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urPlatformGetInfo(ur_platform_handle_t hPlatform,
                              ur_platform_info_t propName,
                              size_t propSize,
                              void *pPropValue,
                              size_t *pPropSizeRet);

/// Returns the driver's own object behind a platform, such as a `cl_platform_id` or `ze_driver_handle_t`.
///
/// The platform keeps ownership. `UR_RESULT_ERROR_UNSUPPORTED_FEATURE` where the backend has no such object.
///
/// @param[in] hPlatform platform to unwrap
/// @param[out] phNativePlatform receives the driver handle
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urPlatformGetNativeHandle(ur_platform_handle_t hPlatform,
                                      ur_native_handle_t *phNativePlatform);

/// Wraps a driver platform object in a UR platform handle.
///
/// `UR_RESULT_ERROR_UNSUPPORTED_FEATURE` where the backend cannot do it.
///
/// @param[in] hNativePlatform driver platform to wrap
/// @param[in] hAdapter adapter of the backend that the native handle comes from
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phPlatform receives the UR platform
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urPlatformCreateWithNativeHandle(ur_native_handle_t hNativePlatform,
                                             ur_adapter_handle_t hAdapter,
                                             const ur_platform_native_properties_t *pProperties,
                                             ur_platform_handle_t *phPlatform);

/// Returns the UR version that a platform implements.
///
/// @param[in] hPlatform platform to inspect
/// @param[out] pVersion receives the version
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urPlatformGetApiVersion(ur_platform_handle_t hPlatform,
                                    ur_api_version_t *pVersion);

/// Translates a compiler frontend option into the spelling that the platform's device compiler takes.
///
/// An unknown option fails with `UR_RESULT_ERROR_INVALID_VALUE`.
///
/// @param[in] hPlatform platform whose compiler is meant
/// @param[in] pFrontendOption null-terminated option, for example `-O2`
/// @param[out] ppPlatformOption receives a null-terminated, adapter-owned string, thread-local; possibly empty
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urPlatformGetBackendOption(ur_platform_handle_t hPlatform,
                                       const char *pFrontendOption,
                                       const char **ppPlatformOption);

/// Creates a context over one or more devices of the same platform.
///
/// Release it with `urContextRelease`; objects created in it keep it alive. Compare `clCreateContext` and
/// `zeContextCreateEx`.
///
/// @param[in] DeviceCount length of `phDevices`, at least 1
/// @param[in] phDevices array of `DeviceCount` devices to include
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phContext receives the new context
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY`
UR_APIEXPORT
ur_result_t urContextCreate(uint32_t DeviceCount,
                            const ur_device_handle_t *phDevices,
                            const ur_context_properties_t *pProperties,
                            ur_context_handle_t *phContext);

/// Adds one reference to a context.
///
/// Compare `clRetainContext`.
///
/// @param[in] hContext context to keep alive
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urContextRetain(ur_context_handle_t hContext);

/// Drops one reference to a context and destroys it when none is left.
///
/// Extended deleters registered on it run at destruction. Compare `clReleaseContext`.
///
/// @param[in] hContext context whose reference is given up
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urContextRelease(ur_context_handle_t hContext);

/// Returns one property of a context.
///
/// A too small buffer fails with `UR_RESULT_ERROR_INVALID_SIZE`. Compare `clGetContextInfo`.
///
/// @param[in] hContext context to inspect
/// @param[in] propName which property to read
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urContextGetInfo(ur_context_handle_t hContext,
                             ur_context_info_t propName,
                             size_t propSize,
                             void *pPropValue,
                             size_t *pPropSizeRet);

/// Returns the driver's own object behind a context, such as a `cl_context` or `ze_context_handle_t`.
///
/// The UR context keeps ownership. `UR_RESULT_ERROR_UNSUPPORTED_FEATURE` where the backend has no such
/// object.
///
/// @param[in] hContext context to unwrap
/// @param[out] phNativeContext receives the driver handle
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urContextGetNativeHandle(ur_context_handle_t hContext,
                                     ur_native_handle_t *phNativeContext);

/// Wraps a driver context object in a UR context.
///
/// Release it with `urContextRelease`. `UR_RESULT_ERROR_UNSUPPORTED_FEATURE` where the backend cannot do it.
///
/// @param[in] hNativeContext driver context to wrap
/// @param[in] hAdapter adapter of the backend that the native handle comes from
/// @param[in] numDevices length of `phDevices`
/// @param[in] phDevices [optional] array of `numDevices` devices of the context; null if the driver can tell them
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phContext receives the new context
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urContextCreateWithNativeHandle(ur_native_handle_t hNativeContext,
                                            ur_adapter_handle_t hAdapter,
                                            uint32_t numDevices,
                                            const ur_device_handle_t *phDevices,
                                            const ur_context_native_properties_t *pProperties,
                                            ur_context_handle_t *phContext);

/// Registers a function that runs when the context is destroyed.
///
/// Meant for freeing data that higher layers attach to a context; compare `clSetContextDestructorCallback`.
/// `UR_RESULT_ERROR_UNSUPPORTED_FEATURE` where the adapter has no such hook.
///
/// @param[in] hContext context to watch
/// @param[in] pfnDeleter function to call; null is rejected
/// @param[inout] pUserData [optional] passed unchanged to the function; may be null
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urContextSetExtendedDeleter(ur_context_handle_t hContext,
                                        ur_context_extended_deleter_t pfnDeleter,
                                        void *pUserData);

/// Returns one property of an event.
///
/// Counterpart of clGetEventInfo; returned handles are not retained. Polling the status does not synchronise
/// memory.
///
/// @param[in] hEvent event to query
/// @param[in] propName property wanted; fixes the type of the result
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urEventGetInfo(ur_event_handle_t hEvent,
                           ur_event_info_t propName,
                           size_t propSize,
                           void *pPropValue,
                           size_t *pPropSizeRet);

/// Returns one timestamp of the command behind an event.
///
/// Needs a queue created with UR_QUEUE_FLAG_PROFILING_ENABLE, otherwise
/// UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE; ask after completion. Counterpart of
/// clGetEventProfilingInfo.
///
/// @param[in] hEvent event to query
/// @param[in] propName timestamp wanted; the result is a uint64_t
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_PROFILING_INFO_NOT_AVAILABLE`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`
UR_APIEXPORT
ur_result_t urEventGetProfilingInfo(ur_event_handle_t hEvent,
                                    ur_profiling_info_t propName,
                                    size_t propSize,
                                    void *pPropValue,
                                    size_t *pPropSizeRet);

/// Blocks the host until all given events are complete.
///
/// An empty list gives UR_RESULT_ERROR_INVALID_VALUE; an event that ended in error gives
/// UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS. Counterpart of clWaitForEvents and zeEventHostSynchronize.
///
/// @param[in] numEvents entries in the wait list; must not be 0
/// @param[in] phEventWaitList events that must complete first; null if and only if `numEventsInWaitList` is 0
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEventWait(uint32_t numEvents,
                        const ur_event_handle_t *phEventWaitList);

/// Adds one reference to an event.
///
/// Balance every call with urEventRelease. Counterpart of clRetainEvent.
///
/// @param[in] hEvent event to keep alive
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urEventRetain(ur_event_handle_t hEvent);

/// Drops one reference to an event and destroys it when none is left and its command is done.
///
/// Releasing never cancels the command. Counterpart of clReleaseEvent.
///
/// @param[in] hEvent event to let go of; do not use it after the last reference
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urEventRelease(ur_event_handle_t hEvent);

/// Returns the backend event behind a UR event.
///
/// Ownership stays with UR, so the native handle is valid only while the UR event lives.
/// UR_RESULT_ERROR_UNSUPPORTED_FEATURE means the backend has no such object.
///
/// @param[in] hEvent event to look behind
/// @param[out] phNativeEvent receives the borrowed backend handle, e.g. cl_event, ze_event_handle_t or CUevent
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urEventGetNativeHandle(ur_event_handle_t hEvent,
                                   ur_native_handle_t *phNativeEvent);

/// Wraps an existing backend event in a UR event.
///
/// The caller releases the wrapper with urEventRelease; whether that also destroys the native event follows
/// isNativeHandleOwned.
///
/// @param[in] hNativeEvent backend event, e.g. cl_event, ze_event_handle_t or CUevent
/// @param[in] hContext context the native event belongs to
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phEvent receives the event, for the caller to release
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urEventCreateWithNativeHandle(ur_native_handle_t hNativeEvent,
                                          ur_context_handle_t hContext,
                                          const ur_event_native_properties_t *pProperties,
                                          ur_event_handle_t *phEvent);

/// Registers a function to be called once an event has reached or passed a progress point.
///
/// UR_EXECUTION_INFO_QUEUED is rejected with UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION, because all events start
/// there. Registration on an event already past the point still fires. Counterpart of clSetEventCallback.
///
/// @param[in] hEvent event to observe
/// @param[in] execStatus progress point that triggers the call
/// @param[in] pfnNotify function to call; must not be null
/// @param[inout] pUserData [optional] passed to pfnNotify as is; must stay valid until then; may be null
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`
UR_APIEXPORT
ur_result_t urEventSetCallback(ur_event_handle_t hEvent,
                               ur_execution_info_t execStatus,
                               ur_event_callback_t pfnNotify,
                               void *pUserData);

/// Creates a reusable event that is not yet tied to any command.
///
/// urEnqueueEventsWaitWithBarrierExt signals it; the caller drops it with urEventRelease. Profiling asked for
/// where the platform cannot time single events gives UR_RESULT_ERROR_UNSUPPORTED_FEATURE. Level Zero
/// analogue: zeEventCreate.
///
/// @since 2026.2
///
/// @param[in] hContext context the event belongs to
/// @param[in] hDevice device whose work will signal the event
/// @param[in] pEventDesc abilities the event is to have
/// @param[out] phEvent receives the event, for the caller to release
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEventCreateExp(ur_context_handle_t hContext,
                             ur_device_handle_t hDevice,
                             const ur_exp_event_desc_t *pEventDesc,
                             ur_event_handle_t *phEvent);

/// Creates a program from an intermediate-language module such as SPIR-V.
///
/// Nothing is compiled until urProgramBuild or urProgramCompile, though a malformed module may be rejected
/// here with UR_RESULT_ERROR_INVALID_BINARY. UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE means the devices accept
/// native binaries only. The caller releases with urProgramRelease. Counterpart of clCreateProgramWithIL.
///
/// @param[in] hContext context the program belongs to
/// @param[in] pIL module bytes; read only during the call
/// @param[in] length bytes at pIL; must not be 0
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phProgram receives the new program; release with urProgramRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_INVALID_BINARY`, `UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE`
UR_APIEXPORT
ur_result_t urProgramCreateWithIL(ur_context_handle_t hContext,
                                  const void *pIL,
                                  size_t length,
                                  const ur_program_properties_t *pProperties,
                                  ur_program_handle_t *phProgram);

/// Creates a program from one native binary per device.
///
/// The three arrays run in parallel, and every device must belong to the context. A binary that does not fit
/// its device gives UR_RESULT_ERROR_INVALID_NATIVE_BINARY, here or at build time. Counterpart of
/// clCreateProgramWithBinary.
///
/// @param[in] hContext context the program belongs to
/// @param[in] numDevices entries in each of the three arrays; must not be 0
/// @param[in] phDevices array of numDevices devices
/// @param[in] pLengths array of numDevices binary lengths in bytes
/// @param[in] ppBinaries array of numDevices pointers to binaries; entry i is for device i
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phProgram receives the new program; release with urProgramRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_INVALID_NATIVE_BINARY`
UR_APIEXPORT
ur_result_t urProgramCreateWithBinary(ur_context_handle_t hContext,
                                      uint32_t numDevices,
                                      ur_device_handle_t *phDevices,
                                      size_t *pLengths,
                                      const uint8_t **ppBinaries,
                                      const ur_program_properties_t *pProperties,
                                      ur_program_handle_t *phProgram);

/// Compiles and links a program in one step for all devices of the context.
///
/// On success urKernelCreate accepts the program. On UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE the log is
/// available through urProgramGetBuildInfo. Counterpart of clBuildProgram and zeModuleCreate.
///
/// @param[in] hContext context the program was created in
/// @param[in] hProgram program to build in place
/// @param[in] pOptions [optional] NUL-terminated compiler and linker options; null for none
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_PROGRAM`,
///     `UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE`
UR_APIEXPORT
ur_result_t urProgramBuild(ur_context_handle_t hContext,
                           ur_program_handle_t hProgram,
                           const char *pOptions);

/// Compiles a program to unlinked object code for all devices of the context.
///
/// Feed the result to urProgramLink. On UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE the log is available through
/// urProgramGetBuildInfo. Counterpart of clCompileProgram.
///
/// @param[in] hContext context the program was created in
/// @param[inout] hProgram program to compile in place
/// @param[in] pOptions [optional] NUL-terminated compiler options; null for none
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_PROGRAM`,
///     `UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE`
UR_APIEXPORT
ur_result_t urProgramCompile(ur_context_handle_t hContext,
                             ur_program_handle_t hProgram,
                             const char *pOptions);

/// Links compiled programs into a new executable program for all devices of the context.
///
/// The inputs are left as they are; the caller releases the result with urProgramRelease. When linking fails,
/// *phProgram is either null or a program good for nothing but reading its build log. Counterpart of
/// clLinkProgram.
///
/// @param[in] hContext context all the programs belong to
/// @param[in] count entries in phPrograms; must not be 0
/// @param[in] phPrograms array of count compiled programs
/// @param[in] pOptions [optional] NUL-terminated linker options; null for none
/// @param[out] phProgram receives the linked program, possibly also on failure; release with urProgramRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_PROGRAM`, `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_PROGRAM_LINK_FAILURE`
UR_APIEXPORT
ur_result_t urProgramLink(ur_context_handle_t hContext,
                          uint32_t count,
                          const ur_program_handle_t *phPrograms,
                          const char *pOptions,
                          ur_program_handle_t *phProgram);

/// Adds one reference to a program.
///
/// Balance every call with urProgramRelease. Counterpart of clRetainProgram.
///
/// @param[in] hProgram program to keep alive
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urProgramRetain(ur_program_handle_t hProgram);

/// Drops one reference to a program and destroys it when none is left.
///
/// Kernels created from a program keep it alive. Counterpart of clReleaseProgram.
///
/// @param[in] hProgram program to let go of; do not use it after the last reference
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urProgramRelease(ur_program_handle_t hProgram);

/// Returns the device address of a function in a built program.
///
/// An unbuilt program gives UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE. An unknown name gives
/// UR_RESULT_ERROR_INVALID_KERNEL_NAME; a known function whose address the backend cannot supply gives
/// UR_RESULT_ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE. Counterpart of clGetDeviceFunctionPointerINTEL and
/// zeModuleGetFunctionPointer.
///
/// @param[in] hDevice device whose code is meant
/// @param[in] hProgram program built for that device
/// @param[in] pFunctionName NUL-terminated function name, as mangled in the device code
/// @param[out] ppFunctionPointer receives the address, callable from device code only
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_KERNEL_NAME`, `UR_RESULT_ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urProgramGetFunctionPointer(ur_device_handle_t hDevice,
                                        ur_program_handle_t hProgram,
                                        const char *pFunctionName,
                                        void **ppFunctionPointer);

/// Returns the device address, and the size, of a global variable in a built program.
///
/// The memory belongs to the program. An unknown name gives UR_RESULT_ERROR_INVALID_VALUE. Counterpart of
/// clGetDeviceGlobalVariablePointerINTEL and zeModuleGetGlobalPointer.
///
/// @param[in] hDevice device whose instance is meant
/// @param[in] hProgram program built for that device
/// @param[in] pGlobalVariableName NUL-terminated variable name
/// @param[out] pGlobalVariableSizeRet [optional] receives the variable's size in bytes; null if not wanted
/// @param[out] ppGlobalVariablePointerRet receives the device address; valid while the program lives
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urProgramGetGlobalVariablePointer(ur_device_handle_t hDevice,
                                              ur_program_handle_t hProgram,
                                              const char *pGlobalVariableName,
                                              size_t *pGlobalVariableSizeRet,
                                              void **ppGlobalVariablePointerRet);

/// Returns one property of a program.
///
/// Kernel queries make sense only after a successful build. Returned handles are not retained. Counterpart of
/// clGetProgramInfo.
///
/// @param[in] hProgram program to query
/// @param[in] propName property wanted; fixes the type of the result
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[inout] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_PROGRAM`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urProgramGetInfo(ur_program_handle_t hProgram,
                             ur_program_info_t propName,
                             size_t propSize,
                             void *pPropValue,
                             size_t *pPropSizeRet);

/// Returns one build-related property of a program for one device.
///
/// Counterpart of clGetProgramBuildInfo.
///
/// @param[in] hProgram program to query
/// @param[in] hDevice device whose build is meant
/// @param[in] propName property wanted; fixes the type of the result
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[inout] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`
UR_APIEXPORT
ur_result_t urProgramGetBuildInfo(ur_program_handle_t hProgram,
                                  ur_device_handle_t hDevice,
                                  ur_program_build_info_t propName,
                                  size_t propSize,
                                  void *pPropValue,
                                  size_t *pPropSizeRet);

/// Sets values of specialization constants for later builds of an IL program.
///
/// Only builds and compiles started afterwards see them. Without device support the call gives
/// UR_RESULT_ERROR_UNSUPPORTED_FEATURE; an unknown id gives UR_RESULT_ERROR_INVALID_SPEC_ID. Counterpart of
/// clSetProgramSpecializationConstant.
///
/// @param[in] hProgram program created by urProgramCreateWithIL
/// @param[in] count entries in pSpecConstants; must not be 0
/// @param[in] pSpecConstants array of count id/value pairs; read only during the call
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_INVALID_SPEC_ID`
UR_APIEXPORT
ur_result_t urProgramSetSpecializationConstants(ur_program_handle_t hProgram,
                                                uint32_t count,
                                                const ur_specialization_constant_info_t *pSpecConstants);

/// Returns the backend program behind a UR program.
///
/// Ownership stays with UR, so the native handle is valid only while the UR program lives.
/// UR_RESULT_ERROR_UNSUPPORTED_FEATURE means the backend has no such object.
///
/// @param[in] hProgram program to look behind
/// @param[out] phNativeProgram receives the borrowed backend handle, e.g. cl_program or ze_module_handle_t
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urProgramGetNativeHandle(ur_program_handle_t hProgram,
                                     ur_native_handle_t *phNativeProgram);

/// Wraps an existing backend program in a UR program.
///
/// The caller releases the wrapper with urProgramRelease; whether that also destroys the native program
/// follows isNativeHandleOwned.
///
/// @param[in] hNativeProgram backend program, e.g. cl_program or ze_module_handle_t
/// @param[in] hContext context the native program belongs to
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phProgram receives the wrapping program; release with urProgramRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urProgramCreateWithNativeHandle(ur_native_handle_t hNativeProgram,
                                            ur_context_handle_t hContext,
                                            const ur_program_native_properties_t *pProperties,
                                            ur_program_handle_t *phProgram);

/// Binds the imported symbols of built programs to the symbols that other programs of the list export.
///
/// No new program is made: on success the kernels of all listed programs can run. Unresolved symbols give
/// PROGRAM_LINK_FAILURE, an adapter without dynamic linking UNSUPPORTED_FEATURE; the Level Zero analogue is
/// zeModuleDynamicLink.
///
/// @param[in] hContext context of the programs
/// @param[in] count length of `phPrograms`; 0 gives INVALID_SIZE
/// @param[in] phPrograms array of `count` programs to bind to each other
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_PROGRAM`, `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_PROGRAM_LINK_FAILURE`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urProgramDynamicLinkExp(ur_context_handle_t hContext,
                                    uint32_t count,
                                    const ur_program_handle_t *phPrograms);

/// Compiles and links a program into an executable for each of the listed devices.
///
/// Errors give PROGRAM_BUILD_FAILURE; the log comes from `urProgramGetBuildInfo`. The OpenCL analogue is
/// clBuildProgram.
///
/// @param[in] hProgram program to build; holds the executables afterwards
/// @param[in] numDevices length of `phDevices`
/// @param[in] phDevices array of `numDevices` devices to build for
/// @param[in] flags options of the build
/// @param[in] pOptions [optional] null-terminated compiler options; null for none
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_PROGRAM`,
///     `UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE`
UR_APIEXPORT
ur_result_t urProgramBuildExp(ur_program_handle_t hProgram,
                              uint32_t numDevices,
                              ur_device_handle_t *phDevices,
                              ur_exp_program_flags_t flags,
                              const char *pOptions);

/// Compiles a program into object code for each of the listed devices, to be linked later.
///
/// Errors give PROGRAM_BUILD_FAILURE; the log comes from `urProgramGetBuildInfo`. The OpenCL analogue is
/// clCompileProgram.
///
/// @param[inout] hProgram program to compile; holds the objects afterwards
/// @param[in] numDevices length of `phDevices`
/// @param[in] phDevices array of `numDevices` devices to compile for
/// @param[in] flags options of the compilation
/// @param[in] pOptions [optional] null-terminated compiler options; null for none
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_PROGRAM`,
///     `UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE`
UR_APIEXPORT
ur_result_t urProgramCompileExp(ur_program_handle_t hProgram,
                                uint32_t numDevices,
                                ur_device_handle_t *phDevices,
                                ur_exp_program_flags_t flags,
                                const char *pOptions);

/// Links compiled programs into a new executable program for each of the listed devices.
///
/// On PROGRAM_LINK_FAILURE a program may still be returned, good only for reading its build log; else it is
/// set to null. The OpenCL analogue is clLinkProgram.
///
/// @param[in] hContext context of the programs
/// @param[in] numDevices length of `phDevices`
/// @param[in] phDevices array of `numDevices` devices to link for
/// @param[in] flags options of the link
/// @param[in] count length of `phPrograms`; 0 gives INVALID_SIZE
/// @param[in] phPrograms array of `count` compiled programs
/// @param[in] pOptions [optional] null-terminated linker options; null for none
/// @param[out] phProgram receives the linked program, released with `urProgramRelease`
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_PROGRAM`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_PROGRAM_LINK_FAILURE`
UR_APIEXPORT
ur_result_t urProgramLinkExp(ur_context_handle_t hContext,
                             uint32_t numDevices,
                             ur_device_handle_t *phDevices,
                             ur_exp_program_flags_t flags,
                             uint32_t count,
                             const ur_program_handle_t *phPrograms,
                             const char *pOptions,
                             ur_program_handle_t *phProgram);

/// Creates a kernel object for one named entry point of a built program.
///
/// The caller owns the new handle and drops it with urKernelRelease. A name the program does not define gives
/// UR_RESULT_ERROR_INVALID_KERNEL_NAME; a program without a built binary gives
/// UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE. OpenCL analogue: clCreateKernel; Level Zero: zeKernelCreate.
///
/// @param[in] hProgram built program that defines the entry point
/// @param[in] pKernelName null-terminated name of the kernel's entry point
/// @param[out] phKernel receives the new kernel, with a reference count of 1
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_KERNEL_NAME`
UR_APIEXPORT
ur_result_t urKernelCreate(ur_program_handle_t hProgram,
                           const char *pKernelName,
                           ur_kernel_handle_t *phKernel);

/// Returns one property of a kernel.
///
/// Pass a null value pointer to learn the size in bytes first. Properties that are optional for adapters may
/// give UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION. OpenCL analogue: clGetKernelInfo.
///
/// @param[in] hKernel kernel to query
/// @param[in] propName which property to return
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[inout] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_KERNEL`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urKernelGetInfo(ur_kernel_handle_t hKernel,
                            ur_kernel_info_t propName,
                            size_t propSize,
                            void *pPropValue,
                            size_t *pPropSizeRet);

/// Returns one work-group property of a kernel for a given device.
///
/// Pass a null value pointer to learn the size in bytes first. OpenCL analogue: clGetKernelWorkGroupInfo.
///
/// @param[in] hKernel kernel to query
/// @param[in] hDevice device the answer applies to; the kernel's program must be built for it
/// @param[in] propName which work-group property to return
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[inout] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`
UR_APIEXPORT
ur_result_t urKernelGetGroupInfo(ur_kernel_handle_t hKernel,
                                 ur_device_handle_t hDevice,
                                 ur_kernel_group_info_t propName,
                                 size_t propSize,
                                 void *pPropValue,
                                 size_t *pPropSizeRet);

/// Returns one sub-group property of a kernel for a given device.
///
/// Pass a null value pointer to learn the size in bytes first. OpenCL analogue: clGetKernelSubGroupInfo.
///
/// @param[in] hKernel kernel to query
/// @param[in] hDevice device the answer applies to; the kernel's program must be built for it
/// @param[in] propName which sub-group property to return
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[inout] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`
UR_APIEXPORT
ur_result_t urKernelGetSubGroupInfo(ur_kernel_handle_t hKernel,
                                    ur_device_handle_t hDevice,
                                    ur_kernel_sub_group_info_t propName,
                                    size_t propSize,
                                    void *pPropValue,
                                    size_t *pPropSizeRet);

/// Adds one reference to a kernel.
///
/// Each call must be balanced by a urKernelRelease. OpenCL analogue: clRetainKernel.
///
/// @param[in] hKernel kernel whose reference count goes up by one
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urKernelRetain(ur_kernel_handle_t hKernel);

/// Drops one reference to a kernel and destroys it when none is left.
///
/// Launches already enqueued keep what they need until they finish. OpenCL analogue: clReleaseKernel.
///
/// @param[in] hKernel kernel whose reference count goes down by one; do not use it after your last release
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urKernelRelease(ur_kernel_handle_t hKernel);

/// Returns the backend's own handle of a kernel (cl_kernel, ze_kernel_handle_t, CUfunction …).
///
/// No reference is added: the native handle is valid only while the kernel lives.
/// UR_RESULT_ERROR_UNSUPPORTED_FEATURE when the backend has no such object.
///
/// @param[in] hKernel kernel whose native handle is wanted
/// @param[out] phNativeKernel receives the backend handle; it stays owned by the kernel
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urKernelGetNativeHandle(ur_kernel_handle_t hKernel,
                                    ur_native_handle_t *phNativeKernel);

/// Creates a kernel object around an existing backend kernel.
///
/// The caller owns the UR handle and drops it with urKernelRelease; who destroys the native object follows
/// isNativeHandleOwned. UR_RESULT_ERROR_UNSUPPORTED_FEATURE when the backend has no such object.
///
/// @param[in] hNativeKernel backend kernel to wrap; not validated
/// @param[in] hContext context the kernel is to belong to
/// @param[in] hProgram [optional] program the native kernel comes from; null when there is none to name
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phKernel receives the new kernel, with a reference count of 1
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urKernelCreateWithNativeHandle(ur_native_handle_t hNativeKernel,
                                           ur_context_handle_t hContext,
                                           ur_program_handle_t hProgram,
                                           const ur_kernel_native_properties_t *pProperties,
                                           ur_kernel_handle_t *phKernel);

/// Returns the work-group size the implementation would choose for a launch with the given range.
///
/// The kernel's arguments should be set beforehand, since local memory use can affect the choice. OpenCL
/// analogue: clGetKernelSuggestedLocalWorkSizeKHR; Level Zero: zeKernelSuggestGroupSize.
///
/// @param[in] hKernel kernel to be launched
/// @param[in] hQueue queue the launch would go to; selects the device
/// @param[in] numWorkDim dimensions of the range, 1 to 3; length of the three arrays
/// @param[in] pGlobalWorkOffset array of numWorkDim values: first global id in each dimension; null is an error
/// @param[in] pGlobalWorkSize array of numWorkDim values: global range in work-items
/// @param[out] pSuggestedLocalWorkSize array of numWorkDim values to fill: suggested work-group size in
///     work-items
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urKernelGetSuggestedLocalWorkSize(ur_kernel_handle_t hKernel,
                                              ur_queue_handle_t hQueue,
                                              uint32_t numWorkDim,
                                              const size_t *pGlobalWorkOffset,
                                              const size_t *pGlobalWorkSize,
                                              size_t *pSuggestedLocalWorkSize);

/// Sets the kernel's arguments and returns the work-group size the implementation would choose for the given
/// range.
///
/// Combines argument setting with urKernelGetSuggestedLocalWorkSize, to pair with
/// urEnqueueKernelLaunchWithArgsExp. A null pArgs with numArgs above 0 gives
/// UR_RESULT_ERROR_INVALID_NULL_POINTER; adapters without support give UR_RESULT_ERROR_UNSUPPORTED_FEATURE.
///
/// @since 2026.2
///
/// @param[in] hKernel kernel to be launched
/// @param[in] hQueue queue the launch would go to; selects the device
/// @param[in] numWorkDim dimensions of the range, 1 to 3; length of the three size arrays
/// @param[in] pGlobalWorkOffset array of numWorkDim values: first global id in each dimension; null is an error
/// @param[in] pGlobalWorkSize array of numWorkDim values: global range in work-items
/// @param[in] numArgs length of pArgs
/// @param[in] pArgs [optional] array of numArgs argument descriptions to apply; null only when numArgs is 0
/// @param[out] pSuggestedLocalWorkSize array of numWorkDim values to fill: suggested work-group size in
///     work-items
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urKernelGetSuggestedLocalWorkSizeWithArgs(ur_kernel_handle_t hKernel,
                                                      ur_queue_handle_t hQueue,
                                                      uint32_t numWorkDim,
                                                      const size_t *pGlobalWorkOffset,
                                                      const size_t *pGlobalWorkSize,
                                                      uint32_t numArgs,
                                                      const ur_exp_kernel_arg_properties_t *pArgs,
                                                      size_t *pSuggestedLocalWorkSize);

/// Changes one execution attribute of a kernel for its later launches.
///
/// Launches enqueued earlier are unaffected. OpenCL analogue: clSetKernelExecInfo; Level Zero:
/// zeKernelSetIndirectAccess and zeKernelSetCacheConfig.
///
/// @param[in] hKernel kernel to change
/// @param[in] propName which attribute to set; it also fixes the type of the value
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[in] pPropValue points to the value; its type follows from `propName`
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urKernelSetExecInfo(ur_kernel_handle_t hKernel,
                                ur_kernel_exec_info_t propName,
                                size_t propSize,
                                const ur_kernel_exec_info_properties_t *pProperties,
                                const void *pPropValue);

/// Sets specialization constants on a kernel after its program has been built.
///
/// Only adapters that can do this cheaply before a launch offer it:
/// UR_DEVICE_INFO_KERNEL_SET_SPECIALIZATION_CONSTANTS reports this. Otherwise the result is
/// UR_RESULT_ERROR_UNSUPPORTED_FEATURE (use urProgramSetSpecializationConstants). An unknown id gives
/// UR_RESULT_ERROR_INVALID_SPEC_ID,
/// a wrong size or null value UR_RESULT_ERROR_INVALID_VALUE, a zero count UR_RESULT_ERROR_INVALID_SIZE.
///
/// @param[in] hKernel kernel to specialize
/// @param[in] count length of pSpecConstants; must not be 0
/// @param[in] pSpecConstants array of count entries, each giving id, size in bytes and value
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_INVALID_SPEC_ID`
UR_APIEXPORT
ur_result_t urKernelSetSpecializationConstants(ur_kernel_handle_t hKernel,
                                               uint32_t count,
                                               const ur_specialization_constant_info_t *pSpecConstants);

/// Returns how many work-groups of a cooperative kernel can be resident on a device at once.
///
/// A cooperative launch with more groups than this cannot synchronize device-wide.
/// UR_RESULT_ERROR_UNSUPPORTED_FEATURE when the device lacks cooperative launches,
/// UR_RESULT_ERROR_INVALID_WORK_DIMENSION when workDim is not 1 to 3. Level Zero analogue:
/// zeKernelSuggestMaxCooperativeGroupCount.
///
/// @param[in] hKernel kernel to be launched cooperatively
/// @param[in] hDevice device the answer applies to
/// @param[in] workDim dimensions of the work-group, 1 to 3
/// @param[in] pLocalWorkSize array of workDim values: planned work-group size in work-items
/// @param[in] dynamicSharedMemorySize bytes of dynamic local memory per work-group the launch will use
/// @param[out] pGroupCountRet receives the maximum total number of work-groups
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_KERNEL`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`,
///     `UR_RESULT_ERROR_INVALID_WORK_DIMENSION`
UR_APIEXPORT
ur_result_t urKernelSuggestMaxCooperativeGroupCount(ur_kernel_handle_t hKernel,
                                                    ur_device_handle_t hDevice,
                                                    uint32_t workDim,
                                                    const size_t *pLocalWorkSize,
                                                    size_t dynamicSharedMemorySize,
                                                    uint32_t *pGroupCountRet);

/// Returns one property of a queue.
///
/// Counterpart of clGetCommandQueueInfo; returned handles are not retained.
///
/// @param[in] hQueue queue to query
/// @param[in] propName property wanted; fixes the type of the result
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_QUEUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urQueueGetInfo(ur_queue_handle_t hQueue,
                           ur_queue_info_t propName,
                           size_t propSize,
                           void *pPropValue,
                           size_t *pPropSizeRet);

/// Creates a command queue on one device.
///
/// Without properties the queue is in-order and unprofiled. The caller releases it with urQueueRelease.
/// Contradictory flags (both priorities, both submission modes) give
/// UR_RESULT_ERROR_INVALID_QUEUE_PROPERTIES. Counterpart of clCreateCommandQueueWithProperties.
///
/// @param[in] hContext context containing the device
/// @param[in] hDevice device that executes the commands
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phQueue receives the new queue; release with urQueueRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_DEVICE`, `UR_RESULT_ERROR_INVALID_QUEUE_PROPERTIES`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urQueueCreate(ur_context_handle_t hContext,
                          ur_device_handle_t hDevice,
                          const ur_queue_properties_t *pProperties,
                          ur_queue_handle_t *phQueue);

/// Adds one reference to a queue.
///
/// Balance every call with urQueueRelease. Counterpart of clRetainCommandQueue.
///
/// @param[in] hQueue queue to keep alive
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_QUEUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urQueueRetain(ur_queue_handle_t hQueue);

/// Drops one reference to a queue; without references it is destroyed once its commands are done.
///
/// Pending commands are flushed by this call, so none is lost. Counterpart of clReleaseCommandQueue.
///
/// @param[in] hQueue queue to let go of; do not use it after the last reference
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_QUEUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urQueueRelease(ur_queue_handle_t hQueue);

/// Returns the backend queue behind a UR queue.
///
/// Ownership stays with UR, so the native handle is valid only while the UR queue lives.
/// UR_RESULT_ERROR_UNSUPPORTED_FEATURE means the backend has no such object.
///
/// @param[in] hQueue queue to look behind
/// @param[in] pDesc [optional] backend-specific descriptor, filled where the backend needs it; null if not wanted
/// @param[out] phNativeQueue receives the borrowed backend handle, e.g. cl_command_queue,
///     ze_command_queue_handle_t or CUstream
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urQueueGetNativeHandle(ur_queue_handle_t hQueue,
                                   ur_queue_native_desc_t *pDesc,
                                   ur_native_handle_t *phNativeQueue);

/// Wraps an existing backend queue in a UR queue.
///
/// The caller releases the wrapper with urQueueRelease; whether that also destroys the native queue follows
/// isNativeHandleOwned.
///
/// @param[in] hNativeQueue backend queue, e.g. cl_command_queue, ze_command_queue_handle_t or CUstream
/// @param[in] hContext context the native queue belongs to
/// @param[in] hDevice [optional] device of the native queue; null where the backend can work it out
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phQueue receives the wrapping queue; release with urQueueRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urQueueCreateWithNativeHandle(ur_native_handle_t hNativeQueue,
                                          ur_context_handle_t hContext,
                                          ur_device_handle_t hDevice,
                                          const ur_queue_native_properties_t *pProperties,
                                          ur_queue_handle_t *phQueue);

/// Blocks until every command enqueued so far has completed.
///
/// Includes a flush. Counterpart of clFinish and zeCommandQueueSynchronize.
///
/// @param[in] hQueue queue to drain
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_QUEUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urQueueFinish(ur_queue_handle_t hQueue);

/// Submits every command enqueued so far and returns without waiting for completion.
///
/// Of use where the runtime batches submissions. Counterpart of clFlush.
///
/// @param[in] hQueue queue to flush
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_QUEUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urQueueFlush(ur_queue_handle_t hQueue);

/// Switches a queue to capture mode, recording into a new graph.
///
/// Commands enqueued from here on are recorded rather than run, until urQueueEndGraphCaptureExp returns the
/// graph. CUDA analogue: cuStreamBeginCapture.
///
/// @param[in] hQueue queue to switch to capture mode
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urQueueBeginGraphCaptureExp(ur_queue_handle_t hQueue);

/// Switches a queue to capture mode, recording into a graph that already exists.
///
/// Commands enqueued from here on are recorded rather than run, until urQueueEndGraphCaptureExp. CUDA
/// analogue: cuStreamBeginCaptureToGraph.
///
/// @param[in] hQueue queue to switch to capture mode
/// @param[in] hGraph graph that receives the recorded commands
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urQueueBeginCaptureIntoGraphExp(ur_queue_handle_t hQueue,
                                            ur_exp_graph_handle_t hGraph);

/// Ends capture mode on a queue and returns the recorded graph.
///
/// A graph that the capture itself created now belongs to the caller, who frees it with urGraphDestroyExp.
/// CUDA analogue: cuStreamEndCapture.
///
/// @param[in] hQueue queue in capture mode
/// @param[out] phGraph receives the recorded graph; the caller's own one after urQueueBeginCaptureIntoGraphExp
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urQueueEndGraphCaptureExp(ur_queue_handle_t hQueue,
                                      ur_exp_graph_handle_t *phGraph);

/// Returns whether a queue is in capture mode.
///
/// CUDA analogue: cuStreamIsCapturing.
///
/// @param[in] hQueue queue to query
/// @param[out] pResult receives true while commands of the queue are being recorded
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urQueueIsGraphCaptureEnabledExp(ur_queue_handle_t hQueue,
                                            bool *pResult);

/// Returns the graph that a queue is recording into.
///
/// UR_RESULT_ERROR_INVALID_OPERATION when the queue is not in capture mode.
///
/// @since 2026.1.1
///
/// @param[in] hQueue queue in capture mode
/// @param[out] phGraph receives the graph under capture; null when the queue is not capturing
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_OPERATION`
UR_APIEXPORT
ur_result_t urQueueGetGraphExp(ur_queue_handle_t hQueue,
                               ur_exp_graph_handle_t *phGraph);

/// Creates a sampler from a descriptor.
///
/// The caller owns one reference and gives it up with urSamplerRelease. Contexts whose devices lack image
/// support give UR_RESULT_ERROR_UNSUPPORTED_FEATURE. Counterpart of clCreateSamplerWithProperties and
/// zeSamplerCreate.
///
/// @param[in] hContext context whose devices may use the sampler
/// @param[in] pDesc coordinate, addressing and filter settings
/// @param[out] phSampler receives the new sampler; release with urSamplerRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_INVALID_OPERATION`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urSamplerCreate(ur_context_handle_t hContext,
                            const ur_sampler_desc_t *pDesc,
                            ur_sampler_handle_t *phSampler);

/// Adds one reference to a sampler.
///
/// Balance every call with urSamplerRelease. Counterpart of clRetainSampler.
///
/// @param[in] hSampler sampler to keep alive
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_SAMPLER`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urSamplerRetain(ur_sampler_handle_t hSampler);

/// Drops one reference to a sampler and destroys it when none is left.
///
/// Counterpart of clReleaseSampler.
///
/// @param[in] hSampler sampler to let go of; do not use it after the last reference
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_SAMPLER`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urSamplerRelease(ur_sampler_handle_t hSampler);

/// Returns one property of a sampler.
///
/// Counterpart of clGetSamplerInfo; returned handles are not retained.
///
/// @param[in] hSampler sampler to query
/// @param[in] propName property wanted; fixes the type of the result
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_SAMPLER`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urSamplerGetInfo(ur_sampler_handle_t hSampler,
                             ur_sampler_info_t propName,
                             size_t propSize,
                             void *pPropValue,
                             size_t *pPropSizeRet);

/// Returns the backend sampler behind a UR sampler.
///
/// Ownership stays with UR, so the native handle is valid only while the UR sampler lives.
/// UR_RESULT_ERROR_UNSUPPORTED_FEATURE means the backend has no such object.
///
/// @param[in] hSampler sampler to look behind
/// @param[out] phNativeSampler receives the borrowed backend handle, e.g. cl_sampler or ze_sampler_handle_t
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urSamplerGetNativeHandle(ur_sampler_handle_t hSampler,
                                     ur_native_handle_t *phNativeSampler);

/// Wraps an existing backend sampler in a UR sampler.
///
/// The caller releases the wrapper with urSamplerRelease; whether that also destroys the native sampler
/// follows isNativeHandleOwned.
///
/// @param[in] hNativeSampler backend sampler, e.g. cl_sampler or ze_sampler_handle_t
/// @param[in] hContext context the native sampler belongs to
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phSampler receives the wrapping sampler; release with urSamplerRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urSamplerCreateWithNativeHandle(ur_native_handle_t hNativeSampler,
                                            ur_context_handle_t hContext,
                                            const ur_sampler_native_properties_t *pProperties,
                                            ur_sampler_handle_t *phSampler);

/// Creates an image memory object, optionally backed by or filled from host data.
///
/// The caller owns one reference and gives it up with urMemRelease. A host pointer without a flag that uses
/// it, or such a flag without a pointer, gives UR_RESULT_ERROR_INVALID_HOST_PTR; a context whose devices lack
/// image support gives UR_RESULT_ERROR_UNSUPPORTED_FEATURE. Counterpart of clCreateImage.
///
/// @param[in] hContext context whose devices may use the image
/// @param[in] flags kernel access mode and host-storage options
/// @param[in] pImageFormat pixel layout: channel order and type
/// @param[in] pImageDesc dimensionality, extents and pitches
/// @param[in] pHost [optional] source or backing pixels, laid out by the descriptor's pitches; null when no flag
///     uses it
/// @param[out] phMem receives the new image; release with urMemRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_INVALID_IMAGE_SIZE`,
///     `UR_RESULT_ERROR_INVALID_OPERATION`, `UR_RESULT_ERROR_INVALID_HOST_PTR`,
///     `UR_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urMemImageCreate(ur_context_handle_t hContext,
                             ur_mem_flags_t flags,
                             const ur_image_format_t *pImageFormat,
                             const ur_image_desc_t *pImageDesc,
                             void *pHost,
                             ur_mem_handle_t *phMem);

/// Creates a linear buffer of a given byte size.
///
/// The caller owns one reference and gives it up with urMemRelease. Size 0 gives
/// UR_RESULT_ERROR_INVALID_BUFFER_SIZE; flags and host pointer that contradict each other give
/// UR_RESULT_ERROR_INVALID_HOST_PTR. Counterpart of clCreateBuffer.
///
/// @param[in] hContext context whose devices may use the buffer
/// @param[in] flags kernel access mode and host-storage options
/// @param[in] size bytes to allocate; must not be 0
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phBuffer receives the new buffer; release with urMemRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_INVALID_BUFFER_SIZE`,
///     `UR_RESULT_ERROR_INVALID_HOST_PTR`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urMemBufferCreate(ur_context_handle_t hContext,
                              ur_mem_flags_t flags,
                              size_t size,
                              const ur_buffer_properties_t *pProperties,
                              ur_mem_handle_t *phBuffer);

/// Adds one reference to a buffer or image.
///
/// Balance every call with urMemRelease. Counterpart of clRetainMemObject.
///
/// @param[in] hMem buffer or image to keep alive
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urMemRetain(ur_mem_handle_t hMem);

/// Drops one reference to a buffer or image and destroys it when none is left.
///
/// A sub-buffer keeps its parent's storage alive. Counterpart of clReleaseMemObject.
///
/// @param[in] hMem buffer or image to let go of; do not use it after the last reference
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urMemRelease(ur_mem_handle_t hMem);

/// Creates a sub-buffer that aliases a byte range of an existing buffer.
///
/// The result shares storage with its parent and is released on its own with urMemRelease. An empty range, or
/// one reaching past the parent's end, gives UR_RESULT_ERROR_INVALID_BUFFER_SIZE. Counterpart of
/// clCreateSubBuffer.
///
/// @param[in] hBuffer parent buffer that supplies the storage
/// @param[in] flags access mode of the sub-buffer; must not widen the parent's
/// @param[in] bufferCreateType kind of description that pRegion holds
/// @param[in] pRegion byte range within the parent
/// @param[out] phMem receives the sub-buffer; release with urMemRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_OBJECT_ALLOCATION_FAILURE`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_INVALID_BUFFER_SIZE`, `UR_RESULT_ERROR_INVALID_HOST_PTR`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urMemBufferPartition(ur_mem_handle_t hBuffer,
                                 ur_mem_flags_t flags,
                                 ur_buffer_create_type_t bufferCreateType,
                                 const ur_buffer_region_t *pRegion,
                                 ur_mem_handle_t *phMem);

/// Returns the backend object behind a buffer or image.
///
/// The UR object keeps its ownership, so the native handle is valid only while that object lives.
/// UR_RESULT_ERROR_UNSUPPORTED_FEATURE means the backend has no such object. With OpenCL it is a cl_mem, with
/// Level Zero typically a device or host pointer.
///
/// @param[in] hMem buffer or image to look behind
/// @param[in] hDevice [optional] device whose copy is wanted; may be null where the backend keeps one object per
///     context
/// @param[out] phNativeMem receives the borrowed backend handle
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urMemGetNativeHandle(ur_mem_handle_t hMem,
                                 ur_device_handle_t hDevice,
                                 ur_native_handle_t *phNativeMem);

/// Wraps an existing backend buffer in a UR memory object.
///
/// The caller releases the wrapper with urMemRelease; whether that also frees the native buffer follows
/// isNativeHandleOwned. UR_RESULT_ERROR_UNSUPPORTED_FEATURE means the backend has no matching object.
///
/// @param[in] hNativeMem backend buffer, e.g. a cl_mem
/// @param[in] hContext context the native buffer belongs to
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phMem receives the wrapping buffer; release with urMemRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urMemBufferCreateWithNativeHandle(ur_native_handle_t hNativeMem,
                                              ur_context_handle_t hContext,
                                              const ur_mem_native_properties_t *pProperties,
                                              ur_mem_handle_t *phMem);

/// Wraps an existing backend image in a UR memory object.
///
/// Format and shape must be stated because not every backend can report them. The caller releases the wrapper
/// with urMemRelease; whether that also frees the native image follows isNativeHandleOwned.
///
/// @param[in] hNativeMem backend image, e.g. a cl_mem or ze_image_handle_t
/// @param[in] hContext context the native image belongs to
/// @param[in] pImageFormat pixel layout the native image was made with
/// @param[in] pImageDesc shape the native image was made with
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phMem receives the wrapping image; release with urMemRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urMemImageCreateWithNativeHandle(ur_native_handle_t hNativeMem,
                                             ur_context_handle_t hContext,
                                             const ur_image_format_t *pImageFormat,
                                             const ur_image_desc_t *pImageDesc,
                                             const ur_mem_native_properties_t *pProperties,
                                             ur_mem_handle_t *phMem);

/// Returns one property common to buffers and images.
///
/// Counterpart of clGetMemObjectInfo; returned handles are not retained.
///
/// @param[in] hMemory buffer or image to query
/// @param[in] propName property wanted; fixes the type of the result
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urMemGetInfo(ur_mem_handle_t hMemory,
                         ur_mem_info_t propName,
                         size_t propSize,
                         void *pPropValue,
                         size_t *pPropSizeRet);

/// Returns one image-specific property.
///
/// Counterpart of clGetImageInfo.
///
/// @param[in] hMemory image to query; a buffer is an error
/// @param[in] propName property wanted; fixes the type of the result
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urMemImageGetInfo(ur_mem_handle_t hMemory,
                              ur_image_info_t propName,
                              size_t propSize,
                              void *pPropValue,
                              size_t *pPropSizeRet);

/// Allocates device storage that has no address until it is mapped with `urVirtualMemMap`.
///
/// Release it with `urPhysicalMemRelease`. A size that breaks the granularity fails with
/// `UR_RESULT_ERROR_INVALID_SIZE`. Compare `zePhysicalMemCreate`.
///
/// @param[in] hContext context that holds the storage
/// @param[in] hDevice device on which the storage lies
/// @param[in] size length in bytes, a multiple of the granularity
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phPhysicalMem receives the new physical memory object
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_SIZE`
UR_APIEXPORT
ur_result_t urPhysicalMemCreate(ur_context_handle_t hContext,
                                ur_device_handle_t hDevice,
                                size_t size,
                                const ur_physical_mem_properties_t *pProperties,
                                ur_physical_mem_handle_t *phPhysicalMem);

/// Adds one reference to a physical memory object.
///
/// @param[in] hPhysicalMem physical memory to keep alive
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urPhysicalMemRetain(ur_physical_mem_handle_t hPhysicalMem);

/// Drops one reference to a physical memory object and frees the storage when none is left.
///
/// Unmap it everywhere before the last release. Compare `zePhysicalMemDestroy`.
///
/// @param[in] hPhysicalMem physical memory whose reference is given up
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urPhysicalMemRelease(ur_physical_mem_handle_t hPhysicalMem);

/// Returns one property of a physical memory object.
///
/// A too small buffer fails with `UR_RESULT_ERROR_INVALID_SIZE`.
///
/// @param[in] hPhysicalMem physical memory to inspect
/// @param[in] propName which property to read
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`
UR_APIEXPORT
ur_result_t urPhysicalMemGetInfo(ur_physical_mem_handle_t hPhysicalMem,
                                 ur_physical_mem_info_t propName,
                                 size_t propSize,
                                 void *pPropValue,
                                 size_t *pPropSizeRet);

/// Enqueues a marker that completes once the listed events, or all earlier commands of the queue, have
/// completed.
///
/// Commands enqueued later are not held back; use urEnqueueEventsWaitWithBarrier for that. OpenCL analogue:
/// clEnqueueMarkerWithWaitList.
///
/// @param[in] hQueue queue the marker is submitted to
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_QUEUE`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueEventsWait(ur_queue_handle_t hQueue,
                                uint32_t numEventsInWaitList,
                                const ur_event_handle_t *phEventWaitList,
                                ur_event_handle_t *phEvent);

/// Enqueues a barrier: it waits for the listed events, or all earlier commands of the queue, and holds later
/// commands until it completes.
///
/// OpenCL analogue: clEnqueueBarrierWithWaitList; Level Zero: zeCommandListAppendBarrier.
///
/// @param[in] hQueue queue the barrier is submitted to
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_QUEUE`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueEventsWaitWithBarrier(ur_queue_handle_t hQueue,
                                           uint32_t numEventsInWaitList,
                                           const ur_event_handle_t *phEventWaitList,
                                           ur_event_handle_t *phEvent);

/// Enqueues a copy from a buffer to host memory.
///
/// A non-blocking read leaves pDst undefined until its event completes. An offset plus size beyond the buffer
/// gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueReadBuffer.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hBuffer buffer to read from
/// @param[in] blockingRead true returns only after the data is in pDst
/// @param[in] offset start of the range in the buffer, in bytes
/// @param[in] size number of bytes to copy
/// @param[in] pDst host memory of at least size bytes that receives the data
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueMemBufferRead(ur_queue_handle_t hQueue,
                                   ur_mem_handle_t hBuffer,
                                   bool blockingRead,
                                   size_t offset,
                                   size_t size,
                                   void *pDst,
                                   uint32_t numEventsInWaitList,
                                   const ur_event_handle_t *phEventWaitList,
                                   ur_event_handle_t *phEvent);

/// Enqueues a copy from host memory to a buffer.
///
/// A non-blocking write needs pSrc unchanged until its event completes. An offset plus size beyond the buffer
/// gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueWriteBuffer.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hBuffer buffer to write to
/// @param[in] blockingWrite true returns only when pSrc may be reused
/// @param[in] offset start of the range in the buffer, in bytes
/// @param[in] size number of bytes to copy
/// @param[in] pSrc host memory holding at least size bytes
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueMemBufferWrite(ur_queue_handle_t hQueue,
                                    ur_mem_handle_t hBuffer,
                                    bool blockingWrite,
                                    size_t offset,
                                    size_t size,
                                    const void *pSrc,
                                    uint32_t numEventsInWaitList,
                                    const ur_event_handle_t *phEventWaitList,
                                    ur_event_handle_t *phEvent);

/// Enqueues a copy of a 2D or 3D box from a buffer to host memory.
///
/// Buffer and host memory have separate origins and pitches. A non-zero pitch smaller than the box, an empty
/// box, or a box beyond the buffer, gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue:
/// clEnqueueReadBufferRect.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hBuffer buffer to read from
/// @param[in] blockingRead true returns only after the box is in pDst
/// @param[in] bufferOrigin corner of the box in the buffer: x in bytes, y in rows, z in slices
/// @param[in] hostOrigin corner of the box in host memory: x in bytes, y in rows, z in slices
/// @param[in] region extent of the box: width in bytes, height in rows, depth in slices
/// @param[in] bufferRowPitch bytes from one buffer row to the next; 0 means region width
/// @param[in] bufferSlicePitch bytes from one buffer slice to the next; 0 means height times row pitch
/// @param[in] hostRowPitch bytes from one host row to the next; 0 means region width
/// @param[in] hostSlicePitch bytes from one host slice to the next; 0 means height times row pitch
/// @param[in] pDst base of the host memory that hostOrigin is relative to
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueMemBufferReadRect(ur_queue_handle_t hQueue,
                                       ur_mem_handle_t hBuffer,
                                       bool blockingRead,
                                       ur_rect_offset_t bufferOrigin,
                                       ur_rect_offset_t hostOrigin,
                                       ur_rect_region_t region,
                                       size_t bufferRowPitch,
                                       size_t bufferSlicePitch,
                                       size_t hostRowPitch,
                                       size_t hostSlicePitch,
                                       void *pDst,
                                       uint32_t numEventsInWaitList,
                                       const ur_event_handle_t *phEventWaitList,
                                       ur_event_handle_t *phEvent);

/// Enqueues a copy of a 2D or 3D box from host memory to a buffer.
///
/// Buffer and host memory have separate origins and pitches. A non-zero pitch smaller than the box, an empty
/// box, or a box beyond the buffer, gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue:
/// clEnqueueWriteBufferRect.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hBuffer buffer to write to
/// @param[in] blockingWrite true returns only when pSrc may be reused
/// @param[in] bufferOrigin corner of the box in the buffer: x in bytes, y in rows, z in slices
/// @param[in] hostOrigin corner of the box in host memory: x in bytes, y in rows, z in slices
/// @param[in] region extent of the box: width in bytes, height in rows, depth in slices
/// @param[in] bufferRowPitch bytes from one buffer row to the next; 0 means region width
/// @param[in] bufferSlicePitch bytes from one buffer slice to the next; 0 means height times row pitch
/// @param[in] hostRowPitch bytes from one host row to the next; 0 means region width
/// @param[in] hostSlicePitch bytes from one host slice to the next; 0 means height times row pitch
/// @param[in] pSrc base of the host memory that hostOrigin is relative to; only read
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueMemBufferWriteRect(ur_queue_handle_t hQueue,
                                        ur_mem_handle_t hBuffer,
                                        bool blockingWrite,
                                        ur_rect_offset_t bufferOrigin,
                                        ur_rect_offset_t hostOrigin,
                                        ur_rect_region_t region,
                                        size_t bufferRowPitch,
                                        size_t bufferSlicePitch,
                                        size_t hostRowPitch,
                                        size_t hostSlicePitch,
                                        void *pSrc,
                                        uint32_t numEventsInWaitList,
                                        const ur_event_handle_t *phEventWaitList,
                                        ur_event_handle_t *phEvent);

/// Enqueues a copy of a byte range from one buffer to another.
///
/// Ranges beyond either buffer give UR_RESULT_ERROR_INVALID_SIZE; overlapping ranges of one buffer are not
/// supported. OpenCL analogue: clEnqueueCopyBuffer.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hBufferSrc buffer to read from
/// @param[in] hBufferDst buffer to write to
/// @param[in] srcOffset start of the range in the source, in bytes
/// @param[in] dstOffset start of the range in the destination, in bytes
/// @param[in] size number of bytes to copy
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_QUEUE`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueMemBufferCopy(ur_queue_handle_t hQueue,
                                   ur_mem_handle_t hBufferSrc,
                                   ur_mem_handle_t hBufferDst,
                                   size_t srcOffset,
                                   size_t dstOffset,
                                   size_t size,
                                   uint32_t numEventsInWaitList,
                                   const ur_event_handle_t *phEventWaitList,
                                   ur_event_handle_t *phEvent);

/// Enqueues a copy of a 2D or 3D box from one buffer to another.
///
/// Each buffer has its own origin and pitches. A non-zero pitch smaller than the box, an empty box, or a box
/// beyond either buffer, gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueCopyBufferRect.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hBufferSrc buffer to read from
/// @param[in] hBufferDst buffer to write to
/// @param[in] srcOrigin corner of the box in the source: x in bytes, y in rows, z in slices
/// @param[in] dstOrigin corner of the box in the destination: x in bytes, y in rows, z in slices
/// @param[in] region extent of the box: width in bytes, height in rows, depth in slices
/// @param[in] srcRowPitch bytes from one source row to the next; 0 means region width
/// @param[in] srcSlicePitch bytes from one source slice to the next; 0 means height times row pitch
/// @param[in] dstRowPitch bytes from one destination row to the next; 0 means region width
/// @param[in] dstSlicePitch bytes from one destination slice to the next; 0 means height times row pitch
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_QUEUE`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueMemBufferCopyRect(ur_queue_handle_t hQueue,
                                       ur_mem_handle_t hBufferSrc,
                                       ur_mem_handle_t hBufferDst,
                                       ur_rect_offset_t srcOrigin,
                                       ur_rect_offset_t dstOrigin,
                                       ur_rect_region_t region,
                                       size_t srcRowPitch,
                                       size_t srcSlicePitch,
                                       size_t dstRowPitch,
                                       size_t dstSlicePitch,
                                       uint32_t numEventsInWaitList,
                                       const ur_event_handle_t *phEventWaitList,
                                       ur_event_handle_t *phEvent);

/// Enqueues filling a buffer range with copies of a byte pattern.
///
/// UR_RESULT_ERROR_INVALID_SIZE unless patternSize is a power of two that divides both offset and size, both
/// sizes are non-zero, and the range lies inside the buffer. OpenCL analogue: clEnqueueFillBuffer.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hBuffer buffer to fill
/// @param[in] pPattern address of the patternSize bytes to repeat
/// @param[in] patternSize length of the pattern in bytes; a power of two
/// @param[in] offset start of the range in bytes; a multiple of patternSize
/// @param[in] size length of the range in bytes; a multiple of patternSize
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueMemBufferFill(ur_queue_handle_t hQueue,
                                   ur_mem_handle_t hBuffer,
                                   const void *pPattern,
                                   size_t patternSize,
                                   size_t offset,
                                   size_t size,
                                   uint32_t numEventsInWaitList,
                                   const ur_event_handle_t *phEventWaitList,
                                   ur_event_handle_t *phEvent);

/// Enqueues a copy of a box of pixels from an image to host memory.
///
/// A non-blocking read leaves pDst undefined until its event completes; a box beyond the image gives
/// UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueReadImage.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hImage image to read from
/// @param[in] blockingRead true returns only after the pixels are in pDst
/// @param[in] origin corner of the box in pixels; unused dimensions are 0
/// @param[in] region extent of the box in pixels; unused dimensions are 1
/// @param[in] rowPitch bytes from one host row to the next; 0 means rows are packed
/// @param[in] slicePitch bytes from one host slice to the next; 0 means slices are packed
/// @param[in] pDst host memory that receives the pixels
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueMemImageRead(ur_queue_handle_t hQueue,
                                  ur_mem_handle_t hImage,
                                  bool blockingRead,
                                  ur_rect_offset_t origin,
                                  ur_rect_region_t region,
                                  size_t rowPitch,
                                  size_t slicePitch,
                                  void *pDst,
                                  uint32_t numEventsInWaitList,
                                  const ur_event_handle_t *phEventWaitList,
                                  ur_event_handle_t *phEvent);

/// Enqueues a copy of a box of pixels from host memory to an image.
///
/// A non-blocking write needs pSrc unchanged until its event completes; a box beyond the image gives
/// UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueWriteImage.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hImage image to write to
/// @param[in] blockingWrite true returns only when pSrc may be reused
/// @param[in] origin corner of the box in pixels; unused dimensions are 0
/// @param[in] region extent of the box in pixels; unused dimensions are 1
/// @param[in] rowPitch bytes from one host row to the next; 0 means rows are packed
/// @param[in] slicePitch bytes from one host slice to the next; 0 means slices are packed
/// @param[in] pSrc host memory holding the pixels; only read
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueMemImageWrite(ur_queue_handle_t hQueue,
                                   ur_mem_handle_t hImage,
                                   bool blockingWrite,
                                   ur_rect_offset_t origin,
                                   ur_rect_region_t region,
                                   size_t rowPitch,
                                   size_t slicePitch,
                                   void *pSrc,
                                   uint32_t numEventsInWaitList,
                                   const ur_event_handle_t *phEventWaitList,
                                   ur_event_handle_t *phEvent);

/// Enqueues a copy of a box of pixels from one image to another.
///
/// Both images need the same pixel format; a box beyond either image gives UR_RESULT_ERROR_INVALID_SIZE.
/// OpenCL analogue: clEnqueueCopyImage.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hImageSrc image to read from
/// @param[in] hImageDst image to write to
/// @param[in] srcOrigin corner of the box in the source, in pixels
/// @param[in] dstOrigin corner of the box in the destination, in pixels
/// @param[in] region extent of the box in pixels; unused dimensions are 1
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_QUEUE`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueMemImageCopy(ur_queue_handle_t hQueue,
                                  ur_mem_handle_t hImageSrc,
                                  ur_mem_handle_t hImageDst,
                                  ur_rect_offset_t srcOrigin,
                                  ur_rect_offset_t dstOrigin,
                                  ur_rect_region_t region,
                                  uint32_t numEventsInWaitList,
                                  const ur_event_handle_t *phEventWaitList,
                                  ur_event_handle_t *phEvent);

/// Enqueues making a buffer range accessible to the host and returns the address of the mapping.
///
/// The address may be dereferenced only after the command completes, and is given back with
/// urEnqueueMemUnmap. A range beyond the buffer gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue:
/// clEnqueueMapBuffer.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hBuffer buffer to map
/// @param[in] blockingMap true returns only when the mapping is ready for host access
/// @param[in] mapFlags bits telling whether the host reads, writes or overwrites
/// @param[in] offset start of the range in the buffer, in bytes
/// @param[in] size length of the range in bytes
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] ppRetMap receives the host address of the range; valid until unmapped
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueMemBufferMap(ur_queue_handle_t hQueue,
                                  ur_mem_handle_t hBuffer,
                                  bool blockingMap,
                                  ur_map_flags_t mapFlags,
                                  size_t offset,
                                  size_t size,
                                  uint32_t numEventsInWaitList,
                                  const ur_event_handle_t *phEventWaitList,
                                  ur_event_handle_t *phEvent,
                                  void **ppRetMap);

/// Enqueues the end of a mapping, making host writes visible to the device.
///
/// The host must not touch the mapped address afterwards. OpenCL analogue: clEnqueueUnmapMemObject.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hMem memory object that was mapped
/// @param[in] pMappedPtr address that the map call returned
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueMemUnmap(ur_queue_handle_t hQueue,
                              ur_mem_handle_t hMem,
                              void *pMappedPtr,
                              uint32_t numEventsInWaitList,
                              const ur_event_handle_t *phEventWaitList,
                              ur_event_handle_t *phEvent);

/// Enqueues filling a USM range with copies of a byte pattern.
///
/// UR_RESULT_ERROR_INVALID_SIZE when either size is 0, size is not a multiple of patternSize, or the range
/// exceeds the allocation. OpenCL analogue: clEnqueueMemFillINTEL; Level Zero: zeCommandListAppendMemoryFill.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] pMem start of the USM range to fill
/// @param[in] patternSize length of the pattern in bytes; must divide size
/// @param[in] pPattern address of the patternSize bytes to repeat
/// @param[in] size length of the range in bytes
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueUSMFill(ur_queue_handle_t hQueue,
                             void *pMem,
                             size_t patternSize,
                             const void *pPattern,
                             size_t size,
                             uint32_t numEventsInWaitList,
                             const ur_event_handle_t *phEventWaitList,
                             ur_event_handle_t *phEvent);

/// Enqueues a copy between two addresses, each USM or plain host memory.
///
/// The ranges must not overlap and must stay valid until the copy completes. A size of 0 or beyond an
/// allocation gives UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueMemcpyINTEL; Level Zero:
/// zeCommandListAppendMemoryCopy.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] blocking true returns only after the copy is done
/// @param[in] pDst start of the range written
/// @param[in] pSrc start of the range read
/// @param[in] size number of bytes to copy
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueUSMMemcpy(ur_queue_handle_t hQueue,
                               bool blocking,
                               void *pDst,
                               const void *pSrc,
                               size_t size,
                               uint32_t numEventsInWaitList,
                               const ur_event_handle_t *phEventWaitList,
                               ur_event_handle_t *phEvent);

/// Enqueues a hint to migrate a USM range before it is used.
///
/// Devices or allocation kinds that cannot migrate ignore it. A size of 0 or beyond the allocation gives
/// UR_RESULT_ERROR_INVALID_SIZE. OpenCL analogue: clEnqueueMigrateMemINTEL; Level Zero:
/// zeCommandListAppendMemoryPrefetch.
///
/// @param[in] hQueue queue the command is submitted to; names the device
/// @param[in] pMem start of the USM range
/// @param[in] size length of the range in bytes
/// @param[in] flags direction of the migration
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueUSMPrefetch(ur_queue_handle_t hQueue,
                                 const void *pMem,
                                 size_t size,
                                 ur_usm_migration_flags_t flags,
                                 uint32_t numEventsInWaitList,
                                 const ur_event_handle_t *phEventWaitList,
                                 ur_event_handle_t *phEvent);

/// Enqueues advice about how a USM range will be used.
///
/// The command takes no wait list. Advice the device does not know is ignored, though an adapter may report
/// UR_RESULT_ERROR_ADAPTER_SPECIFIC with details in urAdapterGetLastError. Level Zero analogue:
/// zeCommandListAppendMemAdvise.
///
/// @param[in] hQueue queue the command is submitted to; names the device
/// @param[in] pMem start of the USM range
/// @param[in] size length of the range in bytes
/// @param[in] advice bits describing the expected use
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueUSMAdvise(ur_queue_handle_t hQueue,
                               const void *pMem,
                               size_t size,
                               ur_usm_advice_flags_t advice,
                               ur_event_handle_t *phEvent);

/// Enqueues filling a pitched 2D area of USM with copies of a byte pattern.
///
/// UR_RESULT_ERROR_INVALID_SIZE when any size is 0, pitch is below width, the pattern does not divide the
/// area, or pitch times height exceeds the allocation; adapters without 2D fills give
/// UR_RESULT_ERROR_UNSUPPORTED_FEATURE.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] pMem first byte of the first row
/// @param[in] pitch bytes from one row to the next; at least width
/// @param[in] patternSize length of the pattern in bytes; a power of two that divides width times height
/// @param[in] pPattern address of the patternSize bytes to repeat
/// @param[in] width bytes to fill in each row
/// @param[in] height number of rows
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urEnqueueUSMFill2D(ur_queue_handle_t hQueue,
                               void *pMem,
                               size_t pitch,
                               size_t patternSize,
                               const void *pPattern,
                               size_t width,
                               size_t height,
                               uint32_t numEventsInWaitList,
                               const ur_event_handle_t *phEventWaitList,
                               ur_event_handle_t *phEvent);

/// Enqueues a copy of a pitched 2D area between two addresses, each USM or plain host memory.
///
/// UR_RESULT_ERROR_INVALID_SIZE when a pitch is below width, height is 0, or an area exceeds its allocation;
/// adapters without 2D copies give UR_RESULT_ERROR_UNSUPPORTED_FEATURE. CUDA analogue: cuMemcpy2DAsync.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] blocking true returns only after the copy is done
/// @param[in] pDst first byte of the first row written
/// @param[in] dstPitch bytes from one destination row to the next; at least width
/// @param[in] pSrc first byte of the first row read
/// @param[in] srcPitch bytes from one source row to the next; at least width
/// @param[in] width bytes to copy in each row
/// @param[in] height number of rows
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urEnqueueUSMMemcpy2D(ur_queue_handle_t hQueue,
                                 bool blocking,
                                 void *pDst,
                                 size_t dstPitch,
                                 const void *pSrc,
                                 size_t srcPitch,
                                 size_t width,
                                 size_t height,
                                 uint32_t numEventsInWaitList,
                                 const ur_event_handle_t *phEventWaitList,
                                 ur_event_handle_t *phEvent);

/// Enqueues a copy from host memory to a device global variable of a program.
///
/// The variable's instance on the queue's device is written. OpenCL analogue:
/// clEnqueueWriteGlobalVariableINTEL.
///
/// @param[in] hQueue queue the command is submitted to; names the device
/// @param[in] hProgram built program that contains the variable
/// @param[in] name null-terminated unique name of the variable
/// @param[in] blockingWrite true returns only when the write is done
/// @param[in] count number of bytes to copy
/// @param[in] offset start of the range in the variable, in bytes
/// @param[in] pSrc host memory holding at least count bytes
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`
UR_APIEXPORT
ur_result_t urEnqueueDeviceGlobalVariableWrite(ur_queue_handle_t hQueue,
                                               ur_program_handle_t hProgram,
                                               const char *name,
                                               bool blockingWrite,
                                               size_t count,
                                               size_t offset,
                                               const void *pSrc,
                                               uint32_t numEventsInWaitList,
                                               const ur_event_handle_t *phEventWaitList,
                                               ur_event_handle_t *phEvent);

/// Enqueues a copy from a device global variable of a program to host memory.
///
/// The variable's instance on the queue's device is read. OpenCL analogue: clEnqueueReadGlobalVariableINTEL.
///
/// @param[in] hQueue queue the command is submitted to; names the device
/// @param[in] hProgram built program that contains the variable
/// @param[in] name null-terminated unique name of the variable
/// @param[in] blockingRead true returns only after the data is in pDst
/// @param[in] count number of bytes to copy
/// @param[in] offset start of the range in the variable, in bytes
/// @param[in] pDst host memory of at least count bytes that receives the data
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`
UR_APIEXPORT
ur_result_t urEnqueueDeviceGlobalVariableRead(ur_queue_handle_t hQueue,
                                              ur_program_handle_t hProgram,
                                              const char *name,
                                              bool blockingRead,
                                              size_t count,
                                              size_t offset,
                                              void *pDst,
                                              uint32_t numEventsInWaitList,
                                              const ur_event_handle_t *phEventWaitList,
                                              ur_event_handle_t *phEvent);

/// Enqueues taking data out of a device-to-host pipe into host memory.
///
/// Queue and program must share one context. OpenCL analogue: clEnqueueReadHostPipeINTEL.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hProgram built program that declares the pipe
/// @param[in] pipe_symbol null-terminated name of the pipe's global variable
/// @param[in] blocking true returns only after the data is in pDst
/// @param[in] pDst host memory of at least size bytes that receives the data
/// @param[in] size number of bytes to take
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`
UR_APIEXPORT
ur_result_t urEnqueueReadHostPipe(ur_queue_handle_t hQueue,
                                  ur_program_handle_t hProgram,
                                  const char *pipe_symbol,
                                  bool blocking,
                                  void *pDst,
                                  size_t size,
                                  uint32_t numEventsInWaitList,
                                  const ur_event_handle_t *phEventWaitList,
                                  ur_event_handle_t *phEvent);

/// Enqueues putting data from host memory into a host-to-device pipe.
///
/// Queue and program must share one context. OpenCL analogue: clEnqueueWriteHostPipeINTEL.
///
/// @param[in] hQueue queue the command is submitted to
/// @param[in] hProgram built program that declares the pipe
/// @param[in] pipe_symbol null-terminated name of the pipe's global variable
/// @param[in] blocking true returns only when the write is done
/// @param[in] pSrc host memory holding at least size bytes; only read
/// @param[in] size number of bytes to put
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`
UR_APIEXPORT
ur_result_t urEnqueueWriteHostPipe(ur_queue_handle_t hQueue,
                                   ur_program_handle_t hProgram,
                                   const char *pipe_symbol,
                                   bool blocking,
                                   void *pSrc,
                                   size_t size,
                                   uint32_t numEventsInWaitList,
                                   const ur_event_handle_t *phEventWaitList,
                                   ur_event_handle_t *phEvent);

/// Enqueues a barrier like urEnqueueEventsWaitWithBarrier, with extra options.
///
/// It waits for the listed events, or all earlier commands of the queue, and holds later commands until it
/// completes; it can also signal an event made by urEventCreateExp. Null properties give the plain barrier.
///
/// @param[in] hQueue queue the barrier is submitted to
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[inout] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`,
///     `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueEventsWaitWithBarrierExt(ur_queue_handle_t hQueue,
                                              const ur_exp_enqueue_ext_properties_t *pProperties,
                                              uint32_t numEventsInWaitList,
                                              const ur_event_handle_t *phEventWaitList,
                                              ur_event_handle_t *phEvent);

/// Sets kernel arguments and enqueues one execution over an N-dimensional range in a single call.
///
/// Does the work of the urKernelSetArg* calls plus urEnqueueKernelLaunch; argument data is captured before
/// the call returns. A null pArgs with numArgs above 0 gives UR_RESULT_ERROR_INVALID_NULL_POINTER, a zero
/// global size UR_RESULT_ERROR_INVALID_WORK_DIMENSION, a launch property the device lacks
/// UR_RESULT_ERROR_INVALID_OPERATION. OpenCL analogue: clEnqueueNDRangeKernel.
///
/// @param[in] hQueue queue the launch is submitted to
/// @param[in] hKernel kernel to run
/// @param[in] workDim dimensions of the range, 1 to 3; length of the size arrays
/// @param[in] pGlobalWorkOffset [optional] array of workDim values: first global id per dimension; null means all
///     0
/// @param[in] pGlobalWorkSize array of workDim values: global range in work-items
/// @param[in] pLocalWorkSize [optional] array of workDim values: work-group size in work-items; null lets the
///     implementation choose
/// @param[in] numArgs length of pArgs
/// @param[in] pArgs [optional] array of numArgs argument descriptions; null only when numArgs is 0
/// @param[in] launchPropList [optional] extra launch properties with their pNext chain; null for an ordinary
///     launch
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_KERNEL`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`, `UR_RESULT_ERROR_INVALID_WORK_DIMENSION`,
///     `UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_INVALID_KERNEL_ARGS`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_INVALID_OPERATION`
UR_APIEXPORT
ur_result_t urEnqueueKernelLaunchWithArgsExp(ur_queue_handle_t hQueue,
                                             ur_kernel_handle_t hKernel,
                                             uint32_t workDim,
                                             const size_t *pGlobalWorkOffset,
                                             const size_t *pGlobalWorkSize,
                                             const size_t *pLocalWorkSize,
                                             uint32_t numArgs,
                                             const ur_exp_kernel_arg_properties_t *pArgs,
                                             const ur_kernel_launch_ext_properties_t *launchPropList,
                                             uint32_t numEventsInWaitList,
                                             const ur_event_handle_t *phEventWaitList,
                                             ur_event_handle_t *phEvent);

/// Allocates device USM in queue order: the address is returned at once, the memory is usable by work ordered
/// after the command.
///
/// Another queue must wait for the returned event before it touches the memory. Free with
/// `urEnqueueUSMFreeExp`; the CUDA analogue is cuMemAllocFromPoolAsync.
///
/// @param[in] hQueue queue whose order the allocation follows; its device owns the memory
/// @param[in] pPool [optional] pool to allocate from; null selects the adapter's default pool
/// @param[in] size number of bytes needed; the allocation may be larger
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] ppMem receives the device address
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`
UR_APIEXPORT
ur_result_t urEnqueueUSMDeviceAllocExp(ur_queue_handle_t hQueue,
                                       ur_usm_pool_handle_t pPool,
                                       size_t size,
                                       const ur_exp_async_usm_alloc_properties_t *pProperties,
                                       uint32_t numEventsInWaitList,
                                       const ur_event_handle_t *phEventWaitList,
                                       void **ppMem,
                                       ur_event_handle_t *phEvent);

/// Allocates shared USM in queue order: the address is returned at once, the memory is usable by work ordered
/// after the command.
///
/// The host may touch the memory only after the returned event has completed. Free with
/// `urEnqueueUSMFreeExp`.
///
/// @param[in] hQueue queue whose order the allocation follows; its device shares the memory with the host
/// @param[in] pPool [optional] pool to allocate from; null selects the adapter's default pool
/// @param[in] size number of bytes needed; the allocation may be larger
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] ppMem receives the address, valid on host and device
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`
UR_APIEXPORT
ur_result_t urEnqueueUSMSharedAllocExp(ur_queue_handle_t hQueue,
                                       ur_usm_pool_handle_t pPool,
                                       size_t size,
                                       const ur_exp_async_usm_alloc_properties_t *pProperties,
                                       uint32_t numEventsInWaitList,
                                       const ur_event_handle_t *phEventWaitList,
                                       void **ppMem,
                                       ur_event_handle_t *phEvent);

/// Allocates host USM in queue order: the address is returned at once, the memory is usable by work ordered
/// after the command.
///
/// The host may touch the memory only after the returned event has completed. Free with
/// `urEnqueueUSMFreeExp`.
///
/// @param[in] hQueue queue whose order the allocation follows
/// @param[in] pPool [optional] pool to allocate from; null selects the adapter's default pool
/// @param[in] size number of bytes needed; the allocation may be larger
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] ppMem receives the host address, which devices of the context can access
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`
UR_APIEXPORT
ur_result_t urEnqueueUSMHostAllocExp(ur_queue_handle_t hQueue,
                                     ur_usm_pool_handle_t pPool,
                                     size_t size,
                                     const ur_exp_async_usm_alloc_properties_t *pProperties,
                                     uint32_t numEventsInWaitList,
                                     const ur_event_handle_t *phEventWaitList,
                                     void **ppMem,
                                     ur_event_handle_t *phEvent);

/// Frees a USM allocation in queue order, so that commands ordered before it may still use the memory.
///
/// The block returns to its pool and may be handed out again by a later queue-ordered allocation. The CUDA
/// analogue is cuMemFreeAsync.
///
/// @param[in] hQueue queue whose order the release follows
/// @param[in] pPool [optional] pool that the allocation came from; null means the default pool
/// @param[in] pMem start address of the allocation to free
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`
UR_APIEXPORT
ur_result_t urEnqueueUSMFreeExp(ur_queue_handle_t hQueue,
                                ur_usm_pool_handle_t pPool,
                                void *pMem,
                                uint32_t numEventsInWaitList,
                                const ur_event_handle_t *phEventWaitList,
                                ur_event_handle_t *phEvent);

/// Enqueues a command that stores the device clock in its event, whether or not the queue has profiling on.
///
/// The START and END profiling values of the event give the device time in nanoseconds at which the command
/// ran, QUEUED and SUBMIT the time of this call.
///
/// @param[in] hQueue queue to submit to
/// @param[in] blocking true to return only after the timestamp has been taken
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[inout] phEvent event that takes on the state of this command
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`
UR_APIEXPORT
ur_result_t urEnqueueTimestampRecordingExp(ur_queue_handle_t hQueue,
                                           bool blocking,
                                           uint32_t numEventsInWaitList,
                                           const ur_event_handle_t *phEventWaitList,
                                           ur_event_handle_t *phEvent);

/// Enqueues one execution of a finalized command-buffer.
///
/// A command-buffer may be enqueued many times; the event represents the whole execution. The OpenCL analogue
/// is clEnqueueCommandBufferKHR.
///
/// @param[in] hQueue queue to submit to, on the device of the command-buffer
/// @param[in] hCommandBuffer finalized command-buffer to run
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_QUEUE`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urEnqueueCommandBufferExp(ur_queue_handle_t hQueue,
                                      ur_exp_command_buffer_handle_t hCommandBuffer,
                                      uint32_t numEventsInWaitList,
                                      const ur_event_handle_t *phEventWaitList,
                                      ur_event_handle_t *phEvent);

/// Enqueues a host function as a command of the queue.
///
/// It runs once its wait list is satisfied, possibly on a driver thread, and the event completes when it
/// returns. UR_RESULT_ERROR_UNSUPPORTED_FEATURE when the driver cannot enqueue host functions. Level Zero
/// analogue: zeCommandListAppendHostFunction; CUDA: cuLaunchHostFunc.
///
/// @param[in] hQueue queue the task is submitted to
/// @param[in] pfnHostTask function to run on the host; it must not call UR
/// @param[in] data [optional] passed unchanged to the function; must stay valid until it has run; may be null
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urEnqueueHostTaskExp(ur_queue_handle_t hQueue,
                                 ur_exp_host_task_function_t pfnHostTask,
                                 void *data,
                                 const ur_exp_host_task_properties_t *pProperties,
                                 uint32_t numEventsInWaitList,
                                 const ur_event_handle_t *phEventWaitList,
                                 ur_event_handle_t *phEvent);

/// Calls a host function that submits backend-native work to a queue, ordering that work like an enqueued
/// command.
///
/// The function runs on the calling thread before the call returns; its work follows the wait list, and the
/// event covers it. Serves SYCL's enqueue_native_command extension.
///
/// @param[in] hQueue queue the native work belongs to
/// @param[in] pfnNativeEnqueue function that submits the native work; called once
/// @param[in] data [optional] passed unchanged to the function; may be null
/// @param[in] numMemsInMemList length of phMemList
/// @param[in] phMemList [optional] array of memory objects the function fetches native handles of; null only when
///     the count is 0
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`
UR_APIEXPORT
ur_result_t urEnqueueNativeCommandExp(ur_queue_handle_t hQueue,
                                      ur_exp_enqueue_native_command_function_t pfnNativeEnqueue,
                                      void *data,
                                      uint32_t numMemsInMemList,
                                      const ur_mem_handle_t *phMemList,
                                      const ur_exp_enqueue_native_command_properties_t *pProperties,
                                      uint32_t numEventsInWaitList,
                                      const ur_event_handle_t *phEventWaitList,
                                      ur_event_handle_t *phEvent);

/// Enqueues one execution of an executable graph as a single command.
///
/// The event, if asked for, completes when all of the graph's commands have. CUDA analogue: cuGraphLaunch.
///
/// @param[in] hQueue queue the execution is submitted to
/// @param[in] hGraph executable graph to run; must outlive the execution
/// @param[in] numEventsInWaitList [optional] length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`
UR_APIEXPORT
ur_result_t urEnqueueGraphExp(ur_queue_handle_t hQueue,
                              ur_exp_executable_graph_handle_t hGraph,
                              uint32_t numEventsInWaitList,
                              const ur_event_handle_t *phEventWaitList,
                              ur_event_handle_t *phEvent);

/// Allocates host USM, readable and writable by the host and all devices of the context.
///
/// Free it with urUSMFree. Size 0 or one above the device limit gives UR_RESULT_ERROR_INVALID_USM_SIZE; an
/// alignment that is not a power of two gives UR_RESULT_ERROR_INVALID_VALUE; missing host-USM support gives
/// UR_RESULT_ERROR_INVALID_OPERATION. Counterpart of clHostMemAllocINTEL and zeMemAllocHost.
///
/// @param[in] hContext context whose devices gain access
/// @param[in] pUSMDesc [optional] hints and alignment; null means defaults
/// @param[in] pool [optional] pool to serve the request; null leaves the choice to the runtime
/// @param[in] size bytes to allocate; must not be 0
/// @param[out] ppMem receives the address; free with urUSMFree
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_OPERATION`, `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_INVALID_USM_SIZE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urUSMHostAlloc(ur_context_handle_t hContext,
                           const ur_usm_desc_t *pUSMDesc,
                           ur_usm_pool_handle_t pool,
                           size_t size,
                           void **ppMem);

/// Allocates USM resident on one device; the host must not dereference it.
///
/// Free it with urUSMFree. Size 0 or one above the device limit gives UR_RESULT_ERROR_INVALID_USM_SIZE;
/// missing device-USM support gives UR_RESULT_ERROR_INVALID_OPERATION. Counterpart of clDeviceMemAllocINTEL
/// and zeMemAllocDevice.
///
/// @param[in] hContext context containing the device
/// @param[in] hDevice device whose memory is used
/// @param[in] pUSMDesc [optional] hints and alignment; null means defaults
/// @param[in] pool [optional] pool to serve the request; null leaves the choice to the runtime
/// @param[in] size bytes to allocate; must not be 0
/// @param[out] ppMem receives the device address; free with urUSMFree
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_OPERATION`, `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_INVALID_USM_SIZE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urUSMDeviceAlloc(ur_context_handle_t hContext,
                             ur_device_handle_t hDevice,
                             const ur_usm_desc_t *pUSMDesc,
                             ur_usm_pool_handle_t pool,
                             size_t size,
                             void **ppMem);

/// Allocates USM that host and device use through one address, migrating as needed.
///
/// Free it with urUSMFree. Size 0 or one above the device limit gives UR_RESULT_ERROR_INVALID_USM_SIZE;
/// missing shared-USM support gives UR_RESULT_ERROR_INVALID_OPERATION. Counterpart of clSharedMemAllocINTEL
/// and zeMemAllocShared.
///
/// @param[in] hContext context containing the device
/// @param[in] hDevice device that shares the allocation with the host
/// @param[in] pUSMDesc [optional] hints and alignment; null means defaults
/// @param[in] pool [optional] pool to serve the request; null leaves the choice to the runtime
/// @param[in] size bytes to allocate; must not be 0
/// @param[out] ppMem receives the address; free with urUSMFree
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_INVALID_USM_SIZE`, `UR_RESULT_ERROR_INVALID_OPERATION`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urUSMSharedAlloc(ur_context_handle_t hContext,
                             ur_device_handle_t hDevice,
                             const ur_usm_desc_t *pUSMDesc,
                             ur_usm_pool_handle_t pool,
                             size_t size,
                             void **ppMem);

/// Frees a USM allocation of any kind.
///
/// The call blocks until commands already enqueued that may touch the memory are done. Pooled memory goes
/// back to its pool. Counterpart of clMemBlockingFreeINTEL.
///
/// @param[in] hContext context the allocation was made in
/// @param[in] pMem base address as returned by the allocating call
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urUSMFree(ur_context_handle_t hContext,
                      void *pMem);

/// Returns one property of the USM allocation that contains a pointer.
///
/// Interior pointers are fine. Asking UR_USM_ALLOC_INFO_TYPE for a foreign pointer succeeds with
/// UR_USM_TYPE_UNKNOWN. Counterpart of clGetMemAllocInfoINTEL and zeMemGetAllocProperties.
///
/// @param[in] hContext context to look the pointer up in
/// @param[in] pMem any address inside the allocation
/// @param[in] propName property wanted; fixes the type of the result
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urUSMGetMemAllocInfo(ur_context_handle_t hContext,
                                 const void *pMem,
                                 ur_usm_alloc_info_t propName,
                                 size_t propSize,
                                 void *pPropValue,
                                 size_t *pPropSizeRet);

/// Creates a pool that serves USM allocations of a context.
///
/// The caller owns one reference and gives it up with urUSMPoolRelease. A context with a device lacking pool
/// support gives UR_RESULT_ERROR_UNSUPPORTED_FEATURE. Chain ur_usm_pool_limits_desc_t to tune sizes.
///
/// @param[in] hContext context whose allocations the pool serves
/// @param[in] pPoolDesc pool options, with limits chained if wanted
/// @param[out] ppPool receives the new pool; release with urUSMPoolRelease
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urUSMPoolCreate(ur_context_handle_t hContext,
                            ur_usm_pool_desc_t *pPoolDesc,
                            ur_usm_pool_handle_t *ppPool);

/// Adds one reference to a USM pool.
///
/// Balance every call with urUSMPoolRelease.
///
/// @param[in] pPool pool to keep alive
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urUSMPoolRetain(ur_usm_pool_handle_t pPool);

/// Drops one reference to a USM pool and destroys it, returning its blocks to the driver, when none is left.
///
/// Free every allocation served by the pool before giving up the last reference.
///
/// @param[in] pPool pool to let go of; do not use it after the last reference
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urUSMPoolRelease(ur_usm_pool_handle_t pPool);

/// Returns one property of a USM pool.
///
/// Returned handles are not retained.
///
/// @param[in] hPool pool to query
/// @param[in] propName property wanted; fixes the type of the result
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urUSMPoolGetInfo(ur_usm_pool_handle_t hPool,
                             ur_usm_pool_info_t propName,
                             size_t propSize,
                             void *pPropValue,
                             size_t *pPropSizeRet);

/// Creates a USM pool that serves one device only.
///
/// Destroy it with `urUSMPoolDestroyExp`. Fails with UNSUPPORTED_FEATURE where a device of the context has no
/// pool support; the CUDA analogue is cuMemPoolCreate.
///
/// @param[in] hContext context that the pool belongs to
/// @param[in] hDevice device whose memory the pool manages
/// @param[in] pPoolDesc flags of the pool; size limits or a backing buffer may be chained to it
/// @param[out] pPool receives the new pool, owned by the caller
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urUSMPoolCreateExp(ur_context_handle_t hContext,
                               ur_device_handle_t hDevice,
                               ur_usm_pool_desc_t *pPoolDesc,
                               ur_usm_pool_handle_t *pPool);

/// Destroys a single-device USM pool made by `urUSMPoolCreateExp`.
///
/// Allocations from the pool should have been freed before. Returns UNSUPPORTED_FEATURE where pools are not
/// supported.
///
/// @param[in] hContext context of the pool
/// @param[in] hDevice device of the pool
/// @param[in] hPool pool to destroy; the handle is invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urUSMPoolDestroyExp(ur_context_handle_t hContext,
                                ur_device_handle_t hDevice,
                                ur_usm_pool_handle_t hPool);

/// Returns the pool that the adapter sets up for a device by itself.
///
/// The adapter keeps ownership: do not destroy the handle. The CUDA analogue is cuDeviceGetDefaultMemPool.
///
/// @param[in] hContext context to look in
/// @param[in] hDevice device whose default pool is wanted
/// @param[out] pPool receives the default pool, still owned by the adapter
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urUSMPoolGetDefaultDevicePoolExp(ur_context_handle_t hContext,
                                             ur_device_handle_t hDevice,
                                             ur_usm_pool_handle_t *pPool);

/// Returns one property of a USM pool, such as its release threshold or the bytes reserved and used.
///
/// The usual two-step query applies: ask for the size first, then for the value. An unknown property gives
/// UNSUPPORTED_ENUMERATION.
///
/// @param[in] hPool pool to query
/// @param[in] propName property to return
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urUSMPoolGetInfoExp(ur_usm_pool_handle_t hPool,
                                ur_usm_pool_info_t propName,
                                void *pPropValue,
                                size_t *pPropSizeRet);

/// Changes one property of a USM pool, such as its release threshold, or resets a high-water mark.
///
/// Read-only or unknown properties give UNSUPPORTED_ENUMERATION. The CUDA analogue is cuMemPoolSetAttribute.
///
/// @param[in] hPool pool to change
/// @param[in] propName property to write
/// @param[in] pPropValue points to the value; its type follows from `propName`
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_INVALID_DEVICE`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urUSMPoolSetInfoExp(ur_usm_pool_handle_t hPool,
                                ur_usm_pool_info_t propName,
                                void *pPropValue,
                                size_t propSize);

/// Makes a pool the current one of a device, used by later queue-ordered allocations that name no pool.
///
/// The caller keeps ownership of the pool and must not destroy it while it is current. The CUDA analogue is
/// cuDeviceSetMemPool.
///
/// @param[in] hContext context of pool and device
/// @param[in] hDevice device whose current pool changes
/// @param[in] hPool pool to make current
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urUSMPoolSetDevicePoolExp(ur_context_handle_t hContext,
                                      ur_device_handle_t hDevice,
                                      ur_usm_pool_handle_t hPool);

/// Returns the pool that is current for a device, which is the default pool until another one is set.
///
/// Ownership does not change; the CUDA analogue is cuDeviceGetMemPool.
///
/// @param[in] hContext context to look in
/// @param[in] hDevice device whose current pool is wanted
/// @param[out] pPool receives the current pool; the caller gets no ownership
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urUSMPoolGetDevicePoolExp(ur_context_handle_t hContext,
                                      ur_device_handle_t hDevice,
                                      ur_usm_pool_handle_t *pPool);

/// Gives unused memory of a pool back to the system until at most the requested reserve is left.
///
/// Blocks in use are never touched, so the pool may stay larger than asked. The CUDA analogue is
/// cuMemPoolTrimTo.
///
/// @param[in] hContext context of the pool
/// @param[in] hDevice device of the pool
/// @param[in] hPool pool to shrink
/// @param[in] minBytesToKeep reserve in bytes below which the pool is not shrunk
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urUSMPoolTrimToExp(ur_context_handle_t hContext,
                               ur_device_handle_t hDevice,
                               ur_usm_pool_handle_t hPool,
                               size_t minBytesToKeep);

/// Allocates device USM for a 2D array whose rows are padded to the pitch that the device prefers.
///
/// Free it with `urUSMFree`. A zero width or too large a total gives INVALID_USM_SIZE; the CUDA analogue is
/// cuMemAllocPitch.
///
/// @param[in] hContext context that owns the allocation
/// @param[in] hDevice device that the memory is for
/// @param[in] pUSMDesc [optional] alignment and hints of the allocation; null for defaults
/// @param[in] pool [optional] pool to allocate from; null for none
/// @param[in] widthInBytes length of one row in bytes, without padding
/// @param[in] height number of rows
/// @param[in] elementSizeBytes size of one element in bytes
/// @param[out] ppMem receives the address of the first row
/// @param[out] pResultPitch receives the distance between row starts in bytes
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_INVALID_USM_SIZE`, `UR_RESULT_ERROR_INVALID_OPERATION`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urUSMPitchedAllocExp(ur_context_handle_t hContext,
                                 ur_device_handle_t hDevice,
                                 const ur_usm_desc_t *pUSMDesc,
                                 ur_usm_pool_handle_t pool,
                                 size_t widthInBytes,
                                 size_t height,
                                 size_t elementSizeBytes,
                                 void **ppMem,
                                 size_t *pResultPitch);

/// Copies bytes between USM allocations without a queue and returns when the copy is done.
///
/// Size 0, or more than either allocation holds, gives INVALID_SIZE.
///
/// @param[in] hContext context of both allocations
/// @param[in] pDst address of the destination
/// @param[in] pSrc address of the source
/// @param[in] size number of bytes to copy
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_SIZE`
UR_APIEXPORT
ur_result_t urUSMContextMemcpyExp(ur_context_handle_t hContext,
                                  void *pDst,
                                  const void *pSrc,
                                  size_t size);

/// Ends the registration of a host range; the memory itself is left to its owner.
///
/// An address that is not registered gives INVALID_VALUE. No command may still use the range.
///
/// @since 2026.2
///
/// @param[in] hContext context of the registration
/// @param[in] pHostMem start of the range as registered
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urUSMHostAllocUnregisterExp(ur_context_handle_t hContext,
                                        void *pHostMem);

/// Registers ordinary host memory with a context so that devices can access it like host USM.
///
/// The caller keeps owning the memory and must keep it alive until `urUSMHostAllocUnregisterExp`. Size 0
/// gives INVALID_VALUE; the CUDA analogue is cuMemHostRegister.
///
/// @since 2026.2
///
/// @param[in] hContext context to register with
/// @param[in] pHostMem start of the host range
/// @param[in] size length in bytes, a multiple of the page size
/// @param[in] pProperties [optional] further wishes; null for the defaults
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urUSMHostAllocRegisterExp(ur_context_handle_t hContext,
                                      void *pHostMem,
                                      size_t size,
                                      const ur_exp_usm_host_alloc_register_properties_t *pProperties);

/// Lets a context treat a range of ordinary host memory as host USM, which speeds up transfers from and to
/// it.
///
/// The caller keeps owning the memory and ends the import with `urUSMReleaseExp` before freeing it.
///
/// @param[in] hContext context to import into
/// @param[in] pMem start of the host range
/// @param[in] size length of the range in bytes
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_SIZE`
UR_APIEXPORT
ur_result_t urUSMImportExp(ur_context_handle_t hContext,
                           void *pMem,
                           size_t size);

/// Ends an import made by `urUSMImportExp`; the host memory itself is not freed.
///
/// @param[in] hContext context of the import
/// @param[in] pMem start of the range as imported
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`
UR_APIEXPORT
ur_result_t urUSMReleaseExp(ur_context_handle_t hContext,
                            void *pMem);

/// Destroys an unsampled image handle; the image memory behind it stays allocated.
///
/// @param[in] hContext context in which the handle was made
/// @param[in] hDevice device for which the handle was made
/// @param[in] hImage unsampled image handle, invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urBindlessImagesUnsampledImageHandleDestroyExp(ur_context_handle_t hContext,
                                                           ur_device_handle_t hDevice,
                                                           ur_exp_image_native_handle_t hImage);

/// Destroys a sampled image handle; the image memory behind it stays allocated.
///
/// @param[in] hContext context in which the handle was made
/// @param[in] hDevice device for which the handle was made
/// @param[in] hImage sampled image handle, invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urBindlessImagesSampledImageHandleDestroyExp(ur_context_handle_t hContext,
                                                         ur_device_handle_t hDevice,
                                                         ur_exp_image_native_handle_t hImage);

/// Allocates device memory for a bindless image in the layout that the device prefers.
///
/// The memory holds texels only; make a sampled or unsampled handle to use it in kernels. Free it with
/// `urBindlessImagesImageFreeExp`, or with `urBindlessImagesMipmapFreeExp` where it has several levels.
///
/// @param[in] hContext context that owns the image memory
/// @param[in] hDevice device on which to allocate
/// @param[in] pImageFormat channel order and type of a texel
/// @param[in] pImageDesc kind, extents, layers and mipmap levels of the image
/// @param[out] phImageMem receives the image memory handle, owned by the caller
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR`, `UR_RESULT_ERROR_INVALID_IMAGE_SIZE`,
///     `UR_RESULT_ERROR_INVALID_OPERATION`
UR_APIEXPORT
ur_result_t urBindlessImagesImageAllocateExp(ur_context_handle_t hContext,
                                             ur_device_handle_t hDevice,
                                             const ur_image_format_t *pImageFormat,
                                             const ur_image_desc_t *pImageDesc,
                                             ur_exp_image_mem_native_handle_t *phImageMem);

/// Frees image memory from `urBindlessImagesImageAllocateExp`.
///
/// Destroy the image handles made over it first.
///
/// @param[in] hContext context of the image memory
/// @param[in] hDevice device of the image memory
/// @param[in] hImageMem image memory to free, invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urBindlessImagesImageFreeExp(ur_context_handle_t hContext,
                                         ur_device_handle_t hDevice,
                                         ur_exp_image_mem_native_handle_t hImageMem);

/// Creates a handle through which kernels read and write image memory by integer coordinates, without a
/// sampler.
///
/// The memory must outlive the handle. Destroy it with `urBindlessImagesUnsampledImageHandleDestroyExp`; the
/// CUDA analogue is cuSurfObjectCreate.
///
/// @param[in] hContext context of the image memory
/// @param[in] hDevice device whose kernels use the handle
/// @param[in] hImageMem image memory that the handle refers to
/// @param[in] pImageFormat channel order and type of a texel
/// @param[in] pImageDesc kind and extents of the image
/// @param[out] phImage receives the unsampled image handle, owned by the caller
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR`, `UR_RESULT_ERROR_INVALID_IMAGE_SIZE`,
///     `UR_RESULT_ERROR_INVALID_OPERATION`
UR_APIEXPORT
ur_result_t urBindlessImagesUnsampledImageCreateExp(ur_context_handle_t hContext,
                                                    ur_device_handle_t hDevice,
                                                    ur_exp_image_mem_native_handle_t hImageMem,
                                                    const ur_image_format_t *pImageFormat,
                                                    const ur_image_desc_t *pImageDesc,
                                                    ur_exp_image_native_handle_t *phImage);

/// Creates a handle through which kernels sample image memory with fixed sampler settings.
///
/// The memory must outlive the handle. Destroy it with `urBindlessImagesSampledImageHandleDestroyExp`; the
/// CUDA analogue is cuTexObjectCreate.
///
/// @param[in] hContext context of the image memory
/// @param[in] hDevice device whose kernels use the handle
/// @param[in] hImageMem image memory or USM that the handle refers to
/// @param[in] pImageFormat channel order and type of a texel
/// @param[in] pImageDesc kind and extents of the image
/// @param[in] pSamplerDesc filter and addressing settings, with chained mipmap or cubemap settings
/// @param[out] phImage receives the sampled image handle, owned by the caller
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR`, `UR_RESULT_ERROR_INVALID_IMAGE_SIZE`,
///     `UR_RESULT_ERROR_INVALID_SAMPLER`, `UR_RESULT_ERROR_INVALID_OPERATION`
UR_APIEXPORT
ur_result_t urBindlessImagesSampledImageCreateExp(ur_context_handle_t hContext,
                                                  ur_device_handle_t hDevice,
                                                  ur_exp_image_mem_native_handle_t hImageMem,
                                                  const ur_image_format_t *pImageFormat,
                                                  const ur_image_desc_t *pImageDesc,
                                                  const ur_sampler_desc_t *pSamplerDesc,
                                                  ur_exp_image_native_handle_t *phImage);

/// Enqueues a copy of a box of texels between host memory, USM and image memory.
///
/// Direction and kind of the two addresses are given apart and must agree with the pointers. The CUDA
/// analogue is cuMemcpy3DAsync.
///
/// @param[in] hQueue queue to submit to
/// @param[in] pSrc source pointer, or source image memory handle cast to a pointer
/// @param[in] pDst destination pointer, or destination image memory handle cast to a pointer
/// @param[in] pSrcImageDesc kind, extents and pitches of the source
/// @param[in] pDstImageDesc kind, extents and pitches of the destination
/// @param[in] pSrcImageFormat texel format of the source
/// @param[in] pDstImageFormat texel format of the destination
/// @param[in] pCopyRegion offsets into both sides and extent of the copy; x and width count bytes
/// @param[in] imageCopyFlags direction of the copy
/// @param[in] imageCopyInputTypes whether each side is a pointer or an image memory handle
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR`, `UR_RESULT_ERROR_INVALID_IMAGE_SIZE`,
///     `UR_RESULT_ERROR_INVALID_OPERATION`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`
UR_APIEXPORT
ur_result_t urBindlessImagesImageCopyExp(ur_queue_handle_t hQueue,
                                         const void *pSrc,
                                         void *pDst,
                                         const ur_image_desc_t *pSrcImageDesc,
                                         const ur_image_desc_t *pDstImageDesc,
                                         const ur_image_format_t *pSrcImageFormat,
                                         const ur_image_format_t *pDstImageFormat,
                                         ur_exp_image_copy_region_t *pCopyRegion,
                                         ur_exp_image_copy_flags_t imageCopyFlags,
                                         ur_exp_image_copy_input_types_t imageCopyInputTypes,
                                         uint32_t numEventsInWaitList,
                                         const ur_event_handle_t *phEventWaitList,
                                         ur_event_handle_t *phEvent);

/// Returns one property of image memory, such as its format or an extent.
///
/// The usual two-step query applies. The CUDA analogue is cuArray3DGetDescriptor.
///
/// @param[in] hContext context of the image memory
/// @param[in] hImageMem image memory to query
/// @param[in] propName property to return
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_DEVICE`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urBindlessImagesImageGetInfoExp(ur_context_handle_t hContext,
                                            ur_exp_image_mem_native_handle_t hImageMem,
                                            ur_image_info_t propName,
                                            void *pPropValue,
                                            size_t *pPropSizeRet);

/// Reports whether a device can hold an image of a given shape and format in a given kind of memory.
///
/// An unsupported combination is reported through the result value, not as an error.
///
/// @param[in] hContext context to check in
/// @param[in] hDevice device to check
/// @param[in] pImageDesc kind and extents of the image in question
/// @param[in] pImageFormat texel format in question
/// @param[in] imageMemHandleType kind of backing memory in question
/// @param[out] pSupportedRet receives whether the combination works
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_DEVICE`, `UR_RESULT_ERROR_INVALID_CONTEXT`
UR_APIEXPORT
ur_result_t urBindlessImagesGetImageMemoryHandleTypeSupportExp(ur_context_handle_t hContext,
                                                               ur_device_handle_t hDevice,
                                                               const ur_image_desc_t *pImageDesc,
                                                               const ur_image_format_t *pImageFormat,
                                                               ur_exp_image_mem_type_t imageMemHandleType,
                                                               ur_bool_t *pSupportedRet);

/// Reports whether an unsampled handle can be made for an image of a given shape, format and kind of memory.
///
/// An unsupported combination is reported through the result value, not as an error.
///
/// @param[in] hContext context to check in
/// @param[in] hDevice device to check
/// @param[in] pImageDesc kind and extents of the image in question
/// @param[in] pImageFormat texel format in question
/// @param[in] imageMemHandleType kind of backing memory in question
/// @param[out] pSupportedRet receives whether unsampled access works
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_DEVICE`, `UR_RESULT_ERROR_INVALID_CONTEXT`
UR_APIEXPORT
ur_result_t urBindlessImagesGetImageUnsampledHandleSupportExp(ur_context_handle_t hContext,
                                                              ur_device_handle_t hDevice,
                                                              const ur_image_desc_t *pImageDesc,
                                                              const ur_image_format_t *pImageFormat,
                                                              ur_exp_image_mem_type_t imageMemHandleType,
                                                              ur_bool_t *pSupportedRet);

/// Reports whether a sampled handle can be made for an image of a given shape, format and kind of memory.
///
/// An unsupported combination is reported through the result value, not as an error.
///
/// @param[in] hContext context to check in
/// @param[in] hDevice device to check
/// @param[in] pImageDesc kind and extents of the image in question
/// @param[in] pImageFormat texel format in question
/// @param[in] imageMemHandleType kind of backing memory in question
/// @param[out] pSupportedRet receives whether sampled access works
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_DEVICE`, `UR_RESULT_ERROR_INVALID_CONTEXT`
UR_APIEXPORT
ur_result_t urBindlessImagesGetImageSampledHandleSupportExp(ur_context_handle_t hContext,
                                                            ur_device_handle_t hDevice,
                                                            const ur_image_desc_t *pImageDesc,
                                                            const ur_image_format_t *pImageFormat,
                                                            ur_exp_image_mem_type_t imageMemHandleType,
                                                            ur_bool_t *pSupportedRet);

/// Returns the image memory of one level of a mipmapped image.
///
/// The level is a view owned by the mipmap: do not free it on its own. The CUDA analogue is
/// cuMipmappedArrayGetLevel.
///
/// @param[in] hContext context of the image memory
/// @param[in] hDevice device of the image memory
/// @param[in] hImageMem mipmapped image memory
/// @param[in] mipmapLevel index of the level, 0 being the finest
/// @param[out] phImageMem receives the handle of the level, valid as long as the mipmap
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urBindlessImagesMipmapGetLevelExp(ur_context_handle_t hContext,
                                              ur_device_handle_t hDevice,
                                              ur_exp_image_mem_native_handle_t hImageMem,
                                              uint32_t mipmapLevel,
                                              ur_exp_image_mem_native_handle_t *phImageMem);

/// Frees the memory of a mipmapped image with all its levels.
///
/// The CUDA analogue is cuMipmappedArrayDestroy.
///
/// @param[in] hContext context of the image memory
/// @param[in] hDevice device of the image memory
/// @param[in] hMem mipmapped image memory to free, invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urBindlessImagesMipmapFreeExp(ur_context_handle_t hContext,
                                          ur_device_handle_t hDevice,
                                          ur_exp_image_mem_native_handle_t hMem);

/// Imports memory that another API or process has exported through an operating-system handle.
///
/// Map the result as an image or as linear memory, then drop it with
/// `urBindlessImagesReleaseExternalMemoryExp`. The CUDA analogue is cuImportExternalMemory.
///
/// @param[in] hContext context to import into
/// @param[in] hDevice device that will access the memory
/// @param[in] size length of the exported memory in bytes
/// @param[in] memHandleType kind of handle found in the descriptor chain
/// @param[in] pExternalMemDesc descriptor with the operating-system handle chained to it
/// @param[out] phExternalMem receives the imported memory object, owned by the caller
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`
UR_APIEXPORT
ur_result_t urBindlessImagesImportExternalMemoryExp(ur_context_handle_t hContext,
                                                    ur_device_handle_t hDevice,
                                                    size_t size,
                                                    ur_exp_external_mem_type_t memHandleType,
                                                    ur_exp_external_mem_desc_t *pExternalMemDesc,
                                                    ur_exp_external_mem_handle_t *phExternalMem);

/// Maps imported memory as image memory.
///
/// Format and shape must match the exporting side. Free the result like other image memory, before the
/// imported object is released.
///
/// @param[in] hContext context of the imported memory
/// @param[in] hDevice device that will access the image
/// @param[in] pImageFormat texel format of the exported image
/// @param[in] pImageDesc kind, extents and mipmap levels of the exported image
/// @param[in] hExternalMem imported memory to map
/// @param[out] phImageMem receives the image memory handle over the imported memory
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR`, `UR_RESULT_ERROR_INVALID_IMAGE_SIZE`,
///     `UR_RESULT_ERROR_INVALID_OPERATION`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urBindlessImagesMapExternalArrayExp(ur_context_handle_t hContext,
                                                ur_device_handle_t hDevice,
                                                const ur_image_format_t *pImageFormat,
                                                const ur_image_desc_t *pImageDesc,
                                                ur_exp_external_mem_handle_t hExternalMem,
                                                ur_exp_image_mem_native_handle_t *phImageMem);

/// Maps a byte range of imported memory as a plain device pointer.
///
/// Unmap it with `urBindlessImagesFreeMappedLinearMemoryExp`. The CUDA analogue is
/// cuExternalMemoryGetMappedBuffer.
///
/// @param[in] hContext context of the imported memory
/// @param[in] hDevice device that will access the range
/// @param[in] offset start of the range within the imported memory, in bytes
/// @param[in] size length of the range in bytes
/// @param[in] hExternalMem imported memory to map
/// @param[out] ppRetMem receives the device address of the range
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_INVALID_IMAGE_SIZE`,
///     `UR_RESULT_ERROR_INVALID_OPERATION`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urBindlessImagesMapExternalLinearMemoryExp(ur_context_handle_t hContext,
                                                       ur_device_handle_t hDevice,
                                                       uint64_t offset,
                                                       uint64_t size,
                                                       ur_exp_external_mem_handle_t hExternalMem,
                                                       void **ppRetMem);

/// Releases imported external memory.
///
/// Mappings made from it must have been freed before; the exporter's own allocation lives on. The CUDA
/// analogue is cuDestroyExternalMemory.
///
/// @param[in] hContext context of the imported memory
/// @param[in] hDevice device of the imported memory
/// @param[in] hExternalMem imported memory to release, invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urBindlessImagesReleaseExternalMemoryExp(ur_context_handle_t hContext,
                                                     ur_device_handle_t hDevice,
                                                     ur_exp_external_mem_handle_t hExternalMem);

/// Unmaps a range obtained from `urBindlessImagesMapExternalLinearMemoryExp`.
///
/// The imported memory object itself stays valid.
///
/// @param[in] hContext context of the mapping
/// @param[in] hDevice device of the mapping
/// @param[in] pMem address of the mapped range, invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urBindlessImagesFreeMappedLinearMemoryExp(ur_context_handle_t hContext,
                                                      ur_device_handle_t hDevice,
                                                      void *pMem);

/// Reports whether a device can import external memory through a given kind of handle.
///
/// @param[in] hDevice device to check
/// @param[in] memHandleType kind of handle in question
/// @param[out] pSupportedRet receives whether such handles can be imported
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_DEVICE`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`
UR_APIEXPORT
ur_result_t urBindlessImagesSupportsImportingHandleTypeExp(ur_device_handle_t hDevice,
                                                           ur_exp_external_mem_type_t memHandleType,
                                                           ur_bool_t *pSupportedRet);

/// Imports a semaphore or fence that another API has exported through an operating-system handle.
///
/// Release it with `urBindlessImagesReleaseExternalSemaphoreExp`. The CUDA analogue is
/// cuImportExternalSemaphore.
///
/// @param[in] hContext context to import into
/// @param[in] hDevice device that will wait on or signal the semaphore
/// @param[in] semHandleType kind of handle found in the descriptor chain
/// @param[in] pExternalSemaphoreDesc descriptor with the operating-system handle chained to it
/// @param[out] phExternalSemaphore receives the imported semaphore, owned by the caller
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urBindlessImagesImportExternalSemaphoreExp(ur_context_handle_t hContext,
                                                       ur_device_handle_t hDevice,
                                                       ur_exp_external_semaphore_type_t semHandleType,
                                                       ur_exp_external_semaphore_desc_t *pExternalSemaphoreDesc,
                                                       ur_exp_external_semaphore_handle_t *phExternalSemaphore);

/// Releases an imported semaphore.
///
/// No enqueued wait or signal may still refer to it. The CUDA analogue is cuDestroyExternalSemaphore.
///
/// @param[in] hContext context of the semaphore
/// @param[in] hDevice device of the semaphore
/// @param[in] hExternalSemaphore imported semaphore to release, invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urBindlessImagesReleaseExternalSemaphoreExp(ur_context_handle_t hContext,
                                                        ur_device_handle_t hDevice,
                                                        ur_exp_external_semaphore_handle_t hExternalSemaphore);

/// Enqueues a command that holds later work of the queue until an imported semaphore is signalled; the host
/// does not block.
///
/// The CUDA analogue is cuWaitExternalSemaphoresAsync.
///
/// @param[in] hQueue queue to submit to
/// @param[in] hSemaphore imported semaphore to wait on
/// @param[in] hasWaitValue true for timeline semaphores and fences; false for binary ones
/// @param[in] waitValue counter value to reach; used only with `hasWaitValue`
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_QUEUE`,
///     `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urBindlessImagesWaitExternalSemaphoreExp(ur_queue_handle_t hQueue,
                                                     ur_exp_external_semaphore_handle_t hSemaphore,
                                                     bool hasWaitValue,
                                                     uint64_t waitValue,
                                                     uint32_t numEventsInWaitList,
                                                     const ur_event_handle_t *phEventWaitList,
                                                     ur_event_handle_t *phEvent);

/// Enqueues a command that signals an imported semaphore once earlier work has finished; the host does not
/// block.
///
/// The CUDA analogue is cuSignalExternalSemaphoresAsync.
///
/// @param[in] hQueue queue to submit to
/// @param[in] hSemaphore imported semaphore to signal
/// @param[in] hasSignalValue true for timeline semaphores and fences; false for binary ones
/// @param[in] signalValue counter value to set; used only with `hasSignalValue`
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_QUEUE`,
///     `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urBindlessImagesSignalExternalSemaphoreExp(ur_queue_handle_t hQueue,
                                                       ur_exp_external_semaphore_handle_t hSemaphore,
                                                       bool hasSignalValue,
                                                       uint64_t signalValue,
                                                       uint32_t numEventsInWaitList,
                                                       const ur_event_handle_t *phEventWaitList,
                                                       ur_event_handle_t *phEvent);

/// Creates an empty command-buffer for one device, open for recording.
///
/// The caller owns one reference, dropped with `urCommandBufferReleaseExp`. Asking for updates on a device
/// that allows none gives UNSUPPORTED_FEATURE; the OpenCL analogue is clCreateCommandBufferKHR.
///
/// @param[in] hContext context that owns the command-buffer
/// @param[in] hDevice device that will run the commands
/// @param[in] pCommandBufferDesc settings of the command-buffer
/// @param[out] phCommandBuffer receives the command-buffer with one reference
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_DEVICE`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferCreateExp(ur_context_handle_t hContext,
                                     ur_device_handle_t hDevice,
                                     const ur_exp_command_buffer_desc_t *pCommandBufferDesc,
                                     ur_exp_command_buffer_handle_t *phCommandBuffer);

/// Adds a reference to a command-buffer.
///
/// @param[in] hCommandBuffer command-buffer to retain
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urCommandBufferRetainExp(ur_exp_command_buffer_handle_t hCommandBuffer);

/// Drops a reference to a command-buffer and destroys it with the last one.
///
/// Destroying a command-buffer that still runs blocks until it has finished.
///
/// @param[in] hCommandBuffer command-buffer to release
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urCommandBufferReleaseExp(ur_exp_command_buffer_handle_t hCommandBuffer);

/// Closes a command-buffer for recording and makes it ready to be enqueued.
///
/// A second call gives INVALID_OPERATION. The analogues are clFinalizeCommandBufferKHR and
/// zeCommandListClose.
///
/// @param[in] hCommandBuffer command-buffer to finalize
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_OPERATION`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferFinalizeExp(ur_exp_command_buffer_handle_t hCommandBuffer);

/// Records a kernel launch over an ND-range, with the arguments that the kernel has at this moment.
///
/// To swap the kernel in a later update, declare the candidates as alternatives here. Asking for a command
/// handle where the command-buffer is not updatable gives INVALID_OPERATION; the OpenCL analogue is
/// clCommandNDRangeKernelKHR.
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] hKernel kernel to launch
/// @param[in] workDim dimensions of the ND-range, 1 to 3
/// @param[in] pGlobalWorkOffset [optional] `workDim` offsets in work-items; null means zero
/// @param[in] pGlobalWorkSize `workDim` global sizes in work-items
/// @param[in] pLocalWorkSize [optional] `workDim` work-group sizes in work-items; null lets the adapter choose
/// @param[in] numKernelAlternatives length of `phKernelAlternatives`
/// @param[in] phKernelAlternatives [optional] array of `numKernelAlternatives` kernels for later updates;
///     `hKernel` must not be among them
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] phCommand [optional] receives a handle for later updates, updatable command-buffers only; null if
///     not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_KERNEL`,
///     `UR_RESULT_ERROR_INVALID_WORK_DIMENSION`, `UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE`,
///     `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_INVALID_OPERATION`
UR_APIEXPORT
ur_result_t urCommandBufferAppendKernelLaunchExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                 ur_kernel_handle_t hKernel,
                                                 uint32_t workDim,
                                                 const size_t *pGlobalWorkOffset,
                                                 const size_t *pGlobalWorkSize,
                                                 const size_t *pLocalWorkSize,
                                                 uint32_t numKernelAlternatives,
                                                 ur_kernel_handle_t *phKernelAlternatives,
                                                 uint32_t numSyncPointsInWaitList,
                                                 const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                                 uint32_t numEventsInWaitList,
                                                 const ur_event_handle_t *phEventWaitList,
                                                 ur_exp_command_buffer_sync_point_t *pSyncPoint,
                                                 ur_event_handle_t *phEvent,
                                                 ur_exp_command_buffer_command_handle_t *phCommand);

/// Records a kernel launch over an ND-range and sets the arguments in the same call.
///
/// The list must cover every argument of the kernel, else INVALID_KERNEL_ARGUMENT_INDEX. Otherwise it behaves
/// like `urCommandBufferAppendKernelLaunchExp`.
///
/// @since 2026.2
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] hKernel kernel to launch
/// @param[in] workDim dimensions of the ND-range, 1 to 3
/// @param[in] pGlobalWorkOffset [optional] `workDim` offsets in work-items; null means zero
/// @param[in] pGlobalWorkSize `workDim` global sizes in work-items
/// @param[in] pLocalWorkSize [optional] `workDim` work-group sizes in work-items; null lets the adapter choose
/// @param[in] numArgs length of `pArgs`
/// @param[in] pArgs [optional] array of `numArgs` kernel arguments with kind, index and value
/// @param[in] numKernelAlternatives length of `phKernelAlternatives`
/// @param[in] phKernelAlternatives [optional] array of `numKernelAlternatives` kernels for later updates;
///     `hKernel` must not be among them
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] phCommand [optional] receives a handle for later updates, updatable command-buffers only; null if
///     not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`,
///     `UR_RESULT_ERROR_INVALID_KERNEL`, `UR_RESULT_ERROR_INVALID_WORK_DIMENSION`,
///     `UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_INVALID_OPERATION`, `UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX`
UR_APIEXPORT
ur_result_t urCommandBufferAppendKernelLaunchWithArgsExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                         ur_kernel_handle_t hKernel,
                                                         uint32_t workDim,
                                                         const size_t *pGlobalWorkOffset,
                                                         const size_t *pGlobalWorkSize,
                                                         const size_t *pLocalWorkSize,
                                                         uint32_t numArgs,
                                                         const ur_exp_kernel_arg_properties_t *pArgs,
                                                         uint32_t numKernelAlternatives,
                                                         ur_kernel_handle_t *phKernelAlternatives,
                                                         uint32_t numSyncPointsInWaitList,
                                                         const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                                         uint32_t numEventsInWaitList,
                                                         const ur_event_handle_t *phEventWaitList,
                                                         ur_exp_command_buffer_sync_point_t *pSyncPoint,
                                                         ur_event_handle_t *phEvent,
                                                         ur_exp_command_buffer_command_handle_t *phCommand);

/// Records a copy of bytes between USM allocations or host memory.
///
/// The addresses are fixed here; the data are read each time the command-buffer runs.
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] pDst address of the destination
/// @param[in] pSrc address of the source
/// @param[in] size number of bytes to copy
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] phCommand [optional] receives a handle for later updates, updatable command-buffers only; null if
///     not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferAppendUSMMemcpyExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                              void *pDst,
                                              const void *pSrc,
                                              size_t size,
                                              uint32_t numSyncPointsInWaitList,
                                              const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                              uint32_t numEventsInWaitList,
                                              const ur_event_handle_t *phEventWaitList,
                                              ur_exp_command_buffer_sync_point_t *pSyncPoint,
                                              ur_event_handle_t *phEvent,
                                              ur_exp_command_buffer_command_handle_t *phCommand);

/// Records a fill of USM with a repeated byte pattern.
///
/// An empty pattern, or a size that is not a multiple of the pattern size, gives INVALID_SIZE.
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] pMemory start of the memory to fill
/// @param[in] pPattern points to the `patternSize` pattern bytes
/// @param[in] patternSize pattern length in bytes, not 0
/// @param[in] size number of bytes to fill, a multiple of `patternSize`
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] phCommand [optional] receives a handle for later updates, updatable command-buffers only; null if
///     not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_MEM_OBJECT`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferAppendUSMFillExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                            void *pMemory,
                                            const void *pPattern,
                                            size_t patternSize,
                                            size_t size,
                                            uint32_t numSyncPointsInWaitList,
                                            const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                            uint32_t numEventsInWaitList,
                                            const ur_event_handle_t *phEventWaitList,
                                            ur_exp_command_buffer_sync_point_t *pSyncPoint,
                                            ur_event_handle_t *phEvent,
                                            ur_exp_command_buffer_command_handle_t *phCommand);

/// Records a copy of bytes from one buffer to another.
///
/// The OpenCL analogue is clCommandCopyBufferKHR.
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] hSrcMem buffer to read
/// @param[in] hDstMem buffer to write
/// @param[in] srcOffset start within the source in bytes
/// @param[in] dstOffset start within the destination in bytes
/// @param[in] size number of bytes to copy
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] phCommand [optional] receives a handle for later updates, updatable command-buffers only; null if
///     not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferAppendMemBufferCopyExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                  ur_mem_handle_t hSrcMem,
                                                  ur_mem_handle_t hDstMem,
                                                  size_t srcOffset,
                                                  size_t dstOffset,
                                                  size_t size,
                                                  uint32_t numSyncPointsInWaitList,
                                                  const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                                  uint32_t numEventsInWaitList,
                                                  const ur_event_handle_t *phEventWaitList,
                                                  ur_exp_command_buffer_sync_point_t *pSyncPoint,
                                                  ur_event_handle_t *phEvent,
                                                  ur_exp_command_buffer_command_handle_t *phCommand);

/// Records a write of host memory into a buffer.
///
/// The host data are read at each execution, so they must stay valid until the last one has finished.
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] hBuffer buffer to write
/// @param[in] offset start within the buffer in bytes
/// @param[in] size number of bytes to write
/// @param[in] pSrc host memory to read from
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] phCommand [optional] receives a handle for later updates, updatable command-buffers only; null if
///     not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferAppendMemBufferWriteExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                   ur_mem_handle_t hBuffer,
                                                   size_t offset,
                                                   size_t size,
                                                   const void *pSrc,
                                                   uint32_t numSyncPointsInWaitList,
                                                   const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                                   uint32_t numEventsInWaitList,
                                                   const ur_event_handle_t *phEventWaitList,
                                                   ur_exp_command_buffer_sync_point_t *pSyncPoint,
                                                   ur_event_handle_t *phEvent,
                                                   ur_exp_command_buffer_command_handle_t *phCommand);

/// Records a read of a buffer into host memory.
///
/// The host memory is written at each execution, so it must stay valid until the last one has finished.
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] hBuffer buffer to read
/// @param[in] offset start within the buffer in bytes
/// @param[in] size number of bytes to read
/// @param[in] pDst host memory to write to
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] phCommand [optional] receives a handle for later updates, updatable command-buffers only; null if
///     not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferAppendMemBufferReadExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                  ur_mem_handle_t hBuffer,
                                                  size_t offset,
                                                  size_t size,
                                                  void *pDst,
                                                  uint32_t numSyncPointsInWaitList,
                                                  const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                                  uint32_t numEventsInWaitList,
                                                  const ur_event_handle_t *phEventWaitList,
                                                  ur_exp_command_buffer_sync_point_t *pSyncPoint,
                                                  ur_event_handle_t *phEvent,
                                                  ur_exp_command_buffer_command_handle_t *phCommand);

/// Records a copy of a 2D or 3D box from one buffer to another.
///
/// The OpenCL analogue is clCommandCopyBufferRectKHR.
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] hSrcMem buffer to read
/// @param[in] hDstMem buffer to write
/// @param[in] srcOrigin corner of the box in the source: x in bytes, y in rows, z in slices
/// @param[in] dstOrigin corner of the box in the destination: x in bytes, y in rows, z in slices
/// @param[in] region size of the box: width in bytes, height in rows, depth in slices
/// @param[in] srcRowPitch bytes from row to row in the source; 0 means tightly packed
/// @param[in] srcSlicePitch bytes from slice to slice in the source; 0 means tightly packed
/// @param[in] dstRowPitch bytes from row to row in the destination; 0 means tightly packed
/// @param[in] dstSlicePitch bytes from slice to slice in the destination; 0 means tightly packed
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] phCommand [optional] receives a handle for later updates, updatable command-buffers only; null if
///     not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferAppendMemBufferCopyRectExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                      ur_mem_handle_t hSrcMem,
                                                      ur_mem_handle_t hDstMem,
                                                      ur_rect_offset_t srcOrigin,
                                                      ur_rect_offset_t dstOrigin,
                                                      ur_rect_region_t region,
                                                      size_t srcRowPitch,
                                                      size_t srcSlicePitch,
                                                      size_t dstRowPitch,
                                                      size_t dstSlicePitch,
                                                      uint32_t numSyncPointsInWaitList,
                                                      const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                                      uint32_t numEventsInWaitList,
                                                      const ur_event_handle_t *phEventWaitList,
                                                      ur_exp_command_buffer_sync_point_t *pSyncPoint,
                                                      ur_event_handle_t *phEvent,
                                                      ur_exp_command_buffer_command_handle_t *phCommand);

/// Records a write of a 2D or 3D box of host memory into a buffer.
///
/// The host data are read at each execution, so they must stay valid until the last one has finished.
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] hBuffer buffer to write
/// @param[in] bufferOffset corner of the box in the buffer: x in bytes, y in rows, z in slices
/// @param[in] hostOffset corner of the box in host memory: x in bytes, y in rows, z in slices
/// @param[in] region size of the box: width in bytes, height in rows, depth in slices
/// @param[in] bufferRowPitch bytes from row to row in the buffer; 0 means tightly packed
/// @param[in] bufferSlicePitch bytes from slice to slice in the buffer; 0 means tightly packed
/// @param[in] hostRowPitch bytes from row to row in host memory; 0 means tightly packed
/// @param[in] hostSlicePitch bytes from slice to slice in host memory; 0 means tightly packed
/// @param[in] pSrc host memory to read from
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] phCommand [optional] receives a handle for later updates, updatable command-buffers only; null if
///     not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferAppendMemBufferWriteRectExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                       ur_mem_handle_t hBuffer,
                                                       ur_rect_offset_t bufferOffset,
                                                       ur_rect_offset_t hostOffset,
                                                       ur_rect_region_t region,
                                                       size_t bufferRowPitch,
                                                       size_t bufferSlicePitch,
                                                       size_t hostRowPitch,
                                                       size_t hostSlicePitch,
                                                       void *pSrc,
                                                       uint32_t numSyncPointsInWaitList,
                                                       const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                                       uint32_t numEventsInWaitList,
                                                       const ur_event_handle_t *phEventWaitList,
                                                       ur_exp_command_buffer_sync_point_t *pSyncPoint,
                                                       ur_event_handle_t *phEvent,
                                                       ur_exp_command_buffer_command_handle_t *phCommand);

/// Records a read of a 2D or 3D box of a buffer into host memory.
///
/// The host memory is written at each execution, so it must stay valid until the last one has finished.
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] hBuffer buffer to read
/// @param[in] bufferOffset corner of the box in the buffer: x in bytes, y in rows, z in slices
/// @param[in] hostOffset corner of the box in host memory: x in bytes, y in rows, z in slices
/// @param[in] region size of the box: width in bytes, height in rows, depth in slices
/// @param[in] bufferRowPitch bytes from row to row in the buffer; 0 means tightly packed
/// @param[in] bufferSlicePitch bytes from slice to slice in the buffer; 0 means tightly packed
/// @param[in] hostRowPitch bytes from row to row in host memory; 0 means tightly packed
/// @param[in] hostSlicePitch bytes from slice to slice in host memory; 0 means tightly packed
/// @param[in] pDst host memory to write to
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] phCommand [optional] receives a handle for later updates, updatable command-buffers only; null if
///     not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferAppendMemBufferReadRectExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                      ur_mem_handle_t hBuffer,
                                                      ur_rect_offset_t bufferOffset,
                                                      ur_rect_offset_t hostOffset,
                                                      ur_rect_region_t region,
                                                      size_t bufferRowPitch,
                                                      size_t bufferSlicePitch,
                                                      size_t hostRowPitch,
                                                      size_t hostSlicePitch,
                                                      void *pDst,
                                                      uint32_t numSyncPointsInWaitList,
                                                      const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                                      uint32_t numEventsInWaitList,
                                                      const ur_event_handle_t *phEventWaitList,
                                                      ur_exp_command_buffer_sync_point_t *pSyncPoint,
                                                      ur_event_handle_t *phEvent,
                                                      ur_exp_command_buffer_command_handle_t *phCommand);

/// Records a fill of a buffer range with a repeated byte pattern.
///
/// The OpenCL analogue is clCommandFillBufferKHR.
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] hBuffer buffer to fill
/// @param[in] pPattern points to the `patternSize` pattern bytes
/// @param[in] patternSize pattern length in bytes
/// @param[in] offset start of the range in bytes, a multiple of `patternSize`
/// @param[in] size number of bytes to fill, a multiple of `patternSize`
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] phCommand [optional] receives a handle for later updates, updatable command-buffers only; null if
///     not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferAppendMemBufferFillExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                  ur_mem_handle_t hBuffer,
                                                  const void *pPattern,
                                                  size_t patternSize,
                                                  size_t offset,
                                                  size_t size,
                                                  uint32_t numSyncPointsInWaitList,
                                                  const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                                  uint32_t numEventsInWaitList,
                                                  const ur_event_handle_t *phEventWaitList,
                                                  ur_exp_command_buffer_sync_point_t *pSyncPoint,
                                                  ur_event_handle_t *phEvent,
                                                  ur_exp_command_buffer_command_handle_t *phCommand);

/// Records a hint to migrate shared USM towards the device before it is used.
///
/// A pure performance hint: adapters without migration record an empty command that still has a sync point.
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] pMemory start of the range to migrate
/// @param[in] size length of the range in bytes
/// @param[in] flags direction of the migration
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] phCommand [optional] receives a handle for later updates, updatable command-buffers only; null if
///     not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferAppendUSMPrefetchExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                const void *pMemory,
                                                size_t size,
                                                ur_usm_migration_flags_t flags,
                                                uint32_t numSyncPointsInWaitList,
                                                const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                                uint32_t numEventsInWaitList,
                                                const ur_event_handle_t *phEventWaitList,
                                                ur_exp_command_buffer_sync_point_t *pSyncPoint,
                                                ur_event_handle_t *phEvent,
                                                ur_exp_command_buffer_command_handle_t *phCommand);

/// Records advice on how a range of USM will be used.
///
/// A pure performance hint: adapters may record an empty command that still has a sync point.
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] pMemory start of the range that the advice is about
/// @param[in] size length of the range in bytes
/// @param[in] advice bit set of usage hints
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
/// @param[out] phCommand [optional] receives a handle for later updates, updatable command-buffers only; null if
///     not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_INVALID_EVENT`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferAppendUSMAdviseExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                              const void *pMemory,
                                              size_t size,
                                              ur_usm_advice_flags_t advice,
                                              uint32_t numSyncPointsInWaitList,
                                              const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                              uint32_t numEventsInWaitList,
                                              const ur_event_handle_t *phEventWaitList,
                                              ur_exp_command_buffer_sync_point_t *pSyncPoint,
                                              ur_event_handle_t *phEvent,
                                              ur_exp_command_buffer_command_handle_t *phCommand);

/// Records commands that the caller adds through the backend's own API, such as Level Zero or a CUDA graph.
///
/// The function runs once, during this call, not at execution. Commands it adds must be ordered through the
/// sync points given here.
///
/// @param[in] hCommandBuffer command-buffer to append to; must not be finalized
/// @param[in] pfnNativeCommand function that adds the native commands, called before this entry point returns
/// @param[in] pData [optional] pointer passed to the function unchanged; may be null
/// @param[in] hChildCommandBuffer [optional] command-buffer that collects the native nodes; needed by CUDA and
///     HIP only
/// @param[in] numSyncPointsInWaitList length of `pSyncPointWaitList`
/// @param[in] pSyncPointWaitList [optional] array of sync points that must finish first; null for none; unused
///     when in order
/// @param[out] pSyncPoint [optional] receives the sync point of this command; null if not needed
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_EXP`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_SYNC_POINT_WAIT_LIST_EXP`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferAppendNativeCommandExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                  ur_exp_command_buffer_native_command_function_t pfnNativeCommand,
                                                  void *pData,
                                                  ur_exp_command_buffer_handle_t hChildCommandBuffer,
                                                  uint32_t numSyncPointsInWaitList,
                                                  const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                                  ur_exp_command_buffer_sync_point_t *pSyncPoint);

/// Changes kernel launches of a finalized, updatable command-buffer for its later executions.
///
/// The call may block while the command-buffer runs; after an error the affected commands are in an undefined
/// state. Changes that the device cannot make give UNSUPPORTED_FEATURE, a command-buffer not updatable or not
/// finalized INVALID_OPERATION; the OpenCL analogue is clUpdateMutableCommandsKHR.
///
/// @param[in] hCommandBuffer finalized command-buffer that holds the launches
/// @param[in] numKernelUpdates length of `pUpdateKernelLaunch`; 0 gives INVALID_SIZE
/// @param[in] pUpdateKernelLaunch array of `numKernelUpdates` changes, one per launch
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_INVALID_OPERATION`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP`, `UR_RESULT_ERROR_INVALID_MEM_OBJECT`,
///     `UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX`, `UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_WORK_DIMENSION`,
///     `UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferUpdateKernelLaunchExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                 uint32_t numKernelUpdates,
                                                 const ur_exp_command_buffer_update_kernel_launch_desc_t *pUpdateKernelLaunch);

/// Gives a command a fresh event that its next execution signals.
///
/// The caller releases the event. The command must have been appended with an event and the command-buffer be
/// finalized and updatable, else INVALID_OPERATION.
///
/// @param[in] hCommand command whose signal event is replaced
/// @param[out] phSignalEvent receives the new event, released with `urEventRelease`
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`, `UR_RESULT_ERROR_INVALID_OPERATION`,
///     `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferUpdateSignalEventExp(ur_exp_command_buffer_command_handle_t hCommand,
                                                ur_event_handle_t *phSignalEvent);

/// Replaces the events that a command waits for in later executions.
///
/// The number of events must be the same as at append, else INVALID_EVENT_WAIT_LIST. The command-buffer must
/// be finalized and updatable.
///
/// @param[in] hCommand command whose wait list is replaced
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`,
///     `UR_RESULT_ERROR_INVALID_OPERATION`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP`,
///     `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urCommandBufferUpdateWaitEventsExp(ur_exp_command_buffer_command_handle_t hCommand,
                                               uint32_t numEventsInWaitList,
                                               const ur_event_handle_t *phEventWaitList);

/// Returns one property of a command-buffer.
///
/// The usual two-step query applies; a buffer too small for the value gives INVALID_SIZE.
///
/// @param[in] hCommandBuffer command-buffer to query
/// @param[in] propName property to return
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_EXP`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urCommandBufferGetInfoExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                      ur_exp_command_buffer_info_t propName,
                                      size_t propSize,
                                      void *pPropValue,
                                      size_t *pPropSizeRet);

/// Returns the backend's own object behind a command-buffer, such as a ze_command_list_handle_t or a
/// CUgraphExec.
///
/// The native object stays owned by the command-buffer and shares its lifetime.
///
/// @param[in] hCommandBuffer command-buffer whose native object is wanted
/// @param[out] phNativeCommandBuffer receives the native handle, not owned by the caller
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urCommandBufferGetNativeHandleExp(ur_exp_command_buffer_handle_t hCommandBuffer,
                                              ur_native_handle_t *phNativeCommandBuffer);

/// Creates an empty graph to capture commands into.
///
/// The caller owns it and frees it with urGraphDestroyExp; fill it through urQueueBeginCaptureIntoGraphExp.
/// CUDA analogue: cuGraphCreate.
///
/// @param[in] hContext context the graph belongs to
/// @param[out] phGraph receives the new, empty graph
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urGraphCreateExp(ur_context_handle_t hContext,
                             ur_exp_graph_handle_t *phGraph);

/// Creates an executable graph from a recorded one.
///
/// The caller frees it with urGraphExecutableGraphDestroyExp, before destroying the recorded graph. CUDA
/// analogue: cuGraphInstantiate.
///
/// @param[in] hGraph recorded graph to instantiate
/// @param[out] phExecGraph receives the new executable graph
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urGraphInstantiateGraphExp(ur_exp_graph_handle_t hGraph,
                                       ur_exp_executable_graph_handle_t *phExecGraph);

/// Destroys a recorded graph.
///
/// Every executable graph made from it must be destroyed first. CUDA analogue: cuGraphDestroy.
///
/// @param[in] hGraph graph to destroy; invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urGraphDestroyExp(ur_exp_graph_handle_t hGraph);

/// Destroys an executable graph.
///
/// No queue may still be running it. CUDA analogue: cuGraphExecDestroy.
///
/// @param[in] hExecutableGraph executable graph to destroy; invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urGraphExecutableGraphDestroyExp(ur_exp_executable_graph_handle_t hExecutableGraph);

/// Returns whether a recorded graph has no nodes.
///
/// @param[in] hGraph graph to query
/// @param[out] pResult receives true when nothing has been recorded
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_GRAPH`
UR_APIEXPORT
ur_result_t urGraphIsEmptyExp(ur_exp_graph_handle_t hGraph,
                              bool *pResult);

/// Returns the number that identifies a graph within the process.
///
/// Newer graphs get larger ids, and no two graphs share one.
///
/// @since 2026.1.1
///
/// @param[in] hGraph graph to query
/// @param[out] pGraphId receives the id
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urGraphGetIdExp(ur_exp_graph_handle_t hGraph,
                            uint64_t *pGraphId);

/// Registers a host function to run when a graph is destroyed.
///
/// Meant for freeing resources tied to the graph's lifetime. A null callback gives
/// UR_RESULT_ERROR_INVALID_NULL_POINTER.
///
/// @since 2026.1.1
///
/// @param[in] hGraph graph whose destruction is watched
/// @param[in] pfnCallback function to call; it must not use the graph
/// @param[in] pUserData [optional] passed unchanged to the callback; must not lead back to the graph; may be null
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urGraphSetDestructionCallbackExp(ur_exp_graph_handle_t hGraph,
                                             ur_exp_graph_destruction_callback_t pfnCallback,
                                             void *pUserData);

/// Writes a description of a recorded graph to a file, for debugging.
///
/// The file format is up to the backend. CUDA analogue: cuGraphDebugDotPrint.
///
/// @param[in] hGraph graph to describe
/// @param[in] filePath null-terminated path of the file to write
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urGraphDumpContentsExp(ur_exp_graph_handle_t hGraph,
                                   const char *filePath);

/// Returns the backend's own handle of a recorded graph.
///
/// The graph keeps ownership. UR_RESULT_ERROR_UNSUPPORTED_FEATURE when the backend has no such object.
///
/// @since 2026.1.1
///
/// @param[in] hGraph graph whose native handle is wanted
/// @param[out] phNativeGraph receives the backend handle, valid while the graph lives
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urGraphGetNativeHandleExp(ur_exp_graph_handle_t hGraph,
                                      ur_native_handle_t *phNativeGraph);

/// Returns the backend's own handle of an executable graph.
///
/// The executable graph keeps ownership. UR_RESULT_ERROR_UNSUPPORTED_FEATURE when the backend has no such
/// object.
///
/// @since 2026.1.1
///
/// @param[in] hExecutableGraph executable graph whose native handle is wanted
/// @param[out] phNativeExecutableGraph receives the backend handle, valid while the executable graph lives
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urGraphExecutableGraphGetNativeHandleExp(ur_exp_executable_graph_handle_t hExecutableGraph,
                                                     ur_native_handle_t *phNativeExecutableGraph);

/// Exports a device USM allocation as bytes that another process on the host can open.
///
/// The adapter owns the bytes until `urIPCPutMemHandleExp`; copy them to ship them. The Level Zero analogue
/// is zeMemGetIpcHandle.
///
/// @param[in] hContext context of the allocation
/// @param[in] pMem address of the device USM allocation to export
/// @param[out] ppIPCMemHandleData [optional] receives a pointer to the handle bytes, owned by the adapter
/// @param[out] pIPCMemHandleDataSizeRet [optional] receives the number of handle bytes
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urIPCGetMemHandleExp(ur_context_handle_t hContext,
                                 void *pMem,
                                 void **ppIPCMemHandleData,
                                 size_t *pIPCMemHandleDataSizeRet);

/// Returns the handle bytes from `urIPCGetMemHandleExp` to the adapter.
///
/// The allocation itself is not freed. The Level Zero analogue is zeMemPutIpcHandle.
///
/// @param[in] hContext context that exported the allocation
/// @param[in] pIPCMemHandleData handle bytes as received, invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urIPCPutMemHandleExp(ur_context_handle_t hContext,
                                 void *pIPCMemHandleData);

/// Maps an allocation that another process has exported.
///
/// Close it with `urIPCCloseMemHandleExp`, never with `urUSMFree`. A wrong byte count gives INVALID_VALUE;
/// the Level Zero analogue is zeMemOpenIpcHandle.
///
/// @param[in] hContext context to map into
/// @param[in] hDevice device that holds the exported allocation
/// @param[in] pIPCMemHandleData handle bytes received from the exporting process
/// @param[in] ipcMemHandleDataSize number of handle bytes
/// @param[out] ppMem receives the address of the allocation in this process
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urIPCOpenMemHandleExp(ur_context_handle_t hContext,
                                  ur_device_handle_t hDevice,
                                  void *pIPCMemHandleData,
                                  size_t ipcMemHandleDataSize,
                                  void **ppMem);

/// Unmaps an allocation opened with `urIPCOpenMemHandleExp`; the exporter's memory lives on.
///
/// @param[in] hContext context into which the allocation was mapped
/// @param[in] pMem mapped address, invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urIPCCloseMemHandleExp(ur_context_handle_t hContext,
                                   void *pMem);

/// Exports a physical memory object as bytes that another process on the host can open.
///
/// The object must have been created with IPC enabled, else INVALID_ARGUMENT. The adapter owns the bytes
/// until `urIPCPutPhysMemHandleExp`.
///
/// @since 2026.2
///
/// @param[in] hContext context of the physical memory
/// @param[in] hPhysMem physical memory object to export
/// @param[out] ppIPCPhysMemHandleData receives a pointer to the handle bytes, owned by the adapter
/// @param[out] pIPCPhysMemHandleDataSizeRet receives the number of handle bytes
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_ARGUMENT`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urIPCGetPhysMemHandleExp(ur_context_handle_t hContext,
                                     ur_physical_mem_handle_t hPhysMem,
                                     void **ppIPCPhysMemHandleData,
                                     size_t *pIPCPhysMemHandleDataSizeRet);

/// Returns the handle bytes from `urIPCGetPhysMemHandleExp` to the adapter; the physical memory stays.
///
/// @since 2026.2
///
/// @param[in] hContext context that exported the physical memory
/// @param[in] pIPCPhysMemHandleData handle bytes as received, invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urIPCPutPhysMemHandleExp(ur_context_handle_t hContext,
                                     const void *pIPCPhysMemHandleData);

/// Opens physical memory that another process has exported, ready to be mapped into a virtual address range.
///
/// Close it with `urIPCClosePhysMemHandleExp`. A wrong byte count gives INVALID_VALUE.
///
/// @since 2026.2
///
/// @param[in] hContext context to open the memory in
/// @param[in] hDevice device that holds the exported memory
/// @param[in] pIPCPhysMemHandleData handle bytes received from the exporting process
/// @param[in] ipcPhysMemHandleDataSize number of handle bytes
/// @param[out] phPhysMem receives the physical memory object of this process
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urIPCOpenPhysMemHandleExp(ur_context_handle_t hContext,
                                      ur_device_handle_t hDevice,
                                      const void *pIPCPhysMemHandleData,
                                      size_t ipcPhysMemHandleDataSize,
                                      ur_physical_mem_handle_t *phPhysMem);

/// Closes physical memory opened with `urIPCOpenPhysMemHandleExp`; the exporter's memory lives on.
///
/// Unmap it from every virtual range first.
///
/// @since 2026.2
///
/// @param[in] hContext context in which the memory was opened
/// @param[in] hPhysMem opened physical memory, invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urIPCClosePhysMemHandleExp(ur_context_handle_t hContext,
                                       ur_physical_mem_handle_t hPhysMem);

/// Exports an event as bytes that another process on the host can open to share its state.
///
/// Only events created with the IPC flag qualify, else INVALID_EVENT; events with profiling give
/// UNSUPPORTED_FEATURE. The adapter owns the bytes until `urIPCPutEventHandleExp`.
///
/// @since 2026.2
///
/// @param[in] hEvent event to export; must not itself come from another process
/// @param[out] ppIPCEventHandleData receives a pointer to the handle bytes, owned by the adapter
/// @param[out] pIPCEventHandleDataSizeRet receives the number of handle bytes
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urIPCGetEventHandleExp(ur_event_handle_t hEvent,
                                   void **ppIPCEventHandleData,
                                   size_t *pIPCEventHandleDataSizeRet);

/// Returns the handle bytes from `urIPCGetEventHandleExp` to the adapter.
///
/// Neither the exported event nor events that other processes have opened are affected. Call it in the
/// exporting process.
///
/// @since 2026.2
///
/// @param[in] hContext context of the exported event
/// @param[in] pIPCEventHandleData handle bytes as received, invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urIPCPutEventHandleExp(ur_context_handle_t hContext,
                                   void *pIPCEventHandleData);

/// Opens an event that another process has exported; both sides then see the same state.
///
/// The event starts with one reference and is released with `urEventRelease`. A wrong byte count gives
/// INVALID_VALUE, a device without event IPC UNSUPPORTED_FEATURE.
///
/// @since 2026.2
///
/// @param[in] hContext context to open the event in
/// @param[in] pIPCEventHandleData handle bytes received from the exporting process
/// @param[in] ipcEventHandleDataSize number of handle bytes
/// @param[out] phEvent receives the event, for the caller to release
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`
UR_APIEXPORT
ur_result_t urIPCOpenEventHandleExp(ur_context_handle_t hContext,
                                    const void *pIPCEventHandleData,
                                    size_t ipcEventHandleDataSize,
                                    ur_event_handle_t *phEvent);

/// Allocates linear device memory that can later be exported to another API.
///
/// Free it with `urMemoryExportFreeExportableMemoryExp`, not with `urUSMFree`. An alignment that is not a power
/// of two gives UNSUPPORTED_ALIGNMENT, size 0 INVALID_USM_SIZE.
///
/// @param[in] hContext context that owns the allocation
/// @param[in] hDevice device on which to allocate
/// @param[in] alignment alignment in bytes, a power of two; 0 for the default
/// @param[in] size number of bytes to allocate
/// @param[in] handleTypeToExport kind of operating-system handle the memory must be exportable as
/// @param[out] ppMem receives the device address, owned by the caller
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_ALIGNMENT`,
///     `UR_RESULT_ERROR_INVALID_VALUE`, `UR_RESULT_ERROR_INVALID_USM_SIZE`, `UR_RESULT_ERROR_UNSUPPORTED_SIZE`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_DEVICE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY`
UR_APIEXPORT
ur_result_t urMemoryExportAllocExportableMemoryExp(ur_context_handle_t hContext,
                                                   ur_device_handle_t hDevice,
                                                   size_t alignment,
                                                   size_t size,
                                                   ur_exp_external_mem_type_t handleTypeToExport,
                                                   void **ppMem);

/// Frees memory from `urMemoryExportAllocExportableMemoryExp`.
///
/// @param[in] hContext context of the allocation
/// @param[in] hDevice device of the allocation
/// @param[in] pMem address of the allocation, invalid afterwards
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_INVALID_DEVICE`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY`
UR_APIEXPORT
ur_result_t urMemoryExportFreeExportableMemoryExp(ur_context_handle_t hContext,
                                                  ur_device_handle_t hDevice,
                                                  void *pMem);

/// Returns an operating-system handle for exportable memory, to be imported by another API such as Vulkan.
///
/// The kind must be the one chosen at allocation.
///
/// @param[in] hContext context of the allocation
/// @param[in] hDevice device of the allocation
/// @param[in] handleTypeToExport kind of handle wanted
/// @param[in] pMem address of the exportable allocation
/// @param[out] pMemHandleRet receives the handle: points to an int for descriptors, to a void pointer on Windows
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_CONTEXT`,
///     `UR_RESULT_ERROR_INVALID_DEVICE`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`,
///     `UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY`
UR_APIEXPORT
ur_result_t urMemoryExportExportMemoryHandleExp(ur_context_handle_t hContext,
                                                ur_device_handle_t hDevice,
                                                ur_exp_external_mem_type_t handleTypeToExport,
                                                void *pMem,
                                                void *pMemHandleRet);

/// Lets one device read and write the device USM of another until the access is disabled again.
///
/// Access is directed: the peer gains nothing unless the call is repeated with the devices swapped. The CUDA
/// analogue is cuCtxEnablePeerAccess.
///
/// @param[in] commandDevice device that gains access
/// @param[in] peerDevice device whose memory becomes accessible
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urUsmP2PEnablePeerAccessExp(ur_device_handle_t commandDevice,
                                        ur_device_handle_t peerDevice);

/// Withdraws the access that `urUsmP2PEnablePeerAccessExp` has granted.
///
/// The opposite direction is not affected. The CUDA analogue is cuCtxDisablePeerAccess.
///
/// @param[in] commandDevice device that loses access
/// @param[in] peerDevice device whose memory was accessible
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urUsmP2PDisablePeerAccessExp(ur_device_handle_t commandDevice,
                                         ur_device_handle_t peerDevice);

/// Returns one property of the access path from one device to the memory of another.
///
/// A buffer too small for the value gives INVALID_SIZE. The CUDA analogue is cuDeviceGetP2PAttribute.
///
/// @param[in] commandDevice device that would do the access
/// @param[in] peerDevice device that holds the memory
/// @param[in] propName property to return
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urUsmP2PPeerAccessGetInfoExp(ur_device_handle_t commandDevice,
                                         ur_device_handle_t peerDevice,
                                         ur_exp_peer_info_t propName,
                                         size_t propSize,
                                         void *pPropValue,
                                         size_t *pPropSizeRet);

/// Returns the granularity, in bytes, for virtual reservations and physical allocations.
///
/// Sizes, addresses and offsets given to the other functions of this group must be multiples of it. Compare
/// `zeVirtualMemQueryPageSize`.
///
/// @param[in] hContext context that will hold the memory
/// @param[in] hDevice [optional] device asked about; null for a value that fits every device of the context
/// @param[in] allocationSize size in bytes of the allocation planned
/// @param[in] propName minimum or recommended granularity
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_DEVICE`,
///     `UR_RESULT_ERROR_INVALID_CONTEXT`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urVirtualMemGranularityGetInfo(ur_context_handle_t hContext,
                                           ur_device_handle_t hDevice,
                                           size_t allocationSize,
                                           ur_virtual_mem_granularity_info_t propName,
                                           size_t propSize,
                                           void *pPropValue,
                                           size_t *pPropSizeRet);

/// Reserves a range of virtual addresses without storage behind it.
///
/// Back it with `urVirtualMemMap`, end it with `urVirtualMemFree`. Compare `zeVirtualMemReserve`.
///
/// @param[in] hContext context in which the range is valid
/// @param[in] pStart [optional] preferred start address; null lets the implementation choose
/// @param[in] size length in bytes, a multiple of the granularity
/// @param[out] ppStart receives the actual start address
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urVirtualMemReserve(ur_context_handle_t hContext,
                                const void *pStart,
                                size_t size,
                                void **ppStart);

/// Gives a reserved address range back.
///
/// The range must be the whole reservation, with all mappings removed before. Compare `zeVirtualMemFree`.
///
/// @param[in] hContext context of the reservation
/// @param[in] pStart start address that `urVirtualMemReserve` returned
/// @param[in] size length of the reservation in bytes
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urVirtualMemFree(ur_context_handle_t hContext,
                             const void *pStart,
                             size_t size);

/// Maps a piece of a physical memory object into reserved addresses.
///
/// The physical object must outlive the mapping. Compare `zeVirtualMemMap`.
///
/// @param[in] hContext context of the reservation and the physical memory
/// @param[in] pStart first address to map, within a reserved range
/// @param[in] size length in bytes, a multiple of the granularity
/// @param[in] hPhysicalMem storage to place behind the range
/// @param[in] offset start within the physical memory, in bytes
/// @param[in] flags initial access rights
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`
UR_APIEXPORT
ur_result_t urVirtualMemMap(ur_context_handle_t hContext,
                            const void *pStart,
                            size_t size,
                            ur_physical_mem_handle_t hPhysicalMem,
                            size_t offset,
                            ur_virtual_mem_access_flags_t flags);

/// Removes the mapping of an address range; the reservation stays and may be mapped anew.
///
/// No pending command may still use the range. Compare `zeVirtualMemUnmap`.
///
/// @param[in] hContext context of the mapping
/// @param[in] pStart first mapped address
/// @param[in] size length of the mapping in bytes
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`
UR_APIEXPORT
ur_result_t urVirtualMemUnmap(ur_context_handle_t hContext,
                              const void *pStart,
                              size_t size);

/// Changes the access rights of a mapped address range.
///
/// Compare `zeVirtualMemSetAccessAttribute`.
///
/// @param[in] hContext context of the mapping
/// @param[in] pStart first address of the range
/// @param[in] size length of the range in bytes
/// @param[in] flags new access rights
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`
UR_APIEXPORT
ur_result_t urVirtualMemSetAccess(ur_context_handle_t hContext,
                                  const void *pStart,
                                  size_t size,
                                  ur_virtual_mem_access_flags_t flags);

/// Returns one property of a mapped address range.
///
/// Compare `zeVirtualMemGetAccessAttribute`.
///
/// @param[in] hContext context of the mapping
/// @param[in] pStart first address of the range
/// @param[in] size length of the range in bytes
/// @param[in] propName which property to read
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`
UR_APIEXPORT
ur_result_t urVirtualMemGetInfo(ur_context_handle_t hContext,
                                const void *pStart,
                                size_t size,
                                ur_virtual_mem_info_t propName,
                                size_t propSize,
                                void *pPropValue,
                                size_t *pPropSizeRet);

/// Returns the devices of a platform that have the given type, taking one reference on each.
///
/// Handles and order are stable between calls; release each with `urDeviceRelease`. Driver-level filtering
/// variables can change the set. Compare `clGetDeviceIDs`.
///
/// @param[in] hPlatform platform to enumerate
/// @param[in] DeviceType device class to return
/// @param[in] NumEntries capacity of `phDevices`; zero with a non-null array is an error
/// @param[out] phDevices [optional] receives up to `NumEntries` device handles; null to ask only for the count
/// @param[out] pNumDevices [optional] receives the number of matching devices; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_SIZE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_VALUE`
UR_APIEXPORT
ur_result_t urDeviceGet(ur_platform_handle_t hPlatform,
                        ur_device_type_t DeviceType,
                        uint32_t NumEntries,
                        ur_device_handle_t *phDevices,
                        uint32_t *pNumDevices);

/// Returns one property of a device.
///
/// Query the size of arrays and strings first. `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION` marks a query the
/// adapter does not answer. Compare `clGetDeviceInfo`.
///
/// @param[in] hDevice device to inspect
/// @param[in] propName which property to read
/// @param[in] propSize size of the value in bytes; with a buffer to fill, the size of the buffer
/// @param[out] pPropValue [optional] buffer for the value, whose type follows from `propName`; null to ask only
///     for the size
/// @param[out] pPropSizeRet [optional] receives the size of the value in bytes; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION`, `UR_RESULT_ERROR_INVALID_SIZE`,
///     `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_INVALID_DEVICE`,
///     `UR_RESULT_ERROR_OUT_OF_RESOURCES`, `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`
UR_APIEXPORT
ur_result_t urDeviceGetInfo(ur_device_handle_t hDevice,
                            ur_device_info_t propName,
                            size_t propSize,
                            void *pPropValue,
                            size_t *pPropSizeRet);

/// Adds one reference to a device.
///
/// Only sub-devices have their own lifetime; root devices live as long as their platform. Compare
/// `clRetainDevice`.
///
/// @param[in] hDevice device to keep alive
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urDeviceRetain(ur_device_handle_t hDevice);

/// Drops one reference to a device; a sub-device is destroyed with its last one.
///
/// Compare `clReleaseDevice`.
///
/// @param[in] hDevice device whose reference is given up
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`
UR_APIEXPORT
ur_result_t urDeviceRelease(ur_device_handle_t hDevice);

/// Splits a device into sub-devices.
///
/// The same request always gives the same sub-devices in the same order; sub-devices may be split again.
/// Release each with `urDeviceRelease`. Compare `clCreateSubDevices`.
///
/// @param[in] hDevice device or sub-device to split
/// @param[in] pProperties what is wanted
/// @param[in] NumDevices capacity of `phSubDevices`
/// @param[out] phSubDevices [optional] receives up to `NumDevices` sub-devices; null to ask only for the count
/// @param[out] pNumDevicesRet [optional] receives the number of sub-devices the split produces; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_DEVICE_PARTITION_FAILED`, `UR_RESULT_ERROR_INVALID_DEVICE_PARTITION_COUNT`
UR_APIEXPORT
ur_result_t urDevicePartition(ur_device_handle_t hDevice,
                              const ur_device_partition_properties_t *pProperties,
                              uint32_t NumDevices,
                              ur_device_handle_t *phSubDevices,
                              uint32_t *pNumDevicesRet);

/// Chooses, among several device images, the one best suited to a device.
///
/// Ahead-of-time images for the device normally win over IL that needs JIT compilation.
/// `UR_RESULT_ERROR_INVALID_BINARY` if none can run.
///
/// @param[in] hDevice device that is to run the code
/// @param[in] pBinaries array of `NumBinaries` image descriptions
/// @param[in] NumBinaries length of `pBinaries`, at least 1
/// @param[out] pSelectedBinary receives the index of the chosen entry in `pBinaries`
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_SIZE`
UR_APIEXPORT
ur_result_t urDeviceSelectBinary(ur_device_handle_t hDevice,
                                 const ur_device_binary_t *pBinaries,
                                 uint32_t NumBinaries,
                                 uint32_t *pSelectedBinary);

/// Returns the driver's own object behind a device, such as a `cl_device_id` or `ze_device_handle_t`.
///
/// The UR device keeps ownership. `UR_RESULT_ERROR_UNSUPPORTED_FEATURE` where the backend has no such object.
///
/// @param[in] hDevice device to unwrap
/// @param[out] phNativeDevice receives the driver handle
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urDeviceGetNativeHandle(ur_device_handle_t hDevice,
                                    ur_native_handle_t *phNativeDevice);

/// Wraps a driver device object in a UR device handle.
///
/// A device the adapter already enumerated may come back as the same handle. Release it with
/// `urDeviceRelease`.
///
/// @param[in] hNativeDevice driver device to wrap
/// @param[in] hAdapter adapter of the backend that the native handle comes from
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[out] phDevice receives the UR device
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urDeviceCreateWithNativeHandle(ur_native_handle_t hNativeDevice,
                                           ur_adapter_handle_t hAdapter,
                                           const ur_device_native_properties_t *pProperties,
                                           ur_device_handle_t *phDevice);

/// Returns device and host clock readings taken at practically the same instant, in nanoseconds.
///
/// With both, event profiling times can be related to host time. `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
/// without a readable clock. Compare `clGetDeviceAndHostTimer`.
///
/// @param[in] hDevice device whose clock is read
/// @param[out] pDeviceTimestamp [optional] receives the device clock in nanoseconds, on the event-profiling time
///     base; null if not wanted
/// @param[out] pHostTimestamp [optional] receives the host clock in nanoseconds; null if not wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urDeviceGetGlobalTimestamps(ur_device_handle_t hDevice,
                                        uint64_t *pDeviceTimestamp,
                                        uint64_t *pHostTimestamp);

/// Blocks the calling thread until all queues of a device have finished their work.
///
/// CUDA analogue: cuCtxSynchronize.
///
/// @param[in] hDevice device to wait for
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_DEVICE`
UR_APIEXPORT
ur_result_t urDeviceWaitExp(ur_device_handle_t hDevice);

#if defined(UR_OXUR_LEGACY_API)
/// Sets a by-value kernel argument.
///
/// The bytes are copied before the call returns, so the source may be reused at once. A bad index gives
/// UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, a size that differs from the parameter's
/// UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE. OpenCL analogue: clSetKernelArg.
///
/// @deprecated The last release with this function is 2026.1.
///
/// @param[in] hKernel kernel whose argument is set
/// @param[in] argIndex zero-based position of the argument
/// @param[in] argSize size of the value in bytes
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[in] pArgValue address of argSize bytes to copy
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX`, `UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE`
UR_APIEXPORT
ur_result_t urKernelSetArgValue(ur_kernel_handle_t hKernel,
                                uint32_t argIndex,
                                size_t argSize,
                                const ur_kernel_arg_value_properties_t *pProperties,
                                const void *pArgValue);
#endif

#if defined(UR_OXUR_LEGACY_API)
/// Reserves local memory for a kernel argument that points to the work-group's local address space.
///
/// Each work-group of a launch gets its own uninitialized block. OpenCL analogue: clSetKernelArg with a null
/// value.
///
/// @deprecated The last release with this function is 2026.1.
///
/// @param[in] hKernel kernel whose argument is set
/// @param[in] argIndex zero-based position of the argument
/// @param[in] argSize bytes of local memory to reserve per work-group
/// @param[in] pProperties [optional] further wishes; null for the defaults
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`,
///     `UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX`, `UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE`
UR_APIEXPORT
ur_result_t urKernelSetArgLocal(ur_kernel_handle_t hKernel,
                                uint32_t argIndex,
                                size_t argSize,
                                const ur_kernel_arg_local_properties_t *pProperties);
#endif

#if defined(UR_OXUR_LEGACY_API)
/// Sets a kernel argument to a USM or mapped virtual memory address.
///
/// The allocation must stay alive until launches that use it are complete. OpenCL analogue:
/// clSetKernelArgSVMPointer or clSetKernelArgMemPointerINTEL.
///
/// @deprecated The last release with this function is 2026.1.
///
/// @param[in] hKernel kernel whose argument is set
/// @param[in] argIndex zero-based position of the argument
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[in] pArgValue [optional] the device-visible address itself, not the address of a variable; null passes
///     a null pointer
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`,
///     `UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX`
UR_APIEXPORT
ur_result_t urKernelSetArgPointer(ur_kernel_handle_t hKernel,
                                  uint32_t argIndex,
                                  const ur_kernel_arg_pointer_properties_t *pProperties,
                                  const void *pArgValue);
#endif

#if defined(UR_OXUR_LEGACY_API)
/// Binds a sampler to a kernel argument.
///
/// OpenCL analogue: clSetKernelArg with a cl_sampler.
///
/// @deprecated The last release with this function is 2026.1.
///
/// @param[in] hKernel kernel whose argument is set
/// @param[in] argIndex zero-based position of the argument
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[in] hArgValue sampler to bind
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`,
///     `UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX`, `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urKernelSetArgSampler(ur_kernel_handle_t hKernel,
                                  uint32_t argIndex,
                                  const ur_kernel_arg_sampler_properties_t *pProperties,
                                  ur_sampler_handle_t hArgValue);
#endif

#if defined(UR_OXUR_LEGACY_API)
/// Binds a buffer or image to a kernel argument.
///
/// The access given in the properties lets the adapter skip needless data migration; without it read-write is
/// assumed. OpenCL analogue: clSetKernelArg with a cl_mem.
///
/// @deprecated The last release with this function is 2026.1.
///
/// @param[in] hKernel kernel whose argument is set
/// @param[in] argIndex zero-based position of the argument
/// @param[in] pProperties [optional] further wishes; null for the defaults
/// @param[in] hArgValue [optional] buffer or image to bind; null passes a null pointer
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_ENUMERATION`,
///     `UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX`
UR_APIEXPORT
ur_result_t urKernelSetArgMemObj(ur_kernel_handle_t hKernel,
                                 uint32_t argIndex,
                                 const ur_kernel_arg_mem_obj_properties_t *pProperties,
                                 ur_mem_handle_t hArgValue);
#endif

#if defined(UR_OXUR_LEGACY_API)
/// Enqueues one execution of a kernel over an N-dimensional range, with the arguments set so far.
///
/// Arguments may be changed for the next launch as soon as the call returns. Unset arguments give
/// UR_RESULT_ERROR_INVALID_KERNEL_ARGS, unusable group sizes UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE, a
/// workDim outside 1 to 3 or a zero global size UR_RESULT_ERROR_INVALID_WORK_DIMENSION. OpenCL analogue:
/// clEnqueueNDRangeKernel; Level Zero: zeCommandListAppendLaunchKernel.
///
/// @deprecated The last release with this function is 2026.1.
///
/// @param[in] hQueue queue the launch is submitted to
/// @param[in] hKernel kernel to run, with all arguments set
/// @param[in] workDim dimensions of the range, 1 to 3; length of the size arrays
/// @param[in] pGlobalWorkOffset [optional] array of workDim values: first global id per dimension; null means all
///     0
/// @param[in] pGlobalWorkSize array of workDim values: global range in work-items
/// @param[in] pLocalWorkSize [optional] array of workDim values: work-group size in work-items; null lets the
///     implementation choose
/// @param[in] launchPropList [optional] extra launch properties with their pNext chain; null for an ordinary
///     launch
/// @param[in] numEventsInWaitList length of `phEventWaitList`
/// @param[in] phEventWaitList [optional] events that must complete first; null if and only if
///     `numEventsInWaitList` is 0
/// @param[out] phEvent [optional] receives an event of this command, for the caller to release; null if not
///     wanted
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_HANDLE`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`,
///     `UR_RESULT_ERROR_INVALID_ENUMERATION`, `UR_RESULT_ERROR_INVALID_QUEUE`, `UR_RESULT_ERROR_INVALID_KERNEL`,
///     `UR_RESULT_ERROR_INVALID_EVENT`, `UR_RESULT_ERROR_INVALID_EVENT_WAIT_LIST`,
///     `UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS`, `UR_RESULT_ERROR_INVALID_WORK_DIMENSION`,
///     `UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE`, `UR_RESULT_ERROR_INVALID_VALUE`,
///     `UR_RESULT_ERROR_OUT_OF_HOST_MEMORY`, `UR_RESULT_ERROR_OUT_OF_RESOURCES`,
///     `UR_RESULT_ERROR_UNSUPPORTED_FEATURE`
UR_APIEXPORT
ur_result_t urEnqueueKernelLaunch(ur_queue_handle_t hQueue,
                                  ur_kernel_handle_t hKernel,
                                  uint32_t workDim,
                                  const size_t *pGlobalWorkOffset,
                                  const size_t *pGlobalWorkSize,
                                  const size_t *pLocalWorkSize,
                                  const ur_kernel_launch_ext_properties_t *launchPropList,
                                  uint32_t numEventsInWaitList,
                                  const ur_event_handle_t *phEventWaitList,
                                  ur_event_handle_t *phEvent);
#endif

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* UR_API_H_INCLUDED */
