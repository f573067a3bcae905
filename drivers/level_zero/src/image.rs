// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Images: Level Zero's functions on [`oxur_device_cpu::image`], which has their shapes and copies.
//!
//! The pixels of an image are memory without gaps between rows. Other images may have the same pixels: views, and images of
//! linear memory (`ze_image_pitched_exp_desc_t`). Kernels know any image by the address of its descriptor, which is what
//! `zeImageGetDeviceOffsetExp` gives for bindless ones. The descriptor has the sampler of a sampled image.

mod format;
#[cfg(test)]
mod tests;

use std::ffi::c_void;
use std::sync::{Arc, Weak};

use level_zero_sys::*;
use oxur_compiler::SamplerBits;
use oxur_device_cpu::bytes::CopyRows;
use oxur_device_cpu::image::{Desc, ImageError, Kind, Region, Shape};

use crate::entry::{Error, ZeResult, entry, err};
use crate::handle::{Chain, destroy, export, object, out, required};
use crate::mem::access::PITCH_ALIGNMENT;
use crate::mem::block::Block;
use crate::mem::{Options, new_id};
use crate::sampler::bits_of;
use crate::{Context, Device};

/// An image.
pub(crate) struct Image {
    /// What it is in, which does not go before it by the rules of Level Zero.
    context: Weak<Context>,
    /// Its shape, with the address of its pixels.
    shape: Shape,
    id: u64,
    /// The memory of its pixels; `None` if the client imported that into the driver.
    memory: Option<Arc<Block>>,
    is_bindless: bool,
}

impl From<ImageError> for Error {
    #[cold]
    fn from(error: ImageError) -> Self {
        let code = match error {
            ImageError::Format(_) => ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
            ImageError::Side { .. }
            | ImageError::RowPitch { .. }
            | ImageError::SlicePitch { .. }
            | ImageError::Outside { .. }
            | ImageError::ClientPitch { .. }
            | ImageError::Conversion(..)
            | ImageError::Sizes(..) => ZE_RESULT_ERROR_INVALID_ARGUMENT,
        };
        Self::new(code, error)
    }
}

impl Image {
    /// The first pixel.
    pub(crate) fn data(&self) -> *mut u8 {
        self.shape.image().data
    }

    /// What kernels get. It stays where it is as long as the image.
    pub(crate) fn descriptor(&self) -> &oxur_compiler::Image {
        self.shape.image()
    }

    /// A region of it, which is all of it for a client that names none. The dimensions that it does not have may be 0 or 1.
    fn region(&self, region: Option<&ze_image_region_t>) -> Region {
        let Some(region) = region else {
            return self.shape.whole();
        };
        let sides = self.shape.sides();
        let mut size = [region.width, region.height, region.depth].map(u64::from);
        for (length, side) in size.iter_mut().zip(sides).skip(1) {
            if side == 1 && *length == 0 {
                *length = 1;
            }
        }
        Region {
            origin: [region.originX, region.originY, region.originZ].map(u64::from),
            size,
        }
    }

    /// The copy of a region to memory with these pitches, of which 0 means no gaps.
    pub(crate) fn copy_to_memory(
        &self,
        region: Option<&ze_image_region_t>,
        to: *mut c_void,
        row_pitch: u32,
        slice_pitch: u32,
    ) -> ZeResult<CopyRows> {
        let region = self.region(region);
        Ok(self
            .shape
            .copy_to(&region, to.cast(), row_pitch as usize, slice_pitch as usize)?)
    }

    /// The copy of memory with these pitches, of which 0 means no gaps, to a region.
    pub(crate) fn copy_from_memory(
        &self,
        region: Option<&ze_image_region_t>,
        from: *const c_void,
        row_pitch: u32,
        slice_pitch: u32,
    ) -> ZeResult<CopyRows> {
        let region = self.region(region);
        Ok(self
            .shape
            .copy_from(&region, from.cast(), row_pitch as usize, slice_pitch as usize)?)
    }

