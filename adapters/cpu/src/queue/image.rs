// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Image copies, as copies of rows of bytes.

use std::ffi::c_void;

use kit::ur::{RectOffset, RectRegion};
use kit::{ImageRect, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::bytes::CopyRows;

use crate::Mem;
use crate::device_error;
use crate::mem::image_region;

/// The copy from an image to client memory.
pub(super) fn read(image: &Mem, rect: &ImageRect, dst: *mut c_void) -> UrResult<CopyRows> {
    let region = image_region(rect.origin, rect.region);
    let shape = image.image_shape()?;
    let copy = shape.copy_to(&region, dst.cast(), rect.row_pitch, rect.slice_pitch);
    copy.map_err(device_error::image)
}

/// The copy from client memory to an image.
pub(super) fn write(image: &Mem, rect: &ImageRect, src: *const c_void) -> UrResult<CopyRows> {
    let region = image_region(rect.origin, rect.region);
    let shape = image.image_shape()?;
    let copy = shape.copy_from(&region, src.cast(), rect.row_pitch, rect.slice_pitch);
    copy.map_err(device_error::image)
}

/// The copy from one image to another.
pub(super) fn copy(
    src: &Mem,
    dst: &Mem,
    src_origin: RectOffset,
    dst_origin: RectOffset,
    region: RectRegion,
) -> UrResult<CopyRows> {
    let (from, to) = (image_region(src_origin, region), image_region(dst_origin, region));
    let copy = src.image_shape()?.copy_to_image(&from, dst.image_shape()?, &to);
    copy.map_err(device_error::image)
}
