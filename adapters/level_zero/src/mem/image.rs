// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images, and the copies of their pixels. An image is one of the context's first device, whose memory others reach or not.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::*;
use kit::{ImageCreate, InfoOut, UrError, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::ze::{ImageKind, Owned, ze, ze_get};
use crate::{Context, Device, conv};

/// What is special about an image.
pub(crate) struct Image {
    /// `None` once it is retired.
    raw: Option<Owned<ImageKind>>,
    format: ImageFormat,
    kind: MemType,
    /// The pixels of each dimension; the layers of an array are the one behind its own.
    sides: [u64; 3],
    /// The bytes of a pixel.
    pixel: usize,
    /// Whether the driver copies from and to rows with gaps.
    has_pitches: bool,
}

/// A box of pixels, and memory that they are copied from or to.
#[derive(Clone, Copy)]
pub(crate) struct Pixels {
    region: ze_image_region_t,
    memory: *mut c_void,
    /// As the client gave them: 0 means without gaps.
    pitches: [u32; 2],
    /// Bytes from row to row, and from slice to slice.
    steps: [usize; 2],
    is_packed: bool,
    to_image: bool,
}

/// The last three parameters of functions that append.
pub(crate) type Events = (ze_event_handle_t, u32, *mut ze_event_handle_t);

fn bad_size(what: String) -> UrError {
    UrError::with_message(ResultCode::ERROR_INVALID_SIZE, what)
}

impl Image {
    /// What a client's description means on a device.
    fn describe(device: &Device, format: &ImageFormat, desc: &ImageDesc) -> UrResult<(Self, ze_image_desc_t)> {
        let is_srgb = format.channelOrder == ImageChannelOrder::SRGBA;
        let known = conv::image_format(format).filter(|_| !is_srgb || device.driver.has(ZE_SRGB_EXT_NAME));
        let Some((layout, pixel)) = known else {
            return Err(UrError::with_message(
                ResultCode::ERROR_UNSUPPORTED_IMAGE_FORMAT,
                format!(
                    "the Level Zero driver has no image format of {:?}, {:?}",
                    format.channelOrder, format.channelType
                ),
            ));
        };
        let limits = &device.facts.images;
        let (ze_kind, dimensions, is_array, most) = match desc.r#type {
            MemType::IMAGE1D => (ZE_IMAGE_TYPE_1D, 1, false, limits.maxImageDims1D),
            MemType::IMAGE1D_ARRAY => (ZE_IMAGE_TYPE_1DARRAY, 1, true, limits.maxImageDims1D),
            MemType::IMAGE2D => (ZE_IMAGE_TYPE_2D, 2, false, limits.maxImageDims2D),
            MemType::IMAGE2D_ARRAY => (ZE_IMAGE_TYPE_2DARRAY, 2, true, limits.maxImageDims2D),
            MemType::IMAGE3D => (ZE_IMAGE_TYPE_3D, 3, false, limits.maxImageDims3D),
            other => {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                    format!("Level Zero has no images of type {other:?}"),
                ));
            }
        };
        let mut sides = [1; 3];
        let wanted = [desc.width, desc.height, desc.depth].map(|side| side as u64);
        sides[..dimensions].copy_from_slice(&wanted[..dimensions]);
        let (own, mut fits) = (
            sides,
            sides[..dimensions].iter().all(|side| (1..=most.into()).contains(side)),
        );
        if is_array {
            sides[dimensions] = desc.arraySize as u64;
            fits &= (1..=limits.maxImageArraySlices.into()).contains(&sides[dimensions]);
        }
        if !fits {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_IMAGE_SIZE,
                format!("the device has no images of {sides:?} pixels: {most} a side at most"),
            ));
        }
        let ze_desc = ze_image_desc_t {
            type_: ze_kind,
            format: layout,
            width: own[0],
            height: own[1] as u32,
            depth: own[2] as u32,
            arraylevels: if is_array { sides[dimensions] as u32 } else { 0 },
            ..Default::default()
        };
        let image = Self {
            raw: None,
            format: *format,
            kind: desc.r#type,
            sides,
            pixel,
            has_pitches: device.driver.has(ZE_IMAGE_COPY_EXT_NAME),
        };
        Ok((image, ze_desc))
    }

    /// Makes an image with the client's pixels, if it has some.
    pub(super) fn create(context: &Arc<Context>, create: &ImageCreate<'_>) -> UrResult<Self> {
        super::check_flags(create.flags)?;
        let device = &context.devices[0];
        let (mut image, mut desc) = Self::describe(device, create.format, create.desc)?;
        let srgb = ze_srgb_ext_desc_t {
            sRGB: 1,
            ..Default::default()
        };
        if create.format.channelOrder == ImageChannelOrder::SRGBA {
            desc.pNext = (&raw const srgb).cast();
        }
        if !create.flags.contains(MemFlags::READ_ONLY) {
            desc.flags = ZE_IMAGE_FLAG_KERNEL_WRITE;
        }
        let initial = match create.host {
            Some(host) => {
                let [width, height, depth] = image.sides;
                let (origin, all) = (RectOffset { x: 0, y: 0, z: 0 }, RectRegion { width, height, depth });
                let pitches = [create.desc.rowPitch, create.desc.slicePitch];
                let pixels = image.pixels(origin, all, host.0, pitches, true);
                Some(pixels.map_err(|error| error.with_code(ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR))?)
            }
            None => None,
        };
        // SAFETY: a live context and a device of it, structures that live until the call returns, and the image that was
        // just made.
        image.raw = Some(unsafe { Owned::new(ze_get!(zeImageCreate(**context.raw, device.raw, &desc))?, true) });
        if let Some(pixels) = initial {
            context.synchronously(|list| {
                // SAFETY: a live list; the client vouches for its memory, and the command is complete when this returns.
                unsafe { image.append(list, &pixels, (std::ptr::null_mut(), 0, std::ptr::null_mut())) }
            })?;
        }
        Ok(image)
    }

    /// Wraps a native image.
    pub(super) fn from_native(
        context: &Context,
        native: NativeHandle,
        format: &ImageFormat,
        desc: &ImageDesc,
        owned: bool,
    ) -> UrResult<Self> {
        let (mut image, _) = Self::describe(&context.devices[0], format, desc)?;
        // SAFETY: the client vouches for its native handle.
        image.raw = Some(unsafe { Owned::new(native as ze_image_handle_t, owned) });
        Ok(image)
    }

    /// The driver's handle.
    pub(crate) fn handle(&self) -> ze_image_handle_t {
        self.raw.as_ref().map_or(std::ptr::null_mut(), |raw| **raw)
    }

    /// Ends it when no command uses it any more.
    pub(super) fn retire(&mut self, context: &Arc<Context>) {
        context.retire(self.raw.take());
    }

    /// The bytes of all pixels.
    pub(super) fn bytes(&self) -> usize {
        self.sides.iter().product::<u64>() as usize * self.pixel
    }

    /// Refuses to copy pixels of another format.
    pub(crate) fn check_format(&self, other: &Self) -> UrResult<()> {
        match self.format.channelOrder == other.format.channelOrder
            && self.format.channelType == other.format.channelType
        {
            true => Ok(()),
            false => Err(UrError::with_message(
                ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                format!("a copy does not convert {:?} to {:?}", other.format, self.format),
            )),
        }
    }

    /// A box of it, which is inside of it.
    pub(crate) fn region(&self, origin: RectOffset, region: RectRegion) -> UrResult<ze_image_region_t> {
        let (from, size) = (
            [origin.x, origin.y, origin.z],
            [region.width, region.height, region.depth],
        );
        let is_inside = |d: usize| size[d] != 0 && from[d].checked_add(size[d]).is_some_and(|end| end <= self.sides[d]);
        if !(0..3).all(is_inside) {
            return Err(bad_size(format!(
                "{region:?} at {origin:?} is no box in an image of {:?}",
                self.sides
            )));
        }
        // Sides of images have 32 bits.
        let ([x, y, z], [width, height, depth]) = (from.map(|at| at as u32), size.map(|side| side as u32));
        Ok(ze_image_region_t {
            originX: x,
            originY: y,
            originZ: z,
            width,
            height,
            depth,
        })
    }

    /// A copy of a box from or to memory with these pitches between rows and slices, of which 0 means no gaps.
    pub(crate) fn pixels(
        &self,
        origin: RectOffset,
        region: RectRegion,
        memory: *mut c_void,
        [row_pitch, slice_pitch]: [usize; 2],
        to_image: bool,
    ) -> UrResult<Pixels> {
        let region = self.region(origin, region)?;
        let row = region.width as usize * self.pixel;
        let or = |pitch: usize, packed: usize| if pitch == 0 { packed } else { pitch };
        // The rows of an array of rows are slices.
        let row_step = match self.kind {
            MemType::IMAGE1D_ARRAY => or(slice_pitch, row),
            _ => or(row_pitch, row),
        };
        let slice = row_step.saturating_mul(region.height as usize);
        let has_slices = matches!(self.kind, MemType::IMAGE3D | MemType::IMAGE2D_ARRAY);
        let slice_step = if has_slices { or(slice_pitch, slice) } else { slice };
        let wrong = row_step < row || !row_step.is_multiple_of(self.pixel) || slice_step < slice;
        let ([Ok(row_pitch), Ok(slice_pitch)], false) = ([row_pitch, slice_pitch].map(u32::try_from), wrong) else {
            return Err(bad_size(format!(
                "rows of {row} bytes cannot be {row_pitch} bytes apart, and {slice_pitch} from slice to slice"
            )));
        };
        Ok(Pixels {
            region,
            memory,
            pitches: [row_pitch, slice_pitch],
            steps: [row_step, slice_step],
            is_packed: (row_step == row || region.height == 1 && region.depth == 1)
                && (slice_step == row * region.height as usize || region.depth == 1),
            to_image,
        })
    }

    /// Appends a copy.
    ///
    /// # Safety
    /// The list is live and for this thread, the events are live, and the memory is good until the command is complete.
    pub(crate) unsafe fn append(
        &self,
        list: ze_command_list_handle_t,
        pixels: &Pixels,
        events: Events,
    ) -> UrResult<()> {
        let (signal, count, waits) = events;
        let (image, memory, region) = (self.handle(), pixels.memory, &pixels.region);
        let [row, slice] = pixels.pitches;
        // SAFETY: passed on to the caller; the region lives until the calls return.
        unsafe {
            match (pixels.is_packed, self.has_pitches, pixels.to_image) {
                (true, _, true) => {
                    ze!(zeCommandListAppendImageCopyFromMemory(
                        list, image, memory, region, signal, count, waits
                    ))
                }
                (true, _, false) => {
                    ze!(zeCommandListAppendImageCopyToMemory(
                        list, memory, image, region, signal, count, waits
                    ))
                }
                (_, true, true) => ze!(zeCommandListAppendImageCopyFromMemoryExt(
                    list, image, memory, region, row, slice, signal, count, waits
                )),
                (_, true, false) => ze!(zeCommandListAppendImageCopyToMemoryExt(
                    list, memory, image, region, row, slice, signal, count, waits
                )),
                _ => {
                    for (z, y) in (0..region.depth).flat_map(|z| (0..region.height).map(move |y| (z, y))) {
                        let row = Pixels {
                            region: ze_image_region_t {
                                originY: region.originY + y,
                                originZ: region.originZ + z,
                                height: 1,
                                depth: 1,
                                ..*region
                            },
                            memory: memory.byte_add(z as usize * pixels.steps[1] + y as usize * pixels.steps[0]),
                            is_packed: true,
                            ..*pixels
                        };
                        self.append(list, &row, (std::ptr::null_mut(), count, waits))?;
                    }
                    ze!(zeCommandListAppendBarrier(list, signal, 0, std::ptr::null_mut()))
                }
            }
        }
    }

    /// Answers `urMemImageGetInfo`. As in OpenCL, dimensions that an image does not have are 0.
    pub(super) fn info(&self, query: ImageInfo, out: InfoOut<'_>) -> UrResult<()> {
        let [width, second, third] = self.sides.map(|side| side as usize);
        let row = width * self.pixel;
        let (height, depth, layers, slice) = match self.kind {
            MemType::IMAGE1D => (0, 0, 0, 0),
            MemType::IMAGE1D_ARRAY => (0, 0, second, row),
            MemType::IMAGE2D => (second, 0, 0, 0),
            MemType::IMAGE2D_ARRAY => (second, 0, third, row * second),
            _ => (second, third, 0, row * second),
        };
        match query {
            ImageInfo::FORMAT => out.value(self.format),
            ImageInfo::ELEMENT_SIZE => out.value(self.pixel),
            ImageInfo::ROW_PITCH => out.value(row),
            ImageInfo::SLICE_PITCH => out.value(slice),
            ImageInfo::WIDTH => out.value(width),
            ImageInfo::HEIGHT => out.value(height),
            ImageInfo::DEPTH => out.value(depth),
            ImageInfo::ARRAY_SIZE => out.value(layers),
            ImageInfo::NUM_MIP_LEVELS | ImageInfo::NUM_SAMPLES => out.value(0_u32),
            _ => out.unsupported(),
        }
    }
}
