// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory objects: buffers, sub-buffers and images.

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::*;

use crate::chain::decode;
use crate::handle::{self, export, object, optional_object};
use crate::table::entry_points;
use crate::{Backend, InfoOut, Object, UrResult, args, entry, unsupported};

/// A buffer or an image.
pub trait Mem<B: Backend>: Object<Handle = MemHandle> {
    /// Makes a buffer of `size` bytes, which are at least one.
    fn create_buffer(
        _context: &Arc<B::Context>,
        _flags: MemFlags,
        _size: usize,
        _properties: BufferProperties,
    ) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// The context that it is in.
    fn context(&self) -> &Arc<B::Context>;

    /// How many bytes it has.
    fn size(&self) -> usize;

    /// Whether it is an image.
    fn is_image(&self) -> bool;

    /// Makes a buffer of a part of this one, which is inside of it. `flags` may narrow the access.
    fn sub_buffer(self: &Arc<Self>, _flags: MemFlags, _origin: usize, _size: usize) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// Makes an image.
    fn create_image(_context: &Arc<B::Context>, _image: ImageCreate<'_>) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// Answers `urMemGetInfo`, but for the size, the context and the reference count.
    fn info(&self, _query: MemInfo, out: InfoOut<'_>) -> UrResult<()> {
        out.unsupported()
    }

    /// Answers `urMemImageGetInfo`.
    fn image_info(&self, _query: ImageInfo, _out: InfoOut<'_>) -> UrResult<()> {
        unsupported()
    }

    /// The driver's handle, for `device` where the driver has one for each.
    fn native(self: &Arc<Self>, _device: Option<&Arc<B::Device>>) -> UrResult<NativeHandle> {
        unsupported()
    }

    /// Wraps a native buffer. `owned` says that the native handle is ours to release.
    fn buffer_from_native(_context: &Arc<B::Context>, _native: NativeHandle, _owned: bool) -> UrResult<Arc<Self>> {
        unsupported()
    }

    /// Wraps a native image. `owned` says that the native handle is ours to release.
    fn image_from_native(
        _context: &Arc<B::Context>,
        _native: NativeHandle,
        _format: &ImageFormat,
        _desc: &ImageDesc,
        _owned: bool,
    ) -> UrResult<Arc<Self>> {
        unsupported()
    }
}

/// Memory of the client's that a buffer or image is made of or copied from. It is never null.
#[derive(Clone, Copy, Debug)]
pub struct HostPointer(pub *mut c_void);

/// What a buffer is created with: `ur_buffer_properties_t` and its chain.
#[derive(Clone, Copy, Debug, Default)]
pub struct BufferProperties {
    /// The client's memory, if any.
    pub host: Option<HostPointer>,
    /// The partition of the device's memory that the buffer is to be in. It is no hint: an adapter without partitions
    /// answers `ERROR_INVALID_VALUE`.
    pub location: Option<u32>,
    /// The channel of the device's memory that the buffer would best be in: a hint, as SYCL's extension for it says.
    pub channel: Option<u32>,
}

impl From<Option<HostPointer>> for BufferProperties {
    fn from(host: Option<HostPointer>) -> Self {
        Self {
            host,
            ..Self::default()
        }
    }
}

impl BufferProperties {
    /// Refuses a partition: for adapters whose devices have one memory.
    pub fn without_location(&self) -> UrResult<()> {
        match self.location {
            Some(location) => Err(crate::error!(
                ERROR_INVALID_VALUE: "the memory has no partitions to choose number {location} of"
            )),
            None => Ok(()),
        }
    }

