// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Physical memory that is mapped at several places, beyond what the conformance suite asks.

use std::ptr::{null, null_mut};

use oxur_client::api::*;
use oxur_client::*;

use crate::{Rig, code, loader};

const READ_WRITE: VirtualMemAccessFlags = VirtualMemAccessFlags::READ_WRITE;

/// What sizes and addresses are multiples of.
fn granularity(rig: &Rig) -> usize {
    let mut size = 0_usize;
    let at = (&raw mut size).cast();
    let (context, device, query) = (rig.context.raw(), rig.device.raw(), VirtualMemGranularityInfo::MINIMUM);
    // SAFETY: live handles, and a place for the answer.
    unsafe {
        let fns = loader().fns();
        fns.urVirtualMemGranularityGetInfo(context, device, 1, query, 8, at, null_mut())
            .expect("urVirtualMemGranularityGetInfo");
    }
    size
}

fn reserve(rig: &Rig, size: usize) -> *mut c_void {
    let mut start = null_mut();
    // SAFETY: a live context, and a place for the range.
    let reserved = unsafe {
        loader()
            .fns()
            .urVirtualMemReserve(rig.context.raw(), null(), size, &mut start)
    };
    reserved.expect("urVirtualMemReserve");
    start
}

fn create(rig: &Rig, size: usize) -> PhysicalMemHandle {
    let mut physical = PhysicalMemHandle::default();
    let (context, device) = (rig.context.raw(), rig.device.raw());
    // SAFETY: live handles, and a place for the memory.
    let created = unsafe {
        loader()
            .fns()
            .urPhysicalMemCreate(context, device, size, null(), &mut physical)
    };
    created.expect("urPhysicalMemCreate");
    physical
}

fn map(rig: &Rig, start: *mut c_void, size: usize, physical: PhysicalMemHandle) -> Result<()> {
    let fns = loader().fns();
    // SAFETY: live handles; the driver checks the addresses.
    unsafe { fns.urVirtualMemMap(rig.context.raw(), start, size, physical, 0, READ_WRITE) }
}

fn unmap(rig: &Rig, start: *mut c_void, size: usize) {
    // SAFETY: a live context; no command uses the memory.
    unsafe { loader().fns().urVirtualMemUnmap(rig.context.raw(), start, size) }.expect("urVirtualMemUnmap");
}

fn access(rig: &Rig, start: *mut c_void, size: usize) -> VirtualMemAccessFlags {
    let mut flags = VirtualMemAccessFlags::empty();
    let (context, at) = (rig.context.raw(), (&raw mut flags).cast());
    // SAFETY: a live context, and a place for the answer.
    unsafe {
        let fns = loader().fns();
        fns.urVirtualMemGetInfo(context, start, size, VirtualMemInfo::ACCESS_MODE, 4, at, null_mut())
            .expect("urVirtualMemGetInfo");
    }
    flags
}

#[test]
fn memory_that_is_mapped_at_two_places() {
    let rig = Rig::new();
    if !rig
        .device
        .info::<bool>(DeviceInfo::VIRTUAL_MEMORY_SUPPORT)
        .expect("a truth value")
    {
        return println!("this device has no virtual memory");
    }
    let (context, size) = (rig.context.raw(), granularity(&rig));
    let fns = loader().fns();
    let (range, again) = (reserve(&rig, 2 * size), reserve(&rig, size));
    let (first, second) = (create(&rig, size), create(&rig, size));
    let behind = range.wrapping_byte_add(size);
    map(&rig, range, size, first).expect("urVirtualMemMap");
    map(&rig, behind, size, second).expect("urVirtualMemMap");
    assert_ne!(
        code(map(&rig, behind, size, first)),
        ResultCode::SUCCESS,
        "it is not free"
    );
    assert_eq!(access(&rig, range, 2 * size), READ_WRITE);
    let kernel = rig.kernel("add");
    let count = 2 * size / 4;
    let ones = Usm::device(&rig.context, &rig.device, 2 * size, UsmRequest::default()).expect("urUSMDeviceAlloc");
    let items = count as u32;
    let mut back = vec![0_f32; count];
    // SAFETY: both parts, which follow each other, as one; memory of these sizes.
    unsafe {
        rig.queue.memset(ones.ptr(), &[1_f32], 2 * size, &[]).expect("fill");
        rig.queue.memset(range, &[4_f32], 2 * size, &[]).expect("fill");
        let args = [
            Arg::Pointer(range),
            Arg::Pointer(range),
            Arg::Pointer(ones.ptr()),
            Arg::value(&items),
        ];
        rig.launch(&kernel, &Range::new([count]), &args).expect("launch");
        let (to, from) = (back.as_mut_ptr().cast(), range.cast_const());
        rig.queue.memcpy(true, to, from, 2 * size, &[]).expect("copy");
    }
    assert_eq!(back.iter().position(|value| *value != 5.0), None);
    // What is mapped stays when its handle goes, and has the same values elsewhere.
    map(&rig, again, size, second).expect("urVirtualMemMap");
    // SAFETY: live handles.
    unsafe {
        fns.urPhysicalMemRelease(first).expect("urPhysicalMemRelease");
        fns.urPhysicalMemRelease(second).expect("urPhysicalMemRelease");
        rig.queue.memset(behind, &[6_f32], 4, &[]).expect("fill");
        let to = back.as_mut_ptr().cast();
        rig.queue.memcpy(true, to, again.cast_const(), size, &[]).expect("copy");
    }
    assert_eq!(back[..3], [6.0, 5.0, 5.0]);
    // SAFETY: a live context; the driver checks the addresses.
    let free = |start, size| unsafe { fns.urVirtualMemFree(context, start, size) };
    assert!(free(range, 2 * size).is_err(), "memory is mapped there");
    unmap(&rig, range, 2 * size);
    unmap(&rig, again, size);
    free(range, 2 * size).expect("urVirtualMemFree");
    free(again, size).expect("urVirtualMemFree");
}
