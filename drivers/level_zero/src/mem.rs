// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unified shared memory.
//!
//! Kernels run in the host's address space, so host, device and shared memory differ only in what queries return. Each
//! allocation has pages of its own: [`block`] has them by address. [`external`] and [`ipc`] share them with other processes
//! and other APIs, [`import`] has memory that the client makes known, and [`access`] attributes of memory.

pub(crate) mod access;
pub(crate) mod block;
pub(crate) mod external;
pub(crate) mod import;
pub(crate) mod ipc;

use std::ffi::c_void;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;

use level_zero_sys::*;
use oxur_device_cpu::machine::memory;
use oxur_device_cpu::{limits, pages};
use oxur_fork::OnceLock;

pub(crate) use self::block::{Allocation, Memory, Pages};
use self::block::{Block, Origin, new_id};
use self::external::Backing;
use crate::entry::{Error, ZeResult, entry, err};
use crate::handle::{Chain, object, out, required};
use crate::{Context, Device};

/// The most bytes that the process can use.
pub(crate) fn total_memory() -> usize {
    static TOTAL: OnceLock<usize> = OnceLock::new();
    *TOTAL.get_or_init(|| usize::try_from(memory::total()).unwrap_or(usize::MAX))
}

/// The largest allocation without `ZE_extension_relaxed_allocation_limits`.
pub(crate) fn max_allocation() -> usize {
    limits::allocation(total_memory() as u64) as usize
}

/// The largest alignment: that of the largest page of the machine.
const MAX_ALIGNMENT: usize = 1 << 30;

/// What `pNext` chains of an allocation ask for.
#[derive(Default)]
struct Options {
    /// The size may exceed the device's limit.
    relaxed: bool,
    /// The memory will be shared.
    exportable: bool,
    /// A descriptor of the memory.
    imported: Option<RawFd>,
    /// Memory of the client, and its size.
    system: Option<(usize, usize)>,
}

impl Options {
    /// # Safety
    /// `next` must be a chain.
    unsafe fn of(next: *const c_void) -> ZeResult<Self> {
        let mut options = Self::default();
        if next.is_null() {
            return Ok(options);
        }
        // SAFETY: passed on to the caller.
        let chain = unsafe { Chain::new(next) };
        if let Some(relaxed) = chain.find::<ze_relaxed_allocation_limits_ext_desc_t>() {
            options.relaxed |= relaxed.flags & ZE_RELAXED_ALLOCATION_LIMITS_EXT_FLAG_MAX_SIZE != 0;
        }
        if let Some(relaxed) = chain.find::<ze_relaxed_allocation_limits_exp_desc_t>() {
            options.relaxed |= relaxed.flags & ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE != 0;
        }
        options.exportable = ipc::check_handle_type(&chain)?;
        if let Some(export) = chain.find::<ze_external_memory_export_desc_t>() {
            external::check_kinds(export.flags)?;
            options.exportable |= export.flags != 0;
        }
        if let Some(import) = chain.find::<ze_external_memory_import_fd_t>() {
            external::check_kinds(import.flags)?;
            options.imported = Some(import.fd);
        }
        if chain.find::<ze_external_memory_import_win32_handle_t>().is_some() {
            return Err(Error::new(
                ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                "handles of Windows cannot be imported",
            ));
        }
        if let Some(system) = chain.find::<ze_external_memmap_sysmem_ext_desc_t>() {
            options.system = Some((system.pSystemMemory as usize, usize::try_from(system.size).unwrap_or(0)));
        }
        Ok(options)
    }

    /// The options of two chains.
    fn and(self, other: Self) -> Self {
        Self {
            relaxed: self.relaxed || other.relaxed,
            exportable: self.exportable || other.exportable,
            imported: self.imported.or(other.imported),
            system: self.system.or(other.system),
        }
    }
}

