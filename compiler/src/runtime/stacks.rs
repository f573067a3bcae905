// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Stacks for work-items, many at a time.
//!
//! Each has a guard page at its end. A page that is protected would make two mappings of each stack, and a process may
//! have 65,530 of those, which groups that run one item at a time exceed on a machine with many cores. So stacks come in
//! slabs of one mapping, and where the kernel has guard regions (Linux 6.13), which are no mappings, it stays one.

use std::io;
use std::ptr;
use std::sync::Arc;

use corosensei::stack::{Stack as CoroutineStack, StackPointer};
use oxur_fork::OnceLock;

/// Of the guard, and what sizes are multiples of.
const PAGE: usize = 4096;
/// `MADV_GUARD_INSTALL`.
const GUARD_INSTALL: i32 = 102;

/// How many stacks a slab has, but for the first of a thread: most kernels want one.
const SLAB: usize = 64;

/// A stack with a guard page.
pub struct Stack {
    base: StackPointer,
    /// With the guard.
    size: usize,
    _slab: Arc<Slab>,
}

// SAFETY: a guard page, and above it memory of this stack alone, which lives as long as the slab.
unsafe impl CoroutineStack for Stack {
    #[inline]
    fn base(&self) -> StackPointer {
        self.base
    }

    #[inline]
    fn limit(&self) -> StackPointer {
        // The size is less than the address.
        StackPointer::new(self.base.get() - self.size).unwrap_or(self.base)
    }
}

impl Stack {
    /// Bytes of it, with the guard.
    pub fn size(&self) -> usize {
        self.size
    }
}

/// A mapping.
struct Slab {
    address: usize,
    size: usize,
}

impl Drop for Slab {
    fn drop(&mut self) {
        // SAFETY: a mapping of ours, of which no stack is left.
        unsafe { libc::munmap(self.address as *mut libc::c_void, self.size) };
    }
}

/// Puts new stacks of at least `size` bytes into a list: one into an empty one, or else many if there `are` some already.
pub fn add(stacks: &mut Vec<Stack>, size: usize, are: bool) -> io::Result<()> {
    let count = if are { SLAB } else { 1 };
    let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
    let each = size
        .checked_next_multiple_of(PAGE)
        .and_then(|size| size.checked_add(PAGE));
    let each = each.ok_or_else(too_large)?;
    let all = each.checked_mul(count).ok_or_else(too_large)?;
    let (access, kind) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
    );
    // SAFETY: a new mapping.
    let address = unsafe { libc::mmap(ptr::null_mut(), all, access, kind, -1, 0) };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let address = address as usize;
    let slab = Arc::new(Slab { address, size: all });
    for guard in (address..address + all).step_by(each) {
        // SAFETY: a page of the new mapping.
        unsafe { protect(guard as *mut libc::c_void) }?;
    }
    stacks.extend((1..=count).rev().map(|i| Stack {
        base: StackPointer::new(address + i * each).expect("no mapping begins at 0"),
        size: each,
        _slab: slab.clone(),
    }));
    Ok(())
}

/// Makes a page a guard.
///
/// # Safety
/// Nobody uses the page.
unsafe fn protect(page: *mut libc::c_void) -> io::Result<()> {
    // SAFETY: passed on to the caller.
    let failed = unsafe {
        if has_guard_regions() {
            libc::madvise(page, PAGE, GUARD_INSTALL) != 0
        } else {
            libc::mprotect(page, PAGE, libc::PROT_NONE) != 0
        }
    };
    if failed {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// Whether the kernel has guards that are no mappings.
fn has_guard_regions() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        // SAFETY: a page of its own, which goes at once.
        unsafe {
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let page = libc::mmap(ptr::null_mut(), PAGE, access, kind, -1, 0);
            if page == libc::MAP_FAILED {
                return false;
            }
            let has = libc::madvise(page, PAGE, GUARD_INSTALL) == 0;
            libc::munmap(page, PAGE);
            has
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::trap::{Step, TrapScope};
    use super::*;
    use crate::Fault;

    #[test]
    fn more_than_there_may_be_mappings() {
        // As many as 64 threads have that run groups of 900 items.
        const MANY: usize = 64 * 900;
        let wanted = if has_guard_regions() { MANY } else { 10_000 };
        println!("{wanted} stacks");
        let mut stacks = Vec::new();
        while stacks.len() < wanted {
            let are = !stacks.is_empty();
            add(&mut stacks, 256 << 10, are).expect("memory for another slab");
        }
        for stack in stacks.iter().step_by(1000) {
            let top = (stack.base().get() - 8) as *mut u64;
            // SAFETY: the stack's own memory.
            unsafe { top.write(7) };
        }
    }

    #[test]
    fn the_end_of_each_is_a_fault() {
        let mut stacks = Vec::new();
        add(&mut stacks, 64 << 10, false).unwrap();
        add(&mut stacks, 64 << 10, true).unwrap();
        assert_eq!(stacks.len(), 1 + SLAB);
        for stack in stacks {
            let (low, guard) = (stack.limit().get() + PAGE, stack.limit().get() + PAGE - 8);
            let touch = move || {
                // SAFETY: the last page of the stack, which nothing else is on; then the guard.
                unsafe {
                    (low as *mut u64).write_volatile(1);
                    (guard as *mut u64).write_volatile(1);
                }
            };
            // SAFETY: it borrows nothing.
            let mut guarded = unsafe { TrapScope::new(stack, touch) };
            let step = guarded.resume(&mut std::ptr::null());
            assert!(matches!(step, Step::Ended(Err(Fault::StackOverflow))));
            // SAFETY: the closure owns nothing.
            drop(unsafe { guarded.into_stack() });
        }
    }
}
