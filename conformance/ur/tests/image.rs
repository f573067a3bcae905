// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images and samplers.

use std::ptr::{null, null_mut};

use oxur_conformance::api::*;
use oxur_conformance::client::{Arg, Buffer, Image, Pitch, Range, Sampler};
use oxur_conformance::{Allowed, Rig, check, check_infos, expect, ur};

use crate::known;

const ORIGIN: RectOffset = RectOffset { x: 0, y: 0, z: 0 };
const BYTES: ImageFormat = ImageFormat {
    channelOrder: ImageChannelOrder::RGBA,
    channelType: ImageChannelType::UNSIGNED_INT8,
};
const FLOATS: ImageFormat = ImageFormat {
    channelOrder: ImageChannelOrder::RGBA,
    channelType: ImageChannelType::FLOAT,
};

fn plane(width: usize, height: usize) -> ImageDesc {
    ImageDesc {
        r#type: MemType::IMAGE2D,
        width,
        height,
        depth: 1,
        ..Default::default()
    }
}

fn region(width: u64, height: u64, depth: u64) -> RectRegion {
    RectRegion { width, height, depth }
}

/// A rig on a device that has images; without them the functions say so.
fn rig() -> Option<Rig> {
    let rig = Rig::new();
    if rig.supports(DeviceInfo::IMAGE_SUPPORT, "images") {
        return Some(rig);
    }
    let image = Image::new(&rig.context, MemFlags::READ_WRITE, BYTES, &plane(4, 4));
    expect!(check(image), ERROR_UNSUPPORTED_FEATURE);
    println!("this device has no images");
    None
}

fn pixels(rig: &Rig, image: &Image, size: RectRegion) -> Vec<u8> {
    let mut result = vec![0u8; (size.width * size.height * size.depth * 4) as usize];
    let at = result.as_mut_ptr().cast();
    // SAFETY: 4 bytes for each pixel of the region.
    unsafe { rig.queue.image_read(image, ORIGIN, size, Pitch::default(), at, &[]) }.expect("urEnqueueMemImageRead");
    result
}

fn with_pixels(rig: &Rig, desc: &ImageDesc, pixels: &mut [u8]) -> Image {
    let flags = MemFlags::READ_WRITE | MemFlags::ALLOC_COPY_HOST_POINTER;
    // SAFETY: tests give 4 bytes for each pixel; they are copied.
    unsafe { Image::with_host(&rig.context, flags, BYTES, desc, pixels.as_mut_ptr().cast()) }.expect("urMemImageCreate")
}

#[test]
fn info() {
    let Some(rig) = rig() else { return };
    let image = Image::new(&rig.context, MemFlags::READ_WRITE, BYTES, &plane(16, 8)).expect("urMemImageCreate");
    let get = |p, size, value, size_ret| ur!(urMemImageGetInfo(image.raw(), ImageInfo(p), size, value, size_ret));
    check_infos(
        "ImageInfo",
        &get,
        Allowed {
            intel: &[known::LARGER, known::NUMBER],
            ..Allowed::default()
        },
    );
    let number = |property| image.image_info::<usize>(property).expect("a number");
    assert_eq!(number(ImageInfo::WIDTH), 16);
    assert_eq!(number(ImageInfo::HEIGHT), 8);
    assert_eq!(number(ImageInfo::DEPTH), 0, "as in OpenCL");
    assert_eq!(number(ImageInfo::ELEMENT_SIZE), 4);
    assert!(number(ImageInfo::ROW_PITCH) >= 64);
    let format: ImageFormat = image.image_info(ImageInfo::FORMAT).expect("the format");
    assert_eq!(
        (format.channelOrder, format.channelType),
        (BYTES.channelOrder, BYTES.channelType)
    );
    assert!(image.info::<usize>(MemInfo::SIZE).expect("the size") >= 512);
}

