// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The USM of a context, for adapters that have a [`MemoryProvider`]: caching, pools, queries, and memory that is freed while
//! commands may use it.
//!
//! Freed memory is kept and handed out again ([`usm_cache`](crate::usm_cache) says how), so that most calls never reach the
//! provider. The cache's own records tell what is at an address. An address that is in none of them is a question for the
//! provider ([`MemoryProvider::foreign`]), and so is freeing it.
//!
//! **Memory that is freed in use.** `urUSMFree` must not let memory go before the commands that may use it are complete, and
//! the client does not wait for them. Where the context has unfinished commands, the memory goes into quarantine with a fence
//! behind them, and is handed out again when that is reached. So memory that goes back to the provider is free of commands.
//!
//! An allocation that fails does not wait for what is in quarantine: the calling thread may be the one that the commands
//! wait for. For the same reason the quarantine has no limit.
//!
//! **Memory in the order of a queue** (`urEnqueueUSM*AllocExp`, `urEnqueueUSMFreeExp`) is allocated when it is asked for. Freed
//! memory is in quarantine, from where the next allocation of its size takes it if it is for the same queue in order: what uses
//! the memory then comes behind what used it before.

mod arenas;
mod pool;
mod quarantine;
#[cfg(test)]
mod tests;

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use oxur_api::{CommandType, DeviceHandle, Handle, UsmAllocInfo, UsmPoolFlags, UsmPoolHandle, UsmType};
use oxur_environment::Variable;
use oxur_fork::{Mutex, OnceLock};

use self::arenas::Arenas;
use self::pool::DevicePools;
pub use self::pool::UsmHeapPool;
use self::quarantine::Quarantine;
use crate::usm_cache::{Driver, Found, HeapOptions, UsmCache};
use crate::{Backend, ForeignMemory, InfoOut, Object, UniqueId, UrError, UrResult, UsmKind, UsmProperties, UsmRequest};

/// Where the USM of a context comes from: what an adapter's context implements to have the kit's [`ContextUsm`].
pub trait MemoryProvider: Send + Sync + Sized + 'static {
    /// The adapter's devices.
    type Device: Object<Handle = DeviceHandle>;
    /// What commands reach when all those are complete that were unfinished when it was made.
    type Fence: Send;

    /// The USM of this context.
    fn usm(&self) -> &ContextUsm<Self>;

    /// The devices of this context, of which there is at least one.
    fn devices(&self) -> &[Arc<Self::Device>];

    /// How many bytes of free memory are kept, unless the client says it of a pool.
    fn cache_limit() -> usize;

    /// The most bytes that an allocation has.
    fn max_allocation(&self) -> usize {
        isize::MAX as usize
    }

    /// The device whose memory a client gets that names `named` in a context, or a pool, of the device `listed`; `None` if
    /// the two have nothing to do with each other.
    fn memory_of<'a>(listed: &'a Arc<Self::Device>, named: &'a Arc<Self::Device>) -> Option<&'a Arc<Self::Device>> {
        Arc::ptr_eq(listed, named).then_some(listed)
    }

    /// Refuses what the client asks for and does not get: a partition of the memory, unless the provider has them.
    fn check_properties(&self, _kind: &UsmKind<'_, Self::Device>, properties: &UsmProperties) -> UrResult<()> {
        properties.without_location()
    }

    /// Allocates. The address has the alignment `align`, a power of two, or what suits every type if that is 0.
    ///
    /// Flags are hints. Where memory with them [differs](Self::is_dedicated) and this fails, the kit asks again without flags.
    fn allocate(
        &self,
        place: &UsmPlace<Self>,
        size: usize,
        align: usize,
        properties: &UsmProperties,
    ) -> UrResult<usize>;

    /// Fills what [`allocate`](Self::allocate) returned with zeros. No command uses the memory.
    fn clear(&self, place: &UsmPlace<Self>, address: usize, size: usize) -> UrResult<()>;

    /// Frees what [`allocate`](Self::allocate) returned when it was asked for `size` bytes. No command uses the memory.
    fn free(&self, place: &UsmPlace<Self>, address: usize, size: usize) -> UrResult<()>;

    /// Whether memory that is allocated with such properties differs from other memory, so that it cannot be used again for
    /// that.
    fn is_dedicated(&self, _properties: &UsmProperties) -> bool {
        false
    }

    /// Refuses flags of pools that the provider cannot keep. Pools for allocations in the order of queues ask for the driver's own:
    /// where there are such allocations, these pools do what those would.
    fn check_pool_flags(_flags: UsmPoolFlags) -> UrResult<()> {
        Ok(())
    }

    /// A fence behind all commands that may be unfinished; `None` if there are none. It is asked whenever memory is freed.
    fn fence(&self) -> UrResult<Option<Self::Fence>>;

    /// How far the commands are: tells whether a fence is reached.
    fn progress(&self) -> impl Fn(&Self::Fence) -> bool;

    /// Waits for a fence, when the context goes. Commands that keep their context are complete by then.
    fn wait_for(&self, _fence: &Self::Fence) {}

    /// Memory of others that the client has opened or imported, which it does not free, if the provider keeps it so.
    fn foreign_memory(&self) -> Option<&ForeignMemory<Self>> {
        None
    }

    /// What is at an address that neither the provider allocated for the kit nor the client opened or imported.
    fn foreign(&self, _address: usize) -> Option<UsmAllocation<Self>> {
        None
    }

    /// Frees what [`foreign`](Self::foreign) found, if it can.
    fn free_foreign(&self, found: &UsmAllocation<Self>) -> UrResult<()> {
        Err(no_usm(found.base as *mut c_void))
    }
}

