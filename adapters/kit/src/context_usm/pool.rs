// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Pools: heaps of the context's cache that the client makes and sets limits to.

use std::sync::{Arc, Weak};

use oxur_api::{ResultCode, UsmPoolFlags, UsmPoolHandle, UsmPoolInfo};

use super::arenas::Arenas;
use super::{ContextUsm, MemoryProvider, Source, strange_device, strange_pool};
use crate::usm_cache::{Heap, HeapOptions};
use crate::{Backend, HandleCell, InfoOut, Object, UrResult, UsmKind, UsmPool, UsmPoolProperties};

/// A pool. Its free memory goes back to the provider with it; what the client still has is freed as always.
pub struct UsmHeapPool<P: MemoryProvider> {
    handle_cell: HandleCell,
    owner: Owner<P>,
    heap: Arc<Heap>,
    arenas: Arenas<P>,
}

/// The context, which a pool of the client's keeps, and which keeps the pools that it made by itself.
enum Owner<P> {
    Client(Arc<P>),
    Context(Weak<P>),
}

impl<P: MemoryProvider> UsmHeapPool<P> {
    fn new(
        provider: &P,
        owner: Owner<P>,
        devices: &[Arc<P::Device>],
        flags: UsmPoolFlags,
        options: HeapOptions,
    ) -> Arc<Self> {
        let cache = &provider.usm().cache;
        let heap = cache.heap(options);
        let zero = flags.contains(UsmPoolFlags::ZERO_INITIALIZE_BLOCK);
        Arc::new_cyclic(|pool| Self {
            handle_cell: HandleCell::new(),
            owner,
            arenas: Arenas::new(cache, &heap, devices, pool, zero),
            heap,
        })
    }

    /// A pool that the client makes.
    pub(super) fn of_client(
        context: &Arc<P>,
        devices: &[Arc<P::Device>],
        flags: UsmPoolFlags,
        (max_poolable, min_driver_alloc): (Option<usize>, Option<usize>),
    ) -> Arc<Self> {
        let options = HeapOptions {
            limit: P::cache_limit(),
            max_block: max_poolable.unwrap_or(usize::MAX),
            min_growth: min_driver_alloc.unwrap_or(0),
            counted: true,
        };
        Self::new(&**context, Owner::Client(context.clone()), devices, flags, options)
    }

    /// Its context; `None` only while that goes.
    fn context(&self) -> Option<Arc<P>> {
        match &self.owner {
            Owner::Client(context) => Some(context.clone()),
            Owner::Context(context) => context.upgrade(),
        }
    }

    /// Whether it is a pool of this context, or of another one with the same USM.
    #[inline]
    pub(super) fn is_of(&self, provider: &P) -> bool {
        match &self.owner {
            Owner::Client(owner) => std::ptr::eq(owner.usm(), provider.usm()),
            Owner::Context(owner) => std::ptr::eq(owner.as_ptr(), provider),
        }
    }

    pub(super) fn arenas(&self) -> &Arenas<P> {
        &self.arenas
    }
}

impl<P: MemoryProvider> Drop for UsmHeapPool<P> {
    fn drop(&mut self) {
        // A context that is gone took all of its memory along.
        if let Some(context) = self.context() {
            context.usm().cache.close(&Source::new(&*context), &self.heap);
        }
    }
}

impl<P: MemoryProvider> Object for UsmHeapPool<P> {
    type Handle = UsmPoolHandle;

    fn handle_cell(&self) -> &HandleCell {
        &self.handle_cell
    }
}

