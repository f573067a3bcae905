// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `UR_CPU_DEVICE_TYPE`: our CPU adapter's device is a GPU for the libraries that the variable names, and a CPU for all others.
//! Here this program is the one that asks, without libsycl between.

use oxur_conformance::api::*;
use oxur_conformance::{Rig, run_test};

/// Marks the process of a test that the variable concerns, with the type that it shall see.
const EXPECTED: &str = "OXUR_TEST_DEVICE_TYPE";

/// Runs the calling test again with the variable, unless this is that process: then returns a rig and the type to be seen.
fn with_type(test: &str, value: &str, expected: &str) -> Option<(Rig, DeviceType)> {
    let rig = Rig::new();
    match std::env::var(EXPECTED).as_deref() {
        Ok("gpu") => return Some((rig, DeviceType::GPU)),
        Ok(_) => return Some((rig, DeviceType::CPU)),
        Err(_) => {}
    }
    let name: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
    if name == "oxur CPU" {
        let test = format!("device_type::{test}");
        run_test(&test, &[("UR_CPU_DEVICE_TYPE", value), (EXPECTED, expected)]).passed();
    } else {
        println!("this is {name}, not our CPU adapter");
    }
    None
}

fn this_program() -> String {
    let path = std::env::current_exe().expect("this program");
    path.file_name().expect("its name").to_string_lossy().into_owned()
}

/// Asks in all ways that there are.
fn sees(rig: &Rig, expected: DeviceType) {
    let kind: DeviceType = rig.device.info(DeviceInfo::TYPE).expect("the type");
    assert_eq!(kind, expected);
    let count = |kind| match rig.platform.devices_of(kind) {
        Ok(devices) => devices.len(),
        Err(error) => panic!("{kind:?}: {error}"),
    };
    let is_gpu = expected == DeviceType::GPU;
    assert_eq!(count(DeviceType::GPU), usize::from(is_gpu));
    assert_eq!(count(DeviceType::CPU), usize::from(!is_gpu));
    assert_eq!(count(DeviceType::FPGA), 0);
    assert_eq!((count(DeviceType::ALL), count(DeviceType::DEFAULT)), (1, 1));
    let name: String = rig.platform.info(PlatformInfo::NAME).expect("the name");
    assert_eq!(name, if is_gpu { "oxur CPU (OpenCL)" } else { "oxur CPU" });
    let units: u32 = rig.device.info(DeviceInfo::MAX_COMPUTE_UNITS).expect("a number");
    // As many as llama.cpp divides by; but no more than there are where that is the number of CPUs.
    let cpus = std::thread::available_parallelism().expect("a number").get() as u32;
    assert_eq!(units, if is_gpu { cpus.max(16) } else { cpus });
    let group: usize = rig.device.info(DeviceInfo::MAX_WORK_GROUP_SIZE).expect("a size");
    let sides: [usize; 3] = rig.device.info(DeviceInfo::MAX_WORK_ITEM_SIZES).expect("three sizes");
    let most = if is_gpu { 1024 } else { 8192 };
    assert_eq!((group, sides), (most, [most; 3]));
    let vendor: u32 = rig.device.info(DeviceInfo::VENDOR_ID).expect("a number");
    assert_ne!(
        vendor,
        u32::from_be_bytes(*b"oxur"),
        "that is for the preloaded library"
    );
}

#[test]
fn gpu_for_this_program() {
    let value = format!("gpu:libother, {}*", this_program());
    if let Some((rig, expected)) = with_type("gpu_for_this_program", &value, "gpu") {
        sees(&rig, expected);
    }
}

#[test]
fn gpu_for_the_default_list() {
    if let Some((rig, expected)) = with_type("gpu_for_the_default_list", "gpu", "cpu") {
        sees(&rig, expected);
    }
}

#[test]
fn gpu_for_another_library() {
    // What matters is how its file's name begins, not whether that is in it.
    let value = format!("gpu:lib{}", this_program());
    if let Some((rig, expected)) = with_type("gpu_for_another_library", &value, "cpu") {
        sees(&rig, expected);
    }
}

#[test]
fn nonsense_is_ignored() {
    let value = format!("gpu={}", this_program());
    if let Some((rig, expected)) = with_type("nonsense_is_ignored", &value, "cpu") {
        sees(&rig, expected);
    }
}
