// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices.

use std::collections::HashSet;
use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Device, Error, Generation};
use oxur_conformance::{Allowed, Rig, check, check_infos, expect, loader, ur, variants};

use crate::known;

fn get(device: &Device) -> impl Fn(u32, usize, *mut c_void, *mut usize) -> ResultCode {
    |p, size, value, size_ret| ur!(urDeviceGetInfo(device.raw(), DeviceInfo(p), size, value, size_ret))
}

#[test]
fn every_info() {
    let rig = Rig::new();
    // Later than the library under test.
    let new: &[&str] = &[
        "WIDTH_LONG_LONG",
        "INFO_MAX_WORK_GROUPS",
        "INFO_XE_STACK_COUNT",
        "INFO_XE_REGIONS_PER_STACK",
        "INFO_XE_CLUSTERS_PER_REGION",
        "INFO_XE_CORES_PER_CLUSTER",
        "INFO_EUS_PER_XE_CORE",
        "INFO_MAX_LANES_PER_HW_THREAD",
        "INFO_IPC_PHYSICAL_MEMORY_SUPPORT_EXP",
        "INFO_REUSABLE_EVENTS_SUPPORT_EXP",
        "INFO_IPC_EVENT_SUPPORT_EXP",
        "INFO_USM_HOST_ALLOC_REGISTER_SUPPORT_EXP",
        "INFO_PER_EVENT_PROFILING_SUPPORT_EXP",
    ];
    let skip = if loader().generation() < Generation::V2026_2 {
        new
    } else {
        &[]
    };
    let mut absent = vec![
        // Deprecated.
        ("INFO_BFLOAT16", ResultCode::ERROR_UNSUPPORTED_ENUMERATION),
    ];
    // Limits of bindless images, for a device without them.
    if !rig
        .device
        .info::<bool>(DeviceInfo::BINDLESS_IMAGES_SUPPORT_EXP)
        .expect("a truth value")
    {
        let limits = [
            "IMAGE_PITCH_ALIGN_EXP",
            "LINEAR_WIDTH_EXP",
            "LINEAR_HEIGHT_EXP",
            "LINEAR_PITCH_EXP",
            "MIPMAP_MAX_ANISOTROPY_EXP",
        ];
        absent.extend(limits.map(|name| (name, ResultCode::ERROR_UNSUPPORTED_ENUMERATION)));
    }
    let old = "the adapter does not know the number";
    let intel = &[
        known::SMALL,
        (
            "SUB_GROUP_SIZES_INTEL: a size that is one too small: UR_RESULT_SUCCESS",
            "the adapter writes part of it",
        ),
        (
            "INFO_BFLOAT16: asked for the size: UR_RESULT_ERROR_INVALID_ENUMERATION",
            old,
        ),
        (
            "ASYNC_USM_ALLOCATIONS_SUPPORT_EXP: asked for the size: UR_RESULT_ERROR_INVALID_ENUMERATION",
            old,
        ),
        (
            "GRAPH_RECORD_AND_REPLAY_SUPPORT_EXP: asked for the size: UR_RESULT_ERROR_INVALID_ENUMERATION",
            old,
        ),
    ];
    check_infos(
        "DeviceInfo",
        &get(&rig.device),
        Allowed {
            skip,
            absent: &absent,
            intel,
        },
    );
}

#[test]
fn two_queries_for_one_number_are_told_apart() {
    // 2026.1 gives 133 to 138 another meaning than 2026.2: an adapter answers by one of the two tables, not by a mixture.
    let rig = Rig::new();
    let groups = rig.device.info::<usize>(DeviceInfo::MAX_WORK_GROUPS);
    let stacks = rig.device.info::<u32>(DeviceInfo::MAX_WORK_GROUPS);
    assert!(groups.is_err() || matches!(stacks, Err(Error::Answer { .. })));
}

