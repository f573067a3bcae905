// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Heaps, which have limits and accounts, and their arenas, which have the free blocks of one kind of memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use oxur_api::{ResultCode, UsmPoolInfo};
use oxur_fork::Mutex;

use super::class::{CLASSES, Class, LARGEST, NATURAL};
use super::regions::Free;
use crate::{InfoOut, UrResult};

/// How a heap behaves.
#[derive(Clone, Copy, Debug)]
pub struct HeapOptions {
    /// Bytes of free memory that may be kept. A block larger than half of it is not kept; 0 keeps nothing.
    pub limit: usize,
    /// The largest allocation that is kept when it is freed, in bytes.
    pub max_block: usize,
    /// What the driver is asked for at least, in bytes, when memory to keep is needed.
    pub min_growth: usize,
    /// Whether to count what the client has; it costs a little in each call.
    pub counted: bool,
}

impl Default for HeapOptions {
    fn default() -> Self {
        Self {
            limit: usize::MAX,
            max_block: usize::MAX,
            min_growth: 0,
            counted: false,
        }
    }
}

/// Limits and accounts of a part of the cache: what a UR pool is, and what a context has for itself.
pub struct Heap {
    options: HeapOptions,
    limit: AtomicUsize,
    /// Above how many cached bytes memory goes back to the driver: the limit, or more while what is above it is blocks
    /// of regions that are not free as a whole.
    trigger: AtomicUsize,
    /// Bytes in depots, and in the largest blocks that shards keep.
    cached: AtomicUsize,
    reserved: Gauge,
    used: Gauge,
    closed: AtomicBool,
}

/// A number and the largest that it has been.
#[derive(Default)]
struct Gauge {
    now: AtomicUsize,
    high: AtomicUsize,
}

impl Gauge {
    fn add(&self, bytes: usize) {
        let now = self.now.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if now > self.high.load(Ordering::Relaxed) {
            self.high.fetch_max(now, Ordering::Relaxed);
        }
    }

    fn sub(&self, bytes: usize) {
        self.now.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// The same for a caller that no other changes it beside.
    fn set(&self, bytes: usize) {
        self.now.store(bytes, Ordering::Relaxed);
        if bytes > self.high.load(Ordering::Relaxed) {
            self.high.store(bytes, Ordering::Relaxed);
        }
    }

    fn values(&self) -> Usage {
        Usage {
            current: self.now.load(Ordering::Relaxed),
            high: self.high.load(Ordering::Relaxed),
        }
    }

    fn forget_high(&self) {
        self.high.store(self.now.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Now.
    pub current: usize,
    /// At most so far.
    pub high: usize,
}

impl Heap {
    pub(super) fn new(options: HeapOptions) -> Self {
        Self {
            options,
            limit: AtomicUsize::new(options.limit),
            trigger: AtomicUsize::new(options.limit),
            cached: AtomicUsize::new(0),
            reserved: Gauge::default(),
            used: Gauge::default(),
            closed: AtomicBool::new(false),
        }
    }

    /// What it got from the driver and has not given back.
    pub fn reserved(&self) -> Usage {
        self.reserved.values()
    }

    /// What the client has, if that is counted.
    pub fn used(&self) -> Option<Usage> {
        self.options.counted.then(|| self.used.values())
    }

    /// Bytes of free memory, but for the little that shards keep.
    pub fn cached(&self) -> usize {
        self.cached.load(Ordering::Relaxed)
    }

    /// Bytes of free memory that may be kept.
    pub fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Changes [`Heap::limit`]. What is above it goes back to the driver at the next occasion.
    pub fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Ordering::Relaxed);
        self.trigger.store(limit, Ordering::Relaxed);
    }

    /// Starts the peak of [`Heap::reserved`] anew.
    pub fn forget_high_reserved(&self) {
        self.reserved.forget_high();
    }

    /// Starts the peak of [`Heap::used`] anew.
    pub fn forget_high_used(&self) {
        self.used.forget_high();
    }

    /// Answers `urUSMPoolGetInfo*` for the pool that the heap is, but for its context.
    pub fn info(&self, query: UsmPoolInfo, out: InfoOut<'_>) -> UrResult<()> {
        let used = || self.used().ok_or(ResultCode::ERROR_UNSUPPORTED_ENUMERATION);
        match query {
            UsmPoolInfo::RELEASE_THRESHOLD_EXP => out.value(self.limit()),
            UsmPoolInfo::RESERVED_CURRENT_EXP => out.value(self.reserved().current),
            UsmPoolInfo::RESERVED_HIGH_EXP => out.value(self.reserved().high),
            UsmPoolInfo::USED_CURRENT_EXP => out.value(used()?.current),
            UsmPoolInfo::USED_HIGH_EXP => out.value(used()?.high),
            // MAXIMUM_SIZE_EXP: a pool has no bound but the driver's.
            _ => out.unsupported(),
        }
    }

    /// Answers `urUSMPoolSetInfoExp`: the threshold may be any, the peaks can be started anew with 0.
    pub fn set(&self, query: UsmPoolInfo, value: &[u8]) -> UrResult<()> {
        let number = || {
            let bytes = value.try_into().map_err(|_| ResultCode::ERROR_INVALID_SIZE)?;
            UrResult::Ok(usize::from_ne_bytes(bytes))
        };
        let zero = || match number()? {
            0 => Ok(()),
            other => Err(crate::error!(
                ERROR_INVALID_VALUE: "{query:?} can be set to 0 alone, which starts it anew, not to {other}"
            )),
        };
        match query {
            UsmPoolInfo::RELEASE_THRESHOLD_EXP => self.set_limit(number()?),
            UsmPoolInfo::RESERVED_HIGH_EXP => {
                zero()?;
                self.forget_high_reserved();
            }
            UsmPoolInfo::USED_HIGH_EXP => {
                zero()?;
                self.forget_high_used();
            }
            _ => return Err(ResultCode::ERROR_UNSUPPORTED_ENUMERATION.into()),
        }
        Ok(())
    }

    /// The class of blocks that an allocation is served from; `None` if the driver serves it.
    #[inline]
    pub(super) fn class(&self, size: usize, align: usize) -> Option<Class> {
        if align > NATURAL || size > LARGEST || size > self.options.max_block {
            return None;
        }
        let class = Class::of(size.max(align));
        (class.block() <= self.limit() / 2 && !self.is_closed()).then_some(class)
    }

    /// How much to ask the driver for.
    pub(super) fn growth(&self, class: Class) -> usize {
        const MOST: usize = 1 << 30;
        class.region().max(self.options.min_growth.min(MOST))
    }

    #[inline]
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn count_taken(&self, size: usize) {
        if self.options.counted {
            self.used.add(size);
        }
    }

    #[inline]
    pub(super) fn count_given_back(&self, size: usize) {
        if self.options.counted {
            self.used.sub(size);
        }
    }

    /// Counts a region. The caller has all shards.
    pub(super) fn count_grown(&self, len: usize) {
        self.reserved.set(self.reserved().current + len);
    }

    /// Counts a region no more. The caller has all shards.
    pub(super) fn count_shrunk(&self, len: usize) {
        self.reserved.set(self.reserved().current - len);
    }

    /// Whether memory should go back to the driver.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.cached() > self.trigger.load(Ordering::Relaxed)
    }

