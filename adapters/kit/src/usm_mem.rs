// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Buffers that are USM of their context, for drivers that have no buffers.
//!
//! In a context of one device a buffer is in that device's memory. In a context of several it gets its memory from the device
//! of its first command, if all others reach that; otherwise it is host USM, as it is where the device's memory is the host's.
//! A host pointer is copied from, and mapped regions are copied to it.

use std::convert::Infallible;
use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::{ImageDesc, ImageFormat, ImageInfo, MapFlags, MemFlags, MemHandle, NativeHandle, ResultCode, UsmType};
use oxur_fork::{Mutex, OnceLock, Turns};

use crate::{
    Backend, BufferProperties, Command, Context, HandleCell, ImageCreate, InfoOut, Mem, MemoryProvider, Object,
    UrResult, UsmAlloc, UsmKind, UsmProperties, UsmRequest, unsupported,
};

/// What a context says of its buffers, where they are [`UsmMem`].
pub trait BufferMemory<B: Backend>: UsmAlloc<B> + MemoryProvider<Device = B::Device> {
    /// The images of the adapter; [`NoImage`] where it has none.
    type Image: UsmMemImage<B>;

    /// What the start of a sub-buffer is a multiple of.
    const ALIGNMENT: usize = 1;

    /// Whether the memory of a device is the host's.
    fn is_integrated(device: &B::Device) -> bool;

    /// Whether a device of the context uses the memory of another one.
    fn reaches(_device: &B::Device, _other: &B::Device) -> bool {
        false
    }
}

/// The images of an adapter whose buffers are [`UsmMem`].
pub trait UsmMemImage<B: Backend>: Sized + Send + Sync + 'static {
    /// Makes an image, with the client's pixels if there are some.
    fn create(_context: &Arc<B::Context>, _create: &ImageCreate<'_>) -> UrResult<Self> {
        unsupported()
    }

    /// Wraps a native image.
    fn from_native(
        _context: &Arc<B::Context>,
        _native: NativeHandle,
        _format: &ImageFormat,
        _desc: &ImageDesc,
        _owned: bool,
    ) -> UrResult<Self> {
        unsupported()
    }

    /// The bytes of all pixels.
    fn bytes(&self) -> usize;

    /// Answers `urMemImageGetInfo`.
    fn info(&self, query: ImageInfo, out: InfoOut<'_>) -> UrResult<()>;

    /// The driver's handle.
    fn native(&self) -> UrResult<NativeHandle>;

    /// The client has released it. Commands may use it yet.
    fn retire(&mut self, context: &Arc<B::Context>);
}

/// For adapters without images: there is none.
pub enum NoImage {
    /// That is nothing.
    Never(Infallible),
}

impl<B: Backend> UsmMemImage<B> for NoImage {
    fn bytes(&self) -> usize {
        let Self::Never(never) = self;
        match *never {}
    }

    fn info(&self, _query: ImageInfo, _out: InfoOut<'_>) -> UrResult<()> {
        let Self::Never(never) = self;
        match *never {}
    }

    fn native(&self) -> UrResult<NativeHandle> {
        let Self::Never(never) = self;
        match *never {}
    }

    fn retire(&mut self, _context: &Arc<B::Context>) {}
}

type Image<B> = <<B as Backend>::Context as BufferMemory<B>>::Image;

/// A buffer or an image.
pub struct UsmMem<B: Backend>
where
    B::Context: BufferMemory<B>,
{
    handle_cell: HandleCell,
    /// Bytes.
    size: usize,
    /// What kernels may do with it.
    access: MemFlags,
    /// The client's memory that mapped regions are in.
    host: Option<usize>,
    mappings: Mutex<Vec<Mapping<B>>>,
    memory: Memory<B>,
    context: Arc<B::Context>,
}

/// Whose memory it is.
enum Memory<B: Backend>
where
    B::Context: BufferMemory<B>,
{
    /// Its own, with what it starts with as long as that has no other place.
    Own {
        place: OnceLock<Place>,
        contents: Mutex<Option<Staging<B>>>,
        /// Taken by the first command: others wait until it has its contents.
        turns: Turns,
    },
    /// The client's.
    Foreign(Place),
    /// That of the buffer that it is a part of, from a byte on.
    Part {
        whole: Arc<UsmMem<B>>,
        origin: usize,
    },
    Image(Image<B>),
}

impl<B: Backend> Memory<B>
where
    B::Context: BufferMemory<B>,
{
    fn own(at: Option<Place>) -> Self {
        let place = OnceLock::new();
        _ = at.map(|at| place.set(at));
        Self::Own {
            place,
            contents: Mutex::default(),
            turns: Turns::new(),
        }
    }
}

/// Where a buffer is.
#[derive(Clone, Copy)]
struct Place {
    address: usize,
    /// Whether the host reaches it.
    on_host: bool,
}