/// Checks the size and the alignment of an allocation.
fn check_size(kind: ze_memory_type_t, size: usize, align: usize, options: &Options) -> ZeResult {
    if size == 0 {
        return err(ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    }
    if (align != 0 && !align.is_power_of_two()) || align > MAX_ALIGNMENT {
        return Err(Error::new(
            ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT,
            format_args!("an alignment is a power of two up to {MAX_ALIGNMENT}, not {align}"),
        ));
    }
    if size > max_allocation() && !options.relaxed {
        return Err(Error::new(
            ZE_RESULT_ERROR_UNSUPPORTED_SIZE,
            format_args!(
                "an allocation has {} bytes at most, not {size}, unless its limit is relaxed \
                 (ZE_extension_relaxed_allocation_limits)",
                max_allocation()
            ),
        ));
    }
    if size > total_memory() {
        return Err(no_memory(
            kind,
            format_args!("the machine has no {size} bytes of memory"),
        ));
    }
    Ok(())
}

/// The error for memory that the system does not have.
pub(crate) fn no_memory(kind: ze_memory_type_t, message: impl std::fmt::Display) -> Error {
    let code = if kind == ZE_MEMORY_TYPE_HOST {
        ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
    } else {
        ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY
    };
    Error::new(code, message)
}

impl Context {
    /// The allocation that contains an address.
    pub(crate) fn find(&self, address: usize) -> Option<Allocation> {
        self.memory.find(address).or_else(|| import::find(address))
    }

    /// Checks that a device is one of the context's, or a part of one.
    pub(crate) fn check_device(&self, device: &Arc<Device>) -> ZeResult {
        let mut at = Some(device.clone());
        while let Some(device) = at {
            if self.devices.iter().any(|own| Arc::ptr_eq(own, &device)) {
                return Ok(());
            }
            at = device.parent.as_ref().and_then(std::sync::Weak::upgrade);
        }
        Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "the device is none of the context's, and no part of one",
        ))
    }

    /// Waits until all commands have ended that are unfinished now.
    pub(crate) fn wait_for_commands(&self) {
        let now = self.in_flight.epoch();
        let backoff = oxur_device_cpu::exec::Backoff::start();
        while !self.in_flight.is_idle() && self.in_flight.advance() <= now {
            if !backoff.wait() {
                // Nothing tells of the end of a command. It is looked for often enough that nobody notices.
                std::thread::sleep(std::time::Duration::from_micros(50));
            }
        }
    }

    /// Allocates.
    fn allocate(
        &self,
        kind: ze_memory_type_t,
        device: Option<&Arc<Device>>,
        size: usize,
        align: usize,
        options: &Options,
    ) -> ZeResult<*mut c_void> {
        check_size(kind, size, align, options)?;
        self.memory.collect(&self.in_flight);
        let (backing, pages) = match options {
            Options {
                imported: Some(number), ..
            } => {
                let backing = external::import(*number, size)?;
                let pages = external::map_file(kind, number, 0, size, align)?;
                (backing, pages)
            }
            Options { exportable: true, .. } => {
                let file = external::new_file(kind, size)?;
                let pages = external::map_file(kind, &*file, 0, size, align)?;
                (Backing::Shared(file), pages)
            }
            _ => {
                let pages = Pages::map(size, align).map_err(|error| no_memory(kind, error))?;
                (Backing::Private, pages)
            }
        };
        let base = pages.start();
        let about = Allocation {
            kind,
            base,
            size,
            device: device.cloned(),
            id: new_id(),
        };
        self.memory
            .add(Block::new(about, Origin::Allocated, backing, Some(pages)));
        Ok(base as *mut c_void)
    }

    /// Makes memory of the client a host allocation, at the same address.
    fn map_system_memory(&self, base: usize, has: usize, size: usize) -> ZeResult<*mut c_void> {
        let page = pages::page();
        if base == 0 {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        if !base.is_multiple_of(page) {
            return Err(Error::new(
                ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT,
                format_args!("system memory is mapped in pages of {page} bytes, and {base:#x} is inside of one"),
            ));
        }
        if size == 0 || size > has || !has.is_multiple_of(page) || base.checked_add(has).is_none() {
            return Err(Error::new(
                ZE_RESULT_ERROR_UNSUPPORTED_SIZE,
                format_args!("{size} bytes are no part of {has} bytes of system memory in pages of {page} bytes"),
            ));
        }
        let about = Allocation {
            kind: ZE_MEMORY_TYPE_HOST_IMPORTED,
            base,
            size,
            device: None,
            id: new_id(),
        };
        if self
            .memory
            .add_disjoint(Block::new(about, Origin::Allocated, Backing::Client, None))
        {
            return Ok(base as *mut c_void);
        }
        Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            format_args!("of the {size} bytes at {base:#x} some are allocated or mapped already"),
        ))
    }

    /// Fills `ze_external_memory_export_fd_t` in the chain of a query.
    ///
    /// # Safety
    /// `next` must be a chain.
    unsafe fn export_descriptor(&self, address: usize, next: *const c_void) -> ZeResult {
        // SAFETY: passed on to the caller.
        let chain = unsafe { Chain::new(next) };
        if chain.find::<ze_external_memory_export_win32_handle_t>().is_some() {
            return err(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        }
        let Some(export) = chain.find_mut::<ze_external_memory_export_fd_t>() else {
            return Ok(());
        };
        external::check_kinds(export.flags)?;
        let Some(block) = self.memory.block(address) else {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format_args!("{address:#x} is in no allocation of the context, so it has no descriptor"),
            ));
        };
        let imported = block.backing.lock().descriptor();
        let file = match imported {
            Some(file) => file,
            None => self.share(&block)?.as_raw_fd(),
        };
        export.fd = block
            .descriptor
            .lock()
            .of(file)
            .map_err(|error| Error::new(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, error))?;
        Ok(())
    }

    /// Frees an allocation. If commands are unfinished, its pages stay until they have ended.
    fn free(&self, memory: *mut c_void, wait: bool) -> ZeResult {
        if memory.is_null() {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        let Some(block) = self.memory.remove(memory as usize, Origin::Allocated) else {
            return Err(Error::new(
                ZE_RESULT_ERROR_INVALID_ARGUMENT,
                format_args!("{memory:p} is not the start of an allocation of the context"),
            ));
        };
        if wait {
            self.wait_for_commands();
        }
        self.memory.release(block, &self.in_flight);
        Ok(())
    }
}

