// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Recognizes a loader of 2026.1 or before, whose tables have another layout.
//!
//! It states the same version as newer ones, and its tables are shorter: filling them would overwrite what lies behind
//! them. It finds adapters by their names in its own folder, so an adapter that is installed there for libsycl 2026.2 meets
//! it.

use std::ffi::c_void;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use oxur_fork::OnceLock;

const NAME: &str = "libur_loader.so.0";

/// Whether the process has such a loader. libsycl 2026.2 has a loader inside, and that of this project has the new layout.
pub(crate) fn is_loaded() -> bool {
    static LOADED: OnceLock<bool> = OnceLock::new();
    *LOADED.get_or_init(|| {
        // SAFETY: this loads nothing new.
        let loader = unsafe { Library::open(Some(NAME), RTLD_NOW | RTLD_LOCAL | libc::RTLD_NOLOAD) };
        loader.is_ok_and(|loader| {
            // SAFETY: the type does not matter to the question of whether it is there.
            let has = |name: &[u8]| unsafe { loader.get::<*const c_void>(name) }.is_ok();
            // 2026.2 came with the table that this one gives.
            has(b"urLoaderInit\0") && !has(b"urGetEventExpProcAddrTable\0")
        })
    })
}
