// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From the OpenCL C of `bench/kernels` to SPIR-V, by clang 14 and its translator.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::stack::Failure;

/// The SPIR-V of `kernels/<name>.cl`, which is left in `target/kernels/bench` for who wants to look at the code.
pub fn spirv(name: &str) -> Result<Vec<u8>, Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = root.join("kernels").join(name).with_extension("cl");
    let folder = root.join("../target/kernels/bench");
    std::fs::create_dir_all(&folder)?;
    // Two runs may do the same at the same time: each has files of its own, and the last rename wins.
    let own = |extension: &str| -> PathBuf { folder.join(format!("{name}-{}.{extension}", std::process::id())) };
    let (bitcode, new, module) = (own("bc"), own("new"), folder.join(name).with_extension("spv"));
    // What clang vectorises by itself the compilers of devices can only undo.
    let clang = [
        "-c",
        "-emit-llvm",
        "-target",
        "spir64-unknown-unknown",
        "-cl-std=CL2.0",
        "-O1",
        "-Xclang",
        "-finclude-default-header",
    ];
    run(Command::new("clang-14")
        .args(clang)
        .arg(&source)
        .arg("-o")
        .arg(&bitcode))?;
    run(Command::new("llvm-spirv-14")
        .arg("--spirv-max-version=1.4")
        .arg(&bitcode)
        .arg("-o")
        .arg(&new))?;
    std::fs::remove_file(&bitcode)?;
    std::fs::rename(&new, &module)?;
    Ok(std::fs::read(&module)?)
}

/// Runs a compiler.
pub(super) fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command
        .status()
        .map_err(|error| format!("{command:?}: {error}; `make setup` installs the compilers"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?}: {status}").into())
    }
}
