// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of functions by which the loader calls adapters.
//
// Written by `cargo run -p oxur-headers` from the tables in api/. Edit those.

#ifndef UR_DDI_H_INCLUDED
#define UR_DDI_H_INCLUDED

#include "unified-runtime/ur_api.h"

/// Points to urAdapterGet.
typedef ur_result_t (*ur_pfnAdapterGet_t)(uint32_t NumEntries, ur_adapter_handle_t *phAdapters, uint32_t *pNumAdapters);

/// Points to urAdapterRelease.
typedef ur_result_t (*ur_pfnAdapterRelease_t)(ur_adapter_handle_t hAdapter);

/// Points to urAdapterRetain.
typedef ur_result_t (*ur_pfnAdapterRetain_t)(ur_adapter_handle_t hAdapter);

/// Points to urAdapterGetLastError.
typedef ur_result_t (*ur_pfnAdapterGetLastError_t)(ur_adapter_handle_t hAdapter, const char **ppMessage, int32_t *pError);

/// Points to urAdapterGetInfo.
typedef ur_result_t (*ur_pfnAdapterGetInfo_t)(ur_adapter_handle_t hAdapter,
                                              ur_adapter_info_t propName,
                                              size_t propSize,
                                              void *pPropValue,
                                              size_t *pPropSizeRet);

/// Points to urAdapterSetLoggerCallback.
typedef ur_result_t (*ur_pfnAdapterSetLoggerCallback_t)(ur_adapter_handle_t hAdapter,
                                                        ur_logger_callback_t pfnLoggerCallback,
                                                        void *pUserData,
                                                        ur_logger_level_t level);

/// Points to urAdapterSetLoggerCallbackLevel.
typedef ur_result_t (*ur_pfnAdapterSetLoggerCallbackLevel_t)(ur_adapter_handle_t hAdapter, ur_logger_level_t level);

/// What urGetAdapterProcAddrTable fills.
typedef struct ur_adapter_dditable_t {
    ur_pfnAdapterGet_t pfnGet;
    ur_pfnAdapterRelease_t pfnRelease;
    ur_pfnAdapterRetain_t pfnRetain;
    ur_pfnAdapterGetLastError_t pfnGetLastError;
    ur_pfnAdapterGetInfo_t pfnGetInfo;
    ur_pfnAdapterSetLoggerCallback_t pfnSetLoggerCallback;
    ur_pfnAdapterSetLoggerCallbackLevel_t pfnSetLoggerCallbackLevel;
} ur_adapter_dditable_t;

/// Points to urPlatformGet.
typedef ur_result_t (*ur_pfnPlatformGet_t)(ur_adapter_handle_t hAdapter,
                                           uint32_t NumEntries,
                                           ur_platform_handle_t *phPlatforms,
                                           uint32_t *pNumPlatforms);

/// Points to urPlatformGetInfo.
typedef ur_result_t (*ur_pfnPlatformGetInfo_t)(ur_platform_handle_t hPlatform,
                                               ur_platform_info_t propName,
                                               size_t propSize,
                                               void *pPropValue,
                                               size_t *pPropSizeRet);

/// Points to urPlatformGetNativeHandle.
typedef ur_result_t (*ur_pfnPlatformGetNativeHandle_t)(ur_platform_handle_t hPlatform,
                                                       ur_native_handle_t *phNativePlatform);

/// Points to urPlatformCreateWithNativeHandle.
typedef ur_result_t (*ur_pfnPlatformCreateWithNativeHandle_t)(ur_native_handle_t hNativePlatform,
                                                              ur_adapter_handle_t hAdapter,
                                                              const ur_platform_native_properties_t *pProperties,
                                                              ur_platform_handle_t *phPlatform);

/// Points to urPlatformGetApiVersion.
typedef ur_result_t (*ur_pfnPlatformGetApiVersion_t)(ur_platform_handle_t hPlatform, ur_api_version_t *pVersion);

/// Points to urPlatformGetBackendOption.
typedef ur_result_t (*ur_pfnPlatformGetBackendOption_t)(ur_platform_handle_t hPlatform,
                                                        const char *pFrontendOption,
                                                        const char **ppPlatformOption);

/// What urGetPlatformProcAddrTable fills.
typedef struct ur_platform_dditable_t {
    ur_pfnPlatformGet_t pfnGet;
    ur_pfnPlatformGetInfo_t pfnGetInfo;
    ur_pfnPlatformGetNativeHandle_t pfnGetNativeHandle;
    ur_pfnPlatformCreateWithNativeHandle_t pfnCreateWithNativeHandle;
    ur_pfnPlatformGetApiVersion_t pfnGetApiVersion;
    ur_pfnPlatformGetBackendOption_t pfnGetBackendOption;
} ur_platform_dditable_t;

/// Points to urContextCreate.
typedef ur_result_t (*ur_pfnContextCreate_t)(uint32_t DeviceCount,
                                             const ur_device_handle_t *phDevices,
                                             const ur_context_properties_t *pProperties,
                                             ur_context_handle_t *phContext);

/// Points to urContextRetain.
typedef ur_result_t (*ur_pfnContextRetain_t)(ur_context_handle_t hContext);

/// Points to urContextRelease.
typedef ur_result_t (*ur_pfnContextRelease_t)(ur_context_handle_t hContext);

/// Points to urContextGetInfo.
typedef ur_result_t (*ur_pfnContextGetInfo_t)(ur_context_handle_t hContext,
                                              ur_context_info_t propName,
                                              size_t propSize,
                                              void *pPropValue,
                                              size_t *pPropSizeRet);

/// Points to urContextGetNativeHandle.
typedef ur_result_t (*ur_pfnContextGetNativeHandle_t)(ur_context_handle_t hContext, ur_native_handle_t *phNativeContext);

/// Points to urContextCreateWithNativeHandle.
typedef ur_result_t (*ur_pfnContextCreateWithNativeHandle_t)(ur_native_handle_t hNativeContext,
                                                             ur_adapter_handle_t hAdapter,
                                                             uint32_t numDevices,
                                                             const ur_device_handle_t *phDevices,
                                                             const ur_context_native_properties_t *pProperties,
                                                             ur_context_handle_t *phContext);

/// Points to urContextSetExtendedDeleter.
typedef ur_result_t (*ur_pfnContextSetExtendedDeleter_t)(ur_context_handle_t hContext,
                                                         ur_context_extended_deleter_t pfnDeleter,
                                                         void *pUserData);

/// What urGetContextProcAddrTable fills.
typedef struct ur_context_dditable_t {
    ur_pfnContextCreate_t pfnCreate;
    ur_pfnContextRetain_t pfnRetain;
    ur_pfnContextRelease_t pfnRelease;
    ur_pfnContextGetInfo_t pfnGetInfo;
    ur_pfnContextGetNativeHandle_t pfnGetNativeHandle;
    ur_pfnContextCreateWithNativeHandle_t pfnCreateWithNativeHandle;
    ur_pfnContextSetExtendedDeleter_t pfnSetExtendedDeleter;
} ur_context_dditable_t;

/// Points to urEventGetInfo.
typedef ur_result_t (*ur_pfnEventGetInfo_t)(ur_event_handle_t hEvent,
                                            ur_event_info_t propName,
                                            size_t propSize,
                                            void *pPropValue,
                                            size_t *pPropSizeRet);

/// Points to urEventGetProfilingInfo.
typedef ur_result_t (*ur_pfnEventGetProfilingInfo_t)(ur_event_handle_t hEvent,
                                                     ur_profiling_info_t propName,
                                                     size_t propSize,
                                                     void *pPropValue,
                                                     size_t *pPropSizeRet);

/// Points to urEventWait.
typedef ur_result_t (*ur_pfnEventWait_t)(uint32_t numEvents, const ur_event_handle_t *phEventWaitList);

/// Points to urEventRetain.
typedef ur_result_t (*ur_pfnEventRetain_t)(ur_event_handle_t hEvent);

/// Points to urEventRelease.
typedef ur_result_t (*ur_pfnEventRelease_t)(ur_event_handle_t hEvent);

/// Points to urEventGetNativeHandle.
typedef ur_result_t (*ur_pfnEventGetNativeHandle_t)(ur_event_handle_t hEvent, ur_native_handle_t *phNativeEvent);

/// Points to urEventCreateWithNativeHandle.
typedef ur_result_t (*ur_pfnEventCreateWithNativeHandle_t)(ur_native_handle_t hNativeEvent,
                                                           ur_context_handle_t hContext,
                                                           const ur_event_native_properties_t *pProperties,
                                                           ur_event_handle_t *phEvent);

/// Points to urEventSetCallback.
typedef ur_result_t (*ur_pfnEventSetCallback_t)(ur_event_handle_t hEvent,
                                                ur_execution_info_t execStatus,
                                                ur_event_callback_t pfnNotify,
                                                void *pUserData);

/// What urGetEventProcAddrTable fills.
typedef struct ur_event_dditable_t {
    ur_pfnEventGetInfo_t pfnGetInfo;
    ur_pfnEventGetProfilingInfo_t pfnGetProfilingInfo;
    ur_pfnEventWait_t pfnWait;
    ur_pfnEventRetain_t pfnRetain;
    ur_pfnEventRelease_t pfnRelease;
    ur_pfnEventGetNativeHandle_t pfnGetNativeHandle;
    ur_pfnEventCreateWithNativeHandle_t pfnCreateWithNativeHandle;
    ur_pfnEventSetCallback_t pfnSetCallback;
} ur_event_dditable_t;

/// Points to urEventCreateExp.
typedef ur_result_t (*ur_pfnEventCreateExp_t)(ur_context_handle_t hContext,
                                              ur_device_handle_t hDevice,
                                              const ur_exp_event_desc_t *pEventDesc,
                                              ur_event_handle_t *phEvent);

/// What urGetEventExpProcAddrTable fills.
typedef struct ur_event_exp_dditable_t {
    ur_pfnEventCreateExp_t pfnCreateExp;
} ur_event_exp_dditable_t;

/// Points to urProgramCreateWithIL.
typedef ur_result_t (*ur_pfnProgramCreateWithIL_t)(ur_context_handle_t hContext,
                                                   const void *pIL,
                                                   size_t length,
                                                   const ur_program_properties_t *pProperties,
                                                   ur_program_handle_t *phProgram);

/// Points to urProgramCreateWithBinary.
typedef ur_result_t (*ur_pfnProgramCreateWithBinary_t)(ur_context_handle_t hContext,
                                                       uint32_t numDevices,
                                                       ur_device_handle_t *phDevices,
                                                       size_t *pLengths,
                                                       const uint8_t **ppBinaries,
                                                       const ur_program_properties_t *pProperties,
                                                       ur_program_handle_t *phProgram);

/// Points to urProgramBuild.
typedef ur_result_t (*ur_pfnProgramBuild_t)(ur_context_handle_t hContext,
                                            ur_program_handle_t hProgram,
                                            const char *pOptions);

/// Points to urProgramCompile.
typedef ur_result_t (*ur_pfnProgramCompile_t)(ur_context_handle_t hContext,
                                              ur_program_handle_t hProgram,
                                              const char *pOptions);

/// Points to urProgramLink.
typedef ur_result_t (*ur_pfnProgramLink_t)(ur_context_handle_t hContext,
                                           uint32_t count,
                                           const ur_program_handle_t *phPrograms,
                                           const char *pOptions,
                                           ur_program_handle_t *phProgram);

/// Points to urProgramRetain.
typedef ur_result_t (*ur_pfnProgramRetain_t)(ur_program_handle_t hProgram);

/// Points to urProgramRelease.
typedef ur_result_t (*ur_pfnProgramRelease_t)(ur_program_handle_t hProgram);

/// Points to urProgramGetFunctionPointer.
typedef ur_result_t (*ur_pfnProgramGetFunctionPointer_t)(ur_device_handle_t hDevice,
                                                         ur_program_handle_t hProgram,
                                                         const char *pFunctionName,
                                                         void **ppFunctionPointer);

/// Points to urProgramGetGlobalVariablePointer.
typedef ur_result_t (*ur_pfnProgramGetGlobalVariablePointer_t)(ur_device_handle_t hDevice,
                                                               ur_program_handle_t hProgram,
                                                               const char *pGlobalVariableName,
                                                               size_t *pGlobalVariableSizeRet,
                                                               void **ppGlobalVariablePointerRet);

/// Points to urProgramGetInfo.
typedef ur_result_t (*ur_pfnProgramGetInfo_t)(ur_program_handle_t hProgram,
                                              ur_program_info_t propName,
                                              size_t propSize,
                                              void *pPropValue,
                                              size_t *pPropSizeRet);

/// Points to urProgramGetBuildInfo.
typedef ur_result_t (*ur_pfnProgramGetBuildInfo_t)(ur_program_handle_t hProgram,
                                                   ur_device_handle_t hDevice,
                                                   ur_program_build_info_t propName,
                                                   size_t propSize,
                                                   void *pPropValue,
                                                   size_t *pPropSizeRet);

/// Points to urProgramSetSpecializationConstants.
typedef ur_result_t (*ur_pfnProgramSetSpecializationConstants_t)(ur_program_handle_t hProgram,
                                                                 uint32_t count,
                                                                 const ur_specialization_constant_info_t *pSpecConstants);

/// Points to urProgramGetNativeHandle.
typedef ur_result_t (*ur_pfnProgramGetNativeHandle_t)(ur_program_handle_t hProgram, ur_native_handle_t *phNativeProgram);

/// Points to urProgramCreateWithNativeHandle.
typedef ur_result_t (*ur_pfnProgramCreateWithNativeHandle_t)(ur_native_handle_t hNativeProgram,
                                                             ur_context_handle_t hContext,
                                                             const ur_program_native_properties_t *pProperties,
                                                             ur_program_handle_t *phProgram);

