// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Detects a client's SYCL runtime whose version changes the ABI.
//!
//! `libsycl.so.8` of release 2025.3 calls some functions with other parameters, but by the same names and with the same
//! symbol version. A call does not show which release it comes from, but the process does: if it has that library,
//! [`v2025`] takes over. (Older releases of that library need other symbol versions, or functions that this loader lacks,
//! so the dynamic linker rejects them.)

use std::ffi::{CStr, c_int, c_void};

use oxur_api::ResultCode;

use crate::{UrResult, v2025};

/// Runtimes of 2025.
const OLDER: [&[u8]; 2] = [b"libsycl.so.8", b"libsycl-preview.so.8"];
/// Runtimes of 2026.
const PRESENT: [&[u8]; 2] = [b"libsycl.so.9", b"libsycl-preview.so.9"];

/// Adapts the loader to the process's SYCL runtime.
pub(crate) fn detect() -> UrResult<()> {
    if !OLDER.into_iter().any(is_loaded) {
        return Ok(());
    }
    if PRESENT.into_iter().any(is_loaded) {
        log::error!(
            "libsycl.so.8 and libsycl.so.9 are both in this process. They call functions of the same names with \
             different parameters, so only one of them can use this loader. Install one release for all libraries that need \
             either of them"
        );
        return Err(ResultCode::ERROR_UNSUPPORTED_VERSION);
    }
    log::info!("libsycl.so.8 is in this process: functions take the parameters of release 2025.3");
    v2025::serve();
    Ok(())
}

/// Whether the process has a library of this file name.
fn is_loaded(name: &[u8]) -> bool {
    struct Search<'a> {
        name: &'a [u8],
        found: bool,
    }
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
        // SAFETY: the dynamic linker passes a valid description, and `search` is the structure below.
        let (path, search) = unsafe { ((*info).dlpi_name, &mut *search.cast::<Search<'_>>()) };
        if !path.is_null() {
            // SAFETY: the dynamic linker passes a zero-terminated string.
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
        assert_eq!(detect(), Ok(()));
    }
}