impl<B, P> UsmPool<B> for UsmHeapPool<P>
where
    P: MemoryProvider + crate::Context<B>,
    B: Backend<Context = P, Device = <P as MemoryProvider>::Device, UsmPool = Self>,
{
    fn create(
        context: &Arc<P>,
        device: Option<&Arc<B::Device>>,
        properties: UsmPoolProperties<'_, B>,
    ) -> UrResult<Arc<Self>> {
        properties.without_buffer()?;
        P::check_pool_flags(properties.flags)?;
        let devices = device.map_or(MemoryProvider::devices(&**context), std::slice::from_ref);
        let limits = (properties.max_poolable, properties.min_driver_alloc);
        Ok(Self::of_client(context, devices, properties.flags, limits))
    }

    fn info(&self, query: UsmPoolInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            UsmPoolInfo::CONTEXT => out.handle(&self.context().ok_or(ResultCode::ERROR_INVALID_CONTEXT)?),
            _ => {
                if let Some(context) = self.context() {
                    context.usm().settle(&*context);
                }
                self.heap.info(query, out)
            }
        }
    }

    fn set(&self, query: UsmPoolInfo, value: &[u8]) -> UrResult<()> {
        self.heap.set(query, value)
    }

    fn trim(&self, keep: usize) -> UrResult<()> {
        if let Some(context) = self.context() {
            context.usm().settle(&*context);
            context.usm().cache.trim(&Source::new(&*context), &self.heap, keep);
        }
        Ok(())
    }
}

/// The pools of a device for allocations in the order of a queue.
pub(super) struct DevicePools<P: MemoryProvider> {
    device: Arc<P::Device>,
    default: Arc<UsmHeapPool<P>>,
    /// The client's choice, which remains the client's.
    current: Weak<UsmHeapPool<P>>,
}

impl<P: MemoryProvider> ContextUsm<P> {
    /// The pool that allocations of a device come from when they name none.
    pub fn default_pool(&self, provider: &Arc<P>, device: &Arc<P::Device>) -> UrResult<Arc<UsmHeapPool<P>>> {
        self.pools_of(provider, device, |pools| pools.default.clone())
    }

    /// The pool that the client chose for a device, or its default.
    pub fn device_pool(&self, provider: &Arc<P>, device: &Arc<P::Device>) -> UrResult<Arc<UsmHeapPool<P>>> {
        self.pools_of(provider, device, |pools| {
            pools.current.upgrade().unwrap_or_else(|| pools.default.clone())
        })
    }

    /// Chooses the pool of a device.
    pub fn set_device_pool(
        &self,
        provider: &Arc<P>,
        device: &Arc<P::Device>,
        pool: &Arc<UsmHeapPool<P>>,
    ) -> UrResult<()> {
        if !pool.is_of(provider) {
            return Err(strange_pool());
        }
        self.pools_of(provider, device, |pools| pools.current = Arc::downgrade(pool))
    }

    /// The pool that the client chose for allocations of a kind in the order of a device's queue, if it did.
    pub fn chosen_pool(&self, device: &Arc<P::Device>, kind: &UsmKind<'_, P::Device>) -> Option<Arc<UsmHeapPool<P>>> {
        if matches!(kind, UsmKind::Host) {
            return None;
        }
        let pools = self.pools.lock();
        let of_device = pools.iter().find(|pools| Arc::ptr_eq(&pools.device, device))?;
        of_device.current.upgrade()
    }

    /// Runs `f` with the pools of a device.
    fn pools_of<R>(
        &self,
        provider: &Arc<P>,
        device: &Arc<P::Device>,
        f: impl FnOnce(&mut DevicePools<P>) -> R,
    ) -> UrResult<R> {
        let mut devices = provider.devices().iter();
        if !devices.any(|listed| P::memory_of(listed, device).is_some()) {
            return Err(strange_device());
        }
        let mut pools = self.pools.lock();
        let index = match pools.iter().position(|pools| Arc::ptr_eq(&pools.device, device)) {
            Some(index) => index,
            None => {
                let options = HeapOptions {
                    limit: P::cache_limit(),
                    counted: true,
                    ..HeapOptions::default()
                };
                let owner = Owner::Context(Arc::downgrade(provider));
                let default = UsmHeapPool::new(
                    &**provider,
                    owner,
                    std::slice::from_ref(device),
                    UsmPoolFlags::empty(),
                    options,
                );
                pools.push(DevicePools {
                    device: device.clone(),
                    default,
                    current: Weak::new(),
                });
                pools.len() - 1
            }
        };
        Ok(f(&mut pools[index]))
    }
}
