// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Virtual address ranges: reserved addresses, and the physical memory that is mapped into them.
//!
//! Reservations and mappings are recorded, so that a wrong range is an error and never affects other memory.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::Arc;

use kit::ur::{ResultCode, VirtualMemAccessFlags, VirtualMemGranularityInfo};
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_device_cpu::pages;
use oxur_fork::Mutex;

use crate::{Context, Cpu, Device, PhysicalMem};

/// The reserved addresses of a context.
#[derive(Default)]
pub(crate) struct Ranges {
    /// By their first address.
    reserved: Mutex<BTreeMap<usize, Reserved>>,
}

struct Reserved {
    size: usize,
    /// The mappings, by their first address.
    mapped: BTreeMap<usize, Mapped>,
}

/// A mapped range with one kind of access.
#[derive(Clone)]
struct Mapped {
    size: usize,
    access: VirtualMemAccessFlags,
    /// Keeps the object alive. The mapping alone would keep its content only.
    _mem: Arc<PhysicalMem>,
}

impl Reserved {
    /// Splits the mapping that contains an address, so that none lies on both sides of it.
    fn split(&mut self, at: usize) {
        if let Some((&start, left)) = self.mapped.range_mut(..at).next_back()
            && start + left.size > at
        {
            let right = Mapped {
                size: start + left.size - at,
                ..left.clone()
            };
            left.size = at - start;
            self.mapped.insert(at, right);
        }
    }

    /// The ranges from `start` to `end`, if these addresses are mapped without a gap.
    fn whole(&mut self, start: usize, end: usize) -> Option<Vec<usize>> {
        self.split(start);
        self.split(end);
        let mut at = start;
        let mut parts = Vec::new();
        for (&part, mapped) in self.mapped.range(start..end) {
            if part != at {
                return None;
            }
            parts.push(part);
            at += mapped.size;
        }
        (at == end).then_some(parts)
    }
}

impl Ranges {
    /// Calls `f` with the reservation that contains all addresses from `start` to `end`.
    fn within<R>(&self, start: usize, end: usize, f: impl FnOnce(&mut Reserved) -> UrResult<R>) -> UrResult<R> {
        let mut ranges = self.reserved.lock();
        match ranges.range_mut(..=start).next_back() {
            Some((base, range)) if end <= base + range.size => f(range),
            _ => Err(UrError::with_message(
                ResultCode::ERROR_INVALID_VALUE,
                format!("the addresses from {start:#x} to {end:#x} are not reserved"),
            )),
        }
    }
}

impl Drop for Ranges {
    fn drop(&mut self) {
        let left = self.reserved.get_mut().len();
        if left != 0 {
            log::info!("a context is destroyed with {left} reserved address ranges that were never freed");
        }
    }
}

/// The end of a range of whole pages.
fn end_of(start: usize, size: usize) -> UrResult<usize> {
    let page = pages::page();
    if size == 0 || !size.is_multiple_of(page) || !start.is_multiple_of(page) {
        return Err(UrError::with_message(
            ResultCode::ERROR_INVALID_SIZE,
            format!("virtual memory has whole pages of {page} bytes, not {size} bytes at {start:#x}"),
        ));
    }
    start.checked_add(size).ok_or_else(|| {
        UrError::with_message(
            ResultCode::ERROR_INVALID_SIZE,
            format!("{size} bytes at {start:#x} overflow"),
        )
    })
}

/// The access that the flags request: none, if they name no other.
fn access_of(flags: VirtualMemAccessFlags) -> UrResult<(VirtualMemAccessFlags, i32)> {
    kit::args::known_flags(flags)?;
    match flags {
        VirtualMemAccessFlags::READ_WRITE => Ok((flags, libc::PROT_READ | libc::PROT_WRITE)),
        VirtualMemAccessFlags::READ_ONLY => Ok((flags, libc::PROT_READ)),
        _ if flags.is_empty() || flags == VirtualMemAccessFlags::NONE => {
            Ok((VirtualMemAccessFlags::NONE, libc::PROT_NONE))
        }
        _ => Err(UrError::with_message(
            ResultCode::ERROR_INVALID_VALUE,
            format!("memory has one kind of access, not {flags:?}"),
        )),
    }
}

