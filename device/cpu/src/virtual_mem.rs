// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Virtual address ranges: reserved addresses, and the physical memory that is mapped into them.
//!
//! Reservations and mappings are recorded, so that a wrong range is an error and never affects other memory. Physical memory
//! is a file, which can be mapped at any number of addresses. A child of `fork` shares it with its parent.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use oxur_fork::Mutex;

use crate::pages;
use crate::shared_file::SharedFile;

/// How mapped memory may be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Not at all.
    None,
    /// It can be read.
    ReadOnly,
    /// It can be read and written.
    ReadWrite,
}

impl Access {
    fn protection(self) -> i32 {
        match self {
            Self::None => libc::PROT_NONE,
            Self::ReadOnly => libc::PROT_READ,
            Self::ReadWrite => libc::PROT_READ | libc::PROT_WRITE,
        }
    }
}

/// Why a function of this module fails.
#[derive(Debug, thiserror::Error)]
pub enum VirtualMemError {
    /// The size is not of whole pages.
    #[error("virtual memory has whole pages of {} bytes, not {size} bytes", pages::page())]
    Size {
        /// The size.
        size: usize,
    },
    /// The address is not the start of a page.
    #[error(
        "virtual memory has whole pages of {} bytes, and {address:#x} is inside of one",
        pages::page()
    )]
    Address {
        /// The address.
        address: usize,
    },
    /// The range overflows.
    #[error("{size} bytes at {start:#x} overflow")]
    Overflow {
        /// The first address.
        start: usize,
        /// The size.
        size: usize,
    },
    /// The range is not inside of a reservation.
    #[error("the addresses from {start:#x} to {end:#x} are not reserved")]
    NotReserved {
        /// The first address.
        start: usize,
        /// The end of the range.
        end: usize,
    },
    /// The range to free is no reservation.
    #[error("no {size} bytes were reserved at {start:#x}: a reservation is freed as a whole")]
    NoReservation {
        /// The first address.
        start: usize,
        /// The size.
        size: usize,
    },
    /// Memory is mapped into the reservation that is freed.
    #[error("physical memory is still mapped into the addresses that are freed")]
    StillMapped,
    /// Nothing is mapped at a part of the range.
    #[error("of the addresses from {start:#x} to {end:#x} some are not mapped")]
    NotMapped {
        /// The first address.
        start: usize,
        /// The end of the range.
        end: usize,
    },
    /// Something is mapped at a part of the range.
    #[error("of the addresses from {start:#x} to {end:#x} some are mapped already")]
    Mapped {
        /// The first address.
        start: usize,
        /// The end of the range.
        end: usize,
    },
    /// The pages are not inside of the physical memory.
    #[error("{size} bytes from {offset} on are no pages of the {has} bytes of physical memory")]
    Outside {
        /// The size of the range.
        size: usize,
        /// Where it begins.
        offset: usize,
        /// The size of the physical memory.
        has: usize,
    },
    /// Parts of the range have different accesses.
    #[error("the addresses from {start:#x} to {end:#x} have no one access: ask for parts of them")]
    SeveralAccesses {
        /// The first address.
        start: usize,
        /// The end of the range.
        end: usize,
    },
    /// The system refuses.
    #[error("{size} bytes cannot be mapped at {start:#x}: {reason}")]
    System {
        /// The first address.
        start: usize,
        /// The size.
        size: usize,
        /// What it says.
        reason: io::Error,
    },
    /// The system has no memory.
    #[error("the system has no {size} bytes of physical memory: {reason}")]
    OutOfMemory {
        /// The size.
        size: usize,
        /// What it says.
        reason: io::Error,
    },
}

use VirtualMemError as Error;
type Result<T> = std::result::Result<T, VirtualMemError>;

/// Physical memory.
#[derive(Debug)]
pub struct PhysicalMemory {
    size: usize,
    file: MemFile,
}

/// Where physical memory is.
#[derive(Debug)]
enum MemFile {
    /// A memory file.
    Shared(Arc<SharedFile>),
    /// Another file, or one that was opened.
    Opened(OwnedFd),
}

impl PhysicalMemory {
    /// New memory of zeros.
    pub fn new(size: usize) -> Result<Self> {
        check_size(size)?;
        let file = SharedFile::new(size).map_err(|reason| Error::OutOfMemory { size, reason })?;
        Ok(Self::shared_file(Arc::new(file), size))
    }

    /// The memory of a file of at least this size, which others can open.
    pub fn shared_file(file: Arc<SharedFile>, size: usize) -> Self {
        let file = MemFile::Shared(file);
        Self { size, file }
    }

