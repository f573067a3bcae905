// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Virtual address ranges, and the entry points of the physical memory that is mapped into them.

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::*;

use crate::chain::decode;
use crate::handle::{self, export, object, optional_object};
use crate::table::entry_points;
use crate::{Backend, Context, InfoOut, PhysicalMem, UrResult, args, entry, note_usm_change, unsupported};

/// What may be done with memory at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemAccess {
    /// Nothing.
    None,
    /// It may be read.
    ReadOnly,
    /// It may be read and written.
    ReadWrite,
}

impl MemAccess {
    /// What flags say: nothing, if they name no other.
    fn new(flags: VirtualMemAccessFlags) -> UrResult<Self> {
        args::known_flags(flags)?;
        match flags {
            VirtualMemAccessFlags::READ_WRITE => Ok(Self::ReadWrite),
            VirtualMemAccessFlags::READ_ONLY => Ok(Self::ReadOnly),
            _ if flags.is_empty() || flags == VirtualMemAccessFlags::NONE => Ok(Self::None),
            _ => Err(crate::error!(ERROR_INVALID_VALUE: "memory has one kind of access, not {flags:?}")),
        }
    }

    fn flags(self) -> VirtualMemAccessFlags {
        match self {
            Self::None => VirtualMemAccessFlags::NONE,
            Self::ReadOnly => VirtualMemAccessFlags::READ_ONLY,
            Self::ReadWrite => VirtualMemAccessFlags::READ_WRITE,
        }
    }
}

/// What a context does with virtual address ranges. Sizes are in bytes.
pub trait VirtualMem<B: Backend> {
    /// What sizes and addresses must be multiples of.
    fn virtual_granularity(
        &self,
        _device: &Arc<B::Device>,
        _allocation: usize,
        _query: VirtualMemGranularityInfo,
    ) -> UrResult<usize> {
        unsupported()
    }

    /// Reserves addresses, at `start` if that is not null and free.
    fn virtual_reserve(&self, _start: *const c_void, _size: usize) -> UrResult<*mut c_void> {
        unsupported()
    }

    /// Gives a reserved range back.
    fn virtual_free(&self, _start: *const c_void, _size: usize) -> UrResult<()> {
        unsupported()
    }

    /// Maps physical memory, from `offset` on, into a reserved range.
    fn virtual_map(
        &self,
        _start: *const c_void,
        _size: usize,
        _mem: &Arc<B::PhysicalMem>,
        _offset: usize,
        _access: MemAccess,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Takes a mapping away.
    fn virtual_unmap(&self, _start: *const c_void, _size: usize) -> UrResult<()> {
        unsupported()
    }

    /// Changes the access to a mapped range.
    fn virtual_set_access(&self, _start: *const c_void, _size: usize, _access: MemAccess) -> UrResult<()> {
        unsupported()
    }

    /// The access to the start of a mapped range, and how many bytes of it have the same.
    fn virtual_access(&self, _start: *const c_void, _size: usize) -> UrResult<(MemAccess, usize)> {
        unsupported()
    }
}

entry! {
    fn urPhysicalMemCreate<B>(
        context: ContextHandle, device: DeviceHandle, size: usize, properties: *const PhysicalMemProperties,
        mem: *mut PhysicalMemHandle,
    ) {
        let context = object::<B::Context>(context)?;
        let device = object::<B::Device>(device)?;
        let properties = properties.as_ref().copied().unwrap_or_default();
        decode!("urPhysicalMemCreate", properties.pNext)?;
        let flags = properties.flags;
        args::known_flags(flags)?;
        let out = args::out(mem)?;
        out.write(export(&B::PhysicalMem::create(&context, &device, size, flags)?));
        Ok(())
    }

    fn urPhysicalMemRetain<B>(mem: PhysicalMemHandle) {
        handle::retain::<B::PhysicalMem>(mem)
    }

    fn urPhysicalMemRelease<B>(mem: PhysicalMemHandle) {
        handle::release::<B::PhysicalMem>(mem)
    }

    fn urPhysicalMemGetInfo<B>(
        mem: PhysicalMemHandle, query: PhysicalMemInfo, size: usize, value: *mut c_void, needed: *mut usize,
    ) {
        let mem = object::<B::PhysicalMem>(mem)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            PhysicalMemInfo::REFERENCE_COUNT => out.references(&**mem),
            _ => mem.info(query, out),
        }
    }

    fn urVirtualMemGranularityGetInfo<B>(
        context: ContextHandle, device: DeviceHandle, allocation: usize, query: VirtualMemGranularityInfo, size: usize,
        value: *mut c_void, needed: *mut usize,
    ) {
        let context = object::<B::Context>(context)?;
        let device = optional_object::<B::Device>(device)?;
        let out = InfoOut::of(query, size, value, needed)?;
        let device = device.as_deref().unwrap_or(&context.devices()[0]);
        context.check_device(device)?;
        out.value(context.virtual_granularity(device, allocation, query)?)
    }

    fn urVirtualMemReserve<B>(context: ContextHandle, start: *const c_void, size: usize, range: *mut *mut c_void) {
        let context = object::<B::Context>(context)?;
        args::out(range)?.write(context.virtual_reserve(start, size)?);
        Ok(())
    }

    fn urVirtualMemFree<B>(context: ContextHandle, start: *const c_void, size: usize) {
        let context = object::<B::Context>(context)?;
        args::not_null(start)?;
        note_usm_change();
        context.virtual_free(start, size)
    }

    fn urVirtualMemMap<B>(
        context: ContextHandle, start: *const c_void, size: usize, mem: PhysicalMemHandle, offset: usize,
        flags: VirtualMemAccessFlags,
    ) {
        let context = object::<B::Context>(context)?;
        args::not_null(start)?;
        let mem = object::<B::PhysicalMem>(mem)?;
        let access = MemAccess::new(flags)?;
        note_usm_change();
        context.virtual_map(start, size, &mem, offset, access)
    }

    fn urVirtualMemUnmap<B>(context: ContextHandle, start: *const c_void, size: usize) {
        let context = object::<B::Context>(context)?;
        args::not_null(start)?;
        note_usm_change();
        context.virtual_unmap(start, size)
    }

    fn urVirtualMemSetAccess<B>(
        context: ContextHandle, start: *const c_void, size: usize, flags: VirtualMemAccessFlags,
    ) {
        let context = object::<B::Context>(context)?;
        args::not_null(start)?;
        context.virtual_set_access(start, size, MemAccess::new(flags)?)
    }

    fn urVirtualMemGetInfo<B>(
        context: ContextHandle, start: *const c_void, bytes: usize, query: VirtualMemInfo, size: usize,
        value: *mut c_void, needed: *mut usize,
    ) {
        let context = object::<B::Context>(context)?;
        args::not_null(start)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            VirtualMemInfo::ACCESS_MODE => match context.virtual_access(start, bytes)? {
                (access, same) if same >= bytes => out.value(access.flags()),
                (_, same) => Err(crate::error!(
                    ERROR_INVALID_VALUE: "of {bytes} bytes at {start:p} only the first {same} have the same access"
                )),
            },
            _ => out.unsupported(),
        }
    }
}

oxur_api::physical_mem_functions! { entry_points {} }
oxur_api::virtual_mem_functions! { entry_points {} }
