// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Pages from the system, zeroed. Anonymous pages ([`map`]) are private to the process, so a child of `fork` gets copies.
//! Pages of a file ([`map_file`]) are shared.

use std::ffi::c_void;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;

use oxur_fork::OnceLock;

/// The size of a huge page on x86-64 and most other CPUs. Mappings of at least this size are aligned to it and advised to
/// use huge pages: the first touch of 2 MiB then costs one page fault instead of 512.
pub const HUGE: usize = 2 << 20;

/// The size of a page.
pub fn page() -> usize {
    static PAGE: OnceLock<usize> = OnceLock::new();
    // SAFETY: `sysconf` takes any argument.
    *PAGE.get_or_init(|| usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096))
}

/// Maps at least `size` bytes, aligned to `align`: a power of two, or 0 for page alignment.
pub fn map(size: usize, align: usize) -> Result<usize, OutOfMemory> {
    let page = page();
    let align = align.max(if size >= HUGE { HUGE } else { page });
    let whole = size.checked_next_multiple_of(page);
    // Alignment may skip this much at the start. The excess is unmapped below.
    let Some((len, room)) = whole.and_then(|len| Some((len, len.checked_add(align - page)?))) else {
        return Err(exhausted(size));
    };
    // SAFETY: the kernel chooses the address, so no existing mapping is replaced.
    let base = unsafe {
        libc::mmap(
            ptr::null_mut(),
            room,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if base == libc::MAP_FAILED {
        return Err(exhausted(size));
    }
    let (base, end) = (base as usize, base as usize + room);
    let start = base.next_multiple_of(align);
    unmap_range(base, start);
    unmap_range(start + len, end);
    if size >= HUGE {
        // SAFETY: the range was mapped above. The result is ignored: without huge pages, small ones do.
        unsafe { libc::madvise(start as *mut c_void, len, libc::MADV_HUGEPAGE) };
    }
    Ok(start)
}

/// Reserves addresses without memory: any access to them is a fault.
pub fn reserve(size: usize) -> io::Result<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: the kernel chooses the address, so no existing mapping is replaced.
    let start = unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_NONE, flags, -1, 0) };
    match start {
        libc::MAP_FAILED => Err(io::Error::last_os_error()),
        start => Ok(start as usize),
    }
}

/// Maps `size` bytes of a file from `offset` on, aligned to `align`. All mappings of the file see each other's writes.
pub fn map_file(file: &impl AsRawFd, offset: usize, size: usize, align: usize) -> io::Result<usize> {
    let start = map(size, align).map_err(|_| io::Error::last_os_error())?;
    // SAFETY: replaces pages that were just mapped, which nothing refers to.
    if let Err(error) = unsafe { replace(start, size, file, offset) } {
        // SAFETY: as above.
        unsafe { unmap(start, size) };
        return Err(error);
    }
    Ok(start)
}

/// Maps `size` bytes of a file from `offset` on in the place of pages that are mapped.
///
/// # Safety
/// The caller must own the pages. What they contain is lost.
pub unsafe fn replace(start: usize, size: usize, file: &impl AsRawFd, offset: usize) -> io::Result<()> {
    let offset = libc::off_t::try_from(offset).map_err(io::Error::other)?;
    let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_FIXED);
    // SAFETY: the pages are the caller's.
    if unsafe { libc::mmap(start as *mut c_void, size, access, flags, file.as_raw_fd(), offset) } == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Unmaps memory that [`map`] or [`map_file`] returned for `size` bytes.
///
/// # Safety
/// The memory must not be used any more.
pub unsafe fn unmap(start: usize, size: usize) {
    unmap_range(start, start + size.next_multiple_of(page()));
}

/// Unmaps pages that the caller owns. The range may be empty.
fn unmap_range(start: usize, end: usize) {
    if start < end {
        // SAFETY: the caller mapped these pages, and nothing refers to them.
        if unsafe { libc::munmap(start as *mut c_void, end - start) } != 0 {
            log::warn!(
                "munmap failed, so {} bytes are leaked: {}",
                end - start,
                std::io::Error::last_os_error()
            );
        }
    }
}

/// The system has no more memory for the process.
#[derive(Debug, thiserror::Error)]
#[error("cannot map {size} bytes of memory: {reason}")]
pub struct OutOfMemory {
    size: usize,
    reason: io::Error,
}

/// The error for memory of this size, after a call of the system failed.
pub fn exhausted(size: usize) -> OutOfMemory {
    let reason = io::Error::last_os_error();
    OutOfMemory { size, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_memory_is_aligned_zeroed_and_writable() {
        for (size, align) in [
            (1, 0),
            (4096, 1),
            (5000, 4096),
            (100, 1 << 16),
            (3 << 20, 0),
            (HUGE, 8 << 20),
        ] {
            let at = map(size, align).unwrap();
            assert_eq!(at % align.max(page()), 0);
            if size >= HUGE {
                assert_eq!(at % HUGE, 0);
            }
            // SAFETY: `size` bytes were just mapped, and `bytes` is not used after they are unmapped.
            unsafe {
                let bytes = std::slice::from_raw_parts_mut(at as *mut u8, size);
                assert!(bytes.iter().all(|byte| *byte == 0));
                bytes.fill(0xa5);
                unmap(at, size);
            }
        }
    }

    #[test]
    fn impossible_sizes_are_an_error() {
        for size in [usize::MAX, usize::MAX / 2, 1 << 60] {
            assert!(map(size, 0).is_err());
        }
    }
}
