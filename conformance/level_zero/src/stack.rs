// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which library is under test, and how it is loaded.

use std::env;
use std::ffi::{CString, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;
use std::sync::OnceLock;

use level_zero_sys::{Functions, Loader, ZE_RESULT_SUCCESS, list, ze_driver_handle_t, zel_version_t};

/// The drivers that the suite knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// Our driver, or any other that executes.
    Ours,
    /// Intel's driver for a GPU that is not there.
    Intel,
}

/// The driver under test.
pub fn stack() -> Stack {
    let drivers = env::var("ZE_ENABLE_ALT_DRIVERS").unwrap_or_default();
    if drivers.contains("libze_intel_gpu") {
        Stack::Intel
    } else {
        Stack::Ours
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

/// What the specification asks for; or, on Intel's stack, what it is known to do instead, for a reason that is printed.
pub fn or_intel<T>(expected: T, known: T, reason: &str) -> T {
    if intel(reason) { known } else { expected }
}

/// The library under test, loaded but not initialised.
pub fn uninitialised_loader() -> &'static Loader {
    static LOADER: OnceLock<Loader> = OnceLock::new();
    LOADER.get_or_init(|| {
        let path = prepare();
        // SAFETY: the library is a loader, or a driver that is one.
        unsafe { Loader::open_at(&path) }
            .unwrap_or_else(|error| panic!("{error}\nRun `make setup`, or name a loader by OXUR_TEST_ZE_LOADER"))
    })
}

/// The library under test, initialised by zeInit.
pub fn loader() -> &'static Loader {
    static INIT: OnceLock<()> = OnceLock::new();
    let loader = uninitialised_loader();
    INIT.get_or_init(|| {
        // SAFETY: any flags may be given, at any time.
        let result = unsafe { loader.zeInit(0) }.expect("zeInit");
        assert!(
            result == ZE_RESULT_SUCCESS,
            "zeInit gave {result}: is there a driver at ZE_ENABLE_ALT_DRIVERS ({:?})?",
            env::var_os("ZE_ENABLE_ALT_DRIVERS").unwrap_or_default()
        );
    });
    loader
}

/// All drivers, of which there must be one.
pub fn drivers() -> Vec<ze_driver_handle_t> {
    // SAFETY: `list` passes room for as many handles as it says, or null.
    let drivers = list(null_mut(), |count, drivers| unsafe {
        loader().zeDriverGet(count, drivers).expect("a loader has it").ok()
    });
    let drivers = drivers.expect("zeDriverGet tells the drivers");
    assert!(!drivers.is_empty(), "zeDriverGet finds no driver");
    drivers
}

/// A function of the library under test. Where the loader is too old to have it, it is the driver's own: the loader has
/// one driver and no layers then, and gives out that driver's handles.
pub fn function<F: Copy>(name: &str, get: impl Fn(&Functions) -> Option<F>) -> F {
    // The functions to initialise with are called on an uninitialised loader.
    if let Some(function) = get(uninitialised_loader()) {
        return function;
    }
    let symbol = CString::new(name).expect("a name");
    let version = loader().version();
    assert!(
        is_old(version),
        "the loader has no function {name}, and is no old one: {version:?}"
    );
    // SAFETY: the function has the type that the headers give it.
    unsafe { loader().extension_function(drivers()[0], &symbol) }
        .unwrap_or_else(|error| panic!("the loader {version:?} is too old for {name}, and {error}"))
}

/// Whether the headers are newer than a loader, so that it may lack functions.
pub(crate) fn is_old(version: Option<zel_version_t>) -> bool {
    version.is_none_or(|version| (version.major, version.minor) < (1, 28))
}

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The path of the loader, in an environment that is complete: where variables are left open, this process starts
/// again with them set.
fn prepare() -> PathBuf {
    if stack() == Stack::Intel {
        // Intel's driver writes the commands that it would have executed into the current folder.
        let folder = root().join("target/tmp/level_zero");
        std::fs::create_dir_all(&folder).expect("target/tmp");
        env::set_current_dir(&folder).expect("target/tmp");
    }
    let given = env::var_os("OXUR_TEST_ZE_LOADER").map(PathBuf::from);
    let path = match &given {
        // Tests run in their package's folder, and a path is given relative to the workspace.
        Some(path) if path.is_relative() => root().join(path),
        Some(path) => path.clone(),
        None => root().join("target/env/level-zero/lib/libze_loader.so.1"),
    };
    let path = path.canonicalize().unwrap_or(path);
    if given.is_some() || env::var_os("ZE_ENABLE_ALT_DRIVERS").is_some() {
        return path;
    }
    let driver = root().join("dist/lib/libze_oxur_cpu.so.1");
    let driver: OsString = driver
        .canonicalize()
        .unwrap_or_else(|error| panic!("{}: {error}\nBuild it with `make dist`", driver.display()))
        .into();
    // The variables are read by the loader, which may have been loaded before. It looks for its layers in the path.
    let error = Command::new("/proc/self/exe")
        .args(env::args_os().skip(1))
        .env("LD_LIBRARY_PATH", path.parent().expect("a file is in a folder"))
        .env("ZE_ENABLE_ALT_DRIVERS", driver)
        .exec();
    panic!("cannot start the tests again: {error}");
}
