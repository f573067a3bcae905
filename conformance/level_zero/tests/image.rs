// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images and samplers.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use oxur_conformance_level_zero::sys::*;
use oxur_conformance_level_zero::{Image, Rig, Sampler, expect, has_extension, intel, ok};

const SWIZZLE: [ze_image_format_swizzle_t; 4] = [
    ZE_IMAGE_FORMAT_SWIZZLE_R,
    ZE_IMAGE_FORMAT_SWIZZLE_G,
    ZE_IMAGE_FORMAT_SWIZZLE_B,
    ZE_IMAGE_FORMAT_SWIZZLE_A,
];

fn format(layout: ze_image_format_layout_t, ty: ze_image_format_type_t) -> ze_image_format_t {
    let [x, y, z, w] = SWIZZLE;
    ze_image_format_t {
        layout,
        type_: ty,
        x,
        y,
        z,
        w,
    }
}

/// An image of 32-bit unsigned integers in four channels, which no reading changes.
fn desc(ty: ze_image_type_t, [width, height, depth]: [u32; 3]) -> ze_image_desc_t {
    let is_array = [ZE_IMAGE_TYPE_1DARRAY, ZE_IMAGE_TYPE_2DARRAY].contains(&ty);
    ze_image_desc_t {
        flags: ZE_IMAGE_FLAG_KERNEL_WRITE,
        type_: ty,
        format: format(ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, ZE_IMAGE_FORMAT_TYPE_UINT),
        width: width.into(),
        height,
        depth: if is_array { 0 } else { depth },
        arraylevels: if is_array { depth } else { 0 },
        ..Default::default()
    }
}

fn region([originX, originY, originZ]: [u32; 3], [width, height, depth]: [u32; 3]) -> ze_image_region_t {
    ze_image_region_t {
        originX,
        originY,
        originZ,
        width,
        height,
        depth,
    }
}

fn pixels(count: u32) -> Vec<[u32; 4]> {
    (0..count).map(|index| [index, index * 3 + 1, !index, 7]).collect()
}

fn write(rig: &Rig, image: &Image, pixels: &[[u32; 4]], region: *const ze_image_region_t) {
    let usm = rig.shared(pixels);
    rig.run(|list| {
        ok!(zeCommandListAppendImageCopyFromMemory(
            list.raw(),
            image.raw(),
            usm.ptr(),
            region,
            null_mut(),
            0,
            null_mut()
        ));
    });
}

fn read(rig: &Rig, image: &Image, count: usize, region: *const ze_image_region_t) -> Vec<[u32; 4]> {
    let usm = rig.shared(&vec![[0xdeadu32; 4]; count]);
    rig.run(|list| {
        ok!(zeCommandListAppendImageCopyToMemory(
            list.raw(),
            usm.ptr(),
            image.raw(),
            region,
            null_mut(),
            0,
            null_mut()
        ));
    });
    usm.values().to_vec()
}

const SHAPES: [(ze_image_type_t, [u32; 3], &str); 4] = [
    (ZE_IMAGE_TYPE_1D, [37, 1, 1], "read_1d"),
    (ZE_IMAGE_TYPE_2D, [17, 9, 1], "read_2d"),
    (ZE_IMAGE_TYPE_2DARRAY, [8, 5, 3], "read_2d_array"),
    (ZE_IMAGE_TYPE_3D, [6, 5, 4], "read_3d"),
];

/// zeImageGetProperties: what filters an image may be sampled with.
#[test]
fn properties() {
    let rig = Rig::new();
    for (ty, extent, _) in SHAPES {
        let mut properties = ze_image_properties_t::default();
        ok!(zeImageGetProperties(rig.device, &desc(ty, extent), &mut properties));
        assert_eq!(properties.samplerFilterFlags & !3, 0);
    }
}

/// zeImageCreate: `0x3 < desc->flags` and `BUFFER < desc->type` are invalid enumerations.
#[test]
fn bad_descriptors() {
    let rig = Rig::new();
    let good = desc(ZE_IMAGE_TYPE_2D, [4, 4, 1]);
    let flags = ze_image_desc_t { flags: 4, ..good };
    let ty = ze_image_desc_t {
        type_: ze_image_type_t(9),
        ..good
    };
    let mut properties = ze_image_properties_t::default();
    for bad in [flags, ty] {
        expect!(
            zeImageCreate(rig.context.raw(), rig.device, &bad, &mut null_mut()),
            ZE_RESULT_ERROR_INVALID_ENUMERATION
        );
        expect!(
            zeImageGetProperties(rig.device, &bad, &mut properties),
            ZE_RESULT_ERROR_INVALID_ENUMERATION
        );
    }
}