/// A region of a buffer that the host may use.
pub(crate) struct Mapping<B: Backend>
where
    B::Context: BufferMemory<B>,
{
    address: usize,
    /// Where it is in the buffer.
    at: usize,
    size: usize,
    flags: MapFlags,
    /// Memory that is only for the mapping.
    _staging: Option<Staging<B>>,
}

/// USM that goes back when this is dropped.
struct Staging<B: Backend>
where
    B::Context: BufferMemory<B>,
{
    address: usize,
    context: Arc<B::Context>,
}

impl<B: Backend> Drop for Staging<B>
where
    B::Context: BufferMemory<B>,
{
    fn drop(&mut self) {
        // It stays in quarantine while commands may use it.
        let context = &*self.context;
        if let Err(error) = context.usm().free(context, self.address as *mut c_void) {
            log::warn!("memory of a buffer is leaked: {error}");
        }
    }
}

/// A copy of so many bytes between addresses.
pub(crate) type Copy = (*mut c_void, *const c_void, usize);

impl<B: Backend> Mapping<B>
where
    B::Context: BufferMemory<B>,
{
    /// Where the host finds the region.
    pub(crate) fn address(&self) -> *mut c_void {
        self.address as *mut c_void
    }

    /// The copy that begins the mapping, unless the region is the buffer's own memory, or will be written as a whole.
    pub(crate) fn to_host(&self) -> Option<Copy> {
        let discards = self.flags.contains(MapFlags::WRITE_INVALIDATE_REGION);
        let copy = (self.address(), self.at as *const c_void, self.size);
        (self.address != self.at && !discards).then_some(copy)
    }

    /// The copy that ends it.
    pub(crate) fn to_device(&self) -> Option<Copy> {
        let writing = MapFlags::WRITE | MapFlags::WRITE_INVALIDATE_REGION;
        let copy = (self.at as *mut c_void, self.address().cast_const(), self.size);
        (self.address != self.at && self.flags.intersects(writing)).then_some(copy)
    }
}

/// Allocates host USM, or a device's.
fn allocate<B: Backend>(context: &Arc<B::Context>, kind: UsmKind<'_, B::Device>, size: usize) -> UrResult<usize> {
    let request = UsmRequest {
        kind,
        pool: None,
        size,
        properties: UsmProperties::NONE,
    };
    let allocated = context.usm_alloc(request).map_err(|error| match error.code() {
        ResultCode::ERROR_INVALID_USM_SIZE => error.with_code(ResultCode::ERROR_INVALID_BUFFER_SIZE),
        _ => error,
    })?;
    Ok(allocated as usize)
}

