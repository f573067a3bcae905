// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A cache of memory between the USM of an adapter and its driver.
//!
//! A driver's allocation costs microseconds, and its memory comes with page faults; a block that was freed a moment ago
//! has neither. The cache deals in addresses alone and never touches what is there: the memory may be a device's.
//!
//! **Parts.** What the driver gives is a *region*: cut into blocks of one size class where the class is small (up to
//! 32 KiB), a single block where it is large, and a single allocation that is not kept where it is of no class (a large
//! alignment, more than a heap keeps). An *arena* has the free blocks of one kind of memory, a *heap* has the limits
//! and accounts of some arenas. All regions are in one ordered map, so that any address, also one inside a block, tells
//! its block. It is from these records, not from the driver, that the cache answers what is at an address, and it is by
//! them that it tells that a block is freed twice.
//!
//! **Threads.** The map is read under the lock of the calling thread's shard and changed under the locks of all shards:
//! see `sharded.rs`. Bounds checks of copies use what the thread remembers (`recent_lookups.rs`), without a lock. Small free
//! blocks are kept by the shard and move between it and the arena's depot in batches, so the threads meet once in a batch.
//! Of large free blocks a shard keeps only the last; the others are in the depot, behind one lock a class, where all threads
//! find them. The largest count as if they were there, and are looked for in all shards before the driver is asked. The
//! driver is never called under a lock.
//!
//! **Reuse.** A freed block is free at once. The client vouches, as UR demands of it, that no command still uses the
//! memory that it frees.
//!
//! **Limits.** When a heap keeps more than its limit, regions that are wholly free go back to the driver, those first
//! that were freed the longest ago. When the driver has no memory left, all of them go back, of all heaps, and it is
//! asked again.

mod class;
mod heap;
mod recent_lookups;
mod regions;
mod sharded;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxur_api::ResultCode;

use self::class::{Class, NATURAL, SMALL_CLASSES};
pub use self::heap::{Arena, Heap, HeapOptions, Usage};
use self::recent_lookups::Memo;
use self::regions::{Free, Gone, Regions};
use self::sharded::Sharded;
use crate::{UniqueId, UrError, UrResult};

/// Where the memory comes from. `T` says what kind of memory, as in [`Arena`].
pub trait Driver<T> {
    /// Allocates. The address has the alignment `align`, a power of two, or what suits every type if that is 0.
    fn allocate(&self, place: &T, size: usize, align: usize) -> UrResult<usize>;

    /// Frees what [`Driver::allocate`] returned when it was asked for `size` bytes.
    fn free(&self, place: &T, address: usize, size: usize) -> UrResult<()>;
}

/// What is at an address.
pub enum Found<T> {
    /// Memory that is not the cache's.
    Foreign,
    /// Memory of the cache's that no allocation has.
    Free,
    /// An allocation.
    Taken {
        /// Where it starts.
        base: usize,
        /// How many bytes the client asked for.
        size: usize,
        /// Where it comes from.
        arena: Arc<Arena<T>>,
    },
}

/// The memory of a context.
pub struct UsmCache<T> {
    state: Sharded<Lists, Regions<T>>,
    /// Its number, for what threads remember.
    number: UniqueId,
    /// How many regions it has had, as a single number. Threads keep it that remember where there was none.
    inserted: Arc<[AtomicUsize]>,
}

/// The free blocks of a shard.
#[derive(Default)]
struct Lists {
    /// By arena and class.
    small: Vec<Option<Box<[Vec<Free>; SMALL_CLASSES]>>>,
    /// The large block that was freed last.
    last: Option<(usize, Class, Free)>,
}

impl Lists {
    /// The largest block that a shard keeps for itself, in bytes. Larger ones are too large for one thread to sit on.
    const LARGEST: usize = 4 << 20;

    /// Whether the last block is others', too, if it is of this class.
    #[inline]
    fn shares(class: Class) -> bool {
        class.block() > Self::LARGEST
    }

    /// The list of a class. Always inlined: most calls only index.
    #[inline(always)]
    fn small(&mut self, arena: usize, class: Class) -> &mut Vec<Free> {
        if self.small.get(arena).is_none_or(Option::is_none) {
            self.add_arena(arena);
        }
        &mut self.small[arena].as_mut().expect("the arena was added")[class.index()]
    }

    #[cold]
    #[inline(never)]
    fn add_arena(&mut self, arena: usize) {
        if self.small.len() <= arena {
            self.small.resize_with(arena + 1, || None);
        }
        self.small[arena] = Some(Box::new([const { Vec::new() }; SMALL_CLASSES]));
    }

