// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images: formats, shapes, and copies of boxes of pixels as copies of rows of bytes.
//!
//! Formats have OpenCL's numbers, as in [`oxur_compiler::Image`].

use std::ptr;

use oxur_compiler::{Image, SamplerBits};

use crate::bytes::{CopyRows, Extent, Layout};
use crate::limits;

/// OpenCL's `cl_channel_order`, as far as the device has them.
pub mod order {
    /// One channel: red.
    pub const R: u32 = 0x10B0;
    /// One channel: alpha.
    pub const A: u32 = 0x10B1;
    /// Red and green.
    pub const RG: u32 = 0x10B2;
    /// Red and alpha.
    pub const RA: u32 = 0x10B3;
    /// All four.
    pub const RGBA: u32 = 0x10B5;
    /// All four, blue first.
    pub const BGRA: u32 = 0x10B6;
    /// All four, alpha first.
    pub const ARGB: u32 = 0x10B7;
    /// One channel for all colors and alpha.
    pub const INTENSITY: u32 = 0x10B8;
    /// One channel for all colors.
    pub const LUMINANCE: u32 = 0x10B9;
    /// All four, where colors have the sRGB encoding.
    pub const SRGBA: u32 = 0x10C1;
}

/// OpenCL's `cl_channel_type`, as far as the device has them.
pub mod channel {
    /// A fraction from -1 to 1, in 8 bits.
    pub const SNORM_INT8: u32 = 0x10D0;
    /// A fraction from -1 to 1, in 16 bits.
    pub const SNORM_INT16: u32 = 0x10D1;
    /// A fraction from 0 to 1, in 8 bits.
    pub const UNORM_INT8: u32 = 0x10D2;
    /// A fraction from 0 to 1, in 16 bits.
    pub const UNORM_INT16: u32 = 0x10D3;
    /// An integer.
    pub const SIGNED_INT8: u32 = 0x10D7;
    /// An integer.
    pub const SIGNED_INT16: u32 = 0x10D8;
    /// An integer.
    pub const SIGNED_INT32: u32 = 0x10D9;
    /// An integer.
    pub const UNSIGNED_INT8: u32 = 0x10DA;
    /// An integer.
    pub const UNSIGNED_INT16: u32 = 0x10DB;
    /// An integer.
    pub const UNSIGNED_INT32: u32 = 0x10DC;
    /// A number of 16 bits.
    pub const HALF_FLOAT: u32 = 0x10DD;
    /// A number of 32 bits.
    pub const FLOAT: u32 = 0x10DE;
}

/// How pixels are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// OpenCL's `cl_channel_order`.
    pub order: u32,
    /// OpenCL's `cl_channel_type`.
    pub channel: u32,
}

impl Format {
    /// The size of a pixel in bytes. `None` for formats that the device does not have: it has those that OpenCL requires, and
    /// those that Intel's driver has besides.
    pub fn pixel_size(self) -> Option<usize> {
        let channels = match self.order {
            order::R | order::A | order::INTENSITY | order::LUMINANCE => 1,
            order::RG | order::RA => 2,
            order::RGBA | order::BGRA | order::ARGB | order::SRGBA => 4,
            _ => return None,
        };
        let bytes = match self.channel {
            channel::SNORM_INT8 | channel::UNORM_INT8 | channel::SIGNED_INT8 | channel::UNSIGNED_INT8 => 1,
            channel::SNORM_INT16
            | channel::UNORM_INT16
            | channel::SIGNED_INT16
            | channel::UNSIGNED_INT16
            | channel::HALF_FLOAT => 2,
            channel::SIGNED_INT32 | channel::UNSIGNED_INT32 | channel::FLOAT => 4,
            _ => return None,
        };
        self.is_combined().then_some(channels * bytes)
    }

