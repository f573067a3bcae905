// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images: USM with a descriptor for kernels in front of the pixels, which have no gaps.
//!
//! An image is in the memory of the context's device; in a context of several devices it is host USM, which all reach. The
//! client's memory is copied from when the image is made.

pub(crate) mod bindless;

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{ImageFormat, ImageInfo, MemType, NativeHandle, RectOffset, RectRegion, ResultCode};
use kit::{BoxSide, ImageCreate, ImageLimits, ImageRect, ImageShape, InfoOut, UrResult, UsmAlloc};
use oxur_adapter_kit as kit;
use oxur_api_opencl as opencl;
use oxur_compiler::SamplerBits;
use oxur_compiler::nvptx::ImageDescriptor;
use oxur_device_cpu::image::Format;

use crate::{Context, Cuda, Device, Queue, peers};

/// What images there are: a side fits a `float` that is a coordinate.
pub(crate) const LIMITS: ImageLimits = ImageLimits {
    sides: [1 << 16, 1 << 16, 1 << 14],
    layers: 1 << 11,
};

/// How many images or samplers a kernel can have: more than its parameters hold would be an error of their own.
pub(crate) const MOST_ARGUMENTS: u32 = 480;

/// Bytes in front of the pixels.
const HEADER: usize = 256;

const _: () = assert!(size_of::<ImageDescriptor>() <= HEADER);

/// A format by OpenCL's numbers, and the bytes of a pixel.
fn format_of(format: &ImageFormat) -> UrResult<(Format, usize)> {
    let found = Format {
        order: opencl::CHANNEL_ORDERS.to_cl(format.channelOrder)?,
        channel: opencl::CHANNEL_TYPES.to_cl(format.channelType)?,
    };
    match found.pixel_size() {
        Some(bytes) => Ok((found, bytes)),
        None => Err(kit::error!(
            ERROR_UNSUPPORTED_IMAGE_FORMAT:
                "there are no images of {:?}, {:?}: three channels and packed ones are not supported, and some orders have \
                 types of their own",
                format.channelOrder, format.channelType
        )),
    }
}

/// What kernels know of an image whose rows are `row_pitch` bytes apart, with its pixels at an address of the device.
fn descriptor(format: Format, shape: &ImageShape, address: usize, row_pitch: usize) -> UrResult<ImageDescriptor> {
    let dimensions = match shape.kind() {
        MemType::IMAGE1D | MemType::IMAGE1D_ARRAY => 1,
        MemType::IMAGE3D => 3,
        _ => 2,
    };
    let size = shape.pixels().map(u64::from);
    let image = oxur_compiler::Image {
        data: address as *mut u8,
        size,
        array_size: shape.layers().max(1).into(),
        row_pitch: row_pitch as u64,
        slice_pitch: row_pitch as u64 * size[1],
        channel_order: format.order,
        channel_type: format.channel,
        dimensions,
        is_array: (shape.layers() != 0).into(),
        sampler: SamplerBits::NONE,
        class: 0,
    };
    ImageDescriptor::new(image).ok_or_else(|| ResultCode::ERROR_UNSUPPORTED_IMAGE_FORMAT.into())
}

/// Memory of a device; host USM if none is named.
fn allocate(context: &Arc<Context>, device: Option<&Arc<Device>>, size: usize) -> UrResult<usize> {
    let request = kit::UsmRequest {
        kind: match device {
            Some(device) => kit::UsmKind::Device(device),
            None => kit::UsmKind::Host,
        },
        pool: None,
        size,
        properties: kit::UsmProperties::NONE,
    };
    let allocated = context.usm_alloc(request).map_err(|error| match error.code() {
        ResultCode::ERROR_INVALID_USM_SIZE => error.with_code(ResultCode::ERROR_INVALID_IMAGE_SIZE),
        _ => error,
    })?;
    Ok(allocated as usize)
}

/// Frees memory when the commands that use it are complete.
fn free(context: &Arc<Context>, address: usize) {
    if let Err(error) = context.usm_free(address as *mut c_void) {
        log::warn!("memory of an image is leaked: {error}");
    }
}

/// Writes descriptors to memory of the device.
fn write(context: &Arc<Context>, address: usize, descriptors: &[ImageDescriptor]) -> UrResult<()> {
    let from = descriptors.as_ptr().cast();
    context.usm_copy(address as *mut c_void, from, size_of_val(descriptors))
}

/// An image.
pub(crate) struct Image {
    shape: ImageShape,
    /// The bytes of a pixel.
    pixel: usize,
    /// Where the descriptor is.
    address: usize,
}

impl Image {
    /// What kernels get.
    #[inline]
    pub(crate) fn descriptor(&self) -> usize {
        self.address
    }

