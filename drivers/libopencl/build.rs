// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Gives the library the name by which programs look for OpenCL.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libOpenCL.so.1");
    println!("cargo::rerun-if-changed=build.rs");
}
