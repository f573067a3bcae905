// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Real loaders, with and without Intel's driver, all from `scripts/setup.sh level-zero-runtime`.
//!
//! A loader reads the environment while it is initialised. So tests that do this run a program: the example `info`, or
//! themselves.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use level_zero_sys::*;

/// A file of `target/env/level-zero`.
fn component(path: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../target/env/level-zero")
        .join(path);
    path.canonicalize()
        .unwrap_or_else(|error| panic!("{}: {error}: scripts/setup.sh level-zero-runtime", path.display()))
}

fn newest() -> PathBuf {
    component("lib/libze_loader.so.1")
}

fn oldest() -> PathBuf {
    component("loader-1.8/libze_loader.so.1")
}

fn open(path: impl AsRef<Path>) -> Result<Loader, LoaderError> {
    // SAFETY: the libraries of these tests are loaders, or the C library.
    unsafe { Loader::open_at(path) }
}

/// Runs `info` on a loader.
fn info(loader: &Path) -> Command {
    let test = std::env::current_exe().unwrap();
    let example = test.parent().and_then(Path::parent).unwrap().join("examples/info");
    assert!(example.exists(), "{} is missing: build the examples", example.display());
    let mut command = Command::new(example);
    command.arg(loader).env_clear();
    command
}

/// Runs a program on Intel's driver for a GPU that is not there. The driver writes a file into the folder.
fn on_intel(name: &str, command: &mut Command) -> Output {
    let driver = component("intel-gpu/libze_intel_gpu.so.1");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    command
        .env("ZE_ENABLE_ALT_DRIVERS", &driver)
        .env("LD_LIBRARY_PATH", driver.parent().unwrap())
        .envs([
            ("NEOReadDebugKeys", "1"),
            ("SetCommandStreamReceiver", "1"),
            ("ProductFamilyOverride", "skl"),
        ])
        .current_dir(folder)
        .output()
        .unwrap()
}

#[track_caller]
fn check_intel(output: &Output) {
    let (out, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{}\n{out}\n{errors}", output.status);
    let has = |start: &str, end: &str| out.lines().any(|line| line.starts_with(start) && line.ends_with(end));
    assert!(has("driver 0x", "(API 1.3)"), "{out}");
    assert!(has("  extension ZE_experimental_module_program", " 1.0"), "{out}");
    assert!(has("  device Intel(R) ", "(ZE_DEVICE_TYPE_GPU)"), "{out}");
    assert!(has("    vendor 0x8086, device 0x", ""), "{out}");
}

#[test]
fn newest_loader_lists_intels_device() {
    let output = on_intel("newest", &mut info(&newest()));
    check_intel(&output);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.lines().any(|line| line.starts_with("loader 1.")), "{out}");
}

/// Debian 12's, which has 300 functions less.
#[test]
fn oldest_loader_lists_intels_device() {
    let output = on_intel("oldest", &mut info(&oldest()));
    check_intel(&output);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.lines().any(|line| line == "loader 1.8.0"), "{out}");
}

#[test]
fn without_a_driver_is_uninitialized() {
    for loader in [newest(), oldest()] {
        let output = info(&loader).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{}: {errors}", loader.display());
        assert!(
            errors.contains("ZE_RESULT_ERROR_UNINITIALIZED"),
            "{}: {errors}",
            loader.display()
        );
    }
}

/// All but one that is declared and defined nowhere.
#[test]
fn newest_loader_has_all_functions() {
    let loader = open(newest()).unwrap();
    let library = open_library(&newest());
    let missing: Vec<_> = Functions::NAMES
        .iter()
        .filter(|name| !has_symbol(&library, name))
        .collect();
    assert_eq!(missing, [&c"zelTracerResetAllCallbacks"]);
    assert!(loader.zelTracerResetAllCallbacks.is_none());
    assert!(loader.zeCommandListAppendLaunchKernel.is_some());
    assert!(loader.zetMetricGroupGet.is_some() && loader.zesDeviceEnumFans.is_some());
    assert!(loader.zerGetDefaultContext.is_some());
}

/// Another way to ask than the table's.
fn open_library(path: &Path) -> libloading::Library {
    // SAFETY: a loader's constructors do nothing but prepare it.
    unsafe { libloading::Library::new(path) }.unwrap()
}

fn has_symbol(library: &libloading::Library, name: &std::ffi::CStr) -> bool {
    // SAFETY: nothing calls it.
    unsafe { library.get::<*const ()>(name.to_bytes_with_nul()) }.is_ok()
}

