// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sysman: as much of it as any machine can tell.

use std::ptr::null_mut;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Rig, intel, loader_is_old, ok, uninitialised_loader, ze};

use crate::count::{check_counts, check_counts_of};

/// The first device of sysman, which has a way of its own to be initialised.
fn device() -> Option<zes_device_handle_t> {
    if loader_is_old() && uninitialised_loader().zesInit.is_none() {
        println!("not run: the loader is too old for zesInit");
        return None;
    }
    if intel("there is no GPU to be managed") {
        return None;
    }
    ok!(zesInit(0));
    let drivers = check_counts("zesDriverGet", null_mut(), |count, drivers| {
        ze!(zesDriverGet(count, drivers))
    });
    let devices = check_counts("zesDeviceGet", null_mut(), |count, devices| {
        ze!(zesDeviceGet(drivers[0], count, devices))
    });
    Some(devices[0])
}

/// zesDeviceGetProperties: the device that the core API has.
#[test]
fn properties() {
    let Some(device) = device() else { return };
    let mut properties = zes_device_properties_t::default();
    ok!(zesDeviceGetProperties(device, &mut properties));
    let core = Rig::new().device_properties();
    assert_eq!(properties.core.type_, core.type_);
    assert_eq!(properties.core.vendorId, core.vendorId);
    assert_eq!(properties.core.uuid.id, core.uuid.id);
    for string in [&properties.modelName, &properties.vendorName, &properties.driverVersion] {
        assert!(text(string).is_some_and(|text| !text.is_empty()));
    }
}

/// zesDeviceGetState: the device needs no reset.
#[test]
fn state() {
    let Some(device) = device() else { return };
    let mut state = zes_device_state_t::default();
    ok!(zesDeviceGetState(device, &mut state));
    assert_eq!(state.reset, 0);
}

/// zesDeviceEnumMemoryModules: the rules of counts; sizes that make sense.
#[test]
fn memory_modules() {
    let Some(device) = device() else { return };
    let modules = check_counts_of("zesDeviceEnumMemoryModules", null_mut(), 0, |count, modules| {
        ze!(zesDeviceEnumMemoryModules(device, count, modules))
    });
    for module in modules {
        let (mut properties, mut state) = (zes_mem_properties_t::default(), zes_mem_state_t::default());
        ok!(zesMemoryGetProperties(module, &mut properties));
        ok!(zesMemoryGetState(module, &mut state));
        assert!(state.size > 0 && state.free <= state.size);
    }
}

/// zesDeviceProcessesGetState: the rules of counts.
#[test]
fn processes() {
    let Some(device) = device() else { return };
    let mut count = 0;
    let result = ze!(zesDeviceProcessesGetState(device, &mut count, null_mut()));
    assert!(
        [ZE_RESULT_SUCCESS, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE].contains(&result),
        "{result}"
    );
}

/// The functions that enumerate: none, some, or not supported; never a crash.
#[test]
fn enumerations() {
    let Some(device) = device() else { return };
    macro_rules! check {
        ($($function:ident)*) => {$({
            let mut count = 0;
            let result = ze!($function(device, &mut count, null_mut()));
            let fine = [ZE_RESULT_SUCCESS, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE];
            assert!(fine.contains(&result), "{}: {result}", stringify!($function));
        })*};
    }
    check! {
        zesDeviceEnumEngineGroups zesDeviceEnumFabricPorts zesDeviceEnumFans zesDeviceEnumFirmwares
        zesDeviceEnumFrequencyDomains zesDeviceEnumLeds zesDeviceEnumPerformanceFactorDomains
        zesDeviceEnumPowerDomains zesDeviceEnumPsus zesDeviceEnumRasErrorSets zesDeviceEnumSchedulers
        zesDeviceEnumStandbyDomains zesDeviceEnumTemperatureSensors
    }
}

/// zesDeviceEnumFrequencyDomains: a range of clocks.
#[test]
fn frequencies() {
    let Some(device) = device() else { return };
    let mut count = 0;
    if ze!(zesDeviceEnumFrequencyDomains(device, &mut count, null_mut())) != ZE_RESULT_SUCCESS {
        return println!("the driver has no frequencies");
    }
    let mut domains = vec![null_mut(); count as usize];
    ok!(zesDeviceEnumFrequencyDomains(device, &mut count, domains.as_mut_ptr()));
    for domain in domains {
        let (mut properties, mut state) = (zes_freq_properties_t::default(), zes_freq_state_t::default());
        ok!(zesFrequencyGetProperties(domain, &mut properties));
        ok!(zesFrequencyGetState(domain, &mut state));
        assert!(properties.min <= properties.max);
    }
}

/// zesDevicePciGetProperties: an address, or not supported.
#[test]
fn pci() {
    let Some(device) = device() else { return };
    let mut properties = zes_pci_properties_t::default();
    let result = ze!(zesDevicePciGetProperties(device, &mut properties));
    assert!(
        [ZE_RESULT_SUCCESS, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE].contains(&result),
        "{result}"
    );
}

/// ZES_ENABLE_SYSMAN: a core device is one of sysman too.
#[test]
fn core_device() {
    if intel("there is no GPU to be managed") {
        return;
    }
    let again = oxur_conformance_level_zero::with_variable("sysman::core_device", "ZES_ENABLE_SYSMAN", "1");
    if !again {
        let mut properties = zes_device_properties_t::default();
        ok!(zesDeviceGetProperties(Rig::new().device.cast(), &mut properties));
    }
}
