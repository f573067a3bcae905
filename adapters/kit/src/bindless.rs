// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Bindless images: images that kernels know by a number instead of an argument; and memory and semaphores of other APIs,
//! such as Vulkan, which come in with them.
//!
//! Image memory and image handles are numbers of the adapter's own, which the kit passes on as they are. What is enqueued
//! ([`Command::BindlessCopy`], [`Command::SemaphoreWait`], [`Command::SemaphoreSignal`]) comes by
//! [`Queue::submit`](crate::Queue::submit).

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use oxur_api::*;

use crate::capture::check_idle;
use crate::chain::decode;
use crate::enqueue::table::submit_command;
use crate::handle::{self, Borrowed, export, object};
use crate::table::entry_points;
use crate::{
    Backend, Command, Context, EventOut, InfoOut, NoExternalMem, NoExternalSemaphore, Object, SamplerProperties,
    UrResult, WaitList, args, entry, unsupported,
};

/// What a context does with bindless images.
pub trait BindlessImages<B: Backend> {
    /// Allocates image memory, with as many levels as the description has mipmaps.
    fn image_alloc(
        self: &Arc<Self>,
        _device: &Arc<B::Device>,
        _image: BindlessImage<'_>,
    ) -> UrResult<ExpImageMemNativeHandle> {
        unsupported()
    }

    /// Frees what [`BindlessImages::image_alloc`] returned.
    fn image_free(self: &Arc<Self>, _memory: ExpImageMemNativeHandle) -> UrResult<()> {
        unsupported()
    }

    /// A level of image memory, which stays a part of it.
    fn mipmap_level(
        self: &Arc<Self>,
        _memory: ExpImageMemNativeHandle,
        _level: u32,
    ) -> UrResult<ExpImageMemNativeHandle> {
        unsupported()
    }

    /// Answers `urBindlessImagesImageGetInfoExp`.
    fn image_memory_info(
        self: &Arc<Self>,
        _memory: ExpImageMemNativeHandle,
        _query: ImageInfo,
        _out: InfoOut<'_>,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Makes the number by which kernels reach image memory, or USM: through a sampler if there is one.
    fn image_handle(
        self: &Arc<Self>,
        _device: &Arc<B::Device>,
        _memory: ExpImageMemNativeHandle,
        _image: BindlessImage<'_>,
        _sampler: Option<&SamplerProperties>,
    ) -> UrResult<ExpImageNativeHandle> {
        unsupported()
    }

    /// Destroys what [`BindlessImages::image_handle`] returned.
    fn image_handle_destroy(self: &Arc<Self>, _image: ExpImageNativeHandle, _sampled: bool) -> UrResult<()> {
        unsupported()
    }

    /// Whether a device can have an image of this kind, in this kind of memory, for this use.
    fn supports_image(
        self: &Arc<Self>,
        _device: &Arc<B::Device>,
        _image: BindlessImage<'_>,
        _memory: ExpImageMemType,
        _use: BindlessUse,
    ) -> UrResult<bool> {
        unsupported()
    }

    /// Whether a device imports memory by this kind of handle.
    fn imports_memory(_device: &Arc<B::Device>, _kind: ExpExternalMemType) -> UrResult<bool> {
        unsupported()
    }

    /// Maps external memory as image memory.
    fn map_external_image(
        self: &Arc<Self>,
        _device: &Arc<B::Device>,
        _memory: &Arc<B::ExternalMem>,
        _image: BindlessImage<'_>,
    ) -> UrResult<ExpImageMemNativeHandle> {
        unsupported()
    }

    /// Maps a part of external memory as USM of the device.
    fn map_external_memory(
        self: &Arc<Self>,
        _device: &Arc<B::Device>,
        _memory: &Arc<B::ExternalMem>,
        _offset: u64,
        _size: u64,
    ) -> UrResult<*mut c_void> {
        unsupported()
    }

    /// Undoes [`BindlessImages::map_external_memory`].
    fn unmap_external_memory(self: &Arc<Self>, _device: &Arc<B::Device>, _memory: *mut c_void) -> UrResult<()> {
        unsupported()
    }
}

/// Memory of another API.
pub trait ExternalMem<B: Backend>: Object<Handle = ExpExternalMemHandle> {
    /// Imports `size` bytes. A file descriptor is the object's from then on.
    fn import(
        _context: &Arc<B::Context>,
        _device: &Arc<B::Device>,
        _size: usize,
        _kind: ExpExternalMemType,
        _handle: OsHandle,
    ) -> UrResult<Arc<Self>> {
        unsupported()
    }
}

/// A semaphore of another API.
pub trait ExternalSemaphore<B: Backend>: Object<Handle = ExpExternalSemaphoreHandle> {
    /// Imports it. A file descriptor is the object's from then on.
    fn import(
        _context: &Arc<B::Context>,
        _device: &Arc<B::Device>,
        _kind: ExpExternalSemaphoreType,
        _handle: OsHandle,
    ) -> UrResult<Arc<Self>> {
        unsupported()
    }
}

impl<B: Backend> ExternalMem<B> for NoExternalMem {}
impl<B: Backend> ExternalSemaphore<B> for NoExternalSemaphore {}

/// What a client says of an image.
#[derive(Clone, Copy)]
pub struct BindlessImage<'a> {
    /// Order and type of the channels.
    pub format: &'a ImageFormat,
    /// Kind, extents, pitches, layers and levels.
    pub desc: &'a ImageDesc,
}

