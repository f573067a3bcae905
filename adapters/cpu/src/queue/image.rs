// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Boxes of pixels, as rows of bytes.

use std::ffi::c_void;

use kit::ur::{ImageFormat, RectOffset, RectRegion, ResultCode};
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;

use super::memory::{CopyRows, Extent, Layout};
use crate::Mem;

/// A box in an image, and what its pixels are.
fn part(image: &Mem, origin: RectOffset, region: RectRegion) -> UrResult<(Extent, Layout, ImageFormat)> {
    let part = image.image_box(origin, region)?;
    let layout = Layout {
        at: image.data().wrapping_add(part.offset),
        row_pitch: part.row_pitch,
        slice_pitch: part.slice_pitch,
    };
    let shape = Extent {
        width: part.row,
        height: part.rows,
        depth: part.slices,
    };
    Ok((shape, layout, part.format))
}

/// The same box in the host's memory. Pitches of zero mean that rows and slices follow each other without gaps.
fn host(image: &Mem, at: *mut c_void, shape: Extent, row_pitch: usize, slice_pitch: usize) -> UrResult<Layout> {
    let layers = image
        .image()
        .is_some_and(|image| image.dimensions == 1 && image.is_array != 0);
    // The layers of an array of lines are its rows, and what is between them is called the slice pitch.
    let row = match (layers, row_pitch, slice_pitch) {
        (true, 0, 0) | (false, 0, _) => shape.width,
        (true, row, 0) | (false, row, _) => row,
        (true, _, slice) => slice,
    };
    let slice = if slice_pitch == 0 || layers {
        row.saturating_mul(shape.height)
    } else {
        slice_pitch
    };
    if row < shape.width || slice < row.saturating_mul(shape.height) || slice.checked_mul(shape.depth).is_none() {
        return Err(UrError::with_message(
            ResultCode::ERROR_INVALID_SIZE,
            format!("{shape:?} in bytes does not fit in rows that are {row} and slices that are {slice} bytes apart"),
        ));
    }
    Ok(Layout {
        at: at.cast(),
        row_pitch: row,
        slice_pitch: slice,
    })
}

/// Checks that pixels of one image are pixels of the other.
fn check_formats(a: ImageFormat, b: ImageFormat) -> UrResult<()> {
    if (a.channelOrder, a.channelType) == (b.channelOrder, b.channelType) {
        return Ok(());
    }
    Err(UrError::with_message(
        ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        format!("pixels are not copied between images of {a:?} and of {b:?}"),
    ))
}

/// What copies from an image to the host.
pub(super) fn read(
    image: &Mem,
    origin: RectOffset,
    region: RectRegion,
    row_pitch: usize,
    slice_pitch: usize,
    dst: *mut c_void,
) -> UrResult<CopyRows> {
    let (shape, src, _) = part(image, origin, region)?;
    let dst = host(image, dst, shape, row_pitch, slice_pitch)?;
    Ok(CopyRows { dst, src, shape })
}

/// What copies from the host to an image.
pub(super) fn write(
    image: &Mem,
    origin: RectOffset,
    region: RectRegion,
    row_pitch: usize,
    slice_pitch: usize,
    src: *const c_void,
) -> UrResult<CopyRows> {
    let (shape, dst, _) = part(image, origin, region)?;
    let src = host(image, src.cast_mut(), shape, row_pitch, slice_pitch)?;
    Ok(CopyRows { dst, src, shape })
}

/// What copies from one image to another.
pub(super) fn copy(
    src: &Mem,
    dst: &Mem,
    src_origin: RectOffset,
    dst_origin: RectOffset,
    region: RectRegion,
) -> UrResult<CopyRows> {
    let (shape, from, from_format) = part(src, src_origin, region)?;
    let (_, to, to_format) = part(dst, dst_origin, region)?;
    check_formats(from_format, to_format)?;
    Ok(CopyRows {
        dst: to,
        src: from,
        shape,
    })
}
