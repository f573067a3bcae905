// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Chooses a `libOpenCL.so.1` when a machine has several.
//!
//! A SYCL runtime ships its own ICD loader, which knows its drivers (Intel's reads `OCL_ICD_FILENAMES`, Debian's does
//! not), and its adapter finds it by a run path. A user who replaces that adapter with ours must keep the same
//! platforms, so the search order is that of such a run path: a library that is already loaded, then `LD_LIBRARY_PATH`,
//! then the folder of the SYCL runtime, then the system's.

use std::ffi::{CStr, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

const NAME: &str = "libOpenCL.so.1";

/// The library that is already loaded.
pub fn loaded() -> Option<Library> {
    // SAFETY: this loads nothing new.
    unsafe { Library::open(Some(NAME), RTLD_NOW | RTLD_LOCAL | libc::RTLD_NOLOAD) }.ok()
}

/// Opens the library, or says why that failed.
pub fn open() -> Result<Library, String> {
    if let Some(library) = loaded() {
        return Ok(library);
    }
    let search_path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = std::env::split_paths(&search_path).chain(runtime_folders());
    for file in folders
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(NAME))
        .filter(|f| f.is_file())
    {
        match load_with_neighbours(&file) {
            Ok(library) => return Ok(library),
            Err(error) => log::info!("{} is passed over: {error}", file.display()),
        }
    }
    load(Path::new(NAME))
}

/// Opens one.
pub fn load(file: &Path) -> Result<Library, String> {
    // SAFETY: an ICD loader's constructors are safe to run.
    let library = unsafe { Library::open(Some(file), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| error.to_string())?;
    log::debug!("{} is loaded", file.display());
    Ok(library)
}

/// Loads a library whose dependencies are in the same folder but not on its run path: a missing dependency is loaded
/// first, and the dynamic linker then finds it by its name. Intel's ICD loader needs this for `libsvml.so`.
fn load_with_neighbours(file: &Path) -> Result<Library, String> {
    const MOST: usize = 16;
    let mut result = load(file);
    for _ in 0..MOST {
        let Err(error) = &result else { break };
        // What glibc says: "libsvml.so: cannot open shared object file: No such file or directory".
        let Some((missing, _)) = error.split_once(": cannot open shared object file") else {
            break;
        };
        let neighbour = file.with_file_name(missing);
        if missing.contains('/') || neighbour == file || !neighbour.is_file() {
            break;
        }
        // It must stay loaded for `file`, which is never unloaded.
        std::mem::forget(load_with_neighbours(&neighbour)?);
        result = load(file);
    }
    result
}

/// The folders of the SYCL runtimes in this process.
fn runtime_folders() -> Vec<PathBuf> {
    folders_of("libsycl.so")
}

/// The folders of the libraries in this process whose file names begin like this.
pub fn folders_of(start: &str) -> Vec<PathBuf> {
    struct Search<'a> {
        start: &'a str,
        found: Vec<PathBuf>,
    }
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
        // SAFETY: the dynamic linker passes a valid description, and `search` is the one below.
        let (name, Search { start, found }) = unsafe { ((*info).dlpi_name, &mut *search.cast::<Search<'_>>()) };
        if !name.is_null() {
            // SAFETY: the dynamic linker passes a zero-terminated string.
            let file = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes()));
            let is_it = file
                .file_name()
                .is_some_and(|n| n.as_bytes().starts_with(start.as_bytes()));
            if let (true, Some(folder)) = (is_it, file.parent()) {
                found.push(folder.to_owned());
            }
        }
        0
    }
    let mut search = Search {
        start,
        found: Vec::new(),
    };
    // SAFETY: `visit` gets what it expects, and touches it only during the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "there is no dynamic linker")]
    fn a_process_without_a_runtime_has_no_folder_of_one() {
        assert!(runtime_folders().is_empty());
    }
}
