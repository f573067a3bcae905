// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the driver says that there is, from outside: as its own loader, and under Level Zero's.
//!
//! A test that sets variables, which are read once, runs in a process of its own.

mod loaders;
mod properties;
mod sub_devices;
mod sysman;
mod variables;

use std::path::PathBuf;
use std::process::Command;
use std::ptr::null_mut;

use level_zero_sys::*;

/// The driver, which cargo builds before the test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    let folder = test.parent().expect("it is in a folder");
    let library = folder.join("libze_oxur_cpu.so");
    assert!(library.exists(), "{} is missing", library.display());
    library
}

/// A folder of the test environment, with loaders.
fn environment(folder: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../target/env/level-zero")
        .join(folder);
    assert!(folder.exists(), "{} is missing: run `make setup`", folder.display());
    folder
}

/// The driver as a loader.
fn open() -> Loader {
    // SAFETY: our own library, whose functions have the types of the headers.
    unsafe { Loader::open_at(library()) }.expect("the library is a loader")
}

/// The driver as a loader, initialized, and the handle of its only driver.
fn initialized() -> (Loader, ze_driver_handle_t) {
    let ze = open();
    // SAFETY: zeInit may be called at any time.
    unsafe { ze.zeInit(0) }.unwrap().ok().unwrap();
    let drivers = drivers(&ze);
    assert_eq!(drivers.len(), 1);
    (ze, drivers[0])
}

/// As [`initialized`], with the first device.
fn device() -> (Loader, ze_device_handle_t) {
    let (ze, driver) = initialized();
    let device = devices(&ze, driver)[0];
    (ze, device)
}

fn drivers(ze: &Loader) -> Vec<ze_driver_handle_t> {
    // SAFETY: `all` passes room for as many handles as it says, or null.
    all(null_mut(), |count, to| unsafe { ze.zeDriverGet(count, to) }.unwrap())
}

fn devices(ze: &Loader, driver: ze_driver_handle_t) -> Vec<ze_device_handle_t> {
    all(null_mut(), |count, to| {
        // SAFETY: `all` passes room for as many handles as it says, or null.
        unsafe { ze.zeDeviceGet(driver, count, to) }.unwrap()
    })
}

fn sub_devices(ze: &Loader, device: ze_device_handle_t) -> Vec<ze_device_handle_t> {
    all(null_mut(), |count, to| {
        // SAFETY: `all` passes room for as many handles as it says, or null.
        unsafe { ze.zeDeviceGetSubDevices(device, count, to) }.unwrap()
    })
}

fn device_properties(ze: &Loader, device: ze_device_handle_t) -> ze_device_properties_t {
    let mut properties = ze_device_properties_t::default();
    // SAFETY: the variable is there to be written.
    unsafe { ze.zeDeviceGetProperties(device, &mut properties) }
        .unwrap()
        .ok()
        .unwrap();
    properties
}

/// Asks for the count of a list, then for the list, and for a part of it.
fn all<T: Clone>(empty: T, get: impl Fn(*mut u32, *mut T) -> ze_result_t) -> Vec<T> {
    let mut count = 0;
    get(&mut count, null_mut()).ok().unwrap();
    // More room than is needed.
    let (mut list, mut filled) = (vec![empty.clone(); count as usize + 3], count + 3);
    get(&mut filled, list.as_mut_ptr()).ok().unwrap();
    assert_eq!(filled, count);
    if count > 1 {
        let (mut part, mut one) = (vec![empty], 1);
        get(&mut one, part.as_mut_ptr()).ok().unwrap();
        assert_eq!(one, 1);
    }
    list.truncate(count as usize);
    list
}

/// Whether this process has the variables. If it has not, it runs the test of this name in another that has.
fn has_variables(test: &str, variables: &[(&str, &str)]) -> bool {
    const CHILD: &str = "OXUR_TEST_CHILD";
    if std::env::var_os(CHILD).is_some_and(|child| child == *test) {
        return true;
    }
    let output = Command::new(std::env::current_exe().expect("the test has a path"))
        .args(["--exact", test, "--nocapture"])
        .envs(variables.iter().copied())
        .env(CHILD, test)
        .output()
        .expect("the test runs");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success() && out.contains("1 passed"),
        "{variables:?}: {out}{err}"
    );
    false
}

/// The number of CPUs that the process may use.
fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