    /// How much should go back when [`Heap::is_over`]: more than needs to, so that it does not happen often.
    pub(super) fn excess(&self) -> usize {
        let limit = self.limit();
        self.cached().saturating_sub(limit - limit / 4)
    }

    /// After memory went back: when to try again.
    pub(super) fn rearm(&self) {
        let (limit, cached) = (self.limit(), self.cached());
        let trigger = if cached > limit {
            cached.saturating_add(limit / 4)
        } else {
            limit
        };
        self.trigger.store(trigger, Ordering::Relaxed);
    }
}

/// The memory of one kind in a heap. `T` is the adapter's: what the kind is.
pub struct Arena<T> {
    /// The number of this arena's lists in the shards.
    pub(super) id: usize,
    pub(super) heap: Arc<Heap>,
    place: T,
    /// Free blocks by class, for all threads.
    depots: Box<[Mutex<Vec<Free>>]>,
}

impl<T> Arena<T> {
    pub(super) fn new(id: usize, heap: &Arc<Heap>, place: T) -> Self {
        let depots = (0..CLASSES).map(|_| Mutex::default()).collect();
        Self {
            id,
            heap: heap.clone(),
            place,
            depots,
        }
    }

    /// What the adapter said of the arena.
    pub fn place(&self) -> &T {
        &self.place
    }

    /// Whether it is of `heap`, if one is given.
    pub(super) fn is_of(&self, heap: Option<&Arc<Heap>>) -> bool {
        heap.is_none_or(|heap| Arc::ptr_eq(heap, &self.heap))
    }

    /// Takes a free block.
    #[inline]
    pub(super) fn take(&self, class: Class) -> Option<Free> {
        let free = self.depots[class.index()].lock().pop()?;
        self.discount(class);
        Some(free)
    }

    /// Puts a free block back.
    #[inline]
    pub(super) fn put(&self, class: Class, free: Free) {
        // Counted first: the count never falls below zero.
        self.count(class);
        self.depots[class.index()].lock().push(free);
    }

    /// Counts a free block that is in a depot, or that counts as if it were.
    #[inline]
    pub(super) fn count(&self, class: Class) {
        self.heap.cached.fetch_add(class.block(), Ordering::Relaxed);
    }

    /// Counts such a block no more.
    #[inline]
    pub(super) fn discount(&self, class: Class) {
        self.heap.cached.fetch_sub(class.block(), Ordering::Relaxed);
    }

    /// Moves a batch of free blocks to a shard's list.
    pub(super) fn take_batch(&self, class: Class, list: &mut Vec<Free>) {
        let mut depot = self.depots[class.index()].lock();
        let rest = depot.len().saturating_sub(class.batch());
        let moved = depot.len() - rest;
        list.extend(depot.drain(rest..));
        self.heap.cached.fetch_sub(moved * class.block(), Ordering::Relaxed);
    }

    /// Takes free blocks over.
    pub(super) fn put_all(&self, class: Class, blocks: impl ExactSizeIterator<Item = Free>) {
        self.heap
            .cached
            .fetch_add(blocks.len() * class.block(), Ordering::Relaxed);
        self.depots[class.index()].lock().extend(blocks);
    }

    /// Forgets the free blocks that `keep` does not want.
    pub(super) fn retain(&self, keep: impl Fn(&Free) -> bool) {
        for class in Class::all() {
            let mut depot = self.depots[class.index()].lock();
            let before = depot.len();
            depot.retain(&keep);
            self.heap
                .cached
                .fetch_sub((before - depot.len()) * class.block(), Ordering::Relaxed);
        }
    }
}
