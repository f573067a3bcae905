// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The CUDA adapter, beside the driver, nvcc's code and CuPy. All are programs of their own: another driver is in this process.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kernels::build;
use crate::stack::Failure;

/// The SPIR-V of the kernels, which is made anew where there are compilers for that.
fn module() -> Result<PathBuf, Failure> {
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/kernels/bench/gpu.spv");
    match build::spirv("gpu") {
        Ok(_) => Ok(module),
        Err(error) if module.exists() => {
            eprintln!("oxur-bench: {error}; {} is of an earlier run", module.display());
            Ok(module)
        }
        Err(error) => Err(error),
    }
}

/// Runs all; gives whether all is well.
pub(super) fn run(lib: &Path) -> Result<bool, Failure> {
    let lib = std::path::absolute(lib)?;
    let calls = std::env::current_exe()?.with_file_name("oxur-bench-cuda");
    let adapter = lib.join("adapters/libur_adapter_cuda.so.0");
    let measure = |words: &[&OsStr]| {
        Command::new(&calls)
            .args([&lib.join("libur_loader.so.0"), &adapter])
            .args(words)
            .status()
            .map_err(|error| format!("{}: {error}", calls.display()))
    };
    for what in ["--calls", "--devices"] {
        if !measure(&[what.as_ref()])?.success() {
            return Ok(false);
        }
    }
    let good = measure(&["--kernels".as_ref(), module()?.as_ref()])?.success();
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let has_both = Command::new(&python)
        .args([
            "-c",
            "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ('dpnp', 'cupy'))))",
        ])
        .status()?;
    if !has_both.success() {
        println!(
            "{} has not both dpnp and CuPy, so they are not compared",
            python.display()
        );
        return Ok(good);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("cupy_dpnp.py");
    let compared = Command::new(lib.join("../bin/oxur"))
        .args(["run", "--adapter", "cuda", "--"])
        .arg(python)
        .arg(script)
        .env("ONEAPI_DEVICE_SELECTOR", "opencl:gpu")
        .status()?;
    Ok(good && compared.success())
}