fn not_mapped(start: usize, end: usize) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_INVALID_VALUE,
        format!("of the addresses from {start:#x} to {end:#x} some are not mapped"),
    )
}

/// Maps at `start`, or anywhere if that is not `fixed`: `file` from `offset` on, or inaccessible memory.
fn map(
    start: usize,
    fixed: bool,
    size: usize,
    protection: i32,
    file: Option<(&impl AsRawFd, usize)>,
) -> UrResult<usize> {
    let place = if fixed { libc::MAP_FIXED } else { 0 };
    let (flags, fd, offset) = match file {
        Some((file, offset)) => (libc::MAP_SHARED, file.as_raw_fd(), offset),
        None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1, 0),
    };
    let failed = |error: std::io::Error| {
        UrError::with_message(
            ResultCode::ERROR_OUT_OF_RESOURCES,
            format!("{size} bytes cannot be mapped at {start:#x}: {error}"),
        )
    };
    let offset = libc::off_t::try_from(offset).map_err(|error| failed(std::io::Error::other(error)))?;
    // SAFETY: the addresses are free, or belong to the caller by its records.
    let at = unsafe { libc::mmap(start as *mut c_void, size, protection, flags | place, fd, offset) };
    if at == libc::MAP_FAILED {
        return Err(failed(std::io::Error::last_os_error()));
    }
    Ok(at as usize)
}

const NO_FILE: Option<(&std::os::fd::OwnedFd, usize)> = None;

impl kit::VirtualMem<Cpu> for Context {
    fn virtual_granularity(
        &self,
        device: Option<&Arc<Device>>,
        allocation: usize,
        query: VirtualMemGranularityInfo,
    ) -> UrResult<usize> {
        if let Some(device) = device {
            self.check_device(device)?;
        }
        Ok(match query {
            VirtualMemGranularityInfo::RECOMMENDED if allocation >= pages::HUGE => pages::HUGE,
            _ => pages::page(),
        })
    }

    fn virtual_reserve(&self, start: *const c_void, size: usize) -> UrResult<*mut c_void> {
        let wanted = start as usize;
        end_of(wanted, size)?;
        let mut ranges = self.ranges.reserved.lock();
        let base = map(wanted, false, size, libc::PROT_NONE, NO_FILE)?;
        ranges.insert(
            base,
            Reserved {
                size,
                mapped: BTreeMap::new(),
            },
        );
        Ok(base as *mut c_void)
    }

