// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images: UR's formats and descriptors for [`oxur_device_cpu::image`].

use kit::ur::{
    ImageChannelOrder, ImageChannelType, ImageDesc, ImageFormat, ImageInfo, MemType, RectOffset, RectRegion,
};
use kit::{InfoOut, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_api_opencl as conv;
use oxur_compiler::Image;
use oxur_device_cpu::bytes::{ByteOp, CopyRows};
use oxur_device_cpu::image::{Desc, Format, Kind, Region, Shape};

use crate::device_error;

/// The shape of an image, the address of its pixels, and its format for queries.
#[derive(Clone)]
pub(crate) struct ImageExtent {
    shape: Shape,
    format: ImageFormat,
    kind: MemType,
}

/// OpenCL's values for a format, and the size of a pixel.
fn format_of(format: &ImageFormat) -> UrResult<(Format, usize)> {
    if format.channelOrder > ImageChannelOrder::SRGBA || format.channelType > ImageChannelType::FLOAT {
        kit::bail!(
            ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR: "no such format: {:?}, {:?}", format.channelOrder, format.channelType
        );
    }
    let opencl = Format {
        order: conv::CHANNEL_ORDERS.to_cl(format.channelOrder)?,
        channel: conv::CHANNEL_TYPES.to_cl(format.channelType)?,
    };
    match opencl.pixel_size() {
        Some(bytes) => Ok((opencl, bytes)),
        None => Err(device_error::image(oxur_device_cpu::image::ImageError::Format(opencl))),
    }
}

fn bad_shape(what: String) -> UrError {
    kit::error!(ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR: "{what}")
}

/// A box of pixels.
pub(crate) fn region(origin: RectOffset, size: RectRegion) -> Region {
    Region {
        origin: [origin.x, origin.y, origin.z],
        size: [size.width, size.height, size.depth],
    }
}

impl ImageExtent {
    /// What kind of image it is.
    pub(super) fn kind(&self) -> MemType {
        self.kind
    }

    /// The shape that a client requests. Pitches describe the client's memory, if it provides any.
    pub(super) fn new(format: &ImageFormat, desc: &ImageDesc, has_host: bool) -> UrResult<Self> {
        let (opencl, _) = format_of(format)?;
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
        let kind = match desc.r#type {
            MemType::IMAGE1D => Kind::D1,
            MemType::IMAGE1D_ARRAY => Kind::D1Array,
            MemType::IMAGE2D => Kind::D2,
            MemType::IMAGE2D_ARRAY => Kind::D2Array,
            MemType::IMAGE3D => Kind::D3,
            other => return Err(bad_shape(format!("images of type {other:?} are not supported"))),
        };
        let shape = Shape::new(&Desc {
            kind,
            format: opencl,
            size: [desc.width, desc.height, desc.depth],
            array_size: desc.arraySize,
            row_pitch: desc.rowPitch,
            slice_pitch: desc.slicePitch,
        });
        Ok(Self {
            shape: shape.map_err(device_error::image)?,
            format: *format,
            kind: desc.r#type,
        })
    }

    /// The same without gaps between rows and slices.
    pub(super) fn packed(&self) -> Self {
        Self {
            shape: self.shape.packed(),
            ..self.clone()
        }
    }

    /// The same with its pixels at an address.
    pub(super) fn at(self, data: *mut u8) -> Self {
        Self {
            shape: self.shape.at(data),
            ..self
        }
    }

    /// The descriptor for kernels.
    #[inline]
    pub(super) fn image(&self) -> &Image {
        self.shape.image()
    }

    /// Its shape.
    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its size in bytes; `None` if that overflows.
    pub(super) fn bytes(&self) -> Option<usize> {
        self.shape.bytes()
    }

    /// Copies all pixels to another image of the same size and format.
    ///
    /// # Safety
    /// Both images must have pixels that nobody else uses meanwhile, and must not overlap.
    pub(super) unsafe fn copy(&self, target: &Self) -> UrResult<()> {
        let (extent, src) = self.shape.layout(&self.shape.whole()).map_err(device_error::image)?;
        let (_, dst) = target
            .shape
            .layout(&target.shape.whole())
            .map_err(device_error::image)?;
        let copy = CopyRows { dst, src, extent };
        // SAFETY: passed on to the caller.
        unsafe { copy.run(0..copy.blocks()) };
        Ok(())
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
        } = *self.shape.image();
        let number = |has: bool, value: u64| if has { value as usize } else { 0 };
        match query {
            ImageInfo::FORMAT => out.value(self.format),
            ImageInfo::ELEMENT_SIZE => out.value(self.shape.pixel()),
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

#[cfg(test)]
mod tests {
    use kit::ur::ResultCode;

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
            format_of(&format).map(|(_, bytes)| bytes).map_err(|error| error.code())
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
        let expected = Format {
            order: 0x10c1,
            channel: 0x10d2,
        };
        assert_eq!(numbers.unwrap(), (expected, 4));
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
        let part = |shape: &ImageExtent, origin: [u64; 3], size: [u64; 3]| {
            let [x, y, z] = origin;
            let [width, height, depth] = size;
            let region = region(RectOffset { x, y, z }, RectRegion { width, height, depth });
            shape.shape().layout(&region)
        };
        let cube = ImageExtent::new(&BYTES, &desc(MemType::IMAGE3D, [4, 3, 2], 0), false).unwrap();
        assert_eq!(cube.bytes(), Some(96));
        let (extent, layout) = part(&cube, [1, 2, 1], [3, 1, 1]).unwrap();
        assert_eq!(
            (layout.at as usize, extent.width, extent.height, extent.depth),
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
        let (extent, layout) = part(&rows, [2, 1, 0], [2, 2, 1]).unwrap();
        assert_eq!(
            (layout.at as usize, extent.width, extent.height, layout.row_pitch),
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
        let mut from: Vec<u8> = (0..160).collect();
        let mut to = vec![0u8; 64];
        // SAFETY: both have as many bytes as their shapes say.
        unsafe { given.at(from.as_mut_ptr()).copy(&packed.at(to.as_mut_ptr())) }.unwrap();
        let expected: Vec<u8> = [0, 20, 80, 100].iter().flat_map(|row| *row..row + 16).collect();
        assert_eq!(to, expected);
    }
}