    /// Takes properties and their chain.
    ///
    /// # Safety
    /// As `urMemBufferCreate`.
    unsafe fn new(flags: MemFlags, properties: *const oxur_api::BufferProperties) -> UrResult<Self> {
        // SAFETY: passed on to the caller.
        unsafe {
            let Some(properties) = properties.as_ref() else {
                return Ok(host_pointer(flags, std::ptr::null_mut())?.into());
            };
            let mut found = Self::from(host_pointer(flags, properties.pHost)?);
            decode!("urMemBufferCreate", properties.pNext,
                location: BufferAllocLocationProperties => { found.location = Some(location.location) },
                channel: BufferChannelProperties => { found.channel = Some(channel.channel) },
            )?;
            Ok(found)
        }
    }
}

/// Takes the properties that a native memory object is wrapped with: whether it is ours to release.
///
/// # Safety
/// As the C functions.
unsafe fn native_properties(function: &'static str, properties: *const MemNativeProperties) -> UrResult<bool> {
    // SAFETY: passed on to the caller.
    unsafe {
        let properties = properties.as_ref().copied().unwrap_or_default();
        decode!(function, properties.pNext)?;
        Ok(properties.isNativeHandleOwned)
    }
}

/// What `urMemImageCreate` asks for.
pub struct ImageCreate<'a> {
    /// Access and use of the host's memory.
    pub flags: MemFlags,
    /// Channels.
    pub format: &'a ImageFormat,
    /// Shape.
    pub desc: &'a ImageDesc,
    /// The client's memory, if any.
    pub host: Option<HostPointer>,
}

const HOST_POINTER_FLAGS: MemFlags = MemFlags::USE_HOST_POINTER.union(MemFlags::ALLOC_COPY_HOST_POINTER);

/// The rules that tie the flags of a memory object to the client's pointer.
fn host_pointer(flags: MemFlags, host: *mut c_void) -> UrResult<Option<HostPointer>> {
    args::known_flags(flags)?;
    let access = [MemFlags::READ_WRITE, MemFlags::WRITE_ONLY, MemFlags::READ_ONLY];
    if access.iter().filter(|a| flags.contains(**a)).count() > 1 {
        crate::bail!(ERROR_INVALID_VALUE: "contradicting access flags: {flags:?}");
    }
    let wanted = flags.intersects(HOST_POINTER_FLAGS);
    if wanted == host.is_null() {
        let (has, needs) = if wanted { ("no", "needs") } else { ("a", "takes no") };
        crate::bail!(
            ERROR_INVALID_HOST_PTR: "{has} host pointer was given, and a memory object with flags {flags:?} {needs} one"
        );
    }
    Ok(wanted.then_some(HostPointer(host)))
}

