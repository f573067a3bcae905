// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The shape of an image, for drivers that know images by their sides and copy boxes of pixels.

use oxur_api::{ImageDesc, ImageFormat, ImageInfo, MemType, RectOffset, RectRegion};

use crate::{ImageRect, InfoOut, UrError, UrResult};

/// The format and the sides of an image.
#[derive(Clone, Debug)]
pub struct ImageShape {
    format: ImageFormat,
    kind: MemType,
    /// The pixels of each dimension; the layers of an array are the one behind its own.
    sides: [u64; 3],
    /// The bytes of a pixel.
    pixel: usize,
}

/// What images a device has.
#[derive(Clone, Copy, Debug)]
pub struct ImageLimits {
    /// The most pixels of a side, by the number of dimensions.
    pub sides: [u32; 3],
    /// The most layers of an array.
    pub layers: u32,
}

/// Where the rows of a box of pixels are in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelSteps {
    /// Bytes from row to row.
    pub row: usize,
    /// Bytes from slice to slice.
    pub slice: usize,
    /// Whether there are no gaps.
    pub is_packed: bool,
}

fn bad_size(what: String) -> UrError {
    crate::error!(ERROR_INVALID_SIZE: "{what}")
}

/// The dimensions of a type of image, and whether it has layers.
fn dimensions(kind: MemType) -> UrResult<(usize, bool)> {
    match kind {
        MemType::IMAGE1D => Ok((1, false)),
        MemType::IMAGE1D_ARRAY => Ok((1, true)),
        MemType::IMAGE2D => Ok((2, false)),
        MemType::IMAGE2D_ARRAY => Ok((2, true)),
        MemType::IMAGE3D => Ok((3, false)),
        other => Err(crate::error!(
            ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR: "there are no images of type {other:?} here"
        )),
    }
}

