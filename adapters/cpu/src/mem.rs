// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Buffers, sub-buffers and images: memory of the process, at the same address for the host and for kernels.
//!
//! [`storage`] owns the memory, [`image`] describes the shape of images.

mod image;
mod storage;

use std::sync::Arc;

use kit::ur::{ImageDesc, ImageFormat, ImageInfo, MemFlags, MemType, NativeHandle};
use kit::{BufferProperties, HandleCell, HostPointer, ImageCreate, InfoOut, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::Image;
use oxur_device_cpu::image::Shape;
use oxur_device_cpu::limits;

use self::image::ImageExtent;
pub(crate) use self::image::region as image_region;
pub(crate) use self::storage::Buffers;
use self::storage::Storage;
use crate::opencl::{self, NativeCell};
use crate::{Context, Cpu, Device};

/// A buffer or an image.
pub(crate) struct Mem {
    pub(crate) handle_cell: HandleCell,
    pub(crate) native: NativeCell,
    context: Arc<Context>,
    flags: MemFlags,
    storage: Storage,
    /// Bytes.
    size: usize,
    /// What only images have: their shape.
    image: Option<ImageExtent>,
}

// SAFETY: the pointers in it are to memory that the client shares between threads, and whose use the client orders.
unsafe impl Send for Mem {}
// SAFETY: as above.
unsafe impl Sync for Mem {}

const ACCESS: MemFlags = MemFlags::READ_WRITE
    .union(MemFlags::WRITE_ONLY)
    .union(MemFlags::READ_ONLY);

impl Mem {
    /// The context that it is in.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Where its bytes are, as long as it lives.
    #[inline]
    pub(crate) fn data(&self) -> *mut u8 {
        self.storage.data()
    }

    /// How many bytes it has.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The descriptor of an image for kernels; `None` for a buffer.
    #[inline]
    pub(crate) fn image(&self) -> Option<&Image> {
        self.image.as_ref().map(ImageExtent::image)
    }

    /// The shape of an image. An error if this is none.
    pub(crate) fn image_shape(&self) -> UrResult<&Shape> {
        self.shape().map(ImageExtent::shape)
    }

    /// The access flags and memory flags that the client created it with.
    pub(crate) fn flags(&self) -> MemFlags {
        self.flags
    }

    /// The type of image, if it is one.
    pub(crate) fn image_type(&self) -> Option<MemType> {
        self.image.as_ref().map(ImageExtent::kind)
    }

    /// The buffer that it is a part of, and its offset there.
    pub(crate) fn whole(&self) -> Option<(&Arc<Self>, usize)> {
        match &self.storage {
            Storage::Part(whole, origin) => Some((whole, *origin)),
            _ => None,
        }
    }

    /// The object with this native handle.
    fn wrap(context: &Arc<Context>, native: NativeHandle, image: bool, owned: bool) -> UrResult<Arc<Self>> {
        let mem: Arc<Self> = opencl::from_native(native, false)?;
        opencl::check_context(&mem.context, context)?;
        if mem.image.is_some() != image {
            kit::bail!(
                ERROR_INVALID_MEM_OBJECT:
                    "the native handle is a buffer where an image is wanted, or the other way round"
            );
        }
        opencl::from_native(native, owned)
    }

    fn shape(&self) -> UrResult<&ImageExtent> {
        self.image.as_ref().ok_or_else(
            || kit::error!(ERROR_INVALID_MEM_OBJECT: "the memory object is a buffer, and an image is wanted"),
        )
    }

    fn make(
        context: &Arc<Context>,
        flags: MemFlags,
        size: usize,
        host: Option<HostPointer>,
        image: Option<ImageExtent>,
    ) -> UrResult<Arc<Self>> {
        let storage = match host {
            Some(HostPointer(host)) if flags.contains(MemFlags::USE_HOST_POINTER) => Storage::Client(host.cast()),
            _ => Storage::new(context, size)?,
        };
        let made = Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            context: context.clone(),
            image: image.map(|shape| shape.at(storage.data())),
            flags,
            storage,
            size,
        };
        Ok(Arc::new(made))
    }
}

/// Checks that only one flag says how to use the host's memory.
fn check_flags(flags: MemFlags) -> UrResult<()> {
    let ours = MemFlags::ALLOC_COPY_HOST_POINTER | MemFlags::ALLOC_HOST_POINTER;
    if flags.contains(MemFlags::USE_HOST_POINTER) && flags.intersects(ours) {
        kit::bail!(ERROR_INVALID_VALUE: "memory is either the host's or allocated, not both, as {flags:?} say");
    }
    Ok(())
}

