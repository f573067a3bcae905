// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Program (experimental).

ur_types! {
    /// Options of the multi-device build, compile and link entry points.
    flags ExpProgramFlags = ur_exp_program_flags_t, UR_EXP_PROGRAM_FLAG_ {
        /// Leave undefined symbols for a later dynamic link instead of failing
        ALLOW_UNRESOLVED_SYMBOLS = 1 << 0,
    }
}
