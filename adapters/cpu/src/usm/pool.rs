// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Pools: heaps of the context's cache that the client makes and sets limits to.

use std::sync::{Arc, Weak};

use kit::ur::{ResultCode, UsmPoolInfo};
use kit::usm_cache::{Heap, HeapOptions};
use kit::{HandleCell, InfoOut, UrResult, UsmPoolProperties};
use oxur_adapter_kit as kit;

use super::place::{Arenas, System};
use crate::{Context, Cpu, Device};

/// A pool. Its free memory goes back to the system with it; what the client still has is freed as always.
pub(crate) struct UsmPool {
    pub(crate) handle_cell: HandleCell,
    owner: Owner,
    heap: Arc<Heap>,
    pub(super) arenas: Arenas,
}

/// The context, which a pool of the client's keeps, and which keeps the pools that it made by itself.
enum Owner {
    Client(Arc<Context>),
    Context(Weak<Context>),
}

impl UsmPool {
    fn new(context: &Arc<Context>, owner: Owner, devices: &[Arc<Device>], options: HeapOptions) -> Arc<Self> {
        let cache = &context.usm.cache;
        let heap = cache.heap(options);
        Arc::new_cyclic(|pool| Self {
            handle_cell: HandleCell::new(),
            owner,
            arenas: Arenas::new(cache, &heap, devices, pool),
            heap,
        })
    }

    /// The pool that a context has for a device by itself.
    pub(super) fn of_context(context: &Arc<Context>, device: &Arc<Device>) -> Arc<Self> {
        let options = HeapOptions {
            limit: super::limit(),
            counted: true,
            ..HeapOptions::default()
        };
        let owner = Owner::Context(Arc::downgrade(context));
        Self::new(context, owner, std::slice::from_ref(device), options)
    }

    /// Its context; `None` only while that goes.
    pub(super) fn context(&self) -> Option<Arc<Context>> {
        match &self.owner {
            Owner::Client(context) => Some(context.clone()),
            Owner::Context(context) => context.upgrade(),
        }
    }

    /// Whether it is of a context.
    #[inline]
    pub(super) fn is_of(&self, context: &Context) -> bool {
        match &self.owner {
            Owner::Client(owner) => std::ptr::eq(&raw const **owner, context),
            Owner::Context(owner) => std::ptr::eq(owner.as_ptr(), context),
        }
    }
}

impl Drop for UsmPool {
    fn drop(&mut self) {
        // A context that is gone took all of its memory along.
        if let Some(context) = self.context() {
            context.usm.cache.close(&System, &self.heap);
        }
    }
}

impl kit::UsmPool<Cpu> for UsmPool {
    fn create(
        context: &Arc<Context>,
        device: Option<&Arc<Device>>,
        properties: UsmPoolProperties<'_, Cpu>,
    ) -> UrResult<Arc<Self>> {
        properties.without_buffer()?;
        // All flags hold by themselves: what comes from the system is zero, there is no other native pool than this,
        // and that kernels only read is a hint.
        let options = HeapOptions {
            limit: super::limit(),
            max_block: properties.max_poolable.unwrap_or(usize::MAX),
            min_growth: properties.min_driver_alloc.unwrap_or(0),
            counted: true,
        };
        let devices = device.map_or(&*context.devices, std::slice::from_ref);
        Ok(Self::new(context, Owner::Client(context.clone()), devices, options))
    }

    fn info(&self, query: UsmPoolInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            UsmPoolInfo::CONTEXT => out.handle(&self.context().ok_or(ResultCode::ERROR_INVALID_CONTEXT)?),
            _ => self.heap.info(query, out),
        }
    }

    fn set(&self, query: UsmPoolInfo, value: &[u8]) -> UrResult<()> {
        self.heap.set(query, value)
    }

    fn trim(&self, keep: usize) -> UrResult<()> {
        if let Some(context) = self.context() {
            context.usm.cache.trim(&System, &self.heap, keep);
        }
        Ok(())
    }
}
