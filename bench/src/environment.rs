// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which libraries are compared, and where they are.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use libloading::Library;

use crate::stack::Failure;

/// The libraries.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The folder of Intel's OpenCL.
    driver: PathBuf,
    /// Intel's loader of 2026.1; its adapter is beside it.
    pub intel: PathBuf,
    /// Intel's loader of 2026.2, whose tables have the layout of ours.
    pub intel_newer: PathBuf,
    /// Our loader; our adapter is beside it.
    pub ours: PathBuf,
}

impl Environment {
    /// Intel's libraries of 2026.1, the last that come as files, and ours in `lib`. Leads OpenCL to Intel's CPU driver.
    ///
    /// # Safety
    /// No other thread may use the environment.
    pub unsafe fn new(lib: &Path) -> Result<Self, Failure> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
        let driver = root.join("target/env/v2026.1/lib");
        let icd = driver.join("libintelocl.so");
        if !icd.exists() {
            return Err(format!("{} is missing: `scripts/setup.sh clients`", icd.display()).into());
        }
        // SAFETY: the caller's promise.
        unsafe {
            std::env::set_var("OCL_ICD_FILENAMES", &icd);
            std::env::set_var("OCL_ICD_VENDORS", "/nonexistent");
        }
        let ours = library(&std::path::absolute(lib)?, "ur_loader");
        let intel_newer = library(&root.join("target/env/v2026.2/lib"), "ur_loader");
        Ok(Self {
            intel: library(&driver, "ur_loader"),
            intel_newer,
            ours,
            driver,
        })
    }

    /// The arguments that give a child the same.
    pub fn arguments(&self) -> [String; 2] {
        ["--lib".into(), folder(&self.ours).to_string_lossy().into_owned()]
    }

    /// OpenCL's library that reads `OCL_ICD_FILENAMES`; Debian's does not. Whoever asks for `libOpenCL.so.1` from now on gets
    /// this one. It has no run path: what it needs of its folder comes first.
    pub fn opencl(&self) -> Result<&'static Library, Failure> {
        for name in ["libintlc.so.5", "libirng.so", "libimf.so", "libsvml.so"] {
            load(&self.driver.join(name))?;
        }
        load(&self.driver.join("libOpenCL.so.1"))
    }

    /// Has all look for Level Zero in our driver for the CPU, which is its own loader. Starts this program once more for that:
    /// the system's search is led by what a process begins with.
    ///
    /// # Safety
    /// No other thread may use the environment.
    pub unsafe fn level_zero(&self) -> Result<(), Failure> {
        let driver = folder(&self.ours).join("level-zero");
        if !driver.join("libze_loader.so.1").exists() {
            return Err(format!("{} has no libze_loader.so.1: `make dist`", driver.display()).into());
        }
        let path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        if std::env::split_paths(&path).next().as_deref() != Some(&driver) {
            let paths = std::iter::once(driver).chain(std::env::split_paths(&path));
            let mut again = std::process::Command::new(std::env::current_exe()?);
            again.args(std::env::args_os().skip(1));
            return Err(again.env("LD_LIBRARY_PATH", std::env::join_paths(paths)?).exec().into());
        }
        // SAFETY: the caller's promise.
        unsafe { std::env::set_var("UR_LOADER_USE_LEVEL_ZERO_V2", "1") };
        // What Intel's adapter needs, which has no run path.
        for name in ["libintlc.so.5", "libirng.so", "libimf.so", "libsvml.so", "libumf.so.1"] {
            load(&self.newer_driver().join(name))?;
        }
        Ok(())
    }

    /// The folder of Intel's OpenCL of 2026.2.
    pub fn newer_driver(&self) -> &Path {
        folder(&self.intel_newer)
    }

    /// Intel's newer adapter for Level Zero.
    pub fn intel_level_zero_adapter(&self) -> PathBuf {
        library(self.newer_driver(), "ur_adapter_level_zero_v2")
    }

    /// Intel's adapter for OpenCL.
    pub fn intel_adapter(&self) -> PathBuf {
        library(folder(&self.intel), "ur_adapter_opencl")
    }

    /// Our adapter of this name.
    pub fn our_adapter(&self, name: &str) -> PathBuf {
        let (lib, name) = (folder(&self.ours), format!("ur_adapter_{name}"));
        // Where adapters are that others' of the same name come before.
        let apart = library(&lib.join("adapters"), &name);
        if apart.exists() { apart } else { library(lib, &name) }
    }

    /// The adapter that does nothing, built with this program.
    pub fn null_adapter(&self) -> Result<PathBuf, Failure> {
        let path = std::env::current_exe()?.with_file_name("liboxur_bench_adapter.so");
        if path.exists() {
            Ok(path)
        } else {
            Err(format!("{} is missing: `make bench`", path.display()).into())
        }
    }
}

/// Loads a library, which stays: drivers have threads of their own.
pub fn load(path: &Path) -> Result<&'static Library, Failure> {
    // SAFETY: the initialisers of well-behaved libraries.
    let library = unsafe { Library::new(path) }?;
    Ok(Box::leak(Box::new(library)))
}

fn folder(library: &Path) -> &Path {
    library.parent().unwrap_or(library)
}

/// A library by the name that is installed, or by the one that cargo builds.
fn library(folder: &Path, name: &str) -> PathBuf {
    let installed = folder.join(format!("lib{name}.so.0"));
    if installed.exists() {
        installed
    } else {
        folder.join(format!("lib{name}.so"))
    }
}
