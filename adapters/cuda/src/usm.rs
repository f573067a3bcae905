// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unified shared memory: CUDA's behind the kit's cache.
//!
//! Device memory is of a [pool](crate::memory_pool), host memory is pinned, shared memory is managed. The kit keeps freed
//! memory and hands it out again. Memory that is freed in use stays in quarantine until markers behind the commands are
//! reached. The driver waits for the device before it takes host and managed memory back, so it gets that later, when no
//! command is unfinished.

use std::ffi::c_void;
use std::sync::Arc;

use kit::ur::{ResultCode, UsmType};
use kit::{UrResult, UsmAllocation, UsmPlace, UsmProperties};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;

use crate::driver::{self, cu, cu_get};
use crate::image::bindless::PITCH_ALIGN;
use crate::memory_pool::MemoryPool;
use crate::primary::Primary;
use crate::{Context, Cuda, ipc, peers};

/// A pool.
pub(crate) type UsmPool = kit::UsmHeapPool<Context>;

/// How much free USM a context keeps.
static LIMIT: kit::CacheLimit = kit::CacheLimit::new(kit::environment::CUDA_USM_POOL);

impl kit::MemoryProvider for Context {
    // In a child of `fork` nothing runs.
    kit::driver_memory_methods!(Cuda, LIMIT, driver::is_lost());

    fn max_allocation(&self) -> usize {
        self.devices.iter().map(|device| device.facts.memory).max().unwrap_or(0)
    }

    fn allocate(
        &self,
        place: &UsmPlace<Self>,
        size: usize,
        align: usize,
        _properties: &UsmProperties,
    ) -> UrResult<usize> {
        let device = place.device.as_ref().unwrap_or(&self.devices[0]);
        let primary = device.primary()?;
        let _current = primary.activate()?;
        if !self.later.is_empty() && matches!(kit::MemoryProvider::fence(self), Ok(None)) {
            self.free_later();
        }
        let address = allocate(primary, place.kind, size)?;
        let address = match address.is_multiple_of(align.max(1)) {
            true => address,
            false => {
                // The driver takes no alignment: of more memory, a part is aligned.
                if let Err(error) = self.give_back(primary, place.kind, address) {
                    log::warn!("{size} bytes of USM are leaked: {error}");
                }
                let base = allocate(primary, place.kind, size.saturating_add(align))?;
                let aligned = base.next_multiple_of(align);
                self.shifted.change(|shifted| shifted.insert(aligned, base));
                aligned
            }
        };
        Ok(address)
    }

    fn clear(&self, place: &UsmPlace<Self>, address: usize, size: usize) -> UrResult<()> {
        let device = place.device.as_ref().unwrap_or(&self.devices[0]);
        let primary = device.primary()?;
        let _current = primary.activate()?;
        let lane = primary.own_lane()?;
        // SAFETY: memory of this size that was just allocated, and a live stream.
        unsafe { cu!(cuMemsetD8Async(address as u64, 0, size, lane.stream)) }?;
        lane.synchronize()
    }

    fn free(&self, place: &UsmPlace<Self>, address: usize, _size: usize) -> UrResult<()> {
        if driver::is_lost() {
            // It goes with the process.
            return Ok(());
        }
        let device = place.device.as_ref().unwrap_or(&self.devices[0]);
        let primary = device.primary()?;
        let _current = primary.activate()?;
        let base = match self.shifted.is_empty() {
            true => address,
            false => self
                .shifted
                .change(|shifted| shifted.remove(&address))
                .unwrap_or(address),
        };
        let freed = self.give_back(primary, place.kind, base);
        // The client may be told of it, or may have freed it long ago.
        freed.inspect_err(|error| log::warn!("freed USM is leaked: {error}"))
    }

    fn foreign_memory(&self) -> Option<&kit::ForeignMemory<Self>> {
        Some(&self.foreign)
    }

    fn foreign(&self, address: usize) -> Option<UsmAllocation<Self>> {
        let _current = self.primary().activate().ok()?;
        let found = pointer(address)?;
        let kind = match found.memory {
            _ if found.is_managed => UsmType::SHARED,
            CU_MEMORYTYPE_HOST => UsmType::HOST,
            CU_MEMORYTYPE_DEVICE => UsmType::DEVICE,
            _ => return None,
        };
        let device = self.devices.iter().find(|device| device.raw == found.device);
        Some(UsmAllocation {
            kind,
            base: found.base,
            size: found.size,
            device: device.filter(|_| kind != UsmType::HOST).cloned(),
            pool: None,
        })
    }

    fn free_foreign(&self, found: &UsmAllocation<Self>) -> UrResult<()> {
        if self.is_of_another(found.base) {
            kit::bail!(ERROR_INVALID_VALUE: "the memory at {:#x} is another context's", found.base);
        }
        let _current = self.primary().activate()?;
        // SAFETY: memory of this kind that the client frees.
        unsafe {
            match found.kind {
                UsmType::HOST => cu!(cuMemFreeHost(found.base as *mut c_void)),
                _ => cu!(cuMemFree(found.base as u64)),
            }
        }
    }
}

/// What CUDA knows of an address.
pub(crate) struct Pointer {
    memory: CUmemorytype,
    is_managed: bool,
    device: CUdevice,
    pub(crate) base: usize,
    pub(crate) size: usize,
}

impl Pointer {
    /// The device, if the memory is that of one alone.
    pub(crate) fn own_device(&self) -> Option<CUdevice> {
        (self.memory == CU_MEMORYTYPE_DEVICE && !self.is_managed).then_some(self.device)
    }
}

