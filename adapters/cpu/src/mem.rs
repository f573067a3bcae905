// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Buffers, sub-buffers and images: memory of the process, at the same address for the host and for kernels.
//!
//! [`storage`] says whose memory it is, [`image`] what shape an image has.

mod image;
mod storage;

use std::sync::Arc;

use kit::ur::{ImageInfo, MemFlags, MemInfo, RectOffset, RectRegion, ResultCode};
use kit::{Header, HostPointer, ImageCreate, InfoOut, UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_compiler::Image;

pub(crate) use self::image::ImageBox;
use self::image::Shape;
pub(crate) use self::storage::Buffers;
use self::storage::Storage;
use crate::{Context, Cpu};

/// A buffer or an image.
pub(crate) struct Mem {
    pub(crate) header: Header,
    context: Arc<Context>,
    flags: MemFlags,
    storage: Storage,
    /// Bytes.
    size: usize,
    /// What only images have.
    image: Option<Shape>,
}

// SAFETY: the pointers in it are to memory that is the client's to share: what threads do with it at a time is for the
// client to order.
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

    /// What kernels see of an image; nothing of a buffer.
    #[inline]
    pub(crate) fn image(&self) -> Option<&Image> {
        self.image.as_ref().map(Shape::image)
    }

    /// The bytes of a box of pixels of an image. An error if this is no image or has no such box.
    pub(crate) fn image_box(&self, origin: RectOffset, region: RectRegion) -> UrResult<ImageBox> {
        self.shape()?.part(origin, region)
    }

    fn shape(&self) -> UrResult<&Shape> {
        self.image.as_ref().ok_or_else(|| {
            UrError::said(
                ResultCode::ERROR_INVALID_MEM_OBJECT,
                "the memory object is a buffer, and an image is wanted",
            )
        })
    }

    /// Checks that `size` bytes at `offset` are inside of a buffer.
    pub(crate) fn check_range(&self, offset: usize, size: usize) -> UrResult<()> {
        if self.image.is_some() {
            return Err(UrError::said(
                ResultCode::ERROR_INVALID_MEM_OBJECT,
                "the memory object is an image, and a buffer is wanted",
            ));
        }
        if offset.checked_add(size).is_none_or(|end| end > self.size) {
            return Err(UrError::said(
                ResultCode::ERROR_INVALID_SIZE,
                format!(
                    "{size} bytes at {offset} are not inside of a buffer of {} bytes",
                    self.size
                ),
            ));
        }
        Ok(())
    }

    fn make(
        context: &Arc<Context>,
        flags: MemFlags,
        size: usize,
        host: Option<HostPointer>,
        image: Option<Shape>,
    ) -> UrResult<Arc<Self>> {
        let storage = match host {
            Some(HostPointer(host)) if flags.contains(MemFlags::USE_HOST_POINTER) => Storage::Client(host.cast()),
            _ => Storage::new(context, size)?,
        };
        let made = Self {
            header: Header::new(),
            context: context.clone(),
            image: image.map(|shape| shape.at(storage.data())),
            flags,
            storage,
            size,
        };
        Ok(Arc::new(made))
    }
}

/// Checks that the host's memory is used in one way.
fn check_flags(flags: MemFlags) -> UrResult<()> {
    let ours = MemFlags::ALLOC_COPY_HOST_POINTER | MemFlags::ALLOC_HOST_POINTER;
    if flags.contains(MemFlags::USE_HOST_POINTER) && flags.intersects(ours) {
        return Err(UrError::said(
            ResultCode::ERROR_INVALID_VALUE,
            format!("memory is either the host's or allocated, not both, as {flags:?} say"),
        ));
    }
    Ok(())
}

impl kit::Mem<Cpu> for Mem {
    fn create_buffer(
        context: &Arc<Context>,
        flags: MemFlags,
        size: usize,
        host: Option<HostPointer>,
    ) -> UrResult<Arc<Self>> {
        check_flags(flags)?;
        if size > context.max_alloc {
            return Err(UrError::said(
                ResultCode::ERROR_INVALID_BUFFER_SIZE,
                format!("a buffer has {} bytes at most, not {size}", context.max_alloc),
            ));
        }
        let made = Self::make(context, flags, size, host, None)?;
        if flags.contains(MemFlags::ALLOC_COPY_HOST_POINTER)
            && let Some(HostPointer(host)) = host
        {
            // SAFETY: the client vouches for `size` bytes; the buffer has as many, which nobody knows yet.
            unsafe { made.data().copy_from_nonoverlapping(host.cast(), size) };
        }
        Ok(made)
    }

    fn sub_buffer(self: &Arc<Self>, flags: MemFlags, origin: usize, size: usize) -> UrResult<Arc<Self>> {
        if self.image.is_some() || matches!(self.storage, Storage::Part(..)) {
            return Err(UrError::said(
                ResultCode::ERROR_INVALID_MEM_OBJECT,
                "a part is made of a buffer, not of an image or of another part",
            ));
        }
        if origin.checked_add(size).is_none_or(|end| end > self.size) {
            return Err(UrError::said(
                ResultCode::ERROR_INVALID_BUFFER_SIZE,
                format!(
                    "a sub-buffer of {size} bytes at {origin} is not inside of a buffer of {} bytes",
                    self.size
                ),
            ));
        }
        let whole = self.flags & ACCESS;
        let wider = match flags & ACCESS {
            MemFlags::READ_WRITE => whole == MemFlags::READ_ONLY || whole == MemFlags::WRITE_ONLY,
            MemFlags::READ_ONLY => whole == MemFlags::WRITE_ONLY,
            MemFlags::WRITE_ONLY => whole == MemFlags::READ_ONLY,
            _ => false,
        };
        if wider || flags.intersects(!ACCESS) {
            return Err(UrError::said(
                ResultCode::ERROR_INVALID_VALUE,
                format!(
                    "a part of a buffer with the flags {:?} cannot have {flags:?}",
                    self.flags
                ),
            ));
        }
        Ok(Arc::new(Self {
            header: Header::new(),
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
        let given = Shape::new(format, desc, host.is_some())?;
        // An image of our own has no gaps, whatever the host's memory has.
        let in_place = flags.contains(MemFlags::USE_HOST_POINTER);
        let shape = if in_place { given.clone() } else { given.packed() };
        let size = shape
            .bytes()
            .filter(|bytes| *bytes <= context.max_alloc)
            .ok_or_else(|| {
                UrError::said(
                    ResultCode::ERROR_INVALID_IMAGE_SIZE,
                    format!("an image has {} bytes at most", context.max_alloc),
                )
            })?;
        let made = Self::make(context, flags, size, host, Some(shape))?;
        if let Some(HostPointer(host)) = host.filter(|_| !in_place) {
            let all = given.whole();
            // SAFETY: the client vouches for an image of the pitches that it gave; ours is new.
            unsafe { all.copy(host.cast(), &made.shape()?.whole(), made.data()) };
        }
        Ok(made)
    }

    fn info(&self, query: MemInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            MemInfo::SIZE => out.value(self.size),
            MemInfo::CONTEXT => out.handle(&self.context),
            _ => out.unsupported(),
        }
    }

    fn image_info(&self, query: ImageInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.shape()?.info(query, out)
    }
}
