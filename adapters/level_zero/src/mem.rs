// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Buffers and sub-buffers, which are USM of the context, and [images](image).
//!
//! In a context of one device a buffer is in that device's memory. In a context of several it gets its memory from the device
//! of its first command, if all others reach that; otherwise it is host USM, as it is where the device's memory is the host's.
//! A host pointer is copied from, and mapped regions are copied to it.

pub(crate) mod image;

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{ImageDesc, ImageFormat, ImageInfo, MapFlags, MemFlags, NativeHandle, ResultCode, UsmType};
use kit::{
    BufferProperties, HandleCell, ImageCreate, InfoOut, UrError, UrResult, UsmAlloc, UsmKind, UsmProperties, UsmRequest,
};
use oxur_adapter_kit as kit;
use oxur_fork::{Mutex, OnceLock, Turns};

use self::image::Image;
use crate::{Context, Device, LevelZero};

/// The bytes of the largest vector: what kernels may expect of the start of a buffer.
pub(crate) const ALIGNMENT: usize = 128;

/// A buffer or an image.
pub(crate) struct Mem {
    pub(crate) handle_cell: HandleCell,
    /// Bytes.
    size: usize,
    /// What kernels may do with it.
    access: MemFlags,
    /// The client's memory that mapped regions are in.
    host: Option<usize>,
    mappings: Mutex<Vec<Mapping>>,
    memory: Memory,
    context: Arc<Context>,
}

/// Whose memory it is.
enum Memory {
    /// Its own, with what it starts with as long as that has no other place.
    Own {
        place: OnceLock<Place>,
        contents: Mutex<Option<Staging>>,
        /// Taken by the first command: others wait until it has its contents.
        turns: Turns,
    },
    /// The client's.
    Foreign(Place),
    /// That of the buffer that it is a part of, from a byte on.
    Part {
        whole: Arc<Mem>,
        origin: usize,
    },
    Image(Image),
}

impl Memory {
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
pub(crate) struct Mapping {
    address: usize,
    /// Where it is in the buffer.
    at: usize,
    size: usize,
    flags: MapFlags,
    /// Memory that is only for the mapping.
    _staging: Option<Staging>,
}

/// USM that goes back when this is dropped.
struct Staging {
    address: usize,
    context: Arc<Context>,
}

impl Drop for Staging {
    fn drop(&mut self) {
        // It stays in quarantine while commands may use it.
        if let Err(error) = self.context.shared.usm.free(&self.context, self.address as *mut c_void) {
            log::warn!("memory of a buffer is leaked: {error}");
        }
    }
}

/// A copy.
pub(crate) struct Copy {
    pub(crate) dst: usize,
    pub(crate) src: usize,
    pub(crate) size: usize,
}

impl Mapping {
    /// Where the host finds the region.
    pub(crate) fn address(&self) -> *mut c_void {
        self.address as *mut c_void
    }

    /// The copy that begins the mapping, unless the region is the buffer's own memory, or will be written as a whole.
    pub(crate) fn to_host(&self) -> Option<Copy> {
        let discards = self.flags.contains(MapFlags::WRITE_INVALIDATE_REGION);
        (self.address != self.at && !discards).then_some(Copy {
            dst: self.address,
            src: self.at,
            size: self.size,
        })
    }