/// zeImageCreate: more than the device's largest size, or a format that it does not have, is an error.
#[test]
fn too_large() {
    let rig = Rig::new();
    let mut limits = ze_device_image_properties_t::default();
    ok!(zeDeviceGetImageProperties(rig.device, &mut limits));
    let too_wide = desc(ZE_IMAGE_TYPE_2D, [limits.maxImageDims2D.saturating_add(1), 4, 1]);
    if intel("the driver crashes") {
        return;
    }
    assert!(rig.image(&too_wide).is_err());
    let media = ze_image_desc_t {
        format: format(ZE_IMAGE_FORMAT_LAYOUT_400P, ZE_IMAGE_FORMAT_TYPE_FLOAT),
        ..desc(ZE_IMAGE_TYPE_3D, [4, 4, 4])
    };
    if let Err(code) = rig.image(&media) {
        assert!(
            [
                ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
                ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION
            ]
            .contains(&code),
            "{code}"
        );
    }
}

/// zeCommandListAppendImageCopyFromMemory, zeCommandListAppendImageCopyToMemory: whole images of each type, tightly packed.
#[test]
fn memory_to_image_and_back() {
    let Some(rig) = Rig::executing() else { return };
    for (ty, extent, name) in SHAPES {
        let image = rig.image(&desc(ty, extent)).expect("zeImageCreate");
        let content = pixels(extent.iter().product());
        write(&rig, &image, &content, null());
        assert!(read(&rig, &image, content.len(), null()) == content, "{name}");
    }
}

/// The same for a part: "region descriptor".
#[test]
fn regions() {
    let Some(rig) = Rig::executing() else { return };
    let [width, height] = [17, 9];
    let image = rig
        .image(&desc(ZE_IMAGE_TYPE_2D, [width, height, 1]))
        .expect("zeImageCreate");
    let mut expected = pixels(width * height);
    write(&rig, &image, &expected, null());
    let part = region([3, 2, 0], [5, 4, 1]);
    let new: Vec<_> = (0..20).map(|index| [1000 + index; 4]).collect();
    write(&rig, &image, &new, &part);
    for y in 0..4 {
        for x in 0..5 {
            expected[(y + 2) * 17 + x + 3] = new[y * 5 + x];
        }
    }
    assert!(read(&rig, &image, expected.len(), null()) == expected);
    assert!(read(&rig, &image, 20, &part) == new);
    // In three dimensions.
    let image = rig.image(&desc(ZE_IMAGE_TYPE_3D, [6, 5, 4])).expect("zeImageCreate");
    let all = pixels(120);
    write(&rig, &image, &all, null());
    let got = read(&rig, &image, 2 * 3 * 2, &region([1, 2, 1], [2, 3, 2]));
    let expected: Vec<_> = (1..3)
        .flat_map(|z| (2..5).flat_map(move |y| (1..3).map(move |x| (z * 5 + y) * 6 + x)))
        .map(|index| all[index])
        .collect();
    assert!(got == expected);
}

/// zeCommandListAppendImageCopy, zeCommandListAppendImageCopyRegion: from one image to another.
#[test]
fn image_to_image() {
    let Some(rig) = Rig::executing() else { return };
    let shape = desc(ZE_IMAGE_TYPE_2D, [8, 6, 1]);
    let [from, to] = [(); 2].map(|()| rig.image(&shape).expect("zeImageCreate"));
    let content = pixels(48);
    write(&rig, &from, &content, null());
    rig.run(|list| {
        ok!(zeCommandListAppendImageCopy(
            list.raw(),
            to.raw(),
            from.raw(),
            null_mut(),
            0,
            null_mut()
        ))
    });
    assert!(read(&rig, &to, 48, null()) == content);
    let (target, source) = (region([0, 0, 0], [3, 2, 1]), region([4, 3, 0], [3, 2, 1]));
    rig.run(|list| {
        ok!(zeCommandListAppendImageCopyRegion(
            list.raw(),
            to.raw(),
            from.raw(),
            &target,
            &source,
            null_mut(),
            0,
            null_mut()
        ));
    });
    let mut expected = content.clone();
    for y in 0..2 {
        for x in 0..3 {
            expected[y * 8 + x] = content[(y + 3) * 8 + x + 4];
        }
    }
    assert!(read(&rig, &to, 48, null()) == expected);
}

