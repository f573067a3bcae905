// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Allocates stacks for work-items, many at a time.
//!
//! Each has a guard page at its end. A page that is protected makes two mappings of each stack, and a process may have
//! 65,530 of those (`vm.max_map_count`), which four threads reach with groups of 8192 items; then no part of the process
//! gets memory any more. So stacks come in slabs of one mapping. Where the kernel has guard regions (Linux 6.13), which
//! are no mappings, it stays one. Elsewhere all stacks of the process have half of its mappings, and when these are used up,
//! [items share a stack](super::fibers).

use std::io;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use corosensei::stack::{Stack as CoroutineStack, StackPointer};
use oxur_fork::OnceLock;

/// The size of the guard, and the granularity of stack sizes.
const PAGE: usize = 4096;
/// `MADV_GUARD_INSTALL`.
const GUARD_INSTALL: i32 = 102;

/// The number of stacks in a slab. A thread's first slab has one, because most kernels need one.
const SLAB: usize = 64;

/// The stack that compiled code needs beyond its variables: for spilled registers, and for functions that it calls.
const BEYOND_VARIABLES: usize = 192 << 10;

/// The size of the stack for code with this many bytes of variables. It is rounded up, so that a kernel
/// that needs a little more reuses the stacks of the one before.
pub fn stack_size(variables: usize) -> usize {
    BEYOND_VARIABLES.saturating_add(variables).next_multiple_of(64 << 10)
}

/// A stack with a guard page.
pub struct Stack {
    base: StackPointer,
    /// The size, with the guard.
    size: usize,
    _slab: Arc<Slab>,
}

// SAFETY: a guard page, and above it memory of this stack only, which lives as long as the slab.
unsafe impl CoroutineStack for Stack {
    #[inline]
    fn base(&self) -> StackPointer {
        self.base
    }

    #[inline]
    fn limit(&self) -> StackPointer {
        // The size is less than the address, so this does not overflow.
        StackPointer::new(self.base.get() - self.size).unwrap_or(self.base)
    }
}

impl Stack {
    /// The size, with the guard.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The lowest address that may be written.
    pub fn low(&self) -> usize {
        self.limit().get() + PAGE
    }

    /// The same stack.
    ///
    /// # Safety
    /// What is on it belongs to one of its users at a time, who takes care of that.
    pub unsafe fn alias(&self) -> Self {
        Self {
            base: self.base,
            size: self.size,
            _slab: self._slab.clone(),
        }
    }
}

/// The stacks of a process whose guards are mappings. The first one of a thread, which it cannot do without, is not counted.
struct Quota {
    used: AtomicUsize,
    limit: usize,
}

/// The quota of this process, if there need be one.
fn quota() -> Option<&'static Quota> {
    static QUOTA: OnceLock<Option<Quota>> = OnceLock::new();
    let new = || {
        if has_guard_regions() {
            return None;
        }
        let text = std::fs::read_to_string("/proc/sys/vm/max_map_count");
        let most = text.ok().and_then(|text| text.trim().parse().ok());
        Some(Quota {
            used: AtomicUsize::new(0),
            limit: limit_of(most.unwrap_or(65_530)),
        })
    };
    QUOTA.get_or_init(new).as_ref()
}

/// Two mappings a stack, and half of all.
fn limit_of(mappings: usize) -> usize {
    mappings / 4
}

/// The right to so many stacks.
struct Permit(usize, &'static Quota);

impl Quota {
    fn take(&'static self, count: usize) -> io::Result<Permit> {
        let more = |now: usize| now.checked_add(count).filter(|all| *all <= self.limit);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => Ok(Permit(count, self)),
            Err(_) => Err(io::ErrorKind::QuotaExceeded.into()),
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.1.used.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// A mapping.
struct Slab {
    address: usize,
    size: usize,
    /// None for the stack that a thread has in any case, and where there is no quota.
    _permit: Option<Permit>,
}

impl Drop for Slab {
    fn drop(&mut self) {
        // SAFETY: our own mapping, which no stack uses any more.
        unsafe { libc::munmap(self.address as *mut libc::c_void, self.size) };
    }
}

/// A new stack of at least `size` bytes, for a thread that has none.
pub fn one(size: usize) -> io::Result<Stack> {
    let mut one = Vec::new();
    map(&mut one, size, 1, None)?;
    one.pop().ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))
}

/// Puts more stacks of at least `size` bytes into a list, unless the process has too many.
pub fn add_slab(stacks: &mut Vec<Stack>, size: usize) -> io::Result<()> {
    add_slab_within(stacks, size, quota())
}

fn add_slab_within(stacks: &mut Vec<Stack>, size: usize, quota: Option<&'static Quota>) -> io::Result<()> {
    let permit = quota.map(|quota| quota.take(SLAB)).transpose()?;
    map(stacks, size, SLAB, permit)
}

fn map(stacks: &mut Vec<Stack>, size: usize, count: usize, permit: Option<Permit>) -> io::Result<()> {
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
    let slab = Arc::new(Slab {
        address,
        size: all,
        _permit: permit,
    });
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

/// Makes a page a guard region.
///
/// # Safety
/// Nothing uses the page.
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

/// Whether the kernel has guard regions.
fn has_guard_regions() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        // SAFETY: a page of its own, which is unmapped at once.
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
        // As many as 64 threads need that run groups of 900 items.
        const MANY: usize = 64 * 900;
        let mut stacks = Vec::new();
        while stacks.len() < MANY {
            if let Err(error) = add_slab(&mut stacks, 256 << 10) {
                assert_eq!(error.kind(), io::ErrorKind::QuotaExceeded);
                assert!(quota().is_some_and(|quota| stacks.len() + SLAB > quota.limit));
                break;
            }
        }
        for stack in stacks.iter().step_by(1000) {
            let top = (stack.base().get() - 8) as *mut u64;
            // SAFETY: the stack's own memory.
            unsafe { top.write(7) };
        }
        one(256 << 10).expect("memory for one more");
    }

    /// What an older kernel has of them is in the limits of the process, with as much left for others.
    #[test]
    fn the_mappings_of_all() {
        assert_eq!(limit_of(65_530), 16_382);
        static QUOTA: Quota = Quota {
            used: AtomicUsize::new(0),
            limit: 3 * SLAB + 1,
        };
        let mut stacks = Vec::new();
        let add = |stacks: &mut Vec<Stack>| add_slab_within(stacks, 64 << 10, Some(&QUOTA));
        for _ in 0..3 {
            add(&mut stacks).unwrap();
        }
        let refused = add(&mut stacks).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::QuotaExceeded);
        assert_eq!(stacks.len(), 3 * SLAB);
        one(64 << 10).unwrap();
        // A slab goes with its last stack.
        stacks.truncate(2 * SLAB + 1);
        assert!(add(&mut stacks).is_err());
        stacks.truncate(2 * SLAB);
        add(&mut stacks).unwrap();
        drop(stacks);
        assert_eq!(QUOTA.used.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn the_end_of_each_is_a_fault() {
        let mut stacks = vec![one(64 << 10).unwrap()];
        add_slab(&mut stacks, 64 << 10).unwrap();
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