/// What urGetProgramProcAddrTable fills.
typedef struct ur_program_dditable_t {
    ur_pfnProgramCreateWithIL_t pfnCreateWithIL;
    ur_pfnProgramCreateWithBinary_t pfnCreateWithBinary;
    ur_pfnProgramBuild_t pfnBuild;
    ur_pfnProgramCompile_t pfnCompile;
    ur_pfnProgramLink_t pfnLink;
    ur_pfnProgramRetain_t pfnRetain;
    ur_pfnProgramRelease_t pfnRelease;
    ur_pfnProgramGetFunctionPointer_t pfnGetFunctionPointer;
    ur_pfnProgramGetGlobalVariablePointer_t pfnGetGlobalVariablePointer;
    ur_pfnProgramGetInfo_t pfnGetInfo;
    ur_pfnProgramGetBuildInfo_t pfnGetBuildInfo;
    ur_pfnProgramSetSpecializationConstants_t pfnSetSpecializationConstants;
    ur_pfnProgramGetNativeHandle_t pfnGetNativeHandle;
    ur_pfnProgramCreateWithNativeHandle_t pfnCreateWithNativeHandle;
} ur_program_dditable_t;

/// Points to urProgramDynamicLinkExp.
typedef ur_result_t (*ur_pfnProgramDynamicLinkExp_t)(ur_context_handle_t hContext,
                                                     uint32_t count,
                                                     const ur_program_handle_t *phPrograms);

/// Points to urProgramBuildExp.
typedef ur_result_t (*ur_pfnProgramBuildExp_t)(ur_program_handle_t hProgram,
                                               uint32_t numDevices,
                                               ur_device_handle_t *phDevices,
                                               ur_exp_program_flags_t flags,
                                               const char *pOptions);

/// Points to urProgramCompileExp.
typedef ur_result_t (*ur_pfnProgramCompileExp_t)(ur_program_handle_t hProgram,
                                                 uint32_t numDevices,
                                                 ur_device_handle_t *phDevices,
                                                 ur_exp_program_flags_t flags,
                                                 const char *pOptions);

/// Points to urProgramLinkExp.
typedef ur_result_t (*ur_pfnProgramLinkExp_t)(ur_context_handle_t hContext,
                                              uint32_t numDevices,
                                              ur_device_handle_t *phDevices,
                                              ur_exp_program_flags_t flags,
                                              uint32_t count,
                                              const ur_program_handle_t *phPrograms,
                                              const char *pOptions,
                                              ur_program_handle_t *phProgram);

/// What urGetProgramExpProcAddrTable fills.
typedef struct ur_program_exp_dditable_t {
    ur_pfnProgramDynamicLinkExp_t pfnDynamicLinkExp;
    ur_pfnProgramBuildExp_t pfnBuildExp;
    ur_pfnProgramCompileExp_t pfnCompileExp;
    ur_pfnProgramLinkExp_t pfnLinkExp;
} ur_program_exp_dditable_t;

/// Points to urKernelCreate.
typedef ur_result_t (*ur_pfnKernelCreate_t)(ur_program_handle_t hProgram,
                                            const char *pKernelName,
                                            ur_kernel_handle_t *phKernel);

/// Points to urKernelGetInfo.
typedef ur_result_t (*ur_pfnKernelGetInfo_t)(ur_kernel_handle_t hKernel,
                                             ur_kernel_info_t propName,
                                             size_t propSize,
                                             void *pPropValue,
                                             size_t *pPropSizeRet);

/// Points to urKernelGetGroupInfo.
typedef ur_result_t (*ur_pfnKernelGetGroupInfo_t)(ur_kernel_handle_t hKernel,
                                                  ur_device_handle_t hDevice,
                                                  ur_kernel_group_info_t propName,
                                                  size_t propSize,
                                                  void *pPropValue,
                                                  size_t *pPropSizeRet);

/// Points to urKernelGetSubGroupInfo.
typedef ur_result_t (*ur_pfnKernelGetSubGroupInfo_t)(ur_kernel_handle_t hKernel,
                                                     ur_device_handle_t hDevice,
                                                     ur_kernel_sub_group_info_t propName,
                                                     size_t propSize,
                                                     void *pPropValue,
                                                     size_t *pPropSizeRet);

/// Points to urKernelRetain.
typedef ur_result_t (*ur_pfnKernelRetain_t)(ur_kernel_handle_t hKernel);

/// Points to urKernelRelease.
typedef ur_result_t (*ur_pfnKernelRelease_t)(ur_kernel_handle_t hKernel);

/// Points to urKernelGetNativeHandle.
typedef ur_result_t (*ur_pfnKernelGetNativeHandle_t)(ur_kernel_handle_t hKernel, ur_native_handle_t *phNativeKernel);

/// Points to urKernelCreateWithNativeHandle.
typedef ur_result_t (*ur_pfnKernelCreateWithNativeHandle_t)(ur_native_handle_t hNativeKernel,
                                                            ur_context_handle_t hContext,
                                                            ur_program_handle_t hProgram,
                                                            const ur_kernel_native_properties_t *pProperties,
                                                            ur_kernel_handle_t *phKernel);

/// Points to urKernelGetSuggestedLocalWorkSize.
typedef ur_result_t (*ur_pfnKernelGetSuggestedLocalWorkSize_t)(ur_kernel_handle_t hKernel,
                                                               ur_queue_handle_t hQueue,
                                                               uint32_t numWorkDim,
                                                               const size_t *pGlobalWorkOffset,
                                                               const size_t *pGlobalWorkSize,
                                                               size_t *pSuggestedLocalWorkSize);

/// Points to urKernelGetSuggestedLocalWorkSizeWithArgs.
typedef ur_result_t (*ur_pfnKernelGetSuggestedLocalWorkSizeWithArgs_t)(ur_kernel_handle_t hKernel,
                                                                       ur_queue_handle_t hQueue,
                                                                       uint32_t numWorkDim,
                                                                       const size_t *pGlobalWorkOffset,
                                                                       const size_t *pGlobalWorkSize,
                                                                       uint32_t numArgs,
                                                                       const ur_exp_kernel_arg_properties_t *pArgs,
                                                                       size_t *pSuggestedLocalWorkSize);

/// Points to urKernelSetExecInfo.
typedef ur_result_t (*ur_pfnKernelSetExecInfo_t)(ur_kernel_handle_t hKernel,
                                                 ur_kernel_exec_info_t propName,
                                                 size_t propSize,
                                                 const ur_kernel_exec_info_properties_t *pProperties,
                                                 const void *pPropValue);

/// Points to urKernelSetSpecializationConstants.
typedef ur_result_t (*ur_pfnKernelSetSpecializationConstants_t)(ur_kernel_handle_t hKernel,
                                                                uint32_t count,
                                                                const ur_specialization_constant_info_t *pSpecConstants);

/// Points to urKernelSuggestMaxCooperativeGroupCount.
typedef ur_result_t (*ur_pfnKernelSuggestMaxCooperativeGroupCount_t)(ur_kernel_handle_t hKernel,
                                                                     ur_device_handle_t hDevice,
                                                                     uint32_t workDim,
                                                                     const size_t *pLocalWorkSize,
                                                                     size_t dynamicSharedMemorySize,
                                                                     uint32_t *pGroupCountRet);

/// What urGetKernelProcAddrTable fills.
typedef struct ur_kernel_dditable_t {
    ur_pfnKernelCreate_t pfnCreate;
    ur_pfnKernelGetInfo_t pfnGetInfo;
    ur_pfnKernelGetGroupInfo_t pfnGetGroupInfo;
    ur_pfnKernelGetSubGroupInfo_t pfnGetSubGroupInfo;
    ur_pfnKernelRetain_t pfnRetain;
    ur_pfnKernelRelease_t pfnRelease;
    ur_pfnKernelGetNativeHandle_t pfnGetNativeHandle;
    ur_pfnKernelCreateWithNativeHandle_t pfnCreateWithNativeHandle;
    ur_pfnKernelGetSuggestedLocalWorkSize_t pfnGetSuggestedLocalWorkSize;
    ur_pfnKernelGetSuggestedLocalWorkSizeWithArgs_t pfnGetSuggestedLocalWorkSizeWithArgs;
    ur_pfnKernelSetExecInfo_t pfnSetExecInfo;
    ur_pfnKernelSetSpecializationConstants_t pfnSetSpecializationConstants;
    ur_pfnKernelSuggestMaxCooperativeGroupCount_t pfnSuggestMaxCooperativeGroupCount;
} ur_kernel_dditable_t;

/// Points to urQueueGetInfo.
typedef ur_result_t (*ur_pfnQueueGetInfo_t)(ur_queue_handle_t hQueue,
                                            ur_queue_info_t propName,
                                            size_t propSize,
                                            void *pPropValue,
                                            size_t *pPropSizeRet);

/// Points to urQueueCreate.
typedef ur_result_t (*ur_pfnQueueCreate_t)(ur_context_handle_t hContext,
                                           ur_device_handle_t hDevice,
                                           const ur_queue_properties_t *pProperties,
                                           ur_queue_handle_t *phQueue);

/// Points to urQueueRetain.
typedef ur_result_t (*ur_pfnQueueRetain_t)(ur_queue_handle_t hQueue);

/// Points to urQueueRelease.
typedef ur_result_t (*ur_pfnQueueRelease_t)(ur_queue_handle_t hQueue);

/// Points to urQueueGetNativeHandle.
typedef ur_result_t (*ur_pfnQueueGetNativeHandle_t)(ur_queue_handle_t hQueue,
                                                    ur_queue_native_desc_t *pDesc,
                                                    ur_native_handle_t *phNativeQueue);

/// Points to urQueueCreateWithNativeHandle.
typedef ur_result_t (*ur_pfnQueueCreateWithNativeHandle_t)(ur_native_handle_t hNativeQueue,
                                                           ur_context_handle_t hContext,
                                                           ur_device_handle_t hDevice,
                                                           const ur_queue_native_properties_t *pProperties,
                                                           ur_queue_handle_t *phQueue);

/// Points to urQueueFinish.
typedef ur_result_t (*ur_pfnQueueFinish_t)(ur_queue_handle_t hQueue);

/// Points to urQueueFlush.
typedef ur_result_t (*ur_pfnQueueFlush_t)(ur_queue_handle_t hQueue);

/// What urGetQueueProcAddrTable fills.
typedef struct ur_queue_dditable_t {
    ur_pfnQueueGetInfo_t pfnGetInfo;
    ur_pfnQueueCreate_t pfnCreate;
    ur_pfnQueueRetain_t pfnRetain;
    ur_pfnQueueRelease_t pfnRelease;
    ur_pfnQueueGetNativeHandle_t pfnGetNativeHandle;
    ur_pfnQueueCreateWithNativeHandle_t pfnCreateWithNativeHandle;
    ur_pfnQueueFinish_t pfnFinish;
    ur_pfnQueueFlush_t pfnFlush;
} ur_queue_dditable_t;

/// Points to urQueueBeginGraphCaptureExp.
typedef ur_result_t (*ur_pfnQueueBeginGraphCaptureExp_t)(ur_queue_handle_t hQueue);

/// Points to urQueueBeginCaptureIntoGraphExp.
typedef ur_result_t (*ur_pfnQueueBeginCaptureIntoGraphExp_t)(ur_queue_handle_t hQueue, ur_exp_graph_handle_t hGraph);

/// Points to urQueueEndGraphCaptureExp.
typedef ur_result_t (*ur_pfnQueueEndGraphCaptureExp_t)(ur_queue_handle_t hQueue, ur_exp_graph_handle_t *phGraph);

/// Points to urQueueIsGraphCaptureEnabledExp.
typedef ur_result_t (*ur_pfnQueueIsGraphCaptureEnabledExp_t)(ur_queue_handle_t hQueue, bool *pResult);

/// Points to urQueueGetGraphExp.
typedef ur_result_t (*ur_pfnQueueGetGraphExp_t)(ur_queue_handle_t hQueue, ur_exp_graph_handle_t *phGraph);

/// What urGetQueueExpProcAddrTable fills.
typedef struct ur_queue_exp_dditable_t {
    ur_pfnQueueBeginGraphCaptureExp_t pfnBeginGraphCaptureExp;
    ur_pfnQueueBeginCaptureIntoGraphExp_t pfnBeginCaptureIntoGraphExp;
    ur_pfnQueueEndGraphCaptureExp_t pfnEndGraphCaptureExp;
    ur_pfnQueueIsGraphCaptureEnabledExp_t pfnIsGraphCaptureEnabledExp;
    ur_pfnQueueGetGraphExp_t pfnGetGraphExp;
} ur_queue_exp_dditable_t;

/// Points to urSamplerCreate.
typedef ur_result_t (*ur_pfnSamplerCreate_t)(ur_context_handle_t hContext,
                                             const ur_sampler_desc_t *pDesc,
                                             ur_sampler_handle_t *phSampler);

/// Points to urSamplerRetain.
typedef ur_result_t (*ur_pfnSamplerRetain_t)(ur_sampler_handle_t hSampler);

/// Points to urSamplerRelease.
typedef ur_result_t (*ur_pfnSamplerRelease_t)(ur_sampler_handle_t hSampler);

/// Points to urSamplerGetInfo.
typedef ur_result_t (*ur_pfnSamplerGetInfo_t)(ur_sampler_handle_t hSampler,
                                              ur_sampler_info_t propName,
                                              size_t propSize,
                                              void *pPropValue,
                                              size_t *pPropSizeRet);

/// Points to urSamplerGetNativeHandle.
typedef ur_result_t (*ur_pfnSamplerGetNativeHandle_t)(ur_sampler_handle_t hSampler, ur_native_handle_t *phNativeSampler);

/// Points to urSamplerCreateWithNativeHandle.
typedef ur_result_t (*ur_pfnSamplerCreateWithNativeHandle_t)(ur_native_handle_t hNativeSampler,
                                                             ur_context_handle_t hContext,
                                                             const ur_sampler_native_properties_t *pProperties,
                                                             ur_sampler_handle_t *phSampler);

