// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Pools: heaps of the context's cache that the client makes and sets limits to.

use std::sync::Arc;

use kit::ur::{ResultCode, UsmPoolFlags, UsmPoolInfo};
use kit::usm_cache::{Heap, HeapOptions};
use kit::{HandleCell, InfoOut, UrError, UrResult, UsmPoolProperties};
use oxur_adapter_kit as kit;

use super::driver::Driver;
use super::{Arenas, limit};
use crate::{Context, Device, OpenCl};

/// A pool. Its free memory goes back to the driver with it; what the client still has is freed as always.
pub(crate) struct UsmPool {
    pub(crate) handle_cell: HandleCell,
    context: Arc<Context>,
    heap: Arc<Heap>,
    pub(super) arenas: Arenas,
}

impl Drop for UsmPool {
    fn drop(&mut self) {
        self.context.usm.cache.close(&Driver::new(&self.context), &self.heap);
    }
}

impl UsmPool {
    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl kit::UsmPool<OpenCl> for UsmPool {
    fn create(
        context: &Arc<Context>,
        device: Option<&Arc<Device>>,
        properties: UsmPoolProperties<'_, OpenCl>,
    ) -> UrResult<Arc<Self>> {
        properties.without_buffer()?;
        let flags = properties.flags;
        if flags.contains(UsmPoolFlags::USE_NATIVE_MEMORY_POOL_EXP) {
            return Err(UrError::with_message(
                ResultCode::ERROR_UNSUPPORTED_FEATURE,
                "OpenCL has no memory pools of its own",
            ));
        }
        let cache = &context.usm.cache;
        let heap = cache.heap(HeapOptions {
            limit: limit::from_environment(),
            max_block: properties.max_poolable.unwrap_or(usize::MAX),
            min_growth: properties.min_driver_alloc.unwrap_or(0),
            counted: true,
        });
        let devices = device.map_or(&*context.devices, std::slice::from_ref);
        let zero = flags.contains(UsmPoolFlags::ZERO_INITIALIZE_BLOCK);
        Ok(Arc::new_cyclic(|pool| Self {
            handle_cell: HandleCell::new(),
            context: context.clone(),
            arenas: Arenas::new(cache, &heap, devices, pool, zero),
            heap,
        }))
    }

    fn info(&self, query: UsmPoolInfo, out: InfoOut<'_>) -> UrResult<()> {
        match query {
            UsmPoolInfo::CONTEXT => out.handle(&self.context),
            _ => self.heap.info(query, out),
        }
    }

    fn set(&self, query: UsmPoolInfo, value: &[u8]) -> UrResult<()> {
        self.heap.set(query, value)
    }

    fn trim(&self, keep: usize) -> UrResult<()> {
        self.context
            .usm
            .cache
            .trim(&Driver::new(&self.context), &self.heap, keep);
        Ok(())
    }
}