    #[inline]
    fn take<T>(&mut self, arena: &Arena<T>, class: Class) -> Option<Free> {
        if !class.is_small() {
            return self.take_last(arena, class).or_else(|| arena.take(class));
        }
        let list = self.small(arena.id, class);
        if list.is_empty() {
            arena.take_batch(class, list);
        }
        list.pop()
    }

    /// The large block that was freed last, if it is of this class.
    #[inline]
    fn take_last<T>(&mut self, arena: &Arena<T>, class: Class) -> Option<Free> {
        let (.., free) = self.last.take_if(|last| (last.0, last.1) == (arena.id, class))?;
        if Self::shares(class) {
            arena.discount(class);
        }
        Some(free)
    }

    #[inline]
    fn put<T>(&mut self, regions: &Regions<T>, arena: &Arena<T>, class: Class, free: Free) {
        if class.is_small() {
            let list = self.small(arena.id, class);
            list.push(free);
            if list.len() >= 2 * class.batch() {
                // The other half was used more recently.
                arena.put_all(class, list.drain(..class.batch()));
            }
            return;
        }
        if Self::shares(class) {
            arena.count(class);
        }
        if let Some((_, class, free)) = self.last.replace((arena.id, class, free)) {
            let arena = &regions.get(free.region).arena;
            if Self::shares(class) {
                arena.discount(class);
            }
            arena.put(class, free);
        }
    }

    /// Gives all blocks of an arena to its depots.
    fn flush<T>(&mut self, arena: &Arena<T>) {
        if let Some((_, class, _)) = self.last
            && let Some(free) = self.take_last(arena, class)
        {
            arena.put(class, free);
        }
        if let Some(lists) = self.small.get_mut(arena.id).and_then(Option::take) {
            for (class, list) in Class::all().zip(*lists) {
                arena.put_all(class, list.into_iter());
            }
        }
    }
}

/// What is left to do after a block was taken back, without the lock.
enum After {
    Nothing,
    GiveBack { base: usize },
    Shrink(Arc<Heap>),
}

impl<T> Default for UsmCache<T> {
    fn default() -> Self {
        Self {
            state: Sharded::new(Regions::new()),
            number: UniqueId::new(),
            inserted: Arc::new([AtomicUsize::new(0)]),
        }
    }
}

impl<T> UsmCache<T> {
    /// Makes a heap.
    pub fn heap(&self, options: HeapOptions) -> Arc<Heap> {
        Arc::new(Heap::new(options))
    }

    /// Makes an arena in a heap of this cache.
    pub fn arena(&self, heap: &Arc<Heap>, place: T) -> Arc<Arena<T>> {
        self.state.exclusive(|_, regions| {
            let id = regions.arenas.iter().position(Option::is_none).unwrap_or_else(|| {
                regions.arenas.push(None);
                regions.arenas.len() - 1
            });
            regions.arenas[id].insert(Arc::new(Arena::new(id, heap, place))).clone()
        })
    }

    /// Allocates `size` bytes, at least one.
    #[inline]
    pub fn alloc(&self, driver: &impl Driver<T>, arena: &Arc<Arena<T>>, size: usize, align: usize) -> UrResult<usize> {
        let Some(class) = arena.heap.class(size, align) else {
            return self.alloc_dedicated(driver, arena, size, align);
        };
        let address = self.state.local(|lists, regions| {
            let free = lists.take(arena, class)?;
            arena.heap.count_taken(size);
            Some(regions.get(free.region).take(free.index, size))
        });
        match address {
            Some(address) => Ok(address),
            None => self.grow(driver, arena, class, size),
        }
    }

    /// As [`UsmCache::alloc`], of memory that comes from the driver and goes back to it: it has what other memory of
    /// the arena does not have.
    #[cold]
    pub fn alloc_dedicated(
        &self,
        driver: &impl Driver<T>,
        arena: &Arc<Arena<T>>,
        size: usize,
        align: usize,
    ) -> UrResult<usize> {
        let base = match driver.allocate(arena.place(), size, align) {
            Err(error) if is_exhaustion(&error) => {
                self.shrink(driver, None, usize::MAX);
                driver.allocate(arena.place(), size, align)
            }
            other => other,
        }?;
        Ok(self.insert(arena, base, size, None, size))
    }