/// What urGetSamplerProcAddrTable fills.
typedef struct ur_sampler_dditable_t {
    ur_pfnSamplerCreate_t pfnCreate;
    ur_pfnSamplerRetain_t pfnRetain;
    ur_pfnSamplerRelease_t pfnRelease;
    ur_pfnSamplerGetInfo_t pfnGetInfo;
    ur_pfnSamplerGetNativeHandle_t pfnGetNativeHandle;
    ur_pfnSamplerCreateWithNativeHandle_t pfnCreateWithNativeHandle;
} ur_sampler_dditable_t;

/// Points to urMemImageCreate.
typedef ur_result_t (*ur_pfnMemImageCreate_t)(ur_context_handle_t hContext,
                                              ur_mem_flags_t flags,
                                              const ur_image_format_t *pImageFormat,
                                              const ur_image_desc_t *pImageDesc,
                                              void *pHost,
                                              ur_mem_handle_t *phMem);

/// Points to urMemBufferCreate.
typedef ur_result_t (*ur_pfnMemBufferCreate_t)(ur_context_handle_t hContext,
                                               ur_mem_flags_t flags,
                                               size_t size,
                                               const ur_buffer_properties_t *pProperties,
                                               ur_mem_handle_t *phBuffer);

/// Points to urMemRetain.
typedef ur_result_t (*ur_pfnMemRetain_t)(ur_mem_handle_t hMem);

/// Points to urMemRelease.
typedef ur_result_t (*ur_pfnMemRelease_t)(ur_mem_handle_t hMem);

/// Points to urMemBufferPartition.
typedef ur_result_t (*ur_pfnMemBufferPartition_t)(ur_mem_handle_t hBuffer,
                                                  ur_mem_flags_t flags,
                                                  ur_buffer_create_type_t bufferCreateType,
                                                  const ur_buffer_region_t *pRegion,
                                                  ur_mem_handle_t *phMem);

/// Points to urMemGetNativeHandle.
typedef ur_result_t (*ur_pfnMemGetNativeHandle_t)(ur_mem_handle_t hMem,
                                                  ur_device_handle_t hDevice,
                                                  ur_native_handle_t *phNativeMem);

/// Points to urMemBufferCreateWithNativeHandle.
typedef ur_result_t (*ur_pfnMemBufferCreateWithNativeHandle_t)(ur_native_handle_t hNativeMem,
                                                               ur_context_handle_t hContext,
                                                               const ur_mem_native_properties_t *pProperties,
                                                               ur_mem_handle_t *phMem);

/// Points to urMemImageCreateWithNativeHandle.
typedef ur_result_t (*ur_pfnMemImageCreateWithNativeHandle_t)(ur_native_handle_t hNativeMem,
                                                              ur_context_handle_t hContext,
                                                              const ur_image_format_t *pImageFormat,
                                                              const ur_image_desc_t *pImageDesc,
                                                              const ur_mem_native_properties_t *pProperties,
                                                              ur_mem_handle_t *phMem);

/// Points to urMemGetInfo.
typedef ur_result_t (*ur_pfnMemGetInfo_t)(ur_mem_handle_t hMemory,
                                          ur_mem_info_t propName,
                                          size_t propSize,
                                          void *pPropValue,
                                          size_t *pPropSizeRet);

/// Points to urMemImageGetInfo.
typedef ur_result_t (*ur_pfnMemImageGetInfo_t)(ur_mem_handle_t hMemory,
                                               ur_image_info_t propName,
                                               size_t propSize,
                                               void *pPropValue,
                                               size_t *pPropSizeRet);

/// What urGetMemProcAddrTable fills.
typedef struct ur_mem_dditable_t {
    ur_pfnMemImageCreate_t pfnImageCreate;
    ur_pfnMemBufferCreate_t pfnBufferCreate;
    ur_pfnMemRetain_t pfnRetain;
    ur_pfnMemRelease_t pfnRelease;
    ur_pfnMemBufferPartition_t pfnBufferPartition;
    ur_pfnMemGetNativeHandle_t pfnGetNativeHandle;
    ur_pfnMemBufferCreateWithNativeHandle_t pfnBufferCreateWithNativeHandle;
    ur_pfnMemImageCreateWithNativeHandle_t pfnImageCreateWithNativeHandle;
    ur_pfnMemGetInfo_t pfnGetInfo;
    ur_pfnMemImageGetInfo_t pfnImageGetInfo;
} ur_mem_dditable_t;

/// Points to urPhysicalMemCreate.
typedef ur_result_t (*ur_pfnPhysicalMemCreate_t)(ur_context_handle_t hContext,
                                                 ur_device_handle_t hDevice,
                                                 size_t size,
                                                 const ur_physical_mem_properties_t *pProperties,
                                                 ur_physical_mem_handle_t *phPhysicalMem);

/// Points to urPhysicalMemRetain.
typedef ur_result_t (*ur_pfnPhysicalMemRetain_t)(ur_physical_mem_handle_t hPhysicalMem);

/// Points to urPhysicalMemRelease.
typedef ur_result_t (*ur_pfnPhysicalMemRelease_t)(ur_physical_mem_handle_t hPhysicalMem);

/// Points to urPhysicalMemGetInfo.
typedef ur_result_t (*ur_pfnPhysicalMemGetInfo_t)(ur_physical_mem_handle_t hPhysicalMem,
                                                  ur_physical_mem_info_t propName,
                                                  size_t propSize,
                                                  void *pPropValue,
                                                  size_t *pPropSizeRet);

/// What urGetPhysicalMemProcAddrTable fills.
typedef struct ur_physical_mem_dditable_t {
    ur_pfnPhysicalMemCreate_t pfnCreate;
    ur_pfnPhysicalMemRetain_t pfnRetain;
    ur_pfnPhysicalMemRelease_t pfnRelease;
    ur_pfnPhysicalMemGetInfo_t pfnGetInfo;
} ur_physical_mem_dditable_t;

/// Points to urEnqueueEventsWait.
typedef ur_result_t (*ur_pfnEnqueueEventsWait_t)(ur_queue_handle_t hQueue,
                                                 uint32_t numEventsInWaitList,
                                                 const ur_event_handle_t *phEventWaitList,
                                                 ur_event_handle_t *phEvent);

/// Points to urEnqueueEventsWaitWithBarrier.
typedef ur_result_t (*ur_pfnEnqueueEventsWaitWithBarrier_t)(ur_queue_handle_t hQueue,
                                                            uint32_t numEventsInWaitList,
                                                            const ur_event_handle_t *phEventWaitList,
                                                            ur_event_handle_t *phEvent);

/// Points to urEnqueueMemBufferRead.
typedef ur_result_t (*ur_pfnEnqueueMemBufferRead_t)(ur_queue_handle_t hQueue,
                                                    ur_mem_handle_t hBuffer,
                                                    bool blockingRead,
                                                    size_t offset,
                                                    size_t size,
                                                    void *pDst,
                                                    uint32_t numEventsInWaitList,
                                                    const ur_event_handle_t *phEventWaitList,
                                                    ur_event_handle_t *phEvent);

/// Points to urEnqueueMemBufferWrite.
typedef ur_result_t (*ur_pfnEnqueueMemBufferWrite_t)(ur_queue_handle_t hQueue,
                                                     ur_mem_handle_t hBuffer,
                                                     bool blockingWrite,
                                                     size_t offset,
                                                     size_t size,
                                                     const void *pSrc,
                                                     uint32_t numEventsInWaitList,
                                                     const ur_event_handle_t *phEventWaitList,
                                                     ur_event_handle_t *phEvent);