/// The limit of a provider's free memory: what an environment variable says, read once; 512 MiB by default.
pub struct CacheLimit {
    variable: Variable,
    bytes: OnceLock<usize>,
}

impl CacheLimit {
    /// What this variable says.
    pub const fn new(variable: Variable) -> Self {
        let bytes = OnceLock::new();
        Self { variable, bytes }
    }

    /// In bytes.
    pub fn get(&self) -> usize {
        *self.bytes.get_or_init(|| self.variable.size(512 << 20))
    }
}

/// What kind of memory, and whose.
pub struct UsmPlace<P: MemoryProvider> {
    /// The kind.
    pub kind: UsmType,
    /// The device; `None` for the host's memory.
    pub device: Option<Arc<P::Device>>,
    /// Whether it must be zero when it comes from the provider.
    zero: bool,
    /// The pool that it is for; nothing, if it is for none.
    pool: Weak<UsmHeapPool<P>>,
}

/// What is at an address.
pub struct UsmAllocation<P: MemoryProvider> {
    /// The kind of memory.
    pub kind: UsmType,
    /// Where the allocation starts.
    pub base: usize,
    /// How many bytes it has.
    pub size: usize,
    /// Its device, if it has one.
    pub device: Option<Arc<P::Device>>,
    /// The pool that it was allocated from, if that is still there.
    pub pool: Option<Arc<UsmHeapPool<P>>>,
}

/// The USM of a context.
pub struct ContextUsm<P: MemoryProvider> {
    cache: UsmCache<UsmPlace<P>>,
    /// Where allocations come from that name no pool.
    arenas: OnceLock<Arenas<P>>,
    quarantine: Quarantine<P::Fence>,
    pools: Mutex<Vec<DevicePools<P>>>,
}

impl<P: MemoryProvider> Default for ContextUsm<P> {
    fn default() -> Self {
        Self {
            cache: UsmCache::default(),
            arenas: OnceLock::new(),
            quarantine: Quarantine::default(),
            pools: Mutex::default(),
        }
    }
}

/// The cache's view of a provider, for an allocation with properties.
struct Source<'a, P> {
    provider: &'a P,
    properties: &'a UsmProperties,
}

impl<'a, P> Source<'a, P> {
    fn new(provider: &'a P) -> Self {
        Self {
            provider,
            properties: &UsmProperties::NONE,
        }
    }
}

impl<P: MemoryProvider> Driver<UsmPlace<P>> for Source<'_, P> {
    fn allocate(&self, place: &UsmPlace<P>, size: usize, align: usize) -> UrResult<usize> {
        let (provider, properties) = (self.provider, self.properties);
        let address = match provider.allocate(place, size, align, properties) {
            Err(error) if properties.has_flags() && provider.is_dedicated(properties) => {
                log::debug!("USM is allocated without the flags of {properties:?}, with which it fails: {error}");
                provider.allocate(place, size, align, &properties.without_flags())
            }
            other => other,
        }?;
        if place.zero
            && let Err(error) = provider.clear(place, address, size)
        {
            provider.free(place, address, size)?;
            return Err(error);
        }
        note_usm_change();
        Ok(address)
    }

    fn free(&self, place: &UsmPlace<P>, address: usize, size: usize) -> UrResult<()> {
        // Counted before the free, for threads that are given the address again, and after it, for those that used it in
        // between.
        note_usm_change();
        let freed = self.provider.free(place, address, size);
        note_usm_change();
        freed
    }
}

