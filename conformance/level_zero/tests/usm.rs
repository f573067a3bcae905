// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory: host, device and shared allocations.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::thread;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Context, Rig, expect, intel, ok, require_extension, ze};

/// The functions that allocate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Host,
    Device,
    Shared,
    /// Shared by all devices.
    SharedByAll,
}

const KINDS: [Kind; 4] = [Kind::Host, Kind::Device, Kind::Shared, Kind::SharedByAll];

impl Kind {
    fn alloc(self, rig: &Rig, size: usize, alignment: usize, ptr: &mut *mut c_void) -> ze_result_t {
        let context = rig.context.raw();
        let (host, device) = (
            ze_host_mem_alloc_desc_t::default(),
            ze_device_mem_alloc_desc_t::default(),
        );
        let shared = |of, ptr| ze!(zeMemAllocShared(context, &device, &host, size, alignment, of, ptr));
        match self {
            Self::Host => ze!(zeMemAllocHost(context, &host, size, alignment, ptr)),
            Self::Device => ze!(zeMemAllocDevice(context, &device, size, alignment, rig.device, ptr)),
            Self::Shared => shared(rig.device, ptr),
            Self::SharedByAll => shared(null_mut(), ptr),
        }
    }

    fn ty(self) -> ze_memory_type_t {
        match self {
            Self::Host => ZE_MEMORY_TYPE_HOST,
            Self::Device => ZE_MEMORY_TYPE_DEVICE,
            Self::Shared | Self::SharedByAll => ZE_MEMORY_TYPE_SHARED,
        }
    }
}

#[track_caller]
fn alloc(rig: &Rig, kind: Kind, size: usize, alignment: usize) -> *mut c_void {
    let mut ptr = null_mut();
    assert_eq!(
        kind.alloc(rig, size, alignment, &mut ptr),
        ZE_RESULT_SUCCESS,
        "{kind:?} {size} {alignment}"
    );
    assert!(!ptr.is_null());
    ptr
}

/// "minimum alignment in bytes for the allocation; must be a power of two", or zero.
#[test]
fn alignment() {
    let rig = Rig::new();
    for kind in KINDS {
        for alignment in [0, 1, 2, 4, 8, 64, 512, 4096, 65536] {
            for size in [1, 3, 64, 5000] {
                let ptr = alloc(&rig, kind, size, alignment);
                let large = alignment > 4096 && kind == Kind::Device;
                if !(large && intel("the alignment of device memory is a page's at most")) {
                    assert_eq!(ptr as usize % alignment.max(1), 0, "{kind:?} {size} {alignment}");
                }
                ok!(zeMemFree(rig.context.raw(), ptr));
            }
        }
    }
}

/// `0 != (alignment & (alignment - 1))` is an unsupported alignment.
#[test]
fn odd_alignment() {
    let rig = Rig::new();
    for kind in KINDS {
        for alignment in [3, 12, 4097] {
            let got = kind.alloc(&rig, 64, alignment, &mut null_mut());
            assert_eq!(got, ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "{kind:?} {alignment}");
        }
    }
}

/// `0 == size` is an unsupported size.
#[test]
fn no_bytes() {
    let rig = Rig::new();
    for kind in KINDS {
        let got = kind.alloc(&rig, 0, 0, &mut null_mut());
        assert_eq!(got, ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "{kind:?}");
    }
}

/// A size "must be less than or equal to the maxMemAllocSize"; it may also be more than there is.
#[test]
fn too_many_bytes() {
    let rig = Rig::new();
    let largest = rig.device_properties().maxMemAllocSize as usize;
    for kind in KINDS {
        for size in [largest.saturating_add(1), usize::MAX / 2, usize::MAX] {
            let got = kind.alloc(&rig, size, 0, &mut null_mut());
            let errors = [
                ZE_RESULT_ERROR_UNSUPPORTED_SIZE,
                ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
            ];
            assert!(errors.contains(&got), "{kind:?} {size}: {got}");
        }
    }
}

