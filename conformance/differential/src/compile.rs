// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From OpenCL C to SPIR-V, by clang 14 and its translator.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::instructions;

/// The folder of what a run makes.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/differential")
}

/// The module of a source; an error is what clang said. None if the translator does not know what clang's optimizer made,
/// such as integers of odd sizes, or makes it wrong. The files of a seed or a kernel are called `name`.
pub fn spirv(name: &str, source: &str, options: &[&str]) -> Result<Option<Vec<u8>>, String> {
    let at = |extension: &str| folder().join(format!("{name}.{extension}"));
    let (text, bitcode, module) = (at("cl"), at("bc"), at("spv"));
    std::fs::create_dir_all(folder()).map_err(|e| e.to_string())?;
    std::fs::write(&text, source).map_err(|e| e.to_string())?;
    run(Command::new("clang-14")
        .args([
            "-c",
            "-emit-llvm",
            "-target",
            "spir64-unknown-unknown",
            "-cl-std=CL2.0",
            "-ffp-contract=off",
            "-w",
        ])
        .args([
            "-Xclang",
            "-finclude-default-header",
            "-Xclang",
            "-fdeclare-opencl-builtins",
        ])
        .args(options)
        .arg(&text)
        .arg("-o")
        .arg(&bitcode))?;
    let translated = run(Command::new("llvm-spirv-14")
        .args(["--spirv-max-version=1.4", "--spirv-fp-contract=off"])
        .arg("--spirv-ext=+SPV_INTEL_subgroups,+SPV_INTEL_kernel_attributes,+SPV_INTEL_function_pointers")
        .arg(&bitcode)
        .arg("-o")
        .arg(&module));
    if translated.is_err() {
        return Ok(None);
    }
    let translated = std::fs::read(&module).map_err(|e| e.to_string())?;
    let Some(bytes) = instructions::insert(&translated) else {
        return Ok(None);
    };
    let is_wrong = loses_saturation(&bytes) || divides_by_zero(&bytes);
    Ok((!is_wrong).then_some(bytes))
}

/// Whether a product asks if it overflows. The translator's function for that divides by a factor, which may be zero.
fn divides_by_zero(module: &[u8]) -> bool {
    let name = b"llvm_umul_with_overflow";
    module.windows(name.len()).any(|bytes| bytes == name)
}

/// Whether `SaturatedConversion` decorates an id that no instruction has: the translator may give it to nothing, so that a
/// conversion is not saturated.
fn loses_saturation(module: &[u8]) -> bool {
    let words: Vec<u32> = module
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .collect();
    let (mut decorated, mut converted) = (Vec::new(), Vec::new());
    let mut at = 5;
    while at < words.len() {
        let (opcode, count) = (words[at] & 0xffff, (words[at] >> 16).max(1) as usize);
        match words.get(at..at + count) {
            // OpDecorate, and conversions from OpConvertFToU to OpSConvert.
            Some(&[_, id, 28]) if opcode == 71 => decorated.push(id),
            Some(&[_, _, id, ..]) if (109..=114).contains(&opcode) => converted.push(id),
            _ => {}
        }
        at += count;
    }
    decorated.iter().any(|id| !converted.contains(id))
}

/// The module of a file of SPIR-V's text.
pub fn assemble(file: &str) -> Result<Vec<u8>, String> {
    std::fs::create_dir_all(folder()).map_err(|e| e.to_string())?;
    let module = folder().join(format!("assembled-{}.spv", std::process::id()));
    run(Command::new("spirv-as")
        .arg("--preserve-numeric-ids")
        .arg(file)
        .arg("-o")
        .arg(&module))?;
    let bytes = std::fs::read(&module).map_err(|e| e.to_string());
    // One that stays does no harm.
    let _ = std::fs::remove_file(module);
    bytes
}

/// Removes the files of a kernel that is right.
pub fn forget(name: &str) {
    for extension in ["cl", "bc", "spv"] {
        // One that stays does no harm.
        let _ = std::fs::remove_file(folder().join(format!("{name}.{extension}")));
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|e| format!("{command:?}: {e}; apt-get install clang-14 llvm-spirv-14"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
