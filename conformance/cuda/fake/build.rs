// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Gives the library the name of the driver, and keeps it in the process with its threads.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
