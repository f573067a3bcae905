// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The CUDA adapter, beside the driver and beside CuPy. Both are programs of their own: another driver is in this process.

use std::path::Path;
use std::process::Command;

use crate::stack::Failure;

/// Runs both; gives whether all is well.
pub(super) fn run(lib: &Path) -> Result<bool, Failure> {
    let lib = std::path::absolute(lib)?;
    let calls = std::env::current_exe()?.with_file_name("oxur-bench-cuda");
    let adapter = lib.join("adapters/libur_adapter_cuda.so.0");
    let measured = Command::new(&calls)
        .args([lib.join("libur_loader.so.0"), adapter])
        .arg("--calls")
        .status()
        .map_err(|error| format!("{}: {error}", calls.display()))?;
    if !measured.success() {
        return Ok(false);
    }
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
        return Ok(true);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("cupy_dpnp.py");
    let compared = Command::new(lib.join("../bin/oxur"))
        .args(["run", "--adapter", "cuda", "--"])
        .arg(python)
        .arg(script)
        .env("ONEAPI_DEVICE_SELECTOR", "opencl:gpu")
        .status()?;
    Ok(compared.success())
}
