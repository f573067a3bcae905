// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory objects: buffers, images, and the samplers that go with images.

use std::ops::Deref;

use oxur_api::*;

use crate::info::bytes_of;
use crate::{Context, FromInfo, Plain, Result, info};

object! {
    /// A buffer or an image.
    Mem(MemHandle): urMemRetain, urMemRelease, MemInfo = urMemGetInfo
}

impl Mem {
    /// The driver's own handle, for a device.
    pub fn native(&self, device: Option<&crate::Device>) -> Result<NativeHandle> {
        let mut native = 0;
        let device = device.map_or(DeviceHandle::default(), |device| device.raw());
        // SAFETY: the handles are alive and the result pointer is valid.
        unsafe { self.fns().urMemGetNativeHandle(self.raw(), device, &mut native) }?;
        Ok(native)
    }
}

/// A buffer.
#[derive(Clone, Debug)]
pub struct Buffer(Mem);

/// An image.
#[derive(Clone, Debug)]
pub struct Image(Mem);

impl Deref for Buffer {
    type Target = Mem;
    fn deref(&self) -> &Mem {
        &self.0
    }
}

impl Deref for Image {
    type Target = Mem;
    fn deref(&self) -> &Mem {
        &self.0
    }
}

impl Buffer {
    /// An uninitialised buffer of `size` bytes.
    pub fn new(context: &Context, flags: MemFlags, size: usize) -> Result<Self> {
        // SAFETY: no host memory is involved.
        unsafe { Self::with_host(context, flags, size, core::ptr::null_mut()) }
    }

    /// A buffer with a copy of these values.
    pub fn with<T: Plain>(context: &Context, flags: MemFlags, values: &[T]) -> Result<Self> {
        let bytes = bytes_of(values);
        let flags = flags | MemFlags::ALLOC_COPY_HOST_POINTER;
        // SAFETY: the host memory is read during the call only.
        unsafe { Self::with_host(context, flags, bytes.len(), bytes.as_ptr().cast_mut().cast()) }
    }

    /// A buffer with a host pointer, which is used according to the flags.
    ///
    /// # Safety
    /// `host` must have `size` bytes, and with `USE_HOST_POINTER` outlive the buffer.
    pub unsafe fn with_host(context: &Context, flags: MemFlags, size: usize, host: *mut c_void) -> Result<Self> {
        let properties = BufferProperties {
            pHost: host,
            ..Default::default()
        };
        let properties = if host.is_null() {
            core::ptr::null()
        } else {
            &raw const properties
        };
        let mut handle = MemHandle::default();
        // SAFETY: the context is alive; the caller vouches for the host memory.
        unsafe {
            context
                .fns()
                .urMemBufferCreate(context.raw(), flags, size, properties, &mut handle)
        }?;
        // SAFETY: a new buffer comes with one reference.
        Ok(Self(unsafe { Mem::from_raw(context.loader(), handle) }))
    }

    /// A sub-buffer.
    pub fn part(&self, flags: MemFlags, origin: usize, size: usize) -> Result<Self> {
        let region = BufferRegion {
            origin,
            size,
            ..Default::default()
        };
        let mut handle = MemHandle::default();
        // SAFETY: the handle is alive and the result pointer is valid.
        unsafe {
            self.fns()
                .urMemBufferPartition(self.raw(), flags, BufferCreateType::REGION, &region, &mut handle)
        }?;
        // SAFETY: a new sub-buffer comes with one reference.
        Ok(Self(unsafe { Mem::from_raw(self.loader(), handle) }))
    }
}

impl Image {
    /// An uninitialised image.
    pub fn new(context: &Context, flags: MemFlags, format: ImageFormat, desc: &ImageDesc) -> Result<Self> {
        // SAFETY: no host memory is involved.
        unsafe { Self::with_host(context, flags, format, desc, core::ptr::null_mut()) }
    }

    /// An image with a host pointer, which is used according to the flags.
    ///
    /// # Safety
    /// `host` must have all pixels that `desc` describes, and with `USE_HOST_POINTER` outlive the image.
    pub unsafe fn with_host(
        context: &Context,
        flags: MemFlags,
        format: ImageFormat,
        desc: &ImageDesc,
        host: *mut c_void,
    ) -> Result<Self> {
        let mut handle = MemHandle::default();
        // SAFETY: the context is alive, the descriptions live through the call; the caller vouches for the host memory.
        unsafe {
            context
                .fns()
                .urMemImageCreate(context.raw(), flags, &format, desc, host, &mut handle)
        }?;
        // SAFETY: a new image comes with one reference.
        Ok(Self(unsafe { Mem::from_raw(context.loader(), handle) }))
    }

    /// Asks for a property that only images have.
    pub fn image_info<T: FromInfo>(&self, property: ImageInfo) -> Result<T> {
        info::query("urMemImageGetInfo", |size, value, size_ret| {
            // SAFETY: the handle is alive; `query` passes a buffer of `size` bytes, or none.
            unsafe {
                self.fns()
                    .urMemImageGetInfo(self.raw(), property, size, value, size_ret)
            }
        })
    }
}

object! {
    /// How kernels read images.
    Sampler(SamplerHandle): urSamplerRetain, urSamplerRelease, SamplerInfo = urSamplerGetInfo, native urSamplerGetNativeHandle
}

impl Sampler {
    /// A sampler.
    pub fn new(
        context: &Context,
        normalized: bool,
        addressing: SamplerAddressingMode,
        filter: SamplerFilterMode,
    ) -> Result<Self> {
        let desc = SamplerDesc {
            normalizedCoords: normalized,
            addressingMode: addressing,
            filterMode: filter,
            ..Default::default()
        };
        let mut handle = SamplerHandle::default();
        // SAFETY: the context is alive and the result pointer is valid.
        unsafe { context.fns().urSamplerCreate(context.raw(), &desc, &mut handle) }?;
        // SAFETY: a new sampler comes with one reference.
        Ok(unsafe { Self::from_raw(context.loader(), handle) })
    }
}
