// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts.

use std::ptr::null;
use std::sync::atomic::{AtomicU32, Ordering};

use oxur_conformance::api::*;
use oxur_conformance::client::Context;
use oxur_conformance::{Allowed, Rig, check_infos, expect, ur};

#[test]
fn info() {
    let rig = Rig::new();
    let get = |p, size, value, size_ret| {
        ur!(urContextGetInfo(
            rig.context.raw(),
            ContextInfo(p),
            size,
            value,
            size_ret
        ))
    };
    check_infos("ContextInfo", &get, Allowed::default());
    assert_eq!(
        rig.context.info::<u32>(ContextInfo::NUM_DEVICES).expect("the number"),
        1
    );
    assert_eq!(
        rig.context
            .info::<Vec<DeviceHandle>>(ContextInfo::DEVICES)
            .expect("the devices"),
        [rig.device.raw()]
    );
}

#[test]
fn counted() {
    let rig = Rig::new();
    let context = Context::new(&[&rig.device]).expect("urContextCreate");
    let count = || context.info::<u32>(ContextInfo::REFERENCE_COUNT).expect("the count");
    assert_eq!(count(), 1);
    let second = context.clone();
    assert_eq!(count(), 2);
    drop(second);
    assert_eq!(count(), 1);
}

#[test]
fn several_devices() {
    let rig = Rig::new();
    let one = DevicePartitionProperty {
        r#type: DevicePartition::EQUALLY,
        value: DevicePartitionValue { equally: 1 },
    };
    let schemes: Vec<DevicePartition> = rig.device.info(DeviceInfo::SUPPORTED_PARTITIONS).expect("the schemes");
    if !schemes.contains(&DevicePartition::EQUALLY) {
        return println!("this device cannot be split");
    }
    let parts = rig.device.partition(&[one]).expect("urDevicePartition");
    let parts: Vec<_> = parts.iter().collect();
    let context = Context::new(&parts).expect("urContextCreate");
    assert_eq!(
        context.info::<u32>(ContextInfo::NUM_DEVICES).expect("the number") as usize,
        parts.len()
    );
    let listed: Vec<DeviceHandle> = context.info(ContextInfo::DEVICES).expect("the devices");
    assert_eq!(listed, parts.iter().map(|part| part.raw()).collect::<Vec<_>>());
}

#[test]
fn no_devices() {
    let rig = Rig::new();
    let (device, mut context) = (rig.device.raw(), ContextHandle::default());
    // The loader finds the adapter by the first device, so that there is a pointer, to none.
    expect!(
        ur!(urContextCreate(0, &device, null(), &mut context)),
        ERROR_INVALID_SIZE | ERROR_INVALID_VALUE
    );
}

#[test]
fn extended_deleter() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn deleter(data: *mut c_void) {
        // SAFETY: the pointer that is registered below, to a static.
        unsafe { &*data.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
    }
    let rig = Rig::new();
    let context = Context::new(&[&rig.device]).expect("urContextCreate");
    let data = (&raw const CALLS).cast_mut().cast();
    let code = ur!(urContextSetExtendedDeleter(context.raw(), Some(deleter), data));
    assert_eq!(CALLS.load(Ordering::SeqCst), 0);
    drop(context);
    if code == ResultCode::SUCCESS {
        assert_eq!(CALLS.load(Ordering::SeqCst), 1);
    } else {
        expect!(code, ERROR_UNSUPPORTED_FEATURE);
    }
}
