// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images and samplers.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use level_zero_sys::*;

use crate::common::{Setup, call, ok};

/// A plane of four bytes a pixel.
fn plane(width: u64, height: u32) -> ze_image_desc_t {
    ze_image_desc_t {
        type_: ZE_IMAGE_TYPE_2D,
        format: ze_image_format_t {
            layout: ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8,
            type_: ZE_IMAGE_FORMAT_TYPE_UNORM,
            x: ZE_IMAGE_FORMAT_SWIZZLE_R,
            y: ZE_IMAGE_FORMAT_SWIZZLE_G,
            z: ZE_IMAGE_FORMAT_SWIZZLE_B,
            w: ZE_IMAGE_FORMAT_SWIZZLE_A,
        },
        width,
        height,
        ..Default::default()
    }
}

fn with_layout(layout: ze_image_format_layout_t, kind: ze_image_format_type_t) -> ze_image_desc_t {
    let desc = plane(8, 4);
    ze_image_desc_t {
        format: ze_image_format_t {
            layout,
            type_: kind,
            ..desc.format
        },
        ..desc
    }
}

fn create(setup: &Setup, desc: &ze_image_desc_t) -> Result<ze_image_handle_t, ze_result_t> {
    let mut image = null_mut();
    call!(zeImageCreate(setup.context, setup.device, desc, &mut image)).ok()?;
    Ok(image)
}

fn view(setup: &Setup, desc: &ze_image_desc_t, image: ze_image_handle_t) -> Result<ze_image_handle_t, ze_result_t> {
    let mut made = null_mut();
    call!(zeImageViewCreateExt(
        setup.context,
        setup.device,
        desc,
        image,
        &mut made
    ))
    .ok()?;
    Ok(made)
}

/// The size and the pitches of an image.
fn memory_of(image: ze_image_handle_t) -> [u64; 3] {
    let mut properties = ze_image_memory_properties_exp_t::default();
    ok!(zeImageGetMemoryPropertiesExp(image, &mut properties));
    [properties.size, properties.rowPitch, properties.slicePitch]
}

fn id_of(setup: &Setup, image: ze_image_handle_t) -> u64 {
    let mut properties = ze_image_allocation_ext_properties_t::default();
    ok!(zeImageGetAllocPropertiesExt(setup.context, image, &mut properties));
    properties.id
}

