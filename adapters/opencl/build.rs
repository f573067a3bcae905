// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Gives the library the name under which loaders look for it.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libur_adapter_opencl.so.0");
    println!("cargo::rerun-if-changed=build.rs");
}
