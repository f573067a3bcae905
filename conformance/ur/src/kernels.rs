// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Device code: OpenCL C from `kernels/`, compiled to SPIR-V when a test first needs it, into `target/kernels/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::stack::root;

/// Compilers of Debian 12, with the translator of the same LLVM.
const COMPILERS: [(&str, &str); 2] = [("clang-14", "llvm-spirv-14"), ("clang", "llvm-spirv")];

/// The SPIR-V of `kernels/<name>.cl`.
pub fn spirv(name: &str) -> Vec<u8> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("kernels")
        .join(name)
        .with_extension("cl");
    let target = root().join("target/kernels");
    fs::create_dir_all(&target).expect("target/kernels");
    let module = target.join(name).with_extension("spv");
    let newer = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
    static COMPILING: Mutex<()> = Mutex::new(());
    let _alone = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    if newer(&module).is_none_or(|built| Some(built) < newer(&source)) {
        // Other processes may do the same at the same time: each has files of its own, and the last rename wins.
        let own = target.join(format!("{name}-{}", std::process::id()));
        let result = own.with_extension("new");
        compile(&source, &own.with_extension("bc"), &result);
        fs::rename(&result, &module).expect("the compiled kernel");
    }
    fs::read(&module).expect("the compiled kernel")
}

/// From OpenCL C to SPIR-V.
fn compile(source: &Path, bitcode: &PathBuf, module: &PathBuf) {
    let Some((clang, translator)) = COMPILERS
        .into_iter()
        .find(|(c, t)| [c, t].iter().all(|tool| exists(tool)))
    else {
        panic!("clang-14 and llvm-spirv-14 are missing: apt-get install clang-14 llvm-spirv-14");
    };
    run(
        Command::new(clang)
            .args([
                "-c",
                "-emit-llvm",
                "-target",
                "spir64-unknown-unknown",
                "-cl-std=CL2.0",
                "-O1",
            ])
            .args(["-Xclang", "-finclude-default-header"])
            .arg(source)
            .arg("-o")
            .arg(bitcode),
        clang,
    );
    // 1.1 is what every driver takes.
    let extensions = "--spirv-ext=+SPV_INTEL_subgroups,+SPV_INTEL_kernel_attributes";
    run(
        Command::new(translator)
            .args(["--spirv-max-version=1.1", extensions])
            .arg(bitcode)
            .arg("-o")
            .arg(module),
        translator,
    );
    fs::remove_file(bitcode).expect("the bitcode");
}

fn exists(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(tool).exists())
}

fn run(command: &mut Command, package: &str) {
    let output = command
        .output()
        .unwrap_or_else(|e| panic!("{command:?}: {e}; apt-get install {package}"));
    assert!(
        output.status.success(),
        "{command:?}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