    /// The copy of a region of an image to a region of this one.
    pub(crate) fn copy_from_image(
        &self,
        region: Option<&ze_image_region_t>,
        source: &Self,
        source_region: Option<&ze_image_region_t>,
    ) -> ZeResult<CopyRows> {
        let (to, from) = (self.region(region), source.region(source_region));
        let copy = source.shape.copy_to_image(&from, &self.shape, &to)?;
        let meet = |at: usize| {
            to.origin[at] < from.origin[at] + from.size[at] && from.origin[at] < to.origin[at] + to.size[at]
        };
        if self.data() == source.data() && (0..3).all(meet) {
            return err(ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
        }
        Ok(copy)
    }
}

/// What a client asks for.
struct Request<'a> {
    desc: Desc,
    chain: Chain,
    next: *const c_void,
    pitched: Option<&'a ze_image_pitched_exp_desc_t>,
    is_bindless: bool,
    /// That of a sampled image.
    sampler: SamplerBits,
}

/// Checks a descriptor.
///
/// # Safety
/// It must be a descriptor with its chain.
unsafe fn request<'a>(desc: &ze_image_desc_t) -> ZeResult<Request<'a>> {
    if desc.flags > 0x3 || desc.type_ > ZE_IMAGE_TYPE_BUFFER {
        return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
    }
    let kind = match desc.type_ {
        ZE_IMAGE_TYPE_1D => Kind::D1,
        ZE_IMAGE_TYPE_1DARRAY => Kind::D1Array,
        ZE_IMAGE_TYPE_2D => Kind::D2,
        ZE_IMAGE_TYPE_2DARRAY => Kind::D2Array,
        ZE_IMAGE_TYPE_3D => Kind::D3,
        _ => {
            return Err(Error::new(
                ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                "kernels cannot use images of buffers",
            ));
        }
    };
    // SAFETY: passed on to the caller.
    let chain = unsafe { Chain::new(desc.pNext) };
    let is_srgb = chain.find::<ze_srgb_ext_desc_t>().is_some_and(|srgb| srgb.sRGB != 0);
    let format = format::format_of(&desc.format, is_srgb)?;
    // Intel's adapter says that there is one.
    if desc.miplevels > 1 {
        return Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "images with mip levels are not supported",
        ));
    }
    let bindless = chain
        .find::<ze_image_bindless_exp_desc_t>()
        .map_or(0, |bindless| bindless.flags);
    let (is_bindless, is_sampled) = (
        bindless & ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS != 0,
        bindless & ZE_IMAGE_BINDLESS_EXP_FLAG_SAMPLED_IMAGE != 0,
    );
    if bindless > 0x3 {
        return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
    }
    let sampler = match (is_sampled, chain.find::<ze_sampler_desc_t>()) {
        (true, Some(sampler)) => bits_of(sampler)?,
        (true, None) => {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "a sampled image needs a ze_sampler_desc_t in the chain of its description",
            ));
        }
        (false, _) => SamplerBits::NONE,
    };
    let custom = chain.find::<ze_custom_pitch_exp_desc_t>();
    let pitched = chain.find::<ze_image_pitched_exp_desc_t>();
    let width = usize::try_from(desc.width).unwrap_or(usize::MAX);
    let (row_pitch, slice_pitch) = match (pitched, custom) {
        (Some(_), Some(custom)) => (custom.rowPitch, custom.slicePitch),
        (Some(_), None) if kind.dimensions() > 1 => {
            let row = width.saturating_mul(format.pixel_size().unwrap_or(1));
            (row.checked_next_multiple_of(PITCH_ALIGNMENT).unwrap_or(row), 0)
        }
        _ => (0, 0),
    };
    Ok(Request {
        desc: Desc {
            kind,
            format,
            size: [width, desc.height as usize, desc.depth as usize],
            array_size: desc.arraylevels as usize,
            row_pitch,
            slice_pitch,
        },
        chain,
        next: desc.pNext,
        pitched,
        is_bindless,
        sampler,
    })
}

