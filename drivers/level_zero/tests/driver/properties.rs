// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Drivers, devices and their properties.

use std::ffi::CStr;
use std::ptr::null_mut;

use level_zero_sys::*;

use crate::*;

/// The head of a structure of an extension that nobody knows.
#[repr(C)]
struct Unknown {
    stype: ze_structure_type_t,
    next: *mut std::ffi::c_void,
    rest: [u64; 4],
}

#[test]
fn driver() {
    let (ze, driver) = initialized();
    let (mut version, mut properties) = (ze_api_version_t::default(), ze_driver_properties_t::default());
    let mut message = null_mut::<std::ffi::c_char>().cast_const();
    // SAFETY: the handle is the driver's, and all variables are there to be written.
    unsafe {
        ze.zeDriverGetApiVersion(driver, &mut version).unwrap().ok().unwrap();
        ze.zeDriverGetProperties(driver, &mut properties).unwrap().ok().unwrap();
        assert_eq!(
            ze.zeDriverGetProperties(driver, null_mut()).unwrap(),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER
        );
        assert_eq!(
            ze.zeDriverGetProperties(null_mut(), null_mut()).unwrap(),
            ZE_RESULT_ERROR_INVALID_NULL_HANDLE
        );
        ze.zeDriverGetLastErrorDescription(driver, &mut message)
            .unwrap()
            .ok()
            .unwrap();
        assert!(!message.is_null());
    }
    assert_eq!(version, API_VERSION);
    assert!(properties.driverVersion > 0 && properties.uuid != ze_driver_uuid_t::default());
}

#[test]
fn default_contexts() {
    let (ze, driver) = initialized();
    // SAFETY: the handle is the driver's.
    unsafe {
        let context = ze.zeDriverGetDefaultContext(driver).unwrap();
        assert!(!context.is_null());
        assert_eq!(ze.zeDriverGetDefaultContext(driver).unwrap(), context);
        assert_eq!(ze.zerGetDefaultContext().unwrap(), context);
        assert!(ze.zeDriverGetDefaultContext(null_mut()).unwrap().is_null());
    }
}

#[test]
fn identifiers_of_devices() {
    let (ze, device) = device();
    // SAFETY: the handle is a device's.
    unsafe {
        let identifier = ze.zerTranslateDeviceHandleToIdentifier(device).unwrap();
        assert_eq!(ze.zerTranslateIdentifierToDeviceHandle(identifier).unwrap(), device);
        assert_eq!(ze.zerTranslateDeviceHandleToIdentifier(null_mut()).unwrap(), u32::MAX);
        assert!(ze.zerTranslateIdentifierToDeviceHandle(u32::MAX).unwrap().is_null());
    }
}

#[test]
fn functions_by_name() {
    let (ze, driver) = initialized();
    let find = |name: &CStr| {
        let mut address = null_mut();
        // SAFETY: the name ends with zero, and the address has a place to go.
        let result = unsafe { ze.zeDriverGetExtensionFunctionAddress(driver, name.as_ptr(), &mut address) }.unwrap();
        (result, address)
    };
    for name in [
        c"zexDriverImportExternalPointer",
        c"zexDriverReleaseImportedPointer",
        c"zeIntelGetDriverVersionString",
        c"zeDeviceGet",
    ] {
        let (result, address) = find(name);
        assert!(result == ZE_RESULT_SUCCESS && !address.is_null(), "{name:?}");
    }
    for name in [c"zeNoSuchFunction", c"", c"zelLoaderGetVersions"] {
        assert_eq!(find(name), (ZE_RESULT_ERROR_INVALID_ARGUMENT, null_mut()), "{name:?}");
    }
}

#[test]
fn device_properties_of_both_versions() {
    let (ze, device) = device();
    let properties = device_properties(&ze, device);
    let product = properties.numSlices
        * properties.numSubslicesPerSlice
        * properties.numEUsPerSubslice
        * properties.numThreadsPerEU;
    assert_eq!(product as usize, 16 * cpus());
    assert_eq!(properties.timerResolution, 1_000_000_000);
    assert!(properties.physicalEUSimdWidth.is_power_of_two());
    assert!(text(&properties.name).is_some_and(|name| !name.is_empty()));
    assert!(properties.maxMemAllocSize > 0);
    assert_eq!(properties.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE, 0);
    let mut old = ze_device_properties_t {
        stype: ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES,
        ..Default::default()
    };
    // SAFETY: the variable is there to be written.
    unsafe { ze.zeDeviceGetProperties(device, &mut old) }
        .unwrap()
        .ok()
        .unwrap();
    assert_eq!(
        (old.stype, old.timerResolution),
        (ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, 1)
    );
    assert_eq!(old.uuid, properties.uuid);
}

#[test]
fn unknown_structures_are_skipped() {
    let (ze, device) = device();
    let mut units = ze_eu_count_ext_t::default();
    let mut unknown = Unknown {
        stype: ze_structure_type_t(0x7fff_0001),
        next: (&raw mut units).cast(),
        rest: [7; 4],
    };
    let mut properties = ze_device_properties_t {
        pNext: (&raw mut unknown).cast(),
        ..Default::default()
    };
    // SAFETY: a chain of variables.
    unsafe { ze.zeDeviceGetProperties(device, &mut properties) }
        .unwrap()
        .ok()
        .unwrap();
    assert_eq!(units.numTotalEUs as usize, 16 * cpus());
    assert_eq!(properties.pNext, (&raw mut unknown).cast());
    assert_eq!(unknown.rest, [7; 4]);
}

