// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Bindless images: those of the driver that kernels know by a number.
//!
//! Image memory is a bindless image of Level Zero, whose handle the client gets. A number for kernels is a view of it, or an
//! image of the client's USM, with the sampler if there is one. The context keeps all of them until the client destroys them.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null;
use std::sync::Arc;

use kit::ur::{
    ExpExternalMemType, ExpImageMemNativeHandle, ExpImageMemType, ExpImageNativeHandle, ImageInfo, MemType, RectRegion,
    ResultCode,
};
use kit::{
    BindlessBox, BindlessCopy, BindlessImage, BindlessPlace, BindlessUse, BoxSide, Context as _, ExternalFd, ImageRect,
    InfoOut, MemoryQueue, SamplerProperties, UrError, UrResult,
};
use level_zero_sys::*;
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

use crate::image::Image;
use crate::queue::How;
use crate::usm::foreign::{external_type, import};
use crate::ze::{ImageKind, MemKind, Owned, desc, ze_get};
use crate::{Context, Device, LevelZero, Queue, conv, sampler};

/// The bindless images of a context.
#[derive(Default)]
pub(crate) struct Images {
    /// Image memory, by the driver's handle.
    memory: Mutex<HashMap<usize, Arc<Image>>>,
    /// What kernels know, by the number.
    handles: Mutex<HashMap<usize, Owned<ImageKind>>>,
}

