// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sysman.

use std::ptr::null_mut;

use level_zero_sys::*;

use crate::*;

#[test]
fn drivers_and_devices_are_those_of_the_core() {
    if !has_variables("sysman::drivers_and_devices_are_those_of_the_core", &[]) {
        return;
    }
    let ze = open();
    // SAFETY: all pointers are null or to variables with room for what the counts say.
    unsafe {
        assert_eq!(
            ze.zesDriverGet(&mut 0, null_mut()).unwrap(),
            ZE_RESULT_ERROR_UNINITIALIZED
        );
        ze.zesInit(0).unwrap().ok().unwrap();
        let drivers = all(null_mut(), |count, to| ze.zesDriverGet(count, to).unwrap());
        let found = all(null_mut(), |count, to| ze.zesDeviceGet(drivers[0], count, to).unwrap());
        ze.zeInit(0).unwrap().ok().unwrap();
        assert_eq!(drivers, crate::drivers(&ze));
        assert_eq!(found, devices(&ze, drivers[0]));
        let mut properties = zes_device_properties_t::default();
        ze.zesDeviceGetProperties(found[0], &mut properties)
            .unwrap()
            .ok()
            .unwrap();
        assert_eq!(properties.core.uuid, device_properties(&ze, found[0]).uuid);
        assert!(text(&properties.driverVersion).is_some_and(|version| version.split('.').count() == 3));
        let (mut device, mut on_sub_device, mut sub_device) = (null_mut(), 7, 7);
        let uuid = zes_uuid_t {
            id: properties.core.uuid.id,
        };
        ze.zesDriverGetDeviceByUuidExp(drivers[0], uuid, &mut device, &mut on_sub_device, &mut sub_device)
            .unwrap()
            .ok()
            .unwrap();
        assert_eq!((device, on_sub_device, sub_device), (found[0], 0, 0));
    }
}

#[test]
fn state_of_the_machine() {
    let (ze, device) = device();
    // SAFETY: all pointers are to variables; `all` passes room for as many elements as it says, or null.
    unsafe {
        let modules = all(null_mut(), |count, to| {
            ze.zesDeviceEnumMemoryModules(device, count, to).unwrap()
        });
        let mut memory = zes_mem_state_t::default();
        ze.zesMemoryGetState(modules[0], &mut memory).unwrap().ok().unwrap();
        assert!(memory.free > 0 && memory.free <= memory.size);

        let engines = all(null_mut(), |count, to| {
            ze.zesDeviceEnumEngineGroups(device, count, to).unwrap()
        });
        let mut engine = zes_engine_stats_t::default();
        ze.zesEngineGetActivity(engines[0], &mut engine).unwrap().ok().unwrap();
        assert!(engine.activeTime > 0 && engine.activeTime <= engine.timestamp);

        let domains = all(null_mut(), |count, to| {
            ze.zesDeviceEnumFrequencyDomains(device, count, to).unwrap()
        });
        for domain in domains {
            let mut properties = zes_freq_properties_t::default();
            ze.zesFrequencyGetProperties(domain, &mut properties)
                .unwrap()
                .ok()
                .unwrap();
            assert!(properties.min > 0.0 && properties.min <= properties.max && properties.canControl == 0);
        }
        let sensors = all(null_mut(), |count, to| {
            ze.zesDeviceEnumTemperatureSensors(device, count, to).unwrap()
        });
        assert!(sensors.is_empty());
        // A handle of one thing is none of another.
        let wrong = ze.zesEngineGetActivity(modules[0].cast(), &mut engine).unwrap();
        assert_eq!(wrong, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
}