#[test]
fn all_shapes() {
    let Some(rig) = rig() else { return };
    for (kind, desc, size) in [
        (
            MemType::IMAGE1D,
            ImageDesc {
                width: 8,
                ..Default::default()
            },
            region(8, 1, 1),
        ),
        (
            MemType::IMAGE2D,
            ImageDesc {
                width: 8,
                height: 4,
                ..Default::default()
            },
            region(8, 4, 1),
        ),
        (
            MemType::IMAGE3D,
            ImageDesc {
                width: 8,
                height: 4,
                depth: 2,
                ..Default::default()
            },
            region(8, 4, 2),
        ),
        (
            MemType::IMAGE1D_ARRAY,
            ImageDesc {
                width: 8,
                arraySize: 3,
                ..Default::default()
            },
            region(8, 3, 1),
        ),
        (
            MemType::IMAGE2D_ARRAY,
            ImageDesc {
                width: 8,
                height: 4,
                arraySize: 3,
                ..Default::default()
            },
            region(8, 4, 3),
        ),
    ] {
        let desc = ImageDesc { r#type: kind, ..desc };
        let count = (size.width * size.height * size.depth * 4) as usize;
        let mut source: Vec<u8> = (0..count).map(|i| i as u8).collect();
        let image = with_pixels(&rig, &desc, &mut source);
        assert_eq!(pixels(&rig, &image, size), source, "{kind:?}");
    }
}

#[test]
fn read_and_write() {
    let Some(rig) = rig() else { return };
    let image = with_pixels(&rig, &plane(4, 4), &mut [0; 64]);
    // Two pixels wide, rows of 12 bytes on the host.
    let source: Vec<u8> = (1..=24).collect();
    let (origin, size, pitch) = (
        RectOffset { x: 1, y: 2, z: 0 },
        region(2, 2, 1),
        Pitch { row: 12, slice: 0 },
    );
    // SAFETY: two rows of 12 bytes.
    unsafe {
        rig.queue
            .image_write(&image, origin, size, pitch, source.as_ptr().cast(), &[])
    }
    .expect("write");
    let mut expected = vec![0u8; 64];
    expected[2 * 16 + 4..2 * 16 + 12].copy_from_slice(&source[..8]);
    expected[3 * 16 + 4..3 * 16 + 12].copy_from_slice(&source[12..20]);
    assert_eq!(pixels(&rig, &image, region(4, 4, 1)), expected);
    let mut back = vec![0u8; 24];
    // SAFETY: two rows of 12 bytes.
    unsafe {
        rig.queue
            .image_read(&image, origin, size, pitch, back.as_mut_ptr().cast(), &[])
    }
    .expect("read");
    assert_eq!(
        (&back[..8], &back[8..12], &back[12..20]),
        (&source[..8], &[0u8; 4][..], &source[12..20])
    );
}

/// Boxes inside of images of several dimensions, from and to memory with gaps between rows and slices. Pixels are numbers, and
/// a model of a few lines says which are where.
#[test]
fn gaps_between_rows_and_slices() {
    let Some(rig) = rig() else { return };
    const GAP: u32 = 0xdead_beef;
    for (kind, [width, height, depth]) in [
        (MemType::IMAGE1D_ARRAY, [8, 3, 1]),
        (MemType::IMAGE2D, [8, 4, 1]),
        (MemType::IMAGE2D_ARRAY, [8, 4, 3]),
        (MemType::IMAGE3D, [8, 4, 3]),
    ] {
        // What rows and slices of an array of rows are far apart is not the same in all drivers.
        let gap = usize::from(kind != MemType::IMAGE1D_ARRAY);
        let place = |[x, y, z]: [usize; 3], row: usize, slice: usize| x + y * row + z * slice;
        let boxed = |size: [usize; 3]| {
            let [w, h, d] = size;
            (0..w * h * d).map(move |at| [at % w, at / w % h, at / w / h])
        };
        // The client's memory: rows of two pixels more, and slices of a row more.
        let pitches = |size: [usize; 3]| {
            let row = size[0] + 2 * gap;
            (row, row * (size[1] + gap * usize::from(depth > 1)))
        };
        let all = [width, height, depth];
        let (row, slice) = pitches(all);
        let mut source = vec![GAP; slice * depth];
        let mut model: Vec<u32> = boxed(all).map(|at| place(at, 10, 100) as u32).collect();
        for (at, &pixel) in boxed(all).zip(&model) {
            source[place(at, row, slice)] = pixel;
        }
        let with_pitches = |pitch: usize, has: bool| if gap == 1 && has { pitch * 4 } else { 0 };
        let desc = ImageDesc {
            r#type: kind,
            width,
            height,
            depth,
            arraySize: if kind == MemType::IMAGE1D_ARRAY { height } else { depth },
            rowPitch: with_pitches(row, true),
            slicePitch: with_pitches(slice, depth > 1),
            ..Default::default()
        };
        let flags = MemFlags::READ_WRITE | MemFlags::ALLOC_COPY_HOST_POINTER;
        // SAFETY: the memory has the pitches of the description; it is copied.
        let image = unsafe { Image::with_host(&rig.context, flags, BYTES, &desc, source.as_mut_ptr().cast()) }
            .expect("urMemImageCreate");
        let numbers = |bytes: Vec<u8>| -> Vec<u32> {
            let number = |bytes: &[u8]| u32::from_ne_bytes(bytes.try_into().expect("four"));
            bytes.chunks(4).map(number).collect()
        };
        let whole = region(width as u64, height as u64, depth as u64);
        assert_eq!(numbers(pixels(&rig, &image, whole)), model, "{kind:?}: made");

        let (from, size) = ([1, 1, depth.min(2) - 1], [3, 2, depth.min(2)]);
        let (origin, part) = (
            RectOffset {
                x: from[0] as u64,
                y: from[1] as u64,
                z: from[2] as u64,
            },
            region(size[0] as u64, size[1] as u64, size[2] as u64),
        );
        let (row, slice) = pitches(size);
        let pitch = Pitch {
            row: with_pitches(row, true),
            slice: with_pitches(slice, depth > 1),
        };
        let mut memory = vec![GAP; slice * size[2]];
        for at in boxed(size) {
            let number = 1000 + place(at, 10, 100) as u32;
            memory[place(at, row, slice)] = number;
            let there = [at[0] + from[0], at[1] + from[1], at[2] + from[2]];
            model[place(there, width, width * height)] = number;
        }
        let mut back = vec![GAP; memory.len()];
        // SAFETY: both have the pitches that are given.
        unsafe {
            let queue = &rig.queue;
            let written = queue.image_write(&image, origin, part, pitch, memory.as_ptr().cast(), &[]);
            written.expect("urEnqueueMemImageWrite");
            let read = queue.image_read(&image, origin, part, pitch, back.as_mut_ptr().cast(), &[]);
            read.expect("urEnqueueMemImageRead");
        }
        assert_eq!(back, memory, "{kind:?}: nothing else is written");
        assert_eq!(
            numbers(pixels(&rig, &image, whole)),
            model,
            "{kind:?}: nothing else changes"
        );
    }
}

#[test]
fn copy() {
    let Some(rig) = rig() else { return };
    let from = with_pixels(&rig, &plane(4, 4), &mut (0..64).collect::<Vec<u8>>());
    let to = with_pixels(&rig, &plane(4, 4), &mut [0xff; 64]);
    let origins = (RectOffset { x: 2, y: 0, z: 0 }, RectOffset { x: 0, y: 3, z: 0 });
    rig.queue
        .image_copy(&from, &to, origins, region(2, 1, 1), &[])
        .expect("urEnqueueMemImageCopy")
        .wait()
        .expect("wait");
    let mut expected = vec![0xffu8; 64];
    expected[48..56].copy_from_slice(&[8, 9, 10, 11, 12, 13, 14, 15]);
    assert_eq!(pixels(&rig, &to, region(4, 4, 1)), expected);
}

#[test]
fn in_a_kernel() {
    let Some(rig) = rig() else { return };
    let source: Vec<u8> = (0..64).collect();
    let from = with_pixels(&rig, &plane(4, 4), &mut source.clone());
    let to = Image::new(&rig.context, MemFlags::WRITE_ONLY, BYTES, &plane(4, 4)).expect("urMemImageCreate");
    let args = [
        Arg::Mem(&from, MemFlags::READ_ONLY),
        Arg::Mem(&to, MemFlags::WRITE_ONLY),
    ];
    rig.run(&rig.kernel("images", "invert"), &Range::new([4, 4]), &args);
    assert_eq!(
        pixels(&rig, &to, region(4, 4, 1)),
        source.iter().map(|b| 255 - b).collect::<Vec<_>>()
    );
}

#[test]
fn sampled_in_a_kernel() {
    let Some(rig) = rig() else { return };
    // A 2 x 1 image: 0 and 10 in red.
    let mut source = [0f32, 0.0, 0.0, 1.0, 10.0, 0.0, 0.0, 1.0];
    let flags = MemFlags::READ_ONLY | MemFlags::ALLOC_COPY_HOST_POINTER;
    // SAFETY: two pixels of four floats, which are copied.
    let image = unsafe { Image::with_host(&rig.context, flags, FLOATS, &plane(2, 1), source.as_mut_ptr().cast()) }
        .expect("urMemImageCreate");
    let kernel = rig.kernel("images", "sample");
    let red = |sampler: &Sampler, at: [f32; 6]| {
        let (at, out) = (rig.buffer(&at), rig.buffer(&[-1f32; 12]));
        let args = [
            Arg::Mem(&image, MemFlags::READ_ONLY),
            Arg::Sampler(sampler),
            Arg::mem(&at),
            Arg::mem(&out),
        ];
        rig.run(&kernel, &Range::new([3]), &args);
        let out: Vec<f32> = rig.contents(&out);
        [out[0], out[4], out[8]]
    };
    let sampler = |normalized, addressing, filter| {
        Sampler::new(&rig.context, normalized, addressing, filter).expect("urSamplerCreate")
    };
    let (nearest, linear) = (SamplerFilterMode::NEAREST, SamplerFilterMode::LINEAR);
    let edge = sampler(false, SamplerAddressingMode::CLAMP_TO_EDGE, nearest);
    assert_eq!(red(&edge, [0.5, 0.5, 1.5, 0.5, 9.0, 0.5]), [0.0, 10.0, 10.0]);
    let border = sampler(false, SamplerAddressingMode::CLAMP, nearest);
    assert_eq!(red(&border, [1.5, 0.5, -3.0, 0.5, 9.0, 0.5]), [10.0, 0.0, 0.0]);
    let between = sampler(false, SamplerAddressingMode::CLAMP_TO_EDGE, linear);
    assert_eq!(red(&between, [1.0, 0.5, 0.5, 0.5, 1.5, 0.5]), [5.0, 0.0, 10.0]);
    let tiles = sampler(true, SamplerAddressingMode::REPEAT, nearest);
    assert_eq!(red(&tiles, [0.25, 0.5, 0.75, 0.5, 1.75, 0.5]), [0.0, 10.0, 10.0]);
    let mirror = sampler(true, SamplerAddressingMode::MIRRORED_REPEAT, nearest);
    assert_eq!(red(&mirror, [0.75, 0.5, 1.25, 0.5, 1.75, 0.5]), [10.0, 10.0, 0.0]);
    // One may get the handle of another that is gone.
    drop((edge, border, between, tiles, mirror));
    for _ in 0..5 {
        let edge = sampler(false, SamplerAddressingMode::CLAMP_TO_EDGE, nearest);
        assert_eq!(red(&edge, [0.5, 0.5, 1.5, 0.5, 9.0, 0.5]), [0.0, 10.0, 10.0]);
        drop(edge);
        let between = sampler(false, SamplerAddressingMode::CLAMP_TO_EDGE, linear);
        assert_eq!(red(&between, [1.0, 0.5, 0.5, 0.5, 1.5, 0.5]), [5.0, 0.0, 10.0]);
    }
}

#[test]
fn refused() {
    let Some(rig) = rig() else { return };
    let create = |flags: MemFlags, desc: &ImageDesc, host: *mut c_void| {
        let mut handle = MemHandle::default();
        ur!(urMemImageCreate(
            rig.context.raw(),
            flags,
            &BYTES,
            desc,
            host,
            &mut handle
        ))
    };
    let write = MemFlags::READ_WRITE;
    let size = [
        ImageDesc {
            width: 0,
            ..plane(4, 4)
        },
        ImageDesc {
            height: 0,
            ..plane(4, 4)
        },
    ];
    for desc in &size {
        expect!(
            create(write, desc, null_mut()),
            ERROR_INVALID_IMAGE_SIZE | ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR | ERROR_INVALID_VALUE
        );
    }
    let pitch = ImageDesc {
        rowPitch: 64,
        ..plane(4, 4)
    };
    expect!(
        create(write, &pitch, null_mut()),
        ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR | ERROR_INVALID_IMAGE_SIZE
    );
    let mips = ImageDesc {
        numMipLevel: 1,
        ..plane(4, 4)
    };
    expect!(create(write, &mips, null_mut()), ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    expect!(create(write | MemFlags::USE_HOST_POINTER, &plane(4, 4), null_mut()), ERROR_INVALID_HOST_PTR;
        intel ERROR_UNKNOWN, known::UNMAPPED);
    let mut host = [0u8; 64];
    expect!(create(write, &plane(4, 4), host.as_mut_ptr().cast()), ERROR_INVALID_HOST_PTR; intel SUCCESS,
        "the adapter hands the pointer on only with a flag that uses it");
    let kind = ImageDesc {
        r#type: MemType(99),
        ..plane(4, 4)
    };
    expect!(
        create(write, &kind, null_mut()),
        ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR | ERROR_INVALID_ENUMERATION
    );
    expect!(create(MemFlags::from_bits_retain(1 << 20), &plane(4, 4), null_mut()), ERROR_INVALID_ENUMERATION;
        intel SUCCESS, known::UNCHECKED);
    let format = ImageFormat {
        channelOrder: ImageChannelOrder(99),
        ..BYTES
    };
    expect!(
        check(Image::new(&rig.context, write, format, &plane(4, 4))),
        ERROR_UNSUPPORTED_IMAGE_FORMAT
            | ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR
            | ERROR_INVALID_ENUMERATION
            | ERROR_INVALID_VALUE
    );
}

#[test]
fn a_buffer_is_no_image() {
    let Some(rig) = rig() else { return };
    let buffer: Buffer = rig.buffer(&[0u32; 16]);
    let mut width = 0usize;
    let at = (&raw mut width).cast();
    expect!(ur!(urMemImageGetInfo(buffer.raw(), ImageInfo::WIDTH, 8, at, null_mut())), ERROR_INVALID_MEM_OBJECT;
        intel ERROR_INVALID_SIZE, "the adapter asks for the size first, which is 0");
    let (size, pixels) = (region(1, 1, 1), [0u8; 64].as_mut_ptr().cast());
    let queue = rig.queue.raw();
    expect!(
        ur!(urEnqueueMemImageRead(
            queue,
            buffer.raw(),
            true,
            ORIGIN,
            size,
            0,
            0,
            pixels,
            0,
            null(),
            null_mut()
        )),
        ERROR_INVALID_MEM_OBJECT
    );
}

#[test]
fn out_of_bounds() {
    let Some(rig) = rig() else { return };
    let image = with_pixels(&rig, &plane(4, 4), &mut [0; 64]);
    let mut host = [0u8; 128];
    let at = host.as_mut_ptr().cast();
    let away = RectOffset { x: 1, y: 0, z: 0 };
    let other = with_pixels(&rig, &plane(8, 8), &mut [0; 256]);
    // INVALID_SIZE is the error of a box for which there is no room, or which is empty.
    for (origin, size) in [
        (ORIGIN, region(4, 5, 1)),
        (away, region(4, 4, 1)),
        (ORIGIN, region(0, 4, 1)),
        (ORIGIN, region(4, 4, 2)),
    ] {
        // SAFETY: 128 bytes are enough for the region; it is the image that is too small.
        let read = || unsafe { rig.queue.image_read(&image, origin, size, Pitch::default(), at, &[]) };
        expect!(check(read()), ERROR_INVALID_SIZE; intel ERROR_INVALID_VALUE | SUCCESS, known::PASSED_ON);
        // SAFETY: as above.
        let write = || unsafe {
            rig.queue
                .image_write(&image, origin, size, Pitch::default(), at.cast_const(), &[])
        };
        expect!(check(write()), ERROR_INVALID_SIZE; intel ERROR_INVALID_VALUE | SUCCESS, known::PASSED_ON);
        let copy = || rig.queue.image_copy(&other, &image, (ORIGIN, origin), size, &[]);
        expect!(check(copy()), ERROR_INVALID_SIZE; intel ERROR_INVALID_VALUE | SUCCESS, known::PASSED_ON);
    }
}

#[test]
fn sampler_info() {
    let Some(rig) = rig() else { return };
    let (addressing, filter) = (SamplerAddressingMode::MIRRORED_REPEAT, SamplerFilterMode::LINEAR);
    let sampler = Sampler::new(&rig.context, true, addressing, filter).expect("urSamplerCreate");
    let get = |p, size, value, size_ret| {
        let call = || ur!(urSamplerGetInfo(sampler.raw(), SamplerInfo(p), size, value, size_ret));
        if p < 5 {
            return call();
        }
        let code = ResultCode::ERROR_INVALID_ENUMERATION;
        expect!(call(), ERROR_INVALID_ENUMERATION | ERROR_UNSUPPORTED_ENUMERATION;
            intel crash, "the adapter ends the process for an enumerator that it does not know");
        code
    };
    check_infos(
        "SamplerInfo",
        &get,
        Allowed {
            intel: &[known::LARGER],
            ..Allowed::default()
        },
    );
    assert!(
        sampler
            .info::<bool>(SamplerInfo::NORMALIZED_COORDS)
            .expect("a truth value")
    );
    assert_eq!(
        sampler
            .info::<SamplerAddressingMode>(SamplerInfo::ADDRESSING_MODE)
            .expect("the mode"),
        addressing
    );
    assert_eq!(
        sampler
            .info::<SamplerFilterMode>(SamplerInfo::FILTER_MODE)
            .expect("the mode"),
        filter
    );
    assert_eq!(
        sampler
            .info::<ContextHandle>(SamplerInfo::CONTEXT)
            .expect("the context"),
        rig.context.raw()
    );
    let count = || sampler.info::<u32>(SamplerInfo::REFERENCE_COUNT).expect("the count");
    assert_eq!(count(), 1);
    let second = sampler.clone();
    assert_eq!(count(), 2);
    drop(second);
    assert_eq!(count(), 1);
}

#[test]
fn samplers_of_all_kinds() {
    let Some(rig) = rig() else { return };
    for normalized in [false, true] {
        for addressing in 0..5 {
            for filter in [SamplerFilterMode::NEAREST, SamplerFilterMode::LINEAR] {
                let addressing = SamplerAddressingMode(addressing);
                // Tiles need coordinates that know how large the image is.
                if normalized || addressing < SamplerAddressingMode::REPEAT {
                    Sampler::new(&rig.context, normalized, addressing, filter).expect("urSamplerCreate");
                }
            }
        }
    }
    let create = |addressing, filter| check(Sampler::new(&rig.context, true, addressing, filter));
    expect!(create(SamplerAddressingMode(99), SamplerFilterMode::LINEAR), ERROR_INVALID_ENUMERATION;
        intel crash, "the adapter ends the process for an enumerator that it does not know");
    expect!(create(SamplerAddressingMode::CLAMP, SamplerFilterMode(99)), ERROR_INVALID_ENUMERATION;
        intel crash, "the adapter ends the process for an enumerator that it does not know");
}