/// Creates an image.
///
/// # Safety
/// The descriptor must be one with its chain.
unsafe fn create(context: &Arc<Context>, device: &Arc<Device>, desc: &ze_image_desc_t) -> ZeResult<Image> {
    // SAFETY: passed on to the caller.
    let request = unsafe { request(desc) }?;
    let shape = Shape::new(&request.desc)?;
    let size = shape.bytes().filter(|size| *size <= crate::mem::max_allocation());
    let Some(size) = size else {
        return Err(Error::new(
            ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
            format_args!("an image has {} bytes at most", crate::mem::max_allocation()),
        ));
    };
    let (address, memory, id) = match request.pitched {
        Some(pitched) => {
            let address = pitched.ptr as usize;
            // The last row need not be followed by a gap.
            let gap = shape.image().row_pitch as usize - shape.packed().image().row_pitch as usize;
            match context.find(address) {
                Some(found) if found.contains(address, size - gap) => {
                    (address, context.memory.block(address), found.id)
                }
                _ => {
                    return Err(Error::new(
                        ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        format_args!("{size} bytes at {:p} are not in memory of the context", pitched.ptr),
                    ));
                }
            }
        }
        None => {
            // SAFETY: passed on to the caller.
            let options = unsafe { Options::of(request.next) }?;
            let block = context.new_block(ZE_MEMORY_TYPE_DEVICE, Some(device), size, 0, &options)?;
            (block.about.base, Some(Arc::new(block)), new_id())
        }
    };
    Ok(Image {
        context: Arc::downgrade(context),
        shape: shape.at(address as *mut u8).sampled(request.sampler),
        id,
        memory,
        is_bindless: request.is_bindless,
    })
}

/// Creates another image of the pixels of an image.
///
/// # Safety
/// The descriptor must be one with its chain.
unsafe fn view(context: &Arc<Context>, image: &Image, desc: &ze_image_desc_t) -> ZeResult<Image> {
    if !std::ptr::eq(image.context.as_ptr(), Arc::as_ptr(context)) {
        return Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "the image is another context's",
        ));
    }
    // SAFETY: passed on to the caller.
    let request = unsafe { request(desc) }?;
    let planes = [
        request
            .chain
            .find::<ze_image_view_planar_ext_desc_t>()
            .map(|plane| plane.planeIndex),
        request
            .chain
            .find::<ze_image_view_planar_exp_desc_t>()
            .map(|plane| plane.planeIndex),
    ];
    if planes.into_iter().flatten().any(|plane| plane != 0) {
        return Err(Error::new(
            ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
            "there are no images with several planes",
        ));
    }
    let whole = image.shape.image();
    let shape = Shape::new(&Desc {
        row_pitch: whole.row_pitch as usize,
        slice_pitch: whole.slice_pitch as usize,
        ..request.desc
    })?;
    if shape.bytes() > image.shape.bytes() {
        return Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "the view has more pixels than the image",
        ));
    }
    Ok(Image {
        context: image.context.clone(),
        shape: shape.at(image.data()).sampled(request.sampler),
        id: image.id,
        memory: image.memory.clone(),
        is_bindless: request.is_bindless,
    })
}

/// Makes a view and its handle.
///
/// # Safety
/// As for `zeImageViewCreateExt`.
unsafe fn create_view(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    desc: *const ze_image_desc_t,
    image: ze_image_handle_t,
    handle: *mut ze_image_handle_t,
) -> ZeResult {
    // SAFETY: passed on to the caller.
    unsafe {
        let (context, device) = (object::<Context>(context)?, object::<Device>(device)?);
        let image = object::<Image>(image)?;
        let (desc, handle) = (required(desc)?, out(handle)?);
        context.check_device(device)?;
        *handle = export(Arc::new(view(context, image, desc)?));
    }
    Ok(())
}

/// Checks the handles of functions that move images to or from a device.
///
/// # Safety
/// The handles must be what the specification asks for.
unsafe fn resident(context: ze_context_handle_t, device: ze_device_handle_t, image: ze_image_handle_t) -> ZeResult {
    // SAFETY: passed on to the caller.
    unsafe {
        object::<Context>(context)?.check_device(object::<Device>(device)?)?;
        object::<Image>(image)?;
    }
    Ok(())
}

