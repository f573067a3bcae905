// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Initialisation and drivers.

use std::ffi::CStr;
use std::ptr::{null, null_mut};
use std::thread;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{
    Rig, chain, drivers, expect, intel, loader, loader_is_old, ok, uninitialised_loader, ze,
};

use crate::count::check_counts;

/// zeInit: `0x3 < flags` is an invalid enumeration.
#[test]
fn init_flags() {
    expect!(zeInit(0x8), ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

/// zeInit: "If this function is not called then all other functions will return ZE_RESULT_ERROR_UNINITIALIZED".
#[test]
fn uninitialised() {
    let (mut count, mut driver) = (0, null_mut());
    let get = uninitialised_loader().zeDriverGet.expect("zeDriverGet");
    // SAFETY: the count is a local, and there is no array.
    let result = unsafe { get(&mut count, null_mut()) };
    assert_eq!(result, ZE_RESULT_ERROR_UNINITIALIZED);
    count = 1;
    // SAFETY: the array has room for one.
    let result = unsafe { get(&mut count, &mut driver) };
    assert_eq!(result, ZE_RESULT_ERROR_UNINITIALIZED);
}

/// zeInit: "Only one instance of each driver will be initialized per process", and all calls succeed.
#[test]
fn init_again() {
    let first = drivers();
    for flags in [0, ZE_INIT_FLAG_GPU_ONLY, 0] {
        ok!(zeInit(flags));
    }
    assert_eq!(drivers(), first);
}

/// zeInit: "must be thread-safe for scenarios where multiple libraries may initialize the driver(s) simultaneously".
#[test]
fn init_by_threads() {
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| ok!(zeInit(0)));
        }
    });
    assert!(!drivers().is_empty());
}

/// zeDriverGet: the rules of counts.
#[test]
fn get_counts() {
    loader();
    check_counts("zeDriverGet", null_mut(), |count, drivers| {
        ze!(zeDriverGet(count, drivers))
    });
}

/// zeInitDrivers: all types of drivers by one call, in place of zeInit; the rules of counts.
#[test]
fn init_drivers() {
    if loader_is_old() && uninitialised_loader().zeInitDrivers.is_none() {
        return println!("not run: the loader is too old for zeInitDrivers");
    }
    if intel("a driver of version 1.3 has no zeInitDrivers, so the loader finds none") {
        return;
    }
    let mut desc = ze_init_driver_type_desc_t {
        flags: u32::MAX,
        ..Default::default()
    };
    check_counts("zeInitDrivers", null_mut(), |count, drivers| {
        ze!(zeInitDrivers(count, drivers, &mut desc))
    });
}

