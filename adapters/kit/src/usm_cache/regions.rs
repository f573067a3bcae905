// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the driver gave: regions, each cut into blocks of one size, found by address or by number.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::class::Class;
use super::heap::{Arena, Heap};
use super::recent_lookups::Memo;

/// A free block: a region's number and the number of the block in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free {
    pub(super) region: u32,
    pub(super) index: u32,
}

/// An allocation of the driver's.
pub(super) struct Region<T> {
    pub(super) arena: Arc<Arena<T>>,
    pub(super) base: usize,
    pub(super) len: usize,
    /// The distance between blocks.
    block: usize,
    /// The class of the blocks; `None` if the region goes back to the driver as soon as it is free.
    pub(super) class: Option<Class>,
    /// What the client asked for, of each block; 0 while a block is free.
    sizes: Arc<[AtomicUsize]>,
    /// The value of [`Regions::generation`] when a block was last freed: how long ago that is.
    freed_at: AtomicUsize,
}

impl<T> Region<T> {
    /// How many blocks it has.
    pub(super) fn count(&self) -> u32 {
        self.sizes.len() as u32
    }

    /// Whether no block is taken.
    pub(super) fn is_idle(&self) -> bool {
        self.sizes.iter().all(|size| size.load(Ordering::Relaxed) == 0)
    }

    /// Whether it goes back to the driver when it is idle.
    #[inline]
    pub(super) fn is_dedicated(&self) -> bool {
        self.class.is_none() || self.arena.heap.is_closed()
    }

    /// Bytes that the client has, and in how many blocks.
    pub(super) fn taken(&self) -> (usize, usize) {
        let sizes = self
            .sizes
            .iter()
            .map(|size| size.load(Ordering::Relaxed))
            .filter(|size| *size != 0);
        sizes.fold((0, 0), |(bytes, blocks), size| (bytes + size, blocks + 1))
    }

    pub(super) fn freed_at(&self) -> usize {
        self.freed_at.load(Ordering::Relaxed)
    }

    /// Hands a free block to the client; returns its address.
    #[inline]
    pub(super) fn take(&self, index: u32, size: usize) -> usize {
        self.sizes[index as usize].store(size, Ordering::Relaxed);
        self.base + index as usize * self.block
    }

    /// Takes a block back; returns its number and what was asked for. `None` if no taken block starts there. Of two
    /// threads that free the same block, one gets it.
    #[inline]
    pub(super) fn take_back(&self, address: usize, now: usize) -> Option<(u32, usize)> {
        let offset = address - self.base;
        let index = if offset == 0 { 0 } else { offset / self.block };
        let size = if index * self.block == offset {
            self.sizes.get(index)?.swap(0, Ordering::Relaxed)
        } else {
            0
        };
        if size == 0 {
            return None;
        }
        self.freed_at.store(now, Ordering::Relaxed);
        Some((index as u32, size))
    }

    /// What a thread may remember of it. It is in the cache of this number.
    pub(super) fn memo(&self, cache: u64) -> Memo {
        Memo::of_region(cache, self.base, self.len, self.block, &self.sizes)
    }

    /// Start and size of the taken block that an address is in.
    pub(super) fn taken_at(&self, address: usize) -> Option<(usize, usize)> {
        let index = (address - self.base) / self.block;
        let size = self.sizes.get(index)?.load(Ordering::Relaxed);
        let start = self.base + index * self.block;
        (address - start < size).then_some((start, size))
    }
}

/// What goes back to the driver.
pub(super) struct Gone<T> {
    pub(super) arena: Arc<Arena<T>>,
    pub(super) base: usize,
    pub(super) len: usize,
}

/// All regions, and all arenas.
pub(super) struct Regions<T> {
    /// Numbers by base address.
    by_base: BTreeMap<usize, u32>,
    slots: Vec<Option<Region<T>>>,
    vacant: Vec<u32>,
    /// The counter of a region with one block that is gone, which nobody looks at: for the next one.
    spare: Option<Arc<[AtomicUsize]>>,
    /// How often the driver was asked for memory: a clock by which regions are old.
    pub(super) generation: usize,
    /// By number; `None` where the arena's heap is closed.
    pub(super) arenas: Vec<Option<Arc<Arena<T>>>>,
}

impl<T> Regions<T> {
    pub(super) fn new() -> Self {
        Self {
            by_base: BTreeMap::new(),
            slots: Vec::new(),
            vacant: Vec::new(),
            spare: None,
            generation: 0,
            arenas: Vec::new(),
        }
    }

    /// Adds a region, whose first block is taken, for `size` bytes; returns its number.
    pub(super) fn insert(
        &mut self,
        arena: &Arc<Arena<T>>,
        base: usize,
        len: usize,
        class: Option<Class>,
        size: usize,
    ) -> u32 {
        let block = class.map_or(len, Class::block);
        let new = |count| (0..count).map(|_| AtomicUsize::new(0)).collect();
        let sizes: Arc<[AtomicUsize]> = match len / block {
            1 => self.spare.take().unwrap_or_else(|| new(1)),
            count => new(count),
        };
        sizes[0].store(size, Ordering::Relaxed);
        arena.heap.count_grown(len);
        self.generation += 1;
        let id = self.vacant.pop().unwrap_or_else(|| {
            self.slots.push(None);
            (self.slots.len() - 1) as u32
        });
        self.by_base.insert(base, id);
        self.slots[id as usize] = Some(Region {
            arena: arena.clone(),
            base,
            len,
            block,
            class,
            sizes,
            freed_at: AtomicUsize::new(0),
        });
        id
    }

    /// Takes a region out.
    pub(super) fn remove(&mut self, id: u32) -> Gone<T> {
        let region = self.slots[id as usize].take().expect("the number of a region");
        let Region {
            arena,
            base,
            len,
            mut sizes,
            ..
        } = region;
        arena.heap.count_shrunk(len);
        self.by_base.remove(&base);
        self.vacant.push(id);
        if sizes.len() == 1 && Arc::get_mut(&mut sizes).is_some() {
            self.spare = Some(sizes);
        }
        Gone { arena, base, len }
    }

    /// The region of a free block.
    #[inline]
    pub(super) fn get(&self, id: u32) -> &Region<T> {
        self.slots[id as usize]
            .as_ref()
            .expect("a region stays while a free block of it is listed")
    }

    /// The region that an address is in, with its number.
    #[inline]
    pub(super) fn containing(&self, address: usize) -> Option<(u32, &Region<T>)> {
        let (&base, &id) = self.by_base.range(..=address).next_back()?;
        let region = self.get(id);
        (address - base < region.len).then_some((id, region))
    }

    /// The range around an address, which is in no region, that has none.
    pub(super) fn gap(&self, address: usize) -> (usize, usize) {
        let before = self.by_base.range(..=address).next_back();
        let start = before.map_or(0, |(base, id)| base + self.get(*id).len);
        let end = self
            .by_base
            .range(address..)
            .next()
            .map_or(usize::MAX, |(base, _)| *base);
        (start, end - start)
    }

    /// The regions with their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Region<T>)> {
        (0..)
            .zip(&self.slots)
            .filter_map(|(id, slot)| Some((id, slot.as_ref()?)))
    }

    /// The open arenas of `heap`, or all.
    pub(super) fn arenas_of<'a>(&'a self, heap: Option<&'a Arc<Heap>>) -> impl Iterator<Item = &'a Arc<Arena<T>>> {
        self.arenas.iter().flatten().filter(move |arena| arena.is_of(heap))
    }
}
