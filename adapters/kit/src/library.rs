// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The libraries of the process.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr;

/// Where the library begins that has this address, and its file.
pub fn library_of(address: usize) -> Option<(usize, PathBuf)> {
    // SAFETY: nothing is read at the address. A structure to fill, whose name is a string that lives as long as the library.
    unsafe {
        let mut info = std::mem::zeroed::<libc::Dl_info>();
        if libc::dladdr(ptr::without_provenance(address), &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        let name = CStr::from_ptr(info.dli_fname).to_bytes();
        Some((info.dli_fbase.addr(), OsStr::from_bytes(name).into()))
    }
}
