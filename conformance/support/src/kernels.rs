// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Device code: OpenCL C and SPIR-V assembly from a suite's `kernels/`, made SPIR-V when a test first needs it.

use std::fs;
use std::path::Path;
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
        // Other processes may do the same at the same time.
        let text = target.join(format!("{name}-{}.txt", std::process::id()));
        fs::write(&text, section(source, image)).expect("the folder of compiled kernels");
        let done = match source.extension().is_some_and(|kind| kind == "cl") {
            true => compile(&text, &[], &module),
            false => assemble(&text, &module),
        };
        done.unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        fs::remove_file(&text).expect("the section");
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

/// From SPIR-V's text to a module.
fn assemble(text: &Path, module: &Path) -> Result<(), String> {
    let result = module.with_extension(format!("{}.new", std::process::id()));
    run(
        // The default version is the newest, which drivers do not take.
        Command::new("spirv-as")
            .args(["--target-env", "spv1.1"])
            .arg(text)
            .arg("-o")
            .arg(&result),
        "spirv-tools",
    )?;
    fs::rename(&result, module).map_err(|error| format!("{}: {error}", module.display()))
}

/// Compiles OpenCL C to SPIR-V; the folder of the module is made. An error is what the compiler said.
pub fn compile(source: &Path, options: &[String], module: &Path) -> Result<(), String> {
    let (clang, translator) = COMPILERS
        .into_iter()
        .find(|(c, t)| [c, t].iter().all(|tool| exists(tool)))
        .ok_or("clang-14 and llvm-spirv-14 are missing: apt-get install clang-14 llvm-spirv-14")?;
    if let Some(folder) = module.parent() {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    // Other processes may do the same at the same time: each has files of its own, and the last rename wins.
    let own = |kind: &str| module.with_extension(format!("{}.{kind}", std::process::id()));
    let (bitcode, result) = (own("bc"), own("new"));
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
            .args(options)
            .arg(source)
            .arg("-o")
            .arg(&bitcode),
        clang,
    )?;
    // 1.1 is what every driver takes; shuffles and ballots of OpenCL's extensions are of 1.3.
    let text = fs::read_to_string(source).map_err(|error| format!("{}: {error}", source.display()))?;
    let version = if text.contains("cl_khr_subgroup_") {
        "1.3"
    } else {
        "1.1"
    };
    let extensions = "--spirv-ext=+SPV_INTEL_subgroups,+SPV_INTEL_kernel_attributes,+SPV_INTEL_function_pointers";
    run(
        Command::new(translator)
            .args([&format!("--spirv-max-version={version}"), extensions])
            .arg(&bitcode)
            .arg("-o")
            .arg(&result),
        translator,
    )?;
    // What is left of it does no harm.
    let _ = fs::remove_file(bitcode);
    fs::rename(&result, module).map_err(|error| format!("{}: {error}", module.display()))
}

fn exists(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(tool).exists())
}

fn run(command: &mut Command, package: &str) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|e| format!("{command:?}: {e}; apt-get install {package}"))?;
    if output.status.success() {
        Ok(())
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("{command:?}\n{said}"))
    }
}
