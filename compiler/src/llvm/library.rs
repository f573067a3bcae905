// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! LLVM is in a library of its own, `liboxur_llvm.so`, which is opened before the first compilation.
//!
//! A process that only lists devices, or finds its kernels in the cache, needs nothing of LLVM: its relocations alone take longer than
//! all else when an adapter is loaded. All our libraries share one file. It exports LLVM's C API, as far as it is used here, and hides
//! the rest: the process may have other LLVMs (libsycl-jit's, a driver's, numba's).
//!
//! `build/llvm_library.rs` makes the library, and defines each function that llvm-sys declares as a jump through
//! `oxur_llvm_functions`, which [`open`] fills. It may therefore be built for, and used by, the same sources only: both have a version,
//! which is compared.
//!
//! The library is never closed, and its static variables are never destroyed (`build/llvm_support.c`): a process may exit while a
//! thread compiles, and does not wait for it.

use std::arch::global_asm;
use std::ffi::{CStr, CString, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use oxur_fork::OnceLock;

use crate::Error;

/// The name of the library.
const NAME: &str = "liboxur_llvm.so";

/// Where it is, from the folder of the library or program that this code is in: in the same one; in the one above, for libraries in a
/// folder of their own and for tests; in that of libraries, for programs.
const FOLDERS: [&str; 3] = [".", "..", "../lib"];

global_asm!(include_str!(concat!(env!("OUT_DIR"), "/llvm_stubs.s")));

unsafe extern "C" {
    /// The addresses of the functions.
    static mut oxur_llvm_functions: *mut c_void;
    /// Their names, each with a zero behind it; the last one is empty.
    static oxur_llvm_names: c_char;
}

static OPENED: OnceLock<()> = OnceLock::new();

/// The address space that opening LLVM takes.
pub(super) fn room() -> usize {
    const LLVM: usize = 48 << 20;
    match OPENED.get() {
        Some(()) => 0,
        None => LLVM,
    }
}

/// Opens LLVM, once. To be called before anything else of LLVM. Where it fails, the next call tries again.
pub(crate) fn open() -> Result<(), Error> {
    let opened = OPENED.get_or_try_init(|| find().and_then(|library| bind(&library)));
    opened.copied().map_err(|why| {
        log::error!("no kernel can be compiled: {why}");
        Error::Codegen(why)
    })
}

/// The same, for what cannot fail.
///
/// # Panics
/// If the library cannot be opened. [`super::isolated`] has opened it for compilations.
pub(super) fn open_or_panic() {
    if let Err(error) = open() {
        panic!("{error}");
    }
}

/// The file that this code is in.
pub(crate) fn own_file() -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: an address of this library, and a place for the answer.
    let found =
        unsafe { libc::dladdr((&raw const oxur_llvm_names).cast(), &mut info) } != 0 && !info.dli_fname.is_null();
    // SAFETY: a string that lives as long as the library.
    let path =
        found.then(|| Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(info.dli_fname) }.to_bytes())).to_owned());
    // For the program it is what it was called by, which may be anything. A library that was opened by a relative path has that.
    let called = std::env::args_os().next();
    path.filter(|path| Some(path.as_os_str()) != called.as_deref())
        .and_then(|path| std::path::absolute(path).ok())
        .or_else(|| std::env::current_exe().ok())
}

/// Finds and opens the library.
fn find() -> Result<*mut c_void, String> {
    let own = own_file().ok_or("it is not known where its own library is")?;
    // Where it is, and where it is linked to.
    let places = [own.canonicalize().ok(), Some(own.clone())];
    let folders = places.iter().flatten().filter_map(|file| file.parent());
    let path = folders
        .flat_map(|folder| FOLDERS.map(|place| folder.join(place).join(NAME)))
        .find(|path| path.exists())
        .ok_or_else(|| {
            format!(
                "{NAME}, which has LLVM, is missing: it belongs in the folder of {}",
                own.display()
            )
        })?;
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: LLVM's constructors may run at any time.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        // SAFETY: the function may be called at any time. What it returns is a string of the calling thread's.
        let why = unsafe { libc::dlerror().as_ref().map(|why| CStr::from_ptr(why)) };
        return Err(format!(
            "{} cannot be loaded: {}",
            path.display(),
            why.unwrap_or_default().to_string_lossy()
        ));
    }
    // SAFETY: an open library, and a constant text in it.
    let version = unsafe {
        let version = libc::dlsym(library, c"OXUR_LLVM_VERSION".as_ptr());
        version.cast::<c_char>().as_ref().map(|version| CStr::from_ptr(version))
    };
    if version.is_none_or(|version| version.to_bytes() != env!("OXUR_LLVM_VERSION").as_bytes()) {
        return Err(format!(
            "{} is of another version than {}: install both anew",
            path.display(),
            own.display()
        ));
    }
    log::debug!("LLVM is {}", path.display());
    Ok(library)
}

/// Fills the table of functions.
fn bind(library: &*mut c_void) -> Result<(), String> {
    let mut place = &raw mut oxur_llvm_functions;
    let mut name = &raw const oxur_llvm_names;
    // SAFETY: there is a place for each name, and an empty name behind the last one. Nothing reads the table meanwhile.
    unsafe {
        while *name != 0 {
            let text = CStr::from_ptr(name);
            let function = libc::dlsym(*library, name);
            if function.is_null() {
                return Err(format!("{NAME} has no {}", text.to_string_lossy()));
            }
            place.write(function);
            place = place.add(1);
            name = name.add(text.to_bytes_with_nul().len());
        }
    }
    Ok(())
}