    /// Whether the channel type is valid with the order. OpenCL has some orders for some types only; SNORM_INT16 has two
    /// more, as in Intel's driver.
    fn is_combined(self) -> bool {
        match self.order {
            order::SRGBA => self.channel == channel::UNORM_INT8,
            order::BGRA | order::ARGB => matches!(
                self.channel,
                channel::SNORM_INT8
                    | channel::SNORM_INT16
                    | channel::UNORM_INT8
                    | channel::SIGNED_INT8
                    | channel::UNSIGNED_INT8
            ),
            order::INTENSITY | order::LUMINANCE => matches!(
                self.channel,
                channel::SNORM_INT8
                    | channel::SNORM_INT16
                    | channel::UNORM_INT8
                    | channel::UNORM_INT16
                    | channel::HALF_FLOAT
                    | channel::FLOAT
            ),
            _ => true,
        }
    }

    /// Whether kernels read fractions or floating-point numbers, which can be interpolated.
    pub fn is_filtered(self) -> bool {
        matches!(
            self.channel,
            channel::SNORM_INT8
                | channel::SNORM_INT16
                | channel::UNORM_INT8
                | channel::UNORM_INT16
                | channel::HALF_FLOAT
                | channel::FLOAT
        )
    }
}

/// The kind of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A row.
    D1,
    /// An array of rows.
    D1Array,
    /// A plane.
    D2,
    /// An array of planes.
    D2Array,
    /// A box.
    D3,
}

impl Kind {
    /// The dimensions of an image, without those of the array.
    pub fn dimensions(self) -> u32 {
        match self {
            Self::D1 | Self::D1Array => 1,
            Self::D2 | Self::D2Array => 2,
            Self::D3 => 3,
        }
    }

    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        matches!(self, Self::D1Array | Self::D2Array)
    }
}

/// An image that a client asks for.
#[derive(Clone, Copy, Debug)]
pub struct Desc {
    /// Its kind.
    pub kind: Kind,
    /// How its pixels are stored.
    pub format: Format,
    /// Width, height and depth in pixels. Those that the kind does not have are ignored.
    pub size: [usize; 3],
    /// The number of images, if it is an array.
    pub array_size: usize,
    /// Bytes from row to row, or 0 for rows without gaps.
    pub row_pitch: usize,
    /// Bytes from slice to slice or from image to image of an array, or 0 for those without gaps.
    pub slice_pitch: usize,
}

/// Why an image or a copy is impossible.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The device does not have the format.
    #[error(
        "images of order {:#x} and channel type {:#x} are not supported: R, A, RG, RA and RGBA are with all but packed types, \
         BGRA and ARGB with types of 8 bits and SNORM_INT16, INTENSITY and LUMINANCE with fractions, SRGBA with UNORM_INT8",
        .0.order, .0.channel
    )]
    Format(Format),
    /// A dimension is too small or too large.
    #[error("an image of this kind has a {name} from 1 to {most}, not {length}")]
    Side {
        /// The name of the dimension.
        name: &'static str,
        /// What the client asks for.
        length: usize,
        /// The limit.
        most: usize,
    },
    /// Rows do not fit their pitch.
    #[error("rows of {row} bytes cannot be {pitch} bytes apart")]
    RowPitch {
        /// The size of a row.
        row: u64,
        /// The pitch.
        pitch: u64,
    },
    /// Slices do not fit their pitch.
    #[error("slices of {slice} bytes cannot be {pitch} bytes apart")]
    SlicePitch {
        /// The size of a slice.
        slice: u64,
        /// The pitch.
        pitch: u64,
    },
    /// A region is empty or not inside of the image.
    #[error("{region:?} is not a box in an image of {sides:?} pixels")]
    Outside {
        /// The region.
        region: Region,
        /// The size of the image.
        sides: [u64; 3],
    },
    /// The client's memory has pitches that are too small or too large.
    #[error("{extent:?} in bytes does not fit a row pitch of {row} and a slice pitch of {slice} bytes")]
    ClientPitch {
        /// The box.
        extent: Extent,
        /// Bytes from row to row.
        row: usize,
        /// Bytes from slice to slice.
        slice: usize,
    },
    /// The images of a copy have different formats.
    #[error("an image copy cannot convert {0:x?} to {1:x?}")]
    Conversion(Format, Format),
    /// The regions of a copy have different sizes.
    #[error("a copy's regions have the same size, not {0:?} and {1:?}")]
    Sizes([u64; 3], [u64; 3]),
}