/// `0x7 < device_desc->flags` and `0x1f < host_desc->flags` are invalid enumerations.
#[test]
fn flags() {
    let rig = Rig::new();
    let context = rig.context.raw();
    let host = |flags| ze_host_mem_alloc_desc_t {
        flags,
        ..Default::default()
    };
    let device = |flags| ze_device_mem_alloc_desc_t {
        flags,
        ..Default::default()
    };
    let mut ptr = null_mut();
    expect!(
        zeMemAllocHost(context, &host(0x20), 64, 0, &mut ptr),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
    expect!(
        zeMemAllocDevice(context, &device(0x8), 64, 0, rig.device, &mut ptr),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
    expect!(
        zeMemAllocShared(context, &device(0x8), &host(0), 64, 0, rig.device, &mut ptr),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
    expect!(
        zeMemAllocShared(context, &device(0), &host(0x20), 64, 0, rig.device, &mut ptr),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
    for flags in 0..4 {
        ok!(zeMemAllocShared(
            context,
            &device(flags),
            &host(flags),
            64,
            0,
            rig.device,
            &mut ptr
        ));
        ok!(zeMemFree(context, ptr));
    }
}

/// zeMemGetAllocProperties: the type, an id that no other allocation has, a page size, and the device.
#[test]
fn properties() {
    let rig = Rig::new();
    let context = rig.context.raw();
    let mut ids = Vec::new();
    for kind in KINDS {
        let ptr = alloc(&rig, kind, 1000, 0);
        let mut properties = ze_memory_allocation_properties_t::default();
        let mut device = null_mut();
        ok!(zeMemGetAllocProperties(context, ptr, &mut properties, &mut device));
        assert_eq!(properties.type_, kind.ty());
        assert!(
            properties.pageSize > 0 && properties.pageSize.is_power_of_two(),
            "{kind:?} {}",
            properties.pageSize
        );
        match kind {
            Kind::Device | Kind::Shared => assert_eq!(device, rig.device, "{kind:?}"),
            Kind::Host | Kind::SharedByAll => assert!(device.is_null(), "{kind:?}"),
        }
        let mut inside = ze_memory_allocation_properties_t::default();
        ok!(zeMemGetAllocProperties(
            context,
            ptr.wrapping_byte_add(999),
            &mut inside,
            null_mut()
        ));
        assert_eq!(
            (inside.type_, inside.id),
            (properties.type_, properties.id),
            "of the last byte"
        );
        ids.push((properties.id, ptr));
    }
    let mut only: Vec<_> = ids.iter().map(|(id, _)| *id).collect();
    only.dedup();
    assert_eq!(only.len(), ids.len(), "{ids:?}");
    for (_, ptr) in ids {
        ok!(zeMemFree(context, ptr));
    }
}

/// zeMemGetAllocProperties: "attributes of a memory allocation unrelated to the context … ZE_MEMORY_TYPE_UNKNOWN".
#[test]
fn properties_of_others() {
    let rig = Rig::new();
    let (local, boxed) = (0u8, Box::new(0u8));
    let type_of = |context: &Context, ptr: *const c_void| {
        let mut properties = ze_memory_allocation_properties_t::default();
        ok!(zeMemGetAllocProperties(context.raw(), ptr, &mut properties, null_mut()));
        properties.type_
    };
    assert_eq!(type_of(&rig.context, (&raw const local).cast()), ZE_MEMORY_TYPE_UNKNOWN);
    assert_eq!(
        type_of(&rig.context, (&raw const *boxed).cast()),
        ZE_MEMORY_TYPE_UNKNOWN
    );
    let usm = rig.shared(&[0u8; 64]);
    assert_eq!(type_of(&rig.context, usm.ptr()), ZE_MEMORY_TYPE_SHARED);
    let other = Context::new(rig.driver);
    let known = intel("allocations are the driver's, so all contexts know them");
    let expected = if known {
        ZE_MEMORY_TYPE_SHARED
    } else {
        ZE_MEMORY_TYPE_UNKNOWN
    };
    assert_eq!(type_of(&other, usm.ptr()), expected);
    let address = usm.ptr();
    drop(usm);
    assert_eq!(
        type_of(&rig.context, address),
        ZE_MEMORY_TYPE_UNKNOWN,
        "after zeMemFree"
    );
}

/// zeMemGetAddressRange: the base and the size that was asked for, or at least that; of any address inside.
#[test]
fn address_range() {
    let rig = Rig::new();
    let context = rig.context.raw();
    for kind in KINDS {
        let ptr = alloc(&rig, kind, 1000, 0);
        for offset in [0, 1, 500, 999] {
            let (mut base, mut size) = (null_mut(), 0);
            ok!(zeMemGetAddressRange(
                context,
                ptr.wrapping_byte_add(offset),
                &mut base,
                &mut size
            ));
            assert_eq!(base, ptr, "{kind:?} {offset}");
            assert!(size >= 1000, "{kind:?} {size}");
            // Both are optional.
            ok!(zeMemGetAddressRange(context, ptr, null_mut(), &mut size));
            ok!(zeMemGetAddressRange(context, ptr, &mut base, null_mut()));
        }
        ok!(zeMemFree(context, ptr));
    }
}

/// zeMemGetAddressRange: ZE_RESULT_ERROR_ADDRESS_NOT_FOUND for what is no allocation.
#[test]
fn address_range_of_others() {
    let rig = Rig::new();
    let local = 0u8;
    let (mut base, mut size) = (null_mut(), 0);
    expect!(
        zeMemGetAddressRange(rig.context.raw(), (&raw const local).cast(), &mut base, &mut size),
        ZE_RESULT_ERROR_ADDRESS_NOT_FOUND;
        intel ZE_RESULT_ERROR_UNKNOWN, "another code"
    );
}

/// Host and shared memory: "ownership of the allocation is shared between the host and" devices, so the host writes it.
#[test]
fn host_access() {
    let rig = Rig::new();
    for mut usm in [rig.host(&[0u32; 1000]), rig.shared(&[0u32; 1000])] {
        for (index, value) in usm.values_mut::<u32>().iter_mut().enumerate() {
            *value = index as u32;
        }
        assert!(
            usm.values::<u32>()
                .iter()
                .enumerate()
                .all(|(index, value)| *value == index as u32)
        );
    }
}

/// zeMemAlloc*: allocations do not overlap, however many there are.
#[test]
fn many() {
    let rig = Rig::new();
    let context = rig.context.raw();
    let mut ranges: Vec<_> = (0..300)
        .map(|index| {
            let size = 1 + index * 37 % 5000;
            (alloc(&rig, KINDS[index % 4], size, 0) as usize, size)
        })
        .collect();
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:?}");
    }
    for (ptr, _) in ranges {
        ok!(zeMemFree(context, ptr as *mut c_void));
    }
}

/// zeMemAlloc*, zeMemFree: "The implementation of this function must be thread-safe".
#[test]
fn threads() {
    let rig = Rig::new();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for round in 0..100 {
                    let ptr = alloc(&rig, KINDS[round % 4], 1 + round * 100, 0);
                    let mut properties = ze_memory_allocation_properties_t::default();
                    ok!(zeMemGetAllocProperties(
                        rig.context.raw(),
                        ptr,
                        &mut properties,
                        null_mut()
                    ));
                    assert_eq!(properties.type_, KINDS[round % 4].ty());
                    ok!(zeMemFree(rig.context.raw(), ptr));
                }
            });
        }
    });
}