    /// A box of pixels as bytes, rows and slices; it is inside of the image.
    fn side(&self, origin: RectOffset, region: RectRegion) -> UrResult<(BoxSide, [usize; 3])> {
        self.shape.check_box(origin, region)?;
        let whole = self.shape.extent();
        let row_pitch = whole.width as usize * self.pixel;
        let side = BoxSide {
            address: self.address + HEADER,
            origin: [origin.x as usize * self.pixel, origin.y as usize, origin.z as usize],
            row_pitch,
            slice_pitch: row_pitch * whole.height as usize,
        };
        let size = [
            region.width as usize * self.pixel,
            region.height as usize,
            region.depth as usize,
        ];
        Ok((side, size))
    }

    /// A copy between a box of pixels and the client's memory: both sides, and the size.
    pub(crate) fn with_memory(
        &self,
        rect: &ImageRect,
        memory: *const c_void,
    ) -> UrResult<(BoxSide, BoxSide, [usize; 3])> {
        let (side, size) = self.side(rect.origin, rect.region)?;
        let steps = self.shape.steps(rect)?;
        let other = BoxSide {
            address: memory.addr(),
            origin: [0; 3],
            row_pitch: steps.row,
            slice_pitch: steps.slice,
        };
        Ok((side, other, size))
    }

    /// A copy to a box of another image: both sides, and the size.
    pub(crate) fn with_image(
        &self,
        other: &Self,
        origin: RectOffset,
        other_origin: RectOffset,
        region: RectRegion,
    ) -> UrResult<(BoxSide, BoxSide, [usize; 3])> {
        self.shape.check_format(&other.shape)?;
        let (side, size) = self.side(origin, region)?;
        let (other, _) = other.side(other_origin, region)?;
        Ok((side, other, size))
    }
}

impl kit::UsmMemImage<Cuda> for Image {
    fn create(context: &Arc<Context>, create: &ImageCreate<'_>) -> UrResult<Self> {
        kit::check_host_flags(create.flags)?;
        let (format, pixel) = format_of(create.format)?;
        let shape = ImageShape::new(create.format, create.desc, pixel, &LIMITS)?;
        let rect = shape.whole(create.desc);
        if create.host.is_some() {
            let steps = shape.steps(&rect);
            steps.map_err(|error| error.with_code(ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR))?;
        }
        let device = match &context.devices[..] {
            [device] => Some(device),
            _ => None,
        };
        let address = allocate(context, device, HEADER + shape.bytes())?;
        let row_pitch = rect.region.width as usize * pixel;
        let image = Self { shape, pixel, address };
        let filled = || {
            let descriptor = descriptor(format, &image.shape, address + HEADER, row_pitch)?;
            write(context, address, &[descriptor])?;
            match create.host {
                Some(host) => {
                    let (to, from, size) = image.with_memory(&rect, host.0)?;
                    copy_now(context, &to, &from, size)
                }
                None => Ok(()),
            }
        };
        filled().inspect_err(|_| free(context, address))?;
        Ok(image)
    }

    fn bytes(&self) -> usize {
        self.shape.bytes()
    }

    fn info(&self, query: ImageInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.shape.info(query, out)
    }

    fn native(&self) -> UrResult<NativeHandle> {
        // CUDA has no object for it.
        kit::unsupported()
    }

    fn retire(&mut self, context: &Arc<Context>) {
        free(context, self.address);
    }
}

/// Whether the rows and slices of a box have no gaps on one side.
fn is_packed(side: &BoxSide, [width, height, depth]: [usize; 3]) -> bool {
    let has_rows = side.row_pitch == width || height == 1 && depth == 1;
    has_rows && (depth == 1 || side.slice_pitch == side.row_pitch * height)
}

/// Where a box starts.
fn start(side: &BoxSide) -> *mut c_void {
    let [x, y, z] = side.origin;
    (side.address + x + y * side.row_pitch + z * side.slice_pitch) as *mut c_void
}

/// What a copy of a box is as one of bytes, if it has no gaps: to, from, and how many.
pub(crate) fn as_bytes(to: &BoxSide, from: &BoxSide, size: [usize; 3]) -> Option<(*mut c_void, *mut c_void, usize)> {
    let is_row = is_packed(to, size) && is_packed(from, size);
    is_row.then(|| (start(to), start(from), size.iter().product()))
}

/// Copies a box without a queue.
fn copy_now(context: &Arc<Context>, to: &BoxSide, from: &BoxSide, size: [usize; 3]) -> UrResult<()> {
    if let Some((to, from, size)) = as_bytes(to, from, size) {
        return context.usm_copy(to, from, size);
    }
    let _current = context.primary().activate()?;
    let lane = context.primary().own_lane()?;
    let copy = Queue::box_copy(context, to, from, size)?;
    // SAFETY: a live stream and a description. The caller vouches for the memory; the copy is complete when this returns.
    unsafe { peers::copy_box(&copy, lane.stream) }?;
    lane.synchronize()
}
