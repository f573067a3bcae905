// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images: formats, shapes, and boxes of pixels in them.

use std::ptr;

use kit::ur::{
    ImageChannelOrder, ImageChannelType, ImageDesc, ImageFormat, ImageInfo, MemType, RectOffset, RectRegion, ResultCode,
};
use kit::{InfoOut, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_api_opencl as conv;
use oxur_compiler::Image;
use oxur_device_cpu::limits;

/// The shape of an image, the address of its pixels, and its format for queries.
#[derive(Clone)]
pub(super) struct ImageExtent {
    image: Image,
    format: ImageFormat,
    kind: MemType,
    /// Bytes of a pixel.
    pixel: usize,
}

/// How many channels an order has. `None` for an unsupported order.
fn channels(order: ImageChannelOrder) -> Option<usize> {
    Some(match order {
        ImageChannelOrder::R | ImageChannelOrder::A | ImageChannelOrder::INTENSITY | ImageChannelOrder::LUMINANCE => 1,
        ImageChannelOrder::RG | ImageChannelOrder::RA => 2,
        ImageChannelOrder::RGBA | ImageChannelOrder::BGRA | ImageChannelOrder::ARGB | ImageChannelOrder::SRGBA => 4,
        _ => return None,
    })
}

/// The size of a channel. `None` for an unsupported type.
fn channel_size(kind: ImageChannelType) -> Option<usize> {
    Some(match kind {
        ImageChannelType::SNORM_INT8
        | ImageChannelType::UNORM_INT8
        | ImageChannelType::SIGNED_INT8
        | ImageChannelType::UNSIGNED_INT8 => 1,
        ImageChannelType::SNORM_INT16
        | ImageChannelType::UNORM_INT16
        | ImageChannelType::SIGNED_INT16
        | ImageChannelType::UNSIGNED_INT16
        | ImageChannelType::HALF_FLOAT => 2,
        ImageChannelType::SIGNED_INT32 | ImageChannelType::UNSIGNED_INT32 | ImageChannelType::FLOAT => 4,
        _ => return None,
    })
}

/// Whether this channel type is valid with a supported order. OpenCL has some orders for some types only; SNORM_INT16
/// has two more, as in Intel's driver.
fn goes_with(order: ImageChannelOrder, kind: ImageChannelType) -> bool {
    match order {
        ImageChannelOrder::SRGBA => kind == ImageChannelType::UNORM_INT8,
        ImageChannelOrder::BGRA | ImageChannelOrder::ARGB => matches!(
            kind,
            ImageChannelType::SNORM_INT8
                | ImageChannelType::SNORM_INT16
                | ImageChannelType::UNORM_INT8
                | ImageChannelType::SIGNED_INT8
                | ImageChannelType::UNSIGNED_INT8
        ),
        ImageChannelOrder::INTENSITY | ImageChannelOrder::LUMINANCE => matches!(
            kind,
            ImageChannelType::SNORM_INT8
                | ImageChannelType::SNORM_INT16
                | ImageChannelType::UNORM_INT8
                | ImageChannelType::UNORM_INT16
                | ImageChannelType::HALF_FLOAT
                | ImageChannelType::FLOAT
        ),
        _ => true,
    }
}

/// OpenCL's values for a format, and the size of a pixel. These are the formats that OpenCL requires, and those that
/// Intel's driver has besides.
fn format_of(format: &ImageFormat) -> UrResult<(u32, u32, usize)> {
    if format.channelOrder > ImageChannelOrder::SRGBA || format.channelType > ImageChannelType::FLOAT {
        return Err(UrError::with_message(
            ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            format!("no such format: {:?}, {:?}", format.channelOrder, format.channelType),
        ));
    }
    match (channels(format.channelOrder), channel_size(format.channelType)) {
        (Some(channels), Some(bytes)) if goes_with(format.channelOrder, format.channelType) => Ok((
            conv::CHANNEL_ORDERS.to_cl(format.channelOrder)?,
            conv::CHANNEL_TYPES.to_cl(format.channelType)?,
            channels * bytes,
        )),
        _ => Err(UrError::with_message(
            ResultCode::ERROR_UNSUPPORTED_IMAGE_FORMAT,
            format!(
                "images of {:?}, {:?} are not supported: R, A, RG, RA and RGBA are with all but packed types, BGRA and \
                 ARGB with types of 8 bits and SNORM_INT16, INTENSITY and LUMINANCE with fractions, SRGBA with UNORM_INT8",
                format.channelOrder, format.channelType
            ),
        )),
    }
}

fn bad_shape(what: String) -> UrError {
    UrError::with_message(ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR, what)
}

/// A dimension of an image: from 1 to `most` pixels.
fn side(name: &str, length: usize, most: usize) -> UrResult<u64> {
    if length == 0 || length > most {
        return Err(UrError::with_message(
            ResultCode::ERROR_INVALID_IMAGE_SIZE,
            format!("an image of this kind has a {name} from 1 to {most}, not {length}"),
        ));
    }
    Ok(length as u64)
}

impl ImageExtent {
    /// What kind of image it is.
    pub(super) fn kind(&self) -> MemType {
        self.kind
    }

    /// The shape that a client requests. Pitches describe the client's memory, if it provides any.
    pub(super) fn new(format: &ImageFormat, desc: &ImageDesc, has_host: bool) -> UrResult<Self> {
        let (channel_order, channel_type, pixel) = format_of(format)?;
        if desc.numMipLevel != 0 || desc.numSamples != 0 {
            return Err(bad_shape(
                "images with mip levels or several samples are not supported".to_owned(),
            ));
        }
        if !has_host && (desc.rowPitch != 0 || desc.slicePitch != 0) {
            return Err(bad_shape(
                "pitches are those of the host's memory, and none was given".to_owned(),
            ));
        }
        let kind = desc.r#type;
        let (dimensions, is_array) = match kind {
            MemType::IMAGE1D => (1, false),
            MemType::IMAGE1D_ARRAY => (1, true),
            MemType::IMAGE2D => (2, false),
            MemType::IMAGE2D_ARRAY => (2, true),
            MemType::IMAGE3D => (3, false),
            other => return Err(bad_shape(format!("images of type {other:?} are not supported"))),
        };
        let most = if dimensions == 3 {
            limits::IMAGE_3D
        } else {
            limits::IMAGE_2D
        };
        let size = [
            side("width", desc.width, most)?,
            if dimensions > 1 {
                side("height", desc.height, most)?
            } else {
                1
            },
            if dimensions > 2 {
                side("depth", desc.depth, most)?
            } else {
                1
            },
        ];
        let array_size = if is_array {
            side("array size", desc.arraySize, limits::IMAGE_ARRAY)?
        } else {
            1
        };
        // None of these products overflows, because the dimensions are limited.
        let row = size[0] * pixel as u64;
        let row_pitch = match desc.rowPitch as u64 {
            0 => row,
            pitch if pitch >= row && pitch.is_multiple_of(pixel as u64) => pitch,
            pitch => return Err(bad_shape(format!("rows of {row} bytes cannot be {pitch} bytes apart"))),
        };
        let slice = row_pitch
            .checked_mul(size[1])
            .ok_or_else(|| bad_shape(format!("rows that are {row_pitch} bytes apart")))?;
        let slice_pitch = match desc.slicePitch as u64 {
            0 => slice,
            // It is ignored for a single plane.
            _ if dimensions < 3 && !is_array => slice,
            pitch if pitch >= slice && pitch.is_multiple_of(row_pitch) => pitch,
            pitch => {
                return Err(bad_shape(format!(
                    "slices of {slice} bytes cannot be {pitch} bytes apart"
                )));
            }
        };
        Ok(Self {
            image: Image {
                data: ptr::null_mut(),
                size,
                array_size,
                row_pitch,
                slice_pitch,
                channel_order,
                channel_type,
                dimensions,
                is_array: is_array.into(),
            },
            format: *format,
            kind,
            pixel,
        })
    }

    /// The same without gaps between rows and slices.
    pub(super) fn packed(&self) -> Self {
        let mut packed = self.clone();
        packed.image.row_pitch = self.image.size[0] * self.pixel as u64;
        packed.image.slice_pitch = packed.image.row_pitch * self.image.size[1];
        packed
    }

    /// The same with its pixels at an address.
    pub(super) fn at(mut self, data: *mut u8) -> Self {
        self.image.data = data;
        self
    }

    /// The descriptor for kernels.
    #[inline]
    pub(super) fn image(&self) -> &Image {
        &self.image
    }

    /// Its size in bytes; `None` if that overflows.
    pub(super) fn bytes(&self) -> Option<usize> {
        let slices = self.image.size[2] * self.image.array_size;
        usize::try_from(self.image.slice_pitch.checked_mul(slices)?).ok()
    }

    /// Its dimensions as commands count them: the layers of an array follow the dimensions of its images.
    fn sides(&self) -> [u64; 3] {
        let [width, height, depth] = self.image.size;
        match self.kind {
            MemType::IMAGE1D_ARRAY => [width, self.image.array_size, 1],
            MemType::IMAGE2D_ARRAY => [width, height, self.image.array_size],
            _ => [width, height, depth],
        }
    }

    /// Bytes from row to row and from slice to slice, in the dimensions of [`ImageExtent::sides`].
    fn pitches(&self) -> [usize; 2] {
        match self.kind {
            MemType::IMAGE1D_ARRAY => [self.image.slice_pitch as usize; 2],
            _ => [self.image.row_pitch as usize, self.image.slice_pitch as usize],
        }
    }

    /// The box of the whole image.
    pub(super) fn whole(&self) -> ImageBox {
        let [width, height, depth] = self.sides().map(|side| side as usize);
        let [row_pitch, slice_pitch] = self.pitches();
        ImageBox {
            offset: 0,
            row: width * self.pixel,
            rows: height,
            slices: depth,
            row_pitch,
            slice_pitch,
            format: self.format,
        }
    }

    /// A box in it.
    pub(super) fn part(&self, origin: RectOffset, region: RectRegion) -> UrResult<ImageBox> {
        let sides = self.sides();
        let inside = [
            (origin.x, region.width, sides[0]),
            (origin.y, region.height, sides[1]),
            (origin.z, region.depth, sides[2]),
        ]
        .iter()
        .all(|(from, length, side)| *length != 0 && from.checked_add(*length).is_some_and(|end| end <= *side));
        if !inside {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_SIZE,
                format!("{region:?} at {origin:?} is not a box in an image of {sides:?} pixels"),
            ));
        }
        let [row_pitch, slice_pitch] = self.pitches();
        Ok(ImageBox {
            offset: origin.x as usize * self.pixel + origin.y as usize * row_pitch + origin.z as usize * slice_pitch,
            row: region.width as usize * self.pixel,
            rows: region.height as usize,
            slices: region.depth as usize,
            row_pitch,
            slice_pitch,
            format: self.format,
        })
    }

    /// Answers `urMemImageGetInfo`. As in OpenCL, dimensions that an image does not have are 0.
    pub(super) fn info(&self, query: ImageInfo, out: InfoOut<'_>) -> UrResult<()> {
        let Image {
            size,
            array_size,
            row_pitch,
            slice_pitch,
            dimensions,
            is_array,
            ..
        } = self.image;
        let number = |has: bool, value: u64| if has { value as usize } else { 0 };
        match query {
            ImageInfo::FORMAT => out.value(self.format),
            ImageInfo::ELEMENT_SIZE => out.value(self.pixel),
            ImageInfo::ROW_PITCH => out.value(row_pitch as usize),
            ImageInfo::SLICE_PITCH => out.value(number(dimensions == 3 || is_array != 0, slice_pitch)),
            ImageInfo::WIDTH => out.value(size[0] as usize),
            ImageInfo::HEIGHT => out.value(number(dimensions > 1, size[1])),
            ImageInfo::DEPTH => out.value(number(dimensions > 2, size[2])),
            ImageInfo::ARRAY_SIZE => out.value(number(is_array != 0, array_size)),
            ImageInfo::NUM_MIP_LEVELS | ImageInfo::NUM_SAMPLES => out.value(0u32),
            _ => out.unsupported(),
        }
    }
}

