// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Recognizes a loader of 2026.1 or before, whose tables have another layout.
//!
//! It states the same version as newer ones, and its tables are shorter: filling them would overwrite what lies behind
//! them. It finds adapters by their names in its own folder, so an adapter that is installed there for libsycl 2026.2 meets
//! it.

use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use oxur_fork::OnceLock;

const NAME: &str = "libur_loader.so.0";

/// Whether such a loader has called this library. Another loader of the same process gets what it asks for.
pub(crate) fn calls() -> bool {
    // A process without one is told from the others fast.
    static LOADED: OnceLock<bool> = OnceLock::new();
    *LOADED.get_or_init(|| is_older(Path::new(NAME))) && caller().is_some_and(|caller| is_older(&caller))
}

/// Whether a library that is loaded has the functions of a loader, but not the table that came with 2026.2.
fn is_older(library: &Path) -> bool {
    // SAFETY: this loads nothing new.
    let loader = unsafe { Library::open(Some(library), RTLD_NOW | RTLD_LOCAL | libc::RTLD_NOLOAD) };
    loader.is_ok_and(|loader| {
        // SAFETY: the type does not matter to the question of whether it is there.
        let has = |name: &[u8]| unsafe { loader.get::<*const c_void>(name) }.is_ok();
        has(b"urLoaderInit\0") && !has(b"urGetEventExpProcAddrTable\0")
    })
}

/// The library whose function has called one of this library.
fn caller() -> Option<PathBuf> {
    let mut frames = [ptr::null_mut(); 32];
    // SAFETY: room for as many addresses.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), frames.len() as i32) };
    let (own, _) = library_of(caller as *mut c_void)?;
    let libraries = frames[..count as usize].iter().filter_map(|frame| library_of(*frame));
    // A sanitizer's frames may come before those of this library.
    let outside = libraries
        .skip_while(|(base, _)| *base != own)
        .find(|(base, _)| *base != own);
    outside.map(|(_, path)| path)
}

/// Where the library begins that has this address, and its file.
fn library_of(address: *mut c_void) -> Option<(usize, PathBuf)> {
    // SAFETY: a structure to fill, whose name is a string that lives as long as the library.
    unsafe {
        let mut info = std::mem::zeroed::<libc::Dl_info>();
        if libc::dladdr(address, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        let name = CStr::from_ptr(info.dli_fname).to_bytes();
        Some((info.dli_fbase.addr(), OsStr::from_bytes(name).into()))
    }
}