/// A box of pixels. The layers of an array follow the dimensions of its images.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// The first pixel.
    pub origin: [u64; 3],
    /// How many pixels in each dimension.
    pub size: [u64; 3],
}

/// The shape of an image, and the address of its pixels.
#[derive(Clone, Debug)]
pub struct Shape {
    image: Image,
    kind: Kind,
    pixel: usize,
}

// SAFETY: the pointer is to memory that the client shares between threads, and whose use the client orders.
unsafe impl Send for Shape {}
// SAFETY: as above.
unsafe impl Sync for Shape {}

/// A dimension of an image: from 1 to `most` pixels.
fn side(name: &'static str, length: usize, most: usize) -> Result<u64, ImageError> {
    if length == 0 || length > most {
        return Err(ImageError::Side { name, length, most });
    }
    Ok(length as u64)
}

impl Shape {
    /// The shape of an image without pixels.
    pub fn new(desc: &Desc) -> Result<Self, ImageError> {
        let pixel = desc.format.pixel_size().ok_or(ImageError::Format(desc.format))?;
        let (dimensions, is_array) = (desc.kind.dimensions(), desc.kind.is_array());
        let most = if dimensions == 3 {
            limits::IMAGE_3D
        } else {
            limits::IMAGE_2D
        };
        let mut size = [1; 3];
        let names = ["width", "height", "depth"];
        for (at, name) in names.into_iter().enumerate().take(dimensions as usize) {
            size[at] = side(name, desc.size[at], most)?;
        }
        let array_size = if is_array {
            side("array size", desc.array_size, limits::IMAGE_ARRAY)?
        } else {
            1
        };
        // None of these products overflows, because the dimensions are limited.
        let row = size[0] * pixel as u64;
        let row_pitch = match desc.row_pitch as u64 {
            0 => row,
            pitch if pitch >= row && pitch.is_multiple_of(pixel as u64) => pitch,
            pitch => return Err(ImageError::RowPitch { row, pitch }),
        };
        let too_far = ImageError::RowPitch { row, pitch: row_pitch };
        let slice = row_pitch.checked_mul(size[1]).ok_or(too_far)?;
        let slice_pitch = match desc.slice_pitch as u64 {
            0 => slice,
            // It is ignored for a single plane.
            _ if dimensions < 3 && !is_array => slice,
            pitch if pitch >= slice && pitch.is_multiple_of(row_pitch) => pitch,
            pitch => return Err(ImageError::SlicePitch { slice, pitch }),
        };
        Ok(Self {
            image: Image {
                data: ptr::null_mut(),
                size,
                array_size,
                row_pitch,
                slice_pitch,
                channel_order: desc.format.order,
                channel_type: desc.format.channel,
                dimensions,
                is_array: is_array.into(),
                sampler: SamplerBits::NONE,
                class: 0,
            }
            .classified(),
            kind: desc.kind,
            pixel,
        })
    }

    /// The same without gaps between rows and slices.
    pub fn packed(&self) -> Self {
        let mut packed = self.clone();
        packed.image.row_pitch = self.image.size[0] * self.pixel as u64;
        packed.image.slice_pitch = packed.image.row_pitch * self.image.size[1];
        packed.image = packed.image.classified();
        packed
    }

    /// The same with its pixels at an address.
    pub fn at(mut self, data: *mut u8) -> Self {
        self.image.data = data;
        self
    }

    /// The same with a sampler, for kernels that have no other.
    pub fn sampled(mut self, sampler: SamplerBits) -> Self {
        self.image.sampler = sampler;
        self
    }

