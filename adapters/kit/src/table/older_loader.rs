// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Recognizes a loader of 2026.1 or before, whose tables have another layout.
//!
//! It states the same version as newer ones, and its tables are shorter: filling them would overwrite what lies behind
//! them. It finds adapters by their names in its own folder, so an adapter that is installed there for libsycl 2026.2 meets
//! it. Which release it is of shows in the functions that it has.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use oxur_api::older::OlderLayout;
use oxur_fork::OnceLock;

use crate::library_of;

const NAME: &str = "libur_loader.so.0";

/// Who asks for a table.
pub(super) enum Caller {
    /// A loader of 2026.2 or a later release, or whoever else knows the tables of today.
    Current,
    /// An older loader whose tables are known.
    Older(OlderLayout),
    /// A loader of 2025.3 or before.
    Unknown,
}

/// Who has called a function of this library.
pub(super) fn caller() -> Caller {
    // A process without an older loader is told from the others fast. Another loader of the same process gets what it asks
    // for.
    static LOADED: OnceLock<bool> = OnceLock::new();
    match *LOADED.get_or_init(|| !matches!(kind(Path::new(NAME)), Caller::Current)) {
        true => calling_library().map_or(Caller::Current, |library| kind(&library)),
        false => Caller::Current,
    }
}

/// What a loaded library is.
fn kind(library: &Path) -> Caller {
    // SAFETY: this loads nothing new.
    let loader = unsafe { Library::open(Some(library), RTLD_NOW | RTLD_LOCAL | libc::RTLD_NOLOAD) };
    let Ok(loader) = loader else {
        return Caller::Current;
    };
    // SAFETY: the type does not matter to the question of whether it is there.
    let has = |name: &[u8]| unsafe { loader.get::<*const c_void>(name) }.is_ok();
    if !has(b"urLoaderInit\0") || has(b"urGetEventExpProcAddrTable\0") {
        Caller::Current
    } else if has(b"urGraphGetNativeHandleExp\0") {
        Caller::Older(OlderLayout::V2026_1_1)
    } else if has(b"urGetGraphExpProcAddrTable\0") {
        Caller::Older(OlderLayout::V2026_0)
    } else {
        Caller::Unknown
    }
}

/// The library whose function has called one of this library.
fn calling_library() -> Option<PathBuf> {
    let mut frames = [ptr::null_mut(); 32];
    // SAFETY: room for as many addresses.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), frames.len() as i32) };
    let (own, _) = library_of(calling_library as *const () as usize)?;
    let libraries = frames[..count as usize]
        .iter()
        .filter_map(|frame| library_of(frame.addr()));
    // A sanitizer's frames may come before those of this library.
    let outside = libraries
        .skip_while(|(base, _)| *base != own)
        .find(|(base, _)| *base != own);
    outside.map(|(_, path)| path)
}
