// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which runtime calls, as far as that matters.
//!
//! `libsycl.so.8` (the 2025 releases) calls functions of the same names and the same symbol version with other
//! parameters: `urEnqueueKernelLaunch` with a count in front of its properties, `urProgramBuildExp`, `urProgramCompileExp` and
//! `urProgramLinkExp` without flags. A call cannot tell, and taking a pointer for flags crashes, so that runtime is
//! refused when it initialises the loader.

use std::ffi::{CStr, c_int, c_void};

use oxur_api::ResultCode;

use crate::UrResult;

/// Refuses a process whose SYCL runtime is too old.
pub(crate) fn check() -> UrResult<()> {
    if !is_loaded(b"libsycl.so.8") {
        return Ok(());
    }
    log::error!(
        "libsycl.so.8, of a 2025 release, calls the Unified Runtime with other parameters than this loader has, and \
         would crash. Use libsycl.so.9 (intel-sycl-rt 2026.0 or newer), or that release's own libur_loader.so.0"
    );
    Err(ResultCode::ERROR_UNSUPPORTED_VERSION)
}

/// Whether the process has a library of this file name.
fn is_loaded(name: &[u8]) -> bool {
    struct Search<'a> {
        name: &'a [u8],
        found: bool,
    }
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
        // SAFETY: the dynamic linker gives a live description, and `search` is the structure below.
        let (path, search) = unsafe { ((*info).dlpi_name, &mut *search.cast::<Search<'_>>()) };
        if !path.is_null() {
            // SAFETY: the dynamic linker gives a zero-terminated string.
            let path = unsafe { CStr::from_ptr(path) }.to_bytes();
            search.found |= path.rsplit(|byte| *byte == b'/').next() == Some(search.name);
        }
        c_int::from(search.found)
    }
    let mut search = Search { name, found: false };
    // SAFETY: `visit` gets the structure that it expects, and touches it only during the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_by_their_file_name() {
        assert!(is_loaded(b"libc.so.6"));
        assert!(!is_loaded(b"libc.so"));
        assert_eq!(check(), Ok(()));
    }
}