    /// The copy that ends it.
    pub(crate) fn to_device(&self) -> Option<Copy> {
        let writes = self
            .flags
            .intersects(MapFlags::WRITE | MapFlags::WRITE_INVALIDATE_REGION);
        (self.address != self.at && writes).then_some(Copy {
            dst: self.at,
            src: self.address,
            size: self.size,
        })
    }
}

/// Allocates host USM, or a device's.
fn allocate(context: &Arc<Context>, kind: UsmKind<'_, Device>, size: usize) -> UrResult<usize> {
    let request = UsmRequest::<LevelZero> {
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

impl Mem {
    fn new(context: &Arc<Context>, size: usize, memory: Memory) -> Self {
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
    pub(crate) fn address(&self) -> usize {
        self.place().map_or(0, |place| place.address)
    }

    /// The address of a byte.
    pub(crate) fn at(&self, offset: usize) -> *mut c_void {
        (self.address() + offset) as *mut c_void
    }

    /// Gives a buffer its memory, before the first command that uses it, which is one of this device.
    #[inline(always)]
    pub(crate) fn settle(&self, device: &Arc<Device>) -> UrResult<()> {
        match &self.memory {
            Memory::Own { place, .. } if place.get().is_none() => self.allocate(device),
            Memory::Part { whole, .. } => whole.settle(device),
            _ => Ok(()),
        }
    }

    #[cold]
    fn allocate(&self, device: &Arc<Device>) -> UrResult<()> {
        let Memory::Own { place, contents, turns } = &self.memory else {
            return Ok(());
        };
        let _turn = turns.take();
        if place.get().is_some() {
            return Ok(());
        }
        let context = &self.context;
        let reach = context.devices.iter().all(|other| other.reaches(device));
        let on_host = device.is_integrated() || self.access.contains(MemFlags::ALLOC_HOST_POINTER) || !reach;
        let kind = if on_host {
            UsmKind::Host
        } else {
            UsmKind::Device(device)
        };
        let address = allocate(context, kind, self.size)?;
        let contents = contents.lock().take();
        if let Some(contents) = contents {
            context.usm_copy(address as *mut c_void, contents.address as *const c_void, self.size)?;
        }
        _ = place.set(Place { address, on_host });
        Ok(())
    }

    /// What it is as an image. An error for a buffer.
    pub(crate) fn image(&self) -> UrResult<&Image> {
        match &self.memory {
            Memory::Image(image) => Ok(image),
            _ => Err(UrError::with_message(
                ResultCode::ERROR_INVALID_MEM_OBJECT,
                "the memory object is a buffer, and an image is wanted",
            )),
        }
    }

    /// A mapping of a region, which is inside of the buffer.
    pub(crate) fn map(&self, flags: MapFlags, offset: usize, size: usize) -> UrResult<Mapping> {
        self.settle(&self.context.devices[0])?;
        let place = self.place().ok_or(ResultCode::ERROR_INVALID_MEM_OBJECT)?;
        let at = place.address + offset;
        let mut staging = None;
        let address = match self.host {
            Some(host) => host + offset,
            None if place.on_host => at,
            None => {
                let address = allocate(&self.context, UsmKind::Host, size)?;
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
    pub(crate) fn add_mapping(&self, mapping: Mapping) {
        self.mappings.lock().push(mapping);
    }

    /// The last mapping at an address, which ends.
    pub(crate) fn take_mapping(&self, mapped: *mut c_void) -> UrResult<Mapping> {
        let mut mappings = self.mappings.lock();
        match mappings.iter().rposition(|mapping| mapping.address == mapped.addr()) {
            Some(index) => Ok(mappings.remove(index)),
            None => Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("{mapped:p} is no mapping of the buffer"),
            )),
        }
    }
}

impl Drop for Mem {
    fn drop(&mut self) {
        let context = self.context.clone();
        match &mut self.memory {
            Memory::Own { place, .. } => {
                let address = place.get().map(|place| place.address);
                drop(address.map(|address| Staging { address, context }));
            }
            Memory::Image(image) => image.retire(&context),
            _ => {}
        }
    }
}

/// Checks that only one flag says how to use the host's memory.
fn check_flags(flags: MemFlags) -> UrResult<()> {
    let own = MemFlags::ALLOC_COPY_HOST_POINTER | MemFlags::ALLOC_HOST_POINTER;
    if flags.contains(MemFlags::USE_HOST_POINTER) && flags.intersects(own) {
        return Err(UrError::with_message(
            ResultCode::ERROR_INVALID_VALUE,
            format!("memory is either the client's or allocated, not both, as {flags:?} say"),
        ));
    }
    Ok(())
}

/// The access among flags, if they name one.
fn access(flags: MemFlags) -> Option<MemFlags> {
    let all = MemFlags::READ_WRITE | MemFlags::WRITE_ONLY | MemFlags::READ_ONLY;
    Some(flags & all).filter(|access| !access.is_empty())
}

impl kit::Mem<LevelZero> for Mem {
    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn size(&self) -> usize {
        self.size
    }

    fn is_image(&self) -> bool {
        matches!(self.memory, Memory::Image(_))
    }

    fn create_buffer(
        context: &Arc<Context>,
        flags: MemFlags,
        size: usize,
        properties: BufferProperties,
    ) -> UrResult<Arc<Self>> {
        properties.without_location()?;
        check_flags(flags)?;
        if let Some(channel) = properties.channel {
            log::info!("Level Zero has no channels of memory, of which a buffer names {channel}");
        }
        let mut buffer = Self::new(context, size, Memory::own(None));
        buffer.access = access(flags).unwrap_or(MemFlags::READ_WRITE) | flags & MemFlags::ALLOC_HOST_POINTER;
        let is_settled = context.devices.len() == 1;
        if is_settled {
            buffer.allocate(&context.devices[0])?;
        }
        if let Some(host) = properties.host {
            let address = match (is_settled, &buffer.memory) {
                (false, Memory::Own { contents, .. }) => {
                    let address = allocate(context, UsmKind::Host, size)?;
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
        if matches!(self.memory, Memory::Part { .. } | Memory::Image(_)) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_MEM_OBJECT,
                "a part is made of a buffer, not of an image or of another part",
            ));
        }
        if !origin.is_multiple_of(ALIGNMENT) {
            return Err(UrError::with_message(
                ResultCode::ERROR_MISALIGNED_SUB_BUFFER_OFFSET,
                format!("a sub-buffer begins at a multiple of {ALIGNMENT} bytes, not at {origin}"),
            ));
        }
        let own = access(self.access).unwrap_or(MemFlags::READ_WRITE);
        let access = access(flags).unwrap_or(own);
        if own != MemFlags::READ_WRITE && access != own {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("a part of a {own:?} buffer cannot be {access:?}"),
            ));
        }
        let whole = self.clone();
        let mut part = Self::new(&self.context, size, Memory::Part { whole, origin });
        part.access = access;
        part.host = self.host.map(|host| host + origin);
        Ok(Arc::new(part))
    }

    fn create_image(context: &Arc<Context>, create: ImageCreate<'_>) -> UrResult<Arc<Self>> {
        let image = Image::create(context, &create)?;
        let mut made = Self::new(context, image.bytes(), Memory::Image(image));
        made.access = access(create.flags).unwrap_or(MemFlags::READ_WRITE);
        Ok(Arc::new(made))
    }

    fn image_info(&self, query: ImageInfo, out: InfoOut<'_>) -> UrResult<()> {
        self.image()?.info(query, out)
    }

    fn native(self: &Arc<Self>, device: Option<&Arc<Device>>) -> UrResult<NativeHandle> {
        if let Memory::Image(image) = &self.memory {
            return Ok(image.handle() as NativeHandle);
        }
        self.settle(device.unwrap_or(&self.context.devices[0]))?;
        Ok(self.address() as NativeHandle)
    }

    fn image_from_native(
        context: &Arc<Context>,
        native: NativeHandle,
        format: &ImageFormat,
        desc: &ImageDesc,
        owned: bool,
    ) -> UrResult<Arc<Self>> {
        let image = Image::from_native(context, native, format, desc, owned)?;
        Ok(Arc::new(Self::new(context, image.bytes(), Memory::Image(image))))
    }

    fn buffer_from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        let address = native;
        let found = context.shared.usm.find(&**context, address).ok_or_else(|| {
            UrError::with_message(
                ResultCode::ERROR_INVALID_CONTEXT,
                "the native handle of a buffer is the address of USM of the context",
            )
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