impl kit::Mem<Cpu> for Mem {
    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn size(&self) -> usize {
        self.size
    }

    fn is_image(&self) -> bool {
        self.image.is_some()
    }

    fn create_buffer(
        context: &Arc<Context>,
        flags: MemFlags,
        size: usize,
        properties: BufferProperties,
    ) -> UrResult<Arc<Self>> {
        check_flags(flags)?;
        properties.without_location()?;
        if let Some(channel) = properties.channel {
            log::info!("the device has no channels of memory, of which a buffer names {channel}");
        }
        let host = properties.host;
        if size > context.max_alloc {
            kit::bail!(ERROR_INVALID_BUFFER_SIZE: "a buffer has {} bytes at most, not {size}", context.max_alloc);
        }
        let made = Self::make(context, flags, size, host, None)?;
        if flags.contains(MemFlags::ALLOC_COPY_HOST_POINTER)
            && let Some(HostPointer(host)) = host
        {
            // SAFETY: the client vouches for `size` bytes. The buffer has as many, and no other thread knows it yet.
            unsafe { made.data().copy_from_nonoverlapping(host.cast(), size) };
        }
        Ok(made)
    }

    fn sub_buffer(self: &Arc<Self>, flags: MemFlags, origin: usize, size: usize) -> UrResult<Arc<Self>> {
        if self.image.is_some() || matches!(self.storage, Storage::Part(..)) {
            kit::bail!(ERROR_INVALID_MEM_OBJECT: "a part is made of a buffer, not of an image or of another part");
        }
        // Kernels may assume that a buffer is aligned for every type.
        if !origin.is_multiple_of(limits::ALIGNMENT) {
            kit::bail!(
                ERROR_MISALIGNED_SUB_BUFFER_OFFSET: "a sub-buffer begins at a multiple of {} bytes, not at {origin}",
                limits::ALIGNMENT
            );
        }
        let whole = self.flags & ACCESS;
        let wider = match flags & ACCESS {
            MemFlags::READ_WRITE => whole == MemFlags::READ_ONLY || whole == MemFlags::WRITE_ONLY,
            MemFlags::READ_ONLY => whole == MemFlags::WRITE_ONLY,
            MemFlags::WRITE_ONLY => whole == MemFlags::READ_ONLY,
            _ => false,
        };
        if wider || flags.intersects(!ACCESS) {
            kit::bail!(ERROR_INVALID_VALUE: "a part of a buffer with the flags {:?} cannot have {flags:?}", self.flags);
        }
        Ok(Arc::new(Self {
            handle_cell: HandleCell::new(),
            native: NativeCell::new(),
            context: self.context.clone(),
            flags: if flags.is_empty() { whole } else { flags },
            storage: Storage::Part(self.clone(), origin),
            size,
            image: None,
        }))
    }

    fn create_image(context: &Arc<Context>, image: ImageCreate<'_>) -> UrResult<Arc<Self>> {
        let ImageCreate {
            flags,
            format,
            desc,
            host,
        } = image;
        check_flags(flags)?;
        let given = ImageExtent::new(format, desc, host.is_some())?;
        // Our own memory of an image has no gaps, whatever pitches the host's memory has.
        let in_place = flags.contains(MemFlags::USE_HOST_POINTER);
        let shape = if in_place { given.clone() } else { given.packed() };
        let size = shape
            .bytes()
            .filter(|bytes| *bytes <= context.max_alloc)
            .ok_or_else(|| kit::error!(ERROR_INVALID_IMAGE_SIZE: "an image has {} bytes at most", context.max_alloc))?;
        let made = Self::make(context, flags, size, host, Some(shape))?;
        if let Some(HostPointer(host)) = host.filter(|_| !in_place) {
            // SAFETY: the client vouches for an image with its pitches. Our memory is new.
            unsafe { given.at(host.cast()).copy(made.shape()?) }?;
        }
        Ok(made)
    }

    fn native(self: &Arc<Self>, _device: Option<&Arc<Device>>) -> UrResult<NativeHandle> {
        opencl::native(self)
    }

    fn buffer_from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        Self::wrap(context, native, false, owned)
    }

    fn image_from_native(
        context: &Arc<Context>,
        native: NativeHandle,
        _format: &ImageFormat,
        _desc: &ImageDesc,
        owned: bool,
    ) -> UrResult<Arc<Self>> {
        Self::wrap(context, native, true, owned)
    }

    fn image_info(&self, query: ImageInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.shape()?.info(query, out)
    }
}

