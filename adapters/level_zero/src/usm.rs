// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unified shared memory: Level Zero's behind the kit's cache.
//!
//! The kit keeps freed memory, and knows what is at the addresses that it handed out. An address that it does not know, such
//! as memory that the client got from Level Zero itself, is a question for the driver, and freeing it as well.
//!
//! Memory that is freed in use stays in quarantine until markers behind the commands are complete. Flags of allocations are
//! hints, and such memory is not cached.

pub(crate) mod foreign;

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use kit::ur::{ResultCode, UsmDeviceMemFlags, UsmHostMemFlags, UsmType};
use kit::{Device as _, UrResult, UsmAllocation, UsmPlace, UsmProperties};
use level_zero_sys::*;
use oxur_adapter_kit as kit;

use crate::queue::{Deps, append_copy, append_fill};
use crate::ze::{self, desc, ze, ze_get};
use crate::{Context, Device, LevelZero, conv};

/// A pool.
pub(crate) type UsmPool = kit::UsmHeapPool<Context>;

/// How much free USM a context keeps.
static LIMIT: kit::CacheLimit = kit::CacheLimit::new(kit::environment::LEVEL_ZERO_USM_POOL);

impl kit::MemoryProvider for Context {
    // In a child of `fork` nothing runs.
    kit::driver_memory_methods!(LevelZero, LIMIT, ze::is_lost());

    fn memory_of<'a>(listed: &'a Arc<Device>, named: &'a Arc<Device>) -> Option<&'a Arc<Device>> {
        // A part of a device has memory of its own.
        named.is_in(listed).then_some(named)
    }

    fn allocate(
        &self,
        place: &UsmPlace<Self>,
        size: usize,
        align: usize,
        properties: &UsmProperties,
    ) -> UrResult<usize> {
        let mut relaxed = ze_relaxed_allocation_limits_exp_desc_t {
            flags: ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE,
            ..Default::default()
        };
        let device = place.device.as_ref().unwrap_or(&self.devices[0]);
        let is_large = size as u64 > device.facts.properties.maxMemAllocSize;
        let chain: *const c_void = match is_large && device.driver.has(ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME) {
            true => (&raw mut relaxed).cast(),
            false => std::ptr::null(),
        };
        let on_device = desc!(ze_device_mem_alloc_desc_t: pNext = chain, flags = device_flags(properties));
        let on_host = ze_host_mem_alloc_desc_t {
            pNext: match place.kind {
                UsmType::HOST => chain,
                _ => std::ptr::null(),
            },
            flags: host_flags(properties),
            ..Default::default()
        };
        let context = **self.raw;
        // SAFETY: a live context and device, and descriptions that live until the call returns.
        let allocated: UrResult<*mut c_void> = unsafe {
            match place.kind {
                UsmType::HOST => ze_get!(zeMemAllocHost(context, &on_host, size, align)),
                UsmType::DEVICE => ze_get!(zeMemAllocDevice(context, &on_device, size, align, device.raw)),
                _ => ze_get!(zeMemAllocShared(context, &on_device, &on_host, size, align, device.raw)),
            }
        };
        allocated
            .map(|address| address as usize)
            .map_err(|error| match error.code() {
                ResultCode::ERROR_UNSUPPORTED_SIZE | ResultCode::ERROR_INVALID_SIZE => error
                    .with_code(ResultCode::ERROR_INVALID_USM_SIZE)
                    .context(&format!("the driver does not allocate {size} bytes at once")),
                // The specification has one word for both memories.
                ResultCode::ERROR_OUT_OF_DEVICE_MEMORY => error.with_code(ResultCode::ERROR_OUT_OF_RESOURCES),
                ResultCode::ERROR_UNSUPPORTED_ALIGNMENT => error.with_code(ResultCode::ERROR_INVALID_VALUE),
                _ => error,
            })
    }

    fn clear(&self, _place: &UsmPlace<Self>, address: usize, size: usize) -> UrResult<()> {
        self.synchronously(|list| append_fill(list, address as *mut c_void, &[0], size, Deps::none()))
    }

    fn free(&self, _place: &UsmPlace<Self>, address: usize, _size: usize) -> UrResult<()> {
        self.give_back(address as *mut c_void)
    }

    fn is_dedicated(&self, properties: &UsmProperties) -> bool {
        properties.has_flags()
    }

    fn foreign_memory(&self) -> Option<&kit::ForeignMemory<Self>> {
        Some(&self.shared.foreign)
    }

