// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Device (experimental).

ur_types! {
    /// Reports which 2D block memory operations a device offers.
    flags ExpDevice2dBlockArrayCapabilityFlags = ur_exp_device_2d_block_array_capability_flags_t, UR_EXP_DEVICE_2D_BLOCK_ARRAY_CAPABILITY_FLAG_ {
        /// Device can read 2D blocks of memory in hardware
        LOAD = 1 << 0,
        /// Device can write 2D blocks of memory in hardware
        STORE = 1 << 1,
    }
}
