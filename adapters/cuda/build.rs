// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Gives the library the name under which loaders look for it, and keeps it in the process: a loader may close it while
//! threads of the driver, or of a host task, are still in it.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libur_adapter_cuda.so.0");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // LLVM's constructors wait for the first compilation.
    println!(
        "cargo::rustc-cdylib-link-arg=-Wl,-T,{}/../../compiler/llvm_statics.ld",
        env!("CARGO_MANIFEST_DIR")
    );
    println!("cargo::rerun-if-changed=../../compiler/llvm_statics.ld");
    println!("cargo::rerun-if-changed=build.rs");
}
