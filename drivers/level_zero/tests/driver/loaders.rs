// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The driver under real loaders, and instead of one.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::ptr::null_mut;

use level_zero_sys::*;

use crate::*;

/// The functions of Level Zero that a library exports.
fn exports(library: &Path) -> BTreeSet<String> {
    let output = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library)
        .output()
        .expect("nm runs");
    let text = String::from_utf8(output.stdout).expect("names of symbols");
    let names = text.lines().filter_map(|line| line.split(' ').nth(2));
    names.filter(|name| name.starts_with("ze")).map(str::to_owned).collect()
}

#[test]
fn it_has_the_functions_of_a_loader() {
    // Parts of the loader that only the libraries of its own layers use.
    let internal = [
        "zelLoaderDriverCheck",
        "zelLoaderGetContext",
        "zelLoaderTracingLayerInit",
        "zelLoaderZerTracingLayerInit",
    ];
    let ours = exports(&library());
    let missing: Vec<_> = exports(&environment("lib").join(LOADER_NAME))
        .into_iter()
        .filter(|name| !ours.contains(name) && !internal.contains(&name.as_str()))
        .collect();
    assert_eq!(missing, [""; 0]);
    assert!(ours.len() > 700, "{}", ours.len());
}

#[test]
fn it_is_a_loader() {
    let ze = open();
    assert_eq!(
        ze.version().map(|version| (version.major, version.minor)),
        Some((1, 32))
    );
    ze.require(1, 20, 0).unwrap();
    let versions = ze.component_versions();
    assert_eq!(
        (versions.len(), versions[0].name(), versions[0].spec_version),
        (1, Some("loader"), API_VERSION)
    );
    let (mut out, here) = (null_mut(), std::ptr::from_ref(&versions).cast_mut().cast());
    // SAFETY: all pointers are to variables.
    unsafe {
        let translate = ze.zelLoaderTranslateHandle.unwrap();
        assert_eq!(
            (translate(ZEL_HANDLE_DEVICE, here, &mut out), out),
            (ZE_RESULT_SUCCESS, here)
        );
        assert_eq!(
            translate(zel_handle_type_t(99), here, &mut out),
            ZE_RESULT_ERROR_INVALID_ARGUMENT
        );
        assert_eq!(
            translate(ZEL_HANDLE_DEVICE, here, null_mut()),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER
        );
        assert!(!ze.zelCheckIsLoaderInTearDown.unwrap()());
    }
}

/// Lists the driver's only device.
fn lists_the_device(ze: &Loader) {
    // SAFETY: zeInit may be called at any time.
    unsafe { ze.zeInit(ZE_INIT_FLAG_GPU_ONLY) }.unwrap().ok().unwrap();
    let drivers = drivers(ze);
    assert_eq!(drivers.len(), 1);
    let devices = devices(ze, drivers[0]);
    assert_eq!(devices.len(), 1);
    let properties = device_properties(ze, devices[0]);
    assert_eq!(properties.type_, ZE_DEVICE_TYPE_GPU);
    assert_eq!(properties.numSubslicesPerSlice as usize, cpus());
}

#[test]
fn under_a_new_loader() {
    let library = library();
    if !has_variables(
        "loaders::under_a_new_loader",
        &[("ZE_ENABLE_ALT_DRIVERS", library.to_str().unwrap())],
    ) {
        return;
    }
    // SAFETY: Level Zero's loader.
    let ze = unsafe { Loader::open_at(environment("lib").join(LOADER_NAME)) }.unwrap();
    lists_the_device(&ze);
}

#[test]
fn under_an_old_loader() {
    let library = library();
    if !has_variables(
        "loaders::under_an_old_loader",
        &[("ZE_ENABLE_ALT_DRIVERS", library.to_str().unwrap())],
    ) {
        return;
    }
    // SAFETY: Level Zero's loader of Debian 12.
    let ze = unsafe { Loader::open_at(environment("loader-1.8").join(LOADER_NAME)) }.unwrap();
    lists_the_device(&ze);
}

#[test]
fn as_the_loader() {
    lists_the_device(&open());
}

#[test]
fn initialization() {
    // Other tests initialize it in the same process.
    if !has_variables("loaders::initialization", &[]) {
        return;
    }
    let ze = open();
    let (mut count, mut driver, mut other) = (0, null_mut(), null_mut());
    // SAFETY: all pointers are null or to variables with room for what the counts say.
    unsafe {
        assert_eq!(
            ze.zeDriverGet(&mut count, null_mut()).unwrap(),
            ZE_RESULT_ERROR_UNINITIALIZED
        );
        assert_eq!(ze.zeInit(4).unwrap(), ZE_RESULT_ERROR_INVALID_ENUMERATION);
        assert_eq!(ze.zeInit(ZE_INIT_FLAG_VPU_ONLY).unwrap(), ZE_RESULT_ERROR_UNINITIALIZED);
        let mut desc = ze_init_driver_type_desc_t::default();
        let mut init = |flags, count: &mut u32, to| {
            desc.flags = flags;
            ze.zeInitDrivers(count, to, &mut desc).unwrap()
        };
        assert_eq!(init(0, &mut count, null_mut()), ZE_RESULT_ERROR_INVALID_ENUMERATION);
        assert_eq!(
            init(ZE_INIT_DRIVER_TYPE_FLAG_NPU, &mut count, null_mut()),
            ZE_RESULT_ERROR_UNINITIALIZED
        );
        assert_eq!((init(u32::MAX, &mut count, null_mut()), count), (ZE_RESULT_SUCCESS, 1));
        assert_eq!(
            init(ZE_INIT_DRIVER_TYPE_FLAG_GPU, &mut count, &mut driver),
            ZE_RESULT_SUCCESS
        );
        assert_eq!(
            ze.zeInitDrivers(&mut count, &mut other, null_mut()).unwrap(),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER
        );
        assert_eq!(
            ze.zeInitDrivers(null_mut(), &mut other, &mut desc).unwrap(),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER
        );
        ze.zeDriverGet(&mut count, &mut other).unwrap().ok().unwrap();
    }
    assert_eq!(driver, other);
}
