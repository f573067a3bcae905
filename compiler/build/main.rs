// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Computes a stamp of the compiler, which is part of the keys of its code cache.
//!
//! The stamp, `OXUR_COMPILER_STAMP`, changes with everything that affects generated code: the compiler's sources, the
//! versions of its dependencies, and LLVM. A version number would not do, because developers would run cached code of older
//! sources. A build id of the linked library would invalidate the cache with every change of an adapter.
//!
//! Also makes the library that LLVM is in: [`llvm_library`].

mod llvm_library;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use llvm_library::Llvm;

fn main() {
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut hasher = DefaultHasher::new();
    let mut sources = vec![manifest.join("Cargo.toml"), manifest.join("../Cargo.lock")];
    files_below(&manifest.join("src"), &mut sources);
    sources.sort();
    for path in &sources {
        path.strip_prefix(&manifest).unwrap_or(path).hash(&mut hasher);
        // There is no lock file if the crate is used outside of this workspace.
        std::fs::read(path).unwrap_or_default().hash(&mut hasher);
    }
    for path in ["Cargo.toml", "../Cargo.lock", "src", "build"] {
        if manifest.join(path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let llvm = Llvm::find();
    llvm.identify(&mut hasher);
    llvm_library::build(&llvm, &sources);
    // cargo-fuzz sets `cfg(fuzzing)`.
    println!("cargo::rustc-check-cfg=cfg(fuzzing)");
    println!("cargo::rustc-env=OXUR_COMPILER_STAMP={:016x}", hasher.finish());
}

/// Collects all files in a folder, recursively.
fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the sources are here") {
        let path = entry.expect("the sources are here").path();
        if path.is_dir() {
            files_below(&path, files);
        } else {
            files.push(path);
        }
    }
}