    fn virtual_free(&self, start: *const c_void, size: usize) -> UrResult<()> {
        let base = start as usize;
        let mut ranges = self.ranges.reserved.lock();
        match ranges.get(&base) {
            Some(range) if range.size == size && range.mapped.is_empty() => {}
            Some(range) if range.size == size => {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_VALUE,
                    "physical memory is still mapped into the addresses that are freed",
                ));
            }
            _ => {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_VALUE,
                    format!("no {size} bytes were reserved at {start:p}: a reservation is freed as a whole"),
                ));
            }
        }
        // SAFETY: we reserved the range, and nothing is mapped there.
        if unsafe { libc::munmap(base as *mut c_void, size) } != 0 {
            let error = std::io::Error::last_os_error();
            return Err(UrError::with_message(
                ResultCode::ERROR_OUT_OF_RESOURCES,
                error.to_string(),
            ));
        }
        ranges.remove(&base);
        Ok(())
    }

    fn virtual_map(
        &self,
        start: *const c_void,
        size: usize,
        mem: &Arc<PhysicalMem>,
        offset: usize,
        flags: VirtualMemAccessFlags,
    ) -> UrResult<()> {
        let (base, end) = (start as usize, end_of(start as usize, size)?);
        let (access, protection) = access_of(flags)?;
        if !ptr::eq(&raw const **mem.context(), self) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_CONTEXT,
                "the physical memory is another context's",
            ));
        }
        if !offset.is_multiple_of(pages::page()) || offset.checked_add(size).is_none_or(|end| end > mem.size) {
            return Err(UrError::with_message(
                ResultCode::ERROR_INVALID_SIZE,
                format!(
                    "{size} bytes from {offset} on are no pages of the {} bytes of physical memory",
                    mem.size
                ),
            ));
        }
        self.ranges.within(base, end, |range| {
            let before = range.mapped.range(..end).next_back();
            if before.is_some_and(|(at, mapped)| at + mapped.size > base) {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_VALUE,
                    format!("of the addresses from {base:#x} to {end:#x} some are mapped already"),
                ));
            }
            map(base, true, size, protection, Some((mem.file(), offset)))?;
            let _mem = mem.clone();
            range.mapped.insert(base, Mapped { size, access, _mem });
            Ok(())
        })
    }

    fn virtual_unmap(&self, start: *const c_void, size: usize) -> UrResult<()> {
        let (base, end) = (start as usize, end_of(start as usize, size)?);
        self.ranges.within(base, end, |range| {
            let parts = range.whole(base, end).ok_or_else(|| not_mapped(base, end))?;
            map(base, true, size, libc::PROT_NONE, NO_FILE)?;
            parts.iter().for_each(|part| _ = range.mapped.remove(part));
            Ok(())
        })
    }

    fn virtual_set_access(&self, start: *const c_void, size: usize, flags: VirtualMemAccessFlags) -> UrResult<()> {
        let (base, end) = (start as usize, end_of(start as usize, size)?);
        let (access, protection) = access_of(flags)?;
        self.ranges.within(base, end, |range| {
            let parts = range.whole(base, end).ok_or_else(|| not_mapped(base, end))?;
            // SAFETY: we mapped these addresses.
            if unsafe { libc::mprotect(base as *mut c_void, size, protection) } != 0 {
                let error = std::io::Error::last_os_error();
                return Err(UrError::with_message(
                    ResultCode::ERROR_OUT_OF_RESOURCES,
                    error.to_string(),
                ));
            }
            for part in parts {
                range.mapped.get_mut(&part).expect("a part of the range").access = access;
            }
            Ok(())
        })
    }

    fn virtual_access(&self, start: *const c_void, size: usize) -> UrResult<VirtualMemAccessFlags> {
        let (base, end) = (start as usize, end_of(start as usize, size)?);
        self.ranges.within(base, end, |range| {
            let parts = range.whole(base, end).ok_or_else(|| not_mapped(base, end))?;
            let access = range.mapped[&base].access;
            if parts.iter().any(|part| range.mapped[part].access != access) {
                return Err(UrError::with_message(
                    ResultCode::ERROR_INVALID_VALUE,
                    format!("the addresses from {base:#x} to {end:#x} have no one access: ask for parts of them"),
                ));
            }
            Ok(access)
        })
    }
}

#[cfg(test)]
mod tests {
    use kit::ur::{Backend, PhysicalMemFlags};
    use kit::{Context as _, PhysicalMem as _, VirtualMem as _};

    use super::*;
    use crate::Platform;

    const READ_WRITE: VirtualMemAccessFlags = VirtualMemAccessFlags::READ_WRITE;
    const READ_ONLY: VirtualMemAccessFlags = VirtualMemAccessFlags::READ_ONLY;

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
            assert_eq!(answer, access, "{count} pages from {first} on");
        }
        // A part of a mapping may have other access, and be unmapped alone.
        context
            .virtual_set_access(at(start, 2), page, VirtualMemAccessFlags::NONE)
            .unwrap();
        assert!(context.virtual_access(at(start, 1), 2 * page).is_err());
        let one = context.virtual_access(at(start, 1), page).unwrap();
        assert_eq!(one, READ_WRITE);
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
        assert!(map(0, page, 0, READ_WRITE | READ_ONLY).is_err());
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
