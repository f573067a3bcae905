// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `oxur-compiler compile`: compiles all kernels of modules.

use std::ffi::CStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use oxur_compiler::{Error, Module, Options, Program, Sm, Target};

use crate::{link, read};

/// What a kernel needs that is not there.
fn missing(error: &Error) -> Option<&str> {
    match error {
        Error::Unsupported { feature, .. } => Some(feature),
        Error::Link(what) => Some(what),
        _ => None,
    }
}

/// What to compile of a module, what to do with it, and how to report.
pub struct How<'a> {
    /// Lines of JSON.
    pub json: bool,
    /// This kernel only.
    pub only: Option<&'a str>,
    /// The folder for PTX.
    pub output: Option<&'a Path>,
    /// NVIDIA's assembler.
    pub ptxas: Option<&'a Path>,
}

/// What a kernel was compiled to.
enum Compiled {
    /// Machine code: how many items it runs at a time.
    Code { lanes: u32, from_cache: bool },
    /// So many bytes of PTX.
    Ptx(usize),
}

fn compile_kernel(program: &Arc<Program>, name: &str, target: Target, how: &How<'_>) -> Result<Compiled, Error> {
    let Target::Nvptx64(sm) = target else {
        let kernel = program.kernel(name)?;
        return Ok(Compiled::Code {
            lanes: kernel.lanes(),
            from_cache: kernel.is_from_cache(),
        });
    };
    let unit = program.nvptx_unit(name)?;
    let ptx = unit.compile()?;
    if let Some(folder) = how.output {
        let path = folder.join(unit.key()).with_extension("ptx");
        std::fs::write(&path, ptx.as_bytes())
            .map_err(|error| Error::Codegen(format!("{}: {error}", path.display())))?;
    }
    if let Some(ptxas) = how.ptxas {
        check(&ptx, sm, ptxas).map_err(Error::Codegen)?;
    }
    Ok(Compiled::Ptx(ptx.as_bytes().len()))
}

/// Has ptxas assemble PTX.
fn check(ptx: &CStr, sm: Sm, ptxas: &Path) -> Result<(), String> {
    let file = std::env::temp_dir().join(format!("oxur-compiler-{}.ptx", std::process::id()));
    std::fs::write(&file, ptx.to_bytes()).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut command = std::process::Command::new(ptxas);
    command
        .arg(format!("--gpu-name={sm}"))
        .args(["--output-file", "/dev/null"])
        .arg(&file);
    let output = command
        .output()
        .map_err(|error| format!("{}: {error}", ptxas.display()));
    _ = std::fs::remove_file(&file);
    let output = output?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("ptxas: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// Compiles the kernels of a module, and tells how that went.
pub fn compile(path: &Path, others: &[PathBuf], options: &Options, how: &How<'_>) -> Result<(), String> {
    // A module that does not link has kernels all the same: each of them fails.
    let names: Vec<String> = match Module::parse(&read(path)?) {
        Ok(module) => module.kernels().map(str::to_string).collect(),
        Err(_) => vec![String::new()],
    };
    let program = link(path, others, options)?;
    for name in names.iter().filter(|n| how.only.is_none_or(|o| o == n.as_str())) {
        let start = Instant::now();
        let program = program.as_ref().map_err(Error::clone);
        let result = program.and_then(|program| compile_kernel(program, name, options.target, how));
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let mut out = std::io::stdout().lock();
        let written = if how.json {
            let error = result.as_ref().err();
            let line = serde_json::json!({
                "module": path.display().to_string(),
                "kernel": name,
                "ok": error.is_none(),
                "error": error.map(ToString::to_string),
                "missing": error.and_then(missing),
                "ms": ms,
                "cached": matches!(result, Ok(Compiled::Code { from_cache: true, .. })),
            });
            writeln!(out, "{line}")
        } else {
            match result {
                Ok(Compiled::Code { from_cache: true, .. }) => writeln!(out, "{ms:8.3} ms  {name} (from the cache)"),
                Ok(Compiled::Code { lanes, .. }) => writeln!(out, "{ms:8.1} ms  x{lanes:<2} {name}"),
                Ok(Compiled::Ptx(bytes)) => writeln!(out, "{ms:8.1} ms  {bytes} bytes of PTX {name}"),
                Err(error) => writeln!(out, "  failed     {name}: {error}"),
            }
        };
        written.and_then(|()| out.flush()).map_err(|e| e.to_string())?;
    }
    Ok(())
}