/// The rules of an image's description that hold on every device.
fn check_description(desc: &ImageDesc, host: *mut c_void) -> UrResult<()> {
    let wrong = |words: String| Err(crate::error!(ERROR_INVALID_IMAGE_FORMAT_DESCRIPTOR: "{words}"));
    if desc.stype != StructureType::IMAGE_DESC {
        return wrong(format!("the description of an image is {:?}", desc.stype));
    }
    if desc.r#type > MemType::IMAGE1D_ARRAY {
        return wrong(format!("there is no type of image {:#x}", desc.r#type.0));
    }
    if desc.numMipLevel != 0 || desc.numSamples != 0 {
        return wrong("there are no images with mipmaps or samples".to_owned());
    }
    if host.is_null() && (desc.rowPitch != 0 || desc.slicePitch != 0) {
        return wrong("an image has pitches only where it is made of the host's memory".to_owned());
    }
    Ok(())
}

entry! {
    fn urMemImageCreate<B>(
        context: ContextHandle, flags: MemFlags, format: *const ImageFormat, desc: *const ImageDesc, host: *mut c_void,
        image: *mut MemHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let format = args::required(format)?;
        let desc = args::required(desc)?;
        let out = args::out(image)?;
        let pointer = host;
        let host = host_pointer(flags, host)?;
        check_description(desc, pointer)?;
        decode!("urMemImageCreate", desc.pNext)?;
        out.write(export(&B::Mem::create_image(&context, ImageCreate { flags, format, desc, host })?));
        Ok(())
    }

    fn urMemBufferCreate<B>(
        context: ContextHandle, flags: MemFlags, size: usize, properties: *const oxur_api::BufferProperties,
        buffer: *mut MemHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let out = args::out(buffer)?;
        if size == 0 {
            crate::bail!(ERROR_INVALID_BUFFER_SIZE: "a buffer has at least one byte");
        }
        let properties = BufferProperties::new(flags, properties)?;
        out.write(export(&B::Mem::create_buffer(&context, flags, size, properties)?));
        Ok(())
    }

    fn urMemRetain<B>(mem: MemHandle) {
        handle::retain::<B::Mem>(mem)
    }

    fn urMemRelease<B>(mem: MemHandle) {
        handle::release::<B::Mem>(mem)
    }

    fn urMemBufferPartition<B>(
        buffer: MemHandle, flags: MemFlags, kind: BufferCreateType, region: *const BufferRegion, part: *mut MemHandle,
    ) {
        let buffer = object::<B::Mem>(buffer)?;
        args::known_flags(flags)?;
        if kind != BufferCreateType::REGION {
            return Err(ResultCode::ERROR_INVALID_ENUMERATION.into());
        }
        let region = args::required(region)?;
        decode!("urMemBufferPartition", region.pNext)?;
        let out = args::out(part)?;
        if region.size == 0 {
            crate::bail!(ERROR_INVALID_BUFFER_SIZE: "a sub-buffer has at least one byte");
        }
        if !buffer.is_image() && region.origin.checked_add(region.size).is_none_or(|end| end > buffer.size()) {
            crate::bail!(ERROR_INVALID_BUFFER_SIZE: "{region:?} is not inside of a buffer of {} bytes", buffer.size());
        }
        out.write(export(&buffer.sub_buffer(flags, region.origin, region.size)?));
        Ok(())
    }

    fn urMemGetNativeHandle<B>(mem: MemHandle, device: DeviceHandle, native: *mut NativeHandle) {
        let mem = object::<B::Mem>(mem)?;
        let device = optional_object::<B::Device>(device)?;
        args::out(native)?.write(mem.native(device.as_deref())?);
        Ok(())
    }

    fn urMemBufferCreateWithNativeHandle<B>(
        native: NativeHandle, context: ContextHandle, properties: *const MemNativeProperties, mem: *mut MemHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let out = args::out(mem)?;
        let owned = native_properties("urMemBufferCreateWithNativeHandle", properties)?;
        out.write(export(&B::Mem::buffer_from_native(&context, native, owned)?));
        Ok(())
    }

    fn urMemImageCreateWithNativeHandle<B>(
        native: NativeHandle, context: ContextHandle, format: *const ImageFormat, desc: *const ImageDesc,
        properties: *const MemNativeProperties, mem: *mut MemHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let format = args::required(format)?;
        let desc = args::required(desc)?;
        let out = args::out(mem)?;
        decode!("urMemImageCreateWithNativeHandle", desc.pNext)?;
        let owned = native_properties("urMemImageCreateWithNativeHandle", properties)?;
        out.write(export(&B::Mem::image_from_native(&context, native, format, desc, owned)?));
        Ok(())
    }

    fn urMemGetInfo<B>(mem: MemHandle, query: MemInfo, size: usize, value: *mut c_void, needed: *mut usize) {
        let mem = object::<B::Mem>(mem)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            MemInfo::REFERENCE_COUNT => out.references(&**mem),
            MemInfo::SIZE => out.value(mem.size()),
            MemInfo::CONTEXT => out.handle(mem.context()),
            _ => mem.info(query, out),
        }
    }

    fn urMemImageGetInfo<B>(mem: MemHandle, query: ImageInfo, size: usize, value: *mut c_void, needed: *mut usize) {
        let mem = object::<B::Mem>(mem)?;
        mem.image_info(query, InfoOut::of(query, size, value, needed)?)
    }
}

oxur_api::mem_functions! { entry_points {} }