/// Refuses images that Level Zero does not have as bindless ones.
fn check(device: &Device, image: &BindlessImage<'_>) -> UrResult<()> {
    if !device.has_bindless() {
        kit::bail!(ERROR_UNSUPPORTED_FEATURE: "the driver has no bindless images: it lacks {ZE_BINDLESS_IMAGE_EXP_NAME:?}");
    }
    if image.desc.numMipLevel > 1 || image.desc.numSamples > 1 {
        kit::bail!(ERROR_UNSUPPORTED_FEATURE: "there are no images with several mip levels or samples");
    }
    match image.desc.r#type <= MemType::IMAGE1D_ARRAY {
        true => Ok(()),
        false => Err(kit::error!(ERROR_UNSUPPORTED_FEATURE: "there are no images of type {:?}", image.desc.r#type)),
    }
}

/// The error as UR has it for these functions.
pub(crate) fn of_bindless(error: UrError) -> UrError {
    let code = match error.code() {
        ResultCode::ERROR_INVALID_ARGUMENT => ResultCode::ERROR_INVALID_VALUE,
        ResultCode::ERROR_UNSUPPORTED_IMAGE_FORMAT => ResultCode::ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        ResultCode::ERROR_INVALID_SIZE => ResultCode::ERROR_INVALID_IMAGE_SIZE,
        _ => return error,
    };
    error.with_code(code)
}

fn unknown(what: &str, handle: usize) -> UrError {
    kit::error!(ERROR_INVALID_VALUE: "{handle:#x} is no {what} of this context")
}

impl Context {
    /// Makes image memory.
    ///
    /// # Safety
    /// `next` is a chain for descriptions of images, or null.
    unsafe fn new_image(
        &self,
        device: &Device,
        image: &BindlessImage<'_>,
        next: *const c_void,
    ) -> UrResult<ExpImageMemNativeHandle> {
        check(device, image)?;
        let (shape, mut desc) = Image::describe(device, image.format, image.desc).map_err(of_bindless)?;
        let bindless = desc!(ze_image_bindless_exp_desc_t: flags = ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS, pNext = next);
        desc.pNext = (&raw const bindless).cast();
        desc.flags = ZE_IMAGE_FLAG_KERNEL_WRITE;
        // SAFETY: a live context and a device of it, structures that live until the call returns, and the image that was
        // just made.
        let raw = unsafe { Owned::new(ze_get!(zeImageCreate(**self.raw, device.raw, &desc))?, true) };
        let image = Arc::new(Image::new(raw, shape, device));
        let memory = image.handle() as ExpImageMemNativeHandle;
        self.shared.bindless.memory.lock().insert(memory, image);
        Ok(memory)
    }

    /// Image memory.
    fn image_memory(&self, memory: ExpImageMemNativeHandle) -> UrResult<Arc<Image>> {
        let known = self.shared.bindless.memory.lock();
        known
            .get(&memory)
            .cloned()
            .ok_or_else(|| unknown("image memory", memory))
    }

    /// The image that kernels know by a number.
    fn bindless_view(
        &self,
        device: &Device,
        memory: ExpImageMemNativeHandle,
        image: &BindlessImage<'_>,
        sampler: Option<&SamplerProperties>,
    ) -> UrResult<Owned<ImageKind>> {
        let sampler = sampler.map(sampler::describe_bindless).transpose()?;
        let bindless = desc!(ze_image_bindless_exp_desc_t:
            flags = match &sampler {
                Some(_) => ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS | ZE_IMAGE_BINDLESS_EXP_FLAG_SAMPLED_IMAGE,
                None => ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS,
            },
            pNext = sampler.as_ref().map_or(null(), |sampler| std::ptr::from_ref(sampler).cast())
        );
        let bindless: *const c_void = (&raw const bindless).cast();
        let (_, mut desc) = Image::describe(device, image.format, image.desc)?;
        if sampler.is_none() {
            desc.flags = ZE_IMAGE_FLAG_KERNEL_WRITE;
        }
        let context = **self.raw;
        let known = self.shared.bindless.memory.lock().get(&memory).cloned();
        if let Some(whole) = known {
            desc.pNext = bindless;
            // SAFETY: a live context, a device and an image of it, structures that live until the call returns, and the view
            // that was just made.
            return unsafe {
                let view = ze_get!(zeImageViewCreateExt(context, device.raw, &desc, whole.handle()))?;
                Ok(Owned::new(view, true))
            };
        }
        if !matches!(image.desc.r#type, MemType::IMAGE1D | MemType::IMAGE2D) {
            return Err(unknown("image memory", memory).context("only images of one or two dimensions are in USM"));
        }
        let pitch = desc!(ze_custom_pitch_exp_desc_t: pNext = bindless, rowPitch = image.desc.rowPitch);
        let pitched = desc!(ze_image_pitched_exp_desc_t:
            pNext = match image.desc.rowPitch {
                0 => bindless,
                _ => (&raw const pitch).cast(),
            },
            ptr = memory as *mut c_void
        );
        desc.pNext = (&raw const pitched).cast();
        // SAFETY: as above; the driver checks the address.
        unsafe { Ok(Owned::new(ze_get!(zeImageCreate(context, device.raw, &desc))?, true)) }
    }
}

impl kit::BindlessImages<LevelZero> for Context {
    fn image_alloc(
        self: &Arc<Self>,
        device: &Arc<Device>,
        image: BindlessImage<'_>,
    ) -> UrResult<ExpImageMemNativeHandle> {
        // SAFETY: nothing is chained.
        unsafe { self.new_image(device, &image, null()) }
    }

    fn image_free(self: &Arc<Self>, memory: ExpImageMemNativeHandle) -> UrResult<()> {
        let known = self.shared.bindless.memory.lock().remove(&memory);
        self.retire(known.ok_or_else(|| unknown("image memory", memory))?);
        Ok(())
    }

    fn image_memory_info(
        self: &Arc<Self>,
        memory: ExpImageMemNativeHandle,
        query: ImageInfo,
        out: InfoOut<'_>,
    ) -> UrResult<()> {
        match query {
            ImageInfo::NUM_MIP_LEVELS => out.value(1_u32),
            _ => self.image_memory(memory)?.shape.info(query, out),
        }
    }

    fn image_handle(
        self: &Arc<Self>,
        device: &Arc<Device>,
        memory: ExpImageMemNativeHandle,
        image: BindlessImage<'_>,
        sampler: Option<&SamplerProperties>,
    ) -> UrResult<ExpImageNativeHandle> {
        check(device, &image)?;
        let view = self
            .bindless_view(device, memory, &image, sampler)
            .map_err(of_bindless)?;
        // SAFETY: a live bindless image and a place for the number.
        let number: u64 = unsafe { ze_get!(zeImageGetDeviceOffsetExp(*view)) }?;
        let handle = number as ExpImageNativeHandle;
        self.shared.bindless.handles.lock().insert(handle, view);
        Ok(handle)
    }

    fn image_handle_destroy(self: &Arc<Self>, image: ExpImageNativeHandle, _sampled: bool) -> UrResult<()> {
        let known = self.shared.bindless.handles.lock().remove(&image);
        self.retire(known.ok_or_else(|| unknown("handle of a bindless image", image))?);
        Ok(())
    }

    fn supports_image(
        self: &Arc<Self>,
        device: &Arc<Device>,
        image: BindlessImage<'_>,
        memory: ExpImageMemType,
        _use: BindlessUse,
    ) -> UrResult<bool> {
        let in_usm = memory == ExpImageMemType::USM_POINTER;
        let is_there = !in_usm || matches!(image.desc.r#type, MemType::IMAGE1D | MemType::IMAGE2D);
        Ok(is_there && check(device, &image).is_ok() && Image::describe(device, image.format, image.desc).is_ok())
    }

    fn imports_memory(device: &Arc<Device>, kind: ExpExternalMemType) -> UrResult<bool> {
        let imports = device.facts.external.memoryAllocationImportTypes;
        Ok(external_type(kind).is_some_and(|flag| imports & flag != 0))
    }

    fn map_external_image(
        self: &Arc<Self>,
        device: &Arc<Device>,
        memory: &Arc<ExternalFd>,
        image: BindlessImage<'_>,
    ) -> UrResult<ExpImageMemNativeHandle> {
        let import = import(memory);
        if device.facts.external.imageImportTypes & import.flags == 0 {
            kit::bail!(ERROR_UNSUPPORTED_FEATURE: "the device does not import images as {:?}", memory.kind);
        }
        // SAFETY: a structure that lives until the call returns.
        unsafe { self.new_image(device, &image, (&raw const import).cast()) }.map_err(of_bindless)
    }

    fn map_external_memory(
        self: &Arc<Self>,
        device: &Arc<Device>,
        memory: &Arc<ExternalFd>,
        offset: u64,
        size: u64,
    ) -> UrResult<*mut c_void> {
        let (offset, size) = memory.check_part(offset, size)?;
        let (context, import) = (**self.raw, import(memory));
        let desc = desc!(ze_device_mem_alloc_desc_t: pNext = (&raw const import).cast());
        // SAFETY: a live context and a device of it, and descriptions that live until the call returns.
        let whole = unsafe { ze_get!(zeMemAllocDevice(context, &desc, memory.size, 0, device.raw)) };
        let whole: *mut c_void = whole.map_err(of_bindless)?;
        let part = whole.wrapping_byte_add(offset);
        let foreign = &self.shared.foreign;
        foreign.add(kit::MemoryOf::Api, part.addr(), whole.addr(), size, Some(device));
        Ok(part)
    }

    fn unmap_external_memory(self: &Arc<Self>, _device: &Arc<Device>, memory: *mut c_void) -> UrResult<()> {
        let (whole, _) = self.shared.foreign.remove(kit::MemoryOf::Api, memory)?;
        // SAFETY: memory that was mapped, which goes when no command uses it.
        self.retire(unsafe { Owned::<MemKind>::new((**self.raw, whole as *mut c_void), true) });
        Ok(())
    }
}

impl Queue {
    /// Copies pixels between image memory, USM and the host's memory.
    pub(crate) fn copy_bindless(self: &Arc<Self>, copy: &BindlessCopy<'_>, how: How<'_>) -> UrResult<()> {
        let all = BindlessBox::new(copy, |format| conv::image_format(format).map(|(_, pixel)| pixel))?;
        let (from, to) = (copy.region.srcOffset, copy.region.dstOffset);
        let context = &self.context;
        let pixels = |image: &Image, offset, memory: &BoxSide| {
            let (origin, region) = all.in_image(image.shape.kind(), offset);
            ImageRect {
                origin,
                region,
                row_pitch: memory.row_pitch,
                slice_pitch: memory.slice_pitch,
            }
        };
        match (copy.src.place, copy.dst.place) {
            (BindlessPlace::Pointer(src), BindlessPlace::Pointer(dst)) => {
                let src = all.in_memory(&copy.src, src, from);
                let dst = all.in_memory(&copy.dst, dst, to);
                let RectRegion { width, height, depth } = all.bytes;
                self.copy_box(&dst, &src, [width, height, depth].map(|side| side as usize), how)
            }
            (BindlessPlace::Pointer(src), BindlessPlace::Memory(dst)) => {
                let (src, image) = (all.in_memory(&copy.src, src, from), context.image_memory(dst)?);
                let rect = pixels(&image, to, &src);
                self.copy_pixels(&image, &rect, src.address as *mut c_void, true, how)
            }
            (BindlessPlace::Memory(src), BindlessPlace::Pointer(dst)) => {
                let (dst, image) = (all.in_memory(&copy.dst, dst, to), context.image_memory(src)?);
                let rect = pixels(&image, from, &dst);
                self.copy_pixels(&image, &rect, dst.address as *mut c_void, false, how)
            }
            (BindlessPlace::Memory(src), BindlessPlace::Memory(dst)) => {
                let (src, dst) = (context.image_memory(src)?, context.image_memory(dst)?);
                let (origin, size) = all.in_image(src.shape.kind(), from);
                let (target, _) = all.in_image(dst.shape.kind(), to);
                self.copy_image([(&dst, target), (&src, origin)], size, how)
            }
        }
    }
}