impl<'a> BindlessImage<'a> {
    /// # Safety
    /// The pointers, unless null, must point to what they say, for `'a`.
    unsafe fn new(format: *const ImageFormat, desc: *const ImageDesc) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        unsafe {
            Ok(Self {
                format: args::required(format)?,
                desc: args::required(desc)?,
            })
        }
    }
}

/// What an image is to be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindlessUse {
    /// As image memory at all.
    Memory,
    /// By kernels, without a sampler.
    Unsampled,
    /// By kernels, through a sampler.
    Sampled,
}

/// A handle of the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OsHandle {
    /// A file descriptor.
    Fd(c_int),
    /// A handle of Windows.
    Win32(*mut c_void),
    /// The name of an object of Windows.
    Win32Name(*const c_void),
}

impl OsHandle {
    /// Finds it in the chain of a description.
    ///
    /// # Safety
    /// As [`walk`](crate::chain::walk).
    unsafe fn chained(function: &'static str, next: *const c_void) -> UrResult<Self> {
        let mut found = None;
        // SAFETY: passed on to the caller.
        unsafe {
            decode!(function, next,
                descriptor: ExpFileDescriptor => { found = Some(Self::Fd(descriptor.fd)) },
                handle: ExpWin32Handle => { found = Some(Self::Win32(handle.handle)) },
                name: ExpWin32Name => { found = Some(Self::Win32Name(name.name)) },
            )?;
        }
        found.ok_or_else(
            || crate::error!(ERROR_INVALID_VALUE: "no handle of the operating system is chained to the description"),
        )
    }
}

/// A copy between image memory, USM and the host's memory.
#[derive(Clone, Copy)]
pub struct BindlessCopy<'a> {
    /// The image that is copied from.
    pub src: BindlessSide<'a>,
    /// The image that is copied to.
    pub dst: BindlessSide<'a>,
    /// Offsets into both, and what is copied.
    pub region: &'a ExpImageCopyRegion,
    /// Between which of host and device.
    pub direction: ExpImageCopyFlags,
}

/// One side of a [`BindlessCopy`].
#[derive(Clone, Copy)]
pub struct BindlessSide<'a> {
    /// Where.
    pub place: BindlessPlace,
    /// What the client says of it.
    pub image: BindlessImage<'a>,
}

/// Where one side of a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindlessPlace {
    /// At an address.
    Pointer(*mut c_void),
    /// In image memory.
    Memory(ExpImageMemNativeHandle),
}

impl BindlessPlace {
    fn new(pointer: *mut c_void, is_memory: bool) -> UrResult<Self> {
        args::not_null(pointer)?;
        Ok(match is_memory {
            true => Self::Memory(pointer.expose_provenance()),
            false => Self::Pointer(pointer),
        })
    }
}

/// What a client waits for in a semaphore of another API, or signals.
pub struct SemaphoreOperation<'a, B: Backend> {
    /// The semaphore.
    pub semaphore: Borrowed<'a, B::ExternalSemaphore>,
    /// Of one that counts.
    pub value: Option<u64>,
}

