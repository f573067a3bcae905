// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The allocations of a context, by address.
//!
//! Memory that is freed while commands of the context are unfinished stays mapped until they have ended, because they may
//! still access it. It is in a list then, which each allocation and each free looks at.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use level_zero_sys::*;
use oxur_device_cpu::in_flight::InFlight;
use oxur_device_cpu::pages;
use oxur_fork::{Mutex, RwLock};

use super::external::{Backing, Descriptor};
use crate::Device;

/// What is known of an allocation.
#[derive(Clone)]
pub(crate) struct Allocation {
    /// Host, device or shared.
    pub(crate) kind: ze_memory_type_t,
    /// The first address.
    pub(crate) base: usize,
    /// Bytes.
    pub(crate) size: usize,
    /// The device that it is associated with.
    pub(crate) device: Option<Arc<Device>>,
    /// No other allocation of the process has this number.
    pub(crate) id: u64,
}

impl Allocation {
    /// Whether the bytes from an address on are in it.
    pub(crate) fn contains(&self, address: usize, size: usize) -> bool {
        address
            .checked_sub(self.base)
            .is_some_and(|offset| offset <= self.size && size <= self.size - offset)
    }
}

/// A number for a new allocation, image or physical memory.
pub(crate) fn new_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Mapped pages, which this owns.
pub(crate) struct Pages {
    start: usize,
    size: usize,
}

impl Pages {
    /// Takes over pages.
    ///
    /// # Safety
    /// `pages::map` or `pages::map_file` must have returned `start` for `size` bytes, and nobody else may unmap them.
    pub(crate) unsafe fn own(start: usize, size: usize) -> Self {
        Self { start, size }
    }

    /// New pages of zeros.
    pub(crate) fn map(size: usize, align: usize) -> Result<Self, pages::OutOfMemory> {
        let start = pages::map(size, align)?;
        // SAFETY: they were just mapped.
        Ok(unsafe { Self::own(start, size) })
    }

    /// The first address.
    pub(crate) fn start(&self) -> usize {
        self.start
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the owner drops them when the client and all commands are done with them.
        unsafe { pages::unmap(self.start, self.size) };
    }
}

/// An allocation and its memory.
pub(crate) struct Block {
    pub(crate) about: Allocation,
    /// Where it comes from, which decides how it is given back.
    pub(crate) origin: Origin,
    /// The file behind it, if there is one.
    pub(crate) backing: Mutex<Backing>,
    /// The descriptor of the file that the client has.
    pub(crate) descriptor: Mutex<Descriptor>,
    /// What the client has set by `zeMemSetAtomicAccessAttributeExp`.
    pub(crate) atomics: Mutex<ze_memory_atomic_attr_exp_flags_t>,
    /// The pages; `None` for memory of the client.
    _pages: Option<Pages>,
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Some(file) = self.backing.lock().descriptor() {
            self.descriptor.lock().close(file);
        }
    }
}

/// Where memory comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    /// An allocation of this process.
    Allocated,
    /// It was opened by an IPC handle, and `zeMemCloseIpcHandle` gives it back.
    Opened,
}

impl Block {
    /// New memory of these pages.
    pub(crate) fn new(about: Allocation, origin: Origin, backing: Backing, pages: Option<Pages>) -> Self {
        Self {
            about,
            origin,
            backing: Mutex::new(backing),
            descriptor: Mutex::default(),
            atomics: Mutex::default(),
            _pages: pages,
        }
    }
}

/// The memory of a context.
#[derive(Default)]
pub(crate) struct Memory {
    /// By the first address.
    live: RwLock<BTreeMap<usize, Arc<Block>>>,
    /// What was freed while commands were unfinished, and the epochs of these.
    freed: Mutex<Vec<(u64, Arc<Block>)>>,
}

impl Memory {
    /// Adds an allocation.
    pub(crate) fn add(&self, block: Block) {
        self.live.write().insert(block.about.base, Arc::new(block));
    }

    /// Adds memory of the client. Returns whether it does not overlap what there is.
    pub(crate) fn add_disjoint(&self, block: Block) -> bool {
        let mut live = self.live.write();
        let end = block.about.base + block.about.size;
        let before = live.range(..end).next_back();
        if before.is_some_and(|(at, other)| at + other.about.size > block.about.base) {
            return false;
        }
        live.insert(block.about.base, Arc::new(block));
        true
    }

    /// The allocation that contains an address.
    pub(crate) fn block(&self, address: usize) -> Option<Arc<Block>> {
        let live = self.live.read();
        let (base, block) = live.range(..=address).next_back()?;
        (address - base < block.about.size).then(|| block.clone())
    }

    /// The same, without its memory.
    pub(crate) fn find(&self, address: usize) -> Option<Allocation> {
        let live = self.live.read();
        let (base, block) = live.range(..=address).next_back()?;
        (address - base < block.about.size).then(|| block.about.clone())
    }

    /// Removes the allocation that starts at an address, if it comes from there.
    pub(crate) fn remove(&self, base: usize, origin: Origin) -> Option<Arc<Block>> {
        let mut live = self.live.write();
        if live.get(&base)?.origin != origin {
            return None;
        }
        live.remove(&base)
    }

    /// Unmaps what was removed, when the commands that are unfinished now have ended.
    pub(crate) fn release(&self, block: Arc<Block>, in_flight: &InFlight) {
        if !in_flight.is_idle() {
            self.freed.lock().push((in_flight.epoch(), block));
        }
        self.collect(in_flight);
    }

    /// Unmaps what was freed and is not used any more.
    pub(crate) fn collect(&self, in_flight: &InFlight) {
        let mut freed = self.freed.lock();
        if freed.is_empty() {
            return;
        }
        let over = in_flight.advance();
        let unused: Vec<_> = freed.extract_if(.., |(epoch, _)| *epoch < over).collect();
        drop(freed);
        drop(unused);
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let live = self.live.read();
        if !live.is_empty() {
            let bytes: usize = live.values().map(|block| block.about.size).sum();
            log::warn!(
                "a context is destroyed with {} allocations of {bytes} bytes in all, which are freed now",
                live.len()
            );
        }
    }
}
