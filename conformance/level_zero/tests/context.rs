// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts, and what is resident in them.

use std::ptr::null_mut;
use std::thread;

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Context, Rig, expect, ok, plain_image};

/// zeContextCreate: an application may have many; zeContextGetStatus: "Context is available for use".
#[test]
fn several() {
    let driver = Rig::new().driver;
    let contexts: Vec<_> = (0..10).map(|_| Context::new(driver)).collect();
    for context in &contexts {
        ok!(zeContextGetStatus(context.raw()));
    }
    let mut handles: Vec<_> = contexts.iter().map(Context::raw).collect();
    handles.dedup();
    assert_eq!(handles.len(), 10);
}

/// zeContextCreate: `0x1 < desc->flags` is an invalid enumeration.
#[test]
fn flags() {
    let driver = Rig::new().driver;
    let desc = ze_context_desc_t {
        flags: 2,
        ..Default::default()
    };
    expect!(
        zeContextCreate(driver, &desc, &mut null_mut()),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
}

/// zeContextCreateEx: a context of some devices, or of all.
#[test]
fn of_devices() {
    let rig = Rig::new();
    let desc = ze_context_desc_t::default();
    let mut devices = [rig.device];
    for (count, devices) in [(1, devices.as_mut_ptr()), (0, null_mut())] {
        let mut context = null_mut();
        ok!(zeContextCreateEx(rig.driver, &desc, count, devices, &mut context));
        let context = Context::from_raw(context, None);
        ok!(zeContextGetStatus(context.raw()));
        let mut ptr = null_mut();
        let desc = ze_device_mem_alloc_desc_t::default();
        ok!(zeMemAllocDevice(context.raw(), &desc, 1, 0, rig.device, &mut ptr));
        ok!(zeMemFree(context.raw(), ptr));
    }
}

/// zeContextCreateEx: `(nullptr == phDevices) && (0 < numDevices)` is an invalid size.
#[test]
fn devices_of_nowhere() {
    let rig = Rig::new();
    let desc = ze_context_desc_t::default();
    expect!(
        zeContextCreateEx(rig.driver, &desc, 1, null_mut(), &mut null_mut()),
        ZE_RESULT_ERROR_INVALID_SIZE
    );
}

/// zeContextCreate, zeContextDestroy: "The implementation of this function must be thread-safe".
#[test]
fn threads() {
    let driver = Rig::new().driver as usize;
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    Context::new(driver as ze_driver_handle_t);
                }
            });
        }
    });
}

/// zeContextMakeMemoryResident, zeContextEvictMemory: of an allocation, and again.
#[test]
fn memory_residency() {
    let rig = Rig::new();
    let context = rig.context.raw();
    for usm in [
        rig.device_memory(4096),
        rig.shared(&[0u8; 4096]),
        rig.host(&[0u8; 4096]),
    ] {
        for _ in 0..2 {
            expect!(
                zeContextMakeMemoryResident(context, rig.device, usm.ptr(), 4096), ZE_RESULT_SUCCESS;
                intel ZE_RESULT_ERROR_UNINITIALIZED, "memory cannot be made resident without a GPU"
            );
        }
        expect!(
            zeContextEvictMemory(context, rig.device, usm.ptr(), 4096), ZE_RESULT_SUCCESS;
            intel ZE_RESULT_ERROR_INVALID_ARGUMENT, "memory cannot be made resident without a GPU"
        );
    }
}

/// zeContextMakeImageResident, zeContextEvictImage: of an image.
#[test]
fn image_residency() {
    let rig = Rig::new();
    let image = rig.image(&plain_image()).expect("zeImageCreate");
    expect!(
        zeContextMakeImageResident(rig.context.raw(), rig.device, image.raw()), ZE_RESULT_SUCCESS;
        intel ZE_RESULT_ERROR_UNINITIALIZED, "images cannot be made resident without a GPU"
    );
    expect!(
        zeContextEvictImage(rig.context.raw(), rig.device, image.raw()), ZE_RESULT_SUCCESS;
        intel ZE_RESULT_ERROR_INVALID_ARGUMENT, "images cannot be made resident without a GPU"
    );
}

/// zeContextSystemBarrier: succeeds.
#[test]
fn system_barrier() {
    let rig = Rig::new();
    expect!(zeContextSystemBarrier(rig.context.raw(), rig.device), ZE_RESULT_SUCCESS;
        intel ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "the driver has no such barrier");
}
