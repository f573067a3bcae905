// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Image copies, as copies of rows of bytes.

use std::ffi::c_void;

use kit::ur::{ImageFormat, RectOffset, RectRegion, ResultCode};
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::bytes::{CopyRows, Extent, Layout};

use crate::Mem;

/// The extent and layout of a box in an image, and the image's format.
fn image_region(image: &Mem, origin: RectOffset, region: RectRegion) -> UrResult<(Extent, Layout, ImageFormat)> {
    let part = image.image_box(origin, region)?;
    let layout = Layout {
        at: image.data().wrapping_add(part.offset),
        row_pitch: part.row_pitch,
        slice_pitch: part.slice_pitch,
    };
    let extent = Extent {
        width: part.row,
        height: part.rows,
        depth: part.slices,
    };
    Ok((extent, layout, part.format))
}

/// The layout of the same box in the client's memory. A pitch of zero means tightly packed rows or slices.
fn host_layout(image: &Mem, at: *mut c_void, extent: Extent, row_pitch: usize, slice_pitch: usize) -> UrResult<Layout> {
    let layers = image
        .image()
        .is_some_and(|image| image.dimensions == 1 && image.is_array != 0);
    // In an array of 1D images, a layer is a row, and OpenCL calls the distance between layers the slice pitch.
    let row = match (layers, row_pitch, slice_pitch) {
        (true, 0, 0) | (false, 0, _) => extent.width,
        (true, row, 0) | (false, row, _) => row,
        (true, _, slice) => slice,
    };
    let slice = if slice_pitch == 0 || layers {
        row.saturating_mul(extent.height)
    } else {
        slice_pitch
    };
    if row < extent.width || slice < row.saturating_mul(extent.height) || slice.checked_mul(extent.depth).is_none() {
        return Err(UrError::with_message(
            ResultCode::ERROR_INVALID_SIZE,
            format!("{extent:?} in bytes does not fit a row pitch of {row} and a slice pitch of {slice} bytes"),
        ));
    }
    Ok(Layout {
        at: at.cast(),
        row_pitch: row,
        slice_pitch: slice,
    })
}

/// Checks that two images have the same format: copies do not convert pixels.
fn check_formats(a: ImageFormat, b: ImageFormat) -> UrResult<()> {
    if (a.channelOrder, a.channelType) == (b.channelOrder, b.channelType) {
        return Ok(());
    }
    Err(UrError::with_message(
        ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        format!("an image copy cannot convert {a:?} to {b:?}"),
    ))
}

/// The copy from an image to client memory.
pub(super) fn read(
    image: &Mem,
    origin: RectOffset,
    region: RectRegion,
    row_pitch: usize,
    slice_pitch: usize,
    dst: *mut c_void,
) -> UrResult<CopyRows> {
    let (extent, src, _) = image_region(image, origin, region)?;
    let dst = host_layout(image, dst, extent, row_pitch, slice_pitch)?;
    Ok(CopyRows { dst, src, extent })
}

/// The copy from client memory to an image.
pub(super) fn write(
    image: &Mem,
    origin: RectOffset,
    region: RectRegion,
    row_pitch: usize,
    slice_pitch: usize,
    src: *const c_void,
) -> UrResult<CopyRows> {
    let (extent, dst, _) = image_region(image, origin, region)?;
    let src = host_layout(image, src.cast_mut(), extent, row_pitch, slice_pitch)?;
    Ok(CopyRows { dst, src, extent })
}

/// The copy from one image to another.
pub(super) fn copy(
    src: &Mem,
    dst: &Mem,
    src_origin: RectOffset,
    dst_origin: RectOffset,
    region: RectRegion,
) -> UrResult<CopyRows> {
    let (extent, from, from_format) = image_region(src, src_origin, region)?;
    let (_, to, to_format) = image_region(dst, dst_origin, region)?;
    check_formats(from_format, to_format)?;
    Ok(CopyRows {
        dst: to,
        src: from,
        extent,
    })
}
