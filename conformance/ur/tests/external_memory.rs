// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory of other APIs, which a file descriptor stands for: as USM, and as the pixels of an image. The other API is the host,
//! which maps the same file.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd};
use std::ptr::{from_mut, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::{Rig, expect, intel, ur};

const SIZE: usize = 1 << 16;

/// A file of [`SIZE`] bytes, and where the host has mapped it. Both stay until the process ends.
fn file() -> (File, &'static mut [u32]) {
    // SAFETY: a name that ends with zero, and a descriptor that was just made.
    let file = unsafe { File::from_raw_fd(libc::memfd_create(c"external".as_ptr(), 0)) };
    file.set_len(SIZE as u64).expect("ftruncate");
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping of a live file.
    let mapped = unsafe { libc::mmap(null_mut(), SIZE, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    assert_ne!(mapped, libc::MAP_FAILED);
    // SAFETY: it is as long, and nobody else has it.
    (file, unsafe { std::slice::from_raw_parts_mut(mapped.cast(), SIZE / 4) })
}

/// Imports memory by a number that need not be a descriptor.
fn import(rig: &Rig, fd: i32, size: usize, kind: ExpExternalMemType) -> Result<ExpExternalMemHandle, ResultCode> {
    let mut descriptor = ExpFileDescriptor {
        fd,
        ..Default::default()
    };
    let mut desc = ExpExternalMemDesc {
        pNext: from_mut(&mut descriptor).cast(),
        ..Default::default()
    };
    let (context, device) = (rig.context.raw(), rig.device.raw());
    let mut memory = ExpExternalMemHandle::default();
    match ur!(urBindlessImagesImportExternalMemoryExp(
        context,
        device,
        size,
        kind,
        &mut desc,
        &mut memory
    )) {
        ResultCode::SUCCESS => Ok(memory),
        code => Err(code),
    }
}

/// A rig on a device that imports memory by descriptors; without that the functions say so.
fn rig() -> Option<Rig> {
    if intel("the adapter lacks the functions, and the loader calls it uninitialized") {
        return None;
    }
    let rig = Rig::new();
    let has = |kind| {
        let (device, mut has) = (rig.device.raw(), 0);
        match ur!(urBindlessImagesSupportsImportingHandleTypeExp(device, kind, &mut has)) {
            ResultCode::SUCCESS => has != 0,
            code => {
                assert_eq!(code, ResultCode::ERROR_UNSUPPORTED_FEATURE);
                false
            }
        }
    };
    assert!(!has(ExpExternalMemType::WIN32_NT));
    let supported = rig.supports(DeviceInfo::EXTERNAL_MEMORY_IMPORT_SUPPORT_EXP, "external memory");
    assert_eq!(has(ExpExternalMemType::OPAQUE_FD), supported);
    if supported {
        return Some(rig);
    }
    let adapter = std::env::var("UR_ADAPTERS_FORCE_LOAD").unwrap_or_default();
    assert!(!adapter.contains("level_zero"), "the driver has it");
    let (file, _) = file();
    let refused = import(&rig, file.as_raw_fd(), SIZE, ExpExternalMemType::OPAQUE_FD);
    assert_eq!(refused, Err(ResultCode::ERROR_UNSUPPORTED_FEATURE));
    None
}

fn imported(rig: &Rig, file: File) -> ExpExternalMemHandle {
    import(rig, file.into_raw_fd(), SIZE, ExpExternalMemType::OPAQUE_FD)
        .expect("urBindlessImagesImportExternalMemoryExp")
}

fn release(rig: &Rig, memory: ExpExternalMemHandle) -> ResultCode {
    let (context, device) = (rig.context.raw(), rig.device.raw());
    ur!(urBindlessImagesReleaseExternalMemoryExp(context, device, memory))
}

/// What the host writes to a file the device reads, and the other way round.
#[test]
fn as_usm() {
    let Some(rig) = rig() else { return };
    let (context, device) = (rig.context.raw(), rig.device.raw());
    let (file, host) = file();
    host.iter_mut().zip(0..).for_each(|(word, number)| *word = number);
    let memory = imported(&rig, file);
    let map = |offset, size| {
        let mut mapped = null_mut();
        let code = ur!(urBindlessImagesMapExternalLinearMemoryExp(
            context,
            device,
            offset,
            size,
            memory,
            &mut mapped
        ));
        (code, mapped)
    };
    let whole = SIZE as u64;
    for (offset, size) in [(0, 0), (0, whole + 1), (whole, 1), (1, whole), (u64::MAX, 2)] {
        expect!(map(offset, size).0, ERROR_INVALID_VALUE);
    }
    let (code, mapped) = map(4096, 8192);
    expect!(code, SUCCESS);
    let (mut kind, query) = (UsmType::UNKNOWN, UsmAllocInfo::TYPE);
    let (at, place) = (mapped.wrapping_byte_add(8191), from_mut(&mut kind).cast());
    expect!(
        ur!(urUSMGetMemAllocInfo(context, at, query, 4, place, null_mut())),
        SUCCESS
    );
    assert_eq!(kind, UsmType::DEVICE);
    let mut back = vec![0u32; 2048];
    // SAFETY: so many bytes are mapped, and the commands are complete when the host looks.
    unsafe {
        let copied = rig.queue.memcpy(true, back.as_mut_ptr().cast(), mapped, 8192, &[]);
        copied.expect("urEnqueueUSMMemcpy");
        let filled = rig.queue.memset(mapped, &[7_u32], 4096, &[]).expect("urEnqueueUSMFill");
        filled.wait().expect("urEventWait");
    }
    assert!(back.iter().zip(1024..).all(|(word, number)| *word == number));
    for (place, word) in (0..).zip(host.iter()) {
        let expected = if (1024..2048).contains(&place) { 7 } else { place };
        assert_eq!(*word, expected, "at {place}");
    }
    // The mapping stays good without the object.
    let (code, other) = map(0, whole);
    expect!(code, SUCCESS);
    expect!(release(&rig, memory), SUCCESS);
    host[1] = 99;
    // SAFETY: as above.
    let copied = unsafe { rig.queue.memcpy(true, back.as_mut_ptr().cast(), other, 8, &[]) };
    copied.expect("urEnqueueUSMMemcpy");
    assert_eq!(back[..2], [0, 99]);
    let unmap = |mapped| ur!(urBindlessImagesFreeMappedLinearMemoryExp(context, device, mapped));
    expect!(ur!(urUSMFree(context, mapped)), ERROR_INVALID_VALUE);
    // It is no other process's: it stays mapped.
    let closed = ur!(urIPCCloseMemHandleExp(context, mapped));
    assert!(
        [ResultCode::ERROR_INVALID_VALUE, ResultCode::ERROR_UNSUPPORTED_FEATURE].contains(&closed),
        "{closed:?}"
    );
    for mapped in [mapped, other] {
        expect!(unmap(mapped), SUCCESS);
        expect!(unmap(mapped), ERROR_INVALID_VALUE);
    }
}

/// The pixels of an image are those in the file.
#[test]
fn as_an_image() {
    let Some(rig) = rig() else { return };
    let (context, device) = (rig.context.raw(), rig.device.raw());
    let (file, host) = file();
    let format = ImageFormat {
        channelOrder: ImageChannelOrder::RGBA,
        channelType: ImageChannelType::UNSIGNED_INT8,
    };
    let desc = ImageDesc {
        r#type: MemType::IMAGE2D,
        width: 8,
        height: 4,
        ..Default::default()
    };
    let memory = imported(&rig, file);
    let map = |desc: &ImageDesc| {
        let mut image = 0;
        let code = ur!(urBindlessImagesMapExternalArrayExp(
            context, device, &format, desc, memory, &mut image
        ));
        (code, image)
    };
    let (code, image) = map(&desc);
    expect!(code, SUCCESS);
    let copy = |src: usize, dst: usize, places| {
        let mut region = ExpImageCopyRegion {
            copyExtent: RectRegion {
                width: 32,
                height: 4,
                depth: 1,
            },
            ..Default::default()
        };
        let (src, dst, direction) = (src as *const _, dst as *mut _, ExpImageCopyFlags::DEVICE_TO_DEVICE);
        let (queue, none) = (rig.queue.raw(), std::ptr::null());
        expect!(
            ur!(urBindlessImagesImageCopyExp(
                queue,
                src,
                dst,
                &desc,
                &desc,
                &format,
                &format,
                &mut region,
                direction,
                places,
                0,
                none,
                null_mut()
            )),
            SUCCESS
        );
        rig.queue.finish().expect("urQueueFinish");
    };
    let mut pixels: Vec<u32> = (0..32).map(|number| number * 0x0101_0101).collect();
    copy(pixels.as_ptr() as usize, image, ExpImageCopyInputTypes::MEM_TO_IMAGE);
    assert_eq!(host[..32], pixels, "what the device has written");
    host[..32].iter_mut().for_each(|pixel| *pixel ^= 0xff);
    copy(
        image,
        pixels.as_mut_ptr() as usize,
        ExpImageCopyInputTypes::IMAGE_TO_MEM,
    );
    assert_eq!(host[..32], pixels, "what the host has written");
    let free = ur!(urBindlessImagesImageFreeExp(context, device, image));
    expect!(free, SUCCESS);
    let too_large = ImageDesc {
        width: 1024,
        height: 1024,
        ..desc
    };
    expect!(map(&too_large).0, ERROR_INVALID_VALUE);
    expect!(release(&rig, memory), SUCCESS);
}

#[test]
fn what_is_refused() {
    let Some(rig) = rig() else { return };
    let (file, _) = file();
    for (fd, size, kind, expected) in [
        (-1, SIZE, ExpExternalMemType::OPAQUE_FD, ResultCode::ERROR_INVALID_VALUE),
        (
            file.as_raw_fd(),
            0,
            ExpExternalMemType::OPAQUE_FD,
            ResultCode::ERROR_INVALID_VALUE,
        ),
        (
            9999,
            SIZE,
            ExpExternalMemType::OPAQUE_FD,
            ResultCode::ERROR_INVALID_VALUE,
        ),
        (
            file.as_raw_fd(),
            SIZE,
            ExpExternalMemType::WIN32_NT,
            ResultCode::ERROR_UNSUPPORTED_FEATURE,
        ),
    ] {
        assert_eq!(import(&rig, fd, size, kind), Err(expected), "{fd} {size} {kind:?}");
    }
    // What was refused is the client's yet.
    assert!(file.metadata().is_ok());
}
