// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Buffers that are USM of their context, for drivers that have no buffers.
//!
//! A buffer is in the memory of the context's device, which may be the host's. Where the devices have several memories it
//! [moves](moving), if the adapter can do that, and is host USM otherwise. A host pointer is copied from, and mapped regions
//! are copied to it.

mod moving;
mod uses;

use std::convert::Infallible;
use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::{ImageDesc, ImageFormat, ImageInfo, MapFlags, MemFlags, MemHandle, NativeHandle, ResultCode, UsmType};
use oxur_fork::Mutex;

pub use self::moving::Moved;
use self::moving::{HOST, Moving, has_several, memory_of};

use crate::{
    Backend, Borrowed, BufferProperties, Command, Context, HandleCell, ImageCreate, InfoOut, Mem, MemoryProvider,
    Object, UrResult, UsmAlloc, UsmKind, UsmProperties, UsmRequest, unsupported,
};

/// What a context says of its buffers, where they are [`UsmMem`].
pub trait BufferMemory<B: Backend>: UsmAlloc<B> + MemoryProvider<Device = B::Device> {
    /// The images of the adapter; [`NoImage`] where it has none.
    type Image: UsmMemImage<B>;

    /// What the start of a sub-buffer is a multiple of.
    const ALIGNMENT: usize = 1;

    /// Whether buffers move between the memories of devices. If not, those of contexts with several devices are host USM.
    const MOVES: bool = false;

    /// Whether the memory of a device is the host's.
    fn is_integrated(device: &B::Device) -> bool;

    /// Whether commands of a device copy from the memory of another one of the context.
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
    /// Its own, with its address.
    Own(
        Place,
        #[allow(dead_code, reason = "dropped with the buffer")] Staging<B>,
    ),
    /// Its own, in several memories.
    Moving(Moving<B>),
    /// The client's.
    Foreign(Place),
    /// That of the buffer that it is a part of, from a byte on.
    Part {
        whole: Arc<UsmMem<B>>,
        origin: usize,
    },
    Image(Image<B>),
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
    /// Where it is in the buffer, and where that is; `None` if the buffer moves.
    offset: usize,
    at: Option<usize>,
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

impl<B: Backend> Mapping<B>
where
    B::Context: BufferMemory<B>,
{
    /// Where the host finds the region.
    pub(crate) fn address(&self) -> *mut c_void {
        self.address as *mut c_void
    }

    /// The command that begins the mapping, unless the region is the buffer's own memory, or will be written as a whole.
    pub(crate) fn to_host<'a>(&self, buffer: &'a Arc<B::Mem>) -> Option<Command<'a, B>>
    where
        B: Backend<Mem = UsmMem<B>>,
    {
        let discards = self.flags.contains(MapFlags::WRITE_INVALIDATE_REGION);
        let (dst, size) = (self.address(), self.size);
        match self.at {
            _ if discards => None,
            Some(at) if at == self.address => None,
            Some(at) => {
                let src = at as *const c_void;
                Some(Command::UsmMemcpy { dst, src, size })
            }
            None => Some(Command::BufferRead {
                buffer: Borrowed::from(buffer),
                offset: self.offset,
                size,
                dst,
            }),
        }
    }

