// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_sampler_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! sampler_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table Sampler: SamplerDdiTable = ur_sampler_dditable_t, urGetSamplerProcAddrTable;

                /// Creates a sampler from a descriptor.
                ///
                /// The caller owns one reference and gives it up with urSamplerRelease. Contexts whose devices lack image
                /// support give UR_RESULT_ERROR_UNSUPPORTED_FEATURE. Counterpart of clCreateSamplerWithProperties and
                /// zeSamplerCreate.
                fn urSamplerCreate = (pfnCreate, 101), via hContext (
                    /// context whose devices may use the sampler
                    [in] hContext: ContextHandle,
                    /// coordinate, addressing and filter settings
                    [in] pDesc: *const SamplerDesc,
                    /// receives the new sampler; release with urSamplerRelease
                    [out, alloc] phSampler: *mut SamplerHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_CONTEXT, ERROR_INVALID_VALUE, ERROR_INVALID_OPERATION, ERROR_OUT_OF_HOST_MEMORY,
                    ERROR_OUT_OF_RESOURCES, ERROR_UNSUPPORTED_FEATURE
                ];

                /// Adds one reference to a sampler.
                ///
                /// Balance every call with urSamplerRelease. Counterpart of clRetainSampler.
                fn urSamplerRetain = (pfnRetain, 102), via hSampler (
                    /// sampler to keep alive
                    [in, retain] hSampler: SamplerHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_SAMPLER, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES,
                    ERROR_UNSUPPORTED_FEATURE
                ];

                /// Drops one reference to a sampler and destroys it when none is left.
                ///
                /// Counterpart of clReleaseSampler.
                fn urSamplerRelease = (pfnRelease, 103), via hSampler (
                    /// sampler to let go of; do not use it after the last reference
                    [in, release] hSampler: SamplerHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_SAMPLER, ERROR_OUT_OF_HOST_MEMORY, ERROR_OUT_OF_RESOURCES,
                    ERROR_UNSUPPORTED_FEATURE
                ];

                /// Returns one property of a sampler.
                ///
                /// Counterpart of clGetSamplerInfo; returned handles are not retained.
                fn urSamplerGetInfo = (pfnGetInfo, 104), via hSampler (
                    /// sampler to query
                    [in] hSampler: SamplerHandle,
                    /// property wanted; fixes the type of the result
                    [in] propName: SamplerInfo,
                    [in] propSize: usize,
                    [out, typename(propName, propSize), optional] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_SAMPLER, ERROR_OUT_OF_HOST_MEMORY,
                    ERROR_OUT_OF_RESOURCES, ERROR_UNSUPPORTED_FEATURE
                ];

                /// Returns the backend sampler behind a UR sampler.
                ///
                /// Ownership stays with UR, so the native handle is valid only while the UR sampler lives.
                /// UR_RESULT_ERROR_UNSUPPORTED_FEATURE means the backend has no such object.
                fn urSamplerGetNativeHandle = (pfnGetNativeHandle, 105), via hSampler (
                    /// sampler to look behind
                    [in] hSampler: SamplerHandle,
                    /// receives the borrowed backend handle, e.g. cl_sampler or ze_sampler_handle_t
                    [out] phNativeSampler: *mut NativeHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Wraps an existing backend sampler in a UR sampler.
                ///
                /// The caller releases the wrapper with urSamplerRelease; whether that also destroys the native sampler
                /// follows isNativeHandleOwned.
                fn urSamplerCreateWithNativeHandle = (pfnCreateWithNativeHandle, 106), via hContext (
                    /// backend sampler, e.g. cl_sampler or ze_sampler_handle_t
                    [in, nocheck] hNativeSampler: NativeHandle,
                    /// context the native sampler belongs to
                    [in] hContext: ContextHandle,
                    [in, optional] pProperties: *const SamplerNativeProperties,
                    /// receives the wrapping sampler; release with urSamplerRelease
                    [out, alloc] phSampler: *mut SamplerHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];
        }
    };
}