/// Points to urEnqueueMemBufferReadRect.
typedef ur_result_t (*ur_pfnEnqueueMemBufferReadRect_t)(ur_queue_handle_t hQueue,
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

/// Points to urEnqueueMemBufferWriteRect.
typedef ur_result_t (*ur_pfnEnqueueMemBufferWriteRect_t)(ur_queue_handle_t hQueue,
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

/// Points to urEnqueueMemBufferCopy.
typedef ur_result_t (*ur_pfnEnqueueMemBufferCopy_t)(ur_queue_handle_t hQueue,
                                                    ur_mem_handle_t hBufferSrc,
                                                    ur_mem_handle_t hBufferDst,
                                                    size_t srcOffset,
                                                    size_t dstOffset,
                                                    size_t size,
                                                    uint32_t numEventsInWaitList,
                                                    const ur_event_handle_t *phEventWaitList,
                                                    ur_event_handle_t *phEvent);

/// Points to urEnqueueMemBufferCopyRect.
typedef ur_result_t (*ur_pfnEnqueueMemBufferCopyRect_t)(ur_queue_handle_t hQueue,
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

/// Points to urEnqueueMemBufferFill.
typedef ur_result_t (*ur_pfnEnqueueMemBufferFill_t)(ur_queue_handle_t hQueue,
                                                    ur_mem_handle_t hBuffer,
                                                    const void *pPattern,
                                                    size_t patternSize,
                                                    size_t offset,
                                                    size_t size,
                                                    uint32_t numEventsInWaitList,
                                                    const ur_event_handle_t *phEventWaitList,
                                                    ur_event_handle_t *phEvent);

/// Points to urEnqueueMemImageRead.
typedef ur_result_t (*ur_pfnEnqueueMemImageRead_t)(ur_queue_handle_t hQueue,
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

/// Points to urEnqueueMemImageWrite.
typedef ur_result_t (*ur_pfnEnqueueMemImageWrite_t)(ur_queue_handle_t hQueue,
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

/// Points to urEnqueueMemImageCopy.
typedef ur_result_t (*ur_pfnEnqueueMemImageCopy_t)(ur_queue_handle_t hQueue,
                                                   ur_mem_handle_t hImageSrc,
                                                   ur_mem_handle_t hImageDst,
                                                   ur_rect_offset_t srcOrigin,
                                                   ur_rect_offset_t dstOrigin,
                                                   ur_rect_region_t region,
                                                   uint32_t numEventsInWaitList,
                                                   const ur_event_handle_t *phEventWaitList,
                                                   ur_event_handle_t *phEvent);

/// Points to urEnqueueMemBufferMap.
typedef ur_result_t (*ur_pfnEnqueueMemBufferMap_t)(ur_queue_handle_t hQueue,
                                                   ur_mem_handle_t hBuffer,
                                                   bool blockingMap,
                                                   ur_map_flags_t mapFlags,
                                                   size_t offset,
                                                   size_t size,
                                                   uint32_t numEventsInWaitList,
                                                   const ur_event_handle_t *phEventWaitList,
                                                   ur_event_handle_t *phEvent,
                                                   void **ppRetMap);

/// Points to urEnqueueMemUnmap.
typedef ur_result_t (*ur_pfnEnqueueMemUnmap_t)(ur_queue_handle_t hQueue,
                                               ur_mem_handle_t hMem,
                                               void *pMappedPtr,
                                               uint32_t numEventsInWaitList,
                                               const ur_event_handle_t *phEventWaitList,
                                               ur_event_handle_t *phEvent);

/// Points to urEnqueueUSMFill.
typedef ur_result_t (*ur_pfnEnqueueUSMFill_t)(ur_queue_handle_t hQueue,
                                              void *pMem,
                                              size_t patternSize,
                                              const void *pPattern,
                                              size_t size,
                                              uint32_t numEventsInWaitList,
                                              const ur_event_handle_t *phEventWaitList,
                                              ur_event_handle_t *phEvent);

/// Points to urEnqueueUSMMemcpy.
typedef ur_result_t (*ur_pfnEnqueueUSMMemcpy_t)(ur_queue_handle_t hQueue,
                                                bool blocking,
                                                void *pDst,
                                                const void *pSrc,
                                                size_t size,
                                                uint32_t numEventsInWaitList,
                                                const ur_event_handle_t *phEventWaitList,
                                                ur_event_handle_t *phEvent);

/// Points to urEnqueueUSMPrefetch.
typedef ur_result_t (*ur_pfnEnqueueUSMPrefetch_t)(ur_queue_handle_t hQueue,
                                                  const void *pMem,
                                                  size_t size,
                                                  ur_usm_migration_flags_t flags,
                                                  uint32_t numEventsInWaitList,
                                                  const ur_event_handle_t *phEventWaitList,
                                                  ur_event_handle_t *phEvent);

/// Points to urEnqueueUSMAdvise.
typedef ur_result_t (*ur_pfnEnqueueUSMAdvise_t)(ur_queue_handle_t hQueue,
                                                const void *pMem,
                                                size_t size,
                                                ur_usm_advice_flags_t advice,
                                                ur_event_handle_t *phEvent);

/// Points to urEnqueueUSMFill2D.
typedef ur_result_t (*ur_pfnEnqueueUSMFill2D_t)(ur_queue_handle_t hQueue,
                                                void *pMem,
                                                size_t pitch,
                                                size_t patternSize,
                                                const void *pPattern,
                                                size_t width,
                                                size_t height,
                                                uint32_t numEventsInWaitList,
                                                const ur_event_handle_t *phEventWaitList,
                                                ur_event_handle_t *phEvent);

/// Points to urEnqueueUSMMemcpy2D.
typedef ur_result_t (*ur_pfnEnqueueUSMMemcpy2D_t)(ur_queue_handle_t hQueue,
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

/// Points to urEnqueueDeviceGlobalVariableWrite.
typedef ur_result_t (*ur_pfnEnqueueDeviceGlobalVariableWrite_t)(ur_queue_handle_t hQueue,
                                                                ur_program_handle_t hProgram,
                                                                const char *name,
                                                                bool blockingWrite,
                                                                size_t count,
                                                                size_t offset,
                                                                const void *pSrc,
                                                                uint32_t numEventsInWaitList,
                                                                const ur_event_handle_t *phEventWaitList,
                                                                ur_event_handle_t *phEvent);

/// Points to urEnqueueDeviceGlobalVariableRead.
typedef ur_result_t (*ur_pfnEnqueueDeviceGlobalVariableRead_t)(ur_queue_handle_t hQueue,
                                                               ur_program_handle_t hProgram,
                                                               const char *name,
                                                               bool blockingRead,
                                                               size_t count,
                                                               size_t offset,
                                                               void *pDst,
                                                               uint32_t numEventsInWaitList,
                                                               const ur_event_handle_t *phEventWaitList,
                                                               ur_event_handle_t *phEvent);

/// Points to urEnqueueReadHostPipe.
typedef ur_result_t (*ur_pfnEnqueueReadHostPipe_t)(ur_queue_handle_t hQueue,
                                                   ur_program_handle_t hProgram,
                                                   const char *pipe_symbol,
                                                   bool blocking,
                                                   void *pDst,
                                                   size_t size,
                                                   uint32_t numEventsInWaitList,
                                                   const ur_event_handle_t *phEventWaitList,
                                                   ur_event_handle_t *phEvent);

/// Points to urEnqueueWriteHostPipe.
typedef ur_result_t (*ur_pfnEnqueueWriteHostPipe_t)(ur_queue_handle_t hQueue,
                                                    ur_program_handle_t hProgram,
                                                    const char *pipe_symbol,
                                                    bool blocking,
                                                    void *pSrc,
                                                    size_t size,
                                                    uint32_t numEventsInWaitList,
                                                    const ur_event_handle_t *phEventWaitList,
                                                    ur_event_handle_t *phEvent);

/// Points to urEnqueueEventsWaitWithBarrierExt.
typedef ur_result_t (*ur_pfnEnqueueEventsWaitWithBarrierExt_t)(ur_queue_handle_t hQueue,
                                                               const ur_exp_enqueue_ext_properties_t *pProperties,
                                                               uint32_t numEventsInWaitList,
                                                               const ur_event_handle_t *phEventWaitList,
                                                               ur_event_handle_t *phEvent);

/// What urGetEnqueueProcAddrTable fills.
typedef struct ur_enqueue_dditable_t {
    ur_pfnEnqueueEventsWait_t pfnEventsWait;
    ur_pfnEnqueueEventsWaitWithBarrier_t pfnEventsWaitWithBarrier;
    ur_pfnEnqueueMemBufferRead_t pfnMemBufferRead;
    ur_pfnEnqueueMemBufferWrite_t pfnMemBufferWrite;
    ur_pfnEnqueueMemBufferReadRect_t pfnMemBufferReadRect;
    ur_pfnEnqueueMemBufferWriteRect_t pfnMemBufferWriteRect;
    ur_pfnEnqueueMemBufferCopy_t pfnMemBufferCopy;
    ur_pfnEnqueueMemBufferCopyRect_t pfnMemBufferCopyRect;
    ur_pfnEnqueueMemBufferFill_t pfnMemBufferFill;
    ur_pfnEnqueueMemImageRead_t pfnMemImageRead;
    ur_pfnEnqueueMemImageWrite_t pfnMemImageWrite;
    ur_pfnEnqueueMemImageCopy_t pfnMemImageCopy;
    ur_pfnEnqueueMemBufferMap_t pfnMemBufferMap;
    ur_pfnEnqueueMemUnmap_t pfnMemUnmap;
    ur_pfnEnqueueUSMFill_t pfnUSMFill;
    ur_pfnEnqueueUSMMemcpy_t pfnUSMMemcpy;
    ur_pfnEnqueueUSMPrefetch_t pfnUSMPrefetch;
    ur_pfnEnqueueUSMAdvise_t pfnUSMAdvise;
    ur_pfnEnqueueUSMFill2D_t pfnUSMFill2D;
    ur_pfnEnqueueUSMMemcpy2D_t pfnUSMMemcpy2D;
    ur_pfnEnqueueDeviceGlobalVariableWrite_t pfnDeviceGlobalVariableWrite;
    ur_pfnEnqueueDeviceGlobalVariableRead_t pfnDeviceGlobalVariableRead;
    ur_pfnEnqueueReadHostPipe_t pfnReadHostPipe;
    ur_pfnEnqueueWriteHostPipe_t pfnWriteHostPipe;
    ur_pfnEnqueueEventsWaitWithBarrierExt_t pfnEventsWaitWithBarrierExt;
} ur_enqueue_dditable_t;

/// Points to urEnqueueKernelLaunchWithArgsExp.
typedef ur_result_t (*ur_pfnEnqueueKernelLaunchWithArgsExp_t)(ur_queue_handle_t hQueue,
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

/// Points to urEnqueueUSMDeviceAllocExp.
typedef ur_result_t (*ur_pfnEnqueueUSMDeviceAllocExp_t)(ur_queue_handle_t hQueue,
                                                        ur_usm_pool_handle_t pPool,
                                                        size_t size,
                                                        const ur_exp_async_usm_alloc_properties_t *pProperties,
                                                        uint32_t numEventsInWaitList,
                                                        const ur_event_handle_t *phEventWaitList,
                                                        void **ppMem,
                                                        ur_event_handle_t *phEvent);

/// Points to urEnqueueUSMSharedAllocExp.
typedef ur_result_t (*ur_pfnEnqueueUSMSharedAllocExp_t)(ur_queue_handle_t hQueue,
                                                        ur_usm_pool_handle_t pPool,
                                                        size_t size,
                                                        const ur_exp_async_usm_alloc_properties_t *pProperties,
                                                        uint32_t numEventsInWaitList,
                                                        const ur_event_handle_t *phEventWaitList,
                                                        void **ppMem,
                                                        ur_event_handle_t *phEvent);

/// Points to urEnqueueUSMHostAllocExp.
typedef ur_result_t (*ur_pfnEnqueueUSMHostAllocExp_t)(ur_queue_handle_t hQueue,
                                                      ur_usm_pool_handle_t pPool,
                                                      size_t size,
                                                      const ur_exp_async_usm_alloc_properties_t *pProperties,
                                                      uint32_t numEventsInWaitList,
                                                      const ur_event_handle_t *phEventWaitList,
                                                      void **ppMem,
                                                      ur_event_handle_t *phEvent);

/// Points to urEnqueueUSMFreeExp.
typedef ur_result_t (*ur_pfnEnqueueUSMFreeExp_t)(ur_queue_handle_t hQueue,
                                                 ur_usm_pool_handle_t pPool,
                                                 void *pMem,
                                                 uint32_t numEventsInWaitList,
                                                 const ur_event_handle_t *phEventWaitList,
                                                 ur_event_handle_t *phEvent);

/// Points to urEnqueueTimestampRecordingExp.
typedef ur_result_t (*ur_pfnEnqueueTimestampRecordingExp_t)(ur_queue_handle_t hQueue,
                                                            bool blocking,
                                                            uint32_t numEventsInWaitList,
                                                            const ur_event_handle_t *phEventWaitList,
                                                            ur_event_handle_t *phEvent);

/// Points to urEnqueueCommandBufferExp.
typedef ur_result_t (*ur_pfnEnqueueCommandBufferExp_t)(ur_queue_handle_t hQueue,
                                                       ur_exp_command_buffer_handle_t hCommandBuffer,
                                                       uint32_t numEventsInWaitList,
                                                       const ur_event_handle_t *phEventWaitList,
                                                       ur_event_handle_t *phEvent);

/// Points to urEnqueueHostTaskExp.
typedef ur_result_t (*ur_pfnEnqueueHostTaskExp_t)(ur_queue_handle_t hQueue,
                                                  ur_exp_host_task_function_t pfnHostTask,
                                                  void *data,
                                                  const ur_exp_host_task_properties_t *pProperties,
                                                  uint32_t numEventsInWaitList,
                                                  const ur_event_handle_t *phEventWaitList,
                                                  ur_event_handle_t *phEvent);

/// Points to urEnqueueNativeCommandExp.
typedef ur_result_t (*ur_pfnEnqueueNativeCommandExp_t)(ur_queue_handle_t hQueue,
                                                       ur_exp_enqueue_native_command_function_t pfnNativeEnqueue,
                                                       void *data,
                                                       uint32_t numMemsInMemList,
                                                       const ur_mem_handle_t *phMemList,
                                                       const ur_exp_enqueue_native_command_properties_t *pProperties,
                                                       uint32_t numEventsInWaitList,
                                                       const ur_event_handle_t *phEventWaitList,
                                                       ur_event_handle_t *phEvent);

/// Points to urEnqueueGraphExp.
typedef ur_result_t (*ur_pfnEnqueueGraphExp_t)(ur_queue_handle_t hQueue,
                                               ur_exp_executable_graph_handle_t hGraph,
                                               uint32_t numEventsInWaitList,
                                               const ur_event_handle_t *phEventWaitList,
                                               ur_event_handle_t *phEvent);

/// What urGetEnqueueExpProcAddrTable fills.
typedef struct ur_enqueue_exp_dditable_t {
    ur_pfnEnqueueKernelLaunchWithArgsExp_t pfnKernelLaunchWithArgsExp;
    ur_pfnEnqueueUSMDeviceAllocExp_t pfnUSMDeviceAllocExp;
    ur_pfnEnqueueUSMSharedAllocExp_t pfnUSMSharedAllocExp;
    ur_pfnEnqueueUSMHostAllocExp_t pfnUSMHostAllocExp;
    ur_pfnEnqueueUSMFreeExp_t pfnUSMFreeExp;
    ur_pfnEnqueueTimestampRecordingExp_t pfnTimestampRecordingExp;
    ur_pfnEnqueueCommandBufferExp_t pfnCommandBufferExp;
    ur_pfnEnqueueHostTaskExp_t pfnHostTaskExp;
    ur_pfnEnqueueNativeCommandExp_t pfnNativeCommandExp;
    ur_pfnEnqueueGraphExp_t pfnGraphExp;
} ur_enqueue_exp_dditable_t;

/// Points to urUSMHostAlloc.
typedef ur_result_t (*ur_pfnUSMHostAlloc_t)(ur_context_handle_t hContext,
                                            const ur_usm_desc_t *pUSMDesc,
                                            ur_usm_pool_handle_t pool,
                                            size_t size,
                                            void **ppMem);

/// Points to urUSMDeviceAlloc.
typedef ur_result_t (*ur_pfnUSMDeviceAlloc_t)(ur_context_handle_t hContext,
                                              ur_device_handle_t hDevice,
                                              const ur_usm_desc_t *pUSMDesc,
                                              ur_usm_pool_handle_t pool,
                                              size_t size,
                                              void **ppMem);

/// Points to urUSMSharedAlloc.
typedef ur_result_t (*ur_pfnUSMSharedAlloc_t)(ur_context_handle_t hContext,
                                              ur_device_handle_t hDevice,
                                              const ur_usm_desc_t *pUSMDesc,
                                              ur_usm_pool_handle_t pool,
                                              size_t size,
                                              void **ppMem);

/// Points to urUSMFree.
typedef ur_result_t (*ur_pfnUSMFree_t)(ur_context_handle_t hContext, void *pMem);

/// Points to urUSMGetMemAllocInfo.
typedef ur_result_t (*ur_pfnUSMGetMemAllocInfo_t)(ur_context_handle_t hContext,
                                                  const void *pMem,
                                                  ur_usm_alloc_info_t propName,
                                                  size_t propSize,
                                                  void *pPropValue,
                                                  size_t *pPropSizeRet);

/// Points to urUSMPoolCreate.
typedef ur_result_t (*ur_pfnUSMPoolCreate_t)(ur_context_handle_t hContext,
                                             ur_usm_pool_desc_t *pPoolDesc,
                                             ur_usm_pool_handle_t *ppPool);

/// Points to urUSMPoolRetain.
typedef ur_result_t (*ur_pfnUSMPoolRetain_t)(ur_usm_pool_handle_t pPool);

/// Points to urUSMPoolRelease.
typedef ur_result_t (*ur_pfnUSMPoolRelease_t)(ur_usm_pool_handle_t pPool);

/// Points to urUSMPoolGetInfo.
typedef ur_result_t (*ur_pfnUSMPoolGetInfo_t)(ur_usm_pool_handle_t hPool,
                                              ur_usm_pool_info_t propName,
                                              size_t propSize,
                                              void *pPropValue,
                                              size_t *pPropSizeRet);

/// What urGetUSMProcAddrTable fills.
typedef struct ur_usm_dditable_t {
    ur_pfnUSMHostAlloc_t pfnHostAlloc;
    ur_pfnUSMDeviceAlloc_t pfnDeviceAlloc;
    ur_pfnUSMSharedAlloc_t pfnSharedAlloc;
    ur_pfnUSMFree_t pfnFree;
    ur_pfnUSMGetMemAllocInfo_t pfnGetMemAllocInfo;
    ur_pfnUSMPoolCreate_t pfnPoolCreate;
    ur_pfnUSMPoolRetain_t pfnPoolRetain;
    ur_pfnUSMPoolRelease_t pfnPoolRelease;
    ur_pfnUSMPoolGetInfo_t pfnPoolGetInfo;
} ur_usm_dditable_t;

/// Points to urUSMPoolCreateExp.
typedef ur_result_t (*ur_pfnUSMPoolCreateExp_t)(ur_context_handle_t hContext,
                                                ur_device_handle_t hDevice,
                                                ur_usm_pool_desc_t *pPoolDesc,
                                                ur_usm_pool_handle_t *pPool);

/// Points to urUSMPoolDestroyExp.
typedef ur_result_t (*ur_pfnUSMPoolDestroyExp_t)(ur_context_handle_t hContext,
                                                 ur_device_handle_t hDevice,
                                                 ur_usm_pool_handle_t hPool);

/// Points to urUSMPoolGetDefaultDevicePoolExp.
typedef ur_result_t (*ur_pfnUSMPoolGetDefaultDevicePoolExp_t)(ur_context_handle_t hContext,
                                                              ur_device_handle_t hDevice,
                                                              ur_usm_pool_handle_t *pPool);

/// Points to urUSMPoolGetInfoExp.
typedef ur_result_t (*ur_pfnUSMPoolGetInfoExp_t)(ur_usm_pool_handle_t hPool,
                                                 ur_usm_pool_info_t propName,
                                                 void *pPropValue,
                                                 size_t *pPropSizeRet);

/// Points to urUSMPoolSetInfoExp.
typedef ur_result_t (*ur_pfnUSMPoolSetInfoExp_t)(ur_usm_pool_handle_t hPool,
                                                 ur_usm_pool_info_t propName,
                                                 void *pPropValue,
                                                 size_t propSize);

/// Points to urUSMPoolSetDevicePoolExp.
typedef ur_result_t (*ur_pfnUSMPoolSetDevicePoolExp_t)(ur_context_handle_t hContext,
                                                       ur_device_handle_t hDevice,
                                                       ur_usm_pool_handle_t hPool);

/// Points to urUSMPoolGetDevicePoolExp.
typedef ur_result_t (*ur_pfnUSMPoolGetDevicePoolExp_t)(ur_context_handle_t hContext,
                                                       ur_device_handle_t hDevice,
                                                       ur_usm_pool_handle_t *pPool);

/// Points to urUSMPoolTrimToExp.
typedef ur_result_t (*ur_pfnUSMPoolTrimToExp_t)(ur_context_handle_t hContext,
                                                ur_device_handle_t hDevice,
                                                ur_usm_pool_handle_t hPool,
                                                size_t minBytesToKeep);

/// Points to urUSMPitchedAllocExp.
typedef ur_result_t (*ur_pfnUSMPitchedAllocExp_t)(ur_context_handle_t hContext,
                                                  ur_device_handle_t hDevice,
                                                  const ur_usm_desc_t *pUSMDesc,
                                                  ur_usm_pool_handle_t pool,
                                                  size_t widthInBytes,
                                                  size_t height,
                                                  size_t elementSizeBytes,
                                                  void **ppMem,
                                                  size_t *pResultPitch);

/// Points to urUSMContextMemcpyExp.
typedef ur_result_t (*ur_pfnUSMContextMemcpyExp_t)(ur_context_handle_t hContext,
                                                   void *pDst,
                                                   const void *pSrc,
                                                   size_t size);

/// Points to urUSMHostAllocUnregisterExp.
typedef ur_result_t (*ur_pfnUSMHostAllocUnregisterExp_t)(ur_context_handle_t hContext, void *pHostMem);

/// Points to urUSMHostAllocRegisterExp.
typedef ur_result_t (*ur_pfnUSMHostAllocRegisterExp_t)(ur_context_handle_t hContext,
                                                       void *pHostMem,
                                                       size_t size,
                                                       const ur_exp_usm_host_alloc_register_properties_t *pProperties);

/// Points to urUSMImportExp.
typedef ur_result_t (*ur_pfnUSMImportExp_t)(ur_context_handle_t hContext, void *pMem, size_t size);

/// Points to urUSMReleaseExp.
typedef ur_result_t (*ur_pfnUSMReleaseExp_t)(ur_context_handle_t hContext, void *pMem);

/// What urGetUSMExpProcAddrTable fills.
typedef struct ur_usm_exp_dditable_t {
    ur_pfnUSMPoolCreateExp_t pfnPoolCreateExp;
    ur_pfnUSMPoolDestroyExp_t pfnPoolDestroyExp;
    ur_pfnUSMPoolGetDefaultDevicePoolExp_t pfnPoolGetDefaultDevicePoolExp;
    ur_pfnUSMPoolGetInfoExp_t pfnPoolGetInfoExp;
    ur_pfnUSMPoolSetInfoExp_t pfnPoolSetInfoExp;
    ur_pfnUSMPoolSetDevicePoolExp_t pfnPoolSetDevicePoolExp;
    ur_pfnUSMPoolGetDevicePoolExp_t pfnPoolGetDevicePoolExp;
    ur_pfnUSMPoolTrimToExp_t pfnPoolTrimToExp;
    ur_pfnUSMPitchedAllocExp_t pfnPitchedAllocExp;
    ur_pfnUSMContextMemcpyExp_t pfnContextMemcpyExp;
    ur_pfnUSMHostAllocUnregisterExp_t pfnHostAllocUnregisterExp;
    ur_pfnUSMHostAllocRegisterExp_t pfnHostAllocRegisterExp;
    ur_pfnUSMImportExp_t pfnImportExp;
    ur_pfnUSMReleaseExp_t pfnReleaseExp;
} ur_usm_exp_dditable_t;

/// Points to urBindlessImagesUnsampledImageHandleDestroyExp.
typedef ur_result_t (*ur_pfnBindlessImagesUnsampledImageHandleDestroyExp_t)(ur_context_handle_t hContext,
                                                                            ur_device_handle_t hDevice,
                                                                            ur_exp_image_native_handle_t hImage);

/// Points to urBindlessImagesSampledImageHandleDestroyExp.
typedef ur_result_t (*ur_pfnBindlessImagesSampledImageHandleDestroyExp_t)(ur_context_handle_t hContext,
                                                                          ur_device_handle_t hDevice,
                                                                          ur_exp_image_native_handle_t hImage);

/// Points to urBindlessImagesImageAllocateExp.
typedef ur_result_t (*ur_pfnBindlessImagesImageAllocateExp_t)(ur_context_handle_t hContext,
                                                              ur_device_handle_t hDevice,
                                                              const ur_image_format_t *pImageFormat,
                                                              const ur_image_desc_t *pImageDesc,
                                                              ur_exp_image_mem_native_handle_t *phImageMem);

/// Points to urBindlessImagesImageFreeExp.
typedef ur_result_t (*ur_pfnBindlessImagesImageFreeExp_t)(ur_context_handle_t hContext,
                                                          ur_device_handle_t hDevice,
                                                          ur_exp_image_mem_native_handle_t hImageMem);

/// Points to urBindlessImagesUnsampledImageCreateExp.
typedef ur_result_t (*ur_pfnBindlessImagesUnsampledImageCreateExp_t)(ur_context_handle_t hContext,
                                                                     ur_device_handle_t hDevice,
                                                                     ur_exp_image_mem_native_handle_t hImageMem,
                                                                     const ur_image_format_t *pImageFormat,
                                                                     const ur_image_desc_t *pImageDesc,
                                                                     ur_exp_image_native_handle_t *phImage);

/// Points to urBindlessImagesSampledImageCreateExp.
typedef ur_result_t (*ur_pfnBindlessImagesSampledImageCreateExp_t)(ur_context_handle_t hContext,
                                                                   ur_device_handle_t hDevice,
                                                                   ur_exp_image_mem_native_handle_t hImageMem,
                                                                   const ur_image_format_t *pImageFormat,
                                                                   const ur_image_desc_t *pImageDesc,
                                                                   const ur_sampler_desc_t *pSamplerDesc,
                                                                   ur_exp_image_native_handle_t *phImage);

/// Points to urBindlessImagesImageCopyExp.
typedef ur_result_t (*ur_pfnBindlessImagesImageCopyExp_t)(ur_queue_handle_t hQueue,
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

/// Points to urBindlessImagesImageGetInfoExp.
typedef ur_result_t (*ur_pfnBindlessImagesImageGetInfoExp_t)(ur_context_handle_t hContext,
                                                             ur_exp_image_mem_native_handle_t hImageMem,
                                                             ur_image_info_t propName,
                                                             void *pPropValue,
                                                             size_t *pPropSizeRet);

/// Points to urBindlessImagesGetImageMemoryHandleTypeSupportExp.
typedef ur_result_t (*ur_pfnBindlessImagesGetImageMemoryHandleTypeSupportExp_t)(ur_context_handle_t hContext,
                                                                                ur_device_handle_t hDevice,
                                                                                const ur_image_desc_t *pImageDesc,
                                                                                const ur_image_format_t *pImageFormat,
                                                                                ur_exp_image_mem_type_t imageMemHandleType,
                                                                                ur_bool_t *pSupportedRet);

/// Points to urBindlessImagesGetImageUnsampledHandleSupportExp.
typedef ur_result_t (*ur_pfnBindlessImagesGetImageUnsampledHandleSupportExp_t)(ur_context_handle_t hContext,
                                                                               ur_device_handle_t hDevice,
                                                                               const ur_image_desc_t *pImageDesc,
                                                                               const ur_image_format_t *pImageFormat,
                                                                               ur_exp_image_mem_type_t imageMemHandleType,
                                                                               ur_bool_t *pSupportedRet);

/// Points to urBindlessImagesGetImageSampledHandleSupportExp.
typedef ur_result_t (*ur_pfnBindlessImagesGetImageSampledHandleSupportExp_t)(ur_context_handle_t hContext,
                                                                             ur_device_handle_t hDevice,
                                                                             const ur_image_desc_t *pImageDesc,
                                                                             const ur_image_format_t *pImageFormat,
                                                                             ur_exp_image_mem_type_t imageMemHandleType,
                                                                             ur_bool_t *pSupportedRet);

/// Points to urBindlessImagesMipmapGetLevelExp.
typedef ur_result_t (*ur_pfnBindlessImagesMipmapGetLevelExp_t)(ur_context_handle_t hContext,
                                                               ur_device_handle_t hDevice,
                                                               ur_exp_image_mem_native_handle_t hImageMem,
                                                               uint32_t mipmapLevel,
                                                               ur_exp_image_mem_native_handle_t *phImageMem);

/// Points to urBindlessImagesMipmapFreeExp.
typedef ur_result_t (*ur_pfnBindlessImagesMipmapFreeExp_t)(ur_context_handle_t hContext,
                                                           ur_device_handle_t hDevice,
                                                           ur_exp_image_mem_native_handle_t hMem);

/// Points to urBindlessImagesImportExternalMemoryExp.
typedef ur_result_t (*ur_pfnBindlessImagesImportExternalMemoryExp_t)(ur_context_handle_t hContext,
                                                                     ur_device_handle_t hDevice,
                                                                     size_t size,
                                                                     ur_exp_external_mem_type_t memHandleType,
                                                                     ur_exp_external_mem_desc_t *pExternalMemDesc,
                                                                     ur_exp_external_mem_handle_t *phExternalMem);

/// Points to urBindlessImagesMapExternalArrayExp.
typedef ur_result_t (*ur_pfnBindlessImagesMapExternalArrayExp_t)(ur_context_handle_t hContext,
                                                                 ur_device_handle_t hDevice,
                                                                 const ur_image_format_t *pImageFormat,
                                                                 const ur_image_desc_t *pImageDesc,
                                                                 ur_exp_external_mem_handle_t hExternalMem,
                                                                 ur_exp_image_mem_native_handle_t *phImageMem);

/// Points to urBindlessImagesMapExternalLinearMemoryExp.
typedef ur_result_t (*ur_pfnBindlessImagesMapExternalLinearMemoryExp_t)(ur_context_handle_t hContext,
                                                                        ur_device_handle_t hDevice,
                                                                        uint64_t offset,
                                                                        uint64_t size,
                                                                        ur_exp_external_mem_handle_t hExternalMem,
                                                                        void **ppRetMem);

/// Points to urBindlessImagesReleaseExternalMemoryExp.
typedef ur_result_t (*ur_pfnBindlessImagesReleaseExternalMemoryExp_t)(ur_context_handle_t hContext,
                                                                      ur_device_handle_t hDevice,
                                                                      ur_exp_external_mem_handle_t hExternalMem);

/// Points to urBindlessImagesFreeMappedLinearMemoryExp.
typedef ur_result_t (*ur_pfnBindlessImagesFreeMappedLinearMemoryExp_t)(ur_context_handle_t hContext,
                                                                       ur_device_handle_t hDevice,
                                                                       void *pMem);

/// Points to urBindlessImagesSupportsImportingHandleTypeExp.
typedef ur_result_t (*ur_pfnBindlessImagesSupportsImportingHandleTypeExp_t)(ur_device_handle_t hDevice,
                                                                            ur_exp_external_mem_type_t memHandleType,
                                                                            ur_bool_t *pSupportedRet);

/// Points to urBindlessImagesImportExternalSemaphoreExp.
typedef ur_result_t (*ur_pfnBindlessImagesImportExternalSemaphoreExp_t)(ur_context_handle_t hContext,
                                                                        ur_device_handle_t hDevice,
                                                                        ur_exp_external_semaphore_type_t semHandleType,
                                                                        ur_exp_external_semaphore_desc_t *pExternalSemaphoreDesc,
                                                                        ur_exp_external_semaphore_handle_t *phExternalSemaphore);

/// Points to urBindlessImagesReleaseExternalSemaphoreExp.
typedef ur_result_t (*ur_pfnBindlessImagesReleaseExternalSemaphoreExp_t)(ur_context_handle_t hContext,
                                                                         ur_device_handle_t hDevice,
                                                                         ur_exp_external_semaphore_handle_t hExternalSemaphore);

/// Points to urBindlessImagesWaitExternalSemaphoreExp.
typedef ur_result_t (*ur_pfnBindlessImagesWaitExternalSemaphoreExp_t)(ur_queue_handle_t hQueue,
                                                                      ur_exp_external_semaphore_handle_t hSemaphore,
                                                                      bool hasWaitValue,
                                                                      uint64_t waitValue,
                                                                      uint32_t numEventsInWaitList,
                                                                      const ur_event_handle_t *phEventWaitList,
                                                                      ur_event_handle_t *phEvent);

/// Points to urBindlessImagesSignalExternalSemaphoreExp.
typedef ur_result_t (*ur_pfnBindlessImagesSignalExternalSemaphoreExp_t)(ur_queue_handle_t hQueue,
                                                                        ur_exp_external_semaphore_handle_t hSemaphore,
                                                                        bool hasSignalValue,
                                                                        uint64_t signalValue,
                                                                        uint32_t numEventsInWaitList,
                                                                        const ur_event_handle_t *phEventWaitList,
                                                                        ur_event_handle_t *phEvent);

/// What urGetBindlessImagesExpProcAddrTable fills.
typedef struct ur_bindless_images_exp_dditable_t {
    ur_pfnBindlessImagesUnsampledImageHandleDestroyExp_t pfnUnsampledImageHandleDestroyExp;
    ur_pfnBindlessImagesSampledImageHandleDestroyExp_t pfnSampledImageHandleDestroyExp;
    ur_pfnBindlessImagesImageAllocateExp_t pfnImageAllocateExp;
    ur_pfnBindlessImagesImageFreeExp_t pfnImageFreeExp;
    ur_pfnBindlessImagesUnsampledImageCreateExp_t pfnUnsampledImageCreateExp;
    ur_pfnBindlessImagesSampledImageCreateExp_t pfnSampledImageCreateExp;
    ur_pfnBindlessImagesImageCopyExp_t pfnImageCopyExp;
    ur_pfnBindlessImagesImageGetInfoExp_t pfnImageGetInfoExp;
    ur_pfnBindlessImagesGetImageMemoryHandleTypeSupportExp_t pfnGetImageMemoryHandleTypeSupportExp;
    ur_pfnBindlessImagesGetImageUnsampledHandleSupportExp_t pfnGetImageUnsampledHandleSupportExp;
    ur_pfnBindlessImagesGetImageSampledHandleSupportExp_t pfnGetImageSampledHandleSupportExp;
    ur_pfnBindlessImagesMipmapGetLevelExp_t pfnMipmapGetLevelExp;
    ur_pfnBindlessImagesMipmapFreeExp_t pfnMipmapFreeExp;
    ur_pfnBindlessImagesImportExternalMemoryExp_t pfnImportExternalMemoryExp;
    ur_pfnBindlessImagesMapExternalArrayExp_t pfnMapExternalArrayExp;
    ur_pfnBindlessImagesMapExternalLinearMemoryExp_t pfnMapExternalLinearMemoryExp;
    ur_pfnBindlessImagesReleaseExternalMemoryExp_t pfnReleaseExternalMemoryExp;
    ur_pfnBindlessImagesFreeMappedLinearMemoryExp_t pfnFreeMappedLinearMemoryExp;
    ur_pfnBindlessImagesSupportsImportingHandleTypeExp_t pfnSupportsImportingHandleTypeExp;
    ur_pfnBindlessImagesImportExternalSemaphoreExp_t pfnImportExternalSemaphoreExp;
    ur_pfnBindlessImagesReleaseExternalSemaphoreExp_t pfnReleaseExternalSemaphoreExp;
    ur_pfnBindlessImagesWaitExternalSemaphoreExp_t pfnWaitExternalSemaphoreExp;
    ur_pfnBindlessImagesSignalExternalSemaphoreExp_t pfnSignalExternalSemaphoreExp;
} ur_bindless_images_exp_dditable_t;

/// Points to urCommandBufferCreateExp.
typedef ur_result_t (*ur_pfnCommandBufferCreateExp_t)(ur_context_handle_t hContext,
                                                      ur_device_handle_t hDevice,
                                                      const ur_exp_command_buffer_desc_t *pCommandBufferDesc,
                                                      ur_exp_command_buffer_handle_t *phCommandBuffer);

/// Points to urCommandBufferRetainExp.
typedef ur_result_t (*ur_pfnCommandBufferRetainExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer);

/// Points to urCommandBufferReleaseExp.
typedef ur_result_t (*ur_pfnCommandBufferReleaseExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer);

/// Points to urCommandBufferFinalizeExp.
typedef ur_result_t (*ur_pfnCommandBufferFinalizeExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer);

/// Points to urCommandBufferAppendKernelLaunchExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendKernelLaunchExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
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

/// Points to urCommandBufferAppendKernelLaunchWithArgsExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendKernelLaunchWithArgsExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
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

/// Points to urCommandBufferAppendUSMMemcpyExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendUSMMemcpyExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
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

/// Points to urCommandBufferAppendUSMFillExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendUSMFillExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
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

/// Points to urCommandBufferAppendMemBufferCopyExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendMemBufferCopyExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
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

/// Points to urCommandBufferAppendMemBufferWriteExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendMemBufferWriteExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
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

/// Points to urCommandBufferAppendMemBufferReadExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendMemBufferReadExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
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

/// Points to urCommandBufferAppendMemBufferCopyRectExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendMemBufferCopyRectExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
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

/// Points to urCommandBufferAppendMemBufferWriteRectExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendMemBufferWriteRectExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
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

/// Points to urCommandBufferAppendMemBufferReadRectExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendMemBufferReadRectExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
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

/// Points to urCommandBufferAppendMemBufferFillExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendMemBufferFillExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
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

/// Points to urCommandBufferAppendUSMPrefetchExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendUSMPrefetchExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
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

/// Points to urCommandBufferAppendUSMAdviseExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendUSMAdviseExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
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

/// Points to urCommandBufferAppendNativeCommandExp.
typedef ur_result_t (*ur_pfnCommandBufferAppendNativeCommandExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                                   ur_exp_command_buffer_native_command_function_t pfnNativeCommand,
                                                                   void *pData,
                                                                   ur_exp_command_buffer_handle_t hChildCommandBuffer,
                                                                   uint32_t numSyncPointsInWaitList,
                                                                   const ur_exp_command_buffer_sync_point_t *pSyncPointWaitList,
                                                                   ur_exp_command_buffer_sync_point_t *pSyncPoint);

/// Points to urCommandBufferUpdateKernelLaunchExp.
typedef ur_result_t (*ur_pfnCommandBufferUpdateKernelLaunchExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                                  uint32_t numKernelUpdates,
                                                                  const ur_exp_command_buffer_update_kernel_launch_desc_t *pUpdateKernelLaunch);

/// Points to urCommandBufferUpdateSignalEventExp.
typedef ur_result_t (*ur_pfnCommandBufferUpdateSignalEventExp_t)(ur_exp_command_buffer_command_handle_t hCommand,
                                                                 ur_event_handle_t *phSignalEvent);

/// Points to urCommandBufferUpdateWaitEventsExp.
typedef ur_result_t (*ur_pfnCommandBufferUpdateWaitEventsExp_t)(ur_exp_command_buffer_command_handle_t hCommand,
                                                                uint32_t numEventsInWaitList,
                                                                const ur_event_handle_t *phEventWaitList);

/// Points to urCommandBufferGetInfoExp.
typedef ur_result_t (*ur_pfnCommandBufferGetInfoExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                       ur_exp_command_buffer_info_t propName,
                                                       size_t propSize,
                                                       void *pPropValue,
                                                       size_t *pPropSizeRet);

/// Points to urCommandBufferGetNativeHandleExp.
typedef ur_result_t (*ur_pfnCommandBufferGetNativeHandleExp_t)(ur_exp_command_buffer_handle_t hCommandBuffer,
                                                               ur_native_handle_t *phNativeCommandBuffer);

/// What urGetCommandBufferExpProcAddrTable fills.
typedef struct ur_command_buffer_exp_dditable_t {
    ur_pfnCommandBufferCreateExp_t pfnCreateExp;
    ur_pfnCommandBufferRetainExp_t pfnRetainExp;
    ur_pfnCommandBufferReleaseExp_t pfnReleaseExp;
    ur_pfnCommandBufferFinalizeExp_t pfnFinalizeExp;
    ur_pfnCommandBufferAppendKernelLaunchExp_t pfnAppendKernelLaunchExp;
    ur_pfnCommandBufferAppendKernelLaunchWithArgsExp_t pfnAppendKernelLaunchWithArgsExp;
    ur_pfnCommandBufferAppendUSMMemcpyExp_t pfnAppendUSMMemcpyExp;
    ur_pfnCommandBufferAppendUSMFillExp_t pfnAppendUSMFillExp;
    ur_pfnCommandBufferAppendMemBufferCopyExp_t pfnAppendMemBufferCopyExp;
    ur_pfnCommandBufferAppendMemBufferWriteExp_t pfnAppendMemBufferWriteExp;
    ur_pfnCommandBufferAppendMemBufferReadExp_t pfnAppendMemBufferReadExp;
    ur_pfnCommandBufferAppendMemBufferCopyRectExp_t pfnAppendMemBufferCopyRectExp;
    ur_pfnCommandBufferAppendMemBufferWriteRectExp_t pfnAppendMemBufferWriteRectExp;
    ur_pfnCommandBufferAppendMemBufferReadRectExp_t pfnAppendMemBufferReadRectExp;
    ur_pfnCommandBufferAppendMemBufferFillExp_t pfnAppendMemBufferFillExp;
    ur_pfnCommandBufferAppendUSMPrefetchExp_t pfnAppendUSMPrefetchExp;
    ur_pfnCommandBufferAppendUSMAdviseExp_t pfnAppendUSMAdviseExp;
    ur_pfnCommandBufferAppendNativeCommandExp_t pfnAppendNativeCommandExp;
    ur_pfnCommandBufferUpdateKernelLaunchExp_t pfnUpdateKernelLaunchExp;
    ur_pfnCommandBufferUpdateSignalEventExp_t pfnUpdateSignalEventExp;
    ur_pfnCommandBufferUpdateWaitEventsExp_t pfnUpdateWaitEventsExp;
    ur_pfnCommandBufferGetInfoExp_t pfnGetInfoExp;
    ur_pfnCommandBufferGetNativeHandleExp_t pfnGetNativeHandleExp;
} ur_command_buffer_exp_dditable_t;

/// Points to urGraphCreateExp.
typedef ur_result_t (*ur_pfnGraphCreateExp_t)(ur_context_handle_t hContext, ur_exp_graph_handle_t *phGraph);

/// Points to urGraphInstantiateGraphExp.
typedef ur_result_t (*ur_pfnGraphInstantiateGraphExp_t)(ur_exp_graph_handle_t hGraph,
                                                        ur_exp_executable_graph_handle_t *phExecGraph);

/// Points to urGraphDestroyExp.
typedef ur_result_t (*ur_pfnGraphDestroyExp_t)(ur_exp_graph_handle_t hGraph);

/// Points to urGraphExecutableGraphDestroyExp.
typedef ur_result_t (*ur_pfnGraphExecutableGraphDestroyExp_t)(ur_exp_executable_graph_handle_t hExecutableGraph);

/// Points to urGraphIsEmptyExp.
typedef ur_result_t (*ur_pfnGraphIsEmptyExp_t)(ur_exp_graph_handle_t hGraph, bool *pResult);

/// Points to urGraphGetIdExp.
typedef ur_result_t (*ur_pfnGraphGetIdExp_t)(ur_exp_graph_handle_t hGraph, uint64_t *pGraphId);

/// Points to urGraphSetDestructionCallbackExp.
typedef ur_result_t (*ur_pfnGraphSetDestructionCallbackExp_t)(ur_exp_graph_handle_t hGraph,
                                                              ur_exp_graph_destruction_callback_t pfnCallback,
                                                              void *pUserData);

/// Points to urGraphDumpContentsExp.
typedef ur_result_t (*ur_pfnGraphDumpContentsExp_t)(ur_exp_graph_handle_t hGraph, const char *filePath);

/// Points to urGraphGetNativeHandleExp.
typedef ur_result_t (*ur_pfnGraphGetNativeHandleExp_t)(ur_exp_graph_handle_t hGraph, ur_native_handle_t *phNativeGraph);

/// Points to urGraphExecutableGraphGetNativeHandleExp.
typedef ur_result_t (*ur_pfnGraphExecutableGraphGetNativeHandleExp_t)(ur_exp_executable_graph_handle_t hExecutableGraph,
                                                                      ur_native_handle_t *phNativeExecutableGraph);

/// What urGetGraphExpProcAddrTable fills.
typedef struct ur_graph_exp_dditable_t {
    ur_pfnGraphCreateExp_t pfnCreateExp;
    ur_pfnGraphInstantiateGraphExp_t pfnInstantiateGraphExp;
    ur_pfnGraphDestroyExp_t pfnDestroyExp;
    ur_pfnGraphExecutableGraphDestroyExp_t pfnExecutableGraphDestroyExp;
    ur_pfnGraphIsEmptyExp_t pfnIsEmptyExp;
    ur_pfnGraphGetIdExp_t pfnGetIdExp;
    ur_pfnGraphSetDestructionCallbackExp_t pfnSetDestructionCallbackExp;
    ur_pfnGraphDumpContentsExp_t pfnDumpContentsExp;
    ur_pfnGraphGetNativeHandleExp_t pfnGetNativeHandleExp;
    ur_pfnGraphExecutableGraphGetNativeHandleExp_t pfnExecutableGraphGetNativeHandleExp;
} ur_graph_exp_dditable_t;

/// Points to urIPCGetMemHandleExp.
typedef ur_result_t (*ur_pfnIPCGetMemHandleExp_t)(ur_context_handle_t hContext,
                                                  void *pMem,
                                                  void **ppIPCMemHandleData,
                                                  size_t *pIPCMemHandleDataSizeRet);

/// Points to urIPCPutMemHandleExp.
typedef ur_result_t (*ur_pfnIPCPutMemHandleExp_t)(ur_context_handle_t hContext, void *pIPCMemHandleData);

/// Points to urIPCOpenMemHandleExp.
typedef ur_result_t (*ur_pfnIPCOpenMemHandleExp_t)(ur_context_handle_t hContext,
                                                   ur_device_handle_t hDevice,
                                                   void *pIPCMemHandleData,
                                                   size_t ipcMemHandleDataSize,
                                                   void **ppMem);

/// Points to urIPCCloseMemHandleExp.
typedef ur_result_t (*ur_pfnIPCCloseMemHandleExp_t)(ur_context_handle_t hContext, void *pMem);

/// Points to urIPCGetPhysMemHandleExp.
typedef ur_result_t (*ur_pfnIPCGetPhysMemHandleExp_t)(ur_context_handle_t hContext,
                                                      ur_physical_mem_handle_t hPhysMem,
                                                      void **ppIPCPhysMemHandleData,
                                                      size_t *pIPCPhysMemHandleDataSizeRet);

/// Points to urIPCPutPhysMemHandleExp.
typedef ur_result_t (*ur_pfnIPCPutPhysMemHandleExp_t)(ur_context_handle_t hContext, const void *pIPCPhysMemHandleData);

/// Points to urIPCOpenPhysMemHandleExp.
typedef ur_result_t (*ur_pfnIPCOpenPhysMemHandleExp_t)(ur_context_handle_t hContext,
                                                       ur_device_handle_t hDevice,
                                                       const void *pIPCPhysMemHandleData,
                                                       size_t ipcPhysMemHandleDataSize,
                                                       ur_physical_mem_handle_t *phPhysMem);

/// Points to urIPCClosePhysMemHandleExp.
typedef ur_result_t (*ur_pfnIPCClosePhysMemHandleExp_t)(ur_context_handle_t hContext, ur_physical_mem_handle_t hPhysMem);

/// Points to urIPCGetEventHandleExp.
typedef ur_result_t (*ur_pfnIPCGetEventHandleExp_t)(ur_event_handle_t hEvent,
                                                    void **ppIPCEventHandleData,
                                                    size_t *pIPCEventHandleDataSizeRet);

/// Points to urIPCPutEventHandleExp.
typedef ur_result_t (*ur_pfnIPCPutEventHandleExp_t)(ur_context_handle_t hContext, void *pIPCEventHandleData);

/// Points to urIPCOpenEventHandleExp.
typedef ur_result_t (*ur_pfnIPCOpenEventHandleExp_t)(ur_context_handle_t hContext,
                                                     const void *pIPCEventHandleData,
                                                     size_t ipcEventHandleDataSize,
                                                     ur_event_handle_t *phEvent);

/// What urGetIPCExpProcAddrTable fills.
typedef struct ur_ipc_exp_dditable_t {
    ur_pfnIPCGetMemHandleExp_t pfnGetMemHandleExp;
    ur_pfnIPCPutMemHandleExp_t pfnPutMemHandleExp;
    ur_pfnIPCOpenMemHandleExp_t pfnOpenMemHandleExp;
    ur_pfnIPCCloseMemHandleExp_t pfnCloseMemHandleExp;
    ur_pfnIPCGetPhysMemHandleExp_t pfnGetPhysMemHandleExp;
    ur_pfnIPCPutPhysMemHandleExp_t pfnPutPhysMemHandleExp;
    ur_pfnIPCOpenPhysMemHandleExp_t pfnOpenPhysMemHandleExp;
    ur_pfnIPCClosePhysMemHandleExp_t pfnClosePhysMemHandleExp;
    ur_pfnIPCGetEventHandleExp_t pfnGetEventHandleExp;
    ur_pfnIPCPutEventHandleExp_t pfnPutEventHandleExp;
    ur_pfnIPCOpenEventHandleExp_t pfnOpenEventHandleExp;
} ur_ipc_exp_dditable_t;

/// Points to urMemoryExportAllocExportableMemoryExp.
typedef ur_result_t (*ur_pfnMemoryExportAllocExportableMemoryExp_t)(ur_context_handle_t hContext,
                                                                    ur_device_handle_t hDevice,
                                                                    size_t alignment,
                                                                    size_t size,
                                                                    ur_exp_external_mem_type_t handleTypeToExport,
                                                                    void **ppMem);

/// Points to urMemoryExportFreeExportableMemoryExp.
typedef ur_result_t (*ur_pfnMemoryExportFreeExportableMemoryExp_t)(ur_context_handle_t hContext,
                                                                   ur_device_handle_t hDevice,
                                                                   void *pMem);

/// Points to urMemoryExportExportMemoryHandleExp.
typedef ur_result_t (*ur_pfnMemoryExportExportMemoryHandleExp_t)(ur_context_handle_t hContext,
                                                                 ur_device_handle_t hDevice,
                                                                 ur_exp_external_mem_type_t handleTypeToExport,
                                                                 void *pMem,
                                                                 void *pMemHandleRet);

/// What urGetMemoryExportExpProcAddrTable fills.
typedef struct ur_memory_export_exp_dditable_t {
    ur_pfnMemoryExportAllocExportableMemoryExp_t pfnAllocExportableMemoryExp;
    ur_pfnMemoryExportFreeExportableMemoryExp_t pfnFreeExportableMemoryExp;
    ur_pfnMemoryExportExportMemoryHandleExp_t pfnExportMemoryHandleExp;
} ur_memory_export_exp_dditable_t;

/// Points to urUsmP2PEnablePeerAccessExp.
typedef ur_result_t (*ur_pfnUsmP2PEnablePeerAccessExp_t)(ur_device_handle_t commandDevice, ur_device_handle_t peerDevice);

/// Points to urUsmP2PDisablePeerAccessExp.
typedef ur_result_t (*ur_pfnUsmP2PDisablePeerAccessExp_t)(ur_device_handle_t commandDevice,
                                                          ur_device_handle_t peerDevice);

/// Points to urUsmP2PPeerAccessGetInfoExp.
typedef ur_result_t (*ur_pfnUsmP2PPeerAccessGetInfoExp_t)(ur_device_handle_t commandDevice,
                                                          ur_device_handle_t peerDevice,
                                                          ur_exp_peer_info_t propName,
                                                          size_t propSize,
                                                          void *pPropValue,
                                                          size_t *pPropSizeRet);

/// What urGetUsmP2PExpProcAddrTable fills.
typedef struct ur_usm_p2p_exp_dditable_t {
    ur_pfnUsmP2PEnablePeerAccessExp_t pfnEnablePeerAccessExp;
    ur_pfnUsmP2PDisablePeerAccessExp_t pfnDisablePeerAccessExp;
    ur_pfnUsmP2PPeerAccessGetInfoExp_t pfnPeerAccessGetInfoExp;
} ur_usm_p2p_exp_dditable_t;

/// Points to urVirtualMemGranularityGetInfo.
typedef ur_result_t (*ur_pfnVirtualMemGranularityGetInfo_t)(ur_context_handle_t hContext,
                                                            ur_device_handle_t hDevice,
                                                            size_t allocationSize,
                                                            ur_virtual_mem_granularity_info_t propName,
                                                            size_t propSize,
                                                            void *pPropValue,
                                                            size_t *pPropSizeRet);

/// Points to urVirtualMemReserve.
typedef ur_result_t (*ur_pfnVirtualMemReserve_t)(ur_context_handle_t hContext,
                                                 const void *pStart,
                                                 size_t size,
                                                 void **ppStart);

/// Points to urVirtualMemFree.
typedef ur_result_t (*ur_pfnVirtualMemFree_t)(ur_context_handle_t hContext, const void *pStart, size_t size);

/// Points to urVirtualMemMap.
typedef ur_result_t (*ur_pfnVirtualMemMap_t)(ur_context_handle_t hContext,
                                             const void *pStart,
                                             size_t size,
                                             ur_physical_mem_handle_t hPhysicalMem,
                                             size_t offset,
                                             ur_virtual_mem_access_flags_t flags);

/// Points to urVirtualMemUnmap.
typedef ur_result_t (*ur_pfnVirtualMemUnmap_t)(ur_context_handle_t hContext, const void *pStart, size_t size);

/// Points to urVirtualMemSetAccess.
typedef ur_result_t (*ur_pfnVirtualMemSetAccess_t)(ur_context_handle_t hContext,
                                                   const void *pStart,
                                                   size_t size,
                                                   ur_virtual_mem_access_flags_t flags);

/// Points to urVirtualMemGetInfo.
typedef ur_result_t (*ur_pfnVirtualMemGetInfo_t)(ur_context_handle_t hContext,
                                                 const void *pStart,
                                                 size_t size,
                                                 ur_virtual_mem_info_t propName,
                                                 size_t propSize,
                                                 void *pPropValue,
                                                 size_t *pPropSizeRet);

/// What urGetVirtualMemProcAddrTable fills.
typedef struct ur_virtual_mem_dditable_t {
    ur_pfnVirtualMemGranularityGetInfo_t pfnGranularityGetInfo;
    ur_pfnVirtualMemReserve_t pfnReserve;
    ur_pfnVirtualMemFree_t pfnFree;
    ur_pfnVirtualMemMap_t pfnMap;
    ur_pfnVirtualMemUnmap_t pfnUnmap;
    ur_pfnVirtualMemSetAccess_t pfnSetAccess;
    ur_pfnVirtualMemGetInfo_t pfnGetInfo;
} ur_virtual_mem_dditable_t;

/// Points to urDeviceGet.
typedef ur_result_t (*ur_pfnDeviceGet_t)(ur_platform_handle_t hPlatform,
                                         ur_device_type_t DeviceType,
                                         uint32_t NumEntries,
                                         ur_device_handle_t *phDevices,
                                         uint32_t *pNumDevices);

/// Points to urDeviceGetInfo.
typedef ur_result_t (*ur_pfnDeviceGetInfo_t)(ur_device_handle_t hDevice,
                                             ur_device_info_t propName,
                                             size_t propSize,
                                             void *pPropValue,
                                             size_t *pPropSizeRet);

/// Points to urDeviceRetain.
typedef ur_result_t (*ur_pfnDeviceRetain_t)(ur_device_handle_t hDevice);

/// Points to urDeviceRelease.
typedef ur_result_t (*ur_pfnDeviceRelease_t)(ur_device_handle_t hDevice);

/// Points to urDevicePartition.
typedef ur_result_t (*ur_pfnDevicePartition_t)(ur_device_handle_t hDevice,
                                               const ur_device_partition_properties_t *pProperties,
                                               uint32_t NumDevices,
                                               ur_device_handle_t *phSubDevices,
                                               uint32_t *pNumDevicesRet);

/// Points to urDeviceSelectBinary.
typedef ur_result_t (*ur_pfnDeviceSelectBinary_t)(ur_device_handle_t hDevice,
                                                  const ur_device_binary_t *pBinaries,
                                                  uint32_t NumBinaries,
                                                  uint32_t *pSelectedBinary);

/// Points to urDeviceGetNativeHandle.
typedef ur_result_t (*ur_pfnDeviceGetNativeHandle_t)(ur_device_handle_t hDevice, ur_native_handle_t *phNativeDevice);

/// Points to urDeviceCreateWithNativeHandle.
typedef ur_result_t (*ur_pfnDeviceCreateWithNativeHandle_t)(ur_native_handle_t hNativeDevice,
                                                            ur_adapter_handle_t hAdapter,
                                                            const ur_device_native_properties_t *pProperties,
                                                            ur_device_handle_t *phDevice);

/// Points to urDeviceGetGlobalTimestamps.
typedef ur_result_t (*ur_pfnDeviceGetGlobalTimestamps_t)(ur_device_handle_t hDevice,
                                                         uint64_t *pDeviceTimestamp,
                                                         uint64_t *pHostTimestamp);

/// What urGetDeviceProcAddrTable fills.
typedef struct ur_device_dditable_t {
    ur_pfnDeviceGet_t pfnGet;
    ur_pfnDeviceGetInfo_t pfnGetInfo;
    ur_pfnDeviceRetain_t pfnRetain;
    ur_pfnDeviceRelease_t pfnRelease;
    ur_pfnDevicePartition_t pfnPartition;
    ur_pfnDeviceSelectBinary_t pfnSelectBinary;
    ur_pfnDeviceGetNativeHandle_t pfnGetNativeHandle;
    ur_pfnDeviceCreateWithNativeHandle_t pfnCreateWithNativeHandle;
    ur_pfnDeviceGetGlobalTimestamps_t pfnGetGlobalTimestamps;
} ur_device_dditable_t;

/// Points to urDeviceWaitExp.
typedef ur_result_t (*ur_pfnDeviceWaitExp_t)(ur_device_handle_t hDevice);

/// What urGetDeviceExpProcAddrTable fills.
typedef struct ur_device_exp_dditable_t {
    ur_pfnDeviceWaitExp_t pfnWaitExp;
} ur_device_exp_dditable_t;

#if defined(UR_OXUR_LEGACY_API)
/// Points to urKernelSetArgValue.
typedef ur_result_t (*ur_pfnKernelSetArgValue_t)(ur_kernel_handle_t hKernel,
                                                 uint32_t argIndex,
                                                 size_t argSize,
                                                 const ur_kernel_arg_value_properties_t *pProperties,
                                                 const void *pArgValue);
#endif

#if defined(UR_OXUR_LEGACY_API)
/// Points to urKernelSetArgLocal.
typedef ur_result_t (*ur_pfnKernelSetArgLocal_t)(ur_kernel_handle_t hKernel,
                                                 uint32_t argIndex,
                                                 size_t argSize,
                                                 const ur_kernel_arg_local_properties_t *pProperties);
#endif

#if defined(UR_OXUR_LEGACY_API)
/// Points to urKernelSetArgPointer.
typedef ur_result_t (*ur_pfnKernelSetArgPointer_t)(ur_kernel_handle_t hKernel,
                                                   uint32_t argIndex,
                                                   const ur_kernel_arg_pointer_properties_t *pProperties,
                                                   const void *pArgValue);
#endif

#if defined(UR_OXUR_LEGACY_API)
/// Points to urKernelSetArgSampler.
typedef ur_result_t (*ur_pfnKernelSetArgSampler_t)(ur_kernel_handle_t hKernel,
                                                   uint32_t argIndex,
                                                   const ur_kernel_arg_sampler_properties_t *pProperties,
                                                   ur_sampler_handle_t hArgValue);
#endif

#if defined(UR_OXUR_LEGACY_API)
/// Points to urKernelSetArgMemObj.
typedef ur_result_t (*ur_pfnKernelSetArgMemObj_t)(ur_kernel_handle_t hKernel,
                                                  uint32_t argIndex,
                                                  const ur_kernel_arg_mem_obj_properties_t *pProperties,
                                                  ur_mem_handle_t hArgValue);
#endif

#if defined(UR_OXUR_LEGACY_API)
/// Points to urEnqueueKernelLaunch.
typedef ur_result_t (*ur_pfnEnqueueKernelLaunch_t)(ur_queue_handle_t hQueue,
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

#if defined(UR_OXUR_LEGACY_API)
/// What oxurGetLegacyProcAddrTable fills.
typedef struct oxur_legacy_dditable_t {
    ur_pfnKernelSetArgValue_t pfnKernelSetArgValue;
    ur_pfnKernelSetArgLocal_t pfnKernelSetArgLocal;
    ur_pfnKernelSetArgPointer_t pfnKernelSetArgPointer;
    ur_pfnKernelSetArgSampler_t pfnKernelSetArgSampler;
    ur_pfnKernelSetArgMemObj_t pfnKernelSetArgMemObj;
    ur_pfnEnqueueKernelLaunch_t pfnEnqueueKernelLaunch;
} oxur_legacy_dditable_t;
#endif


/// Points to urGetAdapterProcAddrTable.
typedef ur_result_t (*ur_pfnGetAdapterProcAddrTable_t)(ur_api_version_t version,
                                                       ur_adapter_dditable_t *pDdiTable);

/// Points to urGetPlatformProcAddrTable.
typedef ur_result_t (*ur_pfnGetPlatformProcAddrTable_t)(ur_api_version_t version,
                                                        ur_platform_dditable_t *pDdiTable);

/// Points to urGetContextProcAddrTable.
typedef ur_result_t (*ur_pfnGetContextProcAddrTable_t)(ur_api_version_t version,
                                                       ur_context_dditable_t *pDdiTable);

/// Points to urGetEventProcAddrTable.
typedef ur_result_t (*ur_pfnGetEventProcAddrTable_t)(ur_api_version_t version,
                                                     ur_event_dditable_t *pDdiTable);

/// Points to urGetEventExpProcAddrTable.
typedef ur_result_t (*ur_pfnGetEventExpProcAddrTable_t)(ur_api_version_t version,
                                                        ur_event_exp_dditable_t *pDdiTable);

/// Points to urGetProgramProcAddrTable.
typedef ur_result_t (*ur_pfnGetProgramProcAddrTable_t)(ur_api_version_t version,
                                                       ur_program_dditable_t *pDdiTable);

/// Points to urGetProgramExpProcAddrTable.
typedef ur_result_t (*ur_pfnGetProgramExpProcAddrTable_t)(ur_api_version_t version,
                                                          ur_program_exp_dditable_t *pDdiTable);

/// Points to urGetKernelProcAddrTable.
typedef ur_result_t (*ur_pfnGetKernelProcAddrTable_t)(ur_api_version_t version,
                                                      ur_kernel_dditable_t *pDdiTable);

/// Points to urGetQueueProcAddrTable.
typedef ur_result_t (*ur_pfnGetQueueProcAddrTable_t)(ur_api_version_t version,
                                                     ur_queue_dditable_t *pDdiTable);

/// Points to urGetQueueExpProcAddrTable.
typedef ur_result_t (*ur_pfnGetQueueExpProcAddrTable_t)(ur_api_version_t version,
                                                        ur_queue_exp_dditable_t *pDdiTable);

/// Points to urGetSamplerProcAddrTable.
typedef ur_result_t (*ur_pfnGetSamplerProcAddrTable_t)(ur_api_version_t version,
                                                       ur_sampler_dditable_t *pDdiTable);

/// Points to urGetMemProcAddrTable.
typedef ur_result_t (*ur_pfnGetMemProcAddrTable_t)(ur_api_version_t version,
                                                   ur_mem_dditable_t *pDdiTable);

/// Points to urGetPhysicalMemProcAddrTable.
typedef ur_result_t (*ur_pfnGetPhysicalMemProcAddrTable_t)(ur_api_version_t version,
                                                           ur_physical_mem_dditable_t *pDdiTable);

/// Points to urGetEnqueueProcAddrTable.
typedef ur_result_t (*ur_pfnGetEnqueueProcAddrTable_t)(ur_api_version_t version,
                                                       ur_enqueue_dditable_t *pDdiTable);

/// Points to urGetEnqueueExpProcAddrTable.
typedef ur_result_t (*ur_pfnGetEnqueueExpProcAddrTable_t)(ur_api_version_t version,
                                                          ur_enqueue_exp_dditable_t *pDdiTable);

/// Points to urGetUSMProcAddrTable.
typedef ur_result_t (*ur_pfnGetUSMProcAddrTable_t)(ur_api_version_t version,
                                                   ur_usm_dditable_t *pDdiTable);

/// Points to urGetUSMExpProcAddrTable.
typedef ur_result_t (*ur_pfnGetUSMExpProcAddrTable_t)(ur_api_version_t version,
                                                      ur_usm_exp_dditable_t *pDdiTable);

/// Points to urGetBindlessImagesExpProcAddrTable.
typedef ur_result_t (*ur_pfnGetBindlessImagesExpProcAddrTable_t)(ur_api_version_t version,
                                                                 ur_bindless_images_exp_dditable_t *pDdiTable);

/// Points to urGetCommandBufferExpProcAddrTable.
typedef ur_result_t (*ur_pfnGetCommandBufferExpProcAddrTable_t)(ur_api_version_t version,
                                                                ur_command_buffer_exp_dditable_t *pDdiTable);

/// Points to urGetGraphExpProcAddrTable.
typedef ur_result_t (*ur_pfnGetGraphExpProcAddrTable_t)(ur_api_version_t version,
                                                        ur_graph_exp_dditable_t *pDdiTable);

/// Points to urGetIPCExpProcAddrTable.
typedef ur_result_t (*ur_pfnGetIPCExpProcAddrTable_t)(ur_api_version_t version,
                                                      ur_ipc_exp_dditable_t *pDdiTable);

/// Points to urGetMemoryExportExpProcAddrTable.
typedef ur_result_t (*ur_pfnGetMemoryExportExpProcAddrTable_t)(ur_api_version_t version,
                                                               ur_memory_export_exp_dditable_t *pDdiTable);

/// Points to urGetUsmP2PExpProcAddrTable.
typedef ur_result_t (*ur_pfnGetUsmP2PExpProcAddrTable_t)(ur_api_version_t version,
                                                         ur_usm_p2p_exp_dditable_t *pDdiTable);

/// Points to urGetVirtualMemProcAddrTable.
typedef ur_result_t (*ur_pfnGetVirtualMemProcAddrTable_t)(ur_api_version_t version,
                                                          ur_virtual_mem_dditable_t *pDdiTable);

/// Points to urGetDeviceProcAddrTable.
typedef ur_result_t (*ur_pfnGetDeviceProcAddrTable_t)(ur_api_version_t version,
                                                      ur_device_dditable_t *pDdiTable);

/// Points to urGetDeviceExpProcAddrTable.
typedef ur_result_t (*ur_pfnGetDeviceExpProcAddrTable_t)(ur_api_version_t version,
                                                         ur_device_exp_dditable_t *pDdiTable);

/// All tables of an adapter. The first word of every handle points to one.
typedef struct ur_dditable_t {
    ur_adapter_dditable_t Adapter;
    ur_platform_dditable_t Platform;
    ur_context_dditable_t Context;
    ur_event_dditable_t Event;
    ur_event_exp_dditable_t EventExp;
    ur_program_dditable_t Program;
    ur_program_exp_dditable_t ProgramExp;
    ur_kernel_dditable_t Kernel;
    ur_queue_dditable_t Queue;
    ur_queue_exp_dditable_t QueueExp;
    ur_sampler_dditable_t Sampler;
    ur_mem_dditable_t Mem;
    ur_physical_mem_dditable_t PhysicalMem;
    ur_enqueue_dditable_t Enqueue;
    ur_enqueue_exp_dditable_t EnqueueExp;
    ur_usm_dditable_t USM;
    ur_usm_exp_dditable_t USMExp;
    ur_bindless_images_exp_dditable_t BindlessImagesExp;
    ur_command_buffer_exp_dditable_t CommandBufferExp;
    ur_graph_exp_dditable_t GraphExp;
    ur_ipc_exp_dditable_t IPCExp;
    ur_memory_export_exp_dditable_t MemoryExportExp;
    ur_usm_p2p_exp_dditable_t UsmP2PExp;
    ur_virtual_mem_dditable_t VirtualMem;
    ur_device_dditable_t Device;
    ur_device_exp_dditable_t DeviceExp;
} ur_dditable_t;

#if defined(UR_OXUR_LEGACY_API)
/// Points to oxurGetLegacyProcAddrTable.
typedef ur_result_t (*oxur_pfnGetLegacyProcAddrTable_t)(ur_api_version_t version,
                                                        oxur_legacy_dditable_t *pDdiTable);
#endif

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// Fills an adapter's ur_adapter_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetAdapterProcAddrTable(ur_api_version_t version,
                                      ur_adapter_dditable_t *pDdiTable);

/// Fills an adapter's ur_platform_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetPlatformProcAddrTable(ur_api_version_t version,
                                       ur_platform_dditable_t *pDdiTable);

/// Fills an adapter's ur_context_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetContextProcAddrTable(ur_api_version_t version,
                                      ur_context_dditable_t *pDdiTable);

/// Fills an adapter's ur_event_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetEventProcAddrTable(ur_api_version_t version,
                                    ur_event_dditable_t *pDdiTable);

/// Fills an adapter's ur_event_exp_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetEventExpProcAddrTable(ur_api_version_t version,
                                       ur_event_exp_dditable_t *pDdiTable);

/// Fills an adapter's ur_program_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetProgramProcAddrTable(ur_api_version_t version,
                                      ur_program_dditable_t *pDdiTable);

/// Fills an adapter's ur_program_exp_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetProgramExpProcAddrTable(ur_api_version_t version,
                                         ur_program_exp_dditable_t *pDdiTable);

/// Fills an adapter's ur_kernel_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetKernelProcAddrTable(ur_api_version_t version,
                                     ur_kernel_dditable_t *pDdiTable);

/// Fills an adapter's ur_queue_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetQueueProcAddrTable(ur_api_version_t version,
                                    ur_queue_dditable_t *pDdiTable);