    /// The memory of a file of at least this size.
    pub fn opened(file: OwnedFd, size: usize) -> Self {
        let file = MemFile::Opened(file);
        Self { size, file }
    }

    /// The number of bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The file that others can open.
    pub fn shared(&self) -> Option<&Arc<SharedFile>> {
        match &self.file {
            MemFile::Shared(file) => Some(file),
            MemFile::Opened(_) => None,
        }
    }
}

impl AsRawFd for PhysicalMemory {
    fn as_raw_fd(&self) -> RawFd {
        match &self.file {
            MemFile::Shared(file) => file.as_raw_fd(),
            MemFile::Opened(file) => file.as_raw_fd(),
        }
    }
}

/// Reserved addresses, and the objects of type `M` that are mapped there.
#[derive(Debug)]
pub struct Ranges<M> {
    /// By their first address.
    reserved: Mutex<BTreeMap<usize, Reserved<M>>>,
}

impl<M> Default for Ranges<M> {
    fn default() -> Self {
        Self {
            reserved: Mutex::default(),
        }
    }
}

#[derive(Debug)]
struct Reserved<M> {
    size: usize,
    /// The mappings, by their first address.
    mapped: BTreeMap<usize, Mapped<M>>,
}

/// A mapped range with one kind of access.
#[derive(Debug)]
struct Mapped<M> {
    size: usize,
    access: Access,
    /// Keeps the object alive. The mapping alone would keep its content only.
    memory: Arc<M>,
}

impl<M> Reserved<M> {
    /// Splits the mapping that contains an address, so that none lies on both sides of it.
    fn split(&mut self, at: usize) {
        if let Some((&start, left)) = self.mapped.range_mut(..at).next_back()
            && start + left.size > at
        {
            let right = Mapped {
                size: start + left.size - at,
                access: left.access,
                memory: left.memory.clone(),
            };
            left.size = at - start;
            self.mapped.insert(at, right);
        }
    }

    /// The mappings from `start` to `end`, if these addresses are mapped without a gap.
    fn whole(&mut self, start: usize, end: usize) -> Result<Vec<usize>> {
        self.split(start);
        self.split(end);
        let mut at = start;
        let mut parts = Vec::new();
        for (&part, mapped) in self.mapped.range(start..end) {
            if part != at {
                break;
            }
            parts.push(part);
            at += mapped.size;
        }
        if at == end {
            Ok(parts)
        } else {
            Err(Error::NotMapped { start, end })
        }
    }

    /// The access of the page at an address, and where the next access begins, which is `end` at most.
    fn access(&self, start: usize, end: usize) -> (Access, usize) {
        match self.mapped.range(..=start).next_back() {
            Some((at, mapped)) if start - at < mapped.size => (mapped.access, end.min(at + mapped.size)),
            _ => {
                let next = self.mapped.range(start..end).next();
                (Access::None, next.map_or(end, |(at, _)| *at))
            }
        }
    }
}

/// Checks that a size is of whole pages.
fn check_size(size: usize) -> Result<()> {
    if size == 0 || !size.is_multiple_of(pages::page()) {
        return Err(Error::Size { size });
    }
    Ok(())
}

/// The end of a range of whole pages.
fn end_of(start: usize, size: usize) -> Result<usize> {
    check_size(size)?;
    if !start.is_multiple_of(pages::page()) {
        return Err(Error::Address { address: start });
    }
    start.checked_add(size).ok_or(Error::Overflow { start, size })
}

/// Maps at `start`, or anywhere if that is not `fixed`: `file` from an offset on, or inaccessible memory.
fn map(start: usize, fixed: bool, size: usize, access: Access, file: Option<(RawFd, usize)>) -> Result<usize> {
    let place = if fixed { libc::MAP_FIXED } else { 0 };
    let (flags, fd, offset) = match file {
        Some((file, offset)) => (libc::MAP_SHARED, file, offset),
        None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1, 0),
    };
    let failed = |reason| Error::System { start, size, reason };
    let offset = libc::off_t::try_from(offset).map_err(|error| failed(io::Error::other(error)))?;
    let protection = access.protection();
    // SAFETY: the addresses are free, or belong to the caller by its records.
    let at = unsafe { libc::mmap(start as *mut c_void, size, protection, flags | place, fd, offset) };
    if at == libc::MAP_FAILED {
        return Err(failed(io::Error::last_os_error()));
    }
    Ok(at as usize)
}

