// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Several devices, and sub-devices of them. A machine with one CPU has none.

use std::ptr::null_mut;

use level_zero_sys::*;

use crate::*;

fn root(ze: &Loader, device: ze_device_handle_t) -> ze_device_handle_t {
    let mut root = null_mut();
    // SAFETY: the variable is there to be written.
    unsafe { ze.zeDeviceGetRootDevice(device, &mut root) }
        .unwrap()
        .ok()
        .unwrap();
    root
}

fn units(ze: &Loader, device: ze_device_handle_t) -> usize {
    device_properties(ze, device).numSubslicesPerSlice as usize
}

#[test]
fn sub_devices_have_a_part_each() {
    if !has_variables(
        "sub_devices::sub_devices_have_a_part_each",
        &[("ZE_OXUR_SUB_DEVICES", "2")],
    ) {
        return;
    }
    let (ze, device) = device();
    assert!(root(&ze, device).is_null());
    let parts = sub_devices(&ze, device);
    assert_eq!(parts.len(), if cpus() > 1 { 2 } else { 0 });
    assert_eq!(
        parts.iter().map(|part| units(&ze, *part)).sum::<usize>(),
        if cpus() > 1 { cpus() } else { 0 }
    );
    let mut uuids = vec![device_properties(&ze, device).uuid];
    for (index, part) in parts.into_iter().enumerate() {
        let properties = device_properties(&ze, part);
        assert_eq!(root(&ze, part), device);
        assert_ne!(properties.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE, 0);
        assert_eq!(properties.subdeviceId as usize, index);
        assert!(sub_devices(&ze, part).is_empty());
        assert!(!uuids.contains(&properties.uuid));
        uuids.push(properties.uuid);
    }
}

#[test]
fn no_more_sub_devices_than_cpus() {
    if !has_variables(
        "sub_devices::no_more_sub_devices_than_cpus",
        &[("ZE_OXUR_SUB_DEVICES", "1000")],
    ) {
        return;
    }
    let (ze, device) = device();
    assert_eq!(sub_devices(&ze, device).len(), if cpus() > 1 { cpus() } else { 0 });
}

#[test]
fn flat() {
    let variables = [("ZE_OXUR_SUB_DEVICES", "2"), ("ZE_FLAT_DEVICE_HIERARCHY", "FLAT")];
    if !has_variables("sub_devices::flat", &variables) {
        return;
    }
    let (ze, driver) = initialized();
    let devices = devices(&ze, driver);
    assert_eq!(devices.len(), cpus().min(2));
    for device in devices {
        assert!(root(&ze, device).is_null() && sub_devices(&ze, device).is_empty());
        assert_eq!(
            device_properties(&ze, device).flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE,
            0
        );
    }
}

#[test]
fn combined() {
    let variables = [("ZE_OXUR_SUB_DEVICES", "2"), ("ZE_FLAT_DEVICE_HIERARCHY", "COMBINED")];
    if !has_variables("sub_devices::combined", &variables) {
        return;
    }
    let (ze, driver) = initialized();
    let devices = devices(&ze, driver);
    assert_eq!(devices.len(), cpus().min(2));
    if let [first, second] = devices[..] {
        let device = root(&ze, first);
        assert_eq!(root(&ze, second), device);
        assert_eq!(sub_devices(&ze, device), devices);
        assert_eq!(units(&ze, device), cpus());
    }
}

#[test]
fn masked() {
    let variables = [("ZE_OXUR_SUB_DEVICES", "2"), ("ZE_AFFINITY_MASK", "0.1")];
    if !has_variables("sub_devices::masked", &variables) {
        return;
    }
    let (ze, driver) = initialized();
    let devices = devices(&ze, driver);
    if cpus() > 1 {
        assert_eq!(devices.len(), 1);
        assert!(sub_devices(&ze, devices[0]).is_empty());
        assert_eq!(units(&ze, devices[0]), cpus() - cpus() / 2);
    }
}

#[test]
fn several_devices() {
    if !has_variables("sub_devices::several_devices", &[("ZE_OXUR_DEVICES", "2")]) {
        return;
    }
    let (ze, driver) = initialized();
    let devices = devices(&ze, driver);
    assert_eq!(devices.len(), cpus().min(2));
    assert_eq!(devices.iter().map(|device| units(&ze, *device)).sum::<usize>(), cpus());
}
