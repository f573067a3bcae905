// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which library is under test, and how it is loaded.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use oxur_client::Loader;

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

/// Sets up the environment that the variables leave open, and gives the path of the loader.
fn prepare() -> PathBuf {
    let given = env::var_os("OXUR_TEST_LOADER").map(PathBuf::from);
    let path = match &given {
        // Tests run in their package's folder, and a path is given relative to the workspace.
        Some(path) if path.is_relative() => root().join(path),
        Some(path) => path.clone(),
        None => root().join("dist/lib/libur_loader.so.0"),
    };
    let path = path.canonicalize().unwrap_or(path);
    let mut set = Vec::new();
    if given.is_none() && env::var_os("UR_ADAPTERS_FORCE_LOAD").is_none() {
        set.push((
            "UR_ADAPTERS_FORCE_LOAD",
            path.with_file_name("libur_adapter_opencl.so.0").into_os_string(),
        ));
    }
    if env::var_os("OCL_ICD_FILENAMES").is_none() && env::var_os("OCL_ICD_VENDORS").is_none() {
        let driver = root().join("target/env/v2026.2/lib/libintelocl.so");
        let icd = driver.with_file_name("libOpenCL.so.1");
        // The ICD loader that comes with the driver reads OCL_ICD_FILENAMES; Debian's does not. Loaded first, it is the
        // one that adapters get.
        // SAFETY: loading runs the library's constructors, which only this does.
        match unsafe { libloading::Library::new(&icd) } {
            Ok(library) => std::mem::forget(library),
            Err(error) => panic!(
                "{}: {error}\nRun `make setup`, or name a driver by OCL_ICD_VENDORS",
                icd.display()
            ),
        }
        set.push(("OCL_ICD_FILENAMES", driver.into_os_string()));
        set.push(("OCL_ICD_VENDORS", "/nonexistent".into()));
    }
    for (name, value) in set {
        // SAFETY: every test comes here first, by the lock of `uninitialised_loader`, so that no other thread of this
        // process reads or writes the environment yet.
        unsafe { env::set_var(name, value) };
    }
    path
}