/// A box of pixels, in bytes from the first pixel of an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageBox {
    /// The first byte.
    pub(crate) offset: usize,
    /// The bytes of a row.
    pub(crate) row: usize,
    /// How many rows a slice has.
    pub(crate) rows: usize,
    /// How many slices.
    pub(crate) slices: usize,
    /// Bytes from row to row.
    pub(crate) row_pitch: usize,
    /// Bytes from slice to slice.
    pub(crate) slice_pitch: usize,
    /// The format of its pixels. Copies need equal formats.
    pub(crate) format: ImageFormat,
}

impl ImageBox {
    /// Copies the box, in memory that starts at `from`, to another of as many pixels in memory that starts at `to`.
    ///
    /// # Safety
    /// Both boxes must be in memory that nobody else uses meanwhile, and must not overlap.
    pub(crate) unsafe fn copy(&self, from: *const u8, target: &Self, to: *mut u8) {
        for slice in 0..self.slices {
            for row in 0..self.rows {
                let source = self.offset + slice * self.slice_pitch + row * self.row_pitch;
                let place = target.offset + slice * target.slice_pitch + row * target.row_pitch;
                // SAFETY: passed on to the caller.
                unsafe { to.add(place).copy_from_nonoverlapping(from.add(source), self.row) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: ImageFormat = ImageFormat {
        channelOrder: ImageChannelOrder::RGBA,
        channelType: ImageChannelType::UNSIGNED_INT8,
    };

    fn desc(kind: MemType, sides: [usize; 3], array: usize) -> ImageDesc {
        ImageDesc {
            r#type: kind,
            width: sides[0],
            height: sides[1],
            depth: sides[2],
            arraySize: array,
            ..Default::default()
        }
    }

    fn code(shape: UrResult<ImageExtent>) -> Option<ResultCode> {
        shape.err().map(|error| error.code())
    }

    #[test]
    fn formats() {
        let bytes = |channel_order, channel_type| {
            let format = ImageFormat {
                channelOrder: channel_order,
                channelType: channel_type,
            };
            format_of(&format)
                .map(|(_, _, bytes)| bytes)
                .map_err(|error| error.code())
        };
        assert_eq!(bytes(ImageChannelOrder::R, ImageChannelType::SNORM_INT8), Ok(1));
        assert_eq!(bytes(ImageChannelOrder::RGBA, ImageChannelType::FLOAT), Ok(16));
        assert_eq!(bytes(ImageChannelOrder::RG, ImageChannelType::HALF_FLOAT), Ok(4));
        assert_eq!(bytes(ImageChannelOrder::BGRA, ImageChannelType::UNORM_INT8), Ok(4));
        let unsupported = Err(ResultCode::ERROR_UNSUPPORTED_IMAGE_FORMAT);
        assert_eq!(bytes(ImageChannelOrder::BGRA, ImageChannelType::FLOAT), unsupported);
        assert_eq!(bytes(ImageChannelOrder::RA, ImageChannelType::SIGNED_INT32), Ok(8));
        assert_eq!(bytes(ImageChannelOrder::ARGB, ImageChannelType::SNORM_INT16), Ok(8));
        assert_eq!(
            bytes(ImageChannelOrder::ARGB, ImageChannelType::SIGNED_INT16),
            unsupported
        );
        assert_eq!(bytes(ImageChannelOrder::INTENSITY, ImageChannelType::HALF_FLOAT), Ok(2));
        assert_eq!(
            bytes(ImageChannelOrder::LUMINANCE, ImageChannelType::UNSIGNED_INT8),
            unsupported
        );
        assert_eq!(
            bytes(ImageChannelOrder::ABGR, ImageChannelType::UNORM_INT8),
            unsupported
        );
        assert_eq!(
            bytes(ImageChannelOrder::RGB, ImageChannelType::UNORM_SHORT_565),
            unsupported
        );
        let invalid = Err(ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        assert_eq!(bytes(ImageChannelOrder(99), ImageChannelType::FLOAT), invalid);
        let numbers = format_of(&ImageFormat {
            channelOrder: ImageChannelOrder::SRGBA,
            channelType: ImageChannelType::UNORM_INT8,
        });
        assert_eq!(numbers.unwrap(), (0x10c1, 0x10d2, 4));
    }

    #[test]
    fn shapes_that_are_refused() {
        let refused = |desc: &ImageDesc, host| code(ImageExtent::new(&BYTES, desc, host));
        let size = Some(ResultCode::ERROR_INVALID_IMAGE_SIZE);
        let invalid = Some(ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        assert_eq!(refused(&desc(MemType::IMAGE2D, [0, 4, 1], 0), false), size);
        assert_eq!(refused(&desc(MemType::IMAGE2D, [4, usize::MAX, 1], 0), false), size);
        assert_eq!(refused(&desc(MemType::IMAGE3D, [4, 4, 0], 0), false), size);
        assert_eq!(refused(&desc(MemType::IMAGE1D_ARRAY, [4, 0, 0], 0), false), size);
        assert_eq!(refused(&desc(MemType(99), [4, 4, 4], 4), false), invalid);
        let plane = desc(MemType::IMAGE2D, [4, 4, 1], 0);
        for pitch in [15, 17, usize::MAX - 3] {
            let desc = ImageDesc {
                rowPitch: pitch,
                ..plane
            };
            assert_eq!(
                (refused(&desc, true), refused(&desc, false)),
                (invalid, invalid),
                "{pitch}"
            );
        }
        assert_eq!(refused(&ImageDesc { rowPitch: 20, ..plane }, true), None);
        let cube = desc(MemType::IMAGE3D, [4, 4, 4], 0);
        for pitch in [63, 65, 80 - 1] {
            assert_eq!(
                refused(
                    &ImageDesc {
                        slicePitch: pitch,
                        ..cube
                    },
                    true
                ),
                invalid,
                "{pitch}"
            );
        }
    }

    #[test]
    fn boxes() {
        let part = |shape: &ImageExtent, origin: [u64; 3], region: [u64; 3]| {
            let [x, y, z] = origin;
            let [width, height, depth] = region;
            shape.part(RectOffset { x, y, z }, RectRegion { width, height, depth })
        };
        let cube = ImageExtent::new(&BYTES, &desc(MemType::IMAGE3D, [4, 3, 2], 0), false).unwrap();
        assert_eq!(cube.bytes(), Some(96));
        let found = part(&cube, [1, 2, 1], [3, 1, 1]).unwrap();
        assert_eq!(
            (found.offset, found.row, found.rows, found.slices),
            (4 + 32 + 48, 12, 1, 1)
        );
        for (origin, region) in [
            ([0, 0, 0], [5, 1, 1]),
            ([0, 3, 0], [1, 1, 1]),
            ([u64::MAX, 0, 0], [1, 1, 1]),
        ] {
            assert!(part(&cube, origin, region).is_err());
        }
        assert!(part(&cube, [0, 0, 0], [4, 0, 1]).is_err());
        // The layers of an array of rows are its second dimension.
        let rows = ImageExtent::new(&BYTES, &desc(MemType::IMAGE1D_ARRAY, [4, 0, 0], 3), false).unwrap();
        let found = part(&rows, [2, 1, 0], [2, 2, 1]).unwrap();
        assert_eq!(
            (found.offset, found.row, found.rows, found.row_pitch),
            (8 + 16, 8, 2, 16)
        );
        assert!(part(&rows, [0, 0, 1], [1, 1, 1]).is_err());
    }

    #[test]
    fn packing() {
        let desc = ImageDesc {
            rowPitch: 20,
            slicePitch: 80,
            ..desc(MemType::IMAGE2D_ARRAY, [4, 2, 0], 2)
        };
        let given = ImageExtent::new(&BYTES, &desc, true).unwrap();
        let packed = given.packed();
        assert_eq!((given.bytes(), packed.bytes()), (Some(160), Some(64)));
        let from: Vec<u8> = (0..160).collect();
        let mut to = vec![0u8; 64];
        // SAFETY: both have as many bytes as their shapes say.
        unsafe { given.whole().copy(from.as_ptr(), &packed.whole(), to.as_mut_ptr()) };
        let expected: Vec<u8> = [0, 20, 80, 100].iter().flat_map(|row| *row..row + 16).collect();
        assert_eq!(to, expected);
    }
}
