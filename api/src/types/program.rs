// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Programs: properties, metadata, specialization constants.

use super::*;

ur_types! {
    /// Tag saying which member of ur_program_metadata_value_t is active.
    enum ProgramMetadataType = ur_program_metadata_type_t, UR_PROGRAM_METADATA_TYPE_ {
        /// data32 is active
        UINT32 = 0,
        /// data64 is active
        UINT64 = 1,
        /// pData is active and points to size bytes
        BYTE_ARRAY = 2,
        /// pString is active and ends with NUL
        STRING = 3,
    }

    /// Value of one metadata entry; ur_program_metadata_t.type selects the member.
    union ProgramMetadataValue = ur_program_metadata_value_t {
        /// 32-bit value, held inline
        [in] data32: u32,
        /// 64-bit value, held inline
        [in] data64: u64,
        /// NUL-terminated text; stays the caller's
        [in] pString: *mut c_char,
        /// raw bytes, as many as the entry's size says; stays the caller's
        [in] pData: *mut c_void,
    }

    /// One named, typed metadata entry that the compiler attached to a device image.
    struct ProgramMetadata = ur_program_metadata_t {
        /// NUL-terminated entry name
        [in] pName: *const c_char,
        /// active member of value
        [in] r#type: ProgramMetadataType,
        /// bytes the value occupies
        [in] size: usize,
        /// the entry's value
        [in, tagged_by(type)] value: ProgramMetadataValue,
    }

    /// Metadata handed over when a program is created.
    struct ProgramProperties = ur_program_properties_t, PROGRAM_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// entries in pMetadatas
        [in] count: u32,
        /// array of count entries; null exactly when count is 0
        [in, optional, range(0,count)] pMetadatas: *const ProgramMetadata,
    }

    /// Selects what urProgramGetInfo reports.
    enum ProgramInfo = ur_program_info_t, UR_PROGRAM_INFO_ {
        /// Current reference count; a snapshot, useful only for debugging leaks
        REFERENCE_COUNT = 0 => (u32),
        /// Context that owns the program; not retained for the caller
        CONTEXT = 1 => (ContextHandle),
        /// Number of devices the program is for
        NUM_DEVICES = 2 => (u32),
        /// Those devices, as many as UR_PROGRAM_INFO_NUM_DEVICES says; not retained
        DEVICES = 3 => ([DeviceHandle]),
        /// Source IL bytes without a terminator; empty when the program did not come from IL
        IL = 4 => ([c_char]),
        /// Bytes of each device's binary, in UR_PROGRAM_INFO_DEVICES order; 0 where none exists
        BINARY_SIZES = 5 => ([usize]),
        /// Caller passes one buffer pointer per device; each is filled with that device's binary
        BINARIES = 6 => ([*mut u8]),
        /// Number of kernels; needs a built program
        NUM_KERNELS = 7 => (usize, optional),
        /// Kernel names joined by ';' and NUL-terminated; needs a built program
        KERNEL_NAMES = 8 => ([c_char], optional),
    }

    /// Outcome of the latest build, compile or link for one device.
    enum ProgramBuildStatus = ur_program_build_status_t, UR_PROGRAM_BUILD_STATUS_ {
        /// Nothing has been attempted yet
        NONE = 0,
        /// The latest attempt failed; see the log
        ERROR = 1,
        /// The latest attempt succeeded
        SUCCESS = 2,
        /// An attempt is still running
        IN_PROGRESS = 3,
    }

    /// Kind of code a program holds for one device.
    enum ProgramBinaryType = ur_program_binary_type_t, UR_PROGRAM_BINARY_TYPE_ {
        /// No code yet
        NONE = 0,
        /// Object code still to be linked
        COMPILED_OBJECT = 1,
        /// Linkable library of object code
        LIBRARY = 2,
        /// Linked code, ready for kernel creation
        EXECUTABLE = 3,
    }

    /// Selects what urProgramGetBuildInfo reports.
    enum ProgramBuildInfo = ur_program_build_info_t, UR_PROGRAM_BUILD_INFO_ {
        /// Outcome of the latest attempt
        STATUS = 0 => (ProgramBuildStatus),
        /// NUL-terminated options of the latest attempt
        OPTIONS = 1 => ([c_char]),
        /// NUL-terminated compiler or linker output of the latest attempt
        LOG = 2 => ([c_char]),
        /// Kind of code held for the device
        BINARY_TYPE = 3 => (ProgramBinaryType),
    }

    /// Value for one SPIR-V specialization constant.
    struct SpecializationConstantInfo = ur_specialization_constant_info_t {
        /// SpecId decoration of the constant
        [in] id: u32,
        /// bytes at pValue; must equal the constant's size in the module
        [in] size: usize,
        /// the value, in host byte order; must not be null
        [in] pValue: *const c_void,
    }

    /// Options for adopting a native program.
    struct ProgramNativeProperties = ur_program_native_properties_t, PROGRAM_NATIVE_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// true: UR destroys the native program together with the last UR reference
        [in] isNativeHandleOwned: bool,
    }
}