/// Kernels read images of each type.
#[test]
fn kernels_read() {
    let Some(rig) = Rig::executing() else { return };
    let module = rig.module("images");
    for (ty, extent, name) in SHAPES {
        let image = rig.image(&desc(ty, extent)).expect("zeImageCreate");
        let content = pixels(extent.iter().product());
        write(&rig, &image, &content, null());
        let (kernel, out) = (module.kernel(name), rig.shared(&vec![[0u32; 4]; content.len()]));
        kernel.group_size([1, 1, 1]);
        kernel.set(0, image.raw());
        kernel.set_ptr(1, out.ptr());
        rig.run(|list| list.launch(&kernel, extent, None, &[]));
        assert!(out.values::<[u32; 4]>() == content, "{name}");
    }
}

/// Kernels write images, and ask for their sizes.
#[test]
fn kernels_write() {
    let Some(rig) = Rig::executing() else { return };
    let (module, image) = (
        rig.module("images"),
        rig.image(&desc(ZE_IMAGE_TYPE_2D, [12, 7, 1])).expect("zeImageCreate"),
    );
    let (kernel, extents, out) = (
        module.kernel("write_2d"),
        module.kernel("extents"),
        rig.shared(&[0i32; 2]),
    );
    kernel.group_size([4, 1, 1]);
    kernel.set(0, image.raw());
    extents.set(0, image.raw());
    extents.set_ptr(1, out.ptr());
    rig.run(|list| {
        list.launch(&kernel, [3, 7, 1], None, &[]);
        list.launch(&extents, [1, 1, 1], None, &[]);
    });
    let expected: Vec<_> = (0..7).flat_map(|y| (0..12).map(move |x| [x, y, x + y, 7])).collect();
    assert!(read(&rig, &image, 84, null()) == expected);
    assert_eq!(out.values::<i32>(), [12, 7]);
}

/// ze_image_format_t: normalised bytes as a kernel reads them.
#[test]
fn formats() {
    let Some(rig) = Rig::executing() else { return };
    let kernel = rig.kernel("images", "read_float");
    let cases: [(ze_image_format_t, &[u8], [f32; 4]); 4] = [
        (
            format(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM),
            &[0, 51, 102, 255],
            [0.0, 0.2, 0.4, 1.0],
        ),
        (
            format(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_SNORM),
            &[0, 127, 129, 128],
            [0.0, 1.0, -1.0, -1.0],
        ),
        (
            format(ZE_IMAGE_FORMAT_LAYOUT_16_16, ZE_IMAGE_FORMAT_TYPE_UNORM),
            &[255, 255, 51, 51],
            [1.0, 0.2, 0.0, 1.0],
        ),
        (
            format(ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_FLOAT),
            &[0, 0, 0xc0, 0x3f],
            [1.5, 0.0, 0.0, 1.0],
        ),
    ];
    for (format, bytes, expected) in cases {
        let image = ze_image_desc_t {
            format,
            ..desc(ZE_IMAGE_TYPE_2D, [2, 2, 1])
        };
        let image = rig.image(&image).expect("zeImageCreate");
        let (usm, out) = (rig.shared(&bytes.repeat(4)), rig.shared(&[[9f32; 4]; 4]));
        kernel.group_size([2, 2, 1]);
        kernel.set(0, image.raw());
        kernel.set_ptr(1, out.ptr());
        rig.run(|list| {
            ok!(zeCommandListAppendImageCopyFromMemory(
                list.raw(),
                image.raw(),
                usm.ptr(),
                null(),
                null_mut(),
                0,
                null_mut()
            ));
            list.barrier(None, &[]);
            list.launch(&kernel, [1, 1, 1], None, &[]);
        });
        for pixel in out.values::<[f32; 4]>() {
            let close = pixel
                .iter()
                .zip(expected)
                .all(|(got, wanted)| (got - wanted).abs() < 1e-5);
            assert!(close, "{:?} {:?}: {pixel:?} {expected:?}", format.layout, format.type_);
        }
    }
}

