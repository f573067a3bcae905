// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images, and the copies of their pixels. An image is one of the context's first device, whose memory others reach or not.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::*;
use kit::{Context as _, HostPointer, ImageCreate, ImageLimits, ImageRect, ImageShape, InfoOut, PixelSteps, UrResult};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::queue::{Deps, append, append_barrier};
use crate::ze::{ImageKind, Owned, desc, ze_get};
use crate::{Context, Device, LevelZero, conv};

/// What is special about an image.
pub(crate) struct Image {
    raw: Owned<ImageKind>,
    pub(crate) shape: ImageShape,
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
    steps: PixelSteps,
    to_image: bool,
}

/// A box of an image of this shape, which is inside of it.
pub(crate) fn region(shape: &ImageShape, origin: RectOffset, size: RectRegion) -> UrResult<ze_image_region_t> {
    shape.check_box(origin, size)?;
    Ok(ze_image_region_t {
        originX: origin.x as u32,
        originY: origin.y as u32,
        originZ: origin.z as u32,
        width: size.width as u32,
        height: size.height as u32,
        depth: size.depth as u32,
    })
}

impl Pixels {
    /// A copy of a box from or to memory.
    pub(crate) fn new(shape: &ImageShape, rect: &ImageRect, memory: *mut c_void, to_image: bool) -> UrResult<Self> {
        let pitches = [rect.row_pitch, rect.slice_pitch];
        let [Ok(row), Ok(slice)] = pitches.map(u32::try_from) else {
            kit::bail!(ERROR_INVALID_SIZE: "rows and slices cannot be {pitches:?} bytes apart in Level Zero");
        };
        Ok(Self {
            region: region(shape, rect.origin, rect.region)?,
            memory,
            pitches: [row, slice],
            steps: shape.steps(rect)?,
            to_image,
        })
    }
}

impl Image {
    /// What a client's description means on a device.
    pub(crate) fn describe(
        device: &Device,
        format: &ImageFormat,
        desc: &ImageDesc,
    ) -> UrResult<(ImageShape, ze_image_desc_t)> {
        let is_srgb = format.channelOrder == ImageChannelOrder::SRGBA;
        let known = conv::image_format(format).filter(|_| !is_srgb || device.driver.has(ZE_SRGB_EXT_NAME));
        let Some((layout, pixel)) = known else {
            kit::bail!(
                ERROR_UNSUPPORTED_IMAGE_FORMAT:
                    "the Level Zero driver has no image format of {:?}, {:?}", format.channelOrder, format.channelType
            );
        };
        let f = &device.facts.images;
        let limits = ImageLimits {
            sides: [f.maxImageDims1D, f.maxImageDims2D, f.maxImageDims3D],
            layers: f.maxImageArraySlices,
        };
        let shape = ImageShape::new(format, desc, pixel, &limits)?;
        let [width, height, depth] = shape.pixels();
        let ze_desc = ze_image_desc_t {
            type_: match shape.kind() {
                MemType::IMAGE1D => ZE_IMAGE_TYPE_1D,
                MemType::IMAGE1D_ARRAY => ZE_IMAGE_TYPE_1DARRAY,
                MemType::IMAGE2D => ZE_IMAGE_TYPE_2D,
                MemType::IMAGE2D_ARRAY => ZE_IMAGE_TYPE_2DARRAY,
                _ => ZE_IMAGE_TYPE_3D,
            },
            format: layout,
            width: width.into(),
            height,
            depth,
            arraylevels: shape.layers(),
            ..Default::default()
        };
        Ok((shape, ze_desc))
    }

    pub(crate) fn new(raw: Owned<ImageKind>, shape: ImageShape, device: &Device) -> Self {
        Self {
            raw,
            shape,
            has_pitches: device.driver.has(ZE_IMAGE_COPY_EXT_NAME),
        }
    }

    /// The driver's handle.
    pub(crate) fn handle(&self) -> ze_image_handle_t {
        *self.raw
    }

