// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Copies of images, which command lists append.

use std::ptr::null_mut;
use std::sync::Arc;

use level_zero_sys::*;
use oxur_device_cpu::bytes::{ByteOp, CopyRows};

use super::*;
use crate::Driver;

fn context() -> (Arc<Context>, Arc<Device>) {
    let (driver, handle) = Driver::get();
    let mut context = null_mut();
    // SAFETY: the driver's handle, and a place for that of the context.
    unsafe {
        let result = crate::context::zeContextCreate(handle, &ze_context_desc_t::default(), &mut context);
        assert_eq!(result, ZE_RESULT_SUCCESS);
        (object::<Context>(context).unwrap().clone(), driver.devices[0].clone())
    }
}

/// An image of four bytes a pixel.
fn image(kind: ze_image_type_t, size: [u32; 3], levels: u32) -> Image {
    let (context, device) = context();
    let desc = ze_image_desc_t {
        type_: kind,
        format: ze_image_format_t {
            layout: ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8,
            type_: ZE_IMAGE_FORMAT_TYPE_UINT,
            x: ZE_IMAGE_FORMAT_SWIZZLE_R,
            y: ZE_IMAGE_FORMAT_SWIZZLE_G,
            z: ZE_IMAGE_FORMAT_SWIZZLE_B,
            w: ZE_IMAGE_FORMAT_SWIZZLE_A,
        },
        width: size[0].into(),
        height: size[1],
        depth: size[2],
        arraylevels: levels,
        ..Default::default()
    };
    // SAFETY: a descriptor without a chain.
    unsafe { create(&context, &device, &desc) }.unwrap()
}

fn region(origin: [u32; 3], size: [u32; 3]) -> ze_image_region_t {
    ze_image_region_t {
        originX: origin[0],
        originY: origin[1],
        originZ: origin[2],
        width: size[0],
        height: size[1],
        depth: size[2],
    }
}

fn run(copy: ZeResult<CopyRows>) {
    let copy = copy.unwrap();
    // SAFETY: the tests below have the memory.
    unsafe { copy.run(0..copy.blocks()) };
}

#[test]
fn there_and_back() {
    for (kind, size, levels, pixels) in [
        (ZE_IMAGE_TYPE_1D, [30, 0, 0], 0, 30),
        (ZE_IMAGE_TYPE_1DARRAY, [10, 9, 9], 3, 30),
        (ZE_IMAGE_TYPE_2D, [5, 6, 0], 0, 30),
        (ZE_IMAGE_TYPE_2DARRAY, [5, 3, 9], 2, 30),
        (ZE_IMAGE_TYPE_3D, [5, 3, 2], 9, 30),
    ] {
        let (first, second) = (image(kind, size, levels), image(kind, size, levels));
        let from: Vec<u32> = (0..pixels).collect();
        let mut to = vec![0u32; pixels as usize];
        run(first.copy_from_memory(None, from.as_ptr().cast(), 0, 0));
        run(second.copy_from_image(None, &first, None));
        run(second.copy_to_memory(None, to.as_mut_ptr().cast(), 0, 0));
        assert_eq!(from, to, "{kind:?}");
        assert_eq!(first.descriptor().data, first.data());
    }
}

#[test]
fn regions() {
    let plane = image(ZE_IMAGE_TYPE_2D, [4, 4, 1], 0);
    let from: Vec<u32> = (0..16).collect();
    run(plane.copy_from_memory(None, from.as_ptr().cast(), 0, 0));
    let mut to = [0u32; 6];
    let part = region([1, 2, 0], [2, 2, 0]);
    run(plane.copy_to_memory(Some(&part), to.as_mut_ptr().cast(), 12, 0));
    assert_eq!(to, [9, 10, 0, 13, 14, 0]);
    // A copy inside of an image.
    run(plane.copy_from_image(Some(&region([0, 0, 0], [2, 2, 1])), &plane, Some(&part)));
    run(plane.copy_to_memory(Some(&region([0, 0, 0], [3, 2, 1])), to.as_mut_ptr().cast(), 0, 0));
    assert_eq!(to, [9, 10, 2, 13, 14, 6]);
    let code = |copy: ZeResult<CopyRows>| copy.map(drop).map_err(|error| error.code());
    let overlap = plane.copy_from_image(Some(&region([2, 1, 0], [2, 2, 1])), &plane, Some(&part));
    assert_eq!(code(overlap), Err(ZE_RESULT_ERROR_OVERLAPPING_REGIONS));
    let invalid = Err(ZE_RESULT_ERROR_INVALID_ARGUMENT);
    for wrong in [
        region([3, 0, 0], [2, 1, 1]),
        region([0, 0, 1], [1, 1, 1]),
        region([u32::MAX, 0, 0], [2, 1, 1]),
        region([0, 0, 0], [0, 1, 1]),
    ] {
        assert_eq!(
            code(plane.copy_to_memory(Some(&wrong), to.as_mut_ptr().cast(), 0, 0)),
            invalid
        );
        assert_eq!(code(plane.copy_from_image(Some(&part), &plane, Some(&wrong))), invalid);
    }
    let narrow = plane.copy_to_memory(Some(&part), to.as_mut_ptr().cast(), 7, 0);
    assert_eq!(code(narrow), invalid);
    let larger = image(ZE_IMAGE_TYPE_2D, [5, 4, 1], 0);
    assert_eq!(code(larger.copy_from_image(None, &plane, None)), invalid);
}