impl ImageShape {
    /// What a client's description means on a device. A pixel of the format has so many bytes.
    pub fn new(format: &ImageFormat, desc: &ImageDesc, pixel: usize, limits: &ImageLimits) -> UrResult<Self> {
        let (dimensions, is_array) = dimensions(desc.r#type)?;
        let most = limits.sides[dimensions - 1];
        let mut sides = [1; 3];
        let wanted = [desc.width, desc.height, desc.depth].map(|side| side as u64);
        sides[..dimensions].copy_from_slice(&wanted[..dimensions]);
        let mut fits = sides[..dimensions].iter().all(|side| (1..=most.into()).contains(side));
        if is_array {
            sides[dimensions] = desc.arraySize as u64;
            fits &= (1..=limits.layers.into()).contains(&sides[dimensions]);
        }
        if !fits {
            crate::bail!(
                ERROR_INVALID_IMAGE_SIZE: "the device has no images of {sides:?} pixels: {most} a side at most"
            );
        }
        Ok(Self {
            format: *format,
            kind: desc.r#type,
            sides,
            pixel,
        })
    }

    /// The type.
    pub fn kind(&self) -> MemType {
        self.kind
    }

    /// The pixels of each dimension, without layers: 1 for those that it does not have. They fit 32 bits.
    pub fn pixels(&self) -> [u32; 3] {
        let (dimensions, _) = dimensions(self.kind).unwrap_or((3, false));
        std::array::from_fn(|d| if d < dimensions { self.sides[d] as u32 } else { 1 })
    }

    /// The layers of an array; 0 for other images.
    pub fn layers(&self) -> u32 {
        match self.kind {
            MemType::IMAGE1D_ARRAY => self.sides[1] as u32,
            MemType::IMAGE2D_ARRAY => self.sides[2] as u32,
            _ => 0,
        }
    }

    /// The size of the box of all pixels.
    pub fn extent(&self) -> RectRegion {
        let [width, height, depth] = self.sides;
        RectRegion { width, height, depth }
    }

    /// The box of all pixels, with the pitches that a description has for the client's memory.
    pub fn whole(&self, desc: &ImageDesc) -> ImageRect {
        ImageRect {
            origin: RectOffset { x: 0, y: 0, z: 0 },
            region: self.extent(),
            row_pitch: desc.rowPitch,
            slice_pitch: desc.slicePitch,
        }
    }

    /// The bytes of all pixels.
    pub fn bytes(&self) -> usize {
        self.sides.iter().product::<u64>() as usize * self.pixel
    }

    /// Refuses to copy pixels of another format.
    pub fn check_format(&self, other: &Self) -> UrResult<()> {
        let of = |shape: &Self| (shape.format.channelOrder, shape.format.channelType);
        match of(self) == of(other) {
            true => Ok(()),
            false => Err(crate::error!(
                ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR: "a copy does not convert {:?} to {:?}", other.format, self.format
            )),
        }
    }

    /// Refuses a box that is not inside of the image. Its numbers fit 32 bits then.
    pub fn check_box(&self, origin: RectOffset, region: RectRegion) -> UrResult<()> {
        let (from, size) = (
            [origin.x, origin.y, origin.z],
            [region.width, region.height, region.depth],
        );
        let is_inside = |d: usize| size[d] != 0 && from[d].checked_add(size[d]).is_some_and(|end| end <= self.sides[d]);
        match (0..3).all(is_inside) {
            true => Ok(()),
            false => Err(bad_size(format!(
                "{region:?} at {origin:?} is no box in an image of {:?}",
                self.sides
            ))),
        }
    }

    /// Where the rows of a box are in memory.
    pub fn steps(&self, rect: &ImageRect) -> UrResult<PixelSteps> {
        let ImageRect {
            region,
            row_pitch,
            slice_pitch,
            ..
        } = *rect;
        let (row, height) = (region.width as usize * self.pixel, region.height as usize);
        let or = |pitch: usize, packed: usize| if pitch == 0 { packed } else { pitch };
        // The rows of an array of rows are slices.
        let row_step = match self.kind {
            MemType::IMAGE1D_ARRAY => or(slice_pitch, row),
            _ => or(row_pitch, row),
        };
        let slice = row_step.saturating_mul(height);
        let has_slices = matches!(self.kind, MemType::IMAGE3D | MemType::IMAGE2D_ARRAY);
        let slice_step = if has_slices { or(slice_pitch, slice) } else { slice };
        if row_step < row || !row_step.is_multiple_of(self.pixel) || slice_step < slice {
            return Err(bad_size(format!(
                "rows of {row} bytes cannot be {row_pitch} bytes apart, and {slice_pitch} from slice to slice"
            )));
        }
        let has_packed_rows = row_step == row || height == 1 && region.depth == 1;
        Ok(PixelSteps {
            row: row_step,
            slice: slice_step,
            is_packed: has_packed_rows && (slice_step == row * height || region.depth == 1),
        })
    }

    /// Answers `urMemImageGetInfo` for an image without gaps. As in OpenCL, dimensions that it does not have are 0.
    pub fn info(&self, query: ImageInfo, out: InfoOut<'_>) -> UrResult<()> {
        let [width, second, third] = self.sides.map(|side| side as usize);
        let row = width * self.pixel;
        let (height, depth, slice) = match self.kind {
            MemType::IMAGE1D => (0, 0, 0),
            MemType::IMAGE1D_ARRAY => (0, 0, row),
            MemType::IMAGE2D => (second, 0, 0),
            MemType::IMAGE2D_ARRAY => (second, 0, row * second),
            _ => (second, third, row * second),
        };
        match query {
            ImageInfo::FORMAT => out.value(self.format),
            ImageInfo::ELEMENT_SIZE => out.value(self.pixel),
            ImageInfo::ROW_PITCH => out.value(row),
            ImageInfo::SLICE_PITCH => out.value(slice),
            ImageInfo::WIDTH => out.value(width),
            ImageInfo::HEIGHT => out.value(height),
            ImageInfo::DEPTH => out.value(depth),
            ImageInfo::ARRAY_SIZE => out.value(self.layers() as usize),
            ImageInfo::NUM_MIP_LEVELS | ImageInfo::NUM_SAMPLES => out.value(0_u32),
            _ => out.unsupported(),
        }
    }
}

#[cfg(test)]
mod tests {
    use oxur_api::{ImageChannelOrder, ImageChannelType, ResultCode};