#[test]
fn kinds() {
    let setup = Setup::new();
    let mut ids = Vec::new();
    for (kind, size, levels, expected) in [
        (ZE_IMAGE_TYPE_1D, [10, 0, 0], 0, [40, 40, 40]),
        (ZE_IMAGE_TYPE_1DARRAY, [10, 0, 0], 3, [120, 40, 40]),
        (ZE_IMAGE_TYPE_2D, [10, 4, 0], 7, [160, 40, 160]),
        (ZE_IMAGE_TYPE_2DARRAY, [10, 4, 0], 3, [480, 40, 160]),
        (ZE_IMAGE_TYPE_3D, [10, 4, 2], 0, [320, 40, 160]),
    ] {
        let desc = ze_image_desc_t {
            type_: kind,
            depth: size[2],
            arraylevels: levels,
            ..plane(size[0].into(), size[1])
        };
        let image = create(&setup, &desc).unwrap();
        assert_eq!(memory_of(image), expected, "{kind:?}");
        ids.push(id_of(&setup, image));
        ok!(zeContextMakeImageResident(setup.context, setup.device, image));
        ok!(zeContextEvictImage(setup.context, setup.device, image));
        ok!(zeImageDestroy(image));
        assert_eq!(call!(zeImageDestroy(image)), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 5, "each has its own number");
}

#[test]
fn what_is_refused() {
    let setup = Setup::new();
    let invalid = ZE_RESULT_ERROR_INVALID_ARGUMENT;
    let kind = |kind, desc| ze_image_desc_t { type_: kind, ..desc };
    for (desc, expected) in [
        (plane(0, 4), invalid),
        (plane(4, 0), invalid),
        (plane(u64::MAX, 4), invalid),
        (plane(4, u32::MAX), invalid),
        (kind(ZE_IMAGE_TYPE_3D, plane(4, 4)), invalid),
        (kind(ZE_IMAGE_TYPE_2DARRAY, plane(4, 4)), invalid),
        (
            kind(ze_image_type_t(6), plane(4, 4)),
            ZE_RESULT_ERROR_INVALID_ENUMERATION,
        ),
        (
            kind(ZE_IMAGE_TYPE_BUFFER, plane(4, 4)),
            ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
        ),
        (
            ze_image_desc_t {
                flags: 4,
                ..plane(4, 4)
            },
            ZE_RESULT_ERROR_INVALID_ENUMERATION,
        ),
        (
            ze_image_desc_t {
                miplevels: 2,
                ..plane(4, 4)
            },
            invalid,
        ),
        (
            with_layout(ZE_IMAGE_FORMAT_LAYOUT_NV12, ZE_IMAGE_FORMAT_TYPE_UINT),
            ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
        ),
        (
            with_layout(ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_FLOAT),
            ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
        ),
        (
            with_layout(ze_image_format_layout_t(99), ZE_IMAGE_FORMAT_TYPE_FLOAT),
            ZE_RESULT_ERROR_INVALID_ENUMERATION,
        ),
        (
            ze_image_desc_t {
                depth: 2048,
                type_: ZE_IMAGE_TYPE_3D,
                ..plane(2048, 2048)
            },
            ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
        ),
    ] {
        assert_eq!(create(&setup, &desc), Err(expected), "{desc:?}");
    }
    let mut image = null_mut();
    let (context, device) = (setup.context, setup.device);
    let bad = |context, device, desc, image| call!(zeImageCreate(context, device, desc, image));
    let null_handle = ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    assert_eq!(bad(null_mut(), device, &plane(4, 4), &mut image), null_handle);
    assert_eq!(bad(context, null_mut(), &plane(4, 4), &mut image), null_handle);
    assert_eq!(
        bad(context, device, null(), &mut image),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
    assert_eq!(
        bad(context, device, &plane(4, 4), null_mut()),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    );
}

#[test]
fn properties() {
    let setup = Setup::new();
    let filters = |desc: &ze_image_desc_t| {
        let mut support = ze_image_format_support_ext_properties_t::default();
        let mut properties = ze_image_properties_t {
            pNext: (&raw mut support).cast(),
            ..Default::default()
        };
        ok!(zeImageGetProperties(setup.device, desc, &mut properties));
        (properties.samplerFilterFlags, support.supported)
    };
    let (point, linear) = (ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT, ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR);
    assert_eq!(filters(&plane(4, 4)), (point | linear, 1));
    let words = with_layout(ZE_IMAGE_FORMAT_LAYOUT_32_32, ZE_IMAGE_FORMAT_TYPE_SINT);
    assert_eq!(filters(&words), (point, 1));
    let video = with_layout(ZE_IMAGE_FORMAT_LAYOUT_YUYV, ZE_IMAGE_FORMAT_TYPE_UINT);
    assert_eq!(filters(&video), (0, 0));
    let wrong = ze_image_desc_t {
        flags: 4,
        ..plane(4, 4)
    };
    assert_eq!(
        call!(zeImageGetProperties(setup.device, &wrong, &mut Default::default())),
        ZE_RESULT_ERROR_INVALID_ENUMERATION
    );
}

#[test]
fn views_and_linear_memory() {
    let setup = Setup::new();
    let image = create(&setup, &plane(8, 4)).unwrap();
    // Each pixel as a word; and half of the pixels, of which each is twice as large.
    let words = with_layout(ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_UINT);
    let pairs = ze_image_desc_t {
        width: 4,
        ..with_layout(ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16, ZE_IMAGE_FORMAT_TYPE_UINT)
    };
    for desc in [words, pairs] {
        let made = view(&setup, &desc, image).unwrap();
        assert_eq!(memory_of(made), memory_of(image));
        assert_eq!(id_of(&setup, made), id_of(&setup, image));
        ok!(zeImageDestroy(made));
    }
    assert_eq!(view(&setup, &plane(8, 5), image), Err(ZE_RESULT_ERROR_INVALID_ARGUMENT));
    assert_eq!(view(&setup, &plane(9, 4), image), Err(ZE_RESULT_ERROR_INVALID_ARGUMENT));
    let other = Setup::new();
    assert_eq!(view(&other, &words, image), Err(ZE_RESULT_ERROR_INVALID_ARGUMENT));
    // A view outlives its image here.
    let made = view(&setup, &words, image).unwrap();
    ok!(zeImageDestroy(image));
    assert_eq!(view(&setup, &words, image), Err(ZE_RESULT_ERROR_INVALID_ARGUMENT));
    ok!(zeImageDestroy(made));

    let mut pitch = 0;
    ok!(zeMemGetPitchFor2dImage(
        setup.context,
        setup.device,
        10,
        4,
        4,
        &mut pitch
    ));
    let memory = setup.device_memory(pitch * 4, 0).unwrap();
    let pitched = |memory: *mut c_void, custom: Option<usize>| {
        let custom_desc = ze_custom_pitch_exp_desc_t {
            rowPitch: custom.unwrap_or(0),
            ..Default::default()
        };
        let desc = ze_image_pitched_exp_desc_t {
            pNext: if custom.is_some() {
                (&raw const custom_desc).cast()
            } else {
                null()
            },
            ptr: memory,
            ..Default::default()
        };
        let desc = ze_image_desc_t {
            pNext: (&raw const desc).cast(),
            ..plane(10, 4)
        };
        create(&setup, &desc)
    };
    let linear = pitched(memory, None).unwrap();
    assert_eq!(memory_of(linear)[1], pitch as u64);
    assert_eq!(id_of(&setup, linear), setup.properties(memory).1);
    ok!(zeImageDestroy(linear));
    let custom = pitched(memory, Some(48)).unwrap();
    assert_eq!(memory_of(custom)[1], 48);
    ok!(zeImageDestroy(custom));
    assert_eq!(
        pitched(memory, Some(39)),
        Err(ZE_RESULT_ERROR_INVALID_ARGUMENT),
        "shorter than a row"
    );
    assert_eq!(pitched(memory, Some(usize::MAX)), Err(ZE_RESULT_ERROR_INVALID_ARGUMENT));
    assert_eq!(pitched(memory, Some(pitch + 64)), Err(ZE_RESULT_ERROR_INVALID_ARGUMENT));
    assert_eq!(
        pitched(memory.wrapping_byte_add(128), None),
        Err(ZE_RESULT_ERROR_INVALID_ARGUMENT)
    );
    assert_eq!(pitched(null_mut(), None), Err(ZE_RESULT_ERROR_INVALID_ARGUMENT));
    setup.free(memory);
}

#[test]
fn exported_pixels() {
    let setup = Setup::new();
    let exportable = ze_external_memory_export_desc_t {
        flags: ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
        ..Default::default()
    };
    let desc = ze_image_desc_t {
        pNext: (&raw const exportable).cast(),
        ..plane(64, 64)
    };
    let image = create(&setup, &desc).unwrap();
    let mut export = ze_external_memory_export_fd_t {
        flags: ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
        ..Default::default()
    };
    let mut properties = ze_image_allocation_ext_properties_t {
        pNext: (&raw mut export).cast(),
        ..Default::default()
    };
    ok!(zeImageGetAllocPropertiesExt(setup.context, image, &mut properties));
    let import = |size| {
        let import = ze_external_memory_import_fd_t {
            flags: ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
            fd: export.fd,
            ..Default::default()
        };
        let desc = ze_image_desc_t {
            pNext: (&raw const import).cast(),
            ..plane(64, size)
        };
        create(&setup, &desc)
    };
    let mut external = ze_device_external_memory_properties_t::default();
    ok!(zeDeviceGetExternalMemoryProperties(setup.device, &mut external));
    assert_ne!(external.imageImportTypes & ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD, 0);
    let imported = import(64).unwrap();
    assert_eq!(import(65), Err(ZE_RESULT_ERROR_INVALID_ARGUMENT));
    ok!(zeImageDestroy(imported));
    ok!(zeImageDestroy(image));
}

#[test]
fn samplers() {
    let setup = Setup::new();
    let create = |desc: &ze_sampler_desc_t| {
        let mut sampler = null_mut();
        call!(zeSamplerCreate(setup.context, setup.device, desc, &mut sampler))
            .ok()
            .map(|()| sampler)
    };
    let desc = ze_sampler_desc_t {
        addressMode: ZE_SAMPLER_ADDRESS_MODE_MIRROR,
        filterMode: ZE_SAMPLER_FILTER_MODE_LINEAR,
        isNormalized: 1,
        ..Default::default()
    };
    let sampler = create(&desc).unwrap();
    ok!(zeSamplerDestroy(sampler));
    assert_eq!(call!(zeSamplerDestroy(sampler)), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    for wrong in [
        ze_sampler_desc_t {
            addressMode: ze_sampler_address_mode_t(5),
            ..desc
        },
        ze_sampler_desc_t {
            filterMode: ze_sampler_filter_mode_t(2),
            ..desc
        },
    ] {
        assert_eq!(create(&wrong), Err(ZE_RESULT_ERROR_INVALID_ENUMERATION));
    }
}