/// Waits for a semaphore, or signals it.
///
/// # Safety
/// As the C functions.
#[allow(clippy::too_many_arguments, reason = "the C ABI decides")]
unsafe fn semaphore<'a, B: Backend>(
    queue: QueueHandle,
    semaphore: ExpExternalSemaphoreHandle,
    value: Option<u64>,
    (num_events, events): (u32, *const EventHandle),
    event: *mut EventHandle,
    command: fn(SemaphoreOperation<'a, B>) -> Command<'a, B>,
) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    unsafe {
        let queue = object::<B::Queue>(queue)?;
        let semaphore = object::<B::ExternalSemaphore>(semaphore)?;
        check_idle::<B>(&queue, "a semaphore of another API")?;
        let wait = WaitList::new(num_events, events)?;
        let command = command(SemaphoreOperation { semaphore, value });
        submit_command::<B>(&queue, command, false, wait, EventOut::new(event))
    }
}

type ContextAndDevice<'a, B> = (
    Borrowed<'a, <B as Backend>::Context>,
    Borrowed<'a, <B as Backend>::Device>,
);

/// A context, and a device of it.
///
/// # Safety
/// As the C functions.
unsafe fn context_and_device<'a, B: Backend>(
    context: ContextHandle,
    device: DeviceHandle,
) -> UrResult<ContextAndDevice<'a, B>> {
    // SAFETY: passed on to the caller.
    let (context, device) = unsafe { (object::<B::Context>(context)?, object::<B::Device>(device)?) };
    context.check_device(&device)?;
    Ok((context, device))
}

/// Answers one of the three queries for support.
///
/// # Safety
/// As the C functions.
#[allow(clippy::too_many_arguments, reason = "the C ABI decides")]
unsafe fn support<B: Backend>(
    context: ContextHandle,
    device: DeviceHandle,
    desc: *const ImageDesc,
    format: *const ImageFormat,
    memory: ExpImageMemType,
    supported: *mut Bool,
    wanted: BindlessUse,
) -> UrResult<()> {
    // SAFETY: passed on to the caller.
    unsafe {
        let (context, device) = context_and_device::<B>(context, device)?;
        let image = BindlessImage::new(format, desc)?;
        args::known(memory)?;
        let out = args::out(supported)?;
        out.write(context.supports_image(&device, image, memory, wanted)?.into());
        Ok(())
    }
}