#[cfg(test)]
mod tests {
    use kit::ur::{Backend, ImageChannelOrder, ImageChannelType, ImageDesc, ImageFormat, MemType};
    use kit::{Context as _, Mem as _};

    use super::*;
    use crate::Platform;

    fn context() -> Arc<Context> {
        let platform = Platform::new(Backend::OPENCL);
        Context::create(kit::Platform::devices(&*platform).to_vec(), Default::default()).unwrap()
    }

    fn bytes(mem: &Mem) -> &[u8] {
        // SAFETY: the memory of the object, which nobody writes to meanwhile.
        unsafe { std::slice::from_raw_parts(mem.data(), mem.size()) }
    }

    #[test]
    fn whose_memory() {
        let context = context();
        let mut host: Vec<u8> = (0..100).collect();
        let pointer = Some(HostPointer(host.as_mut_ptr().cast()));
        let copied = Mem::create_buffer(&context, MemFlags::ALLOC_COPY_HOST_POINTER, 100, pointer.into()).unwrap();
        assert!(copied.data() != host.as_mut_ptr() && bytes(&copied) == host);
        assert!((copied.data() as usize).is_multiple_of(64));
        let used = Mem::create_buffer(&context, MemFlags::USE_HOST_POINTER, 100, pointer.into()).unwrap();
        assert_eq!(used.data(), host.as_mut_ptr());
        let both = MemFlags::USE_HOST_POINTER | MemFlags::ALLOC_COPY_HOST_POINTER;
        assert!(Mem::create_buffer(&context, both, 100, pointer.into()).is_err());
        for size in [context.max_alloc + 1, usize::MAX] {
            assert!(Mem::create_buffer(&context, MemFlags::READ_WRITE, size, BufferProperties::default()).is_err());
        }
    }

    #[test]
    fn parts() {
        let context = context();
        let whole = Mem::create_buffer(&context, MemFlags::READ_ONLY, 218, BufferProperties::default()).unwrap();
        let part = whole.sub_buffer(MemFlags::empty(), 128, 90).unwrap();
        assert_eq!((part.data(), part.size()), (whole.data().wrapping_add(128), 90));
        assert!(whole.sub_buffer(MemFlags::empty(), 64, 10).is_err(), "not aligned");
        for wider in [MemFlags::READ_WRITE, MemFlags::WRITE_ONLY, MemFlags::USE_HOST_POINTER] {
            assert!(whole.sub_buffer(wider, 0, 10).is_err(), "{wider:?}");
        }
        assert!(part.sub_buffer(MemFlags::empty(), 0, 1).is_err(), "no part of a part");
        let address = whole.data();
        drop(whole);
        // The sub-buffer keeps its buffer alive.
        let other = Mem::create_buffer(&context, MemFlags::READ_ONLY, 100, BufferProperties::default()).unwrap();
        assert!(other.data() != address);
    }

    #[test]
    fn images() {
        let context = context();
        let format = ImageFormat {
            channelOrder: ImageChannelOrder::R,
            channelType: ImageChannelType::UNSIGNED_INT8,
        };
        let desc = ImageDesc {
            r#type: MemType::IMAGE2D,
            width: 3,
            height: 2,
            rowPitch: 5,
            ..Default::default()
        };
        let mut host: Vec<u8> = (0..10).collect();
        let create = |flags, host: Option<HostPointer>| {
            let (format, desc) = (&format, &desc);
            Mem::create_image(
                &context,
                ImageCreate {
                    flags,
                    format,
                    desc,
                    host,
                },
            )
        };
        let pointer = HostPointer(host.as_mut_ptr().cast());
        let copied = create(MemFlags::ALLOC_COPY_HOST_POINTER, Some(pointer)).unwrap();
        assert_eq!(bytes(&copied), [0, 1, 2, 5, 6, 7]);
        let image = copied.image().unwrap();
        assert_eq!((image.data, image.row_pitch), (copied.data(), 3));
        let used = create(MemFlags::USE_HOST_POINTER, Some(pointer)).unwrap();
        let image = used.image().unwrap();
        assert_eq!((image.data, image.row_pitch), (host.as_mut_ptr(), 5));
        assert!(kit::Mem::is_image(&*copied) && copied.sub_buffer(MemFlags::empty(), 0, 1).is_err());
        let buffer = Mem::create_buffer(&context, MemFlags::READ_WRITE, 10, Default::default()).unwrap();
        assert!(buffer.image_shape().is_err());
    }
}