/// Fills an adapter's ur_queue_exp_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetQueueExpProcAddrTable(ur_api_version_t version,
                                       ur_queue_exp_dditable_t *pDdiTable);

/// Fills an adapter's ur_sampler_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetSamplerProcAddrTable(ur_api_version_t version,
                                      ur_sampler_dditable_t *pDdiTable);

/// Fills an adapter's ur_mem_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetMemProcAddrTable(ur_api_version_t version,
                                  ur_mem_dditable_t *pDdiTable);

/// Fills an adapter's ur_physical_mem_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetPhysicalMemProcAddrTable(ur_api_version_t version,
                                          ur_physical_mem_dditable_t *pDdiTable);

/// Fills an adapter's ur_enqueue_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetEnqueueProcAddrTable(ur_api_version_t version,
                                      ur_enqueue_dditable_t *pDdiTable);

/// Fills an adapter's ur_enqueue_exp_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetEnqueueExpProcAddrTable(ur_api_version_t version,
                                         ur_enqueue_exp_dditable_t *pDdiTable);

/// Fills an adapter's ur_usm_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetUSMProcAddrTable(ur_api_version_t version,
                                  ur_usm_dditable_t *pDdiTable);

/// Fills an adapter's ur_usm_exp_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetUSMExpProcAddrTable(ur_api_version_t version,
                                     ur_usm_exp_dditable_t *pDdiTable);