impl<B: Backend<Mem = Self>> UsmMem<B>
where
    B::Context: BufferMemory<B>,
{
    fn new(context: &Arc<B::Context>, size: usize, memory: Memory<B>) -> Self {
        Self {
            handle_cell: HandleCell::new(),
            size,
            access: MemFlags::READ_WRITE,
            host: None,
            mappings: Mutex::default(),
            memory,
            context: context.clone(),
        }
    }

    /// Where it is, once that is settled.
    #[inline(always)]
    fn place(&self) -> Option<Place> {
        match &self.memory {
            Memory::Own { place, .. } => place.get().copied(),
            Memory::Foreign(place) => Some(*place),
            Memory::Part { whole, origin } => whole.place().map(|place| Place {
                address: place.address + origin,
                ..place
            }),
            Memory::Image(_) => None,
        }
    }

    /// Where it starts. 0 if it is nowhere.
    #[inline(always)]
    pub fn address(&self) -> usize {
        self.place().map_or(0, |place| place.address)
    }

    /// The address of a byte.
    #[inline(always)]
    pub fn at(&self, offset: usize) -> *mut c_void {
        (self.address() + offset) as *mut c_void
    }

    /// Gives a buffer its memory, before the first command that uses it, which is one of this device.
    #[inline(always)]
    pub fn settle(&self, device: &Arc<B::Device>) -> UrResult<()> {
        match &self.memory {
            Memory::Own { place, .. } if place.get().is_none() => self.allocate(device),
            Memory::Part { whole, .. } => whole.settle(device),
            _ => Ok(()),
        }
    }

    #[cold]
    fn allocate(&self, device: &Arc<B::Device>) -> UrResult<()> {
        let Memory::Own { place, contents, turns } = &self.memory else {
            return Ok(());
        };
        let _turn = turns.take();
        if place.get().is_some() {
            return Ok(());
        }
        let context = &self.context;
        let on_host = self.access.contains(MemFlags::ALLOC_HOST_POINTER) || is_on_host::<B>(context, device);
        let kind = if on_host {
            UsmKind::Host
        } else {
            UsmKind::Device(device)
        };
        let address = allocate::<B>(context, kind, self.size)?;
        let contents = contents.lock().take();
        if let Some(contents) = contents {
            context.usm_copy(address as *mut c_void, contents.address as *const c_void, self.size)?;
        }
        _ = place.set(Place { address, on_host });
        Ok(())
    }

    /// What it is as an image. An error for a buffer.
    pub fn image(&self) -> UrResult<&Image<B>> {
        match &self.memory {
            Memory::Image(image) => Ok(image),
            _ => Err(crate::error!(ERROR_INVALID_MEM_OBJECT: "the memory object is a buffer, and an image is wanted")),
        }
    }

    /// A mapping of a region, which is inside of the buffer.
    pub(crate) fn map(&self, flags: MapFlags, offset: usize, size: usize) -> UrResult<Mapping<B>> {
        self.settle(&Context::devices(&*self.context)[0])?;
        let place = self.place().ok_or(ResultCode::ERROR_INVALID_MEM_OBJECT)?;
        let at = place.address + offset;
        let mut staging = None;
        let address = match self.host {
            Some(host) => host + offset,
            None if place.on_host => at,
            None => {
                let address = allocate::<B>(&self.context, UsmKind::Host, size)?;
                staging = Some(Staging {
                    address,
                    context: self.context.clone(),
                });
                address
            }
        };
        Ok(Mapping {
            address,
            at,
            size,
            flags,
            _staging: staging,
        })
    }

    /// Keeps a mapping until it ends.
    pub(crate) fn add_mapping(&self, mapping: Mapping<B>) {
        self.mappings.lock().push(mapping);
    }

    /// The last mapping at an address, which ends.
    pub(crate) fn take_mapping(&self, mapped: *mut c_void) -> UrResult<Mapping<B>> {
        let mut mappings = self.mappings.lock();
        match mappings.iter().rposition(|mapping| mapping.address == mapped.addr()) {
            Some(index) => Ok(mappings.remove(index)),
            None => Err(crate::error!(ERROR_INVALID_VALUE: "{mapped:p} is no mapping of the buffer")),
        }
    }
}

/// Whether a buffer that a device uses first is in the host's memory.
fn is_on_host<B: Backend>(context: &B::Context, device: &B::Device) -> bool
where
    B::Context: BufferMemory<B>,
{
    let reaches = |other: &Arc<B::Device>| std::ptr::eq(&**other, device) || B::Context::reaches(other, device);
    B::Context::is_integrated(device) || !Context::devices(context).iter().all(reaches)
}

impl<B: Backend> Drop for UsmMem<B>
where
    B::Context: BufferMemory<B>,
{
    fn drop(&mut self) {
        let context = self.context.clone();
        match &mut self.memory {
            Memory::Own { place, .. } => {
                let address = place.get().map(|place| place.address);
                drop(address.map(|address| Staging::<B> { address, context }));
            }
            Memory::Image(image) => image.retire(&context),
            _ => {}
        }
    }
}

impl<B: Backend<Mem = UsmMem<B>>> Command<'_, B>
where
    B::Context: BufferMemory<B>,
{
    /// Gives the buffers of a command their memory: it is one of this device.
    pub fn settle(&self, device: &Arc<B::Device>) -> UrResult<()> {
        match self {
            Command::BufferRead { buffer, .. }
            | Command::BufferWrite { buffer, .. }
            | Command::BufferFill { buffer, .. }
            | Command::BufferReadRect { buffer, .. }
            | Command::BufferWriteRect { buffer, .. } => buffer.settle(device),
            Command::BufferCopy { src, dst, .. } | Command::BufferCopyRect { src, dst, .. } => {
                src.settle(device)?;
                dst.settle(device)
            }
            _ => Ok(()),
        }
    }
}

/// Checks that only one flag says how to use the host's memory.
pub fn check_host_flags(flags: MemFlags) -> UrResult<()> {
    let own = MemFlags::ALLOC_COPY_HOST_POINTER | MemFlags::ALLOC_HOST_POINTER;
    if flags.contains(MemFlags::USE_HOST_POINTER) && flags.intersects(own) {
        crate::bail!(ERROR_INVALID_VALUE: "memory is either the client's or allocated, not both, as {flags:?} say");
    }
    Ok(())
}

/// The access among flags, if they name one.
fn access(flags: MemFlags) -> Option<MemFlags> {
    let all = MemFlags::READ_WRITE | MemFlags::WRITE_ONLY | MemFlags::READ_ONLY;
    Some(flags & all).filter(|access| !access.is_empty())
}

