// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The local memory of the work-groups that a thread runs.
//!
//! Nothing else is near its end: kernels that were only ever run on GPUs write past what they asked for, where nobody
//! noticed, since GPUs hand out local memory in large pieces (llama.cpp's `soft_max_f32`, by some hundred bytes).
//! What is far behind the end meets a guard, and ends the kernel with a fault.

use std::io;
use std::ptr;

const PAGE: usize = 4096;
/// The least that there is: as much as a kernel of most devices can have. Pages that nobody touches take no memory.
const ROOM: usize = 256 << 10;

/// What is before it. A vector whose first lanes are masked off begins before what it accesses. If that were a page that is not
/// there, or that nobody has touched, the CPU would look at each lane, which takes hundreds of cycles.
const BEFORE: usize = PAGE;
const _: () = assert!(BEFORE >= LocalMemory::AROUND);

/// A mapping that grows when a kernel needs more, with a guard behind it. It begins at a page, so all vectors are aligned.
#[derive(Debug)]
pub struct LocalMemory {
    address: usize,
    /// Without the guard; 0 before the first use.
    size: usize,
}

impl Default for LocalMemory {
    fn default() -> Self {
        // Kernels without local memory get an address, too. Like a null pointer's, its page is never there.
        Self {
            address: PAGE / 2,
            size: 0,
        }
    }
}

impl LocalMemory {
    /// How many bytes there are at least before it and behind it, which code may read, and write as they were.
    pub const AROUND: usize = 128;

    /// At least `size` bytes. What was there before is lost.
    #[inline]
    pub fn get(&mut self, size: usize) -> io::Result<*mut u8> {
        if size > 0 && size.saturating_add(Self::AROUND) > self.size {
            *self = Self::map(size)?;
        }
        Ok(self.address as *mut u8)
    }

    #[cold]
    fn map(size: usize) -> io::Result<Self> {
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        let size = size.checked_add(Self::AROUND).ok_or_else(too_large)?;
        let size = size.max(ROOM).checked_next_multiple_of(PAGE).ok_or_else(too_large)?;
        let all = size.checked_add(BEFORE + PAGE).ok_or_else(too_large)?;
        let (access, kind) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
        );
        // SAFETY: a new mapping.
        let address = unsafe { libc::mmap(ptr::null_mut(), all, access, kind, -1, 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let made = Self {
            address: address as usize + BEFORE,
            size,
        };
        // SAFETY: the last page of the new mapping.
        if unsafe { libc::mprotect(address.byte_add(BEFORE + size), PAGE, libc::PROT_NONE) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the first page of the new mapping.
        unsafe { address.cast::<u8>().write_volatile(0) };
        Ok(made)
    }
}

impl Drop for LocalMemory {
    fn drop(&mut self) {
        if self.size != 0 {
            // SAFETY: our own mapping, which no kernel uses any more.
            unsafe { libc::munmap((self.address - BEFORE) as *mut libc::c_void, BEFORE + self.size + PAGE) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{stacks, trap};
    use super::*;
    use crate::Fault;

    /// Writes a byte, as a kernel does.
    fn write(address: *mut u8) -> Result<(), Fault> {
        let touch = || {
            // SAFETY: memory that is not there raises a fault, which the scope takes.
            unsafe { address.write_volatile(1) }
        };
        // SAFETY: it borrows nothing that has to be dropped.
        let mut guarded = unsafe { trap::TrapScope::new(stacks::one(64 << 10).unwrap(), touch) };
        let trap::Step::Ended(how) = guarded.resume(&mut ptr::null()) else {
            panic!("nothing waits here");
        };
        // SAFETY: the closure owns nothing.
        drop(unsafe { guarded.into_stack() });
        how
    }

    #[test]
    fn what_is_behind_the_end() {
        let mut memory = LocalMemory::default();
        for size in [1, 6080, ROOM, ROOM + 1, 3 * ROOM] {
            let start = memory.get(size).unwrap();
            assert_eq!(start.addr() % PAGE, 0);
            let room = (size + LocalMemory::AROUND).max(ROOM).next_multiple_of(PAGE);
            write(start.wrapping_sub(BEFORE)).unwrap();
            write(start.wrapping_add(room - 1)).unwrap();
            let behind = start.wrapping_add(room);
            assert!(
                matches!(write(behind), Err(Fault::Memory(at)) if at == behind.addr()),
                "{size}"
            );
        }
        // A smaller kernel has the room of a larger one.
        let start = memory.get(3 * ROOM).unwrap();
        assert_eq!(memory.get(1).unwrap(), start);
    }

    #[test]
    fn none() {
        let start = LocalMemory::default().get(0).unwrap();
        assert!(!start.is_null());
        assert!(matches!(write(start), Err(Fault::Memory(at)) if at == start.addr()));
    }

    #[test]
    fn too_much() {
        for size in [usize::MAX, usize::MAX - 2 * PAGE, 1 << 60] {
            assert!(LocalMemory::default().get(size).is_err(), "{size:#x}");
        }
    }
}
