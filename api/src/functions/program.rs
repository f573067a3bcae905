// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_program_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! program_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table Program: ProgramDdiTable = ur_program_dditable_t, urGetProgramProcAddrTable;

                /// Creates a program from an intermediate-language module such as SPIR-V.
                ///
                /// Nothing is compiled until urProgramBuild or urProgramCompile, though a malformed module may be rejected
                /// here with UR_RESULT_ERROR_INVALID_BINARY. UR_RESULT_ERROR_COMPILER_NOT_AVAILABLE means the devices accept
                /// native binaries only. The caller releases with urProgramRelease. Counterpart of clCreateProgramWithIL.
                fn urProgramCreateWithIL = (pfnCreateWithIL, 78), via hContext (
                    /// context the program belongs to
                    [in] hContext: ContextHandle,
                    /// module bytes; read only during the call
                    [in] pIL: *const c_void,
                    /// bytes at pIL; must not be 0
                    [in] length: usize,
                    [in, optional] pProperties: *const ProgramProperties,
                    /// receives the new program; release with urProgramRelease
                    [out, alloc] phProgram: *mut ProgramHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_SIZE, ERROR_INVALID_BINARY,
                    ERROR_COMPILER_NOT_AVAILABLE
                ];

                /// Creates a program from one native binary per device.
                ///
                /// The three arrays run in parallel, and every device must belong to the context. A binary that does not fit
                /// its device gives UR_RESULT_ERROR_INVALID_NATIVE_BINARY, here or at build time. Counterpart of
                /// clCreateProgramWithBinary.
                fn urProgramCreateWithBinary = (pfnCreateWithBinary, 79), via hContext (
                    /// context the program belongs to
                    [in] hContext: ContextHandle,
                    /// entries in each of the three arrays; must not be 0
                    [in] numDevices: u32,
                    /// array of numDevices devices
                    [in, range(numDevices)] phDevices: *mut DeviceHandle,
                    /// array of numDevices binary lengths in bytes
                    [in, range(numDevices)] pLengths: *mut usize,
                    /// array of numDevices pointers to binaries; entry i is for device i
                    [in, range(numDevices)] ppBinaries: *mut *const u8,
                    [in, optional] pProperties: *const ProgramProperties,
                    /// receives the new program; release with urProgramRelease
                    [out, alloc] phProgram: *mut ProgramHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_SIZE,
                    ERROR_INVALID_NATIVE_BINARY
                ];

                /// Compiles and links a program in one step for all devices of the context.
                ///
                /// On success urKernelCreate accepts the program. On UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE the log is
                /// available through urProgramGetBuildInfo. Counterpart of clBuildProgram and zeModuleCreate.
                fn urProgramBuild = (pfnBuild, 80), via hContext (
                    /// context the program was created in
                    [in] hContext: ContextHandle,
                    /// program to build in place
                    [in] hProgram: ProgramHandle,
                    /// NUL-terminated compiler and linker options; null for none
                    [in, optional] pOptions: *const c_char,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_PROGRAM, ERROR_PROGRAM_BUILD_FAILURE];

                /// Compiles a program to unlinked object code for all devices of the context.
                ///
                /// Feed the result to urProgramLink. On UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE the log is available through
                /// urProgramGetBuildInfo. Counterpart of clCompileProgram.
                fn urProgramCompile = (pfnCompile, 81), via hContext (
                    /// context the program was created in
                    [in] hContext: ContextHandle,
                    /// program to compile in place
                    [inout] hProgram: ProgramHandle,
                    /// NUL-terminated compiler options; null for none
                    [in, optional] pOptions: *const c_char,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_PROGRAM, ERROR_PROGRAM_BUILD_FAILURE];

                /// Links compiled programs into a new executable program for all devices of the context.
                ///
                /// The inputs are left as they are; the caller releases the result with urProgramRelease. When linking fails,
                /// *phProgram is either null or a program good for nothing but reading its build log. Counterpart of
                /// clLinkProgram.
                fn urProgramLink = (pfnLink, 82), via hContext (
                    /// context all the programs belong to
                    [in] hContext: ContextHandle,
                    /// entries in phPrograms; must not be 0
                    [in] count: u32,
                    /// array of count compiled programs
                    [in, range(count)] phPrograms: *const ProgramHandle,
                    /// NUL-terminated linker options; null for none
                    [in, optional] pOptions: *const c_char,
                    /// receives the linked program, possibly also on failure; release with urProgramRelease
                    [out, alloc] phProgram: *mut ProgramHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_PROGRAM, ERROR_INVALID_SIZE,
                    ERROR_PROGRAM_LINK_FAILURE
                ];

                /// Adds one reference to a program.
                ///
                /// Balance every call with urProgramRelease. Counterpart of clRetainProgram.
                fn urProgramRetain = (pfnRetain, 83), via hProgram (
                    /// program to keep alive
                    [in, retain] hProgram: ProgramHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Drops one reference to a program and destroys it when none is left.
                ///
                /// Kernels created from a program keep it alive. Counterpart of clReleaseProgram.
                fn urProgramRelease = (pfnRelease, 84), via hProgram (
                    /// program to let go of; do not use it after the last reference
                    [in, release] hProgram: ProgramHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE];

                /// Returns the device address of a function in a built program.
                ///
                /// An unbuilt program gives UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE. An unknown name gives
                /// UR_RESULT_ERROR_INVALID_KERNEL_NAME; a known function whose address the backend cannot supply gives
                /// UR_RESULT_ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE. Counterpart of clGetDeviceFunctionPointerINTEL and
                /// zeModuleGetFunctionPointer.
                fn urProgramGetFunctionPointer = (pfnGetFunctionPointer, 85), via hDevice (
                    /// device whose code is meant
                    [in] hDevice: DeviceHandle,
                    /// program built for that device
                    [in] hProgram: ProgramHandle,
                    /// NUL-terminated function name, as mangled in the device code
                    [in] pFunctionName: *const c_char,
                    /// receives the address, callable from device code only
                    [out] ppFunctionPointer: *mut *mut c_void,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_KERNEL_NAME,
                    ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE, ERROR_UNSUPPORTED_FEATURE
                ];

                /// Returns the device address, and the size, of a global variable in a built program.
                ///
                /// The memory belongs to the program. An unknown name gives UR_RESULT_ERROR_INVALID_VALUE. Counterpart of
                /// clGetDeviceGlobalVariablePointerINTEL and zeModuleGetGlobalPointer.
                fn urProgramGetGlobalVariablePointer = (pfnGetGlobalVariablePointer, 216), via hDevice (
                    /// device whose instance is meant
                    [in] hDevice: DeviceHandle,
                    /// program built for that device
                    [in] hProgram: ProgramHandle,
                    /// NUL-terminated variable name
                    [in] pGlobalVariableName: *const c_char,
                    /// receives the variable's size in bytes; null if not wanted
                    [out, optional] pGlobalVariableSizeRet: *mut usize,
                    /// receives the device address; valid while the program lives
                    [out] ppGlobalVariablePointerRet: *mut *mut c_void,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_VALUE];

                /// Returns one property of a program.
                ///
                /// Kernel queries make sense only after a successful build. Returned handles are not retained. Counterpart of
                /// clGetProgramInfo.
                fn urProgramGetInfo = (pfnGetInfo, 86), via hProgram (
                    /// program to query
                    [in] hProgram: ProgramHandle,
                    /// property wanted; fixes the type of the result
                    [in] propName: ProgramInfo,
                    [in] propSize: usize,
                    [inout, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION, ERROR_UNSUPPORTED_ENUMERATION,
                    ERROR_INVALID_SIZE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_PROGRAM, ERROR_OUT_OF_RESOURCES,
                    ERROR_OUT_OF_HOST_MEMORY
                ];

                /// Returns one build-related property of a program for one device.
                ///
                /// Counterpart of clGetProgramBuildInfo.
                fn urProgramGetBuildInfo = (pfnGetBuildInfo, 87), via hProgram (
                    /// program to query
                    [in] hProgram: ProgramHandle,
                    /// device whose build is meant
                    [in] hDevice: DeviceHandle,
                    /// property wanted; fixes the type of the result
                    [in] propName: ProgramBuildInfo,
                    [in] propSize: usize,
                    [inout, optional, typename(propName, propSize)] pPropValue: *mut c_void,
                    [out, optional] pPropSizeRet: *mut usize,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_ENUMERATION];

                /// Sets values of specialization constants for later builds of an IL program.
                ///
                /// Only builds and compiles started afterwards see them. Without device support the call gives
                /// UR_RESULT_ERROR_UNSUPPORTED_FEATURE; an unknown id gives UR_RESULT_ERROR_INVALID_SPEC_ID. Counterpart of
                /// clSetProgramSpecializationConstant.
                fn urProgramSetSpecializationConstants = (pfnSetSpecializationConstants, 88), via hProgram (
                    /// program created by urProgramCreateWithIL
                    [in] hProgram: ProgramHandle,
                    /// entries in pSpecConstants; must not be 0
                    [in] count: u32,
                    /// array of count id/value pairs; read only during the call
                    [in, range(count)] pSpecConstants: *const SpecializationConstantInfo,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_SIZE,
                    ERROR_UNSUPPORTED_FEATURE, ERROR_INVALID_VALUE, ERROR_INVALID_SPEC_ID
                ];

                /// Returns the backend program behind a UR program.
                ///
                /// Ownership stays with UR, so the native handle is valid only while the UR program lives.
                /// UR_RESULT_ERROR_UNSUPPORTED_FEATURE means the backend has no such object.
                fn urProgramGetNativeHandle = (pfnGetNativeHandle, 89), via hProgram (
                    /// program to look behind
                    [in] hProgram: ProgramHandle,
                    /// receives the borrowed backend handle, e.g. cl_program or ze_module_handle_t
                    [out] phNativeProgram: *mut NativeHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];

                /// Wraps an existing backend program in a UR program.
                ///
                /// The caller releases the wrapper with urProgramRelease; whether that also destroys the native program
                /// follows isNativeHandleOwned.
                fn urProgramCreateWithNativeHandle = (pfnCreateWithNativeHandle, 90), via hContext (
                    /// backend program, e.g. cl_program or ze_module_handle_t
                    [in, nocheck] hNativeProgram: NativeHandle,
                    /// context the native program belongs to
                    [in] hContext: ContextHandle,
                    [in, optional] pProperties: *const ProgramNativeProperties,
                    /// receives the wrapping program; release with urProgramRelease
                    [out, alloc] phProgram: *mut ProgramHandle,
                ) -> [ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_UNSUPPORTED_FEATURE];
        }
    };
}