/// zeMemAllocDevice: a device descriptor's ordinal "must be less than the count returned from
/// zeDeviceGetMemoryProperties"; each of these works.
#[test]
fn memory_ordinals() {
    let rig = Rig::new();
    let mut count = 0;
    ok!(zeDeviceGetMemoryProperties(rig.device, &mut count, null_mut()));
    for ordinal in 0..count {
        let desc = ze_device_mem_alloc_desc_t {
            ordinal,
            ..Default::default()
        };
        let mut ptr = null_mut();
        ok!(zeMemAllocDevice(rig.context.raw(), &desc, 64, 0, rig.device, &mut ptr));
        ok!(zeMemFree(rig.context.raw(), ptr));
    }
}

/// zeMemFreeExt: each policy that the driver has frees, and `0x3 < freePolicy` is an invalid enumeration.
#[test]
fn free_policies() {
    let rig = Rig::new();
    if !require_extension(&rig, ZE_MEMORY_FREE_POLICIES_EXT_NAME) {
        return;
    }
    let context = rig.context.raw();
    let mut free = ze_driver_memory_free_ext_properties_t::default();
    let mut properties = ze_driver_properties_t {
        pNext: (&raw mut free).cast(),
        ..Default::default()
    };
    ok!(zeDriverGetProperties(rig.driver, &mut properties));
    for policy in [
        0,
        ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE,
        ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE,
    ] {
        if policy & !free.freePolicies != 0 {
            continue;
        }
        let desc = ze_memory_free_ext_desc_t {
            freePolicy: policy,
            ..Default::default()
        };
        for kind in KINDS {
            let ptr = alloc(&rig, kind, 100, 0);
            ok!(zeMemFreeExt(context, &desc, ptr));
        }
    }
    let desc = ze_memory_free_ext_desc_t {
        freePolicy: 4,
        ..Default::default()
    };
    let usm = rig.host(&[0u8]);
    expect!(
        zeMemFreeExt(context, &desc, usm.ptr()),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
}

/// ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE: "Blocks until all commands using the memory are complete";
/// DEFER_FREE: "returns without blocking. Memory may be freed after all commands using the memory are complete".
#[test]
fn free_of_used_memory() {
    let Some(rig) = Rig::executing() else { return };
    let mut free = ze_driver_memory_free_ext_properties_t::default();
    let mut properties = ze_driver_properties_t {
        pNext: (&raw mut free).cast(),
        ..Default::default()
    };
    ok!(zeDriverGetProperties(rig.driver, &mut properties));
    let context = rig.context.raw();
    let out = rig.host(&[0u32; 16]);
    for policy in [
        ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE,
        ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE,
    ] {
        if free.freePolicies & policy == 0 {
            println!("the driver has no policy {policy}");
            continue;
        }
        let desc = ze_memory_free_ext_desc_t {
            freePolicy: policy,
            ..Default::default()
        };
        let ptr = alloc(&rig, Kind::Device, 64, 0);
        let (gate, list) = (rig.event(), rig.in_order());
        list.fill(ptr, &[policy], 64, None, &[&gate]);
        list.copy(out.ptr(), ptr, 64, None, &[]);
        if policy == ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE {
            ok!(zeMemFreeExt(context, &desc, ptr));
            gate.host_signal();
        } else {
            thread::scope(|scope| {
                let address = ptr as usize;
                scope.spawn(move || gate.host_signal());
                ok!(zeMemFreeExt(rig.context.raw(), &desc, address as *mut c_void));
            });
        }
        list.synchronize();
        assert_eq!(out.values::<u32>(), [policy; 16]);
    }
}

/// zeMemFree: null is refused.
#[test]
fn free_nothing() {
    let rig = Rig::new();
    expect!(
        zeMemFree(rig.context.raw(), null_mut()),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
}

/// zeCommandListAppendMemoryPrefetch, zeCommandListAppendMemAdvise: hints, which change no data.
#[test]
fn hints() {
    let rig = Rig::new();
    let usm = rig.shared(&[7u32; 1024]);
    let list = rig.list();
    ok!(zeCommandListAppendMemoryPrefetch(list.raw(), usm.ptr(), 4096));
    for advice in 0..=7 {
        let advice = ze_memory_advice_t(advice);
        ok!(zeCommandListAppendMemAdvise(
            list.raw(),
            rig.device,
            usm.ptr(),
            4096,
            advice
        ));
    }
    expect!(
        zeCommandListAppendMemAdvise(list.raw(), rig.device, usm.ptr(), 4096, ze_memory_advice_t(0x1000)),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
    list.close();
    let queue = rig.queue();
    queue.execute(&[&list]);
    queue.synchronize();
    assert_eq!(usm.values::<u32>(), [7; 1024]);
    assert_eq!(
        ze!(zeMemGetAddressRange(rig.context.raw(), null(), null_mut(), null_mut())),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
}