/// Unmaps a reservation.
fn unmap(start: usize, size: usize) -> Result<()> {
    // SAFETY: the caller has reserved the range, and removes its record.
    if unsafe { libc::munmap(start as *mut c_void, size) } != 0 {
        let reason = io::Error::last_os_error();
        return Err(Error::System { start, size, reason });
    }
    Ok(())
}

impl<M: AsRef<PhysicalMemory>> Ranges<M> {
    /// Calls `f` with the reservation that contains all addresses from `start` to `end`.
    fn within<R>(&self, start: usize, end: usize, f: impl FnOnce(&mut Reserved<M>) -> Result<R>) -> Result<R> {
        let mut ranges = self.reserved.lock();
        match ranges.range_mut(..=start).next_back() {
            Some((base, range)) if end <= base + range.size => f(range),
            _ => Err(Error::NotReserved { start, end }),
        }
    }

    /// Reserves addresses: from `wanted` on if these are free, or anywhere. Returns the first one.
    pub fn reserve(&self, wanted: usize, size: usize) -> Result<usize> {
        end_of(wanted, size)?;
        let mut ranges = self.reserved.lock();
        let base = map(wanted, false, size, Access::None, None)?;
        let mapped = BTreeMap::new();
        ranges.insert(base, Reserved { size, mapped });
        Ok(base)
    }

    /// Frees a reservation. Nothing may be mapped there.
    pub fn free(&self, start: usize, size: usize) -> Result<()> {
        self.free_if(start, size, |mapped| mapped == 0)
    }

    /// Frees a reservation, and unmaps what is mapped there.
    pub fn free_with_mappings(&self, start: usize, size: usize) -> Result<()> {
        end_of(start, size)?;
        self.free_if(start, size, |_| true)
    }

    fn free_if(&self, start: usize, size: usize, accept: impl Fn(usize) -> bool) -> Result<()> {
        let mut ranges = self.reserved.lock();
        match ranges.get(&start) {
            Some(range) if range.size == size && accept(range.mapped.len()) => {}
            Some(range) if range.size == size => return Err(Error::StillMapped),
            _ => return Err(Error::NoReservation { start, size }),
        }
        unmap(start, size)?;
        ranges.remove(&start);
        Ok(())
    }

    /// Frees all reservations, for an owner that goes. Returns how many there were.
    pub fn free_all(&self) -> usize {
        let ranges = std::mem::take(&mut *self.reserved.lock());
        for (start, range) in &ranges {
            if let Err(error) = unmap(*start, range.size) {
                log::warn!("{error}");
            }
        }
        ranges.len()
    }

    /// Maps physical memory, from `offset` on, into reserved addresses.
    pub fn map(&self, start: usize, size: usize, memory: &Arc<M>, offset: usize, access: Access) -> Result<()> {
        let end = end_of(start, size)?;
        let physical: &PhysicalMemory = (**memory).as_ref();
        let has = physical.size;
        if !offset.is_multiple_of(pages::page()) || offset.checked_add(size).is_none_or(|end| end > has) {
            return Err(Error::Outside { size, offset, has });
        }
        self.within(start, end, |range| {
            let before = range.mapped.range(..end).next_back();
            if before.is_some_and(|(at, mapped)| at + mapped.size > start) {
                return Err(Error::Mapped { start, end });
            }
            map(start, true, size, access, Some((physical.as_raw_fd(), offset)))?;
            let memory = memory.clone();
            range.mapped.insert(start, Mapped { size, access, memory });
            Ok(())
        })
    }

    /// Unmaps a range that is mapped without a gap. It stays reserved.
    pub fn unmap(&self, start: usize, size: usize) -> Result<()> {
        let end = end_of(start, size)?;
        self.within(start, end, |range| {
            let parts = range.whole(start, end)?;
            map(start, true, size, Access::None, None)?;
            parts.iter().for_each(|part| _ = range.mapped.remove(part));
            Ok(())
        })
    }

    /// Changes the access of a range that is mapped without a gap.
    pub fn set_access(&self, start: usize, size: usize, access: Access) -> Result<()> {
        let end = end_of(start, size)?;
        self.within(start, end, |range| {
            let parts = range.whole(start, end)?;
            // SAFETY: we mapped these addresses.
            if unsafe { libc::mprotect(start as *mut c_void, size, access.protection()) } != 0 {
                let reason = io::Error::last_os_error();
                return Err(Error::System { start, size, reason });
            }
            for part in parts {
                range.mapped.get_mut(&part).expect("a part of the range").access = access;
            }
            Ok(())
        })
    }