    /// The descriptor for kernels.
    #[inline]
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// What kind of image it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The size of a pixel in bytes.
    pub fn pixel(&self) -> usize {
        self.pixel
    }

    /// How its pixels are stored.
    pub fn format(&self) -> Format {
        Format {
            order: self.image.channel_order,
            channel: self.image.channel_type,
        }
    }

    /// Its size in bytes; `None` if that overflows.
    pub fn bytes(&self) -> Option<usize> {
        let slices = self.image.size[2] * self.image.array_size;
        usize::try_from(self.image.slice_pitch.checked_mul(slices)?).ok()
    }

    /// Its dimensions as commands count them: the layers of an array follow the dimensions of its images.
    pub fn sides(&self) -> [u64; 3] {
        let [width, height, depth] = self.image.size;
        match self.kind {
            Kind::D1Array => [width, self.image.array_size, 1],
            Kind::D2Array => [width, height, self.image.array_size],
            _ => [width, height, depth],
        }
    }

    /// The region of the whole image.
    pub fn whole(&self) -> Region {
        Region {
            origin: [0; 3],
            size: self.sides(),
        }
    }

    /// The bytes of a region.
    pub fn layout(&self, region: &Region) -> Result<(Extent, Layout), ImageError> {
        let (sides, Region { origin, size }) = (self.sides(), *region);
        let fits = |at: usize| size[at] != 0 && origin[at].checked_add(size[at]).is_some_and(|end| end <= sides[at]);
        if !(0..3).all(fits) {
            return Err(ImageError::Outside { region: *region, sides });
        }
        let [width, height, depth] = size.map(|length| length as usize);
        let [x, y, z] = origin.map(|offset| offset as usize);
        let (row, slice) = (self.image.row_pitch as usize, self.image.slice_pitch as usize);
        let row_pitch = if self.kind == Kind::D1Array { slice } else { row };
        let layout = Layout {
            at: self.image.data.wrapping_add(x * self.pixel + y * row_pitch + z * slice),
            row_pitch,
            slice_pitch: slice,
        };
        let extent = Extent {
            width: width * self.pixel,
            height,
            depth,
        };
        Ok((extent, layout))
    }

    /// The layout of such a box in the client's memory. A pitch of zero means tightly packed rows or slices.
    fn client_layout(
        &self,
        at: *mut u8,
        extent: Extent,
        row_pitch: usize,
        slice_pitch: usize,
    ) -> Result<Layout, ImageError> {
        let layers = self.kind == Kind::D1Array;
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
        if row < extent.width || slice < row.saturating_mul(extent.height) || slice.checked_mul(extent.depth).is_none()
        {
            return Err(ImageError::ClientPitch { extent, row, slice });
        }
        Ok(Layout {
            at,
            row_pitch: row,
            slice_pitch: slice,
        })
    }

    /// The copy of a region to the client's memory.
    pub fn copy_to(
        &self,
        region: &Region,
        dst: *mut u8,
        row_pitch: usize,
        slice_pitch: usize,
    ) -> Result<CopyRows, ImageError> {
        let (extent, src) = self.layout(region)?;
        let dst = self.client_layout(dst, extent, row_pitch, slice_pitch)?;
        Ok(CopyRows { dst, src, extent })
    }

    /// The copy of the client's memory to a region.
    pub fn copy_from(
        &self,
        region: &Region,
        src: *const u8,
        row_pitch: usize,
        slice_pitch: usize,
    ) -> Result<CopyRows, ImageError> {
        let (extent, dst) = self.layout(region)?;
        let src = self.client_layout(src.cast_mut(), extent, row_pitch, slice_pitch)?;
        Ok(CopyRows { dst, src, extent })
    }