/// Asks CUDA for an address; `None` if it is none of its memory. A context is current.
pub(crate) fn pointer(address: usize) -> Option<Pointer> {
    let (mut memory, mut managed, mut device): (CUmemorytype, u32, CUdevice) = (0, 0, -1);
    let (mut base, mut size): (CUdeviceptr, usize) = (0, 0);
    let mut attributes = [
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
        CU_POINTER_ATTRIBUTE_RANGE_SIZE,
    ];
    let mut places: [*mut c_void; 5] = [
        (&raw mut memory).cast(),
        (&raw mut managed).cast(),
        (&raw mut device).cast(),
        (&raw mut base).cast(),
        (&raw mut size).cast(),
    ];
    let count = attributes.len() as u32;
    // SAFETY: as many attributes as places of their types. Any address may be asked for.
    let asked = unsafe {
        cu!(cuPointerGetAttributes(
            count,
            attributes.as_mut_ptr(),
            places.as_mut_ptr(),
            address as u64
        ))
    };
    // CUDA answers for memory that it does not know, too: with zeros.
    (asked.is_ok() && memory != 0).then_some(Pointer {
        memory,
        is_managed: managed & 0xff != 0,
        device,
        base: base as usize,
        size,
    })
}

/// Whether memory is CUDA's, or registered with it. A context is current.
pub(crate) fn is_known(context: &Context, address: usize) -> bool {
    context.usm.find(context, address).is_some() || pointer(address).is_some()
}

impl Context {
    /// Gives memory back that no command uses: at once, or when the driver would not wait for other commands.
    fn give_back(&self, primary: &'static Primary, kind: UsmType, base: usize) -> UrResult<()> {
        if kind != UsmType::DEVICE && !matches!(kit::MemoryProvider::fence(self), Ok(None)) {
            self.later.change(|later| later.push((kind, base)));
            return Ok(());
        }
        free(primary, kind, base)
    }

    /// Gives host and managed memory back that commands used when it was freed. None is unfinished.
    pub(crate) fn free_later(&self) {
        let later = self.later.change(std::mem::take);
        for (kind, base) in later {
            let freed = self
                .primary()
                .activate()
                .and_then(|_current| free(self.primary(), kind, base));
            if let Err(error) = freed {
                log::warn!("freed USM is leaked: {error}");
            }
        }
    }
}

/// The pool that device memory comes from, if it does.
fn pool(primary: &'static Primary) -> UrResult<Option<&'static MemoryPool>> {
    match ipc::shares_usm() {
        true => Ok(None),
        false => primary.memory_pool(),
    }
}

/// Takes memory from the driver. The context of the device is current.
fn allocate(primary: &'static Primary, kind: UsmType, size: usize) -> UrResult<usize> {
    // SAFETY: places for the addresses.
    let allocated = unsafe {
        match kind {
            UsmType::HOST => {
                let flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
                let memory = cu_get!(cuMemHostAlloc(_, size, flags): *mut c_void = std::ptr::null_mut());
                memory.map(|memory| memory as usize)
            }
            UsmType::DEVICE => match pool(primary) {
                Ok(Some(pool)) => pool.allocate(size),
                Ok(None) => cu_get!(cuMemAlloc(_, size): CUdeviceptr = 0),
                Err(error) => Err(error),
            }
            .map(|address| address as usize),
            _ => {
                let flags = CU_MEM_ATTACH_GLOBAL;
                cu_get!(cuMemAllocManaged(_, size, flags): CUdeviceptr = 0).map(|address| address as usize)
            }
        }
    };
    // The kit may try it another way.
    let allocated = allocated.inspect_err(|error| log::debug!("no {kind:?} USM of {size} bytes: {error}"));
    allocated.map_err(|error| match error.code() {
        // The specification has one word for both memories.
        ResultCode::ERROR_OUT_OF_DEVICE_MEMORY => error
            .with_code(ResultCode::ERROR_OUT_OF_RESOURCES)
            .context(&format!("there are no {size} bytes for {kind:?} USM")),
        _ => error,
    })
}

/// Gives memory back to the driver that [`allocate`] took. No command uses it.
fn free(primary: &'static Primary, kind: UsmType, address: usize) -> UrResult<()> {
    if kind == UsmType::DEVICE
        && let Some(pool) = pool(primary)?
    {
        return pool.free(address as CUdeviceptr);
    }
    // SAFETY: memory of this kind that nobody uses any more.
    unsafe {
        match kind {
            UsmType::HOST => cu!(cuMemFreeHost(address as *mut c_void)),
            _ => cu!(cuMemFree(address as u64)),
        }
    }
}

impl kit::UsmAlloc<Cuda> for Context {
    const ROW_ALIGN: usize = PITCH_ALIGN;

    kit::context_usm_methods!(Cuda);
    kit::context_usm_pool_methods!(Cuda);

    fn usm_import(&self, memory: *mut c_void, size: usize) -> UrResult<()> {
        let _current = self.primary().activate()?;
        let flags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
        // SAFETY: the client vouches for its memory, until it releases it.
        unsafe { cu!(cuMemHostRegister(memory, size, flags)) }?;
        kit::note_usm_change();
        Ok(())
    }

    fn usm_release(&self, memory: *mut c_void) -> UrResult<()> {
        let _current = self.primary().activate()?;
        kit::note_usm_change();
        // SAFETY: the driver checks the address; the client vouches that no command uses the memory.
        unsafe { cu!(cuMemHostUnregister(memory)) }
    }

    fn usm_copy(self: &Arc<Self>, dst: *mut c_void, src: *const c_void, size: usize) -> UrResult<()> {
        let _current = self.primary().activate()?;
        let lane = self.primary().own_lane()?;
        // SAFETY: the client vouches for both ranges; the command is complete when the call returns.
        unsafe { peers::copy(dst as u64, src as u64, size, lane.stream) }?;
        lane.synchronize()
    }
}
