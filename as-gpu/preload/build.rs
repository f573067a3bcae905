// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sets the library's soname, by which the adapter recognizes it.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,liboxur_as_gpu_preload.so");
    println!("cargo::rerun-if-changed=build.rs");
}