    /// The command that ends it.
    pub(crate) fn to_device<'a>(&self, buffer: &'a Arc<B::Mem>) -> Option<Command<'a, B>>
    where
        B: Backend<Mem = UsmMem<B>>,
    {
        let writing = MapFlags::WRITE | MapFlags::WRITE_INVALIDATE_REGION;
        let (src, size) = (self.address().cast_const(), self.size);
        match self.at {
            _ if !self.flags.intersects(writing) => None,
            Some(at) if at == self.address => None,
            Some(at) => {
                let dst = at as *mut c_void;
                Some(Command::UsmMemcpy { dst, src, size })
            }
            None => Some(Command::BufferWrite {
                buffer: Borrowed::from(buffer),
                offset: self.offset,
                size,
                src,
            }),
        }
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

    /// Where it is, unless it moves.
    #[inline(always)]
    fn place(&self) -> Option<Place> {
        match &self.memory {
            Memory::Own(place, _) | Memory::Foreign(place) => Some(*place),
            Memory::Part { whole, origin } => whole.place().map(|place| Place {
                address: place.address + origin,
                ..place
            }),
            Memory::Moving(_) | Memory::Image(_) => None,
        }
    }

    /// Whether it moves between the memories of the devices of its context.
    pub fn moves(&self) -> bool {
        match &self.memory {
            Memory::Moving(_) => true,
            Memory::Part { whole, .. } => whole.moves(),
            Memory::Own(..) | Memory::Foreign(_) | Memory::Image(_) => false,
        }
    }

    /// Where it starts, unless it moves. 0 if it is nowhere.
    #[inline(always)]
    pub fn address(&self) -> usize {
        self.place().map_or(0, |place| place.address)
    }

    /// Where it starts for commands of a device.
    #[inline(always)]
    pub fn address_on(&self, device: &B::Device) -> UrResult<usize> {
        match self.place() {
            Some(place) => Ok(place.address),
            None => self.moving_address(device),
        }
    }

    #[cold]
    fn moving_address(&self, device: &B::Device) -> UrResult<usize> {
        match &self.memory {
            Memory::Moving(moving) => moving.address(&self.context, device),
            Memory::Part { whole, origin } => Ok(whole.moving_address(device)? + origin),
            _ => Err(ResultCode::ERROR_INVALID_MEM_OBJECT.into()),
        }
    }

    /// If it moves: the buffer that it is a part of, or is, and where it starts in that.
    fn moving_whole(self: &Arc<Self>) -> Option<(&Arc<Self>, usize)> {
        match &self.memory {
            Memory::Moving(_) => Some((self, 0)),
            Memory::Part { whole, origin } if whole.moving().is_some() => Some((whole, *origin)),
            _ => None,
        }
    }

    /// Memory for a buffer that does not move.
    fn own(context: &Arc<B::Context>, flags: MemFlags, size: usize) -> UrResult<Memory<B>> {
        let device = &Context::devices(&**context)[0];
        let on_host = flags.contains(MemFlags::ALLOC_HOST_POINTER) || memory_of::<B>(context, device) == HOST;
        let kind = match on_host {
            true => UsmKind::Host,
            false => UsmKind::Device(device),
        };
        let address = allocate::<B>(context, kind, size)?;
        let context = context.clone();
        Ok(Memory::Own(Place { address, on_host }, Staging { address, context }))
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
        let place = self.place();
        let at = place.map(|place| place.address + offset);
        let mut staging = None;
        let address = match (self.host, place) {
            (Some(host), _) => host + offset,
            (None, Some(place)) if place.on_host => place.address + offset,
            _ => {
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
            offset,
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

impl<B: Backend> UsmMem<B>
where
    B::Context: BufferMemory<B>,
{
    /// How it moves, if it does.
    fn moving(&self) -> Option<&Moving<B>> {
        match &self.memory {
            Memory::Moving(moving) => Some(moving),
            _ => None,
        }
    }
}

impl<B: Backend> Drop for UsmMem<B>
where
    B::Context: BufferMemory<B>,
{
    fn drop(&mut self) {
        if let Memory::Image(image) = &mut self.memory {
            image.retire(&self.context);
        }
    }
}

impl<B: Backend<Mem = UsmMem<B>>> Command<'_, B>
where
    B::Context: BufferMemory<B>,
{
    /// Where its buffers start for commands of a device; 0 for those that it does not have.
    #[inline(always)]
    pub fn addresses(&self, device: &B::Device) -> UrResult<[usize; 2]> {
        Ok(match self {
            Command::BufferRead { buffer, .. }
            | Command::BufferWrite { buffer, .. }
            | Command::BufferFill { buffer, .. }
            | Command::BufferReadRect { buffer, .. }
            | Command::BufferWriteRect { buffer, .. } => [buffer.address_on(device)?, 0],
            Command::BufferCopy { src, dst, .. } | Command::BufferCopyRect { src, dst, .. } => {
                [src.address_on(device)?, dst.address_on(device)?]
            }
            _ => [0; 2],
        })
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
        let access = access(flags).unwrap_or(MemFlags::READ_WRITE);
        let memory = match !flags.contains(MemFlags::ALLOC_HOST_POINTER) && has_several::<B>(context) {
            true => Memory::Moving(Moving::new(size)),
            false => Self::own(context, flags, size)?,
        };
        let mut buffer = Self::new(context, size, memory);
        buffer.access = access;
        if let Some(host) = properties.host {
            match &buffer.memory {
                Memory::Moving(moving) => moving.fill(context, host.0)?,
                _ => context.usm_copy(buffer.address() as *mut c_void, host.0, size)?,
            }
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
        let device = device.unwrap_or(&Context::devices(&*self.context)[0]);
        self.context.check_device(device)?;
        self.give_out(device)?;
        Ok(self.address_on(device)? as NativeHandle)
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
            true => Memory::Own(
                place,
                Staging {
                    address,
                    context: context.clone(),
                },
            ),
            false => Memory::Foreign(place),
        };
        Ok(Arc::new(Self::new(context, found.base + found.size - address, memory)))
    }
}