#[test]
fn version_of_loaders() {
    let new = open(newest()).unwrap();
    let version = new.version().expect("newer loaders tell before zeInit");
    assert!((version.major, version.minor) >= (1, 20), "{version}");
    new.require(1, 20, 0).unwrap();
    let error = new.require(99, 0, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "the Level Zero loader is version {version}; 99.0.0 or newer is needed: install a newer one (libze1, \
             level-zero)"
        )
    );

    let old = open(oldest()).unwrap();
    assert_eq!(old.version(), None);
    let error = old.require(1, 20, 0).unwrap_err();
    assert!(matches!(error, LoaderError::TooOld { found: None, .. }));
    assert_eq!(
        error.to_string(),
        "the Level Zero loader is of an old version; 1.20.0 or newer is needed: install a newer one (libze1, level-zero)"
    );
}

#[test]
fn missing_function() {
    let old = open(oldest()).unwrap();
    let (mut count, mut desc) = (0, ze_init_driver_type_desc_t::default());
    // SAFETY: all pointers are to variables, or null to ask for the count.
    let error = unsafe { old.zeInitDrivers(&mut count, std::ptr::null_mut(), &mut desc) }.unwrap_err();
    assert_eq!(error, MissingFunction { name: "zeInitDrivers" });
    assert_eq!(
        error.to_string(),
        "the Level Zero loader has no function zeInitDrivers: install a newer loader (libze1, level-zero)"
    );
    assert_eq!(LoaderError::from(error).to_string(), error.to_string());
}

#[test]
fn missing_library() {
    let error = open("/nonexistent/libze_loader.so.1")
        .err()
        .expect("there is no such file");
    assert!(
        matches!(&error, LoaderError::Open { library, .. } if library == Path::new("/nonexistent/libze_loader.so.1"))
    );
    let text = error.to_string();
    assert!(
        text.starts_with("the Level Zero loader /nonexistent/libze_loader.so.1 cannot be opened: "),
        "{text}"
    );
    assert!(text.contains("Install it (libze1 on Debian and Ubuntu"), "{text}");
}

#[test]
fn library_that_is_no_loader() {
    let error = open("libc.so.6").err().expect("the C library is no loader");
    assert!(matches!(&error, LoaderError::NotALoader { library } if library == Path::new("libc.so.6")));
    assert_eq!(
        error.to_string(),
        "libc.so.6 is no Level Zero loader: it has no function zeInit. Give the path of libze_loader.so.1."
    );
}

/// The test runs itself as a program on Intel's driver.
#[test]
fn extension_functions() {
    const CHILD: &str = "LEVEL_ZERO_SYS_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        return use_extension_functions();
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = on_intel(
        "extension",
        command
            .args(["--exact", "extension_functions", "--nocapture"])
            .env(CHILD, "1"),
    );
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{out}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(out.contains("test extension_functions ... ok"), "{out}");
}

fn use_extension_functions() {
    type GetBaseAddress = unsafe extern "C" fn(ze_driver_handle_t, *mut c_void, *mut *mut c_void) -> ze_result_t;
    let ze = open(newest()).unwrap();
    let (mut count, mut driver) = (1, std::ptr::null_mut());
    // SAFETY: there is room for one handle.
    unsafe {
        ze.zeInit(0).unwrap().ok().unwrap();
        ze.zeDriverGet(&mut count, &mut driver).unwrap().ok().unwrap();
    }

    // SAFETY: the type is that of Intel's documentation of the function.
    let found = unsafe { ze.extension_function::<GetBaseAddress>(driver, c"zexDriverGetHostPointerBaseAddress") };
    let mut base: *mut c_void = std::ptr::null_mut();
    // SAFETY: the driver looks for the pointer in a list, and does not follow it.
    let result = unsafe { found.unwrap()(driver, (&raw mut base).cast(), &mut base) };
    // It never imported the pointer.
    assert_eq!(result, ZE_RESULT_ERROR_INVALID_ARGUMENT);

    // SAFETY: nothing calls the result.
    let error = unsafe { ze.extension_function::<GetBaseAddress>(driver, c"zexNothing") }.err();
    assert_eq!(
        error.expect("there is no such function").to_string(),
        "the Level Zero driver offers no function zexNothing (ZE_RESULT_ERROR_INVALID_ARGUMENT): install a newer driver, \
         or do without"
    );
}
