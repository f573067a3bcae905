// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A libOpenCL for the clients of native handles.
//!
//! They call OpenCL by the libOpenCL that they find: oneMKL opens one, dpctl takes one that is loaded. Any will do, since it
//! only calls through the handle. One that the machine has is loaded; where there is none, a small one of ours is, which
//! lists no platforms and calls through handles. The dynamic linker then finds it by its name, `libOpenCL.so.1`.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use kit::icd_loader;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use oxur_adapter_kit as kit;
use oxur_fork::OnceLock;

/// Where ours lies, seen from this library's folder: not beside it, where the dynamic linker would find it before others.
const OURS: &str = "opencl/libOpenCL.so.1";

/// Makes sure that the process has a libOpenCL, if there is one at all.
pub(crate) fn ensure() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        let opened = icd_loader::open().or_else(|missing| match own_folder() {
            Some(folder) => icd_loader::load(&folder.join(OURS)).map_err(|error| format!("{missing}; {error}")),
            None => Err(missing),
        });
        match opened {
            // It stays for the clients.
            Ok(library) => std::mem::forget(library),
            Err(error) => log::info!("programs that call OpenCL on native handles will not run: {error}"),
        }
        if !icd_loader::folders_of("libur_loader.so").is_empty() {
            ensure_adapter();
        }
    });
}

/// The dynamic libsycl (2025.3 to 2026.1) retains native handles before it gives them to a program (`sycl::get_native`). It
/// takes the functions for that from an adapter for OpenCL, which must be loaded: ours is, beside this library.
fn ensure_adapter() {
    const NAME: &str = "libur_adapter_opencl.so.0";
    let is_loaded = ["libur_adapter_opencl.so", NAME].iter().any(|name| {
        // SAFETY: nothing is loaded that is not there already.
        unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL | libc::RTLD_NOLOAD) }.is_ok_and(|library| {
            std::mem::forget(library);
            true
        })
    });
    let Some(folder) = own_folder().filter(|_| !is_loaded) else {
        return;
    };
    match icd_loader::load(&folder.join(NAME)) {
        Ok(library) => std::mem::forget(library),
        Err(error) => log::info!("SYCL programs that ask for native handles will not run: {error}"),
    }
}

/// The folder of this library.
fn own_folder() -> Option<PathBuf> {
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: an address of this library, and a place for the answer.
    let known = unsafe { libc::dladdr((ensure as fn() as *const ()).cast(), found.as_mut_ptr()) };
    if known == 0 {
        return None;
    }
    // SAFETY: zeros are a value of the type, and the call filled it in.
    let name = unsafe { found.assume_init() }.dli_fname;
    if name.is_null() {
        return None;
    }
    // SAFETY: the dynamic linker gives a zero-terminated string.
    let file = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes()));
    Some(file.parent()?.to_owned())
}