/// zeSamplerCreate: of all modes; `MIRROR < addressMode` and `LINEAR < filterMode` are invalid enumerations.
#[test]
fn samplers() {
    let rig = Rig::new();
    for address in 0..5 {
        for filter in 0..2 {
            for normalized in [false, true] {
                let (address, filter) = (ze_sampler_address_mode_t(address), ze_sampler_filter_mode_t(filter));
                Sampler::new(&rig, address, filter, normalized);
            }
        }
    }
    let good = ze_sampler_desc_t::default();
    let address = ze_sampler_desc_t {
        addressMode: ze_sampler_address_mode_t(5),
        ..good
    };
    let filter = ze_sampler_desc_t {
        filterMode: ze_sampler_filter_mode_t(2),
        ..good
    };
    for bad in [address, filter] {
        expect!(
            zeSamplerCreate(rig.context.raw(), rig.device, &bad, &mut null_mut()),
            ZE_RESULT_ERROR_INVALID_ENUMERATION
        );
    }
}

/// Sampling: filters, and what is outside of the image.
#[test]
fn sampling() {
    let Some(rig) = Rig::executing() else { return };
    let image = ze_image_desc_t {
        format: format(ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, ZE_IMAGE_FORMAT_TYPE_FLOAT),
        ..desc(ZE_IMAGE_TYPE_2D, [4, 1, 1])
    };
    let image = rig.image(&image).expect("zeImageCreate");
    let content: Vec<[u32; 4]> = [10.0f32, 20.0, 30.0, 40.0]
        .iter()
        .map(|value| [value.to_bits(); 4])
        .collect();
    write(&rig, &image, &content, null());
    let kernel = rig.kernel("images", "sample");
    let sample = |address, filter, normalized, at: &[f32]| -> Vec<f32> {
        let sampler = Sampler::new(&rig, address, filter, normalized);
        let points: Vec<f32> = at.iter().flat_map(|x| [*x, 0.5]).collect();
        let (points, out) = (rig.shared(&points), rig.shared(&vec![[0f32; 4]; at.len()]));
        kernel.set(0, image.raw());
        kernel.set(1, sampler.raw());
        kernel.set_ptr(2, points.ptr());
        kernel.set_ptr(3, out.ptr());
        kernel.group_size([1, 1, 1]);
        rig.run(|list| list.launch(&kernel, [at.len() as u32, 1, 1], None, &[]));
        out.values::<[f32; 4]>().iter().map(|pixel| pixel[0]).collect()
    };
    let (nearest, linear) = (ZE_SAMPLER_FILTER_MODE_NEAREST, ZE_SAMPLER_FILTER_MODE_LINEAR);
    let clamp = ZE_SAMPLER_ADDRESS_MODE_CLAMP;
    assert_eq!(sample(clamp, nearest, false, &[0.5, 1.2, 3.9]), [10.0, 20.0, 40.0]);
    assert_eq!(sample(clamp, nearest, false, &[-3.0, 9.0]), [10.0, 40.0]);
    assert_eq!(sample(clamp, nearest, true, &[0.1, 0.3, 0.9]), [10.0, 20.0, 40.0]);
    assert_eq!(sample(clamp, linear, false, &[1.0, 1.5, 2.25]), [15.0, 20.0, 27.5]);
    let border = ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    assert_eq!(sample(border, nearest, false, &[-3.0, 1.5, 9.0]), [0.0, 20.0, 0.0]);
    let repeat = ZE_SAMPLER_ADDRESS_MODE_REPEAT;
    assert_eq!(sample(repeat, nearest, true, &[1.1, -0.1, 2.3]), [10.0, 40.0, 20.0]);
    let mirror = ZE_SAMPLER_ADDRESS_MODE_MIRROR;
    assert_eq!(sample(mirror, nearest, true, &[1.1, -0.1, 0.3]), [40.0, 10.0, 20.0]);
}

/// zeKernelSetArgumentValue: an image argument has the size of a handle.
#[test]
fn argument_size() {
    let rig = Rig::new();
    let (kernel, image) = (
        rig.kernel("images", "read_2d"),
        rig.image(&desc(ZE_IMAGE_TYPE_2D, [4, 4, 1])),
    );
    let image = image.expect("zeImageCreate").raw();
    expect!(
        zeKernelSetArgumentValue(kernel.raw(), 0, 4, (&raw const image).cast()),
        ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
        intel crash, "the driver reads a handle"
    );
}