#[test]
fn what_kernels_can_do() {
    let (ze, device) = device();
    let mut compute = ze_device_compute_properties_t::default();
    let mut atomics = ze_float_atomic_ext_properties_t::default();
    let mut module = ze_device_module_properties_t {
        pNext: (&raw mut atomics).cast(),
        ..Default::default()
    };
    // SAFETY: all variables are there to be written.
    unsafe {
        ze.zeDeviceGetComputeProperties(device, &mut compute)
            .unwrap()
            .ok()
            .unwrap();
        ze.zeDeviceGetModuleProperties(device, &mut module)
            .unwrap()
            .ok()
            .unwrap();
    }
    // As GPUs have it, which the device says it is.
    assert_eq!(compute.maxTotalGroupSize, 1024);
    assert_eq!(
        compute.subGroupSizes[..compute.numSubGroupSizes as usize],
        [4, 8, 16, 32, 64]
    );
    assert!(compute.maxSharedLocalMemory >= 32 << 10);
    assert_eq!(module.spirvVersionSupported, ZE_MAKE_VERSION(1, 6));
    let all = ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_FP64 | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
    assert_eq!(module.flags, all);
    assert_ne!(module.fp64flags & ZE_DEVICE_FP_FLAG_FMA, 0);
    assert_eq!(atomics.fp16Flags, 0);
    assert_ne!(atomics.fp32Flags & ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD, 0);
}

#[test]
fn features_can_be_disabled() {
    if !has_variables(
        "properties::features_can_be_disabled",
        &[("UR_CPU_DISABLE_ASPECTS", "fp64,atomic64")],
    ) {
        return;
    }
    let (ze, device) = device();
    let mut module = ze_device_module_properties_t::default();
    // SAFETY: the variable is there to be written.
    unsafe { ze.zeDeviceGetModuleProperties(device, &mut module) }
        .unwrap()
        .ok()
        .unwrap();
    assert_eq!((module.flags, module.fp64flags), (ZE_DEVICE_MODULE_FLAG_FP16, 0));
}

#[test]
fn memory() {
    let (ze, device) = device();
    let mut access = ze_device_memory_access_properties_t::default();
    let mut free = ze_device_usablemem_size_ext_properties_t::default();
    let mut properties = ze_device_properties_t {
        pNext: (&raw mut free).cast(),
        ..Default::default()
    };
    // SAFETY: all variables are there to be written; `all` passes room for as many structures as it says, or null.
    let modules = unsafe {
        ze.zeDeviceGetMemoryAccessProperties(device, &mut access)
            .unwrap()
            .ok()
            .unwrap();
        ze.zeDeviceGetProperties(device, &mut properties).unwrap().ok().unwrap();
        let get = |count, to| ze.zeDeviceGetMemoryProperties(device, count, to).unwrap();
        all(ze_device_memory_properties_t::default(), get)
    };
    assert_eq!(modules.len(), 1);
    assert!(free.currUsableMemSize > 0 && free.currUsableMemSize <= modules[0].totalSize);
    assert!(properties.maxMemAllocSize <= modules[0].totalSize);
    assert_eq!(access.sharedSystemAllocCapabilities, access.deviceAllocCapabilities);
    assert_ne!(
        access.hostAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC,
        0
    );
}

#[test]
fn caches() {
    let (ze, device) = device();
    let get = |count, to| {
        // SAFETY: `all` passes room for as many structures as it says, or null.
        unsafe { ze.zeDeviceGetCacheProperties(device, count, to) }.unwrap()
    };
    let caches = all(ze_device_cache_properties_t::default(), get);
    assert!(caches.is_sorted_by(|a, b| a.cacheSize >= b.cacheSize) && !caches.is_empty());
    let mut line = ze_device_cache_line_size_ext_t::default();
    let mut first = ze_device_cache_properties_t {
        pNext: (&raw mut line).cast(),
        ..Default::default()
    };
    get(&mut 1, &mut first).ok().unwrap();
    assert!(line.cacheLineSize.is_power_of_two());
}

#[test]
fn queue_groups() {
    let (ze, device) = device();
    let get = |count, to| {
        // SAFETY: `all` passes room for as many structures as it says, or null.
        unsafe { ze.zeDeviceGetCommandQueueGroupProperties(device, count, to) }.unwrap()
    };
    let groups = all(ze_command_queue_group_properties_t::default(), get);
    assert_eq!(groups.len(), 1);
    let wanted = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
    assert_eq!(groups[0].flags & wanted, wanted);
    assert_eq!(groups[0].maxMemoryFillPatternSize, usize::MAX);
    assert!(groups[0].numQueues > 1);
}

#[test]
fn peers_and_time() {
    let (ze, device) = device();
    let (mut access, mut peer) = (0, ze_device_p2p_properties_t::default());
    let (mut host, mut on_device) = (0, 0);
    // SAFETY: all variables are there to be written.
    unsafe {
        ze.zeDeviceGetStatus(device).unwrap().ok().unwrap();
        ze.zeDeviceCanAccessPeer(device, device, &mut access)
            .unwrap()
            .ok()
            .unwrap();
        ze.zeDeviceGetP2PProperties(device, device, &mut peer)
            .unwrap()
            .ok()
            .unwrap();
        ze.zeDeviceGetGlobalTimestamps(device, &mut host, &mut on_device)
            .unwrap()
            .ok()
            .unwrap();
        let without = ze
            .zeDeviceGetGlobalTimestamps(device, null_mut(), &mut on_device)
            .unwrap();
        assert_eq!(without, ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    }
    assert_eq!(
        (access, peer.flags & ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS),
        (1, ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS)
    );
    assert!(host > 0 && on_device > 0);
}
