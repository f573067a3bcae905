// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_OPENCL_USM_POOL`: how much free USM a context keeps.
//!
//! With `off`, each allocation is the driver's own, and `urUSMFree` waits for the commands that may use the memory, as
//! far as the driver's `clMemBlockingFreeINTEL` does. This is for programs that free memory in use, and for finding
//! them.

use oxur_fork::OnceLock;

use kit::size_from_environment;
use oxur_adapter_kit as kit;

/// What the environment says, read once; 512 MiB by default.
pub(super) fn from_environment() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| size_from_environment("UR_OPENCL_USM_POOL", 512 << 20))
}
