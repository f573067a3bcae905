// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which library is under test, and how it is loaded.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use oxur_client::Loader;

use crate::documented;

/// The stacks that the suite knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// Our loader and one of our adapters.
    Ours,
    /// Intel's loader and Intel's OpenCL adapter.
    Intel,
}

/// The stack under test. Only our loader has the functions of 2026.1 and those of 2026.2.
pub fn stack() -> Stack {
    let fns = uninitialised_loader().fns();
    match (fns.other.Legacy.pfnKernelSetArgValue, fns.ddi.EventExp.pfnCreateExp) {
        (Some(_), Some(_)) => Stack::Ours,
        _ => Stack::Intel,
    }
}

/// Whether this is Intel's stack, where the thing that `reason` names is otherwise. The reason is printed.
pub fn intel(reason: &str) -> bool {
    let intel = stack() == Stack::Intel;
    if intel {
        println!("known deviation: {reason}");
    }
    intel
}

/// The library under test, loaded but not initialised.
pub fn uninitialised_loader() -> &'static Loader {
    static LOADER: OnceLock<Loader> = OnceLock::new();
    LOADER.get_or_init(|| {
        let path = prepare();
        oxur_client::observe_errors(documented::assert_documented);
        Loader::open_uninitialised(&path)
            .unwrap_or_else(|error| panic!("{error}\nBuild it with `make dist`, or name one by OXUR_TEST_LOADER"))
    })
}

/// The library under test, initialised for as long as the process runs.
pub fn loader() -> &'static Loader {
    static LOADER: OnceLock<Loader> = OnceLock::new();
    LOADER.get_or_init(|| {
        let path = uninitialised_loader().path();
        Loader::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    })
}

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The path of the loader, in an environment that is complete: where variables are left open, this process starts
/// again with them set.
fn prepare() -> PathBuf {
    let given = env::var_os("OXUR_TEST_LOADER").map(PathBuf::from);
    let path = match &given {
        // Tests run in their package's folder, and a path is given relative to the workspace.
        Some(path) if path.is_relative() => root().join(path),
        Some(path) => path.clone(),
        None => root().join("dist/lib/libur_loader.so.0"),
    };
    let path = path.canonicalize().unwrap_or(path);
    let mut set: Vec<(&str, OsString)> = Vec::new();
    if given.is_none() && env::var_os("UR_ADAPTERS_FORCE_LOAD").is_none() {
        set.push((
            "UR_ADAPTERS_FORCE_LOAD",
            path.with_file_name("libur_adapter_opencl.so.0").into(),
        ));
    }
    if env::var_os("OCL_ICD_FILENAMES").is_none() && env::var_os("OCL_ICD_VENDORS").is_none() {
        let folder = root().join("target/env/v2026.2/lib");
        let driver = folder.join("libintelocl.so");
        let found = driver.canonicalize();
        found.unwrap_or_else(|e| panic!("{}: {e}\nRun `make setup`, or set OCL_ICD_VENDORS", driver.display()));
        // The ICD loader that comes with the driver reads OCL_ICD_FILENAMES; Debian's does not.
        let mut libraries = folder.into_os_string();
        if let Some(old) = env::var_os("LD_LIBRARY_PATH") {
            libraries.push(":");
            libraries.push(old);
        }
        set.push(("OCL_ICD_FILENAMES", driver.into()));
        set.push(("OCL_ICD_VENDORS", "/nonexistent".into()));
        set.push(("LD_LIBRARY_PATH", libraries));
    }
    if set.is_empty() {
        return path;
    }
    // The dynamic linker reads its variable at the start of a process only.
    let error = Command::new("/proc/self/exe")
        .args(env::args_os().skip(1))
        .envs(set)
        .exec();
    panic!("cannot start the tests again: {error}");
}