    /// Frees an allocation. `Ok(false)` says that the memory is none of the cache's.
    #[inline]
    pub fn free(&self, driver: &impl Driver<T>, address: usize) -> UrResult<bool> {
        let after = self.state.local(|lists, regions| {
            let Some((id, region)) = regions.containing(address) else {
                return Ok(None);
            };
            let (index, size) = region.take_back(address, regions.generation).ok_or(())?;
            let heap = &region.arena.heap;
            heap.count_given_back(size);
            Ok(Some(match region.class {
                Some(class) if !heap.is_closed() => {
                    lists.put(regions, &region.arena, class, Free { region: id, index });
                    if heap.is_over() {
                        After::Shrink(heap.clone())
                    } else {
                        After::Nothing
                    }
                }
                _ => After::GiveBack { base: region.base },
            }))
        });
        match after {
            Ok(Some(After::Nothing)) => Ok(true),
            Ok(Some(After::GiveBack { base })) => self.give_back(driver, base).map(|()| true),
            Ok(Some(After::Shrink(heap))) => {
                self.shrink(driver, Some(&heap), heap.excess());
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(()) => Err(not_taken(address)),
        }
    }

    /// What is at an address.
    pub fn find(&self, address: usize) -> Found<T> {
        self.state.local(|_, regions| match regions.containing(address) {
            None => Found::Foreign,
            Some((_, region)) => match region.taken_at(address) {
                Some((base, size)) => Found::Taken {
                    base,
                    size,
                    arena: region.arena.clone(),
                },
                None => Found::Free,
            },
        })
    }

    /// Whether a copy of `size` bytes stays inside of its allocations on both sides. Memory that is none of the cache's is as
    /// large as it may be.
    #[inline(always)]
    pub fn hold(&self, first: usize, second: usize, size: usize) -> bool {
        recent_lookups::hold(self.number.get(), first, second, size) || self.hold_by_rest(first, second, size)
    }

    /// As [`UsmCache::hold`], of what the thread does not remember.
    #[cold]
    #[inline(never)]
    fn hold_by_rest(&self, first: usize, second: usize, size: usize) -> bool {
        size <= self.rest(first) && size <= self.rest(second)
    }

    /// How many bytes of its allocation there are from an address on; [`usize::MAX`] if it is in none.
    pub fn rest(&self, address: usize) -> usize {
        recent_lookups::rest(self.number.get(), address).unwrap_or_else(|| self.look_up_rest(address))
    }

    /// The same of an address that the thread does not remember.
    fn look_up_rest(&self, address: usize) -> usize {
        let cache = self.number.get();
        let memo = self.state.local(|_, regions| match regions.containing(address) {
            None => {
                let inserted = self.inserted[0].load(Ordering::Relaxed);
                let (base, len) = regions.gap(address);
                Memo::of_gap(cache, base, len, &self.inserted, inserted)
            }
            Some((_, region)) => region.memo(cache),
        });
        recent_lookups::remember(memo, address).unwrap_or(usize::MAX)
    }

    /// Gives free memory of a heap back until it has no more than `keep` bytes of the driver's, or none to give.
    pub fn trim(&self, driver: &impl Driver<T>, heap: &Arc<Heap>, keep: usize) {
        self.shrink(driver, Some(heap), heap.reserved().current.saturating_sub(keep));
    }

    /// Ends a heap: its free memory goes back to the driver now, the rest when it is freed.
    pub fn close(&self, driver: &impl Driver<T>, heap: &Arc<Heap>) {
        self.state.exclusive(|_, _| heap.close());
        self.shrink(driver, Some(heap), usize::MAX);
        self.state.exclusive(|_, regions| {
            for slot in &mut regions.arenas {
                slot.take_if(|arena| arena.is_of(Some(heap)));
            }
        });
    }

    /// Gives all free memory back to the driver. Returns how many bytes the client still has, and in how many
    /// allocations.
    pub fn drain(&self, driver: &impl Driver<T>) -> (usize, usize) {
        self.shrink(driver, None, usize::MAX);
        self.state.exclusive(|_, regions| {
            let taken = regions.iter().map(|(_, region)| region.taken());
            taken.fold((0, 0), |sum, (bytes, blocks)| (sum.0 + bytes, sum.1 + blocks))
        })
    }

    /// Allocates from the driver what is to be kept.
    #[cold]
    fn grow(&self, driver: &impl Driver<T>, arena: &Arc<Arena<T>>, class: Class, size: usize) -> UrResult<usize> {
        // Those of others count as cached.
        if Lists::shares(class)
            && arena.heap.cached() >= class.block()
            && let Some(address) = self.take_from_others(arena, class, size)
        {
            return Ok(address);
        }
        let len = arena.heap.growth(class);
        match driver.allocate(arena.place(), len, NATURAL) {
            // A driver that does not align as it is asked to serves this allocation alone.
            Ok(base) if base % NATURAL != 0 => Ok(self.insert(arena, base, len, None, size)),
            Ok(base) => Ok(self.insert(arena, base, len, Some(class), size)),
            // It may yet have what was asked for.
            Err(error) if is_exhaustion(&error) => self.alloc_dedicated(driver, arena, size, 0),
            Err(error) => Err(error),
        }
    }

    /// A large block that another thread has freed last.
    fn take_from_others(&self, arena: &Arena<T>, class: Class, size: usize) -> Option<usize> {
        self.state.exclusive(|shards, regions| {
            let free = shards.iter_mut().find_map(|lists| lists.take_last(arena, class))?;
            arena.heap.count_taken(size);
            Some(regions.get(free.region).take(free.index, size))
        })
    }

    /// Adds a region, whose first block is the client's; returns its address.
    fn insert(&self, arena: &Arc<Arena<T>>, base: usize, len: usize, class: Option<Class>, size: usize) -> usize {
        arena.heap.count_taken(size);
        self.state.exclusive(|_, regions| {
            let id = regions.insert(arena, base, len, class, size);
            // Stored, as nobody else does meanwhile.
            let inserted = self.inserted[0].load(Ordering::Relaxed) + 1;
            self.inserted[0].store(inserted, Ordering::Release);
            if let Some(class) = class {
                // The last is taken first.
                let count = regions.get(id).count();
                let blocks: Vec<_> = (1..count).rev().map(|index| Free { region: id, index }).collect();
                arena.put_all(class, blocks.into_iter());
            }
        });
        base
    }

    /// Gives a region that is not to be kept back to the driver, if all of it is free.
    #[cold]
    fn give_back(&self, driver: &impl Driver<T>, base: usize) -> UrResult<()> {
        let region = self.state.exclusive(|_, regions| {
            // Another thread may have been faster, and the address may be in use again.
            let (id, region) = regions.containing(base)?;
            (region.is_dedicated() && region.is_idle()).then(|| regions.remove(id))
        });
        region.map_or(Ok(()), |region| release(driver, region))
    }

    /// Gives free regions of a heap, or of all, back to the driver until `excess` bytes have gone.
    #[cold]
    fn shrink(&self, driver: &impl Driver<T>, heap: Option<&Arc<Heap>>, excess: usize) {
        let gone: Vec<_> = self.state.exclusive(|shards, regions| {
            for arena in regions.arenas_of(heap) {
                shards.iter_mut().for_each(|lists| lists.flush(arena));
            }
            let mut idle: Vec<_> = regions
                .iter()
                .filter(|(_, r)| r.arena.is_of(heap) && r.is_idle())
                .collect();
            idle.sort_by_key(|(_, region)| region.freed_at());
            let mut left = excess;
            let gone: HashSet<u32> = idle
                .into_iter()
                .take_while(|(_, region)| {
                    let goes = left != 0;
                    left = left.saturating_sub(region.len);
                    goes
                })
                .map(|(id, _)| id)
                .collect();
            for arena in regions.arenas_of(heap) {
                arena.retain(|free| !gone.contains(&free.region));
                arena.heap.rearm();
            }
            gone.into_iter().map(|id| regions.remove(id)).collect()
        });
        for region in gone {
            if let Err(error) = release(driver, region) {
                log::warn!("cached USM is leaked: {error}");
            }
        }
    }
}

fn release<T>(driver: &impl Driver<T>, region: Gone<T>) -> UrResult<()> {
    driver.free(region.arena.place(), region.base, region.len)
}

/// Whether a driver might have memory after some is given back, or for a smaller request.
fn is_exhaustion(error: &UrError) -> bool {
    matches!(
        error.code(),
        ResultCode::ERROR_OUT_OF_HOST_MEMORY
            | ResultCode::ERROR_OUT_OF_DEVICE_MEMORY
            | ResultCode::ERROR_OUT_OF_RESOURCES
            | ResultCode::ERROR_MEM_OBJECT_ALLOCATION_FAILURE
            | ResultCode::ERROR_INVALID_USM_SIZE
    )
}

#[cold]
fn not_taken(address: usize) -> UrError {
    crate::error!(
        ERROR_INVALID_VALUE:
            "{address:#x} is not the start of an allocation: it was freed before, or points inside of one"
    )
}