    /// The copy of a region to a region of another image with the same format: copies do not convert pixels.
    pub fn copy_to_image(
        &self,
        region: &Region,
        target: &Self,
        target_region: &Region,
    ) -> Result<CopyRows, ImageError> {
        let (extent, src) = self.layout(region)?;
        let (_, dst) = target.layout(target_region)?;
        if region.size != target_region.size {
            return Err(ImageError::Sizes(region.size, target_region.size));
        }
        if self.format() != target.format() {
            return Err(ImageError::Conversion(self.format(), target.format()));
        }
        Ok(CopyRows { dst, src, extent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::ByteOp;

    const BYTES: Format = Format {
        order: order::RGBA,
        channel: channel::UNSIGNED_INT8,
    };

    fn desc(kind: Kind, size: [usize; 3], array_size: usize) -> Desc {
        Desc {
            kind,
            format: BYTES,
            size,
            array_size,
            row_pitch: 0,
            slice_pitch: 0,
        }
    }

    fn run(copy: &CopyRows) {
        // SAFETY: the tests below pass live memory.
        unsafe { copy.run(0..copy.blocks()) };
    }

    #[test]
    fn regions_of_arrays() {
        // The layers of an array of rows are its second dimension.
        let rows = Shape::new(&desc(Kind::D1Array, [4, 0, 0], 3)).unwrap();
        let mut pixels: Vec<u8> = (0..48).collect();
        let rows = rows.at(pixels.as_mut_ptr());
        let region = Region {
            origin: [2, 1, 0],
            size: [2, 2, 1],
        };
        let mut to = [0u8; 32];
        run(&rows.copy_to(&region, to.as_mut_ptr(), 0, 16).unwrap());
        let expected: Vec<u8> = (24..32).chain([0; 8]).chain(40..48).chain([0; 8]).collect();
        assert_eq!(to.as_slice(), expected);
        assert!(rows.copy_to(&region, to.as_mut_ptr(), 0, 7).is_err());
        assert!(rows.copy_to(&region, to.as_mut_ptr(), usize::MAX, usize::MAX).is_ok());
        let beyond = Region {
            origin: [0, 0, 1],
            size: [1, 1, 1],
        };
        assert!(matches!(rows.layout(&beyond), Err(ImageError::Outside { .. })));
    }

    #[test]
    fn between_images() {
        let (mut from, mut to) = ((0..96).collect::<Vec<u8>>(), vec![255u8; 160]);
        let cube = Shape::new(&desc(Kind::D3, [4, 3, 2], 0)).unwrap();
        let pitched = Desc {
            row_pitch: 20,
            slice_pitch: 80,
            ..desc(Kind::D2Array, [4, 4, 9], 2)
        };
        let planes = Shape::new(&pitched).unwrap();
        assert_eq!(
            (cube.bytes(), planes.bytes(), planes.packed().bytes()),
            (Some(96), Some(160), Some(128))
        );
        let (cube, planes) = (cube.at(from.as_mut_ptr()), planes.at(to.as_mut_ptr()));
        let source = Region {
            origin: [1, 2, 0],
            size: [2, 1, 2],
        };
        let place = Region {
            origin: [2, 3, 0],
            ..source
        };
        run(&cube.copy_to_image(&source, &planes, &place).unwrap());
        let expected = (0..160).map(|at| match at {
            68..76 => at - 68 + 36,
            148..156 => at - 148 + 84,
            _ => 255,
        });
        assert!(to.iter().copied().eq(expected));
        let larger = Region {
            size: [2, 1, 1],
            ..source
        };
        assert!(matches!(
            cube.copy_to_image(&larger, &planes, &place),
            Err(ImageError::Sizes(..))
        ));
        let words = Desc {
            format: Format {
                channel: channel::SIGNED_INT8,
                ..BYTES
            },
            ..desc(Kind::D3, [4, 3, 2], 0)
        };
        let other = Shape::new(&words).unwrap();
        assert!(matches!(
            cube.copy_to_image(&source, &other, &source),
            Err(ImageError::Conversion(..))
        ));
    }
}