static GENERATION: AtomicU64 = AtomicU64::new(0);

/// How often memory came from a provider or went back to one, or may have: as long as it is the same, an address stands for
/// the same allocation, or for none.
#[inline(always)]
pub fn usm_generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

/// Takes note of memory that comes or goes past the kit.
pub fn note_usm_change() {
    GENERATION.fetch_add(1, Ordering::Release);
}

impl<P: MemoryProvider> ContextUsm<P> {
    /// Allocates, as `urUSM*Alloc` do. The request is borrowed, because it is large to move.
    #[inline]
    pub fn alloc<B>(&self, provider: &P, request: &UsmRequest<'_, B>) -> UrResult<*mut c_void>
    where
        B: Backend<Context = P, Device = P::Device, UsmPool = UsmHeapPool<P>>,
    {
        self.alloc_from(provider, &request.kind, request.pool, request.size, &request.properties)
    }

    #[inline]
    fn alloc_from(
        &self,
        provider: &P,
        kind: &UsmKind<'_, P::Device>,
        pool: Option<&Arc<UsmHeapPool<P>>>,
        size: usize,
        properties: &UsmProperties,
    ) -> UrResult<*mut c_void> {
        if size > provider.max_allocation() {
            return Err(too_large(size, provider.max_allocation()));
        }
        provider.check_properties(kind, properties)?;
        let arenas = self.arenas(provider, pool)?;
        self.settle(provider);
        let source = Source { provider, properties };
        let align = properties.align;
        let address = arenas.with(&self.cache, kind, |arena| {
            let alloc = || match provider.is_dedicated(properties) {
                true => self.cache.alloc_dedicated(&source, arena, size, align),
                false => self.cache.alloc(&source, arena, size, align),
            };
            alloc().or_else(|error| match !self.quarantine.is_empty() && self.reuse(provider) {
                // What came out of quarantine meanwhile may be what was missing.
                true => alloc(),
                false => Err(error),
            })
        })?;
        Ok(address as *mut c_void)
    }

    /// Allocates for commands of a queue, as `urEnqueueUSM*AllocExp` do: from the pool, from the one that was chosen for the device
    /// of the queue, or from none. The call returns the address, so the memory is there before the command is, which `submit` submits.
    /// `number` is the queue's, if it is in order.
    pub fn enqueue_alloc(
        &self,
        provider: &P,
        (device, number): (&Arc<P::Device>, Option<UniqueId>),
        kind: &UsmKind<'_, P::Device>,
        pool: Option<&Arc<UsmHeapPool<P>>>,
        size: usize,
        submit: impl FnOnce(CommandType) -> UrResult<()>,
    ) -> UrResult<*mut c_void> {
        let memory = self.alloc_in_order(provider, (device, number), kind, pool, size)?;
        if let Err(error) = submit(kind.enqueued_command()) {
            // It may have been freed in this order, and be in use.
            self.free_in_order(provider, memory, number)?;
            return Err(error);
        }
        Ok(memory)
    }

    /// Frees in the order of a queue, as `urEnqueueUSMFreeExp` does, by a command that `submit` submits. `number` is the queue's, if it
    /// is in order.
    pub fn enqueue_free(
        &self,
        provider: &P,
        memory: *mut c_void,
        number: Option<UniqueId>,
        submit: impl FnOnce() -> UrResult<()>,
    ) -> UrResult<()> {
        let address = memory as usize;
        // What is wrong with it is said before the client has an event.
        if self.quarantine.has(address) {
            return Err(freed_before(memory));
        }
        let is_own = matches!(self.cache.find(address), Found::Taken { base, .. } if base == address);
        if !is_own && self.find(provider, address).is_none_or(|found| found.base != address) {
            return Err(no_usm(memory));
        }
        submit()?;
        self.free_in_order(provider, memory, number.filter(|_| is_own))
    }

    /// Frees memory, which is kept for the queue in order with this number, if there is one. Then it is the cache's.
    fn free_in_order(&self, provider: &P, memory: *mut c_void, number: Option<UniqueId>) -> UrResult<()> {
        match number {
            Some(queue) if self.quarantine.put_in_order(memory as usize, queue) => Ok(()),
            Some(_) => Err(freed_before(memory)),
            None => self.free(provider, memory),
        }
    }

    fn alloc_in_order(
        &self,
        provider: &P,
        (device, number): (&Arc<P::Device>, Option<UniqueId>),
        kind: &UsmKind<'_, P::Device>,
        pool: Option<&Arc<UsmHeapPool<P>>>,
        size: usize,
    ) -> UrResult<*mut c_void> {
        let chosen = match pool {
            None => self.chosen_pool(device, kind),
            Some(_) => None,
        };
        let pool = pool.or(chosen.as_ref());
        if let Some(queue) = number.filter(|_| !self.quarantine.is_empty()) {
            let freed_before = self.arenas(provider, pool)?.with(&self.cache, kind, |own| {
                Ok(self.quarantine.take_of(queue, |address| {
                    matches!(self.cache.find(address), Found::Taken { size: of, arena, .. } if of == size && Arc::ptr_eq(&arena, own))
                }))
            })?;
            if let Some(address) = freed_before {
                return Ok(address as *mut c_void);
            }
        }
        self.alloc_from(provider, kind, pool, size, &UsmProperties::NONE)
    }

    /// Frees, as `urUSMFree` does.
    pub fn free(&self, provider: &P, memory: *mut c_void) -> UrResult<()> {
        let address = memory as usize;
        if !self.quarantine.is_empty() {
            if self.quarantine.has(address) {
                return Err(freed_before(memory));
            }
            self.reuse(provider);
        }
        // Of memory that is not here, the provider knows what to wait for; and the cache has words for what is no allocation.
        if let Some(fence) = provider.fence()?
            && let Found::Taken { base, .. } = self.cache.find(address)
            && base == address
        {
            return match self.quarantine.put(address, fence) {
                true => Ok(()),
                false => Err(freed_before(memory)),
            };
        }
        if self.cache.free(&Source::new(provider), address)? {
            return Ok(());
        }
        note_usm_change();
        // Drivers crash on memory that is not theirs.
        let is_opened = provider
            .foreign_memory()
            .is_some_and(|known| known.find(address).is_some());
        let freed = match provider.foreign(address) {
            Some(found) if found.base == address && !is_opened => provider.free_foreign(&found),
            _ => Err(no_usm(memory)),
        };
        note_usm_change();
        freed
    }

    /// Whether a copy stays inside of its allocations: see [`UsmAlloc::usm_hold`](crate::UsmAlloc::usm_hold).
    #[inline(always)]
    pub fn hold(&self, first: *const c_void, second: *const c_void, size: usize) -> bool {
        self.cache.hold(first as usize, second as usize, size)
    }

    /// How many bytes of its allocation there are from an address on: see [`UsmAlloc::usm_rest`](crate::UsmAlloc::usm_rest).
    pub fn rest(&self, memory: *const c_void) -> usize {
        self.cache.rest(memory as usize)
    }

    /// The allocation that an address is in, if there is one.
    pub fn find(&self, provider: &P, address: usize) -> Option<UsmAllocation<P>> {
        match self.cache.find(address) {
            Found::Taken { base, .. } if self.quarantine.has(base) => None,
            Found::Taken { base, size, arena } => {
                let place = arena.place();
                Some(UsmAllocation {
                    kind: place.kind,
                    base,
                    size,
                    device: place.device.clone(),
                    pool: place.pool.upgrade(),
                })
            }
            Found::Free => None,
            Found::Foreign => {
                let opened = provider.foreign_memory().and_then(|known| known.find(address));
                opened.or_else(|| provider.foreign(address))
            }
        }
    }

    /// Answers `urUSMGetMemAllocInfo`.
    pub fn info(&self, provider: &P, memory: *const c_void, query: UsmAllocInfo, out: InfoOut<'_>) -> UrResult<()> {
        let found = self.find(provider, memory as usize);
        let found = found.as_ref();
        match query {
            UsmAllocInfo::TYPE => out.value(found.map_or(UsmType::UNKNOWN, |found| found.kind)),
            UsmAllocInfo::BASE_PTR => out.value(found.map_or(0, |found| found.base)),
            UsmAllocInfo::SIZE => out.value(found.map_or(0, |found| found.size)),
            // Memory of the host, and memory that is no USM, is said to be the first device's.
            UsmAllocInfo::DEVICE => {
                let device = found.and_then(|found| found.device.as_ref());
                out.handle(device.unwrap_or(&provider.devices()[0]))
            }
            UsmAllocInfo::POOL => match found.and_then(|found| found.pool.as_ref()) {
                Some(pool) => out.handle(pool),
                None => out.value(UsmPoolHandle::from_ptr(std::ptr::null_mut())),
            },
            _ => out.unsupported(),
        }
    }

    /// Gives all free memory back to the provider, which is about to go. What the client did not free stays: it may still
    /// look at it.
    pub fn close(&self, provider: &P) {
        let source = Source::new(provider);
        self.fence_in_order(provider);
        while let Some((address, fence)) = self.quarantine.take_first() {
            provider.wait_for(&fence);
            self.free_again(&source, address);
        }
        let (bytes, allocations) = self.cache.drain(&source);
        if allocations != 0 {
            log::info!("a context goes with {allocations} USM allocations ({bytes} bytes) that were never freed");
        }
    }

    /// Those of a pool, or of what names none.
    fn arenas<'a>(&'a self, provider: &P, pool: Option<&'a Arc<UsmHeapPool<P>>>) -> UrResult<&'a Arenas<P>> {
        match pool {
            Some(pool) if !pool.is_of(provider) => Err(strange_pool()),
            Some(pool) => Ok(pool.arenas()),
            None => Ok(self.default_arenas(provider)),
        }
    }

    fn default_arenas(&self, provider: &P) -> &Arenas<P> {
        self.arenas.get_or_init(|| {
            let heap = self.cache.heap(HeapOptions {
                limit: P::cache_limit(),
                ..HeapOptions::default()
            });
            Arenas::new(&self.cache, &heap, provider.devices(), &Weak::new(), false)
        })
    }

    /// Hands memory to the cache that was freed and that no command uses any more.
    #[inline]
    fn settle(&self, provider: &P) {
        if !self.quarantine.is_empty() {
            self.reuse(provider);
        }
    }

    /// The same, of which there may be some. Whether there was.
    #[cold]
    fn reuse(&self, provider: &P) -> bool {
        let is_idle = self.fence_in_order(provider);
        let ready = self.quarantine.ready(provider.progress());
        for &address in &ready {
            self.free_again(&Source::new(provider), address);
        }
        is_idle || !ready.is_empty()
    }

    /// Has what queues freed in their order go to others when that is behind all commands: at once, of which this tells, if none is
    /// unfinished.
    fn fence_in_order(&self, provider: &P) -> bool {
        let free = self.quarantine.fence_in_order(|| provider.fence());
        let free = free.unwrap_or_else(|error| {
            log::debug!("memory stays with the queues that freed it: {error}");
            Vec::new()
        });
        for &address in &free {
            self.free_again(&Source::new(provider), address);
        }
        !free.is_empty()
    }

    fn free_again(&self, source: &Source<'_, P>, address: usize) {
        if let Err(error) = self.cache.free(source, address) {
            log::warn!("freed USM is lost: {error}");
        }
    }
}

#[cold]
fn no_usm(memory: *mut c_void) -> UrError {
    crate::error!(ERROR_INVALID_VALUE: "the memory at {memory:p} is no USM of this context")
}

#[cold]
fn freed_before(memory: *mut c_void) -> UrError {
    crate::error!(ERROR_INVALID_VALUE: "the USM at {memory:p} was freed before")
}

#[cold]
fn too_large(size: usize, most: usize) -> UrError {
    crate::error!(
        ERROR_INVALID_USM_SIZE:
            "an allocation has {most} bytes at most, not {size}: see MAX_MEM_ALLOC_SIZE of the device"
    )
}

#[cold]
fn strange_pool() -> UrError {
    crate::error!(ERROR_INVALID_VALUE: "the pool is another context's")
}

#[cold]
fn strange_device() -> UrError {
    crate::error!(ERROR_INVALID_DEVICE: "the device is none of the context's or of the pool's, and no part of one")
}

/// Writes the methods of [`UsmAlloc`](crate::UsmAlloc) that are [`ContextUsm`]'s, in an implementation for a context that is a
/// [`MemoryProvider`].
#[macro_export]
macro_rules! context_usm_methods {
    ($backend:ty) => {
        fn usm_alloc(
            self: &::std::sync::Arc<Self>,
            request: $crate::UsmRequest<'_, $backend>,
        ) -> $crate::UrResult<*mut ::std::ffi::c_void> {
            $crate::MemoryProvider::usm(&**self).alloc(self, &request)
        }

        fn usm_free(self: &::std::sync::Arc<Self>, memory: *mut ::std::ffi::c_void) -> $crate::UrResult<()> {
            $crate::MemoryProvider::usm(&**self).free(self, memory)
        }

        fn usm_rest(&self, memory: *const ::std::ffi::c_void) -> usize {
            $crate::MemoryProvider::usm(self).rest(memory)
        }

        #[inline(always)]
        fn usm_hold(&self, first: *const ::std::ffi::c_void, second: *const ::std::ffi::c_void, size: usize) -> bool {
            $crate::MemoryProvider::usm(self).hold(first, second, size)
        }

        fn usm_info(
            self: &::std::sync::Arc<Self>,
            memory: *const ::std::ffi::c_void,
            query: $crate::ur::UsmAllocInfo,
            out: $crate::InfoOut<'_>,
        ) -> $crate::UrResult<()> {
            $crate::MemoryProvider::usm(&**self).info(self, memory, query, out)
        }
    };
}

/// Writes the methods of [`UsmAlloc`](crate::UsmAlloc) for the pools that allocations of a device come from, in the same way.
#[macro_export]
macro_rules! context_usm_pool_methods {
    ($backend:ty) => {
        fn default_pool(
            self: &::std::sync::Arc<Self>,
            device: &::std::sync::Arc<<$backend as $crate::Backend>::Device>,
        ) -> $crate::UrResult<::std::sync::Arc<$crate::UsmHeapPool<Self>>> {
            $crate::MemoryProvider::usm(&**self).default_pool(self, device)
        }

        fn device_pool(
            self: &::std::sync::Arc<Self>,
            device: &::std::sync::Arc<<$backend as $crate::Backend>::Device>,
        ) -> $crate::UrResult<::std::sync::Arc<$crate::UsmHeapPool<Self>>> {
            $crate::MemoryProvider::usm(&**self).device_pool(self, device)
        }

        fn set_device_pool(
            self: &::std::sync::Arc<Self>,
            device: &::std::sync::Arc<<$backend as $crate::Backend>::Device>,
            pool: &::std::sync::Arc<$crate::UsmHeapPool<Self>>,
        ) -> $crate::UrResult<()> {
            $crate::MemoryProvider::usm(&**self).set_device_pool(self, device, pool)
        }
    };
}

/// Writes what an implementation of [`MemoryProvider`](crate::MemoryProvider) has that follows from the members of a driver's
/// context (see [`driver_context_methods`](crate::driver_context_methods)), whose queues leave [`Marker`](crate::Marker)s: the
/// [`CacheLimit`](crate::CacheLimit), and whether there are no unfinished commands for sure, as in a child of `fork`.
#[macro_export]
macro_rules! driver_memory_methods {
    ($backend:ty, $limit:expr, $nothing:expr) => {
        type Device = <$backend as $crate::Backend>::Device;
        type Fence = $crate::Markers<<$backend as $crate::Backend>::Queue>;

        fn usm(&self) -> &$crate::ContextUsm<Self> {
            &self.shared.usm
        }

        fn devices(&self) -> &[::std::sync::Arc<Self::Device>] {
            &self.devices
        }

        fn cache_limit() -> usize {
            $limit.get()
        }

        fn fence(&self) -> $crate::UrResult<Option<Self::Fence>> {
            if $nothing {
                Ok(None)
            } else {
                self.shared.in_flight.fence()
            }
        }

        fn progress(&self) -> impl Fn(&Self::Fence) -> bool {
            |markers| markers.iter().all(|marker| marker.is_over())
        }

        fn wait_for(&self, fence: &Self::Fence) {
            for marker in fence {
                if let Err(error) = marker.wait() {
                    log::debug!("a command failed before memory that it may have used was freed: {error}");
                }
            }
        }
    };
}