#[test]
fn sensible_answers() {
    let device = &Rig::new().device;
    let number = |property| device.info::<u32>(property).expect("a number");
    assert!(number(DeviceInfo::MAX_COMPUTE_UNITS) > 0);
    assert_eq!(number(DeviceInfo::ADDRESS_BITS), 64);
    let dimensions = number(DeviceInfo::MAX_WORK_ITEM_DIMENSIONS);
    assert!(dimensions >= 3);
    let sizes: Vec<usize> = device
        .info(DeviceInfo::MAX_WORK_ITEM_SIZES)
        .expect("MAX_WORK_ITEM_SIZES");
    assert_eq!(sizes.len(), dimensions as usize);
    let group: usize = device
        .info(DeviceInfo::MAX_WORK_GROUP_SIZE)
        .expect("MAX_WORK_GROUP_SIZE");
    assert!(group >= 1 && sizes.iter().all(|size| *size >= 1));
    let (memory, alloc) = (DeviceInfo::GLOBAL_MEM_SIZE, DeviceInfo::MAX_MEM_ALLOC_SIZE);
    assert!(device.info::<u64>(alloc).expect("a size") <= device.info::<u64>(memory).expect("a size"));
    assert!(!device.info::<String>(DeviceInfo::NAME).expect("the name").is_empty());
    assert!(device.info::<bool>(DeviceInfo::AVAILABLE).expect("a truth value"));
    assert!(device.info::<bool>(DeviceInfo::ENDIAN_LITTLE).expect("a truth value"));
    assert!(
        device
            .info::<String>(DeviceInfo::IL_VERSION)
            .expect("IL_VERSION")
            .contains("SPIR-V")
    );
    let sub_groups: Vec<u32> = device
        .info(DeviceInfo::SUB_GROUP_SIZES_INTEL)
        .expect("the sub-group sizes");
    assert!(!sub_groups.is_empty());
    for (orders, scopes) in [
        (
            DeviceInfo::ATOMIC_MEMORY_ORDER_CAPABILITIES,
            DeviceInfo::ATOMIC_MEMORY_SCOPE_CAPABILITIES,
        ),
        (
            DeviceInfo::ATOMIC_FENCE_ORDER_CAPABILITIES,
            DeviceInfo::ATOMIC_FENCE_SCOPE_CAPABILITIES,
        ),
    ] {
        let orders: MemoryOrderCapabilityFlags = device.info(orders).expect("the memory orders");
        assert!(orders.contains(MemoryOrderCapabilityFlags::RELAXED));
        let scopes: MemoryScopeCapabilityFlags = device.info(scopes).expect("the memory scopes");
        // There are five of each. Other bits have no meaning.
        assert_eq!((orders.bits() & !0x1f, scopes.bits() & !0x1f), (0, 0));
    }
}

#[test]
fn a_root_device() {
    let rig = Rig::new();
    assert_eq!(
        rig.device
            .info::<PlatformHandle>(DeviceInfo::PLATFORM)
            .expect("the platform"),
        rig.platform.raw()
    );
    assert!(
        rig.device
            .info::<DeviceHandle>(DeviceInfo::PARENT_DEVICE)
            .expect("the parent")
            .is_null()
    );
    assert!(
        rig.device
            .info::<Vec<DevicePartitionProperty>>(DeviceInfo::PARTITION_TYPE)
            .expect("none")
            .is_empty()
    );
}

#[test]
fn truth_values_are_0_or_1() {
    let rig = Rig::new();
    for variant in variants("DeviceInfo").iter().filter(|v| {
        v.answer
            .is_some_and(|a| matches!(a.ty, meta::Ty::Named(named) if named.name == "Bool"))
    }) {
        if let Ok(value) = rig.device.info::<Bool>(DeviceInfo(variant.value)) {
            assert!(value <= 1, "{} is {value}", variant.name);
        }
    }
}

#[test]
fn the_same_handles_each_time() {
    let rig = Rig::new();
    let raw = |_| {
        rig.platform
            .devices()
            .expect("urDeviceGet")
            .iter()
            .map(|d| d.raw())
            .collect::<Vec<_>>()
    };
    assert_eq!(raw(0), raw(1));
}

#[test]
fn get_protocol() {
    let rig = Rig::new();
    let (platform, mut count, mut handle) = (rig.platform.raw(), 0, DeviceHandle::default());
    expect!(
        ur!(urDeviceGet(platform, DeviceType::ALL, 0, null_mut(), &mut count)),
        SUCCESS
    );
    expect!(
        ur!(urDeviceGet(platform, DeviceType(77), 0, null_mut(), &mut count)),
        ERROR_INVALID_ENUMERATION
    );
    expect!(ur!(urDeviceGet(platform, DeviceType::ALL, 1, null_mut(), null_mut())), ERROR_INVALID_NULL_POINTER
        | ERROR_INVALID_VALUE; intel SUCCESS, known::UNCHECKED);
    expect!(ur!(urDeviceGet(platform, DeviceType::ALL, 0, &mut handle, null_mut())), ERROR_INVALID_SIZE
        | ERROR_INVALID_VALUE; intel SUCCESS, known::UNCHECKED);
}

