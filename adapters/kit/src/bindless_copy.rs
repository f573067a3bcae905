// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a copy of bindless images copies, for drivers that copy boxes of pixels or of bytes.

use std::ffi::c_void;

use oxur_api::{ImageFormat, MemType, RectOffset, RectRegion};

use crate::{BindlessCopy, BindlessSide, BoxSide, UrResult};

/// The box of a [`BindlessCopy`]. In UR it counts bytes in a row, as all boxes do.
#[derive(Clone, Copy, Debug)]
pub struct BindlessBox {
    /// Bytes, rows and slices: at least one of each.
    pub bytes: RectRegion,
    /// The bytes of a pixel.
    pub pixel: usize,
}

impl BindlessBox {
    /// The box of a copy. `pixel` knows the bytes of a pixel, if the device has the format.
    pub fn new(copy: &BindlessCopy<'_>, pixel: impl Fn(&ImageFormat) -> Option<usize>) -> UrResult<Self> {
        let [from, to] = [copy.src.image.format, copy.dst.image.format];
        let (Some(pixel), Some(other)) = (pixel(from), pixel(to)) else {
            crate::bail!(ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR: "the device lacks one of the formats {from:?} and {to:?}");
        };
        if pixel != other {
            crate::bail!(
                ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR: "a copy does not convert pixels of {pixel} bytes to {other} bytes"
            );
        }
        let extent = copy.region.copyExtent;
        for x in [extent.width, copy.region.srcOffset.x, copy.region.dstOffset.x] {
            if !x.is_multiple_of(pixel as u64) {
                crate::bail!(ERROR_INVALID_IMAGE_SIZE: "{x} bytes are no whole number of pixels of {pixel} bytes");
            }
        }
        // Dimensions that an image does not have may be 0.
        let bytes = RectRegion {
            height: extent.height.max(1),
            depth: extent.depth.max(1),
            ..extent
        };
        Ok(Self { bytes, pixel })
    }

    /// Where the box is in the memory of one side, from an offset on.
    pub fn in_memory(&self, side: &BindlessSide<'_>, address: *mut c_void, offset: RectOffset) -> BoxSide {
        let desc = side.image.desc;
        let or = |number: usize, other: usize| if number == 0 { other } else { number };
        let row_pitch = or(desc.rowPitch, or(desc.width * self.pixel, self.bytes.width as usize));
        let slice_pitch = or(desc.slicePitch, row_pitch * or(desc.height, self.bytes.height as usize));
        let at = offset.x as usize + offset.y as usize * row_pitch + offset.z as usize * slice_pitch;
        BoxSide {
            address: address.addr() + at,
            origin: [0; 3],
            row_pitch,
            slice_pitch,
        }
    }

    /// The box in pixels, in an image of this type. The layers of an array of rows are its rows, as in OpenCL and Level Zero;
    /// SYCL counts them as slices.
    pub fn in_image(&self, kind: MemType, offset: RectOffset) -> (RectOffset, RectRegion) {
        let pixel = self.pixel as u64;
        let (x, width) = (offset.x / pixel, self.bytes.width / pixel);
        let RectRegion { height, depth, .. } = self.bytes;
        let (y, z) = (offset.y, offset.z);
        match kind {
            MemType::IMAGE1D_ARRAY if y == 0 && height == 1 => (
                RectOffset { x, y: z, z: 0 },
                RectRegion {
                    width,
                    height: depth,
                    depth: 1,
                },
            ),
            _ => (RectOffset { x, y, z }, RectRegion { width, height, depth }),
        }
    }
}