/// Checks a descriptor of device memory, and reads its chain.
///
/// # Safety
/// It must be null or a descriptor.
unsafe fn device_options(desc: *const ze_device_mem_alloc_desc_t) -> ZeResult<Options> {
    // SAFETY: passed on to the caller.
    let desc = unsafe { required(desc) }?;
    if desc.flags > 0x7 {
        return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
    }
    if desc.ordinal != 0 {
        return Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            format_args!(
                "the device has one memory, so the ordinal is 0 and not {}",
                desc.ordinal
            ),
        ));
    }
    // SAFETY: as above.
    unsafe { Options::of(desc.pNext) }
}

/// The same of host memory.
///
/// # Safety
/// It must be null or a descriptor.
unsafe fn host_options(desc: *const ze_host_mem_alloc_desc_t) -> ZeResult<Options> {
    // SAFETY: passed on to the caller.
    let desc = unsafe { required(desc) }?;
    if desc.flags > 0x1f {
        return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
    }
    let both = ZE_HOST_MEM_ALLOC_FLAG_MEM_READ_ONLY | ZE_HOST_MEM_ALLOC_FLAG_BIAS_WRITE_COMBINED;
    if desc.flags & both == both {
        return Err(Error::new(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "memory is either read-only or write-combined",
        ));
    }
    // SAFETY: as above.
    unsafe { Options::of(desc.pNext) }
}