entry! {
    fn zeImageGetProperties(
        device: ze_device_handle_t,
        desc: *const ze_image_desc_t,
        properties: *mut ze_image_properties_t,
    ) {
        // SAFETY: passed on to the caller.
        let (desc, properties) = unsafe {
            object::<Device>(device)?;
            (required(desc)?, out(properties)?)
        };
        // SAFETY: as above.
        let request = unsafe { request(desc) };
        let invalid = request.as_ref().is_err_and(|error| error.code() == ZE_RESULT_ERROR_INVALID_ENUMERATION);
        if invalid {
            return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        properties.samplerFilterFlags = match &request {
            Ok(request) if request.desc.format.is_filtered() => {
                ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT | ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR
            }
            Ok(_) => ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT,
            Err(_) => 0,
        };
        // SAFETY: as above.
        let chain = unsafe { Chain::new(properties.pNext) };
        if let Some(support) = chain.find_mut::<ze_image_format_support_ext_properties_t>() {
            support.supported = request.is_ok().into();
        }
        Ok(())
    }

    fn zeImageCreate(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_image_desc_t,
        image: *mut ze_image_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let (context, device) = (object::<Context>(context)?, object::<Device>(device)?);
            let (desc, image) = (required(desc)?, out(image)?);
            context.check_device(device)?;
            *image = export(Arc::new(create(context, device, desc)?));
        }
        Ok(())
    }

    fn zeImageDestroy(image: ze_image_handle_t) {
        // SAFETY: passed on to the caller.
        let image = unsafe { destroy::<Image>(image) }?;
        // Commands may use its pixels, though they should not.
        if let (Some(context), Some(memory)) = (image.context.upgrade(), image.memory.clone()) {
            context.memory.release(memory, &context.in_flight);
        }
        Ok(())
    }

    fn zeImageViewCreateExt(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_image_desc_t,
        image: ze_image_handle_t,
        view: *mut ze_image_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe { create_view(context, device, desc, image, view) }
    }

    fn zeImageViewCreateExp(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_image_desc_t,
        image: ze_image_handle_t,
        view: *mut ze_image_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe { create_view(context, device, desc, image, view) }
    }

    fn zeImageGetMemoryPropertiesExp(image: ze_image_handle_t, properties: *mut ze_image_memory_properties_exp_t) {
        // SAFETY: passed on to the caller.
        let (image, properties) = unsafe { (object::<Image>(image)?, out(properties)?) };
        properties.size = image.shape.bytes().unwrap_or(0) as u64;
        properties.rowPitch = image.descriptor().row_pitch;
        properties.slicePitch = image.descriptor().slice_pitch;
        Ok(())
    }

    fn zeImageGetDeviceOffsetExp(image: ze_image_handle_t, offset: *mut u64) {
        // SAFETY: passed on to the caller.
        let (image, offset) = unsafe { (object::<Image>(image)?, out(offset)?) };
        if !image.is_bindless {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                "kernels know only bindless images by a number",
            ));
        }
        *offset = std::ptr::from_ref(image.descriptor()).expose_provenance() as u64;
        Ok(())
    }

    fn zeImageGetAllocPropertiesExt(
        context: ze_context_handle_t,
        image: ze_image_handle_t,
        properties: *mut ze_image_allocation_ext_properties_t,
    ) {
        // SAFETY: passed on to the caller.
        let (context, image, properties) =
            unsafe { (object::<Context>(context)?, object::<Image>(image)?, out(properties)?) };
        properties.id = image.id;
        // SAFETY: as above.
        let chain = unsafe { Chain::new(properties.pNext) };
        if let Some(export) = chain.find_mut::<ze_external_memory_export_fd_t>() {
            crate::mem::external::check_kinds(export.flags)?;
            let Some(memory) = &image.memory else {
                return Err(Error::new(
                    ZE_RESULT_ERROR_INVALID_ARGUMENT,
                    "the pixels of the image are memory of the client",
                ));
            };
            export.fd = context.descriptor_of(memory)?;
        }
        Ok(())
    }

    fn zeContextMakeImageResident(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        image: ze_image_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        unsafe { resident(context, device, image) }
    }

    fn zeContextEvictImage(context: ze_context_handle_t, device: ze_device_handle_t, image: ze_image_handle_t) {
        // SAFETY: passed on to the caller.
        unsafe { resident(context, device, image) }
    }
}
