// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory of a device that other APIs import by a file descriptor.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::null_mut;

use oxur_conformance::api::*;
use oxur_conformance::{Rig, expect, intel, ur};

const SIZE: usize = 1 << 16;

fn allocate(rig: &Rig, align: usize, size: usize, kind: ExpExternalMemType) -> (ResultCode, *mut c_void) {
    let (context, device, mut memory) = (rig.context.raw(), rig.device.raw(), null_mut());
    let code = ur!(urMemoryExportAllocExportableMemoryExp(
        context,
        device,
        align,
        size,
        kind,
        &mut memory
    ));
    (code, memory)
}

#[test]
fn by_a_descriptor() {
    let rig = Rig::new();
    if intel("its functions are those of 2026.1") {
        return;
    }
    let (context, device) = (rig.context.raw(), rig.device.raw());
    let kind = ExpExternalMemType::OPAQUE_FD;
    let supported = rig
        .device
        .info::<bool>(DeviceInfo::MEMORY_EXPORT_EXPORTABLE_DEVICE_MEM_EXP);
    let (code, memory) = allocate(&rig, 0, SIZE, kind);
    if !supported.expect("a truth value") {
        return expect!(code, ERROR_UNSUPPORTED_FEATURE);
    }
    expect!(code, SUCCESS);
    let mut descriptor = -1;
    let export = |kind, memory, place: *mut i32| {
        let place = place.cast();
        ur!(urMemoryExportExportMemoryHandleExp(
            context, device, kind, memory, place
        ))
    };
    expect!(export(kind, memory, &mut descriptor), SUCCESS);
    assert!(descriptor >= 0);
    // SAFETY: the client's own descriptor.
    let file = unsafe { File::from_raw_fd(descriptor) };
    let (read, write) = (libc::PROT_READ, libc::PROT_WRITE);
    // SAFETY: a new mapping of a live file.
    let mapped = unsafe { libc::mmap(null_mut(), SIZE, read | write, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    if mapped == libc::MAP_FAILED {
        println!("the host does not map this memory");
    } else {
        let mut back = vec![0u32; SIZE / 4];
        // SAFETY: so many bytes are in the memory and in the mapping, and no command uses them meanwhile.
        unsafe {
            let filled = rig.queue.memset(memory, &[0x0102_0304_u32], SIZE, &[]).expect("memset");
            filled.wait().expect("wait");
            let seen = std::slice::from_raw_parts_mut(mapped.cast::<u32>(), SIZE / 4);
            assert!(
                seen.iter().all(|value| *value == 0x0102_0304),
                "what the device has written"
            );
            seen.iter_mut().zip(0..).for_each(|(value, index)| *value = index);
            let copied = rig.queue.memcpy(true, back.as_mut_ptr().cast(), memory, SIZE, &[]);
            copied.expect("memcpy");
            libc::munmap(mapped, SIZE);
        }
        assert!(
            back.iter().zip(0..).all(|(value, index)| *value == index),
            "what the host has written"
        );
    }
    let free = |memory| ur!(urMemoryExportFreeExportableMemoryExp(context, device, memory));
    expect!(free(memory), SUCCESS);
    expect!(free(memory), ERROR_INVALID_VALUE);
    expect!(export(kind, memory, &mut descriptor), ERROR_INVALID_CONTEXT);
}

#[test]
fn what_is_refused() {
    let rig = Rig::new();
    if intel("its functions are those of 2026.1") {
        return;
    }
    let kind = ExpExternalMemType::OPAQUE_FD;
    expect!(
        allocate(&rig, 0, 64, ExpExternalMemType::WIN32_NT).0,
        ERROR_UNSUPPORTED_FEATURE
    );
    expect!(allocate(&rig, 3, 64, kind).0, ERROR_UNSUPPORTED_ALIGNMENT);
    expect!(allocate(&rig, 0, 0, kind).0, ERROR_INVALID_USM_SIZE);
    expect!(
        allocate(&rig, 0, 64, ExpExternalMemType(99)).0,
        ERROR_INVALID_ENUMERATION
    );
}
