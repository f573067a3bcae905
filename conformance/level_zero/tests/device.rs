// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices, sub-devices and their properties.

use std::ptr::null_mut;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Rig, chain, expect, intel, ok, ze};

use crate::count::{check_counts, check_counts_of};

/// zeDeviceGet: the rules of counts; "Multiple calls to this function will return identical device handles, in the same
/// order".
#[test]
fn get_counts() {
    let driver = Rig::new().driver;
    let get = || {
        check_counts("zeDeviceGet", null_mut(), |count, devices| {
            ze!(zeDeviceGet(driver, count, devices))
        })
    };
    assert_eq!(get(), get());
}

/// zeDeviceGetRootDevice: of a root device there is none; of a sub-device it is the device that it is a part of.
/// zeDeviceGetSubDevices: the rules of counts.
#[test]
fn sub_devices() {
    let rig = Rig::new();
    let mut root = null_mut();
    expect!(zeDeviceGetRootDevice(rig.device, &mut root), ZE_RESULT_SUCCESS;
        intel ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "a driver of version 1.3 has no such function");
    assert!(root.is_null());
    let devices = check_counts_of("zeDeviceGetSubDevices", null_mut(), 0, |count, devices| {
        ze!(zeDeviceGetSubDevices(rig.device, count, devices))
    });
    let parent = rig.device_properties();
    for (index, device) in devices.into_iter().enumerate() {
        ok!(zeDeviceGetRootDevice(device, &mut root));
        assert_eq!(root, rig.device);
        let mut properties = ze_device_properties_t::default();
        ok!(zeDeviceGetProperties(device, &mut properties));
        assert_ne!(properties.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE, 0);
        assert_eq!(properties.subdeviceId, index as u32);
        assert_ne!(
            properties.uuid.id, parent.uuid.id,
            "sub-devices have uuids of their own"
        );
    }
    assert_eq!(parent.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE, 0);
}

/// zeDeviceGetProperties: what each member may be.
#[test]
fn properties() {
    let properties = Rig::new().device_properties();
    let name = text(&properties.name).expect("a name in UTF-8");
    assert!(!name.is_empty() && name.len() < properties.name.len());
    assert!(properties.type_.name().is_some(), "{}", properties.type_);
    assert!(properties.maxMemAllocSize > 0);
    assert!(properties.numThreadsPerEU > 0);
    assert!(properties.physicalEUSimdWidth > 0);
    assert!(properties.numEUsPerSubslice > 0);
    assert!(properties.numSubslicesPerSlice > 0);
    assert!(properties.numSlices > 0);
    assert!(properties.timerResolution > 0);
    assert!((1..=64).contains(&properties.timestampValidBits));
    assert!((1..=64).contains(&properties.kernelTimestampValidBits));
    assert!(properties.maxHardwareContexts > 0);
    let known = ZE_DEVICE_PROPERTY_FLAG_INTEGRATED
        | ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE
        | ZE_DEVICE_PROPERTY_FLAG_ECC
        | ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING;
    assert_eq!(properties.flags & !known, 0);
    let again = Rig::new().device_properties();
    assert_eq!(properties.uuid.id, again.uuid.id, "a uuid is the same at each call");
}

/// zeDeviceGetProperties: the timer is in nanoseconds for version 1.0 of the structure, in cycles a second for 1.2.
#[test]
fn timer_resolution_by_version() {
    let rig = Rig::new();
    let cycles = rig.device_properties().timerResolution;
    let mut old = ze_device_properties_t {
        stype: ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES,
        ..Default::default()
    };
    ok!(zeDeviceGetProperties(rig.device, &mut old));
    assert_eq!(old.timerResolution, 1_000_000_000 / cycles);
}

/// The functions that fill one structure: they succeed with a structure that nobody knows in the chain, which they skip, and
/// fill the structure the same way as without it.
#[test]
fn unknown_structures() {
    let rig = Rig::new();
    macro_rules! check {
        ($($function:ident: $structure:ident { $($member:ident)* };)*) => {$({
            let mut plain = $structure::default();
            ok!($function(rig.device, &mut plain));
            let mut unknown = chain(null_mut());
            let next = (&raw mut unknown).cast();
            let mut chained = $structure { pNext: next, ..Default::default() };
            ok!($function(rig.device, &mut chained));
            assert_eq!(chained.pNext, next, "pNext is the application's");
            $(assert_eq!(plain.$member, chained.$member, stringify!($structure::$member));)*
        })*};
    }
    check! {
        zeDeviceGetProperties: ze_device_properties_t { type_ vendorId deviceId flags maxMemAllocSize numSlices };
        zeDeviceGetComputeProperties: ze_device_compute_properties_t { maxTotalGroupSize maxGroupSizeX maxSharedLocalMemory };
        zeDeviceGetModuleProperties: ze_device_module_properties_t { spirvVersionSupported flags fp64flags maxArgumentsSize };
        zeDeviceGetMemoryAccessProperties: ze_device_memory_access_properties_t { hostAllocCapabilities };
        zeDeviceGetImageProperties: ze_device_image_properties_t { maxImageDims1D maxSamplers };
        zeDeviceGetExternalMemoryProperties: ze_device_external_memory_properties_t { memoryAllocationExportTypes };
    }
}

