// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Keeps TBB from crashing the process when it ends.

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};

/// Keeps libtcm, which libtbb loads when it is loaded itself, in the process.
///
/// When the process ends, libtbb's last worker unloads libtcm while the main thread may be in libtcm's exit handler. Host code
/// of oneMKL and oneDAL starts such workers. Intel's OpenCL driver for CPUs uses the same libtbb and keeps it busy, so there the
/// worker never comes to it; with other drivers it does.
pub(crate) fn keep_tcm() {
    const IF_LOADED: i32 = RTLD_LAZY | RTLD_LOCAL | libc::RTLD_NOLOAD;
    // SAFETY: this loads nothing new. That the library stays is all that changes.
    let kept = unsafe { Library::open(Some("libtcm.so.1"), IF_LOADED | libc::RTLD_NODELETE) };
    if kept.is_ok() {
        log::debug!("libtcm stays until the process ends");
    }
}
