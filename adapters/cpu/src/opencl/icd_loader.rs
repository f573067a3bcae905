// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A libOpenCL for the clients of native handles.
//!
//! They call OpenCL by the libOpenCL that they find: oneMKL opens one, dpctl takes one that is loaded. Any will do, since it
//! only calls through the handle. One that the machine has is loaded; where there is none, a small one of ours is, which
//! lists no platforms and calls through handles. The dynamic linker then finds it by its name, `libOpenCL.so.1`.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

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
        let opened = icd_loader::open().or_else(|missing| {
            folders()
                .iter()
                .find_map(|folder| icd_loader::load(&folder.join(OURS)).ok())
                .ok_or(missing)
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

/// The dynamic libsycl (2025.2 to 2026.1) retains native handles before it gives them to a program (`sycl::get_native`). It
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
    if is_loaded {
        return;
    }
    // The one beside our loader, before one that is beside this library.
    let folders = [icd_loader::folders_of("libur_loader.so"), folders()].concat();
    match folders
        .iter()
        .find_map(|folder| icd_loader::load(&folder.join(NAME)).ok())
    {
        Some(library) => std::mem::forget(library),
        None => log::info!("SYCL programs that ask for native handles will not run: there is no {NAME} in {folders:?}"),
    }
}

/// The folders of our other libraries: the one of this library, and in a Python environment, whose lib folder that is, the
/// ones of the package.
fn folders() -> Vec<PathBuf> {
    let own: Vec<_> = own_folder().into_iter().collect();
    let entries = own.iter().filter_map(|folder| std::fs::read_dir(folder).ok());
    let pythons = entries
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().as_bytes().starts_with(b"python3"));
    let packages = pythons.flat_map(|python| {
        ["site-packages/oxur/lib", "dist-packages/oxur/lib"].map(|package| python.path().join(package))
    });
    // Where packages are installed by --target, there is no folder of Python's.
    let targeted = own.iter().map(|folder| folder.join("../oxur/lib"));
    own.iter().cloned().chain(packages).chain(targeted).collect()
}

/// The folder of this library.
fn own_folder() -> Option<PathBuf> {
    let (_, file) = kit::library_of(ensure as *const () as usize)?;
    Some(file.parent()?.to_owned())
}
