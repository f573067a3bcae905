// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Gives the shared object its soname and the symbol version that clients ask for.
//!
//! rustc writes a version script without a version, and no linker takes a second one. So the link goes through
//! link/ld.bfd, which the C compiler finds by `-B` and which puts the version into rustc's script.

fn main() {
    let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo::rerun-if-changed=link/ld.bfd");
    println!("cargo::rustc-cdylib-link-arg=-B{folder}/link");
    println!("cargo::rustc-cdylib-link-arg=-fuse-ld=bfd");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libur_loader.so.0");
    // Clients close the library while threads of drivers may still be in it.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
