// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The third side: the kernels of the same names in C, `bench/native`, with OpenMP.
//!
//! clang 22 compiles them, with Intel's OpenMP and SVML, which are beside Intel's driver. No other compiler of the system is as
//! fast: gcc 12 with libgomp and libmvec reaches 0.5 of it for powers of floats, 0.6 for n-body, 0.7 for Black-Scholes. It is
//! ahead in saxpy alone (1.15), where threads meet most often.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::Command;

use libloading::Library;

use super::build::run;
use super::cases::Case;
use crate::environment::{self, Environment};
use crate::stack::Failure;

/// A function of `bench/native`, see `KERNEL` in native.h: the addresses of its arguments, and the global size.
pub type Function = unsafe extern "C" fn(*const *const c_void, *const usize);

/// OpenMP reads it when it is loaded. Waiting threads sleep: polling counts as processor time, of the other sides, too.
pub const VARIABLE: (&str, &str) = ("OMP_WAIT_POLICY", "passive");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("native")
}

/// Whether there is native code for a case.
pub fn has(case: &Case) -> bool {
    folder().join(case.file).with_extension("c").exists()
}

/// Compiles all files for this machine, and loads them.
pub fn load(environment: &Environment) -> Result<&'static Library, Failure> {
    let target = folder().join("../../target/kernels/bench");
    std::fs::create_dir_all(&target)?;
    let mut sources = std::fs::read_dir(folder())?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    // Another run may compile, too: the last rename wins.
    let (new, library) = (
        target.join(format!("native-{}.so", std::process::id())),
        target.join("native.so"),
    );
    // Without -ffast-math neither compiler vectorises functions and sums.
    let flags = [
        "-O3",
        "-march=native",
        "-mprefer-vector-width=512",
        "-ffast-math",
        "-fopenmp=libiomp5",
        "-fveclib=SVML",
        "-fPIC",
        "-shared",
    ];
    run(Command::new("clang-22")
        .args(flags)
        .args(sources)
        .arg("-o")
        .arg(&new)
        .arg("-L")
        .arg(environment.newer_driver())
        .args(["-lsvml", "-lintlc", "-limf"]))?;
    std::fs::rename(&new, &library)?;
    environment::load(&library)
}
