// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sets the soname of the shared object, and the symbol version that clients request.
//!
//! rustc writes a version script without a version, and no linker accepts a second script. So link/ld.bfd wraps the linker:
//! the C compiler finds it through `-B`, and it inserts the version into rustc's script.

fn main() {
    let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo::rerun-if-changed=link/ld.bfd");
    println!("cargo::rustc-cdylib-link-arg=-B{folder}/link");
    println!("cargo::rustc-cdylib-link-arg=-fuse-ld=bfd");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libur_loader.so.0");
    // Clients close the library while threads of drivers may still run its code.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