/// Structures that ze_device_properties_t may be extended by: known or not, the call succeeds and leaves the chain alone.
#[test]
fn extended_properties() {
    let rig = Rig::new();
    macro_rules! check {
        ($($structure:ident)*) => {$({
            let mut extension = $structure::default();
            let next = (&raw mut extension).cast();
            let mut properties = ze_device_properties_t { pNext: next, ..Default::default() };
            ok!(zeDeviceGetProperties(rig.device, &mut properties));
            assert_eq!(properties.pNext, next);
            assert_eq!(extension.stype, $structure::default().stype, stringify!($structure));
            assert!(extension.pNext.is_null(), stringify!($structure));
        })*};
    }
    check! {
        ze_device_luid_ext_properties_t ze_eu_count_ext_t ze_device_ip_version_ext_t
        ze_device_event_properties_t ze_event_query_kernel_timestamps_ext_properties_t
        ze_mutable_command_list_exp_properties_t ze_record_replay_graph_ext_properties_t
        ze_device_usablemem_size_ext_properties_t
    }
}

/// zeDeviceGetComputeProperties: what each member may be.
#[test]
fn compute_properties() {
    let compute = Rig::new().compute_properties();
    let sizes = [compute.maxGroupSizeX, compute.maxGroupSizeY, compute.maxGroupSizeZ];
    assert!(
        sizes.iter().all(|size| (1..=compute.maxTotalGroupSize).contains(size)),
        "{sizes:?}"
    );
    assert!(compute.maxGroupCountX > 0 && compute.maxGroupCountY > 0 && compute.maxGroupCountZ > 0);
    let sizes = compute.numSubGroupSizes as usize;
    assert!((1..=ZE_SUBGROUPSIZE_COUNT as usize).contains(&sizes));
    assert!(compute.subGroupSizes[..sizes].iter().all(|size| *size > 0));
}

/// zeDeviceGetModuleProperties: what each member may be.
#[test]
fn module_properties() {
    let rig = Rig::new();
    let mut properties = ze_device_module_properties_t::default();
    ok!(zeDeviceGetModuleProperties(rig.device, &mut properties));
    assert_eq!(ZE_MAJOR_VERSION(properties.spirvVersionSupported), 1);
    assert!(properties.maxArgumentsSize >= 256);
    let has = |flag| properties.flags & flag != 0;
    assert!(!has(ZE_DEVICE_MODULE_FLAG_FP64) || properties.fp64flags != 0);
    assert!(!has(ZE_DEVICE_MODULE_FLAG_FP16) || properties.fp16flags != 0);
    assert_ne!(properties.fp32flags & ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST, 0);
    let mut atomics = ze_float_atomic_ext_properties_t::default();
    properties.pNext = (&raw mut atomics).cast();
    ok!(zeDeviceGetModuleProperties(rig.device, &mut properties));
}

/// zeDeviceGetCommandQueueGroupProperties: the rules of counts; a group has queues, and one of them takes kernels.
#[test]
fn queue_groups() {
    let rig = Rig::new();
    let groups = check_counts(
        "zeDeviceGetCommandQueueGroupProperties",
        ze_command_queue_group_properties_t::default(),
        |count, groups| ze!(zeDeviceGetCommandQueueGroupProperties(rig.device, count, groups)),
    );
    for group in &groups {
        assert!(group.numQueues > 0);
        assert!(group.maxMemoryFillPatternSize > 0);
    }
    let compute =
        |group: &ze_command_queue_group_properties_t| group.flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE != 0;
    assert!(groups.iter().any(compute));
}

/// zeDeviceGetMemoryProperties: the rules of counts; the size of a memory.
#[test]
fn memory_properties() {
    let rig = Rig::new();
    let memories = check_counts(
        "zeDeviceGetMemoryProperties",
        ze_device_memory_properties_t::default(),
        |count, memories| ze!(zeDeviceGetMemoryProperties(rig.device, count, memories)),
    );
    assert!(memories.iter().all(|memory| memory.totalSize > 0));
    let mut extension = ze_device_memory_ext_properties_t::default();
    let mut memory = ze_device_memory_properties_t {
        pNext: (&raw mut extension).cast(),
        ..Default::default()
    };
    ok!(zeDeviceGetMemoryProperties(rig.device, &mut 1, &mut memory));
    assert_eq!(memory.totalSize, memories[0].totalSize);
}

/// zeDeviceGetMemoryAccessProperties: read and write access at least, for memory that can be allocated.
#[test]
fn memory_access_properties() {
    let rig = Rig::new();
    let mut access = ze_device_memory_access_properties_t::default();
    ok!(zeDeviceGetMemoryAccessProperties(rig.device, &mut access));
    for capabilities in [
        access.hostAllocCapabilities,
        access.deviceAllocCapabilities,
        access.sharedSingleDeviceAllocCapabilities,
    ] {
        assert_ne!(capabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW, 0);
        assert_eq!(capabilities & !0xf, 0);
    }
}

