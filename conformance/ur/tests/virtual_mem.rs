// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Virtual and physical memory: the functions do what the device query says.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::{Rig, expect, ur};

fn supported(rig: &Rig) -> bool {
    rig.device
        .info(DeviceInfo::VIRTUAL_MEMORY_SUPPORT)
        .expect("a truth value")
}

fn granularity(rig: &Rig) -> (ResultCode, usize) {
    let (mut size, property) = (0usize, VirtualMemGranularityInfo::MINIMUM);
    let at = (&raw mut size).cast();
    let (context, device) = (rig.context.raw(), rig.device.raw());
    (
        ur!(urVirtualMemGranularityGetInfo(
            context,
            device,
            1,
            property,
            8,
            at,
            null_mut()
        )),
        size,
    )
}

#[test]
fn unsupported_says_so() {
    let rig = Rig::new();
    if supported(&rig) {
        return println!("this device has virtual memory");
    }
    let (context, device) = (rig.context.raw(), rig.device.raw());
    let (mut start, mut physical) = (null_mut(), PhysicalMemHandle::default());
    expect!(granularity(&rig).0, ERROR_UNSUPPORTED_FEATURE);
    expect!(
        ur!(urVirtualMemReserve(context, null(), 4096, &mut start)),
        ERROR_UNSUPPORTED_FEATURE
    );
    expect!(
        ur!(urPhysicalMemCreate(context, device, 4096, null(), &mut physical)),
        ERROR_UNSUPPORTED_FEATURE
    );
}

#[test]
fn reserve_map_use() {
    let rig = Rig::new();
    if !supported(&rig) {
        return println!("this device has no virtual memory");
    }
    let (context, device) = (rig.context.raw(), rig.device.raw());
    let (code, size) = granularity(&rig);
    expect!(code, SUCCESS);
    assert!(size.is_power_of_two());
    let (mut start, mut physical) = (null_mut(), PhysicalMemHandle::default());
    let access = VirtualMemAccessFlags::READ_WRITE;
    expect!(ur!(urVirtualMemReserve(context, null(), size, &mut start)), SUCCESS);
    expect!(
        ur!(urPhysicalMemCreate(context, device, size, null(), &mut physical)),
        SUCCESS
    );
    expect!(ur!(urVirtualMemMap(context, start, size, physical, 0, access)), SUCCESS);
    let mut back = [0u32; 16];
    // SAFETY: 64 bytes of mapped memory.
    unsafe {
        rig.queue.memset(start, &[7u32], 64, &[]).expect("memset");
        rig.queue
            .memcpy(true, back.as_mut_ptr().cast(), start, 64, &[])
            .expect("memcpy");
    }
    assert_eq!(back, [7; 16]);
    let mut now = VirtualMemAccessFlags::empty();
    let at = (&raw mut now).cast();
    expect!(
        ur!(urVirtualMemGetInfo(
            context,
            start,
            size,
            VirtualMemInfo::ACCESS_MODE,
            4,
            at,
            null_mut()
        )),
        SUCCESS
    );
    assert_eq!(now, access);
    expect!(ur!(urVirtualMemUnmap(context, start, size)), SUCCESS);
    expect!(ur!(urPhysicalMemRelease(physical)), SUCCESS);
    expect!(ur!(urVirtualMemFree(context, start, size)), SUCCESS);
}