/// zeCommandListAppendImageCopyToMemoryExt, zeCommandListAppendImageCopyFromMemoryExt: with pitches.
#[test]
fn pitches() {
    let Some(rig) = Rig::executing() else { return };
    let image = rig.image(&desc(ZE_IMAGE_TYPE_2D, [4, 3, 1])).expect("zeImageCreate");
    let (from, to) = (rig.shared(&pixels(30)), rig.shared(&[[1u32; 4]; 30]));
    let whole = region([0; 3], [4, 3, 1]);
    rig.run(|list| {
        let (row, slice) = (10 * 16, 30 * 16);
        ok!(zeCommandListAppendImageCopyFromMemoryExt(
            list.raw(),
            image.raw(),
            from.ptr(),
            &whole,
            row,
            slice,
            null_mut(),
            0,
            null_mut()
        ));
        list.barrier(None, &[]);
        ok!(zeCommandListAppendImageCopyToMemoryExt(
            list.raw(),
            to.ptr(),
            image.raw(),
            &whole,
            row,
            slice,
            null_mut(),
            0,
            null_mut()
        ));
    });
    for (index, (got, source)) in to.values::<[u32; 4]>().iter().zip(pixels(30)).enumerate() {
        assert_eq!(*got, if index % 10 < 4 { source } else { [1; 4] }, "{index}");
    }
}

/// ZE_experimental_bindless_image: zeImageGetDeviceOffsetExp gives a number for an image that was made with the flag BINDLESS,
/// or a view of it. A sampled one has its sampler in the chain.
#[test]
fn bindless() {
    let rig = Rig::new();
    let is_there = has_extension(&rig, ZE_BINDLESS_IMAGE_EXP_NAME);
    if !is_there {
        return println!("the driver has no bindless images");
    }
    let mut sampler = ze_sampler_desc_t::default();
    let with = |flags, next: *mut c_void, plain: &ze_image_desc_t| {
        let bindless = Box::new(ze_image_bindless_exp_desc_t {
            flags,
            pNext: next,
            ..Default::default()
        });
        let mut described = *plain;
        described.pNext = (&raw const *bindless).cast();
        // The caller uses the description while the test runs.
        std::mem::forget(bindless);
        described
    };
    let plain = desc(ZE_IMAGE_TYPE_2D, [8, 4, 1]);
    let sampled = ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS | ZE_IMAGE_BINDLESS_EXP_FLAG_SAMPLED_IMAGE;
    let image = rig
        .image(&with(ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS, null_mut(), &plain))
        .expect("zeImageCreate");
    let offset = |image| {
        let mut offset = 0;
        ok!(zeImageGetDeviceOffsetExp(image, &mut offset));
        offset
    };
    let first = offset(image.raw());
    assert_ne!(first, 0);
    assert_eq!(offset(image.raw()), first, "it stays");
    let view = |described: &ze_image_desc_t| {
        let mut view = null_mut();
        ok!(zeImageViewCreateExt(
            rig.context.raw(),
            rig.device,
            described,
            image.raw(),
            &mut view
        ));
        view
    };
    let views = [
        view(&with(ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS, null_mut(), &plain)),
        view(&with(sampled, (&raw mut sampler).cast(), &plain)),
    ];
    let offsets = views.map(offset);
    assert!(
        offsets[0] != offsets[1] && !offsets.contains(&first),
        "each has its own"
    );
    for view in views {
        ok!(zeImageDestroy(view));
    }
    // Pixels of the image are those of its views.
    write(&rig, &image, &pixels(32), null());
    assert_eq!(read(&rig, &image, 32, null()), pixels(32));
    // What is wrong.
    let create = |described: &ze_image_desc_t| rig.image(described).map(|_| ());
    assert_eq!(
        create(&with(4, null_mut(), &plain)),
        Err(ZE_RESULT_ERROR_INVALID_ENUMERATION)
    );
    assert_eq!(
        create(&with(sampled, null_mut(), &plain)),
        Err(ZE_RESULT_ERROR_INVALID_ARGUMENT)
    );
    let other = rig.image(&plain).expect("zeImageCreate");
    expect!(
        zeImageGetDeviceOffsetExp(other.raw(), &mut 0),
        ZE_RESULT_ERROR_INVALID_ARGUMENT
    );
    expect!(
        zeImageGetDeviceOffsetExp(image.raw(), null_mut()),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
    expect!(
        zeImageGetDeviceOffsetExp(null_mut(), &mut 0),
        ZE_RESULT_ERROR_INVALID_NULL_HANDLE
    );
}