    fn foreign(&self, address: usize) -> Option<UsmAllocation<Self>> {
        let (context, memory) = (**self.raw, address as *const c_void);
        let (mut properties, mut device) = (ze_memory_allocation_properties_t::default(), null_mut());
        // SAFETY: a live context and places for the results; any address may be asked for.
        unsafe { ze!(zeMemGetAllocProperties(context, memory, &mut properties, &mut device)) }.ok()?;
        if properties.type_ == ZE_MEMORY_TYPE_UNKNOWN {
            return None;
        }
        let (base, size) = self.allocation(address).ok()?;
        Some(UsmAllocation {
            kind: conv::usm_type(properties.type_),
            base,
            size,
            device: self.device(device).cloned(),
            pool: None,
        })
    }

    fn free_foreign(&self, found: &UsmAllocation<Self>) -> UrResult<()> {
        self.give_back(found.base as *mut c_void)
    }
}

impl Context {
    /// The address and size of the driver's allocation that an address is in.
    fn allocation(&self, address: usize) -> UrResult<(usize, usize)> {
        let (context, memory) = (**self.raw, address as *const c_void);
        let (mut base, mut size) = (null_mut(), 0);
        // SAFETY: a live context and places for the results; any address may be asked for.
        unsafe { ze!(zeMemGetAddressRange(context, memory, &mut base, &mut size)) }?;
        Ok((base as usize, size))
    }

    /// Gives memory back to the driver. No command uses it.
    fn give_back(&self, address: *mut c_void) -> UrResult<()> {
        if ze::is_lost() {
            // It goes with the process.
            return Ok(());
        }
        // SAFETY: a live context and memory of it.
        unsafe { ze!(zeMemFree(**self.raw, address)) }
    }
}

impl kit::UsmAlloc<LevelZero> for Context {
    kit::context_usm_methods!(LevelZero);

    fn usm_pitch(&self, device: &Arc<Device>, width: usize, height: usize, element_size: usize) -> UrResult<usize> {
        let (context, size) = (**self.raw, u32::try_from(element_size).unwrap_or(0));
        if size == 0 || !width.is_multiple_of(element_size) {
            kit::bail!(ERROR_INVALID_VALUE: "rows of {width} bytes have no elements of {element_size} bytes");
        }
        // SAFETY: a live context and a device of it, and a place for the result.
        unsafe {
            ze_get!(zeMemGetPitchFor2dImage(
                context,
                device.raw,
                width / element_size,
                height,
                size
            ))
        }
    }

    fn usm_import(&self, memory: *mut c_void, size: usize) -> UrResult<()> {
        let (driver, import, _) = self.devices[0].driver.import_functions()?;
        // SAFETY: the driver's function and handle; the client vouches for its memory.
        let imported = unsafe { import(driver, memory, size) };
        ze::check("zexDriverImportExternalPointer", imported)?;
        let foreign = &self.shared.foreign;
        foreign.add(kit::MemoryOf::Host, memory.addr(), memory.addr(), size, None);
        Ok(())
    }

    fn usm_release(&self, memory: *mut c_void) -> UrResult<()> {
        let (driver, _, release) = self.devices[0].driver.import_functions()?;
        self.shared.foreign.remove(kit::MemoryOf::Host, memory)?;
        // SAFETY: the driver's function and handle, and memory that it has imported.
        ze::check("zexDriverReleaseImportedPointer", unsafe { release(driver, memory) })
    }

    kit::context_usm_pool_methods!(LevelZero);

    fn usm_copy(self: &Arc<Self>, dst: *mut c_void, src: *const c_void, size: usize) -> UrResult<()> {
        self.synchronously(|list| append_copy(list, dst, src, size, Deps::none()))
    }
}

fn device_flags(properties: &UsmProperties) -> ze_device_mem_alloc_flags_t {
    let mut flags = 0;
    if properties.device_flags.contains(UsmDeviceMemFlags::WRITE_COMBINED) {
        flags |= ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_UNCACHED;
    }
    if properties.device_flags.contains(UsmDeviceMemFlags::INITIAL_PLACEMENT) {
        flags |= ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT;
    }
    flags
}

fn host_flags(properties: &UsmProperties) -> ze_host_mem_alloc_flags_t {
    // At most one side of shared memory is the first.
    let on_device = properties.device_flags.contains(UsmDeviceMemFlags::INITIAL_PLACEMENT);
    match properties.host_flags.contains(UsmHostMemFlags::INITIAL_PLACEMENT) && !on_device {
        true => ZE_HOST_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT,
        false => 0,
    }
}
