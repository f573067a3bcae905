// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Usm (experimental).

use super::*;

ur_types! {
    /// Options of a host memory registration.
    flags ExpUsmHostAllocRegisterFlags = ur_exp_usm_host_alloc_register_flags_t, UR_EXP_USM_HOST_ALLOC_REGISTER_FLAG_ {
        /// Devices only read the range; a device write is undefined behaviour
        READ_ONLY = 1 << 0,
    }

    /// Extra settings for `urUSMHostAllocRegisterExp`.
    struct ExpUsmHostAllocRegisterProperties = ur_exp_usm_host_alloc_register_properties_t, EXP_USM_HOST_ALLOC_REGISTER_PROPERTIES {
        [in] stype: StructureType,
        [inout, optional] pNext: *mut c_void,
        /// bit set of registration options
        [in] flags: ExpUsmHostAllocRegisterFlags,
    }
}