/// Fills an adapter's ur_bindless_images_exp_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetBindlessImagesExpProcAddrTable(ur_api_version_t version,
                                                ur_bindless_images_exp_dditable_t *pDdiTable);

/// Fills an adapter's ur_command_buffer_exp_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetCommandBufferExpProcAddrTable(ur_api_version_t version,
                                               ur_command_buffer_exp_dditable_t *pDdiTable);

/// Fills an adapter's ur_graph_exp_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetGraphExpProcAddrTable(ur_api_version_t version,
                                       ur_graph_exp_dditable_t *pDdiTable);

/// Fills an adapter's ur_ipc_exp_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetIPCExpProcAddrTable(ur_api_version_t version,
                                     ur_ipc_exp_dditable_t *pDdiTable);

/// Fills an adapter's ur_memory_export_exp_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetMemoryExportExpProcAddrTable(ur_api_version_t version,
                                              ur_memory_export_exp_dditable_t *pDdiTable);

/// Fills an adapter's ur_usm_p2p_exp_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetUsmP2PExpProcAddrTable(ur_api_version_t version,
                                        ur_usm_p2p_exp_dditable_t *pDdiTable);

/// Fills an adapter's ur_virtual_mem_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetVirtualMemProcAddrTable(ur_api_version_t version,
                                         ur_virtual_mem_dditable_t *pDdiTable);

/// Fills an adapter's ur_device_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetDeviceProcAddrTable(ur_api_version_t version,
                                     ur_device_dditable_t *pDdiTable);

/// Fills an adapter's ur_device_exp_dditable_t. Every adapter exports it.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t urGetDeviceExpProcAddrTable(ur_api_version_t version,
                                        ur_device_exp_dditable_t *pDdiTable);

#if defined(UR_OXUR_LEGACY_API)
/// Fills an adapter's oxur_legacy_dditable_t. An adapter may export it beside the others.
///
/// @param[in] version the caller's version of the API
/// @param[in,out] pDdiTable the table to fill
///
/// @returns `UR_RESULT_SUCCESS`, `UR_RESULT_ERROR_INVALID_NULL_POINTER`, `UR_RESULT_ERROR_UNSUPPORTED_VERSION`
UR_DLLEXPORT
ur_result_t oxurGetLegacyProcAddrTable(ur_api_version_t version,
                                       oxur_legacy_dditable_t *pDdiTable);
#endif

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* UR_DDI_H_INCLUDED */
