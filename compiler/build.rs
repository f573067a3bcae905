// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Stamps the compiler: code that another compiler has put into the cache is not what this one would make.
//!
//! The stamp, `OXUR_COMPILER_STAMP`, changes with all that decides what code becomes of a kernel: our sources, the
//! versions of the crates that we use, and LLVM. A version number alone would let a developer run code of yesterday's
//! compiler; a build id of the linked file would throw the cache away with every change of an adapter.
//!
//! And links the libraries that LLVM stands on statically, so that ours need none but those that every Linux has.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// The parts of LLVM that tell one build of it from another.
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
        // A crate that is used from elsewhere has no lock file beside it.
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
    // cargo-fuzz sets it.
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

/// All files in a folder and those below.
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
