// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The functions of `ur_program_exp_dditable_t`, in the order of its slots.

#[doc(hidden)]
#[macro_export]
macro_rules! program_exp_functions {
    ($($how:tt)*) => {
        $crate::__table! { [$($how)*]
                table ProgramExp: ProgramExpDdiTable = ur_program_exp_dditable_t, urGetProgramExpProcAddrTable;

                /// Binds the imported symbols of built programs to the symbols that other programs of the list export.
                ///
                /// No new program is made: on success the kernels of all listed programs can run. Unresolved symbols give
                /// PROGRAM_LINK_FAILURE, an adapter without dynamic linking UNSUPPORTED_FEATURE; the Level Zero analogue is
                /// zeModuleDynamicLink.
                fn urProgramDynamicLinkExp = (pfnDynamicLinkExp, 294), via hContext (
                    /// context of the programs
                    [in] hContext: ContextHandle,
                    /// length of `phPrograms`; 0 gives INVALID_SIZE
                    [in] count: u32,
                    /// array of `count` programs to bind to each other
                    [in, range(count)] phPrograms: *const ProgramHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_PROGRAM, ERROR_INVALID_SIZE,
                    ERROR_PROGRAM_LINK_FAILURE, ERROR_UNSUPPORTED_FEATURE
                ];

                /// Compiles and links a program into an executable for each of the listed devices.
                ///
                /// Errors give PROGRAM_BUILD_FAILURE; the log comes from `urProgramGetBuildInfo`. The OpenCL analogue is
                /// clBuildProgram.
                fn urProgramBuildExp = (pfnBuildExp, 197), via hProgram (
                    /// program to build; holds the executables afterwards
                    [in] hProgram: ProgramHandle,
                    /// length of `phDevices`
                    [in] numDevices: u32,
                    /// array of `numDevices` devices to build for
                    [in, range(numDevices)] phDevices: *mut DeviceHandle,
                    /// options of the build
                    [in] flags: ExpProgramFlags,
                    /// null-terminated compiler options; null for none
                    [in, optional] pOptions: *const c_char,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_PROGRAM, ERROR_PROGRAM_BUILD_FAILURE
                ];

                /// Compiles a program into object code for each of the listed devices, to be linked later.
                ///
                /// Errors give PROGRAM_BUILD_FAILURE; the log comes from `urProgramGetBuildInfo`. The OpenCL analogue is
                /// clCompileProgram.
                fn urProgramCompileExp = (pfnCompileExp, 198), via hProgram (
                    /// program to compile; holds the objects afterwards
                    [inout] hProgram: ProgramHandle,
                    /// length of `phDevices`
                    [in] numDevices: u32,
                    /// array of `numDevices` devices to compile for
                    [in, range(numDevices)] phDevices: *mut DeviceHandle,
                    /// options of the compilation
                    [in] flags: ExpProgramFlags,
                    /// null-terminated compiler options; null for none
                    [in, optional] pOptions: *const c_char,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_PROGRAM, ERROR_PROGRAM_BUILD_FAILURE
                ];

                /// Links compiled programs into a new executable program for each of the listed devices.
                ///
                /// On PROGRAM_LINK_FAILURE a program may still be returned, good only for reading its build log; else it is
                /// set to null. The OpenCL analogue is clLinkProgram.
                fn urProgramLinkExp = (pfnLinkExp, 199), via hContext (
                    /// context of the programs
                    [in] hContext: ContextHandle,
                    /// length of `phDevices`
                    [in] numDevices: u32,
                    /// array of `numDevices` devices to link for
                    [in, range(numDevices)] phDevices: *mut DeviceHandle,
                    /// options of the link
                    [in] flags: ExpProgramFlags,
                    /// length of `phPrograms`; 0 gives INVALID_SIZE
                    [in] count: u32,
                    /// array of `count` compiled programs
                    [in, range(count)] phPrograms: *const ProgramHandle,
                    /// null-terminated linker options; null for none
                    [in, optional] pOptions: *const c_char,
                    /// receives the linked program, released with `urProgramRelease`
                    [out, alloc] phProgram: *mut ProgramHandle,
                ) -> [
                    ERROR_INVALID_NULL_HANDLE, ERROR_INVALID_NULL_POINTER, ERROR_INVALID_ENUMERATION,
                    ERROR_INVALID_PROGRAM, ERROR_INVALID_SIZE, ERROR_PROGRAM_LINK_FAILURE
                ];
        }
    };
}