impl<B: Backend> Object for UsmMem<B>
where
    B::Context: BufferMemory<B>,
{
    type Handle = MemHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

impl<B: Backend<Mem = Self>> Mem<B> for UsmMem<B>
where
    B::Context: BufferMemory<B>,
{
    fn context(&self) -> &Arc<B::Context> {
        &self.context
    }

    fn size(&self) -> usize {
        self.size
    }

    fn is_image(&self) -> bool {
        matches!(self.memory, Memory::Image(_))
    }

    fn create_buffer(
        context: &Arc<B::Context>,
        flags: MemFlags,
        size: usize,
        properties: BufferProperties,
    ) -> UrResult<Arc<Self>> {
        properties.without_location()?;
        check_host_flags(flags)?;
        if let Some(channel) = properties.channel {
            log::info!("the memory has no channels, of which a buffer names {channel}");
        }
        let mut buffer = Self::new(context, size, Memory::own(None));
        buffer.access = access(flags).unwrap_or(MemFlags::READ_WRITE) | flags & MemFlags::ALLOC_HOST_POINTER;
        let devices = Context::devices(&**context);
        // Of several devices, the first that uses the buffer has it, unless it would be the host's anyway.
        let is_settled = devices.len() == 1 || devices.iter().all(|device| is_on_host::<B>(context, device));
        if is_settled {
            buffer.allocate(&devices[0])?;
        }
        if let Some(host) = properties.host {
            let address = match (is_settled, &buffer.memory) {
                (false, Memory::Own { contents, .. }) => {
                    let address = allocate::<B>(context, UsmKind::Host, size)?;
                    let context = context.clone();
                    *contents.lock() = Some(Staging { address, context });
                    address
                }
                _ => buffer.address(),
            };
            context.usm_copy(address as *mut c_void, host.0, size)?;
            buffer.host = flags.contains(MemFlags::USE_HOST_POINTER).then_some(host.0.addr());
        }
        Ok(Arc::new(buffer))
    }

    fn sub_buffer(self: &Arc<Self>, flags: MemFlags, origin: usize, size: usize) -> UrResult<Arc<Self>> {
        let alignment = B::Context::ALIGNMENT;
        if matches!(self.memory, Memory::Part { .. } | Memory::Image(_)) {
            crate::bail!(ERROR_INVALID_MEM_OBJECT: "a part is made of a buffer, not of an image or of another part");
        }
        if !origin.is_multiple_of(alignment) {
            crate::bail!(
                ERROR_MISALIGNED_SUB_BUFFER_OFFSET:
                    "a sub-buffer begins at a multiple of {alignment} bytes, not at {origin}"
            );
        }
        let own = access(self.access).unwrap_or(MemFlags::READ_WRITE);
        let access = access(flags).unwrap_or(own);
        if own != MemFlags::READ_WRITE && access != own {
            crate::bail!(ERROR_INVALID_VALUE: "a part of a {own:?} buffer cannot be {access:?}");
        }
        let whole = self.clone();
        let mut part = Self::new(&self.context, size, Memory::Part { whole, origin });
        part.access = access;
        part.host = self.host.map(|host| host + origin);
        Ok(Arc::new(part))
    }

    fn create_image(context: &Arc<B::Context>, create: ImageCreate<'_>) -> UrResult<Arc<Self>> {
        let image = Image::<B>::create(context, &create)?;
        let mut made = Self::new(context, image.bytes(), Memory::Image(image));
        made.access = access(create.flags).unwrap_or(MemFlags::READ_WRITE);
        Ok(Arc::new(made))
    }

    fn image_info(&self, query: ImageInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.image()?.info(query, out)
    }

    fn native(self: &Arc<Self>, device: Option<&Arc<B::Device>>) -> UrResult<NativeHandle> {
        if let Memory::Image(image) = &self.memory {
            return image.native();
        }
        self.settle(device.unwrap_or(&Context::devices(&*self.context)[0]))?;
        Ok(self.address() as NativeHandle)
    }

    fn image_from_native(
        context: &Arc<B::Context>,
        native: NativeHandle,
        format: &ImageFormat,
        desc: &ImageDesc,
        owned: bool,
    ) -> UrResult<Arc<Self>> {
        let image = Image::<B>::from_native(context, native, format, desc, owned)?;
        Ok(Arc::new(Self::new(context, image.bytes(), Memory::Image(image))))
    }

    fn buffer_from_native(context: &Arc<B::Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        let address = native;
        let found = context.usm().find(&**context, address).ok_or_else(|| {
            crate::error!(ERROR_INVALID_CONTEXT: "the native handle of a buffer is the address of USM of the context")
        })?;
        let place = Place {
            address,
            on_host: found.kind != UsmType::DEVICE,
        };
        let memory = match owned {
            true => Memory::own(Some(place)),
            false => Memory::Foreign(place),
        };
        Ok(Arc::new(Self::new(context, found.base + found.size - address, memory)))
    }
}
