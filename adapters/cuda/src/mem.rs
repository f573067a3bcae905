// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Buffers and sub-buffers: USM of the context.
//!
//! A context of one device has its buffers in that device's memory. Where there are several, or the device's memory is
//! the host's, a buffer is host USM, which all devices reach. A host pointer is copied from, and mapped regions are
//! copied to it.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{MapFlags, MemFlags, NativeHandle, ResultCode, UsmType};
use kit::{BufferProperties, HandleCell, UrError, UrResult, UsmAlloc, UsmKind, UsmProperties, UsmRequest};
use oxur_adapter_kit as kit;
use oxur_fork::Mutex;

use crate::{Context, Cuda, Device};

/// A buffer.
pub(crate) struct Mem {
    pub(crate) handle_cell: HandleCell,
    address: usize,
    /// Bytes.
    size: usize,
    /// Whether the host reaches it.
    on_host: bool,
    /// What kernels may do with it.
    access: MemFlags,
    /// The client's memory that mapped regions are in.
    host: Option<usize>,
    mappings: Mutex<Vec<Mapping>>,
    memory: Memory,
    context: Arc<Context>,
}

/// Whose memory a buffer is.
enum Memory {
    /// Its own.
    Own,
    /// The client's.
    Foreign,
    /// That of the buffer that it is a part of.
    Part { _whole: Arc<Mem> },
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
        if let Err(error) = self.context.usm.free(&self.context, self.address as *mut c_void) {
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
    let request = UsmRequest::<Cuda> {
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
    fn new(context: &Arc<Context>, address: usize, size: usize, on_host: bool, memory: Memory) -> Self {
        Self {
            handle_cell: HandleCell::new(),
            address,
            size,
            on_host,
            access: MemFlags::READ_WRITE,
            host: None,
            mappings: Mutex::default(),
            memory,
            context: context.clone(),
        }
    }

    /// Where it starts.
    #[inline(always)]
    pub(crate) fn address(&self) -> usize {
        self.address
    }

    /// The address of a byte.
    pub(crate) fn at(&self, offset: usize) -> *mut c_void {
        (self.address + offset) as *mut c_void
    }

    /// A mapping of a region, which is inside of the buffer.
    pub(crate) fn map(&self, flags: MapFlags, offset: usize, size: usize) -> UrResult<Mapping> {
        let at = self.address + offset;
        let mut staging = None;
        let address = match self.host {
            Some(host) => host + offset,
            None if self.on_host => at,
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
        if matches!(self.memory, Memory::Own) {
            drop(Staging {
                address: self.address,
                context: self.context.clone(),
            });
        }
    }
}

/// The access among flags, if they name one.
fn access(flags: MemFlags) -> Option<MemFlags> {
    let all = MemFlags::READ_WRITE | MemFlags::WRITE_ONLY | MemFlags::READ_ONLY;
    Some(flags & all).filter(|access| !access.is_empty())
}

impl kit::Mem<Cuda> for Mem {
    fn context(&self) -> &Arc<Context> {
        &self.context
    }

    fn size(&self) -> usize {
        self.size
    }

    fn is_image(&self) -> bool {
        false
    }

    fn create_buffer(
        context: &Arc<Context>,
        flags: MemFlags,
        size: usize,
        properties: BufferProperties,
    ) -> UrResult<Arc<Self>> {
        properties.without_location()?;
        if flags.contains(MemFlags::USE_HOST_POINTER)
            && flags.intersects(MemFlags::ALLOC_COPY_HOST_POINTER | MemFlags::ALLOC_HOST_POINTER)
        {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("a buffer cannot be in the client's memory and in its own: {flags:?}"),
            ));
        }
        if let Some(channel) = properties.channel {
            log::info!("CUDA has no channels of memory, of which a buffer names {channel}");
        }
        let on_host = match &context.devices[..] {
            [device] => device.facts.is_integrated || flags.contains(MemFlags::ALLOC_HOST_POINTER),
            _ => true,
        };
        let kind = match on_host {
            true => UsmKind::Host,
            false => UsmKind::Device(&context.devices[0]),
        };
        let address = allocate(context, kind, size)?;
        let mut buffer = Self::new(context, address, size, on_host, Memory::Own);
        buffer.access = access(flags).unwrap_or(MemFlags::READ_WRITE);
        if let Some(host) = properties.host {
            context.usm_copy(address as *mut c_void, host.0, size)?;
            buffer.host = flags.contains(MemFlags::USE_HOST_POINTER).then_some(host.0.addr());
        }
        Ok(Arc::new(buffer))
    }

    fn sub_buffer(self: &Arc<Self>, flags: MemFlags, origin: usize, size: usize) -> UrResult<Arc<Self>> {
        if matches!(self.memory, Memory::Part { .. }) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_MEM_OBJECT,
                "a sub-buffer has no sub-buffers",
            ));
        }
        let access = access(flags).unwrap_or(self.access);
        if self.access != MemFlags::READ_WRITE && access != self.access {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("a part of a {:?} buffer cannot be {access:?}", self.access),
            ));
        }
        let memory = Memory::Part { _whole: self.clone() };
        let mut part = Self::new(&self.context, self.address + origin, size, self.on_host, memory);
        part.access = access;
        part.host = self.host.map(|host| host + origin);
        Ok(Arc::new(part))
    }

    fn native(self: &Arc<Self>, _device: Option<&Arc<Device>>) -> UrResult<NativeHandle> {
        Ok(self.address as NativeHandle)
    }

    fn buffer_from_native(context: &Arc<Context>, native: NativeHandle, owned: bool) -> UrResult<Arc<Self>> {
        let address = native;
        let found = context.usm.find(&**context, address).ok_or_else(|| {
            UrError::with_message(
                ResultCode::ERROR_INVALID_CONTEXT,
                "the native handle of a buffer is the address of USM of the context",
            )
        })?;
        let memory = if owned { Memory::Own } else { Memory::Foreign };
        let size = found.base + found.size - address;
        let on_host = found.kind != UsmType::DEVICE;
        Ok(Arc::new(Self::new(context, address, size, on_host, memory)))
    }
}