    /// The access of a range that is mapped without a gap and has one access.
    pub fn access(&self, start: usize, size: usize) -> Result<Access> {
        let end = end_of(start, size)?;
        self.within(start, end, |range| {
            let parts = range.whole(start, end)?;
            let access = range.mapped[&start].access;
            if parts.iter().any(|part| range.mapped[part].access != access) {
                return Err(Error::SeveralAccesses { start, end });
            }
            Ok(access)
        })
    }

    /// The access at the start of a reserved range, and how many bytes have the same. Where nothing is mapped there is none.
    pub fn access_at(&self, start: usize, size: usize) -> Result<(Access, usize)> {
        let end = end_of(start, size)?;
        self.within(start, end, |range| {
            let (access, mut at) = range.access(start, end);
            while at < end {
                let (other, next) = range.access(at, end);
                if other != access {
                    break;
                }
                at = next;
            }
            Ok((access, at - start))
        })
    }

    /// The object that is mapped at an address, and the first address and the size of the mapping.
    pub fn find(&self, address: usize) -> Option<(usize, usize, Arc<M>)> {
        let ranges = self.reserved.lock();
        let (_, range) = ranges.range(..=address).next_back()?;
        let (&start, mapped) = range.mapped.range(..=address).next_back()?;
        (address - start < mapped.size).then(|| (start, mapped.size, mapped.memory.clone()))
    }
}

impl<M> Drop for Ranges<M> {
    fn drop(&mut self) {
        let left = self.reserved.lock().len();
        if left != 0 {
            log::info!("a context is destroyed with {left} reserved address ranges that were never freed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl AsRef<PhysicalMemory> for PhysicalMemory {
        fn as_ref(&self) -> &PhysicalMemory {
            self
        }
    }

    /// The accesses in a range, page by page.
    #[test]
    fn accesses_and_gaps() {
        let (ranges, page) = (Ranges::default(), pages::page());
        let memory = Arc::new(PhysicalMemory::new(4 * page).unwrap());
        let start = ranges.reserve(0, 8 * page).unwrap();
        let at = |first: usize| start + first * page;
        ranges.map(at(1), 2 * page, &memory, 0, Access::ReadWrite).unwrap();
        ranges.map(at(3), page, &memory, 0, Access::ReadWrite).unwrap();
        ranges.map(at(6), page, &memory, 0, Access::None).unwrap();
        ranges.set_access(at(2), page, Access::ReadOnly).unwrap();
        let model = [
            Access::None,
            Access::ReadWrite,
            Access::ReadOnly,
            Access::ReadWrite,
            Access::None,
            Access::None,
            Access::None,
            Access::None,
        ];
        for first in 0..8 {
            for count in 1..=8 - first {
                let same = model[first..first + count]
                    .iter()
                    .take_while(|one| **one == model[first]);
                let expected = (model[first], same.count() * page);
                assert_eq!(ranges.access_at(at(first), count * page).unwrap(), expected);
            }
        }
        assert!(ranges.access_at(at(7), 2 * page).is_err());
        assert_eq!(
            ranges.find(at(2)).map(|(base, size, _)| (base, size)),
            Some((at(2), page))
        );
        assert!(ranges.find(at(0)).is_none() && ranges.find(at(4)).is_none() && ranges.find(1).is_none());
        assert!(matches!(ranges.free(start, 8 * page), Err(Error::StillMapped)));
        assert!(ranges.free_with_mappings(start, 7 * page).is_err());
        ranges.free_with_mappings(start, 8 * page).unwrap();
        assert_eq!(Arc::strong_count(&memory), 1);
        ranges.reserve(0, page).unwrap();
        assert_eq!((ranges.free_all(), ranges.free_all()), (1, 0));
    }

    /// A wanted address that is free is taken, any other is only a wish.
    #[test]
    fn wanted_addresses() {
        let (ranges, page) = (Ranges::<PhysicalMemory>::default(), pages::page());
        let start = ranges.reserve(0, 4 * page).unwrap();
        assert_ne!(ranges.reserve(start, page).unwrap(), start);
        assert!(matches!(ranges.reserve(1, page), Err(Error::Address { address: 1 })));
        assert!(matches!(ranges.reserve(0, usize::MAX), Err(Error::Size { .. })));
        let most = usize::MAX / page * page;
        assert!(matches!(ranges.reserve(0, most), Err(Error::System { .. })));
        assert!(matches!(ranges.reserve(2 * page, most), Err(Error::Overflow { .. })));
        ranges.free_all();
    }
}
