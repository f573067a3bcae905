// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_kernel_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! kernel_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
        table Kernel: KernelDdiTable = ur_kernel_dditable_t, urGetKernelProcAddrTable;

        /// Creates a kernel object for one named entry point of a built program.
        ///
        /// The caller owns the new handle and drops it with urKernelRelease. A name the program does not define gives
        /// UR_RESULT_ERROR_INVALID_KERNEL_NAME; a program without a built binary gives
        /// UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE. OpenCL analogue: clCreateKernel; Level Zero: zeKernelCreate.
        fn urKernelCreate = (pfnCreate, 48), via hProgram (
            /// built program that defines the entry point
            [in] hProgram: ProgramHandle,
            /// null-terminated name of the kernel's entry point
            [in] pKernelName: *const c_char,
            /// receives the new kernel, with a reference count of 1
            [out, alloc] phKernel: *mut KernelHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_KERNEL_NAME];

        /// Returns one property of a kernel.
        ///
        /// Pass a null value pointer to learn the size in bytes first. Properties that are optional for adapters may
        /// give UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION. OpenCL analogue: clGetKernelInfo.
        fn urKernelGetInfo = (pfnGetInfo, 51), via hKernel (
            /// kernel to query
            [in] hKernel: KernelHandle,
            /// which property to return
            [in] propName: KernelInfo,
            [in] propSize: usize,
            [inout, optional, typename(propName, propSize)] pPropValue: *mut c_void,
            [out, optional] pPropSizeRet: *mut usize,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
            ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_KERNEL, ERROR_OUT_OF_RESOURCES,
            ERROR_OUT_OF_HOST_MEMORY
        ];

        /// Returns one work-group property of a kernel for a given device.
        ///
        /// Pass a null value pointer to learn the size in bytes first. OpenCL analogue: clGetKernelWorkGroupInfo.
        fn urKernelGetGroupInfo = (pfnGetGroupInfo, 52), via hKernel (
            /// kernel to query
            [in] hKernel: KernelHandle,
            /// device the answer applies to; the kernel's program must be built for it
            [in] hDevice: DeviceHandle,
            /// which work-group property to return
            [in] propName: KernelGroupInfo,
            [in] propSize: usize,
            [inout, optional, typename(propName, propSize)] pPropValue: *mut c_void,
            [out, optional] pPropSizeRet: *mut usize,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION];

        /// Returns one sub-group property of a kernel for a given device.
        ///
        /// Pass a null value pointer to learn the size in bytes first. OpenCL analogue: clGetKernelSubGroupInfo.
        fn urKernelGetSubGroupInfo = (pfnGetSubGroupInfo, 53), via hKernel (
            /// kernel to query
            [in] hKernel: KernelHandle,
            /// device the answer applies to; the kernel's program must be built for it
            [in] hDevice: DeviceHandle,
            /// which sub-group property to return
            [in] propName: KernelSubGroupInfo,
            [in] propSize: usize,
            [inout, optional, typename(propName, propSize)] pPropValue: *mut c_void,
            [out, optional] pPropSizeRet: *mut usize,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION];

        /// Adds one reference to a kernel.
        ///
        /// Each call must be balanced by a urKernelRelease. OpenCL analogue: clRetainKernel.
        fn urKernelRetain = (pfnRetain, 54), via hKernel (
            /// kernel whose reference count goes up by one
            [in, retain] hKernel: KernelHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE];

        /// Drops one reference to a kernel and destroys it when none is left.
        ///
        /// Launches already enqueued keep what they need until they finish. OpenCL analogue: clReleaseKernel.
        fn urKernelRelease = (pfnRelease, 55), via hKernel (
            /// kernel whose reference count goes down by one; do not use it after your last release
            [in, release] hKernel: KernelHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE];

        /// Returns the backend's own handle of a kernel (cl_kernel, ze_kernel_handle_t, CUfunction …).
        ///
        /// No reference is added: the native handle is valid only while the kernel lives.
        /// UR_RESULT_ERROR_UNSUPPORTED_FEATURE when the backend has no such object.
        fn urKernelGetNativeHandle = (pfnGetNativeHandle, 61), via hKernel (
            /// kernel whose native handle is wanted
            [in] hKernel: KernelHandle,
            /// receives the backend handle; it stays owned by the kernel
            [out] phNativeKernel: *mut NativeHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

        /// Creates a kernel object around an existing backend kernel.
        ///
        /// The caller owns the UR handle and drops it with urKernelRelease; who destroys the native object follows
        /// isNativeHandleOwned. UR_RESULT_ERROR_UNSUPPORTED_FEATURE when the backend has no such object.
        fn urKernelCreateWithNativeHandle = (pfnCreateWithNativeHandle, 62), via hContext (
            /// backend kernel to wrap; not validated
            [in, nocheck] hNativeKernel: NativeHandle,
            /// context the kernel is to belong to
            [in] hContext: ContextHandle,
            /// program the native kernel comes from; null when there is none to name
            [in, optional] hProgram: ProgramHandle,
            [in, optional] pProperties: *const KernelNativeProperties,
            /// receives the new kernel, with a reference count of 1
            [out, alloc] phKernel: *mut KernelHandle,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

        /// Returns the work-group size the implementation would choose for a launch with the given range.
        ///
        /// The kernel's arguments should be set beforehand, since local memory use can affect the choice. OpenCL
        /// analogue: clGetKernelSuggestedLocalWorkSizeKHR; Level Zero: zeKernelSuggestGroupSize.
        fn urKernelGetSuggestedLocalWorkSize = (pfnGetSuggestedLocalWorkSize, 225), via hKernel (
            /// kernel to be launched
            [in] hKernel: KernelHandle,
            /// queue the launch would go to; selects the device
            [in] hQueue: QueueHandle,
            /// dimensions of the range, 1 to 3; length of the three arrays
            [in] numWorkDim: u32,
            /// array of numWorkDim values: first global id in each dimension; null is an error
            [in] pGlobalWorkOffset: *const usize,
            /// array of numWorkDim values: global range in work-items
            [in] pGlobalWorkSize: *const usize,
            /// array of numWorkDim values to fill: suggested work-group size in work-items
            [out] pSuggestedLocalWorkSize: *mut usize,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

        /// Sets the kernel's arguments and returns the work-group size the implementation would choose for the given
        /// range.
        ///
        /// Combines argument setting with urKernelGetSuggestedLocalWorkSize, to pair with
        /// urEnqueueKernelLaunchWithArgsExp. A null pArgs with numArgs above 0 gives
        /// UR_RESULT_ERROR_INVALID_NULL_POINTER; adapters without support give UR_RESULT_ERROR_UNSUPPORTED_FEATURE.
        fn urKernelGetSuggestedLocalWorkSizeWithArgs = (pfnGetSuggestedLocalWorkSizeWithArgs, 311, since "2026.2"), via hKernel (
            /// kernel to be launched
            [in] hKernel: KernelHandle,
            /// queue the launch would go to; selects the device
            [in] hQueue: QueueHandle,
            /// dimensions of the range, 1 to 3; length of the three size arrays
            [in] numWorkDim: u32,
            /// array of numWorkDim values: first global id in each dimension; null is an error
            [in] pGlobalWorkOffset: *const usize,
            /// array of numWorkDim values: global range in work-items
            [in] pGlobalWorkSize: *const usize,
            /// length of pArgs
            [in] numArgs: u32,
            /// array of numArgs argument descriptions to apply; null only when numArgs is 0
            [in, optional, range(numArgs)] pArgs: *const ExpKernelArgProperties,
            /// array of numWorkDim values to fill: suggested work-group size in work-items
            [out] pSuggestedLocalWorkSize: *mut usize,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
            ERROR_UNSUPPORTED_FEATURE
        ];

        /// Changes one execution attribute of a kernel for its later launches.
        ///
        /// Launches enqueued earlier are unaffected. OpenCL analogue: clSetKernelExecInfo; Level Zero:
        /// zeKernelSetIndirectAccess and zeKernelSetCacheConfig.
        fn urKernelSetExecInfo = (pfnSetExecInfo, 57), via hKernel (
            /// kernel to change
            [in] hKernel: KernelHandle,
            /// which attribute to set; it also fixes the type of the value
            [in] propName: KernelExecInfo,
            [in] propSize: usize,
            [in, optional] pProperties: *const KernelExecInfoProperties,
            [in, typename(propName, propSize)] pPropValue: *const c_void,
        ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_INVALID_NULL_POINTER];

        /// Sets specialization constants on a kernel after its program has been built.
        ///
        /// Only adapters that can do this cheaply before a launch offer it:
        /// UR_DEVICE_INFO_KERNEL_SET_SPECIALIZATION_CONSTANTS reports this. Otherwise the result is
        /// UR_RESULT_ERROR_UNSUPPORTED_FEATURE (use urProgramSetSpecializationConstants). An unknown id gives
        /// UR_RESULT_ERROR_INVALID_SPEC_ID,
        /// a wrong size or null value UR_RESULT_ERROR_INVALID_VALUE, a zero count UR_RESULT_ERROR_INVALID_SIZE.
        fn urKernelSetSpecializationConstants = (pfnSetSpecializationConstants, 60), via hKernel (
            /// kernel to specialize
            [in] hKernel: KernelHandle,
            /// length of pSpecConstants; must not be 0
            [in] count: u32,
            /// array of count entries, each giving id, size in bytes and value
            [in] pSpecConstants: *const SpecializationConstantInfo,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_SIZE,
            ERROR_UNSUPPORTED_FEATURE, ERROR_INVALID_VALUE, ERROR_INVALID_SPEC_ID
        ];

        /// Returns how many work-groups of a cooperative kernel can be resident on a device at once.
        ///
        /// A cooperative launch with more groups than this cannot synchronize device-wide.
        /// UR_RESULT_ERROR_UNSUPPORTED_FEATURE when the device lacks cooperative launches,
        /// UR_RESULT_ERROR_INVALID_WORK_DIMENSION when workDim is not 1 to 3. Level Zero analogue:
        /// zeKernelSuggestMaxCooperativeGroupCount.
        fn urKernelSuggestMaxCooperativeGroupCount = (pfnSuggestMaxCooperativeGroupCount, 272), via hKernel (
            /// kernel to be launched cooperatively
            [in] hKernel: KernelHandle,
            /// device the answer applies to
            [in] hDevice: DeviceHandle,
            /// dimensions of the work-group, 1 to 3
            [in] workDim: u32,
            /// array of workDim values: planned work-group size in work-items
            [in] pLocalWorkSize: *const usize,
            /// bytes of dynamic local memory per work-group the launch will use
            [in] dynamicSharedMemorySize: usize,
            /// receives the maximum total number of work-groups
            [out] pGroupCountRet: *mut u32,
        ) -> [
            ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_KERNEL,
            ERROR_UNSUPPORTED_FEATURE, ERROR_INVALID_WORK_DIMENSION
        ];
} } }
