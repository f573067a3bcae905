// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Platforms.

use std::env;
use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

use oxur_client::{Context, Program};
use oxur_conformance::api::*;
use oxur_conformance::{Allowed, Rig, check, check_infos, expect, loader, run_test, spirv, ur};

use crate::known;

#[test]
fn count_then_handles() {
    let rig = Rig::new();
    let mut count = 0;
    expect!(
        ur!(urPlatformGet(rig.adapter.raw(), 0, null_mut(), &mut count)),
        SUCCESS
    );
    assert!(count > 0);
    let mut handles = vec![PlatformHandle::default(); count as usize];
    expect!(
        ur!(urPlatformGet(
            rig.adapter.raw(),
            count,
            handles.as_mut_ptr(),
            null_mut()
        )),
        SUCCESS
    );
    assert!(handles.contains(&rig.platform.raw()), "a platform has one handle");
}

#[test]
fn room_for_none() {
    let rig = Rig::new();
    let mut handle = PlatformHandle::default();
    expect!(ur!(urPlatformGet(rig.adapter.raw(), 0, &mut handle, null_mut())), ERROR_INVALID_SIZE; intel SUCCESS,
        "the loader asks for a size only in its validation layer");
}

#[test]
fn info() {
    let rig = Rig::new();
    let get = |p, size, value, size_ret| {
        ur!(urPlatformGetInfo(
            rig.platform.raw(),
            PlatformInfo(p),
            size,
            value,
            size_ret
        ))
    };
    check_infos(
        "PlatformInfo",
        &get,
        Allowed {
            intel: &[known::SMALL],
            ..Allowed::default()
        },
    );
    assert_eq!(
        rig.platform
            .info::<AdapterHandle>(PlatformInfo::ADAPTER)
            .expect("the adapter"),
        rig.adapter.raw()
    );
    let backend = rig
        .adapter
        .info::<Backend>(AdapterInfo::BACKEND)
        .expect("the adapter's backend");
    // An adapter for CPUs may present itself to SYCL as another backend.
    if backend == Backend::OPENCL {
        assert_eq!(
            rig.platform
                .info::<Backend>(PlatformInfo::BACKEND)
                .expect("the backend"),
            backend
        );
    }
    assert!(
        !rig.platform
            .info::<String>(PlatformInfo::NAME)
            .expect("the name")
            .is_empty()
    );
}

#[test]
fn api_version() {
    assert_eq!(
        Rig::new().platform.api_version().expect("urPlatformGetApiVersion"),
        ApiVersion::V0_12
    );
}

#[test]
fn backend_option() {
    let rig = Rig::new();
    let option = |text: &str| {
        let text = CString::new(text).expect("no NUL");
        let mut out = null();
        let code = ur!(urPlatformGetBackendOption(rig.platform.raw(), text.as_ptr(), &mut out));
        // SAFETY: a pointer that the function gave, to a string that ends with NUL.
        (
            code,
            (!out.is_null()).then(|| unsafe { CStr::from_ptr(out) }.to_string_lossy().into_owned()),
        )
    };
    // What they become is the backend's affair, and may be nothing.
    for known in ["", "-O0", "-O1", "-O2", "-O3"] {
        assert!(matches!(option(known), (ResultCode::SUCCESS, Some(_))), "{known}");
    }
    if rig.adapter.info::<Backend>(AdapterInfo::BACKEND).expect("the backend") == Backend::OPENCL {
        assert_eq!(option("-O0").1.as_deref(), Some("-cl-opt-disable"));
    }
    assert_eq!(option("-no-such-option").0, ResultCode::ERROR_INVALID_VALUE);
}

#[test]
fn devices_by_type() {
    let rig = Rig::new();
    let kind = rig.device.info::<DeviceType>(DeviceInfo::TYPE).expect("the type");
    let all = rig.platform.devices().expect("urDeviceGet");
    let same = rig.platform.devices_of(kind).expect("urDeviceGet");
    assert!(!same.is_empty() && same.len() <= all.len());
    let other = if kind == DeviceType::CPU {
        DeviceType::FPGA
    } else {
        DeviceType::CPU
    };
    for device in rig.platform.devices_of(other).expect("none is no error") {
        assert_eq!(device.info::<DeviceType>(DeviceInfo::TYPE).expect("the type"), other);
    }
    assert!(
        !rig.platform
            .devices_of(DeviceType::DEFAULT)
            .expect("urDeviceGet")
            .is_empty()
    );
}

/// PoCL beside Intel's driver: both are there, and the one that takes no SPIR-V says so.
#[test]
fn a_driver_without_spirv() {
    const CHILD: &str = "OXUR_TEST_TWO_DRIVERS";
    let rig = Rig::new();
    let backend: Backend = rig.platform.info(PlatformInfo::BACKEND).expect("BACKEND");
    let name: String = rig.platform.info(PlatformInfo::NAME).expect("NAME");
    if backend != Backend::OPENCL || name == "oxur CPU" {
        return println!("there are no drivers of OpenCL underneath");
    }
    let adapters = loader().adapters().expect("urAdapterGet");
    if env::var_os(CHILD).is_none() {
        // The drivers of the system beside the one under test, which the ICD loader reads once in a process.
        let variables = [(CHILD, "1"), ("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")];
        run_test("platform::a_driver_without_spirv", &variables).passed();
        return;
    }
    let platforms = adapters
        .iter()
        .flat_map(|adapter| adapter.platforms().expect("urPlatformGet"));
    let named: Vec<(String, _)> = platforms
        .map(|platform| (platform.info(PlatformInfo::NAME).expect("NAME"), platform))
        .collect();
    let find = |name: &str| {
        let found = named.iter().find(|(full, _)| full.contains(name));
        &found
            .unwrap_or_else(|| panic!("no platform is called {name}: install it by `make setup`"))
            .1
    };
    find("Intel");
    let device = find("Portable Computing Language")
        .devices()
        .expect("urDeviceGet")
        .remove(0);
    let context = Context::new(&[&device]).expect("urContextCreate");
    let il = spirv("basic");
    let made = Program::with_il(&context, &il).map(drop);
    expect!(check(made), ERROR_COMPILER_NOT_AVAILABLE; intel ERROR_INVALID_BINARY, "the adapter passes on that OpenCL refuses it");
}
