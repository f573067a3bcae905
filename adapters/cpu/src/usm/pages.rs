// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory from the system: whole pages, zeroed, private to the process (a child of `fork` gets copies of them).

use std::ffi::c_void;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;

use kit::ur::ResultCode;
use kit::{UrError, UrResult};
use oxur_adapter_kit as kit;
use oxur_fork::OnceLock;

/// The size of a huge page on x86-64 and on most of the rest. Memory of at least this size begins at one, and the system
/// is told that it may use them: the first touch of 2 MiB is then one page fault, not 512.
pub(crate) const HUGE: usize = 2 << 20;

/// The size of a page.
pub(crate) fn page() -> usize {
    static PAGE: OnceLock<usize> = OnceLock::new();
    // SAFETY: a plain question.
    *PAGE.get_or_init(|| usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096))
}

/// Maps at least `size` bytes at a multiple of `align`, a power of two (or 0 for any page).
pub(crate) fn map(size: usize, align: usize) -> UrResult<usize> {
    let page = page();
    let align = align.max(if size >= HUGE { HUGE } else { page });
    let whole = size.checked_next_multiple_of(page);
    // As much more as the alignment may cost, which goes back at once.
    let Some((len, room)) = whole.and_then(|len| Some((len, len.checked_add(align - page)?))) else {
        return Err(exhausted(size));
    };
    // SAFETY: a new mapping, wherever there is room.
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
        // SAFETY: memory that was mapped above. Where there are no huge pages this does nothing.
        unsafe { libc::madvise(start as *mut c_void, len, libc::MADV_HUGEPAGE) };
    }
    Ok(start)
}

/// Maps `size` bytes of a file from `offset` on, at a multiple of `align`. What one writes there all see who map it.
pub(crate) fn map_file(file: &impl AsRawFd, offset: usize, size: usize, align: usize) -> io::Result<usize> {
    let offset = libc::off_t::try_from(offset).map_err(io::Error::other)?;
    let start = map(size, align).map_err(|_| io::Error::last_os_error())?;
    let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_FIXED);
    // SAFETY: in place of pages that were just mapped, which nobody uses.
    if unsafe { libc::mmap(start as *mut c_void, size, access, flags, file.as_raw_fd(), offset) } == libc::MAP_FAILED {
        let error = io::Error::last_os_error();
        // SAFETY: as above.
        unsafe { unmap(start, size) };
        return Err(error);
    }
    Ok(start)
}

/// Gives back what [`map`] returned for `size` bytes.
///
/// # Safety
/// Nobody may use the memory any more.
pub(crate) unsafe fn unmap(start: usize, size: usize) {
    unmap_range(start, start + size.next_multiple_of(page()));
}

/// Unmaps pages that are the caller's.
fn unmap_range(start: usize, end: usize) {
    if start < end {
        // SAFETY: the caller mapped these pages, and nobody uses them.
        if unsafe { libc::munmap(start as *mut c_void, end - start) } != 0 {
            log::warn!("{} bytes are leaked: {}", end - start, std::io::Error::last_os_error());
        }
    }
}

pub(super) fn exhausted(size: usize) -> UrError {
    UrError::with_message(
        ResultCode::ERROR_OUT_OF_HOST_MEMORY,
        format!(
            "the system has no {size} bytes of memory: {}",
            std::io::Error::last_os_error()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_memory_is_aligned_zeroed_and_ours() {
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
            // SAFETY: `size` bytes that were just mapped, and are not used after they are unmapped.
            unsafe {
                let bytes = std::slice::from_raw_parts_mut(at as *mut u8, size);
                assert!(bytes.iter().all(|byte| *byte == 0));
                bytes.fill(0xa5);
                unmap(at, size);
            }
        }
    }

    #[test]
    fn what_the_system_does_not_have() {
        for size in [usize::MAX, usize::MAX / 2, 1 << 60] {
            assert_eq!(map(size, 0).unwrap_err().code(), ResultCode::ERROR_OUT_OF_HOST_MEMORY);
        }
    }
}
