// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What variables change.

use level_zero_sys::*;

use crate::*;

fn extensions(ze: &Loader, driver: ze_driver_handle_t) -> Vec<String> {
    let get = |count, to| {
        // SAFETY: `all` passes room for as many structures as it says, or null.
        unsafe { ze.zeDriverGetExtensionProperties(driver, count, to) }.unwrap()
    };
    let all = all(ze_driver_extension_properties_t::default(), get);
    all.iter()
        .map(|extension| text(&extension.name).unwrap().to_owned())
        .collect()
}

#[test]
fn nothing_is_hidden() {
    let (ze, driver) = initialized();
    let extensions = extensions(&ze, driver);
    for name in ["ZE_extension_float_atomics", "ZE_extension_eu_count"] {
        assert!(extensions.iter().any(|extension| extension == name), "{name}");
    }
}

#[test]
fn everything_is_set() {
    let variables = [
        ("ZE_OXUR_DEVICE_TYPE", "cpu"),
        ("ZE_OXUR_DRIVER_VERSION", "1.6.35005"),
        ("ZE_OXUR_API_VERSION", "1.13"),
        (
            "ZE_OXUR_HIDE_EXTENSIONS",
            "ZE_extension_eu_count,zexDriverImportExternalPointer",
        ),
        ("ZE_OXUR_VENDOR_ID", "0x8086"),
        ("ZE_OXUR_DEVICE_NAME", "A device"),
    ];
    if !has_variables("variables::everything_is_set", &variables) {
        return;
    }
    let (ze, driver) = initialized();
    let (mut version, mut properties) = (ze_api_version_t::default(), ze_driver_properties_t::default());
    let mut address = std::ptr::null_mut();
    // SAFETY: all variables are there to be written.
    let hidden = unsafe {
        ze.zeDriverGetApiVersion(driver, &mut version).unwrap().ok().unwrap();
        ze.zeDriverGetProperties(driver, &mut properties).unwrap().ok().unwrap();
        let name = c"zexDriverImportExternalPointer".as_ptr();
        ze.zeDriverGetExtensionFunctionAddress(driver, name, &mut address)
            .unwrap()
    };
    assert_eq!(hidden, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_eq!((version, properties.driverVersion), (ZE_API_VERSION_1_13, 0x0106_88bd));
    assert!(
        !extensions(&ze, driver)
            .iter()
            .any(|name| name == "ZE_extension_eu_count")
    );
    let device = device_properties(&ze, devices(&ze, driver)[0]);
    assert_eq!((device.type_, device.vendorId), (ZE_DEVICE_TYPE_CPU, 0x8086));
    assert_eq!(text(&device.name), Some("A device"));
}

#[test]
fn what_is_wrong_is_logged() {
    let log = std::env::temp_dir().join(format!("oxur-ze-{}.log", std::process::id()));
    let output = format!("level:warning;output:file,{}", log.display());
    let variables = [
        ("ZE_OXUR_DEVICE_TYPE", "npu"),
        ("ZE_OXUR_VENDOR_ID", "Intel"),
        ("ZE_OXUR_HIDE_EXTENSIONS", "ZE_no_such_extension"),
        ("ZE_OXUR_LOG", &output),
    ];
    if !has_variables("variables::what_is_wrong_is_logged", &variables) {
        let text = std::fs::read_to_string(&log).expect("a log");
        for part in [
            "ZE_OXUR_DEVICE_TYPE=npu is ignored",
            "ZE_OXUR_VENDOR_ID",
            "no ZE_no_such_extension",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        std::fs::remove_file(&log).expect("the log can be removed");
        return;
    }
    let (ze, driver) = initialized();
    assert!(!extensions(&ze, driver).is_empty());
    assert_eq!(
        device_properties(&ze, devices(&ze, driver)[0]).type_,
        ZE_DEVICE_TYPE_GPU
    );
}