/// zeDeviceGetCacheProperties: the rules of counts.
#[test]
fn cache_properties() {
    let rig = Rig::new();
    let caches = check_counts_of(
        "zeDeviceGetCacheProperties",
        ze_device_cache_properties_t::default(),
        0,
        |count, caches| ze!(zeDeviceGetCacheProperties(rig.device, count, caches)),
    );
    assert!(caches.iter().all(|cache| cache.cacheSize > 0));
}

/// zeDeviceGetImageProperties: images of a dimension have sizes, and kernels take some.
#[test]
fn image_properties() {
    let rig = Rig::new();
    let mut images = ze_device_image_properties_t::default();
    ok!(zeDeviceGetImageProperties(rig.device, &mut images));
    if images.maxImageDims2D > 0 {
        assert!(images.maxReadImageArgs > 0 && images.maxWriteImageArgs > 0);
    }
}

/// zeDeviceCanAccessPeer: "If both device and peer device are the same then return true". zeDeviceGetP2PProperties succeeds.
#[test]
fn peers() {
    let rig = Rig::new();
    let mut access = 0;
    ok!(zeDeviceCanAccessPeer(rig.device, rig.device, &mut access));
    assert_eq!(access, 1);
    let mut properties = ze_device_p2p_properties_t::default();
    ok!(zeDeviceGetP2PProperties(rig.device, rig.device, &mut properties));
    assert_eq!(properties.flags & !3, 0);
}

/// zeDeviceGetStatus: "Device is available for use".
#[test]
fn status() {
    let rig = Rig::new();
    expect!(zeDeviceGetStatus(rig.device), ZE_RESULT_SUCCESS;
        intel ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "there is no GPU that has a state");
}

/// zeDeviceGetGlobalTimestamps: both clocks go on, the host's in nanoseconds of CLOCK_MONOTONIC_RAW.
#[test]
fn global_timestamps() {
    let Some(rig) = Rig::executing() else { return };
    let bits = rig.device_properties().timestampValidBits;
    let get = || {
        let (mut host, mut device) = (0, 0);
        ok!(zeDeviceGetGlobalTimestamps(rig.device, &mut host, &mut device));
        (host, device)
    };
    let clock = || {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the clock exists, and the time is a local.
        assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, &mut time) }, 0);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    };
    let before = clock();
    let (mut host, mut device) = get();
    assert!(
        (before..=clock()).contains(&host),
        "the host's timestamp is of CLOCK_MONOTONIC_RAW"
    );
    for _ in 0..100 {
        let (next_host, next_device) = get();
        assert!(next_host >= host, "{next_host} {host}");
        assert!(bits < 64 || next_device >= device, "{next_device} {device}");
        (host, device) = (next_host, next_device);
    }
}

/// zeDeviceSynchronize: succeeds when nothing runs.
#[test]
fn synchronize() {
    if intel("a driver of version 1.3 has no zeDeviceSynchronize") {
        return;
    }
    ok!(zeDeviceSynchronize(Rig::new().device));
}

/// zeDevicePciGetPropertiesExt: an address, or an error of its documentation.
#[test]
fn pci_properties() {
    let rig = Rig::new();
    let mut pci = ze_pci_ext_properties_t::default();
    expect!(
        zeDevicePciGetPropertiesExt(rig.device, &mut pci), ZE_RESULT_SUCCESS | ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
        intel ZE_RESULT_ERROR_UNINITIALIZED, "there is no GPU that has an address"
    );
}

/// zeDeviceGetVectorWidthPropertiesExt: the rules of counts.
#[test]
fn vector_widths() {
    if intel("a driver of version 1.3 has no zeDeviceGetVectorWidthPropertiesExt") {
        return;
    }
    let rig = Rig::new();
    let widths = check_counts(
        "zeDeviceGetVectorWidthPropertiesExt",
        ze_device_vector_width_properties_ext_t::default(),
        |count, widths| ze!(zeDeviceGetVectorWidthPropertiesExt(rig.device, count, widths)),
    );
    for width in widths {
        assert!(width.vector_width_size > 0);
        assert!(width.preferred_vector_width_int > 0 && width.native_vector_width_int > 0);
    }
}

/// zeDeviceGetRuntimeRequirementsKey, zeDeviceGetCounterBasedEventMaxValue, zeDeviceGetAggregatedCopyOffloadIncrementValue:
/// succeed, or say that the device has no such thing.
#[test]
fn values_of_new_versions() {
    if intel("a driver of version 1.3 does not have these functions") {
        return;
    }
    let rig = Rig::new();
    let (mut increment, mut largest) = (0, 0);
    expect!(
        zeDeviceGetAggregatedCopyOffloadIncrementValue(rig.device, &mut increment),
        ZE_RESULT_SUCCESS | ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
    );
    let result = ze!(zeDeviceGetCounterBasedEventMaxValue(rig.device, &mut largest));
    if result == ZE_RESULT_SUCCESS {
        assert!(largest > 0);
    } else {
        assert_eq!(result, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    }
}