    use super::*;

    const LIMITS: ImageLimits = ImageLimits {
        sides: [64, 32, 16],
        layers: 8,
    };

    fn shape(kind: MemType, sides: [usize; 3], layers: usize) -> UrResult<ImageShape> {
        let format = ImageFormat {
            channelOrder: ImageChannelOrder::RGBA,
            channelType: ImageChannelType::UNSIGNED_INT8,
        };
        let desc = ImageDesc {
            r#type: kind,
            width: sides[0],
            height: sides[1],
            depth: sides[2],
            arraySize: layers,
            ..Default::default()
        };
        ImageShape::new(&format, &desc, 4, &LIMITS)
    }

    #[test]
    fn sides_have_limits() {
        let code = |kind, sides, layers| shape(kind, sides, layers).err().map(|error| error.code());
        let size = Some(ResultCode::ERROR_INVALID_IMAGE_SIZE);
        assert_eq!(code(MemType::IMAGE1D, [64, 0, 0], 0), None);
        assert_eq!(code(MemType::IMAGE1D, [65, 0, 0], 0), size);
        assert_eq!(code(MemType::IMAGE2D, [32, 33, 0], 0), size);
        assert_eq!(code(MemType::IMAGE3D, [16, 16, 0], 0), size);
        assert_eq!(code(MemType::IMAGE2D_ARRAY, [32, 32, 0], 8), None);
        assert_eq!(code(MemType::IMAGE2D_ARRAY, [32, 32, 0], 9), size);
        let kind = Some(ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        assert_eq!(code(MemType(99), [1, 1, 1], 1), kind);
        let array = shape(MemType::IMAGE1D_ARRAY, [5, 7, 9], 3).unwrap();
        assert_eq!((array.pixels(), array.layers(), array.bytes()), ([5, 1, 1], 3, 60));
    }

    #[test]
    fn boxes_and_pitches() {
        let cube = shape(MemType::IMAGE3D, [4, 3, 2], 0).unwrap();
        let origin = |x, y, z| RectOffset { x, y, z };
        let region = |width, height, depth| RectRegion { width, height, depth };
        assert!(cube.check_box(origin(1, 2, 1), region(3, 1, 1)).is_ok());
        for (from, size) in [
            (origin(0, 0, 0), region(5, 1, 1)),
            (origin(0, 3, 0), region(1, 1, 1)),
            (origin(u64::MAX, 0, 0), region(1, 1, 1)),
            (origin(0, 0, 0), region(1, 0, 1)),
        ] {
            assert!(cube.check_box(from, size).is_err(), "{from:?} {size:?}");
        }
        let rect = |region, [row_pitch, slice_pitch]: [usize; 2]| ImageRect {
            origin: origin(0, 0, 0),
            region,
            row_pitch,
            slice_pitch,
        };
        let steps = |pitches| cube.steps(&rect(region(4, 3, 2), pitches));
        let packed = |row, slice, is_packed| PixelSteps { row, slice, is_packed };
        assert_eq!(steps([0, 0]).unwrap(), packed(16, 48, true));
        assert_eq!(steps([20, 0]).unwrap(), packed(20, 60, false));
        assert_eq!(steps([16, 64]).unwrap(), packed(16, 64, false));
        for pitches in [[12, 0], [18, 0], [20, 48]] {
            assert!(steps(pitches).is_err(), "{pitches:?}");
        }
        // Gaps behind the only row do not count, and the rows of an array are its slices.
        assert!(cube.steps(&rect(region(4, 1, 1), [32, 0])).unwrap().is_packed);
        let rows = shape(MemType::IMAGE1D_ARRAY, [4, 0, 0], 3).unwrap();
        assert_eq!(
            rows.steps(&rect(region(4, 3, 1), [0, 20])).unwrap(),
            packed(20, 60, false)
        );
    }
}