entry! {
    fn zeMemAllocShared(
        context: ze_context_handle_t,
        device_desc: *const ze_device_mem_alloc_desc_t,
        host_desc: *const ze_host_mem_alloc_desc_t,
        size: usize,
        alignment: usize,
        device: ze_device_handle_t,
        memory: *mut *mut c_void,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let context = object::<Context>(context)?;
            let options = device_options(device_desc)?.and(host_options(host_desc)?);
            let memory = out(memory)?;
            let device = (!device.is_null()).then(|| object::<Device>(device)).transpose()?;
            if let Some(device) = device {
                context.check_device(device)?;
            }
            *memory = context.allocate(ZE_MEMORY_TYPE_SHARED, device, size, alignment, &options)?;
        }
        Ok(())
    }

    fn zeMemAllocDevice(
        context: ze_context_handle_t,
        desc: *const ze_device_mem_alloc_desc_t,
        size: usize,
        alignment: usize,
        device: ze_device_handle_t,
        memory: *mut *mut c_void,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let context = object::<Context>(context)?;
            let device = object::<Device>(device)?;
            let options = device_options(desc)?;
            let memory = out(memory)?;
            context.check_device(device)?;
            *memory = context.allocate(ZE_MEMORY_TYPE_DEVICE, Some(device), size, alignment, &options)?;
        }
        Ok(())
    }

    fn zeMemAllocHost(
        context: ze_context_handle_t,
        desc: *const ze_host_mem_alloc_desc_t,
        size: usize,
        alignment: usize,
        memory: *mut *mut c_void,
    ) {
        // SAFETY: passed on to the caller.
        unsafe {
            let context = object::<Context>(context)?;
            let options = host_options(desc)?;
            let memory = out(memory)?;
            if let Some((base, has)) = options.system {
                *memory = context.map_system_memory(base, has, size)?;
                return Ok(());
            }
            *memory = context.allocate(ZE_MEMORY_TYPE_HOST, None, size, alignment, &options)?;
        }
        Ok(())
    }

    fn zeMemFree(context: ze_context_handle_t, memory: *mut c_void) {
        // SAFETY: passed on to the caller.
        unsafe { object::<Context>(context) }?.free(memory, false)
    }

    fn zeMemFreeExt(context: ze_context_handle_t, desc: *const ze_memory_free_ext_desc_t, memory: *mut c_void) {
        // SAFETY: passed on to the caller.
        let (context, desc) = unsafe { (object::<Context>(context)?, required(desc)?) };
        if desc.freePolicy > 0x3 {
            return err(ZE_RESULT_ERROR_INVALID_ENUMERATION);
        }
        let wait = desc.freePolicy & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE != 0;
        context.free(memory, wait)
    }

    fn zeMemGetAllocProperties(
        context: ze_context_handle_t,
        memory: *const c_void,
        properties: *mut ze_memory_allocation_properties_t,
        device: *mut ze_device_handle_t,
    ) {
        // SAFETY: passed on to the caller.
        let context = unsafe { object::<Context>(context) }?;
        if memory.is_null() {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        // SAFETY: passed on to the caller.
        let (properties, device) = unsafe { (out(properties)?, device.as_mut()) };
        let found = context.find(memory as usize);
        properties.type_ = found.as_ref().map_or(ZE_MEMORY_TYPE_UNKNOWN, |found| found.kind);
        properties.id = found.as_ref().map_or(0, |found| found.id);
        properties.pageSize = if found.is_some() { pages::page() as u64 } else { 0 };
        if !properties.pNext.is_null() {
            // SAFETY: passed on to the caller.
            unsafe { context.export_descriptor(memory as usize, properties.pNext) }?;
        }
        if let Some(device) = device {
            let own = found.as_ref().and_then(|found| found.device.as_ref());
            *device = own.map_or(crate::handle::none(), Device::handle);
        }
        Ok(())
    }

    fn zeMemGetAddressRange(
        context: ze_context_handle_t,
        memory: *const c_void,
        base: *mut *mut c_void,
        size: *mut usize,
    ) {
        // SAFETY: passed on to the caller.
        let context = unsafe { object::<Context>(context) }?;
        if memory.is_null() {
            return err(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
        }
        let Some(found) = context.find(memory as usize) else {
            return err(ZE_RESULT_ERROR_ADDRESS_NOT_FOUND);
        };
        // SAFETY: passed on to the caller.
        unsafe {
            if let Some(base) = base.as_mut() {
                *base = found.base as *mut c_void;
            }
            if let Some(size) = size.as_mut() {
                *size = found.size;
            }
        }
        Ok(())
    }
}