#[test]
fn partition() {
    let rig = Rig::new();
    let schemes: Vec<DevicePartition> = rig.device.info(DeviceInfo::SUPPORTED_PARTITIONS).expect("the schemes");
    let units: u32 = rig.device.info(DeviceInfo::MAX_COMPUTE_UNITS).expect("a number");
    let counts = |n: u32| DevicePartitionProperty {
        r#type: DevicePartition::BY_COUNTS,
        value: DevicePartitionValue { count: n },
    };
    let equally = DevicePartitionProperty {
        r#type: DevicePartition::EQUALLY,
        value: DevicePartitionValue { equally: 1 },
    };
    if schemes.contains(&DevicePartition::EQUALLY) {
        let parts = rig.device.partition(&[equally]).expect("one unit each");
        assert_eq!(parts.len(), units as usize);
        let handles: HashSet<_> = parts.iter().map(|part| part.raw()).collect();
        assert_eq!(handles.len(), parts.len(), "sub-devices are different objects");
        for part in &parts {
            assert_eq!(part.info::<u32>(DeviceInfo::MAX_COMPUTE_UNITS).expect("a number"), 1);
            assert_eq!(
                part.info::<DeviceHandle>(DeviceInfo::PARENT_DEVICE)
                    .expect("the parent"),
                rig.device.raw()
            );
            assert_eq!(part.info::<u32>(DeviceInfo::REFERENCE_COUNT).expect("the count"), 1);
            let made: Vec<DevicePartitionProperty> = part.info(DeviceInfo::PARTITION_TYPE).expect("how it was made");
            assert_eq!(made.first().map(|p| p.r#type), Some(DevicePartition::EQUALLY));
        }
    }
    if schemes.contains(&DevicePartition::BY_COUNTS) {
        assert_eq!(rig.device.partition(&[counts(1)]).expect("a part of one unit").len(), 1);
        expect!(check(rig.device.partition(&[counts(units + 1)])), ERROR_INVALID_DEVICE_PARTITION_COUNT
            | ERROR_DEVICE_PARTITION_FAILED; intel ERROR_UNKNOWN, known::UNMAPPED);
    }
}

#[test]
fn select_binary() {
    let rig = Rig::new();
    let binary = |spec: *const c_char| DeviceBinary {
        pDeviceTargetSpec: spec,
        ..Default::default()
    };
    let select = |binaries: &[DeviceBinary]| {
        let mut selected = u32::MAX;
        let count = binaries.len() as u32;
        (
            ur!(urDeviceSelectBinary(
                rig.device.raw(),
                binaries.as_ptr(),
                count,
                &mut selected
            )),
            selected,
        )
    };
    let il = binary(DEVICE_BINARY_TARGET_SPIRV64.as_ptr());
    let other = binary(DEVICE_BINARY_TARGET_NVPTX64.as_ptr());
    assert_eq!(select(&[other, il]), (ResultCode::SUCCESS, 1));
    assert_eq!(select(&[il, other]), (ResultCode::SUCCESS, 0));
    assert_eq!(select(&[other]).0, ResultCode::ERROR_INVALID_BINARY);
    // The code of Intel's ahead-of-time compiler, which a device takes or not.
    let native = binary(DEVICE_BINARY_TARGET_SPIRV64_X86_64.as_ptr());
    if select(&[native]).0 == ResultCode::SUCCESS {
        assert_eq!(
            select(&[il, native]),
            (ResultCode::SUCCESS, 1),
            "ahead-of-time code wins"
        );
    }
    let mut selected = 0;
    expect!(ur!(urDeviceSelectBinary(rig.device.raw(), null(), 0, &mut selected)),
        ERROR_INVALID_SIZE | ERROR_INVALID_NULL_POINTER; intel ERROR_INVALID_BINARY, known::UNCHECKED);
}

#[test]
fn timestamps() {
    let rig = Rig::new();
    let since = std::time::Instant::now();
    let first = match rig.device.timestamps() {
        Ok(times) => times,
        Err(error) => return assert!(error == ResultCode::ERROR_UNSUPPORTED_FEATURE, "{error}"),
    };
    std::thread::sleep(std::time::Duration::from_millis(5));
    let second = rig.device.timestamps().expect("urDeviceGetGlobalTimestamps");
    // Far from the factors between units.
    let most = 100 * since.elapsed().as_nanos() as u64;
    for (before, after) in [(first.0, second.0), (first.1, second.1)] {
        assert!(
            (5_000_000..most).contains(&(after - before)),
            "nanoseconds: {before} to {after}, of at most {most}"
        );
    }
    expect!(
        ur!(urDeviceGetGlobalTimestamps(rig.device.raw(), null_mut(), null_mut())),
        SUCCESS
    );
}

#[test]
fn counted() {
    let rig = Rig::new();
    let before: u32 = rig.device.info(DeviceInfo::REFERENCE_COUNT).expect("the count");
    assert!(before >= 1);
    let second = rig.device.clone();
    // A root device need not be counted.
    assert!(rig.device.info::<u32>(DeviceInfo::REFERENCE_COUNT).expect("the count") >= before);
    drop(second);
    assert_eq!(
        rig.device.info::<u32>(DeviceInfo::REFERENCE_COUNT).expect("the count"),
        before
    );
}
