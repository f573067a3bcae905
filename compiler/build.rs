// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Computes a stamp of the compiler, which is part of the keys of its code cache.
//!
//! The stamp, `OXUR_COMPILER_STAMP`, changes with everything that affects generated code: the compiler's sources, the
//! versions of its dependencies, and LLVM. A version number would not do, because developers would run cached code of older
//! sources. A build id of the linked library would invalidate the cache with every change of an adapter.
//!
//! Also links the libraries that LLVM needs statically, so that ours need only those that every Linux has.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// Libraries of LLVM whose size and time identify the build.
const LLVM: [&str; 2] = ["libLLVMCore.a", "libLLVMX86CodeGen.a"];

/// The libraries that LLVM calls and that not every system has, or not in the same version.
const LLVM_NEEDS: [&str; 2] = ["z", "zstd"];

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
    for path in ["Cargo.toml", "../Cargo.lock", "src", "build.rs"] {
        if manifest.join(path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    println!("cargo::rerun-if-env-changed=CC");
    println!("cargo::rerun-if-env-changed=DEP_LLVM_22_LIBDIR");
    if let Some(libraries) = std::env::var_os("DEP_LLVM_22_LIBDIR").map(PathBuf::from) {
        for path in LLVM
            .map(|name| libraries.join(name))
            .iter()
            .filter(|path| path.exists())
        {
            println!("cargo::rerun-if-changed={}", path.display());
            let metadata = path.metadata().expect("it exists");
            metadata.len().hash(&mut hasher);
            metadata.modified().ok().hash(&mut hasher);
        }
    }
    for library in LLVM_NEEDS {
        link_statically(library);
    }
    // cargo-fuzz sets `cfg(fuzzing)`.
    println!("cargo::rustc-check-cfg=cfg(fuzzing)");
    println!("cargo::rustc-env=OXUR_COMPILER_STAMP={:016x}", hasher.finish());
}

/// Links a library of the system that has a static form. llvm-sys names the shared one as well, which comes later and is
/// left out as nothing is missing by then.
fn link_statically(name: &str) {
    let file = format!("lib{name}.a");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let output = std::process::Command::new(&compiler)
        .arg(format!("-print-file-name={file}"))
        .output()
        .unwrap_or_else(|error| panic!("{} does not run: {error}", compiler.display()));
    let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    // The bare name is the answer where there is none.
    let folder = Path::new(&path).parent().filter(|folder| folder.is_absolute());
    let folder = folder.unwrap_or_else(|| panic!("there is no {file}: install the package that has it"));
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=static={name}");
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
