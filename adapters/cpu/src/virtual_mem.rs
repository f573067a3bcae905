// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Virtual address ranges: UR's functions on [`oxur_device_cpu::virtual_mem`].

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use kit::ur::VirtualMemGranularityInfo;
use kit::{MemAccess, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::pages;
use oxur_device_cpu::virtual_mem::Access;

use crate::device_error::virtual_mem;
use crate::{Context, Cpu, Device, PhysicalMem};

/// The reserved addresses of a context.
pub(crate) type Ranges = oxur_device_cpu::virtual_mem::Ranges<PhysicalMem>;

fn access_of(access: MemAccess) -> Access {
    match access {
        MemAccess::None => Access::None,
        MemAccess::ReadOnly => Access::ReadOnly,
        MemAccess::ReadWrite => Access::ReadWrite,
    }
}

impl kit::VirtualMem<Cpu> for Context {
    fn virtual_granularity(
        &self,
        _device: &Arc<Device>,
        allocation: usize,
        query: VirtualMemGranularityInfo,
    ) -> UrResult<usize> {
        Ok(match query {
            VirtualMemGranularityInfo::RECOMMENDED if allocation >= pages::HUGE => pages::HUGE,
            _ => pages::page(),
        })
    }

    fn virtual_reserve(&self, start: *const c_void, size: usize) -> UrResult<*mut c_void> {
        let base = self.ranges.reserve(start as usize, size).map_err(virtual_mem)?;
        Ok(base as *mut c_void)
    }

    fn virtual_free(&self, start: *const c_void, size: usize) -> UrResult<()> {
        self.ranges.free(start as usize, size).map_err(virtual_mem)
    }

    fn virtual_map(
        &self,
        start: *const c_void,
        size: usize,
        mem: &Arc<PhysicalMem>,
        offset: usize,
        access: MemAccess,
    ) -> UrResult<()> {
        if !ptr::eq(&raw const **mem.context(), self) {
            kit::bail!(ERROR_INVALID_CONTEXT: "the physical memory is another context's");
        }
        self.ranges
            .map(start as usize, size, mem, offset, access_of(access))
            .map_err(virtual_mem)
    }

    fn virtual_unmap(&self, start: *const c_void, size: usize) -> UrResult<()> {
        self.ranges.unmap(start as usize, size).map_err(virtual_mem)
    }

    fn virtual_set_access(&self, start: *const c_void, size: usize, access: MemAccess) -> UrResult<()> {
        self.ranges
            .set_access(start as usize, size, access_of(access))
            .map_err(virtual_mem)
    }

    fn virtual_access(&self, start: *const c_void, size: usize) -> UrResult<(MemAccess, usize)> {
        let access = match self.ranges.access(start as usize, size).map_err(virtual_mem)? {
            Access::None => MemAccess::None,
            Access::ReadOnly => MemAccess::ReadOnly,
            Access::ReadWrite => MemAccess::ReadWrite,
        };
        Ok((access, size))
    }
}

#[cfg(test)]
mod tests {
    use kit::ur::{Backend, PhysicalMemFlags};
    use kit::{Context as _, PhysicalMem as _, VirtualMem as _};

    use super::*;
    use crate::Platform;

    const READ_WRITE: MemAccess = MemAccess::ReadWrite;
    const READ_ONLY: MemAccess = MemAccess::ReadOnly;

    fn context() -> Arc<Context> {
        let platform = Platform::new(Backend::OPENCL);
        Context::create(kit::Platform::devices(&*platform).to_vec(), Default::default()).unwrap()
    }

    fn at(start: *mut c_void, page: usize) -> *const c_void {
        start.wrapping_byte_add(page * pages::page()).cast_const()
    }

    #[test]
    fn one_memory_at_two_places() {
        let (context, page) = (context(), pages::page());
        let device = &context.devices[0];
        let mem = PhysicalMem::create(&context, device, 2 * page, PhysicalMemFlags::empty()).unwrap();
        let start = context.virtual_reserve(ptr::null(), 8 * page).unwrap();
        context
            .virtual_map(at(start, 1), 2 * page, &mem, 0, READ_WRITE)
            .unwrap();
        context.virtual_map(at(start, 5), page, &mem, page, READ_ONLY).unwrap();
        // SAFETY: mapped above, for writing and for reading.
        unsafe {
            let written = at(start, 2).cast_mut().cast::<u32>();
            written.write(77);
            assert_eq!(at(start, 5).cast::<u32>().read(), 77);
        }
        for (first, count, access) in [
            (1, 2, Some(READ_WRITE)),
            (5, 1, Some(READ_ONLY)),
            (0, 2, None),
            (2, 4, None),
        ] {
            let answer = context.virtual_access(at(start, first), count * page).ok();
            assert_eq!(
                answer,
                access.map(|access| (access, count * page)),
                "{count} pages from {first} on"
            );
        }
        // A part of a mapping may have other access, and be unmapped alone.
        context.virtual_set_access(at(start, 2), page, MemAccess::None).unwrap();
        assert!(context.virtual_access(at(start, 1), 2 * page).is_err());
        let one = context.virtual_access(at(start, 1), page).unwrap();
        assert_eq!(one, (READ_WRITE, page));
        context.virtual_unmap(at(start, 1), page).unwrap();
        assert!(context.virtual_unmap(at(start, 1), page).is_err());
        assert!(context.virtual_free(start, 8 * page).is_err(), "something is mapped");
        context.virtual_unmap(at(start, 2), page).unwrap();
        context.virtual_unmap(at(start, 5), page).unwrap();
        assert!(context.virtual_free(start, 7 * page).is_err());
        context.virtual_free(start, 8 * page).unwrap();
        assert!(context.virtual_free(start, 8 * page).is_err());
    }

    #[test]
    fn refused() {
        let (context, page) = (context(), pages::page());
        let device = &context.devices[0];
        let create = |size| PhysicalMem::create(&context, device, size, PhysicalMemFlags::empty());
        for size in [0, 1, page + 1, usize::MAX] {
            assert!(create(size).is_err(), "{size}");
            assert!(context.virtual_reserve(ptr::null(), size).is_err(), "{size}");
        }
        let mem = create(2 * page).unwrap();
        let start = context.virtual_reserve(ptr::null(), 4 * page).unwrap();
        let map = |first, size, offset, flags| context.virtual_map(at(start, first), size, &mem, offset, flags);
        for (first, size, offset) in [
            (0, 3 * page, 0),
            (0, page, 2 * page),
            (3, 2 * page, 0),
            (0, page, 1),
            (0, 1, 0),
        ] {
            assert!(map(first, size, offset, READ_WRITE).is_err(), "{first} {size} {offset}");
        }
        assert!(map(0, page, usize::MAX - page + 1, READ_WRITE).is_err());
        map(1, page, 0, READ_WRITE).unwrap();
        assert!(map(0, 2 * page, 0, READ_WRITE).is_err(), "they overlap");
        assert!(context.virtual_set_access(at(start, 0), 2 * page, READ_ONLY).is_err());
        let stranger = (&raw const mem)
            .cast::<c_void>()
            .map_addr(|address| address / page * page);
        assert!(context.virtual_unmap(stranger, page).is_err(), "it is not ours");
        context.virtual_unmap(at(start, 1), page).unwrap();
        context.virtual_free(start, 4 * page).unwrap();
    }
}
