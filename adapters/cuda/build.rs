// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Gives the library the name under which loaders look for it, and keeps it in the process: a loader may close it while
//! threads of the driver, or of a host task, are still in it.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libur_adapter_cuda.so.0");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