entry! {
    fn urBindlessImagesUnsampledImageHandleDestroyExp<B>(
        context: ContextHandle, device: DeviceHandle, image: ExpImageNativeHandle,
    ) {
        let (context, _) = (object::<B::Context>(context)?, object::<B::Device>(device)?);
        context.image_handle_destroy(image, false)
    }

    fn urBindlessImagesSampledImageHandleDestroyExp<B>(
        context: ContextHandle, device: DeviceHandle, image: ExpImageNativeHandle,
    ) {
        let (context, _) = (object::<B::Context>(context)?, object::<B::Device>(device)?);
        context.image_handle_destroy(image, true)
    }

    fn urBindlessImagesImageAllocateExp<B>(
        context: ContextHandle, device: DeviceHandle, format: *const ImageFormat, desc: *const ImageDesc,
        memory: *mut ExpImageMemNativeHandle,
    ) {
        let (context, device) = context_and_device::<B>(context, device)?;
        let image = BindlessImage::new(format, desc)?;
        let out = args::out(memory)?;
        out.write(context.image_alloc(&device, image)?);
        Ok(())
    }

    fn urBindlessImagesImageFreeExp<B>(
        context: ContextHandle, device: DeviceHandle, memory: ExpImageMemNativeHandle,
    ) {
        let (context, _) = (object::<B::Context>(context)?, object::<B::Device>(device)?);
        context.image_free(memory)
    }

    fn urBindlessImagesMipmapFreeExp<B>(
        context: ContextHandle, device: DeviceHandle, memory: ExpImageMemNativeHandle,
    ) {
        let (context, _) = (object::<B::Context>(context)?, object::<B::Device>(device)?);
        context.image_free(memory)
    }

    fn urBindlessImagesUnsampledImageCreateExp<B>(
        context: ContextHandle, device: DeviceHandle, memory: ExpImageMemNativeHandle, format: *const ImageFormat,
        desc: *const ImageDesc, image: *mut ExpImageNativeHandle,
    ) {
        let (context, device) = context_and_device::<B>(context, device)?;
        let described = BindlessImage::new(format, desc)?;
        let out = args::out(image)?;
        out.write(context.image_handle(&device, memory, described, None)?);
        Ok(())
    }

    fn urBindlessImagesSampledImageCreateExp<B>(
        context: ContextHandle, device: DeviceHandle, memory: ExpImageMemNativeHandle, format: *const ImageFormat,
        desc: *const ImageDesc, sampler: *const SamplerDesc, image: *mut ExpImageNativeHandle,
    ) {
        let (context, device) = context_and_device::<B>(context, device)?;
        let described = BindlessImage::new(format, desc)?;
        let sampler = SamplerProperties::of("urBindlessImagesSampledImageCreateExp", args::required(sampler)?)?;
        let out = args::out(image)?;
        out.write(context.image_handle(&device, memory, described, Some(&sampler))?);
        Ok(())
    }

    fn urBindlessImagesImageCopyExp<B>(
        queue: QueueHandle, src: *const c_void, dst: *mut c_void, src_desc: *const ImageDesc,
        dst_desc: *const ImageDesc, src_format: *const ImageFormat, dst_format: *const ImageFormat,
        region: *mut ExpImageCopyRegion, direction: ExpImageCopyFlags, places: ExpImageCopyInputTypes, num_events: u32,
        events: *const EventHandle, event: *mut EventHandle,
    ) {
        type Places = ExpImageCopyInputTypes;
        let queue = object::<B::Queue>(queue)?;
        args::known_flags(direction)?;
        args::known(places)?;
        let from_memory = matches!(places, Places::IMAGE_TO_MEM | Places::IMAGE_TO_IMAGE);
        let to_memory = matches!(places, Places::MEM_TO_IMAGE | Places::IMAGE_TO_IMAGE);
        let src = BindlessSide {
            place: BindlessPlace::new(src.cast_mut(), from_memory)?,
            image: BindlessImage::new(src_format, src_desc)?,
        };
        let dst = BindlessSide {
            place: BindlessPlace::new(dst, to_memory)?,
            image: BindlessImage::new(dst_format, dst_desc)?,
        };
        let region = args::required(region)?;
        check_idle::<B>(&queue, "a copy of a bindless image")?;
        let wait = WaitList::new(num_events, events)?;
        let command = Command::BindlessCopy(BindlessCopy { src, dst, region, direction });
        submit_command::<B>(&queue, command, false, wait, EventOut::new(event))
    }

    fn urBindlessImagesImageGetInfoExp<B>(
        context: ContextHandle, memory: ExpImageMemNativeHandle, query: ImageInfo, value: *mut c_void,
        needed: *mut usize,
    ) {
        let context = object::<B::Context>(context)?;
        args::known(query)?;
        // It is the one query without a size: the client vouches for the place.
        let size = if value.is_null() { 0 } else { usize::MAX };
        context.image_memory_info(memory, query, InfoOut::new(size, value, needed)?)
    }

    fn urBindlessImagesGetImageMemoryHandleTypeSupportExp<B>(
        context: ContextHandle, device: DeviceHandle, desc: *const ImageDesc, format: *const ImageFormat,
        memory: ExpImageMemType, supported: *mut Bool,
    ) {
        support::<B>(context, device, desc, format, memory, supported, BindlessUse::Memory)
    }

    fn urBindlessImagesGetImageUnsampledHandleSupportExp<B>(
        context: ContextHandle, device: DeviceHandle, desc: *const ImageDesc, format: *const ImageFormat,
        memory: ExpImageMemType, supported: *mut Bool,
    ) {
        support::<B>(context, device, desc, format, memory, supported, BindlessUse::Unsampled)
    }

    fn urBindlessImagesGetImageSampledHandleSupportExp<B>(
        context: ContextHandle, device: DeviceHandle, desc: *const ImageDesc, format: *const ImageFormat,
        memory: ExpImageMemType, supported: *mut Bool,
    ) {
        support::<B>(context, device, desc, format, memory, supported, BindlessUse::Sampled)
    }

    fn urBindlessImagesMipmapGetLevelExp<B>(
        context: ContextHandle, device: DeviceHandle, memory: ExpImageMemNativeHandle, level: u32,
        part: *mut ExpImageMemNativeHandle,
    ) {
        let (context, _) = (object::<B::Context>(context)?, object::<B::Device>(device)?);
        let out = args::out(part)?;
        out.write(context.mipmap_level(memory, level)?);
        Ok(())
    }

    fn urBindlessImagesSupportsImportingHandleTypeExp<B>(
        device: DeviceHandle, kind: ExpExternalMemType, supported: *mut Bool,
    ) {
        let device = object::<B::Device>(device)?;
        args::known(kind)?;
        let out = args::out(supported)?;
        out.write(B::Context::imports_memory(&device, kind)?.into());
        Ok(())
    }

    fn urBindlessImagesImportExternalMemoryExp<B>(
        context: ContextHandle, device: DeviceHandle, size: usize, kind: ExpExternalMemType,
        desc: *mut ExpExternalMemDesc, memory: *mut ExpExternalMemHandle,
    ) {
        let (context, device) = context_and_device::<B>(context, device)?;
        args::known(kind)?;
        let handle = OsHandle::chained("urBindlessImagesImportExternalMemoryExp", args::required(desc)?.pNext)?;
        let out = args::out(memory)?;
        out.write(export(&B::ExternalMem::import(&context, &device, size, kind, handle)?));
        Ok(())
    }

    fn urBindlessImagesMapExternalArrayExp<B>(
        context: ContextHandle, device: DeviceHandle, format: *const ImageFormat, desc: *const ImageDesc,
        external: ExpExternalMemHandle, memory: *mut ExpImageMemNativeHandle,
    ) {
        let (context, device) = context_and_device::<B>(context, device)?;
        let image = BindlessImage::new(format, desc)?;
        let external = object::<B::ExternalMem>(external)?;
        let out = args::out(memory)?;
        out.write(context.map_external_image(&device, &external, image)?);
        Ok(())
    }

    fn urBindlessImagesMapExternalLinearMemoryExp<B>(
        context: ContextHandle, device: DeviceHandle, offset: u64, size: u64, external: ExpExternalMemHandle,
        memory: *mut *mut c_void,
    ) {
        let (context, device) = context_and_device::<B>(context, device)?;
        let external = object::<B::ExternalMem>(external)?;
        let out = args::out(memory)?;
        out.write(context.map_external_memory(&device, &external, offset, size)?);
        Ok(())
    }

    fn urBindlessImagesFreeMappedLinearMemoryExp<B>(context: ContextHandle, device: DeviceHandle, memory: *mut c_void) {
        let (context, device) = context_and_device::<B>(context, device)?;
        args::not_null(memory)?;
        context.unmap_external_memory(&device, memory)
    }

    fn urBindlessImagesReleaseExternalMemoryExp<B>(
        context: ContextHandle, device: DeviceHandle, memory: ExpExternalMemHandle,
    ) {
        _ = (object::<B::Context>(context)?, object::<B::Device>(device)?);
        handle::release::<B::ExternalMem>(memory)
    }

    fn urBindlessImagesImportExternalSemaphoreExp<B>(
        context: ContextHandle, device: DeviceHandle, kind: ExpExternalSemaphoreType,
        desc: *mut ExpExternalSemaphoreDesc, semaphore: *mut ExpExternalSemaphoreHandle,
    ) {
        let (context, device) = context_and_device::<B>(context, device)?;
        args::known(kind)?;
        let handle = OsHandle::chained("urBindlessImagesImportExternalSemaphoreExp", args::required(desc)?.pNext)?;
        let out = args::out(semaphore)?;
        out.write(export(&B::ExternalSemaphore::import(&context, &device, kind, handle)?));
        Ok(())
    }

    fn urBindlessImagesReleaseExternalSemaphoreExp<B>(
        context: ContextHandle, device: DeviceHandle, semaphore: ExpExternalSemaphoreHandle,
    ) {
        _ = (object::<B::Context>(context)?, object::<B::Device>(device)?);
        handle::release::<B::ExternalSemaphore>(semaphore)
    }

    fn urBindlessImagesWaitExternalSemaphoreExp<B>(
        queue: QueueHandle, external: ExpExternalSemaphoreHandle, has_value: bool, value: u64, num_events: u32,
        events: *const EventHandle, event: *mut EventHandle,
    ) {
        let value = has_value.then_some(value);
        semaphore::<B>(queue, external, value, (num_events, events), event, Command::SemaphoreWait)
    }

    fn urBindlessImagesSignalExternalSemaphoreExp<B>(
        queue: QueueHandle, external: ExpExternalSemaphoreHandle, has_value: bool, value: u64, num_events: u32,
        events: *const EventHandle, event: *mut EventHandle,
    ) {
        let value = has_value.then_some(value);
        semaphore::<B>(queue, external, value, (num_events, events), event, Command::SemaphoreSignal)
    }
}

oxur_api::bindless_images_exp_functions! { entry_points {} }
