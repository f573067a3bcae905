// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Virtual address ranges, and the entry points of the physical memory that is mapped into them.

use std::ffi::c_void;
use std::sync::Arc;

use oxur_api::*;

use crate::chain::decode;
use crate::handle::{self, export, object, optional_object};
use crate::table::entry_points;
use crate::{Backend, InfoOut, PhysicalMem, UrResult, args, entry, unsupported};

/// What a context does with virtual address ranges. Sizes are in bytes.
pub trait VirtualMem<B: Backend> {
    /// What sizes and addresses must be multiples of.
    fn virtual_granularity(
        &self,
        _device: Option<&Arc<B::Device>>,
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
        _flags: VirtualMemAccessFlags,
    ) -> UrResult<()> {
        unsupported()
    }

    /// Takes a mapping away.
    fn virtual_unmap(&self, _start: *const c_void, _size: usize) -> UrResult<()> {
        unsupported()
    }

    /// Changes the access to a mapped range.
    fn virtual_set_access(&self, _start: *const c_void, _size: usize, _flags: VirtualMemAccessFlags) -> UrResult<()> {
        unsupported()
    }

    /// The access to a mapped range.
    fn virtual_access(&self, _start: *const c_void, _size: usize) -> UrResult<VirtualMemAccessFlags> {
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
        out.value(context.virtual_granularity(device.as_deref(), allocation, query)?)
    }

    fn urVirtualMemReserve<B>(context: ContextHandle, start: *const c_void, size: usize, range: *mut *mut c_void) {
        let context = object::<B::Context>(context)?;
        args::out(range)?.write(context.virtual_reserve(start, size)?);
        Ok(())
    }

    fn urVirtualMemFree<B>(context: ContextHandle, start: *const c_void, size: usize) {
        let context = object::<B::Context>(context)?;
        args::not_null(start)?;
        context.virtual_free(start, size)
    }

    fn urVirtualMemMap<B>(
        context: ContextHandle, start: *const c_void, size: usize, mem: PhysicalMemHandle, offset: usize,
        flags: VirtualMemAccessFlags,
    ) {
        let context = object::<B::Context>(context)?;
        args::not_null(start)?;
        let mem = object::<B::PhysicalMem>(mem)?;
        args::known_flags(flags)?;
        context.virtual_map(start, size, &mem, offset, flags)
    }

    fn urVirtualMemUnmap<B>(context: ContextHandle, start: *const c_void, size: usize) {
        let context = object::<B::Context>(context)?;
        args::not_null(start)?;
        context.virtual_unmap(start, size)
    }

    fn urVirtualMemSetAccess<B>(
        context: ContextHandle, start: *const c_void, size: usize, flags: VirtualMemAccessFlags,
    ) {
        let context = object::<B::Context>(context)?;
        args::not_null(start)?;
        args::known_flags(flags)?;
        context.virtual_set_access(start, size, flags)
    }

    fn urVirtualMemGetInfo<B>(
        context: ContextHandle, start: *const c_void, bytes: usize, query: VirtualMemInfo, size: usize,
        value: *mut c_void, needed: *mut usize,
    ) {
        let context = object::<B::Context>(context)?;
        args::not_null(start)?;
        let out = InfoOut::of(query, size, value, needed)?;
        match query {
            VirtualMemInfo::ACCESS_MODE => out.value(context.virtual_access(start, bytes)?),
            _ => out.unsupported(),
        }
    }
}

oxur_api::physical_mem_functions! { entry_points {} }
oxur_api::virtual_mem_functions! { entry_points {} }
