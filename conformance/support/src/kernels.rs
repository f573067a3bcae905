// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Device code: OpenCL C and SPIR-V assembly from a suite's `kernels/`, made SPIR-V when a test first needs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Compilers of Debian 12, with the translator of the same LLVM.
const COMPILERS: [(&str, &str); 2] = [("clang-14", "llvm-spirv-14"), ("clang", "llvm-spirv")];

/// The SPIR-V of `<name>.cl` or `<name>.spvasm` in the folder `kernels`; of `<name>.<image>`, that of a section of the
/// file, which a line `//// image <image>` begins, with what stands before the first section. The result is kept in the
/// folder `target`.
pub fn spirv(kernels: &Path, target: &Path, name: &str) -> Vec<u8> {
    let (file, image) = match name.split_once('.') {
        Some((file, image)) => (file, Some(image)),
        None => (name, None),
    };
    let source = ["cl", "spvasm"].map(|kind| kernels.join(file).with_extension(kind));
    let source = source.iter().find(|path| path.exists());
    let source = source.unwrap_or_else(|| panic!("{} has no {file}.cl and no {file}.spvasm", kernels.display()));
    fs::create_dir_all(target).expect("the folder of compiled kernels");
    let module = target.join(format!("{name}.spv"));
    let newer = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
    static COMPILING: Mutex<()> = Mutex::new(());
    let _alone = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    if newer(&module).is_none_or(|built| Some(built) < newer(source)) {
        // Other processes may do the same at the same time: each has files of its own, and the last rename wins.
        let own = target.join(format!("{name}-{}", std::process::id()));
        let with = |kind: &str| PathBuf::from(format!("{}.{kind}", own.display()));
        let (text, result) = (with("txt"), with("new"));
        fs::write(&text, section(source, image)).expect("the folder of compiled kernels");
        match source.extension().is_some_and(|kind| kind == "cl") {
            true => compile(&text, &with("bc"), &result),
            // The default version is the newest, which drivers do not take.
            false => run(
                Command::new("spirv-as")
                    .args(["--target-env", "spv1.1"])
                    .arg(&text)
                    .arg("-o")
                    .arg(&result),
                "spirv-tools",
            ),
        }
        fs::remove_file(&text).expect("the section");
        fs::rename(&result, &module).expect("the compiled kernel");
    }
    fs::read(&module).expect("the compiled kernel")
}

/// The text of a file, or of a section of it.
fn section(source: &Path, image: Option<&str>) -> String {
    const BEGIN: &str = "\n//// image ";
    let text = fs::read_to_string(source).expect("the kernel's source");
    let Some(image) = image else { return text };
    let mut parts = text.split(BEGIN);
    let common = parts.next().unwrap_or_default();
    let found = parts.find_map(|part| part.strip_prefix(image)?.strip_prefix('\n'));
    let found = found.unwrap_or_else(|| panic!("{} has no image {image}", source.display()));
    format!("{common}\n{found}")
}

/// From OpenCL C to SPIR-V.
fn compile(source: &Path, bitcode: &Path, module: &Path) {
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
            .args(["-Xclang", "-finclude-default-header", "-x", "cl"])
            .arg(source)
            .arg("-o")
            .arg(bitcode),
        clang,
    );
    // 1.1 is what every driver takes.
    let extensions = "--spirv-ext=+SPV_INTEL_subgroups,+SPV_INTEL_kernel_attributes,+SPV_INTEL_function_pointers";
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