/// zeInitDrivers: `0x0 == desc->flags` is an invalid enumeration, null pointers are refused.
#[test]
fn init_drivers_errors() {
    if loader_is_old() && uninitialised_loader().zeInitDrivers.is_none() {
        return println!("not run: the loader is too old for zeInitDrivers");
    }
    if intel("a driver of version 1.3 has no zeInitDrivers") {
        return;
    }
    let mut count = 0;
    let mut desc = ze_init_driver_type_desc_t::default();
    expect!(
        zeInitDrivers(&mut count, null_mut(), &mut desc),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
    expect!(
        zeInitDrivers(&mut count, null_mut(), null_mut()),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
    desc.flags = u32::MAX;
    expect!(
        zeInitDrivers(null_mut(), null_mut(), &mut desc),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
}

/// zeDriverGetApiVersion: a version of this API.
#[test]
fn api_version() {
    let mut version = ze_api_version_t::default();
    ok!(zeDriverGetApiVersion(drivers()[0], &mut version));
    assert_eq!(version.major(), 1, "{version}");
    assert!(version.minor() >= 3, "{version}");
}

/// zeDriverGetProperties: the uuid and the version of a driver are the same at each call; an unknown structure is skipped.
#[test]
fn properties() {
    let driver = drivers()[0];
    let mut first = ze_driver_properties_t::default();
    ok!(zeDriverGetProperties(driver, &mut first));
    assert_ne!(first.driverVersion, 0);
    let mut free = ze_driver_memory_free_ext_properties_t {
        freePolicies: u32::MAX,
        ..Default::default()
    };
    let mut unknown = chain((&raw mut free).cast());
    let mut second = ze_driver_properties_t {
        pNext: (&raw mut unknown).cast(),
        ..Default::default()
    };
    ok!(zeDriverGetProperties(driver, &mut second));
    assert_eq!(first.uuid.id, second.uuid.id);
    assert_eq!(first.driverVersion, second.driverVersion);
    assert_eq!(second.pNext, (&raw mut unknown).cast(), "pNext is the application's");
    let known = intel("the driver does not look behind an unknown structure");
    assert_eq!(free.freePolicies <= 3, !known, "{free:?}");
}

/// zeDriverGetIpcProperties: a combination of ze_ipc_property_flag_t.
#[test]
fn ipc_properties() {
    let mut properties = ze_driver_ipc_properties_t::default();
    ok!(zeDriverGetIpcProperties(drivers()[0], &mut properties));
    assert_eq!(
        properties.flags & !(ZE_IPC_PROPERTY_FLAG_MEMORY | ZE_IPC_PROPERTY_FLAG_EVENT_POOL),
        0
    );
}

/// zeDriverGetExtensionProperties: the rules of counts; names are unique, versions are not zero.
#[test]
fn extensions() {
    let driver = drivers()[0];
    let extensions = check_counts(
        "zeDriverGetExtensionProperties",
        ze_driver_extension_properties_t::default(),
        |count, extensions| ze!(zeDriverGetExtensionProperties(driver, count, extensions)),
    );
    let mut names: Vec<_> = extensions
        .iter()
        .map(|extension| text(&extension.name).expect("a name in UTF-8"))
        .collect();
    println!("{names:?}");
    assert!(
        names
            .iter()
            .all(|name| name.starts_with("ZE") || name.starts_with("ze"))
    );
    assert!(extensions.iter().all(|extension| extension.version != 0));
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "names are not unique");
}

/// zeDriverGetExtensionFunctionAddress: a function of an extension is found by its name, an unknown one is not.
#[test]
fn extension_function() {
    let driver = drivers()[0];
    let mut address = null_mut();
    let result = ze!(zeDriverGetExtensionFunctionAddress(
        driver,
        c"zeNoSuchFunctionExt".as_ptr(),
        &mut address
    ));
    assert_ne!(result, ZE_RESULT_SUCCESS);
    let rig = Rig::new();
    if oxur_conformance_level_zero::require_extension(&rig, ZE_MUTABLE_COMMAND_LIST_EXP_NAME) {
        ok!(zeDriverGetExtensionFunctionAddress(
            driver,
            c"zeCommandListGetNextCommandIdExp".as_ptr(),
            &mut address
        ));
        assert!(!address.is_null());
    }
}

/// zeDriverGetLastErrorDescription: a string that ends with NUL, also after an error.
#[test]
fn last_error() {
    if intel("a driver of version 1.3 has no zeDriverGetLastErrorDescription") {
        return;
    }
    let driver = drivers()[0];
    let get = || {
        let mut text = null();
        ok!(zeDriverGetLastErrorDescription(driver, &mut text));
        assert!(!text.is_null());
        // SAFETY: by the specification it is a string that ends with NUL.
        unsafe { CStr::from_ptr(text) }.to_owned()
    };
    get();
    assert_ne!(ze!(zeContextCreate(driver, null(), &mut null_mut())), ZE_RESULT_SUCCESS);
    println!("{:?}", get());
    // "String returned is thread local."
    let error = get();
    let driver = driver as usize;
    thread::spawn(move || {
        let mut text = null();
        ok!(zeDriverGetLastErrorDescription(driver as ze_driver_handle_t, &mut text));
        // SAFETY: as above.
        assert!(!text.is_null() && (unsafe { CStr::from_ptr(text) }.is_empty() || error.is_empty()));
    })
    .join()
    .expect("the thread");
}

/// zeDriverGetDefaultContext: a context of all devices, the same at each call.
#[test]
fn default_context() {
    if intel("a driver of version 1.3 has no zeDriverGetDefaultContext") {
        return;
    }
    let driver = drivers()[0];
    let Some(get) = loader().zeDriverGetDefaultContext else {
        assert!(loader_is_old(), "the loader has no zeDriverGetDefaultContext");
        return println!("not run: the loader is too old");
    };
    // SAFETY: the handle of a driver.
    let (first, second) = unsafe { (get(driver), get(driver)) };
    assert!(!first.is_null());
    assert_eq!(first, second);
    ok!(zeContextGetStatus(first));
    let rig = Rig::new();
    let mut ptr = null_mut();
    let desc = ze_device_mem_alloc_desc_t::default();
    ok!(zeMemAllocDevice(first, &desc, 64, 0, rig.device, &mut ptr));
    ok!(zeMemFree(first, ptr));
}

/// zelLoaderGetVersions: the loader says what it is.
#[test]
fn loader_version() {
    let version = loader().version().expect("the loader's version");
    assert_eq!(version.major, 1, "{version}");
}