    /// Appends a copy.
    ///
    /// # Safety
    /// The list is live and for this thread, the events are live, and the memory is good until the command is complete.
    pub(crate) unsafe fn append(
        &self,
        list: ze_command_list_handle_t,
        pixels: &Pixels,
        mut deps: Deps<'_>,
    ) -> UrResult<()> {
        let (image, memory, region) = (self.handle(), pixels.memory, &pixels.region);
        let [row, slice] = pixels.pitches;
        // SAFETY: passed on to the caller; the region lives until the calls return.
        unsafe {
            match (pixels.steps.is_packed, self.has_pitches, pixels.to_image) {
                (true, _, true) => append!(
                    deps,
                    zeCommandListAppendImageCopyFromMemory(list, image, memory, region)
                ),
                (true, _, false) => append!(deps, zeCommandListAppendImageCopyToMemory(list, memory, image, region)),
                (_, true, true) => append!(
                    deps,
                    zeCommandListAppendImageCopyFromMemoryExt(list, image, memory, region, row, slice)
                ),
                (_, true, false) => append!(
                    deps,
                    zeCommandListAppendImageCopyToMemoryExt(list, memory, image, region, row, slice)
                ),
                _ => {
                    for (z, y) in (0..region.depth).flat_map(|z| (0..region.height).map(move |y| (z, y))) {
                        let mut row = *pixels;
                        row.memory = memory.byte_add(z as usize * row.steps.slice + y as usize * row.steps.row);
                        row.steps.is_packed = true;
                        row.region = ze_image_region_t {
                            originY: region.originY + y,
                            originZ: region.originZ + z,
                            height: 1,
                            depth: 1,
                            ..*region
                        };
                        self.append(list, &row, deps.waits())?;
                    }
                    append_barrier(list, deps.signals())
                }
            }
        }
    }
}

impl kit::UsmMemImage<LevelZero> for Image {
    fn create(context: &Arc<Context>, create: &ImageCreate<'_>) -> UrResult<Self> {
        kit::check_host_flags(create.flags)?;
        let device = &context.devices[0];
        let (shape, mut desc) = Self::describe(device, create.format, create.desc)?;
        let srgb = desc!(ze_srgb_ext_desc_t: sRGB = 1);
        if create.format.channelOrder == ImageChannelOrder::SRGBA {
            desc.pNext = (&raw const srgb).cast();
        }
        if !create.flags.contains(MemFlags::READ_ONLY) {
            desc.flags = ZE_IMAGE_FLAG_KERNEL_WRITE;
        }
        let pixels = |host: HostPointer| Pixels::new(&shape, &shape.whole(create.desc), host.0, true);
        let initial = create.host.map(pixels).transpose();
        let initial = initial.map_err(|error| error.with_code(ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR))?;
        // SAFETY: a live context and a device of it, structures that live until the call returns, and the image that was
        // just made.
        let raw = unsafe { Owned::new(ze_get!(zeImageCreate(**context.raw, device.raw, &desc))?, true) };
        let image = Self::new(raw, shape, device);
        if let Some(pixels) = initial {
            // SAFETY: a live list; the client vouches for its memory, and the command is complete when this returns.
            context.synchronously(|list| unsafe { image.append(list, &pixels, Deps::none()) })?;
        }
        Ok(image)
    }

    fn from_native(
        context: &Arc<Context>,
        native: NativeHandle,
        format: &ImageFormat,
        desc: &ImageDesc,
        owned: bool,
    ) -> UrResult<Self> {
        let device = &context.devices[0];
        let (shape, _) = Self::describe(device, format, desc)?;
        // SAFETY: the client vouches for its native handle.
        let raw = unsafe { Owned::new(native as ze_image_handle_t, owned) };
        Ok(Self::new(raw, shape, device))
    }

    fn bytes(&self) -> usize {
        self.shape.bytes()
    }

    fn info(&self, query: ImageInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.shape.info(query, out)
    }

    fn native(&self) -> UrResult<NativeHandle> {
        Ok(self.handle() as NativeHandle)
    }

    fn retire(&mut self, context: &Arc<Context>) {
        context.retire(self.raw.take());
    }
}
